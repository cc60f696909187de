//! Wait counts and wait states, along the paths of the wave.
//!
//! Needs: finished order, and waits that stand for memory order alone (`barrier`); gives what hardware does not see to by itself.
//! Keeps: all instructions and their order, but those waits. Where the shader needs helper lanes (`quads`) instructions read lanes of
//! their quad, which has hazards of its own.
//!
//! Per counter and register the state knows the least number of operations that were issued after the one that will write (or
//! still reads) it; where ways meet the smaller number holds. A wait stands right before the first instruction that
//! needs it and leaves everything younger outstanding. Hazards that hardware does not interlock get `s_nop`.

use gpucc_gcn_machine::{Counter, Format, Op, build as form};
use gpucc_mir::{BlockInStates, Ranges, overlap};
use smallvec::{SmallVec, smallvec};

use crate::tail::encoded::{Code, EncodedInst, row};

/// The deepest count that a wait names: one below the field's maximum, which means no wait.
const DEEPEST: u8 = 14;

/// The deepest count of exports that a wait names.
const MOST_EXPORTS: u8 = 6;

/// Operations issued since, by register; sorted, mostly few.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Since(SmallVec<[(u16, u8); 6]>);

impl Since {
    /// Those of `n` registers from `first` on.
    fn range(&self, (first, n): (u32, u32)) -> &[(u16, u8)] {
        let at = |r: u32| self.0.partition_point(|e| u32::from(e.0) < r);
        if self.0.is_empty() { &[] } else { &self.0[at(first)..at(first + n)] }
    }

    fn set(&mut self, register: u32, n: u8) {
        match self.0.binary_search_by_key(&(register as u16), |e| e.0) {
            Ok(k) => self.0[k].1 = n,
            Err(k) => self.0.insert(k, (register as u16, n)),
        }
    }

    /// Registers that are written now.
    fn begin(&mut self, registers: impl Iterator<Item = u32>) {
        registers.for_each(|r| self.set(r, 0));
    }

    fn remove(&mut self, registers: (u32, u32)) {
        if !self.range(registers).is_empty() {
            self.0.retain(|e| !(registers.0..registers.0 + registers.1).contains(&u32::from(e.0)));
        }
    }

    /// Keeps those that were issued before fewer than `n` others.
    fn keep_younger(&mut self, n: u8) {
        self.0.retain(|e| e.1 < n);
    }

    /// `n` more were issued.
    fn age(&mut self, n: u8) {
        self.0.iter_mut().for_each(|e| e.1 = e.1.saturating_add(n));
    }

    /// The least of both; whether that changes anything.
    fn join(&mut self, o: &Since) -> bool {
        let mut changed = false;
        for &(r, n) in &o.0 {
            let r = u32::from(r);
            if self.range((r, 1)).first().is_none_or(|e| n < e.1) {
                self.set(r, n);
                changed = true;
            }
        }
        changed
    }
}

/// The messages under way, by counter and register.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct State {
    vm: Since,
    /// Those of `vm` that come through a sampler. They may come before or after what does not.
    sampled: Since,
    lds: Since,
    scalar: Since,
    /// Data of stores that has not been read yet (gfx6).
    data: Since,
    /// Data of exports that has not been read yet.
    exported: Since,
    /// Accesses by address are outstanding: those of either counter come back in any order.
    flat_vm: bool,
    flat_lgkm: bool,
    /// Any vector memory or any other operation is outstanding, results or not.
    any_vm: bool,
    any_lgkm: bool,
    /// Wait states since a scalar register was written by the vector unit.
    written: Since,
    /// Data of a wide store issued right before (hazard 13).
    wide: Vec<(u32, u32)>,
}

impl gpucc_mir::State for State {
    fn is_idle(&self) -> bool {
        *self == State::default()
    }

    fn join(&mut self, o: &State) -> bool {
        let mut changed = self.vm.join(&o.vm);
        changed |= self.sampled.join(&o.sampled);
        changed |= self.lds.join(&o.lds);
        changed |= self.scalar.join(&o.scalar);
        changed |= self.data.join(&o.data);
        changed |= self.exported.join(&o.exported);
        changed |= self.written.join(&o.written);
        changed |= !self.flat_vm && o.flat_vm || !self.flat_lgkm && o.flat_lgkm;
        self.flat_vm |= o.flat_vm;
        self.flat_lgkm |= o.flat_lgkm;
        changed |= !self.any_vm && o.any_vm || !self.any_lgkm && o.any_lgkm;
        self.any_vm |= o.any_vm;
        self.any_lgkm |= o.any_lgkm;
        for w in &o.wide {
            if !self.wide.contains(w) {
                self.wide.push(*w);
                changed = true;
            }
        }
        changed
    }
}

impl State {
    /// The counters that `item` must wait for: vector memory, store data, the rest; `None` for nothing.
    pub fn needs(&self, item: &EncodedInst) -> [Option<u8>; 3] {
        // Mostly nothing is on its way.
        let least = |m: &Since, r: &Ranges| match m.0.is_empty() {
            true => None,
            false => r.iter().flat_map(|&r| m.range(r)).map(|e| e.1.min(DEEPEST)).min(),
        };
        let touched = |m: &Since| least(m, &item.reads).into_iter().chain(least(m, &item.writes)).min();
        let mut vm = touched(&self.vm);
        // Loads of one kind come back in order: writing the same register again needs no wait.
        let in_order = !item.facts.is_flat && !self.flat_vm;
        if in_order
            && item.facts.counter == Counter::Vm
            && !item.facts.is_store
            && least(&self.vm, &item.reads).is_none()
        {
            let sampled = is_sampled(item);
            let same = |r: &(u32, u32)| {
                let both = self.vm.range(*r).iter().zip(self.sampled.range(*r));
                let all = if sampled { self.vm.range(*r).len() } else { 0 };
                both.count() == all
            };
            if item.writes.iter().all(same) {
                vm = None;
            }
        }
        let mut lgkm = touched(&self.scalar).map(|_| 0);
        if let Some(n) = touched(&self.lds) {
            let n = if self.scalar.0.is_empty() { n } else { 0 };
            lgkm = Some(lgkm.map_or(n, |m: u8| m.min(n)));
        }
        let mut data = least(&self.data, &item.writes);
        if let Some(n) = least(&self.exported, &item.writes) {
            // The counter is that of stores' data, too.
            let n = if self.data.0.is_empty() { n.min(MOST_EXPORTS) } else { 0 };
            data = Some(data.map_or(n, |d| d.min(n)));
        } else if data.is_some() && !self.exported.0.is_empty() {
            data = Some(0);
        }
        if item.facts.barrier {
            vm = self.any_vm.then_some(0);
            lgkm = self.any_lgkm.then_some(0);
        }
        if self.flat_vm {
            vm = vm.map(|_| 0);
        }
        if self.flat_lgkm {
            lgkm = lgkm.map(|_| 0);
        }
        [vm, data, lgkm]
    }

    /// The state after waiting so.
    pub fn wait(&mut self, [vm, data, lgkm]: [Option<u8>; 3]) {
        if let Some(n) = vm {
            self.vm.keep_younger(n);
            self.sampled.keep_younger(n);
            self.any_vm &= n > 0;
            self.flat_vm &= n > 0;
            if n == 0 {
                // A store that memory has acknowledged has read its data.
                self.data.0.clear();
            }
        }
        if let Some(n) = data {
            self.data.keep_younger(n);
            self.exported.keep_younger(n);
        }
        if let Some(n) = lgkm {
            self.lds.keep_younger(n);
            if n == 0 {
                self.scalar.0.clear();
                self.flat_lgkm = false;
                self.any_lgkm = false;
            }
        }
        self.pass(1);
    }

    /// Wait states that `item` lacks.
    pub fn states(&self, item: &EncodedInst, generation: u8) -> u8 {
        let need = match item.facts.counter {
            Counter::Vm => 5,
            Counter::Scalar if generation == 0 => 4,
            // The one scalar register that it reads is the number of the lane.
            _ if item.inst.op() == Op::VReadlaneB32 => 4,
            _ => 0,
        };
        let mut states = 0;
        if need > 0 && !self.written.0.is_empty() {
            let read = item.reads.iter().filter(|r| r.0 < 128);
            let since = read.flat_map(|&r| self.written.range(r)).map(|e| e.1).min();
            states = since.map_or(0, |n| need - n.min(need));
        }
        if generation > 0 && item.facts.is_valu && overlap(&self.wide, &item.writes) {
            states = states.max(1);
        }
        states
    }

    fn pass(&mut self, states: u8) {
        self.written.age(states);
        self.written.keep_younger(5);
        if states > 0 {
            self.wide.clear();
        }
    }

    /// The state after an instruction.
    pub fn issue<'i>(&mut self, item: &'i EncodedInst, generation: u8) {
        self.pass(1);
        let registers = |r: &'i Ranges| r.iter().flat_map(|&(a, n)| a..a + n);
        match item.facts.counter {
            Counter::Vm => {
                self.vm.age(1);
                self.any_vm = true;
                self.vm.begin(registers(&item.writes));
                if item.facts.is_flat {
                    (self.flat_vm, self.flat_lgkm, self.any_lgkm) = (true, true, true);
                    self.scalar.begin(registers(&item.writes));
                }
                self.sampled.age(1);
                if is_sampled(item) {
                    self.sampled.begin(registers(&item.writes));
                } else if !self.sampled.0.is_empty() {
                    item.writes.iter().for_each(|&r| self.sampled.remove(r));
                }
                if item.facts.is_store || item.facts.is_atomic {
                    self.data.age(1);
                    if generation == 0 {
                        self.data.begin(registers(&item.reads).filter(|r| *r >= 256));
                    } else if item.facts.image.is_some() {
                        // A T# of eight words is read with the data.
                    } else if item.reads.iter().any(|r| r.0 >= 256 && r.1 > 2) {
                        self.wide = item.reads.iter().copied().filter(|r| r.0 >= 256 && r.1 > 2).collect();
                    }
                }
            }
            Counter::Lds => {
                self.lds.age(1);
                self.any_lgkm = true;
                self.lds.begin(registers(&item.writes));
            }
            Counter::Scalar => {
                self.any_lgkm = true;
                self.scalar.begin(registers(&item.writes));
            }
            Counter::Export => {
                self.exported.age(1);
                self.exported.begin(registers(&item.reads).filter(|r| *r >= 256));
            }
            Counter::None => {}
        }
        if item.facts.is_valu {
            self.written.begin(registers(&item.writes).filter(|r| *r < 128));
        } else {
            item.writes.iter().for_each(|&r| self.written.remove(r));
        }
    }
}

fn is_sampled(item: &EncodedInst) -> bool {
    item.facts.image.is_some_and(|i| i.sampled)
}

/// Puts waits and NOPs into the code, also for instructions that read other lanes. Returns how many. Most blocks need none and stay
/// where they are.
pub fn run(code: &mut Code, generation: u8) -> u64 {
    // Only gfx8 has such instructions.
    let lanes =
        generation == 2 && code.blocks.iter().flat_map(|b| &b.insts).any(|i| i.inst.row().attrs.format == Format::Dpp);
    let states = match lanes {
        true => code.blocks.iter_mut().map(|b| quad_states(&mut b.insts, generation)).sum(),
        false => 0,
    };
    let entry = entries(code, generation);
    states + insert(code, &entry, generation)
}

/// Steps over an item; what it needs in front of it goes to `out`.
fn step(state: &mut State, item: &EncodedInst, generation: u8, mut out: Option<&mut Vec<EncodedInst>>) {
    let needs = state.needs(item);
    if needs.iter().any(Option::is_some) {
        state.wait(needs);
        if let Some(out) = out.as_deref_mut() {
            let n = |k: usize, max: u32| needs[k].map_or(max, u32::from);
            let imm = form::waitcnt(n(0, 15), n(1, 7).min(7), n(2, 15));
            out.push(control(Op::SWaitcnt, imm, generation));
        }
    }
    let states = state.states(item, generation);
    if states > 0 {
        state.pass(states);
        if let Some(out) = out {
            out.push(control(Op::SNop, u32::from(states) - 1, generation));
        }
    }
    state.issue(item, generation);
}

/// The outstanding messages at the start of each block.
fn entries(code: &Code, generation: u8) -> BlockInStates<State> {
    let mut entry = BlockInStates::new(code.blocks.len());
    // Blocks come after one of their predecessors; loops take a few more rounds, of the blocks that change.
    let mut due = vec![true; code.blocks.len()];
    loop {
        let mut changed = false;
        for b in 0..code.blocks.len() {
            if !std::mem::take(&mut due[b]) {
                continue;
            }
            // Nobody asks for the state behind the end.
            if code.succs(b).next().is_none() {
                continue;
            }
            let Some(mut state) = entry.get(b).cloned() else { continue };
            code.blocks[b].insts.iter().for_each(|i| step(&mut state, i, generation, None));
            for s in code.succs(b) {
                let new = entry.join(s, &state);
                due[s] |= new;
                changed |= new && s <= b;
            }
        }
        if !changed {
            return entry;
        }
    }
}

/// Puts waits and NOPs into the code.
fn insert(code: &mut Code, entry: &BlockInStates<State>, generation: u8) -> u64 {
    let mut count = 0;
    // Code for one block, and in front of which of its items.
    let mut new: Vec<EncodedInst> = Vec::new();
    let mut places: Vec<usize> = Vec::new();
    // A wait alone stands for memory order.
    let stays = |i: &EncodedInst| !i.facts.barrier || i.inst.op() == Op::SBarrier;
    for (b, block) in code.blocks.iter_mut().enumerate() {
        let block = &mut block.insts;
        let mut state = entry.get(b).cloned().unwrap_or_default();
        for (k, item) in block.iter().enumerate() {
            step(&mut state, item, generation, Some(&mut new));
            places.resize(new.len(), k);
        }
        if new.is_empty() && block.iter().all(stays) {
            continue;
        }
        count += new.len() as u64;
        let mut out = Vec::with_capacity(block.len() + new.len());
        let mut new = new.drain(..).zip(places.drain(..)).peekable();
        for (k, item) in std::mem::take(block).into_iter().enumerate() {
            while let Some((wait, _)) = new.next_if(|x| x.1 == k) {
                out.push(wait);
            }
            if stays(&item) {
                out.push(item);
            }
        }
        *block = out;
    }
    count
}

/// Puts in front of what reads other lanes by DPP the wait states between that and a vector instruction that wrote the register: two of
/// them. What stands in front of a block may have written it. Returns how many NOPs that takes.
fn quad_states(block: &mut Vec<EncodedInst>, generation: u8) -> u64 {
    let before = block.len();
    let mut out: Vec<EncodedInst> = Vec::new();
    for (k, i) in block.iter().enumerate() {
        if i.inst.row().attrs.format == Format::Dpp {
            let source = i.inst.get("src0").map_or(0, |s| 256 + s);
            let reads: Ranges = smallvec![(source, 1)];
            let near = (1..=2).find(|&n| match out.len().checked_sub(n) {
                Some(at) => out[at].facts.is_valu && overlap(&out[at].writes, &reads),
                None => true,
            });
            if let Some(n) = near {
                out.push(control(Op::SNop, 2 - n as u32, generation));
            }
        }
        if out.is_empty() && k == 0 {
            out.reserve(block.len() + 4);
        }
        out.push(i.clone());
    }
    *block = out;
    (block.len() - before) as u64
}

fn control(op: Op, imm: u32, generation: u8) -> EncodedInst {
    let inst = form::inst(row(op, form::Form::Short, false, generation)).with("imm", imm);
    EncodedInst::new(inst, smallvec![], smallvec![])
}
