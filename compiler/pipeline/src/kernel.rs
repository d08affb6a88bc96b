//! Kernels of a program, and their compilation for launches.

use crate::no_wrap::LastAnswer;
use crate::pipeline::{FormRequest, Formed, WorkItem};
use crate::program::Linked;
use crate::rent::{Offer, Rent};
use crate::unfolded::Unfolded;
use crate::variants::{Choice, Key, Variants};
use crate::{ArgumentFacts, ArgumentKind, BuildError, BuildErrorKind, Checks, KernelInfo, LaunchFacts};
use analysis::GangShape;
use analysis::no_wrap;
use device::abi::{KernelEntry, KernelNeeds};
use device::blocks::stocked;
use device::launch::Cost;
use device::lock::Lock;
use interface::LocalSize;
use ir::VARIABLE_SETS;
use ir::{self, FuncRef, Function};
use once_cell::race::OnceBox;
use once_cell::sync::OnceCell;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use transform::Inlining;
use transform::check::{SITE_BITS, Site};
use transform::expand_work_group_ops::Scratch;
use transform::global_ids::Sizes;
use vectorize::AccessOrder;

/// No more variants are made for images and samplers of particular kinds; launches with still others run code that takes any.
const VARIANTS_FOR_IMAGES: usize = 128;

/// A row of so many work-items is long: what its neighbours along y access is elsewhere.
const LONG_ROW: u64 = 256;

/// Launches of so many work-items take long enough for what it takes to compile code once more: of loops, …
const ITEMS_WITH_LOOPS: u64 = 1 << 9;
/// … and without any.
const ITEMS_WITHOUT: u64 = 1 << 16;

/// Groups that a launch is better cut into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherGroups {
    /// Long rows along x.
    Rows,
    /// Of about the shape that was asked for, in rows that leave no lane without a work-item.
    Blocks,
}

/// Work-items that a work-group may have (CL_DEVICE_MAX_WORK_GROUP_SIZE).
pub const MAX_WORK_GROUP_SIZE: u64 = vendors::limits::WORK_GROUP_SIZE as u64;

/// A kernel of a program.
#[derive(Debug)]
pub struct Kernel {
    /// What is known of it.
    pub info: KernelInfo,
    program: Arc<Linked>,
    function: FuncRef,
    /// A block, which kernels enqueue.
    is_block: bool,
    /// One for launches along more dimensions than are asked for ([`crate::unfolded`]).
    pub(crate) is_unfolded: bool,
    /// That one, and the same for launches whose groups are whole.
    unfolded: [OnceCell<Option<Box<Unfolded>>>; 2],
    /// Optimized, at the work-item level.
    work_item: OnceCell<WorkItem>,
    variants: Lock<Variants>,
    last_answer: LastAnswer,
    /// How many variants were made for images and samplers of particular kinds.
    for_images: AtomicUsize,
    /// What launches take as groups of one, before they are joined.
    alone: Rent,
}

/// A kernel whose ids and dimensions are those of a launch as it is run.
#[derive(Clone, Copy)]
pub struct AsRun<'a> {
    kernel: &'a Kernel,
    work_item: &'a WorkItem,
}

impl Deref for AsRun<'_> {
    type Target = Kernel;

    fn deref(&self) -> &Kernel {
        self.kernel
    }
}

impl<'a> AsRun<'a> {
    /// Instructions of a work-item, if these are straight code, and it can't tell which group it is in.
    pub fn straight_instructions(&self) -> Option<u64> {
        let work_item = self.work_item;
        let is_straight = work_item.knows_no_groups && !work_item.has_loops();
        is_straight.then(|| work_item.func.inst_count() as u64)
    }

    /// A launch of so many work-items, of which no group is whole gangs, gains by groups that are, and code of their own for those that the end cuts off; and no
    /// work-item can tell.
    pub fn gains_by_edges(&self, items: u64) -> bool {
        let enough = match self.work_item.has_loops() {
            true => ITEMS_WITH_LOOPS,
            false => ITEMS_WITHOUT,
        };
        self.knows_no_groups() && items >= enough
    }

    /// A work-item's function, if what it calls knows no ids.
    pub(crate) fn without_ids_in_calls(&self) -> Option<&'a Function> {
        let callees = self.kernel.work_item();
        callees.callees_know_no_ids(&self.program.module).then_some(&self.work_item.func)
    }

    /// With x and a dimension exchanged ([`LaunchFacts::exchanged`]).
    pub fn exchanged(&self) -> Option<(u8, AsRun<'a>)> {
        let exchanged = || self.work_item.exchanged(&self.kernel.program.module);
        let can_be = self.knows_no_groups() && self.checks().is_empty();
        let (dimension, work_item) = can_be.then(exchanged)??;
        Some((dimension, AsRun { work_item, ..*self }))
    }

    /// Launches can be cut into any groups: no work-item can tell.
    pub fn knows_no_groups(&self) -> bool {
        let work_item = self.work_item;
        work_item.knows_no_groups && !work_item.spins && self.info.fixed_sub_group_size().is_none()
    }

    /// Whether [`LaunchFacts::ends_overlap`] may be set for launches whose buffers don't overlap: a work-item that runs twice does what it does once.
    pub fn is_idempotent(&self) -> bool {
        // An image is an argument to be read or to be written, and to be both only where it says so.
        let is_both = |kind: ArgumentKind| {
            matches!(
                kind,
                ArgumentKind::Image {
                    read: true,
                    write: true,
                    ..
                }
            )
        };
        let writes_images = !self.info.arguments.iter().any(|argument| is_both(argument.kind));
        self.knows_no_groups() && self.checks().is_empty() && self.work_item.is_idempotent(|| self.own_sets(), writes_images)
    }

    /// Where neighbours access memory.
    pub(crate) fn access_order(&self) -> AccessOrder {
        self.work_item.access_order()
    }

    /// The dimension along which work-items go on in the lines that neighbours along x have to themselves.
    pub fn columns(&self) -> Option<u8> {
        match self.access_order() {
            AccessOrder::Columns(dimension) => Some(dimension),
            _ => None,
        }
    }

    /// Of a launch of this size without an offset, whose ids fit 31 bits: the size without work-items that do nothing, as far as the arguments in the block tell.
    pub fn without_idle(&self, global: [u64; 3], arguments: &[u8]) -> [u64; 3] {
        let mut size = global;
        for bound in self.work_item.id_bounds() {
            if let Some(ids) = bound.ids(arguments) {
                let along = &mut size[usize::from(bound.dimension)];
                *along = ids.min(*along);
            }
        }
        size
    }

    /// Whether it matters to its code that gangs start at multiples of their width.
    pub fn takes_ids_apart(&self) -> bool {
        self.work_item.takes_ids_apart()
    }

    /// Tiles of work-items, of several rows, load less than rows do, and no work-item can tell which group it is in.
    pub fn in_tiles(&self) -> bool {
        self.knows_no_groups() && self.work_item.in_tiles()
    }

    /// The groups that a launch can be cut into instead of those of `local_size`, if it would gain by it and no work-item could tell.
    pub fn other_groups(&self, local_size: [u64; 3], global_size: [u64; 3]) -> Option<OtherGroups> {
        if !self.knows_no_groups() {
            return None;
        }
        let shape = self.gang_shape(local_size);
        let items: u64 = local_size.iter().product();
        let lanes = items.next_multiple_of(u64::from(shape.width));
        let idle = shape.width < preferred_gang_width() || 5 * items < 4 * lanes;
        let is_row = local_size[0] == items;
        let rows = local_size[0] < LONG_ROW && !is_row;
        let short = local_size[0] < LONG_ROW && is_row && local_size[0] < global_size[0];
        let over_ends = shape.layout == analysis::Layout::Linear;
        match self.access_order() {
            AccessOrder::Streaming if idle || rows || short => Some(OtherGroups::Rows),
            AccessOrder::InOrder if short => Some(OtherGroups::Rows),
            // There is nothing but rows.
            _ if short && global_size[1..] == [1, 1] => Some(OtherGroups::Rows),
            AccessOrder::InOrder if idle => Some(OtherGroups::Blocks),
            _ => over_ends.then_some(OtherGroups::Blocks),
        }
    }
}

/// Machine code for a kernel under [`LaunchFacts`]. The code lives as long as this value.
#[derive(Debug)]
pub struct Variant {
    /// Where it starts.
    pub entry: KernelEntry,
    /// What it needs of a worker.
    pub needs: KernelNeeds,
    /// It serves launches with many local sizes; for those of this one, [`Kernel::variant`] may come to give another.
    pub is_shared: bool,
    /// Nanoseconds that it took to compile.
    took: u64,
    /// What has been learned of launches with these local sizes.
    costs: Lock<Costs>,
    _code: codegen::CompiledCode,
}

/// By local size.
type Costs = SmallVec<[(LocalSize, Arc<Cost>); 1]>;

/// Of so many local sizes it is known what launches cost.
const COSTS: usize = 8;

impl Variant {
    /// What launches with a local size cost: known to all kernel objects that are made of the kernel, since programs make one for each launch.
    pub fn cost(&self, local_size: &LocalSize) -> Arc<Cost> {
        let mut costs = self.costs.lock();
        if let Some((_, cost)) = costs.iter().find(|(known, _)| known == local_size) {
            return cost.clone();
        }
        if costs.len() == COSTS {
            costs.remove(0);
        }
        let cost = Arc::<Cost>::default();
        costs.push((*local_size, cost.clone()));
        cost
    }
}

impl Kernel {
    pub(crate) fn new(info: KernelInfo, program: Arc<Linked>, function: FuncRef, is_block: bool) -> Kernel {
        Kernel {
            info,
            program,
            function,
            is_block,
            is_unfolded: false,
            unfolded: Default::default(),
            work_item: OnceCell::new(),
            variants: Lock::default(),
            last_answer: LastAnswer::default(),
            for_images: AtomicUsize::new(0),
            alone: Rent::default(),
        }
    }

    /// The kernel with another function, which knows no groups.
    pub(crate) fn with_function(&self, func: Function) -> Kernel {
        let info = KernelInfo {
            required_local_size: None,
            local_size_hint: None,
            ..self.info.clone()
        };
        Kernel {
            is_unfolded: true,
            unfolded: [(); 2].map(|()| OnceCell::with_value(None)),
            work_item: OnceCell::with_value(self.work_item().with_function(&self.program.module, func)),
            ..Kernel::new(info, self.program.clone(), self.function, false)
        }
    }

    /// The kernel for launches along more dimensions than are asked for, if there is one; `whole` is what the launch makes of it, if all groups are
    /// ([`Kernel::with_global_ids`]).
    pub(crate) fn unfolded(&self, whole: Option<AsRun>) -> Option<&Unfolded> {
        let as_it_is = self.as_run();
        let other = whole.filter(|as_run| !std::ptr::eq(as_run.work_item, as_it_is.work_item));
        let (unfolded, as_run) = match other {
            Some(as_run) => (&self.unfolded[1], as_run),
            None => (&self.unfolded[0], as_it_is),
        };
        unfolded.get_or_init(|| Unfolded::of(&as_run)).as_deref()
    }

    /// Machine code for a launch; compiled now if no launch like it came before.
    ///
    /// Two threads that ask for the same new variant at once may both compile it; one of the two is kept.
    pub fn variant(&self, facts: &LaunchFacts) -> Result<Arc<Variant>, BuildError> {
        let wanted = Key {
            shape: self.shape(facts),
            facts: facts.clone(),
        };
        let key = match self.variants.lock().choose(wanted) {
            Choice::Kept(found) => return Ok(found),
            Choice::ToCompile(key) => key,
        };
        if !key.facts.arguments.is_empty() && self.for_images.fetch_add(1, Ordering::Relaxed) >= VARIANTS_FOR_IMAGES {
            return self.variant(&LaunchFacts {
                arguments: ArgumentFacts::default(),
                ..facts.clone()
            });
        }
        let variant = debug::timed(format_args!("variant of {} for {:?}", self.info.name, key.facts), || {
            stocked(|| self.compile(&key))
        })?;
        Ok(self.variants.lock().keep(key, Arc::new(variant)))
    }

    /// The shape of a launch's gangs. Where the local size is not known, there is no shape yet: the widest it could be.
    fn shape(&self, facts: &LaunchFacts) -> GangShape {
        self.gang_shape(facts.local_size.most())
    }

    /// Work-items that a work-group of it may have (CL_KERNEL_WORK_GROUP_SIZE).
    pub fn max_work_group_size(&self) -> u64 {
        self.info
            .required_local_size
            .map_or(MAX_WORK_GROUP_SIZE, |size| size.iter().product())
    }

    /// A work-group of it may have this size: work-items, but no more than fit; the size and the number of sub-groups that it requires; and whole
    /// sub-groups, where matrices are spread over them.
    pub fn takes_local_size(&self, local_size: [u64; 3]) -> bool {
        let items = local_size.iter().fold(1, |items: u64, &axis| items.saturating_mul(axis));
        let sub_groups = || items.div_ceil(u64::from(self.gang_width(local_size)).max(1));
        (1..=self.max_work_group_size()).contains(&items)
            && self.info.required_local_size.is_none_or(|required| required == local_size)
            && self.info.sub_groups_per_group.is_none_or(|count| u64::from(count) == sub_groups())
            && self.info.matrix_sub_group_size.is_none_or(|size| items.is_multiple_of(size.into()))
    }

    /// The widest gang that it is run with (CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE).
    pub fn preferred_multiple(&self) -> u32 {
        self.gang_width(self.info.required_local_size.unwrap_or([MAX_WORK_GROUP_SIZE, 1, 1]))
    }

    /// Sub-groups that a work-group of it may have (CL_KERNEL_MAX_NUM_SUB_GROUPS).
    pub fn max_sub_groups(&self) -> u64 {
        self.max_work_group_size().div_ceil(u64::from(self.preferred_multiple()).max(1))
    }

    /// The sub-group size (gang width) of a launch with this local size: the one place that decides it.
    pub fn gang_width(&self, local_size: [u64; 3]) -> u32 {
        self.gang_shape(local_size).width
    }

    fn gang_shape(&self, local_size: [u64; 3]) -> GangShape {
        let required = self.info.fixed_sub_group_size();
        let preferred = if required.is_none() && self.work_item().spins {
            1
        } else {
            preferred_gang_width()
        };
        analysis::gang_shape(required, preferred, local_size)
    }

    /// What it is checked for while it runs.
    pub fn checks(&self) -> Checks {
        let checks = self.program.options.checks;
        // Nobody says what the pointers lead to that a block has captured.
        if self.is_block { checks - Checks::GLOBAL_RACES } else { checks }
    }

    /// What a check has reported, by its key in [`device::findings::Findings`], and the other place of a race.
    pub fn sites(&self, key: u64) -> Option<(Site, Option<Site>)> {
        let mut site = self.site(key as u32)?;
        let upper = (key >> 32) as u32;
        if site.callee.is_some() {
            self.work_item().callers.tell(&mut site, upper);
            return Some((site, None));
        }
        Some((site, upper.checked_sub(1).and_then(|number| self.site(number))))
    }

    fn site(&self, number: u32) -> Option<Site> {
        let (sites, handed_on) = (&self.work_item().sites, &self.work_item().handed_on);
        if handed_on.is_empty() {
            return sites.get(number as usize).cloned();
        }
        let (object, site) = (number >> SITE_BITS, number & ((1 << SITE_BITS) - 1));
        let object = handed_on.get(object as usize)?;
        Some(sites.get(site as usize)?.with_handed_on(object))
    }

    /// Bytes that checks need for each 16 bytes of a buffer, to tell who accesses it.
    pub fn words(&self) -> u64 {
        if self.checks().contains(Checks::GLOBAL_RACES) {
            self.work_item().words
        } else {
            0
        }
    }

    /// Launches are run in the groups that they ask for, whatever lanes those leave idle. Of a kernel with checks: it would be without them.
    pub fn keeps_groups(&self) -> bool {
        !self.work_item().knows_no_groups_unchecked
    }

    /// Bytes that checks need behind an argument that is local memory, for each [`interface::checks::SHADOW_ALIGN`] bytes of it.
    pub fn shadows(&self) -> u64 {
        self.work_item().shadows
    }

    /// Whether [`ArgumentFacts::set_separate`] would make a difference.
    pub fn wants_separate(&self) -> bool {
        self.work_item().wants_separate
    }

    /// The arguments for which [`ArgumentFacts::add_one`] would make a difference: where they are in the argument block, and their bytes.
    pub fn strides(&self) -> &[(u32, u32)] {
        &self.work_item().strides
    }

    /// [`ArgumentFacts::no_wrap`] of a launch of these sizes, with the arguments in the block.
    pub fn no_wrap(&self, sizes: &no_wrap::Sizes, block: &[u8]) -> u64 {
        self.last_answer.holds(&self.work_item().no_wrap, sizes, block)
    }

    /// Whether [`LaunchFacts::groups_of_one`] may be set: work-items that are groups by themselves can stand in one gang, and gain by it.
    pub fn groups_of_one_can_join(&self) -> bool {
        let work_item = self.work_item();
        !work_item.spins && self.info.fixed_sub_group_size() != Some(1) && work_item.groups_of_one_can_join(&self.program.module)
    }

    /// A launch of so many groups of one work-item is better run as such, on so many compute units, by code that is there, than joined, by code that is yet to be
    /// compiled. (Not in reproducible mode, which looks at no clock.)
    pub fn is_quicker_alone(&self, groups: u64, units: u64) -> bool {
        if self.alone.is_over() || target::reproducible() {
            return false;
        }
        let known = self.variants.lock().of_size([1; 3]);
        self.alone.takes(known.and_then(|known| {
            let cost = known.cost(&LocalSize::Exactly([1; 3]));
            Some(Offer {
                launch: cost.of(groups)? / units,
                compiled_in: known.took,
            })
        }))
    }

    /// As it is.
    pub fn as_run(&self) -> AsRun<'_> {
        AsRun {
            kernel: self,
            work_item: self.work_item(),
        }
    }

    /// It may read of its group what global ids are made of.
    pub fn may_make_global_ids(&self) -> bool {
        self.work_item().reads_both_ids && self.checks().is_empty()
    }

    /// As it is in launches whose groups are whole, of a local size, if that may make a difference; and what such launches tell of it
    /// ([`LaunchFacts::whole_groups`]). Only where [`Kernel::may_make_global_ids`].
    pub fn with_global_ids(&self, local_size: [u64; 3]) -> Option<([u64; 3], AsRun<'_>)> {
        let as_it_is = self.as_run();
        let fits = |sizes: &Sizes| {
            sizes
                .iter()
                .zip(local_size)
                .all(|(size, asked)| size.is_none_or(|size| size == asked))
        };
        let (sizes, work_item) = as_it_is.work_item.with_global_ids(&self.program.module)?;
        Some(match fits(sizes) {
            true => (sizes.map(|size| size.unwrap_or(0)), AsRun { work_item, ..as_it_is }),
            false => ([0; 3], as_it_is),
        })
    }

    /// What is in local memory is known before the launch, it is the kernel's alone, and nothing is promised of it.
    fn has_own_local(&self, checks: Checks) -> bool {
        let is_local = |kind: ArgumentKind| kind == ArgumentKind::LocalPointer;
        checks.is_empty() && !self.program.options.initialize_local && !self.info.arguments.iter().any(|argument| is_local(argument.kind))
    }

    /// By offset: alias sets for the arguments that point to buffers, which nothing else has.
    fn own_sets(&self) -> FxHashMap<i32, ir::AliasSet> {
        let pointers = self
            .info
            .arguments
            .iter()
            .filter(|argument| argument.kind == ArgumentKind::GlobalPointer { constant: false });
        let sets = (0..VARIABLE_SETS).rev().zip(pointers);
        sets.map(|(set, argument)| (argument.offset as i32, set)).collect()
    }

    fn work_item(&self) -> &WorkItem {
        self.work_item.get_or_init(|| {
            let scratch = Scratch {
                offset: self.info.local_bytes.next_multiple_of(8),
                max_items: MAX_WORK_GROUP_SIZE,
            };
            let (module, checks) = (&self.program.module, self.checks());
            let prepare = || match checks.is_empty() {
                true => WorkItem::new(module, self.function, scratch, Inlining::WhatPays),
                false => WorkItem::checked(module, self.function, scratch, &self.info, checks),
            };
            let mut work_item = debug::timed(format_args!("passes over {}", self.info.name), || stocked(prepare));
            work_item.own_local_bytes = match self.has_own_local(checks) {
                true => self.info.local_bytes.max(work_item.local_bytes),
                false => 0,
            };
            debug::show("ir", format_args!("{} for a work-item", self.info.name), || {
                work_item.func.to_string()
            });
            work_item
        })
    }

    /// The kernel at the work-group level, as a launch runs it.
    pub fn work_group_code(&self, facts: &LaunchFacts) -> Result<Function, BuildError> {
        let shape = self.shape(facts);
        let facts = facts.clone();
        Ok(self.form(&Key { shape, facts })?.group.func)
    }

    fn form(&self, key: &Key) -> Result<Formed, BuildError> {
        let own_sets = self.own_sets();
        let request = FormRequest {
            module: &self.program.module,
            name: &self.info.name,
            shape: key.shape,
            launch: &key.facts,
            own_sets: &own_sets,
            gangs_at_once: None,
        };
        self.work_item().form(&request).map_err(|error| self.refuse(&error.0))
    }

    fn compile(&self, key: &Key) -> Result<Variant, BuildError> {
        let began = Instant::now();
        let name = &self.info.name;
        let Formed { width, group, callees } = self.form(key)?;
        let request = codegen::CodeRequest {
            name,
            entry: &group.func,
            callees: &|callee| callees.get(&callee),
            global_address: &|global| self.program.global_address(global),
            places: &self.program.module.places,
            arguments: &self.info.arguments,
            optimize: !self.program.options.optimizations_disabled,
        };
        let code = debug::timed("  code", || codegen::compile(&request)).map_err(|error| self.refuse(&error))?;
        let needs = KernelNeeds {
            gang_width: width,
            local_bytes: self.info.local_bytes.max(self.work_item().local_bytes),
            frame_bytes: group.frame_bytes,
            stack_bytes: code.stack_bytes,
            flush_subnormals: self.info.flush_subnormals,
            in_order: self.program.options.reproducible && analysis::depends_on_group_order(&self.program.module, self.function),
        };
        Ok(Variant {
            entry: code.entry,
            needs,
            is_shared: !key.is_for_one_size(),
            took: began.elapsed().as_nanos() as u64,
            costs: Lock::default(),
            _code: code,
        })
    }

    /// The kernel in the IR, one work-item's view: its program, and which function of it.
    pub fn work_item_code(&self) -> (&ir::Module, FuncRef) {
        (&self.program.module, self.function)
    }

    fn refuse(&self, why: &str) -> BuildError {
        BuildError {
            kind: BuildErrorKind::Invalid,
            log: format!("error: the kernel '{}' could not be compiled: {why}\n", self.info.name),
        }
    }
}

/// Lanes of a gang where nothing else decides: the back end's choice, or `BROLGA_GANG_WIDTH` (but not in reproducible mode, where it is one everywhere).
pub fn preferred_gang_width() -> u32 {
    static WIDTH: OnceBox<u32> = OnceBox::new();
    *WIDTH.get_or_init(|| {
        let asked = std::env::var("BROLGA_GANG_WIDTH").ok().and_then(|text| text.parse().ok());
        let asked = asked.filter(|width| analysis::WIDTHS.contains(width) && !target::reproducible());
        Box::new(asked.unwrap_or_else(|| target::Machine::of_process().gang_width))
    })
}
