//! Files by which loaders find drivers (`.icd`), and the variables that lead loaders elsewhere.

use super::opencl::Library;
use super::{Finding, child, self_test};
use std::path::{Path, PathBuf};

const ABOUT: &str = "Registrations";

/// Where drivers are registered for the whole system.
pub const DIRECTORY: &str = "/etc/OpenCL/vendors";

/// The variables of ocl-icd and of the Khronos loader.
const VARIABLES: &[(&str, &str)] = &[
    ("OCL_ICD_VENDORS", "replaces the directory of registrations (both loaders)"),
    ("OCL_ICD_FILENAMES", "adds drivers (the Khronos loader)"),
    ("OPENCL_VENDOR_PATH", "replaces the directory of registrations (ocl-icd)"),
    ("OCL_ICD_PLATFORM_SORT", "orders platforms (ocl-icd)"),
    ("OCL_ICD_DEFAULT_PLATFORM", "chooses the default platform (ocl-icd)"),
    ("OPENCL_LAYERS", "puts layers before the drivers"),
];

/// Each registration, with what it leads to.
pub fn findings() -> Vec<Finding> {
    let mut findings = Vec::new();
    for (name, meaning) in VARIABLES {
        if let Some(value) = std::env::var_os(name) {
            let value = value.to_string_lossy();
            findings.push(Finding::note(ABOUT, format!("{name}={value}: {meaning}"), ""));
        }
    }
    let mut brolga = false;
    for directory in directories() {
        let files = in_directory(&directory);
        if files.is_empty() {
            findings.push(Finding::note(ABOUT, format!("{}: no registrations", directory.display()), ""));
        }
        for file in files {
            brolga |= std::fs::read_to_string(&file).is_ok_and(|text| text.contains("libbrolga"));
            findings.push(judged(&file));
        }
    }
    if !brolga {
        findings.push(Finding::problem(
            ABOUT,
            "no registration names libbrolga.so",
            "install the driver for the system (make install, or the Debian package), or for a Python environment (pip install brolga)",
        ));
    }
    findings
}

fn judged(file: &Path) -> Finding {
    let shown = file.display();
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) => return Finding::problem(ABOUT, format!("{shown} can't be read: {error}"), "let everybody read it: chmod 644"),
    };
    let library = text.lines().next().unwrap_or_default().trim();
    // The dynamic linker's word for the directory of the library that loads another: here the loader's, beside which the file is.
    let directory = file.parent().unwrap_or(Path::new(".")).display().to_string();
    let library = &library.replace("$ORIGIN", &directory);
    if library.is_empty() {
        return Finding::problem(
            ABOUT,
            format!("{shown} is empty"),
            "write the path of a driver into it, or delete it",
        );
    }
    if library.contains('/') && !Path::new(library).exists() {
        let what = format!("{shown} names {library}, which does not exist");
        return Finding::problem(ABOUT, what, "install that driver again, or delete the file");
    }
    // Loaders ask for one of these first.
    let is_driver = child::run(|| {
        let library = Library::open(library)?;
        let driver = library.has(c"clIcdGetPlatformIDsKHR") || library.has(c"clGetExtensionFunctionAddress");
        Ok(if driver { "driver" } else { "" }.into())
    });
    match is_driver.as_deref() {
        Ok("driver") => Finding::good(ABOUT, format!("{shown} leads to {library}, which can be loaded")),
        Ok(_) => Finding::problem(
            ABOUT,
            format!("{shown} leads to {library}, which is no driver of OpenCL"),
            "delete the file",
        ),
        Err(error) => Finding::problem(
            ABOUT,
            format!("{shown} leads to {library}, which fails: {error}"),
            "install that driver again, or delete the file",
        ),
    }
}

/// The directories that loaders read in this environment.
fn directories() -> Vec<PathBuf> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let mut directories = vec![
        variable("OCL_ICD_VENDORS")
            .or_else(|| variable("OPENCL_VENDOR_PATH"))
            .unwrap_or_else(|| PathBuf::from(DIRECTORY)),
    ];
    directories.extend(variable("CONDA_PREFIX").map(|prefix| prefix.join("etc/OpenCL/vendors")));
    directories.extend(libraries_of_pyopencl());
    directories
}

/// The active environments of conda and Python.
pub fn prefixes() -> Vec<PathBuf> {
    let prefixes = ["CONDA_PREFIX", "VIRTUAL_ENV"].into_iter().filter_map(std::env::var_os);
    prefixes.map(PathBuf::from).collect()
}

/// Where pyopencl's wheel has its loader, in the active environments and beside a driver that is of a wheel itself.
pub fn libraries_of_pyopencl() -> Vec<PathBuf> {
    let mut packages = Vec::new();
    for prefix in prefixes() {
        let pythons = std::fs::read_dir(prefix.join("lib")).into_iter().flatten().flatten();
        packages.extend(pythons.map(|python| python.path().join("site-packages")));
    }
    let own = self_test::library().map(PathBuf::from);
    packages.extend(own.and_then(|library| Some(library.parent()?.parent()?.to_owned())));
    let mut libraries: Vec<PathBuf> = packages.iter().map(|packages| packages.join("pyopencl/.libs")).collect();
    libraries.retain(|directory| directory.is_dir());
    libraries.dedup();
    libraries
}

/// The `.icd` files of a directory, sorted; or the one file that is named instead of a directory.
fn in_directory(directory: &Path) -> Vec<PathBuf> {
    let is_registration = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "icd");
    if directory.is_file() {
        return vec![directory.to_owned()];
    }
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_registration).collect();
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;

    /// A registration that is broken in each way, and the word that names it.
    #[test]
    fn broken_registrations_are_named() {
        let directory = std::env::temp_dir().join(format!("brolga-doctor-{}", std::process::id()));
        std::fs::create_dir_all(&directory).expect("a directory");
        for (name, text, word) in [
            ("missing", "/nowhere/libx.so\n", "does not exist"),
            ("empty", "\n", "is empty"),
            ("no_library", "libc-of-nobody.so.77\n", "fails"),
            ("no_driver", "libc.so.6\n", "is no driver"),
        ] {
            let file = directory.join(name).with_extension("icd");
            std::fs::write(&file, text).expect("a file");
            let finding = judged(&file);
            assert!(finding.level == Level::Problem && finding.what.contains(word), "{finding:?}");
            assert!(!finding.cure.is_empty());
        }
        assert_eq!(in_directory(&directory).len(), 4);
        std::fs::remove_dir_all(directory).expect("it was there");
    }
}
