//! The grammar of instructions, by opcode: rspirv's tables, and how many words each operand takes.

use rspirv::grammar::{INSTRUCTION_TABLE, Instruction, OperandKind as K, OperandQuantifier as Q};
use rspirv::spirv::{ImageOperands, MemoryAccess};
use std::sync::OnceLock;

/// The instruction of an opcode, if the grammar has it.
pub fn lookup(opcode: u16) -> Option<&'static Instruction<'static>> {
    static TABLE: OnceLock<Vec<Option<&'static Instruction<'static>>>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let mut table = Vec::new();
        for inst in INSTRUCTION_TABLE.iter() {
            let at = inst.opcode as usize;
            if table.len() <= at {
                table.resize(at + 1, None);
            }
            table[at] = Some(inst);
        }
        table
    });
    table.get(usize::from(opcode)).copied().flatten()
}

/// Instructions of extensions that are younger than the tables.
const YOUNGER: [(u16, &str); 13] = [
    (4195, "BitcastExtractEXT"),
    (4545, "ImageGatherQCOM"),
    (5121, "AbortKHR"),
    (5147, "ConstantDataKHR"),
    (5148, "SpecConstantDataKHR"),
    (5158, "PoisonKHR"),
    (5159, "FreezeKHR"),
    (5363, "CooperativeMatrixGetCoordinateEXT"),
    (6258, "PredicatedLoadINTEL"),
    (6259, "PredicatedStoreINTEL"),
    (6916, "FDot2MixAcc32VALVE"),
    (6917, "FDot2MixAcc16VALVE"),
    (6918, "FDot4MixAcc32VALVE"),
];

/// An instruction as messages call it, with backticks where it has a name.
pub fn called(opcode: u16) -> String {
    let younger = || YOUNGER.iter().find(|row| row.0 == opcode).map(|row| row.1);
    match lookup(opcode).map(|inst| inst.opname).or_else(younger) {
        Some(name) => format!("`Op{name}`"),
        None => format!("instruction {opcode}"),
    }
}

/// A decoration that the tables do not have, as messages call it.
pub fn decoration_called(number: u32) -> String {
    match number {
        5145 => "UTFEncodedKHR".into(),
        5440 => "CooperativeMatrixTransposeEXT".into(),
        7040 => "IntrinsicSAMSUNG".into(),
        _ => format!("the decoration {number}"),
    }
}

/// Whether the first operands are a type and a result.
pub fn head(inst: &Instruction) -> (bool, bool) {
    let has = |k: K| inst.operands.iter().take(2).any(|o| o.kind == k);
    (has(K::IdResultType), has(K::IdResult))
}

/// Words of a string with its end; none if it has no end.
pub fn string_words(words: &[u32]) -> Option<usize> {
    words.iter().position(|w| w.to_le_bytes().contains(&0)).map(|n| n + 1)
}

/// Text of a string's words, up to the first zero byte.
pub fn text(words: &[u32]) -> String {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).take_while(|b| *b != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Walks over the operands of an instruction, calls `id` for each that is an id, and checks that they are as many as the grammar says.
///
/// # Errors
/// The missing or excessive part.
pub fn operands(inst: &Instruction, words: &[u32], mut id: impl FnMut(u32)) -> Result<(), String> {
    let mut rest = words;
    for operand in inst.operands {
        match operand.quantifier {
            Q::One if rest.is_empty() => return Err("has too few operands".into()),
            Q::One => rest = one(operand.kind, rest, &mut id)?,
            Q::ZeroOrOne if rest.is_empty() => {}
            Q::ZeroOrOne => rest = one(operand.kind, rest, &mut id)?,
            Q::ZeroOrMore => {
                while !rest.is_empty() {
                    rest = one(operand.kind, rest, &mut id)?;
                }
            }
        }
    }
    if rest.is_empty() { Ok(()) } else { Err("has too many operands".into()) }
}

fn one<'a>(kind: K, words: &'a [u32], id: &mut impl FnMut(u32)) -> Result<&'a [u32], String> {
    let few = || "has too few operands".to_string();
    let after = |n: usize| words.get(n..).ok_or_else(few);
    Ok(match kind {
        K::IdResultType | K::IdResult | K::IdRef | K::IdScope | K::IdMemorySemantics => {
            id(words[0]);
            &words[1..]
        }
        K::LiteralString => {
            let n = string_words(words).ok_or_else(|| "has a string without an end".to_string())?;
            after(n)?
        }
        // As long as its type says: whoever reads it looks.
        K::LiteralContextDependentNumber | K::LiteralSpecConstantOpInteger => &[],
        K::PairLiteralIntegerIdRef => &[],
        K::PairIdRefLiteralInteger => {
            id(words[0]);
            after(2)?
        }
        K::PairIdRefIdRef => {
            id(words[0]);
            id(*words.get(1).ok_or_else(few)?);
            &words[2..]
        }
        K::ImageOperands => ids_of(words, image_operand_words(words[0]), id)?,
        K::MemoryAccess => {
            let n = memory_access_words(words[0]);
            let list = after(1 + n)?;
            // An alignment is a number, all others are ids.
            let aligned = usize::from(words[0] & MemoryAccess::ALIGNED.bits() != 0);
            words[1 + aligned..=n].iter().for_each(|&w| id(w));
            list
        }
        // The text behind these is for those who read them.
        K::ExecutionMode | K::Decoration | K::LoopControl | K::TensorAddressingOperands | K::TensorOperands => &[],
        _ => &words[1..],
    })
}

fn ids_of<'a>(words: &'a [u32], n: usize, id: &mut impl FnMut(u32)) -> Result<&'a [u32], String> {
    let list = words.get(1..=n).ok_or_else(|| "has too few operands".to_string())?;
    list.iter().for_each(|&w| id(w));
    Ok(&words[1 + n..])
}

/// Words that follow a set of image operands.
pub fn image_operand_words(set: u32) -> usize {
    let flags = ImageOperands::NON_PRIVATE_TEXEL
        | ImageOperands::VOLATILE_TEXEL
        | ImageOperands::SIGN_EXTEND
        | ImageOperands::ZERO_EXTEND
        | ImageOperands::NONTEMPORAL;
    (set & !flags.bits()).count_ones() as usize + usize::from(set & ImageOperands::GRAD.bits() != 0)
}

/// Words that follow a set of memory operands.
pub fn memory_access_words(set: u32) -> usize {
    let flags = MemoryAccess::VOLATILE | MemoryAccess::NONTEMPORAL | MemoryAccess::NON_PRIVATE_POINTER;
    (set & !flags.bits()).count_ones() as usize
}
