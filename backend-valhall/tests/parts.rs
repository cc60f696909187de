//! Bytes and halves in memory: one access each.

#[path = "../../tests/support/parts.rs"]
mod shared;

#[test]
fn copies_are_a_load_and_a_store() {
    let loads = ["LOAD.i8", "LOAD.i16", "LD_BUFFER.i8", "LD_BUFFER.i16"];
    let stores = ["STORE.i8", "STORE.i16"];
    shared::copies_are_a_load_and_a_store(&loads, &stores, &["ATOM"]);
}
