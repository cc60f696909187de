//! Machine passes on small texts: what each makes of code that it is for, and that it leaves other code alone.

#[path = "../../tests/support/mir.rs"]
mod support;

use gpucc_tesla::TeslaFamily;

#[test]
fn passes_change_what_they_should() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mir");
    support::check::<TeslaFamily>(folder.as_ref(), |name, text| insta::assert_snapshot!(name, text));
}
