//! Base objects of pointers: which object each was derived from, and how far from its beginning it is.
//!
//! Pointers are followed from where an object's address is made on, through arithmetic, choices and parameters of blocks. A value has a base if
//! that is one object, whatever way it came. What is loaded from memory, or made of a number, has none.

use cranelift_entity::SecondaryMap;
use ir::*;

/// An object that pointers are derived from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Object {
    /// Private memory.
    Slot(Slot),
    /// A program-scope variable or constant.
    Global(Global),
    /// What an argument points to, by where it is in the argument block. (Numbers are such words as well.)
    Argument(i32),
    /// A variable in local memory, by where it begins there.
    Local(u64),
    /// The same of an argument, by where it is in the argument block.
    LocalArgument(i32),
    /// What a parameter of a function points to, by the parameter's number ([`Places::of_callee`]).
    Parameter(u32),
}

impl Object {
    /// The object whose beginning (for an argument: the place that it points to) the value is.
    pub fn at(func: &Function, value: Value) -> Option<Object> {
        if let Some(offset) = func.argument(value) {
            return Some(Object::Argument(offset));
        }
        match *func.def_data(value)? {
            InstData::SlotAddress { slot } => Some(Object::Slot(slot)),
            InstData::GlobalAddress { global } => Some(Object::Global(global)),
            InstData::Binary {
                op: BinaryOp::Add,
                args: [base, offset],
            } => match func.def_data(base)? {
                InstData::Builtin {
                    builtin: Builtin::LocalMemory,
                    ..
                } => match func.constant(offset) {
                    Some(offset) => Some(Object::Local(offset)),
                    None => func.argument(offset).map(Object::LocalArgument),
                },
                _ => None,
            },
            _ => None,
        }
    }
}

/// A place in an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The object.
    pub object: Object,
    /// Bytes from its beginning, if they are the same whatever the kernel computes.
    pub offset: Option<i64>,
}

/// What is known of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// Nothing has been seen that it can be.
    #[default]
    Unseen,
    /// It can be null, which can be chosen instead of any pointer.
    Null,
    Place(Place),
    /// No pointer, or to several objects, or to one that is not known.
    Unknown,
}

impl State {
    fn meet(self, other: State) -> State {
        match (self, other) {
            (State::Unseen, state) | (state, State::Unseen) => state,
            (State::Place(a), State::Place(b)) if a.object == b.object => State::Place(Place {
                offset: a.offset.filter(|_| a.offset == b.offset),
                ..a
            }),
            (State::Place(place), State::Null) | (State::Null, State::Place(place)) => State::Place(Place { offset: None, ..place }),
            (State::Null, State::Null) => State::Null,
            _ => State::Unknown,
        }
    }

    /// So many bytes further.
    fn plus(self, bytes: Option<i64>) -> State {
        match self {
            State::Place(place) => State::Place(Place {
                offset: place.offset.zip(bytes).and_then(|(offset, bytes)| offset.checked_add(bytes)),
                ..place
            }),
            State::Unseen => State::Unseen,
            State::Null | State::Unknown => State::Unknown,
        }
    }
}

/// The places that a function's values are the addresses of.
#[derive(Clone, Debug, Default)]
pub struct Places {
    states: SecondaryMap<Value, State>,
}

impl Places {
    /// Follows pointers in the blocks of a reverse postorder. What is no object for the caller is a number.
    pub fn new(func: &Function, order: &[Block], is_object: impl Fn(Object) -> bool) -> Places {
        Places::of_callee(func, order, is_object, |_| None)
    }

    /// The same of a function some of whose parameters, by their numbers, are known to point to objects.
    pub fn of_callee(
        func: &Function,
        order: &[Block],
        is_object: impl Fn(Object) -> bool,
        handed_on: impl Fn(u32) -> Option<Object>,
    ) -> Places {
        let mut this = Places {
            states: func.per_value(State::Unseen),
        };
        for (number, &param) in func.params().iter().enumerate() {
            let place = |object| State::Place(Place { object, offset: None });
            this.states[param] = handed_on(number as u32).map_or(State::Unknown, place);
        }
        while this.walk(func, order, &is_object) {}
        this
    }

    /// Those in private memory.
    pub fn in_slots(func: &Function, order: &[Block]) -> Places {
        match func.slots.is_empty() {
            true => Places::default(),
            false => Places::new(func, order, |object| matches!(object, Object::Slot(_))),
        }
    }

    /// The place that a value is the address of.
    pub fn place(&self, value: Value) -> Option<Place> {
        match self.states[value] {
            State::Place(place) => Some(place),
            _ => None,
        }
    }

    /// The object that a pointer was derived from.
    pub fn object(&self, value: Value) -> Option<Object> {
        Some(self.place(value)?.object)
    }

    /// The slot that a value leads to.
    pub fn slot(&self, value: Value) -> Option<Slot> {
        match self.object(value)? {
            Object::Slot(slot) => Some(slot),
            _ => None,
        }
    }

    /// An instruction adds something to the address of a place, and gives that of another in the same object.
    pub fn is_sum(&self, func: &Function, inst: Inst) -> bool {
        matches!(func.inst(inst).data, InstData::Binary { op: BinaryOp::Add, .. }) && self.place(func.result(inst)).is_some()
    }

    /// Visits all instructions once. True if one that was visited before may be another now.
    fn walk(&mut self, func: &Function, order: &[Block], is_object: &impl Fn(Object) -> bool) -> bool {
        let mut again = false;
        let mut visited = func.per_block(false);
        for &block in order {
            visited[block] = true;
            for &inst in &func.block(block).insts {
                let node = func.inst(inst);
                for &result in &node.results {
                    self.states[result] = match func.ty(result) == Type::I64 {
                        true => self.result(func, result, &node.data, is_object),
                        false => State::Unknown,
                    };
                }
                node.data.for_each_target(|target| {
                    for (&param, &arg) in func.block(target.block).params.iter().zip(&target.args) {
                        let state = self.states[param].meet(self.choice(func, arg));
                        again |= visited[target.block] && self.states[param] != state;
                        self.states[param] = state;
                    }
                });
            }
        }
        again
    }

    /// A value as one of several that something can be.
    fn choice(&self, func: &Function, value: Value) -> State {
        match func.constant(value) {
            Some(0) => State::Null,
            _ => self.states[value],
        }
    }

    fn result(&self, func: &Function, result: Value, data: &InstData, is_object: &impl Fn(Object) -> bool) -> State {
        if let Some(object) = Object::at(func, result).filter(|&object| is_object(object)) {
            return State::Place(Place { object, offset: Some(0) });
        }
        match *data {
            InstData::Binary { op, args: [a, b] } => self.binary(func, op, a, b),
            InstData::Select { args: [a, b], .. } => self.choice(func, a).meet(self.choice(func, b)),
            _ => State::Unknown,
        }
    }

    fn binary(&self, func: &Function, op: BinaryOp, a: Value, b: Value) -> State {
        match (op, self.states[a], self.states[b]) {
            (BinaryOp::Add, State::Place(_), State::Place(_)) => State::Unknown,
            (BinaryOp::Add, State::Unseen, _) | (BinaryOp::Add, _, State::Unseen) => State::Unseen,
            (BinaryOp::Add, place @ State::Place(_), _) => place.plus(func.signed_constant(b)),
            (BinaryOp::Add, _, place @ State::Place(_)) => place.plus(func.signed_constant(a)),
            (BinaryOp::Sub | BinaryOp::And | BinaryOp::Or, _, State::Place(_)) => State::Unknown,
            (BinaryOp::Sub, state, _) => state.plus(func.signed_constant(b).and_then(i64::checked_neg)),
            // Bits are set, or those are cleared that an alignment says. The lowest ones alone are a number.
            (BinaryOp::Or, state, _) => state.plus(None),
            (BinaryOp::And, state, _) if func.signed_constant(b).is_none_or(|mask| mask < 0) => state.plus(None),
            _ => State::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::parse::parse_function;

    /// What the values of a text are places of.
    fn places(text: &str) -> Places {
        let func = parse_function(text).expect("the test's text is IR");
        Places::new(&func, &func.layout, |object| object != Object::Argument(16))
    }

    fn at(object: Object, offset: Option<i64>) -> Option<Place> {
        Some(Place { object, offset })
    }

    #[test]
    fn sums_are_followed_as_far_as_they_are_of_one_object() {
        let text = "
function workitem @f {
  slot0: 64 align 8
  slot1: 64 align 8
block0:
  v0 = slot_address slot0
  v1 = slot_address slot1
  v2 = builtin global_id 0
  v3 = const.i64 8
  v4 = add v3, v0
  v5 = sub v4, v3
  v6 = add v4, v2
  v7 = add v6, v3
  v8 = sub v3, v0
  v9 = add v0, v1
  v10 = mul v0, v3
  v11 = const.i64 -8
  v12 = and v4, v11
  v13 = and v4, v3
  v14 = add v2, v13
  v15 = builtin local_memory
  v16 = add v15, v3
  v17 = add v16, v3
  v18 = builtin arguments
  v19 = load.i64 constant align 8 invariant dereferenceable [v18 + 8]
  v20 = load.i64 constant align 8 invariant dereferenceable [v18 + 16]
  v21 = add v20, v19
  v22 = add v15, v20
  store v2, private align 8 [v7]
  return
}";
        let places = places(text);
        let place = |number: u32| places.place(Value::from_u32(number));
        let [one, other] = [0, 1].map(|number| Object::Slot(Slot::from_u32(number)));
        assert_eq!([0, 1, 4].map(place), [at(one, Some(0)), at(other, Some(0)), at(one, Some(8))]);
        assert_eq!(place(5), at(one, Some(0)));
        assert_eq!([6, 7, 12].map(place), [at(one, None); 3]);
        // Of a number, of two slots, and no sums.
        assert_eq!([2, 3, 8, 9, 10, 13, 14].map(place), [None; 7]);
        assert_eq!([16, 17].map(place), [at(Object::Local(8), Some(0)), at(Object::Local(8), Some(8))]);
        // The word at 16 is a number, if it is asked for as such.
        assert_eq!([20, 21].map(place), [None, at(Object::Argument(8), None)]);
        assert_eq!(place(22), at(Object::LocalArgument(16), Some(0)));
    }

    #[test]
    fn choices_are_followed_where_they_lead_to_one_object() {
        let text = "
function workitem @f {
  slot0: 64 align 8
  slot1: 64 align 8
block0:
  v0 = slot_address slot0
  v1 = slot_address slot1
  v2 = const.i64 0
  v3 = const.i64 4
  v4 = const.mask true
  v5 = select v4, v0, v2
  v6 = select v4, v0, v1
  jump block1(v0, v0, v0)
block1(v7: i64, v8: i64, v9: i64):
  v10 = add v7, v3
  branch v4, block1(v10, v0, v1), block2
block2:
  return
}";
        let places = places(text);
        let place = |number: u32| places.place(Value::from_u32(number));
        let slot = Object::Slot(Slot::from_u32(0));
        // An address that may be null has no place that is known.
        assert_eq!([5, 7, 10].map(place), [at(slot, None); 3]);
        assert_eq!(place(8), at(slot, Some(0)));
        assert_eq!([6, 9].map(place), [None; 2]);
    }

    #[test]
    fn parameters_lead_to_what_is_said_of_them() {
        let text = "
function workitem @f {
block0(v0: i64, v1: i64, v2: i64):
  v3 = const.i64 4
  v4 = add v0, v3
  v5 = add v1, v3
  v6 = add v0, v1
  return
}";
        let func = parse_function(text).expect("the test's text is IR");
        let handed_on = |number| (number != 1).then_some(Object::Parameter(number));
        let places = Places::of_callee(&func, &func.layout, |_| true, handed_on);
        let place = |number: u32| places.place(Value::from_u32(number));
        assert_eq!(
            [0, 2, 4, 6].map(place),
            [0, 2, 0, 0].map(|number| at(Object::Parameter(number), None))
        );
        assert_eq!([1, 5].map(place), [None; 2]);
    }
}
