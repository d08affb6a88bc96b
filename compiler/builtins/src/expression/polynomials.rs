//! Polynomials, several at once.

use super::Expr;
use smallvec::SmallVec;

/// Polynomials of these numbers with these coefficients, the lowest first, by Horner's rule. Long ones are taken apart into even and odd powers, which
/// halves what waits for something else; all but the first two coefficients, whose rounding counts. Steps of what does not wait for each other are
/// interleaved, for a machine looks only so many instructions ahead.
pub fn polynomials<'a, const N: usize>(of: [(Expr<'a>, &[f64]); N]) -> [Expr<'a>; N] {
    // (Two of doubles would not find room in registers.)
    if N > 1 && of[0].0.is_double() {
        return of.map(|(x, coefficients)| x.polynomial(coefficients));
    }
    let is_long = |x: Expr, coefficients: &[f64]| coefficients.len() >= x.by_format(8, 11);
    let mut sums: SmallVec<[Sum; 4]> = SmallVec::new();
    for (x, coefficients) in of {
        if is_long(x, coefficients) {
            let square = x * x;
            sums.extend([2, 3].map(|first| Sum::new(square, coefficients[first..].iter().step_by(2))));
        } else {
            sums.push(Sum::new(x, coefficients.iter()));
        }
    }
    for step in 0..sums.iter().map(|sum| sum.terms.len()).max().unwrap_or(0) {
        sums.iter_mut().for_each(|sum| sum.step(step));
    }
    let mut sums = sums.into_iter().map(|sum| sum.value);
    let mut next = |x: Expr<'a>| sums.next().unwrap_or(x);
    let mut values = of.map(|(x, coefficients)| {
        let even = next(x);
        if is_long(x, coefficients) { next(x).fma(x, even) } else { even }
    });
    for first in [1, 0] {
        for (value, (x, coefficients)) in values.iter_mut().zip(of) {
            if is_long(x, coefficients) {
                *value = value.fma(x, coefficients[first]);
            }
        }
    }
    values
}

/// A polynomial on the way: its terms from the last one on, and what the first of these give.
struct Sum<'a> {
    x: Expr<'a>,
    terms: Vec<f64>,
    value: Expr<'a>,
}

impl<'a> Sum<'a> {
    fn new<'c>(x: Expr<'a>, terms: impl DoubleEndedIterator<Item = &'c f64>) -> Sum<'a> {
        Sum {
            x,
            terms: terms.rev().copied().collect(),
            value: x,
        }
    }

    fn step(&mut self, step: usize) {
        match self.terms.get(step) {
            Some(&term) if step == 0 => self.value = self.x.number(term),
            Some(&term) => self.value = self.value.fma(self.x, term),
            None => {}
        }
    }
}
