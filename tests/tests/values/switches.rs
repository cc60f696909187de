//! `switch` of every shape and size: what each machine computes is what the oracle computes, and thousands of cases are no
//! reason to wait.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use gpucc::{CodegenOptions, Target};
use gpucc_ir::{Module, Refusal};
use gpucc_sim::{BoundBuffer, Dispatch, RunOptions, SplitMix64};
use gpucc_tests::exec::{self, On, Problem};
use rayon::prelude::*;

const HEAD: &str = "\
@group(0) @binding(0) var<uniform> u: vec4<u32>;
@group(0) @binding(1) var<storage, read> source: array<u32, 64>;
@group(0) @binding(2) var<storage, read_write> result: array<u32, 64>;
";

/// A shader around statements that change `r` and `s` and may read `x`, a selector that is the same for all or not.
fn shader(functions: &str, selector: &str, statements: &str) -> String {
    format!(
        "{HEAD}{functions}@compute @workgroup_size(32)\nfn main(@builtin(global_invocation_id) id: vec3<u32>) {{\n  \
         var r = id.x; var s = 5u; let x = {selector};\n{statements}  result[2u * id.x] = r; result[2u * id.x + 1u] = s;\n}}\n"
    )
}

const SELECTORS: [&str; 2] = ["u.x", "source[id.x]"];

fn dispatch(uniform: u32, source: &[u32]) -> Dispatch {
    let bytes = |w: &[u32]| w.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    let mut d = Dispatch::new([1, 1, 1]);
    let list = [(0, bytes(&[uniform, 3, 1, 0]), false), (1, bytes(source), false), (2, vec![0; 256], true)];
    for (binding, bytes, writable) in list {
        d.buffers.push(BoundBuffer { group: 0, binding, bytes, writable });
    }
    d
}

fn lower(wgsl: &str) -> Module {
    exec::lower(wgsl, "main", &[]).unwrap_or_else(|e| panic!("{e}\n{wgsl}"))
}

fn run(m: &Module, on: On, opt_level: u8, before: &Dispatch) -> Result<Dispatch, Problem> {
    let options = CodegenOptions { opt_level, ..CodegenOptions::default() };
    let mut d = before.clone();
    exec::run(m, "main", on, &options, &mut d, &RunOptions::default()).map(|_| d)
}

/// The oracle's contents of the buffers.
fn oracle(m: &Module, before: &Dispatch) -> Dispatch {
    run(m, On::Interp, 0, before).unwrap_or_else(|e| panic!("oracle: {e}"))
}

/// The difference from the oracle; a chip that is too small says so.
fn differs(m: &Module, on: On, level: u8, before: &Dispatch, wanted: &Dispatch) -> Option<String> {
    match run(m, on, level, before) {
        Ok(d) if d == *wanted => None,
        Ok(d) => {
            let (got, wanted) = (d.words(0, 2).unwrap_or_default(), wanted.words(0, 2).unwrap_or_default());
            let at = got.iter().zip(&wanted).position(|(a, b)| a != b);
            Some(format!("{on} -O{level}: word {at:?} of\n{got:?}, expected\n{wanted:?}"))
        }
        // A hundred bodies may be more than the chip has room for; its constants lie in uniforms.
        Err(Problem::Refused(codes, _))
            if on.to_string().contains("vivante")
                && codes.iter().all(|c| matches!(c, Refusal::ProgramSize | Refusal::OutOfUniforms)) =>
        {
            None
        }
        Err(e) => Some(format!("{on} -O{level}: {e}")),
    }
}

fn places(list: &str) -> Vec<On> {
    exec::targets(list).into_iter().map(exec::on).collect()
}

/// Random switches: dense and sparse values, negative ones, cases that share a body, the default anywhere; inside
/// of loops and of each other, with `break` and `continue`; bodies that change variables, store, or do nothing.
struct Maker {
    rng: SplitMix64,
    out: String,
    loops: u32,
    /// Values of cases, to be met.
    values: Vec<u32>,
    names: u32,
}

impl Maker {
    fn pick(&mut self, n: u32) -> u32 {
        self.rng.below(u64::from(n)) as u32
    }

    fn body(&mut self, depth: u32) {
        let k = self.pick(1000);
        match self.pick(10) {
            0 => {}
            1 => self.out += &format!("r = r * 3u + {k}u; "),
            2 => self.out += &format!("s = s ^ (r + {k}u); "),
            3 => self.out += &format!("r = {k}u; "),
            4 => self.out += &format!("result[2u * id.x] = {k}u; r += result[2u * id.x]; "),
            5 => self.out += &format!("if (s & 1u) == 0u {{ s = s + {k}u; break; }} r++; "),
            6 if self.loops > 0 => self.out += &format!("s += {k}u; if (r & 2u) == 0u {{ continue; }} r += s; "),
            7 if self.loops > 0 => self.out += &format!("r ^= {k}u; continue; "),
            8 if depth > 0 => self.switch(depth - 1),
            9 if depth > 0 => self.repeat(depth - 1),
            _ => self.out += &format!("s = s + {k}u; "),
        }
    }

    fn repeat(&mut self, depth: u32) {
        self.names += 1;
        let (i, n) = (self.names, 1 + self.pick(4));
        self.out += &format!("for (var i{i} = 0u; i{i} < {n}u; i{i}++) {{ r += i{i}; ");
        self.loops += 1;
        self.switch(depth);
        if self.pick(3) == 0 {
            self.out += "if (r & 16u) == 0u { break; } ";
        }
        self.loops -= 1;
        self.out += "}\n";
    }

    fn switch(&mut self, depth: u32) {
        let sizes = if depth == 2 { [1, 2, 3, 5, 8, 13, 40, 100] } else { [0, 1, 2, 3, 4, 5, 6, 9] };
        let n = sizes[self.pick(8) as usize];
        let base = [0, 0, 1, 100, 0u32.wrapping_sub(n / 2), 0x7fff_ffff - n / 2][self.pick(6) as usize];
        let step = [1, 1, 1, 2, 3, 0x0101_0101][self.pick(6) as usize];
        let mut values: Vec<u32> = (0..n).map(|k| base.wrapping_add(k * step)).collect();
        values.dedup();
        for k in (1..values.len()).rev() {
            if self.pick(2) == 0 {
                let other = self.pick(k as u32 + 1) as usize;
                values.swap(k, other);
            }
        }
        self.values.extend(values.iter().flat_map(|v| [*v, v.wrapping_sub(1), v.wrapping_add(1)]));
        let signed = self.pick(2) == 0;
        let selector = match self.pick(4) {
            0 => "(x ^ s)".into(),
            1 => format!("({base}u + (r & 15u) * {step}u)"),
            _ => "x".to_string(),
        };
        self.out +=
            &if signed { format!("switch bitcast<i32>({selector}) {{\n") } else { format!("switch {selector} {{\n") };
        let most = [1, 1, 2, 4, 30][self.pick(5) as usize];
        let name = |v: u32| if signed { format!("{}", v as i32) } else { format!("{v}u") };
        let default = self.pick(values.len() as u32 + 1) as usize;
        let mut k = 0;
        let mut defaulted = false;
        while k < values.len() || !defaulted {
            let m = (1 + self.pick(most) as usize).min(values.len() - k);
            let mut names: Vec<String> = values[k..k + m].iter().map(|&v| name(v)).collect();
            if !defaulted && k + m >= default {
                defaulted = true;
                if self.pick(3) > 0 || names.is_empty() {
                    self.out += "default: { ";
                    self.body(depth);
                    self.out += "}\n";
                } else {
                    let at = self.pick(names.len() as u32 + 1) as usize;
                    names.insert(at, "default".into());
                }
            }
            k += m;
            if !names.is_empty() {
                let _ = write!(self.out, "case {}: {{ ", names.join(", "));
                self.body(depth);
                self.out += "}\n";
            }
        }
        self.out += "}\n";
    }
}

/// The statements of a random program and values that its selectors are compared with.
fn random(seed: u64) -> (String, Vec<u32>) {
    let mut m = Maker { rng: SplitMix64::new(seed), out: String::new(), loops: 0, values: vec![0], names: 0 };
    match m.pick(3) {
        0 => m.switch(2),
        1 => m.repeat(2),
        _ => {
            m.switch(2);
            m.repeat(1);
        }
    }
    (m.out, m.values)
}

#[test]
fn random_switches_are_right_everywhere() {
    let count: u64 = std::env::var("GPUCC_RANDOM").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
    let all = places("all:all");
    let failures: Vec<String> = (0..count)
        .into_par_iter()
        .flat_map_iter(|seed| {
            let (statements, values) = random(seed);
            let mut rng = SplitMix64::new(seed ^ 77);
            let mut met = || values[rng.below(values.len() as u64) as usize];
            let d = dispatch(met(), &(0..64).map(|_| met()).collect::<Vec<_>>());
            let wgsl = shader("", SELECTORS[(seed % 2) as usize], &statements);
            let m = lower(&wgsl);
            let wanted = oracle(&m, &d);
            let mut found = Vec::new();
            for (k, &on) in all.iter().enumerate() {
                let level = (seed / 2 + k as u64) % 4;
                found.extend(differs(&m, on, level as u8, &d, &wanted).map(|e| format!("seed {seed}, {e}\n{wgsl}")));
            }
            found
        })
        .collect();
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures[0]);
}

/// A switch with `n` cases of one kind.
fn large(kind: &str, n: u32) -> (String, String) {
    let value = |k: u32| k.wrapping_mul(2_654_435_761);
    let mut cases = String::new();
    for k in 0..n {
        let _ = match kind {
            "bodies" => {
                writeln!(cases, "case {k}u: {{ r = r * {}u + 1u; result[2u * id.x + {}u] = r; }}", 7 * k + 3, k % 2)
            }
            "sparse" => {
                writeln!(cases, "case {}u: {{ r = r * {}u + 1u; result[2u * id.x] = r; }}", value(k), 7 * k + 3)
            }
            "returns" => writeln!(cases, "case {k}u: {{ return {}u; }}", value(k)),
            "shared" if k < n / 2 => {
                writeln!(cases, "case {k}u, {}u: {{ s = r * {}u; result[2u * id.x] = s; }}", k + n / 2, k + 3)
            }
            "shared" => Ok(()),
            _ => writeln!(cases, "case {k}u: {{ r = {}u; }}", value(k)),
        };
    }
    match kind {
        "returns" => (
            format!("fn f(x: u32) -> u32 {{\nswitch x {{\n{cases}default: {{ return 7u; }}\n}}\n}}\n"),
            "r = f(x);\n".into(),
        ),
        "loop" => (
            String::new(),
            format!(
                "for (var i = 0u; i < 9u; i++) {{\nswitch x + i {{\n{cases}default: {{ if i > 4u {{ break; }} continue; }}\n}}\nr += i;\n}}\n"
            ),
        ),
        _ => (String::new(), format!("switch x {{\n{cases}default: {{ s = r ^ 9u; result[2u * id.x] = 3u; }}\n}}\n")),
    }
}

/// Longer than this is a hang, on a loaded machine with all checks, too: released, the largest takes a second.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn thousands_of_cases_take_no_time() {
    let kinds = ["bodies", "sparse", "returns", "shared", "values", "loop"];
    let all = places("all");
    let mut list: Vec<_> = kinds.iter().flat_map(|k| SELECTORS.map(|s| (*k, s, 700))).collect();
    list.extend([("bodies", SELECTORS[1], 5000), ("sparse", SELECTORS[0], 5000), ("values", SELECTORS[1], 5000)]);
    let failures: Vec<String> = list
        .into_par_iter()
        .flat_map(|(kind, selector, cases)| {
            let (functions, statements) = large(kind, cases);
            let m = lower(&shader(&functions, selector, &statements));
            let mut rng = SplitMix64::new(3);
            let mut value = |sparse: bool| {
                let k = rng.below(u64::from(cases) + 2) as u32;
                if sparse { k.wrapping_mul(2_654_435_761) } else { k }
            };
            let sparse = kind == "sparse";
            let d = dispatch(value(sparse), &(0..64).map(|_| value(sparse)).collect::<Vec<_>>());
            let wanted = oracle(&m, &d);
            let jobs: Vec<(On, u8)> = all.iter().flat_map(|on| (0..3).map(move |l| (*on, l))).collect();
            let one = |(on, level): (On, u8)| {
                let start = Instant::now();
                let mut found = Vec::new();
                found.extend(differs(&m, on, level, &d, &wanted).map(|e| format!("{kind}, {selector}: {e}")));
                if start.elapsed() > PATIENCE {
                    found.push(format!("{kind}, {selector} on {on} -O{level} takes {:?}", start.elapsed()));
                }
                found
            };
            jobs.into_par_iter().flat_map_iter(one).collect::<Vec<_>>()
        })
        .collect();
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

/// An interpreter of 200 operations: one comparison and one mask for each, not a mask that lives on.
#[test]
fn an_interpreter_of_bytes_stays_small() {
    let ops = [
        "r = r + s + K",
        "s = s ^ (r + K)",
        "r = r * 3u + s + K",
        "s = s - 5u + K",
        "r = (r << 3u) | (s + K)",
        "s = r & (255u + K)",
        "s = s * r + K",
    ];
    let op = |k: usize| ops[k % ops.len()].replace('K', &format!("{k}u"));
    let cases: Vec<String> = (0..200).map(|k| format!("case {k}u: {{ {}; }}\n", op(k))).collect();
    let statements = format!(
        "var at = x;\nfor (var i = 0u; i < 40u; i++) {{\nswitch source[at & 63u] {{\n{}default: {{ i = 40u; }}\n}}\nat += r & 3u;\n}}\n",
        cases.concat()
    );
    let m = lower(&shader("", SELECTORS[1], &statements));
    let mut count = Vec::new();
    for target in ["valhall", "gcn"] {
        let t = Target::parse(target).expect("a target");
        let a = gpucc::compile(&m, &gpucc::Options::new(t)).expect("small enough");
        let stats = &a.outputs()[0].stats;
        let of = |name: &str| stats.iter().find(|s| s.0 == name).map_or(0, |s| s.1);
        count.push((of("instructions"), of("sgprs"), of("spills")));
    }
    let (valhall, gcn) = (count[0], count[1]);
    assert!(gcn.0 < valhall.0 * 3 / 2 && gcn.1 <= 48 && gcn.2 == 0, "valhall {valhall:?}, gcn {gcn:?}");
    let d = dispatch(1, &(0..64).map(|k| (k * 37) % 203).collect::<Vec<_>>());
    let all = places("all:all");
    let wanted = oracle(&m, &d);
    let failures: Vec<String> = all.par_iter().filter_map(|&on| differs(&m, on, 2, &d, &wanted)).collect();
    assert!(failures.is_empty(), "{failures:?}");
}
