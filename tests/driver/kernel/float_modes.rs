//! Execution modes about floating-point arithmetic, against what the host computes under the same modes; and -cl-denorms-are-zero.

use super::values::Random;
use brolga_tests::{Context, Program, Range};
use compiler::spirv::assemble;

/// A kernel `k` with the mode, and `plain` without, which call the same function: for each pair of the inputs its sum, difference, product,
/// quotient and the conversion of the first one's bits, an integer, to a float.
fn module(width: u32, capabilities: &str, mode: &str) -> Vec<u8> {
    let float_capability = match width {
        16 => "OpCapability Float16\nOpCapability Int16\n",
        64 => "OpCapability Float64\n",
        _ => "",
    };
    let (int, long) = match width {
        16 => ("%bits = OpTypeInt 16 0\n%uint = OpTypeInt 32 0", "%ulong = OpTypeInt 64 0"),
        64 => ("%uint = OpTypeInt 32 0", "%bits = OpTypeInt 64 0"),
        _ => ("%bits = OpTypeInt 32 0", "%ulong = OpTypeInt 64 0"),
    };
    let (ulong, bytes) = (if width == 64 { "%bits" } else { "%ulong" }, width / 8);
    let kernel = |name: &str| {
        format!(
            "%{name} = OpFunction %void None %type
            %{name}_a = OpFunctionParameter %pointer
            %{name}_b = OpFunctionParameter %pointer
            %{name}_r = OpFunctionParameter %pointer
            %{name}_entry = OpLabel
            %{name}_call = OpFunctionCall %void %f %{name}_a %{name}_b %{name}_r
            OpReturn
            OpFunctionEnd\n"
        )
    };
    let mut text = format!(
        "; Version: 1.4
        OpCapability Addresses
        OpCapability Kernel
        OpCapability Int64
        {float_capability}{capabilities}
        OpMemoryModel Physical64 OpenCL
        OpEntryPoint Kernel %k \"k\" %gid
        OpEntryPoint Kernel %plain \"plain\" %gid
        OpExecutionMode %k {mode} {width}
        OpDecorate %gid BuiltIn GlobalInvocationId
        %void = OpTypeVoid
        {int}
        {long}
        %float = OpTypeFloat {width}
        %v3ulong = OpTypeVector {ulong} 3
        %input = OpTypePointer Input %v3ulong
        %pointer = OpTypePointer CrossWorkgroup %float
        %gid = OpVariable %input Input
        %five = OpConstant {ulong} 5
        %type = OpTypeFunction %void %pointer %pointer %pointer\n"
    );
    for n in 0..5 {
        text += &format!("%n{n} = OpConstant {ulong} {n}\n");
    }
    text += &(kernel("k") + &kernel("plain"));
    text += &format!(
        "%f = OpFunction %void None %type
        %a = OpFunctionParameter %pointer
        %b = OpFunctionParameter %pointer
        %r = OpFunctionParameter %pointer
        %entry = OpLabel
        %ids = OpLoad %v3ulong %gid
        %i = OpCompositeExtract {ulong} %ids 0
        %pa = OpInBoundsPtrAccessChain %pointer %a %i
        %pb = OpInBoundsPtrAccessChain %pointer %b %i
        %x = OpLoad %float %pa Aligned {bytes}
        %y = OpLoad %float %pb Aligned {bytes}
        %first = OpIMul {ulong} %i %five
        %x_bits = OpBitcast %bits %x
        %v0 = OpFAdd %float %x %y
        %v1 = OpFSub %float %x %y
        %v2 = OpFMul %float %x %y
        %v3 = OpFDiv %float %x %y
        %v4 = OpConvertSToF %float %x_bits\n"
    );
    for n in 0..5 {
        text += &format!(
            "%i{n} = OpIAdd {ulong} %first %n{n}
            %p{n} = OpInBoundsPtrAccessChain %pointer %r %i{n}
            OpStore %p{n} %v{n} Aligned {bytes}\n"
        );
    }
    text += "OpReturn\nOpFunctionEnd\n";
    assemble(&text).expect("a module")
}

/// Numbers of all kinds: the corners, and their neighbours, and any bits.
fn inputs(width: u32, count: usize, seed: u64) -> Vec<u64> {
    let fraction = [10, 23, 52][(width / 32) as usize];
    let mut random = Random(seed);
    let mask = u64::MAX >> (64 - width);
    let sign = 1 << (width - 1);
    let infinity = (mask >> 1) & !((1 << fraction) - 1);
    let one = infinity >> 1 & infinity;
    let corners = [
        0,
        1,
        2,
        1 << fraction,
        (1 << fraction) - 1,
        one,
        one + 1,
        one - 1,
        infinity,
        infinity - 1,
        infinity | 1 << (fraction - 1),
    ];
    (0..count)
        .map(|_| {
            let bits = match random.below(4) {
                0 => corners[random.below(corners.len())],
                // Near 1, where sums cancel.
                1 => one.wrapping_add(random.next() >> (64 - fraction)).wrapping_sub(1 << (fraction - 3)),
                _ => random.next() & mask,
            };
            if random.below(2) == 0 { bits & mask } else { (bits ^ sign) & mask }
        })
        .collect()
}

/// What the processor computes in a state of its own.
#[cfg(target_arch = "x86_64")]
mod host {
    use core::arch::asm;

    pub type State = u32;
    /// MXCSR's values: all exceptions masked, and rounding to the nearest, upwards, downwards, towards zero, or subnormals flushed.
    pub const NEAREST: u32 = 0x1f80;
    pub const UP: u32 = 0x5f80;
    pub const DOWN: u32 = 0x3f80;
    pub const TOWARDS_ZERO: u32 = 0x7f80;
    pub const FLUSH: u32 = 0x9fc0;

    /// It converts halves.
    pub fn has_halves() -> bool {
        std::arch::is_x86_feature_detected!("f16c")
    }

    macro_rules! under {
        ($mxcsr:expr, $op:literal, $x:expr, $y:expr) => {{
            let (mut usual, mode, mut result) = (0u32, $mxcsr, $x);
            // SAFETY: MXCSR is put back; nothing else is computed between.
            unsafe {
                asm!("stmxcsr [{usual}]", "ldmxcsr [{mode}]", $op, "ldmxcsr [{usual}]", usual = in(reg) &raw mut usual,
                     mode = in(reg) &raw const mode, x = inout(xmm_reg) result, y = in(xmm_reg) $y)
            };
            result
        }};
    }

    macro_rules! converted {
        ($mxcsr:expr, $op:literal, $x:expr, $zero:expr) => {{
            let (mut usual, mode, mut result) = (0u32, $mxcsr, $zero);
            // SAFETY: MXCSR is put back; nothing else is computed between.
            unsafe {
                asm!("stmxcsr [{usual}]", "ldmxcsr [{mode}]", $op, "ldmxcsr [{usual}]", usual = in(reg) &raw mut usual,
                     mode = in(reg) &raw const mode, x = inout(xmm_reg) result, y = in(reg) $x)
            };
            result
        }};
    }

    fn to_half(mxcsr: u32, x: f32) -> u64 {
        let (mut usual, mut bits) = (0u32, 0u32);
        // SAFETY: the test asks for F16C; MXCSR is put back.
        unsafe {
            asm!("stmxcsr [{usual}]", "ldmxcsr [{mode}]", "vcvtps2ph {x}, {x}, 4", "vmovd {bits:e}, {x}", "ldmxcsr [{usual}]",
                 usual = in(reg) &raw mut usual, mode = in(reg) &raw const mxcsr, x = inout(xmm_reg) x => _, bits = out(reg) bits)
        };
        u64::from(bits & 0xffff)
    }

    fn from_half(bits: u64) -> f32 {
        let x: f32;
        // SAFETY: the test asks for F16C.
        unsafe { asm!("vmovd {x}, {bits:e}", "vcvtph2ps {x}, {x}", x = out(xmm_reg) x, bits = in(reg) bits as u32) };
        x
    }

    /// What a kernel of [`super::module`] leaves behind, under a state of MXCSR.
    pub fn expected(width: u32, mxcsr: u32, x: u64, y: u64) -> [u64; 5] {
        match width {
            16 => {
                // Rounded twice in one direction is rounded once in it; and floats have digits enough for the nearest half.
                let (a, b) = (from_half(x), from_half(y));
                let all = [
                    under!(mxcsr, "addss {x}, {y}", a, b),
                    under!(mxcsr, "subss {x}, {y}", a, b),
                    under!(mxcsr, "mulss {x}, {y}", a, b),
                    under!(mxcsr, "divss {x}, {y}", a, b),
                    converted!(mxcsr, "cvtsi2ss {x}, {y:e}", i32::from(x as u16 as i16), 0f32),
                ];
                all.map(|value| to_half(mxcsr, value))
            }
            32 => {
                let (a, b) = (f32::from_bits(x as u32), f32::from_bits(y as u32));
                let all = [
                    under!(mxcsr, "addss {x}, {y}", a, b),
                    under!(mxcsr, "subss {x}, {y}", a, b),
                    under!(mxcsr, "mulss {x}, {y}", a, b),
                    under!(mxcsr, "divss {x}, {y}", a, b),
                    converted!(mxcsr, "cvtsi2ss {x}, {y:e}", x as u32, 0f32),
                ];
                all.map(|value| u64::from(value.to_bits()))
            }
            _ => {
                let (a, b) = (f64::from_bits(x), f64::from_bits(y));
                let all = [
                    under!(mxcsr, "addsd {x}, {y}", a, b),
                    under!(mxcsr, "subsd {x}, {y}", a, b),
                    under!(mxcsr, "mulsd {x}, {y}", a, b),
                    under!(mxcsr, "divsd {x}, {y}", a, b),
                    converted!(mxcsr, "cvtsi2sd {x}, {y:r}", x, 0f64),
                ];
                all.map(f64::to_bits)
            }
        }
    }
}

#[cfg(target_arch = "aarch64")]
mod host {
    use core::arch::asm;

    pub type State = u64;
    /// FPCR's values: rounding to the nearest, upwards, downwards, towards zero, or subnormals flushed.
    pub const NEAREST: u64 = 0;
    pub const UP: u64 = 1 << 22;
    pub const DOWN: u64 = 2 << 22;
    pub const TOWARDS_ZERO: u64 = 3 << 22;
    pub const FLUSH: u64 = 1 << 24;

    /// It converts halves.
    pub fn has_halves() -> bool {
        true
    }

    /// An operation of two floats, or with an integer in place of them.
    macro_rules! under {
        ($fpcr:expr, $op:literal, $x:expr, $y:expr) => {{
            let mut result = $x;
            // SAFETY: FPCR is put back; nothing else is computed between.
            unsafe {
                asm!("mrs {usual}, fpcr", "msr fpcr, {mode}", $op, "msr fpcr, {usual}", usual = out(reg) _, mode = in(reg) $fpcr,
                     x = inout(vreg) result, y = in(vreg) $y)
            };
            result
        }};
        ($fpcr:expr, $op:literal, integer $x:expr, $zero:expr) => {{
            let mut result = $zero;
            // SAFETY: as above.
            unsafe {
                asm!("mrs {usual}, fpcr", "msr fpcr, {mode}", $op, "msr fpcr, {usual}", usual = out(reg) _, mode = in(reg) $fpcr,
                     x = inout(vreg) result, y = in(reg) $x)
            };
            result
        }};
    }

    fn to_half(fpcr: u64, x: f32) -> u64 {
        let half = under!(fpcr, "fcvt {x:h}, {y:s}", 0f32, x);
        u64::from(half.to_bits() & 0xffff)
    }

    fn from_half(bits: u64) -> f32 {
        under!(NEAREST, "fcvt {x:s}, {y:h}", 0f32, f32::from_bits(bits as u32))
    }

    /// What a kernel of [`super::module`] leaves behind, under a state of FPCR.
    pub fn expected(width: u32, fpcr: u64, x: u64, y: u64) -> [u64; 5] {
        let singles = |a: f32, b: f32, integer: u32| {
            [
                under!(fpcr, "fadd {x:s}, {x:s}, {y:s}", a, b),
                under!(fpcr, "fsub {x:s}, {x:s}, {y:s}", a, b),
                under!(fpcr, "fmul {x:s}, {x:s}, {y:s}", a, b),
                under!(fpcr, "fdiv {x:s}, {x:s}, {y:s}", a, b),
                under!(fpcr, "scvtf {x:s}, {y:w}", integer integer, 0f32),
            ]
        };
        match width {
            // Rounded twice in one direction is rounded once in it; and floats have digits enough for the nearest half.
            16 => singles(from_half(x), from_half(y), i32::from(x as u16 as i16) as u32).map(|value| to_half(fpcr, value)),
            32 => singles(f32::from_bits(x as u32), f32::from_bits(y as u32), x as u32).map(|value| u64::from(value.to_bits())),
            _ => {
                let (a, b) = (f64::from_bits(x), f64::from_bits(y));
                let all = [
                    under!(fpcr, "fadd {x:d}, {x:d}, {y:d}", a, b),
                    under!(fpcr, "fsub {x:d}, {x:d}, {y:d}", a, b),
                    under!(fpcr, "fmul {x:d}, {x:d}, {y:d}", a, b),
                    under!(fpcr, "fdiv {x:d}, {x:d}, {y:d}", a, b),
                    under!(fpcr, "scvtf {x:d}, {y:x}", integer x, 0f64),
                ];
                all.map(f64::to_bits)
            }
        }
    }
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn check(width: u32, capabilities: &str, mode: &str, state: host::State) {
    const COUNT: usize = 1 << 14;
    let context = Context::new();
    let program = Program::from_il(&context, &module(width, capabilities, mode)).expect("a program");
    let program = program.build("").unwrap_or_else(|log| panic!("{mode} {width}: {log}"));
    let (a, b) = (inputs(width, COUNT, 1), inputs(width, COUNT, 2));
    let packed = |values: &[u64]| -> Vec<u8> {
        let bytes = (width / 8) as usize;
        values.iter().flat_map(|value| value.to_le_bytes()[..bytes].to_vec()).collect()
    };
    let (first, second) = (context.buffer(&packed(&a)), context.buffer(&packed(&b)));
    let infinity = (u64::MAX >> (65 - width)) & !((1 << [10, 23, 52][(width / 32) as usize]) - 1);
    let is_nan = |bits: u64| bits & (u64::MAX >> (65 - width)) > infinity;
    for (kernel, state) in [("k", state), ("plain", host::NEAREST)] {
        let results = context.zeros::<u8>(COUNT * 5 * (width / 8) as usize);
        program
            .kernel(kernel)
            .run(&context, &Range::new([COUNT]), &[&first, &second, &results]);
        let got = results.read();
        for (i, got) in got.chunks((width / 8) as usize).enumerate() {
            let got = got.iter().rev().fold(0u64, |bits, &byte| bits << 8 | u64::from(byte));
            let (x, y) = (a[i / 5], b[i / 5]);
            let want = host::expected(width, state, x, y)[i % 5];
            // What becomes the least normal number only by rounding is one here; the host's processor has flushed it before.
            let sign = 1 << (width - 1);
            let least_normal = want & !sign == 0 && got & !sign == infinity & infinity.wrapping_neg();
            assert!(
                got == want || (is_nan(got) && is_nan(want)) || (mode == "DenormFlushToZero" && least_normal),
                "{kernel} {mode} {width}: operation {} of {x:#x} and {y:#x}: {got:#x}, not {want:#x}",
                i % 5
            );
        }
    }
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[test]
fn kernels_round_as_their_execution_modes_say() {
    let intel = "OpCapability RoundToInfinityINTEL\nOpExtension \"SPV_INTEL_float_controls2\"";
    for width in [16, 32, 64] {
        if width == 16 && !host::has_halves() {
            continue;
        }
        check(width, "OpCapability RoundingModeRTE", "RoundingModeRTE", host::NEAREST);
        check(width, "OpCapability RoundingModeRTZ", "RoundingModeRTZ", host::TOWARDS_ZERO);
        check(width, intel, "RoundingModeRTPINTEL", host::UP);
        check(width, intel, "RoundingModeRTNINTEL", host::DOWN);
    }
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[test]
fn subnormals_are_flushed_where_an_execution_mode_says_so() {
    for width in [32, 64] {
        check(width, "OpCapability DenormFlushToZero", "DenormFlushToZero", host::FLUSH);
        check(width, "OpCapability DenormPreserve", "DenormPreserve", host::NEAREST);
    }
}

/// A kernel of `%x * %x - %y` where the product alone would be rounded to `%y`.
fn contracted(mode: &str, annotation: &str) -> u32 {
    let text = format!(
        "; Version: 1.4
        OpCapability Addresses
        OpCapability Kernel
        OpCapability FloatControls2
        OpExtension \"SPV_KHR_float_controls2\"
        OpMemoryModel Physical64 OpenCL
        OpEntryPoint Kernel %k \"k\"
        {mode}
        {annotation}
        %void = OpTypeVoid
        %uint = OpTypeInt 32 0
        %float = OpTypeFloat 32
        %pointer = OpTypePointer CrossWorkgroup %float
        %none = OpConstant %uint 0
        %contract = OpConstant %uint 65536
        %type = OpTypeFunction %void %pointer
        %k = OpFunction %void None %type
        %a = OpFunctionParameter %pointer
        %entry = OpLabel
        %x = OpLoad %float %a Aligned 4
        %one = OpInBoundsPtrAccessChain %pointer %a %contract_index
        %y = OpLoad %float %one Aligned 4
        %product = OpFMul %float %x %x
        %r = OpFSub %float %product %y
        OpStore %a %r Aligned 4
        OpReturn
        OpFunctionEnd"
    );
    let text = text.replace("%type =", "%contract_index = OpConstant %uint 1\n%type =");
    let context = Context::new();
    let program = Program::from_il(&context, &assemble(&text).expect("a module"))
        .expect("a program")
        .build("");
    let program = program.unwrap_or_else(|log| panic!("{log}"));
    let x = 1.0 + f32::EPSILON;
    let buffer = context.buffer(&[x, x * x]);
    program.kernel("k").run(&context, &Range::new([1]), &[&buffer]);
    buffer.read()[0].to_bits()
}

#[test]
fn fast_math_modes_have_defaults_by_type() {
    let lost = (f32::EPSILON * f32::EPSILON).to_bits();
    let default = |id: &str| format!("OpExecutionModeId %k FPFastMathDefault %float {id}");
    let both = |mode: &str| format!("OpDecorate %product FPFastMathMode {mode}\nOpDecorate %r FPFastMathMode {mode}");
    assert_eq!(contracted("", ""), lost, "contraction is on where nothing is said");
    assert_eq!(contracted(&default("%none"), ""), 0);
    assert_eq!(contracted(&default("%contract"), ""), lost);
    assert_eq!(contracted(&default("%none"), &both("AllowContract")), lost);
    assert_eq!(contracted(&default("%contract"), &both("None")), 0);
}

/// A hint that this device follows where it is faster.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[test]
fn subnormals_may_be_zeros() {
    let context = Context::new();
    let source = "kernel void k(global float *a, global double *b) { size_t i = get_global_id(0); a[i] *= 0.5f; b[i] *= 0.5; }";
    for (options, single, double) in [
        ("", f32::MIN_POSITIVE / 2.0, f64::MIN_POSITIVE / 2.0),
        ("-cl-denorms-are-zero", 0.0, 0.0),
    ] {
        let program = context.program(source, options);
        let (a, b) = (context.buffer(&[f32::MIN_POSITIVE; 64]), context.buffer(&[f64::MIN_POSITIVE; 64]));
        program.kernel("k").run(&context, &Range::new([64]), &[&a, &b]);
        assert_eq!(a.read(), [single; 64], "{options}");
        assert_eq!(b.read(), [double; 64], "{options}");
    }
}
