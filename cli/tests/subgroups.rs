//! `--subgroup-size`: the interpreter takes it as its size, a target that has others refuses it.

use crate::common::{Scratch, expect};

const SOURCE: &str = "enable subgroups;
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) { o[i] = subgroupAdd(1u); }\n";

#[test]
fn a_size_is_asked_for() {
    let s = Scratch::new("subgroups");
    let file = &s.write("a.wgsl", SOURCE);
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
}

/// GLSL with operations between lanes, by way of glslang.
#[test]
fn glsl_has_them_through_glslang() {
    gpucc_glsl::need!("glslangValidator");
    let s = Scratch::new("subgroups-glsl");
    let source = "#version 450\n#extension GL_KHR_shader_subgroup_arithmetic : require\nlayout(local_size_x = 64) in;\n\
                  layout(std430, binding = 0) buffer O { uint o[]; };\nvoid main() { o[gl_LocalInvocationIndex] = subgroupAdd(2u); }\n";
    let file = &s.write("a.comp", source);
    let args =
        ["run", file, "--glslang", "--target", "gcn", "--grid", "1,1,1", "--buf", "0:0=zero:256", "--dump", "0:0=-"];
    expect(&args, 0, "0:0 = 128,128");
}
