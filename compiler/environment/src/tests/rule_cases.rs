//! The rules' cases: a valid module is the case that a rule accepts, and a change to it makes the one that it refuses.

use super::{ARITHMETIC, CONSTANTS, FLOAT_MODES, IMAGES, LOOP, MATRICES, SMALL};
use crate::{Diagnostic, Environment, Rule, log, rules::*, validate};
use spirv::{assemble, parse};
use vendors::Registry;

/// A rule, the module that keeps it, and what to put for what in it to break it.
pub(super) type Case = (&'static Rule, &'static str, Changes);
pub(super) type Changes = &'static [(&'static str, &'static str)];

/// A rule about what a device has; a module, changed, that keeps it where the row is, and breaks it where the row is not.
pub(super) type RowCase = (&'static Rule, &'static str, Changes, &'static str);

#[rustfmt::skip]
pub(super) static CASES: &[Case] = &[
    (&LAYOUT_ORDER, SMALL, &[("OpCapability Kernel", "OpCapability Kernel\nOpCapability Linkage"), ("%void =", "OpDecorate %other LinkageAttributes \"other\" Import\n%void ="),
        ("OpFunctionEnd", "OpFunctionEnd\n%other = OpFunction %void None %type\n%other_argument = OpFunctionParameter %int\nOpFunctionEnd")]),
    (&LAYOUT_ORDER, SMALL, &[("%void = OpTypeVoid", "%void = OpTypeVoid\nOpCapability Kernel")]),
    (&ID_UNDEFINED, ARITHMETIC, &[("OpStore %first %sel", "OpStore %first %nothing")]),
    (&ID_ORDER, CONSTANTS, &[("OpTypeArray %char %chosen", "OpTypeArray %late %chosen\n%late = OpTypeInt 32 0")]),
    (&MEMORY_MODEL_ONCE, SMALL, &[("OpMemoryModel Physical64 OpenCL", "OpMemoryModel Physical64 OpenCL\nOpMemoryModel Physical64 OpenCL")]),
    (&TYPE_EXPECTED, LOOP, &[("OpTypeArray %int %int64", "OpTypeArray %int64 %int64")]),
    (&TYPE_UNIQUE, SMALL, &[("%bool = OpTypeBool", "%bool = OpTypeBool\n%again = OpTypeBool")]),
    (&TYPE_OPERAND, LOOP, &[("OpTypeArray %int %int64", "OpTypeArray %int %int")]),
    (&TYPE_SIZE, CONSTANTS, &[("%zeros =", "%many = OpConstant %long 9223372036854775807\n%huge = OpTypeArray %int %many\n%zeros =")]),
    (&TYPE_UNSUPPORTED, SMALL, &[("%bool = OpTypeBool", "%bool = OpTypeBool\n%x = OpTypeRuntimeArray %bool")]),
    (&INTEGER_WIDTH, SMALL, &[("OpTypeInt 32 0", "OpTypeInt 24 0")]),
    (&ODD_INTEGER, ARITHMETIC, &[("OpCapability GenericPointer", "OpCapability GenericPointer\nOpCapability ArbitraryPrecisionIntegersINTEL\nOpExtension \"SPV_INTEL_arbitrary_precision_integers\""),
        ("%half =", "%i24 = OpTypeInt 24 0\n%few = OpConstant %i24 5\n%half ="), ("OpStore %first %sel", "%x = OpExtInst %i24 %std popcount %few\nOpStore %first %sel")]),
    (&FLOAT_WIDTH, SMALL, &[("OpTypeInt 32 0", "OpTypeInt 32 0\n%x = OpTypeFloat 24")]),
    (&VECTOR_COUNT, ARITHMETIC, &[("OpTypeVector %float 8", "OpTypeVector %float 5")]),
    (&DECORATION_GROUP, ARITHMETIC, &[("OpGroupDecorate %group", "OpGroupDecorate %pair")]),
    (&FORWARD_POINTER, CONSTANTS, &[("OpTypeForwardPointer %gp_node CrossWorkgroup", "OpTypeForwardPointer %gp_node Workgroup")]),
    (&CONSTANT_TYPE, CONSTANTS, &[("OpSpecConstantTrue %bool", "OpSpecConstantTrue %int")]),
    (&CONSTANT_OPERAND, CONSTANTS, &[("OpConstantComposite %int4 %one", "OpConstantComposite %int4 %flag")]),
    (&CONSTANT_LITERAL, ARITHMETIC, &[("%c0 =", "%x = OpConstant %short !0x1ffff\n%c0 =")]),
    (&SPEC_CONSTANT_OP, CONSTANTS, &[("IMul %size %two", "IAddCarry %size %two")]),
    (&SPEC_ID, CONSTANTS, &[("SpecId 4", "SpecId 3")]),
    (&VARIABLE_TYPE, CONSTANTS, &[("OpVariable %gp_array CrossWorkgroup", "OpVariable %gp_array Workgroup")]),
    (&VARIABLE_INITIALIZER, CONSTANTS, &[("OpVariable %gp_array CrossWorkgroup %zeros", "OpVariable %gp_array CrossWorkgroup %one")]),
    (&VARIABLE_CLASS, LOOP, &[("OpVariable %fp_event Function", "OpVariable %lp_int Workgroup")]),
    (&FUNCTION_LAYOUT, SMALL, &[("OpFunctionEnd", "")]),
    (&FUNCTION_TYPE, LOOP, &[("%n = OpFunctionParameter %int", "%n = OpFunctionParameter %long")]),
    (&FUNCTION_BODY, ARITHMETIC, &[("\"helper\" Export", "\"helper\" Import")]),
    (&BLOCK_LAYOUT, LOOP, &[("OpBranch %head\n%head", "%head")]),
    (&BLOCK_ORDER, SMALL, &[("OpReturn", "OpBranch %b\n%a = OpLabel\nOpReturn\n%b = OpLabel\nOpBranch %a")]),
    (&BRANCH_TARGET, SMALL, &[("; Version: 1.2", "; Version: 1.6"), ("%type =", "%true = OpConstantTrue %bool\n%type ="), ("OpReturn", "OpBranchConditional %true %last %last\n%last = OpLabel\nOpReturn")]),
    (&BRANCH_TARGET, SMALL, &[("OpReturn", "OpBranch %entry")]),
    (&DOMINANCE, ARITHMETIC, &[("%id = OpCompositeExtract %long %ids 0\n%next = OpIAdd %long %id %c3l", "%next = OpIAdd %long %id %c3l\n%id = OpCompositeExtract %long %ids 0")]),
    (&PHI_PARENTS, LOOP, &[("%zero %entry %total %latch", "%zero %entry %total %body")]),
    (&PHI_TYPE, LOOP, &[("%zero %entry %total %latch", "%long0 %entry %total %latch")]),
    (&SWITCH_LITERALS, LOOP, &[("4294967295 %case", "1 %case")]),
    (&ENTRY_POINT_CALLED, SMALL, &[("OpReturn", "%x = OpFunctionCall %void %kernel %argument\nOpReturn")]),
    (&ENTRY_POINT_FUNCTION, SMALL, &[("OpEntryPoint Kernel %kernel", "OpEntryPoint Kernel %void")]),
    (&ENTRY_POINT_NAME, SMALL, &[("OpEntryPoint Kernel %kernel \"small\"", "OpEntryPoint Kernel %kernel \"small\"\nOpEntryPoint Kernel %kernel \"small\"")]),
    (&INTERFACE, LOOP, &[("; Loops", "; Version: 1.4\n; Loops")]),
    (&INTERFACE, LOOP, &[("\"loop\" %lid", "\"loop\" %int")]),
    (&EXECUTION_MODE_TARGET, ARITHMETIC, &[("OpExecutionMode %kernel", "OpExecutionMode %helper")]),
    (&EXECUTION_MODE_OPERAND, ARITHMETIC, &[("LocalSize 8 4 1", "LocalSize 8 0 1")]),
    (&EXECUTION_MODE_CONFLICT, FLOAT_MODES, &[("RoundingModeRTZ 16", "RoundingModeRTZ 32")]),
    (&EXECUTION_MODE_CONFLICT, ARITHMETIC, &[("OpExecutionMode %kernel LocalSize 8 4 1", "OpExecutionMode %kernel LocalSize 8 4 1\nOpExecutionMode %kernel LocalSize 8 4 1")]),
    (&EXECUTION_MODE_UNSUPPORTED, SMALL, &[("%void =", "OpExecutionMode %kernel Initializer\n%void =")]),
    (&EXECUTION_MODE_UNSUPPORTED, SMALL, &[("%void =", "OpExecutionMode %kernel Finalizer\n%void =")]),
    (&FAST_MATH_MODE, FLOAT_MODES, &[("AllowContract|AllowReassoc|AllowTransform", "AllowTransform")]),
    (&RESULT_TYPE, ARITHMETIC, &[("OpAny %bool %less", "OpAny %int %less")]),
    (&OPERAND_TYPE, ARITHMETIC, &[("OpFAdd %float4 %value %halves", "OpFAdd %float4 %value %half")]),
    (&INDEX_RANGE, ARITHMETIC, &[("OpCompositeExtract %long %ids 0", "OpCompositeExtract %long %ids 3")]),
    (&SELECT_AGGREGATE, ARITHMETIC, &[("OpSelect %float4 %less", "OpSelect %float4 %any")]),
    (&READ_ONLY, ARITHMETIC, &[("OpStore %slot %sum Aligned 16", "OpStore %gid %ids")]),
    (&ALIGNMENT, ARITHMETIC, &[("%member Aligned 2", "%member Aligned 3")]),
    (&EXTENDED_INSTRUCTION, ARITHMETIC, &[("%std sqrt %scaled", "%std sqrt %scaled %scaled")]),
    (&ATOMIC_ORDER, LOOP, &[("%zero =", "%release = OpConstant %int 4\n%zero ="), ("OpAtomicIAdd %int %place %workgroup %order %value", "OpAtomicLoad %int %place %workgroup %release")]),
    (&SEMANTICS_VALUE, LOOP, &[("OpConstant %int 272", "OpConstant %int 262")]),
    (&DECORATION_TARGET, ARITHMETIC, &[("%sum FPFastMathMode Fast", "%sum FPFastMathMode Fast\nOpDecorate %next FPFastMathMode Fast")]),
    (&DECORATION_TARGET, SMALL, &[("%void =", "OpDecorate %argument FuncParamAttr ByVal\n%void =")]),
    (&ENTRY_POINT_LINKAGE, SMALL, &[("OpCapability Kernel", "OpCapability Kernel\nOpCapability Linkage"), ("%void =", "OpDecorate %kernel LinkageAttributes \"small\" Export\n%void =")]),
    (&DECORATION_TARGET, ARITHMETIC, &[("%sum FPFastMathMode Fast", "%sum CPacked")]),
    (&EXPORT_NAME, ARITHMETIC, &[("OpDecorate %gid Constant", "OpDecorate %kernel LinkageAttributes \"helper\" Export")]),
    (&VERSION, SMALL, &[("; Version: 1.2", "; Version: 1.7")]),
    (&VERSION_NEEDED, LOOP, &[("OpCapability Groups", "OpCapability Groups\nOpCapability GroupNonUniform")]),
    (&CAPABILITY, SMALL, &[("OpCapability Kernel", "OpCapability Kernel\nOpCapability Shader")]),
    (&CAPABILITY_EXTENSION, SMALL, &[("OpCapability Kernel", "OpCapability Kernel\nOpCapability OptNoneEXT")]),
    (&EXTENSION, SMALL, &[("OpMemoryModel", "OpExtension \"SPV_NV_ray_tracing\"\nOpMemoryModel")]),
    (&INSTRUCTION_SET, ARITHMETIC, &[("OpenCL.std", "GLSL.std.450")]),
    (&INSTRUCTION_CAPABILITY, LOOP, &[("OpCapability Groups\n", "")]),
    (&OPERAND_CAPABILITY, ARITHMETIC, &[("OpCapability GenericPointer\n", "")]),
    (&TYPE_CAPABILITY, IMAGES, &[("OpCapability ImageBasic\n", "")]),
    (&TYPE_CAPABILITY, IMAGES, &[("Unknown WriteOnly", "Unknown ReadWrite")]),
    (&HALF_VALUE, SMALL, &[("OpCapability Kernel", "OpCapability Kernel\nOpCapability Float16Buffer"), ("%type =", "%half = OpTypeFloat 16\n%one = OpConstant %half 1\n%type =")]),
    (&TYPE_CAPABILITY, ARITHMETIC, &[("OpCapability Float64\n", "")]),
    (&SIGNEDNESS, SMALL, &[("OpTypeInt 32 0", "OpTypeInt 32 1")]),
    (&EXECUTION_MODEL, SMALL, &[("OpEntryPoint Kernel", "OpEntryPoint GLCompute")]),
    (&ADDRESSING_MODEL, SMALL, &[("Physical64", "Physical32")]),
    (&MEMORY_MODEL, SMALL, &[("Physical64 OpenCL", "Physical64 GLSL450")]),
    (&STORAGE_CLASS, SMALL, &[("OpTypeInt 32 0", "OpTypeInt 32 0\n%x = OpTypePointer Private %int")]),
    (&IMAGE_SAMPLED_TYPE, IMAGES, &[("%in = OpTypeImage %void", "%in = OpTypeImage %float")]),
    (&IMAGE_SAMPLED, IMAGES, &[("2D 0 0 0 0 Unknown ReadOnly", "2D 0 0 0 1 Unknown ReadOnly")]),
    (&IMAGE_ARRAYED, IMAGES, &[("2D 0 0 0 0 Unknown ReadOnly", "3D 0 1 0 0 Unknown ReadOnly")]),
    (&IMAGE_FORMAT, IMAGES, &[("2D 0 0 0 0 Unknown ReadOnly", "2D 0 0 0 0 Rgba8 ReadOnly")]),
    (&IMAGE_ACCESS, IMAGES, &[("2D 0 0 0 0 Unknown ReadOnly", "2D 0 0 0 0 Unknown")]),
    (&IMAGE_DIM, IMAGES, &[("2D 0 0 0 0 Unknown ReadOnly", "Cube 0 0 0 0 Unknown ReadOnly")]),
    (&IMAGE_DEPTH, IMAGES, &[("2D 0 0 0 0 Unknown ReadOnly", "3D 1 0 0 0 Unknown ReadOnly")]),
    (&IMAGE_OFFSET, IMAGES, &[("%source %size\n%sum", "%source %size ConstOffset %size\n%sum")]),
    (&KERNEL_RETURN, SMALL, &[("OpTypeFunction %void", "OpTypeFunction %int"), ("OpFunction %void", "OpFunction %int"), ("OpReturn", "OpReturnValue %argument")]),
    (&KERNEL_ARGUMENT, SMALL, &[("OpTypeFunction %void %int", "OpTypeFunction %void %bool"), ("OpFunctionParameter %int", "OpFunctionParameter %bool")]),
    (&INPUT_BUILT_IN, LOOP, &[("OpDecorate %lid BuiltIn LocalInvocationIndex", "")]),
    (&BUILT_IN, LOOP, &[("LocalInvocationIndex", "FragCoord")]),
    (&BUILT_IN_TYPE, LOOP, &[("LocalInvocationIndex", "GlobalInvocationId")]),
    (&BUILT_IN_CLASS, CONSTANTS, &[("OpDecorate %table Alignment 8", "OpDecorate %table BuiltIn WorkDim")]),
    (&LOCAL_INITIALIZER, LOOP, &[("OpVariable %lp_array Workgroup", "OpVariable %lp_int Workgroup %one")]),
    (&SAMPLED_IMAGE, IMAGES, &[("%texel =", "OpBranch %next\n%next = OpLabel\n%texel =")]),
    (&OPAQUE_CHOICE, IMAGES, &[("%corner =", "%bool = OpTypeBool\n%true = OpConstantTrue %bool\n%corner ="), ("OpReturn\n", "%x = OpSelect %in %true %source %source\nOpReturn\n")]),
    (&PRINTF_ARGUMENTS, ARITHMETIC, &[("OpCapability Int16", "OpCapability Int8\nOpCapability Int16"),
        ("%half =", "%char = OpTypeInt 8 0\n%percent = OpConstant %char 37\n%letter = OpConstant %char 115\n%end = OpConstant %char 0\n%c3 = OpConstant %int 3\n\
          %text = OpTypeArray %char %c3\n%cp_text = OpTypePointer UniformConstant %text\n%cp_char = OpTypePointer UniformConstant %char\n\
          %format_value = OpConstantComposite %text %percent %letter %end\n%format = OpVariable %cp_text UniformConstant %format_value\n%half ="),
        ("OpStore %first %sel", "%format_start = OpInBoundsAccessChain %cp_char %format %c0\n%x = OpExtInst %int %std printf %format_start %c0\nOpStore %first %sel")]),
    (&PRINTF_FORMAT, ARITHMETIC, &[("OpStore %first %sel", "%x = OpExtInst %int %std printf %first")]),
    (&ATOMIC_TYPE, LOOP, &[("OpCapability Int64Atomics\n", "")]),
    (&ATOMIC_CLASS, LOOP, &[("OpAtomicIAdd %long %sum %one %zero %wide", "OpAtomicLoad %long %lid %one %zero")]),
    (&RECURSION, SMALL, &[("OpReturn", "%x = OpFunctionCall %void %kernel %argument\nOpReturn")]),
    (&SCOPE_CONSTANT, LOOP, &[("OpControlBarrier %workgroup", "OpControlBarrier %i")]),
    (&SCOPE_VALUE, LOOP, &[("%workgroup = OpConstant %int 2", "%workgroup = OpConstant %int 99")]),
    (&EXECUTION_SCOPE, LOOP, &[("OpControlBarrier %workgroup", "OpControlBarrier %one")]),
    (&MEMORY_SCOPE, LOOP, &[("%workgroup = OpConstant %int 2", "%workgroup = OpConstant %int 6")]),
    (&CLUSTER_SIZE, LOOP, &[("OpCapability Groups", "OpCapability Groups\nOpCapability GroupNonUniformArithmetic"), ("%zero =", "%subgroup = OpConstant %int 3\n%zero ="), ("OpGroupIAdd %int %workgroup Reduce %acc", "OpGroupNonUniformIAdd %int %subgroup Reduce %acc %one")]),
    (&INSTRUCTION_UNSUPPORTED, IMAGES, &[("OpReturn\n", "%x = OpImageTexelPointer %texel_pointer %source %size %corner\nOpReturn\n"),
        ("%corner =", "%texel_pointer = OpTypePointer CrossWorkgroup %int\n%corner =")]),
    (&GROUP_OPERATION, LOOP, &[("; Loops", "; Version: 1.3\n; Loops"), ("OpCapability Groups", "OpCapability Groups\nOpCapability GroupNonUniformClustered"), ("OpGroupIAdd %int %workgroup Reduce", "OpGroupIAdd %int %workgroup ClusteredReduce")]),
    (&GROUP_TYPE, LOOP, &[("OpCapability Groups", "OpCapability Groups\nOpCapability Int8"), ("%event =", "%char = OpTypeInt 8 0\n%event ="), ("%all =", "%byte = OpSConvert %char %acc\n%sum_of_bytes = OpGroupIAdd %char %workgroup Reduce %byte\n%all =")]),
    (&INTEL_SUBGROUP_TYPE, LOOP, &[("OpCapability Groups", "OpCapability Groups\nOpCapability SubgroupShuffleINTEL\nOpExtension \"SPV_INTEL_subgroups\""), ("%event =", "%long2 = OpTypeVector %long 2\n%event ="), ("%before =", "%two = OpCompositeConstruct %long2 %wide %wide\n%shuffled = OpSubgroupShuffleINTEL %long2 %two %one\n%before =")]),
    (&IMAGE_OPERANDS, IMAGES, &[("ImageRead %float4 %source %size", "ImageRead %float4 %source %size Sample %corner")]),
    (&FLOAT_ATOMICS, LOOP, &[("OpCapability Groups", "OpCapability Groups\nOpCapability AtomicFloat64AddEXT\nOpExtension \"SPV_EXT_shader_atomic_float_add\""),
        ("%event =", "%float = OpTypeFloat 32\n%gp_float = OpTypePointer CrossWorkgroup %float\n%event ="), ("%zero =", "%half = OpConstant %float 0.5\n%zero ="),
        ("%before =", "%cast = OpBitcast %gp_float %data\n%x = OpAtomicFAddEXT %float %cast %one %zero %half\n%before =")]),
    (&MATRIX_TYPE, MATRICES, &[("%A8 = OpTypeCooperativeMatrixKHR %char", "%A8 = OpTypeCooperativeMatrixKHR %bool")]),
    (&MATRIX_TYPE, MATRICES, &[("%A = OpTypeCooperativeMatrixKHR %float %subgroup %n16", "%A = OpTypeCooperativeMatrixKHR %float %subgroup %four")]),
    (&MATRIX_TYPE, MATRICES, &[("%n16 %wide %columns_first", "%n16 %wide %subgroup")]),
    (&MATRIX_SHAPE, MATRICES, &[("OpSpecConstant %int 16", "OpSpecConstant %int 17")]),
    (&MATRIX_SHAPE, MATRICES, &[("%C32 = OpTypeCooperativeMatrixKHR %int %subgroup %n16 %n16", "%n1024 = OpConstant %int 1024\n%C32 = OpTypeCooperativeMatrixKHR %int %subgroup %n1024 %n1024")]),
    (&MATRIX_SCOPE, MATRICES, &[("%subgroup = OpConstant %int 3", "%subgroup = OpConstant %int 2")]),
    (&MATRIX_STORAGE, MATRICES, &[("%fp_C =", "%lp_C = OpTypePointer Workgroup %C\n%fp_C =")]),
    (&MATRIX_STORAGE, MATRICES, &[("%fp_C =", "%two = OpTypeArray %C %accumulator\n%both = OpTypeStruct %int %two\n%gp_both = OpTypePointer CrossWorkgroup %both\n%fp_C =")]),
    (&MATRIX_INSTRUCTION, MATRICES, &[("OpFNegate %C %product", "OpFRem %C %product %product")]),
    (&MATRIX_INSTRUCTION, MATRICES, &[("%chosen = OpSelect %C %true %negative %product", "%x = OpExtInst %C %std sqrt %product\n%chosen = OpCopyObject %C %negative")]),
    (&MATRIX_CONVERSION, MATRICES, &[("%rounded = OpConvertFToS %C32 %sum", "%x = OpSConvert %C32 %a8\n%rounded = OpConvertFToS %C32 %sum")]),
    (&MATRIX_CONVERSION, MATRICES, &[("%rounded = OpConvertFToS %C32 %sum", "%rounded = OpBitcast %C32 %sum")]),
    (&MATRIX_POINTER, MATRICES, &[("%sum = OpFAdd", "OpCooperativeMatrixStoreKHR %place %inserted %rows_first %n16\n%sum = OpFAdd")]),
    (&MATRIX_LAYOUT, MATRICES, &[("%a8 = OpCooperativeMatrixLoadKHR %A8 %bytes %rows_first %n16", "%a8 = OpCooperativeMatrixLoadKHR %A8 %bytes %rows_first")]),
    (&MATRIX_LAYOUT, MATRICES, &[("%a8 = OpCooperativeMatrixLoadKHR %A8 %bytes %rows_first", "%a8 = OpCooperativeMatrixLoadKHR %A8 %bytes %accumulator")]),
    (&MATRIX_LAYOUT, MATRICES, &[("%a8 = OpCooperativeMatrixLoadKHR %A8 %bytes %rows_first", "%a8 = OpCooperativeMatrixLoadKHR %A8 %bytes %length")]),
    (&MATRIX_PRODUCT, MATRICES, &[("MulAddKHR %C %a %b", "MulAddKHR %C %b %a")]),
    (&MATRIX_PRODUCT, MATRICES, &[("MatrixCSignedComponentsKHR|", "")]),
    (&MATRIX_PRODUCT, MATRICES, &[("%ab = OpCooperativeMatrixMulAddKHR %C %a %b %halves", "%ab = OpCooperativeMatrixMulAddKHR %C %a %b %halves SaturatingAccumulationKHR")]),
    (&MATRIX_SIGNED, MATRICES, &[("%ab = OpCooperativeMatrixMulAddKHR %C %a %b %halves", "%ab = OpCooperativeMatrixMulAddKHR %C %a %b %halves MatrixASignedComponentsKHR")]),
    (&SUB_GROUP_PRODUCT, MATRICES, &[("OpCapability CooperativeMatrixKHR", "OpCapability CooperativeMatrixKHR\nOpCapability SubgroupMatrixMultiplyAccumulateINTEL\nOpExtension \"SPV_INTEL_subgroup_matrix_multiply_accumulate\""),
        ("%sum = OpFAdd", "%x = OpSubgroupMatrixMultiplyAccumulateINTEL %int %n16 %accumulator %accumulator %accumulator MatrixAPackedInt8INTEL|MatrixBPackedInt8INTEL\n%sum = OpFAdd")]),
];

#[rustfmt::skip]
pub(super) static ROW_CASES: &[RowCase] = &[
    (&IMAGE_LOD, IMAGES, &[("ImageRead %float4 %source %size", "ImageRead %float4 %source %size Lod %level"), ("%corner =", "%level = OpConstant %int 1\n%corner =")], "cl_khr_mipmap_image"),
    (&IMAGE_LOD, IMAGES, &[("OpImageQuerySizeLod %int2 %source %corner", "OpImageQuerySizeLod %int2 %source %level"), ("%corner =", "%level = OpConstant %int 1\n%corner =")], "cl_khr_mipmap_image"),
    (&IMAGE_WRITE_LOD, IMAGES, &[("OpImageWrite %target %size %sum", "OpImageWrite %target %size %sum Lod %level"), ("%corner =", "%level = OpConstant %int 1\n%corner =")], "cl_khr_mipmap_image_writes"),
    (&IMAGE_3D_WRITE, IMAGES, &[("%out = OpTypeImage %void 2D", "%out = OpTypeImage %void 3D"), ("%int2 =", "%int4 = OpTypeVector %int 4\n%int2 ="), ("OpImageWrite %target %size", "%wide = OpVectorShuffle %int4 %size %size 0 1 0 1\nOpImageWrite %target %wide")], "cl_khr_3d_image_writes"),
    (&IMAGE_MS, IMAGES, &[("2D 0 0 0 0 Unknown ReadOnly", "2D 0 0 1 0 Unknown ReadOnly")], "cl_khr_gl_msaa_sharing"),
    (&IMAGE_DEPTH, IMAGES, &[("%in = OpTypeImage %void 2D 0", "%in = OpTypeImage %void 2D 1")], "cl_khr_depth_images"),
    (&MEMORY_ORDER, LOOP, &[("OpAtomicIAdd %int %place %workgroup %order", "OpAtomicIAdd %int %place %workgroup %workgroup_acquire"), ("%zero =", "%workgroup_acquire = OpConstant %int 258\n%zero =")], "core:atomic_order_acq_rel"),
    (&MEMORY_SCOPE, LOOP, &[], "core:atomic_scope_device"),
    (&VARIABLE_CLASS, CONSTANTS, &[], "core:program_scope_global_variables"),
    (&EXECUTION_SCOPE, LOOP, &[], "core:work_group_collective_functions"),
];

/// Gives what the module that keeps a rule is told, and what the module that breaks it is told.
type BothCases = fn() -> [Vec<Diagnostic>; 2];

/// A rule, what breaks it in words, and the two modules.
pub(super) type OtherCase = (&'static Rule, &'static str, BothCases);

/// Cases that no change of a text makes: a header's word, a value from the API, and a version of OpenCL.
pub(super) static OTHER_CASES: &[OtherCase] = &[
    (&SCHEMA, "The last word of the module's header is 1.", schema),
    (
        &SPECIALIZATION_SIZE,
        "A constant of one byte is given a value of two bytes by clSetProgramSpecializationConstant.",
        specialization,
    ),
    (
        &IMAGE_WRITE_OPERANDS,
        "OpImageWrite has the image operand Lod, in the environment of OpenCL 3.0.",
        write_with_operands,
    ),
];

/// The instruction schema is the header's last word.
fn schema() -> [Vec<Diagnostic>; 2] {
    [0, 1].map(|schema| {
        let mut bytes = assemble(SMALL).unwrap();
        bytes[16] = schema;
        validate(parse(&bytes).unwrap(), &everything(), &[], true).err().unwrap_or_default()
    })
}

/// SpecId 4 is that of a constant of one byte.
fn specialization() -> [Vec<Diagnostic>; 2] {
    [1, 2].map(|size| {
        let binary = parse(&assemble(CONSTANTS).unwrap()).unwrap();
        let values = [(4, vec![1; size])];
        validate(binary, &everything(), &values, true).err().unwrap_or_default()
    })
}

/// Since version 3.1, image operands are for writes, too.
fn write_with_operands() -> [Vec<Diagnostic>; 2] {
    let text = IMAGES.replace("OpImageWrite %target %size %sum", "OpImageWrite %target %size %sum Lod %corner");
    let of_3_0 = Environment {
        registry: Registry::everything().switched("cl_khr_mipmap_image_writes", false),
        ..Environment::named("opencl3.0").unwrap()
    };
    [everything(), of_3_0].map(|environment| errors(&text, &environment))
}

pub(super) fn everything() -> Environment {
    Environment::of_registry(Registry::everything())
}

pub(super) fn errors(text: &str, environment: &Environment) -> Vec<Diagnostic> {
    let bytes = assemble(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let binary = parse(&bytes).unwrap_or_else(|error| panic!("{error}\n{text}"));
    validate(binary, environment, &[], true).err().unwrap_or_default()
}

pub(super) fn changed(rule: &Rule, module: &str, changes: Changes) -> String {
    changes.iter().fold(module.to_string(), |text, (from, to)| {
        assert!(text.contains(from), "{}: {from} is not in the module", rule.id);
        text.replacen(from, to, 1)
    })
}

/// What a rule's cases gave: what the module that keeps it is told, and what the module that breaks it is told.
fn judge() -> Vec<(&'static Rule, Vec<Diagnostic>, Vec<Diagnostic>)> {
    let everything = everything();
    let texts = CASES.iter().map(|&(rule, module, changes)| {
        (
            rule,
            errors(module, &everything),
            errors(&changed(rule, module, changes), &everything),
        )
    });
    let rows = ROW_CASES.iter().map(|&(rule, module, changes, row)| {
        let text = changed(rule, module, changes);
        let without = Environment::of_registry(Registry::everything().switched(row, false));
        (rule, errors(&text, &everything), errors(&text, &without))
    });
    let others = OTHER_CASES.iter().map(|&(rule, _, cases)| {
        let [accepted, refused] = cases();
        (rule, accepted, refused)
    });
    texts.chain(rows).chain(others).collect()
}

/// The list of all rules, each with at least a case that it accepts and one that it refuses.
#[test]
fn each_rule_accepts_and_refuses() {
    let cases = judge();
    for (rule, accepted, refused) in &cases {
        assert!(accepted.is_empty(), "{}: {}", rule.id, log(accepted));
        let told = refused.iter().any(|diagnostic| std::ptr::eq(diagnostic.rule, *rule));
        assert!(told, "{}: {}", rule.id, log(refused));
    }
    println!("{:24} {:44} {:>8} {:>7}  rule", "", "section", "accepts", "refuses");
    for rule in RULES {
        let count = cases.iter().filter(|(of, ..)| std::ptr::eq(*of, *rule)).count();
        println!("{:24} {:44} {count:8} {count:7}  {}", rule.id, rule.section, rule.sentence);
        assert!(count > 0, "{} has no cases", rule.id);
    }
    println!("{} rules, {} cases of each kind", RULES.len(), cases.len());
}

/// Turning a row off takes back its capabilities and extensions in the validator, too.
#[test]
fn what_is_reported_is_accepted_and_nothing_else() {
    for row in vendors::rows() {
        for on in [true, false] {
            let changes: Vec<(&str, bool)> = vendors::rows().map(|other| (other.name, on || other.name != row.name)).collect();
            let environment = Environment::of_registry(Registry::with(&changes));
            let extensions: String = row
                .spirv_extensions
                .iter()
                .map(|name| format!("OpExtension \"{name}\"\n"))
                .collect();
            for capability in row.capabilities {
                let text = SMALL
                    .replace("OpMemoryModel", &format!("OpCapability {capability:?}\n{extensions}OpMemoryModel"))
                    .replace("Version: 1.2", "Version: 1.6");
                let refused = errors(&text, &environment);
                let extensions_reported = row
                    .spirv_extensions
                    .iter()
                    .all(|name| environment.registry.spirv_extensions().contains(name));
                let reported = environment.registry.has_capability(*capability) && extensions_reported;
                assert_eq!(reported, refused.is_empty(), "{} {on}: {capability:?}: {}", row.name, log(&refused));
                if !environment.registry.has_capability(*capability) {
                    let named = refused
                        .iter()
                        .any(|diagnostic| diagnostic.detail.contains(&format!("{capability:?}")));
                    assert!(named, "{capability:?} is refused, but not by its name: {}", log(&refused));
                }
            }
        }
    }
}
