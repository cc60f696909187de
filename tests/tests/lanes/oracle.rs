//! Tests of the comparisons of `--oracle` and `--verify` on programs with operations between lanes: all that the program decides. The value of
//! a lane that does not take part is open, and so is the order in which floats are added; the size of subgroups is not.

use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc::{Options, Target};
use gpucc_machines::{Compared, Verdict, judge};
use gpucc_sim::{Dispatch, RunOptions};
use gpucc_tests::exec;

/// Runs a program, changes the words of its results, and asks the oracle.
fn judged(
    source: &str,
    before: &Dispatch,
    target: Target,
    seed: Option<u64>,
    change: impl Fn(usize, u32) -> u32,
) -> Result<Compared, Verdict> {
    let loaded = frontend::load(source.as_bytes(), Lang::Wgsl, &FrontOptions::default());
    let module = loaded.unwrap_or_else(|l| panic!("{}\n{source}", l[0])).module;
    let artifact = gpucc::compile_entry(&module, "main", &Options::new(target)).unwrap_or_else(|e| panic!("{e}"));
    let options = RunOptions { perturb: seed, ..RunOptions::default() };
    let mut d = before.clone();
    gpucc_machines::run(artifact.container(), Some("main"), &mut d, &options)
        .unwrap_or_else(|t| panic!("{target}: {t}"));
    let n = d.index_of(0, 1).expect("the results");
    for (k, word) in d.buffers[n].bytes.chunks_mut(4).enumerate() {
        let old = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
        word.copy_from_slice(&change(k, old).to_le_bytes());
    }
    let place = (target.family(), target.generation_index());
    judge((&module, &artifact.outputs()[0].ir), "main", place, before, &d, &options)
}

const HEAD: &str = "enable subgroups;
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> o: array<u32>;
@group(0) @binding(1) var<storage, read_write> floats: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32, @builtin(subgroup_invocation_id) l: u32) {\n";

fn before(words: usize) -> Dispatch {
    let a: Vec<u32> = (0..64).map(|i| i * 37 + 5).collect();
    Dispatch::new([1; 3]).with_u32(0, 0, &a).with_u32(0, 1, &vec![0; words])
}

/// Lanes read others that do not take part: the words that show it are left out, and no others. In the third row and the fourth nothing shows:
/// values are chosen away, or the same whatever they are.
#[test]
fn absent_lanes_decide_nothing_else() {
    let source = format!(
        "{HEAD}  o[i] = a[i] + 1u;
  if (l & 1u) == 0u {{
    let x = a[i] * 3u + l;
    let there = ((subgroupBallot(true).x >> 1u) & 1u) == 1u;
    let y = subgroupBroadcast(x, 1u) + 1u;
    o[64u + i] = subgroupShuffleXor(x, 1u);
    o[128u + i] = select(7u, y, there);
    o[192u + i] = subgroupShuffleDown(x, 3u) & 0u;
    o[256u + i] = subgroupAdd(x);
  }}
}}"
    );
    let before = before(320);
    for target in exec::targets("all:all") {
        let whole = judged(&source, &before, target, None, |_, w| w).unwrap_or_else(|v| panic!("{target}: {v}"));
        assert!(whole.exact && whole.absent <= 32 && whole.ordered == 0 && !whole.is_nothing(), "{target}: {whole}");
        let plain = judged(&source, &before, target, Some(1), |_, w| w).unwrap_or_else(|v| panic!("{target}: {v}"));
        assert_eq!((plain.absent, plain.ordered), (32, 0), "{target}: {plain}");
        // A wrong word takes many runs of the oracle.
        let words = if target.generation_index() == 0 { &[3, 64, 65, 128, 192, 318][..] } else { &[64] };
        for &word in words {
            let open = (64..128).contains(&word) && word % 2 == 0;
            let found = judged(&source, &before, target, Some(1), |k, w| w ^ u32::from(k == word) << 5);
            assert_eq!(found.is_ok(), open, "{target} word {word}");
        }
        let found = judged(&source, &before, target, None, |k, w| w ^ u32::from(k == 129) << 5);
        assert!(matches!(found, Err(Verdict::Profile(_))), "{target}");
    }
}

/// Where an absent lane decides a branch, and a store through an index, that is no difference either.
#[test]
fn absent_lanes_may_lead_anywhere() {
    let source = format!(
        "{HEAD}  if l % 4u < 3u {{
    let y = subgroupShuffleXor(a[i], 3u);
    if y % 2u == 0u {{ o[i] = 5u; }}
    for (var k = 0u; k < y % 8u; k++) {{ o[64u + i] += y; }}
    o[128u + (y + i) % 64u] = 1u;
  }}
}}"
    );
    let module = exec::lower(&source, "main", &[]).unwrap_or_else(|p| panic!("{p}"));
    for target in exec::targets("all:all") {
        let artifact = gpucc::compile_entry(&module, "main", &Options::new(target)).unwrap_or_else(|e| panic!("{e}"));
        let done = gpucc_verify::verify(&module, &artifact, target, &gpucc_verify::InputOverrides::default());
        done.unwrap_or_else(|d| panic!("{d}"));
    }
}

/// A wrong result is found, whatever the size of subgroups would make of it elsewhere.
#[test]
fn sums_are_compared() {
    let source = format!("{HEAD}  o[i] = subgroupAdd(a[i]) + l; }}");
    let before = before(64);
    for target in exec::targets("all") {
        for seed in [None, Some(1)] {
            let whole = judged(&source, &before, target, seed, |_, w| w).unwrap_or_else(|v| panic!("{target}: {v}"));
            assert!(whole.ordered == 0 && whole.absent == 0, "{target}: {whole}");
            let wrong = judged(&source, &before, target, seed, |k, w| w.wrapping_sub((k == 17).into()));
            assert!(wrong.is_err(), "{target} {seed:?}: {wrong:?}");
        }
    }
}

/// Sums of floats may be added in any order: of the first four lanes the order that the IR states is exact, others round. What no order
/// gives is wrong.
#[test]
fn floats_are_added_in_any_order() {
    let large = [("f32", "16777216.0", "-16776192.0"), ("f16", "2048.0h", "-1024.0h")];
    for (ty, most, least) in large {
        for call in ["subgroupAdd(x)", "subgroupInclusiveAdd(x)", "subgroupExclusiveAdd(x)"] {
            let f16 = if ty == "f16" { "enable f16; " } else { "" };
            let source = format!(
                "{f16}{HEAD}  var x = {ty}(0.0);
  if l == 0u {{ x = {most}; }}
  if l == 1u {{ x = {least}; }}
  if l == 2u {{ x = {ty}(1.0); }}
  floats[i] = f32({call}); }}"
            );
            let before = before(64);
            // The fourth lane has the sum of those before it.
            let off =
                |by: f32| move |k: usize, w: u32| if k % 64 == 3 { (f32::from_bits(w) - by).to_bits() } else { w };
            for target in exec::targets("all") {
                let judged = |by: f32| judged(&source, &before, target, Some(1), off(by));
                let whole = judged(0.0).unwrap_or_else(|v| panic!("{target}: {v}"));
                assert_eq!((whole.chaotic, whole.ordered, whole.free), (0, 0, 0), "{target}: {whole}");
                judged(1.0).unwrap_or_else(|v| panic!("{target} {ty} {call}: the one is rounded away: {v}"));
                let lost = judged(1024.0);
                assert!(matches!(lost, Err(Verdict::Accuracy(_))), "{target} {ty} {call}: {lost:?}");
            }
        }
    }
}

/// Where every order gives the same, any other sum is wrong; and an order rounds no more than its steps do.
#[test]
fn a_missing_addend_is_wrong() {
    for (value, by) in [("f32(a[i])", 1.0), ("f32(a[i]) * 0.1", 0.5)] {
        let source = format!("{HEAD}  floats[i] = subgroupAdd({value}); }}");
        let before = before(64);
        for target in exec::targets("all") {
            let off = |k: usize, w: u32| if k == 40 { (f32::from_bits(w) - by).to_bits() } else { w };
            let wrong = judged(&source, &before, target, Some(1), off);
            assert!(matches!(wrong, Err(Verdict::Accuracy(_))), "{target} {value}: {wrong:?}");
        }
    }
}
