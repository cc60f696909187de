//! Programs as people write them with subgroup operations: equal on the oracle and on every machine to what is computed here,
//! for each size of subgroup, and whatever memory and registers start with.

use gpucc::{CodegenOptions, Target};
use gpucc_ir::Module;
use gpucc_kit::exec::Problem;
use gpucc_sim::{Dispatch, RunOptions};
use gpucc_tests::exec::{self, On};
use rayon::prelude::*;

use crate::house::refused::{Refused, Row};

/// Invocations of a workgroup.
const N: usize = 256;

fn data() -> Vec<u32> {
    (0..N as u32).map(|i| (i * 73 + i * i % 37) % 251).collect()
}

/// Expected words of results.
enum Want {
    Words(Vec<u32>),
    /// Floats, to so many parts of their size.
    Floats(Vec<f32>, f32),
}

struct Program {
    name: &'static str,
    /// Declarations in front of the body.
    memory: &'static str,
    body: &'static str,
    /// For subgroups of this size.
    want: fn(size: usize, a: &[u32]) -> Want,
}

/// Source of the lane number and of the number of the subgroup in its workgroup.
const HEAD: &str = "enable subgroups;
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> o: array<u32>;
@group(0) @binding(2) var<storage, read_write> size: array<u32>;
";

fn text(p: &Program) -> String {
    format!(
        "{HEAD}{}
@compute @workgroup_size({N}) fn main(@builtin(local_invocation_index) i: u32, @builtin(subgroup_size) n: u32,
    @builtin(subgroup_invocation_id) l: u32) {{
  let group = i / n;
  let groups = {N}u / n;
  if i == 0u {{ size[0] = n; }}
{}
}}",
        p.memory, p.body
    )
}

fn scanned(v: &[u32]) -> Vec<u32> {
    v.iter().scan(0, |sum, &x| Some(std::mem::replace(sum, *sum + x))).collect()
}

fn floats(a: &[u32]) -> Vec<f64> {
    a.iter().map(|&x| f64::from(x) / 16.0).collect()
}

fn programs() -> Vec<Program> {
    sums().into_iter().chain(others()).collect()
}

/// The first five of the ten.
fn sums() -> Vec<Program> {
    vec![
        Program {
            name: "reduction",
            memory: "var<workgroup> part: array<u32, 256>;",
            body: "  let sum = subgroupAdd(a[i]);
  if l == 0u { part[group] = sum; }
  workgroupBarrier();
  var all = 0u;
  for (var k = 0u; k < groups; k++) { all += part[k]; }
  o[i] = all;",
            want: |_, a| Want::Words(vec![a.iter().sum(); N]),
        },
        Program {
            name: "scan",
            memory: "var<workgroup> part: array<u32, 256>;",
            body: "  let v = a[i];
  let before = subgroupExclusiveAdd(v);
  if l == n - 1u { part[group] = before + v; }
  workgroupBarrier();
  var base = 0u;
  for (var k = 0u; k < group; k++) { base += part[k]; }
  o[i] = base + before;",
            want: |_, a| Want::Words(scanned(a)),
        },
        Program {
            name: "compaction",
            memory: "var<workgroup> part: array<u32, 256>;
fn below(mask: vec4<u32>, l: u32) -> u32 {
  let bits = (1u << (l & 31u)) - 1u;
  if l < 32u { return countOneBits(mask.x & bits); }
  return countOneBits(mask.x) + countOneBits(mask.y & bits);
}",
            body: "  let v = a[i];
  let keep = v % 3u == 0u;
  let mask = subgroupBallot(keep);
  if l == 0u { part[group] = countOneBits(mask.x) + countOneBits(mask.y); }
  workgroupBarrier();
  var base = 0u;
  for (var k = 0u; k < group; k++) { base += part[k]; }
  if keep { o[base + below(mask, l)] = v; }",
            want: |_, a| {
                let mut kept: Vec<u32> = a.iter().copied().filter(|v| v % 3 == 0).collect();
                kept.resize(N, 0);
                Want::Words(kept)
            },
        },
        Program {
            name: "histogram",
            memory: "var<workgroup> part: array<array<u32, 16>, 64>;",
            body: "  let bin = a[i] % 16u;
  for (var b = 0u; b < 16u; b++) {
    let mask = countOneBits(subgroupBallot(bin == b));
    if l == b % n { part[group][b] = mask.x + mask.y + mask.z + mask.w; }
  }
  workgroupBarrier();
  if i < 16u {
    var sum = 0u;
    for (var k = 0u; k < groups; k++) { sum += part[k][i]; }
    o[i] = sum;
  }",
            want: |_, a| {
                let mut bins = vec![0; N];
                a.iter().for_each(|v| bins[(v % 16) as usize] += 1);
                Want::Words(bins)
            },
        },
        Program {
            name: "matrix times vector",
            memory: "",
            body: "  for (var row = group; row < 8u; row += groups) {
    var sum = 0.0;
    for (var c = l; c < 64u; c += n) { sum += f32(a[(row * 29u + c) % 256u]) * f32(a[c * 3u]); }
    let whole = subgroupAdd(sum);
    if l == 0u { o[row] = u32(whole); }
  }",
            want: |_, a| {
                let row = |r: usize| (0..64).map(|c| a[(r * 29 + c) % N] * a[c * 3]).sum();
                let mut out: Vec<u32> = (0..8).map(row).collect();
                out.resize(N, 0);
                Want::Words(out)
            },
        },
    ]
}

fn others() -> Vec<Program> {
    vec![
        Program {
            name: "radix sort",
            memory: "var<workgroup> part: array<u32, 256>;
var<workgroup> keys: array<u32, 256>;",
            body: "  var v = a[i];
  for (var bit = 0u; bit < 8u; bit++) {
    let one = (v >> bit) & 1u;
    let before = subgroupExclusiveAdd(one);
    if l == n - 1u { part[group] = before + one; }
    workgroupBarrier();
    var ones = before;
    var all = 0u;
    for (var k = 0u; k < groups; k++) { ones += select(0u, part[k], k < group); all += part[k]; }
    keys[select(i - ones, 256u - all + ones, one == 1u)] = v;
    workgroupBarrier();
    v = keys[i];
    workgroupBarrier();
  }
  o[i] = v;",
            want: |_, a| {
                let mut sorted = a.to_vec();
                sorted.sort_unstable();
                Want::Words(sorted)
            },
        },
        Program {
            name: "soft-max",
            memory: "var<workgroup> most: array<f32, 256>;
var<workgroup> sums: array<f32, 256>;",
            body: "  let v = f32(a[i]) / 16.0;
  let top = subgroupMax(v);
  if l == 0u { most[group] = top; }
  workgroupBarrier();
  var m = most[0];
  for (var k = 1u; k < groups; k++) { m = max(m, most[k]); }
  let e = exp(v - m);
  let sum = subgroupAdd(e);
  if l == 0u { sums[group] = sum; }
  workgroupBarrier();
  var s = 0.0;
  for (var k = 0u; k < groups; k++) { s += sums[k]; }
  o[i] = bitcast<u32>(e / s);",
            want: |_, a| {
                let v = floats(a);
                let most = v.iter().copied().fold(0.0, f64::max);
                let e: Vec<f64> = v.iter().map(|x| (x - most).exp()).collect();
                let sum: f64 = e.iter().sum();
                Want::Floats(e.iter().map(|x| (x / sum) as f32).collect(), 1e-4)
            },
        },
        Program {
            name: "RMS norm",
            memory: "var<workgroup> sums: array<f32, 256>;",
            body: "  let v = f32(a[i]) / 16.0;
  let sum = subgroupAdd(v * v);
  if l == 0u { sums[group] = sum; }
  workgroupBarrier();
  var s = 0.0;
  for (var k = 0u; k < groups; k++) { s += sums[k]; }
  o[i] = bitcast<u32>(v * inverseSqrt(s / 256.0 + 0.00001));",
            want: |_, a| {
                let v = floats(a);
                let mean = v.iter().map(|x| x * x).sum::<f64>() / N as f64;
                Want::Floats(v.iter().map(|x| (x / (mean + 1e-5).sqrt()) as f32).collect(), 1e-5)
            },
        },
        Program {
            name: "the five greatest",
            memory: "",
            body: "  var left = true;
  let v = a[i];
  let most = min(5u, n);
  for (var k = 0u; k < most; k++) {
    let top = subgroupMax(select(0u, v + 1u, left));
    let rank = subgroupExclusiveAdd(select(0u, 1u, left && v + 1u == top));
    if left && v + 1u == top && rank == 0u {
      left = false;
      o[group * most + k] = v;
    }
  }",
            want: |size, a| {
                let mut out = Vec::new();
                for part in a.chunks(size) {
                    let mut part = part.to_vec();
                    part.sort_unstable_by(|x, y| y.cmp(x));
                    out.extend(&part[..size.min(5)]);
                }
                out.resize(N, 0);
                Want::Words(out)
            },
        },
        Program {
            name: "bitonic sort",
            memory: "",
            body: "  var v = a[i];
  for (var k = 2u; k <= n; k *= 2u) {
    for (var j = k / 2u; j > 0u; j /= 2u) {
      let other = subgroupShuffle(v, l ^ j);
      let up = (l & k) == 0u;
      let first = (l & j) == 0u;
      v = select(max(v, other), min(v, other), up == first);
    }
  }
  o[i] = v;",
            want: |size, a| {
                let mut out = a.to_vec();
                out.chunks_mut(size).for_each(<[u32]>::sort_unstable);
                Want::Words(out)
            },
        },
    ]
}

fn holds(want: &Want, got: &[u32]) -> Result<(), String> {
    let wrong = match want {
        Want::Words(w) => got.iter().zip(w).position(|(g, w)| g != w),
        Want::Floats(w, part) => {
            // NaN is near nothing.
            let near = |g: u32, w: f32| (f32::from_bits(g) - w).abs() <= part * w.abs().max(1e-30);
            got.iter().zip(w).position(|(&g, &w)| !near(g, w))
        }
    };
    wrong.map_or(Ok(()), |k| {
        Err(match want {
            Want::Words(w) => format!("word {k} is {}, not {}", got[k], w[k]),
            Want::Floats(w, _) => format!("word {k} is {}, not {}", f32::from_bits(got[k]), w[k]),
        })
    })
}

fn run(
    p: &Program,
    module: &Module,
    target: Option<Target>,
    (level, seed): (u8, Option<u64>),
    refused: &Refused,
) -> Result<(), String> {
    let a = data();
    let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &a).with_u32(0, 1, &[0; N]).with_u32(0, 2, &[0]);
    let options = RunOptions { perturb: seed, ..RunOptions::default() };
    let codegen = CodegenOptions { opt_level: level, verify: true, ..CodegenOptions::default() };
    let on = target.map_or(On::Interp, exec::on);
    let ran = match target {
        Some(t) => exec::run_judged(module, "main", t, &codegen, &mut d, &options),
        None => exec::run(module, "main", on, &codegen, &mut d, &options),
    };
    match ran {
        Ok(_) => {}
        Err(Problem::Refused(codes, _)) if target.is_some() => {
            target.inspect(|&t| refused.note(t, p.name, &codes));
            return Ok(());
        }
        Err(p) => return Err(p.to_string()),
    }
    let size = d.words(0, 2).unwrap_or_default()[0] as usize;
    holds(&(p.want)(size, &a), &d.words(0, 1).unwrap_or_default())
}

/// The expected refusals, of five runs each.
const REFUSED: &[Row] = &[];

#[test]
fn ten_programs_on_every_machine() {
    let programs = programs();
    assert_eq!(programs.len(), 10);
    let places = std::iter::once(None).chain(exec::targets("all:all").into_iter().map(Some));
    let refused = Refused::default();
    let jobs: Vec<_> = places.flat_map(|t| programs.iter().map(move |p| (t, p))).collect();
    let mut failures: Vec<String> = jobs
        .par_iter()
        .flat_map_iter(|&(target, p)| {
            let text = text(p);
            let module = exec::lower(&text, "main", &[]).unwrap_or_else(|e| panic!("{}: {e}\n{text}", p.name));
            let each = [(0, None), (2, None), (2, Some(1)), (2, Some(2)), (2, Some(3))];
            let at = target.map_or("interp".into(), |t| t.to_string());
            each.into_iter()
                .filter_map(|how| {
                    let stop = run(p, &module, target, how, &refused).err()?;
                    Some(format!("{} on {at} -O{} {:?}: {stop}", p.name, how.0, how.1))
                })
                .collect::<Vec<_>>()
        })
        .collect();
    failures.extend(refused.differs(REFUSED, true));
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures[..failures.len().min(400)].join("\n"));
}
