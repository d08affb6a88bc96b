//! What tests of a machine with an unusable clang have in common. Each is a process of its own: the variables are read once a process.

use source::{Features, Frontend, Options, SourceRequest};
use std::os::unix::fs::PermissionsExt;

/// Makes a file of this text the clang that is found, and expects that the driver's own front end compiles without it.
pub fn own_front_end_needs_no_clang(text: &str) {
    let directory = std::env::temp_dir().join(format!("brolga-clang-{}", std::process::id()));
    let clang = directory.join("clang-22");
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::write(&clang, text).unwrap();
    std::fs::set_permissions(&clang, std::fs::Permissions::from_mode(0o755)).unwrap();
    // SAFETY: no other thread reads the environment yet.
    unsafe {
        std::env::set_var("BROLGA_CLANG", &clang);
        std::env::set_var("BROLGA_CACHE", "0");
        std::env::remove_var("BROLGA_FRONTEND");
    }
    assert!(source::clang().is_ok(), "by its name it is a clang");
    let options = Options::default();
    let compile = |source: &[u8]| {
        source::compile(&SourceRequest {
            source,
            headers: &[],
            options: &options,
            features: Features::default(),
        })
    };
    let compiled = compile(b"kernel void k(global int *a) { a[get_global_id(0)] = 2; }");
    // What it refuses is refused in its words: that the other can't be run is not what is wrong.
    let refused = compile(b"kernel void k(global int *a) { a[0] = nothing; }");
    std::fs::remove_dir_all(&directory).unwrap();
    assert_eq!(compiled.unwrap_or_else(|error| panic!("{}", error.log)).by, Frontend::Own);
    let log = refused.unwrap_err().log;
    assert!(
        log.contains("use of undeclared identifier 'nothing'") && !log.contains("clang"),
        "{log}"
    );
}
