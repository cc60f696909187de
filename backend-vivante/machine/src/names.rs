//! Names of the places and sources that a container gives as numbers.

/// All of them.
pub const NAMES: gpucc_isa::Names = gpucc_isa::Names { place, file, source, ..gpucc_isa::Names::NONE };

/// A register or word that is loaded before the first instruction.
pub fn place(file: u8, index: u16, lane: u8) -> Option<String> {
    let component = "xyzw".chars().nth(lane.into())?;
    match file {
        0 => Some(format!("t{index}.{component}")),
        2 => Some(format!("{} of texture unit {index}", if lane == 0 { "texture" } else { "sampler" })),
        3 => Some(format!("word {index} of the launch")),
        0x80 => Some(format!("u{index}.{component}")),
        _ => None,
    }
}

/// A file of registers.
pub fn file(file: u8) -> Option<&'static str> {
    match file {
        0 => Some("temporaries"),
        2 => Some("texture units"),
        3 => Some("words of the launch"),
        0x80 => Some("uniforms"),
        _ => None,
    }
}

/// A source of this family alone.
pub fn source(number: u32) -> Option<String> {
    Some(format!("row {number} of the family words"))
}
