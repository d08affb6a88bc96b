//! The words of the language.

use crate::intern::{Interner, Symbol};
use crate::sema::Lang;
use crate::types::{AddressSpace, Scalar};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::sync::OnceLock;

/// A keyword. Those with several spellings are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keyword {
    Void,
    Bool,
    Char,
    Short,
    Int,
    Long,
    Half,
    Float,
    Double,
    Signed,
    Unsigned,
    Const,
    Volatile,
    Restrict,
    Inline,
    Static,
    Extern,
    Typedef,
    Register,
    Auto,
    Struct,
    Union,
    Enum,
    Kernel,
    Space(AddressSpace),
    ReadOnly,
    WriteOnly,
    ReadWrite,
    Pipe,
    Atomic,
    Attribute,
    Typeof,
    TypeofUnqual,
    Extension,
    Asm,
    If,
    Else,
    For,
    While,
    Do,
    Switch,
    Case,
    Default,
    Break,
    Continue,
    Return,
    Goto,
    Sizeof,
    Alignof,
    VecStep,
    StaticAssert,
    Noreturn,
    Complex,
    FuncName,
    /// A function that has types among its arguments, or is checked by rules of its own.
    AsType,
    Convertvector,
    Shufflevector,
    Astype,
    Offsetof,
    TypesCompatible,
    ChooseExpr,
    Generic,
}

/// Which symbols are keywords.
pub(crate) struct Keywords {
    /// By symbol, what is known of those that were met.
    met: RefCell<Vec<Option<Option<Keyword>>>>,
    pipes: bool,
}

impl Keywords {
    pub(crate) fn new(lang: &Lang) -> Keywords {
        Keywords {
            met: RefCell::default(),
            pipes: lang.pipes,
        }
    }

    /// The keyword that a symbol of `names` is.
    pub(crate) fn get(&self, names: &Interner, symbol: Symbol) -> Option<Keyword> {
        let index = symbol.0 as usize;
        let mut met = self.met.borrow_mut();
        if index >= met.len() {
            met.resize(index + 1, None);
        }
        *met[index].get_or_insert_with(|| self.find(names.name(symbol)))
    }

    fn find(&self, name: &str) -> Option<Keyword> {
        static WORDS: OnceLock<FxHashMap<&'static str, Keyword>> = OnceLock::new();
        let words = WORDS.get_or_init(|| WORDS_OF_THE_LANGUAGE.iter().copied().collect());
        match words.get(name) {
            Some(Keyword::Pipe) if !self.pipes => None,
            Some(&word) => Some(word),
            None => name.strip_prefix("as_").is_some_and(is_reinterpreted).then_some(Keyword::AsType),
        }
    }
}

/// Is there a function `as_NAME`?
fn is_reinterpreted(name: &str) -> bool {
    let end = name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (scalar, lanes) = name.split_at(end);
    matches!(name, "size_t" | "ptrdiff_t" | "intptr_t" | "uintptr_t")
        || matches!(lanes, "" | "2" | "3" | "4" | "8" | "16") && Scalar::ALL.iter().skip(1).any(|it| it.name() == scalar)
}

const WORDS_OF_THE_LANGUAGE: &[(&str, Keyword)] = {
    use Keyword::*;
    &[
        ("void", Void),
        ("bool", Bool),
        ("_Bool", Bool),
        ("char", Char),
        ("short", Short),
        ("int", Int),
        ("long", Long),
        ("half", Half),
        ("float", Float),
        ("double", Double),
        ("signed", Signed),
        ("__signed", Signed),
        ("__signed__", Signed),
        ("unsigned", Unsigned),
        ("const", Const),
        ("__const", Const),
        ("__const__", Const),
        ("volatile", Volatile),
        ("__volatile", Volatile),
        ("__volatile__", Volatile),
        ("restrict", Restrict),
        ("__restrict", Restrict),
        ("__restrict__", Restrict),
        ("inline", Inline),
        ("__inline", Inline),
        ("__inline__", Inline),
        ("static", Static),
        ("extern", Extern),
        ("typedef", Typedef),
        ("register", Register),
        ("auto", Auto),
        ("struct", Struct),
        ("union", Union),
        ("enum", Enum),
        ("kernel", Kernel),
        ("__kernel", Kernel),
        ("global", Space(AddressSpace::Global)),
        ("__global", Space(AddressSpace::Global)),
        ("constant", Space(AddressSpace::Constant)),
        ("__constant", Space(AddressSpace::Constant)),
        ("local", Space(AddressSpace::Local)),
        ("__local", Space(AddressSpace::Local)),
        ("private", Space(AddressSpace::Private)),
        ("__private", Space(AddressSpace::Private)),
        ("read_only", ReadOnly),
        ("__read_only", ReadOnly),
        ("write_only", WriteOnly),
        ("__write_only", WriteOnly),
        ("read_write", ReadWrite),
        ("__read_write", ReadWrite),
        ("_Atomic", Atomic),
        ("__attribute", Attribute),
        ("__attribute__", Attribute),
        ("__typeof", Typeof),
        ("__typeof__", Typeof),
        ("__typeof_unqual", TypeofUnqual),
        ("__typeof_unqual__", TypeofUnqual),
        ("__extension__", Extension),
        ("__asm", Asm),
        ("__asm__", Asm),
        ("asm", Asm),
        ("if", If),
        ("else", Else),
        ("for", For),
        ("while", While),
        ("do", Do),
        ("switch", Switch),
        ("case", Case),
        ("default", Default),
        ("break", Break),
        ("continue", Continue),
        ("return", Return),
        ("goto", Goto),
        ("sizeof", Sizeof),
        ("__alignof", Alignof),
        ("__alignof__", Alignof),
        ("_Alignof", Alignof),
        ("vec_step", VecStep),
        ("_Static_assert", StaticAssert),
        ("_Noreturn", Noreturn),
        ("_Complex", Complex),
        ("__func__", FuncName),
        ("__FUNCTION__", FuncName),
        ("__PRETTY_FUNCTION__", FuncName),
        ("__builtin_convertvector", Convertvector),
        ("__builtin_shufflevector", Shufflevector),
        ("__builtin_astype", Astype),
        ("__builtin_offsetof", Offsetof),
        ("__builtin_types_compatible_p", TypesCompatible),
        ("__builtin_choose_expr", ChooseExpr),
        ("_Generic", Generic),
        ("generic", Space(AddressSpace::Generic)),
        ("__generic", Space(AddressSpace::Generic)),
        ("pipe", Pipe),
    ]
};
