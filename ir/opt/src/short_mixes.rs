//! A mix of the language is one difference, one product and one sum.
//!
//! ```text
//! v1 = fsub 1, t                      v1 = fsub b, a
//! v2 = fmul a, v1                     v2 = fmul v1, t
//! v3 = fmul b, t             ==>      v4 = fadd v2, a
//! v4 = fadd v2, v3
//! ```
//!
//! `mix` may be computed either way: the test suites of Vulkan, OpenGL and WebGPU take what lies in the range of one of the two
//! (gpuweb issue 3260). Sums and products of a source may not, so the front end marks the sum of a mix with `reassoc`. A product and a
//! sum are one instruction on most chips: three become two. Fires where nothing but mixes reads `1 - t`, since nothing is won elsewhere,
//! and not between two constants, which `mixes` knows how to join. A difference of what a loop does not change goes in front of it.
//!
//! Of infinite `a`, `b` or `t` one form makes a number or an infinity where the other makes none: WGSL promises nothing about either.
//!
//! Needs: `Caps::short_mixes`; sums with `contract`, `nsz` and `reassoc`, which modules that keep infinities do not give. Keeps: the CFG.

use crate::mixes::is_rest;
use crate::rewrite::{self, Rewrite};
use crate::{OpSet, PassCx};
use gpucc_ir::analysis::Uses;
use gpucc_ir::{FpFlags, Function, Inst, Op, Scalar, Value};

/// Writes mixes as a step from one end.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    if !cx.caps.short_mixes || !cx.has_any(f, OpSet::of(&[Op::FSub])) {
        return;
    }
    if !f.insts_in_order().any(|(_, i)| mix(f, i).is_some()) {
        return;
    }
    let uses = cx.uses(f);
    rewrite::run(f, |b, i| {
        let found = mix(b.func, i).filter(|m| all_mixes(b.func, m.rest, &uses));
        let Some(m) = found.filter(|_| cx.change()) else { return Rewrite::Keep };
        let step = b.fsub(m.to, m.from);
        let part = b.fmul(step, m.weight);
        Rewrite::Value(b.fadd(part, m.from))
    });
}

/// `from * rest + to * weight`, where the rest is 1 less the weight.
struct Mix {
    from: Value,
    to: Value,
    weight: Value,
    rest: Value,
}

/// The mix that an instruction is the sum of.
fn mix(f: &Function, i: Inst) -> Option<Mix> {
    let d = &f.insts[i];
    let either = d.fp.has(FpFlags::LOOSE.with(FpFlags::REASSOC));
    if d.op != Op::FAdd || !either || f.ty(d.result()).scalar() != Scalar::F32 {
        return None;
    }
    let product = |k: usize| f.def_op(d.args[k], Op::FMul).map(|m| [m.args[0], m.args[1]]);
    let (x, y) = (product(0)?, product(1)?);
    // Which of the products, and which factor of each, is the one with the rest.
    [(x, y), (y, x)].iter().find_map(|(p, q)| {
        (0..4).find_map(|k| {
            let (rest, from, weight, to) = (p[k & 1], p[1 - (k & 1)], q[k >> 1], q[1 - (k >> 1)]);
            let constants = f.as_const(from).is_some() && f.as_const(to).is_some();
            (!constants && is_rest(f, rest, weight)).then_some(Mix { from, to, weight, rest })
        })
    })
}

/// Whether only products of mixes read the rest of a weight.
fn all_mixes(f: &Function, rest: Value, uses: &Uses) -> bool {
    uses.of(rest).iter().all(|u| {
        let p = &f.insts[u.inst];
        let of_mix = |v: Value| match uses.of(v) {
            [sum] => mix(f, sum.inst).is_some_and(|m| m.rest == rest),
            _ => false,
        };
        p.op == Op::FMul && of_mix(p.result())
    })
}
