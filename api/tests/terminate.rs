//! cl_khr_terminate_context: kernels that never end do end, what waits behind them ends too, and nothing new begins.

use api::cl::*;
use api::raw::{FromC, In, Out};
use api::{context, device_info, event, kernel, launch, memory, platform, program, queue};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};

const NONE: *mut c_void = null_mut();

/// Loops that end when somebody outside says so, and nobody does: one lane by itself, in step, around a barrier, and in a function.
const SOURCE: &std::ffi::CStr = c"
kernel void waits(volatile global int *go) { while (!go[0]); }
kernel void atomically(global atomic_int *go) { while (!atomic_load_explicit(go, memory_order_relaxed, memory_scope_device)); }
kernel void steps(volatile global int *go) { for (uint i = 0; go[get_local_id(0) + 1] == 0; i++) go[get_local_id(0) + 20] = i; }
kernel void barriers(volatile global int *go) { do barrier(CLK_LOCAL_MEM_FENCE); while (!go[0]); }
__attribute__((noinline)) int count(volatile global int *go) { int n = 0; while (!go[0]) n++; return n; }
kernel void calls(volatile global int *go) { go[get_global_id(0) + 40] = count(go) + count(go + 1); }
";

struct Fixture {
    context: cl_context,
    device: cl_device_id,
    program: cl_program,
    go: cl_mem,
}

static REPORTS: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" fn report(_: *const c_char, _: *const c_void, _: usize, _: *mut c_void) {
    REPORTS.fetch_add(1, Ordering::Relaxed);
}

impl Fixture {
    fn new(properties: &[cl_context_properties]) -> Fixture {
        let (mut platform, mut device) = (null_mut(), null_mut());
        platform::get_platform_ids(1, Out::from_mut(&mut platform), Out::null()).unwrap();
        platform::get_device_ids(platform, CL_DEVICE_TYPE_ALL, 1, Out::from_mut(&mut device), Out::null()).unwrap();
        let list = In::from_slice(properties);
        let context = context::create_context(list, 1, In::from_slice(&[device]), Some(report), NONE).unwrap();
        let program = program::create_program_with_source(context, 1, In::from_slice(&[SOURCE.as_ptr()]), In::null()).unwrap();
        // SAFETY: a string, which lives as long as the call.
        let options = unsafe { In::from_c(c"-cl-std=CL3.0".as_ptr()) };
        program::build_program(program, 0, In::null(), options, None, NONE).unwrap();
        let zeros = [0_u8; 1024];
        let go = memory::create_buffer(context, CL_MEM_COPY_HOST_PTR, zeros.len(), zeros.as_ptr().cast_mut().cast()).unwrap();
        Fixture {
            context,
            device,
            program,
            go,
        }
    }

    fn queue(&self, properties: cl_command_queue_properties) -> cl_command_queue {
        queue::create_command_queue(self.context, self.device, properties).unwrap()
    }

    fn launch(&self, queue: cl_command_queue, name: &std::ffi::CStr, wait_list: &[cl_event]) -> Result<cl_event, cl_int> {
        // SAFETY: a string, which lives as long as the call.
        let kernel = kernel::create_kernel(self.program, unsafe { In::from_c(name.as_ptr()) })?;
        kernel::set_kernel_arg(kernel, 0, 8, In::from_slice(&(self.go as usize).to_ne_bytes()))?;
        let list = if wait_list.is_empty() {
            In::null()
        } else {
            In::from_slice(wait_list)
        };
        let (size, count) = (In::from_slice(&[16]), wait_list.len() as cl_uint);
        let mut event = null_mut();
        launch::enqueue_nd_range_kernel(queue, kernel, 1, In::null(), size, size, count, list, Out::from_mut(&mut event))?;
        kernel::release_kernel(kernel)?;
        Ok(event)
    }
}

const TERMINABLE: [cl_context_properties; 3] = [CL_CONTEXT_TERMINATE_KHR, 1, 0];

fn status(event: cl_event) -> cl_int {
    let mut status: cl_int = 99;
    // SAFETY: a valid place.
    let place = unsafe { Out::from_c(std::ptr::from_mut(&mut status).cast()) };
    event::get_event_info(event, CL_EVENT_COMMAND_EXECUTION_STATUS, 4, place, Out::null()).unwrap();
    status
}

unsafe extern "C" fn told(_: cl_event, status: cl_int, told: *mut c_void) {
    // SAFETY: the test's own word, which lives until the test is over.
    unsafe { &*told.cast::<AtomicI32>() }.store(status, Ordering::Release);
}

#[test]
fn kernels_that_never_end() {
    for name in [c"waits", c"atomically", c"steps", c"barriers", c"calls"] {
        let fixture = Fixture::new(&TERMINABLE);
        let (in_order, out_of_order) = (
            fixture.queue(CL_QUEUE_PROFILING_ENABLE),
            fixture.queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE),
        );
        let user = event::create_user_event(fixture.context).unwrap();
        let running = fixture.launch(in_order, name, &[]).unwrap();
        let behind = fixture.launch(in_order, name, &[]).unwrap();
        let beside = fixture.launch(out_of_order, name, &[]).unwrap();
        let waiting = fixture.launch(out_of_order, name, &[user]).unwrap();
        let answers = [const { AtomicI32::new(99) }; 4];
        for (event, answer) in [running, behind, beside, waiting].into_iter().zip(&answers) {
            let answer = std::ptr::from_ref(answer).cast_mut().cast();
            event::set_event_callback(event, CL_COMPLETE, Some(told), answer).unwrap();
        }
        while status(running) != CL_RUNNING || status(beside) != CL_RUNNING {
            std::thread::yield_now();
        }
        let reports = REPORTS.load(Ordering::Relaxed);
        context::terminate_context(fixture.context).unwrap();
        assert!(REPORTS.load(Ordering::Relaxed) > reports);
        let all = [running, behind, beside, waiting];
        assert_eq!(
            event::wait_for_events(4, In::from_slice(&all)),
            Err(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
        );
        assert_eq!(all.map(status), [CL_CONTEXT_TERMINATED_KHR; 4], "{name:?}");
        queue::finish(in_order).unwrap();
        queue::finish(out_of_order).unwrap();
        for answer in &answers {
            while answer.load(Ordering::Acquire) == 99 {
                std::thread::yield_now();
            }
            assert_eq!(answer.load(Ordering::Acquire), CL_CONTEXT_TERMINATED_KHR);
        }
        let times = event::get_event_profiling_info(running, CL_PROFILING_COMMAND_END, 0, Out::null(), Out::null());
        assert_eq!(times, Err(CL_PROFILING_INFO_NOT_AVAILABLE));
        // User events go on, and nothing that waited for one runs any more.
        event::set_user_event_status(user, CL_COMPLETE).unwrap();
        queue::finish(out_of_order).unwrap();
        assert_eq!(status(waiting), CL_CONTEXT_TERMINATED_KHR);
        assert_eq!(fixture.launch(in_order, name, &[]), Err(CL_CONTEXT_TERMINATED_KHR));
        assert_eq!(context::terminate_context(fixture.context), Err(CL_CONTEXT_TERMINATED_KHR));
        assert_eq!(
            context::set_context_destructor_callback(fixture.context, None, NONE),
            Err(CL_CONTEXT_TERMINATED_KHR)
        );
        for event in all.into_iter().chain([user]) {
            event::release_event(event).unwrap();
        }
        queue::release_command_queue(in_order).unwrap();
        queue::release_command_queue(out_of_order).unwrap();
        memory::release_mem_object(fixture.go).unwrap();
        program::release_program(fixture.program).unwrap();
        context::release_context(fixture.context).unwrap();
        // Threads that called back and ran commands may not have let go yet.
        let gone = || {
            context::retain_context(fixture.context)
                .and_then(|()| context::release_context(fixture.context))
                .is_err()
        };
        let look = |_| {
            std::thread::yield_now();
            gone()
        };
        assert!((0..1_000_000).any(look), "something is left of the context");
    }
}

#[test]
fn whoever_waits_comes_back() {
    let fixture = Fixture::new(&TERMINABLE);
    let queue = fixture.queue(0);
    let event = fixture.launch(queue, c"waits", &[]).unwrap();
    let finished = AtomicBool::new(false);
    let (queue_, event_, context) = (queue as usize, event as usize, fixture.context);
    std::thread::scope(|scope| {
        // This thread runs the kernel itself.
        scope.spawn(|| {
            queue::finish(queue_ as cl_command_queue).unwrap();
            finished.store(true, Ordering::Release);
        });
        scope.spawn(|| assert!(event::wait_for_events(1, In::from_slice(&[event_ as cl_event])).is_err()));
        while status(event) != CL_RUNNING {
            std::thread::yield_now();
        }
        assert!(!finished.load(Ordering::Acquire));
        context::terminate_context(context).unwrap();
    });
    assert_eq!(status(event), CL_CONTEXT_TERMINATED_KHR);
}

#[test]
fn contexts_that_cannot_be_terminated() {
    for properties in [&[0][..], &[CL_CONTEXT_TERMINATE_KHR, 0, 0], &[CL_CONTEXT_TERMINATE_KHR_1X, 0, 0]] {
        let fixture = Fixture::new(properties);
        assert_eq!(context::terminate_context(fixture.context), Err(CL_INVALID_OPERATION));
        assert_eq!(context::terminate_context(fixture.device), Err(CL_INVALID_CONTEXT));
        // All is as before.
        queue::finish(fixture.queue(0)).unwrap();
    }
    let device = Fixture::new(&[0]).device;
    let create = |value| {
        context::create_context(
            In::from_slice(&[CL_CONTEXT_TERMINATE_KHR, value, 0]),
            1,
            In::from_slice(&[device]),
            None,
            NONE,
        )
    };
    assert_eq!(create(7), Err(CL_INVALID_PROPERTY));
    let mut capability: cl_ulong = 0;
    // SAFETY: a valid place.
    let place = unsafe { Out::from_c(std::ptr::from_mut(&mut capability).cast()) };
    device_info::get_device_info(device, CL_DEVICE_TERMINATE_CAPABILITY_KHR, 8, place, Out::null()).unwrap();
    assert_eq!(capability, CL_DEVICE_TERMINATE_CAPABILITY_CONTEXT_KHR);
}
