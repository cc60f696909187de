//! Fences that other workgroups see become eight loads from the fence region, each at the address that the one before gave
//! (docs/abi-tesla.md section 4).
//!
//! Needs: physical registers. Keeps: the order of blocks.

use gpucc_mir::{Def, MFunc, MInst, Use};
use gpucc_tesla_machine::Ty;

use crate::builders as build;
use crate::inst::{Of, Space, TOp, Tesla, zero};

/// The window of the fence region.
const REGION: u8 = 15;
/// Loads of a fence.
const LOADS: usize = 8;

/// Returns how many there were.
pub fn run(mf: &mut MFunc<Tesla>) -> u64 {
    let is_fence = |i: &MInst<Tesla>| i.target_op() == Some(TOp::DeviceFence);
    let mut count = 0;
    for insts in mf.code.iter_mut().filter(|insts| insts.iter().any(is_fence)) {
        for i in std::mem::take(insts) {
            if !is_fence(&i) {
                insts.push(i);
                continue;
            }
            let Some(r) = i.defs[0].phys() else { unreachable!("{i:?} before the allocation") };
            insts.push(build::Mov.on([zero()]).def(Def::preg(r)).at(i.loc));
            let load = build::LdG.with((Space(REGION), Of(Ty::B32)), [Use::preg(r)]).def(Def::preg(r)).at(i.loc);
            insts.extend(std::iter::repeat_n(load, LOADS));
            count += 1;
        }
    }
    count
}
