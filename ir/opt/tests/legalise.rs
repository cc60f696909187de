//! Every expansion against what the op means: edge values, pairs of them, and random ones.

use crate::testing::{check, evaluate};
use gpucc_ir::{Attr, Builder, Const, Function, InstData, Module, Op, Scalar, Sig, Type, Value};
use gpucc_opt::{Caps, OpSet, dce, legalise, scalarise};

const INTS: &[u32] = &[
    0,
    1,
    2,
    3,
    5,
    7,
    8,
    10,
    15,
    16,
    24,
    31,
    32,
    33,
    60,
    100,
    127,
    128,
    255,
    256,
    1000,
    0x7fff,
    0x8000,
    0xffff,
    0x1_0000,
    0xff_ffff,
    0x100_0000,
    0x1234_5678,
    0x7fff_fffe,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xaaaa_aaaa,
    0xdead_beef,
    0xff00_00ff,
    0xffff_0000,
    0xffff_fffe,
    0xffff_ffff,
];
const FLOATS: &[f32] = &[
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    3.0,
    0.1,
    -0.3,
    0.999_999_94,
    1.000_000_1,
    7.25,
    -7.75,
    100.0,
    255.0,
    256.5,
    -32768.0,
    65535.0,
    65536.0,
    8_388_607.5,
    -8_388_608.0,
    16_777_216.0,
    1e9,
    -1e9,
    2_147_483_500.0,
    2_147_483_648.0,
    -2_147_483_648.0,
    4_294_967_040.0,
    4_294_967_296.0,
    1e20,
    -1e20,
    1e-10,
    -1e-10,
    1e-30,
    3.0e38,
];

struct Rng(u64);
impl Rng {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }
}

/// How far an expansion may be from the oracle's value, in units in the last place; integers always agree.
fn tolerance(op: Op) -> u32 {
    match op {
        Op::FDiv | Op::UnpackSnorm4x8 | Op::UnpackUnorm4x8 | Op::UnpackSnorm2x16 | Op::UnpackUnorm2x16 => 3,
        Op::FSqrt => 3,
        Op::FRsqrt => 2,
        Op::FRcp => 3,
        _ => 0,
    }
}

fn operand_types(op: Op) -> Vec<Type> {
    match op.info().sig {
        Sig::Same { n, kinds } => {
            let t = if kinds.has(Scalar::F32) { Type::F32 } else { Type::I32 };
            vec![t; usize::from(n)]
        }
        Sig::Convert(a, _) => vec![if a.has(Scalar::F32) { Type::F32 } else { Type::I32 }],
        Sig::Ldexp => vec![Type::F32, Type::I32],
        Sig::Dot => vec![Type::F32.with_lanes(3); 2],
        Sig::Fixed(a, _) => a.to_vec(),
        Sig::ExtractDyn => vec![Type::F32.with_lanes(4), Type::I32],
        Sig::InsertDyn => vec![Type::I32.with_lanes(3), Type::I32, Type::I32],
        _ => panic!("{op} is not expanded"),
    }
}

/// A function of one op, and the same legalised.
fn pair(op: Op, caps: &Caps) -> (Function, Function) {
    let mut f = Function::new(op.name());
    let entry = f.entry();
    let args: Vec<Value> = operand_types(op).into_iter().map(|t| f.add_param(entry, t)).collect();
    let ty = f.infer(op, &args).unwrap_or(match op {
        Op::S2F | Op::U2F => Type::F32,
        _ => Type::I32,
    });
    f.ret.push(ty);
    let mut b = Builder::new(&mut f, entry);
    let i = b.raw(InstData::new(op, &args, Attr::None), &[ty]);
    let v = b.func.insts[i].result();
    b.ret(&[v]);
    let mut m = Module::new();
    let mut g = f.clone();
    legalise::run(&m, &mut g, caps);
    if caps.scalar {
        scalarise::run(&m, &mut g, caps);
    }
    dce::run(&mut g, &mut gpucc_opt::PassCx::new(&Module::new(), caps));
    m.funcs.push(g.clone());
    check(&m);
    assert!(!g.insts_in_order().any(|(_, i)| caps.expand.has(g.insts[i].op)), "{op} is left\n{g}");
    (f, g)
}

fn ulps(a: u64, b: u64) -> u32 {
    let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
    if x.is_nan() && y.is_nan() || x == y {
        return 0;
    }
    distance(x, y)
}

/// Steps between two floats, far apart if one is NaN or the signs differ.
fn distance(x: f32, y: f32) -> u32 {
    let order = |v: f32| {
        let b = v.to_bits() as i32;
        if b < 0 { i32::MIN.wrapping_sub(b) } else { b }
    };
    if x.is_nan() || y.is_nan() { u32::MAX } else { order(x).abs_diff(order(y)) }
}

fn agree(op: Op, f: &Function, g: &Function, args: &[Const]) {
    let (want, have) = (&evaluate(f, args)[0], &evaluate(g, args)[0]);
    for (&w, &h) in want.bits.iter().zip(&have.bits) {
        let ok = if want.ty.is_float() { ulps(w, h) <= tolerance(op) } else { w == h };
        assert!(ok, "{op} of {args:x?}: want {want:x?}, have {have:x?}\n{g}");
    }
}

fn sweep(op: Op, caps: &Caps, random: usize) {
    let (f, g) = pair(op, caps);
    let types = operand_types(op);
    let mut rng = Rng(op as u64 + 1);
    // Inputs where the op's own bound holds; elsewhere WGSL allows anything.
    let fits = |a: &[Const]| match op {
        Op::FDiv | Op::FRcp | Op::FRem => {
            let y = f32::from_bits(a[a.len() - 1].bits[0] as u32).abs();
            let q = f32::from_bits(a[0].bits[0] as u32) / y;
            (1.2e-38..8.5e37).contains(&y) && q.is_finite() && (q == 0.0 || q.abs() > 1e-37)
        }
        Op::FSqrt | Op::FRsqrt => {
            let x = f32::from_bits(a[0].bits[0] as u32);
            x > 1e-37 || (x == 0.0 && x.is_sign_positive())
        }
        _ => true,
    };
    let value = |t: Type, pick: &mut dyn FnMut() -> u32| {
        let bits: Vec<u64> = (0..t.lanes())
            .map(|_| {
                let k = pick();
                let v = if t.is_float() {
                    FLOATS[k as usize % FLOATS.len()].to_bits()
                } else {
                    INTS[k as usize % INTS.len()]
                };
                u64::from(v)
            })
            .collect();
        Const::new(t, &bits)
    };
    let n = INTS.len().max(FLOATS.len()) as u32;
    for i in 0..n {
        for j in 0..n {
            let mut k = 0;
            let args: Vec<Const> = types
                .iter()
                .map(|&t| {
                    k += 1;
                    value(t, &mut || {
                        if k == 1 {
                            i
                        } else if k == 2 {
                            j
                        } else {
                            rng.next()
                        }
                    })
                })
                .collect();
            if fits(&args) {
                agree(op, &f, &g, &args);
            }
        }
    }
    for _ in 0..random {
        let args: Vec<Const> = types
            .iter()
            .map(|&t| {
                let bits: Vec<u64> = (0..t.lanes())
                    .map(|_| {
                        let r = rng.next();
                        // Floats of every magnitude that is normal; integers of every length.
                        let v =
                            if t.is_float() { r & 0x80ff_ffff | (64 + r % 126) << 23 } else { r >> (rng.next() % 32) };
                        u64::from(v)
                    })
                    .collect();
                Const::new(t, &bits)
            })
            .collect();
        if fits(&args) {
            agree(op, &f, &g, &args);
        }
    }
}

const EXPANDED: &[Op] = &[
    Op::UDiv,
    Op::URem,
    Op::SDiv,
    Op::SRem,
    Op::UMulHi,
    Op::SMulHi,
    Op::UMul24,
    Op::SMul24,
    Op::INeg,
    Op::IAbs,
    Op::SMin,
    Op::SMax,
    Op::UMin,
    Op::UMax,
    Op::Not,
    Op::Popcount,
    Op::Clz,
    Op::Ctz,
    Op::BitReverse,
    Op::UBitExtract,
    Op::SBitExtract,
    Op::BitInsert,
    Op::FShr,
    Op::BitSel,
    Op::UDot4x8,
    Op::SDot4x8,
    Op::FSign,
    Op::FSat,
    Op::FFract,
    Op::FTrunc,
    Op::FFloor,
    Op::FCeil,
    Op::FRoundEven,
    Op::FDiv,
    Op::FSqrt,
    Op::FRsqrt,
    Op::FLdexp,
    Op::FDot,
    Op::F2S,
    Op::F2U,
    Op::ExtractDyn,
    Op::InsertDyn,
    Op::PackUnorm4x8,
    Op::PackSnorm4x8,
    Op::PackUnorm2x16,
    Op::PackSnorm2x16,
    Op::UnpackUnorm4x8,
    Op::UnpackSnorm4x8,
    Op::UnpackUnorm2x16,
    Op::UnpackSnorm2x16,
];

#[test]
fn each_expansion_alone() {
    for &op in EXPANDED {
        for scalar in [false, true] {
            let caps = Caps { expand: OpSet::of(&[op]), scalar, ..Caps::FULL };
            sweep(op, &caps, if scalar { 50 } else { 2000 });
        }
    }
}

/// Every exponent that gives neither always 0 nor always infinity, and those around, with denormal and other edges: rounded
/// once.
#[test]
fn ldexp_is_rounded_once() {
    let (f, g) = pair(Op::FLdexp, &Caps { expand: OpSet::of(&[Op::FLdexp]), ..Caps::FULL });
    let mantissas = [0, 1, 2, 3, 0x12_3457, 0x40_0000, 0x40_0001, 0x7f_fffe, 0x7f_ffff];
    let exponents = [0, 1, 2, 23, 24, 25, 126, 127, 128, 200, 253, 254, 255];
    for n in (-300..=300).chain([i32::MIN, i32::MIN + 1, -100_000, 100_000, i32::MAX]) {
        for bits in exponents.iter().flat_map(|&e| mantissas.map(|m| e << 23 | m)) {
            let a = |v: u32, t| Const::new(t, &[u64::from(v)]);
            agree(Op::FLdexp, &f, &g, &[a(bits, Type::F32), a(n as u32, Type::I32)]);
        }
    }
}

/// Division where multiplication and reciprocal are poor as well.
#[test]
fn divisions_on_a_poor_target() {
    let caps = Caps {
        expand: OpSet::of(&[
            Op::UDiv,
            Op::URem,
            Op::SDiv,
            Op::SRem,
            Op::UMulHi,
            Op::SMulHi,
            Op::SMin,
            Op::UMin,
            Op::IAbs,
            Op::FTrunc,
        ]),
        ..Caps::FULL
    };
    for op in [Op::UDiv, Op::URem, Op::SDiv, Op::SRem] {
        sweep(op, &caps, 20_000);
    }
}

/// Division by every small and every edge constant, which has its own expansion.
#[test]
fn divisions_by_constants() {
    let caps = Caps { expand: OpSet::of(&[Op::UDiv, Op::URem, Op::SDiv, Op::SRem]), ..Caps::FULL };
    let mut rng = Rng(5);
    for op in [Op::UDiv, Op::URem, Op::SDiv, Op::SRem] {
        let random: Vec<u32> = (0..100).map(|_| rng.next()).collect();
        for d in (0..300).chain(INTS.iter().copied()).chain(random) {
            let mut f = Function::new("by");
            let entry = f.entry();
            let x = f.add_param(entry, Type::I32);
            f.ret.push(Type::I32);
            let c = f.iconst(Type::I32, i64::from(d));
            let mut b = Builder::new(&mut f, entry);
            let v = b.op(op, &[x, c]);
            b.ret(&[v]);
            let mut g = f.clone();
            legalise::run(&Module::new(), &mut g, &caps);
            for n in INTS
                .iter()
                .copied()
                .chain((0..8).map(|k| d.wrapping_mul(k + 1).wrapping_sub(k & 1)))
                .chain((0..20).map(|_| rng.next()))
            {
                let a = [Const::new(Type::I32, &[u64::from(n)])];
                assert_eq!(evaluate(&f, &a), evaluate(&g, &a), "{op} {n} / {d}\n{g}");
            }
        }
    }
}

#[test]
fn what_is_there_stays() {
    let caps = Caps::FULL;
    for &op in EXPANDED {
        let (f, g) = pair(op, &caps);
        assert_eq!(f.to_string(), g.to_string());
    }
}
