//! Tests that machine passes keep their order.

use gpucc_valhall::*;

#[test]
fn passes_keep_their_order() {
    let order = [
        ("prefer-even-regs", "local-cse", "copies into even registers that stay are computed once"),
        ("layout-uniforms", "legalise-operands", "whether words go together depends on their places"),
        ("legalise-operands", "local-cse", "moves of one word for several users are one"),
        ("alias-keys", "allocate", "bases are told apart by their virtual registers"),
        ("thread-jumps", "invert-branches", "which block comes next is known when no block is left that only jumps"),
        ("legalise-operands", "alias-keys", "bases that moved to registers are bases of their own"),
        ("reconverge", "drop-fallthrough", "whether lanes leave a block together stands at its jump"),
        ("drop-fallthrough", "waits", "a jump that goes must carry no wait"),
        ("keep-positions", "hoist-waits", "varyings that keep the position need no wait"),
        ("waits", "end-helpers", "an instruction that ends helpers has no room for a wait"),
        ("fold-flow", "end-helpers", "the end of a program leaves room where it is folded"),
        ("hoist-waits", "waits", "an instruction carries a wait that was moved, or its NOP stays"),
        ("waits", "fold-flow", "an instruction that carries a wait has no room for another flow"),
        ("waits", "last-uses", "no mark where a message may still have to read the register"),
    ];
    assert_eq!(gpucc_driver::check_order::<ValhallFamily>(&order), Ok(()));
}
