//! Tests of `backend-vivante/src/launch.rs`: what the launch computes, and that results stay what they were.

use crate::common::{compile, module, options, oracle, run};
use gpucc_driver::Backend;
use gpucc_sim::Dispatch;
use gpucc_vivante::VIVANTE;

const ALL: [usize; 3] = [0, 1, 2];

const HEAD: &str = "
struct P { v: vec4<f32>, w: vec4<f32>, k: vec4<i32>, u: vec4<u32> }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> a: array<f32, 16>;
@group(0) @binding(2) var<storage, read_write> b: array<f32, 16>;
";

/// A uniform buffer with these words and two buffers of 16 floats.
fn dispatch(v: [f32; 4], w: [f32; 4], k: [i32; 4], u: [u32; 4]) -> Dispatch {
    let words = v.iter().chain(&w).map(|x| x.to_bits()).chain(k.iter().map(|&x| x as u32)).chain(u);
    let floats: Vec<f32> = (0..16).map(|i| i as f32 * 0.75 - 4.0).collect();
    Dispatch::new([1, 1, 1])
        .with(0, 0, words.flat_map(u32::to_le_bytes).collect())
        .with_f32(0, 1, &floats)
        .with_f32(0, 2, &[0.0; 16])
}

fn some() -> Dispatch {
    dispatch([0.5, -2.25, 3.0, 0.1], [1.5, 4.0, -0.75, 8.0], [-7, 3, 100, -2], [9, 2, 0x8000_0001, 31])
}

/// The listing of the body at -O2 and the number of steps, after its result was compared with the oracle's: approximations are exact without a seed.
fn listing(body: &str, d: &Dispatch, g: usize) -> (String, u64) {
    let text =
        format!("{HEAD} @compute @workgroup_size(16) fn main(@builtin(local_invocation_index) i: u32) {{ {body} }}");
    let m = module(&text);
    let out = compile(&m, g, &options(2));
    let listing = VIVANTE.listing(&out, g);
    let got = run(&out, g, d, None).unwrap_or_else(|t| panic!("{t}\n{listing}"));
    let want = oracle(&m, d);
    for (x, y) in got.buffers.iter().zip(&want.buffers) {
        assert_eq!(x.bytes, y.bytes, "binding {}\n{listing}", x.binding);
    }
    let steps = out.entry.stats.iter().find(|s| s.0 == "launch_steps").map_or(0, |s| s.1);
    (listing, steps)
}

fn count(text: &str, what: &str) -> usize {
    text.lines().filter(|l| l.starts_with("    ") && l.contains(what)).count()
}

#[test]
fn what_uniforms_alone_make_is_no_instruction() {
    for g in ALL {
        let (t, steps) = listing("b[i] = a[i] * dot(normalize(p.v.xyz), p.w.xyz);", &some(), g);
        for op in ["dp3 ", "rsq ", "add "] {
            assert_eq!(count(&t, op), 0, "{t}");
        }
        assert_eq!(count(&t, "    mul "), 1, "{t}");
        // Three products and two sums, twice; a root; three products.
        assert_eq!(steps, 14, "{t}");
    }
}

#[test]
fn what_invocations_differ_in_stays() {
    for g in ALL {
        let (t, steps) = listing("b[i] = inverseSqrt(abs(a[i]) + 1.0) * p.v.x;", &some(), g);
        assert_eq!(count(&t, "rsq "), 1, "{t}");
        assert_eq!(steps, 0, "{t}");
    }
}

#[test]
fn a_step_that_a_loop_carries_stays_in_the_loop() {
    let body = "var x = p.v.x; for (var n = 0u; n < 3u + (i & 1u); n += 1u) { x = x * p.v.y + a[n]; } b[i] = x;";
    for g in ALL {
        let (t, _) = listing(body, &some(), g);
        assert!(count(&t, "    mad ") >= 1, "{t}");
    }
}

/// Each operation that is exact, on numbers of both signs and on zeros. `backend-vivante/machine/tests/steps.rs` holds the others.
#[test]
fn every_operation_gives_what_it_gave() {
    let floats = [
        "p.v.x + p.w.y",
        "p.v.x - p.w.y",
        "p.v.y * p.w.z",
        "min(p.v.x, p.w.x)",
        "max(p.v.y, p.w.y)",
        "saturate(p.v.x)",
        "saturate(p.v.y)",
        "floor(p.v.y)",
        "ceil(p.v.y)",
        "fract(p.v.y)",
        "trunc(p.v.y)",
        "sign(p.v.y)",
        "-p.v.x * p.v.y",
        "abs(p.v.y) * p.v.x",
        "f32(p.k.x)",
        "f32(p.u.z)",
        "dot(p.v, p.w)",
        "select(p.v.x, p.w.x, p.v.y < p.w.y) * 3.0",
        "select(p.v.x, p.w.x, p.v.y >= p.w.y) * 3.0",
        "select(p.v.x, p.w.x, p.v.y == p.w.y) * 3.0",
        "select(p.v.x, p.w.x, !(p.v.y <= p.w.y)) * 3.0",
        "select(p.v.x, p.w.x, p.k.x < p.k.y) * 3.0",
        "select(p.v.x, p.w.x, p.u.x >= p.u.z) * 3.0",
        "select(p.v.x, p.w.x, p.k.x != p.k.y && p.v.x > 0.0) * 3.0",
        "cross(p.v.xyz, p.w.xyz).y",
    ];
    let ints = [
        "p.k.x + p.k.y",
        "p.k.x - p.k.z",
        "p.k.x * p.k.y",
        "i32(p.v.y * 100.0)",
        "min(p.k.x, p.k.y)",
        "max(p.k.x, p.k.y)",
        "p.k.x >> p.u.y",
        "p.k.x / 3",
        "-p.k.w * 5",
        "p.k.x & p.k.z",
        "p.k.x | p.k.z",
        "p.k.x ^ p.k.z",
        "~p.k.x",
        "i32(p.u.x << p.u.y)",
        "i32(p.u.z >> p.u.w)",
        "i32(min(p.u.x, p.u.z))",
        "i32(max(p.u.x, p.u.z))",
        "i32(u32(p.w.w))",
        "i32(p.u.z / 7u)",
        "p.k.x % 5",
        "i32(p.v.x * 1e30)",
        "i32(p.v.y * 1e30)",
    ];
    let all: Vec<String> =
        floats.iter().map(|e| (*e).to_owned()).chain(ints.iter().map(|e| format!("f32(({e}) & 0xffff)"))).collect();
    let inputs = [
        some(),
        dispatch([0.0, -2.0, 1.0, 4.0], [-1.0, 0.0, 1.0, 0.0], [0, i32::MIN, i32::MAX, -1], [0, 33, u32::MAX, 1]),
        dispatch([1e30, -1e30, 16.0, 2.0], [1.0, 0.25, 2.0, -5.0], [1, 1, -1, 0], [7, 31, 12, 0]),
    ];
    // Few in one program, so that gc2000 has room.
    for part in all.chunks(16) {
        let lines: String = part.iter().enumerate().map(|(k, e)| format!("if i == {k}u {{ x = {e}; }}\n")).collect();
        for d in &inputs {
            for g in ALL {
                let (t, steps) = listing(&format!("var x = a[i]; {lines} b[i] = x;"), d, g);
                assert!(steps >= part.len() as u64, "{t}");
            }
        }
    }
}
