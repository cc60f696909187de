//! Random vertex and fragment shaders of GLSL with state, and what lavapipe drew of them (`tests/spirv/pairs.txt`, made by `tests/spirv/pairs/pairs.py`): formats,
//! blending, depth, stencil, samples, strips, indices, instances, clipping. Each is drawn as SPIR-V on the oracle and on one generation in turn, and as the
//! text that it is, by the same door as a person's, on the oracle. Every pixel is compared but those that the specifications leave open: these the record names.
//!
//! `GPUCC_PAIRS_ALL=1` draws each on every generation; `GPUCC_PAIRS=FILE` takes another record. Without a compiler of GLSL nothing is run.

use gpucc_glsl::{Source, compile};
use gpucc_kit::exec::Problem;
use gpucc_kit::exec::problem;
use gpucc_render::Failure;
use gpucc_scene::contents::zlib64;
use gpucc_tests::exec::{self, On};
use gpucc_tests::pairs::{self, Part};
use gpucc_tests::predict;
use gpucc_tests::randdraw::Output;
use gpucc_tests::shared::workspace;
use rayon::prelude::*;
use serde_json::Value;

use crate::draws::drawing;

/// Pairs that are there.
const PAIRS: usize = 400;

struct Recorded {
    seed: u64,
    scene: Value,
    /// Name, stage, text.
    shaders: Vec<(String, &'static str, String)>,
    open: Vec<bool>,
    outputs: Vec<Output>,
    drawn: Vec<Vec<u8>>,
}

fn recorded(line: &str) -> Recorded {
    let v: Value = serde_json::from_str(line).expect("a line of JSON");
    let shader = |(name, s): (&String, &Value)| {
        let (stage, text) = s.as_object().and_then(|s| s.iter().next()).expect("a stage");
        let stage = if stage == "vert" { "vert" } else { "frag" };
        (name.clone(), stage, text.as_str().expect("a text").to_string())
    };
    let bytes = |hex: &str| {
        let digit = |k: usize| u8::from_str_radix(&hex[k..k + 2], 16).expect("digits");
        (0..hex.len()).step_by(2).map(digit).collect()
    };
    let mut outputs = Vec::new();
    let mut drawn = Vec::new();
    for o in v["scene"]["outputs"].as_array().expect("outputs") {
        let name = o["name"].as_str().expect("a name").to_string();
        let compare = pairs::compare_of(v["compare"][&name].as_str().expect("a comparison")).expect("a comparison");
        drawn.push(bytes(v["drawn"][&name].as_str().expect("what was drawn")));
        outputs.push(Output { name, compare });
    }
    Recorded {
        seed: v["seed"].as_u64().expect("a number"),
        shaders: v["shaders"].as_object().expect("shaders").iter().map(shader).collect(),
        open: v["open"].as_str().expect("pixels").bytes().map(|b| b == b'1').collect(),
        scene: v["scene"].clone(),
        outputs,
        drawn,
    }
}

/// The counts of a pair.
#[derive(Default)]
struct Counts {
    compared: u64,
    open: u64,
    refused: u64,
    runs: u64,
    wrong: Vec<String>,
}

/// Draws a pair in one form in some places.
fn judge(p: &Recorded, form: &str, parts: Vec<Part>, places: &[(On, u8)], counts: &mut Counts) {
    let said = |e: &str, what: &str| format!("seed {}{form} on {e}: {what}", p.seed);
    let ready = match pairs::ready(&p.scene, parts) {
        Ok(ready) => ready,
        Err(f) => return counts.wrong.push(said("reading", &f.to_string())),
    };
    for &(on, level) in places {
        let at = format!("{on} -O{level}");
        counts.runs += 1;
        match gpucc::guarded(&at, || Ok(ready.draw(on, level, p.seed))) {
            Ok(Ok(got)) => match pairs::compare(&p.outputs, &p.open, &p.drawn, &got) {
                Ok(n) => counts.compared += n,
                Err(why) => counts.wrong.push(said(&at, &why)),
            },
            Ok(Err(Failure::Shader { list, .. })) => match problem(&list) {
                Problem::Refused(codes, _) if codes.iter().all(|c| predict::documented(on, *c)) => counts.refused += 1,
                other => counts.wrong.push(said(&at, &other.to_string())),
            },
            Ok(Err(f)) => counts.wrong.push(said(&at, &f.to_string())),
            Err(bug) => counts.wrong.push(said(&at, &bug.to_string())),
        }
    }
}

#[test]
fn pairs_give_what_lavapipe_drew() {
    let own = std::env::var_os("GPUCC_PAIRS");
    let file = own.clone().map_or_else(|| workspace().join("tests/spirv/pairs.txt"), Into::into);
    let text = zlib64(&std::fs::read_to_string(file).expect("the record"), 1 << 28).expect("a zlib stream");
    let text = String::from_utf8(text).expect("text");
    let list: Vec<Recorded> = text.lines().map(recorded).collect();
    assert!(own.is_some() || list.len() == PAIRS, "{} pairs", list.len());
    let of = |s: &(String, &'static str, String)| Source { stage: s.1, text: s.2.clone() };
    let sources: Vec<Source> = list.iter().flat_map(|p| &p.shaders).map(of).collect();
    let Some(modules) = compile("vulkan1.1", &sources).expect("files") else {
        eprintln!("skipped: there is neither `glslc` nor `glslangValidator`");
        return;
    };
    let mut modules = modules.into_iter();
    let mut with_modules = Vec::new();
    for p in &list {
        let own = p.shaders.iter().map(|s| (s.0.clone(), "spv", modules.next().expect("a module").expect("GLSL")));
        with_modules.push((p, own.collect::<Vec<Part>>()));
    }
    let targets = drawing::drawing("all:all");
    let all = std::env::var_os("GPUCC_PAIRS_ALL").is_some();
    let judged = |(k, (p, modules)): (usize, &(&Recorded, Vec<Part>))| {
        let mut counts = Counts { open: p.open.iter().filter(|o| **o).count() as u64, ..Counts::default() };
        let level = (k % 3) as u8;
        let machines: Vec<On> = match all {
            true => targets.iter().map(|t| exec::on(*t)).collect(),
            false => targets.get(k % targets.len().max(1)).map(|t| exec::on(*t)).into_iter().collect(),
        };
        let places: Vec<(On, u8)> = std::iter::once(On::Interp).chain(machines).map(|on| (on, level)).collect();
        judge(p, "", modules.clone(), &places, &mut counts);
        let texts = p.shaders.iter().map(|s| (s.0.clone(), s.1, s.2.clone().into_bytes())).collect();
        judge(p, " as text", texts, &[(On::Interp, level)], &mut counts);
        counts
    };
    let each: Vec<Counts> = with_modules.par_iter().enumerate().map(judged).collect();
    let wrong: Vec<String> = each.iter().flat_map(|c| c.wrong.clone()).collect();
    let sum = |of: fn(&Counts) -> u64| each.iter().map(of).sum::<u64>();
    let pixels: usize = list.iter().map(|p| p.open.len()).sum();
    println!(
        "{} pairs in {} runs, {} refused, {} differ; {} pixels compared; of the {pixels} of the pictures {} are open",
        list.len(),
        sum(|c| c.runs),
        sum(|c| c.refused),
        wrong.len(),
        sum(|c| c.compared),
        sum(|c| c.open)
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // A run in which nothing is compared is none.
    assert!(sum(|c| c.compared) > 100 * list.len() as u64);
}
