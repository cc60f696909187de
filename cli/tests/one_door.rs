//! Every command that takes GLSL reads it by one function: a text that only the reference compiler reads right, a `continue` in `do ... while`, is
//! right everywhere, and refused everywhere where naga's parser is asked for. `gpucc exec` has no shaders of its own: its programs give SPIR-V.

use gpucc_glsl::need;

use crate::common::{Scratch, expect, gpucc, text};

/// The loop ends at 3 (GLSL 4.60, 6.4: the condition is evaluated after `continue`).
const LOOP: &str = "int i = 0;\n    do {\n        i++;\n        if (i == 3) continue;\n    } while (i < 3);\n";

/// Green where the loop ends as it should.
const GREEN: &str = "i == 3 ? vec4(0.0, 1.0, 0.0, 1.0) : vec4(1.0, 0.0, 0.0, 1.0)";

fn compute() -> String {
    format!(
        "#version 450\nlayout(local_size_x = 1) in;\nlayout(set = 0, binding = 0) buffer O {{ int o[]; }};\nvoid main() {{\n    {LOOP}    o[0] = i;\n    o[1] = 7;\n}}\n"
    )
}

/// A command by the best reader, and by naga's, which says exit 3 and the code.
#[track_caller]
fn both(args: &[&str], needle: &str) -> String {
    expect(&[args, &["--frontend", "naga"]].concat(), 3, "parser");
    expect(args, 0, needle)
}

/// A report, in which a refusal is a row.
#[track_caller]
fn measured(args: &[&str]) {
    let o = gpucc().args(args).args(["--frontend", "naga"]).output().expect("the command starts");
    assert!(text(&o).contains("\"code\": \"parser\""), "{args:?}: {}", text(&o));
    let said = expect(args, 0, "gcn");
    assert!(!said.contains("parser"), "{args:?}: {said}");
}

#[test]
fn commands_read_compute_programs_alike() {
    let s = Scratch::new("door-compute");
    need!("glslangValidator");
    let (shader, out) = (s.write("a.comp", compute()), s.path("o"));
    both(&["run", &shader, "--buf", "0:0=zero:8", "--dump", "0:0=-:i32"], "0:0 = 3,7\n");
    both(&["run", &shader, "--target", "gcn", "--buf", "0:0=zero:8", "--dump", "0:0=-:i32"], "0:0 = 3,7\n");
    both(&[&shader, "--target", "gcn", "-o", &out], "");
    both(&[&shader, "--target", "gcn", "--verify", "-o", &out], "");
    measured(&["stats", &shader, "--target", "gcn", "--per-line", "--format", "json"]);
    both(&["explain", &shader, "--target", "gcn"], "o[0] = i;");
    both(&["explain", &shader, "--target", "gcn", "--html", &s.path("a.html")], "");
    // The language may be said in place of an ending, and stand on standard input.
    let named = s.write("b.txt", compute());
    both(&["run", &named, "--lang", "comp", "--buf", "0:0=zero:8", "--dump", "0:0=-:i32"], "0:0 = 3,7\n");
    let given =
        crate::common::feed(&["-", "--lang", "comp", "--target", "gcn", "--emit", "gir", "-o", "-"], &compute());
    assert_eq!(given.status.code(), Some(0), "{}", text(&given));
    // An input that its reader does not take is exit 2 there.
    let small = s.path("small.comp");
    expect(&["reduce", &shader, "--check", "grep -q continue {}", "--limit", "1", "-o", &small], 0, "candidates tried");
    expect(&[&small, "--target", "gcn", "-o", &out], 0, "");
}

#[test]
fn commands_read_stages_alike() {
    let s = Scratch::new("door-stages");
    need!("glslangValidator");
    let corner = "vec4(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0, 0.5, 1.0)";
    let vertex = s.write(
        "v.vert",
        format!("#version 450\nlayout(location = 0) flat out int n;\nvoid main() {{\n    {LOOP}    n = i;\n    gl_Position = {corner};\n}}\n"),
    );
    let whole =
        format!("#version 450\nlayout(location = 0) out vec4 c;\nvoid main() {{\n    {LOOP}    c = {GREEN};\n}}\n");
    let alone = s.write("alone.frag", &whole);
    let pair = s.write(
        "pair.frag",
        format!("#version 450\nlayout(location = 0) flat in int n;\nlayout(location = 0) out vec4 c;\nvoid main() {{\n    {LOOP}    i = min(i, n);\n    c = {GREEN};\n}}\n"),
    );
    let body =
        s.write("body.frag", format!("void mainImage(out vec4 c, in vec2 p) {{\n    {LOOP}    c = {GREEN};\n}}\n"));
    let scene = s.write(
        "s.toml",
        "format = \"scene-1\"\n[shaders]\nv = { file = \"v.vert\" }\nf = { file = \"pair.frag\" }\n[textures]\npicture = { format = \"rgba8unorm\", size = [4, 4] }\n\
         [pipelines.p]\nvertex = { shader = \"v\" }\nfragment = { shader = \"f\", targets = [{ format = \"rgba8unorm\" }] }\n\
         [[passes]]\ntype = \"render\"\ncolorAttachments = [{ texture = \"picture\" }]\n[[passes.draws]]\npipeline = \"p\"\ndraw = { vertexCount = 3 }\n\
         [[outputs]]\nname = \"picture\"\ntexture = \"picture\"\n",
    );
    let out = s.path("p");
    let dump = format!("picture={out}");
    let size = ["--size", "4x4"];
    let shown: [&[&str]; 4] = [&[&alone], &[&vertex, &pair], &[&body], &[&scene]];
    for files in shown {
        for target in ["interp", "gcn"] {
            let args = [&["render"][..], files, &["--target", target, "--dump", &dump]].concat();
            match files == [&scene[..]] {
                true => drop(expect(&args, 0, "rendered")),
                false => drop(both(&[&args[..], &size].concat(), "rendered")),
            }
            assert_eq!(s.read("p")[..4], [0, 255, 0, 255], "{files:?} on {target}");
        }
    }
    expect(&["render", &scene, "--target", "gcn", "--oracle", "--dump", &dump], 0, "");
    // Scenes choose no reader; theirs is the best.
    assert!(!expect(&["stats", &scene, "--target", "gcn", "--format", "csv"], 0, "s.toml").contains("parser"));
    measured(&["stats", &vertex, &pair, "--target", "gcn", "--format", "json"]);
    both(&[&vertex, &pair, "--target", "gcn", "-o", &s.0.display().to_string()], "");
    both(&[&body, "--target", "gcn", "--verify", "-o", &s.path("body.bin")], "");
    both(&["explain", &body, "--target", "gcn"], "main (fragment)");
}
