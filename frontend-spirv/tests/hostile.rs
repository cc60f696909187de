//! Damaged modules are refused, with the instruction and its place; none breaks the compiler.

use crate::common::{lower, modules};
use gpucc_ir::Class;
use gpucc_sim::SplitMix64;

/// Damaged words of the modules of `GPUCC_SPIRV_FOLDER`, for as many seconds as `GPUCC_SPIRV_SECONDS` says; nothing without them. A
/// module that takes more than some seconds is a finding, too.
#[test]
fn damaged_modules_of_a_folder() {
    let (Ok(folder), Ok(seconds)) = (std::env::var("GPUCC_SPIRV_FOLDER"), std::env::var("GPUCC_SPIRV_SECONDS")) else {
        return;
    };
    let seconds = seconds.parse().expect("seconds");
    let mut files: Vec<_> = std::fs::read_dir(folder).expect("a folder").flatten().map(|f| f.path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "spv"));
    files.sort();
    let start = std::time::Instant::now();
    let (mut tried, mut read) = (0u64, 0u64);
    let mut random = SplitMix64::new(seconds);
    while start.elapsed().as_secs() < seconds {
        let file = &files[random.below(files.len() as u64) as usize];
        let whole = std::fs::read(file).expect("a module");
        for _ in 0..20 {
            let mut bytes = whole.clone();
            damage(&mut bytes, &mut random);
            let one = std::time::Instant::now();
            let lowered = lower(&bytes);
            tried += 1;
            let found = match &lowered {
                Ok(module) => {
                    read += 1;
                    gpucc_ir::verify::verify_module(module).err().map(|list| list[0].to_string())
                }
                Err(list) => list.iter().find(|d| d.class == Class::Internal).map(|d| format!("{d} {:?}", d.notes)),
            };
            let found = found.or_else(|| (one.elapsed().as_secs() > 5).then(|| format!("took {:?}", one.elapsed())));
            if let Some(found) = found {
                let kept = std::env::temp_dir().join("gpucc-finding.spv");
                std::fs::write(&kept, &bytes).expect("a file");
                panic!("{}: {found}; kept as {}", file.display(), kept.display());
            }
        }
    }
    eprintln!("{tried} modules, {read} of them read");
}

/// Changes one to three words, or swaps, doubles or drops whole instructions.
fn damage(bytes: &mut Vec<u8>, random: &mut SplitMix64) {
    for _ in 0..=random.below(3) {
        let words = bytes.len() as u64 / 4;
        let at = random.below(words) as usize * 4;
        let other = random.below(words) as usize * 4;
        match random.below(5) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at..at + 4].copy_from_slice(&(random.below(128) as u32).to_le_bytes()),
            2 => bytes[at..at + 4].copy_from_slice(&random.next_u32().to_le_bytes()),
            3 => bytes.copy_within(other..other + 4, at),
            _ => {
                let mut list = Vec::new();
                let mut k = 20;
                while k < bytes.len() {
                    let n = usize::from(u16::from_le_bytes([bytes[k + 2], bytes[k + 3]])) * 4;
                    if n == 0 || k + n > bytes.len() {
                        break;
                    }
                    list.push(k..k + n);
                    k += n;
                }
                if let Some(one) = list.get(random.below(list.len().max(1) as u64) as usize).cloned() {
                    let copy = bytes[one.clone()].to_vec();
                    let to = list[random.below(list.len() as u64) as usize].start;
                    match random.below(2) {
                        0 => drop(bytes.drain(one)),
                        _ => drop(bytes.splice(to..to, copy)),
                    }
                }
            }
        }
    }
}

/// Lowers the beginnings of a module and what damage makes of its words; how many were read and refused.
pub fn damaged(name: &str, whole: &[u8], seed: u64, rounds: usize) -> [usize; 2] {
    for length in (0..whole.len()).step_by(whole.len() / 40) {
        if let Err(list) = lower(&whole[..length]) {
            assert_eq!(list[0].class, Class::Invalid, "{name} {length}: {}", list[0]);
        }
    }
    let mut random = SplitMix64::new(seed);
    let [mut read, mut refused] = [0; 2];
    for round in 0..rounds {
        let mut bytes = whole.to_vec();
        for _ in 0..=random.below(3) {
            let at = random.below(bytes.len() as u64 / 4) as usize * 4;
            match random.below(3) {
                0 => bytes[at] ^= 1 << random.below(8),
                1 => bytes[at..at + 4].copy_from_slice(&(random.below(128) as u32).to_le_bytes()),
                _ => bytes[at..at + 4].copy_from_slice(&random.next_u32().to_le_bytes()),
            }
        }
        match lower(&bytes) {
            Ok(module) => {
                read += 1;
                let verified = gpucc_ir::verify::verify_module(&module);
                assert!(verified.is_ok(), "{name} {round}: {}", verified.unwrap_err()[0]);
            }
            Err(list) => {
                refused += 1;
                assert_ne!(list[0].class, Class::Internal, "{name} {round}: {} {:?}", list[0], list[0].notes);
            }
        }
    }
    [read, refused]
}

#[test]
fn damaged_modules_are_refused() {
    let one = |(seed, (name, whole)): (u64, (String, Vec<u8>))| damaged(&name, &whole, seed, 400);
    let [read, refused] = (5..).zip(modules()).map(one).fold([0; 2], |[a, b], [x, y]| [a + x, b + y]);
    assert!(read > 10 && refused > 100, "{read} read, {refused} refused");
}
