//! Scalar ALU (section 4).

use gpucc_isa::fail_if;
use gpucc_sim::trap::{Trap, bad_register, unsupported};

use super::decode::{Decoded, Src};
use super::subgroup::Wave;
use crate::Op;
use crate::operand::{EXEC, M0};

/// The work after an instruction.
#[derive(PartialEq, Eq)]
pub(crate) enum Next {
    /// Continue with the next one.
    Go,
    /// Jump to the instruction at this byte address.
    Address(u64),
    /// Jump to this decoded instruction.
    Index(Option<u32>),
    /// Wait at a barrier.
    Barrier,
    /// Let others run.
    Yield,
    /// The wave ended.
    End,
}

impl Wave {
    fn special(&self, code: u8) -> Result<u32, Trap> {
        Ok(match code {
            251 => u32::from(self.pair(crate::operand::VCC as usize) == 0),
            252 => u32::from(self.exec() == 0),
            253 => u32::from(self.scc()?),
            _ => return Err(unsupported("LDS_DIRECT reads are not modelled")),
        })
    }
    pub(crate) fn s32(&self, s: Src) -> Result<u32, Trap> {
        Ok(match s {
            Src::S(n) => self.s[usize::from(n)],
            Src::K(v) => v as u32,
            Src::Special(c) => self.special(c)?,
            Src::V(_) | Src::None => 0,
        })
    }
    pub(crate) fn s64(&self, s: Src) -> Result<u64, Trap> {
        Ok(match s {
            Src::S(n) => self.pair(usize::from(n)),
            Src::K(v) => v,
            Src::Special(c) => self.special(c)?.into(),
            Src::V(_) | Src::None => 0,
        })
    }
    fn put32(&mut self, d: &Decoded, v: u32) {
        self.s[usize::from(d.dst)] = v;
        self.s_known |= 1 << d.dst;
    }
    fn put64(&mut self, d: &Decoded, v: u64) {
        self.set_pair(usize::from(d.dst), v);
    }
    fn nz32(&mut self, d: &Decoded, v: u32) {
        self.put32(d, v);
        self.scc = Some(v != 0);
    }
    fn nz64(&mut self, d: &Decoded, v: u64) {
        self.put64(d, v);
        self.scc = Some(v != 0);
    }
    /// Copies `n` registers with what is known of them.
    fn copy(&mut self, d: &Decoded, s: Src, n: u8) -> Result<(), Trap> {
        if let Src::S(from) = s {
            // The upper half of EXEC is the last register: nothing lies behind it.
            let at = |i: u8| (i < n).then(|| from + i);
            let known = [0, 1].map(|i| at(i).is_some_and(|r| self.s_known >> r & 1 == 1));
            let v = [0, 1].map(|i| at(i).map_or(0, |r| self.s[usize::from(r)]));
            for i in 0..usize::from(n) {
                let to = usize::from(d.dst) + i;
                self.s[to] = v[i];
                self.s_known = self.s_known & !(1 << to) | u128::from(known[i]) << to;
            }
            if u32::from(d.dst) >= EXEC && (!known[0] || n == 2 && !known[1]) {
                return Err(super::subgroup::undefined(from.into()));
            }
            return Ok(());
        }
        let v = if n == 2 { self.s64(s)? } else { self.s32(s)?.into() };
        if n == 2 {
            self.put64(d, v)
        } else {
            self.put32(d, v as u32)
        }
        Ok(())
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each operation")]
    pub(crate) fn salu(&mut self, d: &Decoded) -> Result<Next, Trap> {
        let imm = d.imm as u16 as i16 as i32;
        let at = usize::from(d.dst);
        // What is made of one source or of two, and how it is written: the width of sources in bits is behind a name.
        macro_rules! one32 {
            ($put:ident, |$a:ident| $v:expr) => {{
                let $a = self.s32(d.src[0])?;
                let v = $v;
                self.$put(d, v);
            }};
        }
        macro_rules! one64 {
            ($put:ident, |$a:ident| $v:expr) => {{
                let $a = self.s64(d.src[0])?;
                let v = $v;
                self.$put(d, v);
            }};
        }
        macro_rules! ab {
            () => {
                (self.s32(d.src[0])?, self.s32(d.src[1])?)
            };
        }
        macro_rules! ab64 {
            () => {
                (self.s64(d.src[0])?, self.s64(d.src[1])?)
            };
        }
        macro_rules! two32 {
            ($put:ident, |$a:ident, $b:ident| $v:expr) => {{
                let ($a, $b) = ab!();
                self.$put(d, $v);
            }};
        }
        macro_rules! two64 {
            ($put:ident, |$a:ident, $b:ident| $v:expr) => {{
                let ($a, $b) = ab64!();
                self.$put(d, $v);
            }};
        }
        // 64-bit value, 32-bit second source.
        macro_rules! two6432 {
            ($put:ident, |$a:ident, $b:ident| $v:expr) => {{
                let ($a, $b) = (self.s64(d.src[0])?, self.s32(d.src[1])?);
                self.$put(d, $v);
            }};
        }
        // A result and SCC.
        macro_rules! sum {
            (|$a:ident, $b:ident| $v:expr) => {{
                let ($a, $b) = ab!();
                let (v, carry) = $v;
                self.put32(d, v as u32);
                self.scc = Some(carry);
            }};
        }
        macro_rules! cmp {
            ($ty:ty, $op:tt) => {{
                let (a, b) = ab!();
                self.scc = Some((a as $ty) $op (b as $ty));
            }};
        }
        macro_rules! cmpk {
            (i32, $op:tt) => {{ self.scc = Some((self.s[at] as i32) $op imm); }};
            (u32, $op:tt) => {{ self.scc = Some(self.s[at] $op (d.imm & 0xffff)); }};
        }
        macro_rules! saveexec {
            ($f:expr) => {{
                let s = self.s64(d.src[0])?;
                let old = self.exec();
                let f: fn(u64, u64) -> u64 = $f;
                let new = f(s, old);
                self.put64(d, old);
                self.set_exec(new);
                self.scc = Some(new != 0);
            }};
        }
        match d.op {
            // SOP2
            Op::SAddU32 => sum!(|a, b| a.overflowing_add(b)),
            Op::SSubU32 => sum!(|a, b| a.overflowing_sub(b)),
            Op::SAddI32 => sum!(|a, b| (a as i32).overflowing_add(b as i32)),
            Op::SSubI32 => sum!(|a, b| (a as i32).overflowing_sub(b as i32)),
            Op::SAddcU32 => sum!(|a, b| gpucc_num::int::add_carry(a, b, self.scc()?)),
            Op::SSubbU32 => sum!(|a, b| gpucc_num::int::sub_borrow(a, b, self.scc()?)),
            Op::SMinI32 => sum!(|a, b| if (a as i32) < b as i32 { (a, true) } else { (b, false) }),
            Op::SMinU32 => sum!(|a, b| if a < b { (a, true) } else { (b, false) }),
            Op::SMaxI32 => sum!(|a, b| if a as i32 > b as i32 { (a, true) } else { (b, false) }),
            Op::SMaxU32 => sum!(|a, b| if a > b { (a, true) } else { (b, false) }),
            Op::SCselectB32 | Op::SCselectB64 => {
                let s = d.src[usize::from(!self.scc()?)];
                self.copy(d, s, d.dst_width)?;
            }
            Op::SAndB32 => two32!(nz32, |a, b| a & b),
            Op::SAndB64 => two64!(nz64, |a, b| a & b),
            Op::SOrB32 => two32!(nz32, |a, b| a | b),
            Op::SOrB64 => two64!(nz64, |a, b| a | b),
            Op::SXorB32 => two32!(nz32, |a, b| a ^ b),
            Op::SXorB64 => two64!(nz64, |a, b| a ^ b),
            Op::SAndn2B32 => two32!(nz32, |a, b| a & !b),
            Op::SAndn2B64 => two64!(nz64, |a, b| a & !b),
            Op::SOrn2B32 => two32!(nz32, |a, b| a | !b),
            Op::SOrn2B64 => two64!(nz64, |a, b| a | !b),
            Op::SNandB32 => two32!(nz32, |a, b| !(a & b)),
            Op::SNandB64 => two64!(nz64, |a, b| !(a & b)),
            Op::SNorB32 => two32!(nz32, |a, b| !(a | b)),
            Op::SNorB64 => two64!(nz64, |a, b| !(a | b)),
            Op::SXnorB32 => two32!(nz32, |a, b| !(a ^ b)),
            Op::SXnorB64 => two64!(nz64, |a, b| !(a ^ b)),
            Op::SLshlB32 => two32!(nz32, |a, b| a << (b & 31)),
            Op::SLshrB32 => two32!(nz32, |a, b| a >> (b & 31)),
            Op::SAshrI32 => two32!(nz32, |a, b| ((a as i32) >> (b & 31)) as u32),
            Op::SLshlB64 => two6432!(nz64, |a, b| a << (b & 63)),
            Op::SLshrB64 => two6432!(nz64, |a, b| a >> (b & 63)),
            Op::SAshrI64 => two6432!(nz64, |a, b| ((a as i64) >> (b & 63)) as u64),
            Op::SBfmB32 => two32!(put32, |a, b| ((1u32 << (a & 31)) - 1) << (b & 31)),
            Op::SBfmB64 => two32!(put64, |a, b| ((1u64 << (a & 63)) - 1) << (b & 63)),
            Op::SMulI32 => two32!(put32, |a, b| a.wrapping_mul(b)),
            Op::SBfeU32 => two32!(nz32, |a, b| bfe(a.into(), b & 31, b >> 16 & 0x7f, 32, false) as u32),
            Op::SBfeI32 => two32!(nz32, |a, b| bfe(a.into(), b & 31, b >> 16 & 0x7f, 32, true) as u32),
            Op::SBfeU64 => two6432!(nz64, |a, b| bfe(a, b & 63, b >> 16 & 0x7f, 64, false)),
            Op::SBfeI64 => two6432!(nz64, |a, b| bfe(a, b & 63, b >> 16 & 0x7f, 64, true)),
            Op::SAbsdiffI32 => two32!(nz32, |a, b| (a as i32).wrapping_sub(b as i32).wrapping_abs() as u32),
            // SOPK
            Op::SMovkI32 => self.put32(d, imm as u32),
            Op::SCmovkI32 => {
                if self.scc()? {
                    self.put32(d, imm as u32);
                }
            }
            Op::SCmpkEqI32 => cmpk!(i32, ==),
            Op::SCmpkLgI32 => cmpk!(i32, !=),
            Op::SCmpkGtI32 => cmpk!(i32, >),
            Op::SCmpkGeI32 => cmpk!(i32, >=),
            Op::SCmpkLtI32 => cmpk!(i32, <),
            Op::SCmpkLeI32 => cmpk!(i32, <=),
            Op::SCmpkEqU32 => cmpk!(u32, ==),
            Op::SCmpkLgU32 => cmpk!(u32, !=),
            Op::SCmpkGtU32 => cmpk!(u32, >),
            Op::SCmpkGeU32 => cmpk!(u32, >=),
            Op::SCmpkLtU32 => cmpk!(u32, <),
            Op::SCmpkLeU32 => cmpk!(u32, <=),
            Op::SAddkI32 => {
                let (v, o) = (self.s[at] as i32).overflowing_add(imm);
                self.put32(d, v as u32);
                self.scc = Some(o);
            }
            Op::SMulkI32 => self.put32(d, (self.s[at] as i32).wrapping_mul(imm) as u32),
            Op::SGetregB32 => self.put32(d, self.hwreg(d.imm)?),
            Op::SSetregB32 => self.set_hwreg(d.imm, self.s[at])?,
            Op::SSetregImm32B32 => self.set_hwreg(d.imm, self.s32(d.src[0])?)?,
            // SOP1
            Op::SMovB32 | Op::SMovB64 => self.copy(d, d.src[0], d.dst_width)?,
            Op::SCmovB32 | Op::SCmovB64 => {
                if self.scc()? {
                    self.copy(d, d.src[0], d.dst_width)?;
                }
            }
            Op::SNotB32 => one32!(nz32, |a| !a),
            Op::SNotB64 => one64!(nz64, |a| !a),
            Op::SWqmB32 => one32!(nz32, |a| wqm(a.into()) as u32),
            Op::SWqmB64 => one64!(nz64, |a| wqm(a)),
            Op::SBrevB32 => one32!(put32, |a| a.reverse_bits()),
            Op::SBrevB64 => one64!(put64, |a| a.reverse_bits()),
            Op::SBcnt0I32B32 => one32!(nz32, |a| a.count_zeros()),
            Op::SBcnt0I32B64 => one64!(nz32, |a| a.count_zeros()),
            Op::SBcnt1I32B32 => one32!(nz32, |a| a.count_ones()),
            Op::SBcnt1I32B64 => one64!(nz32, |a| a.count_ones()),
            Op::SFf0I32B32 => one32!(put32, |a| first(u64::from(!a), 32)),
            Op::SFf0I32B64 => one64!(put32, |a| first(!a, 64)),
            Op::SFf1I32B32 => one32!(put32, |a| first(a.into(), 32)),
            Op::SFf1I32B64 => one64!(put32, |a| first(a, 64)),
            Op::SFlbitI32B32 => one32!(put32, |a| if a == 0 { u32::MAX } else { a.leading_zeros() }),
            Op::SFlbitI32B64 => one64!(put32, |a| if a == 0 { u32::MAX } else { a.leading_zeros() }),
            Op::SFlbitI32 => one32!(put32, |a| sign_bits(a)),
            Op::SFlbitI32I64 => {
                let a = self.s64(d.src[0])?;
                let same = (a ^ ((a as i64) >> 63) as u64).leading_zeros();
                self.put32(d, if same == 64 { u32::MAX } else { same });
            }
            Op::SSextI32I8 => one32!(put32, |a| (a as u8 as i8 as i32) as u32),
            Op::SSextI32I16 => one32!(put32, |a| (a as u16 as i16 as i32) as u32),
            Op::SBitset0B32 => one32!(put32, |a| self.s[at] & !(1 << (a & 31))),
            Op::SBitset1B32 => one32!(put32, |a| self.s[at] | 1 << (a & 31)),
            Op::SBitset0B64 => one32!(put64, |a| self.pair(at) & !(1 << (a & 63))),
            Op::SBitset1B64 => one32!(put64, |a| self.pair(at) | 1 << (a & 63)),
            Op::SGetpcB64 => self.put64(d, self.code + u64::from(d.next)),
            Op::SSetpcB64 => return Ok(Next::Address(self.s64(d.src[0])?.wrapping_sub(self.code))),
            Op::SSwappcB64 => {
                let to = self.s64(d.src[0])?;
                self.put64(d, self.code + u64::from(d.next));
                return Ok(Next::Address(to.wrapping_sub(self.code)));
            }
            Op::SAndSaveexecB64 => saveexec!(|s, e| s & e),
            Op::SOrSaveexecB64 => saveexec!(|s, e| s | e),
            Op::SXorSaveexecB64 => saveexec!(|s, e| s ^ e),
            Op::SAndn2SaveexecB64 => saveexec!(|s, e| s & !e),
            Op::SOrn2SaveexecB64 => saveexec!(|s, e| s | !e),
            Op::SNandSaveexecB64 => saveexec!(|s, e| !(s & e)),
            Op::SNorSaveexecB64 => saveexec!(|s, e| !(s | e)),
            Op::SXnorSaveexecB64 => saveexec!(|s, e| !(s ^ e)),
            Op::SQuadmaskB32 => one32!(nz32, |a| quadmask(a.into()) as u32),
            Op::SQuadmaskB64 => one64!(nz64, |a| quadmask(a)),
            Op::SMovrelsB32 | Op::SMovrelsB64 => {
                let n = d.dst_width;
                let Src::S(base) = d.src[0] else { return Err(unsupported("relative move from a flag")) };
                let from = self.relative(base, n)?;
                self.copy(d, Src::S(from), n)?;
            }
            Op::SMovreldB32 | Op::SMovreldB64 => {
                let n = d.dst_width;
                let to = self.relative(d.dst as u8, n)?;
                let moved = Decoded { dst: to.into(), ..d.clone() };
                self.copy(&moved, d.src[0], n)?;
            }
            Op::SAbsI32 => one32!(nz32, |a| (a as i32).wrapping_abs() as u32),
            Op::SSetGprIdxIdx => {
                let v = self.s32(d.src[0])? & 0xff;
                let m0 = self.s[M0 as usize] & !0xff | v;
                self.set_m0(m0);
            }
            // SOPC
            Op::SCmpEqI32 | Op::SCmpEqU32 => cmp!(u32, ==),
            Op::SCmpLgI32 | Op::SCmpLgU32 => cmp!(u32, !=),
            Op::SCmpGtI32 => cmp!(i32, >),
            Op::SCmpGeI32 => cmp!(i32, >=),
            Op::SCmpLtI32 => cmp!(i32, <),
            Op::SCmpLeI32 => cmp!(i32, <=),
            Op::SCmpGtU32 => cmp!(u32, >),
            Op::SCmpGeU32 => cmp!(u32, >=),
            Op::SCmpLtU32 => cmp!(u32, <),
            Op::SCmpLeU32 => cmp!(u32, <=),
            Op::SBitcmp0B32 | Op::SBitcmp1B32 => {
                let (a, b) = ab!();
                self.scc = Some((a >> (b & 31) & 1 == 1) == (d.op == Op::SBitcmp1B32));
            }
            Op::SBitcmp0B64 | Op::SBitcmp1B64 => {
                let (a, b) = (self.s64(d.src[0])?, self.s32(d.src[1])?);
                self.scc = Some((a >> (b & 63) & 1 == 1) == (d.op == Op::SBitcmp1B64));
            }
            Op::SCmpEqU64 | Op::SCmpLgU64 => {
                let (a, b) = ab64!();
                self.scc = Some((a == b) == (d.op == Op::SCmpEqU64));
            }
            Op::SSetvskip => {
                let (a, b) = ab!();
                let on = a >> (b & 31) & 1;
                self.set_mode(self.mode & !(1 << 28) | on << 28);
                self.note_vskip();
            }
            Op::SSetGprIdxOn => {
                let m0 = self.s[M0 as usize] & !0xf0ff | self.s32(d.src[0])? & 0xff | d.imm << 12;
                self.set_m0(m0);
                self.set_mode(self.mode | 1 << 27);
            }
            Op::SCbranchGFork | Op::SCbranchIFork | Op::SCbranchJoin => {
                return Err(unsupported("the fork and join stack is not modelled (docs/errata-gcn.md)"));
            }
            Op::SRfeB64 | Op::SRfeRestoreB64 => return Err(unsupported("return from exception is privileged")),
            Op::SGetregRegrdB32 | Op::SMovRegrdB32 => {
                return Err(unsupported("the reference does not say what the register-read forms do"));
            }
            _ => return Err(unsupported(format!("`{}` is not a scalar operation of this interpreter", d.op.name()))),
        }
        Ok(Next::Go)
    }

    fn set_m0(&mut self, v: u32) {
        self.s[M0 as usize] = v;
        self.s_known |= 1 << M0;
    }

    /// SGPR number `base` + M0, checked against what is known.
    fn relative(&self, base: u8, n: u8) -> Result<u8, Trap> {
        fail_if!(self.s_known >> M0 & 1 == 0, super::subgroup::undefined(M0 as u16));
        let to = u64::from(base) + u64::from(self.s[M0 as usize]);
        let aligned = n == 1 || to % 2 == 0;
        if to + u64::from(n) > crate::operand::sgpr_count(self.generation).into() || !aligned {
            return Err(bad_register(format!("relative move touches s{to}")));
        }
        Ok(to as u8)
    }

    /// Reads bits of a hardware register. Only MODE and STATUS exist here; the others depend on the chip.
    fn hwreg(&self, simm: u32) -> Result<u32, Trap> {
        let (id, offset, size) = (simm & 63, simm >> 6 & 31, (simm >> 11 & 31) + 1);
        let v = match id {
            1 => self.mode,
            2 => {
                let execz = u32::from(self.exec() == 0);
                let vccz = u32::from(self.pair(crate::operand::VCC as usize) == 0);
                u32::from(self.scc.unwrap_or(false)) | execz << 9 | vccz << 10 | 1 << 11 | 1 << 16
            }
            _ => return Err(unsupported(format!("hardware register {id} is not modelled"))),
        };
        Ok(bfe(v.into(), offset, size, 32, false) as u32)
    }

    fn set_hwreg(&mut self, simm: u32, v: u32) -> Result<(), Trap> {
        let (id, offset, size) = (simm & 63, simm >> 6 & 31, (simm >> 11 & 31) + 1);
        let mask = (((1u64 << size) - 1) << offset) as u32;
        fail_if!(id != 1, unsupported(format!("writing hardware register {id} is privileged or not modelled")));
        let new = self.mode & !mask | v << offset & mask;
        let vskip = (new ^ self.mode) >> 28 & 1 == 1;
        self.set_mode(new);
        self.note_setreg(1, vskip);
        Ok(())
    }

    /// Program control (section 4.5).
    pub(crate) fn sopp(&mut self, d: &Decoded) -> Result<Next, Trap> {
        let vcc = crate::operand::VCC as usize;
        let jump = match d.op {
            Op::SNop | Op::SSetprio | Op::SIcacheInv | Op::SIncperflevel | Op::SDecperflevel | Op::SWakeup => false,
            Op::SSleep => return Ok(Next::Yield),
            Op::SEndpgm => {
                self.at_end()?;
                return Ok(Next::End);
            }
            Op::SBranch => true,
            Op::SCbranchScc0 => !self.scc()?,
            Op::SCbranchScc1 => self.scc()?,
            Op::SCbranchVccz | Op::SCbranchVccnz => {
                fail_if!(self.s_known >> vcc & 3 != 3, super::subgroup::undefined(vcc as u16));
                (self.pair(vcc) == 0) == (d.op == Op::SCbranchVccz)
            }
            Op::SCbranchExecz => self.exec() == 0,
            Op::SCbranchExecnz => self.exec() != 0,
            Op::SBarrier => {
                self.at_barrier()?;
                return Ok(Next::Barrier);
            }
            Op::SWaitcnt => {
                self.wait(crate::build::counters(d.imm));
                false
            }
            Op::SSetGprIdxOff => {
                self.set_mode(self.mode & !(1 << 27));
                false
            }
            Op::SSetGprIdxMode => {
                let m0 = self.s[M0 as usize] & !0xf000 | d.imm << 12;
                self.set_m0(m0);
                false
            }
            _ => {
                return Err(unsupported(format!(
                    "`{}` sends messages, halts or traps, which this launcher does not serve",
                    d.op.name()
                )));
            }
        };
        Ok(if jump { Next::Index(d.target) } else { Next::Go })
    }
}

/// Field of `width` bits at `offset` of a value of `size` bits; width 0 gives 0, bits beyond the value are absent.
pub(crate) fn bfe(v: u64, offset: u32, width: u32, size: u32, signed: bool) -> u64 {
    if width == 0 {
        return 0;
    }
    let width = width.min(size - offset);
    let mask = if width == 64 { u64::MAX } else { (1 << width) - 1 };
    let field = v >> offset & mask;
    if signed && field >> (width - 1) & 1 == 1 { field | !mask } else { field }
}

fn wqm(v: u64) -> u64 {
    let any = (v | v >> 1 | v >> 2 | v >> 3) & 0x1111_1111_1111_1111;
    any * 15
}

fn quadmask(v: u64) -> u64 {
    (0..16).filter(|q| v >> (4 * q) & 15 != 0).fold(0, |m, q| m | 1 << q)
}

fn first(v: u64, size: u32) -> u32 {
    let n = v.trailing_zeros();
    if n >= size { u32::MAX } else { n }
}

/// Leading bits equal to the sign, -1 if all are.
pub(crate) fn sign_bits(v: u32) -> u32 {
    let same = (v ^ ((v as i32) >> 31) as u32).leading_zeros();
    if same == 32 { u32::MAX } else { same }
}
