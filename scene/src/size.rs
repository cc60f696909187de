//! Sizes of textures and buffers, in 64 bits and before anything is allocated.

use gpucc_sim::texture::{Image, level_size};

use crate::limits;
use crate::model::{Texture, TextureDimension};

impl Texture {
    /// The size of a texture whose picture was not looked at yet.
    pub(crate) const OF_PICTURE: [u32; 3] = [0; 3];

    /// Width, height, and depth or layers of a level.
    pub fn level_size(&self, level: u32) -> [u32; 3] {
        level_size(self.size, self.is_3d(), level)
    }

    /// Whether the third size is a depth.
    pub fn is_3d(&self) -> bool {
        self.dimension == TextureDimension::D3
    }

    /// Layers; 1 for 3D textures.
    pub fn layers(&self) -> u32 {
        if self.is_3d() { 1 } else { self.size[2] }
    }

    /// Bytes of all levels.
    pub fn bytes(&self) -> u64 {
        let texels = |l| self.level_size(l).iter().fold(1u64, |n, &s| n.saturating_mul(u64::from(s)));
        let levels = self.mip_level_count.min(32);
        let all = (0..levels).fold(0u64, |n, l| n.saturating_add(texels(l)));
        all.saturating_mul(u64::from(self.format.bytes())).saturating_mul(u64::from(self.sample_count))
    }

    /// The fault of the sizes: the key, and a sentence. Sizes that pass can be held.
    pub(crate) fn check_size(&self) -> Result<(), (String, String)> {
        let fail = |field: &str, message: String| Err((field.into(), message));
        let [w, h, d] = self.size;
        for (k, (&s, what)) in self.size.iter().zip(["width", "height", "depth or layers"]).enumerate() {
            let most = if k == 2 && !self.is_3d() { limits::LAYERS } else { limits::AXIS };
            if s == 0 || s > most {
                return fail(&format!("size[{k}]"), format!("the {what} is {s}, which is not in 1 to {most}"));
            }
        }
        if self.dimension == TextureDimension::D1 && (h != 1 || d != 1) {
            return fail("size", format!("a 1d texture has height 1 and one layer, not {h} and {d}"));
        }
        if !matches!(self.sample_count, 1 | 4) {
            return fail("sampleCount", format!("{} samples are neither 1 nor 4", self.sample_count));
        }
        let most = match self.dimension {
            TextureDimension::D1 => 1,
            _ => Image::full_chain(self.is_3d(), self.size),
        };
        if self.mip_level_count == 0 || self.mip_level_count > most {
            let message =
                format!("{} levels are not in 1 to {most}, the longest chain of this size", self.mip_level_count);
            return fail("mipLevelCount", message);
        }
        if self.bytes() > limits::RESOURCE_BYTES {
            let message = format!(
                "a texture of {w} x {h} x {d} takes {} bytes, more than {}",
                self.bytes(),
                limits::RESOURCE_BYTES
            );
            return fail("size", message);
        }
        Ok(())
    }
}
