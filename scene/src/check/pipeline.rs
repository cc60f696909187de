//! Pipelines.

use std::collections::BTreeSet;

use gpucc_pipeline::{Blend, BlendFactor, BlendOperation, Compare, StencilFace, StencilOperation, Topology};

use crate::error::{Checked, fail};
use crate::model::{DepthStencil, Fragment, Pipeline, Render, Target, VertexLayout};
use crate::{Scene, limits};

pub(super) fn check(scene: &Scene, field: &str, p: &Pipeline) -> Checked {
    let shader = |stage: &str, name: &str| match scene.shaders.get(name) {
        Some(_) => Ok(()),
        None => fail(format!("{field}.{stage}.shader"), scene.shaders.lacks("shader", name)),
    };
    let p = match p {
        Pipeline::Compute(stage) => return shader("compute", &stage.shader),
        Pipeline::Render(p) => p,
    };
    shader("vertex", &p.vertex.shader)?;
    check_vertex(&format!("{field}.vertex.buffers"), &p.vertex.buffers)?;
    let primitive = &p.primitive;
    if primitive.strip_index_format.is_some() && !primitive.topology.is_strip() {
        let message = format!("only strips have one, not `{}`", primitive.topology.name());
        return fail(format!("{field}.primitive.stripIndexFormat"), message);
    }
    if let Some(f) = &p.fragment {
        shader("fragment", &f.shader)?;
        check_targets(&format!("{field}.fragment.targets"), f)?;
    }
    if let Some(d) = &p.depth_stencil {
        check_depth_stencil(&format!("{field}.depthStencil"), d, primitive.topology)?;
    }
    let has_target = p.fragment.iter().flat_map(|f| &f.targets).any(Option::is_some);
    if !has_target && p.depth_stencil.is_none() {
        return fail(field, "a render pipeline has a target or a depth-stencil state");
    }
    check_multisample(&format!("{field}.multisample"), p)
}

fn check_vertex(field: &str, buffers: &[Option<VertexLayout>]) -> Checked {
    if buffers.len() > limits::VERTEX_BUFFERS {
        return fail(field, format!("{} vertex buffers are more than {}", buffers.len(), limits::VERTEX_BUFFERS));
    }
    let mut locations = BTreeSet::new();
    for (slot, layout) in buffers.iter().enumerate() {
        let Some(layout) = layout else { continue };
        let stride = layout.array_stride;
        let key = format!("{field}[{slot}].arrayStride");
        if stride > limits::VERTEX_STRIDE {
            return fail(key, format!("{stride} bytes are more than {}", limits::VERTEX_STRIDE));
        }
        if !stride.is_multiple_of(4) {
            return fail(key, format!("{stride} is not a multiple of 4"));
        }
        for (k, a) in layout.attributes.iter().enumerate() {
            let field = format!("{field}[{slot}].attributes[{k}]");
            let size = u64::from(a.format.bytes());
            if !a.offset.is_multiple_of(size.min(4)) {
                let message =
                    format!("{} is not a multiple of {}, as {} needs", a.offset, size.min(4), a.format.name());
                return fail(format!("{field}.offset"), message);
            }
            let most = if stride == 0 { limits::VERTEX_STRIDE } else { stride };
            if a.offset.saturating_add(size) > most {
                let message = format!("{size} bytes from {} are not in an element of {most}", a.offset);
                return fail(format!("{field}.offset"), message);
            }
            let key = format!("{field}.shaderLocation");
            if a.shader_location as usize >= limits::VERTEX_ATTRIBUTES {
                let message = format!("{} is not below {}", a.shader_location, limits::VERTEX_ATTRIBUTES);
                return fail(key, message);
            }
            if !locations.insert(a.shader_location) {
                return fail(key, format!("the location {} occurs twice", a.shader_location));
            }
        }
    }
    Ok(())
}

fn check_targets(field: &str, f: &Fragment) -> Checked {
    if f.targets.len() > limits::COLOR_ATTACHMENTS {
        return fail(field, format!("{} targets are more than {}", f.targets.len(), limits::COLOR_ATTACHMENTS));
    }
    for (k, t) in f.targets.iter().enumerate() {
        let Some(t) = t else { continue };
        check_target(&format!("{field}[{k}]"), t)?;
        if t.blend.is_some_and(|b| b.reads_second()) && f.targets.len() != 1 {
            return fail(format!("{field}[{k}].blend"), "factors of a second source need a pipeline of one target");
        }
    }
    Ok(())
}

fn check_target(field: &str, t: &Target) -> Checked {
    let name = t.format.name();
    if t.format.has_depth() || t.format.has_stencil() || !t.format.renderable() {
        return fail(format!("{field}.format"), format!("{name} is not a format of colour targets"));
    }
    if t.write_mask > 15 {
        return fail(format!("{field}.writeMask"), format!("{} has bits beside the four components", t.write_mask));
    }
    let Some(Blend { color, alpha }) = t.blend else { return Ok(()) };
    if !t.format.blendable() {
        return fail(format!("{field}.blend"), format!("{name} targets cannot blend"));
    }
    for (key, c) in [("color", color), ("alpha", alpha)] {
        let is_extreme = matches!(c.operation, BlendOperation::Min | BlendOperation::Max);
        if is_extreme && (c.src, c.dst) != (BlendFactor::One, BlendFactor::One) {
            return fail(format!("{field}.blend.{key}"), "`min` and `max` need both factors to be `one`");
        }
    }
    Ok(())
}

fn check_depth_stencil(field: &str, d: &DepthStencil, topology: Topology) -> Checked {
    let name = d.format.name();
    let (has_depth, has_stencil) = (d.format.has_depth(), d.format.has_stencil());
    if !has_depth && !has_stencil {
        return fail(format!("{field}.format"), format!("{name} has neither depth nor stencil"));
    }
    let writes = d.depth_write_enabled == Some(true);
    if !has_depth {
        if writes {
            return fail(format!("{field}.depthWriteEnabled"), format!("{name} has no depth"));
        }
        if d.depth_compare.is_some_and(|c| c != Compare::Always) {
            return fail(format!("{field}.depthCompare"), format!("{name} has no depth"));
        }
    } else {
        if d.depth_write_enabled.is_none() {
            return fail(format!("{field}.depthWriteEnabled"), format!("{name} has a depth: it must be written"));
        }
        let needs = writes || [d.stencil_front, d.stencil_back].iter().any(|f| f.depth_fail != StencilOperation::Keep);
        if needs && d.depth_compare.is_none() {
            return fail(format!("{field}.depthCompare"), "it must be written where depth or its failure is stored");
        }
    }
    for (key, face) in [("stencilFront", d.stencil_front), ("stencilBack", d.stencil_back)] {
        if !has_stencil && face != StencilFace::default() {
            return fail(format!("{field}.{key}"), format!("{name} has no stencil"));
        }
    }
    for (key, v) in [("depthBiasSlopeScale", d.depth_bias_slope_scale), ("depthBiasClamp", d.depth_bias_clamp)] {
        if !v.is_finite() {
            return fail(format!("{field}.{key}"), format!("{v} is not finite"));
        }
    }
    let is_triangles = matches!(topology, Topology::TriangleList | Topology::TriangleStrip);
    let has_bias = d.depth_bias != 0 || d.depth_bias_slope_scale != 0.0 || d.depth_bias_clamp != 0.0;
    if has_bias && !is_triangles {
        return fail(format!("{field}.depthBias"), format!("`{}` has no bias", topology.name()));
    }
    Ok(())
}

fn check_multisample(field: &str, p: &Render) -> Checked {
    let m = &p.multisample;
    if !matches!(m.count, 1 | 4) {
        return fail(format!("{field}.count"), format!("{} samples are neither 1 nor 4", m.count));
    }
    let formats = p.fragment.iter().flat_map(|f| f.targets.iter().flatten()).map(|t| t.format);
    if let Some(f) = formats.chain(p.depth_stencil.iter().map(|d| d.format)).find(|f| m.count > 1 && !f.multisampled())
    {
        return fail(format!("{field}.count"), format!("{} has one sample", f.name()));
    }
    if !m.alpha_to_coverage_enabled {
        return Ok(());
    }
    let key = format!("{field}.alphaToCoverageEnabled");
    if m.count == 1 {
        return fail(key, "it needs four samples");
    }
    match p.fragment.as_ref().and_then(|f| f.targets.first()).and_then(Option::as_ref) {
        Some(t) if t.format.blendable() && t.format.components() == 4 => Ok(()),
        _ => fail(key, "it needs a first target with alpha that can blend"),
    }
}
