//! An environment as MLIR's SPIR-V dialect has it: the attribute that its conversions take for what they may make.

use super::Environment;
use rspirv::spirv::Capability;
use vendors::limits;

/// Names that the dialect of MLIR 22 does not have; it refuses an attribute that mentions one.
const UNKNOWN: &[&str] = &[
    "ArbitraryPrecisionFixedPointALTERA",
    "ArbitraryPrecisionFloatingPointALTERA",
    "ArbitraryPrecisionIntegersALTERA",
    "ArithmeticFenceEXT",
    "Float8CooperativeMatrixEXT",
    "Float8EXT",
    "FloatControls2",
    "MaskedGatherScatterINTEL",
    "SPV_EXT_arithmetic_fence",
    "SPV_EXT_float8",
    "SPV_INTEL_arithmetic_fence",
    "SPV_KHR_abort",
    "SPV_KHR_float_controls2",
    "SPV_INTEL_masked_gather_scatter",
    "GlobalVariableHostAccessINTEL",
    "SPV_EXT_optnone",
    "SPV_EXT_relaxed_printf_string_address_space",
    "SPV_INTEL_global_variable_decorations",
    "SPV_INTEL_global_variable_host_access",
    "SPV_INTEL_bloat16_conversion",
    "SPV_INTEL_joint_matrix",
    "SPV_INTEL_tensor_float32_conversion",
    "SPV_INTEL_subgroup_matrix_multiply_accumulate",
    "SPV_INTEL_2d_block_io",
    "SPV_INTEL_arbitrary_precision_integers",
    "SPV_ALTERA_arbitrary_precision_integers",
    "SPV_KHR_untyped_pointers",
    "SubgroupMatrixMultiplyAccumulateINTEL",
    "Subgroup2DBlockIOINTEL",
    "Subgroup2DBlockTransformINTEL",
    "Subgroup2DBlockTransposeINTEL",
    "TensorFloat32RoundingINTEL",
    "UntypedPointersKHR",
];

/// Names that the dialect spells in its own way, the older one mostly.
const SPELLINGS: &[(&str, &str)] = &[
    ("BFloat16ConversionINTEL", "Bfloat16ConversionINTEL"),
    ("OptNoneEXT", "OptNoneINTEL"),
    ("LongCompositesINTEL", "LongConstantCompositeINTEL"),
    ("SPV_INTEL_long_composites", "SPV_INTEL_long_constant_composite"),
];

/// What implies Shader in the dialect, though not in an environment of OpenCL's. Conversions that find Shader make instructions and built-in variables of
/// graphics.
const IMPLIES_SHADER: &[Capability] = &[Capability::ShaderClockKHR];

fn names(all: impl Iterator<Item = String>) -> String {
    let spelled = all.filter(|name| !UNKNOWN.contains(&name.as_str())).map(|name| {
        let spelling = SPELLINGS.iter().find(|(ours, _)| *ours == name);
        spelling.map_or(name, |(_, theirs)| theirs.to_string())
    });
    spelled.collect::<Vec<_>>().join(", ")
}

/// `#spirv.target_env<…>`
pub fn target_env(environment: &Environment) -> String {
    let capabilities = environment.registry.capabilities().into_iter();
    let capabilities = capabilities.filter(|capability| environment.has_capability(*capability) && !IMPLIES_SHADER.contains(capability));
    let capabilities = names(capabilities.map(|capability| format!("{capability:?}")));
    let extensions = names(environment.registry.spirv_extensions().into_iter().map(String::from));
    let (major, minor) = environment.newest;
    let [least, most] = [
        limits::SUB_GROUP_SIZES[0],
        limits::SUB_GROUP_SIZES[limits::SUB_GROUP_SIZES.len() - 1],
    ];
    let group = limits::WORK_GROUP_SIZE;
    format!(
        "#spirv.target_env<#spirv.vce<v{major}.{minor}, [{capabilities}], [{extensions}]>, api=OpenCL, Unknown:CPU, #spirv.resource_limits<\
         max_compute_workgroup_invocations = {group}, max_compute_workgroup_size = [{group}, {group}, {group}], \
         min_subgroup_size = {least}, max_subgroup_size = {most}>>"
    )
}
