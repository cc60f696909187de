//! Names of the places and sources that a container gives as numbers.

use gpucc_isa::Mark;

use crate::abi::FamilyWords;

/// Names of Tesla's places, files, sources and words.
pub const NAMES: gpucc_isa::Names =
    gpucc_isa::Names { place, file, source, register, word: FamilyWords::name, marked, ..gpucc_isa::Names::NONE };

/// A register or word that is loaded before the first instruction, or that holds an input or output. Words of spaces are counted in bytes,
/// as listings do.
pub fn place(file: u8, index: u16, lane: u8) -> Option<String> {
    let byte = 4 * u32::from(index);
    match (file, lane) {
        (0, 0) => Some(format!("$r{index}")),
        (1, 0) => Some(format!("vertex array {index}")),
        (2, 0) => Some(format!("o[{byte:#x}]")),
        (3, 0) => Some(format!("v[{byte:#x}]")),
        (0x80, 0) => Some(format!("c0[{byte:#x}]")),
        (0x81, 0) => Some(format!("s[{byte:#x}]")),
        _ => None,
    }
}

/// A file of registers.
pub fn file(file: u8) -> Option<&'static str> {
    match file {
        0 => Some("registers"),
        1 => Some("vertex arrays"),
        2 => Some("words of o[]"),
        3 => Some("words of v[]"),
        0x80 => Some("words of c0[]"),
        0x81 => Some("words of s[]"),
        _ => None,
    }
}

/// A source of this family alone.
pub fn source(number: u32) -> Option<String> {
    (number == 0).then(|| "local id, packed".into())
}

/// Methods of the 3D class that stand alone.
const METHODS: [(u32, &str); 14] = [
    (0x1298, "FP_RESULT_COUNT"),
    (0x1510, "CLIP_DISTANCE_ENABLE"),
    (0x164c, "VP_GP_BUILTIN_ATTR_EN"),
    (0x16ac, "VP_RESULT_MAP_SIZE"),
    (0x16b8, "VP_REG_ALLOC_RESULT"),
    (0x1904, "SEMANTIC_COLOR"),
    (0x1908, "SEMANTIC_CLIP"),
    (0x190c, "SEMANTIC_LAYER"),
    (0x1910, "SEMANTIC_PTSZ"),
    (0x1914, "SEMANTIC_PRIM_ID"),
    (0x1928, "FP_MULTISAMPLE"),
    (0x196c, "FP_CTRL_UNK196C"),
    (0x1988, "FP_INTERPOLANT_CTRL"),
    (0x19a8, "FP_CONTROL"),
];

/// Methods that are several: first, name, number.
const ARRAYS: [(u32, &str, u32); 4] = [
    (0x1540, "NOPERSPECTIVE_BITMAP", 4),
    (0x1650, "VP_ATTR_EN", 2),
    (0x16bc, "VP_RESULT_MAP", 17),
    (0x1ac0, "VERTEX_ARRAY_ATTRIB", 16),
];

/// A method of the 3D class by the name of nouveau's headers, or a register of a vertex array.
pub fn register(space: u16, at: u32) -> Option<String> {
    if space == 1 {
        let of = ["FETCH", "START_HIGH", "START_LOW", "LIMIT_HIGH", "LIMIT_LOW", "PER_INSTANCE"];
        return of.get(at as usize % 8).map(|name| format!("VERTEX_ARRAY_{name}({})", at / 8));
    }
    if space == 0 { gpucc_isa::named(at, &METHODS, &ARRAYS) } else { None }
}

/// Whether an instruction is one of a kind, by its mnemonic: what stands behind the predicate and what else comes first.
pub fn marked(text: &str, mark: Mark) -> bool {
    let text = text.strip_prefix('(').and_then(|t| t.split_once(") ")).map_or(text, |t| t.1);
    let mut words = text.split_whitespace().skip_while(|w| ["long", "exit", "join"].contains(w));
    let ends = text.split_whitespace().take(2).any(|w| w == "exit" || w == "join");
    let name = words.next().unwrap_or_default();
    match mark {
        Mark::Wait => name == "bar",
        Mark::Move => name == "mov",
        Mark::Flow => {
            ends || ["bra", "call", "ret", "joinat", "breakaddr", "break", "preret", "discard"].contains(&name)
        }
        Mark::Memory => {
            ["ld", "st", "tex", "texauto", "texfetch", "texprep", "atomic", "red"].contains(&name)
                || name.starts_with("tex")
        }
    }
}
