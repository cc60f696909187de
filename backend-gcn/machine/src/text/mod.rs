//! Text of instructions as `llvm-mc` reads and prints it (reference section 21).

mod parse;
mod print;
mod words;

pub use parse::{parse, parse_operand};
pub use print::{print, print_operand};
