//! Steps of offsets: numbers that all values of an offset are multiples of.

use gpucc_ir::{Function, Op, Value};

fn greatest_common(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { greatest_common(b, a % b) }
}

/// A number that all values of an offset are multiples of, by how it is written; 0 for 0.
pub(crate) fn step(f: &Function, v: Value, depth: u32) -> u32 {
    if let Some(c) = f.as_const(v) {
        return c.bits.first().map_or(1, |&b| b as u32);
    }
    let Some(d) = f.def_inst(v).map(|i| &f.insts[i]).filter(|_| depth < 16) else { return 1 };
    let of = |k: usize| step(f, d.args[k], depth + 1);
    match d.op {
        Op::IAdd | Op::ISub => greatest_common(of(0), of(1)),
        Op::IMul => of(0).wrapping_mul(of(1)),
        Op::ZExt | Op::SExt => of(0),
        Op::Shl => f.as_const(d.args[1]).map_or(1, |c| of(0).wrapping_shl(c.bits.first().map_or(0, |&b| b as u32))),
        _ => 1,
    }
}
