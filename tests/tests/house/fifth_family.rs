//! What one more family must touch outside of its folder: files in which every family stands are counted.

use std::collections::BTreeMap;
use std::fs;

use gpucc_machines::MACHINES;
use gpucc_tests::shared;

use crate::house::structure::{crates, rust_files};

/// Files that join families. The list only becomes shorter.
const JOINTS: &[&str] = &[
    "Cargo.toml",
    "cli/Cargo.toml",
    "gpucc/Cargo.toml",
    "gpucc/src/target.rs",
    "runtime/machines/Cargo.toml",
    "runtime/machines/src/lib.rs",
];

/// Files that name every family and need nothing of one more, with the reason.
const OPTIONAL: &[(&str, &str)] = &[
    ("cli/src/targets.rs", "other names of chips, for who misspells a target"),
    ("runtime/vulkan/src/settings.rs", "which devices come first in a list; the rest follow"),
    ("xtask/tools/src/peers/draws.rs", "other compilers that there is something to compare with"),
    ("xtask/tools/src/peers/measure.rs", "the same"),
];

/// Manifests and sources outside of families' folders and of tests, with the code of each: comments are left out.
fn files() -> BTreeMap<String, String> {
    let root = shared::workspace();
    let mut list = vec![root.join("Cargo.toml")];
    for folder in crates() {
        rust_files(&folder.join("src"), &mut list);
        list.push(folder.join("Cargo.toml"));
    }
    let mut out = BTreeMap::new();
    for file in list {
        let name = file.strip_prefix(&root).expect("inside").display().to_string();
        let folders: Vec<&str> = name.split('/').collect();
        if name.starts_with("backend-") || folders.contains(&"tests") {
            continue;
        }
        let text = fs::read_to_string(&file).expect("a file");
        // Tests inside of a file stand at its end.
        let text = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        let code = text.lines().filter(|l| !["//", "#!", "# "].iter().any(|c| l.trim_start().starts_with(c)));
        out.insert(name, code.collect::<Vec<_>>().join("\n").to_lowercase());
    }
    out
}

/// Whether a text has a name as a word, or as a part between lines of one: `gpucc_gcn`, `"gcn"`.
fn names(text: &str, family: &str) -> bool {
    let inside = |c: char| c.is_ascii_alphanumeric();
    text.match_indices(family).any(|(at, _)| {
        let (before, after) = (text[..at].chars().next_back(), text[at + family.len()..].chars().next());
        !before.is_some_and(inside) && !after.is_some_and(inside)
    })
}

#[test]
fn a_family_is_a_folder_and_six_files() {
    let files = files();
    assert!(files.len() > 400, "{} files: others were read", files.len());
    let every = |text: &String| MACHINES.iter().all(|m| names(text, m.family));
    let found: Vec<&str> = files.iter().filter(|f| every(f.1)).map(|f| f.0.as_str()).collect();
    let mut known: Vec<&str> = JOINTS.iter().copied().chain(OPTIONAL.iter().map(|o| o.0)).collect();
    known.sort_unstable();
    assert_eq!(found, known, "files in which every family stands");
    assert!(JOINTS.len() <= 6);
    // What joins one family joins all: a file that names one alone is about that one.
    for joint in JOINTS {
        assert!(files.contains_key(*joint), "{joint} is no file");
    }
}

#[test]
fn names_are_found_as_words() {
    for (text, is) in [
        ("gpucc_gcn_machine", true),
        ("\"gcn\": x", true),
        ("dep:gpucc-gcn", true),
        ("gcnx", false),
        ("agcn", false),
        ("", false),
    ] {
        assert_eq!(names(text, "gcn"), is, "{text}");
    }
}
