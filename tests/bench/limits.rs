//! What the machine can do at most: measured by threads of this program, without OpenCL, so that rows can be read as parts of it.

use crate::latency::best;
use std::hint::black_box;

const GIBIBYTE: usize = 1 << 30;

/// Turns of the loop of multiply-adds.
const TURNS: u32 = 4_000_000;

/// Something that the machine does without OpenCL.
pub struct Limit {
    pub name: &'static str,
    pub unit: &'static str,
    pub value: f64,
    /// The rows that it is a limit of.
    pub rows: &'static [&'static str],
}

/// All limits of which a row was asked for.
pub fn measure(filter: &str) -> Vec<Limit> {
    let mut limits = Vec::new();
    let mut add = |name, unit, rows: &'static [&'static str], value: fn() -> f64| {
        if rows.iter().any(|row| row.contains(filter)) {
            let value = value();
            limits.push(Limit { name, unit, value, rows });
        }
    };
    add("memcpy of 1 GiB", "GB/s", &["copy 1 GiB, buffer to buffer"], memcpy);
    add(
        "fused multiply-adds",
        "GFLOP/s",
        &["fma peak (size_t)", "fma peak (int)"],
        multiply_adds,
    );
    limits
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// What a thread a processor makes of it with C's memcpy: bytes copied, not bytes read and written.
fn memcpy() -> f64 {
    let source = vec![1_u8; GIBIBYTE];
    let mut target = vec![0_u8; GIBIBYTE];
    let part = GIBIBYTE.div_ceil(threads());
    let time = best(|| {
        let parts = target.chunks_mut(part).zip(source.chunks(part));
        std::thread::scope(|scope| {
            for (target, source) in parts {
                scope.spawn(|| target.copy_from_slice(source));
            }
        });
    });
    assert_eq!(target[GIBIBYTE - 1], 1);
    GIBIBYTE as f64 / time.as_secs_f64() / 1e9
}

/// Floats multiplied and added, each counted as two operations, with vectors of the length that is the fastest.
fn multiply_adds() -> f64 {
    /// A loop, and the floats that one of its iterations multiplies and adds.
    type Chains = (fn() -> f32, u32);
    #[cfg_attr(not(target_arch = "x86_64"), allow(unused_mut))]
    let mut kinds: Vec<Chains> = vec![(portable, 12 * 4)];
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        if has!("avx2") && has!("fma") {
            // SAFETY: the machine has what they are compiled for.
            kinds = vec![(|| unsafe { x86::chains_of_256_bits() }, 12 * 8)];
        }
        if has!("avx512f") {
            // SAFETY: as above.
            kinds.push((|| unsafe { x86::chains_of_512_bits() }, 12 * 16));
        }
    }
    let speed = |(work, floats): Chains| {
        let time = best(|| {
            std::thread::scope(|scope| {
                for _ in 0..threads() {
                    // Every chain ends at the fixed point of v / 2 + 1.
                    scope.spawn(|| assert_eq!(work(), 2.0));
                }
            });
        });
        2.0 * f64::from(floats) * f64::from(TURNS) * threads() as f64 / time.as_secs_f64() / 1e9
    };
    kinds.into_iter().map(speed).fold(0.0, f64::max)
}

/// Twelve chains of four floats, for the compiler to make of what it likes.
fn portable() -> f32 {
    let mut v = [[black_box(0.0_f32); 4]; 12];
    let (m, a) = (black_box(0.5), black_box(1.0));
    for _ in 0..TURNS {
        v.iter_mut().flatten().for_each(|v| *v = v.mul_add(m, a));
    }
    v.into_iter().flatten().fold(0.0, f32::max)
}

/// Twelve chains hide the latency of two units, and each is in a register.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{TURNS, black_box};
    use std::arch::x86_64::*;

    macro_rules! chains {
        ($name:ident, $feature:literal, $floats:literal, $all:ident, $multiply_add:ident, $store:ident) => {
            #[target_feature(enable = $feature)]
            pub fn $name() -> f32 {
                let (m, a) = ($all(black_box(0.5)), $all(black_box(1.0)));
                let mut v = [$all(black_box(0.0)); 12];
                for _ in 0..TURNS {
                    for chain in &mut v {
                        *chain = $multiply_add(*chain, m, a);
                    }
                }
                let mut most = 0.0;
                for chain in v {
                    let mut floats = [0.0_f32; $floats];
                    // SAFETY: there is room for the vector.
                    unsafe { $store(floats.as_mut_ptr(), chain) };
                    most = floats.into_iter().fold(most, f32::max);
                }
                most
            }
        };
    }
    chains!(chains_of_256_bits, "avx2,fma", 8, _mm256_set1_ps, _mm256_fmadd_ps, _mm256_storeu_ps);
    chains!(chains_of_512_bits, "avx512f", 16, _mm512_set1_ps, _mm512_fmadd_ps, _mm512_storeu_ps);
}
