//! The text form, `.gir`: whatever is printed can be parsed back.

mod lex;
mod parse;
mod print;

pub use parse::{parse_function, parse_module};
pub use print::{FunctionText, inst_text, module_text};
