//! Equal operations on lanes of one register become one.
//!
//! ```text
//! i2f t1.x___, t0.xxxx
//! i2f t1._y__, t0.yyyy     ==>   i2f t1.xy__, t0.xyyy
//!
//! mov t1.x___, -t0.yyyy
//! mov t1._y__, 1.0         ==>   select.gz t1.xy__, (0, 1), (_, 1.0), -t0.yyyy
//! ```

use gpucc_mir::{Def, MFunc, MInst, PReg, Placement, Reg, Src, Use};
use gpucc_vivante_machine as machine;
use machine::{Class, Cond, Op};
use smallvec::SmallVec;

use crate::builders as build;
use crate::inst::{FILE, If, Mods, SrcMods, Ty, VOp, Vivante};
use crate::uniforms::{Table, Word, Words};

/// How far apart instructions are looked for.
const REACH: usize = 24;

/// Merges lane-wise instructions that differ only in lanes, then moves of lanes with moves of constants. Needs: physical registers. Returns how
/// many disappeared.
pub fn run(mf: &mut MFunc<Vivante>, t: &Vivante, table: &mut Table) -> usize {
    let mut merged = 0;
    for insts in &mut mf.code {
        merged += sweep(insts, t, |_| true, |a, b| join(a, b, t, table));
        if insts.iter().filter(|i| is_move(i)).nth(1).is_some() {
            merged += sweep(insts, t, is_move, |a, b| choose(a, b, table));
        }
    }
    merged
}

/// Whether an instruction moves lanes and does nothing else.
fn is_move(i: &MInst<Vivante>) -> bool {
    i.target_op() == Some(VOp::M(Op::Mov)) && i.mods == Mods { ty: i.mods.ty, ..Mods::default() }
}

/// Puts what `both` makes of two instructions of one op, of those that `fits` takes, in the place of the first, where the second may go there.
fn sweep(
    insts: &mut Vec<MInst<Vivante>>,
    t: &Vivante,
    fits: impl Fn(&MInst<Vivante>) -> bool,
    mut both: impl FnMut(&MInst<Vivante>, &MInst<Vivante>) -> Option<MInst<Vivante>>,
) -> usize {
    let n = insts.len();
    let mut merged = 0;
    let mut gone = vec![false; n];
    for a in 0..n {
        if gone[a] || !fits(&insts[a]) {
            continue;
        }
        // The remainder of the instructions from `a` up to `k`.
        let mut between: SmallVec<[usize; REACH]> = SmallVec::new();
        between.push(a);
        let mut next = a + 1;
        while next < n && between.len() < REACH {
            let k = next;
            next += 1;
            if gone[k] {
                continue;
            }
            if insts[a].op == insts[k].op
                && movable(t, insts, &between, k)
                && let Some(one) = both(&insts[a], &insts[k])
            {
                insts[a] = one;
                gone[k] = true;
                merged += 1;
            } else {
                between.push(k);
            }
        }
    }
    if merged > 0 {
        let mut k = 0;
        insts.retain(|_| {
            k += 1;
            !gone[k - 1]
        });
    }
    merged
}

/// Whether each lane of the result comes from one lane of each operand.
fn is_lane_wise(i: &MInst<Vivante>, t: &Vivante) -> bool {
    let Some(VOp::M(op)) = i.target_op() else { return false };
    matches!(op.row().attrs.class, Class::Vector | Class::IntVector) && t.is_vector(op, i.mods.ty)
}

/// What an instruction reads: of vectors the lanes that it asks for, where it works on lanes.
fn reads<'a>(i: &'a MInst<Vivante>, t: &Vivante) -> impl Iterator<Item = PReg> + 'a {
    let lanes = writes(i).next().filter(|d| d.file == FILE && is_lane_wise(i, t)).map(|d| usize::from(d.place.len()));
    i.uses.iter().filter_map(move |u| {
        let p = u.phys()?;
        let Some(n) = lanes.filter(|_| p.file == FILE && !u.mods.indexed) else { return Some(p) };
        let row = p.place.row(4) * 4;
        let unit = |&c: &u8| p.place.unit(u16::from(c).min(p.place.len() - 1)) - row;
        let mask = u.mods.swz[..n.min(4)].iter().fold(0, |m, c| m | 1 << unit(c));
        Some(PReg { place: Placement::mask(row, mask), ..p })
    })
}

fn writes(i: &MInst<Vivante>) -> impl Iterator<Item = PReg> + '_ {
    i.defs.iter().filter_map(|d| d.phys())
}

fn overlap(a: PReg, b: PReg) -> bool {
    a.file == b.file && a.place.overlaps(b.place)
}

/// Whether instruction `k` may be executed together with the first of those `between` them, which it counts among.
fn movable(t: &Vivante, insts: &[MInst<Vivante>], between: &[usize], k: usize) -> bool {
    let Some(dst) = writes(&insts[k]).next() else { return false };
    // An index may be any: such an access stays where it is, and nothing of indexed variables moves across it.
    let indexed = |i: &MInst<Vivante>| i.mods.indexed || i.uses.iter().any(|u| u.mods.indexed);
    if dst.file != FILE || indexed(&insts[between[0]]) || indexed(&insts[k]) {
        return false;
    }
    if t.touches_arrays(&insts[k]) != (false, false) && between.iter().any(|&x| indexed(&insts[x])) {
        return false;
    }
    let sources: SmallVec<[PReg; 4]> = reads(&insts[k], t).collect();
    // Instructions in between must not touch its result or change its sources; the first must not make its sources.
    between.iter().map(|&x| &insts[x]).enumerate().all(|(n, i)| {
        let fits = writes(i).all(|w| !overlap(w, dst) && sources.iter().all(|&s| !overlap(w, s)));
        fits && (n == 0 || reads(i, t).all(|r| !overlap(r, dst)))
    })
}

/// The two as one, if they are alike but for lanes.
fn join(a: &MInst<Vivante>, b: &MInst<Vivante>, t: &Vivante, table: &mut Table) -> Option<MInst<Vivante>> {
    let Some(VOp::M(op)) = a.target_op() else { return None };
    if a.op != b.op || a.mods != b.mods || a.uses.len() != b.uses.len() {
        return None;
    }
    let (da, db) = (writes(a).next()?, writes(b).next()?);
    if !is_lane_wise(a, t) || da.place.row(4) != db.place.row(4) || overlap(da, db) {
        return None;
    }
    let mut out = a.clone();
    let (ma, mb) = (da.place.lanes(4), db.place.lanes(4));
    let row = da.place.row(4) * 4;
    out.defs[0] = Def::preg(PReg { file: 0, place: Placement::mask(row, ma | mb) });
    // For each lane of the result: from which of the two, and its component there.
    let mut order: SmallVec<[(bool, usize); 4]> = SmallVec::new();
    let (mut na, mut nb) = (0, 0);
    for lane in 0..4 {
        if ma >> lane & 1 == 1 {
            order.push((true, na));
            na += 1;
        } else if mb >> lane & 1 == 1 {
            order.push((false, nb));
            nb += 1;
        }
    }
    let mut all_words = Words::new();
    for (k, (x, y)) in a.uses.iter().zip(&b.uses).enumerate() {
        if (x.mods.abs, x.mods.neg) != (y.mods.abs, y.mods.neg) {
            return None;
        }
        let pick = |&(first, c): &(bool, usize)| if first { x.mods.swz[c] } else { y.mods.swz[c] };
        let mut swz = [0u8; 4];
        match (x.src, y.src) {
            (Src::Imm(p), Src::Imm(q)) if p == q => continue,
            (Src::Reg(Reg::P(p)), Src::Reg(Reg::P(q))) if p.place.row(4) == q.place.row(4) => {
                let mask = p.place.lanes(4) | q.place.lanes(4);
                let both = Placement::mask(p.place.row(4) * 4, mask);
                for (s, o) in swz.iter_mut().zip(&order) {
                    let from = if o.0 { p.place } else { q.place };
                    let unit = from.unit(u16::from(pick(o)).min(from.len() - 1));
                    *s = both.units().position(|u| u == unit)? as u8;
                }
                out.uses[k].src = Src::Reg(Reg::P(PReg { file: 0, place: both }));
            }
            (p, q) => {
                // Constants and uniforms: words of one register. Immediates that differ only in a MOV, which has
                // no other operand that could want a uniform.
                let words = |s: Src, c: u8, table: &Table| match s {
                    Src::Imm(bits) if op == Op::Mov => Some(Word::Const(bits)),
                    Src::Uniform(slot) => {
                        let w = table.words(slot);
                        Some(w[usize::from(c).min(w.len() - 1)])
                    }
                    _ => None,
                };
                let mut list = Words::new();
                for (s, o) in swz.iter_mut().zip(&order) {
                    let w = words(if o.0 { p } else { q }, pick(o), table)?;
                    let at = list.iter().position(|&x| x == w).unwrap_or_else(|| {
                        list.push(w);
                        list.len() - 1
                    });
                    *s = at as u8;
                }
                for &w in &list {
                    if !all_words.contains(&w) {
                        all_words.push(w);
                    }
                }
                out.uses[k].src = Src::Uniform(table.slot(list).0);
            }
        }
        let last = swz[order.len() - 1];
        swz[order.len()..].fill(last);
        out.uses[k].mods.swz = swz;
    }
    (all_words.len() <= 4).then_some(out)
}

/// A move of lanes of a register and one of constants as a choice, lane by lane, that constants decide.
fn choose(a: &MInst<Vivante>, b: &MInst<Vivante>, table: &mut Table) -> Option<MInst<Vivante>> {
    if !is_move(a) || !is_move(b) {
        return None;
    }
    let (da, db) = (writes(a).next()?, writes(b).next()?);
    if da.place.row(4) != db.place.row(4) || overlap(da, db) {
        return None;
    }
    let lanes = |i: &MInst<Vivante>| matches!(i.uses[0].src, Src::Reg(Reg::P(p)) if p.file == FILE);
    let (moved, constant) = match (lanes(a), lanes(b)) {
        (true, false) => (a, b),
        (false, true) => (b, a),
        _ => return None,
    };
    let (x, y) = (&moved.uses[0], &constant.uses[0]);
    if !y.mods.is_plain() || x.mods.indexed || !x.mods.is_plain() && moved.mods.ty != machine::Type::F32 {
        return None;
    }
    // Zero for lanes that are moved, one for those that are constants, and the constants.
    let mut list = Words::new();
    let mut place = |w: Word| {
        list.iter().position(|&x| x == w).unwrap_or_else(|| {
            list.push(w);
            list.len() - 1
        }) as u8
    };
    let (from, to) = (writes(moved).next()?.place.lanes(4), writes(constant).next()?.place.lanes(4));
    let (mut conditions, mut values, mut sources) = ([0u8; 4], [0u8; 4], [0u8; 4]);
    let (mut n, mut nx, mut ny) = (0, 0, 0);
    for lane in 0..4 {
        if from >> lane & 1 == 1 {
            (conditions[n], sources[n]) = (place(Word::Const(0)), x.mods.swz[nx]);
            (n, nx) = (n + 1, nx + 1);
        } else if to >> lane & 1 == 1 {
            let word = match y.src {
                Src::Imm(bits) => Word::Const(bits),
                Src::Uniform(slot) => {
                    let w = table.words(slot);
                    w[usize::from(y.mods.swz[ny]).min(w.len() - 1)]
                }
                _ => return None,
            };
            (conditions[n], values[n]) = (place(Word::Const(1.0f32.to_bits())), place(word));
            // A lane that the other operand has.
            sources[n] = x.mods.swz[0];
            (n, ny) = (n + 1, ny + 1);
        }
    }
    for s in [&mut conditions, &mut values, &mut sources] {
        let last = s[n - 1];
        s[n..].fill(last);
    }
    if list.len() > 4 {
        return None;
    }
    let slot = table.slot(list).0;
    let word = |swz: [u8; 4]| Use::new(Src::Uniform(slot)).mods(SrcMods::swizzle(swz));
    let source = x.mods(SrcMods { swz: sources, ..x.mods });
    let (ty, cond) = if x.mods.is_plain() { (machine::Type::U32, Cond::Nz) } else { (machine::Type::F32, Cond::Gz) };
    let mut out = build::Select.with((Ty(ty), If(cond)), [word(conditions), word(values), source]).at(a.loc);
    out.defs.push(Def::preg(PReg { file: FILE, place: Placement::mask(da.place.row(4) * 4, from | to) }));
    Some(out)
}
