//! Declaration specifiers: what stands before a declarator.

use super::{Attrs, Keyword, Parser};
use crate::intern::Symbol;
use crate::sema::Entity;
use crate::source::Loc;
use crate::token::{Punct, TokenKind};
use crate::types::{Access, AddressSpace, QualType, Quals, Scalar, TypeId, TypeKind};

/// A type as declarations build it: the address space may still be open.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeclType {
    /// Its space means nothing.
    pub ty: QualType,
    /// The address space that the program names.
    pub space: Option<AddressSpace>,
    /// The `typedef` that it was named by.
    pub written: Option<Symbol>,
    /// Is it `size_t` or another type as wide as an address, by its name? The host may have another width.
    pub address_sized: bool,
}

/// A storage class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Storage {
    Static,
    Extern,
    Typedef,
}

/// Everything before a declarator.
#[derive(Clone, Debug)]
pub(crate) struct Specifiers {
    pub base: DeclType,
    pub storage: Option<Storage>,
    pub is_inline: bool,
    pub is_kernel: bool,
    pub attrs: Attrs,
    pub loc: Loc,
    /// Was a struct, union or enumeration named or defined? Then a declaration needs no declarator.
    pub declares_tag: bool,
}

/// The words that make a type, counted.
#[derive(Default)]
struct Words {
    signed: bool,
    unsigned: bool,
    short: bool,
    long: u32,
    base: Option<Keyword>,
    complex: bool,
}

impl Words {
    fn any(&self) -> bool {
        self.signed || self.unsigned || self.short || self.long > 0 || self.base.is_some()
    }
}

impl DeclType {
    pub(crate) fn plain(id: TypeId) -> DeclType {
        DeclType {
            ty: QualType::plain(id),
            space: None,
            written: None,
            address_sized: false,
        }
    }
}

impl Parser<'_> {
    /// Does a declaration or a type's name begin at a token?
    pub(crate) fn begins_type(&self, token: crate::token::Token) -> bool {
        let Some(name) = token.ident() else { return false };
        match self.keyword_of(token) {
            Some(keyword) => {
                use Keyword::*;
                matches!(
                    keyword,
                    Void | Bool
                        | Char
                        | Short
                        | Int
                        | Long
                        | Half
                        | Float
                        | Double
                        | Signed
                        | Unsigned
                        | Const
                        | Volatile
                        | Restrict
                        | Inline
                        | Static
                        | Extern
                        | Typedef
                        | Register
                        | Auto
                        | Struct
                        | Union
                        | Enum
                        | Kernel
                        | Space(_)
                        | ReadOnly
                        | WriteOnly
                        | ReadWrite
                        | Pipe
                        | Atomic
                        | Typeof
                        | TypeofUnqual
                        | Noreturn
                        | Complex
                )
            }
            None => matches!(self.scopes.find(name), Some(Entity::Typedef(_))),
        }
    }

    /// Does a declaration or a type's name begin here?
    pub(crate) fn at_type(&self) -> bool {
        self.begins_type(self.peek())
    }

    fn access(&mut self, access: &mut Option<(Access, Loc)>, new: Access, loc: Loc) {
        if access.is_some_and(|(old, _)| old != new) {
            self.error(loc, "multiple access qualifiers");
        }
        *access = Some((new, loc));
    }

    /// Reads declaration specifiers.
    pub(crate) fn specifiers(&mut self) -> Specifiers {
        let loc = self.loc();
        let mut words = Words::default();
        let mut named: Option<DeclType> = None;
        let mut quals = Quals::empty();
        let mut space: Option<AddressSpace> = None;
        let mut access: Option<(Access, Loc)> = None;
        let mut pipe = false;
        let mut atomic = false;
        let mut out = Specifiers {
            base: DeclType::plain(TypeId::ERROR),
            storage: None,
            is_inline: false,
            is_kernel: false,
            attrs: Attrs::default(),
            loc,
            declares_tag: false,
        };
        loop {
            let here = self.loc();
            let Some(name) = self.peek().ident() else { break };
            let Some(keyword) = self.keyword() else {
                if words.any() || named.is_some() {
                    break;
                }
                let Some(&Entity::Typedef(ty)) = self.scopes.find(name) else {
                    break;
                };
                self.advance();
                self.check_type_feature(ty.ty.id, here);
                named = Some(DeclType { written: Some(name), ..ty });
                continue;
            };
            use Keyword::*;
            match keyword {
                Void | Bool | Char | Int | Half | Float | Double => {
                    if named.is_some() || words.base.is_some() {
                        self.error(here, "cannot combine with previous type specifier");
                    }
                    words.base = Some(keyword);
                }
                Short => words.short = true,
                Long => words.long += 1,
                Signed => words.signed = true,
                Unsigned => words.unsigned = true,
                Complex => words.complex = true,
                Const => quals |= Quals::CONST,
                Volatile => quals |= Quals::VOLATILE,
                Restrict => quals |= Quals::RESTRICT,
                Inline => out.is_inline = true,
                Noreturn => out.attrs.noreturn = true,
                Extension => {}
                Static | Extern | Typedef => {
                    let storage = match keyword {
                        Static => Storage::Static,
                        Extern => Storage::Extern,
                        _ => Storage::Typedef,
                    };
                    if out.storage.is_some_and(|old| old != storage) {
                        self.error(here, "cannot combine with previous declaration specifier");
                    }
                    if self.lang.version < 120 && storage != Storage::Typedef {
                        let message = format!(
                            "OpenCL C version {} does not support the '{}' storage class specifier",
                            self.lang.version_text(),
                            self.text(name)
                        );
                        self.error(here, &message);
                    }
                    out.storage = Some(storage);
                }
                Register | Auto => {
                    let message = format!(
                        "OpenCL C version {} does not support the '{}' storage class specifier",
                        self.lang.version_text(),
                        self.text(name)
                    );
                    self.error(here, &message);
                }
                Kernel => out.is_kernel = true,
                Space(new) => {
                    if space.is_some_and(|old| old != new) {
                        self.error(here, "multiple address spaces specified for type");
                    }
                    if new == AddressSpace::Generic && !self.lang.generic {
                        let message = format!(
                            "OpenCL C version {} does not support the '{}' type qualifier",
                            self.lang.version_text(),
                            self.text(name)
                        );
                        self.error(here, &message);
                    }
                    space = Some(new);
                }
                ReadOnly => self.access(&mut access, Access::ReadOnly, here),
                WriteOnly => self.access(&mut access, Access::WriteOnly, here),
                ReadWrite => {
                    if !self.lang.read_write_images {
                        self.error(here, "access qualifier 'read_write' cannot be used prior to OpenCL C version 2.0 or in version 3.0 and without __opencl_c_read_write_images feature");
                    }
                    self.access(&mut access, Access::ReadWrite, here);
                }
                Pipe => pipe = true,
                Atomic => {
                    self.advance();
                    if self.accept(Punct::LParen) {
                        let inner = self.type_name();
                        self.expect(Punct::RParen, "");
                        let id = self.types().intern(TypeKind::Atomic(inner.ty.id));
                        named = Some(DeclType::plain(id));
                    } else {
                        atomic = true;
                    }
                    continue;
                }
                Attribute => {
                    let mut attrs = std::mem::take(&mut out.attrs);
                    self.attributes(&mut attrs);
                    out.attrs = attrs;
                    continue;
                }
                Struct | Union | Enum => {
                    if named.is_some() || words.any() {
                        self.error(here, "cannot combine with previous type specifier");
                    }
                    let id = match keyword {
                        Enum => self.enum_specifier(),
                        _ => self.record_specifier(),
                    };
                    out.declares_tag = true;
                    named = Some(DeclType::plain(id));
                    continue;
                }
                Typeof | TypeofUnqual => {
                    self.advance();
                    named = Some(self.typeof_specifier(keyword == TypeofUnqual));
                    continue;
                }
                _ => break,
            }
            self.advance();
        }
        if named.is_none() && !words.any() {
            named = self.missing_type();
        }
        let mut base = match named {
            Some(named) => {
                if words.any() {
                    self.error(loc, "cannot combine with previous type specifier");
                }
                named
            }
            None => DeclType::plain(self.scalar_type(&words, loc)),
        };
        if let Some(lanes) = out.attrs.ext_vector.take() {
            base = self.ext_vector(base, lanes, loc);
        }
        if let (Some(new), Some(old)) = (space, base.space)
            && new != old
        {
            self.error(loc, "multiple address spaces specified for type");
        }
        if atomic {
            base.ty.id = self.types().intern(TypeKind::Atomic(base.ty.id));
        }
        if pipe {
            let access = access.take().map_or(Access::ReadOnly, |(access, _)| access);
            if access == Access::ReadWrite {
                self.error(loc, "access qualifier 'read_write' can not be used for 'pipe'");
            }
            base.ty = QualType::plain(self.types().intern(TypeKind::Pipe(base.ty, access)));
        }
        if let Some((access, here)) = access {
            match *self.types_ref().kind(base.ty.id) {
                TypeKind::Image(image) => {
                    if image.access != access && base.written.is_some_and(|name| !self.text(name).starts_with("image")) {
                        self.error(here, "multiple access qualifiers");
                    }
                    base.ty.id = self.types().intern(TypeKind::Image(crate::types::Image { access, ..image }));
                }
                TypeKind::Error => {}
                _ => self.error(here, "access qualifier can only be used for pipe and image type"),
            }
        }
        if quals.contains(Quals::RESTRICT) && !self.is_pointer(base.ty.id) && base.ty.id != TypeId::ERROR {
            let message = format!("restrict requires a pointer or reference ('{}' is invalid)", self.name_of(base.ty));
            self.error(loc, &message);
        }
        base.ty = base.ty.with(quals);
        base.space = base.space.or(space);
        out.base = base;
        out
    }

    /// Where a type should be, and a name stands that is none and that cannot be what is declared: reports it.
    fn missing_type(&mut self) -> Option<DeclType> {
        let name = self.at_name()?;
        let next = self.peek_second();
        let declares = match next.kind {
            TokenKind::Punct(punct) => punct == Punct::Star,
            TokenKind::Ident(_) => !matches!(self.keyword_of(next), Some(Keyword::Attribute)),
            _ => false,
        };
        if !declares {
            return None;
        }
        let loc = self.advance().loc;
        self.unknown_type(name, loc);
        Some(DeclType::plain(TypeId::ERROR))
    }

    /// The type that words such as `unsigned long` name.
    fn scalar_type(&mut self, words: &Words, loc: Loc) -> TypeId {
        use Keyword::*;
        if words.complex {
            self.error(loc, "complex types are not supported in OpenCL C");
            return TypeId::ERROR;
        }
        let sized = words.short || words.long > 0;
        let signs = words.signed || words.unsigned;
        let wrong = (words.signed && words.unsigned)
            || (words.short && words.long > 0)
            || words.long > 2
            || match words.base {
                None | Some(Int) => false,
                Some(Char) => sized,
                Some(Double) => words.short || words.long > 1 || signs,
                Some(_) => sized || signs,
            };
        if wrong {
            self.error(loc, "invalid combination of type specifiers");
            return TypeId::ERROR;
        }
        let scalar = match words.base {
            Some(Void) => return TypeId::VOID,
            Some(Bool) => Scalar::Bool,
            Some(Half) => {
                if !self.lang.half_type && !self.lang.fp16 {
                    self.error(loc, "type 'half' is not supported by this target");
                }
                Scalar::Half
            }
            Some(Float) => Scalar::Float,
            Some(Double) => {
                if words.long > 0 {
                    self.error(loc, "'long double' is not supported in OpenCL C");
                }
                self.check_type_feature(TypeId::DOUBLE, loc);
                Scalar::Double
            }
            Some(Char) if words.unsigned => Scalar::UChar,
            Some(Char) => Scalar::Char,
            None if !words.any() => {
                self.warn(
                    "implicit-int",
                    loc,
                    "type specifier missing, defaults to 'int'; ISO C99 and later do not support implicit int",
                );
                Scalar::Int
            }
            _ => match (words.short, words.long > 0, words.unsigned) {
                (true, _, false) => Scalar::Short,
                (true, _, true) => Scalar::UShort,
                (_, true, false) => Scalar::Long,
                (_, true, true) => Scalar::ULong,
                (_, _, false) => Scalar::Int,
                (_, _, true) => Scalar::UInt,
            },
        };
        TypeId::scalar(scalar)
    }

    /// Reports a type that the device, or the language's version, does not have.
    pub(crate) fn check_type_feature(&mut self, ty: TypeId, loc: Loc) {
        match self.types_ref().element(ty) {
            Some(Scalar::Double) if !self.lang.fp64 => {
                let message = match self.lang.version >= 300 {
                    true => "use of type 'double' requires cl_khr_fp64 and __opencl_c_fp64 support",
                    false => "use of type 'double' requires cl_khr_fp64 support",
                };
                self.error(loc, message);
            }
            Some(Scalar::Half) if self.is_vector(ty) && !self.lang.fp16 => {
                self.error(loc, "use of type 'half' vectors requires cl_khr_fp16 support");
            }
            _ => {}
        }
        match self.types_ref().kind(ty) {
            TypeKind::Image(_) if !self.lang.images => self.error(loc, "use of image types requires __opencl_c_images support"),
            TypeKind::Sampler if !self.lang.images => self.error(loc, "use of type 'sampler_t' requires __opencl_c_images support"),
            _ => {}
        }
    }

    /// A vector type that `__attribute__((ext_vector_type(n)))` makes.
    pub(crate) fn ext_vector(&mut self, base: DeclType, lanes: u64, loc: Loc) -> DeclType {
        let Some(scalar) = self.scalar_of(base.ty.id).filter(|&scalar| scalar != Scalar::Bool) else {
            self.error(loc, "invalid vector element type");
            return base;
        };
        if !matches!(lanes, 1..=16) {
            self.error(loc, "vector size must be between 1 and 16");
            return base;
        }
        let id = self.types().vector(scalar, lanes as u8);
        DeclType {
            ty: QualType { id, ..base.ty },
            written: None,
            ..base
        }
    }

    /// `typeof (type or expression)`
    fn typeof_specifier(&mut self, unqualified: bool) -> DeclType {
        if !self.expect(Punct::LParen, "after 'typeof'") {
            return DeclType::plain(TypeId::ERROR);
        }
        let mut ty = match self.at_type() {
            true => self.type_name(),
            false => {
                self.unevaluated += 1;
                let operand = self.expression();
                self.unevaluated -= 1;
                let mut ty = DeclType::plain(operand.ty.id);
                ty.ty.quals = operand.ty.quals;
                ty
            }
        };
        self.expect(Punct::RParen, "");
        if unqualified {
            ty.ty.quals = Quals::empty();
        }
        ty
    }

    /// Qualifiers after a `*`.
    pub(super) fn pointer_qualifiers(&mut self, attrs: &mut Attrs) -> (Quals, Option<AddressSpace>) {
        let mut quals = Quals::empty();
        let mut space = None;
        while let TokenKind::Ident(name) = self.peek().kind {
            match self.keyword() {
                Some(Keyword::Const) => quals |= Quals::CONST,
                Some(Keyword::Volatile) => quals |= Quals::VOLATILE,
                Some(Keyword::Restrict) => quals |= Quals::RESTRICT,
                Some(Keyword::Space(new)) => {
                    if space.is_some_and(|old| old != new) {
                        let loc = self.loc();
                        self.error(loc, "multiple address spaces specified for type");
                    }
                    space = Some(new);
                }
                Some(Keyword::ReadOnly | Keyword::WriteOnly | Keyword::ReadWrite) => {
                    let loc = self.loc();
                    let message = format!("access qualifier '{}' can only be used for pipe and image type", self.text(name));
                    self.error(loc, &message);
                }
                Some(Keyword::Attribute) => {
                    self.attributes(attrs);
                    continue;
                }
                _ => break,
            }
            self.advance();
        }
        (quals, space)
    }
}
