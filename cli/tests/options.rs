//! Options of a compilation are one list: all that can change code are in reports, and one that has no effect is told.

use crate::common::{DOUBLE, Scratch, expect};

/// A WESL module with more work behind a feature.
const WESL: &str = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n\
    @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) g: vec3u) {\n\
    @if(BIG) { o[g.x] = o[g.x + 1u] * o[g.x + 2u]; }\n o[g.x] *= 2u; }\n";

/// A storage image of no format, which is written.
const FORMLESS: &str = "OpCapability Shader\nOpCapability StorageImageWriteWithoutFormat\nOpMemoryModel Logical GLSL450\n\
    OpEntryPoint GLCompute %main \"main\"\nOpExecutionMode %main LocalSize 1 1 1\nOpDecorate %i DescriptorSet 0\n\
    OpDecorate %i Binding 0\nOpDecorate %i NonReadable\n%void = OpTypeVoid\n%fn = OpTypeFunction %void\n\
    %float = OpTypeFloat 32\n%uint = OpTypeInt 32 0\n%v4 = OpTypeVector %float 4\n%v2 = OpTypeVector %uint 2\n\
    %image = OpTypeImage %float 2D 0 0 0 2 Unknown\n%pointer = OpTypePointer UniformConstant %image\n\
    %i = OpVariable %pointer UniformConstant\n%zero = OpConstant %uint 0\n%one = OpConstant %float 1\n\
    %at = OpConstantComposite %v2 %zero %zero\n%texel = OpConstantComposite %v4 %one %one %one %one\n\
    %main = OpFunction %void None %fn\n%b = OpLabel\n%read = OpLoad %image %i\nOpImageWrite %read %at %texel\n\
    OpReturn\nOpFunctionEnd\n";

/// Each pair of reports that differ in one option: `diff` and `merge` refuse them, and the command line of the report has the option.
#[test]
fn reports_of_other_options_are_not_compared() {
    let s = Scratch::new("options-reports");
    let wesl = s.write("f.wesl", WESL);
    let wgsl = s.write("a.wgsl", DOUBLE);
    let spirv = "cli/tests/found/centroid.spv";
    let glsl = s.write("g.glsl", "#version 450\nlayout(local_size_x = 1) in;\n#ifdef N\nlayout(constant_id = 0) const int k = 1;\n#endif\nlayout(set = 0, binding = 0) buffer O { int o[]; };\nvoid main() { o[0] = 1; }\n");
    let named = s.write("named.x", DOUBLE);
    let drawn = s.write("p.frag", "#version 450\nlayout(location = 0) out vec4 o;\nvoid main() { o = vec4(0.5); }\n");
    let formless = s.write("i.spvasm", FORMLESS);
    let folder = s.path("");
    let cases: &[(&str, &[&str], &str)] = &[
        (&wesl, &["--feature", "BIG"], "--feature BIG"),
        (spirv, &["--frontend", "naga"], "--frontend naga"),
        (&glsl, &["--stage", "cs"], "--stage cs"),
        (&glsl, &["-D", "N"], "-D N"),
        (&glsl, &["-I", &folder], "-I "),
        (&named, &["--lang", "wgsl"], "--lang wgsl"),
        (&formless, &["--image-format", "0:0=r32float"], "--image-format 0:0=r32float"),
        (&wgsl, &["--robust", "off"], "--robust off"),
        (&wgsl, &["-O", "1"], "-O 1"),
        (&wgsl, &["--subgroup-size", "64"], "--subgroup-size 64"),
        (&wgsl, &["--entry", "main"], "--entry main"),
    ];
    let read: (&str, &[&str], &str) = (&drawn, &["--glslang"], "--glslang");
    let cases = cases.iter().chain(gpucc_glsl::has("glslangValidator").then_some(&read));
    let cases = cases.filter(|c| c.0 != formless || gpucc_glsl::has("spirv-as"));
    for (k, &(input, option, shown)) in cases.enumerate() {
        let (a, b) = (s.path(&format!("{k}a.json")), s.path(&format!("{k}b.json")));
        // Without `--lang` there is no report of this one: another value stands for it.
        let plain: &[&str] = if input == named { &["--lang", "wgsl", "-O", "3"] } else { &[] };
        let stats = |options: &[&str], shard: &str, out: &str| {
            let args = [&["stats", input, "--target", "gcn", "--shard", shard, "-o", out][..], options].concat();
            expect(&args, 0, "");
        };
        stats(plain, "1/2", &a);
        stats(option, "2/2", &b);
        let report: serde_json::Value = serde_json::from_slice(&std::fs::read(&b).expect("a report")).expect("JSON");
        assert!(report["command"].as_str().is_some_and(|c| c.contains(shown)), "{option:?}: {report}");
        expect(&["stats", "merge", &a, &b], 1, "another version or command");
        expect(&["diff", &a, &b], 1, "made with other options");
    }
}

/// The ten of a review, and their siblings: exit 2 with the option's name.
#[test]
fn options_without_effect_are_told() {
    let s = Scratch::new("options-idle");
    let (compute, out, png) = (s.write("a.wgsl", DOUBLE), s.path("o"), s.path("o.png"));
    let wesl = s.write("f.wesl", WESL);
    let drawn = s.write(
        "d.wgsl",
        "@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f { return vec4f(f32(i)); }\n\
         @fragment fn fs() -> @location(0) vec4f { return vec4f(0.5); }\n",
    );
    let fragment = s.write("f.wgsl", "@fragment fn fs() -> @location(0) vec4f { return vec4f(0.5); }");
    let buf = ["--buf", "0:0=zero:16"];
    let told = |args: &[&str], needle: &str| {
        expect(args, 2, needle);
        assert!(!s.has("o") && !s.has("o.png"), "{args:?} writes something");
    };
    let compile = |input: &str, more: &[&str], needle: &str| {
        told(&[&[input, "--target", "gcn", "-o", &out][..], more].concat(), needle);
    };
    told(&[&["run", &compute, "--immediates", "u32:1"][..], &buf].concat(), "--immediates");
    told(&["render", &fragment, "--immediates", "u32:1", "-o", &png], "--immediates");
    told(&["render", &drawn, "--immediates", "u32:1", "-o", &png], "--immediates");
    compile(&compute, &["--image-format", "0:0=r32float"], "--image-format");
    compile("cli/tests/found/centroid.spv", &["--image-format", "0:1=r32float"], "--image-format 0:1");
    compile(&compute, &["--feature", "X"], "--feature X");
    compile(&wesl, &["--feature", "BIGGER"], "--feature BIGGER");
    compile(&compute, &["--frontend", "naga"], "--frontend");
    compile(&drawn, &["--subgroup-size", "32"], "--subgroup-size");
    compile(&compute, &["--verify", "--buf", "0:7=zero:16"], "--buf 0:7");
    compile(&drawn, &["--verify", "--grid", "2,1,1"], "--grid");
    compile(&compute, &["--glslang"], "--glslang");
    compile(&compute, &["-D", "X"], "-D");
    compile(&compute, &["-I", "."], "-I");
    for more in [&["-o", out.as_str()][..], &["--target", "gcn"], &["--oracle"], &["--stats"], &["--perturb", "1"]] {
        told(&[&["render", &drawn, "--init"][..], more].concat(), "--init");
    }
    for more in [&["--frontend", "naga"][..], &["--feature", "X"], &["--image-format", "0:0=r32float"]] {
        told(&[&["run", &compute][..], &buf, more].concat(), more[0]);
        told(&[&["render", &fragment, "-o", &png][..], more].concat(), more[0]);
        told(&[&["stats", &compute, "--target", "gcn", "-o", &out][..], more].concat(), more[0]);
    }
    told(&["render", &drawn, "--subgroup-size", "32", "-o", &png], "--subgroup-size");
    told(&["stats", &drawn, "--subgroup-size", "32", "-o", &out], "--subgroup-size");
    // Of several one is enough.
    expect(&["stats", &compute, &wesl, "--target", "gcn", "--feature", "BIG", "-o", &out], 0, "");
    let container = s.path("a.bin");
    expect(&[&compute, "--target", "gcn", "-o", &container], 0, "");
    expect(&[&["run", &container, "--immediates", "u32:1"][..], &buf].concat(), 2, "--immediates");
}
