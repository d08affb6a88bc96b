//! Instructions of aarch64 that its weaker memory model asks for, and those that its vectors have: looked for in the code, since what runs the tests may
//! be an x86, which orders memory by itself.

use super::cranelift::harness::{anywhere, kernel};
use crate::{CodeRequest, cranelift};
use ir::{
    Address, AtomicOp, BinaryOp, Builder, DotOp, Elem, FloatCc, InstData, LaneOp, MemInfo, Order, ReduceOp, Scope, Space, Type, UnaryOp,
    Value, ValueList,
};
use std::collections::BTreeSet;

/// The mnemonics of a kernel's code.
fn mnemonics(later: bool, build: impl FnOnce(&mut Builder, [Value; 6])) -> BTreeSet<String> {
    let function = kernel(build);
    let request = CodeRequest {
        name: "test",
        entry: &function,
        callees: &|_| None,
        global_address: &|_| 0,
        places: &[],
        arguments: &[],
        optimize: true,
    };
    let listing = cranelift::arm64_listing(&request, later).unwrap_or_else(|error| panic!("{error}\n{function}"));
    listing
        .lines()
        .flat_map(|line| line.split(" ; "))
        .filter_map(|line| line.split_whitespace().next())
        .map(str::to_owned)
        .collect()
}

fn assert_has(found: &BTreeSet<String>, wanted: &[&str], what: &str) {
    for name in wanted {
        assert!(found.contains(*name), "{what}: there is no {name} among {found:?}");
    }
}

fn fences(order: Order, scope: Scope) -> BTreeSet<String> {
    mnemonics(false, |b, _| {
        b.push(InstData::Fence { order, scope });
    })
}

#[test]
fn fences_are_instructions_where_others_see_them() {
    for order in [Order::Acquire, Order::Release, Order::AcquireRelease, Order::SequentiallyConsistent] {
        for scope in [Scope::Device, Scope::AllDevices] {
            assert_has(&fences(order, scope), &["dmb"], &format!("{order:?} {scope:?}"));
        }
        // A work-group is one thread.
        for scope in [Scope::WorkItem, Scope::SubGroup, Scope::WorkGroup] {
            assert!(!fences(order, scope).contains("dmb"), "{order:?} {scope:?}");
        }
    }
    assert!(!fences(Order::Relaxed, Scope::AllDevices).contains("dmb"));
}

#[test]
fn atomics_acquire_and_release() {
    let global = MemInfo::new(Space::Global, 4);
    for order in [Order::Acquire, Order::Release, Order::AcquireRelease, Order::SequentiallyConsistent] {
        let (scope, mask) = (Scope::Device, None);
        let operations = |later| {
            mnemonics(later, |b, [_, _, address, ..]| {
                let value = b.i32(7);
                b.push(InstData::AtomicStore {
                    value,
                    address,
                    mask,
                    mem: global,
                    order,
                    scope,
                });
                for op in [AtomicOp::Add, AtomicOp::Exchange] {
                    b.push(InstData::AtomicRmw {
                        op,
                        value,
                        address,
                        mask,
                        mem: global,
                        order,
                        scope,
                    });
                }
                let load = b.push(InstData::AtomicLoad {
                    ty: Type::I32,
                    address,
                    mask,
                    mem: global,
                    order,
                    scope,
                });
                let loaded = b.func.inst(load).results[0];
                b.store(loaded, Address::base(address), anywhere());
            })
        };
        let with = operations(true);
        assert_has(&with, &["ldar", "stlr", "ldaddal"], &format!("{order:?} with LSE"));
        let without = operations(false);
        // A loop of `ldaxr` and `stlxr`, by the name that Cranelift has for it.
        let loops = ["atomic_rmw_loop_add_32", "atomic_rmw_loop_xchg_32"];
        assert_has(&without, &["ldar", "stlr", loops[0], loops[1]], &format!("{order:?} without LSE"));
        assert!(!without.iter().any(|name| name.starts_with("ldadd")), "{without:?}");
    }
}

/// What a kernel does to two vectors of eight lanes.
fn of_vectors(elem: Elem, build: impl FnOnce(&mut Builder, Value, Value) -> Value) -> BTreeSet<String> {
    of_vectors_on(false, elem, build)
}

fn of_vectors_on(later: bool, elem: Elem, build: impl FnOnce(&mut Builder, Value, Value) -> Value) -> BTreeSet<String> {
    mnemonics(later, |b, [_, _, first, second, into, _]| {
        let [first, second] = [first, second].map(|from| b.load(Type::vector(elem, 8), Address::base(from), anywhere()));
        let result = build(b, first, second);
        b.store(result, Address::base(into), anywhere());
    })
}

#[test]
fn vectors_have_instructions() {
    let found = of_vectors(Elem::F32, |b, x, y| b.fma(x, y, x));
    assert_has(&found, &["fmla"], "fused multiply-add");
    let found = of_vectors(Elem::F32, |b, x, y| {
        let less = b.fcmp(FloatCc::Ult, x, y);
        b.select(less, x, y)
    });
    assert_has(&found, &["fcmge", "bsl"], "unordered or less");
    let found = of_vectors(Elem::I32, |b, x, y| b.binary(BinaryOp::AShr, x, y));
    assert_has(&found, &["umull", "umull2", "uzp1"], "shift by amounts a lane");
    let found = of_vectors(Elem::I32, |b, x, y| b.binary(BinaryOp::SAddSat, x, y));
    assert_has(&found, &["sqadd"], "saturating sum");
    let found = of_vectors(Elem::I8, |b, x, y| b.binary(BinaryOp::Mul, x, y));
    assert_has(&found, &["mul"], "products of bytes");
}

#[test]
fn dot_products_are_instructions_where_there_are_some() {
    for (op, name) in [(DotOp::SDot, "sdot"), (DotOp::SUDot, "usdot")] {
        let dot = |b: &mut Builder, x, y| b.dot(op, x, y, x);
        assert_has(&of_vectors_on(true, Elem::I32, dot), &[name], name);
        let first = of_vectors_on(false, Elem::I32, dot);
        assert!(!first.contains(name), "{first:?}");
        assert_has(&first, &["addp"], name);
    }
    // Cranelift has no `udot`.
    let found = of_vectors_on(true, Elem::I32, |b, x, y| b.dot(DotOp::UDot, x, y, x));
    assert_has(&found, &["umull", "umull2", "addp"], "unsigned bytes");
}

#[test]
fn lanes_are_permuted_by_table_lookups() {
    for elem in [Elem::I8, Elem::I16, Elem::F16, Elem::I32, Elem::F32] {
        let found = mnemonics(false, |b, [_, _, from, numbers, into, _]| {
            let vector = b.load(Type::vector(elem, 8), Address::base(from), anywhere());
            let numbers = b.load(Type::vector(Elem::I32, 8), Address::base(numbers), anywhere());
            let result = b.lane(LaneOp::Permute, Type::vector(elem, 8), &[vector, numbers]);
            b.store(result, Address::base(into), anywhere());
        });
        assert_has(&found, &["tbl"], &format!("{elem:?}"));
        assert!(!found.contains("umov"), "lanes of {elem:?} go one by one: {found:?}");
    }
}

#[test]
fn short_lanes_are_shifted_by_powers_of_two_from_a_table() {
    for elem in [Elem::I8, Elem::I16] {
        for (op, product) in [(BinaryOp::Shl, "mul"), (BinaryOp::LShr, "umull"), (BinaryOp::AShr, "umull")] {
            let found = of_vectors(elem, |b, x, y| b.binary(op, x, y));
            assert_has(&found, &["tbl", product], &format!("{op:?} of {elem:?}"));
        }
    }
}

#[test]
fn zeros_are_counted_in_vectors() {
    for op in [UnaryOp::Clz, UnaryOp::Ctz] {
        for elem in [Elem::I8, Elem::I16, Elem::I32] {
            let found = of_vectors(elem, |b, x, _| b.unary(op, x));
            assert_has(&found, &["ucvtf", "umin"], &format!("{op:?} of {elem:?}"));
            assert!(!found.contains("umov"), "{found:?}");
        }
    }
}

#[test]
fn words_are_added_up_by_one_instruction() {
    let found = of_vectors(Elem::I32, |b, x, _| {
        let all = b.constant(Type::vector(Elem::Mask, 8), 1);
        let sum = b.lane(LaneOp::Reduce(ReduceOp::Add), Type::I32, &[x, all]);
        b.splat(8, sum)
    });
    assert_has(&found, &["addv"], "sum");
}

/// Records of four bytes, eight of them: two registers, and not byte by byte.
#[test]
fn short_records_are_taken_apart_in_registers() {
    let found = mnemonics(false, |b, [_, _, from, into, ..]| {
        let load = b.push(InstData::LoadInterleaved {
            ty: Type::vector(Elem::I8, 8),
            factor: 4,
            address: Address::base(from),
            mask: None,
            mem: anywhere(),
        });
        let mut fields: Vec<Value> = b.func.inst(load).results.to_vec();
        fields.reverse();
        b.push(InstData::StoreInterleaved {
            values: ValueList::from_slice(&fields),
            address: Address::base(into),
            mask: None,
            mem: anywhere(),
        });
    });
    assert_has(&found, &["uzp1", "uzp2", "zip1"], "records");
    for bytes in ["ldrb", "strb", "umov"] {
        assert!(!found.contains(bytes), "{found:?}");
    }
}
