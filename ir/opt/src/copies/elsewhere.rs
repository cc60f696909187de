//! Variables that live in the memory that they are given to.

use super::found::{Copy, Source, is_shared};
use super::{Event, Redirected, State, What, is_small};
use crate::PassCx;
use crate::copies::at::At;
use gpucc_ir::{Entity, Inst, Local, MemFlags, Place};
use rustc_hash::FxHashSet;

impl State<'_> {
    /// Takes out initialisations of variables that a loop writes in front of all reads.
    pub fn forget_unread(&mut self, cx: &mut PassCx<'_>) {
        let filled: FxHashSet<Local> = self.fills.iter().map(|x| x.0).collect();
        let mut filled: Vec<Local> = filled.into_iter().filter(|&l| !self.odd.contains(l)).collect();
        filled.sort_unstable();
        for l in filled {
            let inits = self.events[l].iter().filter(|e| e.what == What::Init).copied();
            let inits: Vec<Event> = inits.collect();
            if inits.is_empty() {
                continue;
            }
            let Some(live) = self.live(l) else { return };
            for e in inits {
                if !self.is_live(l, &live, e.at) && cx.change() {
                    self.unread.extend_from(&e.inst.into_iter().collect::<Vec<_>>());
                }
            }
            self.forget(l);
        }
    }

    /// Copies between a variable and this memory: those that fill it, and those that give it away.
    fn between(&self, own: Local, other: Source) -> (Vec<usize>, Vec<usize>) {
        let fits = |c: &Copy| c.own == own && c.other == other && !c.accesses.is_empty();
        let ins = (0..self.copies.len()).filter(|&k| !self.gone[k] && fits(&self.copies[k]));
        let outs = (0..self.given.len()).filter(|&k| fits(&self.given[k]));
        (ins.collect(), outs.collect())
    }

    /// Whether a variable can live in the memory that it is given to; gives the initialisations that nobody reads.
    pub fn lives_elsewhere(&mut self, g: usize, cx: &PassCx<'_>) -> Option<Vec<Inst>> {
        let Copy { own, other, .. } = self.given[g];
        let small = is_small(self.f, own, cx);
        // Helpers store nothing.
        if self.given[g].accesses.is_empty()
            || other.base.is_some()
            || small
            || self.odd.contains(own)
            || cx.has_helpers()
        {
            return None;
        }
        let (ins, outs) = self.between(own, other);
        // The memory is looked at as one variable more.
        let memory = Local::new(self.f.locals.len());
        self.events[memory] = self.events_of(other.place, &ins, &outs, cx);
        let n = self.events[memory].len() + self.events[own].len() + self.others.len();
        if !self.spend(n) {
            return None;
        }
        let (live, read) = (self.live(own)?, self.live(memory)?);
        let mut unread = Vec::new();
        for e in &self.events[own] {
            let bounded = |i: Inst| {
                let d = &self.f.insts[i];
                d.dyn_offset().is_none() || d.mem().is_some_and(|m| m.flags.has(MemFlags::IN_BOUNDS))
            };
            let ok = match e.what {
                What::Init => {
                    unread.extend(e.inst);
                    !self.is_live(own, &live, e.at)
                }
                What::Copied(k) | What::Part(k) if ins.contains(&k) => true,
                What::Read | What::Filled => true,
                What::Write | What::Copied(_) | What::Part(_) => !self.is_live(memory, &read, e.at),
            };
            let is_access = matches!(e.what, What::Read | What::Write);
            let strays = is_access && cx.module.options.robust && e.inst.is_some_and(|i| !bounded(i));
            if !ok || strays {
                return None;
            }
        }
        let mut writes = self.events[memory].iter().filter(|e| e.what == What::Write);
        writes.all(|e| !self.is_live(own, &live, e.at)).then_some(unread)
    }

    /// What happens to memory beside the copies between it and a variable. It is read where others may, and at the end.
    fn events_of(&self, place: Place, ins: &[usize], outs: &[usize], cx: &PassCx<'_>) -> Vec<Event> {
        let copies = ins.iter().map(|&k| &self.copies[k]).chain(outs.iter().map(|&k| &self.given[k]));
        let copied: FxHashSet<Inst> = copies.flat_map(|c| &c.accesses).flat_map(|a| [a.0, a.1]).collect();
        let shared = is_shared(cx.module, place);
        let mut list = Vec::new();
        for o in self.others.iter().filter(|o| !copied.contains(&o.inst)) {
            if o.place.map_or(shared, |p| cx.module.overlap(p, place)) {
                let what = if o.is_read { What::Read } else { What::Write };
                list.push(Event { at: o.at, what, inst: Some(o.inst), part: None });
            }
        }
        for &k in outs {
            list.push(Event { at: self.given[k].parts[0], what: What::Copied(k), inst: None, part: None });
        }
        for &block in self.f.layout.iter().filter(|&&b| self.f.succs(b).is_empty()) {
            list.push(Event { at: At { block, step: u32::MAX }, what: What::Read, inst: None, part: None });
        }
        list.sort_by_key(|e| e.at);
        list
    }

    /// Lets a variable live in the memory that it is given to.
    pub fn live_elsewhere(&mut self, g: usize, unread: &[Inst]) {
        let Copy { own, other, .. } = self.given[g];
        let (ins, outs) = self.between(own, other);
        self.unread.extend_from(unread);
        let all = || ins.iter().map(|&k| &self.copies[k]).chain(outs.iter().map(|&k| &self.given[k]));
        let flags = all().fold(MemFlags::IN_BOUNDS, |f, c| MemFlags(f.0 & c.flags.0));
        let align = all().map(|c| c.align).max().unwrap_or(1);
        let accesses = self.events[own].iter().filter_map(|e| e.inst);
        let mut accesses: Vec<Inst> = accesses.filter(|i| self.f.insts[*i].mem().is_some()).collect();
        for (k, c) in self.copies.iter().enumerate() {
            if c.own == own && !self.gone[k] && !ins.contains(&k) {
                accesses.extend(c.accesses.iter().map(|a| a.1));
            }
        }
        for i in accesses {
            let Some(m) = self.f.insts[i].mem() else { continue };
            let before = self.moved[i];
            self.moved[i] = Some(Redirected {
                from: before.map_or(other, |b| other.behind(b.from)),
                align: before.map_or(m.align, |b| b.align).min(align),
                flags: MemFlags(before.map_or(m.flags, |b| b.flags).0 & flags.0),
            });
        }
        ins.iter().for_each(|&k| self.gone[k] = true);
        for &k in &outs {
            let none = Copy { accesses: Vec::new(), loops: Default::default(), ..self.given[k].clone() };
            self.elsewhere.push(std::mem::replace(&mut self.given[k], none));
        }
        self.events[own].clear();
    }
}
