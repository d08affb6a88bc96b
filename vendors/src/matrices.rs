//! The cooperative matrices that the compiler has: what modules may declare and multiply, and what the device says of it, are this table.

use rspirv::spirv::CooperativeMatrixUse as Use;

/// Work-items of the sub-groups that matrices are spread over. Kernels that load, store or multiply matrices run in such, whatever others do.
pub const SUB_GROUP_SIZE: u32 = 16;

/// What a matrix's components are, with the sign that a multiplication sees in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Component {
    /// OpTypeFloat 16
    F16,
    /// OpTypeFloat 32
    F32,
    /// OpTypeFloat 64
    F64,
    /// OpTypeFloat 16 BFloat16KHR
    BF16,
    /// OpTypeFloat 8 Float8E4M3EXT
    E4M3,
    /// OpTypeFloat 8 Float8E5M2EXT
    E5M2,
    /// OpTypeInt 8, signed
    S8,
    /// OpTypeInt 32, signed
    S32,
    /// OpTypeInt 8, unsigned
    U8,
    /// OpTypeInt 32, unsigned
    U32,
}

impl Component {
    /// The component that an integer type of SPIR-V is, taken for signed or not.
    pub fn integer(width: u32, signed: bool) -> Option<Component> {
        match (width, signed) {
            (8, true) => Some(Component::S8),
            (8, false) => Some(Component::U8),
            (32, true) => Some(Component::S32),
            (32, false) => Some(Component::U32),
            _ => None,
        }
    }

    /// What it is in `cl_device_cooperative_matrix_component_type_khr`, whose draft has neither bfloat16 nor floats of 8 bits.
    pub fn number(self) -> Option<u32> {
        match self {
            Component::F16 => Some(0),
            Component::F32 => Some(1),
            Component::F64 => Some(2),
            Component::BF16 | Component::E4M3 | Component::E5M2 => None,
            Component::S8 => Some(3),
            Component::S32 => Some(5),
            Component::U8 => Some(7),
            Component::U32 => Some(9),
        }
    }

    /// The component that an IEEE 754 type is.
    pub fn float(width: u32) -> Option<Component> {
        match width {
            16 => Some(Component::F16),
            32 => Some(Component::F32),
            64 => Some(Component::F64),
            _ => None,
        }
    }
}

/// A multiplication of an m × k by a k × n matrix, added to an m × n one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// m, n, k
    pub sizes: [u32; 3],
    /// Of A, B, C and the result.
    pub components: [Component; 4],
    /// The sum is saturating (SaturatingAccumulationKHR).
    pub saturating: bool,
}

impl Variant {
    /// Rows and columns of a matrix of such a use.
    pub fn shape(&self, used_as: Use) -> [u32; 2] {
        let [m, n, k] = self.sizes;
        match used_as {
            Use::MatrixAKHR => [m, k],
            Use::MatrixBKHR => [k, n],
            Use::MatrixAccumulatorKHR => [m, n],
        }
    }

    /// The components that matrices of such a use have.
    pub fn components_of(&self, used_as: Use) -> &[Component] {
        match used_as {
            Use::MatrixAKHR => &self.components[..1],
            Use::MatrixBKHR => &self.components[1..2],
            Use::MatrixAccumulatorKHR => &self.components[2..],
        }
    }
}

/// Variants of the same sizes, in the order m, n, k: powers of two, of which no matrix has fewer than [`SUB_GROUP_SIZE`] components, nor more than 64 a
/// work-item.
struct Family {
    sizes: &'static [[u32; 3]],
    components: &'static [[Component; 4]],
    /// Each there is with and without SaturatingAccumulationKHR.
    saturates: bool,
}

use Component::*;

static FAMILIES: [Family; 6] = [
    Family {
        sizes: &[[4, 4, 4], [4, 16, 16], [8, 8, 8], [8, 16, 16], [16, 16, 8], [16, 16, 16]],
        components: &[[F32; 4]],
        saturates: false,
    },
    Family {
        sizes: &[[8, 8, 4], [8, 8, 8], [8, 16, 8]],
        components: &[[F64; 4]],
        saturates: false,
    },
    Family {
        sizes: &[[8, 8, 16], [8, 16, 16], [16, 16, 16], [16, 16, 32]],
        components: &[[F16, F16, F32, F32], [F16; 4], [BF16, BF16, F32, F32], [BF16; 4]],
        saturates: false,
    },
    Family {
        sizes: &[[8, 16, 32], [16, 16, 16], [16, 16, 32]],
        components: &[
            [E4M3, E4M3, F32, F32],
            [E5M2, E5M2, F32, F32],
            [E4M3, E5M2, F32, F32],
            [E5M2, E4M3, F32, F32],
        ],
        saturates: false,
    },
    Family {
        sizes: &[[8, 8, 32], [8, 16, 32], [16, 16, 16], [16, 16, 32], [16, 16, 64]],
        components: &[[S8, S8, S32, S32], [U8, U8, U32, U32], [U8, S8, S32, S32], [S8, U8, S32, S32]],
        saturates: true,
    },
    Family {
        sizes: &[[4, 4, 4], [8, 4, 16], [8, 8, 8], [16, 16, 16]],
        components: &[[S32; 4], [U32; 4]],
        saturates: true,
    },
];

/// Every multiplication that there is.
pub fn variants() -> impl Iterator<Item = Variant> {
    FAMILIES.iter().flat_map(|family| {
        let saturating: &[bool] = if family.saturates { &[false, true] } else { &[false] };
        family.sizes.iter().flat_map(move |&sizes| {
            family.components.iter().flat_map(move |&components| {
                saturating.iter().map(move |&saturating| Variant {
                    sizes,
                    components,
                    saturating,
                })
            })
        })
    })
}

/// Whether there are such matrices; of integers, of either sign.
pub fn has_type(used_as: Use, shape: [u32; 2], is_component: impl Fn(Component) -> bool) -> bool {
    variants()
        .any(|variant| variant.shape(used_as) == shape && variant.components_of(used_as).iter().any(|&component| is_component(component)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrices_are_spread_evenly() {
        for variant in variants() {
            assert!(variant.sizes.iter().all(|size| size.is_power_of_two()), "{variant:?}");
            for used_as in [Use::MatrixAKHR, Use::MatrixBKHR, Use::MatrixAccumulatorKHR] {
                let [rows, columns] = variant.shape(used_as);
                let each = rows * columns / SUB_GROUP_SIZE;
                assert!((1..=64).contains(&each), "{variant:?}: {used_as:?}");
            }
        }
    }
}
