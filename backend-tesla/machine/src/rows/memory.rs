//! Memory forms with an offset field of their own, global memory, atomics (reference sections 4.1 and 4.6). Columns: see [`long!`](super).

use super::*;
use crate::types::{ANY, SM11, SM12, Space};
use Memory::{Const, Global, Local, Shared};
use gpucc_isa::stage::CS;

const DOF: &[S] = &[def("dst", Field::split(&[(2, 7), (35, 1), (58, 1)]), Kind::DstOF)];
const DATA_HF: &[S] = &[use_("data", Field::split(&[(46, 7), (53, 1)]), Kind::HalfOrFull)];
const D_Q: &[S] = &[def("dst", f(2, 7), Kind::Dst(Width::Q))];
const DATA_S: &[S] = &[use_("data", f(2, 7), Kind::Reg(Width::S))];
const DATA_D: &[S] = &[use_("data", f(2, 7), Kind::Reg(Width::D))];
const DATA_Q: &[S] = &[use_("data", f(2, 7), Kind::Reg(Width::Q))];
const ADATA_S: &[S] = &[use_("src2", f(16, 7), Kind::Reg(Width::S))];
const ADATA_D: &[S] = &[use_("src2", f(16, 7), Kind::Reg(Width::D))];
const FROM_C1: &[S] = &[use_("mem", f(9, 16), Kind::Mem(Space::Const, 1))];
const FROM_C2: &[S] = &[use_("mem", f(9, 15), Kind::Mem(Space::Const, 2))];
const FROM_C4: &[S] = &[use_("mem", f(9, 14), Kind::Mem(Space::Const, 4))];
const FROM_S1: &[S] = &[use_("mem", f(9, 16), Kind::Mem(Space::Shared, 1))];
const FROM_S2: &[S] = &[use_("mem", f(9, 15), Kind::Mem(Space::Shared, 2))];
const FROM_S4: &[S] = &[use_("mem", f(9, 14), Kind::Mem(Space::Shared, 4))];
const TO_S1: &[S] = &[def("mem", f(9, 16), Kind::Mem(Space::Shared, 1))];
const TO_S2: &[S] = &[def("mem", f(9, 15), Kind::Mem(Space::Shared, 2))];
const TO_S4: &[S] = &[def("mem", f(9, 14), Kind::Mem(Space::Shared, 4))];
const FROM_L: &[S] = &[use_("mem", f(9, 16), Kind::Mem(Space::Local, 1))];
const TO_L: &[S] = &[def("mem", f(9, 16), Kind::Mem(Space::Local, 1))];
const GLOB: &[S] = &[use_("mem", Field::split(&[(9, 7), (16, 4)]), Kind::Glob)];
const AGLOB: &[S] = &[use_("mem", Field::split(&[(9, 7), (23, 4)]), Kind::Glob)];

/// Cycles until a memory answers: soon where it is beside the multiprocessor.
const fn latency(memory: Memory) -> u16 {
    if matches!(memory, Const | Shared) { 38 } else { 440 }
}

const fn access(effects: Effects, memory: Memory, ty: Ty) -> Does {
    let issue = if ty.bytes() > 4 { ty.bytes() as u8 } else { 4 };
    does(effects.at(memory as u16), Unit::Memory, issue, ty, ty)
}

const fn load(memory: Memory, ty: Ty) -> Does {
    access(Effects::load(latency(memory)), memory, ty)
}

const fn store(memory: Memory, ty: Ty) -> Does {
    access(Effects::store(), memory, ty)
}

const fn atomic(memory: Memory, ty: Ty) -> Does {
    access(Effects::atomic(latency(memory)), memory, ty)
}

/// Constant, shared, local and global memory.
pub const ROWS: &[R] = long! {
    LdC      ANY  (0, 0x1000_0000, 0xe000_c000, 0x2000_0000) "ld {dst} u8 {mem}" [DOF ADDR FROM_C1] load(Const, U8) "load from a constant space" "4.1";
    LdC      ANY  (0, 0x1000_0000, 0xe000_c000, 0x2000_4000) "ld {dst} u16 {mem}" [DOF ADDR FROM_C2] load(Const, U16) "load from a constant space" "4.1";
    LdC      ANY  (0, 0x1000_0000, 0xe000_c000, 0x2000_8000) "ld {dst} s16 {mem}" [DOF ADDR FROM_C2] load(Const, S16) "load from a constant space" "4.1";
    LdC      ANY  (0, 0x1000_0000, 0xe000_c000, 0x2000_c000) "ld {dst} b32 {mem}" [DOF ADDR FROM_C4] load(Const, B32) "load from a constant space" "4.1";
    LdS      SM11 (0, 0x1000_0000, 0xe080_c000, 0x4000_0000) "ld {dst} u8 {mem}" [DOF AINC FROM_S1] load(Shared, U8) "load from shared memory" "4.1, 7.6" .stages(CS);
    LdS      SM11 (0, 0x1000_0000, 0xe080_c000, 0x4000_4000) "ld {dst} u16 {mem}" [DOF AINC FROM_S2] load(Shared, U16) "load from shared memory" "4.1, 7.6" .stages(CS);
    LdS      SM11 (0, 0x1000_0000, 0xe080_c000, 0x4000_8000) "ld {dst} s16 {mem}" [DOF AINC FROM_S2] load(Shared, S16) "load from shared memory" "4.1, 7.6" .stages(CS);
    LdS      SM11 (0, 0x1000_0000, 0xe080_c000, 0x4000_c000) "ld {dst} b32 {mem}" [DOF AINC FROM_S4] load(Shared, B32) "load from shared memory" "4.1, 7.6" .stages(CS);
    LdLock   SM12 (0, 0x1000_0000, 0xe080_c000, 0x4080_c000) "ld lock {cdst} {dst} b32 {mem}" [DOF CDST2 AINC FROM_S4] atomic(Shared, B32) "load from shared memory and try to lock the word" "4.1, 7.6" .stages(CS) .ignored(pat(0, 0x40));
    StS      ANY  (0, 0, 0xe4c0_0000, 0xe040_0000)           "st b8 {mem} {data}" [AINC TO_S1 DATA_HF] store(Shared, U8) "store to shared memory" "4.1, 7.6" .stages(CS);
    StS      ANY  (0, 0, 0xe4c0_0000, 0xe000_0000)           "st b16 {mem} {data}" [AINC TO_S2 DATA_HF] store(Shared, B16) "store to shared memory" "4.1, 7.6" .stages(CS);
    StS      ANY  (0, 0, 0xe4c0_0000, 0xe400_0000)           "st b32 {mem} {data}" [AINC TO_S4 DATA_HF] store(Shared, B32) "store to shared memory" "4.1, 7.6" .stages(CS);
    StUnlock SM12 (0, 0, 0xe4c0_0000, 0xe480_0000)           "st unlock b32 {mem} {data}" [AINC TO_S4 DATA_HF] store(Shared, B32) "store to shared memory" "4.1, 7.6" .stages(CS);
    LdL      ANY  (0, 0xd000_0000, 0xe0e0_0000, 0x4000_0000) "ld u8 {dst} {mem}" [AINC FROM_L D_S] load(Local, U8) "load from local memory" "4.6, 7.6";
    StL      ANY  (0, 0xd000_0000, 0xe0e0_0000, 0x6000_0000) "st u8 {mem} {data}" [AINC TO_L DATA_S] store(Local, U8) "store to local memory" "4.6, 7.6";
    LdL      ANY  (0, 0xd000_0000, 0xe0e0_0000, 0x4020_0000) "ld s8 {dst} {mem}" [AINC FROM_L D_S] load(Local, S8) "load from local memory" "4.6, 7.6";
    StL      ANY  (0, 0xd000_0000, 0xe0e0_0000, 0x6020_0000) "st s8 {mem} {data}" [AINC TO_L DATA_S] store(Local, S8) "store to local memory" "4.6, 7.6";
    LdL      ANY  (0, 0xd000_0000, 0xe0e0_0000, 0x4040_0000) "ld u16 {dst} {mem}" [AINC FROM_L D_S] load(Local, U16) "load from local memory" "4.6, 7.6";
    StL      ANY  (0, 0xd000_0000, 0xe0e0_0000, 0x6040_0000) "st u16 {mem} {data}" [AINC TO_L DATA_S] store(Local, U16) "store to local memory" "4.6, 7.6";
    LdL      ANY  (0, 0xd000_0000, 0xe0e0_0000, 0x4060_0000) "ld s16 {dst} {mem}" [AINC FROM_L D_S] load(Local, S16) "load from local memory" "4.6, 7.6";
    StL      ANY  (0, 0xd000_0000, 0xe0e0_0000, 0x6060_0000) "st s16 {mem} {data}" [AINC TO_L DATA_S] store(Local, S16) "store to local memory" "4.6, 7.6";
    LdL      ANY  (0, 0xd000_0000, 0xe0e0_0000, 0x4080_0000) "ld b64 {dst} {mem}" [AINC FROM_L D_D] load(Local, B64) "load from local memory" "4.6, 7.6";
    StL      ANY  (0, 0xd000_0000, 0xe0e0_0000, 0x6080_0000) "st b64 {mem} {data}" [AINC TO_L DATA_D] store(Local, B64) "store to local memory" "4.6, 7.6";
    LdL      ANY  (0, 0xd000_0000, 0xe0e0_0000, 0x40a0_0000) "ld b128 {dst} {mem}" [AINC FROM_L D_Q] load(Local, B128) "load from local memory" "4.6, 7.6";
    StL      ANY  (0, 0xd000_0000, 0xe0e0_0000, 0x60a0_0000) "st b128 {mem} {data}" [AINC TO_L DATA_Q] store(Local, B128) "store to local memory" "4.6, 7.6";
    LdL      ANY  (0, 0xd000_0000, 0xe0e0_0000, 0x40c0_0000) "ld b32 {dst} {mem}" [AINC FROM_L D_S] load(Local, B32) "load from local memory" "4.6, 7.6";
    StL      ANY  (0, 0xd000_0000, 0xe0e0_0000, 0x60c0_0000) "st b32 {mem} {data}" [AINC TO_L DATA_S] store(Local, B32) "store to local memory" "4.6, 7.6";
    LdG      ANY  (0, 0xd000_0000, 0xe0e0_0000, 0x8000_0000) "ld u8 {dst} {mem}" [D_S GLOB] load(Global, U8) "load from global memory" "4.6, 7.6" .stages(CS);
    StG      ANY  (0, 0xd000_0000, 0xe0e0_0000, 0xa000_0000) "st u8 {mem} {data}" [GLOB DATA_S] store(Global, U8) "store to global memory" "4.6, 7.6" .stages(CS);
    LdG      ANY  (0, 0xd000_0000, 0xe0e0_0000, 0x8020_0000) "ld s8 {dst} {mem}" [D_S GLOB] load(Global, S8) "load from global memory" "4.6, 7.6" .stages(CS);
    StG      ANY  (0, 0xd000_0000, 0xe0e0_0000, 0xa020_0000) "st s8 {mem} {data}" [GLOB DATA_S] store(Global, S8) "store to global memory" "4.6, 7.6" .stages(CS);
    LdG      ANY  (0, 0xd000_0000, 0xe0e0_0000, 0x8040_0000) "ld u16 {dst} {mem}" [D_S GLOB] load(Global, U16) "load from global memory" "4.6, 7.6" .stages(CS);
    StG      ANY  (0, 0xd000_0000, 0xe0e0_0000, 0xa040_0000) "st u16 {mem} {data}" [GLOB DATA_S] store(Global, U16) "store to global memory" "4.6, 7.6" .stages(CS);
    LdG      ANY  (0, 0xd000_0000, 0xe0e0_0000, 0x8060_0000) "ld s16 {dst} {mem}" [D_S GLOB] load(Global, S16) "load from global memory" "4.6, 7.6" .stages(CS);
    StG      ANY  (0, 0xd000_0000, 0xe0e0_0000, 0xa060_0000) "st s16 {mem} {data}" [GLOB DATA_S] store(Global, S16) "store to global memory" "4.6, 7.6" .stages(CS);
    LdG      ANY  (0, 0xd000_0000, 0xe0e0_0000, 0x8080_0000) "ld b64 {dst} {mem}" [D_D GLOB] load(Global, B64) "load from global memory" "4.6, 7.6" .stages(CS);
    StG      ANY  (0, 0xd000_0000, 0xe0e0_0000, 0xa080_0000) "st b64 {mem} {data}" [GLOB DATA_D] store(Global, B64) "store to global memory" "4.6, 7.6" .stages(CS);
    LdG      ANY  (0, 0xd000_0000, 0xe0e0_0000, 0x80a0_0000) "ld b128 {dst} {mem}" [D_Q GLOB] load(Global, B128) "load from global memory" "4.6, 7.6" .stages(CS);
    StG      ANY  (0, 0xd000_0000, 0xe0e0_0000, 0xa0a0_0000) "st b128 {mem} {data}" [GLOB DATA_Q] store(Global, B128) "store to global memory" "4.6, 7.6" .stages(CS);
    LdG      ANY  (0, 0xd000_0000, 0xe0e0_0000, 0x80c0_0000) "ld b32 {dst} {mem}" [D_S GLOB] load(Global, B32) "load from global memory" "4.6, 7.6" .stages(CS);
    StG      ANY  (0, 0xd000_0000, 0xe0e0_0000, 0xa0c0_0000) "st b32 {mem} {data}" [GLOB DATA_S] store(Global, B32) "store to global memory" "4.6, 7.6" .stages(CS);
};

/// Atomics on global memory.
pub const ATOMICS: &[R] = long! {
    Red(Add)   SM11 (0, 0xd000_0000, 0xe0e0_003c, 0xc0c0_0000) "red add u32 {mem} {data}" [GLOB DATA_S] atomic(Global, U32) "atomic operation without result" "4.6" .stages(CS);
    Red(Add)   SM11 (0, 0xd000_0000, 0xe0e0_003c, 0xc0e0_0000) "red add s32 {mem} {data}" [GLOB DATA_S] atomic(Global, S32) "atomic operation without result" "4.6" .stages(CS);
    Red(Add)   SM12 (0, 0xd000_0000, 0xe0e0_003c, 0xc080_0000) "red add u64 {mem} {data}" [GLOB DATA_D] atomic(Global, U64) "atomic operation without result" "4.6" .stages(CS);
    Red(Inc)   SM11 (0, 0xd000_0000, 0xe0e0_003c, 0xc0c0_0010) "red inc u32 {mem} {data}" [GLOB DATA_S] atomic(Global, U32) "atomic operation without result" "4.6" .stages(CS);
    Red(Dec)   SM11 (0, 0xd000_0000, 0xe0e0_003c, 0xc0c0_0014) "red dec u32 {mem} {data}" [GLOB DATA_S] atomic(Global, U32) "atomic operation without result" "4.6" .stages(CS);
    Red(Max)   SM11 (0, 0xd000_0000, 0xe0e0_003c, 0xc0c0_0018) "red max u32 {mem} {data}" [GLOB DATA_S] atomic(Global, U32) "atomic operation without result" "4.6" .stages(CS);
    Red(Max)   SM11 (0, 0xd000_0000, 0xe0e0_003c, 0xc0e0_0018) "red max s32 {mem} {data}" [GLOB DATA_S] atomic(Global, S32) "atomic operation without result" "4.6" .stages(CS);
    Red(Min)   SM11 (0, 0xd000_0000, 0xe0e0_003c, 0xc0c0_001c) "red min u32 {mem} {data}" [GLOB DATA_S] atomic(Global, U32) "atomic operation without result" "4.6" .stages(CS);
    Red(Min)   SM11 (0, 0xd000_0000, 0xe0e0_003c, 0xc0e0_001c) "red min s32 {mem} {data}" [GLOB DATA_S] atomic(Global, S32) "atomic operation without result" "4.6" .stages(CS);
    Red(And)   SM11 (0, 0xd000_0000, 0xe0e0_003c, 0xc0c0_0028) "red and b32 {mem} {data}" [GLOB DATA_S] atomic(Global, B32) "atomic operation without result" "4.6" .stages(CS);
    Red(Or)    SM11 (0, 0xd000_0000, 0xe0e0_003c, 0xc0c0_002c) "red or b32 {mem} {data}" [GLOB DATA_S] atomic(Global, B32) "atomic operation without result" "4.6" .stages(CS);
    Red(Xor)   SM11 (0, 0xd000_0000, 0xe0e0_003c, 0xc0c0_0030) "red xor b32 {mem} {data}" [GLOB DATA_S] atomic(Global, B32) "atomic operation without result" "4.6" .stages(CS);
    Atom(Add)  SM11 (0, 0xd000_0000, 0xe0e0_003c, 0xe0c0_0000) "ld add u32 {dst} {mem} {src2}" [D_S AGLOB ADATA_S] atomic(Global, U32) "atomic operation; the result is the old value" "4.6" .stages(CS);
    Atom(Add)  SM11 (0, 0xd000_0000, 0xe0e0_003c, 0xe0e0_0000) "ld add s32 {dst} {mem} {src2}" [D_S AGLOB ADATA_S] atomic(Global, S32) "atomic operation; the result is the old value" "4.6" .stages(CS);
    Atom(Add)  SM12 (0, 0xd000_0000, 0xe0e0_003c, 0xe080_0000) "ld add u64 {dst} {mem} {src2}" [D_D AGLOB ADATA_D] atomic(Global, U64) "atomic operation; the result is the old value" "4.6" .stages(CS);
    Atom(Inc)  SM11 (0, 0xd000_0000, 0xe0e0_003c, 0xe0c0_0010) "ld inc u32 {dst} {mem} {src2}" [D_S AGLOB ADATA_S] atomic(Global, U32) "atomic operation; the result is the old value" "4.6" .stages(CS);
    Atom(Dec)  SM11 (0, 0xd000_0000, 0xe0e0_003c, 0xe0c0_0014) "ld dec u32 {dst} {mem} {src2}" [D_S AGLOB ADATA_S] atomic(Global, U32) "atomic operation; the result is the old value" "4.6" .stages(CS);
    Atom(Max)  SM11 (0, 0xd000_0000, 0xe0e0_003c, 0xe0c0_0018) "ld max u32 {dst} {mem} {src2}" [D_S AGLOB ADATA_S] atomic(Global, U32) "atomic operation; the result is the old value" "4.6" .stages(CS);
    Atom(Max)  SM11 (0, 0xd000_0000, 0xe0e0_003c, 0xe0e0_0018) "ld max s32 {dst} {mem} {src2}" [D_S AGLOB ADATA_S] atomic(Global, S32) "atomic operation; the result is the old value" "4.6" .stages(CS);
    Atom(Min)  SM11 (0, 0xd000_0000, 0xe0e0_003c, 0xe0c0_001c) "ld min u32 {dst} {mem} {src2}" [D_S AGLOB ADATA_S] atomic(Global, U32) "atomic operation; the result is the old value" "4.6" .stages(CS);
    Atom(Min)  SM11 (0, 0xd000_0000, 0xe0e0_003c, 0xe0e0_001c) "ld min s32 {dst} {mem} {src2}" [D_S AGLOB ADATA_S] atomic(Global, S32) "atomic operation; the result is the old value" "4.6" .stages(CS);
    Atom(And)  SM11 (0, 0xd000_0000, 0xe0e0_003c, 0xe0c0_0028) "ld and b32 {dst} {mem} {src2}" [D_S AGLOB ADATA_S] atomic(Global, B32) "atomic operation; the result is the old value" "4.6" .stages(CS);
    Atom(Or)   SM11 (0, 0xd000_0000, 0xe0e0_003c, 0xe0c0_002c) "ld or b32 {dst} {mem} {src2}" [D_S AGLOB ADATA_S] atomic(Global, B32) "atomic operation; the result is the old value" "4.6" .stages(CS);
    Atom(Xor)  SM11 (0, 0xd000_0000, 0xe0e0_003c, 0xe0c0_0030) "ld xor b32 {dst} {mem} {src2}" [D_S AGLOB ADATA_S] atomic(Global, B32) "atomic operation; the result is the old value" "4.6" .stages(CS);
    Atom(Exch) SM11 (0, 0xd000_0000, 0xe0e0_003c, 0xe0c0_0004) "exch b32 {dst} {mem} {src2}" [D_S AGLOB ADATA_S] atomic(Global, B32) "atomic operation; the result is the old value" "4.6" .stages(CS);
    Atom(Cas)  SM11 (0, 0xd000_0000, 0xe0e0_003c, 0xe0c0_0008) "cas b32 {dst} {mem} {src2} {src3}" [D_S AGLOB ADATA_S R3_S] atomic(Global, B32) "atomic operation; the result is the old value" "4.6" .stages(CS);
    Atom(Exch) SM12 (0, 0xd000_0000, 0xe0e0_003c, 0xe080_0004) "exch b64 {dst} {mem} {src2}" [D_D AGLOB ADATA_D] atomic(Global, B64) "atomic operation; the result is the old value" "4.6" .stages(CS);
    Atom(Cas)  SM12 (0, 0xd000_0000, 0xe0e0_003c, 0xe080_0008) "cas b64 {dst} {mem} {src2} {src3}" [D_D AGLOB ADATA_D R3_D] atomic(Global, B64) "atomic operation; the result is the old value" "4.6" .stages(CS);
};
