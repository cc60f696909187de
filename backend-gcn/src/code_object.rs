//! ELF files as Mesa's drivers read them: the machine of the header, and `.AMDGPU.config` with pairs of a register's address and its value.
//! Numbers are those of LLVM's page on AMDGPU and of Mesa's `sid.h`.

use gpucc_container::{Entry, Stage};
use gpucc_driver::CodeObject;
use gpucc_gcn_machine::abi::FamilyWords;

/// EM_AMDGPU.
const MACHINE: u16 = 224;
/// ELFOSABI_AMDGPU_MESA3D.
const OS_ABI: u8 = 66;
/// EF_AMDGPU_MACH of each generation: Tahiti, Bonaire, Fiji.
const FLAGS: [u32; 3] = [0x20, 0x26, 0x2a];

const COMPUTE_PGM_RSRC1: u32 = 0xb848;
const COMPUTE_PGM_RSRC2: u32 = 0xb84c;
const COMPUTE_TMPRING_SIZE: u32 = 0xb860;
const SPI_TMPRING_SIZE: u32 = 0x286e8;
/// WAVESIZE of both: from bit 12, in units of 256 dwords.
const WAVE_SIZE: u32 = 12;
/// A pair of the readers' own that counts spilled scalar registers; 0 says nothing.
const SPILLED_SGPRS: u32 = 4;

/// The facts of a generation.
pub(crate) fn facts(generation: u8) -> CodeObject {
    CodeObject {
        machine: MACHINE,
        os_abi: OS_ABI,
        flags: FLAGS[usize::from(generation).min(FLAGS.len() - 1)],
        section: ".AMDGPU.config",
        config,
        filler: (SPILLED_SGPRS, 0),
    }
}

fn config(e: &Entry) -> Vec<(u32, u32)> {
    let compute = e.stage == Stage::Compute;
    let mut out: Vec<(u32, u32)> = if compute {
        let words = FamilyWords::of(&e.meta);
        vec![(COMPUTE_PGM_RSRC1, words.rsrc1), (COMPUTE_PGM_RSRC2, words.rsrc2)]
    } else {
        e.state.iter().map(|w| (w.register, w.value)).collect()
    };
    let wave = e.meta.scratch_bytes.saturating_mul(64).div_ceil(1024);
    out.push((if compute { COMPUTE_TMPRING_SIZE } else { SPI_TMPRING_SIZE }, wave << WAVE_SIZE));
    out
}
