//! Random programs whose lanes part, meet again and leave loops, with operations between lanes everywhere: each machine makes of
//! them what the oracle makes of them for its size of subgroup.

use gpucc::CodegenOptions;
use gpucc_ir::Refusal;
use gpucc_kit::exec::Problem;
use gpucc_sim::{Dispatch, RunOptions, SplitMix64};
use gpucc_tests::exec;
use rayon::prelude::*;
use std::fmt::Write;
use std::ops::Range;

use crate::house::refused::{Refused, Row};

/// Invocations of a workgroup: a whole number of subgroups, or the last of 64 has no more than 32.
fn invocations(seed: u64) -> u32 {
    if seed.is_multiple_of(2) { 128 } else { 96 }
}

/// Programs of a run.
const COUNT: u64 = 40;

/// Seeds beyond that found a fault: a read of a lane on gfx6 that passes had hidden to be the same for all; a loop of two rounds that became a
/// construct, whose end a construct inside dominates, so that lanes that leave both were not seen to part on Tesla.
const FOUND: [u64; 2] = [629, 1548];

/// Seeds of this run, if they are not those of every run; `GPUCC_SUBGROUP_PROGRAMS` asks for more, as a number or as `400..800`.
fn asked() -> Option<Range<u64>> {
    let asked = std::env::var("GPUCC_SUBGROUP_PROGRAMS").ok()?;
    let (from, to) = asked.split_once("..").unwrap_or(("0", &asked));
    let number = |n: &str| n.parse().unwrap_or_else(|_| panic!("`{asked}` is no number of programs"));
    Some(number(from)..number(to))
}

/// A read of a lane that may not be there gives 0 then.
const HEAD: &str = "enable subgroups;
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
var<private> lane: u32;
fn there(j: u32) -> bool {
  let mask = subgroupBallot(true);
  return ((mask[(j >> 5u) & 3u] >> (j & 31u)) & 1u) == 1u;
}
fn swap(x: u32, m: u32) -> u32 { let y = subgroupShuffleXor(x, m); return select(0u, y, there(lane ^ m)); }
fn from_lane(x: u32, j: u32) -> u32 { let y = subgroupShuffle(x, j); return select(0u, y, there(j)); }
fn behind(x: u32, n: u32) -> u32 { let y = subgroupShuffleUp(x, n); return select(0u, y, lane >= n && there(lane - n)); }
fn votes(c: bool) -> u32 { let m = countOneBits(subgroupBallot(c)); return m.x + m.y + m.z + m.w; }
";

struct Generator {
    rng: SplitMix64,
    out: String,
    indent: usize,
    loops: u32,
    names: u32,
    /// Statements that may still be made.
    fuel: u32,
}

impl Generator {
    fn pick(&mut self, n: u32) -> u32 {
        (self.rng.next_u64() >> 33) as u32 % n
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{}{text}", "  ".repeat(self.indent));
    }

    fn value(&mut self, depth: u32) -> String {
        if depth == 0 {
            return match self.pick(4) {
                0 => "x".into(),
                1 => "y".into(),
                2 => "i".into(),
                _ => format!("{}u", self.pick(40)),
            };
        }
        let a = self.value(depth - 1);
        let b = self.value(depth - 1);
        let k = self.pick(16);
        match self.pick(17) {
            0 => format!("({a} + {b})"),
            1 => format!("({a} ^ {b})"),
            2 => format!("({a} * 3u + {b})"),
            3 => format!("swap({a}, {}u)", 1 + self.pick(15)),
            4 => format!("from_lane({a}, {k}u)"),
            5 => format!("from_lane({a}, ({b}) % 16u)"),
            6 => format!("behind({a}, {}u)", 1 + self.pick(5)),
            7 => format!("subgroupAdd({a})"),
            8 => format!("subgroupInclusiveAdd({a})"),
            9 => format!("subgroupExclusiveAdd({a})"),
            10 => format!("subgroupMin({a})"),
            11 => format!("subgroupMax({a})"),
            12 => format!("subgroupXor({a})"),
            13 => format!("subgroupBroadcastFirst({a})"),
            14 => format!("bitcast<u32>(subgroupAdd(f32({a} % 64u)))"),
            15 => {
                let c = self.condition();
                format!("votes({c})")
            }
            _ => {
                let c = self.condition();
                format!("select({a}, {b}, {c})")
            }
        }
    }

    fn condition(&mut self) -> String {
        let k = self.pick(7) + 2;
        let v = self.value(0);
        match self.pick(7) {
            0 => format!("({v} % {k}u < {}u)", 1 + self.pick(k)),
            1 => format!("((lane & {}u) != 0u)", 1 << self.pick(5)),
            2 => format!("(lane < {}u)", self.pick(20)),
            3 => format!("(x % {k}u != 0u)"),
            4 => format!("subgroupAny({v} % {k}u == 0u)"),
            5 => format!("subgroupAll({v} % {k}u < {}u)", self.pick(k + 1)),
            _ => format!("((i ^ y) % {k}u > 1u)"),
        }
    }

    fn block(&mut self, depth: u32) {
        self.indent += 1;
        for _ in 0..1 + self.pick(3) {
            self.statement(depth);
        }
        self.indent -= 1;
    }

    fn statement(&mut self, depth: u32) {
        let kind = if depth == 0 || self.fuel == 0 { 0 } else { self.pick(9) };
        self.fuel = self.fuel.saturating_sub(1);
        match kind {
            0..=2 => {
                let v = self.value(2);
                let to = if self.pick(2) == 0 { "x" } else { "y" };
                self.line(&format!("{to} = {v};"));
            }
            3 | 4 => {
                let c = self.condition();
                self.line(&format!("if {c} {{"));
                self.block(depth - 1);
                if self.pick(2) == 0 {
                    self.line("} else {");
                    self.block(depth - 1);
                }
                self.line("}");
            }
            5 | 6 => {
                self.names += 1;
                let (n, turns) = (self.names, 2 + self.pick(4));
                self.line(&format!("for (var k{n} = 0u; k{n} < {turns}u; k{n}++) {{"));
                self.loops += 1;
                self.block(depth - 1);
                self.indent += 1;
                let (c, how) = (self.condition(), if self.pick(3) == 0 { "continue" } else { "break" });
                self.line(&format!("if {c} {{ {how}; }}"));
                self.indent -= 1;
                self.block(depth - 1);
                self.loops -= 1;
                self.line("}");
            }
            7 if self.loops > 0 => {
                let c = self.condition();
                let how = if self.pick(2) == 0 { "continue" } else { "break" };
                self.line(&format!("if {c} {{ {how}; }}"));
            }
            _ => {
                let v = self.value(0);
                self.line(&format!("switch ({v} % 4u) {{"));
                self.line("  case 0u: {");
                self.block(depth - 1);
                self.line("  }\n  case 1u, 2u: {");
                self.block(depth - 1);
                self.line("  }\n  default: {");
                self.block(depth - 1);
                self.line("  }\n}");
            }
        }
    }
}

fn program(seed: u64) -> String {
    let n = invocations(seed);
    let mut g = Generator { rng: SplitMix64::new(seed), out: HEAD.into(), indent: 0, loops: 0, names: 0, fuel: 14 };
    g.line("fn part(i: u32, a: u32, b: u32) -> u32 {\n  var x = a;\n  var y = b;");
    g.block(2);
    let (c, v) = (g.condition(), g.value(1));
    g.line(&format!("  if {c} {{ return {v}; }}"));
    g.block(1);
    g.line("  return x + y;\n}");
    g.line(&format!(
        "@compute @workgroup_size({n}) fn main(@builtin(local_invocation_index) i: u32, \
         @builtin(subgroup_invocation_id) l: u32) {{\n  lane = l;\n  var x = o[i];\n  var y = i * 5u + 1u;"
    ));
    g.block(3);
    let c = g.condition();
    g.line(&format!("  if {c} {{ y += part(i, x, y); }}"));
    g.block(2);
    g.line(&format!("  o[i] = x;\n  o[i + {n}u] = y;\n}}"));
    g.out
}

/// The expected refusals, of two runs each.
const REFUSED: &[Row] = &[Row { target: "vivante:gc2000", program: "*", code: Refusal::ProgramSize, runs: 58 }];

#[test]
fn programs_of_lanes_that_part() {
    let targets = exec::targets("all:all");
    let refused = Refused::default();
    let asked = asked();
    let seeds: Vec<u64> = asked.clone().map_or_else(|| (0..COUNT).chain(FOUND).collect(), Iterator::collect);
    let mut failures: Vec<String> = seeds
        .into_par_iter()
        .flat_map_iter(|seed| {
            let text = program(seed);
            let module = exec::lower(&text, "main", &[]).unwrap_or_else(|p| panic!("seed {seed}: {p}\n{text}"));
            let mut failures = Vec::new();
            for (&target, level) in targets.iter().flat_map(|t| [(t, 0), (t, 2)]) {
                let words: Vec<u32> = (0..2 * invocations(seed)).map(|i| i * 37 % 101).collect();
                let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &words);
                let codegen = CodegenOptions { opt_level: level, verify: true, ..CodegenOptions::default() };
                let run = exec::run_judged(&module, "main", target, &codegen, &mut d, &RunOptions::default());
                match run {
                    Ok(_) => {}
                    Err(Problem::Refused(codes, _)) => refused.note(target, &format!("{seed}"), &codes),
                    Err(p) => failures.push(format!("seed {seed} on {target} -O{level}: {p}")),
                }
            }
            failures
        })
        .collect();
    failures.extend(refused.differs(REFUSED, asked.is_none()));
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures[..failures.len().min(8)].join("\n"));
}

/// Loops and constructs that some lanes leave from inside of others, for the next round, the end of a loop or a case, while the rest continues and
/// asks the others: `x` and `y` are values, `l` is the lane. Tesla's joins once parted those that stay.
const LEAVING: &[&str] = &[
    "for (var k = 0u; k < o[i] % 3u + 30u; k++) { if l < 20u { if (x + i) % 3u == 0u { continue; } y += 1u; } x = subgroupAdd(x + y); }",
    "for (var k = 0u; k < o[i] % 3u + 30u; k++) { if l < 20u { if (x + i) % 3u == 0u { break; } y += 1u; } x = subgroupAdd(x + y); }",
    "for (var k = 0u; k < o[i] % 3u + 30u; k++) {
       switch l % 4u { case 0u: { if x % 3u == 0u { continue; } y += 1u; } case 1u: { y += 2u; } default: { y += 3u; } }
       x = subgroupAdd(x + y);
     }",
    "for (var k = 0u; k < o[i] % 3u + 30u; k++) {
       if l < 20u {
         if l < 10u { if (x + i) % 3u == 0u { continue; } if (x + i) % 5u == 0u { break; } y += 1u; }
         y = subgroupAdd(y);
       }
       x = subgroupAdd(x + y);
     }",
    "switch l % 4u {
       case 0u, 1u: { if l < 20u { if x % 3u == 0u { break; } y += 1u; } y = subgroupAdd(y); }
       default: { y = subgroupMax(y); }
     }
     x = subgroupAdd(x + y);",
    "for (var k = 0u; k < 3u; k++) {
       if l < 20u { if (x + i) % 3u == 0u { continue; } if (x + i) % 5u == 0u { break; } y += 1u; }
       x = subgroupAdd(x + y);
     }",
    "for (var k = 0u; k < 3u; k++) {
       if (x + i) % 7u == 0u { break; }
       x = subgroupAdd(x + y);
       if (x + i) % 3u == 0u { continue; }
       y += 1u;
       x = subgroupMax(x + l);
     }",
    "for (var k = 0u; k < 9u; k++) {
       for (var j = 0u; j < 9u; j++) {
         if l % 3u == 0u { if (x + j) % 4u == 1u { break; } if (y + i) % 5u == 1u { continue; } x += 3u; }
         y = subgroupAdd(y ^ j);
       }
       if (x + y) % 6u == 0u { continue; }
       x = subgroupInclusiveAdd(x % 64u);
     }",
    // Rounds that are written out: the first construct of the first of them dominates the end.
    "for (var k = 0u; k < 2u; k++) {
       x = subgroupExclusiveAdd(subgroupMin(x));
       if l < 18u { continue; }
       if x % 4u != 0u { break; }
     }",
    "for (var k = 0u; k < 2u; k++) {
       if l < 18u { y = subgroupAdd(y); if x % 4u == 0u { break; } }
       x = subgroupMax(x % 64u) ^ l;
     }",
    "switch 1u + o[0] {
       default: { if l < 18u { if x % 4u == 0u { break; } y = subgroupAdd(y); } x = subgroupAdd(x + y); }
     }",
];

#[test]
fn lanes_that_stay_are_together_whoever_leaves() {
    let jobs: Vec<(&str, _, u8)> = LEAVING
        .iter()
        .flat_map(|&body| exec::targets("all:all").into_iter().flat_map(move |t| [(body, t, 0), (body, t, 2)]))
        .collect();
    let failures: Vec<String> = jobs
        .into_par_iter()
        .filter_map(|(body, target, level)| {
            let text = format!(
                "enable subgroups;\n@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n@compute @workgroup_size(96) fn main(\
                 @builtin(local_invocation_index) i: u32, @builtin(subgroup_invocation_id) l: u32) {{\n  var x = o[i];\n  var y = i * 5u + 1u;\n  \
                 {body}\n  o[i] = x;\n  o[i + 96u] = y;\n}}"
            );
            let module = exec::lower(&text, "main", &[]).unwrap_or_else(|p| panic!("{p}\n{text}"));
            let words: Vec<u32> = (0..192).map(|i| i * 37 % 101).collect();
            let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &words);
            let codegen = CodegenOptions { opt_level: level, verify: true, ..CodegenOptions::default() };
            match exec::run_judged(&module, "main", target, &codegen, &mut d, &RunOptions::default()) {
                // Room for few instructions.
                Err(Problem::Refused(codes, _)) if codes == [Refusal::ProgramSize] && target.to_string() == "vivante:gc2000" => None,
                done => done.err().map(|p| format!("{target} -O{level}: {p}\n{body}")),
            }
        })
        .collect();
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}
