//! Numbers of C's for the values of enumerations, both ways.

use gpucc::container::{Access, Dimension, IoPlace, ProgramRole, ResourceKind, Stage, TexelClass};
use gpucc::reflect::{DepthLayout, Interpolation, Packing, Sampling};
use gpucc::variant::Effect;

use crate::constants::*;

/// A value that is a number in C.
pub(crate) trait Numbered: Copy + PartialEq + 'static {
    /// Every value with its number.
    const ALL: &'static [(u32, Self)];

    /// The number of the value.
    fn number(self) -> u32;

    /// The value of a number, if it is one.
    fn of(number: u32) -> Option<Self> {
        Self::ALL.iter().find(|r| r.0 == number).map(|r| r.1)
    }
}

macro_rules! numbered {
    ($($type:ident { $($number:ident $value:ident,)* })*) => {$(
        impl Numbered for $type {
            const ALL: &'static [(u32, $type)] = &[$(($number, $type::$value),)*];
            fn number(self) -> u32 {
                match self {
                    $($type::$value => $number,)*
                }
            }
        }
    )*};
}

/// Bindings have no immediate data among them.
const NO_KIND: u32 = u32::MAX;

numbered! {
    Stage { GPUCC_COMPUTE Compute, GPUCC_VERTEX Vertex, GPUCC_FRAGMENT Fragment, }
    ProgramRole { GPUCC_MAIN Main, GPUCC_POSITION Position, GPUCC_VARYING Varying, }
    ResourceKind {
        GPUCC_UNIFORM Uniform,
        GPUCC_STORAGE Storage,
        GPUCC_TEXTURE Texture,
        GPUCC_STORAGE_TEXTURE StorageTexture,
        GPUCC_SAMPLER Sampler,
        NO_KIND Immediates,
    }
    Access { GPUCC_READ Read, GPUCC_WRITE Write, GPUCC_READ_WRITE ReadWrite, }
    Dimension { GPUCC_1D D1, GPUCC_2D D2, GPUCC_3D D3, GPUCC_CUBE Cube, }
    TexelClass {
        GPUCC_FLOAT Float,
        GPUCC_SINT Sint,
        GPUCC_UINT Uint,
        GPUCC_DEPTH Depth,
        GPUCC_EXTERNAL External,
    }
    Interpolation {
        GPUCC_PERSPECTIVE Perspective,
        GPUCC_LINEAR Linear,
        GPUCC_FLAT Flat,
        GPUCC_OVER_W OverW,
        GPUCC_VERTEX0 Vertex0,
        GPUCC_VERTEX1 Vertex1,
        GPUCC_VERTEX2 Vertex2,
    }
    Sampling { GPUCC_CENTER Center, GPUCC_CENTROID Centroid, GPUCC_SAMPLE Sample, }
    Packing {
        GPUCC_UNPACKED None,
        GPUCC_HALF16 Half16,
        GPUCC_UNORM16 Unorm16,
        GPUCC_SNORM16 Snorm16,
        GPUCC_UINT16 Uint16,
        GPUCC_SINT16 Sint16,
    }
    DepthLayout {
        GPUCC_DEPTH_ANY Any,
        GPUCC_DEPTH_GREATER Greater,
        GPUCC_DEPTH_LESS Less,
        GPUCC_DEPTH_UNCHANGED Unchanged,
    }
    Effect { GPUCC_CHANGES_NOTHING Nothing, GPUCC_CHANGES_WORDS Words, GPUCC_CHANGES_CODE Code, }
}

/// Kinds of inputs and outputs, each with the first place of the kind.
pub(crate) const PLACES: [(u32, IoPlace); 14] = [
    (GPUCC_AT_LOCATION, IoPlace::location(0)),
    (GPUCC_AT_POSITION, IoPlace::Position),
    (GPUCC_AT_CLIP_DISTANCE, IoPlace::ClipDistance(0)),
    (GPUCC_AT_DEPTH, IoPlace::FragDepth),
    (GPUCC_AT_SAMPLE_MASK, IoPlace::SampleMask),
    (GPUCC_AT_LAYER, IoPlace::Layer),
    (GPUCC_AT_VIEWPORT, IoPlace::ViewportIndex),
    (GPUCC_AT_POINT_SIZE, IoPlace::PointSize),
    (GPUCC_AT_POINT_COORD, IoPlace::PointCoord),
    (GPUCC_AT_CULL_DISTANCE, IoPlace::CullDistance(0)),
    (GPUCC_AT_STENCIL, IoPlace::FragStencil),
    (GPUCC_AT_BARYCENTRIC, IoPlace::Barycentric),
    (GPUCC_AT_PRIMITIVE_INDEX, IoPlace::PrimitiveIndex),
    (GPUCC_AT_VERTEX_NUMBER, IoPlace::VertexNumber),
];
