//! Loads and stores of all shapes, with and without masks. Lanes that are off must not touch their memory: theirs is not mapped.

use super::harness::*;
use ir::{Address, Align, BinaryOp, Elem, InstData, LaneOp, MemFlags, MemInfo, Type, Value, ValueList};

/// Two pages, of which the second one faults.
pub struct Guarded {
    start: *mut u8,
    page: usize,
}

impl Guarded {
    /// Maps them.
    pub fn new() -> Guarded {
        // A multiple of every machine's pages.
        let page = 64 << 10;
        // SAFETY: a fresh mapping; its second half is made inaccessible.
        let start = unsafe {
            let start = libc::mmap(
                std::ptr::null_mut(),
                2 * page,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            );
            assert_ne!(start, libc::MAP_FAILED);
            assert_eq!(libc::mprotect(start.cast::<u8>().add(page).cast(), page, libc::PROT_NONE), 0);
            start.cast::<u8>()
        };
        Guarded { start, page }
    }

    /// The last `bytes` bytes that may be touched.
    pub fn last(&mut self, bytes: usize) -> &mut [u8] {
        // SAFETY: the bytes are mapped, and borrowed with the value.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(self.page - bytes), bytes) }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours.
        unsafe { libc::munmap(self.start.cast(), 2 * self.page) };
    }
}

fn element(elem: Elem, index: usize) -> u64 {
    match elem {
        Elem::Mask => (index as u64 % 3) & 1,
        _ => (index as u64 + 1).wrapping_mul(0x0101_0101_0101_0101) & elem.bit_mask(),
    }
}

fn patterns(lanes: u16) -> Vec<u64> {
    let all = u64::MAX >> (64 - lanes);
    let mut random = Random(77);
    let mut patterns = vec![0, all, 1, all >> 1, 1 << (lanes - 1), all & 0x5555_5555];
    patterns.extend((0..3).map(|_| random.next() & all));
    patterns
}

/// How far lanes reach that are on.
fn reach(pattern: u64, lanes: u16) -> usize {
    (64 - (pattern & (u64::MAX >> (64 - lanes))).leading_zeros()) as usize
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    Consecutive,
    Index32,
    Index64,
    Base,
}

const SHAPES: [Shape; 4] = [Shape::Consecutive, Shape::Index32, Shape::Index64, Shape::Base];

/// The address of elements in reverse (but for consecutive ones), from `base` on, by `shape`; a lane's element is `lanes - 1 - lane`.
fn address(b: &mut ir::Builder, base: Value, elem: Elem, lanes: u16, shape: Shape) -> Address {
    let bytes = elem.bytes();
    let reversed = |b: &mut ir::Builder, elem: Elem| {
        let ty = Type::vector(elem, lanes);
        let iota = b.lane(LaneOp::Iota, ty, &[]);
        let last = b.constant(ty, u64::from(lanes - 1));
        b.sub(last, iota)
    };
    match shape {
        Shape::Consecutive => {
            let index = b.i32(-2);
            Address {
                base,
                index: Some(index),
                scale: bytes,
                offset: 2 * bytes as i32,
            }
        }
        Shape::Index32 => {
            let index = reversed(b, Elem::I32);
            let index = b.binary_imm(BinaryOp::Sub, index, 5);
            Address {
                base,
                index: Some(index),
                scale: bytes,
                offset: 5 * bytes as i32,
            }
        }
        Shape::Index64 => {
            let index = reversed(b, Elem::I64);
            Address {
                base,
                index: Some(index),
                scale: bytes,
                offset: 0,
            }
        }
        Shape::Base => {
            let index = reversed(b, Elem::I64);
            let offset = b.binary_imm(BinaryOp::Mul, index, i64::from(bytes));
            let base = b.splat(lanes, base);
            let base = b.add(base, offset);
            Address {
                base,
                index: None,
                scale: 1,
                offset: 0,
            }
        }
    }
}

fn element_of(shape: Shape, lanes: u16, lane: usize) -> usize {
    if shape == Shape::Consecutive {
        lane
    } else {
        usize::from(lanes) - 1 - lane
    }
}

/// Lanes that are on, as bits over elements.
fn elements_on(shape: Shape, lanes: u16, pattern: u64) -> u64 {
    (0..usize::from(lanes))
        .filter(|lane| pattern >> lane & 1 == 1)
        .fold(0, |bits, lane| bits | 1 << element_of(shape, lanes, lane))
}

#[test]
fn masked_loads() {
    for elem in Elem::ALL {
        for lanes in LANES {
            for shape in SHAPES {
                for (with_passthru, align) in [(false, 1), (false, elem.bytes()), (true, elem.bytes())] {
                    let ty = Type::vector(elem, lanes);
                    let function = kernel(|b, [_, _, from, into, bits, _]| {
                        let bits = b.convert(ir::ConvertOp::Trunc, Elem::I32, bits);
                        let mask = b.lane(LaneOp::BitsMask, ty.as_mask(), &[bits]);
                        let address = address(b, from, elem, lanes, shape);
                        let passthru = with_passthru.then(|| b.constant(ty, 1));
                        let value = b.value(InstData::Load {
                            ty,
                            address,
                            mask: Some(mask),
                            passthru,
                            mem: MemInfo {
                                align: Align::of(align),
                                ..anywhere()
                            },
                        });
                        b.store(value, Address::base(into), anywhere());
                    });
                    let code = compile_alone(&function);
                    for pattern in patterns(lanes) {
                        let size = elem.bytes() as usize;
                        let count = reach(elements_on(shape, lanes, pattern), lanes);
                        let mut memory = Guarded::new();
                        let data: Vec<u64> = (0..count).map(|index| element(elem, index)).collect();
                        let bytes = memory.last(count * size);
                        bytes.copy_from_slice(&to_bytes(elem, &data));
                        let from = bytes.as_ptr() as u64;
                        let mut out = vec![0u8; size * usize::from(lanes)];
                        assert_eq!(run(&code, [from, out.as_mut_ptr() as u64, pattern, 0]), (0, 0));
                        for (lane, value) in from_bytes(elem, &out).into_iter().enumerate() {
                            let on = pattern >> lane & 1 == 1;
                            let expected = if on { data[element_of(shape, lanes, lane)] } else { 1 };
                            if on || with_passthru {
                                assert_eq!(value, expected, "{elem:?} {lanes} {shape:?} {pattern:#x} lane {lane}");
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Each lane has a row of its own, in which all are at the same place.
#[test]
fn lanes_that_go_along_rows() {
    const ROW: usize = 5;
    for elem in [Elem::I16, Elem::I32, Elem::F32, Elem::I64, Elem::F64] {
        for lanes in LANES {
            let (ty, size) = (Type::vector(elem, lanes), elem.bytes() as usize);
            let function = kernel(|b, [_, _, from, into, place, _]| {
                let rows = b.lane(LaneOp::Iota, Type::vector(Elem::I64, lanes), &[]);
                let rows = b.binary_imm(BinaryOp::Mul, rows, (ROW * size) as i64);
                let from = b.splat(lanes, from);
                let address = Address {
                    base: b.add(from, rows),
                    index: Some(place),
                    scale: size as u32,
                    offset: 0,
                };
                let value = b.load(ty, address, anywhere());
                b.store(value, Address::base(into), anywhere());
            });
            let code = compile_alone(&function);
            let data: Vec<u64> = (0..ROW * usize::from(lanes)).map(|index| element(elem, index)).collect();
            let bytes = to_bytes(elem, &data);
            for place in 0..ROW {
                let mut out = vec![0u8; size * usize::from(lanes)];
                let arguments = [bytes.as_ptr() as u64, out.as_mut_ptr() as u64, place as u64, 0];
                assert_eq!(run(&code, arguments), (0, 0));
                for (lane, value) in from_bytes(elem, &out).into_iter().enumerate() {
                    assert_eq!(value, data[lane * ROW + place], "{elem:?} {lanes} place {place} lane {lane}");
                }
            }
        }
    }
}

#[test]
fn masked_stores() {
    for elem in Elem::ALL {
        for lanes in LANES {
            for shape in SHAPES {
                let ty = Type::vector(elem, lanes);
                let function = kernel(|b, [_, _, from, into, bits, _]| {
                    let bits = b.convert(ir::ConvertOp::Trunc, Elem::I32, bits);
                    let mask = b.lane(LaneOp::BitsMask, ty.as_mask(), &[bits]);
                    let value = b.load(ty, Address::base(from), anywhere());
                    let address = address(b, into, elem, lanes, shape);
                    b.push(InstData::Store {
                        value,
                        address,
                        mask: Some(mask),
                        mem: anywhere(),
                    });
                });
                let code = compile_alone(&function);
                for pattern in patterns(lanes) {
                    let size = elem.bytes() as usize;
                    let on = elements_on(shape, lanes, pattern);
                    let count = reach(on, lanes);
                    let mut memory = Guarded::new();
                    let data: Vec<u64> = (0..usize::from(lanes)).map(|index| element(elem, index)).collect();
                    let source = to_bytes(elem, &data);
                    let into = memory.last(count * size).as_mut_ptr() as u64;
                    assert_eq!(run(&code, [source.as_ptr() as u64, into, pattern, 0]), (0, 0));
                    for (index, value) in from_bytes(elem, memory.last(count * size)).into_iter().enumerate() {
                        let lane = element_of(shape, lanes, index);
                        let expected = if on >> index & 1 == 1 { data[lane] } else { 0 };
                        assert_eq!(value, expected, "{elem:?} {lanes} {shape:?} {pattern:#x} element {index}");
                    }
                }
            }
        }
    }
}

#[test]
fn records_of_any_number_of_fields() {
    for elem in Elem::ALL {
        for lanes in LANES {
            for factor in [1, 2, 3, 4, 5, 6, 7, 8, 16] {
                let ty = Type::vector(elem, lanes);
                let function = kernel(|b, [_, _, from, into, bits, _]| {
                    let bits = b.convert(ir::ConvertOp::Trunc, Elem::I32, bits);
                    let mask = b.lane(LaneOp::BitsMask, ty.as_mask(), &[bits]);
                    let size = i64::from(elem.bytes()) * i64::from(lanes) * i64::from(factor);
                    for mask in [None, Some(mask)] {
                        let load = b.push(InstData::LoadInterleaved {
                            ty,
                            factor,
                            address: Address::base(from),
                            mask,
                            mem: anywhere(),
                        });
                        let mut fields: Vec<Value> = b.func.inst(load).results.to_vec();
                        fields.reverse();
                        let at = b.binary_imm(BinaryOp::Add, into, if mask.is_some() { size } else { 0 });
                        let values = ValueList::from_slice(&fields);
                        b.push(InstData::StoreInterleaved {
                            values,
                            address: Address::base(at),
                            mask,
                            mem: anywhere(),
                        });
                    }
                });
                let code = compile_alone(&function);
                let count = usize::from(lanes) * usize::from(factor);
                let data: Vec<u64> = (0..count).map(|index| element(elem, index * 7 + index / 5)).collect();
                let source = to_bytes(elem, &data);
                for pattern in [u64::MAX, 0x5555_9999, 1] {
                    let mut out = vec![0u8; 2 * source.len()];
                    assert_eq!(
                        run(&code, [source.as_ptr() as u64, out.as_mut_ptr() as u64, pattern & 0xffff_ffff, 0]),
                        (0, 0)
                    );
                    let out = from_bytes(elem, &out);
                    for index in 0..count {
                        let (record, field) = (index / usize::from(factor), index % usize::from(factor));
                        let expected = data[record * usize::from(factor) + usize::from(factor) - 1 - field];
                        let what = format!("{elem:?} {lanes} fields {factor} element {index}");
                        assert_eq!(out[index], expected, "{what}");
                        let on = pattern >> record & 1 == 1;
                        assert_eq!(out[count + index], if on { expected } else { 0 }, "{what} masked {pattern:#x}");
                    }
                }
            }
        }
    }
}

#[test]
fn masked_records_end_at_the_last_lane_that_is_on() {
    let (elem, lanes, factor) = (Elem::F32, 8, 4);
    let ty = Type::vector(elem, lanes);
    let function = kernel(|b, [_, _, from, bits, _, _]| {
        let bits = b.convert(ir::ConvertOp::Trunc, Elem::I32, bits);
        let mask = Some(b.lane(LaneOp::BitsMask, ty.as_mask(), &[bits]));
        let load = b.push(InstData::LoadInterleaved {
            ty,
            factor,
            address: Address::base(from),
            mask,
            mem: anywhere(),
        });
        let values = ValueList::from_slice(&b.func.inst(load).results);
        b.push(InstData::StoreInterleaved {
            values,
            address: Address::base(from),
            mask,
            mem: anywhere(),
        });
    });
    let code = compile_alone(&function);
    let mut memory = Guarded::new();
    let from = memory.last(5 * 16).as_ptr() as u64;
    assert_eq!(run(&code, [from, 0b11011, 0, 0]), (0, 0));
}

#[test]
fn copies_of_any_size() {
    let mut mem = anywhere();
    for bytes in [0, 1, 3, 4, 7, 16, 31, 128, 129, 1000] {
        for known in [false, true] {
            mem.flags.set(MemFlags::VOLATILE, known);
            let function = kernel(|b, [_, _, from, into, count, _]| {
                let count = if known { b.i64(bytes) } else { count };
                b.push(InstData::Copy {
                    to: into,
                    from,
                    bytes: count,
                    to_mem: mem,
                    from_mem: mem,
                });
            });
            let code = compile_alone(&function);
            let source: Vec<u8> = (0..bytes + 8).map(|index| (index % 250) as u8 + 1).collect();
            let mut out = vec![0u8; source.len()];
            run(&code, [source.as_ptr() as u64, out.as_mut_ptr() as u64, bytes as u64, 0]);
            let end = bytes as usize;
            assert_eq!(out[..end], source[..end]);
            assert!(out[end..].iter().all(|&byte| byte == 0));
        }
    }
}

/// What a mask forbids may still be read where the instruction says that it can be.
#[test]
fn readable_memory_needs_no_test_of_the_mask() {
    let ty = Type::vector(Elem::I32, 8);
    let mut mem = anywhere();
    mem.flags |= MemFlags::DEREFERENCEABLE | MemFlags::INVARIANT;
    let function = kernel(|b, [_, _, from, into, bits, _]| {
        let bits = b.convert(ir::ConvertOp::Trunc, Elem::I32, bits);
        let mask = Some(b.lane(LaneOp::BitsMask, ty.as_mask(), &[bits]));
        let passthru = Some(b.constant(ty, 9));
        let value = b.value(InstData::Load {
            ty,
            address: Address::base(from),
            mask,
            passthru,
            mem,
        });
        b.store(value, Address::base(into), anywhere());
    });
    let code = compile_alone(&function);
    let (source, mut out) = ([1i32, 2, 3, 4, 5, 6, 7, 8], [0i32; 8]);
    run(&code, [source.as_ptr() as u64, out.as_mut_ptr() as u64, 0b1010_0110, 0]);
    assert_eq!(out, [9, 2, 3, 9, 9, 6, 9, 8]);
}

/// Volatile accesses are all done, though nobody uses what they load and the next store overwrites what they store.
#[test]
fn volatile_accesses_are_neither_merged_nor_dropped() {
    let size = |count: u32, volatile: bool| {
        let mut mem = anywhere();
        mem.flags.set(MemFlags::VOLATILE, volatile);
        let function = kernel(|b, [_, _, from, into, value, _]| {
            for _ in 0..count {
                b.load(Type::I64, Address::base(from), mem);
                b.store(value, Address::base(into), mem);
            }
        });
        compile_alone(&function).code_bytes
    };
    assert!(size(20, true) > size(1, true) + 19 * 4);
    if super::BACK_END == target::BackEnd::Cranelift {
        assert!(size(20, false) < size(1, false) + 19 * 4);
    }
}

#[test]
fn non_temporal_stores_need_no_alignment() {
    for (elem, lanes) in [(Elem::F32, 8), (Elem::F64, 8), (Elem::I8, 8), (Elem::I16, 8), (Elem::F32, 16), (Elem::Mask, 8)] {
        let ty = Type::vector(elem, lanes);
        let function = kernel(|b, [_, _, from, to, ..]| {
            let value = b.load(ty, Address::base(from), anywhere());
            let mut mem = anywhere();
            mem.flags = MemFlags::NONTEMPORAL;
            b.store(value, Address::offset(to, 3), mem);
        });
        let code = compile_alone(&function);
        let bytes = (elem.bytes() * u32::from(lanes)) as usize;
        let from: Vec<u8> = (0..bytes as u8).map(|byte| if elem == Elem::Mask { byte & 1 } else { byte }).collect();
        let mut room = vec![0xee_u8; 256];
        let start = 128 - room.as_ptr() as usize % 64;
        for shift in [0, 1, 4, 16, 29, 32] {
            let at = start + shift;
            let to = room.as_mut_ptr().wrapping_add(at - 3);
            run(&code, [from.as_ptr() as u64, to as u64, 0, 0]);
            assert_eq!(room[at..at + bytes], from, "{ty} {shift}");
            assert!(room[..at].iter().chain(&room[at + bytes..]).all(|&byte| byte == 0xee), "{ty} {shift}");
            room.fill(0xee);
        }
    }
}

/// A place that was loaded into all lanes is the one of that time, though its memory changes before lanes are loaded from there.
#[test]
fn what_was_spread_is_not_loaded_again() {
    let function = kernel(|b, [_, _, from, place, into, _]| {
        let start = b.load(Type::I64, Address::base(place), anywhere());
        let start = b.splat(8, start);
        let lanes = b.lane(LaneOp::Iota, Type::vector(Elem::I64, 8), &[]);
        let lanes = b.binary_imm(BinaryOp::Mul, lanes, 3);
        let index = b.add(start, lanes);
        let changed = b.i64(0);
        b.store(changed, Address::base(place), anywhere());
        let address = Address {
            base: from,
            index: Some(index),
            scale: 4,
            offset: 0,
        };
        let loaded = b.load(Type::vector(Elem::I32, 8), address, anywhere());
        b.store(loaded, Address::base(into), anywhere());
    });
    let code = compile_alone(&function);
    let data: Vec<u32> = (0..64).collect();
    let (mut place, mut out) = (17u64, [0u32; 8]);
    let arguments = [data.as_ptr() as u64, (&raw mut place) as u64, out.as_mut_ptr() as u64, 0];
    assert_eq!(run(&code, arguments), (0, 0));
    assert_eq!((place, out), (0, std::array::from_fn(|lane| 17 + 3 * lane as u32)));
}

/// Lanes whose places are steps from a slot that is not the first of its function: they are in that slot, by whichever form of address.
#[test]
fn lanes_are_in_their_slot() {
    let function = ir::parse::parse_function(
        "function workgroup @test -> i32 {
  slot0: 64 align 8
  slot1: 320 align 8
block0(v0: i64, v1: i64, v2: i64, v3: i64, v4: i64, v5: i64):
  v6 = slot_address slot0
  v7 = slot_address slot1
  v8 = const.i64x8 238
  store v8, private align 8 [v6]
  v9 = lane iota i32x8
  v10 = const.i32x8 40
  v11 = mul v9, v10
  v12 = load.i64x8 global align 8 [v2]
  v13 = const.i64x8 0
  v14 = icmp.ne v12, v13
  store v8, private align 8 [v7 + v11 * 1 + 32]
  store v12, private align 8 [v7 + v11 * 1 + 32] mask v14
  v15 = lane splat i64x8 v7
  v16 = lane iota i64x8
  v17 = const.i64x8 40
  v18 = mul v16, v17
  v19 = add v15, v18
  v20 = load.i64x8 private align 8 [v19 + 32]
  store v20, global align 8 [v3]
  v21 = load.i64x8 private align 8 [v6]
  store v21, global align 8 [v3 + 64]
  v22 = load.i64 private align 8 [v7 + 152]
  store v22, global align 8 [v3 + 128]
  v23 = const.i32 0
  return v23
}",
    )
    .expect("the test's text is IR");
    let code = compile_alone(&function);
    for values in [[1u64, 2, 3, 4, 5, 6, 7, 8], [0, 2, 0, 4, 5, 0, 7, 0], [0; 8]] {
        let mut out = [0u64; 17];
        assert_eq!(run(&code, [values.as_ptr() as u64, out.as_mut_ptr() as u64, 0, 0]), (0, 0));
        let stored = values.map(|value| if value == 0 { 238 } else { value });
        assert_eq!((&out[..8], &out[8..16], out[16]), (&stored[..], &[238; 8][..], stored[3]));
    }
}

/// Integers that change in memory, by constants of all sizes and by others, under an address with parts of its own.
#[test]
fn integers_change_in_memory() {
    const OPS: [BinaryOp; 5] = [BinaryOp::Add, BinaryOp::Sub, BinaryOp::And, BinaryOp::Or, BinaryOp::Xor];
    const OPERANDS: [i64; 6] = [1, -1, 127, 128, 0x1234_5678, 0x1234_5678_9abc_def0];
    for elem in [Elem::I16, Elem::I32, Elem::I64] {
        let ty = Type::scalar(elem);
        for (op, operand, constant) in OPS.into_iter().flat_map(|op| OPERANDS.map(|operand| [(op, operand, false), (op, operand, true)])).flatten() {
            let bits = operand as u64 & elem.bit_mask();
            let function = kernel(|b, [_, _, base, index, other, _]| {
                let address = Address {
                    index: Some(index),
                    scale: 24,
                    offset: -8,
                    ..Address::base(base)
                };
                let memory = MemInfo::new(ir::Space::Global, elem.bytes());
                let loaded = b.load(ty, address, memory);
                let by = match constant {
                    true => b.constant(ty, bits),
                    false if elem == Elem::I64 => other,
                    false => b.convert(ir::ConvertOp::Trunc, elem, other),
                };
                let changed = b.binary(op, loaded, by);
                b.store(changed, address, memory);
            });
            let code = compile_alone(&function);
            let mut memory = [0x7fff_ffff_8765_4321u64; 6];
            let mut expected = memory;
            let changed = ir::eval::binary(op, elem, memory[5] & elem.bit_mask(), bits);
            expected[5] = expected[5] & !elem.bit_mask() | changed;
            assert_eq!(run(&code, [memory.as_mut_ptr() as u64, 2, operand as u64, 0]), (0, 0));
            assert_eq!(memory, expected, "{op:?} {elem:?} {operand} {constant}");
        }
    }
}

/// Lanes that change in memory of their own, by what all have; also where another store is in between.
#[test]
fn lanes_change_in_memory() {
    const OPERANDS: [i64; 3] = [1, 0x1234_5678, 0x1234_5678_9abc_def0];
    for (elem, lanes) in [Elem::I32, Elem::I64].into_iter().flat_map(|elem| [4u16, 8, 16].map(|lanes| (elem, lanes))) {
        let ty = Type::vector(elem, lanes);
        let places: Vec<u32> = (0..u32::from(lanes)).map(|lane| lane * 7 % u32::from(lanes) * 2 + 1).collect();
        for (operand, constant, between) in OPERANDS.into_iter().flat_map(|operand| [(operand, true, false), (operand, false, false), (operand, false, true)]) {
            let bits = operand as u64 & elem.bit_mask();
            let function = kernel(|b, [_, _, base, indices, other, _]| {
                let memory = MemInfo::new(ir::Space::Global, elem.bytes());
                let index = b.load(Type::vector(Elem::I32, lanes), Address::base(indices), MemInfo::new(ir::Space::Constant, 4));
                let address = Address {
                    index: Some(index),
                    scale: elem.bytes(),
                    offset: 8,
                    ..Address::base(base)
                };
                let by = match constant {
                    true => b.constant(ty, bits),
                    false => {
                        let scalar = if elem == Elem::I64 { other } else { b.convert(ir::ConvertOp::Trunc, elem, other) };
                        b.splat(lanes, scalar)
                    }
                };
                let loaded = b.load(ty, address, memory);
                let changed = b.add(loaded, by);
                if between {
                    b.store(other, Address::base(base), MemInfo::new(ir::Space::Global, 8));
                }
                b.store(changed, address, memory);
            });
            let code = compile_alone(&function);
            let bytes = elem.bytes() as usize;
            let mut memory = [0x7fu8; 8 + 33 * 8];
            let mut expected = memory;
            for &place in &places {
                let at = 8 + place as usize * bytes;
                let sum = ir::eval::binary(BinaryOp::Add, elem, 0x7f7f_7f7f_7f7f_7f7f & elem.bit_mask(), bits);
                expected[at..at + bytes].copy_from_slice(&sum.to_le_bytes()[..bytes]);
            }
            if between {
                expected[..8].copy_from_slice(&operand.to_le_bytes());
            }
            let arguments = [memory.as_mut_ptr() as u64, places.as_ptr() as u64, operand as u64, 0];
            assert_eq!(run(&code, arguments), (0, 0));
            assert_eq!(memory, expected, "{ty} {operand} {constant} {between}");
        }
    }
}
