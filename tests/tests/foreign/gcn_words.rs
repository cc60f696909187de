//! Register words that reflection gives for GCN against those that another driver writes before the draw, for the same shaders in
//! the same pipeline (`foreign/graphics/gcn.jsonl` of the shared folder).

use std::collections::BTreeMap;
use std::path::PathBuf;

use gpucc::{CodegenOptions, Options, Target};
use gpucc_container::{Entry, Interpolation, IoPlace, Stage};
use gpucc_render::Shaders;
use gpucc_render::shaders::Stages;
use gpucc_scene::{SceneFile, read};
use gpucc_tests::exec;
use serde_json::{Value, json};

use crate::foreign::gcn_stored::{INPUT_CNTL, Pair, REGISTERS, is_of_vertex, pairs, parameters, word};

/// Vertex and fragment program as we compile them, or the code of what is refused.
fn ours(pair: &Pair) -> Result<[Entry; 2], String> {
    let fragment = pair.fragment.as_ref().unwrap();
    let state = &fragment["state"]["pipeline"];
    let text = fragment["wgsl"].as_str().unwrap();
    let alone = "@vertex fn vs() -> @builtin(position) vec4f { return vec4f(0); }";
    let (vertex_text, vertex_entry) = match &pair.vertex {
        Some(v) => (v["wgsl"].as_str().unwrap(), Some(v["entry_point"].clone())),
        None if text.contains("@vertex") => (text, None),
        None => (alone, None),
    };
    let mut pipeline = json!({
        "vertex": { "shader": "v", "buffers": state["vertex_buffers"] },
        "fragment": { "shader": "f", "entryPoint": fragment["entry_point"], "targets": state["targets"] },
    });
    if let Some(name) = vertex_entry {
        pipeline["vertex"]["entryPoint"] = name;
    }
    for key in ["primitive", "multisample", "depthStencil"] {
        if !state[key].is_null() {
            pipeline[key] = state[key].clone();
        }
    }
    let scene = json!({
        "format": "scene-1",
        "shaders": { "v": { "wgsl": vertex_text }, "f": { "wgsl": text } },
        "pipelines": { "p": pipeline },
    });
    let generation = fragment["generation"].as_str().unwrap();
    linked(&scene, &Target::parse(&format!("gcn:{generation}")).unwrap())
}

/// Vertex and fragment program of the only pipeline of a scene, or the code of what is refused.
fn linked(scene: &Value, &target: &Target) -> Result<[Entry; 2], String> {
    let scene = read::parse(&scene.to_string(), read::Language::Json).unwrap_or_else(|e| panic!("{scene}: {e}"));
    let file = SceneFile { scene, name: String::new(), folder: PathBuf::new(), text: None };
    let shaders = Shaders::load(&file).unwrap_or_else(|e| panic!("{e}"));
    let Stages::Render { vertex, fragment: Some(second) } = shaders.pipelines[0] else { panic!("two stages") };
    let compile = |e: usize| {
        let e = &shaders.entries[e];
        let codegen = CodegenOptions { context: e.context.clone(), ..CodegenOptions::default() };
        let done = gpucc::compile_entry(&e.module, &e.name, &Options { target, codegen });
        done.map(|d| d.container().entries[0].clone()).map_err(|d| d.code.to_string())
    };
    Ok([compile(vertex)?, compile(second)?])
}

/// How a register word of ours may differ from theirs, and why (`docs/abi-gcn.md`, section 11.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Why {
    /// Registers and user data are each compiler's own.
    Registers,
    /// They pack values of several locations into a parameter.
    Packing,
    /// Centroids are always written, so that the centre is not needed beside them: BC_OPTIMIZE_DISABLE.
    Centroids,
    /// They turn on ANCILLARY beside SAMPLE_COVERAGE, read or not.
    Ancillary,
    /// They take 0 times a coordinate for 0.
    Folding,
    /// They place the position at the sample where the program runs for each.
    Position,
}

/// The reason for the difference of a word, if there is a good one. `packs`: they have fewer parameters than we.
fn reason(name: &str, ours: u32, theirs: Option<u32>, mask: u32, packs: bool) -> Option<Why> {
    if name.contains("RSRC") {
        return Some(Why::Registers);
    }
    if name.starts_with("SPI_PS_INPUT_CNTL") {
        return packs.then_some(Why::Packing);
    }
    let theirs = theirs? & mask;
    match name {
        "SPI_PS_IN_CONTROL" if ours == theirs | 1 << 14 => Some(Why::Centroids),
        "SPI_PS_IN_CONTROL" if packs && ours & !63 == 1 << 14 && ours & 63 > theirs => Some(Why::Packing),
        "SPI_VS_OUT_CONFIG" if packs && ours > theirs => Some(Why::Packing),
        // PERSP_CENTER beside PERSP_CENTROID.
        "SPI_PS_INPUT_ENA" | "SPI_PS_INPUT_ADDR" if ours & 4 != 0 && ours | 2 == theirs => Some(Why::Centroids),
        "SPI_PS_INPUT_ENA" | "SPI_PS_INPUT_ADDR" if ours & 0x4000 != 0 && ours | 0x2000 == theirs => {
            Some(Why::Ancillary)
        }
        "SPI_PS_INPUT_ENA" | "SPI_PS_INPUT_ADDR" if ours == theirs | 0x200 => Some(Why::Folding),
        "SPI_BARYC_CNTL" if ours == 0 && theirs == 2 << 16 => Some(Why::Position),
        _ => None,
    }
}

#[test]
fn words_are_those_of_another_driver() {
    let mut reasons: BTreeMap<Why, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    let (mut programs, mut equal) = (0, 0);
    for (id, pair) in pairs() {
        let entries = ours(&pair).unwrap_or_else(|code| panic!("{id} is refused: {code}"));
        let read = entries[1].interface.iter().filter(|r| !r.output).count() as u32;
        // The parameter that the link gives each attribute.
        for row in entries[1].interface.iter().filter(|r| !r.output) {
            let from = entries[0].interface.iter().find(|o| o.output && o.at == row.at).unwrap();
            let words = &pair.fragment.as_ref().unwrap()["state"]["words"];
            if parameters(words) == read {
                let theirs = word(words, &format!("SPI_PS_INPUT_CNTL_{}", row.index));
                let flat = u32::from(row.interpolation == Interpolation::Flat) << 10;
                assert_eq!(theirs, Some(flat | u32::from(from.index)), "{id}: {:?}", row.at);
            }
        }
        for (entry, theirs) in entries.iter().zip([&pair.vertex, &pair.fragment]) {
            let Some(theirs) = theirs else { continue };
            programs += 1;
            let words = &theirs["state"]["words"];
            let packs = parameters(words) < read;
            let mut seen = Vec::new();
            for w in &entry.state {
                let name = REGISTERS.iter().find(|r| r.1 == w.register).map(|r| r.0.to_string());
                let name = name.unwrap_or_else(|| format!("SPI_PS_INPUT_CNTL_{}", (w.register - INPUT_CNTL) / 4));
                let theirs = word(words, &name);
                if theirs.map(|t| t & w.mask) == Some(w.value & w.mask) {
                    equal += 1;
                } else {
                    match reason(&name, w.value, theirs, w.mask, packs) {
                        Some(why) => *reasons.entry(why).or_default() += 1,
                        None => {
                            wrong.push(format!("{id}: {name}: {:x}, theirs {theirs:x?}, mask {:x}", w.value, w.mask))
                        }
                    }
                }
                seen.push(name);
            }
            // Words of theirs that come from this program alone.
            let of = |k: &&String| {
                let fragment =
                    ["_PS", "SPI_PS", "SPI_SHADER_Z", "SPI_SHADER_COL", "BARYC", "CB_SHADER", "DB_SHADER", "DB_EQAA"];
                let is_fragment = fragment.iter().any(|p| k.contains(p));
                let own = if entry.stage == Stage::Vertex { is_of_vertex(k) } else { is_fragment };
                // Which units may run a wave is the system's choice.
                own && !k.contains("RSRC3")
            };
            for k in words.as_object().unwrap().keys().filter(of).filter(|k| !seen.contains(k)) {
                wrong.push(format!("{id}: {k} = {} is not given", words[k]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{programs} programs, {equal} words are equal, others: {reasons:?}");
}

/// An output of the vertex program that the fragment program does not have takes no PARAM, and leaves no hole between those that are left.
#[test]
fn parameters_are_what_both_stages_have() {
    const VERTEX: &str = "
        struct V { @builtin(position) p: vec4f, @location(0) a: vec2f, @location(1) b: vec3f, @location(2) c: vec4f, @location(3) d: f32 }
        @vertex fn vs(@builtin(vertex_index) i: u32) -> V {
            let x = f32(i);
            return V(vec4f(x, x, 0, 1), vec2f(x), vec3f(x + 1), vec4f(x + 2), x + 3);
        }";
    /// Inputs of the fragment program, what it returns, and locations with their components in the order of PARAMs.
    type Case<'a> = (&'a str, &'a str, &'a [(u32, u8)]);
    let cases: [Case; 4] = [
        // Declared, but never read.
        ("@location(0) a: vec2f, @location(1) b: vec3f, @location(2) c: vec4f", "c + a.xyxy", &[(0, 3), (2, 15)]),
        ("@location(0) a: vec2f, @location(2) c: vec4f", "c + a.xyxy", &[(0, 3), (2, 15)]),
        ("@location(2) c: vec4f, @location(1) b: vec3f", "c + b.xyzx", &[(1, 7), (2, 15)]),
        ("@location(3) d: f32", "vec4f(d)", &[(3, 1)]),
    ];
    for target in exec::targets("all:all").into_iter().filter(|t| t.family() == "gcn") {
        for (inputs, value, want) in cases {
            let fragment = format!("@fragment fn fs({inputs}) -> @location(0) vec4f {{ return {value}; }}");
            let scene = json!({
                "format": "scene-1",
                "shaders": { "v": { "wgsl": VERTEX }, "f": { "wgsl": fragment } },
                "pipelines": { "p": {
                    "vertex": { "shader": "v" },
                    "fragment": { "shader": "f", "targets": [{ "format": "rgba8unorm" }] },
                } },
            });
            let [vertex, fragment] = linked(&scene, &target).unwrap();
            let rows = |e: &Entry, output: bool| -> Vec<(u32, u8, u16)> {
                let location = |at: IoPlace| match at {
                    IoPlace::Location { number, .. } => Some(number),
                    _ => None,
                };
                let rows = e.interface.iter().filter(|r| r.output == output);
                rows.filter_map(|r| Some((location(r.at)?.into(), r.components, r.index))).collect()
            };
            let numbered: Vec<(u32, u8, u16)> = want.iter().zip(0..).map(|(&(at, c), n)| (at, c, n)).collect();
            assert_eq!(rows(&vertex, true), numbered, "{target}: {inputs}");
            let mut read = rows(&fragment, false);
            read.sort_unstable();
            assert_eq!(read.iter().map(|r| (r.0, r.1)).collect::<Vec<_>>(), want, "{target}: {inputs}");
            // SPI_VS_OUT_CONFIG: one less than there are, from bit 1.
            let config = vertex.state.iter().find(|w| w.register == 0x286c4).map(|w| w.value);
            assert_eq!(config, Some((want.len() as u32 - 1) << 1), "{target}: {inputs}");
        }
    }
}
