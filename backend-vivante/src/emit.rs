//! From allocated machine IR to bytes: uniform layout, block layout, encoding by the machine's table.

use gpucc_ir::Diagnostic;
use gpucc_isa::{Inst, ModValue, TextCx};
use gpucc_mir::{BlockId, MFunc, MInst, Opcode, PReg, Src, Use};
use gpucc_vivante_machine as machine;
use indexmap::IndexSet;
use machine::rows::Kind;
use machine::{Op, operand};
use rustc_hash::FxBuildHasher;

use crate::builders as build;
use crate::target::{FILE, Mods, SrcMods, VOp, Vivante, row, uniform};
use crate::uniforms::{Layout, Slot, Table, Word, Words};

/// The finished program.
pub struct Program {
    /// The code.
    pub code: Vec<u8>,
    /// Byte address and location of each instruction.
    pub locs: Vec<(u32, gpucc_ir::Loc)>,
    /// The uniform file.
    pub uniforms: Layout,
    /// Numbers for people.
    pub counts: Counts,
}

/// What the code consists of.
#[derive(Default)]
pub struct Counts {
    /// MOV instructions.
    pub movs: u64,
    /// Writes of the address register.
    pub address_moves: u64,
    /// Lanes written by arithmetic, and those it could have written.
    pub lanes: (u64, u64),
    /// Branches.
    pub branches: u64,
    /// Loads, stores, atomics.
    pub memory: u64,
    /// Immediates in operands.
    pub immediates: u64,
    /// Backward branches.
    pub loops: u64,
}

fn bug(message: impl Into<String>) -> Diagnostic {
    Diagnostic::internal("emit", message)
}

/// The distinct words that the uniform operands of an instruction read.
fn words_of(table: &Table, inst: &MInst<Vivante>) -> Words {
    let mut all = Words::new();
    for u in &inst.uses {
        if let Src::Uniform(slot) = u.src {
            for w in table.read(slot, &u.mods.swz.map(|c| c.min(table.words(slot).len() as u8 - 1))) {
                if !all.contains(&w) {
                    all.push(w);
                }
            }
        }
    }
    all
}

/// Words that a function reads and that only the uniform file can hold, each once.
pub fn words(mf: &MFunc<Vivante>, t: &Vivante, table: &Table) -> usize {
    let all = mf.code.iter().flatten().flat_map(|i| words_of(table, i));
    let immediate = |w: &Word| matches!(w, Word::Const(bits) if t.immediate(*bits));
    all.filter(|w| !immediate(w)).collect::<IndexSet<Word, FxBuildHasher>>().len()
}

/// On chips with the single-uniform rule: moves uniform operands to temporaries where an instruction needs more words
/// than one register has. Needs: virtual registers. Returns how many were moved.
pub fn single_uniform(mf: &mut MFunc<Vivante>, t: &Vivante, table: &Table) -> usize {
    if !machine::validate::single_uniform(t.generation) {
        return 0;
    }
    let mut moved = 0;
    for b in 0..mf.blocks.len() {
        let insts = std::mem::take(&mut mf.code[b]);
        let mut out = Vec::with_capacity(insts.len());
        for mut inst in insts {
            let mut k = inst.uses.len();
            while matches!(inst.op, Opcode::Op(_)) && words_of(table, &inst).len() > 4 && k > 0 {
                k -= 1;
                let u = inst.uses[k];
                let Src::Uniform(slot) = u.src else { continue };
                let broadcast = u.mods.is_broadcast();
                let r = mf.vreg(row(if broadcast { 1 } else { 4 }));
                let whole = uniform(Slot(slot)).mods(SrcMods::swizzle(u.mods.swz));
                out.push(MInst::copy(r, whole).at(inst.loc));
                let swz = if broadcast { [0; 4] } else { [0, 1, 2, 3] };
                inst.uses[k] = Use::reg(r).mods(SrcMods { swz, ..u.mods });
                moved += 1;
            }
            out.push(inst);
        }
        mf.code[b] = out;
    }
    moved
}

/// Lays the uniform file out for the final instructions.
pub fn layout(mf: &MFunc<Vivante>, t: &Vivante, table: &Table) -> Layout {
    let mut sets = Vec::new();
    for inst in mf.code.iter().flatten() {
        if machine::validate::single_uniform(t.generation) {
            let w = words_of(table, inst);
            if !w.is_empty() {
                sets.push(w);
            }
        } else {
            for u in &inst.uses {
                if let Src::Uniform(slot) = u.src {
                    sets.push(table.read(slot, &u.mods.swz.map(|c| c.min(table.words(slot).len() as u8 - 1))));
                }
            }
        }
    }
    Layout::new(sets)
}

/// Where a chain of blocks that only jump ends: a block, or the end of the program. A ring of such blocks (an endless loop)
/// ends at its first one.
fn thread(mf: &MFunc<Vivante>, mut b: usize) -> Option<usize> {
    let mut path = Vec::new();
    loop {
        if let Some(k) = path.iter().position(|&x| x == b) {
            return path[k..].iter().copied().min();
        }
        path.push(b);
        match mf.code[b].as_slice() {
            [i] if i.target_op() == Some(VOp::End) => return None,
            [i] if i.target_op() == Some(VOp::M(Op::Branch)) => match i.labels().next() {
                Some(l) => b = l.0 as usize,
                None => return Some(b),
            },
            _ => return Some(b),
        }
    }
}

/// One instruction to be encoded, its target a block or the end.
struct Item {
    inst: MInst<Vivante>,
    target: Option<Option<usize>>,
}

/// The branch of block `g` for a place where `next` (a block, or the end) comes next.
fn test_here(mf: &MFunc<Vivante>, g: usize, goals: &[Option<usize>], next: Option<usize>) -> Option<Item> {
    let [test, jump] = mf.code[g].as_slice() else { return None };
    let Some(VOp::M(op @ (Op::BranchUnary | Op::BranchBinary))) = test.target_op() else { return None };
    if jump.target_op() != Some(VOp::M(Op::Branch)) {
        return None;
    }
    let taken = goals[test.labels().next()?.0 as usize];
    let other = goals[jump.labels().next()?.0 as usize];
    let mut inst = test.clone();
    if other == next {
        return Some(Item { inst, target: Some(taken) });
    }
    // The opposite of a float condition is none for what is no number.
    let exact = op == Op::BranchUnary || inst.mods.cond.has_opposite(inst.mods.ty);
    if taken != next || !exact {
        return None;
    }
    inst.mods.cond = inst.mods.cond.opposite();
    Some(Item { inst, target: Some(other) })
}

/// Instructions in their order, and where each block begins among them.
pub struct Lines {
    items: Vec<Item>,
    starts: Vec<usize>,
}

impl Lines {
    /// Orders the instructions; with `rotate`, loops test where they go back.
    pub fn new(mf: &MFunc<Vivante>, rotate: bool) -> Lines {
        let (items, starts) = linear(mf, rotate);
        Lines { items, starts }
    }

    /// How many the program has.
    pub fn len(&self) -> usize {
        self.items.len().max(1)
    }
}

/// Orders the instructions: jumps to what comes next disappear, jumps to jumps go to the goal.
fn linear(mf: &MFunc<Vivante>, rotate: bool) -> (Vec<Item>, Vec<usize>) {
    let n = mf.blocks.len();
    // Blocks that only jump are threaded through by everybody; they vanish unless control falls into them.
    let goals: Vec<Option<usize>> = (0..n).map(|b| thread(mf, b)).collect();
    let empty = |b: usize| goals[b] != Some(b);
    // What is executed when control goes on behind block `b`.
    let next_real = |b: usize| (b + 1..n).find(|&x| !empty(x));
    let mut items: Vec<Item> = Vec::new();
    let mut starts = Vec::with_capacity(n + 1);
    for (b, insts) in mf.code.iter().enumerate() {
        starts.push(items.len());
        if empty(b) && b > 0 {
            continue;
        }
        for (k, i) in insts.iter().enumerate() {
            let last = k + 1 == insts.len();
            let target = match i.target_op() {
                Some(VOp::End) => {
                    if last && next_real(b).is_none() {
                        continue;
                    }
                    // The label is not looked at: the end is behind all blocks.
                    let jump = build::Branch.on([Use::label(BlockId(b as u32))]);
                    items.push(Item { inst: jump.at(i.loc), target: Some(None) });
                    continue;
                }
                _ => i.labels().next().map(|l| goals[l.0 as usize]),
            };
            if last
                && i.target_op() == Some(VOp::M(Op::Branch))
                && let Some(goal) = target
            {
                let here = match goal {
                    Some(g) => next_real(b) == Some(g),
                    None => next_real(b).is_none(),
                };
                if here {
                    continue;
                }
                // A jump to a block that only branches takes the branch itself where one side of it comes next: the
                // way back of a loop tests right there.
                if let (true, Some(g)) = (rotate, goal)
                    && let Some(item) = test_here(mf, g, &goals, next_real(b))
                {
                    items.push(item);
                    continue;
                }
            }
            items.push(Item { inst: i.clone(), target });
        }
    }
    starts.push(items.len());
    (items, starts)
}

/// Encodes instructions whose registers are physical; `check` also in release builds.
///
/// # Errors
/// A compiler bug: an operand that the table cannot hold, or a rule of the chip broken.
pub fn emit(code: Lines, t: &Vivante, table: &Table, uniforms: Layout, check: bool) -> Result<Program, Diagnostic> {
    let Lines { items, starts } = code;
    let end = items.len().max(1);
    let mut p = Program { code: Vec::new(), locs: Vec::new(), uniforms, counts: Counts::default() };
    for (k, item) in items.iter().enumerate() {
        let target = item.target.map(|goal| goal.map_or(end, |b| starts[b]));
        let inst = encode(&item.inst, t, table, &p.uniforms, target)?;
        if check || cfg!(debug_assertions) {
            machine::table()
                .validate(&inst, &TextCx::new(t.generation))
                .map_err(|e| bug(format!("`{}` breaks a rule: {e}", machine::listing::text_of(&inst, t.generation))))?;
        }
        count(&mut p.counts, &inst, target, k);
        push(&mut p, &inst, t.generation, item.inst.loc)?;
    }
    if items.is_empty() {
        // An empty program is not legal (reference 2).
        let nop = operand::instruction(Op::Nop, t.generation).ok_or_else(|| bug("no NOP"))?;
        let nop = nop.with("dst", operand::dst::used(0));
        push(&mut p, &nop, t.generation, gpucc_ir::Loc::UNKNOWN)?;
    }
    Ok(p)
}

fn push(p: &mut Program, inst: &Inst<machine::Vivante>, generation: u8, loc: gpucc_ir::Loc) -> Result<(), Diagnostic> {
    let words = machine::encode(inst, generation).ok_or_else(|| bug("an instruction that the chip lacks"))?;
    let access = inst.row().attrs.class == machine::Class::Memory;
    p.locs.push((p.code.len() as u32, if access { loc } else { loc.plain() }));
    p.code.extend(words.iter().flat_map(|w| w.to_le_bytes()));
    Ok(())
}

fn count(c: &mut Counts, inst: &Inst<machine::Vivante>, target: Option<usize>, at: usize) {
    use machine::Class;
    c.movs += u64::from(inst.op() == Op::Mov);
    c.address_moves += u64::from(inst.op() == Op::Movai);
    c.loops += u64::from(target.is_some_and(|t| t <= at));
    match inst.row().attrs.class {
        Class::Memory => c.memory += 1,
        Class::Control => c.branches += u64::from(target.is_some()),
        _ => {
            let mask = inst.get("dst").map_or(0, |d| operand::dst::parts(d).1);
            c.lanes.0 += u64::from(mask.count_ones());
            c.lanes.1 += 4;
        }
    }
    let imm = |v: &(&str, operand::Source, u32)| v.1.group == operand::GROUP_IMMEDIATE;
    c.immediates += machine::validate::sources(inst).filter(imm).count() as u64;
}

/// How the lanes of a source relate to the operation.
enum Lanes {
    /// Lane `i`-th of the destination's mask reads component `i`.
    Like(PReg),
    /// One component in every lane.
    Broadcast,
    /// Lane `i` reads component `i`.
    Leading,
}

fn encode(
    inst: &MInst<Vivante>,
    t: &Vivante,
    table: &Table,
    uniforms: &Layout,
    target: Option<usize>,
) -> Result<Inst<machine::Vivante>, Diagnostic> {
    let Some(VOp::M(op)) = inst.target_op() else { return Err(bug(format!("{inst:?} is left"))) };
    let mut out = operand::instruction(op, t.generation)
        .ok_or_else(|| bug(format!("{op:?} does not exist on this generation")))?;
    let row = out.row();
    let set = |out: &mut Inst<machine::Vivante>, name: &str, v: u32| match row.operand(name) {
        Some(i) => {
            out.vals[i] = v;
            Ok(())
        }
        None if v == 0 => Ok(()),
        None => Err(bug(format!("`{:?}` has no {name}", row.op))),
    };
    let Mods { ty, cond, sat, round, shift, local, lanes, indexed } = inst.mods;
    for (name, bits) in [
        ("type", ty.bits()),
        ("cond", cond.bits()),
        ("sat", sat.bits()),
        ("round", round.bits()),
        ("shift", shift.bits()),
        ("local", local.bits()),
    ] {
        set(&mut out, name, bits)?;
    }
    let memory = matches!(op, Op::Load | Op::Store);
    if memory {
        set(&mut out, "denorm", 1)?;
    }
    let atomic = row.attrs.class == machine::Class::Memory && !memory;
    if atomic {
        set(&mut out, "skphp", 1)?;
    }
    if op == Op::Store {
        set(&mut out, "mask", (1 << lanes) - 1)?;
    }
    if let Some(target) = target {
        set(&mut out, "target", target as u32)?;
    }
    let dst = inst.defs.first().and_then(|d| d.phys());
    let address = |u: &Use<Vivante>| u.phys().is_some_and(|p| p.file != FILE);
    let index = inst.uses.iter().find(|u| address(u)).and_then(Use::phys).map(|p| p.place.lanes(4).trailing_zeros());
    if let Some(d) = dst {
        let mut v = operand::dst::temp(u32::from(d.place.row(4)), d.place.lanes(4));
        if indexed {
            v = operand::dst::index(v, index.ok_or_else(|| bug("an index is missing"))?);
        }
        set(&mut out, "dst", v)?;
    } else if op == Op::Barrier {
        // With its destination bit set the word is not all zeros but for the opcode; both are legal.
        set(&mut out, "dst", 0)?;
    }
    let register = if machine::validate::single_uniform(t.generation) {
        let all = words_of(table, inst);
        if all.is_empty() { None } else { uniforms.find(&all) }
    } else {
        None
    };
    let slots = row.operands.iter().enumerate().filter(|(_, s)| matches!(s.kind, Kind::Src));
    let operands: Vec<&Use<Vivante>> =
        inst.uses.iter().filter(|u| !matches!(u.src, Src::Label(_)) && !address(u)).collect();
    let slots: Vec<(usize, &str)> = slots.map(|(i, s)| (i, s.name)).collect();
    if slots.len() != operands.len() {
        return Err(bug(format!("{inst:?}: {} sources, the row has {}", operands.len(), slots.len())));
    }
    for (&(i, name), u) in slots.iter().zip(operands) {
        let how = if memory || atomic {
            if name == "src2" { Lanes::Leading } else { Lanes::Broadcast }
        } else {
            match (row.attrs.class, dst) {
                (machine::Class::Reduce, _) => Lanes::Leading,
                _ if op == Op::BranchAny => Lanes::Leading,
                (machine::Class::Scalar, _) | (_, None) => Lanes::Broadcast,
                (_, Some(_)) if machine::validate::is_scalar(&out, t.generation) => Lanes::Broadcast,
                (_, Some(d)) => Lanes::Like(d),
            }
        };
        let mut v = source(u, &how, table, uniforms, register)?;
        if u.mods.indexed {
            v = operand::index(v, index.ok_or_else(|| bug("an index is missing"))?);
        }
        out.vals[i] = v;
    }
    Ok(out)
}

/// The raw value of a source slot.
fn source(
    u: &Use<Vivante>,
    how: &Lanes,
    table: &Table,
    uniforms: &Layout,
    register: Option<usize>,
) -> Result<u32, Diagnostic> {
    // Component of the value that each of the four lanes reads.
    let component: [u8; 4] = match how {
        Lanes::Broadcast => [u.mods.swz[0]; 4],
        Lanes::Leading => u.mods.swz,
        Lanes::Like(d) => {
            let mask = d.place.lanes(4);
            let mut at = 0;
            let mut c = [u.mods.swz[0]; 4];
            for (lane, c) in c.iter_mut().enumerate() {
                if mask >> lane & 1 == 1 {
                    *c = u.mods.swz[at];
                    at += 1;
                } else if at > 0 {
                    *c = u.mods.swz[at - 1];
                }
            }
            c
        }
    };
    let pack = |c: [u32; 4]| operand::swizzle(c[0], c[1], c[2], c[3]);
    let mut v = match u.src {
        Src::Imm(bits) => {
            return operand::imm_bits(bits).ok_or_else(|| bug(format!("{bits:#x} is not an immediate")));
        }
        Src::Uniform(slot) => {
            let words = table.words(slot);
            let word = |c: u8| words[usize::from(c).min(words.len() - 1)];
            let all: Vec<Word> = component.iter().map(|&c| word(c)).collect();
            let r = register.or_else(|| uniforms.find(&all)).ok_or_else(|| bug("a uniform without a place"))?;
            let mut lanes = [0; 4];
            for (l, w) in lanes.iter_mut().zip(&all) {
                *l = uniforms.component(r, *w).ok_or_else(|| bug("a uniform word in another register"))?;
            }
            operand::uniform(r as u32, pack(lanes))
        }
        Src::Reg(_) => {
            let p = u.phys().ok_or_else(|| bug("a virtual register is left"))?;
            let n = p.place.len() as u8;
            let lane = |c: u8| u32::from(p.place.unit(u16::from(c.min(n - 1))) % 4);
            operand::temp(u32::from(p.place.row(4)), pack(component.map(lane)))
        }
        Src::Label(_) => return Err(bug("a label among the sources")),
    };
    if u.mods.abs {
        v = operand::abs(v);
    }
    if u.mods.neg {
        v = operand::neg(v);
    }
    Ok(v)
}
