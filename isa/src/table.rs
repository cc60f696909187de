//! Decoding and encoding by the rows.

use core::fmt;

use crate::{Isa, Row, TextCx, Word};

/// Most slots one row may have.
pub const MAX_SLOTS: usize = 24;

/// One instruction: a row and the raw value of each of its slots.
pub struct Inst<I: Isa> {
    /// Index of the row in its table.
    pub row: u16,
    /// Raw field values, in the row's slot order.
    pub vals: [u32; MAX_SLOTS],
    /// Bits that hardware ignores, as decoded.
    pub ignored: Word,
    marker: core::marker::PhantomData<fn() -> I>,
}

impl<I: Isa> Clone for Inst<I> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<I: Isa> Copy for Inst<I> {}
impl<I: Isa> PartialEq for Inst<I> {
    fn eq(&self, o: &Self) -> bool {
        self.row == o.row && self.vals == o.vals && self.ignored == o.ignored
    }
}
impl<I: Isa> fmt::Debug for Inst<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = self.row();
        write!(f, "{:?}", row.op)?;
        for (s, v) in row.slots.iter().zip(self.vals) {
            write!(f, " {}={v:#x}", s.name)?;
        }
        Ok(())
    }
}

impl<I: Isa> Inst<I> {
    /// An instruction of row `row` with all slots 0.
    pub fn new(row: u16) -> Self {
        Inst { row, vals: [0; MAX_SLOTS], ignored: 0, marker: core::marker::PhantomData }
    }

    /// The instruction of row `row` whose slots have the values that `word` has in their fields.
    pub(crate) fn read(row: u16, word: Word) -> Self {
        let mut inst = Inst::new(row);
        let row = inst.row();
        for (v, s) in inst.vals.iter_mut().zip(row.slots) {
            *v = s.field.get(word);
        }
        inst.ignored = word & row.ignored;
        inst
    }

    /// Its row.
    pub fn row(&self) -> &'static Row<I> {
        &I::table().rows[self.row as usize]
    }

    /// Its semantic opcode.
    pub fn op(&self) -> I::Op {
        self.row().op
    }

    /// Raw value of the slot called `name`, if the row has one.
    pub fn get(&self, name: &str) -> Option<u32> {
        self.row().slot(name).map(|i| self.vals[i])
    }

    /// Sets the slot called `name`.
    ///
    /// # Panics
    /// When the row has no such slot: a caller that names one has confused two rows.
    pub fn set(&mut self, name: &str, value: u32) {
        match self.row().slot(name) {
            Some(i) => self.vals[i] = value,
            None => panic!("row `{}` has no slot `{name}`", self.row().text),
        }
    }

    /// Same as [`set`](Inst::set), for chaining.
    #[must_use]
    pub fn with(mut self, name: &str, value: u32) -> Self {
        self.set(name, value);
        self
    }
}

/// Why a word does not decode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DecodeError {
    /// No row of this generation and program type matches.
    Unknown,
    /// A row matches but reserved bits (given) are set.
    Reserved(Word),
    /// Fewer bytes than the instruction needs.
    Truncated,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecodeError::Unknown => write!(f, "no instruction matches this word"),
            DecodeError::Reserved(b) => write!(f, "reserved bits set ({b:#x})"),
            DecodeError::Truncated => write!(f, "truncated instruction"),
        }
    }
}

/// A list of rows for each key value, one behind the other.
struct Buckets {
    /// Where each list begins; one more at the end.
    start: Vec<u32>,
    rows: Vec<u16>,
}

impl Buckets {
    /// From the mask and the value that each row asks of the key.
    fn new(size: usize, rows: &[(u16, u32, u32)]) -> Buckets {
        let each = |f: &mut dyn FnMut(usize, u16)| {
            for &(row, mask, value) in rows {
                // All settings of the bits that the row leaves free, by counting through them.
                let free = !mask & (size as u32 - 1);
                let mut bits = 0;
                loop {
                    f((value | bits) as usize, row);
                    if bits == free {
                        break;
                    }
                    bits = (bits | !free).wrapping_add(1) & free;
                }
            }
        };
        let mut start = vec![0u32; size + 1];
        each(&mut |k, _| start[k + 1] += 1);
        for k in 0..size {
            start[k + 1] += start[k];
        }
        let mut at = start.clone();
        let mut list = vec![0; start[size] as usize];
        each(&mut |k, row| {
            list[at[k] as usize] = row;
            at[k] += 1;
        });
        Buckets { start, rows: list }
    }

    fn get(&self, key: u32) -> &[u16] {
        let k = key as usize;
        &self.rows[self.start[k] as usize..self.start[k + 1] as usize]
    }
}

/// Rows with the decoder's index.
pub struct Table<I: Isa> {
    /// The rows, as declared.
    pub rows: &'static [Row<I>],
    /// Per generation: matching rows of each key value.
    buckets: Vec<Buckets>,
    /// Row indices sorted by the head of their template (lower case), for the assembler.
    pub(crate) by_head: Vec<(String, u16)>,
}

impl<I: Isa> Table<I> {
    /// Builds the index.
    pub fn new(rows: &'static [Row<I>]) -> Self {
        assert!(I::KEY.width() <= 12 && rows.len() < u16::MAX as usize);
        #[cfg(gpucc_mutate)]
        let rows = crate::mutate::rows(rows);
        let size = 1usize << I::KEY.width();
        let on = |g: usize| {
            let asks = |(r, row): (usize, &Row<I>)| {
                let enc = row.enc_on(g as u8)?;
                let (mask, value) = (I::KEY.get(enc.mask), I::KEY.get(enc.value));
                // A value outside its mask never matches.
                (value & !mask == 0).then_some((r as u16, mask, value))
            };
            rows.iter().enumerate().filter_map(asks).collect::<Vec<_>>()
        };
        let buckets = (0..I::GENERATIONS.len()).map(|g| Buckets::new(size, &on(g))).collect();
        let mut by_head: Vec<(String, u16)> =
            rows.iter().enumerate().map(|(i, r)| (r.head().to_ascii_lowercase(), i as u16)).collect();
        by_head.sort();
        Table { rows, buckets, by_head }
    }

    /// Index of the first row with semantic opcode `op` that exists on `generation` and satisfies `pred`.
    pub fn find(&self, op: I::Op, generation: u8, pred: impl Fn(&Row<I>) -> bool) -> Option<u16> {
        let at = self.rows.iter().position(|r| r.op == op && r.enc_on(generation).is_some() && pred(r))?;
        Some(at as u16)
    }

    /// Decodes one word of `I::length` bytes.
    ///
    /// # Errors
    /// When no row matches on this generation and program type, or reserved bits are set.
    pub fn decode(&self, word: Word, bytes: usize, generation: u8, stages: u8) -> Result<Inst<I>, DecodeError> {
        let mut err = DecodeError::Unknown;
        for &r in self.buckets[generation as usize].get(I::KEY.get(word)) {
            let row = &self.rows[r as usize];
            if row.bytes as usize != bytes || row.stages & stages == 0 {
                continue;
            }
            let Some(enc) = row.enc_on(generation) else { continue };
            if word & enc.mask != enc.value || row.except.iter().any(|&(m, v)| word & m == v) {
                continue;
            }
            let known = row.slots.iter().fold(enc.mask | row.ignored, |m, s| m | s.field.mask());
            if word & !known != 0 {
                err = DecodeError::Reserved(word & !known);
                continue;
            }
            let inst = Inst::read(r, word);
            let reserved = I::reserved(&inst);
            if reserved != 0 {
                err = DecodeError::Reserved(reserved);
                continue;
            }
            if !I::legal(&inst, generation, stages & row.stages) {
                continue;
            }
            return Ok(inst);
        }
        Err(err)
    }

    /// Encodes an instruction; `None` when its row does not exist on `generation`.
    ///
    /// # Panics
    /// When a value does not fit its field.
    pub fn encode(&self, inst: &Inst<I>, generation: u8) -> Option<(Word, usize)> {
        crate::Packed::from(*inst).encode(generation)
    }

    /// Bits first, rules second: [`Isa::validate`] after a check that all values fit.
    ///
    /// # Errors
    /// One sentence naming the rule.
    pub fn validate(&self, inst: &Inst<I>, cx: &TextCx) -> Result<(), String> {
        let row = inst.row();
        if row.enc_on(cx.generation).is_none() {
            return Err(format!("`{}` does not exist on {}", row.head(), I::GENERATIONS[cx.generation as usize]));
        }
        for (i, s) in row.slots.iter().enumerate() {
            if inst.vals[i] > s.field.max() {
                return Err(format!("value {:#x} of `{}` does not fit", inst.vals[i], s.name));
            }
        }
        I::validate(inst, cx)
    }
}
