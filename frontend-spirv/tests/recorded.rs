//! Random compute programs of GLSL with results that lavapipe gave (Mesa's reader of SPIR-V, on the processor): `tests/spirv/random.txt`, two
//! hundred of them, plain and behind `spirv-opt -O`. Without `glslangValidator` the test says that it is skipped.

use crate::forms::{all_glsl, module};
use gpucc_glsl::Source;
use gpucc_sim::{Dispatch, RunOptions};
use std::path::PathBuf;

fn words(line: &str, name: &str) -> Vec<u32> {
    let rest = line.strip_prefix(name).expect("a line of words");
    rest.split_whitespace().map(|w| u32::from_str_radix(w, 16).expect("a word")).collect()
}

#[test]
fn random_programs_give_what_lavapipe_gives() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/spirv/random.txt");
    let text = std::fs::read_to_string(path).expect("the programs");
    let (mut programs, mut compared, mut wrong) = (0, 0, Vec::new());
    let parts = text.split("\nend\n").filter(|p| !p.trim().is_empty()).map(|program| {
        let mut lines = program.splitn(4, '\n');
        let mut next = || lines.next().expect("a program has four parts");
        (next(), words(next(), "in"), words(next(), "out"), next())
    });
    let parts: Vec<_> = parts.collect();
    let sources: Vec<Source> = parts.iter().map(|p| Source { stage: "comp", text: p.3.into() }).collect();
    for ((name, input, expected, source), modules) in parts.into_iter().zip(all_glsl(&sources)) {
        programs += 1;
        for bytes in modules {
            let module = module(&bytes, source);
            let mut dispatch = Dispatch::new([1; 3]).with_u32(0, 0, &input).with_u32(0, 1, &vec![0; expected.len()]);
            let run = RunOptions { perturb: Some(programs), ..RunOptions::default() };
            let options = gpucc_interp::Options { run, ..gpucc_interp::Options::default() };
            match gpucc_interp::run(&module, "main", &mut dispatch, &options) {
                Ok(_) if dispatch.words(0, 1).as_ref() == Some(&expected) => compared += 1,
                Ok(_) => wrong.push(format!("{name} differs")),
                Err(trap) => wrong.push(format!("{name}: {trap}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(programs, 200);
    if compared > 0 {
        assert!(compared >= 200, "{compared} runs");
    }
}
