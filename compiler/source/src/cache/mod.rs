//! The cache on disk: what took long to make is kept for the next process.
//!
//! It lies in `$XDG_CACHE_HOME/brolga` (or `~/.cache/brolga`); `BROLGA_CACHE` names another directory, or is `0` for none. An entry is a file
//! that holds its whole key beside its value, with a checksum, so that neither a collision of names nor a torn write nor a bad disk can hand
//! back a wrong value. Files appear by rename, so that any number of processes may read and write at once. Whatever fails is only a miss:
//! a full or read-only disk never fails a build.

mod entry;
mod key;

pub use entry::hash;
pub use key::Key;

use device::files;
use once_cell::race::OnceBox;
use std::fs::File;
use std::io::Write;
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

/// Where the environment asks for a cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// In this directory.
    At(PathBuf),
    /// Nowhere: `BROLGA_CACHE=0`.
    Off,
    /// In a relative directory, which is not taken: it would be another one wherever the host goes.
    Relative(PathBuf),
    /// Nobody says: there is no variable, and no home.
    Unknown,
}

/// Where this process's cache is to be.
pub fn location() -> Location {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let directory = match variable("BROLGA_CACHE") {
        Some(chosen) if chosen == "0" => return Location::Off,
        Some(chosen) => Some(PathBuf::from(chosen)),
        None => variable("XDG_CACHE_HOME")
            .map(PathBuf::from)
            .or_else(|| Some(PathBuf::from(variable("HOME")?).join(".cache")))
            .map(|base| base.join("brolga")),
    };
    match directory {
        Some(directory) if directory.is_absolute() => Location::At(directory),
        Some(directory) => Location::Relative(directory),
        None => Location::Unknown,
    }
}

fn of_the_environment() -> Option<Cache> {
    match location() {
        Location::At(directory) => Cache::at(&directory, MOST_BYTES),
        Location::Off | Location::Relative(_) | Location::Unknown => None,
    }
}

/// What is known of an entry without reading it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Listed {
    /// When it was last of use.
    pub used: SystemTime,
    /// Bytes on disk.
    pub bytes: u64,
    /// Its file.
    pub path: PathBuf,
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
        let _ = files::create_private_folder(directory);
        files::is_own_folder(directory).then(|| Cache {
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

    /// Where the entries are.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Bytes that the entries may take together.
    pub fn most_bytes(&self) -> u64 {
        self.most_bytes
    }

    /// All entries, those first that were used longest ago.
    pub fn entries(&self) -> Vec<Listed> {
        let mut entries: Vec<Listed> = self.files("entry").collect();
        entries.sort();
        entries
    }

    /// Deletes all entries, and what crashed processes left behind. Gives how many files there were, or the first that would not go.
    pub fn clear(&self) -> Result<usize, (PathBuf, std::io::Error)> {
        let mut count = 0;
        for file in self.files("entry").chain(self.files("tmp")) {
            match std::fs::remove_file(&file.path) {
                Ok(()) => count += 1,
                // Another process was quicker.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Err((file.path, error)),
            }
        }
        Ok(count)
    }

    /// The files of the directory whose names end so.
    fn files(&self, extension: &'static str) -> impl Iterator<Item = Listed> + use<> {
        let directory = std::fs::read_dir(&self.directory).into_iter().flatten().flatten();
        directory.filter_map(move |entry| {
            let path = entry.path();
            let data = entry.metadata().ok()?;
            let named = path.extension().is_some_and(|ending| ending == extension);
            (named && data.is_file()).then_some(())?;
            Some(Listed {
                used: data.modified().ok()?,
                bytes: data.len(),
                path,
            })
        })
    }

    /// Deletes the entries that were used longest ago until the rest fits, and what crashed processes left behind.
    fn shrink(&self) {
        for file in self.files("tmp") {
            if file.used.elapsed().is_ok_and(|age| age > Duration::from_secs(3600)) {
                let _ = std::fs::remove_file(file.path);
            }
        }
        let entries = self.entries();
        let mut total: u64 = entries.iter().map(|entry| entry.bytes).sum();
        for entry in entries {
            if total <= self.most_bytes {
                break;
            }
            let _ = std::fs::remove_file(entry.path);
            total -= entry.bytes;
        }
    }
}

#[cfg(test)]
mod tests;
