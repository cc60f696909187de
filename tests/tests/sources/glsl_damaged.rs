//! Damaged texts of GLSL: each is compiled, wrong or refused, with places in it, within seconds, and ends nothing else. `GPUCC_DAMAGED=N` takes N of them in place of
//! the usual number, `GPUCC_DAMAGED=N..M` those from one number to another. Without `glslangValidator` nothing is run.

use std::time::{Duration, Instant};

use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc::glsl::has_compiler;
use gpucc::{Class, CodegenOptions, Diagnostic, Options};
use gpucc_tests::damage::damaged;
use gpucc_tests::exec;
use gpucc_tests::randdraw::{compute, pair};
use gpucc_tests::shared::workspace;
use rayon::prelude::*;

/// Texts of a usual run.
const TEXTS: u64 = 300;
/// The longest text.
const MOST: usize = 200_000;
/// Seconds that the reference compiler has, twice, and some for a machine that is busy.
const SECONDS: u64 = 60;

fn lang(ending: &str) -> Lang {
    match ending {
        "vert" => Lang::GlslVertex,
        "frag" => Lang::GlslFragment,
        _ => Lang::GlslCompute,
    }
}

/// Whole texts.
fn sources() -> Vec<(Lang, String)> {
    let mut out = Vec::new();
    for folder in ["tests/spirv", "tests/gfx/glsl"] {
        let entries = std::fs::read_dir(workspace().join(folder)).expect("the folder");
        let mut paths: Vec<_> = entries.flatten().map(|e| e.path()).collect();
        paths.sort();
        for p in paths {
            let ending = p.extension().and_then(|e| e.to_str()).unwrap_or("");
            if ["vert", "frag", "comp"].contains(&ending) {
                out.push((lang(ending), std::fs::read_to_string(&p).expect("a text")));
            }
        }
    }
    for seed in 0..10 {
        out.push((Lang::GlslCompute, compute::text(seed)));
        out.extend(pair(seed).shaders.into_iter().map(|(_, ending, text)| (lang(ending), text)));
    }
    let toy = "float f(vec2 p) { return length(p) - iTime; }\nvoid mainImage(out vec4 c, in vec2 p) {\n    vec2 q = p / iResolution.xy;\n    c = vec4(f(q), texture(iChannel0, q).xyz);\n}\n";
    out.push((Lang::GlslFragment, toy.into()));
    out
}

/// The outcome of a text.
fn outcome(lang: Lang, text: &str, k: u64) -> Result<&'static str, Diagnostic> {
    let loaded = match frontend::load(text.as_bytes(), lang, &FrontOptions::default()) {
        Ok(loaded) => loaded.module,
        Err(list) => {
            let inside = |l: &gpucc_ir::Label| !l.span.is_known() || l.span.end as usize <= text.len();
            if let Some(d) = list.iter().find(|d| d.class == Class::Internal || !d.labels.iter().all(inside)) {
                return Err(d.clone());
            }
            let is_refused = list.iter().all(|d| d.class == Class::Unsupported);
            return Ok(if is_refused { "refused" } else { "wrong" });
        }
    };
    let targets = exec::targets("all");
    let Some(target) = targets.get(k as usize % targets.len().max(1)) else { return Ok("read") };
    let codegen = CodegenOptions { opt_level: (k % 4) as u8, verify: true, ..CodegenOptions::default() };
    match gpucc::compile(&loaded, &Options { target: *target, codegen }) {
        Ok(_) => Ok("compiled"),
        Err(d) if d.class == Class::Internal => Err(d),
        Err(_) => Ok("refused by a family"),
    }
}

#[test]
fn damaged_texts_end_nothing() {
    if !has_compiler() {
        eprintln!("skipped: there is no `glslangValidator`");
        return;
    }
    let asked = std::env::var("GPUCC_DAMAGED").unwrap_or_else(|_| TEXTS.to_string());
    let (from, to) = asked.split_once("..").unwrap_or(("0", &asked));
    let number = |text: &str| text.parse::<u64>().expect("GPUCC_DAMAGED is N or N..M");
    let (from, to) = (number(from), number(to));
    let count = to.saturating_sub(from);
    let sources = sources();
    let judged: Vec<Result<&str, String>> = (from..to)
        .into_par_iter()
        .map(|k| {
            let (lang, text) = &sources[k as usize % sources.len()];
            let text = damaged(text, k, MOST);
            let begin = Instant::now();
            let done = outcome(*lang, &text, k).map_err(|d| format!("text {k}: {d}\n{text}"));
            match begin.elapsed() {
                long if long > Duration::from_secs(SECONDS) => Err(format!("text {k} takes {long:?}\n{text}")),
                _ => done,
            }
        })
        .collect();
    let wrong: Vec<&String> = judged.iter().filter_map(|j| j.as_ref().err()).collect();
    assert!(wrong.is_empty(), "{} of {count}: {}", wrong.len(), wrong[0]);
    let mut counts = std::collections::BTreeMap::new();
    judged.iter().flatten().for_each(|w| *counts.entry(*w).or_insert(0) += 1);
    println!("{counts:?}");
    // Damage that all texts survive, or none, is no test.
    assert!(
        counts.get("compiled").copied().unwrap_or(0) * 50 > count
            && counts.get("wrong").copied().unwrap_or(0) * 4 > count,
        "{counts:?}"
    );
}
