//! Names of the places and sources that a container gives as numbers.

/// All of them.
pub const NAMES: gpucc_isa::Names = gpucc_isa::Names { place, file, source, ..gpucc_isa::Names::NONE };

/// A register or word that is loaded before the first instruction.
pub fn place(file: u8, index: u16, lane: u8) -> Option<String> {
    match (file, lane) {
        (0, 0) => Some(format!("$r{index}")),
        (0x80, 0) => Some(format!("c0[{:#x}]", 4 * u32::from(index))),
        (0x81, 0) => Some(format!("s[{:#x}]", 4 * u32::from(index))),
        _ => None,
    }
}

/// A file of registers.
pub fn file(file: u8) -> Option<&'static str> {
    (file == 0).then_some("registers")
}

/// A source of this family alone.
pub fn source(number: u32) -> Option<String> {
    (number == 0).then(|| "local id, packed".into())
}
