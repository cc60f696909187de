//! Storage textures (`docs/abi-vivante.md` 10): texels are elements of memory, which LOAD and STORE convert between bytes and words. Code
//! finds them in the tiled surface and converts their components.
//!
//! Texels outside of the surface are redirected to spare words behind it that hold zeros: a store writes zeros there, a load gives zero.

use gpucc_container::TextureFact;
use gpucc_ir::{AtomicOp, Attr, Diagnostic, Inst, ResourceKind, TexArg, TexOperands, TexWhat, Value};
use gpucc_mir::{MInst, Use};
use gpucc_pipeline::{Code, Format, Layout};
use gpucc_vivante_machine as machine;
use machine::{Cond, Type};

use super::alu::IselCx;
use super::operand::leading;
use super::{Fold, Isel};
use crate::builders as build;
use crate::inst::{If, Lanes, Sat, SrcMods, Ty, Vivante, run};

/// Where the texels of a storage texture lie.
const PLACE: [TextureFact; 4] =
    [TextureFact::Address, TextureFact::RowBytes, TextureFact::LayerBytes, TextureFact::SpareBytes];
/// Where the components of a word of 10-10-10-2 bits lie, and the greatest of each.
const TEN: ([u32; 4], [u32; 4]) = ([0, 10, 20, 30], [1023, 1023, 1023, 3]);
/// The same of unsigned floats, and bits that their mantissas are shorter by than those of f32.
const SMALL: ([u32; 3], [u32; 3]) = ([0, 11, 22], [17, 17, 18]);

type Operand = Use<Vivante>;

fn one(u: Operand, k: usize) -> Operand {
    u.mods(u.mods.lane(k))
}

/// The type of an element of so many bytes, as LOAD reads it.
fn element(code: Code, bits: u32) -> Type {
    match (bits, matches!(code, Code::Sint | Code::Snorm)) {
        (8, true) => Type::S8,
        (8, false) => Type::U8,
        (16, true) => Type::S16,
        (16, false) => Type::U16,
        _ => Type::U32,
    }
}

/// Elements of a texel in memory: how they are coded, and how many bits and components.
fn elements(format: Format) -> (Code, u32, u32) {
    match format.layout() {
        Layout::Array(code, bits) => (code, bits, format.components()),
        Layout::Bgra(code) => (code, 8, 4),
        _ => (Code::Uint, 32, 1),
    }
}

impl Isel<'_> {
    /// A load, a store or an atomic of a texel.
    pub(super) fn image(&mut self, cx: &mut IselCx<'_>, i: Inst, req: &TexOperands) -> Result<(), Diagnostic> {
        let ResourceKind::StorageTexture { format, .. } = self.module.resources[req.tex.texture].kind else {
            return Err(cx.unknown(i));
        };
        let Some(c) = req.get(TexArg::Coords) else { return Err(cx.unknown(i)) };
        let place = self.asked(cx, req, &PLACE);
        let (inside, offset) = self.texel_place(cx, req, c, format.bytes(), place);
        let (code, bits, n) = elements(format);
        let base = one(place, 0);
        if req.tex.desc.what() == TexWhat::Store {
            let Some(v) = req.get(TexArg::Value) else { return Err(cx.unknown(i)) };
            let words = self.encoded(cx, v, format);
            let zero = self.literal(0);
            let words = self.temp(cx, n, build::Select.with((Ty(Type::U32), If(Cond::Nz)), [inside, words, zero]));
            let mods = (Ty(element(Code::Uint, bits)), Lanes(n as u8));
            cx.emit(build::Store.with(mods, [base, offset, words]));
            return Ok(());
        }
        if let Attr::TexAtomic(op, _) = cx.data(i).attr {
            return self.texel_atomic(cx, i, req, op, (inside, [base, offset]));
        }
        let raw = cx.temp(run(n));
        cx.emit(build::Load.with((Ty(element(code, bits)),), [base, offset]).def(raw));
        let raw = Use::reg(raw).mods(SrcMods::swizzle(leading(n)));
        let texel = self.decoded(cx, raw, format);
        let (dst, zero) = (cx.result(i, 0)[0], self.literal(0));
        self.lanewise(cx, dst, 4, build::Select.with((Ty(Type::U32), If(Cond::Nz)), [inside, texel, zero]));
        Ok(())
    }

    /// An atomic on a texel of one word. Of zero, which the spare words hold, every change by zero makes zero.
    fn texel_atomic(
        &mut self,
        cx: &mut IselCx<'_>,
        i: Inst,
        req: &TexOperands,
        op: AtomicOp,
        (inside, [base, offset]): (Operand, [Operand; 2]),
    ) -> Result<(), Diagnostic> {
        let Some(v) = req.get(TexArg::Value) else { return Err(cx.unknown(i)) };
        let (value, zero) = (self.operand(cx, v, Fold::None), self.literal(0));
        let select = build::Select.with((Ty(Type::U32), If(Cond::Nz)), [inside, value, zero]);
        let value = one(self.temp(cx, 1, select), 0);
        let dst = cx.result(i, 0)[0];
        match req.get(TexArg::Reference) {
            None => self.changed(cx, op, [base, offset, value], dst),
            Some(c) => {
                let compared = self.operand(cx, c, Fold::None);
                self.exchanged(cx, [base, offset], vec![compared, value], dst);
            }
        }
        Ok(())
    }

    /// Whether a texel lies inside, and its offset; that of the spare words if it does not.
    fn texel_place(
        &mut self,
        cx: &mut IselCx<'_>,
        req: &TexOperands,
        c: Value,
        bytes: u32,
        place: Operand,
    ) -> (Operand, Operand) {
        let n = cx.f.ty(c).lanes();
        let ones = self.literal(u32::MAX);
        let size = self.asked(cx, req, &TextureFact::SIZE[..n as usize]);
        let at = self.operand(cx, c, Fold::None);
        let lies = self.temp(cx, n, build::Cmp.with((Ty(Type::U32), If(Cond::Lt)), [at, size, ones]));
        let mut inside = one(lies, 0);
        for k in 1..n as usize {
            let both = self.temp(cx, 1, build::And.with((Ty(Type::U32),), [inside, one(lies, k)]));
            inside = one(both, 0);
        }
        // The third coordinate, or the layer.
        let mut slice = (n > 2).then(|| one(at, 2));
        if let Some(l) = req.get(TexArg::Layer) {
            let l = self.operand_lane(cx, l, 0, Fold::None);
            let layers = self.asked(cx, req, &[TextureFact::Layers]);
            let lies = self.temp(cx, 1, build::Cmp.with((Ty(Type::U32), If(Cond::Lt)), [l, one(layers, 0), ones]));
            let both = self.temp(cx, 1, build::And.with((Ty(Type::U32),), [inside, one(lies, 0)]));
            inside = one(both, 0);
            slice = Some(l);
        }
        let (two, three, four) = (self.literal(2), self.literal(3), self.literal(4));
        let (tile_bytes, texel_bytes) = (self.literal(16 * bytes), self.literal(bytes));
        let axes = n.min(2);
        let tile = self.temp(cx, axes, build::Rshift.with((Ty(Type::U32),), [at, two]));
        let rest = self.temp(cx, axes, build::And.with((Ty(Type::U32),), [at, three]));
        let s32 = Ty(Type::S32);
        let mut offset = self.temp(cx, 1, build::Imullo0.with((s32,), [one(tile, 0), tile_bytes]));
        let mut texel = one(rest, 0);
        if axes > 1 {
            offset = self.temp(cx, 1, build::Imadlo0.with((s32,), [one(tile, 1), one(place, 1), one(offset, 0)]));
            texel = one(self.temp(cx, 1, build::Imadlo0.with((s32,), [one(rest, 1), four, texel])), 0);
        }
        offset = self.temp(cx, 1, build::Imadlo0.with((s32,), [texel, texel_bytes, one(offset, 0)]));
        if let Some(z) = slice {
            offset = self.temp(cx, 1, build::Imadlo0.with((s32,), [z, one(place, 2), one(offset, 0)]));
        }
        let select = build::Select.with((Ty(Type::U32), If(Cond::Nz)), [inside, one(offset, 0), one(place, 3)]);
        let offset = self.temp(cx, 1, select);
        (inside, one(offset, 0))
    }

    /// Words by lane.
    fn words_of(&mut self, words: &[u32]) -> Operand {
        self.constant_operand(words, false, false, Fold::None)
    }

    /// The lesser of two, the second of which is a constant.
    fn lesser(&mut self, cx: &mut IselCx<'_>, t: Type, n: u32, x: Operand, most: &[u32]) -> Operand {
        let most = self.words_of(most);
        self.temp(cx, n, build::Select.with((Ty(t), If(Cond::Gt)), [x, most, x]))
    }

    fn greater(&mut self, cx: &mut IselCx<'_>, t: Type, n: u32, x: Operand, least: u32) -> Operand {
        let least = self.literal(least);
        self.temp(cx, n, build::Select.with((Ty(t), If(Cond::Lt)), [least, x, least]))
    }

    /// The elements of a texel of these components.
    fn encoded(&mut self, cx: &mut IselCx<'_>, v: Value, format: Format) -> Operand {
        let n = format.components();
        let swz = if matches!(format.layout(), Layout::Bgra(_)) { [2, 1, 0, 3] } else { leading(n) };
        let x = self.operand_lanes(cx, v, swz, n as usize, Fold::None);
        match format.layout() {
            Layout::Array(code, bits) if bits < 32 => self.coded(cx, x, n, (code, bits)),
            Layout::Bgra(code) => self.coded(cx, x, n, (code, 8)),
            Layout::Rgb10a2(Code::Unorm) => {
                let x = self.temp(cx, 4, build::Mov.with((Sat(true),), [x]));
                let x = self.rounded(cx, x, Type::U32, &TEN.1);
                self.packed(cx, x, &TEN.0)
            }
            Layout::Rgb10a2(_) => {
                let x = self.lesser(cx, Type::U32, 4, x, &TEN.1);
                self.packed(cx, x, &TEN.0)
            }
            Layout::Rg11b10 => {
                let x = self.small_floats(cx, x);
                self.packed(cx, x, &SMALL.0)
            }
            _ => x,
        }
    }

    /// Components in fewer bits than 32.
    fn coded(&mut self, cx: &mut IselCx<'_>, x: Operand, n: u32, (code, bits): (Code, u32)) -> Operand {
        let (mask, top) = ((1u32 << bits) - 1, (1u32 << (bits - 1)) - 1);
        match code {
            Code::Unorm | Code::Srgb => {
                let x = self.temp(cx, n, build::Mov.with((Sat(true),), [x]));
                self.rounded(cx, x, Type::U32, &[mask; 4][..n as usize])
            }
            Code::Snorm => {
                // NaN becomes zero.
                let x = self.temp(cx, n, build::Cmp.with((If(Cond::Eq),), [x, x, x]));
                let x = self.greater(cx, Type::F32, n, x, (-1f32).to_bits());
                let x = self.lesser(cx, Type::F32, n, x, &[1f32.to_bits()]);
                self.rounded(cx, x, Type::S32, &[top; 4][..n as usize])
            }
            Code::Uint => self.lesser(cx, Type::U32, n, x, &[mask]),
            Code::Sint => {
                let x = self.greater(cx, Type::S32, n, x, !top);
                self.lesser(cx, Type::S32, n, x, &[top])
            }
            Code::Float => self.halves(cx, x, n),
        }
    }

    /// The integers next to the products with the greatest codes, `2^b - 1` of each lane. A product that was rounded may have become a tie:
    /// `x * 2^b - k - x` is how far `k` is from the product itself.
    fn rounded(&mut self, cx: &mut IselCx<'_>, x: Operand, t: Type, most: &[u32]) -> Operand {
        let n = most.len() as u32;
        let words = |by: u32| most.iter().map(|&m| ((m + by) as f32).to_bits()).collect::<Vec<u32>>();
        let (codes, powers) = (self.words_of(&words(0)), self.words_of(&words(1)));
        let k = self.temp(cx, n, build::Mul.on([x, codes]));
        let k = self.temp(cx, n, build::F2irnd.with((Ty(t),), [k]));
        let whole = self.temp(cx, n, build::I2f.with((Ty(t),), [k]));
        let rest = self.temp(cx, n, build::Mul.on([x, powers]));
        let rest = self.temp(cx, n, build::Add.on([rest, whole.mods(whole.mods.negated())]));
        let rest = self.temp(cx, n, build::Add.on([rest, x.mods(x.mods.negated())]));
        let (low, high) = (self.literal((-0.5f32).to_bits()), self.literal(0.5f32.to_bits()));
        let ones = self.literal(u32::MAX);
        let less = self.temp(cx, n, build::Cmp.with((If(Cond::Lt),), [rest, low, ones]));
        let more = self.temp(cx, n, build::Cmp.with((If(Cond::Gt),), [rest, high, ones]));
        let k = self.temp(cx, n, build::Add.with((Ty(Type::S32),), [k, less]));
        self.temp(cx, n, build::Add.with((Ty(Type::S32),), [k, more.mods(more.mods.negated())]))
    }

    /// The bits `yes` where a comparison holds, and `no` elsewhere.
    fn chosen(
        &mut self,
        cx: &mut IselCx<'_>,
        (t, c, n): (Type, Cond, u32),
        [a, b]: [Operand; 2],
        yes: Operand,
        no: Operand,
    ) -> Operand {
        let ones = self.literal(u32::MAX);
        let is = self.temp(cx, n, build::Cmp.with((Ty(t), If(c)), [a, b, ones]));
        self.temp(cx, n, build::Select.with((Ty(Type::U32), If(Cond::Nz)), [is, yes, no]))
    }

    /// Floats as halves: by CONV, or where there is none rounded as [`Isel::small_floats`] does it.
    fn halves(&mut self, cx: &mut IselCx<'_>, x: Operand, n: u32) -> Operand {
        if self.t.generation == machine::GC7000 {
            return self.temp(cx, n, build::Conv.with((Ty(Type::F16),), [x, Use::imm(0)]));
        }
        let (u32s, s32s) = (Ty(Type::U32), Ty(Type::S32));
        let k = |me: &mut Self, bits: u32| me.literal(bits);
        let (up, top, all) = (k(self, 16), k(self, 0x8000), k(self, 0x7fff_ffff));
        let sign = self.temp(cx, n, build::Rshift.with((u32s,), [x, up]));
        let sign = self.temp(cx, n, build::And.with((u32s,), [sign, top]));
        let size = self.temp(cx, n, build::And.with((u32s,), [x, all]));
        let (by, bit, more) = (k(self, 13), k(self, 1), k(self, 0xfffu32.wrapping_sub(112 << 23)));
        let last = self.temp(cx, n, build::Rshift.with((u32s,), [size, by]));
        let last = self.temp(cx, n, build::And.with((u32s,), [last, bit]));
        let sum = self.temp(cx, n, build::Add.with((s32s,), [size, last]));
        let sum = self.temp(cx, n, build::Add.with((s32s,), [sum, more]));
        let code = self.temp(cx, n, build::Rshift.with((u32s,), [sum, by]));
        let units = k(self, 2f32.powi(24).to_bits());
        // Beyond what F2I can give nothing is known.
        let low = self.lesser(cx, Type::U32, n, size, &[0x3880_0000]);
        let below = self.temp(cx, n, build::Mul.on([low, units]));
        let below = self.temp(cx, n, build::F2irnd.with((u32s,), [below]));
        let (normal, beyond, infinity) = (k(self, 0x3880_0000), k(self, 0x477f_f000), k(self, 0x7f80_0000));
        let (inf, nan) = (k(self, 0x7c00), k(self, 0x7e00));
        let code = self.chosen(cx, (Type::U32, Cond::Lt, n), [size, normal], below, code);
        let code = self.chosen(cx, (Type::U32, Cond::Ge, n), [size, beyond], inf, code);
        let code = self.chosen(cx, (Type::U32, Cond::Gt, n), [size, infinity], nan, code);
        self.temp(cx, n, build::Or.with((u32s,), [code, sign]))
    }

    /// Halves as floats.
    fn of_halves(&mut self, cx: &mut IselCx<'_>, x: Operand, n: u32) -> Operand {
        if self.t.generation == machine::GC7000 {
            return self.temp(cx, n, build::Conv.with((Ty(Type::F32),), [x, Use::imm(1)]));
        }
        let (u32s, s32s) = (Ty(Type::U32), Ty(Type::S32));
        let k = |me: &mut Self, bits: u32| me.literal(bits);
        let (up, top, all, by) = (k(self, 16), k(self, 0x8000), k(self, 0x7fff), k(self, 13));
        let sign = self.temp(cx, n, build::And.with((u32s,), [x, top]));
        let sign = self.temp(cx, n, build::Lshift.with((u32s,), [sign, up]));
        let size = self.temp(cx, n, build::And.with((u32s,), [x, all]));
        let wide = self.temp(cx, n, build::Lshift.with((u32s,), [size, by]));
        let (bias, most) = (k(self, 112 << 23), k(self, 224 << 23));
        let plain = self.temp(cx, n, build::Add.with((s32s,), [wide, bias]));
        let special = self.temp(cx, n, build::Add.with((s32s,), [wide, most]));
        let unit = k(self, 2f32.powi(-24).to_bits());
        let small = self.temp(cx, n, build::I2f.with((u32s,), [size]));
        let small = self.temp(cx, n, build::Mul.on([small, unit]));
        let (normal, infinity) = (k(self, 0x400), k(self, 0x7c00));
        let value = self.chosen(cx, (Type::U32, Cond::Lt, n), [size, normal], small, plain);
        let value = self.chosen(cx, (Type::U32, Cond::Ge, n), [size, infinity], special, value);
        self.temp(cx, n, build::Or.with((u32s,), [value, sign]))
    }

    /// Components in one word.
    fn packed(&mut self, cx: &mut IselCx<'_>, x: Operand, at: &[u32]) -> Operand {
        let by = self.words_of(at);
        let x = self.temp(cx, at.len() as u32, build::Lshift.with((Ty(Type::U32),), [x, by]));
        (1..at.len()).fold(one(x, 0), |w, k| one(self.temp(cx, 1, build::Or.with((Ty(Type::U32),), [w, one(x, k)])), 0))
    }

    /// Three floats as unsigned ones of 11, 11 and 10 bits: rounded to the nearest in integers above the least normal number, in
    /// units of the least number below.
    fn small_floats(&mut self, cx: &mut IselCx<'_>, x: Operand) -> Operand {
        let positive = self.greater(cx, Type::F32, 3, x, 0);
        let by = self.words_of(&SMALL.1);
        let (bit, less) = (self.literal(1), self.literal((112u32 << 23).wrapping_neg()));
        let half = self.words_of(&SMALL.1.map(|s| (1 << (s - 1)) - 1));
        let (u32s, s32s) = (Ty(Type::U32), Ty(Type::S32));
        let last = self.temp(cx, 3, build::Rshift.with((u32s,), [positive, by]));
        let last = self.temp(cx, 3, build::And.with((u32s,), [last, bit]));
        let sum = self.temp(cx, 3, build::Add.with((s32s,), [positive, last]));
        let sum = self.temp(cx, 3, build::Add.with((s32s,), [sum, half]));
        let sum = self.temp(cx, 3, build::Add.with((s32s,), [sum, less]));
        let code = self.temp(cx, 3, build::Rshift.with((u32s,), [sum, by]));
        let units = self.words_of(&[20, 20, 19].map(|k| 2f32.powi(k).to_bits()));
        let low = self.lesser(cx, Type::F32, 3, positive, &[2f32.powi(-14).to_bits()]);
        let below = self.temp(cx, 3, build::Mul.on([low, units]));
        let below = self.temp(cx, 3, build::F2irnd.with((u32s,), [below]));
        let normal = self.literal(2f32.powi(-14).to_bits());
        let code = self.chosen(cx, (Type::F32, Cond::Lt, 3), [positive, normal], below, code);
        let infinity = [31 << 6, 31 << 6, 31 << 5];
        let code = self.lesser(cx, Type::U32, 3, code, &infinity.map(|i| i - 1));
        let (inf, nan) = (self.words_of(&infinity), self.words_of(&[63 << 5, 63 << 5, 63 << 4]));
        let most = self.literal(f32::INFINITY.to_bits());
        let code = self.chosen(cx, (Type::F32, Cond::Eq, 3), [x, most], inf, code);
        self.chosen(cx, (Type::F32, Cond::Ne, 3), [x, x], nan, code)
    }

    /// Four components of the elements of a texel.
    fn decoded(&mut self, cx: &mut IselCx<'_>, raw: Operand, format: Format) -> Operand {
        let n = format.components();
        let mut swz = leading(4);
        let x = match format.layout() {
            Layout::Array(code, bits) if bits < 32 => self.numbers(cx, raw, n, (code, bits)),
            Layout::Bgra(code) => {
                swz = [2, 1, 0, 3];
                self.numbers(cx, raw, n, (code, 8))
            }
            Layout::Rgb10a2(code) => {
                let (by, most) = (self.words_of(&TEN.0), self.words_of(&TEN.1));
                let x = self.temp(cx, 4, build::Rshift.with((Ty(Type::U32),), [one(raw, 0), by]));
                let x = self.temp(cx, 4, build::And.with((Ty(Type::U32),), [x, most]));
                if code == Code::Uint { x } else { self.fractions(cx, x, Type::U32, &TEN.1) }
            }
            Layout::Rg11b10 => {
                // Below the sign a half has as many bits of exponent.
                let by = self.words_of(&SMALL.0);
                let masks = self.words_of(&[0x7ff, 0x7ff, 0x3ff]);
                let up = self.words_of(&[4, 4, 5]);
                let x = self.temp(cx, 3, build::Rshift.with((Ty(Type::U32),), [one(raw, 0), by]));
                let x = self.temp(cx, 3, build::And.with((Ty(Type::U32),), [x, masks]));
                let x = self.temp(cx, 3, build::Lshift.with((Ty(Type::U32),), [x, up]));
                self.of_halves(cx, x, 3)
            }
            _ => raw,
        };
        if n == 4 {
            return x.mods(SrcMods::swizzle(swz.map(|k| x.mods.swz[usize::from(k)])));
        }
        let last = if format.base() == gpucc_pipeline::Base::Float { 1f32.to_bits() } else { 1 };
        let mut parts: Vec<Operand> = (0..n as usize).map(|k| self.piece(cx, one(x, k))).collect();
        for k in n..4 {
            parts.push(self.literal(if k == 3 { last } else { 0 }));
        }
        let all = cx.temp(crate::inst::row(4));
        cx.emit(MInst::collect(all, parts));
        Use::reg(all).mods(SrcMods::default())
    }

    /// Components from elements that LOAD extended.
    fn numbers(&mut self, cx: &mut IselCx<'_>, x: Operand, n: u32, (code, bits): (Code, u32)) -> Operand {
        let top = (1u32 << (bits - 1)) - 1;
        match code {
            Code::Unorm | Code::Srgb => self.fractions(cx, x, Type::U32, &[2 * top + 1; 4][..n as usize]),
            Code::Snorm => {
                let x = self.fractions(cx, x, Type::S32, &[top; 4][..n as usize]);
                self.greater(cx, Type::F32, n, x, (-1f32).to_bits())
            }
            Code::Float => self.of_halves(cx, x, n),
            Code::Uint | Code::Sint => x,
        }
    }

    /// Quotients of integers by the greatest of each lane.
    fn fractions(&mut self, cx: &mut IselCx<'_>, x: Operand, t: Type, most: &[u32]) -> Operand {
        let n = most.len() as u32;
        let x = self.temp(cx, n, build::I2f.with((Ty(t),), [x]));
        if !machine::validate::fast_transcendentals(self.t.generation) {
            let by: Vec<u32> = most.iter().map(|&m| (m as f32).recip().to_bits()).collect();
            let by = self.words_of(&by);
            return self.temp(cx, n, build::Mul.on([x, by]));
        }
        let mut parts = Vec::new();
        for (k, &m) in most.iter().enumerate() {
            let d = cx.temp(crate::inst::row(1));
            let by = self.literal((m as f32).to_bits());
            self.pair_product(cx, d, build::Div, [one(x, k), by]);
            parts.push(Use::reg(d));
        }
        let all = cx.temp(crate::inst::row(n));
        cx.emit(MInst::collect(all, parts));
        Use::reg(all).mods(SrcMods::swizzle(leading(n)))
    }
}
