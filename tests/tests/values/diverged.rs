//! Random programs with loops that lanes leave at different turns, in front of what reads other lanes: derivatives, implicit levels, subgroup
//! operations of both kinds of stages, barriers, also inside of loops. Whatever the time slice of a machine and its seed, the results are the same.
//!
//! `GPUCC_DIVERGED=N` tries N programs of each kind.

use gpucc::CodegenOptions;
use gpucc_render::{PreparedScene, Programs, frame};
use gpucc_scene::output;
use gpucc_sim::{Dispatch, RunOptions, SplitMix64};
use gpucc_tests::exec::{self, On, Problem};
use gpucc_tests::gfx;
use std::fmt::Write as _;

use crate::draws::once_drawn::prepared;
use crate::draws::one_draw::{OneDraw, TRIANGLE};

/// Instructions of a time slice: a prime, so that slices end anywhere, what draws take, and ends.
const SLICES: [u32; 5] = [1, 7, 97, 1000, 10_000];

/// Programs of a kind in a plain run.
const PROGRAMS: u64 = 4;

fn programs() -> u64 {
    std::env::var("GPUCC_DIVERGED").ok().and_then(|n| n.parse().ok()).unwrap_or(PROGRAMS)
}

/// Statements that change `a` by loops and branches that differ by the number of a lane, `i`.
struct Body {
    rng: SplitMix64,
    text: String,
    names: u32,
    /// Turns that loops may still have, as a product.
    turns: u64,
}

impl Body {
    fn new(seed: u64) -> Body {
        let mut rng = SplitMix64::new(seed ^ 0xd1fe_26ed);
        // A few long loops: a slice of a thousand instructions ends inside of them.
        let turns = [40, 200, 1500][rng.below(3) as usize];
        Body { rng, text: String::new(), names: 0, turns }
    }

    fn of(seed: u64) -> String {
        let mut b = Body::new(seed);
        b.looped(2);
        b.statements(2);
        b.text
    }

    fn statements(&mut self, depth: u32) {
        for _ in 0..1 + self.rng.below(2) {
            match self.rng.below(if depth == 0 { 1 } else { 4 }) {
                0 => {
                    let k = self.rng.below(99);
                    let _ = writeln!(self.text, "a = a * 5u + {k}u;");
                }
                1 => self.branched(depth - 1),
                2 => self.switched(depth - 1),
                _ => self.looped(depth - 1),
            }
        }
    }

    fn branched(&mut self, depth: u32) {
        let (m, k) = (1 + self.rng.below(7), self.rng.below(4));
        let _ = writeln!(self.text, "if (i & {m}u) > {k}u {{");
        self.statements(depth);
        self.text.push_str("} else {\n");
        self.statements(depth);
        self.text.push_str("}\n");
    }

    fn switched(&mut self, depth: u32) {
        self.text.push_str("switch (i + a) % 4u {\n");
        for k in 0..2 {
            let _ = writeln!(self.text, "case {k}u: {{");
            self.statements(depth);
            self.text.push_str("}\n");
        }
        self.text.push_str("default: { a += 3u; }\n}\n");
    }

    fn looped(&mut self, depth: u32) {
        let n = self.names;
        self.names += 1;
        let most = self.turns.clamp(2, 400);
        let (m, turns) = ([1, 3, 7, 15][self.rng.below(4) as usize], 1 + self.rng.below(most));
        let outside = self.turns;
        self.turns /= turns + 1;
        let _ = writeln!(self.text, "for (var k{n} = 0u; k{n} < {turns}u + (i & {m}u); k{n}++) {{");
        let _ = writeln!(self.text, "a += k{n};");
        match self.rng.below(4) {
            0 => {
                let _ = writeln!(self.text, "if ((a ^ i) & 63u) == 5u {{ break; }}");
            }
            1 => {
                let _ = writeln!(self.text, "if ((a + i) & 3u) == 1u {{ continue; }}");
            }
            _ => {}
        }
        self.statements(depth);
        self.text.push_str("}\n");
        self.turns = outside;
    }
}

/// A picture of 8 x 8 pixels. Red is a derivative, 30 by hand. Blue is the level of an implicit sample, of which two texels are a pixel: the
/// first behind the base, 40 by hand. Green is what a lane counted, alpha how it differs from its neighbours: by derivatives, or by
/// operations of its quad.
fn picture(body: &str, quads: bool) -> String {
    let (enable, neighbours) = match quads {
        true => (
            "enable subgroups;",
            "f32(quadSwapX(a & 7u) + (quadSwapY(a) & 7u) * 8u + (quadSwapDiagonal(a) & 1u) * 64u) - 128.0",
        ),
        false => ("", "dpdxFine(f32(a & 7u)) + dpdyFine(f32((a >> 3u) & 7u)) * 16.0"),
    };
    let level = |k: u32| {
        format!("{{ generator = {{ name = \"solid\", a = [{c}, {c}, {c}, 255] }}, mipLevel = {k} }}", c = 40 * k)
    };
    let contents = [0, 1, 2, 3, 4].map(level).join(", ");
    let wgsl = format!(
        "{enable}
@group(0) @binding(0) var t: texture_2d<f32>;
@group(0) @binding(1) var s: sampler;
{TRIANGLE}@fragment fn fs(@builtin(position) p: vec4<f32>) -> @location(0) vec4<f32> {{
  let i = u32(p.x) + u32(p.y) * 3u;
  var a = i;
{body}
  let d = dpdx(p.x * 10.0) + dpdy(p.y * 20.0);
  let l = textureSample(t, s, p.xy * 0.125 + f32(a >> 31u) * 0.0).x;
  let e = {neighbours};
  return vec4(d, f32(a & 255u), l * 255.0, e + 128.0) / 255.0;
}}"
    );
    let levels =
        format!("levels = {{ format = \"rgba8unorm\", size = [16, 16], mipLevelCount = 5, contents = [{contents}] }}");
    OneDraw {
        wgsl,
        textures: levels + "\n[samplers]\nnear = {}",
        attachment: ", loadOp = \"clear\", storeOp = \"store\"",
        draw: "bindings = [ { group = 0, binding = 0, texture = \"levels\" }, { group = 0, binding = 1, sampler = \"near\" } ]".into(),
        ..OneDraw::default()
    }
    .text()
}

fn drawn(ready: &PreparedScene, programs: &Programs, run: RunOptions) -> Result<Vec<u8>, String> {
    let (scene, mut resources) = (&ready.file.scene, ready.resources.clone());
    let options = frame::Options { run, ..frame::Options::default() };
    let report =
        frame::run(scene, &ready.shaders, programs, &mut resources, &options, &mut || {}).map_err(|f| f.to_string())?;
    if report.open.values().flatten().any(|&open| open) {
        return Err("a quad is open".into());
    }
    output::bytes(scene, &resources, &scene.outputs[0]).map_err(|e| e.to_string())
}

/// Names of families.
type Families = std::collections::BTreeSet<String>;

fn family(on: On) -> String {
    let name = on.to_string();
    name.split_once(':').map_or(name.clone(), |(family, _)| family.into())
}

/// Each slice and one of the program's own, without a seed and with one that differs by program.
fn runs(seed: u64) -> impl Iterator<Item = RunOptions> {
    let own = 1 + SplitMix64::new(seed).below(10_000) as u32;
    SLICES.into_iter().chain([own]).flat_map(move |slice| {
        [None, Some(seed ^ u64::from(slice))].map(|perturb| RunOptions {
            perturb,
            slice: Some(slice),
            ..RunOptions::default()
        })
    })
}

/// The reasons why pictures differ from the oracle's, or that one from values by hand.
fn pictures_of(
    name: &str,
    (body, quads): (&str, bool),
    seed: u64,
    (wrong, families): (&mut Vec<String>, &mut Families),
) {
    let ready = prepared(&picture(body, quads));
    let programs = |place| Programs::new(&ready.file.scene, &ready.shaders, place);
    let oracle = programs(gfx::place(On::Interp, 0)).unwrap_or_else(|f| panic!("{name}: {f}"));
    let want = drawn(&ready, &oracle, RunOptions::default()).unwrap_or_else(|e| panic!("{name}: {e}\n{body}"));
    for p in want.chunks_exact(4) {
        assert_eq!((p[0], p[2]), (30, 40), "{name} on the oracle\n{body}");
    }
    for (k, on) in crate::draws::drawing::pictures("all:all").into_iter().map(exec::on).enumerate() {
        let level = [2, 0][(k + seed as usize) % 2];
        let made = match programs(gfx::place(on, level)) {
            Ok(p) => p,
            Err(f) if gfx::is_listed(&f, gfx::place(on, level)) => continue,
            Err(f) => panic!("{name} on {on}: {f}"),
        };
        families.insert(family(on));
        for run in runs(seed) {
            let at = format!("{name} on {on} -O{level}, slices of {:?}, seed {:?}", run.slice, run.perturb);
            match drawn(&ready, &made, run) {
                Ok(got) if got == want => {}
                Ok(got) => {
                    let first = got.iter().zip(&want).position(|(g, w)| g != w).unwrap_or_default();
                    wrong.push(format!("{at}: byte {first} is {}, not {}", got[first], want[first]));
                }
                Err(why) => wrong.push(format!("{at}: {why}")),
            }
        }
    }
}

#[test]
fn pictures_do_not_depend_on_time_slices() {
    let (mut wrong, mut families) = (Vec::new(), [Families::new(), Families::new()]);
    let long = "for (var k = 0u; k < 400u + (i & 3u); k++) { a += k; }";
    for quads in [false, true] {
        let families = &mut families[usize::from(quads)];
        pictures_of("a long loop", (long, quads), 1, (&mut wrong, families));
        for seed in 0..programs() {
            pictures_of(&format!("program {seed}"), (&Body::of(seed), quads), seed, (&mut wrong, families));
        }
    }
    assert_eq!(families[0].len(), 4, "{families:?}");
    // Those whose fragments have operations of quads (docs/support.md).
    assert_eq!(families[1].iter().map(String::as_str).collect::<Vec<_>>(), ["gcn", "valhall"]);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Ways in which lanes hand on what they counted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Through workgroup memory behind a barrier.
    Barrier,
    /// By operations of their subgroup.
    Subgroup,
    /// Through workgroup memory and buffers, behind barriers in a loop that all lanes turn alike, with the divergent ones inside.
    Turns,
}

const WAYS: [Way; 3] = [Way::Barrier, Way::Subgroup, Way::Turns];

fn handed_on(body: &str, way: Way) -> String {
    let given = match way {
        Way::Subgroup => {
            "o[n] = a; o[n + 32u] = subgroupAdd(a & 255u) + subgroupShuffleXor(a, 1u); o[n + 64u] = subgroupMax(a);"
        }
        Way::Barrier => "w[n] = a; workgroupBarrier(); o[n] = w[31u - n] + w[n ^ 5u];",
        Way::Turns => "o[n + 64u] = a;",
    };
    let body = match way {
        Way::Turns => format!(
            "for (var turn = 0u; turn < 3u; turn++) {{
{body}
w[n] = a; workgroupBarrier(); a += w[31u - n]; workgroupBarrier();
o[n + 32u * (turn & 1u)] = a; storageBarrier(); a ^= o[(n ^ 5u) + 32u * (turn & 1u)]; storageBarrier();
}}"
        ),
        _ => body.to_string(),
    };
    format!(
        "{enable}
@group(0) @binding(0) var<storage, read_write> o: array<u32, 96>;
var<workgroup> w: array<u32, 32>;
@compute @workgroup_size(32) fn main(@builtin(local_invocation_index) n: u32) {{
  let i = n * 3u;
  var a = n;
{body}
  {given}
}}
",
        enable = if way == Way::Subgroup { "enable subgroups;" } else { "" }
    )
}

#[test]
fn what_lanes_hand_on_does_not_depend_on_time_slices() {
    let (mut wrong, mut families) = (Vec::new(), WAYS.map(|_| Families::new()));
    for seed in 0..3 * programs() {
        let kind = seed as usize % WAYS.len();
        let source = handed_on(&Body::of(seed), WAYS[kind]);
        let module = exec::lower(&source, "main", &[]).unwrap_or_else(|e| panic!("program {seed}: {e}\n{source}"));
        let bound = Dispatch::new([1; 3]).with_u32(0, 0, &[0; 96]);
        let run = |on, opt_level, options: &RunOptions| {
            let codegen = CodegenOptions { opt_level, ..CodegenOptions::default() };
            let mut d = bound.clone();
            exec::run(&module, "main", on, &codegen, &mut d, options).map(|_| d.words(0, 0).expect("a buffer"))
        };
        // What operations of subgroups give depends on how many lanes they have.
        let want = (WAYS[kind] != Way::Subgroup)
            .then(|| run(On::Interp, 0, &RunOptions::default()).unwrap_or_else(|e| panic!("{e}")));
        for (k, on) in exec::targets("all:all").into_iter().map(exec::on).enumerate() {
            let level = [2, 0][(k + seed as usize) % 2];
            let plain = match run(on, level, &RunOptions::default()) {
                Ok(words) => words,
                Err(Problem::Refused(codes, _)) if !codes.is_empty() => continue,
                Err(e) => panic!("program {seed} on {on}: {e}"),
            };
            families[kind].insert(family(on));
            if let Some(want) = &want {
                assert_eq!(plain, *want, "program {seed} on {on} -O{level}\n{source}");
            }
            for options in runs(seed) {
                let at = format!(
                    "program {seed} on {on} -O{level}, slices of {:?}, seed {:?}",
                    options.slice, options.perturb
                );
                match run(on, level, &options) {
                    Ok(got) if got == plain => {}
                    Ok(_) => wrong.push(format!("{at}: other words")),
                    Err(e) => wrong.push(format!("{at}: {e}")),
                }
            }
        }
    }
    assert!(families.iter().all(|f| f.len() == 4), "{families:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
