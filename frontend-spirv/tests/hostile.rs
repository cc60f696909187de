//! Damaged modules are refused, with the instruction and its place; none breaks the compiler.

use crate::common::{lower, modules};
use gpucc_ir::Class;
use gpucc_sim::SplitMix64;

#[test]
fn damaged_modules_are_refused() {
    let (mut read, mut refused) = (0, 0);
    for (k, (name, whole)) in modules().into_iter().enumerate() {
        for length in (0..whole.len()).step_by(whole.len() / 40) {
            if let Err(list) = lower(&whole[..length]) {
                assert_eq!(list[0].class, Class::Invalid, "{name} {length}: {}", list[0]);
            }
        }
        let mut random = SplitMix64::new(5 + k as u64);
        for round in 0..400 {
            let mut bytes = whole.clone();
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
    }
    assert!(read > 10 && refused > 100, "{read} read, {refused} refused");
}
