//! Views of textures, resolved by WebGPU's defaults and rules.

use gpucc_pipeline::Format;
use gpucc_sim::texture::{Dim, Image, ImageView};

use crate::Scene;
use crate::model::{Aspect, Dimension, Texture, TextureDimension, TextureView};

/// A view with nothing left to default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct View {
    /// Number of the texture in [`Scene::textures`].
    pub texture: usize,
    /// Format; of one aspect of a combined format that of the aspect.
    pub format: Format,
    /// Dimension in which the view is read.
    pub dimension: Dimension,
    /// Aspect of a combined format: all, depth or stencil.
    pub aspect: Aspect,
    /// First level of the view in the texture.
    pub base_level: u32,
    /// Number of levels of the view.
    pub levels: u32,
    /// First layer of the view in the texture.
    pub base_layer: u32,
    /// Layers; 1 of 3D textures.
    pub layers: u32,
}

/// The format of one aspect of a format, if it has the aspect.
pub fn aspect_format(format: Format, aspect: Aspect) -> Option<Format> {
    match aspect {
        Aspect::All => Some(format),
        Aspect::DepthOnly if format.has_depth() => Some(match format {
            Format::Depth24PlusStencil8 => Format::Depth24Plus,
            Format::Depth32FloatStencil8 => Format::Depth32Float,
            other => other,
        }),
        Aspect::StencilOnly if format.has_stencil() => Some(Format::Stencil8),
        _ => None,
    }
}

/// Whether a texture of one format may be viewed in the other: they are equal but for sRGB.
pub fn are_compatible(a: Format, b: Format) -> bool {
    let plain = |f: Format| f.name().strip_suffix("-srgb").unwrap_or(f.name());
    plain(a) == plain(b)
}

impl View {
    /// The view that is written, or the key that is wrong and a sentence.
    ///
    /// # Errors
    /// The views that WebGPU's `createView` refuses.
    pub fn resolve(scene: &Scene, v: &TextureView) -> Result<View, (&'static str, String)> {
        let Some(texture) = scene.textures.position(&v.texture) else {
            return Err(("texture", scene.textures.lacks("texture", &v.texture)));
        };
        let (_, t) = scene.textures.at(texture).unwrap_or_else(|| unreachable!("the position is in the list"));
        let format = view_format(t, v)?;
        let dimension = v.dimension.unwrap_or(match t.dimension {
            TextureDimension::D1 => Dimension::D1,
            TextureDimension::D3 => Dimension::D3,
            TextureDimension::D2 if t.size[2] == 1 => Dimension::D2,
            TextureDimension::D2 => Dimension::D2Array,
        });
        let range = |what: &str, base: u32, count: Option<u32>, rest: u32, all: u32, keys: [&'static str; 2]| {
            if base >= all {
                return Err((keys[0], format!("there is no {what} {base} of {all}")));
            }
            let count = count.unwrap_or(rest);
            if count == 0 || count > all - base {
                return Err((keys[1], format!("{count} {what}s from {base} are not in the {all} of the texture")));
            }
            Ok(count)
        };
        let all = t.mip_level_count;
        let keys = ["baseMipLevel", "mipLevelCount"];
        let levels =
            range("level", v.base_mip_level, v.mip_level_count, all.saturating_sub(v.base_mip_level), all, keys)?;
        let all = t.layers();
        let rest = match dimension {
            Dimension::D1 | Dimension::D2 | Dimension::D3 => 1,
            Dimension::Cube => 6,
            Dimension::D2Array | Dimension::CubeArray => all.saturating_sub(v.base_array_layer),
        };
        let keys = ["baseArrayLayer", "arrayLayerCount"];
        let layers = range("layer", v.base_array_layer, v.array_layer_count, rest, all, keys)?;
        let view = View {
            texture,
            format,
            dimension,
            aspect: v.aspect,
            base_level: v.base_mip_level,
            levels,
            base_layer: v.base_array_layer,
            layers,
        };
        view.check_dimension(t)?;
        Ok(view)
    }

    fn check_dimension(&self, t: &Texture) -> Result<(), (&'static str, String)> {
        let of = match self.dimension {
            Dimension::D1 => TextureDimension::D1,
            Dimension::D3 => TextureDimension::D3,
            _ => TextureDimension::D2,
        };
        let wrong = |message: &str| Err(("dimension", message.to_string()));
        if t.dimension != of {
            return wrong("the texture has another dimension than the view");
        }
        if t.sample_count > 1 && !matches!(self.dimension, Dimension::D2 | Dimension::D2Array) {
            return wrong("a multisampled texture is viewed as `2d` or `2d-array` only");
        }
        let is_cube = matches!(self.dimension, Dimension::Cube | Dimension::CubeArray);
        if is_cube && t.size[0] != t.size[1] {
            return wrong("faces of cubes are square");
        }
        let layers = self.layers;
        let is_right = match self.dimension {
            Dimension::D1 | Dimension::D2 | Dimension::D3 => layers == 1,
            Dimension::Cube => layers == 6,
            Dimension::CubeArray => layers.is_multiple_of(6),
            Dimension::D2Array => true,
        };
        if is_right { Ok(()) } else { Err(("arrayLayerCount", format!("{layers} layers do not make this dimension"))) }
    }

    /// The view of the texture's image, as the model of sampling takes it.
    pub fn of<'a>(&self, image: &'a Image) -> ImageView<'a> {
        let dim = match self.dimension {
            Dimension::D1 => Dim::D1,
            Dimension::D2 | Dimension::D2Array => Dim::D2,
            Dimension::D3 => Dim::D3,
            Dimension::Cube | Dimension::CubeArray => Dim::Cube,
        };
        let own = image.format;
        // Texels of combined formats keep their own size and places.
        let format = if own.has_depth() || own.has_stencil() { own } else { self.format };
        ImageView {
            format,
            base_level: self.base_level,
            levels: self.levels,
            base_layer: self.base_layer,
            layers: self.layers,
            stencil: own.has_depth() && self.aspect == Aspect::StencilOnly,
            ..image.view(dim)
        }
    }
}

fn view_format(t: &Texture, v: &TextureView) -> Result<Format, (&'static str, String)> {
    let Some(own) = aspect_format(t.format, v.aspect) else {
        return Err(("aspect", format!("the format {} has no such aspect", t.format.name())));
    };
    match v.format {
        None => Ok(own),
        Some(f) if f == own || v.aspect == Aspect::All && t.view_formats.contains(&f) => Ok(f),
        Some(f) => Err(("format", format!("{} is neither the texture's format nor in its `viewFormats`", f.name()))),
    }
}
