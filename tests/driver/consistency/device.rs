//! What a device reports, by each query that the environment speaks of.

use brolga_tests::Device;
use brolga_tests::cl_sys::*;
use compiler::spirv::newer;
use rspirv::grammar::OperandKind;
use rspirv::spirv::Capability;

/// A capability's number.
fn number(name: &str) -> Option<u32> {
    let known = name.parse().map(|capability: Capability| capability as u32);
    known.ok().or_else(|| newer::named(&OperandKind::Capability, name))
}

/// Answers.
pub struct Reported {
    pub extensions: Vec<String>,
    pub spirv_extensions: Vec<String>,
    pub instruction_sets: Vec<String>,
    pub capabilities: Vec<u32>,
    /// SPIR-V's minor versions.
    pub versions: Vec<u32>,
    pub atomic_memory: u64,
    pub atomic_fence: u64,
    /// Half, float, double; 0 without cl_ext_float_atomics.
    pub float_atomics: [u64; 3],
    pub sub_groups: bool,
    pub collectives: bool,
    pub program_scope_variables: bool,
    queries: Vec<(&'static str, &'static str, bool)>,
}

const SPIRV_INSTRUCTION_SETS: u32 = 0x12B9;
const SPIRV_EXTENSIONS: u32 = 0x12BA;
const SPIRV_CAPABILITIES: u32 = 0x12BB;
const ILS_WITH_VERSION: u32 = 0x1061;
const ATOMIC_MEMORY: u32 = 0x1063;
const ATOMIC_FENCE: u32 = 0x1064;
const COLLECTIVES: u32 = 0x1068;
const GENERIC_ADDRESS_SPACE: u32 = 0x1069;
const DEVICE_ENQUEUE: u32 = 0x1070;
const PIPE_SUPPORT: u32 = 0x1071;
const MAX_NUM_SUB_GROUPS: u32 = 0x105C;
const MAX_GLOBAL_VARIABLE_SIZE: u32 = 0x104D;
const HALF_FP_CONFIG: u32 = 0x1033;
const DOUBLE_FP_CONFIG: u32 = 0x1032;
// Native, preferred.
const VECTOR_WIDTH_DOUBLE: [u32; 2] = [0x103B, 0x100B];
const VECTOR_WIDTH_HALF: [u32; 2] = [0x103C, 0x1034];
const READ_WRITE_IMAGES: u32 = 0x104C;
const FLOAT_ATOMICS: [u32; 3] = [0x4233, 0x4231, 0x4232];

impl Reported {
    pub fn of(device: &Device) -> Reported {
        let number = |name: u32| device.info(name).map_or(0, |info| info.number());
        let words = |name: u32| device.info(name).map_or(Vec::new(), |info| info.0);
        // Pointers to strings that live as long as the driver.
        let strings = |name: u32| -> Vec<String> {
            let pointers = words(name);
            let pointers = pointers
                .as_chunks::<8>()
                .0
                .iter()
                .map(|&bytes| u64::from_ne_bytes(bytes) as *const libc::c_char);
            // SAFETY: the query's answer is pointers to strings that end with a zero.
            pointers
                .map(|text| unsafe { std::ffi::CStr::from_ptr(text) }.to_string_lossy().into_owned())
                .collect()
        };
        // cl_name_version: a version and 64 bytes of name.
        let versions = words(ILS_WITH_VERSION)
            .as_chunks::<68>()
            .0
            .iter()
            .map(|record| u32::from_ne_bytes(*record.first_chunk().expect("a version")) >> 12 & 0x3ff)
            .collect();
        let extensions: Vec<String> = device.text(CL_DEVICE_EXTENSIONS).split_whitespace().map(String::from).collect();
        let with_float_atomics = extensions.iter().any(|name| name == "cl_ext_float_atomics");
        Reported {
            spirv_extensions: strings(SPIRV_EXTENSIONS),
            instruction_sets: strings(SPIRV_INSTRUCTION_SETS),
            capabilities: words(SPIRV_CAPABILITIES)
                .as_chunks::<4>()
                .0
                .iter()
                .map(|&word| u32::from_ne_bytes(word))
                .collect(),
            versions,
            atomic_memory: number(ATOMIC_MEMORY),
            atomic_fence: number(ATOMIC_FENCE),
            float_atomics: FLOAT_ATOMICS.map(|name| if with_float_atomics { number(name) } else { 0 }),
            sub_groups: number(MAX_NUM_SUB_GROUPS) != 0,
            collectives: number(COLLECTIVES) != 0,
            program_scope_variables: number(MAX_GLOBAL_VARIABLE_SIZE) != 0,
            queries: vec![
                (
                    "GenericPointer",
                    "CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT",
                    number(GENERIC_ADDRESS_SPACE) != 0,
                ),
                (
                    "DeviceEnqueue",
                    "CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES",
                    number(DEVICE_ENQUEUE) != 0,
                ),
                ("Pipes", "CL_DEVICE_PIPE_SUPPORT", number(PIPE_SUPPORT) != 0),
                ("ImageBasic", "CL_DEVICE_IMAGE_SUPPORT", number(CL_DEVICE_IMAGE_SUPPORT) != 0),
                (
                    "ImageReadWrite",
                    "CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS",
                    number(READ_WRITE_IMAGES) != 0,
                ),
                ("Float64", "CL_DEVICE_DOUBLE_FP_CONFIG", number(DOUBLE_FP_CONFIG) != 0),
                ("Float16", "CL_DEVICE_HALF_FP_CONFIG", number(HALF_FP_CONFIG) != 0),
                // A width of 0 says that there is no such type.
                (
                    "Float64",
                    "CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE",
                    number(VECTOR_WIDTH_DOUBLE[0]) != 0,
                ),
                (
                    "Float64",
                    "CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE",
                    number(VECTOR_WIDTH_DOUBLE[1]) != 0,
                ),
                ("Float16", "CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF", number(VECTOR_WIDTH_HALF[0]) != 0),
                (
                    "Float16",
                    "CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF",
                    number(VECTOR_WIDTH_HALF[1]) != 0,
                ),
                ("SubgroupDispatch", "CL_DEVICE_MAX_NUM_SUB_GROUPS", number(MAX_NUM_SUB_GROUPS) != 0),
                (
                    "Int64Atomics",
                    "cl_khr_int64_base_atomics",
                    extensions.iter().any(|name| name == "cl_khr_int64_base_atomics"),
                ),
            ],
            extensions,
        }
    }

    pub fn has_capability(&self, name: &str) -> bool {
        let number = number(name).unwrap_or_else(|| panic!("no capability {name}"));
        self.capabilities.contains(&number)
    }

    /// Is it a capability or an extension that is reported?
    pub fn has(&self, name: &str) -> bool {
        let all = self.extensions.iter().chain(&self.spirv_extensions);
        all.into_iter().any(|reported| reported == name) || number(name).is_some_and(|number| self.capabilities.contains(&number))
    }

    /// Queries of OpenCL's that say something else than the list of capabilities does.
    pub fn contradictions(&self) -> Vec<String> {
        self.queries
            .iter()
            .filter(|(capability, _, answer)| self.has_capability(capability) != *answer)
            .map(|(capability, query, answer)| format!("{query} says {answer}, but the capability {capability} says otherwise"))
            .collect()
    }
}
