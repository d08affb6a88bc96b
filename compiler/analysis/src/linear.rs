//! Linear forms: integers as sums of multiples of others, `8 * i + 4 * n - 12`.
//!
//! Who asks says which values are looked at as they are (a loop's counter, what does not change in it), and where what an instruction computes
//! is the sum that it stands for: modulo 2^64 all sums are, and those of fewer bits that are extended only where they don't wrap.

use ir::*;
use smallvec::{SmallVec, smallvec};
use target::costs::effort::OPERATIONS;

/// How a value becomes one of more bits; `None` for one that is taken as it is.
pub type Extension = Option<ConvertOp>;

/// A value, with how it is extended.
pub type Term = (Value, Extension);

/// A sum of multiples of terms, each of which there is once, and a constant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Linear {
    /// The terms and their factors, which may be 0.
    pub terms: SmallVec<[(Term, i64); 4]>,
    /// What comes to them.
    pub constant: i64,
}

/// How values are looked at.
pub trait View {
    /// It is a term, and not looked into.
    fn is_term(&self, value: Value, extension: Extension) -> bool;

    /// Extended, what an instruction computes is the form that its operands make.
    fn is_exact(&self, value: Value, extension: Extension, form: &Linear) -> bool;

    /// How the operand of a conversion is to be looked at, if it can be looked through. `outer` is how its result is extended.
    fn through(&self, op: ConvertOp, arg: Value, outer: Extension) -> Option<Extension>;

    /// A product of forms none of which is a constant.
    fn product(&self, _value: Value, _of: [Linear; 2]) -> Option<Linear> {
        None
    }
}

impl Linear {
    /// The form of a value, extended if need be.
    pub fn of(func: &Function, value: Value, extension: Extension, view: &impl View) -> Option<Linear> {
        follow(func, value, extension, view, OPERATIONS)
    }

    /// A multiple of one term.
    pub fn term(term: Term, factor: i64) -> Linear {
        Linear {
            terms: smallvec![(term, factor)],
            constant: 0,
        }
    }

    /// A constant.
    pub fn constant(constant: i64) -> Linear {
        Linear {
            constant,
            ..Linear::default()
        }
    }

    /// All of it so many times; none where a factor exceeds 64 bits.
    pub fn times(mut self, factor: i64) -> Option<Linear> {
        for (_, own) in &mut self.terms {
            *own = own.checked_mul(factor)?;
        }
        self.constant = self.constant.checked_mul(factor)?;
        Some(self)
    }

    /// The sum of two; none where a factor exceeds 64 bits.
    pub fn plus(mut self, other: Linear) -> Option<Linear> {
        for (term, factor) in other.terms {
            match self.terms.iter_mut().find(|(own, _)| *own == term) {
                Some((_, own)) => *own = own.checked_add(factor)?,
                None => self.terms.push((term, factor)),
            }
        }
        self.constant = self.constant.checked_add(other.constant)?;
        Some(self)
    }

    /// Its terms in an order that does not depend on how it was come by, without those that cancel out. The constant is 0.
    pub fn grid(mut self) -> Linear {
        self.constant = 0;
        self.terms.retain(|(_, factor)| *factor != 0);
        self.terms
            .sort_unstable_by_key(|&((value, extension), _)| (value, extension.map(|op| op as u8)));
        self
    }
}

fn follow(func: &Function, value: Value, extension: Extension, view: &impl View, depth: u32) -> Option<Linear> {
    if let Some(signed) = func.signed_constant(value) {
        let unused = 64 - func.ty(value).elem.bits();
        return Some(Linear::constant(match extension {
            Some(ConvertOp::ZExt) => ((signed as u64) << unused >> unused) as i64,
            _ => signed,
        }));
    }
    if view.is_term(value, extension) {
        return Some(Linear::term((value, extension), 1));
    }
    let depth = depth.checked_sub(1)?;
    let form = match *func.def_data(value)? {
        InstData::Convert { op, arg, .. } => follow(func, arg, view.through(op, arg, extension)?, view, depth)?,
        InstData::Binary { op, args } => {
            let [a, b] = args.map(|arg| follow(func, arg, extension, view, depth));
            match op {
                BinaryOp::Add => a?.plus(b?),
                BinaryOp::Sub => a?.plus(b?.times(-1)?),
                BinaryOp::Mul => match (a?, b?) {
                    (form, by) if by.terms.is_empty() => form.times(by.constant),
                    (by, form) if by.terms.is_empty() => form.times(by.constant),
                    (a, b) => view.product(value, [a, b]),
                },
                BinaryOp::Shl => {
                    let by = func.constant(args[1]).filter(|&by| by < u64::from(func.ty(value).elem.bits()))?;
                    a?.times(1i64.checked_shl(by as u32)?)
                }
                _ => None,
            }?
        }
        _ => return None,
    };
    view.is_exact(value, extension, &form).then_some(form)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::parse::parse_function;

    /// All is exact, and what other instructions compute is a term.
    struct Plain<'a>(&'a Function);

    impl View for Plain<'_> {
        fn is_term(&self, value: Value, _: Extension) -> bool {
            let inside = |data: &InstData| {
                let InstData::Convert { op, .. } = data else {
                    return matches!(data, InstData::Binary { .. });
                };
                *op != ConvertOp::Trunc
            };
            !self.0.def_data(value).is_some_and(inside)
        }

        fn is_exact(&self, _: Value, _: Extension, form: &Linear) -> bool {
            form.constant < 1000
        }

        fn through(&self, op: ConvertOp, _: Value, outer: Extension) -> Option<Extension> {
            (op == ConvertOp::SExt && outer.is_none()).then_some(Some(op))
        }
    }

    #[test]
    fn sums_of_multiples_are_taken_apart() {
        let text = "
function workitem @f {
block0:
  v0 = builtin global_id 0
  v1 = trunc.i32 v0 rte
  v2 = const.i32 -3
  v3 = const.i32 2
  v4 = add v1, v2
  v5 = shl v4, v3
  v6 = sext.i64 v5 rte
  v7 = const.i64 12
  v8 = mul v7, v0
  v9 = sub v6, v8
  v10 = add v9, v9
  v11 = mul v0, v0
  v12 = zext.i64 v1 rte
  v13 = const.i64 1000
  v14 = add v0, v13
  v15 = shl v0, v13
  v16 = sub v8, v8
  return
}";
        let func = parse_function(text).expect("IR");
        let view = Plain(&func);
        let of = |number: u32| Linear::of(&func, Value::from_u32(number), None, &view);
        let [id, short] = [(Value::from_u32(0), None), (Value::from_u32(1), Some(ConvertOp::SExt))];
        let sum = |terms: &[(Term, i64)], constant| {
            Some(Linear {
                terms: terms.into(),
                constant,
            })
        };
        assert_eq!(of(6), sum(&[(short, 4)], -12));
        assert_eq!(of(8), sum(&[(id, 12)], 0));
        assert_eq!(of(9), sum(&[(short, 4), (id, -12)], -12));
        assert_eq!(of(10), sum(&[(short, 8), (id, -24)], -24));
        assert_eq!(of(10).map(Linear::grid), sum(&[(id, -24), (short, 8)], 0));
        assert_eq!(of(16).map(Linear::grid), sum(&[], 0));
        // A square, what can't be looked through, what is not exact, and what shifts everything out.
        assert_eq!([11, 12, 14, 15].map(of), [const { None }; 4]);
        assert_eq!(Linear::term(id, i64::MAX).times(2), None);
    }
}
