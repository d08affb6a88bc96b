//! Operands that need taking apart: memory operands, image operands, OpSwitch's targets.

use super::{Id, Instruction};
use rspirv::spirv;

/// Memory operands (SPIR-V specification, section 3.26) of a load, a store or a copy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryOperands {
    /// It may not be merged, dropped or repeated.
    pub volatile: bool,
    /// The alignment that the address is known to have.
    pub aligned: Option<u32>,
    /// It is not likely to be used again soon.
    pub nontemporal: bool,
    /// AliasScopeINTELMask's list.
    pub alias_scope: Id,
    /// NoAliasINTELMask's list.
    pub no_alias: Id,
    /// The mask.
    pub mask: u32,
}

impl MemoryOperands {
    /// Reads them at the start of `words`; gives the words behind them. None there is no operand at all.
    pub fn read(words: &[u32]) -> (MemoryOperands, &[u32]) {
        let Some((&mask, mut rest)) = words.split_first() else {
            return (MemoryOperands::default(), words);
        };
        let has = |bit: spirv::MemoryAccess| mask & bit.bits() != 0;
        let mut next = |present: bool| match rest.split_first() {
            Some((&word, after)) if present => {
                rest = after;
                Some(word)
            }
            _ => None,
        };
        let aligned = next(has(spirv::MemoryAccess::ALIGNED));
        next(has(spirv::MemoryAccess::MAKE_POINTER_AVAILABLE));
        next(has(spirv::MemoryAccess::MAKE_POINTER_VISIBLE));
        let alias_scope = next(has(spirv::MemoryAccess::ALIAS_SCOPE_INTEL_MASK)).unwrap_or(0);
        let no_alias = next(has(spirv::MemoryAccess::NO_ALIAS_INTEL_MASK)).unwrap_or(0);
        let operands = MemoryOperands {
            volatile: has(spirv::MemoryAccess::VOLATILE),
            aligned,
            nontemporal: has(spirv::MemoryAccess::NONTEMPORAL),
            alias_scope,
            no_alias,
            mask,
        };
        (operands, rest)
    }
}

/// Image operands (SPIR-V specification, section 3.14).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImageOperands {
    /// The mask.
    pub mask: u32,
    /// Lod
    pub lod: Option<Id>,
    /// Grad: dx, dy
    pub grad: Option<(Id, Id)>,
    /// ConstOffset
    pub const_offset: Option<Id>,
    /// Sample
    pub sample: Option<Id>,
    /// SignExtend
    pub sign_extend: bool,
    /// ZeroExtend
    pub zero_extend: bool,
}

impl ImageOperands {
    /// Reads them; `None` where an operand is missing.
    pub fn read(words: &[u32]) -> Option<ImageOperands> {
        use spirv::ImageOperands as Bit;
        let Some((&mask, rest)) = words.split_first() else {
            return Some(ImageOperands::default());
        };
        let mut rest = rest.iter().copied();
        let mut next = |bit: Bit| {
            if mask & bit.bits() != 0 {
                rest.next().map(Some)
            } else {
                Some(None)
            }
        };
        next(Bit::BIAS)?;
        let lod = next(Bit::LOD)?;
        let grad = match next(Bit::GRAD)? {
            Some(dx) => Some((dx, next(Bit::GRAD)??)),
            None => None,
        };
        let const_offset = next(Bit::CONST_OFFSET)?;
        next(Bit::OFFSET)?;
        next(Bit::CONST_OFFSETS)?;
        let sample = next(Bit::SAMPLE)?;
        Some(ImageOperands {
            mask,
            lod,
            grad,
            const_offset,
            sample,
            sign_extend: mask & Bit::SIGN_EXTEND.bits() != 0,
            zero_extend: mask & Bit::ZERO_EXTEND.bits() != 0,
        })
    }
}

/// OpSwitch's literals and labels.
#[derive(Clone, Copy, Debug)]
pub struct SwitchTargets<'m> {
    words: &'m [u32],
    wide: bool,
}

impl<'m> SwitchTargets<'m> {
    /// Of an OpSwitch whose selector has `selector_width` bits.
    pub fn of(switch: &Instruction<'m>, selector_width: u32) -> SwitchTargets<'m> {
        SwitchTargets {
            words: switch.operands.get(2..).unwrap_or(&[]),
            wide: selector_width > 32,
        }
    }

    /// (literal, label) pairs; literals narrower than 64 bits are as they stand in the module, sign-extended to 32 bits or not.
    pub fn iter(self) -> impl Iterator<Item = (u64, Id)> + 'm {
        let wide = self.wide;
        self.words.chunks_exact(if wide { 3 } else { 2 }).map(move |chunk| match *chunk {
            [low, high, label] => (u64::from(low) | u64::from(high) << 32, label),
            [literal, label] => (u64::from(literal), label),
            _ => (0, 0),
        })
    }
}
