//! Forms of GLSL that a parser for a part of the language lacks or reads otherwise, each by the reference compiler and by naga's: the first gives them their
//! meaning, the second gives the same or refuses by the code `parser`. Values are computed by hand from the language's rules.

use gpucc_glsl::{has, need};

use crate::common::{Scratch, expect, gpucc, text};

/// Compute programs, each behind the words that it leaves in `o` and more buffers: extensions, `global` declarations, and the statements of `main`.
const PROGRAMS: &str = include_str!("glsl_forms/programs.txt");

/// The programs of a text: what stands behind `=`, and the lines below.
fn forms(text: &'static str) -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    text.split("\n= ").skip(1).map(|form| {
        let mut lines = form.lines().filter(|l| !l.starts_with("//"));
        (lines.next().expect("a first line"), lines.collect())
    })
}

#[test]
fn programs_have_their_values() {
    let s = Scratch::new("forms-values");
    let has_best = has("glslangValidator");
    for (wanted, lines) in forms(PROGRAMS) {
        let (words, buffers) = wanted.split_once(' ').unwrap_or((wanted, ""));
        let of = |is: fn(&str) -> bool| lines.iter().filter(|l| is(l)).fold(String::new(), |all, l| all + l + "\n");
        let first = of(|l| l.starts_with("#extension"));
        let globals = of(|l| l.starts_with("global ")).replace("global ", "");
        let body = of(|l| !l.starts_with("#extension") && !l.starts_with("global "));
        let shader = s.write(
            "a.comp",
            format!(
                "#version 450\n{first}layout(local_size_x = 1) in;\nlayout(std430, set = 0, binding = 0) buffer O {{ int o[]; }};\n{globals}void main() {{ {body} }}\n"
            ),
        );
        let mut args = vec!["run", &shader, "--buf", "0:0=zero:16", "--dump", "0:0=-:i32"];
        buffers.split_whitespace().for_each(|b| args.extend(["--buf", b]));
        let value = format!("0:0 = {words}\n");
        if has_best {
            expect(&args, 0, &value);
        }
        let o = gpucc().args(&args).args(["--frontend", "naga"]).output().expect("the command starts");
        let said = text(&o);
        let is_right = o.status.code() == Some(0) && said.contains(&value);
        let is_refused = o.status.code() == Some(3) && said.contains("error[parser]");
        assert!(is_right || is_refused, "{body}: {said}");
    }
}

/// Stages, each behind its ending and parts of lines that its interface has: the text behind the version.
const STAGES: &str = include_str!("glsl_forms/stages.txt");

#[test]
fn stages_have_their_interfaces() {
    let s = Scratch::new("forms-stages");
    let has_best = has("glslangValidator");
    for (wanted, lines) in forms(STAGES) {
        let ((ending, parts), body) = (wanted.split_once(": ").expect("an ending"), lines.join("\n"));
        let parts: Vec<&str> = parts.split("; ").collect();
        let shader = s.write(&format!("a.{ending}"), format!("#version 450\n{body}\n"));
        let args = [&shader[..], "--target", "gcn", "--emit", "gir", "-o", "-"];
        if has_best {
            let said = expect(&args, 0, parts[0]);
            assert!(parts.iter().all(|p| said.contains(p)), "{body}: {said}");
        }
        let o = gpucc().args(args).args(["--frontend", "naga"]).output().expect("the command starts");
        let said = text(&o);
        let is_right = o.status.code() == Some(0) && parts.iter().all(|p| said.contains(p));
        let is_refused = o.status.code() == Some(3) && said.contains("error[parser]");
        assert!(is_right || is_refused, "{body}: {said}");
    }
}

/// What the chips or their drivers lack is refused by its own code, and is no error of the author.
#[test]
fn what_is_refused_has_its_code() {
    let s = Scratch::new("forms-refused");
    need!("glslangValidator");
    let out = s.path("o");
    let cull = "#version 450\nout float gl_CullDistance[1];\nvoid main() { gl_Position = vec4(0.0); gl_CullDistance[0] = 1.0; }\n";
    expect(&[&s.write("c.vert", cull), "--target", "valhall", "-o", &out], 3, "error[cull-distances]");
    let rays = "#version 460\n#extension GL_EXT_ray_query : require\nlayout(local_size_x = 1) in;\nlayout(set = 0, binding = 0) buffer O { int o[]; };\n\
        layout(set = 0, binding = 1) uniform accelerationStructureEXT a;\nvoid main() { rayQueryEXT q; rayQueryInitializeEXT(q, a, 0u, 255u, vec3(0.0), 0.0, vec3(1.0), 9.0); o[0] = int(rayQueryProceedEXT(q)); }\n";
    expect(&[&s.write("r.comp", rays), "--target", "gcn", "-o", &out], 3, "error[ray-queries]");
    // Modules of these texts are wrong by some versions of the reference compiler, and right by others: the texts are right.
    let copies = "#version 450\nlayout(local_size_x = 1) in;\nstruct S { uint a; uint b; };\nlayout(set = 0, binding = 0) buffer O { uint n; S s[]; } o;\nshared S t[2];\n\
        void main() { t[0] = S(1u, 2u); uint k = gl_GlobalInvocationID.x; S s = k > o.n ? t[k & 1u] : o.s[k]; o.n = s.b; }\n";
    let halves = "#version 450\n#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require\nlayout(location = 0) out vec4 c;\nlayout(location = 0) in vec4 p;\n\
        void main() { f16mat2 m = f16mat2(p.x, p.y, p.z, p.w); f16mat3 n = f16mat3(m); c = vec4(n[1].xy, vec2(f16mat2(mat2(p.xy, p.zw))[0])); }\n";
    for (name, source) in [("copies.comp", copies), ("halves.frag", halves)] {
        let o = gpucc()
            .args([&s.write(name, source), "--target", "gcn:gfx8", "-o", &out])
            .output()
            .expect("the command starts");
        let is_refused = o.status.code() == Some(3) && text(&o).contains("error[parser]");
        assert!(is_refused || o.status.code() == Some(0), "{name}: {}", text(&o));
    }
    // What constants from outside do stays an error.
    let size = "#version 450\nlayout(constant_id = 3) const uint X = 1;\nlayout(local_size_x_id = 3) in;\nlayout(set = 0, binding = 0) buffer O { uint n; };\nvoid main() { n = 1u; }\n";
    expect(&[&s.write("size.comp", size), "--override", "X=0", "--target", "gcn", "-o", &out], 1, "workgroup size");
}
