//! Machine passes on small texts: what each makes of code that it is for, and that it leaves other code alone. Their texts, faults
//! and switches.

#[path = "../../tests/support/mir.rs"]
mod support;

use gpucc_vivante::{VIVANTE, VivanteFamily};

#[test]
fn passes_change_what_they_should() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/mir");
    support::check::<VivanteFamily>(folder.as_ref(), |name, text| insta::assert_snapshot!(name, text));
}

#[test]
fn faults_have_a_place() {
    support::check_faults::<VivanteFamily>();
}

#[test]
fn dumps_read_back_and_fuel_stops_one_pass() {
    support::check_dumps_and_fuel::<VivanteFamily>(&VIVANTE);
}

#[test]
fn each_pass_has_a_dump_a_time_and_fuel() {
    support::check_passes::<VivanteFamily>(&VIVANTE);
}
