//! Images.

use super::Call;
use crate::builtins::row::ImageQuery;
use crate::emit::function::Func;
use crate::emit::module::Id;
use crate::types::{Image, ImageDim, Scalar, TypeId, TypeKind};
use rspirv::spirv::{Capability, ImageOperands, Op};

/// What CLK_SNORM_INT8 and CLK_R are: SPIR-V counts formats and orders from 0.
const FIRST_FORMAT: u32 = 0x10D0;
const FIRST_ORDER: u32 = 0x10B0;

impl Func<'_, '_> {
    fn image(&self, call: Call) -> Image {
        match *self.e.program.types.kind(self.arg_type(call, 0)) {
            TypeKind::Image(image) => image,
            _ => Image {
                dim: ImageDim::D2,
                depth: false,
                msaa: false,
                access: crate::types::Access::ReadOnly,
            },
        }
    }

    pub fn read_image(&mut self, call: Call) -> Id {
        let image = self.image(call);
        let args = self.args(call);
        let (scalar, lanes) = self.shape(call.ty);
        let element = self.numeric(scalar, 1);
        // SPIR-V's integers have no sign of their own.
        let extension = match scalar {
            scalar if scalar.is_float() => ImageOperands::NONE,
            scalar if scalar.is_signed() => ImageOperands::SIGN_EXTEND,
            _ => ImageOperands::ZERO_EXTEND,
        };
        let has_sampler = self.arg_type(call, 1) == TypeId::SAMPLER;
        if !has_sampler {
            let ty = self.numeric(scalar, lanes);
            let mut operands = vec![args[0], args[1]];
            let mut mask = extension;
            if image.msaa {
                mask |= ImageOperands::SAMPLE;
            }
            if !mask.is_empty() {
                operands.push(mask.bits());
            }
            if image.msaa {
                operands.push(args[2]);
            }
            return self.value(Op::ImageRead, ty, &operands);
        }
        let image_type = self.e.ty(self.arg_type(call, 0));
        let sampled_type = self.e.module.declare(Op::TypeSampledImage, &[image_type]);
        let sampled = self.value(Op::SampledImage, sampled_type, &[args[0], args[1]]);
        let mut operands = vec![sampled, args[2]];
        match args.len() {
            3 => {
                let zero = self.e.number(Scalar::Float, &crate::hir::Const::Float(0.0));
                operands.extend([(ImageOperands::LOD | extension).bits(), zero]);
            }
            4 => operands.extend([(ImageOperands::LOD | extension).bits(), args[3]]),
            _ => operands.extend([(ImageOperands::GRAD | extension).bits(), args[3], args[4]]),
        }
        let four = self.e.module.vector(element, 4);
        let texel = self.value(Op::ImageSampleExplicitLod, four, &operands);
        match lanes {
            // A depth image has one channel.
            1 => self.value(Op::CompositeExtract, element, &[texel, 0]),
            _ => texel,
        }
    }

    pub fn write_image(&mut self, call: Call) -> Id {
        let args = self.args(call);
        match args.len() {
            3 => self.effect(Op::ImageWrite, &args),
            _ => {
                self.e.module.capability(Capability::ImageMipmap);
                self.effect(Op::ImageWrite, &[args[0], args[1], args[3], ImageOperands::LOD.bits(), args[2]]);
            }
        }
        0
    }

    pub fn image_query(&mut self, what: ImageQuery, call: Call) -> Id {
        let image = self.image(call);
        let operand = self.args(call)[0];
        let word = self.e.module.int(32);
        match what {
            ImageQuery::DataType | ImageQuery::Order => {
                let (op, first) = match what {
                    ImageQuery::DataType => (Op::ImageQueryFormat, FIRST_FORMAT),
                    _ => (Op::ImageQueryOrder, FIRST_ORDER),
                };
                let number = self.value(op, word, &[operand]);
                let first = self.e.module.uint(first);
                return self.value(Op::IAdd, word, &[number, first]);
            }
            ImageQuery::Levels => return self.value(Op::ImageQueryLevels, word, &[operand]),
            ImageQuery::Samples => return self.value(Op::ImageQuerySamples, word, &[operand]),
            _ => {}
        }
        let dimensions = match image.dim {
            ImageDim::D1 | ImageDim::D1Buffer => 1,
            ImageDim::D1Array | ImageDim::D2 => 2,
            ImageDim::D2Array | ImageDim::D3 => 3,
        };
        let vector = self.e.module.vector(word, dimensions);
        let sizes = match image.dim == ImageDim::D1Buffer || image.msaa {
            true => self.value(Op::ImageQuerySize, vector, &[operand]),
            false => {
                let level = self.e.module.uint(0);
                self.value(Op::ImageQuerySizeLod, vector, &[operand, level])
            }
        };
        let component = |func: &mut Self, index: u32| match dimensions {
            1 => sizes,
            _ => func.value(Op::CompositeExtract, word, &[sizes, index]),
        };
        match what {
            ImageQuery::Width => component(self, 0),
            ImageQuery::Height => component(self, 1),
            ImageQuery::Depth => component(self, 2),
            ImageQuery::ArraySize => {
                let size = component(self, u32::from(dimensions) - 1);
                self.resize(size, Scalar::UInt, Scalar::ULong, 1)
            }
            _ => {
                let ty = self.e.ty(call.ty);
                let (width, height) = (component(self, 0), component(self, 1));
                match image.dim {
                    ImageDim::D3 => {
                        let (depth, zero) = (component(self, 2), self.e.module.uint(0));
                        self.value(Op::CompositeConstruct, ty, &[width, height, depth, zero])
                    }
                    _ => self.value(Op::CompositeConstruct, ty, &[width, height]),
                }
            }
        }
    }
}
