//! Tests of `ir/src/source.rs`.

use gpucc_ir::Span;
use gpucc_ir::source::*;

#[test]
fn places() {
    let f = SourceFile::new("a.comp", "one\n  two \n\nthree");
    assert_eq!(f.span(1, 1), Some(Span::new(0, 3)));
    assert_eq!(f.span(2, 0), Some(Span::new(6, 9)));
    assert_eq!(f.span(2, 4), Some(Span::new(7, 9)));
    assert_eq!(f.span(3, 1), Some(Span::new(11, 12)), "the newline of an empty line");
    assert_eq!(f.span(4, 0), Some(Span::new(12, 17)));
    assert_eq!((f.span(0, 1), f.span(5, 1), f.span(1, 9)), (None, None, None));
}
