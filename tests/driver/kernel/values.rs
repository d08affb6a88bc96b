//! Values to compute with: the corners of each type and a reproducible sprinkle between them.

/// A generator that always gives the same numbers (SplitMix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

/// Integer types.
pub trait Integer: brolga_tests::Plain {
    const NAME: &'static str;
    fn truncate(value: u64) -> Self;
}

macro_rules! integers {
    ($($type:ty = $name:literal),*) => { $(
        impl Integer for $type {
            const NAME: &'static str = $name;
            fn truncate(value: u64) -> Self {
                value as $type
            }
        }
    )* };
}
integers!(
    i8 = "char",
    u8 = "uchar",
    i16 = "short",
    u16 = "ushort",
    i32 = "int",
    u32 = "uint",
    i64 = "long",
    u64 = "ulong"
);

/// `count` integers: corners first, in two orders so that pairs meet.
pub fn integers<T: Integer>(count: usize, seed: u64) -> Vec<T> {
    let bits = size_of::<T>() * 8;
    let top = 1u64 << (bits - 1);
    let corners = [0, 1, u64::MAX, top, top - 1, top + 1, 2, 7, bits as u64];
    let mut random = Random(seed);
    let value = |i: usize| match i {
        _ if i < corners.len() * corners.len() => match seed % 2 {
            0 => corners[i % corners.len()],
            _ => corners[i / corners.len()],
        },
        // Numbers of all magnitudes.
        _ => random.next() >> random.below(64),
    };
    (0..count).map(value).map(T::truncate).collect()
}

/// Floats of all magnitudes, with the corners.
pub fn floats(count: usize, seed: u64) -> Vec<f32> {
    let corners = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        2.0,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        f32::MAX,
        f32::MIN_POSITIVE,
        1e-45,
        -1e-40,
        3.5,
        1e10,
    ];
    let mut random = Random(seed);
    let mut value = |i: usize| match i {
        _ if i < corners.len() * corners.len() && seed.is_multiple_of(2) => corners[i % corners.len()],
        _ if i < corners.len() * corners.len() => corners[i / corners.len()],
        _ => f32::from_bits(random.next() as u32),
    };
    (0..count).map(&mut value).collect()
}

/// As [`floats`].
pub fn doubles(count: usize, seed: u64) -> Vec<f64> {
    let singles = floats(count, seed);
    let mut random = Random(seed + 100);
    let value = |(i, single): (usize, f32)| match i % 3 {
        0 if i > 225 => f64::from_bits(random.next()),
        _ => f64::from(single),
    };
    singles.into_iter().enumerate().map(value).collect()
}

/// Distance in units in the last place of the expected value, as OpenCL C counts them; 0 for two NaNs.
pub fn ulps(got: f32, expected: f64) -> f64 {
    if got.is_nan() && expected.is_nan() || f64::from(got) == expected {
        return 0.0;
    }
    let rounded = expected as f32;
    if got.is_infinite() && got == rounded {
        return 0.0;
    }
    if got.is_nan() || expected.is_nan() || got.is_infinite() != rounded.is_infinite() {
        // An overflow may be missed by what the error bound allows.
        let at_the_edge = rounded.is_infinite() && got.abs() == f32::MAX || got.is_infinite() && rounded.abs() == f32::MAX;
        return if at_the_edge { 1.0 } else { f64::INFINITY };
    }
    let exponent = (expected.abs().log2().floor() as i32).max(-126);
    (f64::from(got) - expected).abs() / 2f64.powi(exponent - 23)
}
