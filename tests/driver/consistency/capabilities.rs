//! A module for each capability that the registry knows, and for some of graphics.

use super::Case;
use super::device::Reported;
use super::module::Module;

/// What a module does with a capability; for most, that it may declare it is all that there is to see.
fn module(name: &str) -> Module {
    let module = Module::new().capability(name);
    let elected = "%r = OpSelect %int %yes %one %zero";
    match name {
        "Int8" => converted(module, "%t = OpTypeInt 8 0"),
        "Int16" => converted(module, "%t = OpTypeInt 16 0"),
        "Int64" => converted(module, "%t = OpTypeInt 64 0"),
        "Float16" => floats(module, 16),
        "Float64" => floats(module, 64),
        "Float16Buffer" => module
            .import("OpenCL.std")
            .capability("Int64")
            .types("%long = OpTypeInt 64 0\n%first = OpConstantNull %long\n%half = OpTypeFloat 16\n%gp_half = OpTypePointer CrossWorkgroup %half")
            .does("%p = OpBitcast %gp_half %out\n%x = OpExtInst %void %set0 vstore_half %f2 %first %p", 0x4000),
        "Vector16" => module.types("%int8 = OpTypeVector %int 8").gives(
            "%all = OpCompositeConstruct %int8 %sevens4 %sevens4\n%r = OpCompositeExtract %int %all 7",
            7,
        ),
        "GenericPointer" => module
            .types("%generic = OpTypePointer Generic %int")
            .does("%p = OpPtrCastToGeneric %generic %out\nOpStore %p %seven", 7),
        "DeviceEnqueue" => module
            .types("%queue = OpTypeQueue\n%device_event = OpTypeDeviceEvent")
            .does("%q = OpGetDefaultQueue %queue\n%e = OpCreateUserEvent %device_event\nOpReleaseEvent %e\nOpStore %out %seven Aligned 4", 7),
        "Int64Atomics" => module
            .capability("Int64")
            .types("%long = OpTypeInt 64 0\n%gp_long = OpTypePointer CrossWorkgroup %long\n%wide = OpConstant %long 7")
            .does("%p = OpBitcast %gp_long %out\n%before = OpAtomicIAdd %long %p %two %zero %wide", 7),
        "Groups" => module, // One of two rows brings it; what it is for has cases of its own.
        "SubgroupDispatch" | "NamedBarrier" | "PipeStorage" => module.version(1),
        "GroupNonUniform" => module
            .version(3)
            .gives(&format!("%yes = OpGroupNonUniformElect %bool %three\n{elected}"), 1),
        "GroupNonUniformVote" => module
            .version(3)
            .gives(&format!("%yes = OpGroupNonUniformAll %bool %three %true\n{elected}"), 1),
        "GroupNonUniformBallot" => module.version(3).gives("%r = OpGroupNonUniformBroadcastFirst %int %three %seven", 7),
        "GroupNonUniformArithmetic" => module.version(3).gives("%r = OpGroupNonUniformIAdd %int %three Reduce %seven", 7),
        "GroupNonUniformShuffle" => module.version(3).gives("%r = OpGroupNonUniformShuffle %int %three %seven %zero", 7),
        "GroupNonUniformShuffleRelative" => module.version(3).gives("%r = OpGroupNonUniformShuffleUp %int %three %seven %zero", 7),
        "GroupNonUniformClustered" => module
            .version(3)
            .capability("GroupNonUniformArithmetic")
            .gives("%r = OpGroupNonUniformIAdd %int %three ClusteredReduce %seven %one", 7),
        "GroupNonUniformRotateKHR" => module
            .version(3)
            .extension("SPV_KHR_subgroup_rotate")
            .gives("%r = OpGroupNonUniformRotateKHR %int %three %seven %zero", 7),
        "SubgroupBallotKHR" => module
            .extension("SPV_KHR_shader_ballot")
            .gives("%r = OpSubgroupFirstInvocationKHR %int %seven", 7),
        "SubgroupVoteKHR" => module
            .extension("SPV_KHR_subgroup_vote")
            .gives(&format!("%yes = OpSubgroupAllKHR %bool %true\n{elected}"), 1),
        "GroupUniformArithmeticKHR" => module
            .extension("SPV_KHR_uniform_group_instructions")
            .gives("%r = OpGroupIMulKHR %int %two Reduce %seven", 7),
        "BitInstructions" => module
            .extension("SPV_KHR_bit_instructions")
            .gives("%r = OpBitReverse %int %seven", 0xe000_0000),
        "DotProduct" | "DotProductInput4x8BitPacked" => both_dot_products(module, name, "DotProductInput4x8BitPacked")
            .gives("%r = OpUDot %int %seven %seven PackedVectorFormat4x8Bit", 49),
        "DotProductInput4x8Bit" => both_dot_products(module, name, "DotProduct")
            .capability("Int8")
            .types("%char = OpTypeInt 8 0\n%char4 = OpTypeVector %char 4\n%c = OpConstant %char 3\n%cs = OpConstantComposite %char4 %c %c %c %c")
            .gives("%r = OpUDot %int %cs %cs", 36),
        "DotProductInputAll" => both_dot_products(module, name, "DotProduct").gives("%r = OpUDot %int %sevens %sevens", 98),
        "ExpectAssumeKHR" => module
            .extension("SPV_KHR_expect_assume")
            .gives("OpAssumeTrueKHR %true\n%r = OpExpectKHR %int %seven %one", 7),
        "ShaderClockKHR" => module
            .extension("SPV_KHR_shader_clock")
            .does("%now = OpReadClockKHR %int2 %two\nOpStore %out %answer Aligned 4", 42),
        "SplitBarrierINTEL" => module.extension("SPV_INTEL_split_barrier").gives(
            "OpControlBarrierArriveINTEL %two %two %acq_rel\nOpControlBarrierWaitINTEL %two %two %acq_rel\n%r = OpCopyObject %int %seven",
            7,
        ),
        "BFloat16ConversionINTEL" => module
            .extension("SPV_INTEL_bfloat16_conversion")
            .capability("Int16")
            .types("%short = OpTypeInt 16 0")
            .gives("%b = OpConvertFToBF16INTEL %short %f2\n%r = OpUConvert %int %b", 0x4000),
        "TensorFloat32RoundingINTEL" => module
            .extension("SPV_INTEL_tensor_float32_conversion")
            .types("%fine = OpConstant %float 2.0001")
            .gives("%f = OpRoundFToTF32INTEL %float %fine\n%r = OpBitcast %int %f", 0x4000_0000),
        "ArbitraryPrecisionIntegersALTERA" => module
            .extension("SPV_INTEL_arbitrary_precision_integers")
            .types("%i24 = OpTypeInt 24 0\n%most = OpConstant %i24 16777215")
            .gives("%x = OpIAdd %i24 %most %most\n%r = OpUConvert %int %x", 0xff_fffe),
        "UntypedPointersKHR" => module
            .extension("SPV_KHR_untyped_pointers")
            .types("%untyped = OpTypeUntypedPointerKHR CrossWorkgroup")
            .does("%p = OpUntypedPtrAccessChainKHR %untyped %int %out %zero\nOpStore %p %seven Aligned 4", 7),
        _ if name.starts_with("Subgroup2DBlock") => {
            let op = match name {
                "Subgroup2DBlockTransformINTEL" => "LoadTransform",
                "Subgroup2DBlockTransposeINTEL" => "LoadTranspose",
                _ => "Load",
            };
            // One block, whose only row that is there lies in the buffer: however few share it, each has room for all.
            module
                .extension("SPV_INTEL_2d_block_io")
                .types("%fp_int = OpTypePointer Function %int\n%fp_int4 = OpTypePointer Function %int4\n%wide = OpConstant %int 64\n%origin = OpConstantNull %int2")
                .does(
                    &format!(
                        "%room = OpVariable %fp_int4 Function\n%own = OpBitcast %fp_int %room\nOpStore %out %seven Aligned 4\n\
                         OpSubgroup2DBlock{op}INTEL %two %two %two %one %out %four %one %wide %origin %own\nOpStore %out %answer Aligned 4"
                    ),
                    42,
                )
        }
        "BFloat16TypeKHR" => bfloat16(module).gives("%b = OpFConvert %bf %f2\n%x = OpFConvert %float %b\n%r = OpConvertFToU %int %x", 2),
        "BFloat16DotProductKHR" => bfloat16(module).types("%bf2 = OpTypeVector %bf 2").gives(
            "%b = OpFConvert %bf %f2\n%v = OpCompositeConstruct %bf2 %b %b\n%d = OpDot %bf %v %v\n%r = OpConvertFToU %int %d",
            8,
        ),
        "BFloat16CooperativeMatrixKHR" => bfloat16(module)
            .version(3)
            .extension("SPV_KHR_cooperative_matrix")
            .types("%n16 = OpConstant %int 16\n%matrix = OpTypeCooperativeMatrixKHR %bf %three %n16 %n16 %zero")
            .gives("%r = OpCooperativeMatrixLengthKHR %int %matrix", 16),
        "Float8EXT" => float8(module).gives("%b = OpFConvert %e4m3 %f2\n%x = OpFConvert %float %b\n%r = OpConvertFToU %int %x", 2),
        "Float8CooperativeMatrixEXT" => float8(module)
            .version(3)
            .extension("SPV_KHR_cooperative_matrix")
            .types("%n16 = OpConstant %int 16\n%matrix = OpTypeCooperativeMatrixKHR %e4m3 %three %n16 %n16 %zero")
            .gives("%r = OpCooperativeMatrixLengthKHR %int %matrix", 16),
        "CooperativeMatrixKHR" => module
            .version(3)
            .extension("SPV_KHR_cooperative_matrix")
            .types("%n16 = OpConstant %int 16\n%matrix = OpTypeCooperativeMatrixKHR %int %three %n16 %n16 %two")
            .gives("%r = OpCooperativeMatrixLengthKHR %int %matrix", 16),
        "JointMatrixINTEL" => module
            .extension("SPV_INTEL_joint_matrix")
            .types("%n16 = OpConstant %int 16\n%matrix = OpTypeJointMatrixINTEL %int %n16 %n16 %zero %three %two")
            .gives("%r = OpJointMatrixWorkItemLengthINTEL %int %matrix", 16),
        _ if name.ends_with("INTEL") && name.contains("CooperativeMatrix") => joint_matrix(module, name),
        "ArithmeticFenceEXT" => module
            .extension("SPV_EXT_arithmetic_fence")
            .gives("%f = OpArithmeticFenceEXT %float %f2\n%r = OpConvertFToU %int %f", 2),
        "OptNoneEXT" => module.extension("SPV_EXT_optnone").control("OptNoneEXT"),
        "SubgroupShuffleINTEL" => module
            .extension("SPV_INTEL_subgroups")
            .gives("%r = OpSubgroupShuffleINTEL %int %seven %zero", 7),
        "UniformDecoration" => module
            .version(6)
            .annotation("OpDecorate %r Uniform")
            .gives("%r = OpIAdd %int %seven %zero", 7),
        "FPFastMathModeINTEL" => module
            .extension("SPV_INTEL_fp_fast_math_mode")
            .annotation("OpDecorate %sum FPFastMathMode AllowReassoc")
            .gives("%sum = OpFAdd %float %f2 %f2\n%r = OpConvertFToU %int %sum", 4),
        _ if name.starts_with("AtomicFloat") => module.extension(match name {
            "AtomicFloat16AddEXT" => "SPV_EXT_shader_atomic_float16_add",
            _ if name.ends_with("AddEXT") => "SPV_EXT_shader_atomic_float_add",
            _ => "SPV_EXT_shader_atomic_float_min_max",
        }),
        _ => extensions_of(name).into_iter().fold(module, |module, extension| module.extension(extension)),
    }
}

/// The extensions of the row that brings a capability.
fn extensions_of(name: &str) -> Vec<&'static str> {
    vendors::rows()
        .find(|row| row.capabilities.iter().any(|capability| format!("{capability:?}") == name))
        .map_or(Vec::new(), |row| row.spirv_extensions.to_vec())
}

fn bfloat16(module: Module) -> Module {
    module.extension("SPV_KHR_bfloat16").types("%bf = OpTypeFloat 16 BFloat16KHR")
}

fn float8(module: Module) -> Module {
    module.extension("SPV_EXT_float8").types("%e4m3 = OpTypeFloat 8 Float8E4M3EXT")
}

/// What needs a sub-group of 16 has tests of its own: here is one work-item.
fn joint_matrix(module: Module, name: &str) -> Module {
    let does = match name {
        "CooperativeMatrixPrefetchINTEL" => "OpCooperativeMatrixPrefetchINTEL %out %zero %zero %two %two 0 %zero %two",
        _ => "",
    };
    module
        .version(3)
        .extension("SPV_KHR_cooperative_matrix")
        .extension("SPV_INTEL_joint_matrix")
        .types("%n16 = OpConstant %int 16\n%matrix = OpTypeCooperativeMatrixKHR %int %three %n16 %n16 %two")
        .gives(&format!("{does}\n%r = OpCooperativeMatrixLengthKHR %int %matrix"), 16)
}

fn both_dot_products(module: Module, name: &str, other: &str) -> Module {
    let other = if name == other { "DotProduct" } else { other };
    module.extension("SPV_KHR_integer_dot_product").capability(other)
}

fn converted(module: Module, ty: &str) -> Module {
    module.types(ty).gives("%x = OpUConvert %t %seven\n%r = OpUConvert %int %x", 7)
}

fn floats(module: Module, width: u32) -> Module {
    module
        .types(&format!("%t = OpTypeFloat {width}"))
        .gives("%x = OpFConvert %t %f2\n%y = OpFAdd %t %x %x\n%r = OpConvertFToU %int %y", 4)
}

pub fn cases(reported: &Reported) -> Vec<Case> {
    let mut names: Vec<String> = vendors::rows()
        .flat_map(|row| row.capabilities)
        .map(|capability| format!("{capability:?}"))
        .collect();
    let newer = vendors::rows().flat_map(|row| row.newer_capabilities);
    names.extend(newer.filter_map(|&number| Some(compiler::spirv::newer::capability(number)?.0.to_string())));
    names.extend(["Shader", "Matrix", "Geometry", "VulkanMemoryModel", "RayQueryKHR"].map(String::from));
    names.sort_unstable();
    names.dedup();
    names
        .into_iter()
        .map(|name| Case {
            reported: reported.has_capability(&name),
            module: module(&name),
            name,
        })
        .collect()
}
