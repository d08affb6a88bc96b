//! Kernels that enqueue kernels: blocks, what they capture, events, queues, errors, trees of launches.

use brolga_tests::cl_sys::*;
use brolga_tests::{Argument, CL_QUEUE_SIZE, Context, DeviceQueue, Program, Range, cl};
use compiler::spirv::assemble;

const CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES: cl_device_info = 0x1070;
const CL_QUEUE_DEVICE_DEFAULT: cl_uint = 0x1095;
const CL_INVALID_DEVICE_QUEUE: cl_int = -70;

/// A context for programs in OpenCL C, with a default on-device queue.
fn context() -> Option<(Context, DeviceQueue)> {
    if super::left_to_clang("clang crashes on blocks that it compiles to SPIR-V") {
        return None;
    }
    context_for_modules()
}

/// A context with a default on-device queue; `None` where kernels enqueue nothing.
fn context_for_modules() -> Option<(Context, DeviceQueue)> {
    let context = Context::new();
    if context.device.number(CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES) == 0 {
        println!("skipped: kernels enqueue nothing on this device");
        return None;
    }
    let queue = DeviceQueue::new(&context, 8 << 20, true).expect("a queue");
    Some((context, queue))
}

/// What a kernel `k` of one work-item leaves in so many numbers.
fn left(context: &Context, source: &str, options: &str, count: usize) -> Vec<i32> {
    let r = context.zeros::<i32>(count);
    let program = context.program(source, options);
    program.kernel("k").run(context, &Range::new([1]).local([1]), &[&r]);
    r.read()
}

const QUEUE: &str = "queue_t q = get_default_queue(); ndrange_t one = ndrange_1D(1); int s = 0;";

#[test]
fn blocks_capture_values() {
    let Some((context, _queue)) = context() else { return };
    let source = format!(
        "typedef struct {{ char c; long l; float4 v; }} S;
        static void many(global int *r, int from, int n) {{
            if (n == 0) return;
            enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(n, n), ^{{
                atomic_add(&r[5], from + (int)get_local_id(0));
                if (get_global_id(0) == 0) many(r, from * 10, n - 1);
            }});
        }}
        kernel void k(global int *r) {{
            {QUEUE}
            S t = {{ 1, 2, (float4)(3, 4, 5, 6) }};
            bool b = r[0] == 0;
            char c = -7;
            void (^set)(void) = ^{{ r[0] = t.c + t.l + t.v.w; r[1] = b; r[2] = c; }};
            t.c = 100; b = false; c = 9;
            s |= enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, one, set);
            size_t global_size[2] = {{ 4, 3 }}, local_size[2] = {{ 2, 3 }}, offset[2] = {{ 10, 20 }};
            s |= enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, ndrange_2D(offset, global_size, local_size), ^{{
                atomic_add(&r[3], get_global_id(0) + 100 * get_global_id(1) + 10000 * get_local_size(0));
                r[4] = get_work_dim() + 10 * get_global_offset(1) + 1000 * get_num_groups(0);
            }});
            many(r, 1, 3);
            s |= enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(5, 2), ^{{ atomic_inc(&r[6]); }});
            r[7] = s;
        }}"
    );
    let sum: i32 = (10..14).flat_map(|x| (20..23).map(move |y| x + 100 * y + 20000)).sum();
    for options in ["-cl-std=CL2.0", "-cl-std=CL3.0"] {
        assert_eq!(
            left(&context, &source, options, 8),
            [9, 1, -7, sum, 2 + 200 + 2000, 6 + 21 + 100, 5, 0],
            "{options}"
        );
    }
}

#[test]
fn blocks_get_local_memory() {
    let Some((context, _queue)) = context() else { return };
    let source = format!(
        "kernel void k(global int *r) {{
            {QUEUE}
            void (^sum)(local void *, local void *) = ^(local void *p, local void *v) {{
                local int *own = (local int *)p;
                local float4 *other = (local float4 *)v;
                int i = get_local_id(0);
                own[i] = i;
                other[i] = (float4)(i);
                barrier(CLK_LOCAL_MEM_FENCE);
                int next = (i + 1) % get_local_size(0);
                atomic_add(&r[get_group_id(0)], own[next] * 100 + (int)other[next].z);
            }};
            s = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(64, 32), sum, 32 * sizeof(int), (uint)(32 * sizeof(float4)));
            r[2] = s;
        }}"
    );
    assert_eq!(left(&context, &source, "-cl-std=CL2.0", 3), [496 * 101, 496 * 101, 0]);
}

#[test]
fn events_order_launches() {
    let Some((context, _queue)) = context() else { return };
    let source = format!(
        "kernel void k(global int *r) {{
            {QUEUE}
            clk_event_t go = create_user_event(), gone = create_user_event(), first, marker, all[2];
            s |= !is_valid_event(go);
            release_event(gone);
            s |= enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, one, 1, &go, &first, ^{{
                r[0] = 1;
                // Complete only when this is.
                enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{{ r[0] += 10; }});
            }});
            s |= enqueue_marker(q, 1, &first, &marker);
            all[0] = first; all[1] = marker;
            s |= enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, one, 2, all, NULL, ^{{ r[1] = r[0] + 100; }});
            release_event(marker);
            retain_event(first);
            release_event(first);
            capture_event_profiling_info(first, CLK_PROFILING_COMMAND_EXEC_TIME, r + 4);
            release_event(first);
            // What waits for an event that fails does not run.
            clk_event_t bad = create_user_event(), after;
            s |= enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, one, 1, &bad, &after, ^{{ r[2] = 1; }});
            s |= enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, one, 1, &after, NULL, ^{{ r[2] = 2; }});
            set_user_event_status(bad, -5);
            set_user_event_status(go, CL_COMPLETE);
            release_event(bad); release_event(after); release_event(go);
            r[3] = s | is_valid_event(gone) << 1;
        }}"
    );
    let r = left(&context, &source, "-cl-std=CL2.0", 8);
    assert_eq!(r[..4], [11, 111, 0, 0]);
    assert!(r[4] > 0 && r[6] >= r[4], "{r:?}");
}

#[test]
fn errors_are_those_of_the_specification() {
    let Some((context, _queue)) = context() else { return };
    let source = format!(
        "kernel void k(global int *r) {{
            {QUEUE}
            clk_event_t none = CLK_NULL_EVENT, *nowhere = 0;
            void (^b)(void) = ^{{ atomic_inc(&r[15]); }};
            void (^l)(local void *) = ^(local void *p) {{ *(local int *)p = r[0]; }};
            r[0] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(100000, 50000), b);
            r[1] = enqueue_kernel(CLK_NULL_QUEUE, CLK_ENQUEUE_FLAGS_NO_WAIT, one, b);
            r[2] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, one, 1, &none, NULL, b);
            r[3] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, one, 1, NULL, NULL, b);
            r[4] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, one, l, 0u);
            r[5] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, one, l, 1u << 30);
            r[6] = enqueue_marker(q, 1, &none, nowhere);
            size_t sizes[3] = {{ 1, 1, 1 }}, too_many[3] = {{ 0, 1, 1 }};
            r[7] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_3D(sizes, too_many), b);
            for (int n = 0; n < 100000 && r[8] == 0; n++) r[8] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, one, b);
            r[9] = 0;
            for (int n = 0; n < 100000 && r[9] == 0; n++) r[9] = is_valid_event(create_user_event()) ? 0 : 7;
        }}"
    );
    let r = left(&context, &source, "-cl-std=CL3.0 -g", 16);
    assert_eq!(r[..10], [-160, -102, -57, -57, -51, -5, -57, -160, -161, 7]);
    assert!(r[15] > 1000, "{r:?}");
    let r = left(&context, &source, "-cl-std=CL3.0", 16);
    assert_eq!(r[..10], [-101, -101, -101, -101, -101, -101, -101, -101, -101, 7]);
}

#[test]
fn uniform_groups_are_asked_for() {
    let Some((context, _queue)) = context() else { return };
    let source = "kernel void k(global int *r) {
            r[0] = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(5, 2), ^{ r[1] = 1; });
        }";
    assert_eq!(left(&context, source, "-cl-std=CL3.0 -g -cl-uniform-work-group-size", 2), [-160, 0]);
    assert_eq!(left(&context, source, "-cl-std=CL3.0 -g", 2), [0, 1]);
}

#[test]
fn kernels_are_asked_about() {
    let Some((context, _queue)) = context() else { return };
    let source = "kernel void same(global int *r) { r[0] = get_local_id(0); }
        kernel void k(global int *r) {
            void (^b)(void) = ^{ r[0] = get_local_id(0); };
            r[1] = get_kernel_work_group_size(b);
            r[2] = get_kernel_preferred_work_group_size_multiple(b);
            r[3] = get_kernel_max_sub_group_size_for_ndrange(ndrange_1D(100, 10), b);
            r[4] = get_kernel_sub_group_count_for_ndrange(ndrange_1D(100, 10), b);
            r[5] = get_kernel_sub_group_count_for_ndrange(ndrange_1D(100, 100000), b);
        }";
    let r = left(&context, source, "-cl-std=CL3.0", 6);
    let program = context.program(source, "-cl-std=CL3.0");
    let same = program.kernel("same");
    let number = |name| same.work_group_info(name).expect("it is known").number() as i32;
    assert_eq!(r[1], number(CL_KERNEL_WORK_GROUP_SIZE));
    assert_eq!(r[2], number(CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE));
    assert!(r[3] > 0 && r[4] == (10 + r[3] - 1) / r[3] && r[5] == 0, "{r:?}");
}

/// More launches than wait at a time by far; and a chain that is as deep.
#[test]
fn a_million_launches() {
    let Some((context, queue)) = context() else { return };
    let source = "static void tree(global int *r, int depth) {
            atomic_inc(&r[0]);
            if (depth == 0) return;
            for (int n = 0; n < 2; n++)
                if (enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1, 1), ^{ tree(r, depth - 1); }) != 0) r[1] = 1;
        }
        static void chain(global int *r, int length) {
            r[2]++;
            if (length == 0) return;
            if (enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1, 1), ^{ chain(r, length - 1); }) != 0) r[1] = 2;
        }
        kernel void k(global int *r) { tree(r, 19); chain(r, 99999); }";
    let memory = || {
        let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let peak = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        peak.and_then(|peak| peak.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok())
    };
    let before = memory();
    assert_eq!(left(&context, source, "-cl-std=CL3.0", 3), [(1 << 20) - 1, 0, 100_000]);
    if let (Some(before), Some(after)) = (before, memory()) {
        assert!(after - before < 200 << 10, "{before} kB became {after} kB");
    }
    assert_eq!(queue.number(CL_QUEUE_SIZE), 8 << 20);
}

#[test]
fn what_goes_wrong_in_a_child_is_the_hosts_to_know() {
    let Some((context, _queue)) = context() else { return };
    let source = "extern void __assert_fail(constant const char *, constant const char *, unsigned, constant const char *);
        kernel void k(global int *r, int bad) {
            queue_t q = get_default_queue();
            clk_event_t never = create_user_event();
            enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(4), ^{
                if (bad == 1 && get_global_id(0) == 2) __assert_fail(\"bad\", \"enqueue.rs\", 4, \"k\");
                atomic_inc(&r[0]);
            });
            if (bad == 2) enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &never, NULL, ^{ r[0] = 99; });
        }";
    let program = context.program(source, "-cl-std=CL3.0");
    let kernel = program.kernel("k");
    let r = context.zeros::<i32>(1);
    for (bad, fails) in [(0, false), (1, true), (2, true), (0, false)] {
        r.write(&[0]);
        kernel.set(&[&r, &bad]);
        let event = kernel.enqueue(&context, &Range::new([1]).local([1])).expect("it starts");
        assert_eq!(event.wait().is_err(), fails, "{bad}");
        assert!(r.read()[0] <= 4);
    }
    // What was given up takes no room.
    for _ in 0..3 {
        r.write(&[0]);
        kernel.run(&context, &Range::new([1000]).local([10]), &[&r, &0]);
        assert_eq!(r.read(), [4000]);
    }
}

#[test]
fn queues_are_arguments_and_defaults() {
    let Some((context, queue)) = context() else { return };
    let other = DeviceQueue::new(&context, 1 << 16, false).expect("a queue");
    let source = "kernel void k(global int *r, queue_t q, int n) {
            queue_t both[2] = { get_default_queue(), q };
            for (int i = 0; i < n; i++)
                for (int w = 0; w < 2; w++)
                    r[1 + w] += enqueue_kernel(both[w], CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ atomic_inc(&r[0]); }) == CLK_SUCCESS;
        }";
    let program = context.program(source, "-cl-std=CL3.0");
    let kernel = program.kernel("k");
    let r = context.zeros::<i32>(3);
    kernel.run(&context, &Range::new([1]).local([1]), &[&r, &other, &1000]);
    let counts = r.read();
    assert!(
        counts[0] == counts[1] + counts[2] && counts[1] == 1000 && counts[2] < 1000,
        "{counts:?}"
    );
    // A queue of the host is none.
    let host = DeviceQueue(context.queue);
    let (size, address) = host.value();
    assert_eq!(cl!(clSetKernelArg(kernel.id, 1, size, address)), CL_INVALID_DEVICE_QUEUE);
    std::mem::forget(host);
    assert_eq!(cl!(clFinish(other.0)), CL_INVALID_COMMAND_QUEUE);
    // Another default.
    assert_eq!(other.number(CL_QUEUE_DEVICE_DEFAULT), queue.0 as u64);
    let again = DeviceQueue::new(&context, 1 << 16, true).expect("a queue");
    assert_eq!(again.0, queue.0, "there is one default queue");
    assert_eq!(
        cl!(clSetDefaultDeviceCommandQueue(context.id, context.device.id, other.0)),
        CL_SUCCESS
    );
    assert_eq!(
        cl!(clSetDefaultDeviceCommandQueue(context.id, context.device.id, context.queue)),
        CL_INVALID_COMMAND_QUEUE
    );
    assert_eq!(queue.number(CL_QUEUE_DEVICE_DEFAULT), other.0 as u64);
    r.write(&[0; 3]);
    kernel.run(&context, &Range::new([1]).local([1]), &[&r, &queue, &1000]);
    let counts = r.read();
    assert!(
        counts[0] == counts[1] + counts[2] && counts[2] == 1000 && counts[1] < 1000,
        "{counts:?}"
    );
    assert_eq!(other.number(CL_QUEUE_SIZE), 1 << 16);
    assert_eq!(DeviceQueue::new(&context, 1 << 30, false).err(), Some(CL_INVALID_QUEUE_PROPERTIES));
}

/// The same from SPIR-V; and what the environment asks of blocks.
#[test]
fn modules_enqueue() {
    let Some((context, _queue)) = context_for_modules() else { return };
    let text = |parameters: &str, sizes: &str| {
        let (types, values) = match parameters {
            "" => ("", ""),
            _ => (" %local", "%block_local = OpFunctionParameter %local\n"),
        };
        format!(
            "OpCapability Addresses\nOpCapability Kernel\nOpCapability Int8\nOpCapability Int64\nOpCapability GenericPointer\nOpCapability DeviceEnqueue\nOpCapability SubgroupDispatch
            OpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %k \"k\"
            %void = OpTypeVoid\n%char = OpTypeInt 8 0\n%int = OpTypeInt 32 0\n%long = OpTypeInt 64 0
            %three = OpConstant %int 3\n%sizes = OpTypeArray %long %three\n%range = OpTypeStruct %int %sizes %sizes %sizes
            %queue = OpTypeQueue\n%event = OpTypeDeviceEvent\n%events = OpTypePointer Function %event\n%no_events = OpConstantNull %events
            %zero = OpConstant %int 0\n%one = OpConstant %int 1\n%two = OpConstant %int 2\n%eight = OpConstant %int 8\n%long_0 = OpConstant %long 0\n%long_5 = OpConstant %long 5
            %local = OpTypePointer Workgroup %char
            %global = OpTypePointer CrossWorkgroup %int\n%generic = OpTypePointer Generic %char\n%held = OpTypePointer Generic %global
            %own = OpTypePointer Function %global\n%own_bytes = OpTypePointer Function %char
            %block_type = OpTypeFunction %void %generic{types}\n%kernel_type = OpTypeFunction %void %global
            %block = OpFunction %void None %block_type\n%captured = OpFunctionParameter %generic\n{values}%block_entry = OpLabel
            %place = OpBitcast %held %captured\n%r = OpLoad %global %place Aligned 8\n%old = OpAtomicIAdd %int %r %one %zero %three
            OpReturn\nOpFunctionEnd
            %k = OpFunction %void None %kernel_type\n%out = OpFunctionParameter %global\n%entry = OpLabel
            %memory = OpVariable %own Function\nOpStore %memory %out Aligned 8
            %bytes = OpBitcast %own_bytes %memory\n%param = OpPtrCastToGeneric %generic %bytes
            %q = OpGetDefaultQueue %queue\n%n = OpBuildNDRange %range %long_5 %long_0 %long_0
            %s = OpEnqueueKernel %int %q %one %n %zero %no_events %no_events %block %param %eight %eight {sizes}
            %w = OpGetKernelMaxNumSubgroups %int %block %param %eight %eight
            %l = OpGetKernelLocalSizeForSubgroupCount %int %two %block %param %eight %eight
            %p1 = OpInBoundsPtrAccessChain %global %out %one\nOpStore %p1 %w Aligned 4
            %p2 = OpInBoundsPtrAccessChain %global %out %two\nOpStore %p2 %l Aligned 4
            OpReturn\nOpFunctionEnd\n"
        )
    };
    let build = |parameters: &str, sizes: &str| {
        let il = assemble(&text(parameters, sizes)).expect("it is assembly");
        Program::from_il(&context, &il).expect("it is SPIR-V").build("")
    };
    let text = |program: Result<Program, String>| program.err().unwrap_or_default();
    for (parameters, sizes) in [("", ""), ("local", "%eight")] {
        let r = context.zeros::<i32>(3);
        let program = build(parameters, sizes).unwrap_or_else(|log| panic!("{log}"));
        program.kernel("k").run(&context, &Range::new([2]), &[&r]);
        let r = r.read();
        // Two work-items enqueued five, each of which added three.
        assert_eq!(r[0], 30);
        let most = context.device.number(CL_DEVICE_MAX_WORK_GROUP_SIZE) as i32;
        assert!(r[2] > 0 && r[1] == most / (r[2] / 2), "{r:?}");
    }
    for (parameters, sizes) in [("", "%eight"), ("local", "")] {
        let log = text(build(parameters, sizes));
        assert!(log.contains("for each Local Size"), "{log}");
    }
}
