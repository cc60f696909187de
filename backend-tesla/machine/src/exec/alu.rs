//! Arithmetic (reference section 7 and the seed's pseudocode).

use super::convert::{Cvt, convert};
use super::decode::{Code, Dst, Src};
use super::float::{self, double};
use super::sfu;
use super::step::Machine;
use super::subgroup::{Lanes, Warp, first};
use crate::operand::{Addr, SharedTy};
use crate::types::{Op, Ty};
use gpucc_isa::fail_if;
use gpucc_sim::lanes::{at_least, lanes};
use gpucc_sim::trap::{Trap, bad_register, out_of_bounds, unsupported};

type Wide = [u64; 32];

/// Z and S of an integer result of `bits` bits.
fn int_flags(value: u32, bits: u32) -> u8 {
    u8::from(value == 0) | ((value >> (bits - 1) & 1) as u8 * 2)
}

/// The addition family on `bits` bits: result and flags. `op` is 0 add, 1 sub, 2 subr, 3 addc.
fn add(op: u8, a: u32, b: u32, carry: bool, sat: bool, bits: u32) -> (u32, u8) {
    let max = u32::MAX >> (32 - bits);
    let (s1, s2, c) = match op {
        0 => (a & max, b & max, false),
        1 => (a & max, !b & max, true),
        2 => (!a & max, b & max, true),
        _ => (a & max, b & max, carry),
    };
    let wide = u64::from(s1) + u64::from(s2) + u64::from(c);
    let mut res = wide as u32 & max;
    let sign = |v: u32| v >> (bits - 1) & 1;
    let overflow = sign(s1) == sign(s2) && sign(s1) != sign(res);
    if sat && overflow {
        res = if sign(res) == 1 { max >> 1 } else { (max >> 1) + 1 };
    }
    (res, int_flags(res, bits) | ((wide >> bits) as u8 & 1) << 2 | u8::from(overflow) << 3)
}

fn shift_left(a: u32, count: u32, bits: u32) -> (u32, u8) {
    let max = u32::MAX >> (32 - bits);
    let a = a & max;
    let wide = if count < 64 { u64::from(a) << count } else { 0 };
    let res = wide as u32 & max;
    let carry = count < bits && wide >> bits & 1 == 1;
    let overflow = count == 1 && (a ^ res) >> (bits - 1) & 1 == 1;
    (res, int_flags(res, bits) | u8::from(carry) << 2 | u8::from(overflow) << 3)
}

fn shift_right(a: u32, count: u32, bits: u32, signed: bool) -> (u32, u8) {
    let max = u32::MAX >> (32 - bits);
    let a = a & max;
    let fill = signed && a >> (bits - 1) & 1 == 1;
    let wide = u64::from(a) | if fill { !u64::from(max) } else { 0 };
    let res = ((wide as i64) >> count.min(63)) as u64;
    let res = if fill || count < 64 { res as u32 & max } else { 0 };
    let carry = count > 0 && count < bits && a >> (count - 1) & 1 == 1;
    let overflow = count == 1 && (a ^ res) >> (bits - 1) & 1 == 1;
    (res, int_flags(res, bits) | u8::from(carry) << 2 | u8::from(overflow) << 3)
}

fn sign_extend(v: u32, bits: u32) -> i64 {
    (i64::from(v) << (64 - bits)) >> (64 - bits)
}

/// Low or high 32 bits of a 24-bit product.
fn mul24(a: u32, b: u32, signed: bool, high: bool) -> u32 {
    let ext = |v: u32| if signed { sign_extend(v, 24) } else { i64::from(v & 0xff_ffff) };
    let product = ext(a) * ext(b);
    if high { (product >> 16) as u32 } else { product as u32 }
}

fn mul16(a: u32, b: u32, signed: [bool; 2]) -> u32 {
    let ext = |v: u32, s: bool| if s { sign_extend(v, 16) } else { i64::from(v & 0xffff) };
    (ext(a, signed[0]) * ext(b, signed[1])) as u32
}

/// Product of the multiply-add forms, and whether the sum saturates.
fn mad_product(op: Op, a: u32, b: u32) -> (u32, bool) {
    match op {
        Op::MadU16 => (mul16(a, b, [false; 2]), false),
        Op::MadS16 => (mul16(a, b, [true; 2]), false),
        Op::MadSatS16 => (mul16(a, b, [true; 2]), true),
        Op::MadU24 => (mul24(a, b, false, false), false),
        Op::MadS24 => (mul24(a, b, true, false), false),
        Op::MadSatS24 => (mul24(a, b, true, false), true),
        Op::MadHiU24 => (mul24(a, b, false, true), false),
        Op::MadHiS24 => (mul24(a, b, true, true), false),
        _ => (mul24(a, b, true, true), true),
    }
}

/// Lanes up to which each is taken for itself.
const FEW: u32 = 4;

/// Something for the lanes of a mask at least.
#[inline(always)]
fn each(mask: u32, f: impl FnMut(usize)) {
    at_least::<32>(mask, FEW, f);
}

impl Machine<'_> {
    /// Values of a 32-bit or 16-bit source; only lanes of `mask` count.
    fn fetch(&self, warp: &Warp, src: Src, mask: u32) -> Result<Lanes, Trap> {
        self.defined(warp, src, mask)?;
        Ok(match src {
            Src::R32(r) => warp.regs[r as usize],
            Src::R16(r, true) => warp.regs[r as usize].map(|v| v >> 16),
            Src::R16(r, false) => warp.regs[r as usize].map(|v| v & 0xffff),
            Src::Value(v) => [v; 32],
            Src::Shared(ty, addr) => {
                let values = self.each_address(warp, addr, mask, |at| {
                    let raw = self.load_shared(at, ty.bytes() as u32)?;
                    Ok(if ty == SharedTy::S16 { i32::from(raw as i16) as u32 } else { raw })
                })?;
                self.reads_shared(warp, addr, mask, ty.bytes() as u32)?;
                values
            }
            Src::Const(c, addr, size) => {
                self.each_address(warp, addr, mask, |at| self.load_const(c, at, u32::from(size)))?
            }
            Src::Attr(n) => *warp
                .io
                .a
                .get(usize::from(n))
                .ok_or_else(|| out_of_bounds(format!("a[{:#x}], there are {} words", 4 * n, warp.io.a.len())))?,
            Src::Prim(addr) => {
                Self::check_areg(warp, addr.a, mask)?;
                Self::words_of(warp, ("p", &warp.io.p), addr, mask)?
            }
            Src::R64(_) | Src::None => [0; 32],
        })
    }

    /// Values of a source that is only copied, and the lanes in which its halves were never written: to copy is no use.
    fn copied(&self, warp: &Warp, src: Src, mask: u32) -> Result<(Lanes, [u32; 2]), Trap> {
        let known = match src {
            Src::R32(r) => warp.known[r as usize],
            Src::R16(r, high) => [warp.known[r as usize][usize::from(high)]; 2],
            _ => return Ok((self.fetch(warp, src, mask)?, [0; 2])),
        };
        Ok((self.fetch(warp, src, 0)?, known.map(|k| mask & !k)))
    }

    /// Loads through an address: once when it is the same in all lanes.
    fn each_address(
        &self,
        warp: &Warp,
        addr: Addr,
        mask: u32,
        load: impl Fn(u32) -> Result<u32, Trap>,
    ) -> Result<Lanes, Trap> {
        Self::check_areg(warp, addr.a, mask)?;
        if addr.a == 0 {
            return Ok([load(Self::address(warp, addr, 0))?; 32]);
        }
        let mut out = [0; 32];
        for lane in (0..32).filter(|l| mask >> l & 1 == 1) {
            out[lane as usize] = load(Self::address(warp, addr, lane)).map_err(|t| t.in_lane(lane))?;
        }
        Ok(out)
    }

    fn fetch64(&self, warp: &Warp, src: Src, mask: u32) -> Result<Wide, Trap> {
        match src {
            Src::R64(r) => {
                self.defined(warp, src, mask)?;
                let (lo, hi) = (&warp.regs[r as usize], &warp.regs[r as usize + 1]);
                Ok(std::array::from_fn(|l| u64::from(lo[l]) | u64::from(hi[l]) << 32))
            }
            _ => Ok(self.fetch(warp, src, mask)?.map(u64::from)),
        }
    }

    fn write(warp: &mut Warp, code: &Code, values: &Lanes, mask: u32) {
        match code.dst {
            Dst::R32(r, _) => warp.write(r, values, mask),
            Dst::R16(r, high) => warp.write_half(r, high, values, mask),
            Dst::Out(n) => drop(warp.write_out(n.into(), values, mask)),
            Dst::None | Dst::Ignored => {}
        }
    }

    fn write_wide(warp: &mut Warp, code: &Code, values: &Wide, mask: u32) {
        if let Dst::R32(r, 2) = code.dst {
            warp.write(r, &values.map(|v| v as u32), mask);
            warp.write(r + 1, &values.map(|v| (v >> 32) as u32), mask);
        } else {
            Self::write(warp, code, &values.map(|v| v as u32), mask);
        }
    }

    /// Results and flags.
    fn map(
        warp: &mut Warp,
        code: &Code,
        mask: u32,
        [a, b, c]: [&Lanes; 3],
        f: impl Fn(u32, u32, u32, usize) -> (u32, u8),
    ) {
        let mut values = [0; 32];
        if let Some(to) = code.cdst {
            let mut flags = [0; 32];
            each(mask, |l| (values[l], flags[l]) = f(a[l], b[l], c[l], l));
            warp.write_flags(to, &flags, mask);
        } else {
            each(mask, |l| values[l] = f(a[l], b[l], c[l], l).0);
        }
        Self::write(warp, code, &values, mask);
    }

    /// Results that need no flags.
    fn plain(warp: &mut Warp, code: &Code, mask: u32, a: &Lanes, b: &Lanes, f: impl Fn(u32, u32) -> u32) {
        let mut values = [0; 32];
        each(mask, |l| values[l] = f(a[l], b[l]));
        Self::write(warp, code, &values, mask);
    }

    /// Executes everything but the flow of control, in the lanes of `mask` (not empty).
    #[expect(clippy::too_many_lines, reason = "one arm for each operation")]
    pub fn execute(&mut self, warp: &mut Warp, code: &Code, mask: u32) -> Result<(), Trap> {
        let zero = [0; 32];
        if let Dst::Out(n) = code.dst
            && usize::from(n) >= warp.io.o.len()
        {
            let message = format!("o[{:#x}], there are {} words", 4 * n, warp.io.o.len());
            return Err(out_of_bounds(message));
        }
        let bits = if code.ty.bytes() == 2 { 16 } else { 32 };
        let quick = code.cdst.is_none() && bits == 32 && !code.sat;
        match code.op {
            Op::Mov => {
                let lanes = mask & code.lanes;
                let (a, undefined) = self.copied(warp, code.src[0], lanes)?;
                Self::write(warp, code, &a, lanes);
                warp.forget_halves(code.dst, undefined);
            }
            Op::Add | Op::Sub | Op::Subr | Op::Addc => {
                let a = self.fetch(warp, code.src[0], mask)?;
                let b = self.fetch(warp, code.src[1], mask)?;
                match code.op {
                    Op::Add if quick => Self::plain(warp, code, mask, &a, &b, u32::wrapping_add),
                    Op::Sub if quick => Self::plain(warp, code, mask, &a, &b, u32::wrapping_sub),
                    Op::Subr if quick => Self::plain(warp, code, mask, &b, &a, u32::wrapping_sub),
                    _ => {
                        let op = match code.op {
                            Op::Add => 0,
                            Op::Sub => 1,
                            Op::Subr => 2,
                            _ => 3,
                        };
                        let carry = self.carry(warp, code, op, mask)?;
                        let sat = code.sat;
                        Self::map(warp, code, mask, [&a, &b, &zero], |a, b, _, l| {
                            add(op, a, b, carry >> l & 1 == 1, sat, bits)
                        });
                    }
                }
            }
            Op::And | Op::Or | Op::Xor | Op::Mov2 => {
                let a = self.fetch(warp, code.src[0], mask)?;
                let b = self.fetch(warp, code.src[1], mask)?;
                let (n1, n2) = (0_u32.wrapping_sub(code.not[0].into()), 0_u32.wrapping_sub(code.not[1].into()));
                let op = code.op;
                let f = move |a: u32, b: u32| {
                    let (a, b) = (a ^ n1, b ^ n2);
                    match op {
                        Op::And => a & b,
                        Op::Or => a | b,
                        Op::Xor => a ^ b,
                        _ => b,
                    }
                };
                if quick {
                    Self::plain(warp, code, mask, &a, &b, f);
                } else {
                    let max = u32::MAX >> (32 - bits);
                    Self::map(warp, code, mask, [&a, &b, &zero], |a, b, _, _| {
                        let r = f(a, b) & max;
                        (r, int_flags(r, bits))
                    });
                }
            }
            Op::Shl | Op::Shr => {
                let a = self.fetch(warp, code.src[0], mask)?;
                let b = if code.src[1] == Src::None { [code.imm; 32] } else { self.fetch(warp, code.src[1], mask)? };
                // A 16-bit count is the low half of its operand.
                let counts = u32::MAX >> (32 - if code.src[1] == Src::None { 32 } else { bits });
                let (left, signed) = (code.op == Op::Shl, code.signed[0]);
                if quick {
                    match (left, signed) {
                        (true, _) => {
                            Self::plain(warp, code, mask, &a, &b, |a, n| if n < 32 { a << (n & 31) } else { 0 })
                        }
                        (false, false) => {
                            Self::plain(warp, code, mask, &a, &b, |a, n| if n < 32 { a >> (n & 31) } else { 0 });
                        }
                        (false, true) => {
                            Self::plain(warp, code, mask, &a, &b, |a, n| (a as i32 >> n.min(31)) as u32);
                        }
                    }
                    return Ok(());
                }
                Self::map(warp, code, mask, [&a, &b, &zero], |a, b, _, _| {
                    if left { shift_left(a, b & counts, bits) } else { shift_right(a, b & counts, bits, signed) }
                });
            }
            Op::Set | Op::Max | Op::Min => {
                let a = self.fetch(warp, code.src[0], mask)?;
                let b = self.fetch(warp, code.src[1], mask)?;
                let (signed, op, cond) = (code.signed[0], code.op, code.cond);
                let max = u32::MAX >> (32 - bits);
                if bits == 32 {
                    // The order of signed numbers is that of unsigned ones with the other sign bit.
                    let flip = if signed { 1 << 31 } else { 0 };
                    let f = |a: u32, b: u32| {
                        let (x, y) = (a ^ flip, b ^ flip);
                        match op {
                            Op::Set => {
                                let holds = u8::from(x < y) | u8::from(x == y) << 1 | u8::from(x > y) << 2;
                                0_u32.wrapping_sub(u32::from(holds & cond != 0))
                            }
                            Op::Max => x.max(y) ^ flip,
                            _ => x.min(y) ^ flip,
                        }
                    };
                    Self::map(warp, code, mask, [&a, &b, &zero], |a, b, _, _| {
                        let r = f(a, b);
                        (r, int_flags(r, 32))
                    });
                    return Ok(());
                }
                Self::map(warp, code, mask, [&a, &b, &zero], |a, b, _, _| {
                    let value = |v: u32| if signed { sign_extend(v, bits) } else { i64::from(v & max) };
                    let order = value(a).cmp(&value(b));
                    let r = match op {
                        Op::Set => {
                            let bit = [1, 2, 4][(order as i8 + 1) as usize];
                            if cond & bit != 0 { max } else { 0 }
                        }
                        Op::Max if order.is_lt() => b,
                        Op::Max => a,
                        _ if order.is_lt() => a,
                        _ => b,
                    } & max;
                    (r, int_flags(r, bits))
                });
            }
            Op::Mul16 | Op::Mul24 => {
                let a = self.fetch(warp, code.src[0], mask)?;
                let b = self.fetch(warp, code.src[1], mask)?;
                let (short, signed, high) = (code.op == Op::Mul16, code.signed, code.high);
                if quick && short && signed == [false; 2] {
                    Self::plain(warp, code, mask, &a, &b, |a, b| (a & 0xffff) * (b & 0xffff));
                    return Ok(());
                }
                Self::map(warp, code, mask, [&a, &b, &zero], |a, b, _, _| {
                    let r = if short { mul16(a, b, signed) } else { mul24(a, b, signed[0], high) };
                    (r, int_flags(r, 32))
                });
            }
            Op::MadU16
            | Op::MadS16
            | Op::MadSatS16
            | Op::MadU24
            | Op::MadS24
            | Op::MadSatS24
            | Op::MadHiU24
            | Op::MadHiS24
            | Op::MadSatHiS24 => {
                let a = self.fetch(warp, code.src[0], mask)?;
                let b = self.fetch(warp, code.src[1], mask)?;
                let c = self.fetch(warp, code.src[2], mask)?;
                let carry = self.carry(warp, code, code.addop, mask)?;
                let (op, addop) = (code.op, code.addop);
                if quick && op == Op::MadU16 && addop == 0 {
                    let mut p = [0; 32];
                    for l in 0..32 {
                        p[l] = (a[l] & 0xffff) * (b[l] & 0xffff);
                    }
                    Self::plain(warp, code, mask, &p, &c, u32::wrapping_add);
                    return Ok(());
                }
                Self::map(warp, code, mask, [&a, &b, &c], |a, b, c, l| {
                    let (product, sat) = mad_product(op, a, b);
                    add(addop, product, c, carry >> l & 1 == 1, sat, 32)
                });
            }
            Op::Sad => {
                let a = self.fetch(warp, code.src[0], mask)?;
                let b = self.fetch(warp, code.src[1], mask)?;
                let c = self.fetch(warp, code.src[2], mask)?;
                let signed = code.signed[0];
                Self::map(warp, code, mask, [&a, &b, &c], |a, b, c, _| {
                    let max = u32::MAX >> (32 - bits);
                    let value = |v: u32| if signed { sign_extend(v, bits) } else { i64::from(v & max) };
                    add(0, (value(a) - value(b)).unsigned_abs() as u32, c, false, false, 32)
                });
            }
            Op::Fadd | Op::Fmul | Op::FmulSat | Op::Fmad | Op::Fset | Op::Fmax | Op::Fmin => {
                self.float_op(warp, code, mask)?;
            }
            Op::Slct => self.select(warp, code, mask)?,
            Op::QuadOp => self.quad_op(warp, code, mask)?,
            Op::PreSin | Op::PreEx2 | Op::Rcp | Op::Rsqrt | Op::Lg2 | Op::Sin | Op::Cos | Op::Ex2 => {
                let a = self.fetch(warp, code.src[0], mask)?;
                let (op, abs, neg, sat) = (code.op, code.abs[0], code.neg[0], code.sat);
                let mut values = [0; 32];
                // Each lane for itself: these take long.
                for l in lanes(mask) {
                    let a = a[l];
                    let x = float::modify(a, abs, neg);
                    let r = match op {
                        Op::PreSin => sfu::presin(x),
                        Op::PreEx2 => sfu::preex2(x),
                        Op::Rcp => sfu::rcp(x),
                        Op::Rsqrt => sfu::rsqrt(x),
                        Op::Lg2 => sfu::lg2(x),
                        Op::Sin => sfu::sin(a),
                        Op::Cos => sfu::cos(a),
                        _ => sfu::ex2(a),
                    };
                    values[l] = if sat { float::saturate(r) } else { r };
                }
                Self::write(warp, code, &values, mask);
                if let Some(c) = code.cdst {
                    warp.write_flags(c, &[0; 32], mask);
                }
            }
            Op::CvtII | Op::CvtIF | Op::CvtFI | Op::CvtFF | Op::CvtRint => {
                let a = self.fetch64(warp, code.src[0], mask)?;
                let cvt = Cvt {
                    op: code.op,
                    dst: code.ty,
                    src: code.src_ty,
                    abs: code.abs[0],
                    neg: code.neg[0],
                    sat: code.sat,
                    round: code.round,
                };
                let mut values = [0; 32];
                let mut flags = [0; 32];
                for l in lanes(mask) {
                    (values[l], flags[l]) = convert(&cvt, a[l]).map_err(|t| t.in_lane(l as u32))?;
                }
                Self::write_wide(warp, code, &values, mask);
                if let Some(c) = code.cdst {
                    warp.write_flags(c, &flags, mask);
                }
            }
            Op::Dfma | Op::Dadd | Op::Dmul | Op::Dmin | Op::Dmax | Op::Dset => self.double_op(warp, code, mask)?,
            Op::MovFromC => {
                let values = warp.flags[code.pcc as usize].map(u32::from);
                let undefined = mask & !warp.flags_known[code.pcc as usize];
                Self::write(warp, code, &values, mask);
                warp.forget(code.dst, undefined);
            }
            Op::MovToC => {
                let (a, undefined) = self.copied(warp, code.src[0], mask)?;
                if let Some(c) = code.cdst {
                    warp.write_flags(c, &a.map(|v| v as u8 & 0xf), mask);
                    warp.flags_known[c as usize] &= !undefined[0];
                }
            }
            Op::MovFromA => {
                Self::check_areg(warp, code.areg, mask)?;
                let values = warp.areg[code.areg as usize].map(u32::from);
                Self::write(warp, code, &values, mask);
            }
            Op::ShlToA | Op::AddA => {
                let values = if code.op == Op::ShlToA {
                    let a = self.fetch(warp, code.src[0], mask)?;
                    a.map(|v| (v << (code.imm & 0xf)) as u16)
                } else {
                    Self::check_areg(warp, code.areg, mask)?;
                    warp.areg[code.areg as usize].map(|v| v.wrapping_add(code.imm as u16))
                };
                let dst = code.adst as usize;
                fail_if!(!(1..=4).contains(&dst), bad_register(format!("$a{dst} cannot be written")));
                for l in lanes(mask) {
                    warp.areg[dst][l] = values[l];
                }
                warp.areg_known[dst] |= mask;
            }
            Op::MovFromSr => {
                let sr = code.inst.get("sr").unwrap_or(0);
                let values = match sr {
                    0 => std::array::from_fn(|l| l as u32 | warp.id << 8),
                    1 => [self.counts.report.instructions as u32; 32],
                    2 => zero,
                    8 if self.program.stage == gpucc_isa::stage::FS && self.program.generation >= 3 => warp.io.sample,
                    _ => {
                        return Err(unsupported(format!("special register {sr} means nothing in compute programs")));
                    }
                };
                Self::write(warp, code, &values, mask);
            }
            Op::VoteAny | Op::VoteAll => {
                let holds = Self::condition(warp, code)?;
                let yes = if code.op == Op::VoteAny { holds != 0 } else { holds == warp.active };
                if let Some(c) = code.cdst {
                    warp.write_flags(c, &[if yes { 2 } else { 1 }; 32], mask);
                }
            }
            Op::LdC | Op::LdS | Op::LdLock | Op::StS | Op::StUnlock | Op::LdL | Op::StL | Op::LdG | Op::StG => {
                self.memory_op(warp, code, mask)?;
            }
            Op::Red(op) | Op::Atom(op) => self.atomic(warp, code, op, mask)?,
            Op::Nop | Op::PmEvent => {}
            Op::TexAuto
            | Op::TexFetch
            | Op::TexBias
            | Op::TexLod
            | Op::TexSize
            | Op::TexPrep
            | Op::TexQueryLod
            | Op::TexCsaa
            | Op::TexGather => self.texture(warp, code, mask)?,
            Op::LdA | Op::StO | Op::Interp | Op::InterpMul | Op::InterpFlat => self.stage_io(warp, code, mask)?,
            Op::Emit | Op::Restart => Self::output(warp, code, mask),
            _ => return Err(unsupported("not an instruction of compute programs")),
        }
        Ok(())
    }

    /// Carry inputs, a bit for each lane.
    fn carry(&self, warp: &Warp, code: &Code, op: u8, mask: u32) -> Result<u32, Trap> {
        if op != 3 {
            return Ok(0);
        }
        Self::flags_defined(warp, code.pcc, mask)?;
        let flags = &warp.flags[code.pcc as usize];
        Ok((0..32).fold(0, |m, l| m | u32::from(flags[l] >> 2 & 1) << l))
    }

    /// The first source where the third is at least 0, else the second. The third is compared as arithmetic does, denormals as
    /// zeros of their sign; what it picks is copied.
    fn select(&mut self, warp: &mut Warp, code: &Code, mask: u32) -> Result<(), Trap> {
        let c = self.fetch(warp, code.src[2], mask)?;
        let negate = code.neg[2];
        let first = |c: u32| {
            let z = float::flush(float::modify(c, false, negate));
            !float::is_nan(z) && (z >> 31 == 0 || z << 1 == 0)
        };
        let chosen = (0..32).filter(|&l| first(c[l])).fold(0_u32, |m, l| m | 1 << l) & mask;
        let (a, lost) = self.copied(warp, code.src[0], chosen)?;
        let (b, lost2) = self.copied(warp, code.src[1], mask & !chosen)?;
        let undefined = [lost[0] | lost2[0], lost[1] | lost2[1]];
        if code.cdst.is_some() && undefined != [0; 2] {
            // Flags of a value are a use of it.
            self.fetch(warp, code.src[0], chosen)?;
            self.fetch(warp, code.src[1], mask & !chosen)?;
        }
        Self::map(warp, code, mask, [&a, &b, &[0; 32]], |a, b, _, l| {
            let r = if chosen >> l & 1 == 1 { a } else { b };
            (r, u8::from(r << 1 == 0) | (r >> 31 << 1) as u8)
        });
        warp.forget_halves(code.dst, undefined);
        Ok(())
    }

    fn float_op(&mut self, warp: &mut Warp, code: &Code, mask: u32) -> Result<(), Trap> {
        let zero = [0; 32];
        let a = self.fetch(warp, code.src[0], mask)?;
        let b = self.fetch(warp, code.src[1], mask)?;
        let c = if code.src[2] == Src::None { zero } else { self.fetch(warp, code.src[2], mask)? };
        let (op, neg, abs, cond) = (code.op, code.neg, code.abs, code.cond);
        let modified =
            |v: Lanes, abs: bool, neg: bool| if abs || neg { v.map(|v| float::modify(v, abs, neg)) } else { v };
        let (x, y, z) = (modified(a, abs[0], neg[0]), modified(b, abs[1], neg[1]), modified(c, false, neg[2]));
        let mut r = [0; 32];
        let mut flags = None;
        macro_rules! lanes {
            (|$l:ident| $value:expr) => {
                each(mask, |$l| r[$l] = $value)
            };
        }
        match op {
            Op::Fadd if code.round == 3 => lanes!(|l| float::add(x[l], y[l], true)),
            Op::Fadd => lanes!(|l| float::add(x[l], y[l], false)),
            Op::Fmul | Op::FmulSat if code.round == 3 => lanes!(|l| float::mul(x[l], y[l], true)),
            Op::Fmul | Op::FmulSat => lanes!(|l| float::mul(x[l], y[l], false)),
            // The product is negated behind the cut.
            Op::Fmad => lanes!(|l| float::mad(a[l], b[l], z[l], neg[0])),
            Op::Fmax => lanes!(|l| float::minmax(x[l], y[l], true)),
            Op::Fmin => lanes!(|l| float::minmax(x[l], y[l], false)),
            _ => {
                lanes!(|l| 0_u32.wrapping_sub(float::compare(x[l], y[l], cond).into()));
                flags = Some(r.map(|r| if r != 0 { 2 } else { 1 }));
            }
        }
        if code.sat && flags.is_none() {
            r = r.map(float::saturate);
        }
        Self::write(warp, code, &r, mask);
        if let Some(c) = code.cdst {
            warp.write_flags(c, &flags.unwrap_or_else(|| r.map(float::flags)), mask);
        }
        Ok(())
    }

    /// Arithmetic between lanes of a quad. In compute programs the neighbour lanes dx and dy give 0.
    fn quad_op(&mut self, warp: &mut Warp, code: &Code, mask: u32) -> Result<(), Trap> {
        let own = self.fetch(warp, code.src[2], mask)?;
        let mut other = [0; 32];
        let fragments = self.program.stage == gpucc_isa::stage::FS;
        let neighbour = code.qlane >= 4 && !fragments;
        if code.qlane >= 4 && fragments {
            let by = if code.qlane & 1 == 0 { 1 } else { 2 };
            let lanes = (0..32).filter(|l| mask >> l & 1 == 1).fold(0_u32, |m, l| m | 1 << (l ^ by));
            let all = self.fetch(warp, code.src[0], lanes & warp.active)?;
            other = std::array::from_fn(|l| all[l ^ by]);
        } else if !neighbour {
            // A lane that is elsewhere, or gone, has whatever it has.
            let lanes = (0..32).filter(|l| mask >> l & 1 == 1).fold(0_u32, |m, l| m | 1 << ((l & !3) | code.qlane));
            let all = self.fetch(warp, code.src[0], lanes & warp.active)?;
            other = std::array::from_fn(|l| all[l & !3 | code.qlane as usize]);
        }
        let quad = code.quad;
        Self::map(warp, code, mask, [&other, &own, &[0; 32]], |s1, s3, _, l| {
            if neighbour {
                return (0, 1);
            }
            let minus = |v: u32| if float::is_nan(v) { v } else { v ^ 1 << 31 };
            let r = match quad[l & 3] {
                0 => float::add(s1, s3, false),
                1 => float::add(s3, minus(s1), false),
                2 => float::add(s1, minus(s3), false),
                _ => float::add(s3, if s3 >> 31 == 1 { 1 << 31 } else { 0 }, false),
            };
            (r, float::flags(r))
        });
        Ok(())
    }

    fn double_op(&mut self, warp: &mut Warp, code: &Code, mask: u32) -> Result<(), Trap> {
        let a = self.fetch64(warp, code.src[0], mask)?;
        let b = self.fetch64(warp, code.src[1], mask)?;
        let c = self.fetch64(warp, code.src[2], mask)?;
        let mut values = [0; 32];
        let mut flags = [0; 32];
        for l in lanes(mask) {
            let x = double::modify(a[l], code.abs[0], code.neg[0]);
            let y = double::modify(b[l], code.abs[1], code.neg[1]);
            let z = double::modify(c[l], false, code.neg[2]);
            let r = match code.op {
                Op::Dfma => double::fma(x, y, z, code.round),
                Op::Dadd => double::add(x, y, code.round),
                Op::Dmul => double::mul(x, y, code.round),
                Op::Dmin => double::minmax(x, y, false),
                Op::Dmax => double::minmax(x, y, true),
                _ => {
                    let yes = float::relation(f64::from_bits(x), f64::from_bits(y)) & code.cond != 0;
                    (values[l], flags[l]) = if yes { (0xffff_ffff, 2) } else { (0, 1) };
                    continue;
                }
            };
            (values[l], flags[l]) = (r, double::flags(r));
        }
        Self::write_wide(warp, code, &values, mask);
        if let Some(c) = code.cdst {
            warp.write_flags(c, &flags, mask);
        }
        debug_assert!(first(mask) < 32 && code.ty == Ty::F64);
        Ok(())
    }
}
