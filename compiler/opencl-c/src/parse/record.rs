//! Structs, unions and enumerations.

use super::{Attrs, Keyword, Parser};
use crate::hir::Const;
use crate::intern::Symbol;
use crate::sema::Entity;
use crate::source::Loc;
use crate::token::Punct;
use crate::types::{AddressSpace, Enum, Field, Record, RecordId, Scalar, TypeId, TypeKind};
use rustc_hash::FxHashSet;

impl Parser<'_> {
    /// `struct` or `union`, with a tag, members or both.
    pub(super) fn record_specifier(&mut self) -> TypeId {
        let is_union = self.keyword() == Some(Keyword::Union);
        let mut loc = self.advance().loc;
        let mut attrs = Attrs::default();
        self.attributes(&mut attrs);
        let mut tag = None;
        if let Some(name) = self.at_name() {
            tag = Some(name);
            loc = self.advance().loc;
        }
        self.attributes(&mut attrs);
        let defines = self.at(Punct::LBrace);
        if !defines && tag.is_none() {
            self.error(loc, "declaration of anonymous struct must be a definition");
            return TypeId::ERROR;
        }
        // `struct S;` declares one of this scope, as a definition does.
        let declares = defines || self.at(Punct::Semicolon);
        let known = tag.and_then(|tag| match declares {
            true => self.scopes.tag_here(tag),
            false => self.scopes.tag(tag),
        });
        let id = match known {
            Some(id) => match *self.types_ref().kind(id) {
                TypeKind::Record(record) if self.types_ref().record(record).is_union == is_union => id,
                _ => {
                    let message = format!(
                        "use of '{}' with tag type that does not match previous declaration",
                        self.text_of(tag)
                    );
                    self.error(loc, &message);
                    return TypeId::ERROR;
                }
            },
            None => {
                let id = self.types().new_record(Record::new(tag, is_union));
                if let Some(tag) = tag {
                    self.scopes.add_tag(tag, id);
                }
                id
            }
        };
        if !defines {
            return id;
        }
        let Some(record) = self.types().as_record(id) else { return id };
        let is_open = self.open_records.contains(&record);
        if is_open || self.types().record(record).layout.is_some() {
            let nested = if is_open { "nested " } else { "" };
            let message = format!("{nested}redefinition of '{}'", self.text_of(tag));
            self.error(loc, &message);
            let id = self.types().new_record(Record::new(tag, is_union));
            if let Some(record) = self.types().as_record(id) {
                self.members(record, &mut attrs);
            }
            return id;
        }
        self.members(record, &mut attrs);
        id
    }

    fn text_of(&self, tag: Option<Symbol>) -> &str {
        tag.map_or("", |tag| self.text(tag))
    }

    /// The members of a record in braces, and attributes after them.
    fn members(&mut self, record: RecordId, attrs: &mut Attrs) {
        self.advance();
        self.open_records.push(record);
        let mut fields: Vec<Field> = Vec::new();
        let mut names: FxHashSet<Symbol> = FxHashSet::default();
        if self.enter() {
            while !self.at(Punct::RBrace) && !self.at_end() {
                self.member_declaration(&mut fields, &mut names);
            }
            self.expect(Punct::RBrace, "");
        }
        self.leave();
        self.open_records.pop();
        self.attributes(attrs);
        let pack = u64::from(self.packing());
        if pack > 0 {
            for field in &mut fields {
                let natural = self.types().align_of(field.ty.id).unwrap_or(1);
                if natural > pack {
                    field.packed = true;
                    field.aligned = field.aligned.max(Some(pack));
                }
            }
        }
        self.types().set_alignment(record, attrs.aligned);
        self.types().complete_record(record, fields, attrs.packed);
    }

    fn member_declaration(&mut self, fields: &mut Vec<Field>, names: &mut FxHashSet<Symbol>) {
        if self.accept(Punct::Semicolon) {
            return;
        }
        if self.accept_keyword(Keyword::StaticAssert) {
            self.static_assert();
            return;
        }
        let start = self.loc();
        if let Some(name) = self.at_name()
            && !self.at_type()
        {
            self.unknown_type(name, start);
            self.recover();
            return;
        }
        let specifiers = self.specifiers();
        if specifiers.storage.is_some() {
            self.error(specifiers.loc, "type name does not allow storage class to be specified");
        }
        if self.accept(Punct::Semicolon) {
            // An anonymous struct or union: its members are this one's too.
            let ty = specifiers.base.ty;
            match self.types().as_record(ty.id) {
                Some(record) if specifiers.declares_tag && self.types().record(record).tag.is_none() => {
                    let inner = self.member_names(record);
                    for name in inner {
                        self.add_member_name(names, name, start);
                    }
                    fields.push(Field {
                        ty,
                        aligned: specifiers.attrs.aligned,
                        packed: specifiers.attrs.packed,
                        ..Field::default()
                    });
                }
                _ => self.warn("missing-declarations", start, "declaration does not declare anything"),
            }
            return;
        }
        loop {
            let declarator = self.declarator();
            let mut attrs = specifiers.attrs.clone();
            attrs.merge(&declarator.attrs);
            let declared = self.declared_type(&specifiers, &declarator);
            let mut ty = declared.ty;
            let loc = declarator.loc;
            let mut bits = None;
            if self.accept(Punct::Colon) {
                bits = self.bit_width(ty.id, declarator.name.is_some(), loc);
                self.attributes(&mut attrs);
            }
            if declared.space.is_some_and(|space| space != AddressSpace::Private) {
                self.error(loc, "field may not be qualified with an address space");
            }
            self.check_member_type(ty.id, loc);
            ty.space = AddressSpace::Private;
            if let Some(name) = declarator.name {
                self.add_member_name(names, name, loc);
            } else if bits.is_none() && ty.id != TypeId::ERROR {
                self.error(loc, "expected member name or ';' after declaration specifiers");
            }
            if self.types().is_complete(ty.id) || self.types().as_array(ty.id).is_some_and(|(_, len)| len.is_none()) {
                fields.push(Field {
                    name: declarator.name,
                    ty,
                    bits,
                    aligned: attrs.aligned,
                    packed: attrs.packed,
                    address_sized: declared.address_sized,
                    ..Field::default()
                });
            }
            if !self.accept(Punct::Comma) {
                break;
            }
        }
        if !self.expect(Punct::Semicolon, "at end of declaration list") {
            self.recover();
        }
    }

    fn add_member_name(&mut self, names: &mut FxHashSet<Symbol>, name: Symbol, loc: Loc) {
        if !names.insert(name) {
            let message = format!("duplicate member '{}'", self.text(name));
            self.error(loc, &message);
        }
    }

    /// The names of a record's members, with those of anonymous ones.
    fn member_names(&self, record: RecordId) -> Vec<Symbol> {
        let mut names = Vec::new();
        for field in &self.types_ref().record(record).fields {
            match (field.name, self.types_ref().as_record(field.ty.id)) {
                (Some(name), _) => names.push(name),
                (None, Some(inner)) => names.extend(self.member_names(inner)),
                _ => {}
            }
        }
        names
    }

    fn check_member_type(&mut self, ty: TypeId, loc: Loc) {
        let message = match self.types_ref().kind(ty) {
            TypeKind::Error => return,
            TypeKind::Image(_)
            | TypeKind::Sampler
            | TypeKind::Event
            | TypeKind::Pipe(..)
            | TypeKind::Queue
            | TypeKind::ReserveId
            | TypeKind::ClkEvent => format!(
                "the '{}' type cannot be used to declare a structure or union field",
                self.name_of_id(ty)
            ),
            TypeKind::Function(_) => "field declared as a function".to_string(),
            TypeKind::Block(_) => "the block type cannot be used to declare a structure or union field".to_string(),
            TypeKind::Array(_, None) => return,
            _ if !self.types_ref().is_complete(ty) => format!("field has incomplete type '{}'", self.name_of_id(ty)),
            _ => return,
        };
        self.error(loc, &message);
    }

    /// The width of a bit-field.
    fn bit_width(&mut self, ty: TypeId, named: bool, loc: Loc) -> Option<u32> {
        let operand = self.conditional_expression();
        let operand = self.rvalue(operand);
        if !self.lang.bit_fields {
            self.error(loc, "bit-fields are not supported in OpenCL");
        }
        let Some(scalar) = self.scalar_of(ty).filter(|scalar| scalar.is_integer()) else {
            if ty != TypeId::ERROR {
                self.error(loc, "bit-field has non-integral type");
            }
            return None;
        };
        let Some(width) = self.as_int(operand) else {
            self.error(operand.loc, "expression is not an integer constant expression");
            return Some(1);
        };
        if width > u64::from(scalar.bits()) {
            self.error(loc, "width of bit-field exceeds the width of its type");
            return Some(1);
        }
        if width == 0 && named {
            self.error(loc, "named bit-field has zero width");
            return Some(1);
        }
        Some(width as u32)
    }

    /// `enum`, with a tag, constants or both.
    pub(super) fn enum_specifier(&mut self) -> TypeId {
        let mut loc = self.advance().loc;
        let mut attrs = Attrs::default();
        self.attributes(&mut attrs);
        let mut tag = None;
        if let Some(name) = self.at_name() {
            tag = Some(name);
            loc = self.advance().loc;
        }
        let defines = self.at(Punct::LBrace);
        if !defines && tag.is_none() {
            self.error(loc, "expected identifier or '{'");
            return TypeId::ERROR;
        }
        let known = tag.and_then(|tag| match defines {
            true => self.scopes.tag_here(tag),
            false => self.scopes.tag(tag),
        });
        let mut id = match known {
            Some(id) if matches!(self.types().kind(id), TypeKind::Enum(_)) => id,
            Some(_) => {
                let message = format!(
                    "use of '{}' with tag type that does not match previous declaration",
                    self.text_of(tag)
                );
                self.error(loc, &message);
                return TypeId::ERROR;
            }
            None => self.new_enum(tag),
        };
        if !defines {
            return id;
        }
        if self.enum_of(id).is_some_and(|it| it.complete) {
            let message = format!("redefinition of '{}'", self.text_of(tag));
            self.error(loc, &message);
            id = self.new_enum(None);
        }
        self.enumerators(id);
        self.attributes(&mut attrs);
        id
    }

    fn new_enum(&mut self, tag: Option<Symbol>) -> TypeId {
        let id = self.types().new_enum(Enum {
            tag,
            underlying: Scalar::UInt,
            complete: false,
        });
        if let Some(tag) = tag {
            self.scopes.add_tag(tag, id);
        }
        id
    }

    fn enum_of(&mut self, id: TypeId) -> Option<&mut Enum> {
        match *self.types_ref().kind(id) {
            TypeKind::Enum(it) => Some(self.types().enumeration_mut(it)),
            _ => None,
        }
    }

    /// The constants of an enumeration. They are `int`s, or `long`s where one does not fit.
    fn enumerators(&mut self, id: TypeId) {
        self.advance();
        let mut next = 0i128;
        if self.at(Punct::RBrace) {
            let loc = self.loc();
            self.error(loc, "use of empty enum");
        }
        let (mut least, mut most) = (0i128, 0i128);
        if self.enter() {
            while let Some(name) = self.at_name() {
                let loc = self.advance().loc;
                let mut attrs = Attrs::default();
                self.attributes(&mut attrs);
                if self.accept(Punct::Eq) {
                    let operand = self.conditional_expression();
                    let operand = self.rvalue(operand);
                    match self.as_int(operand) {
                        Some(value) => {
                            let signed = self.scalar_of(operand.ty.id).is_some_and(|scalar| scalar.is_signed());
                            next = if signed { i128::from(value as i64) } else { i128::from(value) };
                        }
                        None if operand.is_error() => {}
                        None => self.error(operand.loc, "expression is not an integer constant expression"),
                    }
                }
                least = least.min(next);
                most = most.max(next);
                let ty = match i32::try_from(next) {
                    Ok(_) => TypeId::INT,
                    Err(_) if (0..=i128::from(u32::MAX)).contains(&next) => TypeId::UINT,
                    Err(_) if i64::try_from(next).is_ok() => TypeId::LONG,
                    Err(_) => TypeId::ULONG,
                };
                self.declare(name, Entity::Enumerator(Const::Int(next as u64), ty), loc);
                next += 1;
                if !self.accept(Punct::Comma) {
                    break;
                }
            }
            if !self.expect(Punct::RBrace, "") {
                self.skip_to(&[Punct::RBrace, Punct::Semicolon]);
                self.accept(Punct::RBrace);
            }
        }
        self.leave();
        let underlying = match (least < 0, most) {
            (true, _) if i32::try_from(least).is_ok() && i32::try_from(most).is_ok() => Scalar::Int,
            (true, _) => Scalar::Long,
            (false, most) if u32::try_from(most).is_ok() => Scalar::UInt,
            (false, _) => Scalar::ULong,
        };
        if let Some(it) = self.enum_of(id) {
            it.underlying = underlying;
            it.complete = true;
        }
    }
}
