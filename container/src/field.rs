//! Values as bytes, both ways from one list of fields.

use gpucc_pipeline::{
    Blend, BlendComponent, BlendFactor, BlendOperation, Compare, CullMode, DepthBias, DepthStencil, Filter, Format,
    FrontFace, IndexFormat, Pipeline, SamplerFacts, StencilFace, StencilOperation, StepMode, Target, Topology,
    VertexAttribute, VertexBuffer, VertexFormat,
};

use crate::bytes::{Bytes, ReadError};
use crate::model::{
    Dimension, Interpolation, LineEntry, Member, Packing, Preload, RaceMark, ResourceKind, Sampling, TexelClass,
    Variable,
};

/// A value that has bytes.
pub(crate) trait Field: Sized {
    /// Appends its bytes.
    fn put(&self, out: &mut Vec<u8>);
    /// Takes one from the bytes.
    fn get(b: &mut Bytes<'_>) -> Result<Self, ReadError>;
}

/// Appends the bytes of values, without their number.
pub(crate) fn put_all<T: Field>(all: &[T], out: &mut Vec<u8>) {
    all.iter().for_each(|x| x.put(out));
}

/// Takes values of `size` bytes each, up to the end of the bytes.
pub(crate) fn all_of<T: Field>(b: &Bytes<'_>, size: usize) -> Result<Vec<T>, ReadError> {
    b.records(size)?.map(|mut b| T::get(&mut b)).collect()
}

/// Takes so many values.
pub(crate) fn get_all<T: Field>(b: &mut Bytes<'_>, count: u32) -> Result<Vec<T>, ReadError> {
    // Each element has a byte at least, so a count that is too high ends with the bytes.
    (0..count).map(|_| T::get(b)).collect()
}

macro_rules! numbers {
    ($($type:ty: $get:ident;)*) => {$(
        impl Field for $type {
            fn put(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
            fn get(b: &mut Bytes<'_>) -> Result<$type, ReadError> {
                Ok(b.$get()? as $type)
            }
        }
    )*};
}

numbers! { u8: u8; u16: u16; u32: u32; u64: u64; i32: u32; }

impl Field for f32 {
    fn put(&self, out: &mut Vec<u8>) {
        self.to_bits().put(out);
    }
    fn get(b: &mut Bytes<'_>) -> Result<f32, ReadError> {
        Ok(f32::from_bits(b.u32()?))
    }
}

impl Field for bool {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }
    fn get(b: &mut Bytes<'_>) -> Result<bool, ReadError> {
        match b.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(b.invalid(format_args!("{other} where 0 or 1 is wanted"))),
        }
    }
}

impl<T: Field> Field for Option<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.is_some().put(out);
        if let Some(x) = self {
            x.put(out);
        }
    }
    fn get(b: &mut Bytes<'_>) -> Result<Option<T>, ReadError> {
        if bool::get(b)? { T::get(b).map(Some) } else { Ok(None) }
    }
}

impl<T: Field> Field for Vec<T> {
    fn put(&self, out: &mut Vec<u8>) {
        (self.len() as u32).put(out);
        put_all(self, out);
    }
    fn get(b: &mut Bytes<'_>) -> Result<Vec<T>, ReadError> {
        let count = b.u32()?;
        get_all(b, count)
    }
}

impl Field for [u32; 3] {
    fn put(&self, out: &mut Vec<u8>) {
        put_all(self, out);
    }
    fn get(b: &mut Bytes<'_>) -> Result<[u32; 3], ReadError> {
        Ok([b.u32()?, b.u32()?, b.u32()?])
    }
}

/// Texts: their bytes in whole words, with their number before them.
impl Field for String {
    fn put(&self, out: &mut Vec<u8>) {
        (self.len() as u32).put(out);
        out.extend_from_slice(self.as_bytes());
        out.resize(out.len().next_multiple_of(4), 0);
    }
    fn get(b: &mut Bytes<'_>) -> Result<String, ReadError> {
        b.text()
    }
}

macro_rules! tuples {
    ($(($($type:ident $at:tt),*))*) => {$(
        impl<$($type: Field),*> Field for ($($type,)*) {
            fn put(&self, out: &mut Vec<u8>) {
                $(self.$at.put(out);)*
            }
            fn get(b: &mut Bytes<'_>) -> Result<Self, ReadError> {
                Ok(($($type::get(b)?,)*))
            }
        }
    )*};
}

tuples! { (A 0, B 1) (A 0, B 1, C 2) }

/// Enumerations: the place in the order of declaration.
macro_rules! places {
    ($($type:ident)*) => {$(
        impl Field for $type {
            fn put(&self, out: &mut Vec<u8>) {
                out.push(*self as u8);
            }
            fn get(b: &mut Bytes<'_>) -> Result<$type, ReadError> {
                let at = b.u8()?;
                $type::ALL.get(usize::from(at)).copied()
                    .ok_or_else(|| b.invalid(format_args!("{} {at}", stringify!($type))))
            }
        }
    )*};
}

places! {
    Topology IndexFormat FrontFace CullMode Compare Filter StencilOperation BlendOperation BlendFactor StepMode
    ResourceKind Dimension TexelClass Interpolation Sampling Packing
}

/// Formats: their names, as in `RSRC`, with a length before them.
macro_rules! names {
    ($($type:ident)*) => {$(
        impl Field for $type {
            fn put(&self, out: &mut Vec<u8>) {
                let name = self.name();
                out.push(name.len() as u8);
                out.extend_from_slice(name.as_bytes());
            }
            fn get(b: &mut Bytes<'_>) -> Result<$type, ReadError> {
                let n = usize::from(b.u8()?);
                let name = std::str::from_utf8(b.take(n)?).ok();
                name.and_then(|n| $type::parse(n).into_iter().next())
                    .ok_or_else(|| b.invalid(format_args!("no {}", stringify!($type))))
            }
        }
    )*};
}

names! { Format VertexFormat }

/// Structures: their fields in this order. One that is left out does not compile.
macro_rules! fields {
    ($($type:ident { $($field:ident),* })*) => {$(
        impl Field for $type {
            fn put(&self, out: &mut Vec<u8>) {
                let $type { $($field),* } = self;
                $($field.put(out);)*
            }
            fn get(b: &mut Bytes<'_>) -> Result<$type, ReadError> {
                Ok($type { $($field: Field::get(b)?),* })
            }
        }
    )*};
}

fields! {
    Preload { file, lane, index, source }
    LineEntry { pc, line, column }
    Variable { offset, size, name }
    Member { resource, offset, size, count, stride, name, ty }
    RaceMark { pc, kind, place, values }
    VertexAttribute { location, format, offset }
    VertexBuffer { stride, step, attributes }
    BlendComponent { operation, src, dst }
    Blend { color, alpha }
    Target { format, write, blend }
    StencilFace { compare, fail, depth_fail, pass }
    DepthStencil { format, depth_compare, depth_write, front, back, read_mask, write_mask }
    DepthBias { constant, slope, clamp }
    SamplerFacts { group, binding, compare, filter }
    Pipeline {
        vertex, topology, strip_index, front_face, cull, unclipped_depth, targets, depth, bias, samples, sample_mask,
        alpha_to_coverage, samplers
    }
}
