//! Jumps, calls and traps.

use super::super::library::Evaluation;
use super::emit::{Emitter, signature};
use super::values::{Parts, Registers, canonical_bytes, canonical_types, scalar_type};
use cranelift_codegen::ir::{self as clif, AbiParam, ExtFuncData, ExternalName, InstBuilder, Signature, UserExternalName, types};
use cranelift_frontend::Switch;
use device::abi::{Trap, WorkerRecord};
use ir::{BlockCall, FuncRef, InstData, Runtime, Type, Value};

impl Emitter<'_> {
    /// Ends the current block.
    pub fn terminator(&mut self, data: &InstData) -> Result<(), String> {
        match data {
            InstData::Jump { target } => {
                let (block, args) = self.target(target);
                self.ins().jump(block, &args);
            }
            InstData::Branch {
                condition,
                targets: [then, otherwise],
            } => {
                let condition = self.scalar(*condition);
                let (then, then_args) = self.target(then);
                let (otherwise, otherwise_args) = self.target(otherwise);
                self.ins().brif(condition, then, &then_args, otherwise, &otherwise_args);
            }
            InstData::Switch { value, cases, default } => self.switch(*value, cases, default),
            InstData::Return { values } => {
                let values = self.arguments(values);
                self.ins().return_(&values);
            }
            InstData::Trap { reason } => self.trap(*reason),
            InstData::Unreachable => self.trap(Trap::Unreachable as u32),
            _ => return Err("can't be compiled".into()),
        }
        Ok(())
    }

    /// Values as they are passed to blocks and functions.
    fn arguments(&mut self, values: &[Value]) -> Vec<clif::Value> {
        let mut arguments = Vec::with_capacity(values.len());
        for &value in values {
            let ty = self.func.ty(value);
            let parts = match ty.elem {
                ir::Elem::Mask => self.get_mask(value, canonical_bytes(ty)),
                _ => self.get(value),
            };
            arguments.extend(parts.regs);
        }
        arguments
    }

    fn target(&mut self, call: &BlockCall) -> (clif::Block, Vec<clif::BlockArg>) {
        let arguments = self.arguments(&call.args);
        (self.block(call.block), arguments.into_iter().map(Into::into).collect())
    }

    fn switch(&mut self, value: Value, cases: &[(u64, BlockCall)], default: &BlockCall) {
        let mut switch = Switch::new();
        let mut on_the_way = Vec::new();
        // A case's jump takes no arguments: a block in between gives them.
        let mut block_for = |emitter: &mut Self, call: &BlockCall| {
            if call.args.is_empty() {
                return emitter.block(call.block);
            }
            let between = emitter.b.create_block();
            let target = emitter.target(call);
            on_the_way.push((between, target));
            between
        };
        for (case, call) in cases {
            let block = block_for(self, call);
            switch.set_entry(u128::from(*case), block);
        }
        let default = block_for(self, default);
        let value = self.scalar(value);
        switch.emit(&mut self.b, value, default);
        for (between, (target, arguments)) in on_the_way {
            self.b.switch_to_block(between);
            self.ins().jump(target, &arguments);
        }
    }

    /// Records the trap and leaves the function.
    fn trap(&mut self, reason: u32) {
        let offset = core::mem::offset_of!(WorkerRecord, trap) as i32;
        let flags = clif::MemFlagsData::trusted();
        let worker = self.worker;
        let reason = self.ins().iconst(types::I32, i64::from(reason));
        self.ins().store(flags, reason, worker, offset);
        if self.is_entry {
            self.ins().return_(&[reason]);
            return;
        }
        let mut zeros = Vec::new();
        for ty in self.func.results.clone() {
            for part in canonical_types(ty) {
                zeros.push(if part.is_vector() {
                    self.splat_bits(part, 0)
                } else {
                    self.scalar_bits(part, 0)
                });
            }
        }
        self.ins().return_(&zeros);
    }

    /// Calls a function of the program.
    pub fn call(&mut self, callee: FuncRef, args: &[Value]) -> Result<Vec<Parts>, String> {
        let position = self.program.positions[&callee];
        let function = self.program.functions[position as usize];
        let params = function.params().iter().map(|&param| function.ty(param));
        if !params.eq(args.iter().map(|&arg| self.func.ty(arg))) {
            return Err(format!("the arguments are not of the types that {} takes", function.name));
        }
        let reference = match self.callees.get(&callee) {
            Some(&reference) => reference,
            None => {
                let signature = self
                    .b
                    .import_signature(signature(function, false, self.target.isa.default_call_conv()));
                let name = self.b.func.declare_imported_user_function(UserExternalName::new(0, position));
                let reference = self.b.import_function(ExtFuncData {
                    name: ExternalName::user(name),
                    signature,
                    colocated: true,
                    patchable: false,
                });
                self.callees.insert(callee, reference);
                reference
            }
        };
        let mut arguments = self.arguments(args);
        arguments.push(self.worker);
        let call = self.ins().call(reference, &arguments);
        let mut returned = self.b.inst_results(call).to_vec().into_iter();
        Ok(function
            .results
            .iter()
            .map(|&ty| {
                let regs: Registers = returned.by_ref().take(canonical_types(ty).len()).collect();
                Parts::new(ty, canonical_bytes(ty), regs)
            })
            .collect())
    }

    /// Calls a function of the driver.
    pub fn call_runtime(&mut self, routine: Runtime, args: &[Value]) -> Result<Option<Parts>, String> {
        let address = routine.address() as u64;
        let (params, result) = routine.signature();
        if !params.iter().copied().eq(args.iter().map(|&arg| self.func.ty(arg))) {
            return Err(format!("the arguments are not of the types that {routine} takes"));
        }
        let arguments: Vec<clif::Value> = args.iter().map(|&arg| self.scalar(arg)).collect();
        let returned = self.call_address(address, &arguments, result.map(|ty| scalar_type(ty.elem)));
        Ok(result.zip(returned).map(|(ty, value): (Type, _)| Parts::scalar(ty, value)))
    }

    /// Calls a C function of the process.
    pub fn call_address(&mut self, address: u64, args: &[clif::Value], result: Option<clif::Type>) -> Option<clif::Value> {
        let types: Vec<clif::Type> = args.iter().map(|&arg| self.b.func.dfg.value_type(arg)).collect();
        let key = (types, result);
        let signature = match self.signatures.get(&key) {
            Some(&signature) => signature,
            None => {
                let mut made = Signature::new(self.target.isa.default_call_conv());
                made.params.extend(key.0.iter().copied().map(AbiParam::new));
                made.returns.extend(result.map(AbiParam::new));
                let signature = self.b.import_signature(made);
                self.signatures.insert(key, signature);
                signature
            }
        };
        let address = self.ins().iconst(types::I64, address as i64);
        let call = self.ins().call_indirect(signature, address, args);
        self.b.inst_results(call).first().copied()
    }

    /// Calls the meaning of an operation on one lane. Arguments and result are scalars of any type of up to 64 bits.
    pub fn evaluate(&mut self, evaluation: Evaluation, args: &[clif::Value], result: clif::Type) -> clif::Value {
        let mut arguments = vec![self.ins().iconst(types::I64, evaluation.code as i64)];
        for &arg in args {
            arguments.push(self.bits_of(arg));
        }
        let bits = self
            .call_address(evaluation.address, &arguments, Some(types::I64))
            .expect("the function returns bits");
        self.value_of(result, bits)
    }

    /// A scalar's bits as an `i64`.
    pub fn bits_of(&mut self, value: clif::Value) -> clif::Value {
        let value = match self.b.func.dfg.value_type(value) {
            types::F32 => self.cast(types::I32, value),
            types::F64 => self.cast(types::I64, value),
            _ => value,
        };
        match self.b.func.dfg.value_type(value) {
            types::I64 => value,
            _ => self.ins().uextend(types::I64, value),
        }
    }

    /// A scalar of these bits.
    pub fn value_of(&mut self, ty: clif::Type, bits: clif::Value) -> clif::Value {
        match ty {
            types::F32 => {
                let word = self.ins().ireduce(types::I32, bits);
                self.cast(types::F32, word)
            }
            types::F64 => self.cast(types::F64, bits),
            _ => self.narrow_int(ty, bits),
        }
    }
}
