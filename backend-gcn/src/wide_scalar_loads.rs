//! Scalar loads of neighbours in one buffer become one load of up to sixteen words.
//!
//! ```text
//! %1 = s_buffer_load_dwordx4 0x40                  %9 = s_buffer_load_dwordx8 0x40
//! %a, %b, %c, %d = split %1                        %a, %b, %c, %d, %e, %f, %g, %h = split %9
//! ..                                      =>       ..
//! %2 = s_buffer_load_dwordx4 0x50
//! %e, %f, %g, %h = split %2
//! ```
//!
//! Columns of a matrix and members of a struct of uniforms are loads of four words at most, since values have four lanes at most.
//!
//! Rows of a matrix in an array are such loads behind one offset in a register.
//!
//! Needs: virtual registers, each defined once. Keeps: blocks and edges. Within a block, of one descriptor, at offsets that are known
//! or known distances behind one register, of memory that nothing writes. Words that nobody asked for are read only where the buffer is
//! known to have them, and no more of them than others. Leaves alone what would take registers that cost a wave.

use gpucc_gcn_machine::{GFX8, Op};
use gpucc_mir::{Class, Def, MFunc, Pressure, Pseudo, Reg, Src, Target, Use, VReg};

use crate::inst::{FILE_S, FILE_V, GOp, Gcn, IN_OPERAND, MI, Mods, S, S2, S4, S8, S16, op};
use crate::model;

/// The words of the widest load.
const WIDEST: u32 = 16;
/// How many descriptors and registers are looked at for each load; farther apart, loads stay as they are.
const NEAR: usize = 64;

/// A load of some words.
struct Load {
    /// Where it stands, and where its run is taken apart: at the same place if it is one word.
    at: usize,
    split: usize,
    /// The word of the buffer that it begins at; the first and the last one that somebody reads.
    from: u32,
    first: u32,
    last: u32,
    /// The word behind the last one that the buffer is known to have.
    end: u32,
    /// Words that it reads now.
    words: u32,
    /// The register with its offset, and where the block defines that.
    offset: Option<(VReg, Option<usize>)>,
}

/// Loads of one descriptor, at offsets that are known or behind one register.
struct Table {
    descriptor: (u8, Option<Src>),
    base: Option<Src>,
    loads: Vec<Load>,
}

/// Loads that one takes the place of.
struct Plan {
    loads: Vec<Load>,
    begin: u32,
    words: u32,
    /// Where the first and the last of the loads stand.
    at: usize,
    end: usize,
    /// The register with the offset of what is loaded.
    offset: Option<VReg>,
}

impl Plan {
    /// One for these loads; none if the first of them stands where the offset is not known yet.
    fn new(loads: Vec<Load>, (begin, words): (u32, u32)) -> Option<Plan> {
        let at = loads.iter().map(|l| l.at).min()?;
        let end = loads.iter().map(|l| l.at).max()?;
        let mut offset = None;
        if loads[0].offset.is_some() {
            let there = |l: &&Load| l.from == begin && l.offset.is_some_and(|o| o.1.is_none_or(|def| def < at));
            offset = Some(loads.iter().find(there)?.offset?.0);
        }
        Some(Plan { loads, begin, words, at, end, offset })
    }

    /// Words that live earlier than they did, at most.
    fn more(&self) -> u32 {
        let first = self.loads.iter().find(|l| l.at == self.at).map_or(0, |l| l.words);
        self.words.saturating_sub(first)
    }
}

/// The operation and the class of a load of so many words.
fn form(words: u32) -> (Op, Class) {
    match words {
        1 => (Op::SBufferLoadDword, S),
        2 => (Op::SBufferLoadDwordx2, S2),
        4 => (Op::SBufferLoadDwordx4, S4),
        8 => (Op::SBufferLoadDwordx8, S8),
        _ => (Op::SBufferLoadDwordx16, S16),
    }
}

/// Words that a scalar load reads.
fn width(o: Op) -> Option<u32> {
    (0..=4).map(|k| 1 << k).find(|&w| form(w).0 == o)
}

/// How often each register is read.
fn reads(mf: &MFunc<Gcn>) -> Vec<u32> {
    let mut all = vec![0; mf.classes.len()];
    let edges = mf.blocks.iter().flat_map(|b| b.all_succs()).flat_map(|e| &e.args).filter(|v| !v.is_none()).copied();
    for v in mf.code.iter().flatten().flat_map(|i| i.vreg_uses()).chain(edges) {
        all[v.0 as usize] += 1;
    }
    all
}

/// Where a block defines registers.
struct Defs {
    block: u32,
    /// The block and the place in it, by register.
    at: Vec<(u32, u32)>,
}

impl Defs {
    fn new(registers: usize) -> Defs {
        Defs { block: 0, at: vec![(0, 0); registers] }
    }

    /// Forgets other blocks.
    fn enter(&mut self, insts: &[MI]) {
        self.block += 1;
        for (at, i) in insts.iter().enumerate() {
            for v in i.defs.iter().filter_map(|d| d.vreg()) {
                self.at[v.0 as usize] = (self.block, at as u32);
            }
        }
    }

    fn of(&self, v: VReg) -> Option<usize> {
        let (block, at) = self.at[v.0 as usize];
        (block == self.block).then_some(at as usize)
    }

    /// What the register of an offset lies behind, and how far.
    fn base(&self, insts: &[MI], offset: VReg, past: u32) -> Option<Src> {
        if past == 0 {
            return Some(Src::Reg(Reg::V(offset)));
        }
        let sum = &insts[self.of(offset)?];
        let [base, by] = sum.uses.as_slice() else { return None };
        let whole = base.part_read().is_none() && by.src == Src::Imm(past);
        (whole && sum.target_op() == Some(GOp::I(Op::SAddU32))).then_some(base.src)
    }
}

/// Loads at offsets that are known, or that far behind a register, by descriptor and register.
fn tables(insts: &[MI], unit: u32, reads: &[u32], defs: &Defs) -> Vec<Table> {
    let mut out: Vec<Table> = Vec::new();
    for (at, i) in insts.iter().enumerate() {
        let Some(GOp::I(o)) = i.target_op() else { continue };
        let Some(words) = width(o).filter(|_| i.mods.readonly) else { continue };
        let behind = usize::from(i.mods.sbase == IN_OPERAND);
        let [d] = i.defs.as_slice() else { continue };
        let Some(run) = d.vreg() else { continue };
        let (mut base, mut register) = (None, None);
        let mut offset = i.mods.offset * unit;
        if let Some(u) = i.uses.get(behind) {
            let Some(v) = u.vreg() else { continue };
            base = defs.base(insts, v, i.mods.past);
            (offset, register) = (i.mods.past, Some((v, defs.of(v))));
            if base.is_none() {
                continue;
            }
        }
        if !offset.is_multiple_of(4) {
            continue;
        }
        let (mut split, mut taken) = (at, (0..words).filter(|_| words == 1).collect::<Vec<u32>>());
        if words > 1 {
            // Selection takes a run apart right behind its load.
            split = at + 1;
            let Some(s) = insts.get(split).filter(|s| s.is(Pseudo::Split) && s.vreg_uses().eq([run])) else { continue };
            if reads[run.0 as usize] != 1 || s.defs.len() != words as usize {
                continue;
            }
            taken =
                (0..words).filter(|&k| s.defs[k as usize].vreg().is_some_and(|v| reads[v.0 as usize] > 0)).collect();
        }
        let (Some(first), Some(last)) = (taken.first(), taken.last()) else { continue };
        let from = offset / 4;
        let end = from + words + u32::from(i.mods.beyond);
        // The register says where the first word is, and no other one.
        let first = if register.is_some() { 0 } else { *first };
        let load = Load { at, split, from, first: from + first, last: from + last, end, words, offset: register };
        let descriptor = (i.mods.sbase, i.uses.first().map(|u| u.src).filter(|_| behind > 0));
        match out.iter_mut().rev().take(NEAR).find(|t| t.descriptor == descriptor && t.base == base) {
            Some(t) => t.loads.push(load),
            None => out.push(Table { descriptor, base, loads: vec![load] }),
        }
    }
    out
}

/// The load that takes the place of these: where it begins, and its words.
fn cover(loads: &[Load]) -> Option<(u32, u32)> {
    let first = loads.iter().map(|l| l.first).min()?;
    let last = loads.iter().map(|l| l.last).max()?;
    let end = loads.iter().map(|l| l.end).max()?;
    let words = (last - first + 1).next_power_of_two();
    let read: u32 = loads.iter().map(|l| l.last - l.first + 1).sum();
    let begin = if first + words <= end { first } else { end.checked_sub(words)? };
    (words <= WIDEST && 2 * read >= words && begin <= first).then_some((begin, words))
}

/// Groups of neighbours, each of as many loads as one can take the place of.
fn plans(mut loads: Vec<Load>) -> Vec<Plan> {
    loads.sort_by_key(|l| (l.first, l.at));
    let (mut at, mut sizes) = (0, Vec::new());
    // More loads than words of the widest do not go together.
    let longest =
        |rest: &[Load]| (1..=rest.len().min(WIDEST as usize)).rev().find_map(|n| Some((n, cover(&rest[..n])?)));
    while at < loads.len() {
        let (n, cover) = longest(&loads[at..]).map_or((1, None), |(n, c)| (n, Some(c)));
        sizes.push((n, cover));
        at += n;
    }
    let mut rest = loads.into_iter();
    let mut part = |n: usize| rest.by_ref().take(n).collect::<Vec<Load>>();
    let plans = sizes.into_iter().map(|(n, cover)| (part(n), cover));
    plans.filter(|(loads, _)| loads.len() > 1).filter_map(|(loads, cover)| Plan::new(loads, cover?)).collect()
}

/// Words of scalar registers that may live besides without a wave less. `fixed` registers are taken.
fn room(mf: &MFunc<Gcn>, t: &Gcn, (fixed, top): (u32, u32), generation: u8) -> u32 {
    let scalar = |c: &Class| Some(&t.classes()[usize::from(c.0)]).filter(|c| c.file == FILE_S);
    // Where all of them together fit, nobody needs to know what lives at once.
    let all: u32 = mf.classes.iter().filter_map(scalar).map(|c| u32::from(c.shape.units)).sum();
    let most = model::limits(0, 0, generation).0.min(top);
    if all + fixed <= most / 2 {
        return most - all - fixed;
    }
    let Ok(facts) = Pressure::new(mf, t) else { return 0 };
    let now = facts.pressure();
    let (s, v) = (now[usize::from(FILE_S)] + fixed, now[usize::from(FILE_V)]);
    model::limits(s, v, generation).0.min(top).saturating_sub(s)
}

/// Puts a wide load where the first of each plan stands, and takes it apart there. Words that two loads read are one register from
/// then on: `same` says which.
fn rewrite(mf: &mut MFunc<Gcn>, b: usize, plans: &[Plan], unit: u32, reads: &mut [u32], same: &mut Vec<(VReg, VReg)>) {
    let old = std::mem::take(&mut mf.code[b]);
    let mut gone = vec![false; old.len()];
    let mut wide: Vec<(usize, MI, MI)> = Vec::new();
    for p in plans {
        let mut parts: Vec<Option<VReg>> = vec![None; p.words as usize];
        for l in &p.loads {
            (gone[l.at], gone[l.split]) = (true, true);
            for k in l.first..=l.last {
                let part = &mut parts[(k - p.begin) as usize];
                match (old[l.split].defs[(k - l.from) as usize].vreg(), *part) {
                    (Some(v), Some(first)) => same.push((v, first)),
                    (v, None) => *part = v,
                    (None, _) => {}
                }
            }
        }
        let (o, class) = form(p.words);
        let run = mf.vreg(class);
        let parts: Vec<VReg> = parts.into_iter().map(|p| p.unwrap_or_else(|| mf.vreg(S))).collect();
        let mut load = old[p.at].clone();
        (load.op, load.defs) = (op(o).op, [Def::reg(run)].into_iter().collect());
        load.mods.beyond = 0;
        match p.offset {
            Some(v) => {
                let behind = load.uses.len() - 1;
                load.uses[behind] = Use::reg(v);
                load.mods.past = p.begin * 4;
                reads[v.0 as usize] += 1;
            }
            None => load.mods.offset = p.begin * 4 / unit,
        }
        // Sums that nobody reads any more go too.
        for (v, def) in p.loads.iter().filter_map(|l| l.offset) {
            reads[v.0 as usize] -= 1;
            if let Some(def) = def.filter(|&d| reads[v.0 as usize] == 0 && old[d].mods == Mods::default()) {
                gone[def] |= old[def].target_op() == Some(GOp::I(Op::SAddU32)) && old[def].defs.len() == 1;
            }
        }
        let split = MI::split(&parts, run).at(load.loc);
        wide.push((p.at, load, split));
    }
    wide.sort_by_key(|w| w.0);
    let mut wide = wide.into_iter().peekable();
    for (k, i) in old.into_iter().enumerate() {
        if let Some((_, load, split)) = wide.next_if(|w| w.0 == k) {
            mf.code[b].extend([load, split]);
        }
        if !gone[k] {
            mf.code[b].push(i);
        }
    }
}

/// Widens loads of at most `fuel` groups, and returns of how many. Scalar registers from `registers.0` to `registers.1` can be given out.
pub fn run(mf: &mut MFunc<Gcn>, t: &Gcn, registers: (u32, u32), generation: u8, fuel: u64) -> u64 {
    // The field counts bytes on gfx8 and words before.
    let unit = if generation == GFX8 { 1 } else { 4 };
    let mut reads = reads(mf);
    let mut defs = Defs::new(mf.classes.len());
    let (mut most, mut same, mut done) = (None, Vec::new(), 0);
    for b in 0..mf.blocks.len() {
        defs.enter(&mf.code[b]);
        let tables = tables(&mf.code[b], unit, &reads, &defs);
        let mut plans: Vec<Plan> = tables.into_iter().flat_map(|t| plans(t.loads)).collect();
        if plans.is_empty() {
            continue;
        }
        let room = *most.get_or_insert_with(|| room(mf, t, registers, generation));
        // What lives earlier does so up to the last of its loads.
        plans.sort_by_key(|p| p.at);
        let mut open: Vec<(usize, u32)> = Vec::new();
        plans.retain(|p| {
            open.retain(|o| o.0 >= p.at);
            let fits = done < fuel && open.iter().map(|o| o.1).sum::<u32>() + p.more() <= room;
            if fits {
                done += 1;
                open.extend(Some((p.end, p.more())).filter(|o| o.1 > 0));
            }
            fits
        });
        rewrite(mf, b, &plans, unit, &mut reads, &mut same);
    }
    if !same.is_empty() {
        let mut map: Vec<VReg> = (0..mf.classes.len() as u32).map(VReg).collect();
        same.iter().for_each(|&(v, first)| map[v.0 as usize] = first);
        mf.map_uses(|v| map[v.0 as usize]);
    }
    done
}
