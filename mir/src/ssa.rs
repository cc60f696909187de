//! Registers with several definitions become values: each definition gets a register of its own, joined by block
//! parameters along the graph of the register's file.
//!
//! Needs: every block after one of its predecessors. Keeps: blocks and edges; adds parameters and arguments. A use that no
//! definition reaches on some path reads anything there.

use gpucc_regalloc::Cfg;

use crate::func::MFunc;
use crate::inst::{Def, MInst, Pseudo, Reg, Src, VReg};
use crate::target::Target;

/// Rewrites the registers `vars`. Returns how many parameters were added.
pub fn construct<T: Target>(mf: &mut MFunc<T>, t: &T, vars: &[VReg]) -> usize {
    let n = mf.blocks.len();
    let mut index: Vec<Option<u32>> = vec![None; mf.classes.len()];
    for (k, v) in vars.iter().enumerate() {
        index[v.0 as usize] = Some(k as u32);
    }
    let cfg_of = |mf: &MFunc<T>, v: VReg| t.files()[t.classes()[mf.class(v).0 as usize].file as usize].cfg;
    let cfgs: Vec<Cfg> = vars.iter().map(|&v| cfg_of(mf, v)).collect();
    let mut preds: [Vec<Vec<usize>>; 2] = [vec![Vec::new(); n], vec![Vec::new(); n]];
    for (b, block) in mf.blocks.iter().enumerate() {
        for (cfg, preds) in [Cfg::Logical, Cfg::Linear].into_iter().zip(&mut preds) {
            for e in block.succs(cfg) {
                preds[e.to.0 as usize].push(b);
            }
        }
    }
    let preds_of = |k: usize| &preds[usize::from(cfgs[k] == Cfg::Linear)];
    // Where each one is asked for before it is defined, and where it is defined.
    let (mut exposed, mut defined) = (vec![Vec::new(); vars.len()], vec![vec![false; n]; vars.len()]);
    for (b, block) in mf.blocks.iter().enumerate() {
        for i in &block.insts {
            for k in i.vreg_uses().filter_map(|v| index[v.0 as usize]) {
                if !defined[k as usize][b] && exposed[k as usize].last() != Some(&b) {
                    exposed[k as usize].push(b);
                }
            }
            for k in i.vreg_defs().filter_map(|v| index[v.0 as usize]) {
                defined[k as usize][b] = true;
            }
        }
    }
    // Parameters where the register is live in and ways meet; `from[k][b]` is the value at the start of the block.
    let mut out: Vec<Vec<VReg>> = vec![vec![VReg::NONE; n]; vars.len()];
    let mut params: Vec<Vec<(u32, VReg)>> = vec![Vec::new(); n];
    let mut live_in: Vec<Vec<bool>> = Vec::with_capacity(vars.len());
    let mut undef: Vec<VReg> = vec![VReg::NONE; vars.len()];
    for k in 0..vars.len() {
        let mut live = vec![false; n];
        let mut work = exposed[k].clone();
        while let Some(b) = work.pop() {
            if std::mem::replace(&mut live[b], true) {
                continue;
            }
            work.extend(preds_of(k)[b].iter().copied().filter(|&q| !defined[k][q]));
        }
        let class = mf.class(vars[k]);
        for b in (0..n).filter(|&b| live[b] && preds_of(k)[b].len() > 1) {
            let v = mf.vreg(class);
            params[b].push((k as u32, v));
        }
        if live[0] {
            undef[k] = mf.vreg(class);
        }
        live_in.push(live);
    }
    for b in 0..n {
        let mut now: Vec<VReg> = (0..vars.len())
            .map(|k| match preds_of(k)[b].as_slice() {
                _ if !live_in[k][b] => VReg::NONE,
                [] => undef[k],
                [q] => out[k][*q],
                _ => params[b].iter().find(|p| p.0 == k as u32).map_or(VReg::NONE, |p| p.1),
            })
            .collect();
        let mut insts = std::mem::take(&mut mf.blocks[b].insts);
        for i in &mut insts {
            for u in &mut i.uses {
                if let Src::Reg(Reg::V(v)) = &mut u.src
                    && let Some(k) = index[v.0 as usize]
                {
                    *v = now[k as usize];
                }
            }
            for d in &mut i.defs {
                if let Reg::V(v) = &mut d.reg
                    && let Some(k) = index[v.0 as usize]
                {
                    let new = mf.vreg(mf.class(*v));
                    now[k as usize] = new;
                    *v = new;
                }
            }
        }
        mf.blocks[b].insts = insts;
        for (k, v) in now.into_iter().enumerate() {
            out[k][b] = v;
        }
    }
    // A parameter that is the same whatever way one comes is that value.
    let mut same: Vec<VReg> = (0..mf.classes.len() as u32).map(VReg).collect();
    let find = |same: &[VReg], mut v: VReg| {
        while !v.is_none() && same[v.0 as usize] != v {
            v = same[v.0 as usize];
        }
        v
    };
    loop {
        let mut changed = false;
        for (b, list) in params.iter_mut().enumerate() {
            list.retain(|&(k, v)| {
                let mut only = None;
                for &q in &preds_of(k as usize)[b] {
                    let a = find(&same, out[k as usize][q]);
                    if a != v && only.replace(a).is_some_and(|o| o != a) {
                        return true;
                    }
                }
                same[v.0 as usize] = only.unwrap_or(v);
                changed = true;
                false
            });
        }
        if !changed {
            break;
        }
    }
    for u in mf.blocks.iter_mut().flat_map(|b| &mut b.insts).flat_map(|i| &mut i.uses) {
        if let Src::Reg(Reg::V(v)) = &mut u.src {
            *v = find(&same, *v);
        }
    }
    let added = params.iter().map(Vec::len).sum();
    for (b, block) in mf.blocks.iter_mut().enumerate() {
        let differ = block.linear.is_some();
        let lists = [(Cfg::Logical, Some(&mut block.succs)), (Cfg::Linear, block.linear.as_mut())];
        for (cfg, edges) in lists {
            for e in edges.into_iter().flatten() {
                for &(k, _) in &params[e.to.0 as usize] {
                    let here = !differ || cfgs[k as usize] == cfg;
                    let v = out[k as usize][b];
                    e.args.push(if here { find(&same, v) } else { VReg::NONE });
                }
            }
        }
    }
    for (b, list) in params.iter().enumerate() {
        mf.blocks[b].params.extend(list.iter().map(|p| p.1));
    }
    let missing: Vec<Def> = undef.iter().filter(|v| !v.is_none()).map(|&v| Def::reg(v)).collect();
    if !missing.is_empty() {
        let mut i = MInst::pseudo(Pseudo::Undef);
        i.defs.extend(missing);
        let at = usize::from(mf.blocks[0].insts.first().is_some_and(|i| i.is(Pseudo::Start)));
        mf.blocks[0].insts.insert(at, i);
    }
    added
}
