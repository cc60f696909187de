//! Encodes machine instructions on physical registers, in their final order and forms, as rows of the table with their values.

use gpucc_ir::{Diagnostic, Loc};
use gpucc_isa::{Inst, ModValue as _, TextCx};
use gpucc_mir::{AllocStats, BlockId, MFunc, MInst, PReg, Reg, Src, Use};
use gpucc_tesla_machine as machine;
use machine::operand::{DISCARD, half as half_index, put};
use machine::{Addr, Op, Operand, Width};
use smallvec::SmallVec;

use crate::builders as build;
use crate::encoded::{Block, Code, EncodedInst};
use crate::forms::{self, Fill, Form, Length, Modifier, Source, Takes};
use crate::inst::{A, C, Carried, Half, Mods, R, REGISTERS, SrcMods, TOp, Tesla, ZERO};
use crate::slots::Slot;

/// Encodes instructions of a generation and a stage.
pub struct Encoder {
    /// How the machine crate looks at them.
    pub cx: TextCx,
    /// Registers allocated; higher ones read 0.
    pub registers: u16,
}

/// The encoded blocks that branches, joins and loop exits lead to.
#[derive(Default)]
struct BranchTargets {
    /// How many there are.
    count: u32,
    /// First encoded block of each block of the machine code.
    starts: Vec<BlockId>,
    /// Block with the join, by the number of the join.
    joins: Vec<Option<BlockId>>,
    /// Block where the loop leads, by the number of the exit.
    exits: Vec<Option<BlockId>>,
}

impl BranchTargets {
    fn of(mf: &MFunc<Tesla>) -> BranchTargets {
        let mut all = BranchTargets::default();
        for insts in &mf.code {
            let start = BlockId(all.count);
            all.starts.push(start);
            let mut empty = true;
            for m in insts {
                if m.target_op() == Some(TOp::LoopExit) {
                    note(&mut all.exits, m.mods.id, start);
                    continue;
                }
                if m.target_op() == Some(TOp::Fence) {
                    continue;
                }
                if is_join(m) {
                    all.count += u32::from(!empty);
                    note(&mut all.joins, m.mods.id, BlockId(all.count));
                }
                empty = false;
            }
            all.count += 1;
        }
        all
    }

    /// The block of the number that an instruction has.
    fn at(places: &[Option<BlockId>], m: &MInst<Tesla>) -> Result<BlockId, Diagnostic> {
        let place = places.get(usize::from(m.mods.id)).copied().flatten();
        place.ok_or_else(|| bug(format!("where {m:?} leads is nowhere")))
    }
}

/// The first that has a number keeps it.
fn note(places: &mut Vec<Option<BlockId>>, id: u16, b: BlockId) {
    let id = usize::from(id);
    places.resize(places.len().max(id + 1), None);
    places[id].get_or_insert(b);
}

fn is_join(m: &MInst<Tesla>) -> bool {
    m.target_op() == Some(TOp::Join) || m.mods.carries == Carried::Join
}

fn bug(message: String) -> Diagnostic {
    Diagnostic::internal("encode", message)
}

/// A register as encoded code counts them: each file has a thousand.
fn range(p: PReg) -> (u32, u32) {
    (u32::from(p.file) * 1024 + u32::from(p.place.base()), p.place.len().into())
}

/// The registers that an instruction names besides its sources.
struct Named {
    dst: Option<PReg>,
    flags_dst: Option<PReg>,
    address_dst: Option<PReg>,
    /// The address register of an operand as encodings count them, 0 for none.
    address: u8,
    flags: Option<PReg>,
}

impl Named {
    fn of(m: &MInst<Tesla>, sources: usize) -> Named {
        let def = |file| m.defs.iter().filter_map(|d| d.phys()).find(|p: &PReg| p.file == file);
        let other = |file| m.uses.iter().skip(sources).filter_map(Use::phys).find(|p| p.file == file);
        Named {
            dst: def(R),
            flags_dst: def(C),
            address_dst: def(A),
            address: other(A).map_or(0, |p| p.place.base() as u8 + 1),
            flags: other(C),
        }
    }
}

impl Encoder {
    /// An encoder for code of a generation and a stage whose registers are allocated.
    pub fn new(cx: TextCx, alloc: &AllocStats) -> Encoder {
        let highest = alloc.used.first().and_then(|u| (0..REGISTERS).rev().find(|&r| u.contains(r)));
        Encoder { cx, registers: highest.map_or(1, |r| r + 1) }
    }

    /// The instruction in the form that it asks for: a short one, or a long one or one with an immediate.
    ///
    /// # Errors
    /// A bug: no form holds it.
    pub fn encode(&self, m: &MInst<Tesla>, op: Op) -> Result<Inst<machine::Tesla>, Diagnostic> {
        let lengths: &[Length] = if m.mods.short { &[Length::Short] } else { &[Length::Long, Length::Immediate] };
        self.form(m, op, lengths, &m.mods).ok_or_else(|| bug(format!("no form for {m:?}")))
    }

    /// Whether an instruction has a short form.
    pub fn is_short(&self, m: &MInst<Tesla>) -> bool {
        let Some(TOp::M(op)) = m.target_op() else { return false };
        forms::has_short(op) && self.form(m, op, &[Length::Short], &m.mods).is_some()
    }

    /// Whether an instruction can carry something in its long form.
    pub fn can_carry(&self, m: &MInst<Tesla>, carries: Carried) -> bool {
        let Some(TOp::M(op)) = m.target_op() else { return false };
        let mods = Mods { carries, ..m.mods };
        m.mods.carries == Carried::Nothing && !m.mods.short && self.form(m, op, &[Length::Long], &mods).is_some()
    }

    /// The instruction with its registers; it branches nowhere yet.
    fn inst(&self, m: &MInst<Tesla>, op: Op) -> Result<EncodedInst, Diagnostic> {
        let inst = self.encode(m, op)?;
        let (reads, writes) = (m.uses.iter().filter_map(Use::phys), m.defs.iter().filter_map(|d| d.phys()));
        let item = EncodedInst::new(inst, reads.map(range).collect(), writes.map(range).collect());
        Ok(EncodedInst { loc: m.loc, ..item })
    }

    /// An instruction that does nothing, for what it carries.
    fn carrier(&self, carries: Carried, id: u16, loc: Loc) -> Result<EncodedInst, Diagnostic> {
        let mut nop = build::Nop.on([]).at(loc);
        nop.mods = Mods { carries, id, ..nop.mods };
        self.inst(&nop, Op::Nop)
    }

    /// One that pushes the address of a block.
    fn push(&self, m: &MInst<Tesla>, op: Op, to: BlockId) -> Result<EncodedInst, Diagnostic> {
        let item = self.inst(&MInst::new(TOp::M(op)).arg(to).at(m.loc), op)?;
        Ok(EncodedInst { label: Some(to), ..item })
    }

    /// The whole function.
    ///
    /// # Errors
    /// A bug: an instruction that no form holds, or an address that is nowhere.
    pub fn func(&self, mf: MFunc<Tesla>) -> Result<Code, Diagnostic> {
        let targets = BranchTargets::of(&mf);
        let start = |b: BlockId| targets.starts[b.0 as usize];
        let mut blocks: Vec<Block> = Vec::with_capacity(targets.count as usize);
        for (block, insts) in mf.blocks.iter().zip(&mf.code) {
            let mut now = Block { insts: Vec::with_capacity(insts.len()), succs: SmallVec::new(), runs: block.runs };
            for m in insts {
                if is_join(m) && !now.insts.is_empty() {
                    let next = BlockId(blocks.len() as u32 + 1);
                    now.succs.push(next);
                    blocks.push(std::mem::replace(
                        &mut now,
                        Block { insts: vec![], succs: SmallVec::new(), runs: block.runs },
                    ));
                }
                let item = match m.target_op() {
                    Some(TOp::M(op)) => {
                        let item = self.inst(m, op)?;
                        let named = item.inst.row().operand("target").and_then(|_| m.labels().next());
                        EncodedInst { label: named.map(start), ..item }
                    }
                    Some(TOp::LoopExit | TOp::Fence) => continue,
                    Some(TOp::Join) => self.carrier(Carried::Join, m.mods.id, Loc::UNKNOWN)?,
                    Some(TOp::JoinAt) => self.push(m, Op::JoinAt, BranchTargets::at(&targets.joins, m)?)?,
                    Some(TOp::PreBrk) => self.push(m, Op::PreBrk, BranchTargets::at(&targets.exits, m)?)?,
                    Some(TOp::Exit) => self.carrier(Carried::Exit, 0, m.loc)?,
                    _ => return Err(bug(format!("{m:?} is left"))),
                };
                now.succs.extend(item.label);
                now.insts.push(item);
            }
            now.succs.extend(block.succs.iter().map(|e| start(e.to)));
            blocks.push(now);
        }
        for b in &mut blocks {
            b.succs.sort_unstable();
            b.succs.dedup();
        }
        Ok(Code { name: mf.name, blocks })
    }

    /// The instruction with these modifiers in the first of the forms that holds it, in the order of the lengths.
    fn form(&self, m: &MInst<Tesla>, op: Op, lengths: &[Length], mods: &Mods) -> Option<Inst<machine::Tesla>> {
        let named = Named::of(m, forms::sources(op));
        let given = forms::given(mods);
        let of = |&length: &Length| forms::of(op, length, (mods, given), (self.cx.generation, self.cx.stages));
        lengths.iter().flat_map(of).find_map(|f| self.fill(m, mods, f, &named))
    }

    /// The instruction in a row, if it fits there.
    fn fill(&self, m: &MInst<Tesla>, mods: &Mods, f: &Form, named: &Named) -> Option<Inst<machine::Tesla>> {
        let flags = named.flags.is_some() && f.mods & const { Mods::bit("pred") } == 0;
        if flags || named.flags_dst.is_some() && !f.flags || named.dst.is_some() && f.dst.is_none() {
            return None;
        }
        let mut i = Inst::<machine::Tesla>::new(f.row);
        let unit = |p: PReg| u32::from(p.place.base());
        let slots = i.row().operands;
        for &(n, fill) in &f.fills {
            let n = usize::from(n);
            i.vals[n] = match fill {
                Fill::Value(v) => v,
                Fill::Carried => mods.carries.bits(),
                Fill::Pred => mods.pred.bits(),
                Fill::Flags => named.flags.map_or(0, unit),
                Fill::Address if named.address == 0 => continue,
                Fill::Address => named.address.into(),
                Fill::Dst(w, most) => destination(named.dst?, w, most, mods.half)?,
                Fill::DstOrNone(w, most) => match named.dst {
                    Some(p) => destination(p, w, most, mods.half)?,
                    // Beyond the registers lie the words of o[], the last of which stands for nothing.
                    None if mods.out > 0 => (most + 1).checked_add(u32::from(mods.out) - 1).filter(|&v| v < DISCARD)?,
                    None => DISCARD,
                },
                Fill::DstFull => 0x100 | unit(named.dst?),
                Fill::FlagsDst => named.flags_dst.map_or(0, |p| unit(p) | 4),
                Fill::FlagsDstAlways => unit(named.flags_dst?),
                Fill::AddressDst => unit(named.address_dst?) + 1,
                Fill::Offset(scale) => scaled(mods.offset, scale, slots[n].field.max())?,
                Fill::Source(k) => {
                    let (u, s) = (m.uses.get(usize::from(k))?, &f.sources[usize::from(k)]);
                    self.source(&mut i, n, u, s, mods, named)?;
                    continue;
                }
                Fill::Modifier(x) => match x {
                    Modifier::Sat => mods.sat.into(),
                    Modifier::High => mods.high.into(),
                    Modifier::Signed => mods.signed.into(),
                    Modifier::Cond => mods.cond.bits(),
                    Modifier::Rounding => mods.rnd.bits(),
                    Modifier::Sum => mods.addop.bits(),
                    Modifier::Texture => mods.tex.into(),
                    Modifier::Sampler => mods.samp.into(),
                    Modifier::Components => mods.dvec.into(),
                    Modifier::Texel(axis) => u32::from(mods.texel >> (4 * axis) & 15),
                    Modifier::Quad(lane) => u32::from(mods.quad >> (2 * lane) & 3),
                    Modifier::Lane => mods.qlane.into(),
                    Modifier::Special => mods.sr.into(),
                    Modifier::Centroid => mods.cent.into(),
                    Modifier::Cube => mods.cube.into(),
                    Modifier::Derives => mods.deriv.into(),
                },
            };
        }
        for (u, s) in m.uses.iter().zip(&f.sources) {
            for (on, slot) in [u.mods.neg, u.mods.abs, u.mods.not].into_iter().zip(s.signs) {
                if on {
                    i.vals[usize::from(slot?)] = 1;
                }
            }
        }
        Some(i)
    }

    /// Puts a source into slot `n`.
    fn source(
        &self,
        i: &mut Inst<machine::Tesla>,
        n: usize,
        u: &Use<Tesla>,
        s: &Source,
        mods: &Mods,
        named: &Named,
    ) -> Option<()> {
        let most = i.row().operands[n].field.max();
        let short = i.row().bytes == 4 || matches!(i.row().operands[n].kind, machine::Kind::ISrc1(_));
        let register = || u.phys().filter(|p| p.file == R);
        match s.takes {
            Takes::Register | Takes::Shared | Takes::Const => {
                let o = self.operand(u, s.units == 0, short, named.address)?;
                put(i, n, o, &self.cx).ok()?;
            }
            Takes::Global => i.vals[n] = u32::from(register()?.place.base()) | u32::from(mods.space) << 7,
            Takes::Data => i.vals[n] = u32::from(register()?.place.base()) | 0x80,
            Takes::Vector => {
                let first = |p: PReg| p.place.base();
                if register().map(first) != named.dst.map(first) {
                    return None;
                }
                i.vals[n] = u32::from(mods.args).checked_sub(1).filter(|&v| v <= most)?;
            }
            Takes::SameAsDst => return (register()? == named.dst?).then_some(()),
            Takes::Immediate => {
                let Src::Imm(v) = u.src else { return None };
                if u.mods != SrcMods::default() || v > most {
                    return None;
                }
                i.vals[n] = v;
            }
            Takes::Word(scale) => {
                let Src::Uniform(word) = u.src else { return None };
                let Slot::Const(c, at) = Slot::unpack(word) else { return None };
                i.vals[n] = scaled(at.into(), scale, most)?;
                i.set("cidx", c.into());
            }
            // Its address is not known yet.
            Takes::Label => {}
        }
        Some(())
    }

    /// An operand for a slot that reads half registers or not, of a short form or not.
    fn operand(&self, u: &Use<Tesla>, half: bool, short: bool, a: u8) -> Option<Operand> {
        let high = u.mods.half == Half::High;
        match u.src {
            Src::Reg(Reg::P(p)) if p.file == R => {
                if half != (u.mods.half != Half::Whole) {
                    return None;
                }
                let mut n = p.place.base() as u8;
                if p == ZERO && (short || half) {
                    n = 63;
                    if self.registers > 63 {
                        return None;
                    }
                }
                Some(Operand::Reg(if half { half_index(n, high) as u8 } else { n }))
            }
            Src::Uniform(n) => match Slot::unpack(n) {
                Slot::Const(c, off) => Some(Operand::Const(c, Addr::at(i32::from(off) + i32::from(high) * 2))),
                Slot::Shared(ty, off) => Some(Operand::Shared(ty, Addr::at(off.into()))),
                Slot::SharedAt(ty, off) => Some(Operand::Shared(ty, Addr::indexed(a, off.into()))),
                Slot::Attr(off) => Some(Operand::Attr(Addr::at(off.into()))),
                Slot::Pool(_) | Slot::Table(_) => None,
            },
            _ => None,
        }
    }
}

/// Field of a register that is written, where it is in reach.
fn destination(p: PReg, w: Width, most: u32, half: Half) -> Option<u32> {
    let base = u32::from(p.place.base());
    let n = if w == Width::H { base * 2 + u32::from(half == Half::High) } else { base };
    (n <= most).then_some(n)
}

/// Field of an offset in units, where it is in reach.
fn scaled(offset: u32, scale: u8, most: u32) -> Option<u32> {
    let n = offset / u32::from(scale);
    (offset.is_multiple_of(u32::from(scale)) && n <= most).then_some(n)
}
