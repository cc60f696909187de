//! Sets of register units and placements of values in them.

use core::fmt;

/// Most units that a register file can have.
pub const MAX_UNITS: u16 = 256;

/// A set of units of one register file.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct UnitSet([u64; 4]);

impl UnitSet {
    /// The set without any unit.
    pub const EMPTY: UnitSet = UnitSet([0; 4]);

    /// The set of units `0..n`.
    pub const fn first(n: u16) -> UnitSet {
        assert!(n <= MAX_UNITS);
        let mut s = UnitSet::EMPTY;
        let mut w = 0;
        while w < 4 {
            let here = (n as usize).saturating_sub(64 * w);
            s.0[w] = if here >= 64 { u64::MAX } else { (1 << here) - 1 };
            w += 1;
        }
        s
    }

    /// The set of units `from..to`.
    pub const fn range(from: u16, to: u16) -> UnitSet {
        assert!(from <= to);
        UnitSet::first(to).minus(&UnitSet::first(from))
    }

    /// Every `step`-th unit from `from` up to but not including `to`: start positions of aligned runs.
    pub const fn steps(from: u16, to: u16, step: u16) -> UnitSet {
        assert!(to <= MAX_UNITS && step > 0);
        if step == 1 && from <= to {
            return UnitSet::range(from, to);
        }
        let mut s = UnitSet::EMPTY;
        let mut i = from;
        while i < to {
            s.0[i as usize / 64] |= 1 << (i % 64);
            i += step;
        }
        s
    }

    /// Whether `unit` is in the set.
    pub const fn contains(&self, unit: u16) -> bool {
        unit < MAX_UNITS && self.0[unit as usize / 64] >> (unit % 64) & 1 == 1
    }

    /// Adds a unit to the set.
    pub const fn insert(&mut self, unit: u16) {
        self.0[unit as usize / 64] |= 1 << (unit % 64);
    }

    /// Removes a unit from the set.
    pub const fn remove(&mut self, unit: u16) {
        self.0[unit as usize / 64] &= !(1 << (unit % 64));
    }

    /// Units in either set.
    #[must_use]
    pub const fn union(&self, o: &UnitSet) -> UnitSet {
        UnitSet([self.0[0] | o.0[0], self.0[1] | o.0[1], self.0[2] | o.0[2], self.0[3] | o.0[3]])
    }

    /// Units in both sets.
    #[must_use]
    pub const fn intersect(&self, o: &UnitSet) -> UnitSet {
        UnitSet([self.0[0] & o.0[0], self.0[1] & o.0[1], self.0[2] & o.0[2], self.0[3] & o.0[3]])
    }

    /// Units of this set that are not in `o`.
    #[must_use]
    pub const fn minus(&self, o: &UnitSet) -> UnitSet {
        UnitSet([self.0[0] & !o.0[0], self.0[1] & !o.0[1], self.0[2] & !o.0[2], self.0[3] & !o.0[3]])
    }

    /// Number of units in the set.
    pub const fn len(&self) -> u32 {
        self.0[0].count_ones() + self.0[1].count_ones() + self.0[2].count_ones() + self.0[3].count_ones()
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.0[0] | self.0[1] | self.0[2] | self.0[3] == 0
    }

    /// The lowest unit; `None` of the empty set.
    pub const fn lowest(&self) -> Option<u16> {
        let mut w = 0;
        while w < 4 {
            if self.0[w] != 0 {
                return Some(w as u16 * 64 + self.0[w].trailing_zeros() as u16);
            }
            w += 1;
        }
        None
    }

    /// The highest unit; `None` of the empty set.
    pub const fn highest(&self) -> Option<u16> {
        let mut w = 4;
        while w > 0 {
            w -= 1;
            if self.0[w] != 0 {
                return Some(w as u16 * 64 + 63 - self.0[w].leading_zeros() as u16);
            }
        }
        None
    }

    /// The units in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u16> + use<> {
        let mut words = self.0;
        let mut w = 0;
        core::iter::from_fn(move || {
            while w < 4 {
                if words[w] != 0 {
                    let bit = words[w].trailing_zeros();
                    words[w] &= words[w] - 1;
                    return Some(w as u16 * 64 + bit as u16);
                }
                w += 1;
            }
            None
        })
    }

    /// Every unit moved down by `n`; those below `n` fall out.
    #[must_use]
    pub fn down(&self, n: u16) -> UnitSet {
        if n == 0 {
            return *self;
        }
        if n < 64 {
            let [a, b, c, d] = self.0;
            return UnitSet([a >> n | b << (64 - n), b >> n | c << (64 - n), c >> n | d << (64 - n), d >> n]);
        }
        let (w, b) = (n as usize / 64, n % 64);
        let word = |i: usize| self.0.get(i).copied().unwrap_or(0);
        UnitSet(core::array::from_fn(|i| {
            let high = if b == 0 { 0 } else { word(i + w + 1) << (64 - b) };
            word(i + w) >> b | high
        }))
    }

    /// Every unit moved up by `n`; those that leave the range fall out.
    #[must_use]
    pub fn up(&self, n: u16) -> UnitSet {
        if n == 0 {
            return *self;
        }
        if n < 64 {
            let [a, b, c, d] = self.0;
            return UnitSet([a << n, b << n | a >> (64 - n), c << n | b >> (64 - n), d << n | c >> (64 - n)]);
        }
        let (w, b) = (n as usize / 64, n % 64);
        let word = |i: Option<usize>| i.map_or(0, |i| self.0[i]);
        UnitSet(core::array::from_fn(|i| {
            let low = if b == 0 { 0 } else { word(i.checked_sub(w + 1)) >> (64 - b) };
            word(i.checked_sub(w)) << b | low
        }))
    }

    /// The units 0..64 as bits.
    pub(crate) const fn word(&self) -> u64 {
        self.0[0]
    }

    /// Units from which `n` units in a row are all in the set.
    #[must_use]
    pub fn runs(&self, n: u16) -> UnitSet {
        let mut have = 1;
        let mut s = *self;
        while have < n {
            let step = have.min(n - have);
            s = s.intersect(&s.down(step));
            have += step;
        }
        s
    }

    /// Whether all units of `p` are in the set.
    pub fn has_all(&self, p: Placement) -> bool {
        let (w, low, high) = p.words();
        low & !self.0[w] | high & !self.0[(w + 1) % 4] == 0
    }

    /// Whether some unit of `p` is in the set.
    pub fn has_any(&self, p: Placement) -> bool {
        let (w, low, high) = p.words();
        low & self.0[w] | high & self.0[(w + 1) % 4] != 0
    }

    /// Adds the units of `p`.
    pub fn add(&mut self, p: Placement) {
        let (w, low, high) = p.words();
        self.0[w] |= low;
        self.0[(w + 1) % 4] |= high;
    }

    /// Removes the units of `p`.
    pub fn sub(&mut self, p: Placement) {
        let (w, low, high) = p.words();
        self.0[w] &= !low;
        self.0[(w + 1) % 4] &= !high;
    }
}

impl fmt::Debug for UnitSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl FromIterator<u16> for UnitSet {
    fn from_iter<I: IntoIterator<Item = u16>>(iter: I) -> Self {
        let mut s = UnitSet::EMPTY;
        for u in iter {
            s.insert(u);
        }
        s
    }
}

/// The units that hold one value: component `i` of the value lies in the `i`-th unit of the placement.
///
/// A run of up to 32 units, or some of the [`Placement::LANES`] units from one on. Always normal: the first unit is one of it,
/// and what is a run is stored as one, so that two placements of the same units are equal. Two bytes, since each operand of each
/// instruction may have one, or two.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Placement {
    base: u8,
    /// The number of units of a run, or a mask with [`HOLES`] set. 0: no units.
    code: u8,
}

const HOLES: u8 = 0x80;

impl Placement {
    /// No units: the placement of nothing.
    pub const NONE: Placement = Placement { base: 0, code: 0 };

    /// Units in a row, from the first to the last one, of a placement with holes, at most.
    pub const LANES: u16 = 7;

    /// `n` units from `base`.
    ///
    /// # Panics
    /// When `n` is 0 or above 32, or the run leaves the largest file.
    pub const fn run(base: u16, n: u16) -> Placement {
        assert!(n > 0 && n <= 32 && base + n <= MAX_UNITS);
        Placement { base: base as u8, code: n as u8 }
    }

    /// The units `base + i` for all bits `i` of `mask`.
    ///
    /// # Panics
    /// When the mask is empty, has holes and is too wide, or the units leave the largest file.
    pub const fn mask(base: u16, mask: u32) -> Placement {
        assert!(mask != 0);
        let low = mask.trailing_zeros();
        let (base, mask) = (base + low as u16, mask >> low);
        if mask & mask.wrapping_add(1) == 0 {
            return Placement::run(base, mask.count_ones() as u16);
        }
        assert!(mask < 1 << Placement::LANES && base + (32 - mask.leading_zeros()) as u16 <= MAX_UNITS);
        Placement { base: base as u8, code: HOLES | mask as u8 }
    }

    /// Bit `i` for each unit `base + i`.
    const fn bits(&self) -> u32 {
        match self.code {
            n if n & HOLES != 0 => (n & !HOLES) as u32,
            n => ((1u64 << n) - 1) as u32,
        }
    }

    /// Whether this is [`Placement::NONE`].
    pub const fn is_none(&self) -> bool {
        self.code == 0
    }

    /// The lowest unit of the placement.
    pub const fn base(&self) -> u16 {
        self.base as u16
    }

    /// One more than the highest unit of the placement; 0 of none.
    pub const fn end(&self) -> u16 {
        self.base as u16 + (32 - self.bits().leading_zeros()) as u16
    }

    /// Number of units that it covers.
    pub const fn len(&self) -> u16 {
        if self.is_run() { self.code as u16 } else { (self.code & !HOLES).count_ones() as u16 }
    }

    /// Whether it has no units.
    pub const fn is_empty(&self) -> bool {
        self.is_none()
    }

    /// Whether the units follow each other without a hole.
    pub const fn is_run(&self) -> bool {
        self.code & HOLES == 0
    }

    /// The unit of component `i`.
    ///
    /// # Panics
    /// When there is no such component.
    pub fn unit(&self, i: u16) -> u16 {
        assert!(i < self.len(), "{self:?} has no component {i}");
        if self.is_run() {
            return self.base() + i;
        }
        let mut m = self.bits();
        for _ in 0..i {
            m &= m - 1;
        }
        self.base() + m.trailing_zeros() as u16
    }

    /// The units, by component.
    pub fn units(&self) -> impl Iterator<Item = u16> + use<> {
        let (base, mut m) = (self.base(), self.bits());
        core::iter::from_fn(move || {
            if m == 0 {
                return None;
            }
            let bit = m.trailing_zeros();
            m &= m - 1;
            Some(base + bit as u16)
        })
    }

    /// The placement of components `first..first + count`.
    ///
    /// # Panics
    /// When there are no such components or `count` is 0.
    #[must_use]
    pub fn part(&self, first: u16, count: u16) -> Placement {
        assert!(count > 0 && first + count <= self.len(), "{self:?} has no part {first}+{count}");
        if self.is_run() {
            return Placement::run(self.base() + first, count);
        }
        let mut mask = 0;
        for u in self.units().skip(first as usize).take(count as usize) {
            mask |= 1 << (u - self.base());
        }
        Placement::mask(self.base(), mask)
    }

    /// The number of the row, in a file of rows of `row` units.
    pub const fn row(&self, row: u16) -> u16 {
        self.base() / row
    }

    /// The lanes of the row as a mask, in a file of rows of `row` units.
    pub const fn lanes(&self, row: u16) -> u32 {
        self.bits() << (self.base() % row)
    }

    /// The word of a set that the first unit is in, the bits of that word, and those of the next, which are none behind the last word:
    /// no placement leaves the largest file.
    const fn words(&self) -> (usize, u64, u64) {
        let (w, b) = (self.base as usize / 64, self.base % 64);
        let m = self.bits() as u64;
        // Two shifts, since one by 64 is none.
        (w, m << b, m >> 1 >> (63 - b))
    }

    /// The units as a set.
    pub fn set(&self) -> UnitSet {
        let mut s = UnitSet::EMPTY;
        s.add(*self);
        s
    }

    /// Whether the two share a unit.
    pub fn overlaps(&self, o: Placement) -> bool {
        let (a, b) = if self.base <= o.base { (self, o) } else { (&o, *self) };
        let distance = (b.base - a.base) as u32;
        distance < 32 && a.bits() >> distance & b.bits() != 0
    }
}

impl PartialOrd for Placement {
    fn partial_cmp(&self, o: &Placement) -> Option<core::cmp::Ordering> {
        Some(self.cmp(o))
    }
}

impl Ord for Placement {
    fn cmp(&self, o: &Placement) -> core::cmp::Ordering {
        (self.base, self.bits()).cmp(&(o.base, o.bits()))
    }
}

impl fmt::Debug for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() {
            return write!(f, "none");
        }
        if self.is_run() {
            return match self.len() {
                1 => write!(f, "{}", self.base()),
                n => write!(f, "{}..{}", self.base(), self.base() + n),
            };
        }
        f.debug_set().entries(self.units()).finish()
    }
}
