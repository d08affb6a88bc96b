//! Pointers into private memory: the slot that each leads to, and how far from its beginning.
//!
//! Sums are followed from the address of a slot on. What comes from memory, or by a block's parameter, leads to no slot that is known.

use cranelift_entity::SecondaryMap;
use ir::*;

/// A place in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The slot.
    pub slot: Slot,
    /// Bytes from its beginning, if they are the same whatever the kernel computes.
    pub offset: Option<i64>,
}

/// The places that values are the addresses of.
#[derive(Clone, Debug)]
pub struct SlotPlaces {
    places: SecondaryMap<Value, Option<Place>>,
}

impl SlotPlaces {
    /// Finds them in the blocks of a reverse postorder.
    pub fn new(func: &Function, order: &[Block]) -> SlotPlaces {
        let mut this = SlotPlaces {
            places: SecondaryMap::new(),
        };
        if func.slots.is_empty() {
            return this;
        }
        for inst in func.insts_of(order) {
            let place = match func.inst(inst).data {
                InstData::SlotAddress { slot } => Some(Place { slot, offset: Some(0) }),
                InstData::Binary {
                    op: op @ (BinaryOp::Add | BinaryOp::Sub),
                    args: [a, b],
                } => {
                    let (pointer, by) = match (this.places[a], this.places[b]) {
                        (Some(place), None) => (Some(place), func.signed_constant(b)),
                        (None, Some(place)) if op == BinaryOp::Add => (Some(place), func.signed_constant(a)),
                        _ => (None, None),
                    };
                    let by = if op == BinaryOp::Sub { by.and_then(i64::checked_neg) } else { by };
                    pointer.map(|place| Place {
                        offset: place.offset.zip(by).and_then(|(offset, by)| offset.checked_add(by)),
                        ..place
                    })
                }
                _ => None,
            };
            if place.is_some() {
                this.places[func.result(inst)] = place;
            }
        }
        this
    }

    /// The place that a value is the address of.
    pub fn place(&self, value: Value) -> Option<Place> {
        self.places[value]
    }

    /// The slot that a value leads to.
    pub fn slot(&self, value: Value) -> Option<Slot> {
        self.places[value].map(|place| place.slot)
    }

    /// An instruction adds something to the address of a place, and gives that of another in the same slot.
    pub fn is_sum(&self, func: &Function, inst: Inst) -> bool {
        matches!(func.inst(inst).data, InstData::Binary { op: BinaryOp::Add, .. }) && self.places[func.result(inst)].is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::parse::parse_function;

    #[test]
    fn sums_are_followed_as_far_as_they_are_of_one_slot() {
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
  store v2, private align 8 [v7]
  return
}";
        let func = parse_function(text).expect("the test's text is IR");
        let places = SlotPlaces::new(&func, &func.layout);
        let slot = |number: u32| Slot::from_u32(number);
        let place = |number: u32| places.place(Value::from_u32(number));
        let at = |number: u32, offset: Option<i64>| {
            Some(Place {
                slot: slot(number),
                offset,
            })
        };
        assert_eq!(
            [0, 1, 4, 5].map(place),
            [at(0, Some(0)), at(1, Some(0)), at(0, Some(8)), at(0, Some(0))]
        );
        assert_eq!([6, 7].map(place), [at(0, None); 2]);
        // Of a number, of two slots, and no sum.
        assert_eq!([2, 3, 8, 9, 10].map(place), [None; 5]);
    }
}
