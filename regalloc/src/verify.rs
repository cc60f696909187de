//! The rules of a problem, checked before anything else so that later steps may rely on them.

use crate::problem::{Cfg, Constraint, Error, Problem, Role};

/// Checks the structure of `p`.
///
/// # Errors
/// The first broken rule.
pub fn verify(p: &Problem) -> Result<(), Error> {
    let bad = |s: String| Err(Error::Invalid(s));
    if p.blocks.is_empty() {
        return bad("no blocks".into());
    }
    if !p.params(0).is_empty() {
        return bad("the entry block has parameters".into());
    }
    for v in p.kinds() {
        if v.file as usize >= p.files.len() || v.shape.units == 0 || v.shape.units > 32 {
            return bad(format!("value of {} units in file {}", v.shape.units, v.file));
        }
        if v.shape.granule == 0 || v.shape.units % v.shape.granule != 0 {
            return bad(format!("value of {} units moved {} at a time", v.shape.units, v.shape.granule));
        }
    }
    let known = |v: crate::Value| (v.0 as usize) < p.value_count();
    for b in 0..p.blocks.len() as u32 {
        if p.params(b).iter().any(|&v| !known(v)) {
            return bad(format!("block {b} has an unknown parameter"));
        }
    }
    let preds = [p.preds(Cfg::Logical), p.preds(Cfg::Linear)];
    for (b, block) in p.blocks.iter().enumerate() {
        for cfg in [Cfg::Logical, Cfg::Linear] {
            let mine = &preds[cfg as usize][b];
            if b == 0 && !mine.is_empty() {
                return bad("the entry block has predecessors".into());
            }
            if !mine.is_empty() && mine[0] as usize >= b {
                return bad(format!("block {b} comes before all its predecessors ({cfg:?})"));
            }
            let succs = p.succs(b as u32, cfg);
            for e in succs.clone() {
                if e.to as usize >= p.blocks.len() {
                    return bad(format!("block {b} goes to block {}, which does not exist", e.to));
                }
                let params = p.params(e.to);
                if succs.len() > 1 && preds[cfg as usize][e.to as usize].len() > 1 {
                    return bad(format!("critical edge from block {b} to {} ({cfg:?})", e.to));
                }
                if e.args.len() != params.len() {
                    return bad(format!(
                        "edge from block {b} to {} has {} arguments for {} parameters",
                        e.to,
                        e.args.len(),
                        params.len()
                    ));
                }
                for (&arg, &param) in e.args.iter().zip(params) {
                    if p.cfg(param) != cfg {
                        continue;
                    }
                    if !known(arg) {
                        return bad(format!("edge from block {b} to {} lacks an argument ({cfg:?})", e.to));
                    }
                    if p.file(arg) != p.file(param) || p.shape(arg).units != p.shape(param).units {
                        return bad(format!("edge from block {b} to {}: {arg:?} does not fit {param:?}", e.to));
                    }
                }
            }
        }
        let first_terminator = block.insts.end - block.terminators.min(block.insts.end - block.insts.start);
        for i in block.insts.clone() {
            for (k, o) in p.operands(i).iter().enumerate() {
                if !known(o.value) {
                    return bad(format!("instruction {i} names an unknown value"));
                }
                let cfg = p.cfg(o.value);
                if cfg == Cfg::Logical && block.logical_end.is_some_and(|e| i > e) {
                    return bad(format!("instruction {i} touches {:?} after the logical end", o.value));
                }
                if i >= first_terminator && (o.role != Role::Use || p.succs(b as u32, cfg).len() == 1) {
                    let why = if o.role == Role::Use { "reads" } else { "writes" };
                    return bad(format!(
                        "terminator {i} {why} {:?} where copies of the edge would come before it",
                        o.value
                    ));
                }
                if let Constraint::Fixed(at) = o.constraint {
                    let v = p.info(o.value);
                    let top = at.set().highest().unwrap_or(u16::MAX);
                    if at.len() != v.shape.units || top >= p.files[v.file as usize].units {
                        return bad(format!("instruction {i}, operand {k}: {at:?} is not a place for {:?}", v.shape));
                    }
                }
            }
        }
    }
    Ok(())
}
