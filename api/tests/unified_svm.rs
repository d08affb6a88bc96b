//! cl_khr_unified_svm, in a process that asks for it: what its functions refuse and what they answer.

use api::cl::*;
use api::raw::{FromC, In, Out};
use api::unified_svm::*;
use api::{context, device_info, kernel, platform, program, queue, svm, unified};
use std::ptr::{null, null_mut};

struct Objects {
    device: cl_device_id,
    context: cl_context,
    queue: cl_command_queue,
}

const NO_LIST: In<cl_properties> = In::null();

fn list(properties: &[cl_properties]) -> In<cl_properties> {
    In::from_slice(properties)
}

/// A number among what is known of a pointer; `None` for what has another size.
fn number(of: &Objects, device: cl_device_id, pointer: *const c_void, name: cl_uint) -> Result<u64, cl_int> {
    let (mut answer, mut size) = (0_u64, 0);
    // SAFETY: eight bytes, as is said.
    let place = unsafe { Out::from_c((&raw mut answer).cast()) };
    get_svm_pointer_info(of.context, device, pointer, name, 8, place, Out::from_mut(&mut size)).map(|()| answer)
}

/// The only test here: the variable is read once a process.
#[test]
fn unified_svm() {
    // SAFETY: no other thread reads the environment yet.
    unsafe { std::env::set_var("BROLGA_WITH", "cl_khr_unified_svm") };
    let (mut platform, mut device) = (null_mut(), null_mut());
    platform::get_platform_ids(1, Out::from_mut(&mut platform), Out::null()).unwrap();
    platform::get_device_ids(platform, CL_DEVICE_TYPE_ALL, 1, Out::from_mut(&mut device), Out::null()).unwrap();
    let mut types = [[0; TYPES.len()]; 2];
    let [of_platform, of_device] = types.each_mut().map(|types| {
        // SAFETY: as many bytes as are told below.
        unsafe { Out::from_c(types.as_mut_ptr().cast()) }
    });
    let bytes = size_of_val(&types[0]);
    platform::get_platform_info(platform, CL_PLATFORM_SVM_TYPE_CAPABILITIES_KHR, bytes, of_platform, Out::null()).unwrap();
    device_info::get_device_info(device, CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR, bytes, of_device, Out::null()).unwrap();
    assert_eq!(types, [TYPES; 2]);
    let devices = [device];
    let context = context::create_context(In::null(), 1, In::from_slice(&devices), None, null_mut()).unwrap();
    let queue = queue::create_command_queue(context, device, 0).unwrap();
    let of = Objects { device, context, queue };
    for (index, capabilities) in (0..).zip(TYPES) {
        allocations(&of, index, capabilities);
    }
    refused_allocations(&of);
    refused_questions(&of);
    suggestions(&of);
    other_functions(&of);
}

fn allocations(of: &Objects, index: cl_uint, capabilities: cl_bitfield) {
    let associated = [
        CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR,
        of.device as cl_properties,
        CL_SVM_ALLOC_ACCESS_FLAGS_KHR,
        0x201,
        CL_SVM_ALLOC_ALIGNMENT_KHR,
        128,
        0,
    ];
    let pointer = svm_alloc_with_properties(of.context, list(&associated), index, 100).unwrap();
    assert!(!pointer.is_null() && (pointer as usize).is_multiple_of(128));
    let inside = pointer.wrapping_byte_add(99);
    for (device, pointer_asked) in [(null_mut(), pointer), (of.device, inside)] {
        let known = |name| number(of, device, pointer_asked, name).unwrap();
        assert_eq!(known(CL_SVM_INFO_TYPE_INDEX_KHR), index.into());
        assert_eq!(known(CL_SVM_INFO_CAPABILITIES_KHR), capabilities);
        assert_eq!(known(CL_SVM_INFO_ACCESS_FLAGS_KHR), 0x201);
        assert_eq!(known(CL_SVM_INFO_BASE_PTR_KHR), pointer as u64);
        assert_eq!(known(CL_SVM_INFO_SIZE_KHR), 100);
        assert_eq!(known(CL_SVM_INFO_ASSOCIATED_DEVICE_HANDLE_KHR), of.device as u64);
    }
    let (mut properties, mut size) = ([0_u64; 8], 0);
    // SAFETY: as many bytes as are told.
    let place = unsafe { Out::from_c(properties.as_mut_ptr().cast()) };
    let name = CL_SVM_INFO_PROPERTIES_KHR;
    get_svm_pointer_info(of.context, null_mut(), pointer, name, 64, place, Out::from_mut(&mut size)).unwrap();
    assert_eq!(properties[..size / 8], associated);
    // Mapped, or not.
    let map = svm::enqueue_svm_map(of.queue, CL_TRUE, CL_MAP_READ, pointer, 100, 0, In::null(), Out::null());
    let unmap = svm::enqueue_svm_unmap(of.queue, pointer, 0, In::null(), Out::null());
    let wanted = match capabilities & CL_SVM_CAPABILITY_HOST_MAP_KHR {
        0 => Err(CL_INVALID_VALUE),
        _ => Ok(()),
    };
    assert_eq!([map, unmap], [wanted; 2]);
    queue::finish(of.queue).unwrap();
    // Freed once, and not by what frees other allocations.
    assert_eq!(unified::mem_free(of.context, pointer), Err(CL_INVALID_VALUE));
    svm_free_with_properties(of.context, NO_LIST, 0, pointer).unwrap();
    assert_eq!(svm_free_with_properties(of.context, NO_LIST, 0, pointer), Err(CL_INVALID_VALUE));
    assert_eq!(number(of, null_mut(), pointer, CL_SVM_INFO_TYPE_INDEX_KHR), Ok(u32::MAX.into()));
    // A device is needed, or not.
    let alone = svm_alloc_with_properties(of.context, NO_LIST, index, 8);
    match capabilities & CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR {
        0 => assert_eq!(alone, Err(CL_INVALID_PROPERTY)),
        _ => svm::svm_free(of.context, alone.unwrap()),
    }
}

fn refused_allocations(of: &Objects) {
    let allocate = |properties: &[cl_properties], index, size| svm_alloc_with_properties(of.context, list(properties), index, size);
    let device = of.device as cl_properties;
    for wrong in [
        [0x2077, 1, 0, 0, 0],
        [CL_SVM_ALLOC_ALIGNMENT_KHR, 3, 0, 0, 0],
        [CL_SVM_ALLOC_ALIGNMENT_KHR, 1 << 20, 0, 0, 0],
        [CL_SVM_ALLOC_ACCESS_FLAGS_KHR, 4, 0, 0, 0],
        [CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR, of.context as cl_properties, 0, 0, 0],
        [
            CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR,
            device,
            CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR,
            device,
            0,
        ],
    ] {
        assert_eq!(allocate(&wrong, 0, 8), Err(CL_INVALID_PROPERTY), "{wrong:?}");
        let mut index = 0;
        let suggested = get_svm_suggested_type_index(of.context, 0, 0, list(&wrong), 8, Out::from_mut(&mut index));
        assert_eq!(suggested, Err(CL_INVALID_PROPERTY), "{wrong:?}");
    }
    assert_eq!(allocate(&[0], TYPES.len() as cl_uint, 8), Err(CL_INVALID_VALUE));
    assert_eq!(allocate(&[0], 0, usize::MAX), Err(CL_OUT_OF_RESOURCES));
    assert_eq!(allocate(&[0], 0, 0), Ok(null_mut()));
    assert_eq!(svm_alloc_with_properties(of.device, NO_LIST, 0, 8), Err(CL_INVALID_CONTEXT));
    let free = |context, properties, flags, pointer| svm_free_with_properties(context, properties, flags, pointer);
    assert_eq!(free(of.context, NO_LIST, 0, null_mut()), Ok(()));
    assert_eq!(free(of.device, NO_LIST, 0, null_mut()), Err(CL_INVALID_CONTEXT));
    assert_eq!(
        free(of.context, list(&[CL_SVM_ALLOC_ALIGNMENT_KHR, 8, 0]), 0, null_mut()),
        Err(CL_INVALID_PROPERTY)
    );
    assert_eq!(free(of.context, NO_LIST, 1, null_mut()), Err(CL_INVALID_VALUE));
}

fn refused_questions(of: &Objects) {
    // Of what is no allocation, and of what clSVMAlloc and clHostMemAllocINTEL make.
    let local = 0_u64;
    let elsewhere = (&raw const local).cast::<c_void>();
    let unified = unified::host_mem_alloc(of.context, NO_LIST, 8, 0).unwrap();
    for pointer in [elsewhere, unified.cast_const(), null()] {
        for name in CL_SVM_INFO_TYPE_INDEX_KHR..=CL_SVM_INFO_ACCESS_FLAGS_KHR {
            let wanted = if name == CL_SVM_INFO_TYPE_INDEX_KHR { u32::MAX.into() } else { 0 };
            assert_eq!(number(of, null_mut(), pointer, name), Ok(wanted), "{name:#x}");
        }
        for name in [
            CL_SVM_INFO_BASE_PTR_KHR,
            CL_SVM_INFO_SIZE_KHR,
            CL_SVM_INFO_ASSOCIATED_DEVICE_HANDLE_KHR,
        ] {
            assert_eq!(number(of, of.device, pointer, name), Ok(0), "{name:#x}");
        }
    }
    assert_eq!(svm_free_with_properties(of.context, NO_LIST, 0, unified), Err(CL_INVALID_VALUE));
    unified::mem_free(of.context, unified).unwrap();
    for (flags, index) in [(CL_MEM_READ_WRITE, 0), (CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, 1)] {
        let pointer = svm::svm_alloc(of.context, flags, 8, 0).unwrap();
        assert_eq!(number(of, null_mut(), pointer, CL_SVM_INFO_TYPE_INDEX_KHR), Ok(index));
        svm_free_with_properties(of.context, NO_LIST, 0, pointer).unwrap();
    }
    assert_eq!(number(of, null_mut(), elsewhere, 0x2087), Err(CL_INVALID_VALUE));
    assert_eq!(number(of, of.context, elsewhere, CL_SVM_INFO_SIZE_KHR), Err(CL_INVALID_DEVICE));
    let mut answer = 0_u32;
    // SAFETY: four bytes, as is said.
    let place = unsafe { Out::from_c((&raw mut answer).cast()) };
    let short = get_svm_pointer_info(of.context, null_mut(), elsewhere, CL_SVM_INFO_SIZE_KHR, 4, place, Out::null());
    assert_eq!(short, Err(CL_INVALID_VALUE));
    let nowhere = get_svm_pointer_info(of.device, null_mut(), elsewhere, CL_SVM_INFO_SIZE_KHR, 0, Out::null(), Out::null());
    assert_eq!(nowhere, Err(CL_INVALID_CONTEXT));
}

fn suggestions(of: &Objects) {
    let suggest = |required, desired| {
        let mut index = 77;
        get_svm_suggested_type_index(of.context, required, desired, NO_LIST, 8, Out::from_mut(&mut index)).map(|()| index)
    };
    for (index, capabilities) in (0..).zip(TYPES) {
        let suggested = suggest(capabilities, 0).unwrap() as usize;
        assert_eq!(TYPES[suggested] & capabilities, capabilities, "{index}");
        // Nothing is required, and most that is desired is this type's.
        let desired = TYPES[suggest(0, capabilities).unwrap() as usize];
        assert_eq!(desired & capabilities, capabilities, "{index}");
    }
    assert_eq!(suggest(CL_SVM_CAPABILITY_DEVICE_OWNED_KHR, 0), Ok(2));
    assert_eq!(suggest(0, CL_SVM_CAPABILITY_HOST_OWNED_KHR), Ok(3));
    assert_eq!(suggest(1 << 40, 0), Ok(u32::MAX));
    assert_eq!(
        suggest(CL_SVM_CAPABILITY_DEVICE_OWNED_KHR | CL_SVM_CAPABILITY_HOST_OWNED_KHR, 0),
        Ok(u32::MAX)
    );
    let mut index = 0;
    let place = || Out::null();
    assert_eq!(
        get_svm_suggested_type_index(of.context, 0, 0, NO_LIST, 8, place()),
        Err(CL_INVALID_VALUE)
    );
    let nowhere = get_svm_suggested_type_index(of.device, 0, 0, NO_LIST, 8, Out::from_mut(&mut index));
    assert_eq!(nowhere, Err(CL_INVALID_CONTEXT));
}

/// What the extension changes of others.
fn other_functions(of: &Objects) {
    let none = In::<cl_event>::null();
    let copy = |size, to| svm::enqueue_svm_memcpy(of.queue, CL_TRUE, to, null(), size, 0, none, Out::null());
    assert_eq!([copy(0, null_mut()), copy(8, null_mut())], [Ok(()), Err(CL_INVALID_VALUE)]);
    let pattern = [1_u8; 4];
    let fill = |size| svm::enqueue_svm_mem_fill(of.queue, null_mut(), In::from_slice(&pattern), 4, size, 0, none, Out::null());
    assert_eq!([fill(0), fill(8)], [Ok(()), Err(CL_INVALID_VALUE)]);
    let migrate = |pointer: *const c_void, sizes: &[usize]| {
        let pointers = [pointer];
        svm::enqueue_svm_migrate_mem(
            of.queue,
            1,
            In::from_slice(&pointers),
            In::from_slice(sizes),
            0,
            0,
            none,
            Out::null(),
        )
    };
    assert_eq!([migrate(null(), &[0]), migrate(null(), &[8])], [Ok(()), Err(CL_INVALID_VALUE)]);
    // What the system allocated, as it is, and beyond the end of what is known.
    let own = 0_u64;
    let known = svm_alloc_with_properties(of.context, NO_LIST, 0, 8).unwrap();
    let moved = [migrate((&raw const own).cast(), &[8]), migrate(known, &[8]), migrate(known, &[9])];
    assert_eq!(moved, [Ok(()), Ok(()), Err(CL_INVALID_VALUE)]);
    svm::svm_free(of.context, known);
    let source = [c"kernel void k(global int *p) { *p = 1; }".as_ptr()];
    let program = program::create_program_with_source(of.context, 1, In::from_slice(&source), In::null()).unwrap();
    program::build_program(program, 0, In::null(), In::null(), None, null_mut()).unwrap();
    // SAFETY: a string.
    let name = unsafe { In::from_c(c"k".as_ptr()) };
    let k = kernel::create_kernel(program, name).unwrap();
    let yes: cl_bool = CL_TRUE;
    let set = |size| {
        // SAFETY: as many bytes as are told.
        let value = unsafe { In::from_c((&raw const yes).cast()) };
        kernel::set_kernel_exec_info(k, CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR, size, value)
    };
    assert_eq!([set(4), set(3)], [Ok(()), Err(CL_INVALID_VALUE)]);
}
