//! Pipes: packets that one kernel writes and another reads; alone, reserved, and reserved by groups.

use brolga_tests::cl_sys::*;
use brolga_tests::{Argument, Context, Range, check, cl};
use std::ptr::null;

const CL_DEVICE_PIPE_SUPPORT: cl_device_info = 0x1071;

struct Pipe(cl_mem);

impl Pipe {
    fn new(context: &Context, packet_size: u32, packets: u32) -> Pipe {
        let mut status = 0;
        let id = cl!(clCreatePipe(context.id, 0, packet_size, packets, null(), &mut status));
        check(status, "clCreatePipe");
        Pipe(id)
    }
}

impl Argument for Pipe {
    fn value(&self) -> (usize, *const c_void) {
        (size_of::<cl_mem>(), std::ptr::from_ref(&self.0).cast())
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        cl!(clReleaseMemObject(self.0));
    }
}

/// What comes out of a pipe of 128 packets that 128 work-items put theirs into, by these statements.
fn through(write: &str, read: &str) {
    let context = Context::new();
    if context.device.number(CL_DEVICE_PIPE_SUPPORT) == 0 {
        return;
    }
    let source = format!(
        "typedef struct {{ int a; short b[3]; }} P;
        kernel void put(global const int *a, write_only pipe P p, global int *failed) {{
            int i = get_global_id(0), ok = -1;
            P x = {{ a[i], {{ i, -i, 7 }} }};
            {write}
            if (ok != 0) atomic_inc(failed);
        }}
        kernel void get(global int *r, read_only pipe P p, global int *failed) {{
            int i = get_global_id(0), ok = -1;
            P x = {{ 0, {{ 0, 0, 0 }} }};
            {read}
            if (ok != 0 || x.b[1] != -x.b[0] || x.b[2] != 7) atomic_inc(failed);
            else r[x.b[0]] = x.a;
            if (i == 0) failed[1] = get_pipe_max_packets(p);
        }}"
    );
    let program = context.program(&source, "-cl-std=CL3.0");
    let a: Vec<i32> = (0..128).map(|i| i * 977 % 1000).collect();
    let pipe = Pipe::new(&context, 12, 128);
    let (values, r, failed) = (context.buffer(&a), context.zeros::<i32>(128), context.zeros::<i32>(2));
    // Twice, so that the pipe goes round; then one packet too many.
    for _ in 0..2 {
        let range = Range::new([128]).local([32]);
        program.kernel("put").run(&context, &range, &[&values, &pipe, &failed]);
        r.write(&[0; 128]);
        program.kernel("get").run(&context, &range, &[&r, &pipe, &failed]);
        assert_eq!(failed.read(), [0, 128], "{write} {read}");
        assert_eq!(r.read(), a, "{write} {read}");
    }
    program
        .kernel("get")
        .run(&context, &Range::new([128]).local([32]), &[&r, &pipe, &failed]);
    assert_eq!(failed.read()[0], 128, "an empty pipe gives nothing: {read}");
}

#[test]
fn packets_by_themselves() {
    through("ok = write_pipe(p, &x);", "ok = read_pipe(p, &x);");
}

#[test]
fn packets_under_divergence() {
    through(
        "if (x.a & 1) ok = write_pipe(p, &x); else ok = write_pipe(p, &x);",
        "if (i % 3 == 0) ok = read_pipe(p, &x); else ok = read_pipe(p, &x);",
    );
}

#[test]
fn reservations_of_work_items() {
    let with = |kind: &str| {
        format!(
            "reserve_id_t id = reserve_{kind}_pipe(p, 1);
            if (is_valid_reserve_id(id)) {{ ok = {kind}_pipe(p, id, 0, &x); commit_{kind}_pipe(p, id); }}"
        )
    };
    through(&with("write"), &with("read"));
}

#[test]
fn reservations_of_groups() {
    for (group, index, count) in [
        ("work_group", "get_local_id(0)", "get_local_size(0)"),
        ("sub_group", "get_sub_group_local_id()", "get_sub_group_size()"),
    ] {
        let with = |kind: &str| {
            format!(
                "reserve_id_t id = {group}_reserve_{kind}_pipe(p, {count});
                if (is_valid_reserve_id(id)) {{
                    ok = {kind}_pipe(p, id, {index}, &x);
                    {group}_commit_{kind}_pipe(p, id);
                }}"
            )
        };
        through(&with("write"), &with("read"));
    }
}
