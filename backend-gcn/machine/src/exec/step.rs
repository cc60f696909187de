//! One instruction after the other.

use gpucc_sim::trace::File;
use gpucc_sim::{Core, RunState, Trap, TrapKind};

use super::decode::{Decoded, Limits, predecode};
use super::export::Export;
use super::memory::DeviceMemory;
use super::salu::Next;
use super::subgroup::{LANES, Wave};
use crate::{Unit, listing};

/// Names of the classes by which instructions are counted.
pub(super) const CLASSES: [&str; 10] =
    ["salu", "branch", "smem", "valu", "trans", "vmem", "flat", "lds", "export", "interp"];

/// A decoded program, and its bytes for messages.
pub(super) struct Program<'a> {
    code: Vec<Decoded>,
    bytes: &'a [u8],
    /// Where its instructions end.
    end: usize,
    generation: u8,
    stage: u8,
}

impl<'a> Program<'a> {
    /// The program of a stage in the first `end` bytes.
    pub(super) fn new(bytes: &'a [u8], end: usize, (generation, stage): (u8, u8), limits: Limits) -> Program<'a> {
        Program { code: predecode(&bytes[..end], generation, stage, limits), bytes, end, generation, stage }
    }

    /// Runs a wave until it waits, ends or its time slice is over.
    pub(super) fn run(&self, w: &mut Wave, time_slice: u32, core: &mut Core<DeviceMemory>) -> Result<RunState, Trap> {
        step(w, time_slice, &self.code, core).map_err(|t| match self.code.get(w.pc) {
            Some(d) => t.at(d.at.into(), || self.text(d.at)),
            None => t.at(self.end as u64, || "end of the code".into()),
        })
    }

    /// Runs a wave to its end; gives its exports.
    pub(super) fn exports(&self, mut w: Wave, core: &mut Core<DeviceMemory>) -> Result<Vec<Export>, Trap> {
        w.exports = Some(Vec::new());
        let time_slice = core.counts.steps.slice();
        while self.run(&mut w, time_slice, core)? != RunState::Done {}
        Ok(w.exports.unwrap_or_default())
    }

    /// Text of the instruction at a byte address.
    pub(super) fn text(&self, at: u32) -> String {
        text_of(&self.bytes[at as usize..], self.generation, self.stage)
    }
}

/// Runs a wave until it waits, ends or its time slice is over.
fn step(
    w: &mut Wave,
    time_slice: u32,
    code: &[Decoded],
    Core { world: env, counts, .. }: &mut Core<DeviceMemory>,
) -> Result<RunState, Trap> {
    w.settle(env, false)?;
    for _ in 0..time_slice {
        let Some(d) = code.get(w.pc) else {
            return Err(Trap::new(TrapKind::FellOffEnd, "execution ran past the last instruction"));
        };
        let active = w.exec().count_ones();
        counts.steps.charge(active)?;
        if let Some(trace) = counts.steps.trace() {
            let scalars = File { name: "s", parts: 1, lanes: 1, words: &w.s };
            let vectors = File { name: "v", parts: 1, lanes: LANES, words: w.v.as_flattened() };
            trace.look(d.at.into(), w.exec(), &[vectors, scalars]);
        }
        counts.report.count(active);
        counts.report.busy[0] += 64 * u64::from(d.cycles);
        counts.classes[d.unit as usize] += 1;
        if let Some((kind, message)) = &d.fault {
            return Err(Trap::new(*kind, message.clone()));
        }
        w.before(d)?;
        let next = match d.unit {
            Unit::Salu => w.salu(d)?,
            Unit::Branch => w.sopp(d)?,
            Unit::Valu | Unit::Trans => {
                w.valu(d)?;
                Next::Go
            }
            Unit::Smem => {
                w.smem(d, env)?;
                Next::Go
            }
            Unit::Vmem if d.format == crate::Format::Mimg => {
                w.image(d, env)?;
                Next::Go
            }
            Unit::Vmem => {
                w.buffer(d, env)?;
                Next::Go
            }
            Unit::Flat => {
                w.flat(d, env)?;
                Next::Go
            }
            Unit::Lds => {
                w.lds(d, env)?;
                Next::Go
            }
            Unit::Export => {
                w.export(d)?;
                Next::Go
            }
            Unit::Interp => {
                w.interp(d, env)?;
                Next::Go
            }
        };
        w.after(d);
        w.settle(env, next == Next::End)?;
        match next {
            Next::Go => w.pc += 1,
            Next::Index(Some(i)) => w.pc = i as usize,
            Next::Index(None) => {
                return Err(Trap::new(TrapKind::FellOffEnd, "the branch does not lead to an instruction"));
            }
            Next::Address(a) => match code.binary_search_by_key(&a, |d| d.at.into()) {
                Ok(i) => w.pc = i,
                Err(_) => {
                    return Err(Trap::new(TrapKind::FellOffEnd, "the jump does not lead to an instruction"));
                }
            },
            Next::Barrier => {
                // Its accesses behind the barrier come after what others did before it.
                w.observed = true;
                w.pc += 1;
                return Ok(RunState::Barrier(d.at.into()));
            }
            Next::Yield => {
                w.pc += 1;
                return Ok(RunState::Yield);
            }
            Next::End => {
                w.ended = true;
                return Ok(RunState::Done);
            }
        }
    }
    Ok(RunState::Yield)
}

/// Text of the instruction of a stage at the start of `bytes`.
fn text_of(bytes: &[u8], generation: u8, stage: u8) -> String {
    match listing::decode(bytes, generation, stage) {
        Ok((inst, _)) => gpucc_isa::text::text_of(&inst, &gpucc_isa::TextCx::new(generation)),
        Err(_) => {
            let hex: Vec<String> = bytes.iter().take(4).rev().map(|b| format!("{b:02x}")).collect();
            format!(".long 0x{}", hex.concat())
        }
    }
}
