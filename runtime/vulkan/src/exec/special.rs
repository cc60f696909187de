//! SPIR-V whose specialisation constants have the values that a pipeline gives them.

use crate::pipeline::Source;

/// Opcodes of the instructions that a specialisation changes.
mod op {
    pub const DECORATE: u32 = 71;
    pub const SPEC_TRUE: u32 = 48;
    pub const SPEC_FALSE: u32 = 49;
    pub const SPEC: u32 = 50;
    pub const SPEC_ID: u32 = 1;
}

/// The SPIR-V with its specialisation constants as defaults, so that it needs none.
pub fn specialised(source: &Source) -> Vec<u8> {
    let word = |c: &[u8]| u32::from_le_bytes([c[0], c[1], c[2], c[3]]);
    let mut words: Vec<u32> = source.code.chunks_exact(4).map(word).collect();
    let mut ids: Vec<(u32, u64)> = Vec::new();
    let mut at = 5;
    while let Some(&first) = words.get(at) {
        let (n, code) = ((first >> 16) as usize, first & 0xffff);
        if n == 0 || at + n > words.len() {
            break;
        }
        let value = |id: u32| ids.iter().find(|i| i.0 == id).map(|i| i.1);
        match (code, n) {
            (op::DECORATE, 4) if words[at + 2] == op::SPEC_ID => {
                let given = source.constants.iter().find(|c| c.0 == words[at + 3]);
                ids.extend(given.map(|c| (words[at + 1], c.1)));
            }
            (op::SPEC_TRUE | op::SPEC_FALSE, 3) => {
                if let Some(v) = value(words[at + 2]) {
                    words[at] = first & !0xffff | if v != 0 { op::SPEC_TRUE } else { op::SPEC_FALSE };
                }
            }
            (op::SPEC, 4 | 5) => {
                if let Some(v) = value(words[at + 2]) {
                    words[at + 3] = v as u32;
                    if n == 5 {
                        words[at + 4] = (v >> 32) as u32;
                    }
                }
            }
            _ => {}
        }
        at += n;
    }
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}
