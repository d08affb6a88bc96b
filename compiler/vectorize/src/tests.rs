//! Kernels in IR text become work-group functions that keep the IR's rules, at each width.

mod addresses;
mod barriers;
mod flow;
mod sharing;

use super::*;
use analysis::{Analyses, GangFacts, gang_shape};
use interface::{LaunchFacts, LocalSize};
use ir::Function;
use ir::parse::parse_function;
use ir::verify::verify;
use passes::{Context, Gang, Settings};
use target::Machine;

/// Forms the group at a width and checks the result; gives its text.
fn form(text: &str, width: u32, local_size: [u64; 3], full_groups: bool) -> String {
    form_for(text, width, local_size, LocalSize::Exactly(local_size), full_groups)
}

/// The same, for what is known of the local size.
fn form_for(text: &str, width: u32, local_size: [u64; 3], known: LocalSize, full_groups: bool) -> String {
    let mut func = parse_function(text).expect("the test's text is IR");
    verify(&func, None).expect("the test's kernel keeps the rules");
    let launch = LaunchFacts {
        full_groups,
        local_size: known,
        ..LaunchFacts::usual(local_size)
    };
    let facts = GangFacts::new(gang_shape(Some(width), width, local_size), &launch);
    let gang = Gang::new(&launch, facts, Machine::named("cranelift").expect("there is one"));
    // What the tests count is that of gangs of this width.
    let settings = Settings::parse("disable=widen").expect("it is well-formed");
    let context = &mut Context {
        settings: &settings,
        ..Context::for_launch(None, gang)
    };
    for steps in [stages::GANG, stages::VECTOR, stages::FORM] {
        passes::run(steps, &mut func, context);
    }
    let unsuited = context.gang.as_ref().and_then(|gang| gang.unsuited.as_ref());
    assert_eq!(unsuited, None);
    if let Err(error) = verify(&func, None) {
        panic!("{error}\n{func}");
    }
    func.to_string()
}

/// What a pass makes of a kernel whose gangs have 8 lanes, and vectorization of that; none if it changed nothing.
pub(crate) fn gang_after(text: &str, pass: impl FnOnce(&mut Function, &GangFacts) -> bool) -> Option<String> {
    let mut func = parse_function(text).expect("the test's text is IR");
    let facts = GangFacts::new(gang_shape(None, 8, [64, 1, 1]), &LaunchFacts::usual([64, 1, 1]));
    let changed = pass(&mut func, &facts);
    verify(&func, None).expect("the pass keeps the rules");
    let gang = vectorize(
        &func,
        &facts,
        &target::Machine::named("avx2").expect("there is one"),
        &mut Analyses::default(),
    )
    .expect("reducible")
    .func;
    changed.then(|| gang.to_string())
}

fn form_all(text: &str) {
    for width in [1, 4, 8] {
        for local_size in [[16, 1, 1], [8, 4, 2], [3, 5, 1], [1, 1, 1], [1, 64, 1], [7, 1, 1]] {
            for full in [true, false] {
                form(text, width, local_size, full);
                form_for(text, width, local_size, LocalSize::like(local_size, width, 1024), full);
            }
        }
    }
}
