//! What initializers mean for the objects that they are for (C99, 6.7.8).

use super::{Operand, OperandKind, Purpose};
use crate::hir::{Const, ExprId, Global, Linkage, Local, PlaceId, PlaceKind};
use crate::parse::{Attrs, DeclType, Designator, InitItem, Initializer, Parser};
use crate::source::Loc;
use crate::types::{AddressSpace, QualType, TypeId, TypeKind};

/// A program's initializers have so many parts at most, since each is kept, however short the source is: ranges say them many at a time.
const MOST: u64 = 1 << 24;

/// An object's initial value, part by part.
#[derive(Clone, Debug)]
pub(crate) enum Initial {
    /// Nothing said: zero.
    Empty,
    /// A value of the object's type.
    Value(Operand),
    /// The characters of an array.
    Bytes(Vec<u8>),
    /// The first elements of an array; the rest are zero.
    Array(Vec<Initial>),
    /// The members of a struct; those missing are zero.
    Struct(Vec<Initial>),
    Union(u32, Box<Initial>),
}

impl Initial {
    /// Has it nothing but constants in it?
    fn is_constant(&self, parser: &Parser) -> bool {
        match self {
            Initial::Empty | Initial::Bytes(_) => true,
            &Initial::Value(operand) => parser.as_const(operand).is_some(),
            Initial::Array(parts) | Initial::Struct(parts) => parts.iter().all(|part| part.is_constant(parser)),
            Initial::Union(_, part) => part.is_constant(parser),
        }
    }

    /// How many parts are kept.
    fn count(&self) -> u64 {
        match self {
            Initial::Empty | Initial::Value(_) => 1,
            Initial::Bytes(bytes) => 1 + bytes.len() as u64 / size_of::<Initial>() as u64,
            Initial::Array(parts) | Initial::Struct(parts) => 1 + parts.iter().map(Initial::count).sum::<u64>(),
            Initial::Union(_, part) => 1 + part.count(),
        }
    }

    /// How many parts there are at once in an array or a struct.
    fn len(&self) -> u64 {
        match self {
            Initial::Array(parts) | Initial::Struct(parts) => parts.len() as u64,
            _ => 0,
        }
    }
}

/// Parts of a list that are still to be used.
struct Items {
    list: Vec<InitItem>,
    at: usize,
}

impl Parser<'_> {
    /// What an initializer means for an object of a type. An array without a length gets one.
    pub(crate) fn analyse_initializer(&mut self, mut ty: QualType, init: Initializer, loc: Loc) -> (QualType, Initial) {
        let initial = self.initial(ty.id, init, loc);
        if let Some((element, None)) = self.types().as_array(ty.id) {
            let len = match &initial {
                Initial::Bytes(bytes) => Some(bytes.len() as u64 + 1),
                Initial::Array(parts) => Some(parts.len() as u64),
                _ => None,
            };
            ty.id = match len {
                Some(len) => self.types().array(element, Some(len)),
                None => TypeId::ERROR,
            };
        }
        (ty, initial)
    }

    fn initial(&mut self, ty: TypeId, init: Initializer, loc: Loc) -> Initial {
        let kind = self.types().kind(ty).clone();
        match (init, kind) {
            (_, TypeKind::Error) => Initial::Empty,
            (Initializer::Value(operand), TypeKind::Array(element, len)) => {
                if let Some(bytes) = self.string_for(operand, element) {
                    return self.fitting(bytes, len, operand.loc);
                }
                if !operand.is_error() {
                    self.error(operand.loc, "array initializer must be an initializer list");
                }
                Initial::Empty
            }
            (Initializer::Value(operand), _) => Initial::Value(self.convert_for(operand, ty, Purpose::Initializing)),
            (Initializer::List(mut list, _), TypeKind::Array(element, len)) => {
                if let [item] = &list[..]
                    && item.designators.is_empty()
                    && let Initializer::Value(operand) = item.init
                    && let Some(bytes) = self.string_for(operand, element)
                {
                    return self.fitting(bytes, len, operand.loc);
                }
                let mut initial = Initial::Array(Vec::new());
                let mut items = Items {
                    list: std::mem::take(&mut list),
                    at: 0,
                };
                self.fill(ty, &mut initial, &mut items, true, Vec::new());
                initial
            }
            (Initializer::List(list, _), TypeKind::Record(_)) => {
                let mut initial = Initial::Struct(Vec::new());
                let mut items = Items { list, at: 0 };
                self.fill(ty, &mut initial, &mut items, true, Vec::new());
                match initial {
                    Initial::Struct(parts) if parts.is_empty() => Initial::Empty,
                    initial => initial,
                }
            }
            (Initializer::List(list, here), TypeKind::Vector(..)) => {
                let mut parts = Vec::new();
                for item in list {
                    match item.init {
                        Initializer::Value(operand) if item.designators.is_empty() => parts.push(operand),
                        _ => {
                            self.error(item.loc, "initializer of a vector must be a list of scalars and vectors");
                            return Initial::Empty;
                        }
                    }
                }
                if let [only] = parts[..] {
                    let value = self.rvalue(only);
                    if value.ty.id == ty {
                        return Initial::Value(value);
                    }
                }
                let value = self.compose(ty, &parts, here);
                Initial::Value(value)
            }
            (Initializer::List(mut list, here), _) => {
                if list.len() > 1 {
                    self.warn("excess-initializers", list[1].loc, "excess elements in scalar initializer");
                    list.truncate(1);
                }
                match list.pop() {
                    Some(item) => self.initial(ty, item.init, item.loc),
                    None => {
                        let _ = (here, loc);
                        Initial::Empty
                    }
                }
            }
        }
    }

    /// The bytes of a string literal that is an operand, for an array of characters.
    fn string_for(&mut self, operand: Operand, element: QualType) -> Option<Vec<u8>> {
        if !matches!(element.id, TypeId::CHAR | TypeId::UCHAR) {
            return None;
        }
        let OperandKind::Place(place) = operand.kind else { return None };
        let PlaceKind::Global(global) = self.body.place(place).kind else {
            return None;
        };
        let global = self.program.global(global);
        match &global.init {
            Some(Const::Bytes(bytes)) if self.session.name(global.name) == ".str" => Some(bytes[..bytes.len().saturating_sub(1)].to_vec()),
            _ => None,
        }
    }

    /// A string cut to an array's length.
    fn fitting(&mut self, mut bytes: Vec<u8>, len: Option<u64>, loc: Loc) -> Initial {
        if let Some(len) = len
            && bytes.len() as u64 > len
        {
            self.warn("excess-initializers", loc, "initializer-string for char array is too long");
            bytes.truncate(len as usize);
        }
        Initial::Bytes(bytes)
    }

    /// Fills the parts of an array, a struct or a union from a list. Without braces of its own it takes what it needs.
    fn fill(&mut self, ty: TypeId, initial: &mut Initial, items: &mut Items, braced: bool, mut pending: Vec<Designator>) {
        let kind = self.types().kind(ty).clone();
        let mut position = 0u64;
        while items.at < items.list.len() {
            let item = &mut items.list[items.at];
            let loc = item.loc;
            // What this list takes is gone for those in it, which may take the value without braces.
            let designators = match () {
                () if !pending.is_empty() => std::mem::take(&mut pending),
                () if braced || item.designators.is_empty() => std::mem::take(&mut item.designators),
                () => return,
            };
            let (mut first, mut last) = (position, position);
            let mut rest = Vec::new();
            if let Some((head, tail)) = designators.split_first() {
                rest = tail.to_vec();
                match self.designated(&kind, *head, &mut rest) {
                    Some(range) => (first, last) = range,
                    None => {
                        items.at += 1;
                        continue;
                    }
                }
            } else {
                // Nothing is for unnamed bit-fields.
                while let TypeKind::Record(record) = kind
                    && let Some(field) = self.types().record(record).fields.get(first as usize)
                    && field.name.is_none()
                    && field.bits.is_some()
                {
                    first += 1;
                    last = first;
                }
            }
            let Some(part) = self.part_type(&kind, first) else {
                if !braced {
                    return;
                }
                let what = match kind {
                    TypeKind::Array(..) => "array",
                    TypeKind::Record(record) if self.types_ref().record(record).is_union => "union",
                    _ => "struct",
                };
                let message = format!("excess elements in {what} initializer");
                self.warn("excess-initializers", loc, &message);
                items.at += 1;
                continue;
            };
            let is_union = matches!(kind, TypeKind::Record(record) if self.types_ref().record(record).is_union);
            let more = if is_union { 1 } else { (last + 1).saturating_sub(initial.len()) };
            if !self.keeps_parts(more, loc) {
                items.at += 1;
                continue;
            }
            let mut child = std::mem::replace(part_of(initial, first as u32, is_union), Initial::Empty);
            match rest.is_empty() {
                true => self.fill_part(part, &mut child, items),
                false => {
                    match self.types_ref().kind(part) {
                        TypeKind::Array(..) => ensure(&mut child, Initial::Array(Vec::new())),
                        TypeKind::Record(_) => ensure(&mut child, Initial::Struct(Vec::new())),
                        _ => {
                            self.error(loc, "designator into something that has no parts");
                            items.at += 1;
                            continue;
                        }
                    }
                    self.fill(part, &mut child, items, false, rest);
                }
            }
            if first < last && !self.keeps_parts((last - first).saturating_mul(child.count()), loc) {
                continue;
            }
            for index in first..last {
                *part_of(initial, index as u32 + 1, is_union) = child.clone();
            }
            *part_of(initial, first as u32, is_union) = child;
            // A union has one part.
            position = if is_union { u64::from(u32::MAX) } else { last + 1 };
        }
    }

    /// Counts parts that are to be kept. False, with an error, if there are too many.
    fn keeps_parts(&mut self, more: u64, loc: Loc) -> bool {
        let kept = self.kept_parts.saturating_add(more);
        if kept > MOST {
            self.error(loc, "initializers of this program are too large");
            return false;
        }
        self.kept_parts = kept;
        true
    }

    /// The parts that a designator names. What a member is reached through is put before the rest.
    fn designated(&mut self, kind: &TypeKind, designator: Designator, rest: &mut Vec<Designator>) -> Option<(u64, u64)> {
        match (designator, kind) {
            (Designator::Index(first, last, loc), &TypeKind::Array(_, len)) => {
                if len.is_some_and(|len| last >= len) {
                    let message = format!("array designator index ({last}) exceeds array bounds ({})", len.unwrap_or(0));
                    self.error(loc, &message);
                    return None;
                }
                Some((first, last))
            }
            (Designator::Position(index), TypeKind::Record(_)) => Some((u64::from(index), u64::from(index))),
            (Designator::Member(name, loc), &TypeKind::Record(record)) => {
                let Some(path) = self.find_member(record, name) else {
                    let message = format!("field designator '{}' does not refer to any field", self.text(name));
                    self.error(loc, &message);
                    return None;
                };
                let (&head, tail) = path.split_first()?;
                let through = tail.iter().map(|&index| Designator::Position(index));
                rest.splice(0..0, through);
                Some((u64::from(head), u64::from(head)))
            }
            (Designator::Index(_, _, loc), _) => {
                self.error(loc, "array designator cannot initialize non-array type");
                None
            }
            (Designator::Member(_, loc), _) => {
                self.error(loc, "field designator cannot initialize a non-struct, non-union type");
                None
            }
            (Designator::Position(_), _) => None,
        }
    }

    /// The type of a part, or `None` if there is no such part.
    fn part_type(&mut self, kind: &TypeKind, index: u64) -> Option<TypeId> {
        match *kind {
            TypeKind::Array(element, len) => len.is_none_or(|len| index < len).then_some(element.id),
            TypeKind::Record(record) => self.types().record(record).fields.get(index as usize).map(|field| field.ty.id),
            _ => None,
        }
    }

    /// One part, from the next item or, without braces, from several.
    fn fill_part(&mut self, ty: TypeId, child: &mut Initial, items: &mut Items) {
        let loc = items.list[items.at].loc;
        let kind = self.types().kind(ty).clone();
        if let (Initializer::Value(operand), TypeKind::Array(..) | TypeKind::Record(_)) = (&items.list[items.at].init, &kind) {
            let operand = *operand;
            let whole = match kind {
                TypeKind::Array(element, _) => self.string_for(operand, element).is_some(),
                _ => operand.ty.id == ty,
            };
            if !whole {
                match kind {
                    TypeKind::Array(..) => ensure(child, Initial::Array(Vec::new())),
                    _ => ensure(child, Initial::Struct(Vec::new())),
                }
                let before = items.at;
                self.fill(ty, child, items, false, Vec::new());
                if items.at == before {
                    // It has no parts: nothing is for it.
                    return;
                }
                return;
            }
        }
        let init = std::mem::replace(&mut items.list[items.at].init, Initializer::List(Vec::new(), loc));
        items.at += 1;
        *child = self.initial(ty, init, loc);
    }

    /// The constant that an initial value is. What is not constant is reported.
    pub(crate) fn constant_of(&mut self, initial: Initial) -> Option<Const> {
        Some(match initial {
            Initial::Empty => Const::Zero,
            Initial::Bytes(bytes) => Const::Bytes(bytes),
            Initial::Value(operand) => {
                if operand.is_error() {
                    return None;
                }
                let id = self.id(operand);
                match self.constant_value(id) {
                    Some(value) => value,
                    None => {
                        self.error(operand.loc, "initializer element is not a compile-time constant");
                        return None;
                    }
                }
            }
            Initial::Array(parts) => Const::Array(self.constants_of(parts)?),
            Initial::Struct(parts) => Const::Struct(self.constants_of(parts)?),
            Initial::Union(index, part) => Const::Union(index, Box::new(self.constant_of(*part)?)),
        })
    }

    fn constants_of(&mut self, parts: Vec<Initial>) -> Option<Vec<Const>> {
        let values: Vec<Option<Const>> = parts.into_iter().map(|part| self.constant_of(part)).collect();
        values.into_iter().collect()
    }

    /// What initializes a place: a constant for the whole of it, if it takes one, and values for parts.
    pub(crate) fn split_initial(&mut self, initial: Initial, place: PlaceId, stores: &mut Vec<(PlaceId, ExprId)>) -> Option<Const> {
        if let Initial::Value(operand) = initial {
            let id = self.id(operand);
            stores.push((place, id));
            return None;
        }
        let mut needed = false;
        let base = self.split(initial, place, stores, &mut needed);
        needed.then_some(base)
    }

    fn split(&mut self, initial: Initial, place: PlaceId, stores: &mut Vec<(PlaceId, ExprId)>, needed: &mut bool) -> Const {
        let ty = self.body.place(place).ty;
        let loc = self.body.place(place).loc;
        let align = self.body.place(place).align;
        let base = Operand {
            kind: OperandKind::Place(place),
            ty,
            loc,
            is_null: false,
            is_literal: false,
        };
        match initial {
            Initial::Empty => {
                *needed = true;
                Const::Zero
            }
            Initial::Bytes(bytes) => {
                *needed = true;
                Const::Bytes(bytes)
            }
            Initial::Value(operand) => match self.as_const(operand) {
                Some(value) => {
                    *needed = true;
                    value.clone()
                }
                None => {
                    let id = self.id(operand);
                    stores.push((place, id));
                    Const::Zero
                }
            },
            Initial::Array(parts) => {
                let (element, len) = self.types().as_array(ty.id).unwrap_or((QualType::plain(TypeId::ERROR), None));
                *needed |= len != Some(parts.len() as u64);
                let size = self.types().size_of(element.id).unwrap_or(1).max(1);
                let mut values = Vec::with_capacity(parts.len());
                for (index, part) in parts.into_iter().enumerate() {
                    if part.is_constant(self) {
                        *needed = true;
                        values.push(self.constant_of(part).unwrap_or(Const::Zero));
                        continue;
                    }
                    let number = self.int(index as u64, TypeId::LONG, loc);
                    let number = self.id(number);
                    let align = align.max(1).min(1 << size.trailing_zeros().min(62));
                    let element = QualType {
                        space: ty.space,
                        ..element
                    };
                    let part_place = self.place(PlaceKind::Element(place, number), element, align, loc);
                    values.push(match part_place.kind {
                        OperandKind::Place(part_place) => self.split(part, part_place, stores, needed),
                        _ => Const::Zero,
                    });
                }
                Const::Array(values)
            }
            Initial::Struct(parts) => {
                let count = self
                    .types()
                    .as_record(ty.id)
                    .map_or(0, |record| self.types().record(record).fields.len());
                *needed |= parts.len() != count;
                let mut values = Vec::with_capacity(parts.len());
                for (index, part) in parts.into_iter().enumerate() {
                    if part.is_constant(self) {
                        *needed = true;
                        values.push(self.constant_of(part).unwrap_or(Const::Zero));
                        continue;
                    }
                    let field = self.field(base, index as u32, loc);
                    values.push(match field.kind {
                        OperandKind::Place(field) => self.split(part, field, stores, needed),
                        _ => Const::Zero,
                    });
                }
                Const::Struct(values)
            }
            Initial::Union(index, part) => {
                if part.is_constant(self) {
                    *needed = true;
                    let value = self.constant_of(*part).unwrap_or(Const::Zero);
                    return Const::Union(index, Box::new(value));
                }
                *needed = true;
                let field = self.field(base, index, loc);
                if let OperandKind::Place(field) = field.kind {
                    self.split(*part, field, stores, needed);
                }
                Const::Zero
            }
        }
    }

    /// A compound literal. Scalars and vectors are values, others variables without a name.
    pub(crate) fn literal_place(&mut self, ty: DeclType, init: Initializer, loc: Loc) -> Operand {
        let (object, initial) = self.analyse_initializer(ty.ty, init, loc);
        if object.id == TypeId::ERROR || !self.types().is_complete(object.id) {
            if object.id != TypeId::ERROR {
                let message = format!("variable has incomplete type '{}'", self.name_of(object));
                self.error(loc, &message);
            }
            return self.wrong(loc);
        }
        if self.types().as_vector(object.id).is_some() {
            return match initial {
                Initial::Value(operand) => Operand { loc, ..operand },
                _ => self.constant(Const::Zero, object.id, loc),
            };
        }
        let align = self.types().align_of(object.id).unwrap_or(1);
        if self.function.is_none() {
            return self.global_literal(object, initial, loc);
        }
        let object = QualType {
            space: AddressSpace::Private,
            ..object
        };
        let local = self.body.add_local(Local {
            name: None,
            ty: object,
            align,
            loc,
        });
        let stmt = self.initialize_local(local, initial, loc);
        self.place(PlaceKind::Literal(stmt, local), object, align, loc)
    }

    /// A compound literal at program scope.
    fn global_literal(&mut self, object: QualType, initial: Initial, loc: Loc) -> Operand {
        let Some(value) = self.constant_of(initial) else {
            return self.wrong(loc);
        };
        if self.types().as_array(object.id).is_none() {
            return self.constant(value, object.id, loc);
        }
        let space = match self.lang.program_scope_globals {
            true => AddressSpace::Global,
            false => AddressSpace::Constant,
        };
        let name = self.session.intern(".compoundliteral");
        let global = self.new_global(
            Global {
                name,
                ty: QualType { space, ..object },
                align: 1,
                linkage: Linkage::Internal,
                is_extern: false,
                init: Some(value),
                function: None,
                used: true,
                loc,
            },
            &Attrs::default(),
        );
        let global_ty = self.program.global(global).ty;
        let align = self.program.global(global).align;
        self.place(PlaceKind::Global(global), global_ty, align, loc)
    }
}

/// A part of an initial value, made if it isn't there yet.
fn part_of(initial: &mut Initial, index: u32, is_union: bool) -> &mut Initial {
    if is_union {
        if !matches!(initial, Initial::Union(known, _) if *known == index) {
            *initial = Initial::Union(index, Box::new(Initial::Empty));
        }
        return match initial {
            Initial::Union(_, part) => part,
            other => other,
        };
    }
    match initial {
        Initial::Array(parts) | Initial::Struct(parts) => {
            let index = index as usize;
            if parts.len() <= index {
                parts.resize(index + 1, Initial::Empty);
            }
            &mut parts[index]
        }
        other => other,
    }
}

/// Makes an initial value one that has parts, unless it is.
fn ensure(initial: &mut Initial, fresh: Initial) {
    if !matches!(initial, Initial::Array(_) | Initial::Struct(_) | Initial::Union(..)) {
        *initial = fresh;
    }
}
