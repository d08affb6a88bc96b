//! What the machine offers, and what follows from it for how values are held.

use super::encode::Size;
use ::target::Features;
use device::machine::machine;
use ir::{Elem, Type};
use regalloc2::RegClass;

/// The bytes that a mask's lane takes where nothing else decides, if masks are vectors: in parameters of blocks and functions.
pub const MASK_BYTES: u32 = 4;

/// The machine, as far as selection depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// The largest vector registers.
    pub vector: Size,
    /// There are mask registers, 32 vector registers, and what else AVX-512 F, BW, DQ, VL and CD have.
    pub masks: bool,
    /// A store under a mask takes hardly longer than one without.
    pub masked_stores: bool,
    /// Units that add are others than those that multiply, as in AMD's processors.
    pub adds_apart: bool,
    /// What has leave to be approximate may be what the machine estimates, which is not the same on all machines.
    pub estimates: bool,
    /// What else there is.
    pub features: Features,
}

impl Target {
    /// AVX2 and what came with it, nothing else.
    pub const AVX2: Target = Target {
        vector: Size::Y,
        masks: false,
        masked_stores: true,
        adds_apart: false,
        estimates: true,
        features: Features::NONE,
    };

    /// AVX-512 with its longest vectors, nothing else.
    pub const AVX512: Target = Target {
        vector: Size::Z,
        masks: true,
        masked_stores: true,
        adds_apart: false,
        estimates: true,
        features: Features::NONE,
    };

    /// AVX2, as this machine does it. AMD's processors read microcode for VMASKMOV to memory: on Zen 3 about 26 cycles for eight lanes,
    /// measured, which take 18 one by one.
    pub fn avx2() -> Target {
        let is_amd = matches!(machine().vendor.as_str(), "AuthenticAMD" | "HygonGenuine");
        Target {
            masked_stores: !is_amd,
            adds_apart: is_amd,
            ..Target::AVX2
        }
    }

    /// With other features.
    pub fn with(self, features: Features) -> Target {
        Target { features, ..self }
    }

    /// With estimates, or without.
    pub fn with_estimates(self, estimates: bool) -> Target {
        Target { estimates, ..self }
    }

    /// The size of a part of a vector.
    pub fn part_size(self, lanes: u16, bytes: u32) -> Size {
        match u32::from(lanes) * bytes {
            0..=16 => Size::X,
            17..=32 => Size::Y,
            _ => self.vector,
        }
    }

    /// How many parts `lanes` lanes of `bytes` bytes take.
    pub fn part_count(self, lanes: u16, bytes: u32) -> usize {
        let total = u32::from(lanes) * bytes;
        total.div_ceil(self.part_size(lanes, bytes).bytes()) as usize
    }

    /// Values of the type are in mask registers.
    pub fn in_mask_register(self, ty: Type) -> bool {
        self.masks && ty.is_vector() && ty.elem == Elem::Mask
    }

    /// Bytes that a lane takes in parameters.
    pub fn canonical_bytes(self, ty: Type) -> u32 {
        match ty.elem {
            Elem::Mask if self.in_mask_register(ty) => 0,
            Elem::Mask if ty.is_vector() => MASK_BYTES,
            elem => elem.bytes(),
        }
    }

    /// The class of the registers that hold a type.
    pub fn class_of(self, ty: Type) -> RegClass {
        match ty.is_vector() || matches!(ty.elem, Elem::F32 | Elem::F64) {
            true if self.in_mask_register(ty) => RegClass::Vector,
            true => RegClass::Float,
            false => RegClass::Int,
        }
    }

    /// How many registers a value in parameters takes.
    pub fn canonical_count(self, ty: Type) -> usize {
        match ty.is_vector() && !self.in_mask_register(ty) {
            true => self.part_count(ty.lanes, self.canonical_bytes(ty)),
            false => 1,
        }
    }

    /// How many vector registers there are.
    pub fn vectors(self) -> usize {
        if self.masks { 32 } else { 16 }
    }

    /// Bytes of a vector register.
    pub fn vector_bytes(self) -> u32 {
        self.vector.bytes()
    }
}
