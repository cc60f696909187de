//! Block parameters that always receive one value become that value.
//!
//! Needs: nothing. Keeps: block structure, dominators. Never replaces by a value that need not dominate the block: all
//! edges must bring the same value, the parameter itself (round a loop), or undef beside a constant.

use crate::PassCx;
use crate::dce::drop_params;
use gpucc_ir::{Function, SecondaryMap, Value, trace};

/// Replaces block parameters that always receive one value by it.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    let preds = cx.preds(f);
    let mut map: SecondaryMap<Value, Option<Value>> = SecondaryMap::with_default(None);
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
                for (_, e) in f.edges_to(b, &preds[b]) {
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
