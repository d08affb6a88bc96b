//! What the lanes' indices of a gather or a scatter have in common becomes its base.
//!
//! `base + (lanes + splat(x)) * scale` is `(base + x * scale) + lanes * scale`: a sum of scalars for one of vectors. Accesses that differ in `x`
//! alone, such as those of gangs that run at once, have their lanes in common then, and where they are next to each other they are records.
//!
//! It runs after what looks for rows in addresses, which wants indices whole.

use analysis::access::uniform_and_rest;
use cranelift_entity::SecondaryMap;
use ir::*;
use smallvec::SmallVec;
use target::costs::effort::OPERATIONS;

/// Rewrites. True if something changed.
pub fn run(func: &mut Function) -> bool {
    let mut indices: SecondaryMap<Value, u32> = func.per_value(0);
    func.insts()
        .filter_map(|inst| func.access(inst)?.address.index)
        .for_each(|index| indices[index] += 1);
    let uses = func.use_counts();
    let mut changed = false;
    for number in 0..func.layout.len() {
        let block = func.layout[number];
        for inst in func.take_insts(block) {
            let address = func.access(inst).map(|access| access.address);
            // Where something else wants the sum, nothing is saved.
            if let Some(address) = address.filter(|address| address.index.is_some_and(|index| uses[index] == indices[index]))
                && let Some(after) = with_base(func, block, &address)
            {
                func.inst_mut(inst).data.address_mut().expect("it has one").clone_from(&after);
                changed = true;
            }
            func.block_mut(block).insts.push(inst);
        }
    }
    changed
}

/// The address with what its lanes share in the base, if they share something.
fn with_base(func: &mut Function, block: Block, address: &Address) -> Option<Address> {
    let index = address.index.filter(|&index| func.ty(index).is_vector())?;
    if func.ty(address.base).is_vector() {
        return None;
    }
    let (shared, lanes) = uniform_and_rest(func, index).next()?;
    let sum = Sum::of(func, shared)?;
    let bytes = sum.constant.checked_mul(address.scale.into())?.checked_add(address.offset.into())?;
    let offset = i32::try_from(bytes).ok()?;
    let mut b = Builder::new(func, block);
    let terms: SmallVec<[Value; 2]> = sum
        .terms
        .into_iter()
        .map(|term| b.convert(ConvertOp::SExt, Elem::I64, term))
        .collect();
    let base = match terms.into_iter().reduce(|sum, term| b.add(sum, term)) {
        Some(sum) => b.base_and_index(&Address {
            index: Some(sum),
            ..*address
        }),
        None => address.base,
    };
    Some(Address {
        base,
        index: Some(lanes),
        offset,
        ..*address
    })
}

/// A sum over all integers.
#[derive(Default)]
struct Sum {
    terms: SmallVec<[Value; 2]>,
    constant: i64,
}

impl Sum {
    /// What `value` is a sum of. None if that is too much.
    fn of(func: &Function, value: Value) -> Option<Sum> {
        let mut sum = Sum::default();
        let mut open: SmallVec<[Value; 4]> = SmallVec::from_slice(&[value]);
        for _ in 0..OPERATIONS {
            let Some(value) = open.pop() else { return Some(sum) };
            if let Some(constant) = func.signed_constant(value) {
                sum.constant = sum.constant.checked_add(constant)?;
                continue;
            }
            // Indices of 64 bits wrap as addresses do.
            let has_nsw = || func.def_inst(value).is_some_and(|inst| func.inst(inst).flags.contains(Flags::NSW));
            let is_exact = func.ty(value).elem == Elem::I64 || has_nsw();
            match func.def_data(value) {
                Some(&InstData::Binary {
                    op: BinaryOp::Add,
                    args: [a, b],
                }) if is_exact => open.extend([b, a]),
                Some(&InstData::Convert {
                    op: ConvertOp::Trunc, arg, ..
                }) if is_exact && func.ty(arg) == Type::I64 => open.push(arg),
                _ => sum.terms.push(value),
            }
        }
        None
    }
}
