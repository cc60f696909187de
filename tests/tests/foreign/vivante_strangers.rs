//! Programs of another compiler for Vivante (`foreign/graphics/vivante.jsonl`): what the listing says of their words, and that our
//! programs for the same shaders want of the hardware what theirs do, where nobody has a choice.

use gpucc_container::Entry;
use gpucc_tests::shared;
use gpucc_vivante_driver::{Chip, link_words};
use serde_json::Value;

use super::strangers::{self, programs};

const FAMILY: &str = "vivante";

fn is_vertex(p: &Value) -> bool {
    p["stage"] == "vertex"
}

#[test]
fn programs_are_read_and_assemble_back() {
    strangers::read_and_assemble_back(FAMILY, |p, text| {
        // A fetch that the chip has not is a word with a note, and a fault of the peer.
        let notes = text.lines().filter(|l| l.contains(".word") && l.contains("(txf ")).count();
        assert!(notes == 0 || p["caveat"].to_string().contains("txf on a chip before HALTI5"), "{}", p["id"]);
        notes
    });
}

/// Our program for the shader of the shared corpus that a program was made of, with default targets.
fn ours(p: &Value) -> Option<Entry> {
    let (file, entry) = p["id"].as_str()?.strip_prefix("corpus/")?.rsplit_once(':')?;
    let source = std::fs::read_to_string(shared::find(&format!("corpus/graphics/{file}.wgsl"))?).ok()?;
    strangers::ours(FAMILY, p, &source, entry)
}

/// Words of state that follow from the shader: address, name, and the bits that do.
const STATE: [(u32, &str, u32); 6] = [
    // Vertex ids and instances, elements and the word that counts both.
    (0x0808, "VS_INPUT_COUNT", u32::MAX),
    // Their linker packs varyings: the number is its choice.
    (0x1008, "PS_INPUT_COUNT", 0xffff_ff00),
    (0x1010, "PS_CONTROL", u32::MAX),
    (0x1030, "PS_CONTROL_EXT", u32::MAX),
    (0x0e08, "RA_EARLY_DEPTH", u32::MAX),
    // Components of the register with the numbers.
    (0x07c4, "FE_HALTI5_ID_CONFIG", 0x0000_0003),
];

#[test]
fn state_is_what_another_compiler_asks_for() {
    let hex = |v: &Value| u32::from_str_radix(v.as_str()?.split(' ').next()?, 16).ok();
    let (mut compared, all) = (0, programs(FAMILY));
    let mut wrong = Vec::new();
    for p in all.iter().filter(|p| p["caveat"].is_null()) {
        let Some(ours) = ours(p) else { continue };
        let integers = ours.interface.iter().any(|r| r.output && r.integer);
        for (register, name, mask) in STATE {
            let (Some(theirs), Some(ours)) =
                (hex(&p["state"]["words"][name]), ours.state.iter().find(|w| w.register == register))
            else {
                continue;
            };
            // Targets of integers are other formats there.
            if integers && matches!(name, "PS_CONTROL" | "PS_CONTROL_EXT") {
                continue;
            }
            compared += 1;
            if ours.value & mask != theirs & mask {
                wrong.push(format!(
                    "{} on {}: {name} {:08x}, theirs {theirs:08x}",
                    p["id"], p["generation"], ours.value
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {compared}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(all.is_empty() || compared > 200, "only {compared} words were compared");
}

/// Names of the words between the stages, by register.
const LINK: [(u32, &str); 12] = [
    (0x0804, "VS_OUTPUT_COUNT"),
    (0x0a30, "PA_ATTRIBUTE_ELEMENT_COUNT"),
    (0x381c, "GL_VARYING_TOTAL_COMPONENTS"),
    (0x0e00, "RA_CONTROL"),
    (0x3820, "GL_VARYING_NUM_COMPONENTS"),
    (0x3834, "GL_VARYING_NUM_COMPONENTS2"),
    (0x0a90, "PA_VARYING_NUM_COMPONENTS[0]"),
    (0x0a94, "PA_VARYING_NUM_COMPONENTS[1]"),
    (0x1080, "PS_VARYING_NUM_COMPONENTS[0]"),
    (0x0870, "VS_HALTI5_OUTPUT_COUNT"),
    (0x0aa8, "PA_VS_OUTPUT_COUNT"),
    (0x3888, "GL_HALTI5_SH_SPECIALS"),
];

/// How varyings are packed is the choice of a linker; the words that follow from theirs are none. All of them, whole.
#[test]
fn interface_words_are_those_of_another_compiler() {
    let (mut equal, mut wrong, all) = (0, Vec::new(), programs(FAMILY));
    for p in &all {
        let list = &p["state"][if is_vertex(p) { "varyings" } else { "inputs" }];
        let components = |v: &Value| v["components"].as_u64().expect("a number") as u32;
        let components: Vec<u32> = list.as_array().expect("varyings").iter().map(components).collect();
        let chip = Chip::of(p["generation"].as_str().expect("a chip")).expect("a generation");
        for (register, ours) in link_words(chip, components.len() as u32 + 1, &components) {
            let Some((_, name)) = LINK.iter().find(|l| l.0 == register) else { continue };
            let Some(theirs) = p["state"]["words"][*name].as_str() else { continue };
            match u32::from_str_radix(theirs, 16) {
                Ok(theirs) if theirs == ours => equal += 1,
                _ => wrong.push(format!("{} on {}: {name} {ours:08x}, theirs {theirs}", p["id"], p["generation"])),
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), wrong.len() + equal, wrong.join("\n"));
    println!("{equal} words are equal");
    assert!(all.is_empty() || equal > 600, "only {equal} words were compared");
}
