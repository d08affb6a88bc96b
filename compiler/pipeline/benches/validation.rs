//! What reading and checking a module costs: an everyday one of 60 KB, and one of 10 MB; beside rspirv's own parser. `cargo bench -p brolga-compiler
//! --bench validation`.

use compiler::environment::{Environment, validate};
use compiler::spirv::{assemble, parse};
use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Counts the bytes that are allocated, and the most that ever were.
struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: the system's allocator does the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        MOST.fetch_max(NOW.fetch_add(layout.size(), Relaxed) + layout.size(), Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const HEAD: &str = "\
OpCapability Kernel
OpCapability Addresses
OpCapability Int64
OpCapability Linkage
%std = OpExtInstImport \"OpenCL.std\"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %kernel \"kernel\" %gid
OpDecorate %gid BuiltIn GlobalInvocationId
OpDecorate %gid Constant
%void = OpTypeVoid
%bool = OpTypeBool
%int = OpTypeInt 32 0
%long = OpTypeInt 64 0
%long3 = OpTypeVector %long 3
%float = OpTypeFloat 32
%float4 = OpTypeVector %float 4
%gp_float = OpTypePointer CrossWorkgroup %float
%fp_float4 = OpTypePointer Function %float4
%in_long3 = OpTypePointer Input %long3
%kernel_type = OpTypeFunction %void %gp_float
%type = OpTypeFunction %float %gp_float %int
%zero = OpConstant %int 0
%one = OpConstant %int 1
%sixteen = OpConstant %int 16
%half = OpConstant %float 0.5
%gid = OpVariable %in_long3 Input
%kernel = OpFunction %void None %kernel_type
%data = OpFunctionParameter %gp_float
%start = OpLabel
%ids = OpLoad %long3 %gid Aligned 32
%id = OpCompositeExtract %long %ids 0
%place = OpInBoundsPtrAccessChain %gp_float %data %id
OpStore %place %half Aligned 4
OpReturn
OpFunctionEnd
";

/// A function with a loop, vectors, calls of built-in functions and of the function before, as compilers write them.
fn function(text: &mut String, n: usize) {
    let call = match n.checked_sub(1) {
        Some(before) => format!("%called{n} = OpFunctionCall %float %f{before} %p{n} %zero\n"),
        None => format!("%called{n} = OpFAdd %float %half %half\n"),
    };
    let _ = write!(
        text,
        "%f{n} = OpFunction %float None %type
%p{n} = OpFunctionParameter %gp_float
%n{n} = OpFunctionParameter %int
%entry{n} = OpLabel
%var{n} = OpVariable %fp_float4 Function
OpBranch %head{n}
%head{n} = OpLabel
%i{n} = OpPhi %int %zero %entry{n} %next{n} %body{n}
%acc{n} = OpPhi %float %half %entry{n} %sum{n} %body{n}
%less{n} = OpSLessThan %bool %i{n} %n{n}
OpLoopMerge %done{n} %body{n} None
OpBranchConditional %less{n} %body{n} %done{n}
%body{n} = OpLabel
%index{n} = OpSConvert %long %i{n}
%at{n} = OpInBoundsPtrAccessChain %gp_float %p{n} %index{n}
%loaded{n} = OpLoad %float %at{n} Aligned 4
%root{n} = OpExtInst %float %std sqrt %loaded{n}
%fused{n} = OpExtInst %float %std fma %root{n} %loaded{n} %acc{n}
%quad{n} = OpCompositeConstruct %float4 %fused{n} %root{n} %loaded{n} %acc{n}
%mixed{n} = OpVectorShuffle %float4 %quad{n} %quad{n} 3 2 5 4
%scaled{n} = OpVectorTimesScalar %float4 %mixed{n} %half
OpStore %var{n} %scaled{n} Aligned 16
%again{n} = OpLoad %float4 %var{n} Aligned 16
%lane{n} = OpCompositeExtract %float %again{n} 2
%sum{n} = OpFAdd %float %lane{n} %acc{n}
OpStore %at{n} %sum{n} Aligned 4
%next{n} = OpIAdd %int %i{n} %one
OpBranch %head{n}
%done{n} = OpLabel
{call}%small{n} = OpULessThan %bool %n{n} %sixteen
%given{n} = OpSelect %float %small{n} %called{n} %acc{n}
OpReturnValue %given{n}
OpFunctionEnd
"
    );
}

/// A module of about so many bytes.
fn module(bytes: usize) -> Vec<u8> {
    let mut text = HEAD.to_string();
    let (mut n, mut size) = (0, 800);
    while size < bytes {
        function(&mut text, n);
        n += 1;
        size += 640;
    }
    assemble(&text).expect("a module")
}

fn best<T>(rounds: u32, mut work: impl FnMut() -> T) -> Duration {
    let time = |work: &mut dyn FnMut() -> T| {
        let start = Instant::now();
        std::hint::black_box(work());
        start.elapsed()
    };
    (0..rounds).map(|_| time(&mut work)).min().unwrap_or_default()
}

fn main() {
    let environment = Environment::device();
    println!("module      parse        validate     both         rspirv       both, of target       memory, times the module");
    for (bytes, rounds, target) in [
        (60_000, 200, Duration::from_millis(2)),
        (10_000_000, 10, Duration::from_millis(400)),
    ] {
        let module = module(bytes);
        let parsing = best(rounds, || parse(&module).expect("it is valid"));
        let both = best(rounds, || {
            validate(parse(&module).expect("it is valid"), &environment, &[], true)
                .map_err(|errors| compiler::environment::log(&errors))
                .expect("it is valid")
        });
        let rspirv = best(rounds, || {
            let mut loader = rspirv::dr::Loader::new();
            rspirv::binary::parse_bytes(&module, &mut loader).expect("it is valid");
            loader.module()
        });
        let before = NOW.load(Relaxed);
        MOST.store(before, Relaxed);
        let result = validate(parse(&module).expect("it is valid"), &environment, &[], true);
        let memory = (MOST.load(Relaxed) - before) as f64 / module.len() as f64;
        drop(result);
        println!(
            "{:8} B {:>12.3?} {:>12.3?} {:>12.3?} {:>12.3?}   {:>8.1} % of {:?}   {memory:>6.1} (at most 10)",
            module.len(),
            parsing,
            both.saturating_sub(parsing),
            both,
            rspirv,
            100.0 * both.as_secs_f64() / target.as_secs_f64(),
            target,
        );
    }
}
