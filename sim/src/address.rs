//! Raw addresses: where allocations lie for families whose instructions compute addresses themselves.

use crate::memory::AllocId;
use crate::rng::SplitMix64;
use crate::trap::{Trap, bad_dispatch, out_of_bounds};

#[derive(Clone, Copy, Debug)]
struct Region {
    base: u64,
    size: u64,
    id: AllocId,
}

/// Maps address ranges to allocations, with guard gaps between them, so that an access one byte past a buffer never
/// lands in the next one.
#[derive(Clone, Debug)]
pub struct AddressSpace {
    regions: Vec<Region>,
    next: u64,
    end: u64,
    rng: Option<SplitMix64>,
}

/// Smallest gap between two allocations.
const GUARD: u64 = 0x1_0000;

impl AddressSpace {
    /// 32-bit addresses. Base addresses are always the same without `perturb` and move with its seed.
    pub fn new32(perturb: Option<u64>) -> Self {
        Self::within(0x1000_0000, 0xf000_0000, perturb)
    }

    /// 64-bit addresses above 4 GiB (so that a lost high word is noticed) and inside 40 bits (as the page tables of
    /// these generations have them).
    pub fn new64(perturb: Option<u64>) -> Self {
        Self::within(0x12_3400_0000, 0xff_0000_0000, perturb)
    }

    /// Addresses from `start` up to, not including, `end`.
    pub fn within(start: u64, end: u64, perturb: Option<u64>) -> Self {
        AddressSpace {
            regions: Vec::new(),
            next: start,
            end,
            rng: perturb.map(|seed| SplitMix64::new(seed ^ 0xadd5_e550)),
        }
    }

    /// Gives `size` bytes of allocation `id` a place and returns its first address, a multiple of `align`
    /// (a power of two).
    ///
    /// # Errors
    /// When the space is full.
    pub fn place(&mut self, id: AllocId, size: u64, align: u64) -> Result<u64, Trap> {
        let align = align.max(256);
        let skip = self.rng.as_mut().map_or(0, |rng| rng.below(64) * align);
        let full = || bad_dispatch(format!("buffers do not fit the address space: {size} bytes"));
        let base = self.next.checked_add(skip).and_then(|a| a.checked_next_multiple_of(align)).ok_or_else(full)?;
        let past = base.checked_add(size).filter(|&e| e <= self.end).ok_or_else(full)?;
        self.next = past.checked_add(GUARD).ok_or_else(full)?;
        self.regions.push(Region { base, size, id });
        Ok(base)
    }

    /// Gives allocation `id` a place that was chosen before. Places are given upwards.
    ///
    /// # Errors
    /// When it lies below what was placed so far, or beyond the end of the space.
    pub fn fix(&mut self, id: AllocId, address: u64, size: u64) -> Result<(), Trap> {
        let past = address.checked_add(size).filter(|&e| e <= self.end && address >= self.next);
        let past = past
            .and_then(|e| e.checked_add(GUARD))
            .ok_or_else(|| bad_dispatch(format!("{size} bytes cannot lie at address 0x{address:x}")))?;
        self.next = past;
        self.regions.push(Region { base: address, size, id });
        Ok(())
    }

    /// The allocation and offset of `size` bytes at `address`, when all of them lie in one allocation.
    #[inline]
    pub fn find(&self, address: u64, size: u32) -> Option<(AllocId, u64)> {
        // Regions are placed upwards, so they are sorted.
        let at = self.regions.partition_point(|r| r.base <= address).checked_sub(1)?;
        let r = &self.regions[at];
        let offset = address - r.base;
        (offset.checked_add(u64::from(size))? <= r.size).then_some((r.id, offset))
    }

    /// As [`AddressSpace::find`].
    ///
    /// # Errors
    /// An out-of-bounds trap that says what lies next to the address.
    #[inline]
    pub fn resolve(&self, address: u64, size: u32) -> Result<(AllocId, u64), Trap> {
        self.find(address, size).ok_or_else(|| self.fault(address, size))
    }

    /// The allocation that the lowest of some lanes, a bit each, has its address in, where it lies, and its bytes there.
    #[inline]
    pub fn find_first(&self, addresses: &[u64], lanes: u64) -> Option<(AllocId, u64, u64)> {
        let first = *addresses.get(lanes.trailing_zeros() as usize)?;
        let at = self.regions.partition_point(|r| r.base <= first).checked_sub(1)?;
        let Region { base, size, id } = self.regions[at];
        Some((id, base, size))
    }

    #[cold]
    fn fault(&self, address: u64, size: u32) -> Trap {
        let at = self.regions.partition_point(|r| r.base <= address);
        let near = match at.checked_sub(1).map(|i| &self.regions[i]) {
            Some(r) => format!(
                "{} bytes past the start of an allocation of {} bytes at 0x{:x}",
                address - r.base,
                r.size,
                r.base
            ),
            None => "below every allocation".to_owned(),
        };
        out_of_bounds(format!("access of {size} bytes at address 0x{address:x}, {near}"))
    }

    /// Where an allocation was placed.
    pub fn base_of(&self, id: AllocId) -> Option<u64> {
        self.regions.iter().find(|r| r.id == id).map(|r| r.base)
    }
}
