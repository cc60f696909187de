//! Tests that machine passes keep their order.

use gpucc_tesla::*;

/// With all 64 registers given out nothing but the 7 bits of a long form names the one that reads 0.
#[test]
fn a_zero_beside_an_immediate_keeps_a_register_back() {
    let given: String = (0..63).map(|k| format!("  %{k}:r = M(MovFromSr)\n")).collect();
    let stored: String = (0..64).map(|k| format!("  M(StL) %{k}\n")).collect();
    let with = |sum: &str| {
        let text = format!("; run: allocate\nmir f vregs 64 {{\nb0:\n{given}  %63:r = {sum}\n{stored}  Exit\n}}\n");
        gpucc_driver::run_text::<TeslaFamily>(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
    };
    assert!(with("M(MovFromSr)").contains("r63"));
    let text = with("M(Add) r127, 0x1");
    assert!(!text.contains("r63"), "{text}");
}

#[test]
fn passes_keep_their_order() {
    let order = [
        ("machine-copy-prop", "local-cse", "equal instructions read equal registers only then"),
        ("fold-moves", "fold-breaks", "a block that only breaks has no moves left"),
        ("thread-jumps", "fold-breaks", "what a branch leads to is known"),
        ("fold-breaks", "invert-branches", "a break has no side that comes next"),
        ("invert-branches", "drop-fallthrough", "the jump behind a branch leads to what comes next"),
        ("fold-breaks", "drop-joins", "branches that became breaks push for no join"),
        ("drop-fallthrough", "expand-locks", "a loop around a locked word is left as it is"),
        ("drop-joins", "carry-joins", "joins that nothing needs are gone"),
        ("layout-uniforms", "pair-short", "short forms reach the first words alone"),
        ("drop-joins", "into-outputs", "no join stands between a result and its store"),
        ("into-outputs", "pair-short", "short forms have no o[]"),
        ("carry-joins", "pair-short", "what carries a join is long"),
        ("pair-short", "carry-exits", "an instruction that is pulled up leaves the end to another"),
    ];
    assert_eq!(gpucc_driver::check_order::<TeslaFamily>(&order), Ok(()));
}
