//! Effects of the rows, against what their operands, their names and the reference say.

use gpucc_gcn_machine::{Access, Counter, Format, Memory, Op, Unit, rows, table};
use gpucc_isa::{Effects, Role};

/// Rows of one opcode do the same; latency depends on the form.
#[test]
fn rows_of_an_opcode_agree() {
    for row in table().rows {
        let first = rows::of(row.op).expect("a row");
        // A form that takes its operand from another lane is another matter.
        let bare = |e: Effects| Effects { latency: 0, convergent: false, unit: 0, ..e };
        assert_eq!(bare(row.effects), bare(first.effects), "{}", row.text);
        let (a, b) = (row.attrs, first.attrs);
        assert_eq!((a.access, a.counter, a.unit == Unit::Interp), (b.access, b.counter, b.unit == Unit::Interp));
        assert_eq!(row.effects.unit, row.attrs.unit as u8, "{}", row.text);
    }
}

/// An instruction that defines nothing has a side effect. The table checks it as well while it is compiled.
#[test]
fn what_defines_nothing_stays() {
    for row in table().rows {
        let defines = row.operands.iter().any(|s| matches!(s.role, Role::Def | Role::UseDef));
        let state = row.implicit.iter().any(|i| i.write);
        assert!(defines || state || row.effects.side_effect, "{}", row.text);
    }
}

/// The accesses to memory in the names of the reference are those that the signatures declare.
#[test]
fn names_say_what_is_done_with_memory() {
    for row in table().rows {
        let name = row.text;
        let any = |words: &[&str]| words.iter().any(|w| name.contains(w));
        let want = match row.attrs.format {
            Format::Smrd | Format::Smem | Format::Mubuf | Format::Mtbuf | Format::Flat => match () {
                () if any(&["load"]) => Access::Load,
                () if any(&["store"]) => Access::Store,
                () if any(&["atomic"]) => Access::Atomic,
                () if any(&["cache", "wbinv"]) => Access::Order,
                () => Access::None,
            },
            Format::Mimg => match () {
                () if any(&["store"]) => Access::Store,
                () if any(&["atomic"]) => Access::Atomic,
                () => Access::Load,
            },
            Format::Ds => match () {
                () if any(&["gws", "nop", "permute", "swizzle"]) => Access::None,
                () if any(&["_read"]) => Access::Load,
                () if any(&["_write"]) && !any(&["src2"]) => Access::Store,
                () => Access::Atomic,
            },
            Format::Sopp if any(&["s_barrier"]) => Access::Order,
            _ => Access::None,
        };
        assert_eq!(row.attrs.access, want, "{name}");
        let e = row.effects;
        let (reads, writes) = match want {
            Access::None => (false, false),
            Access::Load => (true, false),
            Access::Store => (false, true),
            Access::Atomic | Access::Order => (true, true),
        };
        assert_eq!((e.reads, e.writes), (reads, writes), "{name}");
    }
}

/// Counters of reference section 16.
#[test]
fn counters_follow_from_formats() {
    for row in table().rows {
        let scalar = row.operands.iter().any(|s| matches!(s.name, "sdst" | "sdata"));
        let want = match row.attrs.format {
            Format::Mubuf | Format::Mtbuf | Format::Mimg | Format::Flat => Counter::Vm,
            Format::Ds => Counter::Lds,
            Format::Smrd | Format::Smem if scalar => Counter::Scalar,
            Format::Exp => Counter::Export,
            _ => Counter::None,
        };
        assert_eq!(row.attrs.counter, want, "{}", row.text);
    }
}

/// Some by name.
#[test]
fn effects_of_some() {
    let of = |op: Op| rows::of(op).expect("a row").effects;
    for op in [Op::SBranch, Op::SCbranchScc0, Op::SEndpgm, Op::SSetpcB64, Op::SCbranchIFork] {
        assert!(of(op).terminator, "{op:?}");
    }
    for op in [Op::SBarrier, Op::SWaitcnt, Op::SNop, Op::Exp, Op::SGetpcB64, Op::VNop] {
        assert!(!of(op).terminator, "{op:?}");
    }
    for op in [
        Op::SBarrier,
        Op::ImageSample,
        Op::ImageSampleCBO,
        Op::ImageGather4,
        Op::ImageGetLod,
        Op::VReadlaneB32,
        Op::VWritelaneB32,
        Op::VReadfirstlaneB32,
        Op::DsSwizzleB32,
        Op::DsBpermuteB32,
    ] {
        assert!(of(op).convergent, "{op:?}");
    }
    for op in [Op::ImageSampleL, Op::ImageSampleLz, Op::ImageSampleD, Op::ImageLoad, Op::ImageGather4Lz, Op::VAddF32] {
        assert!(!of(op).convergent, "{op:?}");
    }
    for op in [Op::Exp, Op::SSendmsg, Op::SDcacheInv, Op::SMemtime, Op::BufferStoreDword, Op::ImageAtomicAdd] {
        assert!(of(op).side_effect, "{op:?}");
    }
    for op in [Op::VMovB32, Op::SAddU32, Op::SCmpEqU32, Op::VCmpEqF32, Op::DsReadB32, Op::VInterpP1F32, Op::SGetpcB64] {
        assert!(!of(op).side_effect, "{op:?}");
    }
    let spaces = [Op::DsReadB32, Op::BufferLoadDword, Op::ImageSample].map(|op| of(op).space);
    assert_eq!(spaces, [Memory::Lds, Memory::Buffer, Memory::Image].map(|m| m as u16));
    for (op, reads, writes) in [
        (Op::SAndSaveexecB64, true, true),
        (Op::VCmpxEqF32, true, true),
        (Op::VAddF32, true, false),
        (Op::SAddU32, false, false),
    ] {
        let row = rows::of(op).expect("a row");
        assert_eq!((rows::reads_exec(row), rows::writes_exec(row)), (reads, writes), "{op:?}");
    }
}
