//! The interpreter: runs the bytes of a container's entry point over a grid, and nothing else.
//!
//! Hardware rules are judged, not assumed: results of memory operations are poison until a wait covers them, missing
//! wait states trap, undefined registers may be copied but not used. The launch convention is `docs/abi-gcn.md`.

mod atomic;
mod cache;
mod compare;
mod decode;
mod draw;
mod export;
mod float;
mod format;
mod image;
mod interp;
mod lanes;
mod launch;
mod lds;
mod memory;
mod salu;
mod shade;
mod subgroup;
mod valu;

use gpucc_container::Container;
use gpucc_isa::Isa;
use gpucc_sim::{
    BarrierRule, Device, Dispatch, Limits, Machine, Memory, RaceCheck, RunOptions, RunReport, RunState, Simulator,
    SplitMix64, StepBudget, Trap, TrapKind,
};

use crate::isa::Gcn;
use crate::{Unit, listing};
use decode::Decoded;
use memory::DeviceMemory;
use salu::Next;
use subgroup::Wave;

pub use draw::draw;
pub use export::Export;
pub use shade::{Shade, shade};

const LIMITS: Limits =
    Limits { family: Gcn::NAME, generations: Gcn::GENERATIONS, invocations: 1024, workgroups: u32::MAX };

/// Runs an entry point of `container` (the only one when `entry` is `None`).
///
/// # Errors
/// A trap with its instruction and address, or what is wrong with the container or the dispatch.
pub fn run(
    container: &Container,
    entry: Option<&str>,
    dispatch: &mut Dispatch,
    options: &RunOptions,
) -> Result<RunReport, Trap> {
    run_on(container, entry, dispatch, &mut Device::default(), options)
}

/// As [`run`], with what a driver part placed in memory: textures, and the words of their descriptors.
///
/// # Errors
/// As [`run`].
pub fn run_on(
    container: &Container,
    entry: Option<&str>,
    dispatch: &mut Dispatch,
    device: &mut Device,
    options: &RunOptions,
) -> Result<RunReport, Trap> {
    let common = gpucc_sim::Launch::on(&LIMITS, container, entry, dispatch, device, options)?;
    let launch = launch::LaunchState::new(&common)?;
    let code = decode::predecode(common.instructions(), common.generation, launch.limits);
    let run = Run {
        env: launch.environment(dispatch, device)?,
        launch: &launch,
        code,
        end: common.instructions().len() as u64,
        seed: options.perturb.map(SplitMix64::new),
        steps: StepBudget::new(options),
        report: RunReport::default(),
        classes: [0; CLASSES.len()],
    };
    common.run_on(run, dispatch, device)
}

/// A run under way.
struct Run<'a> {
    launch: &'a launch::LaunchState<'a>,
    code: Vec<Decoded>,
    env: DeviceMemory,
    /// Where instructions end.
    end: u64,
    seed: Option<SplitMix64>,
    steps: StepBudget,
    report: RunReport,
    classes: [u64; CLASSES.len()],
}

impl Machine for Run<'_> {
    type Subgroup = Wave;

    fn start(&mut self, slot: usize, number: u64, id: [u32; 3], waves: &mut Vec<Wave>) -> Result<(), Trap> {
        self.enter(slot);
        self.env.races.begin(slot, id);
        let rng = self.seed.as_ref().map(|s| s.fork(number));
        *waves = self.launch.waves(&mut self.env, id, rng, number)?;
        self.report.subgroups += waves.len() as u64;
        Ok(())
    }

    fn enter(&mut self, slot: usize) {
        let DeviceMemory { own, memory, races, .. } = &mut self.env;
        own.enter(slot, memory, races);
    }

    fn run(&mut self, w: &mut Wave, time_slice: u32) -> Result<RunState, Trap> {
        let Run { launch, code, env, steps, report, classes, end, .. } = self;
        step(w, time_slice, code, env, steps, report, classes).map_err(|t| match code.get(w.pc) {
            Some(d) => t.at(d.at.into(), || launch.text(d.at)),
            None => t.at(*end, || "end of the code".into()),
        })
    }

    fn passed_barrier(&mut self) {
        self.env.races.barrier();
    }
}

impl Simulator for Run<'_> {
    const CLASSES: &'static [&'static str] = &CLASSES;
    const BARRIERS: BarrierRule = BarrierRule { ended_arrives: true, same_place: true };

    fn memory(&mut self) -> &mut Memory {
        &mut self.env.memory
    }

    fn races(&mut self) -> &mut RaceCheck {
        &mut self.env.races
    }

    fn counted(&mut self) -> (RunReport, &[u64]) {
        (std::mem::take(&mut self.report), &self.classes)
    }

    fn text(&self, pc: u64) -> String {
        self.launch.text(pc as u32)
    }
}

const CLASSES: [&str; 10] = ["salu", "branch", "smem", "valu", "trans", "vmem", "flat", "lds", "export", "interp"];

/// Runs a wave until it waits, ends or its time slice is over.
fn step(
    w: &mut Wave,
    time_slice: u32,
    code: &[Decoded],
    env: &mut DeviceMemory,
    steps: &mut StepBudget,
    report: &mut RunReport,
    classes: &mut [u64; CLASSES.len()],
) -> Result<RunState, Trap> {
    for _ in 0..time_slice {
        let Some(d) = code.get(w.pc) else {
            return Err(Trap::new(TrapKind::FellOffEnd, "execution ran past the last instruction"));
        };
        let active = w.exec().count_ones();
        steps.pay(active)?;
        report.count(active);
        classes[d.unit as usize] += 1;
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

/// Text of the instruction at the start of `bytes`.
fn text_of(bytes: &[u8], generation: u8) -> String {
    match listing::decode(bytes, generation, gpucc_isa::stage::CS) {
        Ok((inst, _)) => {
            let mut out = String::new();
            <Gcn as gpucc_isa::Isa>::print(&inst, &gpucc_isa::TextCx::new(generation), &mut out);
            out
        }
        Err(_) => {
            let hex: Vec<String> = bytes.iter().take(4).rev().map(|b| format!("{b:02x}")).collect();
            format!(".long 0x{}", hex.concat())
        }
    }
}
