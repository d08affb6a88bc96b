//! Accesses to images, made code for a format and a sampler, do what `device::image::access` does a pixel at a time; so does the code that
//! knows neither.

use codegen::CodeRequest;
use compiler::pipeline::{FormRequest, WorkItem};
use compiler::{ArgumentFacts, ArgumentInfo, ArgumentKind, KernelInfo, LaunchFacts, TypeQualifiers};
use device::abi::{Found, LaunchRecord, WorkerRecord};
use device::image::access::{self, AccessWord, Exchange};
use device::image::{Addressing, Encoding, Format, ImageRecord, SamplerWord, kind};
use ir::verify::verify;
use ir::*;

const ITEMS: usize = 64;

/// Numbers that are the same each time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0 >> 33
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }
}

/// Where coordinates come from.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Coordinates {
    /// Floats from a buffer.
    Floats,
    /// Integers from a buffer.
    Ints,
    /// The first is the work-item's id less a number, the others are the same for all.
    Row(i32),
    /// The same in floats, in the middle of texels.
    FloatRow(i32),
}

#[derive(Clone, Debug)]
struct Case {
    op: ImageOp,
    format: Format,
    sampler: SamplerWord,
    coordinates: Coordinates,
    width: u32,
    known: bool,
}

fn argument(kind: ArgumentKind, offset: u64) -> ArgumentInfo {
    ArgumentInfo {
        name: String::new(),
        type_name: String::new(),
        kind,
        size: 8,
        align: 8,
        offset,
        qualifiers: TypeQualifiers::default(),
        is_only_read: false,
        max_bytes: None,
        extent: None,
    }
}

fn image_argument(case: &Case) -> ArgumentKind {
    ArgumentKind::Image {
        read: true,
        write: true,
        kind: kind_of(case.op.dim),
        depth: case.op.depth,
    }
}

/// Arguments: image, sampler, what each work-item brings, what it leaves.
fn kernel(case: &Case) -> Function {
    let op = case.op;
    let mut func = Function::new("k", Level::WorkItem, &[]);
    let entry = func.add_block();
    let mut b = Builder::new(&mut func, entry);
    let arguments = b.builtin(Builtin::Arguments, 0);
    let constant = MemInfo {
        flags: MemFlags::INVARIANT | MemFlags::DEREFERENCEABLE,
        ..MemInfo::new(Space::Constant, 8)
    };
    let [image, sampler, from, into] = [0, 8, 16, 24].map(|at| b.load(Type::I64, Address::offset(arguments, at), constant));
    let id = b.builtin(Builtin::GlobalId, 0);
    let row = |base: Value, offset: i32| Address {
        base,
        index: Some(id),
        scale: size_of::<Exchange>() as u32,
        offset,
    };
    let mem = MemInfo::new(Space::Global, 4);
    let floats = matches!(case.coordinates, Coordinates::Floats | Coordinates::FloatRow(_));
    let ty = if floats { Type::F32 } else { Type::I32 };
    let mut args = ValueList::from_slice(&[image]);
    if op.access == ImageAccess::Sample {
        args.push(sampler);
    }
    for n in 0..op.dim.coordinates() as i32 {
        args.push(match (case.coordinates, n) {
            (Coordinates::Row(less) | Coordinates::FloatRow(less), 0) => {
                let id = b.convert(ConvertOp::Trunc, Elem::I32, id);
                // With and without a promise that it does not wrap.
                b.flags = if less % 2 == 0 { Flags::NSW } else { Flags::empty() };
                let x = b.binary_imm(BinaryOp::Sub, id, i64::from(less));
                b.flags = Flags::empty();
                if floats {
                    let x = b.convert(ConvertOp::SToF, Elem::F32, x);
                    let half = b.f32(0.5);
                    b.fadd(x, half)
                } else {
                    x
                }
            }
            (Coordinates::Row(_) | Coordinates::FloatRow(_), n) => b.load(ty, Address::offset(from, 4 * n), constant),
            _ => b.load(ty, row(from, 4 * n), mem),
        });
    }
    if op.level {
        let level = match case.coordinates {
            Coordinates::Row(_) | Coordinates::FloatRow(_) => b.load(Type::F32, Address::offset(from, 12), constant),
            _ => b.load(Type::F32, row(from, 12), mem),
        };
        args.push(match op.access {
            ImageAccess::Sample => level,
            _ => b.convert(ConvertOp::FToS, Elem::I32, level),
        });
    }
    if op.is_write() {
        for n in 0..op.components() as i32 {
            let value = b.load(Type::scalar(op.texel), row(from, 16 + 4 * n), mem);
            args.push(value);
        }
    }
    let access = b.push(InstData::Image { op, args });
    let results = b.func.inst(access).results.clone();
    for (n, &value) in results.iter().enumerate() {
        let bits = b.bitcast(Elem::I32, value);
        b.store(bits, row(into, 16 + 4 * n as i32), mem);
    }
    b.ret(&[]);
    func
}

/// Compiles and runs it over all work-items, in groups of 32 and a group that is cut off.
fn run(case: &Case, image: &[ImageRecord], from: &[Exchange]) -> Vec<Exchange> {
    let func = kernel(case);
    verify(&func, None).unwrap();
    let info = KernelInfo {
        arguments: vec![argument(image_argument(case), 0), argument(ArgumentKind::Sampler, 8)],
        ..KernelInfo::default()
    };
    let mut into = vec![Exchange::default(); from.len()];
    let block: Vec<u8> = [
        image.as_ptr() as u64,
        u64::from(case.sampler.0),
        from.as_ptr() as u64,
        into.as_mut_ptr() as u64,
    ]
    .iter()
    .flat_map(|word| word.to_ne_bytes())
    .collect();
    // SAFETY: the block holds an image and a sampler where the information says.
    let arguments = unsafe { ArgumentFacts::read(&info, &block) };
    let facts = LaunchFacts {
        work_dim: 1,
        full_groups: from.len().is_multiple_of(32),
        arguments: if case.known { arguments } else { ArgumentFacts::default() },
        ..LaunchFacts::usual([32, 1, 1])
    };
    let module = Module::default();
    let form = FormRequest {
        module: &module,
        name: "kernel",
        shape: analysis::gang_shape(Some(case.width), case.width, facts.local_size.most()),
        launch: &facts,
        own_sets: &Default::default(),
        gangs_at_once: None,
    };
    let formed = WorkItem::of(func)
        .form(&form)
        .unwrap_or_else(|error| panic!("{case:?}: {}", error.0));
    let request = CodeRequest {
        name: "kernel",
        entry: &formed.group.func,
        callees: &|_| None,
        global_address: &|_| 0,
        places: &[],
        arguments: &[],
        optimize: true,
    };
    let code = codegen::compile(&request).unwrap_or_else(|error| panic!("{case:?}: {error}\n{}", formed.group.func));
    let mut private = vec![0u128; 4096];
    let mut scratch = vec![0u128; 256];
    let groups = from.len().div_ceil(32) as u64;
    let launch = LaunchRecord::new(block.as_ptr(), [from.len() as u64, 1, 1], [32, 1, 1]);
    let mut worker = WorkerRecord {
        local_memory: private.as_mut_ptr().cast(),
        private_memory: private.as_mut_ptr().cast(),
        arena_end: private.as_mut_ptr_range().end.cast(),
        scratch: scratch.as_mut_ptr().cast(),
        index: 0,
        trap: 0,
        trap_item: [0; 3],
        frame: 0,
        readable: Found::default(),
        writable: Found::default(),
    };
    // SAFETY: the kernel stays within the memory that it gets, if the compiler is right.
    unsafe { (code.entry)(&launch, &mut worker, 0, groups, 0, 0) };
    into
}

fn kind_of(dim: ImageDim) -> u32 {
    match dim {
        ImageDim::D1 => kind::IMAGE_1D,
        ImageDim::D1Array => kind::IMAGE_1D_ARRAY,
        ImageDim::D2 => kind::IMAGE_2D,
        ImageDim::D2Array => kind::IMAGE_2D_ARRAY,
        ImageDim::D3 => kind::IMAGE_3D,
    }
}

/// An image of random pixels (finite ones, where they are floats), with pitches larger than they need to be; its mip levels.
fn image(random: &mut Random, case: &Case, bytes: &mut Vec<u8>) -> Vec<ImageRecord> {
    let (format, dim) = (&case.format, case.op.dim);
    // Some have a single texel along some dimension.
    let [width, height, depth] = [37, 7, 4].map(|size| if random.below(12) == 0 { 1 } else { size });
    let (width, height, depth, array_size) = match dim {
        ImageDim::D1 => (width, 1, 1, 1),
        ImageDim::D1Array => (width, 1, 1, 5),
        ImageDim::D2 => (width, height, 1, 1),
        ImageDim::D2Array => (width, height, 1, 3),
        ImageDim::D3 => (width, height, depth, 1),
    };
    let levels = if case.op.level { 1 + random.below(6) as u32 } else { 1 };
    let half = |size: u32, level: u32| (size >> level).max(1);
    let mut end = 0;
    let mut records: Vec<ImageRecord> = (0..levels)
        .map(|level| {
            let [width, height, depth] = [width, height, depth].map(|size| half(size, level));
            let row_pitch = u64::from((width + 1) * format.bytes);
            let slice_pitch = row_pitch * u64::from(height + 1);
            let start = end;
            end += (slice_pitch * u64::from(depth * array_size)) as usize;
            ImageRecord {
                data: core::ptr::without_provenance_mut(start),
                row_pitch,
                slice_pitch,
                width,
                height,
                depth,
                array_size,
                order: format.order,
                data_type: format.data_type,
                levels,
                samples: 1,
                kind: kind_of(dim),
            }
        })
        .collect();
    *bytes = (0..end).map(|_| random.next() as u8).collect();
    if format.encoding == Encoding::Float {
        for pixel in bytes.chunks_exact_mut(format.bytes as usize) {
            let color = [0; 4].map(|_| (random.below(2001) as f32 / 8.0 - 100.0).to_bits());
            format.write(color, pixel);
        }
    }
    place(&mut records, bytes);
    records
}

/// Lets the levels, one after the other, begin at these bytes.
fn place(records: &mut [ImageRecord], bytes: &mut [u8]) {
    let first = records[0].data as usize;
    for record in records {
        record.data = bytes.as_mut_ptr().wrapping_add(record.data as usize - first);
    }
}

/// Coordinates inside, at the edges and outside.
fn coordinates(random: &mut Random, case: &Case) -> [u32; 4] {
    core::array::from_fn(|n| {
        if n == 3 && case.op.level {
            let level = random.below(70) as f32 / 10.0 - 0.5;
            // There is no rounding where levels are integers.
            let whole = case.op.access != ImageAccess::Sample;
            return if whole { level.floor() } else { level }.to_bits();
        }
        let size = [37, 7, 4][n.min(2)];
        let number = random.below(8 * (size + 12)) as f32 / 8.0 - 6.0;
        match case.coordinates {
            Coordinates::Floats | Coordinates::FloatRow(_) if case.sampler.is_normalized() && (n == 0 || !case.op.dim.is_arrayed()) => {
                (number / size as f32 * 1.25).to_bits()
            }
            Coordinates::Floats | Coordinates::FloatRow(_) => number.to_bits(),
            Coordinates::Ints | Coordinates::Row(_) => number as i32 as u32,
        }
    })
}

fn pick<T: Copy>(random: &mut Random, values: &[T]) -> T {
    values[random.below(values.len() as u64) as usize]
}

fn case(random: &mut Random, formats: &[Format], access: ImageAccess, number: usize) -> Case {
    let format = formats[number % formats.len()];
    let row = (random.below(80) as i32) - 40;
    let float = format.encoding.is_float();
    let coordinates = match access {
        ImageAccess::Sample => {
            let all = [
                Coordinates::Floats,
                Coordinates::Floats,
                Coordinates::Ints,
                Coordinates::Row(row),
                Coordinates::FloatRow(row),
            ];
            pick(random, &all)
        }
        _ => pick(random, &[Coordinates::Ints, Coordinates::Row(row)]),
    };
    let addressing = [
        Addressing::None,
        Addressing::ClampToEdge,
        Addressing::Clamp,
        Addressing::Repeat,
        Addressing::MirroredRepeat,
    ];
    let floats = matches!(coordinates, Coordinates::Floats | Coordinates::FloatRow(_));
    let sampler = match access {
        ImageAccess::Sample if floats => {
            let normalized = random.below(2) == 1;
            let modes = if normalized { &addressing[..] } else { &addressing[..3] };
            let word = SamplerWord::new(pick(random, modes), random.below(2) == 1, normalized);
            if random.below(2) == 1 { word.with_linear_levels() } else { word }
        }
        ImageAccess::Sample => SamplerWord::new(pick(random, &addressing[..3]), false, false),
        _ => SamplerWord::NONE,
    };
    let dims = [
        ImageDim::D1,
        ImageDim::D1Array,
        ImageDim::D2,
        ImageDim::D2,
        ImageDim::D2Array,
        ImageDim::D3,
    ];
    Case {
        op: ImageOp {
            access,
            dim: pick(random, &dims),
            texel: if float { Elem::F32 } else { Elem::I32 },
            depth: format.is_depth(),
            constant: access != ImageAccess::Write && random.below(2) == 1,
            level: random.below(3) == 0,
        },
        format,
        sampler,
        coordinates,
        width: pick(random, &[1, 4, 8, 8, 16]),
        known: random.below(6) != 0,
    }
}

/// What a work-item's exchange holds when it comes to the access: for rows, the coordinates that the kernel computes.
fn seen(case: &Case, from: &[Exchange], item: usize) -> Exchange {
    let mut exchange = from[item];
    match case.coordinates {
        Coordinates::Row(less) => {
            exchange.coordinates = from[0].coordinates;
            exchange.coordinates[0] = (item as i32 - less) as u32;
        }
        Coordinates::FloatRow(less) => {
            exchange.coordinates = from[0].coordinates;
            exchange.coordinates[0] = ((item as i32 - less) as f32 + 0.5).to_bits();
        }
        _ => {}
    }
    exchange
}

fn alike(case: &Case, a: u32, b: u32) -> bool {
    if case.format.encoding.is_float() && (case.sampler.is_linear() || case.op.level && case.sampler.has_linear_levels()) {
        let (a, b) = (f32::from_bits(a), f32::from_bits(b));
        let largest = if case.format.encoding == Encoding::Float { 150.0 } else { 1.0 };
        return (a - b).abs() <= largest * 1e-5;
    }
    a == b
}

fn level_flag(case: &Case) -> u32 {
    if case.op.level { AccessWord::LEVEL } else { 0 }
}

fn reads(access: ImageAccess, cases: usize) {
    let mut random = Random(access as u64 + 1);
    let formats: Vec<Format> = Format::all().collect();
    for number in 0..cases {
        let case = case(&mut random, &formats, access, number);
        let mut bytes = Vec::new();
        let records = image(&mut random, &case, &mut bytes);
        let items = if number % 3 == 0 { ITEMS } else { ITEMS - 5 };
        let from: Vec<Exchange> = (0..items)
            .map(|_| Exchange {
                coordinates: coordinates(&mut random, &case),
                texel: [0; 4],
            })
            .collect();
        let into = run(&case, &records, &from);
        let floats = matches!(case.coordinates, Coordinates::Floats | Coordinates::FloatRow(_));
        let word = case.sampler.0 | if floats { AccessWord::FLOATS } else { 0 } | level_flag(&case);
        for (item, found) in into.iter().enumerate() {
            let mut expected = seen(&case, &from, item);
            // SAFETY: the records are of memory that is there.
            unsafe { access::read(records.as_ptr(), word, &mut expected) };
            for n in 0..case.op.components() {
                let (a, b) = (found.texel[n], expected.texel[n]);
                assert!(
                    alike(&case, a, b),
                    "case {number}: {case:?}\nitem {item} at {:?} {:?}: component {n} is {a:#x} ({}), not {b:#x} ({})",
                    expected.coordinates,
                    expected.coordinates.map(f32::from_bits),
                    f32::from_bits(a),
                    f32::from_bits(b),
                );
            }
        }
    }
}

#[test]
fn reads_through_samplers() {
    reads(ImageAccess::Sample, 400);
}

#[test]
fn reads_without_samplers() {
    reads(ImageAccess::Read, 150);
}

#[test]
fn writes() {
    let mut random = Random(99);
    let formats: Vec<Format> = Format::all().collect();
    for number in 0..200 {
        let case = case(&mut random, &formats, ImageAccess::Write, number);
        let mut bytes = Vec::new();
        let records = image(&mut random, &case, &mut bytes);
        let mut expected = bytes.clone();
        let mut copies = records.clone();
        place(&mut copies, &mut expected);
        let from: Vec<Exchange> = (0..ITEMS - number % 7)
            .map(|item| {
                let mut coordinates = coordinates(&mut random, &case);
                // No two write the same texel.
                coordinates[0] = (item as i32 - 10) as u32;
                let texel = [0; 4].map(|_| match (case.format.encoding.is_float(), random.below(10)) {
                    (true, 0) => pick(&mut random, &[f32::NAN, f32::INFINITY, -f32::INFINITY, -0.0, 1.0, -1.0]).to_bits(),
                    (true, _) => (random.below(3000) as f32 / 1000.0 - 1.5).to_bits(),
                    (false, 0..5) => random.below(400) as u32,
                    (false, _) => random.next() as i32 as u32,
                });
                Exchange { coordinates, texel }
            })
            .collect();
        run(&case, &records, &from);
        for item in 0..from.len() {
            let mut exchange = seen(&case, &from, item);
            // SAFETY: the records are of memory that is there.
            unsafe { access::write(copies.as_ptr(), level_flag(&case), &mut exchange) };
        }
        if let Some(at) = (0..bytes.len()).find(|&at| bytes[at] != expected[at]) {
            // NaNs are written as some NaN.
            let pixel = at / case.format.bytes as usize * case.format.bytes as usize;
            let end = pixel + case.format.bytes as usize;
            let nan =
                case.format.encoding == Encoding::Float && case.format.read(&bytes[pixel..end]).iter().any(|&x| f32::from_bits(x).is_nan());
            assert!(
                nan,
                "case {number}: {case:?}\nbyte {at}: pixel {:?} is {:?}, not {:?}",
                pixel / case.format.bytes as usize,
                &bytes[pixel..end],
                &expected[pixel..end]
            );
        }
    }
}
