//! Moves what does not change in a loop in front of it.
//!
//! Needs: structured control flow. Keeps: structure; may add a block in front of a loop. Moves only values: speculatable
//! ops, and loads of memory nobody writes that are known to lie in bounds (or that an iteration begins with). Nothing
//! convergent moves. Inner loops first, so that a value may leave several loops.

use crate::PassCx;
use crate::gvn::may_move;
use crate::readonly::is_value;
use gpucc_ir::analysis::ConstructId;
use gpucc_ir::{Block, Builder, CsrLists, Function, Inst, MemFlags, Op, SecondaryMap, Value, ValueDef};
use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;
use std::rc::Rc;

/// Moves invariant instructions in front of their loop.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    cx.sort(f);
    let s = cx.structure(f);
    let fixed = cx.readonly(f);
    let mut home: SecondaryMap<Inst, Option<Block>> = f.inst_blocks();
    let edges = LoopEdges { preds: cx.preds(f), namers: f.namers() };
    // The blocks of each loop in layout order, those of inner loops included.
    let mut blocks: SecondaryMap<ConstructId, Vec<Block>> = SecondaryMap::new();
    for &b in &f.layout {
        for l in s.enclosing(s.of(b)).filter(|&k| s.is_loop(k)) {
            blocks[l].push(b);
        }
    }
    let loops: Vec<_> = s.loops().collect();
    // Blocks that were put in front of headers: in all, and by the loops that they lie in.
    let mut before: SecondaryMap<ConstructId, Vec<(Block, Block)>> = SecondaryMap::new();
    let mut front: SecondaryMap<Block, Option<Block>> = SecondaryMap::with_default(None);
    for &l in loops.iter().rev() {
        let header = s.constructs[l].header;
        let mut list = std::mem::take(&mut blocks[l]);
        if !before[l].is_empty() {
            let new: IndexMap<Block, Block, FxBuildHasher> = std::mem::take(&mut before[l]).into_iter().collect();
            list = list.into_iter().flat_map(|b| new.get(&b).copied().into_iter().chain([b])).collect();
        }
        let inside: IndexSet<Block, FxBuildHasher> = list.iter().copied().collect();
        let mut moved: IndexSet<Inst, FxBuildHasher> = IndexSet::default();
        // How many blocks an iteration goes through for certain: the header and where it jumps.
        let jumps = |from: Block, to: Block| f.insts[f.terminator(from)].as_jump().is_some_and(|j| j.0.block == to);
        let start = list.iter().position(|&b| b == header).unwrap_or(0);
        let certain = start + 1 + list[start..].windows(2).take_while(|w| jumps(w[0], w[1])).count();
        for (n, &b) in list.iter().enumerate() {
            for &i in &f.blocks[b].insts {
                let d = &f.insts[i];
                if !is_value(f, i, &fixed) || !may_move(f, i) {
                    continue;
                }
                let safe = d.op != Op::Load || n < certain || d.mem().is_some_and(|m| m.flags.has(MemFlags::IN_BOUNDS));
                let still = d.args.iter().all(|&v| match f.values[v].def {
                    ValueDef::Inst(k, _) => moved.contains(&k) || home[k].is_none_or(|h| !inside.contains(&h)),
                    ValueDef::Param(p, _) => !inside.contains(&p),
                    ValueDef::Const(_) | ValueDef::Undef => true,
                });
                if safe && still && cx.change() {
                    moved.insert(i);
                }
            }
        }
        if moved.is_empty() {
            continue;
        }
        let (pre, new) = preheader(f, header, &inside, &edges);
        if new {
            front[header] = Some(pre);
            // The new block lies in the loops around this one, right before the header.
            for k in s.enclosing(s.constructs[l].parent).filter(|&k| s.is_loop(k)) {
                before[k].push((header, pre));
            }
        }
        for &b in &list {
            f.blocks[b].insts.retain(|i| !moved.contains(i));
        }
        let at = f.blocks[pre].insts.len() - 1;
        for &i in &moved {
            home[i] = Some(pre);
        }
        f.blocks[pre].insts.insert_many(at, moved);
    }
    f.layout = f.layout.iter().flat_map(|&b| front[b].into_iter().chain([b])).collect();
}

/// Predecessors of each block, and the blocks whose structure names it, before anything was changed. New blocks in front of one header do
/// not touch what is known of the others.
struct LoopEdges {
    preds: Rc<CsrLists<Block, Block>>,
    namers: CsrLists<Block, Block>,
}

/// The block that leads into the loop and nowhere else, and whether it was made for that; the caller puts it into the layout.
fn preheader(
    f: &mut Function,
    header: Block,
    inside: &IndexSet<Block, FxBuildHasher>,
    edges: &LoopEdges,
) -> (Block, bool) {
    let outer: Vec<Block> = edges.preds[header].iter().copied().filter(|p| !inside.contains(p)).collect();
    if let [p] = outer[..]
        && f.succs(p).len() == 1
        && f.insts[f.terminator(p)].merge().is_none()
    {
        return (p, false);
    }
    let pre = f.make_block();
    let types: Vec<_> = f.blocks[header].params.iter().map(|&p| f.ty(p)).collect();
    let params: Vec<Value> = types.into_iter().map(|t| f.add_param(pre, t)).collect();
    for p in outer {
        let t = f.terminator(p);
        f.insts[t].map_targets(|b| if b == header { pre } else { b });
    }
    // Where the header was a merge or a continue block of something around it, the new block is that now.
    for &p in edges.namers[header].iter().filter(|p| !inside.contains(*p)) {
        let t = f.terminator(p);
        if f.insts[t].merge() == Some(header) {
            f.insts[t].set_merge(Some(pre));
        }
        if let Some(h) = &mut f.blocks[p].header {
            if h.merge == header {
                h.merge = pre;
            }
            if h.cont == header {
                h.cont = pre;
            }
        }
    }
    Builder::new(f, pre).jump(header, &params);
    (pre, true)
}
