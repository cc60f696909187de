//! A register that holds a value already need not get it again.
//!
//! ```text
//! r12 = mov r0                            r12 = mov r0
//! r13 = mov r4                            r13 = mov r4
//! sample r12:r13                 ==>      sample r12:r13
//! r12 = mov r1                            r12 = mov r1
//! r13 = mov r4                            sample r12:r13
//! sample r12:r13
//! ```
//!
//! Runs of arguments that differ in some of their parts mostly get the same registers, one after the other.
//!
//! Needs: physical registers; lanes that reach a block have been through the one that leads to it. Keeps: blocks and edges. Along paths
//! without joins. Fires on moves that [`Target::as_move`] knows, and on instructions of [`Target::can_remat`]. A result that is made in the
//! run of its arguments leaves those that it does not reach as they are ([`Target::overwrites`]).

use core::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;

use crate::func::{MFunc, is_terminator};
use crate::inst::{MInst, PReg, Reg, Src, Target, Use};

/// The number of the value in each unit that has a known one: equal values have equal numbers.
type Held = SmallVec<[(PReg, u32); 16]>;

fn held(h: &Held, r: PReg) -> Option<u32> {
    h.iter().find(|x| x.0 == r).map(|x| x.1)
}

fn forget(h: &mut Held, r: PReg) {
    h.retain(|x| x.0.file != r.file || !x.0.place.overlaps(r.place));
}

/// The register that gets a constant, if an instruction does nothing else.
fn constant<T: Target>(t: &T, i: &MInst<T>) -> Option<PReg> {
    let [d] = i.defs.as_slice() else { return None };
    // A register that is never given out holds the same everywhere, as a zero, or the instruction could not be made again elsewhere.
    let given = |p: PReg| t.files().get(usize::from(p.file)).is_none_or(|f| f.budget.has_all(p.place));
    let same = i.uses.iter().filter_map(Use::phys).all(|p| !given(p));
    let again = i.target_op().is_some() && d.tied_to().is_none() && same;
    d.phys().filter(|p| p.place.len() == 1 && again && t.can_remat(i) && !is_terminator(t, i))
}

/// Constants of one hash, with their numbers.
type Alike<T> = SmallVec<[(MInst<T>, u32); 1]>;

/// The constants that have been met, by what they read: a switch may have thousands.
struct Constants<T: Target> {
    met: FxHashMap<u64, Alike<T>>,
    next: u32,
}

/// A number that equal constants have in common.
fn hash<T: Target>(i: &MInst<T>) -> u64 {
    let mut h = FxHasher::default();
    for u in &i.uses {
        match u.src {
            Src::Imm(v) | Src::Uniform(v) => v.hash(&mut h),
            Src::Reg(Reg::P(p)) => (p.file, p.place.base()).hash(&mut h),
            Src::Reg(Reg::V(_)) | Src::Label(_) => {}
        }
    }
    h.finish()
}

impl<T: Target> Constants<T> {
    fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    fn number(&mut self, i: &MInst<T>) -> u32 {
        let same = |k: &MInst<T>| k.op == i.op && k.mods == i.mods && k.uses == i.uses;
        let met = self.met.entry(hash(i)).or_default();
        if let Some(k) = met.iter().find(|k| same(&k.0)) {
            return k.1;
        }
        self.next += 1;
        met.push((i.clone(), self.next));
        self.next
    }
}

/// Runs over a function. Returns how many instructions disappeared.
pub fn repeated_moves<T: Target>(mf: &mut MFunc<T>, t: &T) -> usize {
    if !mf.code.iter().flatten().any(|i| t.as_move(i).is_some()) {
        return 0;
    }
    let mut preds = vec![0u32; mf.blocks.len()];
    for e in mf.blocks.iter().flat_map(|b| b.all_succs()) {
        preds[e.to.0 as usize] += 1;
    }
    let mut entry: Vec<Held> = vec![Held::new(); mf.blocks.len()];
    let mut constants = Constants { met: FxHashMap::default(), next: 0 };
    let mut clobbers: SmallVec<[PReg; 4]> = SmallVec::new();
    let mut gone = 0;
    for b in 0..mf.blocks.len() {
        let mut h = std::mem::take(&mut entry[b]);
        let before = mf.code[b].len();
        mf.code[b].retain(|i| {
            let what = match (t.as_move(i), constant(t, i)) {
                (Some((d, s)), _) => {
                    let n = held(&h, s).unwrap_or_else(|| {
                        let n = constants.fresh();
                        h.push((s, n));
                        n
                    });
                    Some((d, n))
                }
                (None, Some(d)) => Some((d, constants.number(i))),
                (None, None) => None,
            };
            if let Some((d, n)) = what
                && held(&h, d) == Some(n)
            {
                return false;
            }
            clobbers.clear();
            t.clobbers(i, &mut clobbers);
            let defs = i.defs.iter().filter_map(|d| d.phys()).map(|r| t.overwrites(i, r));
            defs.chain(clobbers.iter().copied()).for_each(|r| forget(&mut h, r));
            h.extend(what);
            true
        });
        gone += before - mf.code[b].len();
        let forward = |e: &&crate::func::MEdge| e.to.0 as usize > b && preds[e.to.0 as usize] == 1;
        for e in mf.blocks[b].all_succs().filter(forward) {
            entry[e.to.0 as usize] = h.clone();
        }
    }
    gone
}
