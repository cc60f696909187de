//! A dispatch is the same on any number of cores: its bytes, counts, traps.

use gpucc_device::Place;
use gpucc_interp::Profile;
use gpucc_sim::{Dispatch, Overlap, Races, RunOptions, RunReport, Trap, TrapKind, cores};

use crate::kit::{compute, places};

/// Work that costs many steps and gives a number that nobody else gives.
const BUSY: &str = "
fn busy(first: u32, turns: u32) -> u32 {
    var x = first;
    for (var i = 0u; i < turns; i++) { x = x * 1664525u + 1013904223u; }
    return x;
}";

/// The same, here.
fn busy(first: u32, turns: u32) -> u32 {
    (0..turns).fold(first, |x, _| x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223))
}

/// What a dispatch left and said.
type Ended = (Result<RunReport, Trap>, Dispatch);

/// Runs a dispatch on 1, 2, 3 and 8 cores of each place, which has to end alike; gives the places with what they left. `spreads` says whether
/// the workgroups of a machine may be apart.
fn alike(text: &str, before: &Dispatch, spreads: bool, options: &RunOptions) -> Vec<(Place, Ended)> {
    alike_on(&[2, 3, 8], text, before, spreads, options)
}

/// The same on these numbers of cores beside 1.
fn alike_on(all: &[usize], text: &str, before: &Dispatch, spreads: bool, options: &RunOptions) -> Vec<(Place, Ended)> {
    let text = format!("{BUSY}{text}");
    let on = |place: Place| {
        let pipeline = compute(&text, place);
        let run = |cores: usize| {
            let (mut d, options) = (before.clone(), RunOptions { cores, ..options.clone() });
            let spread = cores::spread();
            let result = pipeline.program().code().dispatch(None, &mut d, (&options, &Profile::default()));
            ((result, d), cores::spread() - spread)
        };
        let (one, never) = run(1);
        assert_eq!(never, 0, "{place}: one core");
        for &cores in all {
            let (own, spread) = run(cores);
            assert!(own == one, "{place} on {cores} cores: {:?}, on one {:?}", own.0, one.0);
            let machine = matches!(place, Place::Target(..));
            assert_eq!(spread, u64::from(spreads && machine), "{place} on {cores} cores");
        }
        (place, one)
    };
    places().into_iter().map(on).collect()
}

/// Options that look for no races.
fn quiet() -> RunOptions {
    RunOptions { races: Races::Off, ..RunOptions::default() }
}

const SAXPY: &str = "
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
    y[id.x] = 3u * busy(x[id.x], 300u) + y[id.x];
}";

fn saxpy() -> Dispatch {
    let n = 64 * 64;
    let (x, y): (Vec<u32>, Vec<u32>) = ((0..n).map(|i| i * i).collect(), (0..n).map(|i| 7 * i).collect());
    Dispatch::new([16, 4, 1]).with_u32(0, 0, &x).with_u32(0, 1, &y)
}

#[test]
fn workgroups_that_change_their_own_words_are_spread() {
    let text = SAXPY.replace(
        "fn main(@builtin(global_invocation_id) id: vec3u) {",
        "
        fn main(@builtin(workgroup_id) w: vec3u, @builtin(local_invocation_index) l: u32) {
            let id = vec3u((w.x + 16u * w.y) * 64u + l, 0u, 0u);",
    );
    // Races are looked for, too.
    for options in [quiet(), RunOptions::default()] {
        for (place, (result, d)) in alike(&text, &saxpy(), true, &options) {
            assert!(result.is_ok(), "{place}: {result:?}");
            let expected: Vec<u32> =
                (0..64 * 64).map(|i: u32| busy(i * i, 300).wrapping_mul(3).wrapping_add(7 * i)).collect();
            assert!(d.words(0, 1) == Some(expected), "{place}");
        }
    }
}

#[test]
fn a_product_in_tiles_is_spread() {
    let text = "
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
var<workgroup> ta: array<f32, 256>;
var<workgroup> tb: array<f32, 256>;
@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_id) l: vec3u) {
    var sum = 0.0;
    for (var t = 0u; t < 128u; t += 16u) {
        ta[l.y * 16u + l.x] = a[id.y * 128u + t + l.x];
        tb[l.y * 16u + l.x] = b[(t + l.y) * 128u + id.x];
        workgroupBarrier();
        for (var k = 0u; k < 16u; k++) { sum += ta[l.y * 16u + k] * tb[k * 16u + l.x]; }
        workgroupBarrier();
    }
    c[id.y * 128u + id.x] = sum;
}";
    let a: Vec<f32> = (0..128 * 128).map(|i| (i % 7) as f32).collect();
    let b: Vec<f32> = (0..128 * 128).map(|i| (i % 5) as f32).collect();
    let before = Dispatch::new([8, 8, 1]).with_f32(0, 0, &a).with_f32(0, 1, &b).with_f32(0, 2, &vec![0.0; 128 * 128]);
    for (place, (result, d)) in alike(text, &before, true, &quiet()) {
        assert!(result.is_ok_and(|r| r.barriers >= 64 * 16), "{place}");
        let sum = |y: usize, x: usize| (0..128).map(|k| a[y * 128 + k] * b[k * 128 + x]).sum::<f32>();
        let expected: Vec<f32> = (0..128 * 128).map(|i| sum(i / 128, i % 128)).collect();
        assert!(d.floats(0, 2) == Some(expected), "{place}");
    }
}

/// Each workgroup takes longer than one turn, so that another one begins before the first has ended.
#[test]
fn long_workgroups_are_spread() {
    let text = "
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3u) { o[id.x] = busy(id.x, 12000u); }";
    let before = Dispatch::new([6, 1, 1]).with_u32(0, 0, &[0; 192]);
    for (place, (result, d)) in alike(text, &before, true, &quiet()) {
        assert!(result.is_ok(), "{place}: {result:?}");
        assert_eq!(d.words(0, 0), Some((0..192).map(|i| busy(i, 12000)).collect()), "{place}");
    }
}

/// What is true of the words that a dispatch left.
type Holds<'a> = &'a dyn Fn(&[u32]) -> bool;

/// The last one in order decides; one that reads gets what those before it left.
#[test]
fn workgroups_that_meet_come_in_order() {
    let head = "
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(workgroup_id) w: vec3u, @builtin(local_invocation_index) l: u32) {
    let x = busy(w.x * 64u + l, 300u);";
    let last = busy(63 * 64, 300);
    let bodies: [(&str, Holds<'_>); 5] = [
        ("if l == 0u { o[0] = x; } }", &|o| o[0] == last),
        // What a load gets that nothing orders behind the store is the chip's affair: the caches of GCN may have it from before.
        ("if l == 0u { o[w.x + 1u] = o[w.x] + 1u + (x & 0u); } }", &|o| o[1] == 1),
        ("if l == 0u { o[0] += 1u + (x & 0u); } }", &|o| o[0] > 0),
        ("if l == 0u { o[w.x] = x; if w.x == 63u { o[100] = o[1]; } } }", &|o| o[1] == busy(64, 300)),
        ("if l == 0u { o[(w.x * 7u) % 61u] = x; } }", &|o| o[62] == 0 && o[0] == busy(61 * 64, 300)),
    ];
    for (body, expected) in bodies {
        let before = Dispatch::new([64, 1, 1]).with_u32(0, 0, &[0; 128]);
        for (place, (result, d)) in alike(&format!("{head}{body}"), &before, false, &quiet()) {
            assert!(result.is_ok(), "{place}: {result:?}");
            assert!(expected(&d.words(0, 0).expect("words")), "{place}: {body}: {:?}", d.words(0, 0));
        }
    }
}

#[test]
fn counters_come_in_order() {
    let text = "
@group(0) @binding(0) var<storage, read_write> n: atomic<u32>;
@group(0) @binding(1) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(workgroup_id) w: vec3u, @builtin(local_invocation_index) l: u32) {
    let x = busy(w.x * 64u + l, 300u);
    if l == 0u { o[w.x] = atomicAdd(&n, 1u) + (x & 0u); }
}";
    let before = Dispatch::new([64, 1, 1]).with_u32(0, 0, &[0]).with_u32(0, 1, &[0; 64]);
    for (place, (result, d)) in alike(text, &before, false, &quiet()) {
        assert!(result.is_ok(), "{place}: {result:?}");
        assert_eq!(d.words(0, 1), Some((0..64).collect()), "{place}");
    }
}

/// The two bindings have half of their words in common.
#[test]
fn bindings_of_one_memory_are_one_memory() {
    let text = "
@group(0) @binding(0) var<storage, read_write> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> b: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
    a[id.x] = busy(id.x, 300u);
    b[id.x] = READ;
}";
    let before = |distance: u32| {
        let mut d = Dispatch::new([32, 1, 1]).with_u32(0, 0, &[0; 4096]).with_u32(0, 1, &[0; 4096]);
        d.overlaps.push(Overlap { buffers: [0, 1], distance: (4 * distance).into() });
        d
    };
    // The words that one writes by the second binding are behind all that the first one reaches.
    for (place, (result, d)) in alike(&text.replace("READ", "a[id.x] + 1u"), &before(2048), true, &quiet()) {
        assert!(result.is_ok(), "{place}: {result:?}");
        let (a, b) = (d.words(0, 0).expect("words"), d.words(0, 1).expect("words"));
        assert!((0..2048).all(|i| a[i] == busy(i as u32, 300) && a[2048 + i] == b[i] && b[i] == a[i].wrapping_add(1)));
    }
    // Each workgroup reads what the one before it wrote.
    alike(&text.replace("READ", "a[id.x] + 1u"), &before(64), false, &quiet());
}

#[test]
fn a_trap_is_the_same() {
    let text = "
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(workgroup_id) w: vec3u, @builtin(local_invocation_index) l: u32) {
    let x = busy(w.x * 64u + l, 300u);
    if w.x == 40u { o[4100] = x; }
    o[w.x * 64u + l] = x;
}";
    let before = Dispatch::new([64, 1, 1]).with_u32(0, 0, &vec![0; 4200]);
    for (place, (result, d)) in alike(text, &before, false, &RunOptions::default()) {
        let trap = result.expect_err("a race");
        assert_eq!((trap.kind, trap.workgroup), (TrapKind::Race, Some([40, 0, 0])), "{place}");
        assert_eq!(d.words(0, 0).expect("words")[64], busy(64, 300), "{place}: what came before is there");
    }
    // Where races do not end it, they are told.
    let report = RunOptions { races: Races::Report, ..RunOptions::default() };
    for (place, (result, _)) in alike(text, &before, false, &report) {
        assert_eq!(result.expect("an end").races.len(), 1, "{place}");
    }
}

#[test]
fn a_step_limit_ends_at_the_same_step() {
    let whole = SAXPY.replace("id.x]", "(id.x + 1024u * id.y)]");
    for limit in [100_000, 1_900_000] {
        let options = RunOptions { step_limit: limit, ..quiet() };
        for (place, (result, _)) in alike(&whole, &saxpy(), false, &options) {
            assert_eq!(result.expect_err("too many steps").kind, TrapKind::StepLimit, "{place}");
        }
    }
}

/// One workgroup waits for one that comes later.
#[test]
fn workgroups_that_wait_for_each_other_come_in_order() {
    let text = "
@group(0) @binding(0) var<storage, read_write> flag: atomic<u32>;
@group(0) @binding(1) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(32) fn main(@builtin(workgroup_id) w: vec3u, @builtin(local_invocation_index) l: u32) {
    let x = busy(w.x * 32u + l, 2000u);
    o[w.x * 32u + l] = x;
    if w.x == 5u && l == 0u { atomicStore(&flag, 1u); }
    if w.x == 2u && l == 0u { while atomicLoad(&flag) == 0u {} }
}";
    let before = Dispatch::new([16, 1, 1]).with_u32(0, 0, &[0]).with_u32(0, 1, &[0; 512]);
    for (place, (result, d)) in alike_on(&[2], text, &before, false, &quiet()) {
        assert!(result.is_ok(), "{place}: {result:?}");
        assert_eq!(d.words(0, 1), Some((0..512).map(|i| busy(i, 2000)).collect()), "{place}");
    }
}

#[test]
fn small_dispatches_stay_on_one_core() {
    let text = "
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) { o[id.x] = busy(id.x, 1u); }";
    alike(text, &Dispatch::new([64, 1, 1]).with_u32(0, 0, &[0; 4096]), false, &quiet());
}
