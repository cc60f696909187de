//! Clean-up before allocation: copies, collects and splits that cancel, dead code, dead parameters.
//!
//! Needs: each virtual register defined once. Keeps: blocks and edges.

use crate::func::MFunc;
use crate::inst::{MInst, Opcode, Pseudo, Target, VReg};

/// Where a register is defined, as far as a walk from the end has come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Def {
    Ahead,
    /// Block and place there.
    Inst(u32, u32),
    Param,
}

/// The values known to be needed, and those still to be followed.
struct Needed {
    live: Vec<bool>,
    def: Vec<Def>,
    work: Vec<VReg>,
}

impl Needed {
    fn add(&mut self, v: VReg) {
        if !std::mem::replace(&mut self.live[v.0 as usize], true) && self.def[v.0 as usize] != Def::Ahead {
            self.work.push(v);
        }
    }
}

/// Removes instructions and parameters that nothing with an effect needs. Returns how many.
pub fn dce<T: Target>(mf: &mut MFunc<T>, t: &T) -> usize {
    let mut n =
        Needed { live: vec![false; mf.classes.len()], def: vec![Def::Ahead; mf.classes.len()], work: Vec::new() };
    // Instructions that stay, block after block.
    let mut starts = Vec::with_capacity(mf.blocks.len());
    let mut keep = Vec::new();
    for insts in &mf.code {
        starts.push(keep.len());
        keep.resize(keep.len() + insts.len(), false);
    }
    // Instructions of which only some definitions may be needed.
    let mut partly: Vec<(u32, u32)> = Vec::new();
    // Parameters that come earlier, and what is passed to them.
    let mut back: Vec<(VReg, VReg)> = Vec::new();
    // One walk from the end finds nearly all; what back edges bring in is followed afterwards.
    for (b, block) in mf.blocks.iter().enumerate().rev() {
        for e in block.all_succs() {
            let params = &mf.blocks[e.to.0 as usize].params;
            for (&a, &q) in e.args.iter().zip(params).filter(|x| !x.0.is_none()) {
                if n.live[q.0 as usize] {
                    n.add(a);
                } else if n.def[q.0 as usize] == Def::Ahead {
                    back.push((q, a));
                }
            }
        }
        for (k, i) in mf.code[b].iter().enumerate().rev() {
            let mut stays = match i.op {
                Opcode::Pseudo(p) => matches!(p, Pseudo::LogicalStart | Pseudo::LogicalEnd),
                Opcode::Op(_) => !t.info(i).can_dce(),
            };
            stays |= i.defs.iter().any(|d| d.vreg().is_none_or(|v| n.live[v.0 as usize]));
            if matches!(i.op, Opcode::Pseudo(Pseudo::Start | Pseudo::Undef)) {
                partly.push((b as u32, k as u32));
            }
            if stays {
                keep[starts[b] + k] = true;
                i.vreg_uses().for_each(|v| n.add(v));
            }
            i.vreg_defs().for_each(|v| n.def[v.0 as usize] = Def::Inst(b as u32, k as u32));
        }
        block.params.iter().for_each(|v| n.def[v.0 as usize] = Def::Param);
    }
    for (q, a) in back {
        if n.live[q.0 as usize] {
            n.add(a);
        }
    }
    let mut incoming: Option<Vec<Vec<VReg>>> = None;
    while let Some(v) = n.work.pop() {
        match n.def[v.0 as usize] {
            Def::Inst(b, k) => {
                if !std::mem::replace(&mut keep[starts[b as usize] + k as usize], true) {
                    mf.code[b as usize][k as usize].vreg_uses().for_each(|u| n.add(u));
                }
            }
            Def::Param => {
                let incoming = incoming.get_or_insert_with(|| arguments(mf));
                incoming[v.0 as usize].iter().for_each(|&a| n.add(a));
            }
            Def::Ahead => {}
        }
    }
    let live = n.live;
    for (b, k) in partly {
        let defs = &mut mf.code[b as usize][k as usize].defs;
        defs.retain(|d| d.vreg().is_none_or(|v| live[v.0 as usize]));
    }
    let mut removed = 0;
    for (insts, &start) in mf.code.iter_mut().zip(&starts) {
        let kept = &keep[start..start + insts.len()];
        if kept.iter().all(|&k| k) {
            continue;
        }
        let (before, mut k) = (kept.len(), 0);
        insts.retain(|_| {
            k += 1;
            kept[k - 1]
        });
        removed += before - insts.len();
    }
    let is_dead = |v: &VReg| !live[v.0 as usize];
    let dead: Vec<bool> = mf.blocks.iter().flat_map(|b| b.params.iter().map(is_dead)).collect();
    if dead.iter().any(|&d| d) {
        drop_params(mf, &dead);
        removed += dead.iter().filter(|&&d| d).count();
    }
    removed
}

/// Removes parameters, and what edges pass to them: those marked, in the order of blocks.
fn drop_params<T: Target>(mf: &mut MFunc<T>, dead: &[bool]) {
    let mut starts = Vec::with_capacity(mf.blocks.len());
    let mut at = 0;
    for b in &mf.blocks {
        starts.push(at);
        at += b.params.len();
    }
    for (b, block) in mf.blocks.iter_mut().enumerate() {
        // An edge has an argument for each parameter.
        for e in block.all_succs_mut() {
            let mut k = starts[e.to.0 as usize];
            e.args.retain(|_| {
                k += 1;
                !dead[k - 1]
            });
        }
        let mut k = starts[b];
        block.params.retain(|_| {
            k += 1;
            !dead[k - 1]
        });
    }
}

/// The values that edges pass to each parameter.
fn arguments<T: Target>(mf: &MFunc<T>) -> Vec<Vec<VReg>> {
    let mut incoming: Vec<Vec<VReg>> = vec![Vec::new(); mf.classes.len()];
    for e in mf.blocks.iter().flat_map(|b| b.all_succs()) {
        for (&a, &q) in e.args.iter().zip(&mf.blocks[e.to.0 as usize].params).filter(|x| !x.0.is_none()) {
            incoming[q.0 as usize].push(a);
        }
    }
    incoming
}

/// Replaces copies of registers of one class by their source, and splits of collects by the collected registers.
/// Run [`dce`] after it. Returns how many registers were replaced.
pub fn copy_prop<T: Target>(mf: &mut MFunc<T>, t: &T) -> usize {
    let n = mf.classes.len();
    let mut replace: Vec<VReg> = (0..n as u32).map(VReg).collect();
    let mut collected: Vec<Option<(u32, u32)>> = vec![None; n];
    let plain = |i: &MInst<T>| i.defs.iter().all(|d| d.fixed().is_none()) && i.uses.iter().all(|u| u.fixed().is_none());
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
    for (b, insts) in mf.code.iter().enumerate() {
        for (k, i) in insts.iter().enumerate() {
            let Opcode::Pseudo(pseudo) = i.op else { continue };
            // A split comes after its collect in the order of blocks, too.
            if pseudo == Pseudo::Collect
                && let Some(d) = i.defs.first().and_then(|d| d.vreg())
            {
                collected[d.0 as usize] = Some((b as u32, k as u32));
            }
            if !plain(i) {
                continue;
            }
            if pseudo == Pseudo::Copy {
                for (d, u) in i.defs.iter().zip(&i.uses) {
                    if let (Some(d), Some(s), None) = (d.vreg(), u.vreg(), u.part_read())
                        && u.mods == T::SrcMods::default()
                        && same(mf, d, s)
                    {
                        replace[d.0 as usize] = find(&replace, s);
                        changed += 1;
                    }
                }
            } else if pseudo == Pseudo::Split
                && let Some(s) = i.uses[0].vreg().filter(|_| i.uses[0].part_read().is_none())
                && let Some((b, k)) = collected[find(&replace, s).0 as usize]
            {
                let c = &mf.code[b as usize][k as usize];
                let parts: Vec<Option<VReg>> = c
                    .uses
                    .iter()
                    .map(|u| u.vreg().filter(|_| u.part_read().is_none() && u.fixed().is_none()))
                    .collect();
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
