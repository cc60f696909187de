//! Rules of WGSL that naga does not check: each breach is the author's error, at the place that is named here, and its neighbour that is right
//! stays right.

use gpucc_frontend_naga::{Input, Lang, Options, lower, parse};
use gpucc_ir::{Class, Diagnostic};

const BUFFER: &str = "@group(0) @binding(0) var<storage, read_write> o: array<u32, 8>;\n";

fn compile(text: &str) -> Result<(), Vec<Diagnostic>> {
    let parsed = parse(Input::text(text), Lang::Wgsl)?;
    lower(&parsed, &Options::default()).map(|_| ())
}

/// Each is an error at the part of the text behind `=>`.
#[track_caller]
fn all_wrong(list: &[(&str, &str)]) {
    for (text, part) in list {
        let text = if text.contains("@compute") || text.contains("@fragment") || text.contains("@vertex") {
            format!("{BUFFER}{text}")
        } else {
            format!("{BUFFER}@compute @workgroup_size(1) fn main() {{ var i = o[7]; var b = o[6] == 1u; {text} }}")
        };
        let Err(errors) = compile(&text) else { panic!("it is taken: {text}") };
        assert_eq!(errors[0].class, Class::Invalid, "{text}: {}", errors[0]);
        let at = errors[0].labels.first().map_or(gpucc_ir::Span::UNKNOWN, |l| l.span);
        let found = text.get(at.start as usize..at.end as usize).unwrap_or_default();
        assert!(at.is_known() && found.contains(part), "{text}\n{}: the place is `{found}`", errors[0]);
    }
}

#[track_caller]
fn all_right(list: &[&str]) {
    for text in list {
        let text = if text.contains("@compute") || text.contains("@fragment") || text.contains("@vertex") {
            format!("{BUFFER}{text}")
        } else {
            format!("{BUFFER}@compute @workgroup_size(1) fn main() {{ var i = o[7]; var b = o[6] == 1u; {text} }}")
        };
        if let Err(errors) = compile(&text) {
            panic!("{text}\n{} {:?}", errors[0], errors[0].labels);
        }
    }
}

#[test]
fn numbers_without_a_type_fit() {
    all_wrong(&[
        ("let a = 2147483648; o[0] = u32(a);", "2147483648"),
        ("let a = 4294967296; o[0] = u32(a);", "4294967296"),
        ("let a = -2147483649; o[0] = u32(a);", "-2147483649"),
        ("let a = vec2(2147483648, 1); o[0] = u32(a.x);", "vec2(2147483648, 1)"),
        ("var a = 65536 * 65536; o[0] = u32(a);", "65536 * 65536"),
        ("const a = 4294967295; var c = a; o[0] = u32(c);", "a"),
        ("_ = 4294967296;", "4294967296"),
        ("const a = 1lf;", "1lf"),
        ("o[0] = u32(1lu);", "1lu"),
    ]);
    all_right(&[
        "let a: u32 = 2147483648; o[0] = a;",
        "let a = 2147483648u; o[0] = a;",
        "let a = -2147483648; o[0] = u32(a);",
        "let a: f32 = 4294967296; o[0] = u32(a);",
        "let a = 4294967296.0; o[0] = u32(a);",
        "const a = 4294967296; let c = a / 4; o[0] = u32(c);",
        "const a = 4294967296; let c = a * 1.0; o[0] = u32(c);",
        "let c = i + 4294967295; o[0] = c;",
        "let c = u32(4294967295); o[0] = c;",
        "let c = vec2<u32>(4294967295, 1); o[0] = c.x;",
        "let c = vec2u(4294967295, 1) + 3000000000; o[0] = c.x;",
        "let c = select(4294967295, i, b); o[0] = c;",
        "let c = max(4294967295, i); o[0] = c;",
    ]);
}

#[test]
fn elements_have_one_type_and_casts_one_size() {
    all_wrong(&[
        ("let a = array(1, true); o[0] = u32(a[0]);", "true"),
        ("let a = array(true, 1u); o[0] = u32(a[0]);", "1u"),
        ("let a = array(1, 2u, 3i); o[0] = u32(a[0]);", "3i"),
        ("let a = array(1.0, 2u);", "2u"),
        ("_ = bitcast<vec2f>(1u);", "bitcast<vec2f>"),
        ("let f = bitcast<vec2f>(i); o[0] = u32(f);", "bitcast<vec2f>"),
        ("_ = bitcast<u32>(vec2f(1.0, 2.0));", "bitcast<u32>"),
        ("_ = bitcast<vec4<u32>>(vec3u(i));", "bitcast<vec4<u32>>"),
        ("const c = bitcast<vec3<i32>>(vec2u(1, 2));", "bitcast<vec3<i32>>"),
    ]);
    all_right(&[
        "let a = array(1, 2u, 3u); o[0] = a[0];",
        "let a = array(1, 2.5f); o[0] = u32(a[0]);",
        "let a = array(true, b, false); o[0] = u32(a[0]);",
        "let a = array(vec2(1, 2), vec2(3u, 4u)); o[0] = a[0].x;",
        "let f = bitcast<vec2f>(vec2u(1u, 2u)); o[0] = u32(f.x);",
        "let f = vec2f(1.0) * bitcast<f32>(i) + bitcast<vec2<f32>>(vec2u(i)); o[0] = u32(f.x);",
        "const c = bitcast<vec3<f32>>(vec3u(1, 2, 3)); o[0] = u32(c.x) + bitcast<u32>(1.0) + bitcast<u32>(-1);",
    ]);
}

#[test]
fn operators_have_parentheses() {
    all_wrong(&[
        ("b = true && b || true;", "||"),
        ("b = b || b && b;", "&&"),
        ("i = 1u | i & 3u;", "&"),
        ("i = i ^ 2u | 3u;", "|"),
        ("i = i & 2u + 3u;", "+"),
        ("i = 1u << 2u << 3u;", "<<"),
        ("i = i + 1u << 2u;", "<<"),
        ("i = i >> 2u * 3u;", "*"),
        ("b = 1u == i == true;", "=="),
        ("if b == (i < 3u) != b { i++; }", "!="),
        ("b = b & b && b;", "&&"),
        ("let a = array<u32, (1 | 2 & 3)>();", "&"),
        ("o[i << 1u + 2u] = 1u;", "+"),
        ("i += 1u | 2u ^ i;", "^"),
        ("for (var k = 0u; k < 3u | 1u; k++) { }", "|"),
        ("while b && i > 2u || b { break; }", "||"),
    ]);
    all_right(
        &[
            "b = (true && b) || (b && true); i = (1u | i) & 3u; i = 1u | 2u | 3u; i = i & 3u & 7u;",
            "i = i + 2u * 3u - i / 2u % 3u; b = i + 1u < 3u * 2u && i != 3u && b; b = i < 3u || i > 7u || b;",
            "i = (i + 1u) << 2u; i = -1 << 2u == -4 && b; i <<= 1u + 2u;",
            "i >>= 2u; i |= 3u & 1u; i ^= i << 1u; i = ~i & ~1u; b = !b && !(i == 1u); b = b & !b; b = b | b;",
            "let a = array<vec2<u32>, 3>(vec2<u32>(1u), vec2u(i), vec2u()); i = a[1u + 1u].x << 1u;",
            "var v: vec4<f32> = vec4<f32>(1.0); v.x += 1.0; let p = &v; (*p).y = 3.0; i++; i--; o[i] -= 1u;",
            "switch i { case 1, 2: { i = 1u << 2u; } default: { } } let q = select(1u << 2u, 3u | 4u, i < 3u);",
            "if i < o[1] && (o[2] > i) { } let c = i < (o[1]) && i > (3u); let d = vec2<bool>(i < 3u, (i > 2u));",
            "const_assert 1 < 2; const_assert (1 | 2) == 3; let e = i >= 3u; let f = i <= 3u; let g = i << 1u <= 3u;",
        ]
        .map(|t| t.replace("i = -1 << 2u == -4 && b; ", "b = -1 << 2u == -4 && b; "))
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>(),
    );
}

#[test]
fn attributes_stand_where_they_mean_something() {
    all_wrong(&[
        ("@workgroup_size(1) fn f() {} @compute @workgroup_size(1) fn main() { f(); }", "@workgroup_size"),
        ("@workgroup_size(1, fn) fn f() {} @compute @workgroup_size(1) fn main() { f(); }", "@workgroup_size"),
        ("@id(1) const a = 1; @compute @workgroup_size(1) fn main() { }", "@id"),
        ("@compute @workgroup_size(1u, 1i) fn main() { }", "1u, 1i"),
    ]);
    all_right(&[
        "@id(1) override a: u32 = 1u; @compute @workgroup_size(1, 2u, a) fn main() { o[0] = a; }",
        "const n = 2u; @must_use fn f() -> u32 { return 1u; } @workgroup_size(n) @compute fn main() { o[0] = f(); }",
    ]);
}

#[test]
fn stages_have_their_memory_and_interfaces() {
    let texture = "@group(0) @binding(1) var t: texture_storage_2d<r32uint, ACCESS>;";
    let written = format!(
        "{} @vertex fn f() -> @builtin(position) vec4f {{ textureStore(t, vec2(0), vec4u(1)); return vec4f(); }}",
        texture.replace("ACCESS", "write")
    );
    let read = format!(
        "{} @vertex fn f() -> @builtin(position) vec4f {{ return vec4f(textureLoad(t, vec2(0))); }}",
        texture.replace("ACCESS", "read")
    );
    all_wrong(&[
        (
            "var<workgroup> w: i32; @fragment fn f(@location(0) @interpolate(flat) i: i32) -> @location(0) vec4f { w = i; return vec4f(f32(w)); }",
            "w",
        ),
        (
            "var<workgroup> w: atomic<u32>; fn g() -> u32 { return atomicLoad(&w); } @vertex fn f() -> @builtin(position) vec4f { return vec4f(f32(g())); }",
            "w",
        ),
        ("var<workgroup> w: u32; fn g(p: ptr<workgroup, u32>) { *p = 1u; } @fragment fn f() { g(&w); }", "w"),
        ("@compute @workgroup_size(1) fn f() -> @location(0) f32 { return 1.0; }", "f"),
        ("@compute @workgroup_size(1) fn f(@location(0) x: f32) { o[0] = u32(x); }", "f"),
        ("struct S { @location(0) x: f32 } @compute @workgroup_size(1) fn f(s: S) { o[0] = u32(s.x); }", "f"),
        ("@vertex fn f() -> @builtin(position) vec4f { o[0] = 1u; return vec4f(); }", "o"),
        ("@vertex fn f() -> @builtin(position) vec4f { return vec4f(f32(o[0])); }", "o"),
        (&written, "t"),
    ]);
    all_right(&[
        "var<workgroup> w: u32; @fragment fn f() { o[0] = 1u; } @compute @workgroup_size(1) fn g() { w = 1u; }",
        "@group(0) @binding(1) var<storage> r: array<f32, 4>; @vertex fn f() -> @builtin(position) vec4f { return vec4f(r[0]); }",
        &read,
    ]);
}

#[test]
fn types_are_some() {
    all_wrong(&[
        ("var<workgroup> a: atomic<f32>; @compute @workgroup_size(1) fn main() { }", "atomic"),
        (
            "@group(0) @binding(1) var<storage> a: atomic<i32>; @compute @workgroup_size(1) fn main() { _ = atomicLoad(&a); }",
            "a",
        ),
        (
            "struct S { a: array<atomic<u32>, 2> } @group(0) @binding(1) var<storage, read> a: S; @compute @workgroup_size(1) fn main() { }",
            "a",
        ),
        ("alias t = ptr<storage, bool>; @compute @workgroup_size(1) fn main() { }", "ptr"),
        ("alias t = ptr<uniform, vec2<bool>>; @compute @workgroup_size(1) fn main() { }", "ptr"),
        ("alias t = ptr<storage, i32, write>; @compute @workgroup_size(1) fn main() { }", "ptr"),
        ("@group(0) @binding(1) var t: texture_2d<f32>; @compute @workgroup_size(1) fn main() { let x = t; }", "x"),
        ("@group(0) @binding(1) var t: sampler; @compute @workgroup_size(1) fn main() { let x = t; }", "x"),
        (
            "@group(0) @binding(1) var t: texture_2d<f32>; fn f(s: texture_2d<f32>) { let y = s; } @compute @workgroup_size(1) fn main() { f(t); }",
            "y",
        ),
        (
            "@group(0) @binding(1) var t: texture_cube<f32>; @group(0) @binding(2) var s: sampler;
          @fragment fn f() -> @location(0) vec4f { return textureSampleLevel(t, s, vec3f(1.0), 0.0, vec3i(1, 0, 0)); }",
            "textureSampleLevel",
        ),
    ]);
    all_right(&[
        "var<workgroup> a: atomic<i32>; alias t = ptr<function, bool>; alias u = ptr<storage, i32, read>; @compute @workgroup_size(1) fn main() { atomicAdd(&a, 1); }",
        "@group(0) @binding(1) var t: texture_2d<f32>; fn f(s: texture_2d<f32>) -> f32 { let y = textureLoad(s, vec2(0), 0); return y.x; }
         @compute @workgroup_size(1) fn main() { let p = &o; o[0] = u32(f(t)); (*p)[1] = 2u; }",
    ]);
}

#[test]
fn loops_end_and_continue() {
    all_wrong(&[
        ("loop { }", "loop"),
        ("loop { i++; }", "loop"),
        ("for (;;) { i++; }", "for"),
        ("loop { loop { break; } }", "loop"),
        ("loop { switch i { default: { break; } } }", "loop"),
        ("loop { if b { continue; } let z = 1; continuing { let y = z; break if true; } }", "continue"),
        ("loop { if b { continue; } var z = 1u; continuing { i += z; break if i > 3u; } }", "continue"),
        (
            "loop { switch i { case 1u: { continue; } default: { } } let z: vec2<u32> = vec2u(i); continuing { i += z.x; break if i > 3u; } }",
            "continue",
        ),
    ]);
    all_right(&[
        "loop { break; } loop { if b { return; } } loop { continuing { break if b; } } while true { i++; } for (; i < 3u;) { i++; }",
        "loop { let z = 1u; if b { continue; } continuing { i += z; break if i > 3u; } }",
        "loop { if b { continue; } let z = 1u; i += z; continuing { i++; break if i > 3u; } }",
        "loop { loop { if b { continue; } break; } let z = 1u; continuing { i += z; break if i > 3u; } }",
        "let z = 2u; loop { if b { continue; } { let z = 1u; i += z; } continuing { i += z; break if i > 3u; } }",
        "loop { for (var k = 0u; k < 3u; k++) { if b { continue; } } let z = 1u; continuing { i += z; break if i > 3u; } }",
        "loop { if b { continue; } let z = 1u; i += z; continuing { let z = 3u; i += z; break if i > 3u; } }",
    ]);
}
