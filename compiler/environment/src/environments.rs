//! Environments that a module can be checked against, as data.

use rspirv::spirv::Capability;
use vendors::{FloatAtomics, Registry};

/// An environment: whose rules hold, and what the device has.
#[derive(Clone, Debug)]
pub struct Environment {
    /// Its name, as `brolga validate --env` takes it.
    pub name: &'static str,
    /// Whose environment it is.
    pub api: Api,
    /// The embedded profile of OpenCL, which lacks 64-bit integers.
    pub embedded: bool,
    /// The newest version of SPIR-V that it takes.
    pub newest: (u8, u8),
    /// The width of addresses that it takes, 32 or 64.
    pub address_bits: u32,
    /// What the device has.
    pub registry: Registry,
    /// What the device does not have of the floating-point atomics that the registry says: of half, float and double.
    pub without_float_atomics: [FloatAtomics; 3],
}

/// Whose environment it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Api {
    /// OpenCL of a version.
    OpenCl(u8, u8),
    /// oneAPI Level Zero.
    LevelZero,
}

/// What an environment with a name changes in the driver's registry.
struct Named {
    name: &'static str,
    api: Api,
    embedded: bool,
    newest: (u8, u8),
    changes: &'static [(&'static str, bool)],
}

/// Features that OpenCL 2.0 requires. Sub-groups are an extension's there.
const OPENCL_2_0: &[(&str, bool)] = &[
    ("core:sub_groups", false),
    ("core:pipes", true),
    ("core:device_enqueue", true),
    ("core:images", true),
    ("core:read_write_images", true),
];

/// Features that OpenCL 2.1 requires.
const OPENCL_2_1: &[(&str, bool)] = &[
    ("core:pipes", true),
    ("core:device_enqueue", true),
    ("core:images", true),
    ("core:read_write_images", true),
];

static NAMED: &[Named] = &[
    Named {
        name: "opencl1.2",
        api: Api::OpenCl(1, 2),
        embedded: false,
        newest: (1, 0),
        changes: &[
            ("core:generic_address_space", false),
            ("core:program_scope_global_variables", false),
            ("core:work_group_collective_functions", false),
            ("core:sub_groups", false),
            ("core:read_write_images", false),
            ("core:pipes", false),
            ("core:device_enqueue", false),
            ("core:images", true),
        ],
    },
    Named {
        name: "opencl2.0",
        api: Api::OpenCl(2, 0),
        embedded: false,
        newest: (1, 0),
        changes: OPENCL_2_0,
    },
    Named {
        name: "opencl2.1",
        api: Api::OpenCl(2, 1),
        embedded: false,
        newest: (1, 0),
        changes: OPENCL_2_1,
    },
    Named {
        name: "opencl2.2",
        api: Api::OpenCl(2, 2),
        embedded: false,
        newest: (1, 2),
        changes: &[
            ("core:pipes", true),
            ("core:device_enqueue", true),
            ("core:images", true),
            ("core:read_write_images", true),
            ("core:pipe_storage", true),
        ],
    },
    Named {
        name: "opencl3.0",
        api: Api::OpenCl(3, 0),
        embedded: false,
        newest: (1, 6),
        changes: &[],
    },
    Named {
        name: "opencl3.1",
        api: Api::OpenCl(3, 1),
        embedded: false,
        newest: (1, 6),
        changes: &[
            ("cl_khr_subgroup_shuffle", true),
            ("cl_khr_subgroup_shuffle_relative", true),
            ("cl_khr_subgroup_rotate", true),
            ("cl_khr_extended_bit_ops", true),
            ("cl_khr_integer_dot_product", true),
        ],
    },
    Named {
        name: "opencl1.2-embedded",
        api: Api::OpenCl(1, 2),
        embedded: true,
        newest: (1, 0),
        changes: EMBEDDED_1_2,
    },
    Named {
        name: "opencl2.0-embedded",
        api: Api::OpenCl(2, 0),
        embedded: true,
        newest: (1, 0),
        changes: EMBEDDED_2_0,
    },
    Named {
        name: "opencl2.1-embedded",
        api: Api::OpenCl(2, 1),
        embedded: true,
        newest: (1, 0),
        changes: EMBEDDED_2_0,
    },
    Named {
        name: "opencl2.2-embedded",
        api: Api::OpenCl(2, 2),
        embedded: true,
        newest: (1, 2),
        changes: EMBEDDED_2_0,
    },
    Named {
        name: "opencl3.0-embedded",
        api: Api::OpenCl(3, 0),
        embedded: true,
        newest: (1, 6),
        changes: &[("core:int64", false)],
    },
    Named {
        name: "opencl3.1-embedded",
        api: Api::OpenCl(3, 1),
        embedded: true,
        newest: (1, 6),
        changes: &[("core:int64", false)],
    },
];

const EMBEDDED_2_0: &[(&str, bool)] = &[
    ("core:int64", false),
    ("core:pipes", true),
    ("core:device_enqueue", true),
    ("core:images", true),
    ("core:read_write_images", true),
];

const EMBEDDED_1_2: &[(&str, bool)] = &[
    ("core:int64", false),
    ("core:generic_address_space", false),
    ("core:program_scope_global_variables", false),
    ("core:work_group_collective_functions", false),
    ("core:read_write_images", false),
    ("core:pipes", false),
    ("core:device_enqueue", false),
];

/// What the version asks of every device of the full profile that takes SPIR-V, and nothing else: programs that keep to it are portable.
struct Minimal {
    name: &'static str,
    api: Api,
    newest: (u8, u8),
    /// Rows beside those that all versions have.
    rows: &'static [&'static [&'static str]],
}

/// Of all versions: what has no name of its own but in the core.
const ALL_VERSIONS: &[&str] = &[
    "core:kernel",
    "core:int64",
    "core:intermediate_language",
    "cl_khr_int32_atomics",
    "cl_khr_byte_addressable_store",
];

/// OpenCL 2.0's, of which 3.0 made options.
const SINCE_2_0: &[&str] = &[
    "core:generic_address_space",
    "core:program_scope_global_variables",
    "core:work_group_collective_functions",
    "core:non_uniform_work_groups",
    "core:atomic_order_acq_rel",
    "core:atomic_order_seq_cst",
    "core:atomic_scope_device",
    "core:atomic_scope_all_devices",
    "core:svm",
    "core:pipes",
    "core:device_enqueue",
];

const SINCE_2_1: &[&str] = &["core:sub_groups"];

const SINCE_2_2: &[&str] = &["core:pipe_storage"];

static MINIMAL: &[Minimal] = &[
    Minimal {
        name: "opencl1.2-minimal",
        api: Api::OpenCl(1, 2),
        newest: (1, 0),
        rows: &[],
    },
    Minimal {
        name: "opencl2.0-minimal",
        api: Api::OpenCl(2, 0),
        newest: (1, 0),
        rows: &[SINCE_2_0],
    },
    Minimal {
        name: "opencl2.1-minimal",
        api: Api::OpenCl(2, 1),
        newest: (1, 0),
        rows: &[SINCE_2_0, SINCE_2_1],
    },
    Minimal {
        name: "opencl2.2-minimal",
        api: Api::OpenCl(2, 2),
        newest: (1, 2),
        rows: &[SINCE_2_0, SINCE_2_1, SINCE_2_2],
    },
    // Version 3.0 asks for no SPIR-V at all; a device that takes it takes 1.0.
    Minimal {
        name: "opencl3.0-minimal",
        api: Api::OpenCl(3, 0),
        newest: (1, 0),
        rows: &[],
    },
    Minimal {
        name: "opencl3.1-minimal",
        api: Api::OpenCl(3, 1),
        newest: (1, 4),
        rows: &[&vendors::REQUIRED_BY_3_1],
    },
];

/// Level Zero's, with all that its document leaves to the device: extensions of Level Zero's own, and of the rest what it says of every device.
fn level_zero() -> Registry {
    const ROWS: &[&str] = &[
        "cl_khr_fp16",
        "cl_khr_fp64",
        "cl_khr_int64_atomics",
        "cl_khr_subgroups",
        "cl_khr_depth_images",
        "cl_khr_3d_image_writes",
        "SPV_INTEL_subgroups",
        "cl_intel_spirv_subgroups",
    ];
    const NOT_THERE: &[&str] = &[
        "core:pipes",
        "core:pipe_storage",
        "core:device_enqueue",
        "core:float_controls",
        "core:uniform_decoration",
    ];
    Registry::picked(|row| {
        let core = row.name.starts_with("core:") && !NOT_THERE.contains(&row.name);
        core || ROWS.contains(&row.name) || !row.level_zero.is_empty()
    })
}

impl Environment {
    /// The driver's own, with what the registry has enabled.
    pub fn device() -> Environment {
        Environment::of_registry(vendors::supported().clone())
    }

    /// The driver's own, but with another registry.
    pub fn of_registry(registry: Registry) -> Environment {
        let (major, minor) = registry.opencl_version();
        Environment {
            name: if minor == 0 { "opencl3.0" } else { "opencl3.1" },
            api: Api::OpenCl(major, minor),
            embedded: false,
            newest: (1, 6),
            address_bits: 64,
            registry,
            without_float_atomics: [FloatAtomics::empty(); 3],
        }
    }

    /// Level Zero's, on a device that has all that there is.
    pub fn level_zero() -> Environment {
        Environment {
            name: LEVEL_ZERO,
            api: Api::LevelZero,
            ..Environment::of_registry(level_zero())
        }
    }

    /// Level Zero's on this device: of what its document leaves to the device, what the driver's registry has.
    pub fn level_zero_device() -> Environment {
        let all = level_zero();
        Environment {
            name: LEVEL_ZERO,
            api: Api::LevelZero,
            ..Environment::of_registry(Registry::picked(|row| all.has(row.name) && vendors::supported().has(row.name)))
        }
    }

    /// An environment by its name: the least that the version asks for, and what else the driver has.
    pub fn named(name: &str) -> Option<Environment> {
        if name == LEVEL_ZERO {
            return Some(Environment::level_zero());
        }
        if let Some(minimal) = MINIMAL.iter().find(|minimal| minimal.name == name) {
            let there = |row: &vendors::Row| ALL_VERSIONS.contains(&row.name) || minimal.rows.iter().any(|rows| rows.contains(&row.name));
            return Some(Environment {
                name: minimal.name,
                api: minimal.api,
                newest: minimal.newest,
                ..Environment::of_registry(Registry::picked(there))
            });
        }
        let named = NAMED.iter().find(|named| named.name == name)?;
        Some(Environment {
            name: named.name,
            api: named.api,
            embedded: named.embedded,
            newest: named.newest,
            ..Environment::of_registry(Registry::with(named.changes))
        })
    }

    /// All names.
    pub fn names() -> impl Iterator<Item = &'static str> {
        let minimal = MINIMAL.iter().map(|minimal| minimal.name);
        NAMED.iter().map(|named| named.name).chain(minimal).chain([LEVEL_ZERO])
    }

    /// OpenCL's version, if it is OpenCL's.
    pub fn opencl_version(&self) -> Option<(u8, u8)> {
        match self.api {
            Api::OpenCl(major, minor) => Some((major, minor)),
            Api::LevelZero => None,
        }
    }

    /// Is it Level Zero's?
    pub fn is_level_zero(&self) -> bool {
        self.api == Api::LevelZero
    }

    /// May OpImageWrite have image operands? Version 3.1 of OpenCL's environment dropped the rule against it.
    pub fn image_write_operands(&self) -> bool {
        self.opencl_version().is_some_and(|version| version >= (3, 1))
    }

    /// Floating-point atomics of a width: `CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT`, `ze_device_fp_atomic_ext_flags_t`, and their kin.
    pub fn float_atomics(&self, width: u32) -> FloatAtomics {
        let without = match width {
            16 => self.without_float_atomics[0],
            32 => self.without_float_atomics[1],
            _ => self.without_float_atomics[2],
        };
        self.registry.float_atomics(width) - without
    }

    /// Is a capability accepted? Those of floating-point atomics are if the operation is there for one of the storage classes.
    pub fn has_capability(&self, capability: Capability) -> bool {
        const ADD: FloatAtomics = FloatAtomics::GLOBAL_ADD.union(FloatAtomics::LOCAL_ADD);
        const MIN_MAX: FloatAtomics = FloatAtomics::GLOBAL_MIN_MAX.union(FloatAtomics::LOCAL_MIN_MAX);
        let flags = match capability {
            Capability::AtomicFloat16AddEXT => Some((16, ADD)),
            Capability::AtomicFloat32AddEXT => Some((32, ADD)),
            Capability::AtomicFloat64AddEXT => Some((64, ADD)),
            Capability::AtomicFloat16MinMaxEXT => Some((16, MIN_MAX)),
            Capability::AtomicFloat32MinMaxEXT => Some((32, MIN_MAX)),
            Capability::AtomicFloat64MinMaxEXT => Some((64, MIN_MAX)),
            _ => None,
        };
        let there = flags.is_none_or(|(width, either)| self.float_atomics(width).intersects(either));
        there && self.registry.has_capability(capability)
    }
}

const LEVEL_ZERO: &str = "level-zero";
