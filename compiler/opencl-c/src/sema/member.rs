//! Members of structs and unions, and components of vectors.

use super::{Operand, OperandKind};
use crate::hir::{Const, ExprKind, PlaceKind};
use crate::intern::Symbol;
use crate::parse::Parser;
use crate::source::Loc;
use crate::types::{QualType, RecordId, Scalar};

impl Parser<'_> {
    /// `a.name`, or `a->name`.
    pub(crate) fn member(&mut self, base: Operand, name: Symbol, arrow: bool, loc: Loc) -> Operand {
        if base.is_error() {
            return self.wrong(loc);
        }
        let base = match arrow {
            true => {
                let pointer = self.rvalue(base);
                if pointer.is_error() {
                    return pointer;
                }
                let Some(pointee) = self.types().pointee(pointer.ty.id) else {
                    let message = match self.types().as_record(pointer.ty.id) {
                        Some(_) => format!(
                            "member reference type '{}' is not a pointer; did you mean to use '.'?",
                            self.name_of(base.ty)
                        ),
                        None => format!("member reference type '{}' is not a pointer", self.name_of(base.ty)),
                    };
                    self.error(loc, &message);
                    return self.wrong(loc);
                };
                self.pointed_at(pointer, pointee, loc)
            }
            false => match base.kind {
                OperandKind::Place(_) | OperandKind::Value(_) => base,
                _ => self.rvalue(base),
            },
        };
        if let Some((scalar, lanes)) = self.types().as_vector(base.ty.id) {
            return self.components(base, scalar, lanes, name, loc);
        }
        let Some(record) = self.types().as_record(base.ty.id) else {
            let message = match !arrow && self.is_pointer(base.ty.id) {
                true => format!(
                    "member reference type '{}' is a pointer; did you mean to use '->'?",
                    self.name_of(base.ty)
                ),
                false => format!("member reference base type '{}' is not a structure or union", self.name_of(base.ty)),
            };
            self.error(loc, &message);
            return self.wrong(loc);
        };
        if !self.types_ref().is_complete(base.ty.id) {
            let message = format!("incomplete definition of type '{}'", self.name_of(base.ty));
            self.error(loc, &message);
            return self.wrong(loc);
        }
        // What is in an `ndrange_t` is nobody's business.
        let path = if record.0 == 0 { None } else { self.find_member(record, name) };
        let Some(path) = path else {
            let message = format!(
                "no member named '{}' in '{}'",
                self.text(name),
                self.name_of(QualType::plain(base.ty.id))
            );
            self.error(loc, &message);
            return self.wrong(loc);
        };
        path.into_iter().fold(base, |base, index| self.field(base, index, loc))
    }

    /// A member by its index.
    pub(crate) fn field(&mut self, base: Operand, index: u32, loc: Loc) -> Operand {
        let Some(record) = self.types().as_record(base.ty.id) else {
            return self.wrong(loc);
        };
        let Some(&field) = self.types().record(record).fields.get(index as usize) else {
            return self.wrong(loc);
        };
        let ty = QualType {
            space: base.ty.space,
            ..field.ty.with(base.ty.quals)
        };
        match base.kind {
            OperandKind::Place(place) => {
                let known = self.body.place(place).align.max(1);
                let align = match (field.bit_field, field.offset) {
                    (Some(_), _) => 0,
                    (None, 0) => known,
                    (None, offset) => known.min(1 << offset.trailing_zeros()),
                };
                self.place(PlaceKind::Member(place, index), ty, align, loc)
            }
            _ => {
                let id = self.id(base);
                match self.types().as_array(ty.id) {
                    // An array needs a place.
                    Some(_) => {
                        let align = self.types().align_of(base.ty.id).unwrap_or(1);
                        let object = self.place(PlaceKind::Temporary(id), QualType::plain(base.ty.id), align, loc);
                        self.field(object, index, loc)
                    }
                    None => self.value(ExprKind::Member(id, index), ty.id, loc),
                }
            }
        }
    }

    /// How a member of that name is reached: through anonymous members.
    pub(crate) fn find_member(&self, record: RecordId, name: Symbol) -> Option<Vec<u32>> {
        let types = self.types_ref();
        let record = types.record(record);
        if let Some(&index) = record.by_name.get(&name) {
            return Some(vec![index]);
        }
        record.anonymous.iter().find_map(|&index| {
            let inner = types.as_record(record.fields[index as usize].ty.id)?;
            let mut path = self.find_member(inner, name)?;
            path.insert(0, index);
            Some(path)
        })
    }

    /// `v.xyz`, `v.s07`, `v.hi` and so on.
    fn components(&mut self, base: Operand, scalar: Scalar, lanes: u8, name: Symbol, loc: Loc) -> Operand {
        let text = self.text(name);
        let list = match component_list(text, lanes) {
            Ok(list) => list,
            Err(wrong) => {
                let message = match wrong {
                    Component::Unknown(letter) => format!("illegal vector component name '{letter}'"),
                    Component::Beyond => format!("vector component access exceeds type '{}'", self.name_of(base.ty)),
                    Component::Count => format!(
                        "vector component access has invalid length {}. Supported: 1,2,3,4,8,16.",
                        text.len()
                    ),
                };
                self.error(loc, &message);
                return self.wrong(loc);
            }
        };
        let result = self.types().vector(scalar, list.len() as u8);
        match base.kind {
            OperandKind::Place(place) => {
                // Of lanes of lanes, the vector's.
                let (vector, list) = match &self.body.place(place).kind {
                    PlaceKind::Lanes(vector, outer) => {
                        let list = list
                            .iter()
                            .map(|&lane| outer.get(usize::from(lane)).copied().unwrap_or(lane))
                            .collect();
                        (*vector, list)
                    }
                    _ => (place, list),
                };
                let ty = QualType { id: result, ..base.ty };
                self.place(PlaceKind::Lanes(vector, list.into()), ty, 0, loc)
            }
            _ => {
                if let Some(Const::Vector(values)) = self.as_const(base) {
                    let values: Vec<Const> = list
                        .iter()
                        .map(|&lane| values.get(usize::from(lane)).cloned().unwrap_or(Const::Zero))
                        .collect();
                    let value = match <[Const; 1]>::try_from(values) {
                        Ok([one]) => one,
                        Err(values) => Const::Vector(values),
                    };
                    return self.constant(value, result, loc);
                }
                let first = self.id(base);
                let lanes = list.iter().map(|&lane| Some(lane).filter(|&lane| lane < lanes)).collect();
                self.value(
                    ExprKind::Shuffle {
                        first,
                        second: None,
                        lanes,
                    },
                    result,
                    loc,
                )
            }
        }
    }
}

/// What is wrong with the name of components.
#[derive(Debug, PartialEq, Eq)]
enum Component {
    Unknown(char),
    /// A lane that the vector does not have.
    Beyond,
    /// A number of lanes that no vector has.
    Count,
}

/// The lanes that a name stands for (OpenCL C, 6.3.7). Of a vector of three, `hi` and `odd` have a lane that is not there.
fn component_list(name: &str, lanes: u8) -> Result<Vec<u8>, Component> {
    let half = lanes.div_ceil(2);
    match name {
        "lo" => return Ok((0..half).collect()),
        "hi" => return Ok((half..half * 2).collect()),
        "even" => return Ok((0..half).map(|lane| lane * 2).collect()),
        "odd" => return Ok((0..half).map(|lane| lane * 2 + 1).collect()),
        _ => {}
    }
    let numeric = name.strip_prefix(['s', 'S']).filter(|rest| !rest.is_empty());
    let letter = |letter: char| match (numeric, letter) {
        (Some(_), letter) => letter.to_digit(16).map(|lane| lane as u8),
        (None, 'x' | 'r') => Some(0),
        (None, 'y' | 'g') => Some(1),
        (None, 'z' | 'b') => Some(2),
        (None, 'w' | 'a') => Some(3),
        _ => None,
    };
    let mut list = Vec::new();
    for each in numeric.unwrap_or(name).chars() {
        let lane = letter(each).ok_or(Component::Unknown(each))?;
        if lane >= lanes {
            return Err(Component::Beyond);
        }
        list.push(lane);
    }
    let mixed = name.contains(['x', 'y', 'z', 'w']) && name.contains(['r', 'g', 'b', 'a']);
    if numeric.is_none() && mixed {
        let other = name.chars().find(|&each| "rgba".contains(each) != "rgba".contains(&name[..1]));
        return Err(Component::Unknown(other.unwrap_or('?')));
    }
    match list.len() {
        1 | 2 | 3 | 4 | 8 | 16 => Ok(list),
        _ => Err(Component::Count),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_have_many_names() {
        assert_eq!(component_list("wzyx", 4), Ok(vec![3, 2, 1, 0]));
        assert_eq!(component_list("rg", 2), Ok(vec![0, 1]));
        assert_eq!(component_list("s0F", 16), Ok(vec![0, 15]));
        assert_eq!(component_list("hi", 3), Ok(vec![2, 3]));
        assert_eq!(component_list("odd", 8), Ok(vec![1, 3, 5, 7]));
    }

    #[test]
    fn what_is_no_component_is_refused() {
        assert_eq!(component_list("xq", 4), Err(Component::Unknown('q')));
        assert_eq!(component_list("xr", 4), Err(Component::Unknown('r')));
        assert_eq!(component_list("z", 2), Err(Component::Beyond));
        assert_eq!(component_list("s4", 4), Err(Component::Beyond));
        assert_eq!(component_list("xyzwx", 4), Err(Component::Count));
        assert_eq!(component_list("s", 4), Err(Component::Unknown('s')));
    }
}
