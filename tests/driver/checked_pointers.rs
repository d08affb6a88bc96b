//! Checked mode follows pointers that the host keeps in memory: to what is there without a word, and what is not there any more is told.

use crate::checked::{CHECK_FAILED, FILE, again};
use brolga_tests::cl_sys::*;
use brolga_tests::{Context, Range, check, cl};
use std::ptr::null_mut;

/// A kernel for each case: what was told of one is not told again.
fn source(name: &str, writes: bool) -> String {
    let done = match writes {
        true => "*(global int *)pointers[i] = out[i];",
        false => "out[i] = *(global int *)pointers[i];",
    };
    format!("kernel void {name}(global const ulong *pointers, global int *out) {{ int i = get_global_id(0); {done} }}")
}

/// Runs a kernel over eight pointers, four bytes from one to the next.
fn follow(context: &Context, name: &str, first: *const c_void, writes: bool) {
    eprintln!("== {name}");
    let pointers: Vec<u64> = (0..8).map(|n| first as u64 + 4 * n).collect();
    let program = context.program(&source(name, writes), "");
    let (pointers, out) = (context.buffer(&pointers), context.zeros::<i32>(8));
    let kernel = program.kernel(name);
    kernel.set(&[&pointers, &out]);
    let event = kernel.enqueue(context, &Range::new([8])).expect("a launch");
    let _ = event.wait();
    match event.status() {
        CL_COMPLETE => eprintln!("complete: {:?}", out.read()),
        CHECK_FAILED => eprintln!("failed"),
        other => eprintln!("its event has the status {other}"),
    }
}

#[test]
fn pointers_of_the_host() {
    let Ok(_) = std::env::var(FILE) else { return };
    let context = Context::new();
    let numbers: Vec<i32> = (0..8).collect();
    let shared = |values: &[i32]| {
        let size = size_of_val(values);
        let pointer = cl!(clSVMAlloc(context.id, CL_MEM_READ_WRITE, size, 0));
        assert!(!pointer.is_null());
        // SAFETY: the allocation has as many bytes.
        unsafe { pointer.cast::<i32>().copy_from_nonoverlapping(values.as_ptr(), values.len()) };
        pointer
    };
    let one = shared(&numbers);
    follow(&context, "shared", one, false);
    follow(&context, "written", one, true);
    follow(&context, "beyond", one.wrapping_byte_add(8), false);
    let other = shared(&numbers);
    cl!(clSVMFree(context.id, other));
    follow(&context, "freed", other, false);
    let mut host = numbers.clone();
    follow(&context, "of_the_application", host.as_ptr().cast(), false);
    let mut status = 0;
    let used = cl!(clCreateBuffer(
        context.id,
        CL_MEM_USE_HOST_PTR,
        32,
        host.as_mut_ptr().cast(),
        &mut status
    ));
    check(status, "clCreateBuffer");
    follow(&context, "used_as_a_buffer", host.as_ptr().cast(), false);
    check(cl!(clReleaseMemObject(used)), "clReleaseMemObject");
    static ONLY_READ: [i32; 8] = [0, 1, 2, 3, 4, 5, 6, 7];
    follow(&context, "only_read", ONLY_READ.as_ptr().cast(), false);
    follow(&context, "only_read_but_written", ONLY_READ.as_ptr().cast(), true);
    // SAFETY: a new mapping, which is gone before anybody knows of it.
    let gone = unsafe {
        let (pages, anonymous) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        let gone = libc::mmap(null_mut(), 1 << 20, pages, anonymous, -1, 0);
        libc::munmap(gone, 1 << 20);
        gone
    };
    follow(&context, "not_mapped_any_more", gone.wrapping_byte_add(1 << 19).cast(), false);
}

#[test]
fn what_pointers_of_the_host_lead_to_is_seen() {
    let output = again("checked_pointers::pointers_of_the_host", &[(FILE, ""), ("BROLGA_CHECK", "bounds")]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    let mut parts = stderr.split("== ").skip(1).filter_map(|part| part.split_once('\n'));
    let mut expect = |name: &str, said: &[&str]| {
        let part = parts.next();
        let is_it = part.is_some_and(|(found, text)| {
            let as_said = said.iter().all(|said| text.contains(said));
            found == name && as_said && (text.contains("brolga check") == said.contains(&"failed\n"))
        });
        assert!(is_it, "{name}: {part:?} in {stderr}");
    };
    let numbers = "complete: [0, 1, 2, 3, 4, 5, 6, 7]\n";
    expect("shared", &[numbers]);
    expect("written", &["complete"]);
    expect(
        "beyond",
        &[
            "read of 4 bytes, just beyond the end of an object of 32 bytes, by work-item (6, 0, 0)",
            "2 times",
            "failed\n",
        ],
    );
    expect(
        "freed",
        &[
            "0 bytes into an object of 32 bytes that was freed, by work-item (0, 0, 0)",
            "8 times",
            "failed\n",
        ],
    );
    expect("of_the_application", &[numbers]);
    expect("used_as_a_buffer", &[numbers]);
    expect("only_read", &[numbers]);
    expect(
        "only_read_but_written",
        &["write of 4 bytes at address 0x", ", where no object is", "failed\n"],
    );
    expect(
        "not_mapped_any_more",
        &["read of 4 bytes at address 0x", ", where no object is", "failed\n"],
    );
}
