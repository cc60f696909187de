//! What the size of the workgroup says of ids: where it is 1, the local id is 0 and the global id is the workgroup's.
//!
//! ```text
//! v1 = extract v0, 1     (v0 = sysval local_invocation_id)      ==>   0:i32
//! v1 = extract v0, 1     (v0 = sysval global_invocation_id)     ==>   v2 = sysval workgroup_id
//!                                                                     v1 = extract v2, 1
//! v0 = sysval local_invocation_index     (size x, 1, 1)         ==>   v1 = sysval local_invocation_id
//!                                                                     v0 = extract v1, 0
//! ```
//!
//! Workgroup ids are the same for all lanes. Needs: nothing. Keeps: the CFG. Targets that want vectors get their ids as
//! vectors: there only what becomes a constant is replaced.

use crate::PassCx;
use crate::rewrite::{self, Rewrite};
use gpucc_ir::{Attr, Function, Op, Sysval, Type};

/// Runs over the function of an entry point with this workgroup size.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>, size: [u32; 3]) {
    if size.iter().all(|&s| s > 1) {
        return;
    }
    let scalar = cx.caps.scalar;
    rewrite::run(f, |b, i| {
        let d = &b.func.insts[i];
        match (d.op, &d.attr) {
            (Op::Sysval, Attr::Sysval(Sysval::LocalInvocationIndex)) => {
                let one = size == [1, 1, 1];
                if !(one || scalar && size[1..] == [1, 1]) || !cx.change() {
                    return Rewrite::Keep;
                }
                if one {
                    return Rewrite::Value(b.func.iconst(Type::I32, 0));
                }
                let id = b.sysval(Sysval::LocalInvocationId);
                Rewrite::Value(b.extract(id, 0))
            }
            (Op::Extract, &Attr::Lane(k)) if size[usize::from(k).min(2)] == 1 => {
                let Some(from) = b.func.def_op(d.args[0], Op::Sysval) else { return Rewrite::Keep };
                match from.attr {
                    Attr::Sysval(Sysval::LocalInvocationId) if cx.change() => {
                        Rewrite::Value(b.func.iconst(Type::I32, 0))
                    }
                    Attr::Sysval(Sysval::GlobalInvocationId) if scalar && cx.change() => {
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
