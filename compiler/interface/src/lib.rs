//! What the layers of the compiler, and the driver above it, say to each other of builds, kernels and launches.

pub mod checks;
mod local_size;

pub use checks::Checks;
pub use local_size::LocalSize;

use device::image::{ImageRecord, SamplerWord};
use smallvec::SmallVec;

/// The options of `clBuildProgram`, `clCompileProgram` and `clLinkProgram` that say something about code (§5.8.6).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct BuildOptions {
    /// `-cl-opt-disable`
    pub optimizations_disabled: bool,
    /// `-cl-mad-enable`
    pub mad_enable: bool,
    /// `-cl-no-signed-zeros`
    pub no_signed_zeros: bool,
    /// `-cl-unsafe-math-optimizations`
    pub unsafe_math: bool,
    /// `-cl-finite-math-only`
    pub finite_math_only: bool,
    /// `-cl-fast-relaxed-math`
    pub fast_relaxed_math: bool,
    /// `-cl-denorms-are-zero`
    pub denorms_are_zero: bool,
    /// `-cl-fp32-correctly-rounded-divide-sqrt`
    pub correctly_rounded_divide_sqrt: bool,
    /// `-cl-uniform-work-group-size`
    pub uniform_work_group_size: bool,
    /// `-cl-kernel-arg-info`
    pub kernel_arg_info: bool,
    /// `-create-library`
    pub create_library: bool,
    /// `-enable-link-options`
    pub enable_link_options: bool,
    /// Private variables begin as zeros (cl_khr_initialize_memory; no option of the application's).
    pub initialize_private: bool,
    /// Local memory is zero when a group begins (`CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR`), which launches see to.
    pub initialize_local: bool,
    /// Checked mode: what kernels are checked for while they run (`-brolga-check`, `BROLGA_CHECK`).
    pub checks: Checks,
    /// Floating-point operations are those of the source, each rounded by itself, whatever options and modules allow (`BROLGA_REPRODUCIBLE`).
    pub reproducible: bool,
}

impl BuildOptions {
    /// The same in reproducible mode: what allows other results is withdrawn.
    pub fn reproducible(self) -> BuildOptions {
        BuildOptions {
            mad_enable: false,
            no_signed_zeros: false,
            unsafe_math: false,
            finite_math_only: false,
            fast_relaxed_math: false,
            denorms_are_zero: false,
            reproducible: true,
            ..self
        }
    }
}

/// Why a module or program could not be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildError {
    /// Which kind of failure, for the API's error code.
    pub kind: BuildErrorKind,
    /// The build log: one diagnostic a paragraph.
    pub log: String,
}

/// The kinds of [`BuildError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuildErrorKind {
    /// Not SPIR-V at all (`CL_INVALID_VALUE` in clCreateProgramWithIL).
    NotSpirv,
    /// SPIR-V that breaks a rule or needs what the device lacks.
    Invalid,
    /// OpenCL C that does not compile.
    Source,
    /// Symbols missing or of different types.
    Link,
    /// No OpenCL C compiler was found, or none that runs.
    NoCompiler,
}

/// A specialization constant of a module: its `SpecId` and its size in bytes (1 for a Boolean).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpecConstant {
    /// The `SpecId`.
    pub id: u32,
    /// Size in bytes that clSetProgramSpecializationConstant expects.
    pub size: u32,
}

/// What a kernel argument is, as far as the launch must know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentKind {
    /// A value, copied into the argument block. Structs by value too.
    Value,
    /// A pointer to global (CrossWorkgroup) or constant (UniformConstant) memory: 8 bytes in the block.
    GlobalPointer {
        /// It is `__constant`.
        constant: bool,
    },
    /// A pointer to local memory: the launch puts a byte offset into the block.
    LocalPointer,
    /// An image: the block holds a pointer to a `device` image descriptor.
    Image {
        /// Which kind of image: one of `device::image::kind`
        kind: u32,
        /// it is a depth image
        depth: bool,
        /// CL_KERNEL_ARG_ACCESS_QUALIFIER: may the kernel read it
        read: bool,
        /// may the kernel write it
        write: bool,
    },
    /// A sampler: the block holds its packed state.
    Sampler,
    /// A pipe: the block holds a pointer to the pipe's memory.
    Pipe,
    /// An on-device queue: the block holds its address (`device::enqueue::Queue`).
    Queue,
}

/// One argument of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentInfo {
    /// Its name; empty where the module does not tell.
    pub name: String,
    /// Its OpenCL C type's name, for CL_KERNEL_ARG_TYPE_NAME; empty where unknown.
    pub type_name: String,
    /// What it is.
    pub kind: ArgumentKind,
    /// Size in bytes that clSetKernelArg expects (8 for pointers; not used for local pointers).
    pub size: u64,
    /// Alignment in bytes (for a local pointer: of what it points to).
    pub align: u64,
    /// Offset in the argument block.
    pub offset: u64,
    /// `const`, `restrict`, `volatile` of a pointer's target, and `pipe`.
    pub qualifiers: TypeQualifiers,
    /// The kernel does not write through it: the module says so, or it is seen.
    pub is_only_read: bool,
    /// What it points to has at most so many bytes (`MaxByteOffset`).
    pub max_bytes: Option<u64>,
    /// Checked mode: offset in the argument block of what the launch says of the object that the pointer leads into ([`checks::Extent`]).
    pub extent: Option<u64>,
}

/// CL_KERNEL_ARG_TYPE_QUALIFIER.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TypeQualifiers {
    /// `const`
    pub is_const: bool,
    /// `restrict`
    pub is_restrict: bool,
    /// `volatile`
    pub is_volatile: bool,
    /// `pipe`
    pub is_pipe: bool,
}

/// What is known of a kernel without compiling it.
#[derive(Clone, Debug, Default)]
pub struct KernelInfo {
    /// The entry point's name.
    pub name: String,
    /// CL_KERNEL_ATTRIBUTES: as in `reqd_work_group_size(8,8,1)`, separated by spaces.
    pub attributes: String,
    /// Arguments in order.
    pub arguments: Vec<ArgumentInfo>,
    /// Size of the argument block in bytes.
    pub argument_bytes: u64,
    /// `reqd_work_group_size` (LocalSize, LocalSizeId).
    pub required_local_size: Option<[u64; 3]>,
    /// `work_group_size_hint`.
    pub local_size_hint: Option<[u64; 3]>,
    /// `intel_reqd_sub_group_size` (SubgroupSize).
    pub required_sub_group_size: Option<u32>,
    /// It has matrices that are spread over sub-groups: of so many work-items, and none may be cut off.
    pub matrix_sub_group_size: Option<u32>,
    /// SubgroupsPerWorkgroup.
    pub sub_groups_per_group: Option<u32>,
    /// Bytes of local memory for variables.
    pub local_bytes: u64,
    /// Checked mode: the variables in local memory.
    pub local_variables: Vec<checks::LocalVariable>,
    /// Bytes of private memory a work-item (an estimate before compilation).
    pub private_bytes: u64,
    /// Argument info is there (`-cl-kernel-arg-info`, or the module has names and the option is given).
    pub has_argument_info: bool,
    /// Calls printf.
    pub uses_printf: bool,
    /// Asks the machine for launches, or about blocks (`device::enqueue`).
    pub enqueues: bool,
    /// Subnormal numbers may be taken for zeros (`-cl-denorms-are-zero`, where no execution mode is against it).
    pub flush_subnormals: bool,
}

impl KernelInfo {
    /// The size of its sub-groups, whatever the local size; if anything fixes it.
    pub fn fixed_sub_group_size(&self) -> Option<u32> {
        self.required_sub_group_size.or(self.matrix_sub_group_size)
    }

    /// The number of the argument at an offset of the argument block.
    pub fn argument_at(&self, offset: i32) -> Option<u32> {
        let position = self
            .arguments
            .iter()
            .position(|argument| argument.offset as i64 == i64::from(offset))?;
        Some(position as u32)
    }
}

/// Ids up to this fit into 31 bits, and so do their sums with small numbers, `get_global_id(0) + 1`.
pub const SMALL_IDS: u64 = (1 << 31) - (1 << 16);

/// Gangs that start at multiples of their width in launches without an offset do so with one that is a multiple of this: the widest's, and twice that.
pub const OFFSET_ALIGN: u64 = 64;

/// What a variant may assume of the launch that it serves.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LaunchFacts {
    /// Of the groups that are run: the enqueued local size, unless the launch is cut into others ([`crate::Kernel::other_groups`], `groups_of_one`).
    pub local_size: LocalSize,
    /// As the kernel sees it, each work-item is a group by itself. Only where [`crate::Kernel::groups_of_one_can_join`].
    pub groups_of_one: bool,
    /// Of the groups that the kernel was to run in, of which those that do may be others, none is cut off; there is no offset, and ids are small. Their size,
    /// where constants in the kernel stand for it, else 0. Only where [`crate::Kernel::with_global_ids`].
    pub whole_groups: Option<[u64; 3]>,
    /// What is x to the launch is this dimension to the kernel, and the other way round. Only where no work-item knows its group.
    pub exchanged: Option<u8>,
    /// 1 to 3.
    pub work_dim: u32,
    /// No group of the rows that run with this variant is cut off: each has exactly as many work-items as the local size says.
    pub full_groups: bool,
    /// By dimension: the last groups are moved back to where the NDRange ends, so that none is cut off, and some work-items run twice. Only where
    /// [`crate::Kernel::is_idempotent`].
    pub ends_overlap: [bool; 3],
    /// `get_global_offset()` is zero in each dimension.
    pub zero_offset: bool,
    /// It is a multiple of [`OFFSET_ALIGN`] in each dimension.
    pub aligned_offset: bool,
    /// Offset + global size are at most [`SMALL_IDS`] in each dimension.
    pub small_ids: bool,
    /// No object in global or constant memory that the kernel is given has 2^32 - 2^12 bytes or more.
    pub small_objects: bool,
    /// The address of a word that lives as long as the kernel: loops end with [`device::abi::Trap::Stopped`] once it is not zero.
    pub stop_word: Option<u64>,
    /// Images, samplers and large buffers among the arguments.
    pub arguments: ArgumentFacts,
}

impl LaunchFacts {
    /// What holds of most launches with such groups: none is cut off, nothing is very large; and nothing is known of the arguments.
    pub fn usual(local_size: [u64; 3]) -> LaunchFacts {
        LaunchFacts {
            local_size: LocalSize::Exactly(local_size),
            groups_of_one: false,
            whole_groups: None,
            exchanged: None,
            work_dim: 3,
            full_groups: true,
            ends_overlap: [false; 3],
            zero_offset: true,
            aligned_offset: true,
            small_ids: true,
            small_objects: true,
            stop_word: None,
            arguments: ArgumentFacts::default(),
        }
    }
}

/// What an argument of a launch is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ArgumentFact {
    /// An image.
    Image {
        /// `CL_RGBA`, …
        order: u32,
        /// `CL_UNORM_INT8`, …
        data_type: u32,
        /// Offsets of its texels fit 31 bits.
        compact: bool,
        /// It has at least two texels in each of its dimensions.
        pairs: bool,
    },
    /// A sampler.
    Sampler(SamplerWord),
    /// A buffer; with what else the launch is given it does not fit into the caches.
    Large,
    /// A whole number, which is 1.
    One {
        /// Its bytes.
        bytes: u32,
    },
}

impl ArgumentFact {
    /// What is said of an image.
    pub fn image(image: &ImageRecord) -> ArgumentFact {
        ArgumentFact::Image {
            order: image.order,
            data_type: image.data_type,
            compact: image.fits_31_bits(),
            pairs: image.has_pairs(),
        }
    }
}

/// What a variant may assume of the arguments: by offset in the argument block. What is not named can be anything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ArgumentFacts {
    known: SmallVec<[(u32, ArgumentFact); 2]>,
    separate: bool,
    no_wrap: u64,
}

impl ArgumentFacts {
    /// What is known of the argument there.
    pub fn at(&self, offset: i32) -> Option<&ArgumentFact> {
        let known = self.known.iter().find(|(at, _)| i64::from(*at) == i64::from(offset));
        known.map(|(_, fact)| fact)
    }

    /// Some fact is such.
    pub fn any(&self, such: impl Fn(&ArgumentFact) -> bool) -> bool {
        self.known.iter().any(|(_, fact)| such(fact))
    }

    /// The argument at an offset, a buffer, is large.
    pub fn add_large(&mut self, offset: u64) {
        self.add(offset, ArgumentFact::Large);
    }

    /// The argument at an offset, a whole number of so many bytes, is 1.
    pub fn add_one(&mut self, offset: u32, bytes: u32) {
        self.add(offset.into(), ArgumentFact::One { bytes });
    }

    /// So it is.
    pub fn is_one(&self, offset: i32, bytes: u32) -> bool {
        u32::try_from(offset).is_ok_and(|offset| self.known.contains(&(offset, ArgumentFact::One { bytes })))
    }

    /// The argument at an offset is such.
    pub fn add(&mut self, offset: u64, fact: ArgumentFact) {
        self.known.push((offset as u32, fact));
    }

    /// No byte belongs to two of the buffers that arguments point to.
    pub fn set_separate(&mut self) {
        self.separate = true;
    }

    /// So it is.
    pub fn is_separate(&self) -> bool {
        self.separate
    }

    /// With these arguments and sizes, indices do not wrap: a bit for each that the kernel asks about (`analysis::no_wrap`).
    pub fn set_no_wrap(&mut self, indices: u64) {
        self.no_wrap = indices;
    }

    /// Which.
    pub fn no_wrap(&self) -> u64 {
        self.no_wrap
    }

    /// Nothing is known of any argument.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Reads images and samplers off an argument block.
    ///
    /// # Safety
    /// The block must hold a value for each argument, and the records of its images must be valid.
    pub unsafe fn read(info: &KernelInfo, block: &[u8]) -> ArgumentFacts {
        let mut known = SmallVec::new();
        for argument in &info.arguments {
            let offset = argument.offset as usize;
            let Some(bytes) = block.get(offset..).and_then(|bytes| bytes.first_chunk::<8>()) else {
                continue;
            };
            let word = u64::from_ne_bytes(*bytes);
            let fact = match argument.kind {
                ArgumentKind::Image { .. } if word != 0 => {
                    // SAFETY: an image's argument is the address of its record, which the caller says is valid.
                    let image = unsafe { &*(word as *const ImageRecord) };
                    ArgumentFact::image(image)
                }
                ArgumentKind::Sampler => ArgumentFact::Sampler(SamplerWord(word as u32)),
                _ => continue,
            };
            known.push((argument.offset as u32, fact));
        }
        ArgumentFacts {
            known,
            ..ArgumentFacts::default()
        }
    }
}
