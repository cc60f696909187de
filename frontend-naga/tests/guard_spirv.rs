//! Tests of `frontend-naga/src/guard/spirv.rs`.

use gpucc_frontend_naga::guard::limits::{self};
use gpucc_frontend_naga::guard::spirv::*;

fn binary(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

#[test]
fn header_and_framing() {
    let good = binary(&[MAGIC, 0x10300, 0, 8, 0, 0x0002_0011, 1]);
    assert_eq!(check(&good).map(|c| c.0), Ok(good.clone()));
    let swapped: Vec<u8> = good.chunks(4).flat_map(|w| w.iter().rev().copied().collect::<Vec<_>>()).collect();
    assert_eq!(check(&swapped).map(|c| c.0), Ok(good.clone()));
    for bad in [
        vec![],
        vec![1, 2, 3],
        binary(&[MAGIC, 0, 0]),
        binary(&[0xdead_beef; 8]),
        good[..good.len() - 4].to_vec(),
        binary(&[MAGIC, 0x10300, 0, 8, 0, 0]),
    ] {
        assert!(matches!(check(&bad), Err(Refused::Malformed(_))), "{bad:?}");
    }
}

#[test]
fn counts_are_limited() {
    assert_eq!(check(&binary(&[MAGIC, 0x10300, 0, u32::MAX, 0])), Err(Refused::Limit(limits::SPIRV_IDS, 3)));
    let mut words = vec![MAGIC, 0x10300, 0, 8, 0];
    for _ in 0..=limits::SPIRV_MERGES.max {
        words.extend([0x0003_00f7, 1, 0]);
    }
    assert!(matches!(check(&binary(&words)), Err(Refused::Limit(limits::SPIRV_MERGES, _))));
}
