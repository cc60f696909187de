//! Effects of the rows, against what their operands and the reference say.

use gpucc_isa::{Effects, Role};
use gpucc_tesla_machine::types::Space;
use gpucc_tesla_machine::{AtomOp, Kind, Memory, Op, Row, Unit, table};

/// Rows of one opcode do the same; latency and unit depend on types.
#[test]
fn rows_of_an_opcode_agree() {
    let bare = |r: &Row| Effects { latency: 0, unit: 0, ..r.effects };
    for row in table().rows {
        let first = table().rows.iter().find(|r| r.op == row.op).expect("the row itself");
        assert_eq!(bare(row), bare(first), "{}", row.text);
        assert_eq!(row.effects.unit == Unit::Memory as u8, first.effects.unit == Unit::Memory as u8, "{}", row.text);
    }
}

/// An instruction that defines nothing has a side effect. The table checks it as well while it is compiled.
#[test]
fn what_defines_nothing_stays() {
    for row in table().rows.iter().filter(|r| r.count(Role::Def) == 0) {
        assert!(row.effects.side_effect, "{}", row.text);
    }
}

/// Memory operands are what effects say: as a definition they are written, as a use they are read or, of g[], both.
#[test]
fn memory_operands_are_effects() {
    for row in table().rows {
        let e = row.effects;
        for s in row.operands {
            let (memory, writes) = match s.kind {
                Kind::Mem(Space::Shared, _) => (Memory::Shared, s.role == Role::Def),
                Kind::Mem(Space::Local, _) => (Memory::Local, s.role == Role::Def),
                Kind::Mem(Space::Out, _) => (Memory::Output, true),
                // The target of a branch.
                Kind::Mem(Space::Const, _) if row.effects.terminator => continue,
                Kind::Mem(Space::Const, _) => (Memory::Const, false),
                Kind::Glob => (Memory::Global, row.count(Role::Def) == 0),
                _ => continue,
            };
            assert_eq!(e.space, memory as u16, "{}", row.text);
            assert!(if writes { e.writes } else { e.reads }, "{}", row.text);
        }
    }
}

/// Some by name (reference sections 4.1, 4.6, 4.7, 4.8 and 5).
#[test]
fn effects_of_some() {
    let of = |op: Op| table().rows.iter().find(|r| r.op == op).expect("a row").effects;
    for op in [Op::Atom(AtomOp::Add), Op::Red(AtomOp::Xor), Op::LdLock, Op::Bar, Op::Call] {
        assert!(of(op).reads && of(op).writes, "{op:?}");
    }
    for op in [Op::Bra, Op::Brk, Op::Ret, Op::BraC, Op::Trap] {
        assert!(of(op).terminator, "{op:?}");
    }
    for op in [Op::PreBrk, Op::JoinAt, Op::PreRet, Op::Call, Op::Discard, Op::Nop] {
        assert!(!of(op).terminator, "{op:?}");
    }
    // Other lanes matter.
    for op in [Op::VoteAny, Op::VoteAll, Op::QuadOp, Op::Bar, Op::TexAuto, Op::TexBias, Op::TexQueryLod, Op::QuadOn] {
        assert!(of(op).convergent, "{op:?}");
    }
    for op in [Op::TexLod, Op::TexFetch, Op::TexGather, Op::LdG, Op::Mov, Op::Interp] {
        assert!(!of(op).convergent, "{op:?}");
    }
    // Vertices come out in order, fragments die once.
    for op in [Op::Emit, Op::Restart, Op::Discard, Op::StO, Op::StG] {
        assert!(of(op).side_effect, "{op:?}");
    }
    for op in [Op::Mov, Op::Fmad, Op::CvtFF, Op::Dfma, Op::LdC, Op::TexLod, Op::Set] {
        assert!(!of(op).side_effect && !of(op).writes, "{op:?}");
    }
}
