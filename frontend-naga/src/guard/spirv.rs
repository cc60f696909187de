//! A look at a SPIR-V binary before naga reads it: header, instruction framing, and counts that bound naga's work.

use super::limits::{self, Limit};

/// Why a binary was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// Not SPIR-V, or cut off: the sentence says how.
    Malformed(String),
    /// A limit that is exceeded, at this word.
    Limit(Limit, usize),
}

/// The first word of a module.
pub const MAGIC: u32 = 0x0723_0203;
const OP_FUNCTION: u16 = 54;
const OP_FUNCTION_END: u16 = 56;
const OP_LOOP_MERGE: u16 = 246;
const OP_SELECTION_MERGE: u16 = 247;
/// Constructs and ends of functions of a small module: some become several blocks.
const SMALL_CONSTRUCTS: u64 = limits::SMALL_BLOCKS / 2;

/// Checks the binary and returns it as little-endian bytes (a big-endian module is swapped), with the bytes of stack that it asks for.
pub fn check(bytes: &[u8]) -> Result<(Vec<u8>, usize), Refused> {
    let malformed = |text: String| Err(Refused::Malformed(text));
    if bytes.is_empty() {
        return malformed("the file is empty".into());
    }
    if bytes.len() as u64 / 4 > limits::SPIRV_WORDS.max {
        return Err(Refused::Limit(limits::SPIRV_WORDS, 0));
    }
    if !bytes.len().is_multiple_of(4) {
        return malformed(format!("{} bytes are not a whole number of 32-bit words", bytes.len()));
    }
    let word = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
    let mut words: Vec<u32> = bytes.chunks_exact(4).map(word).collect();
    if words[0].swap_bytes() == MAGIC {
        words.iter_mut().for_each(|w| *w = w.swap_bytes());
    }
    if words[0] != MAGIC {
        return malformed(format!("magic number {:#010x} is not SPIR-V's {MAGIC:#010x}", words[0]));
    }
    if words.len() < 5 {
        return malformed("the header of five words is cut off".into());
    }
    if u64::from(words[3]) > limits::SPIRV_IDS.max {
        return Err(Refused::Limit(limits::SPIRV_IDS, 3));
    }
    let mut at = 5;
    let (mut merges, mut constructs) = (0, 0);
    while at < words.len() {
        let (length, opcode) = ((words[at] >> 16) as usize, words[at] as u16);
        if length == 0 || at + length > words.len() {
            return malformed(format!(
                "instruction {opcode} at word {at} claims {length} words, {} are left",
                words.len() - at
            ));
        }
        match opcode {
            OP_FUNCTION | OP_FUNCTION_END => {
                merges = 0;
                constructs += 1;
            }
            OP_LOOP_MERGE | OP_SELECTION_MERGE => {
                merges += 1;
                constructs += 1;
                if merges > limits::SPIRV_MERGES.max {
                    return Err(Refused::Limit(limits::SPIRV_MERGES, at));
                }
            }
            _ => {}
        }
        at += length;
    }
    let small = constructs <= SMALL_CONSTRUCTS;
    let stack = if small { limits::SMALL_STACK_BYTES } else { limits::STACK_BYTES };
    Ok((words.iter().flat_map(|w| w.to_le_bytes()).collect(), stack))
}
