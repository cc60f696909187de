//! Values that the launch supplies, and all that is known of them: one row for each.

use crate::named::named_enum;
use crate::stage::Stage;
use crate::types::Type;

/// How much a value varies.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Variance {
    /// A constant, or a value that is the same for the whole launch.
    #[default]
    Launch,
    /// The same for the lanes of a workgroup that execute it together.
    Workgroup,
    /// The same for the lanes of a subgroup that execute it together.
    Subgroup,
    /// May differ between lanes.
    Divergent,
}

/// The most that a component can be, as an unsigned number; dimensions are those of the workgroup.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Most {
    /// So much.
    Number(u64),
    /// The contents of its type.
    Any,
    /// The last invocation of the largest launch in this dimension.
    Launch,
    /// The last invocation of a workgroup in this dimension.
    Workgroup,
    /// The last invocation of a workgroup.
    Invocations,
    /// Not more than invocations, or than lanes of the largest subgroup.
    Subgroups,
}

/// The most workgroups of a launch in one dimension (WebGPU's limit).
pub const MAX_WORKGROUPS: u64 = 65_535;

/// The most lanes of a subgroup.
pub const MAX_LANES: u64 = 128;

/// The facts about a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Facts {
    ty: Type,
    /// The stages that have it.
    stages: &'static [Stage],
    variance: Variance,
    most: Most,
}

macro_rules! sysvals {
    ($( $(#[$m:meta])* $var:ident = $text:literal, $ty:ident x $lanes:literal, $stages:ident, $variance:ident, $most:expr; )*) => {
        named_enum! {
            /// Values that the launch supplies.
            Sysval { $( $(#[$m])* $var = $text, )* }
        }
        impl Sysval {
            const fn facts(self) -> Facts {
                match self {
                    $( Sysval::$var => Facts {
                        ty: Type::$ty.with_lanes($lanes),
                        stages: $stages,
                        variance: Variance::$variance,
                        most: $most,
                    }, )*
                }
            }
        }
    };
}

const COMPUTE: &[Stage] = &[Stage::Compute];
const VERTEX: &[Stage] = &[Stage::Vertex];
const FRAGMENT: &[Stage] = &[Stage::Fragment];
const EACH: &[Stage] = Stage::ALL;

sysvals! {
    /// workgroup id times workgroup size plus local id
    GlobalInvocationId = "global_invocation_id", I32 x 3, COMPUTE, Divergent, Most::Launch;
    /// the place in the workgroup
    LocalInvocationId = "local_invocation_id", I32 x 3, COMPUTE, Divergent, Most::Workgroup;
    /// x + y * size.x + z * size.x * size.y
    LocalInvocationIndex = "local_invocation_index", I32 x 1, COMPUTE, Divergent, Most::Invocations;
    /// the place of the workgroup in the grid
    WorkgroupId = "workgroup_id", I32 x 3, COMPUTE, Workgroup, Most::Number(MAX_WORKGROUPS - 1);
    /// the size of the grid in workgroups
    NumWorkgroups = "num_workgroups", I32 x 3, COMPUTE, Launch, Most::Number(MAX_WORKGROUPS);
    /// lanes of a subgroup
    SubgroupSize = "subgroup_size", I32 x 1, EACH, Launch, Most::Number(MAX_LANES);
    /// the lane
    SubgroupInvocationId = "subgroup_invocation_id", I32 x 1, EACH, Divergent, Most::Subgroups;
    /// the subgroup in its workgroup
    SubgroupId = "subgroup_id", I32 x 1, COMPUTE, Divergent, Most::Subgroups;
    /// subgroups of a workgroup
    NumSubgroups = "num_subgroups", I32 x 1, COMPUTE, Launch, Most::Subgroups;
    /// of a vertex, its index with the base vertex added
    VertexIndex = "vertex_index", I32 x 1, VERTEX, Divergent, Most::Any;
    /// of a vertex, the instance with the first one added
    InstanceIndex = "instance_index", I32 x 1, VERTEX, Divergent, Most::Any;
    /// of a fragment, x and y in pixels, depth, 1 / w
    FragCoord = "frag_coord", F32 x 4, FRAGMENT, Divergent, Most::Any;
    /// of a fragment, whether the primitive is front facing
    FrontFacing = "front_facing", B1 x 1, FRAGMENT, Divergent, Most::Number(1);
    /// of a fragment, the sample that is shaded
    SampleIndex = "sample_index", I32 x 1, FRAGMENT, Divergent, Most::Number(31);
    /// of a fragment that runs for each sample, where in its pixel the sample is, from 0 to 1 to the right and down
    SamplePosition = "sample_position", F32 x 2, FRAGMENT, Divergent, Most::Any;
    /// of a fragment, how many samples a pixel has
    SampleCount = "sample_count", I32 x 1, FRAGMENT, Launch, Most::Number(32);
    /// of a fragment, the samples that are covered
    SampleMask = "sample_mask", I32 x 1, FRAGMENT, Divergent, Most::Any;
    /// of a fragment of a point, the place in it, from 0 to 1 to the right and down
    PointCoord = "point_coord", F32 x 2, FRAGMENT, Divergent, Most::Any;
    /// of a fragment, the primitive in its draw
    PrimitiveIndex = "primitive_index", I32 x 1, FRAGMENT, Divergent, Most::Any;
    /// of a fragment, the layer of the attachments
    Layer = "layer", I32 x 1, FRAGMENT, Divergent, Most::Any;
    /// of a fragment, the number of the viewport
    ViewportIndex = "viewport_index", I32 x 1, FRAGMENT, Divergent, Most::Any;
    /// of a vertex, its index without the base vertex (made by lowering)
    RawVertexIndex = "raw_vertex_index", I32 x 1, VERTEX, Divergent, Most::Any;
    /// of a vertex, the instance without the first one (made by lowering)
    RawInstanceIndex = "raw_instance_index", I32 x 1, VERTEX, Divergent, Most::Any;
    /// of a vertex, the number of the primitive that it is shaded for (made by lowering)
    RawPrimitiveIndex = "raw_primitive_index", I32 x 1, VERTEX, Divergent, Most::Any;
    /// the base vertex of the draw
    FirstVertex = "first_vertex", I32 x 1, VERTEX, Launch, Most::Any;
    /// the first instance of the draw
    FirstInstance = "first_instance", I32 x 1, VERTEX, Launch, Most::Any;
    /// of a fragment, column and row of its pixel (made by lowering)
    Pixel = "pixel", I32 x 2, FRAGMENT, Divergent, Most::Any;
    /// of a fragment, its depth (made by lowering)
    FragZ = "frag_z", F32 x 1, FRAGMENT, Divergent, Most::Any;
    /// of a fragment, 1 / w in the middle of its pixel (made by lowering)
    FragInvW = "frag_inv_w", F32 x 1, FRAGMENT, Divergent, Most::Any;
    /// of a fragment, the blend constant of the draw (made by lowering)
    BlendConstant = "blend_constant", F32 x 4, FRAGMENT, Launch, Most::Any;
    /// of a vertex, half the size of the viewport, y down, and its range of depth (made by lowering)
    ViewportScale = "viewport_scale", F32 x 3, VERTEX, Launch, Most::Any;
    /// of a vertex, the middle of the viewport and its least depth (made by lowering)
    ViewportOffset = "viewport_offset", F32 x 3, VERTEX, Launch, Most::Any;
}

impl Sysval {
    /// The type of the value.
    pub const fn ty(self) -> Type {
        self.facts().ty
    }
    /// How much it varies.
    pub const fn variance(self) -> Variance {
        self.facts().variance
    }
    /// The most that a component can be.
    pub const fn most(self) -> Most {
        self.facts().most
    }
}

impl Stage {
    /// Whether entry points of this stage may ask for a value.
    pub fn has(self, value: Sysval) -> bool {
        value.facts().stages.contains(&self)
    }
}
