//! What a kernel costs from the IR to machine code, by its size: it is to be at most a millisecond for a thousand operations, and linear.
//! `cargo bench -p brolga-compiler --bench compile_time [-- PART-OF-A-NAME]`.

use compiler::spirv::assemble;
use compiler::{BuildOptions, Kernel, LaunchFacts, Module, Program};
use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

const HEAD: &str = "\
OpCapability Kernel
OpCapability Addresses
OpCapability Int64
%std = OpExtInstImport \"OpenCL.std\"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %kernel \"k\" %gid
OpDecorate %gid BuiltIn GlobalInvocationId
OpDecorate %gid Constant
%void = OpTypeVoid
%bool = OpTypeBool
%int = OpTypeInt 32 0
%long = OpTypeInt 64 0
%long3 = OpTypeVector %long 3
%float = OpTypeFloat 32
%gp_float = OpTypePointer CrossWorkgroup %float
%in_long3 = OpTypePointer Input %long3
%type = OpTypeFunction %void %gp_float %gp_float %int
%zero = OpConstant %int 0
%one = OpConstant %int 1
%half = OpConstant %float 0.5
%third = OpConstant %float 0.25
%gid = OpVariable %in_long3 Input
";

const START: &str = "\
%kernel = OpFunction %void None %type
%data = OpFunctionParameter %gp_float
%other = OpFunctionParameter %gp_float
%count = OpFunctionParameter %int
%start = OpLabel
%ids = OpLoad %long3 %gid Aligned 32
%id = OpCompositeExtract %long %ids 0
OpBranch %join0
%join0 = OpLabel
%acc0 = OpFAdd %float %half %third
";

/// A part of a kernel: what it adds to `%acc{n}` is `%acc{n+1}`, and it goes from `%join{n}` to `%join{n+1}`.
type Part = fn(&mut String, usize);

/// One access after the other.
fn straight(text: &mut String, n: usize) {
    let m = n + 1;
    let _ = write!(
        text,
        "%index{n} = OpIAdd %long %id %c{n}
%at{n} = OpInBoundsPtrAccessChain %gp_float %data %index{n}
%to{n} = OpInBoundsPtrAccessChain %gp_float %other %index{n}
%x{n} = OpLoad %float %at{n} Aligned 4
%y{n} = OpFMul %float %x{n} %half
%z{n} = OpFAdd %float %y{n} %acc{n}
OpStore %to{n} %z{n} Aligned 4
%acc{m} = OpFSub %float %z{n} %x{n}
OpBranch %join{m}
%join{m} = OpLabel
"
    );
}

/// A condition and a loop, as in everyday kernels.
fn everyday(text: &mut String, n: usize) {
    let m = n + 1;
    let _ = write!(
        text,
        "%index{n} = OpIAdd %long %id %c{n}
%at{n} = OpInBoundsPtrAccessChain %gp_float %data %index{n}
%x{n} = OpLoad %float %at{n} Aligned 4
%y{n} = OpFMul %float %x{n} %half
%less{n} = OpFOrdLessThan %bool %y{n} %acc{n}
OpSelectionMerge %merge{n} None
OpBranchConditional %less{n} %then{n} %merge{n}
%then{n} = OpLabel
%root{n} = OpExtInst %float %std sqrt %x{n}
OpStore %at{n} %root{n} Aligned 4
OpBranch %merge{n}
%merge{n} = OpLabel
%value{n} = OpPhi %float %y{n} %join{n} %root{n} %then{n}
OpBranch %head{n}
%head{n} = OpLabel
%i{n} = OpPhi %int %zero %merge{n} %next{n} %body{n}
%sum{n} = OpPhi %float %value{n} %merge{n} %more{n} %body{n}
%goes{n} = OpSLessThan %bool %i{n} %count
OpLoopMerge %join{m} %body{n} None
OpBranchConditional %goes{n} %body{n} %join{m}
%body{n} = OpLabel
%wide{n} = OpSConvert %long %i{n}
%place{n} = OpIAdd %long %index{n} %wide{n}
%from{n} = OpInBoundsPtrAccessChain %gp_float %other %place{n}
%loaded{n} = OpLoad %float %from{n} Aligned 4
%more{n} = OpExtInst %float %std fma %loaded{n} %third %sum{n}
%next{n} = OpIAdd %int %i{n} %one
OpBranch %head{n}
%join{m} = OpLabel
%acc{m} = OpFAdd %float %sum{n} %half
"
    );
}

/// Functions of OpenCL's that are many operations each.
fn mathematical(text: &mut String, n: usize) {
    let m = n + 1;
    let _ = write!(
        text,
        "%index{n} = OpIAdd %long %id %c{n}
%at{n} = OpInBoundsPtrAccessChain %gp_float %data %index{n}
%x{n} = OpLoad %float %at{n} Aligned 4
%e{n} = OpExtInst %float %std exp %x{n}
%l{n} = OpExtInst %float %std log %e{n}
%acc{m} = OpFAdd %float %l{n} %acc{n}
OpBranch %join{m}
%join{m} = OpLabel
"
    );
}

fn module(part: Part, parts: usize) -> Arc<Module> {
    let mut text = HEAD.to_owned();
    for n in 0..parts {
        let _ = writeln!(text, "%c{n} = OpConstant %long {}", 16 * n + 1);
    }
    text += START;
    (0..parts).for_each(|n| part(&mut text, n));
    let _ = writeln!(
        text,
        "%end = OpInBoundsPtrAccessChain %gp_float %other %id\nOpStore %end %acc{parts} Aligned 4\nOpReturn\nOpFunctionEnd"
    );
    Module::from_il(&assemble(&text).expect("a module"), &[]).expect("it is valid")
}

fn kernel(program: &Program) -> &Kernel {
    program.kernels.iter().find(|kernel| kernel.info.name == "k").expect("the kernel")
}

fn operations(program: &Program) -> usize {
    let (module, function) = kernel(program).work_item_code();
    module.functions[function].inst_count()
}

fn facts() -> LaunchFacts {
    LaunchFacts {
        local_size: [64, 1, 1],
        work_dim: 1,
        full_groups: true,
        zero_offset: true,
        ids_fit_31_bits: true,
        small_objects: true,
        stop_word: None,
        arguments: Default::default(),
    }
}

/// The smallest time of some, each on a program that has not been compiled yet.
fn best(module: &Arc<Module>, work: impl Fn(&Kernel)) -> Duration {
    let start = Instant::now();
    let mut best = Duration::MAX;
    let mut rounds = 0;
    while rounds < 2 || (rounds < 50 && start.elapsed() < Duration::from_millis(300)) {
        let program = compiler::link(std::slice::from_ref(module), &BuildOptions::default()).expect("a program");
        let before = Instant::now();
        work(kernel(&program));
        best = best.min(before.elapsed());
        rounds += 1;
    }
    best
}

fn main() {
    let filter = std::env::args()
        .skip(1)
        .find(|argument| !argument.starts_with('-'))
        .unwrap_or_default();
    println!("kernel         operations   to work-group   to code (ms)    a thousand operations (ms, at most 1)");
    let kinds: [(&str, Part); 3] = [("straight", straight), ("everyday", everyday), ("mathematical", mathematical)];
    for (name, part) in kinds.into_iter().filter(|(name, _)| name.contains(&filter)) {
        let few = compiler::link(&[module(part, 10)], &BuildOptions::default()).expect("a program");
        let a_part = operations(&few) as f64 / 10.0;
        for size in [1_000, 3_000, 10_000, 30_000, 100_000] {
            let module = module(part, (f64::from(size) / a_part).ceil() as usize);
            let program = compiler::link(std::slice::from_ref(&module), &BuildOptions::default()).expect("a program");
            let count = operations(&program);
            let group = best(&module, |kernel| drop(kernel.work_group_code(&facts()).expect("it is formed")));
            let all = best(&module, |kernel| drop(kernel.variant(&facts()).expect("it is compiled")));
            println!(
                "{name:14} {count:10} {:>15.2} {:>14.2} {:>14.2}",
                group.as_secs_f64() * 1e3,
                all.as_secs_f64() * 1e3,
                all.as_secs_f64() * 1e6 / count as f64
            );
        }
    }
}
