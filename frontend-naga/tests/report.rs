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

/// What naga's reader of GLSL says is in the words of GLSL: no name of a variant of its own.
#[test]
fn messages_about_glsl_are_sentences() {
    use gpucc_frontend_naga::{Input, Lang, Stage, parse};
    let cases = [
        ("#foo\nvoid main() {}", "there is no such directive"),
        ("#include \"common.glsl\"\nvoid main() {}", "there is no such directive"),
        ("void main() { int a = 1 @ 2; }", "this character does not belong into GLSL"),
        ("#if 1\nvoid main() {}", "`#if` has no `#endif`"),
        ("#endif\nvoid main() {}", "`#endif` has no `#if`"),
        ("#error stop\nvoid main() {}", "`#error` is reached"),
        ("#define A(x) x\nvoid main() { int b = A(1, 2); }", "the macro is called with more arguments than it has"),
        ("#define A 1\n#define A 2\nvoid main() {}", "the macro is defined already, as something else"),
        ("#if 1/0\n#endif\nvoid main() {}", "a division by zero in the condition"),
        ("void main() { float x = 1.0 }", "expected `,` or `;`, found `}`"),
        ("void main() { if }", "expected `(`, found `}`"),
        ("mmon", "expected"),
    ];
    for (text, want) in cases {
        let text = format!("#version 450\nlayout(local_size_x = 1) in;\n{text}\n");
        let list = parse(Input::text(&text), Lang::Glsl(Stage::Compute)).expect_err(want);
        let said: Vec<&str> = list.iter().map(|d| d.message.as_str()).collect();
        assert!(said[0].contains(want), "{text}: {said:?}");
        // A variant is written as one word of several.
        let is_variant = |w: &str| w.chars().skip(1).any(char::is_uppercase) && w.chars().any(char::is_lowercase);
        assert!(!said[0].split([' ', '`', '"', ',']).any(is_variant), "{text}: {said:?}");
    }
}
