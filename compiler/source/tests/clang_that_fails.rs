//! A machine whose clang can't be run, as where processes may not be started: OpenCL C is compiled by the driver's own front end.

use source::{Features, Frontend, Options, SourceRequest};
use std::os::unix::fs::PermissionsExt;

/// The only test here: the variable is read once a process.
#[test]
fn own_front_end_takes_over() {
    // By its name it is a clang, by what is in it no program.
    let directory = std::env::temp_dir().join(format!("brolga-no-clang-{}", std::process::id()));
    let clang = directory.join("clang-22");
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::write(&clang, b"\0\0\0\0").unwrap();
    std::fs::set_permissions(&clang, std::fs::Permissions::from_mode(0o755)).unwrap();
    // SAFETY: no other thread reads the environment yet.
    unsafe {
        std::env::set_var("BROLGA_CLANG", &clang);
        std::env::set_var("BROLGA_CACHE", "0");
        std::env::remove_var("BROLGA_FRONTEND");
    }
    assert!(source::clang().is_ok());
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
