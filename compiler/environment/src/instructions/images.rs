//! Image instructions (SPIR-V 3.52.10, Environment 2.6.2 and 4).

use super::{Kind, Shape};
use crate::deviations::Deviation;
use crate::{Validator, rules};
use rspirv::spirv::{AccessQualifier, Dim, ImageOperands as Mask, Op};
use spirv::{Id, ImageOperands, ImageType, Instruction, Type};
use vendors::Features;

impl<'a> Validator<'a> {
    /// `false` if the instruction is of another class.
    pub(super) fn image(&mut self, instruction: &Instruction<'a>, op: Op) -> bool {
        let word = |position| instruction.word(position);
        match op {
            Op::SampledImage => {
                let ty = self.module.ty(instruction.result_type).clone();
                let image = self.module.type_of(word(0));
                self.result(
                    instruction,
                    ty == Type::SampledImage { image },
                    "OpTypeSampledImage of the image's type",
                );
                self.image_type(instruction, word(0));
                let good = *self.module.value_type(word(1)) == Type::Sampler;
                self.operand(instruction, good, || "Sampler must be of OpTypeSampler".into());
                if matches!(self.module.ty(image), Type::Image(image) if image.dim == Dim::DimBuffer) {
                    let detail = "a Buffer image is read without a sampler";
                    self.report.error(&rules::SAMPLED_IMAGE, instruction.index, detail);
                }
            }
            Op::Image => {
                let good = *self.module.value_type(word(0))
                    == Type::SampledImage {
                        image: instruction.result_type,
                    };
                self.result(instruction, good, "the image type of the sampled image");
                self.consumed(instruction, word(0));
            }
            Op::ImageSampleExplicitLod => self.sample(instruction),
            Op::ImageRead => self.read(instruction),
            Op::ImageWrite => self.write(instruction),
            Op::ImageQueryFormat | Op::ImageQueryOrder | Op::ImageQueryLevels | Op::ImageQuerySamples => {
                let image = self.image_type(instruction, word(0));
                let single = op == Op::ImageQuerySamples && image.is_some_and(|image| !image.multisampled);
                self.operand(instruction, !single, || "the image's MS must be 1".into());
                self.result(instruction, self.shape(instruction.result_type).is_int32(), "a 32-bit integer");
            }
            Op::ImageQuerySize | Op::ImageQuerySizeLod => {
                let Some(image) = self.image_type(instruction, word(0)) else {
                    return true;
                };
                let shape = self.shape(instruction.result_type);
                self.result(
                    instruction,
                    shape.is_int() && shape.count == image.size_components(),
                    "an integer a dimension, and one for the layers",
                );
                if op == Op::ImageQuerySizeLod {
                    let level = self.value_shape(word(1));
                    self.operand(instruction, level.is_int() && level.is_scalar(), || {
                        "Level of Detail must be an integer".into()
                    });
                    self.level(instruction, word(1), false);
                }
            }
            Op::SubgroupImageBlockReadINTEL => {
                self.block_image(instruction, AccessQualifier::WriteOnly);
                self.block_data(instruction, instruction.result_type);
            }
            Op::SubgroupImageBlockWriteINTEL => {
                self.block_image(instruction, AccessQualifier::ReadOnly);
                self.block_data(instruction, self.module.type_of(word(2)));
            }
            _ => return false,
        }
        true
    }

    fn image_type(&mut self, instruction: &Instruction<'a>, id: Id) -> Option<ImageType> {
        let found = match self.module.value_type(id) {
            Type::Image(image) => Some(*image),
            _ => None,
        };
        self.operand(instruction, found.is_some(), || format!("%{id} must be an image"));
        found
    }

    /// A texel: four numbers, or (from a depth image) one.
    fn texel(shape: Shape, image: &ImageType) -> bool {
        let kind = matches!(shape.kind, Kind::Float(16 | 32) | Kind::Int(32));
        kind && (shape.count == 4 || shape.count == 1 && image.depth == 1)
    }

    fn coordinate(&mut self, instruction: &Instruction<'a>, id: Id, image: &ImageType, floats: bool) {
        let shape = self.value_shape(id);
        let kind = shape.kind == Kind::Int(32) || floats && matches!(shape.kind, Kind::Float(32));
        let good = kind && shape.count >= image.coordinates();
        self.operand(instruction, good, || {
            format!(
                "Coordinate must be {} or more 32-bit numbers (integers, without a sampler)",
                image.coordinates()
            )
        });
    }

    fn image_operands(&mut self, instruction: &Instruction<'a>, image: &ImageType, words: &[u32], writes: bool) -> Option<ImageOperands> {
        let Some(operands) = ImageOperands::read(words) else {
            self.operand_error(instruction, "image operands are missing");
            return None;
        };
        let known = Mask::LOD | Mask::GRAD | Mask::SAMPLE | Mask::SIGN_EXTEND | Mask::ZERO_EXTEND | Mask::NONTEMPORAL;
        let mask = Mask::from_bits_truncate(operands.mask);
        if mask.contains(Mask::CONST_OFFSET) {
            self.report.error(&rules::IMAGE_OFFSET, instruction.index, "");
        } else if !known.contains(mask) {
            self.report.error(&rules::IMAGE_OPERANDS, instruction.index, format!("{mask:?}"));
        }
        if mask.contains(Mask::SAMPLE) && !image.multisampled {
            self.report
                .error(&rules::IMAGE_OPERANDS, instruction.index, "Sample is for images whose MS is 1");
        }
        // Nontemporal came with SPIR-V 1.6, after the rule, and is a hint. cl_khr_mipmap_image_writes allows Lod.
        let mut allowed = Mask::NONTEMPORAL;
        if self.features.contains(Features::MIPMAP_WRITES) {
            allowed |= Mask::LOD;
        }
        let forbidden = mask.difference(allowed);
        if writes && !forbidden.is_empty() && !self.environment.image_write_operands() {
            let extends = (Mask::SIGN_EXTEND | Mask::ZERO_EXTEND).contains(forbidden);
            if !(extends && self.deviates(Deviation::ExtendedTexel, instruction)) {
                self.report
                    .error(&rules::IMAGE_WRITE_OPERANDS, instruction.index, format!("{mask:?}"));
            }
        }
        if let Some(lod) = operands.lod {
            self.level(instruction, lod, writes);
        }
        Some(operands)
    }

    /// A level of detail.
    fn level(&mut self, instruction: &Instruction<'a>, lod: Id, writes: bool) {
        let (rule, feature) = match writes {
            true => (&rules::IMAGE_WRITE_LOD, Features::MIPMAP_WRITES),
            false => (&rules::IMAGE_LOD, Features::MIPMAPS),
        };
        if !self.is_zero(lod) && !self.features.contains(feature) {
            self.report.error(rule, instruction.index, format!("%{lod} is not the constant 0"));
        }
    }

    fn is_zero(&self, id: Id) -> bool {
        use spirv::ConstantValue;
        self.module
            .constant(id)
            .is_some_and(|constant| matches!(constant.value, ConstantValue::Null | ConstantValue::Bits(0)))
    }

    fn sample(&mut self, instruction: &Instruction<'a>) {
        let Type::SampledImage { image } = *self.module.value_type(instruction.word(0)) else {
            return self.operand_error(instruction, "the first operand must be a sampled image");
        };
        let Type::Image(image) = *self.module.ty(image) else { return };
        self.consumed(instruction, instruction.word(0));
        self.result(
            instruction,
            Self::texel(self.shape(instruction.result_type), &image),
            "four 32-bit numbers",
        );
        self.coordinate(instruction, instruction.word(1), &image, true);
        if let Some(operands) = self.image_operands(instruction, &image, &instruction.operands[2..], false) {
            match (operands.lod, operands.grad) {
                (None, None) => self.operand_error(instruction, "Lod or Grad must be given"),
                (Some(_), Some(_)) => self
                    .report
                    .error(&rules::IMAGE_OPERANDS, instruction.index, "Lod and Grad exclude each other"),
                (Some(lod), None) => {
                    let level = self.value_shape(lod);
                    self.operand(instruction, level.is_float() && level.is_scalar(), || {
                        "Lod must be a floating-point number where there is a sampler".into()
                    });
                }
                (None, Some(_)) => {}
            }
        }
        if let Some(AccessQualifier::WriteOnly) = image.access {
            self.operand_error(instruction, "the image is WriteOnly");
        }
    }

    /// A sampled image that an instruction consumes: made in the same block.
    fn consumed(&mut self, instruction: &Instruction<'a>, sampled: Id) {
        let made = self
            .module
            .definition(sampled)
            .is_some_and(|definition| definition.op() == Op::SampledImage);
        let block = |id| self.module.record(id).index;
        if made && block(sampled) != block(instruction.result) {
            let advice = "Repeat OpSampledImage in the block of the instruction that consumes it.";
            self.report.error_with(
                &rules::SAMPLED_IMAGE,
                instruction.index,
                format!("%{sampled} is of another block"),
                advice,
            );
        }
    }

    fn read(&mut self, instruction: &Instruction<'a>) {
        let Some(image) = self.image_type(instruction, instruction.word(0)) else {
            return;
        };
        self.result(
            instruction,
            Self::texel(self.shape(instruction.result_type), &image),
            "four 32-bit numbers",
        );
        self.coordinate(instruction, instruction.word(1), &image, false);
        self.image_operands(instruction, &image, &instruction.operands[2..], false);
        if let Some(AccessQualifier::WriteOnly) = image.access {
            self.operand_error(instruction, "the image is WriteOnly");
        }
    }

    fn write(&mut self, instruction: &Instruction<'a>) {
        let Some(image) = self.image_type(instruction, instruction.word(0)) else {
            return;
        };
        self.coordinate(instruction, instruction.word(1), &image, false);
        let texel = self.value_shape(instruction.word(2));
        self.operand(instruction, Self::texel(texel, &image), || {
            "Texel must be four 32-bit numbers".into()
        });
        self.image_operands(instruction, &image, &instruction.operands[3..], true);
        if let Some(AccessQualifier::ReadOnly) = image.access {
            self.operand_error(instruction, "the image is ReadOnly");
        }
        if image.dim == Dim::Dim3D && !self.features.contains(Features::IMAGE_3D_WRITES) {
            self.report.error(&rules::IMAGE_3D_WRITE, instruction.index, "");
        }
    }

    /// The image of a block read or write, whose access must not be the one given.
    fn block_image(&mut self, instruction: &Instruction<'a>, excluded: AccessQualifier) {
        let Some(image) = self.image_type(instruction, instruction.word(0)) else {
            return;
        };
        self.operand(instruction, image.access != Some(excluded), || format!("the image is {excluded:?}"));
        let plain = image.dim == Dim::Dim2D && image.depth == 0 && !image.arrayed && !image.multisampled;
        self.operand(instruction, plain, || "the image must be 2-D, without depth or layers".into());
        let coordinate = self.value_shape(instruction.word(1));
        let good = coordinate
            == Shape {
                kind: Kind::Int(32),
                count: 2,
            };
        self.operand(instruction, good, || "Coordinate must be two 32-bit integers".into());
    }
}
