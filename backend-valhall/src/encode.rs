//! From allocated machine IR to encoded code: each block ends with the branches of its machine code, or with a `NOP` that ends the
//! program, and a `NOP` that waits for all slots stands for a fence.

use gpucc_ir::{Diagnostic, Loc};
use gpucc_isa::Inst;
use gpucc_mir::{BlockId, MFunc, MInst, Ranges, Use};
use gpucc_valhall_machine::build::{dst, flow, inst as blank, put_src, set_run, set_src};
use gpucc_valhall_machine::{Op, ROWS, Valhall as Isa};
use smallvec::SmallVec;

use crate::encoded::{Access, Block, BranchKind, Code, EncodedInst, asks, mask, nop};
use crate::forms::{self, Definition};
use crate::inst::{Mods, VOp, Valhall};

/// Slots that messages share, as bits.
const ALL: u32 = flow::wait(7);

fn bug(message: impl Into<String>) -> Diagnostic {
    Diagnostic::internal("encode", message)
}

/// Registers of a value.
fn units(p: gpucc_mir::PReg) -> (u32, u32) {
    (p.place.base().into(), p.place.len().into())
}

/// Puts the definition of an instruction into its row.
fn define(inst: &mut Inst<Isa>, i: &MInst<Valhall>, form: &forms::Form) -> Result<Ranges, Diagnostic> {
    let Some(d) = i.defs.first() else { return Ok(Ranges::new()) };
    let p = d.phys().ok_or_else(|| bug(format!("{i:?} has no register")))?;
    let (base, len) = (p.place.base() as u8, u32::from(p.place.len()));
    match form.definition {
        Some(Definition::Run(run)) => set_run(inst, run.name(), base, len),
        Some(Definition::Register(slot) | Definition::Pair(slot)) => inst.vals[usize::from(slot)] = dst::full(base),
        None => return Err(bug(format!("{i:?} defines nothing"))),
    }
    Ok(Ranges::from_iter([units(p)]))
}

/// Encodes one instruction that is no branch.
fn plain(i: &MInst<Valhall>) -> Result<EncodedInst, Diagnostic> {
    let Some(VOp::Op(op)) = i.target_op() else { return Err(bug(format!("{i:?} is not an instruction"))) };
    let (row, form) = (&ROWS[op as usize], forms::of(op));
    let mut inst = form.blank;
    for &(slot, m) in &form.modifiers {
        if let Some(v) = m.value(&i.mods, row.attrs.bytes) {
            inst.vals[usize::from(slot)] = v;
        }
    }
    let mut reads = Ranges::new();
    let mut uses = i.uses.iter();
    if let Some(run) = form.read_run {
        let p = uses.next().and_then(Use::phys).ok_or_else(|| bug(format!("{op:?} without its run")))?;
        set_run(&mut inst, run.name(), p.place.base() as u8, u32::from(p.place.len()));
        reads.push(units(p));
    }
    let staging = mask(&reads);
    for s in &form.sources {
        let u = uses.next().ok_or_else(|| bug(format!("{op:?} lacks a source")))?;
        let operand = forms::operand(u).map_err(|e| bug(format!("{op:?}: {e}")))?;
        if put_src(&mut inst, usize::from(s.slot), operand).is_none() {
            return Err(bug(format!("{op:?} cannot take {u:?} in slot {}", s.slot)));
        }
        reads.extend(u.phys().map(units));
    }
    if uses.next().is_some() {
        return Err(bug(format!("{op:?} has too many sources: {i:?}")));
    }
    let writes = define(&mut inst, i, form)?;
    if op == Op::Barrier {
        inst.set("flow", flow::WAIT);
    }
    let mut item = EncodedInst { loc: i.loc, ..EncodedInst::new(inst, reads, writes) };
    item.facts.staging = staging;
    if item.facts.message {
        let (effects, Mods { space, readonly, shared, key, .. }) = (row.effects, i.mods);
        let key = (key != 0).then_some(key);
        item.facts.access = (!readonly && (effects.reads || effects.writes)).then_some(Access {
            space,
            writes: effects.writes || shared,
            key,
        });
    }
    Ok(item)
}

/// A branch, on a condition if there is one.
fn branch(
    cond: Option<(&Use<Valhall>, bool)>,
    branch_kind: BranchKind,
    to: BlockId,
    loc: Loc,
) -> Result<EncodedInst, Diagnostic> {
    let mut inst = blank(Op::Branchz);
    let (mut reads, mut eq) = (Ranges::new(), true);
    if let Some((u, zero)) = cond {
        set_src(&mut inst, 0, forms::operand(u).map_err(bug)?);
        reads.extend(u.phys().map(units));
        eq = zero;
    }
    inst.set("eq", u32::from(eq));
    let mut item = EncodedInst { loc, label: Some(to), ..EncodedInst::new(inst, reads, Ranges::new()) };
    item.facts.branch_kind = Some(branch_kind);
    Ok(item)
}

/// Encodes the instructions of a block.
fn block(insts: &[MInst<Valhall>], runs: u64) -> Result<Block, Diagnostic> {
    let mut items: Vec<EncodedInst> = Vec::with_capacity(insts.len());
    let mut succs = SmallVec::new();
    for i in insts {
        let label = || i.labels().next().ok_or_else(|| bug("a branch without a target"));
        match i.target_op() {
            Some(VOp::End) => {
                // From where the last instruction comes, if it is none of the program's own.
                let last = items.iter().rfind(|i| asks(i).is_none());
                items.push(nop(flow::END, last.map_or(Loc::UNKNOWN, |i| i.loc)));
            }
            Some(VOp::Fence) => items.push(nop(ALL, i.loc)),
            Some(VOp::Jump) => {
                let branch_kind = BranchKind::Always { together: i.mods.together };
                succs.push(label()?);
                items.push(branch(None, branch_kind, label()?, i.loc)?);
            }
            Some(VOp::Branch) => {
                let branch_kind = BranchKind::Maybe { uniform: i.mods.uniform };
                succs.push(label()?);
                items.push(branch(Some((&i.uses[0], i.mods.eq)), branch_kind, label()?, i.loc)?);
            }
            _ => items.push(plain(i)?),
        }
    }
    Ok(Block { insts: items, succs, runs })
}

/// Encodes a function whose registers are physical.
///
/// # Errors
/// A compiler bug: an operand that the table cannot hold.
pub fn encode(mf: MFunc<Valhall>) -> Result<Code, Diagnostic> {
    let blocks = mf.code.iter().zip(&mf.blocks).map(|(insts, b)| block(insts, b.runs)).collect::<Result<_, _>>()?;
    Ok(Code { name: mf.name, blocks })
}
