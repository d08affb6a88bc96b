//! A recorded trace, as `api::record` writes it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What a process launched.
#[derive(Debug, Default, PartialEq)]
pub struct Trace {
    pub directory: PathBuf,
    pub programs: Vec<Program>,
    /// By number: bytes, and flags of clCreateBuffer, or none where it is SVM.
    pub memories: BTreeMap<usize, (usize, Option<u64>)>,
    pub launches: Vec<Launch>,
    /// Kernels whose launches were not recorded, with why.
    pub left_out: Vec<String>,
}

#[derive(Debug, Default, PartialEq)]
pub struct Program {
    pub is_il: bool,
    pub files: Vec<String>,
    pub options: String,
    /// Specialization constants.
    pub constants: Vec<(u32, Vec<u8>)>,
}

#[derive(Debug, Default, PartialEq)]
pub struct Launch {
    pub program: usize,
    pub kernel: String,
    pub dimensions: usize,
    pub global: [usize; 3],
    /// Zeros: the driver chooses.
    pub local: [usize; 3],
    pub offset: [usize; 3],
    /// What memory holds before.
    pub set: Vec<(usize, String)>,
    pub arguments: Vec<(u32, Argument)>,
    /// What memory holds behind it.
    pub after: Vec<(usize, String)>,
    /// How it ended.
    pub status: i32,
}

#[derive(Debug, PartialEq)]
pub enum Argument {
    Buffer { memory: usize, origin: usize, bytes: usize },
    Pointer { memory: usize, origin: usize },
    Value(Vec<u8>),
    Local(usize),
    Null,
}

/// The words of a line.
struct Words<'a>(std::str::SplitN<'a, char>);

impl<'a> Words<'a> {
    fn word(&mut self) -> Option<&'a str> {
        self.0.next()
    }

    fn number<T: std::str::FromStr>(&mut self) -> Option<T> {
        self.word()?.parse().ok()
    }

    fn sizes(&mut self) -> Option<[usize; 3]> {
        let sizes: Vec<usize> = self.word()?.split(',').map_while(|size| size.parse().ok()).collect();
        sizes.try_into().ok()
    }

    fn bytes(&mut self) -> Option<Vec<u8>> {
        let text = self.word()?;
        let byte = |at: usize| u8::from_str_radix(text.get(at..at + 2)?, 16).ok();
        (0..text.len()).step_by(2).map(byte).collect()
    }
}

impl Trace {
    /// Reads a directory's trace.
    pub fn read(directory: &Path) -> Result<Trace, String> {
        let file = directory.join("trace.txt");
        let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        let mut trace = Trace {
            directory: directory.to_owned(),
            ..Trace::default()
        };
        for (number, line) in text.lines().enumerate() {
            trace
                .line(line)
                .ok_or_else(|| format!("{}:{}: '{line}' is no line of a trace", file.display(), number + 1))?;
        }
        Ok(trace)
    }

    fn line(&mut self, line: &str) -> Option<()> {
        let (kind, rest) = line.split_once(' ')?;
        // A program's options are one word, the last.
        let mut words = Words(rest.splitn(if kind == "program" { 4 } else { usize::MAX }, ' '));
        match kind {
            "program" => {
                let _: usize = words.number().filter(|&number| number == self.programs.len())?;
                self.programs.push(Program {
                    is_il: words.word()? == "il",
                    files: words.word()?.split(',').map(str::to_owned).collect(),
                    options: words.word().unwrap_or_default().to_owned(),
                    constants: Vec::new(),
                });
            }
            "constant" => {
                let program: usize = words.number()?;
                self.programs.get_mut(program)?.constants.push((words.number()?, words.bytes()?));
            }
            "memory" => {
                let (number, bytes) = (words.number()?, words.number()?);
                let flags = words.word()?;
                self.memories
                    .insert(number, (bytes, if flags == "svm" { None } else { Some(flags.parse().ok()?) }));
            }
            "left-out" => self.left_out.push(rest.to_owned()),
            "launch" => self.launches.push(Launch {
                program: words.number().filter(|&program| program < self.programs.len())?,
                kernel: words.word()?.to_owned(),
                dimensions: words.number().filter(|dimensions| (1..=3).contains(dimensions))?,
                global: words.sizes()?,
                local: words.sizes()?,
                offset: words.sizes()?,
                ..Launch::default()
            }),
            _ => {
                let launch = self.launches.last_mut()?;
                let index = words.number()?;
                let mut memory = || words.number().filter(|memory| self.memories.contains_key(memory));
                let argument = match kind {
                    "set" | "after" => {
                        let name = words.word()?.to_owned();
                        let list = if kind == "set" { &mut launch.set } else { &mut launch.after };
                        list.push((self.memories.contains_key(&(index as usize)).then_some(index as usize)?, name));
                        return Some(());
                    }
                    "end" => {
                        launch.status = index;
                        return Some(());
                    }
                    "buffer" => Argument::Buffer {
                        memory: memory()?,
                        origin: words.number()?,
                        bytes: words.number()?,
                    },
                    "pointer" => Argument::Pointer {
                        memory: memory()?,
                        origin: words.number()?,
                    },
                    "value" => Argument::Value(words.bytes()?),
                    "local" => Argument::Local(words.number()?),
                    "null" => Argument::Null,
                    _ => return None,
                };
                launch.arguments.push((index as u32, argument));
            }
        }
        Some(())
    }

    /// What memory of so many bytes holds, by the name of its contents. None where there is no such file.
    pub fn contents(&self, name: &str, bytes: usize) -> Option<Vec<u8>> {
        match name {
            "zero" => Some(vec![0; bytes]),
            name => std::fs::read(self.directory.join(name))
                .ok()
                .filter(|contents| contents.len() == bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_and_others_refused() {
        let mut trace = Trace::default();
        for line in [
            "program 0 source a.cl -cl-std=CL3.0 -DX=1",
            "memory 0 64 1",
            "memory 1 32 svm",
            "launch 0 k 2 8,8,1 0,0,0 0,0,0",
            "set 0 zero",
            "buffer 0 0 16 32",
            "pointer 1 1 4",
            "value 2 01000000",
            "local 3 128",
            "null 4",
            "after 0 00112233aabbccdd",
            "end -5",
        ] {
            assert_eq!(trace.line(line), Some(()), "{line}");
        }
        assert_eq!(trace.programs[0].options, "-cl-std=CL3.0 -DX=1");
        assert_eq!(trace.memories[&1], (32, None));
        let launch = &trace.launches[0];
        assert_eq!((launch.global, launch.status), ([8, 8, 1], -5));
        assert_eq!(launch.arguments[2], (2, Argument::Value(vec![1, 0, 0, 0])));
        for line in [
            "",
            "launch 7 k 1 1,1,1 1,1,1 0,0,0",
            "buffer 0 9 0 4",
            "value 0 0x",
            "value 0 1",
            "program 5 il a.spv",
            "other 1 2",
        ] {
            assert_eq!(trace.line(line), None, "{line}");
        }
    }
}
