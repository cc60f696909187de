//! The descriptors that code asks for beside those that are bound.

use crate::named;

named! {
    /// The relation of a resource to the one bound at its place. Code asks for descriptors that nobody binds where a chip lacks something.
    #[derive(Default, PartialOrd, Ord)]
    #[repr(u8)]
    Variant {
        #[default]
        Whole "whole"           "The bound resources.",
        LevelZero "level_zero"  "The sampler with level 0 alone.",
        Nearest "nearest"       "A sampler that takes the nearest texel of the nearest level, also at the place of a texture without sampler.",
        Component0 "component0" "The texture with its first component as the only one.",
        Component1 "component1" "The texture with its second component as the only one.",
        Component2 "component2" "The texture with its third component as the only one.",
        Component3 "component3" "The texture with its fourth component as the only one.",
        Low "low"               "The texture with its first two components, of 128 bits the low half of each texel.",
        High "high"             "The texture with its last two components, of 128 bits the high half of each texel.",
        Samples "samples"       "A multisampled texture as one of twice the width and height: sample s of a pixel is column s mod 2 and row s / 2 in it.",
        AnyFormat "any_format"  "A storage texture of any format whose texels have the base of the one that is written: the descriptor says which.",
    }
}

impl Variant {
    /// The variant of a number.
    pub fn of(number: u32) -> Option<Variant> {
        Variant::ALL.get(number as usize).copied()
    }
}
