//! Accesses to images, at the work-item level: what an image instruction of the source is until the launch says which formats and samplers
//! there are. Then `passes::expand_images` makes ordinary code of it.

use super::inst::TypeList;
use super::memory::AliasSet;
use super::named::named;
use super::types::{Elem, Type};
use core::fmt;
use core::iter::repeat_n;

/// Memory of images that kernels write: that of any buffer of which nothing is promised, too.
pub const IMAGE_MEMORY: AliasSet = 1;

named! {
    /// What an access does.
    pub enum ImageAccess {
        /// Reads a texel, without a sampler.
        Read = "read",
        /// Reads through a sampler.
        Sample = "sample",
        /// Writes a texel.
        Write = "write",
    }
}

named! {
    /// Dimensions of an image; a buffer's has one.
    #[allow(missing_docs)]
    pub enum ImageDim {
        D1 = "1d",
        D1Array = "1d_array",
        D2 = "2d",
        D2Array = "2d_array",
        D3 = "3d",
    }
}

impl ImageDim {
    /// Coordinates, the layer's number among them.
    pub const fn coordinates(self) -> usize {
        match self {
            ImageDim::D1 => 1,
            ImageDim::D1Array | ImageDim::D2 => 2,
            ImageDim::D2Array | ImageDim::D3 => 3,
        }
    }

    /// The last coordinate is a layer's number.
    pub const fn is_arrayed(self) -> bool {
        matches!(self, ImageDim::D1Array | ImageDim::D2Array)
    }
}

/// An access to an image. Operands are the image (the address of its `device::image::ImageRecord`), the sampler if there is one (a
/// `device::image::SamplerWord` and, above it, a `device::image::LevelRange` as `i64`), the coordinates (all `i32` or all `f32`), the mip level
/// if there is one (`f32` with a sampler, else `i32`), and for a write the texel's components.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ImageOp {
    /// What it does.
    pub access: ImageAccess,
    /// The image's dimensions.
    pub dim: ImageDim,
    /// Components of a texel: `f32`, `f16` or `i32`.
    pub texel: Elem,
    /// A texel has one component, not four.
    pub depth: bool,
    /// Nobody writes the image while the kernel runs.
    pub constant: bool,
    /// There is a mip level; else it is the first.
    pub level: bool,
}

impl ImageOp {
    /// Components of a texel.
    pub const fn components(self) -> usize {
        if self.depth { 1 } else { 4 }
    }

    /// Operands before the coordinates.
    pub const fn handles(self) -> usize {
        match self.access {
            ImageAccess::Sample => 2,
            ImageAccess::Read | ImageAccess::Write => 1,
        }
    }

    /// Number of operands.
    pub const fn operands(self) -> usize {
        let texel = if self.is_write() { self.components() } else { 0 };
        self.handles() + self.dim.coordinates() + self.level as usize + texel
    }

    /// It writes.
    pub const fn is_write(self) -> bool {
        matches!(self.access, ImageAccess::Write)
    }

    /// It gives the same for the same operands, whenever it is executed.
    pub const fn is_pure(self) -> bool {
        self.constant && !self.is_write()
    }

    /// Types of the results.
    pub fn results(self) -> TypeList {
        match self.is_write() {
            true => TypeList::new(),
            false => repeat_n(Type::scalar(self.texel), self.components()).collect(),
        }
    }

    /// Reads the text form.
    pub fn parse(text: &str) -> Option<ImageOp> {
        let mut words = text.split('.');
        let mut op = ImageOp {
            access: ImageAccess::parse(words.next()?)?,
            dim: ImageDim::parse(words.next()?)?,
            texel: {
                let name = words.next()?;
                Elem::ALL.into_iter().find(|elem| elem.name() == name)?
            },
            depth: false,
            constant: false,
            level: false,
        };
        for word in words {
            match word {
                "depth" => op.depth = true,
                "const" => op.constant = true,
                "level" => op.level = true,
                _ => return None,
            }
        }
        Some(op)
    }
}

/// `sample.2d.f32.const`
impl fmt::Display for ImageOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.access, self.dim, self.texel.name())?;
        if self.depth {
            f.write_str(".depth")?;
        }
        if self.constant {
            f.write_str(".const")?;
        }
        if self.level {
            f.write_str(".level")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_form_is_read_back() {
        for &(access, _) in ImageAccess::NAMES {
            for &(dim, _) in ImageDim::NAMES {
                for texel in [Elem::F32, Elem::F16, Elem::I32] {
                    for bits in 0..8 {
                        let op = ImageOp {
                            access,
                            dim,
                            texel,
                            depth: bits & 1 != 0,
                            constant: bits & 2 != 0,
                            level: bits & 4 != 0,
                        };
                        assert_eq!(ImageOp::parse(&op.to_string()), Some(op));
                    }
                }
            }
        }
        assert_eq!(ImageOp::parse("read.2d"), None);
        assert_eq!(ImageOp::parse("read.2d.f32.what"), None);
    }
}
