//! Computes with floats of 16 bits in halves of registers, two at a time where two alike are there.
//!
//! ```text
//! %2 = FaddF32 %0, %1                        %7 = FaddV2f16 %5.h00, %6.h00
//! %3 = V2f32ToV2f16 %2, %2             ==>   %8 = FrcpF32 %7.h0
//! %4 = F16ToF32 %3.h0
//! %8 = FrcpF32 %4
//! ```
//!
//! Selection knows only floats of 32 bits: one of 16 bits is the same number, rounded through a half after each operation. Where both
//! operands are such numbers, the instruction on halves rounds once to the same result: sums and products of halves have at most 24
//! bits or are rounded harmlessly twice (`gpucc_opt::narrow`). Minimum, maximum and limits choose what is there.
//!
//! Varyings and texels that are only rounded arrive as halves. Sources that widen a half by themselves take it as it is. Two results
//! whose operands are the two halves of the same registers, or that come from floats next to each other, share an instruction.
//!
//! Needs: each virtual register defined once. Keeps: blocks and edges.

use std::collections::BTreeMap;

use gpucc_container::Source;
use gpucc_mir::{BlockId, Def, MFunc, MInst, Opcode, PReg, Pseudo, Reg, Src, Use, VReg, dce};
use gpucc_valhall_machine::kind::SrcMods as Takes;
use gpucc_valhall_machine::operand::LUT;
use gpucc_valhall_machine::{Clamp, Op, RegFormat, RegisterType, RegisterWidth, Round, SourceFormat};

use crate::builders as build;
use crate::forms;
use crate::inst::{FILE_R, R, SrcMods, VOp, Valhall, run_class};
use crate::uniforms::Uniforms;

type I = MInst<Valhall>;
type U = Use<Valhall>;

/// Half of a register.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Half {
    pub reg: VReg,
    pub high: bool,
}

/// Instructions without a partner that another one may join.
const WINDOW: usize = 8;
/// Definitions of two floats that are rounded together lie at most so far apart.
const NEAR: u32 = 6;

/// Returns how many instructions compute halves, or went away.
pub fn run(mf: &mut MFunc<Valhall>, target: &Valhall, uniforms: &mut Uniforms) -> u64 {
    if !mf.code.iter().flatten().any(|i| rounded(i).is_some()) {
        return 0;
    }
    let old: Vec<Vec<I>> = mf.code.iter_mut().map(std::mem::take).collect();
    let mut pass = Pass::new(mf, uniforms, &old);
    pass.messages();
    pass.find_wanted();
    for b in 0..old.len() {
        let new = pass.native(b);
        pass.mf.code[b] = new;
    }
    let mut changed = pass.changed + widen(mf);
    if changed > 0 {
        changed += dce(mf, target) as u64 + limits(mf);
    }
    changed += Pairs::new(mf).run(mf, target);
    let whole = wholes(mf);
    let packed = colours(mf);
    changed + whole + packed + if packed > 0 { dce(mf, target) as u64 } else { 0 }
}

/// The float that an instruction rounds to both halves of a register.
pub(crate) fn rounded(i: &I) -> Option<VReg> {
    if i.target_op() != Some(VOp::Op(Op::V2f32ToV2f16)) || i.mods.clamp != Clamp::None {
        return None;
    }
    let [a, b] = i.uses.as_slice() else { return None };
    let plain = i.mods.round == Round::NearestEven && a == b && a.mods == SrcMods::default() && a.part_read().is_none();
    a.vreg().filter(|_| plain)
}

/// The half that an instruction widens.
pub(crate) fn widened(i: &I) -> Option<Half> {
    if i.target_op() != Some(VOp::Op(Op::F16ToF32)) {
        return None;
    }
    let u = i.uses.first()?;
    let high = u.mods.swizzle()? == 1;
    (!u.mods.neg && !u.mods.abs).then_some(())?;
    Some(Half { reg: u.vreg()?, high })
}

/// The register that an instruction defines, anywhere.
pub(crate) fn result(i: &I) -> Option<VReg> {
    let [d] = i.defs.as_slice() else { return None };
    d.vreg().filter(|_| d.fixed().is_none())
}

fn is_minus_zero(u: &U) -> bool {
    u.src == Src::Imm(0) && u.mods == SrcMods { neg: true, ..SrcMods::default() }
}

/// The instruction on halves for one on floats, with the sources that count.
pub(crate) fn on_halves(i: &I) -> Option<(Op, usize)> {
    let VOp::Op(op) = i.target_op()? else { return None };
    Some(match op {
        Op::FaddF32 => (Op::FaddV2f16, 2),
        Op::FminF32 => (Op::FminV2f16, 2),
        Op::FmaxF32 => (Op::FmaxV2f16, 2),
        Op::FmaF32 if is_minus_zero(&i.uses[2]) => (Op::FmaV2f16, 2),
        _ => return None,
    })
}

/// Whether the result of an instruction on halves is one of its operands or a bound.
pub(crate) fn chooses(i: &I) -> bool {
    match i.target_op() {
        Some(VOp::Op(Op::FminF32 | Op::FmaxF32)) => true,
        Some(VOp::Op(Op::FaddF32)) => is_minus_zero(&i.uses[1]),
        _ => false,
    }
}

/// The bits of a float as a half, where it is one and not denormal.
pub(crate) fn as_half(bits: u32) -> Option<u16> {
    let sign = (bits >> 16 & 0x8000) as u16;
    let (exponent, mantissa) = (bits >> 23 & 0xff, bits & 0x7f_ffff);
    match exponent {
        0 if mantissa == 0 => Some(sign),
        113..=142 if mantissa & 0x1fff == 0 => Some(sign | ((exponent - 112) << 10 | mantissa >> 13) as u16),
        _ => None,
    }
}

/// The swizzle of two halves of a register, low first.
pub(crate) fn swizzle(low: bool, high: bool) -> u8 {
    u8::from(low) | u8::from(high) << 1
}

struct Pass<'a> {
    mf: &'a mut MFunc<Valhall>,
    uniforms: &'a mut Uniforms,
    old: &'a [Vec<I>],
    /// Block and place of each definition.
    def: Vec<Option<(u32, u32)>>,
    reads: Vec<u32>,
    /// The half that a float is, and the one that a register of halves became.
    half_of: Vec<Option<Half>>,
    renamed: Vec<Option<Half>>,
    /// Registers of halves that are only widened.
    private: Vec<bool>,
    /// Floats that some instruction takes as halves.
    wanted: Vec<bool>,
    /// Runs of messages that give halves instead, and where their floats arrive.
    narrowed: Vec<bool>,
    arrives: Vec<Option<Half>>,
    changed: u64,
}

impl<'a> Pass<'a> {
    fn new(mf: &'a mut MFunc<Valhall>, uniforms: &'a mut Uniforms, old: &'a [Vec<I>]) -> Pass<'a> {
        let n = mf.classes.len();
        let (mut def, mut reads, mut other) = (vec![None; n], vec![0u32; n], vec![0u32; n]);
        for (b, insts) in old.iter().enumerate() {
            for (k, i) in insts.iter().enumerate() {
                i.vreg_defs().for_each(|v| def[v.0 as usize] = Some((b as u32, k as u32)));
                let plain = widened(i).is_some();
                for v in i.vreg_uses() {
                    reads[v.0 as usize] += 1;
                    other[v.0 as usize] += u32::from(!plain);
                }
            }
        }
        for v in mf.blocks.iter().flat_map(|b| b.all_succs()).flat_map(|e| &e.args).filter(|v| !v.is_none()) {
            reads[v.0 as usize] += 1;
            other[v.0 as usize] += 1;
        }
        let private = other.iter().map(|&n| n == 0).collect();
        let (half_of, renamed, arrives) = (vec![None; n], vec![None; n], vec![None; n]);
        let (wanted, narrowed) = (vec![false; n], vec![false; n]);
        Pass { mf, uniforms, old, def, reads, half_of, renamed, private, wanted, narrowed, arrives, changed: 0 }
    }

    fn definition(&self, v: VReg) -> Option<&'a I> {
        self.def[v.0 as usize].map(|(b, k)| &self.old[b as usize][k as usize])
    }

    /// Finds messages whose floats are only rounded.
    fn messages(&mut self) {
        let mut rounds: Vec<u32> = vec![0; self.reads.len()];
        for v in self
            .old
            .iter()
            .flatten()
            .filter(|i| result(i).is_some_and(|h| self.private[h.0 as usize]))
            .filter_map(rounded)
        {
            // It reads its float twice.
            rounds[v.0 as usize] += 2;
        }
        let only = |v: VReg| rounds[v.0 as usize] == self.reads[v.0 as usize];
        let mut found = Vec::new();
        for insts in self.old {
            for (k, i) in insts.iter().enumerate() {
                let (Some(run), true) = (result(i), gives_floats(i)) else { continue };
                let split = insts.get(k + 1).filter(|s| s.is(Pseudo::Split) && s.uses[0].vreg() == Some(run));
                let fits = match split {
                    Some(s) if self.reads[run.0 as usize] == 1 => s.vreg_defs().all(only),
                    None => self.mf.class(run) == R && self.reads[run.0 as usize] > 0 && only(run),
                    _ => false,
                };
                if fits {
                    found.push(run);
                }
            }
        }
        found.into_iter().for_each(|run| self.narrowed[run.0 as usize] = true);
    }

    /// Finds floats that an instruction takes as halves if it can.
    fn find_wanted(&mut self) {
        let old = self.old;
        for i in old.iter().rev().flat_map(|insts| insts.iter().rev()) {
            let takes = match rounded(i).and_then(|x| self.definition(x)) {
                Some(x) => on_halves(x).map(|_| x),
                None => (chooses(i) && result(i).is_some_and(|d| self.wanted[d.0 as usize])).then_some(i),
            };
            if let Some(x) = takes {
                x.vreg_uses().for_each(|v| self.wanted[v.0 as usize] = true);
            }
        }
    }

    /// An operand as a half, the same in both lanes.
    fn operand(&mut self, u: &U) -> Option<U> {
        if u.mods.not || u.mods.swizzle().is_some() || u.part_read().is_some() {
            return None;
        }
        let bits = match u.src {
            Src::Reg(Reg::V(v)) => {
                let h = self.half_of[v.0 as usize]?;
                return Some(Use::reg(h.reg).mods(u.mods.or_swizzled(swizzle(h.high, h.high))));
            }
            Src::Imm(bits) => bits,
            Src::Uniform(n) => self.uniforms.constant(n)?,
            _ => return None,
        };
        if bits & 0x7fff_ffff == 0 {
            return (bits == 0).then_some(*u);
        }
        let half = as_half(bits)?;
        let (sign, half) = (half >> 15 == 1, half & 0x7fff);
        let mods = SrcMods { neg: u.mods.neg != (sign && !u.mods.abs), ..u.mods };
        if let Some(u) = table(half, mods) {
            return Some(u);
        }
        let word = self.uniforms.word(Source::Const(u32::from(half) * 0x1_0001))?;
        Some(Use::uniform(word).mods(mods.or_swizzled(0)))
    }

    /// An instruction on floats as one on halves.
    fn of_floats(&mut self, i: &I, h: VReg) -> Option<I> {
        let (op, sources) = on_halves(i)?;
        // Registers first: words for constants stay.
        if !i.uses.iter().all(|u| u.vreg().is_none_or(|v| self.half_of[v.0 as usize].is_some())) {
            return None;
        }
        let mut new: I = MInst::new(VOp::Op(op)).def(h).at(i.loc);
        for u in &i.uses[..sources] {
            new.uses.push(self.operand(u)?);
        }
        new.uses.extend(i.uses[sources..].iter().copied());
        new.mods.clamp = i.mods.clamp;
        Some(new)
    }

    /// A block with its instructions on halves.
    fn native(&mut self, b: usize) -> Vec<I> {
        let insts = &self.old[b];
        let mut new = Vec::with_capacity(insts.len());
        for (k, i) in insts.iter().enumerate() {
            let narrow = |v: VReg| self.narrowed[v.0 as usize];
            if let Some(run) = result(i).filter(|&r| narrow(r)) {
                let pieces = match insts.get(k + 1).filter(|s| s.is(Pseudo::Split) && s.uses[0].vreg() == Some(run)) {
                    Some(s) => s.vreg_defs().collect(),
                    None => vec![run],
                };
                self.narrow(i, &pieces, &mut new);
                self.changed += 1;
                continue;
            }
            if i.is(Pseudo::Split) && i.uses[0].vreg().is_some_and(narrow) {
                continue;
            }
            self.one(i, &mut new);
        }
        new
    }

    /// A message whose results arrive as halves.
    fn narrow(&mut self, i: &I, pieces: &[VReg], new: &mut Vec<I>) {
        let registers = pieces.len().div_ceil(2);
        let run = self.mf.vreg(run_class(registers));
        let mut message = i.clone();
        message.defs = [Def::reg(run)].into_iter().collect();
        match i.target_op() {
            Some(VOp::Op(Op::LdVarBufImmF32)) => message.op = Opcode::Op(VOp::Op(Op::LdVarBufImmF16)),
            Some(VOp::Op(Op::LdVarBufF32)) => message.op = Opcode::Op(VOp::Op(Op::LdVarBufF16)),
            _ => message.mods.register_width = RegisterWidth::Half,
        }
        new.push(message);
        let parts: Vec<VReg> = match registers {
            1 => vec![run],
            n => {
                let parts: Vec<VReg> = (0..n).map(|_| self.mf.vreg(R)).collect();
                new.push(MInst::split(&parts, run).at(i.loc));
                parts
            }
        };
        for (n, v) in pieces.iter().enumerate() {
            self.arrives[v.0 as usize] = Some(Half { reg: parts[n / 2], high: n % 2 == 1 });
        }
    }

    /// The upper half of a word that was shifted down to the lower one.
    fn upper(&self, h: Half) -> Option<Half> {
        let i = self.definition(h.reg).filter(|_| !h.high)?;
        if i.target_op() != Some(VOp::Op(Op::RshiftOrI32)) || i.mods.signed {
            return None;
        }
        let [word, amount, other] = i.uses.as_slice() else { return None };
        let Src::Imm(bits) = amount.src else { return None };
        // The swizzle of an amount is 4 and the number of its byte.
        let byte = amount.mods.swizzle()?.checked_sub(4)?;
        let plain = |u: &U| u.mods == SrcMods::default() && u.part_read().is_none();
        let shifts = bits >> (8 * u32::from(byte)) & 31 == 16 && *other == Use::imm(0);
        word.vreg().filter(|_| shifts && plain(word)).map(|reg| Half { reg, high: true })
    }

    fn one(&mut self, i: &I, new: &mut Vec<I>) {
        if let (Some(x), Some(h)) = (rounded(i), result(i)) {
            if let Some(half) = self.arrives[x.0 as usize] {
                self.renamed[h.0 as usize] = Some(half);
                return;
            }
            let twice = self.reads[x.0 as usize] == 2;
            if let Some(made) = self.definition(x).filter(|_| twice).and_then(|d| self.of_floats(d, h)) {
                self.changed += 1;
                new.push(made.at(i.loc));
                return;
            }
        } else if let (Some(half), Some(d)) = (widened(i), result(i)) {
            let half = self.renamed[half.reg.0 as usize].or_else(|| self.upper(half)).unwrap_or(half);
            self.half_of[d.0 as usize] = Some(half);
            new.push(MInst { uses: [whole(half)].into_iter().collect(), ..i.clone() });
            return;
        } else if let Some(d) = result(i).filter(|d| chooses(i) && self.wanted[d.0 as usize]) {
            let h = self.mf.vreg(R);
            if let Some(made) = self.of_floats(i, h) {
                self.changed += 1;
                let half = Half { reg: h, high: false };
                self.half_of[d.0 as usize] = Some(half);
                new.push(made);
                new.push(build::F16ToF32.on([whole(half)]).def(d).at(i.loc));
                return;
            }
        }
        new.push(i.clone());
    }
}

/// A half as the operand of a conversion to a float.
pub(crate) fn whole(h: Half) -> U {
    Use::reg(h.reg).mods(SrcMods::swizzled(h.high.into()))
}

/// Whether a message gives floats that it can give as halves.
fn gives_floats(i: &I) -> bool {
    match i.target_op() {
        Some(VOp::Op(Op::LdVarBufImmF32 | Op::LdVarBufF32)) => i.mods.source_format == SourceFormat::F32,
        Some(VOp::Op(Op::TexSingle | Op::TexFetch | Op::TexGather)) => {
            i.mods.register_type == RegisterType::Float && i.mods.register_width == RegisterWidth::Word
        }
        _ => false,
    }
}

/// The modifiers that a source of an instruction takes.
fn takes(i: &I, k: usize) -> Option<Takes> {
    let VOp::Op(op) = i.target_op()? else { return None };
    let form = forms::of(op);
    let k = k.checked_sub(usize::from(form.read_run.is_some()))?;
    form.sources.get(k).filter(|s| !s.kind.wide).map(|s| s.kind.mods)
}

/// Lets sources widen halves where all that reads the float can. Returns how many floats nobody reads any more.
fn widen(mf: &mut MFunc<Valhall>) -> u64 {
    let mut half_of: Vec<Option<Half>> = vec![None; mf.classes.len()];
    for i in mf.code.iter().flatten() {
        if let (Some(h), Some(d)) = (widened(i), result(i)) {
            half_of[d.0 as usize] = Some(h);
        }
    }
    let can = |i: &I, k: usize| {
        let u = &i.uses[k];
        let free = u.mods.swizzle().is_none() && !u.mods.not && u.part_read().is_none();
        free && matches!(takes(i, k), Some(Takes::NegAbsWiden | Takes::Widen))
    };
    for i in mf.code.iter().flatten() {
        for (k, u) in i.uses.iter().enumerate() {
            if let Some(v) = u.vreg().filter(|_| !can(i, k)) {
                half_of[v.0 as usize] = None;
            }
        }
    }
    for v in mf.blocks.iter().flat_map(|b| b.all_succs()).flat_map(|e| &e.args).filter(|v| !v.is_none()) {
        half_of[v.0 as usize] = None;
    }
    for u in mf.code.iter_mut().flatten().flat_map(|i| i.uses.iter_mut()) {
        if let Some(h) = u.vreg().and_then(|v| half_of[v.0 as usize]) {
            *u = Use::reg(h.reg).mods(u.mods.or_swizzled(1 + u8::from(h.high)));
        }
    }
    half_of.iter().flatten().count() as u64
}

/// Lets instructions on halves limit their results themselves, where that is all that reads them. Returns how many did so.
fn limits(mf: &mut MFunc<Valhall>) -> u64 {
    let mut reads = vec![0u32; mf.classes.len()];
    let mut def: Vec<Option<(u32, u32)>> = vec![None; mf.classes.len()];
    for (b, insts) in mf.code.iter().enumerate() {
        for (k, i) in insts.iter().enumerate() {
            i.vreg_uses().for_each(|v| reads[v.0 as usize] += 1);
            if let Some(d) = result(i).filter(|_| is_lone(i) && i.mods.clamp == Clamp::None) {
                def[d.0 as usize] = Some((b as u32, k as u32));
            }
        }
    }
    for v in mf.blocks.iter().flat_map(|b| b.all_succs()).flat_map(|e| &e.args).filter(|v| !v.is_none()) {
        reads[v.0 as usize] += 1;
    }
    let mut gone = 0;
    for b in 0..mf.code.len() {
        let mut insts = std::mem::take(&mut mf.code[b]);
        let mut dead = vec![false; insts.len()];
        for j in 0..insts.len() {
            let i = &insts[j];
            let clamp = i.mods.clamp;
            if i.target_op() != Some(VOp::Op(Op::FaddV2f16)) || clamp == Clamp::None || !is_lone(i) {
                continue;
            }
            let of = i.uses.first().filter(|u| !u.mods.neg && !u.mods.abs).and_then(Use::vreg);
            let (Some(h), Some(d), true) = (of, result(i), is_minus_zero(&i.uses[1])) else { continue };
            let place = def[h.0 as usize].filter(|p| p.0 == b as u32 && reads[h.0 as usize] == 1);
            if let Some((_, k)) = place {
                let first = &mut insts[k as usize];
                first.mods.clamp = clamp;
                first.defs = [Def::reg(d)].into_iter().collect();
                dead[j] = true;
                gone += 1;
            }
        }
        let mut dead = dead.into_iter();
        insts.retain(|_| !dead.next().unwrap_or(false));
        mf.code[b] = insts;
    }
    gone
}

/// Instructions on halves that share one.
struct Pairs {
    def: Vec<Option<(u32, u32)>>,
    /// Component of a run, and the run.
    piece: Vec<Option<(VReg, u32)>>,
    renamed: Vec<Option<Half>>,
    /// Registers whose halves are both the one value, and are read as halves.
    single: Vec<bool>,
}

impl Pairs {
    fn new(mf: &MFunc<Valhall>) -> Pairs {
        let n = mf.classes.len();
        let mut p = Pairs { def: vec![None; n], piece: vec![None; n], renamed: vec![None; n], single: vec![false; n] };
        for (b, insts) in mf.code.iter().enumerate() {
            for (k, i) in insts.iter().enumerate() {
                i.vreg_defs().for_each(|v| p.def[v.0 as usize] = Some((b as u32, k as u32)));
                if let Some(run) = i.is(Pseudo::Split).then(|| i.uses[0].vreg()).flatten() {
                    (0..).zip(i.vreg_defs()).for_each(|(c, v)| p.piece[v.0 as usize] = Some((run, c)));
                }
                if let Some(d) = result(i).filter(|_| rounded(i).is_some() || is_lone(i)) {
                    p.single[d.0 as usize] = true;
                }
            }
        }
        for i in mf.code.iter().flatten() {
            for (k, u) in i.uses.iter().enumerate() {
                let halves = matches!(
                    takes(i, k),
                    Some(Takes::NegAbsWiden | Takes::Widen | Takes::NegAbsHalf | Takes::NegAbsSwizzle16)
                );
                if let Some(v) = u.vreg().filter(|_| !halves || u.mods.swizzle().is_none()) {
                    p.single[v.0 as usize] = false;
                }
            }
        }
        for v in mf.blocks.iter().flat_map(|b| b.all_succs()).flat_map(|e| &e.args).filter(|v| !v.is_none()) {
            p.single[v.0 as usize] = false;
        }
        p
    }

    /// A block whose conversions to floats stand where the float is first read, so that they are in nobody's way.
    fn sink(&self, insts: Vec<I>, end: usize) -> Vec<Option<I>> {
        let mut held: BTreeMap<VReg, I> = BTreeMap::new();
        let mut new = Vec::with_capacity(insts.len());
        for (k, i) in insts.into_iter().enumerate() {
            if k == end {
                new.extend(std::mem::take(&mut held).into_values().map(Some));
            }
            new.extend(i.vreg_uses().filter_map(|v| held.remove(&v)).map(Some));
            match widened(&i).filter(|h| self.single[h.reg.0 as usize] && k < end).and(result(&i)) {
                Some(d) => drop(held.insert(d, i)),
                None => new.push(Some(i)),
            }
        }
        new.extend(held.into_values().map(Some));
        new
    }

    fn run(mut self, mf: &mut MFunc<Valhall>, target: &Valhall) -> u64 {
        let mut shared = 0;
        let mut first_read = vec![u32::MAX; mf.classes.len()];
        for b in 0..mf.blocks.len() {
            let end = mf.first_terminator(target, BlockId(b as u32));
            let mut insts = self.sink(std::mem::take(&mut mf.code[b]), end);
            for (k, i) in (0u32..).zip(insts.iter().flatten()) {
                for v in i.vreg_uses() {
                    let first = &mut first_read[v.0 as usize];
                    *first = k.min(*first);
                }
            }
            let mut open: Vec<u32> = Vec::new();
            for k in 0..insts.len() {
                let Some(mut i) = insts[k].take() else { continue };
                self.rename(&mut i);
                let own = result(&i).filter(|d| self.single[d.0 as usize]);
                let Some(d) = own else {
                    insts[k] = Some(i);
                    continue;
                };
                let joined = open.iter().rev().take(WINDOW).find_map(|&at| {
                    let other = insts[at as usize].as_ref()?;
                    let first = result(other).filter(|v| first_read[v.0 as usize] > k as u32)?;
                    Some((at, first, self.join(other, &i)?))
                });
                match joined {
                    Some((at, first, mut both)) => {
                        let reg = mf.vreg(R);
                        both.defs = [Def::reg(reg)].into_iter().collect();
                        self.renamed[first.0 as usize] = Some(Half { reg, high: false });
                        self.renamed[d.0 as usize] = Some(Half { reg, high: true });
                        insts[at as usize] = None;
                        insts[k] = Some(both);
                        if let Some(place) = open.iter().rposition(|&o| o == at) {
                            open.remove(place);
                        }
                        shared += 1;
                    }
                    None => {
                        insts[k] = Some(i);
                        open.push(k as u32);
                    }
                }
            }
            for v in insts.iter().flatten().flat_map(|i| i.vreg_uses()) {
                if let Some(first) = first_read.get_mut(v.0 as usize) {
                    *first = u32::MAX;
                }
            }
            mf.code[b] = insts.into_iter().flatten().collect();
        }
        shared
    }

    /// Operands that moved to a half of another register.
    fn rename(&self, i: &mut I) {
        for k in 0..i.uses.len() {
            let half = i.uses[k].vreg().and_then(|v| self.renamed.get(v.0 as usize).copied().flatten());
            let (Some(h), Some(takes)) = (half, takes(i, k)) else { continue };
            let field = match takes {
                Takes::NegAbsSwizzle16 => swizzle(h.high, h.high),
                Takes::NegAbsHalf => h.high.into(),
                _ => 1 + u8::from(h.high),
            };
            let SrcMods { neg, abs, .. } = i.uses[k].mods;
            i.uses[k] = Use::reg(h.reg).mods(SrcMods { neg, abs, ..SrcMods::swizzled(field) });
        }
    }

    /// Two instructions as one, the first in the low half.
    fn join(&self, a: &I, b: &I) -> Option<I> {
        if a.op != b.op || a.mods != b.mods {
            return None;
        }
        let mut both = b.clone();
        if rounded(a).is_some() {
            let (x, y) = (a.uses[0].vreg()?, b.uses[0].vreg()?);
            self.near(x, y).then_some(())?;
            both.uses[0] = a.uses[0];
            return Some(both);
        }
        for (u, (x, y)) in both.uses.iter_mut().zip(a.uses.iter().zip(&b.uses)) {
            if x == y {
                continue;
            }
            let same = x.src == y.src && (x.mods.neg, x.mods.abs) == (y.mods.neg, y.mods.abs);
            let field = |u: &U| u.mods.swizzle().filter(|&s| s == 0 || s == 3).map(|s| s == 3);
            let (low, high) = (field(x).filter(|_| same)?, field(y)?);
            u.mods = SrcMods { neg: y.mods.neg, abs: y.mods.abs, ..SrcMods::swizzled(swizzle(low, high)) };
        }
        Some(both)
    }

    /// Whether two floats are a pair: neighbours in what a message gives, or results of two like instructions one behind the other.
    fn near(&self, x: VReg, y: VReg) -> bool {
        match (self.piece[x.0 as usize], self.piece[y.0 as usize]) {
            (Some((a, n)), Some((b, m))) => a == b && n % 2 == 0 && m == n + 1,
            (None, None) => match (self.def[x.0 as usize], self.def[y.0 as usize]) {
                (Some(a), Some(b)) => a.0 == b.0 && a.1 < b.1 && b.1 - a.1 <= NEAR,
                _ => false,
            },
            _ => false,
        }
    }
}

/// Makes copies of what puts the two halves of one register together. Returns how many there were.
fn wholes(mf: &mut MFunc<Valhall>) -> u64 {
    let mut count = 0;
    for i in mf.code.iter_mut().flatten().filter(|i| i.target_op() == Some(VOp::Op(Op::MkvecV2i16))) {
        let (Some(d), [low, high]) = (result(i), i.uses.as_slice()) else { continue };
        let lanes = (SrcMods::swizzled(swizzle(false, false)), SrcMods::swizzled(swizzle(true, true)));
        if low.src == high.src && low.vreg().is_some() && (low.mods, high.mods) == lanes {
            *i = MInst::copy(d, Use::new(low.src)).at(i.loc);
            count += 1;
        }
    }
    count
}

/// Lets colours whose four floats are halves leave as two registers of them. Returns how many did.
fn colours(mf: &mut MFunc<Valhall>) -> u64 {
    let mut half_of: Vec<Option<Half>> = vec![None; mf.classes.len()];
    let mut reads = vec![0u32; mf.classes.len()];
    for i in mf.code.iter().flatten() {
        i.vreg_uses().for_each(|v| reads[v.0 as usize] += 1);
        if let (Some(h), Some(d)) = (widened(i), result(i)) {
            half_of[d.0 as usize] = Some(h);
        }
    }
    let mut changed = 0;
    for b in 0..mf.code.len() {
        let is_blend = |i: &I| i.target_op() == Some(VOp::Op(Op::Blend)) && i.mods.regfmt == RegFormat::F32;
        if !mf.code[b].iter().any(is_blend) {
            continue;
        }
        let mut insts = std::mem::take(&mut mf.code[b]);
        let mut next = 0;
        while next < insts.len() {
            let k = next;
            next += 1;
            let run = insts[k].uses.first().and_then(Use::vreg).filter(|_| is_blend(&insts[k]));
            let Some(run) = run.filter(|r| reads[r.0 as usize] == 1) else { continue };
            let Some(at) = insts[..k].iter().rposition(|i| i.is(Pseudo::Collect) && result(i) == Some(run)) else {
                continue;
            };
            let lanes: Vec<U> = insts[at].uses.iter().filter_map(|u| lane(u, &half_of)).collect();
            let [x, y, z, w] = lanes.as_slice() else { continue };
            let loc = insts[at].loc;
            let mut pair = |a: &U, b: &U| {
                if a.src == b.src && a.vreg().is_some() && (a.mods.swizzle(), b.mods.swizzle()) == (Some(0), Some(3)) {
                    return (Use::new(a.src), None);
                }
                let t = mf.vreg(R);
                (Use::reg(t), Some(build::MkvecV2i16.on([*a, *b]).def(t).at(loc)))
            };
            let (halves, made): (Vec<U>, Vec<Option<I>>) = [pair(x, y), pair(z, w)].into_iter().unzip();
            let run = mf.vreg(run_class(2));
            let blend = &mut insts[k];
            blend.mods.regfmt = RegFormat::F16;
            blend.uses[0] = Use::reg(run).at(PReg::new(FILE_R, 0, 2));
            let new = made.into_iter().flatten().chain([MInst::collect(run, halves).at(loc)]);
            let before = insts.len();
            insts.splice(at..=at, new);
            next += insts.len() - before;
            changed += 1;
        }
        for i in insts.iter_mut().filter(|i| i.target_op() == Some(VOp::Op(Op::Atest))) {
            let u = &mut i.uses[1];
            let half = u.vreg().filter(|_| u.mods == SrcMods::default()).and_then(|v| half_of[v.0 as usize]);
            if let Some(h) = half.filter(|_| changed > 0) {
                *u = Use::reg(h.reg).mods(SrcMods::swizzled(1 + u8::from(h.high)));
            }
        }
        mf.code[b] = insts;
    }
    changed
}

/// A float as a half in both lanes: one that was widened, or a constant that some word of the table has.
fn lane(u: &U, half_of: &[Option<Half>]) -> Option<U> {
    if u.mods != SrcMods::default() || u.part_read().is_some() {
        return None;
    }
    match u.src {
        Src::Reg(Reg::V(v)) => {
            let h = half_of.get(v.0 as usize).copied().flatten()?;
            Some(Use::reg(h.reg).mods(SrcMods::swizzled(swizzle(h.high, h.high))))
        }
        Src::Imm(0) => Some(*u),
        Src::Imm(bits) => table(as_half(bits)?, SrcMods::default()),
        _ => None,
    }
}

/// A half of a word of the table.
fn table(half: u16, mods: SrcMods) -> Option<U> {
    let has = |high: bool| LUT.iter().position(|w| (w >> (16 * u32::from(high))) as u16 == half);
    let (high, n) = [true, false].iter().find_map(|&high| Some((high, has(high)?)))?;
    Some(Use::imm(LUT[n]).mods(mods.or_swizzled(swizzle(high, high))))
}

/// Whether an instruction on halves computes the same in both.
pub(crate) fn is_lone(i: &I) -> bool {
    let Some(VOp::Op(Op::FaddV2f16 | Op::FminV2f16 | Op::FmaxV2f16 | Op::FmaV2f16)) = i.target_op() else {
        return false;
    };
    i.uses.iter().all(|u| match u.src {
        Src::Reg(_) => matches!(u.mods.swizzle(), Some(0 | 3)),
        _ => true,
    })
}
