//! SPIR-V of glslang through the command: messages name the file, line and column of the GLSL, and show the line if the
//! module carries it. Without `glslangValidator` (Debian: `glslang-tools`) the tests say that they are skipped.

use std::process::Command;

use crate::common::{Scratch, expect};

/// Two files: the shader, and one that it includes, with something that cannot be compiled in line 3.
fn sources(s: &Scratch) -> [String; 2] {
    let shader = "#version 450\n#extension GL_NV_shader_subgroup_partitioned : require\n\
        #extension GL_GOOGLE_include_directive : require\nlayout(local_size_x = 8) in;\n\
        layout(std430, binding = 1) buffer Out { uint o[]; };\n#include \"helper.h\"\nvoid main() {\n    \
        uint i = gl_LocalInvocationIndex;\n    o[i] = chosen(i) * 3u;\n}\n";
    let helper = "// A file of its own.\nuint chosen(uint i) {\n    return subgroupPartitionNV(i).x;\n}\n";
    [s.write("a.comp", shader), s.write("inc/helper.h", helper)]
}

/// The module that glslang makes of a shader; nothing if there is no glslang.
fn glslang(s: &Scratch, shader: &str, flags: &[&str]) -> Option<String> {
    let out = s.path("a.spv");
    let include = format!("-I{}", s.path("inc"));
    let mut c = Command::new("glslangValidator");
    let made = c.args(flags).args(["-V", "--target-env", "vulkan1.1", &include, "-o", &out, shader]).output();
    let Ok(made) = made else {
        eprintln!("skipped: there is no `glslangValidator`");
        return None;
    };
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stdout));
    Some(out)
}

#[test]
fn refusals_name_the_glsl() {
    let s = Scratch::new("spirv-places");
    let [shader, helper] = sources(&s);
    for flags in [&["-g"][..], &["-gVS"]] {
        let Some(module) = glslang(&s, &shader, flags) else { return };
        let run = [&module, "--target", "gcn", "-S"];
        let said = expect(&run, 3, "`OpGroupNonUniformPartitionEXT`");
        assert!(said.contains(&format!("{helper}:3:")) && said.contains("return subgroupPartitionNV(i).x;"), "{said}");
        let said = expect(&[&run[..], &["--message-format=json"]].concat(), 3, "");
        let object: serde_json::Value = serde_json::from_str(said.trim()).unwrap_or_else(|e| panic!("{e}: {said}"));
        assert_eq!((object["file"].as_str(), object["line"].as_u64()), (Some(helper.as_str()), Some(3)), "{said}");
        assert!(object["column"].as_u64().is_some(), "{said}");
    }
    // Without debugging information it is the module.
    let Some(module) = glslang(&s, &shader, &["-g0"]) else { return };
    let said = expect(&[&module, "--target", "gcn", "-S"], 3, "a.spv");
    assert!(!said.contains("helper.h"), "{said}");
}

#[test]
fn listings_show_the_glsl() {
    let s = Scratch::new("spirv-listings");
    let [shader, helper] = sources(&s);
    std::fs::write(&helper, "// None.\nuint chosen(uint i) {\n    return i ^ 77u;\n}\n").expect("a file");
    let Some(module) = glslang(&s, &shader, &["-g"]) else { return };
    // The line table knows no files, so the lines of several are numbers alone.
    let said = expect(&[&module, "--target", "gcn", "-S"], 0, &format!("source {shader}, {helper}"));
    assert!(said.contains("; line ") && !said.contains("; line 3: "), "{said}");
    let own = "#version 450\nlayout(local_size_x = 8) in;\nlayout(std430, binding = 1) buffer Out { uint o[]; };\n\
        void main() {\n    o[gl_LocalInvocationIndex] = 3u;\n}\n";
    let shader = s.write("b.comp", own);
    let Some(module) = glslang(&s, &shader, &["-g"]) else { return };
    let said = expect(&[&module, "--target", "gcn", "-S"], 0, &format!("source {shader}\n"));
    assert!(said.contains("line 5: o[gl_LocalInvocationIndex] = 3u;"), "{said}");
}

/// The text of a module is assembled where the assembler is installed; what is wrong with it is said with file and line.
/// A combined image and sampler, which our own reader takes: naga's word for it is a refusal and no fault of the module.
#[test]
fn what_naga_lacks_is_no_fault() {
    let s = Scratch::new("spirv-naga");
    let fragment = s.write(
        "t.frag",
        "#version 450\nlayout(set = 0, binding = 0) uniform sampler2D t;\nlayout(location = 0) out vec4 o;\nvoid main() { o = texture(t, vec2(0.5)); }\n",
    );
    let module = s.path("t.spv");
    let made = Command::new("glslangValidator").args(["-V", "-o", &module, &fragment]).output();
    if !made.is_ok_and(|o| o.status.success()) {
        return;
    }
    expect(&[&module, "--target", "gcn", "-S"], 0, "image_sample");
    expect(&[&module, "--target", "gcn", "-S", "--frontend", "naga"], 3, "naga does not take this module");
    let broken = s.write("b.spv", &s.read("t.spv")[..102]);
    expect(&[&broken, "--target", "gcn", "-S", "--frontend", "naga"], 1, "error");
}

#[test]
fn texts_of_modules_are_assembled() {
    let s = Scratch::new("spirv-text");
    let text = "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\"\n\
        OpExecutionMode %main LocalSize 1 1 1\n%void = OpTypeVoid\n%fn = OpTypeFunction %void\n\
        %main = OpFunction %void None %fn\n%b = OpLabel\nOpReturn\nOpFunctionEnd\n";
    let file = s.write("a.spvasm", text);
    if !gpucc_glsl::has("spirv-as") {
        expect(&[&file, "--target", "gcn", "-S"], 2, "spirv-as");
        return;
    }
    expect(&[&file, "--target", "gcn", "-S"], 0, "s_endpgm");
    let wrong = s.write("b.spvasm", text.replace("OpReturn", "OpRetur"));
    expect(&[&wrong, "--target", "gcn", "-S"], 1, &format!("{wrong}:9"));
}
