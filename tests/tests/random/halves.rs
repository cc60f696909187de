//! Random programs that compute with halves, in compute and fragment programs: what loops, branches and selections hand on, as components
//! and as vectors, is the oracle's to the bit on every family. `GPUCC_HALVES=N` takes N of them in place of the usual number.

use std::fmt::Write;

use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc::{Class, Options};
use gpucc_kit::suite;
use gpucc_tests::exec;
use rayon::prelude::*;

/// Programs of a usual run.
const PROGRAMS: u64 = 8;
/// Variables of a program: vectors of four halves and single ones.
const VECTORS: u64 = 3;
const SINGLE: u64 = 4;
/// Steps of a run.
const STEPS: u64 = 2_000_000;

/// A program while it is made up.
struct Text {
    state: u64,
    out: String,
    depth: u64,
    loops: u64,
}

impl Text {
    fn pick(&mut self, n: u64) -> u64 {
        // A multiplier of Knuth's MMIX.
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) % n
    }

    fn constant(&mut self) -> String {
        ["0.0h", "1.0h", "-0.5h", "2.0h", "0.25h", "-3.0h", "0.1h", "0.01h"][self.pick(8) as usize].into()
    }

    /// A single half.
    fn single(&mut self, depth: u64) -> String {
        if depth == 0 {
            return match self.pick(6) {
                0 => self.constant(),
                1 | 2 => format!("v{}.{}", self.pick(VECTORS), ["x", "y", "z", "w"][self.pick(4) as usize]),
                _ => format!("s{}", self.pick(SINGLE)),
            };
        }
        let other = self.pick(depth);
        let (a, b) = (self.single(depth - 1), self.single(other));
        match self.pick(9) {
            0 => format!("({a} - {b})"),
            // Nothing gets infinite.
            1 | 2 => format!("clamp({a} * {b}, -60.0h, 60.0h)"),
            3 => format!("min({a}, {b})"),
            4 => format!("max({a}, {b})"),
            5 => format!("abs({a})"),
            6 => format!("select({a}, {b}, {} < {})", self.single(0), self.single(0)),
            7 => format!("-({a})"),
            _ => format!("clamp({a} + {b}, -60.0h, 60.0h)"),
        }
    }

    /// A vector of four.
    fn vector(&mut self, depth: u64) -> String {
        if depth == 0 {
            return match self.pick(5) {
                0 => format!("vec4<f16>({})", self.single(0)),
                1 => {
                    format!("vec4<f16>({}, {}, {}, {})", self.single(0), self.single(0), self.single(0), self.single(0))
                }
                2 => format!("v{}.{}", self.pick(VECTORS), ["wzyx", "yxwz", "xxzz", "zwxy"][self.pick(4) as usize]),
                _ => format!("v{}", self.pick(VECTORS)),
            };
        }
        let other = self.pick(depth);
        let (a, b) = (self.vector(depth - 1), self.vector(other));
        let limits = "vec4<f16>(-60.0h), vec4<f16>(60.0h)";
        match self.pick(7) {
            0 => format!("clamp({a} - {b}, {limits})"),
            1 | 2 => format!("clamp({a} * {b}, {limits})"),
            3 => format!("max({a}, {b})"),
            4 => format!("min({a}, {b})"),
            5 => format!("select({a}, {b}, {} < {})", self.vector(0), self.vector(0)),
            _ => format!("clamp({a} + {b}, {limits})"),
        }
    }

    fn statement(&mut self) {
        let kind = if self.depth == 3 { self.pick(2) } else { self.pick(6) };
        match kind {
            0 => {
                let (k, e) = (self.pick(SINGLE), self.single(2));
                _ = writeln!(self.out, "s{k} = clamp({e}, -60.0h, 60.0h);");
            }
            1 => {
                let (k, e) = (self.pick(VECTORS), self.vector(2));
                _ = writeln!(self.out, "v{k} = {e};");
            }
            2 => {
                let (a, b) = (self.single(1), self.single(0));
                _ = writeln!(self.out, "if {a} < {b} {{");
                self.block();
                if self.pick(2) == 0 {
                    self.out.push_str("} else {\n");
                    self.block();
                }
                self.out.push_str("}\n");
            }
            3 => {
                let plus = self.pick(4);
                _ = writeln!(self.out, "switch (w.y + {plus}u) % 4u {{ case 1u: {{");
                self.block();
                self.out.push_str("} case 2u, 3u: {\n");
                self.block();
                self.out.push_str("} default: {} }\n");
            }
            _ => {
                let i = self.loops;
                self.loops += 1;
                let end = if self.pick(2) == 0 { "w.x % 5u".to_string() } else { format!("{}u", 2 + self.pick(5)) };
                _ = writeln!(self.out, "for (var i{i} = 0u; i{i} < {end}; i{i}++) {{");
                if self.pick(3) == 0 {
                    let (a, b) = (self.single(0), self.single(0));
                    let leave = ["break", "continue"][self.pick(2) as usize];
                    _ = writeln!(self.out, "if {a} > {b} {{ {leave}; }}");
                }
                self.block();
                self.out.push_str("}\n");
            }
        }
    }

    fn block(&mut self) {
        self.depth += 1;
        for _ in 0..=self.pick(3) {
            self.statement();
        }
        self.depth -= 1;
    }
}

/// WGSL with a compute and a fragment entry point that give the bits of halves.
fn text(seed: u64) -> String {
    let mut t = Text { state: seed ^ 0x9e37_79b9_7f4a_7c15, out: String::new(), depth: 0, loops: 0 };
    for _ in 0..5 {
        t.pick(2);
    }
    for _ in 0..4 + t.pick(5) {
        t.statement();
    }
    let mut start = String::new();
    for k in 0..VECTORS {
        _ = writeln!(
            start,
            "var v{k} = vec4<f16>(vec4<i32>((w.xyzw >> vec4u({}u)) & vec4u(63u)) - 32) * {}h;",
            3 * k,
            ["0.25", "0.5", "1.0"][k as usize]
        );
    }
    for k in 0..SINGLE {
        _ = writeln!(
            start,
            "var s{k} = f16(i32((w.{} >> {}u) & 127u) - 64) * 0.125h;",
            ["x", "y", "z", "w"][k as usize],
            k + 7
        );
    }
    format!(
        "enable f16;
@group(0) @binding(0) var<storage, read> source: array<vec4u, 16>;
@group(0) @binding(1) var<storage, read_write> result: array<u32, 64>;
fn body(w: vec4u) -> u32 {{
{start}{}
let all = v0 + v1.yzwx * 0.5h + v2.wzyx * 0.25h + vec4<f16>(s0, s1, s2, s3);
let f = vec4f(all) + 0.0;
return pack2x16float(f.xy) ^ (pack2x16float(f.zw) * 3u);
}}
@compute @workgroup_size(64) fn cs(@builtin(local_invocation_index) i: u32) {{
result[i] = body(source[i % 16u] ^ vec4u(i, i * 5u, i * 9u, i * 13u));
}}
@fragment fn fs(@builtin(position) at: vec4f, @location(0) @interpolate(flat) k: vec4u) -> @location(0) vec4f {{
let p = vec4u(at.xyyx);
return unpack4x8unorm(body(k ^ (p * vec4u(3u, 5u, 9u, 17u))));
}}
",
        t.out
    )
}

#[test]
fn random_halves_are_the_oracles() {
    let count = std::env::var("GPUCC_HALVES").map_or(PROGRAMS, |n| n.parse().expect("GPUCC_HALVES is a number"));
    let targets = exec::targets("all:all");
    let done: Vec<Result<(u64, u64), String>> = (0..count)
        .into_par_iter()
        .flat_map_iter(|seed| {
            let source = text(seed);
            let module = frontend::load(source.as_bytes(), Lang::Wgsl, &FrontOptions::default())
                .unwrap_or_else(|list| panic!("{}\n{source}", gpucc::Errors(list).with_source(&source)))
                .module;
            // A few targets each, so that all are met.
            let some = (0..targets.len().min(5)).map(|k| targets[(seed as usize + 3 * k) % targets.len()]);
            let one = move |target: gpucc::Target| {
                let level = [2, 0, 1, 3][(seed % 4) as usize];
                let artifact = match gpucc::compile(&module, &Options::new(target).opt(level)) {
                    Ok(artifact) => artifact,
                    Err(d) if d.class == Class::Unsupported => return Ok((0, 1)),
                    Err(d) => return Err(format!("seed {seed} on {target} -O{level}: {d}\n{source}")),
                };
                let given = gpucc_verify::InputOverrides::default();
                match gpucc_verify::verify_entries(&module, &artifact, target, &given, STEPS) {
                    Ok(list) => Ok((list.iter().filter(|v| v.not_compared().is_none()).count() as u64, 0)),
                    Err(d) => Err(format!("seed {seed} on {target} -O{level}: {d}\n{source}")),
                }
            };
            some.map(one).collect::<Vec<_>>()
        })
        .collect();
    suite::report(&done.iter().filter_map(|d| d.as_ref().err().cloned()).collect::<Vec<_>>());
    let sum = |of: fn(&(u64, u64)) -> u64| done.iter().flatten().map(of).sum::<u64>();
    let (compared, refused) = (sum(|d| d.0), sum(|d| d.1));
    println!("{count} programs: {compared} entry points compared, {refused} refused");
    if !targets.is_empty() {
        assert!(compared >= count && refused * 4 <= compared, "{compared} compared, {refused} refused");
    }
}
