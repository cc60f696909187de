//! The interpreter: runs the bytes of a container's entry point over a grid, and nothing else.
//!
//! Hardware rules are judged, not assumed: results of memory operations are poison until a wait covers them, missing
//! wait states trap, undefined registers may be copied but not used. The launch convention is `docs/abi-gcn.md`.

mod atomic;
mod compare;
mod float;
mod format;
mod launch;
mod lds;
mod memory;
mod predecode;
mod salu;
mod valu;
mod wave;

use gpucc_container::Container;
use gpucc_sim::{BarrierRule, Dispatch, RunOptions, RunReport, SplitMix64, Steps, Stop, Trap, TrapKind};

use crate::isa::Gcn;
use crate::{Unit, listing};
use memory::Env;
use predecode::Decoded;
use salu::Next;
use wave::Wave;

/// Where code seems to lie for s_getpc.
const CODE_BASE: u64 = 0x40_0000_0000;

/// Instructions between two chances for other waves.
const SLICE: u32 = 20_000;

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
    let launch = launch::Launch::new(container, entry)?;
    let code = predecode::predecode(&launch.entry.code, launch.generation, launch.limits);
    let mut env = launch.environment(dispatch, options)?;
    let mut report = RunReport::default();
    let mut steps = Steps::new(options);
    let mut classes = [0u64; 10];
    let mut failed = None;
    let seed = options.perturb.map(SplitMix64::new);
    for (n, id) in gpucc_sim::workgroups(dispatch.grid, options.perturb).enumerate() {
        let rng = seed.as_ref().map(|s| s.fork(n as u64));
        let mut waves = launch.waves(&mut env, id, dispatch.grid, rng)?;
        report.subgroups += waves.len() as u64;
        let rule = BarrierRule { ended_arrives: true, same_place: true };
        let order = options.perturb.map(|p| p ^ n as u64);
        let result = gpucc_sim::run_workgroup(&mut waves, order, rule, |w| {
            step(w, &code, &mut env, &mut steps, &mut report, &mut classes).map_err(|t| {
                let at = code.get(w.pc);
                match at {
                    Some(d) => t.at(d.at.into(), || launch.text(d.at)),
                    None => t.at(launch.entry.code.len() as u64, || "end of the code".into()),
                }
            })
        });
        match result {
            Ok(barriers) => report.barriers += barriers,
            Err(t) => {
                failed = Some(t.in_workgroup(id));
                break;
            }
        }
    }
    launch.finish(&mut env, dispatch);
    for (i, name) in CLASSES.iter().enumerate() {
        if classes[i] > 0 {
            report.add_class(name, classes[i]);
        }
    }
    match failed {
        Some(t) => Err(t),
        None => Ok(report),
    }
}

const CLASSES: [&str; 10] = ["salu", "branch", "smem", "valu", "trans", "vmem", "flat", "lds", "export", "interp"];

/// Runs a wave until it waits, ends or used its slice.
fn step(
    w: &mut Wave,
    code: &[Decoded],
    env: &mut Env,
    steps: &mut Steps,
    report: &mut RunReport,
    classes: &mut [u64; 10],
) -> Result<Stop, Trap> {
    for _ in 0..SLICE {
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
                return Err(salu::unsupported("image instructions arrive with graphics"));
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
            Unit::Export => return Err(salu::unsupported("exports arrive with graphics")),
            Unit::Interp => return Err(salu::unsupported("interpolation arrives with graphics")),
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
                return Ok(Stop::Barrier(d.at.into()));
            }
            Next::Yield => {
                w.pc += 1;
                return Ok(Stop::Yield);
            }
            Next::End => {
                w.ended = true;
                return Ok(Stop::Done);
            }
        }
    }
    Ok(Stop::Yield)
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
