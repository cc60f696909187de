//! What register words of a draw may say (`docs/abi-gcn.md`, section 11).
//!
//! Fields that the reference does not know, and values that it does not have, trap. By our conventions a word also says neither more nor
//! less than the container does: what it turns on beside that has no effect on a picture, and would not be seen.

use gpucc_container::{Entry, IoPlace, flags};
use gpucc_sim::trap::{Trap, reserved};

use super::draw::Words;
use crate::abi::{self, reg};

fn wrong(register: u32, value: u32, what: &str) -> Trap {
    let name = reg::name(register).unwrap_or("a register");
    reserved(format!("{name} {value:#x}: {what}"))
}

/// Fails unless a word is right.
fn holds(is: bool, words: &Words<'_>, register: u32, what: &str) -> Result<(), Trap> {
    if is { Ok(()) } else { Err(wrong(register, words.get(register), what)) }
}

/// The bits of registers that the reference knows.
const KNOWN: [(u32, u32); 8] = [
    (reg::SPI_VS_OUT_CONFIG, 0x3e),
    (reg::SPI_SHADER_POS_FORMAT, 0xffff),
    (reg::VGT_PRIMITIVEID_EN, 1),
    (reg::SPI_PS_IN_CONTROL, 0x403f),
    (reg::SPI_PS_INPUT_ENA, 0xffff),
    (reg::SPI_PS_INPUT_ADDR, 0xffff),
    (reg::SPI_SHADER_Z_FORMAT, 0xf),
    (reg::DB_SHADER_CONTROL, 0x1773),
];

fn known(words: &Words<'_>) -> Result<(), Trap> {
    KNOWN.iter().try_for_each(|&(register, mask)| {
        holds(words.get(register) & !mask == 0, words, register, "sets a field that is not modelled")
    })
}

/// The words of a vertex program.
pub(super) fn vertex(words: &Words<'_>) -> Result<(), Trap> {
    known(words)?;
    // Four components for each position export, and no holes.
    let formats = words.get(reg::SPI_SHADER_POS_FORMAT);
    let dense = [0x4, 0x44, 0x444, 0x4444].contains(&formats);
    holds(dense, words, reg::SPI_SHADER_POS_FORMAT, "is not 4 for each export, the first ones")?;
    Ok(())
}

/// What the words of a vertex program say beside what its container does.
pub(super) fn vertex_agrees(words: &Words<'_>, entry: &Entry) -> Result<(), Trap> {
    let parameters = entry.interface.iter().filter(|r| r.output && r.file == abi::FILE_PARAM);
    let last = parameters.map(|r| u32::from(r.index)).max().unwrap_or(0);
    let named = words.get(reg::SPI_VS_OUT_CONFIG) >> 1 == last;
    holds(named, words, reg::SPI_VS_OUT_CONFIG, "does not fit the parameters that the program exports")?;
    let places = || entry.interface.iter().filter(|r| r.output).map(|r| r.at);
    let asked = places().any(|at| at == IoPlace::PrimitiveIndex);
    let numbers = words.get(reg::VGT_PRIMITIVEID_EN) == u32::from(asked);
    holds(numbers, words, reg::VGT_PRIMITIVEID_EN, "is not what the program reads")?;
    // Cull distances follow clip distances, which cull, too.
    let end = |of: &dyn Fn(IoPlace) -> Option<u8>| places().filter_map(of).map(|n| u32::from(n) + 1).max().unwrap_or(0);
    let clips = end(&|at| if let IoPlace::ClipDistance(n) = at { Some(n) } else { None });
    let culls = end(&|at| if let IoPlace::CullDistance(n) = at { Some(n) } else { None });
    let beside = [(IoPlace::PointSize, 16), (IoPlace::Layer, 18), (IoPlace::ViewportIndex, 19)];
    let asked = beside.iter().filter(|b| places().any(|at| at == b.0)).fold(0, |w, b| w | 1 << b.1);
    // What a container says is not trusted: numbers beyond those of the chip must not shift out of the word.
    holds(clips + culls <= 8, words, reg::PA_CL_VS_OUT_CNTL, "the rows of outputs have more than eight distances")?;
    let want = ((1 << clips) - 1) | ((1 << (clips + culls)) - 1) << 8 | asked;
    let distances = words.get(reg::PA_CL_VS_OUT_CNTL) & 0x000d_ffff;
    holds(distances == want, words, reg::PA_CL_VS_OUT_CNTL, &format!("the rows of outputs say {want:#x}"))
}

/// Components of a colour export by the number of its format; of halves those that any target has.
fn components(format: u32) -> u32 {
    match format {
        1 => 1,
        2 => 3,
        3 => 9,
        _ => 15,
    }
}

/// The words of a fragment program.
pub(super) fn fragment(words: &Words<'_>) -> Result<(), Trap> {
    known(words)?;
    let (formats, mask) = (words.get(reg::SPI_SHADER_COL_FORMAT), words.get(reg::CB_SHADER_MASK));
    let attachments: Vec<u32> = (0..8).filter(|k| mask >> (4 * k) & 15 != 0).collect();
    // Without any export hardware ignores EXEC, so one colour is there that no attachment gets.
    let alone = attachments.is_empty() && formats == 1;
    let count = attachments.len() as u32;
    let beyond = if count == 8 { 0 } else { formats >> (4 * count) };
    holds(beyond == 0 || alone, words, reg::SPI_SHADER_COL_FORMAT, "has formats of colours that no attachment gets")?;
    for (number, attachment) in attachments.iter().enumerate() {
        let format = formats >> (4 * number) & 15;
        holds((1..10).contains(&format), words, reg::SPI_SHADER_COL_FORMAT, "lacks a format, or has an unknown one")?;
        let fits = mask >> (4 * attachment) & 15 == components(format);
        holds(fits, words, reg::CB_SHADER_MASK, "does not have the components of the formats")?;
    }
    let control = words.get(reg::DB_SHADER_CONTROL);
    let order = control >> 4 & 3;
    holds(order < 2, words, reg::DB_SHADER_CONTROL, "has an order of tests that is not modelled")?;
    let depth = control & 0x103 != 0;
    let format = words.get(reg::SPI_SHADER_Z_FORMAT);
    holds(depth == (format != 0), words, reg::SPI_SHADER_Z_FORMAT, "does not fit DB_SHADER_CONTROL")?;
    Ok(())
}

/// What the words of a fragment program say beside what its container does. `samples` are those of a pixel.
pub(super) fn fragment_agrees(words: &Words<'_>, entry: &Entry, samples: u32) -> Result<(), Trap> {
    let each = words.get(reg::PA_SC_MODE_CNTL_1) >> 16 & 1 == 1;
    let invocations = if each { samples.ilog2() } else { 0 };
    let eqaa = words.get(reg::DB_EQAA) >> 4 & 7;
    // A program that is compiled without the pipeline does not know the samples.
    holds(
        eqaa == invocations || eqaa == 0,
        words,
        reg::DB_EQAA,
        "has another number of invocations than PA_SC_MODE_CNTL_1",
    )?;
    let control = words.get(reg::DB_SHADER_CONTROL);
    let has = |flag: u32| entry.meta.flags & flag != 0;
    let output = |at: IoPlace| entry.interface.iter().any(|r| r.output && r.at == at);
    let writes = has(flags::WRITES_MEMORY);
    let early = has(flags::EARLY_DEPTH);
    let want = u32::from(output(IoPlace::FragDepth))
        | u32::from(output(IoPlace::FragStencil)) << 1
        | if writes || early { 0 } else { 1 << 4 }
        | u32::from(has(flags::DISCARD)) << 6
        | u32::from(output(IoPlace::SampleMask)) << 8
        | if writes { 0x600 } else { 0 }
        | u32::from(early) << 12;
    holds(control == want, words, reg::DB_SHADER_CONTROL, &format!("the container says {want:#x}"))?;
    let sampled = each == has(flags::SAMPLE_SHADING);
    holds(sampled, words, reg::PA_SC_MODE_CNTL_1, "is not what the container says of samples")?;
    let enabled = words.get(reg::SPI_PS_INPUT_ENA) == words.get(reg::SPI_PS_INPUT_ADDR);
    holds(enabled, words, reg::SPI_PS_INPUT_ENA, "leaves registers undefined")?;
    let read = entry.interface.iter().filter(|r| !r.output && r.file == abi::FILE_PARAM);
    let want = read.map(|r| u32::from(r.index) + 1).max().unwrap_or(0) | 1 << 14;
    let interpolates = words.get(reg::SPI_PS_IN_CONTROL) == want;
    holds(interpolates, words, reg::SPI_PS_IN_CONTROL, &format!("the rows of inputs say {want:#x}"))
}
