//! Floats of 64 bits at edge values: the values that Rust computes. The tests of the families that have such floats include this file.

use std::fmt::Write;

use gpucc_ir::Module;
use gpucc_sim::Dispatch;

use crate::common::{NAMES, compile, options, run};

/// Bytes of the operands of an invocation: three floats, an integer of 64 bits and one of 32.
const STRIDE: usize = 64;

const EDGES: [f64; 34] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    0.1,
    3.0,
    -7.25,
    0.999_999_999_999_999_9,
    1.000_000_000_000_000_2,
    -1e-300,
    5e-324,
    -5e-324,
    2.225_073_858_507_201e-308,
    2.225_073_858_507_201_4e-308,
    f64::MAX,
    f64::MIN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    4_503_599_627_370_495.5,
    4_503_599_627_370_496.0,
    -9_007_199_254_740_993.0,
    2_147_483_647.5,
    -2_147_483_649.0,
    4_294_967_295.75,
    9.3e18,
    -1.9e19,
    65_519.999_999_999,
    1e300,
];

#[derive(Clone, Copy, Debug)]
struct Operands {
    x: f64,
    y: f64,
    z: f64,
    n: u64,
    k: i32,
}

fn operands() -> Vec<Operands> {
    let mut seed = 0x0123_4567_89ab_cdef_u64;
    let mut next = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        seed ^ seed >> 29
    };
    let mut out = Vec::new();
    for (i, &x) in EDGES.iter().enumerate() {
        for (j, &y) in EDGES.iter().enumerate() {
            let (n, k) = (next() >> ((next() >> 40) % 64), (next() >> 32) as i32 % 2200);
            out.push(Operands { x, y, z: EDGES[(5 * i + 3 * j) % EDGES.len()], n, k });
        }
    }
    // Any floats, then such that are near each other.
    while out.len() < 2048 {
        let any = |n: u64| f64::from_bits(n);
        let near = |n: u64| f64::from_bits(n >> 12 | 1023 << 52) * 2f64.powi((n % 40) as i32 - 20);
        let of = |n: u64| if out.len() % 2 == 0 { any(n) } else { near(n) };
        let [x, y, z] = [next(), next(), next()].map(of);
        out.push(Operands { x, y, z, n: next() >> ((next() >> 40) % 64), k: (next() >> 32) as i32 % 80 });
    }
    out
}

/// A result and how it is judged.
#[derive(Clone, Copy, PartialEq)]
enum Judge {
    Bits,
    /// NaN of any kind.
    Double,
    /// The same, where zeros are alike.
    AnyZero,
    /// The same, where what is denormal may be rounded twice.
    Quotient,
}

struct Case {
    /// IR, with `@` for the number of the result.
    text: &'static str,
    judge: Judge,
    value: fn(Operands) -> u64,
}

const fn case(text: &'static str, judge: Judge, value: fn(Operands) -> u64) -> Case {
    Case { text, judge, value }
}

/// Half precision, rounded once.
fn half(x: f64) -> u16 {
    gpucc_num::convert::f64_to_f16(gpucc_num::Round::Nearest, x)
}

fn single(x: f64) -> f32 {
    let r = x as f32;
    if r.is_subnormal() || r == 0.0 && x != 0.0 { 0f32.copysign(r) } else { r }
}

/// The operations. `v1` to `v5` are the operands.
const CASES: &[Case] = &[
    case("v@: f64 = fadd v1, v2", Judge::Double, |o| (o.x + o.y).to_bits()),
    case("v@: f64 = fsub v1, v2", Judge::Double, |o| (o.x - o.y).to_bits()),
    case("v@: f64 = fmul v1, v2", Judge::Double, |o| (o.x * o.y).to_bits()),
    case("v@: f64 = fma v1, v2, v3", Judge::Double, |o| o.x.mul_add(o.y, o.z).to_bits()),
    case("v@: f64 = fdiv v1, v2", Judge::Quotient, |o| (o.x / o.y).to_bits()),
    case("v@: f64 = frcp v1", Judge::Quotient, |o| (1.0 / o.x).to_bits()),
    case("v@: f64 = fsqrt v1", Judge::Double, |o| o.x.sqrt().to_bits()),
    case("v@: f64 = fmin v1, v2", Judge::AnyZero, |o| o.x.min(o.y).to_bits()),
    case("v@: f64 = fmax v1, v2", Judge::AnyZero, |o| o.x.max(o.y).to_bits()),
    case("v@: f64 = fneg v1", Judge::Double, |o| (-o.x).to_bits()),
    case("v@: f64 = fabs v1", Judge::Double, |o| o.x.abs().to_bits()),
    case("v@: f64 = fsat v1", Judge::AnyZero, |o| if o.x.is_nan() { 0 } else { o.x.clamp(0.0, 1.0).to_bits() }),
    case("v@: f64 = fsign v1", Judge::AnyZero, |o| {
        let sign = if o.x > 0.0 {
            1.0
        } else if o.x < 0.0 {
            -1.0
        } else {
            0f64
        };
        sign.to_bits()
    }),
    case("v@: f64 = ffloor v1", Judge::Double, |o| o.x.floor().to_bits()),
    case("v@: f64 = fceil v1", Judge::Double, |o| o.x.ceil().to_bits()),
    case("v@: f64 = ftrunc v1", Judge::Double, |o| o.x.trunc().to_bits()),
    case("v@: f64 = fround_even v1", Judge::Double, |o| o.x.round_ties_even().to_bits()),
    case("v@: f64 = ffract v1", Judge::AnyZero, |o| (o.x - o.x.floor()).to_bits()),
    case("v@: f64 = fldexp v1, v5", Judge::Double, |o| {
        gpucc_num::f64::ldexp(gpucc_num::Mode::IEEE, o.x, o.k).to_bits()
    }),
    case("v@: f64 = s2f v5", Judge::Bits, |o| f64::from(o.k).to_bits()),
    case("v@: f64 = u2f v5", Judge::Bits, |o| f64::from(o.k as u32).to_bits()),
    case("v@: f64 = s2f v4", Judge::Bits, |o| (o.n as i64 as f64).to_bits()),
    case("v@: f64 = u2f v4", Judge::Bits, |o| (o.n as f64).to_bits()),
    case("v@: i64 = f2s_full v1", Judge::Bits, |o| o.x as i64 as u64),
    case("v@: i64 = f2u_full v1", Judge::Bits, |o| o.x as u64),
    case("v@: i64 = f2s v1", Judge::Bits, |o| (o.x as i64).min(0x7fff_ffff_ffff_fc00) as u64),
    case("v@: i64 = f2u v1", Judge::Bits, |o| (o.x as u64).min(0xffff_ffff_ffff_f800)),
    case("v@0: i32 = f2s v1\n  v@: i64 = sext v@0", Judge::Bits, |o| i64::from(o.x as i32) as u64),
    case("v@0: i32 = f2u v1\n  v@: i64 = zext v@0", Judge::Bits, |o| u64::from(o.x as u32)),
    case("v@0: i16 = f2s_full v1\n  v@: i64 = sext v@0", Judge::Bits, |o| i64::from(o.x as i16) as u64),
    case("v@0: f32 = f2f v1\n  v@: f64 = f2f v@0", Judge::Double, |o| f64::from(single(o.x)).to_bits()),
    case("v@0: f16 = f2f v1\n  v@: f64 = f2f v@0", Judge::Double, |o| {
        gpucc_num::convert::f16_to_f64(half(o.x)).to_bits()
    }),
    case("v@0: b1 = fcmp.olt v1, v2\n  v@: f64 = select v@0, v1, v3", Judge::Double, |o| {
        if o.x < o.y { o.x.to_bits() } else { o.z.to_bits() }
    }),
    case("v@0: b1 = fcmp.une v1, 0.5:f64\n  v@: f64 = select v@0, v1, 0.1:f64", Judge::Double, |o| {
        if o.x != 0.5 { o.x.to_bits() } else { 0.1f64.to_bits() }
    }),
    case("v@0: b1 = fcmp.ueq v1, v2\n  v@1: i32 = select v@0, 1:i32, 0:i32\n  v@: i64 = zext v@1", Judge::Bits, |o| {
        u64::from(o.x == o.y || o.x.is_nan() || o.y.is_nan())
    }),
    case("v@0: f64 = fneg v1\n  v@1: f64 = fabs v2\n  v@: f64 = fma v@0, v@1, 2.0:f64", Judge::Double, |o| {
        (-o.x).mul_add(o.y.abs(), 2.0).to_bits()
    }),
    case("v@: i64 = bitcast v1", Judge::Bits, |o| o.x.to_bits()),
    case("v@0: i64 = iadd v4, 1:i64\n  v@: f64 = bitcast v@0", Judge::Double, |o| o.n.wrapping_add(1)),
    case(
        "v@0: f64x3 = compose v1, v2, v3\n  v@1: f64x3 = splat 3.0:f64\n  v@2: f64x3 = fmul v@0, v@1\n  v@3: i32 = and v5, 1:i32\n  \
         v@: f64 = extract_dyn v@2, v@3",
        Judge::Double,
        |o| (3.0 * if o.k & 1 == 0 { o.x } else { o.y }).to_bits(),
    ),
    case("v@0: f64x2 = compose v1, v2\n  v@1: f64x2 = compose v3, v1\n  v@: f64 = fdot v@0, v@1", Judge::Double, |o| {
        (o.x * o.z + o.y * o.x).to_bits()
    }),
];

fn module() -> Module {
    let stride = 8 * CASES.len();
    let mut text = format!(
        "module robust off\nres0 \"a\" group 0 binding 0 storage_ro size 64 stride 64\n\
         res1 \"o\" group 0 binding 1 storage_rw size {stride} stride {stride}\nentry \"main\" compute func0 size 64,1,1\n\
         func0 \"main\" {{\nblock0:\n  v900: i32x3 = sysval global_invocation_id\n  v901: i32 = extract v900, lane 0\n  \
         v0: i32 = shl v901, 6:i32\n  v902: i32 = imul v901, {stride}:i32\n  v1: f64 = load res0[0 + v0] align 8\n  \
         v2: f64 = load res0[8 + v0] align 8\n  v3: f64 = load res0[16 + v0] align 8\n  v4: i64 = load res0[24 + v0] align 8\n  \
         v5: i32 = load res0[32 + v0] align 4\n"
    );
    for (k, c) in CASES.iter().enumerate() {
        let name = format!("v{}", 1000 + 10 * k);
        // Parts of a result have one digit more.
        let mut body = c.text.replace("v@:", &format!("{name}:"));
        for part in 0..4 {
            body = body.replace(&format!("v@{part}"), &format!("v{}", 1001 + 10 * k + part));
        }
        let _ = write!(text, "  {body}\n  store {name}, res1[{} + v902] align 8\n", 8 * k);
    }
    text.push_str("  ret\n}\n");
    gpucc_ir::text::parse_module(&text).unwrap_or_else(|e| panic!("{}\n{text}", e.message))
}

fn agrees(judge: Judge, want: u64, got: u64) -> bool {
    let (a, b) = (f64::from_bits(want), f64::from_bits(got));
    match judge {
        _ if want == got => true,
        Judge::Bits => false,
        _ if a.is_nan() => b.is_nan(),
        Judge::Double => false,
        Judge::AnyZero => a == 0.0 && b == 0.0,
        Judge::Quotient => a.abs() <= f64::MIN_POSITIVE && want.abs_diff(got) <= 1,
    }
}

/// Runs each operation on these generations at -O0 and -O2.
pub fn each_operation(generations: std::ops::Range<usize>) {
    let list = operands();
    let bytes = list.iter().flat_map(|o| {
        let mut one: Vec<u8> =
            [o.x.to_bits(), o.y.to_bits(), o.z.to_bits(), o.n].iter().flat_map(|w| w.to_le_bytes()).collect();
        one.extend_from_slice(&o.k.to_le_bytes());
        one.resize(STRIDE, 0);
        one
    });
    let groups = list.len().div_ceil(64);
    let d = Dispatch::new([groups as u32, 1, 1]).with(0, 0, bytes.collect()).with(
        0,
        1,
        vec![0xa5; 8 * CASES.len() * 64 * groups],
    );
    let m = module();
    let mut wrong = Vec::new();
    for (g, level) in generations.flat_map(|g| [0, 2].map(|level| (g, level))) {
        let done = run(&compile(&m, g, &options(level)), g, &d, None);
        let done = done.unwrap_or_else(|t| panic!("{} -O{level}: {t}", NAMES[g]));
        let bytes = &done.buffer(0, 1).expect("the output").bytes;
        for (k, c) in CASES.iter().enumerate() {
            let differs = list.iter().enumerate().find_map(|(n, o)| {
                let at = 8 * (n * CASES.len() + k);
                let got = u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
                let want = (c.value)(*o);
                let (x, y) = (f64::from_bits(got), f64::from_bits(want));
                (!agrees(c.judge, want, got)).then(|| format!("{o:?}: {x:?} {got:#x}, not {y:?} {want:#x}"))
            });
            wrong.extend(differs.map(|how| format!("{} -O{level}: {} of {how}", NAMES[g], c.text)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
