//! What the preprocessor hands to the parser.

use crate::intern::Symbol;
use crate::source::Loc;

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it begins.
    pub loc: Loc,
    /// What stood before it.
    pub flags: Flags,
}

/// What stood before a token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(pub u8);

impl Flags {
    /// The first token of a line.
    pub const LINE_START: Flags = Flags(1);
    /// White space stands before it.
    pub const SPACE: Flags = Flags(2);
    /// An identifier that may not be expanded any more, since it stood in its own macro's expansion.
    pub const NO_EXPAND: Flags = Flags(4);

    /// Is the flag set?
    pub fn has(self, flag: Flags) -> bool {
        self.0 & flag.0 != 0
    }

    /// With the flag set or not.
    pub fn with(self, flag: Flags, set: bool) -> Flags {
        match set {
            true => Flags(self.0 | flag.0),
            false => Flags(self.0 & !flag.0),
        }
    }
}

/// What a token is. Literals carry their spelling; [`crate::literal`] reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// An identifier or a keyword.
    Ident(Symbol),
    /// A preprocessing number: an integer, a floating-point number, or something that only looks like one.
    Number(Symbol),
    /// A character literal with its quotes (and prefix).
    Char(Symbol),
    /// A string literal with its quotes (and prefix). Adjacent ones are for the parser to join.
    Str(Symbol),
    /// An operator or a separator.
    Punct(Punct),
    /// A pragma that means something to the parser: [`crate::Session::pragma`].
    Pragma(PragmaId),
    /// A character that belongs to no token, as `@` or an unmatched quote.
    Unknown(Symbol),
    /// The end of a line, seen within directives only. The parser never meets it.
    LineEnd,
    /// The end of the program, again and again.
    Eof,
}

impl Token {
    /// The identifier, if it is one.
    pub fn ident(&self) -> Option<Symbol> {
        match self.kind {
            TokenKind::Ident(symbol) => Some(symbol),
            _ => None,
        }
    }

    /// Is it this operator or separator?
    pub fn is(&self, punct: Punct) -> bool {
        self.kind == TokenKind::Punct(punct)
    }
}

macro_rules! puncts {
    ($($name:ident = $text:literal,)*) => {
        /// An operator or a separator.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Punct { $(#[doc = concat!("`", $text, "`")] $name,)* }

        impl Punct {
            /// As it is written.
            pub fn text(self) -> &'static str {
                match self { $(Punct::$name => $text,)* }
            }

            /// What is written so.
            pub fn from_text(text: &str) -> Option<Punct> {
                match text { $($text => Some(Punct::$name),)* _ => None }
            }
        }
    };
}

puncts! {
    LParen = "(", RParen = ")", LBracket = "[", RBracket = "]", LBrace = "{", RBrace = "}",
    Semicolon = ";", Comma = ",", Dot = ".", Ellipsis = "...", Arrow = "->", Question = "?", Colon = ":", ColonColon = "::",
    Plus = "+", Minus = "-", Star = "*", Slash = "/", Percent = "%", PlusPlus = "++", MinusMinus = "--",
    Amp = "&", Pipe = "|", Caret = "^", Tilde = "~", Shl = "<<", Shr = ">>",
    Not = "!", AndAnd = "&&", OrOr = "||", EqEq = "==", NotEq = "!=", Lt = "<", Gt = ">", LtEq = "<=", GtEq = ">=",
    Eq = "=", PlusEq = "+=", MinusEq = "-=", StarEq = "*=", SlashEq = "/=", PercentEq = "%=",
    AmpEq = "&=", PipeEq = "|=", CaretEq = "^=", ShlEq = "<<=", ShrEq = ">>=",
    Hash = "#", HashHash = "##",
}

/// A pragma among the tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PragmaId(pub(crate) u32);

/// A pragma that means something to the parser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pragma {
    /// `#pragma OPENCL EXTENSION name : behavior`
    Extension {
        /// The extension, or `all`.
        name: Symbol,
        /// `enable`, `begin`, or `disable`, `end`: whether it is enabled from here on.
        enabled: bool,
    },
    /// `#pragma OPENCL FP_CONTRACT on-off-switch`, `#pragma STDC FP_CONTRACT …`
    FpContract(OnOff),
    /// `#pragma unroll`, `#pragma unroll n`, `#pragma clang loop unroll(…)`, `unroll_count(n)`: about the loop that follows.
    Unroll(Unroll),
    /// `#pragma pack(…)`
    Pack(Pack),
    /// Another that nobody acts on.
    Other,
}

/// The switch of a pragma.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnOff {
    /// `ON`
    On,
    /// `OFF`
    Off,
    /// `DEFAULT`
    Default,
}

/// How a loop is to be unrolled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unroll {
    /// Not at all: `nounroll`, `unroll 1`.
    Disable,
    /// As the compiler likes, or fully: `unroll`.
    Enable,
    /// By a factor: `unroll n`.
    Count(u32),
}

/// How structs' members are aligned from here on, in bytes; 0 is the natural alignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pack {
    /// `pack(n)`, `pack()`
    Set(u32),
    /// `pack(push)`, `pack(push, n)`
    Push(Option<u32>),
    /// `pack(pop)`, `pack(pop, n)`
    Pop(Option<u32>),
}
