//! Names of the places and sources that a container gives as numbers.

use crate::abi;
use gpucc_isa::Mark;

/// Names of Valhall's places, files, sources and words.
pub const NAMES: gpucc_isa::Names =
    gpucc_isa::Names { place, file, source, register, word: abi::FamilyWords::name, marked, ..gpucc_isa::Names::NONE };

/// A register or word that is loaded before the first instruction.
pub fn place(file: u8, index: u16, lane: u8) -> Option<String> {
    match (file, lane) {
        (0, 0) => Some(format!("r{index}")),
        (abi::FILE_ATTRIBUTE, 0) => Some(format!("attribute {index}")),
        (abi::FILE_VARYING, lane) => {
            Some(format!("byte {} of the record", abi::SLOT * u32::from(index) + 4 * u32::from(lane)))
        }
        (abi::FILE_OUTPUT, 0) => Some(format!("output {index}")),
        (0x80, 0) => Some(format!("u{index}")),
        _ => None,
    }
}

/// A file of registers.
pub fn file(file: u8) -> Option<&'static str> {
    match file {
        0x80 => Some("words of the fast access uniforms"),
        _ => ["registers", "attributes", "varyings", "outputs"].get(usize::from(file)).copied(),
    }
}

/// A source of this family alone.
pub fn source(number: u32) -> Option<String> {
    abi::SOURCES.get(number as usize).map(|&s| s.into())
}

/// A word of a shader program descriptor.
pub fn register(space: u16, register: u32) -> Option<String> {
    match (space, register) {
        (0, abi::PRIMITIVE_FLAGS) => return Some("flags of primitives".into()),
        (0, abi::PRIMITIVE_SIZE) => return Some("size of points".into()),
        _ => {}
    }
    let (pointer, word) = (register / abi::PROGRAM_WORDS, register % abi::PROGRAM_WORDS);
    let program = match pointer {
        _ if space != abi::PROGRAM_SPACE => return None,
        abi::POSITION_PROGRAM => "positions",
        abi::VARYING_PROGRAM => "varyings",
        abi::FRAGMENT_PROGRAM => "fragments",
        _ => return None,
    };
    Some(format!("word {word} of the program descriptor of {program}"))
}

/// Whether an instruction is one of a kind, by its mnemonic; a modifier says that it waits for messages first.
pub fn marked(text: &str, mark: Mark) -> bool {
    let word = text.split(' ').next().unwrap_or_default();
    let name = word.split('.').next().unwrap_or_default();
    match mark {
        Mark::Wait => name == "BARRIER" || word.contains(".wait"),
        Mark::Move => name == "MOV",
        Mark::Flow => {
            name.starts_with("BRANCH") || name.starts_with("JUMP") || name == "DISCARD" || word.contains(".end")
        }
        Mark::Memory => {
            ["LOAD", "STORE", "LD_", "ST_", "TEX", "VAR_TEX", "ATOM", "AXCHG", "ACMPXCHG", "BLEND", "ATEST", "ZS_EMIT"]
                .iter()
                .any(|n| name.starts_with(n))
        }
    }
}
