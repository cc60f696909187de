//! Keeps every access inside its place by clamping the dynamic byte offset.
//!
//! ```text
//! v3 = load.f32 buf[v2 + 16]          v4 = buffer_length buf
//!                               ==>   v5 = isub v4, 20
//!                                     v6 = and v5, -4
//!                                     v7 = umin v2, v6
//!                                     v3 = load.f32 buf[v7 + 16] {in_bounds}
//! ```
//!
//! WGSL lets an access that is out of bounds touch any location inside the variable. A buffer is at least as large as its
//! declared minimum, so the subtraction cannot wrap while constant offset and access size lie inside the minimum; where they do
//! not, the whole offset is clamped. A clamped offset keeps the alignment of the access where `strict_align` asks for it, and
//! promises 4 bytes otherwise. Accesses to buffers that the hardware checks
//! (`checked_loads`, `checked_stores`) stay as they are, but for loads from a buffer whose stores are clamped. Needs: nothing (best after `sroa`, so that what becomes SSA is not clamped). Keeps: the CFG.
//! Does nothing when the module is not robust.

use gpucc_ir::{Attr, Builder, EntitySet, Function, Inst, MemFlags, Module, Op, Place, Res, ResourceKind, Value};

use crate::caps::Caps;

/// Runs over a function; gives the number of accesses clamped.
pub fn run(module: &Module, f: &mut Function, caps: &Caps) -> u64 {
    if !module.options.robust {
        return 0;
    }
    let mut changes = 0;
    let mut old = Vec::new();
    let stored = if caps.checked_stores { EntitySet::new() } else { stored(f) };
    for block in f.layout.clone() {
        f.take_insts(block, &mut old);
        for &i in &old {
            if matches!(f.insts[i].op, Op::Load | Op::Store | Op::Atomic | Op::CmpXchg) {
                let bytes = f.access_bytes(i);
                let mut b = Builder::like(f, block, i);
                changes += u64::from(clamp(&mut b, module, i, bytes, caps, &stored));
            }
            f.blocks[block].insts.push(i);
        }
    }
    changes
}

/// The buffers that a function stores to.
fn stored(f: &Function) -> EntitySet<Res> {
    let mut list = EntitySet::new();
    for (_, i) in f.insts_in_order() {
        let d = &f.insts[i];
        if let (Op::Store | Op::Atomic | Op::CmpXchg, Some(Place::Buffer(r))) = (d.op, d.place()) {
            list.insert(r);
        }
    }
    list
}

fn clamp(b: &mut Builder<'_>, module: &Module, i: Inst, bytes: u32, caps: &Caps, stored: &EntitySet<Res>) -> bool {
    let d = &b.func.insts[i];
    let Some(mem) = d.mem().cloned() else { return false };
    if mem.flags.has(MemFlags::IN_BOUNDS) {
        return false;
    }
    let dynamic = d.dyn_offset();
    let end = u64::from(mem.offset) + u64::from(bytes);
    let fixed = module.place_size(b.func, mem.place);
    let least = fixed.unwrap_or_else(|| match mem.place {
        Place::Buffer(r) => module.resources[r].min_size,
        _ => 0,
    });
    let inside = end <= u64::from(least);
    if dynamic.is_none() && inside {
        mark(b, i, mem.align);
        return true;
    }
    // A load strays as stores to the same buffer do: what is loaded from a wrong index and stored back there destroys nothing.
    // Immediate data is no binding that hardware could check.
    let checked = |r| match d.op {
        Op::Load => caps.checked_loads && !stored.contains(r) && module.resources[r].kind != ResourceKind::Immediates,
        _ => caps.checked_stores,
    };
    if matches!(mem.place, Place::Buffer(r) if checked(r)) {
        return false;
    }
    // The limit keeps `align` if it is a multiple of it. A buffer may have any size.
    let align = mem.align.max(1);
    let unit = if caps.strict_align { align } else { align.min(4) };
    let down = |v: u32| v & !(unit - 1);
    let (limit, keeps) = match (fixed, mem.place) {
        (Some(size), _) => {
            let room = down(size.saturating_sub(if inside { end as u32 } else { bytes }));
            (b.func.iconst(gpucc_ir::Type::I32, i64::from(room)), room.is_multiple_of(align))
        }
        (None, Place::Buffer(r)) => {
            let len = b.buffer_length(r);
            let back = if inside { end as u32 } else { bytes };
            let back = b.func.iconst(gpucc_ir::Type::I32, i64::from(back));
            let mut room = b.isub(len, back);
            if unit > 1 {
                let m = b.func.iconst(gpucc_ir::Type::I32, -i64::from(unit));
                room = b.and(room, m);
            }
            (room, caps.strict_align || align <= 4)
        }
        (None, _) => return false,
    };
    let offset = b.func.iconst(gpucc_ir::Type::I32, i64::from(mem.offset));
    let (at, rest): (Value, u32) = match (dynamic, inside) {
        (Some(v), true) => (v, mem.offset),
        (Some(v), false) => (if mem.offset == 0 { v } else { b.iadd(v, offset) }, 0),
        (None, _) => (offset, 0),
    };
    let at = b.umin(at, limit);
    let at_index = b.func.insts[i].dyn_index();
    let d = &mut b.func.insts[i];
    match (dynamic, at_index) {
        (Some(_), Some(k)) => d.args[k] = at,
        _ => d.args.push(at),
    }
    if let Some(m) = d.mem_mut() {
        m.offset = rest;
    }
    mark(b, i, if keeps { align } else { align.min(4) });
    true
}

fn mark(b: &mut Builder<'_>, i: Inst, align: u32) {
    if let Attr::Mem(m) | Attr::Atomic(_, m) = &mut b.func.insts[i].attr {
        m.flags = m.flags.with(MemFlags::IN_BOUNDS);
        m.align = align;
    }
}
