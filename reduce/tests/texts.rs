//! Texts become what the fault needs.

use crate::shrink;
use gpucc_reduce::Subject;
use gpucc_reduce::text::{Language, Options, Text};

const WGSL: &str = "
// A comment, and /* another */ one.
struct Light { position: vec3f, colour: vec3f, range: f32 }
@group(0) @binding(0) var<uniform> lights: array<Light, 8>;
@group(0) @binding(1) var<storage, read_write> out_values: array<f32>;
const LIMIT = 17u;
fn falloff(distance: f32, range: f32, unused: u32) -> f32 {
    let x = clamp(distance / range, 0.0, 1.0);
    if x > 0.5 { return 1.0 - x; } else { return x * x; }
}
@compute @workgroup_size(64, 2, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
    var sum = 0.0;
    for (var i = 0u; i < LIMIT; i++) {
        let d = length(lights[i % 8u].position - vec3f(f32(id.x), 1.5, 2.5));
        switch i { case 1u: { sum += 1.0; } default: { sum += falloff(d, lights[0].range, i + 3u); } }
        if sum > 100.0 { break; }
    }
    out_values[id.x] = inverseSqrt(sum + abs(sum)) * 3.0;
}
";

fn balanced(text: &str) -> bool {
    let mut open = Vec::new();
    for c in text.chars() {
        match c {
            '(' | '[' | '{' => open.push(c),
            ')' | ']' | '}' => {
                let fits = matches!((open.pop(), c), (Some('('), ')') | (Some('['), ']') | (Some('{'), '}'));
                if !fits {
                    return false;
                }
            }
            _ => {}
        }
    }
    open.is_empty()
}

fn wgsl(options: Options) -> Text {
    Text::new(WGSL, Language::Wgsl, options)
}

#[test]
fn what_the_fault_does_not_need_goes() {
    let fault = |b: &[u8]| {
        let t = String::from_utf8_lossy(b);
        balanced(&t) && t.contains("fn main(") && t.contains("inverseSqrt(") && t.contains("@compute")
    };
    let (best, _) = shrink(wgsl(Options::default()), fault);
    let text = best.tidy().source().to_string();
    assert!(!text.contains("falloff") && !text.contains("Light") && !text.contains("comment"), "{text}");
    assert!(!text.contains("for ") && !text.contains("abs"), "{text}");
    assert!(text.lines().count() <= 4, "{text}");
}

#[test]
fn the_interface_stays_if_it_shall() {
    let fault = |b: &[u8]| {
        let t = String::from_utf8_lossy(b);
        balanced(&t) && t.contains("inverseSqrt(")
    };
    let (best, _) = shrink(wgsl(Options { keep_interface: true, ..Options::default() }), fault);
    for part in ["@binding(0)", "out_values", "@workgroup_size(64, 2, 1)"] {
        assert!(best.source().contains(part), "{part}: {}", best.source());
    }
    assert!(!best.source().contains("falloff"), "{}", best.source());
}

#[test]
fn names_become_short() {
    let fault = |b: &[u8]| {
        let t = String::from_utf8_lossy(b);
        balanced(&t) && t.matches("<storage, read_write>").count() == 1 && t.contains("] = inverseSqrt(")
    };
    let (best, _) = shrink(wgsl(Options { rename: true, ..Options::default() }), fault);
    assert!(!best.source().contains("out_values"), "{}", best.source());
}

#[test]
fn a_parameter_goes_with_its_arguments() {
    let text = Text::new(
        "fn f(a: u32, b: f32, c: i32) -> f32 { return b; }\nfn g() -> f32 { return f(1u, f(2u, 3.0, 4), 5); }\n",
        Language::Wgsl,
        Options::default(),
    );
    let all: Vec<String> = (0..Text::PASSES)
        .flat_map(|p| text.edits(p))
        .filter_map(|e| text.apply(&[e]))
        .map(|t| t.source().replace("( ", "(").replace(",  ", ", "))
        .collect();
    let without_a = "fn f(b: f32, c: i32) -> f32 { return b; }\nfn g() -> f32 { return f(f(3.0, 4), 5); }\n";
    // The inner call lies in an argument that stays, so both calls lose theirs.
    assert!(all.iter().any(|t| t == without_a), "{all:#?}");
    let without_c = "fn f(a: u32, b: f32) -> f32 { return b; }\nfn g() -> f32 { return f(1u, f(2u, 3.0)); }\n";
    assert!(all.iter().any(|t| t == without_c), "{all:#?}");
}

#[test]
fn glsl_has_blocks_qualifiers_and_statements_without_braces() {
    let source = "#version 450
layout(local_size_x = 8) in;
layout(set = 0, binding = 0, std430) buffer Values { float given[64]; float made[64]; } values;
float twice(float x, int n) { for (int i = 0; i < n; i++) x *= 2.0; return x; }
void main() {
    float a = values.given[gl_LocalInvocationIndex];
    if (a > 1.0) a = twice(a, 3); else { a -= 1.0; }
    do { a += 0.5; } while (a < 0.0);
    values.made[gl_LocalInvocationIndex] = sqrt(a);
}
";
    let fault = |b: &[u8]| {
        let t = String::from_utf8_lossy(b);
        balanced(&t) && t.contains("void main()") && t.contains("#version 450") && t.contains("sqrt(")
    };
    let (best, _) = shrink(Text::new(source, Language::Glsl, Options::default()), fault);
    let text = best.tidy().source().to_string();
    assert!(text.lines().count() <= 4 && !text.contains("twice") && !text.contains("do "), "{text}");
}

#[test]
fn broken_texts_are_texts() {
    for source in [
        "",
        "fn",
        "fn f(",
        "}}}",
        "@",
        "if (",
        "/* ",
        "fn f() { if x { } else",
        "#",
        "struct S {",
        "for (;;",
        "((((",
        "a.b[",
    ] {
        let t = Text::new(source, Language::Wgsl, Options { rename: true, keep_interface: false });
        for pass in 0..Text::PASSES {
            let edits = t.edits(pass);
            edits.iter().for_each(|e| drop(t.apply(std::slice::from_ref(e))));
            t.apply(&edits);
        }
        let _ = t.tidy();
    }
}

/// Every text that one edit makes, without spaces that differ.
fn candidates(source: &str) -> Vec<String> {
    let text = Text::new(source, Language::Wgsl, Options::default());
    let all = (0..Text::PASSES).flat_map(|p| text.edits(p)).filter_map(|e| text.apply(&[e]));
    all.map(|t| t.source().split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn a_member_goes_with_its_argument() {
    let all = candidates("struct S { a: f32, b: vec2f, c: u32 } fn f() -> S { return S(1.0, vec2f(2.0, 3.0), 4u); }");
    let without_b = "struct S { a: f32, c: u32 } fn f() -> S { return S(1.0, 4u); }";
    assert!(all.iter().any(|t| t == without_b), "{all:#?}");
}

#[test]
fn calls_become_what_they_give() {
    let all = candidates(
        "fn f(a: f32) -> f32 { return a * s.a; } @fragment fn g() -> @location(0) f32 { return f(2.0) + f(x); }",
    );
    let without_f = "@fragment fn g() -> @location(0) f32 { return (2.0 * s . a) + (x * s . a); }";
    assert!(all.iter().any(|t| t == without_f), "{all:#?}");
    // What does more than to give a value stays a function.
    let all = candidates("fn f() -> f32 { n += 1; return 2.0; } @fragment fn g() -> @location(0) f32 { return f(); }");
    assert!(all.iter().all(|t| !t.contains("(2.0)")), "{all:#?}");
}

/// Values that names stand for go where they are read although that takes more words, and so do structures of one member.
#[test]
fn lines_weigh_more_than_words() {
    let text = "const EYE = 2.0;
struct Corner { @builtin(position) at: vec4<f32> }
fn project(p: vec3<f32>) -> vec4<f32> {
    let q = p - EYE;
    return vec4(q.x, 0.0, q.y, 1.0);
}
@vertex fn v(@builtin(vertex_index) k: u32) -> Corner { return Corner(project(vec3(f32(k)))); }
@fragment fn f(in: Corner) -> @location(0) vec4<f32> { return inverseSqrt(in.at); }
";
    let needed = |b: &[u8]| {
        let t = String::from_utf8_lossy(b).replace(' ', "");
        let all = ["fnv(", "fnf(", "@builtin(position)", ".x", ".y", "2.0", "f32(k)", "inverseSqrt(in"];
        // What is declared is used.
        let used = ["EYE", "project"].iter().all(|w| t.matches(w).count() != 1);
        used && balanced(&t)
            && all.iter().all(|w| t.contains(w))
            && naga::front::wgsl::parse_str(&String::from_utf8_lossy(b)).is_ok()
    };
    let (best, _) = shrink(Text::new(text, Language::Wgsl, Options::default()), needed);
    let text = best.tidy().source().to_string();
    assert!(!text.contains("struct") && !text.contains("let ") && !text.contains("const "), "{text}");
}

#[test]
fn a_part_of_what_is_made_becomes_what_is_there() {
    let all = candidates("fn f(a: f32, b: f32) -> f32 { return vec2f(a, b * 2.0).y; }");
    assert!(all.iter().any(|t| t.ends_with("{ return (b * 2.0); }")), "{all:#?}");
    // The whole may also stay a vector.
    assert!(all.iter().any(|t| t.ends_with("{ return (a).y; }")), "{all:#?}");
}

#[test]
fn an_argument_of_one_word_needs_no_brackets() {
    let all = candidates("fn f(a: f32) -> f32 { return a * a; } fn g(b: f32) -> f32 { return f(b) + f(b + 1.0); }");
    assert!(all.iter().any(|t| t.ends_with("{ return (b * b) + ((b + 1.0) * (b + 1.0)); }")), "{all:#?}");
}

/// What no entry names goes in one step, and what an entry names only through others stays.
#[test]
fn what_no_entry_needs_goes_at_once() {
    let source = "
struct Used { a: f32 }
struct Unused { b: Other }
struct Other { c: f32 }
const N = 3u;
@group(0) @binding(0) var<storage, read_write> out_values: array<Used>;
@group(0) @binding(1) var<uniform> unused: Unused;
fn through() -> f32 { return f32(N); }
fn alone() -> f32 { return unused.b.c; }
@compute @workgroup_size(1) fn main() { out_values[0].a = through(); }
@compute @workgroup_size(1) fn second() { }
";
    let names = |t: &Text| {
        let words = ["Used", "Unused", "Other", "N ", "out_values:", "unused:", "through", "alone", "main", "second"];
        words.into_iter().filter(|w| t.source().contains(w)).collect::<Vec<_>>()
    };
    let text = Text::new(source, Language::Wgsl, Options::default());
    let all = text.apply(&text.edits(1)).expect("edits that fit");
    assert_eq!(names(&all), ["Used", "N ", "out_values:", "through", "main", "second"], "{}", all.source());
    let one = text.of_entries(&["second"].into());
    assert_eq!(one.source().trim(), "@compute @workgroup_size(1) fn second() {\n}");
}

/// A stage of vertices whose outputs nothing reads becomes three vertices that cover the target, in one step.
#[test]
fn a_stage_of_vertices_becomes_the_plain_one() {
    let wgsl = "fn f() -> f32 { return 1.0; }
        @vertex fn v(@location(0) at: vec2f, @location(1) more: f32) -> @builtin(position) vec4f {
        let far = at * f() + at * at.yx; let turned = vec2f(far.x * 0.5 - far.y, far.y * 0.5 + far.x * more); let n = more * far.x;
        return vec4f(turned * f() + vec2f(f() - n, n), f(), 1.0); }
        @fragment fn p() -> @location(0) vec4f { return vec4f(0.5); }";
    let glsl =
        "layout(location = 0) in vec2 at; void main() { vec2 far = at * 2.0 + at; far = far * far + at; far.y += far.x;
        gl_Position = vec4(far, 0.0, 1.0); gl_Position.x += 0.5; gl_Position.y -= gl_Position.x * 0.25; }";
    let has_place =
        |t: &str| t.contains("@builtin(position) vec4f { return vec4f(") || t.contains("gl_Position = vec4(");
    for (source, language, index) in [(wgsl, Language::Wgsl, "vertex_index"), (glsl, Language::Glsl, "gl_VertexIndex")]
    {
        let text = Text::new(source, language, Options::default());
        let plain = text.apply(&text.edits(3)[..1]).expect("edits that fit");
        let shown = plain.source();
        assert!(shown.contains(index) && has_place(shown) && plain.weight() < text.weight(), "{shown}");
        assert!(!shown.contains("more") && !shown.contains("far"), "{shown}");
        let kept = Text::new(source, language, Options { keep_interface: true, ..Options::default() });
        assert!(
            kept.edits(3).iter().all(|e| !kept
                .apply(std::slice::from_ref(e))
                .expect("an edit")
                .source()
                .contains(index))
        );
    }
}

/// What a function returns becomes a constant of its type, and the statements in front stay.
#[test]
fn what_is_returned_becomes_a_constant() {
    let wgsl =
        "@fragment fn p(@location(0) a: vec4f) -> @location(0) vec4f { discard; return sqrt(a * a.x + a.yzwx); }";
    let glsl = "vec3 f(vec3 a) { if (a.x > 1.0) { return a * a.x; } return a + a; }";
    let of = |source: &str, language| {
        let text = Text::new(source, language, Options::default());
        let all = text.edits(3).into_iter().filter_map(|e| text.apply(&[e])).map(|t| t.source().to_string());
        all.collect::<Vec<_>>()
    };
    let wgsl = of(wgsl, Language::Wgsl);
    for value in ["vec4f(.5)", "vec4f()"] {
        assert!(wgsl.iter().any(|t| t.contains(&format!("discard; return {value}; }}"))), "{wgsl:#?}");
    }
    let glsl = of(glsl, Language::Glsl);
    assert!(glsl.iter().any(|t| t.contains("{ return vec3(0); } return a + a; }")), "{glsl:#?}");
    assert!(glsl.iter().any(|t| t.contains("{ return a * a.x; } return vec3(.5); }")), "{glsl:#?}");
}
