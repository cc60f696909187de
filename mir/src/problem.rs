//! The allocator's problem: a machine function with nothing but registers, and what is counted while it is solved.

use gpucc_regalloc as ra;
use gpucc_regalloc::{Cfg, Hint, Operand, Placement, Problem, UnitSet, Value};
use smallvec::SmallVec;

use crate::func::{MFunc, is_terminator};
use crate::inst::{MInst, Opcode, PReg, Pseudo, Reg, Src, Target, Use, VReg};

/// The registers that the allocation used.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AllocStats {
    /// Units of each file that the code names.
    pub used: Vec<UnitSet>,
    /// Most units of each file live at once.
    pub pressure: Vec<u32>,
    /// Instructions emitted for copies.
    pub moves: u32,
    /// Values stored for later.
    pub spills: u32,
    /// Values loaded again from spill memory.
    pub reloads: u32,
    /// Values computed again in place of a load.
    pub remats: u32,
    /// Stores and loads of spilled values, those in loops counted as often as they may run.
    pub spill_cost: u64,
    /// Instructions before spilling, counted likewise.
    pub cost: u64,
    /// Words of spill memory for each file, of the size of a unit.
    pub spill_words: Vec<u32>,
}

/// Builds the allocator's problem: one instruction for one instruction, uses before definitions, registers only.
pub(crate) fn build<T: Target>(mf: &MFunc<T>, t: &T) -> Result<Problem, String> {
    let mut p = Problem::new(t.files());
    let classes = t.classes();
    let count = mf.inst_count();
    p.reserve(mf.classes.len(), mf.blocks.len(), count, 3 * count);
    p.hints.reserve(mf.classes.len() / 2);
    let kinds: SmallVec<[u16; 32]> = classes.iter().map(|c| p.kind(c.file, c.shape)).collect();
    for (n, c) in mf.classes.iter().enumerate() {
        let Some(&kind) = kinds.get(c.0 as usize) else { return Err(format!("%{n} has unknown class {}", c.0)) };
        p.value_of(kind);
    }
    let value = |v: VReg| Value(v.0);
    let mut ops: SmallVec<[Operand; 8]> = SmallVec::new();
    let mut clobbers: SmallVec<[PReg; 4]> = SmallVec::new();
    let mut last_hints: Vec<Hint> = Vec::new();
    for (b, (block, insts)) in mf.blocks.iter().zip(&mf.code).enumerate() {
        let params: SmallVec<[Value; 8]> = block.params.iter().map(|&v| value(v)).collect();
        p.begin_block(&params);
        let mut logical_end = None;
        let mut logical_start = !insts.iter().any(|i| i.is(Pseudo::LogicalStart));
        let mut terminators = 0;
        for inst in insts {
            if inst.is(Pseudo::Start) && p.insts.len() as u32 > 0 {
                return Err(format!("block {b}: `start` is not the first instruction"));
            }
            ops.clear();
            clobbers.clear();
            // Operand index of each use, for ties.
            let mut index: SmallVec<[u8; 8]> = SmallVec::new();
            for u in &inst.uses {
                index.push(ops.len() as u8);
                if let Some(v) = u.vreg() {
                    let mut op = Operand::read(value(v));
                    if let Some(at) = u.fixed() {
                        op = op.at(at);
                    }
                    ops.push(op);
                }
            }
            for d in &inst.defs {
                let Some(v) = d.vreg() else { continue };
                let mut op = if d.early { Operand::early(value(v)) } else { Operand::write(value(v)) };
                if let Some(at) = d.fixed() {
                    op = op.at(at);
                }
                if let Some(k) = d.tied_to() {
                    if inst.uses.get(k as usize).and_then(Use::vreg).is_none() {
                        return Err(format!("block {b}: tie to a use that is not a virtual register in {inst:?}"));
                    }
                    op = op.tied(index[k as usize]);
                }
                ops.push(op);
            }
            if inst.target_op().is_some() {
                t.clobbers(inst, &mut clobbers);
            }
            if !logical_start && ops.iter().any(|o| p.cfg(o.value) == Cfg::Logical) {
                return Err(format!("block {b}: {inst:?} touches a logical file before the logical start"));
            }
            let cl: SmallVec<[(ra::FileId, Placement); 4]> = clobbers.iter().map(|c| (c.file, c.place)).collect();
            let id = p.push(&ops, &cl);
            if let Some(code) = &inst.spill {
                p.set_spill(id, **code);
            }
            if let Opcode::Pseudo(pseudo) = inst.op {
                hints_of_pseudo(&mut p, mf, t, inst, pseudo);
                p.insts[id as usize].report_free = matches!(pseudo, Pseudo::Copy | Pseudo::Collect | Pseudo::Split);
                if pseudo == Pseudo::LogicalEnd {
                    logical_end = Some(id);
                }
                logical_start |= pseudo == Pseudo::LogicalStart;
            } else {
                if let Some((d, u)) = t.prefer_same(inst)
                    && let (Some(d), Some(u)) =
                        (inst.defs.get(d).and_then(|d| d.vreg()), inst.uses.get(u).and_then(Use::vreg))
                {
                    last_hints.push(Hint { part: value(u), whole: value(d), offset: 0 });
                }
                if is_terminator(t, inst) {
                    terminators += 1;
                } else if terminators > 0 {
                    return Err(format!("block {b}: {inst:?} comes after a terminator"));
                }
            }
        }
        let arg = |&a: &VReg| if a.is_none() { Value::NONE } else { value(a) };
        let graphs = [(Cfg::Logical, Some(&block.succs)), (Cfg::Linear, block.linear.as_ref())];
        for (cfg, edges) in graphs.into_iter().filter_map(|(cfg, l)| Some((cfg, l?))) {
            p.set_succs(b as u32, cfg, edges.iter().map(|e| (e.to.0, e.args.iter().map(arg))));
        }
        let out = &mut p.blocks[b];
        out.logical_end = logical_end;
        out.terminators = terminators;
    }
    p.hints.extend(last_hints);
    Ok(p)
}

fn hints_of_pseudo<T: Target>(p: &mut Problem, mf: &MFunc<T>, t: &T, inst: &MInst<T>, pseudo: Pseudo) {
    let units = |v: VReg| t.classes()[mf.class(v).0 as usize].shape.units as i16;
    let hint = |part: VReg, whole: VReg, offset: i16| Hint { part: Value(part.0), whole: Value(whole.0), offset };
    match pseudo {
        Pseudo::Copy => {
            for (d, u) in inst.defs.iter().zip(&inst.uses) {
                if let (Some(d), Some(s)) = (d.vreg(), u.vreg()) {
                    let first = u.part_read().map_or(0, |p| p.0 as i16);
                    p.hints.push(if u.part_read().is_some() { hint(d, s, first) } else { hint(s, d, 0) });
                }
            }
        }
        Pseudo::Collect => {
            let Some(d) = inst.defs.first().and_then(|d| d.vreg()) else { return };
            let each = set_units(inst, units(d) as u16, |v| units(v) as u16) as i16;
            let mut at = 0;
            for u in &inst.uses {
                let n = match (u.part_read(), u.vreg(), u.phys()) {
                    (Some((_, n)), ..) => n as i16,
                    (None, Some(v), _) => units(v),
                    (None, None, Some(q)) => q.place.len() as i16,
                    (None, None, None) => each,
                };
                if let (Some(v), None) = (u.vreg(), u.part_read()) {
                    p.hints.push(hint(v, d, at));
                }
                at += n;
            }
        }
        Pseudo::Split => {
            let Some(s) = inst.uses.first().and_then(Use::vreg) else { return };
            let mut at = inst.uses[0].part_read().map_or(0, |p| p.0 as i16);
            for d in inst.vreg_defs() {
                p.hints.push(hint(d, s, at));
                at += units(d);
            }
        }
        Pseudo::Undef | Pseudo::Start | Pseudo::LogicalStart | Pseudo::LogicalEnd => {}
    }
}

/// Units that each immediate or uniform source of a collect fills.
pub(crate) fn set_units<T: Target>(inst: &MInst<T>, total: u16, units: impl Fn(VReg) -> u16) -> u16 {
    let (mut regs, mut sets) = (0, 0);
    for u in &inst.uses {
        match (u.part_read(), u.src) {
            (Some((_, n)), Src::Reg(_)) => regs += n as u16,
            (None, Src::Reg(Reg::V(v))) => regs += units(v),
            (None, Src::Reg(Reg::P(q))) => regs += q.place.len(),
            _ => sets += 1,
        }
    }
    total.saturating_sub(regs).checked_div(sets).unwrap_or(0)
}
