//! Views that exchange components: the texels as a program sees them.

use ash::vk;
use gpucc_pipeline::Base;
use gpucc_sim::texture::{Codec, Format, Image};

use crate::fail::{Done, Fail};

/// Where a component comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A component of the texel.
    Component(usize),
    /// 0.
    Zero,
    /// 1.
    One,
}

/// Where red, green, blue and alpha come from.
pub type Swizzle = [Origin; 4];

/// The exchange that an application asks for, if it is one.
///
/// # Errors
/// A number that Vulkan does not have.
pub fn swizzle(m: &vk::ComponentMapping) -> Done<Option<Swizzle>> {
    use vk::ComponentSwizzle as C;
    let one = |(k, c): (usize, C)| match c {
        C::IDENTITY => Ok(Origin::Component(k)),
        C::ZERO => Ok(Origin::Zero),
        C::ONE => Ok(Origin::One),
        c if (C::R.as_raw()..=C::A.as_raw()).contains(&c.as_raw()) => {
            Ok(Origin::Component((c.as_raw() - C::R.as_raw()) as usize))
        }
        c => Err(Fail::misuse(format!("{} is no component", c.as_raw()))),
    };
    let all = [one((0, m.r))?, one((1, m.g))?, one((2, m.b))?, one((3, m.a))?];
    let plain = (0..4).all(|k| all[k] == Origin::Component(k));
    Ok((!plain).then_some(all))
}

/// A format that holds exchanged components of another one exactly.
fn wide(format: Format, s: &Swizzle) -> Format {
    let linear_alpha = !matches!(s[3], Origin::Component(0..3)) && !s[..3].contains(&Origin::Component(3));
    match format {
        Format::R8Unorm | Format::Rg8Unorm | Format::Rgba8Unorm | Format::Bgra8Unorm => Format::Rgba8Unorm,
        Format::R8Snorm | Format::Rg8Snorm | Format::Rgba8Snorm => Format::Rgba8Snorm,
        Format::Rgba8UnormSrgb | Format::Bgra8UnormSrgb if linear_alpha => Format::Rgba8UnormSrgb,
        Format::R16Float | Format::Rg16Float | Format::Rgba16Float => Format::Rgba16Float,
        f => match f.base() {
            Base::Uint => Format::Rgba32Uint,
            Base::Sint => Format::Rgba32Sint,
            _ => Format::Rgba32Float,
        },
    }
}

/// The texels of an image, seen in a format, with their components exchanged.
pub fn exchanged(image: &Image, format: Format, s: &Swizzle) -> Image {
    let to = wide(format, s);
    let integer = matches!(format.base(), Base::Uint | Base::Sint);
    let one = if integer { 1 } else { 1f32.to_bits() };
    let n = to.bytes() as usize;
    let mut out = Image::new(to, image.is_3d, image.size, image.levels, image.samples);
    for (texel, to_bytes) in image.bytes.chunks_exact(format.bytes() as usize).zip(out.bytes.chunks_exact_mut(n)) {
        let own = format.decode(texel);
        let value = s.map(|from| match from {
            Origin::Component(k) => own[k],
            Origin::Zero => 0,
            Origin::One => one,
        });
        to.encode(value, 15, to_bytes);
    }
    out
}
