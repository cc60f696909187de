//! Whole programs as text, and single lines in the notation of the vectors.

use gpucc_isa::text::{self, hex_number};
use gpucc_isa::{DecodeError, Inst, Isa, Listing, TextCx, TextError, What, fail_if};

use crate::{BYTES, GC3000, GC7000, Vivante, decode_word, encode};

/// Text of one instruction.
pub fn text_of(inst: &Inst<Vivante>, generation: u8) -> String {
    text::text_of(inst, &TextCx::new(generation))
}

fn words_of(bytes: &[u8]) -> [u32; 4] {
    let mut w = [0; 4];
    for (w, b) in w.iter_mut().zip(bytes.chunks_exact(4)) {
        *w = u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
    }
    w
}

fn hex(w: [u32; 4]) -> String {
    format!("0x{:08x} 0x{:08x} 0x{:08x} 0x{:08x}", w[0], w[1], w[2], w[3])
}

gpucc_isa::listings!(Vivante);

/// Labels are named by the index of the instruction, which branches hold. Words whose text would not assemble back to them
/// (undecodable ones, and those with bits that the syntax does not show) are written as `.word` with a comment.
impl Listing for Vivante {
    const COMMENTS: &'static [&'static str] = &[";", "//", "#"];
    const HEAD: &'static str = ".entry";
    const UNIT: i64 = BYTES as i64;
    const RELATIVE: bool = false;

    fn first(code: &[u8], cx: &TextCx) -> (usize, What<Vivante>) {
        let Some(bytes) = code.first_chunk::<BYTES>() else {
            let left = format!("{} bytes left over, an instruction has {BYTES}", code.len());
            return (code.len(), What::Bad(left));
        };
        let inst = decode_word(words_of(bytes), cx.generation, cx.stages);
        // The family's last chip says what it could be.
        let guess = |e: DecodeError| match decode_word(words_of(bytes), GC7000, cx.stages) {
            Ok(inst) => text_of(&inst, GC7000),
            Err(_) => e.to_string(),
        };
        (BYTES, inst.map_or_else(|e| What::Bad(guess(e)), What::Inst))
    }

    fn label(_: usize, at: usize) -> Option<String> {
        Some(format!("L{}", at / BYTES))
    }

    fn data(bytes: &[u8]) -> Option<String> {
        (bytes.len() == BYTES).then(|| format!(".word {}", hex(words_of(bytes))))
    }

    fn directive(statement: &str, out: &mut Vec<u8>) -> Option<Result<(), TextError>> {
        let words = parse_words(statement.strip_prefix(".word")?);
        let error = |message| TextError { column: 5, message };
        Some(words.map(|w| out.extend(w.iter().flat_map(|w| w.to_le_bytes()))).map_err(error))
    }
}

/// The four words of an instruction in hexadecimal.
///
/// # Errors
/// What is none, or how many there are.
pub fn parse_words(text: &str) -> Result<[u32; 4], String> {
    let mut words = [0; 4];
    let mut n = 0;
    for token in text.split_whitespace() {
        let value = hex_number(token, 8).ok_or_else(|| format!("`{token}` is not a 32-bit hexadecimal word"))?;
        *words.get_mut(n).ok_or("more than four words")? = value as u32;
        n += 1;
    }
    fail_if!(n < 4, format!("truncated instruction: {n} of four words"));
    Ok(words)
}

/// One line of words to text. Lines of words are read as the whole family knows them: the notation and its vectors do
/// not name a chip, and a person who reads a dump wants to see what is there.
///
/// # Errors
/// When the words are no instruction.
pub fn disasm_words_line(line: &str, generation: u8, stages: u8) -> Result<String, String> {
    let words = parse_words(line)?;
    match decode_word(words, GC7000, stages) {
        Ok(inst) => Ok(text_of(&inst, generation)),
        Err(e @ (DecodeError::Unknown | DecodeError::Truncated | DecodeError::Reserved(_))) => {
            Err(format!("{e}: {:08x}{:08x}{:08x}{:08x}", words[3], words[2], words[1], words[0]))
        }
    }
}

/// One line of text to words. On the default generation the whole family's instructions are accepted, as in
/// [`disasm_words_line`]; on a named other chip only its own.
///
/// # Errors
/// Column and reason.
pub fn asm_words_line(line: &str, generation: u8, stages: u8, long: bool) -> Result<String, String> {
    let generation = if generation == GC3000 { GC7000 } else { generation };
    let text = line.split(';').next().unwrap_or("").trim_end();
    let text = text.strip_suffix("\\t").unwrap_or(text);
    let inst = Vivante::parse(text, &TextCx { long, ..TextCx::of(generation, stages) }).map_err(|e| e.to_string())?;
    encode(&inst, generation).map(hex).ok_or_else(|| "the instruction does not exist on this chip".to_owned())
}
