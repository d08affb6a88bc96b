//! The linear filter: a sum of two, four or eight texels (OpenCL SPIR-V Environment, section "Linear Filtering").
//!
//! Where nothing wraps around and nothing is border, the texels of a coordinate are neighbours: two in a row are loaded at once, and the
//! next row is a pitch away. At an edge the weights say which of the two counts, and so there must be two, and no infinities.

use super::position::{Axis, Spot};
use super::{Access, Known, Texel, texel};
use device::image::Encoding;
use ir::*;
use smallvec::SmallVec;

/// What texels add up to.
#[derive(Default)]
struct Sum {
    total: Option<Texel>,
    /// What the format has no channel for is the same in all texels, and the weights make one.
    constants: [Option<Value>; 4],
}

impl Sum {
    fn add(&mut self, b: &mut Builder, texel: Texel, weight: Option<Value>) {
        self.constants = core::array::from_fn(|n| b.func.constant(texel[n]).map(|_| texel[n]));
        b.flags = Flags::CONTRACT;
        let mut next = Texel::new();
        for (n, &value) in texel.iter().enumerate() {
            let part = weight.map_or(value, |weight| b.fmul(value, weight));
            next.push(match &self.total {
                Some(total) => b.fadd(total[n], part),
                None => part,
            });
        }
        b.flags = Flags::empty();
        self.total = Some(next);
    }

    fn finish(self) -> Texel {
        let total = self.total.unwrap_or_default();
        let both = total.iter().zip(self.constants);
        both.map(|(&sum, constant)| constant.unwrap_or(sum)).collect()
    }
}

fn product(b: &mut Builder, a: Option<Value>, c: Option<Value>) -> Option<Value> {
    match (a, c) {
        (Some(a), Some(c)) => Some(b.fmul(a, c)),
        (a, c) => a.or(c),
    }
}

impl Access<'_> {
    pub fn read_linear(&self, b: &mut Builder, known: &Known, axes: &[Axis]) -> Texel {
        let finite = known.format.encoding != Encoding::Float;
        let mut sum = Sum::default();
        if known.pairs && finite && Axis::has_neighbours(known.sampler) {
            self.add_neighbours(b, known, axes, &mut sum);
        } else {
            self.add_corners(b, known, axes, &mut sum);
        }
        texel::scaled(b, &known.format, &sum.finish())
    }

    /// Texels anywhere.
    fn add_corners(&self, b: &mut Builder, known: &Known, axes: &[Axis], sum: &mut Sum) {
        // Along each axis: places, and what each counts for; a layer is one place.
        let taps: SmallVec<[_; 3]> = axes.iter().map(|axis| axis.linear(b, known.sampler)).collect();
        let mut corners: Vec<(SmallVec<[Spot; 3]>, Option<Value>)> = vec![(SmallVec::new(), None)];
        for taps in &taps {
            let mut next = Vec::with_capacity(2 * corners.len());
            for (spots, weight) in &corners {
                for (spot, factor) in taps {
                    let mut spots = spots.clone();
                    spots.push(*spot);
                    next.push((spots, product(b, *weight, *factor)));
                }
            }
            corners = next;
        }
        for (spots, weight) in corners {
            let (words, inside) = self.words_at(b, known, &spots, true);
            let texel = texel::decode_unscaled(b, &known.format, &words, inside);
            sum.add(b, texel, weight);
        }
    }

    /// Texels side by side.
    fn add_neighbours(&self, b: &mut Builder, known: &Known, axes: &[Axis], sum: &mut Sum) {
        let places: SmallVec<[_; 3]> = axes.iter().map(|axis| axis.neighbourhood(b, known.sampler)).collect();
        let firsts: SmallVec<[Value; 3]> = places.iter().map(|&(first, _)| first).collect();
        let address = self.address(b, known, &firsts);
        let mut rows: Vec<(Value, Option<Value>)> = vec![(address.base, None)];
        for (n, (_, weights)) in places.iter().enumerate().skip(1) {
            let Some([here, there]) = *weights else {
                continue;
            };
            let pitch = self.field(b, Type::I64, self.pitch(n));
            for (base, weight) in std::mem::take(&mut rows) {
                rows.push((base, product(b, weight, Some(here))));
                let base = b.add(base, pitch);
                rows.push((base, product(b, weight, Some(there))));
            }
        }
        let (_, across) = places[0];
        for (base, weight) in rows {
            let pair = self.pair_at(b, known, Address { base, ..address });
            for (n, words) in pair.iter().enumerate() {
                let texel = texel::decode_unscaled(b, &known.format, words, None);
                let weight = product(b, across.map(|weights| weights[n]), weight);
                sum.add(b, texel, weight);
            }
        }
    }

    /// The words of a texel and of the next one.
    fn pair_at(&self, b: &mut Builder, known: &Known, address: Address) -> [Texel; 2] {
        let bytes = known.format.bytes;
        // The neighbouring group comes next, and reads on in these rows: too many of them for the machine to see that.
        let mut mem = self.mem_inside();
        mem.flags |= MemFlags::AHEAD;
        if bytes > 2 {
            return [0, bytes].map(|skipped| self.load_words(b, known, address, skipped, mem));
        }
        let elem = if bytes == 1 { Elem::I16 } else { Elem::I32 };
        let both = b.load(Type::scalar(elem), address, mem);
        let both = b.convert(ConvertOp::ZExt, Elem::I32, both);
        let next = b.binary_imm(BinaryOp::LShr, both, i64::from(8 * bytes));
        [both, next].map(|value| Texel::from_slice(&[value]))
    }
}
