//! Which blocks are executed or not as some branches decide.
//!
//! A block depends on a branch that it can be reached from but that it does not post-dominate, directly or by other branches in between
//! (Ferrante, Ottenstein, Warren: The Program Dependence Graph and Its Use in Optimization, 1987).

use super::cfg::{Cfg, PostDominators};
use super::entities::Block;
use super::function::Function;
use cranelift_entity::SecondaryMap;

/// The blocks that depend on a branch at the end of a block for which `parts` holds. Nothing follows a block for which `ends` holds, as
/// `post` must have been told.
pub fn dependent(
    func: &Function,
    cfg: &Cfg,
    post: &PostDominators,
    ends: impl Fn(Block) -> bool,
    parts: impl Fn(Block) -> bool,
) -> SecondaryMap<Block, bool> {
    let mut depends: SecondaryMap<Block, bool> = SecondaryMap::new();
    // From blocks that are known to depend: the next one further up among the post-dominators that may not.
    let mut beyond: SecondaryMap<Block, Option<Block>> = SecondaryMap::new();
    let mut work: Vec<Block> = cfg.order.iter().copied().filter(|&block| parts(block)).collect();
    while let Some(block) = work.pop() {
        if ends(block) {
            continue;
        }
        let meet = post.immediate(block);
        for succ in func.successors(block) {
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
    use crate::ir::parse::parse_function;

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
        let post = PostDominators::new(&func, &cfg);
        let names = |parts: u32| {
            let depends = dependent(&func, &cfg, &post, |_| false, |block| block.as_u32() == parts);
            let numbers = cfg.order.iter().filter(|&&block| depends[block]).map(|block| block.as_u32());
            let mut numbers: Vec<u32> = numbers.collect();
            numbers.sort_unstable();
            numbers
        };
        assert_eq!(names(1), [2, 3]);
        assert_eq!(names(2), [3]);
        // Who goes round again comes to all of the loop.
        assert_eq!(names(4), [1, 2, 3, 4]);
        // What ends has nothing behind it.
        let ends = |block: Block| block.as_u32() == 3;
        let post = PostDominators::ending(&func, &cfg, ends);
        let depends = dependent(&func, &cfg, &post, ends, |block| block.as_u32() == 2);
        assert!(depends[Block::from_u32(4)] && depends[Block::from_u32(5)]);
    }
}
