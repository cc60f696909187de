//! Whole programs: flow, waits, memory, divergence, launch.

use crate::common::{Program, expect_trap};
use gpucc_container::{Access, Container, Preload, Source};
use gpucc_sim::{Dispatch, Rules, RunOptions, TrapKind};
use gpucc_valhall_machine::run;

/// out[i] = in[i] * 3 + i, one thread a word.
const SCALE: &str = "
    SHADDX.u64 r0, u0, r60.w0, shift:0x2
    LOAD.i32.unsigned.slot0.wait0 @r2, ^r0, offset:0
    IMUL.i32 r2, ^r2, 0x3020100.b3
    IADD.u32 r2, ^r2, r60
    SHADDX.u64 r4, u4, r60.w0, shift:0x2
    STORE.i32.slot0.end @r2, ^r4, offset:0
";

#[test]
fn loads_computes_and_stores() {
    let input: Vec<u32> = (0..16).map(|i| 1000 + 7 * i).collect();
    let expected: Vec<u32> = input.iter().zip(0..).map(|(x, i)| x * 3 + i).collect();
    assert_eq!(Program::new(SCALE).words(&input, 16), expected);
    for seed in 0..20 {
        assert_eq!(Program::new(SCALE).try_perturbed(&input, 16, Some(seed)).unwrap(), expected);
    }
    let mut v9 = Program::new(SCALE);
    v9.container.generation = "v9".into();
    assert_eq!(v9.words(&input, 16), expected);
}

#[test]
fn a_removed_wait_is_noticed() {
    let text = SCALE.replace(".slot0.wait0", ".slot0");
    let t = expect_trap(Program::new(&text).try_words(&[1; 16], 16), TrapKind::Poison, "slot 0");
    assert_eq!(t.pc, Some(16));
    assert!(t.instruction.unwrap().starts_with("IMUL.i32"));
    // A wait on another slot covers nothing, a late one comes too late.
    for wait in ["wait1", "wait2", "wait12"] {
        let text = SCALE.replace(".slot0.wait0", &format!(".slot0.{wait}"));
        expect_trap(Program::new(&text).try_words(&[1; 16], 16), TrapKind::Poison, "slot 0");
    }
    let late = SCALE.replace(".slot0.wait0", ".slot0").replace("IMUL.i32 r2", "IMUL.i32.wait0 r2");
    expect_trap(Program::new(&late).try_words(&[1; 16], 16), TrapKind::Poison, "slot 0");
    // One that covers more does, also when it sits on a later instruction before the use.
    for flow in ["wait01", "wait012", "wait0126", "wait"] {
        let text = SCALE.replace(".slot0.wait0", &format!(".slot0.{flow}"));
        assert_eq!(Program::new(&text).words(&[1; 16], 16)[1], 4);
    }
    let nop = SCALE.replace(".slot0.wait0 @r2, ^r0, offset:0", ".slot0 @r2, ^r0, offset:0\nNOP\nNOP.wait0");
    assert_eq!(Program::new(&nop).words(&[1; 16], 16)[1], 4);
}

#[test]
fn overwriting_a_register_in_flight_is_a_hazard() {
    let text = "LOAD.i32.unsigned.slot0 @r2, u0, offset:0\nIADD_IMM.i32 r2, 0x0, #0x5\nNOP.end";
    expect_trap(Program::new(text).try_words(&[1; 16], 16), TrapKind::Hazard, "r2 is overwritten");
}

#[test]
fn memory_order_needs_waits() {
    let store_load = |flow: &str| {
        format!(
            "SHADDX.u64 r4, u4, r60.w0, shift:0x2\nIADD_IMM.i32 r2, 0x0, #0x7\nSTORE.i32.slot1{flow} @r2, r4, offset:0\n\
             LOAD.i32.unsigned.slot0.wait0 @r3, r4, offset:0\nIADD.u32 r3, r3, r3\nSTORE.i32.slot2.end @r3, r4, offset:0"
        )
    };
    assert_eq!(Program::new(&store_load(".wait1")).words(&[0], 16), [14; 16]);
    expect_trap(Program::new(&store_load("")).try_words(&[0], 16), TrapKind::Hazard, "under way");
    // Disjoint addresses need none.
    let apart = store_load("")
        .replace("LOAD.i32.unsigned.slot0.wait0 @r3, r4, offset:0", "LOAD.i32.unsigned.slot0.wait0 @r3, u0, offset:0");
    assert_eq!(
        Program::new(&apart.replace("STORE.i32.slot2.end", "NOP.wait1\nSTORE.i32.slot2.end")).words(&[4; 1], 16),
        [8; 16]
    );
}

#[test]
fn undefined_and_dead_registers_trap() {
    expect_trap(
        Program::new("IADD.u32 r0, r1, 0x0\nNOP.end").try_words(&[0], 1),
        TrapKind::UndefinedRead,
        "r1 is undefined",
    );
    expect_trap(
        Program::new("IADD_IMM.i32 r1, 0x0, #0x1\nIADD.u32 r0, ^r1, 0x0\nIADD.u32 r2, r1, 0x0\nNOP.end")
            .try_words(&[0], 1),
        TrapKind::UndefinedRead,
        "after its last use",
    );
    // Twice in one instruction is one use, and a rewrite revives.
    let fine = "IADD_IMM.i32 r1, 0x0, #0x1\nIADD.u32 r1, ^r1, ^r1\nIADD.u32 r0, r1, 0x0\nNOP.end";
    Program::new(fine).words(&[0], 1);
    // Half a register: only what is read counts.
    let half = "IADD_IMM.v2i16 r1.h0, 0x0, #0x5\nIADD.v2u16 r2.h1, r1.h00, 0x0\nU16_TO_U32 r3, r2.h10\nNOP.end";
    Program::new(half).words(&[0], 1);
    expect_trap(
        Program::new("IADD_IMM.v2i16 r1.h0, 0x0, #0x5\nIADD.u32 r2, r1, 0x0\nNOP.end").try_words(&[0], 1),
        TrapKind::UndefinedRead,
        "byte 2 of r1",
    );
    // A copy carries the half along, and what is undefined stays so.
    Program::new("IADD_IMM.v2i16 r1.h0, 0x0, #0x5\nMOV.i32 r2, r1\nIADD.u32 r3, r2.h0, 0x0\nNOP.end").words(&[0], 1);
    expect_trap(
        Program::new("IADD_IMM.v2i16 r1.h0, 0x0, #0x5\nMOV.i32 r2, r1\nIADD.u32 r3, r2, 0x0\nNOP.end")
            .try_words(&[0], 1),
        TrapKind::UndefinedRead,
        "byte 2 of r2",
    );
    // r56 has only its low half.
    Program::new("IADD.u32 r0, r56.h0, 0x0\nNOP.end").words(&[0], 1);
    expect_trap(Program::new("IADD.u32 r0, r56, 0x0\nNOP.end").try_words(&[0], 1), TrapKind::UndefinedRead, "r56");
    // Words of the uniform file that nobody fills.
    expect_trap(Program::new("MOV.i32 r0, u100\nNOP.end").try_words(&[0], 1), TrapKind::UndefinedRead, "u100");
}

/// A copy, and a half of a two-lane operation that nobody reads, are no use of what is undefined; reading them later is.
#[test]
fn undefined_values_are_copied_and_stay_in_their_half() {
    let read =
        |text: &str, read: &str| Program::new(&format!("{text}\nIADD.u32 r9, {read}, 0x0\nNOP.end")).try_words(&[0], 1);
    let copy = "MOV.i32 r2, r1\nMOV.i32 r3, ^r2";
    Program::new(&format!("{copy}\nNOP.end")).words(&[0], 1);
    expect_trap(read(copy, "r3"), TrapKind::UndefinedRead, "r3 is undefined");
    expect_trap(
        Program::new(&format!("{copy}\nSTORE.i32.slot0 @r3, u4, offset:0\nNOP.end")).try_words(&[0], 1),
        TrapKind::UndefinedRead,
        "r3 is undefined",
    );
    // A wait under way cannot be copied.
    expect_trap(read("LOAD.i32.unsigned.slot0 @r1, u0, offset:0\nMOV.i32 r3, r1", "r0"), TrapKind::Poison, "slot 0");
    let half = "IADD_IMM.v2i16 r1.h0, 0x0, #0x30005";
    for op in [
        "IADD.v2u16 r2, r1, r1",
        "FADD.v2f16 r2, r1, 0x0",
        "FMA.v2f16 r2, r1, r1, r1",
        "CSEL.v2u16.lt r2, r1, r1, r1, r1",
        "LSHIFT_OR.v2i16 r2, r1, 0x0.b00, 0x0",
        "MKVEC.v2i16 r2, r1.h00, r1.h11",
        "IADD_IMM.v2i16 r2, ^r1, #0x20002",
        "V2U16_TO_V2F16 r2, r1",
    ] {
        let text = format!("{half}\n{op}");
        assert!(read(&text, "r2.h0").is_ok(), "{op}");
        expect_trap(read(&text, "r2.h1"), TrapKind::UndefinedRead, "byte 2 of r2");
        expect_trap(read(&text, "r2"), TrapKind::UndefinedRead, "byte 2 of r2");
    }
    // Swizzles move it, and an operation on one lane of 32 bits uses all of it.
    let text = format!("{half}\nIADD.v2u16 r2, r1.h10, 0x0");
    assert!(read(&text, "r2.h1").is_ok());
    expect_trap(read(&text, "r2.h0"), TrapKind::UndefinedRead, "byte 0 of r2");
    let text = format!("{half}\nV2F32_TO_V2F16 r2, r57, r1");
    expect_trap(read(&text, "r2.h1"), TrapKind::UndefinedRead, "byte 2 of r2");
    assert!(read(&text, "r2.h0").is_ok());
    expect_trap(read(half, "r1"), TrapKind::UndefinedRead, "byte 2 of r1");
}

/// The additional words of drivers, and things that hardware lets code do that ours does not: under hardware's rules alone.
#[test]
fn rules_of_hardware_alone() {
    let play = |text: &str, rules| {
        let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[7; 5]).with_u32(0, 1, &[0; 16]);
        Program::new(text).run_with(&mut d, &RunOptions { rules, ..RunOptions::default() })?;
        Ok(d.words(0, 1).unwrap())
    };
    // Table 62 holds the descriptors of table 1: word 1 of the first is the size of binding 0, words 2 and 3 of the second the address of
    // binding 1; there is no third.
    let text = "
        IADD_IMM.i32 r0, 0x0, #0x3E000001
        LD_BUFFER.i32.unsigned.slot0 @r2, 0x4, r0
        IADD_IMM.i32 r1, 0x0, #0x28
        LD_BUFFER.i64.unsigned.slot0 @r4:r5, r1, r0
        IADD_IMM.i32 r1, 0x0, #0x40
        LD_BUFFER.i32.unsigned.slot0.wait0 @r3, r1, r0
        ICMP_OR.u32.eq.i1 r3, r3, 0x0, 0x0
        IADD.u32 r2, r2, r3
        STORE.i32.slot0.end @r2, r4, offset:4
    "
    .replace(" 0x4, r0", " r8, r0")
    .replacen("IADD_IMM", "IADD_IMM.i32 r8, 0x0, #0x4\nIADD_IMM", 1);
    assert_eq!(play(&text, Rules::Hardware).unwrap()[..3], [0, 21, 0]);
    assert_eq!(play(&text, Rules::Conventions).unwrap()[..3], [0, 21, 0]);
    let missing = play(&text.replace("0x3E000001", "0x3E000002"), Rules::Hardware);
    expect_trap(missing, TrapKind::OutOfBounds, "there is no table 2");

    // Lanes that pass a join without the mark continue apart: each part sees only itself.
    let apart = "
        IADD_IMM.i32 r7, 0x0, #0x1
        LSHIFT_AND.i32 r4, r60, 0x0.b00, r7
        SHADDX.u64 r0, u4, r60.w0, shift:0x2
        BRANCHZ.reconverge ^r4, offset:join
        IADD_IMM.i32 r5, 0x0, #0x1
        join: WMASK r6, 0xFFFFFFFF
        STORE.i32.slot0.end @r6, ^r0, offset:0
    ";
    let halves: Vec<u32> = (0..16).map(|i| if i % 2 == 1 { 0xAAAA } else { 0x5555 }).collect();
    assert_eq!(play(apart, Rules::Hardware).unwrap(), halves);
    expect_trap(play(apart, Rules::Conventions), TrapKind::Divergence, "reconverge");

    // Lanes leave a loop one after the other and come to the barrier behind it so; each adds itself to a word, and behind the barrier all see all.
    let barrier = "
        IADD_IMM.i32 r7, 0x0, #0x1
        IADD_IMM.i32 r4, 0x0, #0x0
        head: ICMP_OR.u32.eq.m1 r5, r4, r60, 0x0
        BRANCHZ.eq.reconverge ^r5.h0, offset:more
        BRANCHZ.eq 0x0, offset:out
        more: IADD.u32 r4, r4, r7
        BRANCHZ.eq.reconverge 0x0, offset:head
        out: ATOM.i32.slot0.aadd.wait0 @r7, u0, offset:0x0
        BARRIER.slot7.wait
        LOAD.i32.unsigned.slot0.wait0 @r6, u0, offset:0
        SHADDX.u64 r0, u4, r60.w0, shift:0x2
        STORE.i32.slot0.end @r6, ^r0, offset:0
    ";
    assert_eq!(play(barrier, Rules::Hardware).unwrap(), [23; 16]);
    expect_trap(play(barrier, Rules::Conventions), TrapKind::Barrier, "together");
}

#[test]
fn preloads_are_only_what_the_container_names() {
    let mut p = Program::new("IADD.u32 r0, r57, 0x0\nNOP.end");
    p.words(&[0], 1);
    p.entry().preloads.retain(|p| p.source != Source::WorkgroupId(0));
    expect_trap(p.try_words(&[0], 1), TrapKind::UndefinedRead, "r57");
    p.entry().preloads.push(Preload { file: 0, lane: 0, index: 3, source: Source::WorkgroupId(0) });
    assert_eq!(p.try_words(&[0], 1).unwrap_err().kind, TrapKind::Container);
}

#[test]
fn ids_follow_the_convention() {
    // Word at linear global index: local id packed | workgroup id y << 24, global x in the next buffer word.
    let text = "
        U16_TO_U32 r0, r55.h00
        U16_TO_U32 r1, r55.h10
        IADD.u32 r2, r56.h0, 0x0
        IMUL.i32 r3, r2, 0x3020100.b3
        IADD.u32 r3, r3, r1
        IMUL.i32 r3, r3, 0x7060504.b1
        IADD.u32 r3, r3, r0
        IMUL.i32 r4, r58, 0x3020100.b2
        IADD.u32 r4, r4, r57
        IADD_IMM.i32 r6, 0x0, #0x1E
        IMUL.i32 r4, r4, r6
        IADD.u32 r4, r4, r3
        LSHIFT_OR.i32 r5, r61, 0x7060504.b00, r60
        LSHIFT_OR.i32 r5, r5, 0x7060504.b00, r62
        SHADDX.u64 r8, u4, r4.w0, shift:0x2
        STORE.i32.slot0.end @r5, r8, offset:0
    ";
    let p = Program::new(text).workgroup([5, 3, 2]);
    let mut d = Dispatch::new([2, 2, 1]).with_u32(0, 0, &[0]).with_u32(0, 1, &[0; 120]);
    p.run_with(&mut d, &RunOptions::default()).unwrap_or_else(|t| panic!("{t}"));
    let words = d.words(0, 1).unwrap();
    for group in 0..4u32 {
        for linear in 0..30u32 {
            let (x, y, z) = (linear % 5, linear / 5 % 3, linear / 15);
            let (gx, gy) = (group % 2 * 5 + x, group / 2 * 3 + y);
            assert_eq!(
                words[(group * 30 + linear) as usize],
                ((gy << 4 | gx) << 4) | z,
                "group {group} linear {linear}"
            );
        }
    }
}

#[test]
fn divergent_if_else_of_section_24() {
    // The skeleton of section 24 around a condition by lane parity.
    let text = "
        LSHIFT_AND.i32 r4, r60, 0x0.b00, 0x3020100
        LSHIFT_AND.i32 r4, r60, 0x0.b00, r7
        ICMP_OR.u32.ne.m1 r4, r4, 0x0, 0x0
        SHADDX.u64 r0, u4, r60.w0, shift:0x2
        BRANCHZ.eq.reconverge ^r4.h0, offset:else
        IADD_IMM.i32 r5, 0x0, #0x1
        BRANCHZ.eq.reconverge 0x0, offset:join
        else: IADD_IMM.i32.reconverge r5, 0x0, #0x2
        join: WMASK r6, 0xFFFFFFFF
        LSHIFT_OR.i32 r5, ^r6, 0xB0A0908.b00, ^r5
        STORE.i32.slot0.end @r5, ^r0, offset:0
    "
    .replacen("        LSHIFT_AND.i32 r4, r60, 0x0.b00, 0x3020100\n", "        IADD_IMM.i32 r7, 0x0, #0x1\n", 1);
    let odd_even: Vec<u32> = (0..16).map(|i| if i % 2 == 1 { 1 } else { 2 }).collect();
    // After the join all lanes are together again: the mask in bits 8 and up is full.
    let expected: Vec<u32> = odd_even.iter().map(|v| 0xFFFF << 8 | v).collect();
    assert_eq!(Program::new(&text).words(&[0], 16), expected);
    // A divergent branch without the mark is refused.
    let bad = text.replacen("BRANCHZ.eq.reconverge ^r4.h0", "BRANCHZ.eq ^r4.h0", 1);
    expect_trap(Program::new(&bad).try_words(&[0], 16), TrapKind::Divergence, "reconverge");
    // So is a block that ends at a join without it, whether it falls through or jumps.
    let fall = text.replacen("IADD_IMM.i32.reconverge r5, 0x0, #0x2", "IADD_IMM.i32 r5, 0x0, #0x2", 1);
    let t = expect_trap(Program::new(&fall).try_words(&[0], 16), TrapKind::Divergence, "reconverge");
    assert!(t.instruction.unwrap().starts_with("IADD_IMM.i32 r5"));
    let jump = text.replacen("BRANCHZ.eq.reconverge 0x0, offset:join", "BRANCHZ.eq 0x0, offset:join", 1);
    let t = expect_trap(Program::new(&jump).try_words(&[0], 16), TrapKind::Divergence, "reconverge");
    assert!(t.instruction.unwrap().starts_with("BRANCHZ.eq 0x0"));
    // Not where all lanes go the same way: then nobody is left to wait for.
    for branch in ["BRANCHZ.eq.reconverge r57", "BRANCHZ.reconverge r57"] {
        Program::new(&fall.replacen("BRANCHZ.eq.reconverge ^r4.h0", branch, 1)).words(&[0], 16);
    }
}

/// The record of messages under way: nothing completes by itself, however many others follow (section 9.1).
#[test]
fn messages_stay_under_way_until_the_wait() {
    // A load on slot 0, many stores elsewhere on slot 1, then a use of what was loaded.
    let program = |others: usize, flow: &str, after: &str| {
        let stores = "STORE.i32.slot1 @r60, r4, offset:0\nIADD.u32 r4, r4, r6\n".repeat(others);
        format!(
            "SHADDX.u64 r4, u4, r60.w0, shift:0x2\nIADD_IMM.i32 r6, 0x0, #0x40\n\
             LOAD.i32.unsigned.slot0 @r2, u0, offset:0\n{stores}NOP{flow}\n{after}\nNOP.end"
        )
    };
    for others in [1, 31, 32, 33, 100] {
        let out = 16 * others;
        let used = "IADD.u32 r3, r2, r2";
        Program::new(&program(others, ".wait01", used)).words(&[7], out);
        Program::new(&program(others, ".wait0", used)).words(&[7], out);
        for flow in ["", ".wait1", ".wait2"] {
            let p = Program::new(&program(others, flow, used));
            expect_trap(p.try_words(&[7], out), TrapKind::Poison, "slot 0");
            let p = Program::new(&program(others, flow, "IADD_IMM.i32 r2, 0x0, #0x1"));
            expect_trap(p.try_words(&[7], out), TrapKind::Hazard, "r2 is overwritten");
            // The oldest load is in the way of a store to its word.
            let p = Program::new(&program(others, flow, "STORE.i32.slot2 @r60, u0, offset:0"));
            expect_trap(p.try_words(&[7], out), TrapKind::Hazard, "slot 0");
        }
        // And the oldest store in that of a load; two loads go together.
        let first = "LOAD.i32.unsigned.slot2.wait2 @r8, r10, offset:0";
        let with_base = |flow: &str| {
            program(others, flow, first).replacen("IADD_IMM", "SHADDX.u64 r10, u4, r60.w0, shift:0x2\nIADD_IMM", 1)
        };
        expect_trap(Program::new(&with_base(".wait0")).try_words(&[7], out), TrapKind::Hazard, "slot 1");
        Program::new(&with_base(".wait1")).words(&[7], out);
        Program::new(&program(others, ".wait1", "LOAD.i32.unsigned.slot2.wait2 @r8, u0, offset:0")).words(&[7], out);
    }
    // At a barrier all of them show.
    let barrier = program(40, "", "BARRIER.slot7.wait").replace("slot1", "slot2");
    expect_trap(Program::new(&barrier).try_words(&[7], 640), TrapKind::Hazard, "slot 0, 2");
}

/// A register may be overwritten while a message still reads it, but not be marked as used for the last time (sections 9.1, 9.3).
#[test]
fn last_use_of_a_register_that_a_message_still_reads() {
    let program = |flow: &str, after: &str| {
        format!(
            "SHADDX.u64 r4, u4, r60.w0, shift:0x2\nIADD_IMM.i32 r2, 0x0, #0x7\nIADD_IMM.i32 r3, 0x0, #0x8\n\
             STORE.i32.slot1{flow} @r2, r4, offset:0\n{after}\nNOP.end"
        )
    };
    let overwritten = Program::new(&program("", "IADD_IMM.i32 r2, 0x0, #0x9")).words(&[0], 16);
    assert_eq!(overwritten, [7; 16]);
    let marked = "IADD.u32 r6, ^r2, r3";
    let t = expect_trap(Program::new(&program("", marked)).try_words(&[0], 16), TrapKind::Hazard, "last use of r2");
    assert!(t.instruction.unwrap().contains("^r2"));
    for flow in [".wait0", ".wait2"] {
        expect_trap(Program::new(&program(flow, marked)).try_words(&[0], 16), TrapKind::Hazard, "slot 1");
    }
    for flow in [".wait1", ".wait01", ".wait"] {
        assert_eq!(Program::new(&program(flow, marked)).words(&[0], 16), [7; 16]);
    }
    // Addresses are read at once; so is everything else that is no staging register.
    Program::new(&program("", "IADD.u32 r6, ^r4, ^r3")).words(&[0], 16);
    // A branch marks too, and so does the message itself.
    expect_trap(
        Program::new(&program("", "BRANCHZ.reconverge ^r2, offset:0")).try_words(&[0], 16),
        TrapKind::Hazard,
        "last use of r2",
    );
    let own = program("", "").replace("@r2, r4,", "@r4, ^r4,");
    expect_trap(Program::new(&own).try_words(&[0], 16), TrapKind::Hazard, "last use of r4");
    // The operand of an atomic is staged as well.
    let atomic = "SHADDX.u64 r4, u4, r60.w0, shift:0x2\nIADD_IMM.i32 r2, 0x0, #0x7\n\
                  ATOM_RETURN.i32.slot0.aadd @r8, @r2, ^r4, offset:0x0\nIADD.u32 r6, ^r2, r2\nNOP.end";
    expect_trap(Program::new(atomic).try_words(&[0], 16), TrapKind::Hazard, "last use of r2");
}

#[test]
fn divergent_loop_runs_each_lane_as_often_as_it_asks() {
    // Collatz steps of global id + 1.
    let text = "
        IADD_IMM.i32 r0, r60, #0x1
        IADD_IMM.i32 r1, 0x0, #0x0
        IADD_IMM.i32 r7, 0x0, #0x1
        head: ICMP_OR.u32.eq.m1 r2, r0, r7, 0x0
        BRANCHZ.reconverge ^r2.h0, offset:done
        LSHIFT_AND.i32 r3, r0, 0x0.b00, r7
        BRANCHZ.reconverge ^r3, offset:odd
        RSHIFT_OR.i32 r0, r0, 0x3020100.b11, 0x0
        BRANCHZ.eq.reconverge 0x0, offset:next
        odd: IADD.u32 r4, r0, r0
        IADD.u32 r0, ^r4, r0
        IADD.u32.reconverge r0, r0, r7
        next: IADD.u32 r1, r1, r7
        BRANCHZ.eq.reconverge 0x0, offset:head
        done: SHADDX.u64 r8, u4, r60.w0, shift:0x2
        STORE.i32.slot0.end @r1, ^r8, offset:0
    ";
    let steps = |mut n: u32| {
        let mut s = 0;
        while n != 1 {
            n = if n.is_multiple_of(2) { n / 2 } else { 3 * n + 1 };
            s += 1;
        }
        s
    };
    let p = Program::new(text).workgroup([40, 1, 1]);
    let expected: Vec<u32> = (1..=40).map(steps).collect();
    assert_eq!(p.words(&[0], 40), expected);
    for seed in 0..20 {
        assert_eq!(p.try_perturbed(&[0], 40, Some(seed)).unwrap(), expected);
    }
}

#[test]
fn endings() {
    expect_trap(Program::new("NOP").try_words(&[0], 1), TrapKind::FellOffEnd, "did not end");
    expect_trap(Program::from_code(vec![0; 8]).try_words(&[0], 1), TrapKind::Undecodable, "0x0000000000000000");
    expect_trap(
        Program::new("NOP\nBRANCHZ.eq 0x0, offset:100\nNOP.end").try_words(&[0], 1),
        TrapKind::FellOffEnd,
        "outside",
    );
    expect_trap(Program::new("BRANCHZ.eq 0x0, offset:-2\nNOP.end").try_words(&[0], 1), TrapKind::FellOffEnd, "outside");
    let forever = Program::new("BRANCHZ.eq 0x0, offset:-1\nNOP.end");
    expect_trap(forever.try_words(&[0], 1), TrapKind::StepLimit, "still running");
    // A reserved bit, and a rule of use.
    let mut code = gpucc_valhall_machine::assemble("NOP.end", 1, 8, false).unwrap();
    code[7] |= 0x80;
    expect_trap(Program::from_code(code).try_words(&[0], 1), TrapKind::Reserved, "reserved bits");
    expect_trap(
        Program::new("IADD.u64 r0, r57, r60\nNOP.end").try_words(&[0], 1),
        TrapKind::Reserved,
        "pairs start at even",
    );
    // Lanes end apart.
    let apart = "
        IADD_IMM.i32 r7, 0x0, #0x1
        LSHIFT_AND.i32 r4, r60, 0x0.b00, r7
        BRANCHZ.reconverge ^r4, offset:odd
        NOP.end
        odd: SHADDX.u64 r0, u4, r60.w0, shift:0x2
        STORE.i32.slot0.end @r60, ^r0, offset:0
    ";
    let words = Program::new(apart).words(&[0], 16);
    assert!((0..16).all(|i| words[i] == if i % 2 == 1 { i as u32 } else { 0xDEAD_BEEF }));
}

#[test]
fn small_register_file_has_a_gap() {
    Program::new("IADD_IMM.i32 r15, 0x0, #0x1\nIADD_IMM.i32 r48, r15, #0x1\nNOP.end").small().words(&[0], 1);
    for text in [
        "IADD_IMM.i32 r16, 0x0, #0x1\nNOP.end",
        "MOV.i32 r0, r47\nNOP.end",
        "LOAD.i128.unsigned.slot0 @r14:r15:r16:r17, u0, offset:0\nNOP.end",
    ] {
        expect_trap(Program::new(text).small().try_words(&[0; 4], 1), TrapKind::BadRegister, "does not exist");
    }
    let mut p = Program::new("NOP.end");
    p.entry().meta.registers = vec![(0, 48)];
    assert_eq!(p.try_words(&[0], 1).unwrap_err().kind, TrapKind::Container);
}

#[test]
fn addresses_are_checked() {
    for (text, kind) in [
        ("LOAD.i32.unsigned.slot0 @r2, u0, offset:4", TrapKind::OutOfBounds),
        ("LOAD.i32.unsigned.slot0 @r2, u0, offset:-4", TrapKind::OutOfBounds),
        ("LOAD.i32.unsigned.slot0 @r2, u0, offset:2", TrapKind::Misaligned),
        ("LOAD.i16.unsigned.slot0 @r2, u0, offset:1", TrapKind::Misaligned),
        ("STORE.i32.slot0 @r60, u4, offset:64", TrapKind::OutOfBounds),
        ("LOAD.i32.unsigned.slot0 @r2, 0x0, offset:0", TrapKind::OutOfBounds),
        ("ATOM1_RETURN.i64.slot0.ainc @, u4, offset:0x4", TrapKind::Misaligned),
        ("LOAD.i32.unsigned.slot0 @r2, thread_local_pointer.w0, offset:0", TrapKind::OutOfBounds),
        ("LOAD.i32.unsigned.slot0 @r2, workgroup_local_pointer.w0, offset:0", TrapKind::OutOfBounds),
    ] {
        expect_trap(Program::new(&format!("{text}\nNOP.end")).try_words(&[1], 16), kind, "");
    }
    // A binding that is only read cannot be written.
    let mut p = Program::new("STORE.i32.slot0.end @r60, u4, offset:0");
    p.entry().resources[1].access = Access::Read;
    expect_trap(p.try_words(&[1], 16), TrapKind::ReadOnly, "read-only");
}

#[test]
fn buffers_by_handle() {
    // Binding 0:0 has handle 0x1000000 (LUT entry 4); beyond its end it reads zero.
    let text = "
        LSHIFT_OR.i32 r0, r60, 0x3020100.b22, 0x0
        LD_BUFFER.i32.unsigned.slot0.wait0 @r2, ^r0, 0x1000000
        IADD_IMM.i32 r1, 0x0, #0x1000001
        LSHIFT_OR.i32 r0, r60, 0x3020100.b22, 0x0
        LEA_BUFFER.slot1.wait1 @r4:r5, ^r0, ^r1
        STORE.i32.slot2.end @r2, ^r4, offset:0
    ";
    let mut expected = vec![0; 16];
    expected[..5].copy_from_slice(&[10, 11, 12, 13, 14]);
    assert_eq!(Program::new(text).words(&[10, 11, 12, 13, 14], 16), expected);
    // A store behind an address that LEA_BUFFER refused.
    let t = Program::new(text).try_words(&[1; 16], 8);
    expect_trap(t, TrapKind::OutOfBounds, "");
    let bad = "LD_BUFFER.i32.unsigned.slot0 @r2, 0x0, 0x0\nNOP.end";
    expect_trap(Program::new(bad).try_words(&[1], 1), TrapKind::OutOfBounds, "there is no table");
    // Order against stores holds for both ways alike.
    let race = "
        STORE.i32.slot0 @r60, u0, offset:0
        LD_BUFFER.i32.unsigned.slot1 @r2, 0x0, 0x1000000
        NOP.end
    ";
    expect_trap(Program::new(race).try_words(&[1], 1), TrapKind::Hazard, "under way");
}

#[test]
fn sub_word_loads_and_stores() {
    // Each case: the load, what is done with r2, the expected word, from the input word 0x80FF7F91.
    let input = [0x80FF_7F91, 0xA1B2_C3D4, 0x1122_3344, 0x5566_7788];
    for (load, then, expected) in [
        ("LOAD.i8.w0.unsigned.slot0.wait0 @r2, u0, offset:0", "MOV.i32 r3, r2", 0x91),
        ("LOAD.i8.w0.slot0.wait0 @r2, u0, offset:0", "MOV.i32 r3, r2", 0xFFFF_FF91),
        ("LOAD.i8.unsigned.slot0.wait0 @r2, u0, offset:1", "U8_TO_U32 r3, r2.b0", 0x7F),
        ("LOAD.i8.b2.unsigned.slot0.wait0 @r2, u0, offset:3", "S8_TO_S32 r3, r2.b2", 0xFFFF_FF80),
        ("LOAD.i8.h0.slot0.wait0 @r2, u0, offset:3", "IADD.s32 r3, r2.h0, 0x0", 0xFFFF_FF80),
        ("LOAD.i8.h1.unsigned.slot0.wait0 @r2, u0, offset:3", "IADD.u32 r3, r2.h1, 0x0", 0x80),
        ("LOAD.i8.d0.slot0.wait0 @r2:r3, u0, offset:0", "NOP", 0xFFFF_FFFF),
        ("LOAD.i16.w0.unsigned.slot0.wait0 @r2, u0, offset:2", "MOV.i32 r3, r2", 0x80FF),
        ("LOAD.i16.w0.slot0.wait0 @r2, u0, offset:2", "MOV.i32 r3, r2", 0xFFFF_80FF),
        ("LOAD.i16.unsigned.slot0.wait0 @r2, u0, offset:2", "U16_TO_U32 r3, r2.h00", 0x80FF),
        ("LOAD.i16.h1.unsigned.slot0.wait0 @r2, u0, offset:0", "U16_TO_U32 r3, r2.h11", 0x7F91),
        ("LOAD.i16.d0.unsigned.slot0.wait0 @r2:r3, u0, offset:2", "NOP", 0),
        ("LOAD.i24.unsigned.slot0.wait0 @r2, u0, offset:0", "U8_TO_U32 r3, r2.b2", 0xFF),
        ("LOAD.i32.d0.slot0.wait0 @r2:r3, u0, offset:0", "NOP", 0xFFFF_FFFF),
        ("LOAD.i32.unsigned.slot0.wait0 @r3, u0, offset:4", "NOP", 0xA1B2_C3D4),
        ("LOAD.i48.unsigned.slot0.wait0 @r2:r3, u0, offset:2", "U16_TO_U32 r3, r3.h00", 0xA1B2),
        ("LOAD.i64.unsigned.slot0.wait0 @r2:r3, u0, offset:0", "NOP", 0xA1B2_C3D4),
        ("LOAD.i96.unsigned.slot0.wait0 @r4:r5:r6, u0, offset:0", "MOV.i32 r3, r6", 0x1122_3344),
        ("LOAD.i128.unsigned.slot0.wait0 @r4:r5:r6:r7, u0, offset:0", "MOV.i32 r3, r7", 0x5566_7788),
    ] {
        let text = format!("{load}\n{then}\nSTORE.i32.slot1.end @r3, u4, offset:0");
        assert_eq!(Program::new(&text).workgroup([1, 1, 1]).words(&input, 1), [expected], "{load}; {then}");
        let text = text.replace("LOAD", "LD_BUFFER").replace("u0, offset:", "r9, 0x1000000 ;");
        let offset: u32 = load.rsplit(':').next().unwrap().parse().unwrap();
        let text = format!("IADD_IMM.i32 r9, 0x0, #{offset}\n{text}");
        assert_eq!(Program::new(&text).workgroup([1, 1, 1]).words(&input, 1), [expected], "{text}");
    }
    // Bits that a sub-word load leaves alone are undefined afterwards.
    let t = "LOAD.i8.unsigned.slot0.wait0 @r2, u0, offset:0\nIADD.u32 r3, r2, 0x0\nNOP.end";
    expect_trap(Program::new(t).try_words(&[1], 1), TrapKind::UndefinedRead, "byte 1 of r2");
    // Stores: bytes outside stay.
    for (store, expected) in [
        ("STORE.i8.slot0.end @r4, u4, offset:1", [0xDEAD_D4EF, 0xDEAD_BEEF, 0xDEAD_BEEF, 0xDEAD_BEEF]),
        ("STORE.i16.slot0.end @r4, u4, offset:2", [0xC3D4_BEEF, 0xDEAD_BEEF, 0xDEAD_BEEF, 0xDEAD_BEEF]),
        ("STORE.i24.slot0.end @r4, u4, offset:1", [0xB2C3_D4EF, 0xDEAD_BEEF, 0xDEAD_BEEF, 0xDEAD_BEEF]),
        ("STORE.i32.slot0.end @r4, u4, offset:4", [0xDEAD_BEEF, 0xA1B2_C3D4, 0xDEAD_BEEF, 0xDEAD_BEEF]),
        ("STORE.i48.slot0.end @r4:r5, u4, offset:0", [0xA1B2_C3D4, 0xDEAD_3344, 0xDEAD_BEEF, 0xDEAD_BEEF]),
        ("STORE.i64.slot0.end @r4:r5, u4, offset:0", [0xA1B2_C3D4, 0x1122_3344, 0xDEAD_BEEF, 0xDEAD_BEEF]),
        ("STORE.i96.slot0.end @r4:r5:r6, u4, offset:4", [0xDEAD_BEEF, 0xA1B2_C3D4, 0x1122_3344, 0x5566_7788]),
        ("STORE.i128.slot0.end @r4:r5:r6:r7, u4, offset:0", [0xA1B2_C3D4, 0x1122_3344, 0x5566_7788, 0x0000_0001]),
    ] {
        let text =
            format!("LOAD.i96.unsigned.slot1.wait1 @r4:r5:r6, u0, offset:4\nIADD_IMM.i32 r7, 0x0, #0x1\n{store}");
        assert_eq!(Program::new(&text).workgroup([1, 1, 1]).words(&input, 4), expected, "{store}");
    }
}

#[test]
fn workgroup_memory_and_barriers() {
    // Reverse 48 words through workgroup memory; three warps meet at the barrier.
    let text = "
        LSHIFT_OR.i32 r0, r60, 0x3020100.b22, 0x0
        IADD.u64 r2, workgroup_local_pointer.w0, r0.w0
        IMUL.i32 r1, r60, r60
        STORE.i32.slot0.wait0 @r1, r2, offset:0
        BARRIER.slot7.wait
        IADD_IMM.i32 r4, 0x0, #0xBC
        ISUB.u32 r4, r4, r0
        IADD.u64 r6, workgroup_local_pointer.w0, r4.w0
        LOAD.i32.unsigned.slot1.wait1 @r5, r6, offset:0
        SHADDX.u64 r8, u4, r60.w0, shift:0x2
        STORE.i32.slot2.end @r5, r8, offset:0
    ";
    let expected: Vec<u32> = (0..48).map(|i| (47 - i) * (47 - i)).collect();
    let p = Program::new(text).workgroup([48, 1, 1]).shared(192);
    assert_eq!(p.words(&[0], 48), expected);
    for seed in 0..20 {
        assert_eq!(p.try_perturbed(&[0], 48, Some(seed)).unwrap(), expected);
    }
    // Without the barrier a byte is read that nobody wrote yet; without the wait before it the barrier refuses.
    let none = Program::new(&text.replace("BARRIER.slot7.wait", "NOP")).workgroup([48, 1, 1]).shared(192);
    expect_trap(none.try_words(&[0], 48), TrapKind::UndefinedRead, "never written");
    let early = Program::new(&text.replace("slot0.wait0", "slot0")).workgroup([48, 1, 1]).shared(192);
    expect_trap(early.try_words(&[0], 48), TrapKind::Hazard, "barrier");
    // Beyond the claimed size.
    let small = Program::new(text).workgroup([48, 1, 1]).shared(188);
    expect_trap(small.try_words(&[0], 48), TrapKind::OutOfBounds, "");
    // Only some lanes, or only some warps.
    let some = "BRANCHZ.reconverge r60, offset:1\nNOP.end\nBARRIER.slot7.wait\nNOP.end";
    expect_trap(Program::new(some).try_words(&[0], 1), TrapKind::Barrier, "not all lanes");
    let warps = "RSHIFT_OR.i32 r0, r60, 0x7060504.b00, 0x0\nBRANCHZ.reconverge r0, offset:1\nNOP.end\nBARRIER.slot7.wait\nNOP.end";
    let t = Program::new(warps).workgroup([32, 1, 1]).try_words(&[0], 1).unwrap_err();
    assert_eq!(t.kind, TrapKind::Barrier, "{t}");
}

#[test]
fn private_memory() {
    let text = "
        STORE.i64.force.slot0.wait0 @r60:r61, thread_local_pointer.w0, offset:8
        MOV.i32 r2, thread_local_pointer.w0
        MOV.i32 r3, thread_local_pointer.w1
        IADD.u32 r2, r2, 0x7060504.b0
        LOAD.i32.unsigned.slot1.wait1 @r5, r2, offset:4
        SHADDX.u64 r8, u4, r60.w0, shift:0x2
        STORE.i32.slot2.end @r5, r8, offset:0
    ";
    let expected: Vec<u32> = (0..32).collect();
    assert_eq!(Program::new(text).workgroup([32, 1, 1]).scratch(16).words(&[0], 32), expected);
    let straddle = "STORE.i64.force.slot0 @r60:r61, thread_local_pointer.w0, offset:12\nNOP.end";
    expect_trap(Program::new(straddle).scratch(32).try_words(&[0], 1), TrapKind::Misaligned, "straddles");
    let other = "STORE.i32.force.slot0 @r60, thread_local_pointer.w0, offset:32\nNOP.end";
    expect_trap(Program::new(other).scratch(32).try_words(&[0], 1), TrapKind::OutOfBounds, "another invocation");
    let unwritten = "LOAD.i32.unsigned.slot0 @r1, thread_local_pointer.w0, offset:0\nNOP.end";
    expect_trap(Program::new(unwritten).scratch(32).try_words(&[0], 1), TrapKind::UndefinedRead, "never written");
}

#[test]
fn warps_that_wait_for_each_other_make_progress() {
    // Warp 0 spins until warp 1 has set the flag.
    let text = "
        RSHIFT_OR.i32 r0, r60, 0x7060504.b00, 0x0
        IADD_IMM.i32 r1, 0x0, #0x1
        BRANCHZ.reconverge ^r0, offset:set
        spin: LOAD.i32.unsigned.slot0.wait0 @r2, u0, offset:0
        BRANCHZ.eq r2, offset:spin
        STORE.i32.slot0.end @r1, u4, offset:0
        set: STORE.i32.slot0.end @r1, u0, offset:0
    ";
    let p = Program::new(text).workgroup([32, 1, 1]);
    assert_eq!(p.words(&[0], 1), [1]);
    assert_eq!(p.try_perturbed(&[0], 1, Some(5)).unwrap(), [1]);
}

#[test]
fn indirect_branch() {
    let text = "
        IADD_IMM.i32 r0, program_counter.w0, #0x10
        BRANCHZI.eq.absolute 0x0, r0
        NOP.end
        IADD_IMM.i32 r1, 0x0, #0x7
        STORE.i32.slot0.end @r1, u4, offset:0
    "
    .replace("IADD_IMM.i32 r0, program_counter.w0", "MOV.i32 r0, program_counter.w0\nIADD_IMM.i32 r0, r0")
    .replace("#0x10", "#0x18");
    assert_eq!(Program::new(&text).words(&[0], 1), [7]);
    let bad = "BRANCHZI.eq.absolute 0x0, r60\nNOP.end";
    expect_trap(Program::new(bad).try_words(&[0], 1), TrapKind::FellOffEnd, "outside");
    let relative = "BRANCHZI.eq 0x0, r60\nNOP.end";
    expect_trap(Program::new(relative).try_words(&[0], 1), TrapKind::Unsupported, "relative");
}

#[test]
fn launch_errors_are_sentences() {
    let p = Program::new("NOP.end");
    let mut empty = Dispatch::new([1, 1, 1]);
    let t = p.run_with(&mut empty, &RunOptions::default()).unwrap_err();
    assert_eq!(t.kind, TrapKind::Dispatch);
    let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[1, 2]).with_u32(0, 1, &[3]);
    let other = Container { family: "gcn".into(), ..p.container.clone() };
    assert_eq!(run(&other, None, &mut d, &RunOptions::default()).unwrap_err().kind, TrapKind::Container);
    let t = run(&p.container, Some("nothing"), &mut d, &RunOptions::default()).unwrap_err();
    assert!(t.message.contains("available: main"), "{t}");
    // Buffers come back, whatever happens.
    assert_eq!(d.words(0, 0).unwrap(), [1, 2]);
    let mut q = p.clone();
    q.entry().preloads.push(crate::common::uniform(40, Source::BufferSize { group: 3, binding: 3 }));
    assert_eq!(run(&q.container, None, &mut d, &RunOptions::default()).unwrap_err().kind, TrapKind::Container);
    assert_eq!(d.words(0, 1).unwrap(), [3]);
    run(&p.container, None, &mut d, &RunOptions::default()).unwrap();
    assert_eq!(d.words(0, 0).unwrap(), [1, 2]);
    // A container from anywhere cannot make us panic, exhaust memory or lose a buffer.
    let bad: [fn(&mut gpucc_container::Entry); 9] = [
        |e| e.meta.scratch_bytes = u32::MAX,
        |e| e.meta.shared_bytes = u32::MAX,
        |e| e.meta.workgroup_size = [u32::MAX, u32::MAX, u32::MAX],
        |e| e.meta.workgroup_size = [0, 1, 1],
        |e| e.resources[0].slot = u32::MAX,
        |e| e.resources.push(e.resources[0].clone()),
        |e| e.code.clear(),
        |e| e.code.push(0),
        |e| e.preloads[8].index = 128,
    ];
    for (n, change) in bad.iter().enumerate() {
        let mut q = p.clone();
        change(q.entry());
        let t = run(&q.container, None, &mut d, &RunOptions::default()).unwrap_err();
        assert_eq!(t.kind, TrapKind::Container, "{n}: {t}");
        assert_eq!((d.words(0, 0).unwrap(), d.words(0, 1).unwrap()), (vec![1, 2], vec![3]), "{n}");
    }
}

#[test]
fn flush_mode_is_of_the_whole_program() {
    let text = "FADD.f32 r0, u9, 0x0.neg\nSTORE.i32.slot0.end @r0, u4, offset:0";
    let mut p = Program::new(text).constant(9, 0x0000_1234).workgroup([1, 1, 1]);
    assert_eq!(p.words(&[0], 1), [0x1234]);
    p.entry().meta.family_words = vec![2];
    assert_eq!(p.words(&[0], 1), [0]);
}

/// Prints how fast the machine is; `cargo test --release -- --nocapture speed` gives the figure for release builds.
#[test]
fn speed() {
    let text = "
        IADD_IMM.i32 r0, 0x0, #0x4E20
        IADD_IMM.i32 r1, r60, #0x0
        U32_TO_F32 r2, r60
        head: IMUL.i32 r1, r1, r60
        IADD.u32 r1, r1, r0
        FMA.f32 r2, r2, 0x3F000000.neg, r2
        RSHIFT_XOR.i32 r1, r1, 0x7060504.b11, r1
        CSEL.u32.lt r3, r1, r0, r1, r0
        FADD.f32 r2, r2, 0x3F800000
        IADD_IMM.i32 r0, r0, #0xFFFFFFFF
        BRANCHZ.reconverge r0, offset:head
        SHADDX.u64 r8, u4, r60.w0, shift:0x2
        STORE.i32.slot0.end @r1, ^r8, offset:0
    "
    .replace("0x3F000000.neg", "0x3DCCCCCD.neg");
    let p = Program::new(&text);
    let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[0]).with_u32(0, 1, &[0; 16]);
    let start = std::time::Instant::now();
    let report = p.run_with(&mut d, &RunOptions::default()).unwrap_or_else(|t| panic!("{t}"));
    let seconds = start.elapsed().as_secs_f64();
    assert_eq!(report.instructions, 3 + 8 * 20_000 + 2);
    assert_eq!(report.lane_instructions, 16 * report.instructions);
    println!("{:.0} million lane instructions per second", report.lane_instructions as f64 / seconds / 1e6);
}

/// Programs of random valid and damaged words end in a report or a trap, never in a panic.
#[test]
fn random_programs_never_panic() {
    let sample: Vec<u64> = include_str!("../vectors/sample.txt")
        .lines()
        .filter(|l| l.starts_with("0x"))
        .map(|l| u64::from_str_radix(&l[2..18], 16).unwrap())
        .collect();
    let mut rng = gpucc_sim::SplitMix64::new(99);
    let mut reached = 0;
    for round in 0..3000 {
        // All registers defined first, or nearly nothing would run.
        let mut text: String = (0..64).map(|r| format!("IADD_IMM.i32 r{r}, 0x0, #{}\n", rng.below(40))).collect();
        text.push_str("IADD.u64 r10, u0, 0x0\nIADD.u64 r20, u4, 0x0\n");
        let mut code = gpucc_valhall_machine::assemble(&text, 1, 8, false).unwrap();
        let first = code.len() as u64;
        for _ in 0..20 {
            let mut w = sample[rng.below(sample.len() as u64) as usize];
            if round % 2 == 1 {
                w ^= 1 << rng.below(64);
            }
            // Waits everywhere and rarely an end, so that runs get further.
            w = w & !(0xF << 59) | if rng.below(20) == 0 { rng.below(16) } else { 9 } << 59;
            code.extend(w.to_le_bytes());
        }
        let mut p = Program::from_code(code).shared(64).scratch(64);
        for n in 9..128 {
            p = p.constant(n, rng.next_u32() >> rng.below(32));
        }
        let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[1; 64]).with_u32(0, 1, &[2; 64]);
        match p.run_with(
            &mut d,
            &RunOptions { step_limit: 100_000, perturb: (round % 3 == 0).then_some(round), ..RunOptions::default() },
        ) {
            Ok(_) => reached += 20,
            Err(t) => reached += (t.pc.unwrap_or(0).saturating_sub(first)) / 8,
        }
        assert_eq!(d.words(0, 0).unwrap().len(), 64);
    }
    assert!(reached > 3000, "only {reached} random instructions were executed");
}
