//! What OpenCL C's headers declare beside functions and macros: types and constants.

use super::Conditions;
use super::signature::image;
use crate::spelling::nearest;
use crate::types::{Access, Image, Scalar, TypeId, TypeKind, Types};

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

/// The name of a type of the language that is most like a name that nobody knows.
pub fn similar_type(name: &str) -> Option<String> {
    const NAMES: &[&str] = &[
        "void",
        "bool",
        "char",
        "uchar",
        "short",
        "ushort",
        "int",
        "uint",
        "long",
        "ulong",
        "half",
        "float",
        "double",
        "size_t",
        "ptrdiff_t",
        "intptr_t",
        "uintptr_t",
        "event_t",
        "sampler_t",
        "image1d_t",
        "image1d_array_t",
        "image1d_buffer_t",
        "image2d_t",
        "image2d_array_t",
        "image2d_depth_t",
        "image3d_t",
        "unsigned",
        "signed",
    ];
    // Of vectors, the name of the element is looked for.
    let word = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let lanes = &name[word.len()..];
    if word.len() <= 2 {
        return None;
    }
    let found = format!("{}{lanes}", nearest(word, 1 + word.len() / 5, NAMES.iter().copied())?);
    let is_name = lanes.is_empty() || numeric(&found).is_some();
    (is_name && found != name).then_some(found)
}

/// Where a type that the language declares is there, as [`super::row::Row::when`]; empty for names of none, too.
pub fn type_condition(name: &str) -> &'static str {
    match name {
        "queue_t" | "clk_event_t" | "ndrange_t" | "kernel_enqueue_flags_t" | "clk_profiling_info" => "2.0 & __opencl_c_device_enqueue",
        "reserve_id_t" => "2.0 & __opencl_c_pipes",
        "memory_order" | "memory_scope" => "2.0",
        _ if name.starts_with("atomic_") && type_of(&name["atomic_".len()..]).is_some() => "2.0",
        _ => "",
    }
}

/// A type that a program may name without declaring it. Images are `read_only`, unless a qualifier says more. What C's own words name (`int`, `float`) is
/// among them too.
pub fn type_name(name: &str, conditions: &Conditions, types: &mut Types) -> Option<TypeId> {
    if !conditions.hold(type_condition(name)) {
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
