//! Textures: the tex instructions, whose arguments and results are the same run of registers, and queries as words that the driver
//! puts into c0. What is stored is in `image`.
//!
//! An array of bindings at an index that is not known becomes one instruction for each element and a choice between the results: the
//! instruction names its texture and sampler.

use gpucc_container::TextureFact;
use gpucc_ir::{Diagnostic, Inst, Op as Ir, Res, Tex, TexArg, TexDim, TexLod, TexWhat, Value};
use gpucc_mir::{Def, MInst, Use, VReg};
use gpucc_tesla_machine::{Cond, Op};
use smallvec::{SmallVec, smallvec};

use super::tex_operands::{TexElements, copy_in};
use super::{Isel, IselCx, U, copy};
use crate::builders as build;
use crate::inst::{FLAGS, If, Mods, R32, TOp, Tesla, run_class, slot, zero};
use crate::slots::Word;

type Regs = SmallVec<[VReg; 4]>;

/// The first element that may be meant, how many may be, and the index that says which.
type Elements = (u32, u32, Option<VReg>);

impl Isel<'_> {
    /// Selects any texture or image instruction.
    pub(super) fn image(&mut self, cx: &mut IselCx<'_>, i: Inst, tex: Tex) -> Result<(), Diagnostic> {
        let data = cx.data(i);
        let req = TexElements { tex, data, elements: [0; 2] };
        let mut ways: [Elements; 2] = [(0, 1, None); 2];
        for ((way, arg), of) in
            ways.iter_mut().zip([TexArg::TextureIndex, TexArg::SamplerIndex]).zip([Some(tex.texture), tex.sampler])
        {
            let (Some(v), Some(r)) = (req.get(arg), of) else { continue };
            let count = self.module.resources[r].count.max(1);
            *way = match Self::bits(cx, v) {
                Some(k) => (k.min(count - 1), 1, None),
                None => (0, count, (count > 1).then(|| cx.reg(v))),
            };
        }
        // A combined image and sampler of an array are at one index.
        let alike = ways[0] == ways[1] && ways[0].2.is_some();
        let out = if data.results.is_empty() { Regs::new() } else { cx.result(i, 0).into_iter().collect() };
        let mut found: Option<Regs> = None;
        // The last element stands for all that lie outside.
        for a in (ways[0].0..ways[0].0 + ways[0].1).rev() {
            for b in (ways[1].0..ways[1].0 + ways[1].1).rev().filter(|&b| !alike || a == b) {
                let second = if alike { (0, 1, None) } else { ways[1] };
                let guard = self.chosen(cx, [(a, ways[0]), (b, second)]);
                let one = self.of_element(cx, i, &TexElements { elements: [a, b], ..req }, guard)?;
                found = Some(match (found, guard) {
                    (Some(old), Some(mask)) => {
                        let choose = |(&no, &yes): (&VReg, &VReg)| {
                            self.temp(cx, build::Slct.on([no.into(), yes.into(), mask.into()]))
                        };
                        old.iter().zip(&one).map(choose).collect()
                    }
                    _ => one,
                });
            }
        }
        for (&d, &s) in out.iter().zip(found.iter().flatten()) {
            cx.emit(MInst::copy(d, s));
        }
        Ok(())
    }

    /// The mask of lanes that mean an element of each array.
    fn chosen(&mut self, cx: &mut IselCx<'_>, of: [(u32, Elements); 2]) -> Option<VReg> {
        let mut mask: Option<VReg> = None;
        for (element, (_, count, index)) in of {
            let Some(index) = index else { continue };
            let k = self.literal(element);
            let cond = if element + 1 == count { Cond::GreaterEqual } else { Cond::Equal };
            let is = self.temp(cx, build::Set.with((If(cond),), [index.into(), k]));
            mask = Some(match mask {
                Some(m) => self.temp(cx, build::And.on([m.into(), is.into()])),
                None => is,
            });
        }
        mask
    }

    fn of_element(
        &mut self,
        cx: &mut IselCx<'_>,
        i: Inst,
        req: &TexElements<'_>,
        guard: Option<VReg>,
    ) -> Result<Regs, Diagnostic> {
        match req.tex.desc.what() {
            TexWhat::Sample | TexWhat::Gather | TexWhat::Lod => self.sample(cx, i, req),
            TexWhat::Fetch => self.fetch(cx, i, req),
            TexWhat::Load if !self.is_window(req.tex.texture) => self.fetch(cx, i, req),
            TexWhat::Load | TexWhat::Store | TexWhat::Atomic => self.window_access(cx, i, req, guard),
            TexWhat::Size | TexWhat::Levels | TexWhat::Layers | TexWhat::Samples => self.query(cx, i, req),
        }
    }

    // ---- Pieces ----

    /// The lanes of a value as pieces of a run: constants, words of uniform buffers, registers.
    pub(super) fn lanes(&mut self, cx: &mut IselCx<'_>, v: Value) -> SmallVec<[U; 4]> {
        if let Some(c) = cx.f.as_const(v) {
            return c.bits.iter().map(|&b| Use::imm(b as u32)).collect();
        }
        if !cx.f.ty(v).is_vector() {
            let u = self.any(cx, v);
            return smallvec![if u == zero() { Use::imm(0) } else { u }];
        }
        if let Some(d) = cx.peek(v).filter(|d| d.op == Ir::Compose) {
            return d.args.iter().flat_map(|&a| self.lanes(cx, a)).collect();
        }
        cx.regs(v).into_iter().map(Use::reg).collect()
    }

    /// A fact that the driver gives with a texture, an operand in c0.
    pub(super) fn fact(&mut self, r: Res, element: u32, fact: TextureFact) -> U {
        slot(self.pool.slot(Word::Texture(r, element as u16, fact)))
    }

    /// The result's lanes that are read, at least one.
    fn mask_of(&self, i: Inst, cx: &IselCx<'_>) -> u8 {
        let v = cx.data(i).result();
        match cx.f.ty(v).lanes() {
            4 => self.read.of(v).max(1),
            n => (1 << n) - 1,
        }
    }

    /// Emits a tex instruction on these arguments; gives the components of the mask, and for the others the first of them.
    fn tex(&mut self, cx: &mut IselCx<'_>, op: TOp, args: &[U], level: Option<VReg>, mods: Mods) -> Regs {
        let count = mods.dvec.count_ones() as usize;
        let n = args.len().max(count);
        let class = run_class(n);
        let run = cx.temp(class);
        let mut pieces: SmallVec<[U; 4]> = args.iter().copied().collect();
        for _ in args.len()..n {
            // A register that nobody reads has no value.
            let unset = cx.temp(R32);
            cx.emit(MInst::new(TOp::Unset).def(unset));
            pieces.push(unset.into());
        }
        if let [one] = pieces.as_slice() {
            cx.emit(copy(run, *one));
        } else {
            cx.emit(MInst::collect(run, pieces));
        }
        let found = cx.temp(class);
        let mut inst: MInst<Tesla> = MInst::new(op).arg(run).def(Def::reg(found).tied(0));
        inst.mods = Mods { args: args.len() as u8, ..mods };
        if let Some(level) = level {
            inst = inst.arg(level).def(Def::reg(cx.temp(FLAGS)).early());
        }
        cx.emit(inst);
        let mut parts: Regs = smallvec![found];
        if n > 1 {
            parts = (0..n).map(|_| cx.temp(R32)).collect();
            cx.emit(MInst::split(&parts, found));
        }
        parts.truncate(count);
        let mut next = 0;
        let place = |k: usize| {
            let on = mods.dvec >> k & 1 == 1;
            next += usize::from(on);
            parts[if on { next - 1 } else { 0 }]
        };
        (0..4).map(place).collect()
    }

    /// The numbers of texture and sampler, and texel offsets, for an instruction that gives these components.
    fn mods(&self, req: &TexElements<'_>, mask: u8, cube: bool) -> Mods {
        let number = |r: Res, element: u32| (self.slots[r] as u32 + element) as u8;
        let [x, y, z] = req.tex.desc.offset();
        let axes = req.tex.desc.dim().extent();
        // As drivers fill the fields that do not count.
        let (y, z) = (
            if axes > 1 { y } else { x },
            if axes > 2 {
                z
            } else if axes > 1 {
                y
            } else {
                x
            },
        );
        let texel = if cube { 0 } else { ((x & 15) | (y & 15) << 4 | (z & 15) << 8) as u16 };
        Mods {
            tex: number(req.tex.texture, req.elements[0]),
            samp: req.tex.sampler.map_or(0, |s| number(s, req.elements[1])),
            dvec: mask,
            cube,
            texel,
            ..Mods::default()
        }
    }

    // ---- Samples, fetches, queries ----

    fn sample(&mut self, cx: &mut IselCx<'_>, i: Inst, req: &TexElements<'_>) -> Result<Regs, Diagnostic> {
        let desc = req.tex.desc;
        let cube = desc.dim() == TexDim::Cube;
        let Some(coords) = req.get(TexArg::Coords) else { return Err(cx.unknown(i)) };
        let mut args = self.lanes(cx, coords);
        if let Some(layer) = req.get(TexArg::Layer) {
            args.extend(self.lanes(cx, layer));
        }
        let reference = req.get(TexArg::Reference).map(|r| self.lanes(cx, r));
        let mut level = req.get(TexArg::Level).filter(|_| matches!(desc.lod(), TexLod::Level | TexLod::Bias));
        // Without differences in the quad, level 0.
        if desc.lod() == TexLod::Level
            && !self.derives
            && level.and_then(|v| Self::bits(cx, v)).is_some_and(|b| b << 1 == 0)
        {
            level = None;
        }
        let mut op = match desc.what() {
            TexWhat::Gather => Op::TexGather,
            TexWhat::Lod => Op::TexQueryLod,
            _ if desc.lod() == TexLod::Bias => Op::TexBias,
            _ if level.is_some() => Op::TexLod,
            _ => Op::TexAuto,
        };
        let mask = match desc.what() {
            TexWhat::Gather => 15,
            TexWhat::Lod => 3,
            _ if desc.shadow() => 1,
            _ => self.mask_of(i, cx),
        };
        let mut level = level.map(|v| (v, self.lanes(cx, v)));
        if desc.lod() == TexLod::Zero && self.derives && op == Op::TexAuto && desc.what() == TexWhat::Sample {
            op = Op::TexLod;
            level = Some((coords, smallvec![Use::imm(0)]));
        }
        let mut mods = self.mods(req, mask, cube);
        if cube && args.len() == 4 && (level.is_some() || reference.is_some()) {
            // Five arguments: the cube array as one of faces.
            let prepared = self.tex(cx, TOp::M(Op::TexPrep), &args, None, Mods { dvec: 7, ..mods });
            args = prepared[..3].iter().map(|&r| r.into()).collect();
            mods.cube = false;
        }
        args.extend(reference.into_iter().flatten());
        let mut each = None;
        if let Some((v, words)) = &level {
            let known = matches!(words[0].src, gpucc_mir::Src::Imm(_) | gpucc_mir::Src::Uniform(_));
            if !known && self.plan.uniform.is_divergent(*v) {
                self.levels = true;
                let r = self.limited(cx, words[0]);
                args.push(r.into());
                each = Some(r);
            } else {
                args.push(words[0]);
            }
        }
        let op = if each.is_some() { TOp::EachLevel(op) } else { TOp::M(op) };
        let found = self.tex(cx, op, &args, each, mods);
        if desc.what() == TexWhat::Lod {
            return Ok(found[..2].iter().map(|&r| self.unfixed(cx, r)).collect());
        }
        Ok(found)
    }

    /// A level that compares with itself: no NaN, and no infinity.
    fn limited(&mut self, cx: &mut IselCx<'_>, level: U) -> VReg {
        let most = self.literal(64f32.to_bits());
        let t = self.temp(cx, build::Fmin.on([level, most]));
        let least = self.literal((-64f32).to_bits());
        self.temp(cx, build::Fmax.on([t.into(), least]))
    }

    /// 24.8 fixed point.
    fn unfixed(&mut self, cx: &mut IselCx<'_>, r: VReg) -> VReg {
        use crate::inst::{Of, Reads};
        use gpucc_tesla_machine::Ty;
        let f = self.temp(cx, build::CvtIF.with((Of(Ty::F32), Reads(Ty::S32)), [r.into()]));
        self.temp(cx, build::Fmul.on([f.into(), Use::imm((1.0f32 / 256.0).to_bits())]))
    }

    fn fetch(&mut self, cx: &mut IselCx<'_>, i: Inst, req: &TexElements<'_>) -> Result<Regs, Diagnostic> {
        let Some(coords) = req.get(TexArg::Coords) else { return Err(cx.unknown(i)) };
        let mut args = self.lanes(cx, coords);
        if let Some(layer) = req.get(TexArg::Layer) {
            let most = super::alu::bound(self, cx, layer, 4);
            let mut layer = self.lanes(cx, layer)[0];
            if most > 511 {
                // No texture has so many; what lies outside stays outside.
                if let gpucc_mir::Src::Imm(_) = layer.src {
                    layer = Use::imm(511);
                } else {
                    let k = self.literal(511);
                    let x = self.temp(cx, copy_in(layer));
                    layer = self.temp(cx, build::Min.on([x.into(), k])).into();
                }
            }
            args.push(layer);
        }
        args.push(match req.get(TexArg::Level) {
            Some(v) => self.lanes(cx, v)[0],
            None => Use::imm(0),
        });
        let mods = self.mods(req, self.mask_of(i, cx), false);
        Ok(self.tex(cx, TOp::M(Op::TexFetch), &args, None, mods))
    }

    fn query(&mut self, cx: &mut IselCx<'_>, i: Inst, req: &TexElements<'_>) -> Result<Regs, Diagnostic> {
        let (r, element) = (req.tex.texture, req.elements[0]);
        let load = |s: &mut Self, cx: &mut IselCx<'_>, fact: TextureFact| {
            let w = s.fact(r, element, fact);
            s.temp(cx, build::LdC.on([w]))
        };
        let lanes = cx.f.ty(cx.data(i).result()).lanes();
        Ok(match req.tex.desc.what() {
            TexWhat::Levels => smallvec![load(self, cx, TextureFact::Levels)],
            TexWhat::Layers => smallvec![load(self, cx, TextureFact::Layers)],
            TexWhat::Samples => smallvec![load(self, cx, TextureFact::Samples)],
            _ => {
                let level = req.get(TexArg::Level).filter(|&v| Self::bits(cx, v) != Some(0));
                let sizes: Regs =
                    TextureFact::SIZE.iter().take(lanes as usize).map(|&fact| load(self, cx, fact)).collect();
                let Some(level) = level else { return Ok(sizes) };
                let level = cx.reg(level);
                let last = self.fact(r, element, TextureFact::LastLevel);
                let level = self.temp(cx, build::Max.with((crate::inst::Signed(true),), [level.into(), zero()]));
                let level = self.temp(cx, build::Min.on([level.into(), last]));
                let one = self.literal(1);
                sizes
                    .iter()
                    .map(|&s| {
                        let s = self.temp(cx, build::Shr.on([s.into(), level.into()]));
                        self.temp(cx, build::Max.on([s.into(), one]))
                    })
                    .collect()
            }
        })
    }
}
