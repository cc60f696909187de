//! Loads at constant offsets of one read-only buffer become one wide load where the first of them stands.
//!
//! ```text
//! block0: v1 = load res0[0]                     block0: v0 = load res0[0] : i32x3; v1 = v0.0
//! block1: v2 = load res0[8]         ==>         block1: v2 = v0.2
//! ```
//!
//! Members of a uniform struct are named where they are needed: in front of a loop, in its test, in a branch. Each is a message to the
//! memory unit, or a scalar load to wait for, though the first could have brought the others along.
//!
//! Needs: nothing. Keeps: the CFG. Reads at most 16 bytes at once, all of them in the buffer, also such that nobody asked for; lanes of
//! 32 bits alone. The first load must dominate the others. Leaves alone: functions whose
//! values would then take more registers than [`Caps::live_words`](crate::Caps::live_words) lets them have, or spill.

use crate::PassCx;
use crate::readonly::is_value;
use crate::vectorise_memory::{Plan, join_loads};
use gpucc_ir::analysis::Liveness;
use gpucc_ir::{EntitySet, Function, Inst, Mem, MemFlags, Op, Place, Res, ResourceKind, Type, Value};

/// The bytes of the widest load.
const WIDEST: u32 = 16;

/// A load, with the number of its place in the order of blocks.
struct Load {
    inst: Inst,
    order: u32,
    mem: Mem,
    ty: Type,
}

impl Load {
    fn end(&self) -> u32 {
        self.mem.offset.saturating_add(self.ty.mem_bytes())
    }
}

/// The loads that may be joined, by buffer.
fn loads(f: &Function, cx: &mut PassCx<'_>) -> Vec<(Res, Vec<Load>)> {
    let fixed = cx.readonly(f);
    let mut out: Vec<(Res, Vec<Load>)> = Vec::new();
    for (order, (_, inst)) in f.insts_in_order().enumerate() {
        let d = &f.insts[inst];
        let (Op::Load, Some(&mem), None) = (d.op, d.mem(), d.dyn_offset()) else { continue };
        let Place::Buffer(r) = mem.place else { continue };
        // Immediates are no memory on most chips: each word that is read is brought along by the launch.
        if cx.module.resources[r].kind == ResourceKind::Immediates {
            continue;
        }
        let ty = f.ty(d.result());
        if ty.bits() != 32 || ty.is_bool() || mem.flags.has(MemFlags::UNIFORM) || !is_value(f, inst, &fixed) {
            continue;
        }
        let load = Load { inst, order: order as u32, mem, ty };
        match out.iter_mut().find(|o| o.0 == r) {
            Some(o) => o.1.push(load),
            None => out.push((r, vec![load])),
        }
    }
    out
}

/// The words that may live besides, of files of registers that hold so many.
fn room(f: &Function, files: &[u32]) -> u32 {
    let live = Liveness::new(f);
    let words = |v: Value| if f.is_const(v) { 0 } else { f.ty(v).lanes() * f.ty(v).bits() / 32 };
    let mut most = 0;
    for &b in &f.layout {
        let mut here: EntitySet<Value> = live.live_out(b).clone();
        let mut now: u32 = here.iter().map(words).sum();
        for &i in f.blocks[b].insts.iter().rev() {
            for v in f.insts[i].results {
                now -= if here.remove(v) { words(v) } else { 0 };
            }
            f.insts[i].for_each_use(|v| now += if here.insert(v) { words(v) } else { 0 });
            most = most.max(now);
        }
    }
    files.iter().find(|&&n| most <= n).map_or(0, |n| n - most)
}

/// Widens the first loads of members that others name.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    let (mut plans, mut more): (Vec<Plan>, u32) = (Vec::new(), 0);
    let all = loads(f, cx);
    if all.iter().all(|o| o.1.len() < 2) {
        return;
    }
    let dom = cx.dom(f);
    let home = f.inst_blocks();
    // Found where two loads are near: most functions have none.
    let mut left: Option<u32> = None;
    for (r, mut list) in all {
        let size = cx.module.place_size(f, Place::Buffer(r)).unwrap_or(0);
        // What a load can bring along is taken in the order of offsets; the next group begins behind it.
        list.retain(|l| l.end() <= size);
        list.sort_by_key(|l| (l.mem.offset, l.order));
        let mut rest = &list[..];
        while let Some(low) = rest.first() {
            let near = rest.iter().take_while(|l| l.end() - low.mem.offset <= WIDEST).count().max(1);
            let (group, next) = rest.split_at(near);
            rest = next;
            let Some(first) = group.iter().min_by_key(|l| l.order) else { continue };
            let under = |l: &&Load| {
                let (Some(a), Some(b)) = (home[first.inst], home[l.inst]) else { return false };
                l.mem.flags == first.mem.flags && dom.dominates(a, b)
            };
            let mut taken: Vec<&Load> = group.iter().filter(under).collect();
            taken.sort_by_key(|l| l.order);
            let plan = Plan::of(f, taken.iter().map(|l| l.inst).collect());
            more += plan.words();
            let words = cx.caps.live_words;
            if taken.len() > 1 && more <= *left.get_or_insert_with(|| room(f, words)) && cx.change() {
                plans.push(plan);
            }
        }
    }
    let blocks = f.layout.clone();
    join_loads(f, &blocks, plans, cx.caps.scalar);
}
