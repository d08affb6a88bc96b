//! The images and samplers that a kernel is given: what they are, and their memory.

use super::{Random, Range};
use device::image::{Addressing, Encoding, Format, ImageRecord, LevelRange, SamplerWord, kind};
use interface::{ArgumentFact, ArgumentFacts};
use ir::ImageDim;

/// Images that are read.
pub(super) const TEXTURES: usize = 2;
/// Images among the arguments: behind those that are read, one that is written.
pub(super) const IMAGES: usize = TEXTURES + 1;
/// Samplers among the arguments.
pub(super) const SAMPLERS: usize = 2;

/// An image.
#[derive(Clone, Copy, Debug)]
pub(super) struct Picture {
    pub format: Format,
    pub dim: ImageDim,
    /// By coordinate.
    sizes: [u32; 3],
    /// Mip levels.
    levels: u32,
    /// Texels that no row has, at the end of each.
    padding: u32,
}

impl Picture {
    fn new(random: &mut Random, sizes: impl Fn(&mut Random, ImageDim) -> [u32; 3], most_levels: u64) -> Picture {
        let formats: Vec<Format> = Format::all().collect();
        let dims = [
            ImageDim::D1,
            ImageDim::D1Array,
            ImageDim::D2,
            ImageDim::D2,
            ImageDim::D2Array,
            ImageDim::D3,
        ];
        let dim = *random.choose(&dims);
        Picture {
            format: *random.choose(&formats),
            dim,
            sizes: sizes(random, dim),
            levels: 1 + random.below(most_levels) as u32,
            padding: random.below(3) as u32,
        }
    }

    /// The records of its levels, and its memory.
    fn make(&self, random: &mut Random) -> (Vec<ImageRecord>, Vec<u64>) {
        let bytes = self.format.bytes;
        let [x, y, z] = self.sizes;
        let half = |size: u32, level: u32| (size >> level).max(1);
        let mut end = 0u64;
        let mut records: Vec<ImageRecord> = (0..self.levels)
            .map(|level| {
                let [width, height, depth] = match self.dim {
                    ImageDim::D1 | ImageDim::D1Array => [half(x, level), 1, 1],
                    ImageDim::D2 | ImageDim::D2Array => [half(x, level), half(y, level), 1],
                    ImageDim::D3 => [half(x, level), half(y, level), half(z, level)],
                };
                let (array_size, kind) = match self.dim {
                    ImageDim::D1 => (1, kind::IMAGE_1D),
                    ImageDim::D1Array => (y, kind::IMAGE_1D_ARRAY),
                    ImageDim::D2 => (1, kind::IMAGE_2D),
                    ImageDim::D2Array => (z, kind::IMAGE_2D_ARRAY),
                    ImageDim::D3 => (1, kind::IMAGE_3D),
                };
                let row_pitch = u64::from((width + self.padding) * bytes);
                let slice_pitch = row_pitch * u64::from(height + self.padding);
                let start = end;
                end += slice_pitch * u64::from(depth * array_size);
                ImageRecord {
                    data: std::ptr::without_provenance_mut(start as usize),
                    row_pitch,
                    slice_pitch,
                    width,
                    height,
                    depth,
                    array_size,
                    order: self.format.order,
                    data_type: self.format.data_type,
                    levels: self.levels,
                    samples: 1,
                    kind,
                }
            })
            .collect();
        // (A guard shows what is written beyond the end.)
        let mut words: Vec<u64> = (0..end.div_ceil(8) + 8).map(|_| random.next()).collect();
        if self.format.encoding == Encoding::Float {
            let mut texels: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
            for texel in texels.chunks_exact_mut(bytes as usize) {
                // What any filter makes of such numbers is exact.
                let color = [0; 4].map(|_| (random.below(2001) as f32 / 8.0 - 100.0).to_bits());
                self.format.write(color, texel);
            }
            let chunks = texels.chunks_exact(8).map(|chunk| chunk.try_into().expect("eight bytes"));
            words = chunks.map(u64::from_ne_bytes).collect();
        }
        for record in &mut records {
            record.data = words.as_mut_ptr().cast::<u8>().wrapping_add(record.data.addr());
        }
        (records, words)
    }
}

/// The images of a kernel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pictures {
    pub pictures: [Picture; IMAGES],
    /// How far right of its own place a work-item's texel in the last one is.
    pub shift: i64,
    /// The first for float coordinates, the second for integers. Neither filters.
    pub samplers: [u64; SAMPLERS],
}

impl Pictures {
    pub fn new(random: &mut Random, range: &Range) -> Pictures {
        let any = |random: &mut Random, _: ImageDim| [37, 7, 4].map(|size| if random.one_in(12) { 1 } else { size });
        // A texel for each work-item.
        let [x, y, z] = range.global.map(|size| size as u32);
        let own = |_: &mut Random, dim: ImageDim| match dim {
            ImageDim::D1 => [x * y * z, 1, 1],
            ImageDim::D1Array | ImageDim::D2 => [x, y * z, 1],
            ImageDim::D2Array | ImageDim::D3 => [x, y, z],
        };
        let pictures = [
            Picture::new(random, any, 1),
            Picture::new(random, any, 5),
            Picture::new(random, own, 1),
        ];
        Pictures {
            pictures,
            shift: *random.choose(&[0, 0, 0, -2, 3]),
            samplers: [sampler(random, true), sampler(random, false)],
        }
    }

    /// What the launch says of them. `at` is the offset of the first; `said` decides what is told.
    pub fn add_facts(&self, at: u64, facts: &mut ArgumentFacts, mut said: impl FnMut() -> bool) {
        for (index, picture) in (0..).zip(&self.pictures) {
            let record = picture.make(&mut Random(1)).0[0];
            if said() {
                facts.add(at + 8 * index, ArgumentFact::image(&record));
            }
        }
        for (index, &word) in (IMAGES as u64..).zip(&self.samplers) {
            if said() {
                facts.add(at + 8 * index, ArgumentFact::Sampler(SamplerWord(word as u32)));
            }
        }
    }

    /// Their memory, as a launch finds it.
    pub fn make(&self) -> Memory {
        let mut random = Random(99);
        Memory {
            images: self.pictures.map(|picture| picture.make(&mut random)),
            samplers: self.samplers,
        }
    }
}

/// The records and the memory of images.
pub(super) struct Memory {
    images: [(Vec<ImageRecord>, Vec<u64>); IMAGES],
    samplers: [u64; SAMPLERS],
}

impl Memory {
    /// Words of the argument block.
    pub fn arguments(&self) -> impl Iterator<Item = u64> {
        let images = self.images.iter().map(|(records, _)| records.as_ptr() as u64);
        images.chain(self.samplers)
    }

    /// All that may have been written.
    pub fn contents(self) -> impl Iterator<Item = u64> {
        self.images.into_iter().flat_map(|(_, words)| words)
    }
}

/// A sampler that does not filter, for float coordinates or for integers.
pub(super) fn sampler(random: &mut Random, floats: bool) -> u64 {
    let normalized = floats && random.one_in(2);
    let addressing = addressing(random, normalized);
    with_levels(random, SamplerWord::new(addressing, false, normalized))
}

/// A sampler with a linear filter, for float coordinates that are not normalized.
pub(super) fn linear_sampler(random: &mut Random) -> u64 {
    let addressing = addressing(random, false);
    with_levels(random, SamplerWord::new(addressing, true, false))
}

fn addressing(random: &mut Random, normalized: bool) -> Addressing {
    let all = [
        Addressing::None,
        Addressing::ClampToEdge,
        Addressing::Clamp,
        Addressing::Repeat,
        Addressing::MirroredRepeat,
    ];
    *random.choose(if normalized { &all } else { &all[..3] })
}

/// A sampler with some range of levels.
fn with_levels(random: &mut Random, word: SamplerWord) -> u64 {
    let range = match random.one_in(2) {
        true => LevelRange::default(),
        false => {
            let least = random.below(8);
            LevelRange::new(least as f32 / 4.0, (least + random.below(12)) as f32 / 4.0)
        }
    };
    u64::from(word.0) | u64::from(range.0) << 32
}
