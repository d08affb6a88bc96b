//! Loops of intrinsics.

use super::loops::{CHAINS, ITERATIONS, LOADS};
use std::arch::x86_64::*;
use std::hint::black_box;

/// Chains of a register each.
macro_rules! chains {
    ($name:ident, $feature:literal, $start:expr, |$v:ident, $a:ident, $b:ident| $step:expr, $first:expr, $second:expr) => {
        #[target_feature(enable = $feature)]
        pub fn $name((): ()) {
            let ($a, $b) = (black_box($first), black_box($second));
            let mut chains = [black_box($start); CHAINS];
            for _ in 0..ITERATIONS {
                for $v in &mut chains {
                    *$v = $step;
                }
            }
            black_box(chains);
        }
    };
}

chains!(
    float_256,
    "avx2,fma",
    _mm256_set1_ps(1.0),
    |v, a, b| _mm256_fmadd_ps(*v, a, b),
    _mm256_set1_ps(0.5),
    _mm256_set1_ps(1.0)
);
chains!(
    float_512,
    "avx512f",
    _mm512_set1_ps(1.0),
    |v, a, b| _mm512_fmadd_ps(*v, a, b),
    _mm512_set1_ps(0.5),
    _mm512_set1_ps(1.0)
);
chains!(
    double_256,
    "avx2,fma",
    _mm256_set1_pd(1.0),
    |v, a, b| _mm256_fmadd_pd(*v, a, b),
    _mm256_set1_pd(0.5),
    _mm256_set1_pd(1.0)
);
chains!(
    double_512,
    "avx512f",
    _mm512_set1_pd(1.0),
    |v, a, b| _mm512_fmadd_pd(*v, a, b),
    _mm512_set1_pd(0.5),
    _mm512_set1_pd(1.0)
);
chains!(
    int_256,
    "avx2",
    _mm256_set1_epi32(1),
    |v, a, b| _mm256_xor_si256(_mm256_add_epi32(*v, a), b),
    _mm256_set1_epi32(3),
    _mm256_set1_epi32(7)
);
chains!(
    int_512,
    "avx512f",
    _mm512_set1_epi32(1),
    |v, a, b| _mm512_xor_si512(_mm512_add_epi32(*v, a), b),
    _mm512_set1_epi32(3),
    _mm512_set1_epi32(7)
);
chains!(
    multiply_256,
    "avx2",
    _mm256_set1_epi32(1),
    |v, a, b| _mm256_add_epi32(_mm256_mullo_epi32(*v, a), b),
    _mm256_set1_epi32(3),
    _mm256_set1_epi32(7)
);
chains!(
    multiply_512,
    "avx512f",
    _mm512_set1_epi32(1),
    |v, a, b| _mm512_add_epi32(_mm512_mullo_epi32(*v, a), b),
    _mm512_set1_epi32(3),
    _mm512_set1_epi32(7)
);
chains!(
    dot_256,
    "avx2",
    _mm256_set1_epi32(1),
    |v, a, b| _mm256_add_epi32(*v, _mm256_madd_epi16(_mm256_maddubs_epi16(*v, b), a)),
    _mm256_set1_epi16(1),
    _mm256_set1_epi8(5)
);
chains!(
    dot_512,
    "avx512f,avx512vnni",
    _mm512_set1_epi32(1),
    |v, a, b| _mm512_dpbusd_epi32(*v, a, b),
    _mm512_set1_epi8(3),
    _mm512_set1_epi8(5)
);

/// Reads words, of which there are a multiple of 64, so many times: in four streams at once, which a thread reads faster than one.
macro_rules! read {
    ($name:ident, $feature:literal, $vector:ty, $zero:ident, $load:ident, $or:ident, $words:literal) => {
        #[target_feature(enable = $feature)]
        pub fn $name((words, again): &(Vec<u64>, usize)) {
            let quarter = words.len() / 4;
            for _ in 0..*again {
                let mut sums = [$zero(); 8];
                for at in (0..quarter).step_by($words * 2) {
                    for (n, sum) in sums.iter_mut().enumerate() {
                        // SAFETY: a quarter is a multiple of two vectors, and the vector is in one.
                        *sum = $or(*sum, unsafe {
                            $load(words.as_ptr().add(n / 2 * quarter + at + n % 2 * $words).cast())
                        });
                    }
                }
                black_box(sums);
            }
        }
    };
}

read!(
    read_256,
    "avx2",
    __m256i,
    _mm256_setzero_si256,
    _mm256_loadu_si256,
    _mm256_or_si256,
    4
);
read!(
    read_512,
    "avx512f",
    __m512i,
    _mm512_setzero_si512,
    _mm512_loadu_si512,
    _mm512_or_si512,
    8
);

/// Four vectors of places, each of which goes through a table of a power of two of words in an order of its own.
#[target_feature(enable = "avx2")]
pub fn gather_256(table: &[u32]) {
    let mask = _mm256_set1_epi32(table.len() as i32 - 1);
    let first = _mm256_setr_epi32(0, 2_654_435, 5_308_871, 7_963_307, 10_617_743, 13_272_179, 15_926_615, 18_581_051);
    let mut at: [__m256i; 4] = std::array::from_fn(|n| _mm256_add_epi32(first, _mm256_set1_epi32(n as i32 * 977)));
    let mut sums = [_mm256_setzero_si256(); 4];
    for _ in 0..LOADS / 32 {
        for (at, sum) in at.iter_mut().zip(&mut sums) {
            // SAFETY: the mask keeps places within the table.
            let loaded = unsafe { _mm256_i32gather_epi32::<4>(table.as_ptr().cast(), _mm256_and_si256(*at, mask)) };
            *sum = _mm256_add_epi32(*sum, loaded);
            *at = _mm256_add_epi32(_mm256_add_epi32(*at, _mm256_slli_epi32::<2>(*at)), _mm256_set1_epi32(0x1234_5671));
        }
    }
    black_box(sums);
}

/// The same with vectors twice as long.
#[target_feature(enable = "avx512f")]
pub fn gather_512(table: &[u32]) {
    let mask = _mm512_set1_epi32(table.len() as i32 - 1);
    let step = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    let first = _mm512_mullo_epi32(step, _mm512_set1_epi32(2_654_435));
    let mut at: [__m512i; 4] = std::array::from_fn(|n| _mm512_add_epi32(first, _mm512_set1_epi32(n as i32 * 977)));
    let mut sums = [_mm512_setzero_si512(); 4];
    for _ in 0..LOADS / 64 {
        for (at, sum) in at.iter_mut().zip(&mut sums) {
            // SAFETY: the mask keeps places within the table.
            let loaded = unsafe { _mm512_i32gather_epi32::<4>(_mm512_and_si512(*at, mask), table.as_ptr().cast()) };
            *sum = _mm512_add_epi32(*sum, loaded);
            *at = _mm512_add_epi32(_mm512_add_epi32(*at, _mm512_slli_epi32::<2>(*at)), _mm512_set1_epi32(0x1234_5671));
        }
    }
    black_box(sums);
}
