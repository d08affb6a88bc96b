//! Orders of passes, as data.

use crate::{Context, Pass, run_pass};
use ir::Function;

/// When a part of an order is run.
#[derive(Clone, Copy, Debug)]
pub struct Condition {
    /// For people: what is the case then.
    pub text: &'static str,
    /// Whether it is so.
    pub holds: fn(&Context) -> bool,
}

/// A step of a pipeline.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// Runs a pass.
    Run(&'static Pass),
    /// Runs a pass, and where it changed something, the steps.
    Changed(&'static Pass, &'static [Step]),
    /// Runs a pass, then the first steps where it changed something, and else the second ones.
    Either(&'static Pass, &'static [Step], &'static [Step]),
    /// Runs a pass and, as long as it changes something, the steps and it again; at most so many times.
    Repeat(u32, &'static Pass, &'static [Step]),
    /// Runs the steps under a condition.
    If(&'static Condition, &'static [Step]),
    /// Runs another list.
    List(&'static str, &'static [Step]),
}

/// Takes a function through the steps, in their order.
pub fn run(steps: &[Step], func: &mut Function, context: &mut Context) {
    for step in steps {
        match *step {
            Step::Run(pass) => {
                run_pass(pass, func, context);
            }
            Step::Changed(pass, then) => {
                if run_pass(pass, func, context) {
                    run(then, func, context);
                }
            }
            Step::Either(pass, then, otherwise) => match run_pass(pass, func, context) {
                true => run(then, func, context),
                false => run(otherwise, func, context),
            },
            Step::Repeat(most, pass, then) => {
                for _ in 0..most {
                    if !run_pass(pass, func, context) {
                        break;
                    }
                    run(then, func, context);
                }
            }
            Step::If(condition, then) => {
                if (condition.holds)(context) {
                    run(then, func, context);
                }
            }
            Step::List(_, steps) => run(steps, func, context),
        }
    }
}
