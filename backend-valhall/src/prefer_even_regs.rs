//! Makes registers whose low word a 64-bit operand takes even from the start.
//!
//! Needs: each virtual register defined once. Keeps: blocks, edges, instructions. The copies that selection made into even
//! registers become copies within a class, which copy propagation removes.

use gpucc_mir::{MFunc, Opcode, Pseudo, VReg};

use crate::inst::{R, RE, Valhall};

/// Makes registers whose low word a 64-bit operand takes even from the start, so that no copy is needed. Returns how
/// many there are.
pub fn run(mf: &mut MFunc<Valhall>) -> u64 {
    let mut preferred: Vec<VReg> = Vec::new();
    let mut bound = vec![false; mf.classes.len()];
    for i in mf.code.iter().flatten() {
        match i.op {
            Opcode::Pseudo(Pseudo::Copy) => {
                for (d, u) in i.defs.iter().zip(&i.uses) {
                    if let (Some(d), Some(v), None) = (d.vreg(), u.vreg(), u.part_read())
                        && mf.class(d) == RE
                    {
                        preferred.push(v);
                    }
                }
            }
            // Pieces of runs lie where the run lies; preloads where the hardware puts them.
            Opcode::Pseudo(Pseudo::Split) => i.vreg_defs().for_each(|v| bound[v.0 as usize] = true),
            Opcode::Pseudo(Pseudo::Start) => {
                for d in &i.defs {
                    let odd = d.fixed().is_some_and(|p| p.base() % 2 == 1);
                    if let (Some(v), true) = (d.vreg(), odd) {
                        bound[v.0 as usize] = true;
                    }
                }
            }
            _ => {}
        }
    }
    preferred.retain(|&v| mf.class(v) == R && !bound[v.0 as usize]);
    for v in &preferred {
        mf.classes[v.0 as usize] = RE;
    }
    preferred.len() as u64
}
