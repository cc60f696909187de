//! Tests of the gain of optimisation levels when the examples run.

use gpucc::{CodegenOptions, Target};
use gpucc_ir::Module;
use gpucc_kit::suite;
use gpucc_sim::{Dispatch, RunOptions, SplitMix64};
use gpucc_tests::cases::Case;
use gpucc_tests::examples::Example;
use gpucc_tests::exec::{self, Problem};
use rayon::prelude::*;

/// Instructions that the machine of a target executes for each example.
fn executed(examples: &[(Example, Module)], target: Target, opt_level: u8) -> Vec<u64> {
    let run = |(e, module): &(Example, Module)| {
        let codegen = CodegenOptions { opt_level, ..CodegenOptions::default() };
        let mut d = e.dispatch();
        let r = exec::run(module, e.entry, exec::on(target), &codegen, &mut d, &RunOptions::default());
        r.unwrap_or_else(|p| panic!("{} on {target} -O{opt_level}: {p}", e.file)).instructions
    };
    examples.par_iter().map(run).collect()
}

/// The default level executes at most 60 % of the instructions of level 0, on each family and over all.
#[test]
fn the_default_level_saves_two_fifths() {
    let examples = suite::examples();
    let mut all = (0, 0);
    for target in exec::targets("all") {
        let (none, default) = (executed(&examples, target, 0), executed(&examples, target, 2));
        for (((e, _), n), d) in examples.iter().zip(&none).zip(&default) {
            eprintln!("{target} {}: {n} at -O0, {d} at -O2", e.file);
        }
        let (none, default): (u64, u64) = (none.iter().sum(), default.iter().sum());
        eprintln!("{target}: {none} at -O0, {default} at -O2");
        assert!(default * 10 <= none * 6, "{target}: {default} of {none} instructions are left");
        all = (all.0 + none, all.1 + default);
    }
    assert!(all.1 * 10 <= all.0 * 6, "{} of {} instructions are left", all.1, all.0);
}

/// The estimate of time in the statistics of a shader, for a target that has one.
fn estimate(target: Target, source: &str, opt_level: u8) -> Option<u64> {
    let name = match target.family() {
        "valhall" => "cycles_64ths",
        "tesla" => "issue_clocks",
        "gcn" => "latency",
        _ => return None,
    };
    let module = exec::lower(source, "main", &[]).unwrap_or_else(|p| panic!("{p}"));
    let codegen = CodegenOptions { opt_level, ..CodegenOptions::default() };
    let artifact = gpucc::compile(&module, &gpucc::Options { target, codegen }).unwrap_or_else(|d| panic!("{d}"));
    artifact.outputs()[0].stats.iter().find(|s| s.0 == name).map(|s| s.1)
}

/// A loop of this many turns that is too long to be taken apart.
fn loop_of(turns: &str) -> String {
    let step = "x = sin(x) * 3.0 + cos(x * 0.5) + exp2(x * 0.1) + log2(x + 9.0);".repeat(4);
    format!(
        "@group(0) @binding(0) var<storage, read_write> o: array<f32>;
         @compute @workgroup_size(1) fn main() {{
             let n = u32(o[1]);
             var x = o[0];
             for (var i = 0u; i < {turns}; i++) {{ {step} }}
             o[0] = x;
         }}"
    )
}

/// Estimates weigh a loop by its turns where constants say how many there are, and by 8 elsewhere, on every family alike.
#[test]
fn estimates_weigh_loops_by_their_turns() {
    for target in exec::targets("all") {
        let time = |turns: &str| estimate(target, &loop_of(turns), 2);
        let (Some(few), Some(many), Some(unknown)) = (time("50u"), time("400u"), time("n")) else { continue };
        // Eight times the turns are nearly eight times the time: what stands before and behind the loop is little.
        assert!(many > 7 * few && many < 9 * few, "{target}: {few} and {many}");
        assert!(unknown * 5 < few && few < unknown * 8, "{target}: 8 turns by rule are {unknown}, 50 turns {few}");
    }
}

/// A loop that becomes shorter code for each turn is not said to become slower.
#[test]
fn unrolling_is_no_loss_in_estimates() {
    let source = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;
         @compute @workgroup_size(1) fn main() {
             var row: array<u32, 16>;
             for (var i = 0u; i < 16u; i++) { row[i] = o[i]; }
             for (var r = 0u; r < 64u; r++) {
                 var left = o[r];
                 for (var i = 0u; i < 16u; i++) { left = min(row[i], left) + 1u; row[i] = left; }
             }
             for (var i = 0u; i < 16u; i++) { o[i] = row[i]; }
         }";
    for target in exec::targets("all") {
        if let (Some(one), Some(two)) = (estimate(target, source, 1), estimate(target, source, 2)) {
            assert!(two <= one, "{target}: {one} at -O1, {two} at -O2");
        }
    }
}

/// Instructions of a program of the corpus, or nothing where it is refused.
fn executed_case(case: &Case, module: &Module, target: Target, opt_level: u8) -> Option<u64> {
    let codegen = CodegenOptions { opt_level, ..CodegenOptions::default() };
    let mut d = case.dispatch().unwrap_or_else(|e| panic!("{}: {e}", case.id));
    let options = RunOptions { races: case.races(), ..RunOptions::default() };
    match exec::run(module, &case.entry, exec::on(target), &codegen, &mut d, &options) {
        Ok(r) => Some(r.instructions),
        Err(Problem::Refused(..)) => None,
        Err(p) => panic!("{} on {target} -O{opt_level}: {p}", case.id),
    }
}

/// Programs in which level 2 executes more, with the most in thousandths of level 1: short branches that few lanes take have become
/// selects there, or values live in registers that lie further apart.
const LONGER: [(&str, &str, u64); 4] = [
    ("corpus/register_pressure_64vec4:main#A", "tesla", 1045),
    ("corpus/boids_flock:main#A", "vivante", 1115),
    ("corpus/cloth_pbd:collide_and_normals#A", "vivante", 1045),
    ("corpus/register_pressure_64vec4:main#A", "valhall", 1030),
];

/// The default level executes no more than level 1 on any program of the corpus, with a fiftieth for what chance decides, such
/// as which lanes are together where. Skipped without the shared folder.
#[test]
fn the_default_level_executes_no_more_than_level_1() {
    let targets = exec::targets("all");
    let one = |case: &Case| {
        let Ok(module) = case.lower() else { return Vec::new() };
        let mut worse = Vec::new();
        for &target in &targets {
            let counts = [1, 2].map(|level| executed_case(case, &module, target, level));
            if let [Some(one), Some(two)] = counts {
                println!("{} {target}: {one} at -O1, {two} at -O2", case.id);
                let longer = LONGER.iter().find(|l| l.0 == case.id && l.1 == target.family());
                if two * 1000 > one * longer.map_or(1020, |l| l.2) {
                    worse.push(format!("{} on {target}: {one} at -O1, {two} at -O2", case.id));
                }
            }
        }
        worse
    };
    suite::report(&suite::cases("conformance/programs.json").par_iter().flat_map_iter(one).collect::<Vec<_>>());
}

/// Turns that lanes leave, or pass over, from inside of an `if` or a `switch`.
const DIVERGENCE: [(&str, &str); 7] = [
    ("break", "if (c & 1u) == 0u { if c == 0u { break; } n = n * 3u + a[n & 255u]; } else { n = a[(n ^ c) & 255u]; }"),
    (
        "return",
        "if (c & 1u) == 0u { if c == 0u { o[l] = n; return; } n = n * 3u + a[n & 255u]; } else { n = a[(n ^ c) & 255u]; }",
    ),
    (
        "return of a value",
        "if (c & 1u) == 0u { if c == 0u { return n; } n = n * 3u + a[n & 255u]; } else { n = a[(n ^ c) & 255u]; }",
    ),
    (
        "switch",
        "switch c & 3u { case 0u: { if c == 0u { return n; } n = n * 3u + a[n & 255u]; } case 1u: { n = a[(n ^ c) & 255u]; } default: { n = n * 5u + a[(n + c) & 255u]; } }",
    ),
    (
        "continue",
        "if (c & 1u) == 0u { if (c & 2u) == 0u { continue; } n = n * 3u + a[n & 255u]; } else { n = a[(n ^ c) & 255u]; } n = n + a[n & 127u] * 7u + a[(n >> 3u) & 255u];",
    ),
    ("top", "if c == 0u { break; } n = n * 3u + a[(n ^ c) & 255u];"),
    ("ifs in one turn", ""),
];

fn divergent(shape: (&str, &str), turns: usize) -> String {
    let (name, body) = shape;
    // What ends the invocation writes by itself.
    let f = |turns: &str| {
        format!(
            "fn f(l: u32) -> u32 {{ var n = 1u; {turns} return n + 1u; }}
             @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {{ o[l] = f(l); }}"
        )
    };
    let turn = |k: &str| format!("let c = a[l * 16u + {k}];");
    let code = match name {
        "return" => format!(
            "@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {{
             var n = 1u; for (var i = 0u; i < {turns}u; i++) {{ {} {body} }} o[l] = n; }}",
            turn("i")
        ),
        "ifs in one turn" => {
            let body = DIVERGENCE[0].1;
            let ifs: String = (0..turns).map(|k| format!("{{ {} {body} }}", turn(&format!("{k}u")))).collect();
            f(&format!("for (var i = 0u; i < a[4000]; i++) {{ {ifs} }}"))
        }
        _ => f(&format!("for (var i = 0u; i < {turns}u; i++) {{ {} {body} }}", turn("i"))),
    };
    format!(
        "@group(0) @binding(0) var<storage,read_write> o: array<u32>;
             @group(0) @binding(1) var<storage,read> a: array<u32>;\n{code}"
    )
}

/// Four times the turns are at most five times the work, wherever lanes leave: those that stay come together again.
#[test]
fn work_grows_with_the_turns_that_lanes_leave() {
    let mut words = Vec::new();
    let mut rng = SplitMix64::new(5);
    for _ in 0..4096 {
        // Rarely 0, so that some lanes stay to the end.
        words.push(rng.next_u64() as u32 | u32::from(rng.below(16) != 0) << 4);
    }
    words[4000] = 3;
    let mut found = Vec::new();
    for (shape, target) in
        DIVERGENCE.into_iter().flat_map(|s| exec::targets("all:all").into_iter().map(move |t| (s, t)))
    {
        let counts = [4, 16].map(|turns| {
            let source = divergent(shape, turns);
            let m = exec::lower(&source, "main", &[]).unwrap_or_else(|p| panic!("{p}\n{source}"));
            [1, 2, 3].map(|opt_level| {
                let codegen = CodegenOptions { opt_level, ..CodegenOptions::default() };
                let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[0; 64]).with_u32(0, 1, &words);
                let r = exec::run(&m, "main", exec::on(target), &codegen, &mut d, &RunOptions::default());
                r.map(|r| r.instructions)
            })
        });
        let [few, many] = counts;
        for (level, counts) in few.into_iter().zip(many).enumerate() {
            match counts {
                (Ok(few), Ok(many)) if many <= 5 * few => {}
                (Err(Problem::Refused(..)), _) | (_, Err(Problem::Refused(..))) => {}
                (few, many) => {
                    found.push(format!("{} on {target} -O{}: {few:?} for 4 turns, {many:?} for 16", shape.0, level + 1))
                }
            }
        }
    }
    suite::report(&found);
}
