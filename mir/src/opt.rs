//! Clean-up before allocation: copies, collects and splits that cancel, dead code, dead parameters.
//!
//! Needs: each virtual register defined once. Keeps: blocks and edges.

use crate::func::MFunc;
use crate::inst::{MInst, Opcode, Pseudo, VReg};
use crate::target::Target;

/// Removes instructions and parameters that nothing with an effect needs. Returns how many.
pub fn dce<T: Target>(mf: &mut MFunc<T>, t: &T) -> usize {
    let n = mf.classes.len();
    // Definition of each register: an instruction, or a parameter of a block.
    let mut def_inst: Vec<Option<(u32, u32)>> = vec![None; n];
    let mut def_param: Vec<Option<(u32, u32)>> = vec![None; n];
    let mut incoming: Vec<Vec<VReg>> = vec![Vec::new(); n];
    let mut live_inst: Vec<Vec<bool>> = Vec::with_capacity(mf.blocks.len());
    let mut live = vec![false; n];
    let mut work: Vec<VReg> = Vec::new();
    for (b, block) in mf.blocks.iter().enumerate() {
        for (k, v) in block.params.iter().enumerate() {
            def_param[v.0 as usize] = Some((b as u32, k as u32));
        }
        for e in block.all_succs() {
            for (&a, &q) in e.args.iter().zip(&mf.blocks[e.to.0 as usize].params) {
                if !a.is_none() {
                    incoming[q.0 as usize].push(a);
                }
            }
        }
        let mut keep = vec![false; block.insts.len()];
        for (k, i) in block.insts.iter().enumerate() {
            for v in i.vreg_defs() {
                def_inst[v.0 as usize] = Some((b as u32, k as u32));
            }
            keep[k] = match i.op {
                Opcode::Pseudo(p) => {
                    matches!(p, Pseudo::LogicalStart | Pseudo::LogicalEnd) || i.defs.iter().any(|d| d.phys().is_some())
                }
                Opcode::Op(_) => !t.info(i).can_dce() || i.defs.iter().any(|d| d.phys().is_some()),
            };
            if keep[k] {
                work.extend(i.vreg_uses());
            }
        }
        live_inst.push(keep);
    }
    while let Some(v) = work.pop() {
        let v = v.0 as usize;
        if std::mem::replace(&mut live[v], true) {
            continue;
        }
        if let Some((b, k)) = def_inst[v] {
            let (b, k) = (b as usize, k as usize);
            if !std::mem::replace(&mut live_inst[b][k], true) {
                work.extend(mf.blocks[b].insts[k].vreg_uses());
            }
        } else {
            work.extend_from_slice(&incoming[v]);
        }
    }
    let mut removed = 0;
    let dead: Vec<Vec<bool>> =
        mf.blocks.iter().map(|b| b.params.iter().map(|v| !live[v.0 as usize]).collect()).collect();
    for (block, keep) in mf.blocks.iter_mut().zip(&live_inst) {
        let before = block.insts.len();
        let mut k = 0;
        block.insts.retain(|_| {
            k += 1;
            keep[k - 1]
        });
        removed += before - block.insts.len();
        for i in &mut block.insts {
            if i.is(Pseudo::Start) || i.is(Pseudo::Undef) {
                i.defs.retain(|d| d.vreg().is_none_or(|v| live[v.0 as usize]));
            }
        }
        let before = block.params.len();
        block.params.retain(|v| live[v.0 as usize]);
        removed += before - block.params.len();
        for e in block.all_succs_mut() {
            let mut k = 0;
            e.args.retain(|_| {
                k += 1;
                !dead[e.to.0 as usize].get(k - 1).copied().unwrap_or(false)
            });
        }
    }
    removed
}

/// Replaces copies of registers of one class by their source, and splits of collects by the collected registers.
/// Run [`dce`] after it. Returns how many registers were replaced.
pub fn copy_prop<T: Target>(mf: &mut MFunc<T>, t: &T) -> usize {
    let n = mf.classes.len();
    let mut replace: Vec<VReg> = (0..n as u32).map(VReg).collect();
    let mut collected: Vec<Option<(u32, u32)>> = vec![None; n];
    for (b, block) in mf.blocks.iter().enumerate() {
        for (k, i) in block.insts.iter().enumerate() {
            if i.is(Pseudo::Collect)
                && let Some(d) = i.defs.first().and_then(|d| d.vreg())
            {
                collected[d.0 as usize] = Some((b as u32, k as u32));
            }
        }
    }
    let plain = |i: &MInst<T>| i.defs.iter().all(|d| d.fixed.is_none()) && i.uses.iter().all(|u| u.fixed.is_none());
    let same = |mf: &MFunc<T>, a: VReg, b: VReg| {
        let (a, b) = (&t.classes()[mf.class(a).0 as usize], &t.classes()[mf.class(b).0 as usize]);
        a.file == b.file && a.shape == b.shape
    };
    let mut changed = 0;
    let find = |replace: &[VReg], mut v: VReg| {
        while replace[v.0 as usize] != v {
            v = replace[v.0 as usize];
        }
        v
    };
    for block in &mf.blocks {
        for i in block.insts.iter().filter(|i| plain(i)) {
            if i.is(Pseudo::Copy) {
                for (d, u) in i.defs.iter().zip(&i.uses) {
                    if let (Some(d), Some(s), None) = (d.vreg(), u.vreg(), u.part)
                        && u.mods == T::SrcMods::default()
                        && same(mf, d, s)
                    {
                        replace[d.0 as usize] = find(&replace, s);
                        changed += 1;
                    }
                }
            } else if i.is(Pseudo::Split)
                && let Some(s) = i.uses[0].vreg().filter(|_| i.uses[0].part.is_none())
                && let Some((b, k)) = collected[find(&replace, s).0 as usize]
            {
                let c = &mf.blocks[b as usize].insts[k as usize];
                let parts: Vec<Option<VReg>> =
                    c.uses.iter().map(|u| u.vreg().filter(|_| u.part.is_none() && u.fixed.is_none())).collect();
                let fits = parts.len() == i.defs.len()
                    && i.defs.iter().zip(&parts).all(|(d, s)| match (d.vreg(), s) {
                        (Some(d), Some(s)) => same(mf, d, *s),
                        _ => false,
                    });
                if fits {
                    for (d, s) in i.vreg_defs().zip(parts.into_iter().flatten()) {
                        replace[d.0 as usize] = find(&replace, s);
                        changed += 1;
                    }
                }
            }
        }
    }
    if changed > 0 {
        mf.map_uses(|v| find(&replace, v));
    }
    changed
}
