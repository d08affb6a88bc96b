//! What instructions make of an id: quotients, remainders and multiples.

use super::is_id;
use super::number::Number;
use cranelift_entity::SecondaryMap;
use ir::*;

/// A part of an id; divisors are named by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Whole,
    Zero,
    Quotient(usize),
    Remainder(usize),
    /// The quotient times the divisor.
    Multiple(usize),
    /// The quotient times a factor of the divisor; the second number is the other factor.
    Towards(usize, usize),
    /// The quotient by the second of a remainder by the first.
    Within(usize, usize),
    /// That times its divisor.
    MultipleWithin(usize, usize),
}

/// What ids are divided by.
#[derive(Clone)]
pub(super) struct Divisor {
    pub number: Number,
    /// What has it in the function, unless it is a constant.
    pub value: Option<Value>,
}

/// The parts of ids along a dimension.
pub(super) struct Ids<'f> {
    pub func: &'f Function,
    dimension: u8,
    pub parts: SecondaryMap<Value, Option<Part>>,
    pub divisors: Vec<Divisor>,
    factors: Vec<Number>,
}

/// As many bits as ids have at most.
const ID_BITS: u32 = 31;

/// Constants below are no length of a row …
const SHORT_ROW: i64 = 16;
/// … and those that remainders are divided by not below this one.
const LONG_ROW: i64 = 32;

impl Part {
    fn times_divisor(self) -> Option<Part> {
        match self {
            Part::Quotient(by) => Some(Part::Multiple(by)),
            Part::Within(of, by) => Some(Part::MultipleWithin(of, by)),
            _ => None,
        }
    }
}

impl Divisor {
    fn constant(number: i64) -> Option<Divisor> {
        (SHORT_ROW..1 << ID_BITS).contains(&number).then_some(Divisor {
            number: Number::Constant(number),
            value: None,
        })
    }
}

impl<'f> Ids<'f> {
    /// Of the id along a dimension.
    pub fn new(func: &'f Function, dimension: u8) -> Ids<'f> {
        let mut ids = Ids {
            func,
            dimension,
            parts: func.per_value(None),
            divisors: Vec::new(),
            factors: Vec::new(),
        };
        for inst in func.insts_of(&cfg::reverse_postorder(func)) {
            if let Some(part) = ids.part(inst) {
                ids.parts[func.result(inst)] = Some(part);
            }
        }
        ids
    }
}

impl Ids<'_> {
    /// What an instruction makes of the id. (Ids are natural: signs are the same as none.)
    fn part(&mut self, inst: Inst) -> Option<Part> {
        let func = self.func;
        match func.inst(inst).data {
            InstData::Builtin { .. } => is_id(&func.inst(inst).data, self.dimension).then_some(Part::Whole),
            InstData::Convert {
                op: ConvertOp::Trunc | ConvertOp::SExt | ConvertOp::ZExt,
                arg,
                ..
            } if matches!(func.ty(func.result(inst)), Type::I32 | Type::I64) => self.parts[arg],
            InstData::Binary { op, args: [a, b] } => match op {
                BinaryOp::UDiv | BinaryOp::SDiv => self.quotient(self.parts[a]?, self.divisor(b)?),
                BinaryOp::URem | BinaryOp::SRem => self.remainder(self.parts[a]?, self.divisor(b)?),
                BinaryOp::LShr | BinaryOp::AShr => match (self.parts[a]?, func.constant(b)?) {
                    (_, by) if by >= func.ty(a).elem.bits().into() => None,
                    (_, by) if by >= ID_BITS.into() => Some(Part::Zero),
                    (part, by) => self.quotient(part, Divisor::constant(1 << by)?),
                },
                BinaryOp::And => {
                    let (part, mask) = (self.parts[a]?, func.signed_constant(b)?);
                    let power = |number: Option<i64>| number.filter(|number| number.count_ones() == 1).and_then(Divisor::constant);
                    match (power(mask.checked_add(1)), power(mask.checked_neg())) {
                        (Some(by), _) => self.remainder(part, by),
                        (_, Some(by)) => self.quotient(part, by).and_then(Part::times_divisor),
                        _ => None,
                    }
                }
                BinaryOp::Add => match (self.parts[a]?, self.parts[b]?) {
                    (Part::Zero, part) | (part, Part::Zero) => Some(part),
                    _ => None,
                },
                BinaryOp::Sub => match (self.parts[a]?, self.parts[b]?) {
                    (Part::Whole, Part::Multiple(by)) => Some(Part::Remainder(by)),
                    (Part::Whole, Part::Remainder(by)) => Some(Part::Multiple(by)),
                    (Part::Remainder(of), Part::MultipleWithin(in_this, by)) if of == in_this => Some(Part::Remainder(by)),
                    _ => None,
                },
                BinaryOp::Mul => self.multiple(a, b).or_else(|| self.multiple(b, a)),
                BinaryOp::Shl => {
                    let factor = func.constant(b).filter(|&by| by < ID_BITS.into())?;
                    self.times(self.parts[a]?, Number::Constant(1 << factor))
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn quotient(&mut self, part: Part, by: Divisor) -> Option<Part> {
        match part {
            Part::Whole => Some(Part::Quotient(self.number_of(by))),
            Part::Remainder(of) => self.number_within(of, by).map(|by| Part::Within(of, by)),
            Part::Zero => Some(Part::Zero),
            _ => None,
        }
    }

    fn remainder(&mut self, part: Part, by: Divisor) -> Option<Part> {
        match part {
            Part::Whole => Some(Part::Remainder(self.number_of(by))),
            Part::Remainder(of) => self.number_within(of, by).map(Part::Remainder),
            _ => None,
        }
    }

    fn multiple(&mut self, quotient: Value, by: Value) -> Option<Part> {
        let part = self.parts[quotient]?;
        self.times(part, Number::of(self.func, by)?)
    }

    /// A quotient times a number.
    fn times(&mut self, part: Part, number: Number) -> Option<Part> {
        let is = |divisor: usize| number == self.divisors[divisor].number;
        match part {
            Part::Quotient(by) | Part::Within(_, by) if is(by) => part.times_divisor(),
            Part::Towards(by, rest) if number == self.factors[rest] => Some(Part::Multiple(by)),
            Part::Quotient(by) => {
                let rest = self.divisors[by].number.per(&number)?;
                self.factors.push(rest);
                Some(Part::Towards(by, self.factors.len() - 1))
            }
            _ => None,
        }
    }

    /// What is divided by, if rows are as long.
    fn divisor(&self, value: Value) -> Option<Divisor> {
        match Number::of(self.func, value)? {
            Number::Constant(number) => Divisor::constant(number),
            number => Some(Divisor {
                number,
                value: Some(value),
            }),
        }
    }

    /// The number of a divisor.
    fn number_of(&mut self, new: Divisor) -> usize {
        let known = self.divisors.iter().position(|known| known.number == new.number);
        known.unwrap_or_else(|| {
            self.divisors.push(new);
            self.divisors.len() - 1
        })
    }

    /// That of one which divides another; but not of blocks of columns.
    fn number_within(&mut self, of: usize, by: Divisor) -> Option<usize> {
        let is_row = !matches!(by.number, Number::Constant(number) if number < LONG_ROW);
        let divides = self.divisors[of].number.per(&by.number).is_some();
        (is_row && divides).then(|| self.number_of(by))
    }

    /// The divisor of which all others are multiples.
    pub fn row(&self) -> Option<Row> {
        let per = |other: &Divisor, one: &Divisor| -> Option<Option<Divisor>> {
            if other.number == one.number {
                return Some(None);
            }
            let number = other.number.per(&one.number)?;
            let value = match number {
                Number::Constant(_) => None,
                _ => Some(self.factor(other.value?, &number)?),
            };
            Some(Some(Divisor { number, value }))
        };
        self.divisors.iter().find_map(|one| {
            let multiples: Option<Vec<_>> = self.divisors.iter().map(|other| per(other, one)).collect();
            Some(Row {
                number: one.number.clone(),
                value: one.value,
                multiples: multiples?,
            })
        })
    }

    /// The factor of a product that is such a number.
    fn factor(&self, product: Value, number: &Number) -> Option<Value> {
        match *self.func.def_data(product)? {
            InstData::Convert { arg, .. } => self.factor(arg, number),
            InstData::Binary { op: BinaryOp::Mul, args } => args
                .into_iter()
                .find(|&factor| Number::of(self.func, factor).as_ref() == Some(number)),
            _ => None,
        }
    }
}

/// What becomes a row.
pub(super) struct Row {
    pub number: Number,
    pub value: Option<Value>,
    /// How many times as large each of the divisors is; none where it is this one.
    pub multiples: Vec<Option<Divisor>>,
}
