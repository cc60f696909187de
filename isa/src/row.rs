//! Rows: the declaration of one instruction form.

use crate::{Field, Isa, Word, stage};

/// What an operand slot does.
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
    /// An implicit read.
    pub const fn read(name: &'static str) -> Implicit {
        Implicit { name, read: true, write: false }
    }
    /// An implicit write.
    pub const fn write(name: &'static str) -> Implicit {
        Implicit { name, read: false, write: true }
    }
    /// An implicit read and write.
    pub const fn both(name: &'static str) -> Implicit {
        Implicit { name, read: true, write: true }
    }
}

/// What an instruction does besides computing its results from its operands, and what it costs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effects {
    /// Reads memory.
    pub reads: bool,
    /// Writes memory, or orders it.
    pub writes: bool,
    /// Stays although nobody reads its results, and in order with all others of its kind.
    pub side_effect: bool,
    /// May not be moved to another block.
    pub convergent: bool,
    /// Ends a block.
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
            side_effect: false,
            convergent: false,
            terminator: false,
            latency,
            unit: 0,
        }
    }
    /// Reads memory.
    pub const fn load(latency: u16) -> Effects {
        Effects { reads: true, ..Effects::pure(latency) }
    }
    /// Writes memory.
    pub const fn store() -> Effects {
        Effects { writes: true, side_effect: true, ..Effects::pure(1) }
    }
    /// Reads and writes memory.
    pub const fn atomic(latency: u16) -> Effects {
        Effects { reads: true, ..Effects { latency, ..Effects::store() } }
    }
    /// Orders memory, and all invocations of a workgroup arrive.
    pub const fn barrier() -> Effects {
        Effects { convergent: true, ..Effects::atomic(1) }
    }
    /// Ends a block.
    pub const fn branch() -> Effects {
        Effects { terminator: true, side_effect: true, ..Effects::pure(1) }
    }
    /// On this unit.
    #[must_use]
    pub const fn on(self, unit: u8) -> Effects {
        Effects { unit, ..self }
    }
}

/// One operand or modifier of a row.
#[derive(Debug)]
pub struct Slot<I: Isa> {
    /// Name, unique in the row; templates and builders refer to it.
    pub name: &'static str,
    /// Where its bits are.
    pub field: Field,
    /// How its value reads.
    pub kind: I::Kind,
    /// What it does.
    pub role: Role,
}

impl<I: Isa> Slot<I> {
    /// A slot.
    pub const fn new(name: &'static str, field: Field, kind: I::Kind, role: Role) -> Self {
        Slot { name, field, kind, role }
    }
}

/// Fixed bits of a row on a set of generations.
#[derive(Clone, Copy, Debug)]
pub struct Enc {
    /// Generations (bit mask of indices into [`Isa::GENERATIONS`]).
    pub generations: u16,
    /// Bits that are fixed.
    pub mask: Word,
    /// Their values.
    pub value: Word,
}

/// One instruction form.
#[derive(Debug)]
pub struct Row<I: Isa> {
    /// Semantic opcode.
    pub op: I::Op,
    /// Text template: literal text with `{slot}` references; blanks match any run of blanks.
    pub text: &'static str,
    /// Length in bytes.
    pub bytes: u8,
    /// Fixed bits, one entry per group of generations that agree.
    pub enc: &'static [Enc],
    /// Program types that have it, as a mask of [`stage`] bits.
    pub stages: u8,
    /// Bits that hardware ignores: kept by the decoder, re-encoded as they were. All other bits that are neither fixed
    /// nor in a slot are reserved: a word that sets one does not decode.
    pub ignored: Word,
    /// Words that match one of these `(mask, value)` pairs belong to other rows although the fixed bits match.
    pub except: &'static [(Word, Word)],
    /// Operands and modifiers.
    pub slots: &'static [Slot<I>],
    /// Implicit state.
    pub implicit: &'static [Implicit],
    /// What it does besides its results, latency and unit.
    pub effects: Effects,
    /// What else the family states.
    pub facts: I::Facts,
    /// One line of meaning for people.
    pub doc: &'static str,
    /// Section of the ISA reference the row was taken from.
    pub source: &'static str,
}

impl<I: Isa> Row<I> {
    /// A row of `bytes` length with the given fixed bits.
    pub const fn new(op: I::Op, text: &'static str, bytes: u8, enc: &'static [Enc], facts: I::Facts) -> Self {
        Row {
            op,
            text,
            bytes,
            enc,
            stages: stage::ALL,
            ignored: 0,
            except: &[],
            slots: &[],
            implicit: &[],
            effects: Effects::pure(1),
            facts,
            doc: "",
            source: "",
        }
    }
    /// Sets the slots.
    pub const fn slots(mut self, slots: &'static [Slot<I>]) -> Self {
        self.slots = slots;
        self
    }
    /// Sets the implicit state.
    pub const fn implicit(mut self, implicit: &'static [Implicit]) -> Self {
        self.implicit = implicit;
        self
    }
    /// Sets what it does besides its results.
    pub const fn effects(mut self, effects: Effects) -> Self {
        self.effects = effects;
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

    /// All generations that have the row.
    pub fn generations(&self) -> u16 {
        self.enc.iter().fold(0, |m, e| m | e.generations)
    }

    /// How many slots there are of this role.
    pub const fn count(&self, role: Role) -> usize {
        let (mut n, mut k) = (0, 0);
        while k < self.slots.len() {
            n += (self.slots[k].role as u8 == role as u8) as usize;
            k += 1;
        }
        n
    }

    /// Index of the slot called `name`.
    pub fn slot(&self, name: &str) -> Option<usize> {
        self.slots.iter().position(|s| s.name == name)
    }

    /// The template's first word up to the first blank or slot: what the assembler looks rows up by.
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

impl<I: Isa> Clone for Slot<I> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<I: Isa> Copy for Slot<I> {}

impl<I: Isa> Clone for Row<I> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<I: Isa> Copy for Row<I> {}
