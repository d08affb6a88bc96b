//! Instruction set extensions of the processor that code generation and copying choose by.

macro_rules! features {
    ($($field:ident: $x86:tt, $arm:tt;)*) => {
        /// Which extensions the processor has (and the system has switched on).
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[allow(missing_docs)]
        pub struct Features { $(pub $field: bool,)* }

        impl Features {
            /// Those of the processor that runs this.
            pub fn detect() -> Features {
                Features { $($field: detect!($x86, $arm),)* }
            }

            /// The names of those that are there.
            pub fn names(&self) -> Vec<&'static str> {
                [$((self.$field, stringify!($field)),)*].into_iter().filter_map(|(there, name)| there.then_some(name)).collect()
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
macro_rules! detect {
    ("", $arm:tt) => {
        false
    };
    ($x86:tt, $arm:tt) => {
        std::arch::is_x86_feature_detected!($x86)
    };
}

#[cfg(target_arch = "aarch64")]
macro_rules! detect {
    ($x86:tt, "") => {
        false
    };
    ($x86:tt, $arm:tt) => {
        std::arch::is_aarch64_feature_detected!($arm)
    };
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
macro_rules! detect {
    ($x86:tt, $arm:tt) => {
        false
    };
}

features! {
    sse4_1: "sse4.1", "";
    sse4_2: "sse4.2", "";
    popcnt: "popcnt", "";
    lzcnt: "lzcnt", "";
    avx: "avx", "";
    avx2: "avx2", "";
    bmi1: "bmi1", "";
    bmi2: "bmi2", "";
    fma: "fma", "";
    f16c: "f16c", "";
    gfni: "gfni", "";
    avx512f: "avx512f", "";
    avx512bw: "avx512bw", "";
    avx512dq: "avx512dq", "";
    avx512vl: "avx512vl", "";
    avx512cd: "avx512cd", "";
    avx512ifma: "avx512ifma", "";
    avx512vbmi: "avx512vbmi", "";
    avx512vbmi2: "avx512vbmi2", "";
    avx512vnni: "avx512vnni", "";
    avx512bitalg: "avx512bitalg", "";
    avx512vpopcntdq: "avx512vpopcntdq", "";
    avx512bf16: "avx512bf16", "";
    avx512fp16: "avx512fp16", "";
    neon: "", "neon";
    fp16: "", "fp16";
    bf16: "", "bf16";
    dotprod: "", "dotprod";
    lse: "", "lse";
    sve: "", "sve";
    sve2: "", "sve2";
}

impl Features {
    /// AVX-512 as far as vector code needs it: F, BW, DQ, VL and CD.
    pub fn avx512(&self) -> bool {
        self.avx512f && self.avx512bw && self.avx512dq && self.avx512vl && self.avx512cd
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_agree_with_flags() {
        let features = Features {
            avx2: true,
            fma: true,
            ..Features::default()
        };
        assert_eq!(features.names(), ["avx2", "fma"]);
    }

    #[test]
    fn the_processor_agrees_with_the_kernel() {
        // An emulator may show the file of the machine that it runs on, which then has no such line.
        let line = if cfg!(target_arch = "aarch64") { "Features" } else { "flags" };
        let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let Some(flags) = cpuinfo.lines().find(|found| found.starts_with(line)) else {
            return println!("/proc/cpuinfo has no line {line}");
        };
        let has = |name: &str| flags.split_whitespace().any(|flag| flag == name);
        let features = Features::detect();
        if cfg!(target_arch = "aarch64") {
            let found = [
                features.neon,
                features.fp16,
                features.dotprod,
                features.lse,
                features.sve,
                features.sve2,
            ];
            assert_eq!(found, ["asimd", "asimdhp", "asimddp", "atomics", "sve", "sve2"].map(has));
        } else {
            assert_eq!([features.avx2, features.fma, features.avx512f], ["avx2", "fma", "avx512f"].map(has));
        }
    }
}
