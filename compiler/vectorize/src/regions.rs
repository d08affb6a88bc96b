//! The pieces that barriers cut a gang's function into.
//!
//! A *marker* is the entry or the point behind a barrier. The region of a marker is what can be executed from there on without crossing
//! a barrier; it ends at other markers or at the return. Regions may share blocks: each gets its own copy. Where all gangs of a group
//! leave a region by the same exit (returns aside: gangs that return retire), a region is a loop over gangs, and the group goes from region
//! to region. Where that is not proven, or the copies would be too large, each gang remembers where it stands instead.

use super::vectorize::GangFunction;
use analysis::uniformity::Extent;
use cranelift_entity::SecondaryMap;
use ir::cfg::{Cfg, PostDominators, reverse_postorder};
use ir::control_dependence::dependent;
use ir::*;
use smallvec::SmallVec;
use target::costs::code_size::{REGIONS, REGIONS_OF_FUNCTION};

/// A marker: its number is its index in [`Regions::markers`].
pub type Marker = usize;

/// What follows a marker up to the next ones.
#[derive(Clone, Debug)]
pub struct Region {
    /// Its blocks, in reverse postorder of the function.
    pub blocks: Vec<Block>,
    /// Markers that it ends at, in ascending order.
    pub exits: Vec<Marker>,
    /// Some path in it returns.
    pub returns: bool,
}

/// All regions of a function.
#[derive(Clone, Debug)]
pub struct Regions {
    /// The block that starts each marker; the first is the entry.
    pub markers: Vec<Block>,
    /// By block that ends in a barrier: the marker behind it.
    pub barriers: SecondaryMap<Block, Option<Marker>>,
    /// By marker.
    pub regions: Vec<Region>,
    /// Gangs may retire while others go on.
    pub gangs_retire: bool,
    /// All gangs leave each region by the same exit.
    pub in_step: bool,
}

impl Regions {
    /// Cuts blocks behind barriers of the work-group, drops all other barriers, and finds the regions.
    pub fn new(gang: &mut GangFunction, single_gang: bool) -> Regions {
        let mut barriers: SecondaryMap<Block, Option<Marker>> = SecondaryMap::new();
        let mut markers = vec![gang.func.entry()];
        cut(&mut gang.func, single_gang, &mut markers, &mut barriers);
        if markers.len() == 1 {
            return Regions::without_barriers(&gang.func);
        }
        let cfg = Cfg::new(&gang.func);
        let regions: Vec<Region> = markers.iter().map(|&marker| region(&gang.func, &cfg, &barriers, marker)).collect();
        let mut this = Regions {
            markers,
            barriers,
            regions,
            gangs_retire: false,
            in_step: true,
        };
        this.check(gang, &cfg);
        this
    }

    /// One region, which all gangs return from.
    fn without_barriers(func: &Function) -> Regions {
        let blocks = reverse_postorder(func);
        let returns = blocks
            .iter()
            .any(|&block| matches!(func.terminator(block), InstData::Return { .. }));
        Regions {
            markers: vec![func.entry()],
            barriers: SecondaryMap::new(),
            regions: vec![Region {
                blocks,
                exits: Vec::new(),
                returns,
            }],
            gangs_retire: false,
            in_step: true,
        }
    }

    fn check(&mut self, gang: &GangFunction, cfg: &Cfg) {
        let func = &gang.func;
        let size: usize = self.regions.iter().map(|region| count(func, &region.blocks)).sum();
        if size > REGIONS_OF_FUNCTION * func.inst_count() + REGIONS {
            self.in_step = false;
        }
        let mut until_barrier = cfg.succs.to_lists();
        let barriers = cfg.order.iter().copied().filter(|&block| self.barriers[block].is_some());
        barriers.for_each(|block| until_barrier[block].clear());
        let post = PostDominators::over(cfg, &until_barrier);
        let varies = |value: Value| gang.shared[value] > Extent::Group && func.constant(value).is_none();
        let parts = |block: Block| func.terminator(block).decider().is_some_and(varies);
        // Where gangs part and meet again before the region's end, they leave it by the same exit.
        let apart = dependent(cfg.order.iter().copied().filter(|&block| parts(block)), &post, &until_barrier);
        for region in &self.regions {
            let mut exits: SmallVec<[Marker; 4]> = SmallVec::new();
            let mut returns = false;
            for &block in region.blocks.iter().filter(|&&block| apart[block]) {
                exits.extend(self.barriers[block]);
                returns |= matches!(func.terminator(block), InstData::Return { .. });
            }
            exits.sort_unstable();
            exits.dedup();
            self.gangs_retire |= returns && !region.exits.is_empty();
            self.in_step &= exits.len() < 2;
        }
    }
}

fn count(func: &Function, blocks: &[Block]) -> usize {
    blocks.iter().map(|&block| func.block(block).insts.len()).sum()
}

/// Ends blocks at barriers of the work-group, and drops the others.
fn cut(func: &mut Function, single_gang: bool, markers: &mut Vec<Block>, barriers: &mut SecondaryMap<Block, Option<Marker>>) {
    let is_barrier = |inst: Inst| matches!(func.inst(inst).data, InstData::Barrier { .. });
    if !func.insts().any(is_barrier) {
        return;
    }
    let mut layout = Vec::with_capacity(func.layout.len());
    for mut block in std::mem::take(&mut func.layout) {
        layout.push(block);
        for inst in func.take_insts(block) {
            match func.inst(inst).data {
                InstData::Barrier { execution, .. } if execution > Scope::SubGroup && !single_gang => {
                    let rest = func.add_detached_block();
                    let target = BlockCall::new(rest, &[]);
                    func.append(block, InstData::Jump { target }, Flags::empty());
                    barriers[block] = Some(markers.len());
                    markers.push(rest);
                    layout.push(rest);
                    block = rest;
                }
                InstData::Barrier { .. } => {}
                _ => func.block_mut(block).insts.push(inst),
            }
        }
    }
    func.layout = layout;
}

fn region(func: &Function, cfg: &Cfg, barriers: &SecondaryMap<Block, Option<Marker>>, marker: Block) -> Region {
    let mut seen: rustc_hash::FxHashSet<Block> = Default::default();
    let mut region = Region {
        blocks: Vec::new(),
        exits: Vec::new(),
        returns: false,
    };
    let mut work = vec![marker];
    while let Some(block) = work.pop() {
        if !seen.insert(block) {
            continue;
        }
        region.blocks.push(block);
        if let Some(exit) = barriers[block] {
            region.exits.push(exit);
            continue;
        }
        region.returns |= matches!(func.terminator(block), InstData::Return { .. });
        work.extend(func.successors(block));
    }
    region.exits.sort_unstable();
    region.exits.dedup();
    region.blocks.sort_by_key(|&block| cfg.position[block]);
    region
}
