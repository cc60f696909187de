//! Two vectors of two components that are computed alike become one of four.
//!
//! ```text
//! v3 = fadd uv, v1                    v5 = fadd (uv, uv), (v1, v2)
//! v4 = fadd uv, v2           ==>      v3, v4 = its halves
//! ```
//!
//! Taps around a pixel are such. Within a block, sums and products, with the product that a MAD takes in; `x - y * k` is `x + y * -k`. Only where
//! every operand is the same in both, a constant or uniform words, or a pair itself, and where samples and operations read the result,
//! which take any components of a register: nothing moves then. Words beyond one register of uniforms are no gain.
//!
//! Needs: legalised vectors. Keeps: the CFG, results.

use gpucc_ir::{Attr, Block, Const, FpFlags, Function, Inst, InstData, Op, SecondaryMap, Type, Value};
use gpucc_opt::PassCx;
use smallvec::{SmallVec, smallvec};

use super::facts::Facts;

/// Later instructions that each is held beside, at most.
const PARTNERS: usize = 24;

const ONE: u32 = 1f32.to_bits();

/// `x * y + z`, or one of its halves alone.
#[derive(Clone)]
struct Node {
    at: usize,
    inst: Inst,
    fp: FpFlags,
    /// Factors: the second one is of constants if its sign had to be changed.
    x: Term,
    y: Term,
    z: Option<Value>,
}

#[derive(Clone, Copy, PartialEq)]
enum Term {
    Value(Value),
    /// Two constants.
    Words(u32, u32),
}

/// Runs over a function; gives the number of pairs made.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>, facts: &Facts<'_>) -> u64 {
    let mut made = 0;
    let mut maps = Maps { half: SecondaryMap::new(), place: SecondaryMap::new(), first_use: SecondaryMap::new() };
    for b in f.layout.clone() {
        made += block(f, cx, facts, b, &mut maps);
    }
    made
}

/// Facts about values; made once for all blocks, since a map has room for each value of the function. Numbers count with their
/// block alone.
struct Maps {
    /// Halves of what was made.
    half: SecondaryMap<Value, Option<(Value, u8)>>,
    /// The number of the instruction behind the one that makes a value.
    place: SecondaryMap<Value, Option<(Block, u32)>>,
    /// The first instruction of the block that reads a value.
    first_use: SecondaryMap<Value, Option<(Block, u32)>>,
}

fn block(f: &mut Function, cx: &mut PassCx<'_>, facts: &Facts<'_>, b: Block, maps: &mut Maps) -> u64 {
    let list: Vec<Inst> = f.blocks[b].insts.to_vec();
    let Maps { half, place, first_use } = maps;
    let mut nodes: Vec<Node> = Vec::new();
    for (k, &i) in list.iter().enumerate() {
        for v in f.insts[i].results {
            place[v] = Some((b, k as u32 + 1));
        }
        nodes.extend(node(f, facts, i, k));
    }
    if nodes.len() < 2 {
        return 0;
    }
    for (k, &i) in list.iter().enumerate().rev() {
        f.insts[i].for_each_use(|v| first_use[v] = Some((b, k as u32)));
    }
    let mut taken = vec![false; nodes.len()];
    // The code behind an instruction of the list.
    let mut behind: Vec<SmallVec<[Inst; 4]>> = vec![SmallVec::new(); list.len()];
    let mut gone = vec![false; list.len()];
    let mut made = 0;
    for p in 0..nodes.len() {
        if taken[p] {
            continue;
        }
        for q in (p + 1..nodes.len()).filter(|&q| !taken[q]).take(PARTNERS).collect::<Vec<_>>() {
            let (n, m) = (&nodes[p], &nodes[q]);
            // All operands are there by the second, if nobody reads the first before; those of the second may be by the first.
            let read = first_use[f.insts[n.inst].result()].is_some_and(|(x, u)| x == b && (u as usize) <= m.at);
            let known = |t: Term| match t {
                Term::Value(v) => place[v].is_none_or(|(x, k)| x != b || k as usize <= n.at),
                Term::Words(..) => true,
            };
            let early = known(m.x) && known(m.y) && m.z.is_none_or(|z| known(Term::Value(z)));
            if (read && !early) || n.z.is_some() != m.z.is_some() {
                continue;
            }
            let at = if early { n.at } else { m.at };
            let Some((n, slots)) = alike(f, facts, half, n, m).filter(|_| cx.change()) else { continue };
            let (first, second) = (n.inst, m.inst);
            let mut new: SmallVec<[Inst; 4]> = SmallVec::new();
            let v = emit(f, &n, m, &slots, &mut new);
            for (k, i) in [first, second].into_iter().enumerate() {
                let lanes: SmallVec<[u8; 4]> = smallvec![2 * k as u8, 2 * k as u8 + 1];
                let d = &mut f.insts[i];
                d.op = Op::Shuffle;
                d.args = [v, v].into_iter().collect();
                d.attr = Attr::Lanes(lanes);
                half[d.result()] = Some((v, k as u8));
                place[d.result()] = Some((b, at as u32 + 1));
                new.push(i);
            }
            gone[n.at] = true;
            gone[m.at] = true;
            behind[at].extend(new);
            (taken[p], taken[q]) = (true, true);
            made += 1;
            break;
        }
    }
    if made > 0 {
        let out = &mut f.blocks[b].insts;
        out.clear();
        for (k, &i) in list.iter().enumerate() {
            if !gone[k] {
                out.push(i);
            }
            out.extend(behind[k].iter().copied());
        }
    }
    made
}

/// An instruction that may be half of a pair.
fn node(f: &Function, facts: &Facts<'_>, i: Inst, at: usize) -> Option<Node> {
    let d = &f.insts[i];
    if !matches!(d.op, Op::FAdd | Op::FSub | Op::FMul) || f.ty(d.result()) != Type::F32.with_lanes(2) {
        return None;
    }
    let takes = |u: &gpucc_ir::analysis::Use| {
        let d = &f.insts[u.inst];
        matches!(d.op, Op::FAdd | Op::FSub | Op::FMul) || (d.op == Op::Sample && d.args.len() == 1)
    };
    let users = facts.uses.of(d.result());
    if users.is_empty() || !users.iter().all(takes) || facts.steps.computed(d.result()).is_some() {
        return None;
    }
    let minus = d.op == Op::FSub;
    let one = Term::Words(ONE, ONE);
    if d.op == Op::FMul {
        // A MAD takes it in.
        if let [u] = users
            && matches!(f.insts[u.inst].op, Op::FAdd | Op::FSub)
        {
            return None;
        }
        return Some(Node { at, inst: i, fp: d.fp, x: term(f, d.args[0]), y: term(f, d.args[1]), z: None });
    }
    for k in [1, 0] {
        let Some(m) = f.def_op(d.args[k], Op::FMul).filter(|_| facts.uses.count(d.args[k]) == 1) else { continue };
        if minus && k == 0 {
            continue;
        }
        let (mut x, mut y) = (term(f, m.args[0]), term(f, m.args[1]));
        if matches!(x, Term::Words(..)) {
            (x, y) = (y, x);
        }
        if minus {
            let Some(opposite) = opposite(y) else { continue };
            y = opposite;
        }
        return Some(Node { at, inst: i, fp: d.fp.and(m.fp), x, y, z: Some(d.args[1 - k]) });
    }
    let y = if minus { opposite(one)? } else { one };
    Some(Node { at, inst: i, fp: d.fp, x: term(f, d.args[1]), y, z: Some(d.args[0]) })
}

fn opposite(t: Term) -> Option<Term> {
    match t {
        Term::Words(a, b) => Some(Term::Words(a ^ 1 << 31, b ^ 1 << 31)),
        Term::Value(_) => None,
    }
}

fn term(f: &Function, v: Value) -> Term {
    match f.as_const(v) {
        Some(c) => Term::Words(c.bits[0] as u32, c.bits[1] as u32),
        None => Term::Value(v),
    }
}

/// Where both halves of an operand come from.
#[derive(Clone, Copy)]
enum Slot {
    /// The same vector twice.
    Twice(Value),
    /// A pair, in order.
    Pair(Value),
    /// Words of constants and uniforms.
    Words,
}

/// How two vectors are an operand together, and the words that takes.
fn slot(
    f: &Function,
    facts: &Facts<'_>,
    half: &SecondaryMap<Value, Option<(Value, u8)>>,
    (a, b): (Term, Term),
    words: &mut SmallVec<[(Option<Value>, u32); 8]>,
) -> Option<Slot> {
    let mut note = |t: Term| {
        match t {
            Term::Words(x, y) => {
                for w in [x, y] {
                    if !words.contains(&(None, w)) {
                        words.push((None, w));
                    }
                }
            }
            Term::Value(v) => {
                let (v, n) = f.def_op(v, Op::Splat).map_or((v, 2), |d| (d.args[0], 1));
                if !facts.is_uniform(f, v) {
                    return false;
                }
                for k in 0..n {
                    if !words.contains(&(Some(v), k)) {
                        words.push((Some(v), k));
                    }
                }
            }
        }
        true
    };
    if let (Term::Value(v), Term::Value(w)) = (a, b) {
        if v == w {
            note(a);
            return Some(Slot::Twice(v));
        }
        if let (Some((p, 0)), Some((q, 1))) = (half[v], half[w])
            && p == q
        {
            return Some(Slot::Pair(p));
        }
    }
    (note(a) && note(b)).then_some(Slot::Words)
}

/// The first of two as the second has its operands, and how they are together.
fn alike(
    f: &Function,
    facts: &Facts<'_>,
    half: &SecondaryMap<Value, Option<(Value, u8)>>,
    n: &Node,
    m: &Node,
) -> Option<(Node, SmallVec<[Slot; 3]>)> {
    let one = |t: Term| matches!(t, Term::Words(a, b) if (a | b) & 0x7fff_ffff == ONE);
    let mut ways: SmallVec<[Node; 3]> = smallvec![n.clone()];
    ways.push(Node { x: n.y, y: n.x, ..n.clone() });
    if let (Some(z), Term::Value(x), Term::Words(ONE, ONE)) = (n.z, n.x, n.y) {
        ways.push(Node { x: Term::Value(z), z: Some(x), ..n.clone() });
    }
    for w in ways {
        // A sum alone has no product: beside one it gets a factor of 1.
        let mut words = SmallVec::new();
        let plain = w.z.is_some() && one(w.y) && w.y == m.y;
        let Some(x) = slot(f, facts, half, (w.x, m.x), &mut words) else { continue };
        let y = if plain { Some(Slot::Words) } else { slot(f, facts, half, (w.y, m.y), &mut words) };
        let Some(y) = y else { continue };
        let mut slots: SmallVec<[Slot; 3]> = smallvec![x, y];
        if let (Some(a), Some(b)) = (w.z, m.z) {
            let Some(z) = slot(f, facts, half, (term(f, a), term(f, b)), &mut words) else { continue };
            slots.push(z);
        }
        if words.len() <= 4 {
            return Some((w, slots));
        }
    }
    None
}

/// The operation of four; what it needs comes before it.
fn emit(f: &mut Function, n: &Node, m: &Node, slots: &[Slot], new: &mut SmallVec<[Inst; 4]>) -> Value {
    let four = Type::F32.with_lanes(4);
    let loc = f.insts[m.inst].loc;
    let fp = n.fp.and(m.fp);
    let mut push = |f: &mut Function, data: InstData, ty: Type| {
        let i = f.make_inst(data.at(loc).fp(fp), &[ty]);
        new.push(i);
        f.insts[i].result()
    };
    let mut operand = |f: &mut Function, s: Slot, a: Term, b: Term| match s {
        Slot::Pair(v) => v,
        Slot::Twice(v) => push(f, InstData::new(Op::Shuffle, &[v, v], Attr::Lanes(smallvec![0, 1, 0, 1])), four),
        Slot::Words => {
            if let (Term::Words(p, q), Term::Words(r, s)) = (a, b) {
                return f.constant(Const::new(four, &[p, q, r, s].map(u64::from)));
            }
            let mut parts: SmallVec<[Value; 4]> = SmallVec::new();
            for t in [a, b] {
                for k in 0..2u8 {
                    parts.push(match t {
                        Term::Words(p, q) => f.constant(Const::new(Type::F32, &[[p, q][usize::from(k)].into()])),
                        Term::Value(v) => match f.def_op(v, Op::Splat).map(|d| d.args[0]) {
                            Some(x) => x,
                            None => push(f, InstData::new(Op::Extract, &[v], Attr::Lane(k)), Type::F32),
                        },
                    });
                }
            }
            push(f, InstData::new(Op::Compose, &parts, Attr::None), four)
        }
    };
    let x = operand(f, slots[0], n.x, m.x);
    let plus = n.y == m.y && n.y == Term::Words(ONE, ONE);
    let minus = n.y == m.y && Some(n.y) == opposite(Term::Words(ONE, ONE));
    let y = if plus || minus { None } else { Some(operand(f, slots[1], n.y, m.y)) };
    let z = match (n.z, m.z) {
        (Some(a), Some(b)) => Some(operand(f, slots[2], term(f, a), term(f, b))),
        _ => None,
    };
    let mut v = x;
    if let Some(y) = y {
        v = push(f, InstData::new(Op::FMul, &[x, y], Attr::None), four);
    }
    match z {
        Some(z) if minus => push(f, InstData::new(Op::FSub, &[z, v], Attr::None), four),
        Some(z) => push(f, InstData::new(Op::FAdd, &[z, v], Attr::None), four),
        None => v,
    }
}
