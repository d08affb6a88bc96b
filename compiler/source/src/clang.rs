//! Finding clang: `BROLGA_CLANG`, else the newest `clang-NN`, else `clang`, on the PATH and in the places where packages put it.
//!
//! Whether a compiler is there must be known for `CL_DEVICE_COMPILER_AVAILABLE`, that is, by every program that lists devices. So nothing
//! is run to find out where the version can be read off a name: `clang-22`, or what `clang` is a link to (`/usr/lib/llvm-22/bin/clang`).

use super::child;
use device::files;
use once_cell::race::OnceBox;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The first version whose own SPIR-V back end is complete enough: older ones hand over to an external translator or fail.
const OLDEST: u32 = 22;

/// A clang that can emit SPIR-V.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clang {
    /// Absolute path, links resolved.
    pub path: PathBuf,
    /// Its major version.
    pub version: u32,
    /// Changes whenever the compiler does: part of the key of everything that is cached.
    pub identity: String,
}

/// What the driver says where no clang is found.
const ADVICE: &str = "C++ for OpenCL, and BROLGA_FRONTEND=clang, need clang 22 or newer. Install it (Debian, Ubuntu: 'apt install clang-22'), or set BROLGA_CLANG to its path. \
                      OpenCL C and SPIR-V (clCreateProgramWithIL) need none.";

/// The compiler of this process, or what to tell the user.
pub fn clang() -> Result<&'static Clang, &'static str> {
    static FOUND: OnceBox<Result<Clang, String>> = OnceBox::new();
    let found = FOUND.get_or_init(|| {
        let path = std::env::var_os("PATH").unwrap_or_default();
        Box::new(find(std::env::var_os("BROLGA_CLANG").as_deref(), &directories(&path)))
    });
    found.as_ref().map_err(String::as_str)
}

/// Where to look, in this order. Relative entries of PATH are left out: what they name depends on where the host process stands.
fn directories(path: &OsStr) -> Vec<PathBuf> {
    let mut directories: Vec<PathBuf> = std::env::split_paths(path).filter(|entry| entry.is_absolute()).collect();
    directories.extend(["/usr/local/bin", "/usr/bin", "/opt/homebrew/opt/llvm/bin"].map(PathBuf::from));
    directories
}

fn find(chosen: Option<&OsStr>, directories: &[PathBuf]) -> Result<Clang, String> {
    if let Some(chosen) = chosen.filter(|name| !name.is_empty()) {
        let path = Path::new(chosen);
        let candidates = match path.is_absolute() || path.components().count() > 1 {
            true => vec![path.to_owned()],
            false => directories.iter().map(|directory| directory.join(path)).collect(),
        };
        let found = candidates.iter().find_map(|candidate| examine(candidate));
        return match found {
            Some(clang) if clang.version >= OLDEST => Ok(clang),
            Some(clang) => Err(format!("BROLGA_CLANG={} is clang {}. {ADVICE}", path.display(), clang.version)),
            None => Err(format!("BROLGA_CLANG={} is no clang that runs. {ADVICE}", path.display())),
        };
    }
    let mut candidates: Vec<(u32, PathBuf)> = directories.iter().flat_map(|directory| numbered(directory)).collect();
    candidates.sort_by_key(|(version, _)| std::cmp::Reverse(*version));
    let plain = directories.iter().map(|directory| directory.join("clang"));
    let found = candidates
        .into_iter()
        .map(|(_, path)| path)
        .chain(plain)
        .find_map(|path| examine(&path).filter(|clang| clang.version >= OLDEST));
    found.ok_or_else(|| format!("no clang was found. {ADVICE}"))
}

/// The `clang-NN` of a directory.
fn numbered(directory: &Path) -> Vec<(u32, PathBuf)> {
    let Ok(entries) = std::fs::read_dir(directory) else {
        return Vec::new();
    };
    let named = |entry: std::fs::DirEntry| {
        let version = entry.file_name().to_str()?.strip_prefix("clang-")?.parse().ok()?;
        Some((version, entry.path()))
    };
    entries.flatten().filter_map(named).collect()
}

/// Is this file a clang, and which?
fn examine(candidate: &Path) -> Option<Clang> {
    let path = candidate.canonicalize().ok()?;
    let data = std::fs::metadata(&path).ok()?;
    if !files::is_program(&data) {
        return None;
    }
    let version = version_in_name(candidate)
        .or_else(|| version_in_name(&path))
        .or_else(|| ask_version(&path))?;
    let identity = format!("{} {}", path.display(), files::identity(&data));
    Some(Clang { path, version, identity })
}

/// `…/clang-22` or `…/llvm-22/bin/clang`.
fn version_in_name(path: &Path) -> Option<u32> {
    let number = |name: &str, prefix: &str| name.strip_prefix(prefix)?.parse().ok();
    let file = path.file_name()?.to_str()?;
    number(file, "clang-").or_else(|| {
        let prefix = path.parent()?.parent()?.file_name()?.to_str()?;
        (file == "clang").then(|| number(prefix, "llvm-"))?
    })
}

/// Runs `clang --version`: "Debian clang version 22.1.8 (…)".
fn ask_version(path: &Path) -> Option<u32> {
    let output = child::run(path, &["--version".into()], &[], None).ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let digits = text.split("clang version ").nth(1)?;
    digits.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_off_names() {
        assert_eq!(version_in_name(Path::new("/usr/bin/clang-22")), Some(22));
        assert_eq!(version_in_name(Path::new("/usr/lib/llvm-23/bin/clang")), Some(23));
        assert_eq!(version_in_name(Path::new("/usr/bin/clang")), None);
        assert_eq!(version_in_name(Path::new("/opt/llvm-22/bin/cc")), None);
    }

    #[test]
    fn without_clang_the_message_says_what_to_do() {
        let message = find(None, &[PathBuf::from("/nonexistent")]).unwrap_err();
        assert!(
            message.contains("apt install clang-22") && message.contains("BROLGA_CLANG"),
            "{message}"
        );
        let message = find(Some(OsStr::new("/nonexistent/clang")), &[]).unwrap_err();
        assert!(message.contains("/nonexistent/clang"), "{message}");
    }

    #[test]
    fn relative_entries_of_the_path_are_ignored() {
        let directories = directories(OsStr::new("bin::/a/b:."));
        assert!(directories.iter().all(|directory| directory.is_absolute()));
        assert_eq!(directories[0], Path::new("/a/b"));
    }
}
