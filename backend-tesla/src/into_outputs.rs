//! A result of the program is written straight into o[] by what computes it, where only its store reads it.
//!
//! Needs: physical registers; blocks of which nothing is read behind the end, so those with the end of the program alone. Short forms
//! have no o[], so it comes before they are paired.

use gpucc_mir::{MFunc, MInst, PReg, Use};
use gpucc_tesla_machine::{Op, Pred};

use crate::encode::Encoder;
use crate::forms;
use crate::inst::{Carried, Half, Mods, SrcMods, TOp, Tesla, ZERO};

/// Returns the number of stores that are gone.
pub fn run(mf: &mut MFunc<Tesla>, e: &Encoder) -> u64 {
    let mut gone = 0;
    for insts in &mut mf.code {
        if insts.last().is_none_or(|m| m.target_op() != Some(TOp::Exit)) {
            continue;
        }
        let before = insts.len();
        let mut k = before;
        while k > 0 {
            k -= 1;
            let Some(j) = source(insts, k) else { continue };
            let mods = Mods { out: (insts[k].mods.offset / 4 + 1) as u16, ..insts[j].mods };
            let mut m = MInst { mods, ..insts[j].clone() };
            m.defs.clear();
            if matches!(m.target_op(), Some(TOp::M(op)) if e.encode(&m, op).is_ok()) {
                insts[j] = m;
                // Marked, so that all go at once.
                insts[k].mods.out = 1;
            }
        }
        insts.retain(|m| !(is_store(m) && m.mods.out != 0));
        gone += (before - insts.len()) as u64;
    }
    gone
}

fn is_store(m: &MInst<Tesla>) -> bool {
    m.target_op() == Some(TOp::M(Op::StO))
}

/// The instruction that computes the register of the store at `k`, if nothing else reads it.
fn source(insts: &[MInst<Tesla>], k: usize) -> Option<usize> {
    let store = &insts[k];
    let [u] = store.uses.as_slice() else { return None };
    let r = u.phys().filter(|&r| r != ZERO && r.place.len() == 1 && u.mods == SrcMods::default())?;
    if !is_store(store) || store.mods != (Mods { offset: store.mods.offset, ..Mods::default() }) {
        return None;
    }
    let meets = |p: PReg| p.file == r.file && p.place.overlaps(r.place);
    let reads = |m: &MInst<Tesla>| m.uses.iter().filter_map(Use::phys).any(meets);
    let writes = |m: &MInst<Tesla>| m.defs.iter().filter_map(|d| d.phys()).any(meets);
    // Stores that are marked read nothing any more.
    for m in insts[k + 1..].iter().filter(|m| !(is_store(m) && m.mods.out != 0)) {
        if reads(m) {
            return None;
        }
        if writes(m) && m.mods.pred == Pred::Always && m.mods.half == Half::Whole {
            break;
        }
    }
    for j in (0..k).rev() {
        let m = &insts[j];
        // Lanes are the same from there to the store.
        let Some(TOp::M(op)) = m.target_op() else { return None };
        let e = forms::effects(op);
        if e.convergent || e.terminator || m.mods.carries != Carried::Nothing {
            return None;
        }
        if writes(m) {
            let whole = m.mods.pred == Pred::Always && m.mods.half == Half::Whole && !m.mods.short;
            let alone = matches!(m.defs.as_slice(), [d] if d.phys() == Some(r));
            return (whole && alone).then_some(j);
        }
        if reads(m) {
            return None;
        }
    }
    None
}
