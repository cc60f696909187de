//! Tests of `frontend-naga/src/guard/glsl.rs`.

use gpucc_frontend_naga::guard::glsl::*;

fn code(source: &str) -> Option<&'static str> {
    check(source).err().map(|e| e.limit.code)
}

#[test]
fn ordinary_macros_pass() {
    let source = "#version 450\n#define PI 3.14\n#define SQ(x) ((x) * (x))\nvoid main() { float a = SQ(SQ(PI)); }";
    assert_eq!(code(source), None);
    assert!(expansion(source) < 1000, "{}", expansion(source));
}

#[test]
fn doubling_macros_are_refused() {
    for base in ["x + x", "", "#"] {
        let mut source = format!("#version 450\n#define A0 {base}\n");
        for i in 1..40 {
            source += &format!("#define A{i} A{0} A{0}\n", i - 1);
        }
        assert_eq!(code(&(source + "void main() { int x = A39; }")), Some("limit-macro-expansion"), "{base}");
    }
    let calls = format!("{}1{}", "F(".repeat(60), ")".repeat(60));
    assert_eq!(code(&format!("#define F(x) x x\nint a = {calls};")), Some("limit-macro-expansion"));
}

#[test]
fn depth_is_seen_behind_macros() {
    let deep = "(".repeat(200);
    let source = format!("#define A {deep}\nvoid main() {{ int x = A A A; }}");
    assert_eq!(code(&source), Some("limit-nesting"));
}

#[test]
fn statements_without_braces_nest() {
    assert_eq!(code(&format!("void f() {{ if (a) b; {} }}", "else if (a) b;".repeat(100_000))), Some("limit-else-if"));
    assert_eq!(code(&format!("void f() {{ {} ; }}", "if (a)".repeat(100_000))), Some("limit-blocks"));
    assert_eq!(code(&format!("void main() {{ {} }}", "if (a) b(); else c(); x = 1;".repeat(10_000))), None);
    assert_eq!(code(&format!("void main() {{ /* {} }}", "(".repeat(10_000))), None, "naga reports the comment");
}
