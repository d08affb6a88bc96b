//! Atomics: one lane after the other, those that are off not at all.

use super::harness::*;
use ir::{Address, AtomicOp, BinaryOp, ConvertOp, Elem, InstData, LaneOp, MemInfo, Order, Scope, Space, Type, eval};

const INTS: [Elem; 4] = [Elem::I8, Elem::I16, Elem::I32, Elem::I64];
const FLOATS: [Elem; 4] = [Elem::F16, Elem::BF16, Elem::F32, Elem::F64];

fn number(elem: Elem, value: i64) -> u64 {
    if elem.is_float() {
        eval::from_f64(elem, value as f64)
    } else {
        value as u64 & elem.bit_mask()
    }
}

/// How the lanes' addresses are given, and whose memory it is.
#[derive(Clone, Copy, Debug)]
struct Way {
    /// Each lane has an address, two lanes share a word; else one address for all.
    scattered: bool,
    masked: bool,
    space: Space,
}

fn ways() -> Vec<Way> {
    let mut ways = Vec::new();
    for scattered in [false, true] {
        for masked in [false, true] {
            for space in [Space::Global, Space::Local] {
                ways.push(Way { scattered, masked, space });
            }
        }
    }
    ways
}

/// Runs an atomic in all lanes: `make` gets value, address and mask. Gives memory (a word a pair of lanes) and old values.
fn run_lanes(
    elem: Elem,
    lanes: u16,
    way: Way,
    pattern: u64,
    operands: &[u64],
    make: impl FnOnce(ir::Value, ir::Value, Option<ir::Value>) -> InstData,
) -> (Vec<u64>, Vec<u64>) {
    let ty = Type::vector(elem, lanes);
    let has_result = std::cell::Cell::new(true);
    let function = kernel(|b, [_, _, memory, from, into, bits]| {
        let value = b.load(ty, Address::base(from), anywhere());
        let address = if way.scattered && lanes > 1 {
            let iota = b.lane(LaneOp::Iota, Type::vector(Elem::I64, lanes), &[]);
            let pair = b.binary_imm(BinaryOp::LShr, iota, 1);
            let offset = b.binary_imm(BinaryOp::Mul, pair, i64::from(elem.bytes()));
            let base = b.splat(lanes, memory);
            b.add(base, offset)
        } else {
            memory
        };
        let mask = way.masked.then(|| {
            let bits = b.convert(ir::ConvertOp::Trunc, Elem::I32, bits);
            b.lane(LaneOp::BitsMask, ty.as_mask(), &[bits])
        });
        let inst = b.push(make(value, address, mask));
        match b.func.inst(inst).results.first().copied() {
            Some(old) => b.store(old, Address::base(into), anywhere()),
            None => has_result.set(false),
        }
    });
    let code = compile_alone(&function);
    let start: Vec<u64> = (0..16).map(|index| number(elem, 3 + index)).collect();
    let mut memory = to_bytes(elem, &start);
    let from = to_bytes(elem, operands);
    let mut old = vec![0u8; from.len()];
    let numbers = [memory.as_mut_ptr() as u64, from.as_ptr() as u64, old.as_mut_ptr() as u64, pattern];
    assert_eq!(run(&code, numbers), (0, 0));
    (
        from_bytes(elem, &memory),
        if has_result.get() { from_bytes(elem, &old) } else { Vec::new() },
    )
}

fn check(
    elem: Elem,
    lanes: u16,
    way: Way,
    make: impl Fn(ir::Value, ir::Value, Option<ir::Value>) -> InstData,
    each: impl Fn(u64, u64) -> u64,
) {
    let patterns: &[u64] = if way.masked {
        &[0, 0xffff_ffff, 0x1234_5675, 1]
    } else {
        &[0xffff_ffff]
    };
    let mut random = Random(41);
    let operands: Vec<u64> = (0..lanes).map(|_| number(elem, random.below(40) as i64 - 10)).collect();
    for &pattern in patterns {
        let (memory, old) = run_lanes(elem, lanes, way, pattern, &operands, &make);
        let mut expected: Vec<u64> = (0..16).map(|index| number(elem, 3 + index)).collect();
        for lane in 0..usize::from(lanes) {
            if pattern >> lane & 1 == 0 {
                continue;
            }
            let word = &mut expected[if way.scattered { lane / 2 } else { 0 }];
            if let Some(&old) = old.get(lane) {
                assert!(
                    same(elem, old, *word),
                    "{elem:?} {lanes} {way:?} {pattern:#x}: old value of lane {lane}: {old:#x}, not {:#x}",
                    *word
                );
            }
            *word = each(*word, operands[lane]);
        }
        assert_eq!(memory, expected, "{elem:?} {lanes} {way:?} {pattern:#x}");
    }
}

#[test]
fn read_modify_write() {
    for &(op, _) in AtomicOp::NAMES {
        let elems: Vec<Elem> = match op {
            AtomicOp::Exchange => [INTS, FLOATS].concat(),
            AtomicOp::FAdd | AtomicOp::FMin | AtomicOp::FMax => FLOATS.to_vec(),
            _ => INTS.to_vec(),
        };
        for elem in elems {
            for lanes in [1, 4, 16] {
                for way in ways() {
                    let make = |value, address, mask| InstData::AtomicRmw {
                        op,
                        value,
                        address,
                        mask,
                        mem: MemInfo::new(way.space, elem.bytes()),
                        order: Order::Relaxed,
                        scope: Scope::Device,
                    };
                    check(elem, lanes, way, make, |old, operand| eval::atomic(op, elem, old, operand));
                }
            }
        }
    }
}

#[test]
fn compare_and_exchange() {
    for elem in INTS {
        for lanes in LANES {
            for way in ways() {
                // The value is both: what is stored is what is expected, or the word stays. So expect what lies in the first word.
                let make = |value, address, mask| InstData::AtomicCas {
                    expected: value,
                    desired: value,
                    address,
                    mask,
                    mem: MemInfo::new(way.space, elem.bytes()),
                    order: Order::SequentiallyConsistent,
                    scope: Scope::Device,
                };
                check(elem, lanes, way, make, |old, _| old);
            }
        }
        for space in [Space::Global, Space::Local] {
            let function = kernel(|b, [_, _, memory, into, ..]| {
                let (three, nine) = (b.constant(Type::scalar(elem), 3), b.constant(Type::scalar(elem), 9));
                for offset in [0, 8] {
                    let old = b.value(InstData::AtomicCas {
                        expected: three,
                        desired: nine,
                        address: memory,
                        mask: None,
                        mem: MemInfo::new(space, elem.bytes()),
                        order: Order::SequentiallyConsistent,
                        scope: Scope::Device,
                    });
                    b.store(old, Address::offset(into, offset), anywhere());
                }
            });
            let (mut memory, mut old) = (3u64, [0u64; 2]);
            run(&compile_alone(&function), [&raw mut memory as u64, old.as_mut_ptr() as u64, 0, 0]);
            assert_eq!((memory, old), (9, [3, 9]));
        }
    }
}

#[test]
fn loads_and_stores() {
    for elem in [INTS, FLOATS].concat() {
        for lanes in LANES {
            for way in ways() {
                for order in [Order::Relaxed, Order::Release, Order::SequentiallyConsistent] {
                    let mem = MemInfo::new(way.space, elem.bytes());
                    let store = |value, address, mask| InstData::AtomicStore {
                        value,
                        address,
                        mask,
                        mem,
                        order,
                        scope: Scope::Device,
                    };
                    check(elem, lanes, way, store, |_, operand| operand);
                }
                let load = |_, address, mask| InstData::AtomicLoad {
                    ty: Type::vector(elem, lanes),
                    address,
                    mask,
                    mem: MemInfo::new(way.space, elem.bytes()),
                    order: Order::Acquire,
                    scope: Scope::Device,
                };
                check(elem, lanes, way, load, |old, _| old);
            }
        }
    }
}

#[test]
fn fences_compile() {
    let function = kernel(|b, _| {
        for &(order, _) in Order::NAMES {
            for &(scope, _) in Scope::NAMES {
                b.push(InstData::Fence { order, scope });
            }
        }
    });
    run(&compile_alone(&function), [0; 4]);
}

/// Two threads add to one word at once.
#[test]
fn threads_lose_nothing() {
    for elem in [Elem::I32, Elem::F32] {
        let function = kernel(|b, [_, _, memory, count, ..]| {
            repeat(b, count, |b, _| {
                let one = b.constant(Type::scalar(elem), number(elem, 1));
                b.push(InstData::AtomicRmw {
                    op: if elem.is_float() { AtomicOp::FAdd } else { AtomicOp::Add },
                    value: one,
                    address: memory,
                    mask: None,
                    mem: MemInfo::new(Space::Global, 4),
                    order: Order::Relaxed,
                    scope: Scope::Device,
                });
            });
        });
        let code = compile_alone(&function);
        let mut word = 0u32;
        let address = &raw mut word as u64;
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| run(&code, [address, 10_000, 0, 0]));
            }
        });
        // SAFETY: the threads have ended.
        let total = unsafe { (&raw const word).read_volatile() };
        assert_eq!(u64::from(total), number(elem, 20_000));
    }
}

/// A histogram: which word a lane adds to is told by an element of memory.
#[test]
fn indices_choose_the_words() {
    for elem in INTS {
        for lanes in LANES {
            for way in ways().into_iter().filter(|way| way.scattered) {
                for constant in [false, true] {
                    let function = kernel(|b, [_, _, memory, from, by, bits]| {
                        let index = b.load(Type::vector(elem, lanes), Address::base(from), anywhere());
                        let wide = match elem {
                            Elem::I64 => index,
                            _ => b.convert(ConvertOp::ZExt, Elem::I64, index),
                        };
                        let offset = b.binary_imm(BinaryOp::Shl, wide, 2);
                        let base = b.splat(lanes, memory);
                        let address = b.add(base, offset);
                        let ty = Type::vector(Elem::I32, lanes);
                        let value = match constant {
                            true => b.constant(ty, 3),
                            false => {
                                let by = b.convert(ConvertOp::Trunc, Elem::I32, by);
                                b.splat(lanes, by)
                            }
                        };
                        let bits = b.convert(ConvertOp::Trunc, Elem::I32, bits);
                        let mask = b.lane(LaneOp::BitsMask, ty.as_mask(), &[bits]);
                        b.push(InstData::AtomicRmw {
                            op: AtomicOp::Add,
                            value,
                            address,
                            mask: way.masked.then_some(mask),
                            mem: MemInfo::new(way.space, 4),
                            order: Order::Relaxed,
                            scope: Scope::Device,
                        });
                    });
                    let code = compile_alone(&function);
                    for pattern in [0xffff_ffff, 0x5a5a_0ff3u64] {
                        let indices: Vec<u64> = (0..u64::from(lanes)).map(|lane| lane * lane % 11).collect();
                        let (mut words, from) = ([7u32; 16], to_bytes(elem, &indices));
                        let mut expected = words;
                        for (lane, &index) in indices.iter().enumerate() {
                            if !way.masked || pattern >> lane & 1 != 0 {
                                expected[index as usize] += 3;
                            }
                        }
                        let numbers = [words.as_mut_ptr() as u64, from.as_ptr() as u64, 3, pattern];
                        assert_eq!(run(&code, numbers), (0, 0));
                        assert_eq!(words, expected, "{elem:?} {lanes} {way:?} {constant} {pattern:#x}");
                    }
                }
            }
        }
    }
}

/// Lanes beside each other whose old values nobody needs, from where sixteen bytes are aligned and from where they are not.
#[test]
fn lanes_beside_each_other() {
    #[repr(align(16))]
    struct Aligned([u8; 256]);
    let all = AtomicOp::NAMES.iter().map(|&(op, _)| op).filter(|&op| op != AtomicOp::Exchange);
    for op in all {
        let floats = matches!(op, AtomicOp::FAdd | AtomicOp::FMin | AtomicOp::FMax);
        for elem in if floats { [Elem::F32, Elem::F64] } else { [Elem::I32, Elem::I64] } {
            for (lanes, masked) in [(2, false), (8, false), (8, true)] {
                let ty = Type::vector(elem, lanes);
                let function = kernel(|b, [_, _, memory, from, ..]| {
                    let value = b.load(ty, Address::base(from), anywhere());
                    let iota = b.lane(LaneOp::Iota, Type::vector(Elem::I64, lanes), &[]);
                    let offset = b.binary_imm(BinaryOp::Mul, iota, i64::from(elem.bytes()));
                    let base = b.splat(lanes, memory);
                    let address = b.add(base, offset);
                    let mask = masked.then(|| {
                        let bits = b.i32(0x5b);
                        b.lane(LaneOp::BitsMask, ty.as_mask(), &[bits])
                    });
                    b.push(InstData::AtomicRmw {
                        op,
                        value,
                        address,
                        mask,
                        mem: MemInfo::new(Space::Global, elem.bytes()),
                        order: Order::Relaxed,
                        scope: Scope::Device,
                    });
                });
                let code = compile_alone(&function);
                let start: Vec<u64> = (0..16).map(|index| number(elem, 5 - index)).collect();
                let operands: Vec<u64> = (0..lanes).map(|lane| number(elem, 3 * i64::from(lane) - 7)).collect();
                let from = to_bytes(elem, &operands);
                for first in [0, 1] {
                    let mut memory = Aligned([0; 256]);
                    let bytes = to_bytes(elem, &start);
                    memory.0[..bytes.len()].copy_from_slice(&bytes);
                    let place = memory.0.as_mut_ptr() as u64 + first * u64::from(elem.bytes());
                    assert_eq!(run(&code, [place, from.as_ptr() as u64, 0, 0]), (0, 0));
                    let mut expected = start.clone();
                    for (lane, &operand) in operands.iter().enumerate() {
                        let word = &mut expected[lane + first as usize];
                        if !masked || 0x5b >> lane & 1 != 0 {
                            *word = eval::atomic(op, elem, *word, operand);
                        }
                    }
                    assert_eq!(
                        from_bytes(elem, &memory.0[..bytes.len()]),
                        expected,
                        "{op:?} {elem:?} {lanes} {masked} {first}"
                    );
                }
            }
        }
    }
}
