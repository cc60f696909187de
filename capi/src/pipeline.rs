//! `gpucc_pipeline`: the state of a render pipeline, from C and to C.

use std::ffi::{CString, c_char};
use std::ptr;

use gpucc::pipeline::{
    Blend, BlendComponent, BlendFactor, BlendOperation, Compare, CullMode, DepthBias, DepthStencil, Filter, Format,
    FrontFace, IndexFormat, Pipeline, SamplerFacts, StencilFace, StencilOperation, StepMode, Target, Topology,
    VertexAttribute, VertexBuffer, VertexFormat,
};

use crate::border::{Fault, c_text, list, text};
use crate::grow::grows;

/// `gpucc_vertex_attribute`: one attribute of a vertex buffer.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CVertexAttribute {
    /// Name of the vertex format.
    pub format: *const c_char,
    /// Bytes from the start of an element.
    pub offset: u64,
    /// Location of the shader's input.
    pub location: u32,
}

/// `gpucc_vertex_buffer`: layout of one vertex buffer.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CVertexBuffer {
    /// The step; null of a slot without buffer.
    pub step: *const c_char,
    /// The contents of an element.
    pub attributes: *const CVertexAttribute,
    /// Number of rows at `attributes`.
    pub attribute_count: usize,
    /// Bytes from one element to the next.
    pub stride: u64,
}

/// `gpucc_blend_component`: the equation of colour or alpha.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CBlendComponent {
    /// Name of the operation that joins the products.
    pub operation: *const c_char,
    /// Factor of the fragment's value.
    pub src: *const c_char,
    /// Factor of the target's.
    pub dst: *const c_char,
}

/// `gpucc_target`: one colour target of a pipeline.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CTarget {
    /// The format; null of a location without target.
    pub format: *const c_char,
    /// Blending of colour; without an operation there is none.
    pub color: CBlendComponent,
    /// Blending of alpha, where the target blends.
    pub alpha: CBlendComponent,
    /// Components that are written.
    pub write: u32,
}

/// `gpucc_stencil_face`: stencil test and operations of one face.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CStencilFace {
    /// Name of the test's comparison.
    pub compare: *const c_char,
    /// Operation where the stencil test fails.
    pub fail: *const c_char,
    /// Where the depth fails.
    pub depth_fail: *const c_char,
    /// Operation where both tests pass.
    pub pass: *const c_char,
}

/// `gpucc_depth_stencil`: depth and stencil state of a pipeline.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CDepthStencil {
    /// Name of the attachment's format.
    pub format: *const c_char,
    /// Comparison of depths: `fragment OP stored`.
    pub depth_compare: *const c_char,
    /// Stencil of front faces.
    pub front: CStencilFace,
    /// And of back faces.
    pub back: CStencilFace,
    /// Whether depth is written.
    pub depth_write: u32,
    /// Bits of the stencil that are compared.
    pub read_mask: u32,
    /// Bits that are written.
    pub write_mask: u32,
}

/// `gpucc_sampler_facts`: filter and comparison of one sampler.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CSamplerFacts {
    /// Its comparison; null of one that does not compare.
    pub compare: *const c_char,
    /// Name of its filter.
    pub filter: *const c_char,
    /// Bind group of the sampler.
    pub group: u32,
    /// Binding in its group.
    pub binding: u32,
}

/// `gpucc_pipeline`: the state of a render pipeline.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CPipeline {
    /// Bytes of the caller's struct.
    pub size: usize,
    /// Vertex buffers by slot.
    pub vertex: *const CVertexBuffer,
    /// Number of slots at `vertex`.
    pub vertex_count: usize,
    /// Colour targets by location.
    pub targets: *const CTarget,
    /// Number of targets at `targets`.
    pub target_count: usize,
    /// Samplers that code must know.
    pub samplers: *const CSamplerFacts,
    /// Number of rows at `samplers`.
    pub sampler_count: usize,
    /// Depth and stencil; null without an attachment.
    pub depth: *const CDepthStencil,
    /// How vertices make primitives.
    pub topology: *const c_char,
    /// Index format whose largest value ends a strip; null if none does.
    pub strip_index: *const c_char,
    /// Which triangles are front-facing.
    pub front_face: *const c_char,
    /// Which are not drawn.
    pub cull: *const c_char,
    /// Samples of a pixel; 0 is 1.
    pub samples: u32,
    /// Samples that may not be written, a bit each.
    pub excluded_samples: u32,
    /// Whether alpha makes a mask of samples.
    pub alpha_to_coverage: u32,
    /// Whether nothing is clipped in depth.
    pub unclipped_depth: u32,
    /// Depth bias: its constant.
    pub bias_constant: i32,
    /// Depth bias for each unit of slope.
    pub bias_slope: f32,
    /// Largest amount of the depth bias; 0 for no limit.
    pub bias_clamp: f32,
}

grows! { CPipeline: bias_clamp of f32; }

/// A value of an enumeration by its name; `None` for NULL.
///
/// # Safety
/// `name` is NULL or ends in a zero.
unsafe fn named<T>(name: *const c_char, what: &str, parse: fn(&str) -> Option<T>) -> Result<Option<T>, Fault> {
    // SAFETY: as the caller says.
    let Some(name) = (unsafe { text(name, what)? }) else { return Ok(None) };
    parse(name).map(Some).ok_or_else(|| Fault::usage(format!("there is no {what} `{name}`")))
}

/// The same; NULL is the first one of its kind.
///
/// # Safety
/// As [`named`].
unsafe fn named_or<T: Default>(name: *const c_char, what: &str, parse: fn(&str) -> Option<T>) -> Result<T, Fault> {
    // SAFETY: as the caller says.
    Ok(unsafe { named(name, what, parse)? }.unwrap_or_default())
}

/// The same; NULL is an error.
///
/// # Safety
/// As [`named`].
unsafe fn must<T>(name: *const c_char, what: &str, parse: fn(&str) -> Option<T>) -> Result<T, Fault> {
    // SAFETY: as the caller says.
    let found = unsafe { named(name, what, parse)? };
    found.ok_or_else(|| Fault::usage(format!("a {what} must not be NULL")))
}

/// The format of a name.
pub(crate) fn format(name: &str) -> Option<Format> {
    Format::parse(name).ok()
}

unsafe fn component(c: &CBlendComponent) -> Result<BlendComponent, Fault> {
    // SAFETY: texts are as `gpucc.h` says.
    unsafe {
        Ok(BlendComponent {
            operation: must(c.operation, "blend operation", BlendOperation::parse)?,
            src: must(c.src, "blend factor", BlendFactor::parse)?,
            dst: must(c.dst, "blend factor", BlendFactor::parse)?,
        })
    }
}

unsafe fn face(f: &CStencilFace) -> Result<StencilFace, Fault> {
    let keep = StencilOperation::parse;
    // SAFETY: texts are as `gpucc.h` says.
    unsafe {
        Ok(StencilFace {
            compare: named(f.compare, "comparison", Compare::parse)?.unwrap_or(Compare::Always),
            fail: named(f.fail, "stencil operation", keep)?.unwrap_or(StencilOperation::Keep),
            depth_fail: named(f.depth_fail, "stencil operation", keep)?.unwrap_or(StencilOperation::Keep),
            pass: named(f.pass, "stencil operation", keep)?.unwrap_or(StencilOperation::Keep),
        })
    }
}

/// The vertex buffers of a pipeline.
unsafe fn vertex(p: &CPipeline) -> Result<Vec<Option<VertexBuffer>>, Fault> {
    // SAFETY: lists and texts are as `gpucc.h` says.
    let one = |b: &CVertexBuffer| unsafe {
        let Some(step) = named(b.step, "step", StepMode::parse)? else { return Ok(None) };
        let attributes = list(b.attributes, b.attribute_count, "attributes")?.iter().map(|a| {
            let format = must(a.format, "vertex format", VertexFormat::parse)?;
            Ok(VertexAttribute { location: a.location, format, offset: a.offset })
        });
        Ok(Some(VertexBuffer { stride: b.stride, step, attributes: attributes.collect::<Result<_, Fault>>()? }))
    };
    // SAFETY: as above.
    unsafe { list(p.vertex, p.vertex_count, "vertex buffers")? }.iter().map(one).collect()
}

/// The colour targets of a pipeline.
unsafe fn targets(p: &CPipeline) -> Result<Vec<Option<Target>>, Fault> {
    // SAFETY: texts are as `gpucc.h` says.
    let one = |t: &CTarget| unsafe {
        let Some(format) = named(t.format, "format", format)? else { return Ok(None) };
        let write = u8::try_from(t.write).ok().filter(|w| *w < 16);
        let write = write.ok_or_else(|| Fault::usage(format!("a target has no components {:#x}", t.write)))?;
        let blend = if t.color.operation.is_null() {
            None
        } else {
            Some(Blend { color: component(&t.color)?, alpha: component(&t.alpha)? })
        };
        Ok(Some(Target { format, write, blend }))
    };
    // SAFETY: as above.
    unsafe { list(p.targets, p.target_count, "targets")? }.iter().map(one).collect()
}

/// The pipeline that C describes.
///
/// # Safety
/// Lists and texts are as `gpucc.h` says.
pub(crate) unsafe fn read(p: &CPipeline) -> Result<Pipeline, Fault> {
    // SAFETY: as the caller says.
    unsafe {
        let depth = match p.depth.as_ref() {
            None => None,
            Some(d) => Some(DepthStencil {
                format: must(d.format, "format", format)?,
                depth_compare: named(d.depth_compare, "comparison", Compare::parse)?.unwrap_or(Compare::Always),
                depth_write: d.depth_write != 0,
                front: face(&d.front)?,
                back: face(&d.back)?,
                read_mask: d.read_mask,
                write_mask: d.write_mask,
            }),
        };
        let fact = |s: &CSamplerFacts| {
            Ok(SamplerFacts {
                group: s.group,
                binding: s.binding,
                compare: named(s.compare, "comparison", Compare::parse)?,
                filter: must(s.filter, "filter", Filter::parse)?,
            })
        };
        let samples = if p.samples == 0 { 1 } else { p.samples };
        let samples = u8::try_from(samples).map_err(|_| Fault::usage(format!("there are no {samples} samples")))?;
        Ok(Pipeline {
            vertex: vertex(p)?,
            topology: named_or(p.topology, "topology", Topology::parse)?,
            strip_index: named(p.strip_index, "index format", IndexFormat::parse)?,
            front_face: named_or(p.front_face, "front face", FrontFace::parse)?,
            cull: named_or(p.cull, "cull mode", CullMode::parse)?,
            unclipped_depth: p.unclipped_depth != 0,
            targets: targets(p)?,
            depth,
            bias: DepthBias { constant: p.bias_constant, slope: p.bias_slope, clamp: p.bias_clamp },
            samples,
            sample_mask: !p.excluded_samples,
            alpha_to_coverage: p.alpha_to_coverage != 0,
            samplers: list(p.samplers, p.sampler_count, "samplers")?.iter().map(fact).collect::<Result<_, _>>()?,
        })
    }
}

/// A pipeline for C with everything that it points to.
#[derive(Debug)]
pub(crate) struct Kept {
    /// The struct that C is given.
    pub row: CPipeline,
    _vertex: Vec<CVertexBuffer>,
    _attributes: Vec<Vec<CVertexAttribute>>,
    _targets: Vec<CTarget>,
    _samplers: Vec<CSamplerFacts>,
    _depth: Option<Box<CDepthStencil>>,
    _texts: Vec<CString>,
}

/// The first of a list; null where there is none.
fn first<T>(list: &[T]) -> *const T {
    if list.is_empty() { ptr::null() } else { list.as_ptr() }
}

/// A pipeline as C reads it.
pub(crate) fn kept(p: &Pipeline) -> Kept {
    let mut texts: Vec<CString> = Vec::new();
    let mut keep = |text: &str| {
        let text = c_text(text);
        let at = text.as_ptr();
        texts.push(text);
        at
    };
    let mut attributes = Vec::new();
    let mut buffers = Vec::new();
    for b in &p.vertex {
        let Some(b) = b else {
            let (step, attributes) = (ptr::null(), ptr::null());
            buffers.push(CVertexBuffer { step, attributes, attribute_count: 0, stride: 0 });
            continue;
        };
        let one = |a: &VertexAttribute| (a.format.name(), a.offset, a.location);
        let list = b.attributes.iter().map(one);
        let list: Vec<CVertexAttribute> =
            list.map(|(f, offset, location)| CVertexAttribute { format: keep(f), offset, location }).collect();
        let step = keep(b.step.name());
        buffers.push(CVertexBuffer { step, attributes: first(&list), attribute_count: list.len(), stride: b.stride });
        attributes.push(list);
    }
    let no_part = CBlendComponent { operation: ptr::null(), src: ptr::null(), dst: ptr::null() };
    let mut targets = Vec::new();
    for t in &p.targets {
        let mut part = |c: &BlendComponent| CBlendComponent {
            operation: keep(c.operation.name()),
            src: keep(c.src.name()),
            dst: keep(c.dst.name()),
        };
        let blend = t.as_ref().and_then(|t| t.blend.as_ref());
        let (color, alpha) = blend.map_or((no_part, no_part), |b| (part(&b.color), part(&b.alpha)));
        let format = t.as_ref().map_or(ptr::null(), |t| keep(t.format.name()));
        targets.push(CTarget { format, color, alpha, write: t.as_ref().map_or(0, |t| t.write.into()) });
    }
    let samplers: Vec<CSamplerFacts> = p
        .samplers
        .iter()
        .map(|s| CSamplerFacts {
            compare: s.compare.map_or(ptr::null(), |c| keep(c.name())),
            filter: keep(s.filter.name()),
            group: s.group,
            binding: s.binding,
        })
        .collect();
    let depth = p.depth.as_ref().map(|d| {
        let mut face = |f: &StencilFace| CStencilFace {
            compare: keep(f.compare.name()),
            fail: keep(f.fail.name()),
            depth_fail: keep(f.depth_fail.name()),
            pass: keep(f.pass.name()),
        };
        let (front, back) = (face(&d.front), face(&d.back));
        Box::new(CDepthStencil {
            format: keep(d.format.name()),
            depth_compare: keep(d.depth_compare.name()),
            front,
            back,
            depth_write: d.depth_write.into(),
            read_mask: d.read_mask,
            write_mask: d.write_mask,
        })
    });
    let row = CPipeline {
        size: size_of::<CPipeline>(),
        vertex: first(&buffers),
        vertex_count: buffers.len(),
        targets: first(&targets),
        target_count: targets.len(),
        samplers: first(&samplers),
        sampler_count: samplers.len(),
        depth: depth.as_deref().map_or(ptr::null(), ptr::from_ref),
        topology: keep(p.topology.name()),
        strip_index: p.strip_index.map_or(ptr::null(), |f| keep(f.name())),
        front_face: keep(p.front_face.name()),
        cull: keep(p.cull.name()),
        samples: p.samples.into(),
        excluded_samples: !p.sample_mask,
        alpha_to_coverage: p.alpha_to_coverage.into(),
        unclipped_depth: p.unclipped_depth.into(),
        bias_constant: p.bias.constant,
        bias_slope: p.bias.slope,
        bias_clamp: p.bias.clamp,
    };
    Kept {
        row,
        _vertex: buffers,
        _attributes: attributes,
        _targets: targets,
        _samplers: samplers,
        _depth: depth,
        _texts: texts,
    }
}
