//! Tests of `frontend-naga/src/report.rs`.

use gpucc_frontend_naga::report::*;

#[test]
fn lines_and_columns() {
    let text = "a\nbä c\n";
    assert_eq!(line_column(text, 0), (1, 1));
    assert_eq!(line_column(text, 2), (2, 1));
    assert_eq!(line_column(text, 6), (2, 4));
    assert_eq!(line_column(text, 4), (2, 2), "inside a character");
    assert_eq!(line_column(text, 99), (3, 1));
}
