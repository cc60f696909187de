//! Source operands: raw values, LUT, specials (section 2 of the ISA reference).

use crate::kind::SrcKind;

/// The 32 immediates that every source byte can name (section 2.1).
#[rustfmt::skip]
pub const LUT: [u32; 32] = [
    0x0000_0000, 0xFFFF_FFFF, 0x7FFF_FFFF, 0xFAFC_FDFE, 0x0100_0000, 0x8000_2000, 0x7060_5030, 0xC0B0_A090,
    0x0302_0100, 0x0706_0504, 0x0B0A_0908, 0x0F0E_0D0C, 0x1312_1110, 0x1716_1514, 0x1B1A_1918, 0x1F1E_1D1C,
    0x3F80_0000, 0x3DCC_CCCD, 0x3EA2_F983, 0x3F31_7218, 0x4049_0FDB, 0x0000_0000, 0x477F_FF00, 0x5C00_5BF8,
    0x2E66_0000, 0x3400_0000, 0x3800_0000, 0x3C00_0000, 0x4000_0000, 0x4400_0000, 0x4800_0000, 0x4248_0000,
];

/// A special FAU entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Special {
    /// Name of the special, as printed.
    pub name: &'static str,
    /// FAU page that has it.
    pub page: u8,
    /// Source byte of its low word; the high word is the next one.
    pub byte: u8,
}

macro_rules! specials {
    ($($(#[$doc:meta])* $id:ident $name:literal $page:literal $byte:literal;)*) => {
        $($(#[$doc])* pub const $id: Special = Special { name: $name, page: $page, byte: $byte };)*
        /// All specials, in the order of declaration.
        pub const SPECIALS: &[Special] = &[$($id),*];
    };
}

specials! {
    /// Warp id and warps per core less one.
    WARP_ID "warp_id" 0 0xE4;
    /// Bounding box maximum.
    FRAMEBUFFER_SIZE "framebuffer_size" 0 0xE8;
    /// Operand of ATEST.
    ATEST_DATUM "atest_datum" 0 0xEA;
    /// Pointer to the sample positions.
    SAMPLE "sample" 0 0xEC;
    /// Blend descriptor of render target 0.
    BLEND_DESCRIPTOR_0 "blend_descriptor_0" 0 0xF0;
    /// Blend descriptor of render target 1.
    BLEND_DESCRIPTOR_1 "blend_descriptor_1" 0 0xF2;
    /// Blend descriptor of render target 2.
    BLEND_DESCRIPTOR_2 "blend_descriptor_2" 0 0xF4;
    /// Blend descriptor of render target 3.
    BLEND_DESCRIPTOR_3 "blend_descriptor_3" 0 0xF6;
    /// Blend descriptor of render target 4.
    BLEND_DESCRIPTOR_4 "blend_descriptor_4" 0 0xF8;
    /// Blend descriptor of render target 5.
    BLEND_DESCRIPTOR_5 "blend_descriptor_5" 0 0xFA;
    /// Blend descriptor of render target 6.
    BLEND_DESCRIPTOR_6 "blend_descriptor_6" 0 0xFC;
    /// Blend descriptor of render target 7.
    BLEND_DESCRIPTOR_7 "blend_descriptor_7" 0 0xFE;
    /// Base of private memory.
    THREAD_LOCAL_POINTER "thread_local_pointer" 1 0xE2;
    /// Base of workgroup memory.
    WORKGROUP_LOCAL_POINTER "workgroup_local_pointer" 1 0xE6;
    /// Base of the resource tables.
    RESOURCE_TABLE_POINTER "resource_table_pointer" 1 0xEE;
    /// Lane in the warp.
    LANE_ID "lane_id" 3 0xE2;
    /// Core number.
    CORE_ID "core_id" 3 0xE6;
    /// Address of the next instruction.
    PROGRAM_COUNTER "program_counter" 3 0xFE;
}

/// The operand that a source byte names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    /// Register, and whether this is its last use.
    Reg(u8, bool),
    /// Uniform word.
    Uniform(u8),
    /// LUT entry.
    Lut(u8),
    /// Special and half (0 low, 1 high word).
    Special(Special, u8),
    /// A special that has no name on this page.
    Reserved,
}

/// Reads a source byte under an FAU page.
pub fn operand(byte: u8, page: u8) -> Operand {
    match byte {
        0..=0x3F => Operand::Reg(byte, false),
        0x40..=0x7F => Operand::Reg(byte & 0x3F, true),
        0x80..=0xBF => Operand::Uniform(page << 6 | (byte & 0x3F)),
        0xC0..=0xDF => Operand::Lut(byte & 0x1F),
        0xE0..=0xFF => match SPECIALS.iter().find(|s| s.page == page && s.byte == byte & !1) {
            Some(&s) => Operand::Special(s, byte & 1),
            None => Operand::Reserved,
        },
    }
}

/// A source operand with its modifiers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Src {
    /// The source byte of the instruction.
    pub byte: u8,
    /// FAU page that the byte needs; `None` for registers, which are on every page.
    pub page: Option<u8>,
    /// Negation, after the absolute value.
    pub neg: bool,
    /// Absolute value of the source.
    pub abs: bool,
    /// Bitwise complement of the source.
    pub not: bool,
    /// Value of the swizzle field; `None` is the identity of the slot's kind.
    pub swizzle: Option<u8>,
}

impl Src {
    const fn plain(byte: u8, page: Option<u8>) -> Src {
        Src { byte, page, neg: false, abs: false, not: false, swizzle: None }
    }
    /// Marks the last use of a register.
    #[must_use]
    pub const fn last(mut self) -> Src {
        assert!(self.byte < 0x80, "only registers have a last use");
        self.byte |= 0x40;
        self
    }
    /// The source with the other sign.
    #[must_use]
    pub const fn neg(mut self) -> Src {
        self.neg = !self.neg;
        self
    }
    /// Takes the absolute value (before the sign).
    #[must_use]
    pub const fn abs(mut self) -> Src {
        self.abs = true;
        self
    }
    /// The source with its bits complemented.
    #[must_use]
    pub const fn not(mut self) -> Src {
        self.not = !self.not;
        self
    }
    /// Sets the swizzle field; see [`swz`].
    #[must_use]
    pub const fn swizzle(mut self, value: u8) -> Src {
        self.swizzle = Some(value);
        self
    }
    /// The operand that the byte names.
    pub fn operand(&self) -> Operand {
        operand(self.byte, self.page.unwrap_or(0))
    }

    /// Raw slot value; `None` when the kind lacks a modifier that is set.
    pub fn pack(&self, kind: SrcKind) -> Option<u32> {
        let m = kind.mods;
        if (self.neg || self.abs) && !m.has_neg_abs() || self.not && m != crate::kind::SrcMods::Not {
            return None;
        }
        let mut raw = self.byte as u32;
        let mut at = 8;
        if m.has_neg_abs() {
            raw |= (self.neg as u32) << 8 | (self.abs as u32) << 9;
            at = 10;
        }
        match (m.swizzle(), self.swizzle) {
            (Some(def), s) => {
                let s = s.unwrap_or(m.identity());
                def.value(s as u32)?;
                raw |= (s as u32) << at;
            }
            (None, Some(_)) => return None,
            (None, None) => {}
        }
        if m == crate::kind::SrcMods::Not {
            raw |= (self.not as u32) << 8;
        }
        Some(raw)
    }

    /// The inverse of [`pack`](Src::pack).
    pub fn unpack(kind: SrcKind, raw: u32, page: u8) -> Src {
        let m = kind.mods;
        let byte = raw as u8;
        let mut s = Src::plain(byte, (byte >= 0x80).then_some(page));
        let mut at = 8;
        if m.has_neg_abs() {
            s.neg = raw >> 8 & 1 != 0;
            s.abs = raw >> 9 & 1 != 0;
            at = 10;
        }
        if m.swizzle_width() > 0 {
            s.swizzle = Some((raw >> at & ((1 << m.swizzle_width()) - 1)) as u8);
        }
        if m == crate::kind::SrcMods::Not {
            s.not = raw >> 8 & 1 != 0;
        }
        s
    }
}

/// Whether a raw source value has no meaning on this page.
pub(crate) fn is_reserved(kind: SrcKind, raw: u32, page: u32) -> bool {
    let s = Src::unpack(kind, raw, page as u8);
    let swizzle_bad = match (kind.mods.swizzle(), s.swizzle) {
        (Some(def), Some(v)) => def.value(v as u32).is_none(),
        _ => false,
    };
    swizzle_bad || operand(s.byte, page as u8) == Operand::Reserved
}

/// Register `n`, read as a whole.
pub const fn reg(n: u8) -> Src {
    assert!(n < 64);
    Src::plain(n, None)
}

/// Uniform word `n` of the FAU, 0 to 255.
pub const fn uniform(n: u8) -> Src {
    Src::plain(0x80 | (n & 0x3F), Some(n >> 6))
}

/// Entry `i` of the table of constants.
pub const fn lut_entry(i: u8) -> Src {
    assert!(i < 32);
    Src::plain(0xC0 | i, Some(0))
}

/// The LUT entry that is exactly `value`, if there is one.
pub fn lut(value: u32) -> Option<Src> {
    LUT.iter().position(|&v| v == value).map(|i| lut_entry(i as u8))
}

/// The constant zero, which is entry 0 of the table.
pub const fn zero() -> Src {
    lut_entry(0)
}

/// A word of a special (`half` 0 is the low one, and the form of 64-bit operands).
pub const fn special(s: Special, half: u8) -> Src {
    assert!(half < 2);
    Src::plain(s.byte + half, Some(s.page))
}

/// Swizzle field values by what they select.
pub mod swz {
    /// Low word of a 64-bit source, extended.
    pub const W0: u8 = 8;
}
