//! What driver parts keep from launch to launch: texels in the layout of a family, by the version of the texture they came from.
//!
//! A frame, or a device, has one store and gives it to all of its launches ([`RunOptions::kept`](crate::RunOptions::kept)). A texture that
//! nobody changed is then placed once. Results do not depend on it: what is kept is what would be made again.

use std::any::Any;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes that a store holds at most, beside what launches under way hold. Those that nobody asked for longest go first.
const MOST: usize = 256 << 20;

/// The next version of contents.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// Bytes that know whether they changed: each change in place makes another version.
#[derive(Debug, Default)]
pub struct Versioned {
    bytes: Vec<u8>,
    /// 0 until somebody asks.
    version: AtomicU64,
}

impl Versioned {
    /// The version: equal ones are equal bytes, in one process.
    pub fn version(&self) -> u64 {
        let known = self.version.load(Ordering::Relaxed);
        if known != 0 {
            return known;
        }
        let fresh = NEXT.fetch_add(1, Ordering::Relaxed);
        self.version.compare_exchange(0, fresh, Ordering::Relaxed, Ordering::Relaxed).map_or_else(|now| now, |_| fresh)
    }

    /// The bytes alone, without the version.
    pub fn into_vec(self) -> Vec<u8> {
        self.bytes
    }
}

impl Clone for Versioned {
    fn clone(&self) -> Versioned {
        Versioned { bytes: self.bytes.clone(), version: AtomicU64::new(self.version.load(Ordering::Relaxed)) }
    }
}

impl PartialEq for Versioned {
    fn eq(&self, other: &Versioned) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for Versioned {}

impl PartialEq<Vec<u8>> for Versioned {
    fn eq(&self, other: &Vec<u8>) -> bool {
        self.bytes == *other
    }
}

impl From<Vec<u8>> for Versioned {
    fn from(bytes: Vec<u8>) -> Versioned {
        Versioned { bytes, version: AtomicU64::new(0) }
    }
}

impl<const N: usize> PartialEq<[u8; N]> for Versioned {
    fn eq(&self, other: &[u8; N]) -> bool {
        self.bytes == *other
    }
}

impl<'a> IntoIterator for &'a mut Versioned {
    type Item = &'a mut u8;
    type IntoIter = std::slice::IterMut<'a, u8>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

impl<'a> IntoIterator for &'a Versioned {
    type Item = &'a u8;
    type IntoIter = std::slice::Iter<'a, u8>;
    fn into_iter(self) -> Self::IntoIter {
        self.bytes.iter()
    }
}

impl FromIterator<u8> for Versioned {
    fn from_iter<I: IntoIterator<Item = u8>>(bytes: I) -> Versioned {
        Vec::from_iter(bytes).into()
    }
}

impl Deref for Versioned {
    type Target = Vec<u8>;
    fn deref(&self) -> &Vec<u8> {
        &self.bytes
    }
}

impl DerefMut for Versioned {
    fn deref_mut(&mut self) -> &mut Vec<u8> {
        *self.version.get_mut() = 0;
        &mut self.bytes
    }
}

/// Bytes of one owner, or of several that only read them.
#[derive(Clone)]
pub enum Bytes {
    /// Bytes of one owner.
    Own(Vec<u8>),
    /// Bytes of several owners. Who writes makes a copy.
    Shared(Arc<Vec<u8>>),
}

impl Bytes {
    /// The bytes, to be written.
    pub fn to_mut(&mut self) -> &mut Vec<u8> {
        if let Bytes::Shared(all) = self {
            *self = Bytes::Own(Vec::clone(all));
        }
        match self {
            Bytes::Own(own) => own,
            Bytes::Shared(_) => unreachable!("the copy above is owned"),
        }
    }

    /// The bytes alone; those of several are copied.
    pub fn into_vec(self) -> Vec<u8> {
        match self {
            Bytes::Own(own) => own,
            Bytes::Shared(all) => Arc::try_unwrap(all).unwrap_or_else(|all| Vec::clone(&all)),
        }
    }
}

impl Deref for Bytes {
    type Target = [u8];
    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Own(own) => own,
            Bytes::Shared(all) => all,
        }
    }
}

impl DerefMut for Bytes {
    fn deref_mut(&mut self) -> &mut [u8] {
        self.to_mut()
    }
}

impl Default for Bytes {
    fn default() -> Bytes {
        Bytes::Own(Vec::new())
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Bytes {
        Bytes::Own(bytes)
    }
}

impl From<Arc<Vec<u8>>> for Bytes {
    fn from(bytes: Arc<Vec<u8>>) -> Bytes {
        Bytes::Shared(bytes)
    }
}

impl PartialEq for Bytes {
    fn eq(&self, other: &Bytes) -> bool {
        **self == **other
    }
}

impl Eq for Bytes {}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// Something that is kept, with what it was made from.
struct Row {
    version: u64,
    key: Box<dyn Any + Send>,
    value: Arc<dyn Any + Send + Sync>,
    size: usize,
    /// When it was asked for last.
    used: u64,
}

#[derive(Default)]
struct Rows {
    list: Vec<Row>,
    size: usize,
    clock: u64,
}

/// A store. Clones are the same store.
#[derive(Clone, Default)]
pub struct Kept(Arc<Mutex<Rows>>);

impl Kept {
    /// What was kept for a version of contents under a key, or what `make` makes of it, with its size in bytes.
    pub fn get<K, V>(&self, version: u64, key: K, make: impl FnOnce() -> (V, usize)) -> Arc<V>
    where
        K: PartialEq + Send + 'static,
        V: Send + Sync + 'static,
    {
        if let Some(found) = self.find(version, &key) {
            return found;
        }
        let (value, size) = make();
        let value = Arc::new(value);
        let mut rows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        rows.clock += 1;
        let used = rows.clock;
        rows.size += size;
        rows.list.push(Row { version, key: Box::new(key), value: value.clone(), size, used });
        while rows.size > MOST && rows.list.len() > 1 {
            let oldest = rows.list.iter().enumerate().min_by_key(|r| r.1.used).map_or(0, |r| r.0);
            rows.size -= rows.list.swap_remove(oldest).size;
        }
        value
    }

    fn find<K: PartialEq + 'static, V: Send + Sync + 'static>(&self, version: u64, key: &K) -> Option<Arc<V>> {
        let mut rows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        rows.clock += 1;
        let now = rows.clock;
        let is = |r: &&mut Row| {
            r.version == version && r.value.is::<V>() && r.key.downcast_ref::<K>().is_some_and(|k| k == key)
        };
        let row = rows.list.iter_mut().find(is)?;
        row.used = now;
        row.value.clone().downcast().ok()
    }
}

/// Stores are one where they are the same.
impl PartialEq for Kept {
    fn eq(&self, other: &Kept) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Kept {}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        write!(f, "Kept({} rows, {} bytes)", rows.list.len(), rows.size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_another_version_and_a_copy_is_not() {
        let mut a = Versioned::from(vec![1, 2]);
        let before = a.version();
        assert_eq!(before, a.clone().version());
        a[0] = 3;
        assert_ne!(before, a.version());
        assert_eq!(a.version(), a.version());
    }

    #[test]
    fn what_is_kept_is_made_once_for_a_version_and_a_key() {
        let (kept, mut made) = (Kept::default(), 0);
        for (version, key, so_far) in [(1, 'a', 1), (1, 'a', 1), (1, 'b', 2), (2, 'a', 3), (1, 'a', 3)] {
            let value = kept.get(version, key, || {
                made += 1;
                ((version, key), 16)
            });
            assert_eq!((*value, made), ((version, key), so_far));
        }
    }

    #[test]
    fn the_store_stays_below_its_bound() {
        let kept = Kept::default();
        for version in 1..100 {
            kept.get(version, (), || (version, MOST / 4));
        }
        let rows = kept.0.lock().expect("nobody panicked");
        assert!(rows.size <= MOST && rows.list.iter().any(|r| r.version == 99), "{} bytes", rows.size);
    }

    #[test]
    fn who_writes_shared_bytes_has_a_copy() {
        let all = Arc::new(vec![1, 2, 3]);
        let mut own = Bytes::from(all.clone());
        own.to_mut()[0] = 9;
        assert_eq!((&own[..], &all[..]), (&[9, 2, 3][..], &[1, 2, 3][..]));
    }
}
