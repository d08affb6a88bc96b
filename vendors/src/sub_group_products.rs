//! The products of matrices that sub-groups compute (SPV_INTEL_subgroup_matrix_multiply_accumulate): those of the tables in
//! cl_intel_subgroup_matrix_multiply_accumulate and cl_intel_subgroup_matrix_multiply_accumulate_tf32.
//!
//! A work-item has a column of B, of C and of the result. How A's columns are spread over the work-items says how many there are: the operands' types fix
//! the size of the sub-group.

use rspirv::spirv::MatrixMultiplyAccumulateOperands as Bits;

/// What A's and B's elements are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// Four in a word.
    Int8,
    /// Eight in a word.
    Int4,
    /// Two in a word.
    F16,
    /// Two in a word.
    BF16,
    /// A float of which ten bits of fraction are used.
    TF32,
}

/// What C's and the result's elements are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accumulator {
    /// Integers of 32 bits, which wrap.
    I32,
    /// binary32
    F32,
    /// binary16
    F16,
    /// bfloat16, in integers of 16 bits.
    BF16,
}

/// The type of an operand: a scalar or a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// Its components are floats, else integers.
    pub is_float: bool,
    /// Bits of a component.
    pub width: u32,
    /// How many there are.
    pub count: u32,
}

impl Operand {
    /// Work-items of the sub-groups that multiply with this as A.
    pub fn sub_group_size(self) -> u32 {
        if self.is_float || self.width < 32 { 16 } else { 8 }
    }
}

/// A product of an m × k and a k × n matrix, where n is the size of the sub-group. B has eight words a work-item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Product {
    /// A's and B's.
    pub element: Element,
    /// A's and B's elements have signs.
    pub signed: [bool; 2],
    /// C's and the result's.
    pub accumulator: Accumulator,
    /// n
    pub sub_group_size: u32,
}

/// By the operands that say what A and B are: their elements, and k.
static ELEMENTS: [(Bits, Element, u64); 5] = [
    (
        Bits::MATRIX_A_PACKED_INT8_INTEL.union(Bits::MATRIX_B_PACKED_INT8_INTEL),
        Element::Int8,
        32,
    ),
    (
        Bits::MATRIX_A_PACKED_INT4_INTEL.union(Bits::MATRIX_B_PACKED_INT4_INTEL),
        Element::Int4,
        64,
    ),
    (
        Bits::MATRIX_A_PACKED_FLOAT16_INTEL.union(Bits::MATRIX_B_PACKED_FLOAT16_INTEL),
        Element::F16,
        16,
    ),
    (
        Bits::MATRIX_A_PACKED_B_FLOAT16_INTEL.union(Bits::MATRIX_B_PACKED_B_FLOAT16_INTEL),
        Element::BF16,
        16,
    ),
    (Bits::MATRIX_ATF32INTEL.union(Bits::MATRIX_BTF32INTEL), Element::TF32, 8),
];

/// The product of these operands, K Dim and types of A, B, C and the result, if it is in the tables.
pub fn product(operands: Bits, depth: u64, [a, b, c, result]: [Operand; 4]) -> Option<Product> {
    let signs = [Bits::MATRIX_A_SIGNED_COMPONENTS_INTEL, Bits::MATRIX_B_SIGNED_COMPONENTS_INTEL];
    let bfloats = Bits::MATRIX_CB_FLOAT16_INTEL | Bits::MATRIX_RESULT_B_FLOAT16_INTEL;
    let of_factors = operands - bfloats - signs[0] - signs[1];
    let &(_, element, _) = ELEMENTS.iter().find(|&&(bits, _, k)| bits == of_factors && k == depth)?;
    let is_integer = matches!(element, Element::Int8 | Element::Int4);
    let accumulator = match (element, operands & bfloats, c.is_float, c.width) {
        (Element::Int8 | Element::Int4, bits, false, 32) if bits.is_empty() => Accumulator::I32,
        (Element::F16 | Element::BF16 | Element::TF32, bits, true, 32) if bits.is_empty() => Accumulator::F32,
        (Element::F16, bits, true, 16) if bits.is_empty() => Accumulator::F16,
        (Element::BF16, bits, false, 16) if bits == bfloats => Accumulator::BF16,
        _ => return None,
    };
    let signed = signs.map(|sign| operands.contains(sign));
    let sub_group_size = a.sub_group_size();
    let is_tf32 = element == Element::TF32;
    let rows = c.count;
    // A's columns are fewer than work-items where they are of TF32: each work-item has every other row.
    let factors = if is_tf32 {
        a.is_float && a.width == 32 && a.count == rows.div_ceil(2)
    } else {
        !a.is_float && matches!(a.width, 16 | 32) && a.count == rows
    };
    let eight_words = Operand {
        is_float: is_tf32,
        width: 32,
        count: 8,
    };
    let good = factors
        && b == eight_words
        && c == result
        && matches!(rows, 1 | 2 | 4 | 8)
        && (is_integer || signed == [false; 2])
        && (sub_group_size == 16 || c.width == 32);
    good.then_some(Product {
        element,
        signed,
        accumulator,
        sub_group_size,
    })
}
