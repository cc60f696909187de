//! Ordering by atomics: a log of atomic accesses, and from it the accesses of others that an invocation has seen.
//!
//! An atomic access of a location sees all that those who wrote the location atomically before it had done by then; a barrier
//! passes on what its workgroup knows. WGSL's atomics are relaxed by the letter; programs that count down to the last
//! workgroup, or raise a flag, rely on this order, so the check assumes it.
//!
//! The log is walked only when two accesses meet that nothing else orders, which is rare; an answer serves for all that is
//! asked by the same invocation until it learns more.

use std::collections::BTreeMap;

/// An invocation: number of its workgroup in the order of their starts, and index in it.
pub type Who = (u32, u16);

/// An atomic access.
#[derive(Clone, Copy, Debug)]
struct Event {
    time: u32,
    /// When its workgroup last passed a barrier.
    barrier: u32,
    who: Who,
    acquires: bool,
    releases: bool,
    /// Allocation and offset.
    at: (u32, u64),
}

/// The knowledge of somebody: all that an invocation, or a workgroup, had done before a time.
#[derive(Clone, Debug, Default)]
struct Known {
    invocations: BTreeMap<Who, u32>,
    groups: BTreeMap<u32, u32>,
}

impl Known {
    fn has(&self, who: Who, time: u32) -> bool {
        self.groups.get(&who.0).is_some_and(|&t| t > time) || self.invocations.get(&who).is_some_and(|&t| t > time)
    }
}

/// Events kept at most; of what lies further back nothing can be said.
const MOST: usize = 1 << 20;

/// Events looked at in one run at most, before the log says that it cannot tell.
const EFFORT: u64 = 1 << 28;

/// The log of a run.
#[derive(Clone, Debug, Default)]
pub struct SyncLog {
    events: Vec<Event>,
    /// Accesses before this time are taken as ordered: what followed them is forgotten.
    floor: u32,
    effort: u64,
    /// Who asked last, when, and the answer; one for the barrier of a workgroup and one for an invocation.
    answers: [Option<(Who, u32, Known)>; 2],
}

/// The invocation whose access is ordered against earlier ones.
#[derive(Clone, Copy, Debug)]
pub struct Observer {
    pub who: Who,
    /// When the workgroup last passed a barrier.
    pub barrier: u32,
    /// Now: not before its last event.
    pub now: u32,
}

impl SyncLog {
    /// Notes an atomic access of `who` at `time`.
    pub fn note(&mut self, observer: Observer, at: (u32, u64), acquires: bool, releases: bool) {
        if self.events.len() == MOST {
            self.events.drain(..MOST / 2);
            self.floor = self.events.first().map_or(0, |e| e.time);
        }
        // Who looks at a flag again and again learns nothing new if nobody came in between.
        if !releases
            && let Some(last) = self.events.last_mut()
            && last.who == observer.who
            && last.at == at
            && !last.releases
            && last.barrier == observer.barrier
        {
            last.time = observer.now;
            return;
        }
        self.events.push(Event {
            time: observer.now,
            barrier: observer.barrier,
            who: observer.who,
            acquires,
            releases,
            at,
        });
    }

    /// Whether atomics order what `who` did at `time` before what the observer does now. What cannot be told any more counts as
    /// ordered.
    pub fn orders(&mut self, who: Who, time: u32, observer: Observer) -> bool {
        if self.events.is_empty() {
            return false;
        }
        if time < self.floor || self.effort > EFFORT {
            return true;
        }
        // Events that the whole workgroup knows since its barrier, then those that this invocation learned after it.
        self.answer(
            0,
            (observer.who.0, u16::MAX),
            observer.barrier,
            Known { groups: BTreeMap::from([(observer.who.0, observer.barrier)]), ..Known::default() },
        )
        .has(who, time)
            || self
                .answer(
                    1,
                    observer.who,
                    observer.now,
                    Known {
                        groups: BTreeMap::from([(observer.who.0, observer.barrier)]),
                        invocations: BTreeMap::from([(observer.who, observer.now + 1)]),
                    },
                )
                .has(who, time)
    }

    fn answer(&mut self, slot: usize, who: Who, now: u32, start: Known) -> &Known {
        let kept = self.answers[slot].as_ref().is_some_and(|a| a.0 == who && a.1 == now);
        if !kept {
            let known = self.walk(start);
            self.answers[slot] = Some((who, now, known));
        }
        match &self.answers[slot] {
            Some(a) => &a.2,
            None => unreachable!("it was just put there"),
        }
    }

    /// All that follows from knowing `known`: from the newest event back, since nobody learns from what comes later.
    fn walk(&mut self, mut known: Known) -> Known {
        let mut seen: BTreeMap<(u32, u64), u32> = BTreeMap::new();
        self.effort += self.events.len() as u64;
        for e in self.events.iter().rev() {
            if e.releases && seen.get(&e.at).is_some_and(|&t| t > e.time) {
                let t = known.invocations.entry(e.who).or_default();
                *t = (*t).max(e.time);
                let t = known.groups.entry(e.who.0).or_default();
                *t = (*t).max(e.barrier);
                // The event itself is known, and so is what it learned.
                if e.acquires {
                    seen.entry(e.at).or_insert(e.time);
                }
            } else if e.acquires && known.has(e.who, e.time) {
                seen.entry(e.at).or_insert(e.time);
            }
        }
        known
    }
}
