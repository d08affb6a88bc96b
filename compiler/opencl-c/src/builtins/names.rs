//! What OpenCL C's headers declare beside functions: types, constants, macros.

use super::Conditions;
use super::signature::image;
use crate::types::{Access, Image, Scalar, TypeId, TypeKind, Types};

/// A macro that is defined before anything is read.
#[derive(Clone, Copy, Debug)]
pub struct Macro {
    /// With its parameters, if it has some: `ATOMIC_VAR_INIT(x)`.
    pub name: &'static str,
    pub body: &'static str,
    /// As [`super::row::Row::when`].
    pub when: &'static str,
}

/// A scalar type by its name.
pub(super) fn scalar(name: &str) -> Option<Scalar> {
    Some(match name {
        "bool" => Scalar::Bool,
        "char" => Scalar::Char,
        "uchar" => Scalar::UChar,
        "short" => Scalar::Short,
        "ushort" => Scalar::UShort,
        "int" => Scalar::Int,
        "uint" => Scalar::UInt,
        "long" => Scalar::Long,
        "ulong" | "size_t" | "uintptr_t" => Scalar::ULong,
        "ptrdiff_t" | "intptr_t" => Scalar::Long,
        "half" => Scalar::Half,
        "float" => Scalar::Float,
        "double" => Scalar::Double,
        _ => return None,
    })
}

/// A scalar or vector type by its name.
pub(super) fn numeric(name: &str) -> Option<(Scalar, u8)> {
    let element = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let lanes = match &name[element.len()..] {
        "" => 1,
        "2" => 2,
        "3" => 3,
        "4" => 4,
        "8" => 8,
        "16" => 16,
        _ => return None,
    };
    let base = scalar(element)?;
    let vector = lanes > 1 && (base == Scalar::Bool || element.ends_with("_t"));
    (!vector).then_some((base, lanes))
}

/// A type with a fixed id, by its name.
pub(super) fn type_of(name: &str) -> Option<TypeId> {
    Some(match name {
        "void" => TypeId::VOID,
        "event_t" => TypeId::EVENT,
        "sampler_t" => TypeId::SAMPLER,
        "queue_t" => TypeId::QUEUE,
        "clk_event_t" => TypeId::CLK_EVENT,
        "reserve_id_t" => TypeId::RESERVE_ID,
        "ndrange_t" => TypeId::NDRANGE,
        "cl_mem_fence_flags" => TypeId::UINT,
        "memory_order" | "memory_scope" | "atomic_flag_int" | "kernel_enqueue_flags_t" | "clk_profiling_info" => TypeId::INT,
        _ => {
            let (base, lanes) = numeric(name)?;
            TypeId::vector(base, lanes)
        }
    })
}

/// A type that a program may name without declaring it. Images are `read_only`, unless a qualifier says more. What C's own words name (`int`, `float`) is
/// among them too.
pub fn type_name(name: &str, conditions: &Conditions, types: &mut Types) -> Option<TypeId> {
    let condition = match name {
        "event_t" | "cl_mem_fence_flags" => "",
        "sampler_t" => "",
        "queue_t" | "clk_event_t" | "ndrange_t" | "kernel_enqueue_flags_t" | "clk_profiling_info" => "__opencl_c_device_enqueue",
        "reserve_id_t" => "__opencl_c_pipes",
        "memory_order" | "memory_scope" => "2.0",
        _ => "",
    };
    if !conditions.hold(condition) {
        return None;
    }
    if let Some((base, lanes)) = numeric(name) {
        // A scalar of a missing type is a keyword all the same; using it is reported as such.
        return (lanes == 1 || conditions.has_base(base)).then(|| TypeId::vector(base, lanes));
    }
    if let Some(ty) = type_of(name) {
        return Some(ty);
    }
    if let Some((dim, depth, msaa)) = image(name) {
        let there = !depth || conditions.has("cl_khr_depth_images") || conditions.at_least(200);
        let there = there && (!msaa || conditions.has("cl_khr_gl_msaa_sharing"));
        let access = Access::ReadOnly;
        return there.then(|| types.intern(TypeKind::Image(Image { dim, depth, msaa, access })));
    }
    let atomic = name.strip_prefix("atomic_")?;
    if !conditions.at_least(200) {
        return None;
    }
    let base = match atomic {
        "flag" => Scalar::Int,
        "size_t" | "uintptr_t" | "ulong" => Scalar::ULong,
        "ptrdiff_t" | "intptr_t" | "long" => Scalar::Long,
        "int" => Scalar::Int,
        "uint" => Scalar::UInt,
        "float" => Scalar::Float,
        "double" if conditions.has_base(Scalar::Double) => Scalar::Double,
        "half" if conditions.has("__opencl_c_ext_fp16_global_atomic_load_store") => Scalar::Half,
        _ => return None,
    };
    Some(types.intern(TypeKind::Atomic(TypeId::scalar(base))))
}

/// Constants that enumerations declare, all `int`: name, value, condition.
const ENUMERATORS: &[(&str, i32, &str)] = &[
    ("memory_order_relaxed", 0, "2.0"),
    ("memory_order_acquire", 2, "2.0"),
    ("memory_order_release", 3, "2.0"),
    ("memory_order_acq_rel", 4, "2.0"),
    ("memory_order_seq_cst", 5, "2.0 & __opencl_c_atomic_order_seq_cst"),
    ("memory_scope_work_item", 0, "2.0"),
    ("memory_scope_work_group", 1, "2.0"),
    ("memory_scope_device", 2, "2.0"),
    ("memory_scope_all_svm_devices", 3, "2.0 & __opencl_c_atomic_scope_all_devices"),
    ("memory_scope_all_devices", 3, "3.0 & __opencl_c_atomic_scope_all_devices"),
    ("memory_scope_sub_group", 4, "2.0 & sub_groups"),
];

/// A constant of an enumeration that a program may name without declaring it: an `int`.
pub fn enumerator(name: &str, conditions: &Conditions) -> Option<i32> {
    if !name.starts_with("memory_") {
        return None;
    }
    let &(_, value, when) = ENUMERATORS.iter().find(|entry| entry.0 == name)?;
    conditions.hold(when).then_some(value)
}

/// The macros that are there for these conditions.
pub fn macros(conditions: &Conditions) -> impl Iterator<Item = &'static Macro> {
    MACROS.iter().filter(|entry| conditions.hold(entry.when))
}

const fn always(name: &'static str, body: &'static str) -> Macro {
    Macro { name, body, when: "" }
}

const fn when(when: &'static str, name: &'static str, body: &'static str) -> Macro {
    Macro { name, body, when }
}

const FP16: &str = "cl_khr_fp16";
const ENQUEUE: &str = "2.0 & __opencl_c_device_enqueue";

/// Macros of OpenCL C, section 6.2 on, by section.
static MACROS: &[Macro] = &[
    always("NULL", "((void*)0)"),
    // 6.15.2: numbers.
    always("MAXFLOAT", "0x1.fffffep127f"),
    always("HUGE_VALF", "(__builtin_huge_valf())"),
    always("HUGE_VAL", "(__builtin_huge_val())"),
    always("INFINITY", "(__builtin_inff())"),
    always("NAN", "as_float(0x7fffffff)"),
    always("FP_ILOGB0", "(-2147483647-1)"),
    always("FP_ILOGBNAN", "2147483647"),
    always("FLT_DIG", "6"),
    always("FLT_MANT_DIG", "24"),
    always("FLT_MAX_10_EXP", "+38"),
    always("FLT_MAX_EXP", "+128"),
    always("FLT_MIN_10_EXP", "-37"),
    always("FLT_MIN_EXP", "-125"),
    always("FLT_RADIX", "2"),
    always("FLT_MAX", "0x1.fffffep127f"),
    always("FLT_MIN", "0x1.0p-126f"),
    always("FLT_EPSILON", "0x1.0p-23f"),
    always("DBL_DIG", "15"),
    always("DBL_MANT_DIG", "53"),
    always("DBL_MAX_10_EXP", "+308"),
    always("DBL_MAX_EXP", "+1024"),
    always("DBL_MIN_10_EXP", "-307"),
    always("DBL_MIN_EXP", "-1021"),
    always("DBL_RADIX", "2"),
    always("DBL_MAX", "0x1.fffffffffffffp1023"),
    always("DBL_MIN", "0x1.0p-1022"),
    always("DBL_EPSILON", "0x1.0p-52"),
    when(FP16, "HALF_DIG", "3"),
    when(FP16, "HALF_MANT_DIG", "11"),
    when(FP16, "HALF_MAX_10_EXP", "+4"),
    when(FP16, "HALF_MAX_EXP", "+16"),
    when(FP16, "HALF_MIN_10_EXP", "-4"),
    when(FP16, "HALF_MIN_EXP", "-13"),
    when(FP16, "HALF_RADIX", "2"),
    when(FP16, "HALF_MAX", "((0x1.ffcp15h))"),
    when(FP16, "HALF_MIN", "((0x1.0p-14h))"),
    when(FP16, "HALF_EPSILON", "((0x1.0p-10h))"),
    always("M_E_F", "0x1.5bf0a8p+1f"),
    always("M_LOG2E_F", "0x1.715476p+0f"),
    always("M_LOG10E_F", "0x1.bcb7b2p-2f"),
    always("M_LN2_F", "0x1.62e430p-1f"),
    always("M_LN10_F", "0x1.26bb1cp+1f"),
    always("M_PI_F", "0x1.921fb6p+1f"),
    always("M_PI_2_F", "0x1.921fb6p+0f"),
    always("M_PI_4_F", "0x1.921fb6p-1f"),
    always("M_1_PI_F", "0x1.45f306p-2f"),
    always("M_2_PI_F", "0x1.45f306p-1f"),
    always("M_2_SQRTPI_F", "0x1.20dd76p+0f"),
    always("M_SQRT2_F", "0x1.6a09e6p+0f"),
    always("M_SQRT1_2_F", "0x1.6a09e6p-1f"),
    always("M_E", "0x1.5bf0a8b145769p+1"),
    always("M_LOG2E", "0x1.71547652b82fep+0"),
    always("M_LOG10E", "0x1.bcb7b1526e50ep-2"),
    always("M_LN2", "0x1.62e42fefa39efp-1"),
    always("M_LN10", "0x1.26bb1bbb55516p+1"),
    always("M_PI", "0x1.921fb54442d18p+1"),
    always("M_PI_2", "0x1.921fb54442d18p+0"),
    always("M_PI_4", "0x1.921fb54442d18p-1"),
    always("M_1_PI", "0x1.45f306dc9c883p-2"),
    always("M_2_PI", "0x1.45f306dc9c883p-1"),
    always("M_2_SQRTPI", "0x1.20dd750429b6dp+0"),
    always("M_SQRT2", "0x1.6a09e667f3bcdp+0"),
    always("M_SQRT1_2", "0x1.6a09e667f3bcdp-1"),
    when(FP16, "M_E_H", "0x1.5bf0a8b145769p+1h"),
    when(FP16, "M_LOG2E_H", "0x1.71547652b82fep+0h"),
    when(FP16, "M_LOG10E_H", "0x1.bcb7b1526e50ep-2h"),
    when(FP16, "M_LN2_H", "0x1.62e42fefa39efp-1h"),
    when(FP16, "M_LN10_H", "0x1.26bb1bbb55516p+1h"),
    when(FP16, "M_PI_H", "0x1.921fb54442d18p+1h"),
    when(FP16, "M_PI_2_H", "0x1.921fb54442d18p+0h"),
    when(FP16, "M_PI_4_H", "0x1.921fb54442d18p-1h"),
    when(FP16, "M_1_PI_H", "0x1.45f306dc9c883p-2h"),
    when(FP16, "M_2_PI_H", "0x1.45f306dc9c883p-1h"),
    when(FP16, "M_2_SQRTPI_H", "0x1.20dd750429b6dp+0h"),
    when(FP16, "M_SQRT2_H", "0x1.6a09e667f3bcdp+0h"),
    when(FP16, "M_SQRT1_2_H", "0x1.6a09e667f3bcdp-1h"),
    // 6.15.3: limits of integers.
    always("CHAR_BIT", "8"),
    always("SCHAR_MAX", "127"),
    always("SCHAR_MIN", "(-128)"),
    always("UCHAR_MAX", "255"),
    always("CHAR_MAX", "SCHAR_MAX"),
    always("CHAR_MIN", "SCHAR_MIN"),
    always("USHRT_MAX", "65535"),
    always("SHRT_MAX", "32767"),
    always("SHRT_MIN", "(-32768)"),
    always("UINT_MAX", "0xffffffff"),
    always("INT_MAX", "2147483647"),
    always("INT_MIN", "(-2147483647-1)"),
    always("ULONG_MAX", "0xffffffffffffffffUL"),
    always("LONG_MAX", "0x7fffffffffffffffL"),
    always("LONG_MIN", "(-0x7fffffffffffffffL-1)"),
    // 6.15.8: fences.
    always("CLK_LOCAL_MEM_FENCE", "0x01"),
    always("CLK_GLOBAL_MEM_FENCE", "0x02"),
    when("2.0", "CLK_IMAGE_MEM_FENCE", "0x04"),
    // 6.15.12: atomics.
    when("2.0", "ATOMIC_VAR_INIT(x)", "(x)"),
    when("2.0", "ATOMIC_FLAG_INIT", "0"),
    // 6.15.15: samplers and images.
    always("CLK_ADDRESS_NONE", "0"),
    always("CLK_ADDRESS_CLAMP_TO_EDGE", "2"),
    always("CLK_ADDRESS_CLAMP", "4"),
    always("CLK_ADDRESS_REPEAT", "6"),
    always("CLK_ADDRESS_MIRRORED_REPEAT", "8"),
    always("CLK_NORMALIZED_COORDS_FALSE", "0"),
    always("CLK_NORMALIZED_COORDS_TRUE", "1"),
    always("CLK_FILTER_NEAREST", "0x10"),
    always("CLK_FILTER_LINEAR", "0x20"),
    always("CLK_SNORM_INT8", "0x10D0"),
    always("CLK_SNORM_INT16", "0x10D1"),
    always("CLK_UNORM_INT8", "0x10D2"),
    always("CLK_UNORM_INT16", "0x10D3"),
    always("CLK_UNORM_SHORT_565", "0x10D4"),
    always("CLK_UNORM_SHORT_555", "0x10D5"),
    always("CLK_UNORM_INT_101010", "0x10D6"),
    always("CLK_SIGNED_INT8", "0x10D7"),
    always("CLK_SIGNED_INT16", "0x10D8"),
    always("CLK_SIGNED_INT32", "0x10D9"),
    always("CLK_UNSIGNED_INT8", "0x10DA"),
    always("CLK_UNSIGNED_INT16", "0x10DB"),
    always("CLK_UNSIGNED_INT32", "0x10DC"),
    always("CLK_HALF_FLOAT", "0x10DD"),
    always("CLK_FLOAT", "0x10DE"),
    always("CLK_UNORM_INT24", "0x10DF"),
    when("3.0", "CLK_UNORM_INT_101010_2", "0x10E0"),
    always("CLK_R", "0x10B0"),
    always("CLK_A", "0x10B1"),
    always("CLK_RG", "0x10B2"),
    always("CLK_RA", "0x10B3"),
    always("CLK_RGB", "0x10B4"),
    always("CLK_RGBA", "0x10B5"),
    always("CLK_BGRA", "0x10B6"),
    always("CLK_ARGB", "0x10B7"),
    always("CLK_INTENSITY", "0x10B8"),
    always("CLK_LUMINANCE", "0x10B9"),
    always("CLK_Rx", "0x10BA"),
    always("CLK_RGx", "0x10BB"),
    always("CLK_RGBx", "0x10BC"),
    always("CLK_DEPTH", "0x10BD"),
    always("CLK_DEPTH_STENCIL", "0x10BE"),
    when("2.0", "CLK_sRGB", "0x10BF"),
    when("2.0", "CLK_sRGBx", "0x10C0"),
    when("2.0", "CLK_sRGBA", "0x10C1"),
    when("2.0", "CLK_sBGRA", "0x10C2"),
    when("2.0", "CLK_ABGR", "0x10C3"),
    // 6.15.17 and 6.15.18: pipes and queues.
    when("2.0 & __opencl_c_pipes", "CLK_NULL_RESERVE_ID", "(__brolga_null_reserve_id())"),
    when(ENQUEUE, "CL_COMPLETE", "0x0"),
    when(ENQUEUE, "CL_RUNNING", "0x1"),
    when(ENQUEUE, "CL_SUBMITTED", "0x2"),
    when(ENQUEUE, "CL_QUEUED", "0x3"),
    when(ENQUEUE, "CLK_SUCCESS", "0"),
    when(ENQUEUE, "CLK_ENQUEUE_FAILURE", "-101"),
    when(ENQUEUE, "CLK_INVALID_QUEUE", "-102"),
    when(ENQUEUE, "CLK_INVALID_NDRANGE", "-160"),
    when(ENQUEUE, "CLK_INVALID_EVENT_WAIT_LIST", "-57"),
    when(ENQUEUE, "CLK_DEVICE_QUEUE_FULL", "-161"),
    when(ENQUEUE, "CLK_INVALID_ARG_SIZE", "-51"),
    when(ENQUEUE, "CLK_EVENT_ALLOCATION_FAILURE", "-100"),
    when(ENQUEUE, "CLK_OUT_OF_RESOURCES", "-5"),
    when(ENQUEUE, "CLK_NULL_QUEUE", "0"),
    when(ENQUEUE, "CLK_NULL_EVENT", "(__builtin_astype(((__SIZE_MAX__)), clk_event_t))"),
    when(ENQUEUE, "CLK_ENQUEUE_FLAGS_NO_WAIT", "0x0"),
    when(ENQUEUE, "CLK_ENQUEUE_FLAGS_WAIT_KERNEL", "0x1"),
    when(ENQUEUE, "CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP", "0x2"),
    when(ENQUEUE, "CLK_PROFILING_COMMAND_EXEC_TIME", "0x1"),
    when("2.0", "MAX_WORK_DIM", "3"),
    always(
        "__kernel_exec(X, typen)",
        "__kernel __attribute__((work_group_size_hint(X, 1, 1))) __attribute__((vec_type_hint(typen)))",
    ),
    always(
        "kernel_exec(X, typen)",
        "__kernel __attribute__((work_group_size_hint(X, 1, 1))) __attribute__((vec_type_hint(typen)))",
    ),
];
