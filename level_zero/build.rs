//! Tells the linker how the library is to behave in a process.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // The library's own calls, and the addresses in its tables, are its own: never those of a loader that was loaded before it.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-Bsymbolic");
    // Threads may be in its code: dlclose leaves it where it is.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
}
