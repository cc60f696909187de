//! Bytes and halves in memory: one access each.

#[path = "../../tests/support/parts.rs"]
mod shared;

#[test]
fn copies_are_a_load_and_a_store() {
    let loads = ["ld u8", "ld u16", " u16 s[0x2", " u8 s[0x2", " u16 s[$a", " u8 s[$a"];
    let stores = ["st u8", "st u16", "st b8", "st b16"];
    shared::copies_are_a_load_and_a_store(&loads, &stores, &["red ", "lock"]);
}
