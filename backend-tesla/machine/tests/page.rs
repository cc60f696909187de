//! Tests of `backend-tesla/machine/src/page.rs`.

#[test]
fn every_row_has_a_line_and_a_meaning() {
    let page = gpucc_tesla_machine::page::reference_page();
    let lines = page.lines().filter(|l| l.starts_with("| `") && l.matches(" | ").count() >= 5).count();
    assert_eq!(lines, gpucc_tesla_machine::table().rows.len());
    assert!(gpucc_tesla_machine::table().rows.iter().all(|r| !r.doc.is_empty() && !r.source.is_empty()));
}
