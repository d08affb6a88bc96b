//! Jumps, switches, calls, traps, and what does not compile.

use super::harness::*;
use crate::CodeRequest;
use ir::{BinaryOp, Builder, Elem, FuncRef, Function, InstData, IntCc, Level, Runtime, Type, TypeList, ValueList, to};
use cranelift_entity::EntityRef;
use device::abi::Trap;
use std::collections::HashMap;

/// What a loop over the bits of a mask is made of: the lowest bit's number, known to be small, as an index, and the rest of the bits.
#[test]
fn bits_are_taken_off_one_by_one() {
    let one = |elem: Elem, swapped: bool, also_less: bool| {
        let function = kernel(|b, [_, _, into, bits, _, _]| {
            let ty = Type::scalar(elem);
            let bits = b.convert(ir::ConvertOp::Trunc, elem, bits);
            let less = b.binary_imm(BinaryOp::Add, bits, -1);
            let rest = if swapped { b.and(less, bits) } else { b.and(bits, less) };
            let lowest = b.unary(ir::UnaryOp::Ctz, bits);
            let lowest = b.convert(ir::ConvertOp::Trunc, Elem::I32, lowest);
            let index = b.binary_imm(BinaryOp::And, lowest, 7);
            let at = ir::Address {
                base: into,
                index: Some(index),
                scale: 8,
                offset: 0,
            };
            b.store(rest, at, anywhere());
            if also_less {
                b.store(less, ir::Address { offset: 64, ..at }, anywhere());
            }
            assert_eq!(b.ty(rest), ty);
        });
        compile_alone(&function)
    };
    for elem in [Elem::I32, Elem::I64] {
        for (swapped, also_less) in [(false, false), (true, false), (false, true)] {
            let code = one(elem, swapped, also_less);
            for bits in [0xffff_ffff_ffff_ffff, 0xffff_fff0_0000_0050, 0x8000_0000_8000_0000u64, 1, 6] {
                let mut out = vec![0u64; 16];
                assert_eq!(run(&code, [out.as_mut_ptr() as u64, bits, 0, 0]), (0, 0));
                let mask = elem.bit_mask();
                let (bits, lane) = (bits & mask, (bits & mask).trailing_zeros() as usize & 7);
                let mut expected = vec![0u64; 16];
                expected[lane] = bits & bits.wrapping_sub(1);
                if also_less {
                    expected[8 + lane] = bits.wrapping_sub(1) & mask;
                }
                assert_eq!(out, expected, "{elem:?} {bits:x}");
            }
        }
    }
}

#[test]
fn values_go_around_loops_in_parameters() {
    // Masks, vectors of two registers and scalars as parameters of a block.
    for lanes in LANES {
        let function = kernel(|b, [_, _, into, count, _, _]| {
            let ty = Type::vector(Elem::I32, lanes);
            let header = b.add_block(&[Type::I64, ty, ty.as_mask(), Type::MASK]);
            let (iteration, done) = (b.add_block(&[]), b.add_block(&[]));
            let (zero, sum) = (b.i64(0), b.constant(ty, 0));
            let (on, flag) = (b.mask(ty, true), b.mask(Type::MASK, false));
            b.jump(header, &[zero, sum, on, flag]);
            b.block = header;
            let [index, sum, on, flag] = b.params(header)[..] else {
                unreachable!()
            };
            let more = b.icmp(IntCc::Slt, index, count);
            b.branch(more, to(iteration, &[]), to(done, &[]));
            b.block = iteration;
            let step = b.constant(ty, 3);
            let added = b.add(sum, step);
            let next_sum = b.select(on, added, sum);
            let limit = b.lane(ir::LaneOp::Iota, ty, &[]);
            let limit = b.binary_imm(BinaryOp::Mul, limit, 6);
            let next_on = b.icmp(IntCc::Ule, next_sum, limit);
            let next = b.binary_imm(BinaryOp::Add, index, 1);
            let not_flag = b.not(flag);
            b.jump(header, &[next, next_sum, next_on, not_flag]);
            b.block = done;
            let one = b.constant(ty, 1000);
            let with_flag = b.add(sum, one);
            let result = b.select(flag, with_flag, sum);
            b.store(result, ir::Address::base(into), anywhere());
        });
        let code = compile_alone(&function);
        let mut out = vec![0u32; usize::from(lanes)];
        assert_eq!(run(&code, [out.as_mut_ptr() as u64, 5, 0, 0]), (0, 0));
        let expected: Vec<u32> = (0..u32::from(lanes))
            .map(|lane| {
                let (mut sum, mut on) = (0, true);
                for _ in 0..5 {
                    sum += if on { 3 } else { 0 };
                    on = sum <= 6 * lane;
                }
                sum + 1000
            })
            .collect();
        assert_eq!(out, expected);
    }
}

/// `for (; count > 0; count--) at = next[at];`, where `at` begins as the lower half of 64 bits, and where it is such a half in each iteration.
#[test]
fn what_loops_load_goes_on_as_an_index() {
    for (step, label) in [(0, "loaded"), (1, "a lower half"), (2, "a product")] {
        let function = kernel(|b, [_, _, next, start, count, into]| {
            let start = b.convert(ir::ConvertOp::Trunc, Elem::I32, start);
            let (header, done) = (b.add_block(&[Type::I32, Type::I64]), b.add_block(&[Type::I32]));
            b.jump(header, &[start, count]);
            b.block = header;
            let [at, count] = b.params(header)[..] else { unreachable!() };
            let index = b.convert(ir::ConvertOp::ZExt, Elem::I64, at);
            let address = ir::Address {
                base: next,
                index: Some(index),
                scale: 4,
                offset: 0,
            };
            let loaded = b.load(Type::I32, address, anywhere());
            let again = match step {
                0 => loaded,
                1 => {
                    let high = b.i64(0x5_0000_0000);
                    let wide = b.convert(ir::ConvertOp::ZExt, Elem::I64, loaded);
                    let wide = b.add(wide, high);
                    b.convert(ir::ConvertOp::Trunc, Elem::I32, wide)
                }
                _ => b.binary_imm(BinaryOp::Mul, loaded, 0x4000_0001),
            };
            let count = b.binary_imm(BinaryOp::Add, count, -1);
            let zero = b.i64(0);
            let more = b.icmp(IntCc::Ne, count, zero);
            b.branch(more, to(header, &[again, count]), to(done, &[again]));
            b.block = done;
            let last = b.params(done)[0];
            let last = b.convert(ir::ConvertOp::ZExt, Elem::I64, last);
            b.store(last, ir::Address::base(into), anywhere());
        });
        let code = compile_alone(&function);
        let next: Vec<u32> = (0..64).map(|at| (at * 4 + 20) % 64).collect();
        for count in 1..9 {
            let mut out = u64::MAX;
            let arguments = [next.as_ptr() as u64, 0xdead_beef_0000_0007, count, &raw mut out as u64];
            assert_eq!(run(&code, arguments), (0, 0));
            let after = |at: u64, _| (at * 4 + 20) % 64;
            // Four times a quarter of 2^32 is nothing.
            assert_eq!(out, (0..count).fold(7, after), "{label}");
        }
    }
}

#[test]
fn switches_of_all_widths() {
    for elem in [Elem::I8, Elem::I16, Elem::I32, Elem::I64] {
        let cases = [0, 1, 2, 3, 4, 5, 100, 101, elem.bit_mask()];
        let function = kernel(|b, [_, _, into, value, _, _]| {
            let value = if elem == Elem::I64 {
                value
            } else {
                b.convert(ir::ConvertOp::Trunc, elem, value)
            };
            let (end, shared) = (b.add_block(&[Type::I32]), b.add_block(&[]));
            let mut targets = Vec::new();
            for (index, &case) in cases.iter().enumerate() {
                let number = b.i32(10 + index as i32);
                targets.push((case, if index % 3 == 2 { to(shared, &[]) } else { to(end, &[number]) }));
            }
            let other = b.i32(-1);
            b.push(InstData::Switch {
                value,
                cases: targets.into(),
                default: to(end, &[other]),
            });
            b.block = shared;
            let number = b.i32(-2);
            b.jump(end, &[number]);
            b.block = end;
            let result = b.params(end)[0];
            b.store(result, ir::Address::base(into), anywhere());
        });
        let code = compile_alone(&function);
        for value in [0, 1, 2, 5, 6, 7, 99, 100, 101, 102, elem.bit_mask(), elem.bit_mask() - 1] {
            let mut out = 0i32;
            assert_eq!(run(&code, [&raw mut out as u64, value, 0, 0]), (0, 0));
            let expected = match cases.iter().position(|&case| case == value) {
                Some(index) if index % 3 == 2 => -2,
                Some(index) => 10 + index as i32,
                None => -1,
            };
            assert_eq!(out, expected, "{elem:?} {value}");
        }
    }
}

/// A function that adds its two vectors where its mask is on, and gives the mask back too.
fn masked_add(elem: Elem, lanes: u16) -> Function {
    let ty = Type::vector(elem, lanes);
    let mut function = Function::new("masked_add", Level::WorkGroup, &[ty, ty.as_mask()]);
    let entry = function.add_block();
    let [a, b, mask] = [ty, ty, ty.as_mask()].map(|ty| function.add_param(entry, ty));
    let mut builder = Builder::new(&mut function, entry);
    let sum = if elem.is_float() { builder.fadd(a, b) } else { builder.add(a, b) };
    let result = builder.select(mask, sum, a);
    builder.ret(&[result, mask]);
    function
}

#[test]
fn calls_with_vectors_and_masks() {
    for elem in [Elem::I8, Elem::F16, Elem::I32, Elem::F32, Elem::F64] {
        for lanes in LANES {
            let mut random = Random(2);
            let number = |value: u64| {
                if elem.is_float() {
                    ir::eval::from_f64(elem, value as f64)
                } else {
                    value
                }
            };
            let values: Vec<u64> = (0..64).map(|_| number(random.below(50))).collect();
            let callee = FuncRef::new(3);
            let function = kernel(|b, [_, _, from, into, _, _]| {
                let ty = Type::vector(elem, lanes);
                let a = b.load(ty, ir::Address::base(from), anywhere());
                let mask = match elem.is_float() {
                    true => {
                        let limit = b.constant(ty, ir::eval::from_f64(elem, 20.0));
                        b.fcmp(ir::FloatCc::Olt, a, limit)
                    }
                    false => b.icmp_imm(IntCc::Slt, a, 20),
                };
                let call = b.push(InstData::Call {
                    callee,
                    args: ValueList::from_slice(&[a, a, mask]),
                    results: TypeList::from_slice(&[ty, ty.as_mask()]),
                });
                let [sum, mask] = b.func.inst(call).results[..] else {
                    unreachable!()
                };
                let zero = b.constant(ty, 0);
                let kept = b.select(mask, sum, zero);
                b.store(kept, ir::Address::base(into), anywhere());
            });
            let code = compile_with(&function, &HashMap::from([(callee, masked_add(elem, lanes))]), true);
            assert!(code.stack_bytes > 32);
            let memory = to_bytes(elem, &values);
            let mut out = vec![0u8; memory.len()];
            assert_eq!(run(&code, [memory.as_ptr() as u64, out.as_mut_ptr() as u64, 0, 0]), (0, 0));
            for (lane, result) in from_bytes(elem, &out).into_iter().enumerate().take(usize::from(lanes)) {
                let number = |bits| {
                    if elem.is_float() {
                        ir::eval::to_f64(elem, bits)
                    } else {
                        bits as f64
                    }
                };
                let value = number(values[lane]);
                let expected = if value < 20.0 { 2.0 * value } else { 0.0 };
                assert_eq!(number(result), expected, "{elem:?} {lanes}");
            }
        }
    }
}

#[test]
fn the_mathematics_library_is_called() {
    let function = kernel(|b, [_, _, from, into, _, _]| {
        let x = b.load(Type::F64, ir::Address::base(from), anywhere());
        let mut offset = 0;
        for routine in [Runtime::SinF64, Runtime::CosF64, Runtime::ErfF64, Runtime::ErfcF64] {
            let y = b.value(InstData::CallRuntime {
                routine,
                args: ValueList::from_slice(&[x]),
            });
            b.store(y, ir::Address::offset(into, offset), anywhere());
            offset += 8;
        }
        let bytes = b.i64(8);
        let end = b.binary_imm(BinaryOp::Add, into, 32);
        b.push(InstData::CallRuntime {
            routine: Runtime::Memcpy,
            args: ValueList::from_slice(&[end, from, bytes]),
        });
    });
    let code = compile_alone(&function);
    let (x, mut out) = (4.5f64, [0f64; 5]);
    assert_eq!(run(&code, [&raw const x as u64, out.as_mut_ptr() as u64, 0, 0]), (0, 0));
    let expected = [
        -0.977_530_117_665_097_1,
        -0.210_795_799_430_779_7,
        0.999_999_999_803_384,
        1.966_160_441_542_887_6e-10,
        4.5,
    ];
    for (value, expected) in out.iter().zip(expected) {
        assert!((value - expected).abs() <= expected.abs() * 1e-12, "{out:?}");
    }
}

#[test]
fn traps_end_the_kernel_and_say_why() {
    for (data, reason) in [
        (
            InstData::Trap {
                reason: Trap::Assertion as u32,
            },
            Trap::Assertion,
        ),
        (InstData::Unreachable, Trap::Unreachable),
    ] {
        let function = kernel(|b, [_, _, into, _, _, _]| {
            let (stop, on) = (b.add_block(&[]), b.add_block(&[]));
            let flag = b.load(Type::I32, ir::Address::base(into), anywhere());
            let stops = b.icmp_imm(IntCc::Ne, flag, 0);
            b.branch(stops, to(stop, &[]), to(on, &[]));
            b.block = stop;
            b.push(data.clone());
            b.block = on;
        });
        let code = compile_alone(&function);
        for flag in [0u32, 1] {
            let expected = flag * reason as u32;
            assert_eq!(run(&code, [&raw const flag as u64, 0, 0, 0]), (expected, expected));
        }
    }
}

#[test]
fn traps_in_functions_are_recorded() {
    let mut callee = Function::new("fails", Level::WorkGroup, &[Type::F32, Type::vector(Elem::I64, 8), Type::MASK]);
    let entry = callee.add_block();
    Builder::new(&mut callee, entry).push(InstData::Trap {
        reason: Trap::Abort as u32,
    });
    let results = callee.results.clone();
    let function = kernel(|b, [_, _, into, ..]| {
        let call = b.push(InstData::Call {
            callee: FuncRef::new(0),
            args: ValueList::new(),
            results,
        });
        let float = b.func.inst(call).results[0];
        b.store(float, ir::Address::base(into), anywhere());
    });
    let code = compile_with(&function, &HashMap::from([(FuncRef::new(0), callee)]), true);
    let mut out = 1f32;
    assert_eq!(run(&code, [&raw mut out as u64, 0, 0, 0]), (0, Trap::Abort as u32));
    assert_eq!(out, 0.0);
}

#[test]
fn addresses_of_variables() {
    let function = kernel(|b, [_, _, into, ..]| {
        let address = b.global_address(ir::Global::new(5));
        b.store(address, ir::Address::base(into), anywhere());
    });
    let mut out = 0u64;
    run(&compile_alone(&function), [&raw mut out as u64, 0, 0, 0]);
    assert_eq!(out, 0x1005);
}

#[test]
fn what_does_not_compile_is_refused() {
    let refuse = |function: &Function, callees: &HashMap<FuncRef, Function>| {
        let request = CodeRequest {
            name: "test",
            entry: function,
            callees: &|reference| callees.get(&reference),
            global_address: &|_| 0,
            places: &[],
            arguments: &[],
            optimize: true,
        };
        compile(&request).expect_err("a refusal")
    };
    let work_item = kernel(|b, _| {
        b.builtin(ir::Builtin::GlobalId, 0);
    });
    assert!(refuse(&work_item, &HashMap::new()).contains("work-group level"));
    let calls = |b: &mut Builder| {
        b.push(InstData::Call {
            callee: FuncRef::new(0),
            args: ValueList::new(),
            results: TypeList::new(),
        });
    };
    let lost = kernel(|b, _| calls(b));
    assert!(refuse(&lost, &HashMap::new()).contains("not there"));
    let mut itself = Function::new("itself", Level::WorkGroup, &[]);
    let entry = itself.add_block();
    let mut b = Builder::new(&mut itself, entry);
    calls(&mut b);
    b.ret(&[]);
    assert!(refuse(&lost, &HashMap::from([(FuncRef::new(0), itself)])).contains("calls itself"));
    assert!(refuse(&masked_add(Elem::I32, 4), &HashMap::new()).contains("parameters"));
}

/// Code size and time grow with the function, not faster; the quick way (Cranelift has one) is as right as the other.
#[test]
fn large_functions_compile() {
    for count in [1_000, 40_000] {
        let function = kernel(|b, [_, _, into, ..]| {
            let ty = Type::vector(Elem::I32, 8);
            let mut sum = b.constant(ty, 1);
            let iota = b.lane(ir::LaneOp::Iota, ty, &[]);
            for step in 0..count / 2 {
                sum = b.add(sum, iota);
                sum = b.binary_imm(BinaryOp::Xor, sum, step);
            }
            b.store(sum, ir::Address::base(into), anywhere());
        });
        let code = compile_alone(&function);
        let mut out = [0i32; 8];
        run(&code, [out.as_mut_ptr() as u64, 0, 0, 0]);
        for (lane, &result) in out.iter().enumerate() {
            let expected = (0..count / 2).fold(1i32, |sum, step| sum.wrapping_add(lane as i32) ^ step as i32);
            assert_eq!(result, expected);
        }
    }
}
