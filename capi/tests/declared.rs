//! The declarations of a header in C: functions, structs, callbacks and constants. It reads what `gpucc.h` and cbindgen write, no more.

use std::collections::{BTreeMap, BTreeSet};

/// A type as C writes it, one blank between words and none around `*`: `const char*const*`, `uint32_t[3]`.
pub(crate) type Type = String;

/// A field or an argument: type and name.
pub(crate) type Field = (Type, String);

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Header {
    /// What each function gives and takes.
    pub functions: BTreeMap<String, (Type, Vec<Field>)>,
    /// Pointers to functions, the same.
    pub callbacks: BTreeMap<String, (Type, Vec<Field>)>,
    /// Fields in order.
    pub structs: BTreeMap<String, Vec<Field>>,
    /// Structs without fields.
    pub opaque: BTreeSet<String>,
    pub constants: BTreeMap<String, i64>,
}

/// The text without comments.
fn bare(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((code, more)) = rest.split_once("/*") {
        out += code;
        rest = more.split_once("*/").expect("comments end").1;
    }
    out + rest
}

fn squeezed(words: &str) -> String {
    let spaced = words.replace('*', " * ").replace('[', " [ ").replace(']', " ] ");
    let mut out = String::new();
    // With a typedef of the same name the word says nothing.
    for word in spaced.split_whitespace().filter(|w| *w != "struct") {
        let apart = |c: char| c.is_alphanumeric() || c == '_';
        if out.ends_with(apart) && word.starts_with(apart) {
            out.push(' ');
        }
        out += word;
    }
    out
}

/// Type and name of a declaration: `const char *const *includes`, `uint32_t grid[3]`.
fn field(text: &str) -> Field {
    let (text, array) = text.split_once('[').map_or((text, String::new()), |(t, n)| (t, format!("[{}", n.trim())));
    let text = text.trim();
    let at = text.rfind(|c: char| !c.is_alphanumeric() && c != '_').expect("a type in front of a name") + 1;
    (squeezed(&text[..at]) + &array, text[at..].into())
}

fn arguments(text: &str) -> Vec<Field> {
    if matches!(text.trim(), "" | "void") {
        return Vec::new();
    }
    let one = |a: &str| {
        // An array that is an argument is a pointer.
        let (ty, name) = field(a);
        (ty.split_once('[').map_or_else(|| ty.clone(), |(of, _)| format!("{of}*")), name)
    };
    text.split(',').map(one).collect()
}

fn fields(body: &str) -> Vec<Field> {
    body.split(';').filter(|f| !f.trim().is_empty()).map(field).collect()
}

fn enumerators(body: &str, to: &mut Header) {
    for e in body.split(',').filter(|e| !e.trim().is_empty()) {
        let (name, value) = e.split_once('=').expect("a constant with a value");
        to.constants.insert(name.trim().into(), value.trim().parse().expect("a number"));
    }
}

impl Header {
    pub(crate) fn read(text: &str) -> Header {
        let mut out = Header::default();
        let mut code = String::new();
        for line in bare(text).lines() {
            match line.trim_start().strip_prefix('#') {
                None => code = code + line + "\n",
                Some(directive) => {
                    let words: Vec<&str> = directive.split_whitespace().collect();
                    if let ["define", name, value] = words[..] {
                        out.constants.insert(name.into(), value.parse().expect("a number"));
                    }
                }
            }
        }
        let code = code.replace("extern \"C\" {", "");
        let mut rest = code.trim();
        while !rest.is_empty() && rest != "}" {
            let end = rest.find([';', '{']).expect("a declaration ends");
            let (head, block) = (rest[..end].trim(), rest[end..].starts_with('{'));
            let after = &rest[end + 1..];
            rest = if block {
                let (body, tail) = after.split_once('}').expect("a block ends");
                let (name, tail) = tail.split_once(';').expect("a declaration ends");
                match head {
                    "enum" => enumerators(body, &mut out),
                    _ => drop(out.structs.insert(name.trim().into(), fields(body))),
                }
                tail
            } else {
                out.declaration(head);
                after
            }
            .trim();
        }
        out
    }

    fn declaration(&mut self, text: &str) {
        if let Some(alias) = text.strip_prefix("typedef ") {
            if let Some((ty, rest)) = alias.split_once("(*") {
                let (name, args) = rest.split_once(')').expect("a name");
                let args = args.trim().trim_start_matches('(').trim_end_matches(')');
                self.callbacks.insert(name.trim().into(), (squeezed(ty), arguments(args)));
            } else {
                let words: Vec<&str> = alias.split_whitespace().collect();
                assert!(matches!(words[..], ["struct", a, b] if a == b), "{text}");
                self.opaque.insert(words[2].into());
            }
            return;
        }
        let (head, args) = text.split_once('(').expect("a function");
        let (ty, name) = field(head);
        self.functions.insert(name, (ty, arguments(args.trim_end().trim_end_matches(')'))));
    }
}
