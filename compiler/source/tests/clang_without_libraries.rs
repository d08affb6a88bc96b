//! A machine whose clang is there and can't be loaded, as where a process may have little memory: the system's loader ends it with 127, and OpenCL C is
//! compiled by the driver's own front end.

use source::{Features, Frontend, Options, SourceRequest};
use std::os::unix::fs::PermissionsExt;

/// The only test here: the variable is read once a process.
#[test]
fn own_front_end_takes_over() {
    let directory = std::env::temp_dir().join(format!("brolga-scarce-clang-{}", std::process::id()));
    let clang = directory.join("clang-22");
    let text = "#!/bin/sh\necho 'clang: error while loading shared libraries: libLLVM.so: failed to map segment' >&2\nexit 127\n";
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::write(&clang, text).unwrap();
    std::fs::set_permissions(&clang, std::fs::Permissions::from_mode(0o755)).unwrap();
    // SAFETY: no other thread reads the environment yet.
    unsafe {
        std::env::set_var("BROLGA_CLANG", &clang);
        std::env::set_var("BROLGA_CACHE", "0");
        std::env::remove_var("BROLGA_FRONTEND");
    }
    let request = SourceRequest {
        source: b"kernel void k(global int *a) { a[get_global_id(0)] = 2; }",
        headers: &[],
        options: &Options::default(),
        features: Features::default(),
    };
    let compiled = source::compile(&request);
    std::fs::remove_dir_all(&directory).unwrap();
    assert_eq!(compiled.unwrap_or_else(|error| panic!("{}", error.log)).by, Frontend::Own);
}
