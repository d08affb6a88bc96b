//! Kernels in IR text become work-group functions that keep the IR's rules, at each width.

mod addresses;
mod barriers;
mod flow;
mod sharing;

use super::*;
use analysis::{Analyses, GangFacts, gang_shape};
use interface::LaunchFacts;
use ir::parse::parse_function;
use ir::verify::verify;
use target::Registers;

/// Forms the group at a width and checks the result; gives its text.
fn form(text: &str, width: u32, local_size: [u64; 3], full_groups: bool) -> String {
    let src = parse_function(text).expect("the test's text is IR");
    verify(&src, None).expect("the test's kernel keeps the rules");
    let launch = LaunchFacts {
        full_groups,
        ..LaunchFacts::usual(local_size)
    };
    let mut facts = GangFacts::new(gang_shape(Some(width), width, local_size), &launch);
    let mut src = src;
    facts.lane_strides = interleave(&mut src, width);
    let mut known = Analyses::default();
    decided::run(&mut src, &facts, &mut known);
    verify(&src, None).expect("what is decided keeps the rules");
    lane_by_lane::run(&mut src, &facts, Registers { count: 16, bytes: 16 }, &mut known);
    verify(&src, None).expect("what is done lane by lane keeps the rules");
    one_quotient::run(&mut src, &facts, &mut known);
    verify(&src, None).expect("what is divided in two keeps the rules");
    let unclamped = unclamped::run(&mut src, &facts);
    if unclamped {
        known.forget();
    }
    verify(&src, None).expect("what is without bounds keeps the rules");
    if full_path::run(&mut src, &facts, &mut known) && !unclamped {
        verify(&src, None).expect("copies keep the rules");
        unclamped::run(&mut src, &facts);
        known.forget();
    }
    verify(&src, None).expect("copies keep the rules");
    full_loops::run(&mut src, &facts, &mut known);
    verify(&src, None).expect("copies of loops keep the rules");
    let gang = vectorize(&src, &facts, &mut known).expect("reducible");
    let gang = jam::run(gang, &mut facts, Registers { count: 16, bytes: 16 });
    let group = form_group(gang, &facts);
    if let Err(error) = verify(&group.func, None) {
        panic!("{error}\n{}", group.func);
    }
    group.func.to_string()
}

fn form_all(text: &str) {
    for width in [1, 4, 8] {
        for local_size in [[16, 1, 1], [8, 4, 2], [3, 5, 1], [1, 1, 1], [1, 64, 1], [7, 1, 1]] {
            for full in [true, false] {
                form(text, width, local_size, full);
            }
        }
    }
}
