//! Blits and resolves.

use std::ops::Range;
use std::sync::Arc;

use ash::vk;
use gpucc_sim::draw::Surface;
use gpucc_sim::texture::{Base, Codec, Image as Texels, Texel};

use crate::fail::{Done, Fail};
use crate::memory::Image;

/// An axis of a blit: where it begins and ends in both images.
#[derive(Clone, Copy)]
struct Axis {
    from: [i32; 2],
    to: [i32; 2],
}

impl Axis {
    /// Texels that are written.
    fn written(self, size: u32) -> std::ops::Range<u32> {
        let (a, b) = (self.to[0].min(self.to[1]), self.to[0].max(self.to[1]));
        a.clamp(0, size as i32) as u32..b.clamp(0, size as i32) as u32
    }

    /// Where the middle of a written texel lies in the source.
    fn source(self, at: u32) -> f64 {
        let [a0, a1] = self.from.map(f64::from);
        let [b0, b1] = self.to.map(f64::from);
        a0 + (f64::from(at) + 0.5 - b0) * (a1 - a0) / (b1 - b0)
    }
}

/// Texels with their weights along an axis.
fn taps(at: f64, size: u32, linear: bool) -> [(u32, f64); 2] {
    let clamp = |v: f64| v.clamp(0.0, f64::from(size.max(1) - 1)) as u32;
    if !linear {
        return [(clamp(at.floor()), 1.0), (0, 0.0)];
    }
    let base = (at - 0.5).floor();
    let part = at - 0.5 - base;
    [(clamp(base), 1.0 - part), (clamp(base + 1.0), part)]
}

/// Copies a region scaled and converted. Integers, depth and stencil take the nearest texel.
pub fn blit(from: &Arc<Image>, to: &Arc<Image>, r: &vk::ImageBlit, linear: bool) -> Done {
    let source = from.lock().clone();
    let mut target = to.lock();
    let [s, d] = [&r.src_subresource, &r.dst_subresource];
    if s.mip_level >= source.levels || d.mip_level >= target.levels {
        return Err(Fail::misuse("a blit of a level that is not there"));
    }
    let (ss, ds) = (source.level_size(s.mip_level), target.level_size(d.mip_level));
    let axis = |a: [i32; 2], b: [i32; 2]| Axis { from: a, to: b };
    let [a0, a1] = r.src_offsets;
    let [b0, b1] = r.dst_offsets;
    let x = axis([a0.x, a1.x], [b0.x, b1.x]);
    let y = axis([a0.y, a1.y], [b0.y, b1.y]);
    let zs: Vec<(u32, f64)> = if target.is_3d || source.is_3d {
        let z = axis([a0.z, a1.z], [b0.z, b1.z]);
        let own = |k: u32| if source.is_3d { z.source(k) } else { f64::from(s.base_array_layer) + 0.5 };
        z.written(if target.is_3d { ds[2] } else { 1 }).map(|k| (k, own(k))).collect()
    } else {
        let from = layers(&source, s, 0, 1);
        layers(&target, d, 0, 1).zip(from).map(|(to, from)| (to, f64::from(from) + 0.5)).collect()
    };
    let is_float = source.format.base() == Base::Float;
    let linear = linear && is_float;
    for (z, from_z) in zs.into_iter().filter(|z| z.0 < ds[2]) {
        for row in y.written(ds[1]) {
            let ty = taps(y.source(row), ss[1], linear);
            for column in x.written(ds[0]) {
                let tx = taps(x.source(column), ss[0], linear);
                let tz = taps(from_z, ss[2], linear && source.is_3d);
                let place = (d.mip_level, z, column, row);
                one(&source, s, [tx, ty, tz], &mut target, place, is_float, d.aspect_mask);
            }
        }
    }
    Ok(())
}

type Taps = [[(u32, f64); 2]; 3];

fn one(
    source: &Texels,
    s: &vk::ImageSubresourceLayers,
    [tx, ty, tz]: Taps,
    target: &mut Texels,
    (level, z, x, y): (u32, u32, u32, u32),
    is_float: bool,
    aspects: vk::ImageAspectFlags,
) {
    let read = |x: u32, y: u32, z: u32| source.texel_bytes(s.mip_level, z, x, y, 0);
    let near = read(tx[0].0, ty[0].0, tz[0].0);
    let format = target.format;
    let out = target.texel_bytes_mut(level, z, x, y, 0);
    if format.has_depth() || format.has_stencil() {
        if aspects.contains(vk::ImageAspectFlags::DEPTH) && format.has_depth() {
            format.encode(source.format.decode(near), 1, out);
        }
        if aspects.contains(vk::ImageAspectFlags::STENCIL) {
            format.encode_stencil(source.format.decode_stencil(near), out);
        }
        return;
    }
    let texel: Texel = if is_float {
        let mut sum = [0.0; 4];
        for (kx, wx) in tx {
            for (ky, wy) in ty {
                for (kz, wz) in tz {
                    let weight = wx * wy * wz;
                    if weight > 0.0 {
                        let texel = source.format.decode(read(kx, ky, kz));
                        sum.iter_mut().zip(texel).for_each(|(s, t)| *s += weight * f64::from(f32::from_bits(t)));
                    }
                }
            }
        }
        sum.map(|v| (v as f32).to_bits())
    } else {
        source.format.decode(near)
    };
    format.encode(texel, 15, out);
}

/// Writes the mean of the samples of each pixel of a region; of integers the first sample.
pub fn resolve(from: &Arc<Image>, to: &Arc<Image>, r: &vk::ImageResolve) -> Done {
    let source = from.lock().clone();
    let mut target = to.lock();
    let (s, d) = (&r.src_subresource, &r.dst_subresource);
    if s.mip_level >= source.levels || d.mip_level >= target.levels || source.format != target.format {
        return Err(Fail::misuse("a resolve of levels that are not there, or between formats"));
    }
    for (za, zb) in layers(&source, s, 0, 1).zip(layers(&target, d, 0, 1)) {
        if za >= source.size[2] || zb >= target.size[2] {
            return Err(Fail::misuse("a resolve of a layer that is not there"));
        }
        let means = Surface::load(&source, source.format, s.mip_level, za).resolved();
        let mut out = Surface::load(&target, target.format, d.mip_level, zb);
        for y in 0..r.extent.height {
            for x in 0..r.extent.width {
                let [xa, ya] = [r.src_offset.x as u32 + x, r.src_offset.y as u32 + y];
                let [xb, yb] = [r.dst_offset.x as u32 + x, r.dst_offset.y as u32 + y];
                if xa < means.width && ya < means.rows && xb < out.width && yb < out.rows {
                    out.sample_mut(xb, yb, 0).copy_from_slice(means.sample(xa, ya, 0));
                }
            }
        }
        out.store(&mut target, d.mip_level, zb);
    }
    Ok(())
}

/// Slices or layers of a region.
pub fn layers(t: &Texels, sub: &vk::ImageSubresourceLayers, z: i32, depth: u32) -> Range<u32> {
    match t.is_3d {
        true => z.max(0) as u32..(z.max(0) as u32).saturating_add(depth),
        false => {
            sub.base_array_layer..match sub.layer_count {
                vk::REMAINING_ARRAY_LAYERS => t.size[2],
                n => sub.base_array_layer.saturating_add(n),
            }
        }
    }
}
