//! The extended instruction set OpenCL.std: functions of scalars come from `builtins`, component by component; what is about whole vectors or
//! about memory is here and in `vector_memory`.

use super::Failure;
use super::arithmetic::resize_int;
use super::composite::select_component;
use super::conversion::float_to_float;
use super::function::{Lowering, Result};
use super::value::Scalars;
use builtins::{self, Library, StdOp, with_flags};
use ir::*;
use spirv::{ExtendedSet, Id, Instruction};

impl<'m> Lowering<'_, 'm> {
    /// Lowers an instruction of an extended set; says whether it is known.
    pub(super) fn extended(&mut self, inst: &Instruction<'m>) -> Result<bool> {
        match self.spirv.extended_set(inst.word(0)) {
            Some(ExtendedSet::OpenClStd) => {}
            Some(ExtendedSet::DebugInfo | ExtendedSet::NonSemantic) => return Ok(true),
            None => return Ok(false),
        }
        let Some(op) = StdOp::from_u32(inst.word(1)) else {
            return Ok(false);
        };
        let operands = inst.operands.get(2..).unwrap_or(&[]);
        let float = self.result_elem(inst).is_ok_and(Elem::is_float);
        self.flags = self.arithmetic_flags(inst, float);
        if matches!(op, StdOp::mix | StdOp::smoothstep) && !self.program.modes.is_strict() {
            // Errors of these are bounded, not steps of theirs: one rounding less is as good, whatever the source says of its own.
            self.flags |= Flags::CONTRACT;
        }
        self.standard(inst, op, operands)?;
        Ok(true)
    }

    /// An OpenCL.std function with its operands; the result is `inst`'s.
    pub(super) fn standard(&mut self, inst: &Instruction<'m>, op: StdOp, operands: &[Id]) -> Result<()> {
        match op {
            op if is_vector_memory(op) => self.vector_memory(inst, op, operands),
            StdOp::printf => self.printf(inst, operands),
            // A hint.
            StdOp::prefetch => Ok(()),
            StdOp::shuffle | StdOp::shuffle2 => self.standard_shuffle(inst, operands),
            StdOp::fract | StdOp::frexp | StdOp::lgamma_r | StdOp::modf | StdOp::remquo | StdOp::sincos => {
                self.two_results(inst, op, operands)
            }
            StdOp::cross
            | StdOp::distance
            | StdOp::length
            | StdOp::normalize
            | StdOp::fast_distance
            | StdOp::fast_length
            | StdOp::fast_normalize => self.geometric(inst, op, operands),
            StdOp::select => {
                let vector = self.spirv.components(inst.result_type).0 > 1;
                self.componentwise(inst, operands, |b, args| {
                    // Vectors look at the sign bit, scalars at all.
                    let zero = b.constant(b.ty(args[2]), 0);
                    let chosen = b.icmp(if vector { IntCc::Slt } else { IntCc::Ne }, args[2], zero);
                    b.select(chosen, args[1], args[0])
                })
            }
            StdOp::bitselect => self.componentwise(inst, operands, |b, args| {
                let elem = b.ty(args[0]).elem;
                let [no, yes, bits] = [0, 1, 2].map(|n| b.bitcast(elem.as_int(), args[n]));
                // (no ^ yes) & bits ^ no
                let differ = b.xor(no, yes);
                let differ = b.and(differ, bits);
                let chosen = b.xor(differ, no);
                b.bitcast(elem, chosen)
            }),
            _ => {
                if let Some(results) = self.one_of_both(op, operands)? {
                    self.define(inst, results);
                    return Ok(());
                }
                let mut args = Vec::with_capacity(operands.len());
                for &operand in operands {
                    args.push(self.scalars(operand)?);
                }
                let count = args.first().map_or(0, Scalars::len);
                let mut results = Scalars::new();
                for component in 0..count {
                    let args = component_of(&args, component)?;
                    results.push(*self.scalar_function(op, &args)?.first().ok_or(Failure::Unsupported)?);
                }
                self.define(inst, results);
                Ok(())
            }
        }
    }

    pub(super) fn scalar_function(&mut self, op: StdOp, args: &[Value]) -> Result<ValueList> {
        let mut library = Library {
            module: &mut self.program.ir,
            cache: &mut self.program.library,
            precision: self.program.precision,
        };
        let mut b = Builder {
            func: &mut self.func,
            block: self.block,
            flags: self.flags,
        };
        let results = builtins::lower(&mut b, &mut library, op, args);
        self.block = b.block;
        results.ok_or_else(|| Failure::Message(format!("the function {op:?} of OpenCL.std is not supported for these operands")))
    }

    fn componentwise(&mut self, inst: &Instruction<'m>, operands: &[Id], f: impl Fn(&mut Builder, &[Value]) -> Value) -> Result<()> {
        let mut args = Vec::with_capacity(operands.len());
        for &operand in operands {
            args.push(self.scalars(operand)?);
        }
        let mut results = Scalars::new();
        for component in 0..args.first().map_or(0, Scalars::len) {
            let args = component_of(&args, component)?;
            results.push(f(&mut self.b(), &args));
        }
        self.define(inst, results);
        Ok(())
    }

    /// Functions that return one result and store another where their last operand points.
    fn two_results(&mut self, inst: &Instruction<'m>, op: StdOp, operands: &[Id]) -> Result<()> {
        let Some((&place, operands)) = operands.split_last() else {
            return Err(Failure::Unsupported);
        };
        let pointer = self.pointer(place)?;
        let (_, pointee) = self.spirv.value_type(place).pointer().ok_or(Failure::Unsupported)?;
        let mut args = Vec::with_capacity(operands.len());
        for &operand in operands {
            args.push(self.scalars(operand)?);
        }
        let (mut first, mut second) = (Scalars::new(), Scalars::new());
        for component in 0..args.first().map_or(0, Scalars::len) {
            let args = component_of(&args, component)?;
            let [x, y] = *self.scalar_function(op, &args)?.as_slice() else {
                return Err(Failure::Unsupported);
            };
            first.push(x);
            second.push(y);
        }
        if pointee == 0 {
            self.store_vector(&second, &pointer);
        } else {
            let second = self.value_of(pointee, second);
            self.store_plain(pointee, second, &pointer)?;
        }
        self.define(inst, first);
        Ok(())
    }

    /// `shuffle` and `shuffle2`: indexes are taken modulo the number of components there are.
    fn standard_shuffle(&mut self, inst: &Instruction<'m>, operands: &[Id]) -> Result<()> {
        let Some((&mask, sources)) = operands.split_last() else {
            return Err(Failure::Unsupported);
        };
        let mut all = Scalars::new();
        for &source in sources {
            all.extend(self.scalars(source)?);
        }
        if all.is_empty() {
            return Err(Failure::Unsupported);
        }
        let mut results = Scalars::new();
        for &index in &self.scalars(mask)? {
            results.push(match self.func.constant(index) {
                Some(index) => all[index as usize % all.len()],
                None => select_component(&mut self.b(), &all, index),
            });
        }
        self.define(inst, results);
        Ok(())
    }

    fn geometric(&mut self, inst: &Instruction<'m>, op: StdOp, operands: &[Id]) -> Result<()> {
        let mut args = Vec::with_capacity(operands.len());
        for &operand in operands {
            args.push(self.scalars(operand)?);
        }
        let b = &mut self.b();
        let results = match (op, args.as_slice()) {
            (StdOp::cross, [x, y]) if x.len() >= 3 && y.len() >= 3 => cross(b, x, y),
            (StdOp::length | StdOp::fast_length, [x]) => Scalars::from_slice(&[length(b, x, op == StdOp::fast_length)]),
            (StdOp::distance | StdOp::fast_distance, [x, y]) => {
                let difference: Scalars = x.iter().zip(y).map(|(&x, &y)| b.fsub(x, y)).collect();
                Scalars::from_slice(&[length(b, &difference, op == StdOp::fast_distance)])
            }
            (StdOp::normalize | StdOp::fast_normalize, [x]) => normalize(b, x, op == StdOp::fast_normalize),
            _ => return Err(Failure::Unsupported),
        };
        self.define(inst, results);
        Ok(())
    }

    /// `printf`: the arguments go into 8 bytes each, as `device::printf` reads them.
    fn printf(&mut self, inst: &Instruction<'m>, operands: &[Id]) -> Result<()> {
        let Some((&format, operands)) = operands.split_first() else {
            return Err(Failure::Unsupported);
        };
        let format = self.scalar(format)?;
        let result = self.print(format, operands)?;
        self.define_scalar(inst, result);
        Ok(())
    }

    /// Calls printf with a format and operands.
    pub(super) fn print(&mut self, format: Value, operands: &[Id]) -> Result<Value> {
        self.flags = Flags::empty();
        let mut arguments = Scalars::new();
        for &operand in operands {
            for &value in &self.scalars(operand)? {
                let b = &mut self.b();
                arguments.push(match b.ty(value).elem {
                    Elem::Mask => b.convert(ConvertOp::MaskToInt, Elem::I64, value),
                    elem if elem.is_float() => float_to_float(b, Elem::F64, value, Rounding::Nearest),
                    _ => resize_int(b, Elem::I64, value, true),
                });
            }
        }
        let count = arguments.len() as u32;
        let place = self.slot(8 * u64::from(count.max(1)), 8)?;
        for (n, &value) in arguments.iter().enumerate() {
            let leaf = super::shape::Leaf {
                elem: self.func.ty(value).elem,
                offset: 8 * n as u64,
            };
            self.store_leaf(&leaf, value, &place, 8, MemFlags::empty());
        }
        let args = [
            self.builtin(Builtin::Launch, 0),
            self.builtin(Builtin::Worker, 0),
            format,
            self.materialize(&place),
            self.i32(count as i32),
        ];
        Ok(self.b().value(InstData::CallRuntime {
            routine: Runtime::Printf,
            args: ValueList::from_slice(&args),
        }))
    }
}

/// The operands of one component; an operand that is one scalar is there for each.
pub(super) fn component_of(args: &[Scalars], component: usize) -> Result<Scalars> {
    let one = |arg: &Scalars| {
        if arg.len() == 1 {
            arg.first().copied()
        } else {
            arg.get(component).copied()
        }
    };
    args.iter().map(|arg| one(arg).ok_or(Failure::Unsupported)).collect()
}

fn cross(b: &mut Builder, x: &[Value], y: &[Value]) -> Scalars {
    let mut results = Scalars::new();
    for n in 0..3 {
        let (i, j) = ((n + 1) % 3, (n + 2) % 3);
        let (plus, minus) = (b.fmul(x[i], y[j]), b.fmul(x[j], y[i]));
        results.push(b.fsub(plus, minus));
    }
    if x.len() > 3 {
        results.push(b.constant(b.ty(x[0]), 0));
    }
    results
}

/// What squares of components are added up in: where they neither overflow nor vanish.
fn wider(elem: Elem, fast: bool) -> Elem {
    match elem {
        Elem::F16 | Elem::BF16 => Elem::F32,
        Elem::F32 if !fast => Elem::F64,
        other => other,
    }
}

/// Components in the format that their squares are added up in, and, for doubles, the exponent that was taken out of them, as a factor.
fn prepared(b: &mut Builder, x: &[Value], fast: bool) -> (Scalars, Option<Value>) {
    let elem = b.ty(x[0]).elem;
    let wide = wider(elem, fast);
    let x: Scalars = x.iter().map(|&x| float_to_float(b, wide, x, Rounding::Nearest)).collect();
    if elem != Elem::F64 || fast {
        return (x, None);
    }
    let mut largest = b.unary(UnaryOp::FAbs, x[0]);
    for &x in &x[1..] {
        let size = b.unary(UnaryOp::FAbs, x);
        largest = b.binary(BinaryOp::FMaxNum, largest, size);
    }
    let bits = b.bitcast(Elem::I64, largest);
    let exponent = b.binary_imm(BinaryOp::LShr, bits, 52);
    let (low, high) = (b.i64(1), b.i64(2045));
    let exponent = b.binary(BinaryOp::UMax, exponent, low);
    let exponent = b.binary(BinaryOp::UMin, exponent, high);
    let top = b.i64(2046);
    let inverse = b.sub(top, exponent);
    let [factor, inverse] = [exponent, inverse].map(|exponent| {
        let bits = b.binary_imm(BinaryOp::Shl, exponent, 52);
        b.bitcast(Elem::F64, bits)
    });
    (x.iter().map(|&x| b.fmul(x, inverse)).collect(), Some(factor))
}

/// The sum of the squares of components that were numbers of a type.
fn sum_of_squares(b: &mut Builder, x: &[Value], elem: Elem) -> Value {
    // Squares of what has half as many bits are exact, so that fusing changes nothing.
    let exact = if b.ty(x[0]).elem == elem { Flags::empty() } else { Flags::CONTRACT };
    with_flags(b, exact, |b| super::arithmetic::dot(b, Rounding::Nearest, x, x))
}

fn length(b: &mut Builder, x: &[Value], fast: bool) -> Value {
    let elem = b.ty(x[0]).elem;
    if let [x] = *x {
        return b.unary(UnaryOp::FAbs, x);
    }
    let (x, factor) = prepared(b, x, fast);
    let squares = sum_of_squares(b, &x, elem);
    let mut root = b.unary(UnaryOp::Sqrt, squares);
    if let Some(factor) = factor {
        root = b.fmul(root, factor);
    }
    float_to_float(b, elem, root, Rounding::Nearest)
}

fn normalize(b: &mut Builder, x: &[Value], fast: bool) -> Scalars {
    let elem = b.ty(x[0]).elem;
    let (wide, _) = prepared(b, x, fast);
    let ty = b.ty(wide[0]);
    let is_wider = ty.elem != elem;
    let squares = sum_of_squares(b, &wide, elem);
    let (zero, one) = (b.constant(ty, 0), b.constant(ty, one_bits(ty.elem)));
    // (Zeros stay what they are.)
    let none = b.fcmp(FloatCc::Oeq, squares, zero);
    let inverse = inverse_root(b, squares, is_wider || fast);
    let inverse = b.select(none, one, inverse);
    let scaled = |b: &mut Builder, x: Value, inverse: Value| {
        let product = b.fmul(x, inverse);
        float_to_float(b, elem, product, Rounding::Nearest)
    };
    let results: Scalars = wide.iter().map(|&x| scaled(b, x, inverse)).collect();
    if fast {
        return results;
    }
    // Infinite components count as 1, finite ones beside them as 0 (OpenCL C §7.5.1). With a NaN beside them, all are NaNs.
    let infinity = b.constant(ty, infinity_bits(ty.elem));
    let has_infinite = b.fcmp(FloatCc::Oeq, squares, infinity);
    let units: Scalars = wide
        .iter()
        .map(|&x| {
            let size = b.unary(UnaryOp::FAbs, x);
            let is_infinite = b.fcmp(FloatCc::Oeq, size, infinity);
            let size = b.select(is_infinite, one, zero);
            b.binary(BinaryOp::CopySign, size, x)
        })
        .collect();
    let count = sum_of_squares(b, &units, elem);
    let inverse = inverse_root(b, count, is_wider);
    let choices = results.iter().zip(units);
    choices
        .map(|(&usual, unit)| {
            let special = scaled(b, unit, inverse);
            with_flags(b, Flags::RARE, |b| b.select(has_infinite, special, usual))
        })
        .collect()
}

/// 1 / sqrt(x); within two units of it where that is enough.
fn inverse_root(b: &mut Builder, x: Value, is_approximate: bool) -> Value {
    if is_approximate {
        return builtins::rsqrt(b, x);
    }
    let one = b.constant(b.ty(x), one_bits(b.ty(x).elem));
    let root = b.unary(UnaryOp::Sqrt, x);
    b.fdiv(one, root)
}

/// Loads and stores of vectors.
pub(super) fn is_vector_memory(op: StdOp) -> bool {
    matches!(
        op,
        StdOp::vloadn
            | StdOp::vload_half
            | StdOp::vload_halfn
            | StdOp::vloada_halfn
            | StdOp::vstoren
            | StdOp::vstore_half
            | StdOp::vstore_half_r
            | StdOp::vstore_halfn
            | StdOp::vstore_halfn_r
            | StdOp::vstorea_halfn
            | StdOp::vstorea_halfn_r
    )
}
