//! Parameters of a block that are put together again become one vector parameter.
//!
//! ```text
//! b1(v1, v2):                              b1(v9):
//!   v3 = compose v1, v2          ==>         v3 is v9; v1, v2 are its lanes
//!   .. jump b1(lane 0 of v8, lane 1 of v8)   .. jump b1(v8)
//! ```
//!
//! Where every edge but one passes lanes of one vector, constants, or one value.

use gpucc_ir::{Attr, Block, Const, Edge, Function, Inst, InstData, Op, SecondaryMap, Type, Value, ValueDef};
use smallvec::SmallVec;

use super::facts::lane_of;

/// Runs over a function; gives the number of vectors made.
pub fn run(f: &mut Function) -> u64 {
    let mut made = 0;
    let mut replace: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
    let composes: Vec<Inst> = f.insts_in_order().map(|(_, i)| i).filter(|&i| f.insts[i].op == Op::Compose).collect();
    let preds = f.preds();
    for i in composes {
        let d = &f.insts[i];
        let args: SmallVec<[Value; 4]> = d.args.iter().copied().collect();
        let home = |v: Value| match f.values[v].def {
            ValueDef::Param(b, n) => Some((b, n as usize)),
            _ => None,
        };
        let places: Option<SmallVec<[(Block, usize); 4]>> = args.iter().map(|&v| home(v)).collect();
        let Some(places) = places else { continue };
        let b = places[0].0;
        let distinct = (1..args.len()).all(|k| !args[..k].contains(&args[k]));
        let live = |p: &(Block, usize)| f.blocks[b].params.get(p.1).is_some();
        if b == f.entry() || !distinct || !places.iter().all(|p| p.0 == b && live(p)) || replaced(&replace, &args) {
            continue;
        }
        let from: Vec<Block> = {
            let mut list: Vec<Block> = Vec::new();
            for &p in &preds[b] {
                if !list.contains(&p) {
                    list.push(p);
                }
            }
            list
        };
        if cost(f, &from, b, &places) > 1 {
            continue;
        }
        let ty = f.ty(f.insts[i].result());
        let vector = pass(f, &from, b, &places, ty);
        let result = f.insts[i].result();
        replace[result] = Some(vector);
        for (k, &v) in args.iter().enumerate() {
            let one = f.ty(v);
            let e = f.make_inst(InstData::new(Op::Extract, &[vector], Attr::Lane(k as u8)), &[one]);
            f.blocks[b].insts.insert(0, e);
            replace[v] = Some(f.insts[e].result());
        }
        made += 1;
    }
    if made > 0 {
        f.replace_uses(&replace);
    }
    made
}

fn replaced(replace: &SecondaryMap<Value, Option<Value>>, args: &[Value]) -> bool {
    args.iter().any(|&v| replace[v].is_some())
}

/// Edges on which the lanes would have to be put together.
fn cost(f: &Function, from: &[Block], b: Block, places: &[(Block, usize)]) -> u32 {
    let mut bad = 0;
    for &p in from {
        for e in f.edges(p).iter().filter(|e| e.block == b) {
            let args: SmallVec<[Value; 4]> = places.iter().map(|x| e.args[x.1]).collect();
            let fixed = args.iter().all(|&a| f.as_const(a).is_some());
            let same = args.iter().all(|&a| a == args[0]);
            let lanes: Option<SmallVec<[Value; 4]>> = args.iter().map(|&a| lane_of(f, a).map(|l| l.0)).collect();
            let whole = lanes.is_some_and(|l| l.iter().all(|&w| w == l[0]));
            bad += u32::from(!fixed && !same && !whole);
        }
    }
    bad
}

/// Makes the parameter and passes it on all edges; the old parameters go.
fn pass(f: &mut Function, from: &[Block], b: Block, places: &[(Block, usize)], ty: Type) -> Value {
    for &p in from {
        let t = f.terminator(p);
        let edges: Vec<Vec<Value>> = f.insts[t].edges().iter().map(|e| e.args.to_vec()).collect();
        let goals: Vec<Block> = f.insts[t].edges().iter().map(|e| e.block).collect();
        for (k, old) in edges.iter().enumerate().filter(|(k, _)| goals[*k] == b) {
            let args: SmallVec<[Value; 4]> = places.iter().map(|x| old[x.1]).collect();
            let v = join(f, p, &args, ty);
            let mut args: Vec<Value> =
                old.iter().enumerate().filter(|(n, _)| !places.iter().any(|x| x.1 == *n)).map(|x| *x.1).collect();
            args.push(v);
            f.insts[t].set_edge(k, &Edge::with(b, &args));
        }
    }
    f.retain_params(b, |k, _| !places.iter().any(|x| x.1 == k));
    f.add_param(b, ty)
}

/// The values as one, at the end of a block.
fn join(f: &mut Function, b: Block, args: &[Value], ty: Type) -> Value {
    let consts: Option<Vec<u64>> = args.iter().map(|&v| f.const_bits(v)).collect();
    if let Some(bits) = consts {
        return f.constant(Const::new(ty, &bits));
    }
    let lanes: Option<SmallVec<[(Value, u8); 4]>> = args.iter().map(|&a| lane_of(f, a)).collect();
    let data = match lanes {
        Some(l) if l.iter().all(|x| x.0 == l[0].0) => {
            let w = l[0].0;
            if f.ty(w) == ty && l.iter().enumerate().all(|(k, x)| k == x.1 as usize) {
                return w;
            }
            InstData::new(Op::Shuffle, &[w, w], Attr::Lanes(l.iter().map(|x| x.1).collect()))
        }
        _ if args.iter().all(|&a| a == args[0]) => InstData::new(Op::Splat, &args[..1], Attr::None),
        _ => InstData::new(Op::Compose, args, Attr::None),
    };
    let t = f.terminator(b);
    let loc = f.insts[t].loc;
    let i = f.make_inst(data.at(loc), &[ty]);
    let at = f.blocks[b].insts.len() - 1;
    f.blocks[b].insts.insert(at, i);
    f.insts[i].result()
}
