//! Forms that compilers give a meaning of their own, told by what the module holds: whoever wrote the header may have been a linker or an assembler.

use super::{ConstantRef, ConstantValue, Id, Instruction, Module, Type, fold};
use rspirv::spirv::{Op, SourceLanguage};

impl Module {
    /// Is it the constant address of a byte, element 0 and one index after it, that counts bytes from a pointer to something else? So LLVM's back end
    /// writes a getelementptr of i8, whatever the variable is. Gives the bytes.
    ///
    /// A member of a struct may have such a type, too. LLVM and its translators name members by 32-bit integers and count bytes in integers of the address
    /// width.
    pub fn byte_offset(&self, result_type: Id, base_type: Id, indexes: &[ConstantRef]) -> Option<i64> {
        let byte = |type_id| matches!(self.ty(type_id), Type::Int { width: 8 });
        let (to, pointee) = self.ty(result_type).pointer()?;
        let (from, base) = self.ty(base_type).pointer()?;
        let [element, index] = *indexes else { return None };
        if to != from || !byte(pointee) || self.constant_index(element)? != 0 {
            return None;
        }
        let meant = match *self.ty(base) {
            Type::Array { element, .. } => !byte(element),
            Type::Vector { component, .. } => !byte(component),
            Type::Struct(_) => *self.ty(self.resolve(index).type_id) == Type::Int { width: self.address_bits },
            _ => true,
        };
        if meant { self.constant_index(index) } else { None }
    }

    /// The value of an index that is a constant, with its sign.
    pub fn constant_index(&self, index: ConstantRef) -> Option<i64> {
        let data = self.resolve(index);
        match data.value {
            ConstantValue::Bits(bits) => {
                let width = match *self.ty(data.type_id) {
                    Type::Int { width } => width,
                    _ => 64,
                };
                Some(fold::signed(bits, width))
            }
            ConstantValue::Null | ConstantValue::Undef => Some(0),
            _ => None,
        }
    }

    /// Does an OpAtomicLoad have OpenCL C's numbers for its order and scope, where SPIR-V has scope and semantics? LLVM's back end writes
    /// atomic_load_explicit's so. Some make no scope or semantics; semantics of an order without a storage class are no more than a guess, which asks for
    /// no less than what either reading means.
    pub fn has_own_atomic_numbers(&self, load: &Instruction<'_>) -> bool {
        let [scope, semantics] = [1, 2].map(|position| self.constant_bits(load.word(position)));
        load.op() == Op::AtomicLoad && (scope == Some(5) || matches!(semantics, Some(1..0x10)))
    }

    /// Does an image query mean OpenCL's constants, which begin with `first`, rather than SPIR-V's enumerants, which begin with 0? OpenCL C knows the former
    /// alone: Khronos's translator adds `first` to what it asks for, and LLVM's back end adds nothing.
    pub fn means_opencl_numbers(&self, query: &Instruction<'_>, first: u32) -> bool {
        let is_first = |id| self.constant_bits(id) == Some(first.into());
        let adds = |instruction: Instruction<'_>| {
            let [a, b] = [instruction.word(0), instruction.word(1)];
            instruction.op() == Op::IAdd && (a == query.result && is_first(b) || b == query.result && is_first(a))
        };
        let of_opencl_c = |instruction: Instruction<'_>| {
            let language = SourceLanguage::from_u32(instruction.word(0));
            instruction.op() == Op::Source && matches!(language, Some(SourceLanguage::OpenCL_C | SourceLanguage::CPP_for_OpenCL))
        };
        let declarations = self
            .binary
            .instructions()
            .take_while(|instruction| instruction.op() != Op::Function);
        declarations.into_iter().any(of_opencl_c) && !self.binary.instructions().skip(query.index as usize).any(adds)
    }
}
