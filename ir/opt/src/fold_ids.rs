//! Simplifies ids by the size of the workgroup: where it is 1, the local id is 0 and the global id is the workgroup's. The size of a
//! subgroup is the target's.
//!
//! ```text
//! v1 = extract v0, 1     (v0 = sysval local_invocation_id)      ==>   0:i32
//! v1 = extract v0, 1     (v0 = sysval global_invocation_id)     ==>   v2 = sysval workgroup_id
//!                                                                     v1 = extract v2, 1
//! v0 = sysval local_invocation_index     (size x, 1, 1)         ==>   v1 = sysval local_invocation_id
//!                                                                     v0 = extract v1, 0
//! v0 = sysval subgroup_size                                     ==>   64:i32
//! v0 = sysval num_subgroups              (size x, y, z)         ==>   (x * y * z + 63) / 64
//! ```
//!
//! Workgroup ids are the same for all lanes. Needs: nothing. Keeps: the CFG. Targets that want vectors get their ids as
//! vectors: there only what becomes a constant is replaced.

use crate::PassCx;
use crate::rewrite::{self, Rewrite};
use gpucc_ir::{Attr, Function, Op, Sysval, Type};

/// Runs over the function of an entry point with this workgroup size.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>, size: [u32; 3]) {
    let (scalar, lanes) = (cx.caps.scalar, cx.caps.subgroup);
    let whole = size.iter().all(|&s| s > 1);
    if whole && lanes == 0 {
        return;
    }
    rewrite::run(f, |b, i| {
        let d = &b.func.insts[i];
        match (d.op, &d.attr) {
            (Op::Sysval, Attr::Sysval(Sysval::LocalInvocationIndex)) => {
                let one = size == [1, 1, 1];
                if !one && size[1..] == [1, 1] {
                    cx.hangs_on_target();
                }
                if !(one || scalar && size[1..] == [1, 1]) || !cx.change() {
                    return Rewrite::Keep;
                }
                if one {
                    return Rewrite::Value(b.func.iconst(Type::I32, 0));
                }
                let id = b.sysval(Sysval::LocalInvocationId);
                Rewrite::Value(b.extract(id, 0))
            }
            (Op::Sysval, Attr::Sysval(s @ (Sysval::SubgroupSize | Sysval::NumSubgroups))) => {
                if lanes == 0 || !cx.change() {
                    return Rewrite::Keep;
                }
                let number = match s {
                    Sysval::SubgroupSize => lanes,
                    _ => gpucc_ir::invocations(size).div_ceil(lanes),
                };
                Rewrite::Value(b.func.iconst(Type::I32, number.into()))
            }
            (Op::Extract, &Attr::Lane(k)) if size[usize::from(k).min(2)] == 1 => {
                let Some(from) = b.func.def_op(d.args[0], Op::Sysval) else { return Rewrite::Keep };
                match from.attr {
                    Attr::Sysval(Sysval::LocalInvocationId) if cx.change() => {
                        Rewrite::Value(b.func.iconst(Type::I32, 0))
                    }
                    Attr::Sysval(Sysval::GlobalInvocationId) => {
                        cx.hangs_on_target();
                        if !scalar || !cx.change() {
                            return Rewrite::Keep;
                        }
                        let id = b.sysval(Sysval::WorkgroupId);
                        Rewrite::Value(b.extract(id, u32::from(k)))
                    }
                    _ => Rewrite::Keep,
                }
            }
            _ => Rewrite::Keep,
        }
    });
}
