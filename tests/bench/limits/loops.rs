//! The loops: for each resource the best of those that this machine can run.

#[cfg(target_arch = "x86_64")]
use super::x86;
use super::{rate, threads};
#[cfg(target_arch = "x86_64")]
use std::arch::is_x86_feature_detected as has;
use std::hint::black_box;

/// Bytes that a measurement of memory goes through at least, so that starting threads does not count.
const BYTES: usize = 256 << 20;
/// Iterations of loops of arithmetic, and the chains in each, which hide the latency of two units, with each in a register.
pub(super) const ITERATIONS: u32 = 2_000_000;
pub(super) const CHAINS: usize = 12;
/// Gathers and chained loads of a measurement.
pub(super) const LOADS: u32 = 4_000_000;

/// Loops of one kind, with what an iteration does of it.
type Loops<T> = Vec<(fn(T), f64)>;

/// Adds the loops of intrinsics that the machine has the features for.
macro_rules! where_possible {
    ($loops:ident, $type:ty, $possible:expr, $work:path, $amount:expr) => {
        #[cfg(target_arch = "x86_64")]
        if $possible {
            // SAFETY: the machine has what it is compiled for.
            $loops.push((|input: $type| unsafe { $work(input) }, $amount));
        }
    };
}

/// The best rate of some loops of arithmetic.
fn arithmetic(loops: Loops<()>) -> f64 {
    let rates = loops.into_iter().map(|(work, amount)| {
        let all = amount * CHAINS as f64 * f64::from(ITERATIONS);
        rate(all, &mut vec![(); threads()], |()| work(()))
    });
    rates.fold(0.0, f64::max)
}

/// Chains that the compiler makes of it what it likes.
macro_rules! portable {
    ($type:ty, $lanes:literal, $start:expr, $step:expr) => {
        (
            |()| {
                let mut chains = [[black_box::<$type>($start); $lanes]; CHAINS];
                for _ in 0..ITERATIONS {
                    chains.iter_mut().flatten().for_each(|v| *v = $step(*v));
                }
                black_box(chains);
            },
            f64::from($lanes),
        )
    };
}

pub(super) fn float() -> f64 {
    #[cfg_attr(not(target_arch = "x86_64"), allow(unused_mut))]
    let mut loops: Loops<()> = vec![portable!(f32, 4, 1.0, |v: f32| v * 0.5 + 1.0)];
    where_possible!(loops, (), has!("avx2") && has!("fma"), x86::float_256, 8.0);
    where_possible!(loops, (), has!("avx512f"), x86::float_512, 16.0);
    arithmetic(loops)
}

pub(super) fn double() -> f64 {
    #[cfg_attr(not(target_arch = "x86_64"), allow(unused_mut))]
    let mut loops: Loops<()> = vec![portable!(f64, 2, 1.0, |v: f64| v * 0.5 + 1.0)];
    where_possible!(loops, (), has!("avx2") && has!("fma"), x86::double_256, 4.0);
    where_possible!(loops, (), has!("avx512f"), x86::double_512, 8.0);
    arithmetic(loops)
}

pub(super) fn int() -> f64 {
    #[cfg_attr(not(target_arch = "x86_64"), allow(unused_mut))]
    let mut loops: Loops<()> = vec![portable!(u32, 4, 1, |v: u32| black_box(7) ^ v.wrapping_add(3))];
    // An addition and a bitwise operation each.
    loops[0].1 *= 2.0;
    where_possible!(loops, (), has!("avx2"), x86::int_256, 16.0);
    where_possible!(loops, (), has!("avx512f"), x86::int_512, 32.0);
    arithmetic(loops)
}

pub(super) fn multiply() -> f64 {
    #[cfg_attr(not(target_arch = "x86_64"), allow(unused_mut))]
    let mut loops: Loops<()> = vec![portable!(u32, 4, 1, |v: u32| v.wrapping_mul(1_664_525).wrapping_add(1))];
    where_possible!(loops, (), has!("avx2"), x86::multiply_256, 8.0);
    where_possible!(loops, (), has!("avx512f"), x86::multiply_512, 16.0);
    arithmetic(loops)
}

pub(super) fn dot() -> f64 {
    #[cfg_attr(not(target_arch = "x86_64"), allow(unused_mut))]
    let mut loops: Loops<()> = vec![portable!(i32, 4, 1, |v: i32| v.wrapping_add(i32::from(black_box(3_i8)) * 5))];
    where_possible!(loops, (), has!("avx2"), x86::dot_256, 32.0);
    where_possible!(loops, (), has!("avx512vnni") && has!("avx512f"), x86::dot_512, 64.0);
    arithmetic(loops)
}

/// Each thread reads a part of its own, again and again.
pub(super) fn read(bytes: usize) -> f64 {
    let words = (bytes / threads() / 512).max(1) * 64;
    let again = (BYTES / threads()).div_ceil(words * 8);
    type Part = (Vec<u64>, usize);
    type Reads = (fn(&Part), f64);
    #[cfg_attr(not(target_arch = "x86_64"), allow(unused_mut))]
    let mut loops: Vec<Reads> = vec![(
        |(words, again): &Part| {
            for _ in 0..*again {
                black_box(words.iter().fold(0, |sum, word| sum ^ word));
            }
        },
        0.0,
    )];
    where_possible!(loops, &Part, has!("avx2"), x86::read_256, 0.0);
    where_possible!(loops, &Part, has!("avx512f"), x86::read_512, 0.0);
    let mut parts: Vec<Part> = (0..threads()).map(|_| (vec![1; words], again)).collect();
    let rates = loops
        .into_iter()
        .map(|(work, _)| rate((words * 8 * again) as f64, &mut parts, |part| work(part)));
    rates.fold(0.0, f64::max)
}

/// Each thread copies a part of its own, again and again.
pub(super) fn copy(bytes: usize) -> f64 {
    let half = (bytes / threads() / 2).max(64);
    let again = (BYTES / threads()).div_ceil(half * 2);
    let mut parts: Vec<(Vec<u8>, Vec<u8>)> = (0..threads()).map(|_| (vec![1; half], vec![0; half])).collect();
    rate((half * 2 * again) as f64, &mut parts, |(from, to)| {
        for _ in 0..again {
            to.copy_from_slice(from);
            black_box(&mut *to);
        }
    })
}

/// A table of a power of two of words.
fn table(bytes: usize) -> Vec<u32> {
    vec![1; (bytes / 4).next_power_of_two().max(16)]
}

pub(super) fn gather(bytes: usize) -> f64 {
    let table = table(bytes);
    #[cfg_attr(not(target_arch = "x86_64"), allow(unused_mut))]
    let mut loops: Loops<&[u32]> = vec![(
        |table| {
            let (mut at, mut sum, mask) = (black_box(1_u32), 0_u32, table.len() - 1);
            for _ in 0..LOADS {
                sum = sum.wrapping_add(table[at as usize & mask]);
                at = at.wrapping_mul(5).wrapping_add(0x1234_5671);
            }
            black_box(sum);
        },
        1.0,
    )];
    where_possible!(loops, &[u32], has!("avx2"), x86::gather_256, 1.0);
    where_possible!(loops, &[u32], has!("avx512f"), x86::gather_512, 1.0);
    let rates = loops
        .into_iter()
        .map(|(work, _)| rate(f64::from(LOADS), &mut vec![(); threads()], |()| work(&table)));
    rates.fold(0.0, f64::max)
}

pub(super) fn link(bytes: usize) -> f64 {
    // All of the table is one cycle, in no order.
    let mut next = table(bytes);
    let mask = next.len() - 1;
    let place = |n: usize| (n.wrapping_mul(0x9e37_79b1) ^ n << 3 & mask) & mask;
    let order: Vec<usize> = {
        let mut seen = vec![false; next.len()];
        let mut order: Vec<usize> = (0..next.len())
            .map(place)
            .filter(|&at| !std::mem::replace(&mut seen[at], true))
            .collect();
        order.extend((0..next.len()).filter(|&at| !seen[at]));
        order
    };
    for (n, &at) in order.iter().enumerate() {
        next[at] = order[(n + 1) & mask] as u32;
    }
    rate(f64::from(LOADS), &mut vec![(); threads()], |()| {
        let mut at = 0;
        for _ in 0..LOADS {
            at = next[at as usize];
        }
        black_box(at);
    })
}
