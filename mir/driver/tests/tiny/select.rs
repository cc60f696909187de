//! Selection: integers and floats of 32 bits and booleans (0 or all ones), a register each; memory is buffers. Textures have two
//! dimensions and are filtered at a given level.

use gpucc_ir::{
    Attr, Diagnostic, Function, Inst, IntCc, Op, Place, Sysval, Tex, TexDesc, TexDim, TexLod, TexWhat, Value,
};
use gpucc_mir::{BlockId, Cfg, Lower, MInst, Repr, Select, Use, VReg};

use super::target::{Buffer, R, Tiny, build};

/// The facts known to selection.
pub struct Isel<'m> {
    pub target: &'m Tiny,
}

type IselCx<'f> = Select<'f, Tiny>;

impl Isel<'_> {
    /// The index of a buffer, its address in a register, and what is added to that.
    fn address(&self, cx: &mut IselCx<'_>, i: Inst) -> Result<(Buffer, VReg, u32), Diagnostic> {
        let d = cx.data(i);
        let Attr::Mem(m) = d.attr else { return Err(cx.unknown(i)) };
        let Place::Buffer(r) = m.place else { return Err(cx.unknown(i)) };
        match d.dyn_offset() {
            Some(v) => Ok((Buffer(r.0 as u8), cx.reg(v), m.offset)),
            None => Ok((Buffer(r.0 as u8), Self::zero(cx), m.offset)),
        }
    }

    fn zero(cx: &mut IselCx<'_>) -> VReg {
        let zero = cx.temp(R);
        cx.emit(build::Li.on([Use::imm(0)]).def(zero));
        zero
    }

    /// A texture, component by component.
    fn tex(cx: &mut IselCx<'_>, i: Inst, t: &Tex) -> Result<(), Diagnostic> {
        let zero = TexDesc::new(TexWhat::Sample, TexDim::D2).with_lod(TexLod::Zero);
        if t.desc != zero && t.desc != zero.with_lod(TexLod::Level) {
            return Err(cx.unknown(i));
        }
        let d = cx.data(i);
        let level = if t.desc == zero { Self::zero(cx) } else { cx.reg(d.args[1]) };
        let at = cx.regs(d.args[0]);
        for (k, r) in cx.result(i, 0).into_iter().enumerate() {
            let uses = [at[0].into(), at[1].into(), level.into(), Use::imm(k as u32)];
            cx.emit(build::Tex.with((Buffer(t.texture.0 as u8),), uses).def(r));
        }
        Ok(())
    }

    /// The opposite of a boolean.
    fn not(cx: &mut IselCx<'_>, v: VReg, out: VReg) {
        let ones = cx.temp(R);
        cx.emit(build::Li.on([Use::imm(u32::MAX)]).def(ones));
        cx.emit(build::Xor.on([v.into(), ones.into()]).def(out));
    }

    fn compare(cx: &mut IselCx<'_>, cc: IntCc, a: VReg, b: VReg, out: VReg) -> Option<()> {
        let (build, x, y, negate) = match cc {
            IntCc::Eq => (build::Eq, a, b, false),
            IntCc::Ne => (build::Eq, a, b, true),
            IntCc::Ult => (build::Lt, a, b, false),
            IntCc::Ugt => (build::Lt, b, a, false),
            IntCc::Ule => (build::Lt, b, a, true),
            IntCc::Uge => (build::Lt, a, b, true),
            _ => return None,
        };
        let to = if negate { cx.temp(R) } else { out };
        cx.emit(build.on([x.into(), y.into()]).def(to));
        if negate {
            Self::not(cx, to, out);
        }
        Some(())
    }
}

impl Lower<Tiny> for Isel<'_> {
    fn repr(&mut self, f: &Function, v: Value) -> Repr {
        Repr { class: R, count: f.ty(v).lanes() as u8 }
    }

    fn inst(&mut self, cx: &mut IselCx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        let two = |cx: &mut IselCx<'_>| [cx.reg(d.args[0]).into(), cx.reg(d.args[1]).into()];
        let build = match (d.op, &d.attr) {
            (Op::IAdd, _) => build::Add,
            (Op::ISub, _) => build::Sub,
            (Op::IMul, _) => build::Mul,
            (Op::And, _) => build::And,
            (Op::Or, _) => build::Or,
            (Op::Xor, _) => build::Xor,
            (Op::Shl, _) => build::Shl,
            (Op::UShr, _) => build::Shr,
            (Op::FMul, _) => build::FMul,
            (Op::ICmp, Attr::IntCc(cc)) => {
                let (a, b, out) = (cx.reg(d.args[0]), cx.reg(d.args[1]), cx.result(i, 0)[0]);
                return Self::compare(cx, *cc, a, b, out).ok_or_else(|| cx.unknown(i));
            }
            (Op::UMin | Op::UMax, _) => {
                let ([a, b], out, less) = (two(cx), cx.result(i, 0)[0], cx.temp(R));
                cx.emit(build::Lt.on([a, b]).def(less));
                let (x, y) = if d.op == Op::UMin { (a, b) } else { (b, a) };
                cx.emit(build::Sel.on([less.into(), x, y]).def(out));
                return Ok(());
            }
            (Op::Select, _) => {
                let (uses, out) = ([0, 1, 2].map(|k| cx.reg(d.args[k]).into()), cx.result(i, 0)[0]);
                cx.emit(build::Sel.on(uses).def(out));
                return Ok(());
            }
            (Op::Not, _) => {
                let (v, out) = (cx.reg(d.args[0]), cx.result(i, 0)[0]);
                Self::not(cx, v, out);
                return Ok(());
            }
            (Op::Bitcast, _) => {
                let (v, out) = (cx.reg(d.args[0]), cx.result(i, 0)[0]);
                cx.emit(MInst::copy(out, v));
                return Ok(());
            }
            (Op::Compose, _) => {
                for (k, r) in cx.result(i, 0).into_iter().enumerate() {
                    let lane = cx.reg(d.args[k]);
                    cx.emit(MInst::copy(r, lane));
                }
                return Ok(());
            }
            (Op::Shuffle, Attr::Lanes(lanes)) => {
                let from = [cx.regs(d.args[0]), cx.regs(d.args[1])];
                for (r, lane) in cx.result(i, 0).into_iter().zip(lanes) {
                    cx.emit(MInst::copy(r, from[usize::from(lane / 4)][usize::from(lane % 4)]));
                }
                return Ok(());
            }
            (Op::Extract, Attr::Lane(k)) => {
                let (from, out) = (cx.regs(d.args[0])[usize::from(*k)], cx.result(i, 0)[0]);
                cx.emit(MInst::copy(out, from));
                return Ok(());
            }
            (Op::Sysval, Attr::Sysval(Sysval::GlobalInvocationId)) => {
                for (k, r) in cx.result(i, 0).into_iter().enumerate() {
                    cx.emit(build::Id.on([Use::imm(k as u32)]).def(r));
                }
                return Ok(());
            }
            (Op::Input, Attr::Input(n)) => {
                for (k, r) in cx.result(i, 0).into_iter().enumerate() {
                    cx.emit(build::In.on([Use::imm(4 * u32::from(*n) + k as u32)]).def(r));
                }
                return Ok(());
            }
            (Op::Tex, Attr::Tex(t)) => return Self::tex(cx, i, t),
            (Op::Load, _) => {
                let (buffer, at, offset) = self.address(cx, i)?;
                for (k, r) in cx.result(i, 0).into_iter().enumerate() {
                    cx.emit(build::Ld.with((buffer,), [at.into(), Use::imm(offset + 4 * k as u32)]).def(r));
                }
                return Ok(());
            }
            (Op::Store, _) => {
                let (buffer, at, offset) = self.address(cx, i)?;
                for (k, r) in cx.regs(d.args[0]).into_iter().enumerate() {
                    let uses = [r.into(), at.into(), Use::imm(offset + 4 * k as u32)];
                    cx.emit(build::St.with((buffer,), uses));
                }
                return Ok(());
            }
            _ => return Err(cx.unknown(i)),
        };
        let (uses, out) = (two(cx), cx.result(i, 0)[0]);
        cx.emit(build.on(uses).def(out));
        Ok(())
    }

    fn terminator(&mut self, cx: &mut IselCx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        let Attr::Branch(b) = &d.attr else {
            for (n, &v) in d.args.iter().enumerate() {
                for (k, r) in cx.regs(v).into_iter().enumerate() {
                    cx.emit(build::Out.on([r.into(), Use::imm((4 * n + k) as u32)]));
                }
            }
            cx.set_succs(Cfg::Logical, []);
            cx.emit(build::End.on([]));
            return Ok(());
        };
        let Some(other) = b.other() else {
            cx.jump_to(self.target, b.then());
            return Ok(());
        };
        let (then, other) = (cx.edge(b.then()), cx.edge(other));
        let (cond, to, els): (_, BlockId, BlockId) = (cx.reg(d.args[0]), then.to, other.to);
        cx.set_succs(Cfg::Logical, [then, other]);
        cx.emit(build::Br.on([cond.into(), to.into()]));
        cx.emit(build::Jmp.on([els.into()]));
        Ok(())
    }

    fn constant(&mut self, cx: &mut IselCx<'_>, v: Value, into: &[VReg]) -> Result<(), Diagnostic> {
        let Some(c) = cx.f.as_const(v).cloned() else { return Ok(()) };
        for (k, &r) in into.iter().enumerate() {
            let bits = if c.ty.is_bool() { 0u32.wrapping_sub(c.bits[k] as u32) } else { c.bits[k] as u32 };
            cx.emit(build::Li.on([Use::imm(bits)]).def(r));
        }
        Ok(())
    }
}
