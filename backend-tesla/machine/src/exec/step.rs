//! One instruction of one warp after the other.

use super::decode::{Code, DecodedProgram, Dst, Src};
use super::memory::DeviceMemory;
use super::subgroup::{Entry, Warp, first};
use crate::operand::Addr;
use crate::types::{Op, condition};
use gpucc_isa::fail_if;
use gpucc_sim::trace::File;
use gpucc_sim::{
    Core, CoreCounts, Rules, RunState, SplitMix64, Trap, TrapKind,
    trap::{hazard, out_of_bounds, reserved, unsupported},
};

/// The flags, a bit for each of their values, for which each condition holds.
const HOLDS: [u16; 32] = {
    let mut table = [0; 32];
    let mut cond = 0;
    while cond < 32 {
        let mut flags = 0;
        while flags < 16 {
            table[cond] |= (condition(cond as u32, flags) as u16) << flags;
            flags += 1;
        }
        cond += 1;
    }
    table
};

/// The state that all warps share while they run.
pub struct Machine<'a> {
    pub program: &'a DecodedProgram,
    pub memories: &'a mut DeviceMemory,
    pub counts: &'a mut CoreCounts,
    pub rng: &'a mut Option<SplitMix64>,
    /// Hardware's rules alone, or also those of our compiler.
    pub rules: Rules,
}

impl<'a> Machine<'a> {
    /// A machine that goes on on a core.
    pub fn new(
        program: &'a DecodedProgram,
        Core { world, counts, .. }: &'a mut Core<DeviceMemory>,
        rng: &'a mut Option<SplitMix64>,
        rules: Rules,
    ) -> Self {
        Machine { program, memories: world, counts, rng, rules }
    }

    /// Runs a warp until it waits or ends, or its turn is over.
    pub fn run(&mut self, warp: &mut Warp, turn: u32) -> Result<RunState, Trap> {
        if warp.done {
            return Ok(RunState::Done);
        }
        let program = self.program;
        for _ in 0..turn {
            let pc = warp.pc;
            let code = program.at(pc)?;
            let text = || program.text(&code.inst);
            match self.one(warp, code) {
                Ok(None) => {}
                Ok(Some(stop)) => return Ok(stop),
                Err(trap) => return Err(trap.at(u64::from(pc), text)),
            }
            if warp.done {
                return Ok(RunState::Done);
            }
        }
        Ok(RunState::Yield)
    }

    /// Lanes in which the predicate of an instruction holds.
    pub fn condition(warp: &Warp, code: &Code) -> Result<u32, Trap> {
        if code.pred == 15 {
            return Ok(warp.active);
        }
        if code.pred == 0 {
            return Ok(0);
        }
        let c = code.pcc as usize;
        Self::flags_defined(warp, code.pcc, warp.active)?;
        let mut mask = 0;
        let holds = HOLDS[usize::from(code.pred) % HOLDS.len()];
        for (l, flags) in warp.flags[c].iter().enumerate() {
            mask |= u32::from(holds >> (flags & 15) & 1) << l;
        }
        Ok(mask & warp.active)
    }

    /// Traps when a flag register was never written in some lane of `mask`.
    pub fn flags_defined(warp: &Warp, c: u8, mask: u32) -> Result<(), Trap> {
        let unknown = mask & !warp.flags_known[c as usize];
        if unknown == 0 {
            return Ok(());
        }
        Err(Trap::new(TrapKind::UndefinedRead, format!("$c{c} was never written")).in_lane(first(unknown)))
    }

    /// Traps when a register was never written in some lane of `mask`.
    #[inline]
    pub fn defined(&self, warp: &Warp, src: Src, mask: u32) -> Result<(), Trap> {
        let unknown = warp.unknown(src, mask);
        if unknown == 0 { Ok(()) } else { Err(Self::undefined(src, unknown)) }
    }

    #[cold]
    fn undefined(src: Src, unknown: u32) -> Trap {
        let name = match src {
            Src::R32(r) | Src::R64(r) => format!("$r{r}"),
            Src::R16(r, high) => format!("$r{r}{}", if high { 'h' } else { 'l' }),
            _ => "operand".into(),
        };
        Trap::new(TrapKind::UndefinedRead, format!("{name} was never written")).in_lane(first(unknown))
    }

    fn one(&mut self, warp: &mut Warp, code: &Code) -> Result<Option<RunState>, Trap> {
        let ours = self.rules == Rules::Conventions;
        if code.ei == 2 && !warp.join(ours)? {
            return Ok(None);
        }
        let vote = matches!(code.op, Op::VoteAny | Op::VoteAll);
        // Hardware does not look at the condition of a bare exit: drivers leave it 0, which elsewhere is never.
        let bare = !ours && code.op == Op::Nop && code.ei == 1;
        let mask = if vote || bare { warp.active } else { Self::condition(warp, code)? };
        let lanes = mask.count_ones();
        self.counts.steps.charge(lanes)?;
        if let Some(trace) = self.counts.steps.trace() {
            let file = File { name: "$r", parts: 1, lanes: 32, words: warp.regs.as_flattened() };
            trace.look(warp.pc.into(), mask.into(), &[file]);
        }
        self.counts.report.count(lanes);
        self.counts.report.busy[0] += 64 * u64::from(code.issue);
        self.counts.classes[code.class] += 1;
        match code.op {
            Op::Bra => {
                let locked = self.memories.locked_by(warp.id);
                warp.branch(mask, code.target, code.next, locked)?;
            }
            Op::BraC => {
                let target = self.constant_target(warp, code)?;
                warp.branch(warp.active, target, code.next, 0)?;
            }
            Op::JoinAt => {
                // Hardware pushes whatever the address; a join that pops the entry looks at its lanes alone.
                if ours && !matches!(self.program.at(code.target), Ok(c) if c.ei == 2) {
                    return Err(Trap::new(
                        TrapKind::Unbalanced,
                        format!("joinat names 0x{:x}, where no join is", code.target),
                    ));
                }
                warp.push(Entry::JoinAt, code.target, warp.active)?;
                warp.pc = code.next;
            }
            Op::PreBrk => {
                warp.push(Entry::Break, code.target, warp.active)?;
                warp.pc = code.next;
            }
            Op::PreRet => {
                warp.push(Entry::Call, code.target, warp.active)?;
                warp.pc = code.next;
            }
            Op::Call => {
                warp.push(Entry::Call, code.next, warp.active)?;
                warp.pc = code.target;
            }
            Op::Brk => warp.leave(mask, Entry::Break, code.next)?,
            Op::Ret => warp.leave(mask, Entry::Call, code.next)?,
            Op::QuadOn => {
                warp.push(Entry::Quad, 0, warp.active)?;
                let any = warp.active | warp.active >> 1 | warp.active >> 2 | warp.active >> 3;
                warp.active = (any & 0x1111_1111) * 0xf;
                warp.pc = code.next;
            }
            Op::QuadPop => match warp.stack.pop() {
                Some((Entry::Quad, _, before)) => {
                    warp.active = before;
                    warp.pc = code.next;
                }
                _ => return Err(Trap::new(TrapKind::Unbalanced, "quadpop without quadon")),
            },
            Op::Discard => {
                fail_if!(!warp.io.discards, reserved("discard, of which FP_CONTROL says nothing"));
                warp.io.invisible |= mask;
                warp.pc = code.next;
            }
            Op::Bar => return self.barrier(warp, code),
            Op::Trap => return Err(unsupported("the program ran into a trap instruction")),
            Op::Brkpt => warp.pc = code.next,
            _ => {
                if mask != 0 && (code.dst != Dst::Ignored || matches!(code.op, Op::Atom(_))) {
                    self.execute(warp, code, mask)?;
                    if let Some((a, by)) = code.inc {
                        for l in (0..32).filter(|l| mask >> l & 1 == 1) {
                            let r = &mut warp.areg[a as usize][l];
                            *r = r.wrapping_add(by);
                        }
                    }
                }
                if code.ei == 1 {
                    if let Some(k) = self.memories.locks.iter().find(|k| k.1 == warp.id && mask >> k.2 & 1 == 1) {
                        let message = format!("exit of a lane that has s[{:#x}] locked", k.0);
                        return Err(hazard(message));
                    }
                    warp.leave(mask, Entry::JoinAt, code.next)?;
                } else {
                    warp.pc = code.next;
                }
            }
        }
        Ok(None)
    }

    fn barrier(&mut self, warp: &mut Warp, code: &Code) -> Result<Option<RunState>, Trap> {
        let Some(b) = code.barrier else { return Ok(None) };
        fail_if!(!b.inc && !b.wait, unsupported("what bar does without inc and wait is unknown"));
        if warp.active != !warp.exited {
            return Err(Trap::new(TrapKind::Divergence, "barrier in divergent flow: some lanes are elsewhere"));
        }
        fail_if!(self.memories.locks.iter().any(|k| k.1 == warp.id), hazard("barrier with a word of s[] locked"));
        if b.inc && b.wait && b.count.is_none() {
            // Hardware tells barriers apart by their numbers, wherever the instructions are.
            let place = if self.rules == Rules::Conventions { warp.pc } else { b.id.into() };
            warp.pc = code.next;
            return Ok(Some(RunState::Barrier(place.into())));
        }
        // The halves of a barrier: a counter that goes back to 0 when enough warps came.
        let counter = &mut self.memories.barriers[usize::from(b.id)];
        if b.inc && !warp.arrived {
            *counter += 1;
            if *counter == b.count.unwrap_or(self.memories.warps) {
                *counter = 0;
                if b.count.is_none_or(|n| n == self.memories.warps) {
                    self.memories.races.get_mut().barrier();
                }
            }
        }
        if b.wait && *counter != 0 {
            warp.arrived = true;
            return Ok(Some(RunState::Yield));
        }
        warp.arrived = false;
        warp.pc = code.next;
        Ok(None)
    }

    /// Target of a branch through c[], one for all lanes.
    fn constant_target(&self, warp: &Warp, code: &Code) -> Result<u32, Trap> {
        let super::decode::Place::Const(c, addr) = code.place else { return Ok(code.next) };
        Self::check_areg(warp, addr.a, warp.active)?;
        let mut target = None;
        for l in (0..32).filter(|l| warp.active >> l & 1 == 1) {
            let t = self.load_const(c, Self::address(warp, Addr { ..addr }, l), 4)?;
            if target.replace(t).is_some_and(|x| x != t) {
                return Err(Trap::new(TrapKind::Divergence, "lanes branch to different addresses"));
            }
        }
        let target = target.unwrap_or(code.next);
        match self.program.at(target) {
            Ok(_) if target.is_multiple_of(4) => Ok(target),
            _ => Err(out_of_bounds(format!("branch to 0x{target:x}, where no instruction is"))),
        }
    }
}
