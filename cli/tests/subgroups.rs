//! `--subgroup-size`: the interpreter takes it as its size, a target that has others refuses it.

use std::process::{Command, Output};

const SOURCE: &str = "enable subgroups;
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) { o[i] = subgroupAdd(1u); }\n";

#[test]
fn a_size_is_asked_for() {
    let path = std::env::temp_dir().join(format!("gpucc-subgroups-{}.wgsl", std::process::id()));
    std::fs::write(&path, SOURCE).expect("a temporary file");
    let file = path.to_str().expect("a plain path");
    let gpucc = |args: &[&str]| -> Output {
        Command::new(env!("CARGO_BIN_EXE_gpucc")).args(args).output().expect("the command starts")
    };
    let expect = |args: &[&str], code: i32, needle: &str| {
        let o = gpucc(args);
        let text = format!("{}{}", String::from_utf8_lossy(&o.stdout), String::from_utf8_lossy(&o.stderr));
        assert_eq!(o.status.code(), Some(code), "{args:?}: {text}");
        assert!(text.contains(needle), "{args:?}: {text}");
    };
    let run = ["run", file, "--grid", "1,1,1", "--buf", "0:0=zero:256", "--dump", "0:0=-"];
    let with = |more: &[&'static str]| [&run[..], more].concat();
    expect(&with(&[]), 0, "0:0 = 32,32");
    expect(&with(&["--subgroup-size", "8"]), 0, "0:0 = 8,8");
    expect(&with(&["--subgroup-size", "64", "--target", "gcn", "--oracle"]), 0, "oracle: match");
    expect(&with(&["--subgroup-size", "32", "--target", "gcn"]), 3, "subgroup-size");
    expect(&with(&["--subgroup-size", "0"]), 2, "0 is not in 1..=128");
    expect(
        &[file, "--subgroup-size", "32", "--target", "valhall", "-S"],
        3,
        "valhall:v10 has subgroups of 16 lanes, this entry point asks for 32",
    );
    expect(&[file, "--subgroup-size", "16", "--target", "valhall", "-S"], 0, "CLPER");
    expect(
        &["stats", file, "--subgroup-size", "32", "--target", "tesla", "--format", "json"],
        0,
        "\"subgroup_size\": 32",
    );
    std::fs::remove_file(path).expect("the file is there");
}

/// GLSL with operations between lanes, by way of glslang.
#[test]
fn glsl_has_them_through_glslang() {
    if Command::new("glslangValidator").arg("--version").output().is_err() {
        return;
    }
    let path = std::env::temp_dir().join(format!("gpucc-subgroups-{}.comp", std::process::id()));
    let source = "#version 450\n#extension GL_KHR_shader_subgroup_arithmetic : require\nlayout(local_size_x = 64) in;\n\
                  layout(std430, binding = 0) buffer O { uint o[]; };\nvoid main() { o[gl_LocalInvocationIndex] = subgroupAdd(2u); }\n";
    std::fs::write(&path, source).expect("a temporary file");
    let file = path.to_str().expect("a plain path");
    let args =
        ["run", file, "--glslang", "--target", "gcn", "--grid", "1,1,1", "--buf", "0:0=zero:256", "--dump", "0:0=-"];
    let o = Command::new(env!("CARGO_BIN_EXE_gpucc")).args(args).output().expect("the command starts");
    let text = format!("{}{}", String::from_utf8_lossy(&o.stdout), String::from_utf8_lossy(&o.stderr));
    assert!(o.status.success() && text.contains("0:0 = 128,128"), "{text}");
    std::fs::remove_file(path).expect("the file is there");
}
