//! What atomics order: a log of atomic accesses, and from it what an invocation can know of the others.
//!
//! An atomic access of a location sees all that those who wrote the location atomically before it had done by then; a barrier
//! passes on what its workgroup knows. WGSL's atomics are relaxed by the letter; programs that count down to the last
//! workgroup, or raise a flag, rely on the order all the same, so that order is taken as given.
//!
//! The log is walked only when two accesses meet that nothing else orders, which is rare; an answer serves for all that is
//! asked by the same invocation until it learns more.

use std::collections::BTreeMap;

/// An invocation: number of its workgroup in the order of their starts, and index in it.
pub(crate) type Who = (u32, u16);

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

/// What somebody knows: all that an invocation, or a workgroup, had done before a time.
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
pub(crate) struct SyncLog {
    events: Vec<Event>,
    /// Accesses before this time are taken as ordered: what followed them is forgotten.
    floor: u32,
    effort: u64,
    /// Who asked last, when, and the answer; one for the barrier of a workgroup and one for an invocation.
    answers: [Option<(Who, u32, Known)>; 2],
}

/// Who asks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asker {
    pub who: Who,
    /// When the workgroup last passed a barrier.
    pub barrier: u32,
    /// Now: not before its last event.
    pub now: u32,
}

impl SyncLog {
    /// Notes an atomic access of `who` at `time`.
    pub fn note(&mut self, asker: Asker, at: (u32, u64), acquires: bool, releases: bool) {
        if self.events.len() == MOST {
            self.events.drain(..MOST / 2);
            self.floor = self.events.first().map_or(0, |e| e.time);
        }
        // Who looks at a flag again and again learns nothing new if nobody came in between.
        if !releases
            && let Some(last) = self.events.last_mut()
            && last.who == asker.who
            && last.at == at
            && !last.releases
            && last.barrier == asker.barrier
        {
            last.time = asker.now;
            return;
        }
        self.events.push(Event { time: asker.now, barrier: asker.barrier, who: asker.who, acquires, releases, at });
    }

    /// Whether atomics order what `who` did at `time` before what the asker does now. What cannot be told any more counts as
    /// ordered.
    pub fn orders(&mut self, who: Who, time: u32, asker: Asker) -> bool {
        if self.events.is_empty() {
            return false;
        }
        if time < self.floor || self.effort > EFFORT {
            return true;
        }
        // What the whole workgroup knows since its barrier, then what this invocation learned after it.
        self.answer(
            0,
            (asker.who.0, u16::MAX),
            asker.barrier,
            Known { groups: BTreeMap::from([(asker.who.0, asker.barrier)]), ..Known::default() },
        )
        .has(who, time)
            || self
                .answer(
                    1,
                    asker.who,
                    asker.now,
                    Known {
                        groups: BTreeMap::from([(asker.who.0, asker.barrier)]),
                        invocations: BTreeMap::from([(asker.who, asker.now + 1)]),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn log(events: &[(u32, u32, Who, &str, u64)]) -> SyncLog {
        let mut log = SyncLog::default();
        for &(now, barrier, who, what, at) in events {
            log.note(Asker { who, barrier, now }, (0, at), what.contains('a'), what.contains('r'));
        }
        log
    }

    #[test]
    fn a_flag_orders_what_came_before_it_with_what_comes_after_it() {
        let mut l = log(&[(5, 0, (0, 0), "r", 8), (6, 0, (1, 0), "a", 8)]);
        let asker = Asker { who: (1, 0), barrier: 0, now: 7 };
        assert!(l.orders((0, 0), 4, asker));
        // What came after the flag, others of that workgroup, another invocation here.
        assert!(!l.orders((0, 0), 5, asker));
        assert!(!l.orders((0, 1), 4, asker));
        assert!(!l.orders((0, 0), 4, Asker { who: (1, 1), ..asker }));
        // A flag elsewhere says nothing.
        let mut l = log(&[(5, 0, (0, 0), "r", 8), (6, 0, (1, 0), "a", 12)]);
        assert!(!l.orders((0, 0), 4, asker));
        // One that was looked at before it was raised neither.
        let mut l = log(&[(5, 0, (1, 0), "a", 8), (6, 0, (0, 0), "r", 8)]);
        assert!(!l.orders((0, 0), 4, asker));
    }

    #[test]
    fn barriers_carry_it_to_the_workgroup_and_counters_carry_it_on() {
        // Both workgroups pass a barrier (at 3 and 4), count (5 and 6); the second passes another (at 7).
        let mut l = log(&[(5, 3, (0, 0), "ar", 8), (6, 4, (1, 0), "ar", 8)]);
        let asker = Asker { who: (1, 9), barrier: 7, now: 8 };
        assert!(l.orders((0, 33), 2, asker));
        assert!(!l.orders((0, 33), 3, asker));
        // Three workgroups in a row.
        let mut l = log(&[(5, 3, (0, 0), "ar", 8), (6, 0, (1, 0), "ar", 8), (7, 0, (2, 0), "a", 8)]);
        let asker = Asker { who: (2, 0), barrier: 0, now: 8 };
        assert!(l.orders((0, 9), 2, asker) && l.orders((1, 0), 5, asker) && !l.orders((1, 0), 6, asker));
        // Through two locations.
        let mut l =
            log(&[(1, 0, (0, 0), "r", 8), (2, 0, (1, 0), "a", 8), (3, 0, (1, 0), "r", 16), (4, 0, (2, 0), "a", 16)]);
        assert!(l.orders((0, 0), 0, Asker { who: (2, 0), barrier: 0, now: 5 }));
    }
}
