//! Counting and sorting.

use super::{Measured, check, time};
use crate::latency::best;
use brolga_tests::{Context, Local, Program, Range};

pub(super) fn histogram(context: &Context, program: &Program) -> Measured {
    let (n, each, local) = (4 << 20, 32, 128);
    let values: Vec<u8> = (0..n as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 11) as u8).collect();
    let (a, bins) = (context.buffer(&values), context.zeros::<u32>(256));
    let range = Range::new([n / each]).local([local]);
    let seconds = time(context, program, &range, &[&a, &bins, &Local(1024), &(each as i32)]);
    bins.write(&[0; 256]);
    program.kernel("k").run(context, &range, &[&a, &bins, &Local(1024), &(each as i32)]);
    let mut want = vec![0u32; 256];
    values.iter().for_each(|v| want[*v as usize] += 1);
    check(bins.read() == want, "histogram")?;
    Ok((n as f64 / 1e6, seconds))
}

pub(super) fn bitonic(context: &Context, program: &Program) -> Measured {
    let n = 1usize << 18;
    let values: Vec<u32> = (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
    let a = context.buffer(&values);
    let kernel = program.kernel("k");
    let range = Range::new([n / 2]);
    let sort = || {
        let mut block = 2u32;
        while block as usize <= n {
            let mut distance = block / 2;
            while distance > 0 {
                kernel.set(&[&a, &block, &distance]);
                kernel.enqueue_silently(context, &range);
                distance /= 2;
            }
            block *= 2;
        }
        context.finish();
    };
    let seconds = best(sort).as_secs_f64();
    a.write(&values);
    sort();
    let mut want = values;
    want.sort_unstable();
    check(a.read() == want, "bitonic sort")?;
    Ok((n as f64 / 1e6, seconds))
}

pub(super) fn digits(context: &Context, program: &Program) -> Measured {
    let (n, each, shift) = (4 << 20, 1024, 12u32);
    let parts = n / each;
    let keys: Vec<u32> = (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
    let (k, counts) = (context.buffer(&keys), context.zeros::<u32>(16 * parts));
    let seconds = time(context, program, &Range::new([parts]), &[&k, &counts, &(each as i32), &shift]);
    let mut want = vec![0u32; 16 * parts];
    for (i, key) in keys.iter().enumerate() {
        want[(key >> shift & 15) as usize * parts + i / each] += 1;
    }
    check(counts.read() == want, "digits")?;
    Ok((n as f64 / 1e6, seconds))
}

pub(super) fn lower_bound(context: &Context, program: &Program) -> Measured {
    let (n, size) = (1 << 20, 1 << 16);
    let table: Vec<u32> = (0..size as u32).map(|i| i * 65_521).collect();
    let keys: Vec<u32> = (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
    let (t, k, r) = (context.buffer(&table), context.buffer(&keys), context.zeros::<u32>(n));
    let seconds = time(context, program, &Range::new([n]), &[&t, &k, &r, &size]);
    let got = r.read();
    let want = |key: u32| table.partition_point(|&entry| entry < key) as u32;
    check((0..n).step_by(7).all(|i| got[i] == want(keys[i])), "binary search")?;
    Ok((n as f64 / 1e6, seconds))
}
