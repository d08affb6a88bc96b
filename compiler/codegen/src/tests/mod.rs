//! What code generators make of each operation, against [`ir::eval`]: the same tests for each of them.

#![allow(clippy::duplicate_mod)]

#[cfg(any(feature = "arm64", target_arch = "aarch64"))]
mod arm64;

macro_rules! for_back_end {
    ($module:ident, $back_end:ident) => {
        #[path = "."]
        mod $module {
            pub const BACK_END: target::BackEnd = target::BackEnd::$back_end;

            #[path = "atomics.rs"]
            mod atomics;
            #[path = "conditional.rs"]
            mod conditional;
            #[path = "control.rs"]
            mod control;
            #[path = "conversions.rs"]
            mod conversions;
            #[path = "estimates.rs"]
            mod estimates;
            #[path = "harness.rs"]
            pub mod harness;
            #[path = "lanes.rs"]
            mod lanes;
            #[path = "lanewise.rs"]
            pub mod lanewise;
            #[path = "memory.rs"]
            mod memory;
            #[path = "products.rs"]
            mod products;
            #[path = "quotients.rs"]
            mod quotients;
            #[path = "records.rs"]
            mod records;
            #[path = "strided.rs"]
            mod strided;
        }
    };
}

for_back_end!(cranelift, Cranelift);
#[cfg(target_arch = "x86_64")]
for_back_end!(avx2_base, Avx2Base);
#[cfg(target_arch = "x86_64")]
for_back_end!(avx2, Avx2);
#[cfg(target_arch = "x86_64")]
for_back_end!(avx512_base, Avx512Base);
#[cfg(target_arch = "x86_64")]
for_back_end!(avx512, Avx512);
