//! Joins loops that follow one another, where what one keeps in a variable is read by the others alone, each word in the same turn.
//!
//! ```text
//! for i { t[i] = a[i] }  for i { a[i] = b[i] }  for i { b[i] = t[i] }     ==>     for i { x = a[i] ; a[i] = b[i] ; b[i] = x }
//! ```
//!
//! The variable is not needed then. So arrays that are exchanged need no third one, and what is made word by word is given on word by word. Loops
//! of as many turns are joined if no turn touches what another turn of any of them writes.
//!
//! Needs: loops as front ends make them, with the counter as their one parameter. Keeps: structured order; blocks between the loops go. Leaves
//! alone: loops with other instructions than pure ones, loads and stores, or between which something else happens, and variables that are used
//! elsewhere.

use crate::PassCx;
use crate::counted::{Affine, Counted, affine, counted};
use gpucc_ir::{Block, EntitySet, Function, Inst, Local, Op, Place, SecondaryMap, Type, Value};
use rustc_hash::FxHashMap;

/// Bytes of the smallest variable that is looked at.
const SMALL: u32 = 16;

/// Loops that are joined at most.
const MOST: usize = 8;

/// Loads and stores of one loop at most.
const ACCESSES: usize = 64;

/// A load or a store of a loop.
#[derive(Clone, Copy, Debug)]
struct Access {
    inst: Inst,
    place: Place,
    /// Where it is, if that grows with the counter.
    at: Option<Affine>,
    /// The type of what is read or written.
    ty: Type,
    is_store: bool,
}

/// A loop whose effects are loads and stores.
#[derive(Debug)]
struct Body {
    counted: Counted,
    accesses: Vec<Access>,
}

/// Loops that become one, and what their loads of the variable read.
struct Joined {
    loops: Vec<Body>,
    of: Local,
    values: Vec<(Value, Value)>,
}

/// Joins loops that need no variable between them.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    if !f.locals.values().any(|l| l.size >= SMALL) {
        return;
    }
    let found = find(f, cx);
    let mut any = false;
    for j in &found {
        if cx.change() {
            join(f, j);
            any = true;
        }
    }
    if any {
        cx.forget_graph();
    }
}

/// Loops that can be joined; each is found once.
fn find(f: &Function, cx: &mut PassCx<'_>) -> Vec<Joined> {
    let preds = cx.preds(f);
    let headers = || f.layout.iter().copied().filter(|&b| f.blocks[b].header.is_some());
    let mut loops: FxHashMap<Block, Body> =
        headers().filter_map(|b| Some((b, body(f, counted(f, b, &preds[b])?)?))).collect();
    if loops.len() < 2 {
        return Vec::new();
    }
    let mut users: SecondaryMap<Local, usize> = SecondaryMap::with_default(0);
    for (_, i) in f.insts_in_order() {
        if let Some(Place::Local(l)) = f.insts[i].place() {
            users[l] += 1;
        }
    }
    let namers = f.namers();
    let uses = cx.uses(f);
    // Nothing that it computes is needed outside, and no other construct ends in it.
    let alone = |l: &Body| {
        let inside = |b: Block| l.counted.blocks.contains(&b);
        let values = |b: Block| {
            let results = f.blocks[b].insts.iter().flat_map(|&i| f.insts[i].results.iter());
            f.blocks[b].params.iter().copied().chain(results).all(|v| uses.of(v).iter().all(|u| inside(u.block)))
        };
        l.counted.exit.args.is_empty()
            && l.counted.blocks.iter().all(|&b| values(b) && namers[b].iter().all(|&n| inside(n)))
    };
    loops.retain(|_, l| alone(l));
    let next = |l: &Body, loops: &FxHashMap<Block, Body>| -> Option<Block> {
        let (header, between) = (l.counted.blocks[0], l.counted.exit.block);
        let (last, rest) = f.blocks[between].insts.split_last()?;
        let (edge, merge) = f.insts[*last].as_jump()?;
        let plain = merge.is_none() && preds[between][..] == [header] && namers[between][..] == [header];
        let pure = rest.iter().all(|&i| f.insts[i].op.is_speculatable());
        let follows = |n: &Body| n.counted.before == between && n.counted.turns == l.counted.turns;
        (plain && pure && loops.get(&edge.block).is_some_and(follows)).then_some(edge.block)
    };
    let mut found = Vec::new();
    for first in headers() {
        let Some(l) = loops.get(&first) else { continue };
        let mut chain = vec![first];
        let mut stored: Vec<Local> = l.accesses.iter().filter(|a| a.is_store).filter_map(|a| local(a.place)).collect();
        stored.dedup();
        let mut left: FxHashMap<Local, usize> = stored.iter().map(|&v| (v, users[v])).collect();
        while chain.len() <= MOST {
            let now = &loops[chain.last().unwrap_or(&first)];
            now.accesses.iter().for_each(|a| {
                if let Some(n) = local(a.place).and_then(|v| left.get_mut(&v)) {
                    *n -= 1;
                }
            });
            let all: Vec<&Body> = chain.iter().map(|b| &loops[b]).collect();
            let given = |&&v: &&Local| left[&v] == 0 && f.locals[v].size >= SMALL && chain.len() > 1;
            let done = stored.iter().filter(given).find_map(|&v| Some((v, forwarded(f, v, &all)?)));
            if let Some((of, values)) = done.filter(|_| apart(cx, &all)) {
                let loops = chain.iter().filter_map(|b| loops.remove(b)).collect();
                found.push(Joined { loops, of, values });
                break;
            }
            let Some(n) = next(now, &loops) else { break };
            chain.push(n);
        }
    }
    found
}

fn local(place: Place) -> Option<Local> {
    match place {
        Place::Local(l) => Some(l),
        _ => None,
    }
}

/// The loads and stores of a loop, if it has no other effects.
fn body(f: &Function, counted: Counted) -> Option<Body> {
    let mut inside: EntitySet<Inst> = EntitySet::new();
    counted.blocks.iter().for_each(|&b| inside.extend_from(&f.blocks[b].insts));
    let (step, turns) = counted.turns;
    let mut accesses = Vec::new();
    for &b in &counted.blocks {
        for &i in &f.blocks[b].insts {
            let d = &f.insts[i];
            let is_store = match d.op {
                Op::Load if b != counted.blocks[0] => false,
                Op::Store if b != counted.blocks[0] => true,
                op if op.is_terminator() || op.is_speculatable() => continue,
                _ => return None,
            };
            let m = d.mem().filter(|m| m.flags.is_alone())?;
            let ty = f.ty(if is_store { d.args[0] } else { d.result() });
            let at = d.dyn_offset().and_then(|v| affine(f, v, counted.counter, (turns - 1) * step, &inside));
            let at = at.and_then(|a| Some(Affine { constant: a.constant.checked_add(m.offset)?, ..a }));
            accesses.push(Access { inst: i, place: m.place, at, ty, is_store });
        }
    }
    (accesses.len() <= ACCESSES).then_some(Body { counted, accesses })
}

/// What each load of a variable reads, if that was stored in the same turn.
fn forwarded(f: &Function, of: Local, loops: &[&Body]) -> Option<Vec<(Value, Value)>> {
    let mut stored: Vec<(Affine, Type, Value)> = Vec::new();
    let mut values = Vec::new();
    for a in loops.iter().flat_map(|l| &l.accesses).filter(|a| a.place == Place::Local(of)) {
        let at = a.at.filter(|at| at.base.is_none())?;
        if a.is_store {
            stored.push((at, a.ty, f.insts[a.inst].args[0]));
            continue;
        }
        let end = at.constant.saturating_add(a.ty.mem_bytes());
        let meets = |s: &&(Affine, Type, Value)| {
            s.0.constant < end && at.constant < s.0.constant.saturating_add(s.1.mem_bytes())
        };
        let last = stored.iter().rev().find(meets)?;
        if last.0 != at || last.1 != a.ty {
            return None;
        }
        values.push((f.insts[a.inst].result(), last.2));
    }
    Some(values)
}

/// Whether no turn of the loops touches what another turn of another one of them writes.
fn apart(cx: &PassCx<'_>, loops: &[&Body]) -> bool {
    let (step, turns) = loops[0].counted.turns;
    let all = || loops.iter().enumerate().flat_map(|(n, l)| l.accesses.iter().map(move |a| (n, a)));
    // The bytes of a turn at a place begin where the first access does and end before those of the next turn.
    let mut first: FxHashMap<Place, Option<Affine>> = FxHashMap::default();
    for (_, a) in all() {
        let known = first.entry(a.place).or_insert(a.at);
        *known = match (*known, a.at) {
            (Some(x), Some(y)) if x.scale == y.scale && x.base == y.base => {
                Some(Affine { constant: x.constant.min(y.constant), ..x })
            }
            _ => None,
        };
    }
    let fits = |a: &Access| {
        let (Some(low), Some(at)) = (first[&a.place], a.at) else { return false };
        let stride = u64::from(low.scale) * u64::from(step);
        let end = u64::from(at.constant - low.constant) + u64::from(a.ty.mem_bytes());
        end <= stride && stride * u64::from(turns) < 1 << 32
    };
    let writes: Vec<(usize, &Access)> = all().filter(|x| x.1.is_store).collect();
    all().all(|(n, a)| {
        let meets = |w: &&(usize, &Access)| w.0 != n && cx.module.overlap(w.1.place, a.place);
        writes.iter().filter(meets).all(|w| w.1.place == a.place && fits(a) && fits(w.1))
    })
}

/// Makes one loop of several.
fn join(f: &mut Function, j: &Joined) {
    let [first, rest @ ..] = &j.loops[..] else { return };
    let mut map: SecondaryMap<Value, Option<Value>> = SecondaryMap::with_default(None);
    j.values.iter().for_each(|&(load, value)| map[load] = Some(value));
    rest.iter().for_each(|l| map[l.counted.counter] = Some(first.counted.counter));
    let forgotten: EntitySet<Inst> =
        j.loops.iter().flat_map(|l| &l.accesses).filter(|a| a.place == Place::Local(j.of)).map(|a| a.inst).collect();
    let (header, body) = (first.counted.blocks[0], first.counted.blocks[1]);
    let mut gone: EntitySet<Block> = EntitySet::new();
    let (mut outside, mut inside) = (Vec::new(), Vec::new());
    for l in rest {
        // What stands between the loops is computed in front of them.
        outside.extend(pure(f, l.counted.before));
        gone.insert(l.counted.before);
        for &b in &l.counted.blocks {
            inside.extend(pure(f, b));
            gone.insert(b);
        }
    }
    for b in first.counted.blocks.iter().copied() {
        f.blocks[b].insts.retain(|i| !forgotten.contains(*i));
    }
    inside.retain(|&i| !forgotten.contains(i));
    // The counter of the first loop is known where its body begins, what it stores where its last block does.
    let last = *first.counted.blocks.last().unwrap_or(&body);
    for &i in &inside {
        f.insts[i].map_uses(|v| map.resolve(v));
    }
    for (b, list) in [(first.counted.before, outside), (last, inside)] {
        let end = f.blocks[b].insts.len() - 1;
        f.blocks[b].insts.insert_many(end, list);
    }
    let exit = rest.last().map_or(&first.counted.exit, |l| &l.counted.exit).clone();
    if let Some(h) = &mut f.blocks[header].header {
        h.merge = exit.block;
    }
    let t = f.terminator(header);
    f.insts[t].map_edges(|e| {
        if e.block == first.counted.exit.block {
            e.clone_from(&exit);
        }
    });
    f.layout.retain(|&b| !gone.contains(b));
}

/// The instructions of a block but the last.
fn pure(f: &Function, b: Block) -> Vec<Inst> {
    let mut list = f.blocks[b].insts.to_vec();
    list.pop();
    list
}
