//! Tokens of the text form.

/// A token.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Tok {
    /// A word: letters, digits, `_` and `.`, not starting with a digit.
    Word(String),
    /// A number as written, with its sign.
    Num(String),
    /// A string without its quotes.
    Str(String),
    /// One of the punctuation marks, `->` or `..`.
    Punct(&'static str),
}

/// A token and the line it stands on.
pub(super) type Spanned = (Tok, u32);

/// All tokens; comments run from `;` to the end of the line.
pub(super) fn lex(text: &str) -> Result<Vec<Spanned>, String> {
    let mut out = Vec::new();
    let b = text.as_bytes();
    let (mut i, mut line) = (0, 1);
    let word = |c: u8| c.is_ascii_alphanumeric() || c == b'_';
    while i < b.len() {
        let c = b[i];
        let start = i;
        match c {
            b'\n' => {
                line += 1;
                i += 1;
            }
            c if c.is_ascii_whitespace() => i += 1,
            b';' => {
                while i < b.len() && b[i] != b'\n' {
                    i += 1;
                }
            }
            b'"' => {
                let mut s = Vec::new();
                i += 1;
                loop {
                    match b.get(i) {
                        Some(b'"') => break,
                        Some(b'\\') if i + 1 < b.len() => {
                            s.push(b[i + 1]);
                            i += 2;
                        }
                        Some(&c) if c != b'\n' => {
                            s.push(c);
                            i += 1;
                        }
                        _ => return Err(format!("line {line}: string does not end")),
                    }
                }
                i += 1;
                let s = String::from_utf8(s).map_err(|_| format!("line {line}: string is not UTF-8"))?;
                out.push((Tok::Str(s), line));
            }
            b'-' if b.get(i + 1) == Some(&b'>') => {
                out.push((Tok::Punct("->"), line));
                i += 2;
            }
            c if c.is_ascii_digit() || (c == b'-' && b.get(i + 1).is_some_and(u8::is_ascii_digit)) => {
                i += 1;
                let hex = b[start..].starts_with(b"0x");
                while i < b.len() {
                    let c = b[i];
                    let dot = c == b'.' && b.get(i + 1) != Some(&b'.');
                    let sign = !hex && (c == b'-' || c == b'+') && matches!(b[i - 1], b'e' | b'E');
                    if !(word(c) || dot || sign) {
                        break;
                    }
                    i += 1;
                }
                out.push((Tok::Num(text[start..i].into()), line));
            }
            c if c.is_ascii_alphabetic() || c == b'_' => {
                while i < b.len() && (word(b[i]) || (b[i] == b'.' && b.get(i + 1).is_some_and(|&c| word(c)))) {
                    i += 1;
                }
                out.push((Tok::Word(text[start..i].into()), line));
            }
            b'.' if b.get(i + 1) == Some(&b'.') => {
                out.push((Tok::Punct(".."), line));
                i += 2;
            }
            _ => {
                const MARKS: &str = "(){}[]:,=+@";
                let Some(k) = MARKS.bytes().position(|m| m == c) else {
                    let ch = text[i..].chars().next().unwrap_or('?');
                    return Err(format!("line {line}: unexpected character {ch:?}"));
                };
                out.push((Tok::Punct(&MARKS[k..=k]), line));
                i += 1;
            }
        }
    }
    Ok(out)
}
