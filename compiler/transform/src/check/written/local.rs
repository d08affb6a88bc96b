//! The shadow of local memory, which begins as zeros with each group. That of the kernel's variables follows them at a fixed distance; that of an
//! argument follows the argument's own memory ([`interface::checks::shadow_distance`]), where the launch has made room for it.

use super::super::accesses::{Bytes, Part};
use super::super::extents::Extents;
use super::super::objects::{Provenance, Root};
use super::super::reads::Reads;
use super::super::site::AccessKind;
use super::{Demand, Written, fill};
use interface::KernelInfo;
use interface::checks::shadow_distance;
use ir::*;
use target::costs::code_size::SHADOWED_AT_ONCE;

/// The shadow of a kernel's local memory.
pub struct Shadow {
    /// How far behind a variable its shadow is.
    distance: u64,
    /// Bytes of the kernel's variables.
    bytes: u64,
    reads: Reads,
}

impl Shadow {
    /// A function's, behind the kernel's variables in local memory.
    pub fn new(func: &Function, info: &KernelInfo) -> Shadow {
        Shadow {
            distance: shadow_distance(info.local_bytes),
            bytes: info.local_bytes,
            reads: Reads::new(func, |inst| func.is_copy(inst)),
        }
    }

    /// All is seen that a function writes to local memory; what it calls is for its callees to say.
    pub fn can_follow(func: &Function, provenance: &Provenance, info: &KernelInfo) -> bool {
        func.insts().all(|inst| is_followed(&func.inst(inst).data, provenance, info))
    }

    /// Where it ends in local memory.
    pub fn end(&self) -> u64 {
        self.distance + self.bytes
    }

    /// Notes what an access writes. Returns where to go on, and what must hold of what it reads.
    pub fn follow(&mut self, func: &mut Function, at: Block, inst: Inst, part: &Part, extents: &mut Extents) -> (Block, Written) {
        let Some(address) = self.address(func, at, part, extents) else {
            return (at, Written::Whatever);
        };
        let mut b = Builder::new(func, at);
        let bytes = match part.bytes {
            Bytes::Constant(bytes) => bytes,
            Bytes::Value(bytes) => {
                if part.kind == AccessKind::CopyTo {
                    let bytes = (b.i64(0), bytes);
                    return (fill_in_a_loop(&mut b, address, bytes), Written::Whatever);
                }
                return (at, Written::Whatever);
            }
        };
        let elem = Elem::int(bytes as u32 * 8);
        let demand = Demand::of(b.func, inst, part, &self.reads);
        let mem = MemInfo::new(Space::Local, part.align.bytes().min(8));
        let ok = match elem.filter(|_| demand != Demand::Nothing) {
            Some(elem) => {
                let shadow = b.load(Type::scalar(elem), address, mem);
                demand.holds(&mut b, shadow)
            }
            None => Written::Whatever,
        };
        if !part.kind.writes() {
            return (at, ok);
        }
        match elem {
            Some(elem) => {
                let ones = b.constant(Type::scalar(elem), u64::MAX);
                b.store(ones, address, mem);
            }
            None if bytes <= SHADOWED_AT_ONCE => fill(&mut b, address, bytes, Space::Local),
            None => {
                let bytes = (b.i64(0), b.i64(bytes as i64));
                return (fill_in_a_loop(&mut b, address, bytes), ok);
            }
        }
        (at, ok)
    }

    /// The shadow of what an access touches, if that is local memory.
    fn address(&mut self, func: &mut Function, at: Block, part: &Part, extents: &mut Extents) -> Option<Address> {
        let base = match part.root {
            Root::Local(_) => Builder::new(func, at).binary_imm(BinaryOp::Add, part.address.base, self.distance as i64),
            Root::Argument(argument) => {
                let distance = extents.shadow_distance(func, argument)?;
                Builder::new(func, at).add(part.address.base, distance)
            }
            Root::Slot(_) | Root::Global(_) | Root::Parameter(_) | Root::Unknown => return None,
        };
        Some(Address { base, ..part.address })
    }
}

/// What the instruction writes is seen, if that is local memory.
fn is_followed(data: &InstData, provenance: &Provenance, info: &KernelInfo) -> bool {
    let (address, mem) = match data {
        InstData::Store { address, mem, .. } => (address.base, mem),
        InstData::AtomicStore { address, mem, .. }
        | InstData::AtomicRmw { address, mem, .. }
        | InstData::AtomicCas { address, mem, .. } => (*address, mem),
        InstData::Copy { to, to_mem, .. } => (*to, to_mem),
        InstData::CallRuntime { args, .. } => {
            let is_local = |&value: &Value| match provenance.root(value) {
                Some(Root::Parameter(number)) => provenance.may_be_local(number),
                root => root.is_some_and(|root| root.is_local(info)),
            };
            return !args.iter().any(is_local);
        }
        _ => return true,
    };
    let is_known = match provenance.root(address) {
        Some(Root::Parameter(number)) => !provenance.may_be_local(number),
        root => root.is_some(),
    };
    is_known || !matches!(mem.space, Space::Local | Space::Generic)
}

/// The same for bytes of local memory from a first to before a last, both `i64`. Returns where to go on.
fn fill_in_a_loop(b: &mut Builder, address: Address, (first, last): (Value, Value)) -> Block {
    let (head, body, done) = (b.add_block(&[Type::I64]), b.add_block(&[]), b.add_block(&[]));
    b.jump(head, &[first]);
    let number = b.params(head)[0];
    let mut b = Builder::new(b.func, head);
    let more = b.icmp(IntCc::Ult, number, last);
    b.branch(more, to(body, &[]), to(done, &[]));
    let mut b = Builder::new(b.func, body);
    let (ones, base) = (b.constant(Type::scalar(Elem::I8), u64::MAX), b.add(address.base, number));
    b.store(ones, Address { base, ..address }, MemInfo::new(Space::Local, 1));
    let next = b.binary_imm(BinaryOp::Add, number, 1);
    b.jump(head, &[next]);
    done
}
