//! What comparisons say of each other.

use super::{FloatCc, IntCc};

impl IntCc {
    /// `a cc b` is `b cc.swapped() a`.
    pub fn swapped(self) -> IntCc {
        use IntCc::*;
        match self {
            Eq | Ne => self,
            Slt => Sgt,
            Sle => Sge,
            Sgt => Slt,
            Sge => Sle,
            Ult => Ugt,
            Ule => Uge,
            Ugt => Ult,
            Uge => Ule,
        }
    }

    /// `!(a cc b)` is `a cc.inverted() b`.
    pub fn inverted(self) -> IntCc {
        use IntCc::*;
        match self {
            Eq => Ne,
            Ne => Eq,
            Slt => Sge,
            Sle => Sgt,
            Sgt => Sle,
            Sge => Slt,
            Ult => Uge,
            Ule => Ugt,
            Ugt => Ule,
            Uge => Ult,
        }
    }

    /// The same for numbers without a sign.
    pub fn without_sign(self) -> IntCc {
        use IntCc::*;
        match self {
            Slt => Ult,
            Sle => Ule,
            Sgt => Ugt,
            Sge => Uge,
            cc => cc,
        }
    }

    /// The same for numbers with a sign.
    pub fn with_sign(self) -> IntCc {
        use IntCc::*;
        match self {
            Ult => Slt,
            Ule => Sle,
            Ugt => Sgt,
            Uge => Sge,
            cc => cc,
        }
    }

    /// It asks which number is less, of numbers with a sign.
    pub fn is_signed(self) -> bool {
        self.without_sign() != self
    }

    /// It asks which number is less, of numbers without a sign.
    pub fn is_unsigned(self) -> bool {
        use IntCc::*;
        matches!(self, Ult | Ule | Ugt | Uge)
    }
}

impl FloatCc {
    /// `a cc b` is `b cc.swapped() a`.
    pub fn swapped(self) -> FloatCc {
        use FloatCc::*;
        match self {
            Oeq | One | Ord | Uno | Ueq | Une => self,
            Olt => Ogt,
            Ole => Oge,
            Ogt => Olt,
            Oge => Ole,
            Ult => Ugt,
            Ule => Uge,
            Ugt => Ult,
            Uge => Ule,
        }
    }

    /// `!(a cc b)` is `a cc.inverted() b`.
    pub fn inverted(self) -> FloatCc {
        use FloatCc::*;
        match self {
            Oeq => Une,
            One => Ueq,
            Olt => Uge,
            Ole => Ugt,
            Ogt => Ule,
            Oge => Ult,
            Ord => Uno,
            Uno => Ord,
            Ueq => One,
            Une => Oeq,
            Ult => Oge,
            Ule => Ogt,
            Ugt => Ole,
            Uge => Olt,
        }
    }
}
