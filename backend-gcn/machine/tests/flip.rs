//! Words made by flipping one to three bits of valid ones decode stably or are refused, and nothing panics.

use gpucc_gcn_machine::{decode, encode, vectors};
use gpucc_isa::{Isa, Packed, TextCx, stage};

#[test]
fn flipped_words_decode_stably_or_not_at_all() {
    let count: u64 = std::env::var("GPUCC_FLIPS").ok().and_then(|n| n.parse().ok()).unwrap_or(200_000);
    let seeds: Vec<(u8, Vec<u8>)> = [
        include_str!("../vectors/scalar.txt"),
        include_str!("../vectors/vector.txt"),
        include_str!("../vectors/compare.txt"),
        include_str!("../vectors/memory.txt"),
        include_str!("../vectors/image.txt"),
    ]
    .iter()
    .flat_map(|t| t.lines().filter(|l| !l.starts_with('#')))
    .map(|l| {
        let mut p = l.split('\t');
        let g = vectors::generation(p.next().unwrap()).unwrap();
        (g, p.next().unwrap().split(',').map(|b| u8::from_str_radix(b, 16).unwrap()).collect())
    })
    .collect();
    let mut state = 0x1234_5678_9abc_def1u64;
    let mut next = |n: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % n
    };
    let mut accepted = 0u64;
    for i in 0..count {
        let (g, seed) = &seeds[next(seeds.len() as u64) as usize];
        // Behind a short instruction there may be any literal.
        let mut bytes = seed.clone();
        bytes.resize(8, next(256) as u8);
        for _ in 0..=next(3) {
            let bit = next(seed.len() as u64 * 8);
            bytes[bit as usize / 8] ^= 1 << (bit % 8);
        }
        let Ok((inst, n)) = decode(&bytes, *g, stage::ALL) else { continue };
        accepted += 1;
        let again = encode(&inst, *g).expect("a decoded row exists");
        assert_eq!(again, bytes[..n], "{inst:?}");
        // As it waits in a list, it is the same.
        let packed = Packed::from(inst);
        assert!(packed.unpack() == inst, "{inst:?}");
        let (word, length) = packed.encode(*g).expect("a decoded row exists");
        assert_eq!(word.to_le_bytes()[..length], bytes[..n], "{inst:?}");
        let (back, m) = decode(&again, *g, stage::ALL).expect("decodes again");
        assert!(back == inst && m == n, "{inst:?}");
        if i % 16 == 0 {
            let mut text = String::new();
            gpucc_gcn_machine::Gcn::print(&inst, &TextCx::new(*g), &mut text);
            assert!(!text.contains('<'), "{text}");
        }
    }
    println!("{accepted} of {count} accepted ({} %)", accepted * 100 / count);
}
