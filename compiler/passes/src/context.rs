//! What passes may ask beside the function.

use crate::{Plan, Settings};
use analysis::access::tables::Tables;
use analysis::no_wrap::NoWrap;
use analysis::uniformity::Extent;
use analysis::{Analyses, GangFacts};
use cranelift_entity::SecondaryMap;
use interface::LaunchFacts;
use ir::{AliasSet, Inst, Module, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use target::Machine;

/// What passes may ask beside the function.
#[derive(Debug)]
pub struct Context<'a> {
    /// What the function is from.
    pub module: Option<&'a Module>,
    /// The launch that code is made for, once that is known.
    pub gang: Option<Gang<'a>>,
    /// The machine that code is made for.
    pub machine: Machine,
    /// What is known of the function. (A context is for one function.)
    pub analyses: Analyses,
    /// What is done besides running the passes.
    pub settings: &'a Settings,
}

impl<'a> Context<'a> {
    /// Before a launch is known.
    pub fn new(module: Option<&'a Module>) -> Context<'a> {
        Context {
            module,
            gang: None,
            machine: Machine::of_process(),
            analyses: Analyses::default(),
            settings: Settings::of_process(),
        }
    }

    /// For a launch.
    pub fn for_launch(module: Option<&'a Module>, mut gang: Gang<'a>) -> Context<'a> {
        // What a kernel calls has the facts of the kernel, and those of the module are found once.
        if gang.facts.tables.is_none() {
            gang.facts.tables = module.map(|module| Arc::new(Tables::of(module, &gang.machine)));
        }
        Context {
            machine: gang.machine,
            gang: Some(gang),
            ..Context::new(module)
        }
    }
}

/// A launch and its gangs, and what passes on the way to a work-group's function tell those behind them.
#[derive(Debug)]
pub struct Gang<'a> {
    /// The launch.
    pub launch: &'a LaunchFacts,
    /// The gangs. Passes may change the width.
    pub facts: GangFacts,
    /// The machine that code is made for.
    pub machine: Machine,
    /// Bytes of the kernel's variables in local memory, which are each work-item's own where groups of one are joined.
    pub local_bytes: u64,
    /// By offset: alias sets for the arguments that point to buffers, where these don't overlap and it is worth knowing.
    pub own_sets: Option<&'a FxHashMap<i32, AliasSet>>,
    /// Indices of which the launch tells whether they wrap, if the function is as it was when they were found.
    pub no_wrap: Option<&'a NoWrap>,
    /// So many gangs at once where that can be done, instead of what pays.
    pub gangs_at_once: Option<u32>,
    /// Arguments or what memory they point to have become known, of which passes over work-items' functions make use.
    pub knows_arguments: bool,
    /// Accesses to records that may stay as they are in memory.
    pub records: FxHashSet<Inst>,
    /// Once vectorized, for each scalar that is not the gang's own affair: the same for the group, or the launch.
    pub shared: SecondaryMap<Value, Extent>,
    /// Once the group is formed: bytes of a gang's frame.
    pub frame_bytes: u64,
    /// What passes have decided, and why.
    pub plan: Plan,
    /// Why the function can't be vectorized at this width.
    pub unsuited: Option<String>,
}

impl<'a> Gang<'a> {
    /// A launch of which the function has not been told yet.
    pub fn new(launch: &'a LaunchFacts, facts: GangFacts, machine: Machine) -> Gang<'a> {
        Gang {
            launch,
            facts,
            machine,
            local_bytes: 0,
            own_sets: None,
            no_wrap: None,
            gangs_at_once: None,
            knows_arguments: false,
            records: FxHashSet::default(),
            shared: SecondaryMap::with_default(Extent::Gang),
            frame_bytes: 0,
            plan: Plan::of_process(),
            unsuited: None,
        }
    }
}
