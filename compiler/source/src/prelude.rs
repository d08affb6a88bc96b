//! What is put before a source, because clang gets it wrong.
//!
//! clang 22's SPIR-V back end writes the same instruction for `convert_char_sat` of an `int` and of a `uint` (SPIR-V's integers have no sign of
//! their own), so what was meant is lost; and it extends a `char` that `convert_int` widens with zeros. Each conversion to integers that a
//! source names is therefore defined here for integers, by the language's own conversions, and left to clang's built-in for floats. `ldexp` of a
//! vector and one `int` comes out as an instruction that does not exist: the `int` is repeated here.
//! Functions of Intel's extensions are declared (`intel`), and those of mip levels are told from others (`mipmaps`).

use super::{intel, mipmaps};
use crate::cache::Key;
use once_cell::race::OnceBox;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Integer types: name, bits, signed.
const INTEGERS: [(&str, u32, bool); 8] = [
    ("char", 8, true),
    ("uchar", 8, false),
    ("short", 16, true),
    ("ushort", 16, false),
    ("int", 32, true),
    ("uint", 32, false),
    ("long", 64, true),
    ("ulong", 64, false),
];

const LDEXP: &str = "ldexp";

/// Float types, and the macro that says that there are such.
const FLOATS: [(&str, Option<&str>); 3] = [("float", None), ("double", Some("cl_khr_fp64")), ("half", Some("cl_khr_fp16"))];

/// Do these texts show all the names that the program has once it is preprocessed? Not those of files on the disk, nor those that macros put together.
pub fn shows_all_names<'a>(texts: impl Iterator<Item = &'a [u8]> + Clone) -> bool {
    let has = |word: &str| {
        texts
            .clone()
            .any(|text| text.windows(word.len()).any(|window| window == word.as_bytes()))
    };
    let pasted = has("##") && ["convert", intel::START, LDEXP].into_iter().any(has);
    !pasted && !has("include")
}

/// The prelude for these texts; empty for most.
pub fn prelude<'a>(texts: impl Iterator<Item = &'a [u8]>) -> String {
    let mut conversions = BTreeSet::new();
    let mut declared = BTreeSet::new();
    let mut exponents = BTreeSet::new();
    let mut levels = false;
    for text in texts {
        find(text, "convert_", &mut conversions);
        find(text, intel::START, &mut declared);
        find(text, LDEXP, &mut exponents);
        levels |= mipmaps::are_used(text);
    }
    let mut prelude = String::new();
    for name in conversions {
        define(&mut prelude, name);
    }
    if exponents.contains(LDEXP) {
        define_ldexp(&mut prelude);
    }
    intel::declarations(&mut prelude, declared.into_iter());
    if levels {
        mipmaps::declare(&mut prelude);
    }
    prelude
}

/// A number that has changed if what is made of names has: the hash of a prelude with something of every kind in it.
pub fn version() -> u64 {
    static VERSION: OnceBox<u64> = OnceBox::new();
    let names = b"convert_char_sat convert_uint3_rte ldexp mipmap \
                  intel_sub_group_shuffle intel_sub_group_shuffle_up intel_sub_group_broadcast intel_sub_group_reduce_add intel_sub_group_block_read \
                  intel_sub_group_block_write_us2 intel_work_group_barrier_wait intel_convert_bfloat16_as_ushort intel_convert_as_bfloat16_float";
    *VERSION.get_or_init(|| {
        let mut key = Key::new("prelude");
        key.add(prelude(std::iter::once(&names[..])).as_bytes());
        Box::new(key.hash())
    })
}

/// Names that begin with `start` in a text, and not in the middle of another name.
fn find<'a>(text: &'a [u8], start: &str, names: &mut BTreeSet<&'a str>) {
    let part_of_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let mut at = 0;
    while let Some(found) = text[at..].windows(start.len()).position(|window| window == start.as_bytes()) {
        let start = at + found;
        let length = text[start..]
            .iter()
            .position(|&byte| !part_of_name(byte))
            .unwrap_or(text.len() - start);
        at = start + length;
        let alone = start == 0 || !part_of_name(text[start - 1]);
        if let Ok(name) = std::str::from_utf8(&text[start..at])
            && alone
        {
            names.insert(name);
        }
    }
}

fn define(prelude: &mut String, name: &str) -> Option<()> {
    let rest = name.strip_prefix("convert_")?;
    let unrounded = ["_rte", "_rtz", "_rtp", "_rtn"]
        .iter()
        .find_map(|rounding| rest.strip_suffix(rounding))
        .unwrap_or(rest);
    let saturated = unrounded.strip_suffix("_sat");
    let vector = saturated.unwrap_or(unrounded);
    let to = vector.trim_end_matches(|c: char| c.is_ascii_digit());
    let count = &vector[to.len()..];
    let &(_, to_bits, to_signed) = INTEGERS.iter().find(|(name, ..)| *name == to)?;
    if !matches!(count, "" | "2" | "3" | "4" | "8" | "16") {
        return None;
    }
    let head = format!("static inline {vector} __attribute__((overloadable, always_inline)) __brolga_{name}");
    for (from, bits, signed) in INTEGERS {
        let value = match saturated {
            Some(_) => limited((from, bits, signed), to_bits, to_signed),
            None => "x".to_string(),
        };
        let converted = match count {
            "" => format!("({vector})({value})"),
            _ => format!("__builtin_convertvector({value}, {vector})"),
        };
        let _ = writeln!(prelude, "{head}({from}{count} x) {{ return {converted}; }}");
    }
    for_each_float(prelude, |from| format!("{head}({from}{count} x) {{ return {name}(x); }}"));
    let _ = writeln!(prelude, "#define {name} __brolga_{name}");
    Some(())
}

fn define_ldexp(prelude: &mut String) {
    for_each_float(prelude, |ty| {
        let head = |count: &str| format!("static inline {ty}{count} __attribute__((overloadable, always_inline)) __brolga_{LDEXP}");
        let mut lines = format!("{}({ty} x, int k) {{ return {LDEXP}(x, k); }}", head(""));
        for n in ["2", "3", "4", "8", "16"] {
            let head = head(n);
            let _ = write!(
                lines,
                "\n{head}({ty}{n} x, int{n} k) {{ return {LDEXP}(x, k); }}\n{head}({ty}{n} x, int k) {{ return {LDEXP}(x, (int{n})k); }}"
            );
        }
        lines
    });
    let _ = writeln!(prelude, "#define {LDEXP} __brolga_{LDEXP}");
}

/// Lines for each float type that the program has.
fn for_each_float(prelude: &mut String, lines: impl Fn(&str) -> String) {
    for (ty, condition) in FLOATS {
        let lines = lines(ty);
        let _ = match condition {
            None => writeln!(prelude, "{lines}"),
            // A half as a parameter is allowed only where the extension has been enabled; what follows starts as if it had not.
            Some(condition) => {
                let pragma = |state: &str| format!("#pragma OPENCL EXTENSION {condition} : {state}");
                writeln!(
                    prelude,
                    "#ifdef {condition}\n{}\n{lines}\n{}\n#endif",
                    pragma("enable"),
                    pragma("disable")
                )
            }
        };
    }
}

/// `x` within what the target can hold.
fn limited((from, bits, signed): (&str, u32, bool), to_bits: u32, to_signed: bool) -> String {
    let top = if to_signed {
        (1u128 << (to_bits - 1)) - 1
    } else {
        (1u128 << to_bits) - 1
    };
    match (signed, to_signed) {
        (true, true) if to_bits < bits => format!("clamp(x, ({from})({}L - 1), ({from}){top}L)", -(top as i128)),
        (false, true) if to_bits <= bits => format!("min(x, ({from}){top}UL)"),
        (true, false) if to_bits < bits => format!("clamp(x, ({from})0, ({from}){top}L)"),
        (true, false) => format!("max(x, ({from})0)"),
        (false, false) if to_bits < bits => format!("min(x, ({from}){top}UL)"),
        _ => "x".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_to_integers_that_are_named() {
        let of = |text: &str| prelude([text.as_bytes()].into_iter());
        assert_eq!(
            of("r = convert_float(x); my_convert_char_sat(x); convert_float4_rte(x); convert_it(x);"),
            ""
        );
        let text = of("r = convert_char4_sat(x);");
        assert!(
            text.contains("(int4 x) { return __builtin_convertvector(clamp(x, (int)(-127L - 1), (int)127L), char4); }"),
            "{text}"
        );
        assert!(
            text.contains("(uint4 x) { return __builtin_convertvector(min(x, (uint)127UL), char4); }"),
            "{text}"
        );
        assert!(text.ends_with("#define convert_char4_sat __brolga_convert_char4_sat\n"));
        assert!(of("convert_int(c)").contains("__brolga_convert_int(char x) { return (int)(x); }"));
        assert!(of("convert_int_rtn(f)").contains("__brolga_convert_int_rtn(float x) { return convert_int_rtn(x); }"));
    }

    #[test]
    fn names_that_are_not_seen() {
        let all = |text: &str| shows_all_names([text.as_bytes()].into_iter());
        assert!(all("r = convert_int(x); y = ldexp(x, 2);"));
        assert!(all("#define NAME(a) k_##a"));
        assert!(!all("#define TO(T) convert_##T"));
        assert!(!all("#include \"conversions.h\""));
    }
}
