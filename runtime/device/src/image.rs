//! Images, and views of them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gpucc_pipeline::Format;
use gpucc_sim::BoundTexture;
use gpucc_sim::texture::{Dim, Image as Texels};

use crate::error::Error;

/// Most bytes of one image.
pub const MOST_IMAGE: u64 = 2 << 30;

/// The shape of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageDesc {
    /// Format of the texels.
    pub format: Format,
    /// Whether the third size is a depth, which shrinks from level to level.
    pub is_3d: bool,
    /// Width, height, and depth or layers.
    pub size: [u32; 3],
    /// Number of mip levels.
    pub levels: u32,
    /// Samples of a pixel: 1 or 4.
    pub samples: u32,
}

impl ImageDesc {
    /// One level of one layer of single samples.
    pub fn flat(format: Format, width: u32, height: u32) -> ImageDesc {
        ImageDesc { format, is_3d: false, size: [width, height, 1], levels: 1, samples: 1 }
    }

    /// Bytes of all texels; `None` where they do not fit 64 bits.
    pub fn bytes(&self) -> Option<u64> {
        let shape = self.shape();
        let level = |l: u32| {
            let sizes = shape.level_size(l).map(u64::from);
            sizes.iter().try_fold(shape.pixel_bytes() as u64, |n, &s| n.checked_mul(s))
        };
        (0..self.levels).try_fold(0u64, |n, l| n.checked_add(level(l)?))
    }

    fn shape(&self) -> Texels {
        let ImageDesc { format, is_3d, size, levels, samples } = *self;
        Texels { format, is_3d, size, levels, samples, bytes: Vec::new().into() }
    }
}

/// An image. Clones are the same image.
#[derive(Clone, Debug)]
pub struct Image {
    desc: ImageDesc,
    texels: Arc<Mutex<Texels>>,
}

impl PartialEq for Image {
    fn eq(&self, other: &Image) -> bool {
        Arc::ptr_eq(&self.texels, &other.texels)
    }
}

impl Image {
    /// An image of zeros.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a size of zero, levels that do not exist, or samples that are not modelled; [`Error::Memory`] if it is
    /// larger than [`MOST_IMAGE`], or the host has no room.
    pub fn new(desc: ImageDesc) -> Result<Image, Error> {
        let ImageDesc { is_3d, size, levels, samples, .. } = desc;
        if size.contains(&0) || levels == 0 || levels > Texels::full_chain(is_3d, size) {
            let [w, h, d] = size;
            return Err(Error::Invalid(format!("there is no image of {w} x {h} x {d} with {levels} levels")));
        }
        if !matches!(samples, 1 | 4) || samples > 1 && (levels > 1 || is_3d) {
            return Err(Error::Invalid(format!("there is no such image with {samples} samples a pixel")));
        }
        let bytes = desc.bytes().filter(|&n| n <= MOST_IMAGE);
        let none = || Error::Memory("there is no room for an image of this size".into());
        let bytes = bytes.and_then(|n| usize::try_from(n).ok()).ok_or_else(none)?;
        let mut texels = desc.shape();
        texels.bytes.try_reserve_exact(bytes).map_err(|_| none())?;
        texels.bytes.resize(bytes, 0);
        Ok(Image { desc, texels: Arc::new(Mutex::new(texels)) })
    }

    /// The number that tells it from others.
    pub(crate) fn id(&self) -> usize {
        Arc::as_ptr(&self.texels) as usize
    }

    /// The shape that the image was made with.
    pub fn desc(&self) -> &ImageDesc {
        &self.desc
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Texels> {
        self.texels.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `f` with the texels, which keep their shape. No command runs on them meanwhile.
    pub fn with<T>(&self, f: impl FnOnce(&mut Texels) -> T) -> T {
        f(&mut self.lock())
    }

    /// Takes the texels out, while a command runs on them.
    pub(crate) fn take(&self) -> Texels {
        std::mem::replace(&mut *self.lock(), self.desc.shape())
    }

    /// Gives back what was taken.
    pub(crate) fn give(&self, texels: Texels) {
        *self.lock() = texels;
    }

    /// A view of all levels and layers in the image's own format.
    pub fn view(&self, dim: Dim) -> View {
        let ImageDesc { format, is_3d, size, levels, .. } = self.desc;
        let layers = if is_3d { 1 } else { size[2] };
        let seen = Seen { dim, format, base_level: 0, levels, base_layer: 0, layers, stencil: false };
        View { image: self.clone(), seen }
    }
}

/// A view of an image.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// The image that is viewed.
    pub image: Image,
    /// The part of it, and how it is seen.
    pub seen: Seen,
}

/// A range of levels and layers of an image, seen in a format of the same size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Dimension in which it is viewed.
    pub dim: Dim,
    /// Format that texels are read and written in.
    pub format: Format,
    /// First level of the view in the image.
    pub base_level: u32,
    /// Number of levels of the view.
    pub levels: u32,
    /// First layer of the view in the image.
    pub base_layer: u32,
    /// Layers; of a 3D image 1.
    pub layers: u32,
    /// Whether the stencil aspect is read.
    pub stencil: bool,
}

impl Seen {
    /// It, bound at a group, binding and element; the number of the image is open.
    pub fn at(self, (group, binding, element): (u32, u32, u32)) -> BoundTexture {
        let Seen { dim, format, base_level, levels, base_layer, layers, stencil } = self;
        let image = 0;
        BoundTexture { group, binding, element, image, dim, format, base_level, levels, base_layer, layers, stencil }
    }
}
