//! Programs of another compiler for Valhall (`foreign/graphics/valhall.jsonl`): what the listing says of their words, and that our
//! programs for the same shaders want of the hardware what theirs do, where nobody has a choice.

use std::collections::BTreeSet;

use gpucc_container::{Entry, InterfaceRow, Interpolation, IoPlace, flags};
use serde_json::Value;

use super::strangers::{self, code, listing, programs};

const FAMILY: &str = "valhall";

#[test]
fn programs_are_read_and_assemble_back() {
    strangers::read_and_assemble_back(FAMILY, |_, _| 0);
}

/// Our program for the shader of a program, with default state of the pipeline.
fn ours(p: &Value) -> Option<Entry> {
    let (_, entry) = p["id"].as_str()?.rsplit_once('/')?;
    strangers::ours(FAMILY, p, p["wgsl"].as_str()?, entry)
}

/// Space of the words of program descriptors, and 8 times the registers that point to those of positions, varyings, fragments
/// (`docs/abi-valhall.md`, section 13).
const PROGRAMS: u16 = 1;
const POSITIONS: u32 = 8 * 16;
const VARYINGS: u32 = 8 * 18;
const FRAGMENTS: u32 = 8 * 20;

/// The mask of a map from registers to what they hold.
fn mask(preload: &Value) -> Option<u32> {
    let number = |r: &String| r.strip_prefix('r')?.parse::<u32>().ok();
    preload.as_object()?.keys().map(number).try_fold(0, |m, n| Some(m | 1 << (n? - 48)))
}

/// Bits of word 0 that follow from the shader: not how many registers it takes.
const FIRST_WORD: u32 = 0x3fff_ffff;

#[test]
fn program_descriptors_are_what_another_compiler_asks_for() {
    let hex = |v: &Value| u32::from_str_radix(v.as_str()?.strip_prefix("0x")?, 16).ok();
    let (mut compared, mut wrong, all) = (0, Vec::new(), programs(FAMILY));
    for p in &all {
        let pointer = match p["stage"].as_str() {
            Some("vertex") => POSITIONS,
            Some("fragment") => FRAGMENTS,
            _ => continue,
        };
        let Some(ours) = ours(p) else { continue };
        // A program that knows the step of its attributes needs no instance.
        let registers = if pointer == POSITIONS { !0x2000 } else { u32::MAX };
        let (words, state) = (&p["state"]["words"], &p["state"]);
        for (pointer, word, bits, theirs) in [
            (pointer, 0, FIRST_WORD, hex(&words["shader_program_w0"])),
            (pointer, 1, registers, hex(&words["shader_program_w1"])),
            (VARYINGS, 1, registers, mask(&state["preload_varying"])),
        ] {
            let of = ours.state.iter().find(|w| (w.space, w.register) == (PROGRAMS, pointer + word));
            let (Some(of), Some(theirs)) = (of, theirs) else { continue };
            compared += 1;
            if of.value & bits != theirs & bits {
                wrong.push(format!(
                    "{}: word {word} of r{} {:08x}, theirs {theirs:08x}",
                    p["id"],
                    pointer / 8,
                    of.value
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {compared}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(all.is_empty() || compared > 180, "only {compared} words were compared");
}

/// Numbers of the locations of rows that fit.
fn locations(entry: &Entry, fits: impl Fn(&InterfaceRow) -> bool) -> BTreeSet<u64> {
    let number = |r: &InterfaceRow| match r.at {
        IoPlace::Location { number, .. } => Some(number.into()),
        _ => None,
    };
    entry.interface.iter().filter(|r| fits(r)).filter_map(number).collect()
}

/// Numbers of a list of places such as `location 3`.
fn places<'a>(list: impl Iterator<Item = Option<&'a str>>) -> BTreeSet<u64> {
    list.filter_map(|s| s?.strip_prefix("location ")?.parse().ok()).collect()
}

/// Inputs that the peer lists although each way through the shader writes over them.
const UNREAD: [(&str, u64); 1] = [("v10/corpus/interpolation_modes/fs_sample", 6)];

/// The facts about a program that a driver reads besides its words: which locations go between the stages and how, what fragments do, what colours
/// are. On v9 the peer's linker chose other locations; that a location is not read is an optimiser's matter.
#[test]
fn interfaces_are_what_another_compiler_makes() {
    let (mut compared, mut wrong, all) = (0, Vec::new(), programs(FAMILY));
    let none = Vec::new();
    for p in all.iter().filter(|p| p["generation"] == "v10") {
        let Some(ours) = ours(p) else { continue };
        let (id, state) = (&p["id"], &p["state"]);
        let list = |key: &str| state[key].as_array().unwrap_or(&none);
        let mut check = |what: &str, same: bool| {
            compared += 1;
            if !same {
                wrong.push(format!("{id}: {what}"));
            }
        };
        if p["stage"] == "vertex" {
            let outputs = list("outputs_written");
            let theirs = places(outputs.iter().map(Value::as_str));
            // The hardware has no clip distances: ours are varyings.
            let clips = outputs.iter().any(|o| o.as_str().is_some_and(|o| o.starts_with("clip_distance")));
            let have = locations(&ours, |r| r.output);
            check("locations", if clips { have.is_superset(&theirs) } else { have == theirs });
        }
        if p["stage"] == "fragment" {
            let theirs = places(list("inputs").iter().map(|i| i["slot"].as_str()));
            let read = |n: &u64| !UNREAD.contains(&(id.as_str().unwrap_or(""), *n));
            let theirs: BTreeSet<u64> = theirs.into_iter().filter(read).collect();
            check("inputs", locations(&ours, |r| !r.output).is_superset(&theirs));
            let of = |way: Interpolation| locations(&ours, |r| !r.output && r.interpolation == way);
            let linear: BTreeSet<u64> = list("noperspective_locations").iter().filter_map(Value::as_u64).collect();
            let read: BTreeSet<u64> = of(Interpolation::Linear).intersection(&theirs).copied().collect();
            check("linear inputs", read == linear);
            let flat = of(Interpolation::Flat).intersection(&theirs).next().is_some();
            check("flat inputs", flat == (state["flat_inputs"] == 1));
            let flag = |f: u32| ours.meta.flags & f != 0;
            check("discards", flag(flags::DISCARD) == (state["can_discard"] == 1));
            check("depth", flag(flags::WRITES_DEPTH) == (state["writes_depth"] == 1));
            check("sample shading", flag(flags::SAMPLE_SHADING) == (state["sample_shading"] == 1));
            let mask = ours.interface.iter().any(|r| r.output && r.at == IoPlace::SampleMask);
            check("coverage", mask == (state["writes_coverage"] == 1));
            let early = state["can_early_z"] == 1;
            let late = flag(flags::DISCARD | flags::WRITES_DEPTH) || mask;
            check("early tests", early != late || flag(flags::WRITES_MEMORY));
            for (number, kind) in state["target_types"].as_object().into_iter().flatten() {
                let n = number.parse::<u64>().ok();
                let row =
                    |r: &InterfaceRow| matches!(r.at, IoPlace::Location { number, .. } if Some(number.into()) == n);
                let row = ours.interface.iter().find(|r| r.output && row(r));
                check("colours", row.is_some_and(|r| r.integer == (kind != "f32")));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {compared}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(all.is_empty() || compared > 450, "only {compared} facts were compared");
}

/// Messages that are compared.
const MESSAGES: [&str; 8] = ["LD_VAR", "TEX_", "LD_ATTR", "BLEND", "ATEST", "ZS_EMIT", "LD_TILE", "LEA_BUF_IMM"];

/// Free choices of a message: slot, flow, which components leave, and the position of interpolation that a unit keeps.
fn is_free(modifier: &str) -> bool {
    let flow = modifier.starts_with("wait") || modifier.starts_with("slot");
    let components = modifier.len() <= 4 && modifier.bytes().all(|b| b"rgba".contains(&b));
    let size = modifier.len() == 2 && modifier.starts_with('v');
    flow || components
        || size
        || matches!(modifier, "end" | "discard" | "reconverge" | "skip" | "store" | "retrieve" | "clobber" | "reserved")
}

/// The messages of a listing, without what is free. Where a varying lies is the choice of a linker. The format of texels and whether
/// integers of colours have a sign are the state's; where 1/w is taken is `docs/drawing.md`'s.
fn messages(text: &str, with_places: bool) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for line in text.lines() {
        let line = line.split(';').next().unwrap_or("").trim();
        let Some((name, operands)) = line.split_once(' ').filter(|l| MESSAGES.iter().any(|m| l.0.starts_with(m)))
        else {
            continue;
        };
        let mut parts = name.split('.');
        let row = parts.next().unwrap_or("");
        let of_state = |m: &str| match row {
            "BLEND" => matches!(m, "s32" | "u32"),
            "LD_VAR_SPECIAL" => matches!(m, "center" | "centroid" | "sample"),
            _ => row.starts_with("TEX_") && matches!(m, "auto" | "f" | "u" | "s"),
        };
        let mut modifiers: Vec<&str> = parts.filter(|m| !is_free(m) && !of_state(m)).collect();
        modifiers.sort_unstable();
        let place = operands.split(", ").find(|o| o.starts_with("index:")).unwrap_or("");
        let place = if with_places || !row.starts_with("LD_VAR") { place } else { "" };
        all.insert(format!("{row} {} {place}", modifiers.join(".")));
    }
    all
}

#[test]
fn messages_are_those_of_another_compiler() {
    let (mut compared, mut wrong, all) = (0, Vec::new(), programs(FAMILY));
    for p in &all {
        let Some(ours) = ours(p) else { continue };
        let with_places = p["generation"] == "v10";
        let [ours, theirs] = [ours.code, code(p)].map(|c| messages(&listing(FAMILY, p, &c).0, with_places));
        compared += 1;
        // Whether a message is needed is the choice of an optimiser.
        let other: Vec<&String> = ours.difference(&theirs).collect();
        if !other.is_empty() {
            wrong.push(format!("{}: ours {other:?}, theirs {theirs:?}", p["id"]));
        }
    }
    assert!(wrong.is_empty(), "{} of {compared}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(all.is_empty() || compared > 100, "only {compared} programs were compared");
}
