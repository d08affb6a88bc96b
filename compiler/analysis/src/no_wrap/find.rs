//! Which values bound what: from a work-item's function.

use super::intervals::Numbers;
use super::{Counter, NoWrap, Node, Of, Root, RootKind, Step, Test};
use crate::Flow;
use crate::bits::ranges::Range;
use crate::counted::LoopTest;
use ir::*;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use target::costs::effort::{NO_WRAP_NODES, OPERATIONS};

/// Work-items of a group, at most.
const GROUP: i64 = 1 << 16;

impl NoWrap {
    /// What may wrap in a work-item's function. Of launches whose ids fit 31 bits, and whatever the arguments are, that it doesn't is no news.
    pub fn find(func: &Function, flow: &Flow) -> NoWrap {
        let mut finder = Finder {
            func,
            flow,
            found: NoWrap::default(),
            nodes: FxHashMap::default(),
        };
        for &block in &flow.cfg.order {
            for &inst in &func.block(block).insts {
                finder.look_at(inst);
            }
        }
        let mut found = finder.found;
        let known = found.ranges(&Numbers {
            builtin: &|builtin, _| of_any_launch(builtin),
            argument: &|_, ty| Some(Range::of_type(ty)),
        });
        let mut roots = std::mem::take(&mut found.roots);
        // What any launch tells, and what tells code nothing.
        roots.retain(|root| {
            let mut tells = root.kind != RootKind::Index;
            found.each_below(root, |node| tells |= found.nodes[node].inst.is_some());
            tells && !root.holds(&known)
        });
        found.roots = roots;
        // Addresses are asked about first, if there are too many.
        found.roots.sort_by_key(|root| matches!(root.kind, RootKind::Comparison(_)));
        found.forget_others();
        found.arguments = found.nodes.iter().filter_map(Node::argument).collect();
        match found.roots.is_empty() {
            true => NoWrap::default(),
            false => found,
        }
    }
}

impl Node {
    /// Where the argument is that it is, and its bytes.
    fn argument(&self) -> Option<(u32, u32)> {
        match self.of {
            Of::Argument(offset) => Some((offset, self.ty.bytes())),
            _ => None,
        }
    }
}

/// What sizes and ids are in any launch whose ids fit 31 bits.
fn of_any_launch(builtin: Builtin) -> Option<Range> {
    let max = match builtin {
        Builtin::LocalId | Builtin::LocalSize | Builtin::EnqueuedLocalSize => GROUP,
        Builtin::GlobalId | Builtin::GlobalSize | Builtin::GlobalOffset | Builtin::GroupId | Builtin::NumGroups => {
            interface::SMALL_IDS as i64
        }
        _ => return None,
    };
    Some(Range { min: 0, max })
}

struct Finder<'a> {
    func: &'a Function,
    flow: &'a Flow,
    found: NoWrap,
    /// None where nothing bounds a value, or where that is being found out.
    nodes: FxHashMap<Value, Option<usize>>,
}

impl Finder<'_> {
    /// Adds an instruction, if something that it uses may wrap.
    fn look_at(&mut self, inst: Inst) {
        let func = self.func;
        let (kind, values): (_, SmallVec<[Value; 2]>) = match func.inst(inst).data {
            InstData::Convert {
                op, ty: Type::I64, arg, ..
            } if func.ty(arg) == Type::I32 => match op {
                ConvertOp::SExt => (RootKind::Index, smallvec![arg]),
                ConvertOp::ZExt => (RootKind::Extension(inst), smallvec![arg]),
                _ => return,
            },
            InstData::IntCompare { cc, args } if func.ty(args[0]) == Type::I32 => match cc.is_unsigned() {
                true => (RootKind::Comparison(inst), SmallVec::from(args)),
                false => (RootKind::Index, SmallVec::from(args)),
            },
            _ => match func.access(inst).and_then(|access| access.address.index) {
                Some(index) if func.ty(index) == Type::I32 => (RootKind::Index, smallvec![index]),
                _ => return,
            },
        };
        let mut nodes = SmallVec::new();
        for value in values {
            match self.node(value, OPERATIONS) {
                Some(node) => nodes.push(node),
                None => return,
            }
        }
        let is_known = |other: &Root| other.kind == kind && other.nodes == nodes;
        if !self.found.roots.iter().any(is_known) {
            self.found.roots.push(Root { kind, nodes });
        }
    }

    fn push(&mut self, ty: Type, of: Of, inst: Option<Inst>, is_exact: bool) -> Option<usize> {
        let node = self.found.nodes.len();
        (node < NO_WRAP_NODES).then(|| self.found.nodes.push(Node { of, ty, inst, is_exact }))?;
        Some(node)
    }

    fn node(&mut self, value: Value, depth: u32) -> Option<usize> {
        if let Some(&known) = self.nodes.get(&value) {
            return known;
        }
        let depth = depth.checked_sub(1)?;
        // (What it is made of itself is not known yet.)
        self.nodes.insert(value, None);
        let ty = self.func.ty(value);
        let node = match self.func.def(value) {
            _ if !matches!(ty, Type::I32 | Type::I64) => None,
            ValueDef::Param(block, position) => self.param(value, block, position as usize, depth),
            ValueDef::Result(inst, _) => self.result(inst, ty, depth),
        };
        self.nodes.insert(value, node);
        node
    }

    fn result(&mut self, inst: Inst, ty: Type, depth: u32) -> Option<usize> {
        let func = self.func;
        let node = func.inst(inst);
        let value = func.result(inst);
        let is_exact = node.flags.contains(Flags::NSW);
        match node.data {
            InstData::Const { .. } => {
                let number = func.signed_constant(value)?;
                self.range(ty, Range { min: number, max: number })
            }
            InstData::Builtin { builtin, dimension } if ty == Type::I64 => self.push(ty, Of::Builtin(builtin, dimension), None, false),
            InstData::Load { .. } => {
                let offset = u32::try_from(func.argument(value)?).ok()?;
                self.push(ty, Of::Argument(offset), None, false)
            }
            InstData::Convert { op, arg, .. } => {
                let from = func.ty(arg);
                if !from.elem.is_int() || from.lanes != 1 {
                    return None;
                }
                let short = from.elem.bits() < 32;
                match op {
                    ConvertOp::SExt if short => self.range(ty, Range::of_type(from)),
                    ConvertOp::ZExt if short => self.range(ty, Range::without_sign(from)),
                    ConvertOp::SExt | ConvertOp::Trunc => {
                        let arg = self.node(arg, depth)?;
                        self.push(ty, Of::Same(arg), None, false)
                    }
                    ConvertOp::ZExt => {
                        let arg = self.node(arg, depth)?;
                        self.push(ty, Of::ZExt(arg), None, false)
                    }
                    _ => None,
                }
            }
            InstData::Binary { op, args } => {
                use BinaryOp::*;
                let mut operand = |value: Value| {
                    // Bits that are taken of anything, and remainders.
                    let anything = matches!(op, And | URem | UMin).then(|| Range::of_type(ty));
                    self.node(value, depth).or_else(|| self.range(ty, anything?))
                };
                let args = [operand(args[0])?, operand(args[1])?];
                let wraps = matches!(op, Add | Sub | Mul | Shl);
                self.push(ty, Of::Binary(op, args), (wraps && !is_exact).then_some(inst), wraps && is_exact)
            }
            InstData::Select { args, .. } => {
                let args = [self.node(args[0], depth)?, self.node(args[1], depth)?];
                self.push(ty, Of::Union(SmallVec::from(args)), None, false)
            }
            _ => None,
        }
    }

    fn range(&mut self, ty: Type, range: Range) -> Option<usize> {
        self.push(ty, Of::Range(range), None, false)
    }

    /// What blocks hand on, or the induction variable of a loop.
    fn param(&mut self, param: Value, block: Block, position: usize, depth: u32) -> Option<usize> {
        let (func, cfg, loops) = (self.func, &self.flow.cfg, self.flow.loops());
        let index = loops.innermost(block).filter(|&index| loops.loops[index].header == block);
        let ty = func.ty(param);
        let mut first = SmallVec::new();
        for &pred in &cfg.preds[block] {
            if index.is_none_or(|index| !loops.contains(index, pred)) {
                let value = func.handed(pred, block, position)?;
                first.push(self.node(value, depth)?);
            }
        }
        if first.is_empty() || loops.irreducible {
            return None;
        }
        let first = self.push(ty, Of::Union(first), None, false)?;
        match index {
            Some(index) => self.counter(param, index, position, first, depth),
            None => Some(first),
        }
    }

    fn counter(&mut self, param: Value, index: usize, position: usize, init: usize, depth: u32) -> Option<usize> {
        let (func, loops) = (self.func, self.flow.loops());
        let &[latch] = loops.loops[index].latches.as_slice() else {
            return None;
        };
        let next = func.handed(latch, loops.loops[index].header, position)?;
        let InstData::Binary { op, args: [a, b] } = *func.def_data(next)? else {
            return None;
        };
        let constant = func.constant(b);
        let (step, needs_test) = match op {
            BinaryOp::Add if a == param => (Step::Add(self.node(b, depth)?), true),
            BinaryOp::Add if b == param => (Step::Add(self.node(a, depth)?), true),
            BinaryOp::Shl if a == param => (Step::Shl(constant.filter(|&amount| amount < 31)? as u32), true),
            BinaryOp::LShr | BinaryOp::AShr | BinaryOp::UDiv | BinaryOp::SDiv if a == param && constant.is_some() => (Step::Less, false),
            _ => return None,
        };
        let test = match needs_test {
            true => Some(self.test(param, next, index, depth)?),
            false => None,
        };
        let ty = func.ty(param);
        let node = self.push(ty, Of::Range(Range::of_type(ty)), None, false)?;
        self.nodes.insert(param, Some(node));
        let next = self.node(next, depth);
        // (A counter without an end to it is none, and neither is the next number then.)
        let next = next?;
        self.found.nodes[node].of = Of::Counter(Counter { init, step, next, test });
        Some(node)
    }

    /// A test in each iteration's way: whether the variable, or what it is next, is beyond a bound.
    fn test(&mut self, param: Value, next: Value, index: usize, depth: u32) -> Option<Test> {
        let (func, flow) = (self.func, self.flow);
        let tests = LoopTest::all(func, &flow.cfg, flow.loops(), index);
        for test in tests.filter(|test| test.is_always_made(flow.tree())) {
            let Some((cc, [a, b])) = func.branch(test.exiting).and_then(|(condition, _)| func.comparison(condition)) else {
                continue;
            };
            let cc = if test.side == 0 { cc } else { cc.inverted() };
            for (cc, compared, bound) in [(cc, a, b), (cc.swapped(), b, a)] {
                let (compared, is_natural) = match func.def_data(compared) {
                    Some(&InstData::Convert {
                        op: ConvertOp::SExt, arg, ..
                    }) => (arg, false),
                    Some(&InstData::Convert {
                        op: ConvertOp::ZExt, arg, ..
                    }) => (arg, true),
                    _ => (compared, false),
                };
                if (compared == param || compared == next)
                    && let Some(bound) = self.node(bound, depth)
                {
                    let cc = if is_natural { cc.without_sign() } else { cc };
                    let is_next = compared == next;
                    return Some(Test { cc, bound, is_next });
                }
            }
        }
        None
    }
}
