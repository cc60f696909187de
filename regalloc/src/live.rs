//! Liveness of values along the graph of their file, by walking up from uses.
//!
//! Costs are proportional to the size of the answer: the sum of the live-in lists. A value may have several
//! definitions (reloads after spilling), as long as each use is reached by one on every path.

use crate::lists::CsrLists;
use crate::problem::{BlockId, Cfg, Error, InstId, Problem, Role, Value};

/// A point where a file is in highest demand.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Peak {
    /// Units live at once.
    pub units: u32,
    /// The block of the peak.
    pub block: BlockId,
    /// The instruction; `None` at the end of the block.
    pub inst: Option<InstId>,
}

/// Liveness facts of a problem.
pub struct Liveness {
    /// Values live into each block, ascending; parameters are not among them.
    pub live_in: CsrLists<Value>,
    /// Whether an operand, by number, is a use after which the value is dead, or a definition that nothing reads.
    pub last: Vec<bool>,
    /// Whether a value, by number, is a parameter that nothing reads.
    pub dead_param: Vec<bool>,
    /// Where each file is in highest demand.
    pub peaks: Vec<Peak>,
    /// Units of each file at the peak of each block, block by block.
    block_units: Vec<u32>,
    /// Predecessors on the logical and on the linear graph.
    pub preds: [CsrLists<BlockId>; 2],
}

/// The values that live into each block, from where they are read before they are defined and where they are defined.
fn live_in(
    p: &Problem,
    preds: &[CsrLists<BlockId>; 2],
    exposed: &[(Value, BlockId)],
    defs: &[(Value, BlockId)],
) -> Result<CsrLists<Value>, Error> {
    let mut found: Vec<(BlockId, Value)> = Vec::new();
    if !exposed.is_empty() {
        let n = p.value_count();
        let by_value =
            |pairs: &[(Value, BlockId)]| CsrLists::new(n, 0, |put| pairs.iter().for_each(|&(v, b)| put(v.index(), b)));
        let (exposed, defs) = (by_value(exposed), by_value(defs));
        let mut last_found = vec![Value::NONE; p.blocks.len()];
        let mut stack = Vec::new();
        for v in 0..n {
            if exposed[v].is_empty() {
                continue;
            }
            let value = Value(v as u32);
            let preds = &preds[p.cfg(value) as usize];
            stack.extend_from_slice(&exposed[v]);
            while let Some(b) = stack.pop() {
                if last_found[b as usize] == value {
                    continue;
                }
                if b == 0 {
                    return Err(Error::Invalid(format!("{value:?} is used but not defined on every path")));
                }
                last_found[b as usize] = value;
                found.push((b, value));
                for &q in &preds[b as usize] {
                    if defs[v].binary_search(&q).is_err() {
                        stack.push(q);
                    }
                }
            }
        }
    }
    Ok(CsrLists::new(p.blocks.len(), Value::NONE, |put| found.iter().for_each(|&(b, v)| put(b as usize, v))))
}

impl Liveness {
    /// Predecessors on one graph.
    pub fn preds(&self, cfg: Cfg) -> &CsrLists<BlockId> {
        &self.preds[cfg as usize]
    }

    /// Computes liveness.
    ///
    /// # Errors
    /// When a value is used that is not defined on every path.
    pub fn compute(p: &Problem) -> Result<Liveness, Error> {
        let n = p.value_count();
        let preds = [p.preds(Cfg::Logical), p.preds(Cfg::Linear)];
        // Upward exposed uses and definitions per block. Blocks are visited in order, so lists are ascending.
        let (mut exposed, mut defs) = (Vec::new(), Vec::new());
        // Only what lives across an edge asks where it is defined.
        let several = p.blocks.len() > 1;
        if several {
            defs.reserve(n);
        }
        let mut def_stamp = vec![u32::MAX; n];
        let mut use_stamp = vec![u32::MAX; n];
        for (b, block) in p.blocks.iter().enumerate() {
            let b = b as BlockId;
            let mut define = |v: Value, stamp: &mut Vec<u32>| {
                if stamp[v.index()] != b {
                    stamp[v.index()] = b;
                    if several {
                        defs.push((v, b));
                    }
                }
            };
            let mut expose = |v: Value, stamp: &[u32]| {
                if stamp[v.index()] != b && use_stamp[v.index()] != b {
                    use_stamp[v.index()] = b;
                    exposed.push((v, b));
                }
            };
            for &v in p.params(b) {
                define(v, &mut def_stamp);
            }
            for i in block.insts.clone() {
                let (uses, defs) = p.uses_and_defs(i);
                uses.iter().for_each(|o| expose(o.value, &def_stamp));
                defs.iter().for_each(|o| define(o.value, &mut def_stamp));
            }
            for_args(p, b, |v| expose(v, &def_stamp));
        }
        let live_in = live_in(p, &preds, &exposed, &defs)?;
        let (last, dead_param) = (Vec::new(), vec![false; n]);
        let mut live = Liveness { live_in, last, dead_param, peaks: Vec::new(), block_units: Vec::new(), preds };
        live.walk(p);
        Ok(live)
    }

    /// The same for a problem whose instructions have changed places within their blocks: values that live into blocks stay the same.
    pub fn reordered(mut self, p: &Problem) -> Liveness {
        self.walk(p);
        self
    }

    /// Values live out of `b`, arguments of its edges included; each once.
    pub fn for_live_out(&self, p: &Problem, b: BlockId, mut f: impl FnMut(Value)) {
        for cfg in [Cfg::Logical, Cfg::Linear] {
            for e in p.succs(b, cfg) {
                for &v in &self.live_in[e.to as usize] {
                    if p.cfg(v) == cfg {
                        f(v);
                    }
                }
            }
        }
        for_args(p, b, f);
    }

    /// Units of a file at the peak of a block.
    pub(crate) fn block_units(&self, b: BlockId, file: usize) -> u32 {
        self.block_units[b as usize * self.peaks.len() + file]
    }

    /// Finds what is read last where, and the demand: at the end of each block and at the two moments of each instruction.
    fn walk(&mut self, p: &Problem) {
        let files = p.files.len();
        let mut live = vec![u32::MAX; p.value_count()];
        let mut last = vec![false; p.operands.len()];
        let mut block_units = vec![0; files * p.blocks.len()];
        let mut peaks = vec![Peak::default(); files];
        let mut here = peaks.clone();
        let mut now = vec![0u32; files];
        let of = |v: Value| (p.file(v) as usize, u32::from(p.shape(v).units));
        // Up, as each block is walked: memory is fetched ahead of a walk that keeps its direction.
        for b in (0..p.blocks.len() as BlockId).rev() {
            now.fill(0);
            self.for_live_out(p, b, |v| {
                if std::mem::replace(&mut live[v.index()], b) != b {
                    let (file, units) = of(v);
                    now[file] += units;
                }
            });
            for (peak, &units) in here.iter_mut().zip(&now) {
                *peak = Peak { units, block: b, inst: None };
            }
            for i in p.blocks[b as usize].insts.clone().rev() {
                let (uses, defs) = p.uses_and_defs(i);
                let (last_use, last_def) = last[p.first_operand(i)..].split_at_mut(uses.len());
                for (last, o) in last_def.iter_mut().zip(defs) {
                    *last = live[o.value.index()] != b;
                }
                let mut early = false;
                for o in defs {
                    early |= o.role == Role::EarlyDef;
                    if std::mem::replace(&mut live[o.value.index()], u32::MAX) != b {
                        let (file, units) = of(o.value);
                        now[file] += units;
                    }
                }
                higher(&mut here, &now, i);
                for o in defs.iter().filter(|o| o.role == Role::Def) {
                    let (file, units) = of(o.value);
                    now[file] -= units;
                }
                for (last, o) in last_use.iter_mut().zip(uses) {
                    *last = live[o.value.index()] != b;
                }
                for o in uses {
                    if std::mem::replace(&mut live[o.value.index()], b) != b {
                        let (file, units) = of(o.value);
                        now[file] += units;
                    }
                }
                higher(&mut here, &now, i);
                if early {
                    for o in defs.iter().filter(|o| o.role == Role::EarlyDef) {
                        let (file, units) = of(o.value);
                        now[file] -= units;
                    }
                }
            }
            for &v in p.params(b) {
                self.dead_param[v.index()] = live[v.index()] != b;
            }
            let all = &mut block_units[files * b as usize..][..files];
            for ((peak, here), units) in peaks.iter_mut().zip(&here).zip(all) {
                *units = here.units;
                // Of equal ones the first block counts.
                if here.units >= peak.units && here.units > 0 {
                    *peak = *here;
                }
            }
        }
        (self.last, self.peaks, self.block_units) = (last, peaks, block_units);
    }
}

/// Notes the demand at an instruction where it is higher than below it.
fn higher(peaks: &mut [Peak], now: &[u32], i: InstId) {
    for (peak, &units) in peaks.iter_mut().zip(now) {
        if units > peak.units {
            (peak.units, peak.inst) = (units, Some(i));
        }
    }
}

/// Calls `f` with the arguments of all edges out of `b` that count on their graph.
pub(crate) fn for_args(p: &Problem, b: BlockId, mut f: impl FnMut(Value)) {
    for cfg in [Cfg::Logical, Cfg::Linear] {
        for e in p.succs(b, cfg) {
            for (&arg, &param) in e.args.iter().zip(p.params(e.to)) {
                if p.cfg(param) == cfg && !arg.is_none() {
                    f(arg);
                }
            }
        }
    }
}
