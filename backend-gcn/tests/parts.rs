//! Bytes and halves in memory: one access each.

#[path = "../../tests/support/parts.rs"]
mod shared;

#[test]
fn copies_are_a_load_and_a_store() {
    let loads = ["buffer_load_u", "ds_read_u"];
    let stores = ["buffer_store_byte", "buffer_store_short", "ds_write_b8", "ds_write_b16"];
    shared::copies_are_a_load_and_a_store(&loads, &stores, &["atomic"]);
}
