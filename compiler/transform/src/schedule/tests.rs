//! Random blocks: what must stay in order does.

use ir::parse::parse_function;
use ir::verify::verify;
use ir::*;
use std::fmt::Write;
use target::Machine;

/// A block of vectors that are loaded, multiplied and stored, with what orders memory in between.
fn random_block(mut state: u64) -> String {
    let mut random = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut text = "function workgroup @f {\nblock0(v0: i64, v1: i64, v2: f32x8, v3: f32x8):\n".to_owned();
    let mut vectors = vec![2, 3];
    let mut next = 4;
    for _ in 0..60 {
        let mem = [
            "global align 4",
            "global align 4 alias 1",
            "global align 4 alias 2",
            "local align 4",
            "private align 4",
        ][random(5)];
        let address = format!("v{} + {}", random(2), 32 * random(8));
        let mut vector = || vectors[vectors.len() - 1 - random(vectors.len().min(12))];
        let (a, b, c) = (vector(), vector(), vector());
        match random(12) {
            0..4 => writeln!(text, "v{next} = load.f32x8 {mem} [{address}]"),
            4..9 => writeln!(text, "v{next} = fma v{a}, v{b}, v{c}"),
            9 | 10 => {
                writeln!(text, "store v{a}, {mem} [{address}]").expect("a string takes it");
                continue;
            }
            _ => {
                writeln!(text, "fence acq_rel device").expect("a string takes it");
                continue;
            }
        }
        .expect("a string takes it");
        vectors.push(next);
        next += 1;
    }
    for vector in vectors {
        writeln!(text, "store v{vector}, global align 4 [v0 + {}]", 1024 + 32 * vector).expect("a string takes it");
    }
    text + "return\n}\n"
}

/// Whether two instructions, the first of which comes first, must stay so.
fn is_ordered(func: &Function, first: Inst, second: Inst) -> bool {
    let (first, second) = (&func.inst(first).data, &func.inst(second).data);
    let mem = |data: &InstData| match data {
        InstData::Load { mem, .. } | InstData::Store { mem, .. } => Some((mem.space, mem.alias)),
        _ => None,
    };
    match (first, second) {
        (_, InstData::Return { .. }) => true,
        (InstData::Load { .. }, InstData::Load { .. }) | (InstData::Fma { .. }, _) | (_, InstData::Fma { .. }) => false,
        (InstData::Load { mem, .. }, InstData::Fence { .. }) | (InstData::Fence { .. }, InstData::Load { mem, .. }) => {
            mem.space != Space::Private
        }
        (InstData::Load { .. }, _) | (_, InstData::Load { .. }) => match (mem(first), mem(second)) {
            (Some((space, alias)), Some((other, other_alias))) => {
                space == other && (alias == 0 || other_alias == 0 || alias == other_alias)
            }
            _ => true,
        },
        _ => true,
    }
}

#[test]
fn what_must_stay_in_order_does() {
    let mut machine = Machine::named("avx2").expect("it is a target");
    let mut moved = 0;
    for seed in 0..200 {
        machine.registers.count = 3 + seed as u32 % 6;
        let mut func = parse_function(&random_block(seed)).expect("a function");
        let block = func.layout[0];
        let before = func.block(block).insts.clone();
        moved += u32::from(super::run(&mut func, &machine));
        verify(&func, None).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{func}"));
        let after = &func.block(block).insts;
        let place = |inst: &Inst| after.iter().position(|other| other == inst).expect("it is still there");
        let places: Vec<usize> = before.iter().map(place).collect();
        assert_eq!(before.len(), after.len(), "seed {seed}");
        for (at, &first) in before.iter().enumerate() {
            for (behind, &second) in before.iter().enumerate().skip(at + 1) {
                let stays = places[at] < places[behind];
                assert!(
                    stays || !is_ordered(&func, first, second),
                    "seed {seed}: {first} and {second} in\n{func}"
                );
            }
        }
    }
    assert!(moved > 50, "it acts on {moved} of 200");
}
