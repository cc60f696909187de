//! Where the texels of a descriptor lie. Docs: `docs/errata-gcn.md`, linear layout.

use gpucc_sim::texture::{Dim, TexelAt, Texels, View};

use super::descriptor::Texture;

/// Slices begin at multiples of this.
const SLICE: u64 = 256;

impl Texture {
    /// Width, height and depth of a level of the image.
    pub(super) fn level_size(&self, level: u32) -> [u32; 3] {
        self.size.map(|s| (s >> level).max(1))
    }

    /// Texels of a row of a level.
    fn level_pitch(&self, level: u32) -> u32 {
        if level == 0 {
            return self.pitch;
        }
        let first = if self.pow2 { self.pitch.next_power_of_two() } else { self.pitch };
        (first >> level).max(1).next_multiple_of(self.pitch_unit())
    }

    fn texel_bytes(&self) -> u64 {
        u64::from(self.format.bytes() * self.samples)
    }

    /// Bytes of a slice of a level.
    fn slice(&self, level: u32) -> u64 {
        let rows = u64::from(self.level_size(level)[1]);
        (u64::from(self.level_pitch(level)) * rows * self.texel_bytes()).next_multiple_of(SLICE)
    }

    /// Slices of a level: those of the depth, or all layers of the image.
    fn slices(&self, level: u32) -> u64 {
        if self.dim == Dim::D3 { self.level_size(level)[2].into() } else { self.all_layers.into() }
    }

    /// Address of a texel; level and layer count from the image's first.
    fn address(&self, TexelAt { level, layer, x, y, sample }: TexelAt) -> u64 {
        let before: u64 = (0..level).map(|l| self.slice(l) * self.slices(l)).sum();
        let texel = u64::from(y) * u64::from(self.level_pitch(level)) + u64::from(x);
        let at = before + u64::from(layer) * self.slice(level) + texel * self.texel_bytes();
        self.base.wrapping_add(at + u64::from(sample * self.format.bytes()))
    }

    /// Layers of the view.
    pub(super) fn layers(&self) -> u32 {
        self.last_layer - self.first_layer + 1
    }

    /// Levels of the view.
    pub(super) fn levels_of_view(&self) -> u32 {
        self.last_level - self.first_level + 1
    }

    /// Address of a texel of the view, as the model names it.
    pub(super) fn address_in_view(&self, at: TexelAt) -> u64 {
        self.address(TexelAt { level: self.first_level + at.level, layer: self.first_layer + at.layer, ..at })
    }

    /// A word of the texel behind the selection of components.
    pub(super) fn selected(&self, texel: [u32; 4]) -> [u32; 4] {
        self.select.map(|s| match s {
            0 => 0,
            1 => self.format.one(),
            k => texel[usize::from(k) - 4],
        })
    }

    /// The state that samplers read.
    pub(super) fn view<'a>(&self, texels: &'a dyn Texels) -> View<'a> {
        View {
            dim: self.dim,
            size: self.level_size(self.first_level),
            levels: self.levels_of_view(),
            layers: self.layers(),
            samples: self.samples,
            integer: self.format.integer(),
            fixed_depth: false,
            texels,
        }
    }
}
