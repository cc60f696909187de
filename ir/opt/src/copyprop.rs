//! Block parameters that always receive one value become that value.
//!
//! Needs: nothing. Keeps: block structure, dominators. Never replaces by a value that need not dominate the block: all
//! edges must bring the same value, the parameter itself (round a loop), or undef beside a constant.

use crate::Cx;
use crate::dce::drop_params;
use gpucc_ir::{Function, SideMap, Value, trace};

/// Runs the pass.
pub fn run(f: &mut Function, cx: &mut Cx<'_>) {
    let preds = cx.preds(f);
    let mut map: SideMap<Value, Option<Value>> = SideMap::with_default(None);
    let entry = f.entry();
    let mut changed = true;
    while changed {
        changed = false;
        trace::work(f.layout.len() as u64);
        for &b in &f.layout {
            if b == entry {
                continue;
            }
            'params: for (n, &p) in f.blocks[b].params.iter().enumerate() {
                if map[p].is_some() {
                    continue;
                }
                let (mut same, mut undef) = (None, None);
                for &s in &preds[b] {
                    for e in f.edges(s) {
                        if e.block != b {
                            continue;
                        }
                        let a = map.resolve(e.args[n]);
                        if a == p || same == Some(a) {
                            continue;
                        }
                        if f.is_undef(a) {
                            undef = Some(a);
                            continue;
                        }
                        if same.is_some() {
                            continue 'params;
                        }
                        same = Some(a);
                    }
                }
                let to = match (same, undef) {
                    (Some(v), None) => v,
                    (Some(v), Some(_)) if f.as_const(v).is_some() => v,
                    (None, Some(u)) => u,
                    _ => continue,
                };
                if cx.change() {
                    map[p] = Some(to);
                    changed = true;
                }
            }
        }
    }
    if map.is_unset() {
        return;
    }
    f.replace_uses(&map);
    drop_params(f, cx, |v| map[v].is_some());
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::testing::{opt, unchanged};

    #[test]
    fn one_value_on_all_edges() {
        let t = opt(
            run,
            "func0 \"f\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n  jump block1(v0, 0:i32)\n\
             block1(v1: i32, v2: i32) loop merge block3 continue block2:\n  v3: b1 = icmp.ult v2, v1\n  br v3, block2(v1), block3\n\
             block2(v4: i32):\n  v5: i32 = iadd v2, v4\n  jump block1(v4, v5)\nblock3:\n  store v1, res1[0] align 4\n  ret\n}",
        );
        assert_eq!(
            t,
            "func0 \"f\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n  jump block1(0:i32)\n\
             block1(v1: i32) loop merge block3 continue block2:\n  v2: b1 = icmp.ult v1, v0\n  br v2, block2, block3\n\
             block2:\n  v3: i32 = iadd v1, v0\n  jump block1(v3)\nblock3:\n  store v0, res1[0] align 4\n  ret\n}\n"
        );
    }

    #[test]
    fn keeps_what_differs() {
        unchanged(
            run,
            "func0 \"f\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n  v1: b1 = icmp.eq v0, 0:i32\n\
             br v1, block1(v0), block1(undef:i32) merge block1\nblock1(v2: i32):\n  store v2, res1[0] align 4\n  ret\n}",
        );
    }
}
