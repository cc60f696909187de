//! Names of the places and sources that a container gives as numbers.

use gpucc_isa::Mark;

use crate::abi::FamilyWords;

/// Names of Vivante's places, files, sources and words.
pub const NAMES: gpucc_isa::Names = gpucc_isa::Names {
    place,
    file,
    register,
    word: FamilyWords::name,
    loads_contents: true,
    marked,
    ..gpucc_isa::Names::NONE
};

/// A register or word that is loaded before the first instruction.
pub fn place(file: u8, index: u16, lane: u8) -> Option<String> {
    let component = "xyzw".chars().nth(lane.into())?;
    match file {
        0 => Some(format!("t{index}.{component}")),
        2 => Some(format!("{} of texture unit {index}", if lane == 0 { "texture" } else { "sampler" })),
        0x80 => Some(format!("u{index}.{component}")),
        _ => None,
    }
}

/// A file of registers.
pub fn file(file: u8) -> Option<&'static str> {
    match file {
        0 => Some("temporaries"),
        2 => Some("texture units"),
        0x80 => Some("uniforms"),
        _ => None,
    }
}

/// States that stand alone.
const STATES: [(u32, &str); 11] = [
    (0x07c4, "FE_HALTI5_ID_CONFIG"),
    (0x0804, "VS_OUTPUT_COUNT"),
    (0x0808, "VS_INPUT_COUNT"),
    (0x080c, "VS_TEMP_REGISTER_CONTROL"),
    (0x0e08, "RA_EARLY_DEPTH"),
    (0x1004, "PS_OUTPUT_REG"),
    (0x1008, "PS_INPUT_COUNT"),
    (0x100c, "PS_TEMP_REGISTER_CONTROL"),
    (0x1010, "PS_CONTROL"),
    (0x102c, "PS_OUTPUT_REG2"),
    (0x1030, "PS_CONTROL_EXT"),
];

/// States that are several: first, name, number.
const ARRAYS: [(u32, &str, u32); 4] = [
    (0x0810, "VS_OUTPUT", 4),
    (0x0820, "VS_INPUT", 4),
    (0x08c0, "VS_HALTI5_INPUT", 8),
    (0x08e0, "VS_HALTI5_OUTPUT", 8),
];

/// A state by the name of etnaviv's headers.
pub fn register(space: u16, at: u32) -> Option<String> {
    if space == 0 { gpucc_isa::named(at, &STATES, &ARRAYS) } else { None }
}

/// Whether an instruction is one of a kind, by its mnemonic.
pub fn marked(text: &str, mark: Mark) -> bool {
    let name = text.split([' ', '.']).next().unwrap_or_default();
    match mark {
        Mark::Wait => name == "barrier",
        Mark::Move => ["mov", "mova", "movai", "movar", "movaf"].contains(&name),
        Mark::Flow => ["branch", "call", "ret", "texkill"].contains(&name),
        Mark::Memory => {
            ["load", "store", "tex", "img_", "atomic", "texld"].iter().any(|n| name.starts_with(n)) && name != "texkill"
        }
    }
}
