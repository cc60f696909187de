//! `gpucc reduce`: inputs become what a person can read, and the last line shows the fault.

use crate::common::{Scratch, expect, gpucc, workspace};

/// The last line of what was printed.
fn last(text: &str) -> String {
    text.lines().rev().find(|l| !l.starts_with("warning")).unwrap_or_default().to_string()
}

fn lines(s: &Scratch, name: &str) -> (usize, String) {
    let text = String::from_utf8(s.read(name)).expect("text");
    (text.lines().count(), text)
}

/// Parts of passes and instructions that an example has, each a planted fault for a target: what is left still has it.
#[test]
fn planted_faults_of_families_become_small() {
    let s = Scratch::new("reduce-planted");
    let program = env!("CARGO_BIN_EXE_gpucc");
    let planted = [
        ("nbody.wgsl", "gcn", "v_rsq_f32"),
        ("matmul_tiled.wgsl", "valhall", "BARRIER"),
        ("scan.wgsl", "gcn", "ds_read"),
        ("collatz.wgsl", "vivante", "branch"),
        ("reduction.wgsl", "gcn", "s_barrier"),
    ];
    for (example, target, needle) in planted {
        let path = workspace().join("examples").join(example);
        let input = path.to_str().expect("a plain path");
        let check = format!("{program} {{}} --target {target} -S -o - | grep -qi {needle}");
        let out = s.path("small.wgsl");
        let t = expect(&["reduce", input, "--check", &check, "-o", &out], 0, "nothing smaller is left");
        let (n, text) = lines(&s, "small.wgsl");
        assert!(n < 20, "{example} {target}: {text}");
        // The last line is the command, and it shows the fault.
        let shown = std::process::Command::new("sh").args(["-c", &last(&t)]).status().expect("a shell");
        assert!(shown.success(), "{t}");
    }
}

#[test]
fn refusals_are_found_again_and_jobs_do_not_matter() {
    let s = Scratch::new("reduce-refusal");
    s.write(
        "a.wgsl",
        "struct P { n: u32, list: array<u32, 4> }\n@group(0) @binding(0) var<storage, read_write> o: array<atomic<u32>>;\n\
         @group(0) @binding(1) var<uniform> p: P;\nfn twice(x: u32) -> u32 { if x > 3u { return x; } return x * 2u; }\n\
         @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {\n  for (var i = 0u; i < p.n; i++) {\n    \
         let k = twice(id.x + i);\n    atomicAdd(&o[k], p.n);\n  }\n}\n",
    );
    let run = |jobs: &str, out: &str| {
        let t = expect(
            &[
                "reduce",
                &s.path("a.wgsl"),
                "--for",
                "refusal:atomics",
                "--target",
                "tesla:nv50",
                "--jobs",
                jobs,
                "-o",
                &s.path(out),
            ],
            0,
            "nothing smaller is left",
        );
        (lines(&s, out), last(&t))
    };
    let ((n, text), command) = run("1", "one.wgsl");
    assert!(n <= 6 && text.contains("atomicAdd") && !text.contains("twice") && !text.contains("for"), "{text}");
    assert!(command.starts_with("gpucc ") && command.contains("--target tesla:nv50"), "{command}");
    assert_eq!(text, run("3", "three.wgsl").0.1);
    expect(&[&s.path("one.wgsl"), "--target", "tesla:nv50", "-o", "/dev/null"], 3, "atomics");
}

#[test]
fn scenes_become_small() {
    let s = Scratch::new("reduce-scene");
    let program = env!("CARGO_BIN_EXE_gpucc");
    let scene = workspace().join("examples/scenes/lit_mesh.toml");
    let out = s.path("small.toml");
    let picture = s.path("p.png");
    let check = format!("{program} render {{}} --target interp --stats -o {picture} 2>&1 | grep -q draw");
    let input = scene.to_str().expect("a plain path");
    let t = expect(&["reduce", input, "--check", &check, "-o", &out, "--limit", "60"], 0, "became");
    let (n, text) = lines(&s, "small.toml");
    let before = std::fs::read_to_string(&scene).expect("an example").lines().count();
    assert!(n * 2 < before, "{n} of {before}: {text}");
    assert!(std::process::Command::new("sh").args(["-c", &last(&t)]).status().expect("a shell").success());
}

#[test]
fn what_is_wrong_is_told_and_nothing_is_written() {
    let s = Scratch::new("reduce-wrong");
    s.write("a.wgsl", "@compute @workgroup_size(1) fn main() {}\n");
    let a = s.path("a.wgsl");
    let out = s.path("b.wgsl");
    expect(&["reduce", &a, "--check", "false {}", "-o", &out], 2, "the fault is not there");
    assert!(!s.0.join("b.wgsl").exists());
    expect(&["reduce", &a, "--for", "nothing", "-o", &out], 2, "crash, verify, difference or refusal:CODE");
    expect(&["reduce", &a, "--for", "crash", "-o", &out], 2, "the fault is not there");
    expect(&["reduce", &a, "--check", "true {}", "-o", &a], 2, "");
    expect(&["reduce", &a, "-o", &out], 2, "--check");
    // Nothing is compared of a shader that writes nothing, nor of a frame without a picture: no difference is there.
    expect(&["reduce", &a, "--for", "verify", "--target", "gcn", "-o", &out], 2, "the fault is not there");
    let frame = "format = \"scene-1\"\nshaders.m.wgsl = \"@compute @workgroup_size(1) fn main() {}\"\n\
        pipelines.p = { compute = { shader = \"m\" } }\npasses = [{ type = \"compute\", pipeline = \"p\", dispatch = [1] }]\n";
    s.write("frame.toml", frame);
    let frame = s.path("frame.toml");
    expect(&["reduce", &frame, "--for", "difference", "--target", "gcn", "-o", &out], 2, "the fault is not there");
    let none = gpucc().args(["reduce", &s.path("none.wgsl"), "--check", "true {}"]).output().expect("it starts");
    assert_eq!(none.status.code(), Some(2));
    // Without a front end's consent where it is wanted.
    s.write("c.wgsl", "fn f( {\nlet needle = 1;\n");
    let c = s.path("c.wgsl");
    expect(&["reduce", &c, "--check", "grep -q needle {}", "-o", &out], 2, "--allow-invalid");
    expect(&["reduce", &c, "--check", "grep -q needle {}", "-o", &out, "--allow-invalid"], 0, "grep -q needle");
    let left = String::from_utf8(s.read("b.wgsl")).expect("text");
    assert!(left.contains("needle"), "{left}");
}
