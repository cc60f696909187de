//! Programs of another compiler for Tesla (`foreign/graphics/tesla.jsonl`): what the listing says of their words, and that our programs
//! for the same shaders want of the hardware what theirs do, where nobody has a choice.

use gpucc::{CodegenOptions, Options, Target};
use gpucc_isa::{Notes, stage};
use gpucc_tests::{exec, shared};
use serde_json::Value;

/// The programs, if they are there: one JSON object a line.
fn programs() -> Vec<Value> {
    let Some(path) = shared::find("foreign/graphics/tesla.jsonl") else { return Vec::new() };
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.lines().map(|l| serde_json::from_str(l).expect("an object a line")).collect()
}

fn code(p: &Value) -> Vec<u8> {
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

#[test]
fn programs_are_read_and_assemble_back() {
    let machine = gpucc_machines::find("tesla").expect("the family");
    let all = programs();
    assert!(all.is_empty() || all.len() == 120);
    for p in &all {
        let (id, code) = (&p["id"], code(p));
        let generation = machine.generations.iter().position(|g| Some(*g) == p["generation"].as_str()).expect("a chip");
        let listing = (machine.disassemble)(&code, generation, stage_of(p), &Notes::default());
        assert_eq!(listing.bad_words, 0, "{id}: {}", listing.text);
        let back = (machine.assemble)(&listing.text, generation, stage_of(p), false);
        let back = back.unwrap_or_else(|e| panic!("{id}: {}", e[0]));
        assert!(back == code, "{id}: other words come back");
    }
}

/// Words of state that follow from the shader: method, name, mask.
const STATE: [(u32, &str, u32); 4] = [
    (0x1298, "FP_RESULT_COUNT", u32::MAX),
    (0x19a8, "FP_CONTROL", 0x10_0101),
    (0x196c, "FP_CTRL_UNK196C", u32::MAX),
    // Words of v[], how many are not flat, which of the position.
    (0x1988, "FP_INTERPOLANT_CTRL", 0x0800_0000),
];

#[test]
fn state_is_what_another_compiler_asks_for() {
    let number = |v: &Value| match v {
        Value::String(s) => u32::from_str_radix(s.trim_start_matches("0x"), 16).ok(),
        v => v.as_u64().map(|n| n as u32),
    };
    let (mut compared, all) = (0, programs());
    for p in all.iter().filter(|p| p["stage"] == "fragment") {
        let (Some(source), Some(id)) = (p["wgsl"].as_str(), p["id"].as_str()) else { continue };
        let Some((_, entry)) = id.rsplit_once(':') else { continue };
        let Ok(module) = exec::lower(source, entry, &[]) else { continue };
        let target = Target::parse(&format!("tesla:{}", p["generation"].as_str().unwrap_or("nva3"))).expect("a target");
        let codegen = CodegenOptions { opt_level: 2, ..CodegenOptions::default() };
        let Ok(output) = gpucc::compile(&module, &Options { target, codegen }) else { continue };
        let state = &output.container().entries[0].state;
        for (register, name, mask) in STATE {
            let (Some(theirs), Some(ours)) = (number(&p["state"][name]), state.iter().find(|w| w.register == register))
            else {
                continue;
            };
            compared += 1;
            assert_eq!(ours.value & mask, theirs & mask, "{id}: {name}");
        }
    }
    assert!(all.is_empty() || compared > 100, "only {compared} words were compared");
}
