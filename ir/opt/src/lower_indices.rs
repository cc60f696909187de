//! Goes through the elements of an array of textures or samplers where lanes may name different ones.
//!
//! ```text
//! v = tex ..., v0, tex res1 fetch 2d texture_index
//!
//! ==>  for k in 0..count:  if v0 == k { v = tex ..., k, tex res1 fetch 2d texture_index }
//!
//! v = sample ..., v0, tex res1 sampler res2 sample 2d implicit texture_index
//!
//! ==>  for k in 0..count:  s = sample ..., k, tex res1 sampler res2 sample 2d implicit texture_index
//!                          v = select v0 == k, s, v
//! ```
//!
//! The number `k` is the same in all lanes, and so are the ends of the loop. A level that comes from the quad needs all of its lanes at
//! each sample, so there is no branch around that one. Where texture and sampler are at different indices, one loop stands in the
//! other. What the index never reaches is left out. A robust module takes the last element for what is beyond; of others the result is
//! zero.
//!
//! Needs: `TexCaps::lane_index`; with it all stays. Keeps: the layout in structured order.

use gpucc_ir::analysis::{DomTree, Uniformity, UpperBounds};
use gpucc_ir::{
    Builder, Edge, EntitySet, Function, Inst, IntCc, Module, Op, SecondaryMap, TexArg, TexOperands, Type, Value,
};
use smallvec::SmallVec;

use crate::PassCx;

/// The operands that name elements.
const INDICES: [TexArg; 2] = [TexArg::TextureIndex, TexArg::SamplerIndex];

/// The elements that one index may name.
struct Loop {
    index: Value,
    /// The operands that are this index.
    args: SmallVec<[TexArg; 2]>,
    count: u32,
}

/// The texture instructions that read an element which differs between the lanes of a subgroup.
pub(crate) fn divergent(m: &Module, f: &Function) -> EntitySet<Inst> {
    let mut found = EntitySet::new();
    let indexed = |i: Inst| f.insts[i].tex().is_some_and(|t| t.desc.texture_indexed() || t.desc.sampler_indexed());
    if !f.insts_in_order().any(|(_, i)| indexed(i)) {
        return found;
    }
    let uniform = Uniformity::within(m, f, &DomTree::new(f));
    for (_, i) in f.insts_in_order().filter(|&(_, i)| indexed(i)) {
        if INDICES.iter().any(|&arg| f.insts[i].tex_arg(arg).is_some_and(|v| uniform.is_divergent(v))) {
            found.insert(i);
        }
    }
    found
}

/// Replaces accesses by differing indices by a walk over the elements.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    let m = cx.module;
    if cx.caps.tex.lane_index {
        return;
    }
    let list = divergent(m, f);
    if list.count() == 0 {
        return;
    }
    let most = greatest(f, cx, &list);
    let mut results: SecondaryMap<Value, Option<Value>> = SecondaryMap::with_default(None);
    let (mut old, mut changes) = (Vec::new(), 0);
    for block in f.layout.clone() {
        if !f.blocks[block].insts.iter().any(|&i| list.contains(i)) {
            continue;
        }
        let mut at = block;
        f.take_insts(block, &mut old);
        for &i in &old {
            if !list.contains(i) {
                f.blocks[at].insts.push(i);
                continue;
            }
            let mut b = Builder::like(f, at, i);
            if let Some(v) = expand(m, &mut b, i, &most) {
                results[b.func.insts[i].result()] = Some(v);
            }
            at = b.block;
            changes += 1;
        }
    }
    f.replace_uses(&results);
    cx.must_change(changes);
}

/// Upper bounds of the indices of these instructions.
fn greatest(f: &Function, cx: &mut PassCx<'_>, list: &EntitySet<Inst>) -> SecondaryMap<Value, u64> {
    let (preds, dom, s) = (cx.preds(f), cx.dom(f), cx.structure(f));
    let mut bounds = UpperBounds::new(f, cx.workgroup_size, &preds, &dom, &s);
    let mut most = SecondaryMap::with_default(u64::MAX);
    for (_, i) in f.insts_in_order().filter(|&(_, i)| list.contains(i)) {
        for v in INDICES.iter().filter_map(|&arg| f.insts[i].tex_arg(arg)) {
            most[v] = bounds.of(v);
        }
    }
    most
}

/// Writes one instruction. The builder continues behind its loops.
fn expand(m: &Module, b: &mut Builder<'_>, i: Inst, most: &SecondaryMap<Value, u64>) -> Option<Value> {
    let d = b.func.insts[i].clone();
    let mut operands = TexOperands::of(&d)?;
    // One loop for each index. A combined image and sampler are at one index.
    let mut loops: SmallVec<[Loop; 2]> = SmallVec::new();
    for arg in INDICES {
        let of = if arg == TexArg::TextureIndex { Some(operands.tex.texture) } else { operands.tex.sampler };
        let (Some(index), Some(of)) = (operands.get(arg), of) else { continue };
        let count = m.resources[of].count.max(1);
        let count = count.min(u32::try_from(most[index].saturating_add(1)).unwrap_or(count));
        match loops.iter_mut().find(|l| l.index == index && l.count == count) {
            Some(l) => l.args.push(arg),
            None => loops.push(Loop { index, args: [arg].into_iter().collect(), count }),
        }
    }
    if m.options.robust {
        for l in loops.iter_mut().filter(|l| most[l.index] >= u64::from(l.count)) {
            let last = b.func.iconst(Type::I32, i64::from(l.count - 1));
            l.index = b.umin(l.index, last);
        }
    }
    let ty = d.results.iter().next().map(|r| b.func.ty(r));
    let none = ty.map(|ty| b.func.zero(ty));
    each(b, &d, &mut operands, &loops, none)
}

/// A loop over the elements for each index that is left; `before` is the result for a lane whose element is not among them.
fn each(
    b: &mut Builder<'_>,
    d: &gpucc_ir::InstData,
    operands: &mut TexOperands,
    loops: &[Loop],
    before: Option<Value>,
) -> Option<Value> {
    let Some((Loop { index, args, count }, rest)) = loops.split_first() else {
        let list: SmallVec<[Value; 8]> = operands.tex.desc.args().into_iter().filter_map(|a| operands.get(a)).collect();
        let mut one = d.clone();
        one.args = gpucc_ir::Values::from_slice(&list);
        let types: SmallVec<[Type; 1]> = d.results.iter().map(|r| b.func.ty(r)).collect();
        let i = b.raw(one, &types);
        return b.func.insts[i].results.iter().next();
    };
    let by_quad = d.op == Op::Sample;
    let [head, test, body, cont, done] = std::array::from_fn(|_| b.func.make_block());
    let here = b.func.layout.iter().position(|&x| x == b.block).map_or(b.func.layout.len(), |p| p + 1);
    let order = if by_quad { vec![head, test, done] } else { vec![head, test, body, cont, done] };
    for (n, x) in order.into_iter().enumerate() {
        b.func.layout.insert(here + n, x);
    }
    let k = b.func.add_param(head, Type::I32);
    let mut carried = |at| before.map(|v| b.func.ty(v)).map(|ty| b.func.add_param(at, ty));
    let (so_far, result) = (carried(head), carried(done));
    let joined = if by_quad { None } else { carried(cont) };
    let with = |k: Value, v: Option<Value>| -> SmallVec<[Value; 2]> { std::iter::once(k).chain(v).collect() };
    let zero = b.func.iconst(Type::I32, 0);
    let one = b.func.iconst(Type::I32, 1);
    let end = b.func.iconst(Type::I32, i64::from(*count));
    b.jump(head, &with(zero, before));
    b.set_loop(head, done, if by_quad { test } else { cont });
    b.switch_to(head);
    let more = b.icmp(IntCc::Ult, k, end);
    b.br(more, Edge::to(test), Edge::with(done, so_far.as_slice()), None);
    b.switch_to(test);
    let hit = b.icmp(IntCc::Eq, *index, k);
    args.iter().for_each(|&arg| operands.set(arg, k));
    let next = if by_quad {
        let found = each(b, d, operands, rest, so_far);
        found.zip(so_far).map(|(found, v)| b.select(hit, found, v))
    } else {
        b.br(hit, Edge::to(body), Edge::with(cont, so_far.as_slice()), Some(cont));
        b.switch_to(body);
        let found = each(b, d, operands, rest, so_far);
        b.jump(cont, found.as_slice());
        b.switch_to(cont);
        joined
    };
    if by_quad {
        // An inner loop may stand between.
        let latch = b.block;
        b.set_loop(head, done, latch);
    }
    let then = b.iadd(k, one);
    b.jump(head, &with(then, next));
    b.switch_to(done);
    result
}
