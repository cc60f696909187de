//! Tests of `frontend-naga/src/guard/wgsl.rs`.

use gpucc_frontend_naga::guard::wgsl::*;

fn code(source: &str) -> Option<&'static str> {
    check(source).err().map(|e| e.limit.code)
}

#[test]
fn ordinary_programs_pass() {
    let source = "@compute @workgroup_size(64) fn main() { if (true) { } else if (false) { } else { } }";
    assert_eq!(code(source), None);
    let mut long = String::from("fn f(x: u32) -> u32 { var r = 0u; switch x {");
    for i in 0..1023 {
        long += &format!("case {i}: {{ r = r * 3u + {i}u; }}\n");
    }
    long += "default: {} } return r; }\n";
    for i in 0..10_000 {
        long += &format!("const c{i} = vec4(1.0, 2.0, 3.0, f32({i})) * 2.0 + 1.0;\n");
    }
    assert_eq!(code(&long), None);
}

#[test]
fn many_ifs_in_a_row_are_no_nest() {
    let source = format!("fn f() {{ {} }}", "if a { b(); } else { c(); } x = 1;".repeat(10_000));
    assert_eq!(code(&source), None);
}

#[test]
fn deep_things_are_refused() {
    assert_eq!(code(&"(".repeat(50_000_000)), Some("limit-source-size"));
    assert_eq!(code(&"(".repeat(1_000_000)), Some("limit-nesting"));
    assert_eq!(code(&format!("fn f() {{ if a {{}} {} }}", "else if a {}".repeat(100_000))), Some("limit-else-if"));
    assert_eq!(code(&format!("const a = 1{};", "+1".repeat(100_000))), Some("limit-expression"));
    assert_eq!(code(&format!("const a = {}1;", "-".repeat(100_000))), Some("limit-expression"));
    assert_eq!(code(&format!("fn f() {{ x = a{}; }}", "[0]".repeat(100_000))), Some("limit-expression"));
    assert_eq!(code(&"alias a=b;".repeat(100_000)), Some("limit-declarations"));
    assert_eq!(code(&format!("fn f() {{ {} }}", "a = b;".repeat(200_000))), Some("limit-function-size"));
}

#[test]
fn comments_do_not_count() {
    assert_eq!(code(&format!("/* {} */ // {}\nconst a = 1;", "(".repeat(10_000), "{".repeat(10_000))), None);
    assert_eq!(code(&format!("// a comment ends here \u{2028} {}", "(".repeat(10_000))), Some("limit-nesting"));
}

#[test]
fn nested_chains_add_up() {
    // Each bracket holds a chain that stays below the limit; together they are too deep.
    let part = "+1".repeat(100);
    let source = format!("const a = {}1{}", format!("(1{part}+").repeat(100), ")".repeat(100));
    assert_eq!(code(&source), Some("limit-expression"));
}

#[test]
fn doubling_constants_are_refused() {
    let mut source = String::from("const c0 = vec2(1, 2);");
    for i in 1..30 {
        source += &format!("const c{i} = array(c{0}, c{0});", i - 1);
    }
    assert_eq!(code(&source), None, "nobody uses it");
    source += "fn f() { let x = c29; }";
    assert_eq!(code(&source), Some("limit-constant-size"));
}

#[test]
fn doubling_scalars_are_fine() {
    let mut source = String::from("const c0 = 1;");
    for i in 1..60 {
        source += &format!("const c{i} = c{0} + c{0} % 3;", i - 1);
    }
    assert_eq!(code(&(source + "fn f() { let x = c59; }")), None);
}
