//! `BROLGA_RECORD=DIRECTORY`: the kernels that a process launches, with all that each needs, for `brolga replay` (docs/replay.md).
//!
//! The directory gets `trace.txt` and files of contents, named after their hash, so that the same contents are there once. What memory holds is
//! compressed where that pays: a file `HASH.lz4` is one block of LZ4, without a frame. The trace has a line a fact, words with spaces between:
//!
//! ```text
//! program 0 source FILE OPTIONS…               or il FILE,FILE… OPTIONS…
//! constant 0 ID HEX                            a specialization constant of program 0
//! memory 0 BYTES FLAGS                         a buffer, by its clCreateBuffer flags, or svm
//! memory 1 BYTES FLAGS KIND ORDER TYPE X,Y,Z   an image: its CL_MEM_OBJECT_… type, its format, its sizes as a command's region has them
//! launch PROGRAM KERNEL DIMENSIONS X,Y,Z X,Y,Z X,Y,Z   global size, local size (0,0,0 where the driver chose), offset
//! set MEMORY FILE                              what it holds before, where it is not what it held behind the last launch; zero for zeros
//! buffer ARGUMENT MEMORY ORIGIN BYTES          arguments: a buffer, or a part of one
//! pointer ARGUMENT MEMORY ORIGIN               an SVM pointer
//! image ARGUMENT MEMORY
//! sampler ARGUMENT NORMALIZED ADDRESSING FILTER
//! value ARGUMENT HEX
//! inside ARGUMENT OFFSET MEMORY ORIGIN         an SVM pointer in the value, so many bytes behind its beginning
//! local ARGUMENT BYTES
//! null ARGUMENT
//! after MEMORY HASH                            what it holds behind the launch; files of up to 1 MiB are there
//! end 0                                        1 where the kernel was stopped
//! left-out KERNEL WHY…                         a launch that can't be recorded
//! ```

use crate::build::Origin;
use crate::cl::*;
use crate::kernel::{Arguments, Kernel, Value};
use crate::memory::Memory;
use crate::program::Program;
use crate::rect::Rect;
use crate::sampler::Sampler;
use ::device::fork::PerProcess;
use ::device::launch::LaunchOutcome;
use ::device::lock::Lock;
use compiler::nd_range::NdRange;
use compiler::{ArgumentKind, debug};
use core::fmt::Write as _;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Write as _;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Weak};

/// What buffers of more bytes hold behind a launch is told by its hash alone.
const LARGEST_AFTER: usize = 1 << 20;

/// No more bytes are compressed at once; a block of LZ4 has less than 2 GiB.
const LARGEST_BLOCK: usize = 1 << 30;

/// The flags of an object that say how kernels may access it.
const ACCESS: cl_mem_flags = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;

/// Where memory is, how large, and what it is in the trace: flags, or svm; of an image more.
type Place = (usize, usize, String);

/// A trace that is being written.
struct Recorder {
    directory: PathBuf,
    state: Lock<State>,
}

struct State {
    trace: File,
    /// Numbers, and what memory last held. Where one object follows another at the same place, the trace takes them for one.
    memories: BTreeMap<Place, (u32, String)>,
    /// By address, which a reference keeps from being another's.
    programs: BTreeMap<usize, (Weak<compiler::Program>, usize)>,
    stored: BTreeSet<String>,
}

fn recorder() -> Option<&'static Recorder> {
    static RECORDER: PerProcess<Option<Recorder>> = PerProcess::new(|| {
        let directory = PathBuf::from(std::env::var_os("BROLGA_RECORD").filter(|name| !name.is_empty())?);
        let _ = std::fs::create_dir_all(&directory);
        // Two traces in one directory would be none.
        match File::create_new(directory.join("trace.txt")) {
            Ok(trace) => Some(Recorder {
                directory,
                state: Lock::new(State {
                    trace,
                    memories: BTreeMap::new(),
                    programs: BTreeMap::new(),
                    stored: BTreeSet::new(),
                }),
            }),
            Err(error) => {
                debug::complain(format_args!("BROLGA_RECORD={}: trace.txt: {error}", directory.display()));
                None
            }
        }
    });
    RECORDER.get().as_ref()
}

/// What contents are called: `zero` where all bytes are, else their hash.
pub fn name_of(contents: &[u8]) -> String {
    match contents.iter().all(|&byte| byte == 0) {
        true => "zero".to_owned(),
        false => format!("{:016x}", compiler::source::cache::hash(contents)),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn sizes([x, y, z]: [u64; 3]) -> String {
    format!("{x},{y},{z}")
}

/// Memory that a launch can access.
struct Piece {
    place: Place,
    /// What keeps it.
    _held: Option<Arc<Memory>>,
    /// An image's rows, in the order of commands that read it; none where all bytes count.
    rows: Option<Rect>,
}

impl Piece {
    /// What it holds: of an image its pixels, row after row.
    fn contents(&self) -> Cow<'_, [u8]> {
        let bytes = |Range { start, end }: Range<usize>| {
            // SAFETY: `_held` keeps the memory, or the application does as long as the kernel runs, which it points at it; that nothing else writes
            // to it meanwhile is the application's business, as with the kernel itself.
            unsafe { std::slice::from_raw_parts(start as *const u8, end - start) }
        };
        let start = self.place.0;
        match &self.rows {
            None => Cow::Borrowed(bytes(start..start + self.place.1)),
            Some(rows) => rows.rows(start, usize::MAX).into_iter().flat_map(bytes).copied().collect(),
        }
    }

    /// An allocation of shared virtual memory.
    fn shared(start: usize, bytes: usize) -> Piece {
        Piece {
            place: (start, bytes, "svm".to_owned()),
            _held: None,
            rows: None,
        }
    }

    /// An image of its own memory, with a line's end that says what it is; or why it can't be recorded.
    fn image(object: Arc<Memory>) -> core::result::Result<Piece, &'static str> {
        let Ok(image) = object.image() else { return Err("is no image") };
        if object.parent.is_some() {
            return Err("is an image of another object's memory");
        }
        let Some((rows, [x, y, z])) = image.whole() else {
            return Err("is an image with mip levels");
        };
        let record = image.record();
        let access = object.flags & ACCESS;
        let kind = format!("{access} {} {} {} {x},{y},{z}", record.kind, record.order, record.data_type);
        Ok(Piece {
            place: (object.address().number(), rows.bytes(), kind),
            rows: Some(rows),
            _held: Some(object),
        })
    }
}

/// What a sampler was made of, from what a kernel gets; none where it has to do with mip levels.
fn sampler(word: u64) -> Option<String> {
    let all = [0, 1]
        .into_iter()
        .flat_map(|normalized| (CL_ADDRESS_NONE..=CL_ADDRESS_MIRRORED_REPEAT).map(move |mode| (normalized, mode)));
    let mut all = all.flat_map(|(normalized, mode)| [CL_FILTER_NEAREST, CL_FILTER_LINEAR].map(|filter| (normalized, mode, filter)));
    let found = all.find(|&(normalized, mode, filter)| Sampler::word(normalized, mode, filter) == Some(word));
    found.map(|(normalized, mode, filter)| format!("{normalized} {mode} {filter}"))
}

/// A launch that is recorded when it runs.
pub struct Recording {
    recorder: &'static Recorder,
    launch: String,
    arguments: String,
    pieces: Vec<Piece>,
}

impl Recording {
    /// A launch of a kernel, if launches are recorded.
    pub fn of(kernel: &Kernel, arguments: &Arguments, range: &NdRange) -> Option<Recording> {
        let recorder = recorder()?;
        let mut recording = Recording {
            recorder,
            launch: String::new(),
            arguments: String::new(),
            pieces: Vec::new(),
        };
        let name = &kernel.info().name;
        match recording.describe(kernel, arguments, range) {
            Ok(()) => Some(recording),
            Err(why) => {
                recorder.write(&mut recorder.state.lock(), &format!("left-out {name} {why}\n"));
                None
            }
        }
    }

    fn describe(&mut self, kernel: &Kernel, arguments: &Arguments, range: &NdRange) -> core::result::Result<(), String> {
        let (global, offset) = (sizes(range.global), sizes(range.offset));
        if kernel.info().enqueues {
            return Err("it enqueues kernels".to_owned());
        }
        let local = if range.is_chosen { [0; 3] } else { range.local };
        let program = self.recorder.program(&kernel.program)?;
        let (name, dimensions) = (&kernel.info().name, range.work_dim);
        self.launch = format!("launch {program} {name} {dimensions} {global} {} {offset}\n", sizes(local));
        for (index, (info, value)) in kernel.info().arguments.iter().zip(&arguments.values).enumerate() {
            let bytes = arguments.block.as_slice().get(info.offset as usize..).unwrap_or_default();
            let line = match (value, info.kind) {
                (Value::Memory(object), ArgumentKind::GlobalPointer { .. }) => {
                    let object = object.upgrade().ok_or("an argument has been released")?;
                    let bytes = object.size;
                    let (mut whole, mut origin) = (object, 0);
                    while let Some((parent, place)) = &whole.parent {
                        origin += place;
                        whole = parent.clone();
                    }
                    let access = whole.flags & ACCESS;
                    let place = (whole.address().number(), whole.size, access.to_string());
                    let _held = Some(whole);
                    let number = self.piece(Piece { place, _held, rows: None });
                    format!("buffer {index} {number} {origin} {bytes}\n")
                }
                (Value::InBlock, ArgumentKind::GlobalPointer { .. }) => {
                    let address = bytes.first_chunk().map_or(0, |bytes| usize::from_ne_bytes(*bytes));
                    match kernel.context().svm.find(address as *const u8) {
                        Some(found) => {
                            let number = self.piece(Piece::shared(found.start, found.bytes));
                            format!("pointer {index} {number} {}\n", address - found.start)
                        }
                        None if address == 0 => format!("null {index}\n"),
                        None => return Err(format!("argument {index} points to memory that OpenCL did not allocate")),
                    }
                }
                (Value::InBlock, ArgumentKind::Value) => {
                    let bytes = bytes.get(..info.size as usize).unwrap_or_default();
                    let mut line = format!("value {index} {}\n", hex(bytes));
                    // What has the address of an allocation, where a pointer can be, is taken for one.
                    for (number, word) in bytes.as_chunks::<8>().0.iter().enumerate() {
                        let address = usize::from_ne_bytes(*word);
                        if let Some(found) = kernel.context().svm.find(address as *const u8) {
                            let memory = self.piece(Piece::shared(found.start, found.bytes));
                            let _ = writeln!(line, "inside {index} {} {memory} {}", 8 * number, address - found.start);
                        }
                    }
                    line
                }
                (Value::Local(bytes), _) => format!("local {index} {bytes}\n"),
                (Value::Memory(object), ArgumentKind::Image { .. }) => {
                    let object = object.upgrade().ok_or("an argument has been released")?;
                    let piece = Piece::image(object).map_err(|why| format!("argument {index} {why}"))?;
                    format!("image {index} {}\n", self.piece(piece))
                }
                (Value::InBlock, ArgumentKind::Sampler) => {
                    let word = bytes.first_chunk().map_or(0, |bytes| u64::from_ne_bytes(*bytes));
                    let sampler = sampler(word).ok_or_else(|| format!("argument {index} is a sampler for mip levels"))?;
                    format!("sampler {index} {sampler}\n")
                }
                _ => return Err(format!("argument {index} is a pipe or a queue")),
            };
            self.arguments += &line;
        }
        Ok(())
    }

    /// The number of memory in the trace.
    fn piece(&mut self, piece: Piece) -> u32 {
        let mut state = self.recorder.state.lock();
        let next = state.memories.len() as u32;
        let number = match state.memories.get(&piece.place) {
            Some(&(number, _)) => number,
            None => {
                let (_, bytes, kind) = &piece.place;
                self.recorder.write(&mut state, &format!("memory {next} {bytes} {kind}\n"));
                state.memories.insert(piece.place.clone(), (next, String::new()));
                next
            }
        };
        if !self.pieces.iter().any(|known| known.place == piece.place) {
            self.pieces.push(piece);
        }
        number
    }

    /// Runs the launch, and writes down what it found and what it left.
    pub fn run(&self, run: impl FnOnce() -> LaunchOutcome) -> LaunchOutcome {
        let mut text = self.launch.clone();
        for piece in &self.pieces {
            let contents = piece.contents();
            let name = name_of(&contents);
            let mut state = self.recorder.state.lock();
            let Some((number, last)) = state.memories.get_mut(&piece.place) else {
                continue;
            };
            if *last != name {
                let _ = writeln!(text, "set {number} {name}");
                last.clone_from(&name);
                self.recorder.store_memory(&mut state, &name, &contents);
            }
        }
        text += &self.arguments;
        let outcome = run();
        for piece in &self.pieces {
            let contents = piece.contents();
            let name = name_of(&contents);
            let mut state = self.recorder.state.lock();
            let Some((number, last)) = state.memories.get_mut(&piece.place) else {
                continue;
            };
            let _ = writeln!(text, "after {number} {name}");
            last.clone_from(&name);
            if piece.place.1 <= LARGEST_AFTER {
                self.recorder.store_memory(&mut state, &name, &contents);
            }
        }
        let _ = writeln!(text, "end {}", i32::from(!matches!(outcome, LaunchOutcome::Complete)));
        self.recorder.write(&mut self.recorder.state.lock(), &text);
        outcome
    }
}

impl Recorder {
    fn tell(&self, result: std::io::Result<()>) {
        if let Err(error) = result {
            debug::complain(format_args!("BROLGA_RECORD={}: {error}", self.directory.display()));
        }
    }

    fn write(&self, state: &mut State, text: &str) {
        self.tell(state.trace.write_all(text.as_bytes()));
    }

    /// Writes a file of contents, once.
    fn store(&self, state: &mut State, name: &str, contents: &[u8]) {
        if name != "zero" && state.stored.insert(name.to_owned()) {
            self.tell(std::fs::write(self.directory.join(name), contents));
        }
    }

    /// The same of what memory holds.
    fn store_memory(&self, state: &mut State, name: &str, contents: &[u8]) {
        if name == "zero" || state.stored.contains(name) {
            return;
        }
        let packed = (contents.len() <= LARGEST_BLOCK).then(|| lz4_flex::block::compress(contents));
        match packed.filter(|packed| packed.len() < contents.len() / 8 * 7) {
            Some(packed) => {
                state.stored.insert(name.to_owned());
                self.tell(std::fs::write(self.directory.join(format!("{name}.lz4")), packed));
            }
            None => self.store(state, name, contents),
        }
    }

    /// The number of a program in the trace.
    fn program(&self, program: &Arc<Program>) -> core::result::Result<usize, String> {
        let build = program.built();
        let (build, executable) = build
            .as_ref()
            .and_then(|build| Some((build, build.program.as_ref()?)))
            .ok_or("its program is not built")?;
        let mut state = self.state.lock();
        let key = Arc::as_ptr(executable) as usize;
        if let Some(&(_, number)) = state.programs.get(&key) {
            return Ok(number);
        }
        let number = state.programs.len();
        let (kind, files): (&str, Vec<&[u8]>) = match &program.origin {
            Origin::Source(text) => ("source", vec![text.as_bytes()]),
            Origin::Il(il) => ("il", vec![il]),
            Origin::Binary(_) | Origin::Linked => ("il", build.modules.iter().map(|module| module.il.as_slice()).collect()),
        };
        let mut names = Vec::new();
        for contents in files {
            let name = format!("{}.{}", name_of(contents), if kind == "il" { "spv" } else { "cl" });
            self.store(&mut state, &name, contents);
            names.push(name);
        }
        let options = build.options.replace('\n', " ");
        let mut text = format!("program {number} {kind} {} {options}\n", names.join(","));
        for (id, value) in program.constants() {
            let _ = writeln!(text, "constant {number} {id} {}", hex(&value));
        }
        self.write(&mut state, &text);
        state.programs.insert(key, (Arc::downgrade(executable), number));
        Ok(number)
    }
}
