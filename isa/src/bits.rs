//! Bit fields of instruction words, contiguous or split.

/// An instruction of up to 16 bytes; bit 0 is the lowest bit of the first byte in memory.
pub type Word = u128;

/// A run of bits: `width` bits from bit `lo`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seg {
    /// Lowest bit of the segment, counted from bit 0 of the word.
    pub lo: u8,
    /// Number of bits in the segment; 0 in unused entries.
    pub width: u8,
}

const NONE: Seg = Seg { lo: 0, width: 0 };

/// A value spread over up to six runs of bits, the least significant run first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    /// Those of no bits come last.
    segs: [Seg; 6],
    width: u8,
}

impl Field {
    /// A field of `width` contiguous bits (1 to 32) from bit `lo` on.
    pub const fn new(lo: u8, width: u8) -> Field {
        assert!(width > 0 && width <= 32 && lo as u32 + width as u32 <= 128);
        Field { segs: [Seg { lo, width }, NONE, NONE, NONE, NONE, NONE], width }
    }

    /// A split field: `(lo, width)` runs, least significant first, 32 bits in all at most.
    pub const fn split(parts: &[(u8, u8)]) -> Field {
        assert!(!parts.is_empty() && parts.len() <= 6);
        let mut segs = [NONE; 6];
        let mut i = 0;
        let mut total = 0u32;
        while i < parts.len() {
            segs[i] = Seg { lo: parts[i].0, width: parts[i].1 };
            assert!(parts[i].1 > 0 && parts[i].0 as u32 + parts[i].1 as u32 <= 128);
            total += parts[i].1 as u32;
            i += 1;
        }
        assert!(total <= 32);
        Field { segs, width: total as u8 }
    }

    /// A field of no bits: its value is always 0 (operands that are implied but printed).
    pub const fn none() -> Field {
        Field { segs: [NONE; 6], width: 0 }
    }

    /// The runs, least significant first.
    pub fn segs(&self) -> impl Iterator<Item = Seg> + '_ {
        self.segs.iter().copied().filter(|s| s.width > 0)
    }

    /// Number of bits in all segments together.
    pub const fn width(&self) -> u32 {
        self.width as u32
    }

    /// The bits that the field occupies.
    pub const fn mask(&self) -> Word {
        let mut m = 0;
        let mut i = 0;
        while i < 6 && self.segs[i].width > 0 {
            m |= ((1u128 << self.segs[i].width) - 1) << self.segs[i].lo;
            i += 1;
        }
        m
    }

    /// The largest value that fits.
    pub const fn max(&self) -> u32 {
        ((1u64 << self.width()) - 1) as u32
    }

    /// Reads the field's segments from a word and joins them to one number.
    pub const fn get(&self, w: Word) -> u32 {
        // Nearly all fields are in one piece.
        if self.segs[1].width == 0 {
            return (w >> self.segs[0].lo) as u32 & self.max();
        }
        let mut v = 0u64;
        let mut at = 0;
        let mut i = 0;
        while i < 6 && self.segs[i].width > 0 {
            let s = self.segs[i];
            let part = (w >> s.lo) as u64 & ((1u64 << s.width) - 1);
            v |= part << at;
            at += s.width as u32;
            i += 1;
        }
        v as u32
    }

    /// The word with only this field set to `v`.
    ///
    /// # Panics
    /// When `v` does not fit: a silently truncated field would be a wrong program.
    pub const fn put(&self, v: u32) -> Word {
        assert!(v <= self.max(), "value does not fit its field");
        if self.segs[1].width == 0 {
            return (v as Word) << self.segs[0].lo;
        }
        let mut w = 0;
        let mut rest = v as u64;
        let mut i = 0;
        while i < 6 && self.segs[i].width > 0 {
            let s = self.segs[i];
            w |= ((rest & ((1u64 << s.width) - 1)) as u128) << s.lo;
            rest >>= s.width;
            i += 1;
        }
        w
    }
}
