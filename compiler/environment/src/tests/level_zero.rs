//! Level Zero's environment, rule by rule of its document, each where the device's flag is set and where it is not; and where it differs from OpenCL's.

use super::text::{Kernel, refusals};
use crate::{Environment, switches};

/// Level Zero without what these switches stand for.
fn without(names: &[&str]) -> Environment {
    let mut environment = Environment::level_zero();
    for name in names {
        environment.switch(name, false).unwrap();
    }
    environment
}

/// The rules that a kernel breaks, by name.
fn broken(kernel: &Kernel, environment: &Environment) -> Vec<&'static str> {
    refusals(&kernel.text(), environment)
}

/// It is taken on a device that has all, and refused by these rules on one without something.
fn needs(kernel: &Kernel, names: &[&str], rules: &[&str]) {
    let text = kernel.text();
    assert_eq!(broken(kernel, &Environment::level_zero()), [""; 0], "{text}");
    let refused = broken(kernel, &without(names));
    assert!(
        rules.iter().all(|rule| refused.contains(rule)),
        "{refused:?} without {names:?}:\n{text}"
    );
}

/// It is refused by this rule, whatever the device has.
fn never(kernel: &Kernel, rule: &str) {
    let refused = broken(kernel, &Environment::level_zero());
    assert!(refused.contains(&rule), "{refused:?}, expected {rule}:\n{}", kernel.text());
}

fn capability(name: &str) -> Kernel {
    Kernel::new().capability(name)
}

#[test]
fn required_capabilities() {
    for name in [
        "Addresses",
        "Float16Buffer",
        "Int64",
        "Int16",
        "Int8",
        "Linkage",
        "Vector16",
        "GenericPointer",
        "Groups",
    ] {
        assert_eq!(
            broken(&capability(name), &without(&["core:images", "cl_khr_fp16", "cl_khr_fp64"])),
            [""; 0],
            "{name}"
        );
    }
    needs(&capability("Float16"), &["ZE_DEVICE_MODULE_FLAG_FP16"], &["CAPABILITY"]);
    needs(&capability("Float64"), &["ZE_DEVICE_MODULE_FLAG_FP64"], &["CAPABILITY"]);
    needs(
        &capability("Int64Atomics"),
        &["ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS"],
        &["CAPABILITY"],
    );
    for name in [
        "ImageBasic",
        "LiteralSampler",
        "Sampled1D",
        "Image1D",
        "SampledBuffer",
        "ImageBuffer",
        "ImageReadWrite",
    ] {
        needs(&capability(name), &["ze_device_image_properties_t.supported"], &["CAPABILITY"]);
    }
    for name in ["Pipes", "DeviceEnqueue", "Shader"] {
        never(&capability(name), "CAPABILITY");
    }
}

#[test]
fn the_newest_version_is_the_device_s() {
    let kernel = Kernel::new().version("1.3");
    let mut environment = Environment::level_zero();
    assert_eq!(broken(&kernel, &environment), [""; 0]);
    environment.up_to("1.2").unwrap();
    assert_eq!(broken(&kernel, &environment), ["VERSION"]);
    assert!(environment.up_to("1.7").is_err());
}

#[test]
fn models() {
    let text = Kernel::new().text();
    for (from, to, rule) in [
        ("Physical64", "Physical32", "ADDRESSING_MODEL"),
        ("OpenCL\n", "GLSL450\n", "MEMORY_MODEL"),
        ("OpEntryPoint Kernel", "OpEntryPoint GLCompute", "EXECUTION_MODEL"),
    ] {
        let refused = refusals(&text.replacen(from, to, 1), &Environment::level_zero());
        assert!(refused.contains(&rule), "{refused:?}");
    }
}

#[test]
fn arguments() {
    let argument = |ty: &str| Kernel::new().parameter(ty);
    for ty in [
        "%char", "%short", "%int", "%long", "%float", "%half", "%int3", "%pair", "%gp_int", "%lp_int", "%cp_int", "%sampler", "%image",
    ] {
        assert_eq!(broken(&argument(ty), &Environment::level_zero()), [""; 0], "{ty}");
    }
    // A half is among the arguments of any device, a double where there are doubles.
    assert_eq!(broken(&argument("%half"), &without(&["cl_khr_fp16"])), [""; 0]);
    needs(&argument("%double"), &["cl_khr_fp64"], &["KERNEL_ARGUMENT"]);
    for ty in ["%bool", "%fp_int", "%generic_int", "%event", "%array", "%queue"] {
        never(&argument(ty), "KERNEL_ARGUMENT");
    }
}

#[test]
fn images_are_written_without_operands() {
    let write = |operands: &str| {
        Kernel::new()
            .capability("ImageBasic")
            .parameter("%image_out")
            .body(&format!("OpImageWrite %p %zeros2 %zerosf4 {operands}"))
    };
    needs(&write(""), &["core:images"], &["CAPABILITY"]);
    never(&write("Lod %zero"), "IMAGE_WRITE_OPERANDS");
    let read = Kernel::new()
        .capability("ImageBasic")
        .parameter("%image")
        .body("%x = OpImageRead %float4 %p %zeros2 ConstOffset %zeros2");
    never(&read, "IMAGE_OFFSET");
}

#[test]
fn scopes() {
    let fence = |scope: &str| Kernel::new().body(&format!("OpMemoryBarrier {scope} %acquire_release"));
    for scope in ["%cross_device", "%device", "%workgroup", "%subgroup", "%invocation"] {
        assert_eq!(broken(&fence(scope), &Environment::level_zero()), [""; 0], "{scope}");
    }
    never(&fence("%queue_family"), "MEMORY_SCOPE");
    // The list is of all instructions, atomics among them; OpenCL's of atomics has no Invocation.
    let add = |scope: &str| {
        Kernel::new()
            .parameter("%gp_int")
            .body(&format!("%x = OpAtomicIAdd %int %p {scope} %zero %one"))
    };
    for scope in ["%cross_device", "%device", "%workgroup", "%subgroup", "%invocation"] {
        assert_eq!(broken(&add(scope), &Environment::level_zero()), [""; 0], "{scope}");
    }
    assert_eq!(broken(&add("%invocation"), &Environment::device()), ["MEMORY_SCOPE"]);
    let barrier = |scope: &str| Kernel::new().body(&format!("OpControlBarrier {scope} %workgroup %acquire_release"));
    for scope in ["%workgroup", "%subgroup"] {
        assert_eq!(broken(&barrier(scope), &Environment::level_zero()), [""; 0], "{scope}");
    }
    never(&barrier("%device"), "EXECUTION_SCOPE");
}

/// SPV_INTEL_subgroups: shuffles of 1, 2, 4, 8, 16 components (OpenCL: 3 too; char and short by other extensions), blocks of 32 and 16 bits.
#[test]
fn intel_sub_groups() {
    let shuffle = |ty: &str| {
        Kernel::new()
            .capability("SubgroupShuffleINTEL")
            .extension("SPV_INTEL_subgroups")
            .body(&format!("%u = OpUndef {ty}\n%x = OpSubgroupShuffleINTEL {ty} %u %zero"))
    };
    for ty in [
        "%float", "%float4", "%char", "%char16", "%short", "%short8", "%int", "%int2", "%long", "%double",
    ] {
        assert_eq!(broken(&shuffle(ty), &Environment::level_zero()), [""; 0], "{ty}");
    }
    assert_eq!(broken(&shuffle("%half").capability("Float16"), &Environment::level_zero()), [""; 0]);
    for ty in ["%int3", "%long2", "%double2", "%half2"] {
        never(&shuffle(ty), "INTEL_SUBGROUP_TYPE");
    }
    never(&shuffle("%half"), "HALF_VALUE");
    let mut opencl = Environment::named("opencl3.0").unwrap();
    opencl.switch("SPV_INTEL_subgroups", true).unwrap();
    for (name, on) in [("cl_intel_subgroups_short", true), ("cl_intel_subgroups_char", false)] {
        opencl.switch(name, on).unwrap();
    }
    assert_eq!(broken(&shuffle("%int3"), &opencl), [""; 0]);
    assert_eq!(broken(&shuffle("%short8"), &opencl), [""; 0]);
    assert_eq!(broken(&shuffle("%char16"), &opencl), ["INTEL_SUBGROUP_TYPE"]);

    let block = |ty: &str, pointer: &str| {
        Kernel::new()
            .capability("SubgroupBufferBlockIOINTEL")
            .extension("SPV_INTEL_subgroups")
            .parameter(pointer)
            .body(&format!("%x = OpSubgroupBlockReadINTEL {ty} %p"))
    };
    for (ty, pointer) in [
        ("%int", "%gp_int"),
        ("%int2", "%gp_int"),
        ("%int8", "%gp_int"),
        ("%short", "%gp_short"),
        ("%short8", "%gp_short"),
    ] {
        assert_eq!(broken(&block(ty, pointer), &Environment::level_zero()), [""; 0], "{ty}");
    }
    for (ty, pointer) in [
        ("%int3", "%gp_int"),
        ("%short16", "%gp_short"),
        ("%char", "%gp_char"),
        ("%long", "%gp_long"),
        ("%float", "%gp_float"),
    ] {
        never(&block(ty, pointer), "INTEL_SUBGROUP_TYPE");
    }
    never(&block("%int", "%lp_int"), "OPERAND_TYPE");
    // cl_intel_subgroups_short 1.1.0: 16 shorts, but not 16 of anything longer.
    assert_eq!(broken(&block("%short16", "%gp_short"), &opencl), [""; 0]);
    opencl.switch("cl_intel_subgroups_short", false).unwrap();
    assert_eq!(broken(&block("%short16", "%gp_short"), &opencl), ["INTEL_SUBGROUP_TYPE"]);
    // Local memory by cl_intel_subgroup_local_block_io; private memory never.
    let private = Kernel::new()
        .capability("SubgroupBufferBlockIOINTEL")
        .extension("SPV_INTEL_subgroups")
        .body("%fp = OpVariable %fp_int Function\n%x = OpSubgroupBlockReadINTEL %int %fp");
    for (on, module, rules) in [
        (true, &block("%int", "%lp_int"), &[][..]),
        (false, &block("%int", "%lp_int"), &["OPERAND_TYPE"]),
        (true, &private, &["OPERAND_TYPE"]),
    ] {
        opencl.switch("cl_intel_subgroup_local_block_io", on).unwrap();
        assert_eq!(broken(module, &opencl), rules);
    }
    assert_eq!(
        broken(
            &capability("SubgroupImageBlockIOINTEL").extension("SPV_INTEL_subgroups"),
            &Environment::level_zero()
        ),
        [""; 0]
    );
}

/// `ze_device_fp_atomic_ext_flags_t`: each flag for each width, and the extension as a whole.
#[test]
fn floating_point_atomics() {
    for (width, ty, flags) in [(16, "half", "fp16Flags"), (32, "float", "fp32Flags"), (64, "double", "fp64Flags")] {
        for (class, place) in [("gp", "GLOBAL"), ("lp", "LOCAL")] {
            let pointer = format!("%{class}_{ty}");
            let add = Kernel::new()
                .capability(if width == 16 { "Float16" } else { "Float64" })
                .capability(&format!("AtomicFloat{width}AddEXT"))
                .extension("SPV_EXT_shader_atomic_float_add")
                .extension("SPV_EXT_shader_atomic_float16_add")
                .parameter(&pointer)
                .body(&format!("%u = OpUndef %{ty}\n%x = OpAtomicFAddEXT %{ty} %p %device %zero %u"));
            needs(
                &add,
                &[&format!("{flags}.ZE_DEVICE_FP_ATOMIC_EXT_FLAG_{place}_ADD")],
                &["FLOAT_ATOMICS"],
            );
            needs(
                &add,
                &[
                    &format!("{flags}.ZE_DEVICE_FP_ATOMIC_EXT_FLAG_LOCAL_ADD"),
                    &format!("{flags}.ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_ADD"),
                ],
                &["CAPABILITY"],
            );
            needs(&add, &["ZE_extension_float_atomics"], &["CAPABILITY", "EXTENSION"]);
            for op in ["OpAtomicFMinEXT", "OpAtomicFMaxEXT"] {
                let min_max = Kernel::new()
                    .capability(if width == 16 { "Float16" } else { "Float64" })
                    .capability(&format!("AtomicFloat{width}MinMaxEXT"))
                    .extension("SPV_EXT_shader_atomic_float_min_max")
                    .parameter(&pointer)
                    .body(&format!("%u = OpUndef %{ty}\n%x = {op} %{ty} %p %device %zero %u"));
                needs(
                    &min_max,
                    &[&format!("{flags}.ZE_DEVICE_FP_ATOMIC_EXT_FLAG_{place}_MIN_MAX")],
                    &["FLOAT_ATOMICS"],
                );
            }
        }
    }
    for (class, place) in [("gp", "GLOBAL"), ("lp", "LOCAL")] {
        let flag = format!("fp16Flags.ZE_DEVICE_FP_ATOMIC_EXT_FLAG_{place}_LOAD_STORE");
        let pointer = format!("%{class}_half");
        for body in [
            "%x = OpAtomicLoad %half %p %device %zero",
            "%u = OpUndef %half\nOpAtomicStore %p %device %zero %u",
            "%u = OpUndef %half\n%x = OpAtomicExchange %half %p %device %zero %u",
        ] {
            needs(&capability("Float16").parameter(&pointer).body(body), &[&flag], &["FLOAT_ATOMICS"]);
        }
    }
}

/// ZE_extension_subgroups: types, votes, ballots, arithmetic, shuffles; a cluster size with GroupNonUniformClustered alone.
#[test]
fn extended_sub_groups() {
    const EXTENSION: &[&str] = &["ZE_extension_subgroups"];
    for ty in ["%char", "%short"] {
        let add = Kernel::new()
            .capability("Groups")
            .body(&format!("%u = OpUndef {ty}\n%x = OpGroupIAdd {ty} %subgroup Reduce %u"));
        needs(&add, EXTENSION, &["GROUP_TYPE"]);
    }
    let broadcast = Kernel::new()
        .capability("Groups")
        .body("%x = OpGroupBroadcast %float4 %subgroup %zerosf4 %zero");
    needs(&broadcast, EXTENSION, &["GROUP_TYPE"]);
    for (name, body) in [
        ("Vote", "%x = OpGroupNonUniformAllEqual %bool %subgroup %zero"),
        ("Ballot", "%x = OpGroupNonUniformBroadcastFirst %int %subgroup %zero"),
        ("Ballot", "%x = OpGroupNonUniformBallot %int4 %subgroup %true"),
        ("Arithmetic", "%x = OpGroupNonUniformIAdd %int %subgroup Reduce %zero"),
        ("Arithmetic", "%x = OpGroupNonUniformLogicalAnd %bool %subgroup Reduce %true"),
        ("Shuffle", "%x = OpGroupNonUniformShuffleXor %int %subgroup %zero %zero"),
        ("ShuffleRelative", "%x = OpGroupNonUniformShuffleUp %int %subgroup %zero %zero"),
        ("Clustered", "%x = OpGroupNonUniformIAdd %int %subgroup ClusteredReduce %zero %one"),
    ] {
        let kernel = Kernel::new()
            .version("1.3")
            .capability(&format!("GroupNonUniform{name}"))
            .capability("GroupNonUniformArithmetic");
        needs(&kernel.body(body), EXTENSION, &["CAPABILITY"]);
    }
    let arithmetic = Kernel::new().version("1.3").capability("GroupNonUniformArithmetic");
    never(
        &arithmetic.body("%x = OpGroupNonUniformIAdd %int %subgroup Reduce %zero %one"),
        "CLUSTER_SIZE",
    );
    never(
        &arithmetic.body("%x = OpGroupNonUniformIAdd %int %subgroup ClusteredReduce %zero %one"),
        "OPERAND_CAPABILITY",
    );
    never(
        &arithmetic.body("%x = OpGroupNonUniformIAdd %int %workgroup Reduce %zero"),
        "EXECUTION_SCOPE",
    );
    let vote = Kernel::new().version("1.3").capability("GroupNonUniformVote");
    never(&vote.body("%x = OpGroupNonUniformAllEqual %bool %subgroup %zeros2"), "OPERAND_TYPE");
}

#[test]
fn link_once_and_bfloat16() {
    let link_once = Kernel::new()
        .extension("SPV_KHR_linkonce_odr")
        .capability("Linkage")
        .beside("%f_type = OpTypeFunction %void %int\n%f = OpFunction %void None %f_type\n%f_argument = OpFunctionParameter %int\n%f_entry = OpLabel\nOpReturn\nOpFunctionEnd\n")
        .annotation("OpDecorate %f LinkageAttributes \"f\" LinkOnceODR");
    needs(&link_once, &["ZE_extension_linkonce_odr"], &["EXTENSION"]);
    for extension in ["SPV_INTEL_bfloat16_conversion", "SPV_INTEL_bloat16_conversion"] {
        for body in [
            "%x = OpConvertFToBF16INTEL %short4 %zerosf4",
            "%u = OpUndef %short\n%x = OpConvertBF16ToFINTEL %float %u",
        ] {
            let convert = Kernel::new().capability("BFloat16ConversionINTEL").extension(extension).body(body);
            needs(&convert, &["ZE_extension_bfloat16_conversions"], &["CAPABILITY", "EXTENSION"]);
        }
    }
}

#[test]
fn wide_atomics() {
    let atomic = Kernel::new()
        .capability("Int64Atomics")
        .parameter("%gp_long")
        .body("%u = OpUndef %long\n%x = OpAtomicIAdd %long %p %device %zero %u");
    needs(&atomic, &["ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS"], &["CAPABILITY"]);
    never(
        &Kernel::new().parameter("%cp_int").body("%x = OpAtomicLoad %int %p %device %zero"),
        "ATOMIC_CLASS",
    );
}

#[test]
fn each_switch_can_be_turned() {
    for name in switches() {
        for on in [false, true] {
            Environment::level_zero().switch(&name, on).unwrap();
        }
    }
    assert!(Environment::level_zero().switch("ZE_DEVICE_MODULE_FLAG_DP5A", true).is_err());
}

/// Of what Level Zero leaves to the device, this one has what the driver has.
#[test]
fn a_device_has_what_the_registry_has() {
    let (all, device) = (Environment::level_zero(), Environment::level_zero_device());
    assert!(device.is_level_zero() && !device.registry.rows().is_empty());
    for row in vendors::rows() {
        let expected = all.registry.has(row.name) && vendors::supported().has(row.name);
        assert_eq!(device.registry.has(row.name), expected, "{}", row.name);
    }
}
