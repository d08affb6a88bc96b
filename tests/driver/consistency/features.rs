//! What a device may lack without a capability of SPIR-V that tells: kinds of images, types of sub-group operations, variables of programs.

use super::Case;
use super::device::Reported;
use super::module::Module;

pub fn cases(reported: &Reported) -> Vec<Case> {
    let depth = Module::new()
        .capability("ImageBasic")
        .types("%depth_image = OpTypeImage %void 2D 1 0 0 0 Unknown ReadOnly");
    let write = Module::new()
        .capability("ImageBasic")
        .types("%volume = OpTypeImage %void 3D 0 0 0 0 Unknown WriteOnly\n%writer_type = OpTypeFunction %void %volume")
        .function(
            "%writer = OpFunction %void None %writer_type\n%image = OpFunctionParameter %volume\n%start = OpLabel\n\
             OpImageWrite %image %sevens4 %sevens4\nOpReturn\nOpFunctionEnd\n",
        );
    let image_function = |access: &str, instruction: &str| {
        Module::new()
            .capability("ImageBasic")
            .types(&format!(
                "%plane = OpTypeImage %void 2D 0 0 0 0 Unknown {access}\n%user_type = OpTypeFunction %void %plane"
            ))
            .function(&format!(
                "%user = OpFunction %void None %user_type\n%image = OpFunctionParameter %plane\n%start = OpLabel\n\
                 {instruction}\nOpReturn\nOpFunctionEnd\n"
            ))
    };
    let read_level = image_function("ReadOnly", "%texel = OpImageRead %int4 %image %sevens Lod %one");
    let write_level = image_function("WriteOnly", "OpImageWrite %image %sevens %sevens4 Lod %one");
    let table = Module::new().types("%table = OpVariable %gp_int CrossWorkgroup").does(
        "OpStore %table %seven Aligned 4\n%loaded = OpLoad %int %table Aligned 4\nOpStore %out %loaded Aligned 4",
        7,
    );
    let shuffle = |width: u32| {
        Module::new()
            .extension("SPV_INTEL_subgroups")
            .capability("SubgroupShuffleINTEL")
            .capability(&format!("Int{width}"))
            .types(&format!("%narrow = OpTypeInt {width} 0"))
            .gives(
                "%value = OpUConvert %narrow %seven\n%x = OpSubgroupShuffleINTEL %narrow %value %zero\n%r = OpUConvert %int %x",
                7,
            )
    };
    let long_block = Module::new()
        .extension("SPV_INTEL_subgroups")
        .capability("SubgroupBufferBlockIOINTEL")
        .capability("Int64")
        .types("%long = OpTypeInt 64 0\n%gp_long = OpTypePointer CrossWorkgroup %long")
        .gives(
            "%p = OpBitcast %gp_long %out\n%x = OpSubgroupBlockReadINTEL %long %p\n%y = OpUConvert %int %x\n%r = OpIAdd %int %y %seven",
            7,
        );
    let local_block = Module::new()
        .extension("SPV_INTEL_subgroups")
        .capability("SubgroupBufferBlockIOINTEL")
        .does(
            "OpSubgroupBlockWriteINTEL %local_int %seven\n%x = OpSubgroupBlockReadINTEL %int %local_int\nOpStore %out %x Aligned 4",
            7,
        );
    let of_extension = |name: &str, module: Module| Case {
        name: name.into(),
        reported: reported.has(name),
        module,
    };
    vec![
        of_extension("cl_khr_depth_images", depth),
        of_extension("cl_khr_3d_image_writes", write),
        of_extension("cl_khr_mipmap_image", read_level),
        of_extension("cl_khr_mipmap_image_writes", write_level),
        of_extension("cl_intel_subgroups_short", shuffle(16)),
        of_extension("cl_intel_subgroups_char", shuffle(8)),
        of_extension("cl_intel_subgroups_long", long_block),
        of_extension("cl_intel_subgroup_local_block_io", local_block),
        Case {
            name: "CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE".into(),
            reported: reported.program_scope_variables,
            module: table,
        },
    ]
}
