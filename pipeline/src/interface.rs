//! Inputs and outputs of stages: what they are, and how they change between the vertices of a primitive.

use std::fmt;

use crate::named;

/// The kind of an input or output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IoPlace {
    /// A location: a vertex attribute, a value between the stages, or a colour.
    Location {
        /// Its number in the source.
        number: u8,
        /// 1 for the second source of a blend.
        blend_src: u8,
    },
    /// The position of a vertex.
    #[default]
    Position,
    /// A clip distance of a vertex.
    ClipDistance(u8),
    /// A cull distance of a vertex: a primitive of which all vertices have a negative one is not drawn.
    CullDistance(u8),
    /// The width of the point that a vertex is, in pixels.
    PointSize,
    /// The place of a fragment in its point (made by lowering).
    PointCoord,
    /// The shares of the second and the third vertex of a fragment's primitive, the provoking one being the first.
    Barycentric,
    /// The number of the primitive, which its provoking vertex hands on (made by lowering).
    PrimitiveIndex,
    /// A number that no other vertex of the primitive has, which vertices hand on (made by lowering).
    VertexNumber,
    /// The layer of the attachments that a vertex' primitive is drawn on, if it is the provoking one.
    Layer,
    /// The number of the viewport, likewise.
    ViewportIndex,
    /// The depth that a fragment gives.
    FragDepth,
    /// What stencil values are compared with and replaced by, as a fragment gives it.
    FragStencil,
    /// The samples that a fragment covers.
    SampleMask,
}

/// The value of a number that a row of the table may leave out.
macro_rules! value {
    (_) => {
        0
    };
    ($name:ident) => {
        $name
    };
}

/// Kinds of inputs and outputs: their numbers in files, their names in texts, and the two numbers that they may have.
macro_rules! io_places {
    ($($code:literal $name:literal $variant:ident $parts:tt [$first:tt, $second:tt];)*) => {
        impl IoPlace {
            /// Name of the kind in texts.
            pub const fn kind(self) -> &'static str {
                match self {
                    $(IoPlace::$variant { .. } => $name,)*
                }
            }

            /// Number of the kind in files, and the numbers of the place: those of the location and of the blend source, or of the distance.
            pub const fn code(self) -> [u8; 3] {
                match self {
                    $(IoPlace::$variant $parts => [$code, value!($first), value!($second)],)*
                }
            }

            /// The place of such numbers.
            pub const fn of_code(code: [u8; 3]) -> Option<IoPlace> {
                Some(match code {
                    $([$code, $first, $second] => IoPlace::$variant $parts,)*
                    _ => return None,
                })
            }

            /// The first place of the kind of a name.
            pub fn parse(kind: &str) -> Option<IoPlace> {
                let code = match kind {
                    $($name => $code,)*
                    _ => return None,
                };
                IoPlace::of_code([code, 0, 0])
            }
        }
    };
}

io_places! {
    0 "location" Location { number, blend_src } [number, blend_src];
    1 "position" Position {} [_, _];
    2 "clip_distance" ClipDistance(n) [n, _];
    3 "frag_depth" FragDepth {} [_, _];
    4 "sample_mask" SampleMask {} [_, _];
    5 "layer" Layer {} [_, _];
    6 "viewport_index" ViewportIndex {} [_, _];
    7 "point_size" PointSize {} [_, _];
    8 "point_coord" PointCoord {} [_, _];
    9 "cull_distance" CullDistance(n) [n, _];
    10 "frag_stencil" FragStencil {} [_, _];
    11 "barycentric" Barycentric {} [_, _];
    12 "primitive_index" PrimitiveIndex {} [_, _];
    13 "vertex_number" VertexNumber {} [_, _];
}

impl IoPlace {
    /// A location of the first blend source.
    pub const fn location(number: u8) -> IoPlace {
        IoPlace::Location { number, blend_src: 0 }
    }

    /// Its number among those of the kind, where there are several: that of the location or distance.
    pub const fn number(self) -> Option<u8> {
        match self {
            IoPlace::Location { number: n, .. } | IoPlace::ClipDistance(n) | IoPlace::CullDistance(n) => Some(n),
            _ => None,
        }
    }

    /// The place of the same kind with this number, where there are several.
    pub const fn with_number(self, n: u8) -> IoPlace {
        match self {
            IoPlace::Location { blend_src, .. } => IoPlace::Location { number: n, blend_src },
            IoPlace::ClipDistance(_) => IoPlace::ClipDistance(n),
            IoPlace::CullDistance(_) => IoPlace::CullDistance(n),
            alone => alone,
        }
    }
}

impl fmt::Display for IoPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind())?;
        if let Some(n) = self.number() {
            write!(f, " {n}")?;
        }
        match self {
            IoPlace::Location { blend_src: n @ 1.., .. } => write!(f, " blend_src {n}"),
            _ => Ok(()),
        }
    }
}

named! {
    /// How a value changes between the vertices of a primitive.
    #[derive(Default, PartialOrd, Ord)]
    Interpolation {
        #[default]
        Perspective "perspective" "Linear in space.",
        Linear "linear"           "Linear on the screen.",
        Flat "flat"               "That of the provoking vertex.",
        OverW "over_w"            "Divided by w, linear on the screen (made by lowering).",
        Vertex0 "vertex0"         "That of the first vertex, which is the provoking one.",
        Vertex1 "vertex1"         "That of the second vertex.",
        Vertex2 "vertex2"         "That of the third vertex.",
    }
}

impl Interpolation {
    /// The value of each vertex, the provoking one first.
    pub const VERTICES: [Interpolation; 3] = [Interpolation::Vertex0, Interpolation::Vertex1, Interpolation::Vertex2];

    /// The vertex whose value it is, where the source names one.
    pub fn vertex(self) -> Option<usize> {
        Interpolation::VERTICES.iter().position(|&m| m == self)
    }

    /// Whether it is the same in all fragments of a primitive.
    pub fn is_constant(self) -> bool {
        self == Interpolation::Flat || self.vertex().is_some()
    }
}

named! {
    /// Where in a pixel a value is taken.
    #[derive(Default, PartialOrd, Ord)]
    Sampling {
        #[default]
        Center "center"     "The centre.",
        Centroid "centroid" "A point that the primitive covers.",
        Sample "sample"     "The sample that is shaded.",
    }
}
