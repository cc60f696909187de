//! Splits vectors into scalars for targets whose registers hold one lane's value.
//!
//! ```text
//! v2 = fadd v0, v1 : f32x2        v2 = fadd v0.x, v1.x
//! jump block1(v2)           ==>   v3 = fadd v0.y, v1.y
//!                                 jump block1(v2, v3)
//! ```
//!
//! Vector loads, stores, system values and ops of fixed vector types (packing) stay whole; scalars meet them through
//! `extract` and `compose`, which cost nothing where a backend keeps such a value as a run of registers. Needs: no calls
//! with vector parameters (run after `inline`). Keeps: the CFG. Extracts that nobody uses are left for `dce`.

use gpucc_ir::{Attr, Block, Builder, Function, Inst, InstData, Module, Op, SecondaryMap, Value, ValueDef};
use smallvec::SmallVec;

use crate::caps::Caps;

/// The scalars of a value: none as long as it is not known, one where it is a scalar or became another value.
#[derive(Clone, Copy)]
struct Lanes {
    count: u8,
    of: [Value; 4],
}

impl Default for Lanes {
    fn default() -> Lanes {
        Lanes { count: 0, of: [Value(0); 4] }
    }
}

impl FromIterator<Value> for Lanes {
    fn from_iter<I: IntoIterator<Item = Value>>(values: I) -> Lanes {
        let mut lanes = Lanes::default();
        for (v, at) in values.into_iter().zip(&mut lanes.of) {
            *at = v;
            lanes.count += 1;
        }
        lanes
    }
}

impl core::ops::Deref for Lanes {
    type Target = [Value];

    fn deref(&self) -> &[Value] {
        &self.of[..usize::from(self.count)]
    }
}

/// Runs over a function; gives the number of instructions split, and of those that stay whole and have extracts or composes put beside them.
pub fn run(_module: &Module, f: &mut Function, _caps: &Caps) -> u64 {
    let mut lanes: SecondaryMap<Value, Lanes> = SecondaryMap::new();
    lanes.reserve(f.values.len());
    let mut changes = 0;
    // Parameters first, so that every edge knows the new list. The entry's parameters are the caller's business.
    for block in f.layout.clone().into_iter().skip(1) {
        let old = f.blocks[block].params.clone();
        if !old.iter().any(|&p| f.ty(p).is_vector()) {
            continue;
        }
        changes += 1;
        // Parameters keep their order; a vector's lanes stand where it stood.
        f.retain_params(block, |_, _| false);
        for &p in &old {
            let ty = f.ty(p);
            if ty.is_vector() {
                lanes[p] = (0..ty.lanes()).map(|_| f.add_param(block, ty.lane())).collect();
            } else {
                let n = f.blocks[block].params.len() as u32;
                f.blocks[block].params.push(p);
                f.values[p].def = ValueDef::Param(block, n);
            }
        }
    }
    let mut old = Vec::new();
    for block in order(f) {
        f.take_insts(block, &mut old);
        for &i in &old {
            let before = f.blocks[block].insts.len();
            let is_split = split(f, block, i, &mut lanes);
            changes += u64::from(is_split || f.blocks[block].insts.len() > before + 1);
        }
    }
    changes
}

/// Reachable blocks, each after its dominators: reverse post order.
pub(crate) fn order(f: &Function) -> Vec<Block> {
    let mut seen: SecondaryMap<Block, bool> = SecondaryMap::with_default(false);
    let mut post = Vec::new();
    let mut stack = vec![(f.entry(), 0)];
    seen.set(f.entry(), true);
    while let Some((b, n)) = stack.pop() {
        match f.insts[f.terminator(b)].edge(n).map(|e| e.block) {
            Some(s) => {
                stack.push((b, n + 1));
                if !seen[s] {
                    seen.set(s, true);
                    stack.push((s, 0));
                }
            }
            None => post.push(b),
        }
    }
    post.reverse();
    post
}

/// The scalars of a vector value, extracted once where it is defined.
fn lanes_of(b: &mut Builder<'_>, v: Value, lanes: &mut SecondaryMap<Value, Lanes>) -> Lanes {
    let ty = b.func.ty(v);
    if !ty.is_vector() {
        return Lanes::from_iter([v]);
    }
    if lanes[v].is_empty() {
        lanes[v] = if b.func.is_undef(v) {
            (0..ty.lanes()).map(|_| b.func.undef(ty.lane())).collect()
        } else {
            (0..ty.lanes()).map(|k| b.extract(v, k)).collect()
        };
    }
    lanes[v]
}

/// Appends `i`, split or not; true if it was split.
fn split(f: &mut Function, block: Block, i: Inst, lanes: &mut SecondaryMap<Value, Lanes>) -> bool {
    // Scalars that turned out to be another value (an extracted lane) have that one as their only "lane".
    f.insts[i].map_uses(|v| if lanes[v].len() == 1 { lanes[v][0] } else { v });
    let d = &f.insts[i];
    let scalars =
        !d.results.first().is_some_and(|r| f.ty(r).is_vector()) && !d.args.iter().any(|&a| f.ty(a).is_vector());
    if scalars && !d.op.is_terminator() {
        f.blocks[block].insts.push(i);
        return false;
    }
    let d = d.clone();
    let mut b = Builder::like(f, block, i);
    let vector = d.results.first().is_some_and(|r| b.func.ty(r).is_vector());
    if d.op.is_terminator() {
        let mut d = d;
        d.map_edges(|e| {
            if e.args.iter().any(|&a| b.func.ty(a).is_vector()) {
                let args = std::mem::take(&mut e.args);
                args.iter().for_each(|&a| e.args.extend(lanes_of(&mut b, a, lanes).iter().copied()));
            }
        });
        d.args = d.args.iter().map(|&a| whole(&mut b, a, lanes)).collect();
        b.func.insts[i] = d;
        b.func.blocks[block].insts.push(i);
        return false;
    }
    let result = d.results.first();
    let args = |b: &mut Builder<'_>, lanes: &mut SecondaryMap<Value, Lanes>| -> SmallVec<[Lanes; 4]> {
        d.args.iter().map(|&a| lanes_of(b, a, lanes)).collect()
    };
    let n = result.map_or(1, |r| b.func.ty(r).lanes()) as usize;
    let out: Lanes = match d.op {
        op if op.is_lanewise() && vector => {
            let a = args(&mut b, lanes);
            let ty = b.func.ty(d.result()).lane();
            let mut ops: SmallVec<[Value; 4]> = SmallVec::from_elem(Value(0), a.len());
            (0..n)
                .map(|k| {
                    ops.iter_mut().zip(&a).for_each(|(op, l)| *op = if l.len() == 1 { l[0] } else { l[k] });
                    one(&mut b, &d, &ops, ty)
                })
                .collect()
        }
        Op::Bitcast if same_lanes(&b, &d) => {
            let a = args(&mut b, lanes);
            let ty = b.func.ty(d.result()).lane();
            a[0].iter().map(|&v| one(&mut b, &d, &[v], ty)).collect()
        }
        Op::Splat => {
            let a = args(&mut b, lanes);
            (0..n).map(|_| a[0][0]).collect()
        }
        Op::Compose => args(&mut b, lanes).iter().map(|l| l[0]).collect(),
        Op::Insert => {
            let (mut a, Attr::Lane(k)) = (args(&mut b, lanes), &d.attr) else { unreachable!("insert has a lane") };
            a[0].of[*k as usize] = a[1][0];
            a[0]
        }
        Op::Extract => {
            let (a, Attr::Lane(k)) = (args(&mut b, lanes), &d.attr) else { unreachable!("extract has a lane") };
            Lanes::from_iter([a[0][*k as usize]])
        }
        Op::Shuffle => {
            let (a, Attr::Lanes(l)) = (args(&mut b, lanes), &d.attr) else { unreachable!("shuffle has lanes") };
            l.iter().map(|&k| if k < 4 { a[0][k as usize] } else { a[1][k as usize - 4] }).collect()
        }
        _ => {
            // Whole: operands are composed again, lanes of the result extracted behind it.
            let mut d = d.clone();
            d.args = d.args.iter().map(|&a| whole(&mut b, a, lanes)).collect();
            b.func.insts[i] = d;
            b.func.blocks[block].insts.push(i);
            if let Some(r) = result {
                lanes_of(&mut b, r, lanes);
            }
            return false;
        }
    };
    if let Some(r) = result {
        lanes[r] = out;
    }
    true
}

fn same_lanes(b: &Builder<'_>, d: &InstData) -> bool {
    b.func.ty(d.args[0]).lanes() == b.func.ty(d.result()).lanes()
}

/// Whether `v` is itself an `extract` from `of`.
fn lanes_are_fresh(b: &Builder<'_>, v: Value, of: Value) -> bool {
    b.func.def_op(v, Op::Extract).is_some_and(|x| x.args[0] == of)
}

/// The scalar form of one lane.
fn one(b: &mut Builder<'_>, d: &InstData, args: &[Value], ty: gpucc_ir::Type) -> Value {
    let i = b.raw(InstData::new(d.op, args, d.attr.clone()), &[ty]);
    b.func.insts[i].fp = d.fp;
    b.func.insts[i].result()
}

/// The vector as one value: itself where it is still defined, else composed of its lanes.
fn whole(b: &mut Builder<'_>, v: Value, lanes: &mut SecondaryMap<Value, Lanes>) -> Value {
    if !b.func.ty(v).is_vector() || b.func.as_const(v).is_some() || b.func.is_undef(v) || lanes[v].is_empty() {
        return v;
    }
    let l = lanes[v];
    if lanes_are_fresh(b, l[0], v) {
        return v;
    }
    b.compose(&l)
}
