//! What of the language a program may use.

use crate::options::CompileOptions;
use crate::types::AddressSpace;

/// The language as version, features and options make it.
#[derive(Clone, Debug)]
pub(crate) struct Lang {
    /// 100, 110, 120, 200, 300 or 310.
    pub version: u32,
    pub generic: bool,
    pub program_scope_globals: bool,
    pub fp64: bool,
    pub fp16: bool,
    /// Is there a `half` at all, to store?
    pub half_type: bool,
    pub images: bool,
    pub read_write_images: bool,
    pub pipes: bool,
    pub blocks: bool,
    pub function_pointers: bool,
    pub bit_fields: bool,
    pub variadic: bool,
    pub single_precision: bool,
    /// Whether operations may be contracted where no pragma says.
    pub contract: bool,
}

impl Lang {
    pub(crate) fn new(options: &CompileOptions) -> Lang {
        let version = options.version;
        // OpenCL C 2.0 has what 3.0 has as features.
        let feature = |name: &str| version == 200 || version >= 300 && options.has(name);
        Lang {
            version,
            generic: feature("__opencl_c_generic_address_space"),
            program_scope_globals: feature("__opencl_c_program_scope_global_variables"),
            fp64: options.has("cl_khr_fp64") || version >= 300 && options.has("__opencl_c_fp64"),
            fp16: options.has("cl_khr_fp16"),
            half_type: true,
            images: version < 300 || options.has("__opencl_c_images"),
            read_write_images: feature("__opencl_c_read_write_images"),
            pipes: feature("__opencl_c_pipes"),
            blocks: feature("__opencl_c_device_enqueue"),
            function_pointers: options.has("__cl_clang_function_pointers"),
            bit_fields: options.has("__cl_clang_bitfields"),
            variadic: options.has("__cl_clang_variadic_functions"),
            single_precision: options.single_precision_constant,
            contract: options.fused_multiply_add,
        }
    }

    /// As messages name the version.
    pub(crate) fn version_text(&self) -> String {
        format!("{}.{}", self.version / 100, self.version / 10 % 10)
    }

    /// Where a pointer points to that does not say so.
    pub(crate) fn default_space(&self) -> AddressSpace {
        match self.generic {
            true => AddressSpace::Generic,
            false => AddressSpace::Private,
        }
    }
}
