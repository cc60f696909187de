//! The header that is written by hand against the one that cbindgen makes of the sources; and two compilers that read it without a warning.

use std::path::Path;
use std::process::Command;

use cbindgen::{Builder, Config, Language, Style};

use crate::declared::{Field, Header};
use crate::workspace;

/// The header that programs in C include.
pub(crate) fn header() -> Header {
    Header::read(&std::fs::read_to_string(workspace().join("capi/include/gpucc.h")).expect("the header"))
}

/// The name in C of a type of the border: `gpucc_log_row` of `CLogRow`.
fn c_name(rust: &str) -> Option<String> {
    let own = rust.strip_prefix('C').filter(|r| r.starts_with(|c: char| c.is_ascii_uppercase()))?;
    let mut out = String::from("gpucc");
    for c in own.chars() {
        if c.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    Some(out)
}

/// A source with the functions of `exports!` and `answers!` as they are without the macros, which cbindgen does not expand.
fn plain(text: &str) -> String {
    let (mut out, mut inside) = (String::new(), false);
    for line in text.lines() {
        match line {
            "exports! {" | "answers! {" => inside = true,
            "}" if inside => inside = false,
            _ if inside => {
                let line = line.replace("    fn gpucc_", "#[unsafe(no_mangle)] pub unsafe extern \"C\" fn gpucc_");
                let comma = if line.trim_start().starts_with(')') { "" } else { ", " };
                let status = format!("{comma}message: *mut *mut c_char) -> c_int {{");
                out += &line.replace(") |told| {", &status).replace(") |_| {", &status);
            }
            _ => out += line,
        }
        out.push('\n');
    }
    out
}

/// The header of the sources.
fn generated() -> Header {
    let mut files: Vec<_> = std::fs::read_dir(workspace().join("capi/src"))
        .expect("the sources")
        .map(|f| f.expect("a file").path())
        .filter(|f| f.extension().is_some_and(|e| e == "rs"))
        .collect();
    files.sort();
    let mut config = Config {
        language: Language::C,
        style: Style::Both,
        usize_is_size_t: true,
        documentation: false,
        no_includes: true,
        ..Config::default()
    };
    let mut builder = Builder::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("text");
        for kind in ["pub struct ", "pub type "] {
            let names = text.split(kind).skip(1).filter_map(|r| r.split(|c: char| !c.is_alphanumeric()).next());
            config.export.rename.extend(names.filter_map(|n| Some((n.to_string(), c_name(n)?))));
        }
        let made = Path::new(env!("CARGO_TARGET_TMPDIR")).join(file.file_name().expect("a name"));
        std::fs::write(&made, plain(&text)).expect("the folder of tests can be written");
        builder = builder.with_src(made);
    }
    let made = builder.with_config(config).generate().expect("cbindgen reads the sources");
    let mut text = Vec::new();
    made.write(&mut text);
    Header::read(&String::from_utf8(text).expect("a text"))
}

/// Types alone: names of arguments mean nothing to a compiler.
fn types(fields: &[Field]) -> Vec<&str> {
    fields.iter().map(|f| &*f.0).collect()
}

#[test]
fn the_header_is_that_of_the_sources() {
    let (own, made) = (header(), generated());
    assert!(own.functions.len() > 30 && own.structs.len() > 25 && own.constants.len() > 60, "{own:#?}");
    assert_eq!(own.constants, made.constants);
    assert_eq!(own.opaque, made.opaque);
    for (what, own, made) in
        [("function", &own.functions, &made.functions), ("callback", &own.callbacks, &made.callbacks)]
    {
        assert_eq!(own.keys().collect::<Vec<_>>(), made.keys().collect::<Vec<_>>(), "{what}s");
        for (name, (gives, takes)) in own {
            let other = &made[name];
            assert_eq!((gives, types(takes)), (&other.0, types(&other.1)), "{what} {name}");
        }
    }
    assert_eq!(own.structs.keys().collect::<Vec<_>>(), made.structs.keys().collect::<Vec<_>>(), "structs");
    for (name, fields) in &own.structs {
        assert_eq!(fields, &made.structs[name], "{name}");
    }
}

/// What the comparison is for: each of these is another header.
#[test]
fn other_declarations_are_told_apart() {
    let text = "enum { A = 1, B = 2 };\ntypedef struct s { size_t size; const char *const *names; uint32_t n[3]; } s;\n\
        typedef struct o o;\ntypedef void (*f)(void *user, const s *row);\nint g(const o *a, const uint32_t b[3], char **c);\nvoid h(void);\n";
    let own = Header::read(text);
    assert_eq!(
        own.structs["s"][1..],
        [("const char*const*".into(), "names".into()), ("uint32_t[3]".into(), "n".into())]
    );
    assert_eq!(types(&own.functions["g"].1), ["const o*", "const uint32_t*", "char**"]);
    assert_eq!((own.functions["h"].1.len(), own.opaque.len(), own.callbacks["f"].1.len()), (0, 1, 2));
    for (from, to) in [
        ("A = 1", "A = 3"),
        ("const *names", "*names"),
        ("n[3]", "n[4]"),
        ("size_t size; const char *const *names;", "const char *const *names; size_t size;"),
        ("struct o o", "struct p p"),
        ("const s *row", "s *row"),
        ("const o *a", "o *a"),
        ("char **c", "char *c"),
        ("int g", "unsigned g"),
        ("h(void)", "h(int x)"),
        ("B = 2", "C = 2"),
    ] {
        assert_ne!(Header::read(&text.replace(from, to)), own, "{from}");
    }
}

#[test]
fn compilers_of_c_and_of_c_plus_plus_take_the_header() {
    let source = std::env::temp_dir().join(format!("gpucc-capi-header-{}.c", std::process::id()));
    std::fs::write(&source, "#include <gpucc.h>\nint main(void) { return gpucc_version() == NULL; }\n")
        .expect("a file");
    for (compiler, args) in [
        ("cc", &["-std=c99"][..]),
        ("c++", &["-std=c++17", "-x", "c++"]),
        ("cc", &["-std=c11", "-Wshadow", "-Wconversion"]),
    ] {
        let mut cc = Command::new(compiler);
        let warnings = ["-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I", "capi/include"];
        cc.current_dir(workspace()).args(args).args(warnings);
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
    let own = header();
    let number = |what: &str| own.constants[&format!("GPUCC_VERSION_{what}")].to_string();
    assert_eq!([number("MAJOR"), number("MINOR"), number("PATCH")].join("."), env!("CARGO_PKG_VERSION"));
}
