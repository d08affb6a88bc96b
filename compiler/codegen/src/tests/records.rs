//! Lanes that load or store neighbouring words, each in a record of its own, and lanes that lie in rows.

use super::harness::*;
use ir::{Address, BinaryOp, ConvertOp, Elem, LaneOp, Type};

#[test]
fn neighbouring_words_of_gathers() {
    // Which words of a record are loaded, in which order; a store between some.
    let orders: [&[i32]; 7] = [&[0, 1], &[1, 0], &[3, 1, 2, 0], &[2, 0, 1], &[0, 2], &[5, 4, 1, 0, 3, 2, 7], &[1]];
    let record = 8;
    for elem in [Elem::I32, Elem::F32] {
        for lanes in [4, 8, 16] {
            for words in orders {
                for store_after in [None, Some(1)] {
                    let ty = Type::vector(elem, lanes);
                    let function = kernel(|b, [_, _, from, numbers, into, _]| {
                        let index = b.load(Type::vector(Elem::I32, lanes), Address::base(numbers), anywhere());
                        for (n, &word) in words.iter().enumerate() {
                            let address = Address {
                                base: from,
                                index: Some(index),
                                scale: 4 * record,
                                offset: 4 * word,
                            };
                            let loaded = b.load(ty, address, anywhere());
                            if Some(n) == store_after {
                                // The words that come after it are others.
                                let changed = b.constant(Type::vector(Elem::I32, lanes), 7);
                                for place in 0..record as i32 {
                                    let offset = 4 * place;
                                    b.store(changed, Address { offset, ..address }, anywhere());
                                }
                            }
                            let at = b.binary_imm(BinaryOp::Add, into, n as i64 * 4 * i64::from(lanes));
                            b.store(loaded, Address::base(at), anywhere());
                        }
                    });
                    let code = compile_alone(&function);
                    let mut data: Vec<u32> = (0..record * 64).map(|n| n * 1001 + 3).collect();
                    let numbers: Vec<u32> = (0..u32::from(lanes)).map(|lane| lane * 23 % 64).collect();
                    let mut out = vec![0u32; words.len() * usize::from(lanes)];
                    let arguments = [data.as_mut_ptr() as u64, numbers.as_ptr() as u64, out.as_mut_ptr() as u64, 0];
                    assert_eq!(run(&code, arguments), (0, 0));
                    for (n, found) in out.into_iter().enumerate() {
                        let (word, lane) = (n / usize::from(lanes), n % usize::from(lanes));
                        let expected = match store_after {
                            Some(last) if word > last => 7,
                            _ => (numbers[lane] * record + words[word] as u32) * 1001 + 3,
                        };
                        assert_eq!(found, expected, "{elem:?} {lanes} {words:?} {store_after:?} word {word} lane {lane}");
                    }
                }
            }
        }
    }
}

#[test]
fn neighbouring_words_of_scatters() {
    // Which words of a record are stored, in which order; a load of all of them between some.
    let orders: [&[i32]; 7] = [&[0, 1], &[1, 0], &[3, 1, 2, 0], &[2, 0, 1], &[0, 2], &[5, 4, 1, 0, 3, 2, 7], &[1, 2, 1]];
    let record = 8;
    for elem in [Elem::I32, Elem::F32] {
        for lanes in [4, 8, 16] {
            for words in orders {
                for (load_after, far) in [(None, true), (Some(1), true), (None, false)] {
                    let ty = Type::vector(elem, lanes);
                    let function = kernel(|b, [_, _, data, numbers, values, into]| {
                        // Known distances, or those that memory tells.
                        let index = match far {
                            true => b.load(Type::vector(Elem::I32, lanes), Address::base(numbers), anywhere()),
                            false => b.lane(LaneOp::Iota, Type::vector(Elem::I32, lanes), &[]),
                        };
                        let place = |word: i32| Address {
                            base: data,
                            index: Some(index),
                            scale: 4 * record,
                            offset: 4 * word,
                        };
                        for (n, &word) in words.iter().enumerate() {
                            let at = b.binary_imm(BinaryOp::Add, values, n as i64 * 4 * i64::from(lanes));
                            let value = b.load(ty, Address::base(at), anywhere());
                            b.store(value, place(word), anywhere());
                            if Some(n) == load_after {
                                for word in 0..record as i32 {
                                    let seen = b.load(ty, place(word), anywhere());
                                    let at = b.binary_imm(BinaryOp::Add, into, i64::from(word) * 4 * i64::from(lanes));
                                    b.store(seen, Address::base(at), anywhere());
                                }
                            }
                        }
                    });
                    let code = compile_alone(&function);
                    let numbers: Vec<u32> = (0..u32::from(lanes)).map(|lane| lane * 23 % 64).collect();
                    let values: Vec<u32> = (0..words.len() as u32 * u32::from(lanes)).map(|n| n * 1001 + 3).collect();
                    let (mut data, mut seen) = (vec![0u32; 64 * record as usize], vec![0u32; record as usize * usize::from(lanes)]);
                    let arguments = [data.as_mut_ptr() as u64, numbers.as_ptr() as u64, values.as_ptr() as u64, seen.as_mut_ptr() as u64];
                    assert_eq!(run(&code, arguments), (0, 0));
                    let (mut expected, mut expected_seen) = (vec![0u32; data.len()], vec![0u32; seen.len()]);
                    for (n, &word) in words.iter().enumerate() {
                        for lane in 0..usize::from(lanes) {
                            let number = if far { numbers[lane] as usize } else { lane };
                            expected[number * record as usize + word as usize] = values[n * usize::from(lanes) + lane];
                        }
                        if Some(n) == load_after {
                            for word in 0..record as usize {
                                for lane in 0..usize::from(lanes) {
                                    expected_seen[word * usize::from(lanes) + lane] = expected[numbers[lane] as usize * record as usize + word];
                                }
                            }
                        }
                    }
                    assert_eq!(data, expected, "{elem:?} {lanes} {words:?} {load_after:?} {far}");
                    assert_eq!(seen, expected_seen, "{elem:?} {lanes} {words:?} {load_after:?} {far}");
                }
            }
        }
    }
}

#[test]
fn rows_of_fewer_elements_than_lanes() {
    let span_of = |lane: u64, span: u32| (lane >> span, lane & ((1 << span) - 1));
    for elem in [Elem::I16, Elem::F32, Elem::F64] {
        for lanes in [4, 8, 16, 32] {
            for span in 1..4 {
                // A stride that is known, one that the address needs, too, and one that comes straight into all lanes.
                for (known, used_again) in [(true, false), (false, true), (false, false)] {
                    for (columns, offset) in [(false, 0), (false, 24), (true, -8)] {
                        let bytes = elem.bytes();
                        let stride = 3 * 64u64;
                        let function = kernel(|b, [_, _, from, numbers, into, _]| {
                            let iota = b.lane(LaneOp::Iota, Type::vector(Elem::I32, lanes), &[]);
                            let line = b.binary_imm(BinaryOp::LShr, iota, span.into());
                            let along = b.binary_imm(BinaryOp::And, iota, (1 << span) - 1);
                            let (line, along) = if columns { (along, line) } else { (line, along) };
                            let [line, along] = [line, along].map(|number| b.convert(ConvertOp::ZExt, Elem::I64, number));
                            let loaded = b.load(Type::I64, Address::base(numbers), anywhere());
                            let scalar = if known { b.constant(Type::I64, stride) } else { loaded };
                            let all = b.splat(lanes, scalar);
                            let lines = b.mul(line, all);
                            let within = b.binary_imm(BinaryOp::Mul, along, bytes.into());
                            let address = Address {
                                base: if used_again { b.add(from, scalar) } else { from },
                                index: Some(b.add(lines, within)),
                                scale: 1,
                                offset,
                            };
                            let row = b.load(Type::vector(elem, lanes), address, anywhere());
                            b.store(row, Address::base(into), anywhere());
                        });
                        let code = compile_alone(&function);
                        let mut data: Vec<u8> = (0..8192u32).map(|n| (n * 7 + n / 256) as u8).collect();
                        let mut out = vec![0u8; usize::from(lanes) * bytes as usize];
                        let from = data[64..].as_mut_ptr() as u64;
                        assert_eq!(run(&code, [from, (&raw const stride) as u64, out.as_mut_ptr() as u64, 0]), (0, 0));
                        let expected = (0..u64::from(lanes)).flat_map(|lane| {
                            let (line, along) = span_of(lane, span);
                            let (line, along) = if columns { (along, line) } else { (line, along) };
                            let start = 64 + (line + u64::from(used_again)) * stride + along * u64::from(bytes);
                            let start = start.wrapping_add_signed(offset.into()) as usize;
                            data[start..start + bytes as usize].to_vec()
                        });
                        let expected: Vec<u8> = expected.collect();
                        assert_eq!(out, expected, "{elem:?} {lanes} rows of 2^{span}, {known} {used_again} {columns} {offset}");
                    }
                }
            }
        }
    }
}

#[test]
fn lanes_of_addresses_that_loops_keep() {
    // Addresses from before a loop, with an index for all lanes or without, and addresses that each iteration has of its own: their lanes are not
    // what the first iteration stored.
    for lanes in [4, 8, 16] {
        for words in [1, 2, 4] {
            for own in [false, true] {
                let ty = Type::vector(Elem::I32, lanes);
                let function = kernel(|b, [_, _, data, distances, into, count]| {
                    let long = Type::vector(Elem::I64, lanes);
                    let before = b.load(long, Address::base(distances), anywhere());
                    let start = b.splat(lanes, data);
                    let before = b.add(start, before);
                    repeat(b, count, |b, index| {
                        let bytes = b.binary_imm(BinaryOp::Shl, index, 4);
                        let by = b.splat(lanes, bytes);
                        let (base, index) = match own {
                            true => (b.add(before, by), None),
                            false => (before, Some(bytes)),
                        };
                        for word in 0..words {
                            let address = Address {
                                base,
                                index,
                                scale: 1,
                                offset: 4 * word,
                            };
                            let loaded = b.load(ty, address, anywhere());
                            let row = b.binary_imm(BinaryOp::Mul, bytes, i64::from(lanes));
                            let at = b.add(into, row);
                            let at = b.binary_imm(BinaryOp::Add, at, i64::from(word) * 4 * i64::from(lanes));
                            b.store(loaded, Address::base(at), anywhere());
                        }
                    });
                });
                let code = compile_alone(&function);
                let iterations = 3;
                let data: Vec<u32> = (0..64 * 16).map(|n| n * 1001 + 3).collect();
                let rows: Vec<u64> = (0..u64::from(lanes)).map(|lane| lane * 23 % 64).collect();
                let distances: Vec<u64> = rows.iter().map(|row| row * 64).collect();
                let mut out = vec![0u32; iterations * 4 * usize::from(lanes)];
                let arguments = [
                    data.as_ptr() as u64,
                    distances.as_ptr() as u64,
                    out.as_mut_ptr() as u64,
                    iterations as u64,
                ];
                assert_eq!(run(&code, arguments), (0, 0));
                for (n, found) in out.into_iter().enumerate() {
                    let (iteration, word, lane) = (
                        n / usize::from(lanes) / 4,
                        n / usize::from(lanes) % 4,
                        n % usize::from(lanes),
                    );
                    let expected = match word < words as usize {
                        true => data[rows[lane] as usize * 16 + iteration * 4 + word],
                        false => 0,
                    };
                    assert_eq!(
                        found, expected,
                        "{lanes} lanes, {words} words, own {own}: iteration {iteration} word {word} lane {lane}"
                    );
                }
            }
        }
    }
}
