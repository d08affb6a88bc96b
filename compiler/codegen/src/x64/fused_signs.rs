//! A fused product and sum of which a factor or the addend is negated is one instruction: `c - a * b` has the sign of its product the other way
//! round. (`VFMSUB`, `VFNMADD` and `VFNMSUB`.)

use super::encode::{Encoding, Map, Op, Prefix, Tuple, Wide};
use super::selector::Selector;
use ir::{Inst, InstData, UnaryOp, Value};
use rustc_hash::FxHashMap;

macro_rules! op {
    ($sign:literal $form:literal $ty:literal $encoding:ident $map:ident $wide:ident $tuple:ident $code:expr) => {
        Op {
            name: concat!($sign, $form, $ty),
            encoding: Encoding::$encoding,
            prefix: Prefix::P66,
            map: Map::$map,
            wide: Wide::$wide,
            code: $code,
            tuple: Tuple::$tuple,
        }
    };
}

macro_rules! types {
    ($sign:literal $form:literal $code:expr) => {
        [
            op!($sign $form "ps" Vex M38 Zero Full4 $code),
            op!($sign $form "pd" Vex M38 One Full8 $code),
            op!($sign $form "ss" Vex M38 Zero Scalar4 $code + 1),
            op!($sign $form "sd" Vex M38 One Scalar8 $code + 1),
            op!($sign $form "ph" Evex Sixth Zero Full2 $code),
        ]
    };
}

macro_rules! forms {
    ($sign:literal $code:literal) => {
        [
            types!($sign "132" $code),
            types!($sign "213" $code + 0x10),
            types!($sign "231" $code + 0x20),
        ]
    };
}

/// By sign (see [`Signs`]), by which operands are multiplied (132, 213, 231), and by type (floats and doubles, vectors and scalars, and halves).
pub static FUSED: [[[Op; 5]; 3]; 4] = [
    forms!("vfmadd" 0x98),
    forms!("vfmsub" 0x9a),
    forms!("vfnmadd" 0x9c),
    forms!("vfnmsub" 0x9e),
];

/// What is negated.
#[derive(Clone, Copy, Default)]
pub struct Signs {
    pub product: bool,
    pub addend: bool,
}

impl Signs {
    pub fn ops(self) -> &'static [[Op; 5]; 3] {
        &FUSED[2 * usize::from(self.product) + usize::from(self.addend)]
    }
}

impl Selector<'_> {
    /// Looks for negated numbers that only fused products and sums of the same block have a use for.
    pub fn find_fused_signs(&mut self, insts: &[Inst]) {
        let func = self.func;
        // By negated number: uses that have not been seen.
        let mut open: FxHashMap<Value, u32> = FxHashMap::default();
        for &inst in insts {
            let node = func.inst(inst);
            match &node.data {
                InstData::Unary { op: UnaryOp::FNeg, arg } if self.is_float_of_machine(func.ty(*arg)) && func.constant(*arg).is_none() => {
                    open.insert(node.results[0], self.uses[node.results[0]]);
                }
                InstData::Fma { args } => {
                    for arg in args {
                        if let Some(unseen) = open.get_mut(arg) {
                            *unseen -= 1;
                            if *unseen == 0 {
                                self.passed_over.insert(*arg);
                            }
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// The operands of a fused product and sum without the negations that it does itself.
    pub fn without_signs(&self, args: [Value; 3]) -> ([Value; 3], Signs) {
        let mut signs = Signs::default();
        let mut position = 0;
        let args = args.map(|arg| {
            let is_factor = position < 2;
            position += 1;
            match self.func.def_data(arg) {
                Some(&InstData::Unary {
                    op: UnaryOp::FNeg,
                    arg: inner,
                }) if self.passed_over.contains(&arg) => {
                    if is_factor {
                        signs.product ^= true;
                    } else {
                        signs.addend = true;
                    }
                    inner
                }
                _ => arg,
            }
        });
        (args, signs)
    }
}
