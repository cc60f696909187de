//! The instruction-table kit: one row per instruction form, everything else derived.
//!
//! An instruction set is declared once, as a `const` slice of [`Row`]s in ordinary Rust. A row names its semantic
//! opcode, its fixed bits (per generation where they move), its operands ([`OperandSpec`]) with their bit [`Field`]s and
//! kinds, its implicit reads and writes and its cost attrs. From the rows derive: [`Table::decode`],
//! [`Table::encode`], [`print`](Isa::print) and [`parse`](Isa::parse) (by the row's text template, with hooks of the
//! family for each operand kind), [`Table::validate`], the operand walk, the list of all forms, documentation pages,
//! and the mutation script. [`check`] holds `const` functions that refuse tables with overlapping fields or with two
//! rows that match one word, at compile time.
//!
//! Words are held in a [`Word`] (`u128`): bit 0 is bit 0 of the first byte in memory, so the first 32-bit word of an
//! instruction is the low 32 bits.

pub mod bits;
pub mod check;
mod cursor;
mod isa;
pub mod listing;
pub mod mods;
mod names;
mod packed;
pub mod stage;
pub mod text;

pub use bits::{Field, Seg, Word};
pub use cursor::{Cursor, Notes, TextCx, TextError};
pub use isa::{DecodeError, Effects, Enc, Implicit, Inst, Isa, MAX_SLOTS, OperandSpec, Role, Row, Table, fixed};
pub use listing::{Listing, ListingError, What};
pub use mods::ModValue;
pub use names::{Mark, Names, named};
pub use packed::Packed;

/// Returns an error where a rule does not hold: `fail_if!(n > 3, format!("{n} registers"))`.
#[macro_export]
macro_rules! fail_if {
    ($wrong:expr, $error:expr) => {
        if $wrong {
            return Err($error);
        }
    };
}
