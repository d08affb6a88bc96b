//! An object file in memory that names functions and tells how to walk their frames (System V ABI, chapters 4 and 5; ELF-64).
//!
//! It holds no code: its section of code is where the code is.
use std::ops::Range;

/// Numbers of sections, in the order in which they stand.
const TEXT: u16 = 1;
const STRINGS: u16 = 4;
const SECTIONS: u16 = 5;

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

/// The file, for functions next to each other and their call frame information (the contents of `.debug_frame`).
pub fn object_file(symbols: &[Symbol], frames: &[u8]) -> Vec<u8> {
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

    let names = [".text", ".debug_frame", ".symtab", ".strtab"].map(&mut string);
    let frames_at = HEADER_BYTES + SECTION_BYTES * usize::from(SECTIONS);
    let table_at = (frames_at + frames.len()).next_multiple_of(8);
    let strings_at = table_at + table.len();
    let sections = [
        Section::default(),
        // SHT_NOBITS; SHF_ALLOC | SHF_EXECINSTR
        Section {
            name: names[0],
            kind: 8,
            flags: 2 | 4,
            address: start,
            bytes: (end - start) as usize,
            align: 16,
            ..Section::default()
        },
        // SHT_PROGBITS
        Section {
            name: names[1],
            kind: 1,
            offset: frames_at,
            bytes: frames.len(),
            align: 8,
            ..Section::default()
        },
        // SHT_SYMTAB; the first symbol is the only local one.
        Section {
            name: names[2],
            kind: 2,
            offset: table_at,
            bytes: table.len(),
            link: STRINGS,
            info: 1,
            align: 8,
            entry_bytes: SYMBOL_BYTES,
            ..Section::default()
        },
        // SHT_STRTAB
        Section {
            name: names[3],
            kind: 3,
            offset: strings_at,
            bytes: strings.len(),
            align: 1,
            ..Section::default()
        },
    ];

    let mut file = header();
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
    file.extend(frames);
    file.resize(table_at, 0);
    file.extend(table);
    file.extend(strings);
    file
}

/// Of a relocatable file for this machine; the sections follow at once.
fn header() -> Vec<u8> {
    let machine: u16 = match () {
        () if cfg!(target_arch = "x86_64") => 62,
        () if cfg!(target_arch = "aarch64") => 183,
        () => 0,
    };
    let mut header = vec![0x7f, b'E', b'L', b'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    header.extend(1u16.to_le_bytes());
    header.extend(machine.to_le_bytes());
    header.extend(1u32.to_le_bytes());
    for word in [0, 0, HEADER_BYTES as u64] {
        header.extend(word.to_le_bytes());
    }
    header.extend(0u32.to_le_bytes());
    for half in [HEADER_BYTES as u16, 0, 0, SECTION_BYTES as u16, SECTIONS, STRINGS] {
        header.extend(half.to_le_bytes());
    }
    header
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let path = std::env::temp_dir().join(format!("brolga-object-{}", std::process::id()));
        std::fs::write(&path, object_file(&symbols, &[])).unwrap();
        let output = std::process::Command::new("readelf").args(["-hSsW"]).arg(&path).output();
        let _ = std::fs::remove_file(&path);
        let Ok(output) = output else {
            return println!("no readelf on this machine");
        };
        let text = String::from_utf8_lossy(&output.stdout);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            output.status.success() && output.stderr.is_empty(),
            "{text}{}",
            String::from_utf8_lossy(&output.stderr)
        );
        for part in [
            ".text",
            "0000000070001000",
            "64 FUNC GLOBAL DEFAULT 1 vector_add",
            "16 FUNC GLOBAL DEFAULT 1 vector_add:helper",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
