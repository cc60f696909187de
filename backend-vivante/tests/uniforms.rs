//! Tests of `backend-vivante/src/uniforms.rs`.

use gpucc_vivante::uniforms::*;
use smallvec::smallvec;

#[test]
fn sets_share_registers_and_each_lies_in_one() {
    let c = Word::Const;
    let sets: Vec<Words> = vec![
        smallvec![c(1), c(2)],
        smallvec![c(2), c(3), c(4)],
        smallvec![c(5)],
        smallvec![c(1), c(2)],
        smallvec![c(6), c(7), c(8), c(9)],
    ];
    let l = Layout::new(sets.clone());
    for s in &sets {
        assert!(l.find(s).is_some(), "{s:?}");
    }
    // {6,7,8,9}, {2,3,4,5}, {1,2}: five joins the register with room left for one... or the last one.
    assert_eq!(l.registers.len(), 3);
}
