//! An object file in memory that names functions and tells how to walk their frames (System V ABI, chapters 4 and 5; ELF-64).
//!
//! It holds no code: its section of code is where the code is.
use std::ops::Range;

/// The number of the section of code.
const TEXT: u16 = 1;

const HEADER_BYTES: usize = 64;
const SECTION_BYTES: usize = 64;
const SYMBOL_BYTES: usize = 24;

#[derive(Default)]
struct Section {
    name: u32,
    kind: u32,
    flags: u64,
    address: u64,
    offset: usize,
    bytes: usize,
    link: u16,
    info: u32,
    align: u64,
    entry_bytes: usize,
}

/// A function at the addresses where it runs.
#[derive(Debug)]
pub struct Symbol {
    /// Its name, for people.
    pub name: String,
    /// Where it is.
    pub addresses: Range<u64>,
}

/// The file, for functions next to each other and their debugging information, sections by name.
pub fn object_file(symbols: &[Symbol], debugging: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let start = symbols.iter().map(|symbol| symbol.addresses.start).min().unwrap_or(0);
    let end = symbols.iter().map(|symbol| symbol.addresses.end).max().unwrap_or(0);
    let mut strings = vec![0];
    let mut string = |text: &str| {
        let at = strings.len() as u32;
        strings.extend(text.bytes().filter(|&byte| byte != 0).chain([0]));
        at
    };

    let mut table = vec![0; SYMBOL_BYTES];
    for Symbol { name, addresses } in symbols {
        table.extend(string(name).to_le_bytes());
        // A global function.
        table.extend([1 << 4 | 2, 0]);
        table.extend(TEXT.to_le_bytes());
        table.extend((addresses.start - start).to_le_bytes());
        table.extend((addresses.end - addresses.start).to_le_bytes());
    }

    let count = debugging.len() as u16 + 4;
    let mut contents: Vec<u8> = Vec::new();
    let mut place = |bytes: &[u8]| {
        contents.resize(contents.len().next_multiple_of(8), 0);
        let offset = HEADER_BYTES + SECTION_BYTES * usize::from(count) + contents.len();
        contents.extend(bytes);
        offset
    };
    let mut sections = vec![
        Section::default(),
        // SHT_NOBITS; SHF_ALLOC | SHF_EXECINSTR
        Section {
            name: string(".text"),
            kind: 8,
            flags: 2 | 4,
            address: start,
            bytes: (end - start) as usize,
            align: 16,
            ..Section::default()
        },
    ];
    for (name, bytes) in debugging {
        // SHT_PROGBITS
        sections.push(Section {
            name: string(name),
            kind: 1,
            offset: place(bytes),
            bytes: bytes.len(),
            align: 8,
            ..Section::default()
        });
    }
    // SHT_SYMTAB; the first symbol is the only local one.
    sections.push(Section {
        name: string(".symtab"),
        kind: 2,
        offset: place(&table),
        bytes: table.len(),
        link: count - 1,
        info: 1,
        align: 8,
        entry_bytes: SYMBOL_BYTES,
        ..Section::default()
    });
    // SHT_STRTAB
    let name = string(".strtab");
    sections.push(Section {
        name,
        kind: 3,
        offset: place(&strings),
        bytes: strings.len(),
        align: 1,
        ..Section::default()
    });

    let mut file = header(count);
    for section in &sections {
        file.extend(section.name.to_le_bytes());
        file.extend(section.kind.to_le_bytes());
        for word in [section.flags, section.address, section.offset as u64, section.bytes as u64] {
            file.extend(word.to_le_bytes());
        }
        file.extend(u32::from(section.link).to_le_bytes());
        file.extend(section.info.to_le_bytes());
        file.extend(section.align.to_le_bytes());
        file.extend((section.entry_bytes as u64).to_le_bytes());
    }
    file.extend(contents);
    file
}

/// ELF's number of this machine (`e_machine`); 0 for others.
pub fn machine() -> u16 {
    match () {
        () if cfg!(target_arch = "x86_64") => 62,
        () if cfg!(target_arch = "aarch64") => 183,
        () => 0,
    }
}

/// Of a relocatable file for this machine; the sections follow at once, the last of them the names.
fn header(sections: u16) -> Vec<u8> {
    let mut header = vec![0x7f, b'E', b'L', b'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    header.extend(1u16.to_le_bytes());
    header.extend(machine().to_le_bytes());
    header.extend(1u32.to_le_bytes());
    for word in [0, 0, HEADER_BYTES as u64] {
        header.extend(word.to_le_bytes());
    }
    header.extend(0u32.to_le_bytes());
    for half in [HEADER_BYTES as u16, 0, 0, SECTION_BYTES as u16, sections, sections - 1] {
        header.extend(half.to_le_bytes());
    }
    header
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// What readelf says of a file, in words with one space between; None where there is no readelf.
    pub fn as_readelf_says(name: &str, file: &[u8], option: &str) -> Option<String> {
        let path = std::env::temp_dir().join(format!("brolga-{name}-{}", std::process::id()));
        std::fs::write(&path, file).expect("a file");
        let output = std::process::Command::new("readelf").args(["-W", option]).arg(&path).output();
        let _ = std::fs::remove_file(&path);
        let Ok(output) = output else {
            println!("no readelf on this machine");
            return None;
        };
        let text = String::from_utf8_lossy(&output.stdout);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && errors.is_empty(), "{text}{errors}");
        Some(text)
    }

    /// The file as binutils read it.
    #[test]
    fn others_read_it() {
        let symbols = [
            ("vector_add", 0x7000_1000..0x7000_1040),
            ("vector_add:helper", 0x7000_1040..0x7000_1050),
        ]
        .map(|(name, addresses)| Symbol {
            name: name.to_owned(),
            addresses,
        });
        let file = object_file(&symbols, &[(".debug_frame", vec![0; 3])]);
        let Some(text) = as_readelf_says("names", &file, "-hSsW") else {
            return;
        };
        for part in [
            ".text",
            ".debug_frame PROGBITS 0000000000000000",
            "0000000070001000",
            "64 FUNC GLOBAL DEFAULT 1 vector_add",
            "16 FUNC GLOBAL DEFAULT 1 vector_add:helper",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
