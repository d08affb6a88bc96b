//! A function of the IR to a function of Cranelift, in one walk over its blocks.

use super::super::program::{Program, check_entry};
use super::target::Target;
use super::values::{Parts, Registers, canonical_bytes, canonical_types};
use cranelift_codegen::ir::{self as clif, AbiParam, InstBuilder, Signature, UserFuncName, types};
use cranelift_codegen::isa::CallConv;
use cranelift_entity::SecondaryMap;
use cranelift_entity::packed_option::PackedOption;
use cranelift_frontend::{FuncInstBuilder, FunctionBuilder, FunctionBuilderContext};
use ir::cfg::Cfg;
use ir::{self, Block, FuncRef, Global, Inst, InstData, Level, Slot, Type, Value};
use std::collections::HashMap;

/// What is known while a function is translated.
pub struct Emitter<'a> {
    /// Writes Cranelift's IR.
    pub b: FunctionBuilder<'a>,
    /// The function.
    pub func: &'a ir::Function,
    /// The machine.
    pub target: &'static Target,
    /// All functions of the kernel.
    pub program: &'a Program<'a>,
    /// Where variables are.
    pub global_address: &'a dyn Fn(Global) -> u64,
    /// The function is the kernel.
    pub is_entry: bool,
    /// Address of the worker's record.
    pub worker: clif::Value,
    /// Address of memory that lanes may touch which are switched off.
    pub scratch: clif::Value,
    values: SecondaryMap<Value, Option<Parts>>,
    /// Cranelift's block for each of ours.
    pub blocks: SecondaryMap<Block, Option<clif::Block>>,
    /// Functions called so far.
    pub callees: HashMap<FuncRef, clif::FuncRef>,
    /// Signatures of functions of the library, by how many floats and integers they take; see [`super::control`].
    pub signatures: HashMap<(Vec<clif::Type>, Option<clif::Type>), clif::SigRef>,
    /// A stack slot for lanes on their way through memory, and its size.
    pub buffer: Option<(clif::StackSlot, u32)>,
    /// Where the function's slots are, those that have been used.
    pub slots: SecondaryMap<Slot, PackedOption<clif::StackSlot>>,
    /// Masks in other widths than they are held in, within the current block.
    mask_widths: HashMap<(Value, u32), Parts>,
    /// The block for which each constant has been written last.
    constants: SecondaryMap<Value, PackedOption<Block>>,
}

impl<'a> Emitter<'a> {
    /// Translates `program.functions[position]` into `into`.
    pub fn function(
        into: &'a mut clif::Function,
        frontend: &'a mut FunctionBuilderContext,
        target: &'static Target,
        program: &'a Program<'a>,
        global_address: &'a dyn Fn(Global) -> u64,
        position: usize,
    ) -> Result<(), String> {
        let func = program.functions[position];
        if func.level != Level::WorkGroup || func.layout.is_empty() {
            return Err(format!("function {} is not at the work-group level", func.name));
        }
        let is_entry = position == 0;
        check_entry(func, is_entry)?;
        into.signature = signature(func, is_entry, target.isa.default_call_conv());
        into.name = UserFuncName::user(0, position as u32);
        let frontend_config = target.isa.frontend_config();
        let mut b = FunctionBuilder::new(into, frontend);
        let start = b.create_block();
        b.append_block_params_for_function_params(start);
        b.switch_to_block(start);
        let params = b.block_params(start).to_vec();
        let worker = if is_entry { params[1] } else { params[params.len() - 1] };
        let mut emitter = Emitter {
            b,
            func,
            target,
            program,
            global_address,
            is_entry,
            worker,
            scratch: worker,
            values: SecondaryMap::with_capacity(func.counts().2),
            blocks: SecondaryMap::with_capacity(func.counts().0),
            callees: HashMap::new(),
            signatures: HashMap::new(),
            buffer: None,
            slots: SecondaryMap::new(),
            mask_widths: HashMap::new(),
            constants: SecondaryMap::with_capacity(func.counts().2),
        };
        emitter.scratch = emitter.load_worker_field(types::I64, core::mem::offset_of!(device::abi::WorkerRecord, scratch));
        let cfg = Cfg::new(func);
        let cold = ir::cold::blocks(func, &cfg);
        for &block in &cfg.order {
            emitter.declare_block(block, cold[block]);
        }
        let entry = emitter.block(func.entry());
        let arguments: Vec<clif::BlockArg> = params[..params.len() - usize::from(!is_entry)]
            .iter()
            .map(|&param| param.into())
            .collect();
        emitter.ins().jump(entry, &arguments);
        for &block in &cfg.order {
            emitter.emit_block(block)?;
        }
        emitter.b.seal_all_blocks();
        emitter.b.finalize(frontend_config);
        Ok(())
    }

    /// Writes the next instruction.
    pub fn ins(&mut self) -> FuncInstBuilder<'_, 'a> {
        self.b.ins()
    }

    /// Cranelift's block for one of ours.
    pub fn block(&self, block: Block) -> clif::Block {
        self.blocks[block].expect("blocks that can be reached are declared")
    }

    /// A value of the IR.
    pub fn get(&self, value: Value) -> Parts {
        self.values[value]
            .clone()
            .expect("a value is defined before its uses, in an order of dominance")
    }

    /// A scalar of the IR.
    pub fn scalar(&self, value: Value) -> clif::Value {
        self.values[value]
            .as_ref()
            .expect("a value is defined before its uses, in an order of dominance")
            .regs[0]
    }

    /// A mask of the IR in lanes of `bytes` bytes.
    pub fn get_mask(&mut self, value: Value, bytes: u32) -> Parts {
        let mask = self.get(value);
        if !mask.ty.is_vector() || mask.bytes == bytes {
            return mask;
        }
        if let Some(bits) = self.func.constant(value) {
            let bits = 0u64.wrapping_sub(bits & 1);
            let part = self.splat_bits(super::values::int_part(bytes), bits);
            return Parts::new(mask.ty, bytes, vec![part; super::values::part_count(mask.ty.lanes, bytes)]);
        }
        if let Some(known) = self.mask_widths.get(&(value, bytes)) {
            return known.clone();
        }
        let converted = self.mask(&mask, bytes);
        self.mask_widths.insert((value, bytes), converted.clone());
        converted
    }

    /// Goes on in another block within the translation of one instruction.
    pub fn continue_in(&mut self, block: clif::Block) {
        self.b.switch_to_block(block);
        self.mask_widths.clear();
    }

    /// Defines a value of the IR.
    pub fn set(&mut self, value: Value, parts: Parts) {
        debug_assert_eq!(parts.ty, self.func.ty(value));
        debug_assert!(
            parts.regs.iter().all(|&reg| self.b.func.dfg.value_type(reg) == parts.clif_type()),
            "{parts:?}"
        );
        self.values[value] = Some(parts);
    }

    /// Loads a field of the worker's record.
    pub fn load_worker_field(&mut self, ty: clif::Type, offset: usize) -> clif::Value {
        let worker = self.worker;
        self.ins().load(
            ty,
            clif::MemFlagsData::trusted().with_readonly().with_can_move(),
            worker,
            offset as i32,
        )
    }

    fn declare_block(&mut self, block: Block, cold: bool) {
        let created = self.b.create_block();
        if cold {
            self.b.set_cold_block(created);
        }
        self.blocks[block] = Some(created);
        for index in 0..self.func.block(block).params.len() {
            let param = self.func.block(block).params[index];
            let ty = self.func.ty(param);
            let regs: Registers = canonical_types(ty)
                .into_iter()
                .map(|part| self.b.append_block_param(created, part))
                .collect();
            self.values[param] = Some(Parts::new(ty, canonical_bytes(ty), regs));
        }
    }

    fn emit_block(&mut self, block: Block) -> Result<(), String> {
        let created = self.block(block);
        self.continue_in(created);
        let func = self.func;
        for &inst in &func.block(block).insts {
            let data = &func.inst(inst).data;
            if matches!(data, InstData::Const { .. }) {
                continue;
            }
            data.for_each_operand(|&value| self.write_constant(value, block));
            // Cranelift merges and drops accesses, but none across a sequence point (which is no code).
            let volatile = is_volatile(data);
            if volatile {
                self.ins().sequence_point();
            }
            self.emit_inst(inst)
                .map_err(|error| format!("{}: {error}", func.display_inst(inst)))?;
            if volatile {
                self.ins().sequence_point();
            }
        }
        Ok(())
    }

    /// Writes an operand of an instruction in `block` that is a constant, if that block has not used it yet. A constant that lived from the entry to
    /// all its uses would take a register or a stack slot for so long, and Cranelift's allocators go through what is live at the start of each block.
    fn write_constant(&mut self, value: Value, block: Block) {
        if let Some(&InstData::Const { ty, bits }) = self.func.def_data(value)
            && self.constants[value].expand() != Some(block)
        {
            let parts = self.constant(ty, bits);
            self.set(value, parts);
            self.constants[value] = block.into();
        }
    }

    fn emit_inst(&mut self, inst: Inst) -> Result<(), String> {
        let node = self.func.inst(inst);
        if self.func.origins.is_some() {
            self.b.set_srcloc(clif::SourceLoc::new(self.func.place(inst).0));
        }
        let result = node.results.first().copied();
        let parts = match &node.data {
            InstData::Unary { op, arg } => self.unary(*op, *arg),
            InstData::Binary { op, args } => self.binary(*op, *args),
            InstData::Fma { args } => self.fma(*args),
            InstData::Dot { op, args } => self.dot(*op, *args),
            InstData::Select { mask, args } => self.select(*mask, *args),
            InstData::IntCompare { cc, args } => self.int_compare(*cc, *args),
            InstData::FloatCompare { cc, args } => self.float_compare(*cc, *args),
            InstData::Convert {
                op,
                ty,
                arg,
                rounding,
                saturate,
            } => self.convert(*op, *ty, *arg, *rounding, *saturate),
            InstData::Lane { op, ty, args } => self.lane_op(*op, *ty, args)?,
            &InstData::SlotAddress { slot } => {
                let place = self.slot(slot);
                Parts::scalar(Type::I64, self.ins().stack_addr(types::I64, place, 0))
            }
            InstData::GlobalAddress { global } => {
                let address = (self.global_address)(*global);
                let address = self.ins().iconst(types::I64, address as i64);
                Parts::scalar(Type::I64, address)
            }
            InstData::Load {
                ty,
                address,
                mask,
                passthru,
                mem,
            } => self.load(*ty, address, *mask, *passthru, mem),
            InstData::AtomicLoad {
                ty, address, mask, mem, ..
            } => self.atomic_load(*ty, *address, *mask, mem),
            InstData::AtomicRmw {
                op,
                value,
                address,
                mask,
                mem,
                ..
            } => self.atomic_rmw(*op, *value, *address, *mask, mem),
            InstData::AtomicCas {
                expected,
                desired,
                address,
                mask,
                mem,
                ..
            } => self.atomic_cas([*expected, *desired], *address, *mask, mem),
            InstData::LoadInterleaved {
                ty, address, mask, mem, ..
            } => {
                let loaded = self.load_interleaved(*ty, node.results.len(), address, *mask, mem);
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
            InstData::Builtin { .. } | InstData::Barrier { .. } | InstData::SubGroup { .. } | InstData::WorkGroup { .. } => {
                return Err("is not an instruction of the work-group level".into());
            }
            _ => return self.emit_effect(&node.data),
        };
        match result {
            Some(result) => self.set(result, parts),
            None => debug_assert!(false, "an instruction without a result"),
        }
        Ok(())
    }

    /// Instructions without results.
    fn emit_effect(&mut self, data: &InstData) -> Result<(), String> {
        match data {
            InstData::Store { value, address, mask, mem } => self.store(*value, address, *mask, mem),
            InstData::StoreInterleaved {
                values,
                address,
                mask,
                mem,
            } => self.store_interleaved(values, address, *mask, mem),
            InstData::Copy {
                to,
                from,
                bytes,
                to_mem,
                from_mem,
            } => self.copy(*to, *from, *bytes, to_mem, from_mem),
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

fn is_volatile(data: &InstData) -> bool {
    let volatile = |mem: &ir::MemInfo| mem.flags.contains(ir::MemFlags::VOLATILE);
    match data {
        InstData::Load { mem, .. }
        | InstData::Store { mem, .. }
        | InstData::LoadInterleaved { mem, .. }
        | InstData::StoreInterleaved { mem, .. } => volatile(mem),
        InstData::Copy { to_mem, from_mem, .. } => volatile(to_mem) || volatile(from_mem),
        _ => false,
    }
}

/// The signature of a function: as [`device::abi::KernelEntry`] for the kernel; any other takes its parameters part by part, then the worker's record.
pub fn signature(func: &ir::Function, is_entry: bool, convention: CallConv) -> Signature {
    let mut signature = Signature::new(convention);
    for &param in func.params() {
        signature
            .params
            .extend(canonical_types(func.ty(param)).into_iter().map(AbiParam::new));
    }
    for &ty in &func.results {
        signature.returns.extend(canonical_types(ty).into_iter().map(AbiParam::new));
    }
    if !is_entry {
        signature.params.push(AbiParam::new(types::I64));
    }
    signature
}

#[cfg(test)]
mod tests {
    use super::super::target::{self, Effort};
    use super::*;
    use crate::CodeRequest;
    use ir::{Address, Builder, Elem, MemInfo, Space};

    /// As many constants as there are blocks must not be live in all of them.
    #[test]
    fn constants_are_written_where_they_are_used() {
        const BLOCKS: u64 = 20;
        let mut function = ir::Function::new("test", Level::WorkGroup, &[Type::I32]);
        let entry = function.add_block();
        let params = [(); 6].map(|()| function.add_param(entry, Type::I64));
        let mut b = Builder::new(&mut function, entry);
        let ty = Type::vector(Elem::I32, 4);
        let constants: Vec<Value> = (0..BLOCKS).map(|number| b.constant(ty, number)).collect();
        for &constant in &constants {
            let next = b.add_block(&[]);
            b.jump(next, &[]);
            b.block = next;
            b.store(constant, Address::base(params[2]), MemInfo::new(Space::Global, 4));
            b.store(constant, Address::base(params[3]), MemInfo::new(Space::Global, 4));
        }
        let zero = b.i32(0);
        b.ret(&[zero]);
        let request = CodeRequest {
            name: "test",
            entry: &function,
            callees: &|_| None,
            global_address: &|_| 0,
            places: &[],
            arguments: &[],
            optimize: false,
        };
        let program = Program::reach(&request).unwrap();
        let (mut into, mut frontend) = (clif::Function::new(), FunctionBuilderContext::new());
        let target = target::host(Effort::Quick).unwrap();
        Emitter::function(&mut into, &mut frontend, target, &program, &|_| 0, 0).unwrap();
        let is_constant = |inst: &clif::Inst| into.dfg.insts[*inst].opcode() == clif::Opcode::Vconst;
        let counts = into
            .layout
            .blocks()
            .map(|block| into.layout.block_insts(block).filter(is_constant).count());
        let counts: Vec<usize> = counts.collect();
        assert_eq!(counts.iter().sum::<usize>(), constants.len(), "{into}");
        assert!(counts.iter().all(|&count| count <= 1), "{counts:?}");
    }
}
