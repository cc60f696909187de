//! Tests that machine passes keep their order.

use gpucc_gcn::*;

#[test]
fn passes_keep_their_order() {
    let order = [
        ("allocate", "spill-lanes", "which vector registers are left is known then"),
        ("thread-jumps", "drop-fallthrough", "a jump to a jump may lead to the next block"),
        ("exact-regions", "end-dead-waves", "a branch behind a discard is no work that keeps lanes on"),
        ("exact-regions", "dead-exec-writes", "where regions end together all but the last change of EXEC goes"),
        ("prologue", "dead-exec-writes", "the prologue sets EXEC"),
        ("prologue", "clauses", "its loads are loads like others"),
        ("dead-exec-writes", "clauses", "nothing is moved across a change of EXEC"),
        ("clauses", "fill-wait-states", "what stands between two memory instructions decides about wait states"),
        ("clauses", "shrink-compares", "a mask is in VCC only if nothing in between writes that"),
        ("fill-wait-states", "shrink-compares", "a mask is in VCC only if nothing in between writes that"),
        ("shrink-compares", "waits", "a mask in another register has other hazards"),
    ];
    assert_eq!(gpucc_driver::check_order::<GcnFamily>(&order), Ok(()));
}
