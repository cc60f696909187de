//! What state words of a draw may say (`graphics-tesla.md` 1.2 and 1.3).
//!
//! Bits that the reference does not know, and values that it does not have, trap. By our conventions a word also says what the rows and flags
//! of its container say: more than that has no effect on a picture, and would not be seen.

use gpucc_container::{Entry, IoPlace, flags};
use gpucc_sim::trap::{Trap, reserved};

use super::draw::method;

/// Words by method.
pub(super) type Get<'a> = &'a dyn Fn(u32) -> u32;

fn holds(is: bool, name: &str, value: u32, what: &str) -> Result<(), Trap> {
    if is { Ok(()) } else { Err(reserved(format!("{name} {value:#x}: {what}"))) }
}

/// The words of a vertex program.
pub(super) fn vertex(get: Get<'_>, entry: &Entry, conventions: bool) -> Result<(), Trap> {
    let numbers = get(method::VP_GP_BUILTIN_ATTR_EN);
    holds(numbers & !0x1111 == 0, "VP_GP_BUILTIN_ATTR_EN", numbers, "sets bits that are not known")?;
    // The slots of the position are no place for the number of a primitive.
    let (on, slot) = (numbers >> 8 & 1 == 1, get(method::SEMANTIC_PRIM_ID));
    let named = (4..get(method::VP_RESULT_MAP_SIZE)).contains(&slot);
    holds(named || !on, "SEMANTIC_PRIM_ID", slot, "is no slot behind the position")?;
    if !conventions {
        return Ok(());
    }
    holds(named == on, "VP_GP_BUILTIN_ATTR_EN", numbers, "does not agree with SEMANTIC_PRIM_ID")?;
    let with_first = numbers >> 12 & 1 == numbers & 1;
    holds(
        with_first,
        "VP_GP_BUILTIN_ATTR_EN",
        numbers,
        "numbers of vertices are there with the first one, or not at all",
    )?;
    let results = get(method::VP_REG_ALLOC_RESULT);
    let rows = entry.interface.iter().filter(|r| r.output);
    // Rows have the components of the source, of which the last ones may not travel.
    if let Some(last) = rows.max_by_key(|r| r.index) {
        let first = u32::from(last.index);
        let most = first + if last.at == IoPlace::Position { 4 } else { 8 - last.components.leading_zeros() };
        let fits = results > first && results <= most;
        holds(fits, "VP_REG_ALLOC_RESULT", results, "does not fit the results of the program")?;
    }
    let elements: Vec<_> = entry.interface.iter().filter(|r| !r.output).collect();
    for n in 0..16u32 {
        let on = get(method::VP_ATTR_EN + 4 * (n / 8)) >> (4 * (n % 8)) & 15;
        let row = elements.iter().find(|r| u32::from(r.index) == n);
        let there = row.map_or(0, |r| u32::from(r.components));
        let fits = on & !there == 0 && (on != 0) == row.is_some();
        holds(fits, "VP_ATTR_EN", on, &format!("element {n} of the program has other components"))?;
    }
    Ok(())
}

/// The words of a fragment program; `targets` are bound.
pub(super) fn fragment(
    get: Get<'_>,
    entry: &Entry,
    (generation, targets): (u8, usize),
    conventions: bool,
) -> Result<(), Trap> {
    let control = get(method::FP_CONTROL);
    holds(control & !0x10_0101 == 0, "FP_CONTROL", control, "sets bits that are not known")?;
    let depth = control >> 8 & 1;
    let other = get(method::FP_CTRL_UNK196C);
    holds(other == 0x11 * depth, "FP_CTRL_UNK196C", other, "FP_CONTROL does not agree on depth")?;
    let samples = if generation >= 3 { get(method::FP_MULTISAMPLE) } else { 0 };
    holds(samples < 4, "FP_MULTISAMPLE", samples, "sets bits that are not known")?;
    let (mask, each) = (samples & 1, samples >> 1);
    let count = get(method::FP_RESULT_COUNT);
    let colours = count.wrapping_sub(depth + mask);
    let whole = colours.is_multiple_of(4) && colours <= 32 && count > 0;
    holds(
        whole,
        "FP_RESULT_COUNT",
        count,
        &format!("is not four for each colour, with depth {depth} and mask {mask}"),
    )?;
    if !conventions {
        return Ok(());
    }
    let has = |flag: u32| u32::from(entry.meta.flags & flag != 0);
    let rows = || entry.interface.iter().filter(|r| r.output);
    let output = |at: IoPlace| u32::from(rows().any(|r| r.at == at));
    let given = |at: IoPlace| match at {
        IoPlace::Location { number, blend_src } => Some(4 * (u32::from(number) + u32::from(blend_src)) + 4),
        _ => None,
    };
    let want = rows().filter_map(|r| given(r.at)).max().unwrap_or(if depth + mask > 0 { 0 } else { 4 });
    holds(colours == want, "FP_RESULT_COUNT", count, &format!("the rows have {want} words of colours"))?;
    let several = u32::from(want > 4 || targets > 1);
    let want = several | output(IoPlace::FragDepth) << 8 | has(flags::DISCARD) << 20;
    holds(control == want, "FP_CONTROL", control, &format!("the container says {want:#x}"))?;
    let sampled = mask == output(IoPlace::SampleMask) && each == has(flags::SAMPLE_SHADING) | mask;
    holds(sampled || generation < 3, "FP_MULTISAMPLE", samples, "the container says something else of samples")
}
