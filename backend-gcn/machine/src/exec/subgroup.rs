//! State of a wave: registers with what is known of them, outstanding operations, hazard distances.

use gpucc_isa::fail_if;
use gpucc_sim::{Agent, SplitMix64, Trap, TrapKind};

use super::decode::{Decoded, Src};
use super::export::Export;
use super::memory::Write;
use crate::isa::{Format, GFX6, GFX8};
use crate::operand::{EXEC, M0, VCC};
use crate::{Op, Unit};

/// Lanes of a wave.
pub(crate) const LANES: usize = 64;
/// One VGPR.
pub(crate) type Lanes = [u32; LANES];
/// One 64-bit value a lane.
pub(crate) type Wide = [u64; LANES];

/// The order in which operations of a counter complete (section 16).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    /// Vector memory: in order among themselves.
    Vmem,
    /// LDS: in order among themselves.
    Lds,
    /// Scalar memory, messages: any order.
    Smem,
    /// FLAT: any order, two counters.
    Flat,
    /// Exports: in order among themselves.
    Export,
}

/// Counters an operation still holds.
const VM: u8 = 1;
const EXP: u8 = 2;
const LGKM: u8 = 4;

#[derive(Clone, Debug)]
struct Pending {
    order: Order,
    counters: u8,
    /// Lanes that take part.
    lanes: u64,
    /// Registers that are undefined until the operation is waited for.
    writes: Vec<(u16, u8)>,
    /// Registers that must not change until expcnt says so.
    locks: Vec<(u16, u8)>,
    /// Others shall see its effect.
    effect: bool,
    /// Its number among all of the wave.
    number: u64,
}

/// Long ago, for hazard distances.
const NEVER: i64 = -1000;

/// Modes of arithmetic, decoded from the MODE register.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Float {
    pub f32: gpucc_num::Mode,
    pub f64: gpucc_num::Mode,
    pub dx10: bool,
    pub ieee: bool,
}

/// One wave.
#[derive(Clone)]
pub(crate) struct Wave {
    pub s: [u32; 128],
    pub s_known: u128,
    s_pending: [u8; 128],
    pub v: Vec<Lanes>,
    pub v_known: Vec<u64>,
    v_pending: Vec<u8>,
    v_locked: Vec<u8>,
    pub scc: Option<bool>,
    /// Local index of the invocation in lane 0.
    pub first: u32,
    /// Index into the decoded code.
    pub pc: usize,
    pub mode: u32,
    pub float: Float,
    pub generation: u8,
    pub ended: bool,
    /// Whether our conventions hold as well as hardware's rules.
    pub conventions: bool,
    /// The compute unit that it runs on.
    pub unit: u8,
    /// Where the code lies.
    pub code: u64,
    /// Moves approximations inside their errors.
    pub seed: Option<u64>,
    queue: Vec<Pending>,
    /// Operations that were sent.
    pub issued: u64,
    /// The accesses to buffers that are under way, where memory is weak.
    pub agent: Option<Agent<Write>>,
    /// Whether something arrived that it waited for.
    pub observed: bool,
    now: i64,
    valu_s: [i64; 128],
    salu_s: [i64; 128],
    valu_v: Vec<i64>,
    set_reg: [i64; 64],
    vskip_at: i64,
    interp_v: (i64, u16),
    /// Data registers of a wide store, which the next vector instruction must not write.
    wide_store: (i64, u16, u8),
    smem_store: bool,
    /// Whether VCC was copied to itself after the last scalar load (rule 19).
    vcc_fresh: bool,
    /// Random numbers that perturb orders, if the run has a seed.
    pub rng: Option<SplitMix64>,
    /// Count of vector stores that the scalar cache has seen (by invalidation).
    pub scalar_epoch: u64,
    /// The exports, of vertex and fragment programs.
    pub exports: Option<Vec<Export>>,
}

fn hazard(row: u32, what: &str, need: i64, have: i64) -> Trap {
    Trap::new(
        TrapKind::Hazard,
        format!("{what}: needs {need} wait states, has {have} (hazard {row} in docs/abi-gcn.md)"),
    )
}

impl Wave {
    pub(crate) fn new(vgprs: usize, generation: u8, mode: u32, rng: Option<SplitMix64>) -> Wave {
        let mut w = Wave {
            s: [0xdead_beef; 128],
            s_known: 3 << EXEC,
            s_pending: [0; 128],
            v: vec![[0xdead_beef; LANES]; vgprs],
            v_known: vec![0; vgprs],
            v_pending: vec![0; vgprs],
            v_locked: vec![0; vgprs],
            scc: None,
            first: 0,
            pc: 0,
            mode,
            float: float_mode(mode),
            generation,
            ended: false,
            conventions: true,
            unit: 0,
            code: 0,
            seed: None,
            queue: Vec::new(),
            issued: 0,
            agent: None,
            observed: false,
            now: 0,
            valu_s: [NEVER; 128],
            salu_s: [NEVER; 128],
            valu_v: vec![NEVER; vgprs],
            set_reg: [NEVER; 64],
            vskip_at: NEVER,
            interp_v: (NEVER, 0),
            wide_store: (NEVER, 0, 0),
            smem_store: false,
            vcc_fresh: true,
            rng,
            scalar_epoch: 0,
            exports: None,
        };
        if let Some(rng) = &mut w.rng {
            for r in &mut w.s[..104] {
                *r = rng.next_u32();
            }
            for v in &mut w.v {
                v.fill(rng.next_u32());
            }
        }
        w
    }

    pub(crate) fn exec(&self) -> u64 {
        self.pair(EXEC as usize)
    }
    pub(crate) fn set_exec(&mut self, v: u64) {
        self.set_pair(EXEC as usize, v);
    }
    pub(crate) fn pair(&self, code: usize) -> u64 {
        u64::from(self.s[code]) | u64::from(self.s[code + 1]) << 32
    }
    pub(crate) fn set_pair(&mut self, code: usize, v: u64) {
        self.s[code] = v as u32;
        self.s[code + 1] = (v >> 32) as u32;
        self.s_known |= 3 << code;
    }
    pub(crate) fn scc(&self) -> Result<bool, Trap> {
        self.scc.ok_or_else(|| Trap::new(TrapKind::UndefinedRead, "SCC was never written"))
    }

    fn name(code: u16) -> String {
        if code >= 256 {
            return format!("v{}", code - 256);
        }
        crate::operand::sreg_name(code.into(), 1, GFX8).unwrap_or_else(|| format!("s{code}"))
    }

    /// Checks registers before an instruction: outstanding, defined, locked; and the hazards that depend on them.
    #[inline]
    pub(crate) fn before(&mut self, d: &Decoded) -> Result<(), Trap> {
        let exec = self.exec();
        // Lanes of vector registers that are touched.
        let touched = match d.op {
            Op::VReadlaneB32 | Op::VWritelaneB32 => 1 << (self.s32(d.src[1])? & 63),
            _ => exec,
        };
        for r in &d.reads {
            if r.first >= 256 {
                let first = usize::from(r.first) - 256;
                for n in first..first + usize::from(r.count) {
                    if self.v_pending[n] != 0 && self.outstanding(n as u16 + 256, touched, None) {
                        return Err(self.poison(n as u16 + 256));
                    }
                    if !r.any_lane && !d.copies && exec & !self.v_known[n] != 0 {
                        let lane = (exec & !self.v_known[n]).trailing_zeros();
                        return Err(undefined(n as u16 + 256).in_lane(lane));
                    }
                }
            } else {
                let first = usize::from(r.first);
                for n in first..first + usize::from(r.count) {
                    fail_if!(self.s_pending[n] != 0, self.poison(n as u16));
                    fail_if!(self.s_known >> n & 1 == 0 && !d.copies, undefined(n as u16));
                }
            }
        }
        // Results of one kind come in order, so a later one may overwrite an earlier one.
        let in_order = match d.unit {
            Unit::Vmem => Some(Order::Vmem),
            Unit::Lds => Some(Order::Lds),
            _ => None,
        };
        for r in &d.writes {
            if r.first >= 256 {
                let first = usize::from(r.first) - 256;
                for n in first..first + usize::from(r.count) {
                    if self.v_pending[n] != 0 && self.outstanding(n as u16 + 256, touched, in_order) {
                        return Err(self.poison(n as u16 + 256));
                    }
                    if self.v_locked[n] != 0 && self.locked(n as u16, touched) {
                        return Err(Trap::new(
                            TrapKind::Hazard,
                            format!("v{n} is overwritten while a store or export still reads it: wait expcnt"),
                        ));
                    }
                }
            } else {
                for n in usize::from(r.first)..usize::from(r.first) + usize::from(r.count) {
                    fail_if!(self.s_pending[n] != 0, self.poison(n as u16));
                }
            }
        }
        self.hazards(d)
    }

    /// Whether the result of an operation for one of these lanes of a register has not arrived, leaving out operations
    /// of one kind.
    fn outstanding(&self, code: u16, lanes: u64, but: Option<Order>) -> bool {
        let covers = |&(first, count): &(u16, u8)| (first..first + u16::from(count)).contains(&code);
        let of = self.queue.iter().filter(|p| p.lanes & lanes != 0 && Some(p.order) != but);
        of.into_iter().any(|p| p.writes.iter().any(covers))
    }

    /// Whether nothing is under way for these lanes of a VGPR that no slot names.
    pub(crate) fn arrived(&self, n: usize, lanes: u64) -> Result<(), Trap> {
        fail_if!(self.v_pending[n] != 0 && self.outstanding(n as u16 + 256, lanes, None), self.poison(n as u16 + 256));
        Ok(())
    }

    /// Whether a store or export still reads one of these lanes of a VGPR.
    fn locked(&self, n: u16, lanes: u64) -> bool {
        let covers = |&(first, count): &(u16, u8)| (first..first + u16::from(count)).contains(&n);
        self.queue.iter().any(|p| p.lanes & lanes != 0 && p.locks.iter().any(covers))
    }

    #[cold]
    fn poison(&self, code: u16) -> Trap {
        Trap::new(
            TrapKind::Poison,
            format!("{} holds the result of a memory operation that was not waited for", Wave::name(code)),
        )
    }

    fn need(&self, row: u32, what: &str, need: i64, since: i64) -> Result<(), Trap> {
        let have = self.now - since - 1;
        if have < need { Err(hazard(row, what, need, have)) } else { Ok(()) }
    }

    fn smem_outstanding(&self) -> bool {
        self.queue.iter().any(|p| p.order == Order::Smem)
    }

    /// The rows of section 17.
    #[inline]
    fn hazards(&mut self, d: &Decoded) -> Result<(), Trap> {
        let g = self.generation;
        match d.unit {
            Unit::Salu | Unit::Branch => match d.op {
                Op::SGetregB32 | Op::SGetregRegrdB32 => {
                    let id = d.imm as usize & 63;
                    self.need(10, "s_setreg, then s_getreg of the same register", 2, self.set_reg[id])?;
                    if id == 1 {
                        self.need(12, "s_setvskip, then s_getreg of MODE", 2, self.vskip_at)?;
                    }
                }
                Op::SSetregB32 | Op::SSetregImm32B32 => {
                    let id = d.imm as usize & 63;
                    let states = if g == GFX8 { 2 } else { 1 };
                    self.need(11, "s_setreg, then s_setreg of the same register", states, self.set_reg[id])?;
                }
                Op::SSendmsg | Op::SSendmsghalt | Op::STtracedata => {
                    self.need(9, "M0 written by the scalar ALU, then a message", 1, self.salu_s[M0 as usize])?;
                }
                Op::SCbranchVccz | Op::SCbranchVccnz if g != GFX8 && (self.smem_outstanding() || !self.vcc_fresh) => {
                    return Err(Trap::new(
                        TrapKind::Hazard,
                        "VCCZ is stale after a scalar load: wait lgkmcnt(0) and move VCC to itself \
                         (section 17, row 19)",
                    ));
                }
                _ => {}
            },
            Unit::Smem => {
                if g == GFX6 {
                    for r in &d.reads {
                        for n in usize::from(r.first)..usize::from(r.first) + usize::from(r.count) {
                            self.need(2, "SGPR written by the vector ALU, then read by SMRD", 4, self.valu_s[n])?;
                        }
                    }
                    if d.mem.descriptor {
                        let base = usize::from(d.mem.rsrc);
                        for n in base..base + 4 {
                            let what = "descriptor written by the scalar ALU, then used by s_buffer_load";
                            self.need(3, what, 4, self.salu_s[n])?;
                        }
                    }
                }
            }
            Unit::Vmem | Unit::Flat => {
                for r in d.reads.iter().filter(|r| r.first < 128) {
                    for n in usize::from(r.first)..usize::from(r.first) + usize::from(r.count) {
                        self.need(1, "SGPR written by the vector ALU, then read by vector memory", 5, self.valu_s[n])?;
                    }
                }
                self.need(12, "VSKIP changed, then a vector instruction", 2, self.vskip_at)?;
            }
            Unit::Lds => {
                if d.mem.gds {
                    self.need(9, "M0 written by the scalar ALU, then a GDS operation", 1, self.salu_s[M0 as usize])?;
                }
                self.need(12, "VSKIP changed, then a vector instruction", 2, self.vskip_at)?;
            }
            Unit::Valu | Unit::Trans | Unit::Interp | Unit::Export => self.valu_hazards(d)?,
        }
        Ok(())
    }

    fn valu_hazards(&mut self, d: &Decoded) -> Result<(), Trap> {
        self.need(12, "VSKIP changed, then a vector instruction", 2, self.vskip_at)?;
        match d.op {
            Op::VReadlaneB32 | Op::VWritelaneB32 => {
                if let Src::S(n) = d.src[1] {
                    let what = "SGPR written by the vector ALU, then used as lane number";
                    self.need(4, what, 4, self.valu_s[usize::from(n)])?;
                }
            }
            Op::VDivFmasF32 | Op::VDivFmasF64 => {
                let since = self.valu_s[VCC as usize].max(self.valu_s[VCC as usize + 1]);
                self.need(5, "VCC written by the vector ALU, then v_div_fmas", 4, since)?;
            }
            _ => {}
        }
        for s in d.src {
            if let Src::Special(code) = s {
                let (what, of) = match code {
                    251 => ("VCC written by the vector ALU, then VCCZ as data", VCC),
                    252 => ("EXEC written by the vector ALU, then EXECZ as data", EXEC),
                    _ => continue,
                };
                self.need(6, what, 5, self.valu_s[of as usize])?;
            }
        }
        if d.format == Format::Dpp {
            self.need(7, "EXEC written by the vector ALU, then DPP", 5, self.valu_s[EXEC as usize])?;
            if let Src::V(n) = d.src[0] {
                self.need(8, "VGPR written by the vector ALU, then read by DPP", 2, self.valu_v[usize::from(n)])?;
            }
        }
        let lane_read = matches!(d.op, Op::VReadlaneB32 | Op::VReadfirstlaneB32);
        if self.generation == GFX6 && lane_read && matches!(d.src[0], Src::V(n) if u16::from(n) == self.interp_v.1) {
            self.need(16, "VGPR written by interpolation, then read by lane", 1, self.interp_v.0)?;
        }
        let (since, first, count) = self.wide_store;
        if count > 0 {
            for r in d.writes.iter().filter(|r| r.first >= 256) {
                let (a, b) = (r.first, r.first + u16::from(r.count));
                if a < first + u16::from(count) && first < b {
                    self.need(13, "store of more than 64 bits, then its data overwritten", 1, since)?;
                }
            }
        }
        Ok(())
    }

    /// Notes after an instruction: what it wrote and that time passed.
    #[inline]
    pub(crate) fn after(&mut self, d: &Decoded) {
        match d.unit {
            Unit::Valu | Unit::Trans => {
                for r in &d.writes {
                    if r.first < 128 {
                        for n in usize::from(r.first)..usize::from(r.first) + usize::from(r.count) {
                            self.valu_s[n] = self.now;
                            self.salu_s[n] = NEVER;
                        }
                    } else if self.generation == GFX8 {
                        for n in usize::from(r.first) - 256..usize::from(r.first) - 256 + usize::from(r.count) {
                            self.valu_v[n] = self.now;
                        }
                    }
                }
            }
            Unit::Salu => {
                for r in &d.writes {
                    for n in usize::from(r.first)..usize::from(r.first) + usize::from(r.count) {
                        self.salu_s[n] = self.now;
                        // A scalar write puts the distance of an older vector write out of force.
                        self.valu_s[n] = NEVER;
                    }
                }
            }
            // The wait covers what a load brings, and an older write is no more.
            Unit::Smem => {
                for r in d.writes.iter().filter(|r| r.first < 128) {
                    let all = usize::from(r.first)..usize::from(r.first) + usize::from(r.count);
                    self.valu_s[all.clone()].fill(NEVER);
                    self.salu_s[all].fill(NEVER);
                }
            }
            Unit::Interp => {
                if let Some(r) = d.writes.first() {
                    self.interp_v = (self.now, r.first - 256);
                }
            }
            _ => {}
        }
        if !self.vcc_fresh && !self.smem_outstanding() && d.writes.iter().any(|r| r.first == VCC as u16) {
            self.vcc_fresh = true;
        }
        self.now += if d.op == Op::SNop { i64::from(d.imm & 7) + 1 } else { 1 };
    }

    pub(crate) fn note_setreg(&mut self, id: usize, vskip: bool) {
        self.set_reg[id] = self.now;
        if vskip {
            self.vskip_at = self.now;
        }
    }
    pub(crate) fn note_vskip(&mut self) {
        self.vskip_at = self.now;
    }
    /// EXEC was written by the vector ALU (v_cmpx), which no slot says.
    pub(crate) fn note_valu_exec(&mut self) {
        self.valu_s[EXEC as usize] = self.now;
        self.valu_s[EXEC as usize + 1] = self.now;
    }
    /// A store wider than 64 bits whose data may not be overwritten at once (rows 13 to 15).
    pub(crate) fn note_wide_store(&mut self, first: u16, count: u8) {
        self.wide_store = (self.now, first, count);
    }

    /// An operation was sent: its destination is poison, its sources perhaps locked.
    pub(crate) fn send(&mut self, order: Order, d: &Decoded, effect: bool, locks: Option<(u16, u8)>) {
        self.send_locked(order, d, effect, locks.into_iter().collect());
    }

    /// Same as [`Wave::send`], with several runs of registers that are read late.
    pub(crate) fn send_locked(&mut self, order: Order, d: &Decoded, effect: bool, locks: Vec<(u16, u8)>) {
        let mut counters = match order {
            Order::Vmem => VM,
            Order::Lds | Order::Smem => LGKM,
            Order::Flat => VM | LGKM,
            Order::Export => EXP,
        };
        let late = !locks.is_empty() || order == Order::Export;
        if late {
            counters |= EXP;
        }
        let mut writes = Vec::new();
        for r in &d.writes {
            writes.push((r.first, r.count));
            self.mark(r.first, r.count, 1);
        }
        for &(first, count) in &locks {
            for n in usize::from(first)..usize::from(first) + usize::from(count) {
                self.v_locked[n] += 1;
            }
        }
        if order == Order::Smem {
            self.vcc_fresh = false;
            self.smem_store |= effect;
        }
        // A counter at its maximum stalls the issue until the oldest operation of that kind is done.
        self.stall(order, late);
        let lanes = self.exec();
        self.queue.push(Pending { order, counters, lanes, writes, locks, effect, number: self.issued });
        self.issued += 1;
    }

    fn stall(&mut self, order: Order, export: bool) {
        let max = match order {
            Order::Vmem | Order::Lds => 15,
            _ => return,
        };
        while self.queue.iter().filter(|p| p.order == order && p.counters & (VM | LGKM) != 0).count() >= max {
            let i = self.queue.iter().position(|p| p.order == order && p.counters & (VM | LGKM) != 0);
            let Some(i) = i else { break };
            self.release(i, VM | LGKM);
        }
        while export && self.queue.iter().filter(|p| p.counters & EXP != 0).count() >= 7 {
            let Some(i) = self.queue.iter().position(|p| p.counters & EXP != 0) else { break };
            self.release(i, EXP);
        }
        self.queue.retain(|p| p.counters != 0);
    }

    fn mark(&mut self, first: u16, count: u8, by: i8) {
        for n in usize::from(first)..usize::from(first) + usize::from(count) {
            let p = if n >= 256 { &mut self.v_pending[n - 256] } else { &mut self.s_pending[n] };
            *p = p.wrapping_add_signed(by);
        }
    }

    /// Takes counters off operation `i` and frees what they guarded.
    fn release(&mut self, i: usize, counters: u8) {
        let p = &mut self.queue[i];
        let had = p.counters;
        p.counters &= !counters;
        // A store that memory has acknowledged has read its data.
        if p.order == Order::Vmem && p.counters & VM == 0 {
            p.counters = 0;
        }
        let left = p.counters;
        self.observed |= had & !EXP != 0 && left & !EXP == 0;
        let free = had & EXP != 0 && left & EXP == 0;
        let locks = if free { std::mem::take(&mut p.locks) } else { Vec::new() };
        let writes = if had & !EXP != 0 && left & !EXP == 0 { std::mem::take(&mut p.writes) } else { Vec::new() };
        for (first, count) in locks {
            for n in usize::from(first)..usize::from(first) + usize::from(count) {
                self.v_locked[n] -= 1;
            }
        }
        for (first, count) in writes {
            self.mark(first, count, -1);
        }
    }

    /// The numbers of operations on memory that are not known to be complete.
    pub(crate) fn under_way(&self) -> Vec<u64> {
        self.queue.iter().filter(|p| p.counters & (VM | LGKM) != 0).map(|p| p.number).collect()
    }

    /// s_waitcnt: what is certainly complete when every counter is at most its value.
    pub(crate) fn wait(&mut self, [vm, exp, lgkm]: [u32; 3]) {
        for (counter, value, max) in [(VM, vm, 15), (EXP, exp, 7), (LGKM, lgkm, 15)] {
            if value >= max {
                continue;
            }
            let mut younger = [0u32; 5];
            for i in (0..self.queue.len()).rev() {
                if self.queue[i].counters & counter == 0 {
                    continue;
                }
                let order = self.queue[i].order;
                // Only operations that complete in order tell anything but 0.
                let in_order = counter == EXP || matches!(order, Order::Vmem | Order::Lds);
                let after = &mut younger[order as usize];
                let done = if in_order { *after >= value } else { value == 0 };
                *after += 1;
                if done {
                    self.release(i, counter);
                }
            }
        }
        self.queue.retain(|p| p.counters != 0);
    }

    /// Checks that nothing which others shall see is outstanding at a barrier: a convention, hardware minds only those who read it.
    pub(crate) fn at_barrier(&self) -> Result<(), Trap> {
        if self.conventions && self.queue.iter().any(|p| p.effect && p.counters & (VM | LGKM) != 0) {
            return Err(Trap::new(
                TrapKind::Hazard,
                "memory operations are outstanding at the barrier: others may not see them",
            ));
        }
        Ok(())
    }

    /// Checks that scalar stores were written back at the end (section 5).
    pub(crate) fn at_end(&self) -> Result<(), Trap> {
        fail_if!(self.smem_store, Trap::new(TrapKind::Hazard, "scalar stores without s_dcache_wb before the end"));
        Ok(())
    }
    pub(crate) fn written_back(&mut self) {
        self.smem_store = false;
    }

    pub(crate) fn set_mode(&mut self, mode: u32) {
        self.mode = mode;
        self.float = float_mode(mode);
    }
}

#[cold]
pub(crate) fn undefined(code: u16) -> Trap {
    Trap::new(TrapKind::UndefinedRead, format!("{} was never written", Wave::name(code)))
}

fn float_mode(mode: u32) -> Float {
    use gpucc_num::{Mode, Round};
    let round = |r: u32| match r & 3 {
        0 => Round::Nearest,
        1 => Round::Up,
        2 => Round::Down,
        _ => Round::Zero,
    };
    let one = |r: u32, d: u32| Mode { round: round(r), flush_in: d & 1 == 0, flush_out: d & 2 == 0 };
    Float {
        f32: one(mode, mode >> 4),
        f64: one(mode >> 2, mode >> 6),
        dx10: mode >> 8 & 1 == 1,
        ieee: mode >> 9 & 1 == 1,
    }
}
