//! A pass: what it is called, which functions it takes, how it is run, and what it is for.

use crate::{Context, Gang, Plan};
use analysis::{Analyses, AnalysisSet};
use ir::{Function, Module};
use target::Machine;

/// Which functions a pass takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// One work-item's view of a kernel, before vectorization.
    WorkItem,
    /// A work-item's function, for a launch whose gangs are known, until it is a work-group's.
    Gang,
    /// A work-group's function, with vectors and loops over gangs.
    Group,
    /// Work-item or group.
    Either,
}

impl Level {
    /// For people.
    pub const fn name(self) -> &'static str {
        match self {
            Level::WorkItem => "work-item",
            Level::Gang => "gang",
            Level::Group => "group",
            Level::Either => "either",
        }
    }
}

/// How a pass is run. What it returns says whether it changed the function.
#[derive(Clone, Copy, Debug)]
pub enum Run {
    /// It takes nothing but the function.
    Function(fn(&mut Function) -> bool),
    /// It reads the module's constants or functions as well, and does nothing without a module.
    Module(fn(&mut Function, &Module) -> bool),
    /// It makes use of what the machine has.
    Machine(fn(&mut Function, &Machine) -> bool),
    /// It makes use of what the machine has, and asks for analyses.
    Costed(fn(&mut Function, &Machine, &mut Analyses) -> bool),
    /// It asks for analyses.
    Analyses(fn(&mut Function, &mut Analyses) -> bool),
    /// It makes use of what the machine has, asks for analyses, and notes what it decides.
    Planned(fn(&mut Function, &Machine, &mut Analyses, &mut Plan) -> bool),
    /// It knows the launch and its gangs, and does nothing without.
    Gang(fn(&mut Function, &mut Gang, &mut Analyses) -> bool),
}

/// A pass.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// Its name, for people and for `BROLGA_PASSES`.
    pub name: &'static str,
    /// Which functions it takes.
    pub level: Level,
    /// How it is run.
    pub run: Run,
    /// What it asks for; debug builds refuse it anything else.
    pub uses: AnalysisSet,
    /// What is still right after it has changed something. All else is forgotten; debug builds compute what is kept again, and compare.
    pub keeps: AnalysisSet,
    /// Later stages rely on the form that it establishes, so it can't be left out.
    pub is_required: bool,
    /// What it does, in one line.
    pub purpose: &'static str,
}

impl Pass {
    /// A pass that takes nothing but the function.
    pub const fn function(name: &'static str, level: Level, run: fn(&mut Function) -> bool, purpose: &'static str) -> Pass {
        Pass::new(name, level, Run::Function(run), purpose)
    }

    /// A pass that knows the launch.
    pub const fn gang(name: &'static str, run: fn(&mut Function, &mut Gang, &mut Analyses) -> bool, purpose: &'static str) -> Pass {
        Pass::new(name, Level::Gang, Run::Gang(run), purpose)
    }

    /// A pass that can be left out.
    pub const fn new(name: &'static str, level: Level, run: Run, purpose: &'static str) -> Pass {
        Pass {
            name,
            level,
            run,
            uses: AnalysisSet::empty(),
            keeps: AnalysisSet::empty(),
            is_required: false,
            purpose,
        }
    }

    /// The same, but later stages rely on it.
    pub const fn required(self) -> Pass {
        Pass { is_required: true, ..self }
    }

    /// The same, and it asks for these analyses.
    pub const fn uses(self, uses: AnalysisSet) -> Pass {
        Pass { uses, ..self }
    }

    /// The same, and these are still right after it.
    pub const fn keeps(self, keeps: AnalysisSet) -> Pass {
        Pass { keeps, ..self }
    }

    /// Does its work, with nothing around it. True if something changed.
    pub(crate) fn perform(&self, func: &mut Function, context: &mut Context) -> bool {
        match self.run {
            Run::Function(run) => run(func),
            Run::Module(run) => context.module.is_some_and(|module| run(func, module)),
            Run::Machine(run) => run(func, &context.machine),
            Run::Costed(run) => run(func, &context.machine, &mut context.analyses),
            Run::Analyses(run) => run(func, &mut context.analyses),
            Run::Planned(run) => {
                let mut unseen = Plan::default();
                let plan = context.gang.as_mut().map_or(&mut unseen, |gang| &mut gang.plan);
                run(func, &context.machine, &mut context.analyses, plan)
            }
            Run::Gang(run) => match &mut context.gang {
                Some(gang) => run(func, gang, &mut context.analyses),
                None => false,
            },
        }
    }
}
