//! Values that are known when the program is compiled, addresses among them.

use super::fold;
use crate::hir::{Address, AddressBase, Cast, CastKind, Const, ExprId, ExprKind, PlaceId, PlaceKind};
use crate::parse::Parser;
use crate::types::{AddressSpace, TypeId};

impl Parser<'_> {
    /// The constant that an expression is, in an initializer of a variable of the program's.
    pub(crate) fn constant_value(&self, id: ExprId) -> Option<Const> {
        let expr = self.body.expr(id);
        match &expr.kind {
            ExprKind::Const(value) => Some(value.clone()),
            &ExprKind::AddressOf(place) | &ExprKind::Decay(place) => self.constant_address(place).map(Const::Address),
            &ExprKind::FunctionAddress(function) => Some(Const::Address(Address {
                base: AddressBase::Function(function),
                offset: 0,
                base_type: self.program.function(function).ty,
            })),
            &ExprKind::PointerAdd { pointer, index, back } => {
                let pointee = self.types_ref().pointee(expr.ty)?;
                let size = self.types_ref().size_of(pointee.id).unwrap_or(1);
                let index = fold::integer(&self.constant_value(index)?)?.wrapping_mul(size) as i64;
                let by = if back { index.wrapping_neg() } else { index };
                match self.constant_value(pointer)? {
                    Const::Address(address) => Some(Const::Address(Address {
                        offset: address.offset.wrapping_add(by),
                        ..address
                    })),
                    Const::Pointer(value) => Some(Const::Pointer(value.wrapping_add_signed(by))),
                    Const::Zero => Some(Const::Pointer(by as u64)),
                    _ => None,
                }
            }
            &ExprKind::Cast(Cast { kind, value }) => {
                let inner = self.constant_value(value)?;
                match (kind, inner) {
                    (CastKind::Pointer | CastKind::AddressSpace | CastKind::IntToPointer, value @ (Const::Address(_) | Const::Zero)) => {
                        Some(value)
                    }
                    (CastKind::IntToPointer, Const::Int(value)) => Some(Const::Pointer(value)),
                    (CastKind::PointerToInt, value @ Const::Address(_)) if expr.ty == TypeId::ULONG || expr.ty == TypeId::LONG => {
                        Some(value)
                    }
                    (CastKind::Integer, value @ Const::Address(_)) if self.types_ref().size_of(expr.ty) == Some(8) => Some(value),
                    (CastKind::ZeroToOpaque | CastKind::Pointer, Const::Int(0)) => Some(Const::Zero),
                    (CastKind::PointerToBool, Const::Address(_)) => Some(Const::Int(1)),
                    (CastKind::Splat, value) => {
                        let lanes = usize::from(self.types_ref().lanes(expr.ty));
                        Some(Const::Vector(vec![value; lanes]))
                    }
                    _ => None,
                }
            }
            ExprKind::Compose(list) => {
                let mut lanes = Vec::new();
                for &part in self.body.list(*list) {
                    let n = usize::from(self.types_ref().lanes(self.body.expr(part).ty));
                    match self.constant_value(part)? {
                        Const::Vector(values) => lanes.extend(values),
                        Const::Zero => lanes.extend(vec![Const::Zero; n]),
                        value => lanes.push(value),
                    }
                }
                Some(Const::Vector(lanes))
            }
            // A constant variable's value.
            &ExprKind::Load(place) => {
                let PlaceKind::Global(global) = self.body.place(place).kind else {
                    return None;
                };
                let global = self.program.global(global);
                let fixed = global.ty.is_const() || global.ty.space == AddressSpace::Constant;
                match (fixed && !global.is_extern, &global.init) {
                    (true, Some(value)) => Some(value.clone()),
                    _ => None,
                }
            }
            &ExprKind::Conditional {
                condition,
                then,
                otherwise,
            } => match fold::integer(&self.constant_value(condition)?)? {
                0 => self.constant_value(otherwise),
                _ => self.constant_value(then),
            },
            _ => None,
        }
    }

    /// Where a place of a variable of the program's is.
    fn constant_address(&self, place: PlaceId) -> Option<Address> {
        let node = self.body.place(place);
        match node.kind {
            PlaceKind::Global(global) => Some(Address {
                base: AddressBase::Global(global),
                offset: 0,
                base_type: self.program.global(global).ty.id,
            }),
            PlaceKind::Deref(pointer) => match self.constant_value(pointer)? {
                Const::Address(address) => Some(address),
                _ => None,
            },
            PlaceKind::Member(base, index) => {
                let address = self.constant_address(base)?;
                let record = self.types_ref().as_record(self.body.place(base).ty.id)?;
                let field = self.types_ref().record(record).fields.get(index as usize)?;
                Some(Address {
                    offset: address.offset.wrapping_add(field.offset as i64),
                    ..address
                })
            }
            PlaceKind::Element(base, index) => {
                let address = self.constant_address(base)?;
                let size = self.types_ref().size_of(node.ty.id)? as i64;
                let index = fold::integer(&self.constant_value(index)?)? as i64;
                Some(Address {
                    offset: address.offset.wrapping_add(index.wrapping_mul(size)),
                    ..address
                })
            }
            _ => None,
        }
    }
}
