//! Definition of an instruction set: its types and hooks, its rows, decoding by them. They are in one file because each names the
//! others.

use core::fmt;
use std::sync::OnceLock;

use crate::bits::{Field, Word};
use crate::cursor::{Cursor, TextCx, TextError};
use crate::stage;

/// One instruction set: the types that its rows use and the hooks that the kit calls.
pub trait Isa: Sized + 'static {
    /// Semantic opcode. Several rows (short and long forms, per-generation layouts) may share one.
    type Op: Copy + Eq + core::fmt::Debug + Send + Sync + 'static;
    /// Operand and modifier kinds: decides how an operand's raw value reads as text and which values are legal.
    type Kind: Copy + core::fmt::Debug + Send + Sync + 'static;
    /// The family's facts per row besides bits and [`Effects`].
    type Attrs: Copy + core::fmt::Debug + Send + Sync + 'static;

    /// Family name as in the command line contract.
    const NAME: &'static str;
    /// Generation names; a generation is referred to by its index, a set of them by a bit mask of indices.
    const GENERATIONS: &'static [&'static str];
    /// Bits by which the decoder sorts rows into buckets (at most 12 bits; need not be fixed in every row).
    const KEY: Field;

    /// The table. Use [`Table::new`] behind a `LazyLock`.
    fn table() -> &'static Table<Self>;

    /// Length in bytes of the instruction that begins with `low` (as many bytes as there are, zero-extended).
    fn length(low: Word, generation: u8) -> usize;

    /// Bits of values that no fixed bit can rule out: reserved members of an enumeration, leftovers of an absent
    /// operand. Runs in every decode; a row that answers with anything but 0 does not match the word.
    fn reserved(inst: &Inst<Self>) -> Word {
        let _ = inst;
        0
    }

    /// Whether the fields of a decoded instruction go together; decode rejects the word otherwise. For conditions over
    /// several fields, or over fields and program type, that fixed bits cannot say.
    fn legal(inst: &Inst<Self>, generation: u8, stages: u8) -> bool {
        let _ = (inst, generation, stages);
        true
    }

    /// Prints the raw value of operand `index` of `inst`.
    fn print_operand(inst: &Inst<Self>, index: usize, cx: &TextCx, out: &mut String);

    /// Parses what [`print_operand`](Isa::print_operand) prints and stores the raw value into `inst`. An optional modifier
    /// that is absent from the text stores its silent value and succeeds.
    ///
    /// # Errors
    /// Column and reason when the text is not a legal operand of this kind.
    fn parse_operand(inst: &mut Inst<Self>, index: usize, cur: &mut Cursor<'_>, cx: &TextCx) -> Result<(), TextError>;

    /// Prints a whole instruction, by the row's template mostly ([`print_template`](crate::text::print_template)).
    fn print(inst: &Inst<Self>, cx: &TextCx, out: &mut String);

    /// Parses a whole instruction, by the templates mostly ([`parse_templates`](crate::text::parse_templates)).
    ///
    /// # Errors
    /// The error of the row that got furthest.
    fn parse(line: &str, cx: &TextCx) -> Result<Inst<Self>, TextError>;

    /// Rules beyond the bits: what decodes but may not be emitted. Runs on request only, never in decode.
    ///
    /// # Errors
    /// One sentence naming the violated rule.
    fn validate(inst: &Inst<Self>, cx: &TextCx) -> Result<(), String>;
}

/// The use of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Register or memory operand that is written.
    Def,
    /// Register, memory or constant operand that is read.
    Use,
    /// Read and written.
    UseDef,
    /// Changes the operation or one of its operands (rounding, saturate, negate, slot, cache policy).
    Mod,
    /// A number that belongs to the instruction (offset, mask, count).
    Imm,
    /// A code address.
    Label,
}

/// State that an instruction touches without an operand field naming it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Implicit {
    /// Name in the family's notation (`scc`, `vcc`, `exec`, `m0`, `$c0`).
    pub name: &'static str,
    /// Read by the instruction.
    pub read: bool,
    /// Written by the instruction.
    pub write: bool,
}

impl Implicit {
    /// Named state that an instruction reads without an operand.
    pub const fn read(name: &'static str) -> Implicit {
        Implicit { name, read: true, write: false }
    }
    /// Named state that an instruction writes without an operand.
    pub const fn write(name: &'static str) -> Implicit {
        Implicit { name, read: false, write: true }
    }
    /// An implicit read and write.
    pub const fn both(name: &'static str) -> Implicit {
        Implicit { name, read: true, write: true }
    }
}

/// The effects of an instruction besides computing its results from its operands, and its cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effects {
    /// Whether it reads memory.
    pub reads: bool,
    /// Writes memory, or orders it.
    pub writes: bool,
    /// Memory that it touches, numbered by the family. Different ones never alias; 0 may alias all.
    pub space: u16,
    /// Stays although nobody reads its results, and in order with all others of its kind.
    pub side_effect: bool,
    /// May not be moved to another block.
    pub convergent: bool,
    /// Whether it ends a block, as a branch does.
    pub terminator: bool,
    /// Cycles until its results can be read without stalling.
    pub latency: u16,
    /// Execution unit, numbered by the family.
    pub unit: u8,
}

impl Effects {
    /// Computes its results and nothing else.
    pub const fn pure(latency: u16) -> Effects {
        Effects {
            reads: false,
            writes: false,
            space: 0,
            side_effect: false,
            convergent: false,
            terminator: false,
            latency,
            unit: 0,
        }
    }
    /// Effects of a load: reads memory, result after `latency` cycles.
    pub const fn load(latency: u16) -> Effects {
        Effects { reads: true, ..Effects::pure(latency) }
    }
    /// Effects of a store: writes memory, so it is never removed.
    pub const fn store() -> Effects {
        Effects { writes: true, side_effect: true, ..Effects::pure(1) }
    }
    /// What it does besides giving results, as a page for people says it; `memory` names what it touches.
    pub fn words(&self, memory: &str) -> Vec<String> {
        let touches = match (self.reads, self.writes) {
            (true, true) => format!("reads and writes {memory}"),
            (true, false) => format!("reads {memory}"),
            (false, true) => format!("writes {memory}"),
            (false, false) => String::new(),
        };
        let words = [
            (!touches.is_empty(), touches.as_str()),
            (self.side_effect && !self.writes && !self.terminator, "stays"),
            (self.convergent, "convergent"),
            (self.terminator, "ends a block"),
        ];
        words.iter().filter(|w| w.0).map(|w| w.1.to_owned()).collect()
    }
    /// Reads and writes memory.
    pub const fn atomic(latency: u16) -> Effects {
        Effects { reads: true, ..Effects { latency, ..Effects::store() } }
    }
    /// Orders memory, and all invocations of a workgroup arrive.
    pub const fn barrier() -> Effects {
        Effects { convergent: true, ..Effects::atomic(1) }
    }
    /// Effects of a branch: ends a block, never removed.
    pub const fn branch() -> Effects {
        Effects { terminator: true, side_effect: true, ..Effects::pure(1) }
    }
    /// Computes nothing, but stays where it is among others of its kind.
    pub const fn kept() -> Effects {
        Effects { side_effect: true, ..Effects::pure(1) }
    }
    /// The same effects on the execution unit of this number.
    #[must_use]
    pub const fn on(self, unit: u8) -> Effects {
        Effects { unit, ..self }
    }
    /// The same effects on the memory of this number.
    #[must_use]
    pub const fn at(self, space: u16) -> Effects {
        Effects { space, ..self }
    }
    /// May not be moved to another block: other lanes take part.
    #[must_use]
    pub const fn convergent(self) -> Effects {
        Effects { convergent: true, ..self }
    }
}

/// One operand or modifier of a row.
#[derive(Debug)]
pub struct OperandSpec<I: Isa> {
    /// Name, unique in the row; templates and builders refer to it.
    pub name: &'static str,
    /// Where its bits are.
    pub field: Field,
    /// How its value reads.
    pub kind: I::Kind,
    /// Whether it is read, written, or a modifier.
    pub role: Role,
}

impl<I: Isa> OperandSpec<I> {
    /// An operand of this name, whose raw value stands in `field`.
    pub const fn new(name: &'static str, field: Field, kind: I::Kind, role: Role) -> Self {
        OperandSpec { name, field, kind, role }
    }
}

/// Fixed bits of a row on a set of generations.
#[derive(Clone, Copy, Debug)]
pub struct Enc {
    /// Generations (bit mask of indices into [`Isa::GENERATIONS`]).
    pub generations: u16,
    /// Bits that are fixed.
    pub mask: Word,
    /// Values of the bits in `mask`.
    pub value: Word,
}

/// One instruction form: its encoding, text, operands and effects.
#[derive(Debug)]
pub struct Row<I: Isa> {
    /// Semantic opcode that the form spells.
    pub op: I::Op,
    /// Text template: literal text with `{operand}` references; blanks match any run of blanks.
    pub text: &'static str,
    /// Length of the encoding in bytes.
    pub bytes: u8,
    /// Fixed bits, one entry per group of generations that agree.
    pub enc: &'static [Enc],
    /// Program types that have it, as a mask of [`stage`] bits.
    pub stages: u8,
    /// Bits that hardware ignores: kept by the decoder, re-encoded as they were. All other bits that are neither fixed
    /// nor in an operand are reserved: a word that sets one does not decode.
    pub ignored: Word,
    /// Words that match one of these `(mask, value)` pairs belong to other rows although the fixed bits match.
    pub except: &'static [(Word, Word)],
    /// Operands and modifiers, in the order of the declaration.
    pub operands: &'static [OperandSpec<I>],
    /// State that it reads or writes without an operand.
    pub implicit: &'static [Implicit],
    /// The effects besides its results, latency and unit.
    pub effects: Effects,
    /// The other facts of the family.
    pub attrs: I::Attrs,
    /// One line of meaning for people.
    pub doc: &'static str,
    /// Section of the ISA reference the row was taken from.
    pub source: &'static str,
}

impl<I: Isa> Row<I> {
    /// A row of `bytes` length with the given fixed bits.
    pub const fn new(
        op: I::Op,
        text: &'static str,
        bytes: u8,
        enc: &'static [Enc],
        effects: Effects,
        attrs: I::Attrs,
    ) -> Self {
        Row {
            op,
            text,
            bytes,
            enc,
            stages: stage::ALL,
            ignored: 0,
            except: &[],
            operands: &[],
            implicit: &[],
            effects,
            attrs,
            doc: "",
            source: "",
        }
    }
    /// Sets operands and modifiers of the row.
    pub const fn operands(mut self, operands: &'static [OperandSpec<I>]) -> Self {
        self.operands = operands;
        self
    }
    /// Sets the implicit state.
    pub const fn implicit(mut self, implicit: &'static [Implicit]) -> Self {
        self.implicit = implicit;
        self
    }
    /// Sets the program types.
    pub const fn stages(mut self, stages: u8) -> Self {
        self.stages = stages;
        self
    }
    /// Sets the bits that hardware ignores.
    pub const fn ignored(mut self, ignored: Word) -> Self {
        self.ignored = ignored;
        self
    }
    /// Sets the words that other rows own although the fixed bits match.
    pub const fn except(mut self, except: &'static [(Word, Word)]) -> Self {
        self.except = except;
        self
    }
    /// Sets the line of meaning and the reference section.
    pub const fn doc(mut self, doc: &'static str, source: &'static str) -> Self {
        self.doc = doc;
        self.source = source;
        self
    }

    /// The fixed bits on `generation`, if the row exists there.
    pub fn enc_on(&self, generation: u8) -> Option<&'static Enc> {
        self.enc.iter().find(|e| e.generations >> generation & 1 == 1)
    }

    /// Whether the row exists on `generation`.
    pub const fn is_on(&self, generation: u8) -> bool {
        let mut k = 0;
        while k < self.enc.len() {
            if self.enc[k].generations >> generation & 1 == 1 {
                return true;
            }
            k += 1;
        }
        false
    }

    /// All generations that have the row.
    pub fn generations(&self) -> u16 {
        self.enc.iter().fold(0, |m, e| m | e.generations)
    }

    /// Names of [`Row::generations`], in order.
    pub fn generation_names(&self) -> Vec<&'static str> {
        let all = self.generations();
        I::GENERATIONS.iter().enumerate().filter(|(g, _)| all >> g & 1 == 1).map(|(_, n)| *n).collect()
    }

    /// How many operands there are of this role.
    pub const fn count(&self, role: Role) -> usize {
        let (mut n, mut k) = (0, 0);
        while k < self.operands.len() {
            n += (self.operands[k].role as u8 == role as u8) as usize;
            k += 1;
        }
        n
    }

    /// Index of the operand called `name`.
    pub fn operand(&self, name: &str) -> Option<usize> {
        self.operands.iter().position(|s| s.name == name)
    }

    /// The template's first word up to the first blank or operand: what the assembler looks rows up by.
    pub fn head(&self) -> &'static str {
        let end = self.text.find(['{', ' ']).unwrap_or(self.text.len());
        &self.text[..end]
    }
}

/// Fixed bits on the given generations, from `(field, value)` pairs.
pub const fn fixed(generations: u16, fields: &[(Field, u32)]) -> Enc {
    let mut mask = 0;
    let mut value = 0;
    let mut i = 0;
    while i < fields.len() {
        let m = fields[i].0.mask();
        assert!(mask & m == 0, "fixed fields overlap");
        mask |= m;
        value |= fields[i].0.put(fields[i].1);
        i += 1;
    }
    Enc { generations, mask, value }
}

// Derives would ask for `I: Clone`, which is only a name for its associated types.

impl<I: Isa> Clone for OperandSpec<I> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<I: Isa> Copy for OperandSpec<I> {}

impl<I: Isa> Clone for Row<I> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<I: Isa> Copy for Row<I> {}

/// Most operands one row may have.
pub const MAX_SLOTS: usize = 24;

/// One instruction: a row and the raw value of each of its operands.
pub struct Inst<I: Isa> {
    /// Index of the row in its table.
    pub row: u16,
    /// Raw field values, in the row's operand order.
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
        for (s, v) in row.operands.iter().zip(self.vals) {
            write!(f, " {}={v:#x}", s.name)?;
        }
        Ok(())
    }
}

impl<I: Isa> Inst<I> {
    /// An instruction of row `row` with all operands 0.
    pub fn new(row: u16) -> Self {
        Inst { row, vals: [0; MAX_SLOTS], ignored: 0, marker: core::marker::PhantomData }
    }

    /// The instruction of row `row` whose operands have the values that `word` has in their fields.
    pub(crate) fn read(row: u16, word: Word) -> Self {
        let mut inst = Inst::new(row);
        let row = inst.row();
        for (v, s) in inst.vals.iter_mut().zip(row.operands) {
            *v = s.field.get(word);
        }
        inst.ignored = word & row.ignored;
        inst
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
        self.row().operand(name).map(|i| self.vals[i])
    }

    /// Sets the operand called `name`.
    ///
    /// # Panics
    /// When the row has no such operand: a caller that names one has confused two rows.
    pub fn set(&mut self, name: &str, value: u32) {
        match self.row().operand(name) {
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
    /// Buckets made from the mask and the value that each row asks of the key.
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
    /// Matching rows of each key value, per generation, made at its first decoding. A compiler that only encodes pays for none.
    buckets: Vec<OnceLock<Buckets>>,
    /// Made for the first text: row indices sorted by the head of their template (lower case).
    by_head: OnceLock<Vec<(String, u16)>>,
}

impl<I: Isa> Table<I> {
    /// A table of these rows, with an index that is built when it is asked.
    pub fn new(rows: &'static [Row<I>]) -> Self {
        assert!(I::KEY.width() <= 12 && rows.len() < u16::MAX as usize);
        #[cfg(gpucc_mutate)]
        let rows = mutated(rows);
        let buckets = I::GENERATIONS.iter().map(|_| OnceLock::new()).collect();
        Table { rows, buckets, by_head: OnceLock::new() }
    }

    /// The rows that each key value of a generation may be.
    fn buckets(&self, generation: u8) -> &Buckets {
        self.buckets[generation as usize].get_or_init(|| {
            let asks = |(r, row): (usize, &Row<I>)| {
                let enc = row.enc_on(generation)?;
                let (mask, value) = (I::KEY.get(enc.mask), I::KEY.get(enc.value));
                // A value outside its mask never matches.
                (value & !mask == 0).then_some((r as u16, mask, value))
            };
            let list: Vec<_> = self.rows.iter().enumerate().filter_map(asks).collect();
            Buckets::new(1 << I::KEY.width(), &list)
        })
    }

    /// Row indices sorted by the head of their template (lower case).
    pub(crate) fn by_head(&self) -> &[(String, u16)] {
        self.by_head.get_or_init(|| {
            let heads = self.rows.iter().enumerate().map(|(i, r)| (r.head().to_ascii_lowercase(), i as u16));
            let mut list: Vec<(String, u16)> = heads.collect();
            list.sort();
            list
        })
    }

    /// Index of the first row with semantic opcode `op` that exists on `generation` in a program of these `stages` and satisfies
    /// `pred`.
    pub fn find(&self, op: I::Op, generation: u8, stages: u8, pred: impl Fn(&Row<I>) -> bool) -> Option<u16> {
        let fits = |r: &Row<I>| r.op == op && r.stages & stages != 0 && r.enc_on(generation).is_some() && pred(r);
        let at = self.rows.iter().position(fits)?;
        Some(at as u16)
    }

    /// Decodes one word of `I::length` bytes.
    ///
    /// # Errors
    /// When no row matches on this generation and program type, or reserved bits are set.
    pub fn decode(&self, word: Word, bytes: usize, generation: u8, stages: u8) -> Result<Inst<I>, DecodeError> {
        let mut err = DecodeError::Unknown;
        for &r in self.buckets(generation).get(I::KEY.get(word)) {
            let row = &self.rows[r as usize];
            if row.bytes as usize != bytes || row.stages & stages == 0 {
                continue;
            }
            let Some(enc) = row.enc_on(generation) else { continue };
            if word & enc.mask != enc.value || row.except.iter().any(|&(m, v)| word & m == v) {
                continue;
            }
            let known = row.operands.iter().fold(enc.mask | row.ignored, |m, s| m | s.field.mask());
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

    /// Bits first, rules second: [`Isa::validate`] after a check that all values fit.
    ///
    /// # Errors
    /// One sentence naming the rule.
    pub fn validate(&self, inst: &Inst<I>, cx: &TextCx) -> Result<(), String> {
        let row = inst.row();
        if row.enc_on(cx.generation).is_none() {
            return Err(format!("`{}` does not exist on {}", row.head(), I::GENERATIONS[cx.generation as usize]));
        }
        if row.stages & cx.stages == 0 {
            return Err(format!("`{}` does not exist in programs of this stage", row.head()));
        }
        for (i, s) in row.operands.iter().enumerate() {
            if inst.vals[i] > s.field.max() {
                return Err(format!("value {:#x} of `{}` does not fit", inst.vals[i], s.name));
            }
        }
        I::validate(inst, cx)
    }
}

/// The rows, one of them wrong if the environment says so: for the mutation script (`cargo xtask mutate`). `GPUCC_MUTATE=ROW:BIT`
/// flips the BIT-th fixed bit in one of the encodings of row ROW (generations whose words differ have one each). The script then
/// expects the repository's own tests to fail: a table is only as good as the tests that hold it.
#[cfg(gpucc_mutate)]
fn mutated<I: Isa>(rows: &'static [Row<I>]) -> &'static [Row<I>] {
    let Ok(text) = std::env::var("GPUCC_MUTATE") else { return rows };
    let (row, bit) = text.split_once(':').expect("GPUCC_MUTATE is ROW:BIT");
    let row = row.parse::<usize>().expect("a row number") % rows.len();
    let bit = bit.parse::<u32>().expect("a bit number");
    let mut copy = rows.to_vec();
    let mut enc = copy[row].enc.to_vec();
    let mut used: Vec<_> = enc.iter_mut().filter(|e| e.generations != 0).collect();
    let nth = bit as usize % used.len();
    used[nth].value ^= nth_bit(used[nth].mask, bit);
    copy[row].enc = enc.leak();
    copy.leak()
}

/// The `n`-th set bit of `mask`, counted around.
#[cfg(gpucc_mutate)]
fn nth_bit(mask: Word, n: u32) -> Word {
    let mut left = mask;
    for _ in 0..n % mask.count_ones().max(1) {
        left &= left - 1;
    }
    left & left.wrapping_neg()
}
