//! Puts functions into one piece of memory and settles where they call each other.

use super::code::CodeMemory;
use super::dwarf::{self, Line};
use super::elf::Symbol;
use super::jitdump;
use super::symbols::{Announced, write_perf_map};
use super::{CodeRequest, CompiledCode};
use cranelift_codegen::gimli::write::{Address, CommonInformationEntry, DebugFrame, EndianVec, FrameDescriptionEntry, FrameTable, Writer};
use cranelift_codegen::gimli::{self, LittleEndian};
use device::abi::KernelEntry;
use ir::SourcePlace;

/// Functions start at such multiples: a cache line.
const ALIGN: usize = 64;

/// What a call takes on the stack besides the callee's frame: return address and frame pointer.
const CALL_BYTES: u64 = 16;

/// What a call of the library may take.
const LIBRARY_BYTES: u64 = 16 << 10;

/// What a relocation refers to.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// A function of the image.
    Function(u32),
    /// A place in the function that has the relocation.
    Here(u32),
    /// Somewhere else in the process.
    Absolute(u64),
}

/// How an address is written.
#[derive(Clone, Copy, Debug)]
pub enum Field {
    /// In eight bytes.
    Absolute8,
    /// In four bytes, relative to their start.
    Relative4,
    /// In the 26 bits of an aarch64 call, relative to its start, in words.
    Arm64Call,
}

/// Where code needs an address.
#[derive(Clone, Copy, Debug)]
pub struct Relocation {
    /// Position in the function.
    pub at: usize,
    /// How the address is written.
    pub field: Field,
    /// What it refers to.
    pub place: Place,
    /// Added to it.
    pub addend: i64,
}

struct Part {
    name: String,
    start: usize,
    bytes: usize,
    frame: u64,
    calls: Vec<u32>,
    lines: Vec<Line>,
}

/// Code without a place in memory yet.
#[derive(Default)]
pub struct Image {
    bytes: Vec<u8>,
    parts: Vec<Part>,
    relocations: Vec<Relocation>,
    walks: FrameTable,
}

impl Image {
    /// Adds a compiled function, whose frame has so many bytes; the kernel comes first, then the others in the order of their positions.
    pub fn add(&mut self, name: &str, code: &[u8], frame: u64, relocations: impl IntoIterator<Item = Relocation>) {
        let start = self.bytes.len().next_multiple_of(ALIGN);
        self.bytes.resize(start, 0);
        self.bytes.extend_from_slice(code);
        let mut calls = Vec::new();
        for mut relocation in relocations {
            relocation.at += start;
            match &mut relocation.place {
                Place::Here(offset) => *offset += start as u32,
                Place::Function(position) => calls.push(*position),
                Place::Absolute(_) => {}
            }
            self.relocations.push(relocation);
        }
        self.parts.push(Part {
            name: name.to_owned(),
            start,
            bytes: self.bytes.len() - start,
            frame: frame + CALL_BYTES,
            calls,
            lines: Vec::new(),
        });
    }

    /// Says of the function that was added last from which byte on it is made for which of `places`, as far as that is known.
    pub fn add_lines(&mut self, func: &ir::Function, places: &[SourcePlace], made_for: impl IntoIterator<Item = (usize, ir::Place)>) {
        let (Some(origins), Some(part)) = (&func.origins, self.parts.last_mut()) else {
            return;
        };
        part.lines.extend(made_for.into_iter().filter_map(|(at, place)| {
            let innermost = *origins.trace(place).first()?;
            let place = places.get(innermost)?.clone();
            Some(Line { at, place })
        }));
    }

    /// The address of the function that is added next, for its call frame information.
    pub fn next_address(&self) -> Address {
        Address::Symbol {
            symbol: self.parts.len(),
            addend: 0,
        }
    }

    /// Adds a function's call frame information.
    pub fn add_walk(&mut self, common: CommonInformationEntry, walk: FrameDescriptionEntry) {
        let common = self.walks.add_cie(common);
        self.walks.add_fde(common, walk);
    }

    /// Makes it callable. Debuggers are told of the kernel's arguments and variables.
    pub fn finish(self, request: &CodeRequest) -> Result<CompiledCode, String> {
        let kernel = request.name;
        let variables = request.entry.origins.as_ref().map_or(&[][..], |origins| &origins.frame);
        let stack_bytes = self.stack_bytes()?;
        let mut failed = None;
        let memory = CodeMemory::new(self.bytes.len(), |pages, start| {
            pages.copy_from_slice(&self.bytes);
            for relocation in &self.relocations {
                if let Err(error) = self.apply(relocation, pages, start) {
                    failed = Some(error);
                }
            }
        })?;
        if let Some(error) = failed {
            return Err(error);
        }
        let symbols = self.symbols(kernel, memory.start() as u64);
        let lines: Vec<&[Line]> = self.parts.iter().map(|part| &part.lines[..]).collect();
        if debug::wants("perf") {
            write_perf_map(&symbols);
            // SAFETY: the code memory has as many bytes, and nobody changes them any more.
            let bytes = unsafe { std::slice::from_raw_parts(memory.start(), self.bytes.len()) };
            let code = self.parts.iter().map(|part| &bytes[part.start..part.start + part.bytes]);
            let functions = symbols.iter().zip(code).zip(&lines);
            jitdump::add(functions.map(|((symbol, code), &lines)| (symbol, code, lines)));
        }
        let mut sections = dwarf::lines(&symbols, &lines, request.arguments, variables);
        sections.push((".debug_frame", self.walks(&symbols)));
        let announced = Announced::new(&symbols, &sections);
        // SAFETY: the first function of the image is the kernel, and was given the signature of a kernel entry.
        let entry = unsafe { core::mem::transmute::<*const u8, KernelEntry>(memory.start()) };
        Ok(CompiledCode {
            entry,
            stack_bytes,
            code_bytes: self.bytes.len(),
            _announced: announced,
            _memory: memory,
        })
    }

    /// Where the functions are, the kernel under its own name.
    fn symbols(&self, kernel: &str, start: u64) -> Vec<Symbol> {
        let symbol = |(position, part): (usize, &Part)| Symbol {
            name: match position {
                0 => kernel.to_owned(),
                _ => format!("{kernel}:{}", part.name),
            },
            addresses: start + part.start as u64..start + (part.start + part.bytes) as u64,
        };
        self.parts.iter().enumerate().map(symbol).collect()
    }

    /// The contents of `.debug_frame`.
    fn walks(&self, symbols: &[Symbol]) -> Vec<u8> {
        let mut section = DebugFrame(Placed {
            bytes: EndianVec::new(LittleEndian),
            symbols,
        });
        match self.walks.write_debug_frame(&mut section) {
            Ok(()) => section.0.bytes.into_vec(),
            // Debuggers then see the innermost frame only.
            Err(_) => Vec::new(),
        }
    }

    fn apply(&self, relocation: &Relocation, pages: &mut [u8], start: u64) -> Result<(), String> {
        let target = match relocation.place {
            Place::Function(position) => start + self.parts[position as usize].start as u64,
            Place::Here(offset) => start + u64::from(offset),
            Place::Absolute(address) => address,
        };
        let at = relocation.at;
        let from = start + at as u64;
        let target = target.wrapping_add_signed(relocation.addend);
        let distance = target.wrapping_sub(from) as i64;
        match relocation.field {
            Field::Absolute8 => pages[at..at + 8].copy_from_slice(&target.to_le_bytes()),
            Field::Relative4 => {
                let distance = i32::try_from(distance).map_err(|_| "a call too far".to_owned())?;
                pages[at..at + 4].copy_from_slice(&distance.to_le_bytes());
            }
            Field::Arm64Call => {
                let words = distance >> 2;
                if !(-(1 << 25)..1 << 25).contains(&words) {
                    return Err("a call too far".to_owned());
                }
                let field = u32::from_le_bytes(pages[at..at + 4].try_into().map_err(|_| "a cut-off instruction")?);
                let field = (field & 0xfc00_0000) | (words as u32 & 0x03ff_ffff);
                pages[at..at + 4].copy_from_slice(&field.to_le_bytes());
            }
        }
        Ok(())
    }

    /// The deepest chain of calls.
    fn stack_bytes(&self) -> Result<u64, String> {
        #[derive(Clone, Copy)]
        enum Depth {
            Unknown,
            Open,
            Known(u64),
        }
        let mut depths = vec![Depth::Unknown; self.parts.len()];
        let mut stack = vec![0u32];
        while let Some(&top) = stack.last() {
            let part = &self.parts[top as usize];
            if matches!(depths[top as usize], Depth::Known(_)) {
                stack.pop();
                continue;
            }
            depths[top as usize] = Depth::Open;
            let mut deepest = 0;
            let mut ready = true;
            for &callee in &part.calls {
                match depths[callee as usize] {
                    Depth::Known(bytes) => deepest = deepest.max(bytes),
                    Depth::Unknown => {
                        stack.push(callee);
                        ready = false;
                    }
                    Depth::Open => return Err(format!("function {} calls itself, which OpenCL does not allow", part.name)),
                }
            }
            if ready {
                depths[top as usize] = Depth::Known(part.frame + deepest);
                stack.pop();
            }
        }
        match depths.first() {
            Some(Depth::Known(bytes)) => Ok(bytes + LIBRARY_BYTES),
            _ => Ok(LIBRARY_BYTES),
        }
    }
}

/// A section in which functions have the addresses where they run.
struct Placed<'a> {
    bytes: EndianVec<LittleEndian>,
    symbols: &'a [Symbol],
}

impl Writer for Placed<'_> {
    type Endian = LittleEndian;

    fn endian(&self) -> LittleEndian {
        LittleEndian
    }

    fn len(&self) -> usize {
        self.bytes.len()
    }

    fn write(&mut self, bytes: &[u8]) -> gimli::write::Result<()> {
        self.bytes.write(bytes)
    }

    fn write_at(&mut self, offset: usize, bytes: &[u8]) -> gimli::write::Result<()> {
        self.bytes.write_at(offset, bytes)
    }

    fn write_address(&mut self, address: Address, size: u8) -> gimli::write::Result<()> {
        let address = match address {
            Address::Constant(address) => address,
            Address::Symbol { symbol, addend } => self.symbols[symbol].addresses.start.wrapping_add_signed(addend),
        };
        self.write_udata(address, size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The word of a call with such a field that goes `distance` bytes from where it stands.
    fn arm64_call(distance: i64) -> Result<u32, String> {
        let mut image = Image::default();
        // `bl` to itself.
        let call = Relocation {
            at: 4,
            field: Field::Arm64Call,
            place: Place::Here(4),
            addend: distance,
        };
        image.add("test", &[0, 0, 0, 0, 0, 0, 0, 0x94], 0, [call]);
        let mut pages = image.bytes.clone();
        image.apply(&image.relocations[0], &mut pages, 0x10_0000_0000)?;
        Ok(u32::from_le_bytes(pages[4..].try_into().unwrap()))
    }

    #[test]
    fn calls_of_aarch64_reach_128_mebibytes() {
        assert_eq!(arm64_call(0), Ok(0x9400_0000));
        assert_eq!(arm64_call(-4), Ok(0x97ff_ffff));
        assert_eq!(arm64_call((128 << 20) - 4), Ok(0x95ff_ffff));
        assert_eq!(arm64_call(-(128 << 20)), Ok(0x9600_0000));
        for too_far in [128 << 20, -(128 << 20) - 4, 1 << 40] {
            assert_eq!(arm64_call(too_far), Err("a call too far".to_owned()));
        }
    }
}
