//! One wave of a vertex or fragment program: registers and parameters in, exports out.

use gpucc_isa::stage::FS;
use gpucc_sim::{AddressSpace, Memory, OwnMemory, RaceCheck, Rules, RunOptions, RunReport, RunState, StepBudget, Trap};

use super::cache::L1;
use super::decode::{self, Limits};
use super::export::Export;
use super::launch::Values;
use super::memory::DeviceMemory;
use super::subgroup::{LANES, Wave};

/// The state that a wave starts with. Registers that are not given are undefined.
#[derive(Clone, Debug, Default)]
pub struct Shade {
    /// SGPRs by number; the others were never written.
    pub sgprs: Vec<(u8, u32)>,
    /// VGPRs by number, a value for each lane.
    pub vgprs: Vec<(u8, [u32; LANES])>,
    /// Lanes that are on.
    pub exec: u64,
    /// The MODE register of the wave, as bits.
    pub mode: u32,
    /// Workgroup memory: parameters of fragment programs.
    pub parameters: Vec<u8>,
}

/// Runs a wave of `code` to its end; gives what it exported, in order.
///
/// # Errors
/// The first broken rule, with instruction and address.
pub fn shade(code: &[u8], generation: u8, start: &Shade, options: &RunOptions) -> Result<Vec<Export>, Trap> {
    let limits = Limits { sgprs: 104, vgprs: 256, conventions: options.rules == Rules::Conventions };
    let decoded = decode::predecode(code, generation, FS, limits);
    let mut memory = Memory::new();
    let lds = memory.alloc("parameters", start.parameters.clone(), false);
    let scratch = memory.alloc("scratch", Vec::new(), true);
    let mut env = DeviceMemory {
        l1: L1::new(&memory, 0),
        memory,
        space: AddressSpace::new64(options.perturb),
        lds,
        lds_size: start.parameters.len() as u32,
        scratch,
        epoch: 0,
        stored: Vec::new(),
        races: RaceCheck::default(),
        own: OwnMemory::new(Vec::new()),
        values: Values::default(),
        past: None,
        waves: 0,
    };
    let mut w = Wave::new(limits.vgprs as usize, generation, start.mode, None);
    w.conventions = limits.conventions;
    w.exports = Some(Vec::new());
    w.set_exec(start.exec);
    for &(n, v) in &start.sgprs {
        w.s[usize::from(n)] = v;
        w.s_known |= 1 << n;
    }
    for (n, v) in &start.vgprs {
        w.v[usize::from(*n)] = *v;
        w.v_known[usize::from(*n)] = u64::MAX;
    }
    let mut steps = StepBudget::new(options);
    let (mut report, mut classes) = (RunReport::default(), [0; super::step::CLASSES.len()]);
    loop {
        let stop = super::step::step(&mut w, 1000, &decoded, &mut env, &mut steps, &mut report, &mut classes);
        let stop = stop.map_err(|t| match decoded.get(w.pc) {
            Some(d) => t.at(d.at.into(), || super::step::text_of(&code[d.at as usize..], generation, FS)),
            None => t.at(code.len() as u64, || "end of the code".into()),
        })?;
        if stop == RunState::Done {
            return Ok(w.exports.unwrap_or_default());
        }
    }
}
