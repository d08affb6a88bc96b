//! What the table must be for the rest to trust it.

use super::*;

fn everything() -> CompileOptions {
    CompileOptions {
        version: 300,
        features: [
            "cl_khr_fp16",
            "cl_khr_fp64",
            "__opencl_c_fp64",
            "__opencl_c_generic_address_space",
            "__opencl_c_subgroups",
            "__opencl_c_read_write_images",
            "__opencl_c_images",
            "__opencl_c_3d_image_writes",
            "cl_khr_3d_image_writes",
            "cl_khr_depth_images",
            "cl_khr_global_int32_base_atomics",
            "cl_khr_global_int32_extended_atomics",
            "cl_khr_local_int32_base_atomics",
            "cl_khr_local_int32_extended_atomics",
            "cl_khr_int64_base_atomics",
            "cl_khr_int64_extended_atomics",
            "cl_khr_subgroup_extended_types",
            "cl_khr_subgroup_non_uniform_vote",
            "cl_khr_subgroup_ballot",
            "cl_khr_subgroup_non_uniform_arithmetic",
            "cl_khr_subgroup_shuffle",
            "cl_khr_subgroup_shuffle_relative",
            "cl_khr_subgroup_clustered_reduce",
            "cl_khr_subgroup_rotate",
            "cl_khr_extended_bit_ops",
            "cl_khr_integer_dot_product",
            "__opencl_c_integer_dot_product_input_4x8bit",
            "__opencl_c_integer_dot_product_input_4x8bit_packed",
            "cl_khr_kernel_clock",
            "__opencl_c_kernel_clock_scope_device",
            "__opencl_c_kernel_clock_scope_work_group",
            "__opencl_c_kernel_clock_scope_sub_group",
            "cl_khr_mipmap_image",
            "cl_khr_mipmap_image_writes",
            "__opencl_c_work_group_collective_functions",
            "__opencl_c_atomic_order_acq_rel",
            "__opencl_c_atomic_order_seq_cst",
            "__opencl_c_atomic_scope_device",
            "__opencl_c_atomic_scope_all_devices",
            "__opencl_c_pipes",
            "__opencl_c_program_scope_global_variables",
            "__opencl_c_ext_fp32_global_atomic_add",
            "__opencl_c_ext_fp32_global_atomic_min_max",
            "__opencl_c_ext_fp64_global_atomic_add",
            "__opencl_c_ext_fp64_global_atomic_min_max",
        ]
        .map(String::from)
        .to_vec(),
        ..CompileOptions::default()
    }
}

#[test]
fn every_signature_is_of_known_types() {
    let mut conditions = Conditions::new(&everything());
    conditions.features.insert("cl_khr_gl_msaa_sharing".into());
    let mut types = Types::new();
    for (index, row) in table().rows.iter().enumerate() {
        let number = if row.name.contains('#') { 4 } else { 1 };
        let id = BuiltinId {
            row: index as u16,
            detail: number.into(),
        };
        let mut found = Vec::new();
        signature::instantiate(row, id, number, &conditions, &mut types, &mut found);
        assert!(!found.is_empty(), "{} {}", row.name, row.signature);
        assert_eq!(found[0].id.row().map(|row| row.name), Some(row.name));
    }
}

#[test]
fn overloads_of_a_name_are_different() {
    let mut builtins = Builtins::new(&everything());
    let mut types = Types::new();
    for name in all_names() {
        let found = builtins.lookup(name, &mut types);
        let mut seen = std::collections::HashSet::new();
        for candidate in found.iter() {
            assert!(seen.insert(candidate.params.clone()), "{name} twice: {candidate:?}");
        }
    }
}

#[test]
fn overloads_follow_the_conditions() {
    let mut types = Types::new();
    let plain = CompileOptions::default();
    let mut small = Builtins::new(&plain);
    // One base, six lane counts, three spaces.
    assert_eq!(small.lookup("fract", &mut types).len(), 18);
    assert_eq!(Builtins::new(&everything()).lookup("fract", &mut types).len(), 3 * 6 * 4);
    assert!(small.lookup("sub_group_all", &mut types).is_empty());
    assert_eq!(small.missing("sub_group_all"), Some("sub_groups"));
    assert_eq!(small.lookup("convert_uchar4_sat_rte", &mut types).len(), 9);
    assert!(small.lookup("convert_float_sat", &mut types).is_empty());
    assert!(small.lookup("convert_double", &mut types).is_empty());
    let id = small.lookup("convert_uchar4_sat_rte", &mut types)[0].id;
    let rounding = Some(Rounding::Rte);
    assert_eq!(id.emit(), Emit::Convert { rounding, saturate: true });
    assert_eq!(small.lookup("vload3", &mut types)[0].id.number(), 3);
    assert_eq!(small.suggestion("get_globl_id"), Some("get_global_id"));
}

#[test]
fn descriptions_say_types_and_conditions() {
    let text = describe("fract").expect("it is there");
    assert!(
        text.starts_with("gentype fract(gentype, any gentype *)\n    gentype: float, double, half, and vectors of 2, 3, 4, 8, 16 of them"),
        "{text}"
    );
    assert!(
        text.contains("    any: an overload each") && text.contains("    where: everywhere"),
        "{text}"
    );
    let text = describe("vload8").expect("it is there");
    assert!(text.starts_with("vgentype vload8(size_t, anyc const sgentype *)"), "{text}");
    let text = describe("sub_group_reserve_read_pipe").expect("it is there");
    let condition = "where: OpenCL C 2.0 or newer, __opencl_c_pipes, __opencl_c_subgroups, cl_khr_subgroups or cl_intel_subgroups";
    assert!(text.contains(condition) && text.contains("all work-items of the group"), "{text}");
    let text = describe("convert_uchar4_sat_rte").expect("it is there");
    assert!(
        text.starts_with("uchar4 convert_uchar4_sat_rte(T)\n    T: any vector of 4\n"),
        "{text}"
    );
    assert!(describe("as_half2").is_some_and(|text| text.contains("of 4 bytes") && text.contains("where: cl_khr_fp16")));
    assert_eq!(describe("no_such_function"), None);
    assert_eq!(describe::overloads("as_int", &everything()), 10);
    let families = describe::families();
    assert!(families.iter().any(|name| name == "vloadn") && families.is_sorted());
    for name in all_names() {
        assert!(describe(name).is_some_and(|text| text.contains(name)), "{name}");
    }
    assert!(describe::markdown().lines().count() > 400);
}

#[test]
fn names_of_types_and_constants() {
    let conditions = Conditions::new(&everything());
    let mut types = Types::new();
    assert_eq!(type_name("half4", &conditions, &mut types), Some(TypeId::vector(Scalar::Half, 4)));
    assert_eq!(type_name("size_t4", &conditions, &mut types), None);
    assert_eq!(type_name("float5", &conditions, &mut types), None);
    assert!(type_name("atomic_uint", &conditions, &mut types).is_some());
    assert!(type_name("image2d_array_depth_t", &conditions, &mut types).is_some());
    assert_eq!(enumerator("memory_order_acq_rel", &conditions), Some(4));
    let plain = Conditions::new(&CompileOptions {
        version: 300,
        ..CompileOptions::default()
    });
    assert_eq!(enumerator("memory_order_seq_cst", &plain), None);
    assert_eq!(as_type("as_uchar8", &conditions), Some(TypeId::vector(Scalar::UChar, 8)));
}

/// With `OPENCL_C_CALLS=FILE`, the program of the newest version is left there for other compilers.
#[test]
fn a_program_calls_every_overload() {
    for version in [120, 200, 300] {
        let options = CompileOptions { version, ..everything() };
        let calls = calls::program(&options, |_| true);
        assert!(calls.contains("return fract(p0, p1); }"));
        assert!(calls.lines().count() > 10_000, "{}", calls.lines().count());
        let text = format!("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n{calls}");
        let output = crate::compile(&crate::Input {
            name: "calls.cl",
            source: text.as_bytes(),
            headers: &[],
            options: &options,
        });
        assert!(output.product.is_some(), "OpenCL C {version}: {}", output.log);
        if let Some(path) = std::env::var_os("OPENCL_C_CALLS") {
            std::fs::write(path, text).expect("the file can be written");
        }
    }
}
