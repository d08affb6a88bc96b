//! Parts of the instruction set that machines have or lack whatever else they have.

/// Which of them code may use, by the names of CPUID's flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features {
    /// Affine maps of the bits of bytes.
    pub gfni: bool,
    /// Sums of four products of bytes, or two of words: with EVEX under AVX-512, else with VEX (AVX-VNNI).
    pub vnni: bool,
    /// Bits of 32 and 64 counted, under AVX-512.
    pub vpopcntdq: bool,
    /// Bits of 8 and 16 counted, under AVX-512.
    pub bitalg: bool,
    /// Permutations of bytes, under AVX-512.
    pub vbmi: bool,
    /// Shifts of two words as one, under AVX-512.
    pub vbmi2: bool,
    /// Arithmetic of halves, under AVX-512.
    pub fp16: bool,
}

impl Features {
    /// None of them.
    pub const NONE: Features = Features {
        gfni: false,
        vnni: false,
        vpopcntdq: false,
        bitalg: false,
        vbmi: false,
        vbmi2: false,
        fp16: false,
    };

    /// Those that this machine has for code of AVX2.
    #[cfg(target_arch = "x86_64")]
    pub fn beside_avx2() -> Features {
        use std::arch::is_x86_feature_detected as has;
        Features {
            gfni: has!("gfni"),
            vnni: has!("avxvnni"),
            ..Features::NONE
        }
    }

    /// Those that it has for code of AVX-512.
    #[cfg(target_arch = "x86_64")]
    pub fn beside_avx512() -> Features {
        use std::arch::is_x86_feature_detected as has;
        Features {
            gfni: has!("gfni"),
            vnni: has!("avx512vnni"),
            vpopcntdq: has!("avx512vpopcntdq"),
            bitalg: has!("avx512bitalg"),
            vbmi: has!("avx512vbmi"),
            vbmi2: has!("avx512vbmi2"),
            fp16: has!("avx512fp16"),
        }
    }
}
