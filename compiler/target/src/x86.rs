//! Which of our own back ends this machine can run.

use std::arch::is_x86_feature_detected as has;

/// The machine has what code for AVX2 needs.
pub fn has_avx2() -> bool {
    has!("avx2") && has!("fma") && has!("f16c") && has!("bmi1") && has!("bmi2") && has!("lzcnt") && has!("popcnt")
}

/// The machine has the parts of AVX-512 that the code needs, and AVX2.
pub fn has_avx512() -> bool {
    has_avx2() && has!("avx512f") && has!("avx512bw") && has!("avx512dq") && has!("avx512vl") && has!("avx512cd")
}
