//! Permutations of lanes, lookups in vectors as tables, and shuffles of 128 bits.

use super::encode::Size;
use super::forms::of_width;
use super::machine::Src;
use super::ops;
use super::parts::{Parts, Registers};
use super::selector::Selector;
use super::strided::Place;
use super::widths::int_elem;
use ir::{BinaryOp, Elem, Type};
use regalloc2::VReg;

impl Selector<'_> {
    /// Lane `i` is lane `indices[i]`, all known now.
    pub fn permute_constant(&mut self, vector: &Parts, indices: &[u64]) -> Parts {
        if !vector.ty.is_vector() {
            return vector.clone();
        }
        let bytes = vector.bytes as usize;
        let lanes = usize::from(vector.ty.lanes);
        if vector.in_mask_register() {
            let spread = self.lanes_of_mask(vector, 2);
            let permuted = self.permute_constant(&spread, indices);
            return self.mask_of_lanes(&permuted);
        }
        let source_lane = |lane: usize| indices[lane.min(lanes - 1)] as usize % lanes;
        if vector.size() == Size::X {
            let reg = vector.regs[0];
            let result = self.shuffle(reg, reg, |byte| (source_lane(byte / bytes) * bytes + byte % bytes) as u8);
            return Parts::new(vector.ty, vector.bytes, [result]);
        }
        if self.c.target.masks {
            let width = vector.bytes.max(self.shortest_permuted()) as usize;
            let index_ty = vector.ty.with_elem(int_elem(width as u32));
            let size = self.part_size(index_ty.lanes, width as u32);
            let per_part = size.bytes() as usize / width;
            if width == bytes
                && let Some(regs) = self.permute_registers(vector, size, per_part, source_lane)
            {
                return Parts::new(vector.ty, vector.bytes, regs);
            }
            let controls: Registers = (0..self.part_count(index_ty.lanes, width as u32))
                .map(|part| {
                    self.vector_constant(size, |byte| {
                        let lane = source_lane(part * per_part + byte % size.bytes() as usize / width);
                        if byte % width == 0 { lane as u8 } else { 0 }
                    })
                })
                .collect();
            return self.permute_by(vector, &Parts::new(index_ty, width as u32, controls));
        }
        let per_part = 32 / bytes;
        let regs: Registers = (0..vector.regs.len())
            .map(|part| {
                let place = |lane: usize| source_lane(part * per_part + lane);
                let places: Vec<Place> = (0..per_part)
                    .map(|lane| Some((place(lane) / per_part, place(lane) % per_part)))
                    .collect();
                self.collect_lanes(Size::Y, vector.bytes, &vector.regs, &places)
            })
            .collect();
        Parts::new(vector.ty, vector.bytes, regs)
    }

    /// The same where each register of the result takes its lanes from one.
    fn permute_registers(
        &mut self,
        vector: &Parts,
        size: Size,
        per_part: usize,
        source_lane: impl Fn(usize) -> usize,
    ) -> Option<Registers> {
        let parts = vector.regs.len();
        let source = |part: usize| source_lane(part * per_part) / per_part;
        let lanes = 0..parts * per_part;
        if parts < 2
            || lanes
                .into_iter()
                .any(|lane| source_lane(lane) / per_part != source(lane / per_part))
        {
            return None;
        }
        let width = size.bytes() as usize / per_part;
        let regs = (0..parts).map(|part| {
            let from = vector.regs[source(part)];
            let place = |lane: usize| source_lane(part * per_part + lane) % per_part;
            if (0..per_part).all(|lane| place(lane) == lane) {
                return from;
            }
            let control = self.vector_constant(size, |byte| if byte % width == 0 { place(byte / width) as u8 } else { 0 });
            self.select_lanes(size, width as u32, &[from], control)
        });
        Some(regs.collect())
    }

    /// Lanes of a register of 256 bits to other places in it; those without a source are anything, or 0 for short ones.
    pub fn permute_within(&mut self, bytes: usize, source: VReg, places: &[Option<usize>]) -> VReg {
        if places
            .iter()
            .enumerate()
            .all(|(lane, place)| place.is_none_or(|place| place == lane))
            && bytes >= 4
        {
            return source;
        }
        match bytes {
            8 => {
                let imm = places
                    .iter()
                    .enumerate()
                    .fold(0, |imm, (lane, place)| imm | (place.unwrap_or(lane) as u8) << (2 * lane));
                self.c.v2i(&ops::VPERMQ, Size::Y, source, imm)
            }
            4 => {
                let control = self.vector_constant(Size::Y, |byte| {
                    if byte % 4 == 0 {
                        places[byte / 4].unwrap_or(byte / 4) as u8
                    } else {
                        0
                    }
                });
                self.c.v3(&ops::VPERMD, Size::Y, control, source)
            }
            _ => {
                // Shuffles of bytes stay within their half: one of the register and one of its halves exchanged.
                let from = |byte: usize| places[byte / bytes].map(|place| place * bytes + byte % bytes);
                let mut result = None;
                for crossing in [false, true] {
                    let stays = |byte: usize| from(byte).filter(|at| (at / 16 == byte / 16) != crossing);
                    if !(0..32).any(|byte| stays(byte).is_some()) {
                        continue;
                    }
                    let source = if crossing {
                        self.c.v2i(&ops::VPERMQ, Size::Y, source, 0x4e)
                    } else {
                        source
                    };
                    let control = self.pooled_part(Size::Y, |byte| stays(byte).map_or(0x80, |at| at as u8 % 16));
                    let moved = self.c.v3(&ops::VPSHUFB, Size::Y, source, control);
                    result = Some(match result {
                        None => moved,
                        Some(before) => self.c.v3(&ops::VPOR, Size::Y, before, moved),
                    });
                }
                result.expect("some lane is in this register")
            }
        }
    }

    /// `moved` where it has a lane, else `before`.
    pub fn merge(&mut self, bytes: usize, before: VReg, moved: VReg, places: &[Option<usize>]) -> VReg {
        if bytes < 4 {
            return self.c.v3(&ops::VPOR, Size::Y, before, moved);
        }
        let words = bytes / 4;
        let imm = (0..8).fold(0, |imm, word| imm | u16::from(places[word / words].is_some()) << word);
        self.blend_words(Size::Y, before, moved, imm)
    }

    /// Lane `i` is lane `indices[i]` of a vector, of as many lanes or not, modulo its lanes.
    pub fn permute(&mut self, vector: &Parts, indices: &Parts) -> Parts {
        if !vector.ty.is_vector() {
            return vector.clone();
        }
        let ty = indices.ty.with_elem(vector.ty.elem);
        if self.c.target.masks {
            if vector.in_mask_register() {
                let lanes = self.lanes_of_mask(vector, indices.bytes.max(2));
                let permuted = self.permute(&lanes, indices);
                return self.mask_of_lanes(&permuted);
            }
            let width = vector.bytes.max(self.shortest_permuted());
            let resized = match indices.bytes > width {
                true => self.truncate(indices, indices.ty.with_elem(int_elem(width))),
                false => self.extend_to(false, indices, width),
            };
            // The instructions take numbers modulo the lanes of whole registers, as long as the longer of both.
            let size = vector.size().max(resized.size()).max(Size::Y);
            let lanes = u32::from(vector.ty.lanes);
            let registers = self.part_count(vector.ty.lanes, width) as u32;
            let numbers = match lanes * width == registers * size.bytes() {
                true => resized,
                false => {
                    let modulo = self.splat_source(resized.size(), width, u64::from(lanes - 1));
                    self.map(&resized, |s, part| s.c.v3(&ops::VPAND, resized.size(), part, modulo))
                }
            };
            return self.permute_by(vector, &numbers);
        }
        let indices = &match indices.bytes {
            8 if vector.bytes != 8 => self.truncate(indices, indices.ty.with_elem(Elem::I32)),
            _ => indices.clone(),
        };
        match (vector.ty.elem, vector.bytes) {
            (Elem::Mask, _) => {
                let mask = self.mask(vector, 4);
                self.permute_words(&mask, indices)
            }
            (_, 4) => self.permute_words(vector, indices),
            (_, 8) => {
                // Each index as those of its two halves.
                let wide = self.extend_to(false, indices, 8);
                let unit = self.splat_source(Size::Y, 8, 1 << 32);
                let modulo = self.splat_source(Size::Y, 8, u64::from(vector.ty.lanes - 1));
                let controls = self.map(&wide, |s, part| {
                    let part = s.c.v3(&ops::VPAND, Size::Y, part, modulo);
                    let doubled = s.c.v3(&ops::VPADDQ, Size::Y, part, part);
                    let upper = s.c.v_shift(&ops::VPSHIFTQ_I8, 6, Size::Y, doubled, 32);
                    let both = s.c.v3(&ops::VPOR, Size::Y, doubled, upper);
                    s.c.v3(&ops::VPADDQ, Size::Y, both, unit)
                });
                let regs: Registers = controls
                    .regs
                    .iter()
                    .map(|&control| self.select_words(&vector.regs, control))
                    .collect();
                Parts::new(ty, 8, regs)
            }
            // Numbers of bytes are bytes.
            (_, bytes) if u32::from(vector.ty.lanes) * bytes <= 256 => self.permute_bytes(vector, indices),
            _ => {
                let mut wide = self.widen(vector, 4, false);
                wide.ty = vector.ty.with_elem(Elem::I32);
                let permuted = self.permute_words(&wide, indices);
                self.truncate(&permuted, ty)
            }
        }
    }

    /// Lanes of one or two bytes by shuffles of bytes, which take them from 128 bits at a time.
    fn permute_bytes(&mut self, vector: &Parts, indices: &Parts) -> Parts {
        let bytes = vector.bytes;
        let indices = self.truncate(indices, indices.ty.with_elem(int_elem(bytes)));
        let size = indices.size();
        let modulo = self.splat_source(size, bytes, u64::from(vector.ty.lanes - 1));
        let controls = self.map(&indices, |s, part| {
            let within = s.c.v3(&ops::VPAND, size, part, modulo);
            if bytes == 1 {
                return within;
            }
            // Both bytes of each lane.
            let (twice, next) = (s.splat_source(size, 2, 0x0202), s.splat_source(size, 2, 0x0100));
            let doubled = s.c.v3(&ops::VPMULLW, size, within, twice);
            s.c.v3(&ops::VPADDW, size, doubled, next)
        });
        let blocks = (u32::from(vector.ty.lanes) * bytes).div_ceil(16);
        let blocks: Registers = (0..blocks as usize).map(|number| self.each_half(vector, number, size)).collect();
        let regs: Registers = controls
            .regs
            .iter()
            .map(|&control| self.select_bytes(size, &blocks, control))
            .collect();
        Parts::new(indices.ty.with_elem(vector.ty.elem), bytes, regs)
    }

    /// The 128 bits of that number of a vector, in each such lane of a register.
    fn each_half(&mut self, vector: &Parts, number: usize, size: Size) -> VReg {
        let (reg, upper) = match vector.size() {
            Size::X => (vector.regs[number], false),
            _ => (vector.regs[number / 2], number % 2 == 1),
        };
        match (size, upper) {
            (Size::X, false) => reg,
            (Size::X, true) => self.c.v_rm(&ops::VEXTRACTI128_RM, Size::Y, reg, 1),
            _ => self.c.v2i(&ops::VPERMQ, Size::Y, reg, if upper { 0xee } else { 0x44 }),
        }
    }

    /// The bytes whose numbers are in `control`, of blocks of 128 bits.
    fn select_bytes(&mut self, size: Size, blocks: &[VReg], control: VReg) -> VReg {
        // A shuffle looks at the lowest four bits of a number, and gives 0 where the highest one is set.
        if let [low, high] = *blocks {
            let [low, high] = [low, high].map(|block| self.c.v3(&ops::VPSHUFB, size, block, control));
            let is_high = self.c.v_shift(&ops::VPSHIFTW_I8, 6, size, control, 3);
            return self.blend_by_sign(size, 1, is_high, high, low);
        }
        if let [only] = *blocks {
            return self.c.v3(&ops::VPSHUFB, size, only, control);
        }
        let others = self.splat_source(size, 1, 0x70);
        let selected = blocks.iter().enumerate().map(|(number, &block)| {
            let within = match number {
                0 => control,
                _ => {
                    let start = self.splat_source(size, 1, 16 * number as u64);
                    self.c.v3(&ops::VPXOR, size, control, start)
                }
            };
            let own = self.c.v3(&ops::VPADDUSB, size, within, others);
            self.c.v3(&ops::VPSHUFB, size, block, own)
        });
        let selected: Registers = selected.collect();
        let all = selected.into_iter().reduce(|a, b| self.c.v3(&ops::VPOR, size, a, b));
        all.expect("a vector has registers")
    }

    /// The bytes of the shortest lanes that the machine permutes over whole registers.
    pub fn shortest_permuted(&self) -> u32 {
        if self.c.target.features.vbmi { 1 } else { 2 }
    }

    /// With indices as wide as the lanes (or two bytes where lanes of one can't be permuted) and below their number, where there are mask
    /// registers.
    fn permute_by(&mut self, vector: &Parts, indices: &Parts) -> Parts {
        let ty = indices.ty.with_elem(vector.ty.elem);
        if vector.bytes < self.shortest_permuted() {
            let wide = self.widen(vector, 2, false);
            let permuted = self.permute_by(&wide, indices);
            let ty = indices.ty.with_elem(Elem::I8);
            return Parts::new(ty, 1, self.truncate(&permuted, ty).regs);
        }
        let size = vector.size().max(indices.size());
        let regs: Registers = indices
            .regs
            .iter()
            .map(|&control| self.select_lanes(size, vector.bytes, &vector.regs, control))
            .collect();
        Parts::new(ty, vector.bytes, regs)
    }

    /// The lanes of one, two, four or more registers whose numbers are in `control`.
    pub fn select_lanes(&mut self, size: Size, bytes: u32, sources: &[VReg], control: VReg) -> VReg {
        match *sources {
            [only] => {
                let op = of_width(bytes, [&ops::VPERMB, &ops::VPERMW, &ops::VPERMD, &ops::VPERMQ_BY_LANE]);
                // Some have no form for short registers; what the numbers name is in the lower half of longer ones.
                self.c.v3(op, size.max(Size::Y), control, only)
            }
            [first, second] => {
                let op = of_width(bytes, [&ops::VPERMI2B, &ops::VPERMI2W, &ops::VPERMI2D, &ops::VPERMI2Q]);
                self.c.v3_tied(op, size, control, first, second)
            }
            _ => {
                let (low, high) = sources.split_at(sources.len() / 2);
                let low = self.select_lanes(size, bytes, low, control);
                let high_lanes = sources.len() as u32 / 2 * size.bytes() / bytes;
                let high = self.select_lanes(size, bytes, high, control);
                let by = bytes * 8 - 1 - high_lanes.ilog2();
                let ty = Type::vector(int_elem(bytes), (size.bytes() / bytes) as u16);
                let is_high = match by {
                    0 => control,
                    _ => self.shift_raw(BinaryOp::Shl, &Parts::new(ty, bytes, [control]), by).regs[0],
                };
                self.blend_by_sign(size, bytes, is_high, high, low)
            }
        }
    }

    fn permute_words(&mut self, vector: &Parts, indices: &Parts) -> Parts {
        let whole = match (vector.size(), indices.size()) {
            (Size::X, Size::X) => 4,
            _ => vector.regs.len() * 8,
        };
        let controls = match usize::from(vector.ty.lanes) == whole {
            true => indices.regs.clone(),
            false => {
                let size = indices.size();
                let modulo = self.splat_source(size, 4, u64::from(vector.ty.lanes - 1));
                self.map(indices, |s, part| s.c.v3(&ops::VPAND, size, part, modulo)).regs
            }
        };
        let regs: Registers = controls
            .iter()
            .map(|&control| match whole {
                4 => self.c.v3(&ops::VPERMILPS, Size::X, vector.regs[0], control),
                _ => self.select_words(&vector.regs, control),
            })
            .collect();
        Parts::new(indices.ty.with_elem(vector.ty.elem), 4, regs)
    }

    /// The words of several registers of 256 bits whose numbers are in `control`, modulo all of them.
    fn select_words(&mut self, sources: &[VReg], control: VReg) -> VReg {
        let size = Size::Y;
        let mut result = self.c.v3(&ops::VPERMD, size, control, sources[0]);
        if let [_, second] = *sources {
            let other = self.c.v3(&ops::VPERMD, size, control, second);
            let is_second = self.c.v_shift(&ops::VPSHIFTD_I8, 6, size, control, 28);
            return self.blend_by_sign(size, 4, is_second, other, result);
        }
        if sources.len() > 1 {
            let modulo = self.splat_source(size, 4, 8 * (sources.len() as u64 - 1));
            let which = self.c.v3(&ops::VPAND, size, control, modulo);
            for (number, &source) in sources.iter().enumerate().skip(1) {
                let moved = self.c.v3(&ops::VPERMD, size, control, source);
                let this = self.splat_source(size, 4, 8 * number as u64);
                let here = self.equal_lanes(size, 4, which, this);
                result = self.blend_by_sign(size, 4, here, moved, result);
            }
        }
        result
    }

    /// A byte shuffle of two registers of 128 bits; `source` says for each byte of the result which of the 32 it is.
    pub fn shuffle(&mut self, a: VReg, b: VReg, source: impl Fn(usize) -> u8) -> VReg {
        self.shuffle_each(Size::X, a, b, source)
    }

    /// The same for each 128 bits of longer registers.
    pub fn shuffle_each(&mut self, size: Size, a: VReg, b: VReg, source: impl Fn(usize) -> u8) -> VReg {
        let mut bytes: [u8; 16] = core::array::from_fn(source);
        if a == b {
            bytes.iter_mut().for_each(|byte| *byte %= 16);
        }
        if bytes.iter().enumerate().all(|(index, &byte)| usize::from(byte) == index) {
            return a;
        }
        for (op, width) in [
            (&ops::VPUNPCKLBW, 1),
            (&ops::VPUNPCKLWD, 2),
            (&ops::VPUNPCKLDQ, 4),
            (&ops::VPUNPCKLQDQ, 8),
            (&ops::VPUNPCKHBW, 1),
            (&ops::VPUNPCKHWD, 2),
            (&ops::VPUNPCKHDQ, 4),
            (&ops::VPUNPCKHQDQ, 8),
        ] {
            let start = if op.code >= 0x68 && op.code != 0x6c { 8 } else { 0 };
            let unpacked = |index: usize| index / width % 2 * 16 + start + index / (2 * width) * width + index % width;
            if bytes.iter().enumerate().all(|(index, &byte)| usize::from(byte) == unpacked(index)) {
                return self.c.v3(op, size, a, b);
            }
        }
        let words: Option<Vec<u8>> = bytes
            .chunks(4)
            .map(|word| (word[0] % 4 == 0 && (1..4).all(|at| word[at] == word[0] + at as u8)).then_some(word[0] / 4))
            .collect();
        if let Some(words) = words {
            let imm = words.iter().rev().fold(0, |imm, word| (imm << 2) | (word % 4));
            if words.iter().all(|&word| word < 4) {
                return self.c.v2i(&ops::VPSHUFD, size, a, imm);
            }
            if words.iter().all(|&word| word >= 4) {
                return self.c.v2i(&ops::VPSHUFD, size, b, imm);
            }
            if words[..2].iter().all(|&word| word < 4) && words[2..].iter().all(|&word| word >= 4) {
                return self.c.v3i(&ops::VSHUFPS, size, a, b, imm);
            }
            if words.iter().enumerate().all(|(at, &word)| usize::from(word % 4) == at) {
                let imm: u16 = words.iter().rev().fold(0, |imm, word| (imm << 1) | u16::from(word / 4));
                return self.blend_words(size, a, b, imm * 0x1111);
            }
        }
        let from_a = bytes.iter().any(|&byte| byte < 16);
        let from_b = bytes.iter().any(|&byte| byte >= 16);
        let mut result = None;
        for (reg, used, start) in [(a, from_a, 0), (b, from_b, 16)] {
            if !used {
                continue;
            }
            let control = self.pooled_part(size, |at| {
                let byte = bytes[at % 16];
                if byte / 16 == start / 16 { byte % 16 } else { 0x80 }
            });
            let moved = self.c.v3(&ops::VPSHUFB, size, reg, control);
            result = Some(match result {
                None => moved,
                Some(before) => self.c.v3(&ops::VPOR, size, before, Src::Reg(moved)),
            });
        }
        result.expect("each byte is in one of both")
    }
}
