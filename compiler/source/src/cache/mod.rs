//! The cache on disk: what took long to make is kept for the next process.
//!
//! It lies in `$XDG_CACHE_HOME/brolga` (or `~/.cache/brolga`); `BROLGA_CACHE` names another directory, or is `0` for none. An entry is a file
//! that holds its whole key beside its value, with a checksum, so that neither a collision of names nor a torn write nor a bad disk can hand
//! back a wrong value. Files appear by rename, so that any number of processes may read and write at once. Whatever fails is only a miss:
//! a full or read-only disk never fails a build.

mod entry;
mod key;

pub use key::Key;

use once_cell::race::OnceBox;
use std::fs::{DirBuilder, File};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// Bytes that the cache may take on disk; the entries that were used longest ago go first.
const MOST_BYTES: u64 = 256 << 20;

/// One write in so many looks at the size of the whole directory.
const LOOK_EVERY: u64 = 16;

/// A directory of entries.
#[derive(Clone, Debug)]
pub struct Cache {
    directory: PathBuf,
    most_bytes: u64,
}

fn of_the_environment() -> Option<Cache> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let directory = match variable("BROLGA_CACHE") {
        Some(chosen) if chosen == "0" => return None,
        Some(chosen) => PathBuf::from(chosen),
        None => {
            let base = variable("XDG_CACHE_HOME").map(PathBuf::from);
            let base = base.or_else(|| Some(PathBuf::from(variable("HOME")?).join(".cache")))?;
            base.join("brolga")
        }
    };
    // A relative path would be another directory wherever the host goes.
    directory.is_absolute().then(|| Cache::at(&directory, MOST_BYTES))?
}

impl Cache {
    /// The cache that the environment asks for.
    pub fn of_this_user() -> Option<&'static Cache> {
        static CACHE: OnceBox<Option<Cache>> = OnceBox::new();
        CACHE.get_or_init(|| Box::new(of_the_environment())).as_ref()
    }

    /// Uses a directory, which is made if need be. `None` where it cannot be used, or where somebody else could write to it:
    /// what is in the cache becomes code of this process.
    pub fn at(directory: &Path, most_bytes: u64) -> Option<Cache> {
        let _ = DirBuilder::new().recursive(true).mode(0o700).create(directory);
        let data = std::fs::metadata(directory).ok()?;
        // SAFETY: takes nothing, cannot fail.
        let user = unsafe { libc::geteuid() };
        let trusted = data.is_dir() && data.uid() == user && data.mode() & 0o022 == 0;
        trusted.then(|| Cache {
            directory: directory.to_owned(),
            most_bytes,
        })
    }

    /// The value kept under a key.
    pub fn get(&self, key: &Key) -> Option<Vec<u8>> {
        let path = self.path(key);
        let value = entry::decode(&std::fs::read(&path).ok()?, key.bytes())?;
        // Its time of modification says when an entry was last of use.
        if let Ok(file) = File::options().append(true).open(&path) {
            let _ = file.set_modified(SystemTime::now());
        }
        Some(value)
    }

    /// Keeps a value, if that can be done.
    pub fn put(&self, key: &Key, value: &[u8]) {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let temporary = self.directory.join(format!("{}-{count}.tmp", std::process::id()));
        let written = File::create(&temporary).and_then(|mut file| file.write_all(&entry::encode(key.bytes(), value)));
        if written.and_then(|()| std::fs::rename(&temporary, self.path(key))).is_err() {
            let _ = std::fs::remove_file(&temporary);
        }
        if count.is_multiple_of(LOOK_EVERY) {
            self.shrink();
        }
    }

    fn path(&self, key: &Key) -> PathBuf {
        self.directory.join(format!("{:016x}.entry", key.hash()))
    }

    /// Deletes the entries that were used longest ago until the rest fits, and what crashed processes left behind.
    fn shrink(&self) {
        let Ok(entries) = std::fs::read_dir(&self.directory) else { return };
        let mut files: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
        for entry in entries.flatten() {
            let path = entry.path();
            let Ok(data) = entry.metadata() else { continue };
            let Ok(modified) = data.modified() else { continue };
            match path.extension().and_then(|extension| extension.to_str()) {
                Some("entry") => files.push((modified, data.len(), path)),
                Some("tmp") if modified.elapsed().is_ok_and(|age| age > Duration::from_secs(3600)) => {
                    let _ = std::fs::remove_file(path);
                }
                _ => {}
            }
        }
        files.sort();
        let mut total: u64 = files.iter().map(|(_, bytes, _)| bytes).sum();
        for (_, bytes, path) in files {
            if total <= self.most_bytes {
                break;
            }
            let _ = std::fs::remove_file(path);
            total -= bytes;
        }
    }
}

#[cfg(test)]
mod tests;
