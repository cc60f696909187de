//! naga's parser beside the reference compiler: of GLSL text it gives what the other gives, or refuses it. Programs are put together at
//! random from statements that have two readings where a reader is careless. `GPUCC_READERS=N` takes N of them in place of the usual number. Without `glslangValidator` nothing is run, and the test says so.

use std::fmt::Write;

use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc::glsl::{Reader, has_compiler};
use gpucc::{Class, CodegenOptions};
use gpucc_ir::{Module, Refusal};
use gpucc_sim::{Dispatch, RunOptions};
use gpucc_tests::exec::{self, On};

/// Numbers of a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    /// An integer expression of `a`, `b`, `g` and memory; some of them act.
    fn value(&mut self, depth: u64) -> String {
        let n = self.below(if depth > 2 { 5 } else { 11 });
        let mut part = || self.value(depth + 1);
        match n {
            0 => "a".into(),
            1 => "b".into(),
            2 => "g".into(),
            3 => format!("{}", self.below(9)),
            4 => format!("o[{}]", self.below(8)),
            5 => format!("({} + {})", part(), part()),
            6 => format!("({} * {} & 1023)", part(), part()),
            7 => format!("(({}) > ({}) ? {} : {})", part(), part(), part(), part()),
            8 => format!("int({})", self.truth(depth + 1)),
            9 => "bump()".into(),
            _ => format!("({} ^ (a++ & 7))", part()),
        }
    }

    /// A boolean expression.
    fn truth(&mut self, depth: u64) -> String {
        let n = self.below(if depth > 2 { 2 } else { 4 });
        let mut part = || self.value(depth + 1);
        match n {
            0 | 1 => format!("{} < {}", part(), part()),
            2 => format!("({} && {})", self.truth(depth + 1), self.truth(depth + 1)),
            _ => format!("({} || {})", self.truth(depth + 1), self.truth(depth + 1)),
        }
    }

    fn statement(&mut self, out: &mut String, depth: u64) {
        let at = self.below(8);
        let _ = match self.below(if depth > 2 { 3 } else { 8 }) {
            0 => writeln!(out, "o[{at}] = {};", self.value(0)),
            1 => writeln!(out, "a = {};", self.value(0)),
            2 => writeln!(out, "b += {} & 15;", self.value(0)),
            3 => {
                let _ = writeln!(out, "if ({}) {{", self.truth(0));
                self.statement(out, depth + 1);
                writeln!(out, "}}")
            }
            4 => {
                let _ = writeln!(
                    out,
                    "for (int i{depth} = 0; i{depth} < 4; i{depth}++) {{ if ({}) continue;",
                    self.truth(1)
                );
                self.statement(out, depth + 1);
                writeln!(out, "}}")
            }
            5 => {
                let _ = writeln!(out, "{{ int d{depth} = 0; do {{ d{depth}++;");
                if self.below(2) == 0 {
                    let _ = writeln!(out, "if ({}) continue;", self.truth(1));
                }
                self.statement(out, depth + 1);
                writeln!(out, "}} while (d{depth} < 4); }}")
            }
            6 => {
                let _ = writeln!(out, "switch ({} & 3) {{ case 0: a += 3;", self.value(1));
                self.statement(out, depth + 1);
                let _ = writeln!(out, "break; default: b++; case 2:");
                self.statement(out, depth + 1);
                writeln!(out, "}}")
            }
            _ => writeln!(out, "b = int({});", self.truth(0)),
        };
    }

    fn program(&mut self) -> String {
        let first = if self.below(4) == 0 { "h + 1" } else { "5" };
        let mut out = format!(
            "#version 450\nlayout(local_size_x = 1) in;\nlayout(std430, set = 0, binding = 0) buffer O {{ int o[8]; }};\n\
             int h = 2; int g = {first};\nint bump() {{ g = g * 3 + 1 & 255; return g; }}\nvoid main() {{ int a = o[0], b = o[1];\n"
        );
        for _ in 0..3 + self.below(4) {
            self.statement(&mut out, 0);
        }
        out + "o[6] = a; o[7] = b + g;\n}\n"
    }
}

/// What a program leaves in its buffer.
fn results(module: &Module) -> Result<Option<Vec<u32>>, String> {
    let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[3, 1, 4, 1, 5, 9, 2, 6]);
    let run = RunOptions { step_limit: 1_000_000, ..RunOptions::default() };
    let done = exec::run(module, "main", On::Interp, &CodegenOptions::default(), &mut d, &run);
    done.map(|_| d.words(0, 0)).map_err(|e| e.to_string())
}

#[test]
fn both_readers_agree_or_one_refuses() {
    if !has_compiler() {
        eprintln!("skipped: there is no `glslangValidator`");
        return;
    }
    let (mut equal, mut refused) = (0, 0);
    let count = std::env::var("GPUCC_READERS").map_or(60, |n| n.parse().expect("GPUCC_READERS is a number"));
    for seed in 0..count {
        let text = Random(seed).program();
        let load = |glsl| {
            frontend::load(text.as_bytes(), Lang::GlslCompute, &FrontOptions { glsl, ..FrontOptions::default() })
        };
        let best = load(Reader::Glslang).unwrap_or_else(|list| panic!("seed {seed}: {:?}\n{text}", list[0])).module;
        let naga = match load(Reader::Naga) {
            Ok(loaded) => loaded.module,
            Err(list) => {
                let own =
                    |d: &gpucc_ir::Diagnostic| d.class == Class::Unsupported && d.refusal() == Some(Refusal::Parser);
                assert!(list.iter().all(own), "seed {seed}: {list:?}\n{text}");
                refused += 1;
                continue;
            }
        };
        assert_eq!(results(&naga), results(&best), "seed {seed}\n{text}");
        equal += 1;
    }
    println!("{equal} equal, {refused} refused");
    // A test in which nothing is compared is none.
    assert!(equal >= 10 && refused >= 10, "{equal} equal, {refused} refused");
}
