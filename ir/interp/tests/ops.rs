//! Every pure op on edge values, against the folding functions of the IR, which were written apart from this crate.

use gpucc_interp::{OracleProgram, Profile};
use gpucc_ir::{
    Attr, Builder, Const, EntryPoint, FloatCc, FloatModes, Function, IntCc, Kinds, Mem, Module, Op, Place,
    ResourceData, ResourceKind, Scalar, Sig, Span, StageInfo, Subgroups, Type, eval,
};
use gpucc_sim::{Dispatch, RunOptions, SplitMix64};

/// Bits that make trouble, and some that do not.
fn bits(s: Scalar, rng: &mut SplitMix64) -> u64 {
    let edges: &[u64] = match s {
        Scalar::B1 => &[0, 1],
        Scalar::I8 => &[0, 1, 0x7f, 0x80, 0xff, 7, 8],
        Scalar::I16 => &[0, 1, 0x7fff, 0x8000, 0xffff, 15, 16],
        Scalar::I32 => &[0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 31, 32, 0x00ff_ffff, 0x0080_0000],
        Scalar::I64 => &[0, 1, i64::MAX as u64, 1 << 63, u64::MAX, 63, 64, 1 << 32],
        Scalar::F16 => &[0, 0x8000, 1, 0x3ff, 0x400, 0x3c00, 0xbc00, 0x3800, 0x7bff, 0x7c00, 0xfc00, 0x7e00, 0x4248],
        Scalar::F32 => &[
            0,
            0x8000_0000,
            1,
            0x007f_ffff,
            0x0080_0000,
            0x3f80_0000,
            0xbf80_0000,
            0x3f00_0000,
            0x7f7f_ffff,
            0x7f80_0000,
            0xff80_0000,
            0x7fc0_0000,
            0x4f00_0000,
            0xcf00_0001,
            0x4f80_0000,
            0x4060_0000,
        ],
        Scalar::F64 => &[
            0,
            1 << 63,
            1,
            0x3ff0_0000_0000_0000,
            0xbff8_0000_0000_0000,
            0x7ff0_0000_0000_0000,
            0x7ff8_0000_0000_0000,
            0x41df_ffff_ffc0_0000,
            0x43e0_0000_0000_0000,
        ],
    };
    match rng.below(3) {
        0 => rng.next_u64() & s.mask(),
        1 if s.is_float() => {
            // Around one, where arithmetic is interesting.
            let v = (rng.next_u32() as i32) as f64 / f64::from(1 << 28);
            match s {
                Scalar::F16 => u64::from(gpucc_num::convert::f64_to_f16(gpucc_num::Round::Nearest, v)),
                Scalar::F32 => u64::from((v as f32).to_bits()),
                _ => v.to_bits(),
            }
        }
        _ => edges[rng.below(edges.len() as u64) as usize],
    }
}

fn constant(ty: Type, rng: &mut SplitMix64) -> Const {
    let lanes: Vec<u64> = (0..ty.lanes()).map(|_| bits(ty.scalar(), rng)).collect();
    Const::new(ty, &lanes)
}

/// A legal instance of the op: operand types, attribute, result type.
fn instance(op: Op, rng: &mut SplitMix64) -> Option<(Vec<Type>, Attr, Type)> {
    let kind = |k: Kinds, rng: &mut SplitMix64| {
        let all: Vec<Scalar> = Scalar::ALL.into_iter().filter(|&s| k.has(s)).collect();
        all[rng.below(all.len() as u64) as usize]
    };
    let lanes = 1 + rng.below(4) as u32;
    let only32 = matches!(op, Op::UMul24 | Op::SMul24 | Op::UDot4x8 | Op::SDot4x8);
    Some(match op.info().sig {
        Sig::Same { n, kinds } => {
            let s = if only32 { Scalar::I32 } else { kind(kinds, rng) };
            let ty = Type::new(if op == Op::FQuant16 { Scalar::F32 } else { s }, lanes);
            (vec![ty; n as usize], Attr::None, ty)
        }
        Sig::Compare(kinds) => {
            let s = kind(kinds, rng);
            let attr = if s.is_float() {
                Attr::FloatCc(FloatCc::ALL[rng.below(FloatCc::ALL.len() as u64) as usize])
            } else if s == Scalar::B1 {
                Attr::IntCc(IntCc::Ne)
            } else {
                Attr::IntCc(IntCc::ALL[rng.below(IntCc::ALL.len() as u64) as usize])
            };
            (vec![Type::new(s, lanes); 2], attr, Type::new(Scalar::B1, lanes))
        }
        Sig::Select => {
            let ty = Type::new(kind(Kinds::Any, rng), lanes);
            let cond = if rng.below(2) == 0 { Type::B1 } else { ty.to_bool() };
            (vec![cond, ty, ty], Attr::None, ty)
        }
        Sig::Convert(a, b) => {
            let (from, to) = (kind(a, rng), kind(b, rng));
            let fits = match op {
                Op::SExt | Op::ZExt => from.bits() < to.bits(),
                Op::Trunc => from.bits() > to.bits(),
                Op::F2F => from != to,
                _ => true,
            };
            if !fits {
                return None;
            }
            (vec![Type::new(from, lanes)], Attr::None, Type::new(to, lanes))
        }
        Sig::Bitcast => {
            let (from, to) = (kind(Kinds::Any, rng), kind(Kinds::Any, rng));
            let total = from.bits() * lanes;
            let n = total / to.bits();
            if from == Scalar::B1 || to == Scalar::B1 || !total.is_multiple_of(to.bits()) || !(1..=4).contains(&n) {
                return None;
            }
            (vec![Type::new(from, lanes)], Attr::None, Type::new(to, n))
        }
        Sig::Ldexp => {
            let ty = Type::new(kind(Kinds::Float, rng), lanes);
            (vec![ty, Type::new(Scalar::I32, lanes)], Attr::None, ty)
        }
        Sig::Dot => {
            let ty = Type::new(kind(Kinds::Float, rng), lanes.max(2));
            (vec![ty; 2], Attr::None, ty.lane())
        }
        Sig::Fixed(args, result) => (args.to_vec(), Attr::None, result),
        Sig::Splat => {
            let ty = Type::new(kind(Kinds::Any, rng), lanes);
            (vec![ty.lane()], Attr::None, ty)
        }
        Sig::Compose => {
            let ty = Type::new(kind(Kinds::Any, rng), lanes.max(2));
            (vec![ty.lane(); ty.lanes() as usize], Attr::None, ty)
        }
        Sig::Extract => {
            let ty = Type::new(kind(Kinds::Any, rng), lanes.max(2));
            (vec![ty], Attr::Lane(rng.below(u64::from(ty.lanes())) as u8), ty.lane())
        }
        Sig::Insert => {
            let ty = Type::new(kind(Kinds::Any, rng), lanes.max(2));
            (vec![ty, ty.lane()], Attr::Lane(rng.below(u64::from(ty.lanes())) as u8), ty)
        }
        Sig::ExtractDyn => {
            let ty = Type::new(kind(Kinds::Any, rng), lanes.max(2));
            (vec![ty, Type::I32], Attr::None, ty.lane())
        }
        Sig::InsertDyn => {
            let ty = Type::new(kind(Kinds::Any, rng), lanes.max(2));
            (vec![ty, ty.lane(), Type::I32], Attr::None, ty)
        }
        Sig::Shuffle => {
            let s = kind(Kinds::Any, rng);
            let (a, b) = (1 + rng.below(4) as u32, 1 + rng.below(4) as u32);
            let lane = |rng: &mut SplitMix64| {
                if rng.below(2) == 0 { rng.below(u64::from(a)) as u8 } else { 4 + rng.below(u64::from(b)) as u8 }
            };
            let pick = (0..lanes).map(|_| lane(rng)).collect();
            (vec![Type::new(s, a), Type::new(s, b)], Attr::Lanes(pick), Type::new(s, lanes))
        }
        _ => return None,
    })
}

#[test]
fn every_pure_op_agrees_with_folding() {
    let mut rng = SplitMix64::new(11);
    for &op in Op::ALL.iter().filter(|o| o.is_speculatable()) {
        // Gather instances of one op into one program: results side by side in a buffer.
        let mut f = Function::new("main");
        let entry = f.entry();
        let mut want: Vec<(u32, Const, String)> = Vec::new();
        let mut m = Module::new();
        let res = m.resources.push(ResourceData {
            name: String::new(),
            group: 0,
            binding: 0,
            kind: ResourceKind::StorageReadWrite,
            min_size: 4,
            stride: 4,
            count: 1,
            variant: gpucc_ir::Variant::Whole,
            span: Span::UNKNOWN,
        });
        let mut offset = 0;
        for _ in 0..300 {
            let Some((types, attr, ty)) = instance(op, &mut rng) else { continue };
            let args: Vec<Const> = types.iter().map(|&t| constant(t, &mut rng)).collect();
            let refs: Vec<&Const> = args.iter().collect();
            let Some(folded) = eval::apply(op, &attr, ty, &refs) else { continue };
            let values: Vec<_> = args.iter().map(|c| f.constant(c.clone())).collect();
            let mut b = Builder::new(&mut f, entry);
            let i = gpucc_ir::InstData::new(op, &values, attr.clone());
            let i = b.raw(i, &[ty]);
            let v = b.func.insts[i].result();
            b.store(v, Mem::new(Place::Buffer(res), offset, 1), None);
            want.push((offset, folded, format!("{op} {attr:?} {args:?} -> {ty}")));
            offset += ty.mem_bytes();
        }
        Builder::new(&mut f, entry).ret(&[]);
        let func = m.funcs.push(f);
        m.entries.push(EntryPoint {
            name: "main".into(),
            stage: StageInfo::Compute { workgroup_size: [3, 1, 1], subgroups: Subgroups::ANY },
            func,
            modes: FloatModes::ANY,
            span: Span::UNKNOWN,
        });
        if !matches!(op, Op::Sysval | Op::BufferLength | Op::Input | Op::Tex | Op::TexQuery) {
            assert!(!want.is_empty(), "{op} was never tried");
        }
        let mut d = Dispatch::new([1, 1, 1]).with(0, 0, vec![0; offset.max(4) as usize]);
        let p = OracleProgram::new(&m, "main").unwrap();
        p.run(&mut d, &RunOptions::default(), &Profile::default()).unwrap_or_else(|t| panic!("{t}"));
        let bytes = &d.buffers[0].bytes;
        for (at, folded, text) in want {
            let size = folded.ty.scalar().mem_bytes() as usize;
            for (k, &bits) in folded.bits.iter().enumerate() {
                let mut word = [0; 8];
                let at = at as usize + k * size;
                word[..size].copy_from_slice(&bytes[at..at + size]);
                let got = u64::from_le_bytes(word);
                let nan = match folded.ty.scalar() {
                    Scalar::F16 => gpucc_num::f16::is_nan(bits as u16) && gpucc_num::f16::is_nan(got as u16),
                    Scalar::F32 => f32::from_bits(bits as u32).is_nan() && f32::from_bits(got as u32).is_nan(),
                    Scalar::F64 => f64::from_bits(bits).is_nan() && f64::from_bits(got).is_nan(),
                    _ => false,
                };
                assert!(got == bits || nan, "{text}: lane {k} is {got:#x}, folding gives {bits:#x}");
            }
        }
    }
}
