//! Accesses to images, a texel at a time, as the device makes them.

use device::image::access::{self, AccessWord, Exchange};
use device::image::{ImageRecord, LevelRange};
use ir::eval;
use ir::*;
use smallvec::SmallVec;

/// Makes an access with these operands; `floats` says that the coordinates are floats. Gives the texel's components for a read.
///
/// # Safety
/// The first operand must be the address of an image's records, which may be accessed.
pub(super) unsafe fn access(op: ImageOp, floats: bool, args: &[u64]) -> SmallVec<[u64; 4]> {
    let (handles, rest) = args.split_at(op.handles());
    let (coordinates, rest) = rest.split_at(op.dim.coordinates());
    let (level, texel) = rest.split_at(usize::from(op.level));
    let image = handles[0] as *const ImageRecord;
    let sampler = handles.get(1).copied().unwrap_or(0);
    let mut exchange = Exchange::default();
    for (to, &coordinate) in exchange.coordinates.iter_mut().zip(coordinates) {
        *to = coordinate as u32;
    }
    let mut word = sampler as u32;
    if floats {
        word |= AccessWord::FLOATS;
    }
    if let Some(&level) = level.first() {
        word |= AccessWord::LEVEL;
        let level = match op.access {
            ImageAccess::Sample => LevelRange((sampler >> 32) as u32).limit(f32::from_bits(level as u32)),
            ImageAccess::Read | ImageAccess::Write => level as i32 as f32,
        };
        exchange.coordinates[3] = level.to_bits();
    }
    let convert = |op, from, to, bits| eval::convert(op, from, to, Rounding::Nearest, bits);
    if op.is_write() {
        for (to, &component) in exchange.texel.iter_mut().zip(texel) {
            *to = match op.texel {
                Elem::F16 => convert(ConvertOp::FPromote, Elem::F16, Elem::F32, component) as u32,
                _ => component as u32,
            };
        }
        // SAFETY: the caller's promise.
        unsafe { access::write(image, word, &mut exchange) };
        return SmallVec::new();
    }
    // SAFETY: the caller's promise.
    unsafe { access::read(image, word, &mut exchange) };
    let components = exchange.texel.iter().take(op.components()).map(|&bits| match op.texel {
        Elem::F16 => convert(ConvertOp::FDemote, Elem::F32, Elem::F16, bits.into()),
        _ => bits.into(),
    });
    components.collect()
}
