//! Provenance: which object a pointer was derived from.
//!
//! Each 64-bit value is followed back through arithmetic, choices and block parameters to the objects that it can come from. A value has a root
//! if that is one object, whatever way it came. What is loaded from memory, or made of a number, has none.

use cranelift_entity::SecondaryMap;
use interface::{ArgumentKind, KernelInfo};
use ir::*;

/// An object that pointers are derived from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Root {
    /// What an argument points to, by the argument's number.
    Argument(u32),
    /// A variable in local memory, by its position in [`KernelInfo::local_variables`].
    Local(u32),
    /// Private memory.
    Slot(Slot),
    /// A program-scope variable or constant.
    Global(Global),
    /// One that is not known: the pointer was loaded from memory, or made of a number, or can be derived from several objects.
    Unknown,
}

impl Root {
    /// It is in the work-group's local memory.
    pub fn is_local(self, info: &KernelInfo) -> bool {
        match self {
            Root::Argument(number) => info.arguments[number as usize].kind == ArgumentKind::LocalPointer,
            Root::Local(_) => true,
            Root::Slot(_) | Root::Global(_) | Root::Unknown => false,
        }
    }

    /// It is global memory that an argument points to.
    pub fn is_buffer(self, info: &KernelInfo) -> bool {
        matches!(self, Root::Argument(number) if info.arguments[number as usize].kind == ArgumentKind::GlobalPointer { constant: false })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Nothing has been seen that it can be.
    Top,
    Root(Root),
    /// No pointer, or to several objects, or to one that is not known.
    Unknown,
}

impl State {
    fn meet(self, other: State) -> State {
        match (self, other) {
            (State::Top, state) | (state, State::Top) => state,
            (State::Root(a), State::Root(b)) if a == b => self,
            _ => State::Unknown,
        }
    }
}

/// The objects that a function's pointers were derived from.
pub struct Provenance<'a> {
    info: &'a KernelInfo,
    states: SecondaryMap<Value, State>,
}

impl Provenance<'_> {
    /// Follows all pointers of a kernel.
    pub fn new<'a>(func: &Function, info: &'a KernelInfo) -> Provenance<'a> {
        let mut found = Provenance {
            info,
            states: func.per_value(State::Top),
        };
        for &param in func.params() {
            found.states[param] = State::Unknown;
        }
        while found.visit(func) {}
        found
    }

    /// The object that a pointer was derived from, where that is known.
    pub fn root(&self, pointer: Value) -> Option<Root> {
        match self.states[pointer] {
            State::Root(root) => Some(root),
            State::Top | State::Unknown => None,
        }
    }

    /// What an access through a pointer must stay in; none for memory of the driver's own.
    pub fn accessed(&self, func: &Function, pointer: Value) -> Option<Root> {
        let unknown = || (!is_of_the_driver(func, self.info, pointer, DEPTH)).then_some(Root::Unknown);
        self.root(pointer).or_else(unknown)
    }

    /// Visits all instructions once. True if something was found.
    fn visit(&mut self, func: &Function) -> bool {
        let mut changed = false;
        for &block in &func.layout {
            for &inst in &func.block(block).insts {
                let node = func.inst(inst);
                for &result in &node.results {
                    let state = if func.ty(result) == Type::I64 {
                        self.result(func, result, &node.data)
                    } else {
                        State::Unknown
                    };
                    changed |= self.states[result] != state;
                    self.states[result] = state;
                }
                node.data.for_each_target(|target| {
                    for (&param, &arg) in func.block(target.block).params.iter().zip(&target.args) {
                        let state = self.states[param].meet(self.choice(func, arg));
                        changed |= self.states[param] != state;
                        self.states[param] = state;
                    }
                });
            }
        }
        changed
    }

    /// A value as one of several that something can be. Null can be chosen instead of any pointer.
    fn choice(&self, func: &Function, value: Value) -> State {
        match func.constant(value) {
            Some(0) => State::Top,
            _ => self.states[value],
        }
    }

    fn result(&self, func: &Function, result: Value, data: &InstData) -> State {
        if let Some(root) = exact(func, self.info, result) {
            return State::Root(root);
        }
        match *data {
            InstData::Binary {
                op: BinaryOp::Add,
                args: [a, b],
            } => match (self.states[a], self.states[b]) {
                (State::Root(_), State::Root(_)) => State::Unknown,
                (State::Top, _) | (_, State::Top) => State::Top,
                (State::Root(root), _) | (_, State::Root(root)) => State::Root(root),
                _ => State::Unknown,
            },
            InstData::Binary {
                op: BinaryOp::Sub | BinaryOp::And | BinaryOp::Or,
                args: [a, b],
            } => match self.states[b] {
                State::Root(_) => State::Unknown,
                _ => self.states[a],
            },
            InstData::Select { args: [a, b], .. } => self.choice(func, a).meet(self.choice(func, b)),
            _ => State::Unknown,
        }
    }
}

/// The object whose beginning (for an argument: the place that it points to) the value is.
pub fn exact(func: &Function, info: &KernelInfo, value: Value) -> Option<Root> {
    if let Some(offset) = func.argument(value) {
        return argument(info, offset, |kind| matches!(kind, ArgumentKind::GlobalPointer { .. })).map(Root::Argument);
    }
    match *func.def_data(value)? {
        InstData::SlotAddress { slot } => Some(Root::Slot(slot)),
        InstData::GlobalAddress { global } => Some(Root::Global(global)),
        InstData::Binary {
            op: BinaryOp::Add,
            args: [base, offset],
        } if is_local_memory(func, base) => match func.constant(offset) {
            Some(offset) => {
                let position = info.local_variables.iter().position(|variable| variable.offset == offset);
                position.map(|position| Root::Local(position as u32))
            }
            None => argument(info, func.argument(offset)?, |kind| kind == ArgumentKind::LocalPointer).map(Root::Argument),
        },
        _ => None,
    }
}

/// Sums are followed so far to the driver's own memory.
const DEPTH: u32 = 4;

/// The pointer is derived from what the driver hands to kernels: the arguments' block, records of the launch and of images, local memory as a whole.
/// Ids and numbers among the arguments, which are added to pointers, are none.
fn is_of_the_driver(func: &Function, info: &KernelInfo, pointer: Value, depth: u32) -> bool {
    let Some(data) = func.def_data(pointer) else { return false };
    match *data {
        InstData::Builtin { builtin, .. } => {
            use Builtin::*;
            matches!(builtin, Arguments | LocalMemory | Launch | Worker | Tallies)
        }
        InstData::Binary {
            op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::And | BinaryOp::Or,
            args,
        } if depth > 0 => args.iter().any(|&arg| is_of_the_driver(func, info, arg, depth - 1)),
        InstData::Load { address, .. } => match func.argument(pointer) {
            Some(offset) => info.argument_at(offset).is_some_and(|number| {
                use ArgumentKind::*;
                matches!(info.arguments[number as usize].kind, Image { .. } | Sampler | Pipe | Queue)
            }),
            None => depth > 0 && is_of_the_driver(func, info, address.base, depth - 1),
        },
        _ => false,
    }
}

fn is_local_memory(func: &Function, value: Value) -> bool {
    matches!(
        func.def_data(value),
        Some(InstData::Builtin {
            builtin: Builtin::LocalMemory,
            ..
        })
    )
}

/// The argument at an offset of the block, if it is one that a launch tells the extent of.
fn argument(info: &KernelInfo, offset: i32, such: impl Fn(ArgumentKind) -> bool) -> Option<u32> {
    let number = info.argument_at(offset)?;
    let argument = &info.arguments[number as usize];
    (argument.extent.is_some() && such(argument.kind)).then_some(number)
}
