//! Random draws and compute programs of GLSL: all places agree with the oracle, and a text with its module. `randprog --stage draw`, `draw-text` and `cs-text` run more
//! of them. Without a compiler of GLSL nothing is run.

use gpucc::CodegenOptions;
use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc_glsl::{has, need};
use gpucc_sim::{Dispatch, RunOptions};
use gpucc_tests::drawrun::{self, Done, Job};
use gpucc_tests::exec::{self, On};
use gpucc_tests::randdraw::{Pair, pair};
use gpucc_tests::shared::workspace;
use gpucc_tests::{drawreduce, textrun};
use rayon::prelude::*;

/// Says what is wrong; less than half of the runs may be refused.
fn report(done: &Done, runs: u64) {
    let said = |w: &drawrun::Wrong| format!("seed {} on {} -O{}: {}", w.seed, w.at.0, w.at.1, w.why);
    assert!(done.wrong.is_empty(), "{}", done.wrong.iter().map(said).collect::<Vec<_>>().join("\n"));
    assert!(done.passed * 2 > runs, "{} of {runs} runs passed\n{}", done.passed, done.refused);
}

/// Each text was judged by naga's parser too. It refuses nearly all: `tests/tests/sources/glsl_readers.rs` has programs that it reads.
fn by_naga(done: &Done, form: &str, texts: u64) {
    let of = |form: &str| done.forms.get(form).copied().unwrap_or(0);
    assert_eq!(of(form) + of("refused by naga"), texts, "{:?}", done.forms);
}

#[test]
fn draws_agree_everywhere() {
    need!("glslangValidator");
    let on: Vec<On> = exec::targets("all").into_iter().map(exec::on).collect();
    let job = Job { seeds: 7000..7030, on: &on, levels: &[0, 2], as_text: false };
    let done = drawrun::run(&job).unwrap_or_else(|e| panic!("{e}"));
    report(&done, 30 * 2 * on.len() as u64);
    assert!(on.is_empty() || done.pixels.0 > 30_000, "{} pixels", done.pixels.0);
    for form in ["strips", "indices", "samples", "blending", "depth", "stencil", "clip distances", "textures"] {
        assert!(done.forms.get(form).copied().unwrap_or(0) > 0, "none has {form}");
    }
}

/// Draws whose inputs at samples are made whole numbers: where 1/w differs over a pixel, the oracle has another number than GCN (docs/drawing.md).
#[test]
fn draws_that_once_differed() {
    need!("glslangValidator");
    let on: Vec<On> = exec::targets("gcn:all").into_iter().map(exec::on).collect();
    for seed in [103_396, 105_237] {
        let job = Job { seeds: seed..seed + 1, on: &on, levels: &[0, 2], as_text: false };
        let done = drawrun::run(&job).unwrap_or_else(|e| panic!("{e}"));
        report(&done, 2 * on.len() as u64);
    }
}

/// Two modules of glslang that are not valid are counted, and no fault of ours where `spirv-val` says so.
#[test]
fn modules_that_are_not_valid_are_counted() {
    need!("glslangValidator", "spirv-val");
    for seed in [105_883, 107_847] {
        let job = Job { seeds: seed..seed + 1, on: &[On::Interp], levels: &[0], as_text: false };
        let done = drawrun::run(&job).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((done.passed, done.wrong.len()), (0, 0));
        assert_eq!(done.forms.get("modules that spirv-val refuses"), Some(&1), "{:?}", done.forms);
    }
}

#[test]
fn a_text_draws_what_its_modules_draw() {
    need!("glslangValidator");
    let job = Job { seeds: 8000..8020, on: &[On::Interp], levels: &[2], as_text: true };
    let done = drawrun::run(&job).unwrap_or_else(|e| panic!("{e}"));
    report(&done, 40);
    by_naga(&done, "drawn by naga", 20);
}

#[test]
fn a_text_leaves_what_its_module_leaves() {
    need!("glslangValidator");
    let mut on = vec![On::Interp];
    on.extend(exec::targets("all").into_iter().map(exec::on));
    let job = Job { seeds: 9000..9040, on: &on, levels: &[2], as_text: true };
    let done = textrun::run_texts(&job).unwrap_or_else(|e| panic!("{e}"));
    report(&done, 40 * on.len() as u64);
    by_naga(&done, "read by naga", 40);
}

/// Each eighth recorded compute program (`tests/spirv/random.txt`), and with `GPUCC_PAIRS_ALL=1` each, leaves as a text what lavapipe left.
#[test]
fn recorded_programs_are_right_as_texts() {
    need!("glslangValidator");
    let all = std::fs::read_to_string(workspace().join("tests/spirv/random.txt")).expect("the programs");
    let words = |line: &str| -> Vec<u32> {
        line.split(' ').skip(1).map(|w| u32::from_str_radix(w, 16).expect("a word")).collect()
    };
    let (step, most) = if std::env::var_os("GPUCC_PAIRS_ALL").is_some() { (1, 200) } else { (8, 25) };
    let list: Vec<&str> = all.split("\nend\n").filter(|p| !p.trim().is_empty()).step_by(step).collect();
    let wrong = |program: &&str| {
        let parts: Vec<&str> = program.trim_start().splitn(4, '\n').collect();
        let (input, expected) = (words(parts[1].trim()), words(parts[2].trim()));
        let loaded = frontend::load(parts[3].as_bytes(), Lang::GlslCompute, &FrontOptions::default());
        let module = loaded.unwrap_or_else(|list| panic!("{}: {}", parts[0], list[0])).module;
        let mut d = Dispatch::new([1; 3]).with_u32(0, 0, &input).with_u32(0, 1, &vec![0; expected.len()]);
        let done = exec::run(&module, "main", On::Interp, &CodegenOptions::default(), &mut d, &RunOptions::default());
        let is_right = done.is_ok() && d.words(0, 1).as_ref() == Some(&expected);
        (!is_right).then(|| parts[0].to_string())
    };
    let wrong: Vec<String> = list.par_iter().filter_map(wrong).collect();
    assert!(wrong.is_empty() && list.len() == most, "{wrong:?} of {}", list.len());
}

/// A draw that a family refuses becomes a few lines that it refuses alike.
#[test]
fn a_draw_that_fails_becomes_small() {
    let Some(tesla) = exec::targets("tesla").first().copied().filter(|_| has("glslangValidator")) else { return };
    let reads = |p: &Pair| p.forms.contains(&"storage");
    let pair = (0..200).map(pair).find(reads).expect("a draw that reads storage");
    let small = drawreduce::reduced(&pair, exec::on(tesla), 2, 250).expect("it is refused");
    let before: usize = pair.shaders.iter().map(|s| s.2.lines().count()).sum();
    let texts = small.lines().take_while(|l| *l != "{").count();
    assert!(texts + 10 < before && small.contains("buffer B"), "{before} lines, now {texts}:\n{small}");
}
