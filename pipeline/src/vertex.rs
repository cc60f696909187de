//! Vertex formats: names, sizes, components.

use crate::{Base, Code};

macro_rules! vertex_formats {
    ($($variant:ident $name:literal $code:ident $bits:literal $count:literal;)*) => {
        /// A WebGPU vertex format.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "each variant is WebGPU's name of the format")]
        pub enum VertexFormat { $($variant,)* Unorm10_10_10_2, Snorm10_10_10_2, Unorm8x4Bgra }

        impl VertexFormat {
            /// Every format, in the order of declaration.
            pub const ALL: &'static [VertexFormat] = &[
                $(VertexFormat::$variant,)*
                VertexFormat::Unorm10_10_10_2, VertexFormat::Snorm10_10_10_2, VertexFormat::Unorm8x4Bgra,
            ];

            /// WebGPU's name of the format.
            pub fn name(self) -> &'static str {
                match self {
                    $(VertexFormat::$variant => $name,)*
                    VertexFormat::Unorm10_10_10_2 => "unorm10-10-10-2",
                    VertexFormat::Snorm10_10_10_2 => "snorm10-10-10-2",
                    VertexFormat::Unorm8x4Bgra => "unorm8x4-bgra",
                }
            }

            /// How a component is encoded, its bits, and how many there are. The packed formats have 10, 10, 10 and 2
            /// bits from the least significant, and one has its bytes in the order z, y, x, w.
            pub fn row(self) -> (Code, u32, u32) {
                match self {
                    $(VertexFormat::$variant => (Code::$code, $bits, $count),)*
                    VertexFormat::Unorm10_10_10_2 => (Code::Unorm, 10, 4),
                    VertexFormat::Snorm10_10_10_2 => (Code::Snorm, 10, 4),
                    VertexFormat::Unorm8x4Bgra => (Code::Unorm, 8, 4),
                }
            }
        }
    };
}

vertex_formats! {
    Uint8 "uint8" Uint 8 1; Uint8x2 "uint8x2" Uint 8 2; Uint8x4 "uint8x4" Uint 8 4;
    Sint8 "sint8" Sint 8 1; Sint8x2 "sint8x2" Sint 8 2; Sint8x4 "sint8x4" Sint 8 4;
    Unorm8 "unorm8" Unorm 8 1; Unorm8x2 "unorm8x2" Unorm 8 2; Unorm8x4 "unorm8x4" Unorm 8 4;
    Snorm8 "snorm8" Snorm 8 1; Snorm8x2 "snorm8x2" Snorm 8 2; Snorm8x4 "snorm8x4" Snorm 8 4;
    Uint16 "uint16" Uint 16 1; Uint16x2 "uint16x2" Uint 16 2; Uint16x4 "uint16x4" Uint 16 4;
    Sint16 "sint16" Sint 16 1; Sint16x2 "sint16x2" Sint 16 2; Sint16x4 "sint16x4" Sint 16 4;
    Unorm16 "unorm16" Unorm 16 1; Unorm16x2 "unorm16x2" Unorm 16 2; Unorm16x4 "unorm16x4" Unorm 16 4;
    Snorm16 "snorm16" Snorm 16 1; Snorm16x2 "snorm16x2" Snorm 16 2; Snorm16x4 "snorm16x4" Snorm 16 4;
    Float16 "float16" Float 16 1; Float16x2 "float16x2" Float 16 2; Float16x4 "float16x4" Float 16 4;
    Float32 "float32" Float 32 1; Float32x2 "float32x2" Float 32 2; Float32x3 "float32x3" Float 32 3;
    Float32x4 "float32x4" Float 32 4;
    Uint32 "uint32" Uint 32 1; Uint32x2 "uint32x2" Uint 32 2; Uint32x3 "uint32x3" Uint 32 3;
    Uint32x4 "uint32x4" Uint 32 4;
    Sint32 "sint32" Sint 32 1; Sint32x2 "sint32x2" Sint 32 2; Sint32x3 "sint32x3" Sint 32 3;
    Sint32x4 "sint32x4" Sint 32 4;
}

impl VertexFormat {
    /// The format of a WebGPU name.
    pub fn parse(name: &str) -> Option<VertexFormat> {
        VertexFormat::ALL.iter().copied().find(|f| f.name() == name)
    }

    /// Bytes of an element.
    pub fn bytes(self) -> u32 {
        match self {
            VertexFormat::Unorm10_10_10_2 | VertexFormat::Snorm10_10_10_2 => 4,
            _ => {
                let (_, bits, count) = self.row();
                bits / 8 * count
            }
        }
    }

    /// Number of components, from 1 to 4.
    pub fn components(self) -> u32 {
        self.row().2
    }

    /// The type that the shader gets.
    pub fn base(self) -> Base {
        match self.row().0 {
            Code::Uint => Base::Uint,
            Code::Sint => Base::Sint,
            _ => Base::Float,
        }
    }
}
