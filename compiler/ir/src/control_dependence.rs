//! Which blocks are executed or not as some branches decide.
//!
//! A block depends on a branch that it can be reached from but that it does not post-dominate, directly or by other branches in between
//! (Ferrante, Ottenstein, Warren: The Program Dependence Graph and Its Use in Optimization, 1987).

use super::cfg::{Cfg, Loops, PostDominators};
use super::entities::Block;
use cranelift_entity::SecondaryMap;
use smallvec::SmallVec;
use std::ops::Index;

/// What follows a block.
pub type Successors = SmallVec<[Block; 2]>;

/// What follows each block within an iteration of the loops around it: what would iterate again leaves the loop instead.
///
/// A block that all come to in the end they may come to in different iterations: it depends on branches in this graph, not in the function's.
pub fn within_iterations(cfg: &Cfg, loops: &Loops) -> SecondaryMap<Block, Successors> {
    let mut follow = cfg.succs.to_lists();
    let mut outermost_first: Vec<usize> = (0..loops.loops.len()).collect();
    outermost_first.sort_by_key(|&index| loops.loops[index].depth);
    for index in outermost_first {
        let natural = &loops.loops[index];
        // What leads to the header of a loop around has been led on already.
        let mut exits: Successors = natural.blocks.iter().flat_map(|&block| follow[block].clone()).collect();
        exits.retain(|&mut block| !loops.contains(index, block));
        exits.sort_unstable();
        exits.dedup();
        for &latch in &natural.latches {
            let follow = &mut follow[latch];
            follow.retain(|&mut block| block != natural.header);
            follow.extend(exits.iter().copied());
        }
    }
    follow
}

/// The blocks that depend on a branch at the end of one of `parting`, where `succs` follow, as in `post`.
pub fn dependent<S>(parting: impl Iterator<Item = Block>, post: &PostDominators, succs: &S) -> SecondaryMap<Block, bool>
where
    S: Index<Block, Output: AsRef<[Block]>>,
{
    let mut depends: SecondaryMap<Block, bool> = SecondaryMap::new();
    // From blocks that are known to depend: the next one further up among the post-dominators that may not.
    let mut beyond: SecondaryMap<Block, Option<Block>> = SecondaryMap::new();
    let mut work: Vec<Block> = parting.collect();
    while let Some(block) = work.pop() {
        let meet = post.immediate(block);
        for &succ in succs[block].as_ref() {
            let mut passed = Vec::new();
            let mut at = Some(succ);
            while let Some(block) = at {
                if depends[block] {
                    passed.push(block);
                    at = beyond[block];
                    continue;
                }
                if !post.is_before(block, meet) {
                    break;
                }
                depends[block] = true;
                passed.push(block);
                work.push(block);
                at = post.immediate(block);
            }
            for block in passed {
                beyond[block] = at;
            }
        }
    }
    depends
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse_function;

    #[test]
    fn what_all_come_to_depends_on_nobody() {
        // Block 1 parts; its ways meet in 4, and a way within one of them branches as one.
        let func = parse_function(
            "
function workitem @f {
block0:
  v0 = builtin local_id 0
  v1 = const.i64 3
  v2 = icmp.eq v0, v1
  jump block1
block1:
  branch v2, block2, block4
block2:
  branch v2, block3, block4
block3:
  jump block4
block4:
  branch v2, block1, block5
block5:
  return
}",
        )
        .expect("IR");
        let cfg = Cfg::new(&func);
        let names = |post: &PostDominators, succs: &SecondaryMap<Block, Successors>, parts: u32| {
            let depends = dependent(cfg.order.iter().copied().filter(|block| block.as_u32() == parts), post, succs);
            let numbers = cfg.order.iter().filter(|&&block| depends[block]).map(|block| block.as_u32());
            let mut numbers: Vec<u32> = numbers.collect();
            numbers.sort_unstable();
            numbers
        };
        let post = PostDominators::new(&cfg);
        let succs = cfg.succs.to_lists();
        assert_eq!(names(&post, &succs, 1), [2, 3]);
        assert_eq!(names(&post, &succs, 2), [3]);
        // What iterates again comes to all of the loop.
        assert_eq!(names(&post, &succs, 4), [1, 2, 3, 4]);
        let loops = Loops::new(&cfg);
        let follow = within_iterations(&cfg, &loops);
        assert_eq!(names(&PostDominators::over(&cfg, &follow), &follow, 4), [0; 0]);
        // What ends has nothing behind it.
        let mut ends = cfg.succs.to_lists();
        ends[Block::from_u32(3)].clear();
        assert_eq!(names(&PostDominators::over(&cfg, &ends), &ends, 2), [1, 2, 3, 4, 5]);
    }

    #[test]
    fn what_iterates_first_comes_in_another_iteration() {
        let func = parse_function(
            "
function workitem @f {
block0:
  v0 = builtin local_id 0
  v1 = const.i64 3
  v2 = icmp.eq v0, v1
  jump block1
block1:
  branch v2, block2, block3
block2:
  jump block1
block3:
  branch v2, block4, block5
block4:
  jump block1
block5:
  return
}",
        )
        .expect("IR");
        let cfg = Cfg::new(&func);
        let loops = Loops::new(&cfg);
        let follow = within_iterations(&cfg, &loops);
        let depends = |succs: &SecondaryMap<Block, Successors>| {
            let post = PostDominators::over(&cfg, succs);
            dependent(std::iter::once(Block::from_u32(1)), &post, succs)[Block::from_u32(3)]
        };
        assert!(!depends(&cfg.succs.to_lists()) && depends(&follow));
    }
}
