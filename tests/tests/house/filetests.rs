//! Every file under `tests/filetests` on the oracle. `backend-X/tests/suites.rs` runs them on the machines, judged by the
//! expectation in the file, too.

use gpucc_kit::suite;

#[test]
fn oracle() {
    let tests = suite::file_tests();
    let failures: Vec<String> =
        tests.iter().filter_map(|(name, test)| test.on_oracle().err().map(|e| format!("{name}: {e}"))).collect();
    suite::report(&failures);
}
