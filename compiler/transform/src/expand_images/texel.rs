//! Texels of a known format: from words of memory to components, and back (OpenCL SPIR-V Environment, section "Conversion Rules").
//!
//! The rules are those of [`device::image::Format::read`] and [`device::image::Format::write`].

use super::Texel;
use device::image::format::{Channel, Encoding, Field, Format, snorm_step, unorm_step};
use device::image::srgb::srgb_table;
use ir::*;

/// What a texel is loaded and stored by: the largest integer, up to 32 bits, that its size is a multiple of.
pub fn word(format: &Format) -> Elem {
    match format.bytes {
        bytes if bytes.is_multiple_of(4) => Elem::I32,
        bytes if bytes.is_multiple_of(2) => Elem::I16,
        _ => Elem::I8,
    }
}

/// The components of a texel. Words are 0 where the texel is not inside the image.
pub fn decode(b: &mut Builder, format: &Format, words: &[Value], inside: Option<Value>) -> Texel {
    let texel = decode_unscaled(b, format, words, inside);
    scaled(b, format, &texel)
}

/// What components of [`decode_unscaled`] are to be multiplied by, if by anything.
fn scale(format: &Format) -> Option<f32> {
    let field = format.fields().first()?;
    // Channels of different widths are scaled by themselves.
    let alike = format.fields().iter().all(|other| other.bits == field.bits);
    match format.encoding {
        Encoding::Unorm if alike && !format.srgb => Some(unorm_step(field.bits)),
        Encoding::Snorm if alike => Some(snorm_step(field.bits)),
        _ => None,
    }
}

/// The components but for a factor that is the same for all, which a filter may apply to its sum.
pub fn decode_unscaled(b: &mut Builder, format: &Format, words: &[Value], inside: Option<Value>) -> Texel {
    let float = format.encoding.is_float();
    let ty = if float { Type::F32 } else { Type::I32 };
    let zero = b.constant(ty, 0);
    // What stands for 1 where there is no alpha.
    let one = match (float, scale(format)) {
        (true, Some(step)) => b.f32((1.0 / step).round()),
        (true, None) => b.f32(1.0),
        (false, _) => b.i32(1),
    };
    let mut texel = Texel::from_slice(&[zero, zero, zero, one]);
    let mut alpha_is_missing = true;
    for field in format.fields() {
        if field.channel == Channel::Ignored {
            continue;
        }
        let value = decode_field(b, format, field, words);
        match field.channel {
            Channel::Red | Channel::Depth => texel[0] = value,
            Channel::Green => texel[1] = value,
            Channel::Blue => texel[2] = value,
            Channel::Alpha => texel[3] = value,
            Channel::Luminance => texel[..3].fill(value),
            Channel::Intensity => texel.fill(value),
            Channel::Ignored => {}
        }
        alpha_is_missing &= !matches!(field.channel, Channel::Alpha | Channel::Intensity);
    }
    if let Some(inside) = inside
        && alpha_is_missing
        && format.border_alpha == 0
    {
        texel[3] = b.select(inside, one, zero);
    }
    texel
}

/// Components of [`decode_unscaled`], or sums of them, as they are meant.
pub fn scaled(b: &mut Builder, format: &Format, texel: &[Value]) -> Texel {
    let Some(step) = scale(format) else {
        return Texel::from_slice(texel);
    };
    let mut results = Texel::new();
    let mut known: Texel = Texel::new();
    for &value in texel {
        // Luminance and the like are scaled once.
        let again = texel[..results.len()].iter().position(|&earlier| earlier == value);
        results.push(match again {
            Some(position) => known[position],
            None => match b.func.constant(value) {
                Some(bits) => b.f32(f32::from_bits(bits as u32) * step),
                None => {
                    let step = b.f32(step);
                    b.fmul(value, step)
                }
            },
        });
        known.push(results[results.len() - 1]);
    }
    results
}

/// The bits of a channel, extended to 32.
fn raw(b: &mut Builder, field: &Field, words: &[Value], signed: bool) -> Value {
    let width = b.ty(words[0]).elem.bits();
    let word = words[(u32::from(field.shift) / width) as usize];
    let (shift, bits) = (u32::from(field.shift) % width, u32::from(field.bits));
    if bits == width && width < 32 {
        let op = if signed { ConvertOp::SExt } else { ConvertOp::ZExt };
        return b.convert(op, Elem::I32, word);
    }
    let word = b.convert(ConvertOp::ZExt, Elem::I32, word);
    if signed {
        let up = shift_by(b, BinaryOp::Shl, word, 32 - shift - bits);
        return shift_by(b, BinaryOp::AShr, up, 32 - bits);
    }
    let down = shift_by(b, BinaryOp::LShr, word, shift);
    match shift + bits {
        32 => down,
        _ => b.binary_imm(BinaryOp::And, down, (1i64 << bits) - 1),
    }
}

fn shift_by(b: &mut Builder, op: BinaryOp, value: Value, amount: u32) -> Value {
    match amount {
        0 => value,
        amount => b.binary_imm(op, value, i64::from(amount)),
    }
}

fn decode_field(b: &mut Builder, format: &Format, field: &Field, words: &[Value]) -> Value {
    match format.encoding {
        Encoding::Unorm if format.is_srgb(*field) => {
            let byte = raw(b, field, words, false);
            let table = b.i64(srgb_table().as_ptr() as i64);
            let mem = MemInfo {
                flags: MemFlags::INVARIANT | MemFlags::DEREFERENCEABLE,
                ..MemInfo::new(Space::Constant, 4)
            };
            let address = Address {
                base: table,
                index: Some(byte),
                scale: 4,
                offset: 0,
            };
            b.load(Type::F32, address, mem)
        }
        Encoding::Unorm => {
            let number = raw(b, field, words, false);
            let float = b.convert(ConvertOp::SToF, Elem::F32, number);
            match scale(format) {
                Some(_) => float,
                None => {
                    let step = b.f32(unorm_step(field.bits));
                    b.fmul(float, step)
                }
            }
        }
        Encoding::Snorm => {
            // The lowest number means what the next one means.
            let number = raw(b, field, words, true);
            let least = b.i32(1 - (1 << (field.bits - 1)));
            let bounded = b.binary(BinaryOp::SMax, number, least);
            b.convert(ConvertOp::SToF, Elem::F32, bounded)
        }
        Encoding::Signed => raw(b, field, words, true),
        Encoding::Unsigned => raw(b, field, words, false),
        Encoding::Float if field.bits == 16 => {
            let bits = raw(b, field, words, false);
            let half = b.convert(ConvertOp::Trunc, Elem::I16, bits);
            let half = b.bitcast(Elem::F16, half);
            b.convert(ConvertOp::FPromote, Elem::F32, half)
        }
        Encoding::Float => {
            let bits = raw(b, field, words, false);
            b.bitcast(Elem::F32, bits)
        }
    }
}

/// Components of a format of floats or of integers as the access wants them.
pub fn as_result(b: &mut Builder, op: ImageOp, float: bool, texel: &[Value]) -> Texel {
    let wanted = texel.iter().take(op.components());
    wanted
        .map(|&value| match (op.texel, float) {
            (Elem::F16, true) => b.convert(ConvertOp::FDemote, Elem::F16, value),
            (Elem::F16, false) => {
                let float = b.bitcast(Elem::F32, value);
                b.convert(ConvertOp::FDemote, Elem::F16, float)
            }
            (elem, _) => b.bitcast(elem, value),
        })
        .collect()
}

/// The 32 bits that the device knows a component by.
pub fn component_bits(b: &mut Builder, value: Value) -> Value {
    let value = match b.ty(value).elem {
        Elem::F16 => b.convert(ConvertOp::FPromote, Elem::F32, value),
        _ => value,
    };
    b.bitcast(Elem::I32, value)
}

/// The other way round.
pub fn from_bits(b: &mut Builder, op: ImageOp, texel: &[Value]) -> Texel {
    let floats = op.texel != Elem::I32;
    let elem = if floats { Elem::F32 } else { Elem::I32 };
    let texel: Texel = texel.iter().map(|&bits| b.bitcast(elem, bits)).collect();
    as_result(b, op, floats, &texel)
}

/// The words of a texel with these components.
pub fn encode(b: &mut Builder, format: &Format, op: ImageOp, texel: &[Value]) -> Texel {
    let elem = word(format);
    let mut words: SmallWords = [None; 4];
    for field in format.fields() {
        let component = match field.channel {
            Channel::Red | Channel::Depth | Channel::Luminance | Channel::Intensity => 0,
            Channel::Green => 1,
            Channel::Blue => 2,
            // Whoever takes an ignored channel for alpha finds it there.
            Channel::Alpha | Channel::Ignored => 3,
        };
        let Some(&value) = texel.get(component.min(op.components() - 1)) else {
            continue;
        };
        let bits = encode_field(b, format, field, value);
        let width = elem.bits();
        let (index, shift) = (u32::from(field.shift) / width, u32::from(field.shift) % width);
        let bits = shift_by(b, BinaryOp::Shl, bits, shift);
        let bits = b.convert(ConvertOp::Trunc, elem, bits);
        let word = &mut words[index as usize];
        *word = Some(match *word {
            Some(so_far) => b.or(so_far, bits),
            None => bits,
        });
    }
    let count = format.bytes / elem.bytes();
    words[..count as usize]
        .iter()
        .map(|word| word.unwrap_or_else(|| b.constant(Type::scalar(elem), 0)))
        .collect()
}

type SmallWords = [Option<Value>; 4];

/// A channel's bits, the others of the 32 being 0.
fn encode_field(b: &mut Builder, format: &Format, field: &Field, value: Value) -> Value {
    let most = i64::from(u32::MAX >> (32 - field.bits));
    let (low, high) = (-(most >> 1) - 1, most >> 1);
    if !format.encoding.is_float() {
        let value = component_bits(b, value);
        if field.bits == 32 {
            return value;
        }
        return if format.encoding == Encoding::Signed {
            let (low, high) = (b.i32(low as i32), b.i32(high as i32));
            let bounded = b.binary(BinaryOp::SMax, value, low);
            let bounded = b.binary(BinaryOp::SMin, bounded, high);
            b.binary_imm(BinaryOp::And, bounded, most)
        } else {
            let most = b.i32(most as i32);
            b.binary(BinaryOp::UMin, value, most)
        };
    }
    let float = match b.ty(value).elem {
        Elem::F16 => b.convert(ConvertOp::FPromote, Elem::F32, value),
        _ => b.bitcast(Elem::F32, value),
    };
    // The first operand of FMax is the one that loses if it is a NaN.
    let bounded = |b: &mut Builder, float: Value, low: f32, high: f32| {
        let (low, high) = (b.f32(low), b.f32(high));
        let bounded = b.binary(BinaryOp::FMax, float, low);
        b.binary(BinaryOp::FMin, bounded, high)
    };
    match format.encoding {
        Encoding::Unorm => {
            let float = if format.is_srgb(*field) {
                b.value(InstData::CallRuntime {
                    routine: Runtime::LinearToSrgb,
                    args: ValueList::from_slice(&[float]),
                })
            } else {
                float
            };
            let factor = b.f32(most as f32);
            let number = b.fmul(float, factor);
            let number = bounded(b, number, 0.0, most as f32);
            nearest_int(b, number)
        }
        Encoding::Snorm => {
            let factor = b.f32(high as f32);
            let number = b.fmul(float, factor);
            // A NaN becomes 0.
            let ordered = b.fcmp(FloatCc::Ord, number, number);
            let zero = b.f32(0.0);
            let number = b.select(ordered, number, zero);
            let number = bounded(b, number, low as f32, high as f32);
            let number = nearest_int(b, number);
            b.binary_imm(BinaryOp::And, number, most)
        }
        _ if field.bits == 16 => {
            let half = b.convert(ConvertOp::FDemote, Elem::F16, float);
            let bits = b.bitcast(Elem::I16, half);
            b.convert(ConvertOp::ZExt, Elem::I32, bits)
        }
        _ => b.bitcast(Elem::I32, float),
    }
}

/// The integer that is nearest to a float which is not beyond them.
fn nearest_int(b: &mut Builder, float: Value) -> Value {
    b.value(InstData::Convert {
        op: ConvertOp::FToS,
        ty: Type::I32,
        arg: float,
        rounding: Rounding::Nearest,
        saturate: false,
    })
}
