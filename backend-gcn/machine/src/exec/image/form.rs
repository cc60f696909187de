//! What each image instruction does, read off its name, and where its address registers are (section 12.2).

use std::sync::LazyLock;

use gpucc_sim::texture::Dim;

use super::descriptor::Texture;
use crate::Op;

/// What an instruction does with texels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum What {
    Load,
    Store,
    Atomic,
    ResInfo,
    Lod,
    Sample,
    Gather,
}

/// Where the level of detail comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Level {
    Implicit,
    Given,
    Derivatives,
    Zero,
}

/// An image instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    pub what: What,
    /// Loads and stores: an integer level follows the coordinates.
    pub mip: bool,
    /// Loads and stores: no conversion, words as they lie in memory.
    pub raw: bool,
    /// Raw loads: texels of less than a word are extended by their sign.
    pub signed: bool,
    pub offset: bool,
    pub bias: bool,
    pub compare: bool,
    pub level: Level,
    /// A least level of detail follows the coordinates.
    pub clamp: bool,
}

static FORMS: LazyLock<Vec<Option<Form>>> = LazyLock::new(|| Op::ALL.iter().map(|o| parse(o.name())).collect());

/// The image instruction that `op` is.
pub(super) fn of(op: Op) -> Option<Form> {
    FORMS[op as usize]
}

fn parse(name: &str) -> Option<Form> {
    let mut words = name.strip_prefix("image_")?.split('_');
    let what = match words.next()? {
        "load" => What::Load,
        "store" => What::Store,
        "atomic" => What::Atomic,
        "sample" => What::Sample,
        "gather4" => What::Gather,
        "get" if name.ends_with("resinfo") => What::ResInfo,
        _ => What::Lod,
    };
    let mut form = Form {
        what,
        mip: false,
        raw: false,
        signed: false,
        offset: false,
        bias: false,
        compare: false,
        level: Level::Implicit,
        clamp: false,
    };
    if matches!(what, What::Atomic | What::ResInfo | What::Lod) {
        return Some(form);
    }
    for word in words {
        match word {
            "mip" => form.mip = true,
            "pck" => form.raw = true,
            "sgn" => form.signed = true,
            "o" => form.offset = true,
            "b" => form.bias = true,
            "c" => form.compare = true,
            "d" | "cd" => form.level = Level::Derivatives,
            "l" => form.level = Level::Given,
            "lz" => form.level = Level::Zero,
            "cl" => form.clamp = true,
            _ => return None,
        }
    }
    Some(form)
}

/// Registers of an address, counted from its first.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Places {
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
    /// Registers in all.
    pub count: usize,
}

impl Form {
    /// Whether coordinates are integers.
    pub(super) fn addressed(&self) -> bool {
        matches!(self.what, What::Load | What::Store | What::Atomic)
    }

    /// Whether the coordinates of a whole quad are read.
    pub(super) fn implicit(&self) -> bool {
        match self.what {
            What::Lod => true,
            What::Sample | What::Gather => self.level == Level::Implicit,
            _ => false,
        }
    }

    /// Where the parts of an address are. `array` is the instruction's DA.
    pub(super) fn places(&self, dim: Dim, multisampled: bool, array: bool) -> Places {
        let mut p = Places::default();
        let mut at = 0;
        let mut take = |n: usize| {
            at += n;
            at - n
        };
        if self.what == What::ResInfo {
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
        p.level = take(usize::from(self.mip || self.clamp || self.level == Level::Given));
        p.count = take(0);
        p
    }

    /// [`Form::places`] for a descriptor; of a null one the smallest.
    pub(super) fn places_of(&self, texture: Option<&Texture>, array: bool) -> Places {
        match texture {
            Some(t) => self.places(t.dim, t.multisampled, array),
            None => self.places(Dim::D1, false, false),
        }
    }
}
