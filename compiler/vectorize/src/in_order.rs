//! Kernels whose neighbours along x access neighbouring memory, or those along another dimension.

use crate::interchange_gangs::{apart, goes_on};
use analysis::access::{Accesses, LaneOrder, Strides};
use analysis::uniformity::{Shape, Uniformity};
use analysis::{Flow, GangFacts, gang_shape};
use interface::LaunchFacts;
use ir::*;
use target::costs::effort::SOME_OPERATIONS;
use target::costs::{CACHE_LINE, assumed};

/// Where neighbours along a dimension access memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessOrder {
    /// Anywhere, as far as is known. Groups may have been made blocks for the sake of what their rows have in common.
    Scattered,
    /// Not along x, but in order along this dimension, `a[get_global_id(0) * n + get_global_id(1)]`, or in far fewer lines.
    Across(u8),
    /// Each in a line of its own along x, in which those along this dimension go on: `a[get_global_id(0) * n + get_global_id(1)] = b[get_global_id(1) * n +
    /// get_global_id(0)]`.
    Columns(u8),
    /// In one place or, lane after lane, close together: rows are best that leave no lane without a work-item.
    InOrder,
    /// The same, and each work-item does so once: the longer the rows are, the better.
    Streaming,
}

/// The function reads where its work-item stands along a dimension.
pub fn reads_id(func: &Function, dimension: u8) -> bool {
    func.insts()
        .any(|inst| matches!(func.inst(inst).data, InstData::Builtin { builtin: Builtin::GlobalId, dimension: own } if own == dimension))
}

/// The order of a kernel's accesses, in gangs of a width along x or another dimension in groups of so many work-items.
pub fn access_order(func: &Function, flow: &Flow, width: u32, items: u64) -> AccessOrder {
    let kernel = Kernel { func, flow, width, items };
    let in_order = |&dimension: &u8| reads_id(func, dimension) && kernel.order_along(dimension) != AccessOrder::Scattered;
    match kernel.order_along(0) {
        AccessOrder::Scattered => match (1..3).find(in_order).or_else(|| kernel.in_fewer_lines()) {
            Some(dimension) => AccessOrder::Across(dimension),
            None => kernel.columns().map_or(AccessOrder::Scattered, AccessOrder::Columns),
        },
        order => order,
    }
}

/// Tiles of work-items, of several rows, load less than rows do.
pub fn in_tiles(func: &Function, flow: &Flow, width: u32, items: u64) -> bool {
    Kernel { func, flow, width, items }.tiles()
}

/// A kernel and its gangs.
pub struct Kernel<'a> {
    pub func: &'a Function,
    pub flow: &'a Flow,
    pub width: u32,
    /// Work-items of a group along a dimension.
    pub items: u64,
}

impl Kernel<'_> {
    /// What its accesses are in gangs along a dimension, if that is known.
    pub fn accesses_along<R>(&self, dimension: u8, then: impl FnOnce(&Accesses) -> R) -> Option<R> {
        self.known_along(dimension, |_, accesses| then(accesses))
    }

    /// The same, with what lanes have in common.
    fn known_along<R>(&self, dimension: u8, then: impl FnOnce(&Uniformity, &Accesses) -> R) -> Option<R> {
        let mut local_size = [1; 3];
        local_size[usize::from(dimension)] = self.items;
        let facts = GangFacts::new(gang_shape(None, self.width, local_size), &LaunchFacts::usual(local_size));
        let (cfg, loops) = (&self.flow.cfg, self.flow.loops());
        if loops.irreducible {
            return None;
        }
        let uniformity = Uniformity::new(self.func, cfg, self.flow.post(), loops, &facts);
        let strides = Strides::new(self.func, cfg, &uniformity);
        Some(then(&uniformity, &Accesses::new(self.func, &uniformity, &strides, &facts)))
    }

    /// The dimension along which gangs access far fewer cache lines than along x.
    fn in_fewer_lines(&self) -> Option<u8> {
        let mut others = (1..3).filter(|&dimension| reads_id(self.func, dimension)).peekable();
        others.peek()?;
        let now = self.lines_along(0)?;
        others.find(|&other| self.lines_along(other).is_some_and(|lines| assumed::MARGIN * lines < now))
    }

    /// Cache lines that a gang along a dimension accesses, about, if it accesses any in memory that other gangs share.
    fn lines_along(&self, dimension: u8) -> Option<f32> {
        let lines = self.known_along(dimension, |uniformity, _| {
            let of_block = |&block: &Block| {
                let times = assumed::TRIP_COUNT.powi(self.flow.loops().depth(block) as i32);
                let shared = |access: &Access| matches!(access.mem.space, Space::Global | Space::Constant);
                let accesses = self
                    .func
                    .insts_of([&block])
                    .filter_map(|inst| self.func.access(inst))
                    .filter(shared);
                times * accesses.map(|access| self.lines(uniformity, &access)).sum::<f32>()
            };
            self.flow.cfg.order.iter().map(of_block).sum::<f32>()
        });
        lines.filter(|&lines| lines > 0.0)
    }

    /// Lines that the lanes of a gang access at once: each its own, if it is not known how far they are apart.
    fn lines(&self, uniformity: &Uniformity, access: &Access) -> f32 {
        let step = |value: Value| step(self.func, uniformity, value, SOME_OPERATIONS);
        let address = &access.address;
        let index = address
            .index
            .map_or(Some(0.0), |index| step(index).map(|step| step * address.scale as f32));
        let lanes = self.width as f32;
        match (step(address.base), index) {
            (Some(base), Some(index)) => (lanes * (base + index).abs() / CACHE_LINE as f32).clamp(1.0, lanes),
            _ => lanes,
        }
    }

    /// The order along a dimension.
    fn order_along(&self, dimension: u8) -> AccessOrder {
        let all = self.accesses_along(dimension, |accesses| self.are_in_order(accesses));
        match (all, self.flow.loops().loops.is_empty()) {
            (Some(true), false) => AccessOrder::InOrder,
            (Some(true), true) => AccessOrder::Streaming,
            _ => AccessOrder::Scattered,
        }
    }

    fn are_in_order(&self, accesses: &Accesses) -> bool {
        let in_order = |access: Access| {
            // From one lane to the next.
            let near = |bytes: i64| bytes.unsigned_abs() <= CACHE_LINE.into();
            access.mem.space == Space::Private
                || accesses.stride(&access.address).is_some_and(near)
                || accesses.order_of(&access, access.ty.elem.bytes()) != LaneOrder::Scattered
        };
        let func = self.func;
        func.insts_of(&self.flow.cfg.order).all(|inst| match &func.inst(inst).data {
            InstData::Load { .. } | InstData::Store { .. } => func.access(inst).is_some_and(in_order),
            InstData::Call { .. } | InstData::Copy { .. } | InstData::Image { .. } => false,
            InstData::CallRuntime { routine, .. } => routine.is_pure(),
            _ => true,
        })
    }

    /// In loops with products, neighbours along x share one load, and those along y another, of words that lie beside each other along x: `a[y * n + k] * b[k * n + x]`.
    fn tiles(&self) -> bool {
        let loops = self.flow.loops();
        let repeated = || self.flow.cfg.order.iter().filter(|&&block| loops.innermost(block).is_some());
        let is_product = |inst: Inst| {
            matches!(
                self.func.inst(inst).data,
                InstData::Fma { .. }
                    | InstData::Binary {
                        op: BinaryOp::Mul | BinaryOp::FMul,
                        ..
                    }
            )
        };
        if !reads_id(self.func, 1) || !self.func.insts_of(repeated()).any(is_product) {
            return false;
        }
        let loads: Vec<Access> = self
            .func
            .insts_of(repeated())
            .filter(|&inst| matches!(self.func.inst(inst).data, InstData::Load { .. }))
            .filter_map(|inst| self.func.access(inst))
            .collect();
        // (It is an estimate: nothing is taken to wrap.)
        let steps = |dimension| {
            let step = |accesses: &Accesses| {
                loads
                    .iter()
                    .map(|load| accesses.stride_unless_wraps(&load.address))
                    .collect::<Vec<_>>()
            };
            self.accesses_along(dimension, step)
        };
        let (Some(along_x), Some(along_y)) = (steps(0), steps(1)) else {
            return false;
        };
        let is_near = |step: Option<i64>, load: &Access| step.is_some_and(|step| step.unsigned_abs() == load.ty.elem.bytes().into());
        let mut all = loads.iter().zip(along_x.into_iter().zip(along_y));
        let in_rows = all.clone().any(|(_, (x, y))| x == Some(0) && y != Some(0));
        in_rows && all.any(|(load, (x, y))| y == Some(0) && is_near(x, load))
    }

    /// The dimension along which work-items go on in the lines that lanes along x have to themselves.
    fn columns(&self) -> Option<u8> {
        let others = || (1..3).filter(|&dimension| reads_id(self.func, dimension));
        others().next()?;
        let apart = self.accesses_along(0, |accesses| apart(self.func, self.flow.loops(), accesses))?;
        goes_on(self, &apart, others())
    }
}

/// From one lane to the next an integer grows by so much, about; none if nobody knows. (It is an estimate: nothing is taken to wrap, nor to go over the end
/// that a mask or a remainder gives it.)
fn step(func: &Function, uniformity: &Uniformity, value: Value, depth: u32) -> Option<f32> {
    match uniformity.shape(value) {
        Shape::Uniform(_) => return Some(0.0),
        Shape::Linear { stride, .. } => return Some(stride as f32),
        Shape::Varying => {}
    }
    let depth = depth.checked_sub(1)?;
    let step = |value: Value| step(func, uniformity, value, depth);
    let is_uniform = |value: Value| uniformity.shape(value).is_uniform();
    let power = |exponent: u64| (exponent < 32).then(|| (exponent as f32).exp2());
    let further = |a: f32, b: f32| if a.abs() < b.abs() { b } else { a };
    match *func.def_data(value)? {
        InstData::Binary { op, args: [a, b] } => match op {
            BinaryOp::Add => Some(step(a)? + step(b)?),
            BinaryOp::Sub => Some(step(a)? - step(b)?),
            BinaryOp::Mul => match (func.signed_constant(a), func.signed_constant(b)) {
                (_, Some(factor)) => Some(step(a)? * factor as f32),
                (Some(factor), _) => Some(step(b)? * factor as f32),
                _ => None,
            },
            BinaryOp::Shl => Some(step(a)? * power(func.constant(b)?)?),
            BinaryOp::LShr | BinaryOp::AShr => Some(step(a)? / power(func.constant(b)?)?),
            BinaryOp::UDiv | BinaryOp::SDiv => Some(step(a)? / func.signed_constant(b)?.max(1) as f32),
            BinaryOp::And => {
                let (value, mask) = if is_uniform(a) { (b, a) } else { (a, b) };
                let most = func
                    .signed_constant(mask)
                    .filter(|&mask| mask >= 0)
                    .map_or(f32::MAX, |mask| mask as f32);
                is_uniform(mask).then_some(())?;
                Some(step(value)?.clamp(-most, most))
            }
            BinaryOp::Or | BinaryOp::Xor | BinaryOp::UMin | BinaryOp::UMax | BinaryOp::SMin | BinaryOp::SMax => {
                Some(further(step(a)?, step(b)?))
            }
            BinaryOp::URem | BinaryOp::SRem => step(a).filter(|_| is_uniform(b)),
            _ => None,
        },
        InstData::Convert {
            op: ConvertOp::SExt | ConvertOp::ZExt | ConvertOp::Trunc,
            arg,
            ..
        } => step(arg),
        InstData::Select { mask: _, args: [a, b] } => Some(further(step(a)?, step(b)?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::parse::parse_function;

    fn order_along(func: &Function, dimension: u8) -> AccessOrder {
        let flow = &Flow::new(func);
        let kernel = Kernel {
            func,
            flow,
            width: 8,
            items: 64,
        };
        kernel.order_along(dimension)
    }

    /// A kernel that loads from `v6` bytes behind a buffer, where `v2` and `v3` are the global ids and `v4` is a number that nobody knows.
    fn order(index: &str) -> AccessOrder {
        let text = format!(
            "function workitem @f {{
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = builtin global_id 0
  v3 = builtin global_id 1
  v4 = load.i64 constant align 8 invariant dereferenceable [v0 + 8]
  v5 = const.i64 4
{index}
  v7 = load.f32 global align 4 [v1 + v6 * 1]
  store v7, global align 4 [v1 + v2 * 4]
  return
}}"
        );
        let func = parse_function(&text).expect("the test's text is IR");
        order_along(&func, 0)
    }

    #[test]
    fn rows_are_in_order() {
        let rows = "  v8 = mul v3, v4\n  v9 = add v8, v2\n  v6 = mul v9, v5";
        assert_eq!(order(rows), AccessOrder::Streaming);
        assert_eq!(order("  v6 = mul v3, v5"), AccessOrder::Streaming);
        let in_iterations = "  v8 = const.i64 1\n  v9 = const.i64 0\n  jump block1(v9)
block1(v10: i64):
  v11 = add v10, v8
  v12 = icmp.ult v11, v4
  branch v12, block1(v11), block2
block2:
  v6 = mul v11, v5";
        assert_eq!(order(in_iterations), AccessOrder::InOrder);
    }

    #[test]
    fn columns_are_not() {
        let columns = "  v8 = mul v2, v4\n  v9 = add v8, v3\n  v6 = mul v9, v5";
        assert_eq!(order(columns), AccessOrder::Scattered);
        assert_eq!(order("  v8 = mul v2, v2\n  v6 = mul v8, v5"), AccessOrder::Scattered);
        let by_rows = |dimension: u8| {
            let text = "
function workitem @f {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = builtin global_id 0
  v3 = builtin global_id 1
  v4 = load.i64 constant align 8 invariant dereferenceable [v0 + 8]
  v5 = mul v2, v4
  v6 = add v5, v3
  v7 = load.f32 global align 4 [v1 + v2 * 4]
  store v7, global align 4 [v1 + v6 * 4]
  return
}";
            let func = parse_function(text).expect("the test's text is IR");
            order_along(&func, dimension)
        };
        assert_eq!(
            [0, 1, 2].map(by_rows),
            [AccessOrder::Scattered, AccessOrder::Streaming, AccessOrder::Streaming]
        );
    }

    #[test]
    fn columns_go_on_in_lines() {
        // Lanes along x store `v5` words apart, and work-items along y to what `v8` says of where those do.
        let order = |stored: &str| {
            let text = format!(
                "function workitem @f {{
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = builtin global_id 0
  v3 = builtin global_id 1
  v4 = load.i64 constant align 8 invariant dereferenceable [v0 + 8]
  v5 = mul v3, v4
  v6 = add v5, v2
  v7 = load.f32 global align 4 [v1 + v6 * 4]
{stored}
  store v7, global align 4 [v1 + v9 * 4]
  return
}}"
            );
            let func = parse_function(&text).expect("the test's text is IR");
            access_order(&func, &Flow::new(&func), 8, 64)
        };
        assert_eq!(order("  v8 = mul v2, v4\n  v9 = add v8, v3"), AccessOrder::Columns(1));
        assert_eq!(order("  v8 = mul v2, v4\n  v9 = sub v8, v3"), AccessOrder::Columns(1));
        // Beside each other, in the same place, a line on, and nobody knows where.
        assert_eq!(order("  v9 = add v5, v2"), AccessOrder::Streaming);
        assert_eq!(order("  v9 = mul v2, v4"), AccessOrder::Scattered);
        let line_on = "  v8 = mul v2, v4\n  v10 = const.i64 16\n  v11 = mul v3, v10\n  v9 = add v8, v11";
        assert_eq!(order(line_on), AccessOrder::Scattered);
        let unknown = "  v8 = mul v2, v4\n  v10 = load.i64 global align 8 [v1 + v3 * 8]\n  v9 = add v8, v10";
        assert_eq!(order(unknown), AccessOrder::Scattered);
    }

    #[test]
    fn fewer_lines_are_better() {
        // Lanes along y store to a row, and load from where `v9` says.
        let order = |loaded: &str| {
            let text = format!(
                "function workitem @f {{
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = builtin global_id 0
  v3 = builtin global_id 1
  v4 = load.i64 constant align 8 invariant dereferenceable [v0 + 8]
  v5 = mul v2, v4
  v6 = add v5, v3
  v7 = const.i64 1
  v8 = sub v4, v7
{loaded}
  v20 = load.f32 global align 4 [v1 + v9 * 4]
  store v20, global align 4 [v1 + v6 * 4]
  return
}}"
            );
            let func = parse_function(&text).expect("the test's text is IR");
            access_order(&func, &Flow::new(&func), 16, 64)
        };
        assert_eq!(order("  v9 = add v6, v7"), AccessOrder::Across(1));
        // Lanes by twos, around the end of a row, and at the end of one or of another.
        assert_eq!(
            order("  v10 = udiv v3, v4\n  v11 = lshr v6, v7\n  v9 = add v11, v7"),
            AccessOrder::Across(1)
        );
        assert_eq!(
            order("  v10 = add v3, v7\n  v11 = and v10, v8\n  v9 = add v5, v11"),
            AccessOrder::Across(1)
        );
        assert_eq!(order("  v10 = umin v3, v8\n  v9 = add v5, v10"), AccessOrder::Across(1));
        // Where it is not known, only what is counts: the store. Lanes of columns along the one are lanes of rows along the other, and no better.
        let hash = "  v10 = const.i64 2654435761\n  v11 = mul v6, v6\n  v9 = and v11, v8";
        assert_eq!(order(hash), AccessOrder::Across(1));
        assert_eq!(order("  v10 = mul v3, v4\n  v9 = add v10, v2"), AccessOrder::Columns(1));
        let more = "  v10 = mul v3, v4\n  v11 = add v10, v2\n  v12 = load.i64 global align 8 [v1 + v11 * 8]\n  v13 = load.i64 global align 8 [v1 + v11 * 8 + 8]
  v9 = add v12, v13";
        assert_eq!(order(more), AccessOrder::Columns(1));
    }

    #[test]
    fn products_of_matrices_are_in_tiles() {
        // `a[y * n + k] * b[k * n + x]` with other places of `a` and `b`.
        let tiles = |a: &str, b: &str| {
            let text = format!(
                "function workitem @f {{
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = builtin global_id 0
  v3 = builtin global_id 1
  v4 = load.i64 constant align 8 invariant dereferenceable [v0 + 8]
  v5 = const.i64 0
  v6 = const.i64 1
  v7 = const.f32 0x0
  v8 = mul v3, v4
  jump block1(v5, v7)
block1(v9: i64, v10: f32):
  v11 = add v8, v9
  v12 = mul v9, v4
  v13 = add v12, v2
  v14 = add v12, v3
  v15 = load.f32 global align 4 [v1 + {a} * 4]
  v16 = load.f32 global align 4 [v1 + {b} * 4]
  v17 = fma v15, v16, v10
  v18 = add v9, v6
  v19 = icmp.ult v18, v4
  branch v19, block1(v18, v17), block2
block2:
  store v17, global align 4 [v1 + v2 * 4]
  return
}}"
            );
            let func = parse_function(&text).expect("the test's text is IR");
            in_tiles(&func, &Flow::new(&func), 8, 64)
        };
        assert!(tiles("v11", "v13") && tiles("v14", "v13"));
        // Nothing is shared along y; nothing along x; both numbers along both.
        assert!(!tiles("v9", "v13") && !tiles("v11", "v14") && !tiles("v9", "v9"));
    }
}
