//! GCN's assembler and disassembler on programs of other compilers.

use std::path::Path;

#[test]
fn graphics_programs_of_other_compilers_decode() {
    let root = std::env::var("GPUCC_SHARED").unwrap_or_else(|_| "../../../shared".into());
    let path = Path::new(&root).join("foreign/graphics/gcn.jsonl");
    let Ok(text) = std::fs::read_to_string(&path) else {
        eprintln!("skipped: no {}", path.display());
        return;
    };
    let machine = gpucc_machines::find("gcn").unwrap();
    let mut programs = 0;
    for line in text.lines() {
        let program: serde_json::Value = serde_json::from_str(line).unwrap();
        let code = gpucc_machines::launch::unhex(program["code"].as_str().unwrap()).unwrap();
        let generation = machine.generations.iter().position(|g| *g == program["generation"]).unwrap();
        let listing = (machine.disassemble)(&code, generation, gpucc_isa::stage::ALL, &gpucc_isa::Notes::default());
        assert_eq!(listing.bad_words, 0, "{}\n{}", program["id"], listing.text);
        let back = (machine.assemble)(&listing.text, generation, gpucc_isa::stage::ALL, false);
        assert_eq!(back.as_ref(), Ok(&code), "{}\n{}", program["id"], listing.text);
        programs += 1;
    }
    assert_eq!(programs, 114);
}

/// Lines of another disassembler with the words behind them: our assembler reads them.
#[test]
fn lines_of_another_disassembler_assemble() {
    let root = std::env::var("GPUCC_SHARED").unwrap_or_else(|_| "../../../shared".into());
    let path = Path::new(&root).join("foreign/graphics/gcn.jsonl");
    let Ok(text) = std::fs::read_to_string(&path) else {
        eprintln!("skipped: no {}", path.display());
        return;
    };
    let machine = gpucc_machines::find("gcn").unwrap();
    let mut read = 0;
    for line in text.lines() {
        let program: serde_json::Value = serde_json::from_str(line).unwrap();
        if program["generation"] != "gfx8" {
            continue;
        }
        for line in program["listing"].as_str().unwrap().lines().filter(|l| !l.contains("BB")) {
            let Some((text, words)) = line.split_once(';') else { continue };
            let words: Vec<u32> = words.split_whitespace().filter_map(|w| u32::from_str_radix(w, 16).ok()).collect();
            let ours = (machine.assemble)(text.trim(), 2, gpucc_isa::stage::ALL, false);
            let ours = ours.unwrap_or_else(|e| panic!("{text}: {}", e[0]));
            let ours = ours.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]));
            // Bits that the chip ignores, and text does not say: 15:12 of s_waitcnt, sources of an export that are off (0x80 in
            // theirs), the upper half of a literal of 16 bits.
            let mnemonic = text.split_whitespace().next().unwrap();
            let meant: Vec<u32> = words
                .iter()
                .enumerate()
                .map(|(k, &w)| match (mnemonic, k) {
                    ("s_waitcnt", _) => w & !0xf000,
                    ("exp", 1) => u32::from_le_bytes(w.to_le_bytes().map(|b| if b == 0x80 { 0 } else { b })),
                    (m, 1) if m.contains("_f16_e32") && w >> 16 == 0xffff => w & 0xffff,
                    _ => w,
                })
                .collect();
            assert_eq!(ours.collect::<Vec<u32>>(), meant, "{text}: {words:x?}");
            read += 1;
        }
    }
    assert!(read > 4000, "{read} lines");
}
