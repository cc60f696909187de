//! Programs of another compiler for Tesla (`foreign/graphics/tesla.jsonl`): what the listing says of their words, and that our programs
//! for the same shaders want of the hardware what theirs do, where nobody has a choice.

use std::collections::BTreeMap;

use gpucc_container::{Entry, InterfaceRow, Interpolation, IoPlace, Sampling};
use serde_json::Value;

use super::strangers::{self, programs};

const FAMILY: &str = "tesla";

#[test]
fn programs_are_read_and_assemble_back() {
    strangers::read_and_assemble_back(FAMILY, |_, _| 0);
}

/// Words of state that the program gives: method, name, bits that nobody is free to choose.
const STATE: [(u32, &str, u32); 8] = [
    (0x1298, "FP_RESULT_COUNT", u32::MAX),
    (0x19a8, "FP_CONTROL", 0x10_0101),
    (0x196c, "FP_CTRL_UNK196C", u32::MAX),
    // Words of v[], how many are not flat, which of the position; 1/w always is one. The first slot is the pair's.
    (0x1988, "FP_INTERPOLANT_CTRL", 0xffff_00ff),
    (0x1928, "FP_MULTISAMPLE", u32::MAX),
    (0x1650, "VP_ATTR_EN", u32::MAX),
    (0x164c, "VP_GP_BUILTIN_ATTR_EN", u32::MAX),
    (0x16b8, "VP_REG_ALLOC_RESULT", u32::MAX),
];

/// The reason for which a word may differ from theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Why {
    /// They take all components of the position, we those that are read.
    Position,
    /// They take four components of each element, we those that the program declares.
    Elements,
    /// Without inputs something has to be on: the number of the vertex; they turn on an element.
    Nothing,
    /// They say that the program runs for each sample where the target has several.
    Samples,
    /// Either leaves out components of inputs that nobody reads: they any, we the last ones.
    Components,
}

fn number(v: &Value) -> Option<u32> {
    match v {
        Value::String(s) => u32::from_str_radix(s.trim_start_matches("0x"), 16).ok(),
        Value::Array(list) => number(list.first()?),
        v => v.as_u64().map(|n| n as u32),
    }
}

/// Why a word is not theirs, if there is a good reason. `words` are those of v[] that we have more than they, or fewer.
fn reason(name: &str, ours: u32, theirs: u32, p: &Value, words: i32) -> Option<Why> {
    match name {
        "FP_INTERPOLANT_CTRL" => {
            let [our_position, their_position] = [ours, theirs].map(|w| w >> 24);
            let fewer = our_position & !their_position == 0;
            let rest = |w: u32| ((w & 0xff) as i32, w >> 16 & 0xff);
            let (a, b) = (rest(ours), rest(theirs));
            match () {
                () if !fewer => None,
                () if a == b => Some(Why::Position),
                () if words != 0 && a.0 == b.0 + words => Some(Why::Components),
                () => None,
            }
        }
        "FP_MULTISAMPLE" if ours == 2 && theirs == 0 => Some(Why::Samples),
        "VP_ATTR_EN" => {
            let nibbles = |w: u32| (0..8).filter(|k| w >> (4 * k) & 15 != 0).count();
            match p["state"]["inputs"].as_array().map_or(0, Vec::len) {
                _ if ours & !theirs == 0 && nibbles(ours) == nibbles(theirs) => Some(Why::Elements),
                0 if ours == 0 => Some(Why::Nothing),
                _ => None,
            }
        }
        "VP_GP_BUILTIN_ATTR_EN" if ours == 0x1001 && theirs == 0 => Some(Why::Nothing),
        _ => None,
    }
}

/// Our program for the shader of one of theirs, if the chip has what it takes.
fn ours(p: &Value) -> Option<Entry> {
    let (_, entry) = p["id"].as_str()?.rsplit_once(':')?;
    strangers::ours(FAMILY, p, p["wgsl"].as_str()?, entry)
}

/// Words that a row has in v[] or o[], of those one behind the other; `end` is behind the last.
fn words_of(row: &InterfaceRow, e: &Entry, end: u32) -> u32 {
    let all = e.interface.iter().filter(|r| r.output == row.output);
    let next = all.map(|r| u32::from(r.index)).filter(|&i| i > row.index.into()).min();
    next.unwrap_or(end) - u32::from(row.index)
}

fn at(row: &InterfaceRow) -> Option<u64> {
    match row.at {
        IoPlace::Location { number, blend_src } => Some(u64::from(number + blend_src)),
        _ => None,
    }
}

/// Inputs of a fragment program: their modes, and where they lie if both have the same words. Gives how many words
/// of v[] we have more than they.
fn inputs(p: &Value, e: &Entry, wrong: &mut Vec<String>) -> i32 {
    let (id, control) = (&p["id"], e.state.iter().find(|w| w.register == 0x1988).map_or(0, |w| w.value));
    let end = (control >> 24).count_ones() + (control & 0xff);
    let position = (control >> 24).count_ones();
    let theirs = p["state"]["inputs"].as_array().expect("inputs");
    let their_position = p["state"]["position"]["components"].as_str().map_or(0, str::len) as u32;
    let (mut more, mut same, mut linear) = (0, true, [0u32; 4]);
    let rows: Vec<&InterfaceRow> = e.interface.iter().filter(|r| !r.output).collect();
    for row in &rows {
        let words = words_of(row, e, end);
        let Some(of) = theirs.iter().find(|t| t["what"] == "location" && t["index"].as_u64() == at(row)) else {
            wrong.push(format!("{id}: {:?} is not read by the other", row.at));
            continue;
        };
        let count = of["v"].as_array().map_or(0, Vec::len) as u32;
        more += words as i32 - count as i32;
        same &= words == count;
        let mode = match row.interpolation {
            Interpolation::Flat | Interpolation::Vertex0 | Interpolation::Vertex1 | Interpolation::Vertex2 => "flat",
            Interpolation::Linear => "linear",
            Interpolation::Perspective | Interpolation::OverW => "perspective",
        };
        if of["mode"] != mode || of["centroid"] != (row.sampling != Sampling::Center && mode != "flat") {
            wrong.push(format!("{id}: {:?} is {mode}, {:?}; theirs {of}", row.at, row.sampling));
        }
        for slot in (0..words).filter(|_| mode == "linear").map(|w| 4 + u32::from(row.index) - position + w) {
            linear[slot as usize / 32] |= 1 << (slot % 32);
        }
    }
    let clip = number(&p["state"]["FP_INTERPOLANT_CTRL"]).map_or(4, |w| w >> 8 & 0xff) - 4;
    if !same || clip > 0 {
        return more;
    }
    for row in &rows {
        let of = theirs.iter().find(|t| t["index"].as_u64() == at(row)).map(|t| number(&t["v"]).unwrap_or(0) / 4);
        if of.map(|v| v - their_position) != Some(u32::from(row.index) - position) {
            wrong.push(format!("{id}: {:?} is word {} of v[], theirs {of:?}", row.at, row.index));
        }
    }
    let bitmap: Vec<u32> =
        p["state"]["NOPERSPECTIVE_BITMAP"].as_array().into_iter().flatten().filter_map(number).collect();
    if bitmap != linear {
        wrong.push(format!("{id}: NOPERSPECTIVE_BITMAP {linear:x?}, theirs {bitmap:x?}"));
    }
    0
}

/// Results: colours and the depth in the same registers; words of o[] for each location.
fn outputs(p: &Value, e: &Entry, wrong: &mut Vec<String>) {
    let end = e.state.iter().find(|w| w.register == 0x16b8).map_or(0, |w| w.value);
    for of in p["state"]["outputs"].as_array().expect("outputs") {
        let what = of["what"].as_str().unwrap_or("");
        let index = of["index"].as_u64();
        let row = e.interface.iter().filter(|r| r.output).find(|r| match what {
            "color" | "location" => at(r) == index,
            "depth" => r.at == IoPlace::FragDepth,
            "sample_mask" => r.at == IoPlace::SampleMask,
            "clip_distance" => index.is_some_and(|i| r.at == IoPlace::ClipDistance(4 * i as u8)),
            _ => r.at == IoPlace::Position,
        });
        let same = row.is_some_and(|r| match what {
            "location" => words_of(r, e, end) == of["o"].as_array().map_or(0, Vec::len) as u32,
            "clip_distance" | "position" => of["o"][0].as_str() == Some(&format!("{:#x}", 4 * r.index)),
            // Of what is written in part they name the registers that are.
            _ => of["r"].as_array().is_some_and(|list| {
                let held = u32::from(r.index)..u32::from(r.index) + if what == "color" { 4 } else { 1 };
                list.iter().all(|v| v.as_u64().is_some_and(|v| held.contains(&(v as u32))))
            }),
        });
        if !same {
            wrong.push(format!("{}: {of}, ours {row:?}", p["id"]));
        }
    }
}

#[test]
fn interface_words_are_those_of_another_compiler() {
    let (mut equal, mut wrong, mut seen, all) = (0, Vec::new(), Vec::new(), programs(FAMILY));
    let mut reasons: BTreeMap<Why, usize> = BTreeMap::new();
    for p in all.iter().filter(|p| p["stage"] != "compute") {
        let Some(entry) = ours(p) else { continue };
        seen.push(&p["id"]);
        let more = if p["stage"] == "fragment" { inputs(p, &entry, &mut wrong) } else { 0 };
        outputs(p, &entry, &mut wrong);
        for (register, name, mask) in STATE {
            let word = entry.state.iter().find(|w| w.register == register);
            let (Some(theirs), Some(ours)) = (number(&p["state"][name]), word) else {
                if word.is_some() {
                    wrong.push(format!("{}: {name} is not there", p["id"]));
                }
                continue;
            };
            let (ours, theirs) = (ours.value & mask, theirs & mask);
            match reason(name, ours, theirs, p, more) {
                _ if ours == theirs => equal += 1,
                Some(why) => *reasons.entry(why).or_default() += 1,
                None => wrong.push(format!("{}: {name} {ours:x}, theirs {theirs:x}", p["id"])),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{} programs, {equal} words are equal, others: {reasons:?}", seen.len());
    assert!(all.is_empty() || seen.len() > 90 && equal > 350, "only {equal} words of {} programs", seen.len());
}
