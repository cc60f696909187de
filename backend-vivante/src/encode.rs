//! Encodes allocated machine IR: places of uniform words, components that lanes read.

use gpucc_ir::{Diagnostic, Loc};
use gpucc_isa::{Inst, ModValue};
use gpucc_mir::{BlockId, MFunc, MInst, PReg, Ranges, Src, Use};
use gpucc_vivante_machine as machine;
use machine::rows::Kind;
use machine::{Op, operand};
use smallvec::SmallVec;

use crate::encoded::{Block, Code, EncodedInst};
use crate::inst::{ADDRESSES, INTERNAL, Mods, VOp, Vivante};
use crate::uniforms::{Layout, Table, Word, words_of};

fn bug(message: impl Into<String>) -> Diagnostic {
    Diagnostic::internal("encode", message)
}

/// Encodes a function whose registers are physical. The program ends where its last block does.
///
/// # Errors
/// A compiler bug: an operand that the table cannot hold.
pub fn encode(mf: MFunc<Vivante>, t: &Vivante, table: &Table, uniforms: &Layout) -> Result<Code, Diagnostic> {
    let mut blocks = Vec::with_capacity(mf.blocks.len());
    for (b, (block, insts)) in mf.blocks.iter().zip(&mf.code).enumerate() {
        let mut now = Block {
            insts: Vec::with_capacity(insts.len()),
            succs: block.succs.iter().map(|e| e.to).collect::<SmallVec<[BlockId; 2]>>(),
            runs: block.runs,
        };
        for i in insts {
            match i.target_op() {
                // Nothing stands behind it.
                Some(VOp::End) if b + 1 == mf.blocks.len() => continue,
                Some(VOp::Fence) => continue,
                _ => {}
            }
            let inst = plain(i, t, table, uniforms)?;
            let item = EncodedInst::new(
                inst,
                registers(i.uses.iter().filter_map(Use::phys)),
                registers(i.defs.iter().filter_map(|d| d.phys())),
            );
            now.insts.push(EncodedInst { label: i.labels().next(), loc: i.loc, ..item });
        }
        blocks.push(now);
    }
    if blocks.iter().all(|b| b.insts.is_empty()) {
        // An empty program is not legal (reference 2).
        let nop = operand::instruction(Op::Nop, t.generation).ok_or_else(|| bug("no NOP"))?;
        let nop = nop.with("dst", operand::dst::used(0));
        let item = EncodedInst { loc: Loc::UNKNOWN, ..EncodedInst::new(nop, Ranges::new(), Ranges::new()) };
        blocks.iter_mut().take(1).for_each(|b| b.insts.push(item.clone()));
    }
    Ok(Code { name: mf.name, blocks })
}

/// Registers as encoded code counts them: those of a file are a thousand apart from those of another.
fn registers(all: impl Iterator<Item = PReg>) -> Ranges {
    let units = |p: PReg| (0..p.place.len()).map(move |k| (u32::from(p.file) * 1024 + u32::from(p.place.unit(k)), 1));
    all.flat_map(units).collect()
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

/// The instruction in its row; it branches nowhere yet.
fn plain(
    inst: &MInst<Vivante>,
    t: &Vivante,
    table: &Table,
    uniforms: &Layout,
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
    let Mods { ty, cond, sat, round, shift, local, lanes, indexed, unit, unit_indexed, texel, absent, own } = inst.mods;
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
    if atomic || op == Op::Store {
        // Helpers of fragments change nothing but what is theirs.
        set(&mut out, "skphp", u32::from((atomic || t.skips_helpers) && !own))?;
    }
    if op == Op::Store {
        set(&mut out, "mask", (1 << lanes) - 1)?;
    }
    let dst = inst.defs.first().and_then(|d| d.phys());
    let address = |u: &Use<Vivante>| u.phys().is_some_and(|p| p.file == ADDRESSES);
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
    let texture = row.attrs.class == machine::Class::Texture;
    if let (true, Some(d)) = (texture, dst) {
        let mask = d.place.lanes(4);
        let mut lanes = texel;
        let mut at = 0;
        for (lane, c) in lanes.iter_mut().enumerate() {
            *c = texel[at];
            at += usize::from(mask >> lane & 1 == 1 && at < 3);
        }
        let [x, y, z, w] = lanes.map(u32::from);
        let amode = match (unit_indexed, index) {
            (false, _) => 0,
            (true, Some(component)) => component + 1,
            (true, None) => return Err(bug("an index is missing")),
        };
        set(&mut out, "tex", u32::from(unit) | amode << 5 | operand::swizzle(x, y, z, w) << 8)?;
    }
    let slots = row.operands.iter().enumerate().filter(|(_, s)| matches!(s.kind, Kind::Src | Kind::SrcOpt));
    let operands: Vec<&Use<Vivante>> =
        inst.uses.iter().filter(|u| !matches!(u.src, Src::Label(_)) && !address(u)).collect();
    let slots: Vec<(usize, &str)> = slots.map(|(i, s)| (i, s.name)).collect();
    if slots.len() != operands.len() {
        return Err(bug(format!("{inst:?}: {} sources, the row has {}", operands.len(), slots.len())));
    }
    for (n, (&(i, name), u)) in slots.iter().zip(operands).enumerate() {
        if absent >> n & 1 == 1 {
            continue;
        }
        if op == Op::Txf && name == "src2" {
            // Seen as a number without sign alone (reference 5.3).
            let word = match u.src {
                Src::Imm(bits) => operand::imm_u20(bits),
                _ => None,
            };
            out.vals[i] = word.ok_or_else(|| bug("the last source of a fetch is a constant"))?;
            continue;
        }
        let how = if memory || atomic {
            if name == "src2" { Lanes::Leading } else { Lanes::Broadcast }
        } else if texture {
            Lanes::Leading
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
        if matches!(row.operands[i].kind, Kind::SrcOpt) {
            v = operand::used(v);
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
            let of = if p.file == INTERNAL { operand::internal } else { operand::temp };
            of(u32::from(p.place.row(4)), pack(component.map(lane)))
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
