//! `gpucc run --launch`: machine code of any compiler from a launch description.

use crate::common::Scratch;

/// A description of GCN code on gfx8 that has binding 0 of 8 bytes in s[0:3], in a file.
fn file(s: &Scratch, name: &str, code: &str) -> String {
    let preloads: Vec<String> = (0..4).map(|w| format!(r#"[0, {w}, ["DescriptorWord", 0, 0, {w}]]"#)).collect();
    let text = format!(
        r#"{{"format": "gpucc-foreign-1", "id": "{name}", "family": "gcn", "generation": "gfx8",
        "workgroup": [64, 1, 1], "dispatch": [1, 1, 1], "code": "{code}",
        "launch": {{"subgroup_size": 64, "registers": [[0, 16], [1, 4]], "shared_bytes": 0, "scratch_bytes": 0,
          "family_words": [2883776, 8], "flags": 0, "preloads": [{}],
          "resources": [{{"group": 0, "binding": 0, "kind": "storage_rw"}}]}},
        "buffers": [{{"group": 0, "binding": 0, "type": "storage_rw", "size": 8}}], "checks": []}}"#,
        preloads.join(", ")
    );
    s.write(&format!("{name}.json"), text)
}

#[track_caller]
fn expect(path: &str, more: &[&str], code: i32, needle: &str) {
    crate::common::expect(&[&["run", "--launch", path][..], more].concat(), code, needle);
}

#[test]
fn launches_and_says_what_is_wrong() {
    // v_mov_b32 v0, 7; buffer_store_dword v0, off, s[0:3], 0 with an unused VADDR; s_endpgm.
    let s = Scratch::new("launch");
    let good = file(&s, "good", "8702007e000070e080000080000081bf");
    expect(&good, &["--dump", "0:0=-", "--stats", "--perturb", "3"], 0, "gcn:gfx8: 3 instructions");
    expect(&good, &["--dump", "0:0=-"], 0, "0:0 = 7,0");
    expect(&good, &["--dump", "0:1=-"], 2, "no buffer 0:1 is bound");
    expect(&good, &["--steps", "10"], 1, "step limit");
    expect(&good, &["--oracle"], 2, "cannot be used with");
    let trap = file(&s, "trap", "8702007e");
    expect(&trap, &[], 1, "fell off the end: execution ran past the last instruction\n = at 0x4 in");
    let bad = file(&s, "bad", "870200");
    let text = std::fs::read_to_string(&bad).unwrap().replace("\"flags\": 0,", "");
    std::fs::write(&bad, text).unwrap();
    expect(&bad, &[], 1, "bad.json` is not a launch description: `launch`: missing field `flags`");
    expect("/nowhere/to/be/found.json", &[], 2, "found.json");
}

/// The example of the page runs as the page says.
#[test]
fn the_page_has_an_example() {
    let page = include_str!("../../docs/launch.md");
    let example = page.split("```json\n").nth(1).and_then(|t| t.split("```").next()).expect("an example");
    let s = Scratch::new("launch-page");
    expect(&s.write("page.json", example), &["--dump", "0:0=-"], 0, "0:0 = 7,0");
}
