//! Operations across lanes.

use super::harness::*;
use ir::{Address, BinaryOp, Builder, ConvertOp, Elem, IntCc, LaneOp, MemInfo, ReduceOp, SlotData, Space, Type, Value, eval};

const INTS: [Elem; 4] = [Elem::I8, Elem::I16, Elem::I32, Elem::I64];
const VECTORS: [u16; 4] = [4, 8, 16, 32];

fn values(elem: Elem, seed: u64) -> Vec<u64> {
    let mut random = Random(seed);
    let edges = edges(elem);
    (0..512)
        .map(|_| match random.below(4) {
            0 => edges[random.below(edges.len() as u64) as usize],
            _ => random_value(elem, &mut random),
        })
        .collect()
}

/// Small integers as values of a type, so that sums of floats are exact in any order.
fn small_values(elem: Elem, seed: u64) -> Vec<u64> {
    let mut random = Random(seed);
    (0..512)
        .map(|_| match elem {
            Elem::Mask => random.below(2),
            _ if elem.is_float() => eval::from_f64(elem, [1.0, 2.0, 0.5, -1.0][random.below(4) as usize]),
            _ => random.next() & elem.bit_mask(),
        })
        .collect()
}

/// Checks an operation whose result may depend on all lanes: `expected` gets each operand's lanes and gives the result's.
fn check(
    what: &str,
    inputs: &[(Elem, Vec<u64>)],
    output: Elem,
    lanes: u16,
    build: impl Fn(&mut Builder, &[Value]) -> Value,
    expected: impl Fn(&[&[u64]]) -> Vec<Option<u64>>,
) {
    for &optimize in efforts(lanes) {
        let results = map_vectors(inputs, output, lanes, optimize, &build);
        let width = usize::from(lanes);
        for (vector, result) in results.chunks(width).enumerate() {
            let operands: Vec<&[u64]> = inputs
                .iter()
                .map(|(_, values)| &values[vector * width..(vector + 1) * width])
                .collect();
            for (lane, (&result, expected)) in result.iter().zip(expected(&operands)).enumerate() {
                if let Some(expected) = expected {
                    assert!(
                        same(output, result, expected),
                        "{what} in {lanes} lanes of {operands:x?}: lane {lane} is {result:#x}, not {expected:#x}"
                    );
                }
            }
        }
    }
}

/// Entries of tables, up to those that bytes may have.
const TABLES: [u16; 8] = [2, 4, 8, 16, 32, 64, 128, 256];

/// A table whose entries are the lanes of a vector, one after the other, and what is in it at some indices.
fn lookup(b: &mut Builder, entries: u16, vector: Value, indices: Value) -> Value {
    let ty = b.ty(vector);
    let bytes = ty.bytes();
    let table = ty.with_lanes(entries);
    let size = table.bytes().max(bytes);
    let slot = b.func.slots.push(SlotData { size, align: 64 });
    let base = b.slot_address(slot);
    let mem = MemInfo::new(Space::Private, ty.elem.bytes());
    for offset in (0..size).step_by(bytes as usize) {
        b.store(vector, Address::offset(base, offset as i32), mem);
    }
    let table = b.load(table, Address::base(base), mem);
    b.lane(LaneOp::Permute, b.ty(indices).with_elem(ty.elem), &[table, indices])
}

fn all(value: u64, lanes: u16) -> Vec<Option<u64>> {
    vec![Some(value); usize::from(lanes)]
}

#[test]
fn lanes_taken_out_and_put_in() {
    for elem in Elem::ALL {
        for lanes in LANES {
            let inputs = [(elem, values(elem, 1)), (Elem::I32, values(Elem::I32, 2))];
            for lane in [0, lanes / 2, lanes - 1] {
                let extract = |b: &mut Builder, args: &[Value]| {
                    let scalar = b.lane(LaneOp::Extract(lane), Type::scalar(elem), &args[..1]);
                    b.splat(lanes, scalar)
                };
                check("extract", &inputs, elem, lanes, extract, |args| {
                    all(args[0][usize::from(lane)], lanes)
                });
                let insert = |b: &mut Builder, args: &[Value]| {
                    let scalar = b.lane(LaneOp::Extract(0), Type::scalar(elem), &args[..1]);
                    b.lane(LaneOp::Insert(lane), Type::vector(elem, lanes), &[args[0], scalar])
                };
                if lanes > 1 {
                    check("insert", &inputs, elem, lanes, insert, |args| {
                        let mut result: Vec<Option<u64>> = args[0].iter().copied().map(Some).collect();
                        result[usize::from(lane)] = Some(args[0][0]);
                        result
                    });
                }
            }
            if lanes == 1 {
                continue;
            }
            let dynamic = |b: &mut Builder, args: &[Value]| {
                let index = b.lane(LaneOp::Extract(0), Type::I32, &args[1..]);
                let scalar = b.lane(LaneOp::ExtractDynamic, Type::scalar(elem), &[args[0], index]);
                b.splat(lanes, scalar)
            };
            check("extract_dynamic", &inputs, elem, lanes, dynamic, |args| {
                all(args[0][args[1][0] as usize % usize::from(lanes)], lanes)
            });
            let permute = |b: &mut Builder, args: &[Value]| b.lane(LaneOp::Permute, Type::vector(elem, lanes), args);
            check("permute", &inputs, elem, lanes, permute, |args| {
                args[1]
                    .iter()
                    .map(|&index| Some(args[0][index as usize % usize::from(lanes)]))
                    .collect()
            });
            // The first lanes, or all of them several times.
            for (entries, index) in TABLES
                .into_iter()
                .flat_map(|entries| [(entries, Elem::I32), (entries, Elem::I64)])
                .filter(|_| elem != Elem::Mask)
            {
                let lookup = |b: &mut Builder, args: &[Value]| {
                    let indices = match index {
                        Elem::I64 => b.convert(ConvertOp::SExt, index, args[1]),
                        _ => args[1],
                    };
                    lookup(b, entries, args[0], indices)
                };
                check(&format!("lookup in {entries}"), &inputs, elem, lanes, lookup, |args| {
                    let entry = |index: u64| index as usize % usize::from(entries) % usize::from(lanes);
                    args[1].iter().map(|&index| Some(args[0][entry(index)])).collect()
                });
                let by_constants = |b: &mut Builder, args: &[Value]| {
                    let iota = b.lane(LaneOp::Iota, Type::vector(index, lanes), &[]);
                    let indices = b.binary_imm(BinaryOp::Xor, iota, 1);
                    self::lookup(b, entries, args[0], indices)
                };
                check(&format!("lookup in {entries} by constants"), &inputs, elem, lanes, by_constants, |args| {
                    let entry = |lane: u16| usize::from((lane ^ 1) % entries % lanes);
                    (0..lanes).map(|lane| Some(args[0][entry(lane)])).collect()
                });
            }
            for (op, number) in [
                (BinaryOp::Xor, 1),
                (BinaryOp::Xor, i64::from(lanes / 2)),
                (BinaryOp::Add, 3),
                (BinaryOp::Mul, 5),
                (BinaryOp::And, i64::from(lanes / 2)),
                (BinaryOp::Or, 3),
            ] {
                let constant = |b: &mut Builder, args: &[Value]| {
                    let iota = b.lane(LaneOp::Iota, Type::vector(Elem::I32, lanes), &[]);
                    let indices = b.binary_imm(op, iota, number);
                    b.lane(LaneOp::Permute, Type::vector(elem, lanes), &[args[0], indices])
                };
                check("permute by constants", &inputs, elem, lanes, constant, |args| {
                    (0..u64::from(lanes))
                        .map(|lane| Some(args[0][(eval::binary(op, Elem::I32, lane, number as u64) % u64::from(lanes)) as usize]))
                        .collect()
                });
            }
        }
    }
}

#[test]
fn lane_numbers() {
    for elem in INTS {
        for lanes in LANES {
            let inputs = [(elem, values(elem, 1))];
            let iota = |b: &mut Builder, _: &[Value]| b.lane(LaneOp::Iota, Type::vector(elem, lanes), &[]);
            check("iota", &inputs, elem, lanes, iota, |args| {
                (0..args[0].len() as u64).map(Some).collect()
            });
        }
    }
}

#[test]
fn votes_of_masks_of_any_origin() {
    for elem in INTS {
        for lanes in VECTORS {
            for limit in [0, 1, 20, 0x7f] {
                let inputs = [(elem, values(elem, 9))];
                let mask = move |b: &mut Builder, args: &[Value]| b.icmp_imm(IntCc::Sgt, args[0], limit);
                let truth = move |args: &[&[u64]]| -> Vec<bool> {
                    args[0]
                        .iter()
                        .map(|&value| eval::signed(elem, value) > eval::signed(elem, limit as u64))
                        .collect()
                };
                let bits = |b: &mut Builder, args: &[Value]| {
                    let mask = mask(b, args);
                    let bits = b.lane(LaneOp::MaskBits, Type::I32, &[mask]);
                    b.splat(lanes, bits)
                };
                check("mask_bits", &inputs, Elem::I32, lanes, bits, |args| {
                    let bits = truth(args).iter().rev().fold(0, |bits, &on| bits << 1 | u64::from(on));
                    all(bits, lanes)
                });
                for (op, any) in [(LaneOp::AnyTrue, true), (LaneOp::AllTrue, false)] {
                    let vote = |b: &mut Builder, args: &[Value]| {
                        let mask = mask(b, args);
                        let vote = b.lane(op, Type::MASK, &[mask]);
                        b.splat(lanes, vote)
                    };
                    check("vote", &inputs, Elem::Mask, lanes, vote, |args| {
                        let truth = truth(args);
                        let result = if any {
                            truth.iter().any(|&on| on)
                        } else {
                            truth.iter().all(|&on| on)
                        };
                        all(u64::from(result), lanes)
                    });
                }
            }
        }
    }
    for lanes in LANES {
        let inputs = [(Elem::I32, values(Elem::I32, 4))];
        let back = |b: &mut Builder, args: &[Value]| {
            let bits = b.lane(LaneOp::Extract(0), Type::I32, &args[..1]);
            b.lane(LaneOp::BitsMask, Type::vector(Elem::Mask, lanes), &[bits])
        };
        check("bits_mask", &inputs, Elem::Mask, lanes, back, |args| {
            (0..args[0].len()).map(|lane| Some(args[0][0] >> lane & 1)).collect()
        });
    }
}

#[test]
fn reductions_and_scans() {
    for &(op, name) in ReduceOp::NAMES {
        let elems: &[Elem] = match op {
            ReduceOp::And | ReduceOp::Or | ReduceOp::Xor => &[Elem::I8, Elem::I16, Elem::I32, Elem::I64, Elem::Mask],
            _ if op.binary().is_float() => &[Elem::F16, Elem::BF16, Elem::F32, Elem::F64],
            _ => &INTS,
        };
        for &elem in elems {
            for lanes in LANES {
                let inputs = [(elem, small_values(elem, 3)), (Elem::Mask, small_values(Elem::Mask, 8))];
                let identity = op.identity(elem) & elem.bit_mask();
                let combine = |a, b| {
                    if elem == Elem::Mask {
                        eval::binary(op.binary(), Elem::Mask, a, b) & 1
                    } else {
                        eval::binary(op.binary(), elem, a, b)
                    }
                };
                let prefixes = |args: &[&[u64]]| {
                    let mut total = identity;
                    let mut before = Vec::new();
                    for (&value, &on) in args[0].iter().zip(args[1]) {
                        before.push(total);
                        if on != 0 {
                            total = combine(total, value);
                        }
                    }
                    (before, total)
                };
                let reduce = |b: &mut Builder, args: &[Value]| {
                    let scalar = b.lane(LaneOp::Reduce(op), Type::scalar(elem), args);
                    b.splat(lanes, scalar)
                };
                let equal_zero = |value: u64| {
                    if elem.is_float() && eval::to_f64(elem, value) == 0.0 {
                        None
                    } else {
                        Some(value)
                    }
                };
                check(&format!("reduce {name} {elem:?}"), &inputs, elem, lanes, reduce, |args| {
                    vec![equal_zero(prefixes(args).1); usize::from(lanes)]
                });
                let inclusive = |b: &mut Builder, args: &[Value]| b.lane(LaneOp::InclusiveScan(op), Type::vector(elem, lanes), args);
                check(
                    &format!("inclusive_scan {name} {elem:?}"),
                    &inputs,
                    elem,
                    lanes,
                    inclusive,
                    |args| {
                        let (mut before, total) = prefixes(args);
                        before.push(total);
                        let own = args[1].iter().map(|&on| on != 0);
                        before[1..]
                            .iter()
                            .zip(own)
                            .map(|(&value, on)| if on { equal_zero(value) } else { None })
                            .collect()
                    },
                );
                let exclusive = |b: &mut Builder, args: &[Value]| b.lane(LaneOp::ExclusiveScan(op), Type::vector(elem, lanes), args);
                check(
                    &format!("exclusive_scan {name} {elem:?}"),
                    &inputs,
                    elem,
                    lanes,
                    exclusive,
                    |args| {
                        let own = args[1].iter().map(|&on| on != 0);
                        prefixes(args)
                            .0
                            .iter()
                            .zip(own)
                            .map(|(&value, on)| if on { equal_zero(value) } else { None })
                            .collect()
                    },
                );
            }
        }
    }
}

#[test]
fn lanes_moved_together_and_apart() {
    for elem in Elem::ALL {
        for lanes in VECTORS {
            let inputs = [(elem, values(elem, 5)), (Elem::Mask, values(Elem::Mask, 6))];
            let compress = |b: &mut Builder, args: &[Value]| b.lane(LaneOp::Compress, Type::vector(elem, lanes), args);
            check("compress", &inputs, elem, lanes, compress, |args| {
                let on = args[0]
                    .iter()
                    .zip(args[1])
                    .filter(|(_, on)| **on != 0)
                    .map(|(&value, _)| Some(value));
                on.chain(std::iter::repeat(None)).take(usize::from(lanes)).collect()
            });
            let expand = |b: &mut Builder, args: &[Value]| b.lane(LaneOp::Expand, Type::vector(elem, lanes), args);
            check("expand", &inputs, elem, lanes, expand, |args| {
                let mut next = args[0].iter();
                args[1]
                    .iter()
                    .map(|&on| if on != 0 { next.next().copied() } else { None })
                    .collect()
            });
        }
    }
}
