//! Graphs: as rows of neighbours, as matrices of distances, and as lists.

use super::{Measured, check, close, numbers, time};
use crate::latency::best;
use brolga_tests::{Context, Program, Range};

/// A graph of `n` nodes, each with so many neighbours on average: where each row of neighbours begins, and all of them.
fn graph(n: usize, degree: usize) -> (Vec<i32>, Vec<i32>) {
    let (mut rows, mut columns) = (vec![0], Vec::new());
    for i in 0..n {
        for j in 0..degree / 2 + i % (degree + 1) {
            let hash = ((i * 31 + j) as u32).wrapping_mul(2_654_435_761);
            columns.push(((hash ^ hash >> 15) as usize % n) as i32);
        }
        rows.push(columns.len() as i32);
    }
    (rows, columns)
}

pub(super) fn bfs(context: &Context, program: &Program) -> Measured {
    let n = 1 << 18;
    let (rows, columns) = graph(n, 8);
    let of = |i: usize| &columns[rows[i] as usize..rows[i + 1] as usize];
    let mut start = vec![-1i32; n];
    start[0] = 0;
    // Level by level, until nobody is reached any more; and how many neighbours are looked at.
    let (mut levels, mut depth, mut looks) = (start.clone(), 0, 0);
    loop {
        let before = levels.clone();
        for i in (0..n).filter(|&i| before[i] < 0) {
            let found = of(i).iter().position(|&to| before[to as usize] == depth);
            looks += found.map_or(of(i).len(), |at| at + 1);
            if found.is_some() {
                levels[i] = depth + 1;
            }
        }
        depth += 1;
        if levels == before {
            break;
        }
    }
    let (b_rows, b_columns) = (context.buffer(&rows), context.buffer(&columns));
    let pair = [context.buffer(&start), context.buffer(&start)];
    let kernel = program.kernel("k");
    let search = || {
        for level in 0..depth {
            let from = level as usize % 2;
            kernel.set(&[&b_rows, &b_columns, &pair[from], &pair[1 - from], &level]);
            kernel.enqueue_silently(context, &Range::new([n]));
        }
        context.finish();
    };
    let seconds = best(|| {
        pair[0].write(&start);
        search();
    });
    check(pair[depth as usize % 2].read() == levels, "breadth-first search")?;
    Ok((looks as f64 / 1e6, seconds.as_secs_f64()))
}

pub(super) fn page_rank(context: &Context, program: &Program) -> Measured {
    let n = 1 << 18;
    let (rows, columns) = graph(n, 8);
    let share = numbers(n);
    let (b_rows, b_columns, b_share) = (context.buffer(&rows), context.buffer(&columns), context.buffer(&share));
    let r = context.zeros::<f32>(n);
    let seconds = time(context, program, &Range::new([n]), &[&b_rows, &b_columns, &b_share, &r, &0.15f32]);
    let got = r.read();
    for i in (0..n).step_by(331) {
        let of = &columns[rows[i] as usize..rows[i + 1] as usize];
        let want = 0.15 + 0.85 * of.iter().map(|&j| f64::from(share[j as usize])).sum::<f64>();
        check(close(f64::from(got[i]), want), "PageRank")?;
    }
    Ok((columns.len() as f64 / 1e6, seconds))
}

pub(super) fn floyd(context: &Context, program: &Program) -> Measured {
    let n = 256;
    let distances = numbers(n * n);
    let d = context.buffer(&distances);
    let kernel = program.kernel("k");
    let all = || {
        for via in 0..n {
            kernel.set(&[&d, &(n as i32), &(via as i32)]);
            kernel.enqueue_silently(context, &Range::new([n, n]));
        }
        context.finish();
    };
    let seconds = best(|| {
        d.write(&distances);
        all();
    });
    let mut want = distances;
    for via in 0..n {
        for i in 0..n * n {
            want[i] = want[i].min(want[i / n * n + via] + want[via * n + i % n]);
        }
    }
    check(d.read() == want, "Floyd and Warshall")?;
    Ok(((n * n * n) as f64 / 1e6, seconds.as_secs_f64()))
}

pub(super) fn chase(context: &Context, program: &Program) -> Measured {
    let (n, items, count) = (
        1usize << 16,
        std::thread::available_parallelism().map_or(1, usize::from),
        1u32 << 18,
    );
    // One cycle: an odd step through a power of two.
    let next: Vec<u32> = (0..n).map(|i| ((i + 40_503) % n) as u32).collect();
    let (b_next, r) = (context.buffer(&next), context.zeros::<u32>(items));
    let range = Range::new([items]).local([1]);
    let seconds = time(context, program, &range, &[&b_next, &r, &count]);
    for (i, &got) in r.read().iter().enumerate() {
        check(got as usize == (i + 40_503 * count as usize) % n, "lists")?;
    }
    Ok((items as f64 * f64::from(count) / 1e6, seconds))
}
