//! Environments that a module can be checked against, as data.

use vendors::Registry;

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

/// Features that OpenCL 2.0 requires.
const OPENCL_2_0: &[(&str, bool)] = &[
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
        changes: OPENCL_2_0,
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
    Named {
        name: "level-zero",
        api: Api::LevelZero,
        embedded: false,
        newest: (1, 6),
        changes: &[
            ("core:pipes", false),
            ("core:device_enqueue", false),
            ("SPV_INTEL_subgroups", true),
            ("core:images", true),
        ],
    },
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

impl Environment {
    /// The driver's own: OpenCL 3.0, with what the registry has enabled.
    pub fn device() -> Environment {
        Environment::of_registry(vendors::supported().clone())
    }

    /// The driver's own, but with another registry.
    pub fn of_registry(registry: Registry) -> Environment {
        Environment {
            name: "opencl3.0",
            api: Api::OpenCl(3, 0),
            embedded: false,
            newest: (1, 6),
            address_bits: 64,
            registry,
        }
    }

    /// An environment by its name: the least that the version asks for, and what else the driver has.
    pub fn named(name: &str) -> Option<Environment> {
        let named = NAMED.iter().find(|named| named.name == name)?;
        Some(Environment {
            name: named.name,
            api: named.api,
            embedded: named.embedded,
            newest: named.newest,
            address_bits: 64,
            registry: Registry::with(named.changes),
        })
    }

    /// All names.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMED.iter().map(|named| named.name)
    }

    /// OpenCL's version, if it is OpenCL's.
    pub fn opencl_version(&self) -> Option<(u8, u8)> {
        match self.api {
            Api::OpenCl(major, minor) => Some((major, minor)),
            Api::LevelZero => None,
        }
    }

    /// May OpImageWrite have image operands? Version 3.1 of OpenCL's environment dropped the rule against it.
    pub fn image_write_operands(&self) -> bool {
        self.opencl_version().is_some_and(|version| version >= (3, 1))
    }
}
