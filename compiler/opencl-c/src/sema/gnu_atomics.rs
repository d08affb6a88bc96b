//! Calls of GNU's atomic functions, `__atomic_…` and `__sync_…`, and of clang's `__opencl_atomic_…`, which headers build OpenCL C's own upon.

use super::{Operand, Purpose};
use crate::hir::{ArithmeticOp, Atomic, AtomicOp, CompareOp, Intrinsic};
use crate::intern::Symbol;
use crate::parse::Parser;
use crate::source::Loc;
use crate::types::{AddressSpace, Scalar, TypeId, TypeKind};

/// A function, as its name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Function {
    atomic: Atomic,
    /// Values come and go through pointers: `__atomic_load` without `_n`.
    by_pointer: bool,
    gives: Gives,
    /// How many orders are passed, and a scope after them. Where there are none, the order is the strictest.
    orders: usize,
    scope: bool,
    /// More arguments than these may follow, which mean nothing.
    variadic: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gives {
    /// What the operation itself does.
    Usual,
    /// What the object has become.
    After,
    /// Whether `CompareSwap` has stored.
    Success,
}

/// `memory_order_seq_cst`, and `memory_order_release`.
const STRICTEST: u64 = 5;
const RELEASE: u64 = 3;

fn operation(name: &str) -> Option<AtomicOp> {
    Some(match name {
        "add" => AtomicOp::Add,
        "sub" => AtomicOp::Sub,
        "and" => AtomicOp::And,
        "or" => AtomicOp::Or,
        "xor" => AtomicOp::Xor,
        "min" => AtomicOp::Min,
        "max" => AtomicOp::Max,
        _ => return None,
    })
}

fn function(name: &str) -> Option<Function> {
    let usual = |atomic, orders| Function {
        atomic,
        by_pointer: false,
        gives: Gives::Usual,
        orders,
        scope: false,
        variadic: false,
    };
    if let Some(name) = name.strip_prefix("__opencl_atomic_") {
        let function = match name {
            "init" => return Some(usual(Atomic::Init, 0)),
            "load" => usual(Atomic::Load, 1),
            "store" => usual(Atomic::Store, 1),
            "exchange" => usual(Atomic::Exchange, 1),
            "compare_exchange_strong" | "compare_exchange_weak" => usual(Atomic::CompareExchange, 2),
            _ => usual(Atomic::Fetch(operation(name.strip_prefix("fetch_")?)?), 1),
        };
        return Some(Function { scope: true, ..function });
    }
    if let Some(name) = name.strip_prefix("__sync_") {
        let function = match name {
            "bool_compare_and_swap" => Function {
                gives: Gives::Success,
                ..usual(Atomic::CompareSwap, 0)
            },
            "val_compare_and_swap" => usual(Atomic::CompareSwap, 0),
            "lock_test_and_set" => usual(Atomic::Exchange, 0),
            "lock_release" => usual(Atomic::Store, 0),
            "synchronize" => usual(Atomic::Fence, 0),
            _ => match (name.strip_prefix("fetch_and_"), name.strip_suffix("_and_fetch")) {
                (Some(op), _) => usual(Atomic::Fetch(operation(op)?), 0),
                (None, op) => Function {
                    gives: Gives::After,
                    ..usual(Atomic::Fetch(operation(op?)?), 0)
                },
            },
        };
        return Some(Function {
            variadic: true,
            ..function
        });
    }
    let name = name.strip_prefix("__atomic_")?;
    if name == "thread_fence" {
        return Some(usual(Atomic::Fence, 1));
    }
    if let Some(op) = name.strip_prefix("fetch_") {
        return Some(usual(Atomic::Fetch(operation(op)?), 1));
    }
    if let Some(op) = name.strip_suffix("_fetch") {
        return Some(Function {
            gives: Gives::After,
            ..usual(Atomic::Fetch(operation(op)?), 1)
        });
    }
    let (base, by_pointer) = name.strip_suffix("_n").map_or((name, true), |base| (base, false));
    let function = match base {
        "load" => usual(Atomic::Load, 1),
        "store" => usual(Atomic::Store, 1),
        "exchange" => usual(Atomic::Exchange, 1),
        "compare_exchange" => usual(Atomic::CompareExchange, 2),
        _ => return None,
    };
    Some(Function { by_pointer, ..function })
}

pub(super) fn is_atomic(name: &str) -> bool {
    function(name).is_some()
}

impl Function {
    /// Arguments before the orders: the pointer and the operands.
    fn operands(self) -> usize {
        match self.atomic {
            Atomic::Fence => 0,
            Atomic::Load => 1 + usize::from(self.by_pointer),
            Atomic::Init | Atomic::Store | Atomic::Fetch(_) => 2,
            Atomic::Exchange => 2 + usize::from(self.by_pointer),
            // GNU's say whether they may fail for nothing.
            Atomic::CompareExchange => 3 + usize::from(!self.scope),
            Atomic::CompareSwap => 3,
        }
    }
}

impl Parser<'_> {
    pub(super) fn call_atomic(&mut self, name: Symbol, arguments: &[Operand], loc: Loc) -> Operand {
        let text = self.text(name);
        let Some(function) = function(text) else { return self.wrong(loc) };
        let is_release = text == "__sync_lock_release";
        let mut arguments: Vec<Operand> = arguments.iter().map(|&argument| self.rvalue(argument)).collect();
        if arguments.iter().any(Operand::is_error) {
            return self.wrong(loc);
        }
        if is_release && !arguments.is_empty() {
            arguments.insert(1, self.int(0, TypeId::INT, loc));
        }
        let count = function.operands() + function.orders + usize::from(function.scope);
        let most = if function.variadic { usize::MAX } else { count };
        if !self.has_between(arguments.len(), count, most, loc) {
            return self.wrong(loc);
        }
        arguments.truncate(count);
        let mut orders = arguments.split_off(function.operands());
        if orders.is_empty() && function.atomic != Atomic::Init {
            orders.push(self.int(if is_release { RELEASE } else { STRICTEST }, TypeId::INT, loc));
        }
        if function.atomic == Atomic::Fence {
            return self.atomic(function.atomic, &[], TypeId::INT, &orders, loc);
        }
        let Some(value) = self.atomic_object(function.atomic, arguments[0]) else {
            return self.wrong(loc);
        };
        if function.atomic == Atomic::CompareExchange {
            arguments.truncate(3);
        }
        if function.by_pointer {
            return self.atomic_by_pointers(function.atomic, &arguments, value, &orders, loc);
        }
        match function.gives {
            Gives::Usual => self.atomic(function.atomic, &arguments, value, &orders, loc),
            Gives::Success => {
                let expected = self.convert_for(arguments[1], value, Purpose::Passing);
                let (expected, again) = self.saved(expected);
                let found = self.atomic(function.atomic, &[arguments[0], expected, arguments[2]], value, &orders, loc);
                self.compare(CompareOp::Equal, found, again, loc)
            }
            Gives::After => {
                let operand = self.convert_for(arguments[1], value, Purpose::Passing);
                let (operand, again) = self.saved(operand);
                let before = self.atomic(function.atomic, &[arguments[0], operand], value, &orders, loc);
                let after = self.applied(function.atomic, before, again, loc);
                self.convert_for(after, value, Purpose::Passing)
            }
        }
    }

    /// What an object was, with an operand.
    fn applied(&mut self, atomic: Atomic, before: Operand, operand: Operand, loc: Loc) -> Operand {
        let Atomic::Fetch(op) = atomic else { return before };
        let arithmetic = match op {
            AtomicOp::Add => ArithmeticOp::Add,
            AtomicOp::Sub => ArithmeticOp::Subtract,
            AtomicOp::And => ArithmeticOp::And,
            AtomicOp::Or => ArithmeticOp::Or,
            AtomicOp::Xor => ArithmeticOp::Xor,
            AtomicOp::Min | AtomicOp::Max => {
                let less = if op == AtomicOp::Min { CompareOp::Less } else { CompareOp::Greater };
                let (before, again) = self.saved(before);
                let first = self.compare(less, before, operand, loc);
                return self.conditional(first, again, operand, loc);
            }
        };
        self.arithmetic(arithmetic, before, operand, loc)
    }

    /// The type of the object's value. `None` if there is no such atomic object: that has been reported.
    fn atomic_object(&mut self, atomic: Atomic, pointer: Operand) -> Option<TypeId> {
        let Some(pointee) = self.types().pointee(pointer.ty.id) else {
            let message = format!(
                "address argument to atomic operation must be a pointer ('{}' invalid)",
                self.name_of(pointer.ty)
            );
            self.error(pointer.loc, &message);
            return None;
        };
        if pointee.space == AddressSpace::Constant || pointee.is_const() && atomic != Atomic::Load {
            let message = format!(
                "address argument to atomic operation must be a pointer to non-const type ('{}' invalid)",
                self.name_of(pointer.ty)
            );
            self.error(pointer.loc, &message);
            return None;
        }
        let value = match *self.types_ref().kind(pointee.id) {
            TypeKind::Atomic(inner) => inner,
            _ => pointee.id,
        };
        let bitwise = matches!(atomic, Atomic::Fetch(AtomicOp::And | AtomicOp::Or | AtomicOp::Xor));
        let fits = |scalar: Scalar| matches!(scalar.size(), 4 | 8) && (scalar.is_integer() || scalar.is_float() && !bitwise);
        if !self.scalar_of(value).is_some_and(fits) {
            let message = format!(
                "address argument to atomic operation must be a pointer to a number of 32 or 64 bits ('{}' invalid)",
                self.name_of(pointer.ty)
            );
            self.error(pointer.loc, &message);
            return None;
        }
        Some(value)
    }

    /// `__atomic_load`, `_store`, `_exchange`, `_compare_exchange`.
    fn atomic_by_pointers(&mut self, atomic: Atomic, arguments: &[Operand], value: TypeId, orders: &[Operand], loc: Loc) -> Operand {
        let mut operands = arguments.to_vec();
        let result = match atomic {
            Atomic::Load | Atomic::Exchange => operands.pop(),
            _ => None,
        };
        if atomic != Atomic::Load
            && let Some(last) = operands.last_mut()
        {
            let place = self.dereference(*last, loc);
            *last = self.rvalue(place);
        }
        let given = self.atomic(atomic, &operands, value, orders, loc);
        match result {
            Some(result) => {
                let place = self.dereference(result, loc);
                let assigned = self.assign(place, given, loc);
                self.cast_value(crate::hir::CastKind::Void, assigned, TypeId::VOID)
            }
            None => given,
        }
    }

    /// A call: a pointer and operands, of which those that are values have the type of the object's value.
    fn atomic(&mut self, atomic: Atomic, operands: &[Operand], value: TypeId, orders: &[Operand], loc: Loc) -> Operand {
        let mut list: Vec<Operand> = operands.to_vec();
        let mut params: Vec<TypeId> = operands.iter().map(|operand| operand.ty.id).collect();
        let pointers = if atomic == Atomic::CompareExchange { 2 } else { 1 };
        for param in params.iter_mut().skip(pointers) {
            *param = value;
        }
        if atomic == Atomic::CompareExchange {
            match self.atomic_object(Atomic::Init, operands[1]) {
                Some(found) if found == value => {}
                Some(_) => {
                    let message = format!(
                        "passing '{}' to parameter of type '{} *'",
                        self.name_of(operands[1].ty),
                        self.name_of_id(value)
                    );
                    self.error(operands[1].loc, &message);
                    return self.wrong(loc);
                }
                None => return self.wrong(loc),
            }
        }
        list.extend(orders);
        params.extend(orders.iter().map(|_| TypeId::INT));
        let result = match atomic {
            Atomic::Init | Atomic::Store | Atomic::Fence => TypeId::VOID,
            Atomic::CompareExchange => TypeId::BOOL,
            _ => value,
        };
        self.intrinsic(Intrinsic::Atomic(atomic), &list, &params, result, loc)
    }
}
