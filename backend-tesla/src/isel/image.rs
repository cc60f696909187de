//! Storage textures that are written: windows of g[], with the address and the conversion of texels in code
//! (`isa/graphics-tesla.md` 1.4). What lies outside is not stored, and loads as zeros.

use gpucc_container::TextureFact;
use gpucc_ir::{Attr, Diagnostic, Inst, Res, ResourceKind, TexArg, TexDim, TexWhat, Value};
use gpucc_mir::{Def, MInst, Use, VReg};
use gpucc_pipeline::{Code, Format, Layout};
use gpucc_tesla_machine::{Cond, Pred, Round, Ty};
use smallvec::{SmallVec, smallvec};

use super::memory::global_atomic;
use super::tex_operands::{TexElements, copy_in};
use super::{Isel, IselCx, U, high, low};
use crate::builders as build;
use crate::inst::{FLAGS, Half, If, IntoHalf, Of, R32, R64, R128, Reads, Rounding, Sat, Signed, Space, When, zero};

type Regs = SmallVec<[VReg; 4]>;

/// Place and width of the components of a 10-10-10-2 word.
const TEN: [(u32, u32); 4] = [(0, 10), (10, 10), (20, 10), (30, 2)];

fn ones(bits: u32) -> u32 {
    u32::MAX >> (32 - bits)
}

impl Isel<'_> {
    /// Whether a texture is a window of g[].
    pub(super) fn is_window(&self, r: Res) -> bool {
        self.windows[r]
    }

    /// A load, a store or an atomic; `guard` is a mask of the lanes that mean it.
    pub(super) fn window_access(
        &mut self,
        cx: &mut IselCx<'_>,
        i: Inst,
        req: &TexElements<'_>,
        guard: Option<VReg>,
    ) -> Result<Regs, Diagnostic> {
        let r = req.tex.texture;
        let ResourceKind::StorageTexture { dim, format, .. } = self.module.resources[r].kind else {
            return Err(cx.unknown(i));
        };
        let Some(coords) = req.get(TexArg::Coords) else { return Err(cx.unknown(i)) };
        let space = Space((self.slots[r] as u32 + req.elements[0]) as u8);
        let mut place: Regs = SmallVec::new();
        for u in self.lanes(cx, coords) {
            place.push(self.in_register(cx, u));
        }
        if let Some(layer) = req.get(TexArg::Layer) {
            let u = self.lanes(cx, layer)[0];
            place.push(self.in_register(cx, u));
        }
        let inside = self.inside(cx, req, dim, &place, guard);
        let address = self.window_address(cx, req, dim, format.bytes(), &place);
        let held = When(Pred::NotZero);
        let bytes = format.bytes();
        let (class, t) = match bytes {
            1 => (R32, Ty::U8),
            2 => (R32, Ty::U16),
            4 => (R32, Ty::B32),
            8 => (R64, Ty::B64),
            _ => (R128, Ty::B128),
        };
        let words = bytes.div_ceil(4) as usize;
        match (req.tex.desc.what(), &req.data.attr) {
            (TexWhat::Atomic, Attr::TexAtomic(op, _)) => {
                let Some(value) = req.get(TexArg::Value) else { return Err(cx.unknown(i)) };
                let mut v: U = cx.reg(value).into();
                if *op == gpucc_ir::AtomicOp::Sub {
                    v = self.temp(cx, build::Sub.on([zero(), v])).into();
                }
                let (none, old) = (cx.temp(R32), cx.temp(R32));
                cx.emit(MInst::copy(none, U::imm(0)));
                // The values of lanes without a texel stand behind the operands and their predicate.
                let (mut atomic, behind) = match req.get(TexArg::Reference) {
                    Some(expected) => {
                        let expected = cx.reg(expected).into();
                        (build::AtomCas.with((space,), [address.into(), expected, v]), 4)
                    }
                    None => (global_atomic(*op, true, space, [address.into(), v]), 3),
                };
                atomic.mods.pred = held.0;
                cx.emit(atomic.arg(inside).arg(none).def(Def::reg(old).tied(behind)));
                Ok(smallvec![old])
            }
            (TexWhat::Store, _) => {
                let Some(value) = req.get(TexArg::Value) else { return Err(cx.unknown(i)) };
                let given = self.lanes(cx, value);
                let data = self.encoded(cx, format, &given);
                let whole = if words == 1 {
                    data[0]
                } else {
                    let c = cx.temp(class);
                    cx.emit(MInst::collect(c, data.iter().map(|&p| U::reg(p))));
                    c
                };
                cx.emit(build::StG.with((space, Of(t), held), [address.into(), whole.into()]).arg(inside));
                Ok(SmallVec::new())
            }
            _ => {
                let none = cx.temp(class);
                match words {
                    1 => cx.emit(MInst::copy(none, U::imm(0))),
                    n => cx.emit(MInst::collect(none, (0..n).map(|_| U::imm(0)))),
                }
                let raw = cx.temp(class);
                let load = build::LdG.with((space, Of(t), held), [address.into()]).arg(inside).arg(none);
                cx.emit(load.def(Def::reg(raw).tied(2)));
                let mut parts: Regs = smallvec![raw];
                if words > 1 {
                    parts = (0..words).map(|_| cx.temp(R32)).collect();
                    cx.emit(MInst::split(&parts, raw));
                }
                let texel = self.decoded(cx, format, &parts);
                // Outside the components that a format lacks are zeros, too.
                Ok(texel.iter().map(|&u| self.in_register(cx, u)).collect())
            }
        }
    }

    fn in_register(&mut self, cx: &mut IselCx<'_>, u: U) -> VReg {
        match u.vreg() {
            Some(v) => v,
            None if u == zero() => self.temp(cx, MInst::pseudo(gpucc_mir::Pseudo::Copy).arg(U::imm(0))),
            None => match u.src {
                gpucc_mir::Src::Imm(_) => self.temp(cx, MInst::pseudo(gpucc_mir::Pseudo::Copy).arg(u)),
                _ => self.temp(cx, copy_in(u)),
            },
        }
    }

    /// Flags of the lanes whose place is in the texture: not zero where it is.
    fn inside(
        &mut self,
        cx: &mut IselCx<'_>,
        req: &TexElements<'_>,
        dim: TexDim,
        place: &Regs,
        guard: Option<VReg>,
    ) -> VReg {
        let mut limits: SmallVec<[TextureFact; 4]> = smallvec![TextureFact::Width];
        if dim != TexDim::D1 {
            limits.push(TextureFact::Height);
        }
        if place.len() > limits.len() {
            limits.push(if dim == TexDim::D3 { TextureFact::Depth } else { TextureFact::Layers });
        }
        let mut all = guard;
        for (&v, fact) in place.iter().zip(limits) {
            let size = self.fact(req.tex.texture, req.elements[0], fact);
            let is = self.temp(cx, build::Set.with((If(Cond::Less),), [v.into(), size]));
            all = Some(match all {
                Some(m) => self.temp(cx, build::And.on([m.into(), is.into()])),
                None => is,
            });
        }
        let flags = cx.temp(FLAGS);
        if let Some(m) = all {
            cx.emit(build::And.on([m.into(), m.into()]).def(flags));
        }
        flags
    }

    /// The address of a texel of `bytes` bytes: row and byte of the row where there is one slice, else where it lies in the tiles.
    fn window_address(
        &mut self,
        cx: &mut IselCx<'_>,
        req: &TexElements<'_>,
        dim: TexDim,
        bytes: u32,
        place: &Regs,
    ) -> VReg {
        let (r, element) = (req.tex.texture, req.elements[0]);
        let up = bytes.trailing_zeros();
        let x = if up == 0 { place[0] } else { self.shift(cx, build::Shl, place[0].into(), up) };
        let layered = req.get(TexArg::Layer).is_some();
        if dim == TexDim::D1 && !layered {
            return x;
        }
        if dim == TexDim::D2 && !layered {
            let y = self.shift(cx, build::Shl, place[1].into(), 16);
            return self.temp(cx, build::Add.on([x.into(), y.into()]));
        }
        let fact = |s: &mut Self, fact: TextureFact| s.fact(r, element, fact);
        // A row of an array of rows.
        let row = (dim != TexDim::D1).then(|| place[1]);
        let last = place[place.len() - 1];
        let mut tile = self.shift(cx, build::Shr, x.into(), 6);
        let mut inner: Option<VReg> = None;
        if let Some(y) = row {
            let (rows, across) = (fact(self, TextureFact::TileRows), fact(self, TextureFact::RowTiles));
            let of = self.temp(cx, build::Shr.on([y.into(), rows]));
            tile = self.temp(cx, build::MadU24.on([of.into(), across, tile.into()]));
            let start = self.temp(cx, build::Shl.on([of.into(), rows]));
            inner = Some(self.temp(cx, build::Sub.on([y.into(), start.into()])));
        }
        let mut slice = last;
        if dim == TexDim::D3 {
            let (slices, rows) = (fact(self, TextureFact::TileSlices), fact(self, TextureFact::TileRows));
            slice = self.temp(cx, build::Shr.on([last.into(), slices]));
            let start = self.temp(cx, build::Shl.on([slice.into(), slices]));
            let within = self.temp(cx, build::Sub.on([last.into(), start.into()]));
            let above = self.temp(cx, build::Shl.on([within.into(), rows]));
            inner = inner.map(|i| self.temp(cx, build::Add.on([i.into(), above.into()])));
        }
        let size = fact(self, TextureFact::TileBytes);
        let mut sum = self.temp(cx, build::Shl.on([tile.into(), size]));
        if let Some(i) = inner {
            let i = self.shift(cx, build::Shl, i.into(), 6);
            sum = self.temp(cx, build::Add.on([sum.into(), i.into()]));
        }
        let rest = self.temp(cx, build::And.on([x.into(), Use::imm(63)]));
        sum = self.temp(cx, build::Add.on([sum.into(), rest.into()]));
        let stride = fact(self, TextureFact::LayerBytes);
        let stride = self.temp(cx, build::LdC.on([stride]));
        let behind = self.mul32(cx, slice, stride);
        self.temp(cx, build::Add.on([sum.into(), behind.into()]))
    }

    // ---- Texels ----

    /// The words of a texel.
    fn encoded(&mut self, cx: &mut IselCx<'_>, format: Format, given: &[U]) -> Regs {
        let count = format.components() as usize;
        let mut v: Regs = SmallVec::new();
        for &u in given.iter().take(count) {
            v.push(self.in_register(cx, u));
        }
        match format.layout() {
            Layout::Array(_, 32) => v,
            Layout::Array(Code::Float, _) => v
                .chunks(2)
                .map(|pair| {
                    let t = self.half(cx, pair[0], Half::Low, None);
                    pair.get(1).map_or(t, |&h| self.half(cx, h, Half::High, Some(t)))
                })
                .collect(),
            Layout::Array(code, bits) => {
                let each = 32 / bits as usize;
                let codes: Regs = v.iter().map(|&x| self.code(cx, code, x, bits)).collect();
                codes.chunks(each).map(|part| self.joined(cx, part.iter().zip((0..).step_by(bits as usize)))).collect()
            }
            Layout::Bgra(code) => {
                let codes: Regs = v.iter().map(|&x| self.code(cx, code, x, 8)).collect();
                smallvec![self.joined(cx, codes.iter().zip([16, 8, 0, 24]))]
            }
            Layout::Rgb10a2(code) => {
                let codes: Regs = v.iter().zip(TEN).map(|(&x, (_, bits))| self.code(cx, code, x, bits)).collect();
                smallvec![self.joined(cx, codes.iter().zip(TEN.map(|t| t.0)))]
            }
            _ => {
                let codes: Regs = v.iter().zip([6, 6, 5]).map(|(&x, m)| self.small_float(cx, x, m)).collect();
                smallvec![self.joined(cx, codes.iter().zip([0, 11, 22]))]
            }
        }
    }

    fn joined<'a>(&mut self, cx: &mut IselCx<'_>, parts: impl Iterator<Item = (&'a VReg, u32)>) -> VReg {
        let mut all: Option<VReg> = None;
        for (&p, at) in parts {
            let p = if at == 0 { p } else { self.shift(cx, build::Shl, p.into(), at) };
            all = Some(all.map_or(p, |a| self.temp(cx, build::Or.on([a.into(), p.into()]))));
        }
        all.unwrap_or_else(|| cx.temp(R32))
    }

    /// A component as a code of so many bits.
    fn code(&mut self, cx: &mut IselCx<'_>, code: Code, x: VReg, bits: u32) -> VReg {
        match code {
            Code::Uint => {
                let most = self.literal(ones(bits));
                self.temp(cx, build::Min.on([x.into(), most]))
            }
            Code::Sint => {
                let top = ones(bits - 1);
                self.signed_code(cx, x, top, !top, bits)
            }
            Code::Snorm => {
                let top = ones(bits - 1);
                let scaled = self.temp(cx, build::Fmul.on([x.into(), Use::imm((top as f32).to_bits())]));
                let n = self.temp(cx, build::CvtFI.with((Of(Ty::S32), Reads(Ty::F32)), [scaled.into()]));
                self.signed_code(cx, n, top, top.wrapping_neg(), bits)
            }
            _ => {
                let x = self.temp(cx, build::CvtFF.with((Of(Ty::F32), Reads(Ty::F32), Sat(true)), [x.into()]));
                let scaled = self.temp(cx, build::Fmul.on([x.into(), Use::imm((ones(bits) as f32).to_bits())]));
                self.temp(
                    cx,
                    build::CvtFI.with((Of(Ty::U32), Reads(Ty::F32), Rounding(Round::Nearest)), [scaled.into()]),
                )
            }
        }
    }

    fn signed_code(&mut self, cx: &mut IselCx<'_>, x: VReg, most: u32, least: u32, bits: u32) -> VReg {
        let (most, least) = (self.literal(most), self.literal(least));
        let x = self.temp(cx, build::Min.with((Signed(true),), [x.into(), most]));
        let x = self.temp(cx, build::Max.with((Signed(true),), [x.into(), least]));
        self.temp(cx, build::And.on([x.into(), Use::imm(ones(bits))]))
    }

    fn half(&mut self, cx: &mut IselCx<'_>, x: VReg, half: Half, into: Option<VReg>) -> VReg {
        let d = cx.temp(R32);
        let i = build::CvtFF.with((Of(Ty::F16), Reads(Ty::F32), IntoHalf(half)), [x.into()]);
        cx.emit(match into {
            Some(old) => i.arg(old).def(Def::reg(d).tied(1)),
            None => i.def(d),
        });
        d
    }

    /// A float without sign, with five bits of exponent and `m` of fraction: to nearest, finite ones up to the largest finite one.
    fn small_float(&mut self, cx: &mut IselCx<'_>, x: VReg, m: u32) -> VReg {
        let drop = 23 - m;
        // Rounded to even in the bits of the f32; below 2^-14 by a sum whose last place is that of the code.
        let odd = self.shift(cx, build::Shr, x.into(), drop);
        let odd = self.temp(cx, build::And.on([odd.into(), Use::imm(1)]));
        let near = self.temp(cx, build::Add.on([x.into(), Use::imm(ones(drop) >> 1)]));
        let near = self.temp(cx, build::Add.on([near.into(), odd.into()]));
        let near = self.temp(cx, build::And.on([near.into(), Use::imm(!ones(drop))]));
        // The last place of a code below is 2^(-14 - m), that of a float from 2^(9 - m) is the same.
        let magic = self.literal((2f32.powi(9 - m as i32)).to_bits());
        let tiny = self.temp(cx, build::Fadd.on([x.into(), magic]));
        let bits = self.literal((2f32.powi(9 - m as i32)).to_bits());
        let tiny = self.temp(cx, build::Sub.on([tiny.into(), bits]));
        // f32 exponents begin 112 lower than those of the code.
        let normal = self.shift(cx, build::Shr, near.into(), drop);
        let normal = self.temp(cx, build::Add.on([normal.into(), Use::imm((112u32 << m).wrapping_neg())]));
        let least = self.literal((2f32.powi(-14)).to_bits());
        let is_tiny = self.temp(cx, build::Set.with((If(Cond::Less),), [x.into(), least]));
        let code = self.temp(cx, build::Slct.on([normal.into(), tiny.into(), is_tiny.into()]));
        let infinity = 31 << m;
        let most = self.literal(infinity - 1);
        let code = self.temp(cx, build::Min.on([code.into(), most]));
        let inf = self.literal(f32::INFINITY.to_bits());
        let is_inf = self.temp(cx, build::Set.with((If(Cond::Equal),), [x.into(), inf]));
        let top = self.literal(infinity);
        let code = self.temp(cx, build::Slct.on([code.into(), top, is_inf.into()]));
        let is_less = self.temp(cx, build::Set.with((If(Cond::Less), Signed(true)), [x.into(), zero()]));
        let code = self.temp(cx, build::Slct.on([code.into(), zero(), is_less.into()]));
        let is_nan = self.temp(cx, build::Fset.with((If(Cond::Unordered),), [x.into(), x.into()]));
        let nan = self.literal(infinity | 1 << (m - 1));
        self.temp(cx, build::Slct.on([code.into(), nan, is_nan.into()]))
    }

    /// The components of a texel in words.
    fn decoded(&mut self, cx: &mut IselCx<'_>, format: Format, words: &[VReg]) -> SmallVec<[U; 4]> {
        let mut out: SmallVec<[U; 4]> = SmallVec::new();
        let fields: SmallVec<[(usize, u32, u32, Code); 4]> = match format.layout() {
            Layout::Array(code, bits) => {
                (0..format.components()).map(|k| ((k * bits / 32) as usize, k * bits % 32, bits, code)).collect()
            }
            Layout::Bgra(code) => [16, 8, 0, 24].iter().map(|&at| (0, at, 8, code)).collect(),
            Layout::Rgb10a2(code) => TEN.iter().map(|&(at, bits)| (0, at, bits, code)).collect(),
            _ => [(0, 11), (11, 11), (22, 10)].iter().map(|&(at, bits)| (0, at, bits, Code::Float)).collect(),
        };
        for (w, at, bits, code) in fields {
            let v = self.component(cx, words[w], at, bits, code);
            out.push(v.into());
        }
        let integer =
            matches!(format.layout(), Layout::Array(Code::Uint | Code::Sint, _) | Layout::Rgb10a2(Code::Uint));
        let one = if integer { 1 } else { 1f32.to_bits() };
        while out.len() < 4 {
            out.push(Use::imm(if out.len() == 3 { one } else { 0 }));
        }
        out
    }

    fn component(&mut self, cx: &mut IselCx<'_>, word: VReg, at: u32, bits: u32, code: Code) -> VReg {
        if bits == 32 {
            return word;
        }
        if code == Code::Float && bits == 16 {
            let u = if at == 0 { low(word) } else { high(word) };
            return self.temp(cx, build::CvtFF.with((Of(Ty::F32), Reads(Ty::F16)), [u]));
        }
        let signed = matches!(code, Code::Sint | Code::Snorm);
        let top = if at + bits == 32 { word } else { self.shift(cx, build::Shl, word.into(), 32 - bits - at) };
        if code == Code::Float {
            // As the top of a half: the sign is 0.
            let half = self.shift(cx, build::Shr, top.into(), 17);
            return self.temp(cx, build::CvtFF.with((Of(Ty::F32), Reads(Ty::F16)), [low(half)]));
        }
        let v = self.temp(cx, build::Shr.with((Signed(signed),), [top.into(), Use::imm(32 - bits)]));
        match code {
            Code::Unorm | Code::Srgb => self.fraction(cx, v, ones(bits), Ty::U32),
            Code::Snorm => {
                let f = self.fraction(cx, v, ones(bits - 1), Ty::S32);
                let least = self.literal((-1f32).to_bits());
                self.temp(cx, build::Fmax.on([f.into(), least]))
            }
            _ => v,
        }
    }

    fn fraction(&mut self, cx: &mut IselCx<'_>, v: VReg, of: u32, ty: Ty) -> VReg {
        let f = self.temp(cx, build::CvtIF.with((Of(Ty::F32), Reads(ty)), [v.into()]));
        self.temp(cx, build::Fmul.on([f.into(), Use::imm((1.0 / f64::from(of) as f32).to_bits())]))
    }

    /// s, t, twice the magnitude of the longest axis, and the face of a direction.
    pub(super) fn cube_coords(&mut self, cx: &mut IselCx<'_>, i: Inst, of: Value) {
        let mut d: Regs = SmallVec::new();
        for u in self.lanes(cx, of) {
            d.push(self.in_register(cx, u));
        }
        let (x, y, z) = (d[0], d[1], d[2]);
        let abs = |v: VReg| Self::signed(v.into(), true, false);
        let xy = self.temp(cx, build::Fmax.on([abs(x), abs(y)]));
        let is_z = self.temp(cx, build::Fset.with((If(Cond::GreaterEqual),), [abs(z), xy.into()]));
        let is_y = self.temp(cx, build::Fset.with((If(Cond::GreaterEqual),), [abs(y), abs(x)]));
        let pick = |s: &mut Self, cx: &mut IselCx<'_>, [vx, vy, vz]: [VReg; 3]| {
            let t = s.temp(cx, build::Slct.on([vx.into(), vy.into(), is_y.into()]));
            s.temp(cx, build::Slct.on([t.into(), vz.into(), is_z.into()]))
        };
        let top = Use::imm(0x8000_0000);
        let sign = |s: &mut Self, cx: &mut IselCx<'_>, v: VReg| s.temp(cx, build::And.on([v.into(), top]));
        let flip = |s: &mut Self, cx: &mut IselCx<'_>, v: VReg, by: U| s.temp(cx, build::Xor.on([v.into(), by]));
        let [sx, sy, sz] = [x, y, z].map(|v| sign(self, cx, v));
        let (nz, ny) = (flip(self, cx, z, top), flip(self, cx, y, top));
        let s_x = flip(self, cx, nz, sx.into());
        let s_z = flip(self, cx, x, sz.into());
        let t_y = flip(self, cx, z, sy.into());
        let s = pick(self, cx, [s_x, x, s_z]);
        let t = pick(self, cx, [ny, t_y, ny]);
        let major = pick(self, cx, [x, y, z]);
        let twice = self.temp(cx, build::Fadd.on([major.into(), major.into()]));
        let twice = self.temp(cx, build::And.on([twice.into(), Use::imm(0x7fff_ffff)]));
        let faces = [0f32, 2.0, 4.0].map(|f| self.temp(cx, copy_of(f)));
        let face = pick(self, cx, faces);
        let negative = self.temp(cx, build::Shr.with((Signed(true),), [major.into(), Use::imm(31)]));
        let one = self.temp(cx, build::And.on([negative.into(), Use::imm(1f32.to_bits())]));
        let face = self.temp(cx, build::Fadd.on([face.into(), one.into()]));
        let out = cx.result(i, 0);
        for (&d, v) in out.iter().zip([s, t, twice, face]) {
            cx.emit(MInst::copy(d, v));
        }
    }
}

fn copy_of(f: f32) -> MInst<crate::inst::Tesla> {
    MInst::pseudo(gpucc_mir::Pseudo::Copy).arg(U::imm(f.to_bits()))
}
