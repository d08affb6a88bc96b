//! Dot products of bytes (SPV_KHR_integer_dot_product's packed vectors).

use super::named::named;

named! {
    /// Which of the vectors of bytes are signed.
    pub enum DotOp {
        /// Both.
        SDot = "s",
        /// None.
        UDot = "u",
        /// The first.
        SUDot = "su",
    }
}

impl DotOp {
    /// Whether the bytes of the first and of the second operand are signed.
    pub const fn signed(self) -> [bool; 2] {
        match self {
            DotOp::SDot => [true, true],
            DotOp::UDot => [false, false],
            DotOp::SUDot => [true, false],
        }
    }

    /// The sum of the products of four bytes each, and of `c`, cut off to 32 bits.
    pub fn eval(self, a: u64, b: u64, c: u64) -> u64 {
        let [first, second] = self.signed();
        let byte = |bits: u64, at: u32, signed: bool| {
            let byte = (bits >> (8 * at)) as u8;
            if signed { i32::from(byte as i8) } else { i32::from(byte) }
        };
        let sum = (0..4).map(|at| byte(a, at, first) * byte(b, at, second)).sum::<i32>();
        u64::from((c as u32).wrapping_add_signed(sum))
    }
}
