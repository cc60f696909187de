//! Operations between lanes: each gives, on the oracle and on each machine that has them, what is computed here for the size that the
//! place reports, in all lanes, in some, in one, and in loops that lanes leave at different times.

use std::fmt::Write;

use gpucc::{CodegenOptions, Target};
use gpucc_ir::{Module, Refusal};
use gpucc_sim::{Dispatch, RunOptions};
use gpucc_tests::exec::{self, On, Problem};
use rayon::prelude::*;

use crate::refused::{Refused, Row};

const LANES: usize = 64;
const ITERATIONS: usize = 5;

/// Who takes part, as WGSL and as a function of the invocation.
type Split = (&'static str, fn(usize) -> bool);

const SPLITS: &[Split] = &[
    ("true", |_| true),
    ("i % 2u == 1u", |i| i % 2 == 1),
    ("i < 37u", |i| i < 37),
    ("i == 21u", |i| i == 21),
    ("i % 7u > 2u && i != 4u", |i| i % 7 > 2 && i != 4),
];

/// A value of an invocation as text of `i`, and as bits.
struct Kind {
    ty: &'static str,
    value: &'static str,
    of: fn(usize) -> u32,
    /// The operation on bits.
    ops: &'static [Fold],
}

/// A name, what it does, what it gives for no values.
type Fold = (&'static str, fn(u32, u32) -> u32, u32);

fn f(x: u32) -> f32 {
    f32::from_bits(x)
}

const KINDS: &[Kind] = &[
    Kind {
        ty: "u32",
        value: "(i * 2654435761u) >> 3u",
        of: |i| (i as u32).wrapping_mul(2_654_435_761) >> 3,
        ops: &[
            ("Add", |a, b| a.wrapping_add(b), 0),
            ("Mul", |a, b| a.wrapping_mul(b), 1),
            ("Min", |a, b| a.min(b), u32::MAX),
            ("Max", |a, b| a.max(b), 0),
            ("And", |a, b| a & b, u32::MAX),
            ("Or", |a, b| a | b, 0),
            ("Xor", |a, b| a ^ b, 0),
        ],
    },
    Kind {
        ty: "i32",
        value: "bitcast<i32>(i * 2654435761u) >> 5u",
        of: |i| ((i as u32).wrapping_mul(2_654_435_761) as i32 >> 5) as u32,
        ops: &[
            ("Add", |a, b| a.wrapping_add(b), 0),
            ("Mul", |a, b| a.wrapping_mul(b), 1),
            ("Min", |a, b| (a as i32).min(b as i32) as u32, i32::MAX as u32),
            ("Max", |a, b| (a as i32).max(b as i32) as u32, i32::MIN as u32),
            ("And", |a, b| a & b, u32::MAX),
            ("Or", |a, b| a | b, 0),
            ("Xor", |a, b| a ^ b, 0),
        ],
    },
    Kind {
        ty: "f32",
        // Sums are exact in any order; products are powers of two.
        value: "select(0.5, 2.0, i % 3u == 0u)",
        of: |i| if i % 3 == 0 { 2f32 } else { 0.5 }.to_bits(),
        ops: &[
            ("Add", |a, b| (f(a) + f(b)).to_bits(), 0),
            ("Mul", |a, b| (f(a) * f(b)).to_bits(), 0x3f80_0000),
            ("Min", |a, b| f(a).min(f(b)).to_bits(), 0x7f80_0000),
            ("Max", |a, b| f(a).max(f(b)).to_bits(), 0xff80_0000),
        ],
    },
];

/// A line of a program and what each invocation that takes part stores there, of those that do and the size.
type Line = (String, Box<dyn Fn(usize, &[usize]) -> Option<u32> + Sync>);

/// Results of an invocation and of the active lanes of its subgroup.
type Of = fn(usize, &[usize], usize) -> Option<u32>;

/// Lines that do not depend on a type.
const PLAIN: &[(&str, Of)] = &[
    ("u32(subgroupAny(i % 9u == 3u))", |_, all, _| Some(all.iter().any(|i| i % 9 == 3).into())),
    ("u32(subgroupAll(i % 9u != 3u))", |_, all, _| Some(all.iter().all(|i| i % 9 != 3).into())),
    ("subgroupBallot(i % 3u == 0u).x", |_, all, n| Some(bits(all, n, 0, |i| i % 3 == 0))),
    ("subgroupBallot(i % 3u == 0u).y", |_, all, n| Some(bits(all, n, 1, |i| i % 3 == 0))),
    ("subgroupBallot(true).z", |_, _, _| Some(0)),
    ("subgroupBroadcastFirst(i * 5u)", |_, all, _| Some(all[0] as u32 * 5)),
    ("subgroupShuffle(i * 5u, (lane * 3u + 1u) % size)", |i, all, n| read(all, n, i, |l| (l * 3 + 1) % n)),
    ("subgroupShuffleXor(i * 5u, 3u)", |i, all, n| read(all, n, i, |l| l ^ 3)),
    ("subgroupShuffleUp(i * 5u, 2u)", |i, all, n| read(all, n, i, |l| l.wrapping_sub(2))),
    ("subgroupShuffleDown(i * 5u, 1u)", |i, all, n| read(all, n, i, |l| l + 1)),
    ("subgroupBroadcast(i * 5u, 5u)", |i, all, n| read(all, n, i, |_| 5)),
    ("quadSwapX(i * 5u)", |i, all, n| read(all, n, i, |l| l ^ 1)),
    ("quadSwapY(i * 5u)", |i, all, n| read(all, n, i, |l| l ^ 2)),
    ("quadSwapDiagonal(i * 5u)", |i, all, n| read(all, n, i, |l| l ^ 3)),
    ("quadBroadcast(i * 5u, 2u)", |i, all, n| read(all, n, i, |l| (l & !3) | 2)),
    ("subgroupShuffleXor(vec3<u32>(i, i * 5u, 7u), 1u).y", |i, all, n| read(all, n, i, |l| l ^ 1)),
    ("subgroupAdd(vec2<u32>(i, i * 3u)).y", |_, all, _| Some(all.iter().map(|&i| i as u32 * 3).sum())),
];

fn bits(all: &[usize], size: usize, word: usize, is: fn(usize) -> bool) -> u32 {
    let lanes = all.iter().filter(|&&i| is(i)).map(|i| i % size);
    lanes.filter(|l| l / 32 == word).fold(0, |m, l| m | 1 << (l % 32))
}

/// Five times the number of the invocation that is read; none if it does not take part.
fn read(all: &[usize], size: usize, i: usize, lane: impl Fn(usize) -> usize) -> Option<u32> {
    let lane = lane(i % size);
    if lane >= size {
        return None;
    }
    let other = i - i % size + lane;
    all.contains(&other).then(|| other as u32 * 5)
}

fn fold(op: &Fold, of: fn(usize) -> u32, all: impl Iterator<Item = usize>) -> u32 {
    all.map(of).reduce(op.1).unwrap_or(op.2)
}

/// The lines of all programs, for a size.
fn lines(size: usize) -> Vec<Line> {
    let mut list: Vec<Line> = Vec::new();
    for &(text, of) in PLAIN {
        list.push((text.into(), Box::new(move |i, all| of(i, all, size))));
    }
    for k in KINDS {
        let of = k.of;
        for op in k.ops {
            let line = |name: String| {
                let call = format!("subgroup{name}({})", k.value);
                if k.ty == "u32" { call } else { format!("bitcast<u32>({call})") }
            };
            list.push((line(op.0.into()), Box::new(move |_, all| Some(fold(op, of, all.iter().copied())))));
            if matches!(op.0, "Add" | "Mul") {
                let upto = move |i: usize, all: &[usize], own: bool| {
                    let before = all.iter().copied().filter(move |&j| j < i || own && j == i).collect::<Vec<_>>();
                    Some(fold(op, of, before.into_iter()))
                };
                list.push((line(format!("Inclusive{}", op.0)), Box::new(move |i, all| upto(i, all, true))));
                list.push((line(format!("Exclusive{}", op.0)), Box::new(move |i, all| upto(i, all, false))));
            }
        }
    }
    list
}

const HEAD: &str = "enable subgroups;\n@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n";
const ARGS: &str = "@builtin(local_invocation_index) i: u32, @builtin(subgroup_size) size: u32, \
                    @builtin(subgroup_invocation_id) lane: u32";

/// One store for each line, in a branch.
fn branches(texts: &[String], split: &Split, size: &str) -> String {
    let mut body = String::new();
    for (k, text) in texts.iter().enumerate() {
        let _ = writeln!(body, "    o[{}u + i] = {text};", LANES * (k + 1));
    }
    format!(
        "{HEAD}@compute @workgroup_size({size}) fn main({ARGS}) {{\n  if (i == 0u) {{ o[0] = size; }}\n  if ({}) {{\n{body}  }}\n}}\n",
        split.0
    )
}

/// The same in a loop that lanes leave at different times; what comes out is the sum over iterations.
fn loops(texts: &[String]) -> String {
    let mut body = String::new();
    for (k, text) in texts.iter().enumerate() {
        let _ = writeln!(body, "    o[{}u + i] += {text};", LANES * (k + 1));
    }
    format!(
        "{HEAD}@compute @workgroup_size(64) fn main({ARGS}) {{\n  if (i == 0u) {{ o[0] = size; }}\n  for (var k = 0u; k < {ITERATIONS}u; k++) {{\n    \
         if (k > i % 6u) {{ break; }}\n{body}  }}\n}}\n"
    )
}

fn places() -> Vec<(Option<Target>, u8)> {
    let machines = exec::targets("all:all").into_iter().map(Some);
    std::iter::once(None).chain(machines).flat_map(|target| [(target, 0), (target, 2)]).collect()
}

fn name(target: Option<Target>) -> String {
    target.map_or("interp".into(), |t| t.to_string())
}

/// Runs it; nothing if it was refused, which is noted.
fn run(
    module: &Module,
    (target, level): (Option<Target>, u8),
    seed: Option<u64>,
    words: usize,
    (refused, program): (&Refused, &str),
) -> Result<Option<Vec<u32>>, String> {
    let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &vec![0; words]);
    let codegen = CodegenOptions { opt_level: level, ..CodegenOptions::default() };
    let options = RunOptions { perturb: seed, ..RunOptions::default() };
    match exec::run(module, "main", target.map_or(On::Interp, exec::on), &codegen, &mut d, &options) {
        Ok(_) => Ok(d.words(0, 0)),
        Err(Problem::Refused(codes, _)) if target.is_some() => {
            target.inspect(|&t| refused.note(t, program, &codes));
            Ok(None)
        }
        Err(e) => Err(format!("{} -O{level}: {e}", name(target))),
    }
}

/// Compares what a place gave with what the lines say.
fn compare(got: &[u32], what: &str, expected: &dyn Fn(usize, usize, usize) -> Option<u32>) -> Result<(), String> {
    let size = got[0] as usize;
    for (k, row) in got[LANES..].chunks(LANES).enumerate() {
        for (i, &v) in row.iter().enumerate() {
            if let Some(want) = expected(size, k, i).filter(|&w| w != v) {
                return Err(format!("{what}: line {k}, invocation {i} of subgroups of {size}: {v:#x}, not {want:#x}"));
            }
        }
    }
    Ok(())
}

fn active(size: usize, i: usize, is: impl Fn(usize) -> bool) -> Vec<usize> {
    let first = i - i % size;
    (first..(first + size).min(LANES)).filter(|&j| is(j)).collect()
}

fn texts() -> Vec<String> {
    lines(32).into_iter().map(|l| l.0).collect()
}

fn lower(text: &str) -> Module {
    exec::lower(text, "main", &[]).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// What is refused, of two runs each.
const IN_BRANCHES: &[Row] = &[Row { target: "vivante:gc2000", program: "*", code: Refusal::ProgramSize, runs: 10 }];

#[test]
fn in_branches() {
    let all = texts();
    let words = LANES * (all.len() + 1);
    let jobs: Vec<_> = SPLITS.iter().zip(["64"; 5]).collect();
    let refused = Refused::default();
    let mut failures: Vec<String> = jobs
        .par_iter()
        .flat_map(|&(split, size)| {
            let module = lower(&branches(&all, split, size));
            let list: Vec<String> = places()
                .into_iter()
                .filter_map(|(target, level)| {
                    let on = name(target);
                    let got = match run(&module, (target, level), Some(3), words, (&refused, split.0)) {
                        Ok(got) => got?,
                        Err(e) => return Some(format!("{}: {e}", split.0)),
                    };
                    let rows = lines(got[0] as usize);
                    compare(&got, &format!("`{}` on {on} -O{level}", split.0), &|size, k, i| {
                        if !(split.1)(i) {
                            return Some(0);
                        }
                        (rows[k].1)(i, &active(size, i, split.1))
                    })
                    .map_err(|e| format!("{e}: {}", all.get(k_of(&e)).map_or("", |s| s)))
                    .err()
                })
                .collect();
            list
        })
        .collect();
    failures.extend(refused.differs(IN_BRANCHES, true));
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The number behind `line` in a message.
fn k_of(message: &str) -> usize {
    let rest = message.split("line ").nth(1).unwrap_or("");
    rest.split(',').next().and_then(|n| n.parse().ok()).unwrap_or(usize::MAX)
}

/// What is refused, of two runs each.
const IN_LOOPS: &[Row] = &[Row { target: "vivante:gc2000", program: "loop", code: Refusal::OutOfRegisters, runs: 2 }];

#[test]
fn in_loops_that_lanes_leave() {
    let all = texts();
    let words = LANES * (all.len() + 1);
    let module = lower(&loops(&all));
    let refused = Refused::default();
    let mut failures: Vec<String> = places()
        .par_iter()
        .filter_map(|&(target, level)| {
            let on = name(target);
            let got = match run(&module, (target, level), Some(5), words, (&refused, "loop")) {
                Ok(got) => got?,
                Err(e) => return Some(e),
            };
            let rows = lines(got[0] as usize);
            compare(&got, &format!("a loop on {on} -O{level}"), &|size, k, i| {
                let rounds = (0..ITERATIONS).filter(|&n| n <= i % 6);
                rounds
                    .map(|n| (rows[k].1)(i, &active(size, i, |j| n <= j % 6)))
                    .try_fold(0_u32, |s, v| Some(s.wrapping_add(v?)))
            })
            .map_err(|e| format!("{e}: {}", all.get(k_of(&e)).map_or("", |s| s)))
            .err()
        })
        .collect();
    failures.extend(refused.differs(IN_LOOPS, true));
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
