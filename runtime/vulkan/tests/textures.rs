//! Dispatches that read textures.

use ash::vk;

use crate::kit::{Gpu, Program, devices, spirv};
use crate::programs::parts::{self, Bind, Of, TEXTURE, barrier};

/// Views of one layer, and of two, of levels whose layers are smaller than what a unit's addresses are multiples of: 4 by 4 texels of one
/// byte, of two and of four.
#[test]
fn views_of_the_layers_of_small_levels_are_found() {
    let code = spirv(
        "@group(0) @binding(0) var t: texture_2d_array<f32>;
         @group(0) @binding(1) var s: sampler;
         @group(0) @binding(2) var<storage, read_write> out: array<u32>;
         @compute @workgroup_size(4, 4) fn main(@builtin(local_invocation_id) id: vec3u) {
             for (var k = 0u; k < textureNumLayers(t); k++) {
                 let at = (vec2f(id.xy) + 0.5) / 4.0;
                 let both = textureLoad(t, id.xy, k, 0).r + textureSampleLevel(t, s, at, k, 0.0).r;
                 out[k * 16u + id.y * 4u + id.x] = u32(round(both * 255.0));
             }
         }",
    );
    for (target, gpu) in devices() {
        let sampler = parts::sampler(&gpu, vk::Filter::NEAREST, vk::SamplerAddressMode::REPEAT);
        for (format, bytes) in
            [(vk::Format::R8_UNORM, 1u32), (vk::Format::R8G8_UNORM, 2), (vk::Format::R8G8B8A8_UNORM, 4)]
        {
            let kind = vk::ImageViewType::TYPE_2D_ARRAY;
            let usage = TEXTURE;
            let image =
                parts::image(&gpu, Of { format, size: [8, 8, 1], layers: 4, levels: 2, kind, usage, ..Of::default() });
            // The first component of a texel is its place in the level, the others are 255.
            let texels: Vec<u8> =
                (0..64u32).flat_map(|n| (0..bytes).map(move |c| if c == 0 { n as u8 } else { 255 })).collect();
            let words: Vec<u32> =
                texels.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect();
            let (from, out) = (parts::words(&gpu, &words), gpu.buffer(128));
            gpu.run(|d, c| unsafe {
                let region = [parts::region(&image, 1)];
                d.cmd_copy_buffer_to_image(c, from.buffer, image.image, vk::ImageLayout::GENERAL, &region);
                barrier(d, c);
            })
            .expect("it runs");
            for (layer, layers) in [(0, 1), (1, 1), (3, 1), (1, 2), (2, 2)] {
                let view = parts::view(&gpu, &image, kind, [1, 1, layer, layers]);
                let set = parts::set(&gpu, &[Bind::Texture(view), Bind::Sampler(sampler), Bind::Storage(out)]);
                let program = gpu.program(&code, set, 0);
                gpu.run(|d, c| unsafe {
                    program.bind(d, c);
                    d.cmd_dispatch(c, 1, 1, 1);
                    barrier(d, c);
                })
                .expect("it runs");
                let want: Vec<u32> = (0..16 * layers).map(|n| (n + 16 * layer) * 2).collect();
                let got = &out.words()[..16 * layers as usize];
                assert_eq!(got, want, "{target}: {format:?}, layers {layer} to {}", layer + layers);
            }
        }
    }
}

/// Runs a shader over 16 threads in four rows with a texture of 8 by 8 texels, three levels, whose texels are their numbers in the level plus 64
/// for each level, by each of two samplers.
fn sampled(gpu: &Gpu, text: &str, samplers: [vk::Sampler; 2]) -> [Vec<u32>; 2] {
    let of = Of { size: [8, 8, 1], levels: 3, usage: TEXTURE, ..Of::default() };
    let image = parts::image(gpu, of);
    for level in 0..3 {
        let columns = 8 >> level;
        parts::fill(gpu, &image, level, |x, y, _| [(y * columns + x + 64 * level) as u8, 0, 0, 255]);
    }
    let made = std::cell::OnceCell::new();
    samplers.map(|s| {
        let out = gpu.buffer(64);
        let set = parts::set(gpu, &[Bind::Texture(image.view), Bind::Sampler(s), Bind::Storage(out)]);
        // The pipeline of the first sampler serves the second one's set.
        let program = *made.get_or_init(|| gpu.program(&spirv(text), set, 0));
        Program { set: set.1, ..program }.run(gpu, 1);
        out.words()
    })
}

fn made(gpu: &Gpu, info: &vk::SamplerCreateInfo<'_>) -> vk::Sampler {
    unsafe { gpu.device.create_sampler(info, None).expect("a sampler") }
}

/// An offset of a sample at level 0 counts texels of the level that the sampler reads then, whatever was bound when the pipeline was made.
#[test]
fn offsets_are_texels_of_the_level_that_is_read() {
    let text = "
        @group(0) @binding(0) var t: texture_2d<f32>;
        @group(0) @binding(1) var s: sampler;
        @group(0) @binding(2) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(4, 4) fn main(@builtin(local_invocation_id) id: vec3u) {
            let at = (vec2f(id.xy) + 0.5) / 4.0;
            out[id.y * 4u + id.x] = u32(round(textureSampleLevel(t, s, at, 0.0, vec2i(1, -1)).r * 255.0));
        }";
    for (target, gpu) in devices() {
        let info = vk::SamplerCreateInfo { max_lod: 9.0, ..Default::default() };
        let raised = vk::SamplerCreateInfo { min_lod: 1.0, ..info };
        let [plain, moved] = sampled(&gpu, text, [made(&gpu, &info), made(&gpu, &raised)]);
        let at = |k: u32, edge: u32, step: u32| {
            // In the middle of four texels of level 0 the right and lower one is nearest.
            let (x, y) = (k % 4 * step + step / 2 + 1, k / 4 * step + step / 2 + edge - 1);
            y % edge * edge + x % edge
        };
        assert_eq!(plain, (0..16).map(|k| at(k, 8, 2)).collect::<Vec<_>>(), "{target}");
        assert_eq!(moved, (0..16).map(|k| 64 + at(k, 4, 1)).collect::<Vec<_>>(), "{target}");
    }
}

/// A sampler whose coordinates are texels, nearest and linear, beside an ordinary one in the same pipeline.
#[test]
fn coordinates_may_be_texels() {
    let text = "
        @group(0) @binding(0) var t: texture_2d<f32>;
        @group(0) @binding(1) var s: sampler;
        @group(0) @binding(2) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(4, 4) fn main(@builtin(local_invocation_id) id: vec3u) {
            out[id.y * 4u + id.x] = u32(round(textureSampleLevel(t, s, vec2f(id.xy) * 2.0 + vec2f(1.0, 0.5), 0.0).r * 510.0));
        }";
    let edge = vk::SamplerAddressMode::CLAMP_TO_EDGE;
    let texels = vk::SamplerCreateInfo {
        unnormalized_coordinates: vk::TRUE,
        address_mode_u: edge,
        address_mode_v: edge,
        address_mode_w: edge,
        ..Default::default()
    };
    let linear = vk::SamplerCreateInfo { mag_filter: vk::Filter::LINEAR, min_filter: vk::Filter::LINEAR, ..texels };
    let ordinary = vk::SamplerCreateInfo { unnormalized_coordinates: vk::FALSE, ..texels };
    for (target, gpu) in devices() {
        let [nearest, smooth] = sampled(&gpu, text, [made(&gpu, &texels), made(&gpu, &linear)]);
        // Twice the number of the texel: on the border of two texels the right one is nearest, and a half of each is mixed.
        let texel = |k: u32| k / 4 * 2 * 8 + k % 4 * 2;
        assert_eq!(nearest, (0..16).map(|k| 2 * (texel(k) + 1)).collect::<Vec<_>>(), "{target}");
        assert_eq!(smooth, (0..16).map(|k| 2 * texel(k) + 1).collect::<Vec<_>>(), "{target}");
        // From 1 on every coordinate is at the far edge.
        let [clamped, _] = sampled(&gpu, text, [made(&gpu, &ordinary), made(&gpu, &texels)]);
        assert_eq!(clamped[5], 2 * 63, "{target}");
    }
}
