//! Moves that happen at once, one after the other.

use regalloc2::Allocation;
use smallvec::SmallVec;

/// A move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    pub from: Allocation,
    pub to: Allocation,
}

/// Help with moves that go in a circle, or from memory to memory.
pub trait Spare {
    /// A register of the same kind that holds nothing, and is not in this list.
    fn register(&mut self, not: &[Allocation]) -> Option<Allocation>;
    /// Some register of the same kind, whatever it holds.
    fn any_register(&mut self) -> Allocation;
    /// Places on the stack that hold nothing: number 0 or 1.
    fn slot(&mut self, number: usize) -> Allocation;
}

/// Puts moves of one kind of register, whose targets are all different, in an order in which nothing is overwritten that is still to be
/// read.
pub fn in_order(moves: &[Move], spare: &mut impl Spare, mut emit: impl FnMut(Move)) {
    let mut open: SmallVec<[Move; 8]> = moves.iter().copied().filter(|one| one.from != one.to).collect();
    let mut involved: SmallVec<[Allocation; 16]> = open.iter().flat_map(|one| [one.from, one.to]).collect();
    while !open.is_empty() {
        let free = open.iter().position(|one| open.iter().all(|other| other.from != one.to));
        match free {
            Some(index) => {
                let one = open.swap_remove(index);
                write(one, &involved, spare, &mut emit);
            }
            None => {
                // A circle: what the first of it overwrites is kept elsewhere.
                let kept = open[0].to;
                let aside = match spare.register(&involved) {
                    Some(register) => register,
                    None => spare.slot(0),
                };
                involved.push(aside);
                write(Move { from: kept, to: aside }, &involved, spare, &mut emit);
                for one in open.iter_mut().filter(|one| one.from == kept) {
                    one.from = aside;
                }
            }
        }
    }
}

fn write(one: Move, involved: &[Allocation], spare: &mut impl Spare, emit: &mut impl FnMut(Move)) {
    if one.from.is_reg() || one.to.is_reg() {
        emit(one);
        return;
    }
    let (register, kept) = match spare.register(involved) {
        Some(register) => (register, None),
        None => (spare.any_register(), Some(spare.slot(1))),
    };
    if let Some(kept) = kept {
        emit(Move { from: register, to: kept });
    }
    emit(Move {
        from: one.from,
        to: register,
    });
    emit(Move {
        from: register,
        to: one.to,
    });
    if let Some(kept) = kept {
        emit(Move { from: kept, to: register });
    }
}
