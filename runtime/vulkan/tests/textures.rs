//! Dispatches that read textures.

use ash::vk;

use crate::kit::{Gpu, TARGETS, spirv};
use crate::programs::parts::{self, Bind, Of, TEXTURE, barrier};

const BIND: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;

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
    for (k, target) in TARGETS.iter().enumerate() {
        let gpu = Gpu::new(k);
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
                let (sets, set) = parts::set(&gpu, &[Bind::Texture(view), Bind::Sampler(sampler), Bind::Storage(out)]);
                let layout = gpu.layout(&[sets], 0);
                let pipeline = gpu.compute(&code, layout, &[]).expect("a pipeline");
                gpu.run(|d, c| unsafe {
                    d.cmd_bind_pipeline(c, BIND, pipeline);
                    d.cmd_bind_descriptor_sets(c, BIND, layout, 0, &[set], &[]);
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
