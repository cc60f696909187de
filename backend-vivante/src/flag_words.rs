//! Booleans of indexed variables are words in vertex and fragment programs, which have no other place for variables than temporaries.
//!
//! ```text
//! v1: b1 = load local0[0 + v0]      ==>      w = load local0[0 + v0]; v1 = w != 0
//! store v1, local0[0 + v0]          ==>      store (select v1, 1, 0), local0[0 + v0]
//! ```
//!
//! In memory a boolean is such a word, and each lane of a vector is, so other accesses to the variable see what they saw.
//! Keeps: the CFG. Leaves alone: variables without a dynamic access, compute programs.

use gpucc_ir::{Builder, Function, IntCc, Op, Place, SecondaryMap, Space, Stage, Type, Value};
use gpucc_opt::PassCx;

/// Runs over a function.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    if cx.module.entries.iter().all(|e| e.stage.kind() == Stage::Compute) {
        return;
    }
    let mut indexed: Vec<Place> = Vec::new();
    for (_, i) in f.insts_in_order() {
        let d = &f.insts[i];
        if let (Some(m), Some(_)) = (d.mem(), d.dyn_offset())
            && matches!(cx.module.space(m.place), Space::Function | Space::Private)
            && !indexed.contains(&m.place)
        {
            indexed.push(m.place);
        }
    }
    if indexed.is_empty() {
        return;
    }
    let mut map: SecondaryMap<Value, Option<Value>> = SecondaryMap::with_default(None);
    let (mut old, mut n) = (Vec::new(), 0);
    for block in f.layout.clone() {
        f.take_insts(block, &mut old);
        for &i in &old {
            let d = &f.insts[i];
            let (op, dynamic) = (d.op, d.dyn_offset());
            let Some(m) = d.mem().copied().filter(|m| indexed.contains(&m.place)) else {
                f.blocks[block].insts.push(i);
                continue;
            };
            let value = match op {
                Op::Load => d.result(),
                Op::Store => d.args[0],
                _ => {
                    f.blocks[block].insts.push(i);
                    continue;
                }
            };
            let ty = f.ty(value);
            if !ty.is_bool() {
                f.blocks[block].insts.push(i);
                continue;
            }
            let flag = Type::I32.with_lanes(ty.lanes());
            let mut b = Builder::like(f, block, i);
            let zero = b.func.iconst(flag, 0);
            if op == Op::Load {
                let word = b.load(flag, m, dynamic);
                map[value] = Some(b.icmp(IntCc::Ne, word, zero));
            } else {
                let one = b.func.iconst(flag, 1);
                let word = b.select(value, one, zero);
                b.store(word, m, dynamic);
            }
            n += 1;
        }
    }
    f.replace_uses(&map);
    cx.must_change(n);
}
