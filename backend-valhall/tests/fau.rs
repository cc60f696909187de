//! Tests of `backend-valhall/src/fau.rs`.

use gpucc_mir::{Def, MInst, Use, VReg};
use gpucc_valhall::fau::excess;
use gpucc_valhall::inst::{VOp, Valhall};
use gpucc_valhall_machine::Op;

#[test]
fn a_constant_is_no_uniform_whatever_its_bits() {
    let choose = |constants: [u32; 2]| {
        let [a, b] = constants.map(Use::imm);
        let i: MInst<Valhall> = MInst::new(VOp::Op(Op::CselU32)).def(Def::reg(VReg(0)));
        excess(&i.arg(VReg(1)).arg(Use::uniform(0)).arg(a).arg(b))
    };
    assert_eq!(choose([0x4000_0000, 0]).len(), 1, "a uniform and two constants are three words");
    assert!(choose([0x4000_0000, 0x4000_0000]).is_empty(), "and these are two");
}
