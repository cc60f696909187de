//! The table against itself and against `llvm-mc`.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};

use gpucc_gcn_machine::isa::Kind;
use gpucc_gcn_machine::{Gcn, Op, asm_words_line, decode, disasm_words_line, encode, operand, table, validate};
use gpucc_isa::{Inst, Isa, TextCx, stage};

/// xorshift64*: the tests' only source of chance.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
    fn below(&mut self, n: u32) -> u32 {
        (self.next() >> 33) as u32 % n
    }
}

/// A random legal instruction of row `r` on `generation` that also keeps the emission rules.
fn random(r: u16, generation: u8, rng: &mut Rng) -> Option<Inst<Gcn>> {
    for _ in 0..20_000 {
        let mut inst: Inst<Gcn> = Inst::new(r);
        for (i, s) in inst.row().operands.iter().enumerate() {
            let max = s.field.max();
            let v = (rng.next() >> 32) as u32 & max;
            inst.vals[i] = match s.kind {
                Kind::SReg(_) | Kind::SData(_) | Kind::SRegSrc(_) => (v & 0x7f) & !(rng.below(2) * 3),
                Kind::SBase(_) | Kind::SRsrc(_) => v & !(rng.below(2)),
                Kind::SSrc(n) => match rng.below(3) {
                    0 => 128 + v % 65,
                    1 if inst.row().operand("lit").is_some() => operand::LITERAL,
                    _ => (v & 0x7f) & !(u32::from(n) - 1),
                },
                Kind::Src(n, _) if rng.below(2) == 0 => (v & !0x1ff & max) | (v & 0x7f) & !(u32::from(n) - 1),
                Kind::Imm16 if rng.below(2) == 0 => v & 7,
                Kind::Flag(_) => u32::from(rng.below(4) == 0),
                Kind::ExpSrc(_) | Kind::BufAddr if rng.below(2) == 0 => 0,
                Kind::Literal if inst.row().text.ends_with("16") => v & 0x7fff | 0x100,
                Kind::Literal | Kind::LiteralWord => v | 0x100_0000,
                Kind::Swizzle => v & 0x7fff,
                Kind::SOffset if s.field.width() == 32 => v,
                _ => v,
            };
        }
        if operand::legal(&inst, generation).is_ok() && validate::validate(&inst, generation).is_ok() {
            return Some(inst);
        }
    }
    None
}

fn text(inst: &Inst<Gcn>, generation: u8) -> String {
    let mut out = String::new();
    Gcn::print(inst, &TextCx::new(generation), &mut out);
    out
}

#[test]
fn no_two_rows_match_one_word() {
    // At run time: n squared pairs of some thousand rows take the constant evaluator minutes.
    gpucc_isa::check::ambiguity(table().rows);
}

#[test]
fn every_row_survives_a_round_trip() {
    let mut rng = Rng(1);
    for r in 0..table().rows.len() as u16 {
        for g in 0..3 {
            if table().rows[r as usize].enc_on(g).is_none() {
                continue;
            }
            for _ in 0..8 {
                let inst =
                    random(r, g, &mut rng).unwrap_or_else(|| panic!("no form of {:?}", table().rows[r as usize].op));
                let bytes = encode(&inst, g).expect("the row exists");
                let t = text(&inst, g);
                let (back, n) = decode(&bytes, g, stage::ALL).unwrap_or_else(|e| panic!("{t} on {g}: {e}"));
                assert_eq!((back.row, back.vals, n), (inst.row, inst.vals, bytes.len()), "{t}");
                let hex: Vec<String> = bytes.iter().map(|b| format!("{b:02x}")).collect();
                assert_eq!(disasm_words_line(&hex.join(","), g, stage::ALL).as_deref(), Ok(t.as_str()));
                match asm_words_line(&t, g, stage::ALL, false) {
                    Ok(b) => assert_eq!(b, hex.join(","), "{t}"),
                    Err(e) => panic!("`{t}` on {g} does not assemble: {e}"),
                }
            }
        }
    }
}

/// Instructions that LLVM 14 does not know although the hardware has them (reference, "Tool facts").
const NOT_IN_LLVM: &[Op] = &[
    Op::VMovFedB32,
    Op::SGetregRegrdB32,
    Op::SMovRegrdB32,
    Op::DsCondxchg32RtnB128,
    Op::BufferAtomicRsub,
    Op::BufferAtomicRsubX2,
];

#[test]
fn llvm_assembles_every_row_form_to_our_bytes() {
    if Command::new("llvm-mc").arg("--version").output().is_err() {
        println!("skipped: llvm-mc is not installed");
        return;
    }
    let mut rng = Rng(7);
    let mut differ: BTreeMap<String, String> = BTreeMap::new();
    let mut count = 0;
    for (g, cpu) in ["tahiti", "bonaire", "fiji"].into_iter().enumerate() {
        let g = g as u8;
        let mut lines = Vec::new();
        for r in 0..table().rows.len() as u16 {
            let row = &table().rows[r as usize];
            if row.enc_on(g).is_none() || NOT_IN_LLVM.contains(&row.op) {
                continue;
            }
            for _ in 0..6 {
                let inst = random(r, g, &mut rng).unwrap_or_else(|| panic!("no form of {:?} on {cpu}", row.op));
                let t = text(&inst, g);
                // The tool takes constants of an f16 source in the short form only, before gfx8 (docs/errata-gcn.md).
                if g < 2
                    && row.op == Op::VCvtF32F16
                    && t.contains("_e64")
                    && inst.get("src0").is_some_and(|c| (128..256).contains(&(c & 0x1ff)))
                {
                    continue;
                }
                // LLVM 14 lacks the data widths of image atomics with tfe.
                if t.contains("xnack_mask") || t.contains("image_atomic") && t.contains("tfe") {
                    continue;
                }
                lines.push((t, encode(&inst, g).expect("the row exists")));
            }
        }
        let mut child = Command::new("llvm-mc")
            .args(["-arch=amdgcn", &format!("-mcpu={cpu}"), "-show-encoding"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("llvm-mc starts");
        let input: String = lines.iter().map(|(t, _)| format!("{t}\n")).collect();
        let mut stdin = child.stdin.take().expect("piped");
        let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
        let out = child.wait_with_output().expect("llvm-mc ends");
        writer.join().expect("no panic").expect("all written");
        let errors = String::from_utf8_lossy(&out.stderr);
        let mut refused: BTreeMap<usize, String> = BTreeMap::new();
        for e in errors.lines().filter(|l| l.contains(": error: ")) {
            let line: usize = e.split(':').nth(1).and_then(|n| n.parse().ok()).expect("a line number");
            refused.entry(line - 1).or_insert_with(|| e.to_string());
        }
        let stdout = String::from_utf8_lossy(&out.stdout);
        let mut encodings = stdout.lines().filter_map(|l| l.split("encoding: [").nth(1)).map(|e| {
            let list = e.split(']').next().unwrap_or("");
            list.split(',')
                .map(|b| u8::from_str_radix(b.trim_start_matches("0x"), 16).unwrap_or(0))
                .collect::<Vec<u8>>()
        });
        for (i, (t, bytes)) in lines.iter().enumerate() {
            count += 1;
            let head = t.split(' ').next().unwrap_or("").to_string();
            if let Some(e) = refused.get(&i) {
                differ.entry(head).or_insert_with(|| format!("{cpu}: {t}: {e}"));
                continue;
            }
            let theirs = encodings.next().expect("one encoding a line");
            if theirs != *bytes {
                differ.entry(head).or_insert_with(|| format!("{cpu}: {t}: {theirs:02x?}, ours {bytes:02x?}"));
            }
        }
    }
    println!("{count} lines");
    let shown: Vec<&String> = differ.values().take(60).collect();
    assert!(differ.is_empty(), "{} mnemonics differ:\n{shown:#?}", differ.len());
}
