//! What the machine can do at most, without OpenCL: measured by threads of this program, in loops written by hand, so that rows can be read as
//! parts of it.

mod loops;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::latency::best;
use std::fmt;

/// Something that a machine has so much of in a second.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Resource {
    /// Bytes read in order, again and again, from so many: the level of the cache that holds them.
    Read(usize),
    /// Bytes read and written by C's memcpy, of so many: half of them read, half written.
    Copy(usize),
    /// 32-bit elements read in no order from a table of so many bytes.
    Gather(usize),
    /// Steps of a chain of loads, in a table of so many bytes: each address is what was loaded before.
    Link(usize),
    /// Multiplications and additions of floats, fused ones counted once.
    Float,
    /// Of doubles.
    Double,
    /// Additions, comparisons and bitwise operations of 32-bit integers.
    Int,
    /// Multiplications of 32-bit integers, an addition with each.
    Multiply,
    /// Products of 8-bit integers that are added up, with the addition.
    Dot,
}

use Resource::*;

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let of = |f: &mut fmt::Formatter, what, bytes: usize| match bytes >> 20 {
            0 => write!(f, "{what} {} KiB", bytes.div_ceil(1024)),
            _ => write!(f, "{what} {} MiB", bytes >> 20),
        };
        match *self {
            Read(bytes) => of(f, "bytes read of", bytes),
            Copy(bytes) => of(f, "bytes copied in", bytes),
            Gather(bytes) => of(f, "gathers from", bytes),
            Link(bytes) => of(f, "chained loads from", bytes),
            Float => f.write_str("float operations"),
            Double => f.write_str("double operations"),
            Int => f.write_str("integer operations"),
            Multiply => f.write_str("integer products"),
            Dot => f.write_str("products of bytes"),
        }
    }
}

impl Resource {
    /// What [`fmt::Debug`] writes.
    pub fn parse(text: &str) -> Option<Resource> {
        let (name, bytes) = text.trim_end_matches(')').split_once('(').unwrap_or((text, "0"));
        let bytes = bytes.parse().ok()?;
        Some(match name {
            "Read" => Read(bytes),
            "Copy" => Copy(bytes),
            "Gather" => Gather(bytes),
            "Link" => Link(bytes),
            "Float" => Float,
            "Double" => Double,
            "Int" => Int,
            "Multiply" => Multiply,
            "Dot" => Dot,
            _ => return None,
        })
    }

    /// So much of it in a second, with all processors.
    fn measure(self) -> f64 {
        match self {
            Read(bytes) => loops::read(bytes),
            Copy(bytes) => loops::copy(bytes),
            Gather(bytes) => loops::gather(bytes),
            Link(bytes) => loops::link(bytes),
            Float => loops::float(),
            Double => loops::double(),
            Int => loops::int(),
            Multiply => loops::multiply(),
            Dot => loops::dot(),
        }
    }
}

/// What has been measured so far.
#[derive(Default)]
pub struct Limits {
    pub rates: Vec<(Resource, f64)>,
}

impl Limits {
    fn rate(&mut self, resource: Resource) -> f64 {
        if let Some(&(_, rate)) = self.rates.iter().find(|(known, _)| *known == resource) {
            return rate;
        }
        let rate = resource.measure();
        eprintln!("  without OpenCL, all processors: {rate:.3e} {resource} a second");
        self.rates.push((resource, rate));
        rate
    }

    /// So many units of work, of which each needs this, are possible in a second, and what there is too little of.
    pub fn most(&mut self, needs: &[(Resource, f64)]) -> Option<(f64, Resource)> {
        let limits = needs.iter().map(|&(resource, amount)| (self.rate(resource) / amount, resource));
        limits.min_by(|a, b| a.0.total_cmp(&b.0))
    }
}

/// Needs as a word, and back.
pub fn to_word(needs: &[(Resource, f64)]) -> String {
    let words: Vec<String> = needs.iter().map(|(resource, amount)| format!("{resource:?}*{amount}")).collect();
    words.join("+")
}

pub fn from_word(word: &str) -> Vec<(Resource, f64)> {
    let need = |word: &str| {
        let (resource, amount) = word.split_once('*')?;
        Some((Resource::parse(resource)?, amount.parse().ok()?))
    };
    word.split('+').filter_map(need).collect()
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// How often `work` is done in a second, times `amount`, with a thread a processor; each has an item of `parts`.
fn rate<T: Send>(amount: f64, parts: &mut [T], work: impl Fn(&mut T) + Sync) -> f64 {
    let time = best(|| {
        std::thread::scope(|scope| {
            for part in parts.iter_mut() {
                scope.spawn(|| work(part));
            }
        });
    });
    amount * parts.len() as f64 / time.as_secs_f64()
}
