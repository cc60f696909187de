//! Textures, samplers and images: MIMG instructions, and queries as arithmetic on descriptors.
//!
//! An address is a run of vector registers: offset, bias, reference, gradients, coordinates, layer or face, level
//! (`docs/abi-gcn.md`, section 3.1). Descriptors of single bindings are loaded by the program's first instructions; where registers
//! run out the load is repeated instead. An element of an array that is not known is loaded where it is used.

use gpucc_gcn_machine::Op;
use gpucc_ir::{
    AtomicOp, Attr, Diagnostic, Inst, Op as Ir, Res, ResourceKind, TexArg, TexClass, TexDim, TexLod, TexOperands,
    TexWhat, Value,
};
use gpucc_mir::{Class, Def, MInst, Src, Use, VReg};
use smallvec::SmallVec;

use super::{Isel, IselCx};
use crate::builders as build;
use crate::inst::{
    Da, Dmask, Glc, K, Long, MI, OfImage, Offset, Once, Readonly, S, S2, S4, S8, Sbase, U, Unorm, V, V2, op, run_class,
    with,
};
use crate::interface::bindings::{IMAGE, size};

/// 8.0: what a cube's layer counts for beside its face.
const FACES: u32 = 0x4100_0000;
/// Bit 27 of word 0 of an S#: coordinates are cut off. It is for nearest samples; a gather wants the four nearest texels.
const TRUNC_COORD: u32 = 1 << 27;
/// Every sample in its own place: what an FMASK that is not there would say.
const NO_FMASK: u32 = 0x7654_3210;

/// The parts of an address.
type Address = SmallVec<[U; 12]>;

/// The sampling instruction: level, comparison, offset.
fn sample_op(lod: TexLod, compare: bool, offset: bool) -> Op {
    match (lod, compare, offset) {
        (TexLod::Zero, false, false) => Op::ImageSampleLz,
        (TexLod::Zero, false, true) => Op::ImageSampleLzO,
        (TexLod::Zero, true, false) => Op::ImageSampleCLz,
        (TexLod::Zero, true, true) => Op::ImageSampleCLzO,
        (TexLod::Implicit, false, false) => Op::ImageSample,
        (TexLod::Implicit, false, true) => Op::ImageSampleO,
        (TexLod::Implicit, true, false) => Op::ImageSampleC,
        (TexLod::Implicit, true, true) => Op::ImageSampleCO,
        (TexLod::Bias, false, false) => Op::ImageSampleB,
        (TexLod::Bias, false, true) => Op::ImageSampleBO,
        (TexLod::Bias, true, false) => Op::ImageSampleCB,
        (TexLod::Bias, true, true) => Op::ImageSampleCBO,
        (TexLod::Level, false, false) => Op::ImageSampleL,
        (TexLod::Level, false, true) => Op::ImageSampleLO,
        (TexLod::Level, true, false) => Op::ImageSampleCL,
        (TexLod::Level, true, true) => Op::ImageSampleCLO,
        (TexLod::Gradients, false, false) => Op::ImageSampleD,
        (TexLod::Gradients, false, true) => Op::ImageSampleDO,
        (TexLod::Gradients, true, false) => Op::ImageSampleCD,
        (TexLod::Gradients, true, true) => Op::ImageSampleCDO,
    }
}

/// The gather: comparison, offset.
fn gather_op(compare: bool, offset: bool) -> Op {
    match (compare, offset) {
        (false, false) => Op::ImageGather4Lz,
        (false, true) => Op::ImageGather4LzO,
        (true, false) => Op::ImageGather4CLz,
        (true, true) => Op::ImageGather4CLzO,
    }
}

fn image_atomic(k: AtomicOp) -> Op {
    match k {
        AtomicOp::Add => Op::ImageAtomicAdd,
        AtomicOp::Sub => Op::ImageAtomicSub,
        AtomicOp::And => Op::ImageAtomicAnd,
        AtomicOp::Or => Op::ImageAtomicOr,
        AtomicOp::Xor => Op::ImageAtomicXor,
        AtomicOp::SMin => Op::ImageAtomicSmin,
        AtomicOp::SMax => Op::ImageAtomicSmax,
        AtomicOp::UMin => Op::ImageAtomicUmin,
        AtomicOp::UMax => Op::ImageAtomicUmax,
        AtomicOp::Exchange => Op::ImageAtomicSwap,
    }
}

impl Isel<'_> {
    /// Selects any texture or image instruction.
    pub(super) fn image(&mut self, cx: &mut IselCx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let Some(req) = TexOperands::of(cx.data(i)) else { return Err(cx.unknown(i)) };
        match req.tex.desc.what() {
            TexWhat::Sample | TexWhat::Gather | TexWhat::Lod => self.sample(cx, i, &req),
            TexWhat::Fetch | TexWhat::Load => self.fetch(cx, i, &req),
            TexWhat::Store | TexWhat::Atomic => self.write(cx, i, &req),
            TexWhat::Size | TexWhat::Levels | TexWhat::Layers | TexWhat::Samples => self.query(cx, i, &req),
        }
    }

    /// s, t, twice the magnitude of the longest axis, and the face of a direction.
    pub(super) fn cube_coords(&mut self, cx: &mut IselCx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        let of = self.lanes(cx, d.args[0]);
        let out = cx.result(i, 0);
        for (k, o) in [Op::VCubescF32, Op::VCubetcF32, Op::VCubemaF32, Op::VCubeidF32].into_iter().enumerate() {
            let asked = self.axes[d.result()];
            let to = match k {
                2 if !asked.is_none() => asked,
                2 => cx.temp(V),
                _ => out[k],
            };
            self.valu(cx, op(o).def(to).args(of.iter().copied()));
            if k == 2 {
                self.valu(cx, build::VAndB32.on([Use::imm(0x7fff_ffff), to.into()]).def(out[k]));
            }
        }
        Ok(())
    }

    // ---- Descriptors ----

    /// Loads the descriptors that were asked for, as the program begins.
    pub(super) fn load_descriptors(&mut self, cx: &mut IselCx<'_>) {
        let mut list = std::mem::take(&mut self.images.loaded);
        list.sort_unstable_by_key(|l| (l.0, l.1));
        for (group, at, r) in list {
            self.load_descriptor(cx, group, at, None, r);
        }
    }

    /// Loads the descriptor `at` bytes behind the start of a table, and behind that what a register says.
    fn load_descriptor(&mut self, cx: &mut IselCx<'_>, group: u32, at: u32, more: Option<U>, to: VReg) {
        // The field counts bytes on gfx8 and words before.
        let (most, unit) = if self.generation == 2 { (0xfffff, 1) } else { (0xff, 4) };
        let o = if cx.mf.class(to) == S8 { Op::SLoadDwordx8 } else { Op::SLoadDwordx4 };
        let (offset, register) = match more {
            None if at / unit <= most => (at / unit, None),
            None => {
                let t = cx.temp(S);
                cx.emit(build::SMovB32.on([Use::imm(at)]).def(t));
                (0, Some(Use::reg(t)))
            }
            Some(more) => (0, Some(self.scalar_op(cx, Op::SAddU32, more, Use::imm(at)))),
        };
        let mods = (Sbase(self.fixed.table(group) as u8 / 2), Offset(offset), Readonly(true));
        cx.emit(with(op(o).def(to).args(register), mods));
    }

    /// The descriptor of a resource, or of an element of an array of them; `behind` bytes further.
    fn resource_descriptor(&mut self, cx: &mut IselCx<'_>, r: Res, index: Option<Value>, behind: u32) -> VReg {
        let d = &self.module.resources[r];
        let class = if matches!(d.kind, ResourceKind::Sampler { .. }) { S4 } else { S8 };
        let (group, count) = (d.group, d.count.max(1));
        let at = self.images.bindings.at(r) + behind;
        let step = size(d.kind);
        let clamp = self.module.options.robust;
        let known = match index {
            None => Some(0),
            Some(v) => cx.f.const_bits(v).map(|k| k as u32).filter(|&k| k < count || clamp),
        };
        if let Some(k) = known {
            return self.preloaded_descriptor(cx, group, at + k.min(count - 1) * step, class);
        }
        let mut element = match index {
            Some(v) => self.any(cx, v),
            None => Use::imm(0),
        };
        if self.is_vector_reg(cx, &element) {
            // All lanes have the same.
            let t = cx.temp(S);
            cx.emit(build::VReadfirstlaneB32.on([element]).def(t));
            element = Use::reg(t);
        }
        if clamp {
            element = self.scalar_op(cx, Op::SMinU32, element, Use::imm(count - 1));
        }
        let bytes = self.scalar_op(cx, Op::SLshlB32, element, Use::imm(step.trailing_zeros()));
        let to = cx.temp(class);
        self.load_descriptor(cx, group, at, Some(bytes), to);
        to
    }

    /// The register of a descriptor that is loaded as the program begins, or here.
    pub(super) fn preloaded_descriptor(&mut self, cx: &mut IselCx<'_>, group: u32, at: u32, class: Class) -> VReg {
        if let Some(l) = self.images.loaded.iter().find(|l| (l.0, l.1) == (group, at)) {
            return l.2;
        }
        let r = cx.temp(class);
        if self.generation < 2 && at / 4 > 0xff {
            // No field of an instruction holds the offset: loaded here, since what needs a register cannot be loaded again anywhere.
            self.load_descriptor(cx, group, at, None, r);
        } else {
            self.images.loaded.push((group, at, r));
        }
        r
    }

    fn texture(&mut self, cx: &mut IselCx<'_>, req: &TexOperands) -> VReg {
        self.resource_descriptor(cx, req.tex.texture, req.get(TexArg::TextureIndex), 0)
    }

    /// The sampler, as a gather wants it or as it is.
    fn sampler(&mut self, cx: &mut IselCx<'_>, req: &TexOperands, gather: bool) -> Option<VReg> {
        let whole = self.resource_descriptor(cx, req.tex.sampler?, req.get(TexArg::SamplerIndex), 0);
        if !gather {
            return Some(whole);
        }
        let (words, to) = ([(); 4].map(|()| cx.temp(S)), cx.temp(S4));
        cx.emit(MInst::split(&words, whole));
        let first = self.scalar_op(cx, Op::SAndB32, Use::reg(words[0]), Use::imm(!TRUNC_COORD));
        cx.emit(MInst::collect(to, [first, words[1].into(), words[2].into(), words[3].into()]));
        Some(to)
    }

    // ---- Pieces ----

    fn scalar_op(&mut self, cx: &mut IselCx<'_>, o: Op, a: U, b: U) -> U {
        let t = cx.temp(S);
        self.salu(cx, op(o).def(t).arg(a).arg(b));
        Use::reg(t)
    }

    fn vector_op(&mut self, cx: &mut IselCx<'_>, o: Op, args: impl IntoIterator<Item = U>) -> U {
        Use::reg(self.make_v(cx, op(o).args(args)))
    }

    /// Bits of a word of a descriptor.
    fn field(&mut self, cx: &mut IselCx<'_>, of: VReg, word: u8, at: u32, bits: u32) -> U {
        self.scalar_op(cx, Op::SBfeU32, Use::reg(of).part(word, 1), Use::imm(at | bits << 16))
    }

    /// The same, of a field that holds one less.
    fn field_plus_one(&mut self, cx: &mut IselCx<'_>, of: VReg, word: u8, at: u32, bits: u32) -> U {
        let less = self.field(cx, of, word, at, bits);
        self.scalar_op(cx, Op::SAddU32, less, Use::imm(1))
    }

    /// The lanes of a value as operands: constants and scalar registers too.
    pub(super) fn lanes(&mut self, cx: &mut IselCx<'_>, v: Value) -> SmallVec<[U; 4]> {
        if !cx.f.ty(v).is_vector() {
            return smallvec::smallvec![self.any(cx, v)];
        }
        if let Some(c) = cx.f.as_const(v) {
            return c.bits.iter().map(|&b| Use::imm(b as u32)).collect();
        }
        if let Some(d) = self.peek(cx, v).filter(|d| d.op == Ir::Compose) {
            return d.args.iter().map(|&a| self.any(cx, a)).collect();
        }
        cx.regs(v).into_iter().map(Use::reg).collect()
    }

    /// Registers one behind the other.
    fn collected(&mut self, cx: &mut IselCx<'_>, parts: &[U]) -> U {
        if let [one] = parts {
            return self.in_vector(cx, *one);
        }
        // Constants are put where they belong by the moves of the run.
        let parts: Vec<U> =
            parts.iter().map(|p| if matches!(p.src, Src::Imm(_)) { *p } else { self.in_vector(cx, *p) }).collect();
        let run = cx.temp(run_class(parts.len()));
        cx.emit(MInst::collect(run, parts));
        Use::reg(run)
    }

    /// The result's lanes that are read, at least one.
    fn mask_of(&self, i: Inst, cx: &IselCx<'_>) -> u8 {
        match cx.f.ty(cx.data(i).result()).lanes() {
            4 => self.images.read.of(cx.data(i).result()).max(1),
            _ => 1,
        }
    }

    /// Emits what returns the lanes of a mask.
    fn returns(&mut self, cx: &mut IselCx<'_>, i: Inst, mask: u8, inst: MI) {
        let out = cx.result(i, 0);
        let to: SmallVec<[VReg; 4]> = (0..out.len()).filter(|k| mask >> k & 1 == 1).map(|k| out[k]).collect();
        if let [one] = to.as_slice() {
            cx.emit(inst.def(*one));
            return;
        }
        let run = cx.temp(run_class(to.len()));
        cx.emit(inst.def(run));
        cx.emit(MInst::split(&to, run));
    }

    // ---- Samples and gathers ----

    fn sample(&mut self, cx: &mut IselCx<'_>, i: Inst, req: &TexOperands) -> Result<(), Diagnostic> {
        let desc = req.tex.desc;
        let gather = desc.what() == TexWhat::Gather;
        let texture = self.texture(cx, req);
        let mut lod = desc.lod();
        let level = req.get(TexArg::Level).filter(|_| matches!(lod, TexLod::Level | TexLod::Bias));
        if lod == TexLod::Level && level.is_some_and(|v| cx.f.const_bits(v) == Some(0)) {
            lod = TexLod::Zero;
        }
        let [x, y, z] = desc.offset();
        let offset = (x & 63 | (y & 63) << 8 | (z & 63) << 16) as u32;
        let mut address = Address::new();
        if offset != 0 {
            address.push(Use::imm(offset));
        }
        if let (TexLod::Bias, Some(bias)) = (lod, level) {
            address.push(self.any(cx, bias));
        }
        if let Some(reference) = req.get(TexArg::Reference) {
            address.push(self.any(cx, reference));
        }
        let dim = desc.dim();
        if lod == TexLod::Gradients {
            for arg in [TexArg::Ddx, TexArg::Ddy] {
                let Some(v) = req.get(arg) else { return Err(cx.unknown(i)) };
                // Of a cube those of s and t.
                let axes = dim.extent() as usize;
                address.extend(self.lanes(cx, v).into_iter().take(axes));
            }
        }
        let Some(coords) = req.get(TexArg::Coords) else { return Err(cx.unknown(i)) };
        let mut coords = self.lanes(cx, coords);
        if gather && matches!(req.texel_class(self.module), Some(TexClass::Sint | TexClass::Uint)) {
            self.shift_gather_half_texel(cx, texture, &mut coords);
        }
        if let Some(layer) = req.get(TexArg::Layer) {
            let layer = self.layer(cx, layer);
            if dim == TexDim::Cube {
                coords[2] = self.cube_layer(cx, texture, layer, coords[2]);
            } else {
                coords.push(layer);
            }
        }
        address.extend(coords);
        if let (TexLod::Level, Some(level)) = (lod, level) {
            address.push(self.any(cx, level));
        }
        let address = self.collected(cx, &address);
        let Some(sampler) = self.sampler(cx, req, gather) else { return Err(cx.unknown(i)) };
        let (o, mask, dmask) = if desc.what() == TexWhat::Lod {
            (Op::ImageGetLod, 3, 3)
        } else if gather {
            (gather_op(desc.shadow(), offset != 0), 15, 1 << if desc.shadow() { 0 } else { desc.component() })
        } else {
            let mask = self.mask_of(i, cx);
            (sample_op(lod, desc.shadow(), offset != 0), mask, mask)
        };
        let mods = (Dmask(dmask), Da(req.has_layers(self.module)), Readonly(true));
        let inst = with(op(o).arg(address).arg(texture).arg(sampler), mods);
        self.returns(cx, i, mask, inst);
        Ok(())
    }

    /// A layer, rounded to even. What was an integer is whole.
    fn layer(&mut self, cx: &mut IselCx<'_>, v: Value) -> U {
        let whole = cx.f.const_bits(v).is_some()
            || cx.f.def_inst(v).is_some_and(|i| matches!(cx.data(i).op, Ir::U2F | Ir::S2F | Ir::FRoundEven));
        let x = self.any(cx, v);
        if whole && !matches!(x.src, Src::Imm(_)) {
            return x;
        }
        if let Src::Imm(b) = x.src {
            return Use::imm(f32::from_bits(b).round_ties_even().to_bits());
        }
        self.vector_op(cx, Op::VRndneF32, [x])
    }

    /// Face and layer of a cube in one number. The texture unit clamps only their sum, so the layer is clamped here.
    fn cube_layer(&mut self, cx: &mut IselCx<'_>, texture: VReg, layer: U, face: U) -> U {
        let cubes = self.cubes(cx, texture);
        let last = self.scalar_op(cx, Op::SSubU32, cubes, Use::imm(1));
        let last = self.vector_op(cx, Op::VCvtF32U32, [last]);
        let layer = self.vector_op(cx, Op::VMaxF32, [Use::imm(0), layer]);
        let layer = self.vector_op(cx, Op::VMinF32, [last, layer]);
        let face = self.in_vector(cx, face);
        let t = cx.temp(V);
        cx.emit(build::VMadmkF32.with((K(FACES),), [layer, face]).def(t));
        Use::reg(t)
    }

    /// A gather of integers begins half a texel further than one of floats.
    fn shift_gather_half_texel(&mut self, cx: &mut IselCx<'_>, texture: VReg, coords: &mut SmallVec<[U; 4]>) {
        let base = self.field(cx, texture, 3, 12, 4);
        for (c, at) in coords.iter_mut().take(2).zip([0, 14]) {
            let size = self.level_size(cx, texture, (2, at, 14), base);
            let size = self.vector_op(cx, Op::VCvtF32U32, [size]);
            let inverse = self.vector_op(cx, Op::VRcpIflagF32, [size]);
            *c = Use::reg(
                self.make_v(cx, build::VMadF32.with((Long(true),), [Use::imm((-0.5f32).to_bits()), inverse, *c])),
            );
        }
    }

    // ---- Texels by number ----

    /// Coordinates with the offset, and the layer.
    fn place(&mut self, cx: &mut IselCx<'_>, req: &TexOperands) -> Option<SmallVec<[U; 4]>> {
        let mut coords = self.lanes(cx, req.get(TexArg::Coords)?);
        for (c, o) in coords.iter_mut().zip(req.tex.desc.offset()) {
            if o != 0 {
                let t = cx.temp(V);
                self.add(cx, t, Use::imm(o as u32), *c);
                *c = Use::reg(t);
            }
        }
        if let Some(layer) = req.get(TexArg::Layer) {
            coords.push(self.any(cx, layer));
        }
        Some(coords)
    }

    fn fetch(&mut self, cx: &mut IselCx<'_>, i: Inst, req: &TexOperands) -> Result<(), Diagnostic> {
        let desc = req.tex.desc;
        let texture = self.texture(cx, req);
        let Some(mut address) = self.place(cx, req) else { return Err(cx.unknown(i)) };
        let level = req.get(TexArg::Level).filter(|&v| cx.f.const_bits(v) != Some(0) || desc.multisampled());
        let mut o = Op::ImageLoad;
        if let Some(v) = level {
            let v = self.any(cx, v);
            if desc.multisampled() {
                let fragment = self.fragment(cx, req, &address, v);
                address.push(fragment);
            } else {
                o = Op::ImageLoadMip;
                address.push(v);
            }
        }
        let address = self.collected(cx, &address);
        let mask = self.mask_of(i, cx);
        let image = desc.what() == TexWhat::Load;
        let da = req.has_layers(self.module) || image && desc.dim() == TexDim::D3;
        let never = !image || !self.module.resources[req.tex.texture].kind.is_writable();
        let of = OfImage(image.then_some(req.tex.texture).into());
        // Stores of others are seen past the first cache alone.
        let shared = image && self.reg_banks.writes(req.tex.texture);
        let mods = (Dmask(mask), Unorm(true), Da(da), Readonly(never), Glc(shared), of);
        let inst = with(op(o).arg(address).arg(texture), mods);
        self.returns(cx, i, mask, inst);
        Ok(())
    }

    /// Which fragment of a pixel is this sample: four bits of its FMASK, if there is one.
    fn fragment(&mut self, cx: &mut IselCx<'_>, req: &TexOperands, place: &[U], sample: U) -> U {
        let map = self.fragments(cx, req, place);
        if let Src::Imm(n) = sample.src {
            return if n < 8 {
                self.vector_op(cx, Op::VBfeU32, [map.into(), Use::imm(4 * n), Use::imm(3)])
            } else {
                sample
            };
        }
        let at = self.vector_op(cx, Op::VLshlrevB32, [Use::imm(2), sample]);
        let fragment = self.vector_op(cx, Op::VBfeU32, [map.into(), at, Use::imm(3)]);
        // A sample that no pixel has stays one.
        let inside = cx.temp(S2);
        self.valu(cx, build::VCmpGtU32.with((Long(true),), [Use::imm(8), sample]).def(inside));
        Use::reg(self.make_v(cx, build::VCndmaskB32.with((Long(true),), [sample, fragment, inside.into()])))
    }

    /// The map of a pixel's samples to fragments, which all samples of the pixel share.
    fn fragments(&mut self, cx: &mut IselCx<'_>, req: &TexOperands, place: &[U]) -> VReg {
        self.images.once = true;
        let fmask = self.resource_descriptor(cx, req.tex.texture, req.get(TexArg::TextureIndex), IMAGE);
        let parts: Vec<U> = place.iter().map(|&p| self.in_vector(cx, p)).collect();
        let address = cx.temp(run_class(parts.len()));
        cx.emit(with(MInst::collect(address, parts), (Once(true),)));
        let found = cx.temp(V);
        let mods = (Dmask(1), Unorm(true), Da(req.has_layers(self.module)), Once(true), Readonly(true));
        cx.emit(build::ImageLoad.with(mods, [address.into(), fmask.into()]).def(found));
        let there = cx.temp(S2);
        let word = Use::reg(fmask).part(1, 1);
        self.valu(cx, build::VCmpNeU32.with((Long(true), Once(true)), [Use::imm(0), word]).def(there));
        let none = self.make_v(cx, build::VMovB32.with((Once(true),), [Use::imm(NO_FMASK)]));
        self.make_v(cx, build::VCndmaskB32.with((Long(true), Once(true)), [none.into(), found.into(), there.into()]))
    }

    /// Stores and atomics.
    fn write(&mut self, cx: &mut IselCx<'_>, i: Inst, req: &TexOperands) -> Result<(), Diagnostic> {
        let ResourceKind::StorageTexture { dim, format, .. } = self.module.resources[req.tex.texture].kind else {
            return Err(cx.unknown(i));
        };
        let texture = self.texture(cx, req);
        let (Some(value), Some(address)) = (req.get(TexArg::Value), self.place(cx, req)) else {
            return Err(cx.unknown(i));
        };
        let address = self.collected(cx, &address);
        let da = req.has_layers(self.module) || dim == TexDim::D3;
        let one = |k: u32| (Dmask((1 << k) - 1), Unorm(true), Da(da), OfImage(Some(req.tex.texture).into()));
        if let Some(expected) = req.get(TexArg::Reference) {
            // The pair is the new value, then the one expected.
            let (new, expected) = (self.vector(cx, value), self.vector(cx, expected));
            let (pair, result, rest) = (cx.temp(V2), cx.temp(V2), cx.temp(V));
            cx.emit(MInst::collect(pair, [new, expected]));
            let (wanted, old) = (cx.is_used(cx.data(i).result()), cx.result(i, 0)[0]);
            let inst = op(Op::ImageAtomicCmpswap).def(Def::reg(result).tied(0)).arg(pair).arg(address).arg(texture);
            cx.emit(with(with(inst, one(2)), (Glc(wanted),)));
            cx.emit(MInst::split(&[old, rest], result));
            return Ok(());
        }
        let components = if req.tex.desc.what() == TexWhat::Atomic { 1 } else { format.components() };
        let data: SmallVec<[U; 4]> = self.lanes(cx, value).into_iter().take(components as usize).collect();
        let data = self.collected(cx, &data);
        let mods = one(components);
        if let Attr::TexAtomic(k, _) = cx.data(i).attr {
            let wanted = cx.is_used(cx.data(i).result());
            let old = cx.result(i, 0)[0];
            let inst = op(image_atomic(k)).def(Def::reg(old).tied(0)).arg(data).arg(address).arg(texture);
            cx.emit(with(with(inst, mods), (Glc(wanted),)));
        } else {
            cx.emit(build::ImageStore.with(mods, [data, address, texture.into()]));
        }
        Ok(())
    }

    // ---- Queries ----

    /// An extent of a level that is counted from the image's first: `(word, first bit, bits)` hold one less of level 0.
    fn level_size(&mut self, cx: &mut IselCx<'_>, texture: VReg, (word, at, bits): (u8, u32, u32), level: U) -> U {
        let all = self.field_plus_one(cx, texture, word, at, bits);
        if self.is_vector_reg(cx, &level) {
            let less = self.vector_op(cx, Op::VLshrrevB32, [level, all]);
            return self.vector_op(cx, Op::VMaxU32, [Use::imm(1), less]);
        }
        let less = self.scalar_op(cx, Op::SLshrB32, all, level);
        self.scalar_op(cx, Op::SMaxU32, less, Use::imm(1))
    }

    /// Last minus first, and one.
    fn count(&mut self, cx: &mut IselCx<'_>, texture: VReg, word: u8, [first, last]: [u32; 2], bits: u32) -> U {
        let first = self.field(cx, texture, word, first, bits);
        let last = self.field_plus_one(cx, texture, word, last, bits);
        self.scalar_op(cx, Op::SSubU32, last, first)
    }

    fn cubes(&mut self, cx: &mut IselCx<'_>, texture: VReg) -> U {
        let layers = self.count(cx, texture, 5, [0, 13], 13);
        // A sixth, exact for all multiples of six up to 8192.
        let product = self.scalar_op(cx, Op::SMulI32, layers, Use::imm(0xaaab));
        self.scalar_op(cx, Op::SLshrB32, product, Use::imm(18))
    }

    fn query(&mut self, cx: &mut IselCx<'_>, i: Inst, req: &TexOperands) -> Result<(), Diagnostic> {
        let texture = self.texture(cx, req);
        let dim = match self.module.resources[req.tex.texture].kind {
            ResourceKind::Texture { dim, .. } | ResourceKind::StorageTexture { dim, .. } => dim,
            _ => return Err(cx.unknown(i)),
        };
        let answers: SmallVec<[U; 3]> = match req.tex.desc.what() {
            TexWhat::Levels => smallvec::smallvec![self.count(cx, texture, 3, [12, 16], 4)],
            TexWhat::Layers if dim == TexDim::Cube => smallvec::smallvec![self.cubes(cx, texture)],
            TexWhat::Layers => smallvec::smallvec![self.count(cx, texture, 5, [0, 13], 13)],
            TexWhat::Samples => {
                let log = self.field(cx, texture, 3, 16, 4);
                smallvec::smallvec![self.scalar_op(cx, Op::SLshlB32, Use::imm(1), log)]
            }
            _ => {
                let level = self.level(cx, req, texture);
                let axes = [(2, 0, 14), (2, 14, 14), (4, 0, 13)];
                let lanes = req.tex.desc.dim().extent() as usize;
                axes[..lanes].iter().map(|&axis| self.level_size(cx, texture, axis, level)).collect()
            }
        };
        let out = cx.result(i, 0);
        for (&r, x) in out.iter().zip(answers) {
            if cx.mf.class(r) == S {
                cx.emit(MInst::copy(r, x));
            } else {
                self.set(cx, r, x);
            }
        }
        Ok(())
    }

    /// The level that is asked about, clamped to the view and counted from the image's first.
    fn level(&mut self, cx: &mut IselCx<'_>, req: &TexOperands, texture: VReg) -> U {
        // Of several samples the field of levels says something else, and there is one level.
        if req.tex.desc.multisampled() {
            return Use::imm(0);
        }
        let base = self.field(cx, texture, 3, 12, 4);
        let Some(v) = req.get(TexArg::Level).filter(|&v| cx.f.const_bits(v) != Some(0)) else { return base };
        let last = self.field(cx, texture, 3, 16, 4);
        let most = self.scalar_op(cx, Op::SSubU32, last, base);
        let v = self.any(cx, v);
        if self.is_vector_reg(cx, &v) {
            let v = self.vector_op(cx, Op::VMaxI32, [Use::imm(0), v]);
            let v = self.vector_op(cx, Op::VMinI32, [most, v]);
            let t = cx.temp(V);
            self.add(cx, t, base, v);
            return Use::reg(t);
        }
        let v = self.scalar_op(cx, Op::SMaxI32, v, Use::imm(0));
        let v = self.scalar_op(cx, Op::SMinI32, v, most);
        self.scalar_op(cx, Op::SAddU32, v, base)
    }
}
