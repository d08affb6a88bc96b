//! Machines by name: what is published of each, where it is not what they have in common ([`super::costs`]).
//!
//! Divisions, roots, products, comparisons and loads are those of LLVM 22's scheduling tables, as `llvm-mca` prints them, for Zen 3, Zen 4,
//! Skylake, Sapphire Rapids and Neoverse, but for what is marked as an estimate: that is set from what is generally known of the machine, and was
//! not compared with a table. Not in the tables, so as all have it: gathers, what is made of several instructions, and what depends on the program.
//!
//! Windows of vectors are the entries of schedulers and of queues before them: AMD's by its Software Optimization Guides (56665, 57647 and 58455: 2 x 32 and
//! 64 for Zen 3 and 4, 3 x 38 and 96 for Zen 5), Intel's by its presentation of Skylake (Developer Forum, 2015: 97), which Chips and Cheese measured for Golden
//! Cove as well. Of Arm's and Apple's machines they are estimates: half of the reorder buffers that Arm tells of.
//!
//! Reorder buffers are the vendors' where they are shorter than what all have it for. Longer ones are not entered: with 512 for Sapphire Rapids,
//! gangs that wait for their own results were no longer run two at once, which took such a kernel 6 % longer there.

use super::costs::{Costs, LATENCIES, LONG_VECTORS, Latencies, SHORT_VECTORS};
use super::{BackEnd, Machine};
use once_cell::race::OnceBox;

/// A machine that there are numbers for, with the back end that suits it.
pub struct Model {
    /// In `BROLGA_TARGET`, `brolga opt` and tests.
    pub name: &'static str,
    pub(super) back_end: BackEnd,
    costs: Costs,
}

const ZEN_3: Costs = Costs {
    latency: Latencies {
        float_division: 11,
        square_root: 15,
        rounding: 3,
        float_comparison: 1,
        float_conversion: 4,
        integer_division: 13,
        vector_multiplication: 3,
        vector_long_multiplication: 6,
        vector_short_multiplication: 3,
        load: 8,
        ..LATENCIES
    },
    scalar: 1.0 / 4.0,
    scalar_float_division: 3.0,
    integer_vector: 1.0 / 4.0,
    vector_window: 128,
    ..SHORT_VECTORS
};

/// 512 bits are two times 256.
const ZEN_4: Costs = Costs {
    latency: Latencies {
        float_comparison: 2,
        integer_division: 12,
        vector_long_multiplication: 3,
        lane: 4,
        ..ZEN_3.latency
    },
    scalar: 1.0 / 4.0,
    scalar_float_division: 3.0,
    vector: 1.0,
    vector_rotation: 1.0,
    vector_float_division: 6.0,
    vector_window: 128,
    ..LONG_VECTORS
};

/// All units have 512 bits. Rates are estimates; LLVM has Zen 4's latencies for it.
const ZEN_5: Costs = Costs {
    vector: 1.0 / 2.0,
    integer_vector: 1.0 / 4.0,
    vector_multiplication: 1.0 / 2.0,
    vector_long_multiplication: 1.0 / 2.0,
    vector_rotation: 1.0 / 2.0,
    vector_window: 210,
    ..ZEN_4
};

/// The division of integers is an estimate.
const SKYLAKE: Costs = Costs {
    latency: Latencies {
        float_division: 11,
        square_root: 12,
        rounding: 8,
        float_comparison: 4,
        integer_division: 26,
        load: 7,
        ..LATENCIES
    },
    scalar: 1.0 / 4.0,
    scalar_float_division: 3.0,
    vector_multiplication: 1.0,
    vector_float_division: 5.0,
    reorder_window: 224,
    ..SHORT_VECTORS
};

/// With the second unit of 512 bits that servers have. Rates of divisions and of products of 64 bits are estimates.
const SAPPHIRE_RAPIDS: Costs = Costs {
    latency: Latencies {
        float_division: 17,
        square_root: 19,
        rounding: 8,
        integer_division: 15,
        load: 8,
        ..LONG_VECTORS.latency
    },
    scalar: 1.0 / 5.0,
    vector_long_multiplication: 1.5,
    vector_rotation: 1.0,
    vector_float_division: 10.0,
    ..LONG_VECTORS
};

const NEOVERSE_N1: Costs = Costs {
    latency: Latencies {
        float_division: 10,
        square_root: 10,
        float_comparison: 2,
        float_conversion: 3,
        integer_division: 12,
        vector_multiplication: 4,
        vector_short_multiplication: 4,
        lane: 2,
        load: 5,
        ..LATENCIES
    },
    scalar_float_division: 7.0,
    scalar_integer_division: 5.0,
    integer_vector: 1.0 / 2.0,
    shuffle: 1.0 / 2.0,
    vector_multiplication: 2.0,
    vector_float_division: 7.0,
    reorder_window: 128,
    vector_window: 64,
    ..SHORT_VECTORS
};

const NEOVERSE_V1: Costs = Costs {
    latency: Latencies {
        load: 6,
        ..NEOVERSE_N1.latency
    },
    scalar: 1.0 / 4.0,
    scalar_float_division: 3.5,
    vector: 1.0 / 4.0,
    integer_vector: 1.0 / 4.0,
    vector_multiplication: 1.0 / 2.0,
    vector_float_division: 3.5,
    vector_window: 128,
    ..NEOVERSE_N1
};

const NEOVERSE_V2: Costs = Costs {
    scalar: 1.0 / 6.0,
    scalar_integer_division: 12.0,
    vector_float_division: 5.0,
    ..NEOVERSE_V1
};

/// Estimates: LLVM has the table of a machine long before it.
const APPLE_M1: Costs = Costs {
    latency: Latencies {
        vector_multiplication: 4,
        vector_short_multiplication: 4,
        ..LATENCIES
    },
    scalar: 1.0 / 6.0,
    vector: 1.0 / 4.0,
    integer_vector: 1.0 / 4.0,
    vector_window: 128,
    ..SHORT_VECTORS
};

const fn model(name: &'static str, back_end: BackEnd, costs: Costs) -> Model {
    Model { name, back_end, costs }
}

/// All of them.
pub const MODELS: [Model; 9] = [
    model("zen3", BackEnd::Avx2Base, ZEN_3),
    model("zen4", BackEnd::Avx512Base, ZEN_4),
    model("zen5", BackEnd::Avx512Base, ZEN_5),
    model("skylake", BackEnd::Avx2Base, SKYLAKE),
    model("sapphire-rapids", BackEnd::Avx512Base, SAPPHIRE_RAPIDS),
    model("neoverse-n1", BackEnd::Cranelift, NEOVERSE_N1),
    model("neoverse-v1", BackEnd::Cranelift, NEOVERSE_V1),
    model("neoverse-v2", BackEnd::Cranelift, NEOVERSE_V2),
    model("apple-m1", BackEnd::Cranelift, APPLE_M1),
];

impl Model {
    /// The one of that name.
    pub fn named(name: &str) -> Option<&'static Model> {
        MODELS.iter().find(|model| model.name == name)
    }

    /// With its back end, and nothing that not all machines of its back end have.
    pub fn machine(&self) -> Machine {
        let machine = Machine {
            costs: self.costs,
            ..Machine::with(self.back_end)
        };
        match self.back_end {
            // Of x86-64's machines, none is named that has Cranelift's code.
            BackEnd::Cranelift => machine.of_aarch64(),
            _ => machine,
        }
    }

    /// That of this machine, if it is for code of this back end.
    pub(super) fn of_process(back_end: BackEnd) -> Option<&'static Model> {
        // Asking is a system call, or an instruction that a virtual machine's host does.
        static OWN: OnceBox<Option<&Model>> = OnceBox::new();
        let own = (*OWN.get_or_init(|| Box::new(name_of_process().and_then(Model::named))))?;
        let base = match back_end {
            BackEnd::Avx2 => BackEnd::Avx2Base,
            BackEnd::Avx512 => BackEnd::Avx512Base,
            _ => back_end,
        };
        (own.back_end == base).then_some(own)
    }
}

/// What the processor says that it is.
#[cfg(target_arch = "x86_64")]
fn name_of_process() -> Option<&'static str> {
    use std::arch::x86_64::__cpuid;
    let maker = __cpuid(0);
    let version = __cpuid(1).eax;
    let (base, extended) = (version >> 8 & 15, version >> 20 & 255);
    let family = if base == 15 { base + extended } else { base };
    let model = version >> 4 & 15 | version >> 12 & 0xf0;
    let maker = [maker.ebx, maker.edx, maker.ecx].map(u32::to_le_bytes).concat();
    name_by_version(&maker, family, model)
}

/// By CPUID's maker, family and model.
#[cfg(any(target_arch = "x86_64", test))]
fn name_by_version(maker: &[u8], family: u32, model: u32) -> Option<&'static str> {
    Some(match (maker, family, model) {
        (b"AuthenticAMD", 0x19, 0x10..=0x1f | 0x60..=0x7f | 0xa0..=0xaf) => "zen4",
        (b"AuthenticAMD", 0x19, _) => "zen3",
        (b"AuthenticAMD", 0x1a, _) => "zen5",
        // With Kaby, Coffee and Comet Lake.
        (b"GenuineIntel", 6, 0x4e | 0x5e | 0x8e | 0x9e | 0xa5 | 0xa6) => "skylake",
        // With Emerald Rapids.
        (b"GenuineIntel", 6, 0x8f | 0xcf) => "sapphire-rapids",
        _ => return None,
    })
}

/// What the system says that the first processor is.
#[cfg(target_arch = "aarch64")]
fn name_of_process() -> Option<&'static str> {
    name_by_id(device::machine::main_id()?)
}

/// By MIDR_EL1.
#[cfg(any(target_arch = "aarch64", test))]
fn name_by_id(id: u64) -> Option<&'static str> {
    Some(match (id >> 24 & 0xff, id >> 4 & 0xfff) {
        (0x41, 0xd0c) => "neoverse-n1",
        (0x41, 0xd40) => "neoverse-v1",
        (0x41, 0xd4f) => "neoverse-v2",
        (0x61, 0x22..=0x29) => "apple-m1",
        _ => return None,
    })
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn name_of_process() -> Option<&'static str> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_are_told_by_what_they_say() {
        let (amd, intel) = (b"AuthenticAMD".as_slice(), b"GenuineIntel".as_slice());
        assert_eq!(name_by_version(amd, 0x19, 0x21), Some("zen3"));
        assert_eq!(name_by_version(amd, 0x19, 0x61), Some("zen4"));
        assert_eq!(name_by_version(amd, 0x1a, 0x44), Some("zen5"));
        assert_eq!(name_by_version(intel, 6, 0x9e), Some("skylake"));
        assert_eq!(name_by_version(intel, 6, 0xcf), Some("sapphire-rapids"));
        assert_eq!([name_by_version(intel, 6, 0x3c), name_by_version(amd, 6, 0xcf)], [None; 2]);
        assert_eq!(name_by_id(0x413f_d0c1), Some("neoverse-n1"));
        assert_eq!(name_by_id(0x410f_d4f0), Some("neoverse-v2"));
        assert_eq!(name_by_id(0x611f_0221), Some("apple-m1"));
        assert_eq!(name_by_id(0x410f_d034), None);
        let names: Vec<_> = MODELS.iter().map(|model| model.name).collect();
        assert!(names.iter().all(|name| Model::named(name).is_some_and(|model| model.name == *name)));
    }

    #[test]
    fn costs_are_for_code_of_their_back_end_only() {
        let (Some(name), Some(own)) = (name_of_process(), BackEnd::available().pop()) else {
            return;
        };
        let model = Model::of_process(own).filter(|model| model.name == name);
        assert!(model.is_none_or(|model| model.machine().registers == own.registers()));
        assert!(Model::of_process(BackEnd::Cranelift).is_none() || cfg!(target_arch = "aarch64"));
    }
}
