//! Instruction selection: IR to machine IR.
//!
//! `homes` says which values the scalar unit computes and which booleans are lane masks; everything else is done by the
//! vector unit, a boolean then being 0 or 1 in a vector register.

mod bools;
mod io;
mod tex;

use gpucc_gcn_machine::Op;
use gpucc_gcn_machine::operand::inline32;
use gpucc_ir::analysis::Uniformity;
use gpucc_ir::{Attr, Diagnostic, Function, Inst, Module, Op as Ir, Place, SideMap, Sysval, Value};
use gpucc_mir::{
    Cfg, Class, Def, Lower, MEdge, MEdges, MInst, Modifiers, PReg, Pseudo, Reg, Regs, Repr, Select, Src, Use, VReg,
};
use gpucc_pipeline::Pipeline;

use crate::bindings::Bindings;
use crate::builders as build;
use crate::fixed::Fixed;
use crate::flow::{Out, Plan};
use crate::forms::{has_short, mask_source};
use crate::homes::{Home, Homes};
use crate::io::Io;
use crate::ops::{commutes, scalar_compare, scalar_op};
use crate::tables::Tables;
use crate::target::{Clamp, FILE_S, FILE_V, GOp, Gcn, K, Long, MASK, Once, S, SrcMods, Sync, V, run_class};

pub(crate) type Cx<'f> = Select<'f, Gcn>;
pub(crate) type MI = MInst<Gcn>;
pub(crate) type U = Use<Gcn>;

/// What selection knows and learns.
pub struct Isel<'m> {
    pub module: &'m Module,
    pub generation: u8,
    pub workgroup_size: [u32; 3],
    pub plan: &'m Plan,
    pub fixed: &'m Fixed,
    pub homes: Homes<'m>,
    /// Byte offset of each variable in its memory.
    pub places: &'m dyn Fn(Place) -> u32,
    /// Constant tables.
    pub tables: &'m Tables,
    /// Registers of the local id that were asked for.
    pub ids: [Option<VReg>; 3],
    home: SideMap<Inst, Option<gpucc_ir::Block>>,
    images: tex::Images<'m>,
    /// Inputs and outputs, and the pipeline that they belong to.
    pub io: &'m Io,
    pub pipeline: Option<&'m Pipeline>,
    launched: io::Launched,
    begun: Vec<Option<U>>,
}

/// What was found out before selection.
pub struct Known<'m> {
    /// How a wave runs the function.
    pub plan: &'m Plan,
    /// What is the same in all lanes.
    pub uniform: &'m Uniformity,
    /// What scalar registers hold for the whole program.
    pub fixed: &'m Fixed,
    /// Tables of bind groups.
    pub bindings: &'m Bindings,
    /// Constant tables.
    pub tables: &'m Tables,
    /// Inputs and outputs.
    pub io: &'m Io,
    /// The pipeline of a vertex or fragment entry.
    pub pipeline: Option<&'m Pipeline>,
}

pub(crate) fn op(o: Op) -> MI {
    MInst::new(GOp::I(o))
}

/// With modifiers.
pub(crate) fn with(mut i: MI, mods: impl Modifiers<Gcn>) -> MI {
    mods.put(&mut i.mods);
    i
}

/// Integer and float constants as 32 register bits.
fn bits_of(f: &Function, v: Value) -> Option<u32> {
    f.const_bits(v).map(|b| b as u32)
}

impl<'m> Isel<'m> {
    pub fn new(
        module: &'m Module,
        f: &'m Function,
        generation: u8,
        workgroup_size: [u32; 3],
        known: &Known<'m>,
        places: &'m dyn Fn(Place) -> u32,
    ) -> Isel<'m> {
        let &Known { plan, uniform, fixed, bindings, tables, io, pipeline } = known;
        Isel {
            module,
            generation,
            workgroup_size,
            plan,
            fixed,
            homes: Homes::new(module, f, plan, uniform, generation),
            places,
            tables,
            ids: [None; 3],
            home: f.inst_blocks(),
            images: tex::Images::new(f, bindings),
            io,
            pipeline,
            launched: io::Launched::default(),
            begun: Vec::new(),
        }
    }

    /// What sine and cosine of one angle have in common; in programs that draw.
    fn shared(&self, i: MI) -> MI {
        if self.io.is_compute { i } else { with(i, (Once(true),)) }
    }

    /// Whether something is marked as computed once in a block.
    pub fn once(&self) -> bool {
        self.images.once || !self.io.is_compute
    }

    /// The producer, if it is in the block that is being selected: only then may its operands be used again here.
    fn peek<'f>(&self, cx: &Cx<'f>, v: Value) -> Option<&'f gpucc_ir::InstData> {
        let i = cx.f.def_inst(v)?;
        (self.home[i] == Some(cx.current())).then(|| cx.peek(v))?
    }

    /// Looks through operations that change nothing in a register.
    fn alias(&self, cx: &Cx<'_>, mut v: Value) -> Value {
        while let Some(d) = self.peek(cx, v) {
            let f = cx.f;
            if d.op == Ir::Bitcast
                && !f.ty(v).is_vector()
                && f.ty(d.args[0]).bits() == f.ty(v).bits()
                && self.homes.of(v) == self.homes.of(d.args[0])
            {
                v = d.args[0];
            } else {
                break;
            }
        }
        v
    }

    /// An operand: a constant, a scalar or a vector register.
    pub(crate) fn any(&mut self, cx: &mut Cx<'_>, v: Value) -> U {
        let v = self.alias(cx, v);
        if let Some(b) = bits_of(cx.f, v) {
            return Use::imm(b);
        }
        self.held(cx, v).unwrap_or_else(|| Use::reg(cx.reg(v)))
    }

    /// The scalar register that holds a value for the whole program.
    fn held(&self, cx: &Cx<'_>, v: Value) -> Option<U> {
        let i = cx.f.def_inst(v)?;
        let r = match (cx.data(i).op, &cx.data(i).attr) {
            (Ir::BufferLength, Attr::Res(r)) => self.fixed.descriptor(*r) + 2,
            (Ir::Load, _) => *self.fixed.immediates(self.module, cx.f, i)?.first()?,
            (Ir::Extract, Attr::Lane(k)) if cx.f.def_op(cx.data(i).args[0], Ir::Load).is_some() => {
                let load = cx.f.def_inst(cx.data(i).args[0])?;
                *self.fixed.immediates(self.module, cx.f, load)?.get(usize::from(*k))?
            }
            _ => match self.homes.fixed_lane(i)? {
                (Sysval::WorkgroupId, k) => self.fixed.workgroup_id[k as usize],
                (_, k) => self.fixed.num_workgroups[k as usize],
            },
        };
        Some(Use::preg(PReg::new(FILE_S, r as u16, 1)))
    }

    /// A float operand with sign and magnitude folded.
    fn float(&mut self, cx: &mut Cx<'_>, mut v: Value) -> U {
        let mut m = SrcMods::default();
        while let Some(d) = self.peek(cx, v) {
            match d.op {
                Ir::FNeg => m.neg ^= !m.abs,
                Ir::FAbs => m.abs = true,
                _ => break,
            }
            v = d.args[0];
        }
        if let Some(b) = bits_of(cx.f, v) {
            let b = if m.abs { b & 0x7fff_ffff } else { b };
            return Use::imm(if m.neg { b ^ 0x8000_0000 } else { b });
        }
        self.any(cx, v).mods(m)
    }

    fn is_vector_reg(&self, cx: &Cx<'_>, u: &U) -> bool {
        match u.src {
            Src::Reg(Reg::V(r)) => cx.mf.class(r).0 >= V.0,
            Src::Reg(Reg::P(p)) => p.file == FILE_V,
            _ => false,
        }
    }

    fn inline(&self, u: &U) -> bool {
        matches!(u.src, Src::Imm(b) if inline32(b, self.generation).is_some())
    }

    /// The operand in a vector register, its modifiers kept.
    pub(crate) fn in_vector(&mut self, cx: &mut Cx<'_>, u: U) -> U {
        if self.is_vector_reg(cx, &u) {
            return u;
        }
        let t = cx.temp(V);
        cx.emit(build::VMovB32.on([Use::new(u.src)]).def(t));
        Use::reg(t).mods(u.mods)
    }

    /// The vector register of a value.
    pub(crate) fn vector(&mut self, cx: &mut Cx<'_>, v: Value) -> U {
        let u = self.any(cx, v);
        self.in_vector(cx, u)
    }

    /// Emits a vector instruction after moving operands that break its limits: one scalar or literal in all, literals and
    /// scalars only where the form has room.
    pub(crate) fn valu(&mut self, cx: &mut Cx<'_>, mut i: MI) {
        let n = i.uses.len();
        let Some(GOp::I(o)) = i.target_op() else { return cx.emit(i) };
        let mods = i.uses.iter().any(|u| u.mods != SrcMods::default()) || i.mods.clamp;
        let mask = mask_source(o);
        let short = has_short(o, self.generation) && !mods && !i.mods.long;
        if n >= 2 && short && !self.is_vector_reg(cx, &i.uses[1]) && self.is_vector_reg(cx, &i.uses[0]) && commutes(o) {
            i.uses.swap(0, 1);
        }
        // The short form takes anything first and a vector register second; the long form one scalar anywhere.
        let fits_short = short && (n < 2 || self.is_vector_reg(cx, &i.uses[1]));
        let mut scalars: Vec<Src> = Vec::new();
        for k in (0..n).rev() {
            let u = i.uses[k];
            if self.is_vector_reg(cx, &u) || self.inline(&u) {
                continue;
            }
            let is_mask = mask == Some(k);
            let literal = matches!(u.src, Src::Imm(_));
            let room = scalars.is_empty() || scalars.contains(&u.src);
            if is_mask || room && (!literal || fits_short && k == 0) {
                scalars.push(u.src);
                continue;
            }
            i.uses[k] = self.in_vector(cx, u);
        }
        cx.emit(i);
    }

    /// Puts an operand into a vector register: a copy, if it is in one already, that allocation can do without.
    fn set(&mut self, cx: &mut Cx<'_>, r: VReg, x: U) {
        if self.is_vector_reg(cx, &x) && x.vreg().is_some() && x.mods == SrcMods::default() {
            cx.emit(MInst::copy(r, x));
        } else {
            self.valu(cx, build::VMovB32.on([x]).def(r));
        }
    }

    fn make_v(&mut self, cx: &mut Cx<'_>, i: MI) -> VReg {
        let t = cx.temp(V);
        self.valu(cx, i.def(t));
        t
    }

    /// Emits a scalar instruction; at most one literal.
    fn salu(&mut self, cx: &mut Cx<'_>, mut i: MI) {
        let n = i.uses.len();
        self.one_literal(cx, &mut i, 0..n);
        cx.emit(i);
    }

    /// Leaves at most one literal among some of the uses.
    fn one_literal(&mut self, cx: &mut Cx<'_>, i: &mut MI, uses: core::ops::Range<usize>) {
        let mut literal = None;
        for k in uses {
            let Src::Imm(b) = i.uses[k].src else { continue };
            if inline32(b, self.generation).is_some() || literal == Some(b) {
                continue;
            }
            if literal.is_none() {
                literal = Some(b);
                continue;
            }
            let t = cx.temp(S);
            cx.emit(build::SMovB32.on([Use::imm(b)]).def(t));
            i.uses[k] = Use::reg(t);
        }
    }

    /// A boolean as a lane mask.
    fn mask(&mut self, cx: &mut Cx<'_>, v: Value) -> U {
        if let Some(b) = bits_of(cx.f, v) {
            let t = cx.temp(MASK);
            cx.emit(build::SMovB64.on([if b != 0 { exec() } else { Use::imm(0) }]).def(t));
            return Use::reg(t);
        }
        if cx.f.is_undef(v) {
            let t = cx.temp(MASK);
            cx.emit(build::SMovB64.on([Use::imm(0)]).def(t));
            return Use::reg(t);
        }
        let r = cx.reg(v);
        if cx.mf.class(r) == MASK {
            return Use::reg(r);
        }
        let t = cx.temp(MASK);
        self.valu(cx, build::VCmpNeU32.with((Long(true),), [Use::imm(0), r.into()]).def(t));
        Use::reg(t)
    }

    /// Puts a mask where a boolean result is wanted.
    fn set_bool(&mut self, cx: &mut Cx<'_>, out: VReg, make: impl FnOnce(&mut Self, &mut Cx<'_>, VReg)) {
        if cx.mf.class(out) == MASK {
            make(self, cx, out);
            return;
        }
        let t = cx.temp(MASK);
        make(self, cx, t);
        self.zero_or_one(cx, out, Use::reg(t));
    }

    fn sysval(&mut self, cx: &mut Cx<'_>, i: Inst, s: Sysval) -> Result<(), Diagnostic> {
        let out = cx.result(i, 0);
        let fixed = |r: u32| Use::preg(PReg::new(FILE_S, r as u16, 1));
        match s {
            Sysval::LocalInvocationId => {
                for (c, &r) in out.iter().enumerate() {
                    let id = self.local_id(cx, c);
                    self.set(cx, r, id);
                }
            }
            Sysval::WorkgroupId => {
                for (c, &r) in out.iter().enumerate() {
                    self.valu(cx, build::VMovB32.on([fixed(self.fixed.workgroup_id[c])]).def(r));
                }
            }
            Sysval::NumWorkgroups => {
                for (c, &r) in out.iter().enumerate() {
                    self.valu(cx, build::VMovB32.on([fixed(self.fixed.num_workgroups[c])]).def(r));
                }
            }
            Sysval::GlobalInvocationId => {
                for (c, &r) in out.iter().enumerate() {
                    let t = cx.temp(S);
                    let size = Use::imm(self.workgroup_size[c]);
                    self.salu(cx, build::SMulI32.on([fixed(self.fixed.workgroup_id[c]), size]).def(t));
                    let id = self.local_id(cx, c);
                    self.add(cx, r, Use::reg(t), id);
                }
            }
            Sysval::LocalInvocationIndex => {
                let [sx, sy, _] = self.workgroup_size;
                let x = self.local_id(cx, 0);
                let mut sum = self.in_vector(cx, x);
                for (c, scale) in [(1, sx), (2, sx.saturating_mul(sy))] {
                    if self.workgroup_size[c] > 1 {
                        let id = self.local_id(cx, c);
                        let p = self.make_v(cx, build::VMulU32U24.on([Use::imm(scale), id]));
                        let t = cx.temp(V);
                        self.add(cx, t, Use::reg(p), sum);
                        sum = Use::reg(t);
                    }
                }
                cx.emit(MInst::copy(out[0], sum));
            }
            s => return self.stage_sysval(cx, i, s),
        }
        Ok(())
    }

    fn local_id(&mut self, cx: &mut Cx<'_>, c: usize) -> U {
        if self.workgroup_size[c] == 1 {
            return Use::imm(0);
        }
        let r = *self.ids[c].get_or_insert_with(|| cx.temp(V));
        Use::reg(r)
    }

    pub(crate) fn add(&mut self, cx: &mut Cx<'_>, out: VReg, a: U, b: U) {
        let o = if self.generation == 2 { Op::VAddU32 } else { Op::VAddI32 };
        self.valu(cx, op(o).def(out).arg(a).arg(b));
    }

    fn alu(&mut self, cx: &mut Cx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        let a = |n: usize| d.args[n];
        let out = cx.result(i, 0);
        let r = out[0];
        let scalar = cx.mf.class(r) == S;
        if scalar {
            return self.scalar(cx, i, r);
        }
        if cx.f.ty(d.result()).is_bool() {
            return if out.len() == 1 { self.boolean(cx, i, r) } else { self.booleans(cx, i, &out) };
        }
        if matches!(d.op, Ir::FAdd | Ir::FSub)
            && let Some(m) = self.mad(cx, d)
        {
            let i = m.def(r);
            self.valu(cx, i);
            return Ok(());
        }
        let inst = match d.op {
            Ir::FAdd | Ir::FSub | Ir::FMul | Ir::FMin | Ir::FMax => {
                let (x, y) = (self.float(cx, a(0)), self.float(cx, a(1)));
                let o = match d.op {
                    Ir::FAdd => Op::VAddF32,
                    Ir::FSub => Op::VSubF32,
                    Ir::FMul => Op::VMulF32,
                    Ir::FMin => Op::VMinF32,
                    _ => Op::VMaxF32,
                };
                op(o).arg(x).arg(y)
            }
            Ir::Fma => {
                let (x, y, z) = (self.float(cx, a(0)), self.float(cx, a(1)), self.float(cx, a(2)));
                build::VFmaF32.on([x, y, z])
            }
            Ir::FNeg => {
                let x = self.any(cx, a(0));
                build::VXorB32.on([Use::imm(0x8000_0000), x])
            }
            Ir::FAbs => {
                let x = self.any(cx, a(0));
                build::VAndB32.on([Use::imm(0x7fff_ffff), x])
            }
            Ir::FSat => {
                let x = self.float(cx, a(0));
                build::VAddF32.with((Clamp(true),), [x, Use::imm(0)])
            }
            Ir::FFloor
            | Ir::FCeil
            | Ir::FTrunc
            | Ir::FRoundEven
            | Ir::FRcp
            | Ir::FRsqrt
            | Ir::FSqrt
            | Ir::FExp2
            | Ir::FLog2 => {
                let x = self.float(cx, a(0));
                op(match d.op {
                    Ir::FFloor => Op::VFloorF32,
                    Ir::FCeil => Op::VCeilF32,
                    Ir::FTrunc => Op::VTruncF32,
                    Ir::FRoundEven => Op::VRndneF32,
                    Ir::FRcp => Op::VRcpF32,
                    Ir::FRsqrt => Op::VRsqF32,
                    Ir::FSqrt => Op::VSqrtF32,
                    Ir::FExp2 => Op::VExpF32,
                    _ => Op::VLogF32,
                })
                .arg(x)
            }
            Ir::FSin | Ir::FCos => {
                // Turns, brought into one turn: the instruction takes -256..256 only.
                let x = self.float(cx, a(0));
                let turns = self.make_v(cx, self.shared(build::VMulF32.on([Use::imm(0x3e22_f983), x])));
                let t = self.make_v(cx, self.shared(build::VFractF32.on([turns.into()])));
                op(if d.op == Ir::FSin { Op::VSinF32 } else { Op::VCosF32 }).arg(t)
            }
            Ir::FLdexp => {
                let (x, n) = (self.float(cx, a(0)), self.any(cx, a(1)));
                build::VLdexpF32.with((Long(true),), [x, n])
            }
            Ir::FQuant16 => {
                let x = self.float(cx, a(0));
                let h = self.make_v(cx, build::VCvtF16F32.on([x]));
                build::VCvtF32F16.on([h.into()])
            }
            Ir::F2SFull | Ir::F2UFull => {
                let x = self.float(cx, a(0));
                op(if d.op == Ir::F2SFull { Op::VCvtI32F32 } else { Op::VCvtU32F32 }).arg(x)
            }
            Ir::S2F | Ir::U2F => {
                let x = self.any(cx, a(0));
                op(if d.op == Ir::S2F { Op::VCvtF32I32 } else { Op::VCvtF32U32 }).arg(x)
            }
            Ir::PackHalf2x16Rtz => {
                let v = self.lanes(cx, a(0));
                build::VCvtPkrtzF16F32.on([v[0], v[1]])
            }
            Ir::PackHalf2x16 => {
                let v = cx.regs(a(0));
                let lo = self.make_v(cx, build::VCvtF16F32.on([v[0].into()]));
                let hi = self.make_v(cx, build::VCvtF16F32.on([v[1].into()]));
                let hi = self.make_v(cx, build::VLshlrevB32.on([Use::imm(16), hi.into()]));
                build::VOrB32.on([lo.into(), hi.into()])
            }
            Ir::UnpackHalf2x16 => {
                let x = self.vector(cx, a(0));
                self.valu(cx, build::VCvtF32F16.on([x]).def(out[0]));
                let h = self.make_v(cx, build::VLshrrevB32.on([Use::imm(16), x]));
                self.valu(cx, build::VCvtF32F16.on([h.into()]).def(out[1]));
                return Ok(());
            }
            _ => return self.integer(cx, i, &out),
        };
        self.valu(cx, inst.def(r));
        Ok(())
    }

    /// Integers, choices, and what moves lanes.
    fn integer(&mut self, cx: &mut Cx<'_>, i: Inst, out: &[VReg]) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        let a = |n: usize| d.args[n];
        let r = out[0];
        let inst: MI = match d.op {
            Ir::IAdd => {
                let (x, y) = (self.any(cx, a(0)), self.any(cx, a(1)));
                self.add(cx, r, x, y);
                return Ok(());
            }
            Ir::ISub | Ir::INeg => {
                let (x, y) = match d.op {
                    Ir::ISub => (self.any(cx, a(0)), self.any(cx, a(1))),
                    _ => (Use::imm(0), self.any(cx, a(0))),
                };
                op(if self.generation == 2 { Op::VSubU32 } else { Op::VSubI32 }).arg(x).arg(y)
            }
            Ir::IAbs => {
                let x = self.vector(cx, a(0));
                let n = self.make_v(cx, op(if self.generation == 2 { Op::VSubU32 } else { Op::VSubI32 }).imm(0).arg(x));
                build::VMaxI32.on([x, n.into()])
            }
            Ir::IMul
            | Ir::UMulHi
            | Ir::SMulHi
            | Ir::UMul24
            | Ir::SMin
            | Ir::SMax
            | Ir::UMin
            | Ir::UMax
            | Ir::And
            | Ir::Or
            | Ir::Xor => {
                let (x, y) = (self.any(cx, a(0)), self.any(cx, a(1)));
                op(match d.op {
                    Ir::IMul => Op::VMulLoU32,
                    Ir::UMulHi => Op::VMulHiU32,
                    Ir::SMulHi => Op::VMulHiI32,
                    Ir::UMul24 => Op::VMulU32U24,
                    Ir::SMin => Op::VMinI32,
                    Ir::SMax => Op::VMaxI32,
                    Ir::UMin => Op::VMinU32,
                    Ir::UMax => Op::VMaxU32,
                    Ir::And => Op::VAndB32,
                    Ir::Or => Op::VOrB32,
                    _ => Op::VXorB32,
                })
                .arg(x)
                .arg(y)
            }
            Ir::Shl | Ir::UShr | Ir::SShr => {
                let (x, n) = (self.any(cx, a(0)), self.any(cx, a(1)));
                let o = match d.op {
                    Ir::Shl => Op::VLshlrevB32,
                    Ir::UShr => Op::VLshrrevB32,
                    _ => Op::VAshrrevI32,
                };
                op(o).arg(n).arg(x)
            }
            Ir::FShr | Ir::BitSel | Ir::UBitExtract | Ir::SBitExtract => {
                let (x, y, z) = (self.any(cx, a(0)), self.any(cx, a(1)), self.any(cx, a(2)));
                op(match d.op {
                    Ir::FShr => Op::VAlignbitB32,
                    Ir::BitSel => Op::VBfiB32,
                    // Only such with constant places come here, and those are shorter than a register.
                    Ir::UBitExtract => Op::VBfeU32,
                    _ => Op::VBfeI32,
                })
                .arg(x)
                .arg(y)
                .arg(z)
            }
            Ir::Not | Ir::BitReverse => {
                let x = self.any(cx, a(0));
                op(if d.op == Ir::Not { Op::VNotB32 } else { Op::VBfrevB32 }).arg(x)
            }
            Ir::Popcount => {
                let x = self.any(cx, a(0));
                build::VBcntU32B32.with((Long(true),), [x, Use::imm(0)])
            }
            Ir::Clz | Ir::Ctz => {
                let x = self.any(cx, a(0));
                let t = self.make_v(cx, op(if d.op == Ir::Clz { Op::VFfbhU32 } else { Op::VFfblB32 }).arg(x));
                build::VMinU32.on([Use::imm(32), t.into()])
            }
            Ir::Select => {
                let c = self.mask(cx, a(0));
                let (x, y) = (self.any(cx, a(1)), self.any(cx, a(2)));
                build::VCndmaskB32.with((Long(true),), [y, x, c])
            }
            // Bits above those of a narrow lane may be anything, but a load leaves zeros.
            Ir::ZExt if cx.f.def_op(a(0), Ir::Load).is_none() => {
                let (x, ones) = (self.any(cx, a(0)), cx.f.ty(a(0)).scalar().mask());
                build::VAndB32.on([Use::imm(ones as u32), x])
            }
            Ir::Bitcast | Ir::ZExt | Ir::Trunc if out.len() == 1 => {
                let x = self.any(cx, a(0));
                self.set(cx, r, x);
                return Ok(());
            }
            Ir::Bitcast => {
                let from = cx.regs(a(0));
                for (&r, s) in out.iter().zip(from) {
                    cx.emit(MInst::copy(r, s));
                }
                return Ok(());
            }
            Ir::Extract => {
                let Attr::Lane(k) = d.attr else { return Err(cx.unknown(i)) };
                let v = cx.regs(a(0));
                cx.emit(MInst::copy(r, v[k as usize]));
                return Ok(());
            }
            Ir::Splat => {
                let x = self.any(cx, a(0));
                for &r in out {
                    self.set(cx, r, x);
                }
                return Ok(());
            }
            Ir::Shuffle | Ir::Insert => {
                let from = d.moved_lanes(out.len() as u32).ok_or_else(|| cx.unknown(i))?;
                for (&r, (v, k)) in out.iter().zip(from) {
                    if cx.f.ty(v).is_vector() {
                        let lane = cx.regs(v)[k];
                        cx.emit(MInst::copy(r, lane));
                    } else {
                        let x = self.any(cx, v);
                        self.set(cx, r, x);
                    }
                }
                return Ok(());
            }
            Ir::Compose => {
                for (k, &r) in out.iter().enumerate() {
                    let x = self.any(cx, a(k));
                    self.set(cx, r, x);
                }
                return Ok(());
            }
            _ => return Err(cx.unknown(i)),
        };
        self.valu(cx, inst.def(r));
        Ok(())
    }

    /// A product that only this sum wants is computed with it: `v_mad_f32` rounds both, as the two instructions would.
    fn mad(&mut self, cx: &mut Cx<'_>, d: &gpucc_ir::InstData) -> Option<MI> {
        let f = cx.f;
        let generation = self.generation;
        let literal = |v: Value| bits_of(f, v).filter(|&b| inline32(b, generation).is_none());
        let here = Some(cx.current());
        for k in 0..2 {
            let (v, other) = (d.args[k], d.args[1 - k]);
            let Some(p) = cx.fold_op(v, Ir::FMul).filter(|_| f.def_inst(v).is_some_and(|i| self.home[i] == here))
            else {
                continue;
            };
            let (a, b) = (p.args[0], p.args[1]);
            let constants = [a, b, other].iter().filter(|&&x| literal(x).is_some()).count();
            let negated = d.op == Ir::FSub;
            if constants > 1 || negated && (bits_of(f, if k == 0 { other } else { a }).is_some() || constants > 0) {
                continue;
            }
            if constants == 1 {
                // A literal takes the place of any scalar register, and there are no signs to fold.
                let (x, y, c, op_) = match (literal(a), literal(b)) {
                    (Some(c), _) => (b, other, c, Op::VMadmkF32),
                    (_, Some(c)) => (a, other, c, Op::VMadmkF32),
                    _ => (a, b, literal(other)?, Op::VMadakF32),
                };
                let plain = |v: Value| {
                    self.homes.of(v) == Home::Vector
                        && bits_of(f, v).is_none()
                        && f.def_op(v, Ir::FNeg).is_none()
                        && f.def_op(v, Ir::FAbs).is_none()
                };
                if !plain(x) || !plain(y) {
                    continue;
                }
                let (x, y) = (self.vector(cx, x), self.vector(cx, y));
                return Some(with(op(op_).arg(x).arg(y), (K(c),)));
            }
            let (mut x, y, mut z) = (self.float(cx, a), self.float(cx, b), self.float(cx, other));
            if negated {
                let u = if k == 0 { &mut z } else { &mut x };
                u.mods.neg = !u.mods.neg;
            }
            return Some(build::VMadF32.with((Long(true),), [x, y, z]));
        }
        None
    }

    /// What the scalar unit does.
    fn scalar(&mut self, cx: &mut Cx<'_>, i: Inst, r: VReg) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        let m = match d.op {
            Ir::Extract if self.homes.fixed_lane(i).is_none() => {
                let Attr::Lane(k) = d.attr else { return Err(cx.unknown(i)) };
                let from = cx.regs(d.args[0])[k as usize];
                cx.emit(MInst::copy(r, from));
                return Ok(());
            }
            Ir::Extract => {
                let x = self.held(cx, d.result()).unwrap_or(Use::imm(0));
                build::SMovB32.on([x])
            }
            Ir::Bitcast => {
                let x = self.any(cx, d.args[0]);
                cx.emit(MInst::copy(r, x));
                return Ok(());
            }
            Ir::Select => {
                let c = cx.f.def_inst(d.args[0]).map(|c| cx.data(c));
                let Some((c, Attr::IntCc(cc))) = c.map(|c| (c, &c.attr)) else {
                    return Err(cx.unknown(i));
                };
                let mut m = MInst::new(GOp::Choose(scalar_compare(*cc)));
                for &v in c.args.iter().chain(&d.args[1..]) {
                    let u = self.any(cx, v);
                    m = m.arg(u);
                }
                self.one_literal(cx, &mut m, 0..2);
                self.one_literal(cx, &mut m, 2..4);
                cx.emit(m.def(r));
                return Ok(());
            }
            Ir::Clz | Ir::Ctz => {
                // No bit gives -1.
                let x = self.any(cx, d.args[0]);
                let t = cx.temp(S);
                self.salu(cx, op(if d.op == Ir::Clz { Op::SFlbitI32B32 } else { Op::SFf1I32B32 }).def(t).arg(x));
                build::SMinU32.on([t.into(), Use::imm(32)])
            }
            Ir::FShr => {
                let (x, y, n) = (self.any(cx, d.args[0]), self.any(cx, d.args[1]), self.any(cx, d.args[2]));
                let (left, right) = (cx.temp(S), cx.temp(S));
                match cx.f.const_bits(d.args[2]) {
                    Some(c) => self.salu(cx, build::SLshlB32.on([x, Use::imm(32 - (c as u32) % 32)]).def(left)),
                    None => {
                        let by = cx.temp(S);
                        self.salu(cx, build::SSubU32.on([Use::imm(0), n]).def(by));
                        self.salu(cx, build::SLshlB32.on([x, by.into()]).def(left));
                    }
                }
                self.salu(cx, build::SLshrB32.on([y, n]).def(right));
                build::SOrB32.on([left.into(), right.into()])
            }
            Ir::BitSel => {
                let (m, x, y) = (self.any(cx, d.args[0]), self.any(cx, d.args[1]), self.any(cx, d.args[2]));
                let (taken, left) = (cx.temp(S), cx.temp(S));
                self.salu(cx, build::SAndB32.on([x, m]).def(taken));
                self.salu(cx, build::SAndn2B32.on([y, m]).def(left));
                build::SOrB32.on([taken.into(), left.into()])
            }
            Ir::UBitExtract | Ir::SBitExtract => {
                let x = self.any(cx, d.args[0]);
                let (Some(offset), Some(count)) = (cx.f.const_bits(d.args[1]), cx.f.const_bits(d.args[2])) else {
                    return Err(cx.unknown(i));
                };
                let o = if d.op == Ir::UBitExtract { Op::SBfeU32 } else { Op::SBfeI32 };
                op(o).arg(x).imm(offset as u32 | (count as u32) << 16)
            }
            o => {
                let Some(o) = scalar_op(o) else { return Err(cx.unknown(i)) };
                let mut m = op(o);
                if d.op == Ir::INeg {
                    m = m.imm(0);
                }
                for &v in &d.args {
                    let u = self.any(cx, v);
                    m = m.arg(u);
                }
                m
            }
        };
        self.salu(cx, m.def(r));
        Ok(())
    }
}

/// EXEC as an operand.
pub(crate) fn exec() -> U {
    Use::preg(PReg::new(FILE_S, 126, 2))
}

impl Lower<Gcn> for Isel<'_> {
    fn repr(&mut self, f: &Function, v: Value) -> Repr {
        let ty = f.ty(v);
        let class: Class = match self.homes.of(v) {
            Home::Mask => MASK,
            Home::Scalar => S,
            Home::Vector => V,
        };
        Repr { class, count: ty.lanes() as u8 }
    }

    fn inst(&mut self, cx: &mut Cx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        match (&d.op, &d.attr) {
            (Ir::Sysval, Attr::Sysval(s)) => self.sysval(cx, i, *s),
            (Ir::Load, _) => self.load(cx, i),
            (Ir::Store, _) => self.store(cx, i),
            (Ir::Atomic | Ir::CmpXchg, _) => self.atomic(cx, i),
            (Ir::BufferLength, Attr::Res(r)) => {
                // Word 2 of the descriptor.
                let size = Use::preg(PReg::new(FILE_S, self.fixed.descriptor(*r) as u16 + 2, 1));
                let out = cx.result(i, 0)[0];
                let o = if cx.mf.class(out) == S { Op::SMovB32 } else { Op::VMovB32 };
                cx.emit(op(o).def(out).arg(size));
                Ok(())
            }
            (_, Attr::Tex(t) | Attr::TexAtomic(_, t)) => self.image(cx, i, *t),
            (Ir::CubeCoords, _) => self.cube_coords(cx, i),
            (Ir::Input, Attr::Input(n)) => self.input(cx, i, *n),
            (Ir::Demote, _) => self.demote(cx, i),
            (Ir::Derivative, Attr::Deriv(d)) => {
                self.derivative(cx, i, *d);
                Ok(())
            }
            (Ir::Barrier, Attr::Barrier(b)) => {
                let wait = b.exec != gpucc_ir::Scope::None;
                cx.emit(build::SBarrier.with((Sync(wait),), []));
                Ok(())
            }
            _ => self.alu(cx, i),
        }
    }

    fn terminator(&mut self, cx: &mut Cx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        let edges: MEdges = d.edges().into_iter().map(|e| self.edge(cx, e)).collect();
        if d.op == Ir::Ret {
            self.outputs(cx, i)?;
        }
        let mut leave = MInst::new(GOp::Leave(None));
        if d.op == Ir::Br {
            let together = matches!(self.plan.out(cx.current_id().0 as usize), Out::Cond(..));
            // A comparison of scalars decides by SCC; everything else by lanes.
            match self.peek(cx, d.args[0]) {
                Some(c) if together && self.homes.scalar_condition(d.args[0], Some(cx.current())) => {
                    let Attr::IntCc(cc) = c.attr else { return Err(cx.unknown(i)) };
                    leave = MInst::new(GOp::Leave(Some(scalar_compare(cc))));
                    for &v in &c.args {
                        let u = self.any(cx, v);
                        leave = leave.arg(u);
                    }
                    self.one_literal(cx, &mut leave, 0..2);
                }
                _ => {
                    let m = self.mask(cx, d.args[0]);
                    leave = leave.arg(m);
                }
            }
        }
        for e in &edges {
            leave = leave.arg(e.to);
        }
        cx.set_succs(Cfg::Logical, edges);
        cx.emit(leave);
        Ok(())
    }

    fn constant(&mut self, cx: &mut Cx<'_>, v: Value, into: &[VReg]) -> Result<(), Diagnostic> {
        let Some(c) = cx.f.as_const(v).cloned() else { return Ok(()) };
        for (k, &r) in into.iter().enumerate() {
            cx.emit(build::VMovB32.on([Use::imm(c.bits[k] as u32)]).def(r));
        }
        Ok(())
    }

    fn entry(&mut self, cx: &mut Cx<'_>) -> Result<(), Diagnostic> {
        let mut start = MInst::pseudo(Pseudo::Start);
        for (c, r) in self.ids.iter().enumerate() {
            if let Some(r) = r {
                start.defs.push(Def::reg(*r).at(PReg::new(FILE_V, c as u16, 1)));
            }
        }
        self.launch(cx, &mut start);
        if !start.defs.is_empty() {
            cx.emit(start);
        }
        self.number_elements(cx);
        self.load_descriptors(cx);
        Ok(())
    }
}

impl Isel<'_> {
    /// An edge whose arguments are in registers of their parameters' kind.
    fn edge(&mut self, cx: &mut Cx<'_>, e: gpucc_ir::EdgeRef<'_>) -> MEdge {
        let to = cx.block_id(e.block);
        let f = cx.f;
        let mut args = Regs::new();
        for (&a, &p) in e.args.iter().zip(&f.blocks[e.block].params) {
            let (from, want) = (self.homes.of(a), self.homes.of(p));
            match want {
                Home::Mask => match self.mask(cx, a).vreg() {
                    Some(m) => args.push(m),
                    None => args.extend(cx.regs(a)),
                },
                Home::Scalar if f.is_undef(a) => {
                    let t = cx.temp(S);
                    cx.emit(MInst::pseudo(Pseudo::Undef).def(t));
                    args.push(t);
                }
                Home::Scalar | Home::Vector if f.ty(a).is_vector() || from == want && bits_of(f, a).is_none() => {
                    for r in cx.regs(a) {
                        args.push(self.like(cx, r, if want == Home::Scalar { S } else { V }));
                    }
                }
                Home::Scalar | Home::Vector if f.ty(a).is_bool() && bits_of(f, a).is_none() => {
                    let m = self.mask(cx, a);
                    let t = cx.temp(V);
                    self.zero_or_one(cx, t, m);
                    args.push(t);
                }
                _ => {
                    let t = cx.temp(if want == Home::Scalar { S } else { V });
                    let u = self.any(cx, a);
                    cx.emit(MInst::copy(t, u));
                    args.push(t);
                }
            }
        }
        MEdge { to, args }
    }

    /// The register, or a copy of it in this class.
    fn like(&mut self, cx: &mut Cx<'_>, r: VReg, class: Class) -> VReg {
        if cx.mf.class(r) == class {
            return r;
        }
        let t = cx.temp(class);
        cx.emit(MInst::copy(t, r));
        t
    }

    /// 1 for the lanes of a mask, 0 for others.
    fn zero_or_one(&mut self, cx: &mut Cx<'_>, out: VReg, mask: U) {
        self.valu(cx, build::VCndmaskB32.with((Long(true),), [Use::imm(0), Use::imm(1), mask]).def(out));
    }

    /// The vector registers of a value that is loaded or stored, one a lane.
    pub(crate) fn run(&mut self, cx: &mut Cx<'_>, v: Value) -> U {
        let lanes = cx.f.ty(v).lanes() as usize;
        if lanes == 1 {
            if cx.f.ty(v).is_bool() {
                let m = self.mask(cx, v);
                let t = cx.temp(V);
                self.zero_or_one(cx, t, m);
                return Use::reg(t);
            }
            return self.vector(cx, v);
        }
        let regs = cx.regs(v);
        let whole = cx.temp(run_class(lanes));
        let mut parts = Vec::new();
        for r in regs {
            parts.push(self.in_vector(cx, Use::reg(r)));
        }
        cx.emit(MInst::collect(whole, parts));
        Use::reg(whole)
    }
}
