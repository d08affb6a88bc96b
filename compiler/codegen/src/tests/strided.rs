//! Lanes that lie apart at known distances: nothing but them is stored to, and nothing behind the last of them is loaded.

use super::harness::*;
use super::memory::Guarded;
use ir::{Address, BinaryOp, Elem, InstData, LaneOp, Type};

/// Elements from one lane to the next; so many pairs, one behind the other, where there is no single distance.
const STEPS: [i64; 15] = [-9, -4, -3, -2, -1, 1, 2, 3, 4, 5, 7, 8, 9, 16, 40];

/// Where lane `lane` is, in elements.
fn place(lane: i64, step: i64, paired: bool) -> i64 {
    if paired { (lane >> 1) * step.abs().max(2) + (lane & 1) } else { lane * step }
}

/// Loads lanes, inverts them, and stores them to places at the same distances; both under a mask if asked.
fn check(elem: Elem, lanes: u16, step: i64, paired: bool, masked: bool) {
    let ty = Type::vector(elem, lanes);
    let bytes = i64::from(elem.bytes());
    let function = kernel(|b, [_, _, from, into, on, _]| {
        let iota = b.lane(LaneOp::Iota, Type::vector(Elem::I32, lanes), &[]);
        let index = match paired {
            false => b.binary_imm(BinaryOp::Mul, iota, step),
            true => {
                let pair = b.binary_imm(BinaryOp::LShr, iota, 1);
                let start = b.binary_imm(BinaryOp::Mul, pair, step.abs().max(2));
                let within = b.binary_imm(BinaryOp::And, iota, 1);
                b.add(start, within)
            }
        };
        let address = |base| Address {
            base,
            index: Some(index),
            scale: bytes as u32,
            offset: 0,
        };
        let mask = masked.then(|| b.load(ty.as_mask(), Address::base(on), anywhere()));
        let loaded = b.value(InstData::Load {
            ty,
            address: address(from),
            mask,
            passthru: None,
            mem: anywhere(),
        });
        let changed = b.not(loaded);
        b.push(InstData::Store {
            value: changed,
            address: address(into),
            mask,
            mem: anywhere(),
        });
    });
    let code = compile_alone(&function);
    let places: Vec<i64> = (0..i64::from(lanes)).map(|lane| place(lane, step, paired)).collect();
    let first = *places.iter().min().expect("there are lanes");
    let span = (places.iter().max().expect("there are lanes") - first + 1) * bytes;
    let mut random = Random(step.unsigned_abs() * 77 + u64::from(lanes));
    let on: Vec<u8> = (0..lanes).map(|_| u8::from(!masked || random.below(2) == 1)).collect();
    // The last lane ends with its page.
    let mut memory = Guarded::new();
    let data = memory.last(span as usize);
    data.fill_with(|| random.next() as u8);
    let mut into = vec![0xa5u8; span as usize + 256];
    // The first lane's place.
    let start = |at: *const u8| (at as i64 - first * bytes) as u64;
    let arguments = [start(data.as_ptr()), start(into[128..].as_mut_ptr()), on.as_ptr() as u64, 0];
    assert_eq!(run(&code, arguments), (0, 0));
    let mut expected = vec![0xa5u8; into.len()];
    for (lane, &place) in places.iter().enumerate() {
        for byte in 0..bytes as usize {
            let at = ((place - first) * bytes) as usize + byte;
            if on[lane] == 1 {
                expected[128 + at] = !data[at];
            }
        }
    }
    assert_eq!(into, expected, "{elem:?} {lanes} lanes {step} apart, paired {paired}, masked {masked}");
}

#[test]
fn lanes_apart() {
    for elem in [Elem::I8, Elem::I16, Elem::I32, Elem::I64] {
        for lanes in [4, 8, 16, 32] {
            for step in STEPS {
                for (paired, masked) in [(false, false), (false, true), (true, false), (true, true)] {
                    check(elem, lanes, step, paired, masked);
                }
            }
        }
    }
}
