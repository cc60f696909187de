//! Draws: pipelines that fit the pass, ranges of vertex and index buffers, viewport and scissor.

use gpucc_pipeline::{CullMode, Format, StencilFace, StencilOperation, StepMode};

use super::Checker;
use super::pass::Attachments;
use crate::error::{Checked, fail};
use crate::limits;
use crate::model::{Call, Draw, Pipeline, Render, VertexLayout};

impl Checker<'_> {
    /// Checks a draw; gives the vertices it shades at most.
    pub(super) fn draw(&self, field: &str, d: &Draw, pass: &Attachments) -> Checked<u64> {
        let name = &d.pipeline;
        let pipeline = match self.scene.pipelines.get(name) {
            Some(Pipeline::Render(p)) => p,
            Some(_) => return fail(format!("{field}.pipeline"), format!("`{name}` is not a render pipeline")),
            None => return fail(format!("{field}.pipeline"), self.scene.pipelines.lacks("pipeline", name)),
        };
        check_fit(&format!("{field}.pipeline"), pipeline, pass)?;
        self.bindings(field, &d.bindings)?;
        self.vertex_buffers(field, d, pipeline)?;
        self.index_buffer(field, d, pipeline)?;
        check_state(field, d, pass)?;
        Ok(match d.call {
            Call::Draw { vertex_count, instance_count, .. } => u64::from(vertex_count) * u64::from(instance_count),
            Call::Indexed { index_count, instance_count, .. } => u64::from(index_count) * u64::from(instance_count),
        })
    }

    fn vertex_buffers(&self, field: &str, d: &Draw, pipeline: &Render) -> Checked {
        let list = &d.vertex_buffers;
        if list.len() > limits::VERTEX_BUFFERS {
            let message = format!("{} vertex buffers are more than {}", list.len(), limits::VERTEX_BUFFERS);
            return fail(format!("{field}.vertexBuffers"), message);
        }
        let mut sizes = [None; limits::VERTEX_BUFFERS];
        for (slot, range) in list.iter().enumerate() {
            let Some(r) = range else { continue };
            let field = format!("{field}.vertexBuffers[{slot}]");
            if !r.offset.is_multiple_of(4) {
                return fail(format!("{field}.offset"), format!("{} is not a multiple of 4", r.offset));
            }
            sizes[slot] = self.range(&field, &r.buffer, r.offset, r.size)?;
        }
        for (slot, layout) in pipeline.vertex.buffers.iter().enumerate() {
            let Some(layout) = layout else { continue };
            let field = format!("{field}.vertexBuffers[{slot}]");
            if !matches!(list.get(slot), Some(Some(_))) {
                return fail(field, format!("the pipeline `{}` needs a vertex buffer here", d.pipeline));
            }
            let Some(have) = sizes.get(slot).copied().flatten() else { continue };
            let (count, what) = match (d.call, layout.step_mode) {
                (Call::Draw { vertex_count, first_vertex, .. }, StepMode::Vertex) => {
                    (u64::from(first_vertex) + u64::from(vertex_count), "vertices")
                }
                // Which vertices there are only the indices say; those that are outside read zero.
                (Call::Indexed { .. }, StepMode::Vertex) => continue,
                (
                    Call::Draw { instance_count, first_instance, .. }
                    | Call::Indexed { instance_count, first_instance, .. },
                    StepMode::Instance,
                ) => (u64::from(first_instance) + u64::from(instance_count), "instances"),
            };
            let need = needed(layout, count);
            if need > have {
                return fail(field, format!("{count} {what} take {need} bytes, the buffer has {have}"));
            }
        }
        Ok(())
    }

    fn index_buffer(&self, field: &str, d: &Draw, pipeline: &Render) -> Checked {
        let key = format!("{field}.indexBuffer");
        let mut have = None;
        if let Some(b) = &d.index_buffer {
            let bytes = u64::from(b.format.bytes());
            if !b.offset.is_multiple_of(bytes) {
                return fail(format!("{key}.offset"), format!("{} is not a multiple of {bytes}", b.offset));
            }
            have = self.range(&key, &b.buffer, b.offset, b.size)?.map(|size| size / bytes);
        }
        let Call::Indexed { index_count, first_index, .. } = d.call else { return Ok(()) };
        let Some(b) = &d.index_buffer else { return fail(key, "`drawIndexed` needs an index buffer") };
        let primitive = &pipeline.primitive;
        if primitive.topology.is_strip() && primitive.strip_index_format != Some(b.format) {
            let message = format!(
                "the pipeline `{}` draws strips whose `stripIndexFormat` is not `{}`",
                d.pipeline,
                b.format.name()
            );
            return fail(format!("{key}.format"), message);
        }
        let need = u64::from(first_index) + u64::from(index_count);
        match have {
            Some(have) if need > have => {
                fail(format!("{field}.drawIndexed"), format!("{need} indices are more than the {have} of the buffer"))
            }
            _ => Ok(()),
        }
    }
}

/// Bytes that so many elements take.
fn needed(layout: &VertexLayout, count: u64) -> u64 {
    let last = layout.attributes.iter().map(|a| a.offset + u64::from(a.format.bytes())).max().unwrap_or(0);
    match count.checked_sub(1) {
        Some(full) => full * layout.array_stride + last,
        None => 0,
    }
}

/// Whether a pipeline fits the attachments of the pass.
fn check_fit(field: &str, p: &Render, pass: &Attachments) -> Checked {
    let mut formats: Vec<Option<Format>> =
        p.fragment.iter().flat_map(|f| &f.targets).map(|t| t.as_ref().map(|t| t.format)).collect();
    while formats.last() == Some(&None) {
        formats.pop();
    }
    let name = |f: Option<&Option<Format>>| f.copied().flatten().map_or("none", Format::name);
    for k in 0..formats.len().max(pass.colors.len()) {
        let (target, attachment) = (name(formats.get(k)), name(pass.colors.get(k)));
        if target != attachment {
            return fail(field, format!("its target {k} is {target}, the attachment of the pass is {attachment}"));
        }
    }
    let (own, other) = (p.depth_stencil.as_ref().map(|d| d.format), pass.depth_stencil);
    if own != other {
        let attachment = |f: Option<Format>| f.map_or("no depth-stencil attachment", Format::name);
        let (expects, has) = (attachment(own), attachment(other));
        return fail(field, format!("the pipeline expects {expects}, but the pass has {has}"));
    }
    if p.multisample.count != pass.samples {
        let message = format!("it has {} samples, the attachments have {}", p.multisample.count, pass.samples);
        return fail(field, message);
    }
    let Some(d) = &p.depth_stencil else { return Ok(()) };
    if pass.is_depth_read_only && d.depth_write_enabled == Some(true) {
        return fail(field, "it writes depth, which the pass only reads");
    }
    let keeps = |f: &StencilFace| [f.fail, f.depth_fail, f.pass].iter().all(|op| *op == StencilOperation::Keep);
    let front = p.primitive.cull_mode != CullMode::Front && !keeps(&d.stencil_front);
    let back = p.primitive.cull_mode != CullMode::Back && !keeps(&d.stencil_back);
    if pass.is_stencil_read_only && d.stencil_write_mask != 0 && (front || back) {
        return fail(field, "it writes stencil, which the pass only reads");
    }
    Ok(())
}

fn check_state(field: &str, d: &Draw, pass: &Attachments) -> Checked {
    if let Some(scissor) = d.scissor {
        check_scissor(&format!("{field}.scissor"), scissor, pass)?;
    }
    for (k, &scissor) in d.scissors.iter().enumerate() {
        check_scissor(&format!("{field}.scissors[{k}]"), scissor, pass)?;
    }
    if let Some(viewport) = d.viewport {
        check_viewport(format!("{field}.viewport"), viewport)?;
    }
    for (k, &viewport) in d.viewports.iter().enumerate() {
        check_viewport(format!("{field}.viewports[{k}]"), viewport)?;
    }
    if d.viewports.len() > limits::VIEWPORTS {
        let message = format!("{} viewports are more than {}", d.viewports.len(), limits::VIEWPORTS);
        return fail(format!("{field}.viewports"), message);
    }
    if !d.scissors.is_empty() && d.scissors.len() != d.viewports.len() {
        let message = format!("{} scissors are given for {} viewports", d.scissors.len(), d.viewports.len());
        return fail(format!("{field}.scissors"), message);
    }
    match d.blend_constant.iter().find(|v| !v.is_finite()) {
        Some(v) => fail(format!("{field}.blendConstant"), format!("{v} is not finite")),
        None => Ok(()),
    }
}

fn check_scissor(field: &str, [x, y, w, h]: [u32; 4], pass: &Attachments) -> Checked {
    for (k, (at, size)) in [(x, w), (y, h)].into_iter().enumerate() {
        let most = pass.size[k];
        if u64::from(at) + u64::from(size) > u64::from(most) {
            let axis = ["columns", "rows"][k];
            return fail(field, format!("{size} {axis} from {at} are not in the {most} of the attachments"));
        }
    }
    Ok(())
}

fn check_viewport(key: String, [x, y, w, h, least, most]: [f64; 6]) -> Checked {
    let side = f64::from(limits::AXIS);
    if ![w, h].iter().all(|v| (0.0..=side).contains(v)) {
        return fail(key, format!("the size {w} x {h} is not in 0 to {side}"));
    }
    // At most twice the largest attachment on each side.
    let is_inside = |at: f64, size: f64| at >= -2.0 * side && at + size < 2.0 * side;
    if !is_inside(x, w) || !is_inside(y, h) {
        return fail(key, format!("{x}, {y} is too far outside"));
    }
    if !(0.0..=1.0).contains(&least) || !(0.0..=1.0).contains(&most) || least > most {
        return fail(key, format!("the depths {least} to {most} are no range in 0 to 1"));
    }
    Ok(())
}
