//! Translates naga's errors into words of the language. A feature that naga lacks is a refusal that names a way that works; messages about
//! naga's internals are not shown.

use crate::{Lang, report};
use gpucc_ir::{Class, Diagnostic, Refusal, Span};

/// The GLSL that the parser lacks goes by way of SPIR-V.
pub const BY_SPIRV: &str = "install glslangValidator (package glslang-tools), by which GLSL is read then, or give the .spv file that `glslangValidator -V` makes";

/// Every message about a source text, as its author reads it.
pub fn explain(list: Vec<Diagnostic>, lang: Lang, source: &str) -> Vec<Diagnostic> {
    if matches!(lang, Lang::Glsl(_))
        && let Some(refused) = other_glsl(&list, source)
    {
        // The text that follows is read by rules that are not those of the text.
        return vec![refused];
    }
    let wide_literal = list.iter().any(|d| d.message == "NotSupported64BitLiteral");
    let mut out: Vec<Diagnostic> = Vec::new();
    for d in list {
        // The suffix that the lexer left behind is no second fault.
        if wide_literal && d.message.to_ascii_lowercase().ends_with("unknown variable: lf") {
            continue;
        }
        let d = if d.class == Class::Invalid && d.code == "parse" { lacking(&d, lang, source).unwrap_or(d) } else { d };
        let d = plain(d);
        out.push(match lang {
            Lang::Wgsl => narrow_exponent(&d, source).unwrap_or(d),
            _ => not_taken(d),
        });
    }
    out
}

/// An error of a parser that reads a part of the language is no word about the text.
pub fn not_taken(d: Diagnostic) -> Diagnostic {
    if d.class != Class::Invalid || !["parse", "validation", "frontend-panic"].contains(&d.code) {
        return d;
    }
    let mut refused =
        Diagnostic::unsupported(Refusal::Parser, format!("the parser does not take this GLSL text: {}", d.message));
    (refused.labels, refused.notes) = (d.labels, d.notes);
    refused.note(BY_SPIRV)
}

/// The refusal of an exponent of a half as an `i32`: naga gives it 16 bits, which no text without the extension for them can mean.
fn narrow_exponent(d: &Diagnostic, source: &str) -> Option<Diagnostic> {
    let told = d.message.contains("i16") || d.labels.iter().any(|l| l.text.contains("i16"));
    let at = d.labels.last().map_or(Span::UNKNOWN, |l| l.span);
    (told && d.class == Class::Invalid && !source.contains("i16") && source.contains("frexp")).then(|| {
        report::unsupported(Refusal::Parser, "the exponent that `frexp` of an f16 gives, without a conversion", at)
            .note("write `i32(r.exp)`, or `vec2<i32>(r.exp)` of a vector")
    })
}

/// GLSL that is written for OpenGL or for ES: a version that Vulkan lacks, or words that newer versions have lost.
fn other_glsl(list: &[Diagnostic], source: &str) -> Option<Diagnostic> {
    let text = |d: &Diagnostic| {
        let span = d.labels.first().map_or(Span::UNKNOWN, |l| l.span);
        (span, source.get(span.start as usize..span.end as usize).unwrap_or_default().to_string())
    };
    list.iter().filter(|d| d.class == Class::Invalid && d.code == "parse").find_map(|d| {
        let (at, text) = text(d);
        let message = begun_small(&d.message);
        let what = if let Some(version) = message.strip_prefix("invalid version: ") {
            format!("`#version {version}` of GLSL text")
        } else if message.starts_with("invalid profile: ") {
            format!("the profile `{text}` of GLSL text")
        } else if let Some(what) = message.strip_prefix("not implemented: ") {
            match text.as_str() {
                "" => format!("a {what} of GLSL text"),
                // A sampler that is not taken apart into texture and sampler.
                name => format!("`{name}` of GLSL text ({what})"),
            }
        } else if ["varying", "attribute", "precision"].contains(&text.as_str()) {
            format!("`{text}` of GLSL text")
        } else {
            return None;
        };
        Some(report::unsupported(Refusal::Parser, &what, at).note(BY_SPIRV))
    })
}

/// The refusal, where the language has what naga does not know.
fn lacking(d: &Diagnostic, lang: Lang, source: &str) -> Option<Diagnostic> {
    let at = d.labels.first().map_or(Span::UNKNOWN, |l| l.span);
    let text = source.get(at.start as usize..at.end as usize).unwrap_or_default();
    let message = d.message.as_str();
    if lang == Lang::Wgsl {
        let name = message.strip_prefix("the `")?.strip_suffix("` enable-extension is not yet supported")?;
        return Some(match name {
            "subgroups" => report::unsupported(Refusal::Subgroups, "`enable subgroups`", at),
            _ => report::unsupported(Refusal::Parser, &format!("`enable {name}`"), at),
        });
    }
    let what = match message {
        "NotSupported64BitLiteral" => {
            let at = wide_literal(source);
            return Some(report::unsupported(Refusal::Parser, "a 64-bit literal of GLSL text", at).note(BY_SPIRV));
        }
        "Unexpected qualifier" => {
            let name = text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
            let known = ["row_major", "column_major", "local_size_x_id", "local_size_y_id", "local_size_z_id"];
            if !known.contains(&name) {
                return None;
            }
            format!("`{name}` of GLSL text")
        }
        m if m.starts_with("unsupported matrix of the form") => {
            "a matrix with two rows in a std140 block of GLSL text".into()
        }
        m => {
            let name = m.strip_prefix("Unknown function '")?.strip_suffix('\'')?;
            if !name.starts_with("subgroup") {
                return None;
            }
            return Some(report::unsupported(Refusal::Subgroups, &format!("`{name}`"), at));
        }
    };
    Some(report::unsupported(Refusal::Parser, &what, at).note(BY_SPIRV))
}

/// The first number with the suffix `lf`.
fn wide_literal(source: &str) -> Span {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    for (end, _) in source.to_ascii_lowercase().match_indices("lf") {
        let start = source[..end].rfind(|c| !part(c)).map_or(0, |n| n + 1);
        if source[start..end].starts_with(|c: char| c.is_ascii_digit() || c == '.') && start < end {
            return Span::new(start as u32, end as u32 + 2);
        }
    }
    Span::UNKNOWN
}

/// The diagnostic without naga's numbers of expressions and types, its names of Rust and its wishes.
fn plain(mut d: Diagnostic) -> Diagnostic {
    d.message = sentence(&d.message);
    d.notes.retain(|n| !n.contains("Naga maintainers"));
    for n in &mut d.notes {
        *n = sentence(n);
        if n == "WGSL does not support assignments to swizzles" {
            *n = "a swizzle on the left side names each component once, in a statement of its own".into();
        }
    }
    d.notes.retain(|n| n != "consider assigning each component individually");
    d.notes.retain(|n| n != "this expression is invalid" && n != "call to is invalid");
    for l in &mut d.labels {
        let text = match l.text.strip_prefix("naga::ir::").and_then(|t| t.split_once(' ')) {
            Some((kind, _)) => format!("this {}", words(kind)),
            None => sentence(&l.text),
        };
        l.text = text.replace("not yet implemented in Naga", "not implemented yet");
    }
    d
}

/// `GlobalVariable` to `global variable`.
fn words(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push(' ');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

fn sentence(text: &str) -> String {
    if let Some(rest) = text.strip_prefix("Entry point ").and_then(|t| t.strip_suffix(" is invalid"))
        && let Some((name, stage)) = rest.split_once(" at ")
    {
        return format!("in the {} entry point `{name}`", stage.to_ascii_lowercase());
    }
    if text.starts_with("The `return` expression ") {
        return "the value of this `return` does not match the declared return type".into();
    }
    if let Some(operation) = text.strip_prefix("Operation ").and_then(|t| t.split_once(" can't work with ")) {
        return format!("`{}` does not take operands of these types", words(operation.0));
    }
    let text = types(&numberless(text));
    if let Some(name) = text.strip_prefix("Function '").and_then(|t| t.strip_suffix("' is invalid")) {
        return format!("in the function `{name}`");
    }
    match text.as_str() {
        "Expression is invalid" => "this expression is invalid".into(),
        "The pointer doesn't relate to a valid destination for a store" => {
            "the left side of this assignment is not something that can be assigned to".into()
        }
        "The type of doesn't match the type stored in" => {
            "the type of the value is not the type of what it is assigned to".into()
        }
        "Array length of can't be done" => "`arrayLength` takes a pointer to a runtime-sized array".into(),
        _ if text.starts_with("Image coordinate type of does not match") => {
            "the coordinate does not have the type that a texture of this dimension takes".into()
        }
        _ => match text.strip_prefix("Argument ").and_then(|t| t.strip_suffix(" value doesn't match the type")) {
            Some(n) => {
                format!("argument {} does not have the type of the parameter", n.parse::<u32>().map_or(1, |n| n + 1))
            }
            None => begun_small(&text),
        },
    }
}

/// Sentences here begin with a small letter; abbreviations stay.
fn begun_small(text: &str) -> String {
    // The value that a number was taken out of.
    let text = [" of can't", " of does", " of is", " of has"]
        .iter()
        .fold(text.to_string(), |t, hole| t.replace(hole, &hole[3..]));
    let mut letters = text.chars();
    match (letters.next(), letters.clone().next()) {
        (Some(first), Some(second)) if !second.is_uppercase() => first.to_lowercase().chain(letters).collect(),
        _ => text,
    }
}

/// With types as WGSL writes them in place of values of Rust: `Vector { size: Bi, scalar: Scalar { kind: Float, width: 4 } }` is
/// `vec2<f32>`.
fn types(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_uppercase()) {
        let (before, from) = rest.split_at(start);
        let name = &from[..from.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(from.len())];
        let open = if from[name.len()..].starts_with(" { ") { name.len() + 1 } else { name.len() };
        let inside = Some(&from[open..]).filter(|t| !name.is_empty() && t.starts_with(['{', '('])).and_then(balanced);
        let inner_word = before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        out += before;
        match inside.filter(|_| !inner_word) {
            Some(inside) => {
                out += &value(name, inside);
                rest = &from[open + inside.len() + 2..];
            }
            None => {
                out += &from[..name.len().max(1)];
                rest = &from[name.len().max(1)..];
            }
        }
    }
    out + rest
}

/// The text between the bracket at the start of a text and the one that closes it.
fn balanced(text: &str) -> Option<&str> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        depth += i32::from(matches!(c, '{' | '(')) - i32::from(matches!(c, '}' | ')'));
        if depth == 0 {
            return Some(&text[1..at]);
        }
    }
    None
}

/// A value of Rust in plain words.
fn value(name: &str, inside: &str) -> String {
    let field = |f: &str| {
        let (_, rest) = inside.split_once(&format!("{f}: "))?;
        Some(rest.split([',', ' ', '}']).next().unwrap_or(rest))
    };
    let size = |f: &str| match field(f) {
        Some("Bi") => "2",
        Some("Tri") => "3",
        _ => "4",
    };
    let scalar = || inside.split_once("scalar: ").map_or_else(String::new, |(_, t)| types(t));
    match (name, field("kind"), field("width")) {
        ("Scalar", Some("Bool"), _) => "bool".into(),
        ("Scalar", Some(kind), Some(width)) => {
            let bits = width.parse::<u32>().unwrap_or(0) * 8;
            match kind {
                "Uint" => format!("u{bits}"),
                "Sint" => format!("i{bits}"),
                "Float" => format!("f{bits}"),
                _ => words(kind),
            }
        }
        ("Vector", ..) => format!("vec{}<{}>", size("size"), scalar().trim()),
        ("Matrix", ..) => format!("mat{}x{}<{}>", size("columns"), size("rows"), scalar().trim()),
        ("Scalar" | "Some", ..) if field("kind").is_none() || inside.contains('{') => types(inside),
        _ if inside.contains(": ") => words(name),
        _ => types(inside),
    }
}

/// The text without numbers in brackets behind a blank: naga counts its expressions so. An index behind a name stays.
fn numberless(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(" [") {
        let inside = &rest[at + 2..];
        let digits = inside.chars().take_while(char::is_ascii_digit).count();
        if digits > 0 && inside[digits..].starts_with(']') {
            out += &rest[..at];
            rest = &inside[digits + 1..];
        } else {
            out += &rest[..at + 2];
            rest = inside;
        }
    }
    out + rest
}
