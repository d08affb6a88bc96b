//! How values of the IR are held: in which registers, in how many parts, as a type.
//!
//! A scalar integer is in a general register, whose bits above the integer's are anything; f16 and bf16 are their bits in one; a mask is
//! 0 or 1 in one (32 bits of it). f32 and f64 are in the lowest lane of a vector register. A vector is parts, its lanes in order: one of 128
//! (256) bits if it has no more (the upper lanes of a shorter one are anything), else parts as long as the machine has them. The lanes of a
//! mask are 0 or all ones, as wide as what was compared to make it; [`Selector::mask`](super::selector::Selector::mask) gives them in the width that the user of the mask
//! needs. Where the machine has mask registers, a mask is in one of those instead, see [`super::masks`].

use super::encode::Size;
use super::machine::Src;
use ir::Type;
use regalloc2::{RegClass, VReg};
use smallvec::SmallVec;

/// Registers, one a part.
pub type Registers = SmallVec<[VReg; 4]>;

/// Sources, one a part.
pub type Sources = SmallVec<[Src; 4]>;

/// A value of the IR in registers.
#[derive(Clone, Debug)]
pub struct Parts {
    /// Its type.
    pub ty: Type,
    /// Bytes of a lane in a register; for vector masks this varies.
    pub bytes: u32,
    /// The registers.
    pub regs: Registers,
}

impl Parts {
    /// A scalar.
    pub fn scalar(ty: Type, reg: VReg) -> Parts {
        Parts::new(ty, ty.elem.bytes(), [reg])
    }

    /// A vector that is no mask, or a mask in lanes of `bytes` bytes.
    pub fn new(ty: Type, bytes: u32, regs: impl IntoIterator<Item = VReg>) -> Parts {
        let regs: Registers = regs.into_iter().collect();
        debug_assert!(
            !ty.is_vector() || bytes == 0 || (u32::from(ty.lanes) * bytes).div_ceil(regs.len() as u32) <= 64,
            "{ty} of {bytes}"
        );
        Parts { ty, bytes, regs }
    }

    /// A vector mask in a mask register.
    pub fn mask_register(ty: Type, reg: VReg) -> Parts {
        Parts::new(ty.as_mask(), 0, [reg])
    }

    /// It is a vector mask in a mask register.
    pub fn in_mask_register(&self) -> bool {
        self.regs[0].class() == RegClass::Vector
    }

    /// The size of each part.
    pub fn size(&self) -> Size {
        match (u32::from(self.ty.lanes) * self.bytes).div_ceil(self.regs.len() as u32) {
            17..=32 => Size::Y,
            33.. => Size::Z,
            _ => Size::X,
        }
    }

    /// The upper lanes of its only part are not lanes of the value.
    pub fn is_partial(&self) -> bool {
        self.ty.is_vector() && u32::from(self.ty.lanes) * self.bytes < 16
    }

    /// The same registers seen as lanes of another width.
    pub fn regrouped(&self, bytes: u32) -> Parts {
        let lanes = u32::from(self.ty.lanes) * self.bytes / bytes;
        Parts {
            // A register that is not full has more lanes than are looked at.
            ty: self.ty.with_lanes(lanes.max(2) as u16),
            bytes,
            regs: self.regs.clone(),
        }
    }

    /// The registers as sources.
    pub fn sources(&self) -> Sources {
        self.regs.iter().map(|&reg| Src::Reg(reg)).collect()
    }
}
