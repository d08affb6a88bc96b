//! Copies by a work-group: of lines and planes (cl_khr_extended_async_copies), and fences between them (cl_khr_async_work_group_copy_fence).

use brolga_tests::{Context, Local, Range};

#[test]
fn lines_and_planes() {
    let context = Context::new();
    // Lines of 8 elements, of which 3 are taken, become lines of 5; then planes of 2 by 2 are put into lines of 4 and planes of 9.
    let source = "kernel void k(global const int *a, global int *lines, global int *planes, local int *l) {
        size_t group = get_group_id(0), at = get_local_id(0);
        for (size_t j = at; j < 32; j += get_local_size(0)) l[j] = -1;
        barrier(CLK_LOCAL_MEM_FENCE);
        event_t e = async_work_group_copy_2D2D(l, 1, a, 64 * group + 2, sizeof(int), 3, 4, 8, 5, 0);
        wait_group_events(1, &e);
        for (size_t j = at; j < 32; j += get_local_size(0)) lines[32 * group + j] = l[j];
        async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE);
        e = async_work_group_copy_3D3D(planes, 32 * group, l, 1, sizeof(int), 2, 2, 2, 5, 10, 4, 9, 0);
        wait_group_events(1, &e);
    }";
    let program = context.program(source, "");
    for local in [1, 7, 16, 40] {
        let a: Vec<i32> = (0..128).collect();
        let (values, lines, planes) = (context.buffer(&a), context.buffer(&[7i32; 64]), context.buffer(&[7i32; 64]));
        program.kernel("k").run(
            &context,
            &Range::new([2 * local]).local([local]),
            &[&values, &lines, &planes, &Local(128)],
        );
        let (mut want_lines, mut want_planes) = ([-1; 64], [7; 64]);
        for group in 0..2 {
            for (line, element) in (0..4).flat_map(|line| (0..3).map(move |element| (line, element))) {
                want_lines[32 * group + 1 + 5 * line + element] = a[64 * group + 2 + 8 * line + element];
            }
            for (plane, line) in (0..2).flat_map(|plane| (0..2).map(move |line| (plane, line))) {
                for element in 0..2 {
                    want_planes[32 * group + 9 * plane + 4 * line + element] = want_lines[32 * group + 1 + 10 * plane + 5 * line + element];
                }
            }
        }
        assert_eq!(lines.read(), want_lines, "groups of {local}");
        assert_eq!(planes.read(), want_planes, "groups of {local}");
    }
}
