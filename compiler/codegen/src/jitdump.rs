//! Kernels for `perf inject --jit`: their code, and the lines that it is made for, in a file as perf reads it (Linux, tools/perf/Documentation/
//! jitdump-specification.txt).
//!
//! `perf.data` names the file since a page of it is mapped as if it were code. Times are of CLOCK_MONOTONIC: `perf record -k mono`.

use super::dwarf::Line;
use super::elf::{Symbol, machine};
use device::clock;
use device::fork::PerProcess;
use device::lock::Lock;
use std::fs::File;
use std::io::Write;

const CODE_LOAD: u32 = 0;
const CODE_DEBUG_INFO: u32 = 2;

/// The file of this process, and how many functions are in it.
struct Dump {
    file: File,
    functions: u64,
}

impl Dump {
    /// `/tmp/jit-PID.dump`. None where it can't be written.
    fn create() -> Option<Dump> {
        let pid = std::process::id();
        let path = format!("/tmp/jit-{pid}.dump");
        let mut file = File::options().read(true).write(true).create(true).truncate(true).open(path).ok()?;
        let mut header = Vec::new();
        // "JiTD", the version, and the header's bytes.
        for word in [0x4a69_5444, 1, 40, u32::from(machine()), 0, pid] {
            header.extend(word.to_le_bytes());
        }
        header.extend(clock::now().to_le_bytes());
        header.extend(0u64.to_le_bytes());
        file.write_all(&header).ok()?;
        device::code::map_as_code(&file);
        Some(Dump { file, functions: 0 })
    }

    fn record(&mut self, kind: u32, content: &[u8]) -> std::io::Result<()> {
        let mut record = Vec::with_capacity(content.len() + 16);
        record.extend(kind.to_le_bytes());
        record.extend((content.len() as u32 + 16).to_le_bytes());
        record.extend(clock::now().to_le_bytes());
        record.extend(content);
        self.file.write_all(&record)
    }

    fn add(&mut self, symbol: &Symbol, code: &[u8], lines: &[Line]) -> std::io::Result<()> {
        let start = symbol.addresses.start;
        if !lines.is_empty() {
            let mut content = Vec::new();
            content.extend(start.to_le_bytes());
            content.extend((lines.len() as u64).to_le_bytes());
            for Line { at, place } in lines {
                content.extend((start + *at as u64).to_le_bytes());
                content.extend(place.line.to_le_bytes());
                content.extend(place.column.to_le_bytes());
                content.extend(place.file.bytes().filter(|&byte| byte != 0).chain([0]));
            }
            self.record(CODE_DEBUG_INFO, &content)?;
        }
        let mut content = Vec::new();
        let pid = std::process::id();
        for word in [pid, pid] {
            content.extend(word.to_le_bytes());
        }
        self.functions += 1;
        for word in [start, start, code.len() as u64, self.functions] {
            content.extend(word.to_le_bytes());
        }
        content.extend(symbol.name.bytes().filter(|&byte| byte != 0).chain([0]));
        content.extend(code);
        self.record(CODE_LOAD, &content)
    }
}

/// Adds functions with their code and lines. Where the file can't be written, profiles lack them, and nothing else does.
pub fn add<'a>(functions: impl Iterator<Item = (&'a Symbol, &'a [u8], &'a [Line])>) {
    static DUMP: PerProcess<Lock<Option<Dump>>> = PerProcess::new(|| Lock::new(Dump::create()));
    let mut dump = DUMP.get().lock();
    for (symbol, code, lines) in functions {
        let written = dump.as_mut().map(|dump| dump.add(symbol, code, lines));
        if !matches!(written, Some(Ok(()))) {
            *dump = None;
        }
    }
}
