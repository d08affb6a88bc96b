//! Which registers there are for the allocator, and which of them a call may change.

use super::machine::gpr;
use super::target::Target;
use regalloc2::{MachineEnv, PReg, PRegSet, RegClass};

/// Registers that a function gives back as it found them, besides the frame pointer.
pub const CALLEE_SAVED: [u8; 5] = [3, 12, 13, 14, 15];

/// Mask registers: the first one means that there is no mask.
const MASKS: [usize; 7] = [1, 2, 3, 4, 5, 6, 7];

/// All vector registers and the general ones that a called function may change.
pub fn call_clobbers(target: Target) -> PRegSet {
    let mut set = PRegSet::empty();
    for number in [0, 1, 2, 6, 7, 8, 9, 10, 11] {
        set.add(gpr(number));
    }
    for number in 0..target.vectors() {
        set.add(PReg::new(number, RegClass::Float));
    }
    if target.masks {
        MASKS.iter().for_each(|&number| set.add(PReg::new(number, RegClass::Vector)));
    }
    set
}

/// The allocator's registers.
pub fn environment(target: Target) -> MachineEnv {
    let set = |numbers: &[usize], class| {
        let mut set = PRegSet::empty();
        numbers.iter().for_each(|&number| set.add(PReg::new(number, class)));
        set
    };
    let vectors: [usize; 16] = std::array::from_fn(|number| number);
    // These take a byte more in instructions of 256 bits and less.
    let far: Vec<usize> = (16..target.vectors()).collect();
    let masks: &[usize] = if target.masks { &MASKS } else { &[] };
    MachineEnv {
        preferred_regs_by_class: [
            set(&[0, 1, 2, 6, 7, 8, 9, 10, 11], RegClass::Int),
            set(&vectors, RegClass::Float),
            set(masks, RegClass::Vector),
        ],
        non_preferred_regs_by_class: [
            set(&CALLEE_SAVED.map(usize::from), RegClass::Int),
            set(&far, RegClass::Float),
            PRegSet::empty(),
        ],
        scratch_by_class: [None; 3],
        fixed_stack_slots: Vec::new(),
    }
}
