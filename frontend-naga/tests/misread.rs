//! GLSL that naga's parser gives another meaning than the language has is refused, with the place; its neighbours are read. The meaning of
//! each form by the reference compiler is in the tests of the command.

use gpucc_frontend_naga::{Input, Lang, Options, Stage, lower, parse};
use gpucc_ir::{Class, Diagnostic, Refusal};

/// The messages about a text, without those that there are none.
fn said(stage: Stage, source: &str) -> Vec<Diagnostic> {
    let parsed = parse(Input::text(source), Lang::Glsl(stage));
    parsed.and_then(|p| lower(&p, &Options::default())).map_or_else(|list| list, |_| Vec::new())
}

fn compute(globals: &str, body: &str) -> String {
    format!(
        "#version 450\nlayout(local_size_x = 1) in;\nlayout(set = 0, binding = 0) buffer O {{ int o[]; }};\n{globals}\nvoid main() {{ {body} }}\n"
    )
}

fn fragment(globals: &str, body: &str) -> String {
    format!("#version 450\nlayout(location = 0) out vec4 c;\n{globals}\nvoid main() {{ {body} }}\n")
}

/// The text at the place of the only message, which is a refusal of the parser.
#[track_caller]
fn refused(stage: Stage, source: &str, at: &str) {
    let list = said(stage, source);
    let [d] = &list[..] else { panic!("{source}\n{list:?}") };
    assert_eq!((d.class, d.refusal()), (Class::Unsupported, Some(Refusal::Parser)), "{source}\n{d:?}");
    let span = d.labels[0].span;
    assert_eq!(&source[span.start as usize..span.end as usize], at, "{source}\n{d:?}");
    assert!(d.notes.iter().any(|n| n.contains("glslangValidator")), "{d:?}");
}

#[track_caller]
fn read(stage: Stage, source: &str) {
    let list = said(stage, source);
    assert!(list.is_empty(), "{source}\n{list:?}");
}

#[test]
fn conditions_behind_a_continue() {
    let late = compute("", "int i = 0; do { i++; if (i == 3) continue; } while (i < 3); o[0] = i;");
    refused(Stage::Compute, &late, "continue");
    let hidden =
        compute("#define AGAIN continue", "int i = 0; do { i++; if (i == 3) AGAIN; } while (i < 3); o[0] = i;");
    refused(Stage::Compute, &hidden, "continue");
    read(Stage::Compute, &compute("", "int i = 0; do { i++; } while (i < 3); o[0] = i;"));
    read(Stage::Compute, &compute("", "for (int i = 0; i < 3; i++) { if (i == 1) continue; o[i] = i; }"));
}

#[test]
fn right_sides_that_do_something() {
    let call = "int n; bool t() { n++; return true; }";
    refused(Stage::Compute, &compute(call, "bool a = o[7] == 0 || t(); o[0] = n;"), "t");
    refused(Stage::Compute, &compute(call, "bool yes = o[1] > 0; if (!yes && t()) o[0] = n;"), "t");
    refused(Stage::Compute, &compute("", "int i = 0; bool a = o[7] == 0 || i++ > 0; o[0] = i;"), "++");
    refused(Stage::Compute, &compute("", "int i = 0; bool a = o[7] == 0 && (i = o[2]) > 0; o[0] = i;"), "=");
    refused(Stage::Compute, &compute("", "bool a = o[7] == 0 && atomicAdd(o[1], 1) > 0; o[0] = int(a);"), "atomicAdd");
    read(Stage::Compute, &compute(call, "int i = 0; if (o[1] > 0 && abs(o[2]) < 3 || o[3] == 1) { i = 2; } o[0] = i;"));
    read(Stage::Compute, &compute(call, "bool a = t() && o[1] > 0; o[0] = n + int(a);"));
}

#[test]
fn globals_without_a_constant() {
    refused(Stage::Compute, &compute("float f = 1.5; float g = f + 1.0;", "o[0] = int(g);"), "f");
    refused(Stage::Compute, &compute("float f = 1.5; vec2 v = vec2(f, 3.0);", "o[0] = int(v.x);"), "f");
    refused(Stage::Compute, &compute("float f = 1.5; float a[2] = float[2](f, 2.0);", "o[0] = int(a[0]);"), "f");
    let of_specialisation = "layout(constant_id = 0) const float X = 4.0; float a = X;";
    refused(Stage::Compute, &compute(of_specialisation, "o[0] = int(a);"), "X");
    read(Stage::Compute, &compute("const float f = 1.5; float g = f; vec2 v = vec2(f, 3.0);", "o[0] = int(g + v.y);"));
}

#[test]
fn arrays_of_blocks() {
    let text =
        "#version 450\nlayout(set = 0, binding = 0) buffer O { float o; } b[2];\nvoid main() { b[1].o = 5.0; }\n";
    refused(Stage::Compute, text, "[");
    let text = "layout(set = 0, binding = 1) uniform U { float o; } u[2];";
    refused(Stage::Compute, &compute(text, "o[0] = int(u[1].o);"), "[");
    let one = "layout(set = 0, binding = 1) uniform U { float p[2]; } u;";
    read(Stage::Compute, &compute(one, "o[0] = int(u.p[1]);"));
}

#[test]
fn clip_distances_and_places_of_samples() {
    let text = "#version 450\nout float gl_ClipDistance[2];\nvoid main() { gl_Position = vec4(0.0); gl_ClipDistance[0] = 1.0; }\n";
    refused(Stage::Vertex, text, "gl_ClipDistance");
    refused(Stage::Fragment, &fragment("layout(location = 2) centroid in vec2 p;", "c = p.xyxy;"), "centroid");
    refused(Stage::Fragment, &fragment("layout(location = 2) sample in vec2 p;", "c = p.xyxy;"), "sample");
    read(Stage::Fragment, &fragment("layout(location = 2) flat in vec2 p;", "c = p.xyxy;"));
}

#[test]
fn offsets_of_fetches() {
    let t = "layout(set = 0, binding = 0) uniform texture2D t; layout(set = 0, binding = 1) uniform sampler s;";
    let body = "c = texelFetchOffset(sampler2D(t, s), ivec2(0), 0, ivec2(2, 1));";
    refused(Stage::Fragment, &fragment(t, body), "texelFetchOffset");
    read(Stage::Fragment, &fragment(t, "c = texelFetch(sampler2D(t, s), ivec2(0), 0);"));
}

#[test]
fn qualifiers_of_arrays_and_structures() {
    let text = "layout(location = 0) flat in float a[2];";
    refused(Stage::Fragment, &fragment(text, "c = vec4(a[0], a[1], 0.0, 0.0);"), "flat");
    let text = "struct S { float a; vec2 b; }; layout(location = 0) noperspective in S s;";
    refused(Stage::Fragment, &fragment(text, "c = vec4(s.a, s.b, 0.0);"), "noperspective");
}

#[test]
fn members_that_hide_what_is_global() {
    let constant = "const uint m = 9u; layout(set = 0, binding = 0, std430) readonly buffer B { uint n; uint m; } b;";
    refused(Stage::Fragment, &fragment(constant, "c = vec4(m, b.m, 0.0, 0.0);"), "m");
    let variable = "uint n = 4u; layout(set = 0, binding = 1, std430) buffer D { uint n; uint j; } d;";
    refused(Stage::Compute, &compute(variable, "n++; o[0] = int(d.n);"), "n");
    let other = "layout(set = 0, binding = 1, std430) buffer D { uint n; uint j; } d; const uint n = 4u;";
    read(Stage::Compute, &compute(other, "o[0] = int(d.n + n);"));
}

/// Valid GLSL that naga calls wrong, or does not know.
#[test]
fn what_naga_does_not_know_is_no_error_of_the_author() {
    for (stage, text) in [
        (Stage::Compute, compute("", "o[0] = 2147483647 << 3;")),
        (Stage::Compute, compute("", "uint h; uint l; umulExtended(3u, 5u, h, l); o[0] = int(l);")),
        (Stage::Compute, compute("", "precise float a = float(o[1]) * 2.0 + 1.0; o[0] = int(a);")),
        (Stage::Compute, compute("", "float w; float f = modf(1.5, w); o[0] = int(f * 2.0 + w);")),
        (Stage::Fragment, fragment("", "c = vec4(gl_SampleMaskIn[0]);")),
        (Stage::Fragment, fragment("layout(location = 0) in mat2 m;", "c = m[0].xyxy;")),
        (
            Stage::Vertex,
            "#version 450\nout gl_PerVertex { vec4 gl_Position; };\nvoid main() { gl_Position = vec4(0.0); }\n".into(),
        ),
        (Stage::Vertex, "#version 450\nvoid main() { }\n".into()),
        (Stage::Compute, "#version 450\nvoid main( {".into()),
    ] {
        let list = said(stage, &text);
        assert!(list.iter().all(|d| d.refusal() == Some(Refusal::Parser)), "{text}\n{list:?}");
        assert!(list.iter().all(|d| d.notes.iter().any(|n| n.contains("glslangValidator"))), "{text}\n{list:?}");
    }
}
