//! Modifiers as names and numbers: how dumps print them and the parser reads them back.

/// Modifiers of an instruction or of a source.
pub trait Fields: Default {
    /// Name and number of each that differs from the default, always in the same order.
    fn each(&self, say: &mut dyn FnMut(&'static str, u32));

    /// Sets one by name. `false` where there is none of that name, or it cannot have that value.
    fn set(&mut self, name: &str, bits: u32) -> bool;
}

/// No fields, for targets without modifiers.
impl Fields for () {
    fn each(&self, _say: &mut dyn FnMut(&'static str, u32)) {}

    fn set(&mut self, _name: &str, _bits: u32) -> bool {
        false
    }
}

/// Implements [`Fields`](crate::Fields) for a struct whose listed fields are all it has.
#[macro_export]
macro_rules! fields {
    ($t:ty { $($field:ident),* $(,)? }) => {
        impl $crate::Fields for $t {
            fn each(&self, say: &mut dyn FnMut(&'static str, u32)) {
                let Self { $($field),* } = self;
                let normal = <$t>::default();
                $(if *$field != normal.$field {
                    say(stringify!($field), $crate::ModValue::bits(*$field));
                })*
            }

            fn set(&mut self, name: &str, bits: u32) -> bool {
                match name {
                    $(stringify!($field) => {
                        let value = $crate::ModValue::from_bits(bits);
                        if let Some(value) = value {
                            self.$field = value;
                        }
                        value.is_some()
                    })*
                    _ => false,
                }
            }
        }
    };
}
