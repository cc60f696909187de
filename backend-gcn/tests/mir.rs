//! Machine passes on small texts: what each makes of code that it is for, and that it leaves other code alone. Their texts, faults
//! and switches.

#[path = "../../tests/support/mir.rs"]
mod support;

use gpucc_gcn::{GCN, GcnFamily};

#[test]
fn passes_change_what_they_should() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/mir");
    support::check::<GcnFamily>(folder.as_ref(), |name, text| insta::assert_snapshot!(name, text));
}

#[test]
fn faults_have_a_place() {
    support::check_faults::<GcnFamily>();
}

#[test]
fn dumps_read_back_and_fuel_stops_one_pass() {
    support::check_dumps_and_fuel::<GcnFamily>(&GCN);
}

#[test]
fn each_pass_has_a_dump_a_time_and_fuel() {
    support::check_passes::<GcnFamily>(&GCN);
}
