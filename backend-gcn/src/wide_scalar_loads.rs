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
//! Needs: virtual registers, each defined once. Keeps: blocks and edges. Within a block, of one descriptor, at offsets that are known,
//! of memory that nothing writes. Words that nobody asked for are read only where the buffer is known to have them, and no more of
//! them than others. Leaves alone what would take registers that cost a wave.

use gpucc_gcn_machine::{GFX8, Op};
use gpucc_mir::{Class, Def, MFunc, Pressure, Pseudo, Src, Target, VReg};

use crate::inst::{FILE_S, FILE_V, GOp, Gcn, IN_OPERAND, MI, S, S2, S4, S8, S16, op};
use crate::model;

/// The words of the widest load.
const WIDEST: u32 = 16;

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
}

/// Loads of one descriptor.
struct Table {
    descriptor: (u8, Option<Src>),
    loads: Vec<Load>,
}

/// Loads that one takes the place of.
struct Plan {
    loads: Vec<Load>,
    begin: u32,
    words: u32,
}

impl Plan {
    /// Words that live earlier than they did, at most.
    fn more(&self) -> u32 {
        let first = self.loads.iter().min_by_key(|l| l.at).map_or(0, |l| l.words);
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

/// Loads at known offsets, by descriptor.
fn tables(insts: &[MI], unit: u32, reads: &[u32]) -> Vec<Table> {
    let mut out: Vec<Table> = Vec::new();
    for (at, i) in insts.iter().enumerate() {
        let Some(GOp::I(o)) = i.target_op() else { continue };
        let Some(words) = width(o).filter(|_| i.mods.readonly) else { continue };
        let behind = usize::from(i.mods.sbase == IN_OPERAND);
        // A register besides is an offset that is not known.
        let [d] = i.defs.as_slice() else { continue };
        let Some(run) = d.vreg().filter(|_| i.uses.len() == behind) else { continue };
        let offset = i.mods.offset * unit;
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
        let load = Load { at, split, from, first: from + first, last: from + last, end, words };
        let descriptor = (i.mods.sbase, i.uses.first().map(|u| u.src));
        match out.iter_mut().find(|t| t.descriptor == descriptor) {
            Some(t) => t.loads.push(load),
            None => out.push(Table { descriptor, loads: vec![load] }),
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
    plans
        .filter(|(loads, _)| loads.len() > 1)
        .filter_map(|(loads, cover)| cover.map(|(begin, words)| Plan { loads, begin, words }))
        .collect()
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
fn rewrite(mf: &mut MFunc<Gcn>, b: usize, plans: &[Plan], unit: u32, same: &mut Vec<(VReg, VReg)>) {
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
        let at = p.loads.iter().map(|l| l.at).min().unwrap_or(0);
        let mut load = old[at].clone();
        (load.op, load.defs) = (op(o).op, [Def::reg(run)].into_iter().collect());
        (load.mods.offset, load.mods.beyond) = (p.begin * 4 / unit, 0);
        let split = MI::split(&parts, run).at(load.loc);
        wide.push((at, load, split));
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
    let reads = reads(mf);
    let (mut most, mut same, mut done) = (None, Vec::new(), 0);
    for b in 0..mf.blocks.len() {
        let tables = tables(&mf.code[b], unit, &reads);
        let mut plans: Vec<Plan> = tables.into_iter().flat_map(|t| plans(t.loads)).collect();
        if plans.is_empty() {
            continue;
        }
        let mut room = *most.get_or_insert_with(|| room(mf, t, registers, generation));
        plans.retain(|p| {
            let fits = done < fuel && p.more() <= room;
            if fits {
                (room, done) = (room - p.more(), done + 1);
            }
            fits
        });
        rewrite(mf, b, &plans, unit, &mut same);
    }
    if !same.is_empty() {
        let mut map: Vec<VReg> = (0..mf.classes.len() as u32).map(VReg).collect();
        same.iter().for_each(|&(v, first)| map[v.0 as usize] = first);
        mf.map_uses(|v| map[v.0 as usize]);
    }
    done
}
