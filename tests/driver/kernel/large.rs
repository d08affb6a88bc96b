//! Programs of a size that generators write: long chains of calls, thousands of blocks, hundreds of barriers, very many instructions.

use brolga_tests::{Context, Local, Program, Range, spirv};
use std::fmt::Write;

const HEAD: &str = "OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k \"k\" %gid %lid
OpDecorate %gid BuiltIn GlobalInvocationId
OpDecorate %lid BuiltIn LocalInvocationId
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%v3ulong = OpTypeVector %ulong 3
%ptr_in = OpTypePointer Input %v3ulong
%ptr = OpTypePointer CrossWorkgroup %uint
%local = OpTypePointer Workgroup %uint
%gid = OpVariable %ptr_in Input
%lid = OpVariable %ptr_in Input
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c2 = OpConstant %uint 2
%c3 = OpConstant %uint 3
%c5 = OpConstant %uint 5
%c63 = OpConstant %uint 63
%scope = OpConstant %uint 2
%semantics = OpConstant %uint 264
%type = OpTypeFunction %void %ptr %local
%f_type = OpTypeFunction %uint %uint
";

const START: &str = "%k = OpFunction %void None %type
%a = OpFunctionParameter %ptr
%t = OpFunctionParameter %local
%entry = OpLabel
%id = OpLoad %v3ulong %gid
%i = OpCompositeExtract %ulong %id 0
%place = OpInBoundsPtrAccessChain %ptr %a %i
%x0 = OpLoad %uint %place Aligned 4
%li = OpLoad %v3ulong %lid
%l = OpCompositeExtract %ulong %li 0
%l32 = OpUConvert %uint %l
";

/// Runs a kernel that makes each of 128 numbers of it, in groups of 64.
fn run(functions: &str, body: &str, result: &str, want: impl Fn(&[u32], usize) -> u32) {
    let text = format!("{HEAD}{functions}{START}{body}OpStore %place {result} Aligned 4\nOpReturn\nOpFunctionEnd\n");
    let context = Context::new();
    let program = Program::from_il(&context, &spirv::assemble(&text))
        .expect("SPIR-V")
        .build("")
        .expect("it builds");
    let values: Vec<u32> = (0..128u32).map(|i| i.wrapping_mul(2654435761)).collect();
    let a = context.buffer(&values);
    program
        .kernel("k")
        .run(&context, &Range::new([128]).local([64]), &[&a, &Local(256)]);
    let expected: Vec<u32> = (0..128).map(|i| want(&values, i)).collect();
    assert_eq!(a.read(), expected);
}

/// `BROLGA_LARGE` says another percentage. A driver that is not optimized itself takes 20 times as long.
fn size(usual: u32) -> u32 {
    let asked = std::env::var("BROLGA_LARGE").ok().and_then(|text| text.parse::<u32>().ok());
    usual * asked.unwrap_or(if cfg!(debug_assertions) { 30 } else { 100 }) / 100
}

#[test]
fn a_chain_of_calls() {
    let count = size(1000);
    let mut functions = String::new();
    for n in (0..count).rev() {
        let _ = writeln!(
            functions,
            "%f{n} = OpFunction %uint None %f_type\n%p{n} = OpFunctionParameter %uint\n%b{n} = OpLabel"
        );
        let _ = writeln!(
            functions,
            "%m{n} = OpIMul %uint %p{n} %c3\n%s{n} = OpIAdd %uint %m{n} %c{}",
            [1, 2, 5][n as usize % 3]
        );
        let result = if n + 1 == count { format!("%s{n}") } else { format!("%r{n}") };
        if n + 1 < count {
            let _ = writeln!(functions, "%r{n} = OpFunctionCall %uint %f{} %s{n}", n + 1);
        }
        let _ = writeln!(functions, "OpReturnValue {result}\nOpFunctionEnd");
    }
    run(&functions, "%r = OpFunctionCall %uint %f0 %x0\n", "%r", |values, i| {
        (0..count).fold(values[i], |x, n| x.wrapping_mul(3).wrapping_add([1, 2, 5][n as usize % 3]))
    });
}

#[test]
fn thousands_of_blocks() {
    let count = size(1600);
    let mut body = String::new();
    for n in 0..count {
        let next = n + 1;
        let _ = writeln!(
            body,
            "%bits{n} = OpBitwiseAnd %uint %x{n} %c{}
            %if{n} = OpIEqual %bool %bits{n} %c1
            OpBranchConditional %if{n} %then{n} %else{n}
            %then{n} = OpLabel
            %y{n} = OpIMul %uint %x{n} %c5
            OpBranch %join{n}
            %else{n} = OpLabel
            %z{n} = OpIAdd %uint %x{n} %c{}
            OpBranch %join{n}
            %join{n} = OpLabel
            %x{next} = OpPhi %uint %y{n} %then{n} %z{n} %else{n}",
            [1, 3][n as usize % 2],
            [1, 2, 5][n as usize % 3]
        );
    }
    run("", &body, &format!("%x{count}"), |values, i| {
        (0..count).fold(values[i], |x, n| match x & [1, 3][n as usize % 2] {
            1 => x.wrapping_mul(5),
            _ => x.wrapping_add([1, 2, 5][n as usize % 3]),
        })
    });
}

#[test]
fn hundreds_of_barriers() {
    let count = size(200);
    let mut body = "%own = OpInBoundsPtrAccessChain %local %t %l\n".to_string();
    for n in 0..count {
        let next = n + 1;
        let _ = writeln!(
            body,
            "OpStore %own %x{n} Aligned 4
            OpControlBarrier %scope %scope %semantics
            %up{n} = OpIAdd %uint %l32 %c{}
            %at{n} = OpBitwiseAnd %uint %up{n} %c63
            %atl{n} = OpUConvert %ulong %at{n}
            %other{n} = OpInBoundsPtrAccessChain %local %t %atl{n}
            %o{n} = OpLoad %uint %other{n} Aligned 4
            OpControlBarrier %scope %scope %semantics
            %t{n} = OpIMul %uint %o{n} %c3
            %x{next} = OpIAdd %uint %t{n} %x{n}",
            [1, 2, 5][n as usize % 3]
        );
    }
    run("", &body, &format!("%x{count}"), |values, i| {
        let mut group = values[i / 64 * 64..][..64].to_vec();
        for n in 0..count as usize {
            group = (0..64)
                .map(|l| group[(l + [1, 2, 5][n % 3]) & 63].wrapping_mul(3).wrapping_add(group[l]))
                .collect();
        }
        group[i % 64]
    });
}

#[test]
fn very_many_instructions() {
    let count = size(25_000);
    let mut body = String::new();
    for n in 0..count {
        let next = n + 1;
        let _ = writeln!(
            body,
            "%m{n} = OpIMul %uint %x{n} %c{}\n%s{n} = OpShiftRightLogical %uint %x{n} %c{}\n%e{n} = OpBitwiseXor %uint %m{n} %s{n}\n%x{next} = OpIAdd %uint %e{n} %c{}",
            [3, 5][n as usize % 2],
            [1, 2, 3, 5][n as usize % 4],
            [1, 2, 5][n as usize % 3]
        );
    }
    run("", &body, &format!("%x{count}"), |values, i| {
        (0..count as usize).fold(values[i], |x, n| {
            (x.wrapping_mul([3, 5][n % 2]) ^ (x >> [1, 2, 3, 5][n % 4])).wrapping_add([1, 2, 5][n % 3])
        })
    });
}
