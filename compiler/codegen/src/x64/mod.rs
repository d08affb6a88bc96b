//! The x86-64 back end: vectors of 256 bits on machines with AVX2, of 512 on those with AVX-512.
//!
//! A function of the IR becomes machine instructions with virtual registers ([`vcode`]) in one walk ([`select`] and a file a family of
//! operations), registers are allocated ([`allocate`]) and the instructions encoded ([`emit`], [`encode`], [`ops`]).

mod active_lanes;
mod allocate;
mod arithmetic;
mod atomic_rows;
mod atomics;
mod bits;
mod build;
mod compare;
mod conditional;
mod control;
mod convert;
mod division;
mod dot;
mod double_quotients;
mod emit;
mod encode;
mod estimates;
mod float;
mod fold;
mod forms;
mod frame;
mod function;
mod fuse_andn;
mod fuse_masks;
mod fused_signs;
mod gather;
mod half;
mod interleave;
mod kept_lanes;
mod lane_addresses;
mod lanes;
mod last_uses;
mod long_division;
mod machine;
mod mask_dce;
mod masked_memory;
mod masked_results;
mod masks;
mod memory;
mod ops;
mod partial_records;
mod parts;
mod permute;
mod powers;
mod products;
mod records;
mod reduce;
mod registers;
mod rests;
mod root_quotients;
mod row_loads;
mod saturation;
mod scalar;
mod scalar_convert;
mod scatter;
mod select;
mod selector;
mod shift;
mod short_gather;
mod short_indices;
mod short_records;
mod show;
mod stream;
mod strided;
mod target;
mod ternary;
#[cfg(test)]
mod tests;
mod updates;
mod upper_halves;
mod upper_products;
mod values;
mod vcode;
mod whole_records;
mod widths;
mod word_lanes;

pub use self::target::Target;
use super::image::{Field, Image, Place, Relocation};
use super::program::Program;
use super::{CodeRequest, CompiledCode};
use cranelift_codegen::gimli::write::FrameDescriptionEntry;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Compiles a kernel with all that it calls.
pub fn compile(target: Target, request: &CodeRequest) -> Result<CompiledCode, String> {
    // Should there be something that is not thought of, the kernel goes to Cranelift, and the process lives.
    let work = || {
        debug::timed(format_args!("x64 code for kernel {}", request.name), || {
            compile_all(target, request)
        })
    };
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(format!("kernel {}: the code generator failed", request.name)))
}

fn compile_all(target: Target, request: &CodeRequest) -> Result<CompiledCode, String> {
    let program = Program::reach(request)?;
    let show = debug::wants("asm");
    let mut image = Image::default();
    for (position, &function) in program.functions.iter().enumerate() {
        let vcode = debug::timed("    selection", || {
            select::select(target, &program, request.global_address, position)
        })
        .map_err(|error| format!("function {}: {error}", function.name))?;
        let mut text = String::new();
        let finished = vcode.finish();
        let emitted = debug::timed(
            format_args!(
                "    emission of {} instructions in {} blocks",
                finished.insts.len(),
                finished.blocks.len()
            ),
            || emit::emit(&finished, position == 0, show.then_some(&mut text)),
        )
        .map_err(|error| format!("function {}: {error}", function.name))?;
        debug::show("asm", format_args!("{} of kernel {}", function.name, request.name), || text);
        let relocations = emitted
            .relocations
            .iter()
            .map(|&emit::Relocation::Call { at, function }| Relocation {
                at,
                field: Field::Relative4,
                place: Place::Function(function),
                addend: -4,
            });
        let mut walk = FrameDescriptionEntry::new(image.next_address(), emitted.bytes.len() as u32);
        emitted.walk.describe(&mut walk);
        image.add(&function.name, &emitted.bytes, emitted.frame, relocations);
        image.add_lines(function, request.places, emitted.places);
        image.add_walk(frame::common(), walk);
    }
    image.finish(request)
}
