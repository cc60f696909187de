//! Tokens of WGSL, for the scanner, and the size of constants.

use super::limits;
use super::scan::{Exceeded, Scanner, Shape, Token};
use super::weight::Weights;
use std::ops::Range;

/// Calls `f` for every token.
fn tokens(source: &str, f: &mut dyn FnMut(Token, Range<usize>) -> Result<(), Exceeded>) -> Result<(), Exceeded> {
    let bytes = source.as_bytes();
    let mut at = 0;
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80;
    while at < bytes.len() {
        let start = at;
        at += 1;
        let token = match bytes[start] {
            b' ' | b'\t' | b'\r' | b'\n' => continue,
            b'/' if bytes.get(at) == Some(&b'/') => {
                let line_break = |c: char| matches!(c, '\u{a}'..='\u{d}' | '\u{85}' | '\u{2028}' | '\u{2029}');
                at = source[start..].find(line_break).map_or(bytes.len(), |n| start + n);
                continue;
            }
            b'/' if bytes.get(at) == Some(&b'*') => {
                at = skip_block_comment(bytes, at + 1);
                continue;
            }
            b if is_word(b) => {
                while at < bytes.len() && is_word(bytes[at]) {
                    at += 1;
                }
                Token::word(&source[start..at])
            }
            b'(' | b'[' => Token::Open,
            b'{' => Token::OpenBrace,
            b')' | b']' | b'}' => Token::Close,
            b',' => Token::Comma,
            b';' => Token::Semicolon,
            _ => Token::Operator,
        };
        f(token, start..at)?;
    }
    Ok(())
}

/// The place behind the block comment whose content begins at `at`; block comments nest.
fn skip_block_comment(bytes: &[u8], mut at: usize) -> usize {
    let mut depth = 1;
    while at < bytes.len() && depth > 0 {
        match (bytes[at], bytes.get(at + 1)) {
            (b'*', Some(b'/')) => {
                depth -= 1;
                at += 2;
            }
            (b'/', Some(b'*')) => {
                depth += 1;
                at += 2;
            }
            _ => at += 1,
        }
    }
    at
}

/// Checks a WGSL source against all limits that can be seen in its text.
pub fn check(source: &str) -> Result<Shape, Exceeded> {
    if source.len() as u64 > limits::SOURCE_BYTES.max {
        return Err(Exceeded { limit: limits::SOURCE_BYTES, span: 0..0 });
    }
    let mut scanner = Scanner::default();
    // While inside `const NAME ... = ... ;`: the name, and whether `=` was seen.
    let mut constant: Option<(&str, bool)> = None;
    let mut expects_name = false;
    let mut weights = Weights::default();
    tokens(source, &mut |token, span| {
        let text = &source[span.clone()];
        if expects_name {
            expects_name = false;
            constant = Some((text, false));
        } else if text == "const" {
            expects_name = true;
        } else if let Some((name, in_value)) = &mut constant {
            match token {
                Token::Semicolon | Token::OpenBrace => constant = None,
                Token::Operator if text == "=" => *in_value = true,
                Token::Open if *in_value => weights.constructs(name),
                Token::Word if *in_value => weights.mentions(name, text),
                _ => {}
            }
        } else if token == Token::Word {
            weights.uses(text, span.start);
        }
        scanner.token(token, span)
    })?;
    match weights.first_beyond(limits::CONSTANT_COPIES.max) {
        Some(at) => Err(Exceeded { limit: limits::CONSTANT_COPIES, span: at..at + 1 }),
        None => Ok(scanner.finish()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
