//! Where accesses go that are out of bounds.

use gpucc_sim::SplitMix64;

/// Where an access of a robust module goes that is out of bounds: WGSL leaves it open, and each of these is right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OobAccess {
    /// Nowhere: a load gives zero, a store does nothing.
    #[default]
    Nowhere,
    /// The last place of its size.
    End,
    /// The last multiple of a word where it fits, whatever its alignment says: with an offset that is clamped, not an index,
    /// that may be another member of the last element.
    Word,
    /// The last element in which it fits: not the offset is clamped but the index, where it is scaled by 2 to 128. Elsewhere as
    /// [`OobAccess::Word`].
    Element,
    /// The first.
    Start,
    /// Loads give zero, stores go to the last place.
    Apart,
    /// Where the low 32 bits of the offset say, if that is inside; otherwise nowhere.
    Wrapped,
    /// Any place, or nowhere, by a seed.
    Random(u64),
}

impl OobAccess {
    /// An offset for `bytes` bytes inside of `size`, a multiple of `align`.
    pub(crate) fn choose(&mut self, size: u64, bytes: u64, align: u64, load: bool) -> Option<u64> {
        let room = size.checked_sub(bytes)?;
        let last = room / align;
        match self {
            OobAccess::Nowhere | OobAccess::Wrapped => None,
            OobAccess::Apart if load => None,
            OobAccess::End | OobAccess::Apart => Some(last * align),
            OobAccess::Word | OobAccess::Element => Some(room & !(align.min(4) - 1)),
            OobAccess::Start => Some(0),
            OobAccess::Random(state) => {
                let mut random = SplitMix64::new(*state);
                *state = random.next_u64();
                (random.below(4) != 0).then(|| random.below(last + 1) * align)
            }
        }
    }
}
