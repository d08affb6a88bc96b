//! What clang writes means the same when another tool has signed it: a linker, an assembler, an optimizer.

use brolga_tests::cl_sys::{CL_RGBA, CL_UNORM_INT8};
use brolga_tests::{Context, Program, Range};
use std::io::Write;
use std::process::{Command, Stdio};

/// Everyday OpenCL C that clang's back end writes in its own way.
const SOURCE: &str = "
    typedef struct { float a[3]; int n; } ByValue;
    typedef struct { int a; char b; char c; } Mixed;
    constant Mixed mixed = { 1, 2, 3 };
    constant char *constant inside = &mixed.c;
    typedef struct { global float *v; int n; } S;
    S make(void) { S s = { 0, 0 }; return s; }
    int twice(int4 v) { return 2 * (v.x + v.y); }
    kernel void k(global int *out, ByValue s, global long *wide, int lane) {
        out[0] = s.a[1] + s.n;
        out[1] = *inside;
        out[2] = make().v == 0 ? make().n : 7;
        int4 v = (int4)(out[3]) - 1;
        if (any(v))
            atom_add(wide, 5L);
        out[3] = twice(v);
        out[4] = sub_group_non_uniform_broadcast(out[5], lane);
        printf(\"%s\", \"\");
    }";

/// clang's SPIR-V for OpenCL C; `None` where there is no clang.
fn compiled(source: &str, options: &[&str]) -> Option<Vec<u8>> {
    let extensions = "-cl-ext=+cl_khr_int64_base_atomics,+cl_khr_subgroup_ballot,+__opencl_c_subgroups";
    let clang = Command::new("clang-22")
        .args(["--target=spirv64", "-cl-std=CL3.0", extensions, "-w", "-c", "-x", "cl"])
        .args(options)
        .args(["-", "-o", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut clang) = clang else {
        println!("skipped: clang-22 is not installed");
        return None;
    };
    clang
        .stdin
        .take()
        .expect("a pipe")
        .write_all(source.as_bytes())
        .expect("clang reads all");
    let output = clang.wait_with_output().expect("it was started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(output.stdout)
}

fn run(il: &[u8]) -> (Vec<i32>, i64) {
    let context = Context::new();
    let program = Program::from_il(&context, il).expect("a program").build("").expect("it builds");
    let out = context.buffer(&[0, 0, 0, 4, 0, 11]);
    let wide = context.zeros::<i64>(1);
    let by_value = [1.0f32, 2.0, 3.0, f32::from_bits(40)];
    program
        .kernel("k")
        .run(&context, &Range::new([1]), &[&out, &by_value, &wide, &0i32]);
    (out.read(), wide.read()[0])
}

#[test]
fn who_signed_a_module_is_of_no_consequence() {
    for options in [["-O0"], ["-O2"]] {
        let Some(mut il) = compiled(SOURCE, &options) else { return };
        // Khronos's translator, its assembler and its linker, by their registered numbers; nobody; and LLVM's back end itself.
        for tool in [6u32, 7, 17, 0, 43] {
            il[8..12].copy_from_slice(&(tool << 16).to_ne_bytes());
            // (int4)(4) - 1 is positive in all components.
            assert_eq!(run(&il), (vec![42, 3, 0, 12, 11, 11], 0), "{options:?}, signed by {tool}");
        }
    }
}

/// OpenCL C knows channel orders and types by its own constants, which clang's back end takes an image query to give.
#[test]
fn image_queries_of_opencl_c() {
    let source = "kernel void k(global int *out, read_only image2d_t image) {
            out[0] = get_image_channel_order(image) == CLK_RGBA;
            out[1] = get_image_channel_data_type(image) == CLK_UNORM_INT8;
        }";
    let Some(mut il) = compiled(source, &["-O2"]) else { return };
    let context = Context::new();
    for tool in [17u32, 43] {
        il[8..12].copy_from_slice(&(tool << 16).to_ne_bytes());
        let program = Program::from_il(&context, &il).expect("a program").build("").expect("it builds");
        let out = context.zeros::<i32>(2);
        let image = context.image((CL_RGBA, CL_UNORM_INT8), brolga_tests::Shape::d2(2, 2));
        program.kernel("k").run(&context, &Range::new([1]), &[&out, &image]);
        assert_eq!(out.read(), [1, 1], "signed by {tool}");
    }
}
