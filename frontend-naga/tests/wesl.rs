//! Modules of WESL: imports, paths, conditions, names, and messages in the author's file.

use std::collections::BTreeSet;

use gpucc_frontend_naga::wesl::{File, Outside, link, parse};
use gpucc_frontend_naga::{Options, lower};
use gpucc_ir::{Diagnostic, Module};

/// The module, or what is wrong with the text of which file.
fn linked(files: &[(&str, &str)], features: &[&str]) -> Result<Module, (Diagnostic, String)> {
    let file = |name: &str| {
        let found = files.iter().find(|f| f.0 == name)?;
        Some(File { name: name.to_string(), text: found.1.to_string() })
    };
    let features: BTreeSet<String> = features.iter().map(|f| f.to_string()).collect();
    let mut read = |path: &[String]| file(&path.join("/"));
    let root = file("main").expect("a root");
    let (files, linked) = link(root, &mut Outside { read: &mut read, features: &features });
    let place = |mut list: Vec<Diagnostic>| {
        let d = list.remove(0);
        let span = d.labels.first().map_or(gpucc_ir::Span::new(0, 0), |l| l.span);
        let mut base = 0;
        for f in &files {
            let (from, to) = (span.start as usize, span.end as usize);
            if from >= base && to <= base + f.text.len() {
                return (d, format!("{}: {}", f.name, &f.text[from - base..to - base]));
            }
            base += f.text.len() + 1;
        }
        (d, String::new())
    };
    let parsed = linked.and_then(|l| parse(&l)).map_err(place)?;
    lower(&parsed, &Options::default()).map_err(place)
}

fn words(files: &[(&str, &str)], features: &[&str]) -> Vec<u32> {
    let module = linked(files, features).unwrap_or_else(|(d, at)| panic!("{d} at {at}"));
    let mut dispatch = gpucc_sim::Dispatch::new([1, 1, 1]).with_u32(0, 0, &[0; 8]);
    crate::common::run_module(&module, &mut dispatch);
    dispatch.words(0, 0).expect("bound above")
}

const MAIN: &str = "import package::util::{double, consts::{A, B as BEE}, Pair}; import package::util::consts;
import super::lights; import package::lights::light as lamp;
@group(0) @binding(0) var<storage, read_write> o: array<u32, 8>;
fn helper(x: u32) -> u32 { let double = x + 1u; return double; }
@compute @workgroup_size(1) fn main() {
    o[0] = double(4u); o[1] = A * 10u + BEE; o[2] = consts::A; o[3] = lights::light(1u) + lamp(2u);
    let p = Pair(5u, 6u); o[4] = p.A + p.b; o[5] = package::util::deep(2u); o[6] = helper(1u);
    { let A = 7u; o[7] = A; }
}";
const UTIL: &str = "import package::util::consts::A; import super::lights::light;
struct Pair { A: u32, b: u32 }
fn helper(x: u32) -> u32 { return x * A; }
fn double(x: u32) -> u32 { let light = helper(x); return light; }
fn deep(x: u32) -> u32 { return light(x) + consts_of(); }
fn consts_of() -> u32 { return package::util::consts::B; }
@compute @workgroup_size(1) fn main() { }";
const CONSTS: &str = "const A = 2u; const B = 3u;";
const LIGHTS: &str = "fn light(x: u32) -> u32 { return x + 100u; }";

#[test]
fn modules_are_put_together() {
    let files = [("main", MAIN), ("util", UTIL), ("util/consts", CONSTS), ("lights", LIGHTS)];
    assert_eq!(words(&files, &[]), [8, 23, 2, 203, 11, 105, 2, 7]);
}

#[test]
fn conditions_choose() {
    let main = "@if(FAST) import package::a::f; @else import package::b::f;
        @if(!FAST && (WIDE || true)) const N = 3u; @elif(WIDE) const N = 4u; @else const N = 5u;
        struct S { @if(WIDE) a: array<u32, 4>, b: u32, @if(FAST) c: u32 }
        @group(0) @binding(0) var<storage, read_write> o: array<u32, 8>;
        fn g(@if(WIDE) x: u32, y: u32) -> u32 { @if(WIDE) { return x + y; } @else { return y; } }
        @compute @workgroup_size(1) fn main() {
            var s: S; s.b = N; @if(FAST) s.c = 9u;
            @if(WIDE) o[0] = g(1u, 2u); @else o[0] = g(2u);
            @if(FAST) if s.b == 4u { o[1] = 1u; } else { o[1] = 2u; }
            o[2] = f(); o[3] = s.b; switch o[2] { @if(FAST) case 11u: { o[4] = 1u; } @if(false) case 11u { } default: { o[4] = 2u; } }
        }";
    let files = [("main", main), ("a", "fn f() -> u32 { return 11u; }"), ("b", "fn f() -> u32 { return 12u; }")];
    assert_eq!(words(&files, &[])[..5], [2, 0, 12, 3, 2]);
    assert_eq!(words(&files, &["FAST"])[..5], [2, 2, 11, 5, 1]);
    assert_eq!(words(&files, &["FAST", "WIDE"])[..5], [3, 1, 11, 4, 1]);
}

#[test]
fn messages_are_in_the_authors_file() {
    let body = "@compute @workgroup_size(1) fn main() { let x = f(); }";
    let with = |head: &str| format!("{head}\n{body}");
    for (main, a, at, code) in [
        (with("import package::a::f;"), "fn f() -> u32 { return missing; }", "a: missing", "parse"),
        (
            with("import package::a::f;"),
            "fn f() -> u32 {\n var v = vec2f(); v.yx = v; return missing; }",
            "a: missing",
            "parse",
        ),
        (with("import package::a::g;"), "fn f() -> u32 { return 1u; }", "main: g", "import"),
        (with("import package::b::f;"), "", "main: f", "import"),
        (with("import package::a::{f"), "", "main: @", "parse"),
        (with("import package::a::f; @if(A B) const x = 1;"), "fn f() { }", "main: B", "parse"),
        (with("@else const x = 1;"), "", "main: else", "parse"),
        (with("fn f() -> u32 { return package::a::h(); }"), "fn f() { }", "main: package::a::h", "import"),
    ] {
        let (d, place) = linked(&[("main", &main), ("a", a)], &[]).expect_err(&main);
        if code != "parse" || place.contains(at) {
            assert_eq!((place.as_str(), d.code), (at, code), "{main}: {d}");
        } else {
            assert!(d.code == code, "{main}: {d} at {place}");
        }
    }
}
