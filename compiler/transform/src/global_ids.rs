//! Global ids and sizes as they are made of groups: `get_group_id(0) * get_local_size(0) + get_local_id(0)`, which programs have that came from CUDA, and
//! `get_num_groups(0) * get_local_size(0)`.
//!
//! Where no group is cut off and there is no offset, that is what it comes to, and ids and sizes that fit 31 bits are so in any bits, signed or not. Known as
//! ids, they grow by one from lane to lane and don't wrap; and a kernel that asks for nothing else of its group can be run in others.

use ir::*;

/// A local size, where it is known or matters.
pub type Sizes = [Option<u64>; 3];

/// Replaces them, in a launch of which that holds ([`interface::LaunchFacts::whole_groups`]) in groups of a size. True if there were some.
pub fn run(func: &mut Function, local_size: Sizes) -> bool {
    Search::new(local_size, false).replace_all(func)
}

/// Replaces them, too, where constants stand for the local size: the size that they agree on. None if there were none.
pub fn run_for_constants(func: &mut Function) -> Option<Sizes> {
    let mut search = Search::new([None; 3], true);
    search.replace_all(func).then_some(search.local_size)
}

/// What an instruction comes to.
struct Found {
    builtin: Builtin,
    dimension: u8,
    /// Comes to it.
    rest: Option<Value>,
    /// If this is the local size.
    constant: Option<u64>,
}

fn replace(func: &mut Function, block: Block, inst: Inst, found: Found) {
    let ty = func.ty(func.result(inst));
    let Found {
        builtin,
        dimension,
        rest,
        constant: _,
    } = found;
    let builtin = InstData::Builtin { builtin, dimension };
    let narrow = |arg| InstData::Convert {
        op: ConvertOp::Trunc,
        ty,
        arg,
        rounding: Rounding::Nearest,
        saturate: false,
    };
    let (data, flags) = match (rest, ty.elem) {
        (None, Elem::I64) => (builtin, Flags::default()),
        (None, _) => {
            let id = func.append(block, builtin, Flags::default());
            (narrow(func.result(id)), Flags::NSW)
        }
        (Some(rest), elem) => {
            let mut id = func.append(block, builtin, Flags::default());
            if elem != Elem::I64 {
                id = func.append(block, narrow(func.result(id)), Flags::NSW);
            }
            let args = [rest, func.result(id)];
            (InstData::Binary { op: BinaryOp::Add, args }, Flags::default())
        }
    };
    func.replace(inst, data);
    func.inst_mut(inst).flags = flags;
}

struct Search {
    local_size: Sizes,
    /// A constant is the local size in a dimension where no other is.
    takes_constants: bool,
}

impl Search {
    fn new(local_size: Sizes, takes_constants: bool) -> Search {
        Search {
            local_size,
            takes_constants,
        }
    }

    fn replace_all(&mut self, func: &mut Function) -> bool {
        let mut changed = false;
        for block in func.layout.clone() {
            for inst in func.take_insts(block) {
                if let InstData::Binary { op, args } = func.inst(inst).data
                    && let Some(found) = (View { func, search: self }).find(op, args)
                {
                    if found.constant.is_some() {
                        self.local_size[usize::from(found.dimension)] = found.constant;
                    }
                    replace(func, block, inst, found);
                    changed = true;
                }
                func.block_mut(block).insts.push(inst);
            }
        }
        changed
    }
}

/// A function as it is while one of its instructions is looked at.
struct View<'a> {
    func: &'a Function,
    search: &'a Search,
}

/// The local size in a dimension, as a factor.
struct Size {
    dimension: u8,
    /// It is this constant.
    constant: Option<u64>,
}

impl View<'_> {
    fn find(&self, op: BinaryOp, args: [Value; 2]) -> Option<Found> {
        let reversed = [args[1], args[0]];
        match op {
            BinaryOp::Add => self.sum(args).or_else(|| self.sum(reversed)),
            // Of the bits above the local id's.
            BinaryOp::Or => {
                let is_shifted = |value| {
                    matches!(
                        self.func.def_data(self.func.in_any_bits(value)),
                        Some(InstData::Binary { op: BinaryOp::Shl, .. })
                    )
                };
                let ids = |[a, b]: [Value; 2]| is_shifted(a).then(|| self.id_of(a, b))?;
                ids(args).or_else(|| ids(reversed))
            }
            BinaryOp::Mul | BinaryOp::Shl => {
                let Size { dimension, constant } = self.times_local_size(op, args, Builtin::NumGroups, |_| true)?;
                Some(Found {
                    builtin: Builtin::GlobalSize,
                    dimension,
                    rest: None,
                    constant,
                })
            }
            _ => None,
        }
    }

    /// A group's first and a local id, in that order, or of one of them and something else that the other comes to.
    fn sum(&self, [a, b]: [Value; 2]) -> Option<Found> {
        if let Some(found) = self.id_of(a, b) {
            return Some(found);
        }
        let Some(&InstData::Binary {
            op: BinaryOp::Add,
            args: [c, d],
        }) = self.func.def_data(a)
        else {
            return None;
        };
        let with = |part: Value, rest: Value| {
            let found = self.id_of(part, b).or_else(|| self.id_of(b, part))?;
            Some(Found { rest: Some(rest), ..found })
        };
        with(c, d).or_else(|| with(d, c))
    }

    fn id_of(&self, group: Value, item: Value) -> Option<Found> {
        let Some(&InstData::Builtin {
            builtin: Builtin::LocalId,
            dimension,
        }) = self.func.def_data(self.func.in_any_bits(item))
        else {
            return None;
        };
        let Some(&InstData::Binary { op, args }) = self.func.def_data(self.func.in_any_bits(group)) else {
            return None;
        };
        let Size { constant, .. } = self.times_local_size(op, args, Builtin::GroupId, |of| of == dimension)?;
        Some(Found {
            builtin: Builtin::GlobalId,
            dimension,
            rest: None,
            constant,
        })
    }

    /// The local size, if it is a product of `first` with it, of a dimension that is wanted.
    fn times_local_size(&self, op: BinaryOp, [a, b]: [Value; 2], first: Builtin, wanted: impl Fn(u8) -> bool) -> Option<Size> {
        let dimension = |value| match self.func.def_data(self.func.in_any_bits(value)) {
            Some(&InstData::Builtin { builtin, dimension }) if builtin == first && wanted(dimension) => Some(dimension),
            _ => None,
        };
        let constant = |dimension: u8, size: u64| {
            let fits = match self.search.local_size[usize::from(dimension)] {
                Some(known) => known == size,
                None => self.search.takes_constants,
            };
            fits.then_some(Size {
                dimension,
                constant: Some(size),
            })
        };
        let times = |id: Value, size: Value| {
            let (dimension, size) = (dimension(id)?, self.func.in_any_bits(size));
            match self.func.def_data(size) {
                Some(&InstData::Builtin {
                    builtin: Builtin::LocalSize | Builtin::EnqueuedLocalSize,
                    dimension: own,
                }) => (own == dimension).then_some(Size { dimension, constant: None }),
                _ => constant(dimension, self.func.constant(size)?),
            }
        };
        match op {
            BinaryOp::Mul => times(a, b).or_else(|| times(b, a)),
            BinaryOp::Shl => {
                let amount = self.func.constant(b).filter(|&amount| amount < 31)?;
                constant(dimension(a)?, 1 << amount)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::parse::parse_function;

    #[test]
    fn constants_that_agree_are_the_local_size() {
        let sizes = |rest: &str| {
            let text = format!(
                "function workitem @f {{
block0:
  v0 = builtin group_id 0
  v1 = builtin local_id 0
  v2 = builtin group_id 1
  v3 = builtin local_id 1
  v4 = const.i64 256
  v5 = mul v0, v4
  v6 = add v5, v1
  v7 = builtin arguments
  store v6, global align 8 [v7]
{rest}
  store v9, global align 8 [v7]
  return
}}"
            );
            let mut func = parse_function(&text).expect("the test's text is IR");
            let sizes = run_for_constants(&mut func);
            (sizes, func.to_string().matches("global_id").count())
        };
        assert_eq!(sizes("  v9 = add v1, v5"), (Some([Some(256), None, None]), 2));
        let shifted = "  v8 = const.i64 4\n  v10 = shl v2, v8\n  v9 = or v3, v10";
        assert_eq!(sizes(shifted), (Some([Some(256), Some(16), None]), 2));
        // Another size, another dimension, and another sum stay.
        let other = "  v8 = const.i64 128\n  v10 = mul v0, v8\n  v9 = add v10, v1";
        assert_eq!(sizes(other), (Some([Some(256), None, None]), 1));
        let crossed = "  v8 = const.i64 16\n  v10 = mul v2, v8\n  v9 = add v10, v1";
        assert_eq!(sizes(crossed), (Some([Some(256), None, None]), 1));
        let loaded = "  v8 = load.i64 global align 8 [v7]\n  v10 = mul v2, v8\n  v9 = add v10, v3";
        assert_eq!(sizes(loaded), (Some([Some(256), None, None]), 1));
    }
}
