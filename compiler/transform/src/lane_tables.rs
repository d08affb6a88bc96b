//! Vectors of which a loop takes lanes by number are put into memory once, before the loop.
//!
//! No machine has an instruction that takes lane n of a register: the vector goes to memory, and the lane comes back. Where the loop goes
//! through the lanes ([`vectorize::scalarize_loops`]) that would be a store for each of them, which the load has to wait for.

use analysis::Analyses;
use cranelift_entity::SecondaryMap;
use ir::cfg::{Cfg, Loops};
use ir::*;
use rustc_hash::FxHashMap;
use target::costs::memory::LANE_TABLES;

/// Rewrites. True if there was such a loop.
pub fn run(func: &mut Function, analyses: &mut Analyses) -> bool {
    let lane_of = |func: &Function, inst: Inst| match &func.inst(inst).data {
        InstData::Lane {
            op: LaneOp::ExtractDynamic,
            args,
            ..
        } => Some([args[0], args[1]]),
        _ => None,
    };
    if !func.insts().any(|inst| lane_of(func, inst).is_some()) {
        return false;
    }
    let flow = analyses.flow(func);
    let (cfg, loops) = (&flow.cfg, flow.loops());
    let mut tables = Tables::new(func);
    for &block in &cfg.order {
        if loops.innermost[block].is_none() {
            continue;
        }
        for inst in func.take_insts(block) {
            if let Some([vector, lane]) = lane_of(func, inst)
                && let Some(before) = tables.before(cfg, loops, vector, block)
                && let Some((table, extension)) = tables.table(func, vector, before)
            {
                let value = take(&mut Builder::new(func, block), table, extension, lane);
                tables.replaced.insert(func.result(inst), value);
            } else {
                func.block_mut(block).insts.push(inst);
            }
        }
    }
    func.substitute(&tables.replaced);
    !tables.made.is_empty()
}

/// A vector in memory.
#[derive(Clone, Copy)]
struct Table {
    slot: Slot,
    ty: Type,
}

/// What is made of a lane after it has been taken: integers are kept as narrow as they were.
type Extension = Option<(ConvertOp, Elem)>;

struct Tables {
    /// Where values are defined.
    defined: SecondaryMap<Value, Option<Block>>,
    made: FxHashMap<(Value, Block), Table>,
    bytes: u32,
    replaced: ValueMap,
}

impl Tables {
    fn new(func: &Function) -> Tables {
        Tables {
            defined: func.homes(&func.layout),
            made: FxHashMap::default(),
            bytes: 0,
            replaced: ValueMap::default(),
        }
    }

    /// The last block before the outermost loop around `user` in which the vector is the same all the time.
    fn before(&self, cfg: &Cfg, loops: &Loops, vector: Value, user: Block) -> Option<Block> {
        let defined = self.defined[vector]?;
        let outermost = loops.around(user).take_while(|&index| !loops.contains(index, defined)).last()?;
        cfg.immediate_dominator(loops.loops[outermost].header)
    }

    /// The vector's table, stored at the end of `block`.
    fn table(&mut self, func: &mut Function, vector: Value, block: Block) -> Option<(Table, Extension)> {
        let (vector, extension) = match func.def_data(vector) {
            Some(&InstData::Convert {
                op: op @ (ConvertOp::SExt | ConvertOp::ZExt),
                ty,
                arg,
                ..
            }) if func.ty(arg).elem != Elem::Mask => (arg, Some((op, ty.elem))),
            _ => (vector, None),
        };
        if let Some(&table) = self.made.get(&(vector, block)) {
            return Some((table, extension));
        }
        let ty = func.ty(vector);
        if ty.elem == Elem::Mask || self.bytes + ty.bytes() > LANE_TABLES {
            return None;
        }
        self.bytes += ty.bytes();
        let align = ty.bytes().next_power_of_two().min(64);
        let slot = func.slots.push(SlotData { size: ty.bytes(), align });
        func.before_end(block, |b| {
            let base = b.slot_address(slot);
            b.store(vector, Address::base(base), MemInfo::new(Space::Private, align));
        });
        let table = Table { slot, ty };
        self.made.insert((vector, block), table);
        Some((table, extension))
    }
}

/// Lane `lane`, modulo their number, of what is in the table.
fn take(b: &mut Builder, table: Table, extension: Extension, lane: Value) -> Value {
    let elem = table.ty.elem;
    let lane = match is_below(b.func, lane, u64::from(table.ty.lanes)) {
        true => lane,
        false => b.binary_imm(BinaryOp::And, lane, i64::from(table.ty.lanes) - 1),
    };
    let address = Address {
        base: b.slot_address(table.slot),
        index: Some(lane),
        scale: elem.bytes(),
        offset: 0,
    };
    let value = b.load(Type::scalar(elem), address, MemInfo::new(Space::Private, elem.bytes()));
    match extension {
        Some((op, wide)) => b.convert(op, wide, value),
        None => value,
    }
}

fn is_below(func: &Function, value: Value, limit: u64) -> bool {
    match func.def_data(value) {
        Some(InstData::Binary { op: BinaryOp::And, args }) => args.iter().any(|&arg| func.constant(arg).is_some_and(|bits| bits < limit)),
        _ => false,
    }
}
