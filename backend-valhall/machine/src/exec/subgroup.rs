//! One warp: registers with a record of what is undefined or in flight, the scoreboard, divergence.

use gpucc_num::{Mode, convert};
use gpucc_sim::{
    Agent, SplitMix64, Trap, TrapKind,
    trap::{hazard, undefined, unsupported},
};

use super::decode::{DInst, Form, Source, Value};
use super::scoreboard::{Scoreboard, Touch};
use super::weak::Write;

/// An address that no allocation reaches: stands for accesses that touch nothing.
pub(super) const NOWHERE: u64 = 1 << 62;

/// Lanes of a warp.
pub(super) const LANES: usize = 16;

/// A value for each lane.
pub(super) type V32 = [u32; LANES];
/// A 64-bit value for each lane.
pub(super) type V64 = [u64; LANES];

#[derive(Clone)]
pub(super) struct Warp {
    pub number: u32,
    /// Lanes that exist, a bit each.
    pub whole: u16,
    /// Those of them that have not ended.
    pub live: u16,
    /// Lanes that execute now.
    pub active: u16,
    /// Live lanes that wait at a barrier for the others of the warp: under hardware's rules parts of a warp come to it one by one.
    parked: u16,
    /// Next instruction of the active lanes.
    pub pc: usize,
    /// Next instruction of the other live lanes.
    pub lane_pc: [usize; LANES],
    pub regs: Box<[V32; 64]>,
    /// Lanes in which a byte of a register is undefined.
    undef: Box<[[u16; 4]; 64]>,
    /// Lanes in which a message will write the register.
    pending: [u16; 64],
    /// Lanes in which the register was marked as used for the last time.
    killed: [u16; 64],
    /// Union of the above: the quick check.
    bad: [u16; 64],
    messages: Scoreboard,
    pub thread_base: V64,
    pub mode: Mode,
    pub perturb: Option<u64>,
    /// The accesses under way, where memory is weak.
    pub agent: Option<Agent<Write>>,
    /// Whether lanes are quads of fragments.
    pub has_quads: bool,
    /// Lanes of fragments that nothing covers, or that were discarded.
    pub helpers: u16,
    /// Flow of the instruction before.
    pub before: u8,
    /// Lanes with varyings under way, by slot.
    varyings: [u16; 8],
    /// Where the position of interpolation is that each lane keeps.
    pub kept: [Option<u8>; LANES],
}

impl Warp {
    pub fn new(number: u32, live: u16, thread_base: V64, mode: Mode, garbage: Option<&mut SplitMix64>) -> Warp {
        let mut regs = Box::new([[0xCCCC_CCCC; LANES]; 64]);
        let perturb = garbage.map(|rng| {
            for r in regs.iter_mut() {
                for lane in r.iter_mut() {
                    *lane = rng.next_u32();
                }
            }
            rng.next_u64()
        });
        Warp {
            number,
            agent: None,
            whole: live,
            live,
            active: live,
            parked: 0,
            pc: 0,
            lane_pc: [0; LANES],
            regs,
            undef: Box::new([[!0; 4]; 64]),
            pending: [0; 64],
            killed: [0; 64],
            bad: [!0; 64],
            messages: Scoreboard::new(),
            thread_base,
            mode,
            perturb,
            has_quads: false,
            helpers: 0,
            before: 0,
            varyings: [0; 8],
            kept: [None; LANES],
        }
    }

    /// Loads a register at launch; `bytes` are those that the convention defines.
    pub fn preload(&mut self, reg: u8, bytes: u8, values: V32) {
        let r = usize::from(reg);
        for (lane, v) in values.iter().enumerate() {
            let keep = self.regs[r][lane];
            let mask = byte_mask(bytes);
            self.regs[r][lane] = v & mask | keep & !mask;
        }
        for b in 0..4 {
            if bytes >> b & 1 != 0 {
                self.undef[r][b] = 0;
            }
        }
        self.refresh(r);
    }

    fn refresh(&mut self, r: usize) {
        let u = &self.undef[r];
        self.bad[r] = u[0] | u[1] | u[2] | u[3] | self.pending[r];
    }

    /// Traps unless the bytes of `need` are defined in `lanes`.
    #[inline]
    pub fn check(&self, reg: u8, need: u8, lanes: u16) -> Result<(), Trap> {
        if self.bad[usize::from(reg)] & lanes == 0 {
            return Ok(());
        }
        self.check_slow(reg, need, lanes)
    }

    #[cold]
    fn check_slow(&self, reg: u8, need: u8, lanes: u16) -> Result<(), Trap> {
        let r = usize::from(reg);
        let fail = |kind, lanes: u16, what: String| {
            Err(Trap::new(kind, what).in_lane(self.number * LANES as u32 + lanes.trailing_zeros()))
        };
        if need != 0 {
            self.check_arrived(reg, lanes)?;
        }
        for b in 0..4 {
            let lanes = self.undef[r][b] & lanes;
            if need >> b & 1 != 0 && lanes != 0 {
                let why = if self.killed[r] & lanes != 0 {
                    format!("r{reg} is read after its last use")
                } else {
                    format!("byte {b} of r{reg} is undefined")
                };
                return fail(TrapKind::UndefinedRead, lanes, why);
            }
        }
        Ok(())
    }

    /// Traps when a message is going to write the register in one of `lanes`.
    pub fn check_arrived(&self, reg: u8, lanes: u16) -> Result<(), Trap> {
        let pending = self.pending[usize::from(reg)] & lanes;
        if pending == 0 {
            return Ok(());
        }
        let slot = self.messages.writer(reg, pending).unwrap_or(0);
        let what = format!("r{reg} is written by a message on slot {slot} that no wait covers");
        Err(Trap::new(TrapKind::Poison, what).in_lane(self.number * LANES as u32 + pending.trailing_zeros()))
    }

    /// Active lanes in which a byte of `need` is undefined in a source, which must not be under way.
    #[inline]
    pub fn undefined_in(&self, s: &Source, need: u8) -> Result<u16, Trap> {
        let Value::Reg(r) = s.value else { return self.check_source(s).map(|()| 0) };
        if need == 0 || self.bad[usize::from(r)] & self.active == 0 {
            return Ok(0);
        }
        self.check_arrived(r, self.active)?;
        let u = &self.undef[usize::from(r)];
        Ok((0..4).filter(|b| need >> b & 1 == 1).fold(0, |m, b| m | u[b]) & self.active)
    }

    /// Checks the operands of an instruction.
    #[inline]
    pub fn check_source(&self, s: &Source) -> Result<(), Trap> {
        match s.value {
            Value::Reg(r) => {
                self.check(r, s.need & 0xF, self.active)?;
                if s.need > 0xF {
                    self.check(r + 1, s.need >> 4, self.active)?;
                }
                Ok(())
            }
            Value::Unset(n) => Err(undefined(format!("uniform word u{n} is filled by nobody"))),
            Value::Foreign(name) => Err(unsupported(format!("special {name} means nothing in a compute program"))),
            _ => Ok(()),
        }
    }

    /// Poisons registers whose last use this instruction was: a message under way must not have to read them yet (section 9.3).
    pub fn kill_last_uses(&mut self, d: &DInst) -> Result<(), Trap> {
        let mut rest = d.last_uses;
        while rest != 0 {
            let i = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            if let Some((slot, lanes)) = self.messages.reader(i as u8, self.active) {
                return Err(self.discarded(i as u8, slot, lanes));
            }
            for undefined in &mut self.undef[i] {
                *undefined |= self.active;
            }
            self.killed[i] |= self.active;
            self.bad[i] |= self.active;
        }
        Ok(())
    }

    #[cold]
    fn discarded(&self, reg: u8, slot: usize, lanes: u16) -> Trap {
        let what = format!("last use of r{reg}, which a message under way on slot {slot} still reads");
        hazard(what).in_lane(self.number * LANES as u32 + lanes.trailing_zeros())
    }

    /// Traps when a message that is under way will write the register.
    #[inline]
    fn check_overwrite(&self, reg: u8, lanes: u16) -> Result<(), Trap> {
        let pending = self.pending[usize::from(reg)] & lanes;
        if pending == 0 {
            return Ok(());
        }
        Err(hazard(format!("r{reg} is overwritten while a message that will write it is under way"))
            .in_lane(self.number * LANES as u32 + pending.trailing_zeros()))
    }

    /// Writes the bytes of `bytes` in the active lanes; other bytes keep what they are.
    #[inline]
    pub fn write(&mut self, reg: u8, bytes: u8, values: &V32) -> Result<(), Trap> {
        let r = usize::from(reg);
        self.check_overwrite(reg, self.active)?;
        if bytes == 0xF && self.active == 0xFFFF {
            self.regs[r] = *values;
        } else if bytes == 0xF {
            for (lane, (to, from)) in self.regs[r].iter_mut().zip(values).enumerate() {
                *to = if self.active >> lane & 1 != 0 { *from } else { *to };
            }
        } else {
            let mask = byte_mask(bytes);
            for (lane, (to, from)) in self.regs[r].iter_mut().zip(values).enumerate() {
                if self.active >> lane & 1 != 0 {
                    *to = from & mask | *to & !mask;
                }
            }
        }
        if self.bad[r] & self.active != 0 {
            for b in 0..4 {
                if bytes >> b & 1 != 0 {
                    self.undef[r][b] &= !self.active;
                }
            }
            self.killed[r] &= !self.active;
            self.refresh(r);
        }
        Ok(())
    }

    /// Lanes in which each byte of a register is undefined: what a plain copy carries along.
    pub fn undefined_bytes(&self, reg: u8) -> [u16; 4] {
        self.undef[usize::from(reg)]
    }

    /// Makes bytes of a register undefined in lanes, after a copy of undefined ones or a partial load.
    pub fn undefine(&mut self, reg: u8, lanes: [u16; 4]) {
        let r = usize::from(reg);
        for (undefined, lost) in self.undef[r].iter_mut().zip(lanes) {
            *undefined |= lost & self.active;
        }
        self.refresh(r);
    }

    /// Writes the result of a message: there at once, but in flight until its slot is waited for. Bytes outside of `bytes`
    /// become undefined.
    pub fn write_message(&mut self, reg: u8, bytes: u8, values: &V32) -> Result<(), Trap> {
        self.write(reg, bytes, values)?;
        let lost = [0, 1, 2, 3].map(|b| if bytes >> b & 1 != 0 { 0 } else { !0 });
        self.undefine(reg, lost);
        Ok(())
    }

    /// Makes a run undefined in helpers: a message that does nothing for them.
    pub fn undefine_helpers(&mut self, run: (u8, u8)) {
        for r in run.0..run.0 + run.1 {
            self.undefine(r, [self.helpers; 4]);
        }
    }

    /// Records that a message goes to read a run of registers, before the last uses of the same instruction.
    pub fn stage(&mut self, slot: u8, run: (u8, u8)) {
        self.messages.read(slot, run, self.active);
    }

    /// Records a message: the run it writes, and what it does to memory.
    pub fn issue(&mut self, slot: u8, run: (u8, u8), touch: Touch, addresses: &V64, size: u32) -> Result<(), Trap> {
        let number = self.number;
        let touching = (0..LANES).filter(|&l| addresses[l] != NOWHERE).fold(0, |m, l| m | 1 << l);
        self.messages
            .touch(slot, self.active & touching, touch, addresses, size)
            .map_err(|(lane, t)| t.in_lane(number * LANES as u32 + lane as u32))?;
        self.messages.write(slot, run, self.active);
        for r in run.0..run.0 + run.1 {
            self.pending[usize::from(r)] |= self.active;
            self.refresh(usize::from(r));
        }
        Ok(())
    }

    /// Records a varying on its slot.
    pub fn varying(&mut self, slot: u8) {
        self.varyings[usize::from(slot) % 8] |= self.active;
    }

    /// Whether varyings of active lanes are under way.
    pub fn has_varyings(&self) -> bool {
        self.varyings.iter().any(|v| v & self.active != 0)
    }

    /// Ends the helpers among the active lanes; whoever still reads their registers finds anything there.
    pub fn end_helpers(&mut self) {
        let (all, gone) = (self.active, self.active & self.helpers);
        if gone == 0 {
            return;
        }
        self.active = gone;
        self.wait(!0);
        for r in self.regs.iter_mut() {
            (0..LANES).filter(|l| gone >> l & 1 == 1).for_each(|l| r[l] = 0x7fc0_dead);
        }
        self.live &= !gone;
        self.active = all & !gone;
        if self.active == 0 {
            self.pick();
        }
    }

    /// Completes the messages of the active lanes on the slots of `mask`.
    pub fn wait(&mut self, mask: u8) {
        for (s, v) in self.varyings.iter_mut().enumerate().filter(|(s, _)| mask >> s & 1 == 1) {
            let _ = s;
            *v &= !self.active;
        }
        let mut changed = self.messages.wait(mask, self.active);
        while changed != 0 {
            let r = changed.trailing_zeros() as usize;
            changed &= changed - 1;
            self.pending[r] = self.messages.pending(r);
            self.refresh(r);
        }
    }

    /// Slots with messages of the active lanes under way.
    pub fn busy_slots(&self) -> u8 {
        self.messages.busy(self.active)
    }

    /// The warp continues with the live lanes at the lowest address (section 9.4); false when none is left.
    pub fn reschedule(&mut self) -> bool {
        for lane in 0..LANES {
            if self.active >> lane & 1 != 0 {
                self.lane_pc[lane] = self.pc;
            }
        }
        self.pick()
    }

    /// Same as [`Warp::reschedule`], with `lane_pc` already right for every live lane.
    pub fn pick(&mut self) -> bool {
        if self.live & !self.parked == 0 {
            self.parked = 0;
        }
        let ready = self.live & !self.parked;
        let Some(pc) = (0..LANES).filter(|l| ready >> l & 1 != 0).map(|l| self.lane_pc[l]).min() else {
            self.active = 0;
            return false;
        };
        self.pc = pc;
        self.active = (0..LANES).filter(|&l| ready >> l & 1 != 0 && self.lane_pc[l] == pc).fold(0, |m, l| m | 1 << l);
        true
    }

    /// The active lanes come to a barrier. Says whether all that live are there now; if not, the others continue.
    ///
    /// # Errors
    /// All are at barriers, but not at one.
    pub fn arrive(&mut self) -> Result<bool, Trap> {
        if self.active | self.parked != self.live {
            self.parked |= self.active;
            self.reschedule();
            return Ok(false);
        }
        if (0..LANES).any(|l| self.parked >> l & 1 != 0 && self.lane_pc[l] != self.pc) {
            return Err(Trap::new(TrapKind::Barrier, "lanes of the warp wait at different barriers"));
        }
        self.parked = 0;
        self.active = self.live;
        Ok(true)
    }

    /// Ends the active lanes: their messages complete by themselves.
    pub fn end(&mut self) -> bool {
        self.wait(!0);
        self.live &= !self.active;
        self.active = 0;
        self.pick()
    }

    fn raw32(&self, s: &Source) -> V32 {
        match s.value {
            Value::Reg(r) => self.regs[usize::from(r)],
            Value::Const(c) => [c as u32; LANES],
            Value::LaneId => core::array::from_fn(|l| l as u32),
            Value::ThreadPointer => self.thread_base.map(|b| b as u32),
            Value::ThreadPointerHigh => self.thread_base.map(|b| (b >> 32) as u32),
            Value::WarpId => [self.number; LANES],
            // Checked before.
            Value::None | Value::Unset(_) | Value::Foreign(_) => [0; LANES],
        }
    }

    /// The 32-bit operand as the operation sees it.
    pub fn src32(&self, d: &DInst, i: usize) -> V32 {
        let s = &d.src[i];
        let mut v = self.raw32(s);
        match s.form {
            Form::Whole => {}
            Form::Widen(h) => v = v.map(|x| convert::f16_to_f32((x >> (16 * h)) as u16).to_bits()),
            Form::Part { lo, width, signed } => v = v.map(|x| extend(u64::from(x), lo, width, signed) as u32),
            Form::Lanes16 { lo, width, signed } => {
                v = v.map(|x| {
                    let a = extend(u64::from(x), lo[0], width, signed) as u32 & 0xFFFF;
                    a | (extend(u64::from(x), lo[1], width, signed) as u32) << 16
                });
            }
            Form::Lanes8(b) => {
                v = v.map(|x| (0..4).fold(0, |r, i| r | (x >> (8 * b[i]) & 0xFF) << (8 * i)));
            }
        }
        if s.abs {
            let mask = if d.half_float { 0x7FFF_7FFF } else { 0x7FFF_FFFF };
            v = v.map(|x| x & mask);
        }
        if s.neg {
            let mask = if d.half_float { 0x8000_8000 } else { 0x8000_0000 };
            v = v.map(|x| x ^ mask);
        }
        if s.not {
            v = v.map(|x| !x);
        }
        v
    }

    /// The 64-bit operand as the operation sees it.
    pub fn src64(&self, d: &DInst, i: usize) -> V64 {
        let s = &d.src[i];
        let v: V64 = match s.value {
            Value::Reg(r) => {
                let (lo, hi) = (&self.regs[usize::from(r)], &self.regs[usize::from(r) + 1]);
                core::array::from_fn(|l| u64::from(hi[l]) << 32 | u64::from(lo[l]))
            }
            Value::Const(c) => [c; LANES],
            Value::ThreadPointer => self.thread_base,
            Value::LaneId => core::array::from_fn(|l| l as u64),
            Value::WarpId => [u64::from(self.number); LANES],
            // The second is refused as a 64-bit operand by the validator, the rest by the check of sources.
            Value::ThreadPointerHigh | Value::None | Value::Unset(_) | Value::Foreign(_) => [0; LANES],
        };
        match s.form {
            Form::Part { lo, width, signed } => v.map(|x| extend(x, lo, width, signed)),
            _ if s.not => v.map(|x| !x),
            _ => v,
        }
    }
}

/// Bits `lo..lo+width` of `x`, extended to 64.
fn extend(x: u64, lo: u8, width: u8, signed: bool) -> u64 {
    let up = 64 - u32::from(lo) - u32::from(width);
    let down = 64 - u32::from(width);
    if signed { ((x << up) as i64 >> down) as u64 } else { x << up >> down }
}

/// Bit mask of the bytes of a nibble.
pub(super) fn byte_mask(bytes: u8) -> u32 {
    (0..4).filter(|b| bytes >> b & 1 != 0).fold(0, |m, b| m | 0xFF << (8 * b))
}
