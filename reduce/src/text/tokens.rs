//! Tokens, brackets, and a text made of them.

use std::ops::Range;

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A name or a keyword.
    Word,
    Number,
    /// One character, or an operator of several.
    Mark,
    Comment,
    /// A line of the preprocessor.
    Line,
}

#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) at: Range<usize>,
}

/// A text as tokens.
pub(super) struct Tokens<'a> {
    pub(super) source: &'a str,
    pub(super) list: Vec<Token>,
}

/// Operators of several characters, longer ones first. `>>` and `>=` may end templates of WGSL: `>` stands alone.
const OPERATORS: [&str; 22] = [
    "<<=", "&&", "||", "==", "!=", "<=", "<<", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "++", "--", "->", "::",
    "^^", ">=", "=>",
];

impl<'a> Tokens<'a> {
    pub(super) fn new(source: &'a str) -> Tokens<'a> {
        let bytes = source.as_bytes();
        let mut list = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let rest = &source[at..];
            let (kind, length) = match bytes[at] {
                b if b.is_ascii_whitespace() => {
                    at += 1;
                    continue;
                }
                b'/' if rest.starts_with("//") => (Kind::Comment, rest.find('\n').unwrap_or(rest.len())),
                b'/' if rest.starts_with("/*") => (Kind::Comment, block_comment(rest)),
                b'#' => (Kind::Line, line(rest)),
                b'.' if bytes.get(at + 1).is_some_and(u8::is_ascii_digit) => (Kind::Number, number(rest)),
                b if b.is_ascii_digit() => (Kind::Number, number(rest)),
                b if b.is_ascii_alphabetic() || b == b'_' || b >= 0x80 => {
                    let word = |c: char| c.is_alphanumeric() || c == '_' || !c.is_ascii();
                    (Kind::Word, rest.find(|c| !word(c)).unwrap_or(rest.len()))
                }
                _ => {
                    let operator = OPERATORS.iter().find(|o| rest.starts_with(**o));
                    (Kind::Mark, operator.map_or(1, |o| o.len()))
                }
            };
            list.push(Token { kind, at: at..at + length });
            at += length;
        }
        Tokens { source, list }
    }

    pub(super) fn text(&self, t: &Token) -> &'a str {
        &self.source[t.at.clone()]
    }
}

fn block_comment(rest: &str) -> usize {
    let (bytes, mut depth, mut at) = (rest.as_bytes(), 0, 0);
    while at + 1 < bytes.len() {
        match &bytes[at..at + 2] {
            b"/*" => (depth, at) = (depth + 1, at + 2),
            b"*/" => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

/// A line of the preprocessor with its continuations.
fn line(rest: &str) -> usize {
    let mut at = 0;
    while let Some(n) = rest[at..].find('\n') {
        at += n;
        if !rest[..at].ends_with('\\') {
            return at;
        }
        at += 1;
    }
    rest.len()
}

fn number(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let hex = rest.starts_with("0x") || rest.starts_with("0X");
    let mut at = if hex { 2 } else { 0 };
    while let Some(&b) = bytes.get(at) {
        let exponent = if hex { matches!(b, b'p' | b'P') } else { matches!(b, b'e' | b'E') };
        if exponent && matches!(bytes.get(at + 1), Some(b'+' | b'-')) {
            at += 2;
        } else if b.is_ascii_alphanumeric() || b == b'.' {
            at += 1;
        } else {
            break;
        }
    }
    at
}

/// The text with a statement a line, and each block indented.
pub(super) fn formatted(source: &str) -> String {
    let t = Tokens::new(source);
    let mut out = String::new();
    let (mut depth, mut inside) = (0usize, 0usize);
    let mut fresh = true;
    let mut before: Option<&Token> = None;
    let newline = |out: &mut String, fresh: &mut bool| {
        if !*fresh {
            out.push('\n');
            *fresh = true;
        }
    };
    for token in &t.list {
        let text = t.text(token);
        let own_line = matches!(token.kind, Kind::Comment | Kind::Line);
        if own_line || text == "}" {
            newline(&mut out, &mut fresh);
        }
        if text == "}" {
            depth = depth.saturating_sub(1);
        }
        if fresh {
            out.push_str(&"    ".repeat(if token.kind == Kind::Line { 0 } else { depth }));
        } else if before.is_some_and(|b| b.at.end < token.at.start || t.text(b) == "}") {
            out.push(' ');
        }
        out.push_str(text);
        fresh = false;
        match text {
            "(" | "[" => inside += 1,
            ")" | "]" => inside = inside.saturating_sub(1),
            "{" => {
                depth += 1;
                newline(&mut out, &mut fresh);
            }
            "}" => newline(&mut out, &mut fresh),
            ";" if inside == 0 => newline(&mut out, &mut fresh),
            _ if own_line => newline(&mut out, &mut fresh),
            _ => {}
        }
        before = Some(token);
    }
    newline(&mut out, &mut fresh);
    // What follows a block on its line: `else`, `;`, a name of a block.
    out.replace("}\n;", "};")
}
