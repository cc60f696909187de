//! Listings, errors with their places, validation, stability of decode under flipped bits.

use gpucc_isa::stage::{ALL, CS, FS, GS};
use gpucc_isa::{Isa, TextCx};
use gpucc_sim::SplitMix64;
use gpucc_tesla_machine::{Tesla, assemble, decode_word, disassemble, generation, table, text, validate, vectors};

const NVA3: u8 = 3;

/// The whole kernel of the reference's section 14.
const KERNEL: &[(u32, Option<u32>)] = &[
    (0xa0000005, Some(0x04000780)),
    (0x1100a208, None),
    (0x41042c0c, None),
    (0x20000205, Some(0x0400c780)),
    (0x30020205, Some(0xc4100780)),
    (0x1100ea10, None),
    (0x20018810, None),
    (0xd0000815, Some(0x80c00780)),
    (0x307f0bfd, Some(0x6c0107c8)),
    (0xa000a003, Some(0x00000000)),
    (0x1000a003, Some(0x00000100)),
    (0xc0000a15, Some(0x04000003)),
    (0xf0000001, Some(0xe0000782)),
    (0xd0000815, Some(0xa0c00780)),
    (0xf0000001, Some(0xe0000781)),
];

fn kernel_bytes() -> Vec<u8> {
    KERNEL.iter().flat_map(|&(a, b)| std::iter::once(a).chain(b)).flat_map(u32::to_le_bytes).collect()
}

#[test]
fn listing_assembles_to_the_same_bytes() {
    let code = kernel_bytes();
    let listing = disassemble(&code, NVA3, CS);
    assert!(listing.contains("joinat L50") && listing.contains("L50:"), "{listing}");
    assert_eq!(assemble(&listing, NVA3, CS, false), Ok(code));
}

#[test]
fn listing_of_anything_assembles_to_the_same_bytes() {
    let mut rng = SplitMix64::new(7);
    for round in 0..200 {
        let mut code = vec![0; 64 + round % 5];
        rng.fill(&mut code);
        for chunk in code.chunks_mut(8) {
            // Mostly long instructions of primaries that exist.
            if rng.below(3) > 0 && chunk.len() == 8 {
                chunk[0] = chunk[0] & !3 | 1;
            }
        }
        let listing = disassemble(&code, NVA3, ALL);
        assert_eq!(assemble(&listing, NVA3, ALL, false), Ok(code), "{listing}");
    }
}

#[test]
fn long_form_keeps_its_length_in_a_listing() {
    // add b32 $r0 $r0 $r0 in the long form, which the assembler would make short.
    let code: Vec<u8> = [0x2000_0001_u32, 0x0400_0780].iter().flat_map(|w| w.to_le_bytes()).collect();
    let listing = disassemble(&code, NVA3, CS);
    assert!(listing.contains("long add b32"), "{listing}");
    assert_eq!(assemble(&listing, NVA3, CS, false), Ok(code.clone()));
    assert_eq!(assemble("add b32 $r0 $r0 $r0", NVA3, CS, true), Ok(code));
}

#[test]
fn errors_name_line_and_column_and_the_rest_goes_on() {
    let listing = "\
    mov b32 $r1 $r2
    mov b32 $r2 $r3
    frobnicate $r1            // unknown
    shl b32 $r1 $r200 0x2
    add b32 $r1 $r2 c20[0x0]
    vote any $c0
    bra nowhere
    exit nop
";
    let errors = assemble(listing, 0, CS, false).unwrap_err();
    let places: Vec<_> = errors.iter().map(|e| (e.line, e.column)).collect();
    assert_eq!(places, [(3, 5), (4, 17), (5, 21), (6, 5), (7, 9)], "{errors:#?}");
    assert!(errors[0].message.contains("frobnicate"));
    assert!(errors[3].message.contains("nv50"), "{}", errors[3]);
    assert!(errors[4].message.contains("nowhere"));
}

#[test]
fn odd_placed_long_instruction_is_an_error() {
    let errors = assemble("mov b32 $r1 $r2\nexit nop\n", NVA3, CS, false).unwrap_err();
    assert!(errors[0].message.contains("not a multiple of 8"), "{}", errors[0]);
    assert_eq!(errors[0].line, 2);
}

fn verdict(line: &str, generation: u8, stages: u8) -> Result<(), String> {
    let cx = TextCx { generation, stages, long: false, pc: 0 };
    validate::validate(&Tesla::parse(line, &cx).unwrap(), &cx)
}

#[test]
fn validation_refuses_what_decodes_but_must_not_be_emitted() {
    let ok = [
        "add b32 $r1 $r2 $r3",
        "(e $c1) addc b32 $r64 $r2 $r3 $c1",
        "addc b32 $r64 $r2 $r3 $c2",
        "mov $r3 $c2",
        "ld b64 $r4d g0[$r2]",
        "mov b32 $r70 u16 s[$a1+0x2]",
        "add b32 $c0 # $r1 c3[$a2+0x4]",
        "exit nop",
        "join (l $c0) nop",
    ];
    for line in ok {
        assert_eq!(verdict(line, NVA3, CS), Ok(()), "{line}");
    }
    let bad = [
        ("exit (l $c0) nop", "exit"),
        ("mov b32 $r70 u16 s[$a6+0x2]", "$a1 to $a4"),
        ("mov b32 $r70 u16 s[0x0++0x2]", "writable $a"),
        ("(lnone) mov b32 $r70 $r71", "lane mask"),
        ("ld b64 $r5d g0[$r2]", "multiple of 2"),
        ("ld b128 $r6q g0[$r2]", "multiple of 4"),
        ("ld b64 $r2d g0[$r3]", "overlap"),
        ("ld b64 $r2d l[0x4]", "l[]"),
        ("add rm f32 $r70 $r1 $r2", "nearest"),
        ("mul rp f32 $r70 $r1 $r2", "nearest"),
        ("add $a5 $a1 0x10", "$a1 to $a4"),
        ("texauto all #:#:#:# $t0 $s0 $r0:$r1 0x0 0x0 0x0", "write something"),
        ("texauto all $r126:$r127:$r128:# $t0 $s0 $r126 0x0 0x0 0x0", "$r127"),
    ];
    for (line, why) in bad {
        let got = verdict(line, NVA3, CS).unwrap_err();
        assert!(got.contains(why), "{line}: {got}");
    }
    let got = verdict("max f32 $r1 p[0x4] c1[0x8]", NVA3, GS).unwrap_err();
    assert!(got.contains("p[] and c[]"), "{got}");
    // Redundant encodings: ignored bits, stray flags.
    let raw = |w0, w1, stages| {
        let inst = decode_word(&[w0, w1], NVA3, stages).unwrap();
        validate::validate(&inst, &TextCx { generation: NVA3, stages, long: false, pc: 0 })
    };
    assert!(raw(0x6000_0003, 0x0000_0980, CS).unwrap_err().contains("ignored bits"));
    assert!(raw(0xb100_008d, 0xc000_4780, CS).unwrap_err().contains("flag"));
    assert!(raw(0x2000_0001, 0x0400_0790, CS).unwrap_err().contains("named but not written"));
    assert!(raw(0xc006_0001, 0x8000_0780, CS).unwrap_err().contains("other names"));
    assert!(raw(0x2000_0001, 0x0400_1780, CS).unwrap_err().contains("absent predicate"));
    assert!(raw(0x0000_0003, 0x0000_0780, FS).is_ok());
}

/// Words with one to three bits flipped decode to something that encodes to the same word and reads the same again, or not at all.
#[test]
fn flipped_words_decode_stably() {
    let count: u64 = std::env::var("GPUCC_FLIPS").ok().and_then(|v| v.parse().ok()).unwrap_or(100_000);
    let lines: Vec<Vec<u32>> = include_str!("../vectors/sample.tsv")
        .lines()
        .filter(|l| !l.starts_with('#'))
        .filter_map(|l| {
            l.split('\t').next()?.split(' ').map(|w| u32::from_str_radix(w.trim_start_matches("0x"), 16).ok()).collect()
        })
        .collect();
    let mut rng = SplitMix64::new(1);
    let mut accepted = 0_u64;
    for _ in 0..count {
        let mut words = lines[rng.below(lines.len() as u64) as usize].clone();
        words.resize(2, rng.next_u32());
        for _ in 0..=rng.below(3) {
            let bit = rng.below(64) as usize;
            words[bit / 32] ^= 1 << (bit % 32);
        }
        let g = rng.below(5) as u8;
        let stages = 1 << rng.below(4);
        let Ok(inst) = decode_word(&words, g, stages) else { continue };
        accepted += 1;
        let (word, bytes) = table().encode(&inst, g).expect("the row exists where it decoded");
        let again = [word as u32, (word >> 32) as u32];
        assert_eq!(again[..bytes / 4], words[..bytes / 4]);
        assert_eq!(decode_word(&again, g, stages), Ok(inst));
        let cx = TextCx { generation: g, stages, long: bytes == 8, pc: 0 };
        let mut out = String::new();
        Tesla::print(&inst, &cx, &mut out);
        assert!(!out.contains('?'), "{out}");
        // The text assembles, and to something with the same text, or is refused.
        if let Ok(back) = Tesla::parse(&out, &cx) {
            let (w, _) = table().encode(&back, g).expect("the row exists where it parsed");
            let reread = decode_word(&[w as u32, (w >> 32) as u32], g, stages).expect("assembled words decode");
            let mut text = String::new();
            Tesla::print(&reread, &cx, &mut text);
            assert_eq!(text, out);
        }
        let _ = validate::validate(&inst, &cx);
    }
    println!("{accepted} of {count} flipped words decode ({} %)", accepted * 100 / count);
    assert!(accepted > count / 10);
}

#[test]
fn names() {
    assert_eq!(generation("nva3"), Some(NVA3));
    assert_eq!(vectors::variant("gt215"), Some(NVA3));
    assert_eq!(text::stage_of("xp"), None);
    assert!(vectors::check_vector("0x10008000\tmov b32 $r0 $r1\tg80\tcp\trt").is_err());
}
