//! Files that only this user may have to do with, and what tells one file from another.

use std::fs::{DirBuilder, Metadata};
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Makes a folder, and those that it is in where they are missing, that only this user may enter. It is no error if it is there, whoever may enter it.
pub fn create_private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Is this a folder of this user's, and can nobody else write to it?
pub fn is_own_folder(path: &Path) -> bool {
    // SAFETY: takes nothing, cannot fail.
    let user = unsafe { libc::geteuid() };
    std::fs::metadata(path).is_ok_and(|data| data.is_dir() && data.uid() == user && data.mode() & 0o022 == 0)
}

/// A fresh folder for files of a moment, which only this user can enter: `NAME-` and a few letters, where the system has such files.
pub fn temporary_folder(name: &str) -> io::Result<PathBuf> {
    let template = std::env::temp_dir().join(format!("{name}-XXXXXX")).into_os_string().into_vec();
    let mut template = std::ffi::CString::new(template)?.into_bytes_with_nul();
    // SAFETY: a C string that mkdtemp changes in place.
    let made = unsafe { libc::mkdtemp(template.as_mut_ptr().cast()) };
    if made.is_null() {
        return Err(io::Error::last_os_error());
    }
    template.pop();
    Ok(PathBuf::from(std::ffi::OsString::from_vec(template)))
}

/// Is this a program, as far as its file says?
pub fn is_program(data: &Metadata) -> bool {
    data.is_file() && data.permissions().mode() & 0o111 != 0
}

/// What changes when a file is replaced or written to: its number, its size, and when it was written.
pub fn identity(data: &Metadata) -> String {
    format!("{} {} {}.{}", data.ino(), data.size(), data.mtime(), data.mtime_nsec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_private() {
        let root = temporary_folder("brolga-test").unwrap();
        assert_ne!(temporary_folder("brolga-test").map(std::fs::remove_dir).unwrap().ok(), None);
        let inner = root.join("a/b");
        create_private_folder(&inner).unwrap();
        create_private_folder(&inner).unwrap();
        for folder in [&root, &inner] {
            assert_eq!(std::fs::metadata(folder).unwrap().mode() & 0o777, 0o700);
            assert!(is_own_folder(folder));
        }
        // What others may write to is not trusted, nor is what is no folder.
        std::fs::set_permissions(&inner, std::fs::Permissions::from_mode(0o720)).unwrap();
        assert!(!is_own_folder(&inner));
        let file = root.join("file");
        std::fs::write(&file, "text").unwrap();
        assert!(!is_own_folder(&file) && !is_own_folder(&root.join("nothing")));
        assert!(create_private_folder(&file).is_err());
        std::fs::remove_dir_all(&root).unwrap();
    }

    #[test]
    fn programs_can_be_run_and_have_an_identity() {
        let root = temporary_folder("brolga-test").unwrap();
        let file = root.join("program");
        std::fs::write(&file, "text").unwrap();
        let data = || std::fs::metadata(&file).unwrap();
        let before = identity(&data());
        assert_eq!(identity(&data()), before);
        assert!(!is_program(&data()));
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o700)).unwrap();
        assert!(is_program(&data()) && !is_program(&std::fs::metadata(&root).unwrap()));
        std::fs::write(&file, "other text").unwrap();
        assert_ne!(identity(&data()), before);
        std::fs::remove_dir_all(&root).unwrap();
    }
}
