//! What a row says.

use bitflags::bitflags;
use rspirv::spirv::Capability;

/// A version as `cl_version` packs it: major << 22 | minor << 12 | patch.
pub type Version = u32;

/// `CL_MAKE_VERSION`
pub const fn version(major: u32, minor: u32, patch: u32) -> Version {
    major << 22 | minor << 12 | patch
}

/// Names without versions.
pub type Names = &'static [&'static str];

bitflags! {
    /// What the API's device queries, and nothing finer, say yes or no to.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Features: u64 {
        /// Half precision: `CL_DEVICE_HALF_FP_CONFIG`, `CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF`.
        const FP16 = 1;
        /// Double precision: `CL_DEVICE_DOUBLE_FP_CONFIG`.
        const FP64 = 1 << 1;
        /// 64-bit atomics.
        const INT64_ATOMICS = 1 << 2;
        /// `CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT`
        const GENERIC_ADDRESS_SPACE = 1 << 3;
        /// `CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE` is not 0.
        const PROGRAM_SCOPE_VARIABLES = 1 << 4;
        /// `CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT`
        const WORK_GROUP_COLLECTIVES = 1 << 5;
        /// `CL_DEVICE_MAX_NUM_SUB_GROUPS` is not 0.
        const SUB_GROUPS = 1 << 6;
        /// `CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS`
        const INDEPENDENT_FORWARD_PROGRESS = 1 << 7;
        /// `CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT`
        const NON_UNIFORM_WORK_GROUPS = 1 << 8;
        /// `CL_DEVICE_PIPE_SUPPORT`
        const PIPES = 1 << 9;
        /// `CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES`
        const DEVICE_ENQUEUE = 1 << 10;
        /// `CL_DEVICE_IMAGE_SUPPORT`
        const IMAGES = 1 << 11;
        /// `CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS` is not 0.
        const READ_WRITE_IMAGES = 1 << 12;
        /// Kernels may write 3-D images.
        const IMAGE_3D_WRITES = 1 << 13;
        /// 2-D depth images.
        const DEPTH_IMAGES = 1 << 14;
        /// Mip levels can be sampled.
        const MIPMAPS = 1 << 15;
        /// Mip levels can be written.
        const MIPMAP_WRITES = 1 << 16;
        /// sRGB images can be written.
        const SRGB_WRITES = 1 << 17;
        /// `CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED_KHR`
        const DOT_PRODUCT_PACKED = 1 << 18;
        /// `CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_KHR`
        const DOT_PRODUCT_4X8 = 1 << 19;
        /// `CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR`, all scopes.
        const KERNEL_CLOCK = 1 << 20;
        /// `Groups` instructions at sub-group scope take the types of cl_khr_subgroup_extended_types.
        const SUB_GROUP_EXTENDED_TYPES = 1 << 21;
        /// Scans and reductions may be clustered.
        const SUB_GROUP_CLUSTERED = 1 << 22;
        /// `CL_DEVICE_SUB_GROUP_SIZES_INTEL`
        const REQUIRED_SUB_GROUP_SIZE = 1 << 23;
        /// clCreateProgramWithIL
        const INTERMEDIATE_LANGUAGE = 1 << 24;
        /// Linkage type LinkOnceODR.
        const LINK_ONCE = 1 << 25;
        /// 2-D multisampled images.
        const MULTISAMPLED_IMAGES = 1 << 26;
    }

    /// `CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES` and `CL_DEVICE_ATOMIC_FENCE_CAPABILITIES`; bits are OpenCL's own.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct AtomicCapabilities: u64 {
        /// `CL_DEVICE_ATOMIC_ORDER_RELAXED`
        const ORDER_RELAXED = 1;
        /// `CL_DEVICE_ATOMIC_ORDER_ACQ_REL`
        const ORDER_ACQ_REL = 1 << 1;
        /// `CL_DEVICE_ATOMIC_ORDER_SEQ_CST`
        const ORDER_SEQ_CST = 1 << 2;
        /// `CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM`
        const SCOPE_WORK_ITEM = 1 << 3;
        /// `CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP`
        const SCOPE_WORK_GROUP = 1 << 4;
        /// `CL_DEVICE_ATOMIC_SCOPE_DEVICE`
        const SCOPE_DEVICE = 1 << 5;
        /// `CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES`
        const SCOPE_ALL_DEVICES = 1 << 6;
    }

    /// `CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT` and its kin; bits are OpenCL's own.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct FloatAtomics: u64 {
        /// `CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT`
        const GLOBAL_LOAD_STORE = 1;
        /// `CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT`
        const GLOBAL_ADD = 1 << 1;
        /// `CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT`
        const GLOBAL_MIN_MAX = 1 << 2;
        /// `CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT`
        const LOCAL_LOAD_STORE = 1 << 16;
        /// `CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT`
        const LOCAL_ADD = 1 << 17;
        /// `CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT`
        const LOCAL_MIN_MAX = 1 << 18;
    }

    /// `CL_DEVICE_SVM_CAPABILITIES`; bits are OpenCL's own.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Svm: u64 {
        /// `CL_DEVICE_SVM_COARSE_GRAIN_BUFFER`
        const COARSE_GRAIN_BUFFER = 1;
        /// `CL_DEVICE_SVM_FINE_GRAIN_BUFFER`
        const FINE_GRAIN_BUFFER = 1 << 1;
        /// `CL_DEVICE_SVM_FINE_GRAIN_SYSTEM`
        const FINE_GRAIN_SYSTEM = 1 << 2;
        /// `CL_DEVICE_SVM_ATOMICS`
        const ATOMICS = 1 << 3;
    }
}

/// An extension, or a core feature that a device may lack.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The extension's name, or `core:` and the feature's.
    pub name: &'static str,
    /// The driver runs all of it.
    pub enabled: bool,
    /// The driver runs all of it, but its specification is a draft that may change: it is there for those who ask for it by `BROLGA_WITH`.
    pub provisional: bool,
    /// Why it is not enabled; empty if it is.
    pub missing: &'static str,
    /// Rows without which it can't be.
    pub needs: Names,

    /// OpenCL extensions that it is reported as.
    pub opencl: &'static [(&'static str, Version)],
    /// Level Zero extensions that mean the same.
    pub level_zero: Names,
    /// Entry points that clGetExtensionFunctionAddress finds.
    pub functions: Names,
    /// Feature macros of OpenCL C.
    pub macros: &'static [(&'static str, Version)],

    /// SPIR-V extensions that modules may declare.
    pub spirv_extensions: Names,
    /// Of these, those that clang does not know, or may not use although we accept them.
    pub not_from_clang: Names,
    /// Capabilities that modules may declare.
    pub capabilities: &'static [Capability],
    /// Those, by their numbers, that the grammar does not know.
    pub newer_capabilities: &'static [u32],
    /// Extended instruction sets that modules may import; a `*` at the end stands for any rest.
    pub instruction_sets: Names,

    /// Device queries.
    pub features: Features,
    /// `CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES`
    pub atomic_memory: AtomicCapabilities,
    /// `CL_DEVICE_ATOMIC_FENCE_CAPABILITIES`
    pub atomic_fence: AtomicCapabilities,
    /// Floating-point atomics of half, float and double.
    pub float_atomics: [FloatAtomics; 3],
    /// `CL_DEVICE_SVM_CAPABILITIES`
    pub svm: Svm,
}

impl Row {
    /// Is the row meant by this name: its own, or that of an OpenCL, Level Zero or SPIR-V extension that it brings?
    pub fn is_called(&self, name: &str) -> bool {
        let opencl = self.opencl.iter().any(|&(extension, _)| extension == name);
        self.name == name || opencl || self.level_zero.contains(&name) || self.spirv_extensions.contains(&name)
    }

    /// A row that says nothing.
    pub const NONE: Row = Row {
        name: "",
        enabled: false,
        provisional: false,
        missing: "",
        needs: &[],
        opencl: &[],
        level_zero: &[],
        functions: &[],
        macros: &[],
        spirv_extensions: &[],
        not_from_clang: &[],
        capabilities: &[],
        newer_capabilities: &[],
        instruction_sets: &[],
        features: Features::empty(),
        atomic_memory: AtomicCapabilities::empty(),
        atomic_fence: AtomicCapabilities::empty(),
        float_atomics: [FloatAtomics::empty(); 3],
        svm: Svm::empty(),
    };

    /// An enabled row.
    pub const fn on(name: &'static str) -> Row {
        Row {
            name,
            enabled: true,
            ..Row::NONE
        }
    }

    /// A row that is not enabled unless it is asked for, because its specification is a draft.
    pub const fn provisional(name: &'static str) -> Row {
        Row {
            name,
            provisional: true,
            missing: "its specification is a draft; BROLGA_WITH asks for it",
            ..Row::NONE
        }
    }

    /// A row that is not enabled, because something is missing.
    pub const fn off(name: &'static str, missing: &'static str) -> Row {
        Row {
            name,
            missing,
            ..Row::NONE
        }
    }
}
