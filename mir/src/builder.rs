//! Builders: which modifiers an opcode takes and how many sources, checked when the compiler itself is compiled.
//!
//! A family declares its modifiers with [`modifiers!`](crate::modifiers) and names the rows that selection uses with
//! [`builders!`](crate::builders); number of sources and sets of modifiers come from the rows by `const` functions of the
//! family. An array of another length, a modifier that no row of the opcode has and a missing one without a silent value do
//! not compile.

use crate::inst::{MInst, Target, Use};

/// A modifier with its value.
pub trait Modifier<T: Target>: Copy {
    /// The bit that stands for it in sets of modifiers.
    const BIT: u64;

    /// Writes the value.
    fn put(self, mods: &mut T::Mods);
}

/// Some modifiers with their values: a tuple.
pub trait Modifiers<T: Target> {
    /// Which.
    const SET: u64;

    /// Writes the values.
    fn put(self, mods: &mut T::Mods);
}

macro_rules! tuples {
    ($(($($m:ident $i:tt),*);)*) => {$(
        impl<T: Target, $($m: Modifier<T>),*> Modifiers<T> for ($($m,)*) {
            const SET: u64 = 0 $(| $m::BIT)*;

            #[inline]
            fn put(self, mods: &mut T::Mods) {
                let _ = &mods;
                $(self.$i.put(mods);)*
            }
        }
    )*};
}
tuples! {
    ();
    (A 0);
    (A 0, B 1);
    (A 0, B 1, C 2);
    (A 0, B 1, C 2, D 3);
    (A 0, B 1, C 2, D 3, E 4);
    (A 0, B 1, C 2, D 3, E 4, G 5);
    (A 0, B 1, C 2, D 3, E 4, G 5, H 6);
    (A 0, B 1, C 2, D 3, E 4, G 5, H 6, I 7);
    (A 0, B 1, C 2, D 3, E 4, G 5, H 6, I 7, J 8);
    (A 0, B 1, C 2, D 3, E 4, G 5, H 6, I 7, J 8, K 9);
}

/// An opcode with as many sources, modifiers that must be given, and modifiers that may be.
pub struct Builder<T: Target, const SOURCES: usize, const NEEDS: u64, const TAKES: u64> {
    /// The opcode of the instructions that it builds.
    pub op: T::Op,
}

impl<T: Target, const SOURCES: usize, const NEEDS: u64, const TAKES: u64> Clone for Builder<T, SOURCES, NEEDS, TAKES> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Target, const SOURCES: usize, const NEEDS: u64, const TAKES: u64> Copy for Builder<T, SOURCES, NEEDS, TAKES> {}

impl<T: Target, const SOURCES: usize, const NEEDS: u64, const TAKES: u64> Builder<T, SOURCES, NEEDS, TAKES> {
    /// A builder of an opcode's instructions. The numbers are for [`builders!`](crate::builders) to find.
    pub const fn new(op: T::Op) -> Self {
        Builder { op }
    }

    /// The instruction with all modifiers silent.
    #[inline]
    pub fn on(self, uses: [Use<T>; SOURCES]) -> MInst<T> {
        self.with((), uses)
    }

    /// The instruction with modifiers.
    #[inline]
    pub fn with<M: Modifiers<T>>(self, mods: M, uses: [Use<T>; SOURCES]) -> MInst<T> {
        const {
            assert!(M::SET & !TAKES == 0, "no row of the opcode has such a modifier");
            assert!(NEEDS & !M::SET == 0, "a modifier without a silent value is missing");
        }
        let mut i = MInst::new(self.op).args(uses);
        mods.put(&mut i.mods);
        i
    }

    /// The same with fewer modifiers that may be given, so that several opcodes have one type.
    pub const fn narrow<const FEWER: u64>(self) -> Builder<T, SOURCES, NEEDS, FEWER> {
        const {
            assert!(FEWER & !TAKES == 0, "no row of the opcode has such a modifier");
            assert!(NEEDS & !FEWER == 0, "a modifier without a silent value is missing");
        }
        Builder { op: self.op }
    }

    /// The same without modifiers.
    pub const fn plain(self) -> Builder<T, SOURCES, 0, 0> {
        const { assert!(NEEDS == 0, "a modifier without a silent value is missing") };
        Builder { op: self.op }
    }
}

/// Whether two names are the same, while compiling.
pub const fn same_name(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut k = 0;
    while k < a.len() && k < b.len() && a[k] == b[k] {
        k += 1;
    }
    k == a.len() && k == b.len()
}

/// Declares the modifiers of a family: a struct with a field for each, that each is silent by default, its text form
/// ([`Fields`](crate::Fields)), and a type to give it to a builder.
///
/// ```text
/// gpucc_mir::modifiers! {
///     /// Modifiers of an instruction.
///     pub struct Mods of Valhall {
///         /// Comparison.
///         cmp: Cond = Cond::Eq => Cmp,
///     }
/// }
/// ```
///
/// Field names are those of the rows' slots; `Mods::bit("cmp")` is the bit in sets, 0 for a name that is no field.
#[macro_export]
macro_rules! modifiers {
    ($(#[$doc:meta])* $vis:vis struct $mods:ident of $target:ty {
        $($(#[$fdoc:meta])* $field:ident: $ty:ty = $default:expr => $name:ident,)*
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        $vis struct $mods {
            $($(#[$fdoc])* pub $field: $ty,)*
        }

        impl Default for $mods {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        $crate::fields!($mods { $($field),* });

        impl $mods {
            /// Those that differ from the default, as a set.
            pub fn given(&self) -> u64 {
                let normal = Self::default();
                0 $(| if self.$field == normal.$field { 0 } else { const { Self::bit(stringify!($field)) } })*
            }

            /// The names, by the number of their bit in sets.
            const NAMES: &[&'static str] = &[$(stringify!($field)),*];

            /// The first that differs from the default and is not in a set.
            pub fn foreign(&self, takes: u64) -> Option<&'static str> {
                Self::NAMES.get((self.given() & !takes).trailing_zeros() as usize).copied()
            }

            /// Whether what is given is in a set, for the verifier.
            ///
            /// # Errors
            /// The opposite.
            pub fn check(&self, takes: u64) -> Result<(), String> {
                self.foreign(takes).map_or(Ok(()), |name| Err(format!("there is no modifier `{name}`")))
            }

            /// The bit of a modifier in sets, by its name; 0 for what is none.
            pub const fn bit(name: &str) -> u64 {
                const { assert!(Self::NAMES.len() <= 64, "a set is a word") };
                let mut k = 0;
                while k < Self::NAMES.len() {
                    if $crate::same_name(Self::NAMES[k], name) {
                        return 1 << k;
                    }
                    k += 1;
                }
                0
            }
        }

        $(
            $(#[$fdoc])*
            #[derive(Clone, Copy, PartialEq, Eq, Debug)]
            $vis struct $name(pub $ty);

            impl $crate::Modifier<$target> for $name {
                const BIT: u64 = <$mods>::bit(stringify!($field));

                #[inline]
                fn put(self, mods: &mut $mods) {
                    mods.$field = self.0;
                }
            }
        )*
    };
}

/// Names the opcodes that selection uses: a [`Builder`](crate::Builder) each, whose numbers the given `const` functions
/// find in the rows. `Name as 2` counts the sources by hand, where the rows cannot say.
///
/// ```text
/// gpucc_mir::builders! { Valhall, VOp::Op, Op, sources, needs, takes; FaddF32, FmaF32, StoreI32 as 2 }
/// ```
#[macro_export]
macro_rules! builders {
    ($target:ty, $wrap:path, $op:ident, $sources:path, $needs:path, $takes:path; $($name:ident $(as $count:literal)?),* $(,)?) => {
        $(
            #[expect(non_upper_case_globals, reason = "the name of the opcode")]
            #[doc = concat!("Builds `", stringify!($name), "`.")]
            pub const $name: $crate::Builder<
                $target,
                { $crate::builders!(@ $sources, $op::$name $(, $count)?) },
                { $needs($op::$name) },
                { $takes($op::$name) },
            > = $crate::Builder::new($wrap($op::$name));
        )*
    };
    (@ $sources:path, $op:expr) => { $sources($op) };
    (@ $sources:path, $op:expr, $count:literal) => { $count };
}
