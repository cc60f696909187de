//! `gpucc icd` and `gpucc exec`.

use crate::common::{Scratch, expect};

/// A file that stands for the driver's library: these commands do not load it.
fn library(s: &Scratch) -> String {
    s.write("libdriver.so", "")
}

#[test]
fn a_manifest_names_the_library() {
    let s = Scratch::new("icd");
    let (library, out) = (library(&s), s.path("icd.json"));
    expect(&["icd", "--library", &library, "-o", &out], 0, "");
    let json: serde_json::Value = serde_json::from_slice(&s.read("icd.json")).expect("JSON");
    let full = std::fs::canonicalize(&library).expect("a path");
    assert_eq!(json["ICD"]["library_path"].as_str(), full.to_str());
    assert_eq!(json["file_format_version"], "1.0.0");
    assert_eq!(json["ICD"]["api_version"], "1.3.0");
    expect(&["icd", "--library", &s.path("none.so"), "-o", &out], 2, "none.so");
    // The library is no place for it, by a link neither.
    std::os::unix::fs::symlink(&library, s.path("link.json")).expect("a link");
    for to in [&library, &s.path("link.json")] {
        expect(&["icd", "--library", &library, "-o", to], 2, "is the input");
    }
    expect(&["icd", "--library", &library, "-o", &s.path("no/folder.json")], 2, "folder.json");
}

/// The program gets the settings; its exit code is the command's.
#[cfg(unix)]
#[test]
fn a_program_runs_with_the_driver_as_the_only_one() {
    let s = Scratch::new("exec");
    let library = library(&s);
    let run = |more: &[&str], script: &str, code: i32, says: &str| {
        let mut args = vec!["exec", "--library", &library];
        args.extend(more);
        args.extend(["--", "sh", "-c", script]);
        expect(&args, code, says)
    };
    let all = "cat \"$VK_ICD_FILENAMES\"; echo $GPUCC_VULKAN_TARGETS $GPUCC_VULKAN_ORACLE; [ $VK_ICD_FILENAMES = $VK_DRIVER_FILES ]";
    let said = run(&["--target", "gcn:gfx6,interp", "--oracle"], all, 0, "gcn:gfx6,interp 1\n");
    assert!(said.contains("oracle: not compared: the program did nothing"), "{said}");
    // What the oracle was not asked about is no match.
    let denied = ["--oracle", "--deny", "not-compared"];
    run(&denied, "true", 1, "oracle: not compared: the program did nothing that the oracle could do again");
    let some = "echo 'match (1 buffer)' >> $GPUCC_VULKAN_COMPARED";
    run(&denied, &format!("{some}; {some}"), 0, "oracle: match (2 dispatches and draws)");
    run(&denied, &format!("{some}; echo not compared: x >> $GPUCC_VULKAN_COMPARED"), 1, "1 of 2 values left out");
    run(&["--deny", "not-compared"], "true", 2, "--oracle");
    assert!(said.contains("libdriver.so"), "{said}");
    // Folders are made, and named by their whole paths.
    let folders = ["--dump", &s.path("d"), "--frames", &s.path("f")];
    run(&folders, "cd $GPUCC_VULKAN_DUMP && cd $GPUCC_VULKAN_FRAMES && pwd", 0, "/f\n");
    run(&["--dump", &s.path("libdriver.so/d")], "true", 2, "libdriver.so/d");
    run(&[], "exit 7", 7, "");
    run(&[], "kill -9 $$", 137, "");
    let lost = run(
        &[],
        "echo lost: a trap >> $GPUCC_VULKAN_VERDICTS; echo more >> $GPUCC_VULKAN_VERDICTS",
        1,
        "lost: a trap (and 1 more)",
    );
    assert!(lost.starts_with("error"), "{lost}");
    run(&["--target", "gcn,none"], "true", 2, "unknown target `none`");
    expect(&["exec", "--library", &library, "--", &s.path("nothing")], 2, "nothing");
    // A build of the driver may have put it beside the command.
    let command = std::path::Path::new(env!("CARGO_BIN_EXE_gpucc"));
    if !command.with_file_name("libgpucc_vulkan.so").exists() {
        expect(&["exec", "--", "true"], 2, "cargo build --release -p gpucc-vulkan");
    }
    expect(&["exec", "--library", &library], 2, "COMMAND");
}
