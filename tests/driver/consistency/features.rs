//! What a device may lack without a capability of SPIR-V that tells: kinds of images, types of sub-group operations, variables of programs.

use super::Case;
use super::device::Reported;
use super::module::Module;

pub fn cases(reported: &Reported) -> Vec<Case> {
    let mut cases = capabilityless(reported);
    cases.extend(built_ins(reported));
    cases.extend(halves(reported));
    cases
}

/// Built-in functions of OpenCL C that are called by their mangled names, with no capability that tells.
fn built_ins(reported: &Reported) -> Vec<Case> {
    let of_image = |dim: &str, access: &str| {
        Module::new()
            .capability("ImageBasic")
            .types(&format!("%picture = OpTypeImage %void {dim} 0 0 0 0 Unknown {access}"))
    };
    let levels = of_image("2D", "ReadOnly")
        .built_in("_Z24get_image_num_mip_levels14ocl_image2d_ro", "%int", &["%picture"])
        .second_kernel("%picture", "%got = OpFunctionCall %int %built_in %argument");
    let volume = of_image("3D", "WriteOnly")
        .built_in("_Z12write_imagei14ocl_image3d_woDv4_iS0_", "%void", &["%picture", "%int4", "%int4"])
        .second_kernel("%picture", "%got = OpFunctionCall %void %built_in %argument %sevens4 %sevens4");
    let wide = Module::new()
        .capability("Int64")
        .types("%long = OpTypeInt 64 0\n%gp_long = OpTypePointer CrossWorkgroup %long\n%one_long = OpConstant %long 1")
        .built_in("_Z8atom_addPU3AS1Vll", "%long", &["%gp_long", "%long"])
        .does(
            "OpStore %out %answer Aligned 4\n%p = OpBitcast %gp_long %out\n%old = OpFunctionCall %long %built_in %p %one_long",
            43,
        );
    let float = Module::new()
        .built_in("_Z16atomic_fetch_addPU3AS1VU7_Atomicff", "%float", &["%gp_float", "%float"])
        .does(
            "OpStore %out %zero Aligned 4\n%p = OpBitcast %gp_float %out\n%old = OpFunctionCall %float %built_in %p %f2",
            2f32.to_bits(),
        );
    let sub_group = Module::new()
        .built_in("_Z18get_num_sub_groupsv", "%int", &[])
        .gives("%r = OpFunctionCall %int %built_in", 1);
    let case = |name: &str, reported: bool, module: Module| Case {
        name: name.into(),
        reported,
        module,
    };
    vec![
        case("cl_khr_mipmap_image", reported.has("cl_khr_mipmap_image"), levels),
        case("cl_khr_3d_image_writes", reported.has("cl_khr_3d_image_writes"), volume),
        case("cl_khr_int64_atomics", reported.has("cl_khr_int64_base_atomics"), wide),
        case("cl_ext_float_atomics:single", reported.float_atomics[1] != 0, float),
        case("core:sub_groups", reported.sub_groups, sub_group),
    ]
}

/// Values of half in modules that declare Float16Buffer alone, as the translator writes them.
fn halves(reported: &Reported) -> Vec<Case> {
    let half = || {
        Module::new()
            .capability("Float16Buffer")
            .types("%half = OpTypeFloat 16\n%gp_half = OpTypePointer CrossWorkgroup %half")
    };
    let load = "OpStore %out %answer Aligned 4\n%p = OpBitcast %gp_half %out\n%v = OpLoad %half %p Aligned 2";
    let modules = [
        half().does(&format!("{load}\n%x = OpFAdd %half %v %v"), 42),
        half()
            .capability("Groups")
            .does(&format!("{load}\n%x = OpGroupFAdd %half %two Reduce %v"), 42),
        half().second_kernel("%half", ""),
    ];
    let case = |module| Case {
        name: "Float16".into(),
        reported: reported.has("Float16"),
        module,
    };
    modules.into_iter().map(case).collect()
}

/// Kinds of images, types of sub-group operations, variables of programs.
fn capabilityless(reported: &Reported) -> Vec<Case> {
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
