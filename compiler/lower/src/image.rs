//! Image instructions (SPIR-V specification, section 3.52.10; OpenCL SPIR-V Environment, section "Image Addressing and Filtering").
//!
//! An image is the address of its [`ImageRecord`], a sampler is a [`SamplerWord`]. Queries are loads from the record. Reads and writes become
//! [`ImageOp`]s: what they do depends on formats and samplers, which only the launch knows.

use super::Failure;
use super::arithmetic::resize_int;
use super::function::{Lowering, Result};
use super::value::{Scalars, Val};
use builtins::StdOp;
use core::mem::{offset_of, size_of};
use device::image::{Addressing, ImageRecord, SamplerWord, format};
use ir::*;
use rspirv::spirv::{AccessQualifier, Dim, Op, SamplerAddressingMode, SamplerFilterMode};
use spirv::{Id, ImageOperands, ImageType, Instruction, Type as SpirvType};

/// A 32-bit field of an image's record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ImageField {
    Width,
    Height,
    Depth,
    ArraySize,
    Order,
    DataType,
    Levels,
    Samples,
}

impl ImageField {
    fn offset(self) -> usize {
        match self {
            ImageField::Width => offset_of!(ImageRecord, width),
            ImageField::Height => offset_of!(ImageRecord, height),
            ImageField::Depth => offset_of!(ImageRecord, depth),
            ImageField::ArraySize => offset_of!(ImageRecord, array_size),
            ImageField::Order => offset_of!(ImageRecord, order),
            ImageField::DataType => offset_of!(ImageRecord, data_type),
            ImageField::Levels => offset_of!(ImageRecord, levels),
            ImageField::Samples => offset_of!(ImageRecord, samples),
        }
    }
}

/// Which mip level of an image is meant, if not the first.
#[derive(Clone, Copy, Debug)]
pub(super) enum MipLevel {
    /// A number.
    Lod(Id),
    /// What the coordinates change by from a work-item to the next, horizontally and vertically.
    Gradients(Id, Id),
}

impl MipLevel {
    fn of(words: &[u32]) -> Option<MipLevel> {
        let operands = ImageOperands::read(words)?;
        let gradients = operands.grad.map(|(dx, dy)| MipLevel::Gradients(dx, dy));
        gradients.or(operands.lod.map(MipLevel::Lod))
    }
}

/// OpConstantSampler's word.
pub(super) fn literal_sampler(addressing: SamplerAddressingMode, normalized: bool, filter: SamplerFilterMode) -> SamplerWord {
    let addressing = match addressing {
        SamplerAddressingMode::None => Addressing::None,
        SamplerAddressingMode::ClampToEdge => Addressing::ClampToEdge,
        SamplerAddressingMode::Clamp => Addressing::Clamp,
        SamplerAddressingMode::Repeat => Addressing::Repeat,
        SamplerAddressingMode::RepeatMirrored => Addressing::MirroredRepeat,
    };
    SamplerWord::new(addressing, filter == SamplerFilterMode::Linear, normalized)
}

impl<'m> Lowering<'_, 'm> {
    /// Lowers it if it is one of these; says whether it was.
    pub(super) fn image(&mut self, inst: &Instruction<'m>) -> Result<bool> {
        match inst.op() {
            Op::SampledImage => {
                let (image, sampler) = (self.scalar(inst.word(0))?, self.scalar(inst.word(1))?);
                self.bind(inst.result, Val::Scalars(Scalars::from_slice(&[image, sampler])));
            }
            Op::Image => {
                let handles = self.scalars(inst.word(0))?;
                self.define_scalar(inst, *handles.first().ok_or(Failure::Unsupported)?);
            }
            Op::ImageSampleExplicitLod => {
                let SpirvType::SampledImage { image } = *self.spirv.value_type(inst.word(0)) else {
                    return Err(Failure::Unsupported);
                };
                let handles = self.scalars(inst.word(0))?;
                self.image_read(inst, image, &handles, inst.word(1), MipLevel::of(&inst.operands[2..]))?;
            }
            Op::ImageRead => {
                let handles = self.scalars(inst.word(0))?;
                let level = MipLevel::of(&inst.operands[2..]);
                self.image_read(inst, self.spirv.type_of(inst.word(0)), &handles, inst.word(1), level)?;
            }
            Op::ImageWrite => {
                let level = MipLevel::of(&inst.operands[3..]);
                self.image_write(inst.word(0), inst.word(1), level, inst.word(2))?;
            }
            Op::ImageQuerySize | Op::ImageQuerySizeLod => {
                let fields = size_fields(&self.image_type(self.spirv.type_of(inst.word(0)))?);
                let mut image = self.scalar(inst.word(0))?;
                if inst.op() == Op::ImageQuerySizeLod {
                    let level = self.scalar(inst.word(1))?;
                    image = self.image_level(image, level);
                }
                self.image_query(inst, image, fields)?;
            }
            Op::ImageQueryLevels | Op::ImageQuerySamples => {
                let image = self.scalar(inst.word(0))?;
                let levels = inst.op() == Op::ImageQueryLevels;
                let field = if levels { ImageField::Levels } else { ImageField::Samples };
                self.image_query(inst, image, &[field])?;
            }
            Op::ImageQueryFormat => self.image_number(inst, ImageField::DataType, format::data_type::FIRST)?,
            Op::ImageQueryOrder => self.image_number(inst, ImageField::Order, format::order::FIRST)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn image_type(&self, type_id: Id) -> Result<ImageType> {
        match self.spirv.ty(type_id) {
            SpirvType::Image(image) => Ok(*image),
            _ => Err(Failure::Unsupported),
        }
    }

    /// An access to an image of this type, with texels of this type.
    fn image_op(&mut self, access: ImageAccess, image: Id, texel: Id) -> Result<ImageOp> {
        let image = self.image_type(image)?;
        let dim = match (image.dim, image.arrayed) {
            _ if image.multisampled => return Err(Failure::Unsupported),
            (Dim::Dim1D | Dim::DimBuffer, false) => ImageDim::D1,
            (Dim::Dim1D, true) => ImageDim::D1Array,
            (Dim::Dim2D, false) => ImageDim::D2,
            (Dim::Dim2D, true) => ImageDim::D2Array,
            (Dim::Dim3D, false) => ImageDim::D3,
            _ => return Err(Failure::Unsupported),
        };
        let (count, component) = self.spirv.components(texel);
        let elem = super::shape::scalar(self.spirv.ty(component)).ok_or(Failure::Unsupported)?;
        Ok(ImageOp {
            access,
            dim,
            texel: elem,
            depth: count == 1,
            constant: image.access.is_none_or(|access| access == AccessQualifier::ReadOnly),
            level: false,
        })
    }

    fn image_coordinates(&mut self, dim: ImageDim, coordinate: Id) -> Result<Scalars> {
        let coordinates = self.scalars(coordinate)?;
        // What is beyond is there because OpenCL C has no vectors of the right size.
        let used = coordinates.get(..dim.coordinates()).ok_or(Failure::Unsupported)?;
        Ok(Scalars::from_slice(used))
    }

    /// A read of an image; through a sampler if that is among `handles`.
    pub(super) fn image_read(
        &mut self,
        inst: &Instruction<'m>,
        image: Id,
        handles: &[Value],
        coordinate: Id,
        level: Option<MipLevel>,
    ) -> Result<()> {
        let access = match handles.len() {
            1 => ImageAccess::Read,
            2 => ImageAccess::Sample,
            _ => return Err(Failure::Unsupported),
        };
        let mut op = self.image_op(access, image, inst.result_type)?;
        let mut args = ValueList::from_slice(handles);
        args.extend(self.image_coordinates(op.dim, coordinate)?);
        let level = self.mip_level(op, handles[0], level)?;
        op.level = level.is_some();
        args.extend(level);
        let read = self.b().push(InstData::Image { op, args });
        let texel = self.func.inst(read).results.iter().copied().collect();
        self.define(inst, texel);
        Ok(())
    }

    pub(super) fn image_write(&mut self, image: Id, coordinate: Id, level: Option<MipLevel>, texel: Id) -> Result<()> {
        let mut op = self.image_op(ImageAccess::Write, self.spirv.type_of(image), self.spirv.type_of(texel))?;
        let handle = self.scalar(image)?;
        let mut args = ValueList::from_slice(&[handle]);
        args.extend(self.image_coordinates(op.dim, coordinate)?);
        let level = self.mip_level(op, handle, level)?;
        op.level = level.is_some();
        args.extend(level);
        args.extend(self.scalars(texel)?);
        self.b().push(InstData::Image { op, args });
        Ok(())
    }

    /// The number of a mip level as an [`ImageOp`] has it; none if it is the first: that is what reads have for which OpenCL C names no level.
    fn mip_level(&mut self, op: ImageOp, image: Value, level: Option<MipLevel>) -> Result<Option<Value>> {
        let level = match level {
            None => return Ok(None),
            Some(MipLevel::Gradients(dx, dy)) => return self.gradient_level(op.dim, image, [dx, dy]).map(Some),
            Some(MipLevel::Lod(level)) => self.scalar(level)?,
        };
        if self.func.constant(level) == Some(0) {
            return Ok(None);
        }
        let wanted = if op.access == ImageAccess::Sample { Elem::F32 } else { Elem::I32 };
        let elem = self.func.ty(level).elem;
        Ok(Some(match (elem, wanted) {
            (Elem::F32, Elem::F32) => level,
            (Elem::F64, _) => self.b().convert(ConvertOp::FDemote, Elem::F32, level),
            (Elem::F16, _) => self.b().convert(ConvertOp::FPromote, Elem::F32, level),
            (_, Elem::F32) => self.b().convert(ConvertOp::SToF, Elem::F32, level),
            _ => resize_int(&mut self.b(), Elem::I32, level, true),
        }))
    }

    /// The level of detail that gradients ask for: where they are one texel long (OpenGL 4.6, section "Scale Factor and Level-of-Detail").
    fn gradient_level(&mut self, dim: ImageDim, image: Value, gradients: [Id; 2]) -> Result<Value> {
        let sizes = [ImageField::Width, ImageField::Height, ImageField::Depth];
        let count = dim.coordinates() - usize::from(dim.is_arrayed());
        let mut squares = Scalars::new();
        for gradient in gradients {
            let gradient = self.scalars(gradient)?;
            let mut sum = None;
            for (&part, &size) in gradient.get(..count).ok_or(Failure::Unsupported)?.iter().zip(&sizes) {
                let size = self.image_field(image, size);
                let b = &mut self.b();
                let size = b.convert(ConvertOp::SToF, Elem::F32, size);
                let texels = b.fmul(part, size);
                let square = b.fmul(texels, texels);
                sum = Some(sum.map_or(square, |sum| b.fadd(sum, square)));
            }
            squares.extend(sum);
        }
        let longest = self.b().binary(BinaryOp::FMax, squares[0], squares[1]);
        let level = *self.scalar_function(StdOp::log2, &[longest])?.first().ok_or(Failure::Unsupported)?;
        let b = &mut self.b();
        let half = b.f32(0.5);
        Ok(b.fmul(level, half))
    }

    /// The record of a mip level, or of the nearest that there is.
    fn image_level(&mut self, image: Value, level: Value) -> Value {
        if self.func.constant(level) == Some(0) {
            return image;
        }
        let levels = self.image_field(image, ImageField::Levels);
        let b = &mut self.b();
        let level = resize_int(b, Elem::I32, level, true);
        let last = b.binary_imm(BinaryOp::Sub, levels, 1);
        let zero = b.i32(0);
        let level = b.binary(BinaryOp::SMax, level, zero);
        let level = b.binary(BinaryOp::SMin, level, last);
        let level = b.convert(ConvertOp::SExt, Elem::I64, level);
        let offset = b.binary_imm(BinaryOp::Mul, level, size_of::<ImageRecord>() as i64);
        b.add(image, offset)
    }

    /// A field of an image's record.
    pub(super) fn image_field(&mut self, image: Value, field: ImageField) -> Value {
        let mem = MemInfo {
            flags: MemFlags::INVARIANT | MemFlags::DEREFERENCEABLE,
            ..MemInfo::new(Space::Constant, 4)
        };
        self.b().load(Type::I32, Address::offset(image, field.offset() as i32), mem)
    }

    /// Fields of an image's record, as the components of the result.
    pub(super) fn image_query(&mut self, inst: &Instruction<'m>, image: Value, fields: &[ImageField]) -> Result<()> {
        let elem = self.result_elem(inst)?;
        let mut results = Scalars::new();
        for &field in fields {
            let value = self.image_field(image, field);
            results.push(resize_int(&mut self.b(), elem, value, false));
        }
        let (count, _) = self.spirv.components(inst.result_type);
        // get_image_dim of three dimensions has four components.
        while results.len() < count as usize {
            results.push(self.constant(Type::scalar(elem), 0));
        }
        self.define(inst, results);
        Ok(())
    }

    /// A channel order or data type: SPIR-V's enumerant, which is the distance from OpenCL's first constant; or the constant itself.
    fn image_number(&mut self, inst: &Instruction<'m>, field: ImageField, first: u32) -> Result<()> {
        let image = self.scalar(inst.word(0))?;
        let mut value = self.image_field(image, field);
        if !self.spirv.means_opencl_numbers(inst, first) {
            value = self.b().binary_imm(BinaryOp::Sub, value, i64::from(first));
        }
        self.define_scalar(inst, value);
        Ok(())
    }
}

/// What OpImageQuerySize gives.
fn size_fields(image: &ImageType) -> &'static [ImageField] {
    use ImageField::*;
    match (image.dim, image.arrayed) {
        (Dim::Dim3D, _) => &[Width, Height, Depth],
        (Dim::Dim2D, false) => &[Width, Height],
        (Dim::Dim2D, true) => &[Width, Height, ArraySize],
        (_, false) => &[Width],
        (_, true) => &[Width, ArraySize],
    }
}
