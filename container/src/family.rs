//! Words of the metadata that a family gives a meaning.

/// Declares the words of a family: a field for each, in the order of the container, with its name in texts. Words that a container lacks are 0.
#[macro_export]
macro_rules! family_words {
    ($(#[$note:meta])* $type:ident { $($(#[$field_note:meta])* $field:ident $name:literal,)* }) => {
        $(#[$note])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $type { $($(#[$field_note])* pub $field: u32,)* }

        impl $type {
            /// Names of the words, in the order of the container.
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            /// The words of an entry or program.
            pub fn of(meta: &$crate::Meta) -> $type {
                let mut words = meta.family_words.iter().copied();
                $type { $($field: words.next().unwrap_or(0)),* }
            }

            /// The words as the container has them.
            pub fn to_words(self) -> Vec<u32> {
                vec![$(self.$field),*]
            }

            /// The name of a word by its number.
            pub fn name(number: usize, _stage: u8) -> Option<String> {
                $type::NAMES.get(number).map(|name| name.to_string())
            }
        }
    };
}
