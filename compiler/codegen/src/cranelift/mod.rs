//! The Cranelift back end: 128-bit vectors on any machine that Cranelift knows.
//!
//! A vector of the IR is as many 128-bit registers as it takes, one operation is so many operations of Cranelift. What Cranelift has no
//! vector form for is expanded to what it has, or done lane by lane, or by calling [`super::library`].

mod allocator;
mod arithmetic;
mod atomics;
mod compare;
mod constants;
mod control;
mod convert;
mod division;
mod emit;
mod float;
mod half;
mod interleave;
mod lanes;
mod memory;
mod permute;
mod reduce;
mod relocations;
mod scalar;
mod scalar_convert;
mod shift;
mod target;
mod values;

use self::target::{Effort, Target};
use super::image::Image;
use super::program::Program;
use super::{CodeRequest, CompiledCode};
use ::target::costs::effort::OPTIMIZED;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::{CodegenError, Context};
use cranelift_frontend::FunctionBuilderContext;
use emit::Emitter;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Compiles a kernel with all that it calls.
pub fn compile(request: &CodeRequest) -> Result<CompiledCode, String> {
    let work = || {
        debug::timed(format_args!("code for kernel {}", request.name), || {
            image(request, target::host, None)
        })
    };
    without_panics(request.name, work)?.finish(request)
}

/// Makes code for an aarch64, of the first generation or a `later` one, and drops it: whether Cranelift can is seen on any machine.
#[cfg(feature = "arm64")]
pub fn check_arm64(request: &CodeRequest, later: bool) -> Result<(), String> {
    without_panics(request.name, || image(request, |effort| target::arm64(effort, later), None)).map(drop)
}

/// The same as text.
#[cfg(all(test, any(feature = "arm64", target_arch = "aarch64")))]
pub fn arm64_listing(request: &CodeRequest, later: bool) -> Result<String, String> {
    let mut listing = String::new();
    image(request, |effort| target::arm64(effort, later), Some(&mut listing))?;
    Ok(listing)
}

/// Cranelift panics where it lacks an operation. None is known that we ask for; should there be one, a launch fails, not the process.
fn without_panics<T>(kernel: &str, work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let reason = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or(panic.downcast_ref::<&str>().copied())
            .unwrap_or("no reason given");
        Err(format!("kernel {kernel}: the code generator failed: {reason}"))
    })
}

/// The code of all functions; `listing` gets it as text.
fn image(
    request: &CodeRequest,
    make_target: impl Fn(Effort) -> Result<&'static Target, String>,
    mut listing: Option<&mut String>,
) -> Result<Image, String> {
    let program = Program::reach(request)?;
    let show = debug::wants("asm");
    let mut image = Image::default();
    let mut frontend = FunctionBuilderContext::new();
    let mut context = Context::new();
    for (position, &function) in program.functions.iter().enumerate() {
        let optimize = request.optimize && function.inst_count() <= OPTIMIZED;
        let quick = make_target(Effort::Quick)?;
        context.clear();
        context.set_disasm(show || listing.is_some());
        Emitter::function(&mut context.func, &mut frontend, quick, &program, request.global_address, position)?;
        let failed = |error: CodegenError| format!("function {}: {error:?}", function.name);
        let mut target = quick;
        if optimize {
            let optimizer = make_target(Effort::Optimize)?;
            context.optimize(&*optimizer.isa, &mut ControlPlane::default()).map_err(failed)?;
            constants::sink(&mut context.func);
            target = make_target(allocator::effort(&context.func))?;
        }
        context
            .compile(&*target.isa, &mut ControlPlane::default())
            .map_err(|error| failed(error.inner))?;
        let code = context.take_compiled_code().ok_or("Cranelift gave no code")?;
        if let Some(text) = &code.vcode {
            if let Some(listing) = &mut listing {
                listing.push_str(text);
            }
            debug::show("asm", format_args!("{} of kernel {}", function.name, request.name), || text.clone());
        }
        relocations::add_to(
            &mut image,
            &function.name,
            &*target.isa,
            &code,
            context.func.params.user_named_funcs(),
        )?;
        if function.origins.is_some() {
            let places = code.buffer.get_srclocs_sorted().iter().filter(|range| !range.loc.is_default());
            let places = places.map(|range| (range.start as usize, ir::Place(range.loc.bits())));
            image.add_lines(function, request.places, places.filter(|(_, place)| place.is_known()));
        }
    }
    Ok(image)
}
