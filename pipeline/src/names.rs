//! Enumerations whose variants have a name in WebGPU.

/// Declares an enumeration with `ALL`, `name` and `parse`.
macro_rules! named {
    ($(#[$meta:meta])* $type:ident { $($(#[$note:meta])* $variant:ident $name:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $type { $($(#[$note])* $variant,)* }

        impl $type {
            /// Every value, in order of declaration.
            pub const ALL: &'static [$type] = &[$($type::$variant),*];

            /// WebGPU's name of the value.
            pub fn name(self) -> &'static str {
                match self { $($type::$variant => $name),* }
            }

            /// The value of a WebGPU name.
            pub fn parse(name: &str) -> Option<$type> {
                $type::ALL.iter().copied().find(|v| v.name() == name)
            }
        }
    };
}

pub(crate) use named;
