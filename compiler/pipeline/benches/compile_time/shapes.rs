//! Kernels of any size, in SPIR-V assembly, of the shapes that programs have.

use std::fmt::Write;

const HEAD: &str = "\
OpCapability Kernel
OpCapability Addresses
OpCapability Int64
%std = OpExtInstImport \"OpenCL.std\"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %kernel \"k\" %gid %lid
OpDecorate %gid BuiltIn GlobalInvocationId
OpDecorate %gid Constant
OpDecorate %lid BuiltIn LocalInvocationId
OpDecorate %lid Constant
%void = OpTypeVoid
%bool = OpTypeBool
%int = OpTypeInt 32 0
%long = OpTypeInt 64 0
%long3 = OpTypeVector %long 3
%float = OpTypeFloat 32
%gp_float = OpTypePointer CrossWorkgroup %float
%lp_float = OpTypePointer Workgroup %float
%in_long3 = OpTypePointer Input %long3
%type = OpTypeFunction %void %gp_float %gp_float %int %lp_float
%part_type = OpTypeFunction %float %gp_float %long %float
%zero = OpConstant %int 0
%one = OpConstant %int 1
%scope = OpConstant %int 2
%semantics = OpConstant %int 264
%mask = OpConstant %long 63
%half = OpConstant %float 0.5
%third = OpConstant %float 0.25
%gid = OpVariable %in_long3 Input
%lid = OpVariable %in_long3 Input
";

const START: &str = "\
%kernel = OpFunction %void None %type
%data = OpFunctionParameter %gp_float
%other = OpFunctionParameter %gp_float
%count = OpFunctionParameter %int
%tile = OpFunctionParameter %lp_float
%start = OpLabel
%ids = OpLoad %long3 %gid Aligned 32
%id = OpCompositeExtract %long %ids 0
%locals = OpLoad %long3 %lid Aligned 32
%local = OpCompositeExtract %long %locals 0
%own = OpInBoundsPtrAccessChain %lp_float %tile %local
OpBranch %join0
%join0 = OpLabel
%acc0 = OpFAdd %float %half %third
";

/// What a part adds to `%acc{n}` is `%acc{n+1}`, and it goes from `%join{n}` to `%join{n+1}`.
pub struct Shape {
    /// What it is called.
    pub name: &'static str,
    /// Writes a part.
    part: fn(&mut String, usize),
    /// Writes a function that the part calls.
    function: Option<fn(&mut String, usize)>,
    /// The parts are loops, each in the one before, instead of what `part` writes.
    is_nest: bool,
}

/// Loops in each other, as many as there are parts.
pub const NEST: Shape = Shape {
    is_nest: true,
    ..shape("nest", nests)
};

/// All of them.
pub const SHAPES: [Shape; 7] = [
    shape("straight", straight),
    shape("everyday", everyday),
    shape("mathematical", mathematical),
    shape("branches", branches),
    shape("nests", nests),
    Shape {
        function: Some(callee),
        ..shape("calls", calls)
    },
    shape("barriers", barriers),
];

const fn shape(name: &'static str, part: fn(&mut String, usize)) -> Shape {
    Shape {
        name,
        part,
        function: None,
        is_nest: false,
    }
}

impl Shape {
    /// A kernel of so many parts.
    pub fn text(&self, parts: usize) -> String {
        let mut text = HEAD.to_owned();
        for n in 0..parts {
            let _ = writeln!(text, "%c{n} = OpConstant %long {}", 16 * n + 1);
        }
        if let Some(function) = self.function {
            (0..parts).for_each(|n| function(&mut text, n));
        }
        text += START;
        let last = match self.is_nest {
            true => {
                nest(&mut text, 0, parts);
                1
            }
            false => {
                (0..parts).for_each(|n| (self.part)(&mut text, n));
                parts
            }
        };
        let _ = writeln!(
            text,
            "%end = OpInBoundsPtrAccessChain %gp_float %other %id\nOpStore %end %acc{last} Aligned 4\nOpReturn\nOpFunctionEnd"
        );
        text
    }
}

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

/// Lanes part and meet again, with something to do on either side that takes a branch.
fn branches(text: &mut String, n: usize) {
    let m = n + 1;
    let _ = write!(
        text,
        "%index{n} = OpIAdd %long %id %c{n}
%at{n} = OpInBoundsPtrAccessChain %gp_float %data %index{n}
%less{n} = OpFOrdLessThan %bool %acc{n} %third
OpSelectionMerge %join{m} None
OpBranchConditional %less{n} %then{n} %else{n}
%then{n} = OpLabel
%x{n} = OpLoad %float %at{n} Aligned 4
%y{n} = OpFMul %float %x{n} %acc{n}
OpBranch %join{m}
%else{n} = OpLabel
OpStore %at{n} %acc{n} Aligned 4
%z{n} = OpFAdd %float %half %acc{n}
OpBranch %join{m}
%join{m} = OpLabel
%acc{m} = OpPhi %float %y{n} %then{n} %z{n} %else{n}
"
    );
}

/// How many loops are in each other.
const DEPTH: usize = 6;

/// Loops in loops.
fn nests(text: &mut String, n: usize) {
    nest(text, n, DEPTH);
}

fn nest(text: &mut String, n: usize, depth: usize) {
    let m = n + 1;
    let _ = writeln!(text, "%index{n} = OpIAdd %long %id %c{n}\nOpBranch %head{n}_0");
    for level in 0..depth {
        let outer = match level {
            0 => format!("%join{n}"),
            _ => format!("%body{n}_{}", level - 1),
        };
        let behind = match level {
            0 => format!("%join{m}"),
            _ => format!("%latch{n}_{}", level - 1),
        };
        let start = match level {
            0 => format!("%acc{n}"),
            _ => format!("%sum{n}_{}", level - 1),
        };
        let (latch, more) = match level + 1 {
            inner if inner == depth => (format!("%body{n}_{level}"), format!("%more{n}")),
            inner => (format!("%latch{n}_{level}"), format!("%sum{n}_{inner}")),
        };
        let _ = write!(
            text,
            "%head{n}_{level} = OpLabel
%i{n}_{level} = OpPhi %int %zero {outer} %next{n}_{level} {latch}
%sum{n}_{level} = OpPhi %float {start} {outer} {more} {latch}
%goes{n}_{level} = OpSLessThan %bool %i{n}_{level} %count
OpLoopMerge {behind} {latch} None
OpBranchConditional %goes{n}_{level} %body{n}_{level} {behind}
%body{n}_{level} = OpLabel
%next{n}_{level} = OpIAdd %int %i{n}_{level} %one
"
        );
        if level + 1 < depth {
            let _ = writeln!(text, "OpBranch %head{n}_{}", level + 1);
        }
    }
    let last = depth - 1;
    let _ = write!(
        text,
        "%wide{n} = OpSConvert %long %i{n}_{last}
%place{n} = OpIAdd %long %index{n} %wide{n}
%from{n} = OpInBoundsPtrAccessChain %gp_float %data %place{n}
%loaded{n} = OpLoad %float %from{n} Aligned 4
%more{n} = OpFAdd %float %loaded{n} %sum{n}_{last}
OpBranch %head{n}_{last}
"
    );
    for level in (0..last).rev() {
        let _ = writeln!(text, "%latch{n}_{level} = OpLabel\nOpBranch %head{n}_{level}");
    }
    let _ = write!(text, "%join{m} = OpLabel\n%acc{m} = OpFAdd %float %sum{n}_0 %half\n");
}

/// Two calls of a function that nobody else calls.
fn calls(text: &mut String, n: usize) {
    let m = n + 1;
    let _ = write!(
        text,
        "%r{n} = OpFunctionCall %float %f{n} %data %id %acc{n}
%acc{m} = OpFunctionCall %float %f{n} %other %id %r{n}
OpBranch %join{m}
%join{m} = OpLabel
"
    );
}

/// What it calls: large enough to be left alone in a large kernel.
fn callee(text: &mut String, n: usize) {
    let _ = write!(
        text,
        "%f{n} = OpFunction %float None %part_type
%fp{n} = OpFunctionParameter %gp_float
%fi{n} = OpFunctionParameter %long
%fx{n}_0 = OpFunctionParameter %float
%fl{n} = OpLabel
"
    );
    for step in 0..20 {
        let _ = write!(
            text,
            "%fj{n}_{step} = OpIAdd %long %fi{n} %c{}
%fa{n}_{step} = OpInBoundsPtrAccessChain %gp_float %fp{n} %fj{n}_{step}
%fy{n}_{step} = OpLoad %float %fa{n}_{step} Aligned 4
%fx{n}_{} = OpFMul %float %fx{n}_{step} %fy{n}_{step}
",
            (n + step) % (n + 1),
            step + 1
        );
    }
    let _ = write!(text, "OpReturnValue %fx{n}_20\nOpFunctionEnd\n");
}

/// Work-items exchange something.
fn barriers(text: &mut String, n: usize) {
    let m = n + 1;
    let _ = write!(
        text,
        "OpStore %own %acc{n} Aligned 4
OpControlBarrier %scope %scope %semantics
%moved{n} = OpIAdd %long %local %c{n}
%index{n} = OpBitwiseAnd %long %moved{n} %mask
%at{n} = OpInBoundsPtrAccessChain %lp_float %tile %index{n}
%x{n} = OpLoad %float %at{n} Aligned 4
%y{n} = OpFMul %float %x{n} %half
%acc{m} = OpFAdd %float %y{n} %acc{n}
OpControlBarrier %scope %scope %semantics
OpBranch %join{m}
%join{m} = OpLabel
"
    );
}
