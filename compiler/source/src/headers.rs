//! The embedded headers of `clCompileProgram` as files for clang: a private directory that lives as long as the compilation.

use device::files::temporary_folder;
use std::io;
use std::path::{Component, Path, PathBuf};

/// How many leading `..` a header's name may have.
const DEPTH: usize = 4;

/// The directory. Removed when dropped.
pub struct HeaderDirectory {
    root: PathBuf,
    /// Where the program's source stands, so that names relative to it are found.
    pub base: PathBuf,
}

impl HeaderDirectory {
    /// Writes all headers. Of headers with the same name the last one counts.
    pub fn create(headers: &[(String, Vec<u8>)]) -> io::Result<HeaderDirectory> {
        let root = temporary_folder("brolga")?;
        let base = (0..DEPTH).fold(root.clone(), |path, _| path.join("d"));
        let directory = HeaderDirectory { root, base };
        std::fs::create_dir_all(&directory.base)?;
        for (name, text) in headers {
            let path = directory.place(name).ok_or_else(|| {
                io::Error::new(
                    io::ErrorKind::InvalidInput,
                    format!("the header name '{name}' is not a relative path"),
                )
            })?;
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent)?;
            }
            std::fs::write(path, text)?;
        }
        Ok(directory)
    }

    /// The file of a header: below the root, whatever the name.
    fn place(&self, name: &str) -> Option<PathBuf> {
        let mut path = self.base.clone();
        for component in Path::new(name).components() {
            match component {
                Component::Normal(part) => path.push(part),
                Component::CurDir => {}
                Component::ParentDir if path != self.root => {
                    path.pop();
                }
                _ => return None,
            }
        }
        (path != self.base && path.starts_with(&self.root)).then_some(path)
    }
}

impl Drop for HeaderDirectory {
    fn drop(&mut self) {
        // Nobody can be told; the directory is in a place that the system clears.
        let _ = std::fs::remove_dir_all(&self.root);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_stay_below_the_root_and_go_away() {
        let headers =
            [("a/b.h", "1"), ("../up.h", "2"), ("c.h", "3"), ("c.h", "4")].map(|(name, text)| (name.to_string(), text.as_bytes().to_vec()));
        let directory = HeaderDirectory::create(&headers).unwrap();
        assert_eq!(std::fs::read(directory.base.join("a/b.h")).unwrap(), b"1");
        assert_eq!(std::fs::read(directory.base.join("../up.h")).unwrap(), b"2");
        assert_eq!(std::fs::read(directory.base.join("c.h")).unwrap(), b"4");
        for bad in ["/etc/passwd", "../../../../../x", ""] {
            assert_eq!(directory.place(bad), None, "{bad}");
        }
        let root = directory.root.clone();
        drop(directory);
        assert!(!root.exists());
    }
}
