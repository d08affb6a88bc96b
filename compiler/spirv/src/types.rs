//! SPIR-V types, resolved, with their layout in memory as OpenCL C has it (OpenCL C specification, sections 6.1.5 and 6.3.5).

use super::Id;
use super::joint::Joint;
use rspirv::spirv::{AccessQualifier, CooperativeMatrixUse, Dim, ImageFormat, StorageClass};

/// A type that an OpType instruction declares. Other types are named by their ids; non-aggregate types with equal ids are the same type, and
/// (since each is declared once) with different ids are different types.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// OpTypeVoid
    Void,
    /// OpTypeBool; one byte in memory.
    Bool,
    /// OpTypeInt; no signedness, as OpenCL's environment has it.
    Int {
        /// 8, 16, 32 or 64; 1 to 64 under SPV_INTEL_arbitrary_precision_integers.
        width: u32,
    },
    /// OpTypeFloat
    Float {
        /// 16, 32 or 64.
        width: u32,
        /// How the bits are to be read.
        encoding: FloatEncoding,
    },
    /// OpTypeVector
    Vector {
        /// A Bool, Int, Float or (SPV_INTEL_masked_gather_scatter) Pointer type.
        component: Id,
        /// 2, 3, 4, 8 or 16; whatever at least 2 under SPV_INTEL_vector_compute and the like.
        count: u32,
    },
    /// OpTypeArray
    Array {
        /// The elements' type.
        element: Id,
        /// How many, specialization applied.
        length: u64,
    },
    /// OpTypeStruct
    Struct(StructType),
    /// OpTypeCooperativeMatrixKHR, OpTypeJointMatrixINTEL
    CooperativeMatrix(MatrixType),
    /// OpTypeOpaque
    Opaque(String),
    /// OpTypePointer, OpTypeUntypedPointerKHR
    Pointer {
        /// Where it points.
        class: StorageClass,
        /// What it points to; 0 where the type does not say.
        pointee: Id,
    },
    /// OpTypeFunction
    Function {
        /// The result's type.
        result: Id,
        /// The parameters' types.
        parameters: Vec<Id>,
    },
    /// OpTypeImage
    Image(ImageType),
    /// OpTypeSampler
    Sampler,
    /// OpTypeSampledImage
    SampledImage {
        /// The image's type.
        image: Id,
    },
    /// OpTypeEvent
    Event,
    /// OpTypeDeviceEvent
    DeviceEvent,
    /// OpTypeReserveId
    ReserveId,
    /// OpTypeQueue
    Queue,
    /// OpTypePipe
    Pipe {
        /// ReadOnly or WriteOnly.
        access: AccessQualifier,
    },
    /// OpTypePipeStorage
    PipeStorage,
    /// OpTypeNamedBarrier
    NamedBarrier,
}

/// How a floating-point type's bits are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatEncoding {
    /// IEEE 754 binary16, binary32, binary64.
    Ieee754,
    /// The upper half of a binary32.
    BFloat16,
    /// 8 bits, 4 of them the exponent (SPV_EXT_float8).
    Float8E4M3,
    /// 8 bits, 5 of them the exponent.
    Float8E5M2,
}

/// OpTypeCooperativeMatrixKHR or OpTypeJointMatrixINTEL, whose operands have values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MatrixType {
    /// A scalar type.
    pub component: Id,
    /// The constants Scope, Rows, Columns and Use: as long as they are not the same ids, the types are not the same. A joint matrix may have no Use.
    pub operands: [Id; 4],
    /// How many rows, specialization applied.
    pub rows: u32,
    /// How many columns.
    pub columns: u32,
    /// What it is in a multiplication; `None` for a joint matrix of which that is not said.
    pub used_as: Option<CooperativeMatrixUse>,
    /// Components a work-item.
    pub length: u32,
    /// What else a joint matrix has; `None` of a cooperative one.
    pub joint: Option<Joint>,
}

/// OpTypeStruct, laid out.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StructType {
    /// The members' types.
    pub members: Vec<Id>,
    /// The members' offsets in bytes.
    pub offsets: Vec<u64>,
    /// It is decorated CPacked: there is no padding.
    pub packed: bool,
}

/// OpTypeImage's operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ImageType {
    /// A type; Void in OpenCL.
    pub sampled_type: Id,
    /// 1D, 2D, 3D or Buffer.
    pub dim: Dim,
    /// 0: not a depth image, 1: a depth image, 2: no saying.
    pub depth: u32,
    /// It is an array of images.
    pub arrayed: bool,
    /// It has several samples a pixel.
    pub multisampled: bool,
    /// 0 in OpenCL.
    pub sampled: u32,
    /// Unknown in OpenCL.
    pub format: ImageFormat,
    /// How a kernel may access it.
    pub access: Option<AccessQualifier>,
}

impl ImageType {
    /// How many coordinates an access takes, the layer counted.
    pub fn coordinates(&self) -> u32 {
        self.size_components()
    }

    /// How many components OpImageQuerySize gives.
    pub fn size_components(&self) -> u32 {
        let dimensions = match self.dim {
            Dim::Dim2D | Dim::DimCube | Dim::DimRect => 2,
            Dim::Dim3D => 3,
            _ => 1,
        };
        dimensions + u32::from(self.arrayed)
    }
}

/// A type's size and alignment in memory, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    /// What an element of an array takes.
    pub size: u64,
    /// A power of two.
    pub align: u64,
}

impl Layout {
    /// Size and alignment the same.
    pub const fn natural(size: u64) -> Layout {
        Layout { size, align: size }
    }

    /// A vector of `count` components: as large as the next power of two of them, and aligned to that.
    pub fn vector(component: Layout, count: u32) -> Layout {
        Layout::natural(component.size * u64::from(count.next_power_of_two()))
    }

    /// An array; `None` if it is larger than any memory.
    pub fn array(element: Layout, length: u64) -> Option<Layout> {
        let size = element.size.checked_mul(length).filter(|&size| size <= i64::MAX as u64)?;
        Some(Layout {
            size,
            align: element.align,
        })
    }

    /// A struct's layout, and its members' offsets; `None` if it is larger than any memory.
    pub fn of_struct(members: &[Layout], packed: bool) -> Option<(Layout, Vec<u64>)> {
        let (mut size, mut align) = (0u64, 1);
        let mut offsets = Vec::with_capacity(members.len());
        for member in members {
            if !packed {
                size = size.checked_next_multiple_of(member.align)?;
                align = align.max(member.align);
            }
            offsets.push(size);
            size = size.checked_add(member.size)?;
        }
        let size = size.checked_next_multiple_of(align).filter(|&size| size <= i64::MAX as u64)?;
        Some((Layout { size, align }, offsets))
    }
}

/// The bits that an integer of up to 64 bits takes in memory: 8, 16, 32 or 64.
pub fn container_bits(width: u32) -> u32 {
    width.next_power_of_two().max(8)
}

impl Type {
    /// Bool, Int or Float.
    pub fn is_scalar(&self) -> bool {
        matches!(self, Type::Bool | Type::Int { .. } | Type::Float { .. })
    }

    /// The width of an integer whose width is none of 8, 16, 32 and 64. In memory it is as LLVM lays it out: in the next wider of these.
    pub fn odd_width(&self) -> Option<u32> {
        match *self {
            Type::Int { width } if !matches!(width, 8 | 16 | 32 | 64) => Some(width),
            _ => None,
        }
    }

    /// Array or Struct.
    pub fn is_aggregate(&self) -> bool {
        matches!(self, Type::Array { .. } | Type::Struct(_))
    }

    /// Pointer's class and pointee (0 for an untyped pointer).
    pub fn pointer(&self) -> Option<(StorageClass, Id)> {
        match *self {
            Type::Pointer { class, pointee } => Some((class, pointee)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout_is_that_of_opencl_c() {
        let [char, int, long] = [1, 4, 8].map(Layout::natural);
        assert_eq!(Layout::vector(int, 3), Layout::natural(16));
        let (layout, offsets) = Layout::of_struct(&[char, long, int], false).unwrap();
        assert_eq!((layout, offsets), (Layout { size: 24, align: 8 }, vec![0, 8, 16]));
        let (layout, offsets) = Layout::of_struct(&[char, long, int], true).unwrap();
        assert_eq!((layout, offsets), (Layout { size: 13, align: 1 }, vec![0, 1, 9]));
        assert_eq!(Layout::array(long, u64::MAX), None);
        assert_eq!(
            Layout::of_struct(
                &[
                    Layout {
                        size: i64::MAX as u64,
                        align: 8
                    },
                    long
                ],
                false
            ),
            None
        );
    }
}
