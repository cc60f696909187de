//! Programs of another driver for draws of GCN (`foreign/graphics/gcn.jsonl` of the shared folder), by pipeline, and the names that
//! their register words have there.

use std::collections::BTreeMap;

use gpucc_tests::shared;
use serde_json::Value;

/// Names and addresses of registers that programs depend on, from the register reference of these chips.
pub const REGISTERS: [(&str, u32); 18] = [
    ("SPI_SHADER_PGM_RSRC1_PS", 0xb028),
    ("SPI_SHADER_PGM_RSRC2_PS", 0xb02c),
    ("SPI_SHADER_PGM_RSRC1_VS", 0xb128),
    ("SPI_SHADER_PGM_RSRC2_VS", 0xb12c),
    ("CB_SHADER_MASK", 0x2823c),
    ("SPI_VS_OUT_CONFIG", 0x286c4),
    ("SPI_PS_INPUT_ENA", 0x286cc),
    ("SPI_PS_INPUT_ADDR", 0x286d0),
    ("SPI_PS_IN_CONTROL", 0x286d8),
    ("SPI_BARYC_CNTL", 0x286e0),
    ("SPI_SHADER_POS_FORMAT", 0x2870c),
    ("SPI_SHADER_Z_FORMAT", 0x28710),
    ("SPI_SHADER_COL_FORMAT", 0x28714),
    ("DB_EQAA", 0x28804),
    ("DB_SHADER_CONTROL", 0x2880c),
    ("PA_CL_VS_OUT_CNTL", 0x2881c),
    ("PA_SC_MODE_CNTL_1", 0x28a4c),
    ("VGT_PRIMITIVEID_EN", 0x28a84),
];

/// Of the first parameter of a fragment program.
pub const INPUT_CNTL: u32 = 0x28644;

/// Programs of one pipeline.
#[derive(Default)]
pub struct Pair {
    pub vertex: Option<Value>,
    pub fragment: Option<Value>,
}

/// All programs, by `generation/scene`; none where they are not at hand.
pub fn pairs() -> BTreeMap<String, Pair> {
    let mut all: BTreeMap<String, Pair> = BTreeMap::new();
    let Some(path) = shared::find("foreign/graphics/gcn.jsonl") else { return all };
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let v: Value = serde_json::from_str(line).unwrap();
        let id = v["id"].as_str().unwrap().rsplit_once('/').unwrap().0.to_string();
        let pair = all.entry(id).or_default();
        let is_vertex = v["stage"] == "vs";
        *(if is_vertex { &mut pair.vertex } else { &mut pair.fragment }) = Some(v);
    }
    all
}

/// The word of a register, if it is given.
pub fn word(words: &Value, name: &str) -> Option<u32> {
    words[name].as_str().map(|w| u32::from_str_radix(w, 16).unwrap_or_else(|_| panic!("{name}: {w}")))
}

/// Parameters that a fragment program reads.
pub fn parameters(words: &Value) -> u32 {
    word(words, "SPI_PS_IN_CONTROL").unwrap_or(0) & 63
}

/// Whether a word follows from the vertex program.
pub fn is_of_vertex(name: &str) -> bool {
    ["_VS", "POS_FORMAT", "VGT_PRIMITIVEID"].iter().any(|p| name.contains(p))
}
