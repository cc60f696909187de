//! Values of modifiers as numbers, for texts of code before it is encoded.

/// A value that a modifier can have.
pub trait ModValue: Copy + PartialEq {
    /// The value as a number, as the encoding holds it.
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

/// Declares enums whose variants are numbered as the encoding numbers them, with [`ModValue`](crate::ModValue) for each.
///
/// `Name { Variant = 0 "doc", .. }`, several in a row, each with its documentation.
#[macro_export]
macro_rules! numbered_values {
    ($($(#[$doc:meta])* $name:ident { $($variant:ident = $number:literal $what:literal,)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        #[repr(u8)]
        pub enum $name { $(#[doc = $what] $variant = $number,)* }

        impl $crate::ModValue for $name {
            fn bits(self) -> u32 {
                self as u32
            }
            fn from_bits(bits: u32) -> Option<Self> {
                match bits {
                    $($number => Some($name::$variant),)*
                    _ => None,
                }
            }
        }
    )*};
}

/// [`numbered_values!`](crate::numbered_values) with what listings call each value.
///
/// `Name 4 { Variant = 0 "text" "doc", .. }`: the count is that of the numbers that the field can hold. `Name::NAMES` has the text
/// of each number, empty where the number has no meaning.
#[macro_export]
macro_rules! named_values {
    ($($(#[$doc:meta])* $name:ident $count:literal { $($variant:ident = $number:literal $text:literal $what:literal,)* })*) => {$(
        $crate::numbered_values! {
            $(#[$doc])*
            $name { $($variant = $number $what,)* }
        }

        impl $name {
            /// Names by number; empty where the number has no meaning.
            pub const NAMES: [&'static str; $count] = {
                let mut names = [""; $count];
                $(names[$number] = $text;)*
                names
            };
        }
    )*};
}
