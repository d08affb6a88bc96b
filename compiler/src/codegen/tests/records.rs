//! Lanes that load neighbouring words, each from a record of its own.

use super::harness::*;
use crate::ir::{Address, BinaryOp, Elem, Type};

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
