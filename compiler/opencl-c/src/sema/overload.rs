//! Which of several functions of a name a call means: C++'s rules, as clang has them for OpenCL C.

use super::Operand;
use super::call::Overload;
use super::convert::promoted;
use crate::intern::Symbol;
use crate::parse::Parser;
use crate::source::Loc;
use crate::types::{Quals, Scalar, TypeId, TypeKind};

/// How good a conversion of an argument is; the first is the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Exact,
    /// A pointer to something with more qualifiers.
    Qualification,
    /// A pointer to the generic address space.
    Space,
    Promotion,
    Conversion,
    /// A pointer to `void`, or as a `bool`.
    Weak,
    Splat,
    /// What C allows and C++ does not: between pointers to different types, from integers to pointers.
    COnly,
    /// The same, to the generic address space.
    COnlySpace,
}

impl Parser<'_> {
    /// The overload that a call means, by its index. Reports if none will do, or if several do as well.
    pub(super) fn choose(&mut self, name: Symbol, candidates: &[Overload], arguments: &[Operand], loc: Loc) -> Option<usize> {
        let mut viable: Vec<(usize, Vec<Rank>)> = Vec::new();
        for (index, candidate) in candidates.iter().enumerate() {
            let fits = candidate.params.len() == arguments.len() || candidate.variadic && arguments.len() > candidate.params.len();
            if !fits {
                continue;
            }
            let ranks: Option<Vec<Rank>> = arguments
                .iter()
                .zip(&candidate.params)
                .map(|(&argument, &param)| self.rank(argument, param))
                .collect();
            if let Some(ranks) = ranks {
                viable.push((index, ranks));
            }
        }
        // What C alone allows counts before all else.
        let bad = |ranks: &[Rank], others: &[Rank]| {
            ranks
                .iter()
                .zip(others)
                .any(|(&rank, &other)| rank >= Rank::COnly && other < Rank::COnly)
        };
        let better = |a: &[Rank], b: &[Rank]| match (bad(a, b), bad(b, a)) {
            (true, _) => false,
            (false, true) => true,
            (false, false) => a.iter().zip(b).all(|(a, b)| a <= b) && a.iter().zip(b).any(|(a, b)| a < b),
        };
        // One pass finds who may be the best, another whether it is.
        let mut best = 0;
        for index in 1..viable.len() {
            if better(&viable[index].1, &viable[best].1) {
                best = index;
            }
        }
        let Some(chosen) = viable.get(best) else {
            self.no_match(name, candidates, arguments, loc);
            return None;
        };
        let rivals: Vec<usize> = (0..viable.len())
            .filter(|&index| index != best && !better(&chosen.1, &viable[index].1))
            .map(|index| viable[index].0)
            .collect();
        if rivals.is_empty() {
            return Some(chosen.0);
        }
        let message = format!("call to '{}' is ambiguous", self.text(name));
        let all: Vec<usize> = std::iter::once(chosen.0).chain(rivals).collect();
        self.list_candidates(name, &message, candidates, &all, arguments, loc);
        None
    }

    fn no_match(&mut self, name: Symbol, candidates: &[Overload], arguments: &[Operand], loc: Loc) {
        let message = format!("no matching function for call to '{}'", self.text(name));
        let all: Vec<usize> = (0..candidates.len()).collect();
        self.list_candidates(name, &message, candidates, &all, arguments, loc);
    }

    /// Reports with the candidates, the likeliest first, and no more than people read.
    fn list_candidates(&mut self, name: Symbol, message: &str, candidates: &[Overload], which: &[usize], arguments: &[Operand], loc: Loc) {
        const SHOWN: usize = 6;
        let mut order: Vec<(usize, usize)> = which
            .iter()
            .map(|&index| {
                let params = &candidates[index].params;
                let distance = params.len().abs_diff(arguments.len());
                let wrong = params
                    .iter()
                    .zip(arguments)
                    .filter(|&(param, argument)| *param != argument.ty.id)
                    .count();
                (distance * 16 + wrong, index)
            })
            .collect();
        order.sort();
        let report = self.session.error(loc, message);
        let mut notes = Vec::new();
        for &(_, index) in order.iter().take(SHOWN) {
            let candidate = &candidates[index];
            let mut params: Vec<String> = candidate.params.iter().map(|&param| self.name_of_id(param)).collect();
            if candidate.variadic {
                params.push("...".to_string());
            }
            let text = format!(
                "candidate function: {} {}({})",
                self.name_of_id(candidate.result),
                self.text(name),
                params.join(", ")
            );
            notes.push((candidate.loc.unwrap_or(loc), text));
        }
        if order.len() > SHOWN {
            notes.push((loc, format!("and {} more candidates", order.len() - SHOWN)));
        }
        notes.into_iter().fold(report, |report, (at, text)| report.note(at, text));
    }

    /// How good the conversion of an argument to a parameter's type is, if there is one.
    fn rank(&mut self, argument: Operand, to: TypeId) -> Option<Rank> {
        let from = argument.ty.id;
        if from == to {
            return Some(Rank::Exact);
        }
        let types = self.types_ref();
        match (types.kind(from), types.kind(to)) {
            (TypeKind::Scalar(_) | TypeKind::Enum(_), TypeKind::Scalar(_) | TypeKind::Enum(_)) => {
                let (a, b) = (types.as_scalar(from)?, types.as_scalar(to)?);
                let is_promotion = match b {
                    Scalar::Double => a == Scalar::Float,
                    b => a.is_integer() && promoted(a) == b && matches!(types.kind(to), TypeKind::Scalar(_)),
                };
                Some(if is_promotion { Rank::Promotion } else { Rank::Conversion })
            }
            (TypeKind::Scalar(_) | TypeKind::Enum(_), TypeKind::Vector(..)) => Some(Rank::Splat),
            (TypeKind::Pointer(_), &TypeKind::Scalar(Scalar::Bool)) => Some(Rank::Weak),
            (TypeKind::Pointer(_), TypeKind::Scalar(to)) if to.is_integer() => Some(Rank::COnly),
            (&TypeKind::Pointer(source), &TypeKind::Pointer(target)) => {
                if argument.is_null {
                    return Some(Rank::Conversion);
                }
                if !target.space.includes(source.space) {
                    return None;
                }
                let same_space = source.space == target.space;
                let c_only = if same_space { Rank::COnly } else { Rank::COnlySpace };
                let lost = source.quals.difference(target.quals) & (Quals::CONST | Quals::VOLATILE);
                if !lost.is_empty() {
                    return Some(c_only);
                }
                if self.alike(source.id, target.id) {
                    let same_quals = source.quals.difference(Quals::RESTRICT) == target.quals.difference(Quals::RESTRICT);
                    return Some(match (same_space, same_quals) {
                        (false, _) => Rank::Space,
                        (true, true) => Rank::Exact,
                        (true, false) => Rank::Qualification,
                    });
                }
                Some(match target.id {
                    TypeId::VOID => Rank::Weak,
                    _ => c_only,
                })
            }
            (_, TypeKind::Pointer(_)) if argument.is_null => Some(Rank::Conversion),
            (TypeKind::Scalar(scalar), TypeKind::Pointer(_)) if scalar.is_integer() => Some(Rank::COnly),
            (TypeKind::Scalar(scalar), TypeKind::Sampler) if scalar.is_integer() && argument.is_literal => Some(Rank::Conversion),
            (TypeKind::Scalar(_), TypeKind::Event | TypeKind::Queue | TypeKind::ClkEvent) if argument.is_null => Some(Rank::Conversion),
            (TypeKind::Pipe(_, a), TypeKind::Pipe(any, b)) if any.id == TypeId::VOID && a == b => Some(Rank::Exact),
            _ => None,
        }
    }
}
