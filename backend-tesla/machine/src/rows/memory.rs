//! Memory forms with an offset field of their own, global memory, atomics (reference sections 4.1 and 4.6).

use super::*;
use crate::types::{ANY, AtomOp, SM11, SM12, Space};
use gpucc_isa::stage::CS;

const SEC: u32 = 0xe000_0000;
const DOF: &[S] = &[def("dst", Field::split(&[(2, 7), (35, 1), (58, 1)]), Kind::DstOF)];
const DATA_HF: &[S] = &[use_("data", Field::split(&[(46, 7), (53, 1)]), Kind::HalfOrFull)];
const D_Q: &[S] = &[def("dst", f(2, 7), Kind::Dst(Width::Q))];
const DATA_S: &[S] = &[use_("data", f(2, 7), Kind::Reg(Width::S))];
const DATA_D: &[S] = &[use_("data", f(2, 7), Kind::Reg(Width::D))];
const DATA_Q: &[S] = &[use_("data", f(2, 7), Kind::Reg(Width::Q))];
const ADATA_S: &[S] = &[use_("src2", f(16, 7), Kind::Reg(Width::S))];
const ADATA_D: &[S] = &[use_("src2", f(16, 7), Kind::Reg(Width::D))];
const GLOB: &[S] = &[use_("mem", Field::split(&[(9, 7), (16, 4)]), Kind::Glob)];
const AGLOB: &[S] = &[use_("mem", Field::split(&[(9, 7), (23, 4)]), Kind::Glob)];

/// Cycles until memory outside of the multiprocessor answers.
const FAR: u16 = 440;
/// Cycles until memory beside it answers.
const NEAR: u16 = 38;

const fn far(effects: Effects, memory: Memory, ty: Ty) -> Does {
    let issue = if ty.bytes() > 4 { ty.bytes() as u8 } else { 4 };
    does(effects.at(memory as u16), Unit::Memory, issue, ty, ty)
}

const fn near(effects: Effects, memory: Memory, ty: Ty) -> Does {
    does(effects.at(memory as u16), Unit::Memory, 4, ty, ty)
}

macro_rules! ldc {
    ($ty:expr, $name:literal, $n:expr, $width:expr, $scale:expr) => {
        long!(
            Op::LdC,
            concat!("ld {dst} ", $name, " {mem}"),
            ANY,
            (0, 0x1000_0000, SEC | 0xc000, 0x2000_0000 | $n << 14),
            [PRE, DOF, ADDR, &[use_("mem", f(9, $width), Kind::Mem(Space::Const, $scale))]],
            near(Effects::load(NEAR), Memory::Const, $ty),
            "load from a constant space",
            "4.1"
        )
    };
}

macro_rules! lds {
    ($ty:expr, $name:literal, $n:expr, $width:expr, $scale:expr) => {
        long!(
            Op::LdS,
            concat!("ld {dst} ", $name, " {mem}"),
            SM11,
            (0, 0x1000_0000, SEC | 0x0080_c000, 0x4000_0000 | $n << 14),
            [PRE, DOF, AINC, &[use_("mem", f(9, $width), Kind::Mem(Space::Shared, $scale))]],
            near(Effects::load(NEAR), Memory::Shared, $ty),
            "load from shared memory",
            "4.1, 7.6"
        )
        .stages(CS)
    };
}

macro_rules! sts {
    ($op:expr, $g:expr, $ty:expr, $name:literal, $v1:expr, $width:expr, $scale:expr) => {
        long!(
            $op,
            concat!("st ", $name, " {mem} {data}"),
            $g,
            (0, 0, SEC | 0x04c0_0000, 0xe000_0000 | $v1),
            [PRE, AINC, &[def("mem", f(9, $width), Kind::Mem(Space::Shared, $scale))], DATA_HF],
            near(Effects::store(), Memory::Shared, $ty),
            "store to shared memory",
            "4.1, 7.6"
        )
        .stages(CS)
    };
}

macro_rules! local {
    ($ty:expr, $name:literal, $n:expr, $dst:expr, $data:expr) => {
        [
            long!(
                Op::LdL,
                concat!("ld ", $name, " {dst} {mem}"),
                ANY,
                (0, 0xd000_0000, SEC | 0x00e0_0000, 0x4000_0000 | $n << 21),
                [PRE, AINC, &[use_("mem", f(9, 16), Kind::Mem(Space::Local, 1))], $dst],
                far(Effects::load(FAR), Memory::Local, $ty),
                "load from local memory",
                "4.6, 7.6"
            ),
            long!(
                Op::StL,
                concat!("st ", $name, " {mem} {data}"),
                ANY,
                (0, 0xd000_0000, SEC | 0x00e0_0000, 0x6000_0000 | $n << 21),
                [PRE, AINC, &[def("mem", f(9, 16), Kind::Mem(Space::Local, 1))], $data],
                far(Effects::store(), Memory::Local, $ty),
                "store to local memory",
                "4.6, 7.6"
            ),
        ]
    };
}

macro_rules! global {
    ($ty:expr, $name:literal, $n:expr, $dst:expr, $data:expr) => {
        [
            long!(
                Op::LdG,
                concat!("ld ", $name, " {dst} {mem}"),
                ANY,
                (0, 0xd000_0000, SEC | 0x00e0_0000, 0x8000_0000 | $n << 21),
                [PRE, $dst, GLOB],
                far(Effects::load(FAR), Memory::Global, $ty),
                "load from global memory",
                "4.6, 7.6"
            )
            .stages(CS),
            long!(
                Op::StG,
                concat!("st ", $name, " {mem} {data}"),
                ANY,
                (0, 0xd000_0000, SEC | 0x00e0_0000, 0xa000_0000 | $n << 21),
                [PRE, GLOB, $data],
                far(Effects::store(), Memory::Global, $ty),
                "store to global memory",
                "4.6, 7.6"
            )
            .stages(CS),
        ]
    };
}

macro_rules! red {
    ($op:expr, $g:expr, $ty:expr, $text:literal, $n:expr, $size:expr, $data:expr) => {
        long!(
            Op::Red($op),
            concat!("red ", $text, " {mem} {data}"),
            $g,
            (0, 0xd000_0000, SEC | 0x00e0_003c, 0xc000_0000 | $n << 2 | $size << 21),
            [PRE, GLOB, $data],
            far(Effects::atomic(FAR), Memory::Global, $ty),
            "atomic operation without result",
            "4.6"
        )
        .stages(CS)
    };
}

macro_rules! atom {
    ($op:expr, $g:expr, $ty:expr, $text:literal, $tail:literal, $n:expr, $size:expr, $dst:expr, $data:expr, $x:expr) => {
        long!(
            Op::Atom($op),
            concat!($text, " {dst} {mem} {src2}", $tail),
            $g,
            (0, 0xd000_0000, SEC | 0x00e0_003c, 0xe000_0000 | $n << 2 | $size << 21),
            [PRE, $dst, AGLOB, $data, $x],
            far(Effects::atomic(FAR), Memory::Global, $ty),
            "atomic operation; the result is the old value",
            "4.6"
        )
        .stages(CS)
    };
}

const L_U8: [R; 2] = local!(Ty::U8, "u8", 0, D_S, DATA_S);
const G_U8: [R; 2] = global!(Ty::U8, "u8", 0, D_S, DATA_S);
const L_S8: [R; 2] = local!(Ty::S8, "s8", 1, D_S, DATA_S);
const G_S8: [R; 2] = global!(Ty::S8, "s8", 1, D_S, DATA_S);
const L_U16: [R; 2] = local!(Ty::U16, "u16", 2, D_S, DATA_S);
const G_U16: [R; 2] = global!(Ty::U16, "u16", 2, D_S, DATA_S);
const L_S16: [R; 2] = local!(Ty::S16, "s16", 3, D_S, DATA_S);
const G_S16: [R; 2] = global!(Ty::S16, "s16", 3, D_S, DATA_S);
const L_B64: [R; 2] = local!(Ty::B64, "b64", 4, D_D, DATA_D);
const G_B64: [R; 2] = global!(Ty::B64, "b64", 4, D_D, DATA_D);
const L_B128: [R; 2] = local!(Ty::B128, "b128", 5, D_Q, DATA_Q);
const G_B128: [R; 2] = global!(Ty::B128, "b128", 5, D_Q, DATA_Q);
const L_B32: [R; 2] = local!(Ty::B32, "b32", 6, D_S, DATA_S);
const G_B32: [R; 2] = global!(Ty::B32, "b32", 6, D_S, DATA_S);

/// Constant, shared, local and global memory.
pub const ROWS: &[R] = &[
    ldc!(Ty::U8, "u8", 0, 16, 1),
    ldc!(Ty::U16, "u16", 1, 15, 2),
    ldc!(Ty::S16, "s16", 2, 15, 2),
    ldc!(Ty::B32, "b32", 3, 14, 4),
    lds!(Ty::U8, "u8", 0, 16, 1),
    lds!(Ty::U16, "u16", 1, 15, 2),
    lds!(Ty::S16, "s16", 2, 15, 2),
    lds!(Ty::B32, "b32", 3, 14, 4),
    long!(
        Op::LdLock,
        "ld lock {cdst} {dst} b32 {mem}",
        SM12,
        (0, 0x1000_0000, SEC | 0x0080_c000, 0x4080_c000),
        [PRE, DOF, CDST2, AINC, &[use_("mem", f(9, 14), Kind::Mem(Space::Shared, 4))]],
        near(Effects::atomic(NEAR), Memory::Shared, Ty::B32),
        "load from shared memory and try to lock the word",
        "4.1, 7.6"
    )
    .stages(CS)
    .ignored(pat(0, 0x40)),
    sts!(Op::StS, ANY, Ty::U8, "b8", 0x0040_0000, 16, 1),
    sts!(Op::StS, ANY, Ty::B16, "b16", 0, 15, 2),
    sts!(Op::StS, ANY, Ty::B32, "b32", 0x0400_0000, 14, 4),
    sts!(Op::StUnlock, SM12, Ty::B32, "unlock b32", 0x0480_0000, 14, 4),
    L_U8[0],
    L_U8[1],
    L_S8[0],
    L_S8[1],
    L_U16[0],
    L_U16[1],
    L_S16[0],
    L_S16[1],
    L_B64[0],
    L_B64[1],
    L_B128[0],
    L_B128[1],
    L_B32[0],
    L_B32[1],
    G_U8[0],
    G_U8[1],
    G_S8[0],
    G_S8[1],
    G_U16[0],
    G_U16[1],
    G_S16[0],
    G_S16[1],
    G_B64[0],
    G_B64[1],
    G_B128[0],
    G_B128[1],
    G_B32[0],
    G_B32[1],
];

/// Atomics on global memory.
pub const ATOMICS: &[R] = &[
    red!(AtomOp::Add, SM11, Ty::U32, "add u32", 0, 6, DATA_S),
    red!(AtomOp::Add, SM11, Ty::S32, "add s32", 0, 7, DATA_S),
    red!(AtomOp::Add, SM12, Ty::U64, "add u64", 0, 4, DATA_D),
    red!(AtomOp::Inc, SM11, Ty::U32, "inc u32", 4, 6, DATA_S),
    red!(AtomOp::Dec, SM11, Ty::U32, "dec u32", 5, 6, DATA_S),
    red!(AtomOp::Max, SM11, Ty::U32, "max u32", 6, 6, DATA_S),
    red!(AtomOp::Max, SM11, Ty::S32, "max s32", 6, 7, DATA_S),
    red!(AtomOp::Min, SM11, Ty::U32, "min u32", 7, 6, DATA_S),
    red!(AtomOp::Min, SM11, Ty::S32, "min s32", 7, 7, DATA_S),
    red!(AtomOp::And, SM11, Ty::B32, "and b32", 10, 6, DATA_S),
    red!(AtomOp::Or, SM11, Ty::B32, "or b32", 11, 6, DATA_S),
    red!(AtomOp::Xor, SM11, Ty::B32, "xor b32", 12, 6, DATA_S),
    atom!(AtomOp::Add, SM11, Ty::U32, "ld add u32", "", 0, 6, D_S, ADATA_S, NO_SLOTS),
    atom!(AtomOp::Add, SM11, Ty::S32, "ld add s32", "", 0, 7, D_S, ADATA_S, NO_SLOTS),
    atom!(AtomOp::Add, SM12, Ty::U64, "ld add u64", "", 0, 4, D_D, ADATA_D, NO_SLOTS),
    atom!(AtomOp::Inc, SM11, Ty::U32, "ld inc u32", "", 4, 6, D_S, ADATA_S, NO_SLOTS),
    atom!(AtomOp::Dec, SM11, Ty::U32, "ld dec u32", "", 5, 6, D_S, ADATA_S, NO_SLOTS),
    atom!(AtomOp::Max, SM11, Ty::U32, "ld max u32", "", 6, 6, D_S, ADATA_S, NO_SLOTS),
    atom!(AtomOp::Max, SM11, Ty::S32, "ld max s32", "", 6, 7, D_S, ADATA_S, NO_SLOTS),
    atom!(AtomOp::Min, SM11, Ty::U32, "ld min u32", "", 7, 6, D_S, ADATA_S, NO_SLOTS),
    atom!(AtomOp::Min, SM11, Ty::S32, "ld min s32", "", 7, 7, D_S, ADATA_S, NO_SLOTS),
    atom!(AtomOp::And, SM11, Ty::B32, "ld and b32", "", 10, 6, D_S, ADATA_S, NO_SLOTS),
    atom!(AtomOp::Or, SM11, Ty::B32, "ld or b32", "", 11, 6, D_S, ADATA_S, NO_SLOTS),
    atom!(AtomOp::Xor, SM11, Ty::B32, "ld xor b32", "", 12, 6, D_S, ADATA_S, NO_SLOTS),
    atom!(AtomOp::Exch, SM11, Ty::B32, "exch b32", "", 1, 6, D_S, ADATA_S, NO_SLOTS),
    atom!(AtomOp::Cas, SM11, Ty::B32, "cas b32", " {src3}", 2, 6, D_S, ADATA_S, R3_S),
    atom!(AtomOp::Exch, SM12, Ty::B64, "exch b64", "", 1, 4, D_D, ADATA_D, NO_SLOTS),
    atom!(AtomOp::Cas, SM12, Ty::B64, "cas b64", " {src3}", 2, 4, D_D, ADATA_D, R3_D),
];
