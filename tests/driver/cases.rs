//! SPIR-V modules as files (`cases/*.spvasm`), with what is expected of them in comments:
//!
//! ```text
//! ; error: TEXT              the build fails, and the log has this
//! ; by tool: 6               the module says that this tool wrote it (a number that is registered with Khronos)
//! ; run: 64 by 16            otherwise kernel `k` runs, this many work-items in groups of that many
//! ; arg: u32 1 2 3           a buffer of these values (i32, u32, u64, f32); `x 5` repeats the value before five times in all
//! ; arg: value u32 7         a value
//! ; arg: local 64            bytes of local memory
//! ; becomes: u32 2 3 4       what the buffer of the line before holds then
//! ```

use brolga_tests::{Argument, Buffer, Context, Local, Program, Range};
use compiler::spirv::assemble;
use std::path::{Path, PathBuf};

/// Values as bytes, whatever their type.
fn bytes(text: &str) -> Vec<u8> {
    let mut words = text.split_whitespace();
    let kind = words.next().expect("a type");
    let mut values: Vec<Vec<u8>> = Vec::new();
    while let Some(word) = words.next() {
        if word == "x" {
            let times: usize = words.next().and_then(|word| word.parse().ok()).expect("a count after x");
            let last = values.last().expect("a value before x").clone();
            values.extend(std::iter::repeat_n(last, times - 1));
            continue;
        }
        values.push(match kind {
            "i32" => word.parse::<i32>().expect(word).to_ne_bytes().to_vec(),
            "u32" => word.parse::<u32>().expect(word).to_ne_bytes().to_vec(),
            "u64" => word.parse::<u64>().expect(word).to_ne_bytes().to_vec(),
            "f32" => word.parse::<f32>().expect(word).to_ne_bytes().to_vec(),
            _ => panic!("no type {kind}"),
        });
    }
    values.concat()
}

/// A value's bytes.
struct Value(Vec<u8>);

impl Argument for Value {
    fn value(&self) -> (usize, *const brolga_tests::cl_sys::c_void) {
        (self.0.len(), self.0.as_ptr().cast())
    }
}

fn run(context: &Context, path: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let notes: Vec<(&str, &str)> = text.lines().filter_map(|line| line.strip_prefix("; ")?.split_once(": ")).collect();
    let mut il = assemble(&text)?;
    if let Some((_, tool)) = notes.iter().find(|(key, _)| *key == "by tool") {
        // The header's third word tells who wrote the module: a registered number in its upper half.
        il[8..12].copy_from_slice(&(tool.parse::<u32>().map_err(|error| error.to_string())? << 16).to_ne_bytes());
    }
    let built = Program::from_il(context, &il)
        .map_err(|status| format!("clCreateProgramWithIL: {status}"))
        .and_then(|program| program.build(""));
    check(context, &notes, built)
}

/// Runs what has been built, or looks at why it has not, as a file's comments say.
pub fn check(context: &Context, notes: &[(&str, &str)], built: Result<Program, String>) -> Result<(), String> {
    if let Some((_, part)) = notes.iter().find(|(key, _)| *key == "error") {
        return match built {
            Ok(_) => Err(format!("it builds; expected: {part}")),
            Err(log) if log.contains(part) => Ok(()),
            Err(log) => Err(format!("another error: {log}\nexpected: {part}")),
        };
    }
    let program = built?;
    let (_, range) = notes.iter().find(|(key, _)| *key == "run").ok_or("neither 'run' nor 'error'")?;
    let (global, local) = range.split_once(" by ").ok_or("run: N by M")?;
    let number = |text: &str| text.trim().parse::<usize>().map_err(|error| error.to_string());
    let mut arguments: Vec<Box<dyn Argument + '_>> = Vec::new();
    let mut expected: Vec<(Buffer<'_, u8>, Vec<u8>)> = Vec::new();
    for (i, (key, note)) in notes.iter().enumerate().filter(|(_, (key, _))| *key == "arg") {
        debug_assert_eq!(*key, "arg");
        if let Some(size) = note.strip_prefix("local ") {
            arguments.push(Box::new(Local(number(size)?)));
        } else if let Some(value) = note.strip_prefix("value ") {
            arguments.push(Box::new(Value(bytes(value))));
        } else {
            let before = bytes(note);
            let after = match notes.get(i + 1) {
                Some(("becomes", after)) => bytes(after),
                _ => before.clone(),
            };
            let buffer = context.buffer(&before);
            arguments.push(Box::new(Value((buffer.id as usize).to_ne_bytes().to_vec())));
            expected.push((buffer, after));
        }
    }
    let list: Vec<&dyn Argument> = arguments.iter().map(|argument| argument.as_ref()).collect();
    let range = Range::new([number(global)?]).local([number(local)?]);
    program.kernel("k").run(context, &range, &list);
    for (i, (buffer, want)) in expected.iter().enumerate() {
        let got = buffer.read();
        if got != *want {
            let words = |bytes: &[u8]| {
                bytes
                    .chunks_exact(4)
                    .map(|c| u32::from_ne_bytes(c.try_into().unwrap()))
                    .collect::<Vec<_>>()
            };
            return Err(format!("buffer {i} holds (as u32) {:?}, not {:?}", words(&got), words(want)));
        }
    }
    Ok(())
}

#[test]
fn every_case() {
    let context = Context::new();
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let mut files: Vec<PathBuf> = std::fs::read_dir(directory).unwrap().flatten().map(|entry| entry.path()).collect();
    files.sort();
    let mut failures = String::new();
    for file in &files {
        let name = file.file_name().unwrap_or_default().display();
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(&context, file)));
        match result {
            Ok(Ok(())) => {}
            Ok(Err(message)) => failures += &format!("{name}: {message}\n"),
            Err(_) => failures += &format!("{name}: panicked (above)\n"),
        }
    }
    println!("{} cases", files.len());
    assert!(failures.is_empty(), "\n{failures}");
}
