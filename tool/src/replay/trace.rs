//! A recorded trace, as `api::record` writes it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What a process launched.
#[derive(Debug, Default, PartialEq)]
pub struct Trace {
    pub directory: PathBuf,
    pub programs: Vec<Program>,
    /// By number.
    pub memories: BTreeMap<usize, Memory>,
    pub launches: Vec<Launch>,
    /// Kernels whose launches were not recorded, with why.
    pub left_out: Vec<String>,
}

/// Memory that kernels access.
#[derive(Debug, PartialEq)]
pub struct Memory {
    pub bytes: usize,
    pub kind: Kind,
}

#[derive(Debug, PartialEq)]
pub enum Kind {
    /// By flags of clCreateBuffer.
    Buffer(u64),
    Shared,
    /// By flags of clCreateImage.
    Image(u64, Image),
}

/// What an image is: its type and format, and the region of a command that reads all of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Image {
    pub kind: u32,
    pub order: u32,
    pub data_type: u32,
    pub region: [usize; 3],
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
    Buffer {
        memory: usize,
        origin: usize,
        bytes: usize,
    },
    Pointer {
        memory: usize,
        origin: usize,
    },
    Image {
        memory: usize,
    },
    /// Normalized coordinates, addressing mode, filter mode.
    Sampler([u32; 3]),
    /// Bytes, and the pointers to SVM in them: where, to which memory, and so many bytes behind its beginning.
    Value(Vec<u8>, Vec<[usize; 3]>),
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
                let kind = match words.word()? {
                    "svm" => Kind::Shared,
                    flags => {
                        let flags = flags.parse().ok()?;
                        match words.number() {
                            None => Kind::Buffer(flags),
                            Some(kind) => Kind::Image(
                                flags,
                                Image {
                                    kind,
                                    order: words.number()?,
                                    data_type: words.number()?,
                                    region: words.sizes()?,
                                },
                            ),
                        }
                    }
                };
                self.memories.insert(number, Memory { bytes, kind });
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
                    "image" => Argument::Image { memory: memory()? },
                    "sampler" => Argument::Sampler([words.number()?, words.number()?, words.number()?]),
                    "value" => Argument::Value(words.bytes()?, Vec::new()),
                    "inside" => {
                        let (offset, memory) = (words.number::<usize>()?, words.number()?);
                        let shared = self.memories.get(&memory).is_some_and(|memory| memory.kind == Kind::Shared);
                        let Some((argument, Argument::Value(bytes, pointers))) = launch.arguments.last_mut() else {
                            return None;
                        };
                        let fits = offset.checked_add(8).is_some_and(|end| end <= bytes.len());
                        if !shared || !fits || *argument as usize != index as usize {
                            return None;
                        }
                        pointers.push([offset, memory, words.number()?]);
                        return Some(());
                    }
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
            name => {
                let file = self.directory.join(name);
                let contents = match std::fs::read(&file) {
                    Ok(contents) => contents,
                    Err(_) => lz4_flex::block::decompress(&std::fs::read(file.with_extension("lz4")).ok()?, bytes).ok()?,
                };
                (contents.len() == bytes).then_some(contents)
            }
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
            "memory 2 96 4 4337 4277 4306 4,6,1",
            "launch 0 k 2 8,8,1 0,0,0 0,0,0",
            "set 0 zero",
            "buffer 0 0 16 32",
            "pointer 1 1 4",
            "value 2 01000000",
            "value 7 0000000000000000ff",
            "inside 7 0 1 12",
            "local 3 128",
            "null 4",
            "image 5 2",
            "sampler 6 0 4401 4416",
            "after 0 00112233aabbccdd",
            "end -5",
        ] {
            assert_eq!(trace.line(line), Some(()), "{line}");
        }
        assert_eq!(trace.programs[0].options, "-cl-std=CL3.0 -DX=1");
        assert_eq!((trace.memories[&1].bytes, &trace.memories[&1].kind), (32, &Kind::Shared));
        let Kind::Image(4, image) = trace.memories[&2].kind else {
            panic!("an image")
        };
        assert_eq!((image.kind, image.region), (0x10f1, [4, 6, 1]));
        let launch = &trace.launches[0];
        assert_eq!((launch.global, launch.status), ([8, 8, 1], -5));
        assert_eq!(launch.arguments[2], (2, Argument::Value(vec![1, 0, 0, 0], Vec::new())));
        assert_eq!(launch.arguments[7], (6, Argument::Sampler([0, 4401, 4416])));
        for line in [
            "",
            "launch 7 k 1 1,1,1 1,1,1 0,0,0",
            "buffer 0 9 0 4",
            "image 0 9",
            "inside 6 0 1 0",
            "memory 3 4 1 4337 4277",
            "value 0 0x",
            "value 0 1",
            "program 5 il a.spv",
            "other 1 2",
        ] {
            assert_eq!(trace.line(line), None, "{line}");
        }
    }
}
