//! Tests of subgroup operations in SPIR-V as glslang writes it: each op of votes, ballots, reductions, scans, clusters,
//! shuffles and quads, in all lanes and where some are missing, on every machine that has it. Expected values are computed here. Each part has a
//! tenth of the reductions (`subgroup_forms.rs`); with `GPUCC_SUBGROUP_OPS` set, all.
//!
//! Without `glslc` or `glslangValidator` nothing is run, and the test says so.

use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc::{CodegenOptions, Target};
use gpucc_glsl::Source;
use gpucc_ir::Refusal;
use gpucc_kit::exec::Problem;
use gpucc_sim::{Dispatch, RunOptions};
use gpucc_tests::exec::{self, On};
use rayon::prelude::*;

use crate::house::refused::{Refused, Row};
use crate::lanes::forms::{self, Case};
use crate::lanes::ops::data;

const INVOCATIONS: u32 = 128;
const UNTOUCHED: u32 = 0xdead_beef;

/// The lanes that are there, and one of them.
pub(crate) struct At<'a> {
    pub(crate) lane: u32,
    /// The invocation that is lane 0.
    base: u32,
    /// Lanes in order, with their words.
    pub(crate) here: &'a [(u32, u32)],
    pub(crate) size: u32,
}

impl At<'_> {
    fn word(&self, lane: u32) -> Option<u32> {
        self.here.iter().find(|h| h.0 == lane).map(|h| h.1)
    }

    fn words(&self) -> Vec<u32> {
        self.here.iter().map(|h| h.1).collect()
    }

    fn own(&self) -> u32 {
        self.word(self.lane).expect("the own lane is there")
    }

    fn upto(&self) -> Vec<u32> {
        self.here.iter().filter(|h| h.0 <= self.lane).map(|h| h.1).collect()
    }

    /// How many lanes of the subgroup compare so with the own one, there or not: those below 32, and a hundred times the others.
    fn split(&self, compares: fn(u32, u32) -> bool) -> u32 {
        let lanes = (0..self.size).filter(|&l| compares(l, self.lane));
        lanes.map(|l| if l < 32 { 1 } else { 100 }).sum()
    }

    /// Lanes whose word is above 9.
    fn mask(&self) -> Vec<u32> {
        self.here.iter().filter(|h| h.1 > 9).map(|h| h.0).collect()
    }
}

type Expected = fn(&At<'_>) -> Option<u32>;

fn sum(list: Vec<u32>) -> Option<u32> {
    Some(list.iter().sum())
}

/// An expression of `w`, the word of the invocation, `l`, its lane, and `b`, a ballot of those above 9.
#[rustfmt::skip]
const PLAIN: &[(&str, Expected)] = &[
    ("uint(subgroupElect())", |a| Some((a.lane == a.here[0].0).into())),
    ("uint(subgroupAll(w < 20u))", |a| Some(a.words().iter().all(|&w| w < 20).into())),
    ("uint(subgroupAny(w == 3u))", |a| Some(a.words().contains(&3).into())),
    ("uint(subgroupAllEqual(w / 23u))", |_| Some(1)),
    ("uint(subgroupAllEqual(vec2(1.0, float(w))))", |a| Some(a.words().iter().all(|&w| w == a.here[0].1).into())),
    ("b.x", |a| Some(a.mask().iter().filter(|&&l| l < 32).fold(0, |m, l| m | 1 << l))),
    ("b.y", |a| Some(a.mask().iter().filter(|&&l| l >= 32).fold(0, |m, l| m | 1 << (l - 32)))),
    ("b.z | b.w", |_| Some(0)),
    ("subgroupBallotBitCount(b)", |a| Some(a.mask().len() as u32)),
    ("subgroupBallotBitCount(uvec4(0xffffffffu))", |a| Some(a.size)),
    ("subgroupBallotInclusiveBitCount(b)", |a| Some(a.mask().iter().filter(|&&l| l <= a.lane).count() as u32)),
    ("subgroupBallotExclusiveBitCount(b)", |a| Some(a.mask().iter().filter(|&&l| l < a.lane).count() as u32)),
    ("subgroupBallotFindLSB(b)", |a| a.mask().first().copied()),
    ("subgroupBallotFindMSB(b)", |a| a.mask().last().copied()),
    ("uint(subgroupInverseBallot(b))", |a| Some((a.own() > 9).into())),
    ("uint(subgroupBallotBitExtract(b, 6u))", |a| Some(a.mask().contains(&6).into())),
    ("subgroupBroadcast(w, 4u)", |a| a.word(4)),
    ("subgroupBroadcastFirst(w)", |a| Some(a.here[0].1)),
    ("subgroupShuffle(w, (l * 3u + 5u) % 16u)", |a| a.word((a.lane * 3 + 5) % 16)),
    ("subgroupShuffleXor(w, 9u)", |a| a.word(a.lane ^ 9)),
    ("subgroupShuffleUp(w, 2u)", |a| a.word(a.lane.checked_sub(2)?)),
    ("subgroupShuffleDown(w, 1u)", |a| a.word(a.lane + 1)),
    ("uint(subgroupShuffleXor(w > 9u, 1u))", |a| a.word(a.lane ^ 1).map(|w| (w > 9).into())),
    ("uint(subgroupShuffleXor(float16_t(w), 2u))", |a| a.word(a.lane ^ 2)),
    ("uint(subgroupInclusiveAdd(uint16_t(w)))", |a| sum(a.upto())),
    ("uint(subgroupMin(int16_t(w) - int16_t(9)) + int16_t(9))", |a| a.words().into_iter().min()),
    ("uint(subgroupXor(uint8_t(w)))", |a| Some(a.words().iter().fold(0, |x, w| x ^ w))),
    ("gl_SubgroupEqMask[l / 32u] >> (l % 32u)", |_| Some(1)),
    ("uint(bitCount(gl_SubgroupEqMask.x) + bitCount(gl_SubgroupEqMask.y))", |_| Some(1)),
    ("uint(bitCount(gl_SubgroupLtMask.x) + 100u * bitCount(gl_SubgroupLtMask.y))", |a| Some(a.split(|l, own| l < own))),
    ("uint(bitCount(gl_SubgroupLeMask.x) + 100u * bitCount(gl_SubgroupLeMask.y))", |a| Some(a.split(|l, own| l <= own))),
    ("uint(bitCount(gl_SubgroupGtMask.x) + 100u * bitCount(gl_SubgroupGtMask.y))", |a| Some(a.split(|l, own| l > own))),
    ("uint(bitCount(gl_SubgroupGeMask.x) + 100u * bitCount(gl_SubgroupGeMask.y))", |a| Some(a.split(|l, own| l >= own))),
    ("gl_SubgroupLtMask.x & 0xffu", |a| Some(if a.lane < 8 { (1 << a.lane) - 1 } else { 0xff })),
    ("gl_SubgroupGeMask.z | gl_SubgroupGtMask.w", |_| Some(0)),
    ("gl_SubgroupID * 1000u + gl_NumSubgroups", |a| Some(a.base / a.size * 1000 + INVOCATIONS.div_ceil(a.size))),
    ("subgroupQuadBroadcast(w, 1u)", |a| a.word(a.lane & !3 | 1)),
    ("subgroupQuadSwapHorizontal(w)", |a| a.word(a.lane ^ 1)),
    ("subgroupQuadSwapVertical(w)", |a| a.word(a.lane ^ 2)),
    ("subgroupQuadSwapDiagonal(w)", |a| a.word(a.lane ^ 3)),
];

/// Which lanes are there: the text around, its rounds, and whether an invocation at a lane is there in one.
type Part = (&'static str, u32, fn(u32, u32, u32) -> bool);

#[rustfmt::skip]
const PARTS: &[Part] = &[
    ("{", 1, |_, _, _| true),
    ("if (w % 3u != 1u) {", 1, |i, _, _| data(i) % 3 != 1),
    ("if ((l & 1u) == 1u) {", 1, |_, l, _| l & 1 == 1),
    ("if (l == 6u) {", 1, |_, l, _| l == 6),
    ("for (uint k = 0u; k < 4u; k++) { if (k > w % 6u) break;", 4, |i, _, k| k <= data(i) % 6),
];

/// Sizes of workgroups in one, two and three dimensions.
const SIZES: [&str; 3] = [
    "local_size_x = 128",
    "local_size_x = 16, local_size_y = 8",
    "local_size_x = 8, local_size_y = 4, local_size_z = 4",
];

fn all_cases(part: usize, all: bool) -> Vec<Case> {
    let plain = PLAIN.iter().map(|&(text, of)| -> Case { (text.into(), Box::new(of)) });
    plain.chain(forms::cases(part, all)).collect()
}

fn source(cases: &[Case], open: &str, size: &str) -> String {
    let per = cases.len();
    let stores: Vec<String> =
        cases.iter().enumerate().map(|(n, c)| format!("        o[i * {per} + {n}] = {};\n", c.0)).collect();
    let kinds = ["basic", "vote", "ballot", "arithmetic", "shuffle", "shuffle_relative", "clustered", "quad"];
    let head: String = kinds.iter().map(|k| format!("#extension GL_KHR_shader_subgroup_{k} : require\n")).collect();
    let narrow = ["float16", "int16", "int8"];
    let narrow = narrow.map(|k| format!("#extension GL_EXT_shader_subgroup_extended_types_{k} : require\n")).concat();
    format!(
        "#version 450\n{head}{narrow}#extension GL_EXT_shader_explicit_arithmetic_types : require
layout({size}) in;
layout(std430, binding = 0) readonly buffer A {{ uint a[]; }};
layout(std430, binding = 1) buffer O {{ uint o[]; }};
layout(std430, binding = 2) buffer S {{ uint size; }};
void main() {{
    uint i = gl_LocalInvocationIndex, l = gl_SubgroupInvocationID, w = a[i];
    if (i == 0) size = gl_SubgroupSize;
    {open}
        uvec4 b = subgroupBallot(w > 9u);
{}    }}
}}
",
        stores.concat()
    )
}

fn expected(cases: &[Case], part: Part, size: u32) -> Vec<Option<u32>> {
    let mut out = vec![Some(UNTOUCHED); INVOCATIONS as usize * cases.len()];
    let rounds = (0..part.1).flat_map(|k| (0..INVOCATIONS).step_by(size as usize).map(move |base| (k, base)));
    for (k, base) in rounds {
        let lanes: Vec<(u32, u32)> = (base..INVOCATIONS.min(base + size))
            .filter(|&i| (part.2)(i, i - base, k))
            .map(|i| (i - base, data(i)))
            .collect();
        for &(lane, _) in &lanes {
            for (n, c) in cases.iter().enumerate() {
                out[(base + lane) as usize * cases.len() + n] = (c.1)(&At { lane, base, here: &lanes, size });
            }
        }
    }
    out
}

/// The expected refusals, of two runs each.
const REFUSED: &[Row] = &[Row { target: "vivante:gc2000", program: "*", code: Refusal::ProgramSize, runs: 29 }];

#[test]
fn each_op_of_glsl() {
    let (mut jobs, mut sources) = (Vec::new(), Vec::new());
    let small = |t: &Target| t.to_string() == "vivante:gc2000";
    let machines = exec::targets("all:all");
    let (few, all): (Vec<Target>, Vec<Target>) = machines.into_iter().partition(small);
    let all: Vec<Option<Target>> = std::iter::once(None).chain(all.into_iter().map(Some)).collect();
    let few: Vec<Option<Target>> = few.into_iter().map(Some).collect();
    let forms = std::env::var_os("GPUCC_SUBGROUP_OPS").is_some();
    let of_parts: Vec<Vec<Case>> = (0..PARTS.len()).map(|n| all_cases(n, forms)).collect();
    for (n, (part, own)) in PARTS.iter().zip(&of_parts).enumerate() {
        // Targets with room for few instructions run few cases at once.
        let sixteen = own.chunks(16).map(|cases| (cases, &all));
        let two = own.chunks(2).map(|cases| (cases, &few)).filter(|(_, places)| !places.is_empty());
        for (cases, places) in sixteen.chain(two) {
            sources.push(Source { stage: "comp", text: source(cases, part.0, SIZES[n % 3]) });
            jobs.push((cases, part, places));
        }
    }
    let Some(modules) = gpucc_glsl::compile("vulkan1.1", &sources).expect("files") else {
        eprintln!("skipped: there is neither `glslc` nor `glslangValidator`");
        return;
    };
    let refused = Refused::default();
    let mut failures: Vec<String> = jobs
        .par_iter()
        .zip(&modules)
        .flat_map_iter(|((cases, part, places), module)| {
            let bytes = module.as_ref().unwrap_or_else(|e| panic!("{e}"));
            let loaded = frontend::load(bytes, Lang::Spirv, &FrontOptions::default());
            let module = loaded.unwrap_or_else(|l| panic!("{}", l[0])).module;
            let mut failures = Vec::new();
            let name = format!("{} {}", part.0, cases[0].0);
            for &target in *places {
                let on = target.map_or(On::Interp, exec::on);
                for level in [0, 2] {
                    let a: Vec<u32> = (0..INVOCATIONS).map(data).collect();
                    let words = vec![UNTOUCHED; INVOCATIONS as usize * cases.len()];
                    let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &a).with_u32(0, 1, &words).with_u32(0, 2, &[0]);
                    let codegen = CodegenOptions { opt_level: level, verify: true, ..CodegenOptions::default() };
                    match exec::run(&module, "main", on, &codegen, &mut d, &RunOptions::default()) {
                        Ok(_) => {}
                        Err(Problem::Refused(codes, _)) if target.is_some() => {
                            target.inspect(|&t| refused.note(t, &name, &codes));
                            continue;
                        }
                        Err(p) => {
                            failures.push(format!("{on} -O{level} {}: {p}", part.0));
                            continue;
                        }
                    }
                    let got = d.words(0, 1).unwrap_or_default();
                    let want = expected(cases, **part, d.words(0, 2).unwrap_or_default()[0]);
                    if let Some(k) = got.iter().zip(&want).position(|(g, w)| w.is_some_and(|w| w != *g)) {
                        let (case, i) = (&cases[k % cases.len()].0, k / cases.len());
                        let wanted = want[k].unwrap_or_default();
                        failures.push(format!(
                            "{on} -O{level} {}: `{case}` in invocation {i}: {:#x}, expected {wanted:#x}",
                            part.0, got[k]
                        ));
                    }
                }
            }
            failures
        })
        .collect();
    failures.extend(refused.differs(REFUSED, !forms));
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures[..failures.len().min(400)].join("\n"));
}
