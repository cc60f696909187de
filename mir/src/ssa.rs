//! Registers with several definitions become values: each definition gets a register of its own, joined by block
//! parameters along the graph of the register's file.
//!
//! Needs: every block after one of its predecessors. Keeps: blocks and edges; adds parameters and arguments. A use that no
//! definition reaches on some path reads anything there.

use gpucc_regalloc::{Cfg, CsrLists};

use crate::func::MFunc;
use crate::inst::{Def, MInst, Pseudo, Reg, Src, Target, VReg};

/// Rewrites the registers `vars`. Returns how many parameters were added.
pub fn construct<T: Target>(mf: &mut MFunc<T>, t: &T, vars: &[VReg]) -> usize {
    let n = mf.blocks.len();
    let mut index: Vec<Option<u32>> = vec![None; mf.classes.len()];
    for (k, v) in vars.iter().enumerate() {
        index[v.0 as usize] = Some(k as u32);
    }
    let cfg_of = |mf: &MFunc<T>, v: VReg| t.files()[t.classes()[mf.class(v).0 as usize].file as usize].cfg;
    let cfgs: Vec<Cfg> = vars.iter().map(|&v| cfg_of(mf, v)).collect();
    // Of the graphs that are asked for.
    let preds = [Cfg::Logical, Cfg::Linear].map(|cfg| {
        let n = if cfgs.contains(&cfg) { n } else { 0 };
        CsrLists::new(n, 0, |f| {
            for (b, block) in mf.blocks.iter().enumerate().take(n) {
                block.succs(cfg).iter().for_each(|e| f(e.to.0 as usize, b as u32));
            }
        })
    });
    let preds_of = |k: usize| &preds[usize::from(cfgs[k] == Cfg::Linear)];
    let (exposed, defined) = mentions(mf, &index, vars.len());
    // Parameters where the register is live in and ways meet. Only blocks in which a register is live or defined are visited
    // for it: there may be as many registers as blocks.
    let mut params: Vec<(u32, (u32, VReg))> = Vec::new();
    let mut live_in: Vec<(u32, u32)> = Vec::new();
    let mut undef: Vec<VReg> = vec![VReg::NONE; vars.len()];
    let (mut live_for, mut defined_for) = (vec![u32::MAX; n], vec![u32::MAX; n]);
    let (mut work, mut live): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
    for k in 0..vars.len() {
        let k32 = k as u32;
        defined[k].iter().for_each(|&b| defined_for[b as usize] = k32);
        work.extend_from_slice(&exposed[k]);
        live.clear();
        while let Some(b) = work.pop() {
            if std::mem::replace(&mut live_for[b as usize], k32) == k32 {
                continue;
            }
            live.push(b);
            work.extend(preds_of(k)[b as usize].iter().copied().filter(|&q| defined_for[q as usize] != k32));
        }
        live.sort_unstable();
        let class = mf.class(vars[k]);
        for &b in &live {
            live_in.push((b, k32));
            if preds_of(k)[b as usize].len() > 1 {
                params.push((b, (k32, mf.vreg(class))));
            }
        }
        if live.first() == Some(&0) {
            undef[k] = mf.vreg(class);
        }
    }
    // The values at the end of each block of those registers that are live in or defined there, in order.
    let live_in = by_first(&live_in, n);
    let mut params = CsrLists::new(n, (0, VReg::NONE), |f| params.iter().for_each(|&(b, param)| f(b as usize, param)));
    let mut out: CsrLists<(u32, VReg)> = CsrLists::default();
    let mut touched: Vec<u32> = Vec::new();
    let find_in =
        |list: &[(u32, VReg)], k: u32| list.binary_search_by_key(&k, |e| e.0).map_or(VReg::NONE, |at| list[at].1);
    let mut now = vec![VReg::NONE; vars.len()];
    for b in 0..n {
        touched.clear();
        touched.extend_from_slice(&live_in[b]);
        for &k in &touched {
            now[k as usize] = match &preds_of(k as usize)[b] {
                [] => undef[k as usize],
                [q] => find_in(&out[*q as usize], k),
                _ => find_in(&params[b], k),
            };
        }
        let mut insts = std::mem::take(&mut mf.code[b]);
        // All of them: what walks past the others in steps of any length waits for each that it touches.
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
                    touched.push(k);
                }
            }
        }
        mf.code[b] = insts;
        touched.sort_unstable();
        touched.dedup();
        out.push(touched.iter().map(|&k| (k, std::mem::replace(&mut now[k as usize], VReg::NONE))));
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
        for b in 0..n {
            for (k, v) in params.list_mut(b).iter_mut().filter(|p| !p.1.is_none()) {
                let mut only = None;
                let differ = preds_of(*k as usize)[b].iter().any(|&q| {
                    let a = find(&same, find_in(&out[q as usize], *k));
                    a != *v && only.replace(a).is_some_and(|o| o != a)
                });
                if !differ {
                    same[v.0 as usize] = only.unwrap_or(*v);
                    // It is gone.
                    *v = VReg::NONE;
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    mf.code.iter_mut().flatten().for_each(|i| i.map_uses(|v| find(&same, v)));
    let of = |to: usize| params[to].iter().filter(|p| !p.1.is_none());
    let mut added = 0;
    for (b, block) in mf.blocks.iter_mut().enumerate() {
        let differ = block.linear.is_some();
        let lists = [(Cfg::Logical, Some(&mut block.succs)), (Cfg::Linear, block.linear.as_mut())];
        for (cfg, edges) in lists {
            for e in edges.into_iter().flatten() {
                for &(k, _) in of(e.to.0 as usize) {
                    let here = !differ || cfgs[k as usize] == cfg;
                    let v = find_in(&out[b], k);
                    e.args.push(if here { find(&same, v) } else { VReg::NONE });
                }
            }
        }
    }
    for (b, block) in mf.blocks.iter_mut().enumerate() {
        let before = block.params.len();
        block.params.extend(of(b).map(|p| p.1));
        added += block.params.len() - before;
    }
    let missing: Vec<Def> = undef.iter().filter(|v| !v.is_none()).map(|&v| Def::reg(v)).collect();
    if !missing.is_empty() {
        let mut i = MInst::pseudo(Pseudo::Undef);
        i.defs.extend(missing);
        let at = usize::from(mf.code[0].first().is_some_and(|i| i.is(Pseudo::Start)));
        mf.code[0].insert(at, i);
    }
    added
}

/// Numbers in lists by the first of each pair.
fn by_first(pairs: &[(u32, u32)], n: usize) -> CsrLists<u32> {
    CsrLists::new(n, 0, |f| pairs.iter().for_each(|&(k, b)| f(k as usize, b)))
}

/// Blocks in which each register is asked for before it is defined, and those in which it is defined.
fn mentions<T: Target>(mf: &MFunc<T>, index: &[Option<u32>], vars: usize) -> (CsrLists<u32>, CsrLists<u32>) {
    let mut exposed: Vec<(u32, u32)> = Vec::new();
    let mut defined: Vec<(u32, u32)> = Vec::new();
    let (mut exposed_in, mut defined_in) = (vec![u32::MAX; vars], vec![u32::MAX; vars]);
    for (b, insts) in mf.code.iter().enumerate() {
        let here = b as u32;
        for i in insts {
            for k in i.vreg_uses().filter_map(|v| index[v.0 as usize]) {
                let k = k as usize;
                if defined_in[k] != here && exposed_in[k] != here {
                    exposed_in[k] = here;
                    exposed.push((k as u32, here));
                }
            }
            for k in i.vreg_defs().filter_map(|v| index[v.0 as usize]) {
                if std::mem::replace(&mut defined_in[k as usize], here) != here {
                    defined.push((k, here));
                }
            }
        }
    }
    (by_first(&exposed, vars), by_first(&defined, vars))
}
