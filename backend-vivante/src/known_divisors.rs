//! Quotients by what the launch computes are products with its reciprocal, which the launch computes too.
//!
//! ```text
//! v1 = load size                          v1 = load size
//! v2 = fdiv v0, v1           ==>          v3 = frcp v1         (a step of the launch)
//!                                         v2 = fmul v0, v3
//! ```
//!
//! Two roundings, inside the 2.5 ulp of WGSL. Quotients of vectors alike. What the launch divides by itself stays.
//!
//! Needs and keeps: any IR. Before `products`, which looks for products that sums take in.

use gpucc_ir::{Attr, Function, Inst, InstData, Op, Scalar, Value};
use gpucc_opt::PassCx;

/// Runs over a function. `shared`: whether the launch knows a value, and so its reciprocal.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>, shared: &dyn Fn(Value) -> bool) {
    for b in f.layout.clone() {
        let known = |f: &Function, i: Inst| {
            let d = &f.insts[i];
            let float = d.op == Op::FDiv && f.ty(d.result()).scalar() == Scalar::F32;
            float && shared(d.args[1]) && !shared(d.args[0]) && f.as_const(d.args[1]).is_none()
        };
        let list = f.blocks[b].insts.clone();
        if !list.iter().any(|&i| known(f, i)) {
            continue;
        }
        f.blocks[b].insts.clear();
        for i in list {
            if known(f, i) && cx.change() {
                let (y, ty) = (f.insts[i].args[1], f.ty(f.insts[i].result()));
                let mut new = InstData::new(Op::FRcp, &[y], Attr::None).at(f.insts[i].loc);
                new.fp = f.insts[i].fp;
                let r = f.push_inst(b, new, &[ty]);
                let r = f.insts[r].result();
                let d = &mut f.insts[i];
                d.op = Op::FMul;
                d.args[1] = r;
            }
            f.blocks[b].insts.push(i);
        }
    }
}
