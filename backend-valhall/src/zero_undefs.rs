//! Zeros in place of undefined values.
//!
//! Needs: virtual registers. Keeps: blocks, edges, definitions. Leaves no `p_undef`.

use gpucc_mir::{MFunc, Pseudo, Use};

use crate::builders::MovI32;
use crate::inst::Valhall;

/// Gives undefined values zeros: what reads them may be a select that throws them away, yet a register that nobody wrote must not
/// be read.
pub fn run(mf: &mut MFunc<Valhall>) -> u64 {
    let mut count = 0;
    for insts in &mut mf.code {
        if !insts.iter().any(|i| i.is(Pseudo::Undef)) {
            continue;
        }
        let old = std::mem::take(insts);
        for i in old {
            if i.is(Pseudo::Undef) {
                count += 1;
                insts.extend(i.vreg_defs().map(|d| MovI32.on([Use::imm(0)]).def(d).at(i.loc)));
            } else {
                insts.push(i);
            }
        }
    }
    count
}
