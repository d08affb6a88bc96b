//! What the table says of a function, for people to read.

use super::{Builtins, Conditions, conversions, names, row, table};
use crate::builtins::row::Row;
use crate::options::CompileOptions;
use crate::types::{Scalar, Types};
use std::fmt::Write;

/// Words of signatures that stand for more than one type or address space, and what they stand for.
const WORDS: &[(&str, &str)] = &[
    ("sgentype", "the components of gentype"),
    ("igentype", "gentype's shape, of signed integers of the same size"),
    ("ugentype", "gentype's shape, of unsigned integers of the same size"),
    ("relgentype", "int for scalars, igentype for vectors"),
    ("widegentype", "gentype's shape, of components twice as large"),
    ("vgentype", "a vector of gentype with as many components as the name says"),
    (
        "gen",
        "generic; without a generic address space, an overload each for global, local and private",
    ),
    ("any", "an overload each for global, local, private and generic"),
    ("anyc", "an overload each for global, local, private, generic and constant"),
    ("globloc", "an overload each for global and local"),
    (
        "blocks",
        "an overload for global, and one for local with cl_intel_subgroup_local_block_io",
    ),
    ("shared", "an overload each for global, local and generic"),
    ("rpipe", "a read_only pipe of any type"),
    ("wpipe", "a write_only pipe of any type"),
    ("qpipe", "a pipe of any type"),
];

/// What the table says of a name: each signature with its types and where it is there. `None` if OpenCL C has no such function.
pub fn describe(name: &str) -> Option<String> {
    if let Some(text) = conversion(name) {
        return Some(text);
    }
    let mut text = String::new();
    for &(row, number) in table().names.get(name)? {
        let row = table().rows[usize::from(row)];
        let count = (row.name.contains('#')).then_some(number);
        _ = writeln!(text, "{}", signature(row, name, count));
        for line in legend(row) {
            _ = writeln!(text, "    {line}");
        }
        _ = writeln!(text, "    where: {}", condition(row.when));
        if row.is_convergent() {
            _ = writeln!(text, "    all work-items of the group must reach it");
        }
    }
    Some(text)
}

/// `convert_T` and `as_T`, which have no rows.
fn conversion(name: &str) -> Option<String> {
    if let Some((scalar, lanes)) = name.strip_prefix("as_").and_then(names::numeric) {
        let size = scalar.size() * u64::from(if lanes == 3 { 4 } else { lanes });
        let ty = &name[3..];
        return Some(format!(
            "{ty} {name}(T)\n    T: any scalar or vector of {size} bytes, whose bits it keeps\n    where: {}\n",
            type_condition(scalar)
        ));
    }
    let everything = CompileOptions {
        version: 310,
        features: ["cl_khr_fp16", "cl_khr_fp64"].map(String::from).to_vec(),
        ..CompileOptions::default()
    };
    let (mut types, mut found) = (Types::new(), Vec::new());
    conversions(name, &Conditions::new(&everything), &mut types, &mut found)?;
    let ty = name["convert_".len()..].split('_').next()?;
    let (scalar, lanes) = names::numeric(ty)?;
    let shape = if lanes == 1 {
        "scalar".to_owned()
    } else {
        format!("vector of {lanes}")
    };
    let mut text = format!("{ty} {name}(T)\n    T: any {shape}\n");
    if name.contains("_sat") {
        text += "    values out of range become the nearest that there is\n";
    }
    for (mode, what) in [
        ("_rte", "to nearest even"),
        ("_rtz", "toward zero"),
        ("_rtp", "toward positive infinity"),
        ("_rtn", "toward negative infinity"),
    ] {
        if name.ends_with(mode) {
            _ = writeln!(text, "    rounds {what}");
        }
    }
    _ = writeln!(text, "    where: {}", type_condition(scalar));
    Some(text)
}

fn type_condition(scalar: Scalar) -> String {
    condition(match scalar {
        Scalar::Half => "cl_khr_fp16",
        Scalar::Double => "cl_khr_fp64",
        _ => "",
    })
}

/// A row's signature as a declaration. `count` is what its `#` stands for; `None` leaves `n` there.
fn signature(row: &Row, name: &str, count: Option<u8>) -> String {
    let (result, parameters) = row.signature.split_once('(').unwrap_or((row.signature, ""));
    let number = count.map_or("n".to_owned(), |count| count.to_string());
    let parameters: Vec<String> = parameters
        .trim_end_matches(')')
        .split(',')
        .map(|parameter| term(parameter.trim(), &number))
        .collect();
    format!("{} {name}({})", term(result, &number), parameters.join(", "))
}

/// A type of a signature as a program would write it.
fn term(text: &str, number: &str) -> String {
    let words: Vec<String> = text
        .trim_end_matches('*')
        .split_whitespace()
        .map(|word| match word.split_once(':') {
            Some((access, kinds)) => format!(
                "{} {}",
                match access {
                    "s" => "read_only",
                    "o" => "write_only",
                    "r" => "{read_only|read_write}",
                    "w" => "{write_only|read_write}",
                    _ => "{read_only|write_only|read_write}",
                },
                match kinds.contains('|') {
                    true => format!("{{{kinds}}}"),
                    false => kinds.to_owned(),
                }
            ),
            None => word.replace('#', number),
        })
        .collect();
    format!("{}{}", words.join(" "), if text.ends_with('*') { " *" } else { "" })
}

/// What the words of a row's signature stand for, a line each.
fn legend(row: &Row) -> Vec<String> {
    let mut lines = Vec::new();
    let words: Vec<&str> = row
        .signature
        .split(['(', ')', ',', ' ', '*'])
        .map(|word| word.trim_end_matches(|c: char| c.is_ascii_digit()))
        .collect();
    let has = |wanted: &str| words.contains(&wanted);
    if words.iter().any(|word| word.ends_with("gentype")) {
        let bases: Vec<&str> = row.bases.iter().map(|base| base.name()).collect();
        let lanes: Vec<String> = row.lanes.iter().filter(|&&lanes| lanes > 1).map(u8::to_string).collect();
        let shapes = match (row.lanes.contains(&1), lanes.is_empty()) {
            (_, true) => String::new(),
            (true, false) => format!(", and vectors of {} of them", lanes.join(", ")),
            (false, false) => format!(" in vectors of {}", lanes.join(", ")),
        };
        lines.push(format!("gentype: {}{shapes}", bases.join(", ")));
    } else if words.iter().any(|word| with_lanes(word)) {
        let lanes: Vec<String> = row.lanes.iter().map(u8::to_string).collect();
        lines.push(format!("n: {} (1 is a scalar)", lanes.join(", ")));
    }
    lines.extend(
        WORDS
            .iter()
            .filter(|(word, _)| has(word))
            .map(|(word, what)| format!("{word}: {what}")),
    );
    lines
}

/// `intn` and others that have as many lanes as `gentype`.
fn with_lanes(word: &str) -> bool {
    word.strip_suffix('n').and_then(names::scalar).is_some()
}

/// A condition of the table in words.
pub fn condition(when: &str) -> String {
    if when.is_empty() {
        return "everywhere".to_owned();
    }
    let alternatives: Vec<String> = when
        .split('|')
        .map(|list| {
            let all: Vec<String> = list.split('&').map(|part| part.trim()).map(one_condition).collect();
            all.join(", ")
        })
        .collect();
    alternatives.join("; or ")
}

fn one_condition(part: &str) -> String {
    if let Some(part) = part.strip_prefix('!') {
        return format!("not {}", one_condition(part));
    }
    match part {
        "generic" => "OpenCL C 2.0, or __opencl_c_generic_address_space".to_owned(),
        "sub_groups" => "__opencl_c_subgroups, cl_khr_subgroups or cl_intel_subgroups".to_owned(),
        version if version.starts_with(|c: char| c.is_ascii_digit()) => format!("OpenCL C {version} or newer"),
        name => name.to_owned(),
    }
}

/// How many overloads of a name a program has with these options.
pub fn overloads(name: &str, options: &CompileOptions) -> usize {
    if let Some(ty) = super::as_type(name, &Conditions::new(options)) {
        let types = Types::new();
        let size = types.size_of(ty);
        let shapes = row::NUMBERS
            .iter()
            .flat_map(|&base| row::ALL.iter().map(move |&lanes| (base, lanes)));
        return shapes
            .filter(|&(base, lanes)| {
                Conditions::new(options).has_base(base) && types.size_of(crate::types::TypeId::vector(base, lanes)) == size
            })
            .count();
    }
    Builtins::new(options).lookup(name, &mut Types::new()).len()
}

/// Every function as a table of Markdown, sorted by name; `n` in a name is 2, 3, 4, 8 or 16.
pub fn markdown() -> String {
    let mut text = String::from("| function | where |\n|---|---|\n");
    let mut rows: Vec<&Row> = table().rows.iter().copied().filter(|row| !row.name.starts_with("__")).collect();
    rows.sort_by_key(|row| row.name);
    for row in rows {
        let declaration = signature(row, &row.name.replace('#', "n"), None).replace('|', "\\|");
        let when = match row.when {
            "" => String::new(),
            when => condition(when),
        };
        _ = writeln!(text, "| `{declaration}` | {when} |");
    }
    text
}

/// The names of all functions as the table has them, sorted: `n` stands for 2, 3, 4, 8 and 16.
pub fn families() -> Vec<String> {
    let mut names: Vec<String> = table()
        .rows
        .iter()
        .filter(|row| !row.name.starts_with("__"))
        .map(|row| row.name.replace('#', "n"))
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The name nearest to one that OpenCL C does not know.
pub fn suggestion(name: &str) -> Option<&'static str> {
    Builtins::new(&CompileOptions::default()).suggestion(name)
}
