//! What one lane executes, one instruction after the other, with the values that each instruction gave.
//!
//! A machine shows its registers before each instruction ([`Trace::look`]): what differs from the look before is what the instruction
//! between wrote. The oracle says which values an instruction gave ([`Trace::gave`]). Without a trace both cost one test.
//!
//! A trace that counts takes no steps: it says how often each instruction was executed, by all lanes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How the bits of a value are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// A register of a machine: nobody says.
    Bits,
    /// A float of so many bits.
    Float(u32),
    /// An integer of so many bits, signed or not.
    Int(u32),
    /// True where it is not 0.
    Bool,
}

/// A value that an instruction gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The register, or the value of the IR with its component.
    pub name: String,
    /// The bits of the lane; of a scalar register those that all lanes share.
    pub bits: u64,
    /// How they are read.
    pub reading: Reading,
}

/// An instruction that was executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Executed {
    /// Byte address of the instruction, or its number on the oracle.
    pub pc: u64,
    /// The instruction as the IR prints it; of a machine nothing, since its listing has it.
    pub text: String,
    /// Whether the lane took part: a machine may run other lanes of its subgroup through code that this one skips.
    pub active: bool,
    /// Values that it gave; of a machine registers that hold something else since.
    pub written: Vec<Written>,
}

/// A register file of a subgroup: one word for each lane of each register.
pub struct File<'a> {
    /// Letters before a register's number.
    pub name: &'static str,
    /// Components that have one number: 4 where they are named by x, y, z and w, or 1.
    pub parts: usize,
    /// Lanes of a register; of scalar registers 1.
    pub lanes: usize,
    /// The words, register by register.
    pub words: &'a [u32],
}

/// How often an instruction was executed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Times that a subgroup issued it.
    pub times: u64,
    /// Lanes that took part, of all these times together.
    pub lanes: u64,
}

#[derive(Debug, Default)]
struct State {
    /// Counts by address of each program, of a trace that counts.
    counts: Option<Vec<BTreeMap<u64, Count>>>,
    /// The program that runs.
    program: usize,
    on: bool,
    lane: usize,
    most: usize,
    /// The words of the lane at the last look.
    before: Vec<u32>,
    list: Vec<Executed>,
    has_more: bool,
}

/// Steps of a lane, which a run fills. Clones are the same list.
#[derive(Clone, Debug)]
pub struct Trace(Arc<Mutex<State>>);

impl PartialEq for Trace {
    fn eq(&self, other: &Trace) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Trace {}

impl Trace {
    /// A list of at most `most` steps, which nothing fills until [`Trace::start`].
    pub fn new(most: usize) -> Trace {
        Trace(Arc::new(Mutex::new(State { most, ..State::default() })))
    }

    /// A trace that counts what all lanes execute, from now on.
    pub fn counting() -> Trace {
        Trace(Arc::new(Mutex::new(State { counts: Some(Vec::new()), ..State::default() })))
    }

    /// What is executed from here on is of the program of this number; at first it is 0.
    pub fn program(&self, number: usize) {
        self.state().program = number;
    }

    /// The counts of a program so far, by address, which are counted from 0 again.
    pub fn counts(&self, program: usize) -> BTreeMap<u64, Count> {
        let mut s = self.state();
        s.counts.as_mut().and_then(|c| c.get_mut(program)).map(std::mem::take).unwrap_or_default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a lane executes from here on is added.
    pub fn start(&self, lane: usize) {
        let mut s = self.state();
        (s.on, s.lane) = (true, lane);
        s.before.clear();
    }

    /// Nothing is added from here on.
    pub fn stop(&self) {
        self.state().on = false;
    }

    /// The steps so far, and whether there were more than it takes.
    pub fn take(&self) -> (Vec<Executed>, bool) {
        let mut s = self.state();
        (std::mem::take(&mut s.list), s.has_more)
    }

    /// A machine is about to run an instruction in the lanes of a mask; these are its registers.
    #[cold]
    pub fn look(&self, pc: u64, lanes: u64, files: &[File<'_>]) {
        let mut s = self.state();
        if !s.on {
            s.count(pc, lanes.count_ones().into());
            return;
        }
        let is_first = s.before.is_empty();
        let (mut at, mut written, lane) = (0, Vec::new(), s.lane);
        for f in files {
            for (k, words) in f.words.chunks_exact(f.lanes).enumerate() {
                let now = words.get(lane).or(words.first()).copied().unwrap_or(0);
                match s.before.get_mut(at) {
                    Some(before) if *before != now => {
                        *before = now;
                        let part = if f.parts > 1 { [".x", ".y", ".z", ".w"][k % f.parts % 4] } else { "" };
                        let name = format!("{}{}{part}", f.name, k / f.parts);
                        written.push(Written { name, bits: now.into(), reading: Reading::Bits });
                    }
                    Some(_) => {}
                    None => s.before.push(now),
                }
                at += 1;
            }
        }
        if !is_first && let Some(last) = s.list.last_mut().filter(|_| !written.is_empty()) {
            last.written = written;
        }
        s.add(Executed { pc, text: String::new(), active: lanes >> lane & 1 == 1, written: Vec::new() });
    }

    /// The oracle ran an instruction in these lanes; `value` gives what it gave in a lane.
    #[cold]
    pub fn gave(
        &self,
        (pc, lanes): (u64, &[u32]),
        text: impl FnOnce() -> String,
        value: impl FnOnce(usize) -> Vec<Written>,
    ) {
        let mut s = self.state();
        if !s.on {
            s.count(pc, lanes.len() as u64);
            return;
        }
        let active = lanes.iter().any(|&l| l as usize == s.lane);
        let written = if active { value(s.lane) } else { Vec::new() };
        s.add(Executed { pc, text: text(), active, written });
    }
}

impl State {
    fn count(&mut self, pc: u64, lanes: u64) {
        let program = self.program;
        let Some(counts) = &mut self.counts else { return };
        if counts.len() <= program {
            counts.resize_with(program + 1, BTreeMap::new);
        }
        let own = counts[program].entry(pc).or_default();
        own.times += 1;
        own.lanes += lanes;
    }

    fn add(&mut self, step: Executed) {
        match self.list.len() < self.most {
            true => self.list.push(step),
            false => (self.has_more, self.on) = (true, false),
        }
    }
}
