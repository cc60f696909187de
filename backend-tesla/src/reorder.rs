//! Which instructions may change places behind the allocation.

use gpucc_mir::{MInst, PReg, Reg, Src, Use};
use gpucc_tesla_machine::{Pred, SharedTy};

use crate::forms;
use crate::inst::{PARAMETERS, R, TOp, Tesla};
use crate::slots::Slot;

/// Whether lanes and blocks are the same before and behind an instruction.
pub fn lets_pass(m: &MInst<Tesla>) -> bool {
    let passes = |op| {
        let e = forms::effects(op);
        !(e.convergent || e.terminator)
    };
    matches!(m.target_op(), Some(TOp::M(op)) if passes(op))
}

/// Whether an instruction depends on general registers and constants alone, and does nothing else.
pub fn is_movable(m: &MInst<Tesla>) -> bool {
    let constant = |u: &Use<Tesla>| match u.src {
        Src::Reg(Reg::P(p)) => p.file == R,
        Src::Uniform(n) => match Slot::unpack(n) {
            Slot::Pool(_) | Slot::Table(_) | Slot::Const(..) | Slot::Attr(_) => true,
            Slot::Shared(SharedTy::U16, off) => u32::from(off) < PARAMETERS,
            _ => false,
        },
        Src::Imm(_) => true,
        _ => false,
    };
    let pure = |op: TOp| {
        let e = forms::effects_of(op);
        !(e.reads || e.writes || e.side_effect || e.convergent)
    };
    m.mods.pred == Pred::Always
        && m.uses.iter().all(constant)
        && m.defs.iter().all(|d| d.phys().is_some_and(|p| p.file == R))
        && m.target_op().is_some_and(pure)
}

/// Whether two instructions may change places as far as registers go.
pub fn independent(a: &MInst<Tesla>, b: &MInst<Tesla>) -> bool {
    let clash = |p: PReg, q: PReg| p.file == q.file && p.place.overlaps(q.place);
    let meets = |x: &MInst<Tesla>, y: &MInst<Tesla>| {
        x.defs.iter().filter_map(|d| d.phys()).any(|p| {
            y.defs.iter().filter_map(|d| d.phys()).any(|q| clash(p, q))
                || y.uses.iter().filter_map(|u| u.phys()).any(|q| clash(p, q))
        })
    };
    !meets(a, b) && !meets(b, a)
}
