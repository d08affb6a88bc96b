//! Stores to large buffers go past the caches.
//!
//! A line that is written in full need not be read before, and what does not fit into the caches should not push out what does. The
//! launch says which buffers are so large ([`ArgumentFact::Large`]). Their stores are marked as non-temporal where the gangs of a row
//! write whole lines one after the other: outside the kernel's own loops, a few places only, and not in what the kernel reads as well.
//! The mark is a hint: nothing depends on whether buffers overlap after all.

use analysis::access::objects::{Object, Places};
use analysis::{GangFacts, Layout};
use interface::{ArgumentFact, ArgumentFacts};
use ir::cfg::{Cfg, Loops};
use ir::*;
use smallvec::SmallVec;
use target::costs::{CACHE_LINE, OPEN_LINES};

/// Marks. True if there was something to mark.
pub fn run(func: &mut Function, arguments: &ArgumentFacts, facts: &GangFacts) -> bool {
    let Some(row) = facts.local_size.along(0) else { return false };
    if facts.width == 1 || facts.layout != (Layout::Rows { dimension: 0 }) || !arguments.any(|fact| *fact == ArgumentFact::Large) {
        return false;
    }
    let cfg = Cfg::new(func);
    let loops = Loops::new(&cfg);
    let places = Places::new(func, &cfg.order, |_| true);
    let mut stores: SmallVec<[(Inst, Object); OPEN_LINES]> = SmallVec::new();
    let mut read: SmallVec<[Object; 8]> = SmallVec::new();
    for &block in &cfg.order {
        for &inst in &func.block(block).insts {
            match &func.inst(inst).data {
                InstData::Load { address, mem, .. } if is_outside(mem) => {
                    // It may be read through any pointer.
                    let Some(object) = places.object(address.base) else { return false };
                    read.push(object);
                }
                InstData::Store { value, address, mem, .. } if is_outside(mem) && loops.depth(block) == 0 => {
                    let bytes = u64::from(func.ty(*value).elem.bytes());
                    let fits = (row * bytes).is_multiple_of(CACHE_LINE.into()) && !mem.flags.contains(MemFlags::VOLATILE);
                    stores.extend(places.object(address.base).filter(|_| fits).map(|object| (inst, object)));
                }
                InstData::Copy { .. } | InstData::Call { .. } => return false,
                _ => {}
            }
        }
    }
    let is_large = |object: Object| matches!(object, Object::Argument(at) if arguments.at(at) == Some(&ArgumentFact::Large));
    stores.retain(|(_, object)| is_large(*object) && !read.contains(object));
    if stores.is_empty() || stores.len() > OPEN_LINES {
        return false;
    }
    for (inst, _) in stores {
        if let InstData::Store { mem, .. } = &mut func.inst_mut(inst).data {
            mem.flags |= MemFlags::NONTEMPORAL;
        }
    }
    true
}

/// Memory of buffers.
fn is_outside(mem: &MemInfo) -> bool {
    matches!(mem.space, Space::Global | Space::Generic)
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::gang_shape;
    use interface::LaunchFacts;
    use ir::parse::parse_function;

    /// How many stores are marked in a kernel whose arguments at offsets 0 and 8 are large, of groups of `row` work-items.
    fn marked(body: &str, row: u64) -> usize {
        let text = format!(
            "function workitem @k {{\nblock0:\n  v0 = builtin arguments\n  v1 = load.i64 constant align 8 invariant [v0]\n  \
             v2 = load.i64 constant align 8 invariant [v0 + 8]\n  v3 = load.i64 constant align 8 invariant [v0 + 16]\n  \
             v4 = builtin global_id 0\n{body}  return\n}}"
        );
        let mut func = parse_function(&text).expect("the test's text is IR");
        let mut arguments = ArgumentFacts::default();
        arguments.add_large(0);
        arguments.add_large(8);
        let launch = LaunchFacts {
            arguments,
            ..LaunchFacts::usual([row, 1, 1])
        };
        let facts = GangFacts::new(gang_shape(Some(8), 8, launch.local_size.most()), &launch);
        run(&mut func, &launch.arguments, &facts);
        func.to_string().matches("nontemporal").count()
    }

    const COPY: &str = "  v5 = load.f32 global align 4 [v1 + v4 * 4]\n  store v5, global align 4 [v2 + v4 * 4]\n";

    #[test]
    fn stores_to_large_buffers_are_marked() {
        assert_eq!(marked(COPY, 64), 1);
        // Half a line at the end of each row.
        assert_eq!(marked(COPY, 24), 0);
        // The third argument is not large.
        assert_eq!(marked(&COPY.replace("[v2 +", "[v3 +"), 64), 0);
        // Written where it is read.
        assert_eq!(marked(&COPY.replace("[v2 +", "[v1 +"), 64), 0);
        // Nobody knows what is read.
        let unknown =
            "  v6 = load.i64 global align 8 [v1]\n  v7 = load.f32 global align 4 [v6]\n  store v7, global align 4 [v2 + v4 * 4]\n";
        assert_eq!(marked(unknown, 64), 0);
    }

    #[test]
    fn stores_in_loops_are_not_marked() {
        let body = "  v5 = const.f32 0x0\n  v6 = const.mask true\n  jump block1\nblock1:\n  store v5, global align 4 [v2 + v4 * 4]\n  \
                    branch v6, block1, block2\nblock2:\n";
        assert_eq!(marked(body, 64), 0);
    }
}
