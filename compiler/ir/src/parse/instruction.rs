//! One instruction: the operation, what belongs to it, and its operands.

use super::Result;
use super::line::Line;
use crate::*;

pub(super) fn instruction(line: &mut Line) -> Result<InstData> {
    let before = *line;
    let word = line.word();
    let (name, suffix) = word.split_once('.').unwrap_or((word, ""));
    let unknown = || before.expected("an instruction");
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
        "dot" => InstData::Dot {
            op: DotOp::parse(suffix).ok_or_else(unknown)?,
            args: line.operands()?,
        },
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
            op: line.read("an operation on lanes", LaneOp::parse)?,
            ty: line.ty()?,
            args: line.values_if_any()?,
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
            op: line.read("an operation across the sub-group", SubGroupOp::parse)?,
            args: line.values_if_any()?,
        },
        "work_group" => InstData::WorkGroup {
            op: line.read("an operation across the work-group", WorkGroupOp::parse)?,
            args: line.values()?,
        },
        "call" => {
            let callee = line.entity("fn")?;
            let args = line.arguments()?;
            let results = match line.eat("->") {
                true => line.list(Line::ty)?,
                false => TypeList::new(),
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
                cases: cases.into(),
                default: line.target()?,
            }
        }
        "return" => InstData::Return {
            values: line.values_if_any()?,
        },
        "trap" => InstData::Trap {
            reason: line.number("a reason")?,
        },
        "unreachable" => InstData::Unreachable,
        _ => return Err(unknown()),
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
