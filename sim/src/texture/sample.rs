//! Samples a view: wrap, fetch, filter, compare, gather.

use super::cube::{self, EdgeTexel, Face};
use super::format::Texel;
use super::lod::{MipBlend, mip_levels};
use super::sampler::{Compare, Filter, NearestRounding, Precision, Sampler, Wrap};
use crate::trap::Trap;

/// A texel of a view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TexelAt {
    /// Level, counted from the view's first.
    pub level: u32,
    /// Layer, counted from the view's first: the slice of a 3D texture, the layer of an array, six times the cube plus the face
    /// of cubes.
    pub layer: u32,
    /// Column of the texel in its level.
    pub x: u32,
    /// Row of the texel in its level.
    pub y: u32,
    /// Number of the sample in the pixel.
    pub sample: u32,
}

/// Access to the texels of a view.
pub trait Texels {
    /// The texel as the shader sees it, after decoding and swizzle. Every index is in range.
    ///
    /// # Errors
    /// A trap, where the texels lie in simulated memory and that cannot be read.
    fn texel(&self, at: TexelAt) -> Result<Texel, Trap>;
}

/// Dimension of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dim {
    /// One-dimensional.
    D1,
    /// Two-dimensional, also of arrays and multisampled ones.
    D2,
    /// Three-dimensional.
    D3,
    /// Six faces, also of arrays.
    Cube,
}

impl Dim {
    /// Coordinates that are wrapped and filtered.
    pub fn axes(self) -> usize {
        match self {
            Dim::D1 => 1,
            Dim::D2 | Dim::Cube => 2,
            Dim::D3 => 3,
        }
    }
}

/// The texture that is sampled: sizes in texels of the view's first level, and access to its texels.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// Dimension of the view, layers not counted.
    pub dim: Dim,
    /// Width, height and depth of the view's first level; 1 where the dimension has none.
    pub size: [u32; 3],
    /// Levels of the view.
    pub levels: u32,
    /// Layers of the view; of cubes six for each.
    pub layers: u32,
    /// Samples of a texel.
    pub samples: u32,
    /// Whether the shader gets integers.
    pub integer: bool,
    /// Whether the depth is a fixed-point fraction, to whose range references of comparisons are clamped.
    pub fixed_depth: bool,
    /// Access to the texels of the view.
    pub texels: &'a dyn Texels,
}

impl View<'_> {
    /// Width, height and depth of a level.
    pub fn level_size(&self, level: u32) -> [u32; 3] {
        self.size.map(|s| s.checked_shr(level).unwrap_or(0).max(1))
    }
}

/// Where to sample, with a layer that is in range already (of cube arrays: the cube).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Coord {
    /// s, t, r: as many as the dimension has count.
    Flat([f32; 3], u32),
    /// The same in texels of the level that is read, not normalised.
    Texels([f64; 3], u32),
    /// Coordinates on the face of a cube.
    Cube(Face, u32),
}

/// Index inside `0..n`, or `None` for the border.
pub fn wrap(mode: Wrap, i: i64, n: u32) -> Option<u32> {
    let n = i64::from(n);
    let at = match mode {
        Wrap::Repeat => i.rem_euclid(n),
        Wrap::MirrorRepeat => {
            let m = i.rem_euclid(2 * n);
            if m < n { m } else { 2 * n - 1 - m }
        }
        Wrap::ClampToEdge => i.clamp(0, n - 1),
        Wrap::MirrorClampToEdge => (if i >= 0 { i } else { -1 - i }).clamp(0, n - 1),
        Wrap::ClampToBorder if (0..n).contains(&i) => i,
        Wrap::ClampToBorder => return None,
    };
    Some(at as u32)
}

/// Layer of an integer index of an array of `layers`; negative ones of signed indices are the first.
pub fn clamp_layer(index: i64, layers: u32) -> u32 {
    index.clamp(0, i64::from(layers.max(1)) - 1) as u32
}

/// Layer of a float index, as hardware coordinates have it: to nearest, ties to even, NaN the first.
pub fn round_layer(index: f32, layers: u32) -> u32 {
    // The conversion of NaN is 0, of large values the nearest end.
    clamp_layer(index.round_ties_even() as i64, layers)
}

/// Texel coordinate along one axis: coordinate times size of the unit plus offset, in texels. A unit is the whole of a
/// level, or a texel.
fn texel_coordinate(mode: Wrap, c: f64, size: u32, unit: u32, offset: i32) -> f64 {
    if c.is_nan() {
        return f64::from(offset);
    }
    if c.is_infinite() {
        let edge = matches!(mode, Wrap::ClampToEdge | Wrap::ClampToBorder | Wrap::MirrorClampToEdge);
        return if edge { c.signum() * 1e18 } else { 0.0 };
    }
    // Periodic modes lose nothing by dropping whole double periods, and then fit an integer.
    let c = match mode {
        Wrap::Repeat | Wrap::MirrorRepeat => c % f64::from(2 * size / unit),
        _ => c.clamp(-1e9, 1e9),
    };
    c * f64::from(unit) + f64::from(offset)
}

/// First index, second index and weight of the second along one axis.
fn footprint(filter: Filter, u: f64, precision: &Precision) -> (i64, i64, f64) {
    let fixed = |u: f64, bits: u32| {
        let unit = f64::from(1u32 << bits);
        (u * unit).round_ties_even() / unit
    };
    match filter {
        Filter::Nearest => {
            let u = match (precision.nearest, precision.weight_bits) {
                (NearestRounding::Round, bits) => fixed(u, bits.unwrap_or(8)),
                (NearestRounding::Truncate, _) => u,
            };
            let i = u.floor() as i64;
            (i, i, 0.0)
        }
        Filter::Linear => {
            let u = precision.weight_bits.map_or(u, |bits| fixed(u, bits)) - 0.5;
            let i = u.floor();
            (i as i64, i as i64 + 1, u - i)
        }
    }
}

/// Up to eight texels of one level with their weights, in the order of the nested interpolation: index bit 0 is x,
/// bit 1 y, bit 2 z.
struct Footprint {
    texels: [[Texel; 3]; 8],
    /// Texels that count for each corner: three for the corners of cubes, else one.
    parts: [usize; 8],
    weights: [f64; 3],
    axes: usize,
}

fn footprint_of(
    view: &View,
    sampler: &Sampler,
    filter: Filter,
    coord: &Coord,
    offset: [i32; 3],
    level: u32,
) -> Result<Footprint, Trap> {
    let size = view.level_size(level);
    let axes = view.dim.axes();
    let filter = if view.integer { Filter::Nearest } else { filter };
    let mut f = Footprint { texels: [[[0; 4]; 3]; 8], parts: [1; 8], weights: [0.0; 3], axes };
    let mut at = [(0i64, 0i64); 3];
    let texels = matches!(coord, Coord::Texels(..));
    let (c, layer, wraps) = match *coord {
        Coord::Flat(c, layer) => (c.map(f64::from), layer, sampler.wrap),
        Coord::Texels(c, layer) => (c, layer, sampler.wrap),
        Coord::Cube(face, cube) => ([face.s, face.t, 0.0], 6 * cube + face.face, [Wrap::ClampToEdge; 3]),
    };
    for k in 0..axes {
        let unit = if texels { 1 } else { size[k] };
        let u = texel_coordinate(wraps[k], c[k], size[k], unit, offset[k]);
        let (first, second, weight) = footprint(filter, u, &sampler.precision);
        at[k] = (first, second);
        f.weights[k] = weight;
    }
    let fetch = |x: u32, y: u32, z: u32| {
        let layer = if axes == 3 { z } else { z + layer };
        view.texels.texel(TexelAt { level, layer, x, y, sample: 0 })
    };
    for corner in 0..1usize << axes {
        let pick = |k: usize| if corner >> k & 1 != 0 { at[k].1 } else { at[k].0 };
        let (i, j, k) = (pick(0), if axes > 1 { pick(1) } else { 0 }, if axes > 2 { pick(2) } else { 0 });
        if let (Coord::Cube(face, cube), true, Filter::Linear) = (coord, sampler.seamless, filter) {
            // Coordinates inside the face are at most one texel outside with their neighbours.
            let n = size[0];
            let bound = |v: i64| v.clamp(-1, i64::from(n));
            let get = |(face, x, y): (u32, u32, u32)| {
                view.texels.texel(TexelAt { level, layer: 6 * cube + face, x, y, sample: 0 })
            };
            match cube::face_texel(face.face, bound(i), bound(j), n) {
                EdgeTexel::Texel(face, x, y) => f.texels[corner][0] = get((face, x, y))?,
                EdgeTexel::Corner(list) => {
                    for (to, from) in f.texels[corner].iter_mut().zip(list) {
                        *to = get(from)?;
                    }
                    f.parts[corner] = 3;
                }
            }
            continue;
        }
        let wrapped = (
            wrap(wraps[0], i, size[0]),
            if axes > 1 { wrap(wraps[1], j, size[1]) } else { Some(0) },
            if axes > 2 { wrap(wraps[2], k, size[2]) } else { Some(0) },
        );
        f.texels[corner][0] = match wrapped {
            (Some(x), Some(y), Some(z)) => fetch(x, y, z)?,
            _ => sampler.border,
        };
    }
    Ok(f)
}

impl Footprint {
    /// Interpolates what `value` makes of each texel; texels of weight zero do not contribute.
    fn filter(&self, value: impl Fn(&Texel) -> f64) -> f64 {
        let at = |corner: usize| {
            let parts = self.parts[corner];
            self.texels[corner][..parts].iter().map(&value).sum::<f64>() / parts as f64
        };
        let lerp = |axis: usize, low: &dyn Fn() -> f64, high: &dyn Fn() -> f64| match self.weights[axis] {
            0.0 => low(),
            1.0 => high(),
            w => (1.0 - w) * low() + w * high(),
        };
        let row = |base: usize| lerp(0, &|| at(base), &|| at(base + 1));
        let plane = |base: usize| lerp(1, &|| row(base), &|| row(base + 2));
        match self.axes {
            1 => row(0),
            2 => plane(0),
            _ => lerp(2, &|| plane(0), &|| plane(4)),
        }
    }
}

/// Filters one or two levels; `value` makes a number of a texel's component.
fn filtered<const N: usize>(
    view: &View,
    sampler: &Sampler,
    coord: &Coord,
    offset: [i32; 3],
    lambda: f64,
    value: impl Fn(&Texel, usize) -> f64,
) -> Result<[f32; N], Trap> {
    let MipBlend { filter, high, low, weight: delta } = mip_levels(sampler, view.levels, lambda);
    let a = footprint_of(view, sampler, filter, coord, offset, high)?;
    if delta == 0.0 {
        return Ok(std::array::from_fn(|k| a.filter(|t| value(t, k)) as f32));
    }
    let b = footprint_of(view, sampler, filter, coord, offset, low)?;
    Ok(std::array::from_fn(|k| ((1.0 - delta) * a.filter(|t| value(t, k)) + delta * b.filter(|t| value(t, k))) as f32))
}

/// Samples at a lambda before the sampler's clamps (a bias is added by the caller).
///
/// # Errors
/// A texel that cannot be read.
pub fn sample(view: &View, sampler: &Sampler, coord: &Coord, offset: [i32; 3], lambda: f64) -> Result<Texel, Trap> {
    if view.integer {
        let level = mip_levels(&Sampler { mip: Filter::Nearest, ..*sampler }, view.levels, lambda).high;
        return Ok(footprint_of(view, sampler, Filter::Nearest, coord, offset, level)?.texels[0][0]);
    }
    let four = filtered::<4>(view, sampler, coord, offset, lambda, |t, k| f64::from(f32::from_bits(t[k])))?;
    Ok(four.map(f32::to_bits))
}

fn compared(view: &View, sampler: &Sampler, reference: f32) -> impl Fn(&Texel) -> f64 {
    let op = sampler.compare.unwrap_or(Compare::Always);
    let reference = if view.fixed_depth && !reference.is_nan() { reference.clamp(0.0, 1.0) } else { reference };
    move |t: &Texel| f64::from(u8::from(op.holds(reference, f32::from_bits(t[0]))))
}

/// Compares each texel with a reference and filters the results.
///
/// # Errors
/// A texel that cannot be read.
pub fn sample_compare(
    view: &View,
    sampler: &Sampler,
    coord: &Coord,
    offset: [i32; 3],
    lambda: f64,
    reference: f32,
) -> Result<f32, Trap> {
    let test = compared(view, sampler, reference);
    Ok(filtered::<1>(view, sampler, coord, offset, lambda, |t, _| test(t))?[0])
}

/// Corners of a footprint in the order of gathered components: lower left, lower right, upper right, upper left.
const GATHER: [usize; 4] = [2, 3, 1, 0];

fn gathered(view: &View, sampler: &Sampler, coord: &Coord, offset: [i32; 3], level: u32) -> Result<Footprint, Trap> {
    let integer = View { integer: false, ..*view };
    footprint_of(&integer, sampler, Filter::Linear, coord, offset, level)
}

/// Component `component` of the four texels that bilinear filtering at a level would read. Beyond the corner of a cube it is
/// the texel in the face.
///
/// # Errors
/// A texel that cannot be read.
pub fn gather(
    view: &View,
    sampler: &Sampler,
    coord: &Coord,
    offset: [i32; 3],
    level: u32,
    component: usize,
) -> Result<Texel, Trap> {
    let f = gathered(view, sampler, coord, offset, level)?;
    Ok(GATHER.map(|k| match f.parts[k] {
        3 if !view.integer => {
            let sum: f64 = f.texels[k].iter().map(|t| f64::from(f32::from_bits(t[component]))).sum();
            ((sum / 3.0) as f32).to_bits()
        }
        _ => f.texels[k][0][component],
    }))
}

/// Results of comparing the four texels of [`gather`].
///
/// # Errors
/// A texel that cannot be read.
pub fn gather_compare(
    view: &View,
    sampler: &Sampler,
    coord: &Coord,
    offset: [i32; 3],
    level: u32,
    reference: f32,
) -> Result<[f32; 4], Trap> {
    let f = gathered(view, sampler, coord, offset, level)?;
    let test = compared(view, sampler, reference);
    Ok(GATHER.map(|k| (f.texels[k][..f.parts[k]].iter().map(&test).sum::<f64>() / f.parts[k] as f64) as f32))
}

/// The texel at integer coordinates, or `None` where any part of the address is out of range.
///
/// # Errors
/// A texel that cannot be read.
pub fn load(view: &View, at: [i64; 3], layer: i64, level: i64, sample: i64) -> Result<Option<Texel>, Trap> {
    texel_at(view, at, layer, level, sample).map(|at| view.texels.texel(at)).transpose()
}

/// The texel at integer coordinates, for [`Texels::texel`]; `None` where any of them is out of range.
pub fn texel_at(view: &View, at: [i64; 3], layer: i64, level: i64, sample: i64) -> Option<TexelAt> {
    let inside = |v: i64, n: u32| (0..i64::from(n)).contains(&v).then_some(v as u32);
    let level = inside(level, view.levels)?;
    let size = view.level_size(level);
    let axes = view.dim.axes();
    let x = inside(at[0], size[0])?;
    let y = if axes > 1 { inside(at[1], size[1])? } else { 0 };
    let layer = if axes == 3 { inside(at[2], size[2])? } else { inside(layer, view.layers)? };
    Some(TexelAt { level, layer, x, y, sample: inside(sample, view.samples)? })
}
