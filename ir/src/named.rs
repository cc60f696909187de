//! Enumerations whose variants have names in the text form.

/// An enumeration without data, with the name of each variant: `ALL`, `name`, `parse`, `Display`. Further derives and attributes stand
/// before its name, `#[default]` before a variant. The doc of a variant may stand behind its name, as a text.
macro_rules! named_enum {
    ($(#[$m:meta])* $name:ident { $( $(#[$vm:meta])* $var:ident = $text:literal $($doc:literal)?, )* }) => {
        $(#[$m])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum $name { $( $(#[$vm])* $(#[doc = $doc])? $var, )* }
        impl $name {
            /// Every variant, by its number.
            pub const ALL: &'static [$name] = &[ $( $name::$var, )* ];
            /// The name as printed.
            pub const fn name(self) -> &'static str {
                match self { $( $name::$var => $text, )* }
            }
            /// The variant of this name.
            pub fn parse(s: &str) -> Option<$name> {
                match s { $( $text => Some($name::$var), )* _ => None }
            }
        }
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}
pub(crate) use named_enum;
