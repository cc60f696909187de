//! Fixed function of a render pipeline that commands may set: what Vulkan calls extended dynamic state.
//!
//! A pipeline keeps the numbers that it was given; a draw puts those that commands set in their places. Where that changes what shaders are
//! compiled with, the pipeline is compiled once more.

use ash::vk;

/// The numbers, as an application gives them.
#[derive(Clone, Copy, Debug)]
pub struct Given {
    /// Faces that are left out.
    pub cull: vk::CullModeFlags,
    /// The winding of front faces.
    pub front: vk::FrontFace,
    /// Kind of the primitives.
    pub topology: vk::PrimitiveTopology,
    /// Whether depths are compared.
    pub depth_test: bool,
    /// Whether depths are written where they are compared.
    pub depth_write: bool,
    /// How depths are compared.
    pub depth_compare: vk::CompareOp,
    /// Whether stencils are compared.
    pub stencil_test: bool,
    /// The stencil test of front and back faces; its numbers are elsewhere.
    pub stencil: [vk::StencilOpState; 2],
    /// Whether nothing is rasterised.
    pub discards: bool,
    /// Whether the depth is biased.
    pub biased: bool,
    /// Whether the largest index ends a strip.
    pub restart: bool,
}

impl Default for Given {
    fn default() -> Given {
        Given {
            cull: vk::CullModeFlags::NONE,
            front: vk::FrontFace::COUNTER_CLOCKWISE,
            topology: vk::PrimitiveTopology::TRIANGLE_LIST,
            depth_test: false,
            depth_write: false,
            depth_compare: vk::CompareOp::ALWAYS,
            stencil_test: false,
            stencil: [vk::StencilOpState::default(); 2],
            discards: false,
            biased: false,
            restart: false,
        }
    }
}

/// A number that a command sets.
#[derive(Clone, Copy, Debug)]
pub enum Late {
    /// Faces that are left out.
    Cull(vk::CullModeFlags),
    /// The winding of front faces.
    Front(vk::FrontFace),
    /// Kind of the primitives.
    Topology(vk::PrimitiveTopology),
    /// Whether depths are compared.
    DepthTest(bool),
    /// Whether depths are written where they are compared.
    DepthWrite(bool),
    /// How depths are compared.
    DepthCompare(vk::CompareOp),
    /// Whether stencils are compared.
    StencilTest(bool),
    /// The stencil test of the faces that are named.
    Stencil(vk::StencilFaceFlags, vk::StencilOpState),
    /// Whether nothing is rasterised.
    Discards(bool),
    /// Whether the depth is biased.
    Biased(bool),
    /// Whether the largest index ends a strip.
    Restart(bool),
}

impl Late {
    /// The state that it is a number of, as pipelines name it.
    pub fn of(self) -> vk::DynamicState {
        use vk::DynamicState as S;
        match self {
            Late::Cull(_) => S::CULL_MODE,
            Late::Front(_) => S::FRONT_FACE,
            Late::Topology(_) => S::PRIMITIVE_TOPOLOGY,
            Late::DepthTest(_) => S::DEPTH_TEST_ENABLE,
            Late::DepthWrite(_) => S::DEPTH_WRITE_ENABLE,
            Late::DepthCompare(_) => S::DEPTH_COMPARE_OP,
            Late::StencilTest(_) => S::STENCIL_TEST_ENABLE,
            Late::Stencil(..) => S::STENCIL_OP,
            Late::Discards(_) => S::RASTERIZER_DISCARD_ENABLE,
            Late::Biased(_) => S::DEPTH_BIAS_ENABLE,
            Late::Restart(_) => S::PRIMITIVE_RESTART_ENABLE,
        }
    }

    /// Puts it in its place.
    pub fn put(self, given: &mut Given) {
        match self {
            Late::Cull(v) => given.cull = v,
            Late::Front(v) => given.front = v,
            Late::Topology(v) => given.topology = v,
            Late::DepthTest(v) => given.depth_test = v,
            Late::DepthWrite(v) => given.depth_write = v,
            Late::DepthCompare(v) => given.depth_compare = v,
            Late::StencilTest(v) => given.stencil_test = v,
            Late::Stencil(faces, v) => {
                for (k, face) in FACES.into_iter().enumerate() {
                    if faces.contains(face) {
                        given.stencil[k] = v;
                    }
                }
            }
            Late::Discards(v) => given.discards = v,
            Late::Biased(v) => given.biased = v,
            Late::Restart(v) => given.restart = v,
        }
    }
}

/// Front and back, by number.
pub const FACES: [vk::StencilFaceFlags; 2] = [vk::StencilFaceFlags::FRONT, vk::StencilFaceFlags::BACK];

/// Whether pipelines may leave a state to commands.
pub fn is_there(s: vk::DynamicState) -> bool {
    use vk::DynamicState as S;
    let first = S::VIEWPORT.as_raw()..=S::STENCIL_REFERENCE.as_raw();
    let second = S::CULL_MODE.as_raw()..=S::STENCIL_OP.as_raw();
    first.contains(&s.as_raw())
        || second.contains(&s.as_raw())
        || matches!(s, S::RASTERIZER_DISCARD_ENABLE | S::DEPTH_BIAS_ENABLE | S::PRIMITIVE_RESTART_ENABLE)
}
