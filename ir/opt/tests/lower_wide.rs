//! Integers of 64 bits as pairs of words: the values that Rust computes.

use gpucc_interp as interp;
use gpucc_ir::{Module, Op};
use gpucc_opt::{Caps, OpSet, Options, prepare};
use gpucc_sim::Dispatch;

const LANES: u32 = 64;
/// Bytes of the operands of an invocation: three integers, and a float.
const STRIDE: usize = 32;

fn module(body: &str) -> Module {
    let text = format!(
        "module robust off\nres0 \"a\" group 0 binding 0 storage_ro size 32 stride 32\nres1 \"o\" group 0 binding 1 storage_rw size 32 stride 32\n\
         entry \"main\" compute func0 size {LANES},1,1\nfunc0 \"main\" {{\nblock0:\n  \
         v900: i32x3 = sysval global_invocation_id\n  v901: i32 = extract v900, lane 0\n  v0: i32 = shl v901, 5:i32\n  \
         v1: i64 = load res0[0 + v0] align 8\n  v2: i64 = load res0[8 + v0] align 8\n  v3: i64 = load res0[16 + v0] align 8\n  \
         v4: f32 = load res0[24 + v0] align 8\n{body}}}\n"
    );
    gpucc_ir::text::parse_module(&text).unwrap_or_else(|e| panic!("{}\n{text}", e.message))
}

/// Runs it without lanes of 64 bits, with vectors and without, optimised and not, with conversions to such lanes and without; all store the
/// same bytes.
fn outputs(body: &str, data: &[u8]) -> Vec<u8> {
    outputs_without(body, data, OpSet::EMPTY)
}

/// The same without these ops on floats of 64 bits.
fn outputs_without(body: &str, data: &[u8], expand_doubles: OpSet) -> Vec<u8> {
    let m = module(body);
    let mut found: Option<Vec<u8>> = None;
    let variants =
        [(false, 0, false), (true, 0, false), (true, 1, false), (true, 2, false), (false, 0, true), (true, 2, true)];
    for (scalar, level, wide_conversions) in variants {
        let caps = Caps { wide: false, scalar, expand_doubles, wide_conversions, ..Caps::FULL };
        let options = Options { level, verify: true, ..Options::default() };
        let (n, _) = prepare(&m, "main", &caps, &options).unwrap_or_else(|e| panic!("{e}\n{m}"));
        let stays = |line: &str| ["bitcast", "f2s_full", "f2u_full", "s2f", "u2f"].iter().any(|op| line.contains(op));
        assert!(n.to_string().lines().all(|l| !l.contains("i64") || wide_conversions && stays(l)), "{n}");
        let mut d = Dispatch::new([data.len() as u32 / STRIDE as u32 / LANES, 1, 1]).with(0, 0, data.to_vec()).with(
            0,
            1,
            vec![0xa5; data.len()],
        );
        interp::run(&n, "main", &mut d, &interp::Options::default()).unwrap_or_else(|e| panic!("{e}\n{n}"));
        let bytes = d.buffer(0, 1).expect("the output").bytes.clone();
        if let Some(other) = &found {
            assert!(*other == bytes, "{body}: level {level} scalar {scalar} conversions {wide_conversions}");
        }
        found = Some(bytes);
    }
    found.expect("several runs")
}

const EDGES: [u64; 22] = [
    0,
    1,
    2,
    3,
    7,
    31,
    32,
    33,
    63,
    64,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    0x1_0000_0001,
    0xffff_ffff_0000_0000,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0x8000_0000_ffff_ffff,
    0xffff_fffe_ffff_ffff,
    0xffff_ffff_ffff_fffe,
    u64::MAX,
];

/// Each pair of edges, then random integers of every length, with a float for each.
fn operands() -> Vec<([u64; 3], f32)> {
    let mut seed = 0x1234_5678_9abc_def1u64;
    let mut next = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        seed ^ seed >> 29
    };
    let floats =
        [0.0, -0.0, 1.5, -1.5, 4294967296.0, -4294967296.5, 9.3e18, -9.3e18, 1.9e19, f32::NAN, f32::INFINITY, -0.7];
    let mut out = Vec::new();
    for (k, &a) in EDGES.iter().enumerate() {
        for &b in &EDGES {
            out.push(([a, b, EDGES[(k * 7 + out.len()) % EDGES.len()]], floats[out.len() % floats.len()]));
        }
    }
    while out.len() < 4096 {
        let word = |n: u64, len: u64| n >> (len % 64);
        let (a, b, c) = (word(next(), next() >> 40), word(next(), next() >> 40), next());
        let f = f32::from_bits((next() >> 32) as u32);
        out.push(([a, b, c], f));
    }
    out
}

fn data(list: &[([u64; 3], f32)]) -> Vec<u8> {
    let one = |(n, f): &([u64; 3], f32)| {
        let mut bytes: Vec<u8> = n.iter().flat_map(|n| n.to_le_bytes()).collect();
        bytes.extend_from_slice(&f.to_le_bytes());
        bytes.resize(STRIDE, 0);
        bytes
    };
    list.iter().flat_map(one).collect()
}

/// An op of the three integers, and what it gives.
fn check(expression: &str, expected: impl Fn(u64, u64, u64) -> u64) {
    check_code(&format!("  v5: i64 = {expression}\n  store v5, res1[0 + v0] align 8\n  ret\n"), |n, _| {
        expected(n[0], n[1], n[2])
    });
}

/// Code that stores an integer for each invocation, and what it is.
fn check_code(body: &str, expected: impl Fn([u64; 3], f32) -> u64) {
    let list = operands();
    let out = outputs(body, &data(&list));
    for (k, &(n, f)) in list.iter().enumerate() {
        let got = u64::from_le_bytes(out[k * STRIDE..k * STRIDE + 8].try_into().expect("eight bytes"));
        let want = expected(n, f);
        assert!(got == want, "{body}of {n:#x?}, {f:?}: {got:#x}, not {want:#x}");
    }
}

fn field(offset: u64, count: u64) -> (u32, u32) {
    let offset = offset.min(64) as u32;
    (offset, (count.min(64) as u32).min(64 - offset))
}

fn ones(count: u32) -> u64 {
    u64::MAX.checked_shr(64 - count).unwrap_or(0)
}

#[test]
fn sums_products_and_bits() {
    check("iadd v1, v2", |a, b, _| a.wrapping_add(b));
    check("isub v1, v2", |a, b, _| a.wrapping_sub(b));
    check("imul v1, v2", |a, b, _| a.wrapping_mul(b));
    check("umulhi v1, v2", |a, b, _| ((u128::from(a) * u128::from(b)) >> 64) as u64);
    check("smulhi v1, v2", |a, b, _| ((i128::from(a as i64) * i128::from(b as i64)) >> 64) as u64);
    check("ineg v1", |a, _, _| a.wrapping_neg());
    check("iabs v1", |a, _, _| (a as i64).wrapping_abs() as u64);
    check("smin v1, v2", |a, b, _| (a as i64).min(b as i64) as u64);
    check("smax v1, v2", |a, b, _| (a as i64).max(b as i64) as u64);
    check("umin v1, v2", |a, b, _| a.min(b));
    check("umax v1, v2", |a, b, _| a.max(b));
    check("and v1, v2", |a, b, _| a & b);
    check("or v1, v2", |a, b, _| a | b);
    check("xor v1, v2", |a, b, _| a ^ b);
    check("not v1", |a, _, _| !a);
    check("bitsel v1, v2, v3", |a, b, c| a & b | !a & c);
    check("popcount v1", |a, _, _| a.count_ones().into());
    check("clz v1", |a, _, _| a.leading_zeros().into());
    check("ctz v1", |a, _, _| a.trailing_zeros().into());
    check("bitreverse v1", |a, _, _| a.reverse_bits());
}

#[test]
fn shifts_and_fields() {
    check("shl v1, v2", |a, b, _| a << (b % 64));
    check("ushr v1, v2", |a, b, _| a >> (b % 64));
    check("sshr v1, v2", |a, b, _| ((a as i64) >> (b % 64)) as u64);
    check("fshr v1, v2, v3", |a, b, c| ((u128::from(a) << 64 | u128::from(b)) >> (c % 64)) as u64);
    for n in [0u64, 1, 31, 32, 33, 63] {
        check(&format!("shl v1, {n}:i64"), |a, _, _| a << n);
        check(&format!("sshr v1, {n}:i64"), |a, _, _| ((a as i64) >> n) as u64);
    }
    check("ubfe v1, v2, v3", |a, b, c| {
        let (o, n) = field(b, c);
        a.checked_shr(o).unwrap_or(0) & ones(n)
    });
    check("sbfe v1, v2, v3", |a, b, c| match field(b, c) {
        (_, 0) => 0,
        (o, n) => (((a << (64 - n - o)) as i64) >> (64 - n)) as u64,
    });
    check("bfi v1, v2, v3, v2", |a, b, c| {
        let (o, n) = field(c, b);
        let mask = ones(n).checked_shl(o).unwrap_or(0);
        a & !mask | b.checked_shl(o).unwrap_or(0) & mask
    });
}

#[test]
fn quotients() {
    check("udiv v1, v2", |a, b, _| a.checked_div(b).unwrap_or(a));
    check("urem v1, v2", |a, b, _| a.checked_rem(b).unwrap_or(0));
    let (sdiv, srem) = (
        |a: i64, b: i64| if b == 0 { a } else { a.wrapping_div(b) },
        |a: i64, b: i64| if b == 0 { 0 } else { a.wrapping_rem(b) },
    );
    check("sdiv v1, v2", |a, b, _| sdiv(a as i64, b as i64) as u64);
    check("srem v1, v2", |a, b, _| srem(a as i64, b as i64) as u64);
    for n in [3u64, 10, 1 << 32, 0xffff_ffff_ffff] {
        check(&format!("udiv v1, {n}:i64"), |a, _, _| a / n);
        check(&format!("srem v1, {n}:i64"), |a, _, _| ((a as i64) % n as i64) as u64);
    }
}

#[test]
fn comparisons() {
    type Holds = fn(u64, u64) -> bool;
    let list: [(&str, Holds); 10] = [
        ("eq", |a, b| a == b),
        ("ne", |a, b| a != b),
        ("ult", |a, b| a < b),
        ("ule", |a, b| a <= b),
        ("ugt", |a, b| a > b),
        ("uge", |a, b| a >= b),
        ("slt", |a, b| (a as i64) < b as i64),
        ("sle", |a, b| a as i64 <= b as i64),
        ("sgt", |a, b| a as i64 > b as i64),
        ("sge", |a, b| a as i64 >= b as i64),
    ];
    for (cc, holds) in list {
        let body = format!(
            "  v5: b1 = icmp.{cc} v1, v2\n  v6: i64 = select v5, v1, v3\n  store v6, res1[0 + v0] align 8\n  ret\n"
        );
        check_code(&body, |[a, b, c], _| if holds(a, b) { a } else { c });
    }
}

#[test]
fn conversions() {
    check_code("  v5: i32 = trunc v1\n  v6: i64 = sext v5\n  store v6, res1[0 + v0] align 8\n  ret\n", |n, _| {
        n[0] as i32 as i64 as u64
    });
    check_code("  v5: i32 = trunc v1\n  v6: i64 = zext v5\n  store v6, res1[0 + v0] align 8\n  ret\n", |n, _| {
        n[0] as u32 as u64
    });
    let from = |op: &str| format!("  v5: i64 = {op} v4\n  store v5, res1[0 + v0] align 8\n  ret\n");
    check_code(&from("f2s_full"), |_, f| f as i64 as u64);
    check_code(&from("f2u_full"), |_, f| f as u64);
    // The greatest that a float of 32 bits holds.
    check_code(&from("f2s"), |_, f| if f >= 9.3e18 { 0x7fff_ff80_0000_0000 } else { f as i64 as u64 });
    check_code(&from("f2u"), |_, f| (f as u64).min(0xffff_ff00_0000_0000));
    let to = |op: &str| {
        format!(
            "  v5: f32 = {op} v1\n  v6: i32 = bitcast v5\n  v7: i64 = zext v6\n  store v7, res1[0 + v0] align 8\n  ret\n"
        )
    };
    check_code(&to("s2f"), |n, _| (n[0] as i64 as f32).to_bits().into());
    check_code(&to("u2f"), |n, _| (n[0] as f32).to_bits().into());
    let words = "  v5: i32x2 = bitcast v1\n  v6: i32x2 = shuffle v5, v5, lanes 1 0\n  v7: i64 = bitcast v6\n  store v7, res1[0 + v0] align 8\n  ret\n";
    check_code(words, |n, _| n[0].rotate_left(32));
}

#[test]
fn parameters_of_blocks_and_switches() {
    let code = "  jump block1(0:i64, v1)
block1(v10: i64, v11: i64) loop merge block3 continue block2:
  v12: b1 = icmp.uge v10, 5:i64
  br v12, block3, block2
block2:
  v13: i64 = imul v11, 3:i64
  v14: i64 = iadd v13, v10
  v15: i64 = iadd v10, 1:i64
  jump block1(v15, v14)
block3:
  store v11, res1[0 + v0] align 8
  ret
";
    check_code(code, |n, _| (0..5).fold(n[0], |v, k| v.wrapping_mul(3).wrapping_add(k)));
    let code = "  switch v1, 1: block1, 4294967297: block2, default: block3 merge block4
block1:
  jump block4(10:i64)
block2:
  jump block4(20:i64)
block3:
  jump block4(v2)
block4(v10: i64):
  store v10, res1[0 + v0] align 8
  ret
";
    check_code(code, |n, _| match n[0] {
        1 => 10,
        0x1_0000_0001 => 20,
        _ => n[1],
    });
}

#[test]
fn vectors_lie_in_memory_as_before() {
    let code = "  v5: i64x3 = load res0[0 + v0] align 8
  v6: i64x3 = iadd v5, v5
  v7: i64x3 = shuffle v6, v6, lanes 2 1 0
  v8: i32 = trunc v1
  v9: i64 = extract_dyn v6, v8
  v10: i64x3 = insert v7, v9, lane 1
  store v10, res1[0 + v0] align 8
  ret
";
    check_code(code, |n, _| n[2].wrapping_mul(2));
    let list = operands();
    let out = outputs(code, &data(&list));
    for (k, &(n, _)) in list.iter().enumerate() {
        let at = |j: usize| u64::from_le_bytes(out[k * STRIDE + 8 * j..][..8].try_into().expect("eight bytes"));
        let twice = n.map(|v| v.wrapping_mul(2));
        assert_eq!([at(0), at(1), at(2)], [twice[2], twice[(n[0] as u32).min(2) as usize], twice[0]], "{n:#x?}");
    }
}

/// Nothing of 64 bits, nothing to do; and what has no form stays, so that a target refuses it.
#[test]
fn words_and_floats_of_64_bits_stay() {
    let caps = Caps { wide: false, doubles: false, ..Caps::FULL };
    let changes = |text: &str| {
        let mut m = module(text);
        let surroundings = m.clone();
        let f = m.entries[0].func;
        gpucc_opt::lower_wide::run(&surroundings, &mut m.funcs[f], &caps)
    };
    assert_ne!(changes("  ret\n"), 0, "the integers are loaded");
    assert_eq!(
        changes("  v5: f64 = bitcast v1\n  v6: f64 = fadd v5, v5\n  store v6, res1[0 + v0] align 8\n  ret\n"),
        0
    );
}

/// Floats of 64 bits where there are instructions for them: memory, integers and other lanes have two words of each, and parameters,
/// choices and sums are single lanes.
#[test]
fn floats_of_64_bits_meet_memory_as_words() {
    let body = "  v5: f64x2 = load res0[0 + v0] align 8\n  v6: f64 = bitcast v3\n  v7: i32 = trunc v3\n  v8: b1 = icmp.slt v7, 0:i32\n  \
        br v8, block1(v5, v6), block2(v5, v6) merge block3\nblock1(v10: f64x2, v11: f64):\n  v12: f64x2 = splat v11\n  \
        v13: f64x2 = fadd v10, v12\n  jump block3(v13)\nblock2(v20: f64x2, v21: f64):\n  v22: f64x2 = insert v20, v21, lane 1\n  \
        v23: f64x2 = frem v22, 3.5:f64x2\n  jump block3(v23)\nblock3(v30: f64x2):\n  v31: f64 = extract v30, lane 0\n  \
        v32: b1 = fcmp.olt v31, 0.0:f64\n  v33: i64 = f2s_full v31\n  v34: i64 = select v32, v33, v1\n  \
        store v30, res1[0 + v0] align 8\n  store v34, res1[16 + v0] align 8\n  ret\n";
    let list = operands();
    let out = outputs(body, &data(&list));
    for (k, &(n, _)) in list.iter().enumerate() {
        let [x, y, z] = n.map(f64::from_bits);
        let rem = |a: f64| a - 3.5 * (a / 3.5).trunc();
        let want = if (n[2] as i32) < 0 { [x + z, y + z] } else { [rem(x), rem(z)] };
        let at = |j: usize| u64::from_le_bytes(out[k * STRIDE + 8 * j..][..8].try_into().expect("eight bytes"));
        for (j, want) in want.into_iter().enumerate() {
            let got = f64::from_bits(at(j));
            assert!(
                got == want || got.is_nan() && want.is_nan(),
                "lane {j} of {x:?} {y:?} {z:?}: {got:?}, not {want:?}"
            );
        }
        let whole = if want[0] < 0.0 { want[0] as i64 as u64 } else { n[0] };
        assert_eq!(at(2), whole, "{x:?} {y:?} {z:?}");
    }
}

/// What targets without these ops make of them, for floats of any bits: rounded as Rust rounds, but for quotients that are denormal.
#[test]
fn quotients_roots_and_scaled_floats_of_other_ops() {
    let body = "  v5: f64 = bitcast v3\n  v6: f64 = bitcast v2\n  v7: i32 = trunc v1\n  v8: i32 = and v7, 4095:i32\n  \
        v9: i32 = isub v8, 2048:i32\n  v10: f64 = fdiv v5, v6\n  v11: f64 = fabs v5\n  v12: f64 = fsqrt v11\n  \
        v13: f64 = fldexp v5, v9\n  store v10, res1[0 + v0] align 8\n  store v12, res1[8 + v0] align 8\n  \
        store v13, res1[16 + v0] align 8\n  ret\n";
    let list = operands();
    let out = outputs_without(body, &data(&list), OpSet::of(&[Op::FDiv, Op::FSqrt, Op::FLdexp]));
    for (k, &(n, _)) in list.iter().enumerate() {
        let (x, y) = (f64::from_bits(n[2]), f64::from_bits(n[1]));
        let by = (n[0] & 4095) as i32 - 2048;
        let want = [x / y, x.abs().sqrt(), gpucc_num::f64::ldexp(gpucc_num::Mode::IEEE, x, by)];
        for (j, want) in want.into_iter().enumerate() {
            let got = u64::from_le_bytes(out[k * STRIDE + 8 * j..][..8].try_into().expect("eight bytes"));
            let near = j == 0 && want.abs() <= f64::MIN_POSITIVE && want.to_bits().abs_diff(got) <= 1;
            let same = got == want.to_bits() || want.is_nan() && f64::from_bits(got).is_nan();
            assert!(same || near, "result {j} of {x:?} {y:?} {by}: {got:#x}, not {want:?}");
        }
    }
}

/// Where there are instructions for them they stay.
#[test]
fn quotients_of_64_bits_stay() {
    let mut m =
        module("  v5: f64 = bitcast v1\n  v6: f64 = fdiv 1.0:f64, v5\n  store v6, res1[0 + v0] align 8\n  ret\n");
    let surroundings = m.clone();
    let f = m.entries[0].func;
    let caps = Caps { wide: false, ..Caps::FULL };
    assert_ne!(gpucc_opt::lower_wide::run(&surroundings, &mut m.funcs[f], &caps), 0);
    let text = m.to_string();
    assert!(text.contains("f64 = fdiv"), "{text}");
}

/// An op that no target has in 64 bits stays, on single lanes or on vectors that are put together for it.
#[test]
fn functions_of_64_bits_stay() {
    let mut m = module(
        "  v5: f64x2 = load res0[0 + v0] align 8\n  v6: f64x2 = fexp2 v5\n  store v6, res1[0 + v0] align 8\n  ret\n",
    );
    let surroundings = m.clone();
    let f = m.entries[0].func;
    let caps = Caps { wide: false, ..Caps::FULL };
    assert_ne!(gpucc_opt::lower_wide::run(&surroundings, &mut m.funcs[f], &caps), 0);
    let text = m.to_string();
    assert!(text.contains("f64x2 = fexp2") && !text.contains("f64x2 = load"), "{text}");
    gpucc_ir::verify::verify_module(&m).unwrap_or_else(|e| panic!("{}\n{text}", e[0]));
}
