//! Tests of subgroup operations in WGSL: each op, of each type, in all lanes and in some, on every machine that has
//! it, without optimisation and at the default level. Expected values are computed here lane by lane for the size of subgroup
//! that the machine reports. Of vectors each branch has a third of the ops; with `GPUCC_SUBGROUP_OPS` set, all.

use gpucc::{CodegenOptions, Target};
use gpucc_ir::{Module, Refusal, Stage};
use gpucc_kit::exec::Problem;
use gpucc_kit::predict;
use gpucc_sim::{Dispatch, RunOptions};
use gpucc_tests::exec::{self, On};
use rayon::prelude::*;

use crate::house::refused::{Refused, Row};

/// Invocations of a workgroup: the last subgroup of 32 and of 64 is not whole.
const INVOCATIONS: u32 = 80;

/// A word of the results that no lane writes.
const UNTOUCHED: u32 = 0xdead_beef;

/// Small numbers, of which some are equal.
pub(crate) fn data(i: u32) -> u32 {
    (i * 7 + i * i % 11) % 23
}

/// A lane's number as a value of a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    U32,
    I32,
    F32,
    F16,
}

/// A vector of so many lanes; 1 is a scalar.
#[derive(Clone, Copy, Debug)]
struct Shape {
    kind: Kind,
    lanes: u32,
}

impl Shape {
    fn scalar(self) -> &'static str {
        match self.kind {
            Kind::U32 => "u32",
            Kind::I32 => "i32",
            Kind::F32 => "f32",
            Kind::F16 => "f16",
        }
    }

    fn name(self) -> String {
        if self.lanes == 1 { self.scalar().into() } else { format!("vec{}<{}>", self.lanes, self.scalar()) }
    }

    /// WGSL that makes component `k` of the operand of a word.
    fn made(self, product: bool) -> String {
        let s = self.scalar();
        let part = |k: u32| {
            let word = format!("(w + {k}u)");
            if product {
                let minus = if self.kind == Kind::U32 { "5" } else { "-1" };
                format!("select(select({s}(1), {s}(2), {word} % 8u == 3u), {s}({minus}), {word} % 8u == 5u)")
            } else if self.kind == Kind::U32 {
                word
            } else {
                format!("({s}({word}) - {s}(9))")
            }
        };
        let parts: Vec<String> = (0..self.lanes).map(part).collect();
        format!("{}({})", self.name(), parts.join(", "))
    }

    /// The number that component `k` of the operand is.
    fn number(self, i: u32, k: u32, product: bool) -> i64 {
        let word = data(i) + k;
        match (product, word % 8) {
            (true, 3) => 2,
            (true, 5) => {
                if self.kind == Kind::U32 {
                    5
                } else {
                    -1
                }
            }
            (true, _) => 1,
            (false, _) if self.kind == Kind::U32 => word.into(),
            (false, _) => i64::from(word) - 9,
        }
    }

    /// The word of a number as the program stores it.
    fn word(self, n: i64) -> u32 {
        match self.kind {
            Kind::U32 | Kind::I32 => n as u32,
            Kind::F32 | Kind::F16 => (n as f32).to_bits(),
        }
    }

    fn stored(self, value: &str) -> String {
        match self.kind {
            Kind::U32 => value.into(),
            Kind::I32 | Kind::F32 => format!("bitcast<u32>({value})"),
            Kind::F16 => format!("bitcast<u32>(f32({value}))"),
        }
    }
}

/// Semantics of an op. Lanes are numbered in their subgroup.
#[derive(Clone, Copy)]
enum Does {
    /// Of the lanes in order, the values of those of them that the own lane's result has.
    Fold(fn(i64, i64) -> i64, i64, Reach),
    /// The lane that is read.
    Read(fn(lane: u32, first: u32) -> Option<u32>),
    /// A word of all that is known.
    Word(fn(&At<'_>) -> u32),
}

/// An invocation that is there, and the lanes with it.
struct At<'a> {
    i: u32,
    size: u32,
    /// Invocations, in order.
    here: &'a [u32],
}

impl At<'_> {
    fn words(&self) -> impl Iterator<Item = u32> {
        self.here.iter().map(|&i| data(i))
    }

    /// A word of the ballot of those above 9.
    fn ballot(&self, word: u32) -> u32 {
        let lanes = self.here.iter().filter(|&&i| data(i) > 9).map(|i| i % self.size);
        lanes.filter(|l| l / 32 == word).fold(0, |m, l| m | 1 << (l % 32))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    All,
    Inclusive,
    Exclusive,
}

struct Case {
    call: &'static str,
    product: bool,
    /// Of integers only.
    ints: bool,
    /// Of `u32` only, and of no vectors.
    words: bool,
    does: Does,
}

fn cases() -> Vec<Case> {
    let fold = |call, f, none, reach| Case {
        call,
        product: false,
        ints: false,
        words: false,
        does: Does::Fold(f, none, reach),
    };
    let product = |call, reach| Case {
        call,
        product: true,
        ints: false,
        words: false,
        does: Does::Fold(|a, b| a.wrapping_mul(b), 1, reach),
    };
    let bits =
        |call, f, none| Case { call, product: false, ints: true, words: false, does: Does::Fold(f, none, Reach::All) };
    let read = |call, f| Case { call, product: false, ints: false, words: false, does: Does::Read(f) };
    let word = |call, f| Case { call, product: false, ints: false, words: true, does: Does::Word(f) };
    vec![
        fold("subgroupAdd(v)", |a, b| a + b, 0, Reach::All),
        fold("subgroupInclusiveAdd(v)", |a, b| a + b, 0, Reach::Inclusive),
        fold("subgroupExclusiveAdd(v)", |a, b| a + b, 0, Reach::Exclusive),
        fold("subgroupMin(v)", i64::min, i64::MAX, Reach::All),
        fold("subgroupMax(v)", i64::max, i64::MIN, Reach::All),
        product("subgroupMul(v)", Reach::All),
        product("subgroupInclusiveMul(v)", Reach::Inclusive),
        product("subgroupExclusiveMul(v)", Reach::Exclusive),
        bits("subgroupAnd(v)", |a, b| a & b, -1),
        bits("subgroupOr(v)", |a, b| a | b, 0),
        bits("subgroupXor(v)", |a, b| a ^ b, 0),
        read("subgroupBroadcastFirst(v)", |_, first| Some(first)),
        read("subgroupBroadcast(v, 5u)", |_, _| Some(5)),
        read("subgroupShuffle(v, (l * 5u + 3u) % 16u)", |l, _| Some((l * 5 + 3) % 16)),
        read("subgroupShuffleXor(v, 6u)", |l, _| Some(l ^ 6)),
        read("subgroupShuffleUp(v, 3u)", |l, _| l.checked_sub(3)),
        read("subgroupShuffleDown(v, 2u)", |l, _| Some(l + 2)),
        read("quadBroadcast(v, 2u)", |l, _| Some(l & !3 | 2)),
        read("quadSwapX(v)", |l, _| Some(l ^ 1)),
        read("quadSwapY(v)", |l, _| Some(l ^ 2)),
        read("quadSwapDiagonal(v)", |l, _| Some(l ^ 3)),
        word("u32(subgroupElect())", |a| (a.i == a.here[0]).into()),
        word("u32(subgroupAny(w == 3u))", |a| a.words().any(|w| w == 3).into()),
        word("u32(subgroupAll(w < 20u))", |a| a.words().all(|w| w < 20).into()),
        word("subgroupBallot(w > 9u).x", |a| a.ballot(0)),
        word("subgroupBallot(w > 9u).y", |a| a.ballot(1)),
        word("subgroupBallot(w > 9u).z", |_| 0),
        word("dot(countOneBits(subgroupBallot(w > 9u)), vec4(1u))", |a| a.words().filter(|&w| w > 9).count() as u32),
        word("countTrailingZeros(subgroupBallot(w > 9u).x)", |a| a.ballot(0).trailing_zeros()),
        word("firstLeadingBit(subgroupBallot(w > 9u).y)", |a| a.ballot(1).checked_ilog2().unwrap_or(u32::MAX)),
        word("s * 1000u + m", |a| a.i / a.size * 1000 + INVOCATIONS.div_ceil(a.size)),
        word("u32(subgroupAll(subgroupAdd(w) > subgroupMax(w) + l))", |a| {
            let (sum, most) = (a.words().sum::<u32>(), a.words().max().unwrap_or(0));
            a.here.iter().all(|i| sum > most + i % a.size).into()
        }),
    ]
}

/// Which lanes are there. A loop that lanes leave one after the other has rounds.
struct Activity {
    name: &'static str,
    open: &'static str,
    close: &'static str,
    rounds: u32,
    /// Of an invocation and its lane, in a round.
    here: fn(i: u32, lane: u32, round: u32) -> bool,
}

const ACTIVITIES: &[Activity] = &[
    Activity { name: "full", open: "", close: "", rounds: 1, here: |_, _, _| true },
    Activity { name: "half", open: "if (l & 1u) == 0u {", close: "}", rounds: 1, here: |_, l, _| l & 1 == 0 },
    Activity {
        name: "else",
        open: "if w > 9u { sizes[i] = n; } else {",
        close: "}",
        rounds: 1,
        here: |i, _, _| data(i) <= 9,
    },
    // The last subgroup that has some is not whole, and behind it none has.
    Activity { name: "the first", open: "if i < 37u {", close: "}", rounds: 1, here: |i, _, _| i < 37 },
    Activity { name: "one lane", open: "if l == 5u {", close: "}", rounds: 1, here: |_, l, _| l == 5 },
    Activity { name: "some", open: "if w % 3u != 1u {", close: "}", rounds: 1, here: |i, _, _| data(i) % 3 != 1 },
    Activity {
        name: "loop with a break",
        open: "for (var k = 0u; k < 4u; k++) { if k > w % 6u { break; }",
        close: "}",
        rounds: 4,
        here: |i, _, round| round <= data(i) % 6,
    },
    Activity {
        name: "loop with continue",
        open: "for (var k = 0u; k < 3u; k++) { if (w + k) % 3u == 1u { continue; }",
        close: "}",
        rounds: 3,
        here: |i, _, round| (data(i) + round) % 3 != 1,
    },
];

/// Sizes of workgroups in one, two and three dimensions.
const SIZES: [&str; 3] = ["80", "16, 5", "5, 4, 4"];

fn program(shape: Shape, cases: &[Case], activity: &Activity, size: &str) -> String {
    // The parser has no lanes where a workgroup has two dimensions.
    let (ids, lane) = if size.contains(',') {
        ("", "let l = i % n; let s = i / n;")
    } else {
        (", @builtin(subgroup_invocation_id) l: u32, @builtin(subgroup_id) s: u32", "")
    };
    let mut body = String::new();
    let per = shape.lanes * cases.len() as u32;
    for (n, c) in cases.iter().enumerate() {
        let v = if c.product { "p" } else { "v" };
        let call = c.call.replacen("(v", &format!("({v}"), 1);
        body += &format!("    let r{n} = {call};\n");
        for k in 0..shape.lanes {
            let part =
                if shape.lanes == 1 { format!("r{n}") } else { format!("r{n}.{}", ["x", "y", "z", "w"][k as usize]) };
            let at = n as u32 * shape.lanes + k;
            body += &format!("    o[i * {per}u + {at}u] = {};\n", shape.stored(&part));
        }
    }
    format!(
        "{}enable subgroups;
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> o: array<u32>;
@group(0) @binding(2) var<storage, read_write> sizes: array<u32>;
@compute @workgroup_size({size}) fn main(@builtin(local_invocation_index) i: u32, @builtin(subgroup_size) n: u32,
    @builtin(num_subgroups) m: u32{ids}) {{
  {lane}
  sizes[i] = n;
  let w = a[i];
  let v = {};
  let p = {};
  {}
{body}  {}
}}",
        if shape.kind == Kind::F16 { "enable f16;\n" } else { "" },
        shape.made(false),
        shape.made(true),
        activity.open,
        activity.close,
    )
}

/// The words of a run for subgroups of `size` lanes; nothing where any value will do.
fn expected(shape: Shape, cases: &[Case], activity: &Activity, size: u32) -> Vec<Option<u32>> {
    let per = shape.lanes * cases.len() as u32;
    let mut out = vec![Some(UNTOUCHED); (INVOCATIONS * per) as usize];
    for round in 0..activity.rounds {
        for base in (0..INVOCATIONS).step_by(size as usize) {
            let all = base..INVOCATIONS.min(base + size);
            let here: Vec<u32> = all.filter(|&i| (activity.here)(i, i - base, round)).collect();
            for &i in &here {
                for (n, c) in cases.iter().enumerate() {
                    for k in 0..shape.lanes {
                        let number = |i: u32| shape.number(i, k, c.product);
                        let word = match c.does {
                            Does::Word(f) => Some(f(&At { i, size, here: &here })),
                            Does::Read(f) => f(i - base, here[0] - base)
                                .map(|l| l + base)
                                .filter(|j| here.contains(j))
                                .map(|j| shape.word(number(j))),
                            Does::Fold(f, none, reach) => {
                                let mut got = here
                                    .iter()
                                    .filter(|&&j| reach == Reach::All || j < i || reach == Reach::Inclusive && j == i)
                                    .map(|&j| number(j))
                                    .fold(none, |x, y| {
                                        if c.product && shape.kind == Kind::U32 {
                                            i64::from((x as u32).wrapping_mul(y as u32))
                                        } else {
                                            f(x, y)
                                        }
                                    });
                                if c.ints && shape.kind == Kind::U32 {
                                    got &= 0xffff_ffff;
                                }
                                Some(shape.word(got))
                            }
                        };
                        out[(i * per + n as u32 * shape.lanes + k) as usize] = word;
                    }
                }
            }
        }
    }
    out
}

/// Runs a program; nothing if it was refused, which is noted.
fn run(
    module: &Module,
    target: Option<Target>,
    (level, seed): (u8, Option<u64>),
    words: usize,
    (refused, name): (&Refused, &str),
) -> Result<Option<(u32, Vec<u32>)>, String> {
    let a: Vec<u32> = (0..INVOCATIONS).map(data).collect();
    let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &a).with_u32(0, 1, &vec![UNTOUCHED; words]);
    d = d.with_u32(0, 2, &vec![0; INVOCATIONS as usize]);
    let options = RunOptions { perturb: seed, ..RunOptions::default() };
    let codegen = CodegenOptions { opt_level: level, verify: true, ..CodegenOptions::default() };
    let on = target.map_or(On::Interp, exec::on);
    match exec::run(module, "main", on, &codegen, &mut d, &options) {
        Ok(_) => {}
        Err(Problem::Refused(codes, _)) if target.is_some() => {
            target.inspect(|&t| refused.note(t, name, &codes));
            return Ok(None);
        }
        Err(p) => return Err(p.to_string()),
    }
    let sizes = d.words(0, 2).unwrap_or_default();
    if sizes.iter().any(|&n| n != sizes[0]) {
        return Err(format!("sizes {sizes:?}"));
    }
    Ok(Some((sizes[0], d.words(0, 1).unwrap_or_default())))
}

/// A chip that has room for few operations.
const SMALL: &str = "vivante:gc2000";

/// The oracle, and all targets with room for all operations at once.
fn places() -> Vec<Option<Target>> {
    let large = exec::targets("all:all").into_iter().filter(|t| t.to_string() != SMALL);
    std::iter::once(None).chain(large.map(Some)).collect()
}

fn shapes() -> Vec<Shape> {
    let of = |kind, lanes| Shape { kind, lanes };
    vec![
        of(Kind::U32, 1),
        of(Kind::I32, 1),
        of(Kind::F32, 1),
        of(Kind::F16, 1),
        of(Kind::F32, 3),
        of(Kind::I32, 2),
        of(Kind::U32, 4),
        of(Kind::F16, 2),
    ]
}

/// A few cases on gc2000, which has room for 512 instructions.
fn small(shape: Shape, cases: &[Case], activity: &Activity, dims: &str, refused: &Refused) -> Vec<String> {
    let Some(target) = exec::targets("all:all").into_iter().find(|t| t.to_string() == SMALL) else { return Vec::new() };
    let text = program(shape, cases, activity, dims);
    let module = exec::lower(&text, "main", &[]).unwrap_or_else(|p| panic!("{p}\n{text}"));
    let words = INVOCATIONS as usize * shape.lanes as usize * cases.len();
    let name = format!("small, {}, {}: {}", activity.name, shape.name(), cases[0].call);
    let one = |level| match run(&module, Some(target), (level, None), words, (refused, &name)) {
        Ok(Some((size, got))) => {
            let want = expected(shape, cases, activity, size);
            let wrong = got.iter().zip(&want).position(|(g, w)| w.is_some_and(|w| w != *g))?;
            Some(format!("gc2000 -O{level}, {}: word {wrong} of `{}`", shape.name(), cases[0].call))
        }
        Ok(None) => None,
        Err(p) => Some(format!("gc2000 -O{level}, {}: `{}`: {p}", shape.name(), cases[0].call)),
    };
    [0, 2].into_iter().filter_map(one).collect()
}

/// The expected refusals, of two runs each.
const REFUSED: &[Row] = &[Row { target: "vivante:gc2000", program: "small, *", code: Refusal::ProgramSize, runs: 14 }];

#[test]
fn each_op_of_each_type_where_lanes_are_missing() {
    let all = std::env::var_os("GPUCC_SUBGROUP_OPS").is_some();
    let shapes = shapes().into_iter().enumerate();
    let jobs: Vec<_> =
        shapes.flat_map(|(n, s)| ACTIVITIES.iter().enumerate().map(move |(k, a)| (n + k, s, a))).collect();
    let refused = Refused::default();
    let mut failures: Vec<String> = jobs
        .par_iter()
        .flat_map_iter(|&(nk, shape, activity)| {
            let name = format!("{}, {}", activity.name, shape.name());
            let mut cases = cases();
            let mut failures = Vec::new();
            cases.retain(|c| !c.ints || matches!(shape.kind, Kind::U32 | Kind::I32));
            cases.retain(|c| !c.words || shape.kind == Kind::U32 && shape.lanes == 1);
            if shape.lanes > 1 && !all {
                let mut n = nk;
                cases.retain(|_| {
                    n += 1;
                    n.is_multiple_of(3)
                });
            }
            let dims = SIZES[nk % 3];
            let few = if shape.lanes > 1 || shape.kind == Kind::F16 { 1 } else { 2 };
            cases.chunks(few).for_each(|cases| failures.extend(small(shape, cases, activity, dims, &refused)));
            let text = program(shape, &cases, activity, dims);
            let module = exec::lower(&text, "main", &[]).unwrap_or_else(|p| panic!("{p}\n{text}"));
            let words = INVOCATIONS as usize * shape.lanes as usize * cases.len();
            for place in places() {
                for (level, seed) in [(0, None), (2, Some(3))] {
                    let at = place.map_or("interp".into(), |t| t.to_string());
                    let at = format!("{at} -O{level} {seed:?}, {} {}", shape.name(), activity.name);
                    let (size, got) = match run(&module, place, (level, seed), words, (&refused, &name)) {
                        Ok(Some(got)) => got,
                        Ok(None) => continue,
                        Err(p) => {
                            failures.push(format!("{at}: {p}"));
                            continue;
                        }
                    };
                    let want = expected(shape, &cases, activity, size);
                    let wrong = got.iter().zip(&want).position(|(g, w)| w.is_some_and(|w| w != *g));
                    if let Some(k) = wrong {
                        let per = cases.len() * shape.lanes as usize;
                        let case = &cases[k % per / shape.lanes as usize];
                        failures.push(format!(
                            "{at}: `{}` in invocation {}: {:#x}, expected {:#x?}",
                            case.call,
                            k / per,
                            got[k],
                            want[k]
                        ));
                    }
                }
            }
            failures
        })
        .collect();
    failures.extend(refused.differs(REFUSED, !all));
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures[..failures.len().min(400)].join("\n"));
}

/// No target loses what it has.
#[test]
fn those_that_have_them() {
    for t in exec::targets("all:all") {
        assert!(!predict::documented_in(exec::on(t), Stage::Compute, Refusal::Subgroups), "{t}");
    }
}

/// Vertices and fragments ask for the size of their subgroup and their lane: it compiles, or it is refused by its code.
#[test]
fn lanes_of_draws_are_there_or_refused() {
    let lanes = "@builtin(subgroup_size) n: u32, @builtin(subgroup_invocation_id) l: u32";
    let fragment = format!(
        "enable subgroups; @fragment fn main({lanes}) -> @location(0) vec4<u32> {{ return vec4(n, l, 1, 2); }}"
    );
    let module = exec::lower(&fragment, "main", &[]).unwrap_or_else(|p| panic!("{p}"));
    for target in exec::targets("all:all") {
        let got = gpucc::compile(&module, &gpucc::Options::new(target)).map_err(|d| d.refusal());
        assert!(matches!(got, Ok(_) | Err(Some(Refusal::SubgroupLanes))), "{target}: {got:?}");
    }
}
