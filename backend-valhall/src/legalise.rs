//! Moves operands that break the operand limits (reference, section 7.1) to registers.
//!
//! Needs: virtual registers, uniforms in their places. Keeps: blocks and edges. Leaves: only instructions that can be encoded.

use gpucc_mir::{Def, MFunc, MInst, Reg, Src, Use};

use crate::builders::MovI32;
use crate::fau;
use crate::forms::is_wide;
use crate::inst::{R, R2, Valhall};

/// Moves operands that break the operand limits (7.1) to registers.
pub fn run(mf: &mut MFunc<Valhall>) -> u64 {
    let mut count = 0;
    for b in 0..mf.blocks.len() {
        // Most blocks are legal as they are.
        let Some(first) = mf.code[b].iter().position(|i| !fau::excess(i).is_empty()) else { continue };
        let mut new = std::mem::take(&mut mf.code[b]);
        for mut i in new.split_off(first) {
            for k in fau::excess(&i) {
                count += 1;
                let u = i.uses[k];
                let mut word = |src: Src| {
                    let t = mf.vreg(R);
                    new.push(MovI32.on([Use::new(src)]).def(Def::reg(t)).at(i.loc));
                    t
                };
                let moved = match u.src {
                    Src::Uniform(n) if is_wide(&i, k) => {
                        let (lo, hi) = (word(Src::Uniform(n)), word(Src::Uniform(n + 1)));
                        let pair = mf.vreg(R2);
                        new.push(MInst::collect(pair, [Use::reg(lo), Use::reg(hi)]).at(i.loc));
                        pair
                    }
                    src => word(src),
                };
                i.uses[k].src = Src::Reg(Reg::V(moved));
            }
            new.push(i);
        }
        mf.code[b] = new;
    }
    count
}
