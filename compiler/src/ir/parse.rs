//! Reads the text form of functions and modules that `print` writes.
//!
//! Values and blocks keep the numbers that they have in the text, so that printing what was read gives the text again. A line that begins
//! with `;` is a comment. What is read is well-formed as text only; whether it keeps the IR's rules is [`super::verify`]'s question.

use super::print::MEM_FLAG_NAMES;
use super::*;
use core::fmt;
use cranelift_entity::EntityRef;
use smallvec::SmallVec;
use std::collections::{HashMap, HashSet};

/// Numbers in names of values, blocks and the like are smaller than this.
const MAX_NUMBER: u32 = 1 << 24;

/// Text that is not the IR's text form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Counted from 1.
    pub line: usize,
    /// What was expected and what stands there.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for ParseError {}

type Result<T, E = ParseError> = core::result::Result<T, E>;

/// Reads one function: `function workitem @name -> types { … }`.
pub fn parse_function(text: &str) -> Result<Function> {
    let mut lines = Lines::new(text);
    let Some(mut line) = lines.next() else {
        return Err(lines.end("a function"));
    };
    let func = function(&mut line, &mut lines)?;
    match lines.next() {
        None => Ok(func),
        Some(line) => Err(line.expected("the end of the text")),
    }
}

/// Reads a module: `global0 = …` lines, then `fn0 = function … { … }`.
pub fn parse_module(text: &str) -> Result<Module> {
    let mut lines = Lines::new(text);
    let mut module = Module::default();
    while let Some(mut line) = lines.next() {
        if line.rest.starts_with("global") {
            let reference: Global = line.entity("global")?;
            if reference.index() != module.globals.len() {
                return Err(line.error(format!("the next global variable is global{}", module.globals.len())));
            }
            line.token("=")?;
            module.globals.push(global(&mut line)?);
        } else {
            let reference: FuncRef = line.entity("fn")?;
            if reference.index() != module.functions.len() {
                return Err(line.error(format!("the next function is fn{}", module.functions.len())));
            }
            line.token("=")?;
            module.functions.push(function(&mut line, &mut lines)?);
        }
    }
    Ok(module)
}

/// The lines that are neither empty nor comments.
struct Lines<'t> {
    lines: core::iter::Enumerate<core::str::Lines<'t>>,
    last: usize,
}

impl<'t> Lines<'t> {
    fn new(text: &'t str) -> Lines<'t> {
        Lines {
            lines: text.lines().enumerate(),
            last: 1,
        }
    }

    fn next(&mut self) -> Option<Line<'t>> {
        loop {
            let (index, text) = self.lines.next()?;
            self.last = index + 1;
            let text = text.trim();
            if !text.is_empty() && !text.starts_with(';') {
                return Some(Line {
                    number: index + 1,
                    rest: text,
                });
            }
        }
    }

    fn end(&self, expected: &str) -> ParseError {
        ParseError {
            line: self.last,
            message: format!("expected {expected}, but the text ends"),
        }
    }
}

/// What is still unread of a line.
#[derive(Clone, Copy)]
struct Line<'t> {
    number: usize,
    rest: &'t str,
}

impl<'t> Line<'t> {
    fn error(&self, message: String) -> ParseError {
        ParseError {
            line: self.number,
            message,
        }
    }

    fn expected(&self, what: impl fmt::Display) -> ParseError {
        match self.rest {
            "" => self.error(format!("expected {what}, but the line ends")),
            rest => self.error(format!("expected {what}, but there is `{rest}`")),
        }
    }

    /// Skips the token if it comes next.
    fn eat(&mut self, token: &str) -> bool {
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    /// Skips a word (not only the beginning of one).
    fn eat_word(&mut self, word: &str) -> bool {
        let mut ahead = *self;
        let is_next = ahead.word() == word;
        if is_next {
            *self = ahead;
        }
        is_next
    }

    fn token(&mut self, token: &str) -> Result<()> {
        match self.eat(token) {
            true => Ok(()),
            false => Err(self.expected(format_args!("`{token}`"))),
        }
    }

    /// Letters, digits, `_` and `.`; may be empty.
    fn word(&mut self) -> &'t str {
        let end = self
            .rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.'))
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        word
    }

    /// A word that `read` understands.
    fn read<T>(&mut self, what: &str, read: impl FnOnce(&str) -> Option<T>) -> Result<T> {
        let before = *self;
        read(self.word()).ok_or_else(|| before.expected(what))
    }

    fn number<T: core::str::FromStr>(&mut self, what: &str) -> Result<T> {
        self.read(what, |word| word.parse().ok())
    }

    fn signed(&mut self, what: &str) -> Result<i64> {
        let before = *self;
        let negative = self.eat("-");
        let magnitude: u64 = self.number(what)?;
        match negative {
            true => 0i64.checked_sub_unsigned(magnitude),
            false => i64::try_from(magnitude).ok(),
        }
        .ok_or_else(|| before.expected(what))
    }

    fn entity<T: EntityRef>(&mut self, prefix: &str) -> Result<T> {
        let before = *self;
        let number = self.word().strip_prefix(prefix).and_then(|digits| digits.parse::<u32>().ok());
        match number.filter(|&number| number < MAX_NUMBER) {
            Some(number) => Ok(T::new(number as usize)),
            None => Err(before.expected(format_args!("`{prefix}` and a number below {MAX_NUMBER}"))),
        }
    }

    fn value(&mut self) -> Result<Value> {
        self.entity("v")
    }

    fn ty(&mut self) -> Result<Type> {
        self.read("a type", Type::parse)
    }

    /// `item, item, …`
    fn list<T, L: FromIterator<T>>(&mut self, mut item: impl FnMut(&mut Self) -> Result<T>) -> Result<L> {
        let mut items = vec![item(self)?];
        while self.eat(",") {
            items.push(item(self)?);
        }
        Ok(items.into_iter().collect())
    }

    fn values(&mut self) -> Result<ValueList> {
        self.list(Line::value)
    }

    /// `N` values.
    fn operands<const N: usize>(&mut self) -> Result<[Value; N]> {
        let before = *self;
        let values = self.values()?;
        <[Value; N]>::try_from(values.as_slice()).map_err(|_| before.expected(format_args!("{N} operands")))
    }

    /// `(v1, v2)`, where the parentheses may hold nothing.
    fn arguments(&mut self) -> Result<ValueList> {
        self.token("(")?;
        if self.eat(")") {
            return Ok(ValueList::new());
        }
        let args = self.values()?;
        self.token(")")?;
        Ok(args)
    }

    fn target(&mut self) -> Result<BlockCall> {
        let block = self.entity("block")?;
        let args = match self.rest.starts_with('(') {
            true => self.arguments()?,
            false => ValueList::new(),
        };
        Ok(BlockCall { block, args })
    }

    fn mem(&mut self) -> Result<MemInfo> {
        let space = self.read("an address space", Space::parse)?;
        self.token("align")?;
        let mut mem = MemInfo::new(space, self.number("an alignment")?);
        for (flag, name) in MEM_FLAG_NAMES {
            if self.eat_word(name) {
                mem.flags |= *flag;
            }
        }
        if self.eat_word("alias") {
            mem.alias = self.number("an alias set")?;
        }
        Ok(mem)
    }

    fn address(&mut self) -> Result<Address> {
        self.token("[")?;
        let mut address = Address::base(self.value()?);
        let before = *self;
        if self.eat("+") && self.rest.starts_with('v') {
            address.index = Some(self.value()?);
            self.token("*")?;
            address.scale = self.number("a scale")?;
        } else {
            *self = before;
        }
        let before = *self;
        let sign = match (self.eat("+"), self.eat("-")) {
            (true, _) => 1,
            (_, true) => -1,
            _ => 0,
        };
        if sign != 0 {
            let magnitude: u32 = self.number("an offset")?;
            address.offset = i32::try_from(sign * i64::from(magnitude)).map_err(|_| before.expected("an offset of 32 bits"))?;
        }
        self.token("]")?;
        Ok(address)
    }

    /// `[v0]`: what atomics have.
    fn plain_address(&mut self) -> Result<Value> {
        self.token("[")?;
        let address = self.value()?;
        self.token("]")?;
        Ok(address)
    }

    fn mask(&mut self) -> Result<Option<Value>> {
        match self.eat_word("mask") {
            true => self.value().map(Some),
            false => Ok(None),
        }
    }

    fn order_scope(&mut self) -> Result<(Order, Scope)> {
        Ok((self.read("a memory order", Order::parse)?, self.read("a scope", Scope::parse)?))
    }
}

fn global(line: &mut Line) -> Result<GlobalData> {
    let constant = line.eat_word("constant");
    let (name, rest) = line
        .rest
        .strip_prefix('@')
        .and_then(|rest| rest.rsplit_once(" align "))
        .ok_or_else(|| line.expected("a name and ` align `"))?;
    line.rest = rest;
    let align = line.number("an alignment")?;
    line.token("[")?;
    let digits = line.word();
    let bytes = (0..digits.len())
        .step_by(2)
        .map(|at| digits.get(at..at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok()))
        .collect::<Option<Vec<u8>>>()
        .ok_or_else(|| line.error("expected the contents as hexadecimal bytes".into()))?;
    line.token("]")?;
    let mut relocations = Vec::new();
    while !line.rest.is_empty() {
        let offset = line.number("the offset of an address")?;
        line.token(":")?;
        let target = line.entity("global")?;
        line.token("+")?;
        relocations.push((offset, target, line.signed("an addend")?));
    }
    Ok(GlobalData {
        name: name.to_owned(),
        align,
        constant,
        bytes,
        relocations,
    })
}

/// An instruction as it stands in the text: its results' types may depend on instructions that come later.
struct Pending {
    line: usize,
    inst: Inst,
    results: SmallVec<[Value; 1]>,
}

fn function(line: &mut Line, lines: &mut Lines) -> Result<Function> {
    line.token("function")?;
    let level = line.read("`workitem` or `workgroup`", |word| match word {
        "workitem" => Some(Level::WorkItem),
        "workgroup" => Some(Level::WorkGroup),
        _ => None,
    })?;
    line.token("@")?;
    let head = line
        .rest
        .strip_suffix('{')
        .ok_or_else(|| line.expected("a name and `{`"))?
        .trim_end();
    let (name, results): (&str, SmallVec<[Type; 2]>) = match head.rsplit_once(" -> ") {
        Some((name, types)) => {
            line.rest = types;
            (name, line.list(Line::ty)?)
        }
        None => (head, SmallVec::new()),
    };
    let mut func = Function::new(name, level, &results);
    let mut pending: Vec<Pending> = Vec::new();
    let mut defined: HashMap<Value, usize> = HashMap::new();
    let mut define = |value: Value, line: &Line| match defined.insert(value, line.number) {
        None => Ok(()),
        Some(other) => Err(line.error(format!("{value} is defined on line {other} already"))),
    };
    let mut blocks: HashSet<Block> = HashSet::new();
    let mut block = None;
    loop {
        let Some(mut line) = lines.next() else {
            return Err(lines.end("`}`"));
        };
        if line.eat("}") {
            finish_line(&line)?;
            break;
        }
        if line.rest.starts_with("slot") && line.rest.contains(':') && block.is_none() {
            let slot: Slot = line.entity("slot")?;
            if slot.index() != func.slots.len() {
                return Err(line.error(format!("the next slot is slot{}", func.slots.len())));
            }
            line.token(":")?;
            let size = line.number("a size")?;
            line.token("align")?;
            let align = line.number("an alignment")?;
            func.slots.push(SlotData { size, align });
        } else if line.rest.starts_with("block") {
            let new: Block = line.entity("block")?;
            if !blocks.insert(new) {
                return Err(line.error(format!("{new} stands here twice")));
            }
            func.declare_block(new);
            if line.eat("(") {
                let params: Vec<(Value, Type)> = line.list(|line| {
                    let value = line.value()?;
                    define(value, line)?;
                    line.token(":")?;
                    Ok((value, line.ty()?))
                })?;
                line.token(")")?;
                params.into_iter().for_each(|(value, ty)| func.declare_param(new, value, ty));
            }
            line.token(":")?;
            block = Some(new);
        } else {
            let Some(block) = block else {
                return Err(line.expected("a block"));
            };
            let results = match line.rest.starts_with('v') {
                true => {
                    let results: SmallVec<[Value; 1]> = line.list(Line::value)?;
                    line.token("=")?;
                    results
                }
                false => SmallVec::new(),
            };
            results.iter().try_for_each(|&result| define(result, &line))?;
            let data = instruction(&mut line)?;
            let mut flags = Flags::empty();
            if line.eat("!") {
                let all: Vec<Flags> = line.list(|line| {
                    line.read("a flag", |word| {
                        Flags::NAMES.iter().find(|(_, name)| *name == word).map(|&(flag, _)| flag)
                    })
                })?;
                flags = all.into_iter().collect();
            }
            pending.push(Pending {
                line: line.number,
                inst: func.declare_inst(block, data, flags),
                results,
            });
        }
        finish_line(&line)?;
    }
    for &block in &func.layout {
        for &param in &func.block(block).params {
            defined.remove(&param);
        }
    }
    types(&mut func, pending, defined, &blocks)?;
    Ok(func)
}

fn finish_line(line: &Line) -> Result<()> {
    match line.rest {
        "" => Ok(()),
        _ => Err(line.expected("the end of the line")),
    }
}

/// Gives each instruction its results, as soon as the types of its operands are known. `unknown`: results without type yet.
fn types(func: &mut Function, pending: Vec<Pending>, mut unknown: HashMap<Value, usize>, blocks: &HashSet<Block>) -> Result<()> {
    let mut waiting: HashMap<Value, Vec<usize>> = HashMap::new();
    let mut ready: Vec<usize> = (0..pending.len()).rev().collect();
    let mut done = 0;
    while let Some(index) = ready.pop() {
        let Pending { line, inst, results } = &pending[index];
        let data = &func.inst(*inst).data;
        let fail = |message: String| Err(ParseError { line: *line, message });
        let mut missing = None;
        let mut undefined = None;
        data.for_each_operand(|value| match unknown.contains_key(value) {
            true => missing = missing.or(Some(*value)),
            false if !func.is_defined(*value) => undefined = undefined.or(Some(*value)),
            false => {}
        });
        if let Some(value) = undefined {
            return fail(format!("{value} is defined nowhere"));
        }
        if let Some(target) = data.targets().iter().find(|target| !blocks.contains(&target.block)) {
            return fail(format!("{} is not in the function", target.block));
        }
        if let (Some(value), false) = (missing, data.is_terminator()) {
            waiting.entry(value).or_default().push(index);
            continue;
        }
        let types = match operand_count_fits(data) {
            true => func.result_types(data),
            false => return fail("too few operands".into()),
        };
        if types.len() != results.len() {
            return fail(format!("the instruction has {} results, not {}", types.len(), results.len()));
        }
        for (&value, ty) in results.iter().zip(types) {
            func.declare_result(*inst, value, ty);
            unknown.remove(&value);
            // In the order of the text, as far as possible.
            ready.extend(waiting.remove(&value).unwrap_or_default().into_iter().rev());
        }
        done += 1;
    }
    match pending.get(done) {
        None => Ok(()),
        Some(_) => {
            let line = waiting.into_values().flatten().map(|index| pending[index].line).min().unwrap_or(0);
            Err(ParseError {
                line,
                message: "the result's type depends on itself".into(),
            })
        }
    }
}

/// The result's type is taken from the first operand.
fn operand_count_fits(data: &InstData) -> bool {
    match data {
        InstData::SubGroup { op, args } => *op == SubGroupOp::Elect || !args.is_empty(),
        InstData::WorkGroup { args, .. } => !args.is_empty(),
        _ => true,
    }
}

fn instruction(line: &mut Line) -> Result<InstData> {
    let before = *line;
    let word = line.word();
    let (name, suffix) = word.split_once('.').unwrap_or((word, ""));
    let unknown = || before.expected("an instruction");
    let part = |ok: Option<_>| ok.ok_or_else(unknown);
    let ty = || Type::parse(suffix).ok_or_else(|| before.expected(format_args!("a type after `{name}.`")));
    if suffix.is_empty() {
        if let Some(op) = UnaryOp::parse(name) {
            return Ok(InstData::Unary { op, arg: line.value()? });
        }
        if let Some(op) = BinaryOp::parse(name) {
            return Ok(InstData::Binary {
                op,
                args: line.operands()?,
            });
        }
    } else if let Some(op) = ConvertOp::parse(name) {
        return Ok(InstData::Convert {
            op,
            ty: ty()?,
            arg: line.value()?,
            rounding: line.read("a rounding mode", Rounding::parse)?,
            saturate: line.eat_word("sat"),
        });
    }
    Ok(match name {
        "const" => constant(line, ty()?)?,
        "fma" => InstData::Fma { args: line.operands()? },
        "select" => {
            let [mask, a, b] = line.operands()?;
            InstData::Select { mask, args: [a, b] }
        }
        "icmp" => InstData::IntCompare {
            cc: IntCc::parse(suffix).ok_or_else(unknown)?,
            args: line.operands()?,
        },
        "fcmp" => InstData::FloatCompare {
            cc: FloatCc::parse(suffix).ok_or_else(unknown)?,
            args: line.operands()?,
        },
        "lane" => InstData::Lane {
            op: line.read("an operation on lanes", lane_op)?,
            ty: line.ty()?,
            args: match line.rest.starts_with('v') {
                true => line.values()?,
                false => ValueList::new(),
            },
        },
        "builtin" => {
            let builtin = line.read("a built-in variable", Builtin::parse)?;
            let dimension = match builtin.has_dimension() {
                true => line.number("a dimension")?,
                false => 0,
            };
            InstData::Builtin { builtin, dimension }
        }
        "slot_address" => InstData::SlotAddress {
            slot: line.entity("slot")?,
        },
        "global_address" => InstData::GlobalAddress {
            global: line.entity("global")?,
        },
        "load" => InstData::Load {
            ty: ty()?,
            mem: line.mem()?,
            address: line.address()?,
            mask: line.mask()?,
            passthru: match line.eat_word("or") {
                true => Some(line.value()?),
                false => None,
            },
        },
        "store" => {
            let value = line.value()?;
            line.token(",")?;
            InstData::Store {
                value,
                mem: line.mem()?,
                address: line.address()?,
                mask: line.mask()?,
            }
        }
        "load_interleaved" => InstData::LoadInterleaved {
            ty: ty()?,
            factor: line.number("a factor")?,
            mem: line.mem()?,
            address: line.address()?,
            mask: line.mask()?,
        },
        "store_interleaved" => {
            let mut values = ValueList::new();
            while line.rest.starts_with('v') {
                values.push(line.value()?);
                line.token(",")?;
            }
            InstData::StoreInterleaved {
                values,
                mem: line.mem()?,
                address: line.address()?,
                mask: line.mask()?,
            }
        }
        "copy" => {
            let to = line.value()?;
            let to_mem = line.mem()?;
            line.token(",")?;
            let from = line.value()?;
            let from_mem = line.mem()?;
            line.token(",")?;
            InstData::Copy {
                to,
                from,
                bytes: line.value()?,
                to_mem,
                from_mem,
            }
        }
        "atomic_load" => {
            let ty = ty()?;
            let (order, scope) = line.order_scope()?;
            InstData::AtomicLoad {
                ty,
                order,
                scope,
                mem: line.mem()?,
                address: line.plain_address()?,
                mask: line.mask()?,
            }
        }
        "atomic_store" => {
            let value = line.value()?;
            line.token(",")?;
            let (order, scope) = line.order_scope()?;
            InstData::AtomicStore {
                value,
                order,
                scope,
                mem: line.mem()?,
                address: line.plain_address()?,
                mask: line.mask()?,
            }
        }
        "atomic_rmw" => {
            let op = AtomicOp::parse(suffix).ok_or_else(unknown)?;
            let value = line.value()?;
            line.token(",")?;
            let (order, scope) = line.order_scope()?;
            InstData::AtomicRmw {
                op,
                value,
                order,
                scope,
                mem: line.mem()?,
                address: line.plain_address()?,
                mask: line.mask()?,
            }
        }
        "atomic_cas" => {
            let expected = line.value()?;
            line.token(",")?;
            let desired = line.value()?;
            line.token(",")?;
            let (order, scope) = line.order_scope()?;
            InstData::AtomicCas {
                expected,
                desired,
                order,
                scope,
                mem: line.mem()?,
                address: line.plain_address()?,
                mask: line.mask()?,
            }
        }
        "fence" => {
            let (order, scope) = line.order_scope()?;
            InstData::Fence { order, scope }
        }
        "barrier" => {
            let execution = line.read("a scope", Scope::parse)?;
            let (order, memory) = line.order_scope()?;
            InstData::Barrier { execution, order, memory }
        }
        "sub_group" => InstData::SubGroup {
            op: line.read("an operation across the sub-group", sub_group_op)?,
            args: match line.rest.starts_with('v') {
                true => line.values()?,
                false => ValueList::new(),
            },
        },
        "work_group" => InstData::WorkGroup {
            op: line.read("an operation across the work-group", work_group_op)?,
            args: line.values()?,
        },
        "call" => {
            let callee = line.entity("fn")?;
            let args = line.arguments()?;
            let results = match line.eat("->") {
                true => line.list(Line::ty)?,
                false => SmallVec::new(),
            };
            InstData::Call { callee, args, results }
        }
        "call_runtime" => InstData::CallRuntime {
            routine: line.read("a function of the driver", Runtime::parse)?,
            args: line.arguments()?,
        },
        "image" => InstData::Image {
            op: line.read("an access to an image", ImageOp::parse)?,
            args: line.arguments()?,
        },
        "jump" => InstData::Jump { target: line.target()? },
        "branch" => {
            let condition = line.value()?;
            line.token(",")?;
            let then = line.target()?;
            line.token(",")?;
            InstData::Branch {
                condition,
                targets: [then, line.target()?],
            }
        }
        "switch" => {
            let value = line.value()?;
            line.token(",")?;
            let mut cases = Vec::new();
            while !line.rest.starts_with("block") {
                let case = line.number("a case or a block")?;
                line.token(":")?;
                cases.push((case, line.target()?));
                line.token(",")?;
            }
            InstData::Switch {
                value,
                cases,
                default: line.target()?,
            }
        }
        "return" => InstData::Return {
            values: match line.rest.starts_with('v') {
                true => line.values()?,
                false => ValueList::new(),
            },
        },
        "trap" => InstData::Trap {
            reason: line.number("a reason")?,
        },
        "unreachable" => InstData::Unreachable,
        _ => return part(None),
    })
}

fn constant(line: &mut Line, ty: Type) -> Result<InstData> {
    let before = *line;
    let bits = match ty.elem {
        Elem::Mask => line.read("`true` or `false`", |word| match word {
            "true" => Some(1),
            "false" => Some(0),
            _ => None,
        })?,
        elem if elem.is_float() => line.read("the bits in hexadecimal, as in 0x3f800000", |word| {
            u64::from_str_radix(word.strip_prefix("0x")?, 16).ok()
        })?,
        elem => {
            let value = line.signed("an integer")?;
            let unused = 64 - elem.bits();
            if (value << unused) >> unused != value {
                return Err(before.expected(format_args!("a signed integer of {} bits", elem.bits())));
            }
            value as u64 & elem.bit_mask()
        }
    };
    match bits & !ty.elem.bit_mask() {
        0 => Ok(InstData::Const { ty, bits }),
        _ => Err(before.expected(format_args!("{} bits at most", ty.elem.bits()))),
    }
}

fn sub_group_op(word: &str) -> Option<SubGroupOp> {
    let (name, suffix) = word.split_once('.').unwrap_or((word, ""));
    let op = || ReduceOp::parse(suffix);
    Some(match name {
        "reduce" => SubGroupOp::Reduce(op()?),
        "inclusive_scan" => SubGroupOp::InclusiveScan(op()?),
        "exclusive_scan" => SubGroupOp::ExclusiveScan(op()?),
        "clustered_reduce" => {
            let (op, size) = suffix.split_once('.')?;
            SubGroupOp::ClusteredReduce(ReduceOp::parse(op)?, size.parse().ok()?)
        }
        _ => match word {
            "all" => SubGroupOp::All,
            "any" => SubGroupOp::Any,
            "all_equal" => SubGroupOp::AllEqual,
            "ballot" => SubGroupOp::Ballot,
            "elect" => SubGroupOp::Elect,
            "broadcast" => SubGroupOp::Broadcast,
            "broadcast_first" => SubGroupOp::BroadcastFirst,
            "shuffle" => SubGroupOp::Shuffle,
            _ => return None,
        },
    })
}

fn work_group_op(word: &str) -> Option<WorkGroupOp> {
    let (name, suffix) = word.split_once('.').unwrap_or((word, ""));
    let op = || ReduceOp::parse(suffix);
    Some(match name {
        "reduce" => WorkGroupOp::Reduce(op()?),
        "inclusive_scan" => WorkGroupOp::InclusiveScan(op()?),
        "exclusive_scan" => WorkGroupOp::ExclusiveScan(op()?),
        _ => match word {
            "all" => WorkGroupOp::All,
            "any" => WorkGroupOp::Any,
            "broadcast" => WorkGroupOp::Broadcast,
            "shuffle" => WorkGroupOp::Shuffle,
            _ => return None,
        },
    })
}

fn lane_op(word: &str) -> Option<LaneOp> {
    let (name, suffix) = word.split_once('.').unwrap_or((word, ""));
    let op = || ReduceOp::parse(suffix);
    let lane = || suffix.parse::<u16>().ok();
    Some(match name {
        "extract" => LaneOp::Extract(lane()?),
        "insert" => LaneOp::Insert(lane()?),
        "reduce" => LaneOp::Reduce(op()?),
        "inclusive_scan" => LaneOp::InclusiveScan(op()?),
        "exclusive_scan" => LaneOp::ExclusiveScan(op()?),
        _ => match word {
            "splat" => LaneOp::Splat,
            "iota" => LaneOp::Iota,
            "extract_dynamic" => LaneOp::ExtractDynamic,
            "permute" => LaneOp::Permute,
            "mask_bits" => LaneOp::MaskBits,
            "bits_mask" => LaneOp::BitsMask,
            "any_true" => LaneOp::AnyTrue,
            "all_true" => LaneOp::AllTrue,
            "compress" => LaneOp::Compress,
            "expand" => LaneOp::Expand,
            _ => return None,
        },
    })
}

#[cfg(test)]
mod tests;
