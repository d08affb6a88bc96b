//! Kernels in the text form, run at several gang widths.

use super::*;
use cranelift_entity::EntityRef;
use device::abi::LaunchRecord;
use ir::FuncRef;
use ir::parse::parse_module;
use ir::verify::verify_module;

const WIDTHS: [u32; 5] = [1, 4, 8, 16, 32];

/// A launch over `global` work-items in groups of `local`, with a buffer of `u32` as the only argument.
fn launch(arguments: &[u64], global: [u64; 3], local: [u64; 3]) -> LaunchRecord {
    LaunchRecord::new(arguments.as_ptr().cast(), global, local)
}

fn run_kernel(text: &str, width: u32, global: [u64; 3], local: [u64; 3], buffer: &mut [u32]) -> Result<(), Stop> {
    let module = parse_module(text).unwrap();
    verify_module(&module).unwrap();
    let globals = GlobalMemory::new(&module);
    let arguments = [buffer.as_mut_ptr() as u64];
    let launch = launch(&arguments, global, local);
    let config = Config {
        gang_width: width,
        local_bytes: 4096,
        globals: &globals.addresses,
        max_blocks: 1_000_000,
    };
    // SAFETY: the test's kernel stays within its buffer.
    unsafe { run(&module, FuncRef::new(0), &launch, &config) }
}

/// `out[i] = …` for a kernel of one block, given by what computes `v9: i32`.
fn compute(body: &str, width: u32, items: u64, local: u64) -> Vec<u32> {
    let text = format!(
        "fn0 = function workitem @k {{\nblock0:\n  v0 = builtin arguments\n  v1 = load.i64 constant align 8 [v0]\n  v2 = builtin global_id 0\n{body}\n  \
         store v9, global align 4 [v1 + v2 * 4]\n  return\n}}\n"
    );
    let mut buffer = vec![u32::MAX; items as usize];
    run_kernel(&text, width, [items, 1, 1], [local, 1, 1], &mut buffer).unwrap();
    buffer
}

#[test]
fn sub_groups_are_gangs() {
    for width in WIDTHS {
        let ids = compute("  v9 = builtin sub_group_id", width, 40, 20);
        assert!(ids.iter().enumerate().all(|(i, &id)| id == i as u32 % 20 / width), "{ids:?}");
        let sizes = compute("  v9 = builtin sub_group_size", width, 40, 20);
        assert!(
            sizes
                .iter()
                .enumerate()
                .all(|(i, &size)| size == width.min(20 - i as u32 % 20 / width * width))
        );
        let sums = compute(
            "  v3 = builtin sub_group_local_id\n  v9 = sub_group inclusive_scan.add v3",
            width,
            40,
            20,
        );
        assert!(sums.iter().enumerate().all(|(i, &sum)| {
            let lane = i as u32 % 20 % width;
            sum == lane * (lane + 1) / 2
        }));
    }
}

/// Lanes leave a loop one after the other, and operations across the sub-group see those that are still in it.
#[test]
fn lanes_in_a_loop_are_those_that_have_not_left_it() {
    let text = "fn0 = function workitem @k {\nblock0:\n  v0 = builtin arguments\n  v1 = load.i64 constant align 8 [v0]\n  v2 = builtin global_id 0\n  \
                v3 = trunc.i32 v2 rte\n  v4 = const.i32 0\n  v5 = const.i32 1\n  jump block1(v3, v4)\n\
                block1(v6: i32, v7: i32):\n  v8 = icmp.eq v6, v4\n  branch v8, block3, block2\n\
                block2:\n  v9 = sub_group reduce.add v5\n  v10 = add v7, v9\n  v11 = sub v6, v5\n  jump block1(v11, v10)\n\
                block3:\n  v12 = sub_group reduce.add v5\n  v13 = const.i32 1000\n  v14 = mul v12, v13\n  v15 = add v14, v7\n  \
                store v15, global align 4 [v1 + v2 * 4]\n  return\n}\n";
    for width in WIDTHS {
        let mut buffer = [0; 32];
        run_kernel(text, width, [32, 1, 1], [32, 1, 1], &mut buffer).unwrap();
        for (item, &value) in buffer.iter().enumerate() {
            let (item, first) = (item as u32, item as u32 / width * width);
            // In iteration k (from 0) the lanes with an id above k are there.
            let sum: u32 = (0..item).map(|k| (first..first + width).filter(|&id| id > k).count() as u32).sum();
            assert_eq!(value, width * 1000 + sum, "item {item} of gangs of {width}");
        }
    }
}

/// `if (i >= n) return; … barrier(…)`: those that are left see each other's local memory.
#[test]
fn barriers_do_not_wait_for_work_items_that_left() {
    let text = |leave: &str| {
        format!(
            "fn0 = function workitem @k {{\nblock0:\n  v0 = builtin arguments\n  v1 = load.i64 constant align 8 [v0]\n  v2 = builtin local_id 0\n  \
             v3 = const.i64 13\n  v4 = icmp.uge v2, v3\n  branch v4, block1, block2\nblock1:\n  {leave}\n\
             block2:\n  v5 = builtin local_memory\n  v6 = trunc.i32 v2 rte\n  store v6, local align 4 [v5 + v2 * 4]\n  \
             barrier work_group acq_rel work_group\n  v7 = const.i64 12\n  v8 = sub v7, v2\n  v9 = load.i32 local align 4 [v5 + v8 * 4]\n  \
             v10 = builtin group_id 0\n  v11 = const.i64 16\n  v12 = mul v10, v11\n  v13 = add v12, v2\n  \
             store v9, global align 4 [v1 + v13 * 4]\n  v14 = const.i32 1\n  v15 = work_group reduce.add v14\n  \
             barrier work_group acq_rel work_group\n  store v15, global align 4 [v1 + v13 * 4 + 128]\n  return\n}}\n"
        )
    };
    for width in WIDTHS {
        for leave in ["return", "unreachable"] {
            let mut buffer = [77; 64];
            run_kernel(&text(leave), width, [32, 1, 1], [16, 1, 1], &mut buffer).unwrap();
            for (item, &value) in buffer.iter().enumerate() {
                let id = item as u32 % 16;
                let expected = if item < 32 { 12u32.wrapping_sub(id) } else { 13 };
                assert_eq!(value, if id < 13 { expected } else { 77 }, "item {item}, gangs of {width}");
            }
        }
        let mut buffer = [77; 64];
        let stop = run_kernel(&text("trap 2"), width, [32, 1, 1], [16, 1, 1], &mut buffer);
        assert_eq!(
            stop,
            Err(Stop::Trap {
                reason: 2,
                item: [13, 0, 0]
            })
        );
        assert_eq!((buffer[0], buffer[16]), (12, 77));
    }
}

#[test]
fn calls_globals_and_private_memory() {
    let text = "global0 = constant @table align 4 [0a0000000b0000000c0000000d000000]\nglobal1 = @pointer align 8 [0000000000000000] 0: global0 + 4\n\
                fn0 = function workitem @k {\n  slot0: 8 align 4\nblock0:\n  v0 = builtin arguments\n  v1 = load.i64 constant align 8 [v0]\n  \
                v2 = builtin global_linear_id\n  v3 = trunc.i32 v2 rte\n  v4 = slot_address slot0\n  store v3, private align 4 [v4 + 4]\n  \
                v5, v6 = call fn1(v3, v4) -> i32, mask\n  v7 = load.i32 private align 4 [v4 + 4]\n  v8 = add v5, v7\n  v9 = const.i32 0\n  \
                v10 = select v6, v8, v9\n  store v10, global align 4 [v1 + v2 * 4]\n  return\n}\n\
                fn1 = function workitem @f -> i32, mask {\n  slot0: 4 align 4\nblock0(v0: i32, v1: i64):\n  v2 = slot_address slot0\n  \
                v3 = const.i32 1\n  v4 = and v0, v3\n  store v4, private align 4 [v2]\n  v5 = inttomask.mask v4 rte\n  branch v5, block1, block2\n\
                block1:\n  v6 = global_address global1\n  v7 = load.i64 constant align 8 [v6]\n  v8 = load.i32 constant align 4 [v7 + 4]\n  \
                v9 = load.i32 private align 4 [v1 + 4]\n  v10 = add v9, v9\n  store v10, private align 4 [v1 + 4]\n  return v8, v5\n\
                block2:\n  v11 = load.i32 private align 4 [v2]\n  return v11, v5\n}\n";
    for width in WIDTHS {
        let mut buffer = [77; 24];
        run_kernel(text, width, [4, 3, 2], [2, 3, 1], &mut buffer).unwrap();
        for (item, &value) in buffer.iter().enumerate() {
            assert_eq!(value, if item % 2 == 1 { 12 + 2 * item as u32 } else { 0 });
        }
    }
}

#[test]
fn endless_loops_and_recursion_are_told() {
    let text = "fn0 = function workitem @k {\nblock0:\n  jump block1\nblock1:\n  jump block1\n}\n";
    assert_eq!(run_kernel(text, 4, [1, 1, 1], [1, 1, 1], &mut []), Err(Stop::Endless));
    let text = "fn0 = function workitem @k {\nblock0:\n  call fn0()\n  return\n}\n";
    let stop = run_kernel(text, 4, [1, 1, 1], [1, 1, 1], &mut []);
    assert!(matches!(stop, Err(Stop::Unsupported(_))), "{stop:?}");
}

/// Work-groups at the end of the NDRange are smaller, and atomics of all of them add up.
#[test]
fn groups_may_be_cut_off() {
    let text = "fn0 = function workitem @k {\nblock0:\n  v0 = builtin arguments\n  v1 = load.i64 constant align 8 [v0]\n  v2 = builtin local_size 0\n  \
                v3 = trunc.i32 v2 rte\n  v4 = atomic_rmw.add v3, relaxed device global align 4 [v1]\n  return\n}\n";
    for width in WIDTHS {
        let mut buffer = [0];
        run_kernel(text, width, [11, 1, 1], [4, 1, 1], &mut buffer).unwrap();
        assert_eq!(buffer[0], 4 * 4 + 4 * 4 + 3 * 3);
    }
}

#[test]
fn texels_are_read_and_written() {
    use device::image::{Addressing, ImageRecord, SamplerWord, format, kind};
    let mut texels = [10u8, 20, 30, 40];
    let image = ImageRecord {
        data: texels.as_mut_ptr(),
        row_pitch: 4,
        slice_pitch: 4,
        width: 4,
        height: 1,
        depth: 1,
        array_size: 1,
        order: format::order::R,
        data_type: format::data_type::UNSIGNED_INT8,
        levels: 1,
        samples: 1,
        kind: kind::IMAGE_1D,
    };
    let sampler = SamplerWord::new(Addressing::Clamp, false, false).0;
    let text = format!(
        "fn0 = function workitem @k {{\nblock0:\n  v0 = builtin arguments\n  v1 = load.i64 constant align 8 [v0]\n  v2 = const.i64 {sampler}\n  \
         v3 = builtin global_id 0\n  v4 = trunc.i32 v3 rte\n  v5, v6, v7, v8 = image sample.1d.i32.const(v1, v2, v4)\n  v9 = add v5, v8\n  \
         v10 = const.i32 3\n  v11 = sub v10, v4\n  image write.1d.i32(v1, v11, v9, v9, v9, v9)\n  return\n}}\n"
    );
    let module = parse_module(&text).unwrap();
    verify_module(&module).unwrap();
    let arguments = [&raw const image as u64];
    let config = Config {
        gang_width: 1,
        local_bytes: 0,
        globals: &[],
        max_blocks: 100,
    };
    // SAFETY: the kernel accesses nothing but the image.
    unsafe { run(&module, FuncRef::new(0), &launch(&arguments, [5, 1, 1], [5, 1, 1]), &config) }.unwrap();
    // The fifth work-item reads the border, 0 and an alpha of 0 or 1, and writes nothing.
    assert_eq!(texels, [12, 22, 21, 11]);
}
