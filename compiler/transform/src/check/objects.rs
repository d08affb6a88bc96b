//! Provenance: which object a pointer was derived from, as [`analysis::access::objects`] follows it, and whether it is the program's at all.

use super::calls::Handed;
use analysis::access::objects::{Object, Places};
use interface::{ArgumentKind, KernelInfo};
use ir::*;
use target::costs::effort::FEW_OPERATIONS;

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
    /// What a parameter of a function that stays a call points to, by the parameter's number: its caller hands on which object that is.
    Parameter(u32),
    /// One that is not known: the pointer was loaded from memory, or made of a number, or can be derived from several objects.
    Unknown,
}

impl Root {
    /// It is in the work-group's local memory.
    pub fn is_local(self, info: &KernelInfo) -> bool {
        match self {
            Root::Argument(number) => info.arguments[number as usize].kind == ArgumentKind::LocalPointer,
            Root::Local(_) => true,
            Root::Slot(_) | Root::Global(_) | Root::Parameter(_) | Root::Unknown => false,
        }
    }

    /// It is global memory that an argument points to.
    pub fn is_buffer(self, info: &KernelInfo) -> bool {
        matches!(self, Root::Argument(number) if info.arguments[number as usize].kind == ArgumentKind::GlobalPointer { constant: false })
    }
}

/// The objects that a function's pointers were derived from, as reports name them.
pub struct Provenance<'a> {
    info: &'a KernelInfo,
    places: Places,
    /// Parameters that point to what is handed on with them, and whether that can be in local memory.
    handed_on: Vec<(Value, bool)>,
}

impl Provenance<'_> {
    /// Follows all pointers of a kernel, or of a function whose parameters point to these.
    pub fn new<'a>(func: &Function, info: &'a KernelInfo, params: &[Handed]) -> Provenance<'a> {
        let order = cfg::reverse_postorder(func);
        let of_param = |number: u32| match params.get(number as usize)? {
            &Handed::One(root) => object_of(info, root),
            Handed::Several { .. } => Some(Object::Parameter(number)),
            Handed::Unseen | Handed::Null | Handed::Unknown => None,
        };
        let places = Places::of_callee(func, &order, |object| root_of(info, object).is_some(), of_param);
        let told = func.params().iter().zip(params).filter_map(|(&param, handed)| match *handed {
            Handed::Several { may_be_local } => Some((param, may_be_local)),
            _ => None,
        });
        let handed_on = told.collect();
        Provenance { info, places, handed_on }
    }

    /// The object that a pointer was derived from, where that is known.
    pub fn root(&self, pointer: Value) -> Option<Root> {
        root_of(self.info, self.places.object(pointer)?)
    }

    /// The object whose beginning (for an argument: the place that it points to) the value is.
    pub fn exact(&self, func: &Function, value: Value) -> Option<Root> {
        if self.handed_on.iter().any(|&(param, _)| param == value) {
            return self.root(value);
        }
        root_of(self.info, Object::at(func, value)?)
    }

    /// What is handed on with a parameter can be in local memory.
    pub fn may_be_local(&self, number: u32) -> bool {
        let is_it = |&&(param, _): &&(Value, bool)| self.root(param) == Some(Root::Parameter(number));
        self.handed_on.iter().find(is_it).is_some_and(|&(_, may_be_local)| may_be_local)
    }

    /// What an access through a pointer must stay in; none for memory of the driver's own.
    pub fn accessed(&self, func: &Function, pointer: Value) -> Option<Root> {
        let unknown = || (!is_of_the_driver(func, self.info, pointer, FEW_OPERATIONS)).then_some(Root::Unknown);
        self.root(pointer).or_else(unknown)
    }
}

/// An object of which the launch, or the program, tells the extent.
fn root_of(info: &KernelInfo, object: Object) -> Option<Root> {
    let argument = |offset: i32, such: &dyn Fn(ArgumentKind) -> bool| {
        let number = info.argument_at(offset)?;
        let argument = &info.arguments[number as usize];
        (argument.extent.is_some() && such(argument.kind)).then_some(Root::Argument(number))
    };
    match object {
        Object::Slot(slot) => Some(Root::Slot(slot)),
        Object::Global(global) => Some(Root::Global(global)),
        Object::Argument(offset) => argument(offset, &|kind| matches!(kind, ArgumentKind::GlobalPointer { .. })),
        Object::LocalArgument(offset) => argument(offset, &|kind| kind == ArgumentKind::LocalPointer),
        Object::Local(offset) => {
            let position = info.local_variables.iter().position(|variable| variable.offset == offset)?;
            Some(Root::Local(position as u32))
        }
        Object::Parameter(number) => Some(Root::Parameter(number)),
    }
}

/// The same the other way round, of what has the same address in all functions.
fn object_of(info: &KernelInfo, root: Root) -> Option<Object> {
    match root {
        Root::Argument(number) => {
            let argument = &info.arguments[number as usize];
            Some(match argument.kind {
                ArgumentKind::LocalPointer => Object::LocalArgument(argument.offset as i32),
                _ => Object::Argument(argument.offset as i32),
            })
        }
        Root::Local(position) => Some(Object::Local(info.local_variables[position as usize].offset)),
        Root::Global(global) => Some(Object::Global(global)),
        Root::Slot(_) | Root::Parameter(_) | Root::Unknown => None,
    }
}

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
