//! Names as small numbers.

use elsa::FrozenIndexSet;
use rustc_hash::FxBuildHasher;

/// An interned string: an identifier, a keyword or a literal's spelling. Equal strings have equal symbols.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(pub u32);

impl std::fmt::Debug for Symbol {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Symbol({})", self.0)
    }
}

/// Every string met in a compilation, once.
pub struct Interner {
    strings: FrozenIndexSet<String, FxBuildHasher>,
}

impl Default for Interner {
    fn default() -> Self {
        Interner::new()
    }
}

impl Interner {
    /// An interner that holds the symbols of [`sym`].
    pub fn new() -> Interner {
        let interner = Interner {
            strings: FrozenIndexSet::default(),
        };
        for (index, name) in sym::ALL.iter().enumerate() {
            let symbol = interner.intern(name);
            debug_assert_eq!(symbol.0 as usize, index, "{name} is listed twice");
        }
        interner
    }

    /// The string's symbol.
    pub fn intern(&self, string: &str) -> Symbol {
        match self.strings.get_full(string) {
            Some((index, _)) => Symbol(index as u32),
            None => Symbol(self.strings.insert_full(string.to_owned()).0 as u32),
        }
    }

    /// The symbol's string.
    pub fn name(&self, symbol: Symbol) -> &str {
        self.strings.get_index(symbol.0 as usize).unwrap_or_default()
    }
}

/// Lists symbols that are known before anything is read, as constants with consecutive numbers.
macro_rules! symbols {
    ($($constant:ident = $name:literal,)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[repr(u32)]
        enum Index { $($constant,)* }
        $(#[doc = concat!("`", $name, "`")] pub const $constant: Symbol = Symbol(Index::$constant as u32);)*
        /// The names, in the order of their symbols.
        pub const ALL: &[&str] = &[$($name,)*];
    };
}

/// Symbols that the front end knows by heart: the preprocessor's words and the language's keywords. Add what you need, in any order.
pub mod sym {
    use super::Symbol;

    symbols! {
        EMPTY = "",
        // Directives.
        IF = "if",
        IFDEF = "ifdef",
        IFNDEF = "ifndef",
        ELIF = "elif",
        ELIFDEF = "elifdef",
        ELIFNDEF = "elifndef",
        ELSE = "else",
        ENDIF = "endif",
        INCLUDE = "include",
        INCLUDE_NEXT = "include_next",
        IMPORT = "import",
        DEFINE = "define",
        UNDEF = "undef",
        LINE = "line",
        ERROR = "error",
        WARNING = "warning",
        PRAGMA = "pragma",
        IDENT = "ident",
        SCCS = "sccs",
        // Other words of the preprocessor.
        DEFINED = "defined",
        VA_ARGS = "__VA_ARGS__",
        VA_OPT = "__VA_OPT__",
        PRAGMA_OPERATOR = "_Pragma",
        FILE_MACRO = "__FILE__",
        FILE_NAME_MACRO = "__FILE_NAME__",
        BASE_FILE_MACRO = "__BASE_FILE__",
        LINE_MACRO = "__LINE__",
        COUNTER_MACRO = "__COUNTER__",
        DATE_MACRO = "__DATE__",
        TIME_MACRO = "__TIME__",
        TIMESTAMP_MACRO = "__TIMESTAMP__",
        INCLUDE_LEVEL_MACRO = "__INCLUDE_LEVEL__",
        HAS_INCLUDE = "__has_include",
        HAS_INCLUDE_NEXT = "__has_include_next",
        HAS_ATTRIBUTE = "__has_attribute",
        HAS_CPP_ATTRIBUTE = "__has_cpp_attribute",
        HAS_C_ATTRIBUTE = "__has_c_attribute",
        HAS_DECLSPEC_ATTRIBUTE = "__has_declspec_attribute",
        HAS_BUILTIN = "__has_builtin",
        HAS_CONSTEXPR_BUILTIN = "__has_constexpr_builtin",
        HAS_EXTENSION = "__has_extension",
        HAS_FEATURE = "__has_feature",
        HAS_WARNING = "__has_warning",
        IS_IDENTIFIER = "__is_identifier",
        IS_TARGET_ARCH = "__is_target_arch",
        IS_TARGET_VENDOR = "__is_target_vendor",
        IS_TARGET_OS = "__is_target_os",
        IS_TARGET_ENVIRONMENT = "__is_target_environment",
        BUILDING_MODULE = "__building_module",
        ONCE = "once",
        GCC = "GCC",
        CLANG = "clang",
        STDC = "STDC",
        OPENCL = "OPENCL",
        EXTENSION = "EXTENSION",
        FP_CONTRACT = "FP_CONTRACT",
        UNROLL = "unroll",
        NOUNROLL = "nounroll",
        PACK = "pack",
        MESSAGE = "message",
        POISON = "poison",
        SYSTEM_HEADER = "system_header",
        DIAGNOSTIC = "diagnostic",
        PUSH_MACRO = "push_macro",
        POP_MACRO = "pop_macro",
        ON = "ON",
        OFF = "OFF",
        DEFAULT_CAPITAL = "DEFAULT",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_strings_have_equal_symbols() {
        let interner = Interner::new();
        assert_eq!(interner.intern("define"), sym::DEFINE);
        let (a, b) = (interner.intern("a"), interner.intern("b"));
        assert_ne!(a, b);
        assert_eq!(interner.intern("a"), a);
        assert_eq!(interner.name(b), "b");
    }
}
