//! Facts about the bound textures and samplers that passes may use, in any stage.

use gpucc_ir::{ResourceData, ResourceKind, TexClass};
use gpucc_pipeline::SamplerFacts;

/// A group and a binding in it.
pub type BindingPlace = (u32, u32);

/// The facts about bindings wherever an entry point runs. By default nothing is known: any texture may have texels of any width, and of no sampler
/// is known what it does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct BindingFacts {
    /// Textures whose texels may have 128 bits; unknown if `None`, and then all may.
    pub wide: Option<Vec<BindingPlace>>,
    /// Textures whose depth is a fixed-point fraction, to whose range references of comparisons are clamped.
    pub fixed_depth: Vec<BindingPlace>,
    /// Samplers that read one level at a time, and any level.
    pub one_level: Vec<BindingPlace>,
    /// Samplers whose least level is above 0.
    pub raised: Vec<BindingPlace>,
    /// Samplers of which filter and comparison are known.
    pub samplers: Vec<SamplerFacts>,
}

impl BindingFacts {
    /// No facts: any resource may be bound.
    pub const UNKNOWN: BindingFacts = BindingFacts {
        wide: None,
        fixed_depth: Vec::new(),
        one_level: Vec::new(),
        raised: Vec::new(),
        samplers: Vec::new(),
    };

    /// Whether texels of a texture may have 128 bits. Depths and external images never have, and no multisampled texture has.
    pub fn may_be_wide(&self, r: &ResourceData) -> bool {
        let ResourceKind::Texture { multisampled: false, class, .. } = r.kind else { return false };
        let known = self.wide.as_ref().is_none_or(|w| w.contains(&(r.group, r.binding)));
        known && !matches!(class, TexClass::Depth | TexClass::External)
    }
}
