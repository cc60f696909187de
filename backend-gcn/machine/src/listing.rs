//! Words and whole listings: decode with operand checks, disassemble, assemble.

use gpucc_isa::text::{hex_number, text_of};
use gpucc_isa::{DecodeError, Inst, Isa, Listing, TextCx, TextError, What, Word, fail_if};

use crate::isa::Gcn;
use crate::{operand, table};

/// Why a word is refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The bits match no row.
    Bits(DecodeError),
    /// An operand has a reserved value.
    Operand(String),
}

impl core::fmt::Display for Refusal {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Refusal::Bits(e) => e.fmt(f),
            Refusal::Operand(m) => f.write_str(m),
        }
    }
}

/// Decodes the instruction at the start of `bytes`; gives it and its length.
///
/// # Errors
/// When no row matches, an operand is reserved, or bytes are missing.
pub fn decode(bytes: &[u8], generation: u8, stages: u8) -> Result<(Inst<Gcn>, usize), Refusal> {
    let mut low = [0u8; 16];
    let n = bytes.len().min(8);
    low[..n].copy_from_slice(&bytes[..n]);
    let word = Word::from_le_bytes(low);
    fail_if!(n < 4, Refusal::Bits(DecodeError::Truncated));
    let length = Gcn::length(word, generation);
    fail_if!(length > n, Refusal::Bits(DecodeError::Truncated));
    let word = if length == 4 { word & 0xffff_ffff } else { word };
    let inst = table().decode(word, length, generation, stages).map_err(Refusal::Bits)?;
    operand::legal(&inst, generation).map_err(Refusal::Operand)?;
    Ok((inst, length))
}

/// Decodes an instruction given as 32-bit words.
///
/// # Errors
/// As [`decode`].
pub fn decode_word(words: &[u32], generation: u8, stages: u8) -> Result<Inst<Gcn>, Refusal> {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    decode(&bytes, generation, stages).map(|(inst, _)| inst)
}

/// Bytes of an instruction; `None` when its row does not exist on `generation`.
pub fn encode(inst: &Inst<Gcn>, generation: u8) -> Option<Vec<u8>> {
    let (word, n) = table().encode(inst, generation)?;
    Some(word.to_le_bytes()[..n].to_vec())
}

/// Text of one line of hexadecimal: bytes in the order of memory with commas between them, or words as a listing prints them.
///
/// # Errors
/// The reason as a sentence.
pub fn disasm_words_line(line: &str, generation: u8, stages: u8) -> Result<String, String> {
    let mut bytes = Vec::new();
    for part in line.trim().split([',', ' ']).filter(|p| !p.is_empty()) {
        let digits = part.strip_prefix("0x").unwrap_or(part);
        let width = if digits.len() == 8 { 4 } else { 1 };
        if width == 1 && digits.len() > 2 || bytes.len() + width > 8 {
            return Err(format!("expected at most 8 bytes of two digits, or 2 words of eight, found `{part}`"));
        }
        let number = hex_number(digits, 8).ok_or_else(|| format!("`{part}` is not a hexadecimal word or byte"))?;
        bytes.extend(&number.to_le_bytes()[..width]);
    }
    let (inst, length) = decode(&bytes, generation, stages).map_err(|e| e.to_string())?;
    fail_if!(length != bytes.len(), format!("the instruction has {length} bytes, {} are given", bytes.len()));
    Ok(text_of(&inst, &TextCx::of(generation, stages)))
}

/// Comma-separated hexadecimal bytes of one line of text. GCN has no forced long forms: `long` changes nothing.
///
/// # Errors
/// Column and reason.
pub fn asm_words_line(line: &str, generation: u8, stages: u8, long: bool) -> Result<String, String> {
    let _ = long;
    let inst = Gcn::parse(line, &TextCx::of(generation, stages)).map_err(|e| e.to_string())?;
    let bytes = encode(&inst, generation).ok_or("the instruction does not exist on this generation")?;
    Ok(bytes.iter().map(|b| format!("{b:02x}")).collect::<Vec<_>>().join(","))
}

gpucc_isa::listings!(Gcn);

/// `llvm-mc` reads listings to the same bytes as well.
impl Listing for Gcn {
    const HEAD: &'static str = "; entry";
    const UNIT: i64 = 4;
    const RELATIVE: bool = true;

    fn first(code: &[u8], cx: &TextCx) -> (usize, What<Gcn>) {
        match decode(code, cx.generation, cx.stages) {
            Ok((inst, length)) => (length, What::Inst(inst)),
            Err(e) => (code.len().min(4), What::Bad(e.to_string())),
        }
    }

    fn label(number: usize, _: usize) -> Option<String> {
        Some(format!("L{number}"))
    }

    fn data(bytes: &[u8]) -> Option<String> {
        Some(match bytes.as_chunks::<4>() {
            (words, []) => {
                let words: Vec<String> = words.iter().map(|w| format!("{:#010x}", u32::from_le_bytes(*w))).collect();
                format!(".long {}", words.join(", "))
            }
            // Single ones, where they are no words.
            _ => format!(".byte {}", bytes.iter().map(|b| format!("{b:#04x}")).collect::<Vec<_>>().join(",")),
        })
    }

    fn directive(statement: &str, out: &mut Vec<u8>) -> Option<Result<(), TextError>> {
        Some(directive(statement, out)?.map_err(|message| TextError { column: 0, message }))
    }
}

/// `.long` and `.byte` add data; other directives that other assemblers want are passed over.
fn directive(word: &str, code: &mut Vec<u8>) -> Option<Result<(), String>> {
    let name_end = word.find(char::is_whitespace).unwrap_or(word.len());
    let (name, rest) = word.split_at(name_end);
    let width = match name {
        ".long" | ".4byte" => 4,
        ".byte" => 1,
        ".text" | ".globl" | ".global" | ".p2align" | ".type" | ".size" | ".amdgcn_target" => return Some(Ok(())),
        _ if name.starts_with('.') => return Some(Err(format!("unknown directive `{name}`"))),
        _ => return None,
    };
    for part in rest.split(',') {
        let part = part.trim();
        let value = match part.strip_prefix("0x") {
            Some(h) => u32::from_str_radix(h, 16).ok(),
            None => part.parse().ok(),
        };
        match value {
            Some(v) if width == 4 || v < 256 => code.extend(&v.to_le_bytes()[..width]),
            _ => return Some(Err(format!("`{part}` is not a value of {name}"))),
        }
    }
    Some(Ok(()))
}
