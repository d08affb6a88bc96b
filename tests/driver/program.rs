//! Programs: options, logs, kernels, separate compilation, binaries, SPIR-V.

use brolga_tests::cl_sys::*;
use brolga_tests::{Context, Program, Range, check, cl, spirv};
use std::ptr::null_mut;

#[test]
fn options_reach_the_compiler() {
    let context = Context::new();
    let source = "kernel void k(global int *r) { r[0] = A; r[1] = F(20); r[2] = __OPENCL_C_VERSION__; r[3] = sizeof(TEXT); }";
    let program = context.program(source, "-DA=5 -D F(x)=x*2+1 -cl-std=CL3.0 -D 'TEXT=\"a b\"' -cl-mad-enable");
    let r = context.zeros::<i32>(4);
    program.kernel("k").run(&context, &Range::new([1]), &[&r]);
    assert_eq!(r.read(), [5, 41, 300, 4]);
}

/// What OpenCL C 3.1 has without an extension's name, and local arguments of no bytes.
#[test]
fn opencl_c_3_1() {
    let context = Context::new();
    let source = "#if __OPENCL_C_VERSION__ < CL_VERSION_3_1 || __OPENCL_VERSION__ < CL_VERSION_3_1
    #error version
    #endif
    kernel void k(global uint *r, local uint *none) {
        size_t i = get_global_id(0);
        ptrdiff_t behind = -(ptrdiff_t)i;
        if (i == 99) printf(\"%zu %td\\n\", i, behind);
        r[i] = sub_group_shuffle_xor((uint)i, 1u) + bit_reverse(1u) + dot_4x8packed_uu_uint(0x01010101u, 0x01020304u)
            + (sub_group_broadcast((uchar2)(7, 8), 0).y - sub_group_rotate(8, 1));
    }";
    let kernel = context.program(source, "-cl-std=CL3.1").kernel("k");
    let r = context.zeros::<u32>(16);
    kernel.run(&context, &Range::new([16]).local([16]), &[&r, &brolga_tests::Local(0)]);
    assert_eq!(r.read(), (0..16).map(|i| (i ^ 1) + (1 << 31) + 10).collect::<Vec<_>>());
}

#[test]
fn a_wrong_option_is_refused() {
    let context = Context::new();
    let program = Program::from_source(&context, "kernel void k() {}");
    let status = cl!(clBuildProgram(
        program.id,
        1,
        &program.device,
        c"-not-an-option".as_ptr(),
        None,
        null_mut()
    ));
    assert_eq!(status, CL_INVALID_BUILD_OPTIONS);
}

#[test]
fn the_log_says_what_is_wrong_and_where() {
    let context = Context::new();
    let log = context.build("kernel void k(global int *r)\n{ r[0] = nothing; }", "").unwrap_err();
    assert!(log.starts_with("-11:") && log.contains(":2:") && log.contains("nothing"), "{log}");
}

#[test]
fn a_build_tells_its_state() {
    let context = Context::new();
    let program = Program::from_source(&context, "kernel void k() {}");
    assert_eq!(
        program.build_info(CL_PROGRAM_BUILD_STATUS).unwrap().number() as u32 as i32,
        CL_BUILD_NONE
    );
    let program = program.build("-w").unwrap();
    assert_eq!(
        program.build_info(CL_PROGRAM_BUILD_STATUS).unwrap().number() as u32 as i32,
        CL_BUILD_SUCCESS
    );
    assert_eq!(program.build_info(CL_PROGRAM_BUILD_OPTIONS).unwrap().text(), "-w");
    assert_eq!(
        program.build_info(CL_PROGRAM_BINARY_TYPE).unwrap().number(),
        CL_PROGRAM_BINARY_TYPE_EXECUTABLE
    );
    assert_eq!(program.info(CL_PROGRAM_SOURCE).unwrap().text(), "kernel void k() {}");
}

#[test]
fn kernels_are_listed() {
    let context = Context::new();
    let program = context.program(
        "int f(void) { return 1; } kernel void one(global int *r) { *r = f(); } kernel void two(int a, int b) {}",
        "",
    );
    assert_eq!(program.info(CL_PROGRAM_NUM_KERNELS).unwrap().number(), 2);
    let mut names: Vec<String> = program
        .info(CL_PROGRAM_KERNEL_NAMES)
        .unwrap()
        .text()
        .split(';')
        .map(str::to_owned)
        .collect();
    names.sort();
    assert_eq!(names, ["one", "two"]);
    let kernel = program.kernel("two");
    assert_eq!(kernel.info(CL_KERNEL_NUM_ARGS).unwrap().number(), 2);
    assert_eq!(kernel.info(CL_KERNEL_FUNCTION_NAME).unwrap().text(), "two");
    let mut status = 0;
    assert!(cl!(clCreateKernel(program.id, c"three".as_ptr(), &mut status)).is_null());
    assert_eq!(status, CL_INVALID_KERNEL_NAME);
    assert!(cl!(clCreateKernel(program.id, c"f".as_ptr(), &mut status)).is_null());
    assert_eq!(status, CL_INVALID_KERNEL_NAME);
}

#[test]
fn arguments_tell_about_themselves() {
    let context = Context::new();
    let source = "typedef struct { int a; } S;
    kernel void k(global const float *restrict p, local int4 *l, S s, constant uint *c, unsigned char b, volatile global double *d) {}";
    let program = context.program(source, "-cl-kernel-arg-info");
    let kernel = program.kernel("k");
    let text = |index, name| kernel.argument_info(index, name).unwrap().text();
    let number = |index, name| kernel.argument_info(index, name).unwrap().number();
    let names: Vec<String> = (0..6).map(|i| text(i, CL_KERNEL_ARG_NAME)).collect();
    assert_eq!(names, ["p", "l", "s", "c", "b", "d"]);
    let types: Vec<String> = (0..6).map(|i| text(i, CL_KERNEL_ARG_TYPE_NAME)).collect();
    assert_eq!(types, ["float*", "int4*", "S", "uint*", "uchar", "double*"]);
    let spaces: Vec<u64> = (0..6).map(|i| number(i, CL_KERNEL_ARG_ADDRESS_QUALIFIER)).collect();
    let (global, local, constant, private) = (
        CL_KERNEL_ARG_ADDRESS_GLOBAL,
        CL_KERNEL_ARG_ADDRESS_LOCAL,
        CL_KERNEL_ARG_ADDRESS_CONSTANT,
        CL_KERNEL_ARG_ADDRESS_PRIVATE,
    );
    assert_eq!(spaces, [global, local, private, constant, private, global].map(u64::from));
    let qualifiers: Vec<u64> = (0..6).map(|i| number(i, CL_KERNEL_ARG_TYPE_QUALIFIER)).collect();
    // const 1, restrict 2, volatile 4
    assert_eq!(qualifiers, [3, 0, 0, 1, 0, 4]);
    assert_eq!(number(0, CL_KERNEL_ARG_ACCESS_QUALIFIER), u64::from(CL_KERNEL_ARG_ACCESS_NONE));
    assert_eq!(kernel.argument_info(6, CL_KERNEL_ARG_NAME).err(), Some(CL_INVALID_ARG_INDEX));
}

#[test]
fn programs_are_compiled_apart_and_linked() {
    let context = Context::new();
    let header = Program::from_source(&context, "int helper(int x);\n#define FACTOR 3\n");
    let main = Program::from_source(
        &context,
        "#include \"parts/helper.h\"\nkernel void k(global int *r) { r[0] = helper(5) * FACTOR; }",
    );
    let main = main.compile("", &[("parts/helper.h", &header)]).unwrap();
    assert_eq!(
        main.build_info(CL_PROGRAM_BINARY_TYPE).unwrap().number(),
        CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT
    );
    let helper = Program::from_source(&context, "int helper(int x) { return x + 100; }")
        .compile("", &[])
        .unwrap();
    let library = Program::link(&context, &[&helper], "-create-library").unwrap();
    assert_eq!(
        library.build_info(CL_PROGRAM_BINARY_TYPE).unwrap().number(),
        CL_PROGRAM_BINARY_TYPE_LIBRARY
    );
    for part in [&helper, &library] {
        let program = Program::link(&context, &[&main, part], "").unwrap();
        let r = context.zeros::<i32>(1);
        program.kernel("k").run(&context, &Range::new([1]), &[&r]);
        assert_eq!(r.read(), [315]);
    }
    let missing = Program::link(&context, &[&main], "").unwrap_err();
    assert!(missing.starts_with("-17"), "{missing}");
}

/// OpenCL C by the driver's own front end, what that refuses, and C++ for OpenCL, which are clang's.
#[test]
fn what_each_front_end_makes_is_linked() {
    let context = Context::new();
    let compile = |source: &str, options: &str| Program::from_source(&context, source).compile(options, &[]);
    let cpp = "template <typename T> T twice(T x) { return x + x; }
               extern \"C\" int doubled(int x) { return twice(x); }";
    let cpp = match compile(cpp, "-cl-std=CLC++2021") {
        Ok(program) => program,
        Err(log) if log.contains("clang") && (log.contains("BROLGA_CLANG") || log.contains("BROLGA_FRONTEND=own")) => {
            println!("skipped: {log}");
            return;
        }
        Err(log) => panic!("{log}"),
    };
    let refused = compile("int sum(int4 v) { return __builtin_reduce_add(v); }", "").unwrap();
    let own = "int doubled(int x); int sum(int4 v);
               kernel void k(global int *r) { r[0] = doubled(20) + sum((int4)(r[0], 1, 2, 3)); }";
    let own = compile(own, "").unwrap();
    let program = Program::link(&context, &[&own, &cpp, &refused], "").unwrap();
    let r = context.buffer(&[100]);
    program.kernel("k").run(&context, &Range::new([1]), &[&r]);
    assert_eq!(r.read(), [146]);
}

#[test]
fn binaries_come_back() {
    let context = Context::new();
    let program = context.program("kernel void k(global int *r) { r[get_global_id(0)] = 11; }", "");
    let size = program.info(CL_PROGRAM_BINARY_SIZES).unwrap().sizes()[0] as usize;
    assert!(size > 0);
    let mut binary = vec![0u8; size];
    let mut place = binary.as_mut_ptr();
    let places: *mut c_void = (&raw mut place).cast();
    check(
        cl!(clGetProgramInfo(program.id, CL_PROGRAM_BINARIES, 8, places, null_mut())),
        "CL_PROGRAM_BINARIES",
    );
    drop(program);
    let (mut status, mut of_binary) = (0, -1);
    let id = cl!(clCreateProgramWithBinary(
        context.id,
        1,
        &context.device.id,
        &binary.len(),
        &binary.as_ptr(),
        &mut of_binary,
        &mut status
    ));
    assert_eq!((status, of_binary), (CL_SUCCESS, CL_SUCCESS));
    let program = Program {
        id,
        device: context.device.id,
    }
    .build("")
    .unwrap();
    let r = context.zeros::<i32>(4);
    program.kernel("k").run(&context, &Range::new([4]), &[&r]);
    assert_eq!(r.read(), [11; 4]);
    // A damaged one is refused, or at the worst built to something else; it takes nobody down.
    for at in (0..binary.len()).step_by(binary.len() / 50 + 1) {
        let mut damaged = binary.clone();
        damaged[at] ^= 0x55;
        let id = cl!(clCreateProgramWithBinary(
            context.id,
            1,
            &context.device.id,
            &damaged.len(),
            &damaged.as_ptr(),
            &mut of_binary,
            &mut status
        ));
        if status == CL_SUCCESS {
            let _ = Program {
                id,
                device: context.device.id,
            }
            .build("");
        } else {
            assert_eq!(status, CL_INVALID_BINARY);
        }
    }
}

const SPECIALIZED: &str = "
               OpCapability Addresses
               OpCapability Kernel
               OpMemoryModel Physical64 OpenCL
               OpEntryPoint Kernel %k \"k\"
               OpDecorate %spec SpecId 42
       %void = OpTypeVoid
       %uint = OpTypeInt 32 0
        %ptr = OpTypePointer CrossWorkgroup %uint
       %type = OpTypeFunction %void %ptr
       %spec = OpSpecConstant %uint 7
        %two = OpConstant %uint 2
       %calc = OpSpecConstantOp %uint IMul %spec %two
          %k = OpFunction %void None %type
          %r = OpFunctionParameter %ptr
      %entry = OpLabel
               OpStore %r %calc Aligned 4
               OpReturn
               OpFunctionEnd";

#[test]
fn spirv_with_specialization_constants() {
    let context = Context::new();
    let il = spirv::assemble(SPECIALIZED);
    for (given, want) in [(None, 14u32), (Some(100u32), 200)] {
        let program = Program::from_il(&context, &il).unwrap();
        if let Some(value) = given {
            let address = std::ptr::from_ref(&value).cast();
            check(
                cl!(clSetProgramSpecializationConstant(program.id, 42, 4, address)),
                "clSetProgramSpecializationConstant",
            );
            assert_eq!(
                cl!(clSetProgramSpecializationConstant(program.id, 43, 4, address)),
                brolga_tests::version3::CL_INVALID_SPEC_ID
            );
            assert_eq!(
                cl!(clSetProgramSpecializationConstant(program.id, 42, 8, address)),
                CL_INVALID_VALUE
            );
        }
        assert_eq!(program.info(brolga_tests::version3::CL_PROGRAM_IL).unwrap().0, il);
        let program = program.build("").unwrap();
        let r = context.zeros::<u32>(1);
        program.kernel("k").run(&context, &Range::new([1]), &[&r]);
        assert_eq!(r.read(), [want]);
    }
}

#[test]
fn a_module_that_breaks_a_rule_is_refused_with_the_rule() {
    let context = Context::new();
    let il = spirv::assemble(&SPECIALIZED.replace("OpCapability Kernel\n", "OpCapability Kernel\n OpCapability Shader\n"));
    let log = match Program::from_il(&context, &il) {
        Ok(program) => program.build("").unwrap_err(),
        Err(status) => return assert_eq!(status, CL_INVALID_VALUE),
    };
    assert!(log.contains("Shader"), "{log}");
}

#[test]
fn what_is_no_spirv_is_refused() {
    let context = Context::new();
    for il in [&b"hello world, this is no module"[..], &[0; 64], b"x"] {
        assert_eq!(Program::from_il(&context, il).err(), Some(CL_INVALID_VALUE));
    }
}

#[test]
fn a_program_in_many_strings() {
    let context = Context::new();
    let parts = ["kernel void k(global int *r) ", "{ r[0] =", " 9; /* tail that is not counted", "}"];
    let strings: Vec<*const c_char> = parts.iter().map(|part| part.as_ptr().cast()).collect();
    let lengths = [parts[0].len(), parts[1].len(), 4, 1];
    let mut status = 0;
    let id = cl!(clCreateProgramWithSource(
        context.id,
        4,
        strings.as_ptr(),
        lengths.as_ptr(),
        &mut status
    ));
    check(status, "clCreateProgramWithSource");
    let program = Program {
        id,
        device: context.device.id,
    }
    .build("")
    .unwrap();
    let r = context.zeros::<i32>(1);
    program.kernel("k").run(&context, &Range::new([1]), &[&r]);
    assert_eq!(r.read(), [9]);
}
