//! `brolga replay`: what a process launched (`BROLGA_RECORD`), run again.

mod trace;
mod write_c;

use super::host::{Host, value};
use api::cl::*;
use api::raw::In;
use clap::{Arg, ArgMatches, Command};
use std::collections::HashMap;
use std::path::Path;
pub use trace::Image;
use trace::{Argument, Kind, Launch, Memory, Trace};

/// The subcommand's place on the command line.
pub fn command() -> Command {
    Command::new("replay")
        .about("Run again what BROLGA_RECORD=DIRECTORY recorded, and compare what buffers hold")
        .arg(Arg::new("DIRECTORY").required(true).help("The directory of the trace"))
        .arg(
            Arg::new("check")
                .long("check")
                .value_name("CHECK,…")
                .num_args(0..=1)
                .require_equals(true)
                .default_missing_value("1")
                .help("Checked mode: all usual checks, or these"),
        )
        .arg(
            Arg::new("write-c")
                .long("write-c")
                .value_name("NAME.c")
                .help("Run nothing; write a host program into the directory that does the same with any driver"),
        )
}

/// Runs a trace. 0; 1 where something is not as recorded, or fails; 2 where there is no trace.
pub fn run(arguments: &ArgMatches) -> u8 {
    let text = |name: &str| arguments.get_one::<String>(name).map(String::as_str);
    let directory = Path::new(text("DIRECTORY").unwrap_or_default());
    let trace = match Trace::read(directory) {
        Ok(trace) => trace,
        Err(error) => return super::refuse("replay", &error),
    };
    for why in &trace.left_out {
        eprintln!("brolga replay: not recorded: a launch of {why}");
    }
    let done = match text("write-c") {
        Some(name) => std::fs::write(directory.join(name), write_c::program(&trace)).map_err(|error| format!("{name}: {error}")),
        None => Replay::new(&trace, text("check")).and_then(|mut replay| replay.run()),
    };
    match done {
        Ok(()) => 0,
        Err(message) => {
            eprintln!("brolga replay: {message}");
            1
        }
    }
}

struct Replay<'a> {
    trace: &'a Trace,
    host: Host,
    checks: Option<&'a str>,
    programs: HashMap<usize, cl_program>,
    memories: HashMap<usize, Place>,
}

/// Where memory of the trace is.
#[derive(Clone, Copy)]
enum Place {
    Buffer(cl_mem),
    Shared(*mut c_void),
    Image(cl_mem, [usize; 3]),
}

impl<'a> Replay<'a> {
    fn new(trace: &'a Trace, checks: Option<&'a str>) -> Result<Replay<'a>, String> {
        Ok(Replay {
            trace,
            host: Host::new()?,
            checks,
            programs: HashMap::new(),
            memories: HashMap::new(),
        })
    }

    fn run(&mut self) -> Result<(), String> {
        let mut faults = 0;
        for (number, launch) in self.trace.launches.iter().enumerate() {
            let name = format!("launch {number} of '{}'", launch.kernel);
            let differences = self.launch(launch).map_err(|error| format!("{name}: {error}"))?;
            faults += usize::from(!differences.is_empty());
            for difference in differences {
                println!("{name}: {difference}");
            }
        }
        let all = self.trace.launches.len();
        println!("{} of {all} launches as recorded", all - faults);
        if faults == 0 {
            Ok(())
        } else {
            Err(format!("{faults} launches are not as recorded"))
        }
    }

    /// Runs a launch. Gives what is not as recorded.
    fn launch(&mut self, launch: &'a Launch) -> Result<Vec<String>, String> {
        for (memory, name) in &launch.set {
            self.set(*memory, name)?;
        }
        let program = self.program(launch.program)?;
        let kernel = self.host.kernel(program, &launch.kernel)?;
        for &(index, ref argument) in &launch.arguments {
            match argument {
                &Argument::Buffer { memory, origin, bytes } => {
                    let Place::Buffer(mut buffer) = self.place(memory)? else {
                        return Err(format!("argument {index} is no buffer"));
                    };
                    if bytes != self.trace.memories[&memory].bytes {
                        buffer = self.host.part(buffer, origin, bytes)?;
                    }
                    self.host.set(kernel, index, size_of::<cl_mem>(), value(&buffer))?;
                }
                &Argument::Pointer { memory, origin } => match self.place(memory)? {
                    Place::Shared(pointer) => self.host.set_pointer(kernel, index, pointer.wrapping_byte_add(origin))?,
                    _ => return Err(format!("argument {index} is no pointer")),
                },
                &Argument::Image { memory } => {
                    let Place::Image(image, _) = self.place(memory)? else {
                        return Err(format!("argument {index} is no image"));
                    };
                    self.host.set(kernel, index, size_of::<cl_mem>(), value(&image))?;
                }
                &Argument::Sampler(parts) => {
                    let sampler = self.host.sampler(parts)?;
                    self.host.set(kernel, index, size_of::<cl_sampler>(), value(&sampler))?;
                }
                Argument::Value(bytes, pointers) => {
                    let mut bytes = bytes.clone();
                    for &[offset, memory, origin] in pointers {
                        let Place::Shared(start) = self.place(memory)? else { continue };
                        let pointer = start as usize + origin;
                        bytes[offset..offset + size_of::<usize>()].copy_from_slice(&pointer.to_ne_bytes());
                    }
                    self.host.set(kernel, index, bytes.len(), value(bytes.as_slice()))?;
                }
                &Argument::Local(bytes) => self.host.set(kernel, index, bytes, In::null())?,
                Argument::Null => self.host.set(kernel, index, size_of::<cl_mem>(), In::null())?,
            }
        }
        let sizes = |sizes: &'a [usize; 3]| &sizes[..launch.dimensions];
        let local = (launch.local != [0; 3]).then(|| sizes(&launch.local));
        let ended = self.host.launch(kernel, sizes(&launch.global), sizes(&launch.offset), local);
        self.host.release(kernel)?;
        let mut differences = Vec::new();
        if let (Err(error), 0) = (ended, launch.status) {
            differences.push(error);
        }
        for (memory, name) in &launch.after {
            differences.extend(self.compare(*memory, name)?);
        }
        Ok(differences)
    }

    fn program(&mut self, number: usize) -> Result<cl_program, String> {
        if let Some(&known) = self.programs.get(&number) {
            return Ok(known);
        }
        let recorded = &self.trace.programs[number];
        let mut options = recorded.options.clone();
        if let Some(checks) = self.checks {
            options += &format!(" -brolga-check={checks}");
        }
        let mut programs = Vec::new();
        for file in &recorded.files {
            let path = self.trace.directory.join(file);
            let bytes = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            programs.push(self.host.create(&bytes)?);
        }
        let program = match programs[..] {
            [program] => {
                for (id, value) in &recorded.constants {
                    self.host.specialize(program, *id, value)?;
                }
                self.host.build(program, &options)?;
                program
            }
            _ => self.host.link(&programs, &options)?,
        };
        self.programs.insert(number, program);
        Ok(program)
    }

    fn place(&mut self, memory: usize) -> Result<Place, String> {
        if let Some(&known) = self.memories.get(&memory) {
            return Ok(known);
        }
        let Memory { bytes, kind } = &self.trace.memories[&memory];
        let place = match *kind {
            Kind::Buffer(flags) => Place::Buffer(self.host.buffer(flags, *bytes)?),
            Kind::Shared => Place::Shared(self.host.shared(*bytes)?),
            Kind::Image(flags, image) => Place::Image(self.host.image(flags, &image)?, image.region),
        };
        self.memories.insert(memory, place);
        Ok(place)
    }

    fn set(&mut self, memory: usize, name: &str) -> Result<(), String> {
        let bytes = self.trace.memories[&memory].bytes;
        let contents = self
            .trace
            .contents(name, bytes)
            .ok_or(format!("there is no file {name} of {bytes} bytes"))?;
        match self.place(memory)? {
            Place::Buffer(buffer) => self.host.write(buffer, &contents),
            Place::Image(image, region) => self.host.write_image(image, region, &contents),
            Place::Shared(pointer) => {
                // SAFETY: the allocation has as many bytes, and no kernel runs.
                unsafe { pointer.cast::<u8>().copy_from_nonoverlapping(contents.as_ptr(), bytes) };
                Ok(())
            }
        }
    }

    /// What is not as recorded; then memory holds what was recorded, for what follows.
    fn compare(&mut self, memory: usize, name: &str) -> Result<Option<String>, String> {
        let bytes = self.trace.memories[&memory].bytes;
        let found = match self.place(memory)? {
            Place::Buffer(buffer) => self.host.read(buffer, bytes)?,
            Place::Image(image, region) => self.host.read_image(image, region, bytes)?,
            // SAFETY: the allocation has as many bytes, and no kernel runs.
            Place::Shared(pointer) => unsafe { std::slice::from_raw_parts(pointer.cast::<u8>(), bytes) }.to_vec(),
        };
        if api::record::name_of(&found) == name {
            return Ok(None);
        }
        let Some(recorded) = self.trace.contents(name, bytes) else {
            return Ok(Some(format!("memory {memory} is not as recorded")));
        };
        self.set(memory, name)?;
        let wrong: Vec<usize> = (0..bytes).filter(|&at| found[at] != recorded[at]).collect();
        Ok(wrong.first().map(|first| {
            let count = wrong.len();
            format!("memory {memory} is not as recorded, from byte {first} on ({count} of {bytes} bytes differ)")
        }))
    }
}
