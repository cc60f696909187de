//! Control flow, workgroups, and the rules whose violation traps.

use crate::common::{code, container, play, play_container, play_on};
use gpucc_container::{Preload, Resource, ResourceKind, Source};
use gpucc_sim::{Dispatch, Rules, RunOptions, TrapKind};
use gpucc_tesla_machine::run;

/// Byte address of the invocation's word in `$r1`.
const ADDRESS: &str = "and b32 $r1 $r0 0xffff\nshl b32 $r1 $r1 0x2\n";

/// A listing between that and its end.
fn whole(body: &str) -> String {
    format!("{ADDRESS}{body}\nexit nop\n")
}

fn trap_of(listing: &str, n: u32) -> (TrapKind, String) {
    let t = play(listing, n, &[&[0; 64]]).expect_err(listing);
    assert!(t.pc.is_some() || t.kind == TrapKind::Barrier, "{t}");
    (t.kind, t.to_string())
}

#[test]
fn kernel_of_the_reference() {
    // Section 14: i = global id; if g0[param0 + 4 i] > 0 { it *= 2.0 }.
    let words: [u32; 27] = [
        0xa0000005, 0x04000780, 0x1100a208, 0x41042c0c, 0x20000205, 0x0400c780, 0x30020205, 0xc4100780, 0x1100ea10,
        0x20018810, 0xd0000815, 0x80c00780, 0x307f0bfd, 0x6c0107c8, 0xa000a003, 0x00000000, 0x1000a003, 0x00000100,
        0xc0000a15, 0x04000003, 0xf0000001, 0xe0000782, 0xd0000815, 0xa0c00780, 0xf0000001, 0xe0000781, 0,
    ];
    let bytes: Vec<u8> = words[..26].iter().flat_map(|w| w.to_le_bytes()).collect();
    for g in ["nv50", "nv84", "nva0", "nva3"] {
        for seed in [None, Some(1), Some(2), Some(3)] {
            let mut c = container(g, bytes.clone(), [48, 1, 1], 1);
            c.entries[0].preloads.push(Preload { file: 0x81, lane: 0, index: 5, source: Source::Const(8) });
            let input: Vec<u32> =
                (0..98).map(|i| if i % 3 == 0 { (i as f32).to_bits() } else { (-(i as f32)).to_bits() }).collect();
            let (out, report) = play_container(&c, [2, 1, 1], &[&input], seed).unwrap();
            let want: Vec<u32> = input
                .iter()
                .enumerate()
                .map(|(i, &v)| if i >= 2 && v as i32 > 0 { (f32::from_bits(v) * 2.0).to_bits() } else { v })
                .collect();
            assert_eq!(out[0], want);
            assert_eq!(report.subgroups, 4);
        }
    }
}

#[test]
fn if_else_joins() {
    let listing = whole(
        "
    mov b32 $r3 0x1
    and b32 $c0 $r2 $r0 $r3
    joinat Lend
    (e $c0) bra Leven
    mov b32 $r4 0x64
    bra Lend
Leven:
    mov b32 $r4 0xc8
Lend:
    join nop
    and b32 $r5 $r0 0xffff
    add b32 $r4 $r4 $r5
    st b32 g0[$r1] $r4",
    );
    for seed in [None, Some(5), Some(6)] {
        let (out, _) = play_on("nva3", &listing, [40, 1, 1], [1, 1, 1], &[&[0; 40]], seed).unwrap();
        let want: Vec<u32> = (0..40).map(|i| i + if i % 2 == 0 { 200 } else { 100 }).collect();
        assert_eq!(out[0], want);
    }
}

/// Collatz steps of the lane number plus 1: a divergent loop left by break.
const COLLATZ: &str = "
    and b32 $r1 $r0 0xffff
    shl b32 $r1 $r1 0x2
    and b32 $r2 $r0 0xffff
    add b32 $r2 $r2 0x1
    mov b32 $r3 0x0
    mov b32 $r9 0x1
    breakaddr Lexit
Lhead:
    set $c0 # e u32 $r2 $r9
    (lg $c0) break
    and b32 $c1 $r4 $r2 $r9
    shr u32 $r5 $r2 0x1
    add b32 $r6 $r2 $r2
    add b32 $r6 $r6 $r2
    add b32 $r6 $r6 0x1
    (e $c1) mov b32 $r2 $r5
    (lg $c1) mov b32 $r2 $r6
    add b32 $r3 $r3 0x1
    bra Lhead
Lexit:
    st b32 g0[$r1] $r3
    exit nop
";

#[test]
fn divergent_loop() {
    // set writes S for true; `lg` (not zero) breaks.
    let want: Vec<u32> = (1..=64_u32)
        .map(|mut n| {
            let mut steps = 0;
            while n != 1 {
                n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
                steps += 1;
            }
            steps
        })
        .collect();
    for seed in [None, Some(1), Some(9)] {
        let (out, _) = play_on("nva3", COLLATZ, [64, 1, 1], [1, 1, 1], &[&[0; 64]], seed).unwrap();
        assert_eq!(out[0], want);
    }
}

#[test]
fn calls_and_preret() {
    let listing = format!(
        "{ADDRESS}
    mov b32 $r2 0x5
    call Lf
    call Lf
    preret Lback
    bra Lf
Lback:
    st b32 g0[$r1] $r2
    exit nop
Lf:
    add b32 $r2 $r2 $r2
    ret
    nop
"
    );
    assert_eq!(play(&listing, 3, &[&[0; 3]]).unwrap()[0], [40; 3]);
}

#[test]
fn branch_through_constants() {
    let mut c = container(
        "nva3",
        code(
            "nva3",
            &format!("{ADDRESS}mov b32 $r2 0x1\nbra c0[0x4]\nmov b32 $r2 0x2\nst b32 g0[$r1] $r2\nexit nop\n"),
        ),
        [2, 1, 1],
        1,
    );
    // Instructions are 8 bytes each here: 0 and, 8 shl, 16 mov, 24 bra, 32 mov, 40 st.
    c.entries[0].preloads.push(Preload { file: 0x80, lane: 0, index: 1, source: Source::Const(40) });
    assert_eq!(play_container(&c, [1, 1, 1], &[&[9, 9]], None).unwrap().0[0], [1, 1]);
    c.entries[0].preloads[1].source = Source::Const(44);
    assert_eq!(play_container(&c, [1, 1, 1], &[&[9, 9]], None).unwrap_err().kind, TrapKind::OutOfBounds);
}

#[test]
fn quads_and_votes() {
    // quadon wakes all lanes of a quad; lane 0 alone would see nothing of the others otherwise.
    let listing = whole(
        "
    mov b32 $r3 0x3
    and b32 $c0 $r2 $r0 $r3
    cvt rn f32 $r4 u32 $r2
    mov b32 $r6 0x0
    joinat Lend
    (lg $c0) bra Lend
    quadon
    quadop f32 add add add add $r6 l2 $r4 $r4
    quadpop
Lend:
    join nop
    (e $c0) vote any $c1
    (e $c0) vote all $c2
    mov $r7 $c1
    mov $r8 $c2
    st b32 g0[$r1] $r6
    add b32 $r1 $r1 0x20
    st b32 g0[$r1] $r7
    add b32 $r1 $r1 0x20
    st b32 g0[$r1] $r8",
    );
    let out = play(&listing, 8, &[&[0; 24]]).unwrap();
    // 2.0 of lane 2 plus the own 0..3.
    let want: Vec<u32> = (0..8).map(|l| (2.0 + (l % 4) as f32).to_bits()).collect();
    assert_eq!(out[0][..8], want);
    assert_eq!(out[0][8..16], [2; 8]); // some lane is 0: S
    assert_eq!(out[0][16..], [1; 8]); // not all are: Z
}

#[test]
fn ids_of_all_dimensions() {
    // g0[local + 24 * group] = group * 24 << 8 | local.
    let listing = "
    mov b32 $r2 u16 s[0x12]
    mov b32 $r3 u16 s[0xa]
    mul $r2 u24 $r2 $r3
    add b32 $r2 u16 s[0xe] $r2
    mov b32 $r3 u16 s[0x8]
    mul $r2 u24 $r2 $r3
    add b32 $r2 u16 s[0xc] $r2
    mul $r2 u24 $r2 0x18
    shr u32 $r4 $r0 0x1a
    and b32 $r6 $r0 0xffff
    shr u32 $r7 $r0 0x10
    and b32 $r7 $r7 0x3ff
    mul $r8 u24 $r4 0x3
    add b32 $r8 $r8 $r7
    mul $r8 u24 $r8 0x4
    add b32 $r8 $r8 $r6
    add b32 $r9 $r8 $r2
    shl b32 $r9 $r9 0x2
    shl b32 $r2 $r2 0x8
    add b32 $r2 $r2 $r8
    st b32 g0[$r9] $r2
    exit nop
";
    let n = 24 * 30;
    let (out, report) = play_on("nv50", listing, [4, 3, 2], [5, 3, 2], &[&vec![0; n]], Some(4)).unwrap();
    let want: Vec<u32> = (0..n as u32).map(|i| ((i / 24 * 24) << 8) | (i % 24)).collect();
    assert_eq!(out[0], want);
    assert_eq!(report.subgroups, 30);
}

#[test]
fn workgroup_memory_and_barrier() {
    // Reverse 64 words through s[].
    let listing = whole(
        "
    shl $a1 $r1 0x0
    st b32 s[$a1+0x40] $r1
    bar inc wait 0x0 all
    mov b32 $r2 0xfc
    sub b32 $r2 $r2 $r1
    shl $a2 $r2 0x0
    mov b32 $r3 b32 s[$a2+0x40]
    st b32 g0[$r1] $r3",
    );
    for seed in [None, Some(3), Some(4)] {
        let (out, report) = play_on("nv50", &listing, [64, 1, 1], [2, 1, 1], &[&[0; 64]], seed).unwrap();
        assert_eq!(out[0], (0..64).map(|i| 252 - 4 * i).collect::<Vec<u32>>());
        assert_eq!(report.barriers, 2);
    }
    // Without the barrier one warp reads what the other has not written.
    let (kind, _) = trap_of(&listing.replace("bar inc wait 0x0 all\n", ""), 64);
    assert_eq!(kind, TrapKind::UndefinedRead);
}

/// One warp announces that its word is there, the other waits for it: halves of a barrier (seed, "barriers").
#[test]
fn barrier_in_halves() {
    let listing = whole(
        "
    mov b32 $r3 0x20
    set $c0 # l u32 $r0 $r3
    (lg $c0) bra Lfirst
    bar inc wait 0x3 0x2
    mov b32 $r2 b32 s[0x40]
    st b32 g0[$r1] $r2
    exit nop
Lfirst:
    mov b32 $r2 0x7
    mov b32 $r4 0x40
    shl $a1 $r4 0x0
    st b32 s[$a1] $r2
    bar inc 0x3 0x2
    st b32 g0[$r1] $r2",
    );
    // Packed ids: the low half word is x.
    for seed in [None, Some(1), Some(2), Some(3)] {
        let (out, _) = play_on("nva3", &listing, [64, 1, 1], [1, 1, 1], &[&[0; 64]], seed).unwrap();
        assert_eq!(out[0], [7; 64]);
    }
}

#[test]
fn lock_loop_adds_atomically() {
    let listing = "
    mov b32 $r2 0x0
    mov b32 $r6 0x3
    shl $a1 $r2 0x0
    and b32 $c1 $r1 $r0 $r0
    (e $c1) st b32 s[$a1+0x40] $r2
    bar inc wait 0x0 all
    breakaddr Lend
Ltry:
    ld lock $c0 $r4 b32 s[$a1+0x40]
    (l $c0) add b32 $r5 $r4 $r6
    (l $c0) st unlock b32 s[$a1+0x40] $r5
    (l $c0) break
    bra Ltry
Lend:
    bar inc wait 0x0 all
    ld $r7 b32 s[$a1+0x40]
    and b32 $r1 $r0 0xffff
    shl b32 $r1 $r1 0x2
    st b32 g0[$r1] $r7
    exit nop
";
    for (g, seed) in [("nva0", None), ("nva3", Some(1)), ("nva3", Some(2))] {
        let (out, _) = play_on(g, listing, [96, 1, 1], [1, 1, 1], &[&[0; 96]], seed).unwrap();
        assert_eq!(out[0], [288; 96]);
    }
    let (kind, text) = trap_of(&listing.replace("(l $c0) st unlock", "st unlock"), 32);
    assert!(matches!(kind, TrapKind::UndefinedRead | TrapKind::Hazard), "{text}");
    let (kind, _) = trap_of(&listing.replace("    (l $c0) st unlock b32 s[$a1+0x40] $r5\n", ""), 32);
    assert!(matches!(kind, TrapKind::Hazard | TrapKind::StepLimit));
}

/// The loop of the reference (section 7.6) branches over its critical section: whichever side a seed runs first, who holds the lock is not
/// kept waiting by those who spin for it.
#[test]
fn lock_loop_with_branches_ends() {
    let listing = "
    mov b32 $r2 0x0
    mov b32 $r6 0x3
    shl $a1 $r2 0x0
    and b32 $c1 $r1 $r0 $r0
    (e $c1) st b32 s[$a1+0x40] $r2
    bar inc wait 0x0 all
    joinat Lend
Ltry:
    ld lock $c0 $r4 b32 s[$a1+0x40]
    (l $c0) bra Lcritical
    bra Lfail
Lcritical:
    add b32 $r5 $r4 $r6
    st unlock b32 s[$a1+0x40] $r5
Lfail:
    (geu $c0) bra Ltry
Lend:
    join nop
    bar inc wait 0x0 all
    ld $r7 b32 s[$a1+0x40]
    and b32 $r1 $r0 0xffff
    shl b32 $r1 $r1 0x2
    st b32 g0[$r1] $r7
    exit nop
";
    let mut c = container("nva3", code("nva3", listing), [96, 1, 1], 1);
    c.entries[0].meta.family_words[1] = 64;
    for seed in [None, Some(1), Some(2), Some(3), Some(4)] {
        let (out, _) = play_container(&c, [1, 1, 1], &[&[0; 96]], seed).unwrap();
        assert_eq!(out[0], [288; 96]);
    }
}

#[test]
fn local_memory_is_private() {
    let listing = whole(
        "
    and b32 $r2 $r1 0xc
    shl $a1 $r2 0x0
    st b32 l[$a1+0x10] $r1
    st u8 l[0x3] $r1
    ld b32 $r3 l[$a1+0x10]
    ld u8 $r4 l[0x3]
    add b32 $r3 $r3 $r4
    st b32 g0[$r1] $r3",
    );
    assert_eq!(play(&listing, 64, &[&[0; 64]]).unwrap()[0], (0..64).map(|i| 8 * i).collect::<Vec<u32>>());
    assert_eq!(trap_of(&listing.replace("st b32 l[$a1+0x10]", "st u8 l[$a1+0x10]"), 4).0, TrapKind::UndefinedRead);
    assert_eq!(trap_of(&listing.replace("l[$a1+0x10]", "l[$a1+0x3c]"), 32).0, TrapKind::OutOfBounds);
    assert_eq!(trap_of(&listing.replace("l[$a1+0x10]", "l[$a1+0x12]"), 32).0, TrapKind::Misaligned);
}

#[test]
fn workgroup_window() {
    // g14: 16 bytes for each workgroup, at 16 times its number.
    let listing = "
    mov b32 $r1 u16 s[0xc]
    shl b32 $r1 $r1 0x4
    mov b32 $r2 0x0
    and b32 $c0 # $r0 $r0
    (e $c0) st b32 g14[$r1] $r2
    mov b32 $r3 0x1
    red add u32 g14[$r1] $r3
    ld b32 $r4 g14[$r1]
    shr u32 $r1 $r1 0x2
    st b32 g0[$r1] $r4
    exit nop
";
    let mut c = container("nv84", code("nv84", listing), [32, 1, 1], 1);
    c.entries[0].meta.family_words.push(16);
    assert_eq!(play_container(&c, [3, 1, 1], &[&[0; 3]], Some(1)).unwrap().0[0], [32; 3]);
    c.entries[0].code = code("nv84", &listing.replace("shl b32 $r1 $r1 0x4", "shl b32 $r1 $r1 0x5"));
    let t = play_container(&c, [3, 1, 1], &[&[0; 3]], None).unwrap_err();
    assert_eq!(t.kind, TrapKind::OutOfBounds, "{t}");
}

#[test]
fn constants_and_uniform_buffers() {
    let listing = whole(
        "
    add b32 $r2 $r1 c0[0x4]
    shl $a1 $r1 0x0
    add b32 $r2 $r2 c3[$a1+0x4]
    ld $r3 u16 c14[0x2]
    add b32 $r2 $r2 $r3
    add b32 $r2 b32 s[0x18] $r2
    st b32 g0[$r1] $r2",
    );
    let mut c = container("nva3", code("nva3", &listing), [4, 1, 1], 1);
    let e = &mut c.entries[0];
    e.data = vec![1, 0, 0, 1];
    e.preloads.push(Preload { file: 0x80, lane: 0, index: 1, source: Source::BufferSize { group: 0, binding: 0 } });
    e.preloads.push(Preload { file: 0x81, lane: 0, index: 6, source: Source::NumWorkgroups(1) });
    e.resources.push(Resource { binding: 1, kind: ResourceKind::Uniform, slot: 3, ..e.resources[0] });
    let (out, _) = play_container(&c, [1, 2, 1], &[&[0; 4], &[0, 10, 20, 30, 40]], None).unwrap();
    let want: Vec<u32> = (0..4).map(|i| 4 * i + 16 + 10 * (i + 1) + 256 + 2).collect();
    assert_eq!(out[0], want);
    // One word less: the last lane reads past the end.
    let t = play_container(&c, [1, 1, 1], &[&[0; 4], &[0, 10, 20, 30]], None).unwrap_err();
    assert_eq!((t.kind, t.lane), (TrapKind::OutOfBounds, Some(3)), "{t}");
}

#[test]
fn broken_rules_trap() {
    use TrapKind::*;
    let cases: &[(&str, TrapKind, &str)] = &[
        ("add b32 $r2 $r3 $r3", UndefinedRead, "$r3 was never written"),
        ("mov b32 $r2 $r3\nadd b32 $r2 $r2 $r2", UndefinedRead, "$r2 was never written"),
        ("mov b16 $r2l $r0l\nmov b32 $r3 $r2\nadd b32 $r3 $r3 $r3", UndefinedRead, "$r3"),
        ("mov b32 $r2 $r3\nst b32 g0[$r1] $r2", UndefinedRead, "$r2 was never written"),
        ("mov $r2 $c1\nadd b32 $r2 $r2 $r2", UndefinedRead, "$r2 was never written"),
        ("mov $c1 $r3\n(e $c1) mov b32 $r2 $r0", UndefinedRead, "$c1"),
        ("slct b32 $r2 $r3 $r1 f32 $r127\nadd b32 $r2 $r2 $r2", UndefinedRead, "$r2 was never written"),
        ("slct b32 $c0 $r2 $r3 $r1 f32 $r127", UndefinedRead, "$r3 was never written"),
        ("slct b32 $r2 $r1 $r1 f32 $r3", UndefinedRead, "$r3 was never written"),
        ("(e $c2) mov b32 $r2 $r0", UndefinedRead, "$c2"),
        ("mov $r2 $a1", UndefinedRead, "$a1"),
        ("mov $r2 $a6", BadRegister, "$a6"),
        ("mov b32 $r2 b32 s[0x0]", UndefinedRead, "never written"),
        ("mov b32 $r2 u16 s[0x0++0x2]", BadRegister, "post-increment"),
        ("add b32 $r2 $r1 c5[0x0]", OutOfBounds, "c5[] is not bound"),
        ("join nop", Unbalanced, "empty control stack"),
        ("joinat L\nL: nop", Unbalanced, "where no join is"),
        ("break", Unbalanced, "break without breakaddr"),
        ("ret", Unbalanced, "ret without call"),
        ("quadpop", Unbalanced, "quadpop without quadon"),
        ("breakaddr L\njoin nop\nL: nop", Unbalanced, "join finds a breakaddr"),
        ("joinat L\nbra M\nM: join nop\nL: join nop", Unbalanced, "joinat that names"),
        ("L: breakaddr L\nbra L", Unbalanced, "overflow"),
        ("ld b32 $r2 g0[$r127]", BadRegister, "not allocated"),
        ("st b32 g0[$r1] $r127", BadRegister, "not allocated"),
        ("red add u32 g0[$r1] $r127", BadRegister, "not allocated"),
        ("ld add u32 $r100 g0[$r1] $r0", BadRegister, "not allocated"),
        ("add b32 $r1 $r1 0x1\nld b32 $r2 g0[$r1]", Misaligned, "4 bytes"),
        ("add b32 $r1 $r1 0x100\nld b32 $r2 g0[$r1]", OutOfBounds, "256"),
        ("ld b32 $r2 g7[$r1]", OutOfBounds, "g7[] is not bound"),
        ("ld b64 $r3d g0[$r1]", BadRegister, "multiple of 2"),
        ("ld $r2 b32 s[0x440]", OutOfBounds, ""),
        ("add rm f32 $r2 $r0 $r0", Unsupported, "rounding modes"),
        ("bar 0x0 0x5", Unsupported, "bar"),
        ("bar wait 0x0 all\nbar inc 0x0 0x2\nbar wait 0x0 0x2", StepLimit, ""),
        ("trap", Unsupported, "trap instruction"),
        ("texauto all $r2:$r3:$r4:$r5 $t0 $s0 $r2 0x0 0x0 0x0", OutOfBounds, "$t0 is not bound"),
        ("mov $r2 $pm0", Unsupported, "special register 4"),
        ("st unlock b32 s[0x40] $r1", Hazard, "not locked"),
        ("mov b32 o[0x0] $r1", Unsupported, "o[]"),
        ("L: bra L", StepLimit, ""),
        ("bra 0x1000", FellOffEnd, "past the last"),
        ("bra 0x4", Undecodable, "middle"),
        ("and b32 $c0 # $r1 $r1\njoinat L\n(e $c0) bra L\nbar inc wait 0x0 all\nL: join nop", Divergence, "barrier"),
        ("cvt rn f16 $r2l u32 $r1\nmov b32 $r3 0x801\ncvt rn f16 $r2l u32 $r3", Unsupported, "f16"),
    ];
    for (text, kind, words) in cases {
        let listing = whole(text);
        let (got, message) = trap_of(&listing, 8);
        assert_eq!(got, *kind, "{text}: {message}");
        assert!(message.contains(words), "{text}: {message}");
    }
    // No exit.
    assert_eq!(trap_of(ADDRESS, 1).0, FellOffEnd);
    assert_eq!(trap_of("(e $c0) bra 0x0\n", 1).0, UndefinedRead);
}

/// Denormals are zeros of their sign before `slct`, `set`, `max` and `min` compare: -0 is at least 0 (section 7.2 of the reference).
#[test]
fn negative_denormals_compare_as_zero() {
    let listing = whole(
        "
    ld b32 $r2 g0[$r1]
    mov b32 $r3 0x1
    mov b32 $r4 0x2
    slct b32 $r5 $r3 $r4 f32 $r2
    slct b32 $r6 $r3 $r4 f32 neg $r2
    shl b32 $r6 $r6 0x4
    or b32 $r5 $r5 $r6
    set $r6 l f32 $r2 $r127
    and b32 $r6 $r6 0x100
    or b32 $r5 $r5 $r6
    max f32 $r6 $r2 $r127
    or b32 $r5 $r5 $r6
    st b32 g0[$r1] $r5",
    );
    let input = [0x8000_0001, 0x807f_ffff, 0x0000_0001, 0x8000_0000, 0, 0x8080_0000, 0xffff_ffff];
    let out = play(&listing, 7, &[&input]).unwrap();
    assert_eq!(out[0], [0x11, 0x11, 0x11, 0x11, 0x11, 0x112, 0x22]);
}

/// A copy of what was never written is no use of it: the undefined side of a phi (section 1 of docs/abi-tesla.md).
#[test]
fn copies_of_undefined_registers() {
    let listing = whole(
        "
    mov b32 $r3 0x7
    mov b16 $r5l $r3l
    set $c0 # e u32 $r0 $r127
    (e $c0) mov b32 $r4 $r3
    mov b32 $r2 $r4
    mov b32 $r6 $r5
    mov b16 $r2h $r6l
    (e $c0) add b32 $r4 $r2 $r127
    mov b32 $r7 0x1
    mov b32 $r8 0xffffffff
    mov $r12 $c3
    mov $c2 $r13
    slct b32 $r7 $r7 $r20 f32 $r3
    slct b32 $r9 $r20 $r7 f32 $r8
    st b32 g0[$r1] $r9
    add b32 $r1 $r1 0x40
    cvt u32 $r4 u16 $r6l
    st b32 g0[$r1] $r4",
    );
    for seed in [None, Some(1), Some(2)] {
        let (out, _) = play_on("nva3", &listing, [4, 1, 1], [1, 1, 1], &[&[0; 20]], seed).unwrap();
        assert_eq!(out[0][..4], [1; 4]);
        assert_eq!(out[0][16..], [7; 4]);
    }
}

/// The things that hardware lets code of other compilers do, and ours does not.
#[test]
fn rules_of_hardware_alone() {
    let attempt = |c: &gpucc_container::Container, rules| {
        let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[9; 8]);
        let options = RunOptions { step_limit: 100_000, rules, ..RunOptions::default() };
        run(c, None, &mut d, &options).map(|_| d.words(0, 0).unwrap())
    };
    let play = |listing: &str, rules| attempt(&container("nva3", code("nva3", listing), [8, 1, 1], 1), rules);
    // A bare exit with condition 0 ends the lanes; other instructions with it do nothing.
    let never = format!("{ADDRESS}(never) add b32 $r0 $r0 $r0\nst b32 g0[$r1] $r0\nexit (never) nop\ntrap\n");
    assert_eq!(play(&never, Rules::Hardware).unwrap(), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(play(&never, Rules::Conventions).unwrap_err().kind, TrapKind::Unsupported);
    // Also where only some of the lanes are, whatever condition it names.
    let some = format!(
        "{ADDRESS}
    mov b32 $r2 0x3
    set $c0 # l u32 $r0 $r2
    (e $c0) bra Lrest
    exit (e $c0) nop
    trap
Lrest:
    st b32 g0[$r1] $r0
    exit (never) nop
"
    );
    assert_eq!(play(&some, Rules::Hardware).unwrap(), [9, 9, 9, 3, 4, 5, 6, 7]);
    // A joinat whose address carries no join: nothing happens there. The join that pops it looks at lanes alone.
    let elsewhere = whole(
        "
    joinat Lnowhere
    mov b32 $r2 0x3
    set $c0 # l u32 $r0 $r2
    (e $c0) bra Lend
Lnowhere:
    add b32 $r0 $r0 0x10
Lend:
    join nop
    st b32 g0[$r1] $r0",
    );
    assert_eq!(play(&elsewhere, Rules::Hardware).unwrap(), [16, 17, 18, 3, 4, 5, 6, 7]);
    assert_eq!(play(&elsewhere, Rules::Conventions).unwrap_err().kind, TrapKind::Unbalanced);
    let left = format!("joinat 0x0\n{ADDRESS}st b32 g0[$r1] $r0\nexit nop\n");
    assert_eq!(play(&left, Rules::Hardware).unwrap(), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(play(&left, Rules::Conventions).unwrap_err().kind, TrapKind::Unbalanced);
    // Words of a driver in any c[]; and constants behind the instructions are no code.
    let mut c = container("nva3", code("nva3", &format!("{ADDRESS}ld $r2 b32 c15[0x3c4]\n")), [8, 1, 1], 1);
    c.entries[0].code.extend(code("nva3", "st b32 g0[$r1] $r2\nexit nop\n"));
    c.entries[0].preloads.push(Preload {
        file: 0x9f,
        lane: 0,
        index: 0x3c4 / 4,
        source: Source::BufferSize { group: 0, binding: 0 },
    });
    assert_eq!(attempt(&c, Rules::Hardware).unwrap(), [32; 8]);
    assert_eq!(attempt(&c, Rules::Conventions).unwrap_err().kind, TrapKind::Container);
    let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[9; 8]);
    let options = RunOptions { exec_size: Some(16), rules: Rules::Hardware, ..RunOptions::default() };
    assert_eq!(run(&c, None, &mut d, &options).unwrap_err().kind, TrapKind::FellOffEnd);
    // Barriers are told apart by their numbers, and uniform buffers may lie in any c[].
    let mut c = container(
        "nva3",
        code(
            "nva3",
            &whole(
                "
    mov b32 $r3 0x20
    set $c0 # l u32 $r0 $r3
    (lg $c0) bra Lfirst
    bar inc wait 0x2 all
    mov b32 $r4 0x2
    st b32 s[0x40] $r4
    bra Lend
Lfirst:
    mov b32 $r4 0x1
    st b32 s[0x40] $r4
    bar inc wait 0x2 all
Lend:
    ld $r6 b32 c14[0x0]
    ld $r4 b32 s[0x40]
    st b32 g0[$r1] $r6",
            ),
        ),
        [64, 1, 1],
        1,
    );
    c.entries[0].resources[0].binding = 1;
    let uniform = Resource { binding: 0, kind: ResourceKind::Uniform, slot: 14, ..c.entries[0].resources[0] };
    c.entries[0].resources.push(uniform);
    let attempt = |c: &gpucc_container::Container, rules| {
        let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[5; 1]).with_u32(0, 1, &[9; 64]);
        run(c, None, &mut d, &RunOptions { rules, ..RunOptions::default() }).map(|_| d.words(0, 1).unwrap())
    };
    assert_eq!(attempt(&c, Rules::Hardware).unwrap(), [5; 64]);
    assert_eq!(attempt(&c, Rules::Conventions).unwrap_err().kind, TrapKind::Container);
    c.entries[0].resources[1].slot = 13;
    assert_eq!(attempt(&c, Rules::Conventions).unwrap_err().kind, TrapKind::Barrier);
    // Registers go to l[] and back with what is undefined in them; only a use of that traps.
    let spill = |last: &str| {
        format!(
            "{ADDRESS}
    mov b32 $r4 $r1
    mov b16 $r6l $r0l
    st b64 l[0x0] $r4d
    st b32 l[0x8] $r6
    ld b32 $r9 l[0x8]
    ld b64 $r10d l[0x0]
    cvt u32 $r12 u16 $r9l
    add b32 $r10 $r10 $r12
    {last}
    st b32 g0[$r1] $r10
    exit nop
"
        )
    };
    assert_eq!(play(&spill("mov b32 $r11 $r20"), Rules::Hardware).unwrap(), [0, 5, 10, 15, 20, 25, 30, 35]);
    for last in ["add b32 $r10 $r10 $r11", "add b32 $r10 $r10 $r9"] {
        assert_eq!(play(&spill(last), Rules::Hardware).unwrap_err().kind, TrapKind::UndefinedRead);
    }
    assert_eq!(play(&spill("nop"), Rules::Conventions).unwrap_err().kind, TrapKind::UndefinedRead);
}

#[test]
fn bytes_that_are_no_code_trap() {
    for (bytes, kind) in [
        (vec![0; 16], TrapKind::Undecodable),
        (vec![], TrapKind::FellOffEnd),
        (vec![0xff; 16], TrapKind::Undecodable),
        // A short move, then an 8-byte instruction on an odd word.
        (
            [0x1000_8004_u32, 0xf000_0001, 0xe000_0781].iter().flat_map(|w| w.to_le_bytes()).collect(),
            TrapKind::Misaligned,
        ),
        // A reserved bit of `exit nop`.
        ([0xf000_0001_u32, 0xe020_0781].iter().flat_map(|w| w.to_le_bytes()).collect(), TrapKind::Reserved),
        // The short `trap`.
        ([0x9000_0002_u32].iter().flat_map(|w| w.to_le_bytes()).collect(), TrapKind::Unsupported),
        // Half of `exit nop`.
        ([0xf000_0001_u32].iter().flat_map(|w| w.to_le_bytes()).collect(), TrapKind::Undecodable),
    ] {
        let c = container("nva3", bytes, [1, 1, 1], 0);
        let t = play_container(&c, [1, 1, 1], &[], None).unwrap_err();
        assert_eq!(t.kind, kind, "{t}");
    }
}

#[test]
fn bad_containers_are_refused() {
    let good = container("nva3", code("nva3", "exit nop\n"), [1, 1, 1], 1);
    let attempt = |change: &dyn Fn(&mut gpucc_container::Container)| {
        let mut c = good.clone();
        change(&mut c);
        let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[0]);
        let kind = run(&c, None, &mut d, &RunOptions::default()).map(|_| ()).map_err(|t| t.kind);
        assert_eq!(d.words(0, 0), Some(vec![0]));
        kind
    };
    assert_eq!(attempt(&|_| {}), Ok(()));
    assert_eq!(attempt(&|c| c.family = "gcn".into()), Err(TrapKind::Container));
    assert_eq!(attempt(&|c| c.generation = "nv40".into()), Err(TrapKind::Container));
    assert_eq!(attempt(&|c| c.entries.clear()), Err(TrapKind::Container));
    assert_eq!(attempt(&|c| c.entries[0].meta.workgroup_size = [513, 1, 1]), Err(TrapKind::Container));
    assert_eq!(attempt(&|c| c.entries[0].meta.workgroup_size = [1, 0, 1]), Err(TrapKind::Container));
    assert_eq!(attempt(&|c| c.entries[0].meta.subgroup_size = 64), Err(TrapKind::Container));
    assert_eq!(attempt(&|c| c.entries[0].meta.registers = vec![]), Err(TrapKind::Container));
    assert_eq!(attempt(&|c| c.entries[0].meta.shared_bytes = 0x4000), Err(TrapKind::Container));
    assert_eq!(attempt(&|c| c.entries[0].meta.family_words = vec![8]), Err(TrapKind::Container));
    assert_eq!(attempt(&|c| c.entries[0].meta.family_words = vec![0x40, 5000]), Err(TrapKind::Container));
    assert_eq!(attempt(&|c| c.entries[0].resources[0].slot = 15), Err(TrapKind::Container));
    assert_eq!(attempt(&|c| c.entries[0].resources[0].kind = ResourceKind::Texture), Err(TrapKind::Unsupported));
    assert_eq!(attempt(&|c| c.entries[0].resources[0].binding = 3), Err(TrapKind::Dispatch));
    assert_eq!(attempt(&|c| c.entries[0].resources[0].min_size = 8), Err(TrapKind::Dispatch));
    assert_eq!(
        attempt(&|c| c.entries[0].preloads.push(Preload { file: 0x81, lane: 0, index: 2, source: Source::Const(0) })),
        Err(TrapKind::Container)
    );
}

/// An unallocated register reads as zero, and an instruction that writes one is ignored with its flags (section 1).
#[test]
fn zero_register() {
    let listing = whole(
        "
    mov b32 $r2 0x1
    and b32 $c0 # $r2 $r127
    add b32 $c0 $r100 $r2 $r2
    mov $r3 $c0
    add b32 $r3 $r3 $r127
    st b32 g0[$r1] $r3",
    );
    assert_eq!(play(&listing, 2, &[&[9; 2]]).unwrap()[0], [1; 2]);
}
