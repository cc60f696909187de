//! Both gradients of a place in a texture lie in one register, so that one sum makes the places of both neighbours.
//!
//! ```text
//! v1 = deriv x, v0                       v1 = deriv x, v0
//! v2 = deriv y, v0                       v2 = deriv y, v0
//! v3 = tex v0, v1, v2        ==>         v4 = shuffle v1, v2, lanes 0 1 4 5
//! v7 = tex v9, v1, v2                    v5 = shuffle v4, v4, lanes 0 1
//!                                        v6 = shuffle v4, v4, lanes 2 3
//!                                        v3 = tex v0, v5, v6
//!                                        v7 = tex v9, v5, v6
//! ```
//!
//! Fires where two samples at least have the same gradients of two lanes: bringing them together may take two moves, each sample takes one
//! sum less.
//!
//! Needs: any IR; selection knows both shuffles. Keeps: the CFG. Behind `pack`, which changes lanes.

use gpucc_ir::{Attr, Block, Function, Inst, InstData, Op, TexArg, Type, Value, ValueDef};
use gpucc_opt::{OpSet, PassCx};

/// Runs over a function.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    if !cx.has_any(f, OpSet::of(&[Op::Tex])) {
        return;
    }
    // Pairs of gradients with the samples that have them.
    let mut pairs: Vec<([Value; 2], Vec<Inst>)> = Vec::new();
    for (_, i) in f.insts_in_order() {
        let Some(pair) = gradients(f, i) else { continue };
        match pairs.iter_mut().find(|p| p.0 == pair) {
            Some(p) => p.1.push(i),
            None => pairs.push((pair, vec![i])),
        }
    }
    for (pair, samples) in pairs {
        let Some((block, at)) = behind_both(f, pair) else { continue };
        if samples.len() < 2 || !cx.change() {
            continue;
        }
        let mut at = at;
        let mut shuffle = |f: &mut Function, of: [Value; 2], lanes: &[u8]| {
            let data = InstData::new(Op::Shuffle, &of, Attr::Lanes(lanes.into()));
            let i = f.make_inst(data, &[Type::F32.with_lanes(lanes.len() as u32)]);
            f.blocks[block].insts.insert(at, i);
            at += 1;
            f.insts[i].result()
        };
        let both = shuffle(f, pair, &[0, 1, 4, 5]);
        let parts = [[0, 1], [2, 3]].map(|lanes| shuffle(f, [both; 2], &lanes));
        for i in samples {
            for (of, part) in pair.into_iter().zip(parts) {
                f.insts[i].map_uses(|v| if v == of { part } else { v });
            }
        }
    }
}

/// The gradients of a sample, where they have two lanes each and are no constants.
fn gradients(f: &Function, i: Inst) -> Option<[Value; 2]> {
    let d = &f.insts[i];
    if d.op != Op::Tex {
        return None;
    }
    let pair = [d.tex_arg(TexArg::Ddx)?, d.tex_arg(TexArg::Ddy)?];
    let fits = |v: &Value| {
        f.ty(*v) == Type::F32.with_lanes(2) && f.as_const(*v).is_none() && d.tex_arg(TexArg::Coords) != Some(*v)
    };
    (pair.iter().all(fits) && pair[0] != pair[1]).then_some(pair)
}

/// The place behind the definitions of two values, if one block has both.
fn behind_both(f: &Function, pair: [Value; 2]) -> Option<(Block, usize)> {
    let place = |v: Value| match f.values[v].def {
        ValueDef::Param(b, _) => Some((b, 0)),
        ValueDef::Inst(i, _) => f.layout.iter().find_map(|&b| {
            let at = f.blocks[b].insts.iter().position(|&x| x == i)?;
            Some((b, at + 1))
        }),
        ValueDef::Const(_) | ValueDef::Undef => None,
    };
    let [x, y] = [place(pair[0])?, place(pair[1])?];
    (x.0 == y.0).then(|| (x.0, x.1.max(y.1)))
}
