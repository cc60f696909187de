//! Random fragment programs of GLSL with what lavapipe drew of them (`tests/spirv/fragments.txt`, made by `tests/spirv/fragments/fragments.py`): inputs of
//! all interpolations that share locations, textures, derivatives, discarded fragments. Each is drawn on the oracle and on one generation in turn. The
//! modules are glslang's, every second one behind `spirv-opt -O`; `fragments.py text N` prints the text of a program.
//!
//! Each eighth, and with `GPUCC_PAIRS_ALL=1` each, is read as its text too (`tests/spirv/fragments_texts.txt`), by the same door as a person's.

use std::fmt::Write;

use gpucc::glsl::has_compiler;
use gpucc_scene::cases::{Body, Case, Expected};
use gpucc_scene::compare::Compare;
use gpucc_scene::contents::zlib64;
use gpucc_scene::read;
use gpucc_tests::cases::Verdict;
use gpucc_tests::exec::{self, On};
use gpucc_tests::shared::workspace;
use gpucc_tests::{gfx, predict};
use rayon::prelude::*;

use crate::draws::drawing;
use gpucc_glsl::scratch;

/// Programs that are there.
const PROGRAMS: usize = 200;

/// A program: its name, lines about its vertices and textures, the words of the picture, its module.
struct Program<'t> {
    name: &'t str,
    lines: Vec<&'t str>,
    words: Vec<u32>,
    /// The fragment module, or its text.
    module: Vec<u8>,
}

fn programs(text: &str) -> Vec<Program<'_>> {
    let one = |text| {
        let (head, rest) = str::split_once(text, "\nout ").expect("a picture");
        let (words, module) = rest.split_once("\nmodule ").expect("a module");
        let module = zlib64(module, 1 << 20).expect("a zlib stream");
        let mut lines: Vec<&str> = head.lines().collect();
        let name = lines.remove(0);
        let words = words.split(' ').map(|w| u32::from_str_radix(w, 16).expect("a word")).collect();
        Program { name, lines, words, module }
    };
    text.split("\n\n").filter(|p| !p.trim().is_empty()).map(one).collect()
}

impl Program<'_> {
    /// The fields of the lines of a kind.
    fn fields(&self, kind: &str) -> Vec<Vec<&str>> {
        let all = self.lines.iter().filter_map(|l| l.strip_prefix(kind)?.strip_prefix(' '));
        all.map(|l| l.split(' ').collect()).collect()
    }

    /// The vertex stage, in WGSL.
    fn vertex(&self) -> String {
        let (mut members, mut values) = (String::new(), String::new());
        for (k, v) in self.fields("varying").iter().enumerate() {
            let [location, mode, scalar, lanes] = v[..4] else { panic!("{v:?}") };
            let n: usize = lanes.parse().expect("a number of lanes");
            let ty = if n == 1 { scalar.to_string() } else { format!("vec{n}<{scalar}>") };
            let flat = if mode == "flat" { "flat, first" } else { mode };
            writeln!(members, "    @location({location}) @interpolate({flat}) v{k}: {ty},").expect("a string");
            let each: Vec<String> = v[4..].chunks(n).map(|c| format!("{ty}({})", c.join(", "))).collect();
            writeln!(values, "    let t{k} = array({}); o.v{k} = t{k}[i];", each.join(", ")).expect("a string");
        }
        let w = self.fields("w")[0].join(", ");
        format!(
            "struct O {{\n    @builtin(position) p: vec4f,\n{members}}}\n@vertex fn main(@builtin(vertex_index) i: u32) -> O {{\n    var o: O;\n\
             \x20   let w = array<f32, 3>({w});\n    let at = array(vec2f(-1.0), vec2f(1.0, -1.0), vec2f(-1.0, 1.0));\n\
             \x20   o.p = vec4f(at[i], 0.25, 1.0) * w[i];\n{values}    return o;\n}}\n"
        )
    }

    /// The scene around a fragment module: the triangle is the lower left half of the picture, and the lower left quarter is drawn.
    fn scene(&self, module: &str) -> String {
        let (mut textures, mut samplers, mut bindings) = (String::new(), String::new(), String::new());
        for t in self.fields("texture") {
            let [binding, format, w, h, layers, levels, filter, wrap, hex] = t[..] else { panic!("{t:?}") };
            let wrap = match wrap {
                "mirror" => "mirror-repeat",
                "clamp" => "clamp-to-edge",
                other => other,
            };
            writeln!(
                textures,
                "t{binding} = {{ format = \"{format}\", size = [{w}, {h}, {layers}], mipLevelCount = {levels}, contents = {{ hex = \"{hex}\" }} }}"
            )
            .expect("a string");
            writeln!(
                samplers,
                "t{binding} = {{ magFilter = \"{filter}\", minFilter = \"{filter}\", addressModeU = \"{wrap}\", addressModeV = \"{wrap}\" }}"
            )
            .expect("a string");
            write!(
                bindings,
                "{{ binding = {binding}, texture = \"t{binding}\" }}, {{ binding = {binding}, sampler = \"t{binding}\" }}, "
            )
            .expect("a string");
        }
        format!(
            "format = \"scene-1\"\n[shaders]\nv = {{ wgsl = \"\"\"\n{}\"\"\" }}\nf = {{ file = \"{module}\" }}\n\
             [textures]\npicture = {{ format = \"rgba32sint\", size = [8, 8] }}\n{textures}[samplers]\n{samplers}[pipelines.p]\n\
             vertex = {{ shader = \"v\" }}\nfragment = {{ shader = \"f\", targets = [{{ format = \"rgba32sint\" }}] }}\n\
             [[passes]]\ntype = \"render\"\ncolorAttachments = [{{ texture = \"picture\" }}]\n[[passes.draws]]\npipeline = \"p\"\n\
             scissor = [0, 4, 4, 4]\nbindings = [{bindings}]\ndraw = {{ vertexCount = 3 }}\n[[outputs]]\nname = \"picture\"\ntexture = \"picture\"\n",
            self.vertex()
        )
    }

    /// The case of a fragment module, a file of the scratch folder.
    fn case(&self, module: &str) -> Case {
        let text = self.scene(module);
        let scene = read::parse(&text, read::Language::Toml).unwrap_or_else(|e| panic!("{}: {e}\n{text}", self.name));
        let mut picture = vec![0u32; 8 * 8 * 4];
        for (y, row) in self.words.chunks(16).enumerate() {
            picture[(y + 4) * 32..][..16].copy_from_slice(row);
        }
        let bytes = picture.iter().flat_map(|w| w.to_le_bytes()).collect();
        let expect = vec![Expected { name: "picture".into(), bytes, compare: Compare::exact() }];
        let body = Body::Scene(Box::new(scene));
        Case { id: self.name.into(), group: "fragments".into(), requires: Vec::new(), body, expect }
    }
}

/// Draws programs, whose files have this ending, on the oracle and `machines`; those that give another picture.
fn judged(programs: &[Program<'_>], ending: &str, machines: &(dyn Fn(usize) -> Option<On> + Sync)) -> Vec<String> {
    let folder = scratch("");
    let judge = |(k, p): (usize, &Program<'_>)| {
        let at = |what: String| format!("{} ({ending}): {what}", p.name);
        let file = format!("{}.{ending}", p.name.replace(' ', "-"));
        std::fs::write(folder.join(&file), &p.module).expect("a file");
        let case = p.case(&file);
        let ready = match gfx::ready(&case, &folder) {
            Ok(ready) => ready,
            Err(v) => return vec![at(format!("{v:?}"))],
        };
        let level = (k / 2 % 3) as u8;
        let mut wrong = Vec::new();
        for on in [On::Interp].into_iter().chain(machines(k)) {
            match gfx::draw(&case, &ready, gfx::place(on, level), Some(k as u64)) {
                Verdict::Passed => {}
                Verdict::Refused(codes, _) if codes.iter().all(|c| predict::documented(on, *c)) => {}
                v => wrong.push(at(format!("on {on} -O{level}: {v:?}"))),
            }
        }
        wrong
    };
    programs.par_iter().enumerate().flat_map_iter(judge).collect()
}

fn record() -> String {
    std::fs::read_to_string(workspace().join("tests/spirv/fragments.txt")).expect("the programs")
}

#[test]
fn fragments_give_what_lavapipe_drew() {
    let text = record();
    let programs = programs(&text);
    assert_eq!(programs.len(), PROGRAMS);
    let targets = drawing::drawing("all:all");
    let wrong = judged(&programs, "spv", &|k| targets.get(k % targets.len().max(1)).map(|t| exec::on(*t)));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn fragments_give_as_texts_what_lavapipe_drew() {
    if !has_compiler() {
        eprintln!("skipped: there is no `glslangValidator`");
        return;
    }
    let text = record();
    let packed = std::fs::read_to_string(workspace().join("tests/spirv/fragments_texts.txt")).expect("the texts");
    let texts = zlib64(&packed, 1 << 24).expect("a zlib stream");
    let texts: Vec<String> = serde_json::from_slice(&texts).expect("a list of texts");
    let mut programs = programs(&text);
    assert_eq!((programs.len(), texts.len()), (PROGRAMS, PROGRAMS));
    programs.iter_mut().zip(texts).for_each(|(p, text)| p.module = text.into_bytes());
    if std::env::var_os("GPUCC_PAIRS_ALL").is_none() {
        programs = programs.into_iter().step_by(8).collect();
    }
    let wrong = judged(&programs, "frag", &|_| None);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
