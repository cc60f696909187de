//! Tests of `backend-gcn/machine/src/page.rs`.

#[test]
fn every_opcode_is_on_the_page() {
    let page = gpucc_gcn_machine::page::reference_page();
    for op in gpucc_gcn_machine::Op::ALL {
        assert!(page.contains(&format!("| `{}` |", op.name())), "{}", op.name());
    }
}
