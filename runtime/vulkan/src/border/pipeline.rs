//! Shader modules, pipelines, caches and render passes.

use std::borrow::Cow;
use std::ffi::c_void;

use ash::vk;
use gpucc_pipeline as fixed;

use super::entry::{Alloc, entries};
use super::newer::depth_resolve;
use super::read::{chained, give, given, list, place, text};
use crate::built_in;
use crate::cache::{self, Cache};
use crate::convert::{self, state};
use crate::device::Device;
use crate::fail::{Done, Fail};
use crate::given::{Given, is_there};
use crate::handles;
use crate::pass::{Attachment, Framebuffer, RenderPass, Subpass};
use crate::pipeline::{Dynamic, Had, Pipeline, Plan, Render, Shader, Source, With};
use crate::set::PipelineLayout;
use crate::sized;

/// A stage.
///
/// # Safety
/// The structure keeps Vulkan's rules.
unsafe fn stage(
    owner: u64,
    s: &vk::PipelineShaderStageCreateInfo<'_>,
    (flags, layout): (vk::PipelineCreateFlags, &PipelineLayout),
) -> Done<Source> {
    // SAFETY: the caller's promise.
    unsafe {
        let code = match handles::get_some(owner, s.module)? {
            Some(module) => module.code.clone(),
            None => {
                let inline = chained::<vk::ShaderModuleCreateInfo<'_>>(s.p_next);
                let inline = inline.ok_or_else(|| Fail::misuse("a stage has no shader module"))?;
                std::sync::Arc::new(list(inline.p_code.cast::<u8>(), inline.code_size as u32)?.to_vec())
            }
        };
        let mut constants = Vec::new();
        if let Some(i) = s.p_specialization_info.as_ref() {
            let data = list(i.p_data.cast::<u8>(), i.data_size as u32)?;
            for e in list(i.p_map_entries, i.map_entry_count)? {
                let at = e.offset as usize;
                let part = at.checked_add(e.size).and_then(|end| data.get(at..end)).filter(|p| p.len() <= 8);
                let part = part.ok_or_else(|| Fail::misuse("a specialisation constant lies outside of its data"))?;
                let mut bits = [0; 8];
                bits[..part.len()].copy_from_slice(part);
                constants.push((e.constant_id, u64::from_le_bytes(bits)));
            }
        }
        let entry = text(s.p_name)?.to_owned();
        let changed = match built_in::given(&code, flags.contains(vk::PipelineCreateFlags::DISPATCH_BASE))? {
            Cow::Owned(changed) => Some(changed),
            Cow::Borrowed(_) => None,
        };
        let code = changed.map_or(code, std::sync::Arc::new);
        let count = |set: u32, binding: u32| {
            let set = layout.sets.get(set as usize)?.as_ref()?;
            set.bindings.iter().find(|b| b.number == binding).map(|b| b.count)
        };
        let changed = match sized::sized(&code, count) {
            Cow::Owned(changed) => Some(changed),
            Cow::Borrowed(_) => None,
        };
        let code = changed.map_or(code, std::sync::Arc::new);
        let lanes = chained::<vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo<'_>>(s.p_next);
        let subgroup_size = lanes.map(|l| l.required_subgroup_size);
        Ok(Source { code, entry, constants, subgroup_size, samplers: Vec::new() })
    }
}

/// Vertex buffers.
///
/// # Safety
/// The structure keeps Vulkan's rules.
unsafe fn vertex_buffers(v: &vk::PipelineVertexInputStateCreateInfo<'_>) -> Done<Vec<Option<fixed::VertexBuffer>>> {
    let mut out: Vec<Option<fixed::VertexBuffer>> = Vec::new();
    // SAFETY: the caller's promise.
    let (bindings, attributes) = unsafe {
        (
            list(v.p_vertex_binding_descriptions, v.vertex_binding_description_count)?,
            list(v.p_vertex_attribute_descriptions, v.vertex_attribute_description_count)?,
        )
    };
    for b in bindings {
        let k = b.binding as usize;
        if b.binding >= crate::physical::limits::VERTEX_BUFFERS {
            return Err(Fail::misuse(format!("vertex buffer {k} is beyond maxVertexInputBindings")));
        }
        if out.len() <= k {
            out.resize(k + 1, None);
        }
        let instance = b.input_rate == vk::VertexInputRate::INSTANCE;
        let step = if instance { fixed::StepMode::Instance } else { fixed::StepMode::Vertex };
        out[k] = Some(fixed::VertexBuffer { stride: b.stride.into(), step, attributes: Vec::new() });
    }
    for a in attributes {
        let format = convert::vertex_format(a.format);
        let format = format.ok_or_else(|| Fail::lacks(format!("vertex format {} is not there", a.format.as_raw())))?;
        let Some(Some(b)) = out.get_mut(a.binding as usize) else {
            return Err(Fail::misuse(format!("attribute {} has no vertex buffer", a.location)));
        };
        b.attributes.push(fixed::VertexAttribute { location: a.location, format, offset: a.offset.into() });
    }
    Ok(out)
}

/// Formats of the attachments that a pipeline draws on: colours, and depth.
type Formats = (Vec<Option<vk::Format>>, Option<vk::Format>);

/// # Safety
/// The structure keeps Vulkan's rules.
unsafe fn formats(owner: u64, i: &vk::GraphicsPipelineCreateInfo<'_>) -> Done<Formats> {
    let Some(pass) = handles::get_some(owner, i.render_pass)? else {
        // SAFETY: the caller's promise.
        return unsafe {
            let Some(r) = chained::<vk::PipelineRenderingCreateInfo<'_>>(i.p_next) else {
                return Ok((Vec::new(), None));
            };
            let is_some = |f: &vk::Format| Some(*f).filter(|f| *f != vk::Format::UNDEFINED);
            let colours = list(r.p_color_attachment_formats, r.color_attachment_count)?.iter().map(is_some).collect();
            Ok((colours, is_some(&r.depth_attachment_format).or(is_some(&r.stencil_attachment_format))))
        };
    };
    let sub = pass.subpasses.get(i.subpass as usize);
    let sub = sub.ok_or_else(|| Fail::misuse(format!("subpass {} is not there", i.subpass)))?;
    let of = |k: Option<usize>| k.and_then(|k| pass.attachments.get(k)).map(|a| a.format);
    Ok((sub.colour.iter().map(|&k| of(k)).collect(), of(sub.depth)))
}

/// The depth-stencil state of a pipeline.
fn depth(
    format: vk::Format,
    d: Option<&vk::PipelineDepthStencilStateCreateInfo<'_>>,
    bounded: bool,
) -> Done<fixed::DepthStencil> {
    let none = || Fail::lacks(format!("depth format {} is not there", format.as_raw()));
    let s = fixed::DepthStencil::new(convert::format(format).ok_or_else(none)?);
    let Some(d) = d else { return Ok(s) };
    if d.depth_bounds_test_enable == vk::TRUE && bounded {
        return Err(Fail::lacks("the depth bounds test is not there (depthBounds)"));
    }
    Ok(s)
}

/// The numbers that commands may set, of those states that a pipeline does not leave to them.
///
/// # Safety
/// The structure keeps Vulkan's rules.
unsafe fn numbers(i: &vk::GraphicsPipelineCreateInfo<'_>, dynamic: &[vk::DynamicState]) -> Done<Given> {
    use vk::DynamicState as S;
    let fixed = |s: S| !dynamic.contains(&s);
    // SAFETY: the caller's promise.
    let (r, assembly, d) = unsafe {
        (given(i.p_rasterization_state)?, given(i.p_input_assembly_state)?, i.p_depth_stencil_state.as_ref())
    };
    // Of the topology a pipeline always says the class.
    let mut out = Given { topology: assembly.topology, ..Given::default() };
    if fixed(S::CULL_MODE) {
        out.cull = r.cull_mode;
    }
    if fixed(S::FRONT_FACE) {
        out.front = r.front_face;
    }
    out.discards = fixed(S::RASTERIZER_DISCARD_ENABLE) && r.rasterizer_discard_enable == vk::TRUE;
    out.biased = fixed(S::DEPTH_BIAS_ENABLE) && r.depth_bias_enable == vk::TRUE;
    out.restart = fixed(S::PRIMITIVE_RESTART_ENABLE) && assembly.primitive_restart_enable == vk::TRUE;
    // Without rasterising the rest is not read.
    let Some(d) = d.filter(|_| !out.discards) else { return Ok(out) };
    out.depth_test = fixed(S::DEPTH_TEST_ENABLE) && d.depth_test_enable == vk::TRUE;
    out.depth_write = fixed(S::DEPTH_WRITE_ENABLE) && d.depth_write_enable == vk::TRUE;
    if fixed(S::DEPTH_COMPARE_OP) {
        out.depth_compare = d.depth_compare_op;
    }
    out.stencil_test = fixed(S::STENCIL_TEST_ENABLE) && d.stencil_test_enable == vk::TRUE;
    if fixed(S::STENCIL_OP) {
        out.stencil = [d.front, d.back];
    }
    Ok(out)
}

/// Sets of state that may be dynamic.
///
/// # Safety
/// The structure keeps Vulkan's rules.
unsafe fn dynamic(i: &vk::GraphicsPipelineCreateInfo<'_>) -> Done<Vec<vk::DynamicState>> {
    // SAFETY: the caller's promise.
    unsafe {
        i.p_dynamic_state
            .as_ref()
            .map_or(Ok(Vec::new()), |d| list(d.p_dynamic_states, d.dynamic_state_count).map(<[_]>::to_vec))
    }
}

/// What is not dynamic: values, viewports, scissors.
type Values = (Dynamic, Option<Vec<vk::Viewport>>, Option<Vec<vk::Rect2D>>);

/// The values that are part of a pipeline.
///
/// # Safety
/// The structure keeps Vulkan's rules.
unsafe fn values(i: &vk::GraphicsPipelineCreateInfo<'_>, dynamic: &[vk::DynamicState]) -> Done<Values> {
    use vk::DynamicState as S;
    let fixed = |s: S| !dynamic.contains(&s);
    // SAFETY: the caller's promise.
    unsafe {
        let (d, r) = (i.p_depth_stencil_state.as_ref(), given(i.p_rasterization_state)?);
        let b = i.p_color_blend_state.as_ref();
        let d = d.filter(|d| d.stencil_test_enable == vk::TRUE || !fixed(S::STENCIL_TEST_ENABLE));
        let both = |get: fn(&vk::StencilOpState) -> u32| d.map(|d| [get(&d.front), get(&d.back)]);
        let values = Dynamic {
            constant: b.map(|b| b.blend_constants).filter(|_| fixed(S::BLEND_CONSTANTS)),
            reference: both(|s| s.reference).filter(|_| fixed(S::STENCIL_REFERENCE)),
            read_mask: both(|s| s.compare_mask).filter(|_| fixed(S::STENCIL_COMPARE_MASK)),
            write_mask: both(|s| s.write_mask).filter(|_| fixed(S::STENCIL_WRITE_MASK)),
            bias: Some([r.depth_bias_constant_factor, r.depth_bias_slope_factor, r.depth_bias_clamp])
                .filter(|_| fixed(S::DEPTH_BIAS)),
        };
        let Some(v) = i.p_viewport_state.as_ref() else { return Ok((values, None, None)) };
        let drawn = r.rasterizer_discard_enable != vk::TRUE || !fixed(S::RASTERIZER_DISCARD_ENABLE);
        let viewports = match fixed(S::VIEWPORT) && fixed(S::VIEWPORT_WITH_COUNT) && drawn {
            true => Some(list(v.p_viewports, v.viewport_count)?.to_vec()),
            false => None,
        };
        let scissors = match fixed(S::SCISSOR) && fixed(S::SCISSOR_WITH_COUNT) && drawn {
            true => Some(list(v.p_scissors, v.scissor_count)?.to_vec()),
            false => None,
        };
        Ok((values, viewports, scissors))
    }
}

/// The fixed function of a render pipeline.
///
/// # Safety
/// The structure keeps Vulkan's rules.
unsafe fn render(owner: u64, i: &vk::GraphicsPipelineCreateInfo<'_>) -> Done<Render> {
    // SAFETY: the caller's promise.
    unsafe {
        let dynamic = dynamic(i)?;
        if let Some(s) = dynamic.iter().find(|s| !is_there(**s)) {
            return Err(Fail::lacks(format!("dynamic state {} is not there", s.as_raw())));
        }
        let r = given(i.p_rasterization_state)?;
        if r.polygon_mode != vk::PolygonMode::FILL {
            return Err(Fail::lacks("polygons are filled alone here (fillModeNonSolid)"));
        }
        let mut p = fixed::Pipeline::default();
        if let Some(v) = i.p_vertex_input_state.as_ref() {
            p.vertex = vertex_buffers(v)?;
        }
        let numbers = numbers(i, &dynamic)?;
        p.unclipped_depth = r.depth_clamp_enable == vk::TRUE;
        let discards = numbers.discards;
        if let Some(m) = i.p_multisample_state.as_ref().filter(|_| !discards) {
            p.samples = state::samples(m.rasterization_samples)? as u8;
            p.alpha_to_coverage = m.alpha_to_coverage_enable == vk::TRUE;
            p.sample_mask = m.p_sample_mask.as_ref().copied().unwrap_or(u32::MAX);
            if m.alpha_to_one_enable == vk::TRUE {
                return Err(Fail::lacks("alphas are not made one (alphaToOne)"));
            }
        }
        let (colours, deep) = formats(owner, i)?;
        if let Some(format) = deep {
            let bounded = !dynamic.contains(&vk::DynamicState::DEPTH_BOUNDS_TEST_ENABLE);
            let given = i.p_depth_stencil_state.as_ref().filter(|_| !discards);
            p.depth = Some(depth(format, given, bounded)?);
        }
        let blends = match i.p_color_blend_state.as_ref() {
            Some(b) if b.logic_op_enable == vk::TRUE => {
                return Err(Fail::lacks("there are no logic operations (logicOp)"));
            }
            Some(b) => list(b.p_attachments, b.attachment_count)?,
            None => &[],
        };
        for (k, format) in colours.iter().enumerate() {
            let Some(f) = format else {
                p.targets.push(None);
                continue;
            };
            let none = || Fail::lacks(format!("colour format {} is not there", f.as_raw()));
            let mut target = fixed::Target::new(convert::format(*f).ok_or_else(none)?);
            if let Some(b) = blends.get(k) {
                (target.write, target.blend) = (b.color_write_mask.as_raw() as u8, state::blend(b)?);
            }
            p.targets.push(Some(target));
        }
        let lines = matches!(numbers.topology, vk::PrimitiveTopology::LINE_LIST | vk::PrimitiveTopology::LINE_STRIP);
        if lines && !dynamic.contains(&vk::DynamicState::LINE_WIDTH) && r.line_width != 1.0 {
            return Err(Fail::lacks(format!("lines are one pixel wide, not {} (wideLines)", r.line_width)));
        }
        let m = i.p_multisample_state.as_ref().filter(|m| !discards && m.sample_shading_enable == vk::TRUE);
        let per_sample = m.is_some_and(|m| m.min_sample_shading * f32::from(p.samples) > 1.0);
        let (values, viewports, scissors) = values(i, &dynamic)?;
        // Values, viewports and scissors are no part of what shaders are compiled with.
        let values_alone = vk::DynamicState::VIEWPORT.as_raw()..=vk::DynamicState::STENCIL_REFERENCE.as_raw();
        let counted = [vk::DynamicState::VIEWPORT_WITH_COUNT, vk::DynamicState::SCISSOR_WITH_COUNT];
        let mut left = dynamic;
        left.retain(|s| !values_alone.contains(&s.as_raw()) && !counted.contains(s));
        left.retain(|s| *s != vk::DynamicState::DEPTH_BOUNDS_TEST_ENABLE);
        let mut out = Render {
            state: p,
            values,
            viewports,
            scissors,
            per_sample,
            fan: false,
            discards,
            biased: false,
            restart: false,
            given: numbers,
            late: left,
        };
        out.put(&numbers)?;
        Ok(out)
    }
}

/// # Safety
/// The structure keeps Vulkan's rules.
unsafe fn graphics(owner: u64, i: &vk::GraphicsPipelineCreateInfo<'_>) -> Done<Plan> {
    let layout = handles::get(owner, i.layout)?;
    // SAFETY: the caller's promise.
    unsafe {
        let stages = list(i.p_stages, i.stage_count)?;
        let find = |s| stages.iter().find(|x| x.stage == s);
        if let Some(s) =
            stages.iter().find(|s| !matches!(s.stage, vk::ShaderStageFlags::VERTEX | vk::ShaderStageFlags::FRAGMENT))
        {
            return Err(Fail::lacks(format!("stage {:#x} is not there", s.stage.as_raw())));
        }
        let vertex =
            find(vk::ShaderStageFlags::VERTEX).ok_or_else(|| Fail::misuse("a pipeline without a vertex stage"))?;
        let vertex = stage(owner, vertex, (i.flags, &layout))?;
        let render = render(owner, i)?;
        let fragment = find(vk::ShaderStageFlags::FRAGMENT).filter(|_| !render.discards);
        let fragment = fragment.map(|s| stage(owner, s, (i.flags, &layout))).transpose()?;
        Ok(Plan::Render(vertex, fragment, Box::new(render)))
    }
}

/// A pipeline that is wanted.
struct Wanted<'a> {
    flags: vk::PipelineCreateFlags,
    plan: Done<Plan>,
    /// Where the application wants to hear how it was made, and the stages in its order.
    feedback: Option<&'a vk::PipelineCreationFeedbackCreateInfo<'a>>,
    stages: Vec<vk::ShaderStageFlags>,
}

/// What is said of a pipeline or a stage; of one that was not made nothing.
fn said(had: Option<Had>) -> vk::PipelineCreationFeedback {
    use vk::PipelineCreationFeedbackFlags as F;
    let Some(had) = had else { return vk::PipelineCreationFeedback::default() };
    let hit = if had.kept { F::APPLICATION_PIPELINE_CACHE_HIT } else { F::empty() };
    vk::PipelineCreationFeedback { flags: F::VALID | hit, duration: had.nanoseconds }
}

/// Says how a pipeline was made.
///
/// # Safety
/// There is room for what is said of the pipeline and each of its stages.
unsafe fn tell(wanted: &Wanted<'_>, made: Option<&Pipeline>) -> Done {
    let Some(f) = wanted.feedback else { return Ok(()) };
    let programs: Vec<Had> = made.iter().flat_map(|p| p.programs()).map(|p| p.had).collect();
    let whole = programs
        .iter()
        .copied()
        .reduce(|a, b| Had { kept: a.kept && b.kept, nanoseconds: a.nanoseconds.saturating_add(b.nanoseconds) });
    // SAFETY: the caller's promise.
    unsafe {
        give(f.p_pipeline_creation_feedback, said(whole))?;
        for (k, stage) in wanted.stages.iter().enumerate().take(f.pipeline_stage_creation_feedback_count as usize) {
            // A fragment stage of which nothing is rasterised has no program.
            let at = usize::from(*stage == vk::ShaderStageFlags::FRAGMENT);
            give(f.p_pipeline_stage_creation_feedbacks.wrapping_add(k), said(programs.get(at).copied()))?;
        }
    }
    Ok(())
}

/// Makes several pipelines: those that fail are null, and the first failure counts. One that may not be compiled is made if the cache has its
/// code.
///
/// # Safety
/// There is room for as many handles, and for what is said of each.
unsafe fn make(
    device: &Device,
    cache: vk::PipelineCache,
    mut wanted: Vec<Wanted<'_>>,
    out: *mut vk::Pipeline,
) -> Done<vk::Result> {
    use vk::PipelineCreateFlags as F;
    let cache = handles::get_some(device.handle, cache)?;
    let none = || Err(Fail::bug("a plan that was taken"));
    let plans = wanted.iter_mut().map(|w| {
        let kept_only = w.flags.contains(F::FAIL_ON_PIPELINE_COMPILE_REQUIRED);
        (std::mem::replace(&mut w.plan, none()), With { cache: cache.clone(), kept_only })
    });
    let made = Plan::compile_all(device.chip(), plans.collect());
    let (mut without, mut over, mut failed) = (false, false, None);
    for (k, (wanted, made)) in wanted.iter().zip(made).enumerate() {
        // Behind one that ends the call nothing is made.
        let made = if over { None } else { Some(made) };
        // SAFETY: the caller's promise.
        unsafe { tell(wanted, made.as_ref().and_then(|m| m.as_ref().ok())) }?;
        let handle = match made {
            Some(Ok(p)) => handles::add(device.handle, p),
            Some(Err(f)) => {
                over = wanted.flags.contains(F::EARLY_RETURN_ON_FAILURE);
                match f.code {
                    vk::Result::PIPELINE_COMPILE_REQUIRED => without = true,
                    _ => _ = failed.get_or_insert(f),
                }
                vk::Pipeline::null()
            }
            None => vk::Pipeline::null(),
        };
        // SAFETY: the caller's promise.
        unsafe { give(out.add(k), handle) }?;
    }
    let code = if without { vk::Result::PIPELINE_COMPILE_REQUIRED } else { vk::Result::SUCCESS };
    failed.map_or(Ok(code), Err)
}

/// What both structures of a render pass say by the same names; the rest of a subpass is that of `more`, which gets its number.
///
/// # Safety
/// The structure keeps Vulkan's rules.
macro_rules! pass_of {
    ($info:expr, |$number:ident, $subpass:ident| $more:expr) => {{
        let i = $info;
        let clears = |op: vk::AttachmentLoadOp| op == vk::AttachmentLoadOp::CLEAR;
        let of = |n: u32| Some(n as usize).filter(|_| n != vk::ATTACHMENT_UNUSED);
        let attachments = list(i.p_attachments, i.attachment_count)?.iter().map(|a| Attachment {
            format: a.format,
            clears: clears(a.load_op),
            clears_stencil: clears(a.stencil_load_op),
        });
        let mut pass = RenderPass { attachments: attachments.collect(), subpasses: Vec::new() };
        for ($number, $subpass) in list(i.p_subpasses, i.subpass_count)?.iter().enumerate() {
            let (s, n) = ($subpass, $subpass.color_attachment_count);
            let resolve = if s.p_resolve_attachments.is_null() { &[] } else { list(s.p_resolve_attachments, n)? };
            pass.subpasses.push(Subpass {
                colour: list(s.p_color_attachments, n)?.iter().map(|r| of(r.attachment)).collect(),
                resolve: resolve.iter().map(|r| of(r.attachment)).collect(),
                depth: s.p_depth_stencil_attachment.as_ref().and_then(|r| of(r.attachment)),
                reads: s.input_attachment_count > 0,
                ..$more
            });
        }
        checked(pass)
    }};
}

/// # Safety
/// The structure keeps Vulkan's rules.
unsafe fn render_pass(i: &vk::RenderPassCreateInfo<'_>) -> Done<RenderPass> {
    // SAFETY: the caller's promise.
    unsafe {
        let views = chained::<vk::RenderPassMultiviewCreateInfo<'_>>(i.p_next);
        let views = views.map_or(Ok(&[][..]), |v| list(v.p_view_masks, v.subpass_count))?;
        pass_of!(i, |k, _s| Subpass { views: views.get(k).copied().unwrap_or(0), ..Subpass::default() })
    }
}

/// # Safety
/// The structure keeps Vulkan's rules.
unsafe fn render_pass2(i: &vk::RenderPassCreateInfo2<'_>) -> Done<RenderPass> {
    // SAFETY: the caller's promise.
    unsafe {
        pass_of!(i, |_k, s| Subpass {
            resolve_depth: depth_resolve(s.p_next)?,
            views: s.view_mask,
            ..Subpass::default()
        })
    }
}

/// A pass whose subpasses name attachments that there are.
fn checked(pass: RenderPass) -> Done<RenderPass> {
    let all = pass
        .subpasses
        .iter()
        .flat_map(|s| s.colour.iter().chain(&s.resolve).flatten().chain(&s.depth).chain(&s.resolve_depth));
    let most = pass.attachments.len();
    match all.copied().find(|&k| k >= most) {
        Some(k) => Err(Fail::misuse(format!("attachment {k} of {most} is named"))),
        None if pass.subpasses.is_empty() => Err(Fail::misuse("a pass without a subpass")),
        None => Ok(pass),
    }
}

entries! {
    PFN_vkCreateShaderModule => fn create_shader_module(
        device: vk::Device, info: *const vk::ShaderModuleCreateInfo<'_>, _a: Alloc<'_>, out: *mut vk::ShaderModule,
    ) -> vk::Result {
        let i = given(info)?;
        let size = u32::try_from(i.code_size).map_err(|_| Fail::memory("a shader of 4 GiB"))?;
        let code = std::sync::Arc::new(list(i.p_code.cast::<u8>(), size)?.to_vec());
        give(out, handles::add(handles::at(device)?.handle, Shader { code }))
    }
    PFN_vkCreatePipelineCache => fn create_pipeline_cache(
        device: vk::Device, info: *const vk::PipelineCacheCreateInfo<'_>, _a: Alloc<'_>, out: *mut vk::PipelineCache,
    ) -> vk::Result {
        let (device, i) = (handles::at(device)?, given(info)?);
        // No more is read than a cache takes.
        let size = i.initial_data_size.min(2 * cache::MOST) as u32;
        let cache = Cache::read(device.chip(), list(i.p_initial_data.cast::<u8>(), size)?);
        give(out, handles::add(device.handle, cache))
    }
    PFN_vkGetPipelineCacheData => fn get_pipeline_cache_data(
        device: vk::Device, cache: vk::PipelineCache, size: *mut usize, out: *mut c_void,
    ) -> vk::Result {
        let device = handles::at(device)?;
        let cache = handles::get(device.handle, cache)?;
        let room = place(size)?;
        if out.is_null() {
            *room = cache.size();
            return Ok(vk::Result::SUCCESS);
        }
        let (data, whole) = cache.data(device.chip(), *room);
        // SAFETY: there is room for so many bytes.
        std::ptr::copy_nonoverlapping(data.as_ptr(), out.cast::<u8>(), data.len());
        *room = data.len();
        Ok(if whole { vk::Result::SUCCESS } else { vk::Result::INCOMPLETE })
    }
    PFN_vkMergePipelineCaches => fn merge_pipeline_caches(
        device: vk::Device, into: vk::PipelineCache, n: u32, from: *const vk::PipelineCache,
    ) -> vk::Result {
        let owner = handles::at(device)?.handle;
        let into = handles::get(owner, into)?;
        let from = list(from, n)?.iter().map(|&c| handles::get(owner, c)).collect::<Done<Vec<_>>>()?;
        from.iter().for_each(|c| into.merge(c));
        Ok(())
    }
    PFN_vkCreateComputePipelines => fn create_compute_pipelines(
        device: vk::Device, cache: vk::PipelineCache, n: u32, infos: *const vk::ComputePipelineCreateInfo<'_>,
        _a: Alloc<'_>, out: *mut vk::Pipeline,
    ) -> vk::Result {
        let infos = list(infos, n)?;
        let device = handles::at(device)?;
        let plan = |i: &vk::ComputePipelineCreateInfo<'_>| {
            let layout = handles::get(device.handle, i.layout);
            let plan = layout.and_then(|l| stage(device.handle, &i.stage, (i.flags, &l)).map(Plan::Compute));
            Wanted { flags: i.flags, plan, feedback: chained(i.p_next), stages: vec![i.stage.stage] }
        };
        make(&device, cache, infos.iter().map(plan).collect(), out)
    }
    PFN_vkCreateGraphicsPipelines => fn create_graphics_pipelines(
        device: vk::Device, cache: vk::PipelineCache, n: u32, infos: *const vk::GraphicsPipelineCreateInfo<'_>,
        _a: Alloc<'_>, out: *mut vk::Pipeline,
    ) -> vk::Result {
        let infos = list(infos, n)?;
        let device = handles::at(device)?;
        let plan = |i: &vk::GraphicsPipelineCreateInfo<'_>| {
            let plan = graphics(device.handle, i);
            let stages = list(i.p_stages, i.stage_count).unwrap_or_default().iter().map(|s| s.stage).collect();
            Wanted { flags: i.flags, plan, feedback: chained(i.p_next), stages }
        };
        make(&device, cache, infos.iter().map(plan).collect(), out)
    }
    PFN_vkCreateRenderPass => fn create_render_pass(
        device: vk::Device, info: *const vk::RenderPassCreateInfo<'_>, _a: Alloc<'_>, out: *mut vk::RenderPass,
    ) -> vk::Result {
        give(out, handles::add(handles::at(device)?.handle, render_pass(given(info)?)?))
    }
    PFN_vkCreateRenderPass2 => fn create_render_pass2(
        device: vk::Device, info: *const vk::RenderPassCreateInfo2<'_>, _a: Alloc<'_>, out: *mut vk::RenderPass,
    ) -> vk::Result {
        give(out, handles::add(handles::at(device)?.handle, render_pass2(given(info)?)?))
    }
    PFN_vkGetRenderAreaGranularity => fn get_render_area_granularity(
        device: vk::Device, _pass: vk::RenderPass, out: *mut vk::Extent2D,
    ) {
        handles::at(device)?;
        give(out, vk::Extent2D { width: 1, height: 1 })
    }
    PFN_vkCreateFramebuffer => fn create_framebuffer(
        device: vk::Device, info: *const vk::FramebufferCreateInfo<'_>, _a: Alloc<'_>, out: *mut vk::Framebuffer,
    ) -> vk::Result {
        let owner = handles::at(device)?.handle;
        let i = given(info)?;
        // Those without images get them where a pass begins.
        let imageless = i.flags.contains(vk::FramebufferCreateFlags::IMAGELESS);
        let views = if imageless { &[] } else { list(i.p_attachments, i.attachment_count)? };
        let views = views.iter().map(|&v| handles::get(owner, v)).collect::<Done<Vec<_>>>()?;
        if views.iter().any(|v| v.seen.layers.max(1) < i.layers) {
            return Err(Fail::misuse("a framebuffer has more layers than an attachment"));
        }
        let frame = Framebuffer { views, size: [i.width, i.height], layers: i.layers };
        give(out, handles::add(owner, frame))
    }
}
