//! Kernels of MLIR's GPU dialect (`mlir/kernels.mlir`), brought to SPIR-V by MLIR's own conversions for the environment that the device prints.

use brolga_tests::{Context, Program, Range};
use compiler::environment::{Environment, mlir::target_env};
use std::io::Write;
use std::process::{Command, Stdio};

const KERNELS: &str = include_str!("../mlir/kernels.mlir");

const PIPELINE: &str = "builtin.module(gpu.module(convert-math-to-spirv),convert-gpu-to-spirv{use-64bit-index=true},\
                        gpu.module(spirv.module(spirv-lower-abi-attrs,spirv-update-vce)))";

/// What a program writes when it is given some text; `None` where it is not installed.
fn pipe(program: &str, arguments: &[&str], input: &str) -> Option<Vec<u8>> {
    let child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        println!("skipped: {program} is not installed (Debian: mlir-22-tools)");
        return None;
    };
    // It reads all before it writes.
    child.stdin.take().expect("piped").write_all(input.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    Some(output.stdout)
}

/// The `spirv.module` in a text.
fn spirv_module(text: &str) -> &str {
    let text = &text[text.find("spirv.module").expect("a spirv.module")..];
    let mut depth = 0;
    let end = text.char_indices().find(|&(_, character)| {
        depth += i32::from(character == '{') - i32::from(character == '}');
        depth == 0 && character == '}'
    });
    &text[..=end.expect("its end").0]
}

/// The kernels as SPIR-V, made for a target.
fn module(target: &str) -> Option<Vec<u8>> {
    let converted = pipe(
        "mlir-opt-22",
        &[&format!("--pass-pipeline={PIPELINE}")],
        &KERNELS.replace("TARGET", target),
    )?;
    let converted = String::from_utf8(converted).expect("text");
    pipe(
        "mlir-translate-22",
        &["--no-implicit-module", "--serialize-spirv"],
        spirv_module(&converted),
    )
}

fn run_all(il: &[u8]) {
    let context = Context::new();
    let program = Program::from_il(&context, il).expect("a program").build("").expect("it builds");
    let range = Range::new([64]).local([16]);
    let floats: Vec<f32> = (0..64).map(|i| i as f32).collect();
    let ints: Vec<i32> = (0..64).collect();
    let on_floats = |name: &str, argument: Option<&dyn brolga_tests::Argument>| {
        let buffer = context.buffer(&floats);
        let mut arguments: Vec<&dyn brolga_tests::Argument> = vec![&buffer];
        arguments.extend(argument);
        program.kernel(name).run(&context, &range, &arguments);
        buffer.read()
    };
    let on_ints = |name: &str| {
        let buffer = context.buffer(&ints);
        program.kernel(name).run(&context, &range, &[&buffer]);
        buffer.read()
    };
    assert_eq!(
        on_floats("scale", Some(&2.5f32)),
        floats.iter().map(|x| x * 2.5).collect::<Vec<_>>()
    );
    assert_eq!(on_floats("loop", Some(&3u64)), floats.iter().map(|x| x * 3.0).collect::<Vec<_>>());
    for (got, x) in on_floats("math", None).into_iter().zip(&floats) {
        let expected = x.sqrt().exp();
        assert!((got - expected).abs() <= 1e-5 * expected, "{got}, expected {expected}");
    }
    assert_eq!(
        on_ints("reverse"),
        ints.iter().map(|i| i / 16 * 16 + 15 - i % 16).collect::<Vec<_>>()
    );
    assert_eq!(
        on_ints("branch"),
        ints.iter().map(|&i| if i < 7 { 7 * i } else { i }).collect::<Vec<_>>()
    );
    assert_eq!(
        on_ints("sum"),
        ints.iter().map(|i| (0..16).map(|t| i / 16 * 16 + t).sum()).collect::<Vec<i32>>()
    );
    let table = context.zeros::<i32>(64 * 6);
    program.kernel("ids").run(&context, &range, &[&table]);
    for (i, row) in table.read().as_chunks::<6>().0.iter().enumerate() {
        let [group, size, local, groups, sub_group, sub_groups] = *row;
        assert_eq!([group, size, local, groups], [i as i32 / 16, 16, i as i32 % 16, 4]);
        assert_eq!(sub_group * sub_groups, 16, "{i}");
    }
}

/// For what the device prints, MLIR makes nothing that is tolerated only, but for its way with interfaces.
#[test]
fn kernels_for_the_printed_environment_run() {
    let Some(il) = module(&target_env(&Environment::device())) else {
        return;
    };
    let parsed = compiler::spirv::parse(&il).expect("a module");
    let warnings = compiler::environment::validate(parsed, &Environment::device(), &[], false).map(|(_, warnings)| warnings);
    let warnings = warnings.unwrap_or_else(|errors| panic!("{}", compiler::environment::log(&errors)));
    assert!(
        warnings.iter().all(|warning| warning.rule.id == "INTERFACE"),
        "{}",
        compiler::environment::log(&warnings)
    );
    run_all(&il);
}

/// With a capability that implies Shader, MLIR's built-in variables have 32 bits. They are taken all the same.
#[test]
fn kernels_with_narrow_built_ins_run() {
    let target = target_env(&Environment::device()).replacen("[", "[ShaderClockKHR, ", 1);
    let Some(il) = module(&target.replacen("], [", "], [SPV_KHR_shader_clock, ", 1)) else {
        return;
    };
    let parsed = compiler::spirv::parse(&il).expect("a module");
    let (_, warnings) = compiler::environment::validate(parsed, &Environment::device(), &[], false).expect("it is taken");
    assert!(warnings.iter().any(|warning| warning.rule.id == "BUILT_IN_TYPE"));
    run_all(&il);
}
