//! Long runs of loads and stores that copy word after word become loops.

use crate::PassCx;
use gpucc_ir::{
    Block, Builder, Edge, Function, Inst, IntCc, LoopHeader, Mem, MemFlags, Op, Place, SecondaryMap, Type, Value,
};

/// Loads and stores in a row that become a loop.
pub const RUN: usize = 64;

/// Loads and stores of one turn.
const TURN: usize = 4;

/// One side of a run: the place, what is added to its offsets, the offset of the next access.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Side {
    place: Place,
    base: Option<Value>,
    next: u32,
}

/// Loads and stores of one type, each where the last ones ended.
struct Run {
    ty: Type,
    from: Side,
    to: Side,
    pairs: Vec<(Inst, Inst)>,
    /// The number of the last store in its block.
    last: usize,
}

/// Makes loops of runs; whether there were some.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) -> bool {
    let mut uses: Option<SecondaryMap<Value, u32>> = None;
    let mut any = false;
    for b in f.layout.clone() {
        let insts = &f.blocks[b].insts;
        let few = |op: Op| insts.iter().filter(|&&i| f.insts[i].op == op).count() < RUN;
        if insts.len() < 2 * RUN || few(Op::Load) || few(Op::Store) {
            continue;
        }
        let uses = uses.get_or_insert_with(|| {
            let mut uses = SecondaryMap::with_default(0);
            f.insts_in_order().for_each(|(_, i)| f.insts[i].for_each_use(|v| uses[v] += 1));
            uses
        });
        // The last one first: what is in front of it stays in this block.
        for r in runs(f, cx, b, uses).iter().rev() {
            if cx.change() {
                make_loop(f, b, r);
                any = true;
            }
        }
    }
    any
}

/// The long runs of a block.
fn runs(f: &Function, cx: &PassCx<'_>, b: Block, uses: &SecondaryMap<Value, u32>) -> Vec<Run> {
    let mut found: Vec<Run> = Vec::new();
    let mut open: Option<Run> = None;
    let mut loaded: SecondaryMap<Inst, usize> = SecondaryMap::with_default(0);
    // What was loaded in front of this may have been written since.
    let mut clean = 0;
    let close = |open: &mut Option<Run>, found: &mut Vec<Run>| {
        let end = open.as_ref().map_or(0, |r| r.last + 1);
        found.extend(open.take().filter(|r| r.pairs.len() >= RUN));
        end
    };
    for (k, &i) in f.blocks[b].insts.iter().enumerate() {
        let d = &f.insts[i];
        if d.op == Op::Load {
            loaded[i] = k + 1;
            let place = d.mem().expect("a load has its memory").place;
            if open.as_ref().is_some_and(|r| cx.module.overlap(r.to.place, place)) {
                clean = clean.max(close(&mut open, &mut found));
            }
            continue;
        }
        if d.op.is_speculatable() {
            continue;
        }
        let pair = pair(f, cx, i, uses).filter(|(load, ..)| loaded[*load] > clean);
        let goes_on = |(_, ty, from, to): &(Inst, Type, Side, Side)| {
            open.as_ref().is_some_and(|r| r.ty == *ty && r.from == *from && r.to == *to)
        };
        if !pair.as_ref().is_some_and(goes_on) {
            clean = clean.max(close(&mut open, &mut found));
        }
        let Some((load, ty, from, to)) = pair.filter(|(load, ..)| loaded[*load] > clean) else {
            clean = k + 1;
            continue;
        };
        let r = open.get_or_insert(Run { ty, from, to, pairs: Vec::new(), last: k });
        r.pairs.push((load, i));
        r.last = k;
        r.from.next = from.next.wrapping_add(ty.mem_bytes());
        r.to.next = to.next.wrapping_add(ty.mem_bytes());
    }
    close(&mut open, &mut found);
    found
}

/// The load of what a store writes, the type, and where both are, if the two do nothing but copy.
fn pair(f: &Function, cx: &PassCx<'_>, i: Inst, uses: &SecondaryMap<Value, u32>) -> Option<(Inst, Type, Side, Side)> {
    let d = &f.insts[i];
    if d.op != Op::Store {
        return None;
    }
    let load = f.def_inst(d.args[0]).filter(|&l| f.insts[l].op == Op::Load && uses[d.args[0]] == 1)?;
    let side = |i: Inst| {
        let m = f.insts[i].mem().filter(|m| m.flags.is_alone() && m.place != Place::Address)?;
        Some(Side { place: m.place, base: f.insts[i].dyn_offset(), next: m.offset })
    };
    let (from, to) = (side(load)?, side(i)?);
    (!cx.module.overlap(from.place, to.place)).then_some((load, f.ty(d.args[0]), from, to))
}

/// Puts a loop in place of most of a run; what is too few for a turn stays in front of it.
fn make_loop(f: &mut Function, b: Block, r: &Run) {
    let turns = r.pairs.len() / TURN;
    let (whole, _) = r.pairs.split_at(turns * TURN);
    let width = r.ty.mem_bytes();
    let (mut load, mut store) = (mem(f, whole[0].0), mem(f, whole[0].1));
    for &(l, s) in whole {
        let (l, s) = (mem(f, l), mem(f, s));
        load = Mem { align: load.align.min(l.align), flags: MemFlags(load.flags.0 & l.flags.0), ..load };
        store = Mem { align: store.align.min(s.align), flags: MemFlags(store.flags.0 & s.flags.0), ..store };
    }
    let like = whole[0].1;
    let (head, body, cont, done) = (f.make_block(), f.make_block(), f.make_block(), f.make_block());
    let at = f.layout.iter().position(|&x| x == b).map_or(f.layout.len(), |p| p + 1);
    f.layout.splice(at..at, [head, body, cont, done]);
    let mut first: Vec<Inst> = f.blocks[b].insts.to_vec();
    let rest = first.split_off(r.last + 1);
    let gone: gpucc_ir::EntitySet<Inst> = whole.iter().flat_map(|p| [p.0, p.1]).collect();
    f.blocks[b].insts = first.into_iter().filter(|&i| !gone.contains(i)).collect();
    f.blocks[done].insts = rest.into_iter().filter(|&i| !gone.contains(i)).collect();
    let counter = f.add_param(head, Type::I32);
    let [zero, end, step] = [0, turns * TURN, TURN].map(|n| f.iconst(Type::I32, n as i64 * i64::from(width)));
    Builder::like(f, b, like).jump(head, &[zero]);
    f.blocks[head].header = Some(LoopHeader { merge: done, cont });
    let mut x = Builder::like(f, head, like);
    let more = x.icmp(IntCc::Ult, counter, end);
    x.br(more, Edge::to(body), Edge::to(done), None);
    let mut x = Builder::like(f, body, like);
    let [from, to] = [r.from.base, r.to.base].map(|base| match base {
        Some(base) => x.iadd(base, counter),
        None => counter,
    });
    for k in 0..TURN as u32 {
        let by = |m: Mem| Mem { offset: m.offset + k * width, align: m.align.min(width.next_power_of_two()), ..m };
        let v = x.load(r.ty, by(load), Some(from));
        x.store(v, by(store), Some(to));
    }
    x.jump(cont, &[]);
    let mut x = Builder::like(f, cont, like);
    let next = x.iadd(counter, step);
    x.jump(head, &[next]);
}

fn mem(f: &Function, i: Inst) -> Mem {
    *f.insts[i].mem().expect("an access has its memory")
}
