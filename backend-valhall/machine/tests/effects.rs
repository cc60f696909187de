//! Effects of the rows, against what their operands, their mnemonics and the reference say.

use gpucc_isa::Role;
use gpucc_valhall_machine::{Class, Lane, OPS, Op, ROWS, Unit};

/// An instruction that defines nothing has a side effect. The table checks it as well while it is compiled.
#[test]
fn what_defines_nothing_stays() {
    for row in ROWS.iter().filter(|r| r.count(Role::Def) == 0) {
        assert!(row.effects.side_effect, "{}", row.text);
    }
}

/// Mnemonics of the reference (sections 5, 8.3, 14 to 17) say what is done with memory.
#[test]
fn mnemonics_say_what_is_done_with_memory() {
    for row in ROWS {
        let has = |starts: &[&str]| starts.iter().any(|s| row.text.starts_with(s));
        let atomic = has(&["ATOM", "BARRIER"]);
        let writes = atomic || has(&["STORE", "ST_", "BLEND"]);
        // Varyings lie in memory that no shader writes.
        let reads = atomic || has(&["LOAD", "LD_BUFFER", "LD_ATTR", "LD_TEX", "LD_TILE", "VAR_TEX"]);
        let reads = reads || has(&["TEX_"]) && row.op != Op::TexGradient;
        assert_eq!((row.effects.reads, row.effects.writes), (reads, writes), "{}", row.text);
    }
}

/// The amount that an access moves is in its mnemonic.
#[test]
fn mnemonics_say_how_much_is_moved() {
    for row in ROWS {
        let suffix = row.text.split_once(".i").map(|t| t.1.parse::<u8>());
        let moves = matches!(row.attrs.class, Class::Memory | Class::Buffer);
        let want = suffix.filter(|_| moves).map_or(0, |bits| bits.expect("bits") / 8);
        assert_eq!(row.attrs.bytes, want, "{}", row.text);
    }
}

/// Lanes of arithmetic are those of the type in the mnemonic: that of the result, or of the source where it converts.
#[test]
fn mnemonics_say_what_lanes_are() {
    for row in ROWS.iter().filter(|r| r.attrs.class == Class::Alu) {
        let name = row.text.to_lowercase();
        // Tables of sines and of powers of two have indices of a few bits, in a word.
        let ty = match name.split_once("_to_") {
            Some((from, _)) => from,
            None => name.split_once('.').map_or("i32", |t| t.1),
        };
        let ty = ["v2", "v4"].iter().find_map(|v| ty.strip_prefix(v)).unwrap_or(ty);
        let want = match ty {
            "i8" | "u8" => Lane::I8,
            "s8" => Lane::S8,
            "i16" | "u16" | "f16" => Lane::I16,
            "s16" => Lane::S16,
            "i32" | "u32" | "f32" | "u6" | "u4" | "u1" => Lane::I32,
            "s32" => Lane::S32,
            "i64" | "u64" => Lane::I64,
            "s64" => Lane::S64,
            other => panic!("{}: {other}", row.text),
        };
        assert_eq!(row.attrs.lane, want, "{}", row.text);
    }
}

/// Some by name (reference sections 9, 11.1, 12.3, 14, 16, 17).
#[test]
fn effects_of_some() {
    let of = |op: Op| ROWS[op as usize].effects;
    for &op in OPS {
        let e = of(op);
        assert_eq!(e.terminator, matches!(op, Op::Branchz | Op::Branchzi), "{op:?}");
        let lanes = matches!(
            op,
            Op::Barrier
                | Op::Wmask
                | Op::ClperI32
                | Op::ClperV2u16
                | Op::ClperV4u8
                | Op::ClperS32
                | Op::ClperV2s16
                | Op::ClperV4s8
                | Op::ClperU64
                | Op::ClperS64
                | Op::TexSingle
                | Op::TexDual
                | Op::TexGradient
        );
        let fused = ROWS[op as usize].attrs.class == Class::VaryingTexture;
        assert_eq!(e.convergent, lanes || fused, "{op:?}");
        assert_eq!(e.unit, ROWS[op as usize].attrs.unit as u8, "{op:?}");
        let slow = ROWS[op as usize].attrs.class.is_message() || ROWS[op as usize].attrs.unit == Unit::Sfu;
        assert_eq!(e.latency > 1, slow, "{op:?}");
    }
    // The position of interpolation is kept between varyings, but flat ones have none.
    for op in [Op::LdVar, Op::LdVarBufF16, Op::LdVarSpecial, Op::Atest, Op::ZsEmit, Op::DiscardF32, Op::Nop, Op::StTile]
    {
        assert!(of(op).side_effect, "{op:?}");
    }
    for op in [Op::LdVarFlat, Op::LdVarFlatImm, Op::LeaBuffer, Op::LeaTexImm, Op::TexFetch, Op::LoadI32, Op::ClperI32] {
        assert!(!of(op).side_effect, "{op:?}");
    }
}
