//! The header against the sources: functions with as many arguments, structs with the same fields of the same types in the same order,
//! enumerations with the numbers of the Rust side; and two compilers that read it without a warning.

use std::collections::BTreeMap;
use std::process::Command;

use crate::workspace;

/// A type of Rust's side as C writes it.
fn c_type(rust: &str) -> String {
    let rust = rust.trim();
    if let Some(to) = rust.strip_prefix("*const ") {
        let inner = c_type(to);
        return if to.starts_with('*') { format!("{inner} const *") } else { format!("const {inner} *") };
    }
    if let Some(to) = rust.strip_prefix("*mut ") {
        return format!("{} *", c_type(to));
    }
    if let Some(array) = rust.strip_prefix('[') {
        let (of, n) = array.trim_end_matches(']').split_once(';').expect("an array");
        return format!("{}[{}]", c_type(of), n.trim());
    }
    let plain = match rust {
        "usize" => "size_t",
        "u32" => "uint32_t",
        "i32" => "int32_t",
        "u64" => "uint64_t",
        "u8" => "uint8_t",
        "f32" => "float",
        "f64" => "double",
        "c_char" => "char",
        "c_void" => "void",
        "c_int" => "int",
        other => other,
    };
    plain.to_string()
}

fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

fn sources() -> String {
    let folder = workspace().join("capi/src");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("the sources").map(|f| f.expect("a file").path()).collect();
    files.sort();
    files.iter().map(|f| std::fs::read_to_string(f).expect("text")).collect()
}

/// The header without comments.
fn header() -> String {
    let text = std::fs::read_to_string(workspace().join("capi/include/gpucc.h")).expect("the header");
    let mut out = String::new();
    let mut rest = &*text;
    while let Some((code, more)) = rest.split_once("/*") {
        out += code;
        rest = more.split_once("*/").expect("comments end").1;
    }
    out + rest
}

/// Arguments of each function of the border.
fn rust_functions(text: &str) -> BTreeMap<String, usize> {
    let mut out = BTreeMap::new();
    for part in text.split("extern \"C\" fn ").skip(1).filter(|p| p.starts_with("gpucc_")) {
        let (name, rest) = part.split_once('(').expect("arguments");
        let args = rest.split_once(')').expect("they end").0;
        out.insert(name.to_string(), args.split(',').filter(|a| !a.trim().is_empty()).count());
    }
    // Accessors of lists come from one macro.
    let rows = text.split_once("\nrows! {").expect("the accessors").1.split_once("\n}").expect("it ends").0;
    for line in rows.lines().filter_map(|l| l.trim().split_once(':')) {
        out.insert(line.0.to_string(), 3);
    }
    out
}

fn c_functions(text: &str) -> BTreeMap<String, usize> {
    let mut out = BTreeMap::new();
    for statement in text.split(';').filter(|s| s.contains('(') && !s.contains("typedef")) {
        let (head, args) =
            statement.rsplit_once("gpucc_").map_or((statement, ""), |_| statement.split_once('(').expect("arguments"));
        let name = head.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().expect("a name");
        let args = args.rsplit_once(')').map_or(args, |a| a.0);
        let count = if args.trim() == "void" { 0 } else { args.split(',').count() };
        out.insert(name.to_string(), count);
    }
    out
}

#[test]
fn every_function_is_in_the_header_with_as_many_arguments() {
    let (rust, c) = (rust_functions(&sources()), c_functions(&header()));
    assert!(rust.len() > 20, "{rust:?}");
    assert_eq!(rust, c);
}

/// Fields of each struct: name in C, and type with name.
fn rust_structs(text: &str) -> BTreeMap<String, Vec<String>> {
    // Names of structs in C by those in Rust: the first line of their documentation.
    let mut names = BTreeMap::new();
    let mut found = Vec::new();
    for part in text.split("/// `gpucc_").skip(1) {
        let (name, rest) = part.split_once('`').expect("a name");
        let Some((head, body)) = rest.split_once("pub struct ") else { continue };
        if head.contains("\npub ") || head.contains("\nfn ") || head.contains("impl") {
            continue;
        }
        let own = body.split(|c: char| !c.is_alphanumeric()).next().expect("a name");
        names.insert(own.to_string(), format!("gpucc_{name}"));
        if head.contains("repr(C)") {
            found.push((
                format!("gpucc_{name}"),
                body.split_once('{').expect("fields").1.split_once("\n}").expect("end").0,
            ));
        }
    }
    let fields = |body: &str| -> Vec<String> {
        let lines = body.lines().map(str::trim).filter_map(|l| l.strip_prefix("pub "));
        let one = |l: &str| {
            let (field, ty) = l.trim_end_matches(',').split_once(": ").expect("a field");
            let mut ty = c_type(ty);
            for (rust, c) in &names {
                ty = ty.replace(&format!("{rust} "), &format!("{c} "));
                if ty == *rust {
                    ty.clone_from(c);
                }
            }
            match ty.split_once('[') {
                Some((of, n)) => squeezed(&format!("{of} {field}[{n}")),
                None => squeezed(&format!("{ty} {field}")),
            }
        };
        lines.map(one).collect()
    };
    found.into_iter().map(|(name, body)| (name, fields(body))).collect()
}

fn c_structs(text: &str) -> BTreeMap<String, Vec<String>> {
    let mut out = BTreeMap::new();
    for part in text.split("typedef struct ").skip(1).filter(|p| p.split(';').next().is_some_and(|h| h.contains('{'))) {
        let (name, rest) = part.split_once('{').expect("a body");
        let fields = rest.split_once('}').expect("it ends").0.split(';').map(squeezed).filter(|f| !f.is_empty());
        out.insert(name.trim().to_string(), fields.collect());
    }
    out
}

#[test]
fn every_struct_has_the_fields_of_the_header() {
    let (rust, c) = (rust_structs(&sources()), c_structs(&header()));
    assert!(rust.len() > 15, "{:?}", rust.keys());
    assert_eq!(rust.keys().collect::<Vec<_>>(), c.keys().collect::<Vec<_>>());
    for (name, fields) in &rust {
        assert_eq!(fields, &c[name], "{name}");
    }
}

#[test]
fn compilers_of_c_and_of_c_plus_plus_take_the_header() {
    let source = std::env::temp_dir().join(format!("gpucc-capi-header-{}.c", std::process::id()));
    std::fs::write(&source, "#include <gpucc.h>\nint main(void) { return gpucc_version() == NULL; }\n")
        .expect("a file");
    for (compiler, args) in [
        ("cc", &["-std=c99", "-Wpedantic"][..]),
        ("c++", &["-std=c++17", "-Wpedantic", "-x", "c++"]),
        ("cc", &["-std=c11", "-Wshadow", "-Wconversion"]),
    ] {
        let mut cc = Command::new(compiler);
        cc.current_dir(workspace()).args(args).args([
            "-Wall",
            "-Wextra",
            "-Werror",
            "-fsyntax-only",
            "-I",
            "capi/include",
        ]);
        let Ok(done) = cc.arg(&source).output() else {
            eprintln!("skipped: {compiler} is not installed");
            continue;
        };
        assert!(done.status.success(), "{compiler} {args:?}: {}", String::from_utf8_lossy(&done.stderr));
    }
    std::fs::remove_file(source).expect("the file goes");
}

/// The version in the header is that of the package.
#[test]
fn the_header_says_the_version() {
    let text = header();
    let number = |what: &str| {
        let at = text.split_once(&format!("GPUCC_VERSION_{what} ")).expect("a macro").1;
        at.lines().next().expect("a number").trim().to_string()
    };
    assert_eq!([number("MAJOR"), number("MINOR"), number("PATCH")].join("."), env!("CARGO_PKG_VERSION"));
}
