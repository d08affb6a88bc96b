//! `brolga cache`: what the driver keeps on disk.

use clap::{ArgMatches, Command};
use compiler::source::cache::{Cache, Location, location};

/// The subcommand's place on the command line.
pub fn command() -> Command {
    Command::new("cache")
        .about("List, measure or clear the disk cache of compiled programs")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(Command::new("list").about("List the entries: bytes, seconds since the last use, file"))
        .subcommand(Command::new("size").about("Say how much the entries take, how much they may take, and where"))
        .subcommand(Command::new("clear").about("Delete all entries"))
}

/// Exit code 1 if there is no cache, or if an entry can't be deleted.
pub fn run(arguments: &ArgMatches) -> u8 {
    let Some(cache) = Cache::of_this_user() else {
        eprintln!("brolga cache: {}", missing());
        return 1;
    };
    match arguments.subcommand_name() {
        Some("list") => list(cache),
        Some("size") => size(cache),
        _ => return clear(cache),
    }
    0
}

/// Why there is no cache.
pub fn missing() -> String {
    match location() {
        Location::At(path) => format!(
            "{} cannot be used: it must be a directory that belongs to you and that nobody else can write to",
            path.display()
        ),
        Location::Off => "BROLGA_CACHE=0 turns the cache off".into(),
        Location::Relative(path) => format!("{} is a relative path; the cache needs an absolute one", path.display()),
        Location::Unknown => "neither BROLGA_CACHE nor XDG_CACHE_HOME nor HOME is set".into(),
    }
}

fn list(cache: &Cache) {
    for entry in cache.entries() {
        let age = entry.used.elapsed().unwrap_or_default().as_secs();
        println!("{:>10} {age:>9} {}", entry.bytes, entry.path.display());
    }
}

fn size(cache: &Cache) {
    let entries = cache.entries();
    let bytes: u64 = entries.iter().map(|entry| entry.bytes).sum();
    println!(
        "{} entries, {bytes} of at most {} bytes, in {}",
        entries.len(),
        cache.most_bytes(),
        cache.directory().display()
    );
}

fn clear(cache: &Cache) -> u8 {
    match cache.clear() {
        Ok(count) => {
            println!("{count} files deleted from {}", cache.directory().display());
            0
        }
        Err((path, error)) => {
            eprintln!("brolga cache: {}: {error}", path.display());
            1
        }
    }
}
