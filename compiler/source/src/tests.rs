use super::*;

const FEATURES: Features = Features {
    opencl: &[
        "cl_khr_byte_addressable_store",
        "cl_khr_fp64",
        "__opencl_c_fp64",
        "cl_test_unknown_to_clang",
    ],
    spirv: &["SPV_KHR_no_integer_wrap_decoration"],
    fused_multiply_add: true,
    version: (3, 1),
};

/// Compiles, or skips the test with a word where no clang is.
fn build(source: &str, options: &str, headers: &[(&str, &str)]) -> Option<Result<Compiled, BuildError>> {
    build_for(Step::Compile, source, options, headers)
}

fn build_for(step: Step, source: &str, options: &str, headers: &[(&str, &str)]) -> Option<Result<Compiled, BuildError>> {
    if clang().is_err() {
        eprintln!("skipped: no clang");
        return None;
    }
    let options = Options::parse(options, step).unwrap();
    let headers: Vec<_> = headers
        .iter()
        .map(|(name, text)| (name.to_string(), text.as_bytes().to_vec()))
        .collect();
    let request = SourceRequest {
        source: source.as_bytes(),
        headers: &headers,
        options: &options,
        features: FEATURES,
    };
    Some(compile_with(&request, Product::asked_for(request.options), None))
}

fn contains(module: &[u8], text: &str) -> bool {
    module.windows(text.len()).any(|window| window == text.as_bytes())
}

#[test]
fn a_kernel_becomes_spirv() {
    let Some(result) = build("kernel void k(global int *x) { x[get_global_id(0)] = N; }", "-DN=5", &[]) else {
        return;
    };
    let compiled = result.unwrap();
    assert!(is_spirv(&compiled.il));
    assert_eq!(compiled.log, "");
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_source() {
    let Some(result) = build("\u{feff}kernel void k(global int *x) { x[0] = nothing; }", "", &[]) else {
        return;
    };
    let error = result.unwrap_err();
    let expected = "source.cl:1:39: error: use of undeclared identifier 'nothing'\n";
    assert!(error.log.starts_with(expected), "{}", error.log);
    let compiled = build("\u{feff}#define N 5\nkernel void k(global int *x) { x[0] = N; }", "", &[]);
    assert_eq!(compiled.unwrap().unwrap().log, "");
}

#[test]
fn errors_name_the_source_and_the_line() {
    let Some(result) = build("kernel void k(global int *x)\n{ x[0] = nothing; }", "", &[]) else {
        return;
    };
    let error = result.unwrap_err();
    assert_eq!(error.kind, BuildErrorKind::Source);
    assert!(
        error
            .log
            .starts_with("source.cl:2:10: error: use of undeclared identifier 'nothing'"),
        "{}",
        error.log
    );
}

#[test]
fn warnings_are_kept_silenced_or_made_errors() {
    let source = "int f(void) { }\nkernel void k(global int *x) { x[0] = f(); }";
    let Some(result) = build(source, "", &[]) else { return };
    assert!(result.unwrap().log.contains("warning:"));
    assert_eq!(build(source, "-w", &[]).unwrap().unwrap().log, "");
    assert!(build(source, "-Werror", &[]).unwrap().unwrap_err().log.contains("error:"));
}

#[test]
fn macros_follow_the_features() {
    let source = "#if !defined(cl_khr_fp64) || !defined(cl_test_unknown_to_clang) || defined(cl_khr_fp16) || defined(__opencl_c_images)\n#error macros\n#endif\n\
                  #if __OPENCL_VERSION__ != 310 || !defined(FP_FAST_FMAF) || !defined(FP_FAST_FMA)\n#error device\n#endif\n\
                  #if (__OPENCL_C_VERSION__ >= 300) != defined(__opencl_c_fp64)\n#error features\n#endif\nkernel void k() {}";
    let Some(result) = build(source, "", &[]) else { return };
    result.unwrap();
    build(source, "-cl-std=CL3.0", &[]).unwrap().unwrap();
    build(source, "-cl-std=CL3.1", &[]).unwrap().unwrap();
    let source =
        "#if CL_VERSION_3_1 != 310 || (__OPENCL_C_VERSION__ == CL_VERSION_3_1) != defined(NEW)\n#error version\n#endif\nkernel void k() {}";
    build(source, "-cl-std=CL3.0", &[]).unwrap().unwrap();
    build(source, "-cl-std=CL3.1 -DNEW", &[]).unwrap().unwrap();
}

#[test]
fn embedded_headers_are_found_and_named() {
    let headers = [
        ("a/one.h", "#include \"../two.h\"\n#define ONE TWO\n"),
        ("two.h", "#define TWO 2\nint bad\n;"),
    ];
    let Some(result) = build(
        "#include \"a/one.h\"\n#include <two.h>\nkernel void k(global int *x) { *x = ONE; }",
        "",
        &headers,
    ) else {
        return;
    };
    let error = result.unwrap_err();
    assert!(
        error.log.contains("two.h:2:5: error:") && !error.log.contains("brolga-"),
        "{}",
        error.log
    );
}

#[test]
fn old_programs_get_warnings() {
    let source = "kernel void k(global float2 *x) { global float4 *y = x; *y = 0; }";
    let Some(result) = build(source, "", &[]) else { return };
    assert!(result.unwrap().log.contains("warning: incompatible pointer types"));
    assert!(build(source, "-Werror", &[]).unwrap().is_err());
}

#[test]
fn a_whole_program_is_its_kernels() {
    let space = " ".repeat(16 << 10);
    let source = format!("{space}\nint helper(int a) {{ return a * 3; }}\nkernel void k(global int *x) {{ x[0] = helper(x[1]); }}");
    let Some(result) = build_for(Step::Compile, &source, "", &[]) else {
        return;
    };
    assert!(contains(&result.unwrap().il, "helper"));
    let compiled = build_for(Step::Build, &source, "", &[]).unwrap().unwrap();
    assert!(contains(&compiled.il, "k\0") && !contains(&compiled.il, "helper"));
    assert_eq!(compiled.log, "");
    let error = build_for(Step::Build, &source, "-Dhelper=+", &[]).unwrap().unwrap_err();
    assert!(error.log.starts_with("source.cl:2:"), "{}", error.log);
    let plain = build_for(Step::Build, &source, "-cl-opt-disable", &[]).unwrap().unwrap();
    assert!(contains(&plain.il, "helper"));
}

#[test]
fn argument_information_is_carried_over() {
    let source = "typedef struct { int a; } S; kernel void k(global const float *restrict p, S s, uint4 v) {}";
    let Some(result) = build(source, "-cl-kernel-arg-info", &[]) else {
        return;
    };
    let compiled = result.unwrap();
    assert!(contains(&compiled.il, "kernel_arg_type.k.float*,S,uint4,"));
    assert!(contains(&compiled.il, "kernel_arg_type_qual.k.restrict const,,,"));
    assert!(!contains(&build(source, "", &[]).unwrap().unwrap().il, "kernel_arg_type"));
}

#[test]
fn a_crash_of_the_compiler_is_an_error_with_a_reason() {
    let source =
        "kernel void k(global int *x) { enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ x[0] = 1; }); }";
    let Some(result) = build(source, "-cl-std=CL2.0", &[]) else {
        return;
    };
    let log = result.unwrap_err().log;
    assert!(log.contains("enqueue") && !log.contains("Stack dump"), "{log}");
}

#[test]
fn what_was_compiled_before_is_found_unless_a_header_changed() {
    let Ok(clang) = clang() else {
        return eprintln!("skipped: no clang");
    };
    let directory = std::env::temp_dir().join(format!("brolga-source-test-{}", std::process::id()));
    let cache = Cache::at(&directory.join("cache"), 1 << 20).unwrap();
    std::fs::write(directory.join("on_disk.h"), "#define VALUE 1\n").unwrap();
    let options = Options::parse(&format!("-I '{}'", directory.display()), Step::Build).unwrap();
    let request = SourceRequest {
        source: b"#include \"on_disk.h\"\nkernel void k(global int *x) { *x = VALUE; }",
        headers: &[],
        options: &options,
        features: FEATURES,
    };
    let key = || {
        Compilation::new(clang, &request, Product::asked_for(request.options))
            .unwrap()
            .key()
            .unwrap()
    };
    assert_eq!(cache.get(&key()), None);
    let first = compile_with(&request, Product::asked_for(request.options), Some(&cache)).unwrap();
    assert_eq!(Compiled::decode(&cache.get(&key()).unwrap()), Some(first.clone()));
    assert_eq!(
        compile_with(&request, Product::asked_for(request.options), Some(&cache)).unwrap(),
        first
    );
    std::fs::write(directory.join("on_disk.h"), "#define VALUE 2\n").unwrap();
    assert_eq!(cache.get(&key()), None);
    assert_ne!(
        compile_with(&request, Product::asked_for(request.options), Some(&cache))
            .unwrap()
            .il,
        first.il
    );
    std::fs::remove_dir_all(&directory).unwrap();
}

#[test]
fn clang_takes_what_the_registry_says() {
    let Ok(_) = clang() else { return eprintln!("skipped: no clang") };
    let (opencl, spirv) = (vendors::supported().clang_opencl(), vendors::supported().clang_spirv());
    for standard in ["CL1.0", "CL1.1", "CL1.2", "CL2.0", "CL3.0", "CL3.1", "CLC++2021"] {
        let options = Options::parse(&format!("-cl-std={standard} -Werror"), Step::Build).unwrap();
        let request = SourceRequest {
            source: b"kernel void k(global int *x) { x[get_global_id(0)] += 1; }\n\
                      #if __OPENCL_C_VERSION__ >= 200\n\
                      int f(global atomic_int *a) { return atomic_load_explicit(a, memory_order_acquire, memory_scope_device); }\n\
                      #endif",
            headers: &[],
            options: &options,
            features: Features {
                opencl: &opencl,
                spirv: &spirv,
                ..FEATURES
            },
        };
        let compiled =
            compile_with(&request, Product::asked_for(request.options), None).unwrap_or_else(|error| panic!("{standard}: {}", error.log));
        assert_eq!(compiled.log, "", "{standard}");
    }
}

#[test]
fn a_device_of_opencl_3_0_has_no_opencl_c_3_1() {
    if clang().is_err() {
        eprintln!("skipped: no clang");
        return;
    }
    let compiled = |options: &str| {
        let options = Options::parse(options, Step::Build).unwrap();
        let request = SourceRequest {
            source: b"#if __OPENCL_VERSION__ != 300 || defined CL_VERSION_3_1\n#error version\n#endif\nkernel void k() {}",
            headers: &[],
            options: &options,
            features: Features {
                version: (3, 0),
                ..FEATURES
            },
        };
        check_version(&request)
            .and_then(|()| compile_with(&request, Product::asked_for(request.options), None))
            .map_err(|error| error.log)
    };
    assert!(compiled("").is_ok() && compiled("-cl-std=CL3.0").is_ok());
    let error = compiled("-cl-std=CL3.1").unwrap_err();
    assert!(error.contains("-cl-std=CL3.0 is the newest"), "{error}");
}

/// A macro would take the commas of `(int2){x, y}` for its own.
#[test]
fn reads_of_images_have_coordinates_in_any_spelling() {
    let source = "#define SAMPLED image, sampler
        kernel void k(read_only image2d_t image, sampler_t sampler, write_only image2d_t to, read_only image1d_buffer_t row, int x) {
            float4 sum = read_imagef(image, sampler, (float2){x, 1}) + read_imagef(SAMPLED, (int2){x, 1}) + read_imagef(image, (int2){x, 2});
            sum += read_imagef(SAMPLED, (float2)(x, 1), 1.5f) + read_imagef(row, x);
            write_imagef(to, (int2){x, 1}, (float4){sum.x, 1, 2, 3});
            write_imagef(to, (int2)(x, 1), 1, sum);
        }";
    let features = [
        "cl_khr_mipmap_image",
        "cl_khr_mipmap_image_writes",
        "cl_khr_3d_image_writes",
        "cl_khr_depth_images",
        "__opencl_c_images",
        "__opencl_c_3d_image_writes",
        "__opencl_c_read_write_images",
    ];
    if clang().is_err() {
        eprintln!("skipped: no clang");
        return;
    }
    let options = Options::parse("-cl-std=CL3.0", Step::Build).unwrap();
    let request = SourceRequest {
        source: source.as_bytes(),
        headers: &[],
        options: &options,
        features: Features {
            opencl: &features,
            ..FEATURES
        },
    };
    let compiled = compile_with(&request, Product::asked_for(&options), None).unwrap_or_else(|error| panic!("{}", error.log));
    assert_eq!(compiled.log, "");
}
