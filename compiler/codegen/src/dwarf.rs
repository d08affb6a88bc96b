//! Lines of the source for debuggers (DWARF 4, sections 3.1, 3.3 and 6.2): which code is made for which line, and which functions there are.

mod arguments;

use super::elf::Symbol;
use cranelift_codegen::gimli::write::{Address, AttributeValue, DwarfUnit, EndianVec, FileId, LineProgram, LineString, Result, Sections};
use cranelift_codegen::gimli::{self, Encoding, Format, LineEncoding, LittleEndian};
use interface::ArgumentInfo;
use ir::{FrameVariable, SourcePlace};
use rustc_hash::FxHashMap;

/// From a byte of a function on, its code is made for a place in the source.
#[derive(Clone, Debug)]
pub struct Line {
    /// The byte.
    pub at: usize,
    /// The place.
    pub place: SourcePlace,
}

/// The sections, by name; none where no line is known. `lines` are those of each function; the first is the kernel, with its arguments and variables.
pub fn lines(
    symbols: &[Symbol],
    lines: &[&[Line]],
    arguments: &[ArgumentInfo],
    variables: &[FrameVariable],
) -> Vec<(&'static str, Vec<u8>)> {
    match lines.iter().find_map(|lines| lines.first()) {
        // Debuggers then know names only.
        Some(first) => write(symbols, lines, (arguments, variables), &first.place.file).unwrap_or_default(),
        None => Vec::new(),
    }
}

fn write(
    symbols: &[Symbol],
    lines: &[&[Line]],
    (arguments, variables): (&[ArgumentInfo], &[FrameVariable]),
    file: &str,
) -> Result<Vec<(&'static str, Vec<u8>)>> {
    let encoding = Encoding {
        format: Format::Dwarf32,
        version: 4,
        address_size: 8,
    };
    let mut dwarf = DwarfUnit::new(encoding);
    // Names of files are relative to where the program runs, as compilers were given them.
    let folder = std::env::current_dir().unwrap_or_default().to_string_lossy().into_owned();
    let text = |text: &str| LineString::String(text.bytes().filter(|&byte| byte != 0).collect());
    let mut program = LineProgram::new(encoding, LineEncoding::default(), text(&folder), None, text(file), None);
    let mut files: FxHashMap<&str, FileId> = FxHashMap::default();
    for (symbol, lines) in symbols.iter().zip(lines) {
        let Some(first) = lines.first() else { continue };
        program.begin_sequence(Some(Address::Constant(symbol.addresses.start)));
        // The frame is set up before the first line.
        let whole = std::iter::once((0, &first.place)).chain(lines.iter().map(|line| (line.at, &line.place)));
        for (at, place) in whole {
            let folder = program.default_directory();
            let file = *files
                .entry(&place.file)
                .or_insert_with(|| program.add_file(text(&place.file), folder, None));
            let row = program.row();
            row.address_offset = at as u64;
            row.file = file;
            row.line = place.line.into();
            row.column = place.column.into();
            program.generate_row();
        }
        program.end_sequence(symbol.addresses.end - symbol.addresses.start);
    }
    dwarf.unit.line_program = program;

    let root = dwarf.unit.root();
    let string = |text: &str| AttributeValue::String(text.bytes().filter(|&byte| byte != 0).collect());
    let all = symbols.iter().map(|symbol| symbol.addresses.start).min().unwrap_or(0)
        ..symbols.iter().map(|symbol| symbol.addresses.end).max().unwrap_or(0);
    let unit = dwarf.unit.get_mut(root);
    unit.set(gimli::DW_AT_name, string(file));
    unit.set(gimli::DW_AT_comp_dir, string(&folder));
    unit.set(gimli::DW_AT_producer, string("Brolga"));
    unit.set(gimli::DW_AT_language, AttributeValue::Language(gimli::DW_LANG_OpenCL));
    unit.set(gimli::DW_AT_low_pc, AttributeValue::Address(Address::Constant(all.start)));
    unit.set(gimli::DW_AT_high_pc, AttributeValue::Udata(all.end - all.start));
    for (position, (symbol, lines)) in symbols.iter().zip(lines).enumerate() {
        let number = dwarf.unit.add(root, gimli::DW_TAG_subprogram);
        let function = dwarf.unit.get_mut(number);
        function.set(gimli::DW_AT_name, string(&symbol.name));
        function.set(gimli::DW_AT_external, AttributeValue::Flag(true));
        function.set(
            gimli::DW_AT_low_pc,
            AttributeValue::Address(Address::Constant(symbol.addresses.start)),
        );
        let bytes = symbol.addresses.end - symbol.addresses.start;
        function.set(gimli::DW_AT_high_pc, AttributeValue::Udata(bytes));
        if let Some(Line { place, .. }) = lines.first() {
            function.set(gimli::DW_AT_decl_file, AttributeValue::FileIndex(files.get(&*place.file).copied()));
            function.set(gimli::DW_AT_decl_line, AttributeValue::Udata(place.line.into()));
        }
        if position == 0 {
            arguments::describe(&mut dwarf.unit, number, arguments, variables);
        }
    }

    let mut sections = Sections::new(EndianVec::new(LittleEndian));
    dwarf.write(&mut sections)?;
    Ok(vec![
        (".debug_abbrev", sections.debug_abbrev.take()),
        (".debug_info", sections.debug_info.take()),
        (".debug_line", sections.debug_line.take()),
    ])
}

#[cfg(test)]
mod tests {
    use super::super::elf::object_file;
    use super::super::elf::tests::as_readelf_says;
    use super::*;

    fn line(at: usize, file: &str, line: u32) -> Line {
        let place = SourcePlace {
            file: file.into(),
            line,
            column: 5,
            function: "sums".into(),
        };
        Line { at, place }
    }

    /// The lines as binutils read them.
    #[test]
    fn others_read_them() {
        let symbols = [("sums", 0x7000_1000..0x7000_1040), ("sums:helper", 0x7000_1040..0x7000_1050)].map(|(name, addresses)| Symbol {
            name: name.to_owned(),
            addresses,
        });
        let of_kernel = [line(4, "sums.cl", 7), line(0x20, "helpers.h", 3), line(0x28, "sums.cl", 8)];
        let sections = lines(&symbols, &[&of_kernel, &[]], &[], &[]);
        let file = object_file(&symbols, &sections);
        let Some(text) = as_readelf_says("lines", &file, "--debug-dump=info,decodedline") else {
            return;
        };
        for part in [
            "(OpenCL)",
            "sums:helper",
            "sums.cl 7 0x70001000",
            "sums.cl 7 0x70001004",
            "helpers.h 3 0x70001020",
            "sums.cl 8 0x70001028",
            "0x70001040",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn nothing_is_said_where_no_line_is_known() {
        let symbol = Symbol {
            name: "sums".to_owned(),
            addresses: 0x7000_1000..0x7000_1040,
        };
        assert!(lines(&[symbol], &[&[]], &[], &[]).is_empty());
    }
}
