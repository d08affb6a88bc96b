//! In which order a loop's iterations and its lanes go along memory.

use analysis::linear::{Extension, Linear, View};
use ir::*;
use rustc_hash::FxHashSet;

/// Lanes are next to each other, and what they access in an iteration lies behind all of what they accessed in the one before: the loop is one
/// over gangs, say, and each lane by itself goes along no row. `own` are the loop's values, of which `counter` grows by `step`.
pub(super) fn is_by_iterations(func: &Function, access: &Access, own: &FxHashSet<Value>, (counter, step): (Value, i64)) -> bool {
    let address = &access.address;
    let Some(lanes) = address.index.and_then(|index| eval::constant_lanes(func, index)) else {
        return false;
    };
    let distance = |pair: &[u64]| pair[1].wrapping_sub(pair[0]) as i64;
    let Some(apart) = lanes.windows(2).map(distance).max() else {
        return false;
    };
    let apart = apart.saturating_mul(address.scale.into());
    let Some(form) = Linear::of(func, address.base, None, &Counters { func, own, counter }) else {
        return false;
    };
    let factors = form.terms.iter().filter(|((value, _), _)| *value == counter);
    let factor = factors.map(|&(_, factor)| factor).fold(0, i64::saturating_add);
    let all = apart.saturating_mul(lanes.len() as i64);
    apart > 0 && factor.saturating_mul(step).saturating_abs() >= all
}

/// A loop's counter, and what the loop doesn't change, are terms. Nothing wraps: it is asked for an estimate.
struct Counters<'a> {
    func: &'a Function,
    own: &'a FxHashSet<Value>,
    counter: Value,
}

impl View for Counters<'_> {
    fn is_term(&self, value: Value, _: Extension) -> bool {
        value == self.counter || !self.own.contains(&value) && self.func.constant(value).is_none()
    }

    fn is_exact(&self, _: Value, _: Extension, _: &Linear) -> bool {
        true
    }

    fn through(&self, _: ConvertOp, _: Value, outer: Extension) -> Option<Extension> {
        Some(outer)
    }
}
