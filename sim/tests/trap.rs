//! Tests of `sim/src/trap.rs`.

use gpucc_sim::trap::*;

#[test]
fn display_names_everything_and_keeps_the_first_place() {
    let t = Trap::new(TrapKind::Poison, "r1 is still in flight")
        .at(0x18, || "IADD r2, r1, r0".into())
        .at(0x20, || "other".into())
        .in_workgroup([1, 0, 2])
        .in_lane(5);
    assert_eq!(t.to_string(), "poison: r1 is still in flight at 0x18 in `IADD r2, r1, r0`, workgroup 1,0,2, lane 5");
}
