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

use crate::Cx;
use crate::rewrite::{self, Rewrite};
use gpucc_ir::{Attr, Function, Op, Sysval, Type};

/// Runs over the function of an entry point with this workgroup size.
pub fn run(f: &mut Function, cx: &mut Cx<'_>, size: [u32; 3]) {
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

#[cfg(test)]
mod tests {
    use crate::testing::parse;
    use crate::{Caps, Cx};
    use gpucc_ir::Func;

    fn after(size: [u32; 3], scalar: bool) -> String {
        let m = parse(
            "func0 \"f\" {\nblock0:\n  v0: i32x3 = sysval local_invocation_id\n  v1: i32 = extract v0, lane 0\n  \
             v2: i32 = extract v0, lane 1\n  v3: i32x3 = sysval global_invocation_id\n  v4: i32 = extract v3, lane 1\n  \
             v5: i32 = sysval local_invocation_index\n  store v1, res1[0] align 4\n  store v2, res1[4] align 4\n  \
             store v4, res1[8] align 4\n  store v5, res1[12] align 4\n  ret\n}",
        );
        let mut f = m.funcs[Func(0)].clone();
        let caps = Caps { scalar, ..Caps::FULL };
        super::run(&mut f, &mut Cx::new(&m, &caps), size);
        f.to_string()
    }

    fn stored(text: &str, at: u32) -> String {
        let line = text.lines().find(|l| l.contains(&format!("res1[{at}]"))).unwrap_or_default();
        let value = line.trim().trim_start_matches("store ").split(',').next().unwrap_or_default().to_owned();
        match text.lines().find(|l| l.trim().starts_with(&format!("{value}:"))) {
            Some(l) => l.split(" = ").nth(1).unwrap_or_default().to_owned(),
            None => value,
        }
    }

    #[test]
    fn sizes_of_one() {
        let t = after([64, 1, 1], true);
        assert_eq!(stored(&t, 4), "0:i32", "{t}");
        assert!(t.contains("sysval workgroup_id"), "{t}");
        assert!(!t.contains("sysval local_invocation_index"), "{t}");
        let t = after([1, 1, 1], true);
        assert_eq!((stored(&t, 0), stored(&t, 4), stored(&t, 12)), ("0:i32".into(), "0:i32".into(), "0:i32".into()));
    }

    #[test]
    fn others_and_vectors_stay() {
        let t = after([8, 8, 2], true);
        assert!(!t.contains("workgroup_id") && t.contains("sysval local_invocation_index"), "{t}");
        assert!(stored(&t, 4).starts_with("extract"), "{t}");
        let t = after([64, 1, 1], false);
        assert!(!t.contains("workgroup_id") && t.contains("sysval local_invocation_index"), "{t}");
        assert_eq!(stored(&t, 4), "0:i32", "{t}");
    }
}
