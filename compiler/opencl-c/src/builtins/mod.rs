//! OpenCL C's built-in functions, types, constants and macros.
//!
//! [`table`] has a row for each function: what it is called, its types in a small language ([`signature`]), where there is one, and what a call becomes.
//! Overloads are made from a row when a program first names it. [`names`] has what headers would declare.

pub mod calls;
pub mod describe;
pub mod names;
pub mod row;
mod signature;
mod table;

pub use describe::describe;
pub use names::{enumerator, type_name};

use crate::options::CompileOptions;
use crate::spelling::nearest;
use crate::types::{Scalar, TypeId, Types};
use row::{Emit, Rounding, Row};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::OnceLock;

/// A built-in function that a call calls: its row, and what its name adds to that. The overload follows from the arguments' types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BuiltinId {
    row: u16,
    /// The number in the name, or for conversions the mode.
    detail: u16,
}

impl BuiltinId {
    /// What a call becomes.
    pub fn emit(self) -> Emit {
        match self.row {
            CONVERT => Emit::Convert {
                rounding: [
                    None,
                    Some(Rounding::Rte),
                    Some(Rounding::Rtz),
                    Some(Rounding::Rtp),
                    Some(Rounding::Rtn),
                ][usize::from(self.detail & 7).min(4)],
                saturate: self.detail & 8 != 0,
            },
            row => table().rows[usize::from(row)].emit,
        }
    }

    /// The number at the `#` of the row's name.
    pub fn number(self) -> u8 {
        self.detail as u8
    }

    /// The row; conversions have none.
    pub fn row(self) -> Option<&'static Row> {
        table().rows.get(usize::from(self.row)).copied()
    }

    /// Must a call stay where it is among branches?
    pub fn is_convergent(self) -> bool {
        self.row().is_some_and(Row::is_convergent)
    }
}

/// The row of conversions, whose names are taken apart instead of being listed.
const CONVERT: u16 = u16::MAX;

/// An overload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    pub id: BuiltinId,
    pub result: TypeId,
    /// Without qualifiers of their own. A pipe of `void` takes every pipe, and a pointer to `void` beside it a pointer to what its packets are.
    pub params: Vec<TypeId>,
    /// Are there more arguments than parameters?
    pub variadic: bool,
}

/// Which extensions, features and version a program is compiled for.
#[derive(Clone, Debug)]
pub struct Conditions {
    version: u32,
    features: rustc_hash::FxHashSet<String>,
}

impl Conditions {
    pub fn new(options: &CompileOptions) -> Conditions {
        Conditions {
            version: options.version,
            features: options.features.iter().cloned().collect(),
        }
    }

    /// Is it OpenCL C of this version (as 120) or newer?
    pub fn at_least(&self, version: u32) -> bool {
        self.version >= version
    }

    /// Is the extension or feature there? A name of the core's features is one of 3.0, whatever the version.
    pub fn has(&self, name: &str) -> bool {
        self.features.contains(name)
    }

    /// Is there a generic address space? 2.0 always has it.
    pub fn generic(&self) -> bool {
        self.version == 200 || self.version >= 300 && self.has("__opencl_c_generic_address_space")
    }

    pub fn read_write_images(&self) -> bool {
        self.version == 200 || self.version >= 300 && self.has("__opencl_c_read_write_images")
    }

    fn has_base(&self, base: Scalar) -> bool {
        match base {
            Scalar::Half => self.has("cl_khr_fp16"),
            Scalar::Double => self.has("cl_khr_fp64") || self.has("__opencl_c_fp64"),
            _ => true,
        }
    }

    /// Halves are in memory on every device.
    fn half_is_storage(&self, scalar: Scalar) -> bool {
        scalar == Scalar::Half
    }

    /// Does a condition of a row hold?
    pub fn hold(&self, when: &str) -> bool {
        when.is_empty()
            || when.split('|').any(|list| {
                list.split('&').map(str::trim).all(|condition| {
                    let (wanted, name) = match condition.strip_prefix('!') {
                        Some(name) => (false, name),
                        None => (true, condition),
                    };
                    let holds = match name {
                        "generic" => self.generic(),
                        "sub_groups" => ["__opencl_c_subgroups", "cl_khr_subgroups", "cl_intel_subgroups"]
                            .iter()
                            .any(|name| self.has(name)),
                        // 2.0 has all of the features that 3.0 leaves open.
                        name if name.starts_with("__opencl_c_") && self.version == 200 && !name.contains("_ext_") => true,
                        name if name.starts_with(|c: char| c.is_ascii_digit()) => {
                            let digits: String = name.chars().filter(char::is_ascii_digit).collect();
                            self.at_least(digits.parse::<u32>().unwrap_or(0) * 10)
                        }
                        name => self.has(name),
                    };
                    holds == wanted
                })
            })
    }
}

/// The built-in functions of one compilation: overloads are made when they are first asked for.
#[derive(Debug)]
pub struct Builtins {
    pub conditions: Conditions,
    known: FxHashMap<String, Rc<[Candidate]>>,
}

impl Builtins {
    pub fn new(options: &CompileOptions) -> Builtins {
        Builtins {
            conditions: Conditions::new(options),
            known: FxHashMap::default(),
        }
    }

    /// All overloads of a name; none if the program has no such function.
    pub fn lookup(&mut self, name: &str, types: &mut Types) -> Rc<[Candidate]> {
        if let Some(known) = self.known.get(name) {
            return known.clone();
        }
        let mut found = Vec::new();
        match table().names.get(name) {
            Some(entries) => {
                for &(row, number) in entries {
                    let id = BuiltinId {
                        row,
                        detail: number.into(),
                    };
                    let row = table().rows[usize::from(row)];
                    if self.conditions.hold(row.when) {
                        signature::instantiate(row, id, number, &self.conditions, types, &mut found);
                    }
                }
            }
            None => {
                conversions(name, &self.conditions, types, &mut found);
            }
        }
        let found: Rc<[Candidate]> = found.into();
        self.known.insert(name.to_owned(), found.clone());
        found
    }

    /// Why a function that OpenCL C knows is not there: the condition that does not hold.
    pub fn missing(&self, name: &str) -> Option<&'static str> {
        let entries = table().names.get(name)?;
        let row = entries.iter().map(|&(row, _)| table().rows[usize::from(row)]).next()?;
        (!self.conditions.hold(row.when)).then_some(row.when)
    }

    /// The name nearest to one that nobody knows.
    pub fn suggestion(&self, name: &str) -> Option<&'static str> {
        nearest(name, 1 + name.len() / 6, table().names.keys().copied())
    }
}

/// The type that `as_T` makes of its argument's bits.
pub fn as_type(name: &str, conditions: &Conditions) -> Option<TypeId> {
    let ty = names::numeric(name.strip_prefix("as_")?)?;
    Some(conditions.has_base(ty.0).then(|| TypeId::vector(ty.0, ty.1))).flatten()
}

fn conversions(name: &str, conditions: &Conditions, types: &mut Types, found: &mut Vec<Candidate>) -> Option<()> {
    let mut rest = name.strip_prefix("convert_")?;
    let mut detail = 0;
    for (mode, suffix) in [(1, "_rte"), (2, "_rtz"), (3, "_rtp"), (4, "_rtn")] {
        if let Some(before) = rest.strip_suffix(suffix) {
            (rest, detail) = (before, mode);
        }
    }
    if let Some(before) = rest.strip_suffix("_sat") {
        (rest, detail) = (before, detail | 8);
    }
    let (to, lanes) = names::numeric(rest)?;
    // Floats have no bounds to stay within.
    if !conditions.has_base(to) || to == Scalar::Bool || detail & 8 != 0 && to.is_float() {
        return None;
    }
    for &from in row::NUMBERS {
        if conditions.has_base(from) {
            found.push(Candidate {
                id: BuiltinId { row: CONVERT, detail },
                result: types.vector(to, lanes),
                params: vec![types.vector(from, lanes)],
                variadic: false,
            });
        }
    }
    Some(())
}

struct Table {
    rows: Vec<&'static Row>,
    /// The rows of a name, and the number in it.
    names: FxHashMap<&'static str, Vec<(u16, u8)>>,
}

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let rows: Vec<&'static Row> = table::ALL.iter().copied().flatten().collect();
        let mut names: FxHashMap<&'static str, Vec<(u16, u8)>> = FxHashMap::default();
        for (index, row) in rows.iter().enumerate() {
            if !row.name.contains('#') {
                names.entry(row.name).or_default().push((index as u16, 1));
                continue;
            }
            for number in [2u8, 3, 4, 8, 16] {
                // Kept for as long as the process, once.
                let name: &'static str = row.name.replace('#', &number.to_string()).leak();
                names.entry(name).or_default().push((index as u16, number));
            }
        }
        Table { rows, names }
    })
}

/// Every name of the table, sorted; conversions and `as_T` are not among them.
pub fn all_names() -> Vec<&'static str> {
    let mut names: Vec<_> = table().names.keys().copied().collect();
    names.sort_unstable();
    names
}

#[cfg(test)]
mod tests;
