//! Permutations of lanes: by shuffles of bytes (`tbl` on aarch64, `pshufb` on x86), or through memory.

use super::emit::Emitter;
use super::values::{MASK_BYTES, Parts, Registers, lane_type, part_count};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self as clif, InstBuilder, types};
use ir::{BinaryOp, Elem};
use target::costs::SHUFFLES_FOR_MEMORY;

impl Emitter<'_> {
    /// Lane `i` is lane `indices[i]`, all known now.
    pub fn permute_constant(&mut self, vector: &Parts, indices: &[u64]) -> Parts {
        let bytes = vector.bytes as usize;
        let per_part = 16 / bytes;
        let lanes = usize::from(vector.ty.lanes);
        let ty = vector.clif_type();
        let source_lane = |lane: usize| indices[lane.min(lanes - 1)] as usize % lanes;
        let regs: Registers = (0..vector.regs.len())
            .map(|part| {
                // Collected from one source register after the other.
                let mut sources: Vec<usize> = (0..per_part).map(|lane| source_lane(part * per_part + lane) / per_part).collect();
                sources.sort_unstable();
                sources.dedup();
                let from = |byte: usize| {
                    let source = source_lane(part * per_part + byte / bytes);
                    (source / per_part, (source % per_part * bytes + byte % bytes) as u8)
                };
                let first = sources[0];
                let second = sources.get(1).copied().unwrap_or(first);
                let mut result = self.shuffle(vector.regs[first], vector.regs[second], |byte| {
                    let (source, at) = from(byte);
                    if source == first { at } else { at + 16 }
                });
                for &source in sources.iter().skip(2) {
                    result = self.shuffle(result, vector.regs[source], |byte| {
                        let (from_source, at) = from(byte);
                        if from_source == source { at + 16 } else { byte as u8 }
                    });
                }
                self.cast(ty, result)
            })
            .collect();
        Parts::new(vector.ty, vector.bytes, regs)
    }

    /// Lane `i` is lane `indices[i]` of a vector, of as many lanes or not, modulo its lanes.
    pub fn permute(&mut self, vector: &Parts, indices: &Parts) -> Parts {
        let vector = match vector.ty.elem {
            Elem::Mask => self.mask(vector, MASK_BYTES),
            _ => vector.clone(),
        };
        let ty = indices.ty.with_elem(vector.ty.elem);
        let indices = &match indices.bytes {
            8 => self.truncate(indices, indices.ty.with_elem(Elem::I32)),
            _ => indices.clone(),
        };
        let shuffles = vector.regs.len() * part_count(ty.lanes, vector.bytes);
        // Numbers of bytes are bytes, and for `pshufb` such as have no sign.
        let most_bytes = if self.target.vectors.swizzle { 256 } else { 128 };
        let can_shuffle = self.target.byte_shuffle || self.target.vectors.swizzle;
        if !can_shuffle || shuffles > SHUFFLES_FOR_MEMORY || 16 * vector.regs.len() > most_bytes {
            return self.permute_in_memory(&vector, indices);
        }
        let controls = match vector.bytes {
            4 => self.controls_of_words(&vector, indices),
            _ => self.controls(&vector, indices),
        };
        let part_ty = vector.clif_type();
        let regs: Registers = controls
            .into_iter()
            .map(|control| {
                let result = self.select_bytes(&vector, control);
                self.cast(part_ty, result)
            })
            .collect();
        Parts::new(ty, vector.bytes, regs)
    }

    /// For each byte of the result which byte of the whole vector it is, a register each: of lanes of 32 bits, in their indices' place.
    fn controls_of_words(&mut self, vector: &Parts, indices: &Parts) -> Vec<clif::Value> {
        let i32s = types::I32X4;
        indices
            .regs
            .iter()
            .map(|&index| {
                let within = self.splat_bits(i32s, u64::from(vector.ty.lanes - 1));
                let within = self.ins().band(index, within);
                let spread = self.splat_bits(i32s, 0x0404_0404);
                let bytes = self.ins().imul(within, spread);
                let numbers = self.splat_bits(i32s, 0x0302_0100);
                self.ins().iadd(bytes, numbers)
            })
            .collect()
    }

    /// The same for lanes of any size: where each starts as a byte, which is spread over the bytes of the lane.
    fn controls(&mut self, vector: &Parts, indices: &Parts) -> Vec<clif::Value> {
        let bytes = vector.bytes as usize;
        let within = self.splat_bits(types::I32X4, u64::from(vector.ty.lanes - 1));
        let starts = self.map(indices, |e, index| {
            let lane = e.ins().band(index, within);
            e.shift_part(BinaryOp::Shl, lane, bytes.ilog2())
        });
        let starts = self.truncate(&starts, indices.ty.with_elem(Elem::I8));
        let per_part = 16 / bytes;
        (0..part_count(indices.ty.lanes, vector.bytes))
            .map(|part| {
                let first = part * per_part;
                let source = starts.regs[first / 16];
                let start = self.shuffle(source, source, |byte| (first % 16 + byte / bytes) as u8);
                let numbers = self.vector_constant(types::I8X16, |byte| (byte % bytes) as u8);
                self.ins().iadd(start, numbers)
            })
            .collect()
    }

    /// The bytes of a vector that `control` names, by their numbers in the whole of it.
    fn select_bytes(&mut self, vector: &Parts, control: clif::Value) -> clif::Value {
        let control = self.cast(types::I8X16, control);
        let mut result = None;
        for (number, &reg) in vector.regs.iter().enumerate() {
            let reg = self.cast(types::I8X16, reg);
            let start = self.splat_bits(types::I8X16, 16 * number as u64);
            result = Some(match (result, self.target.vectors.swizzle) {
                (None, true) => self.ins().swizzle(reg, control),
                // What lies in another register gives 0.
                (Some(others), true) => {
                    let control = self.ins().isub(control, start);
                    let own = self.ins().swizzle(reg, control);
                    self.ins().bor(others, own)
                }
                // Numbers count modulo 16.
                (None, false) => self.ins().x86_pshufb(reg, control),
                (Some(others), false) => {
                    let own = self.ins().x86_pshufb(reg, control);
                    let upper = self.splat_bits(types::I8X16, 0xf0);
                    let of_register = self.ins().band(control, upper);
                    let here = self.ins().icmp(IntCC::Equal, of_register, start);
                    self.blend(here, own, others)
                }
            });
        }
        result.expect("a vector has registers")
    }

    fn permute_in_memory(&mut self, vector: &Parts, indices: &Parts) -> Parts {
        let start = self.spill(vector, 0);
        let mut lanes = Vec::new();
        for lane in 0..u32::from(indices.ty.lanes) {
            let index = self.lane(indices, lane);
            let address = self.lane_address(start, vector.ty.lanes, vector.bytes, index);
            lanes.push(match vector.ty.elem {
                Elem::Mask => {
                    let word = self.ins().load(
                        lane_type(Elem::Mask, vector.bytes),
                        clif::MemFlagsData::new().with_notrap(),
                        address,
                        0,
                    );
                    self.ins().icmp_imm_s(IntCC::NotEqual, word, 0)
                }
                elem => self.load_lane(elem, address),
            });
        }
        self.join_lanes(indices.ty.with_elem(vector.ty.elem), &lanes)
    }
}
