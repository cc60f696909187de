//! A token-level look at WGSL or GLSL before naga's parser recurses over it.
//!
//! The scanner knows brackets, separators, comments and four keywords; everything else counts as an operator or an
//! operand. What it computes are upper bounds of the depth of the tree the parser would build:
//!
//! - brackets open at once;
//! - operators on one operand path: binary chains are trees as deep as they are long, so an expression is as deep
//!   as its operators plus the deepest bracket inside it;
//! - statements inside statements: braces, plus `if`, `else`, `for`, `while`, `do` that have not ended yet.

use super::limits::{self, Limit};
use std::ops::Range;

/// A limit that the source exceeds, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exceeded {
    /// Which limit.
    pub limit: Limit,
    /// Byte range of the token that went beyond it; empty for a whole-input limit.
    pub span: Range<usize>,
}

/// What is worth knowing of a source that passed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shape {
    /// Where the brackets are deepest.
    pub deepest: Range<usize>,
    /// How deep that is.
    pub nesting: usize,
}

/// One open bracket (or the module scope).
struct Level {
    brace: bool,
    /// Operators since the last separator.
    chain: u64,
    /// Deepest bracket content since the last separator.
    inner: u64,
    /// Deepest segment that ended already.
    done: u64,
    /// Control keywords of the statement that is open here, and how many of them were `else`.
    control: u64,
    elses: u64,
    /// Sum of `1 + control` of all enclosing braces.
    blocks_above: u64,
    /// A statement ended here: the next token decides whether it goes on with `else`.
    ended: bool,
}

impl Level {
    fn new(brace: bool, blocks_above: u64) -> Self {
        Level { brace, chain: 0, inner: 0, done: 0, control: 0, elses: 0, blocks_above, ended: false }
    }
    fn depth(&self) -> u64 {
        self.done.max(self.chain + self.inner)
    }
    fn separate(&mut self) {
        self.done = self.depth();
        self.chain = 0;
        self.inner = 0;
    }
}

/// Which comments nest, and what ends a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comments {
    /// WGSL: block comments nest, any Unicode line break ends a `//` comment.
    Nest,
    /// GLSL: block comments end at the first `*/`.
    Flat,
}

/// Checks `source` against the limits of this module.
pub fn scan(source: &str, comments: Comments) -> Result<Shape, Exceeded> {
    let bytes = source.as_bytes();
    let exceeded = |limit: Limit, span: Range<usize>| Err(Exceeded { limit, span });
    if bytes.len() as u64 > limits::SOURCE_BYTES.max {
        return exceeded(limits::SOURCE_BYTES, 0..0);
    }
    let mut shape = Shape::default();
    let mut levels = vec![Level::new(false, 0)];
    let mut declarations = 0u64;
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let byte = bytes[at];
        at += 1;
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => continue,
            b'/' if bytes.get(at) == Some(&b'/') => {
                // Every line break of WGSL, also for GLSL: ending a comment too early only counts too much.
                let line_break = |c: char| matches!(c, '\u{a}'..='\u{d}' | '\u{85}' | '\u{2028}' | '\u{2029}');
                at = source[start..].find(line_break).map_or(bytes.len(), |n| start + n);
                continue;
            }
            b'/' if bytes.get(at) == Some(&b'*') => {
                at = skip_block_comment(bytes, at + 1, comments);
                continue;
            }
            _ => {}
        }
        let word = byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
        if word {
            while at < bytes.len() && (bytes[at].is_ascii_alphanumeric() || bytes[at] == b'_' || bytes[at] >= 0x80) {
                at += 1;
            }
        }
        let span = start..at;
        let token = &bytes[start..at];
        let module_scope = levels.len() == 1;
        let top = levels.last_mut().expect("the module scope is never popped");
        if std::mem::take(&mut top.ended) && token != b"else" {
            top.control = 0;
            top.elses = 0;
        }
        match token {
            b"if" | b"for" | b"while" | b"do" | b"loop" | b"switch" | b"continuing" => {
                top.control += 1;
                if top.blocks_above + top.control > limits::BLOCKS.max {
                    return exceeded(limits::BLOCKS, span);
                }
            }
            b"else" => {
                top.elses += 1;
                if top.elses > limits::ELSE_IF.max {
                    return exceeded(limits::ELSE_IF, span);
                }
            }
            b"(" | b"[" | b"{" => {
                let brace = byte == b'{';
                if brace {
                    top.separate();
                }
                let above = top.blocks_above + top.control + u64::from(brace);
                if above > limits::BLOCKS.max {
                    return exceeded(limits::BLOCKS, span);
                }
                levels.push(Level::new(brace, above));
                if levels.len() - 1 > shape.nesting {
                    shape.nesting = levels.len() - 1;
                    shape.deepest = span.clone();
                }
                if shape.nesting as u64 > limits::NESTING.max {
                    return exceeded(limits::NESTING, span);
                }
            }
            b")" | b"]" | b"}" => {
                if levels.len() > 1 {
                    let closed = levels.pop().expect("just checked");
                    let top = levels.last_mut().expect("the module scope is never popped");
                    if closed.brace {
                        top.separate();
                        top.done = 0;
                        top.ended = true;
                        declarations += u64::from(levels.len() == 1);
                    } else {
                        // `a[0][0]...` and `f()()` nest to the left, one level a bracket.
                        top.chain += 1;
                        top.inner = top.inner.max(closed.depth());
                    }
                }
            }
            b"," => top.separate(),
            b";" => {
                top.separate();
                top.done = 0;
                top.ended = true;
                declarations += u64::from(module_scope);
            }
            _ if word => {}
            _ => top.chain += 1,
        }
        let top = levels.last().expect("the module scope is never popped");
        if top.depth() > limits::EXPRESSION.max {
            return exceeded(limits::EXPRESSION, span);
        }
        if declarations > limits::DECLARATIONS.max {
            return exceeded(limits::DECLARATIONS, span);
        }
    }
    Ok(shape)
}

/// The place behind the block comment whose content begins at `at`.
fn skip_block_comment(bytes: &[u8], mut at: usize, comments: Comments) -> usize {
    let mut depth = 1;
    while at < bytes.len() && depth > 0 {
        match (bytes[at], bytes.get(at + 1)) {
            (b'*', Some(b'/')) => {
                depth -= 1;
                at += 2;
            }
            (b'/', Some(b'*')) if comments == Comments::Nest => {
                depth += 1;
                at += 2;
            }
            _ => at += 1,
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(source: &str) -> Option<&'static str> {
        scan(source, Comments::Nest).err().map(|e| e.limit.code)
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
        let glsl = format!("void main() {{ {} }}", "if (a) b(); else c(); x = 1;".repeat(10_000));
        assert_eq!(code(&glsl), None);
    }

    #[test]
    fn deep_things_are_refused() {
        assert_eq!(code(&"(".repeat(50_000_000)), Some("limit-source-size"));
        assert_eq!(code(&"(".repeat(1_000_000)), Some("limit-nesting"));
        assert_eq!(code(&format!("fn f() {{ if a {{}} {} }}", "else if a {}".repeat(100_000))), Some("limit-else-if"));
        assert_eq!(
            code(&format!("void f() {{ if (a) b; {} }}", "else if (a) b;".repeat(100_000))),
            Some("limit-else-if")
        );
        assert_eq!(code(&format!("void f() {{ {} ; }}", "if (a)".repeat(100_000))), Some("limit-blocks"));
        assert_eq!(code(&format!("const a = 1{};", "+1".repeat(100_000))), Some("limit-expression"));
        assert_eq!(code(&format!("const a = {}1;", "-".repeat(100_000))), Some("limit-expression"));
        assert_eq!(code(&format!("fn f() {{ x = a{}; }}", "[0]".repeat(100_000))), Some("limit-expression"));
        assert_eq!(code(&"alias a=b;".repeat(100_000)), Some("limit-declarations"));
    }

    #[test]
    fn comments_do_not_count() {
        assert_eq!(code(&format!("/* {} */ // {}\nconst a = 1;", "(".repeat(10_000), "{".repeat(10_000))), None);
    }

    #[test]
    fn nested_chains_add_up() {
        // Each bracket holds a chain that stays below the limit; together they are too deep.
        let part = "+1".repeat(100);
        let source = format!("const a = {}1{}", format!("(1{part}+").repeat(100), ")".repeat(100));
        assert_eq!(code(&source), Some("limit-expression"));
    }
}
