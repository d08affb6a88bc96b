//! Scopes and memory orders of atomics and barriers, execution scopes, and floating-point atomics: each bit of each query.

use super::Case;
use super::device::Reported;
use super::module::Module;

/// Name, constant, bit.
const SCOPES: [(&str, &str, u64); 3] = [
    ("CrossDevice", "%zero", 1 << 6),
    ("Device", "%one", 1 << 5),
    ("Workgroup", "%two", 1 << 4),
];
const ORDERS: [(&str, &str, u64); 3] = [
    ("Relaxed", "%zero", 1),
    ("Acquire", "%acquire", 1 << 1),
    ("SequentiallyConsistent", "%seq_cst", 1 << 2),
];

pub fn cases(reported: &Reported) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut case = |name: &str, reported: bool, module: Module| {
        cases.push(Case {
            name: name.into(),
            reported,
            module,
        });
    };
    let add = |scope: &str, order: &str| {
        let body = format!("%before = OpAtomicIAdd %int %out {scope} {order} %seven\n%r = OpAtomicLoad %int %out {scope} {order}");
        Module::new().gives(&body, 7)
    };
    let fence =
        |scope: &str, order: &str| Module::new().gives(&format!("OpMemoryBarrier {scope} {order}\n%r = OpCopyObject %int %seven"), 7);
    for (name, scope, bit) in SCOPES {
        case(name, reported.atomic_memory & bit != 0, add(scope, "%zero"));
        case(name, reported.atomic_fence & bit != 0, fence(scope, "%acq_rel"));
    }
    case("Subgroup", reported.sub_groups, add("%three", "%zero"));
    case("Subgroup", reported.sub_groups, fence("%three", "%acq_rel"));
    case("Invocation", reported.atomic_fence & 1 << 3 != 0, fence("%four", "%acq_rel"));
    case("QueueFamily", false, add("%five", "%zero"));
    for (name, order, bit) in ORDERS {
        case(name, reported.atomic_memory & bit != 0, add("%two", order));
        case(name, reported.atomic_fence & bit != 0, fence("%two", order));
    }
    let barrier = |scope: &str| Module::new().gives(&format!("OpControlBarrier {scope} %two %acq_rel\n%r = OpCopyObject %int %seven"), 7);
    case("Workgroup", true, barrier("%two"));
    case("Subgroup", reported.sub_groups, barrier("%three"));
    // Clang's back end writes these for memory scopes; the work-group waits, and a warning says so.
    case("Device", true, barrier("%one"));
    case("CrossDevice", true, barrier("%zero"));
    case("QueueFamily", false, barrier("%five"));
    let reduce = |scope: &str| {
        Module::new()
            .capability("Groups")
            .gives(&format!("%r = OpGroupIAdd %int {scope} Reduce %seven"), 7)
    };
    case(
        if reported.sub_groups { "Workgroup" } else { "Groups" },
        reported.collectives,
        reduce("%two"),
    );
    case(
        if reported.collectives { "Subgroup" } else { "Groups" },
        reported.sub_groups,
        reduce("%three"),
    );
    let extended = reported.extensions.iter().any(|name| name == "cl_khr_subgroup_extended_types");
    if reported.sub_groups {
        let body = "%both = OpGroupBroadcast %int2 %three %sevens %zero\n%r = OpCompositeExtract %int %both 1";
        case(
            "cl_khr_subgroup_extended_types",
            extended,
            Module::new().capability("Groups").gives(body, 7),
        );
    }
    for (index, width, ty) in [(0, 16, "%half"), (1, 32, "%float"), (2, 64, "%double")] {
        for (shift, class, pointer) in [(0, "CrossWorkgroup", "%out"), (16, "Workgroup", "%local_long")] {
            for (bit, kind, op) in [(1, "Add", "OpAtomicFAddEXT"), (2, "MinMax", "OpAtomicFMaxEXT")] {
                let there = reported.float_atomics[index] & 1 << (bit + shift) != 0;
                let add_extension = if width == 16 {
                    "SPV_EXT_shader_atomic_float16_add"
                } else {
                    "SPV_EXT_shader_atomic_float_add"
                };
                let extension = if kind == "Add" {
                    add_extension
                } else {
                    "SPV_EXT_shader_atomic_float_min_max"
                };
                let body = format!(
                    "%p = OpBitcast %pointer {pointer}\n\
                     OpStore %p %zero_value\n\
                     %two_value = OpFConvert {ty} %fx\n\
                     %before = {op} {ty} %p %two %zero %two_value\n\
                     %x = OpAtomicLoad {ty} %p %two %zero\n\
                     %r = OpConvertFToU %int %x"
                );
                let body = match width {
                    32 => body.replace("OpFConvert %float %fx", "OpCopyObject %float %f2"),
                    _ => body.replace("%fx", "%f2"),
                };
                let types = match width {
                    16 => "%half = OpTypeFloat 16",
                    64 => "%double = OpTypeFloat 64",
                    _ => "",
                };
                let mut module = Module::new()
                    .capability(&format!("AtomicFloat{width}{kind}EXT"))
                    .capability("Int64")
                    .extension(extension)
                    .types(types)
                    .types("%long = OpTypeInt 64 0\n%lp_long = OpTypePointer Workgroup %long\n%local_long = OpVariable %lp_long Workgroup")
                    .types(&format!("%pointer = OpTypePointer {class} {ty}\n%zero_value = OpConstantNull {ty}"))
                    .gives(&body, 2);
                module = match width {
                    16 => module.capability("Float16"),
                    64 => module.capability("Float64").capability("Int64Atomics"),
                    _ => module,
                };
                case(&format!("AtomicFloat{width}{kind}EXT"), there, module);
            }
        }
    }
    cases
}
