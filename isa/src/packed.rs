//! Instructions as they are kept in long lists.

use core::fmt;
use core::marker::PhantomData;

use crate::bits::Word;
use crate::isa::{Inst, Isa, Row, Table};

/// An instruction in 24 bytes: its row, and the values of its operands where the word has them. An [`Inst`], which holds each
/// value by itself, is five times as large.
pub struct Packed<I: Isa> {
    /// The word without its fixed bits, lower half first: two numbers of 8 bytes, since one of 16 would ask for an alignment.
    bits: [u64; 2],
    row: u16,
    marker: PhantomData<fn() -> I>,
}

impl<I: Isa> Clone for Packed<I> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<I: Isa> Copy for Packed<I> {}
impl<I: Isa> fmt::Debug for Packed<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.unpack().fmt(f)
    }
}

impl<I: Isa> From<Inst<I>> for Packed<I> {
    /// # Panics
    /// When a value does not fit its field.
    fn from(inst: Inst<I>) -> Self {
        let row = inst.row();
        let mut w = inst.ignored & row.ignored;
        for (s, &v) in row.operands.iter().zip(&inst.vals) {
            if v != 0 {
                assert!(v <= s.field.max(), "{inst:?}: value {v:#x} of `{}` does not fit its field", s.name);
                w |= s.field.put(v);
            }
        }
        let mut p = Packed { bits: [0; 2], row: inst.row, marker: PhantomData };
        p.keep(w);
        p
    }
}

impl<I: Isa> Packed<I> {
    fn bits(&self) -> Word {
        Word::from(self.bits[0]) | Word::from(self.bits[1]) << 64
    }

    fn keep(&mut self, w: Word) {
        self.bits = [w as u64, (w >> 64) as u64];
    }

    /// The instruction with each value by itself.
    pub fn unpack(&self) -> Inst<I> {
        Inst::read(self.row, self.bits())
    }

    /// The row of the table that the instruction is a form of.
    pub fn row(&self) -> &'static Row<I> {
        &I::table().rows[self.row as usize]
    }

    /// The semantic opcode of its row.
    pub fn op(&self) -> I::Op {
        self.row().op
    }

    /// Raw value of the operand called `name`, if the row has one.
    pub fn get(&self, name: &str) -> Option<u32> {
        self.row().operand(name).map(|i| self.at(i))
    }

    /// Raw value of operand `i`.
    pub fn at(&self, i: usize) -> u32 {
        self.row().operands[i].field.get(self.bits())
    }

    /// Sets operand `i`.
    ///
    /// # Panics
    /// When the value does not fit its field.
    pub fn set_at(&mut self, i: usize, value: u32) {
        let field = &self.row().operands[i].field;
        self.keep(self.bits() & !field.mask() | field.put(value));
    }

    /// Sets the operand called `name`.
    ///
    /// # Panics
    /// When the row has no such operand, or the value does not fit its field.
    pub fn set(&mut self, name: &str, value: u32) {
        match self.row().operand(name) {
            Some(i) => self.set_at(i, value),
            None => panic!("row `{}` has no slot `{name}`", self.row().text),
        }
    }

    /// The word and its length in bytes; `None` when its row does not exist on `generation`.
    pub fn encode(&self, generation: u8) -> Option<(Word, usize)> {
        let row = self.row();
        Some((row.enc_on(generation)?.value | self.bits(), row.bytes as usize))
    }
}

impl<I: Isa> Table<I> {
    /// Encodes an instruction; `None` when its row does not exist on `generation`.
    ///
    /// # Panics
    /// When a value does not fit its field.
    pub fn encode(&self, inst: &Inst<I>, generation: u8) -> Option<(Word, usize)> {
        Packed::from(*inst).encode(generation)
    }
}
