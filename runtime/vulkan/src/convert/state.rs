//! The fixed function of render pipelines.

use ash::vk;
use gpucc_pipeline::{
    Blend, BlendComponent, BlendFactor, BlendOperation, Compare, CullMode, FrontFace, StencilFace, StencilOperation,
    Topology,
};

use crate::fail::{Done, Fail};

/// A value of an enumeration by its number.
fn nth<T: Copy>(list: &[T], raw: i32, what: &str) -> Done<T> {
    let found = usize::try_from(raw).ok().and_then(|k| list.get(k)).copied();
    found.ok_or_else(|| Fail::misuse(format!("{raw} is no {what}")))
}

/// A comparison.
///
/// # Errors
/// A number that Vulkan does not have.
pub fn compare(c: vk::CompareOp) -> Done<Compare> {
    use Compare::{Always, Equal, Greater, GreaterEqual, Less, LessEqual, Never, NotEqual};
    let all = [Never, Less, Equal, LessEqual, Greater, NotEqual, GreaterEqual, Always];
    nth(&all, c.as_raw(), "comparison")
}

/// A topology.
///
/// # Errors
/// A number that Vulkan does not have, or a topology that no device here has.
pub fn topology(t: vk::PrimitiveTopology) -> Done<Topology> {
    match t {
        vk::PrimitiveTopology::POINT_LIST => Ok(Topology::PointList),
        vk::PrimitiveTopology::LINE_LIST => Ok(Topology::LineList),
        vk::PrimitiveTopology::LINE_STRIP => Ok(Topology::LineStrip),
        vk::PrimitiveTopology::TRIANGLE_LIST => Ok(Topology::TriangleList),
        vk::PrimitiveTopology::TRIANGLE_STRIP => Ok(Topology::TriangleStrip),
        other => Err(Fail::lacks(format!("topology {} is not there", other.as_raw()))),
    }
}

/// A mode of culling. Both faces together have none here: such a draw shades vertices alone.
pub fn cull(c: vk::CullModeFlags) -> Option<CullMode> {
    match c {
        vk::CullModeFlags::FRONT => Some(CullMode::Front),
        vk::CullModeFlags::BACK => Some(CullMode::Back),
        vk::CullModeFlags::FRONT_AND_BACK => None,
        _ => Some(CullMode::None),
    }
}

/// Which triangles are front-facing.
pub fn front_face(f: vk::FrontFace) -> FrontFace {
    if f == vk::FrontFace::CLOCKWISE { FrontFace::Cw } else { FrontFace::Ccw }
}

/// A factor, of the colour or of the alpha.
fn factor(f: vk::BlendFactor, alpha: bool) -> Done<BlendFactor> {
    use BlendFactor as O;
    use vk::BlendFactor as B;
    Ok(match f {
        B::ZERO => O::Zero,
        B::ONE => O::One,
        B::SRC_COLOR => O::Src,
        B::ONE_MINUS_SRC_COLOR => O::OneMinusSrc,
        B::DST_COLOR => O::Dst,
        B::ONE_MINUS_DST_COLOR => O::OneMinusDst,
        B::SRC_ALPHA => O::SrcAlpha,
        B::ONE_MINUS_SRC_ALPHA => O::OneMinusSrcAlpha,
        B::DST_ALPHA => O::DstAlpha,
        B::ONE_MINUS_DST_ALPHA => O::OneMinusDstAlpha,
        B::SRC_ALPHA_SATURATE => O::SrcAlphaSaturated,
        B::SRC1_COLOR => O::Src1,
        B::ONE_MINUS_SRC1_COLOR => O::OneMinusSrc1,
        B::SRC1_ALPHA => O::Src1Alpha,
        B::ONE_MINUS_SRC1_ALPHA => O::OneMinusSrc1Alpha,
        // The factor of each component is the constant's own, which for alpha is its alpha.
        B::CONSTANT_COLOR => O::Constant,
        B::ONE_MINUS_CONSTANT_COLOR => O::OneMinusConstant,
        B::CONSTANT_ALPHA if alpha => O::Constant,
        B::ONE_MINUS_CONSTANT_ALPHA if alpha => O::OneMinusConstant,
        B::CONSTANT_ALPHA | B::ONE_MINUS_CONSTANT_ALPHA => {
            return Err(Fail::lacks("colours are not blended by the constant's alpha here"));
        }
        other => return Err(Fail::misuse(format!("{} is no blend factor", other.as_raw()))),
    })
}

fn component((src, dst, op): (vk::BlendFactor, vk::BlendFactor, vk::BlendOp), alpha: bool) -> Done<BlendComponent> {
    use BlendOperation::{Add, Max, Min, ReverseSubtract, Subtract};
    let operation = nth(&[Add, Subtract, ReverseSubtract, Min, Max], op.as_raw(), "blend operation")?;
    // Minimum and maximum have no factors.
    let own = matches!(operation, Min | Max);
    let one = |f| if own { Ok(BlendFactor::One) } else { factor(f, alpha) };
    Ok(BlendComponent { operation, src: one(src)?, dst: one(dst)? })
}

/// The blending of a target, if it has any.
///
/// # Errors
/// A number that Vulkan does not have, or what no device here has.
pub fn blend(b: &vk::PipelineColorBlendAttachmentState) -> Done<Option<Blend>> {
    if b.blend_enable != vk::TRUE {
        return Ok(None);
    }
    let color = component((b.src_color_blend_factor, b.dst_color_blend_factor, b.color_blend_op), false)?;
    let alpha = component((b.src_alpha_blend_factor, b.dst_alpha_blend_factor, b.alpha_blend_op), true)?;
    Ok(Some(Blend { color, alpha }))
}

/// The stencil test of a facing.
///
/// # Errors
/// A number that Vulkan does not have.
pub fn stencil(s: &vk::StencilOpState) -> Done<StencilFace> {
    use StencilOperation::{DecrementClamp, DecrementWrap, IncrementClamp, IncrementWrap, Invert, Keep, Replace, Zero};
    let all = [Keep, Zero, Replace, IncrementClamp, DecrementClamp, Invert, IncrementWrap, DecrementWrap];
    let op = |o: vk::StencilOp| nth(&all, o.as_raw(), "stencil operation");
    Ok(StencilFace {
        compare: compare(s.compare_op)?,
        fail: op(s.fail_op)?,
        depth_fail: op(s.depth_fail_op)?,
        pass: op(s.pass_op)?,
    })
}

/// Samples of a pixel.
///
/// # Errors
/// A number that no device here has.
pub fn samples(s: vk::SampleCountFlags) -> Done<u32> {
    match s {
        vk::SampleCountFlags::TYPE_1 => Ok(1),
        vk::SampleCountFlags::TYPE_4 => Ok(4),
        other => Err(Fail::lacks(format!("{} samples of a pixel are not there: 1 or 4 are", other.as_raw()))),
    }
}
