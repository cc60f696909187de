//! Tests of run-time expressions in WGSL and SPIR-V that naga's validator takes for constant or cannot represent.

use gpucc_frontend_naga::{Input, Lang, Options, lower, parse};
use gpucc_ir::Class;
use gpucc_sim::Dispatch;

use crate::common::outputs;

fn main(body: &str) -> String {
    format!("@compute @workgroup_size(1) fn main() {{ {body} }}")
}

/// The message of an error of the input.
#[track_caller]
fn wrong(source: &str) -> String {
    let done = parse(Input::text(source), Lang::Wgsl).and_then(|p| lower(&p, &Options::default()));
    let list = done.expect_err("wrong");
    assert_eq!(list[0].class, Class::Invalid, "{}", list[0]);
    list[0].message.clone()
}

/// A `let` is no constant expression: division by zero, shifts and indices follow the rules of run time.
#[test]
fn a_let_is_no_constant() {
    let body = "let z = 0u; let a = 17u; o[0] = a / z; o[1] = a % z; let v = vec2u(6u, 9u) / vec2u(z, 2u); o[2] = v.x; o[3] = v.y;";
    assert_eq!(outputs(&main(body), 4), [17, 0, 6, 4]);
    let body = "let s = 33u; o[0] = 3u << s; let i = 9; var v = array<u32, 4>(1u, 2u, 3u, 4u); o[1] = v[i]; let n = -1; o[2] = v[n];
        let q = vec3u(7u, 8u, 9u); o[3] = q[i];";
    let found = outputs(&main(body), 4);
    assert_eq!(found[0], 6);
    assert!((1..=4).contains(&found[1]) && (1..=4).contains(&found[2]) && (7..=9).contains(&found[3]), "{found:?}");
    let several = "@compute @workgroup_size(1) fn other() { o[0] = 1u; } @compute @workgroup_size(1) fn main() { let z = 0u; o[0] = 5u / z; }";
    let source = format!("@group(0) @binding(0) var<storage, read_write> o: array<u32, 4>;\n{several}");
    let parsed = parse(Input::text(&source), Lang::Wgsl).expect("it is valid");
    let options = Options { entry: Some("main".into()), ..Options::default() };
    let module = lower(&parsed, &options).expect("it lowers");
    assert_eq!(module.entries.len(), 1);
    let mut dispatch = Dispatch::new([1; 3]).with_u32(0, 0, &[0; 4]);
    crate::common::run_module(&module, &mut dispatch);
    assert_eq!(dispatch.words(0, 0).expect("bound")[0], 5);
}

/// Constant expressions are errors.
#[test]
fn a_constant_is_one() {
    let buffer = "@group(0) @binding(0) var<storage, read_write> o: array<u32, 4>;\n";
    for body in [
        "o[0] = o[1] / 0u;",
        "const z = 0u; o[0] = o[1] % z;",
        "o[0] = o[1] << 32u;",
        "o[0] = o[9];",
        "let a = 5u; o[0] = a / 0u;",
    ] {
        let text = wrong(&format!("{buffer}{}", main(body)));
        assert!(!text.is_empty(), "{body}");
    }
}

/// Functions that end in a loop which nothing leaves return on the way.
#[test]
fn functions_end_in_endless_loops() {
    let functions = "fn f(n: u32) -> u32 { var i = 0u; loop { i += 3u; if i > n { return i; } } }
        fn g(n: u32) -> u32 { if n > 5u { return 1u; } else { loop { switch n { case 1u: { return 7u; } default: { break; } } if n < 9u { return 8u; } } } }
        fn h(n: u32) -> u32 { for (var i = 0u; ; i++) { if i * i > n { return i; } } }";
    let source = format!(
        "{functions} {}",
        main("o[0] = f(10u + o[9]); o[1] = g(1u + o[9]); o[2] = g(3u + o[9]); o[3] = h(17u + o[9]);")
    );
    assert_eq!(outputs(&source, 10)[..4], [12, 7, 8, 5]);
    let buffer = "@group(0) @binding(0) var<storage, read_write> o: array<u32, 4>;\n";
    for function in [
        "fn f(n: u32) -> u32 { loop { if n > 3u { break; } return 1u; } }",
        "fn f(n: u32) -> u32 { if n > 3u { return 1u; } }",
        "fn f(n: u32) -> u32 { loop { if n > 3u { return 1u; } continuing { break if n > 4u; } } }",
    ] {
        wrong(&format!("{buffer}{function} {}", main("o[0] = f(o[1]);")));
    }
}

/// Pointers to all memory as arguments.
#[test]
fn pointers_to_all_memory_are_arguments() {
    let source = "struct S { a: array<u32, 3>, n: atomic<u32> }
        var<workgroup> w: S; var<workgroup> w2: array<u32, 3>; var<private> p: vec3u = vec3u(1u, 2u, 3u);
        @group(0) @binding(1) var<uniform> u: vec4u;
        @group(0) @binding(2) var<storage, read_write> list: array<u32>;
        fn bump(at: ptr<storage, array<u32>, read_write>, i: u32) -> u32 { (*at)[i] += 5u; return arrayLength(at); }
        fn add(n: ptr<workgroup, atomic<u32>>, by: u32) -> u32 { return atomicAdd(n, by); }
        fn fill(a: ptr<workgroup, array<u32, 3>>, one: ptr<workgroup, u32>) { (*a)[1] = 9u; *one = 4u; }
        fn read(x: u32, v: ptr<uniform, vec4u>, y: u32) -> u32 { return (*v).z * x + y; }
        fn through(at: ptr<storage, array<u32>, read_write>) -> u32 { return bump(at, 1u) + bump(at, 2u); }
        fn own(v: ptr<private, vec3u>) -> u32 { (*v).y = 8u; return (*v).x; }
        @compute @workgroup_size(1) fn main() {
            o[0] = through(&list); add(&w.n, 3u); o[1] = add(&w.n, 4u); fill(&w.a, &w2[2]); o[2] = w.a[1] * 10u + w2[2];
            o[3] = read(10u, &u, 7u); o[4] = own(&p) + p.y;
        }";
    let source = format!("@group(0) @binding(0) var<storage, read_write> o: array<u32, 5>;\n{source}");
    let module = crate::common::module(source.as_bytes(), Lang::Wgsl, &Options::default());
    let mut dispatch =
        Dispatch::new([1; 3]).with_u32(0, 0, &[0; 5]).with_u32(0, 1, &[1, 2, 3, 4]).with_u32(0, 2, &[10, 20, 30]);
    crate::common::run_module(&module, &mut dispatch);
    assert_eq!(dispatch.words(0, 0).expect("bound"), [6, 3, 94, 37, 9]);
    assert_eq!(dispatch.words(0, 2).expect("bound"), [10, 25, 35]);
}

/// Several components on the left side.
#[test]
fn components_are_assigned() {
    let body = "var v = vec4u(1u, 2u, 3u, 4u); v.zx = vec2(7, 8); v.yw += vec2u(10u, 20u); var m = array<vec3u, 2>(); let i = o[9] + 1u;
        m[i].zy = v.xy; let p = &m[i]; p.xy <<= vec2u(1u, 2u); (*p).bg *= vec2(2u, 3u); m[at(&i2)].xy += 1u;
        o[0] = v.x; o[1] = v.y; o[2] = v.z; o[3] = v.w; o[4] = m[1].x; o[5] = m[1].y; o[6] = m[1].z; o[7] = i2; o[8] = m[0].y;";
    let source = format!(
        "var<private> i2: u32; fn at(p: ptr<private, u32>) -> u32 {{ *p += 1u; return 2u - *p - 1u; }}\n{}",
        main(body)
    );
    // v = (8, 12, 7, 24); m[1] = (0, 12, 8), shifted (0, 48, 8), by components z and y (0, 144, 16).
    assert_eq!(outputs(&source, 10)[..9], [8, 12, 7, 24, 0, 144, 16, 1, 1]);
    let buffer = "@group(0) @binding(0) var<storage, read_write> o: array<u32, 4>;\n";
    for body in
        ["var v = vec4u(); v.xx = vec2u();", "let v = vec4u(); v.xy = vec2u();", "var v = vec2u(); v.xz = vec2u();"]
    {
        wrong(&format!("{buffer}{}", main(body)));
    }
}

/// Several components on the left side in the head of a `for`: its body may continue, end it, nest and have names of its own.
#[test]
fn components_are_assigned_in_heads() {
    let body = "var v = vec2u(0u, 9u);
        for (v.yx = vec2u(1u, 0u); v.x < 6u; v.xy += vec2u(1u, 2u)) { if v.x == 2u { continue; } if v.x == 5u { break; } let v = v.y; o[0] += v; }
        o[1] = v.x; o[2] = v.y;
        for (var k = vec2u(3u, 0u); k.x > 0u; k.xy = vec2u(k.x - 1u, k.y + clamp(7u, 1u, 4u))) {
            var w = vec3u();
            for (; w.z < k.x; w.zx += vec2u(1u, 1u)) { o[3] += 1u; }
            o[4] = k.y + w.x;
        }
        for (var n = 0u; ; v.xy = v.yx) { n++; if n == 4u { break; } }
        for (v.xy += vec2u(1u); v.x < 9u; v.x++) { o[7] += 1u; }
        o[5] = v.x; o[6] = v.y;";
    // v: (0, 1), (1, 3), (2, 5), (3, 7), (4, 9), (5, 11): o[0] = 1 + 3 + 7 + 9. Three exchanges make (11, 5).
    assert_eq!(outputs(&main(body), 8), [20, 5, 11, 6, 9, 12, 6, 0]);
    let wrongs = [
        ("var v = vec2u(); for (; v.x < 2u; v.xy += vec2f()) { }", "v.xy"),
        ("var v = vec2u(); for (; v.x < missing; v.xy += vec2u()) { }", "missing"),
        ("var v = vec2u(); for (; v.x < 2u; v.xy += vec2u(1u)) { o[0] = missing; }", "missing"),
    ];
    for (body, part) in wrongs {
        let source = format!("@group(0) @binding(0) var<storage, read_write> o: array<u32, 4>;\n{}", main(body));
        let list = parse(Input::text(&source), Lang::Wgsl).expect_err("wrong");
        let span = list[0].labels[0].span;
        assert!(source[span.start as usize..span.end as usize].contains(part), "{}: {span:?}", list[0]);
    }
}

/// A name of the body again in the `continuing` block.
#[test]
fn continuing_has_a_scope() {
    let body = "var n = 0u; loop { var x = 1u; n += x; continuing { var x = n * 2u; let s = vec2u(x); o[1] = s.x + x; break if x > 5u; } } o[0] = n;";
    assert_eq!(outputs(&main(body), 4)[..2], [3, 12]);
}

/// Uniform buffers in the layout of storage buffers, halves as immediate data.
#[test]
fn uniform_buffers_have_the_standard_layout() {
    let source = "struct S { a: array<f32, 3>, b: vec2f, c: array<vec2f, 2> }
        @group(0) @binding(1) var<uniform> s: S; @group(0) @binding(2) var<uniform> t: array<u32, 5>;
        @group(0) @binding(0) var<storage, read_write> o: array<u32, 4>;
        @compute @workgroup_size(1) fn main() { o[0] = u32(s.a[2] + s.b.y); o[1] = u32(s.c[1].x); o[2] = t[3]; }";
    let module = crate::common::module(source.as_bytes(), Lang::Wgsl, &Options::default());
    let bits: Vec<u32> = [1.0f32, 2.0, 3.0, 0.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0].iter().map(|v| v.to_bits()).collect();
    let mut dispatch =
        Dispatch::new([1; 3]).with_u32(0, 0, &[0; 4]).with_u32(0, 1, &bits).with_u32(0, 2, &[1, 2, 3, 4, 5]);
    crate::common::run_module(&module, &mut dispatch);
    assert_eq!(dispatch.words(0, 0).expect("bound")[..3], [9, 9, 4]);
    let source =
        "enable f16; var<immediate> p: vec2<f16>; @group(0) @binding(0) var<storage, read_write> o: array<u32, 4>;
        @compute @workgroup_size(1) fn main() { o[0] = u32(p.y); }";
    let module = crate::common::module(source.as_bytes(), Lang::Wgsl, &Options::default());
    let mut dispatch = Dispatch::new([1; 3]).with_u32(0, 0, &[0; 4]).with_immediates(vec![0, 0x3c, 0, 0x45]);
    crate::common::run_module(&module, &mut dispatch);
    assert_eq!(dispatch.words(0, 0).expect("bound")[0], 5);
}

/// `@align` on a member raises the alignment of its struct, and so its size and places in other structs and arrays. Places by the rules
/// of WGSL (14.4), worked out by hand.
#[test]
fn alignments_of_members_reach_their_structs() {
    let source = "const N = 32;
        struct I { a: u32, @align(16) b: u32, c: u32 }
        struct J { @size(8) x: u32, @align(N) y: u32, @size(12) z: vec2u }
        alias A = array<I, 2>;
        struct S { n: u32, i: I, m: u32, j: A, k: J, l: u32, o: array<J> }
        @group(0) @binding(0) var<storage, read_write> s: S;
        @compute @workgroup_size(1) fn main() {
            s.n = 1u; s.i.a = 2u; s.i.b = 3u; s.i.c = 4u; s.m = 5u; s.j[0].a = 6u; s.j[1].b = 7u; s.k.x = 8u; s.k.y = 9u; s.k.z.y = 10u; s.l = 11u;
            s.o[0].x = 12u; s.o[1].z.x = 13u; s.o[1].x = arrayLength(&s.o);
        }";
    let module = crate::common::module(source.as_bytes(), Lang::Wgsl, &Options::default());
    let mut dispatch = Dispatch::new([1; 3]).with_u32(0, 0, &[0; 100]);
    crate::common::run_module(&module, &mut dispatch);
    let words = dispatch.words(0, 0).expect("bound");
    // I: 32 bytes, aligned to 16. J: y at 32, z at 40, 64 bytes, aligned to 32. S: i at 16, m 48, j 64, k 128, l 192, o 224.
    let want = [
        (0, 1),
        (4, 2),
        (8, 3),
        (9, 4),
        (12, 5),
        (16, 6),
        (28, 7),
        (32, 8),
        (40, 9),
        (43, 10),
        (48, 11),
        (56, 12),
        (72, 2),
        (82, 13),
    ];
    let got: Vec<(usize, u32)> = words.iter().copied().enumerate().filter(|w| w.1 != 0).collect();
    assert_eq!(got, want);
}

/// Names of extensions.
#[test]
fn extensions_have_names() {
    let source = "requires uniform_buffer_standard_layout, pointer_composite_access, swizzle_assignment; requires linear_indexing;\n";
    assert_eq!(outputs(&main("o[0] = 3u;"), 1), [3]);
    let buffer = "@group(0) @binding(0) var<storage, read_write> o: array<u32, 4>;\n";
    let whole = format!("{source}{buffer}{}", main("o[0] = 3u;"));
    crate::common::module(whole.as_bytes(), Lang::Wgsl, &Options::default());
    for name in ["enable chromium_experimental_pixel_local", "requires texture_and_sampler_let", "requires buffer_view"]
    {
        let source = format!("{name};\n{buffer}{}", main("o[0] = 3u;"));
        let list = parse(Input::text(&source), Lang::Wgsl).expect_err("refused");
        assert_eq!((list[0].class, list[0].code), (Class::Unsupported, "extensions"), "{}", list[0]);
    }
    for name in ["enable nonsense", "requires nonsense"] {
        wrong(&format!("{name};\n{buffer}{}", main("o[0] = 3u;")));
    }
}

/// A fault in a text that was put right is told where the author wrote it.
#[test]
fn messages_are_about_the_source() {
    let buffer = "@group(0) @binding(0) var<storage, read_write> o: array<u32, 4>;\n";
    let source = format!(
        "{buffer}{}",
        main("var v = vec4u(); v.zx = vec2u(1u, 2u); v.yw += vec2u(1u);\n o[0] = v.x + missing; v.xy = vec2u();")
    );
    let list = parse(Input::text(&source), Lang::Wgsl).expect_err("wrong");
    let span = list[0].labels[0].span;
    assert_eq!(&source[span.start as usize..span.end as usize], "missing", "{}", list[0]);
}

/// Built-in functions of constants that the parser does not evaluate: a value of each, worked out by hand.
#[test]
fn constants_have_values() {
    let cases = [
        ("mix(1.0, 3.0, 0.25)", 1.5),
        ("mix(vec2(1.0, 2.0), vec2(3.0, 6.0), 0.5).y", 4.0),
        ("smoothstep(0.0, 2.0, 1.0)", 0.5),
        ("smoothstep(0.0f, 4.0f, 1.0f)", 0.15625),
        ("reflect(vec2(1.0, -1.0), vec2(0.0, 1.0)).y", 1.0),
        ("refract(vec2(0.0, -1.0), vec2(0.0, 1.0), 0.5).y", -1.0),
        ("faceForward(vec2(1.0, 2.0), vec2(0.0, 1.0), vec2(0.0, 1.0)).y", -2.0),
        ("ldexp(1.5, 3)", 12.0),
        ("modf(-3.25).fract", -0.25),
        ("modf(vec2(3.5, 2.25)).whole.x", 3.0),
        ("frexp(12.0).fract", 0.75),
        ("f32(frexp(12.0).exp)", 4.0),
        ("determinant(mat2x2(1.0, 2.0, 3.0, 5.0))", -1.0),
        ("determinant(mat3x3f(2, 0, 0, 0, 3, 0, 0, 0, 4))", 24.0),
        ("determinant(mat4x4(2.0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 4, 0, 1, 2, 3, 0.5))", 12.0),
        ("transpose(mat2x3(1.0, 2.0, 3.0, 4.0, 5.0, 6.0))[2].y", 6.0),
        ("quantizeToF16(1.0001)", 1.0),
        ("f32(pack4x8unorm(vec4(0.0, 1.0, 0.0, 0.0)))", 65280.0),
        ("unpack4x8unorm(0xff00u).y", 1.0),
        ("f32(pack2x16float(vec2(1.0, 0.0)))", 15360.0),
        ("unpack2x16float(0x3c00u).x", 1.0),
        ("unpack2x16snorm(0x7fffu).x", 1.0),
        ("f32(insertBits(0u, 5u, 4u, 3u))", 80.0),
        ("f32(extractBits(-16i, 4u, 8u))", -1.0),
        ("f32(extractBits(0xf0u, 4u, 3u))", 7.0),
        ("f32(bitcast<u32>(2.0f) >> 28u)", 4.0),
        ("bitcast<f32>(0x40400000u)", 3.0),
        ("mix(a, b * 2.0, sqrt(0.25))", 7.5),
        ("m.whole + m.fract * 4.0", 4.0),
    ];
    let lines: Vec<String> =
        (0..cases.len()).map(|k| format!("const c{k} = {}; o[{k}] = bitcast<u32>(f32(c{k}));", cases[k].0)).collect();
    let source = format!("const a = 3.0; const b: f32 = 6; const m = modf(3.25);\n{}", main(&lines.join("\n")));
    let found: Vec<f32> = outputs(&source, cases.len()).into_iter().map(f32::from_bits).collect();
    for ((text, want), have) in cases.iter().zip(found) {
        assert_eq!(have, *want as f32, "{text}");
    }
    // An index out of range stays an error, and what is no constant a call.
    let buffer = "@group(0) @binding(0) var<storage, read_write> o: array<u32, 4>;\n";
    for text in ["smoothstep(1.0, 1.0, 0.5)", "f32(extractBits(1u, 30u, 5u))", "f32(pack2x16float(vec2(70000.0, 0.0)))"]
    {
        wrong(&format!("{buffer}{}", main(&format!("const c = {text}; o[0] = u32(c);"))));
    }
    let body = "let x = f32(o[1]) + 0.5; const c = mix(1.0, 3.0, 0.5); o[0] = u32(mix(c, 6.0, x));";
    assert_eq!(outputs(&main(body), 2)[0], 4);
}

/// Two ways to one variable, of which one is written through, are an error, and both places are told.
#[test]
fn aliases_are_errors() {
    let head = "@group(0) @binding(0) var<storage, read_write> o: array<u32, 8>;
        var<private> p: u32; var<workgroup> a: atomic<u32>; struct S { a: u32, b: u32 } var<private> s: S;
        fn put(to: ptr<function, u32>, source: ptr<function, u32>) { *to = *source; }
        fn sum(x: ptr<function, u32>, y: ptr<function, u32>) -> u32 { return *x + *y; }
        fn unused(x: ptr<function, u32>, y: ptr<function, u32>) { *x = 1u; }
        fn by_name(x: ptr<private, u32>) -> u32 { p = 3u; return *x; }
        fn deeper(x: ptr<private, u32>) -> u32 { return by_name(x); }
        fn reads(x: ptr<private, u32>) { *x = p; }
        fn parts(x: ptr<private, u32>, y: ptr<private, u32>) { *x += *y; }
        fn atomics(x: ptr<workgroup, atomic<u32>>, y: ptr<workgroup, atomic<u32>>) { atomicAdd(x, atomicLoad(y)); }
        fn stored(x: ptr<storage, array<u32, 8>, read_write>) { o[1] = (*x)[2]; }";
    let text = |body: &str| format!("{head}\n{}", main(body));
    for (body, first, second) in [
        ("var x = 1u; put(&x, &x);", "x", Some("x")),
        ("var x = array<u32, 2>(); put(&x[0], &x[1]);", "x", Some("x")),
        ("var x = 1u; let q = &x; put(q, &x);", "x", Some("q")),
        ("_ = by_name(&p);", "p", None),
        ("_ = deeper(&p);", "p", None),
        ("reads(&p);", "p", None),
        ("parts(&s.a, &s.b);", "s", Some("s")),
        ("atomics(&a, &a);", "a", Some("a")),
        ("stored(&o);", "o", None),
        ("if o[3] == 1u { loop { var x = 1u; put(&x, &x); break; } }", "x", Some("x")),
    ] {
        let source = text(body);
        let list = parse(Input::text(&source), Lang::Wgsl).expect_err(body);
        assert_eq!((list[0].code, list[0].class), ("aliasing", Class::Invalid), "{body}: {}", list[0]);
        let told = |n: usize| {
            let span = list[0].labels[n].span;
            source[span.start as usize..span.end as usize].to_string()
        };
        assert!(told(0).contains(first), "{body}: {}", told(0));
        let at = list[0].labels[1].span.start as usize;
        match second {
            Some(second) => assert!(told(1).contains(second) && at > head.len(), "{body}: {}", told(1)),
            // The place in the function.
            None => assert!(at < head.len(), "{body}: {}", told(1)),
        }
    }
    let source = format!("{} fn through(x: ptr<function, u32>) {{ put(x, x); }}", text(""));
    assert!(parse(Input::text(&source), Lang::Wgsl).is_err_and(|l| l[0].code == "aliasing"), "inside of `through`");
    for body in [
        "var x = 1u; o[0] = sum(&x, &x);",
        "var x = 1u; unused(&x, &x);",
        "var x = 1u; var y = 2u; put(&x, &y); o[1] = x;",
        "parts(&p, &s.b); parts(&s.b, &p);",
        "_ = by_name(&s.a);",
    ] {
        let source = text(body);
        parse(Input::text(&source), Lang::Wgsl).unwrap_or_else(|l| panic!("{body}: {}", l[0]));
    }
}

/// Numbers of lanes are signed or not.
#[test]
fn numbers_of_lanes_may_be_signed() {
    let source = "enable subgroups; @group(0) @binding(0) var<storage, read_write> o: array<u32, 8>;
        @compute @workgroup_size(4) fn main(@builtin(subgroup_invocation_id) id: u32) {
            let other = i32(id) ^ 1; let v = 10u + id; let e = select(0u, 100u, subgroupElect());
            o[id] = subgroupShuffle(v, other) + subgroupBroadcast(id, 2) + quadBroadcast(id, 1i) + e;
        }";
    let module = crate::common::module(source.as_bytes(), Lang::Wgsl, &Options::default());
    let mut dispatch = Dispatch::new([1; 3]).with_u32(0, 0, &[0; 8]);
    crate::common::run_module(&module, &mut dispatch);
    assert_eq!(dispatch.words(0, 0).expect("bound")[..4], [114, 13, 16, 15]);
}

/// Casts between halves and words keep every bit.
#[test]
fn casts_of_halves_keep_bits() {
    // Ones, a smallest number, an infinity, a NaN with bits of its own.
    let words = [0x3c00_bc00u32, 0x0001_8001, 0x7c00_fc00, 0x7e5a_7bff];
    let body = "for (var i = 0u; i < 4u; i++) {
            let h = bitcast<vec2<f16>>(o[i]); o[4u + i] = bitcast<u32>(h); o[8u + i] = bitcast<u32>(bitcast<f32>(h.yx));
            let j = bitcast<i32>(h); let again: vec2h = bitcast<H>(j); o[12u + i] = u32(all(bitcast<vec2<u32>>(bitcast<vec4<f16>>(vec2(o[i], 7u))) == vec2(bitcast<u32>(again), 7u)));
        }
        let f = bitcast<vec4<f16>>(vec2f(1.0, 2.0)); let g: vec2f = bitcast<vec2f>(f); o[16] = bitcast<u32>(g.y);
        let s: vec4h = bitcast<vec4h>(bitcast<vec2i>(f)); o[17] = u32(all(s == f)); o[18] = bitcast<u32>(1.0); o[19] = bitcast<u32>(bitcast<vec2h>(bitcast<vec2h>(7)));";
    let source = format!(
        "enable f16; alias H = vec2<f16>; @group(0) @binding(0) var<storage, read_write> o: array<u32, 20>; {}",
        main(body)
    );
    let module = crate::common::module(source.as_bytes(), Lang::Wgsl, &Options::default());
    let mut start = vec![0; 20];
    start[..4].copy_from_slice(&words);
    let mut dispatch = Dispatch::new([1; 3]).with_u32(0, 0, &start);
    crate::common::run_module(&module, &mut dispatch);
    let found = dispatch.words(0, 0).expect("bound");
    assert_eq!(found[4..8], words);
    assert_eq!(found[8..12], words.map(|w| w.rotate_left(16)));
    assert_eq!(found[12..], [1, 1, 1, 1, 0x4000_0000, 1, 0x3f80_0000, 7]);
    for body in [
        "let h = vec4<f16>(); o[0] = bitcast<u32>(h);",
        "let h = vec3<f16>(); let w = bitcast<vec2u>(h);",
        "let h = bitcast<vec2h>(vec2(o[0], 1u));",
    ] {
        let source =
            format!("enable f16; @group(0) @binding(0) var<storage, read_write> o: array<u32, 20>; {}", main(body));
        let text = wrong(&source);
        assert!(text.contains("bitcast"), "{body}: {text}");
    }
}

/// The exponents of halves are words, as values of any width and wherever an `i32` may stand.
#[test]
fn exponents_of_halves_are_words() {
    let head = "enable f16; @group(0) @binding(0) var<storage, read_write> o: array<u32, 12>;
        fn exponent(h: f16) -> i32 { return frexp(h).exp; }
        fn both(x: vec2<f16>) -> vec2<i32> { let r = frexp(x); return r.exp + vec2(1, 2); }";
    let body = "let z = f16(o[11]); let a = frexp(vec2(z + 3h, 0.25h)); let e: vec2<i32> = a.exp; o[0] = u32(e.x + 10); o[1] = bitcast<u32>(e.y);
        var r = frexp(z + 12h); r = frexp(z + 40h); let k: i32 = r.exp; o[2] = u32(max(k, 3) * 1000 + r.exp); r.exp += 3000000; o[3] = u32(r.exp);
        o[4] = u32(exponent(z + 1h)); let b = both(vec2(z + 8h, 16h)); o[5] = u32(b.x * 100 + b.y);
        for (var i = frexp(z + 4h).exp; i < frexp(z + 16h).exp + 1; i += frexp(z + 1h).exp) { o[6] += 1u; }
        switch frexp(z + 2h).exp { case 1: { o[7] = 1u; } case 2: { let q: i32 = frexp(frexp(z + 6h).fract).exp; o[7] = u32(q + 5); } default: { } }
        if true { loop { var v = array<i32, 5>(1, 2, 3, 4, 5); o[8] = u32(v[frexp(z + 3h).exp]); continuing { break if frexp(z + 3h).exp == 2; } } }
        let l: vec4<i32> = frexp(vec4(z + 1h)).exp; let m: vec3<i32> = frexp(vec3(z + 7h)).exp; o[9] = u32(l.w * 10 + m.z);
        let f = frexp(9.0f); o[10] = u32(f.exp + frexp(vec2(z + 9h)).exp.y);";
    let source = format!("{head} {}", main(body));
    let module = crate::common::module(source.as_bytes(), Lang::Wgsl, &Options::default());
    let mut dispatch = Dispatch::new([1; 3]).with_u32(0, 0, &[0; 12]);
    crate::common::run_module(&module, &mut dispatch);
    let want = [12, u32::MAX, 6006, 3_000_006, 1, 507, 3, 5, 3, 13, 8, 0];
    assert_eq!(dispatch.words(0, 0).expect("bound"), want);
    // Errors stay errors, told by the text of the author.
    let text = wrong(&format!("{head} {}", main("let r = frexp(f16(o[0])); let e: u32 = r.exp;")));
    assert!(text.contains("u32"), "{text}");
}
