//! Textures and samplers bound for a run.

use crate::texture::image::ImageView;
use crate::texture::{Dim, Format, Image, Sampler};

/// A view of a texture, bound for a run: what is sampled or fetched, or, with one level, what is loaded and stored. Several
/// may name one texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundTexture {
    /// Bind group of the texture.
    pub group: u32,
    /// Binding in its group.
    pub binding: u32,
    /// Element of an array of bindings; 0 of a single one.
    pub element: u32,
    /// Place of the texture in [`Dispatch::images`](crate::Dispatch::images).
    pub image: usize,
    /// Dimension of the view.
    pub dim: Dim,
    /// Format in which texels are read and written; of a texture with depth or stencil its own counts.
    pub format: Format,
    /// First level of the view in the texture.
    pub base_level: u32,
    /// Number of levels of the view.
    pub levels: u32,
    /// First layer of the view in the texture.
    pub base_layer: u32,
    /// Layers; of cubes six for each, of a 3D texture 1.
    pub layers: u32,
    /// Whether the stencil aspect is read.
    pub stencil: bool,
}

/// A sampler bound for a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundSampler {
    /// Bind group of the sampler.
    pub group: u32,
    /// Binding in its group.
    pub binding: u32,
    /// Element of an array of bindings; 0 of a single one.
    pub element: u32,
    /// The sampler with its modes.
    pub sampler: Sampler,
}

impl BoundTexture {
    /// All of a texture, in its own format.
    pub fn whole(group: u32, binding: u32, image: usize, texture: &Image, dim: Dim) -> BoundTexture {
        texture.view(dim).bound((group, binding, 0), image)
    }

    /// The format in which texels are read.
    fn format_in(&self, image: &Image) -> Format {
        if image.format.has_depth() || image.format.has_stencil() { image.format } else { self.format }
    }

    /// The texels, where [`BoundTexture::image`] is among `images` and fits.
    pub fn view<'a>(&self, images: &'a [Image]) -> ImageView<'a> {
        let image = &images[self.image];
        ImageView {
            format: self.format_in(image),
            base_level: self.base_level,
            levels: self.levels,
            base_layer: self.base_layer,
            layers: self.layers,
            stencil: self.stencil,
            ..image.view(self.dim)
        }
    }

    /// The fault of the view, if there is any.
    pub(crate) fn fault(&self, images: &[Image]) -> Option<String> {
        let Some(image) = images.get(self.image) else {
            return Some(format!("texture {} does not exist, there are {}", self.image, images.len()));
        };
        if image.samples == 0 {
            return Some(format!("texture {} has no samples", self.image));
        }
        let within =
            |base: u32, count: u32, all: u32| count > 0 && base.checked_add(count).is_some_and(|end| end <= all);
        if !within(self.base_level, self.levels, image.levels) {
            let last = u64::from(self.base_level) + u64::from(self.levels);
            return Some(format!("levels {} to {last} of {} are viewed", self.base_level, image.levels));
        }
        let layers = if image.is_3d { 1 } else { image.size[2] };
        if !within(self.base_layer, self.layers, layers) {
            let last = u64::from(self.base_layer) + u64::from(self.layers);
            return Some(format!("layers {} to {last} of {layers} are viewed", self.base_layer));
        }
        let shape = match self.dim {
            Dim::D1 => !image.is_3d && image.size[1] == 1,
            Dim::D2 => !image.is_3d,
            Dim::D3 => image.is_3d,
            Dim::Cube => !image.is_3d && image.size[0] == image.size[1] && self.layers.is_multiple_of(6),
        };
        if !shape {
            let [w, h, d] = image.size;
            return Some(format!("a texture of {w} x {h} x {d} has no view of dimension {:?} like this", self.dim));
        }
        if self.format_in(image).bytes() != image.format.bytes() {
            return Some(format!("{} texels are viewed as {}", image.format.name(), self.format.name()));
        }
        if self.stencil && !image.format.has_stencil() {
            return Some(format!("{} has no stencil", image.format.name()));
        }
        let size = image.level_start(image.levels);
        (image.bytes.len() != size)
            .then(|| format!("texture {} has {} bytes, not {size}", self.image, image.bytes.len()))
    }
}

impl ImageView<'_> {
    /// The view bound at a group, binding and element; `image` is the place of its texture.
    pub fn bound(&self, (group, binding, element): (u32, u32, u32), image: usize) -> BoundTexture {
        let ImageView { dim, format, base_level, levels, base_layer, layers, stencil, .. } = *self;
        BoundTexture { group, binding, element, image, dim, format, base_level, levels, base_layer, layers, stencil }
    }
}

/// The name of a binding in messages, where it may be an element of several.
pub fn place_name(group: u32, binding: u32, element: u32) -> String {
    match element {
        0 => format!("group {group} binding {binding}"),
        k => format!("group {group} binding {binding} element {k}"),
    }
}
