//! The assembler: whole listings, errors with line and column, and lines of words.

use gpucc_isa::stage::ALL;
use gpucc_vivante_machine::{asm_words_line, assemble, disasm_words_line, disassemble};

fn errors(text: &str, generation: u8) -> Vec<(usize, usize, String)> {
    let e = assemble(text, generation, ALL, false).unwrap_err();
    e.into_iter().map(|e| (e.line, e.column, e.message)).collect()
}

#[test]
fn labels_and_comments() {
    let text = "; a loop\nstart:\n  add.s32 t1.x, t1.xxxx, void, 1 // short masks are read too\n\n  branch.lt.s32 void, t1.xxxx, 8, start # back\n";
    let code = assemble(text, 1, ALL, false).unwrap();
    assert_eq!(code.len(), 32);
    let listing = disassemble(&code, 1, ALL);
    assert!(listing.contains("branch.lt.s32     void, t1.xxxx, 8, L0 "), "{listing}");
    assert_eq!(assemble(&listing, 1, ALL, false).unwrap(), code);
}

#[test]
fn what_the_text_hides_is_listed_as_words() {
    // Uniform bank 1 prints as the other bank; the listing keeps the bytes.
    let words = "0x07811001 0x24c0b804 0x00000000 0x3024c038";
    let bytes: Vec<u8> =
        words.split(' ').flat_map(|w| u32::from_str_radix(&w[2..], 16).unwrap().to_le_bytes()).collect();
    let listing = disassemble(&bytes, 1, ALL);
    assert!(listing.contains(&format!(".word {words} ")) && listing.contains("(add"), "{listing}");
    assert_eq!(assemble(&listing, 1, ALL, false).unwrap(), bytes);
    assert!(disassemble(&bytes[..7], 1, ALL).contains("7 bytes left over"));
}

#[test]
fn every_bad_line_is_reported_with_its_column() {
    let text = "frobnicate t1, t2.xyzw\nadd t1, t2.xyzw, void, t999.xyzw\nmov t1, void, void, t2.xyzw\nadd.cond t1, t2.xyzw, void, t3.xyzw\nmov t1, void, void, 9999999\nmov t1, void, void, t2.xyq\nmul t1, t2.xyzw, t3.xyzw";
    let e = errors(text, 1);
    assert_eq!(e.iter().map(|e| e.0).collect::<Vec<_>>(), [1, 2, 4, 5, 6, 7]);
    assert!(e[0].2.contains("unknown mnemonic `frobnicate`"), "{e:?}");
    assert_eq!(e[1].1, 25);
    assert!(e[1].2.contains("out of range"), "{e:?}");
    assert!(e[2].2.contains(".cond"), "{e:?}");
    assert!(e[3].2.contains("20-bit"), "{e:?}");
    assert!(e[4].2.contains("swizzle"), "{e:?}");
}

#[test]
fn chips_lack_instructions_and_immediates() {
    assert!(errors("dp2 t1, t2.xyzw, t3.xyzw, void", 0)[0].2.contains("does not exist on gc2000"));
    assert!(errors("mov t1, void, void, 1", 0)[0].2.contains("no immediates"));
    assert!(errors("bit_rev t1, t2.xyzw, void, void", 1)[0].2.contains("does not exist on gc3000"));
    assert!(assemble("bit_rev t1, t2.xyzw, void, void", 2, ALL, false).is_ok());
}

#[test]
fn single_lines() {
    let words = "0x07821009 0x00000004 0x00000000 0x707f0008";
    let text = disasm_words_line(words, 1, ALL).unwrap();
    assert_eq!(text, "mov               t2, void, void, 1.000000");
    assert_eq!(asm_words_line(&text, 1, ALL, false).unwrap(), words);
    assert!(disasm_words_line("0x1 0x2", 1, ALL).unwrap_err().contains("truncated"));
    assert!(disasm_words_line("zebra", 1, ALL).is_err());
    assert!(disasm_words_line("", 1, ALL).is_err());
    assert!(asm_words_line("", 1, ALL, false).is_err());
    // Explicit kinds of newer disassemblers.
    let u20 = asm_words_line("mov t1, void, void, 4352:u20", 1, ALL, false).unwrap();
    assert!(disasm_words_line(&u20, 1, ALL).unwrap().ends_with("4352"));
    let mut huge = String::from("mov t1, void, void, ");
    huge.extend(std::iter::repeat_n('9', 100_000));
    assert!(asm_words_line(&huge, 1, ALL, false).is_err());
    assert!(asm_words_line("mov t1, void, void, \u{1F600}", 1, ALL, false).is_err());
}
