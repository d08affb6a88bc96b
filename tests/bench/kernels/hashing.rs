//! Hashes, checksums and random numbers.

use super::{Measured, check, time};
use brolga_tests::{Context, Program, Range};

pub(super) fn murmur(context: &Context, program: &Program) -> Measured {
    let n = 1 << 20;
    let keys: Vec<u32> = (0..4 * n as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
    let (k, r) = (context.buffer(&keys), context.zeros::<u32>(n));
    let seconds = time(context, program, &Range::new([n]), &[&k, &r]);
    let hash = |words: &[u32]| {
        let mut h = 0x9747_b28c_u32;
        for &word in words {
            let v = word.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593);
            h = (h ^ v).rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
        }
        h ^= 4 * words.len() as u32;
        h = (h ^ h >> 16).wrapping_mul(0x85eb_ca6b);
        h = (h ^ h >> 13).wrapping_mul(0xc2b2_ae35);
        h ^ h >> 16
    };
    // The hash of "test" with this seed is known.
    check(hash(&[u32::from_le_bytes(*b"test")]) == 0x704b_81dc, "the reference of MurmurHash3")?;
    let got = r.read();
    check((0..n).step_by(7).all(|i| got[i] == hash(&keys[4 * i..][..4])), "MurmurHash3")?;
    Ok((n as f64 / 1e6, seconds))
}

pub(super) fn crc32(context: &Context, program: &Program) -> Measured {
    let n = 1 << 17;
    let messages: Vec<u8> = (0..64 * n as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 19) as u8).collect();
    let by_bits = |mut crc: u32, byte: u8| {
        crc ^= u32::from(byte);
        (0..8).fold(crc, |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 })
    };
    let table: Vec<u32> = (0..=255).map(|byte| by_bits(0, byte)).collect();
    let (m, t, r) = (context.buffer(&messages), context.buffer(&table), context.zeros::<u32>(n));
    let seconds = time(context, program, &Range::new([n]), &[&m, &t, &r]);
    let crc = |message: &[u8]| !message.iter().fold(!0, |crc, &byte| by_bits(crc, byte));
    check(crc(b"123456789") == 0xcbf4_3926, "the reference of CRC-32")?;
    let got = r.read();
    check((0..n).step_by(31).all(|i| got[i] == crc(&messages[64 * i..][..64])), "CRC-32")?;
    Ok((64.0 * n as f64 / 1e6, seconds))
}

pub(super) fn monte_carlo(context: &Context, program: &Program) -> Measured {
    let (n, count) = (1 << 14, 512u32);
    let r = context.zeros::<u32>(n);
    let seconds = time(context, program, &Range::new([n]), &[&r, &count]);
    let got = r.read();
    for i in (0..n).step_by(97) {
        let mut state = (i as u32).wrapping_mul(2_654_435_761).wrapping_add(1);
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            state >> 17
        };
        let inside = (0..count).filter(|_| {
            let (x, y) = (next(), next());
            x * x + y * y < 1 << 30
        });
        check(got[i] == inside.count() as u32, "Monte Carlo")?;
    }
    let share = got.iter().map(|&v| f64::from(v)).sum::<f64>() / (n as f64 * f64::from(count));
    check((share - std::f64::consts::FRAC_PI_4).abs() < 1e-3, "pi by Monte Carlo")?;
    Ok((n as f64 * f64::from(count) / 1e6, seconds))
}

pub(super) fn philox(context: &Context, program: &Program) -> Measured {
    let n = 1 << 20;
    let r = context.zeros::<[u32; 4]>(n);
    let seconds = time(context, program, &Range::new([n]), &[&r]);
    let got = r.read();
    // The known answer for counter and key 0.
    check(got[0] == [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8], "Philox of 0")?;
    let multiply = |a: u32, b: u32| {
        let product = u64::from(a) * u64::from(b);
        [(product >> 32) as u32, product as u32]
    };
    for i in (0..n).step_by(997) {
        let (mut c, mut k) = ([i as u32, 0, 0, 0], [0u32; 2]);
        for _ in 0..10 {
            let ([h0, l0], [h1, l1]) = (multiply(0xd251_1f53, c[0]), multiply(0xcd9e_8d57, c[2]));
            c = [h1 ^ c[1] ^ k[0], l1, h0 ^ c[3] ^ k[1], l0];
            k = [k[0].wrapping_add(0x9e37_79b9), k[1].wrapping_add(0xbb67_ae85)];
        }
        check(got[i] == c, "Philox")?;
    }
    Ok((4.0 * n as f64 / 1e6, seconds))
}
