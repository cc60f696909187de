//! Where the values come from that a driver loads, or computes with.

use gpucc_pipeline::{Variant, named};

/// Which descriptor of a texture or sampler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DescriptorKey {
    /// Bind group of the resource.
    pub group: u32,
    /// Binding in its group.
    pub binding: u32,
    /// Whether it is a sampler's.
    pub sampler: bool,
    /// The use of the resource that is bound there.
    pub variant: Variant,
    /// Element of a binding array; 0 of a single resource.
    pub element: u32,
}

named! {
    /// A fact of what is bound as a texture or sampler, which a program reads and no unit takes.
    #[derive(PartialOrd, Ord)]
    TextureFact {
        Width "width"                 "Width of the first level of the view, in pixels; of [`Variant::Samples`] in samples.",
        Height "height"               "Its height, counted alike.",
        Depth "depth"                 "Slices of a volume; 1 of others.",
        Layers "layers"               "Layers of the view; cubes of a view of cubes.",
        Levels "levels"               "Levels of the view.",
        Samples "samples"             "Samples of a pixel.",
        LastLevel "last_level"        "Number of the last level of the view, from 0.",
        Srgb "srgb"                   "1 where texels are read as sRGB, else 0.",
        Address "address"             "Address of the first level of the view, in its first layer.",
        RowBytes "row_bytes"          "Bytes from one row of tiles to the next.",
        LayerBytes "layer_bytes"      "Bytes from one layer, or slice of tiles, to the next.",
        SpareBytes "spare_bytes"      "Distance from the address to bytes that hold no texel.",
        RowTiles "row_tiles"          "Tiles of a row.",
        TileRows "tile_rows"          "Rows of a tile, as a power of two.",
        TileSlices "tile_slices"      "Slices of a tile, as a power of two.",
        TileBytes "tile_bytes"        "Bytes of a slice of a tile, as a power of two.",
        LeastLevel "least_level"      "Least level of a sampler, a float.",
        GreatestLevel "greatest_level" "Greatest level of a sampler, a float.",
        MixesLevels "mixes_levels"    "1 where a sampler filters between levels, else 0.",
    }
}

impl TextureFact {
    /// The extents of a level.
    pub const SIZE: [TextureFact; 3] = [TextureFact::Width, TextureFact::Height, TextureFact::Depth];
}

/// Where a preloaded value comes from. Values per invocation (local id, lane) go to register files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A constant.
    Const(u32),
    /// Low word of the address of a buffer.
    BufferAddressLo {
        /// Bind group.
        group: u32,
        /// Binding in its group.
        binding: u32,
    },
    /// High word of the address of a buffer.
    BufferAddressHi {
        /// Bind group.
        group: u32,
        /// Binding in its group.
        binding: u32,
    },
    /// Size of the binding in bytes.
    BufferSize {
        /// Bind group.
        group: u32,
        /// Binding in its group.
        binding: u32,
    },
    /// A word of the descriptor that the family's ABI page defines for this resource.
    DescriptorWord {
        /// Bind group.
        group: u32,
        /// Binding in its group.
        binding: u32,
        /// Word of the descriptor.
        word: u16,
    },
    /// Workgroup id in dimension 0, 1 or 2.
    WorkgroupId(u16),
    /// Workgroups in dimension 0, 1 or 2.
    NumWorkgroups(u16),
    /// Local invocation id in dimension 0, 1 or 2.
    LocalId(u16),
    /// Local invocation index.
    LocalIndex,
    /// Global invocation id in dimension 0, 1 or 2.
    GlobalId(u16),
    /// Number of the lane in its subgroup.
    LaneId,
    /// Number of the subgroup in its workgroup.
    SubgroupId,
    /// Where workgroup memory starts.
    SharedBase,
    /// Where the scratch of this invocation (or subgroup, by family) starts: low word.
    ScratchBase,
    /// High word of the same.
    ScratchBaseHi,
    /// Address of section `DATA`: low word.
    DataAddressLo,
    /// Address of section `DATA`: high word.
    DataAddressHi,
    /// Address of a table that the family's ABI page defines (descriptors): low word of table 0, 1, ...
    TableAddressLo(u16),
    /// High word of the same.
    TableAddressHi(u16),
    /// A value that the family's ABI page defines under this number.
    Family(u32),
    /// A word of the immediate data.
    Immediate(u32),
    /// Number of the vertex, without the base that the draw adds.
    VertexIndex,
    /// Number of the instance, without the first one.
    InstanceIndex,
    /// The addend of a vertex's number: the first vertex, or the base of an indexed draw.
    FirstVertex,
    /// The first instance.
    FirstInstance,
    /// A number of the viewport: 0 to 2 half its size with y down, and its range of depth; 3 to 5 its middle, and its least depth.
    Viewport(u16),
    /// A component of the blend constant.
    BlendConstant(u16),
    /// A word of the descriptor of a texture or sampler, as the family's ABI page defines it.
    TextureWord {
        /// Whose.
        of: DescriptorKey,
        /// Word of the descriptor, below 256.
        word: u16,
    },
    /// A fact of what is bound as a texture or sampler.
    TextureFact {
        /// The resource that it is a fact of.
        of: DescriptorKey,
        /// The fact that the program reads.
        fact: TextureFact,
    },
    /// The result of a computation of the launch, by its number.
    Step(u32),
}

impl Source {
    /// Whether its dimension, component or word is one that there is.
    pub fn is_in_range(&self) -> bool {
        match *self {
            Source::WorkgroupId(d) | Source::NumWorkgroups(d) | Source::LocalId(d) | Source::GlobalId(d) => d < 3,
            Source::Viewport(word) => word < 6,
            Source::BlendConstant(component) => component < 4,
            _ => true,
        }
    }
}
