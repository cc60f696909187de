//! Instruction selection: IR to machine IR.
//!
//! Every scalar is held in one register, booleans as 0 or all ones; vectors (of loads, system values and packing ops) in one
//! register per lane. Constants are operands: words of the immediate table, or uniform words.

mod alu;
mod control;
mod io;
mod math;
mod memory;
mod subgroup;
mod tex;

use gpucc_container::{Preload, Source};
use gpucc_ir::{Attr, Diagnostic, EntitySet, Function, Inst, InstData, Module, Op, Refusal, Sysval, Value};
use gpucc_mir::{BlockId, Def, Lower, MInst, PReg, Pseudo, Repr, Select, Use, VReg, select_apart};
use gpucc_valhall_machine::MessageSlot;
use gpucc_valhall_machine::operand::{LUT, lut};

use crate::builders as build;
use crate::inst::{Constant, Signals};
use crate::inst::{FILE_R, R, SrcMods, Valhall, special};
use crate::resources::{Resources, immediate, word_of_draw};
use crate::uniforms::Uniforms;

pub(crate) use io::is_fetched_as_a_word;

pub(crate) type IselCx<'f> = Select<'f, Valhall>;
pub(crate) type MI = MInst<Valhall>;
pub(crate) type U = Use<Valhall>;

/// A register that the launcher loads, and the register it is found in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Number of the register: r55, r57 and others.
    pub reg: u8,
    /// The value that the launcher loads.
    pub source: Source,
    value: VReg,
}

impl Entry {
    /// The row of the container that asks for it.
    pub fn preload(&self) -> Preload {
        Preload { file: FILE_R, lane: 0, index: u16::from(self.reg), source: self.source }
    }
}

/// The state of selection.
pub struct Isel<'m> {
    pub module: &'m Module,
    pub resources: &'m Resources,
    pub workgroup_size: [u32; 3],
    pub uniforms: Uniforms,
    pub entries: Vec<Entry>,
    /// Byte offset of each function or module variable in its memory.
    pub places: &'m dyn Fn(gpucc_ir::Place) -> u32,
    /// Constant tables, read at the address of the container's constant bytes.
    pub tables: &'m gpucc_driver::Tables,
    pub uniformity: gpucc_ir::analysis::Uniformity,
    pub barriers: bool,
    /// Whether memory is reached by addresses.
    pub addresses: bool,
    /// Buffers and images that the function writes.
    pub written: Vec<gpucc_ir::Res>,
    /// The program of the entry point.
    pub role: gpucc_container::ProgramRole,
    /// The stage of the entry point.
    pub is_vertex: bool,
    /// Whether that is the fragment stage.
    pub is_fragment: bool,
    /// Whether a fragment program runs once for each sample.
    pub per_sample: bool,
    /// The pipeline of a vertex or fragment entry.
    pub pipeline: Option<&'m gpucc_pipeline::Pipeline>,
    /// Lanes of texels that are read.
    pub read: gpucc_ir::analysis::LanesRead,
    /// Derivatives of which nothing asks for the sign.
    pub signless: EntitySet<Value>,
}

/// The derivatives of which only the magnitude or the square is read.
pub fn signless(f: &Function) -> EntitySet<Value> {
    let mut out = EntitySet::new();
    let mut any = false;
    for (_, i) in f.insts_in_order().filter(|(_, i)| f.insts[*i].op == Op::Derivative) {
        any |= out.insert(f.insts[i].result());
    }
    if !any {
        return out;
    }
    for (_, i) in f.insts_in_order() {
        let d = &f.insts[i];
        let square = |d: &InstData| matches!(d.op, Op::FMul | Op::Fma) && d.args[0] == d.args[1];
        match d.op {
            Op::FAbs => {}
            _ if square(d) => {
                d.args[2..].iter().for_each(|&v| {
                    out.remove(v);
                });
            }
            _ => d.for_each_use(|v| {
                out.remove(v);
            }),
        }
    }
    out
}

/// Selects a whole function. Critical edges have blocks.
///
/// # Errors
/// Operations that Valhall lacks, or that are not lowered.
pub fn run(isel: &mut Isel<'_>, f: &Function, t: &Valhall) -> Result<gpucc_mir::MFunc<Valhall>, Diagnostic> {
    let (mut mf, lists) = select_apart(f, isel)?;
    let order: Vec<BlockId> = (0..f.layout.len() as u32).map(BlockId).collect();
    lists.distribute(&mut mf, &order, t, |_, _, _| {});
    Ok(mf)
}

/// Any word in a register.
pub(crate) fn constant(bits: u32) -> MI {
    build::IaddImmI32.with((Constant(bits),), [Use::imm(0)])
}

/// A shift amount's lane selector: byte 0 unless it says another.
pub(crate) fn b00(u: U) -> U {
    u.mods(u.mods.or_swizzled(4))
}

impl Isel<'_> {
    /// The operand for 32 constant bits.
    pub(crate) fn word(&mut self, cx: &mut IselCx<'_>, bits: u32) -> U {
        if LUT.contains(&bits) {
            return Use::imm(bits);
        }
        match self.uniforms.word(Source::Const(bits)) {
            Some(n) => Use::uniform(n),
            None => {
                let t = cx.temp(R);
                cx.emit(constant(bits).def(t));
                Use::reg(t)
            }
        }
    }

    /// An integer (or boolean) operand.
    pub(crate) fn int(&mut self, cx: &mut IselCx<'_>, v: Value) -> U {
        if let Some(bits) = self.constant_bits(cx, v) {
            return self.word(cx, bits);
        }
        let v = self.alias(cx, v);
        // The size of a buffer is a uniform word: an operand like a constant.
        if let Some(Attr::Res(r)) = cx.peek(v).map(|d| &d.attr)
            && let Some(n) = self.uniforms.word(self.resources.size(self.module, *r))
        {
            return Use::uniform(n);
        }
        if let Some(n) = self.uniform_of(cx, v) {
            return Use::uniform(n);
        }
        Use::reg(cx.reg(v))
    }

    /// The uniform word of a value that is a word of the immediate data, or that the draw sets.
    fn uniform_of(&mut self, cx: &IselCx<'_>, v: Value) -> Option<u32> {
        let (load, lane) = match cx.f.def_inst(v).map(|i| (i, cx.data(i)))? {
            (_, InstData { op: Op::Extract, attr: Attr::Lane(k), args, .. }) => {
                (cx.f.def_inst(args[0])?, u32::from(*k))
            }
            (i, _) => (i, 0),
        };
        let d = cx.data(load);
        if cx.f.ty(d.results.first()?).lane() != cx.f.ty(v) {
            return None;
        }
        if let Attr::Sysval(s) = d.attr {
            return self.uniforms.word(word_of_draw(s, lane as u16)?);
        }
        self.uniforms.word(Source::Immediate(immediate(self.module, d)? + lane))
    }

    /// The bits of a constant as held in a register.
    pub(crate) fn constant_bits(&self, cx: &IselCx<'_>, v: Value) -> Option<u32> {
        let v = self.alias(cx, v);
        if cx.f.is_undef(v) {
            return Some(0);
        }
        let bits = cx.const_bits(v)?;
        Some(if cx.f.ty(v).is_bool() { 0u32.wrapping_sub(bits as u32) } else { bits as u32 })
    }

    /// Looks through operations that change nothing in a register.
    pub(crate) fn alias(&self, cx: &IselCx<'_>, mut v: Value) -> Value {
        while let Some(d) = cx.peek(v) {
            match d.op {
                Op::Bitcast if !cx.f.ty(v).is_vector() && cx.f.ty(d.args[0]).bits() == cx.f.ty(v).bits() => {
                    v = d.args[0]
                }
                _ => break,
            }
        }
        v
    }

    /// A float operand with sign and magnitude folded.
    pub(crate) fn float(&mut self, cx: &mut IselCx<'_>, mut v: Value) -> U {
        let mut m = SrcMods::default();
        while let Some(d) = cx.peek(v) {
            match d.op {
                Op::FNeg => m.neg ^= !m.abs,
                Op::FAbs => m.abs = true,
                _ => break,
            }
            v = d.args[0];
        }
        if let Some(bits) = self.constant_bits(cx, v) {
            let bits = if m.abs { bits & 0x7fff_ffff } else { bits };
            let bits = if m.neg { bits ^ 0x8000_0000 } else { bits };
            return self.float_word(cx, bits);
        }
        let v = self.alias(cx, v);
        match self.uniform_of(cx, v) {
            Some(n) => Use::uniform(n).mods(m),
            None => Use::reg(cx.reg(v)).mods(m),
        }
    }

    /// The operand for a float constant: the table's negated words are free.
    pub(crate) fn float_word(&mut self, cx: &mut IselCx<'_>, bits: u32) -> U {
        if lut(bits).is_none() && lut(bits ^ 0x8000_0000).is_some() {
            return Use::imm(bits ^ 0x8000_0000).mods(SrcMods { neg: true, ..SrcMods::default() });
        }
        self.word(cx, bits)
    }

    /// A float operand of an instruction without source modifiers.
    pub(crate) fn plain(&mut self, cx: &mut IselCx<'_>, v: Value) -> U {
        self.int(cx, v)
    }

    /// Emits; [`crate::legalise`] sees to the operand limits.
    pub(crate) fn push(&mut self, cx: &mut IselCx<'_>, i: MI) {
        cx.emit(i);
    }

    /// Emits an instruction that defines one new register.
    pub(crate) fn make(&mut self, cx: &mut IselCx<'_>, i: MI) -> VReg {
        let t = cx.temp(R);
        self.push(cx, i.def(t));
        t
    }

    /// The register that the launcher loads with `source`.
    fn preloaded(&mut self, cx: &mut IselCx<'_>, reg: u8, source: Source) -> VReg {
        if let Some(e) = self.entries.iter().find(|e| e.reg == reg) {
            return e.value;
        }
        let value = cx.temp(R);
        self.entries.push(Entry { reg, source, value });
        value
    }

    fn local_id(&mut self, cx: &mut IselCx<'_>, c: usize) -> VReg {
        // r55 holds x and y, r56 z, 16 bits each (convention, section 1).
        let (reg, half) = [(55, 0u8), (55, 3), (56, 0)][c];
        let packed = self.preloaded(cx, reg, if reg == 55 { Source::Family(0) } else { Source::LocalId(2) });
        let src = Use::reg(packed).mods(SrcMods::swizzled(half));
        self.make(cx, build::U16ToU32.on([src]))
    }

    fn sysval(&mut self, cx: &mut IselCx<'_>, i: Inst, s: Sysval) -> Result<(), Diagnostic> {
        let out = cx.result(i, 0);
        let dims = [0u16, 1, 2];
        match s {
            Sysval::GlobalInvocationId => {
                for c in dims {
                    let r = self.preloaded(cx, 60 + c as u8, Source::GlobalId(c));
                    cx.emit(MInst::copy(out[c as usize], r));
                }
            }
            Sysval::WorkgroupId => {
                for c in dims {
                    let r = self.preloaded(cx, 57 + c as u8, Source::WorkgroupId(c));
                    cx.emit(MInst::copy(out[c as usize], r));
                }
            }
            Sysval::LocalInvocationId => {
                for c in dims {
                    let r = if self.workgroup_size[c as usize] == 1 {
                        self.make(cx, build::MovI32.on([Use::imm(0)]))
                    } else {
                        self.local_id(cx, c as usize)
                    };
                    cx.emit(MInst::copy(out[c as usize], r));
                }
            }
            Sysval::NumWorkgroups => {
                for c in dims {
                    let word = self.uniforms.word(Source::NumWorkgroups(c));
                    let n = word.ok_or_else(|| no_uniforms("the number of workgroups"))?;
                    self.push(cx, build::MovI32.on([Use::uniform(n)]).def(out[c as usize]));
                }
            }
            Sysval::LocalInvocationIndex => {
                let [sx, sy, _] = self.workgroup_size;
                let mut sum: Option<VReg> = None;
                for (c, scale) in [(0, 1), (1, sx), (2, sx.saturating_mul(sy))] {
                    if self.workgroup_size[c] == 1 {
                        continue;
                    }
                    let mut id = self.local_id(cx, c);
                    if scale > 1 {
                        let k = self.word(cx, scale);
                        id = self.make(cx, build::ImulI32.on([id.into(), k]));
                    }
                    sum = Some(match sum {
                        Some(s) => self.make(cx, build::IaddU32.on([s.into(), id.into()])),
                        None => id,
                    });
                }
                match sum {
                    Some(s) => cx.emit(MInst::copy(out[0], s)),
                    None => self.push(cx, build::MovI32.on([Use::imm(0)]).def(out[0])),
                }
            }
            Sysval::SubgroupSize => self.push(cx, constant(16).def(out[0])),
            Sysval::SubgroupInvocationId => {
                let lane = special(gpucc_valhall_machine::operand::LANE_ID, 0);
                self.push(cx, build::MovI32.on([lane]).def(out[0]));
            }
            _ => return self.stage_sysval(cx, i, s),
        }
        Ok(())
    }
}

pub(crate) fn no_uniforms(what: &str) -> Diagnostic {
    Diagnostic::unsupported(Refusal::OutOfUniforms, format!("no uniform word is left for {what}: Valhall has 128"))
}

impl Lower<Valhall> for Isel<'_> {
    fn repr(&mut self, f: &Function, v: Value) -> Repr {
        Repr { class: R, count: f.ty(v).lanes() as u8 }
    }

    fn inst(&mut self, cx: &mut IselCx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        match (&d.op, &d.attr) {
            (Op::Sysval, Attr::Sysval(s)) => self.sysval(cx, i, *s),
            (Op::Load, _) => self.load(cx, i),
            (Op::Store, _) => self.store(cx, i),
            (Op::Atomic, _) | (Op::CmpXchg, _) => self.atomic(cx, i),
            (Op::BufferLength, Attr::Res(r)) => {
                let size = self.resources.size(self.module, *r);
                let n = self.uniforms.word(size).ok_or_else(|| no_uniforms("a buffer size"))?;
                let out = cx.result(i, 0)[0];
                self.push(cx, build::MovI32.on([Use::uniform(n)]).def(out));
                Ok(())
            }
            (Op::Barrier, Attr::Barrier(b)) => {
                if b.exec == gpucc_ir::Scope::None {
                    cx.emit(build::Fence.on([]));
                } else {
                    self.barriers = true;
                    cx.emit(build::Barrier.with((Signals(MessageSlot::Slot7),), []));
                }
                Ok(())
            }
            (_, Attr::Tex(_) | Attr::TexAtomic(..)) => self.image(cx, i),
            (Op::Input, Attr::Input(n)) => self.input(cx, i, *n),
            (Op::Demote, _) => {
                self.demote(cx, i);
                Ok(())
            }
            (Op::Ballot | Op::LaneRead, _) => self.subgroup(cx, i),
            (Op::Derivative, Attr::Deriv(d)) => {
                self.derivative(cx, i, *d);
                Ok(())
            }
            (Op::TargetLoad, Attr::Target(n)) => {
                self.target_load(cx, i, *n);
                Ok(())
            }
            _ => self.alu(cx, i),
        }
    }

    fn terminator(&mut self, cx: &mut IselCx<'_>, i: Inst) -> Result<(), Diagnostic> {
        if cx.data(i).op == Op::Ret {
            self.outputs(cx, i)?;
        }
        self.end(cx, i);
        Ok(())
    }

    fn constant(&mut self, cx: &mut IselCx<'_>, v: Value, into: &[VReg]) -> Result<(), Diagnostic> {
        let Some(c) = cx.f.as_const(v).cloned() else { return Ok(()) };
        for (k, &r) in into.iter().enumerate() {
            let bits = if c.ty.is_bool() { 0u32.wrapping_sub(c.bits[k] as u32) } else { c.bits[k] as u32 };
            if lut(bits).is_some() {
                cx.emit(build::MovI32.on([Use::imm(bits)]).def(r));
            } else {
                cx.emit(constant(bits).def(r));
            }
        }
        Ok(())
    }

    fn entry(&mut self, cx: &mut IselCx<'_>) -> Result<(), Diagnostic> {
        if self.entries.is_empty() {
            return Ok(());
        }
        let mut start = MInst::pseudo(Pseudo::Start);
        for e in &self.entries {
            start.defs.push(Def::reg(e.value).at(PReg::new(FILE_R, u16::from(e.reg), 1)));
        }
        cx.emit(start);
        Ok(())
    }
}

impl Isel<'_> {
    /// The operand in a register.
    pub(crate) fn in_register(&mut self, cx: &mut IselCx<'_>, u: U) -> VReg {
        match u.vreg() {
            Some(v) if u.mods == SrcMods::default() => v,
            // A move has no signs.
            _ if u.mods.neg || u.mods.abs => {
                let minus_zero = Use::imm(0).mods(SrcMods { neg: true, ..SrcMods::default() });
                self.make(cx, build::FaddF32.on([u, minus_zero]))
            }
            _ => self.make(cx, build::MovI32.on([u])),
        }
    }
}
