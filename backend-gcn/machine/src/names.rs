//! Names of the places and sources that a container gives as numbers.

use crate::abi;
use gpucc_isa::Mark;

/// Names of GCN's places, files, sources, tables and words.
pub const NAMES: gpucc_isa::Names =
    gpucc_isa::Names { place, file, source, table, register, word, marked, ..gpucc_isa::Names::NONE };

/// A register or word that is loaded before the first instruction.
pub fn place(file: u8, index: u16, lane: u8) -> Option<String> {
    match (file, lane) {
        (abi::FILE_SGPR, 0) => Some(format!("s{index}")),
        (abi::FILE_VGPR, 0) => Some(format!("v{index}")),
        (abi::FILE_PARAM, _) => Some(format!("param{index}.{}", component(lane)?)),
        (abi::FILE_ATTRIBUTE, 0) => Some(format!("vertex buffer {index}")),
        (abi::FILE_EXPORT, _) => Some(format!("{}.{}", export(index), component(lane)?)),
        (abi::FILE_ROOT, 0) => Some(format!("root[{index}]")),
        _ => None,
    }
}

/// A target of exports, as listings have it.
fn export(target: u16) -> String {
    match target {
        0..=7 => format!("mrt{target}"),
        8 => "mrtz".into(),
        12..=15 => format!("pos{}", target - 12),
        32..=63 => format!("param{}", target - 32),
        _ => format!("export target {target}"),
    }
}

fn component(lane: u8) -> Option<char> {
    "xyzw".chars().nth(lane.into())
}

/// A file of registers.
pub fn file(file: u8) -> Option<&'static str> {
    match file {
        abi::FILE_SGPR => Some("SGPRs"),
        abi::FILE_VGPR => Some("VGPRs"),
        abi::FILE_PARAM => Some("parameters"),
        abi::FILE_ATTRIBUTE => Some("vertex buffers"),
        abi::FILE_EXPORT => Some("export targets"),
        abi::FILE_ROOT => Some("words of the root block"),
        _ => None,
    }
}

/// A source of this family alone.
pub fn source(number: u32) -> Option<String> {
    let word = |of: &str, first: u32| Some(format!("{of}, word {}", number - first));
    match number {
        abi::FAMILY_TG_SIZE => Some("waves of the workgroup and number of this wave".into()),
        abi::FAMILY_PRIM_MASK => Some("PRIM_MASK".into()),
        16..20 => word("scratch descriptor", abi::FAMILY_SCRATCH),
        32..36 => word("descriptor of the constant data", abi::FAMILY_DATA),
        abi::FAMILY_PS_INPUT.. => {
            let (item, n) = ((number - abi::FAMILY_PS_INPUT) / 4, number % 4);
            ps_input(item, n)
        }
        _ => None,
    }
}

/// A register of an item of SPI_PS_INPUT_ADDR (reference section 18.1).
fn ps_input(item: u32, register: u32) -> Option<String> {
    #[rustfmt::skip]
    const PAIRS: [&str; 7] = [
        "PERSP_SAMPLE", "PERSP_CENTER", "PERSP_CENTROID", "PERSP_PULL_MODEL", "LINEAR_SAMPLE", "LINEAR_CENTER",
        "LINEAR_CENTROID",
    ];
    const WORDS: [&str; 9] = [
        "LINE_STIPPLE",
        "POS_X",
        "POS_Y",
        "POS_Z",
        "POS_W",
        "FRONT_FACE",
        "ANCILLARY (sample id in bits 8 to 11, layer in 16 to 28)",
        "SAMPLE_COVERAGE",
        "POS_FIXED_PT (y << 16 | x)",
    ];
    let n = register as usize;
    match item {
        3 => Some(format!("{}, {}", PAIRS[3], ["i/w", "j/w", "1/w"].get(n)?)),
        0..=6 => Some(format!("{}, {}", PAIRS[item as usize], ["i", "j"].get(n)?)),
        _ if n == 0 => WORDS.get(item as usize - 7).map(|&w| w.into()),
        _ => None,
    }
}

/// A table whose address is loaded.
fn table(number: u16) -> Option<String> {
    match number {
        0 => Some("the root block".into()),
        abi::VERTEX_TABLE => Some("the table of vertex buffers".into()),
        n => Some(format!("the descriptors of bind group {}", n - 1)),
    }
}

/// A register of those that a container gives words for.
pub fn register(space: u16, at: u32) -> Option<String> {
    let first = abi::reg::SPI_PS_INPUT_CNTL_0;
    match (space, at) {
        (0, at) if at > first && at < first + 4 * 32 => Some(format!("SPI_PS_INPUT_CNTL_{}", (at - first) / 4)),
        (0, at) => abi::reg::name(at).map(String::from),
        _ => None,
    }
}

/// A word of the family in the metadata: the register that it goes to.
pub fn word(number: usize, stage: u8) -> Option<String> {
    let register = abi::FamilyWords::NAMES.get(number)?;
    match stage {
        gpucc_isa::stage::VS => Some(format!("SPI_SHADER_PGM_{register}_VS")),
        gpucc_isa::stage::FS => Some(format!("SPI_SHADER_PGM_{register}_PS")),
        _ => Some(format!("COMPUTE_PGM_{register}")),
    }
}

/// Whether an instruction is one of a kind, by its mnemonic.
pub fn marked(text: &str, mark: Mark) -> bool {
    let name = text.split(' ').next().unwrap_or_default();
    match mark {
        Mark::Wait => ["s_waitcnt", "s_nop", "s_barrier", "s_sleep"].contains(&name),
        Mark::Move => {
            ["v_mov_b32", "s_mov_b32", "s_mov_b64", "v_readfirstlane_b32"].iter().any(|n| name.starts_with(n))
        }
        Mark::Flow => {
            ["s_cbranch", "s_branch", "s_setpc", "s_endpgm"].iter().any(|n| name.starts_with(n))
                || name.contains("saveexec")
        }
        Mark::Memory => {
            ["buffer_", "tbuffer_", "image_", "ds_", "flat_", "s_load", "s_buffer_load", "exp"]
                .iter()
                .any(|n| name.starts_with(n))
                && !name.starts_with("expand")
        }
    }
}
