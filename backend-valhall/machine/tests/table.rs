//! The table as a whole: stability under damaged words, listings, the rules of use.

use gpucc_isa::{Isa, TextCx, stage};
use gpucc_valhall_machine::build::{dst, flow, inst, set_run, set_src};
use gpucc_valhall_machine::{
    OPS, Op, ROWS, Valhall, ValhallInst, asm_words_line, assemble, decode_word, disasm_words_line, disassemble,
    encode_word, operand, table,
};

fn sample_words() -> Vec<u64> {
    include_str!("../vectors/sample.txt")
        .lines()
        .filter(|l| l.starts_with("0x"))
        .map(|l| u64::from_str_radix(&l[2..18], 16).unwrap())
        .collect()
}

struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// Words made by flipping one to three bits decode stably or are refused. `GPUCC_FLIPS` sets their number.
#[test]
fn damaged_words_decode_stably() {
    let count: usize = std::env::var("GPUCC_FLIPS").ok().and_then(|s| s.parse().ok()).unwrap_or(1_000_000);
    let words = sample_words();
    let mut rng = Rng(0x9E37_79B9_7F4A_7C15);
    let mut accepted = 0usize;
    for _ in 0..count {
        let mut w = words[(rng.next() % words.len() as u64) as usize];
        for _ in 0..1 + rng.next() % 3 {
            w ^= 1 << (rng.next() % 64);
        }
        let generation = (rng.next() & 1) as u8;
        if let Ok(inst) = decode_word(w, generation, stage::ALL) {
            accepted += 1;
            let back = encode_word(&inst, generation);
            assert_eq!(back, w);
            assert_eq!(decode_word(back, generation, stage::ALL).unwrap(), inst);
        }
    }
    println!("{accepted} of {count} damaged words accepted ({:.1} %)", accepted as f64 * 100.0 / count as f64);
}

/// The disassembler's text is read by the assembler, for damaged words too, up to what text cannot say: LUT entry 21, the base of an empty
/// run, and a page that no operand uses.
#[test]
fn text_of_damaged_words_reads_back() {
    let words = sample_words();
    let mut rng = Rng(77);
    for _ in 0..100_000 {
        let w = words[(rng.next() % words.len() as u64) as usize] ^ 1 << (rng.next() % 64);
        let Ok(text) = disasm_words_line(&format!("{w:#x}"), 1, stage::ALL) else { continue };
        // A run that goes beyond r63 decodes and prints, and is refused when read.
        let Ok(back) = asm_words_line(&text, 1, stage::ALL, false) else {
            let inst = decode_word(w, 1, stage::ALL).unwrap();
            assert!(table().validate(&inst, &TextCx::new(1)).is_err(), "{w:#018x} {text}");
            continue;
        };
        let again = disasm_words_line(&back, 1, stage::ALL).unwrap();
        // Without an operand that shows it the page is lost, and with an immediate it is a rule violation anyway.
        assert_eq!(text, again, "{w:#018x}");
    }
}

#[test]
fn rows_are_in_opcode_order() {
    assert_eq!(ROWS.len(), 252);
    for (i, op) in OPS.iter().enumerate() {
        assert_eq!(*op as usize, i);
        assert_eq!(ROWS[i].op, *op);
    }
}

#[test]
fn built_instructions_encode_as_worked_out() {
    // Section 24, first line.
    let mut i = inst(Op::FaddF32).with("dst", dst::full(5)).with("clamp", 3).with("flow", flow::wait(2));
    set_src(&mut i, 0, operand::reg(7).last().neg());
    set_src(&mut i, 1, operand::uniform(66).abs().swizzle(2));
    assert_eq!(encode_word(&i, 0), 0x12A4_C563_0800_8247);
    // The same section's LOAD.
    let mut i = inst(Op::LoadI64).with("slot", 2).with("flow", 1).with("unsigned", 1).with("offset", 0xFFF0);
    set_run(&mut i, "sr", 6, 2);
    set_src(&mut i, 0, operand::reg(10).last());
    assert_eq!(encode_word(&i, 1), 0x0860_86F4_A8FF_F04A);
    // Its TEX_SINGLE.
    let mut i = inst(Op::TexSingle)
        .with("slot", 1)
        .with("register_type", 1)
        .with("register_width", 1)
        .with("dimension", 1)
        .with("array_enable", 1)
        .with("lod_mode", 1);
    set_run(&mut i, "srw", 8, 4);
    set_run(&mut i, "sr", 4, 3);
    set_src(&mut i, 0, operand::uniform(2));
    assert_eq!(encode_word(&i, 1), 0x0128_4436_57C8_2482);
    // NOP, note 25 of section 21.
    assert_eq!(encode_word(&inst(Op::Nop), 0), 0x0000_C000_0000_0000);
}

fn rule(text: &str) -> Result<(), String> {
    let word = asm_words_line(text, 1, stage::ALL, false).unwrap_or_else(|e| panic!("{text}: {e}"));
    let word = u64::from_str_radix(&word[2..], 16).unwrap();
    table().validate(&decode_word(word, 1, stage::ALL).unwrap(), &TextCx::new(1))
}

/// The examples that section 7.1 gives, and one for each other rule.
#[test]
fn rules_of_use() {
    for good in [
        "FMA.f32 r0, u10, u10, u11",
        "FMA.f32 r0, 0x0, 0x3F800000, 0x3F800000",
        "IADD.u64 r0, u4, u4",
        "LD_BUFFER.i32.unsigned.slot0 @r3, u0, u9",
        "STORE.i32.slot0 @r5, workgroup_local_pointer.w0, offset:4",
        "FADD.v2f16 r1.h1, r2, r3.h10",
        "ATOM_RETURN.i32.slot0.compare.axchg @r20, @r18:r19, r2, offset:0x10",
        "BARRIER.slot7.wait",
        "LOAD.i8.unsigned.slot0 @r3, r4, offset:1",
    ] {
        assert_eq!(rule(good), Ok(()), "{good}");
    }
    for (bad, why) in [
        ("FMA.f32 r0, u0, u1, 0x0", "two FAU words"),
        ("FMA.f32 r0, u0, u3, r1", "two uniform slots"),
        ("CSEL.u32.eq r0, r1, 0x0, u4, u5", "two FAU words"),
        ("FMA.f32 r0, 0x0, 0x3F800000, 0x3DCCCCCD", "two FAU words"),
        ("IADD.u64 r0, r3, r4", "pairs start at even"),
        ("IADD.u64 r1, r2, r4", "even register"),
        ("IADD.u64 r0, u3, r4", "even words"),
        ("LOAD.i64.unsigned.slot0 @r3:r4, r4, offset:0", "runs start at even"),
        ("LOAD.i64.unsigned.slot0 @r4, r4, offset:0", "staging run of 1"),
        ("STORE.i32.slot0 @r4:r5, r2, offset:0", "staging run of 2"),
        ("FADD.f32 r1.h0, r2, r3", "half"),
        ("IADD.u32 r1, lane_id.w0, warp_id.w0", ""),
        ("IADD.u32 r1, core_id.w0, lane_id.w0", "two specials"),
        ("LD_BUFFER.i32.slot0 @r1, r2, warp_id.w0", "copy it to a register"),
        ("MOV.i32 r1, u130", "uniform words"),
        ("FADD.f32 r1, blend_descriptor_0.w0, r2", "float operand"),
        ("ICMP_OR.u32.eq.i1 r1, blend_descriptor_0.w0, u3, r2", "together with a uniform"),
        ("BARRIER.slot7", "flow `wait`"),
        ("BARRIER.slot0.wait", "slot 7"),
        ("LOAD.i32.slot7 @r1, r2, offset:0", "slot 7"),
        ("ATOM.i32.slot0.axchg @r1, r2, offset:0x0", "must return"),
        ("ATOM_RETURN.i32.slot0.compare.aadd @r20, @r18:r19, r2, offset:0x10", "axchg only"),
    ] {
        let Ok(word) = asm_words_line(bad, 1, stage::ALL, false) else {
            assert!(why.is_empty(), "{bad} does not assemble");
            continue;
        };
        let word = u64::from_str_radix(&word[2..], 16).unwrap();
        let r = table().validate(&decode_word(word, 1, stage::ALL).unwrap(), &TextCx::new(1));
        assert!(r.as_ref().is_err_and(|e| e.contains(why)), "{bad}: {r:?}");
    }
    // An immediate under another page cannot be written as text.
    let mut i = inst(Op::MovI32).with("page", 1);
    set_src(&mut i, 0, operand::lut_entry(3));
    assert!(table().validate(&i, &TextCx::new(1)).unwrap_err().contains("FAU page"));
}

/// Vectors respect the rules for FAU, alignment and pages (section 23), so the validator may object to little else.
#[test]
fn validator_accepts_the_sample() {
    let mut objections = Vec::new();
    for w in sample_words() {
        let inst = decode_word(w, 1, stage::ALL).unwrap();
        if let Err(e) = Valhall::validate(&inst, &TextCx::new(1))
            && ["FAU", "uniform", "pairs", "even", "special"].iter().any(|k| e.contains(k))
        {
            objections.push(format!("{} : {e}", disasm_words_line(&format!("{w:#x}"), 1, stage::ALL).unwrap()));
        }
    }
    assert!(objections.is_empty(), "{}", objections.join("\n"));
}

#[test]
fn assembler_reports_every_line() {
    let text = "FADD.f32 r0, r1, r2\n  FADD.f33 r0, r1, r2\nFADD.f32 r64, r1, r2 ; far\nFADD.f32 r0, r1\nLOAD.i32 @r0, r2, offset:0\n\
                MOV.i32 r1, 0x12345\nSTORE.i32.slot0 @r1, r2, offset:40000\nFADD.f32.saturate r0, r1, r2\nBRANCHZ r1, offset:nowhere\n\
                IADD.u32 r1, u3, u70";
    let errors = assemble(text, 1, stage::CS, false).unwrap_err();
    let got: Vec<String> = errors.iter().map(|e| e.to_string()).collect();
    let expected = [
        "2:3: unknown mnemonic `FADD`",
        "3:10: r64 does not exist",
        "4:16: expected `,`",
        "5:9: expected a slot",
        "6:13: 0x12345 is not among the 32 immediates",
        "7:33: 40000 is out of range -32768..32767",
        "8:9: `FADD.f32` does not take `.saturate` here",
        "9:20: label `nowhere` is not defined",
        "10:18: operand is on FAU page 1, an earlier one on page 0",
    ];
    assert_eq!(got.len(), expected.len(), "{got:#?}");
    for (g, e) in got.iter().zip(expected) {
        assert!(g.starts_with(e), "{g} instead of {e}");
    }
}

/// Words whose text would not give them back are words in a listing, with the rule that they break.
#[test]
fn what_the_assembler_refuses_is_a_word() {
    let words = [
        (1, "1500009b02726102", "64-bit operand"),
        (1, "0485c00000c7b242", "an immediate together with FAU page"),
        (1, "8e5600200096a301", "64-bit"),
        (1, "000080020e7e7f00", "beyond r63"),
    ];
    for (generation, hex, rule) in words {
        let code: Vec<u8> = (0..8).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap()).collect();
        let text = disassemble(&code, generation, stage::CS);
        assert!(text.contains(".word") && text.contains(rule), "{text}");
        assert_eq!(assemble(&text, generation, stage::CS, false).unwrap(), code, "{text}");
    }
    // A page that no operand is on.
    let mut code = assemble("IADD.u32 r0, r1, r2", 1, stage::CS, false).unwrap();
    code[7] |= 1 << 1;
    let text = disassemble(&code, 1, stage::CS);
    assert!(text.contains(".word") && text.contains("FAU page 1 without an operand on it"), "{text}");
}

#[test]
fn listings_with_labels_read_back() {
    let text = "top: IADD_IMM.i32 r1, r1, #0xFFFFFFFF // count down\nBRANCHZ.reconverge r1, offset:top\n\
                BRANCHZ.eq 0x0, offset:done\nNOP\ndone:\nNOP.end\n.word 0x0000000000000000";
    let code = assemble(text, 1, stage::CS, false).unwrap();
    let words: Vec<u64> = code.chunks(8).map(|c| u64::from_le_bytes(c.try_into().unwrap())).collect();
    assert_eq!(disasm_words_line(&format!("{:#x}", words[1]), 1, 15).unwrap(), "BRANCHZ.reconverge r1, offset:-2");
    assert_eq!(disasm_words_line(&format!("{:#x}", words[2]), 1, 15).unwrap(), "BRANCHZ.eq 0x0, offset:1");
    let listing = disassemble(&code, 1, stage::CS);
    assert!(listing.contains("L4:"), "{listing}");
    assert_eq!(assemble(&listing, 1, stage::CS, false).unwrap(), code, "{listing}");
    // Cut inside an instruction: said, not invented.
    assert!(disassemble(&code[..12], 1, stage::CS).contains("truncated"));
}

#[test]
fn sources_pack_and_unpack() {
    for row in ROWS {
        for s in row.operands {
            let gpucc_valhall_machine::Kind::Src(kind) = s.kind else { continue };
            let width = 8 + if kind.mods.has_neg_abs() { 2 } else { 0 } + kind.mods.swizzle_width();
            let not = kind.mods == gpucc_valhall_machine::kind::SrcMods::Not;
            assert_eq!(s.field.width(), width + not as u32, "{} {}", row.text, s.name);
            let plain = operand::reg(9).pack(kind).unwrap();
            assert_eq!(operand::Src::unpack(kind, plain, 0).pack(kind), Some(plain));
        }
    }
}

#[test]
fn reference_page_names_every_row() {
    let page = gpucc_valhall_machine::reference_page();
    for row in ROWS {
        assert!(page.contains(&format!("| {} |", row.text)));
        assert!(!row.doc.is_empty() && !row.source.is_empty());
    }
}

#[test]
fn default_instructions_are_plain() {
    let plain: ValhallInst = inst(Op::FmaV2f16);
    let mut text = String::new();
    gpucc_valhall_machine::text::print(&plain, &mut text);
    assert_eq!(text, "FMA.v2f16 r0, 0x0, 0x0, 0x0");
}

/// Text from anywhere is read or refused with a place, never a panic.
#[test]
fn damaged_text_never_panics() {
    let lines: Vec<&str> = include_str!("../vectors/sample.txt").lines().filter_map(|l| l.split('\t').nth(1)).collect();
    let mut rng = Rng(4242);
    let noise =
        ['.', ',', ':', '@', '^', '#', '-', 'r', 'u', '0', '9', 'x', ' ', '\t', ';', '/', 'é', '\u{0}', '\u{1F980}'];
    let mut read = 0;
    for _ in 0..100_000 {
        let mut text: Vec<char> = lines[(rng.next() % lines.len() as u64) as usize].chars().collect();
        for _ in 0..1 + rng.next() % 3 {
            let at = (rng.next() % text.len() as u64) as usize;
            match rng.next() % 3 {
                0 => text[at] = noise[(rng.next() % noise.len() as u64) as usize],
                1 => text.insert(at, noise[(rng.next() % noise.len() as u64) as usize]),
                _ if text.len() > 1 => {
                    text.remove(at);
                }
                _ => {}
            }
        }
        let text: String = text.into_iter().collect();
        if let Ok(word) = asm_words_line(&text, 0, stage::ALL, false) {
            read += 1;
            disasm_words_line(&word, 0, stage::ALL).unwrap_or_else(|e| panic!("{text} gives {word}: {e}"));
        }
        if let Err(errors) = assemble(&text, 0, stage::ALL, false) {
            assert!(errors.iter().all(|e| e.line == 1 && e.column >= 1 && !e.message.is_empty()));
        }
        let _ = disasm_words_line(&text, 0, stage::ALL);
    }
    assert!(read > 1000);
}

/// Zeros behind a program are padding, to the end of the code or to the next program; elsewhere they are no instruction (section 19 of the
/// reference).
#[test]
fn zeros_behind_programs_are_padding() {
    use gpucc_valhall_machine::undecodable;
    let nop = 0x7800_c000_0000_0000_u64;
    let bad = |words: &[u64]| {
        let code: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let text = disassemble(&code, 1, stage::ALL);
        assert_eq!(assemble(&text, 1, stage::CS, false).unwrap(), code, "{text}");
        undecodable(&code, 1, stage::ALL)
    };
    assert_eq!(bad(&[nop]), 0);
    assert_eq!(bad(&[nop, 0, 0]), 0);
    assert_eq!(bad(&[[nop].as_slice(), &[0; 15], &[nop], &[0; 15]].concat()), 0);
    // Not before an instruction that no program begins with, and not all of a program.
    assert_eq!(bad(&[nop, 0, nop]), 1);
    assert_eq!(bad(&[[nop].as_slice(), &[0; 16], &[nop]].concat()), 1);
    assert_eq!(bad(&[0, 0]), 2);
    assert_eq!(bad(&[0, nop]), 1);
}
