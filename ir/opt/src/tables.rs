//! Loads at known places of variables that nobody writes are constants, and so are all loads of those that hold zeros.
//!
//! ```text
//! v1 = load local0[4 + 8:i32]      ==>      uses of v1 read the constant that bytes 12.. of local0 begin with
//! ```
//!
//! Needs: private variables as variables of the function, as inlining leaves them. Keeps: the CFG. Leaves alone: volatile loads, places beyond the variable (what they give is for bounds
//! handling to say), booleans, variables with a store or an atomic access anywhere.

use crate::rewrite::{self, Rewrite};
use crate::{PassCx, mem2reg};
use gpucc_ir::{Attr, EntitySet, Function, Init, Local, Op, Place, SecondaryMap};

/// Replaces loads of unwritten variables at known places by constants.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    if f.locals.is_empty() {
        return;
    }
    let mut written: EntitySet<Local> = EntitySet::new();
    let mut loads = false;
    for (_, i) in f.insts_in_order() {
        let d = &f.insts[i];
        let (Attr::Mem(m) | Attr::Atomic(_, m)) = &d.attr else { continue };
        match m.place {
            Place::Local(_) if d.op == Op::Load => loads = true,
            Place::Local(l) => _ = written.insert(l),
            _ => {}
        }
    }
    if !loads {
        return;
    }
    let mut zeros: SecondaryMap<Local, bool> = SecondaryMap::new();
    for (l, v) in f.locals.iter() {
        zeros[l] = match &v.init {
            Init::Zero => true,
            Init::Bytes(bytes) => bytes.iter().all(|&b| b == 0),
        };
    }
    rewrite::run(f, |b, i| {
        let f = &mut *b.func;
        let d = &f.insts[i];
        let (Op::Load, Attr::Mem(m)) = (d.op, &d.attr) else { return Rewrite::Keep };
        let Place::Local(l) = m.place else { return Rewrite::Keep };
        let ty = f.ty(d.result());
        if written.contains(l) || ty.is_bool() || !m.flags.is_plain() {
            return Rewrite::Keep;
        }
        if zeros[l] {
            return if cx.change() { Rewrite::Value(f.zero(ty)) } else { Rewrite::Keep };
        }
        let dynamic = match d.dyn_offset() {
            Some(v) => f.const_bits(v),
            None => Some(0),
        };
        let Some(at) = dynamic.and_then(|o| o.checked_add(u64::from(m.offset))) else { return Rewrite::Keep };
        let inside = at + u64::from(ty.mem_bytes()) <= u64::from(f.locals[l].size);
        if !inside || !cx.change() {
            return Rewrite::Keep;
        }
        let c = mem2reg::initial(&f.locals[l].init, ty, at as u32);
        Rewrite::Value(f.constant(c))
    });
}
