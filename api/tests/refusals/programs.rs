//! Programs.

use crate::*;
use compiler::source::{Frontend, clang};
use std::ffi::CString;
use std::sync::mpsc::{Sender, channel};

#[test]
fn programs_that_are_no_source() {
    let Fixture { device, context, .. } = Fixture::new();
    let (header, words) = ([3_u8, 2, 0x23, 7], [0_u8; 20]);
    let binary = |count, devices: In<cl_device_id>, lengths: In<usize>, binaries: In<*const u8>| {
        let mut status = [99; 2];
        let made = program::create_program_with_binary(context, count, devices, lengths, binaries, Out::from_mut(&mut status[0]));
        made.map_err(|code| (code, status[0]))
    };
    let (devices, lengths, binaries) = ([device], [20], [words.as_ptr()]);
    let (list, lengths, binaries) = (In::from_slice(&devices), In::from_slice(&lengths), In::from_slice(&binaries));
    refused! {
        CL_INVALID_VALUE: program::create_program_with_il(context, In::null(), 20);
        CL_INVALID_VALUE: program::create_program_with_il(context, In::from_slice(&words), 0);
        CL_INVALID_VALUE: program::create_program_with_il(context, In::from_slice(&words), 20);
        CL_INVALID_VALUE: program::create_program_with_il(context, In::from_slice(&header), 4);
        CL_INVALID_CONTEXT: program::create_program_with_binary(device, 1, list, lengths, binaries, Out::null());
        CL_INVALID_CONTEXT: program::create_program_with_built_in_kernels(device, 1, list, text(c"k"));
        CL_INVALID_VALUE: program::create_program_with_built_in_kernels(context, 0, list, text(c"k"));
        CL_INVALID_VALUE: program::create_program_with_built_in_kernels(context, 1, In::null(), text(c"k"));
        CL_INVALID_VALUE: program::create_program_with_built_in_kernels(context, 1, list, In::null());
        CL_INVALID_VALUE: program::create_program_with_built_in_kernels(context, 1, list, text(c"k"));
        CL_INVALID_DEVICE: program::create_program_with_built_in_kernels(context, 1, In::from_slice(&[context]), text(c"k"));
    }
    assert_eq!(binary(0, list, lengths, binaries).err(), Some((CL_INVALID_VALUE, 99)));
    assert_eq!(binary(1, In::null(), lengths, binaries).err(), Some((CL_INVALID_VALUE, 99)));
    assert_eq!(binary(1, list, In::null(), binaries).err(), Some((CL_INVALID_VALUE, 99)));
    assert_eq!(binary(1, list, lengths, In::null()).err(), Some((CL_INVALID_VALUE, 99)));
    assert_eq!(
        binary(1, list, In::from_slice(&[0]), binaries).err(),
        Some((CL_INVALID_VALUE, CL_INVALID_VALUE))
    );
    assert_eq!(
        binary(1, list, lengths, In::from_slice(&[std::ptr::null()])).err(),
        Some((CL_INVALID_VALUE, CL_INVALID_VALUE))
    );
    assert_eq!(
        binary(1, list, lengths, binaries).err(),
        Some((CL_INVALID_BINARY, CL_INVALID_BINARY))
    );
    assert_eq!(
        binary(1, In::from_slice(&[context]), lengths, binaries).err(),
        Some((CL_INVALID_DEVICE, 99))
    );
}

#[test]
fn compiling_and_linking() {
    let fixture = Fixture::new();
    let Fixture { device, context, .. } = fixture;
    let make =
        |source: &std::ffi::CStr| program::create_program_with_source(context, 1, In::from_slice(&[source.as_ptr()]), In::null()).unwrap();
    let (good, wrong, missing) = (
        make(c"kernel void k() { }"),
        make(c"kernel void k() { no }"),
        make(c"void f(); kernel void k() { f(); }"),
    );
    let compile = |program, options: In<c_char>, count, headers: In<cl_program>, names: In<*const c_char>| {
        program::compile_program(program, 0, In::null(), options, count, headers, names, None, NONE)
    };
    let plain = |program| compile(program, In::null(), 0, In::null(), In::null());
    let (headers, names) = ([good], [c"h".as_ptr()]);
    let (headers, names) = (In::from_slice(&headers), In::from_slice(&names));
    let link = |context, devices: &[cl_device_id], options: In<c_char>, inputs: &[cl_program]| {
        let mut code = 99;
        let list = if devices.is_empty() { In::null() } else { In::from_slice(devices) };
        let inputs_ = if inputs.is_empty() { In::null() } else { In::from_slice(inputs) };
        let (devices, count) = (devices.len() as cl_uint, inputs.len() as cl_uint);
        let program = program::link_program(
            context,
            devices,
            list,
            options,
            count,
            inputs_,
            None,
            NONE,
            Out::from_mut(&mut code),
        );
        // A link that fails makes a program too, whose log tells why.
        assert_eq!(program.is_null(), code != CL_SUCCESS && code != CL_LINK_PROGRAM_FAILURE);
        if code == CL_SUCCESS { Ok(program) } else { Err(code) }
    };
    let (built, kernel) = fixture.kernel(c"kernel void k() { }");
    refused! {
        CL_INVALID_PROGRAM: plain(context);
        CL_INVALID_VALUE: program::compile_program(good, 1, In::null(), In::null(), 0, In::null(), In::null(), None, NONE);
        CL_INVALID_VALUE: program::compile_program(good, 0, In::from_slice(&[device]), In::null(), 0, In::null(), In::null(), None, NONE);
        CL_INVALID_DEVICE: program::compile_program(good, 1, In::from_slice(&[context]), In::null(), 0, In::null(), In::null(), None, NONE);
        CL_INVALID_DEVICE: program::build_program(good, 1, In::from_slice(&[context]), In::null(), None, NONE);
        CL_INVALID_VALUE: program::compile_program(good, 0, In::null(), In::null(), 0, In::null(), In::null(), None, device);
        CL_INVALID_VALUE: compile(good, In::null(), 0, headers, names);
        CL_INVALID_VALUE: compile(good, In::null(), 1, In::null(), names);
        CL_INVALID_VALUE: compile(good, In::null(), 1, headers, In::null());
        CL_INVALID_PROGRAM: compile(good, In::null(), 1, In::from_slice(&[context]), names);
        CL_INVALID_COMPILER_OPTIONS: compile(good, text(c"-no-such-option"), 0, In::null(), In::null());
        CL_INVALID_OPERATION: plain(built);
        CL_COMPILE_PROGRAM_FAILURE: plain(wrong);
        CL_BUILD_PROGRAM_FAILURE: program::build_program(wrong, 0, In::null(), In::null(), None, NONE);
        CL_INVALID_PROGRAM: kernel::create_kernels_in_program(context, 0, Out::null(), Out::null());
        CL_INVALID_PROGRAM_EXECUTABLE: kernel::create_kernels_in_program(wrong, 0, Out::null(), Out::null());
        CL_INVALID_OPERATION: link(context, &[], In::null(), &[good]);
    }
    let foreign = fixture.other_context;
    let theirs = program::create_program_with_source(foreign, 1, In::from_slice(&[c"".as_ptr()]), In::null()).unwrap();
    program::compile_program(theirs, 0, In::null(), In::null(), 0, In::null(), In::null(), None, NONE).unwrap();
    let link_as = |device_count, devices: In<cl_device_id>, count, inputs: In<cl_program>, data: *mut c_void| {
        let mut code = 99;
        program::link_program(
            context,
            device_count,
            devices,
            In::null(),
            count,
            inputs,
            None,
            data,
            Out::from_mut(&mut code),
        );
        Err::<(), cl_int>(code)
    };
    let (devices, inputs) = ([device], [good]);
    let (devices, inputs) = (In::from_slice(&devices), In::from_slice(&inputs));
    refused! {
        CL_INVALID_CONTEXT: compile(good, In::null(), 1, In::from_slice(&[theirs]), names);
        CL_INVALID_VALUE: compile(good, In::null(), 1, headers, In::from_slice(&[std::ptr::null()]));
        CL_INVALID_CONTEXT: link(context, &[], In::null(), &[theirs]);
        CL_INVALID_VALUE: link_as(1, In::null(), 1, inputs, NONE);
        CL_INVALID_VALUE: link_as(0, devices, 1, inputs, NONE);
        CL_INVALID_VALUE: link_as(0, In::null(), 0, inputs, NONE);
        CL_INVALID_VALUE: link_as(0, In::null(), 1, In::null(), NONE);
        CL_INVALID_VALUE: link_as(0, In::null(), 1, inputs, device);
        CL_INVALID_VALUE: program::create_program_with_source(context, 2, In::from_slice(&[c"".as_ptr(), std::ptr::null()]), In::null());
    }
    for name in [
        CL_PROGRAM_NUM_KERNELS,
        CL_PROGRAM_KERNEL_NAMES,
        CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT,
        CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT,
    ] {
        let asked = program::get_program_info(theirs, name, 0, Out::null(), Out::null());
        assert_eq!(asked, Err(CL_INVALID_PROGRAM_EXECUTABLE), "{name:#x}");
    }
    plain(good).unwrap();
    plain(missing).unwrap();
    refused! {
        CL_INVALID_PROGRAM_EXECUTABLE: kernel::create_kernel(good, text(c"k"));
        CL_INVALID_CONTEXT: link(device, &[], In::null(), &[good]);
        CL_INVALID_VALUE: link(context, &[], In::null(), &[]);
        CL_INVALID_DEVICE: link(context, &[context], In::null(), &[good]);
        CL_INVALID_PROGRAM: link(context, &[], In::null(), &[good, context]);
        CL_INVALID_OPERATION: link(context, &[], In::null(), &[good, built]);
        CL_INVALID_LINKER_OPTIONS: link(context, &[], text(c"-no-such-option"), &[good]);
        CL_LINK_PROGRAM_FAILURE: link(context, &[], In::null(), &[missing]);
        CL_LINK_PROGRAM_FAILURE: link(context, &[], In::null(), &[good, good]);
    }
    let linked = link(context, &[device], In::null(), &[good]).unwrap();
    refused! {
        CL_INVALID_OPERATION: plain(linked);
        CL_INVALID_OPERATION: program::build_program(linked, 0, In::null(), In::null(), None, NONE);
        CL_INVALID_PROGRAM: program::set_program_release_callback(context, None, NONE);
        CL_INVALID_OPERATION: program::set_program_release_callback(built, None, NONE);
        CL_INVALID_PROGRAM: program::set_program_specialization_constant(context, 0, 4, In::from_slice(&[0; 4]));
        CL_INVALID_PROGRAM: program::set_program_specialization_constant(built, 0, 4, In::from_slice(&[0; 4]));
        CL_INVALID_PROGRAM: program::get_program_build_info(context, device, CL_PROGRAM_BUILD_STATUS, 0, Out::null(), Out::null());
        CL_INVALID_KERNEL: kernel::set_kernel_exec_info(built, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, In::null());
        CL_INVALID_VALUE: kernel::set_kernel_exec_info(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 8, In::null());
        CL_INVALID_KERNEL: kernel::set_kernel_arg_svm_pointer(built, 0, NONE);
        CL_INVALID_KERNEL: kernel::set_kernel_arg_address(built, 0, 0);
        CL_INVALID_ARG_INDEX: kernel::set_kernel_arg_address(kernel, 0, 0);
        CL_INVALID_KERNEL: kernel_info::get_kernel_work_group_info(built, device, CL_KERNEL_WORK_GROUP_SIZE, 0, Out::null(), Out::null());
        CL_INVALID_DEVICE: kernel_info::get_kernel_sub_group_info(kernel, context, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, In::null(), 0, Out::null(), Out::null());
        CL_INVALID_VALUE: kernel_info::get_kernel_sub_group_info(kernel, device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 8, In::null(), 0, Out::null(), Out::null());
    }
}

#[test]
fn specialization_constants() {
    let Fixture { context, .. } = Fixture::new();
    let il = module();
    let program = program::create_program_with_il(context, In::from_slice(&il), il.len()).unwrap();
    let value = [0; 8];
    let set = |id, size, value| program::set_program_specialization_constant(program, id, size, value);
    refused! {
        CL_INVALID_SPEC_ID: set(41, 4, In::from_slice(&value));
        CL_INVALID_VALUE: set(42, 8, In::from_slice(&value));
        CL_INVALID_VALUE: set(42, 4, In::null());
    }
    assert_eq!(set(42, 4, In::from_slice(&value)), Ok(()));
}

/// A build that goes on until the test says so: its source includes a pipe of the system's, which nobody writes to, and which clang alone would read.
#[test]
fn while_a_build_goes_on() {
    unsafe extern "C" fn told(_: *mut c_void, sender: *mut c_void) {
        // SAFETY: the sender that the test put there, once.
        let sender = unsafe { Box::from_raw(sender.cast::<Sender<()>>()) };
        let _ = sender.send(());
    }
    if Frontend::chosen() == Frontend::Own || clang().is_err() {
        println!("skipped: clang is not asked (BROLGA_FRONTEND=own), or there is none");
        return;
    }
    let Fixture { context, device, .. } = Fixture::new();
    let directory = std::env::temp_dir().join(format!("brolga-build-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let pipe = directory.join("gate.h");
    let path = CString::new(pipe.to_str().unwrap()).unwrap();
    // SAFETY: a string.
    assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }, 0);
    let source = c"#include \"gate.h\"\nkernel void k() { }";
    let program = program::create_program_with_source(context, 1, In::from_slice(&[source.as_ptr()]), In::null()).unwrap();
    let options = CString::new(format!("-I {}", directory.display())).unwrap();
    let (sender, built) = channel::<()>();
    let sender = Box::into_raw(Box::new(sender)).cast();
    program::build_program(program, 0, In::null(), text(&options), Some(told), sender).unwrap();
    let (mut code, mut status) = (99, 99);
    let inputs = [program];
    refused! {
        CL_INVALID_OPERATION: program::build_program(program, 0, In::null(), In::null(), None, NONE);
        CL_INVALID_OPERATION: program::compile_program(program, 0, In::null(), In::null(), 0, In::null(), In::null(), None, NONE);
    }
    let linked = program::link_program(
        context,
        0,
        In::null(),
        In::null(),
        1,
        In::from_slice(&inputs),
        None,
        NONE,
        Out::from_mut(&mut code),
    );
    assert_eq!((linked.is_null(), code), (true, CL_INVALID_OPERATION));
    program::get_program_build_info(program, device, CL_PROGRAM_BUILD_STATUS, 4, out(&mut status), Out::null()).unwrap();
    assert_eq!(status, CL_BUILD_IN_PROGRESS);
    // What needs the build's result waits for it.
    let address = program as usize;
    let waiting: [std::thread::JoinHandle<Result<(), cl_int>>; 3] = [
        std::thread::spawn(move || kernel::create_kernel(address as cl_program, text(c"k")).and_then(kernel::release_kernel)),
        std::thread::spawn(move || {
            let mut count = 0_usize;
            program::get_program_info(address as cl_program, CL_PROGRAM_NUM_KERNELS, 8, out(&mut count), Out::null())?;
            if count == 1 { Ok(()) } else { Err(count as cl_int) }
        }),
        std::thread::spawn(move || {
            let mut size = 0_usize;
            program::get_program_info(address as cl_program, CL_PROGRAM_BINARY_SIZES, 8, out(&mut size), Out::null())?;
            if size > 0 { Ok(()) } else { Err(99) }
        }),
    ];
    std::thread::sleep(std::time::Duration::from_millis(50));
    assert!(!waiting.iter().any(|thread| thread.is_finished()));
    // Whoever opens the pipe finds it empty from now on.
    std::thread::spawn(move || while std::fs::OpenOptions::new().write(true).open(&pipe).is_ok() {});
    for thread in waiting {
        assert_eq!(thread.join().unwrap(), Ok(()));
    }
    built.recv().unwrap();
    assert!(kernel::create_kernel(program, text(c"k")).is_ok());
    std::fs::remove_dir_all(directory).unwrap();
}
