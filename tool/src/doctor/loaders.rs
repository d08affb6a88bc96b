//! ICD loaders: which are there, and what each of them would load.

use super::child;
use super::opencl::Library;
use super::{Finding, Level, registrations};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const ABOUT: &str = "ICD loaders";

/// The loader that programs get, and what each loader that there is shows them.
pub fn findings() -> Vec<Finding> {
    let used = in_use();
    let mut loaders: BTreeMap<PathBuf, String> = BTreeMap::new();
    for directory in directories() {
        for path in in_directory(&directory) {
            let real = path.canonicalize().unwrap_or_else(|_| path.clone());
            loaders.entry(real).or_insert_with(|| path.display().to_string());
        }
    }
    if let Ok(path) = &used {
        let real = Path::new(path).canonicalize().unwrap_or_else(|_| PathBuf::from(path));
        loaders.entry(real).or_insert_with(|| path.clone());
    }
    let mut findings: Vec<Finding> = loaders.values().map(|path| seen_by(path)).collect();
    findings.insert(
        0,
        match &used {
            Ok(path) => Finding::good(ABOUT, format!("programs that ask for libOpenCL.so.1 get {path}")),
            Err(error) => Finding::problem(
                ABOUT,
                format!("programs that ask for libOpenCL.so.1 get nothing: {error}"),
                "install one: Debian, Ubuntu: apt install ocl-icd-libopencl1; Fedora: dnf install ocl-icd; conda: conda install ocl-icd; \
                 pyopencl's wheel brings its own",
            ),
        },
    );
    // Where one of several loaders shows the driver, that may be the one that matters.
    if findings
        .iter()
        .any(|finding| finding.level == Level::Good && finding.what.contains("Brolga"))
    {
        for finding in &mut findings {
            finding.level = finding.level.min(Level::Note);
        }
    }
    findings
}

/// The file that the dynamic linker takes for `libOpenCL.so.1`.
fn in_use() -> Result<String, String> {
    child::run(|| {
        Library::open("libOpenCL.so.1")?;
        let maps = std::fs::read_to_string("/proc/self/maps").map_err(|error| error.to_string())?;
        let mut paths = maps.lines().filter_map(|line| Some(&line[line.find('/')?..]));
        let path = paths.find(|path| path.contains("libOpenCL"));
        path.map(str::to_owned).ok_or_else(|| "it is loaded from nowhere".to_owned())
    })
}

/// What a loader shows, in a process of its own.
fn seen_by(path: &str) -> Finding {
    let answer = child::run(|| {
        // As pyopencl does for the loader of its own.
        if let Some(home) = path.find("/.libs/").filter(|_| path.contains("/pyopencl/")) {
            // SAFETY: the child has one thread.
            unsafe { std::env::set_var("PYOPENCL_HOME", &path[..home]) };
        }
        let library = Library::open(path)?;
        let platforms = library.platforms(c"clGetPlatformIDs")?;
        let line = |platform: &super::opencl::Platform| format!("{} ({})", platform.title(), platform.devices().join(", "));
        Ok(platforms.iter().map(line).collect::<Vec<_>>().join("; "))
    });
    match answer {
        Ok(platforms) if platforms.contains("Brolga") => Finding::good(ABOUT, format!("{path} shows {platforms}")),
        Ok(platforms) => {
            let shown = if platforms.is_empty() { "no platform" } else { &platforms };
            Finding::problem(
                ABOUT,
                format!("{path} shows {shown}: not Brolga"),
                format!(
                    "tell it of the driver: a file brolga.icd in {} that holds the path of libbrolga.so, or OCL_ICD_VENDORS=DIRECTORY-OF-THAT-FILE",
                    registrations::DIRECTORY
                ),
            )
        }
        Err(error) => Finding::problem(
            ABOUT,
            format!("{path} fails: {error}"),
            "a driver that it loads may be broken: see the registrations below, and leave them out one at a time",
        ),
    }
}

/// Where the dynamic linker looks, and where packages of Python and conda put loaders of their own.
fn directories() -> Vec<PathBuf> {
    let mut directories: Vec<PathBuf> = std::env::var_os("LD_LIBRARY_PATH")
        .map(|paths| std::env::split_paths(&paths).collect())
        .unwrap_or_default();
    directories.extend(registrations::prefixes().iter().map(|prefix| prefix.join("lib")));
    directories.extend(registrations::libraries_of_pyopencl());
    let architecture = format!("/usr/lib/{}-linux-gnu", std::env::consts::ARCH);
    directories.extend(["/usr/local/lib", &architecture, "/usr/lib64", "/usr/lib"].map(PathBuf::from));
    directories
}

/// Loaders in a directory: `libOpenCL.so.1`, or `libOpenCL-HASH.so.1` as wheels have it.
fn in_directory(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let named = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("libOpenCL") && name.contains(".so.1")
    };
    entries.map(|entry| entry.path()).filter(named).collect()
}
