//! Programs of another compiler for a family (`foreign/graphics/FAMILY.jsonl`), and ours for the same shaders.

use gpucc::{CodegenOptions, Options, Target};
use gpucc_container::Entry;
use gpucc_isa::{Notes, stage};
use gpucc_tests::{exec, shared};
use serde_json::Value;

/// The programs, if they are there: one JSON object a line.
pub fn programs(family: &str) -> Vec<Value> {
    let Some(path) = shared::find(&format!("foreign/graphics/{family}.jsonl")) else { return Vec::new() };
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.lines().map(|l| serde_json::from_str(l).expect("an object a line")).collect()
}

pub fn code(p: &Value) -> Vec<u8> {
    let hex = p["code"].as_str().expect("code");
    (0..hex.len()).step_by(2).map(|k| u8::from_str_radix(&hex[k..k + 2], 16).expect("hex")).collect()
}

fn stage_of(p: &Value) -> u8 {
    match p["stage"].as_str() {
        Some("vertex") => stage::VS,
        Some("fragment") => stage::FS,
        _ => stage::CS,
    }
}

fn generation(family: &str, p: &Value) -> usize {
    let machine = gpucc_machines::find(family).expect("the family");
    machine.generations.iter().position(|g| Some(*g) == p["generation"].as_str()).expect("a chip")
}

/// The listing of code for the chip and stage of a program, and how many words it does not know.
pub fn listing(family: &str, p: &Value, code: &[u8]) -> (String, usize) {
    let machine = gpucc_machines::find(family).expect("the family");
    let listing = (machine.disassemble)(code, generation(family, p), stage_of(p), &Notes::default());
    (listing.text, listing.bad_words as usize)
}

/// Holds that the code of each program is read, but for so many words, and comes back from its listing.
pub fn read_and_assemble_back(family: &str, unknown: impl Fn(&Value, &str) -> usize) {
    let machine = gpucc_machines::find(family).expect("the family");
    let all = programs(family);
    assert!(all.is_empty() || all.len() == 120);
    for p in &all {
        let (id, code) = (&p["id"], code(p));
        let (text, bad) = listing(family, p, &code);
        assert_eq!(bad, unknown(p, &text), "{id}: {text}");
        let back = (machine.assemble)(&text, generation(family, p), stage_of(p), false);
        let back = back.unwrap_or_else(|e| panic!("{id}: {}", e[0]));
        assert!(back == code, "{id}: other words come back");
    }
}

/// Our program for an entry point of a shader, with default state of the pipeline.
pub fn ours(family: &str, p: &Value, wgsl: &str, entry: &str) -> Option<Entry> {
    let module = exec::lower(wgsl, entry, &[]).ok()?;
    let target = Target::parse(&format!("{family}:{}", p["generation"].as_str()?)).expect("a target");
    let codegen = CodegenOptions { opt_level: 2, ..CodegenOptions::default() };
    let done = gpucc::compile_entry(&module, entry, &Options { target, codegen }).ok()?;
    Some(done.container().entries[0].clone())
}
