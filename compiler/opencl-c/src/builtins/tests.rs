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
    assert!(describe("native_sin").is_some_and(|text| text.contains("gentype native_sin(gentype)")));
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
    assert_eq!(enumerator("memory_order_seq_cst", &conditions), None);
    assert!(macros(&conditions).any(|entry| entry.name == "HALF_MAX"));
    assert_eq!(as_type("as_uchar8", &conditions), Some(TypeId::vector(Scalar::UChar, 8)));
}
