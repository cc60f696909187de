//! Operands and results of vector instructions, lane by lane: selections, modifiers, DPP, and shapes of operations.

use gpucc_isa::fail_if;
use gpucc_num::{Round, convert, f16, f32 as n32, f64 as n64, special};
use gpucc_sim::lanes::{at_least, lanes};
use gpucc_sim::trap::{Trap, bad_register};

use super::decode::{Decoded, Src};
use super::salu::bfe;
use super::subgroup::{LANES, Lanes, Wave, Wide, undefined};
use crate::Number;
use crate::isa::Format;
use crate::operand::{M0, VCC};

/// An instruction in execution: its lanes, and the permuted first source of DPP.
pub(crate) struct LaneCx<'a> {
    pub d: &'a Decoded,
    /// Lanes that are written.
    pub mask: u64,
    pub dpp: Option<Box<Lanes>>,
}

/// Lanes up to which each is taken for itself.
const FEW: u32 = 8;

pub(super) const SIGN16: u32 = 0x8000;
pub(super) const SIGN32: u32 = 0x8000_0000;

impl Wave {
    /// Raw value of a source, one per lane.
    pub(super) fn raw(&self, s: Src) -> Result<Lanes, Trap> {
        Ok(match s {
            Src::V(n) => self.v[usize::from(n)],
            Src::None => [0; LANES],
            s => [self.s32(s)?; LANES],
        })
    }

    /// The source of [`Wave::src`], not copied where it is a register as it stands; `own` is room for anything else.
    #[inline]
    pub(super) fn look<'a>(
        &'a self,
        c: &LaneCx<'_>,
        k: usize,
        sign: u32,
        own: &'a mut Lanes,
    ) -> Result<&'a Lanes, Trap> {
        let d = c.d;
        let plain = c.dpp.is_none() && d.format != Format::Sdwa && (sign == 0 || (d.abs | d.neg) >> k & 1 == 0);
        match d.src[k] {
            Src::V(n) if plain => Ok(&self.v[usize::from(n)]),
            Src::S(_) | Src::K(_) if plain => {
                own.fill(self.s32(d.src[k])?);
                Ok(own)
            }
            _ => {
                *own = self.src(c, k, sign)?;
                Ok(own)
            }
        }
    }

    /// 32-bit source `k` with selection and modifiers; `sign` is the sign bit of its type (0 for integers).
    pub(super) fn src(&self, c: &LaneCx<'_>, k: usize, sign: u32) -> Result<Lanes, Trap> {
        let d = c.d;
        let mut v = match (&c.dpp, k) {
            (Some(permuted), 0) => **permuted,
            _ => self.raw(d.src[k])?,
        };
        if d.format == Format::Sdwa && k < 2 {
            let sext = d.extra.sext[k];
            let (shift, bits) = part(d.extra.sel[k]);
            if bits < 32 {
                for x in &mut v {
                    *x = bfe((*x).into(), shift, bits, 32, sext) as u32;
                }
            }
        }
        if d.abs >> k & 1 == 1 {
            for x in &mut v {
                *x &= !sign;
            }
        }
        if d.neg >> k & 1 == 1 {
            for x in &mut v {
                *x ^= sign;
            }
        }
        Ok(v)
    }

    /// 64-bit source `k`; `float` applies the modifiers of f64.
    pub(crate) fn wide(&self, c: &LaneCx<'_>, k: usize, float: bool) -> Result<Wide, Trap> {
        let mut out = match c.d.src[k] {
            Src::V(n) => {
                let n = usize::from(n);
                let mut out = [0; LANES];
                for (l, o) in out.iter_mut().enumerate() {
                    *o = u64::from(self.v[n][l]) | u64::from(self.v[n + 1][l]) << 32;
                }
                out
            }
            s => [self.s64(s)?; LANES],
        };
        if float {
            let (abs, neg) = (c.d.abs >> k & 1 == 1, c.d.neg >> k & 1 == 1);
            for x in &mut out {
                if abs {
                    *x &= !(1 << 63);
                }
                if neg {
                    *x ^= 1 << 63;
                }
            }
        }
        Ok(out)
    }

    /// Writes a result to the destination register under the mask, with the SDWA destination part.
    pub(super) fn put(&mut self, c: &LaneCx<'_>, out: &Lanes) {
        let d = c.d;
        let n = usize::from(d.dst);
        let old = &mut self.v[n];
        if d.format == Format::Sdwa && d.extra.dst_sel < 6 {
            let (shift, bits) = part(d.extra.dst_sel);
            let field = ((1u64 << bits) - 1) as u32;
            for l in lanes(c.mask) {
                let v = out[l] & field;
                old[l] = match d.extra.dst_unused {
                    0 => v << shift,
                    1 => bfe(v.into(), 0, bits, 32, true).wrapping_shl(shift) as u32,
                    _ => old[l] & !(field << shift) | v << shift,
                };
            }
        } else if c.mask == u64::MAX {
            *old = *out;
        } else {
            for (l, (to, from)) in old.iter_mut().zip(out).enumerate() {
                *to = if c.mask >> l & 1 == 1 { *from } else { *to };
            }
        }
        self.v_known[n] |= c.mask;
    }

    pub(crate) fn put_wide(&mut self, c: &LaneCx<'_>, out: &Wide) {
        let n = usize::from(c.d.dst);
        for l in lanes(c.mask) {
            self.v[n][l] = out[l] as u32;
            self.v[n + 1][l] = (out[l] >> 32) as u32;
        }
        self.v_known[n] |= c.mask;
        self.v_known[n + 1] |= c.mask;
    }

    pub(super) fn each<T: Copy + Default>(mask: u64, mut f: impl FnMut(usize) -> T) -> [T; LANES] {
        let mut out = [T::default(); LANES];
        at_least::<LANES>(mask, LANES as u32 - 1, |l| out[l] = f(l));
        out
    }

    /// Results of lanes that hang on nothing else: of all where there are many, so that the compiler can take several at once.
    #[inline(always)]
    pub(super) fn every(mask: u64, mut f: impl FnMut(usize) -> u32) -> Lanes {
        let mut out = [0; LANES];
        at_least::<LANES>(mask, FEW, |l| out[l] = f(l));
        out
    }

    /// Output modifier and clamp of results of f32, if the instruction has any.
    pub(super) fn modified32(&self, c: &LaneCx<'_>, out: &mut Lanes) {
        if c.d.omod != 0 || c.d.clamp {
            for l in lanes(c.mask) {
                out[l] = self.out32(c.d, f32::from_bits(out[l])).to_bits();
            }
        }
    }

    pub(super) fn map_u32(&mut self, c: &LaneCx<'_>, f: impl Fn(u32) -> u32) -> Result<(), Trap> {
        let mut room = [0; LANES];
        let a = self.look(c, 0, 0, &mut room)?;
        let out = Self::every(c.mask, |l| f(a[l]));
        self.put(c, &out);
        Ok(())
    }
    pub(super) fn map2_u32(&mut self, c: &LaneCx<'_>, f: impl Fn(u32, u32) -> u32) -> Result<(), Trap> {
        let (mut x, mut y) = ([0; LANES], [0; LANES]);
        let a = self.look(c, 0, 0, &mut x)?;
        let b = self.look(c, 1, 0, &mut y)?;
        let out = Self::every(c.mask, |l| f(a[l], b[l]));
        self.put(c, &out);
        Ok(())
    }
    pub(super) fn map3_u32(&mut self, c: &LaneCx<'_>, f: impl Fn(u32, u32, u32) -> u32) -> Result<(), Trap> {
        let (mut x, mut y, mut z) = ([0; LANES], [0; LANES], [0; LANES]);
        let a = self.look(c, 0, 0, &mut x)?;
        let b = self.look(c, 1, 0, &mut y)?;
        let e = self.look(c, 2, 0, &mut z)?;
        let out = Self::every(c.mask, |l| f(a[l], b[l], e[l]));
        self.put(c, &out);
        Ok(())
    }

    /// Output modifier and clamp of f32 (section 3).
    pub(crate) fn out32(&self, d: &Decoded, x: f32) -> f32 {
        let m = self.float.f32;
        let x = match d.omod {
            0 => x,
            // Works only where output denormals are flushed and IEEE is off.
            _ if !m.flush_out || self.float.ieee => x,
            1 => n32::mul(m, x, 2.0),
            2 => n32::mul(m, x, 4.0),
            _ => n32::mul(m, x, 0.5),
        };
        if d.clamp { n32::saturate(x, if self.float.dx10 { 0.0 } else { x }) } else { x }
    }
    pub(crate) fn out16(&self, d: &Decoded, x: u16) -> u16 {
        let m = self.float.f64;
        let x = match d.omod {
            0 => x,
            _ if !m.flush_out || self.float.ieee => x,
            1 => f16::mul(m, x, 0x4000),
            2 => f16::mul(m, x, 0x4400),
            _ => f16::mul(m, x, 0x3800),
        };
        if d.clamp { f16::saturate(x, if self.float.dx10 { 0 } else { x }) } else { x }
    }
    pub(crate) fn out64(&self, d: &Decoded, x: f64) -> f64 {
        let m = self.float.f64;
        let x = match d.omod {
            0 => x,
            _ if !m.flush_out || self.float.ieee => x,
            1 => n64::mul(m, x, 2.0),
            2 => n64::mul(m, x, 4.0),
            _ => n64::mul(m, x, 0.5),
        };
        match () {
            () if !d.clamp => x,
            () if x.is_nan() => {
                if self.float.dx10 {
                    0.0
                } else {
                    x
                }
            }
            () if x > 1.0 => 1.0,
            () if x > 0.0 => x,
            () => 0.0,
        }
    }

    pub(super) fn map_f32(&mut self, c: &LaneCx<'_>, f: impl Fn(f32) -> f32) -> Result<(), Trap> {
        let mut room = [0; LANES];
        let a = self.look(c, 0, SIGN32, &mut room)?;
        let out = Self::each(c.mask, |l| self.out32(c.d, f(f32::from_bits(a[l]))).to_bits());
        self.put(c, &out);
        Ok(())
    }
    pub(super) fn map2_f32(&mut self, c: &LaneCx<'_>, f: impl Fn(f32, f32) -> f32) -> Result<(), Trap> {
        let (mut x, mut y) = ([0; LANES], [0; LANES]);
        let a = self.look(c, 0, SIGN32, &mut x)?;
        let b = self.look(c, 1, SIGN32, &mut y)?;
        let mut out = Self::every(c.mask, |l| f(f32::from_bits(a[l]), f32::from_bits(b[l])).to_bits());
        self.modified32(c, &mut out);
        self.put(c, &out);
        Ok(())
    }
    pub(super) fn map3_f32(&mut self, c: &LaneCx<'_>, f: impl Fn(f32, f32, f32) -> f32) -> Result<(), Trap> {
        let (mut r0, mut r1, mut r2) = ([0; LANES], [0; LANES], [0; LANES]);
        let a = self.look(c, 0, SIGN32, &mut r0)?;
        let b = self.look(c, 1, SIGN32, &mut r1)?;
        let e = self.look(c, 2, SIGN32, &mut r2)?;
        let x = f32::from_bits;
        let mut out = Self::every(c.mask, |l| f(x(a[l]), x(b[l]), x(e[l])).to_bits());
        self.modified32(c, &mut out);
        self.put(c, &out);
        Ok(())
    }
    /// A function that hardware approximates: correctly rounded here, anywhere within one unit in the last place of the
    /// exact value when the run is perturbed.
    pub(super) fn approx(&mut self, c: &LaneCx<'_>, f: impl Fn(f64) -> f64) -> Result<(), Trap> {
        self.approx_then(c, f, |x| x)
    }
    /// Same as [`Wave::approx`], with something done to the result.
    pub(super) fn approx_then(
        &mut self,
        c: &LaneCx<'_>,
        f: impl Fn(f64) -> f64,
        then: impl Fn(f32) -> f32,
    ) -> Result<(), Trap> {
        let a = self.src(c, 0, SIGN32)?;
        let out = Self::each(c.mask, |l| {
            let exact = f(f64::from(n32::flush(f32::from_bits(a[l]))));
            let x = then(special::approximate(exact, self.seed));
            self.out32(c.d, n32::flush(x)).to_bits()
        });
        self.put(c, &out);
        Ok(())
    }
    /// f32 to something that is no float.
    pub(super) fn f32_to_bits(&mut self, c: &LaneCx<'_>, f: impl Fn(f32) -> u32) -> Result<(), Trap> {
        let m = self.float.f32;
        let mut room = [0; LANES];
        let a = self.look(c, 0, SIGN32, &mut room)?;
        let out = Self::each(c.mask, |l| f(n32::input(m, f32::from_bits(a[l]))));
        self.put(c, &out);
        Ok(())
    }
    /// Something to f32.
    pub(super) fn bits_to_f32(&mut self, c: &LaneCx<'_>, f: impl Fn(u32) -> f32) -> Result<(), Trap> {
        let mut room = [0; LANES];
        let a = self.look(c, 0, 0, &mut room)?;
        let out = Self::each(c.mask, |l| self.out32(c.d, f(a[l])).to_bits());
        self.put(c, &out);
        Ok(())
    }
    pub(super) fn map_f16(&mut self, c: &LaneCx<'_>, f: impl Fn(u16) -> u16) -> Result<(), Trap> {
        let a = self.src(c, 0, SIGN16)?;
        let out = Self::each(c.mask, |l| self.out16(c.d, f(a[l] as u16)).into());
        self.put(c, &out);
        Ok(())
    }
    pub(super) fn map2_f16(&mut self, c: &LaneCx<'_>, f: impl Fn(u16, u16) -> u16) -> Result<(), Trap> {
        let (a, b) = (self.src(c, 0, SIGN16)?, self.src(c, 1, SIGN16)?);
        let out = Self::each(c.mask, |l| self.out16(c.d, f(a[l] as u16, b[l] as u16)).into());
        self.put(c, &out);
        Ok(())
    }
    pub(super) fn map3_f16(&mut self, c: &LaneCx<'_>, f: impl Fn(u16, u16, u16) -> u16) -> Result<(), Trap> {
        let (a, b, e) = (self.src(c, 0, SIGN16)?, self.src(c, 1, SIGN16)?, self.src(c, 2, SIGN16)?);
        let out = Self::each(c.mask, |l| self.out16(c.d, f(a[l] as u16, b[l] as u16, e[l] as u16)).into());
        self.put(c, &out);
        Ok(())
    }
    /// A 16-bit function that hardware approximates: through f32, rounded once.
    pub(super) fn h_approx(&mut self, c: &LaneCx<'_>, f: impl Fn(f32) -> f32) -> Result<(), Trap> {
        let m = self.float.f64;
        self.map_f16(c, |a| {
            let x = f(convert::f16_to_f32(f16::input(m, a)));
            f16::output(m, convert::f32_to_f16(Round::Nearest, x))
        })
    }
    pub(super) fn map_f64(&mut self, c: &LaneCx<'_>, f: impl Fn(f64) -> f64) -> Result<(), Trap> {
        let a = self.wide(c, 0, true)?;
        let out = Self::each(c.mask, |l| self.out64(c.d, f(f64::from_bits(a[l]))).to_bits());
        self.put_wide(c, &out);
        Ok(())
    }
    pub(super) fn map2_f64(&mut self, c: &LaneCx<'_>, f: impl Fn(f64, f64) -> f64) -> Result<(), Trap> {
        let (a, b) = (self.wide(c, 0, true)?, self.wide(c, 1, true)?);
        let out = Self::each(c.mask, |l| self.out64(c.d, f(f64::from_bits(a[l]), f64::from_bits(b[l]))).to_bits());
        self.put_wide(c, &out);
        Ok(())
    }
    pub(super) fn map3_f64(&mut self, c: &LaneCx<'_>, f: impl Fn(f64, f64, f64) -> f64) -> Result<(), Trap> {
        let (a, b, e) = (self.wide(c, 0, true)?, self.wide(c, 1, true)?, self.wide(c, 2, true)?);
        let x = f64::from_bits;
        let out = Self::each(c.mask, |l| self.out64(c.d, f(x(a[l]), x(b[l]), x(e[l]))).to_bits());
        self.put_wide(c, &out);
        Ok(())
    }
    /// f64 to 32 bits.
    pub(super) fn f64_to_bits(&mut self, c: &LaneCx<'_>, f: impl Fn(f64) -> u32) -> Result<(), Trap> {
        let m = self.float.f64;
        let a = self.wide(c, 0, true)?;
        let out = Self::each(c.mask, |l| f(n64::input(m, f64::from_bits(a[l]))));
        self.put(c, &out);
        Ok(())
    }
    /// 32 bits to f64.
    pub(super) fn bits_to_f64(&mut self, c: &LaneCx<'_>, sign: u32, f: impl Fn(u32) -> f64) -> Result<(), Trap> {
        let a = self.src(c, 0, sign)?;
        let out = Self::each(c.mask, |l| self.out64(c.d, f(a[l])).to_bits());
        self.put_wide(c, &out);
        Ok(())
    }
    /// 64-bit shift: `rev` takes the count from source 0.
    pub(super) fn shift64(&mut self, c: &LaneCx<'_>, rev: bool, f: impl Fn(u64, u32) -> u64) -> Result<(), Trap> {
        let (v, n) = (usize::from(rev), usize::from(!rev));
        let (a, b) = (self.wide(c, v, false)?, self.src(c, n, 0)?);
        let out = Self::each(c.mask, |l| f(a[l], b[l] & 63));
        self.put_wide(c, &out);
        Ok(())
    }

    /// Writes a lane mask; bits of inactive lanes are 0 (section 1).
    pub(crate) fn put_mask(&mut self, d: &Decoded, bits: u64) {
        self.set_pair(usize::from(d.sdst), bits);
    }

    pub(super) fn carry(
        &mut self,
        c: &LaneCx<'_>,
        swap: bool,
        f: impl Fn(u32, u32, bool) -> (u32, bool),
        saturated: u32,
    ) -> Result<(), Trap> {
        let (mut p, mut q) = ([0; LANES], [0; LANES]);
        let (a, b) = (self.look(c, 0, 0, &mut p)?, self.look(c, 1, 0, &mut q)?);
        let cin = if c.d.mask == 0xff { 0 } else { self.pair(usize::from(c.d.mask)) };
        let mut out = [0; LANES];
        let mut bits = 0;
        let mut one = |l: usize| {
            let (x, y) = if swap { (b[l], a[l]) } else { (a[l], b[l]) };
            let (v, o) = f(x, y, cin >> l & 1 == 1);
            out[l] = if o && c.d.clamp { saturated } else { v };
            bits |= u64::from(o) << l;
        };
        if c.mask == u64::MAX {
            (0..LANES).for_each(&mut one);
        } else {
            lanes(c.mask).for_each(&mut one);
        }
        self.put(c, &out);
        self.put_mask(c.d, bits);
        Ok(())
    }

    /// The permuted first source of a DPP instruction and the lanes that are written (section 3.2).
    pub(super) fn dpp(&self, d: &Decoded) -> Result<(Box<Lanes>, u64), Trap> {
        let exec = self.exec();
        let e = &d.extra;
        let (source, known) = match d.src[0] {
            Src::V(n) => (self.v[usize::from(n)], self.v_known[usize::from(n)]),
            _ => ([0; LANES], u64::MAX),
        };
        let mut out = Box::new([0; LANES]);
        let mut mask = exec;
        for l in lanes(exec) {
            if e.row_mask >> (l >> 4) & 1 == 0 || e.bank_mask >> (l >> 2 & 3) & 1 == 0 {
                mask &= !(1 << l);
                continue;
            }
            match dpp_lane(e.dpp_ctrl.into(), l).filter(|&s| exec >> s & 1 == 1) {
                Some(s) => {
                    if known >> s & 1 == 0 && d.src[0] != Src::None {
                        let Src::V(n) = d.src[0] else { continue };
                        return Err(undefined(u16::from(n) + 256).in_lane(s as u32));
                    }
                    out[l] = source[s];
                }
                None if e.bound_ctrl => {}
                None => mask &= !(1 << l),
            }
        }
        Ok((out, mask))
    }

    /// Register numbers moved by M0 while vector indexing is on (section 4.3).
    pub(super) fn indexed(&self, d: &Decoded) -> Result<Decoded, Trap> {
        let m0 = self.s[M0 as usize];
        let (index, which) = (m0 & 0xff, m0 >> 12 & 15);
        let mut out = d.clone();
        let limit = self.v.len() as u32;
        let shift = |n: u32, width: u32| {
            let to = n + index;
            fail_if!(to + width > limit, bad_register(format!("indexed access touches v{to}")));
            Ok(to)
        };
        for k in 0..3 {
            if let (Src::V(n), 1) = (d.src[k], which >> k & 1) {
                let to = shift(n.into(), 1)? as u8;
                out.src[k] = Src::V(to);
                fail_if!(self.exec() & !self.v_known[usize::from(to)] != 0, undefined(u16::from(to) + 256));
                self.arrived(to.into(), self.exec())?;
            }
        }
        let vector = d.writes.iter().any(|r| r.first >= 256);
        if vector && which >> 3 & 1 == 1 {
            out.dst = shift(d.dst.into(), d.dst_width.into())? as u16;
            for n in out.dst..out.dst + u16::from(d.dst_width) {
                self.arrived(n.into(), self.exec())?;
            }
        }
        Ok(out)
    }

    /// Two f32 sources to 32 bits that are no float.
    pub(super) fn map2_f32_to_bits(&mut self, c: &LaneCx<'_>, f: impl Fn(f32, f32) -> u32) -> Result<(), Trap> {
        let m = self.float.f32;
        let (a, b) = (self.src(c, 0, SIGN32)?, self.src(c, 1, SIGN32)?);
        let out = Self::each(c.mask, |l| f(n32::input(m, f32::from_bits(a[l])), n32::input(m, f32::from_bits(b[l]))));
        self.put(c, &out);
        Ok(())
    }

    /// f16 to 16 bits that are no float.
    pub(super) fn f16_to_bits(&mut self, c: &LaneCx<'_>, f: impl Fn(u16) -> u32) -> Result<(), Trap> {
        let m = self.float.f64;
        let a = self.src(c, 0, SIGN16)?;
        let out = Self::each(c.mask, |l| f(f16::input(m, a[l] as u16)));
        self.put(c, &out);
        Ok(())
    }

    pub(super) fn vcc(&self) -> Result<u64, Trap> {
        fail_if!(self.s_known >> VCC & 3 != 3, undefined(VCC as u16));
        Ok(self.pair(VCC as usize))
    }

    pub(super) fn known(&self, s: Src) -> u64 {
        match s {
            Src::V(n) => self.v_known[usize::from(n)],
            Src::S(n) if self.s_known >> n & 1 == 0 => 0,
            _ => u64::MAX,
        }
    }

    /// Sources of a compare, for [`Wave::compare`]; `own` is room for them.
    pub(crate) fn compare_src<'a>(
        &'a self,
        c: &LaneCx<'_>,
        k: usize,
        ty: Number,
        own: &'a mut Lanes,
    ) -> Result<&'a Lanes, Trap> {
        let sign = match ty {
            Number::F16 => SIGN16,
            Number::F32 => SIGN32,
            _ => 0,
        };
        self.look(c, k, sign, own)
    }
}

/// Shift and width of an SDWA part (section 3.1).
pub(super) fn part(sel: u8) -> (u32, u32) {
    match sel {
        0..=3 => (8 * u32::from(sel), 8),
        4 => (0, 16),
        5 => (16, 16),
        _ => (0, 32),
    }
}

/// Source lane of a DPP control for lane `i`; `None` where it lies outside (section 3.2).
pub(super) fn dpp_lane(ctrl: u32, i: usize) -> Option<usize> {
    let row = i & !15;
    let n = (ctrl & 15) as usize;
    match ctrl {
        0..=0xff => Some((i & !3) + (ctrl as usize >> (2 * (i & 3)) & 3)),
        0x101..=0x10f => Some(i + n).filter(|&s| s & !15 == row),
        0x111..=0x11f => i.checked_sub(n).filter(|&s| s & !15 == row),
        0x121..=0x12f => Some(row + ((i + 16 - n) & 15)),
        0x130 => Some(i + 1).filter(|&s| s < LANES),
        0x134 => Some((i + 1) & 63),
        0x138 => i.checked_sub(1),
        0x13c => Some((i + 63) & 63),
        0x140 => Some(row + (15 - (i & 15))),
        0x141 => Some((i & !7) + (7 - (i & 7))),
        0x142 => row.checked_sub(1),
        _ => (i >= 32).then_some(31),
    }
}
