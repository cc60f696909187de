//! `gpucc run --launch`: machine code of any compiler from a launch description.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn run(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gpucc")).args(args).output().expect("the command starts")
}

/// A description of GCN code on gfx8 that has binding 0 of 8 bytes in s[0:3], in a file.
fn file(name: &str, code: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("gpucc-launch-{}-{name}.json", std::process::id()));
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
    std::fs::write(&path, text).expect("a temporary file");
    path
}

fn expect(path: &Path, more: &[&str], code: i32, needle: &str) {
    let o = run(&[&["run", "--launch", path.to_str().expect("a plain path")][..], more].concat());
    let text = format!("{}{}", String::from_utf8_lossy(&o.stdout), String::from_utf8_lossy(&o.stderr));
    assert_eq!(o.status.code(), Some(code), "{text}");
    assert!(text.contains(needle), "{text}");
}

#[test]
fn launches_and_says_what_is_wrong() {
    // v_mov_b32 v0, 7; buffer_store_dword v0, off, s[0:3], 0 with an unused VADDR; s_endpgm.
    let good = file("good", "8702007e000070e080000080000081bf");
    expect(&good, &["--dump", "0:0=-", "--stats", "--perturb", "3"], 0, "gcn:gfx8: 3 instructions");
    expect(&good, &["--dump", "0:0=-"], 0, "0:0 = 7,0");
    expect(&good, &["--dump", "0:1=-"], 2, "no buffer 0:1 is bound");
    expect(&good, &["--steps", "10"], 1, "step limit");
    expect(&good, &["--oracle"], 2, "cannot be used with");
    let trap = file("trap", "8702007e");
    expect(&trap, &[], 1, "fell off the end: execution ran past the last instruction\n = at 0x4 in");
    let bad = file("bad", "870200");
    let text = std::fs::read_to_string(&bad).unwrap().replace("\"flags\": 0,", "");
    std::fs::write(&bad, text).unwrap();
    expect(&bad, &[], 1, "bad.json` is not a launch description: `launch`: missing field `flags`");
    expect(Path::new("/nowhere/to/be/found.json"), &[], 2, "found.json");
    for p in [good, trap, bad] {
        std::fs::remove_file(p).expect("the file is there");
    }
}

/// The example of the page runs as the page says.
#[test]
fn the_page_has_an_example() {
    let page = include_str!("../../docs/launch.md");
    let example = page.split("```json\n").nth(1).and_then(|t| t.split("```").next()).expect("an example");
    let path = std::env::temp_dir().join(format!("gpucc-launch-{}-page.json", std::process::id()));
    std::fs::write(&path, example).expect("a temporary file");
    expect(&path, &["--dump", "0:0=-"], 0, "0:0 = 7,0");
    std::fs::remove_file(path).expect("the file is there");
}
