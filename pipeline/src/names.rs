//! Enumerations whose variants have a name in texts.

/// Declares an enumeration with `ALL`, `name` and `parse`: each variant with its name and, behind it or above, its documentation.
#[macro_export]
macro_rules! named {
    ($(#[$meta:meta])* $type:ident { $($(#[$note:meta])* $variant:ident $name:literal $($doc:literal)?,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $type { $($(#[$note])* $(#[doc = $doc])? $variant,)* }

        impl $type {
            /// Every value, in order of declaration.
            pub const ALL: &'static [$type] = &[$($type::$variant),*];

            /// Name of the value in texts.
            pub const fn name(self) -> &'static str {
                match self { $($type::$variant => $name),* }
            }

            /// The value of a name.
            pub fn parse(name: &str) -> Option<$type> {
                $type::ALL.iter().copied().find(|v| v.name() == name)
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}
