//! Messages about programs whose text is changed before naga reads it: text, line and column are the author's.

use gpucc_frontend_naga::{Input, Lang, Options, line_column, lower, parse};
use std::fmt::Write as _;

/// Wrong programs. What is changed stands in front of the mistake, on its line where it can.
const PROGRAMS: [(&str, &str); 30] = [
    ("swizzle then type", "fn f() {\n    var v = vec4f();\n    v.zx = vec2(1, 2); v.y = 1u;\n}"),
    ("swizzle value", "fn f() {\n    var v = vec4f(); v.zx += vec3(1.0, 2.0, 3.0); _ = v;\n}"),
    ("swizzle of a let", "fn f() {\n    let v = vec4f();\n    v.zx = vec2(1.0, 2.0);\n}"),
    ("swizzle twice", "fn f() {\n    var v = vec4f();\n    v.xy = vec2(1.0); v.zz = vec2(1.0);\n}"),
    ("swizzle out of reach", "fn f() {\n    var v = vec2f(); v.xy = v.yx; v.xz = v.xy;\n}"),
    ("unknown name behind a value", "const a = mix(1, 2, 0.5); const b = mix(1.0, 2.0, c);"),
    ("type behind a value", "fn f() {\n    var x: u32; const m = smoothstep(0, 1, 0.5); x = m;\n}"),
    ("member of frexp", "fn f() {\n    const p = frexp(1.5); let e = p.exponent;\n}"),
    ("too many arguments", "fn f() { const a = mix(1, 2, 0.5); let b = mix(1, 2, 0.5, 4); }"),
    ("assertion", "const_assert mix(1, 3, 0.5) == 5;"),
    ("assertion in brackets", "const_assert (1 + 1) == 2; const_assert (1) == 2;"),
    ("diagnostic of a block", "fn f() {\n    @diagnostic(off, derivative_uniformity) { let x = 1 + true; }\n}"),
    ("diagnostic of a loop", "fn f() {\n    @diagnostic(warning, a.b) for (var i = 0; i < 4; i += 1.5) { }\n}"),
    ("diagnostic without a severity", "fn f() {\n    @diagnostic(never, derivative_uniformity) { }\n}"),
    ("unknown extension", "requires unrestricted_pointer_parameters;\nenable f16, halves;"),
    ("behind an extension", "enable subgroups; fn f() { let x = subgroupAdd(); }"),
    ("extension of others", "enable f16, chromium_experimental_pixel_local;"),
    (
        "lane by a float",
        "enable subgroups;\nfn f() {\n    let a = subgroupShuffle(1u, 2i); let b = subgroupShuffle(1u, 1.5f);\n}",
    ),
    ("elect", "enable subgroups;\nfn f() { let e = subgroupElect() + 1; }"),
    ("difference", "fn f() {\n    let a = 3; let b = a--1; let c = a--true;\n}"),
    ("half in hexadecimal", "enable f16;\nconst h = 0x1p2h; const i: i32 = 0x1p3h;"),
    (
        "cast to fewer bits",
        "enable f16;\nfn f() {\n    let h = vec4<f16>(); let w = bitcast<vec2u>(h); let x = bitcast<u32>(h);\n}",
    ),
    ("type behind a cast", "enable f16;\nfn f(x: vec2h) -> i32 { let w = bitcast<u32>(x); return w; }"),
    ("scope of continuing", "fn f() {\n    loop { var x = 1; continuing { var x = true; break if x == 1; } }\n}"),
    (
        "alias behind a swizzle",
        "fn g(a: ptr<function, vec2f>, b: ptr<function, vec2f>) { *a = *b; }\nfn f() {\n    var v = vec2f(); v.yx = v; g(&v, /* again */ &v);\n}",
    ),
    ("alias by name", "var<private> p: vec2f;\nfn g(a: ptr<private, vec2f>) { p.yx = *a; }\nfn f() { g(&p); }"),
    ("index behind a swizzle", "fn f() {\n    var a = array<vec2f, 2>(); a[1].yx = a[0]; a[2].x = 1;\n}"),
    ("other letters", "fn f() {\n    var größe = vec2f(); größe.yx = größe; größe.y = ünbekannt;\n}"),
    (
        "pointer of another type",
        "var<workgroup> w: vec2f;\nfn g(p: ptr<workgroup, vec2f>) { (*p).yx = *p; }\nfn f() { g(&w); g(&w.x); }",
    ),
    (
        "division behind a value",
        "const one = mix(0, 2, 0.5);\nfn f() { var v = vec2f(); v.yx = v; let q = 1 / i32(0); _ = q + i32(one); }",
    ),
];

fn rendered(source: &str) -> String {
    let done = parse(Input::text(source), Lang::Wgsl).and_then(|p| lower(&p, &Options::default()));
    let list = done.expect_err("the program is wrong");
    let mut out = String::new();
    for d in list {
        writeln!(out, "{d}").expect("a string");
        for l in &d.labels {
            let (line, column) = line_column(source, l.span.start);
            let text = source.get(l.span.start as usize..l.span.end as usize).unwrap_or_default();
            writeln!(out, "  {line}:{column} `{}` {}", text.escape_debug(), l.text).expect("a string");
        }
    }
    out
}

#[test]
fn messages_show_the_authors_text() {
    let mut out = String::new();
    for (name, text) in PROGRAMS {
        let source = format!("{text}\n@compute @workgroup_size(1) fn main() {{ }}\n");
        writeln!(out, "== {name}\n{text}\n--\n{}", rendered(&source)).expect("a string");
    }
    for ours in ["gpucc_", "_continuing"] {
        assert!(!out.contains(ours), "a name that the author did not write\n{out}");
    }
    insta::assert_snapshot!("messages", out);
}
