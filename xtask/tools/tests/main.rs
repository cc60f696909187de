//! Pages cannot go stale unnoticed.

#[test]
fn pages_are_what_would_be_made_now() {
    let stale = gpucc_tools::docs::stale();
    assert!(stale.is_empty(), "{}", stale.join("\n"));
}

/// Pages with figures that are measured are not made again here; they say where they come from.
#[test]
fn measured_pages_name_their_revision() {
    let root = gpucc_tests::shared::workspace();
    let page = std::fs::read_to_string(root.join("docs/performance-measured.md")).expect("the page");
    assert!(page.trim_end().lines().last().is_some_and(|l| l.starts_with("Made from revision ")));
}
