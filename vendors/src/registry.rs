//! The rows that are enabled, and everything that follows from them.

use crate::row::{AtomicCapabilities, Features, FloatAtomics, Row, Svm, Version, version};
use once_cell::race::OnceBox;
use rspirv::spirv::Capability;

/// The rows that a device has.
#[derive(Clone, Debug)]
pub struct Registry {
    rows: Vec<&'static Row>,
}

/// What this driver supports: the rows that are enabled, those of drafts that `BROLGA_WITH` names, a list with commas of rows or extensions, but none
/// that `BROLGA_WITHOUT` names. That is for finding out what an application does without them; the driver then neither reports nor takes what they bring.
///
/// Like all that is made once: threads that come at the same time each make it, and one wins, so that nobody waits for a thread that a fork() could
/// leave behind.
pub fn supported() -> &'static Registry {
    static SUPPORTED: OnceBox<Registry> = OnceBox::new();
    SUPPORTED.get_or_init(|| {
        let with = std::env::var("BROLGA_WITH").unwrap_or_default();
        let without = std::env::var("BROLGA_WITHOUT").unwrap_or_default();
        let named = |list: &str, row: &Row| list.split(',').any(|name| row.is_called(name.trim()));
        let drafts = crate::rows().filter(|row| row.provisional && named(&with, row));
        let mut changes: Vec<(&str, bool)> = drafts.map(|row| (row.name, true)).collect();
        changes.extend(crate::rows().filter(|row| named(&without, row)).map(|row| (row.name, false)));
        Box::new(Registry::with(&changes))
    })
}

/// The rows that OpenCL 3.1 asks of every device (API specification, 4.2: "Extension names returned by all devices that support OpenCL 3.1").
pub const REQUIRED_BY_3_1: [&str; 10] = [
    "core:sub_groups",
    "cl_khr_device_uuid",
    "cl_khr_extended_bit_ops",
    "cl_khr_integer_dot_product",
    "cl_khr_spirv_queries",
    "cl_khr_subgroup_extended_types",
    "cl_khr_subgroup_rotate",
    "cl_khr_subgroup_shuffle",
    "cl_khr_subgroup_shuffle_relative",
    "cl_khr_suggested_local_work_size",
];

/// What OpenCL C 2.0 asks of every device and 3.0 leaves open (OpenCL C specification, 6.2.1: "Features"): macros of features, or rows that have none.
const REQUIRED_BY_OPENCL_C_2_0: [&str; 12] = [
    "__opencl_c_atomic_order_acq_rel",
    "__opencl_c_atomic_order_seq_cst",
    "__opencl_c_atomic_scope_all_devices",
    "__opencl_c_atomic_scope_device",
    "__opencl_c_device_enqueue",
    "__opencl_c_generic_address_space",
    "__opencl_c_int64",
    "__opencl_c_pipes",
    "__opencl_c_program_scope_global_variables",
    "__opencl_c_read_write_images",
    "__opencl_c_work_group_collective_functions",
    "cl_khr_3d_image_writes",
];

impl Registry {
    /// The enabled rows, but for those named, which are turned on (`true`) or off. Rows that need one that is off are off.
    pub fn with(changes: &[(&str, bool)]) -> Registry {
        let wanted = |row: &Row| {
            changes
                .iter()
                .rev()
                .find(|(name, _)| *name == row.name)
                .map_or(row.enabled, |&(_, on)| on)
        };
        Registry::of(crate::rows().filter(|row| wanted(row)).collect())
    }

    /// These rows, and another with what it needs; or these without one, and without those that need it.
    pub fn switched(&self, name: &str, on: bool) -> Registry {
        let mut wanted: Vec<&str> = self.rows.iter().map(|row| row.name).collect();
        if on {
            let mut open = vec![name];
            while let Some(name) = open.pop() {
                if let Some(row) = crate::rows().find(|row| row.name == name && !wanted.contains(&row.name)) {
                    wanted.push(row.name);
                    open.extend(row.needs);
                }
            }
        } else {
            wanted.retain(|row| *row != name);
        }
        Registry::of(crate::rows().filter(|row| wanted.contains(&row.name)).collect())
    }

    /// The rows that a condition picks.
    pub fn picked(picks: impl Fn(&Row) -> bool) -> Registry {
        Registry::of(crate::rows().filter(|row| picks(row)).collect())
    }

    /// Every row there is.
    pub fn everything() -> Registry {
        Registry::of(crate::rows().collect())
    }

    fn of(mut rows: Vec<&'static Row>) -> Registry {
        loop {
            let kept: Vec<&Row> = rows
                .iter()
                .copied()
                .filter(|row| row.needs.iter().all(|&need| rows.iter().any(|r| r.name == need)))
                .collect();
            if kept.len() == rows.len() {
                return Registry { rows };
            }
            rows = kept;
        }
    }

    /// The rows.
    pub fn rows(&self) -> &[&'static Row] {
        &self.rows
    }

    /// Is a row among them?
    pub fn has(&self, name: &str) -> bool {
        self.rows.iter().any(|row| row.name == name)
    }

    /// The newest version of OpenCL whose requirements are met: 3.1 with all rows that are enabled, 3.0 without one that 3.1 asks for.
    pub fn opencl_version(&self) -> (u8, u8) {
        (3, REQUIRED_BY_3_1.iter().all(|row| self.has(row)).into())
    }

    fn collect<T: PartialEq>(&self, of: impl Fn(&Row) -> Vec<T>) -> Vec<T> {
        let mut all = Vec::new();
        for item in self.rows.iter().flat_map(|row| of(row)) {
            if !all.contains(&item) {
                all.push(item);
            }
        }
        all
    }

    /// `CL_DEVICE_EXTENSIONS_WITH_VERSION`
    pub fn extensions(&self) -> Vec<(&'static str, Version)> {
        self.collect(|row| row.opencl.to_vec())
    }

    /// Level Zero's extensions.
    pub fn level_zero_extensions(&self) -> Vec<&'static str> {
        self.collect(|row| row.level_zero.to_vec())
    }

    /// `CL_DEVICE_OPENCL_C_FEATURES`
    pub fn language_features(&self) -> Vec<(&'static str, Version)> {
        self.collect(|row| row.macros.to_vec())
    }

    /// `CL_DEVICE_OPENCL_C_ALL_VERSIONS`, newest first. 2.0 is among them where all is there that it asks for.
    pub fn language_versions(&self) -> Vec<(&'static str, Version)> {
        let features = self.language_features();
        let has = |name: &str| self.has(name) || features.iter().any(|&(feature, _)| feature == name);
        let versions = [
            (version(3, 1, 0), self.opencl_version() == (3, 1)),
            (version(3, 0, 0), true),
            (version(2, 0, 0), REQUIRED_BY_OPENCL_C_2_0.iter().all(|name| has(name))),
            (version(1, 2, 0), true),
            (version(1, 1, 0), true),
            (version(1, 0, 0), true),
        ];
        let there = versions.into_iter().filter(|&(_, there)| there);
        there.map(|(version, _)| ("OpenCL C", version)).collect()
    }

    /// `CL_DEVICE_ILS_WITH_VERSION`, newest first: all of SPIR-V's versions.
    pub fn intermediate_languages(&self) -> Vec<(&'static str, Version)> {
        if !self.features().contains(Features::INTERMEDIATE_LANGUAGE) {
            return Vec::new();
        }
        (0..=6).rev().map(|minor| ("SPIR-V", version(1, minor, 0))).collect()
    }

    /// Entry points beyond the core's.
    pub fn functions(&self) -> Vec<&'static str> {
        self.collect(|row| row.functions.to_vec())
    }

    /// `CL_DEVICE_SPIRV_EXTENSIONS_KHR`: what OpExtension may name.
    pub fn spirv_extensions(&self) -> Vec<&'static str> {
        self.collect(|row| row.spirv_extensions.to_vec())
    }

    /// `CL_DEVICE_SPIRV_CAPABILITIES_KHR`: what OpCapability may declare.
    pub fn capabilities(&self) -> Vec<Capability> {
        self.collect(|row| row.capabilities.to_vec())
    }

    /// The same, by their numbers, of those that the grammar does not know.
    pub fn newer_capabilities(&self) -> Vec<u32> {
        self.collect(|row| row.newer_capabilities.to_vec())
    }

    /// Is a capability accepted?
    pub fn has_capability(&self, capability: Capability) -> bool {
        self.rows.iter().any(|row| row.capabilities.contains(&capability))
    }

    /// `CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR`; patterns (`NonSemantic.*`) are left out.
    pub fn instruction_sets(&self) -> Vec<&'static str> {
        self.collect(|row| row.instruction_sets.iter().copied().filter(|set| !set.ends_with('*')).collect())
    }

    /// May OpExtInstImport name this set?
    pub fn has_instruction_set(&self, name: &str) -> bool {
        self.rows
            .iter()
            .flat_map(|row| row.instruction_sets)
            .any(|set| match set.strip_suffix('*') {
                Some(prefix) => name.starts_with(prefix),
                None => *set == name,
            })
    }

    /// Extensions and features that clang is told with `-cl-ext=+…`.
    pub fn clang_opencl(&self) -> Vec<&'static str> {
        self.collect(|row| row.opencl.iter().chain(row.macros).map(|&(name, _)| name).collect())
    }

    /// SPIR-V extensions that clang is told with `-spirv-ext=+…`.
    pub fn clang_spirv(&self) -> Vec<&'static str> {
        self.collect(|row| {
            row.spirv_extensions
                .iter()
                .copied()
                .filter(|name| !row.not_from_clang.contains(name))
                .collect()
        })
    }

    /// Device queries.
    pub fn features(&self) -> Features {
        self.rows.iter().fold(Features::empty(), |all, row| all | row.features)
    }

    /// `CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES`
    pub fn atomic_memory(&self) -> AtomicCapabilities {
        self.rows
            .iter()
            .fold(AtomicCapabilities::empty(), |all, row| all | row.atomic_memory)
    }

    /// `CL_DEVICE_ATOMIC_FENCE_CAPABILITIES`
    pub fn atomic_fence(&self) -> AtomicCapabilities {
        self.rows
            .iter()
            .fold(AtomicCapabilities::empty(), |all, row| all | row.atomic_fence)
    }

    /// `CL_DEVICE_{HALF,SINGLE,DOUBLE}_FP_ATOMIC_CAPABILITIES_EXT` for a width of 16, 32 or 64.
    pub fn float_atomics(&self, width: u32) -> FloatAtomics {
        let index = match width {
            16 => 0,
            32 => 1,
            64 => 2,
            _ => return FloatAtomics::empty(),
        };
        self.rows
            .iter()
            .fold(FloatAtomics::empty(), |all, row| all | row.float_atomics[index])
    }

    /// `CL_DEVICE_SVM_CAPABILITIES`
    pub fn svm(&self) -> Svm {
        self.rows.iter().fold(Svm::empty(), |all, row| all | row.svm)
    }

    /// The row that would admit a capability, if there is one that is not enabled.
    pub fn row_for_capability(&self, capability: Capability) -> Option<&'static Row> {
        crate::rows().find(|row| row.capabilities.contains(&capability))
    }

    /// The row that would admit a SPIR-V extension.
    pub fn row_for_extension(&self, extension: &str) -> Option<&'static Row> {
        crate::rows().find(|row| row.spirv_extensions.contains(&extension))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_follows_from_the_rows() {
        assert_eq!(Registry::with(&[]).opencl_version(), (3, 1));
        for row in REQUIRED_BY_3_1 {
            assert_eq!(Registry::with(&[(row, false)]).opencl_version(), (3, 0), "{row}");
        }
        // Without sub-groups there is nothing that works on them.
        assert!(!Registry::with(&[("core:sub_groups", false)]).has("cl_khr_subgroup_shuffle"));
    }

    #[test]
    fn opencl_c_2_0_is_there_with_all_that_it_asks_for() {
        let has = |registry: Registry| registry.language_versions().contains(&("OpenCL C", version(2, 0, 0)));
        assert!(has(Registry::with(&[])));
        for name in REQUIRED_BY_OPENCL_C_2_0 {
            let row = supported()
                .rows()
                .iter()
                .find(|row| row.name == name || row.macros.iter().any(|&(feature, _)| feature == name))
                .unwrap_or_else(|| panic!("{name} is no row's"));
            assert!(!has(Registry::with(&[(row.name, false)])), "without {name}");
        }
        // What it does not ask for.
        assert!(has(Registry::with(&[("core:sub_groups", false), ("cl_khr_mipmap_image", false)])));
    }

    #[test]
    fn rows_are_named_once_and_needs_exist() {
        let names: Vec<&str> = crate::rows().map(|row| row.name).collect();
        for (index, name) in names.iter().enumerate() {
            assert!(!names[..index].contains(name), "{name} is there twice");
        }
        for row in crate::rows() {
            assert_eq!(
                row.enabled,
                row.missing.is_empty(),
                "{}: what is missing is said of rows that are off, and only of these",
                row.name
            );
            for need in row.needs {
                assert!(names.contains(need), "{} needs {need}, which is no row", row.name);
            }
            for name in row.not_from_clang {
                assert!(row.spirv_extensions.contains(name), "{}: {name}", row.name);
            }
        }
    }

    #[test]
    fn an_enabled_row_has_what_it_needs() {
        for row in crate::rows().filter(|row| row.enabled) {
            assert!(supported().has(row.name), "{} is enabled, but not what it needs", row.name);
        }
    }

    #[test]
    fn turning_a_row_off_takes_back_all_that_it_says() {
        for row in supported().rows() {
            let without = Registry::with(&[(row.name, false)]);
            assert!(!without.has(row.name));
            for &(extension, _) in row.opencl {
                let others = without
                    .rows()
                    .iter()
                    .any(|other| other.opencl.iter().any(|&(name, _)| name == extension));
                assert_eq!(
                    without.extensions().iter().any(|&(name, _)| name == extension),
                    others,
                    "{extension}"
                );
            }
        }
    }

    #[test]
    fn every_row_can_be_turned_on() {
        assert_eq!(Registry::everything().rows().len(), crate::rows().count());
    }
}
