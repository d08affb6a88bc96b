//! Operations across the work-group become operations across the sub-group, a little local memory, and barriers.
//!
//! One thread runs a work-group, its gangs in the order of their ids between two barriers. So a cell of local memory collects what the
//! gangs bring, one after the other: what a gang finds in it is the combination of the gangs before it, and the first gang begins anew. (All
//! work-items of a group must come to such an operation.)

use ir::*;

/// Local memory that the expansion may use.
#[derive(Clone, Copy, Debug)]
pub struct Scratch {
    /// Where it begins, in bytes from the beginning of local memory; a multiple of 8.
    pub offset: u64,
    /// Work-items that a group may have.
    pub max_items: u64,
}

/// Expands all operations across the work-group; gives the bytes of scratch memory that are used.
pub fn run(func: &mut Function, scratch: Scratch) -> u64 {
    let mut expander = Expander {
        func,
        scratch,
        map: ValueMap::default(),
        bytes: 0,
    };
    for block in expander.func.layout.clone() {
        let is_operation = |&inst: &Inst| matches!(expander.func.inst(inst).data, InstData::WorkGroup { .. });
        if expander.func.block(block).insts.iter().any(is_operation) {
            expander.block(block);
        }
    }
    let Expander { func, map, bytes, .. } = expander;
    func.substitute(&map);
    bytes
}

struct Expander<'f> {
    func: &'f mut Function,
    scratch: Scratch,
    map: ValueMap,
    bytes: u64,
}

impl Expander<'_> {
    fn block(&mut self, block: Block) {
        let mut at = block;
        for inst in self.func.take_insts(block) {
            let InstData::WorkGroup { op, args } = &self.func.inst(inst).data else {
                self.func.block_mut(at).insts.push(inst);
                continue;
            };
            let (op, args) = (*op, args.clone());
            let ty = self.func.ty(args[0]);
            let mut b = Builder::new(self.func, at);
            let local_memory = b.builtin(Builtin::LocalMemory, 0);
            let offset = b.i64(self.scratch.offset as i64);
            let cell = Cell {
                address: b.add(local_memory, offset),
                ty,
            };
            let result = match op {
                WorkGroupOp::All => cell.combine(&mut b, ReduceOp::And, args[0], Wanted::All),
                WorkGroupOp::Any => cell.combine(&mut b, ReduceOp::Or, args[0], Wanted::All),
                WorkGroupOp::Reduce(op) => cell.combine(&mut b, op, args[0], Wanted::All),
                WorkGroupOp::InclusiveScan(op) => cell.combine(&mut b, op, args[0], Wanted::UpToMine),
                WorkGroupOp::ExclusiveScan(op) => cell.combine(&mut b, op, args[0], Wanted::BeforeMine),
                WorkGroupOp::Broadcast => cell.broadcast(&mut b, &args),
                WorkGroupOp::Shuffle => cell.shuffle(&mut b, args[0], args[1]),
            };
            at = b.block;
            self.bytes = self.bytes.max(match op {
                WorkGroupOp::Shuffle => 8 * self.scratch.max_items,
                _ => 8,
            });
            let old = self.func.result(inst);
            self.map.insert(old, result);
        }
    }
}

/// Which combination a work-item asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    All,
    UpToMine,
    BeforeMine,
}

/// Local memory with room for a value of each work-item, of which mostly the first is used.
struct Cell {
    address: Value,
    ty: Type,
}

impl Cell {
    /// What stands in memory: a mask as an integer.
    fn memory_type(&self) -> Type {
        match self.ty.elem {
            Elem::Mask => Type::I32,
            _ => self.ty,
        }
    }

    fn mem(&self) -> MemInfo {
        MemInfo::new(Space::Local, self.memory_type().bytes())
    }

    fn load(&self, b: &mut Builder, index: Option<Value>) -> Value {
        let address = self.at(index);
        let value = b.load(self.memory_type(), address, self.mem());
        match self.ty.elem {
            Elem::Mask => b.convert(ConvertOp::IntToMask, Elem::Mask, value),
            _ => value,
        }
    }

    /// What the gangs before this one have brought. An atomic load, since it gives another value in each gang, though the address is
    /// the same: a plain load would be a data race, and might be done once for all.
    fn load_so_far(&self, b: &mut Builder) -> Value {
        let value = b.value(InstData::AtomicLoad {
            ty: self.memory_type().as_int(),
            address: self.address,
            mask: None,
            mem: self.mem(),
            order: Order::Relaxed,
            scope: Scope::WorkGroup,
        });
        match self.ty.elem {
            Elem::Mask => b.convert(ConvertOp::IntToMask, Elem::Mask, value),
            elem => b.bitcast(elem, value),
        }
    }

    fn store(&self, b: &mut Builder, index: Option<Value>, value: Value) {
        let value = match self.ty.elem {
            Elem::Mask => b.convert(ConvertOp::MaskToInt, Elem::I32, value),
            _ => value,
        };
        let address = self.at(index);
        b.store(value, address, self.mem());
    }

    fn at(&self, index: Option<Value>) -> Address {
        Address {
            base: self.address,
            index,
            scale: if index.is_some() { 8 } else { 1 },
            offset: 0,
        }
    }

    fn barrier(b: &mut Builder) {
        b.push(InstData::Barrier {
            execution: Scope::WorkGroup,
            order: Order::AcquireRelease,
            memory: Scope::WorkGroup,
        });
    }

    fn combine(&self, b: &mut Builder, op: ReduceOp, value: Value, wanted: Wanted) -> Value {
        // The first gang finds what is left of something else.
        let gang = b.builtin(Builtin::SubGroupId, 0);
        let is_first = b.icmp_imm(IntCc::Eq, gang, 0);
        let identity = b.constant(self.ty, op.identity(self.ty.elem));
        let so_far = self.load_so_far(b);
        let before = b.select(is_first, identity, so_far);
        let own = b.sub_group(SubGroupOp::Reduce(op), &[value]);
        let sum = b.binary(op.binary(), before, own);
        self.store(b, None, sum);
        let result = match wanted {
            Wanted::All => {
                Cell::barrier(b);
                self.load(b, None)
            }
            Wanted::UpToMine => {
                let own = b.sub_group(SubGroupOp::InclusiveScan(op), &[value]);
                b.binary(op.binary(), before, own)
            }
            Wanted::BeforeMine => {
                let own = b.sub_group(SubGroupOp::ExclusiveScan(op), &[value]);
                b.binary(op.binary(), before, own)
            }
        };
        // The cell may be used again only when all have read it.
        Cell::barrier(b);
        result
    }

    fn broadcast(&self, b: &mut Builder, args: &[Value]) -> Value {
        let mut is_source = None;
        for (dimension, &id) in (0..).zip(&args[1..]) {
            let own = b.builtin(Builtin::LocalId, dimension);
            let equal = b.icmp(IntCc::Eq, own, id);
            is_source = Some(match is_source {
                Some(so_far) => b.and(so_far, equal),
                None => equal,
            });
        }
        // Not straight to the next block: that would be a critical edge, and these are split already.
        let (source, others, next) = (b.add_block(&[]), b.add_block(&[]), b.add_block(&[]));
        match is_source {
            Some(is_source) => b.branch(is_source, to(source, &[]), to(others, &[])),
            None => b.jump(others, &[]),
        }
        b.block = others;
        b.jump(next, &[]);
        b.block = source;
        self.store(b, None, args[0]);
        b.jump(next, &[]);
        b.block = next;
        Cell::barrier(b);
        let result = self.load(b, None);
        Cell::barrier(b);
        result
    }

    fn shuffle(&self, b: &mut Builder, value: Value, id: Value) -> Value {
        let own = b.builtin(Builtin::LocalLinearId, 0);
        self.store(b, Some(own), value);
        Cell::barrier(b);
        let result = self.load(b, Some(id));
        Cell::barrier(b);
        result
    }
}
