//! Random kernels with cooperative matrices, in SPIR-V: what they are lowered to does on each code generator what the interpreter says.

use super::{Failures, compiled, number};
use analysis::{GangShape, gang_shape};
use compiler::interpret::{Config, GlobalMemory, Stop};
use compiler::pipeline::{FormRequest, WorkItem};
use compiler::spirv::assemble;
use compiler::{BuildOptions, LaunchFacts, Module};
use device::abi::LaunchRecord;
use rspirv::spirv::CooperativeMatrixUse as Use;
use rustc_hash::FxHashMap;
use std::fmt::Write;
use target::BackEnd;
use transform::Inlining;
use transform::expand_work_group_ops::Scratch;
use vendors::matrices::{Component, SUB_GROUP_SIZE, Variant, has_type, variants};

const LOCAL: [u64; 3] = [SUB_GROUP_SIZE as u64, 1, 1];
/// Of A, B, C and what A, B and the result become.
const BUFFERS: usize = 6;

/// Numbers that look random (xorshift64*).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 20
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

/// The scalar types that components are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scalar {
    F16,
    BF16,
    E4M3,
    E5M2,
    F32,
    F64,
    I8,
    I32,
}

use Scalar::*;

const SCALARS: [(Scalar, &str, &str, usize); 8] = [
    (F16, "f16", "OpTypeFloat 16", 2),
    (BF16, "bf16", "OpTypeFloat 16 BFloat16KHR", 2),
    (E4M3, "e4m3", "OpTypeFloat 8 Float8E4M3EXT", 1),
    (E5M2, "e5m2", "OpTypeFloat 8 Float8E5M2EXT", 1),
    (F32, "f32", "OpTypeFloat 32", 4),
    (F64, "f64", "OpTypeFloat 64", 8),
    (I8, "i8", "OpTypeInt 8 0", 1),
    (I32, "i32", "OpTypeInt 32 0", 4),
];

impl Scalar {
    fn of(component: Component) -> Scalar {
        match component {
            Component::F16 => F16,
            Component::BF16 => BF16,
            Component::E4M3 => E4M3,
            Component::E5M2 => E5M2,
            Component::F32 => F32,
            Component::F64 => F64,
            Component::S8 | Component::U8 => I8,
            Component::S32 | Component::U32 => I32,
        }
    }

    fn row(self) -> &'static (Scalar, &'static str, &'static str, usize) {
        SCALARS.iter().find(|row| row.0 == self).expect("all are there")
    }

    fn is_int(self) -> bool {
        matches!(self, I8 | I32)
    }

    /// One of some size, as bits: neither so large nor so small that much is infinite or zero.
    fn bits(self, random: &mut Random) -> u64 {
        let bits = random.next();
        let sign = bits & 1;
        let exponent = bits >> 1 & 3;
        match self {
            F16 => sign << 15 | (13 + exponent) << 10 | bits >> 8 & 0x3ff,
            BF16 => sign << 15 | (125 + exponent) << 7 | bits >> 8 & 0x7f,
            E4M3 => sign << 7 | bits >> 8 & 0x7f,
            E5M2 => sign << 7 | (13 + exponent) << 2 | bits >> 8 & 3,
            F32 => sign << 31 | (125 + exponent) << 23 | bits >> 8 & 0x7f_ffff,
            F64 => sign << 63 | (1021 + exponent) << 52 | bits >> 8,
            I8 => bits >> 8 & 0xff,
            I32 => bits >> 8 & 0xffff_ffff,
        }
    }

    /// NaNs are one.
    fn is_nan(self, bits: u64) -> bool {
        match self {
            F16 => bits & 0x7fff > 0x7c00,
            BF16 => bits & 0x7fff > 0x7f80,
            E4M3 => bits & 0x7f == 0x7f,
            E5M2 => bits & 0x7f > 0x7c,
            F32 => f32::from_bits(bits as u32).is_nan(),
            F64 => f64::from_bits(bits).is_nan(),
            I8 | I32 => false,
        }
    }
}

/// A matrix in memory.
#[derive(Clone, Copy, Debug)]
struct Place {
    scalar: Scalar,
    by_columns: bool,
    stride: usize,
    elements: usize,
}

impl Place {
    fn new(random: &mut Random, scalar: Scalar, shape: [u32; 2]) -> Place {
        let by_columns = random.below(2) == 1;
        let [rows, columns] = shape.map(|size| size as usize);
        let (lines, along) = if by_columns { (columns, rows) } else { (rows, columns) };
        let stride = along + random.below(4);
        Place {
            scalar,
            by_columns,
            stride,
            elements: lines * stride,
        }
    }
}

/// A kernel that has matrices A, B and C, does this and that to them, and multiplies.
struct Kernel {
    text: String,
    places: [Place; BUFFERS],
    input: [Vec<u8>; BUFFERS],
}

impl Kernel {
    fn new(seed: u64) -> Kernel {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        (0..8).for_each(|_| _ = random.next());
        let all: Vec<Variant> = variants().collect();
        let variant = all[random.below(all.len())];
        let mut text = Text {
            variant,
            random,
            types: String::new(),
            constants: String::new(),
            body: String::new(),
            values: 0,
        };
        let [a, b, c, r] = variant.components.map(Scalar::of);
        let uses = [Use::MatrixAKHR, Use::MatrixBKHR, Use::MatrixAccumulatorKHR];
        let shapes = uses.map(|used_as| variant.shape(used_as));
        let places = [(a, 0), (b, 1), (c, 2), (a, 0), (b, 1), (r, 2)]
            .map(|(scalar, number): (Scalar, usize)| Place::new(&mut text.random, scalar, shapes[number]));
        let mut matrices = [0, 1, 2].map(|number| {
            let (place, ty) = (places[number], text.matrix(places[number].scalar, uses[number]));
            let (layout, stride) = (text.number(u32::from(place.by_columns)), text.number(place.stride as u32));
            text.value(&format!("OpCooperativeMatrixLoadKHR {ty} %p{number} {layout} {stride}"))
        });
        for _ in 0..text.random.below(6) {
            let number = text.random.below(3);
            let (scalar, used_as) = (places[number].scalar, uses[number]);
            matrices[number] = match text.random.below(3) {
                0 => text.arithmetic(scalar, used_as, &matrices[number]),
                1 => text.conversion(scalar, used_as, &matrices[number]),
                _ if c == r => {
                    matrices[2] = text.product(c, &matrices);
                    continue;
                }
                _ => continue,
            };
        }
        let result = text.product(r, &matrices);
        for (number, value) in [(3, &matrices[0]), (4, &matrices[1]), (5, &result)] {
            let place = places[number];
            let (layout, stride) = (text.number(u32::from(place.by_columns)), text.number(place.stride as u32));
            writeln!(text.body, "OpCooperativeMatrixStoreKHR %p{number} {value} {layout} {stride}").unwrap();
        }
        let input = places.map(|place| {
            let elements = (0..place.elements).flat_map(|_| {
                let bits = place.scalar.bits(&mut text.random).to_ne_bytes();
                bits.into_iter().take(place.scalar.row().3)
            });
            elements.collect()
        });
        Kernel {
            text: text.module(&places),
            places,
            input,
        }
    }

    /// All buffers, after a run.
    fn output(&self, run: impl FnOnce(&LaunchRecord) -> Result<(), Stop>) -> Result<Vec<Vec<u64>>, Stop> {
        let mut buffers = self.input.clone();
        let arguments = buffers.each_mut().map(|buffer| buffer.as_mut_ptr() as u64);
        let launch = LaunchRecord::new(arguments.as_ptr().cast(), LOCAL, LOCAL);
        run(&launch)?;
        let numbers = buffers.iter().zip(&self.places).map(|(buffer, place)| {
            let elements = buffer.chunks(place.scalar.row().3).map(|bytes| {
                let mut bits = [0; 8];
                bits[..bytes.len()].copy_from_slice(bytes);
                let bits = u64::from_ne_bytes(bits);
                if place.scalar.is_nan(bits) { u64::MAX } else { bits }
            });
            elements.collect()
        });
        Ok(numbers.collect())
    }
}

/// What is written so far.
struct Text {
    variant: Variant,
    random: Random,
    types: String,
    constants: String,
    body: String,
    values: u32,
}

impl Text {
    fn value(&mut self, instruction: &str) -> String {
        self.values += 1;
        let value = format!("%v{}", self.values);
        writeln!(self.body, "{value} = {instruction}").unwrap();
        value
    }

    fn declare(text: &mut String, id: &str, instruction: &str) -> String {
        let line = format!("{id} = {instruction}\n");
        if !text.contains(&line) {
            text.push_str(&line);
        }
        id.to_owned()
    }

    fn number(&mut self, number: u32) -> String {
        Text::declare(&mut self.constants, &format!("%n{number}"), &format!("OpConstant %i32 {number}"))
    }

    fn matrix(&mut self, scalar: Scalar, used_as: Use) -> String {
        let [rows, columns] = self.variant.shape(used_as).map(|size| self.number(size));
        let (scope, use_id, name) = (self.number(3), self.number(used_as as u32), scalar.row().1);
        let instruction = format!("OpTypeCooperativeMatrixKHR %{name} {scope} {rows} {columns} {use_id}");
        Text::declare(&mut self.types, &format!("%m_{name}_{}", used_as as u32), &instruction)
    }

    /// What the element-wise instructions do.
    fn arithmetic(&mut self, scalar: Scalar, used_as: Use, value: &str) -> String {
        let ty = self.matrix(scalar, used_as);
        let letter = if scalar.is_int() { 'I' } else { 'F' };
        // Nothing is computed in these.
        if matches!(scalar, BF16 | E4M3 | E5M2) {
            return value.to_owned();
        }
        match self.random.below(5) {
            0 if scalar.is_int() => self.value(&format!("OpSNegate {ty} {value}")),
            0 => self.value(&format!("OpFNegate {ty} {value}")),
            1 => self.value(&format!("Op{letter}Add {ty} {value} {value}")),
            2 => self.value(&format!("Op{letter}Mul {ty} {value} {value}")),
            3 => {
                let square = self.value(&format!("Op{letter}Mul {ty} {value} {value}"));
                self.value(&format!("Op{letter}Sub {ty} {square} {value}"))
            }
            _ => {
                let name = scalar.row().1;
                let three = Text::declare(&mut self.constants, &format!("%three_{name}"), &format!("OpConstant %{name} 3"));
                let all = self.value(&format!("OpCompositeConstruct {ty} {three}"));
                self.value(&format!("Op{letter}Add {ty} {value} {all}"))
            }
        }
    }

    /// To another type, and back.
    fn conversion(&mut self, scalar: Scalar, used_as: Use, value: &str) -> String {
        let shape = self.variant.shape(used_as);
        let other = SCALARS[self.random.below(SCALARS.len())].0;
        let is_there = has_type(used_as, shape, |component| Scalar::of(component) == other);
        let there_and_back = match (scalar, other) {
            _ if scalar == other || !is_there => return value.to_owned(),
            (I8 | I32, I8 | I32) => ["OpSConvert", "OpUConvert"],
            (I8, E4M3 | E5M2) => return value.to_owned(),
            // Any byte is a number of these, without rounding.
            (I8, _) if self.random.below(2) == 0 => ["OpConvertSToF", "OpConvertFToS"],
            (I8, _) => ["OpConvertUToF", "OpConvertFToU"],
            (I32, _) | (_, I8 | I32) => return value.to_owned(),
            _ => ["OpFConvert", "OpFConvert"],
        };
        let [ty, other] = [scalar, other].map(|scalar| self.matrix(scalar, used_as));
        let there = self.value(&format!("{} {other} {value}", there_and_back[0]));
        self.value(&format!("{} {ty} {there}", there_and_back[1]))
    }

    fn product(&mut self, result: Scalar, [a, b, c]: &[String; 3]) -> String {
        let ty = self.matrix(result, Use::MatrixAccumulatorKHR);
        let named = ["A", "B", "C", "Result"].into_iter().zip(self.variant.components);
        let signed = named.filter(|(_, component)| matches!(component, Component::S8 | Component::S32));
        let mut operands: Vec<String> = signed.map(|(name, _)| format!("Matrix{name}SignedComponentsKHR")).collect();
        if self.variant.saturating {
            operands.push("SaturatingAccumulationKHR".into());
        }
        self.value(&format!("OpCooperativeMatrixMulAddKHR {ty} {a} {b} {c} {}", operands.join("|")))
    }

    fn module(&self, places: &[Place; BUFFERS]) -> String {
        let scalars: String = SCALARS
            .iter()
            .map(|(_, name, declaration, _)| format!("%{name} = {declaration}\n%p_{name} = OpTypePointer CrossWorkgroup %{name}\n"))
            .collect();
        let pointers = places.map(|place| format!("%p_{}", place.scalar.row().1));
        let parameters: String = (0..BUFFERS)
            .map(|number| format!("%p{number} = OpFunctionParameter {}\n", pointers[number]))
            .collect();
        format!(
            "; Version: 1.3
OpCapability Addresses
OpCapability Kernel
OpCapability Int8
OpCapability Int16
OpCapability Int64
OpCapability Float16
OpCapability Float64
OpCapability CooperativeMatrixKHR
OpCapability BFloat16CooperativeMatrixKHR
OpCapability Float8CooperativeMatrixEXT
OpExtension \"SPV_KHR_cooperative_matrix\"
OpExtension \"SPV_EXT_float8\"
OpExtension \"SPV_KHR_bfloat16\"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k \"k\"
OpExecutionMode %k ContractionOff
%void = OpTypeVoid
{scalars}%type = OpTypeFunction %void {}
{}{}%k = OpFunction %void None %type
{parameters}%entry = OpLabel
{}OpReturn
OpFunctionEnd
",
            pointers.join(" "),
            self.constants,
            self.types,
            self.body
        )
    }
}

/// What differs from the interpreter, of one kernel.
fn differences(seed: u64) -> Failures {
    let kernel = Kernel::new(seed);
    let il = assemble(&kernel.text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{}", kernel.text));
    let module = Module::from_il(&il, &[]).unwrap_or_else(|error| panic!("seed {seed}: {error:?}\n{}", kernel.text));
    let lowered = lower::lower(&[module.spirv()], &BuildOptions::default()).expect("it is lowered");
    let function = lowered.kernels[0].function;
    let config = Config {
        gang_width: SUB_GROUP_SIZE,
        local_bytes: 0,
        globals: &[],
        max_blocks: 5_000_000,
    };
    // SAFETY: buffers have room for the matrices.
    let expected = kernel.output(|launch| unsafe { compiler::interpret::run(&lowered.module, function, launch, &config) });
    let expected = expected.map_err(|stop| stop.to_string());
    let scratch = Scratch { offset: 0, max_items: 0 };
    let globals = GlobalMemory::new(&lowered.module);
    let work_item = WorkItem::new(&lowered.module, function, scratch, Inlining::WhatPays);
    let shape: GangShape = gang_shape(Some(SUB_GROUP_SIZE), SUB_GROUP_SIZE, LOCAL);
    let request = FormRequest {
        module: &lowered.module,
        name: "k",
        shape,
        launch: &LaunchFacts::usual(LOCAL),
        own_sets: &FxHashMap::default(),
        gangs_at_once: None,
    };
    let formed = work_item.form(&request).map_err(|error| error.0);
    let mut failed = Vec::new();
    for back_end in BackEnd::available() {
        let found = formed.as_ref().map_err(String::clone).and_then(|formed| {
            let run = compiled(back_end, formed, &globals, LOCAL, work_item.local_bytes)?;
            kernel.output(run).map_err(|stop| stop.to_string())
        });
        if expected != found {
            failed.push(format!(
                "seed {seed}, {back_end:?}: {:?} {:?}\n{}",
                expected.as_ref().err(),
                found.as_ref().err(),
                kernel.text
            ));
        }
    }
    failed
}

#[test]
fn compiled_matrices_are_what_the_interpreter_says() {
    let first = number("BROLGA_FIRST_SEED").unwrap_or(0);
    let seeds = first..first + number("BROLGA_SEEDS").unwrap_or(25).div_ceil(2);
    let failed: Failures = seeds.flat_map(differences).collect();
    assert!(failed.is_empty(), "{} failures\n{}", failed.len(), failed.join("\n"));
}
