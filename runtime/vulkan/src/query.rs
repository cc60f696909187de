//! Query pools.

use std::sync::{Mutex, MutexGuard, PoisonError};

use ash::vk;

use crate::handles::handles;

/// A pool: of each query its value, once there is one.
#[derive(Debug)]
pub struct Queries {
    /// The kind of its queries.
    pub ty: vk::QueryType,
    values: Mutex<Vec<Option<u64>>>,
}

impl Queries {
    /// Queries that were never reset, which is as good as reset here.
    pub fn new(ty: vk::QueryType, count: u32) -> Queries {
        Queries { ty, values: Mutex::new(vec![None; count as usize]) }
    }

    /// The values, `None` where none is ready; locked for the caller.
    pub fn lock(&self) -> MutexGuard<'_, Vec<Option<u64>>> {
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the values of a range away.
    pub fn reset(&self, first: u32, count: u32) {
        let mut all = self.lock();
        all.iter_mut().skip(first as usize).take(count as usize).for_each(|v| *v = None);
    }

    /// Gives a query its value.
    pub fn set(&self, at: u32, value: u64) {
        if let Some(v) = self.lock().get_mut(at as usize) {
            *v = Some(value);
        }
    }

    /// The bytes of results, and whether one of them was not there. `write` gets number and bytes of each query of a range.
    pub fn results(
        &self,
        (first, count): (u32, u32),
        flags: vk::QueryResultFlags,
        mut write: impl FnMut(u32, &[u8]),
    ) -> bool {
        use vk::QueryResultFlags as F;
        let (wide, says) = (flags.contains(F::TYPE_64), flags.contains(F::WITH_AVAILABILITY));
        let partial = flags.contains(F::PARTIAL);
        let all = self.lock();
        let mut missing = false;
        for k in 0..count {
            let value = all.get(first as usize + k as usize).copied().flatten();
            missing |= value.is_none();
            let mut bytes = Vec::new();
            let mut push = |v: u64| match wide {
                true => bytes.extend(v.to_le_bytes()),
                false => bytes.extend(u32::try_from(v).unwrap_or(u32::MAX).to_le_bytes()),
            };
            match value {
                Some(v) => push(v),
                None if partial => push(0),
                // What a query that is not there leaves is as it was: an empty write, then the word about it.
                None => {}
            }
            let skipped = value.is_none() && !partial;
            if says && !skipped {
                push(u64::from(value.is_some()));
            }
            write(k, &bytes);
        }
        missing
    }
}

handles! {
    vk::QueryPool => Queries, "query pool";
}
