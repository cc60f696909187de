//! Programs of another compiler for draws of GCN (`foreign/graphics/gcn.jsonl`), under their register words, in the recorded scenes that
//! they were made from: what they draw is what is recorded.

use std::collections::BTreeMap;
use std::path::Path;

use gpucc::Target;
use gpucc_container::{Container, IoPlace, Preload, Resource, Source, Stage, StateWord};
use gpucc_render::{Place, PreparedScene, Programs, frame};
use gpucc_scene::cases::Case;
use gpucc_sim::RunOptions;
use gpucc_tests::{gfx, shared};
use serde_json::Value;

use crate::foreign::gcn_stored::{INPUT_CNTL, Pair, REGISTERS, is_of_vertex, pairs, parameters, word};

/// The files, tables and hardware registers of `docs/abi-gcn.md`.
mod abi {
    pub const FILE_SGPR: u8 = 0;
    pub const FILE_VGPR: u8 = 1;
    pub const VERTEX_TABLE: u16 = 0xffff;
    pub const FAMILY_PRIM_MASK: u32 = 48;
    pub const FAMILY_PRIMITIVE: u32 = 49;
    pub const FAMILY_PS_INPUT: u32 = 64;
}

/// The contents of a scalar register of the launch.
fn scalar(text: &str) -> Option<Source> {
    Some(match text {
        "ring offsets, address lo" | "ring offsets, address hi" => Source::Const(0),
        "PRIM_MASK" => Source::Family(abi::FAMILY_PRIM_MASK),
        "base vertex" => Source::FirstVertex,
        "first instance" => Source::FirstInstance,
        "vertex descriptor table, address lo" => Source::TableAddressLo(abi::VERTEX_TABLE),
        set => {
            let set: u16 = set.strip_prefix("descriptor set ")?.strip_suffix(", address lo")?.parse().ok()?;
            Source::TableAddressLo(1 + set)
        }
    })
}

/// Puts a program of theirs in the place of ours, or says what is in the way.
fn exchange(ours: &mut Container, theirs: &Value, linked: bool) -> Result<(), String> {
    let e = &mut ours.entries[0];
    let (state, is_fragment) = (&theirs["state"], e.stage == Stage::Fragment);
    let words = &state["words"];
    e.code = gpucc_machines::launch::unhex(theirs["code"].as_str().unwrap())?;
    e.data.clear();
    let mut rows = Vec::new();
    for (k, v) in state["entry_sgprs"].as_object().unwrap() {
        let index = k[1..].parse().map_err(|_| format!("register {k}"))?;
        let source = scalar(v.as_str().unwrap()).ok_or_else(|| format!("launch with {v}"))?;
        rows.push(Preload { file: abi::FILE_SGPR, lane: 0, index, source });
    }
    rows.sort_by_key(|r| r.index);
    let mut next = 0;
    let mut vector = |source| {
        rows.push(Preload { file: abi::FILE_VGPR, lane: 0, index: next, source });
        next += 1;
    };
    if is_fragment {
        let on = word(words, "SPI_PS_INPUT_ADDR").ok_or("no SPI_PS_INPUT_ADDR")?;
        for bit in (0..16u32).filter(|b| on >> b & 1 == 1) {
            let n = [2, 2, 2, 3, 2, 2, 2].get(bit as usize).copied().unwrap_or(1);
            (0..n).for_each(|k| vector(Source::Family(abi::FAMILY_PS_INPUT + 4 * bit + k)));
        }
    } else {
        vector(Source::VertexIndex);
        let more = [Source::InstanceIndex, Source::Family(abi::FAMILY_PRIMITIVE)];
        let count = word(words, "SPI_SHADER_PGM_RSRC1_VS").map_or(0, |w| w >> 24 & 3);
        more.into_iter().take(count as usize).for_each(vector);
    }
    e.preloads = rows;
    let stage = if is_fragment { "_PS" } else { "_VS" };
    let rsrc1 = word(words, &format!("SPI_SHADER_PGM_RSRC1{stage}")).ok_or("no RSRC1")?;
    let (sgprs, vgprs) = (8 * ((rsrc1 >> 6 & 15) + 1), 4 * ((rsrc1 & 63) + 1));
    e.meta.registers = vec![(abi::FILE_SGPR, sgprs as u16), (abi::FILE_VGPR, vgprs as u16)];
    e.meta.scratch_bytes = 0;
    let mut list: Vec<StateWord> = Vec::new();
    for (name, register) in REGISTERS {
        if is_of_vertex(name) == is_fragment {
            continue;
        }
        if let Some(value) = word(words, name) {
            list.push(StateWord { space: 0, register, value, mask: u32::MAX });
        }
    }
    if is_fragment {
        let params = parameters(words);
        if params > 0 && !linked {
            return Err("parameters of a vertex program that is not there".into());
        }
        for n in 0..params {
            let value = word(words, &format!("SPI_PS_INPUT_CNTL_{n}")).ok_or("no word of a parameter")?;
            list.push(StateWord { space: 0, register: INPUT_CNTL + 4 * n, value, mask: u32::MAX });
        }
        // The words link, not the rows.
        e.interface.retain(|r| r.output || !matches!(r.at, IoPlace::Location { .. } | IoPlace::PrimitiveIndex));
    }
    let of = |n: &str| word(words, &format!("SPI_SHADER_PGM_{n}{stage}")).unwrap_or(0);
    e.meta.family_words = vec![of("RSRC1"), of("RSRC2")];
    e.state = list;
    Ok(())
}

/// The sets of a pair hold every binding of their layout, whichever program reads it.
fn layout(all: &mut [&mut Container]) {
    let mut list: Vec<Resource> = Vec::new();
    for r in all.iter().flat_map(|c| &c.entries[0].resources) {
        if !list.iter().any(|o| (o.group, o.binding) == (r.group, r.binding)) {
            list.push(r.clone());
        }
    }
    for c in all {
        c.entries[0].resources.clone_from(&list);
    }
}

fn id_of(case: &Case) -> String {
    let id = case.id.split('#').next().unwrap_or_default();
    id.strip_prefix("whole/").map_or_else(|| id.to_string(), |r| format!("corpus/{r}")).replace('/', "_")
}

/// The obstacle to a pair (`docs/abi-gcn.md`, section 11.1): its name, and what is said about it.
const OPEN: [(&str, &str); 4] = [
    // One scene has eight pipelines.
    ("blend_dual_38-rgba8unorm_p0", "8 programs"),
    // The recorded value has the 1/w of the pixel's centre (docs/drawing.md).
    ("corpus_interpolation_modes_fs_sample_0", "528 of 3072 pixels differ"),
    // Quads that lie on two faces of a cube: s and t are differenced across them.
    ("corpus_skybox_cube_fs_main", "73 of 3072 pixels differ"),
    ("interpolation_flat_3", "parameters of a vertex program that is not there"),
];

/// Draws a case with their programs of a generation.
fn draws(case: &Case, generation: &str, programs: &Pair) -> Result<(), String> {
    let ready: PreparedScene = gfx::ready(case, Path::new("")).map_err(|v| format!("{v:?}"))?;
    let target = Target::parse(&format!("gcn:{generation}"))?;
    let scene = &ready.file.scene;
    let mut ours = Programs::new(scene, &ready.shaders, Place::Target(target, 2)).map_err(|f| f.to_string())?;
    let mut both: Vec<&mut Container> = ours.containers().filter(|c| c.entries[0].stage != Stage::Compute).collect();
    if both.len() != 2 {
        return Err(format!("{} programs", both.len()));
    }
    layout(&mut both);
    for c in &mut both {
        let theirs = if c.entries[0].stage == Stage::Fragment { &programs.fragment } else { &programs.vertex };
        if let Some(p) = theirs {
            exchange(c, p, programs.vertex.is_some())?;
        }
    }
    let run = RunOptions { rules: gpucc_sim::Rules::Hardware, ..frame::Options::default().run };
    let outputs = gfx::outputs_by(case, &ready, &ours, run)?;
    for (e, got) in case.expect.iter().zip(outputs) {
        e.compare.check(&e.bytes, &got).map_err(|d| d.to_string())?;
    }
    Ok(())
}

#[test]
fn programs_of_another_compiler_draw_what_is_recorded() {
    let (pairs, Some(folder)) = (pairs(), shared::find("conformance/gfx")) else { return };
    if pairs.is_empty() {
        return;
    }
    let mut cases: BTreeMap<String, Case> = BTreeMap::new();
    for file in gfx::files(&folder).unwrap() {
        cases.extend(gfx::read(&file).unwrap().into_iter().map(|c| (id_of(&c), c)));
    }
    let (mut drawn, mut wrong) = (0, Vec::new());
    for (id, programs) in &pairs {
        let (generation, name) = id.split_once('/').unwrap();
        // Some names have that of the pipeline behind them.
        let alone = name.rsplit_once("_p").map_or("", |n| n.0);
        let r = cases.get(name).or_else(|| cases.get(alone)).ok_or_else(|| "no case".to_string());
        match r.and_then(|c| draws(c, generation, programs)) {
            Ok(()) => drawn += 1,
            Err(why) if OPEN.iter().any(|o| o.0 == name && why.contains(o.1)) => {}
            Err(why) => wrong.push(format!("{generation} {name}: {why}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(drawn, 66, "of {} pairs", pairs.len());
}
