//! Tests of `tests/kit/src/examples/parallel.rs`.

use gpucc_kit::examples::parallel::*;

#[test]
fn digests_of_the_standard() {
    // FIPS 180-4 examples: "abc", the empty message, and the one of two blocks.
    let abc = [0xba78_16bf, 0x8f01_cfea, 0x4141_40de, 0x5dae_2223, 0xb003_61a3, 0x9617_7a9c, 0xb410_ff61, 0xf200_15ad];
    assert_eq!(sha256_of(b"abc"), abc);
    assert_eq!(sha256_of(b"")[..2], [0xe3b0_c442, 0x98fc_1c14]);
    let two = sha256_of(b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq");
    assert_eq!(two[..2], [0x248d_6a61, 0xd206_38b8]);
}
