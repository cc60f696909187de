//! Vectors that are loaded and stored with their lanes moved, in programs that do nothing else: what is expected is the list of
//! lanes, on every machine at every level.

use gpucc::{CodegenOptions, Target};
use gpucc_ir::Module;
use gpucc_sim::{Dispatch, RunOptions};
use gpucc_tests::exec::{self};
use rayon::prelude::*;

/// Words of each buffer.
const WORDS: usize = 16;

/// Lists of `n` of `from` lanes: all of them where they are few; of four lanes all orders and some others.
fn lists(from: usize, n: usize) -> Vec<Vec<usize>> {
    let all = (0..from.pow(n as u32)).map(|k| (0..n).map(|i| k / from.pow(i as u32) % from).collect::<Vec<_>>());
    let distinct = |l: &Vec<usize>| (0..from).all(|k| l.contains(&k));
    let some = [[0, 0, 1, 1], [3, 3, 3, 3], [2, 0, 0, 1]];
    all.filter(|l| n < 4 && from.pow(n as u32) < 64 || distinct(l) || some.iter().any(|s| s[..n] == l[..])).collect()
}

fn names(list: &[usize], names: &str) -> String {
    list.iter().filter_map(|&k| names.chars().nth(k)).collect()
}

/// Vectors of three lie as far from each other as those of four.
fn stride(n: usize) -> usize {
    if n == 3 { 4 } else { n }
}

/// A program, what it makes of `a`, and of `o`.
struct Case {
    body: String,
    invocations: u32,
    from: usize,
    to: usize,
    a: Vec<u32>,
    o: Vec<u32>,
}

/// Words that are floats of their own too.
fn before() -> (Vec<u32>, Vec<u32>) {
    let words = |first: u32| (0..WORDS as u32).map(|k| ((first + k) as f32).to_bits()).collect();
    (words(1), words(100))
}

fn cases() -> Vec<Case> {
    let mut out = Vec::new();
    for (from, to) in (2..=4).flat_map(|f| (2..=4).map(move |t| (f, t))) {
        for list in lists(from, to) {
            let lanes = names(&list, if list[0] % 2 == 0 { "rgba" } else { "xyzw" });
            let (a, mut o) = before();
            list.iter().enumerate().for_each(|(i, &k)| o[i] = a[k]);
            out.push(Case { body: format!("o[0] = a[0].{lanes};"), invocations: 1, from, to, a: a.clone(), o });
            // From one invocation's vector to another's place.
            let (a, mut o) = before();
            for id in 0..2 {
                list.iter().enumerate().for_each(|(i, &k)| o[(1 - id) * stride(to) + i] = a[id * stride(from) + k]);
            }
            out.push(Case { body: format!("o[1u - i] = a[i].{lanes};"), invocations: 2, from, to, a, o });
            if from == to {
                let (mut a, o) = before();
                for (i, &k) in list.iter().enumerate() {
                    a[stride(from) + i] = a[k];
                }
                out.push(Case { body: format!("a[1] = a[0].{lanes};"), invocations: 1, from, to, a, o });
            }
        }
    }
    out
}

/// The shader of a case, and what the frontend makes of it.
fn lower(c: &Case, scalar: &str) -> (String, Module) {
    let wgsl = format!(
        "@group(0) @binding(0) var<storage, read_write> a: array<vec{}<{scalar}>>;
         @group(0) @binding(1) var<storage, read_write> o: array<vec{}<{scalar}>>;
         @compute @workgroup_size({}) fn main(@builtin(local_invocation_index) i: u32) {{ {} }}",
        c.from, c.to, c.invocations, c.body
    );
    let module = exec::lower(&wgsl, "main", &[]).unwrap_or_else(|p| panic!("{p}\n{wgsl}"));
    (wgsl, module)
}

fn differs(c: &Case, (wgsl, module): &(String, Module), target: Target, opt_level: u8) -> Option<String> {
    let (a, o) = before();
    let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &a).with_u32(0, 1, &o);
    let codegen = CodegenOptions { opt_level, verify: true, ..CodegenOptions::default() };
    if let Err(p) = exec::run(module, "main", exec::on(target), &codegen, &mut d, &RunOptions::default()) {
        return Some(format!("{target} -O{opt_level}: {p}\n{wgsl}"));
    }
    let got = (d.words(0, 0).unwrap_or_default(), d.words(0, 1).unwrap_or_default());
    (got.0 != c.a || got.1 != c.o)
        .then(|| format!("{target} -O{opt_level}: {got:?}, expected {:?}\n{wgsl}", (&c.a, &c.o)))
}

#[test]
fn lanes_arrive_where_they_are_stored() {
    let targets = exec::targets("all");
    let cases = cases();
    for (part, from) in [("o[0] = a[0].rg;", 3), ("a[1] = a[0].wzyx;", 4)] {
        assert!(cases.iter().any(|c| c.body.contains(part) && c.from == from), "`{part}` of {from} lanes");
    }
    let failures: Vec<String> = cases
        .par_iter()
        .enumerate()
        .flat_map_iter(|(k, c)| {
            let scalar = ["u32", "f32"][k / 3 % 2];
            let shader = lower(c, scalar);
            let all = targets.iter().flat_map(|&t| (0..4).map(move |l| (t, l)));
            all.filter_map(|(t, l)| differs(c, &shader, t, l)).collect::<Vec<_>>()
        })
        .collect();
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures[..failures.len().min(3)].join("\n"));
}
