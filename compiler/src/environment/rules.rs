//! The rules, as a table. Sections of the SPIR-V specification (unified1) are written "SPIR-V 2.4", those of the OpenCL SPIR-V Environment
//! Specification (3.1.1) "Environment 4".

use super::diagnostics::Rule;

macro_rules! rules {
    ($($name:ident: $section:literal, $sentence:literal;)*) => {
        $(pub static $name: Rule = Rule { id: stringify!($name), section: $section, sentence: $sentence };)*

        /// Every rule.
        pub static RULES: &[&Rule] = &[$(&$name),*];
    };
}

rules! {
    // Universal: the module as a whole
    SCHEMA: "SPIR-V 2.3", "The instruction schema must be 0";
    LAYOUT_ORDER: "SPIR-V 2.4", "Instructions must be in the order of the logical layout";
    ID_UNDEFINED: "SPIR-V 2.16.1", "Each id that is used must be defined";
    ID_ORDER: "SPIR-V 2.4", "Types, constants and variables must be defined before they are used";
    MEMORY_MODEL_ONCE: "SPIR-V 2.4", "There must be exactly one OpMemoryModel";
    TYPE_EXPECTED: "SPIR-V 2.16.1", "The operand must be a type";
    TYPE_UNIQUE: "SPIR-V 2.8", "Two types that are not aggregates must not be declared alike";
    TYPE_OPERAND: "SPIR-V 3.52.6", "The type's operand is not one that it can have";
    TYPE_SIZE: "SPIR-V 2.17", "The type is larger than any memory";
    TYPE_UNSUPPORTED: "Environment 2.6", "The type is not one of OpenCL's";
    INTEGER_WIDTH: "Environment 2.6.1", "Integer types have a Width of 8, 16, 32 or 64";
    FLOAT_WIDTH: "Environment 2.6.1", "Floating-point types have a Width of 16, 32 or 64";
    VECTOR_COUNT: "Environment 2.6.1", "Vectors have 2, 3, 4, 8 or 16 components";
    INSTRUCTION_UNSUPPORTED: "Environment 3", "The instruction is not one that this device supports";
    DECORATION_GROUP: "SPIR-V 3.52.3", "The operand must be an OpDecorationGroup";
    FORWARD_POINTER: "SPIR-V 3.52.6", "A forward-declared pointer must be declared by OpTypePointer, with the same storage class";
    CONSTANT_TYPE: "SPIR-V 3.52.7", "The constant's type does not fit its value";
    CONSTANT_OPERAND: "SPIR-V 3.52.7", "A constant's operands must be constants (or, in OpenCL, addresses of module-scope variables) of the right types";
    CONSTANT_LITERAL: "SPIR-V 2.2.1", "A literal narrower than 32 bits must be sign-extended or zero-extended";
    SPEC_CONSTANT_OP: "SPIR-V 3.52.7", "OpSpecConstantOp takes only operations that the specification lists for it";
    SPEC_ID: "SPIR-V 3.20", "SpecId decorates scalar specialization constants, each with an id of its own";
    SPECIALIZATION_SIZE: "OpenCL API 5.8.3", "A specialization value must be as large as its constant";
    VARIABLE_TYPE: "SPIR-V 3.52.8", "A variable's type must be a pointer with the variable's storage class";
    VARIABLE_INITIALIZER: "SPIR-V 3.52.8", "A variable's initializer must be a constant or a module-scope variable, of the type that the variable holds";
    VARIABLE_CLASS: "SPIR-V 2.16.1", "The storage class is not one that a variable can have here";
    FUNCTION_LAYOUT: "SPIR-V 2.4", "A function is OpFunction, parameters, blocks, OpFunctionEnd";
    FUNCTION_TYPE: "SPIR-V 3.52.9", "A function's result and parameters must be as its function type says";
    BLOCK_LAYOUT: "SPIR-V 2.4", "A block is OpLabel, OpPhi instructions, others (OpVariable first, in the entry block), one terminator";
}
