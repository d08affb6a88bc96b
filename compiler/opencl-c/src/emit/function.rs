//! Functions and their blocks.

use super::Emitter;
use super::module::{Id, push};
use super::{Reached, purity};
use crate::hir::{Body, FunctionId, Inline, LabelId, LocalId};
use crate::types::{AddressSpace, Scalar, TypeId};
use rspirv::spirv::{Decoration, FunctionControl, Op, StorageClass};
use rustc_hash::FxHashMap;

/// A basic block, once it has ended.
struct Block {
    label: Id,
    /// Its instructions in [`Func::words`], after the label.
    start: usize,
    end: usize,
    successors: Vec<Id>,
}

/// Where a local variable's value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// In memory: a pointer to it.
    Memory(Id),
    /// A value that never changes.
    Value(Id),
    /// It will be a value, once it is initialized.
    Unset,
}

/// What `break` and `continue` lead to.
#[derive(Clone, Copy)]
pub struct Exits {
    pub on_break: Id,
    pub on_continue: Option<Id>,
}

/// An update that is being computed: what [`crate::hir::ExprKind::UpdateOld`] and `UpdateOperand` stand for.
#[derive(Clone, Copy)]
pub struct UpdateFrame {
    pub old: Id,
    pub operand: Operand,
}

#[derive(Clone, Copy)]
pub enum Operand {
    None,
    Value(Id),
    /// A product that may be contracted with a sum: its factors.
    Product(Id, Id),
}

/// The function that is being emitted.
pub struct Func<'e, 'a> {
    pub e: &'e mut Emitter<'a>,
    pub body: &'a Body,
    pub words: Vec<u32>,
    /// What is said of instructions, each with the number of words before it.
    decorations: Vec<(usize, Id, Decoration, Option<u32>)>,
    variables: Vec<u32>,
    blocks: Vec<Block>,
    /// The block that is open: its label, and where it starts.
    current: Option<(Id, usize)>,
    pub homes: Vec<Home>,
    pub exits: Vec<Exits>,
    pub cases: Vec<Vec<Id>>,
    pub defaults: Vec<Id>,
    labels: FxHashMap<LabelId, Id>,
    pub updates: Vec<UpdateFrame>,
    pub reached: Reached,
    pub facts: purity::Facts,
    pub result: TypeId,
    /// The last line that OpLine told of.
    line: (Id, u32, u32),
}

impl<'a> Emitter<'a> {
    /// Emits a function, as an entry point or not.
    pub fn define(&mut self, id: FunctionId, entry_point: bool) {
        let program = self.program;
        let function = program.function(id);
        let Some(body) = &function.body else { return };
        let result = match entry_point {
            true => self.module.id(),
            false => self.functions.get(&id).copied().unwrap_or_else(|| self.module.id()),
        };
        if entry_point {
            self.module.name(result, self.session.name(function.name));
        } else {
            self.export(id, result);
        }
        let return_type = self.ty(function.result.id);
        let params: Vec<Id> = function.params.iter().map(|param| self.ty(param.ty.id)).collect();
        let ty = self.module.function_type(return_type, &params);
        let control = match function.attributes.inline {
            Inline::Always | Inline::Hint => FunctionControl::INLINE,
            Inline::Never => FunctionControl::DONT_INLINE,
            Inline::Default => FunctionControl::NONE,
        };
        let mut control = control.bits();
        if function.attributes.is_const {
            control |= FunctionControl::CONST.bits();
        } else if function.attributes.is_pure {
            control |= FunctionControl::PURE.bits();
        }
        let mut head = Vec::new();
        push(&mut head, Op::Function, &[return_type, result, control, ty]);
        let mut func = self.open(body, function.result.id);
        let entry = func.here();
        for (index, param) in function.params.iter().enumerate() {
            let id = func.e.module.id();
            push(&mut head, Op::FunctionParameter, &[params[index], id]);
            func.e.describe_parameter(id, param, entry_point);
            let captures = function.captures.as_deref().unwrap_or_default();
            let declared = function.params.len() - captures.len();
            let local = match index.checked_sub(declared) {
                Some(capture) => captures[capture],
                None => LocalId(index as u32),
            };
            let home = local.0 as usize;
            if func.facts.is_value(local) {
                func.homes[home] = Home::Value(id);
            } else {
                let own = func.variable(local);
                func.homes[home] = Home::Memory(own);
                let align = body.local(local).align;
                func.store_memory(own, id, param.ty.id, align, false);
            }
        }
        if let Some(root) = body.root {
            func.statement(root);
        }
        if func.is_open() {
            match func.result {
                TypeId::VOID => func.end(Op::Return, &[], &[]),
                // There is no value, which is no fault as long as the caller does not ask for it (C99, 6.9.1, paragraph 12).
                result => {
                    let value = func.undefined(result);
                    func.end(Op::ReturnValue, &[value], &[]);
                }
            }
        }
        let reached = func.close(head, entry);
        match entry_point {
            true => self.kernels.push((id, result, reached)),
            false => {
                self.reached.insert(id, reached);
            }
        }
    }

    /// Begins a function with a body's variables, and its first block.
    fn open<'f>(&'f mut self, body: &'a Body, result: TypeId) -> Func<'f, 'a> {
        let facts = purity::facts(body, &self.program.types, self.session.options.keep_variables);
        let entry = self.module.id();
        let mut func = Func {
            e: self,
            body,
            words: Vec::new(),
            decorations: Vec::new(),
            variables: Vec::new(),
            blocks: Vec::new(),
            current: None,
            homes: vec![Home::Unset; body.locals.len()],
            exits: Vec::new(),
            cases: Vec::new(),
            defaults: Vec::new(),
            labels: FxHashMap::default(),
            updates: Vec::new(),
            reached: Reached::default(),
            facts,
            result,
            line: (0, 0, 0),
        };
        func.begin(entry);
        func
    }

    /// The function that an enqueued block is run by: it takes the address of what the block captures, and the block's own parameters.
    pub fn invoke(&mut self, block: FunctionId) -> Id {
        if let Some(&known) = self.invokes.get(&block) {
            return known;
        }
        let function = self.program.function(block);
        let result = self.module.id();
        self.invokes.insert(block, result);
        let Some(body) = &function.body else { return result };
        self.module.name(result, &format!("{}_kernel", self.session.name(function.name)));
        let captures = function.captures.as_deref().unwrap_or_default().len();
        let (declared, captured) = function.params.split_at(function.params.len() - captures);
        let byte = self.module.int(8);
        let mut params = vec![self.module.pointer(StorageClass::Generic, byte)];
        params.extend(declared.iter().map(|param| self.ty(param.ty.id)));
        let void = self.module.void();
        let ty = self.module.function_type(void, &params);
        let mut head = Vec::new();
        push(&mut head, Op::Function, &[void, result, 0, ty]);
        let mut func = self.open(body, TypeId::VOID);
        let entry = func.here();
        let mut given = Vec::new();
        for &ty in &params {
            let id = func.id();
            push(&mut head, Op::FunctionParameter, &[ty, id]);
            given.push(id);
        }
        let types: Vec<TypeId> = captured.iter().map(|param| param.ty.id).collect();
        let record = func.e.captured(&types);
        let mut operands = vec![func.e.function(block)];
        func.reached.calls.insert(block);
        operands.extend(&given[1..]);
        if !types.is_empty() {
            let pointer = func.e.module.pointer(StorageClass::Generic, record);
            let pointer = func.value(Op::Bitcast, pointer, &[given[0]]);
            for (index, &ty) in types.iter().enumerate() {
                let (place, align) = func.captured_place(StorageClass::Generic, pointer, index, ty);
                let value = func.load_memory(place, ty, align, false);
                operands.push(value);
            }
        }
        func.value(Op::FunctionCall, void, &operands);
        func.end(Op::Return, &[], &[]);
        func.close(head, entry);
        result
    }

    /// The struct of what a block captures.
    pub fn captured(&mut self, types: &[TypeId]) -> Id {
        let members: Vec<Id> = types.iter().map(|&ty| self.memory_type(ty)).collect();
        self.module.declare(Op::TypeStruct, &members)
    }
}

impl<'a> Func<'_, 'a> {
    /// Where something captured is in the struct of all that is; its alignment.
    pub fn captured_place(&mut self, class: StorageClass, pointer: Id, index: usize, ty: TypeId) -> (Id, u64) {
        let member = self.e.memory_type(ty);
        let ty_of_place = self.e.module.pointer(class, member);
        let index = self.e.module.uint(index as u32);
        let place = self.value(Op::InBoundsAccessChain, ty_of_place, &[pointer, index]);
        (place, self.e.program.types.align_of(ty).unwrap_or(1))
    }

    /// Ends a function: its words, after those of its head, are the module's. Gives what it has reached.
    fn close(mut self, head: Vec<u32>, entry: Id) -> Reached {
        let func = &mut self;
        let order = func.order(entry);
        let mut kept = vec![false; func.blocks.len()];
        let mut words = head;
        for (position, &block) in order.iter().enumerate() {
            kept[block] = true;
            let block = &func.blocks[block];
            push(&mut words, Op::Label, &[block.label]);
            if position == 0 {
                words.extend_from_slice(&func.variables);
            }
            words.extend_from_slice(&func.words[block.start..block.end]);
        }
        push(&mut words, Op::FunctionEnd, &[]);
        // Blocks that nothing branches to are left out, and so is what would be said of their instructions.
        for (at, id, decoration, operand) in std::mem::take(&mut func.decorations) {
            let block = func.blocks.partition_point(|block| block.end <= at);
            if kept.get(block).copied().unwrap_or(false) {
                func.e.module.decorate(id, decoration, operand.as_slice());
            }
        }
        func.e.module.functions.extend(words);
        self.reached
    }

    /// Is there a block that instructions go to?
    pub fn is_open(&self) -> bool {
        self.current.is_some()
    }

    /// The open block's label.
    pub fn here(&self) -> Id {
        self.current.map_or(0, |(label, _)| label)
    }

    /// Opens a block.
    pub fn begin(&mut self, label: Id) {
        debug_assert!(self.current.is_none(), "the block before has ended");
        self.current = Some((label, self.words.len()));
        self.line = (0, 0, 0);
    }

    /// Ends the open block, if there is one.
    pub fn end(&mut self, op: Op, operands: &[u32], successors: &[Id]) {
        if let Some((label, start)) = self.current {
            push(&mut self.words, op, operands);
            self.current = None;
            self.blocks.push(Block {
                label,
                start,
                end: self.words.len(),
                successors: successors.to_vec(),
            });
        }
    }

    pub fn branch(&mut self, to: Id) {
        self.end(Op::Branch, &[to], &[to]);
    }

    pub fn branch_if(&mut self, condition: Id, then: Id, otherwise: Id) {
        self.end(Op::BranchConditional, &[condition, then, otherwise], &[then, otherwise]);
    }

    /// Branches to a block and opens it.
    pub fn continue_in(&mut self, label: Id) {
        self.branch(label);
        self.begin(label);
    }

    /// Decorates an instruction of the open block's.
    pub fn decorate(&mut self, id: Id, decoration: Decoration, operand: Option<u32>) {
        if self.is_open() {
            self.decorations.push((self.words.len(), id, decoration, operand));
        }
    }

    /// A label that `goto` names.
    pub fn label(&mut self, label: LabelId) -> Id {
        match self.labels.get(&label) {
            Some(&id) => id,
            None => {
                let id = self.e.module.id();
                self.labels.insert(label, id);
                id
            }
        }
    }

    pub fn id(&mut self) -> Id {
        self.e.module.id()
    }

    /// The blocks that are reached, each after one that dominates it: in reverse postorder.
    fn order(&self, entry: Id) -> Vec<usize> {
        let index: FxHashMap<Id, usize> = self.blocks.iter().enumerate().map(|(index, block)| (block.label, index)).collect();
        let mut seen = vec![false; self.blocks.len()];
        let mut postorder = Vec::with_capacity(self.blocks.len());
        let Some(&first) = index.get(&entry) else { return Vec::new() };
        seen[first] = true;
        // Successors are visited from the last, so that the first comes next in the result.
        let mut open = vec![(first, self.blocks[first].successors.len())];
        while let Some((block, left)) = open.last_mut() {
            if *left == 0 {
                postorder.push(*block);
                open.pop();
                continue;
            }
            *left -= 1;
            let next = self.blocks[*block].successors[*left];
            if let Some(&next) = index.get(&next)
                && !std::mem::replace(&mut seen[next], true)
            {
                open.push((next, self.blocks[next].successors.len()));
            }
        }
        postorder.reverse();
        postorder
    }

    /// An instruction with a result. In code that is not reached, the result is of no use.
    pub fn value(&mut self, op: Op, ty: Id, operands: &[u32]) -> Id {
        let id = self.e.module.id();
        if self.current.is_some() {
            self.words.push(((operands.len() as u32 + 3) << 16) | op as u32);
            self.words.extend([ty, id]);
            self.words.extend_from_slice(operands);
        }
        id
    }

    /// An instruction whose result's id is known before.
    pub fn define_as(&mut self, id: Id, op: Op, ty: Id, operands: &[u32]) {
        if self.current.is_some() {
            let mut words = vec![ty, id];
            words.extend_from_slice(operands);
            push(&mut self.words, op, &words);
        }
    }

    /// The type of an expression's value.
    pub fn type_of(&mut self, expr: crate::hir::ExprId) -> Id {
        let ty = self.body.expr(expr).ty;
        self.e.ty(ty)
    }

    /// An instruction without a result.
    pub fn effect(&mut self, op: Op, operands: &[u32]) {
        if self.current.is_some() {
            push(&mut self.words, op, operands);
        }
    }

    /// A function of OpenCL.std.
    pub fn standard(&mut self, op: rspirv::spirv::OpenclStd100Op, ty: Id, operands: &[u32]) -> Id {
        let set = self.e.module.opencl_std();
        let mut words = vec![set, op as u32];
        words.extend_from_slice(operands);
        let id = self.value(Op::ExtInst, ty, &words);
        // FPFastMathMode is for floating-point operations: SPIR-V 3.20.
        if self.e.module.is_float(ty) {
            self.fast_math(id, None);
        }
        id
    }

    /// A variable of the function in memory.
    pub fn variable(&mut self, local: LocalId) -> Id {
        let data = self.body.local(local);
        let (ty, align, name) = (data.ty.id, data.align, data.name);
        let id = self.temporary(ty, align);
        if let Some(name) = name
            && self.e.session.options.debug_information
        {
            self.e.module.name(id, self.e.session.name(name));
        }
        id
    }

    /// A variable of the function without a name.
    pub fn temporary(&mut self, ty: TypeId, align: u64) -> Id {
        let pointee = self.e.memory_type(ty);
        self.memory_for(pointee, align)
    }

    /// Memory of the function for something of a SPIR-V type.
    pub fn memory_for(&mut self, pointee: Id, align: u64) -> Id {
        let ty = self.e.module.pointer(StorageClass::Function, pointee);
        let id = self.e.module.id();
        push(&mut self.variables, Op::Variable, &[ty, id, StorageClass::Function as u32]);
        if align > 0 {
            self.e.module.decorate(id, Decoration::Alignment, &[align as u32]);
        }
        id
    }

    /// A local variable's place in memory.
    pub fn home(&mut self, local: LocalId) -> Home {
        let index = local.0 as usize;
        if self.homes[index] == Home::Unset && !self.facts.is_value(local) {
            self.homes[index] = Home::Memory(self.variable(local));
        }
        self.homes[index]
    }

    /// Tells of the line that what follows comes from, with `-g`.
    pub fn line(&mut self, loc: crate::Loc) {
        if !self.e.session.options.debug_information || loc.is_none() || !self.is_open() {
            return;
        }
        let Some(line) = self.e.place_of(loc) else { return };
        self.back_to(line);
    }

    /// The line that was told of last: what comes next but belongs to it is told by [`Func::back_to`].
    pub fn last_line(&self) -> (Id, u32, u32) {
        self.line
    }

    /// Tells of a line again, with `-g`, if it is not the last.
    pub fn back_to(&mut self, line: (Id, u32, u32)) {
        if self.line != line && line.1 != 0 && self.is_open() {
            self.line = line;
            self.effect(Op::Line, &[line.0, line.1, line.2]);
        }
    }

    /// A scalar's or a vector's type, in values.
    pub fn numeric(&mut self, scalar: Scalar, lanes: u8) -> Id {
        self.e.numeric(scalar, lanes)
    }

    /// The element and the number of lanes of an arithmetic type.
    pub fn shape(&self, ty: TypeId) -> (Scalar, u8) {
        let types = &self.e.program.types;
        let scalar = match *types.kind(ty) {
            crate::types::TypeKind::Atomic(inner) => types.element(inner),
            _ => types.element(ty),
        };
        (scalar.unwrap_or(Scalar::ULong), types.lanes(ty))
    }

    /// A pointer to a type in an address space.
    pub fn pointer_to(&mut self, ty: TypeId, space: AddressSpace) -> Id {
        let pointee = self.e.pointee_type(ty);
        self.e.module.pointer(super::types::storage(space), pointee)
    }
}
