//! Tests of limits: inputs that the front end must accept, and those that it must refuse without a crash. Inputs at the limits go all the way
//! through: parse, validate, lower, verify.

use gpucc_frontend_naga::{Input, Lang, Options, Stage, limits, lower, parse};
use gpucc_ir::{Class, Diagnostic, Module};
use std::time::{Duration, Instant};

const HEADER: &str = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n";
const MAIN: &str = "@compute @workgroup_size(1) fn main() ";

fn compile(source: &str, lang: Lang) -> Result<Module, Vec<Diagnostic>> {
    let parsed = parse(Input::text(source), lang)?;
    lower(&parsed, &Options::default())
}

#[track_caller]
fn accepted(source: &str, lang: Lang) -> Module {
    let module = compile(source, lang).unwrap_or_else(|list| panic!("{}", list[0]));
    // The verifier may recurse over what we made.
    std::thread::scope(|scope| {
        let verify = || gpucc_ir::verify::verify_module(&module).map_err(|f| f[0].to_string());
        let thread = std::thread::Builder::new().stack_size(limits::STACK_BYTES).spawn_scoped(scope, verify);
        thread.expect("a thread").join().expect("no panic").unwrap_or_else(|finding| panic!("{finding}"));
    });
    module
}

#[track_caller]
fn refused(source: &str, lang: Lang, code: &str) {
    let start = Instant::now();
    let list = compile(source, lang).expect_err("must be refused");
    assert_eq!(list[0].code, code, "{}", list[0]);
    assert_eq!(list[0].class, Class::Invalid);
    assert!(start.elapsed() < Duration::from_secs(5), "took {:?}", start.elapsed());
}

fn body(statements: &str) -> String {
    format!("{HEADER}{MAIN}{{ {statements} }}")
}

fn glsl(statements: &str) -> String {
    format!("#version 450\nlayout(std430, binding = 0) buffer B {{ int o[]; }};\nvoid main() {{ {statements} }}")
}

const GLSL: Lang = Lang::Glsl(Stage::Compute);

#[test]
fn large_programs_are_accepted() {
    accepted(&body(&"o[0] = o[0] + 1u;\n".repeat(10_000)), Lang::Wgsl);
    let mut functions = String::from(HEADER);
    functions += "fn f0() -> u32 { return o[1]; }\n";
    for i in 1..1000 {
        functions += &format!("fn f{i}() -> u32 {{ return f{}() + {i}u; }}\n", i - 1);
    }
    // A larger one stays in memory.
    let copies = "{ let t = a; b = t; a = t; }".repeat(100);
    accepted(&body(&format!("var a: array<u32, 20000>; var b: array<u32, 20000>; {copies}")), Lang::Wgsl);
    accepted(&format!("{functions}{MAIN}{{ o[0] = f999(); }}"), Lang::Wgsl);
    let cases: String = (0..1023).map(|i| format!("case {i}: {{ o[0] = {}u; }}\n", i * 7)).collect();
    accepted(&body(&format!("switch o[1] {{ {cases} default: {{}} }}")), Lang::Wgsl);
    // Loops copy them.
    let copies = "a = b; b = a;".repeat(100);
    accepted(&body(&format!("var a: array<u32, 20000>; var b: array<u32, 20000>; {copies}")), Lang::Wgsl);
}

#[test]
fn a_mebibyte_is_accepted() {
    let mut source = String::from(HEADER);
    let mut calls = String::new();
    for i in 0.. {
        if source.len() > 1 << 20 {
            break;
        }
        source += &format!("fn part{i}(x: u32) -> u32 {{\n");
        source += &"  // A comment of ordinary length, as people write them.\n".repeat(20);
        source += "  var y = x;\n";
        source += &"  y = y * 1664525u + 1013904223u;\n".repeat(40);
        source += "  return y;\n}\n";
        calls += &format!("o[{i}] = part{i}({i}u);\n");
    }
    accepted(&format!("{source}{MAIN}{{ {calls} }}"), Lang::Wgsl);
}

#[test]
fn what_the_limits_admit_fits_the_stack() {
    let operators = limits::EXPRESSION.max as usize - 64;
    accepted(&body(&format!("let a = o[1]; o[0] = a{};", "+a".repeat(operators))), Lang::Wgsl);
    accepted(&body(&format!("let a = o[1] == 0; if a{} {{ o[0] = 1; }}", "&&a".repeat(operators / 2))), Lang::Wgsl);
    accepted(&format!("{HEADER}const K = 1{}; {MAIN}{{ o[0] = K; }}", "+1".repeat(operators)), Lang::Wgsl);
    let else_ifs = limits::ELSE_IF.max as usize;
    let chain = "else if x == 2 { o[0] = 2; }".repeat(else_ifs);
    accepted(&body(&format!("let x = o[1]; if x == 1 {{ o[0] = 1; }} {chain}")), Lang::Wgsl);
    accepted(&body(&format!("{}let x = 1;{}", "{".repeat(120), "}".repeat(120))), Lang::Wgsl);
    accepted(
        &body(&format!("{} o[0] = 1; {}", "loop { if o[1] == 1 { break; } ".repeat(60), "}".repeat(60))),
        Lang::Wgsl,
    );
    let chain = "else if (x == 2) o[0] = 2;".repeat(else_ifs);
    accepted(&glsl(&format!("int x = o[1]; if (x == 0) o[0] = 1; {chain}")), GLSL);
    accepted(&glsl(&format!("int x = o[1]; o[0] = {}1;", "x == 2 ? 3 : ".repeat(2000))), GLSL);
    accepted(&glsl(&format!("int x = o[1]; o[0] = {}1;", "- ".repeat(operators))), GLSL);
    accepted(&glsl(&format!("int x = o[1]; {} o[0] = 1;", "if (x == 2) ".repeat(2000))), GLSL);
    accepted(&glsl(&format!("int x = o[1]; {}1;", "x = ".repeat(operators))), GLSL);
    let mut functions = format!("{HEADER}fn f0() -> u32 {{ return o[1]; }}\n");
    for i in 1..4000 {
        functions += &format!("fn f{i}() -> u32 {{ return f{}() + {i}u; }}\n", i - 1);
    }
    accepted(&format!("{functions}{MAIN}{{ o[0] = f3999(); }}"), Lang::Wgsl);
    let mut constants = String::from("const c0 = 1u;");
    for i in 1..30_000 {
        constants.insert_str(0, &format!("const c{i} = c{};", i - 1));
    }
    accepted(&format!("{HEADER}{constants}{MAIN}{{ o[0] = c29999; }}"), Lang::Wgsl);
}

#[test]
fn what_passes_the_limits_is_refused_at_once() {
    refused(&"(".repeat(50_000_000), Lang::Wgsl, "limit-source-size");
    refused(&"(".repeat(1_000_000), Lang::Wgsl, "limit-nesting");
    refused(&"{".repeat(1_000_000), Lang::Wgsl, "limit-nesting");
    refused(&format!("const a = {}1;", "-".repeat(1_000_000)), Lang::Wgsl, "limit-expression");
    refused(&body(&format!("o[0] = 1u{};", "+1u".repeat(100_000))), Lang::Wgsl, "limit-expression");
    refused(&body(&format!("if true {{}} {}", "else if true {}".repeat(100_000))), Lang::Wgsl, "limit-else-if");
    refused(&glsl(&format!("if (true) ; {}", "else if (true) ;".repeat(100_000))), GLSL, "limit-else-if");
    refused(&glsl(&"if (true) ".repeat(100_000)), GLSL, "limit-blocks");
    refused(&body(&"o[0] = 1u;".repeat(200_000)), Lang::Wgsl, "limit-function-size");
    refused(&"alias A = u32;".repeat(100_000), Lang::Wgsl, "limit-declarations");
    // Between our limit and naga's own.
    refused(&body(&format!("o[0] = {}1u{};", "(".repeat(240), ")".repeat(240))), Lang::Wgsl, "limit-nesting");
    let mut types = String::from("alias T0 = u32;");
    for i in 1..1000 {
        types += &format!("alias T{i} = array<T{}, 1>;", i - 1);
    }
    refused(&format!("{HEADER}{types}{MAIN}{{ var t: T999; o[0] = 1; }}"), Lang::Wgsl, "limit-type-depth");
    let mut constants = String::from("const c0 = vec2(1u, 2u);");
    for i in 1..30 {
        constants += &format!("const c{i} = array(c{0}, c{0});", i - 1);
    }
    refused(&format!("{HEADER}{constants}{MAIN}{{ let x = c29; o[0] = 1; }}"), Lang::Wgsl, "limit-constant-size");
    refused(&body("var a: array<u32, 10000000>; o[0] = a[o[1]];"), Lang::Wgsl, "limit-variable-size");
    refused(&body("let a = array<u32, 10000000>(); o[0] = a[o[1]];"), Lang::Wgsl, "limit-value-size");
    // A value of up to 128 scalars is taken apart.
    let mut copies = String::from(
        "alias T = array<u32, 128>; fn f0(a: ptr<function, T>, b: ptr<function, T>) { let t = *a; *b = t; *a = t; }",
    );
    for i in 1..4 {
        copies += &format!(
            "fn f{i}(a: ptr<function, T>, b: ptr<function, T>) {{ {} }}",
            format!("f{}(a, b);", i - 1).repeat(20)
        );
    }
    let copies = format!("{HEADER}{copies}{MAIN}{{ var a: T; var b: T; f3(&a, &b); o[0] = b[o[1]]; }}");
    refused(&copies, Lang::Wgsl, "limit-code-size");
    let mut doubling = String::from("fn f0(p: ptr<function, u32>) { *p += 1u; }");
    for i in 1..40 {
        doubling += &format!("fn f{i}(p: ptr<function, u32>) {{ f{0}(p); f{0}(p); }}", i - 1);
    }
    refused(&format!("{HEADER}{doubling}{MAIN}{{ var x = 1u; f39(&x); o[0] = x; }}"), Lang::Wgsl, "limit-inlined");
}

#[test]
fn rubbish_is_refused() {
    refused("", Lang::Wgsl, "empty");
    refused(" \n\t ", Lang::Wgsl, "empty");
    refused("fn", Lang::Wgsl, "parse");
    refused("fn f() -> u32 { return 1.5; }", Lang::Wgsl, "parse");
    refused(&body("o[0] = 1u; return 1u;"), Lang::Wgsl, "validation");
    let bytes = b"const a = \xff\xfe;";
    let list = parse(Input { bytes }, Lang::Wgsl).expect_err("not UTF-8");
    assert_eq!((list[0].code, list[0].labels[0].span.start), ("utf8", 10));
    for bytes in [&b""[..], b"abc", b"abcdabcd", &[0; 64], b"fn main() {}"] {
        let list = parse(Input { bytes }, Lang::Spirv).expect_err("no SPIR-V");
        assert_eq!((list[0].code, list[0].class), ("parse", Class::Invalid));
    }
}

#[test]
fn errors_have_places() {
    let source = "fn f() -> u32 {\n    let x: i32 = 1u;\n    return 1u;\n}\n";
    let list = parse(Input::text(source), Lang::Wgsl).expect_err("type error");
    let at = list[0].labels[0].span;
    assert_eq!(gpucc_frontend_naga::line_column(source, at.start).0, 2);
    let source = "@compute @workgroup_size(1) fn main() {\n  var a = array<u32, 4>();\n  workgroupBarrier();\n}\n@fragment fn g() {}";
    let parsed = parse(Input::text(source), Lang::Wgsl).expect("valid");
    let options = |entry: &str| Options { entry: Some(entry.into()), ..Options::default() };
    let missing = lower(&parsed, &options("nothing")).expect_err("no such entry point");
    assert_eq!(missing[0].code, "no-entry-point");
    assert!(missing[0].notes[0].contains("`main`") && missing[0].notes[0].contains("`g`"));
    assert!(lower(&parsed, &options("main")).is_ok());
    assert_eq!(lower(&parsed, &options("g")).expect("a fragment entry").entries.len(), 1);
    assert_eq!(lower(&parsed, &Options::default()).expect("both").entries.len(), 2);
}
