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
