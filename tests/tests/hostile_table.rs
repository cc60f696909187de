//! Inputs that are large in one way each, on every family and generation: code, a message about the input or a refusal with
//! a limit, and soon. The project's figure is 2 s and 512 MiB each in a release build; here, with all assertions on and
//! other tests running, the time has a wide margin. `GPUCC_TIMES=1` prints the times.

use std::time::{Duration, Instant};

use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc::{CodegenOptions, Options, SharedPasses, Target};
use gpucc_ir::{Class, Module};
use gpucc_sim::{Dispatch, RunOptions};
use gpucc_tests::exec;
use rayon::prelude::*;

/// Ten times what a release build may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// Memory that the process may ever have had, of which tests need some themselves.
const MEMORY: u64 = 512 << 20;

const HEAD: &str = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;
    @group(0) @binding(1) var<storage, read> a: array<u32>;\n";

fn main_of(size: u32, body: &str) -> String {
    format!(
        "@compute @workgroup_size({size}) fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {{
            var x = a[id.x];
            {body}
            o[id.x] = x;
        }}"
    )
}

fn shader(body: &str) -> String {
    format!("{HEAD}{}", main_of(64, body))
}

fn list(n: usize, line: impl Fn(usize) -> String) -> String {
    (0..n).map(|i| line(i) + "\n").collect()
}

fn statements(n: usize) -> String {
    list(n, |i| format!("x = (x ^ {}u) * {}u;", (i * 40_503) & 0xffff, (i * 77) & 0xfff | 1))
}

fn live(n: usize, ty: &str) -> String {
    let (loads, stores) = (
        list(n, |i| format!("let v{i} = p[id.x + {i}u];")),
        list(n, |i| format!("p[id.x * {n}u + {i}u] = v{i} * v{};", (i * 7 + 3) % n)),
    );
    format!(
        "@group(0) @binding(0) var<storage, read_write> p: array<{ty}>;
         @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{ {loads} {stores} }}"
    )
}

fn table() -> Vec<(&'static str, String)> {
    let nested = |open: &str, n: usize| shader(&format!("{}{}{}", open.repeat(n), "x += 1u;", "}".repeat(n)));
    let calls = list(20, |i| format!("fn f{}(x: u32) -> u32 {{ return f{i}(x) + f{i}(x ^ {i}u); }}", i + 1));
    let functions = list(1500, |i| format!("fn g{}(x: u32) -> u32 {{ return g{i}(x) * 3u + {i}u; }}", i + 1));
    let constants = |n: usize| list(n, |i| format!("{}u,", (i * 7919) & 0xffff));
    vec![
        ("3,000 live words", live(3000, "u32")),
        ("3,000 live vectors", live(3000, "vec4<f32>")),
        ("12,000 statements in a branch", shader(&format!("if (x & 1u) == 0u {{ {} }}", statements(12_000)))),
        (
            "9,000 statements in two branches",
            shader(&format!("if (x & 1u) == 0u {{ {} }} else {{ {} }}", statements(4500), statements(4500))),
        ),
        ("12,000 statements", shader(&statements(12_000))),
        ("nested conditions", nested("if (x & 1u) == 0u { x = x * 3u + 1u; ", 120)),
        ("nested loops", nested("loop { x += 1u; if x > 9u { break; } ", 60)),
        ("loops in a row", shader(&list(400, |i| format!("while x > {i}u {{ x = x / 2u + a[x & 15u]; }}")))),
        ("a long sum", shader(&format!("x = x{};", " + x * 3u".repeat(4000)))),
        (
            "a long chain of selects",
            shader(&list(3000, |i| format!("x = select(x + {i}u, x * 3u, (x & {i}u) == 0u);"))),
        ),
        (
            "a switch with 5,000 cases",
            shader(&format!(
                "switch x {{ {} default: {{ x = 3u; }} }}",
                list(5000, |i| format!("case {i}u: {{ x = x * {}u; }}", 7 * i + 3))
            )),
        ),
        (
            "a table of constants",
            format!("{HEAD}const T = array<u32, 16384>({});\n{}", constants(16_384), main_of(64, "x = T[x & 16383u];")),
        ),
        (
            "a million paths of calls",
            format!("{HEAD}fn f0(x: u32) -> u32 {{ return x * 3u; }}\n{calls}{}", main_of(64, "x = f20(x);")),
        ),
        (
            "functions in a row",
            format!("{HEAD}fn g0(x: u32) -> u32 {{ return x; }}\n{functions}{}", main_of(64, "x = g1500(x);")),
        ),
        (
            "workgroup memory set to zero by one invocation",
            format!(
                "{HEAD}var<workgroup> w: array<u32, 3500>;\n{}",
                main_of(
                    64,
                    "if l == 0u { w = array<u32, 3500>(); } workgroupBarrier(); w[l] += x; x = w[l] + w[l + 64u];"
                )
            ),
        ),
        (
            "workgroup memory for one invocation",
            format!("{HEAD}var<workgroup> w: array<u32, 3500>;\n{}", main_of(1, "w[x & 2047u] = x; x = w[x & 1023u];")),
        ),
        (
            "a large array of one's own",
            shader("var t: array<u32, 3000>; t[x & 2047u] = x; t[l] += 1u; x = t[(x >> 1u) & 2047u];"),
        ),
        (
            "large arrays copied",
            format!(
                "{HEAD}var<workgroup> w: array<u32, 3500>; var<private> p: array<u32, 3500>; var<private> q: array<u32, 3500>;\n{}",
                main_of(
                    64,
                    "p[x % 3500u] = x; q = p; if l == 0u { w = q; } workgroupBarrier(); x = w[x % 3500u] + q[l];"
                )
            ),
        ),
        (
            "an array copied",
            shader(
                "var t: array<u32, 500>; var s: array<u32, 500>; t[x & 255u] = 3u; s = t; s[l] += 1u; t = s; x = t[x & 511u];",
            ),
        ),
    ]
}

/// The most memory that this process ever had.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    Some(line.trim().split(' ').next()?.parse::<u64>().ok()? << 10)
}

/// The faults in the compilation of one shader for the generations of a family.
fn compiled(name: &str, module: &Module, front: Duration, family: &[Target]) -> Vec<String> {
    // What the passes make of the IR is common to generations of the same capabilities. The times of passes say what it would have cost each.
    let mut passes = SharedPasses::new();
    let codegen = CodegenOptions { time_passes: true, ..CodegenOptions::default() };
    let one = |&target: &Target| {
        let options = Options { target, codegen: codegen.clone() };
        let start = Instant::now();
        let result = gpucc::compile_entry_sharing(module, "main", &options, &mut passes);
        let own = start.elapsed();
        let times = result.iter().flat_map(|a| a.outputs()).flat_map(|o| &o.times);
        let whole = Duration::from_nanos(times.map(|t| t.nanos).sum());
        let all = front + own.max(whole);
        if std::env::var_os("GPUCC_TIMES").is_some() {
            let how = result.as_ref().map_or_else(|d| d.code.to_string(), |a| format!("{} bytes", a.code().len()));
            println!("{name}, {target}: {:.2} s, {how}", all.as_secs_f64());
        }
        if peak().is_some_and(|p| p > MEMORY) {
            panic!("{name}, {target}: {} MiB", peak().unwrap_or(0) >> 20);
        }
        match result {
            Err(d) if d.class != Class::Unsupported => Some(format!("{name}, {target}: {d}")),
            _ if all > PATIENCE => Some(format!("{name}, {target}: {:.1} s", all.as_secs_f64())),
            _ => None,
        }
    };
    family.iter().filter_map(one).collect()
}

#[test]
fn soon_and_small() {
    let targets = exec::targets("all:all");
    let found: Vec<String> = table()
        .into_par_iter()
        .flat_map(|(name, wgsl)| {
            let start = Instant::now();
            let module = match frontend::load(wgsl.as_bytes(), Lang::Wgsl, &FrontOptions::default()) {
                Ok(l) => l.module,
                Err(list) => {
                    let known = list.iter().all(|d| d.code.starts_with("limit-"));
                    assert!(known, "{name}: {list:?}");
                    return Vec::new();
                }
            };
            let front = start.elapsed();
            let families = targets.chunk_by(|a, b| a.family() == b.family()).collect::<Vec<_>>();
            families.par_iter().flat_map(|f| compiled(name, &module, front, f)).collect::<Vec<_>>()
        })
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// One invocation that zeroes workgroup memory costs no store of its own for each word, and gives zeros.
#[test]
fn zeroing_is_no_list_of_stores() {
    let wgsl = |zero: &str| {
        format!(
            "{HEAD}var<workgroup> w: array<u32, 1029>;\n{}",
            main_of(64, &format!("{zero} w[l * 16u] += x; workgroupBarrier(); x = w[l * 8u] + w[1028];"))
        )
    };
    let again = "w[l * 16u] = 7u; workgroupBarrier(); if l == 0u { w = array<u32, 1029>(); } workgroupBarrier();";
    let first = "if l == 0u { w = array<u32, 1029>(); } workgroupBarrier();";
    let words: Vec<u32> = (0..64).map(|k| k * 3 + 1).collect();
    for zero in [first, again] {
        let module = exec::lower(&wgsl(zero), "main", &[]).unwrap_or_else(|p| panic!("{p}"));
        let plain = exec::lower(&wgsl(""), "main", &[]).unwrap_or_else(|p| panic!("{p}"));
        for target in exec::targets("all:all") {
            for level in [0, 2] {
                let o = Options::new(target).opt(level);
                let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[0; 64]).with_u32(0, 1, &words);
                exec::run(&module, "main", exec::on(target), &o.codegen, &mut d, &RunOptions::default())
                    .unwrap_or_else(|p| panic!("{target} -O{level}: {p}"));
                let want: Vec<u32> = (0..64).map(|k| if k % 2 == 0 { words[k / 2] } else { 0 }).collect();
                assert_eq!(d.words(0, 0), Some(want), "{target} -O{level}");
                let size = |m| gpucc::compile(m, &o).map(|a| a.code().len()).unwrap_or_else(|d| panic!("{d}"));
                let (with, without) = (size(&module), size(&plain));
                assert!(with < without + 400, "{target} -O{level}: {with} bytes, {without} without");
            }
        }
    }
}
