//! Conversions from and to floats of 8 bits (SPV_EXT_float8), compared with what a table of their numbers says.

use super::values::{doubles, floats, integers};
use brolga_tests::{Context, Plain, Program, Range};
use compiler::spirv::assemble;

/// A format: its name in SPIR-V, the bits of its fraction, its bias, and its largest finite number.
#[derive(Clone, Copy)]
struct Format {
    name: &'static str,
    fraction: i32,
    bias: i32,
    largest: u8,
    /// What numbers beyond that become, and what is no number.
    beyond: u8,
    nan: u8,
}

const FORMATS: [Format; 2] = [
    Format {
        name: "Float8E4M3EXT",
        fraction: 3,
        bias: 7,
        largest: 0x7e,
        beyond: 0x7f,
        nan: 0x7f,
    },
    Format {
        name: "Float8E5M2EXT",
        fraction: 2,
        bias: 15,
        largest: 0x7b,
        beyond: 0x7c,
        nan: 0x7e,
    },
];

impl Format {
    /// The size that these bits stand for, or would if there were no infinity and no NaN.
    fn size(self, bits: u8) -> f64 {
        let (exponent, fraction) = (i32::from(bits) >> self.fraction, f64::from(bits & ((1 << self.fraction) - 1)));
        let one = 2f64.powi(self.fraction);
        match exponent {
            0 => fraction / one * 2f64.powi(1 - self.bias),
            _ => (1.0 + fraction / one) * 2f64.powi(exponent - self.bias),
        }
    }

    fn decode(self, bits: u8) -> f64 {
        let sign = if bits & 0x80 == 0 { 1.0 } else { -1.0 };
        match bits & 0x7f {
            size if size <= self.largest => sign * self.size(size),
            size if size == 0x7c && self.beyond == 0x7c => sign * f64::INFINITY,
            _ => f64::NAN,
        }
    }

    fn encode(self, value: f64, mode: &str, saturates: bool) -> u8 {
        let sign = if value.is_sign_negative() { 0x80 } else { 0 };
        if value.is_nan() {
            return sign | self.nan;
        }
        let size = value.abs();
        let below = (0..=self.largest).rev().find(|&bits| self.size(bits) <= size).expect("0 is below");
        let (low, high) = (self.size(below), self.size(below + 1));
        let up = match mode {
            "RTZ" => false,
            "RTP" => sign == 0 && size > low,
            "RTN" => sign != 0 && size > low,
            _ => size - low > high - size || size - low == high - size && below % 2 == 1,
        };
        let bits = below + u8::from(up || size >= high);
        let bits = match (bits > self.largest, saturates) {
            (false, _) => bits,
            (true, true) => self.largest,
            (true, false) => self.beyond,
        };
        sign | bits
    }
}

/// A kernel `k(in, out)` that converts number after number by the instructions from `%x` to `%r`.
fn kernel(context: &Context, format: Format, from: &str, to: &str, body: &str, decorations: &str) -> Program {
    let text = format!(
        "OpCapability Addresses
OpCapability Kernel
OpCapability Int8
OpCapability Int16
OpCapability Int64
OpCapability Float64
OpCapability Float16
OpCapability Float8EXT
OpExtension \"SPV_EXT_float8\"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k \"k\" %gid
OpDecorate %gid BuiltIn GlobalInvocationId
{decorations}
%void = OpTypeVoid
%char = OpTypeInt 8 0
%int = OpTypeInt 32 0
%long = OpTypeInt 64 0
%long3 = OpTypeVector %long 3
%half = OpTypeFloat 16
%float = OpTypeFloat 32
%double = OpTypeFloat 64
%small = OpTypeFloat 8 {}
%ip = OpTypePointer Input %long3
%p_from = OpTypePointer CrossWorkgroup %{from}
%p_to = OpTypePointer CrossWorkgroup %{to}
%gid = OpVariable %ip Input
%type = OpTypeFunction %void %p_from %p_to
%k = OpFunction %void None %type
%in = OpFunctionParameter %p_from
%out = OpFunctionParameter %p_to
%entry = OpLabel
%ids = OpLoad %long3 %gid
%i = OpCompositeExtract %long %ids 0
%from = OpInBoundsPtrAccessChain %p_from %in %i
%to = OpInBoundsPtrAccessChain %p_to %out %i
%x = OpLoad %{from} %from
{body}
OpStore %to %r
OpReturn
OpFunctionEnd
",
        format.name
    );
    let il = assemble(&text).expect("it is assembly");
    Program::from_il(context, &il)
        .expect("it is SPIR-V")
        .build("")
        .expect("it compiles")
}

fn run<A: Plain, B: Plain>(program: &Program, context: &Context, values: &[A]) -> Vec<B> {
    let (from, to) = (context.buffer(values), context.zeros::<B>(values.len()));
    program.kernel("k").run(context, &Range::new([values.len()]), &[&from, &to]);
    to.read()
}

/// Runs the conversion with each rounding, saturating and not; `value` is a number as what is converted exactly.
fn convert<A: Plain>(from: &str, instruction: &str, values: &[A], value: impl Fn(A) -> f64) {
    let context = Context::new();
    for format in FORMATS {
        for (mode, decorated) in [
            ("", false),
            ("RTE", true),
            ("RTZ", false),
            ("RTP", true),
            ("RTP", false),
            ("RTN", false),
        ] {
            let mut decorations = String::new();
            if !mode.is_empty() {
                decorations += &format!("OpDecorate %r FPRoundingMode {mode}\n");
            }
            if decorated {
                decorations += "OpDecorate %r SaturatedToLargestFloat8NormalConversionEXT\n";
            }
            let program = kernel(
                &context,
                format,
                from,
                "small",
                &format!("%r = {instruction} %small %x"),
                &decorations,
            );
            let got: Vec<u8> = run(&program, &context, values);
            for (&from, got) in values.iter().zip(got) {
                let (value, want) = (value(from), format.encode(value(from), mode, decorated));
                let same = got == want || format.decode(got).is_nan() && format.decode(want).is_nan();
                assert!(same, "{} {mode} {decorated}: {value:e} is {got:#x}, not {want:#x}", format.name);
            }
        }
    }
}

#[test]
fn each_number_as_a_float_and_a_double() {
    let context = Context::new();
    let values: Vec<u8> = (0..=255).collect();
    for format in FORMATS {
        for (to, instruction) in [("float", "OpFConvert"), ("double", "OpFConvert")] {
            let program = kernel(&context, format, "small", to, &format!("%r = {instruction} %{to} %x"), "");
            let got: Vec<f64> = match to {
                "float" => run::<u8, f32>(&program, &context, &values).into_iter().map(f64::from).collect(),
                _ => run(&program, &context, &values),
            };
            for (&bits, got) in values.iter().zip(got) {
                let want = format.decode(bits);
                let same = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
                assert!(same, "{} {bits:#x} as {to}: {got:e}, not {want:e}", format.name);
            }
        }
        let whole = kernel(&context, format, "small", "int", "%r = OpConvertFToS %int %x", "");
        let values: Vec<u8> = values.iter().copied().filter(|&bits| format.decode(bits).is_finite()).collect();
        let got: Vec<i32> = run(&whole, &context, &values);
        let want: Vec<i32> = values.iter().map(|&bits| format.decode(bits) as i32).collect();
        assert_eq!(got, want);
    }
}

#[test]
fn floats_and_doubles_are_rounded_once() {
    let mut values = floats(2000, 7);
    // Every number, what lies half-way between two, and what lies next to that.
    for format in FORMATS {
        for bits in 0..=format.largest {
            let (low, high) = (format.size(bits) as f32, format.size(bits + 1) as f32);
            for value in [low, (low + high) / 2.0] {
                values.extend([value, -value, value.next_up(), -value.next_down()]);
            }
        }
    }
    convert("float", "OpFConvert", &values, f64::from);
    let mut wide = doubles(2000, 9);
    wide.extend(
        values
            .iter()
            .flat_map(|&value| [f64::from(value).next_up(), f64::from(value).next_down()]),
    );
    convert("double", "OpFConvert", &wide, |value| value);
}

#[test]
fn integers_are_rounded_once() {
    convert("int", "OpConvertSToF", &integers::<i32>(2000, 3), f64::from);
    convert("int", "OpConvertUToF", &integers::<u32>(2000, 4), f64::from);
    let small = |value: i64| value.clamp(-1 << 40, 1 << 40) as f64;
    convert("long", "OpConvertSToF", &integers::<i64>(2000, 5), small);
    let bytes: Vec<i8> = (-128..=127).collect();
    convert("char", "OpConvertSToF", &bytes, f64::from);
}
