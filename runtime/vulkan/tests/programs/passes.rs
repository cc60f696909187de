//! Programs of several passes, of depth, stencil and samples, and of compute shaders beside draws.

use ash::vk;

use super::parts::*;
use crate::kit::{Gpu, spirv};

const BLACK: [f32; 4] = [0.0, 0.0, 0.0, 1.0];
const BLUE: [f32; 4] = [0.1, 0.2, 0.4, 1.0];
/// A square by the number of the vertex: `uv` in 0 to 1.
const STRIP: vk::PrimitiveTopology = vk::PrimitiveTopology::TRIANGLE_STRIP;
const ONE: vk::SampleCountFlags = vk::SampleCountFlags::TYPE_1;

fn deep(gpu: &Gpu, format: vk::Format, samples: vk::SampleCountFlags) -> Pic {
    let usage = vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT;
    image(gpu, Of { format, samples, usage, ..Of::default() })
}

fn depth(gpu: &Gpu) -> Pic {
    deep(gpu, DEPTH, ONE)
}

/// A cube in perspective: 36 vertices by their number.
const CUBE: &str = "
    struct V { @builtin(position) p: vec4f, @location(0) c: vec3f }
    @group(0) @binding(0) var<uniform> m: mat4x4f;
    @vertex fn vs(@builtin(vertex_index) k: u32) -> V {
        var corner = array(vec2f(-1.0, -1.0), vec2f(1.0, -1.0), vec2f(-1.0, 1.0), vec2f(-1.0, 1.0), vec2f(1.0, -1.0), vec2f(1.0, 1.0));
        let face = k / 6u;
        let q = corner[k % 6u];
        let s = select(-1.0, 1.0, (face & 1u) == 1u);
        var p = vec3f(q.x * s, q.y, s);
        if face / 2u == 1u { p = p.zxy; }
        if face / 2u == 2u { p = p.yzx; }
        return V(m * vec4f(p, 1.0), vec3f(f32(face & 1u), f32(face / 2u) * 0.5, 1.0 - f32(face) / 5.0));
    }
    @fragment fn fs(v: V) -> @location(0) vec4f { return vec4f(v.c, 1.0); }";

/// Turned by two angles, three units away, depth from 1 to 8.
fn camera(a: f32, b: f32) -> [f32; 16] {
    let (near, end) = (1.0f32, 8.0f32);
    let ((sa, ca), (sb, cb)) = (a.sin_cos(), b.sin_cos());
    let rows = [[ca, 0.0, sa, 0.0], [sa * sb, cb, -ca * sb, 0.0], [-sa * cb, sb, ca * cb, 4.0]];
    let z = |k: usize| rows[2][k] * end / (end - near) - if k == 3 { end * near / (end - near) } else { 0.0 };
    let mut m = [0.0; 16];
    for k in 0..4 {
        m[k * 4..k * 4 + 4].copy_from_slice(&[rows[0][k] * 1.8, rows[1][k] * 1.8, z(k), rows[2][k]]);
    }
    m
}

/// The pipeline of the cube in a pass, with so many samples and seen from there.
fn turned(gpu: &Gpu, pass: &Pass, samples: vk::SampleCountFlags, a: f32, b: f32) -> Made {
    let p = Pipe { text: CUBE, samples, depth: Some((vk::CompareOp::LESS, true)), ..Pipe::default() };
    made(gpu, &p, &[Bind::Uniform(floats(gpu, &camera(a, b)))], pass)
}

/// A cube whose back faces are culled.
pub fn cube(gpu: &Gpu) -> Vec<u32> {
    let (target, z) = (image(gpu, Of::default()), depth(gpu));
    let pass = pass(gpu, &[(target, BLUE)], Some(z), None);
    let cube = turned(gpu, &pass, ONE, 0.7, 0.5);
    passed(gpu, &target, &pass, |d, c| cube.draw(d, c, 36, 1))
}

/// Triangles through each other.
pub fn crossing(gpu: &Gpu) -> Vec<u32> {
    let text = "
        struct V { @builtin(position) p: vec4f, @location(0) @interpolate(flat, first) n: u32 }
        @vertex fn vs(@builtin(vertex_index) k: u32, @builtin(instance_index) n: u32) -> V {
            var at = array(vec3f(-0.9, -0.8, 0.1), vec3f(0.9, -0.1, 0.9), vec3f(-0.9, 0.6, 0.5));
            var p = at[k];
            if n == 1u { p = vec3f(-p.x, -p.y, p.z); }
            return V(vec4f(p, 1.0), n);
        }
        @fragment fn fs(v: V) -> @location(0) vec4f { return select(vec4f(1.0, 0.6, 0.0, 1.0), vec4f(0.0, 0.6, 1.0, 1.0), v.n == 1u); }";
    let (target, z) = (image(gpu, Of::default()), depth(gpu));
    let pass = pass(gpu, &[(target, BLACK)], Some(z), None);
    let p = Pipe { text, depth: Some((vk::CompareOp::LESS_OR_EQUAL, true)), ..Pipe::default() };
    let made = made(gpu, &p, &[], &pass);
    passed(gpu, &target, &pass, |d, c| made.draw(d, c, 3, 2))
}

/// A disc in the stencil, front faces and back faces with values of their own, and what is drawn where it has them.
pub fn stencil(gpu: &Gpu) -> Vec<u32> {
    let text = "
        struct Push { colour: vec4f }
        var<immediate> push: Push;
        struct V { @builtin(position) p: vec4f, @location(0) uv: vec2f }
        @vertex fn vs(@builtin(vertex_index) k: u32, @builtin(instance_index) n: u32) -> V {
            let uv = vec2f(f32(k & 1u), f32(k >> 1u)) * 2.0 - 1.0;
            return V(vec4f(uv.x * select(1.0, -1.0, n == 1u) * 0.6 + select(-0.3, 0.3, n == 1u), uv.y * 0.6, 0.5, 1.0), uv);
        }
        @fragment fn disc(v: V) -> @location(0) vec4f {
            if dot(v.uv, v.uv) > 1.0 { discard; }
            return push.colour;
        }
        @fragment fn fs(v: V) -> @location(0) vec4f { return push.colour; }";
    let format = gpu.stencil_format();
    let (target, z) = (image(gpu, Of::default()), deep(gpu, format, ONE));
    let pass = pass(gpu, &[(target, BLACK)], Some(z), None);
    let face = |compare_op, pass_op, reference| vk::StencilOpState {
        compare_op,
        pass_op,
        reference,
        compare_mask: 0xff,
        write_mask: 0xff,
        ..Default::default()
    };
    let write = |n| face(vk::CompareOp::ALWAYS, vk::StencilOp::REPLACE, n);
    let equal = |n| face(vk::CompareOp::EQUAL, vk::StencilOp::INCREMENT_AND_CLAMP, n);
    let of = |stencil, fragment| {
        let p = Pipe {
            text,
            push: 16,
            topology: STRIP,
            stencil: Some(stencil),
            fragment: Some(fragment),
            ..Pipe::default()
        };
        made(gpu, &p, &[], &pass)
    };
    let discs = of([write(3), write(5)], c"disc");
    let one = of([equal(3), equal(3)], c"fs");
    let two = of([equal(5), equal(5)], c"fs");
    let four = of([equal(4), equal(4)], c"fs");
    passed(gpu, &target, &pass, |d, c| {
        let whole = [([0.3, 0.3, 0.3, 1.0], discs), ([1.0, 0.0, 0.0, 1.0], one), ([0.0, 1.0, 0.0, 1.0], two)];
        for (colour, made) in whole.into_iter().chain([([0.0, 0.0, 1.0, 1.0], four)]) {
            made.push(d, c, &colour);
            made.draw(d, c, 4, 2);
        }
    })
}

/// Four samples of a pixel, resolved.
pub fn samples(gpu: &Gpu) -> Vec<u32> {
    let four = vk::SampleCountFlags::TYPE_4;
    let (target, z) = (image(gpu, Of::default()), deep(gpu, DEPTH, four));
    let usage = vk::ImageUsageFlags::COLOR_ATTACHMENT;
    let several = image(gpu, Of { samples: four, usage, ..Of::default() });
    let pass = pass(gpu, &[(several, BLUE)], Some(z), Some(target));
    let cube = turned(gpu, &pass, four, -0.4, 0.9);
    passed(gpu, &target, &pass, |d, c| cube.draw(d, c, 36, 1))
}

/// A picture that a second pass blurs.
pub fn blurred(gpu: &Gpu) -> Vec<u32> {
    let text = "
        @group(0) @binding(0) var t: texture_2d<f32>;
        @group(0) @binding(1) var s: sampler;
        struct V { @builtin(position) p: vec4f, @location(0) uv: vec2f }
        @vertex fn vs(@builtin(vertex_index) k: u32) -> V {
            let uv = vec2f(f32((k << 1u) & 2u), f32(k & 2u));
            return V(vec4f(uv * 2.0 - 1.0, 0.0, 1.0), uv);
        }
        @fragment fn fs(v: V) -> @location(0) vec4f {
            var sum = vec4f(0.0);
            for (var k = -3; k <= 3; k++) {
                sum += textureSampleLevel(t, s, v.uv + vec2f(f32(k), f32(k)) / 64.0, 0.0) * (4.0 - f32(abs(k))) / 16.0;
            }
            return sum;
        }";
    let (first, target, z) = (image(gpu, Of::default()), image(gpu, Of::default()), depth(gpu));
    let one = pass(gpu, &[(first, BLACK)], Some(z), None);
    let two = pass(gpu, &[(target, BLACK)], None, None);
    let cube = turned(gpu, &one, ONE, 1.9, -0.6);
    let s = sampler(gpu, vk::Filter::NEAREST, vk::SamplerAddressMode::CLAMP_TO_EDGE);
    let blur = made(gpu, &Pipe { text, ..Pipe::default() }, &[Bind::Texture(first.view), Bind::Sampler(s)], &two);
    recorded(gpu, &target, |d, c| {
        draw(d, c, &one, || cube.draw(d, c, 36, 1));
        draw(d, c, &two, || blur.draw(d, c, 3, 1));
    })
}

/// Two targets at once, which a second pass brings together.
pub fn deferred(gpu: &Gpu) -> Vec<u32> {
    let text = "
        struct Out { @location(0) colour: vec4f, @location(1) normal: vec4f }
        struct V { @builtin(position) p: vec4f, @location(0) uv: vec2f }
        @vertex fn vs(@builtin(vertex_index) k: u32) -> V {
            let uv = vec2f(f32(k & 1u), f32(k >> 1u)) * 2.0 - 1.0;
            return V(vec4f(uv * 0.9, 0.0, 1.0), uv);
        }
        @fragment fn fs(v: V) -> Out {
            let d = dot(v.uv, v.uv);
            if d > 1.0 { discard; }
            let n = vec3f(v.uv, sqrt(max(1.0 - d, 0.0)));
            return Out(vec4f(0.9, 0.5 + 0.4 * v.uv.x, 0.3, 1.0), vec4f(n * 0.5 + 0.5, 1.0));
        }";
    let light = "
        @group(0) @binding(0) var colours: texture_2d<f32>;
        @group(0) @binding(1) var normals: texture_2d<f32>;
        @vertex fn vs(@builtin(vertex_index) k: u32) -> @builtin(position) vec4f {
            return vec4f(f32((k << 1u) & 2u) * 2.0 - 1.0, f32(k & 2u) * 2.0 - 1.0, 0.0, 1.0);
        }
        @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
            let at = vec2i(p.xy);
            let n = textureLoad(normals, at, 0).xyz * 2.0 - 1.0;
            let l = max(dot(n, vec3f(0.48, -0.6, 0.64)), 0.1);
            return vec4f(textureLoad(colours, at, 0).xyz * l, 1.0);
        }";
    let (a, b, target) = (image(gpu, Of::default()), image(gpu, Of::default()), image(gpu, Of::default()));
    let one = pass(gpu, &[(a, [0.2, 0.2, 0.2, 1.0]), (b, [0.5, 0.5, 1.0, 1.0])], None, None);
    let two = pass(gpu, &[(target, BLACK)], None, None);
    let first = made(gpu, &Pipe { text, topology: STRIP, targets: 2, ..Pipe::default() }, &[], &one);
    let p = Pipe { text: light, ..Pipe::default() };
    let second = made(gpu, &p, &[Bind::Texture(a.view), Bind::Texture(b.view)], &two);
    recorded(gpu, &target, |d, c| {
        draw(d, c, &one, || first.draw(d, c, 4, 1));
        draw(d, c, &two, || second.draw(d, c, 3, 1));
    })
}

/// A map of depths that a second pass compares with.
pub fn shadow(gpu: &Gpu) -> Vec<u32> {
    let cast = "
        @vertex fn vs(@builtin(vertex_index) k: u32) -> @builtin(position) vec4f {
            var at = array(vec2f(-0.5, -0.6), vec2f(0.6, -0.1), vec2f(-0.2, 0.7));
            return vec4f(at[k], 0.3, 1.0);
        }";
    let text = "
        @group(0) @binding(0) var t: texture_depth_2d;
        @group(0) @binding(1) var s: sampler_comparison;
        struct V { @builtin(position) p: vec4f, @location(0) uv: vec2f }
        @vertex fn vs(@builtin(vertex_index) k: u32) -> V {
            let uv = vec2f(f32((k << 1u) & 2u), f32(k & 2u));
            return V(vec4f(uv * 2.0 - 1.0, 0.0, 1.0), uv);
        }
        @fragment fn fs(v: V) -> @location(0) vec4f {
            let l = textureSampleCompareLevel(t, s, v.uv, 0.5);
            return vec4f(mix(vec3f(0.1, 0.1, 0.3), vec3f(1.0, 0.9, 0.7), l), 1.0);
        }";
    let usage = vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT | vk::ImageUsageFlags::SAMPLED;
    let map = image(gpu, Of { format: DEPTH, size: [32, 32, 1], usage, ..Of::default() });
    let target = image(gpu, Of::default());
    let one = pass(gpu, &[], Some(map), None);
    let two = pass(gpu, &[(target, BLACK)], None, None);
    let p =
        Pipe { text: cast, fragment: None, targets: 0, depth: Some((vk::CompareOp::LESS, true)), ..Pipe::default() };
    let caster = made(gpu, &p, &[], &one);
    let info = vk::SamplerCreateInfo::default().compare_enable(true).compare_op(vk::CompareOp::LESS_OR_EQUAL);
    let edge = vk::SamplerAddressMode::CLAMP_TO_EDGE;
    let info = info.address_mode_u(edge).address_mode_v(edge).address_mode_w(edge);
    let s = unsafe { gpu.device.create_sampler(&info, None).expect("a sampler") };
    let lit = made(gpu, &Pipe { text, ..Pipe::default() }, &[Bind::Texture(map.view), Bind::Sampler(s)], &two);
    recorded(gpu, &target, |d, c| {
        draw(d, c, &one, || caster.draw(d, c, 3, 1));
        draw(d, c, &two, || lit.draw(d, c, 3, 1));
    })
}

/// Six faces around the eye.
pub fn skybox(gpu: &Gpu) -> Vec<u32> {
    let text = "
        @group(0) @binding(0) var t: texture_cube<f32>;
        @group(0) @binding(1) var s: sampler;
        struct V { @builtin(position) p: vec4f, @location(0) d: vec3f }
        @vertex fn vs(@builtin(vertex_index) k: u32) -> V {
            let uv = vec2f(f32(k & 1u), f32(k >> 1u)) * 2.0 - 1.0;
            return V(vec4f(uv, 0.0, 1.0), vec3f(uv.x * 1.6 + 0.9, uv.y * 1.6 - 0.6, 1.0));
        }
        @fragment fn fs(v: V) -> @location(0) vec4f { return textureSampleLevel(t, s, v.d, 0.0); }";
    let kind = vk::ImageViewType::CUBE;
    let t = image(gpu, Of { size: [8, 8, 1], layers: 6, kind, usage: TEXTURE, ..Of::default() });
    fill(gpu, &t, 0, |x, y, z| [(z * 50) as u8, (x * 32) as u8, (y * 32) as u8, 255]);
    let s = sampler(gpu, vk::Filter::NEAREST, vk::SamplerAddressMode::CLAMP_TO_EDGE);
    let p = Pipe { text, topology: STRIP, ..Pipe::default() };
    once(gpu, &p, &[Bind::Texture(t.view), Bind::Sampler(s)], BLACK, |d, c, _| unsafe { d.cmd_draw(c, 4, 1, 0, 0) })
}

/// A fractal that a compute shader stores to an image.
pub fn fractal(gpu: &Gpu) -> Vec<u32> {
    let text = "
        @group(0) @binding(0) var t: texture_storage_2d<rgba8unorm, write>;
        @compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) id: vec3u) {
            let c = vec2i(id.xy) * 3 - 96;
            var z = vec2i(0);
            var n = 0u;
            // Fixed point: 64 is 1, so that all machines count the same.
            while n < 24u && z.x * z.x + z.y * z.y < 16384 {
                z = vec2i((z.x * z.x - z.y * z.y) / 64, 2 * z.x * z.y / 64) + c;
                n += 1u;
            }
            textureStore(t, vec2i(id.xy), vec4f(f32(n % 4u) / 3.0, f32(n) / 24.0, f32(n % 8u) / 7.0, 1.0));
        }";
    let usage = vk::ImageUsageFlags::STORAGE | vk::ImageUsageFlags::TRANSFER_SRC;
    let target = image(gpu, Of { usage, ..Of::default() });
    let program = gpu.program(&spirv(text), set(gpu, &[Bind::Image(target.view)]), 0);
    recorded(gpu, &target, |d, c| unsafe {
        program.bind(d, c);
        d.cmd_dispatch(c, 8, 8, 1);
        barrier(d, c);
    })
}

/// Particles that a compute shader moves, drawn as points.
pub fn particles(gpu: &Gpu) -> Vec<u32> {
    let step = "
        struct P { at: vec2i, v: vec2i }
        @group(0) @binding(0) var<storage, read_write> all: array<P>;
        @compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3u) {
            var p = all[id.x];
            p.at += p.v;
            if abs(p.at.x) > 28 { p.v.x = -p.v.x; }
            if abs(p.at.y) > 28 { p.v.y = -p.v.y; }
            all[id.x] = p;
        }";
    let text = "
        struct V { @builtin(position) p: vec4f, @location(0) c: vec4f }
        @vertex fn vs(@location(0) at: vec2i, @location(1) v: vec2i) -> V {
            return V(vec4f((vec2f(at) + 0.5) / 32.0, 0.0, 1.0), vec4f(vec2f(v) * 0.125 + 0.5, 1.0, 1.0));
        }
        @fragment fn fs(v: V) -> @location(0) vec4f { return v.c; }";
    let start = (0..64u32).flat_map(|k| [k % 17, k % 13, k % 7, k % 5].map(|n| n.wrapping_sub(3)));
    let data = words(gpu, &start.collect::<Vec<_>>());
    let target = image(gpu, Of::default());
    let pass = pass(gpu, &[(target, BLACK)], None, None);
    let mover = gpu.program(&spirv(step), set(gpu, &[Bind::Storage(data)]), 0);
    let buffers: &[Layout<'_>] = &[(16, false, &[(vk::Format::R32G32_SINT, 0), (vk::Format::R32G32_SINT, 8)])];
    let p = Pipe { text, buffers, topology: vk::PrimitiveTopology::POINT_LIST, ..Pipe::default() };
    let made = made(gpu, &p, &[], &pass);
    recorded(gpu, &target, |d, c| {
        mover.bind(d, c);
        for _ in 0..12 {
            unsafe { d.cmd_dispatch(c, 2, 1, 1) };
            barrier(d, c);
        }
        draw(d, c, &pass, || {
            unsafe { d.cmd_bind_vertex_buffers(c, 0, &[data.buffer], &[0]) };
            made.draw(d, c, 64, 1);
        });
    })
}

/// Draws that a secondary command buffer has.
pub fn secondary(gpu: &Gpu) -> Vec<u32> {
    let (target, z) = (image(gpu, Of::default()), depth(gpu));
    let pass = pass(gpu, &[(target, BLUE)], Some(z), None);
    let cube = turned(gpu, &pass, ONE, 2.6, 0.3);
    let d = &gpu.device;
    let second = unsafe {
        let info = vk::CommandBufferAllocateInfo::default().command_pool(gpu.pool).command_buffer_count(1);
        let c = d.allocate_command_buffers(&info.level(vk::CommandBufferLevel::SECONDARY)).expect("a buffer")[0];
        let inherited = vk::CommandBufferInheritanceInfo::default().render_pass(pass.pass).framebuffer(pass.frame);
        let flags = vk::CommandBufferUsageFlags::RENDER_PASS_CONTINUE;
        let info = vk::CommandBufferBeginInfo::default().flags(flags).inheritance_info(&inherited);
        d.begin_command_buffer(c, &info).expect("a recording");
        let extent = vk::Extent2D { width: SIZE, height: SIZE };
        d.cmd_set_viewport(c, 0, &[whole([SIZE, SIZE])]);
        d.cmd_set_scissor(c, 0, &[vk::Rect2D { extent, ..Default::default() }]);
        cube.draw(d, c, 36, 1);
        d.end_command_buffer(c).expect("its end");
        c
    };
    recorded(gpu, &target, |d, c| {
        begin(d, c, &pass, vk::SubpassContents::SECONDARY_COMMAND_BUFFERS);
        unsafe {
            d.cmd_execute_commands(c, &[second]);
            d.cmd_end_render_pass(c);
        }
        barrier(d, c);
    })
}

/// A row for each of four queries, as long as the samples that passed.
pub fn queries(gpu: &Gpu) -> Vec<u32> {
    let text = "
        @vertex fn vs(@builtin(vertex_index) k: u32, @builtin(instance_index) n: u32) -> @builtin(position) vec4f {
            let uv = vec2f(f32(k & 1u), f32(k >> 1u));
            return vec4f(uv * vec2f(f32(n + 1u) * 0.4, 0.25) - 1.0 + vec2f(0.0, f32(n) * 0.5), 0.5, 1.0);
        }
        @fragment fn fs() -> @location(0) vec4f { return vec4f(0.0, 0.5, 0.0, 1.0); }";
    let (target, z) = (image(gpu, Of::default()), depth(gpu));
    let pass = pass(gpu, &[(target, BLACK)], Some(z), None);
    let p = Pipe { text, topology: STRIP, depth: Some((vk::CompareOp::LESS, true)), ..Pipe::default() };
    let made = made(gpu, &p, &[], &pass);
    let info = vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::OCCLUSION).query_count(4);
    let pool = unsafe { gpu.device.create_query_pool(&info, None).expect("queries") };
    let mut out = recorded(gpu, &target, |d, c| {
        unsafe { d.cmd_reset_query_pool(c, pool, 0, 4) };
        draw(d, c, &pass, || {
            made.bind(d, c);
            for k in 0..4 {
                unsafe {
                    d.cmd_begin_query(c, pool, k, vk::QueryControlFlags::empty());
                    d.cmd_draw(c, 4, 1, 0, k);
                    d.cmd_end_query(c, pool, k);
                }
            }
        });
    });
    let mut passed = [0u32; 4];
    let flags = vk::QueryResultFlags::WAIT;
    unsafe { gpu.device.get_query_pool_results(pool, 0, &mut passed, flags).expect("results") };
    for (k, n) in passed.iter().enumerate() {
        // Vulkan leaves the number open where the query is not precise, but for 0.
        out[k] = if *n > 0 { 0xff00_ffff } else { 0xff00_0000 };
    }
    out
}

/// Rectangles that are cleared inside of a pass and outside, and copied and scaled.
pub fn moved(gpu: &Gpu) -> Vec<u32> {
    let target = image(gpu, Of::default());
    let other = image(gpu, Of { size: [16, 16, 1], ..Of::default() });
    fill(gpu, &other, 0, |x, y, _| [(x * 16) as u8, (y * 16) as u8, 128, 255]);
    let pass = pass(gpu, &[(target, BLUE)], None, None);
    recorded(gpu, &target, |d, c| {
        draw(d, c, &pass, || {
            let rect = |x, y| vk::ClearRect {
                rect: vk::Rect2D { offset: vk::Offset2D { x, y }, extent: vk::Extent2D { width: 12, height: 20 } },
                base_array_layer: 0,
                layer_count: 1,
            };
            let what = vk::ClearAttachment {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                color_attachment: 0,
                clear_value: colour([1.0, 0.5, 0.0, 1.0]),
            };
            unsafe { d.cmd_clear_attachments(c, &[what], &[rect(4, 4), rect(44, 40)]) };
        });
        let general = vk::ImageLayout::GENERAL;
        let at = |x, y| vk::Offset3D { x, y, z: 0 };
        let copy = vk::ImageCopy {
            src_subresource: level(&other, 0),
            src_offset: at(2, 3),
            dst_subresource: level(&target, 0),
            dst_offset: at(24, 4),
            extent: vk::Extent3D { width: 12, height: 11, depth: 1 },
        };
        let end = |a: vk::Offset3D, x, y| [a, vk::Offset3D { x, y, z: 1 }];
        let blit = vk::ImageBlit {
            src_subresource: level(&other, 0),
            src_offsets: end(at(0, 0), 16, 16),
            dst_subresource: level(&target, 0),
            dst_offsets: end(at(40, 60), 8, 28),
        };
        unsafe {
            d.cmd_copy_image(c, other.image, general, target.image, general, &[copy]);
            barrier(d, c);
            d.cmd_blit_image(c, other.image, general, target.image, general, &[blit], vk::Filter::NEAREST);
        }
        barrier(d, c);
    })
}

/// Coplanar triangles of which a bias brings one to the front.
pub fn biased(gpu: &Gpu) -> Vec<u32> {
    let text = "
        struct Push { colour: vec4f }
        var<immediate> push: Push;
        @vertex fn vs(@builtin(vertex_index) k: u32) -> @builtin(position) vec4f {
            let uv = vec2f(f32(k & 1u), f32(k >> 1u));
            let x = select(-0.8, -0.2, push.colour.y > 0.5);
            return vec4f(uv.x + x, uv.y * 1.6 - 0.8, 0.5 + (uv.x + x) * 0.25, 1.0);
        }
        @fragment fn fs() -> @location(0) vec4f { return push.colour; }";
    let (target, z) = (image(gpu, Of::default()), depth(gpu));
    let pass = pass(gpu, &[(target, BLACK)], Some(z), None);
    let of = |bias| {
        let depth = Some((vk::CompareOp::LESS, true));
        made(gpu, &Pipe { text, push: 16, topology: STRIP, depth, bias, ..Pipe::default() }, &[], &pass)
    };
    let (plain, near) = (of(None), of(Some([-4096.0, -8.0])));
    passed(gpu, &target, &pass, |d, c| {
        for (made, colour) in [(near, [1.0, 0.0, 0.2, 1.0]), (plain, [0.2, 1.0, 0.0, 1.0])] {
            made.push(d, c, &colour);
            made.draw(d, c, 4, 1);
        }
    })
}
