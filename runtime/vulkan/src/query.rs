//! Query pools.

use std::sync::{Mutex, MutexGuard, PoisonError};

use ash::vk;
use gpucc_sim::draw::Counts;

use crate::handles::handles;

/// Kinds of statistics of a pipeline in Vulkan's order, a bit each: input assembly to compute invocations.
pub const STATISTICS: u32 = 11;
/// Words that the queries of a pool may have.
pub const MOST_WORDS: u32 = 1 << 24;

/// What a query that is under way counted so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Samples that passed all tests.
    pub passed: u64,
    /// Statistics in the order of Vulkan's bits. Those of stages that are not there stay 0.
    pub statistics: [u64; STATISTICS as usize],
}

impl Tally {
    /// Adds what a draw did.
    pub fn draw(&mut self, passed: u64, c: &Counts) {
        self.passed += passed;
        // Between them are the invocations and primitives of geometry shaders, behind them tessellation and dispatches.
        let own = [c.vertices, c.primitives, c.vertex_invocations, 0, 0, c.clipped, c.visible, c.fragment_invocations];
        self.statistics.iter_mut().zip(own).for_each(|(sum, n)| *sum += n);
    }

    /// Adds the invocations of a dispatch.
    pub fn dispatch(&mut self, invocations: u64) {
        let last = &mut self.statistics[STATISTICS as usize - 1];
        *last = last.wrapping_add(invocations);
    }
}

/// The words of all queries, and which of them are ready.
#[derive(Debug)]
struct Values {
    ready: Vec<bool>,
    words: Vec<u64>,
}

/// A pool: of each query its words, once they are there.
#[derive(Debug)]
pub struct Queries {
    /// The kind of its queries.
    pub ty: vk::QueryType,
    /// What queries of statistics count.
    statistics: vk::QueryPipelineStatisticFlags,
    /// Words of a query.
    width: usize,
    values: Mutex<Values>,
}

impl Queries {
    /// Queries that were never reset, which is as good as reset here.
    pub fn new(ty: vk::QueryType, statistics: vk::QueryPipelineStatisticFlags, count: u32) -> Queries {
        let width = statistics.as_raw().count_ones().max(1) as usize;
        let values = Values { ready: vec![false; count as usize], words: vec![0; count as usize * width] };
        Queries { ty, statistics, width, values: Mutex::new(values) }
    }

    fn lock(&self) -> MutexGuard<'_, Values> {
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether all queries of a range are ready.
    pub fn are_there(&self, first: u32, count: u32) -> bool {
        let all = self.lock();
        (first..first.saturating_add(count)).all(|k| all.ready.get(k as usize) == Some(&true))
    }

    /// Takes the values of a range away.
    pub fn reset(&self, first: u32, count: u32) {
        let mut all = self.lock();
        all.ready.iter_mut().skip(first as usize).take(count as usize).for_each(|r| *r = false);
    }

    /// Gives a query its words.
    pub fn set(&self, at: u32, words: &[u64]) {
        let mut all = self.lock();
        let from = at as usize * self.width;
        if let Some(own) = all.words.get_mut(from..from + self.width) {
            own.iter_mut().zip(words).for_each(|(own, w)| *own = *w);
            all.ready[at as usize] = true;
        }
    }

    /// Ends a query that counted.
    pub fn finish(&self, at: u32, tally: &Tally) {
        if self.ty != vk::QueryType::PIPELINE_STATISTICS {
            return self.set(at, &[tally.passed]);
        }
        let asked = |k: &u32| self.statistics.as_raw() >> k & 1 == 1;
        let words: Vec<u64> = (0..STATISTICS).filter(asked).map(|k| tally.statistics[k as usize]).collect();
        self.set(at, &words);
    }

    /// The bytes of results, and whether one of them was not there. `write` gets, of each query of a range, its number there, a place
    /// behind its beginning, and bytes.
    pub fn results(
        &self,
        (first, count): (u32, u32),
        flags: vk::QueryResultFlags,
        mut write: impl FnMut(u32, u64, &[u8]),
    ) -> bool {
        use vk::QueryResultFlags as F;
        let (wide, says) = (flags.contains(F::TYPE_64), flags.contains(F::WITH_AVAILABILITY));
        let partial = flags.contains(F::PARTIAL);
        let size = if wide { 8 } else { 4 };
        let all = self.lock();
        let mut missing = false;
        for k in 0..count {
            let at = first as usize + k as usize;
            let ready = all.ready.get(at) == Some(&true);
            missing |= !ready;
            let mut bytes = Vec::new();
            let mut push = |v: u64| match wide {
                true => bytes.extend(v.to_le_bytes()),
                false => bytes.extend(u32::try_from(v).unwrap_or(u32::MAX).to_le_bytes()),
            };
            match all.words.get(at * self.width..(at + 1) * self.width) {
                Some(words) if ready => words.iter().for_each(|&v| push(v)),
                // What a query that is not there leaves is as it was.
                _ if !partial => {}
                _ => (0..self.width).for_each(|_| push(0)),
            }
            // The word about it stands behind those of the query, whether they are written or not.
            let from = if ready || partial { 0 } else { self.width as u64 * size };
            if says {
                push(u64::from(ready));
            }
            if !bytes.is_empty() {
                write(k, from, &bytes);
            }
        }
        missing
    }
}

handles! {
    vk::QueryPool => Queries, "query pool";
}
