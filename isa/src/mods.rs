//! Values of modifiers as numbers, for texts of code before it is encoded.

/// A value that a modifier can have.
pub trait ModValue: Copy + PartialEq {
    /// As a number.
    fn bits(self) -> u32;

    /// The value of a number, if it is one.
    fn from_bits(bits: u32) -> Option<Self>;
}

impl ModValue for bool {
    fn bits(self) -> u32 {
        u32::from(self)
    }
    fn from_bits(bits: u32) -> Option<Self> {
        (bits < 2).then_some(bits == 1)
    }
}

macro_rules! number {
    ($($t:ty),*) => {$(
        impl ModValue for $t {
            fn bits(self) -> u32 {
                self.into()
            }
            fn from_bits(bits: u32) -> Option<Self> {
                bits.try_into().ok()
            }
        }
    )*};
}
number!(u8, u16, u32);

/// Four small numbers, the first in the lowest byte: what a swizzle reads.
impl ModValue for [u8; 4] {
    fn bits(self) -> u32 {
        u32::from_le_bytes(self)
    }
    fn from_bits(bits: u32) -> Option<Self> {
        Some(bits.to_le_bytes())
    }
}

/// Implements [`ModValue`](crate::ModValue) for an enum without data, by the place of each variant in the list.
#[macro_export]
macro_rules! mod_values {
    ($t:ident { $($variant:ident),* $(,)? }) => {
        impl $crate::ModValue for $t {
            fn bits(self) -> u32 {
                let all = [$($t::$variant),*];
                all.iter().position(|v| *v == self).unwrap_or(all.len()) as u32
            }

            fn from_bits(bits: u32) -> Option<Self> {
                [$($t::$variant),*].get(bits as usize).copied()
            }
        }
    };
}
