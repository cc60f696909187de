//! Judges what a machine computed, twice: to the bit under its numeric profile, and against the plain oracle inside
//! WGSL's accuracy.

use std::fmt;

use gpucc_interp::{
    Absent, Difference, Free, OobAccess, OracleProgram, Outcome, Profile, Tolerance, outside_accuracy, words,
};
use gpucc_ir::Module;
use gpucc_sim::{BoundBuffer, Dispatch, Races, RunOptions, Trap};

use crate::comparison::{Comparison, Count, has_atomics, writes_at_addresses, written};

/// The finding of a comparison with the oracle that fails.
#[derive(Debug)]
pub enum Verdict {
    /// The machine does not compute what the IR says under its numeric profile.
    Profile(Difference),
    /// The result is outside of what WGSL allows of the plain oracle's.
    Accuracy(Difference),
    /// The oracle itself traps.
    Trap(Trap),
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Profile(d) => write!(f, "differs from the oracle under the machine's numeric profile: {d}"),
            Verdict::Accuracy(d) => write!(f, "differs from the plain oracle beyond WGSL's accuracy: {d}"),
            Verdict::Trap(t) => write!(f, "the oracle traps: {t}"),
        }
    }
}

/// The part that was compared, and the part that was not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// Buffers that the program may write.
    pub buffers: usize,
    /// Bytes of those buffers in all.
    pub bytes: usize,
    /// Whether all bytes were compared under the machine's numeric profile, to the bit.
    pub exact: bool,
    /// Words for which invocations race that were sent to one place by accesses out of bounds: left out of both
    /// comparisons, as are the following.
    pub raced: usize,
    /// Words that the order of invocations decides otherwise, by atomics.
    pub ordered: usize,
    /// Words that reads of lanes that do not take part decide.
    pub absent: usize,
    /// Words that bits of NaN decide, or which operand `min` or `max` gives if one is NaN.
    pub free: usize,
    /// Words that the run changed.
    pub changed: usize,
    /// Those of them that were left out for order, absent lanes, NaN or accesses out of bounds.
    pub left: usize,
    /// Those of them that no comparison looked at.
    pub unseen: usize,
    /// Words whose values an access out of bounds decides: left out of the comparison with the plain oracle, as are the
    /// following.
    pub strayed: usize,
    /// Words of which rounding decides every digit.
    pub chaotic: usize,
    /// Words that differ in a program that is too long to be run as often as a judgement takes.
    pub unsampled: usize,
}

impl Compared {
    /// Whether every word that the run changed was left out.
    pub fn is_nothing(&self) -> bool {
        self.changed > 0 && self.left == self.changed
    }

    /// Whether nothing was left out.
    pub fn is_whole(&self) -> bool {
        let all = [self.raced, self.ordered, self.absent, self.free, self.strayed, self.chaotic, self.unsampled];
        self.exact && all == [0; 7]
    }
}

impl Compared {
    /// The same in the form that all commands say.
    pub fn comparison(&self) -> Comparison {
        let words = |list: &[(usize, &str)]| {
            list.iter().map(|&(n, why)| (Count(n as u64, "word"), why.to_string())).collect::<Vec<_>>()
        };
        let how = match self.exact {
            true => "bit-exact under the machine's numeric profile, within WGSL accuracy of the source",
            false => "approximations were moved, so not bit-exact; within WGSL accuracy of the source",
        };
        Comparison {
            covered: vec![Count(self.buffers as u64, "buffer"), Count(self.bytes as u64, "byte")],
            how: how.into(),
            values: self.changed as u64,
            without: self.unseen as u64,
            left: words(&[
                (self.raced, "that redirected accesses race for"),
                (self.ordered, "that depend on the order of invocations"),
                (self.absent, "that depend on lanes of a subgroup that do not take part"),
                (
                    self.free,
                    "that depend on bits of NaN, the sign of a zero or which of two like operands min or max gives",
                ),
            ]),
            partly: words(&[
                (self.strayed, "that depend on accesses out of bounds"),
                (self.chaotic, "whose every digit depends on rounding"),
                (self.unsampled, "that differ in a program too long to be sampled"),
            ]),
            nothing: NOTHING,
        }
    }
}

impl fmt::Display for Compared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "oracle: {}", self.comparison())
    }
}

/// Where else accesses out of bounds may go, to see which words they decide.
pub const OOB_ANSWERS: [OobAccess; 9] = [
    OobAccess::End,
    OobAccess::Word,
    OobAccess::Element,
    OobAccess::Apart,
    OobAccess::Start,
    OobAccess::Wrapped,
    OobAccess::Random(1),
    OobAccess::Random(2),
    OobAccess::Random(3),
];

/// Orders of subgroups (a seed) and their sizes, to see which words the order decides: atomics may come in any, and compiled code
/// sends accesses out of bounds to a known place where several invocations may meet. The size decides how many of them load
/// a word before the first of them stores to it, which no order of whole subgroups changes. 0 is the machine's own.
const ORDERS: [(u64, u32); 5] = [(1, 0), (2, 0), (3, 1), (4, 128), (5, 16)];

/// More orders, before a difference counts: of many invocations that meet on one word the last decides, and a few orders may all
/// end with one that stores the same. Which of them load a word before another stores to it depends on how many go side by
/// side: subgroups of one invocation all come near it together, some orders of two, four or more do not. Half of them are of one
/// invocation: only there may one that takes the first way of a branch come last.
const MORE: [(u64, u32); 48] = {
    const LANES: [u32; 10] = [1, 2, 1, 4, 1, 8, 1, 32, 1, 64];
    let mut list = [(0, 1); 48];
    let mut k = 0;
    while k < list.len() {
        list[k] = (6 + k as u64, LANES[k % LANES.len()]);
        k += 1;
    }
    list
};

/// Bytes of each buffer.
struct Marks(Vec<Vec<bool>>);

impl Marks {
    fn none(d: &Dispatch) -> Marks {
        Marks(d.buffers.iter().map(|b| vec![false; b.bytes.len()]).collect())
    }

    fn all(&mut self) {
        self.0.iter_mut().for_each(|m| m.fill(true));
    }

    /// Adds the bytes in which two dispatches differ.
    fn differing(&mut self, a: &Dispatch, b: &Dispatch) {
        // Most of a large buffer is alike.
        const CHUNK: usize = 1 << 10;
        for (marked, (a, b)) in self.0.iter_mut().zip(a.buffers.iter().zip(&b.buffers)) {
            let chunks = a.bytes.chunks(CHUNK).zip(b.bytes.chunks(CHUNK));
            for (marked, (a, b)) in marked.chunks_mut(CHUNK).zip(chunks).filter(|(_, (a, b))| a != b) {
                let differ = a.iter().zip(b).map(|(a, b)| a != b);
                marked.iter_mut().zip(differ).for_each(|(m, d)| *m |= d);
            }
        }
    }

    /// Whether a word has one of these bytes.
    fn has(&self, d: &Difference) -> bool {
        self.0.get(d.buffer).and_then(|m| m.get(d.offset..d.offset + d.size)).is_some_and(|m| m.contains(&true))
    }
}

/// A program, what it starts from, and how it runs.
struct Case<'a> {
    program: &'a OracleProgram,
    before: &'a Dispatch,
    options: &'a RunOptions,
    profile: &'a Profile,
    /// The size of subgroups is part of the result.
    own_size: bool,
}

impl Case<'_> {
    fn run(&self, options: &RunOptions, profile: &Profile) -> Result<(Outcome, Dispatch), Trap> {
        let mut d = self.before.clone();
        let outcome = self.program.run(&mut d, options, profile)?;
        Ok((outcome, d))
    }

    /// The bytes that the order of invocations decides, by some orders or, where that is not enough, by more. A run that traps tells
    /// nothing, or with `strict` everything. The size of subgroups stays where operations between lanes make it part of the result.
    fn raced(&self, usual: &Dispatch, strict: bool, more: bool) -> Marks {
        let mut marks = Marks::none(self.before);
        for &(seed, lanes) in ORDERS.iter().chain(MORE.iter().filter(|_| more)) {
            let options = RunOptions { perturb: Some(seed), ..self.options.clone() };
            let subgroup_size = if lanes == 0 || self.own_size { self.profile.subgroup_size } else { lanes };
            match self.run(&options, &Profile { subgroup_size, ..self.profile.clone() }) {
                Ok((_, d)) => marks.differing(usual, &d),
                Err(_) if strict => marks.all(),
                Err(_) => {}
            }
        }
        marks
    }

    /// The bytes that are decided by what lanes get that read others that do not take part. A run that traps decides everything.
    fn absent(&self, usual: &Dispatch) -> Marks {
        let mut marks = Marks::none(self.before);
        for absent in Absent::ALL {
            match self.run(self.options, &Profile { absent, ..self.profile.clone() }) {
                Ok((_, d)) => marks.differing(usual, &d),
                Err(_) => marks.all(),
            }
        }
        marks
    }

    /// The bytes that are decided by what is free in arithmetic.
    fn free(&self, usual: &Dispatch) -> Marks {
        let mut marks = Marks::none(self.before);
        for free in Free::ALL {
            if let Ok((_, d)) = self.run(self.options, &Profile { free: Some(free), ..self.profile.clone() }) {
                marks.differing(usual, &d);
            }
        }
        marks
    }
}

/// Compares the buffers that a machine left with the oracle's. `shader` is the module as the frontend made it,
/// `selected` the IR that selection read, `before` the dispatch that all start from.
///
/// Two comparisons are made. Under the machine's numeric profile the IR that selection read gives the machine's bytes, all
/// of them: an access out of bounds goes where that IR says. With a seed in `options` the machine moved its approximations
/// inside their documented errors, and no profile says where to: then this one is not made. The plain oracle runs the
/// shader as it was before any pass, with subgroups of the machine's size, and what the machine gives must lie within WGSL's
/// accuracy of that. WGSL leaves open where an access out of bounds goes, so the shader is run with several answers, and
/// words that depend on them are left out. Where words differ, other orders of invocations and other NaN are tried before that
/// counts.
///
/// # Errors
/// The first difference, or a trap of the oracle.
pub fn judge(
    (shader, selected): (&Module, &Module),
    entry: &str,
    (family, generation): (&str, usize),
    before: &Dispatch,
    machine: &Dispatch,
    options: &RunOptions,
) -> Result<Compared, Verdict> {
    // The machine has looked for races.
    let quiet = RunOptions { perturb: None, races: Races::Off, ..options.clone() };
    let own = crate::profile(family, generation);
    let lanes = own.subgroup_size;
    let default = Profile { subgroup_size: lanes, ..Profile::default() };
    let outputs = outputs(shader, entry, before);
    let mut compared =
        Compared { buffers: outputs.len(), bytes: outputs.iter().map(|b| b.bytes.len()).sum(), ..Compared::default() };
    let mut program = OracleProgram::new(shader, entry).map_err(Verdict::Trap)?.with_wide_indices();
    let own_size = program.sees_subgroups();
    let case = Case { program: &program, before, options: &quiet, profile: &default, own_size };
    let (outcome, plain) = case.run(&quiet, &default).map_err(Verdict::Trap)?;
    // The part left out of both, and how it is counted.
    let [mut raced, mut ordered, mut free, mut absent] = [(); 4].map(|()| Marks::none(before));
    // What atomics give is the order's, also where the machine happens to come in the oracle's.
    if has_atomics(shader, entry) {
        let subgroup_size = if own_size { lanes } else { 1 };
        let other = RunOptions { perturb: Some(3), ..quiet.clone() };
        let result = case.run(&other, &Profile { subgroup_size, ..default.clone() });
        if result.is_ok_and(|(_, d)| d.buffers.iter().zip(&plain.buffers).any(|(a, b)| a.bytes != b.bytes)) {
            ordered = case.raced(&plain, false, true);
        }
    }
    if options.perturb.is_none() {
        let exact = OracleProgram::new(selected, entry).map_err(Verdict::Trap)?;
        let exact = Case { program: &exact, profile: &own, ..case };
        let (selected, expected) = exact.run(&quiet, &own).map_err(Verdict::Trap)?;
        if outcome.strayed {
            raced = exact.raced(&expected, true, false);
        }
        // The shader says which words are floats: late passes store several as one vector of words.
        let differs = |d: &Difference| !Tolerance::EXACT.accepts(d.kind, d.oracle, d.machine);
        let first = |left: [&Marks; 3]| {
            let counts = |d: &Difference| differs(d) && !raced.has(d) && !left.iter().any(|m| m.has(d));
            words(&outcome, &expected, machine).find(counts)
        };
        for step in 0..3 {
            if first([&ordered, &free, &absent]).is_some() {
                match step {
                    0 if selected.absent => absent = exact.absent(&expected),
                    0 => {}
                    1 => free = exact.free(&expected),
                    _ => add(&mut ordered, exact.raced(&expected, false, true)),
                }
            }
        }
        if let Some(d) = first([&ordered, &free, &absent]) {
            return Err(Verdict::Profile(d));
        }
        compared.exact = true;
    }
    // Bytes of each buffer that depend on where accesses out of bounds go.
    let mut open = Marks::none(before);
    for stray in OOB_ANSWERS.into_iter().filter(|_| outcome.strayed) {
        program.set_oob(stray);
        let set_oob = Case { program: &program, before, options: &quiet, profile: &default, own_size };
        match set_oob.run(&quiet, &default) {
            Ok((_, other)) => open.differing(&plain, &other),
            // It may not end, or trap where others do not: then they decide everything.
            Err(_) => open.all(),
        }
    }
    program.set_oob(OobAccess::Nowhere);
    let judged = |program: &OracleProgram, plain: (&Outcome, &Dispatch), left: [&Marks; 3]| {
        let left_out = |d: &Difference| raced.has(d) || open.has(d) || left.iter().any(|m| m.has(d));
        outside_accuracy(program, before, (&quiet, lanes), plain, machine, left_out)
    };
    let mut outside = judged(&program, (&outcome, &plain), [&ordered, &free, &absent]);
    for step in 0..3 {
        if outside.outside.is_some() {
            let case = Case { program: &program, before, options: &quiet, profile: &default, own_size };
            match step {
                0 if outcome.absent => add(&mut absent, case.absent(&plain)),
                0 => continue,
                1 => add(&mut free, case.free(&plain)),
                _ => add(&mut ordered, case.raced(&plain, false, true)),
            }
            outside = judged(&program, (&outcome, &plain), [&ordered, &free, &absent]);
        }
    }
    // Rounding and an access out of bounds decide together: the machine may give what WGSL allows with another answer.
    for stray in OOB_ANSWERS.into_iter().filter(|_| outcome.strayed) {
        if outside.outside.is_some() {
            program.set_oob(stray);
            let set_oob = Case { program: &program, before, options: &quiet, profile: &default, own_size };
            if let Ok((outcome, plain)) = set_oob.run(&quiet, &default) {
                let other = judged(&program, (&outcome, &plain), [&ordered, &free, &absent]);
                outside = if other.outside.is_none() { other } else { outside };
            }
        }
    }
    if let Some(d) = outside.outside {
        return Err(Verdict::Accuracy(d));
    }
    let changed = changed(before, machine, &plain);
    for d in words(&outcome, &plain, &plain) {
        let reason = [&raced, &ordered, &absent, &free, &open].iter().position(|m| m.has(&d));
        let exact = compared.exact;
        let Compared { raced, ordered, absent, free, strayed, .. } = &mut compared;
        let counts = [raced, ordered, absent, free, strayed];
        if let Some((_, n)) = counts.into_iter().enumerate().find(|(k, _)| Some(*k) == reason) {
            *n += 1;
        }
        if changed.has(&d) {
            compared.changed += 1;
            compared.left += usize::from(reason.is_some());
            // What strays was compared under the profile, if that was.
            compared.unseen += usize::from(reason.is_some_and(|k| k < 4 || !exact));
        }
    }
    (compared.chaotic, compared.unsampled) = (outside.chaotic, outside.unsampled);
    Ok(compared)
}

/// Compares what the interpreter left in buffers with what it leaves when invocations come in other orders: all that the oracle can say of
/// its own answer. Values that change are left out.
///
/// # Errors
/// The trap of the interpreter in another order.
pub fn judge_order(
    shader: &Module,
    entry: &str,
    (before, after): (&Dispatch, &Dispatch),
    options: &RunOptions,
) -> Result<Comparison, Trap> {
    let program = OracleProgram::new(shader, entry)?;
    let outputs = outputs(shader, entry, before);
    let (mut moved, mut changed) = (Marks::none(before), changed(before, after, after));
    let mut outcome = Outcome::default();
    let usual = Profile::default();
    for (seed, lanes) in [(1, usual.subgroup_size), (2, usual.subgroup_size), (3, 1)] {
        let mut d = before.clone();
        let subgroup_size = if program.sees_subgroups() { usual.subgroup_size } else { lanes };
        let options =
            RunOptions { perturb: Some(options.perturb.unwrap_or(0) ^ seed), races: Races::Off, ..options.clone() };
        outcome = program.run(&mut d, &options, &Profile { subgroup_size, ..usual.clone() })?;
        moved.differing(after, &d);
        changed.differing(before, &d);
    }
    let count = |marks: &Marks| words(&outcome, after, after).filter(|w| marks.has(w)).count() as u64;
    let left = count(&moved);
    Ok(Comparison {
        covered: vec![
            Count(outputs.len() as u64, "buffer"),
            Count(outputs.iter().map(|b| b.bytes.len() as u64).sum(), "byte"),
        ],
        how: "bit-exact with invocations in other orders".into(),
        values: count(&changed),
        without: left,
        left: vec![(
            Count(left, "word"),
            "that depend on the order of invocations or on memory that nobody wrote".into(),
        )],
        partly: Vec::new(),
        nothing: NOTHING,
    })
}

/// Why a comparison of buffers is empty.
const NOTHING: &str = "the program writes no buffer";

/// The buffers of a dispatch that an entry point may write.
fn outputs<'d>(module: &Module, entry: &str, d: &'d Dispatch) -> Vec<&'d BoundBuffer> {
    let places = written(module, entry).into_iter().map(|r| (module.resources[r].group, module.resources[r].binding));
    let mut list: Vec<usize> = places.filter_map(|(group, binding)| d.index_of(group, binding)).collect();
    if writes_at_addresses(module, entry) {
        let all = d.addresses.iter().map(|a| a.0).filter(|&place| d.buffers.get(place).is_some_and(|b| b.writable));
        let more: Vec<usize> = all.filter(|place| !list.contains(place)).collect();
        list.extend(more);
    }
    list.into_iter().map(|place| &d.buffers[place]).collect()
}

/// The trap of a shader that some answer to where an access out of bounds goes, or to what a lane that does not take part holds, leads to: a
/// value from there may break a promise.
pub fn stray_trap(module: &Module, entry: &str, before: &Dispatch, options: &RunOptions, lanes: u32) -> Option<Trap> {
    let mut program = OracleProgram::new(module, entry).ok()?.with_wide_indices();
    let quiet = RunOptions { perturb: None, races: Races::Off, ..options.clone() };
    let profile = Profile { subgroup_size: lanes, ..Profile::default() };
    let trap = |program: &OracleProgram, profile: &Profile| {
        Case { program, before, options: &quiet, profile, own_size: true }.run(&quiet, profile).err()
    };
    let stray = OOB_ANSWERS.into_iter().find_map(|answer| {
        program.set_oob(answer);
        trap(&program, &profile)
    });
    program.set_oob(OobAccess::Nowhere);
    stray.or_else(|| Absent::ALL.into_iter().find_map(|absent| trap(&program, &Profile { absent, ..profile.clone() })))
}

/// Adds bytes to others.
fn add(to: &mut Marks, more: Marks) {
    for (to, more) in to.0.iter_mut().zip(more.0) {
        to.iter_mut().zip(more).for_each(|(t, m)| *t |= m);
    }
}

/// Bytes that a run changed, the machine's or the plain oracle's.
fn changed(before: &Dispatch, machine: &Dispatch, plain: &Dispatch) -> Marks {
    let mut marks = Marks::none(before);
    marks.differing(before, machine);
    marks.differing(before, plain);
    marks
}
