//! One wave of a vertex or fragment program: registers and parameters in, exports out.

use gpucc_isa::stage::FS;
use gpucc_sim::{AddressSpace, Core, Memory, Rules, RunOptions, Trap};

use super::cache::L1;
use super::decode::Limits;
use super::export::Export;
use super::memory::DeviceMemory;
use super::step::Program;
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
    let program = Program::new(code, code.len(), (generation, FS), limits);
    let mut memory = Memory::new();
    let lds = memory.alloc("parameters", start.parameters.clone(), false);
    let scratch = memory.alloc("scratch", Vec::new(), true);
    let l1 = L1::new(&memory, 0);
    let space = AddressSpace::new64(options.perturb);
    let env = DeviceMemory::new((memory, space, l1), (lds, start.parameters.len() as u32), scratch);
    let mut w = Wave::new(limits.vgprs as usize, generation, start.mode, None);
    w.conventions = limits.conventions;
    w.set_exec(start.exec);
    for &(n, v) in &start.sgprs {
        w.s[usize::from(n)] = v;
        w.s_known |= 1 << n;
    }
    for (n, v) in &start.vgprs {
        w.v[usize::from(*n)] = *v;
        w.v_known[usize::from(*n)] = u64::MAX;
    }
    program.exports(w, &mut Core::new(env, options))
}
