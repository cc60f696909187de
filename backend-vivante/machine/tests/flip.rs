//! Damaged words decode stably or are refused; listings and rules hold on them.

use gpucc_isa::{Isa, Packed, TextCx, stage};
use gpucc_sim::SplitMix64;
use gpucc_vivante_machine::{Vivante, assemble, decode_word, disassemble, encode, reference_page, table};

fn words() -> Vec<[u32; 4]> {
    let text = include_str!("../vectors/reference.txt").to_owned() + include_str!("../vectors/sample.txt");
    let lines = text.lines().filter(|l| l.starts_with("0x"));
    lines
        .map(|l| {
            let mut raw = [0; 4];
            for (w, t) in raw.iter_mut().zip(l.split_whitespace()) {
                *w = u32::from_str_radix(&t[2..], 16).unwrap();
            }
            raw
        })
        .collect()
}

#[test]
fn flipped_bits() {
    let base = words();
    let count: u32 = std::env::var("GPUCC_FLIPS").ok().and_then(|v| v.parse().ok()).unwrap_or(1_000_000);
    let mut rng = SplitMix64::new(7);
    let mut accepted = 0;
    for n in 0..count {
        let mut w = base[rng.below(base.len() as u64) as usize];
        for _ in 0..=rng.below(3) {
            let bit = rng.below(128);
            w[(bit / 32) as usize] ^= 1 << (bit % 32);
        }
        let generation = rng.below(3) as u8;
        let Ok(inst) = decode_word(w, generation, stage::ALL) else { continue };
        accepted += 1;
        let again = encode(&inst, generation).unwrap();
        assert_eq!(again, w, "{inst:?}");
        // As it waits in a list, it is the same; a value set there is set in the word.
        let mut packed = Packed::from(inst);
        assert!(packed.unpack() == inst, "{inst:?}");
        for k in 0..inst.row().operands.len() {
            let (v, max) = (packed.at(k), inst.row().operands[k].field.max());
            packed.set_at(k, max);
            assert_eq!(packed.at(k), max);
            packed.set_at(k, v);
        }
        let word = w.iter().rev().fold(0, |n, &x| n << 32 | u128::from(x));
        assert_eq!(packed.encode(generation), Some((word, 16)), "{inst:?}");
        if n % 16 == 0 {
            // Text, rules and listings never panic, and a listing keeps the bytes.
            let _ = Vivante::validate(&inst, &TextCx::new(generation));
            let bytes: Vec<u8> = w.iter().flat_map(|w| w.to_le_bytes()).collect();
            let text = disassemble(&bytes, generation, stage::ALL);
            assert_eq!(assemble(&text, generation, stage::ALL, false).unwrap(), bytes, "{text}");
        }
    }
    println!("{accepted} of {count} accepted, {:.1} %", f64::from(accepted) * 100.0 / f64::from(count));
}

#[test]
fn random_words() {
    let mut rng = SplitMix64::new(8);
    for _ in 0..100_000 {
        let w = [rng.next_u32(), rng.next_u32(), rng.next_u32(), rng.next_u32()];
        for g in 0..3 {
            if let Ok(i) = decode_word(w, g, stage::ALL) {
                assert_eq!(encode(&i, g), Some(w));
            }
        }
    }
}

#[test]
fn page_shows_every_row() {
    let page = reference_page();
    for row in table().rows {
        assert!(page.contains(row.head()), "{}", row.head());
    }
}
