//! Tests of `backend-tesla/src/slots.rs`.

use gpucc_tesla::slots::*;
use gpucc_tesla_machine::SharedTy;

#[test]
fn slots_round_trip() {
    for s in [
        Slot::Pool(17),
        Slot::Const(3, 0x1fc),
        Slot::Shared(SharedTy::U16, 0xc),
        Slot::Shared(SharedTy::B32, 0x14),
        Slot::SharedAt(SharedTy::B32, 0x7c),
    ] {
        assert_eq!(Slot::unpack(s.pack()), s);
    }
}
