//! Random compute programs of GLSL with integers of 64, 16 and 8 bits, halves, vectors of halves and floats of 64 bits, and what lavapipe gave for them:
//! `tests/spirv/wide.txt`, made by `tests/spirv/wide/wide.py`, which says what keeps their results exact. Each is run as glslang writes
//! it and as `spirv-opt` leaves it: on the oracle, on every generation at -O2, and one in three at -O0.
//!
//! `GPUCC_WIDE=FILE` takes the programs of another record. Without `glslc` or `glslangValidator` nothing is run, and the test says so.

use std::collections::BTreeMap;
use std::path::PathBuf;

use gpucc::CodegenOptions;
use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc_glsl::{Source, has};
use gpucc_ir::Module;
use gpucc_ir::refusal::Kind;
use gpucc_sim::{Dispatch, RunOptions};
use gpucc_tests::exec::{self, On, Problem};
use rayon::prelude::*;

/// Programs whose texts are compiled at once.
const CHUNK: usize = 40;

struct Program<'a> {
    name: &'a str,
    input: Vec<u8>,
    output: Vec<u8>,
    text: &'a str,
}

/// The programs of a record: a name, words in, words out, the text.
fn programs(text: &str) -> Vec<Program<'_>> {
    let bytes = |line: &str| {
        let words = line.split_whitespace().skip(1);
        words.flat_map(|w| u64::from_str_radix(w, 16).expect("a word").to_le_bytes()).collect()
    };
    let one = |program| {
        let mut lines = str::splitn(program, 4, '\n');
        let mut next = || lines.next().expect("a program has four parts");
        Program { name: next(), input: bytes(next()), output: bytes(next()), text: next() }
    };
    text.split("\nend\n").filter(|p| !p.trim().is_empty()).map(one).collect()
}

/// What runs came to: how many gave what lavapipe gave, and how many were refused by which code on which family.
#[derive(Default)]
struct Count {
    equal: BTreeMap<String, u32>,
    refused: BTreeMap<String, u32>,
    wrong: Vec<String>,
}

impl Count {
    fn take(&mut self, other: Count) {
        other.equal.into_iter().for_each(|(k, n)| *self.equal.entry(k).or_default() += n);
        other.refused.into_iter().for_each(|(k, n)| *self.refused.entry(k).or_default() += n);
        self.wrong.extend(other.wrong);
    }
}

fn load(bytes: &[u8]) -> Result<Module, String> {
    frontend::load(bytes, Lang::Spirv, &FrontOptions::default()).map(|l| l.module).map_err(|d| format!("{d:?}"))
}

/// Runs a module everywhere.
fn runs(p: &Program<'_>, form: &str, module: &Module, turn: usize) -> Count {
    let mut count = Count::default();
    let before = Dispatch::new([1; 3]).with(0, 0, p.input.clone()).with(0, 1, vec![0; p.output.len()]);
    let chips = exec::targets("all:all").into_iter().map(exec::on);
    for (k, on) in std::iter::once(On::Interp).chain(chips).enumerate() {
        let levels: &[u8] = if matches!(on, On::Interp) {
            &[0]
        } else if (k + turn).is_multiple_of(3) {
            &[0, 2]
        } else {
            &[2]
        };
        for &opt_level in levels {
            let mut d = before.clone();
            let codegen = CodegenOptions { opt_level, ..CodegenOptions::default() };
            let place = on.to_string();
            match exec::run(module, "main", on, &codegen, &mut d, &RunOptions::default()) {
                Ok(_) if d.buffer(0, 1).expect("the output").bytes == p.output => {
                    *count.equal.entry(place).or_default() += 1;
                }
                Ok(_) => {
                    count.wrong.push(format!("{} {form} {on} -O{opt_level}: other values than lavapipe's", p.name))
                }
                // Floats of 64 bits are no part of most chips, and the smallest has little room.
                Err(Problem::Refused(codes, _))
                    if codes.iter().all(|c| c.kind() == Kind::Capacity || c.name() == "wide-types") =>
                {
                    *count.refused.entry(format!("{place} {}", codes[0].name())).or_default() += 1;
                }
                Err(e) => count.wrong.push(format!("{} {form} {on} -O{opt_level}: {e}", p.name)),
            }
        }
    }
    count
}

#[test]
fn random_programs_with_wide_and_narrow_types_give_what_lavapipe_gives() {
    let own = std::env::var("GPUCC_WIDE").ok().map(PathBuf::from);
    let path = own.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../spirv/wide.txt"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let all = programs(&text);
    let optimises = has("spirv-opt");
    let mut count = Count::default();
    for (number, chunk) in all.chunks(CHUNK).enumerate() {
        let sources: Vec<Source> = chunk.iter().map(|p| Source { stage: "comp", text: p.text.into() }).collect();
        let Some(plain) = gpucc_glsl::compile("vulkan1.2", &sources).expect("files are written") else {
            eprintln!("neither glslc nor glslangValidator is installed: nothing is run");
            return;
        };
        let ends: Vec<Count> = chunk
            .par_iter()
            .zip(plain)
            .enumerate()
            .map(|(k, (p, plain))| {
                let plain = plain.unwrap_or_else(|e| panic!("{}: {e}", p.name));
                let turn = number * CHUNK + k;
                let mut forms = vec![("plain", plain.clone())];
                if optimises {
                    forms.push(("spirv-opt", gpucc_glsl::optimised(&format!("wide.{turn}"), &plain)));
                }
                let mut count = Count::default();
                for (form, bytes) in forms {
                    match load(&bytes) {
                        Ok(module) => count.take(runs(p, form, &module, turn)),
                        Err(e) => count.wrong.push(format!("{} {form}: {e}", p.name)),
                    }
                }
                count
            })
            .collect();
        ends.into_iter().for_each(|c| count.take(c));
        println!(
            "{} programs, {} runs equal, {} wrong",
            (number + 1) * CHUNK,
            count.equal.values().sum::<u32>(),
            count.wrong.len()
        );
    }
    println!("equal: {:?}\nrefused: {:?}", count.equal, count.refused);
    assert!(count.wrong.is_empty(), "{}", count.wrong.join("\n"));
    assert!(
        !all.is_empty() && count.equal.get("interp").is_some_and(|&n| n as usize >= all.len()),
        "nothing is compared"
    );
    let places = 1 + exec::targets("all:all").len();
    assert_eq!(count.equal.len(), places, "each place runs some of them");
}
