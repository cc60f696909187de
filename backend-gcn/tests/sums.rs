//! Forms of the vector unit and of workgroup memory: products that only a sum wants, carries that are asked for, one more where a condition holds,
//! places of fields, bytes as floats, limits as a modifier, and four words at once.

use crate::common::{BACKEND, NAMES, compile, module, options, run};
use gpucc_driver::Backend as _;
use gpucc_sim::Dispatch;

/// Words at which carries and fields differ.
const EDGES: [u32; 8] = [0, 1, 2, 31, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff];

/// The result for each pair of words, and the listing.
fn pairs(body: &str, generation: usize, level: u8) -> (Vec<u32>, String) {
    let text = format!(
        "@group(0) @binding(0) var<storage, read> a: array<u32>;\n@group(0) @binding(1) var<storage, read_write> o: array<u32>;\n\
         @compute @workgroup_size(8, 8)\nfn main(@builtin(local_invocation_id) id: vec3<u32>) {{\n\
         let i = id.y * 8u + id.x; let x = a[id.y]; let y = a[id.x];\n{body}\n}}"
    );
    let out = compile(&module(&text), generation, &options(level));
    let d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &EDGES).with_u32(0, 1, &[0; 64]);
    let got = run(&out, generation, &d, Some(1)).unwrap_or_else(|t| panic!("{}: {t}", NAMES[generation]));
    (got.words(0, 1).expect("the output"), BACKEND.listing(&out, generation))
}

/// Runs a body on every generation and level: the words are those of `of`, and the listing at level 2 has and lacks these operations.
fn check(body: &str, of: fn(u32, u32) -> u32, has: &[&str], lacks: &[&str]) {
    let want: Vec<u32> = EDGES.iter().flat_map(|&x| EDGES.iter().map(move |&y| of(x, y))).collect();
    for (g, name) in NAMES.iter().enumerate() {
        for level in [0, 2] {
            let (got, text) = pairs(body, g, level);
            assert_eq!(got, want, "{name} -O{level}: {body}\n{text}");
            if level == 2 {
                assert!(has.iter().all(|w| text.contains(w)), "{name}: {has:?}\n{text}");
                assert!(!lacks.iter().any(|w| text.contains(w)), "{name}: {lacks:?}\n{text}");
            }
        }
    }
}

#[test]
fn a_carry_is_the_sums_own() {
    let none = &["v_cmp_lt_u32", "v_cmp_gt_u32", "v_cndmask"];
    // The high word of a sum of two words, above one of them.
    let high = |x: u32, y: u32| y.wrapping_add(u32::from(x.overflowing_add(y).1));
    check("let s = x + y; o[i] = y + select(0u, 1u, s < x);", high, &["v_addc_u32"], none);
    check("let s = x + y; o[i] = select(0u, 1u, x > s) + y;", high, &["v_addc_u32"], none);
    // Both of a chain, whose sum is used as well.
    let chain = |x: u32, y: u32| {
        let (s, c) = x.overflowing_add(y);
        let (t, d) = s.overflowing_add(x);
        (t ^ y).wrapping_add(u32::from(c)).wrapping_add(u32::from(d))
    };
    let text = "let s = x + y; let t = s + x; var h = t ^ y; h += select(0u, 1u, s < y); h += select(0u, 1u, t < s); o[i] = h;";
    check(text, chain, &["v_addc_u32"], none);
}

#[test]
fn a_borrow_is_the_differences_own() {
    let high = |x: u32, y: u32| (x ^ y).wrapping_sub(u32::from(x < y)) ^ x.wrapping_sub(y);
    let text = "let d = x - y; let b = x < y; o[i] = ((x ^ y) - select(0u, 1u, b)) ^ d;";
    check(text, high, &["v_subb"], &["v_cmp_lt_u32", "v_cndmask"]);
}

#[test]
fn one_more_or_less_where_a_condition_holds() {
    let more = |x: u32, y: u32| x.wrapping_add(u32::from(y == 31));
    check("o[i] = x + select(0u, 1u, y == 31u);", more, &["v_addc_u32"], &["v_cndmask"]);
    let less = |x: u32, y: u32| x.wrapping_sub(u32::from(y == 31));
    check("o[i] = x + select(0u, 0xffffffffu, y == 31u);", less, &["v_subb"], &["v_cndmask"]);
    check("o[i] = x - select(0u, 1u, y == 31u);", less, &["v_subb"], &["v_cndmask"]);
    // The sum of two takes it as well.
    let both = |x: u32, y: u32| x.wrapping_add(y).wrapping_add(u32::from(y == 31));
    check("o[i] = (x + y) + select(0u, 1u, y == 31u);", both, &["v_addc_u32"], &["v_cndmask"]);
    // Others than 1 and 0 are chosen.
    check(
        "o[i] = x + select(0u, 2u, y == 31u);",
        |x, y| x.wrapping_add(2 * u32::from(y == 31)),
        &["v_cndmask"],
        &["v_addc"],
    );
    check("o[i] = x + select(1u, 0u, y == 31u);", |x, y| x.wrapping_add(u32::from(y != 31)), &[], &[]);
}

#[test]
fn a_product_of_24_bits_is_added_to() {
    let sum = |x: u32, y: u32| (x & 0xffff).wrapping_mul(y >> 16).wrapping_add(x ^ y);
    check("o[i] = (x & 0xffffu) * (y >> 16u) + (x ^ y);", sum, &["v_mad_u32_u24"], &["v_mul"]);
    // Two that want it take it from one product.
    let twice = |x: u32, y: u32| {
        let p = (x & 0xffff).wrapping_mul(y >> 16);
        p.wrapping_add(x) ^ p
    };
    check("let p = (x & 0xffffu) * (y >> 16u); o[i] = (p + x) ^ p;", twice, &["v_mul_u32_u24"], &["v_mad_u32_u24"]);
}

#[test]
fn places_of_fields_are_taken_as_they_are() {
    let bit = |x: u32, y: u32| x >> (y & 31) & 1;
    check("o[i] = (x >> (y & 31u)) & 1u;", bit, &["v_bfe_u32"], &["v_lshr"]);
    check("o[i] = (x >> (y & 31u)) & 7u;", |x, y| x >> (y & 31) & 7, &["v_bfe_u32"], &[]);
    check("o[i] = x << (y & 31u);", |x, y| x << (y & 31), &[], &["v_and_b32"]);
    // A mask of fewer bits stays.
    check("o[i] = x << (y & 15u);", |x, y| x << (y & 15), &["v_and_b32"], &[]);
}

#[test]
fn bytes_become_floats_where_they_lie() {
    let text = |x: &str| format!("o[i] = bitcast<u32>(f32({x}));");
    let none = &["v_bfe", "v_and_b32", "v_lshr"];
    check(&text("x & 255u"), |x, _| ((x & 255) as f32).to_bits(), &["v_cvt_f32_ubyte0"], none);
    check(&text("(x >> 8u) & 255u"), |x, _| ((x >> 8 & 255) as f32).to_bits(), &["v_cvt_f32_ubyte1"], none);
    check(&text("(x >> 16u) & 255u"), |x, _| ((x >> 16 & 255) as f32).to_bits(), &["v_cvt_f32_ubyte2"], none);
    check(&text("x >> 24u"), |x, _| ((x >> 24) as f32).to_bits(), &["v_cvt_f32_ubyte3"], none);
    // Other places and sizes are taken out.
    check(&text("x >> 25u"), |x, _| ((x >> 25) as f32).to_bits(), &[], &["ubyte"]);
    check(&text("x & 127u"), |x, _| ((x & 127) as f32).to_bits(), &[], &["ubyte"]);
}

#[test]
fn a_limit_to_one_is_a_modifier_of_what_makes_it() {
    let text = "let p = f32(x & 15u) * 0.25 - f32(y & 7u); o[i] = bitcast<u32>(saturate(p));";
    let of = |x: u32, y: u32| {
        let v = (x & 15) as f32 * 0.25 - (y & 7) as f32;
        (if v > 0.0 { v.min(1.0) } else { 0.0 }).to_bits()
    };
    check(text, of, &["clamp"], &["v_med3", "v_max"]);
    let text = "let p = f32(x & 15u) * 0.25 - f32(y & 7u); o[i] = bitcast<u32>(min(max(p, 0.0), 1.0));";
    check(text, of, &["clamp"], &["v_med3", "v_max"]);
    // One that is wanted as it is has no modifier.
    let text = "let p = f32(x & 15u) * 0.25 - f32(y & 7u); o[i] = bitcast<u32>(min(max(p, 0.0), 1.0) + p);";
    let of = |x: u32, y: u32| {
        let v = (x & 15) as f32 * 0.25 - (y & 7) as f32;
        ((if v > 0.0 { v.min(1.0) } else { 0.0 }) + v).to_bits()
    };
    check(text, of, &[], &["clamp"]);
}

#[test]
fn four_words_of_workgroup_memory_are_one_access() {
    let text = "@group(0) @binding(0) var<storage, read> a: array<vec4u>;\n@group(0) @binding(1) var<storage, read_write> o: array<vec4u>;\n\
        var<workgroup> w: array<vec4u, 16>;\n@compute @workgroup_size(16)\nfn main(@builtin(local_invocation_index) i: u32) {\n\
        w[i] = a[i];\nworkgroupBarrier();\no[i] = w[15u - i] + w[i ^ 1u];\n}";
    let input: Vec<u32> = (0..64).map(|k| k * k + 7).collect();
    let at = |lane: usize, k: usize| input[4 * lane + k];
    let want: Vec<u32> = (0..64).map(|n| at(15 - n / 4, n % 4) + at((n / 4) ^ 1, n % 4)).collect();
    for (g, name) in NAMES.iter().enumerate() {
        let out = compile(&module(text), g, &options(2));
        let listing = BACKEND.listing(&out, g);
        assert!(listing.contains("ds_write2_b64") && listing.contains("ds_read2_b64"), "{name}\n{listing}");
        let d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &input).with_u32(0, 1, &[0; 64]);
        let got = run(&out, g, &d, Some(1)).unwrap_or_else(|t| panic!("{name}: {t}"));
        assert_eq!(got.words(0, 1).expect("the output"), want, "{name}");
    }
}
