//! Where texels lie: a texture's bytes, or those of one of its planes, in the layout of a family.

use gpucc_container::{DescriptorKey, Resource, TextureFact, Variant};
use gpucc_sim::texture::{Codec, Dim, Filter, Format, Image, Sampler, TexelAt};
use gpucc_sim::{BoundTexture, Dispatch, Trap};

/// The part of a texture that a surface holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plane {
    /// All of it.
    Colour,
    /// The depth.
    Depth,
    /// The stencil.
    Stencil,
    /// The first 64 bits of texels of 128 bits.
    Low,
    /// The last 64 bits of them.
    High,
    /// Components as 32-bit floats, for units that have no code for the format. It is only read.
    Floats {
        /// The first of them.
        first: u8,
        /// How many: one or two.
        count: u8,
    },
}

impl Plane {
    /// The plane that a view reads where depth and stencil lie apart.
    pub fn of(view: &BoundTexture, image: &Image) -> Plane {
        if view.stencil {
            Plane::Stencil
        } else if image.format.has_depth() {
            Plane::Depth
        } else {
            Plane::Colour
        }
    }

    /// The format of its texels as a view reads them: of depth and stencil that of the texture.
    pub fn format(self, view: &BoundTexture, image: &Image) -> Format {
        match self {
            Plane::Stencil => Format::Stencil8,
            Plane::Depth => image.format,
            Plane::Floats { count: 1, .. } => Format::R32Float,
            Plane::Floats { .. } => Format::Rg32Float,
            Plane::Colour | Plane::Low | Plane::High => view.format,
        }
    }

    /// Place of its bytes in a texel of the texture, and how many they are in the surface.
    pub fn bytes(self, format: Format) -> (usize, usize) {
        match (self, format) {
            (Plane::Stencil, Format::Depth24PlusStencil8) => (3, 1),
            (Plane::Stencil, Format::Depth32FloatStencil8) => (4, 1),
            (_, Format::Depth32FloatStencil8) => (0, 4),
            (Plane::Low, _) => (0, 8),
            (Plane::High, _) => (8, 8),
            (Plane::Floats { count, .. }, _) => (0, 4 * usize::from(count)),
            _ => (0, format.bytes() as usize),
        }
    }
}

/// The layout of a surface in memory.
pub trait SurfaceLayout: Clone + PartialEq + Send + 'static {
    /// Bytes of the whole.
    fn size(&self) -> u64;

    /// Where a sample of a texel lies.
    fn offset(&self, at: TexelAt) -> u64;

    /// Whether the samples of the texels of a row lie one behind the other.
    fn is_linear(&self) -> bool {
        false
    }
}

/// A surface in memory.
#[derive(Clone, Debug)]
pub struct Surface<L> {
    /// Place in the textures of the dispatch.
    pub image: usize,
    /// The part of the texture.
    pub plane: Plane,
    /// Where its texels lie.
    pub layout: L,
    /// The resource of the entry point that may write it.
    pub written_as: Option<u16>,
}

impl<L: SurfaceLayout> Surface<L> {
    /// Calls `with` with the places of each sample of each texel: in the texture, and in the surface.
    fn walk(&self, image: &Image, mut with: impl FnMut(usize, usize)) {
        let (part, bytes) = self.plane.bytes(image.format);
        let samples = image.samples as usize;
        for level in 0..image.levels {
            let [w, h, slices] = image.level_size(level);
            for (slice, y) in (0..slices).flat_map(|slice| (0..h).map(move |y| (slice, y))) {
                let at =
                    |x: u32, sample: u32| self.layout.offset(TexelAt { level, layer: slice, x, y, sample }) as usize;
                let (from, row) = (image.offset(level, slice, 0, y, 0) + part, at(0, 0));
                for k in 0..w as usize * samples {
                    let to = match self.layout.is_linear() {
                        true => row + k * bytes,
                        false => at((k / samples) as u32, (k % samples) as u32),
                    };
                    with(from + k * image.format.bytes() as usize, to);
                }
            }
        }
    }

    /// The texels of a texture as they lie in the surface.
    pub fn upload(&self, image: &Image) -> Vec<u8> {
        let mut out = vec![0; self.layout.size() as usize];
        let n = self.plane.bytes(image.format).1;
        if let Plane::Floats { first, .. } = self.plane {
            let size = image.format.bytes() as usize;
            self.walk(image, |from, to| {
                let texel = image.format.decode(&image.bytes[from..from + size]);
                for (to, c) in out[to..to + n].chunks_exact_mut(4).zip(&texel[usize::from(first)..]) {
                    to.copy_from_slice(&c.to_le_bytes());
                }
            });
            return out;
        }
        self.walk(image, |from, to| out[to..to + n].copy_from_slice(&image.bytes[from..from + n]));
        out
    }

    /// The inverse. What a surface lost in a run that trapped early stays as it was.
    pub fn download(&self, bytes: &[u8], image: &mut Image) {
        if bytes.len() as u64 != self.layout.size() || matches!(self.plane, Plane::Floats { .. }) {
            return;
        }
        let n = self.plane.bytes(image.format).1;
        let mut texels = std::mem::take(&mut image.bytes);
        self.walk(image, |to, from| texels[to..to + n].copy_from_slice(&bytes[from..from + n]));
        image.bytes = texels;
    }
}

/// A texture of an entry point, with where it lies.
#[derive(Clone, Copy, Debug)]
pub struct BoundView<'a, L> {
    /// The resource of the entry point.
    pub resource: &'a Resource,
    /// The view that is bound.
    pub view: BoundTexture,
    /// The texture with its texels.
    pub image: &'a Image,
    /// The part of it that is read.
    pub plane: Plane,
    /// Where its texels lie.
    pub layout: &'a L,
    /// Where its surface begins.
    pub address: u64,
}

impl<L> BoundView<'_, L> {
    /// The format in which texels are read.
    pub fn format(&self) -> Format {
        self.plane.format(&self.view, self.image)
    }

    /// The facts that mean the same on all families.
    pub fn facts(&self) -> Vec<(TextureFact, u32)> {
        let (view, image) = (self.view, self.image);
        let [w, h, d] = image.level_size(view.base_level);
        let by = if self.resource.shape.variant == Variant::Samples { 2 } else { 1 };
        vec![
            (TextureFact::Width, w * by),
            (TextureFact::Height, h * by),
            (TextureFact::Depth, if image.is_3d { d } else { 1 }),
            (TextureFact::Layers, if view.dim == Dim::Cube { view.layers / 6 } else { view.layers }),
            (TextureFact::Levels, view.levels),
            (TextureFact::Samples, image.samples),
            (TextureFact::LastLevel, view.levels - 1),
            (TextureFact::Srgb, self.format().is_srgb().into()),
        ]
    }
}

/// The sampler that a descriptor is of. The nearest texel of the nearest level nobody binds.
///
/// # Errors
/// Nothing is bound there.
pub fn sampler_of(of: DescriptorKey, dispatch: &Dispatch) -> Result<Sampler, Trap> {
    if of.variant == Variant::Nearest {
        return Ok(Sampler::default());
    }
    let bound = *dispatch.require_sampler(of.group, of.binding, of.element)?;
    Ok(match of.variant {
        Variant::LevelZero => Sampler { lod_min: 0.0, lod_max: 0.0, lod_bias: 0.0, ..bound },
        _ => bound,
    })
}

/// The facts of a sampler.
pub(crate) fn sampler_facts(s: &Sampler) -> Vec<(TextureFact, u32)> {
    vec![
        (TextureFact::LeastLevel, s.lod_min.to_bits()),
        (TextureFact::GreatestLevel, s.lod_max.to_bits()),
        (TextureFact::MixesLevels, (s.mip == Filter::Linear).into()),
    ]
}
