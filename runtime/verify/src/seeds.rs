//! Seeded inputs: a buffer for each buffer of a module, with what its loads read there, and textures and samplers for the others.

use gpucc_container::IMMEDIATES;
use gpucc_ir::{Attr, Module, Op, Place, Res, ResourceData, ResourceKind, Scalar, TexClass, TexDim};
use gpucc_pipeline::{Compare, Filter, Format, Pipeline};
use gpucc_sim::texture::{Dim, Image, Sampler};
use gpucc_sim::{BoundBuffer, BoundSampler, BoundTexture, Dispatch};

use crate::pointers::{self, NODES};
use crate::steps::step;

/// Elements of a runtime array.
const ELEMENTS: u32 = 256;
/// Largest buffer.
const MOST_BYTES: u64 = 1 << 20;

/// Words that are no floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Words {
    /// Small integers: indices, counts, sizes.
    Counts,
    /// Each its number: indices that do not collide.
    Numbers,
    /// Zeros.
    Zeros,
    /// Floats, whatever their loads say: from 0.5 to 2.
    Floats,
    /// Anything, floats too.
    Bits,
    /// Small integers, and floats that are nearly the rows of unit matrices: what they transform stays about where it was.
    Matrices,
    /// Smaller integers, and floats of both signs and many magnitudes.
    Wide,
    /// Any integers, and such floats.
    Mixed,
}

impl Words {
    /// The contents of a buffer on the `n`-th try to find inputs with which something is drawn.
    const TRIED: [Words; 5] = [Words::Matrices, Words::Counts, Words::Numbers, Words::Wide, Words::Mixed];
}

/// The next number of a sequence (splitmix64).
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// Which words of a buffer of this size a module accesses as floats. Nothing is known of a binding that it lacks.
pub fn kinds(module: &Module, (group, binding): (u32, u32), size: usize) -> Vec<Option<Scalar>> {
    let found = module.resources.iter().find(|(_, r)| (r.group, r.binding) == (group, binding));
    found.map_or_else(Vec::new, |(r, _)| floats(module, r, size, true))
}

/// Which words of a buffer of this size are loaded as floats, by the loads of the module, or also stored.
fn floats(module: &Module, r: Res, size: usize, stored: bool) -> Vec<Option<Scalar>> {
    // Accesses at a constant offset say more than those that may go anywhere.
    let mut loads: Vec<(u32, u32, Scalar, u32)> = Vec::new();
    for (_, f) in module.funcs.iter() {
        for (_, i) in f.insts_in_order() {
            let d = &f.insts[i];
            let Attr::Mem(m) = &d.attr else { continue };
            if m.place != Place::Buffer(r) {
                continue;
            }
            let ty = match d.op {
                Op::Load => f.ty(d.result()),
                Op::Store if stored => f.ty(d.args[0]),
                _ => continue,
            };
            let by = d.dyn_offset().map_or(0, |v| step(f, v, 0).max(m.align).max(4));
            loads.push((by, m.offset, ty.scalar(), ty.mem_bytes()));
        }
    }
    // The finest steps first; of two of one kind what is no float comes last and stays.
    loads.sort_by_key(|&(by, offset, scalar, _)| (by == 0, by, !scalar.is_float(), offset));
    let mut words = vec![None; size.div_ceil(4)];
    // The elements of the array at the end are alike, whichever is accessed.
    let r = &module.resources[r];
    let base = r.min_size.saturating_sub(r.stride);
    for (by, offset, scalar, bytes) in loads {
        let element = stored && by == 0 && r.stride > 0 && offset >= base;
        let by = if element { r.stride } else { by };
        let (first, many) = (offset as usize, by > 0);
        let mut at = match many {
            _ if element => (base + (offset - base) % r.stride) as usize,
            true => first % by as usize,
            false => first,
        };
        while at < size {
            let kind = scalar.is_float().then_some(scalar);
            let to = (at + bytes as usize).div_ceil(4).min(words.len());
            words[(at / 4).min(to)..to].fill(kind);
            if !many {
                break;
            }
            at += by as usize;
        }
    }
    words
}

/// A float from 0.5 to 2.
fn float(r: u32) -> f32 {
    0.5 + 1.5 * (r >> 8) as f32 / (1 << 24) as f32
}

/// A float of either sign from 2^-4 to 2^5.
pub(crate) fn wide(r: u32) -> f32 {
    let sign = if r & 1 == 0 { 1.0 } else { -1.0 };
    sign * float(r) * f32::exp2((r >> 1 & 7) as f32 - 3.0)
}

fn bytes(size: usize, kinds: &[Option<Scalar>], words: Words, state: &mut u64) -> Vec<u8> {
    let mut out = Vec::with_capacity(size + 4);
    for (n, kind) in kinds.iter().enumerate() {
        let r = next(state) as u32;
        let word = match (words, kind) {
            (Words::Bits, _) | (Words::Mixed, None) => r,
            (Words::Floats, _) => float(r).to_bits(),
            // From 1 to 2 in both halves.
            (_, Some(Scalar::F16)) => 0x3c00_3c00 | r & 0x03ff_03ff,
            (Words::Matrices, Some(_)) => (if n % 16 % 5 == 0 { 1.0 } else { 0.25 * (float(r) - 1.25) }).to_bits(),
            (Words::Wide | Words::Mixed, Some(_)) => wide(r).to_bits(),
            (_, Some(_)) => float(r).to_bits(),
            (Words::Wide, None) => r % 4,
            (Words::Counts | Words::Matrices, None) => r % 16,
            (Words::Numbers, None) => n as u32,
            (Words::Zeros, None) => 0,
        };
        out.extend(word.to_le_bytes());
    }
    out.truncate(size);
    out
}

/// Texels of an axis of a texture; of 3D textures and cubes a half.
const TEXELS: u32 = 16;
/// Layers of an arrayed texture.
const LAYERS: u32 = 3;

/// A texture of that form with seeded texels: levels where samples may choose among them, depths from 0 to 1.
fn image(form: (TexDim, bool), format: Format, levels: bool, samples: u32, state: &mut u64) -> Image {
    let (dim, arrayed) = form;
    let layers = if arrayed { LAYERS } else { 1 };
    let size = match dim {
        TexDim::D1 => [TEXELS, 1, layers],
        TexDim::D2 => [TEXELS, TEXELS, layers],
        TexDim::D3 => [TEXELS / 2; 3],
        TexDim::Cube => [TEXELS / 2, TEXELS / 2, 6 * layers],
    };
    let is_3d = dim == TexDim::D3;
    // Textures of one axis have one level in WebGPU.
    let levels = if levels && dim != TexDim::D1 { Image::full_chain(is_3d, size) } else { 1 };
    let mut image = Image::new(format, is_3d, size, levels, samples);
    for word in image.bytes.chunks_mut(4) {
        let r = next(state) as u32;
        let bits = match format {
            Format::Depth32Float => (float(r) * 0.5).to_bits(),
            // No infinities and no NaNs in halves and floats.
            _ if format.name().ends_with("float") => r & 0x3bff_3bff,
            _ => r,
        };
        let n = word.len();
        word.copy_from_slice(&bits.to_le_bytes()[..n]);
    }
    image
}

/// Binds what a resource is that is no buffer.
fn bind(d: &mut Dispatch, r: &ResourceData, filters: Precisions, state: &mut u64) {
    let dim = |dim| match dim {
        TexDim::D1 => Dim::D1,
        TexDim::D2 => Dim::D2,
        TexDim::D3 => Dim::D3,
        TexDim::Cube => Dim::Cube,
    };
    for element in 0..r.count {
        let (form, image) = match r.kind {
            ResourceKind::Texture { dim, arrayed, multisampled, class } => {
                let format = match class {
                    TexClass::Float | TexClass::External => Format::Rgba8Unorm,
                    TexClass::Sint => Format::Rgba8Sint,
                    TexClass::Uint => Format::Rgba8Uint,
                    TexClass::Depth => Format::Depth32Float,
                };
                (dim, image((dim, arrayed), format, !multisampled, if multisampled { 4 } else { 1 }, state))
            }
            ResourceKind::StorageTexture { dim, arrayed, format, .. } => {
                (dim, image((dim, arrayed), format, false, 1, state))
            }
            ResourceKind::Sampler { comparison } => {
                let compare = comparison.then_some(Compare::LessEqual);
                let plain = Sampler { mag: Filter::Linear, min: Filter::Linear, compare, ..Sampler::default() };
                let sampler = Sampler { precision: filters(&plain), ..plain };
                d.samplers.push(BoundSampler { group: r.group, binding: r.binding, element, sampler });
                continue;
            }
            _ => return,
        };
        let bound = BoundTexture::whole(r.group, r.binding, d.images.len(), &image, dim(form));
        d.textures.push(BoundTexture { element, ..bound });
        d.images.push(image);
    }
}

/// The precision with which a family filters by a sampler.
type Precisions = fn(&Sampler) -> gpucc_sim::texture::Precision;

/// A dispatch with every resource of the module, the given buffers as they are. Without a grid there are two workgroups in each
/// dimension that workgroups have. `family` says how samplers filter.
pub fn dispatch(module: &Module, entry: &str, family: &str, given: &InputOverrides, words: Words) -> Dispatch {
    tried(module, entry, family, given, |_| words, 1)
}

/// The same for the `n`-th try to find inputs with which something is drawn: each buffer has words of its own.
pub(crate) fn another(module: &Module, entry: &str, family: &str, given: &InputOverrides, n: u64) -> Dispatch {
    let mut state = n;
    let words = |_: Res| Words::TRIED[next(&mut state) as usize % Words::TRIED.len()];
    tried(module, entry, family, given, words, n << 8)
}

fn tried(
    module: &Module,
    entry: &str,
    family: &str,
    given: &InputOverrides,
    mut words: impl FnMut(Res) -> Words,
    mut state: u64,
) -> Dispatch {
    let size = module.entry(entry).and_then(gpucc_ir::EntryPoint::workgroup_size).unwrap_or([1; 3]);
    let usual = [2, if size[1] > 1 { 2 } else { 1 }, if size[2] > 1 { 2 } else { 1 }];
    let mut d = Dispatch::new(given.grid.unwrap_or(usual));
    // The buffers that may get addresses, with their places.
    let mut made: Vec<(Res, usize)> = Vec::new();
    for (id, r) in module.resources.iter() {
        if !r.kind.is_buffer() {
            bind(&mut d, r, gpucc_machines::sampling(family), &mut state);
            continue;
        }
        let more = u64::from(r.stride) * u64::from(ELEMENTS - 1);
        // A buffer that ends inside a word is bound as far as its end, as WebGPU's smallest binding is.
        let least = u64::from(r.min_size).next_multiple_of(4);
        let size = (u64::from(r.min_size) + more).min(MOST_BYTES).max(least) as usize;
        let fixed = given.buffers.iter().find(|b| (b.group, b.binding) == (r.group, r.binding));
        let bytes = match fixed {
            Some(b) => b.bytes.clone(),
            None => bytes(size, &floats(module, id, size, false), words(id), &mut state),
        };
        // Each entry point may have immediate data of its own: the longest serves all.
        if let Some(b) = d.buffer_mut(r.group, r.binding).filter(|_| r.kind == ResourceKind::Immediates) {
            if b.bytes.len() < bytes.len() {
                b.bytes = bytes;
            }
            if let (None, Some(place)) = (fixed, d.index_of(r.group, r.binding)) {
                made.push((id, place));
            }
            continue;
        }
        if fixed.is_none() {
            made.push((id, d.buffers.len()));
        }
        d.buffers.push(BoundBuffer { group: r.group, binding: r.binding, bytes, writable: true });
    }
    if let Some(pointers) = pointers::find(module) {
        let words = pointers.slots.first().map_or(Words::Counts, |s| words(s.0));
        let nodes = bytes(pointers.bytes(), &pointers.kinds(), words, &mut state);
        pointers.link(&mut d, nodes, &made);
    }
    d
}

/// The options of the command line about inputs.
#[derive(Clone, Debug, Default)]
pub struct InputOverrides {
    /// Workgroups in x, y and z; the usual ones if `None`.
    pub grid: Option<[u32; 3]>,
    /// Buffers that replace made ones at their binding.
    pub buffers: Vec<BoundBuffer>,
    /// The state of the pipeline that vertex and fragment entries were compiled for; without it the default.
    pub pipeline: Option<Pipeline>,
}

/// The grid and the sizes of a dispatch, for messages.
pub fn describe(d: &Dispatch) -> String {
    let [x, y, z] = d.grid;
    let buffers = d.buffers.iter().map(|b| match (b.group, b.binding) {
        IMMEDIATES => format!("{} {} bytes", b.name(), b.bytes.len()),
        NODES => format!("{} bytes that addresses lead to", b.bytes.len()),
        (group, binding) => format!("{group}:{binding} {} bytes", b.bytes.len()),
    });
    let textures = d.textures.iter().map(|t| {
        let image = &d.images[t.image];
        format!("{}:{} {} texture of {:?}", t.group, t.binding, image.format.name(), image.size)
    });
    let buffers: Vec<String> = buffers.chain(textures).collect();
    format!("grid {x},{y},{z}; buffers {}", if buffers.is_empty() { "none".into() } else { buffers.join(", ") })
}
