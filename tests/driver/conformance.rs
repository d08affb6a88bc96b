//! The runner of conformance tests (`conformance.py`), on a suite of our own that has a test of each fate.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program as the suite's are: it lists its tests, runs those that are named or all, and writes what came of them if it comes to its end.
const PROGRAM: &str = r#"#!/bin/sh
[ "$1" = --list ] && { printf '\tgood\n\tbad\n\tcrashing\n\tleft_out\n\thanging\n\tendless\n\t3D\n'; exit; }
[ "${CL_WIMPY_MODE:-}" = 1 ] || exit 1
echo run >> runs
[ "$1" = -w ] && set -- good bad crashing left_out hanging endless 3D
results=
for test in "$@"; do
    case $test in
    -w) continue ;;
    good | 3D) echo "$test..."; echo "$test passed"; results="$results\"$test\": \"pass\", " ;;
    bad) echo "$test..."; echo "$test FAILED"; results="$results\"$test\": \"fail\", " ;;
    left_out) echo "$test..."; echo "$test skipped"; results="$results\"$test\": \"skip\", " ;;
    crashing) echo "$test..."; kill -SEGV $$ ;;
    hanging) echo "$test..."; sleep 1000 ;;
    endless) echo "$test..."; while :; do :; done ;;
    esac
done
printf '{"results": {%s}}' "${results%, }" > "$CL_CONFORMANCE_RESULTS_FILENAME"
"#;

fn suite(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    let programs = folder.join("test_conformance");
    fs::create_dir_all(programs.join("one")).expect("a folder");
    let list = "# A comment\nOne of each,one/test_one\nGood ones, one/test_one good 3D\nCL_DEVICE_TYPE_GPU, Not ours,one/test_one\nNot built,two/test_two\n";
    fs::write(programs.join("opencl_conformance_tests_full.csv"), list).expect("a file");
    let program = programs.join("one/test_one");
    fs::write(&program, PROGRAM).expect("a file");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("a file that can be run");
    fs::write(folder.join("library"), "a library").expect("a file");
    folder
}

fn run(suite: &Path, more: &[&str]) -> (bool, String) {
    let runner = Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance.py");
    let output = Command::new("python3")
        .arg(runner)
        .arg(suite)
        .args(["--test-limit", "1", "--stall", "8", "--library"])
        .arg(suite.join("library"))
        .arg("--out")
        .arg(suite.join("out"))
        .args(more)
        .output()
        .expect("python3 runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.success(), text)
}

fn runs(suite: &Path) -> usize {
    let text = fs::read_to_string(suite.join("test_conformance/one/runs")).unwrap_or_default();
    text.lines().count()
}

#[test]
fn each_fate_of_a_test_is_told_and_the_rest_runs() {
    let suite = suite("conformance-fates");
    let (good, text) = run(&suite, &[]);
    assert!(!good, "it should say that tests failed: {text}");
    let row = |name: &str| {
        let row = text
            .lines()
            .find(|line| line.starts_with(&format!("| {name} |")))
            .unwrap_or_else(|| panic!("{name}: {text}"));
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        cells[2..8].join(" ")
    };
    // pass, fail, skip, crash, timeout, unknown.
    assert_eq!(row("One of each"), "2 1 1 1 2 0");
    assert_eq!(row("Good ones"), "2 0 0 0 0 0");
    assert_eq!(row("**all**"), "4 1 1 1 2 0");
    for said in ["One of each: bad: fail", "One of each: crashing: crash"] {
        assert!(text.contains(said), "{said}: {text}");
    }
    assert!(
        !text.contains("Not ours") && text.contains("Not run: Not built (not built)."),
        "{text}"
    );
}

#[test]
fn what_is_recorded_of_a_library_is_not_run_again() {
    let suite = suite("conformance-resumed");
    let (good, text) = run(&suite, &["--only", "Good"]);
    assert!(good, "{text}");
    assert_eq!(runs(&suite), 1);
    let (good, again) = run(&suite, &["--only", "Good"]);
    assert!(good && again.contains("| Good ones | 2 |"), "{again}");
    assert_eq!(runs(&suite), 1, "it has run again");
    fs::write(suite.join("library"), "another").expect("a file");
    run(&suite, &["--only", "Good"]);
    assert_eq!(runs(&suite), 2, "another library's results were taken");
}

#[test]
fn a_worse_run_is_told_from_an_earlier_one() {
    let suite = suite("conformance-compared");
    let earlier = suite.join("earlier");
    fs::create_dir_all(&earlier).expect("a folder");
    fs::write(
        earlier.join("one-of-each.json"),
        r#"{"tests": {"good": "pass", "bad": "pass", "3D": "fail"}}"#,
    )
    .expect("a file");
    let (good, text) = run(&suite, &["--only", "each", "--compare", &earlier.display().to_string()]);
    assert!(!good);
    assert!(text.contains("One of each: bad: pass, now fail"), "{text}");
    assert!(text.contains("One of each: 3D: fail, now pass"), "{text}");
    assert!(!text.contains("good: pass"), "{text}");
}
