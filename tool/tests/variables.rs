//! The table of environment variables and what reads them agree.

use std::collections::BTreeSet;
use std::path::Path;
use vendors::variables::VARIABLES;

/// Names between quotes, in the arguments of what reads variables.
fn read_in(text: &str, names: &mut BTreeSet<String>) {
    for reader in ["env::var(\"", "env::var_os(\"", "variable(\"", "number(\""] {
        for (at, _) in text.match_indices(reader) {
            let name = text[at + reader.len()..].split('"').next().unwrap_or_default();
            if name.starts_with("BROLGA_") && !name.starts_with("BROLGA_TEST_") {
                names.insert(name.to_owned());
            }
        }
    }
}

fn read_below(directory: &Path, names: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(directory).expect("a directory").flatten() {
        let path = entry.path();
        if path.is_dir() {
            read_below(&path, names);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            read_in(&std::fs::read_to_string(&path).expect("a file"), names);
        }
    }
}

#[test]
fn each_variable_that_is_read_is_in_the_table_and_the_other_way_round() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let mut read = BTreeSet::new();
    for package in ["api", "compiler", "device", "icd", "tests", "vendors"] {
        read_below(&root.join(package), &mut read);
    }
    let listed: BTreeSet<String> = VARIABLES.iter().map(|variable| variable.name.to_owned()).collect();
    assert_eq!(read, listed);
}
