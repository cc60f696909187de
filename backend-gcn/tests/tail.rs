//! The passes on encoded code one by one: code without one of them does the same, each has something to do, and fuel bounds it.

use crate::common::{NAMES, compile, module, options, run};
use gpucc_driver::{CodegenOptions, Family, Output};
use gpucc_gcn::GcnFamily;
use gpucc_sim::Dispatch;

/// Loads whose addresses come one after the other, choices by comparison, and lanes that leave a loop at different times.
const SHADER: &str = "
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> o: array<vec4u>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    var x = a[i];
    let y = a[x & 63u] * 5u;
    let z = a[(i * 5u + 1u) & 63u];
    var n = 0u;
    while (x != 1u && n < 40u) {
        if ((x & 1u) == 1u) { x = x * 3u + 1u; } else { x = x / 2u; }
        n = n + 1u;
    }
    var m = n;
    while (m < z) { m = m * 2u + 1u; if ((m & 7u) == y) { break; } }
    for (var k = 0u; k < z; k++) {
        if (k == x) { continue; }
        let p = a[(k + m) & 63u];
        if (p > y) { continue; }
        o[i + 128u] = vec4u(p, k, m, i);
        m = m * 3u + p;
    }
    var q = 0u;
    if (z > y) { o[i + 192u] = vec4u(z, m, n, i); q = a[(m ^ n) & 63u] * 3u; }
    o[i + 256u] = vec4u(q);
    o[i] = vec4u(n, select(y, z, y < z), z, y + m);
    o[i + 64u] = vec4u(n + 1u, select(z, y, n < z), n ^ z, y + 3u);
}";

/// Wide stores in a row, whose data is overwritten as soon as it may be: wait states, and work to fill them with.
const STORES: &str = "
@group(0) @binding(0) var<storage, read> a: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> o: array<vec4u>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    let s = a[i & 15u];
    var v = s;
    var n = i;
    for (var k = 0u; k < 24u; k++) { o[i * 24u + k] = v; v = (v ^ s.yzwx) + s; n = n * 5u + 1u; }
    o[i * 24u] = vec4u(n);
}";

/// The output of a run.
fn words(out: &Output, generation: usize) -> Vec<u32> {
    let a: Vec<u32> = (0..64).map(|i| i % 23 + 1).collect();
    let d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &a).with_u32(0, 1, &[0; 6144]);
    let got = run(out, generation, &d, Some(3)).unwrap_or_else(|t| panic!("{}: {t}", NAMES[generation]));
    got.words(0, 1).expect("the output")
}

fn changes(out: &Output, pass: &str) -> u64 {
    out.times.iter().filter(|t| t.pass == pass).map(|t| t.changes).sum()
}

/// Whether the newest generation is enough, as for `cargo xtask family`.
fn a_sample() -> bool {
    std::env::var_os("GPUCC_SAMPLE").is_some()
}

/// Checks a pass in the code of a shader; returns how much it finds to do on all generations.
fn check(pass: &'static str, source: &str) -> u64 {
    let module = module(source);
    let given = CodegenOptions { time_passes: true, verify: true, ..options(3) };
    let mut found = 0;
    let generations = NAMES.iter().enumerate();
    for (generation, name) in generations.skip(if a_sample() { NAMES.len() - 1 } else { 0 }) {
        let whole = compile(&module, generation, &given);
        let wanted = words(&whole, generation);
        let n = changes(&whole, pass);
        found += n;
        for fuel in [0, 1, n / 2, n] {
            let o = CodegenOptions { fuel, fuel_of: Some(pass.into()), ..given.clone() };
            let out = compile(&module, generation, &o);
            assert_eq!(changes(&out, pass), fuel.min(n), "{name}: {pass} with {fuel} of {n}");
            assert_eq!(words(&out, generation), wanted, "{name}: {pass} with {fuel} of {n}");
            if fuel >= n {
                assert_eq!(out.entry.code, whole.entry.code, "{name}: {pass} with {fuel} of {n}");
            }
        }
        let o = CodegenOptions { skip_passes: vec![pass.into()], ..given.clone() };
        assert_eq!(words(&compile(&module, generation, &o), generation), wanted, "{name} without {pass}");
    }
    found
}

#[test]
fn each_can_be_left_out_and_stops_without_fuel() {
    for p in GcnFamily::TAIL.iter().filter(|p| p.optional) {
        let found = check(p.name, SHADER) + check(p.name, STORES);
        assert!(found > 0 || a_sample(), "{} finds nothing", p.name);
    }
}

/// Instructions that cannot be left out are not, whatever is asked for.
#[test]
fn waits_take_no_fuel() {
    let module = module(SHADER);
    let text = |o: &CodegenOptions| compile(&module, 2, o).entry.code;
    let whole = text(&options(2));
    assert_eq!(text(&CodegenOptions { fuel: 0, fuel_of: Some("waits".into()), ..options(2) }), whole);
    assert_eq!(text(&CodegenOptions { skip_passes: vec!["waits".into()], ..options(2) }), whole);
}

/// Each has a dump, in the order in which they run.
#[test]
fn each_has_a_dump() {
    let o = CodegenOptions { dump_after: vec!["all".into()], ..options(2) };
    let out = compile(&module(SHADER), 2, &o);
    let at = out.dumps.iter().position(|d| d.0 == "encode").expect("encoding has a dump");
    let names: Vec<&str> = out.dumps[at + 1..].iter().map(|d| d.0.as_str()).collect();
    assert_eq!(names, GcnFamily::TAIL.iter().map(|p| p.name).collect::<Vec<_>>());
    assert!(
        out.dumps[at..]
            .iter()
            .all(|d| d.1.starts_with("encoded main {\nb0 ") || d.1.starts_with("encoded main {\nb0:"))
    );
    let waits = |k: usize| out.dumps[k].1.matches("s_waitcnt").count();
    assert!(waits(at) < waits(out.dumps.len() - 1), "{}", out.dumps[at].1);
}
