//! Whether launches use code that is there, but slower, or wait for better code to be compiled.
//!
//! A large kernel takes long to compile, and a program may launch it a few times only. Who rents until the rent is what buying costs pays at most twice what
//! was best (Karlin and others: Competitive Snoopy Caching, 1988): so launches use what is there until they have taken as long as compiling will.

use std::sync::atomic::{AtomicU64, Ordering};

/// Code for gangs takes so many times as long to compile as that for single work-items: of hashcat's kernels, 3 to 5 times.
const GANGS_TAKE: u64 = 4;

/// Nanoseconds: what is compiled sooner is not worth a guess of what launches will take.
const SOON_COMPILED: u64 = 2_000_000;

const BOUGHT: u64 = u64::MAX;

/// Nanoseconds that launches took with code that was there.
#[derive(Debug, Default)]
pub(crate) struct Rent(AtomicU64);

/// A launch by code that is there.
pub(crate) struct Offer {
    /// Nanoseconds that the launch will take.
    pub launch: u64,
    /// Nanoseconds that the code took to compile.
    pub compiled_in: u64,
}

impl Rent {
    /// Better code is compiled, or will be for this launch.
    pub fn is_over(&self) -> bool {
        self.0.load(Ordering::Relaxed) == BOUGHT
    }

    /// Whether a launch takes the offer, if there is one; if not, it is over.
    pub fn takes(&self, offer: Option<Offer>) -> bool {
        let so_far = self.0.load(Ordering::Relaxed);
        let all = offer
            .filter(|offer| so_far != BOUGHT && offer.compiled_in >= SOON_COMPILED)
            .and_then(|offer| {
                let all = so_far.saturating_add(offer.launch);
                (all < GANGS_TAKE.saturating_mul(offer.compiled_in)).then_some(all)
            });
        self.0.store(all.unwrap_or(BOUGHT), Ordering::Relaxed);
        all.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLISECOND: u64 = 1_000_000;

    fn offer(launch: u64, compiled_in: u64) -> Option<Offer> {
        Some(Offer {
            launch: launch * MILLISECOND,
            compiled_in: compiled_in * MILLISECOND,
        })
    }

    #[test]
    fn launches_rent_until_it_costs_as_much_as_compiling() {
        let rent = Rent::default();
        assert_eq!(
            [50, 50, 50, 50, 1].map(|launch| rent.takes(offer(launch, 48))),
            [true, true, true, false, false]
        );
        assert!(rent.is_over());
    }

    #[test]
    fn long_launches_and_small_kernels_do_not_wait() {
        assert!(!Rent::default().takes(offer(200, 48)));
        assert!(!Rent::default().takes(offer(0, 1)));
        let rent = Rent::default();
        assert!(!rent.is_over() && !rent.takes(None) && rent.is_over());
    }
}
