//! The text form of the IR. `parse` reads it back.
//!
//! ```text
//! function workitem @scale -> f32 {
//!   slot0: 16 align 4
//! block0(v0: i64, v1: f32):
//!   v2 = builtin global_id 0
//!   v3 = load.f32 global align 4 [v0 + v2 * 4]
//!   v4 = fmul v3, v1 !contract
//!   store v4, global align 4 [v0 + v2 * 4]
//!   return v4
//! }
//! ```

use super::*;
use core::fmt::{self, Display, Formatter};

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let level = match self.level {
            Level::WorkItem => "workitem",
            Level::Gang => "gang",
            Level::WorkGroup => "workgroup",
        };
        write!(f, "function {level} @{}", self.name)?;
        if !self.results.is_empty() {
            write!(f, " -> {}", Separated(&self.results))?;
        }
        writeln!(f, " {{")?;
        for (slot, data) in self.slots.iter() {
            writeln!(f, "  {slot}: {} align {}", data.size, data.align)?;
        }
        for &block in &self.layout {
            write!(f, "{block}{}", if self.block(block).cold { " cold" } else { "" })?;
            let params = &self.block(block).params;
            if !params.is_empty() {
                write!(f, "(")?;
                for (n, &param) in params.iter().enumerate() {
                    write!(f, "{}{param}: {}", if n > 0 { ", " } else { "" }, self.ty(param))?;
                }
                write!(f, ")")?;
            }
            writeln!(f, ":")?;
            for &inst in &self.block(block).insts {
                writeln!(f, "  {}", self.display_inst(inst))?;
            }
        }
        writeln!(f, "}}")
    }
}

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (global, data) in self.globals.iter() {
            let constant = if data.constant { "constant " } else { "" };
            write!(f, "{global} = {constant}@{} align {} [", data.name, data.align)?;
            for byte in &data.bytes {
                write!(f, "{byte:02x}")?;
            }
            write!(f, "]")?;
            for (offset, target, addend) in &data.relocations {
                write!(f, " {offset}: {target} + {addend}")?;
            }
            writeln!(f)?;
        }
        for (reference, function) in self.functions.iter() {
            write!(f, "\n{reference} = {function}")?;
        }
        Ok(())
    }
}

impl Function {
    /// One instruction in the text form.
    pub fn display_inst(&self, inst: Inst) -> impl Display + '_ {
        DisplayInst { func: self, inst }
    }
}

struct Separated<'a, T>(&'a [T]);

impl<T: Display> Display for Separated<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (n, item) in self.0.iter().enumerate() {
            write!(f, "{}{item}", if n > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}

impl Display for Address {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "[{}", self.base)?;
        if let Some(index) = self.index {
            write!(f, " + {index} * {}", self.scale)?;
        }
        match self.offset {
            0 => {}
            offset if offset < 0 => write!(f, " - {}", offset.unsigned_abs())?,
            offset => write!(f, " + {offset}")?,
        }
        write!(f, "]")
    }
}

impl Display for MemInfo {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} align {}", self.space, self.align)?;
        for (flag, name) in MEM_FLAG_NAMES {
            if self.flags.contains(*flag) {
                write!(f, " {name}")?;
            }
        }
        if self.alias != 0 {
            write!(f, " alias {}", self.alias)?;
        }
        Ok(())
    }
}

/// Names of the memory flags in the text form.
pub const MEM_FLAG_NAMES: &[(MemFlags, &str)] = &[
    (MemFlags::VOLATILE, "volatile"),
    (MemFlags::NONTEMPORAL, "nontemporal"),
    (MemFlags::INVARIANT, "invariant"),
    (MemFlags::DEREFERENCEABLE, "dereferenceable"),
    (MemFlags::AHEAD, "ahead"),
    (MemFlags::OWNED, "owned"),
    (MemFlags::ONCE, "once"),
];

impl Display for BlockCall {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.block)?;
        if !self.args.is_empty() {
            write!(f, "({})", Separated(&self.args))?;
        }
        Ok(())
    }
}

struct DisplayInst<'a> {
    func: &'a Function,
    inst: Inst,
}

impl Display for DisplayInst<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let node = self.func.inst(self.inst);
        if !node.results.is_empty() {
            write!(f, "{} = ", Separated(&node.results))?;
        }
        write_data(f, &node.data)?;
        if !node.flags.is_empty() {
            write!(f, " !")?;
            let names = Flags::NAMES
                .iter()
                .filter(|(flag, _)| node.flags.contains(*flag))
                .map(|(_, name)| *name);
            for (n, name) in names.enumerate() {
                write!(f, "{}{name}", if n > 0 { "," } else { "" })?;
            }
        }
        Ok(())
    }
}

fn write_mask(f: &mut Formatter<'_>, mask: Option<Value>) -> fmt::Result {
    mask.map_or(Ok(()), |mask| write!(f, " mask {mask}"))
}

fn write_data(f: &mut Formatter<'_>, data: &InstData) -> fmt::Result {
    match data {
        InstData::Const { ty, bits } => match ty.elem {
            Elem::Mask => write!(f, "const.{ty} {}", if *bits != 0 { "true" } else { "false" }),
            elem if elem.is_float() => write!(f, "const.{ty} {bits:#x}"),
            elem => {
                let unused = 64 - elem.bits();
                write!(f, "const.{ty} {}", ((bits << unused) as i64) >> unused)
            }
        },
        InstData::Unary { op, arg } => write!(f, "{op} {arg}"),
        InstData::Binary { op, args } => write!(f, "{op} {}", Separated(args)),
        InstData::Fma { args } => write!(f, "fma {}", Separated(args)),
        InstData::Dot { op, args } => write!(f, "dot.{op} {}", Separated(args)),
        InstData::Select { mask, args } => write!(f, "select {mask}, {}", Separated(args)),
        InstData::IntCompare { cc, args } => write!(f, "icmp.{cc} {}", Separated(args)),
        InstData::FloatCompare { cc, args } => write!(f, "fcmp.{cc} {}", Separated(args)),
        InstData::Convert {
            op,
            ty,
            arg,
            rounding,
            saturate,
        } => {
            write!(f, "{op}.{ty} {arg} {rounding}{}", if *saturate { " sat" } else { "" })
        }
        InstData::Lane { op, ty, args } => {
            write!(f, "lane {op} {ty}")?;
            if args.is_empty() {
                Ok(())
            } else {
                write!(f, " {}", Separated(args))
            }
        }
        InstData::Builtin { builtin, dimension } if builtin.has_dimension() => write!(f, "builtin {builtin} {dimension}"),
        InstData::Builtin { builtin, .. } => write!(f, "builtin {builtin}"),
        InstData::SlotAddress { slot } => write!(f, "slot_address {slot}"),
        InstData::GlobalAddress { global } => write!(f, "global_address {global}"),
        InstData::Load {
            ty,
            address,
            mask,
            passthru,
            mem,
        } => {
            write!(f, "load.{ty} {mem} {address}")?;
            write_mask(f, *mask)?;
            passthru.map_or(Ok(()), |passthru| write!(f, " or {passthru}"))
        }
        InstData::Store { value, address, mask, mem } => {
            write!(f, "store {value}, {mem} {address}")?;
            write_mask(f, *mask)
        }
        InstData::LoadInterleaved {
            ty,
            factor,
            address,
            mask,
            mem,
        } => {
            write!(f, "load_interleaved.{ty} {factor} {mem} {address}")?;
            write_mask(f, *mask)
        }
        InstData::StoreInterleaved {
            values,
            address,
            mask,
            mem,
        } => {
            write!(f, "store_interleaved {}, {mem} {address}", Separated(values))?;
            write_mask(f, *mask)
        }
        InstData::Copy {
            to,
            from,
            bytes,
            to_mem,
            from_mem,
        } => write!(f, "copy {to} {to_mem}, {from} {from_mem}, {bytes}"),
        InstData::AtomicLoad {
            ty,
            address,
            mask,
            mem,
            order,
            scope,
        } => {
            write!(f, "atomic_load.{ty} {order} {scope} {mem} [{address}]")?;
            write_mask(f, *mask)
        }
        InstData::AtomicStore {
            value,
            address,
            mask,
            mem,
            order,
            scope,
        } => {
            write!(f, "atomic_store {value}, {order} {scope} {mem} [{address}]")?;
            write_mask(f, *mask)
        }
        InstData::AtomicRmw {
            op,
            value,
            address,
            mask,
            mem,
            order,
            scope,
        } => {
            write!(f, "atomic_rmw.{op} {value}, {order} {scope} {mem} [{address}]")?;
            write_mask(f, *mask)
        }
        InstData::AtomicCas {
            expected,
            desired,
            address,
            mask,
            mem,
            order,
            scope,
        } => {
            write!(f, "atomic_cas {expected}, {desired}, {order} {scope} {mem} [{address}]")?;
            write_mask(f, *mask)
        }
        InstData::Fence { order, scope } => write!(f, "fence {order} {scope}"),
        InstData::Barrier { execution, order, memory } => write!(f, "barrier {execution} {order} {memory}"),
        InstData::SubGroup { op, args } => write!(f, "sub_group {op} {}", Separated(args)),
        InstData::WorkGroup { op, args } => write!(f, "work_group {op} {}", Separated(args)),
        InstData::Call { callee, args, results } => {
            write!(f, "call {callee}({})", Separated(args))?;
            if results.is_empty() {
                Ok(())
            } else {
                write!(f, " -> {}", Separated(results))
            }
        }
        InstData::CallRuntime { routine, args } => write!(f, "call_runtime {routine}({})", Separated(args)),
        InstData::Image { op, args } => write!(f, "image {op}({})", Separated(args)),
        InstData::Jump { target } => write!(f, "jump {target}"),
        InstData::Branch {
            condition,
            targets: [then, otherwise],
        } => write!(f, "branch {condition}, {then}, {otherwise}"),
        InstData::Switch { value, cases, default } => {
            write!(f, "switch {value}, ")?;
            for (case, target) in cases {
                write!(f, "{case}: {target}, ")?;
            }
            write!(f, "{default}")
        }
        InstData::Return { values } if values.is_empty() => write!(f, "return"),
        InstData::Return { values } => write!(f, "return {}", Separated(values)),
        InstData::Trap { reason } => write!(f, "trap {reason}"),
        InstData::Unreachable => write!(f, "unreachable"),
    }
}
