//! Forms of WGSL that are right and that naga's parser does not take: results by hand.

use crate::common::outputs;
use gpucc_frontend_naga::{Input, Lang, Options, lower, parse};
use gpucc_ir::Class;

fn main(body: &str) -> String {
    format!("@compute @workgroup_size(1) fn main() {{ {body} }}")
}

/// A variable of `continuing` that hides one of the loop begins behind its own initialiser.
#[test]
fn a_variable_of_continuing_begins_with_the_one_it_hides() {
    for kind in ["var", "let"] {
        let body = format!(
            "var n = 0u; loop {{ {kind} x = n + 1u; n = x; continuing {{ {kind} x = x * 10u + vec2u(x).y; o[n] = x; break if x > 30u; }} }}"
        );
        assert_eq!(outputs(&main(&body), 4), [0, 11, 22, 33], "{kind}");
    }
    // A type of the same words, and a block in it.
    let body = "loop { var x: u32 = 4u; continuing { var x: array<u32, 2> = array<u32, 2>(x, x + 1u); { o[0] = x[0]; o[1] = x[1]; } break if true; } }";
    assert_eq!(outputs(&main(body), 2), [4, 5]);
}

/// Parts of swizzles on the left side of assignments.
#[test]
fn swizzles_of_swizzles_are_assigned() {
    let start = "var v = vec4u(1u, 2u, 3u, 4u); let p = &v; var i = o[0]; i += 1u;";
    let cases: [(&str, [u32; 4]); 20] = [
        ("v.yz.yx = vec2u(99u, 100u);", [1, 100, 99, 4]),
        ("v.yz.y = 200u;", [1, 2, 200, 4]),
        ("v.xyz[1] = 300u;", [1, 300, 3, 4]),
        ("v.zyx[i] = 400u;", [1, 400, 3, 4]),
        ("v.zyx[i + 1u] = 400u;", [400, 2, 3, 4]),
        ("v.xyz[0] += 500u;", [501, 2, 3, 4]),
        ("v.yzw[1]++;", [1, 2, 4, 4]),
        ("v.yzw[i]--;", [1, 2, 2, 4]),
        ("v.wz.y++;", [1, 2, 4, 4]),
        ("p.yz.y = 5u;", [1, 2, 5, 4]),
        ("p.xyz[1] = 6u;", [1, 6, 3, 4]),
        ("p.wzy[i] *= 7u;", [1, 2, 21, 4]),
        ("p.zw.yx = vec2u(8u, 9u);", [1, 2, 9, 8]),
        ("(*p).zw.y <<= 2u;", [1, 2, 3, 16]),
        ("v.wzyx.zyx.x = 10u;", [1, 10, 3, 4]),
        ("v.bgra.yx += vec2u(10u, 20u);", [1, 12, 23, 4]),
        ("v.zyx.xy[i] = 11u;", [1, 11, 3, 4]),
        ("for (var k = 0u; k < 3u; v.yz.x++) { k++; }", [1, 5, 3, 4]),
        ("if v.yz.y == 3u { v.yz.y = v.zy.x + v.xyz[i]; }", [1, 2, 5, 4]),
        ("{ var m = mat2x2f(1, 2, 3, 4); m[i].yx.y = 9; v.w = u32(m[1].x); }", [1, 2, 3, 9]),
    ];
    for (body, expected) in cases {
        let source = main(&format!("{start} {body} o[0] = v.x; o[1] = v.y; o[2] = v.z; o[3] = v.w;"));
        assert_eq!(outputs(&source, 4), expected, "{body}");
    }
    // Members that are spelled like components are members.
    let head = "struct S { xy: vec2u, yz: vec2u }";
    let body = "var s: S; s.xy.x = 1u; s.yz.y = 2u; s.xy[1] = 3u; s.yz.rg.r = 4u;
        o[0] = s.xy.x; o[1] = s.xy.y; o[2] = s.yz.x; o[3] = s.yz.y;";
    assert_eq!(outputs(&format!("{head} {}", main(body)), 4), [1, 3, 4, 2]);
    for wrong in ["v.yz.z = 1u;", "v.xx.yx = vec2u(1u);", "v.xy.xx = vec2u(1u);", "v.xyz[3] = 1u;"] {
        let list = parse(Input::text(&main(&format!("var v = vec4u(); {wrong}"))), Lang::Wgsl).expect_err(wrong);
        assert_eq!(list[0].class, Class::Invalid, "{wrong}: {}", list[0]);
    }
}

/// Private variables that begin with the parts of a constant.
#[test]
fn private_variables_begin_with_parts_of_numbers() {
    let source = format!(
        "var<private> a = modf(1.5); var<private> b = frexp(12); var<private> c = modf(vec2f(2.25, -3.5)); var<private> d = frexp(vec3(8.0, 1.0, 0.5));
        var<private> e = modf(2.75);\n{}",
        main("o[0] = u32(a.fract * 4.0); o[1] = u32(a.whole); o[2] = u32(b.fract * 4.0); o[3] = u32(b.exp);
            o[4] = u32(c.fract.x * 4.0); o[5] = u32(-c.whole.y); o[6] = u32(d.exp.x); o[7] = u32(d.fract.z * 8.0);
            o[8] = u32(e.fract * 4.0); a = e; o[9] = u32(a.whole);")
    );
    assert_eq!(outputs(&source, 10), [2, 1, 3, 4, 1, 3, 4, 4, 3, 2]);
}

/// What is not evaluated may be out of range.
#[test]
fn the_other_side_of_a_constant_is_not_evaluated() {
    let source = format!(
        "fn f(x: i32) -> i32 {{ o[1] = 7u; return x; }}\n{}",
        main("if false && (0 < f(4294967295)) { o[0] = 1u; } if true || (0 < f(0xffffffff)) { o[0] += 2u; }")
    );
    assert_eq!(outputs(&source, 2), [2, 0]);
}

/// Extensions that are proposed are refused by their code; names that nobody knows are mistakes.
#[test]
fn proposed_extensions_are_refused() {
    let refused = [
        "requires texel_buffers;",
        "requires buffer_view, texel_buffers;",
        "requires packed_4x8_integer_dot_product, buffer_view;",
        "@group(0) @binding(0) var<storage> b: buffer;",
        "@group(0) @binding(0) var<storage, read_write> b: texel_buffer<rgba8unorm, read>;",
        "fn f() { let x = bufferView<f32>(0); }",
    ];
    for text in refused {
        let done = parse(Input::text(&format!("{text} {}", main(""))), Lang::Wgsl);
        let list = done.and_then(|p| lower(&p, &Options::default())).expect_err(text);
        assert_eq!((list[0].class, list[0].code), (Class::Unsupported, "extensions"), "{text}: {}", list[0]);
    }
    for text in ["requires nosuch;", "requires subgroup_uniformity, nosuch;", "enable nosuch;"] {
        let list = parse(Input::text(&format!("{text} {}", main(""))), Lang::Wgsl).expect_err(text);
        assert_eq!(list[0].class, Class::Invalid, "{text}: {}", list[0]);
        assert!(list[0].message.contains("nosuch"), "{text}: {}", list[0]);
    }
    // A name of the author's is the author's.
    let source = format!(
        "struct buffer {{ a: u32 }} {}",
        main("var b: buffer; b.a = 3u; o[0] = b.a; var v = vec2u(); v.yx = vec2u(1u);")
    );
    assert_eq!(outputs(&source, 1), [3]);
}

/// Names of subgroups, and the side of a fragment's depth.
#[test]
fn subgroups_have_numbers_and_depths_a_side() {
    let source = "enable subgroups; requires subgroup_id;
        @group(0) @binding(0) var<storage, read_write> o: array<u32, 128>;
        @compute @workgroup_size(128) fn main(@builtin(subgroup_id) id: u32, @builtin(num_subgroups) all: u32,
            @builtin(local_invocation_index) i: u32, @builtin(subgroup_size) size: u32) { o[i] = select(0u, 1u, id == i / size && all * size == 128u); }";
    let mut dispatch = gpucc_sim::Dispatch::new([1, 1, 1]).with_u32(0, 0, &[0; 128]);
    crate::common::run(source, &mut dispatch);
    assert_eq!(dispatch.words(0, 0).expect("bound"), [1; 128]);
    for side in ["any", "greater", "less"] {
        let source = format!(
            "requires fragment_depth; @fragment fn f(@builtin(position) p: vec4f) -> @builtin(frag_depth, {side}) f32 {{ return p.x; }}"
        );
        let module = crate::common::module(source.as_bytes(), Lang::Wgsl, &Options::default());
        let gpucc_ir::StageInfo::Fragment { io, .. } = &module.entries[0].stage else { panic!("a fragment") };
        assert_eq!(io.outputs.len(), 1, "{side}");
    }
    let list = parse(Input::text("@fragment fn f() -> @builtin(frag_depth, nearer) f32 { return 1.0; }"), Lang::Wgsl);
    assert_eq!(list.expect_err("no such side")[0].class, Class::Invalid);
}

/// Overrides by id and bits of their type.
#[test]
fn overrides_are_given_as_bits() {
    let source = "@id(1) override a: u32 = 1u; @id(2) override b: i32; @id(3) override c: f32 = 1.0; @id(4) override d: bool = false; override e: u32 = 9u;
        @group(0) @binding(0) var<storage, read_write> o: array<u32, 5>;
        @compute @workgroup_size(1) fn main() { o[0] = a; o[1] = bitcast<u32>(b); o[2] = bitcast<u32>(c); o[3] = u32(d); o[4] = e; }";
    // Those of an id that is not there are passed over; bits count before numbers.
    let constants = vec![(1, 0xffff_fffe), (2, 0xffff_fffd), (3, 0x4049_0fdb), (4, 2), (9, 5)];
    let options = Options { constants, overrides: vec![("a".into(), 7.0), ("e".into(), 8.0)], ..Options::default() };
    let module = crate::common::module(source.as_bytes(), Lang::Wgsl, &options);
    let mut dispatch = gpucc_sim::Dispatch::new([1, 1, 1]).with_u32(0, 0, &[0; 5]);
    crate::common::run_module(&module, &mut dispatch);
    assert_eq!(dispatch.words(0, 0).expect("bound"), [0xffff_fffe, 0xffff_fffd, 0x4049_0fdb, 1, 8]);
}
