//! How deep the parser's tree could get, from the tokens alone.
//!
//! The scanner knows brackets, separators and a few keywords; everything else counts as an operator or an
//! operand. What it computes are upper bounds:
//!
//! - brackets open at once;
//! - operators on one operand path: binary chains are trees as deep as they are long, so an expression is as deep
//!   as its operators plus the deepest bracket inside it;
//! - statements inside statements: braces, plus `if`, `else`, `for`, `while`, `do` that have not ended yet;
//! - tokens of one function and declarations of the module, in which naga's time grows quadratically.

use super::limits::{self, Limit};
use std::ops::Range;

/// A limit that the source exceeds, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exceeded {
    /// The limit that was exceeded.
    pub limit: Limit,
    /// Byte range of the token that went beyond it; empty for a whole-input limit.
    pub span: Range<usize>,
}

/// The kind of a token to the scanner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token {
    /// `(` or `[`.
    Open,
    /// `{`.
    OpenBrace,
    /// `)`, `]` or `}`.
    Close,
    /// `,`.
    Comma,
    /// `;`.
    Semicolon,
    /// A keyword that holds a statement: `if`, `for`, `while`, `do`, `loop`, `switch`, `continuing`.
    Control,
    /// `else`.
    Else,
    /// A name, number or other keyword.
    Word,
    /// Any other punctuation.
    Operator,
}

impl Token {
    /// The token that a word is.
    pub fn word(text: &str) -> Token {
        match text {
            "if" | "for" | "while" | "do" | "loop" | "switch" | "continuing" => Token::Control,
            "else" => Token::Else,
            _ => Token::Word,
        }
    }
}

/// The facts about a source that passed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shape {
    /// Where the brackets are deepest.
    pub deepest: Range<usize>,
    /// How deep that is.
    pub nesting: usize,
    /// Whether a small stack holds all that recurses over it.
    pub small: bool,
}

impl Shape {
    /// The stack that it asks for, in bytes.
    pub fn stack(&self) -> usize {
        if self.small { limits::SMALL_STACK_BYTES } else { limits::STACK_BYTES }
    }
}

/// One open bracket (or the module scope).
#[derive(Default)]
struct Level {
    brace: bool,
    /// Operators since the last separator.
    chain: u64,
    /// Deepest bracket content since the last separator.
    inner: u64,
    /// Deepest segment that ended already.
    done: u64,
    /// Control keywords of the statement that is open here, and how many `else` there were.
    control: u64,
    elses: u64,
    /// Sum of `1 + control` of all enclosing braces.
    blocks_above: u64,
    /// A statement ended here: the next token decides whether it continues with `else`.
    ended: bool,
}

impl Level {
    fn depth(&self) -> u64 {
        self.done.max(self.chain + self.inner)
    }
    fn separate(&mut self) {
        self.done = self.depth();
        self.chain = 0;
        self.inner = 0;
    }
    fn end_statement(&mut self) {
        self.separate();
        self.done = 0;
        self.ended = true;
    }
}

/// Takes tokens one by one.
pub struct Scanner {
    levels: Vec<Level>,
    declarations: u64,
    function_tokens: u64,
    shape: Shape,
    /// Blocks, statements that hold others, and declarations.
    blocks: u64,
}

impl Default for Scanner {
    fn default() -> Self {
        Scanner {
            levels: vec![Level::default()],
            declarations: 0,
            function_tokens: 0,
            shape: Shape { small: true, ..Shape::default() },
            blocks: 0,
        }
    }
}

impl Scanner {
    /// The parts that were seen.
    pub fn finish(self) -> Shape {
        self.shape
    }

    /// Takes the next token.
    pub fn token(&mut self, token: Token, span: Range<usize>) -> Result<(), Exceeded> {
        self.blocks += u64::from(matches!(token, Token::OpenBrace | Token::Control | Token::Else));
        self.step(token, &span).map_err(|limit| Exceeded { limit, span })
    }

    fn top(&mut self) -> &mut Level {
        self.levels.last_mut().expect("the module scope is never popped")
    }

    fn step(&mut self, token: Token, span: &Range<usize>) -> Result<(), Limit> {
        let module_scope = self.levels.len() == 1;
        self.function_tokens = if module_scope { 0 } else { self.function_tokens + 1 };
        let top = self.top();
        if std::mem::take(&mut top.ended) && token != Token::Else {
            top.control = 0;
            top.elses = 0;
        }
        match token {
            Token::Control => {
                top.control += 1;
                check(limits::BLOCKS, top.blocks_above + top.control)?;
            }
            Token::Else => {
                top.elses += 1;
                check(limits::ELSE_IF, top.elses)?;
            }
            Token::Open | Token::OpenBrace => {
                let brace = token == Token::OpenBrace;
                if brace {
                    top.separate();
                }
                let blocks_above = top.blocks_above + top.control + u64::from(brace);
                check(limits::BLOCKS, blocks_above)?;
                self.levels.push(Level { brace, blocks_above, ..Level::default() });
                let nesting = self.levels.len() - 1;
                if nesting > self.shape.nesting {
                    self.shape = Shape { deepest: span.clone(), nesting, ..self.shape };
                }
                check(limits::NESTING, nesting as u64)?;
            }
            Token::Close if !module_scope => {
                let closed = self.levels.pop().unwrap_or_default();
                let outermost = self.levels.len() == 1;
                let top = self.top();
                if closed.brace {
                    top.end_statement();
                    self.declarations += u64::from(outermost);
                } else {
                    // `a[0][0]...` and `f()()` nest to the left, one level a bracket.
                    top.chain += 1;
                    top.inner = top.inner.max(closed.depth());
                }
            }
            Token::Comma => top.separate(),
            Token::Semicolon => {
                top.end_statement();
                self.declarations += u64::from(module_scope);
            }
            Token::Operator => top.chain += 1,
            Token::Close | Token::Word => {}
        }
        let expression = self.top().depth();
        self.shape.small &= expression <= limits::EXPRESSION.max / limits::SMALL_PART
            && self.blocks + self.declarations <= limits::SMALL_BLOCKS
            && self.shape.nesting as u64 <= limits::SMALL_NESTING;
        check(limits::EXPRESSION, expression)?;
        check(limits::DECLARATIONS, self.declarations)?;
        check(limits::FUNCTION_TOKENS, self.function_tokens)
    }
}

fn check(limit: Limit, count: u64) -> Result<(), Limit> {
    if count > limit.max { Err(limit) } else { Ok(()) }
}
