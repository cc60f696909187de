//! Tests of `backend-gcn/machine/src/reference.rs`.

#[test]
fn every_opcode_is_on_the_page() {
    let page = gpucc_gcn_machine::reference::reference_page();
    for op in gpucc_gcn_machine::Op::ALL {
        assert!(page.contains(&format!("| `{}` |", op.name())), "{}", op.name());
    }
}
