//! How words, numbers and lists are read.

use std::fmt;
use std::marker::PhantomData;

use gpucc_pipeline::{
    BlendFactor, BlendOperation, Compare, CullMode, Filter, Format, FrontFace, IndexFormat, StencilOperation, StepMode,
    Topology, VertexFormat,
};
use gpucc_sim::texture::Wrap;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Error, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::{Names, Version};
use crate::{limits, near};

/// A value written as one of several words.
pub(crate) trait Word: Sized {
    /// The value of a word; an error says what is wrong with it.
    fn from_word(word: &str) -> Result<Self, String>;
}

pub(crate) fn one_of<T: Copy>(word: &str, list: &[(&str, T)]) -> Result<T, String> {
    match list.iter().find(|(name, _)| *name == word) {
        Some(&(_, value)) => Ok(value),
        None => {
            let names: Vec<String> = list.iter().map(|(name, _)| format!("`{name}`")).collect();
            Err(format!("unknown word `{word}`, expected one of {}", names.join(", ")))
        }
    }
}

macro_rules! words {
    ($($ty:ident { $($word:literal $variant:ident)* })*) => {$(
        impl $crate::model::de::Word for $ty {
            fn from_word(word: &str) -> Result<Self, String> {
                $crate::model::de::one_of(word, &[$(($word, $ty::$variant)),*])
            }
        }
    )*};
}
pub(crate) use words;

words! { Wrap { "clamp-to-edge" ClampToEdge "repeat" Repeat "mirror-repeat" MirrorRepeat } }

macro_rules! named {
    ($($ty:ident)*) => {$(
        impl Word for $ty {
            fn from_word(word: &str) -> Result<Self, String> {
                let list: Vec<_> = $ty::ALL.iter().map(|v| (v.name(), *v)).collect();
                one_of(word, &list)
            }
        }
    )*};
}

named! { BlendFactor BlendOperation Compare CullMode Filter FrontFace IndexFormat StencilOperation StepMode Topology }

impl Word for Format {
    fn from_word(word: &str) -> Result<Self, String> {
        near::format(word)
    }
}

impl Word for VertexFormat {
    fn from_word(word: &str) -> Result<Self, String> {
        near::vertex_format(word)
    }
}

impl Word for Version {
    fn from_word(word: &str) -> Result<Self, String> {
        one_of(word, &[("scene-1", Version)])
    }
}

struct WordVisitor<T>(PhantomData<T>);

impl<T: Word> Visitor<'_> for WordVisitor<T> {
    type Value = T;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }
    fn visit_str<E: Error>(self, word: &str) -> Result<T, E> {
        T::from_word(word).map_err(E::custom)
    }
}

/// A word.
pub(crate) fn word<'de, D: Deserializer<'de>, T: Word>(d: D) -> Result<T, D::Error> {
    d.deserialize_str(WordVisitor(PhantomData))
}

struct Worded<T>(T);

impl<'de, T: Word> Deserialize<'de> for Worded<T> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        word(d).map(Worded)
    }
}

/// A word that may be left out.
pub(crate) fn maybe_word<'de, D: Deserializer<'de>, T: Word>(d: D) -> Result<Option<T>, D::Error> {
    Ok(Option::<Worded<T>>::deserialize(d)?.map(|w| w.0))
}

/// A list of words.
pub(crate) fn words_list<'de, D: Deserializer<'de>, T: Word>(d: D) -> Result<Vec<T>, D::Error> {
    Ok(Vec::<Worded<T>>::deserialize(d)?.into_iter().map(|w| w.0).collect())
}

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        word(d)
    }
}

/// A number, or one of the texts `nan`, `inf`, `-inf`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Number(pub f64);

struct NumberVisitor {
    truth: bool,
}

impl Visitor<'_> for NumberVisitor {
    type Value = f64;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, `\"nan\"`, `\"inf\"` or `\"-inf\"`")
    }
    fn visit_f64<E: Error>(self, v: f64) -> Result<f64, E> {
        Ok(v)
    }
    fn visit_i64<E: Error>(self, v: i64) -> Result<f64, E> {
        Ok(v as f64)
    }
    fn visit_u64<E: Error>(self, v: u64) -> Result<f64, E> {
        Ok(v as f64)
    }
    fn visit_bool<E: Error>(self, v: bool) -> Result<f64, E> {
        if self.truth {
            Ok(f64::from(u8::from(v)))
        } else {
            Err(E::invalid_type(serde::de::Unexpected::Bool(v), &self))
        }
    }
    fn visit_str<E: Error>(self, v: &str) -> Result<f64, E> {
        match v {
            "nan" => Ok(f64::NAN),
            "inf" => Ok(f64::INFINITY),
            "-inf" => Ok(f64::NEG_INFINITY),
            _ => Err(E::invalid_value(serde::de::Unexpected::Str(v), &self)),
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(NumberVisitor { truth: false }).map(Number)
    }
}

/// The value of an override: a number or a truth value.
pub(crate) struct Constant(f64);

impl<'de> Deserialize<'de> for Constant {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(NumberVisitor { truth: true }).map(Constant)
    }
}

/// Overrides by name.
pub(crate) fn constants<'de, D: Deserializer<'de>>(d: D) -> Result<Names<f64>, D::Error> {
    let list = Names::<Constant>::deserialize(d)?;
    Ok(Names(list.0.into_iter().map(|(n, c)| (n, c.0)).collect()))
}

/// A number.
pub(crate) fn number<'de, D: Deserializer<'de>>(d: D) -> Result<f64, D::Error> {
    Number::deserialize(d).map(|n| n.0)
}

/// A number that may be left out.
pub(crate) fn maybe_number<'de, D: Deserializer<'de>>(d: D) -> Result<Option<f64>, D::Error> {
    Ok(Option::<Number>::deserialize(d)?.map(|n| n.0))
}

/// Floats of 32 bits.
pub(crate) fn maybe_f32s<'de, D: Deserializer<'de>>(d: D) -> Result<Option<Vec<f32>>, D::Error> {
    Ok(Option::<Vec<Number>>::deserialize(d)?.map(|l| l.into_iter().map(|n| n.0 as f32).collect()))
}

fn of_length<T, const N: usize, E: Error>(list: Vec<T>) -> Result<[T; N], E> {
    let n = list.len();
    list.try_into().map_err(|_| E::custom(format_args!("a list of {N} is expected, not of {n}")))
}

/// Exactly so many numbers.
pub(crate) fn numbers<'de, D: Deserializer<'de>, const N: usize>(d: D) -> Result<[f64; N], D::Error> {
    of_length(Vec::<Number>::deserialize(d)?.into_iter().map(|n| n.0).collect())
}

/// Exactly so many numbers, or nothing.
pub(crate) fn maybe_numbers<'de, D: Deserializer<'de>, const N: usize>(d: D) -> Result<Option<[f64; N]>, D::Error> {
    let list = Option::<Vec<Number>>::deserialize(d)?;
    list.map(|l| of_length(l.into_iter().map(|n| n.0).collect())).transpose()
}

/// Lists of exactly so many numbers.
pub(crate) fn lists_of_numbers<'de, D: Deserializer<'de>, const N: usize>(d: D) -> Result<Vec<[f64; N]>, D::Error> {
    let list = Vec::<Vec<Number>>::deserialize(d)?;
    list.into_iter().map(|l| of_length(l.into_iter().map(|n| n.0).collect())).collect()
}

/// Exactly so many values, or nothing.
pub(crate) fn maybe_list<'de, D: Deserializer<'de>, T: Deserialize<'de>, const N: usize>(
    d: D,
) -> Result<Option<[T; N]>, D::Error> {
    Option::<Vec<T>>::deserialize(d)?.map(of_length).transpose()
}

/// One to three sizes; what is left out is 1.
pub(crate) fn size<'de, D: Deserializer<'de>>(d: D) -> Result<[u32; 3], D::Error> {
    let list = Vec::<u32>::deserialize(d)?;
    if list.is_empty() || list.len() > 3 {
        return Err(D::Error::custom(format_args!("a list of 1 to 3 is expected, not of {}", list.len())));
    }
    Ok(std::array::from_fn(|k| list.get(k).copied().unwrap_or(1)))
}

/// The size of a texture. All zeros stand for a size that is left out.
pub(crate) fn texture_size<'de, D: Deserializer<'de>>(d: D) -> Result<[u32; 3], D::Error> {
    match size(d)? {
        [0, 0, 0] => Err(D::Error::custom("a texture has one texel at least")),
        size => Ok(size),
    }
}

/// One to three sizes, or nothing.
pub(crate) fn maybe_size<'de, D: Deserializer<'de>>(d: D) -> Result<Option<[u32; 3]>, D::Error> {
    struct Sized(u32, u32, u32);
    impl<'de> Deserialize<'de> for Sized {
        fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
            size(d).map(|[x, y, z]| Sized(x, y, z))
        }
    }
    Ok(Option::<Sized>::deserialize(d)?.map(|s| [s.0, s.1, s.2]))
}

/// The draws of a pass, or nothing. Reading ends with the first that is too many: each takes more memory than its text.
pub(crate) fn maybe_draws<'de, D: Deserializer<'de>, T: Deserialize<'de>>(d: D) -> Result<Option<Vec<T>>, D::Error> {
    struct Bounded<T>(Vec<T>);
    struct BoundedVisitor<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for BoundedVisitor<T> {
        type Value = Bounded<T>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of draws")
        }
        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Bounded<T>, A::Error> {
            let mut list = Vec::new();
            while let Some(draw) = seq.next_element()? {
                if list.len() == limits::PASS_DRAWS {
                    return Err(A::Error::custom(format_args!("there are more than {} draws", limits::PASS_DRAWS)));
                }
                list.push(draw);
            }
            Ok(Bounded(list))
        }
    }
    impl<'de, T: Deserialize<'de>> Deserialize<'de> for Bounded<T> {
        fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
            d.deserialize_seq(BoundedVisitor(PhantomData))
        }
    }
    Ok(Option::<Bounded<T>>::deserialize(d)?.map(|b| b.0))
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Names<T> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct NamesVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for NamesVisitor<T> {
            type Value = Names<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table of names")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Names<T>, A::Error> {
                let mut list = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    list.push(entry);
                }
                Names::new(list).map_err(|name| A::Error::custom(format_args!("the name `{name}` occurs twice")))
            }
        }
        d.deserialize_map(NamesVisitor(PhantomData))
    }
}

/// An element of a list that may be a hole: `null`, or a table without keys.
struct Slot<T>(Option<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Slot<T> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct SlotVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for SlotVisitor<T> {
            type Value = Slot<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table or a hole")
            }
            fn visit_unit<E: Error>(self) -> Result<Slot<T>, E> {
                Ok(Slot(None))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Slot<T>, A::Error> {
                let Some(first) = map.next_key::<String>()? else { return Ok(Slot(None)) };
                let map = Peeked { first: Some(first), map };
                T::deserialize(MapAccessDeserializer::new(map)).map(|t| Slot(Some(t)))
            }
        }
        d.deserialize_any(SlotVisitor(PhantomData))
    }
}

/// A map whose first key has been read.
struct Peeked<A> {
    first: Option<String>,
    map: A,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Peeked<A> {
    type Error = A::Error;
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        match self.first.take() {
            Some(key) => seed.deserialize(key.into_deserializer()).map(Some),
            None => self.map.next_key_seed(seed),
        }
    }
    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.map.next_value_seed(seed)
    }
}

/// A list with holes.
pub(crate) fn slots<'de, D: Deserializer<'de>, T: Deserialize<'de>>(d: D) -> Result<Vec<Option<T>>, D::Error> {
    Ok(Vec::<Slot<T>>::deserialize(d)?.into_iter().map(|s| s.0).collect())
}

/// A list with holes, or nothing.
pub(crate) fn maybe_slots<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    d: D,
) -> Result<Option<Vec<Option<T>>>, D::Error> {
    Ok(Option::<Vec<Slot<T>>>::deserialize(d)?.map(|l| l.into_iter().map(|s| s.0).collect()))
}

/// One table or a list of them.
pub(crate) fn one_or_many<'de, D: Deserializer<'de>, T: Deserialize<'de>>(d: D) -> Result<Vec<T>, D::Error> {
    struct ManyVisitor<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for ManyVisitor<T> {
        type Value = Vec<T>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a table or a list of tables")
        }
        fn visit_unit<E: Error>(self) -> Result<Vec<T>, E> {
            Ok(Vec::new())
        }
        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Vec<T>, A::Error> {
            T::deserialize(MapAccessDeserializer::new(map)).map(|t| vec![t])
        }
        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<T>, A::Error> {
            let mut list = Vec::new();
            while let Some(t) = seq.next_element()? {
                list.push(t);
            }
            Ok(list)
        }
    }
    d.deserialize_any(ManyVisitor(PhantomData))
}
