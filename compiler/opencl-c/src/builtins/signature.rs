//! The language of signatures, and the overloads that one stands for.
//!
//! `result(parameter, parameter)`, where a type is
//!
//! | word | type |
//! |---|---|
//! | `gentype` | the row's bases, with its lanes |
//! | `sgentype` | the base |
//! | `igentype`, `ugentype` | the integer as wide as the base, with or without a sign, with as many lanes |
//! | `relgentype` | `int`, or for vectors the signed integer as wide as the base |
//! | `widegentype` | twice as wide as the base |
//! | `intn`, `floatn`, … | a scalar with the row's lanes |
//! | `vgentype` | the base with as many lanes as the name's number says; `vgentype4` with 4 |
//! | `int`, `uint4`, `event_t`, … | the type of that name; `float#` has as many lanes as the name's number |
//! | `s:image2d_t` | an image to sample (`read_only`); `r:` to read (`read_write` too), `w:` to write, `o:` `write_only`, `q:` in any way. Kinds between `\|` are alternatives |
//! | `pipe` | any pipe (of `void`): `rpipe` to read, `wpipe` to write, `qpipe` either |
//! | `...` | more arguments |
//!
//! with `const`, `volatile`, and an address space before what a pointer (`*`) points to: one of the language's; `gen`, which is `generic`, or where there is no
//! such space each of the named ones but `constant`; `any`, which is the named ones and `generic`; `anyc`, which is `any` and `constant`. The named ones are
//! there beside `generic` because less is known of a generic pointer. `globloc` is `global` and `local`, `blocks` is `global`, and `local`
//! with cl_intel_subgroup_local_block_io, and `shared` is `global`, `local` and `generic`. `_Atomic` makes an atomic type.

use super::row::Row;
use super::{BuiltinId, Candidate, Conditions};
use crate::types::{Access, AddressSpace, Image, ImageDim, QualType, Quals, Scalar, TypeId, TypeKind, Types};

/// A parameter or a result, once its words have been read.
#[derive(Clone, Debug)]
struct Term<'a> {
    name: &'a str,
    quals: Quals,
    atomic: bool,
    spaces: Vec<AddressSpace>,
    pointer: bool,
}

/// What a signature's parts are for one overload.
struct Choice {
    base: Scalar,
    lanes: u8,
    number: u8,
}

fn terms<'a>(signature: &'a str, conditions: &Conditions) -> (Vec<Term<'a>>, bool) {
    let (result, rest) = signature.split_once('(').unwrap_or((signature, ""));
    let parameters = rest.trim_end_matches(')');
    let mut variadic = false;
    let mut all = Vec::with_capacity(5);
    for (position, text) in std::iter::once(result).chain(parameters.split(',')).enumerate() {
        let text = text.trim();
        match text {
            "" => continue,
            "..." => {
                variadic = true;
                continue;
            }
            "void" if position > 0 => continue,
            _ => {}
        }
        all.push(term(text, conditions));
    }
    (all, variadic)
}

fn term<'a>(text: &'a str, conditions: &Conditions) -> Term<'a> {
    use AddressSpace::*;
    let pointer = text.ends_with('*');
    let mut term = Term {
        name: "",
        quals: Quals::empty(),
        atomic: false,
        spaces: Vec::new(),
        pointer,
    };
    let generic = conditions.generic();
    for word in text.trim_end_matches('*').split_whitespace() {
        match word {
            "const" => term.quals |= Quals::CONST,
            "volatile" => term.quals |= Quals::VOLATILE,
            "_Atomic" => term.atomic = true,
            "global" => term.spaces.push(Global),
            "local" => term.spaces.push(Local),
            "constant" => term.spaces.push(Constant),
            "private" => term.spaces.push(Private),
            "generic" => term.spaces.push(Generic),
            "globloc" => term.spaces.extend([Global, Local]),
            "blocks" => {
                term.spaces.push(Global);
                if conditions.has("cl_intel_subgroup_local_block_io") {
                    term.spaces.push(Local);
                }
            }
            "shared" => {
                term.spaces.extend([Global, Local]);
                if generic {
                    term.spaces.push(Generic);
                }
            }
            "gen" if generic => term.spaces.push(Generic),
            "any" | "anyc" | "gen" => {
                term.spaces.extend([Private, Global, Local]);
                if word == "anyc" {
                    term.spaces.push(Constant);
                }
                if generic && word != "gen" {
                    term.spaces.push(Generic);
                }
            }
            name => term.name = name,
        }
    }
    if pointer && term.spaces.is_empty() {
        term.spaces.push(Private);
    }
    term
}

/// Adds a row's overloads.
pub(super) fn instantiate(row: &Row, id: BuiltinId, number: u8, conditions: &Conditions, types: &mut Types, found: &mut Vec<Candidate>) {
    let (terms, variadic) = terms(row.signature, conditions);
    let alternatives: Vec<usize> = terms
        .iter()
        .map(|term| term.spaces.len().max(images(term.name, conditions).len()).max(1))
        .collect();
    let combinations: usize = alternatives.iter().product();
    for &base in row.bases {
        if !conditions.has_base(base) {
            continue;
        }
        for &lanes in row.lanes {
            let choice = Choice { base, lanes, number };
            for combination in 0..combinations {
                let mut rest = combination;
                let mut list = Vec::with_capacity(terms.len());
                for (term, &count) in terms.iter().zip(&alternatives) {
                    list.push(resolve(term, rest % count, &choice, conditions, types));
                    rest /= count;
                }
                let mut list = list.into_iter();
                let (Some(result), params) = (list.next().flatten(), list.collect::<Option<Vec<_>>>()) else {
                    continue;
                };
                let Some(params) = params else { continue };
                found.push(Candidate {
                    id,
                    result,
                    params,
                    variadic,
                });
            }
        }
    }
}

fn resolve(term: &Term, alternative: usize, choice: &Choice, conditions: &Conditions, types: &mut Types) -> Option<TypeId> {
    let images = images(term.name, conditions);
    if let Some(&image) = images.get(alternative) {
        return Some(types.intern(TypeKind::Image(image)));
    }
    let mut ty = named(term.name, choice, conditions, types)?;
    if term.atomic {
        ty = types.intern(TypeKind::Atomic(ty));
    }
    if !term.pointer {
        return Some(ty);
    }
    let space = *term.spaces.get(alternative).or(term.spaces.first())?;
    Some(types.pointer(QualType::in_space(ty, space).with(term.quals)))
}

fn named(name: &str, choice: &Choice, conditions: &Conditions, types: &mut Types) -> Option<TypeId> {
    let &Choice { base, lanes, number } = choice;
    Some(match name {
        "gentype" => types.vector(base, lanes),
        "sgentype" => TypeId::scalar(base),
        "igentype" => types.vector(base.signed(), lanes),
        "ugentype" => types.vector(base.unsigned(), lanes),
        "relgentype" if lanes == 1 => TypeId::INT,
        "relgentype" => types.vector(base.signed(), lanes),
        "vgentype" => types.vector(base, number),
        "vgentype2" => types.vector(base, 2),
        "vgentype4" => types.vector(base, 4),
        "vgentype8" => types.vector(base, 8),
        "vgentype16" => types.vector(base, 16),
        "widegentype" => types.vector(wider(base)?, lanes),
        "rpipe" | "wpipe" | "qpipe" => {
            let access = if name == "wpipe" { Access::WriteOnly } else { Access::ReadOnly };
            types.intern(TypeKind::Pipe(QualType::plain(TypeId::VOID), access))
        }
        _ => {
            if let Some(scalar) = name.strip_suffix('n').and_then(super::names::scalar) {
                return conditions.has_base(scalar).then(|| types.vector(scalar, lanes));
            }
            if let Some(scalar) = name.strip_suffix('#').and_then(super::names::scalar) {
                return conditions.has_base(scalar).then(|| types.vector(scalar, number));
            }
            let ty = super::names::type_of(name)?;
            if let Some(scalar) = types.element(ty)
                && !conditions.has_base(scalar)
                && !conditions.half_is_storage(scalar)
            {
                return None;
            }
            ty
        }
    })
}

fn wider(base: Scalar) -> Option<Scalar> {
    Some(match base {
        Scalar::Char => Scalar::Short,
        Scalar::UChar => Scalar::UShort,
        Scalar::Short => Scalar::Int,
        Scalar::UShort => Scalar::UInt,
        Scalar::Int => Scalar::Long,
        Scalar::UInt => Scalar::ULong,
        _ => return None,
    })
}

/// The images that a word stands for; none if it is no image.
fn images(name: &str, conditions: &Conditions) -> Vec<Image> {
    let Some((prefix, kinds)) = name.split_once(':') else {
        return Vec::new();
    };
    let accesses: &[Access] = match prefix {
        "s" => &[Access::ReadOnly],
        "o" => &[Access::WriteOnly],
        "r" => &[Access::ReadOnly, Access::ReadWrite],
        "w" => &[Access::WriteOnly, Access::ReadWrite],
        _ => &[Access::ReadOnly, Access::WriteOnly, Access::ReadWrite],
    };
    let mut list = Vec::with_capacity(4);
    for kind in kinds.split('|') {
        let Some((dim, depth, msaa)) = image(kind) else { continue };
        if depth && !conditions.has("cl_khr_depth_images") && !conditions.at_least(200) || msaa && !conditions.has("cl_khr_gl_msaa_sharing")
        {
            continue;
        }
        for &access in accesses {
            if access == Access::ReadWrite && !conditions.read_write_images() {
                continue;
            }
            list.push(Image { dim, depth, msaa, access });
        }
    }
    list
}

/// An image type by its name.
pub(super) fn image(name: &str) -> Option<(ImageDim, bool, bool)> {
    Some(match name {
        "image1d_t" => (ImageDim::D1, false, false),
        "image1d_buffer_t" => (ImageDim::D1Buffer, false, false),
        "image1d_array_t" => (ImageDim::D1Array, false, false),
        "image2d_t" => (ImageDim::D2, false, false),
        "image2d_array_t" => (ImageDim::D2Array, false, false),
        "image2d_depth_t" => (ImageDim::D2, true, false),
        "image2d_array_depth_t" => (ImageDim::D2Array, true, false),
        "image2d_msaa_t" => (ImageDim::D2, false, true),
        "image2d_array_msaa_t" => (ImageDim::D2Array, false, true),
        "image2d_msaa_depth_t" => (ImageDim::D2, true, true),
        "image2d_array_msaa_depth_t" => (ImageDim::D2Array, true, true),
        "image3d_t" => (ImageDim::D3, false, false),
        _ => return None,
    })
}
