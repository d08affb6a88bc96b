//! Switches: what an environment leaves to the device, by the name that its API gives it.
//!
//! A row of the registry can be switched by its own name and by that of any extension that it brings. Level Zero's devices tell by flags, which are
//! switches, too: those of `ze_device_module_properties_t` and `ze_device_image_properties_t`, and of floating-point atomics
//! (`ze_device_fp_atomic_ext_flags_t`) each flag for each width, as in `fp32Flags.ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_ADD`.

use super::Environment;
use vendors::FloatAtomics;

/// Level Zero's flags that stand for a row.
const FLAGS: &[(&str, &str)] = &[
    ("ZE_DEVICE_MODULE_FLAG_FP16", "cl_khr_fp16"),
    ("ZE_DEVICE_MODULE_FLAG_FP64", "cl_khr_fp64"),
    ("ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS", "cl_khr_int64_atomics"),
    ("ze_device_image_properties_t.supported", "core:images"),
];

/// Members of `ze_device_fp_atomic_ext_flags_t`, in the order of [`Environment::without_float_atomics`].
const WIDTHS: [&str; 3] = ["fp16Flags", "fp32Flags", "fp64Flags"];

const ATOMIC_FLAG: &str = "ZE_DEVICE_FP_ATOMIC_EXT_FLAG_";

const ATOMIC_FLAGS: [(&str, FloatAtomics); 6] = [
    ("GLOBAL_LOAD_STORE", FloatAtomics::GLOBAL_LOAD_STORE),
    ("GLOBAL_ADD", FloatAtomics::GLOBAL_ADD),
    ("GLOBAL_MIN_MAX", FloatAtomics::GLOBAL_MIN_MAX),
    ("LOCAL_LOAD_STORE", FloatAtomics::LOCAL_LOAD_STORE),
    ("LOCAL_ADD", FloatAtomics::LOCAL_ADD),
    ("LOCAL_MIN_MAX", FloatAtomics::LOCAL_MIN_MAX),
];

/// Every flag of Level Zero's that is a switch.
pub fn switches() -> impl Iterator<Item = String> {
    let atomics = WIDTHS
        .iter()
        .flat_map(|width| ATOMIC_FLAGS.iter().map(move |(flag, _)| format!("{width}.{ATOMIC_FLAG}{flag}")));
    FLAGS.iter().map(|(flag, _)| flag.to_string()).chain(atomics)
}

impl Environment {
    /// Turns on or off what the device may have: rows, extensions, Level Zero's flags.
    pub fn switch(&mut self, name: &str, on: bool) -> Result<(), String> {
        if let Some((width, flag)) = atomic_flag(name) {
            self.without_float_atomics[width].set(flag, !on);
            return Ok(());
        }
        let name = FLAGS.iter().find(|(flag, _)| *flag == name).map_or(name, |&(_, row)| row);
        let mut known = false;
        for row in vendors::rows().filter(|row| row.is_called(name)) {
            self.registry = self.registry.switched(row.name, on);
            known = true;
        }
        if known {
            Ok(())
        } else {
            Err(format!(
                "nothing is called {name:?} that could be switched on or off; `brolga env` lists extensions, and Level Zero's flags are {}",
                switches().collect::<Vec<_>>().join(", ")
            ))
        }
    }

    /// Makes a version of SPIR-V the newest that is taken: `ze_device_module_properties_t.spirvVersionSupported`.
    pub fn up_to(&mut self, version: &str) -> Result<(), String> {
        let newest = match version.split_once('.') {
            Some(("1", minor)) => minor.parse().ok().filter(|minor| (0..=6).contains(minor)),
            _ => None,
        };
        self.newest = (
            1,
            newest.ok_or_else(|| format!("{version:?} is no version of SPIR-V from 1.0 to 1.6"))?,
        );
        Ok(())
    }
}

/// A flag of floating-point atomics: the width's index, and the flag.
fn atomic_flag(name: &str) -> Option<(usize, FloatAtomics)> {
    let (width, flag) = name.split_once('.')?;
    let width = WIDTHS.iter().position(|known| *known == width)?;
    let flag = flag.strip_prefix(ATOMIC_FLAG)?;
    let (_, flag) = ATOMIC_FLAGS.iter().find(|(known, _)| *known == flag)?;
    Some((width, *flag))
}
