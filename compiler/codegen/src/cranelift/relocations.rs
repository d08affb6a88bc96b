//! What Cranelift leaves open in a function's code.

use super::super::image::{Field, Image, Place, Relocation};
use super::super::library;
use cranelift_codegen::binemit::Reloc;
use cranelift_codegen::ir::{ExternalName, UserExternalName, UserExternalNameRef};
use cranelift_codegen::isa::TargetIsa;
use cranelift_codegen::isa::unwind::UnwindInfo;
use cranelift_codegen::{CompiledCode, FinalizedRelocTarget};
use cranelift_entity::PrimaryMap;

/// Adds a compiled function to an image.
pub fn add_to(
    image: &mut Image,
    name: &str,
    isa: &dyn TargetIsa,
    code: &CompiledCode,
    names: &PrimaryMap<UserExternalNameRef, UserExternalName>,
) -> Result<(), String> {
    let mut relocations = Vec::new();
    for relocation in code.buffer.relocs() {
        let place = match &relocation.target {
            FinalizedRelocTarget::Func(offset) => Place::Here(*offset),
            FinalizedRelocTarget::ExternalName(ExternalName::User(name)) => Place::Function(names[*name].index),
            FinalizedRelocTarget::ExternalName(ExternalName::LibCall(call)) => {
                Place::Absolute(library::machine_library(*call).ok_or_else(|| format!("no library function {call}"))?)
            }
            FinalizedRelocTarget::ExternalName(name) => return Err(format!("a reference to {name:?} in machine code")),
        };
        let field = match relocation.kind {
            Reloc::Abs8 => Field::Absolute8,
            Reloc::X86PCRel4 | Reloc::X86CallPCRel4 => Field::Relative4,
            Reloc::Arm64Call => Field::Arm64Call,
            kind => return Err(format!("a relocation of kind {kind:?} in machine code")),
        };
        relocations.push(Relocation {
            at: relocation.offset as usize,
            field,
            place,
            addend: relocation.addend,
        });
    }
    let frame = code.buffer.frame_layout().map_or(0, |layout| u64::from(layout.frame_to_fp_offset));
    let walk = code.create_unwind_info(isa).map_err(|error| format!("function {name}: {error}"))?;
    let walk = match (isa.create_systemv_cie(), walk) {
        (Some(common), Some(UnwindInfo::SystemV(walk))) => Some((common, walk.to_fde(image.next_address()))),
        _ => None,
    };
    image.add(name, code.code_buffer(), frame, relocations);
    if let Some((common, walk)) = walk {
        image.add_walk(common, walk);
    }
    Ok(())
}
