//! Image instructions (SPIR-V specification, section 3.52.10; OpenCL SPIR-V Environment, section "Image Addressing and Filtering").
//!
//! An image is the address of its [`ImageRecord`], a sampler is a [`SamplerWord`]. Queries are loads from the record. Reads and writes become
//! [`ImageOp`]s: what they do depends on formats and samplers, which only the launch knows.

use super::Failure;
use super::arithmetic::resize_int;
use super::function::{Lowering, Result};
use super::value::{Scalars, Val};
use crate::ir::*;
use crate::spirv::{Id, ImageType, Instruction, LLVM_BACKEND, Type as SpirvType};
use core::mem::offset_of;
use device::image::{Addressing, ImageRecord, SamplerWord, format};
use rspirv::spirv::{AccessQualifier, Dim, Op, SamplerAddressingMode, SamplerFilterMode};

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
                self.image_read(inst, image, &handles, inst.word(1))?;
            }
            Op::ImageRead => {
                let handles = self.scalars(inst.word(0))?;
                self.image_read(inst, self.spirv.type_of(inst.word(0)), &handles, inst.word(1))?;
            }
            Op::ImageWrite => self.image_write(inst.word(0), inst.word(1), inst.word(2))?,
            Op::ImageQuerySize | Op::ImageQuerySizeLod => {
                let fields = size_fields(&self.image_type(self.spirv.type_of(inst.word(0)))?);
                self.image_query(inst, inst.word(0), fields)?;
            }
            Op::ImageQueryLevels => self.image_query(inst, inst.word(0), &[ImageField::Levels])?,
            Op::ImageQuerySamples => self.image_query(inst, inst.word(0), &[ImageField::Samples])?,
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
        })
    }

    fn image_coordinates(&mut self, dim: ImageDim, coordinate: Id) -> Result<Scalars> {
        let coordinates = self.scalars(coordinate)?;
        // What is beyond is there because OpenCL C has no vectors of the right size.
        let used = coordinates.get(..dim.coordinates()).ok_or(Failure::Unsupported)?;
        Ok(Scalars::from_slice(used))
    }

    /// A read of an image; through a sampler if that is among `handles`.
    pub(super) fn image_read(&mut self, inst: &Instruction<'m>, image: Id, handles: &[Value], coordinate: Id) -> Result<()> {
        let access = match handles.len() {
            1 => ImageAccess::Read,
            2 => ImageAccess::Sample,
            _ => return Err(Failure::Unsupported),
        };
        let op = self.image_op(access, image, inst.result_type)?;
        let mut args = ValueList::from_slice(handles);
        args.extend(self.image_coordinates(op.dim, coordinate)?);
        let read = self.b().push(InstData::Image { op, args });
        let texel = self.func.inst(read).results.iter().copied().collect();
        self.define(inst, texel);
        Ok(())
    }

    pub(super) fn image_write(&mut self, image: Id, coordinate: Id, texel: Id) -> Result<()> {
        let op = self.image_op(ImageAccess::Write, self.spirv.type_of(image), self.spirv.type_of(texel))?;
        let mut args = ValueList::from_slice(&[self.scalar(image)?]);
        args.extend(self.image_coordinates(op.dim, coordinate)?);
        args.extend(self.scalars(texel)?);
        self.b().push(InstData::Image { op, args });
        Ok(())
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
    pub(super) fn image_query(&mut self, inst: &Instruction<'m>, image: Id, fields: &[ImageField]) -> Result<()> {
        let image = self.scalar(image)?;
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

    /// A channel order or data type: SPIR-V's enumerant, which is the distance from OpenCL's first constant. LLVM's back end means OpenCL's
    /// constants: it makes the instruction of OpenCL C's function, and adds nothing to its result.
    fn image_number(&mut self, inst: &Instruction<'m>, field: ImageField, first: u32) -> Result<()> {
        let image = self.scalar(inst.word(0))?;
        let mut value = self.image_field(image, field);
        if self.spirv.binary.header.tool() != LLVM_BACKEND {
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
