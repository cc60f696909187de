//! What passes leave is selected, and machine passes keep their order.

use gpucc_valhall::*;

/// Whatever the passes may leave is selected, and each machine pass's text reads back.
#[test]
fn knows_all_that_passes_leave() {
    let failures = gpucc_driver::prepared_cases::<ValhallFamily>();
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn passes_keep_their_order() {
    let order = [
        ("prefer-even-regs", "local-cse", "copies into even registers that stay are computed once"),
        ("layout-uniforms", "legalise-operands", "whether words go together depends on their places"),
        ("legalise-operands", "local-cse", "moves of one word for several users are one"),
        ("alias-keys", "allocate", "bases are told apart by their virtual registers"),
        ("thread-jumps", "invert-branches", "which block comes next is known when no block is left that only jumps"),
        ("legalise-operands", "alias-keys", "bases that moved to registers are bases of their own"),
    ];
    assert_eq!(gpucc_driver::check_order::<ValhallFamily>(&order), Ok(()));
}
