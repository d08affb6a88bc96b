//! Random commands on several threads, every result checked; `--bin soak` does it for longer.

use brolga_tests::soak;

#[test]
fn random_commands_of_several_threads() {
    let done = soak::run(8, 16_000, 7);
    assert!(done.commands >= 16_000 && done.failures > 0 && done.callbacks > 0, "{done:?}");
}
