use super::*;
use std::os::unix::fs::PermissionsExt;

/// A directory of this test's own, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("brolga-cache-test-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Scratch(path)
    }

    fn files(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn key(part: &str) -> Key {
    let mut key = Key::new("test");
    key.add(part.as_bytes());
    key
}

#[test]
fn what_was_put_is_got() {
    let scratch = Scratch::new("get");
    let cache = Cache::at(&scratch.0, MOST_BYTES).unwrap();
    assert_eq!(cache.get(&key("a")), None);
    cache.put(&key("a"), b"A");
    cache.put(&key("b"), b"B");
    assert_eq!(cache.get(&key("a")).as_deref(), Some(&b"A"[..]));
    assert_eq!(cache.get(&key("b")).as_deref(), Some(&b"B"[..]));
    assert_eq!(scratch.files().len(), 2, "no temporary file is left");
}

#[test]
fn damage_is_a_miss() {
    let scratch = Scratch::new("damage");
    let cache = Cache::at(&scratch.0, MOST_BYTES).unwrap();
    cache.put(&key("a"), b"A");
    std::fs::write(&scratch.files()[0], b"brolga1\nnonsense").unwrap();
    assert_eq!(cache.get(&key("a")), None);
    cache.put(&key("a"), b"A");
    assert_eq!(cache.get(&key("a")).as_deref(), Some(&b"A"[..]));
}

#[test]
fn old_entries_make_room() {
    let scratch = Scratch::new("room");
    let cache = Cache::at(&scratch.0, 10_000).unwrap();
    for i in 0..40 {
        cache.put(&key(&i.to_string()), &[0; 1000]);
    }
    cache.shrink();
    let total: u64 = scratch.files().iter().map(|file| std::fs::metadata(file).unwrap().len()).sum();
    assert!(total <= 10_000 && total > 5_000, "{total}");
}

#[test]
fn a_directory_that_others_can_write_to_is_not_used() {
    let scratch = Scratch::new("others");
    std::fs::create_dir(&scratch.0).unwrap();
    std::fs::set_permissions(&scratch.0, std::fs::Permissions::from_mode(0o777)).unwrap();
    assert!(Cache::at(&scratch.0, MOST_BYTES).is_none());
    assert!(Cache::at(Path::new("/proc/nothing/here"), MOST_BYTES).is_none());
}

#[test]
fn a_directory_that_vanishes_is_a_miss() {
    let scratch = Scratch::new("vanishes");
    let cache = Cache::at(&scratch.0, MOST_BYTES).unwrap();
    std::fs::remove_dir_all(&scratch.0).unwrap();
    cache.put(&key("a"), b"A");
    assert_eq!(cache.get(&key("a")), None);
}

#[test]
fn parts_do_not_run_together() {
    let (mut one, mut two) = (Key::new("t"), Key::new("t"));
    one.add(b"ab");
    one.add(b"c");
    two.add(b"a");
    two.add(b"bc");
    assert_ne!(one, two);
}
