//! Pipeline caches: machine code by the key of all that it depends on.
//!
//! Contract: what a cache says of itself is read again by the same version of the driver on the same chip, in any process. The data is a header that
//! Vulkan prescribes, a line that names this format, and entries: a key, a size, a hash of both and of the code, the code. Reading takes entries
//! until one is damaged, too large or cut off, and never more memory than the data has. Data of another device or version is ignored as a whole.
//! The interpreter has no code, so its caches stay empty.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gpucc::cache::Key;
use sha2::{Digest, Sha256};

use crate::settings::Chip;

/// Bytes of code, with keys, that a cache takes.
pub const MOST: usize = 64 << 20;

/// Bytes of the header that Vulkan prescribes.
const HEADER: usize = 32;

/// Bytes of an entry beside its code: key, size, hash.
const BESIDE: usize = 32 + 8 + 32;

/// A pipeline cache with its code.
#[derive(Default)]
pub struct Cache {
    kept: Mutex<Kept>,
}

/// What a cache holds.
#[derive(Default)]
struct Kept {
    code: BTreeMap<Key, Arc<[u8]>>,
    /// Bytes of all entries.
    bytes: usize,
}

impl Kept {
    /// Takes an entry, if there is room for it and none of its key. Says whether it has the key now.
    fn take(&mut self, key: Key, code: &Arc<[u8]>) -> bool {
        let bytes = self.bytes.saturating_add(BESIDE + code.len());
        if self.code.contains_key(&key) {
            return true;
        }
        if bytes > MOST {
            return false;
        }
        self.bytes = bytes;
        self.code.insert(key, code.clone());
        true
    }
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept = self.kept();
        f.debug_struct("Cache").field("entries", &kept.code.len()).field("bytes", &kept.bytes).finish()
    }
}

impl gpucc::cache::Cache for Cache {
    fn get(&self, key: &Key) -> Option<Vec<u8>> {
        self.kept().code.get(key).map(|code| code.to_vec())
    }

    fn put(&self, key: &Key, bytes: &[u8]) {
        self.kept().take(*key, &Arc::from(bytes));
    }
}

/// The hash of an entry.
fn hash(key: &[u8], size: &[u8], code: &[u8]) -> [u8; 32] {
    let mut hash = Sha256::new();
    [key, size, code].iter().for_each(|part| hash.update(part));
    hash.finalize().into()
}

/// The header that every cache begins with.
fn header(chip: Chip) -> Vec<u8> {
    let p = crate::physical::properties(chip, chip.newest());
    let mut out = Vec::new();
    for word in [HEADER as u32, 1, p.vendor_id, p.device_id] {
        out.extend(u32::to_le_bytes(word));
    }
    out.extend(p.pipeline_cache_uuid);
    out
}

/// The line that names the format of entries, of containers, the version of the compiler, and its sources: builds of one version differ in these.
fn format() -> Vec<u8> {
    let container = (gpucc_container::VERSION_MAJOR, gpucc_container::VERSION_MINOR);
    let build = concat!(env!("CARGO_PKG_VERSION"), " of ", env!("GPUCC_SOURCES"));
    format!("gpucc cache 1, container {}.{}, {build}\n", container.0, container.1).into_bytes()
}

impl Cache {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A cache of what another one said; of anything else an empty one.
    pub fn read(chip: Chip, data: &[u8]) -> Cache {
        let cache = Cache::default();
        let begin = [header(chip), format()].concat();
        let Some(mut rest) = data.strip_prefix(&begin[..]) else { return cache };
        let mut kept = cache.kept();
        while let Some((key, after)) = rest.split_first_chunk::<32>() {
            let Some((size, after)) = after.split_first_chunk::<8>() else { break };
            let Some((sum, after)) = after.split_first_chunk::<32>() else { break };
            let Some((code, after)) =
                usize::try_from(u64::from_le_bytes(*size)).ok().and_then(|n| after.split_at_checked(n))
            else {
                break;
            };
            if hash(key, size, code) != *sum || !kept.take(Key(*key), &Arc::from(code)) {
                break;
            }
            rest = after;
        }
        drop(kept);
        cache
    }

    /// Header and entries, as many as have room in so many bytes, and whether that is all. Without room for the header it is nothing.
    pub fn data(&self, chip: Chip, room: usize) -> (Vec<u8>, bool) {
        let mut out = header(chip);
        if room < out.len() {
            return (Vec::new(), false);
        }
        let kept = self.kept();
        let line = format();
        if kept.code.is_empty() {
            return (out, true);
        }
        if room < out.len() + line.len() {
            return (out, false);
        }
        out.extend(line);
        for (key, code) in &kept.code {
            if room - out.len() < BESIDE + code.len() {
                return (out, false);
            }
            let size = (code.len() as u64).to_le_bytes();
            out.extend(key.0);
            out.extend(size);
            out.extend(hash(&key.0, &size, code));
            out.extend(&code[..]);
        }
        (out, true)
    }

    /// The bytes of [`Cache::data`] with room for all.
    pub fn size(&self) -> usize {
        let kept = self.kept();
        HEADER + if kept.code.is_empty() { 0 } else { format().len() + kept.bytes }
    }

    /// Takes what another cache holds.
    pub fn merge(&self, other: &Cache) {
        // One lock at a time: two threads may merge two caches into each other.
        let theirs = other.kept().code.clone();
        let mut own = self.kept();
        for (key, code) in &theirs {
            own.take(*key, code);
        }
    }
}
