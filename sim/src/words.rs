//! Words of hardware descriptors, declared field by field.
//!
//! A declaration gives readers and writers of the fields, a list of all of them, text for people, and a check of the bits that are
//! reserved. The driver part that writes a descriptor and the machine that reads it declare it apart, each from the reference:
//! they share the macro, not the rows.

use std::fmt;

use crate::trap::{Trap, TrapKind};

/// Words as they lie in memory.
pub fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// A field of a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name in the reference; nothing where the bits are its name.
    pub name: &'static str,
    /// Word it lies in.
    pub word: usize,
    /// Its lowest bit in the word.
    pub low: u32,
    /// The bit behind its highest.
    pub end: u32,
    /// The number that is taken off a value before it is stored: 1 of sizes that cannot be 0.
    pub minus: u32,
    /// Whether nothing but 0 may stand there.
    pub reserved: bool,
}

impl Field {
    /// Its bits in its word.
    pub const fn mask(&self) -> u32 {
        (u32::MAX >> (32 - (self.end - self.low))) << self.low
    }

    /// Its bits as a number, without what was taken off.
    pub const fn stored(&self, words: &[u32]) -> u32 {
        (words[self.word] & self.mask()) >> self.low
    }

    /// Value of the field, with what was taken off.
    pub const fn get(&self, words: &[u32]) -> u32 {
        self.stored(words) + self.minus
    }

    /// Puts a value in; bits that have no room are dropped.
    pub fn set(&self, words: &mut [u32], value: u32) {
        let bits = value.wrapping_sub(self.minus) << self.low & self.mask();
        words[self.word] = words[self.word] & !self.mask() | bits;
    }

    /// Its name in a descriptor of so many words.
    pub fn label(&self, words: usize) -> String {
        let of = if words > 1 { format!(" of word {}", self.word) } else { String::new() };
        match self.end - self.low {
            _ if !self.name.is_empty() => self.name.into(),
            32 => format!("word {}", self.word),
            1 => format!("[{}]{of}", self.low),
            _ => format!("[{}:{}]{of}", self.end - 1, self.low),
        }
    }

    /// Whether a value has room.
    pub const fn holds(&self, value: u32) -> bool {
        value >= self.minus && value - self.minus <= self.mask() >> self.low
    }
}

/// Traps where a reserved field of the descriptor called `what` is not 0, and names it.
///
/// # Errors
/// The first such field.
pub fn check_reserved(what: &str, fields: &[Field], words: &[u32]) -> Result<(), Trap> {
    for f in fields.iter().filter(|f| f.reserved && f.word < words.len()) {
        let value = f.stored(words);
        if value != 0 {
            let label = f.label(words.len());
            return Err(Trap::new(TrapKind::Reserved, format!("{what} field {label} has the value {value:#x}")));
        }
    }
    Ok(())
}

/// The fields that are not 0, in a line.
///
/// # Errors
/// Those of the formatter.
pub fn show(what: &str, fields: &[Field], words: &[u32], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "{what}")?;
    let mut lead = ": ";
    for field in fields.iter().filter(|x| x.stored(words) != 0 || x.minus != 0 && words[x.word] != 0) {
        let value = field.get(words);
        write!(f, "{lead}{} ", field.label(words.len()))?;
        if value < 256 {
            write!(f, "{value}")?
        } else {
            write!(f, "{value:#x}")?
        }
        lead = ", ";
    }
    if lead == ": " { f.write_str(": zeros") } else { Ok(()) }
}

/// Whether no two fields share a bit, and all lie inside of `words`.
pub const fn is_sound(fields: &[Field], words: usize) -> bool {
    let mut k = 0;
    while k < fields.len() {
        let a = &fields[k];
        if a.word >= words || a.low >= a.end || a.end > 32 {
            return false;
        }
        let mut n = 0;
        while n < k {
            if fields[n].word == a.word && fields[n].mask() & a.mask() != 0 {
                return false;
            }
            n += 1;
        }
        k += 1;
    }
    true
}

/// Bits of a word that no field has; none of words that are `open`, from the first to the one behind the last.
const fn free_bits(named: &[Field], word: usize, open: &[(usize, usize)]) -> u32 {
    let (mut free, mut k) = (u32::MAX, 0);
    while k < open.len() {
        if open[k].0 <= word && word < open[k].1 {
            return 0;
        }
        k += 1;
    }
    k = 0;
    while k < named.len() {
        if named[k].word == word {
            free &= !named[k].mask();
        }
        k += 1;
    }
    free
}

/// The number of runs of bits that no field has.
pub const fn runs_of_rest(named: &[Field], words: usize, open: &[(usize, usize)]) -> usize {
    let (mut count, mut word) = (0, 0);
    while word < words {
        let free = free_bits(named, word, open);
        count += (free & !(free << 1)).count_ones() as usize;
        word += 1;
    }
    count
}

/// The fields, and each run of bits that none of them has as one that is reserved.
pub const fn with_rest<const N: usize>(named: &[Field], words: usize, open: &[(usize, usize)]) -> [Field; N] {
    let mut all = [Field { name: "", word: 0, low: 0, end: 0, minus: 0, reserved: true }; N];
    let (mut count, mut word) = (0, 0);
    while count < named.len() {
        all[count] = named[count];
        count += 1;
    }
    while word < words {
        let mut free = free_bits(named, word, open);
        while free != 0 {
            let low = free.trailing_zeros();
            let end = low + (!(free >> low)).trailing_zeros();
            all[count] = Field { name: "", word, low, end, minus: 0, reserved: true };
            count += 1;
            free &= !all[count - 1].mask();
        }
        word += 1;
    }
    all
}

/// Declares a descriptor:
///
/// ```
/// gpucc_sim::words! {
///     /// A sampler.
///     pub struct SamplerWords[2] = "sampler" {
///         CLAMP_X clamp_x: 0[0..3];
///         SIZE size: 0[3..16] minus 1;
///         LOD_MAX lod_max: 1[0..12];
///         reserved "[31:12] of word 1": 1[12..32];
///     }
/// }
/// let s = SamplerWords::default().with(SamplerWords::SIZE, 5);
/// assert_eq!((s.size(), s.0[0]), (5, 4 << 3));
/// ```
///
/// `= "sampler", the rest reserved {` says that nothing but 0 may stand where no field is, and `the rest reserved but for words 2..6 {` that of
/// these the machine looks itself, if at all. The type wraps its words. Each field is a constant of its type and a reader; `with` writes one, `reserved` is the check,
/// `Display` the text. Fields that overlap do not compile.
#[macro_export]
macro_rules! words {
    ($(#[$meta:meta])* $vis:vis struct $name:ident[$count:literal] = $what:literal
        $(, the $rest:ident reserved $(but for words $($from:literal .. $to:literal),+)?)? {
        $($rows:tt)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis struct $name(
            /// The words, the first one lowest.
            pub [u32; $count],
        );

        // Derived it would end at 32 words.
        impl Default for $name {
            fn default() -> Self {
                $name([0; $count])
            }
        }

        #[allow(dead_code)]
        impl $name {
            /// The name in messages.
            pub const WHAT: &'static str = $what;
            /// The field with a value in it; bits that have no room are dropped.
            #[must_use]
            pub fn with(mut self, field: $crate::words::Field, value: u32) -> Self {
                debug_assert!(field.holds(value), "{} {} = {value:#x}", Self::WHAT, field.name);
                field.set(&mut self.0, value);
                self
            }
            /// Traps where a reserved field is not 0.
            ///
            /// # Errors
            /// The first such field, by name.
            pub fn reserved(&self) -> Result<(), $crate::Trap> {
                $crate::words::check_reserved(Self::WHAT, Self::FIELDS, &self.0)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                $crate::words::show(Self::WHAT, Self::FIELDS, &self.0, f)
            }
        }

        $crate::words!(@rows $name [$($rest [$($(($from, $to)),+)?])? $count] [] $($rows)*);
        const _: () = assert!($crate::words::is_sound($name::FIELDS, $count), "fields overlap or lie outside");
    };
    (@rows $name:ident [$count:literal] [$($done:expr,)*]) => {
        impl $name {
            /// All fields, the reserved ones among them.
            pub const FIELDS: &'static [$crate::words::Field] = &[$($done,)*];
        }
    };
    (@rows $name:ident [rest $open:tt $count:literal] [$($done:expr,)*]) => {
        impl $name {
            const NAMED: &'static [$crate::words::Field] = &[$($done,)*];
            const ALL: usize = Self::NAMED.len() + $crate::words::runs_of_rest(Self::NAMED, $count, &$open);
            /// All fields, the reserved ones among them.
            pub const FIELDS: &'static [$crate::words::Field] =
                &$crate::words::with_rest::<{ Self::ALL }>(Self::NAMED, $count, &$open);
        }
    };
    (@rows $name:ident $of:tt [$($done:expr,)*]
        reserved $text:literal : $word:literal[$low:literal .. $end:literal]; $($rest:tt)*) => {
        $crate::words!(@rows $name $of [$($done,)* $crate::words::Field {
            name: $text, word: $word, low: $low, end: $end, minus: 0, reserved: true,
        },] $($rest)*);
    };
    (@rows $name:ident $of:tt [$($done:expr,)*]
        $field:ident $get:ident : $word:literal[$low:literal .. $end:literal] $(minus $minus:literal)?; $($rest:tt)*) => {
        #[allow(dead_code)]
        impl $name {
            #[doc = concat!("Field ", stringify!($field), ".")]
            pub const $field: $crate::words::Field = $crate::words::Field {
                name: stringify!($field), word: $word, low: $low, end: $end, minus: 0 $(+ $minus)?, reserved: false,
            };
            #[doc = concat!("The value of ", stringify!($field), ".")]
            pub const fn $get(&self) -> u32 {
                Self::$field.get(&self.0)
            }
        }
        $crate::words!(@rows $name $of [$($done,)* $name::$field,] $($rest)*);
    };
}
