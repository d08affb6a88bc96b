//! The physical layout of a module (SPIR-V specification, section 2.3): header, word counts, opcodes, and operands that follow the grammar.

use super::Id;
use super::grammar::{self, LiteralWidth, OpInfo, ShapeError};
use super::newer;
use rspirv::spirv::{self, Op};
use smallvec::SmallVec;
use std::fmt;

/// The largest id bound that the SPIR-V specification obliges anybody to take (section 2.17, Universal Limits).
pub const MAX_BOUND: u32 = 4_194_303;
const HEADER_WORDS: usize = 5;

/// A module's first five words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Major and minor version.
    pub version: (u8, u8),
    /// The tool that wrote the module: its registered number in the upper half, its own version in the lower.
    pub generator: u32,
    /// All ids are below it.
    pub bound: u32,
    /// The instruction schema; 0 is the only one.
    pub schema: u32,
}

impl Header {
    /// The number under which the writing tool is registered with Khronos.
    pub fn tool(&self) -> u16 {
        (self.generator >> 16) as u16
    }
}

/// A module whose words are SPIR-V: each instruction has the operands that the grammar asks of it, and defines an id that no other does.
#[derive(Debug)]
pub struct Binary {
    /// The header.
    pub header: Header,
    words: Vec<u32>,
    /// Each instruction's grammar, and where it begins.
    instructions: Vec<(&'static OpInfo, u32)>,
    /// The instruction that defines an id, + 1.
    definitions: Vec<u32>,
}

/// One instruction, borrowed from its module.
#[derive(Clone, Copy)]
pub struct Instruction<'m> {
    /// Its opcode's grammar.
    pub info: &'static OpInfo,
    /// The id of its result's type; 0 where it has none.
    pub result_type: Id,
    /// The id of its result; 0 where it has none.
    pub result: Id,
    /// The words behind these.
    pub operands: &'m [u32],
    /// Its index in the module.
    pub index: u32,
}

impl Instruction<'_> {
    /// Its opcode.
    pub fn op(&self) -> Op {
        self.info.grammar.opcode
    }

    /// The operand word at `position`; 0 (which is no id) where there is none.
    pub fn word(&self, position: usize) -> u32 {
        self.operands.get(position).copied().unwrap_or(0)
    }
}

impl fmt::Debug for Instruction<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "%{} = Op{} %{} {:?}",
            self.result, self.info.grammar.opname, self.result_type, self.operands
        )
    }
}

/// Where in a module an instruction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Which instruction it is, from 0.
    pub instruction: u32,
    /// Where it begins, in words from the start of the module.
    pub word: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "instruction {} (word {})", self.instruction, self.word)
    }
}

/// Why bytes are no SPIR-V module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseError {
    /// Not even the header fits, or the length is no multiple of four.
    Length(usize),
    /// The first word is not SPIR-V's magic number.
    Magic(u32),
    /// The magic number is there with its bytes reversed.
    Endianness,
    /// It is LLVM's bitcode.
    Bitcode,
    /// The version word is not of the form 0x00MMmm00.
    Version(u32),
    /// The id bound is 0, or beyond what has to be supported.
    Bound(u32),
    /// More than 2³² bytes.
    TooLarge(usize),
    /// An instruction claims to have no words.
    WordCountZero(Place),
    /// An instruction reaches beyond the end of the module.
    Truncated(Place),
    /// No such opcode.
    UnknownOpcode(Place, u16),
    /// The operands do not fit the grammar.
    Shape(Place, &'static str, ShapeError),
    /// An id is 0 or not below the bound.
    IdOutOfBound(Place, &'static str, Id),
    /// An id is defined a second time.
    Redefined(Place, &'static str, Id),
}

impl ParseError {
    /// Is it no SPIR-V at all, rather than SPIR-V with a fault?
    pub fn is_not_spirv(&self) -> bool {
        matches!(
            self,
            ParseError::Length(_) | ParseError::Magic(_) | ParseError::Endianness | ParseError::Bitcode
        )
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParseError::Length(bytes) => {
                write!(
                    f,
                    "{bytes} bytes are no SPIR-V module: a header of 20 bytes and whole 4-byte words are needed"
                )
            }
            ParseError::Magic(word) => {
                write!(
                    f,
                    "not SPIR-V: the first word is {word:#010x}, not the magic number {:#010x}",
                    spirv::MAGIC_NUMBER
                )
            }
            ParseError::Endianness => write!(
                f,
                "the module's bytes are in the other byte order; OpenCL takes words in host endianness \
                 (OpenCL SPIR-V Environment, §2 Common Properties): swap the bytes of each word"
            ),
            ParseError::Bitcode => write!(
                f,
                "this is LLVM bitcode, and OpenCL takes SPIR-V: translate it with llvm-spirv, or have clang write SPIR-V (--target=spirv64)"
            ),
            ParseError::Version(word) => write!(f, "word 1: the version word is {word:#010x}, not of the form 0x00MMmm00"),
            ParseError::Bound(bound) => write!(f, "word 3: the id bound is {bound}; it must be between 1 and {MAX_BOUND}"),
            ParseError::TooLarge(bytes) => write!(f, "the module has {bytes} bytes; at most 4 GiB are taken"),
            ParseError::WordCountZero(at) => write!(f, "{at}: an instruction with a word count of 0"),
            ParseError::Truncated(at) => write!(f, "{at}: the instruction reaches beyond the end of the module"),
            ParseError::UnknownOpcode(at, opcode) => match newer::opcode(*opcode) {
                Some((name, extension)) => write!(f, "{at}: {name} is of {extension}, which is not supported"),
                None => write!(f, "{at}: there is no opcode {opcode}"),
            },
            ParseError::Shape(at, op, error) => {
                write!(f, "{at}: Op{op}: ")?;
                match error {
                    ShapeError::TooFew => write!(f, "operands are missing"),
                    ShapeError::TooMany => write!(f, "there are more words than its operands take"),
                    ShapeError::UnknownEnumerant(kind, word) => match newer::enumerant(*kind, *word) {
                        Some((name, extension)) => write!(f, "{name} is of {extension}, which is not supported"),
                        None => write!(f, "{word} is no known {kind:?}"),
                    },
                    ShapeError::BadString => write!(f, "a literal string has no terminating zero or is not UTF-8"),
                    ShapeError::BadOpcode(opcode) => write!(f, "opcode {opcode} makes no constant"),
                    ShapeError::BadLiteralType => {
                        write!(f, "the type of its literal is not an integer or floating-point type defined before")
                    }
                }
            }
            ParseError::IdOutOfBound(at, op, id) => write!(f, "{at}: Op{op}: the id {id} is 0 or not below the header's bound"),
            ParseError::Redefined(at, op, id) => write!(f, "{at}: Op{op}: the id %{id} is defined a second time"),
        }
    }
}

impl std::error::Error for ParseError {}

/// Reads a module in host endianness.
pub fn parse(bytes: &[u8]) -> Result<Binary, ParseError> {
    if bytes.len() < 4 * HEADER_WORDS || !bytes.len().is_multiple_of(4) {
        return Err(match bytes.first_chunk() {
            Some(&first) if u32::from_ne_bytes(first) != spirv::MAGIC_NUMBER => no_magic(u32::from_ne_bytes(first)),
            _ => ParseError::Length(bytes.len()),
        });
    }
    if bytes.len() > u32::MAX as usize {
        return Err(ParseError::TooLarge(bytes.len()));
    }
    let words: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|&word| u32::from_ne_bytes(word)).collect();
    let header = header(&words)?;
    // Instructions are two to four words in most modules.
    let mut binary = Binary {
        header,
        instructions: Vec::with_capacity(words.len() / 3),
        definitions: vec![0; header.bound as usize],
        words,
    };
    let mut at = HEADER_WORDS;
    while at < binary.words.len() {
        at += binary.read(at)?;
    }
    Ok(binary)
}

/// What bytes are that begin with another word than SPIR-V's.
fn no_magic(word: u32) -> ParseError {
    /// LLVM's bitcode, and a wrapper around it.
    const BITCODE: [[u8; 4]; 2] = [*b"BC\xc0\xde", [0xde, 0xc0, 0x17, 0x0b]];
    if word == spirv::MAGIC_NUMBER.swap_bytes() {
        ParseError::Endianness
    } else if BITCODE.contains(&word.to_le_bytes()) {
        ParseError::Bitcode
    } else {
        ParseError::Magic(word)
    }
}

fn header(words: &[u32]) -> Result<Header, ParseError> {
    if words[0] != spirv::MAGIC_NUMBER {
        return Err(no_magic(words[0]));
    }
    let [_, version, generator, bound, schema] = [words[0], words[1], words[2], words[3], words[4]];
    if version & 0xff00_00ff != 0 {
        return Err(ParseError::Version(version));
    }
    if bound == 0 || bound > MAX_BOUND {
        return Err(ParseError::Bound(bound));
    }
    Ok(Header {
        version: ((version >> 16) as u8, (version >> 8) as u8),
        generator,
        bound,
        schema,
    })
}

impl Binary {
    /// How many instructions there are.
    pub fn len(&self) -> u32 {
        self.instructions.len() as u32
    }

    /// Is there no instruction at all?
    pub fn is_empty(&self) -> bool {
        self.instructions.is_empty()
    }

    /// The instruction at `index`, which must be below [`Binary::len`].
    pub fn instruction(&self, index: u32) -> Instruction<'_> {
        let (info, at) = self.instructions[index as usize];
        let words = &self.words[at as usize..];
        view(info, &words[..(words[0] >> 16) as usize], index)
    }

    /// All instructions, in order.
    pub fn instructions(&self) -> impl Iterator<Item = Instruction<'_>> {
        (0..self.len()).map(|index| self.instruction(index))
    }

    /// The instruction that defines `id`, if any does.
    pub fn definition(&self, id: Id) -> Option<Instruction<'_>> {
        self.definition_index(id).map(|index| self.instruction(index))
    }

    /// The index of the instruction that defines `id`.
    pub fn definition_index(&self, id: Id) -> Option<u32> {
        self.definitions.get(id as usize).and_then(|&index| index.checked_sub(1))
    }

    /// The ids among an instruction's operands: no literals, whose numbers may be those of ids.
    pub fn ids(&self, instruction: &Instruction<'_>) -> SmallVec<[Id; 8]> {
        if let Some((first, more)) = instruction.info.form.ids(instruction.operands) {
            return first.iter().chain(more).copied().collect();
        }
        let mut ids = SmallVec::new();
        // It was walked when the module was read.
        let _ = grammar::walk(
            instruction.info,
            instruction.result_type,
            instruction.operands,
            self,
            &mut |kind, words| {
                if grammar::is_id(&kind) {
                    ids.push(words[0]);
                }
            },
        );
        ids
    }

    /// Where an instruction begins, in words from the start of the module.
    pub fn word_offset(&self, index: u32) -> u32 {
        self.instructions[index as usize].1
    }

    /// LLVM 22's back end writes the null of an opaque type with the type's id again behind it, once or more. Whether that is tolerated, validation
    /// says.
    fn is_null_with_type(&self, instruction: &Instruction<'_>) -> bool {
        let again = |word: &u32| *word == instruction.result_type;
        instruction.op() == Op::ConstantNull && !instruction.operands.is_empty() && instruction.operands.iter().all(again)
    }

    /// Reads the instruction at word `at`; gives its word count.
    fn read(&mut self, at: usize) -> Result<usize, ParseError> {
        let here = Place {
            instruction: self.instructions.len() as u32,
            word: at as u32,
        };
        let first = self.words[at];
        let (count, opcode) = ((first >> 16) as usize, first & 0xffff);
        if count == 0 {
            return Err(ParseError::WordCountZero(here));
        }
        let info = grammar::lookup(opcode).ok_or(ParseError::UnknownOpcode(here, opcode as u16))?;
        let words = self.words.get(at..at + count).ok_or(ParseError::Truncated(here))?;
        let fail = |error| ParseError::Shape(here, info.grammar.opname, error);
        if words.len() < 1 + usize::from(info.has_type) + usize::from(info.has_result) {
            return Err(fail(ShapeError::TooFew));
        }
        let index = self.instructions.len() as u32;
        let instruction = view(info, words, index);
        match info.form.fits(instruction.operands) {
            Some(Ok(())) => {}
            Some(Err(ShapeError::TooMany)) if self.is_null_with_type(&instruction) => {}
            Some(Err(error)) => return Err(fail(error)),
            None => grammar::walk(info, instruction.result_type, instruction.operands, self, &mut |_, _| {}).map_err(fail)?,
        }
        if info.has_result {
            let id = instruction.result;
            match self.definitions.get_mut(id as usize) {
                Some(slot) if id != 0 && *slot == 0 => *slot = index + 1,
                Some(_) if id != 0 => return Err(ParseError::Redefined(here, info.grammar.opname, id)),
                _ => return Err(ParseError::IdOutOfBound(here, info.grammar.opname, id)),
            }
        }
        self.instructions.push((info, here.word));
        Ok(count)
    }
}

fn view<'m>(info: &'static OpInfo, words: &'m [u32], index: u32) -> Instruction<'m> {
    let (typed, resulting) = (usize::from(info.has_type), usize::from(info.has_result));
    Instruction {
        info,
        result_type: if info.has_type { words[1] } else { 0 },
        result: if info.has_result { words[1 + typed] } else { 0 },
        operands: &words[1 + typed + resulting..],
        index,
    }
}

impl LiteralWidth for Binary {
    fn of_type(&self, type_id: Id) -> Option<usize> {
        let definition = self.definition(type_id)?;
        match definition.op() {
            Op::TypeInt | Op::TypeFloat => Some(if definition.word(0) > 32 { 2 } else { 1 }),
            _ => None,
        }
    }

    fn of_value(&self, value: Id) -> Option<usize> {
        self.of_type(self.definition(value)?.result_type)
    }
}

/// How many words the literal string at the start of `words` takes; `None` if it has no end.
pub(super) fn string_words(words: &[u32]) -> Option<usize> {
    words.iter().position(|word| word.to_le_bytes().contains(&0)).map(|last| last + 1)
}

/// The literal string at the start of `words` (SPIR-V specification, section 2.2.1); `None` if it has no end or is not UTF-8.
pub fn string(words: &[u32]) -> Option<String> {
    let count = string_words(words)?;
    let mut bytes: Vec<u8> = words[..count].iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.truncate(bytes.iter().position(|&byte| byte == 0)?);
    String::from_utf8(bytes).ok()
}
