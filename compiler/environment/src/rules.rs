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
    INTEGER_WIDTH: "Environment 2.6.1", "Integer types have a Width of 8, 16, 32 or 64; 1 to 64 where ArbitraryPrecisionIntegersINTEL is declared";
    ODD_INTEGER: "SPV_INTEL_arbitrary_precision_integers", "Integers of other widths than 8, 16, 32 and 64 are for arithmetic, conversions, memory, composites and control flow";
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
    FUNCTION_BODY: "SPIR-V 2.16.1", "A function has a body, unless it is imported";
    BLOCK_ORDER: "SPIR-V 2.16.1", "A block must come after the block that dominates it";
    BRANCH_TARGET: "SPIR-V 2.16.1", "Branches must lead to blocks of the same function, and not to its entry block";
    DOMINANCE: "SPIR-V 2.16.1", "A definition must dominate its uses";
    PHI_PARENTS: "SPIR-V 3.52.17", "OpPhi must have one value for each predecessor of its block, and none else";
    PHI_TYPE: "SPIR-V 3.52.17", "OpPhi's values must have its result's type";
    SWITCH_LITERALS: "SPIR-V 3.52.17", "OpSwitch's literals must be different";
    ENTRY_POINT_CALLED: "SPIR-V 2.16.1", "An entry point must not be called";
    ENTRY_POINT_FUNCTION: "SPIR-V 3.52.5", "An entry point must be a function that the module defines";
    ENTRY_POINT_NAME: "SPIR-V 2.16.1", "Entry points of one execution model must have different names";
    INTERFACE: "SPIR-V 3.52.5", "An entry point's interface lists module-scope variables";
    EXECUTION_MODE_TARGET: "SPIR-V 3.52.5", "An execution mode is for an entry point";
    EXECUTION_MODE_OPERAND: "SPIR-V 3.6", "The execution mode's operand is not one that it can have";
    EXECUTION_MODE_CONFLICT: "SPIR-V 3.6", "Execution modes of an entry point must not contradict each other";
    EXECUTION_MODE_UNSUPPORTED: "OpenCL API, appendix on OpenCL 3.0", "No kernel runs by itself before or after the others of its program: program-scope constructors and destructors are of OpenCL C++";
    FAST_MATH_MODE: "SPIR-V 3.15", "With FloatControls2, Fast must not be used, and AllowTransform needs AllowContract and AllowReassoc";

    // Universal: instructions
    RESULT_TYPE: "SPIR-V 3.52", "The result's type is not one that the instruction gives";
    OPERAND_TYPE: "SPIR-V 3.52", "An operand is not one that the instruction takes";
    INDEX_RANGE: "SPIR-V 3.52.12", "An index must name a part that is there";
    SELECT_AGGREGATE: "SPIR-V 3.52.15", "Before version 1.4, OpSelect selects scalars, pointers, and vectors by components";
    READ_ONLY: "SPIR-V 3.7", "UniformConstant and Input memory must not be written";
    ALIGNMENT: "SPIR-V 3.26", "An alignment must be a power of two";
    EXTENDED_INSTRUCTION: "SPIR-V 3.52.4", "The extended instruction is not one of its set, or has not its operands";
    ATOMIC_ORDER: "SPIR-V 3.52.18", "Loads don't release, stores don't acquire, nor does a failed compare-exchange release";
    SEMANTICS_VALUE: "SPIR-V 3.25", "Memory semantics must be known bits, at most one of which is an order";
    GROUP_OPERATION: "SPIR-V 3.28", "The group operation is not one that the instruction takes";
    CLUSTER_SIZE: "SPIR-V 3.52.24", "ClusterSize must be a constant power of two, of 32 bits, and is for clustered operations";
    ENTRY_POINT_LINKAGE: "SPIR-V 3.20", "An entry point must not have linkage attributes";
    SAMPLED_IMAGE: "SPIR-V 3.52.10", "A sampled image is consumed in the block that makes it, by image instructions, and its image is no Buffer";
    OPAQUE_CHOICE: "SPIR-V 2.16.1", "OpPhi and OpSelect must not choose among images or sampled images";
    PRINTF_ARGUMENTS: "OpenCL C 6.15.14", "printf's conversions must fit its arguments";
    DECORATION_TARGET: "SPIR-V 3.20", "The decoration is not for such a target";
    EXPORT_NAME: "SPIR-V 2.16.1", "Exported names must be different";

    // Versions, capabilities, extensions
    VERSION: "Environment 2.1", "The SPIR-V version must be one that the device supports";
    VERSION_NEEDED: "SPIR-V 1.4", "This is of a newer version of SPIR-V than the module's header declares";
    CAPABILITY: "Environment 3", "The device does not support the capability";
    CAPABILITY_EXTENSION: "SPIR-V 3.31", "The extension that this belongs to must be declared";
    EXTENSION: "Environment 5.1", "The device does not support the SPIR-V extension";
    INSTRUCTION_SET: "Environment 2.2", "The device does not support the extended instruction set";
    INSTRUCTION_CAPABILITY: "SPIR-V 2.16.1", "The instruction needs a capability that is not declared, or not supported";
    OPERAND_CAPABILITY: "SPIR-V 2.16.1", "An operand needs a capability that is not declared, or not supported";
    HALF_VALUE: "SPIR-V 3.31", "With Float16Buffer alone, half is what pointers point to, and the type of no value";
    TYPE_CAPABILITY: "SPIR-V 3.52.6", "The type needs a capability that is not declared";

    // The environment's common properties and validation rules
    SIGNEDNESS: "Environment 4", "Signedness must be 0";
    EXECUTION_MODEL: "Environment 4", "The execution model must be Kernel";
    ADDRESSING_MODEL: "Environment 4", "The addressing model must be that of the device's addresses";
    MEMORY_MODEL: "Environment 4", "The memory model must be OpenCL";
    STORAGE_CLASS: "Environment 2.6", "The storage class is not one of OpenCL's";
    IMAGE_SAMPLED_TYPE: "Environment 4", "An image's Sampled Type must be OpTypeVoid";
    IMAGE_SAMPLED: "Environment 4", "An image's Sampled must be 0";
    IMAGE_MS: "Environment 4", "An image's MS must be 0";
    IMAGE_ARRAYED: "Environment 4", "An image may be Arrayed only if its Dim is 1D or 2D";
    IMAGE_FORMAT: "Environment 4", "An image's Image Format must be Unknown";
    IMAGE_ACCESS: "Environment 4", "An image's Access Qualifier must be present";
    IMAGE_DIM: "Environment 2.6.2", "An image's Dim must be 1D, 2D, 3D or Buffer";
    IMAGE_DEPTH: "Environment 2.6.2", "Depth images are 2D, where the device has them";
    IMAGE_OFFSET: "Environment 4", "Image reads and writes must not have ConstOffset";
    IMAGE_OPERANDS: "Environment 4", "The image operand is not one of OpenCL's";
    IMAGE_WRITE_OPERANDS: "Environment 4 (before 3.1)", "OpImageWrite must not have image operands";
    IMAGE_LOD: "Environment 5.2 cl_khr_mipmap_image", "Lod must be the constant 0, unless the device has mipmaps";
    IMAGE_WRITE_LOD: "Environment 5.2 cl_khr_mipmap_image_writes", "Lod must be the constant 0, unless the device writes mipmaps";
    IMAGE_3D_WRITE: "Environment 5.2 cl_khr_3d_image_writes", "The device does not write 3D images";
    KERNEL_RETURN: "Environment 2.8.1", "A kernel's result type must be OpTypeVoid";
    KERNEL_ARGUMENT: "Environment 2.8.2", "A kernel's argument must be of a type that the environment lists";
    INPUT_BUILT_IN: "Environment 2.9", "A variable in Input must be a built-in variable";
    BUILT_IN: "Environment 2.9", "The built-in variable is not one of OpenCL's";
    BUILT_IN_TYPE: "Environment 2.9", "A built-in variable must have the type that the environment says";
    BUILT_IN_CLASS: "Environment 2.9", "Built-in variables must be in Input";
    LOCAL_INITIALIZER: "OpenCL C 6.7.2", "Local memory can't be initialized";
    PRINTF_FORMAT: "OpenCL.std 2.3", "printf's format must be a pointer to constant bytes";
    ATOMIC_TYPE: "Environment 4", "Atomic instructions are for 32-bit integers, and for other types where an extension says so";
    ATOMIC_CLASS: "Environment 4", "Atomic instructions are for Function, Workgroup, CrossWorkgroup and Generic";
    FLOAT_ATOMICS: "cl_ext_float_atomics", "The device, or the module's capabilities, do not allow this floating-point atomic";
    RECURSION: "Environment 4", "The call graph must have no cycles";
    SCOPE_CONSTANT: "SPIR-V 2.16.1", "Scopes and memory semantics must be constants";
    SCOPE_VALUE: "SPIR-V 3.27", "There is no such scope";
    EXECUTION_SCOPE: "Environment 4", "The scope for execution is not one that the instruction or device has";
    MEMORY_SCOPE: "Environment 4", "The scope for memory is not one that the instruction or device has";
    MEMORY_ORDER: "Environment 4", "The memory order is not one that the device has";
    GROUP_TYPE: "Environment 5.2 cl_khr_subgroup_extended_types", "The type is not one that group instructions take here";
    INTEL_SUBGROUP_TYPE: "SPV_INTEL_subgroups", "The data's type is not one that the instruction takes";

    // Cooperative matrices
    MATRIX_TYPE: "SPV_KHR_cooperative_matrix", "A cooperative or joint matrix type has a numerical scalar as component type, and a Scope, Rows, Columns and Use, or Layout, that are 32-bit constants";
    MATRIX_SHAPE: "cl_khr_cooperative_matrix", "A cooperative matrix's component type, rows and columns must be ones that the device has for its use";
    MATRIX_SCOPE: "cl_khr_cooperative_matrix", "A cooperative matrix's scope must be Subgroup";
    MATRIX_STORAGE: "SPV_KHR_cooperative_matrix", "Cooperative matrices, and what contains them, are in the storage class Function alone";
    MATRIX_INSTRUCTION: "SPV_KHR_cooperative_matrix", "The instruction is not one that takes or gives cooperative matrices";
    MATRIX_CONVERSION: "SPV_KHR_cooperative_matrix", "A conversion keeps a cooperative matrix's scope, rows, columns and use";
    MATRIX_POINTER: "cl_khr_cooperative_matrix", "Cooperative matrices are loaded and stored through pointers to numbers, or vectors of them, in Workgroup or CrossWorkgroup, joint matrices in Generic, too";
    MATRIX_LAYOUT: "SPV_KHR_cooperative_matrix", "A cooperative matrix's layout in memory is a constant, RowMajorKHR, ColumnMajorKHR or, of B with 8 or 16 bits, PackedINTEL, with a stride; a joint matrix's is one of its use";
    MATRIX_PRODUCT: "cl_khr_cooperative_matrix", "The uses, sizes, component types and operands of a multiplication must be a combination that the device has";
    MATRIX_SIGNED: "SPV_KHR_cooperative_matrix", "Only matrices of integers have signed components";
    SUB_GROUP_PRODUCT: "cl_intel_subgroup_matrix_multiply_accumulate", "The types, K Dim and operands of a sub-group's product of matrices must be a combination of the extension's tables";
}
