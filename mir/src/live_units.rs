//! Registers that hold something at each instruction of allocated code, for reports.
//!
//! Needs: physical registers. A register is live from what writes it to the last instruction that reads it. Registers that hold only
//! what other lanes read are counted where the code that reads them follows in the layout.

use gpucc_ir::Loc;
use gpucc_regalloc::UnitSet;
use smallvec::SmallVec;

use crate::backward::backward;
use crate::func::MFunc;
use crate::inst::{MInst, PReg, Target, Use};

type Live = SmallVec<[UnitSet; 4]>;

/// Calls `each` with the location of every instruction and the units of each file that are live before or behind it, whichever are more.
pub fn live_units<T: Target>(mf: &MFunc<T>, t: &T, mut each: impl FnMut(Loc, &[u32])) {
    let files = t.files().len();
    let mut implicit: (SmallVec<[PReg; 4]>, SmallVec<[PReg; 4]>) = Default::default();
    let mut step = |i: &MInst<T>, live: &mut Live| {
        implicit.0.clear();
        implicit.1.clear();
        t.implicit(i, &mut implicit.0, &mut implicit.1);
        for d in i.defs.iter().filter_map(|d| d.phys()) {
            if let Some(l) = live.get_mut(usize::from(d.file)) {
                l.sub(d.place);
            }
        }
        for r in i.uses.iter().filter_map(Use::phys).chain(implicit.0.iter().copied()) {
            if let Some(l) = live.get_mut(usize::from(r.file)) {
                l.add(r.place);
            }
        }
    };
    let join = |now: &mut Live, start: &Live| {
        now.resize(files, UnitSet::EMPTY);
        now.iter_mut().zip(start).for_each(|(l, s)| *l = l.union(s));
    };
    let succs = |b: usize| mf.blocks[b].all_succs().map(|e| e.to.0 as usize);
    let starts = backward(mf.blocks.len(), succs, join, |b, now: &mut Live| {
        now.resize(files, UnitSet::EMPTY);
        mf.code[b].iter().rev().for_each(|i| step(i, now));
    });
    let count = |live: &Live| -> SmallVec<[u32; 4]> { live.iter().map(UnitSet::len).collect() };
    for b in 0..mf.blocks.len() {
        let mut live: Live = SmallVec::from_elem(UnitSet::EMPTY, files);
        succs(b).for_each(|s| join(&mut live, &starts[s]));
        let mut behind = count(&live);
        for i in mf.code[b].iter().rev() {
            // What it writes has a place, also where nobody reads it.
            for d in i.defs.iter().filter_map(|d| d.phys()) {
                if let Some(l) = live.get_mut(usize::from(d.file)) {
                    l.add(d.place);
                }
            }
            let written = count(&live);
            step(i, &mut live);
            let before = count(&live);
            let most = behind.iter().zip(&written).zip(&before).map(|((a, w), b)| *a.max(w).max(b));
            each(i.loc, &most.collect::<SmallVec<[u32; 4]>>());
            behind = before;
        }
    }
}
