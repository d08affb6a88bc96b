//! Loads and stores of lanes that are known distances apart and close together, as every second element of a row: what lies between is
//! loaded with them, registers at a time, and lanes are taken out by shuffles. Under mask registers they are stored in the same way, with the
//! lanes put in their places and all else masked.
//!
//! Memory between two lanes is on a page that one of them is on, where all lanes lie within a page's length.

use super::build::Shift;
use super::encode::Size;
use super::memory::PAGE;
use super::ops;
use super::parts::{Parts, Registers};
use super::selector::Selector;
use ir::{Address, Elem, Type, Value};
use regalloc2::VReg;
use target::costs::strided::{LANES_A_WINDOW, MOST_WINDOWS};

/// Lanes and what they lie in.
pub struct Strided {
    /// What places are counted from.
    start: Address,
    /// Where the first byte of a lane is.
    first: i32,
    /// By lane: bytes behind the first byte.
    places: Vec<u32>,
    /// The size of windows, and where each begins, behind the first byte.
    size: Size,
    windows: Vec<u32>,
}

/// A lane of a register, by their numbers: the register's, and the lane's within.
pub type Place = Option<(usize, usize)>;

impl Strided {
    /// The window that a lane lies in, and its number within.
    fn place(&self, lane: usize, bytes: u32) -> Place {
        let at = *self.places.get(lane)?;
        let window = self.windows.iter().rposition(|&window| window <= at)?;
        Some((window, ((at - self.windows[window]) / bytes) as usize))
    }

    /// Windows that cover all lanes, and whose other bytes are not accessed.
    fn cover(&mut self, span: u32) {
        self.size = match span {
            0..=16 => Size::X,
            17..=32 => Size::Y,
            _ => Size::Z,
        };
        self.windows = (0..span).step_by(self.size.bytes() as usize).collect();
    }

    /// Without windows that no lane lies in.
    fn drop_unused(&mut self, bytes: u32) {
        let used: Vec<bool> = (0..self.windows.len()).map(|window| self.lanes_in(window, bytes).1 != 0).collect();
        let mut used = used.into_iter();
        self.windows.retain(|_| used.next() == Some(true));
    }

    /// A mask's bits, of a general register, come to the lanes' places in windows: each lane lies behind the one before.
    fn may_be_masked(&self, has_mask_registers: bool) -> bool {
        has_mask_registers && self.places.len() <= 32 && self.places.windows(2).all(|pair| pair[0] < pair[1])
    }

    /// The first lane in a window, and the places of all that are in it, a bit each.
    fn lanes_in(&self, window: usize, bytes: u32) -> (u32, u64) {
        let within = |lane| self.place(lane, bytes).filter(|&(from, _)| from == window);
        let lanes = 0..self.places.len();
        let first = lanes.clone().find(|&lane| within(lane).is_some()).unwrap_or(0);
        let places = lanes.filter_map(within).fold(0, |places, (_, at)| places | 1 << at);
        (first as u32, places)
    }
}

impl Selector<'_> {
    /// A load of lanes that windows are worth it for.
    pub fn strided_load(&self, ty: Type, address: &Address, masked: bool) -> Option<Strided> {
        let mut found = self.close_together(ty, address)?;
        let bytes = ty.elem.bytes();
        let span = found.places.iter().max()? + bytes;
        if masked {
            if !found.may_be_masked(self.c.target.masks) {
                return None;
            }
            found.cover(span);
        } else {
            // Nothing behind the last lane is loaded: the last window ends with it.
            let longest = if self.sorts_bytes(&found.places, bytes) {
                Size::X
            } else {
                self.c.target.vector
            };
            let sizes = [Size::Z, Size::Y, Size::X].into_iter();
            found.size = sizes.filter(|&size| size <= longest).find(|size| size.bytes() <= span)?;
            let window = found.size.bytes();
            let windows = 0..span.div_ceil(window);
            found.windows = windows.map(|number| (number * window).min(span - window)).collect();
        }
        found.drop_unused(bytes);
        let register = if self.sorts_bytes(&found.places, bytes) {
            Size::X
        } else {
            self.part_size(ty.lanes, bytes)
        };
        let lanes = (register.bytes() / bytes).min(ty.lanes.into()) as usize;
        let is_worth_it = (0..ty.lanes.into()).step_by(lanes).all(|first| {
            let mut used: Vec<usize> = (first..first + lanes)
                .filter_map(|lane| Some(found.place(lane, bytes)?.0))
                .collect();
            used.dedup();
            used.len() <= MOST_WINDOWS && used.len() * LANES_A_WINDOW <= lanes
        });
        is_worth_it.then_some(found)
    }

    /// Loads them, or those of them that are on.
    pub fn load_strided(&mut self, ty: Type, strided: &Strided, mask: Option<Value>) -> Parts {
        let bytes = ty.elem.bytes();
        let start = self.amode(&strided.start);
        let windows: Registers = (0..strided.windows.len())
            .map(|number| {
                let from = start.behind(strided.first + strided.windows[number] as i32);
                match mask {
                    None => self.c.v2(&ops::VMOVUPS, strided.size, from),
                    Some(mask) => {
                        let (first, places) = strided.lanes_in(number, bytes);
                        let on = self.spread_mask(mask, first, places);
                        self.load_lanes_of(strided.size, bytes, on, from)
                    }
                }
            })
            .collect();
        if self.sorts_bytes(&strided.places, bytes) {
            let lanes = (Size::X.bytes() / bytes) as usize;
            let pieces: Registers = (0..usize::from(ty.lanes).div_ceil(lanes))
                .map(|piece| self.collect_short_lanes(bytes, &windows, |lane| strided.place(piece * lanes + lane, bytes)))
                .collect();
            return self.join_pieces_of(Size::X, ty, bytes, &pieces);
        }
        let size = self.part_size(ty.lanes, bytes);
        let lanes = (size.bytes() / bytes) as usize;
        let regs: Registers = (0..self.part_count(ty.lanes, bytes))
            .map(|part| {
                let places: Vec<Place> = (0..lanes).map(|lane| strided.place(part * lanes + lane, bytes)).collect();
                self.collect_lanes(size.max(strided.size), bytes, &windows, &places)
            })
            .collect();
        Parts::new(ty, bytes, regs)
    }

    /// Lanes of so few bits move by a shuffle of bytes, within 128 bits: longer registers would take several, but where all lanes stay in their part of it.
    fn sorts_bytes(&self, places: &[u32], bytes: u32) -> bool {
        let part = |(lane, &place): (usize, &u32)| place / 16 == lane as u32 * bytes / 16;
        bytes < 4 && !self.c.target.masks && !places.iter().enumerate().all(part)
    }

    /// 128 bits of the lanes at `place` of such windows.
    fn collect_short_lanes(&mut self, bytes: u32, windows: &[VReg], place: impl Fn(usize) -> Place) -> VReg {
        let bytes = bytes as usize;
        let from = |byte: usize, window: usize| place(byte / bytes).filter(|&(of, _)| of == window);
        let mut collected = None;
        for (window, &reg) in windows.iter().enumerate() {
            if !(0..16).any(|byte| from(byte, window).is_some()) {
                continue;
            }
            // (128: zero.)
            let control = self.pooled_part(Size::X, |byte| {
                from(byte, window).map_or(128, |(_, at)| (at * bytes + byte % bytes) as u8)
            });
            let moved = self.c.v3(&ops::VPSHUFB, Size::X, reg, control);
            collected = Some(match collected {
                Some(others) => self.c.v3(&ops::VPOR, Size::X, others, moved),
                None => moved,
            });
        }
        collected.expect("some lane is collected")
    }

    /// A store of lanes that windows are worth it for.
    pub fn strided_store(&self, ty: Type, address: &Address, masked: bool) -> Option<Strided> {
        if !(self.c.target.masks && self.c.target.masked_stores) {
            return None;
        }
        let mut found = self.close_together(ty, address)?;
        let bytes = ty.elem.bytes();
        let mut sorted = found.places.clone();
        sorted.sort_unstable();
        let span = sorted.last()? + bytes;
        // Where two lanes store to one place, the last one counts.
        let share = sorted.windows(2).any(|pair| pair[0] == pair[1]);
        if share || masked && !found.may_be_masked(true) {
            return None;
        }
        found.cover(span);
        found.drop_unused(bytes);
        let values = self.part_count(ty.lanes, bytes);
        let count = found.windows.len();
        (count <= MOST_WINDOWS * values && count * LANES_A_WINDOW <= ty.lanes.into()).then_some(found)
    }

    /// Stores them, or those of them that are on.
    pub fn store_strided(&mut self, value: &Parts, strided: &Strided, mask: Option<Value>) {
        let bytes = value.bytes;
        let start = self.amode(&strided.start);
        let in_register = (value.size().bytes() / bytes) as usize;
        let in_window = (strided.size.bytes() / bytes) as usize;
        for (number, &at) in strided.windows.iter().enumerate() {
            let mut places: Vec<Place> = vec![None; in_window];
            for lane in 0..usize::from(value.ty.lanes) {
                if let Some((window, place)) = strided.place(lane, bytes)
                    && window == number
                {
                    places[place] = Some((lane / in_register, lane % in_register));
                }
            }
            let (first, stored) = strided.lanes_in(number, bytes);
            let reg = self.collect_lanes(strided.size.max(value.size()), bytes, &value.regs, &places);
            let mask = match mask {
                None => self.mask_constant(stored),
                Some(mask) => self.spread_mask(mask, first, stored),
            };
            self.store_lanes_of(strided.size, bytes, reg, mask, start.behind(strided.first + at as i32));
        }
    }

    /// The bits of a mask from a lane on, in the places of the bits that are on in `places`, for a window.
    fn spread_mask(&mut self, mask: Value, first: u32, places: u64) -> VReg {
        let key = (mask, first, places);
        if let Some(&known) = self.spread_masks.get(&key) {
            return known;
        }
        let mask = self.get(mask);
        let mut bits = self.mask_bits(&mask);
        if first > 0 {
            bits = self.c.shift_i(Shift::Shr, Size::D, bits, first as u8);
        }
        let places = self.c.constant(places);
        let spread = self.c.deposit_bits(bits, places);
        let reg = self.mask_of_long(spread);
        self.spread_masks.insert(key, reg);
        reg
    }

    /// Lanes within a page's length, elements apart, that the machine can shuffle.
    fn close_together(&self, ty: Type, address: &Address) -> Option<Strided> {
        let bytes = ty.elem.bytes();
        if !ty.is_vector() || ty.elem == Elem::Mask || self.c.target.masks && bytes < self.shortest_permuted() {
            return None;
        }
        let (start, steps) = self.steps(address)?;
        let (&first, &last) = (steps.iter().min()?, steps.iter().max()?);
        let is_close = last.checked_sub(first)?.checked_add(bytes as i32)? < PAGE as i32;
        let places: Vec<u32> = steps.iter().map(|&step| (step - first) as u32).collect();
        (is_close && places.iter().all(|place| place % bytes == 0)).then_some(Strided {
            start,
            first,
            places,
            size: Size::X,
            windows: Vec::new(),
        })
    }

    /// A register of the lanes at `places` of others; lanes that have none are anything.
    pub fn collect_lanes(&mut self, size: Size, bytes: u32, sources: &[VReg], places: &[Place]) -> VReg {
        let size = size.max(Size::Y);
        let lanes = (size.bytes() / bytes) as usize;
        let place = |lane: usize| places.get(lane).copied().flatten();
        let used = (0..sources.len()).filter(|&source| places.iter().flatten().any(|&(from, _)| from == source));
        let used: Vec<usize> = used.collect();
        let from = |lane: usize, source: usize| place(lane).filter(|&(from, _)| from == source).map(|(_, at)| at);
        if !self.c.target.masks {
            let mut result = None;
            for &source in &used {
                let here: Vec<Option<usize>> = (0..lanes).map(|lane| from(lane, source)).collect();
                let moved = self.permute_within(bytes as usize, sources[source], &here);
                result = Some(match result {
                    None => moved,
                    Some(before) => self.merge(bytes as usize, before, moved, &here),
                });
            }
            return result.expect("some lane is collected");
        }
        let control = |s: &mut Self, number: &dyn Fn(usize) -> usize| {
            s.vector_constant(size, |byte| {
                if byte % bytes as usize == 0 {
                    number(byte / bytes as usize) as u8
                } else {
                    0
                }
            })
        };
        let (&first, rest) = used.split_first().expect("some lane is collected");
        let Some((&second, rest)) = rest.split_first() else {
            if places
                .iter()
                .enumerate()
                .all(|(lane, place)| place.is_none_or(|(_, at)| at == lane))
            {
                return sources[first];
            }
            let control = control(self, &|lane| from(lane, first).unwrap_or(0));
            return self.select_lanes(size, bytes, &[sources[first]], control);
        };
        let both = |lane: usize| {
            from(lane, first)
                .or_else(|| from(lane, second).map(|at| lanes + at))
                .unwrap_or(lane)
        };
        let numbers = control(self, &both);
        let mut result = self.select_lanes(size, bytes, &[sources[first], sources[second]], numbers);
        for &source in rest {
            // What is in its place stays there.
            let numbers = control(self, &|lane| from(lane, source).map_or(lane, |at| lanes + at));
            result = self.select_lanes(size, bytes, &[result, sources[source]], numbers);
        }
        result
    }
}
