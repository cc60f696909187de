//! Programs that draw to one target.

use ash::vk;

use super::parts::*;
use crate::kit::Gpu;

const BLACK: [f32; 4] = [0.0, 0.0, 0.0, 1.0];
const BLUE: [f32; 4] = [0.1, 0.2, 0.4, 1.0];

/// Three vertices with colours of their own.
pub fn triangle(gpu: &Gpu) -> Vec<u32> {
    let text = "
        struct V { @builtin(position) p: vec4f, @location(0) c: vec3f }
        @vertex fn vs(@builtin(vertex_index) k: u32) -> V {
            var at = array(vec2f(0.0, -0.8), vec2f(0.8, 0.7), vec2f(-0.8, 0.7));
            var c = array(vec3f(1.0, 0.0, 0.0), vec3f(0.0, 1.0, 0.0), vec3f(0.0, 0.0, 1.0));
            return V(vec4f(at[k], 0.5, 1.0), c[k]);
        }
        @fragment fn fs(v: V) -> @location(0) vec4f { return vec4f(v.c, 1.0); }";
    let cull = vk::CullModeFlags::BACK;
    let front = vk::FrontFace::CLOCKWISE;
    once(gpu, &Pipe { text, cull, front, ..Pipe::default() }, &[], BLUE, |d, c, _| unsafe { d.cmd_draw(c, 3, 1, 0, 0) })
}

/// A square by 16-bit indices, turned by a matrix in a uniform buffer.
pub fn indexed(gpu: &Gpu) -> Vec<u32> {
    let text = "
        @group(0) @binding(0) var<uniform> m: mat4x4f;
        struct V { @builtin(position) p: vec4f, @location(0) c: vec4f }
        @vertex fn vs(@location(0) p: vec2f, @location(1) c: vec4f) -> V { return V(m * vec4f(p, 0.0, 1.0), c); }
        @fragment fn fs(v: V) -> @location(0) vec4f { return v.c; }";
    let (s, c) = (0.5f32, 0.75f32.sqrt());
    let m = [c, s, 0.0, 0.0, -s, c, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.5, 1.0];
    let m = floats(gpu, &m);
    let corner = |x: f32, y: f32, colour: u32| [x.to_bits(), y.to_bits(), colour];
    let corners = [
        corner(-0.6, -0.6, 0xff00_00ff),
        corner(0.6, -0.6, 0xff00_ff00),
        corner(0.6, 0.6, 0xffff_0000),
        corner(-0.6, 0.6, 0xffff_ffff),
    ];
    let vertices = words(gpu, &corners.concat());
    let buffers: &[Layout<'_>] = &[(12, false, &[(vk::Format::R32G32_SFLOAT, 0), (vk::Format::R8G8B8A8_UNORM, 8)])];
    // 0 1 2 and 2 3 0 in halves of words.
    let indices = words(gpu, &[1 << 16, 2 << 16 | 2, 3]);
    once(gpu, &Pipe { text, buffers, ..Pipe::default() }, &[Bind::Uniform(m)], BLACK, |d, c, _| unsafe {
        d.cmd_bind_vertex_buffers(c, 0, &[vertices.buffer], &[0]);
        d.cmd_bind_index_buffer(c, indices.buffer, 0, vk::IndexType::UINT16);
        d.cmd_draw_indexed(c, 6, 1, 0, 0, 0);
    })
}

/// Vertices far into a large buffer: the largest index of 16 bits, which no list ends at, a base below 0, a first vertex and a first instance, and
/// instances that all read one element.
pub fn far(gpu: &Gpu) -> Vec<u32> {
    let text = "
        struct V { @builtin(position) p: vec4f, @location(0) c: vec4f }
        @vertex fn vs(@location(0) p: vec2f, @location(1) c: vec4f, @location(2) s: f32) -> V {
            return V(vec4f(p * s, 0.0, 1.0), c);
        }
        @fragment fn fs(v: V) -> @location(0) vec4f { return v.c; }";
    const LAST: usize = 65_535;
    let mut all = vec![0u32; (LAST + 1) * 2];
    let mut put = |at: usize, corners: [(f32, f32); 3]| {
        for (k, (x, y)) in corners.into_iter().enumerate() {
            all[(at + k) * 2..][..2].copy_from_slice(&[x.to_bits(), y.to_bits()]);
        }
    };
    put(LAST - 2, [(-0.9, -0.9), (-0.1, -0.9), (-0.9, -0.1)]);
    put(40_000, [(0.9, 0.9), (0.1, 0.9), (0.9, 0.1)]);
    put(20_000, [(0.9, -0.9), (0.1, -0.9), (0.9, -0.1)]);
    let vertices = words(gpu, &all);
    let colours = words(gpu, &[0xff00_0000, 0xff00_ffff, 0xff80_80ff, 0xffff_00ff, 0xffff_ffff]);
    let size = floats(gpu, &[0.9]);
    let buffers: &[Layout<'_>] = &[
        (8, false, &[(vk::Format::R32G32_SFLOAT, 0)]),
        (4, true, &[(vk::Format::R8G8B8A8_UNORM, 0)]),
        (0, true, &[(vk::Format::R32_SFLOAT, 0)]),
    ];
    let last = LAST as u32;
    // 65533, 65534 and 65535 in halves of words; then three indices above what they mean.
    let halves = words(gpu, &[(last - 1) << 16 | (last - 2), last]);
    let whole = words(gpu, &[7, 40_500, 40_501, 40_502]);
    once(gpu, &Pipe { text, buffers, ..Pipe::default() }, &[], BLACK, |d, c, _| unsafe {
        d.cmd_bind_vertex_buffers(c, 0, &[vertices.buffer, colours.buffer, size.buffer], &[0, 0, 0]);
        d.cmd_bind_index_buffer(c, halves.buffer, 0, vk::IndexType::UINT16);
        d.cmd_draw_indexed(c, 3, 1, 0, 0, 1);
        d.cmd_bind_index_buffer(c, whole.buffer, 0, vk::IndexType::UINT32);
        d.cmd_draw_indexed(c, 3, 1, 1, -500, 2);
        d.cmd_draw(c, 3, 2, 20_000, 3);
    })
}

/// A pattern by linear filtering and repetition, with levels that are blitted.
pub fn textured(gpu: &Gpu) -> Vec<u32> {
    let text = "
        @group(0) @binding(0) var t: texture_2d<f32>;
        @group(0) @binding(1) var s: sampler;
        struct V { @builtin(position) p: vec4f, @location(0) uv: vec2f }
        @vertex fn vs(@builtin(vertex_index) k: u32) -> V {
            let at = vec2f(f32(k & 1u), f32(k >> 1u));
            let w = 1.0 + 2.0 * (1.0 - at.y);
            return V(vec4f((at * 2.0 - 1.0) * w, 0.0, w), at * 3.0);
        }
        @fragment fn fs(v: V) -> @location(0) vec4f { return textureSample(t, s, v.uv); }";
    let tile = image(gpu, Of { size: [16, 16, 1], levels: 5, usage: TEXTURE, ..Of::default() });
    fill(gpu, &tile, 0, |x, y, _| if (x / 4 + y / 4) % 2 == 0 { [255, 220, 120, 255] } else { [40, 60, 160, 255] });
    gpu.run(|d, c| {
        for k in 1..5 {
            let end = |k: u32| [vk::Offset3D::default(), vk::Offset3D { x: 16 >> k, y: 16 >> k, z: 1 }];
            let blit = vk::ImageBlit {
                src_subresource: level(&tile, k - 1),
                src_offsets: end(k - 1),
                dst_subresource: level(&tile, k),
                dst_offsets: end(k),
            };
            let general = vk::ImageLayout::GENERAL;
            unsafe { d.cmd_blit_image(c, tile.image, general, tile.image, general, &[blit], vk::Filter::LINEAR) };
            barrier(d, c);
        }
    })
    .expect("levels");
    let s = sampler(gpu, vk::Filter::LINEAR, vk::SamplerAddressMode::REPEAT);
    let p = Pipe { text, topology: vk::PrimitiveTopology::TRIANGLE_STRIP, ..Pipe::default() };
    once(gpu, &p, &[Bind::Texture(tile.view), Bind::Sampler(s)], BLACK, |d, c, _| unsafe { d.cmd_draw(c, 4, 1, 0, 0) })
}

/// Three discs that are blended over each other.
pub fn blended(gpu: &Gpu) -> Vec<u32> {
    let text = "
        struct V { @builtin(position) p: vec4f, @location(0) uv: vec2f, @location(1) @interpolate(flat, first) k: u32 }
        @vertex fn vs(@builtin(vertex_index) k: u32, @builtin(instance_index) n: u32) -> V {
            let uv = vec2f(f32(k & 1u), f32(k >> 1u)) * 2.0 - 1.0;
            var at = array(vec2f(-0.3, -0.25), vec2f(0.3, -0.25), vec2f(0.0, 0.3));
            return V(vec4f(uv * 0.6 + at[n], 0.0, 1.0), uv, n);
        }
        @fragment fn fs(v: V) -> @location(0) vec4f {
            var c = array(vec3f(1.0, 0.2, 0.2), vec3f(0.2, 1.0, 0.2), vec3f(0.2, 0.2, 1.0));
            if dot(v.uv, v.uv) > 1.0 { discard; }
            return vec4f(c[v.k], 0.5);
        }";
    let blend = vk::PipelineColorBlendAttachmentState {
        blend_enable: vk::TRUE,
        src_color_blend_factor: vk::BlendFactor::SRC_ALPHA,
        dst_color_blend_factor: vk::BlendFactor::ONE_MINUS_SRC_ALPHA,
        color_blend_op: vk::BlendOp::ADD,
        src_alpha_blend_factor: vk::BlendFactor::ONE,
        dst_alpha_blend_factor: vk::BlendFactor::ONE_MINUS_SRC_ALPHA,
        alpha_blend_op: vk::BlendOp::ADD,
        ..Default::default()
    };
    let p = Pipe { text, blend: Some(blend), topology: vk::PrimitiveTopology::TRIANGLE_STRIP, ..Pipe::default() };
    once(gpu, &p, &[], BLACK, |d, c, _| unsafe { d.cmd_draw(c, 4, 3, 0, 0) })
}

/// Sixteen instances, each with a place and a colour of its own.
pub fn instances(gpu: &Gpu) -> Vec<u32> {
    let text = "
        struct V { @builtin(position) p: vec4f, @location(0) c: vec4f }
        @vertex fn vs(@location(0) p: vec2f, @location(1) at: vec2f, @location(2) c: vec4f) -> V {
            return V(vec4f(p * 0.2 + at, 0.0, 1.0), c);
        }
        @fragment fn fs(v: V) -> @location(0) vec4f { return v.c; }";
    let shape = floats(gpu, &[0.0, -1.0, 1.0, 0.0, -1.0, 0.0, 0.0, 1.0]);
    let each = |k: u32| {
        let at = |n: u32| (n as f32 - 1.5) * 0.5;
        [at(k % 4).to_bits(), at(k / 4).to_bits(), 0xff80_0000 + k * 15 + ((255 - k * 15) << 8)]
    };
    let places = words(gpu, &(0..16).flat_map(each).collect::<Vec<_>>());
    let buffers: &[Layout<'_>] = &[
        (8, false, &[(vk::Format::R32G32_SFLOAT, 0)]),
        (12, true, &[(vk::Format::R32G32_SFLOAT, 0), (vk::Format::R8G8B8A8_UNORM, 8)]),
    ];
    let p = Pipe { text, buffers, topology: vk::PrimitiveTopology::TRIANGLE_STRIP, ..Pipe::default() };
    once(gpu, &p, &[], BLACK, |d, c, _| unsafe {
        d.cmd_bind_vertex_buffers(c, 0, &[shape.buffer, places.buffer], &[0, 0]);
        d.cmd_draw(c, 4, 16, 0, 0);
    })
}

/// A row of bars, each drawn with push constants of its own.
pub fn pushed(gpu: &Gpu) -> Vec<u32> {
    let text = "
        struct Push { low: vec2f, high: vec2f, colour: vec4f }
        var<immediate> push: Push;
        @vertex fn vs(@builtin(vertex_index) k: u32) -> @builtin(position) vec4f {
            let uv = vec2f(f32(k & 1u), f32(k >> 1u));
            return vec4f(mix(push.low, push.high, uv), 0.0, 1.0);
        }
        @fragment fn fs() -> @location(0) vec4f { return push.colour; }";
    let p = Pipe { text, push: 32, topology: vk::PrimitiveTopology::TRIANGLE_STRIP, ..Pipe::default() };
    once(gpu, &p, &[], BLUE, |d, c, made| {
        for k in 0..8u32 {
            let x = k as f32 * 0.25 - 1.0;
            let list =
                [x + 0.03, 1.0 - 0.2 * (k + 1) as f32, x + 0.22, 1.0, k as f32 / 7.0, 0.5, 1.0 - k as f32 / 7.0, 1.0];
            made.push(d, c, &list);
            unsafe { d.cmd_draw(c, 4, 1, 0, 0) };
        }
    })
}

/// Four quads, whose colours and places lie behind dynamic offsets of one buffer.
pub fn offsets(gpu: &Gpu) -> Vec<u32> {
    let text = "
        struct U { at: vec4f, colour: vec4f }
        @group(0) @binding(0) var<uniform> u: U;
        @vertex fn vs(@builtin(vertex_index) k: u32) -> @builtin(position) vec4f {
            let uv = vec2f(f32(k & 1u), f32(k >> 1u)) - 0.5;
            return vec4f(u.at.xy + uv * u.at.zw, 0.0, 1.0);
        }
        @fragment fn fs() -> @location(0) vec4f { return u.colour; }";
    let data = gpu.buffer(4 * 256);
    let mut all = vec![0f32; 256];
    for k in 0..4 {
        let (x, y) = ((k % 2) as f32 - 0.5, (k / 2) as f32 - 0.5);
        let own = [x, y, 0.5 + k as f32 * 0.1, 0.6, k as f32 / 3.0, 1.0 - k as f32 / 3.0, 0.25, 1.0];
        all[k * 64..k * 64 + 8].copy_from_slice(&own);
    }
    data.write(&all.iter().map(|v| v.to_bits()).collect::<Vec<_>>());
    let target = image(gpu, Of::default());
    let pass = pass(gpu, &[(target, BLACK)], None, None);
    let p = Pipe { text, topology: vk::PrimitiveTopology::TRIANGLE_STRIP, ..Pipe::default() };
    let made = made(gpu, &p, &[Bind::Dynamic(data, 32)], &pass);
    passed(gpu, &target, &pass, |d, c| unsafe {
        d.cmd_bind_pipeline(c, vk::PipelineBindPoint::GRAPHICS, made.pipeline);
        for k in [3u32, 1, 2, 0] {
            let sets = made.set.as_slice();
            d.cmd_bind_descriptor_sets(c, vk::PipelineBindPoint::GRAPHICS, made.layout, 0, sets, &[k * 256]);
            d.cmd_draw(c, 4, 1, 0, 0);
        }
    })
}

/// A strip that an index ends, and a fan.
pub fn strips(gpu: &Gpu) -> Vec<u32> {
    let text = "
        struct V { @builtin(position) p: vec4f, @location(0) @interpolate(flat, first) c: vec4f }
        @vertex fn vs(@builtin(vertex_index) k: u32, @location(0) p: vec2f) -> V {
            return V(vec4f(p, 0.0, 1.0), vec4f(f32(k % 3u) * 0.5, f32(k % 4u) / 3.0, f32(k % 5u) * 0.25, 1.0));
        }
        @fragment fn fs(v: V) -> @location(0) vec4f { return v.c; }";
    let zig = |k: u32| [k as f32 * 0.25 - 0.9, if k.is_multiple_of(2) { -0.9 } else { -0.2 }];
    let mut list: Vec<f32> = (0..8).flat_map(zig).collect();
    list.extend([0.0, 0.5]);
    for k in 0..6 {
        let a = k as f32 * 1.1;
        list.extend([a.cos() * 0.45, a.sin() * 0.45 + 0.5]);
    }
    let vertices = floats(gpu, &list);
    let indices = words(gpu, &[0, 1, 2, 3, u32::MAX, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
    let buffers: &[Layout<'_>] = &[(8, false, &[(vk::Format::R32G32_SFLOAT, 0)])];
    let target = image(gpu, Of::default());
    let pass = pass(gpu, &[(target, BLUE)], None, None);
    let of = |topology, restart| made(gpu, &Pipe { text, buffers, topology, restart, ..Pipe::default() }, &[], &pass);
    let strip = of(vk::PrimitiveTopology::TRIANGLE_STRIP, true);
    let fan = of(vk::PrimitiveTopology::TRIANGLE_FAN, false);
    passed(gpu, &target, &pass, |d, c| unsafe {
        strip.bind(d, c);
        d.cmd_bind_vertex_buffers(c, 0, &[vertices.buffer], &[0]);
        d.cmd_bind_index_buffer(c, indices.buffer, 0, vk::IndexType::UINT32);
        d.cmd_draw_indexed(c, 9, 1, 0, 0, 0);
        fan.bind(d, c);
        d.cmd_draw_indexed(c, 6, 1, 9, 0, 0);
    })
}

/// Points and lines through the middles of pixels.
pub fn lines(gpu: &Gpu) -> Vec<u32> {
    let text = "
        @vertex fn vs(@location(0) p: vec2f) -> @builtin(position) vec4f { return vec4f(p / 32.0 - 1.0, 0.0, 1.0); }
        @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f { return vec4f(fract(p.xy / 16.0), 1.0, 1.0); }";
    let mut list = Vec::new();
    for k in 0..6 {
        let at = 4.5 + k as f32 * 8.0;
        list.extend([4.5, at, 50.5, at, at, 6.5, at, 58.5]);
    }
    let lines = floats(gpu, &list);
    let points = floats(gpu, &(0..16).flat_map(|k| [60.5, 2.5 + k as f32 * 4.0]).collect::<Vec<_>>());
    let buffers: &[Layout<'_>] = &[(8, false, &[(vk::Format::R32G32_SFLOAT, 0)])];
    let target = image(gpu, Of::default());
    let pass = pass(gpu, &[(target, BLACK)], None, None);
    let of = |topology| made(gpu, &Pipe { text, buffers, topology, ..Pipe::default() }, &[], &pass);
    let (line, point) = (of(vk::PrimitiveTopology::LINE_LIST), of(vk::PrimitiveTopology::POINT_LIST));
    passed(gpu, &target, &pass, |d, c| unsafe {
        d.cmd_bind_vertex_buffers(c, 0, &[lines.buffer], &[0]);
        line.draw(d, c, 24, 1);
        d.cmd_bind_vertex_buffers(c, 0, &[points.buffer], &[0]);
        point.draw(d, c, 16, 1);
    })
}

/// Layers of an array, one for each quarter.
pub fn layers(gpu: &Gpu) -> Vec<u32> {
    let text = "
        @group(0) @binding(0) var t: texture_2d_array<f32>;
        @group(0) @binding(1) var s: sampler;
        struct V { @builtin(position) p: vec4f, @location(0) uv: vec2f }
        @vertex fn vs(@builtin(vertex_index) k: u32) -> V {
            let uv = vec2f(f32(k & 1u), f32(k >> 1u));
            return V(vec4f(uv * 2.0 - 1.0, 0.0, 1.0), uv * 2.0);
        }
        @fragment fn fs(v: V) -> @location(0) vec4f {
            let n = u32(v.uv.x) + 2u * u32(v.uv.y);
            return textureSampleLevel(t, s, fract(v.uv), n, 0.0);
        }";
    let kind = vk::ImageViewType::TYPE_2D_ARRAY;
    let t = image(gpu, Of { size: [8, 8, 1], layers: 4, kind, usage: TEXTURE, ..Of::default() });
    fill(gpu, &t, 0, |x, y, z| [(x * 32) as u8, (y * 32) as u8, (z * 80) as u8, 255]);
    let s = sampler(gpu, vk::Filter::NEAREST, vk::SamplerAddressMode::CLAMP_TO_EDGE);
    let p = Pipe { text, topology: vk::PrimitiveTopology::TRIANGLE_STRIP, ..Pipe::default() };
    once(gpu, &p, &[Bind::Texture(t.view), Bind::Sampler(s)], BLACK, |d, c, _| unsafe { d.cmd_draw(c, 4, 1, 0, 0) })
}

/// A slice through a volume, filtered in three directions.
pub fn volume(gpu: &Gpu) -> Vec<u32> {
    let text = "
        @group(0) @binding(0) var t: texture_3d<f32>;
        @group(0) @binding(1) var s: sampler;
        struct V { @builtin(position) p: vec4f, @location(0) uv: vec2f }
        @vertex fn vs(@builtin(vertex_index) k: u32) -> V {
            let uv = vec2f(f32(k & 1u), f32(k >> 1u));
            return V(vec4f(uv * 2.0 - 1.0, 0.0, 1.0), uv);
        }
        @fragment fn fs(v: V) -> @location(0) vec4f { return textureSample(t, s, vec3f(v.uv, (v.uv.x + v.uv.y) * 0.5)); }";
    let kind = vk::ImageViewType::TYPE_3D;
    let t = image(gpu, Of { size: [4, 4, 4], kind, usage: TEXTURE, ..Of::default() });
    fill(gpu, &t, 0, |x, y, z| [(x * 85) as u8, (y * 85) as u8, (z * 85) as u8, 255]);
    let s = sampler(gpu, vk::Filter::LINEAR, vk::SamplerAddressMode::MIRRORED_REPEAT);
    let p = Pipe { text, topology: vk::PrimitiveTopology::TRIANGLE_STRIP, ..Pipe::default() };
    once(gpu, &p, &[Bind::Texture(t.view), Bind::Sampler(s)], BLACK, |d, c, _| unsafe { d.cmd_draw(c, 4, 1, 0, 0) })
}

/// Four viewports, of which two are upside down, each with a scissor.
pub fn viewports(gpu: &Gpu) -> Vec<u32> {
    let text = "
        struct V { @builtin(position) p: vec4f, @location(0) c: vec3f }
        @vertex fn vs(@builtin(vertex_index) k: u32) -> V {
            var at = array(vec2f(0.0, -1.0), vec2f(1.0, 1.0), vec2f(-1.0, 1.0));
            return V(vec4f(at[k], 0.5, 1.0), vec3f(f32(k == 0u), f32(k == 1u), f32(k == 2u)));
        }
        @fragment fn fs(v: V) -> @location(0) vec4f { return vec4f(v.c, 1.0); }";
    once(gpu, &Pipe { text, ..Pipe::default() }, &[], BLUE, |d, c, _| {
        for k in 0..4i32 {
            let (x, y) = (32 * (k % 2), 32 * (k / 2));
            let mut v = whole([32, 32]);
            (v.x, v.y) = (x as f32, y as f32);
            if k % 3 != 0 {
                (v.y, v.height) = (v.y + 32.0, -32.0);
            }
            let extent = vk::Extent2D { width: 26, height: 30 };
            let scissor = vk::Rect2D { offset: vk::Offset2D { x: x + 3, y }, extent };
            unsafe {
                d.cmd_set_viewport(c, 0, &[v]);
                d.cmd_set_scissor(c, 0, &[scissor]);
                d.cmd_draw(c, 3, 1, 0, 0);
            }
        }
    })
}

/// Draws whose numbers lie in a buffer.
pub fn indirect(gpu: &Gpu) -> Vec<u32> {
    let text = "
        struct V { @builtin(position) p: vec4f, @location(0) c: vec4f }
        @vertex fn vs(@builtin(vertex_index) k: u32, @builtin(instance_index) n: u32) -> V {
            let q = k / 6u;
            var at = array(vec2f(0.0, 0.0), vec2f(1.0, 0.0), vec2f(0.0, 1.0), vec2f(0.0, 1.0), vec2f(1.0, 0.0), vec2f(1.0, 1.0));
            let p = at[k % 6u] * 0.4 + vec2f(f32(q) * 0.5 - 1.0, f32(n) * 0.5 - 1.0);
            return V(vec4f(p, 0.0, 1.0), vec4f(f32(q) / 3.0, f32(n) / 3.0, 0.5, 1.0));
        }
        @fragment fn fs(v: V) -> @location(0) vec4f { return v.c; }";
    let calls = words(gpu, &[12, 2, 0, 0, 0, 6, 1, 18, 3]);
    once(gpu, &Pipe { text, ..Pipe::default() }, &[], BLACK, |d, c, _| unsafe {
        d.cmd_draw_indirect(c, calls.buffer, 0, 1, 0);
        // First instances that are not 0 want a feature in draws of a buffer.
        d.cmd_draw(c, 6, 1, 18, 3);
    })
}

/// Views that exchange components: grey from one component, red and blue the other way round, a constant alpha that blends.
pub fn exchanged(gpu: &Gpu) -> Vec<u32> {
    let text = "
        @group(0) @binding(0) var a: texture_2d<f32>;
        @group(0) @binding(1) var b: texture_2d<f32>;
        @group(0) @binding(2) var s: sampler;
        struct V { @builtin(position) p: vec4f, @location(0) uv: vec2f }
        @vertex fn vs(@builtin(vertex_index) k: u32) -> V {
            let uv = vec2f(f32(k & 1u), f32(k >> 1u));
            return V(vec4f(uv * 2.0 - 1.0, 0.0, 1.0), uv * 2.0);
        }
        @fragment fn fs(v: V) -> @location(0) vec4f {
            let x = textureSampleLevel(a, s, fract(v.uv), 0.0);
            let y = textureSampleLevel(b, s, fract(v.uv), 0.0);
            return select(x, y, v.uv.x > 1.0) * select(1.0, 0.5, v.uv.y > 1.0);
        }";
    use vk::ComponentSwizzle as C;
    let of = |format, r, g, b, a| {
        let p = image(gpu, Of { format, size: [8, 8, 1], usage: TEXTURE, ..Of::default() });
        let range = vk::ImageSubresourceRange {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            level_count: 1,
            layer_count: 1,
            ..Default::default()
        };
        let info = vk::ImageViewCreateInfo::default()
            .image(p.image)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(format)
            .components(vk::ComponentMapping { r, g, b, a })
            .subresource_range(range);
        (p, unsafe { gpu.device.create_image_view(&info, None).expect("a view") })
    };
    let (one, grey) = of(vk::Format::R32_SFLOAT, C::R, C::R, C::R, C::ONE);
    let (all, turned) = of(COLOUR, C::B, C::G, C::R, C::IDENTITY);
    fill(gpu, &one, 0, |x, y, _| ((x + y) as f32 / 14.0).to_le_bytes());
    fill(gpu, &all, 0, |x, y, _| [(x * 36) as u8, (y * 36) as u8, 40, 255]);
    let s = sampler(gpu, vk::Filter::NEAREST, vk::SamplerAddressMode::CLAMP_TO_EDGE);
    let p = Pipe { text, topology: vk::PrimitiveTopology::TRIANGLE_STRIP, ..Pipe::default() };
    let binds = [Bind::Texture(grey), Bind::Texture(turned), Bind::Sampler(s)];
    once(gpu, &p, &binds, BLACK, |d, c, _| unsafe { d.cmd_draw(c, 4, 1, 0, 0) })
}
