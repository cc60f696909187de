//! Textures: samples, fetches, and queries as words that the driver part fills in (`docs/abi-vivante.md` 10).
//!
//! A texture unit is a texture with a sampler; the units of a program are numbered in the order in which they are met. Coordinates, layer
//! and, before HALTI5, bias or level are one register; from HALTI5 on bias and level are an operand of their own.

use gpucc_container::TextureFact;
use gpucc_ir::{Attr, Diagnostic, Inst, Op, Res, TexArg, TexDim, TexLod, TexOperands, TexWhat, Value};
use gpucc_mir::{MInst, Use, VReg};
use gpucc_vivante_machine as machine;
use machine::{Cond, Type};
use smallvec::{SmallVec, smallvec};

use super::alu::IselCx;
use super::operand::{Source, leading};
use super::{Fold, Isel};
use crate::builders as build;
use crate::inst::{ADDRESS, Absent, If, SrcMods, Texel, Ty, Vivante, row};
use crate::query::{answer, facts, key, level_of};
use crate::uniforms::{Key, Word};
use crate::units::UnitKey;

/// Source 2 of a texel fetch (reference 11).
const TXF_WORD: u32 = 0x1100;

/// A lane of a value that goes into an operand.
type Lane = (Value, u8);

impl Isel<'_> {
    /// Selects any instruction on textures.
    pub(super) fn tex(&mut self, cx: &mut IselCx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let Some(req) = TexOperands::of(cx.data(i)) else { return Err(cx.unknown(i)) };
        match req.tex.desc.what() {
            TexWhat::Sample => self.sample(cx, i, &req),
            TexWhat::Fetch => self.fetch(cx, i, &req),
            TexWhat::Lod => self.level_of_quad(cx, i, &req),
            TexWhat::Load | TexWhat::Store | TexWhat::Atomic => self.image(cx, i, &req),
            TexWhat::Size | TexWhat::Levels | TexWhat::Layers | TexWhat::Samples => self.query(cx, i, &req),
            _ => Err(cx.unknown(i)),
        }
    }

    /// Names an element of a resource.
    fn key(&self, r: Res, element: u32) -> Key {
        key(self.module, r, element)
    }

    /// The element that an index is, if it is known; without an index the first.
    fn element(&self, cx: &IselCx<'_>, index: Option<Value>) -> Option<u32> {
        index.map_or(Some(0), |v| cx.f.const_bits(v).map(|k| k as u32))
    }

    /// Elements of a resource.
    fn count(&self, r: Res) -> u32 {
        self.module.resources[r].count.max(1)
    }

    /// The unit of what an instruction asks, and what is to be added to it: an index that all invocations share.
    fn unit(&mut self, cx: &mut IselCx<'_>, req: &TexOperands) -> (u8, Option<VReg>) {
        let (texture, sampler) = (req.tex.texture, req.tex.sampler);
        let (t, s) = (req.get(TexArg::TextureIndex), req.get(TexArg::SamplerIndex));
        let known = |e: Option<u32>, count: u32| e.map_or(0..count, |k| k..k + 1);
        let textures = known(self.element(cx, t), self.count(texture));
        let samplers = known(self.element(cx, s), sampler.map_or(1, |s| self.count(s)));
        let (many_t, many_s) = (self.element(cx, t).is_none(), self.element(cx, s).is_none());
        // A combined image and sampler of an array are at one index.
        let alike = many_t && t == s && textures == samplers;
        let mut block: SmallVec<[UnitKey; 1]> = smallvec![];
        for k in textures {
            let samplers = if alike { k..k + 1 } else { samplers.clone() };
            block.extend(samplers.map(|n| (self.key(texture, k), sampler.map(|s| self.key(s, n)))));
        }
        let at = self.units.windows(block.len()).position(|w| w == &block[..]).unwrap_or_else(|| {
            self.units.extend(block.iter().copied());
            self.units.len() - block.len()
        });
        // Too many are refused behind selection.
        let unit = (self.first_unit as usize + at).min(31) as u8;
        if !many_t && !many_s {
            return (unit, None);
        }
        let mut index: Option<Use<Vivante>> = None;
        for (v, count, many) in [(t, self.count(texture), many_t), (s, samplers.len() as u32, many_s && !alike)] {
            let Some(v) = v.filter(|_| many) else { continue };
            let x = self.clamped(cx, v, count);
            index = Some(match index {
                None => x,
                Some(first) => {
                    let n = self.literal(count);
                    self.temp(cx, 1, build::Imadlo0.with((Ty(Type::S32),), [first, n, x]))
                }
            });
        }
        let a = cx.temp(ADDRESS);
        if let Some(x) = index {
            cx.emit(build::Movai.with((Ty(Type::S32),), [x.mods(x.mods.lane(0))]).def(a));
        }
        (unit, Some(a))
    }

    /// An index of an element, at most the last one where code is to be robust.
    fn clamped(&mut self, cx: &mut IselCx<'_>, v: Value, count: u32) -> Use<Vivante> {
        let x = self.operand_lane(cx, v, 0, Fold::None);
        if !self.module.options.robust {
            return x;
        }
        let most = self.literal(count - 1);
        let x = self.temp(cx, 1, build::Select.with((Ty(Type::U32), If(Cond::Gt)), [x, most, x]));
        x.mods(x.mods.lane(0))
    }

    /// Emits a texture instruction on a unit.
    fn on_unit(cx: &mut IselCx<'_>, (unit, index): (u8, Option<VReg>), dst: VReg, mut inst: MInst<Vivante>) {
        inst.mods.unit = unit;
        inst.mods.unit_indexed = index.is_some();
        inst.uses.extend(index.map(Use::reg));
        cx.emit(inst.def(dst));
    }

    /// Lanes of values as one operand, lane `k` of it the `k`-th; what is left over repeats the last one. `at` says which lane
    /// of the operand each is.
    fn gathered(&mut self, cx: &mut IselCx<'_>, lanes: &[Lane], at: [u8; 4]) -> Use<Vivante> {
        let traced: SmallVec<[Source; 4]> =
            lanes.iter().map(|&(v, k)| self.trace(cx, v, [k; 4], 1, Fold::None)).collect();
        let place = |of: &dyn Fn(usize) -> u8| at.map(|k| of(usize::from(k)));
        let first = traced[0].value;
        if traced.iter().all(|s| s.value == first) && cx.f.as_const(first).is_none() && !cx.f.is_undef(first) {
            let swz = place(&|k| traced[k].swz[0]);
            if let Some(words) = self.uniform_words(cx, first) {
                let last = words.len() as u8 - 1;
                let slot = self.uniforms.slot(words);
                return crate::uniforms::uniform(slot).mods(SrcMods::swizzle(swz.map(|c| c.min(last))));
            }
            let reg = cx.reg(first);
            return Use::reg(reg).mods(SrcMods::swizzle(swz));
        }
        let parts: Vec<Use<Vivante>> =
            lanes.iter().map(|&(v, k)| self.operand_lane(cx, v, u32::from(k), Fold::None)).collect();
        let parts = parts.into_iter().map(|u| self.piece(cx, u)).collect();
        self.collected(cx, parts, at)
    }

    /// One component as a piece of a collection.
    pub(super) fn piece(&self, cx: &IselCx<'_>, u: Use<Vivante>) -> Use<Vivante> {
        match u.vreg() {
            Some(r) if cx.mf.class(r) == row(1) => Use::reg(r),
            Some(r) => Use::reg(r).part(u.mods.swz[0], 1),
            None => u,
        }
    }

    fn collected(&self, cx: &mut IselCx<'_>, parts: Vec<Use<Vivante>>, at: [u8; 4]) -> Use<Vivante> {
        let all = cx.temp(row(parts.len() as u32));
        cx.emit(MInst::collect(all, parts));
        Use::reg(all).mods(SrcMods::swizzle(at))
    }

    /// Lanes of the coordinates, and the layer behind them.
    fn coordinates(&self, cx: &IselCx<'_>, req: &TexOperands) -> Option<SmallVec<[Lane; 4]>> {
        let c = req.get(TexArg::Coords)?;
        let n = cx.f.ty(c).lanes() as u8;
        let mut lanes: SmallVec<[Lane; 4]> = (0..n).map(|k| (c, k)).collect();
        if req.tex.desc.dim() == TexDim::D1 {
            // A line is a row of a plane.
            lanes.push((c, 0));
        }
        lanes.extend(req.get(TexArg::Layer).map(|l| (l, 0)));
        Some(lanes)
    }

    fn sample(&mut self, cx: &mut IselCx<'_>, i: Inst, req: &TexOperands) -> Result<(), Diagnostic> {
        let desc = req.tex.desc;
        let halti5 = self.t.generation == machine::GC7000;
        let Some(lanes) = self.coordinates(cx, req) else { return Err(cx.unknown(i)) };
        let unit = self.unit(cx, req);
        let dst = cx.result(i, 0)[0];
        let n = lanes.len() as u8;
        let plain: [u8; 4] = leading(u32::from(n));
        let reference = req.get(TexArg::Reference).filter(|_| desc.shadow());
        let level = req.get(TexArg::Level).filter(|_| matches!(desc.lod(), TexLod::Level | TexLod::Bias));
        let texel = Texel(if desc.shadow() { [0; 4] } else { [0, 1, 2, 3] });
        if desc.lod() == TexLod::Gradients {
            return self.gradients(cx, i, req, &lanes, (unit, texel));
        }
        let none = Use::imm(0);
        let s2 = match reference {
            Some(r) => self.operand_lane(cx, r, 0, Fold::None),
            None => none,
        };
        let without2 = if reference.is_some() { 0 } else { 4 };
        if desc.lod() == TexLod::Implicit {
            let s0 = self.gathered(cx, &lanes, plain);
            let absent = Absent(if reference.is_some() { 0 } else { 2 });
            Self::on_unit(cx, unit, dst, build::Texld.with((texel, absent), [s0, s2]));
            return Ok(());
        }
        let (s0, s1, absent) = if halti5 {
            let s1 = match level {
                Some(v) => self.operand_lane(cx, v, 0, Fold::None),
                None => self.literal(0),
            };
            (self.gathered(cx, &lanes, plain), s1, without2)
        } else {
            (self.with_level(cx, &lanes, level), none, without2 | 2)
        };
        let mods = (texel, Absent(absent));
        let inst = if desc.lod() == TexLod::Bias {
            build::Texldb.with(mods, [s0, s1, s2])
        } else {
            build::Texldl.with(mods, [s0, s1, s2])
        };
        Self::on_unit(cx, unit, dst, inst);
        Ok(())
    }

    /// Coordinates with a level or a bias in w; level 0 without one.
    fn with_level(&mut self, cx: &mut IselCx<'_>, lanes: &[Lane], level: Option<Value>) -> Use<Vivante> {
        let n = lanes.len() as u8;
        let mut at = leading(u32::from(n));
        at[3] = n;
        if let Some(v) = level {
            let mut all: SmallVec<[Lane; 4]> = lanes.into();
            all.push((v, 0));
            return self.gathered(cx, &all, at);
        }
        let mut parts: Vec<Use<Vivante>> = Vec::new();
        for &(v, k) in lanes {
            let u = self.operand_lane(cx, v, u32::from(k), Fold::None);
            parts.push(self.piece(cx, u));
        }
        parts.push(self.literal(0));
        self.collected(cx, parts, at)
    }

    /// A sample at a level that gradients give: the coordinates of the neighbours.
    fn gradients(
        &mut self,
        cx: &mut IselCx<'_>,
        i: Inst,
        req: &TexOperands,
        lanes: &[Lane],
        (unit, texel): ((u8, Option<VReg>), Texel),
    ) -> Result<(), Diagnostic> {
        let dst = cx.result(i, 0)[0];
        let Some(c) = req.get(TexArg::Coords) else { return Err(cx.unknown(i)) };
        let axes = cx.f.ty(c).lanes();
        let (Some(ddx), Some(ddy)) = (req.get(TexArg::Ddx), req.get(TexArg::Ddy)) else { return Err(cx.unknown(i)) };
        let at = self.operand(cx, c, Fold::Float);
        let [x, y] = if let Some(both) = joint(cx, [ddx, ddy]) {
            // Both neighbours in one register.
            let [k, l] = [at.mods.swz[0], at.mods.swz[1]];
            let at = at.mods(SrcMods { swz: [k, l, k, l], ..at.mods });
            let steps = self.operand(cx, both, Fold::Float);
            let sum = self.temp(cx, 4, build::Add.on([at, steps]));
            [[0, 1, 1, 1], [2, 3, 3, 3]].map(|swz| sum.mods(SrcMods::swizzle(swz)))
        } else {
            [ddx, ddy].map(|d| {
                let step = self.operand(cx, d, Fold::Float);
                self.temp(cx, axes, build::Add.on([at, step]))
            })
        };
        if let Some(r) = req.get(TexArg::Reference).filter(|_| req.tex.desc.shadow()) {
            if self.t.generation != machine::GC7000 {
                return Err(cx.unknown(i));
            }
            let s0 = self.with_level(cx, lanes, Some(r));
            Self::on_unit(cx, unit, dst, build::Texldgpcf.with((texel,), [s0, x, y]));
            return Ok(());
        }
        let s0 = self.gathered(cx, lanes, leading(lanes.len() as u32));
        Self::on_unit(cx, unit, dst, build::Texldd.with((texel,), [s0, x, y]));
        Ok(())
    }

    fn fetch(&mut self, cx: &mut IselCx<'_>, i: Inst, req: &TexOperands) -> Result<(), Diagnostic> {
        let Some(lanes) = self.coordinates(cx, req) else { return Err(cx.unknown(i)) };
        let unit = self.unit(cx, req);
        let dst = cx.result(i, 0)[0];
        let s0 = if req.tex.desc.dim() == TexDim::D1 {
            // The other coordinate is a number of texels, too.
            let x = self.operand_lane(cx, lanes[0].0, 0, Fold::None);
            let parts = vec![self.piece(cx, x), self.literal(0)];
            self.collected(cx, parts, [0, 1, 1, 1])
        } else {
            self.gathered(cx, &lanes, leading(lanes.len() as u32))
        };
        // The level is a float.
        let s1 = match req.get(TexArg::Level).filter(|_| req.tex.desc.lod() == TexLod::Level) {
            None => self.literal(0),
            Some(v) => match cx.f.const_bits(v) {
                Some(k) => self.literal((k as u32 as i32 as f32).to_bits()),
                None => {
                    let x = self.operand_lane(cx, v, 0, Fold::None);
                    self.temp(cx, 1, build::I2f.with((Ty(Type::S32),), [x]))
                }
            },
        };
        Self::on_unit(cx, unit, dst, build::Txf.on([s0, s1, Use::imm(TXF_WORD)]));
        Ok(())
    }

    /// The level that sampling would use, which no instruction gives: half the logarithm of the longer change's square, in texels, and
    /// before it in the limits of sampler and view.
    fn level_of_quad(&mut self, cx: &mut IselCx<'_>, i: Inst, req: &TexOperands) -> Result<(), Diagnostic> {
        let (Some(c), Some(sampler)) = (req.get(TexArg::Coords), req.tex.sampler) else { return Err(cx.unknown(i)) };
        let dst = cx.result(i, 0)[0];
        let n = cx.f.ty(c).lanes();
        let c = Use::reg(cx.reg(c)).mods(SrcMods::swizzle(leading(n)));
        let mut changes = [self.temp(cx, n, build::Dsx.on([c, c])), self.temp(cx, n, build::Dsy.on([c, c]))];
        let cube = req.tex.desc.dim() == TexDim::Cube;
        let extent = if cube { 1 } else { n };
        let size = self.asked(cx, req, &TextureFact::SIZE[..extent as usize]);
        let mut size = self.temp(cx, extent, build::I2f.with((Ty(Type::U32),), [size]));
        let half = self.literal(0.5f32.to_bits());
        if cube {
            // On the plane of the face a change is (d - p * dm) / m, where m is the longest axis; a face is two long.
            let lane = |u: Use<Vivante>, k: u8| u.mods(SrcMods::broadcast(k));
            let size_of = |u: Use<Vivante>, k: u8| u.mods(SrcMods { abs: true, ..SrcMods::broadcast(k) });
            let ones = self.literal(u32::MAX);
            let y = self.temp(cx, 1, build::Cmp.with((If(Cond::Ge),), [size_of(c, 1), size_of(c, 0), ones]));
            let flat = [y, lane(c, 1), lane(c, 0)];
            let flat = self.temp(cx, 1, build::Select.with((Ty(Type::U32), If(Cond::Nz)), flat));
            let z = self.temp(cx, 1, build::Cmp.with((If(Cond::Ge),), [size_of(c, 2), size_of(flat, 0), ones]));
            let along = |me: &Self, cx: &mut IselCx<'_>, u: Use<Vivante>| {
                let choice = [y, lane(u, 1), lane(u, 0)];
                let flat = me.temp(cx, 1, build::Select.with((Ty(Type::U32), If(Cond::Nz)), choice));
                me.temp(cx, 1, build::Select.with((Ty(Type::U32), If(Cond::Nz)), [z, lane(u, 2), flat]))
            };
            let m = along(self, cx, c);
            let inverse = lane(self.temp(cx, 1, build::Rcp.on([lane(m, 0)])), 0);
            let p = self.temp(cx, 3, build::Mul.on([c, inverse]));
            for d in &mut changes {
                let dm = lane(along(self, cx, *d), 0);
                let minus = p.mods(p.mods.negated());
                let rest = self.temp(cx, 3, build::Mad.on([minus, dm, *d]));
                *d = self.temp(cx, 3, build::Mul.on([rest, inverse]));
            }
            size = lane(self.temp(cx, 1, build::Mul.on([size, half])), 0);
        }
        let squares = changes.map(|d| {
            let t = self.temp(cx, n, build::Mul.on([d, size]));
            let lane = |k: usize| t.mods(t.mods.lane(k));
            match n {
                3 => self.temp(cx, 1, build::Dp3.on([t, t])),
                2 => {
                    let first = self.temp(cx, 1, build::Mul.on([lane(0), lane(0)]));
                    self.temp(cx, 1, build::Mad.on([lane(1), lane(1), first]))
                }
                _ => self.temp(cx, 1, build::Mul.on([t, t])),
            }
        });
        let [a, b] = squares;
        let longer = self.temp(cx, 1, build::Select.with((If(Cond::Lt),), [a, b, a]));
        let log = cx.temp(row(1));
        self.transcendental(cx, log, 1, build::Log, longer);
        let plain = self.temp(cx, 1, build::Mul.on([Use::reg(log), half]));
        // Words of a sampler: its least and its greatest level, and whether it filters between levels.
        let element = self.element(cx, req.get(TexArg::SamplerIndex)).unwrap_or(0);
        let key = self.key(sampler, element);
        let asked = [TextureFact::LeastLevel, TextureFact::GreatestLevel, TextureFact::MixesLevels];
        let [least, most, smooth] = asked.map(|fact| self.word(Word::Sampler(key, fact)));
        let v = self.temp(cx, 1, build::Select.with((If(Cond::Lt),), [plain, least, plain]));
        let v = self.temp(cx, 1, build::Select.with((If(Cond::Gt),), [v, most, v]));
        let zero = self.literal(0);
        let v = self.temp(cx, 1, build::Select.with((If(Cond::Lt),), [v, zero, v]));
        let last = self.asked(cx, req, &[TextureFact::LastLevel]);
        let last = self.temp(cx, 1, build::I2f.with((Ty(Type::U32),), [last]));
        let v = self.temp(cx, 1, build::Select.with((If(Cond::Gt),), [v, last, v]));
        let up = self.temp(cx, 1, build::Add.on([v, half]));
        let whole = self.temp(cx, 1, build::Floor.on([up]));
        let v = self.temp(cx, 1, build::Select.with((Ty(Type::U32), If(Cond::Nz)), [smooth, v, whole]));
        let parts = [v, plain].map(|u| self.piece(cx, u));
        cx.emit(MInst::collect(dst, parts));
        Ok(())
    }

    /// Facts of the texture that is asked about, as an operand.
    pub(super) fn asked(&mut self, cx: &mut IselCx<'_>, req: &TexOperands, facts: &[TextureFact]) -> Use<Vivante> {
        let count = facts.len() as u32;
        let index = req.get(TexArg::TextureIndex);
        let elements = self.count(req.tex.texture);
        let mut found = self.facts_as_operand(req, self.element(cx, index).unwrap_or(0), facts);
        if let (None, Some(v)) = (self.element(cx, index), index) {
            // Uniforms cannot be indexed on every chip: one after the other.
            let at = self.clamped(cx, v, elements);
            for k in 1..elements {
                let (number, ones) = (self.literal(k), self.literal(u32::MAX));
                let is = self.temp(cx, 1, build::Cmp.with((Ty(Type::U32), If(Cond::Eq)), [at, number, ones]));
                let other = self.facts_as_operand(req, k, facts);
                let choice = [is.mods(is.mods.lane(0)), other, found];
                found = self.temp(cx, count, build::Select.with((Ty(Type::U32), If(Cond::Nz)), choice));
            }
        }
        found
    }

    fn facts_as_operand(&mut self, req: &TexOperands, element: u32, asked: &[TextureFact]) -> Use<Vivante> {
        let slot = self.uniforms.slot(facts(self.module, req, element, asked));
        crate::uniforms::uniform(slot).mods(SrcMods::swizzle(leading(asked.len() as u32)))
    }

    fn query(&mut self, cx: &mut IselCx<'_>, i: Inst, req: &TexOperands) -> Result<(), Diagnostic> {
        let v = cx.data(i).result();
        let dst: VReg = cx.result(i, 0)[0];
        let n = cx.f.ty(v).lanes();
        let all = self.asked(cx, req, answer(req, n));
        let Some(level) = level_of(cx.f, req) else {
            cx.emit(MInst::copy(dst, all.vreg().map_or(all, Use::reg)));
            return Ok(());
        };
        // The size of a level: the level is clamped to those of the texture, then the size is halved for each.
        let last = self.asked(cx, req, &[TextureFact::LastLevel]);
        let (zero, one) = (self.literal(0), self.literal(1));
        let x = self.operand_lane(cx, level, 0, Fold::None);
        let x = self.temp(cx, 1, build::Select.with((Ty(Type::S32), If(Cond::Lt)), [x, zero, x]));
        let x = self.temp(cx, 1, build::Select.with((Ty(Type::S32), If(Cond::Gt)), [x, last, x]));
        let x = x.mods(SrcMods::broadcast(0));
        let less = self.temp(cx, n, build::Rshift.with((Ty(Type::U32),), [all, x]));
        self.lanewise(cx, dst, n, build::Select.with((Ty(Type::S32), If(Cond::Lt)), [less, one, less]));
        Ok(())
    }
}

/// The vector of four lanes whose halves two gradients are, as `join-gradients` leaves them.
fn joint(cx: &IselCx<'_>, gradients: [Value; 2]) -> Option<Value> {
    let half = |v: Value, lanes: [u8; 2]| {
        let d = cx.f.def_op(v, Op::Shuffle)?;
        let fits = matches!(&d.attr, Attr::Lanes(l) if l[..] == lanes) && cx.f.ty(d.args[0]).lanes() == 4;
        fits.then_some(d.args[0])
    };
    let [first, second] = [half(gradients[0], [0, 1])?, half(gradients[1], [2, 3])?];
    (first == second).then_some(first)
}
