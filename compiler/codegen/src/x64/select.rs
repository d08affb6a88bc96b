//! Instruction selection: a function of the IR to machine code with virtual registers, in one walk over its blocks.

use super::machine::{Kind, gpr};
use super::parts::{Parts, Registers};
use super::selector::Selector;
use super::target::Target;
use super::upper_halves::UpperHalves;
use super::vcode::VCode;
use crate::program::{Program, check_entry};
use ir::cfg::Cfg;
use ir::{BinaryOp, Block, Elem, Global, Inst, InstData, Level, Type, UnaryOp};
use regalloc2::{Operand, PRegSet, VReg};

/// Of the machine for one of the IR, about.
const INSTRUCTIONS: usize = 2;

/// Translates `program.functions[position]`.
pub fn select<'a>(
    target: Target,
    program: &'a Program<'a>,
    global_address: &'a dyn Fn(Global) -> u64,
    position: usize,
) -> Result<VCode, String> {
    let func = program.functions[position];
    if func.level != Level::WorkGroup || func.layout.is_empty() {
        return Err(format!("function {} is not at the work-group level", func.name));
    }
    let is_entry = position == 0;
    check_entry(func, is_entry)?;
    let mut c = VCode::new(target);
    c.reserve(INSTRUCTIONS * func.inst_count());
    let (slots, slots_bytes) = super::memory::lay_out_slots(func, target.vector_bytes());
    c.buffer_bytes = slots_bytes;
    let start = c.block();
    c.start(start);
    let numbers: &[usize] = if is_entry { &[7, 6, 2, 1, 8, 9] } else { &[7] };
    let arguments: Vec<VReg> = numbers.iter().map(|_| c.int()).collect();
    let defs: Vec<Operand> = arguments
        .iter()
        .zip(numbers)
        .map(|(&reg, &number)| Operand::reg_fixed_def(reg, gpr(number)))
        .collect();
    c.special(Kind::Start, &defs, PRegSet::empty());
    let worker = arguments[usize::from(is_entry)];
    let mut selector = Selector::new(c, program, func, worker, global_address);
    selector.slots = slots;
    selector.slots_bytes = slots_bytes;
    selector.is_entry = is_entry;
    selector.streams = is_entry && super::stream::may_stream(func);
    let cfg = Cfg::new(func);
    selector.upper_halves = UpperHalves::find(func, &cfg);
    selector.find_kept_lanes(&cfg);
    let cold = ir::cold::blocks(func, &cfg);
    for &block in &cfg.order {
        selector.declare_block(block, cold[block]);
    }
    let arguments = if is_entry { arguments } else { selector.incoming_arguments() };
    let entry = selector.block(func.entry());
    selector.c.jump(entry, &arguments);
    for &block in &cfg.order {
        selector.emit_block(block)?;
    }
    Ok(selector.c)
}

impl Selector<'_> {
    fn declare_block(&mut self, block: Block, cold: bool) {
        let created = self.c.block();
        if cold {
            self.c.set_cold(created);
        }
        self.blocks[block] = Some(created);
        for &param in &self.func.block(block).params {
            let ty = self.func.ty(param);
            let target = self.c.target;
            let regs: Registers = (0..target.canonical_count(ty))
                .map(|_| self.c.param(created, target.class_of(ty)))
                .collect();
            self.set(param, Parts::new(ty, target.canonical_bytes(ty), regs));
        }
    }

    fn emit_block(&mut self, block: Block) -> Result<(), String> {
        let created = self.block(block);
        self.continue_in(created);
        let func = self.func;
        let insts = &func.block(block).insts;
        self.begin_uses(block);
        self.find_folds(insts);
        self.find_records(insts);
        self.find_updates(insts);
        for &inst in insts {
            self.emit_inst(inst)
                .map_err(|error| format!("{}: {error}", func.display_inst(inst)))?;
        }
        Ok(())
    }

    fn emit_inst(&mut self, inst: Inst) -> Result<(), String> {
        let func = self.func;
        self.c.place = func.place(inst);
        self.count_uses(inst);
        let node = func.inst(inst);
        let result = node.results.first().copied();
        if let Some(result) = result
            && (self.is_made_at_use(result).is_some()
                || self.is_iota(result)
                || self.is_compared_at_use(result)
                || self.passed_over.contains(&result))
        {
            return Ok(());
        }
        let ternary = result.and_then(|result| self.ternaries.get(&result).copied());
        let parts = match &node.data {
            _ if let Some(ternary) = ternary => self.emit_ternary(ternary),
            data if let Some(parts) = self.word_lanes(data) => parts,
            _ if let Some(part) = result.and_then(|result| self.part_of_product(result)) => part,
            InstData::Unary { op: UnaryOp::Sqrt, arg } if self.has_estimates(func.ty(*arg), node.flags) => {
                self.estimated_root(*arg, node.flags)
            }
            InstData::Unary { op, arg } => self.unary(*op, *arg),
            InstData::Binary { op: BinaryOp::FDiv, args } if result.is_some_and(|result| self.root_quotients.contains(&result)) => {
                self.root_quotient(*args)
            }
            InstData::Binary { op: BinaryOp::FDiv, args }
                if self.has_estimates(func.ty(args[0]), node.flags)
                    || self.is_inverse_root(*args)
                    || self.is_rough_inverse(*args, node.flags) =>
            {
                self.estimated_quotient(*args, node.flags)
            }
            InstData::Binary { op, args } => self.binary(*op, *args),
            InstData::Fma { args } => self.fma(*args),
            InstData::Dot { op, args } => self.dot(*op, *args),
            InstData::Select { mask, args } => self.select(*mask, *args),
            InstData::IntCompare { cc, args } if result.is_some_and(|result| self.inverted.contains(&result)) => {
                self.int_compare(cc.inverted(), *args)
            }
            InstData::IntCompare { cc, args } => self.int_compare(*cc, *args),
            InstData::FloatCompare { cc, args } => self.float_compare(*cc, *args),
            InstData::Convert {
                op,
                ty,
                arg,
                rounding,
                saturate,
            } => self.convert(*op, *ty, *arg, *rounding, *saturate),
            InstData::Lane { args, .. } if result.is_some_and(|result| self.is_folded(result)) => {
                if let (Some(result), Some(&mem)) = (result, self.folded_loads.get(&args[0])) {
                    self.folded_loads.insert(result, mem);
                }
                return Ok(());
            }
            InstData::Lane { op, ty, args } => self.lane_op(*op, *ty, args)?,
            InstData::GlobalAddress { global } => {
                let address = (self.global_address)(*global);
                let address = self.c.address(address);
                Parts::scalar(Type::I64, address)
            }
            InstData::Load {
                ty,
                address,
                mask,
                passthru,
                mem,
            } => {
                self.keep_places(&node.results, address);
                if let Some(result) = result
                    && self.is_folded(result)
                {
                    let place = self.amode(address);
                    self.folded_loads.insert(result, place);
                    return Ok(());
                }
                if let Some(result) = result
                    && self.load_record(result)
                {
                    return Ok(());
                }
                self.load(*ty, address, *mask, *passthru, mem)
            }
            InstData::AtomicLoad { ty, address, mask, .. } => self.atomic_load(*ty, *address, *mask),
            InstData::AtomicRmw {
                op,
                value,
                address,
                mask,
                mem,
                ..
            } => {
                let used = result.is_some_and(|result| self.uses[result] > 0);
                self.atomic_rmw(*op, *value, *address, *mask, mem, used)
            }
            InstData::AtomicCas {
                expected,
                desired,
                address,
                mask,
                mem,
                ..
            } => self.atomic_cas([*expected, *desired], *address, *mask, mem),
            InstData::LoadInterleaved { ty, address, mask, .. } => {
                self.keep_places(&node.results, address);
                let loaded = self.load_interleaved(*ty, node.results.len(), address, *mask);
                for (&result, parts) in node.results.iter().zip(loaded) {
                    self.set(result, parts);
                }
                return Ok(());
            }
            InstData::Call { callee, args, .. } => {
                let returned = self.call(*callee, args)?;
                for (&result, parts) in node.results.iter().zip(returned) {
                    self.set(result, parts);
                }
                return Ok(());
            }
            InstData::CallRuntime { routine, args } => match self.call_runtime(*routine, args)? {
                Some(parts) => parts,
                None => return Ok(()),
            },
            InstData::Const { .. } | InstData::SlotAddress { .. } => return Ok(()),
            InstData::Builtin { .. }
            | InstData::Barrier { .. }
            | InstData::Image { .. }
            | InstData::SubGroup { .. }
            | InstData::WorkGroup { .. } => return Err("is not an instruction of the work-group level".into()),
            InstData::Store { .. } if self.store_record(inst) || self.update_in_place(inst) => return Ok(()),
            _ => return self.emit_effect(&node.data),
        };
        if let Some(result) = result {
            let parts = match self.upper_halves.cleared.contains(&result) {
                true => Parts::scalar(parts.ty, self.extended_to_64(Elem::I32, false, parts.regs[0])),
                false => parts,
            };
            self.set(result, parts);
        }
        Ok(())
    }

    /// Instructions without results.
    fn emit_effect(&mut self, data: &InstData) -> Result<(), String> {
        match data {
            InstData::Store { value, address, mask, mem } => self.store(*value, address, *mask, mem),
            InstData::StoreInterleaved { values, address, mask, .. } => self.store_interleaved(values, address, *mask),
            InstData::Copy { to, from, bytes, .. } => self.copy(*to, *from, *bytes),
            InstData::AtomicStore {
                value,
                address,
                mask,
                mem,
                order,
                ..
            } => self.atomic_store(*value, *address, *mask, mem, *order),
            InstData::Fence { order, scope } => self.fence(*order, *scope),
            terminator => return self.terminator(terminator),
        }
        Ok(())
    }
}
