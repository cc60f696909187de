//! Zeros in place of values that nobody defined: the chip (and the machine that stands for it) may not read what was never
//! written, not even where a selection does not take it.
//!
//! Needs and keeps: any IR. Leaves no use of an undefined value but on edges, where none of them is read.

use gpucc_ir::{Function, Inst, Value};
use gpucc_opt::PassCx;

/// Runs over a function.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    let mut zeros: Vec<(Value, Value)> = Vec::new();
    let list: Vec<Inst> = f.insts_in_order().map(|(_, i)| i).collect();
    for &i in &list {
        let mut undefined = Vec::new();
        f.insts[i].for_each_use(|v| undefined.push(v));
        for v in undefined {
            if f.is_undef(v) && !zeros.iter().any(|z| z.0 == v) {
                let zero = f.zero(f.ty(v));
                zeros.push((v, zero));
            }
        }
    }
    if zeros.is_empty() {
        return;
    }
    cx.must_change(zeros.len() as u64);
    for i in list {
        f.insts[i].map_uses(|v| zeros.iter().find(|z| z.0 == v).map_or(v, |z| z.1));
    }
}
