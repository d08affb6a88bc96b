//! What modules look like; that they do what they should is for the driver's tests to say.

use crate::{CompileOptions, Input, Product, compile};
use rspirv::spirv::{Decoration, Op, OpenclStd100Op as StdOp};

/// The instructions of a program's module: opcode and operands.
fn module(source: &str, options: &CompileOptions) -> Vec<(u32, Vec<u32>)> {
    let output = compile(&Input {
        name: "test.cl",
        source: source.as_bytes(),
        headers: &[],
        options,
    });
    let Some(Product::Spirv(words)) = output.product else {
        panic!("{}", output.log)
    };
    let mut rest = &words[5..];
    let mut list = Vec::new();
    while let Some(&first) = rest.first() {
        let (instruction, after) = rest.split_at((first >> 16) as usize);
        list.push((first & 0xffff, instruction[1..].to_vec()));
        rest = after;
    }
    list
}

fn options() -> CompileOptions {
    CompileOptions {
        version: 300,
        // Nothing is kept for other modules.
        whole: true,
        ..CompileOptions::default()
    }
}

fn count(module: &[(u32, Vec<u32>)], op: Op) -> usize {
    module.iter().filter(|(code, _)| *code == op as u32).count()
}

#[test]
fn what_no_kernel_reaches_is_not_emitted() {
    let source = "static int f(int x) { return x; } static int g(int x) { return f(x); } static int unused(int x) { return x; }
                  kernel void k(global int *o) { *o = g(1); }";
    let functions = count(&module(source, &options()), Op::Function);
    assert_eq!(functions, 3);
    let exported = "int h(int x) { return x; } kernel void k(global int *o) { *o = 1; }";
    assert_eq!(count(&module(exported, &options()), Op::Function), 1);
    // Others may call the function, and the kernel.
    let for_linking = CompileOptions { whole: false, ..options() };
    assert_eq!(count(&module(exported, &for_linking), Op::Function), 3);
}

/// Modules call each other's kernels by the name that clang gives the function beside an entry point.
#[test]
fn kernels_of_other_modules_are_called_by_name() {
    let for_linking = CompileOptions { whole: false, ..options() };
    let linkage = |source| {
        let module = module(source, &for_linking);
        let is_linkage = |words: &[u32]| words.get(1) == Some(&(rspirv::spirv::Decoration::LinkageAttributes as u32));
        let found = module
            .into_iter()
            .filter(|(code, words)| *code == Op::Decorate as u32 && is_linkage(words));
        let names = found.map(|(_, words)| (words[2..words.len() - 1].to_vec(), words[words.len() - 1]));
        names.collect::<Vec<_>>()
    };
    let defined = linkage("kernel void a(global int *o) { *o = 1; }");
    let called = linkage("kernel void a(global int *o); static void f(global int *o) { a(o); } kernel void b(global int *o) { f(o); }");
    let [(name, export)] = &defined[..] else {
        panic!("one name: {defined:?}")
    };
    assert_eq!(*export, rspirv::spirv::LinkageType::Export as u32);
    assert!(
        called.contains(&(name.clone(), rspirv::spirv::LinkageType::Import as u32)),
        "{called:?}"
    );
}

#[test]
fn a_kernel_that_is_called_is_a_function_too() {
    let source = "kernel void a(global int *o) { *o = 1; } kernel void b(global int *o) { a(o); }";
    let module = module(source, &options());
    assert_eq!((count(&module, Op::EntryPoint), count(&module, Op::Function)), (2, 3));
}

#[test]
fn variables_with_one_value_are_values() {
    let source = "kernel void k(global int *o, int n) { int twice = n * 2; const int4 v = (int4)(twice); *o = v.x + twice; }";
    assert_eq!(count(&module(source, &options()), Op::Variable), 0);
    let changed = "kernel void k(global int *o, int n) { n += 1; *o = n; }";
    assert_eq!(count(&module(changed, &options()), Op::Variable), 1);
}

#[test]
fn products_and_sums_are_fused_where_the_language_lets_them() {
    let source = "kernel void k(global float *o, float a, float b) { o[0] = a * b + o[1]; o[2] += a * b; float p = a * b; o[3] = p + a; }";
    let fused = module(source, &options());
    assert_eq!(
        (count(&fused, Op::FMul), count(&fused, Op::FAdd), count(&fused, Op::ExtInst)),
        (1, 1, 2)
    );
    let without = CompileOptions {
        fused_multiply_add: false,
        ..options()
    };
    let apart = module(source, &without);
    assert_eq!((count(&apart, Op::FMul), count(&apart, Op::ExtInst)), (3, 0));
    let with_halves = CompileOptions {
        features: vec!["cl_khr_fp16".to_owned()],
        ..options()
    };
    let of_halves = format!("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n{}", source.replace("float", "half"));
    let halves = module(&of_halves, &with_halves);
    assert_eq!((count(&halves, Op::FMul), count(&halves, Op::ExtInst)), (1, 2));
    let is_mad = |words: &[u32]| words[3] == StdOp::mad as u32;
    assert!(halves.iter().all(|(code, words)| *code != Op::ExtInst as u32 || is_mad(words)));
}

#[test]
fn options_become_decorations() {
    let source = "kernel void k(global float *o) { o[0] = o[1] + o[2]; }";
    let fast = CompileOptions {
        fast_relaxed_math: true,
        ..options()
    };
    let modes_of = |source: &str, options: &CompileOptions| {
        let module = module(source, options);
        let is_mode = |words: &[u32]| words[1] == Decoration::FPFastMathMode as u32;
        module
            .iter()
            .filter(|(code, words)| *code == Op::Decorate as u32 && is_mode(words))
            .count()
    };
    assert_eq!((modes_of(source, &options()), modes_of(source, &fast)), (0, 1));
    // Functions of floats are decorated, those of integers are not: no module may say it of these.
    let functions = |ty: &str| format!("kernel void k(global {ty} *o) {{ o[0] = max(o[1], o[2]); o[3] = clamp(o[4], o[5], o[6]); }}");
    assert_eq!(modes_of(&functions("float2"), &fast), 2);
    assert_eq!((modes_of(&functions("int"), &fast), modes_of(&functions("uint4"), &fast)), (0, 0));
    let debug = CompileOptions {
        debug_information: true,
        ..options()
    };
    assert_eq!(count(&module(source, &options()), Op::Line), 0);
    assert!(count(&module(source, &debug), Op::Line) > 0);
}

#[test]
fn code_after_a_jump_is_dropped() {
    let source = "kernel void k(global int *o) { if (*o) return; else return; *o = 1; }";
    let module = module(source, &options());
    assert_eq!(count(&module, Op::Store), 0);
    assert_eq!(count(&module, Op::Unreachable), 0);
}

#[test]
fn a_function_may_end_without_a_value() {
    let counts = |body: &str| {
        let source = format!("int f(global int *o) {{ {body} }} kernel void k(global int *o) {{ f(o); o[1] = 2; }}");
        let module = module(&source, &options());
        [Op::Unreachable, Op::ReturnValue].map(|op| count(&module, op))
    };
    assert_eq!(counts("*o = 1;"), [0, 1]);
    assert_eq!(counts("if (*o) return 1;"), [0, 2]);
    assert_eq!(counts("if (*o) return 1; else return 2;"), [0, 2]);
}

#[test]
fn half_constants_are_rounded_to_the_nearest() {
    use super::globals::half_bits;
    for (value, bits) in [
        (0.0, 0),
        (-0.0, 0x8000),
        (1.0, 0x3c00),
        (65504.0, 0x7bff),
        (65519.0, 0x7bff),
        (65520.0, 0x7c00),
        (f64::INFINITY, 0x7c00),
        (5.960464477539063e-8, 1),
        (2.9802322387695312e-8, 0),
        (6.103515625e-5, 0x0400),
        (1.00048828125, 0x3c00),
        (1.0004882812500002, 0x3c01),
    ] {
        assert_eq!(half_bits(value), bits, "{value}");
    }
}

/// The type of samplers needs the capability of images, where there are none.
#[test]
fn samplers_declare_images() {
    let options = CompileOptions {
        features: vec!["__opencl_c_images".into()],
        ..options()
    };
    let module = module("kernel void k(sampler_t sampler, global int *o) { *o = 1; }", &options);
    let declared = (Op::Capability as u32, vec![rspirv::spirv::Capability::ImageBasic as u32]);
    assert!(module.contains(&declared), "{module:?}");
}
