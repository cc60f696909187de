//! Tests of `sim/src/dispatch.rs`.

use gpucc_sim::dispatch::*;
use gpucc_sim::trap::TrapKind;

#[test]
fn missing_and_short_buffers_are_named() {
    let d = Dispatch::new([1, 1, 1]).with_u32(0, 1, &[1, 2]);
    assert_eq!(d.require(0, 1, 8), Ok(0));
    assert!(d.require(0, 1, 12).unwrap_err().message.contains("group 0 binding 1 has 8 bytes"));
    assert!(d.require(1, 0, 0).unwrap_err().message.contains("no buffer is bound at group 1 binding 0"));
    assert_eq!(d.words(0, 1), Some(vec![1, 2]));
}

#[test]
fn steps_run_out() {
    let mut s = StepBudget::new(&RunOptions { step_limit: 40, ..RunOptions::default() });
    assert!(s.charge(32).is_ok() && s.charge(1).is_ok());
    assert_eq!(s.charge(1).unwrap_err().kind, TrapKind::StepLimit);
    assert_eq!(s.used(), 40);
}
