//! The state of a render pipeline as bytes, both ways from one list of fields.

use gpucc_pipeline::{
    Blend, BlendComponent, BlendFactor, BlendOperation, Compare, CullMode, DepthBias, DepthStencil, Filter, Format,
    FrontFace, IndexFormat, Pipeline, SamplerFacts, StencilFace, StencilOperation, StepMode, Target, Topology,
    VertexAttribute, VertexBuffer, VertexFormat,
};

use crate::bytes::{Bytes, ReadError};

/// A value that has bytes.
trait Field: Sized {
    fn put(&self, out: &mut Vec<u8>);
    fn get(b: &mut Bytes<'_>) -> Result<Self, ReadError>;
}

/// The bytes of the section `PIPE`.
pub(crate) fn write(p: &Pipeline) -> Vec<u8> {
    let mut out = Vec::new();
    p.put(&mut out);
    out
}

/// The state in a section `PIPE`.
pub(crate) fn read(bytes: &[u8]) -> Result<Pipeline, ReadError> {
    let mut b = Bytes { data: bytes, what: "PIPE" };
    let p = Pipeline::get(&mut b)?;
    if b.data.is_empty() { Ok(p) } else { Err(b.invalid("more bytes than fields")) }
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

numbers! { u8: u8; u32: u32; u64: u64; i32: u32; }

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
        self.iter().for_each(|x| x.put(out));
    }
    fn get(b: &mut Bytes<'_>) -> Result<Vec<T>, ReadError> {
        // Each element has a byte at least, so a count that is too high ends with the bytes.
        (0..b.u32()?).map(|_| T::get(b)).collect()
    }
}

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
