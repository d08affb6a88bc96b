//! What a function reaches: Workgroup variables, through all that it calls; and what happens to a pointer parameter.

use super::matrix;
use super::program::is_workgroup;
use rspirv::spirv::{LinkageType, Op};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use spirv::{Function, Id, Instruction, Module};
use std::collections::BTreeSet;

/// A function and its module's number.
type Place = (usize, Id);

/// What each function's own instructions name.
#[derive(Debug, Default)]
struct Named {
    callees: Vec<Place>,
    variables: Vec<Place>,
    /// The sizes, powers of two and or'ed, of sub-groups that it loads, stores or multiplies matrices for.
    matrix_sub_group_sizes: u32,
}

/// Looks for what functions reach; each function is read once.
pub(super) struct Reach<'m, 'e> {
    modules: Vec<&'m Module>,
    exports: &'e HashMap<String, Place>,
    named: HashMap<Place, Named>,
}

impl<'m, 'e> Reach<'m, 'e> {
    pub(super) fn new(modules: Vec<&'m Module>, exports: &'e HashMap<String, Place>) -> Reach<'m, 'e> {
        Reach {
            modules,
            exports,
            named: HashMap::default(),
        }
    }

    /// Workgroup variables that a function or one of its callees names.
    pub(super) fn workgroup_variables(&mut self, unit: usize, function: Id) -> BTreeSet<Place> {
        let mut found = BTreeSet::new();
        self.visit(unit, function, |named| found.extend(named.variables.iter().copied()));
        found
    }

    /// The sizes, or'ed, of sub-groups that a function or one of its callees loads, stores or multiplies matrices for.
    pub(super) fn matrix_sub_group_sizes(&mut self, unit: usize, function: Id) -> u32 {
        let mut found = 0;
        self.visit(unit, function, |named| found |= named.matrix_sub_group_sizes);
        found
    }

    /// Shows what a function and each of its callees names.
    fn visit(&mut self, unit: usize, function: Id, mut show: impl FnMut(&Named)) {
        let mut seen = HashSet::default();
        let mut work = vec![(unit, function)];
        while let Some(place) = work.pop() {
            if !seen.insert(place) {
                continue;
            }
            if !self.named.contains_key(&place) {
                let named = self.read(place);
                self.named.insert(place, named);
            }
            if let Some(named) = self.named.get(&place) {
                show(named);
                work.extend(named.callees.iter().copied());
            }
        }
    }

    fn resolve(&self, (unit, id): Place) -> Place {
        match self.modules[unit].linkage(id) {
            Some((name, LinkageType::Import)) => self.exports.get(&name).copied().unwrap_or((unit, id)),
            _ => (unit, id),
        }
    }

    fn read(&self, (unit, function): Place) -> Named {
        let spirv = self.modules[unit];
        let mut named = Named::default();
        let Some(function) = spirv.function(function) else { return named };
        for inst in function
            .blocks
            .iter()
            .flat_map(|block| spirv.instructions(block.instructions.clone()))
        {
            if inst.op() == Op::FunctionCall {
                named.callees.push(self.resolve((unit, inst.word(0))));
            }
            named.matrix_sub_group_sizes |= matrix::sub_group_size(spirv, &inst);
            for word in spirv.binary.ids(&inst) {
                if is_workgroup(spirv, word) {
                    named.variables.push(self.resolve((unit, word)));
                } else if spirv.constant(word).is_some() {
                    self.variables_in_constant(unit, word, &mut named);
                }
            }
        }
        named
    }

    fn variables_in_constant(&self, unit: usize, id: Id, named: &mut Named) {
        use spirv::ConstantValue;
        let spirv = self.modules[unit];
        let mut work = vec![spirv.constant_ref(id)];
        while let Some(next) = work.pop() {
            let Some(reference) = next else { continue };
            match &spirv.resolve(reference).value {
                ConstantValue::Address(variable) if is_workgroup(spirv, *variable) => named.variables.push(self.resolve((unit, *variable))),
                ConstantValue::Address(function) if spirv.function(*function).is_some() => {
                    named.callees.push(self.resolve((unit, *function)))
                }
                ConstantValue::Composite(parts) => work.extend(parts.iter().map(|&part| Some(part))),
                ConstantValue::Expression { operands, .. } => work.extend(operands.iter().map(|&operand| Some(operand))),
                _ => {}
            }
        }
    }
}

/// Of pointer parameters, those that are only read through, by instructions of the function itself: they are neither written to nor handed on.
pub(super) fn only_read(spirv: &Module, function: &Function, params: impl Iterator<Item = Id>) -> HashSet<Id> {
    only_read_but(spirv, function, params, |_, _| None)
}

/// The same of any pointers, where `decide` may say of a use whether it is allowed.
pub(super) fn only_read_but(
    spirv: &Module,
    function: &Function,
    pointers: impl Iterator<Item = Id>,
    mut decide: impl FnMut(&Instruction, Id) -> Option<bool>,
) -> HashSet<Id> {
    // What is made of each.
    let mut derived: HashMap<Id, Id> = pointers.map(|pointer| (pointer, pointer)).collect();
    let mut read: HashSet<Id> = derived.keys().copied().collect();
    if read.is_empty() {
        return read;
    }
    for inst in function
        .blocks
        .iter()
        .flat_map(|block| spirv.instructions(block.instructions.clone()))
    {
        for id in spirv.binary.ids(&inst) {
            let Some(&param) = derived.get(&id) else { continue };
            match decide(&inst, id) {
                Some(true) => continue,
                Some(false) => {
                    read.remove(&param);
                    continue;
                }
                None => {}
            }
            let names = |position: usize| inst.operands.get(position).and_then(|word| derived.get(word)) == Some(&param);
            match inst.op() {
                Op::Load | Op::LifetimeStart | Op::LifetimeStop => {}
                Op::Bitcast
                | Op::AccessChain
                | Op::InBoundsAccessChain
                | Op::PtrAccessChain
                | Op::InBoundsPtrAccessChain
                | Op::PtrCastToGeneric
                    if names(0) && spirv.ty(inst.result_type).pointer().is_some() =>
                {
                    derived.insert(inst.result, param);
                }
                Op::UntypedAccessChainKHR
                | Op::UntypedInBoundsAccessChainKHR
                | Op::UntypedPtrAccessChainKHR
                | Op::UntypedInBoundsPtrAccessChainKHR
                    if names(1) =>
                {
                    derived.insert(inst.result, param);
                }
                Op::CopyMemory | Op::CopyMemorySized if !names(0) => {}
                _ => drop(read.remove(&param)),
            }
        }
    }
    read
}
