//! Texel buffers, storage images of cubes, and variables that hold images and pointers.

use crate::common::{lower, run_module};
use crate::forms::{check, glsl, module};
use gpucc_ir::{Class, Op, Refusal, ResourceKind};
use gpucc_sim::Dispatch;
use gpucc_sim::texture::{Dim, Format, Image};

/// An image of a word a texel, by its number.
fn image(size: [u32; 3], texel: impl Fn(u32) -> u32) -> Image {
    let mut image = Image::new(Format::R32Uint, false, size, 1, 1);
    image.bytes = (0..size[0] * size[1]).flat_map(|k| texel(k).to_le_bytes()).collect();
    image
}

fn texels(declared: &str, body: &str) -> String {
    format!(
        "#version 450
        layout(local_size_x = 1) in;
        layout(set=0, binding=0, {declared}) uniform IMAGE t;
        layout(std430, set=0, binding=1) buffer O {{ uint r[8]; }} o;
        void main() {{ {body} }}"
    )
}

/// Texels of whole words in each packing; loads, stores, their number and atomics.
#[test]
fn texel_buffers_are_buffers() {
    let with = |image: &str, format: &str, body: &str| texels(format, body).replace("IMAGE", image);
    let f = |x: f32| x.to_bits();
    let words = with(
        "uimageBuffer",
        "r32ui",
        "o.r[0] = imageAtomicAdd(t, 2, 5u); o.r[1] = imageLoad(t, 2).x; imageStore(t, 1, uvec4(9)); o.r[2] = imageLoad(t, 1).x;
         o.r[3] = uint(imageSize(t)); o.r[4] = imageLoad(t, 0).w; o.r[5] = imageAtomicCompSwap(t, 3, 4u, 40u);
         o.r[6] = imageLoad(t, 3).x; o.r[7] = imageAtomicExchange(t, 0, 77u);",
    );
    check(&words, &[1, 2, 3, 4, 5], &[3, 8, 9, 5, 1, 4, 40, 1]);
    let floats = with(
        "imageBuffer",
        "rg32f",
        "vec4 v = imageLoad(t, 1); o.r[0] = floatBitsToUint(v.x); o.r[1] = floatBitsToUint(v.y); o.r[2] = floatBitsToUint(v.z);
         o.r[3] = floatBitsToUint(v.w); imageStore(t, 0, v.yxzw * 2.0); o.r[4] = floatBitsToUint(imageLoad(t, 0).x);
         o.r[5] = uint(imageSize(t)); o.r[6] = 0u; o.r[7] = 0u;",
    );
    check(&floats, &[f(1.0), f(2.0), f(3.0), f(4.0)], &[f(3.0), f(4.0), 0, f(1.0), f(8.0), 2, 0, 0]);
    let bytes = with(
        "imageBuffer",
        "rgba8",
        "vec4 v = imageLoad(t, 1); o.r[0] = uint(v.x * 255.0 + 0.5); o.r[1] = uint(v.w * 255.0 + 0.5);
         imageStore(t, 0, vec4(1.0, 0.0, 2.0, 0.2)); o.r[2] = uint(imageLoad(t, 0).w * 255.0 + 0.5);
         o.r[3] = uint(imageLoad(t, 0).z * 255.0 + 0.5); o.r[4] = uint(imageSize(t)); o.r[5] = 0u; o.r[6] = 0u; o.r[7] = 0u;",
    );
    check(&bytes, &[0, 0x4433_2211], &[0x11, 0x44, 51, 255, 2, 0, 0, 0]);
    let signed = with(
        "iimageBuffer",
        "rgba16i",
        "ivec4 v = imageLoad(t, 1); o.r[0] = uint(v.x); o.r[1] = uint(v.y); o.r[2] = uint(v.z); o.r[3] = uint(v.w);
         imageStore(t, 0, v.wzyx); o.r[4] = uint(imageLoad(t, 0).x); o.r[5] = 0u; o.r[6] = 0u; o.r[7] = 0u;",
    );
    let minus = |n: i32| n as u32;
    check(&signed, &[0, 0, 0xfffe_0003, 0x8000_0001], &[3, minus(-2), 1, minus(-32768), minus(-32768), 0, 0, 0]);
    let halves = with(
        "imageBuffer",
        "rgba16f",
        "vec4 v = imageLoad(t, 0); o.r[0] = floatBitsToUint(v.x); o.r[1] = floatBitsToUint(v.w);
         imageStore(t, 0, v * 2.0); o.r[2] = floatBitsToUint(imageLoad(t, 0).x); o.r[3] = 0u; o.r[4] = 0u; o.r[5] = 0u; o.r[6] = 0u; o.r[7] = 0u;",
    );
    check(&halves, &[0x4000_3c00, 0xc000_3800], &[f(1.0), f(-2.0), f(2.0), 0, 0, 0, 0, 0]);
    for format in ["r8, ", ""] {
        let source = texels("FORMATset=0, binding=5", "imageStore(t, 1, vec4(o.r[0]));")
            .replace("set=0, binding=0, FORMAT", format);
        let source = source.replace("uniform IMAGE", "uniform writeonly imageBuffer");
        for bytes in glsl(&source, "comp") {
            let list = lower(&bytes).expect_err("its format is not known, or less than a word");
            assert_eq!((list[0].class, list[0].code), (Class::Unsupported, Refusal::TexelBuffers.name()));
        }
    }
}

/// A texel buffer that is sampled has no format: it is a texture of rows of 4096 texels.
#[test]
fn sampled_texel_buffers_are_rows() {
    let source = "#version 450
        layout(local_size_x = 1) in;
        layout(set=0, binding=0) uniform usamplerBuffer t;
        layout(std430, set=0, binding=1) buffer O { uint r[]; } o;
        void main() {
            o.r[0] = texelFetch(t, 3).x; o.r[1] = texelFetch(t, 4096 + 2).x; o.r[2] = uint(textureSize(t));
            o.r[3] = texelFetch(t, 8192).x; o.r[4] = texelFetch(t, -1).x;
        }";
    let image = |width: u32, height: u32| image([width, height, 1], |k| k * 3);
    for bytes in glsl(source, "comp") {
        let module = module(&bytes, source);
        for (width, height, expected) in [(4096, 2, [9, 3 * 4098, 8192, 0, 0]), (10, 1, [9, 0, 10, 0, 0])] {
            let mut dispatch = Dispatch::new([1, 1, 1]).with_u32(0, 1, &[7; 5]);
            dispatch = dispatch.with_texture(0, 0, image(width, height), Dim::D2);
            run_module(&module, &mut dispatch);
            assert_eq!(dispatch.words(0, 1).expect("bound"), expected, "{width} x {height}");
        }
    }
}

/// A buffer and a texture of one binding are bound apart.
#[test]
fn a_buffer_and_a_texture_share_a_binding() {
    let source = "#version 450
        layout(local_size_x = 1) in;
        layout(set=0, binding=0) uniform usampler2D t; layout(std140, set=0, binding=0) uniform U { uint x; } u;
        layout(std430, set=0, binding=1) buffer O { uint r[]; } o;
        void main() { o.r[0] = texelFetch(t, ivec2(u.x, 0), 0).x + u.x; }";
    for bytes in glsl(source, "comp") {
        let module = module(&bytes, source);
        let mut dispatch = Dispatch::new([1, 1, 1]).with_u32(0, 1, &[7]).with_u32(0, 0, &[2, 0, 0, 0]);
        dispatch = dispatch.with_texture(0, 0, image([3, 1, 1], |k| 50 + 10 * k), Dim::D2);
        run_module(&module, &mut dispatch);
        assert_eq!(dispatch.words(0, 1).expect("bound"), [72]);
    }
}

/// A storage image of cubes is one of their faces; several cubes have a sixth of its layers.
#[test]
fn storage_images_of_cubes_are_layers() {
    let source = "#version 450
        layout(local_size_x = 1) in;
        layout(set=0, binding=0, rgba8) uniform imageCube c; layout(set=0, binding=2, rgba8) uniform imageCubeArray a;
        layout(std430, set=0, binding=1) buffer O { ivec4 r; } o;
        void main() { imageStore(c, ivec3(1, 2, 3), imageLoad(a, ivec3(1, 2, 17))); o.r = ivec4(imageSize(c), imageSize(a).yz); }";
    for bytes in glsl(source, "comp") {
        let module = module(&bytes, source);
        let layered = |k: &ResourceKind| matches!(k, ResourceKind::StorageTexture { arrayed: true, .. });
        assert_eq!(module.resources.values().filter(|r| layered(&r.kind)).count(), 2);
        let f = &module.funcs[module.entries[0].func];
        let asked = f.insts_in_order().filter(|(_, i)| f.insts[*i].op == Op::TexQuery).count();
        let divided = f.insts_in_order().filter(|(_, i)| f.insts[*i].op == Op::UDiv).count();
        assert_eq!((asked, divided), (3, 1));
    }
}

/// One descriptor cannot be two things: that is refused with its own code.
#[test]
fn a_binding_has_one_kind() {
    let source = "#version 450
        layout(local_size_x = 1) in;
        layout(set=0, binding=0, r32f) uniform image2D a; layout(set=0, binding=0, r32ui) uniform uimage2D b;
        void main() { imageStore(a, ivec2(0), vec4(1)); imageStore(b, ivec2(1), uvec4(2)); }";
    for bytes in glsl(source, "comp") {
        let list = lower(&bytes).expect_err("two formats");
        assert_eq!((list[0].class, list[0].code), (Class::Unsupported, Refusal::BindingAliases.name()));
        assert!(list[0].notes.iter().any(|n| n.contains("`a` and `b`")), "{:?}", list[0].notes);
    }
}
