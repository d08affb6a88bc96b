//! `__attribute__((…))`.

use super::{Keyword, Parser};
use crate::hir::{Inline, LoopHint};
use crate::source::Loc;
use crate::token::{Punct, TokenKind};
use crate::types::TypeId;

/// What attributes say, of whatever they stand at.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attrs {
    pub packed: bool,
    pub aligned: Option<u64>,
    pub reqd_work_group_size: Option<[u64; 3]>,
    pub work_group_size_hint: Option<[u64; 3]>,
    pub vec_type_hint: Option<TypeId>,
    pub reqd_sub_group_size: Option<u64>,
    pub unroll: Option<LoopHint>,
    pub inline: Inline,
    pub overloadable: bool,
    pub is_const: bool,
    pub is_pure: bool,
    pub noreturn: bool,
    pub convergent: bool,
    pub weak: bool,
    pub ext_vector: Option<u64>,
    pub kernel: bool,
    pub gnu_inline: bool,
    pub fallthrough: bool,
}

impl Attrs {
    /// With what others say too.
    pub(crate) fn merge(&mut self, other: &Attrs) {
        self.packed |= other.packed;
        self.aligned = self.aligned.max(other.aligned);
        self.reqd_work_group_size = other.reqd_work_group_size.or(self.reqd_work_group_size);
        self.work_group_size_hint = other.work_group_size_hint.or(self.work_group_size_hint);
        self.vec_type_hint = other.vec_type_hint.or(self.vec_type_hint);
        self.reqd_sub_group_size = other.reqd_sub_group_size.or(self.reqd_sub_group_size);
        self.unroll = other.unroll.or(self.unroll);
        if other.inline != Inline::Default {
            self.inline = other.inline;
        }
        self.overloadable |= other.overloadable;
        self.is_const |= other.is_const;
        self.is_pure |= other.is_pure;
        self.noreturn |= other.noreturn;
        self.convergent |= other.convergent;
        self.weak |= other.weak;
        self.kernel |= other.kernel;
        self.gnu_inline |= other.gnu_inline;
    }
}

impl Parser<'_> {
    /// Reads attributes, if some stand here.
    pub(crate) fn attributes(&mut self, attrs: &mut Attrs) {
        while self.accept_keyword(Keyword::Attribute) {
            if !self.expect(Punct::LParen, "after 'attribute'") || !self.expect(Punct::LParen, "after '('") {
                self.recover();
                return;
            }
            while !self.at(Punct::RParen) && !self.at_end() {
                if !self.accept(Punct::Comma) {
                    self.attribute(attrs);
                }
            }
            self.expect(Punct::RParen, "");
            self.expect(Punct::RParen, "");
        }
    }

    fn attribute(&mut self, attrs: &mut Attrs) {
        let loc = self.loc();
        let TokenKind::Ident(symbol) = self.advance().kind else {
            self.error(loc, "expected identifier");
            self.skip_to(&[Punct::Comma, Punct::RParen]);
            return;
        };
        let written = self.text(symbol);
        let name = written
            .strip_prefix("__")
            .and_then(|name| name.strip_suffix("__"))
            .unwrap_or(written);
        match name {
            "packed" => attrs.packed = true,
            "overloadable" => attrs.overloadable = true,
            "always_inline" => attrs.inline = Inline::Always,
            "noinline" => attrs.inline = Inline::Never,
            "const" => attrs.is_const = true,
            "pure" => attrs.is_pure = true,
            "noreturn" => attrs.noreturn = true,
            "convergent" => attrs.convergent = true,
            "noconvergent" => attrs.convergent = false,
            "weak" => attrs.weak = true,
            "kernel" => attrs.kernel = true,
            "gnu_inline" => attrs.gnu_inline = true,
            "fallthrough" => attrs.fallthrough = true,
            "aligned" => {
                // Without a number, as much as any type needs.
                let align = match self.at(Punct::LParen) {
                    true => self.attribute_numbers(1, name).map(|numbers| numbers[0]),
                    false => Some(16),
                };
                if let Some(align) = align {
                    match align.is_power_of_two() && align <= 1 << 32 {
                        true => attrs.aligned = attrs.aligned.max(Some(align)),
                        false => self.error(loc, "requested alignment is not a power of 2"),
                    }
                }
            }
            "reqd_work_group_size" => attrs.reqd_work_group_size = self.three_numbers(name, loc).or(attrs.reqd_work_group_size),
            "work_group_size_hint" => attrs.work_group_size_hint = self.three_numbers(name, loc).or(attrs.work_group_size_hint),
            "intel_reqd_sub_group_size" => {
                if let Some(numbers) = self.attribute_numbers(1, name) {
                    if numbers[0] == 0 {
                        self.error(loc, "'intel_reqd_sub_group_size' attribute must be greater than 0");
                    }
                    attrs.reqd_sub_group_size = Some(numbers[0]);
                }
            }
            "vec_type_hint" => {
                if !self.expect(Punct::LParen, "after 'vec_type_hint'") {
                    return;
                }
                let ty = self.type_name().ty.id;
                self.expect(Punct::RParen, "");
                match self.types_ref().element(ty).is_some() && ty != TypeId::BOOL {
                    true => attrs.vec_type_hint = Some(ty),
                    false => self.error(loc, "invalid attribute argument - expecting a vector or vectorizable scalar type"),
                }
            }
            "ext_vector_type" => {
                if let Some(numbers) = self.attribute_numbers(1, name) {
                    attrs.ext_vector = Some(numbers[0]);
                }
            }
            "opencl_unroll_hint" => {
                attrs.unroll = match self.at(Punct::LParen) {
                    true => self.attribute_numbers(1, name).map(|numbers| match numbers[0] {
                        count if count > i32::MAX as u64 => {
                            self.error(
                                loc,
                                "'opencl_unroll_hint' attribute requires a positive integral compile time constant expression",
                            );
                            LoopHint::None
                        }
                        0 => LoopHint::Unroll,
                        1 => LoopHint::NoUnroll,
                        count => LoopHint::UnrollBy(u32::try_from(count).unwrap_or(u32::MAX)),
                    }),
                    false => Some(LoopHint::Unroll),
                };
            }
            "endian"
            | "nosvm"
            | "unused"
            | "used"
            | "maybe_unused"
            | "may_alias"
            | "deprecated"
            | "warn_unused_result"
            | "nothrow"
            | "format"
            | "nonnull"
            | "hot"
            | "cold"
            | "flatten"
            | "artificial"
            | "visibility"
            | "malloc"
            | "returns_nonnull"
            | "optnone"
            | "noduplicate"
            | "mode"
            | "annotate"
            | "section"
            | "min_vector_width"
            | "enable_if"
            | "diagnose_if"
            | "assume_aligned"
            | "alloc_size"
            | "internal_linkage"
            | "no_sanitize"
            | "uninitialized"
            | "availability"
            | "unavailable"
            | "intel_buffer_location"
            | "amdgpu_flat_work_group_size"
            | "amdgpu_waves_per_eu"
            | "loader_uninitialized" => self.skip_arguments(),
            "vector_size" => {
                self.error(loc, "'vector_size' attribute is not supported in OpenCL C; use the vector types");
                self.skip_arguments();
            }
            _ => {
                let message = format!("unknown attribute '{name}' ignored");
                self.warn("unknown-attributes", loc, &message);
                self.skip_arguments();
            }
        }
        if self.at(Punct::LParen) {
            let message = format!("'{name}' attribute takes no arguments");
            self.error(loc, &message);
            self.skip_arguments();
        }
    }

    fn skip_arguments(&mut self) {
        if self.accept(Punct::LParen) {
            self.skip_to(&[Punct::RParen]);
            self.accept(Punct::RParen);
        }
    }

    fn three_numbers(&mut self, name: &str, loc: Loc) -> Option<[u64; 3]> {
        let numbers = self.attribute_numbers(3, name)?;
        if numbers.contains(&0) {
            let message = format!("'{name}' attribute must be greater than 0");
            self.error(loc, &message);
            return None;
        }
        Some([numbers[0], numbers[1], numbers[2]])
    }

    /// As many constants in brackets.
    fn attribute_numbers(&mut self, count: usize, name: &str) -> Option<Vec<u64>> {
        let loc = self.loc();
        if !self.expect(Punct::LParen, "") {
            return None;
        }
        let mut numbers = Vec::new();
        let mut wrong = false;
        while !self.at(Punct::RParen) && !self.at_end() {
            let operand = self.assignment_expression();
            let operand = self.rvalue(operand);
            match self.as_int(operand) {
                Some(number) => numbers.push(number),
                None if operand.is_error() => wrong = true,
                None => {
                    let message = format!("'{name}' attribute requires an integer constant");
                    self.error(operand.loc, &message);
                    wrong = true;
                }
            }
            if !self.accept(Punct::Comma) {
                break;
            }
        }
        if !self.expect(Punct::RParen, "") {
            self.skip_to(&[Punct::RParen]);
        }
        if !wrong && numbers.len() != count {
            let plural = if count == 1 { "" } else { "s" };
            let message = format!("'{name}' attribute requires exactly {count} argument{plural}");
            self.error(loc, &message);
            wrong = true;
        }
        (!wrong).then_some(numbers)
    }

    /// `#pragma unroll` and `opencl_unroll_hint` before a loop.
    pub(super) fn loop_hint(&mut self, attrs: &Attrs) -> LoopHint {
        attrs.unroll.unwrap_or_default()
    }

    /// Do attributes change the alignment of an object of a type? In bytes.
    pub(crate) fn alignment(&self, ty: TypeId, attrs: &[&Attrs]) -> u64 {
        let natural = self.types_ref().align_of(ty).unwrap_or(1);
        attrs.iter().filter_map(|attrs| attrs.aligned).fold(natural, u64::max)
    }
}
