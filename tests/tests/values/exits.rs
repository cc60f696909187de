//! Lanes that leave loops and switches by different exits at different times: those that wait behind a loop continue, however the
//! last of the others leave.

use std::fmt::Write as _;

use gpucc::CodegenOptions;
use gpucc_ir::Module;
use gpucc_sim::{BoundBuffer, Dispatch, RunOptions, SplitMix64};
use gpucc_tests::exec::{self, On};
use rayon::prelude::*;

const GROUPS: u32 = 24;
const LANES: u32 = 32;

fn places() -> Vec<On> {
    let list = exec::targets("all,gcn:all");
    list.into_iter().map(exec::on).collect()
}

fn lower(wgsl: &str) -> Module {
    exec::lower(wgsl, "main", &[]).unwrap_or_else(|e| panic!("{e}\n{wgsl}"))
}

fn ran(m: &Module, on: On, level: u8, before: &Dispatch) -> Result<Dispatch, String> {
    let options = CodegenOptions { opt_level: level, ..CodegenOptions::default() };
    let mut d = before.clone();
    let r = exec::run(m, "main", on, &options, &mut d, &RunOptions::default());
    r.map(|_| d).map_err(|e| format!("{on} -O{level}: {e}"))
}

/// The words of binding 1 that differ from the oracle.
fn differs(m: &Module, on: On, level: u8, before: &Dispatch, wanted: &Dispatch) -> Option<String> {
    match ran(m, on, level, before) {
        Ok(d) if d == *wanted => None,
        Ok(d) => {
            let (got, wanted) = (d.words(0, 1).unwrap_or_default(), wanted.words(0, 1).unwrap_or_default());
            let at = got.iter().zip(&wanted).position(|(a, b)| a != b);
            let pair = at.map(|k| (got[k], wanted[k]));
            Some(format!("{on} -O{level}: word {at:?} is not what it should be: {pair:?}"))
        }
        Err(e) => Some(e),
    }
}

fn dispatch(groups: u32, data: &[u32]) -> Dispatch {
    let bytes = |w: &[u32]| w.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    let mut d = Dispatch::new([groups, 1, 1]);
    d.buffers.push(BoundBuffer { group: 0, binding: 0, bytes: bytes(data), writable: false });
    d.buffers.push(BoundBuffer { group: 0, binding: 1, bytes: bytes(&vec![0; data.len()]), writable: true });
    d
}

const HEAD: &str = "\
@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> o: array<u32>;
";

/// The last lanes of a loop return in a case, so that none comes to the continue part, which alone sends lanes behind the loop:
/// those that it sent there in earlier iterations still continue.
#[test]
fn lanes_wait_behind_a_loop_while_the_last_others_return() {
    let wgsl = format!(
        "{HEAD}\
fn f(me: u32, x: u32) -> u32 {{
    let n = x & 7u; var at = 0u;
    loop {{
        switch (me + at + at) & 7u {{
            default: {{ }}
            case 4u, 2u, 3u: {{
                switch (me + (me & 31u) + at) & 7u {{
                    case 7u: {{ return 1000u; }}
                    case 5u: {{ continue; }}
                    default: {{ }}
                }}
            }}
            case 0u, 5u, 1u: {{ return 2000u; }}
        }}
        continuing {{ at++; break if at >= n; }}
    }}
    return x + 3u;
}}
@compute @workgroup_size({LANES})
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {{ o[gid.x] = f(gid.x, data[gid.x]); }}
"
    );
    let m = lower(&wgsl);
    let data: Vec<u32> = (0..LANES * 8).map(|k| k.wrapping_mul(0x9e37_79b9) >> 20).collect();
    let before = dispatch(8, &data);
    // The function itself, once more.
    let f = |me: u32, x: u32| {
        let mut at = 0;
        loop {
            match (me + at + at) & 7 {
                2..=4 if (me + (me & 31) + at) & 7 == 7 => return 1000,
                0 | 1 | 5 => return 2000,
                _ => {}
            }
            at += 1;
            if at >= x & 7 {
                return x + 3;
            }
        }
    };
    let result: Vec<u32> = data.iter().enumerate().map(|(k, x)| f(k as u32, *x)).collect();
    let wanted = ran(&m, On::Interp, 0, &before).unwrap_or_else(|e| panic!("oracle: {e}"));
    assert_eq!(wanted.words(0, 1), Some(result));
    let all: Vec<_> = places().into_iter().flat_map(|on| (0..4).map(move |l| (on, l))).collect();
    let failures: Vec<String> = all.par_iter().filter_map(|&(on, l)| differs(&m, on, l, &before, &wanted)).collect();
    assert!(failures.is_empty(), "{failures:#?}");
}

/// Random functions of nothing but loops, switches and exits: what a lane does is decided by a word of its own and by the
/// iterations that it has made.
struct Maker {
    rng: SplitMix64,
    out: String,
    names: u32,
}

impl Maker {
    fn pick(&mut self, n: u32) -> u32 {
        self.rng.below(u64::from(n)) as u32
    }

    /// A condition that holds for some lanes in some iterations of the innermost loop.
    fn some(&mut self, counter: u32) -> String {
        let shift = self.pick(5) * 3;
        let (k, least) = (self.pick(8), 1 + self.pick(3));
        match self.pick(5) {
            0 => format!("((x >> {shift}u) & 7u) == {k}u"),
            1 => format!("n{counter} >= ((x >> {shift}u) & 3u) + {least}u"),
            2 => format!("((x >> {shift}u) & 1u) == 0u && n{counter} > {least}u"),
            3 => format!("((r + n{counter}) & 7u) == {k}u"),
            _ => format!("((x >> {shift}u) + n{counter}) % 5u == {}u", k % 5),
        }
    }

    fn statements(&mut self, depth: u32, counter: u32, in_switch: bool) {
        for _ in 0..1 + self.pick(3) {
            let k = self.pick(100);
            match self.pick(8) {
                0 => self.out += &format!("r = r * 3u + {k}u;\n"),
                1 | 2 => {
                    let c = self.some(counter);
                    self.out += &format!("if {c} {{ r += {k}u; ");
                    match self.pick(4) {
                        0 => self.out += &format!("return r ^ {k}u; }}\n"),
                        1 if counter > 0 => self.out += "continue; }\n",
                        2 if counter > 0 || in_switch => self.out += "break; }\n",
                        _ if depth > 0 => {
                            self.statements(depth - 1, counter, in_switch);
                            self.out += "}\n";
                        }
                        _ => self.out += "}\n",
                    }
                }
                3 | 4 if depth > 0 => self.switch(depth - 1, counter),
                5..=7 if depth > 0 => self.repeat(depth - 1),
                _ => self.out += &format!("r ^= {k}u + n{counter};\n"),
            }
        }
    }

    fn switch(&mut self, depth: u32, counter: u32) {
        let shift = self.pick(5) * 3;
        let _ = writeln!(self.out, "switch ((x >> {shift}u) + n{counter}) & 7u {{");
        let (a, width) = (self.pick(4), 1 + self.pick(2));
        let second = a + width + self.pick(2);
        for values in [Some((a, a + width)), Some((second, second + 1)), None] {
            match values {
                Some((from, to)) => {
                    let list: Vec<String> = (from..to).map(|v| format!("{v}u")).collect();
                    self.out += &format!("case {}: {{\n", list.join(", "));
                }
                None => self.out += "default: {\n",
            }
            let k = self.pick(100);
            match self.pick(6) {
                0 => self.out += &format!("return r + {k}u;\n"),
                1 if counter > 0 => self.out += "continue;\n",
                2 => {}
                _ => self.statements(depth, counter, true),
            }
            self.out += "}\n";
        }
        self.out += "}\n";
    }

    fn repeat(&mut self, depth: u32) {
        self.names += 1;
        let n = self.names;
        let _ = writeln!(self.out, "var n{n} = 0u; loop {{ n{n}++; if n{n} > 6u {{ break; }}");
        self.statements(depth, n, false);
        match self.pick(3) {
            0 => self.out += "}\n",
            _ => {
                let c = self.some(n);
                let _ = writeln!(self.out, "continuing {{ r += n{n}; break if {c}; }} }}");
            }
        }
        let k = self.pick(100);
        let _ = writeln!(self.out, "r = r * 5u + {k}u;");
    }
}

fn random(seed: u64) -> String {
    let mut m = Maker { rng: SplitMix64::new(seed), out: String::new(), names: 0 };
    m.repeat(2 + (seed % 2) as u32);
    // A return of a function within a loop leaves to the middle of that loop.
    let (from, to) = [("r = f(id.x, x);", ""), ("for (var k = 0u; k < 3u; k++) { r += f(r, x >> k);", "r *= 7u; }")]
        [(seed / 2 % 2) as usize];
    format!(
        "{HEAD}fn f(start: u32, x: u32) -> u32 {{ var r = start; var n0 = 0u;\n{}return r;\n}}\n\
         @compute @workgroup_size({LANES})\nfn main(@builtin(global_invocation_id) id: vec3<u32>) {{\n\
         let x = data[id.x]; var r = 0u;\n{from} {to}\no[id.x] = r;\n}}\n",
        m.out
    )
}

/// In a workgroup lanes are of a few kinds only, so that often the last of one kind leave together.
fn few_kinds(seed: u64) -> Vec<u32> {
    let mut rng = SplitMix64::new(seed ^ 0x5eed);
    let mut data = Vec::new();
    for group in 0..GROUPS {
        let kinds: Vec<u32> = (0..1 + group % 6).map(|_| rng.next_u64() as u32).collect();
        data.extend((0..LANES).map(|_| kinds[rng.below(kinds.len() as u64) as usize]));
    }
    data
}

#[test]
fn random_exits_are_right_everywhere() {
    let var = |name: &str| std::env::var(name).ok().and_then(|n| n.parse().ok());
    let (count, levels): (u64, u8) = var("GPUCC_RANDOM").map_or((60, 1), |n| (n, 4));
    let all = places();
    let failures: Vec<String> = (0..count)
        .into_par_iter()
        .flat_map_iter(|seed| {
            let wgsl = random(seed);
            let m = lower(&wgsl);
            let before = dispatch(GROUPS, &few_kinds(seed));
            let wanted = ran(&m, On::Interp, 0, &before).unwrap_or_else(|e| panic!("oracle: {e}\n{wgsl}"));
            let mut found = Vec::new();
            for (k, &on) in all.iter().enumerate() {
                for l in 0..levels {
                    let level = ((seed + k as u64) % 4) as u8 ^ l;
                    let wrong = differs(&m, on, level, &before, &wanted);
                    found.extend(wrong.map(|e| format!("seed {seed}, {e}\n{wgsl}")));
                }
            }
            found
        })
        .collect();
    let heads: Vec<&str> = failures.iter().filter_map(|f| f.lines().next()).collect();
    assert!(failures.is_empty(), "{} failures:\n{}\n\n{}", failures.len(), heads.join("\n"), failures[0]);
}
