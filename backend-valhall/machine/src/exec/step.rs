//! One instruction after the other, and where lanes continue.

use gpucc_isa::fail_if;
use gpucc_sim::trace::File;
use gpucc_sim::{
    Core, Rules, RunState, Trap, TrapKind,
    trap::{hazard, unsupported},
};

use super::alu;
use super::decode::{DInst, Slot};
use super::image;
use super::memory::{self, DeviceMemory};
use super::stage::StageContext;
use super::subgroup::{LANES, Warp};
use super::texture;
use super::{tile, varying};
use crate::build::flow;
use crate::{Class, Op, disasm_words_line};

/// Instructions counted by what they cost.
pub(super) const CLASSES: [&str; 10] =
    ["fma", "cvt", "sfu", "ls", "branch", "barrier", "nop", "other", "varying", "texture"];

/// A program.
pub(super) struct Program {
    pub code: Vec<Slot>,
    pub merges: Vec<bool>,
    pub bytes: Vec<u8>,
    pub code_base: u64,
    pub generation: u8,
    pub rules: Rules,
    /// Byte of the entry point's code where it begins: an entry point may have several programs.
    pub first: u64,
}

/// A shader core.
pub(super) type Unit = Core<DeviceMemory>;

/// Runs a warp until it waits, ends, or its time slice is over.
pub(super) fn slice(
    w: &mut Warp,
    time_slice: u32,
    program: &Program,
    cx: &mut Unit,
    context: &mut StageContext<'_>,
) -> Result<RunState, Trap> {
    let mut left = time_slice;
    while left > 0 {
        left -= 1;
        if w.active == 0 {
            return Ok(RunState::Done);
        }
        let pc = w.pc;
        match step(w, program, cx, context) {
            Ok(None) => {}
            Ok(Some(stop)) => return Ok(stop),
            Err(e) => return Err(locate(e, pc, w, program)),
        }
    }
    Ok(if w.active == 0 { RunState::Done } else { RunState::Yield })
}

#[cold]
fn locate(trap: Trap, pc: usize, w: &Warp, program: &Program) -> Trap {
    let lane = w.number * LANES as u32 + w.active.trailing_zeros().min(15);
    trap.at(8 * pc as u64, || text_at(program, pc)).in_lane(lane)
}

/// The instruction with this number as text.
pub(super) fn text_at(program: &Program, pc: usize) -> String {
    let word = program.bytes.get(8 * pc..8 * pc + 8).and_then(|b| b.try_into().ok()).map(u64::from_le_bytes);
    match word {
        Some(v) => disasm_words_line(&format!("{v:#x}"), program.generation, gpucc_isa::stage::ALL)
            .unwrap_or_else(|_| format!(".word {v:#018x}")),
        None => "nothing".into(),
    }
}

/// The messages of the active lanes on some slots have arrived.
fn wait(w: &mut Warp, cx: &mut Unit, slots: u8) -> Result<(), Trap> {
    w.wait(slots);
    cx.world.settle(w, slots)
}

fn step(
    w: &mut Warp,
    program: &Program,
    cx: &mut Unit,
    context: &mut StageContext<'_>,
) -> Result<Option<RunState>, Trap> {
    let d = match program.code.get(w.pc) {
        Some(Slot::Good(d)) => d,
        Some(Slot::Bad(kind, why)) => return Err(Trap::new(*kind, why.clone())),
        None => return Err(Trap::new(TrapKind::FellOffEnd, "no instruction here: the program did not end")),
    };
    let lanes = w.active.count_ones();
    cx.counts.steps.charge(lanes)?;
    if let Some(trace) = cx.counts.steps.trace() {
        let file = File { name: "r", parts: 1, lanes: LANES, words: w.regs.as_flattened() };
        trace.look(program.first + 8 * w.pc as u64, w.active.into(), &[file]);
    }
    cx.counts.report.count(lanes);
    for (unit, time) in d.busy {
        cx.counts.report.busy[usize::from(unit)] += u64::from(time);
    }
    cx.counts.classes[usize::from(d.counted)] += 1;
    let flow = u32::from(d.flow);
    let (mut stop, mut skipped) = (None, 0);
    match d.class {
        Class::Nop => {}
        Class::Alu => alu::execute(w, d, w.pc as u64)?,
        Class::Memory => memory::by_address(w, d, &mut cx.world)?,
        Class::Buffer if d.op == Op::LeaBufImm => context.record(w, d)?,
        Class::Buffer => memory::by_handle(w, d, &mut cx.world)?,
        Class::Branch => {
            branch(w, d, program, cx)?;
            w.before = d.flow;
            return Ok(None);
        }
        Class::Barrier => {
            let ours = program.rules == Rules::Conventions;
            if ours && (w.active != w.live || w.live != w.whole) {
                return Err(Trap::new(TrapKind::Barrier, "not all lanes of the warp reach the barrier together"));
            }
            if !w.arrive()? {
                return Ok(None);
            }
            let busy = w.busy_slots();
            if busy != 0 {
                let slots: Vec<String> = (0..8).filter(|s| busy >> s & 1 != 0).map(|s| s.to_string()).collect();
                let what = format!("messages are under way on slot {} at a barrier", slots.join(", "));
                return Err(hazard(what));
            }
            if let Some(agent) = &mut w.agent {
                agent.barrier();
            }
            // Hardware has one barrier, wherever its instructions are.
            stop = Some(RunState::Barrier(if ours { 8 * w.pc as u64 } else { 0 }));
        }
        Class::Image => image::execute(w, d, &mut cx.world)?,
        Class::Texture => texture::execute(w, d, &mut cx.world, None)?,
        Class::Discard => tile::discard(w, d, context)?,
        Class::Varying => varying::execute(w, d, context, &mut cx.world)?,
        Class::Tile => skipped = tile::execute(w, d, context)?,
        Class::VaryingTexture => {
            texture::check_fused(d)?;
            let place = varying::texture_place(w, d, context, &mut cx.world)?;
            texture::execute(w, d, &mut cx.world, Some(&place))?;
        }
    }
    if flow != flow::RECONVERGE && flow != flow::END {
        passes(w, w.pc + 1, &program.merges)?;
    }
    w.pc += 1 + skipped;
    w.before = d.flow;
    match flow {
        flow::NONE => {}
        1..=7 => wait(w, cx, flow as u8)?,
        flow::WAIT0126 => wait(w, cx, 0b0100_0111)?,
        flow::WAIT => wait(w, cx, 0b1100_0111)?,
        flow::RECONVERGE => {
            w.reschedule();
        }
        flow::END => {
            w.end();
            cx.world.settle(w, !0)?;
        }
        flow::DISCARD => {
            w.end_helpers();
        }
        _ => {}
    }
    Ok(stop)
}

/// Lanes whose condition holds.
fn condition(w: &Warp, d: &DInst) -> Result<u16, Trap> {
    w.check_source(&d.src[0])?;
    if d.combine > 2 {
        return Err(unsupported("branch combines `and` and `lowbits`: the reference does not say what they do"));
    }
    let v = w.src32(d, 0);
    let holds = |l: usize| (v[l] != 0) != d.eq;
    Ok((0..LANES).filter(|&l| w.active >> l & 1 != 0 && holds(l)).fold(0, |m, l| m | 1 << l))
}

/// Lanes of a part of the warp must not pass, without the mark, a place where others may come to (section 9.2).
#[inline]
fn passes(w: &Warp, to: usize, merges: &[bool]) -> Result<(), Trap> {
    if w.active == w.live || !merges.get(to).is_some_and(|&m| m) {
        return Ok(());
    }
    let what =
        format!("some lanes of the warp continue to {:#x}, where others may join them, without `.reconverge`", 8 * to);
    Err(Trap::new(TrapKind::Divergence, what))
}

fn branch(w: &mut Warp, d: &DInst, program: &Program, cx: &mut Unit) -> Result<(), Trap> {
    let (code_base, len) = (program.code_base, program.code.len());
    let taken = condition(w, d)?;
    let next = w.pc + 1;
    let mut target = [next; LANES];
    if taken != 0 {
        if d.op == Op::Branchzi {
            fail_if!(!d.absolute, unsupported("relative BRANCHZI: the reference does not say what it does"));
            w.check_source(&d.src[1])?;
            let low = w.src32(d, 1);
            for l in (0..LANES).filter(|l| taken >> l & 1 != 0) {
                let address = code_base >> 32 << 32 | u64::from(low[l]);
                let offset = address.wrapping_sub(code_base);
                if !offset.is_multiple_of(8) || offset >= 8 * len as u64 {
                    let what = format!("jump to {address:#x}, outside of the program");
                    return Err(Trap::new(TrapKind::FellOffEnd, what).in_lane(w.number * LANES as u32 + l as u32));
                }
                target[l] = (offset / 8) as usize;
            }
        } else {
            let to = w.pc as i64 + 1 + d.imm;
            if to < 0 || to >= len as i64 {
                return Err(Trap::new(
                    TrapKind::FellOffEnd,
                    format!("branch to {:#x}, outside of the program", 8 * to),
                ));
            }
            for l in (0..LANES).filter(|l| taken >> l & 1 != 0) {
                target[l] = to as usize;
            }
        }
    }
    w.kill_last_uses(d)?;
    let flow = u32::from(d.flow);
    match flow {
        1..=7 => wait(w, cx, flow as u8)?,
        flow::WAIT0126 => wait(w, cx, 0b0100_0111)?,
        flow::WAIT => wait(w, cx, 0b1100_0111)?,
        flow::END => {
            // Lanes that do not jump end here (section 17, end of blend shaders).
            let active = w.active;
            w.active = active & !taken;
            wait(w, cx, !0)?;
            w.live &= !w.active;
            w.active = taken;
        }
        _ => {}
    }
    for l in (0..LANES).filter(|l| w.active >> l & 1 != 0) {
        w.lane_pc[l] = target[l];
    }
    if flow == flow::RECONVERGE || w.active == 0 {
        w.pick();
        return Ok(());
    }
    let mut places = (0..LANES).filter(|l| w.active >> l & 1 != 0).map(|l| w.lane_pc[l]);
    let first = places.next().unwrap_or(next);
    if places.any(|p| p != first) {
        return Err(Trap::new(TrapKind::Divergence, "lanes disagree about a branch that carries no `.reconverge`"));
    }
    passes(w, first, &program.merges)?;
    w.pc = first;
    Ok(())
}
