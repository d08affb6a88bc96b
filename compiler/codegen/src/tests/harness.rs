//! Builds kernels, runs them on memory of the test, and says where results differ.

use crate::{CodeRequest, CompiledCode};
use target::BackEnd;
use ir::{Address, BinaryOp, Builder, Elem, FuncRef, Function, IntCc, Level, MemInfo, Space, Type, Value, eval, infinity_bits, to};
use device::abi::{Found, LaunchRecord, WorkerRecord};
use std::collections::HashMap;

/// Numbers of lanes that a gang may have.
pub const LANES: [u16; 5] = [1, 4, 8, 16, 32];

/// With optimization or without: then Cranelift goes other ways, its own rules and its other register allocator. At one width that is
/// enough.
pub fn efforts(lanes: u16) -> &'static [bool] {
    if lanes == 8 { &[true, false] } else { &[true] }
}

/// Numbers that look random, the same each time.
pub struct Random(pub u64);

impl Random {
    /// The next one.
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}

/// Values of a type that operations may stumble over.
pub fn edges(elem: Elem) -> Vec<u64> {
    let ones = elem.bit_mask();
    let sign = ones ^ (ones >> 1);
    if elem == Elem::Mask {
        return vec![0, 1];
    }
    if elem.is_int() {
        let mut values = vec![
            0,
            1,
            2,
            3,
            7,
            8,
            15,
            31,
            63,
            100,
            ones,
            ones - 1,
            ones >> 1,
            sign,
            sign + 1,
            sign >> 1,
            0x55,
            0xaa,
        ];
        values.extend([0x7f, 0x80, 0xff, 0x1234_5678_9abc_def0 & ones, 0xfedc_ba98_7654_3210 & ones]);
        return values;
    }
    let mut values = vec![
        0,
        1,
        infinity_bits(elem),
        infinity_bits(elem) - 1,
        infinity_bits(elem) + 1,
        ones >> 1,
    ];
    for number in [
        1.0,
        1.5,
        2.5,
        0.5,
        0.49999997,
        3.0,
        1e-5,
        100.7,
        127.5,
        128.0,
        255.5,
        256.0,
        32767.5,
        65504.0,
        65519.9,
        65520.0,
        65536.0,
        2147483647.0,
        2147483648.0,
        4294967295.0,
        4294967296.0,
        9.2e18,
        1.8446744073709552e19,
        1e30,
        6e-8,
        6.1e-5,
        1e-38,
        1e-40,
        1e300,
        1e-310,
    ] {
        values.push(eval::from_f64(elem, number));
    }
    // The smallest normal number.
    values.push(infinity_bits(elem) & infinity_bits(elem).wrapping_neg());
    let negative: Vec<u64> = values.iter().map(|value| value ^ sign).collect();
    values.extend(negative);
    values
}

/// A value of a type: bits, for floats also numbers of everyday size.
pub fn random_value(elem: Elem, random: &mut Random) -> u64 {
    let bits = random.next();
    if elem.is_float() && bits & 1 == 0 {
        let number = (random.next() as i32 as f64) / f64::from(1u32 << (bits >> 8 & 31));
        return eval::from_f64(elem, number);
    }
    random.next() & elem.bit_mask()
}

/// A kernel whose body `build` writes, from the six parameters on; it returns 0.
pub fn kernel(build: impl FnOnce(&mut Builder, [Value; 6])) -> Function {
    let mut function = Function::new("test", Level::WorkGroup, &[Type::I32]);
    let entry = function.add_block();
    let params = [(); 6].map(|()| function.add_param(entry, Type::I64));
    let mut b = Builder::new(&mut function, entry);
    build(&mut b, params);
    let zero = b.i32(0);
    b.ret(&[zero]);
    function
}

/// Compiles a kernel alone.
pub fn compile_alone(function: &Function) -> CompiledCode {
    compile_with(function, &HashMap::new(), true)
}

/// Compiles a kernel with functions that it calls.
pub fn compile_with(function: &Function, callees: &HashMap<FuncRef, Function>, optimize: bool) -> CompiledCode {
    let request = CodeRequest {
        name: "test",
        entry: function,
        callees: &|reference| callees.get(&reference),
        global_address: &|global| 0x1000 + u64::from(cranelift_entity::EntityRef::index(global) as u32),
        places: &[],
            arguments: &[],
        optimize,
    };
    compile(&request).unwrap_or_else(|error| panic!("{error}\n{function}"))
}

/// Compiles with the code generator that these tests are for; where the machine lacks what that needs, its code is made but not run, and
/// Cranelift's is.
pub fn compile(request: &CodeRequest) -> Result<CompiledCode, String> {
    #[cfg(feature = "arm64")]
    if super::BACK_END == BackEnd::Cranelift {
        for later in [false, true] {
            crate::check_arm64(request, later).map_err(|error| format!("for aarch64: {error}"))?;
        }
    }
    let here = BackEnd::available().contains(&super::BACK_END);
    let code = crate::compile_with(super::BACK_END, request)?;
    if here {
        return Ok(code);
    }
    crate::compile_with(BackEnd::Cranelift, request)
}

/// Runs a kernel with four numbers, as a worker with a scratch line; gives what it returns and the trap in the worker's record.
pub fn run(code: &CompiledCode, numbers: [u64; 4]) -> (u32, u32) {
    let mut scratch = vec![0xa5u8; 4096];
    let mut worker = WorkerRecord {
        local_memory: std::ptr::null_mut(),
        private_memory: std::ptr::null_mut(),
        arena_end: std::ptr::null_mut(),
        scratch: scratch.as_mut_ptr(),
        index: 0,
        trap: 0,
        trap_item: [0; 3],
        frame: 0,
        readable: Found::default(),
        writable: Found::default(),
    };
    let [a, b, c, d] = numbers;
    // SAFETY: test kernels touch the memory whose addresses they are given, and the worker's record.
    let result = unsafe { (code.entry)(std::ptr::null::<LaunchRecord>(), &raw mut worker, a, b, c, d) };
    (result, worker.trap)
}

/// Memory info that promises nothing.
pub fn anywhere() -> MemInfo {
    MemInfo::new(Space::Global, 1)
}

/// Values as they lie in memory.
pub fn to_bytes(elem: Elem, values: &[u64]) -> Vec<u8> {
    let bytes = elem.bytes() as usize;
    values
        .iter()
        .flat_map(|value| value.to_le_bytes().into_iter().take(bytes))
        .collect()
}

/// Values from memory.
pub fn from_bytes(elem: Elem, bytes: &[u8]) -> Vec<u64> {
    bytes
        .chunks(elem.bytes() as usize)
        .map(|chunk| chunk.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
        .collect()
}

/// The same bits, or both a NaN.
pub fn same(elem: Elem, a: u64, b: u64) -> bool {
    a == b || (elem.is_float() && eval::to_f64(elem, a).is_nan() && eval::to_f64(elem, b).is_nan())
}

/// Emits `for index in 0..count { body(index) }`.
pub fn repeat(b: &mut Builder, count: Value, body: impl FnOnce(&mut Builder, Value)) {
    let header = b.add_block(&[Type::I64]);
    let (iteration, done) = (b.add_block(&[]), b.add_block(&[]));
    let zero = b.i64(0);
    b.jump(header, &[zero]);
    b.block = header;
    let index = b.params(header)[0];
    let more = b.icmp(IntCc::Slt, index, count);
    b.branch(more, to(iteration, &[]), to(done, &[]));
    b.block = iteration;
    body(b, index);
    let next = b.binary_imm(BinaryOp::Add, index, 1);
    b.jump(header, &[next]);
    b.block = done;
}

/// Runs `build` on vectors of `lanes` lanes over all of `inputs` (equally many values each), and gives all results.
pub fn map_vectors(
    inputs: &[(Elem, Vec<u64>)],
    output: Elem,
    lanes: u16,
    optimize: bool,
    build: impl FnOnce(&mut Builder, &[Value]) -> Value,
) -> Vec<u64> {
    let count = inputs[0].1.len();
    assert!(count.is_multiple_of(usize::from(lanes)));
    let mut memory = Vec::new();
    let mut starts = Vec::new();
    for (elem, values) in inputs {
        starts.push(memory.len() as i32);
        memory.extend(to_bytes(*elem, values));
    }
    let mut results = vec![0u8; count * output.bytes() as usize];
    let function = kernel(|b, [_, _, from, into, vectors, _]| {
        repeat(b, vectors, |b, index| {
            let address = |b: &mut Builder, base, elem: Elem, offset| {
                let size = b.i64(i64::from(elem.bytes()) * i64::from(lanes));
                let bytes = b.mul(index, size);
                let base = b.add(base, bytes);
                Address::offset(base, offset)
            };
            let values: Vec<Value> = inputs
                .iter()
                .zip(&starts)
                .map(|((elem, _), &start)| {
                    let address = address(b, from, *elem, start);
                    b.load(Type::vector(*elem, lanes), address, anywhere())
                })
                .collect();
            let result = build(b, &values);
            let address = address(b, into, output, 0);
            b.store(result, address, anywhere());
        });
    });
    let numbers = [
        memory.as_ptr() as u64,
        results.as_mut_ptr() as u64,
        (count / usize::from(lanes)) as u64,
        0,
    ];
    assert_eq!(run(&compile_with(&function, &HashMap::new(), optimize), numbers), (0, 0));
    from_bytes(output, &results)
}
