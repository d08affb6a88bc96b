//! A module: functions that call each other, and the variables that they use.

use super::entities::{FuncRef, Global};
use super::function::Function;
use super::origin::SourcePlace;
use cranelift_entity::PrimaryMap;

/// Bytes behind each variable that may be read with it, whether another variable is there or none: small tables are loaded as whole registers, and as a
/// power of two of bytes. Whoever places variables sees to it, or says that there is nothing ([`Module::exact_variables`]).
pub const READABLE_BEHIND: usize = 128;

/// What belongs together: functions that call each other, and the variables that they use.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// Functions.
    pub functions: PrimaryMap<FuncRef, Function>,
    /// Program-scope variables and constants.
    pub globals: PrimaryMap<Global, GlobalData>,
    /// Nothing may be read behind variables, since checks would take that for part of them.
    pub exact_variables: bool,
    /// What the places of [`Origins`](super::Origins) stand for; empty where the module does not tell.
    pub places: Vec<SourcePlace>,
}

/// Initial bytes of a program-scope variable, with addresses in them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GlobalData {
    /// Its name, for people.
    pub name: String,
    /// Alignment in bytes.
    pub align: u32,
    /// Nobody writes it.
    pub constant: bool,
    /// Initial contents (all of it).
    pub bytes: Vec<u8>,
    /// (offset, variable, addend): the address of another variable stands there.
    pub relocations: Vec<(u32, Global, i64)>,
}
