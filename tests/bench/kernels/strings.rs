//! Texts: searched, and aligned.

use super::{Measured, check, time};
use crate::latency::best;
use brolga_tests::{Context, Program, Range};

fn letters(n: usize, seed: u32) -> Vec<u8> {
    let letter = |i: u32| b"ACGT"[(i.wrapping_add(seed).wrapping_mul(2_654_435_761) >> 15) as usize % 4];
    (0..n as u32).map(letter).collect()
}

pub(super) fn substring(context: &Context, program: &Program) -> Measured {
    let n = 8 << 20;
    let text = letters(n + 8, 0);
    let pattern = &text[n / 3..][..8];
    let (t, p, r) = (context.buffer(&text), context.buffer(pattern), context.zeros::<u8>(n));
    let seconds = time(context, program, &Range::new([n]), &[&t, &p, &r]);
    let got = r.read();
    check((0..n).all(|i| got[i] == u8::from(text[i..].starts_with(pattern))), "search")?;
    Ok((n as f64 / 1e6, seconds))
}

pub(super) fn alignment(context: &Context, program: &Program) -> Measured {
    let n = 1024;
    let (a, b) = (letters(n, 0), letters(n, 77));
    let mut table = vec![0i32; (n + 1) * (n + 1)];
    for i in 0..=n {
        table[i] = -(i as i32);
        table[i * (n + 1)] = -(i as i32);
    }
    let (b_a, b_b, b_table) = (context.buffer(&a), context.buffer(&b), context.buffer(&table));
    let kernel = program.kernel("k");
    let align = || {
        for diagonal in 2..=2 * n {
            let first = diagonal.saturating_sub(n).max(1);
            let count = n.min(diagonal - 1) + 1 - first;
            kernel.set(&[&b_a, &b_b, &b_table, &(n as i32), &(diagonal as i32), &(first as i32)]);
            kernel.enqueue_silently(context, &Range::new([count]));
        }
        context.finish();
    };
    let seconds = best(align).as_secs_f64();
    for y in 1..=n {
        for x in 1..=n {
            let at = y * (n + 1) + x;
            let beside = table[at - 1].max(table[at - n - 1]) - 1;
            table[at] = beside.max(table[at - n - 2] + if a[x - 1] == b[y - 1] { 1 } else { -1 });
        }
    }
    check(b_table.read() == table, "alignment")?;
    Ok(((n * n) as f64 / 1e6, seconds))
}
