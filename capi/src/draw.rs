//! `gpucc_draw_programs`: one draw of compiled programs on the machine of their target.

use std::ffi::{c_char, c_void};
use std::ptr;

use gpucc::pipeline::{Compare, Filter, Format, IndexFormat, Pipeline};
use gpucc_container::{Container, Entry, Stage};
use gpucc_machines::DrawJob;
use gpucc_sim::draw::{Draw, Merger, Raster, Surface, Targets, VertexData, Vertices};
use gpucc_sim::raster::{Indices, Viewport};
use gpucc_sim::texture::{Dim, Image, Sampler, Wrap};
use gpucc_sim::{Dispatch, RunOptions};

use crate::border::{Fault, answers, bytes, list, text, wanted};
use crate::constants::{GPUCC_1D, GPUCC_2D, GPUCC_3D, GPUCC_CUBE, GPUCC_INVALID};
use crate::grow::{grows, taken};
use crate::pipeline;
use crate::run::{CBuffer, bind, bring_back};

/// `gpucc_bytes`: a run of the caller's bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CBytes {
    /// The first byte; null where there are none.
    pub data: *mut c_void,
    /// Length of the run in bytes.
    pub bytes: usize,
}

/// `gpucc_texture`: a bound texture with its texels.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CTexture {
    /// The texels: rows, then layers or slices, then levels, nothing between them.
    pub data: *mut c_void,
    /// Length of the texels in bytes.
    pub bytes: usize,
    /// Name of the format.
    pub format: *const c_char,
    /// Bind group of the texture.
    pub group: u32,
    /// Binding in its group.
    pub binding: u32,
    /// The dimension: `GPUCC_1D` and so on.
    pub dimension: u32,
    /// Columns of the first level, in texels.
    pub width: u32,
    /// Rows of the first level, in texels.
    pub height: u32,
    /// Slices or layers, 6 for each cube; 0 is 1.
    pub layers: u32,
    /// Number of mip levels; 0 is 1.
    pub levels: u32,
}

/// `gpucc_sampler`: a bound sampler with its modes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CSampler {
    /// Filter inside of a level; null for the nearest.
    pub filter: *const c_char,
    /// Filter between levels; null for the nearest.
    pub mipmap_filter: *const c_char,
    /// What is outside; null for the edge.
    pub address: *const c_char,
    /// Its comparison; null of one that does not compare.
    pub compare: *const c_char,
    /// Bind group of the sampler.
    pub group: u32,
    /// Binding in its group.
    pub binding: u32,
}

/// `gpucc_draw_call`: one draw with all that it reads and writes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CDrawCall {
    /// Bytes of the caller's struct.
    pub size: usize,
    /// The container of the vertex program.
    pub vertex: CBytes,
    /// That of the fragment program, which may be the same; no bytes without one.
    pub fragment: CBytes,
    /// Name of the vertex entry; null for the only one.
    pub vertex_entry: *const c_char,
    /// Name of the fragment entry; null for the only one.
    pub fragment_entry: *const c_char,
    /// Buffers of both programs.
    pub buffers: *const CBuffer,
    /// Number of buffers at `buffers`.
    pub buffer_count: usize,
    /// Textures of both programs.
    pub textures: *const CTexture,
    /// Number of textures at `textures`.
    pub texture_count: usize,
    /// Samplers of both programs.
    pub samplers: *const CSampler,
    /// Number of samplers at `samplers`.
    pub sampler_count: usize,
    /// Vertex buffers by slot.
    pub vertex_buffers: *const CBytes,
    /// Number of slots at `vertex_buffers`.
    pub vertex_buffer_count: usize,
    /// Colour targets by location.
    pub targets: *const CBytes,
    /// Number of colour targets at `targets`.
    pub target_count: usize,
    /// The depth and stencil target.
    pub depth: CBytes,
    /// Immediate data (push constants) of both programs.
    pub immediates: CBytes,
    /// Indices; no bytes without them.
    pub indices: CBytes,
    /// Name of the indices' format; null is `uint16`.
    pub index_format: *const c_char,
    /// Columns of the targets.
    pub width: u32,
    /// Rows of the targets.
    pub height: u32,
    /// Number of vertices, or of indices.
    pub vertex_count: u32,
    /// Instances; 0 is 1.
    pub instance_count: u32,
    /// First vertex, or place of the first index.
    pub first_vertex: u32,
    /// Number of the first instance.
    pub first_instance: u32,
    /// Added to each index.
    pub base_vertex: i32,
    /// Reference value of the stencil test.
    pub stencil_reference: u32,
    /// Blend constant: red, green, blue, alpha.
    pub blend_constant: [f32; 4],
}

grows! { CDrawCall: blend_constant of [f32; 4]; }

/// Texels of all textures and targets that are drawn with together, at most.
const MOST: u64 = 1 << 27;

/// The container of one entry of a stage.
fn alone(all: &[u8], name: Option<&str>, stage: Stage) -> Result<Container, Fault> {
    let mut c = Container::read(all).map_err(Fault::container)?;
    let is = |e: &Entry| e.stage == stage && name.is_none_or(|n| e.name == n);
    let found: Vec<usize> = (0..c.entries.len()).filter(|&k| is(&c.entries[k])).collect();
    let &[one] = &found[..] else {
        return Err(Fault::new(GPUCC_INVALID, "entry", format!("{} {stage:?} entries fit, not one", found.len())));
    };
    c.entries = vec![c.entries.swap_remove(one)];
    Ok(c)
}

fn size(width: u32, height: u32, layers: u32) -> Result<(), Fault> {
    let all = u64::from(width) * u64::from(height) * u64::from(layers);
    if width == 0 || height == 0 || layers == 0 || width > 1 << 14 || height > 1 << 14 || all > MOST {
        return Err(Fault::usage(format!("{width} x {height} x {layers} texels are none, or too many")));
    }
    Ok(())
}

unsafe fn filter(name: *const c_char) -> Result<Filter, Fault> {
    // SAFETY: the text is as `gpucc.h` says.
    let name = unsafe { text(name, "a filter")? };
    let found = name.map_or(Some(Filter::Nearest), Filter::parse);
    found.ok_or_else(|| Fault::usage(format!("there is no filter `{}`", name.unwrap_or_default())))
}

/// Binds copies of textures and samplers.
unsafe fn bind_textures(call: &CDrawCall, dispatch: &mut Dispatch) -> Result<(), Fault> {
    // SAFETY: lists, texts and bytes are as `gpucc.h` says.
    unsafe {
        for t in list(call.textures, call.texture_count, "textures")? {
            let name = wanted(t.format, "a format")?;
            let format = pipeline::format(name).ok_or_else(|| Fault::usage(format!("there is no format `{name}`")))?;
            let dim = match t.dimension {
                GPUCC_1D => Dim::D1,
                GPUCC_2D => Dim::D2,
                GPUCC_3D => Dim::D3,
                GPUCC_CUBE => Dim::Cube,
                n => return Err(Fault::usage(format!("there is no dimension {n}"))),
            };
            let (levels, layers) = (t.levels.max(1), t.layers.max(1));
            size(t.width, t.height, layers)?;
            let whole = [t.width, t.height, layers];
            if levels > Image::full_chain(dim == Dim::D3, whole) {
                return Err(Fault::usage(format!("a texture of {} x {} has no {levels} levels", t.width, t.height)));
            }
            let mut image = Image::new(format, dim == Dim::D3, whole, levels, 1);
            let data = bytes(t.data, t.bytes)?;
            if data.len() != image.bytes.len() {
                let (given, want) = (data.len(), image.bytes.len());
                return Err(Fault::usage(format!("a texture has {given} bytes where {want} are wanted")));
            }
            image.bytes.copy_from_slice(data);
            *dispatch = std::mem::take(dispatch).with_texture(t.group, t.binding, image, dim);
        }
        for s in list(call.samplers, call.sampler_count, "samplers")? {
            let wrap = match text(s.address, "an address mode")? {
                None | Some("clamp-to-edge") => Wrap::ClampToEdge,
                Some("repeat") => Wrap::Repeat,
                Some("mirror-repeat") => Wrap::MirrorRepeat,
                Some(other) => return Err(Fault::usage(format!("there is no address mode `{other}`"))),
            };
            let compare = match text(s.compare, "a comparison")? {
                None => None,
                Some(name) => {
                    Some(Compare::parse(name).ok_or_else(|| Fault::usage(format!("there is no comparison `{name}`")))?)
                }
            };
            let (inside, mip) = (filter(s.filter)?, filter(s.mipmap_filter)?);
            let sampler = Sampler { wrap: [wrap; 3], mag: inside, min: inside, mip, compare, ..Sampler::default() };
            *dispatch = std::mem::take(dispatch).with_sampler(s.group, s.binding, sampler);
        }
    }
    Ok(())
}

/// A copy of a target.
unsafe fn surface(format: Format, call: &CDrawCall, samples: u32, given: CBytes) -> Result<Surface, Fault> {
    let mut s = Surface::new(format, call.width, call.height, samples);
    // SAFETY: the bytes are as `gpucc.h` says.
    let data = unsafe { bytes(given.data, given.bytes)? };
    if data.len() != s.bytes.len() {
        let (given, want) = (data.len(), s.bytes.len());
        return Err(Fault::usage(format!("a target of {} has {given} bytes where {want} are wanted", format.name())));
    }
    s.bytes.copy_from_slice(data);
    Ok(s)
}

/// Copies of all targets of a pipeline.
unsafe fn targets(call: &CDrawCall, p: &Pipeline) -> Result<Targets, Fault> {
    let samples = p.samples.into();
    size(call.width, call.height, samples)?;
    // SAFETY: lists and bytes are as `gpucc.h` says.
    unsafe {
        let given = list(call.targets, call.target_count, "targets")?;
        let mut colour = Vec::new();
        for (k, t) in p.targets.iter().enumerate() {
            colour.push(match (t, given.get(k)) {
                (None, _) => None,
                (Some(t), Some(g)) => Some(surface(t.format, call, samples, *g)?),
                (Some(_), None) => return Err(Fault::usage(format!("target {k} is missing"))),
            });
        }
        let depth = match &p.depth {
            None => None,
            Some(d) => Some(surface(d.format, call, samples, call.depth)?),
        };
        Ok(Targets::new(colour, depth))
    }
}

/// Leaves what was drawn and written with the caller, also after a trap.
unsafe fn bring(call: &CDrawCall, buffers: &[CBuffer], dispatch: &Dispatch, targets: &Targets) -> Result<(), Fault> {
    let copy = |from: &[u8], to: &CBytes| {
        // SAFETY: as many bytes as were read from there.
        unsafe { ptr::copy(from.as_ptr(), to.data.cast(), from.len().min(to.bytes)) };
    };
    // SAFETY: lists are as `gpucc.h` says.
    unsafe {
        bring_back(buffers, dispatch);
        for (t, image) in list(call.textures, call.texture_count, "textures")?.iter().zip(&dispatch.images) {
            copy(&image.bytes, &CBytes { data: t.data, bytes: t.bytes });
        }
        let given = list(call.targets, call.target_count, "targets")?;
        for (s, g) in targets.colour.iter().zip(given) {
            s.iter().for_each(|s| copy(&s.bytes, g));
        }
        targets.depth.iter().for_each(|s| copy(&s.bytes, &call.depth));
    }
    Ok(())
}

unsafe fn draw(call: &CDrawCall) -> Result<(), Fault> {
    // SAFETY: pointers are as `gpucc.h` says.
    unsafe {
        let names = (text(call.vertex_entry, "entry")?, text(call.fragment_entry, "entry")?);
        let vertex = alone(bytes(call.vertex.data, call.vertex.bytes)?, names.0, Stage::Vertex)?;
        let fragment = match bytes(call.fragment.data, call.fragment.bytes)? {
            [] => None,
            all => Some(alone(all, names.1, Stage::Fragment)?),
        };
        if fragment.as_ref().is_some_and(|f| (&f.family, &f.generation) != (&vertex.family, &vertex.generation)) {
            return Err(Fault::usage("both programs of a draw are for one target"));
        }
        let state = fragment.as_ref().unwrap_or(&vertex).entries[0].pipeline.as_deref();
        let own = vertex.entries[0].pipeline.as_deref();
        let (Some(state), Some(own)) = (state, own) else {
            return Err(Fault::new(GPUCC_INVALID, "container", "a container of a draw has no state of a pipeline"));
        };
        let p = Pipeline { vertex: own.vertex.clone(), topology: own.topology, ..state.clone() };
        let mut dispatch = Dispatch::new([1; 3]);
        let buffers = list(call.buffers, call.buffer_count, "buffers")?;
        bind(buffers, &mut dispatch)?;
        let immediates = bytes(call.immediates.data, call.immediates.bytes)?;
        if !immediates.is_empty() {
            dispatch = dispatch.with_immediates(immediates.to_vec());
        }
        bind_textures(call, &mut dispatch)?;
        let mut targets = targets(call, &p)?;
        let given = list(call.vertex_buffers, call.vertex_buffer_count, "vertex buffers")?;
        let mut vertex_buffers = Vec::new();
        for (k, layout) in p.vertex.iter().enumerate() {
            vertex_buffers.push(match (layout, given.get(k)) {
                (None, _) => None,
                (Some(layout), Some(b)) => Some(VertexData { layout, bytes: bytes(b.data, b.bytes)? }),
                (Some(_), None) => return Err(Fault::usage(format!("vertex buffer {k} is missing"))),
            });
        }
        let index_format = match text(call.index_format, "index format")? {
            None => IndexFormat::Uint16,
            Some(name) => {
                IndexFormat::parse(name).ok_or_else(|| Fault::usage(format!("there is no index format `{name}`")))?
            }
        };
        let indices = bytes(call.indices.data, call.indices.bytes)?;
        let indices =
            (!indices.is_empty()).then_some(Indices { bytes: indices, wide: index_format == IndexFormat::Uint32 });
        let (w, h) = (call.width, call.height);
        let viewport = Viewport { x: 0.0, y: 0.0, width: w as f32, height: h as f32, min_depth: 0.0, max_depth: 1.0 };
        let call_of = Draw {
            vertices: Vertices {
                first: call.first_vertex,
                instances: call.instance_count.max(1),
                first_instance: call.first_instance,
                indices,
                base: call.base_vertex,
                restart: p.strip_index.is_some(),
                ..Vertices::new(p.topology, call.vertex_count)
            },
            raster: Raster::of(&p, viewport, [0, 0, w, h]),
            viewports: Vec::new(),
            merger: Merger::of(&p, call.blend_constant, call.stencil_reference),
            seed: None,
        };
        let job = DrawJob {
            programs: (&vertex, fragment.as_ref()),
            pipeline: &p,
            draw: &call_of,
            vertex_buffers: &vertex_buffers,
        };
        let done = gpucc_machines::draw(&job, &mut dispatch, &mut targets, &RunOptions::default());
        bring(call, buffers, &dispatch, &targets)?;
        done.map(drop).map_err(|t| Fault::trap(&t, ""))
    }
}

answers! {
    fn gpucc_draw_programs(call: *const CDrawCall) |_| {
        if call.is_null() {
            return Err(Fault::usage("the draw must not be NULL"));
        }
        draw(&taken(call).map_err(Fault::usage)?)
    }
}
