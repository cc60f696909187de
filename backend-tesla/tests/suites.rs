//! The default generation under the suites that all families share: file tests, examples, random programs and programs of others
//! with their results.

use crate::common::device;
use gpucc_kit::exec::On;
use gpucc_kit::suite::{cases, random_count, report, run_cases, run_examples, run_file_tests, run_random};

#[test]
fn file_tests() {
    let (failures, refused) = run_file_tests(&[device()]);
    println!("{refused}");
    report(&failures);
}

/// Other generations are run by the suites over all families, which have the oracle judge them as well.
#[test]
fn examples() {
    report(&run_examples(&[device()], &[0, 2], |_, _, _, _, _| Ok(())));
}

#[test]
fn random_programs() {
    report(&run_random(&[On::Machine(device())], random_count()));
}

/// Skipped without the shared folder.
#[test]
fn programs_of_others() {
    report(&run_cases(&cases("conformance/programs.json"), &[On::Machine(device())], &[0, 2], Some(0)));
}
