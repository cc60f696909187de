//! Where the address registers of image instructions are (section 12.2).

use gpucc_sim::texture::Dim;

use super::descriptor::Texture;
use crate::attrs::{ImageKind, ImageOp, Level};

/// Registers of an address, counted from its first.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct AddressLayout {
    pub offset: usize,
    pub bias: usize,
    pub compare: usize,
    /// d/dh of each axis, then d/dv.
    pub gradients: usize,
    pub coordinates: usize,
    /// Coordinates that are not slice or face.
    pub axes: usize,
    /// Slice or face, where there is one.
    pub slice: Option<usize>,
    /// Sample of a pixel, where there is one.
    pub sample: Option<usize>,
    /// Level or least level.
    pub level: usize,
    /// Number of registers in all.
    pub count: usize,
}

impl ImageOp {
    /// Where the parts of an address are. `array` is the instruction's DA.
    pub(super) fn layout(&self, dim: Dim, multisampled: bool, array: bool) -> AddressLayout {
        let mut p = AddressLayout::default();
        let mut at = 0;
        let mut take = |n: usize| {
            at += n;
            at - n
        };
        if self.kind == ImageKind::ResInfo {
            p.level = take(1);
            p.count = 1;
            return p;
        }
        p.axes = dim.axes();
        p.offset = take(usize::from(self.offset));
        p.bias = take(usize::from(self.bias));
        p.compare = take(usize::from(self.compare));
        p.gradients = take(if self.level == Level::Derivatives { 2 * p.axes } else { 0 });
        p.coordinates = take(p.axes);
        // Storage views of 3D images carry DA; their slice is the third coordinate.
        p.slice = (array && dim != Dim::D3).then(|| take(1));
        p.sample = (multisampled && self.addressed()).then(|| take(1));
        p.level = take(usize::from(self.mip || self.clamp || self.level == Level::Explicit));
        p.count = take(0);
        p
    }

    /// [`ImageOp::layout`] for a descriptor; of a null one the smallest.
    pub(super) fn layout_of(&self, texture: Option<&Texture>, array: bool) -> AddressLayout {
        match texture {
            Some(t) => self.layout(t.dim, t.multisampled, array),
            None => self.layout(Dim::D1, false, false),
        }
    }
}
