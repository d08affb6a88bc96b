//! Leaves `target/vendors/brolga.icd`, by which `OCL_ICD_VENDORS=target/vendors` finds the library that was built, and tells the linker
//! how the library is to behave in a process.

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // The library's own calls, and the addresses in its dispatch table, are its own: never those of a loader that was loaded before it.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-Bsymbolic");
    // Threads may be in its code: dlclose leaves it where it is.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    if let Some(target) = target_directory() {
        let vendors = target.join("vendors");
        let library = target.join("release").join("libbrolga.so");
        let written = fs::create_dir_all(&vendors).and_then(|()| fs::write(vendors.join("brolga.icd"), format!("{}\n", library.display())));
        if let Err(error) = written {
            println!("cargo::warning=no registration in {}: {error}", vendors.display());
        }
    }
}

/// `target/`: the output directory is `target/[triple/]profile/build/package/out`.
fn target_directory() -> Option<PathBuf> {
    let out = PathBuf::from(env::var_os("OUT_DIR")?);
    let profile = out.ancestors().nth(3)?;
    let target = profile.parent()?;
    let triple = env::var("TARGET").ok()?;
    Some(
        if target.ends_with(Path::new(&triple)) {
            target.parent()?
        } else {
            target
        }
        .to_path_buf(),
    )
}
