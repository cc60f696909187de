//! Allocations with bounds and, where it matters, a record of which bytes were ever written.

use crate::kept::Bytes;
use crate::rng::SplitMix64;
use crate::touched::Touched;
use crate::trap::{Trap, TrapKind};
use std::fmt;

/// The bytes that follow a buffer which ends inside a word, for a machine whose words may reach behind it.
pub const BEHIND: u8 = 0xa5;

/// Number of an allocation in its [`Memory`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AllocId(pub u32);

/// An access that memory refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemFault {
    /// Some byte of the access lies outside of the allocation.
    OutOfBounds {
        /// First byte of the access.
        offset: u64,
        /// Bytes of the access.
        size: u32,
        /// Bytes of the allocation.
        len: u64,
    },
    /// Some byte of a load was never written.
    Undefined {
        /// The first such byte.
        offset: u64,
    },
    /// A store to a read-only allocation.
    ReadOnly {
        /// First byte of the access.
        offset: u64,
    },
}

impl fmt::Display for MemFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            MemFault::OutOfBounds { offset, size, len } => {
                write!(f, "access of {size} bytes at offset {offset} in an allocation of {len} bytes")
            }
            MemFault::Undefined { offset } => write!(f, "byte at offset {offset} was never written"),
            MemFault::ReadOnly { offset } => write!(f, "store at offset {offset} of a read-only allocation"),
        }
    }
}

impl From<MemFault> for Trap {
    fn from(fault: MemFault) -> Trap {
        let kind = match fault {
            MemFault::OutOfBounds { .. } => TrapKind::OutOfBounds,
            MemFault::Undefined { .. } => TrapKind::UndefinedRead,
            MemFault::ReadOnly { .. } => TrapKind::ReadOnly,
        };
        Trap::new(kind, fault.to_string())
    }
}

#[derive(Clone, Debug)]
struct Alloc {
    name: String,
    bytes: Bytes,
    /// One flag a byte; `None` when every byte counts as written.
    written: Option<Vec<bool>>,
    writable: bool,
    /// Which workgroups touched it, where somebody wants to know.
    touched: Option<Box<Touched>>,
    /// Allocations that have some of its bytes too, and where they begin, from its first byte on.
    mirrors: Vec<(AllocId, i64)>,
}

/// The bytes of an allocation that lanes load.
pub(crate) struct Lanes<'a> {
    pub bytes: &'a [u8],
    pub written: Option<&'a [bool]>,
    pub touched: Option<&'a Touched>,
    pub group: u32,
}

/// The bytes of an allocation that lanes store to.
pub(crate) struct LanesMut<'a> {
    pub bytes: &'a mut [u8],
    pub written: Option<&'a mut [bool]>,
    pub touched: Option<&'a Touched>,
    pub group: u32,
}

/// All allocations of a run.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    allocs: Vec<Alloc>,
    /// Number of the workgroup that runs, for what it touches.
    group: u32,
}

impl Memory {
    /// A memory without any allocation.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an allocation whose bytes all count as written: a buffer.
    pub fn alloc(&mut self, name: impl Into<String>, bytes: impl Into<Bytes>, writable: bool) -> AllocId {
        let mut bytes = bytes.into();
        if writable {
            bytes.to_mut();
        }
        self.push(Alloc { name: name.into(), bytes, written: None, writable, touched: None, mirrors: Vec::new() })
    }

    /// Adds a writable allocation of which no byte was written: shared memory, scratch. Its content is 0xcc, or
    /// garbage when `garbage` is given, for readers that go around the record.
    pub fn alloc_undefined(
        &mut self,
        name: impl Into<String>,
        size: usize,
        garbage: Option<&mut SplitMix64>,
    ) -> AllocId {
        let mut bytes = vec![0xcc; size];
        if let Some(rng) = garbage {
            rng.fill(&mut bytes);
        }
        let (bytes, written) = (bytes.into(), Some(vec![false; size]));
        self.push(Alloc { name: name.into(), bytes, written, writable: true, touched: None, mirrors: Vec::new() })
    }

    fn push(&mut self, alloc: Alloc) -> AllocId {
        self.allocs.push(alloc);
        AllocId((self.allocs.len() - 1) as u32)
    }

    /// Forgets that anything was written: shared memory at the start of the next workgroup.
    pub fn reset_undefined(&mut self, id: AllocId, garbage: Option<&mut SplitMix64>) {
        let a = &mut self.allocs[id.0 as usize];
        match garbage {
            Some(rng) => rng.fill(a.bytes.to_mut()),
            None => a.bytes.to_mut().fill(0xcc),
        }
        a.written = Some(vec![false; a.bytes.len()]);
    }

    /// Resources that lie in two allocations change places, sizes and names with them.
    pub fn exchange(&mut self, a: AllocId, b: AllocId) {
        self.allocs.swap(a.0 as usize, b.0 as usize);
    }

    /// Two allocations lie in one memory, the second one `distance` bytes behind the beginning of the first: what is stored to
    /// one is stored to the other where it has those bytes.
    pub fn overlap(&mut self, [a, b]: [AllocId; 2], distance: i64) {
        self.allocs[a.0 as usize].mirrors.push((b, distance));
        self.allocs[b.0 as usize].mirrors.push((a, -distance));
    }

    /// Which workgroups touch these allocations is kept until [`Memory::unwatch`].
    pub(crate) fn watch(&mut self, ids: &[AllocId]) {
        for id in ids {
            let a = &mut self.allocs[id.0 as usize];
            a.touched = Some(Box::new(Touched::new(a.bytes.len())));
        }
    }

    /// It is not kept any longer.
    pub(crate) fn unwatch(&mut self) {
        self.allocs.iter_mut().for_each(|a| a.touched = None);
    }

    /// Nobody has touched anything yet.
    pub(crate) fn forget(&mut self) {
        for a in self.allocs.iter_mut().filter(|a| a.touched.is_some()) {
            a.touched = Some(Box::new(Touched::new(a.bytes.len())));
        }
    }

    /// A workgroup runs, the one of this number.
    pub(crate) fn set_group(&mut self, number: u64) {
        self.group = number as u32;
    }

    /// Whether a workgroup met what another one did.
    pub(crate) fn has_met(&self) -> bool {
        self.allocs.iter().filter_map(|a| a.touched.as_ref()).any(|t| t.has_met())
    }

    /// A workgroup loads bytes that are known already from elsewhere: a cache.
    #[inline]
    pub fn touch(&self, id: AllocId, offset: u64, size: u32) {
        if let Some(touched) = &self.allocs[id.0 as usize].touched
            && let Ok(range) = self.range(id, offset, size)
        {
            touched.load(range, self.group);
        }
    }

    /// Something hangs on whether any byte of it was stored to.
    pub fn ask(&self, id: AllocId) {
        if let Some(touched) = &self.allocs[id.0 as usize].touched {
            touched.ask();
        }
    }

    /// Something hangs on which workgroups came before.
    pub fn hang_on_order(&self, id: AllocId) {
        if let Some(touched) = &self.allocs[id.0 as usize].touched {
            touched.meet();
        }
    }

    /// What nobody can store to is shared by all clones from here on.
    pub(crate) fn share(&mut self) {
        for a in self.allocs.iter_mut().filter(|a| !a.writable) {
            a.bytes = match std::mem::take(&mut a.bytes) {
                Bytes::Own(own) => Bytes::Shared(std::sync::Arc::new(own)),
                shared => shared,
            };
        }
    }

    /// Takes what workgroups stored that ran on clones of this memory. Gives whether it did: not where one met what another one did, and
    /// then nothing changes.
    pub(crate) fn join(&mut self, parts: &[&Memory]) -> bool {
        let marks = |at: usize| parts.iter().filter_map(move |m| m.allocs[at].touched.as_deref()).collect::<Vec<_>>();
        let count = self.allocs.len();
        if (0..count).any(|at| Touched::meet_in(&marks(at))) {
            return false;
        }
        for (at, a) in self.allocs.iter_mut().enumerate().filter(|(_, a)| a.touched.is_some()) {
            let to = a.bytes.to_mut();
            for part in parts {
                if let Some(touched) = &part.allocs[at].touched {
                    touched.copy(&part.allocs[at].bytes, to);
                }
            }
        }
        true
    }

    /// Bytes of the allocations that are watched.
    pub(crate) fn watched(&self) -> u64 {
        self.allocs.iter().filter(|a| a.touched.is_some()).map(|a| a.bytes.len() as u64).sum()
    }

    /// Repeats a store in allocations that have the same bytes.
    #[cold]
    fn mirror(&mut self, id: AllocId, offset: u64, bytes: &[u8]) {
        for (other, distance) in self.allocs[id.0 as usize].mirrors.clone() {
            let Alloc { bytes: to, touched, .. } = &mut self.allocs[other.0 as usize];
            // Buffers are far smaller than the range of the numbers.
            let first = offset as i64 - distance;
            if let Some(touched) = touched {
                let place = |at: i64| (at.max(0) as usize).min(to.len());
                touched.store(place(first)..place(first + bytes.len() as i64), self.group);
            }
            for (k, byte) in (first..).zip(bytes) {
                if let Some(own) = usize::try_from(k).ok().and_then(|k| to.get_mut(k)) {
                    *own = *byte;
                }
            }
        }
    }

    /// Size in bytes.
    pub fn len(&self, id: AllocId) -> u64 {
        self.allocs[id.0 as usize].bytes.len() as u64
    }

    /// Whether there are no allocations.
    pub fn is_empty(&self) -> bool {
        self.allocs.is_empty()
    }

    /// Number of allocations in the memory.
    pub fn count(&self) -> usize {
        self.allocs.len()
    }

    /// Whether stores are allowed.
    pub fn is_writable(&self, id: AllocId) -> bool {
        self.allocs[id.0 as usize].writable
    }

    /// The name it was made with.
    pub fn name(&self, id: AllocId) -> &str {
        &self.allocs[id.0 as usize].name
    }

    /// All bytes of an allocation.
    pub fn bytes(&self, id: AllocId) -> &[u8] {
        &self.allocs[id.0 as usize].bytes
    }

    /// Takes the bytes out, leaving the allocation empty: results at the end of a run.
    pub fn take(&mut self, id: AllocId) -> Bytes {
        std::mem::take(&mut self.allocs[id.0 as usize].bytes)
    }

    #[inline]
    fn range(&self, id: AllocId, offset: u64, size: u32) -> Result<std::ops::Range<usize>, MemFault> {
        let len = self.allocs[id.0 as usize].bytes.len() as u64;
        match offset.checked_add(u64::from(size)) {
            Some(end) if end <= len => Ok(offset as usize..end as usize),
            _ => Err(MemFault::OutOfBounds { offset, size, len }),
        }
    }

    /// Loads `out.len()` bytes.
    ///
    /// # Errors
    /// Out of bounds, or a byte that was never written.
    #[inline]
    pub fn load_bytes(&self, id: AllocId, offset: u64, out: &mut [u8]) -> Result<(), MemFault> {
        let range = self.range(id, offset, out.len() as u32)?;
        let a = &self.allocs[id.0 as usize];
        if let Some(written) = &a.written
            && !written[range.clone()].iter().fold(true, |all, w| all & w)
        {
            return Err(unwritten(written, range));
        }
        if let Some(touched) = &a.touched {
            touched.load(range.clone(), self.group);
        }
        out.copy_from_slice(&a.bytes[range]);
        Ok(())
    }

    /// Stores `bytes`.
    ///
    /// # Errors
    /// Out of bounds, or a read-only allocation.
    #[inline]
    pub fn store_bytes(&mut self, id: AllocId, offset: u64, bytes: &[u8]) -> Result<(), MemFault> {
        let range = self.range(id, offset, bytes.len() as u32)?;
        let a = &mut self.allocs[id.0 as usize];
        if !a.writable {
            return Err(MemFault::ReadOnly { offset });
        }
        if let Some(written) = &mut a.written {
            written[range.clone()].fill(true);
        }
        if let Some(touched) = &a.touched {
            touched.store(range.clone(), self.group);
        }
        a.bytes.to_mut()[range].copy_from_slice(bytes);
        if !a.mirrors.is_empty() {
            self.mirror(id, offset, bytes);
        }
        Ok(())
    }

    /// The bytes of an allocation for lanes that load them, if it has as many as that.
    pub(crate) fn lanes(&self, id: AllocId, end: u64) -> Option<Lanes<'_>> {
        let a = self.allocs.get(id.0 as usize).filter(|a| end <= a.bytes.len() as u64)?;
        Some(Lanes { bytes: &a.bytes, written: a.written.as_deref(), touched: a.touched.as_deref(), group: self.group })
    }

    /// The same for lanes that store to them, where that is allowed and nothing else lies in the same memory.
    pub(crate) fn lanes_mut(&mut self, id: AllocId, end: u64) -> Option<LanesMut<'_>> {
        let a = self.allocs.get_mut(id.0 as usize).filter(|a| end <= a.bytes.len() as u64)?;
        if !a.writable || !a.mirrors.is_empty() {
            return None;
        }
        let Alloc { bytes, written, touched, .. } = a;
        let (written, touched) = (written.as_deref_mut(), touched.as_deref());
        Some(LanesMut { bytes: bytes.to_mut(), written, touched, group: self.group })
    }

    /// Loads a little-endian value of `size` bytes (1 to 8), zero-extended.
    ///
    /// # Errors
    /// As [`Memory::load_bytes`].
    #[inline]
    pub fn load(&self, id: AllocId, offset: u64, size: u32) -> Result<u64, MemFault> {
        // Most are words, whose size is known to the compiler here.
        if size == 4 {
            return self.load_u32(id, offset).map(u64::from);
        }
        let mut word = [0; 8];
        self.load_bytes(id, offset, &mut word[..size as usize])?;
        Ok(u64::from_le_bytes(word))
    }

    /// Stores the low `size` bytes (1 to 8) of `value`, little-endian.
    ///
    /// # Errors
    /// As [`Memory::store_bytes`].
    #[inline]
    pub fn store(&mut self, id: AllocId, offset: u64, size: u32, value: u64) -> Result<(), MemFault> {
        if size == 4 {
            return self.store_u32(id, offset, value as u32);
        }
        self.store_bytes(id, offset, &value.to_le_bytes()[..size as usize])
    }

    /// Loads 32 bits.
    ///
    /// # Errors
    /// As [`Memory::load_bytes`].
    #[inline]
    pub fn load_u32(&self, id: AllocId, offset: u64) -> Result<u32, MemFault> {
        let mut word = [0; 4];
        self.load_bytes(id, offset, &mut word)?;
        Ok(u32::from_le_bytes(word))
    }

    /// Stores 32 bits.
    ///
    /// # Errors
    /// As [`Memory::store_bytes`].
    #[inline]
    pub fn store_u32(&mut self, id: AllocId, offset: u64, value: u32) -> Result<(), MemFault> {
        self.store_bytes(id, offset, &value.to_le_bytes())
    }
}

/// The first byte of a range that was never written.
#[cold]
fn unwritten(written: &[bool], range: std::ops::Range<usize>) -> MemFault {
    let at = range.clone().find(|&at| !written[at]).unwrap_or(range.start);
    MemFault::Undefined { offset: at as u64 }
}
