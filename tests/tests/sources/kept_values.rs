//! Forms of SPIR-V that scenes do not have, as compute programs of GLSL, with values that were worked out by hand: on the oracle and on every
//! machine, at two levels. Without `glslangValidator` (Debian: `glslang-tools`) nothing is run, and the tests say so.

use gpucc_glsl::need;
use gpucc_sim::texture::{Dim, Format, Image};
use gpucc_sim::{Dispatch, RunOptions};
use gpucc_tests::everywhere::{Everywhere, Refusals};

use crate::sources::spirv::lowered;

/// Runs a program everywhere; `judge` says what is wrong with the words of the buffer at binding 0. `refused` are the families that may
/// refuse it, and by which code.
fn everywhere(
    name: &str,
    source: &str,
    dispatch: &Dispatch,
    refused: &[(&str, &str)],
    judge: impl Fn(&[u32]) -> Option<String> + Sync,
) {
    need!("glslangValidator");
    for (k, bytes) in gpucc_glsl::modules(&format!("{name}.comp"), "vulkan1.2", source).iter().enumerate() {
        let run = RunOptions { perturb: Some(5), ..RunOptions::default() };
        Everywhere::new(&lowered(bytes))
            .run_options(run)
            .refused(Refusals::These(refused))
            .judge(dispatch, |words| judge(words).map(|why| format!("{name} {k}: {why}")));
    }
}

/// Samples of the pixels of layers: places and layer from a buffer, and what is asked of the texture.
#[test]
fn fetches_of_multisampled_arrays() {
    let source = "#version 450
        #extension GL_EXT_samplerless_texture_functions : require
        #extension GL_ARB_shader_texture_image_samples : require
        layout(local_size_x = 4) in;
        layout(std430, set = 0, binding = 0) buffer O { uint r[]; } o;
        layout(set = 0, binding = 1) uniform usampler2DMSArray t;
        layout(set = 0, binding = 2) uniform utexture2DMSArray u;
        void main() {
            uint i = gl_LocalInvocationID.x;
            ivec3 at = ivec3(o.r[4 * i], o.r[4 * i + 1], o.r[4 * i + 2]); int s = int(o.r[4 * i + 3]);
            o.r[4 * i] = texelFetch(t, at, s).x;
            o.r[4 * i + 1] = texelFetch(u, ivec3(at.xy, 1 - at.z), 3 - s).x;
            ivec3 size = textureSize(t);
            o.r[4 * i + 2] = uint(size.x + 10 * size.y + 100 * size.z);
            o.r[4 * i + 3] = uint(textureSamples(t));
        }";
    let mut image = Image::new(Format::R32Uint, false, [3, 5, 2], 1, 4);
    for (k, texel) in image.bytes.chunks_exact_mut(4).enumerate() {
        texel.copy_from_slice(&(k as u32 + 1000).to_le_bytes());
    }
    // Samples lie together, then columns, rows and layers.
    let number = |[x, y, layer]: [u32; 3], sample: u32| 1000 + ((layer * 5 + y) * 3 + x) * 4 + sample;
    let places = [([0, 0, 0], 0), ([2, 4, 1], 3), ([1, 3, 0], 2), ([2, 0, 1], 1)];
    let input: Vec<u32> = places.iter().flat_map(|&([x, y, z], s)| [x, y, z, s]).collect();
    let expected: Vec<u32> = places
        .iter()
        .flat_map(|&([x, y, z], s)| [number([x, y, z], s), number([x, y, 1 - z], 3 - s), 253, 4])
        .collect();
    let d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &input);
    let d = d.with_texture(0, 1, image.clone(), Dim::D2).with_texture(0, 2, image, Dim::D2);
    everywhere("samples_of_layers", source, &d, &[], |words| {
        (words != expected).then(|| format!("{words:?} is not {expected:?}"))
    });
}

/// Elements of arrays of storage images: stores, atomics and loads by known numbers and by those of a lane. An invocation reads what it
/// has itself written.
#[test]
fn atomics_on_arrays_of_images() {
    let source = "#version 450
        layout(local_size_x = 4) in;
        layout(std430, set = 0, binding = 0) buffer O { uint r[]; } o;
        layout(set = 0, binding = 1, r32ui) uniform coherent uimage2D t[3];
        layout(set = 0, binding = 2, r32ui) uniform coherent uimage2D u[2];
        void main() {
            uint i = gl_LocalInvocationID.x;
            ivec2 at = ivec2(i, 1);
            uint k = o.r[i] % 3u;
            imageStore(u[i & 1u], at, uvec4(7u + i));
            uint old = imageAtomicAdd(t[1], at, 5u);
            old += imageAtomicMax(t[k], at, 1002u) * 10000u;
            old += imageAtomicCompSwap(t[2], ivec2(i, 0), 1016u + i, 3u);
            o.r[4u + i] = old;
            o.r[8u + i] = imageLoad(t[0], at).x + imageLoad(t[1], at).x * 10000u;
            o.r[12u + i] = imageLoad(u[0], at).x + 100u * imageLoad(u[1], at).x;
            o.r[16u + i] = imageLoad(t[2], ivec2(i, 0)).x;
        }";
    let image = |first: u32| {
        let mut image = Image::new(Format::R32Uint, false, [4, 2, 1], 1, 1);
        for (k, texel) in (first..).zip(image.bytes.chunks_exact_mut(4)) {
            texel.copy_from_slice(&k.to_le_bytes());
        }
        image
    };
    let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &[3, 4, 5, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    for (binding, element, first) in [(1, 0, 996), (1, 1, 1006), (1, 2, 1016), (2, 0, 10), (2, 1, 30)] {
        d = d.with_texture(0, binding, image(first), Dim::D2);
        d.textures.last_mut().expect("a texture").element = element;
    }
    let mut expected = vec![3, 4, 5, 7];
    // Texel (i, 1) of the images of t is 1000 + i, 1010 + i, 1020 + i; (i, 0) of the last 1016 + i.
    let old = [1000, 1011 + 5, 1022, 1013 + 5];
    expected.extend((0..4).map(|i| 1010 + i + old[i as usize] * 10000 + 1016 + i));
    let first = [1002, 1001, 1002, 1003];
    expected.extend((0..4).map(|i| first[i as usize] + (1015 + i) * 10000));
    expected.extend([7 + 100 * 34, 15 + 100 * 8, 9 + 100 * 36, 17 + 100 * 10]);
    expected.extend([3; 4]);
    let refused = [("tesla:nv50", "image-atomics"), ("vivante:gc2000", "image-atomics")];
    everywhere("arrays_of_images", source, &d, &refused, |words| {
        (words != expected).then(|| format!("{words:?} is not {expected:?}"))
    });
}

#[test]
fn zeros_infinities_and_nans_are_kept() {
    kept("float", 32, &[]);
}

#[test]
fn zeros_infinities_and_nans_of_halves_are_kept() {
    kept("float16_t", 16, &[]);
}

#[test]
fn zeros_infinities_and_nans_of_64_bits_are_kept() {
    let without = ["tesla:nv50", "tesla:nv84", "tesla:nva3", "valhall", "vivante"];
    kept("double", 64, &without.map(|target| (target, "wide-types")));
}

/// Tests of `SignedZeroInfNanPreserve` of a width: operations that would be left out if zeros had no sign, or if there were neither
/// infinities nor numbers that are none. Halves and floats of 64 bits hold all of the numbers that come up.
#[track_caller]
fn kept(ty: &str, bits: u32, refused: &[(&str, &str)]) {
    // Each operation on `x` and `y`, and what IEEE 754 says of it.
    type Op = (&'static str, fn(f32, f32) -> f32);
    let ops: &[Op] = &[
        ("x + ZERO", |x, _| x + 0.0),
        ("x + (-ZERO)", |x, _| x + -0.0),
        ("x - ZERO", |x, _| x - 0.0),
        ("ZERO - x", |x, _| 0.0 - x),
        ("-x", |x, _| -x),
        ("x * ZERO", |x, _| x * 0.0),
        ("x * ONE", |x, _| x * 1.0),
        ("x * -ONE", |x, _| -x),
        ("x - x", |x, _| x + -x),
        ("x + y", |x, y| x + y),
        ("x - y", |x, y| x - y),
        ("-(x - y)", |x, y| -(x - y)),
        ("x * y", |x, y| x * y),
        ("-(x * y)", |x, y| -(x * y)),
        ("abs(x)", |x, _| x.abs()),
        ("x == x ? ONE : TWO", |x, _| if x.is_nan() { 2.0 } else { 1.0 }),
        ("isnan(x) ? ONE : TWO", |x, _| if x.is_nan() { 1.0 } else { 2.0 }),
        ("isinf(x) ? ONE : TWO", |x, _| if x.is_infinite() { 1.0 } else { 2.0 }),
        ("x < y ? ONE : TWO", |x, y| if x < y { 1.0 } else { 2.0 }),
        ("!(x < y) ? ONE : TWO", |x, y| if x < y { 2.0 } else { 1.0 }),
        ("x < y ? x : y", |x, y| if x < y { x } else { y }),
        ("(x + y) - y", |x, y| (x + y) - y),
        ("(x * TWO) * HALF", |x, _| (x * 2.0) * 0.5),
        ("x + x", |x, _| x + x),
    ];
    let numbers = [0.0f32, -0.0, 1.5, -2.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
    let pairs: Vec<[f32; 2]> = numbers.iter().flat_map(|&x| numbers.map(|y| [x, y])).collect();
    let (n, each) = (pairs.len(), ops.len());
    let body: String = ops
        .iter()
        .enumerate()
        .map(|(k, op)| format!("o.r[{each} * i + {k}] = floatBitsToUint(float({}));\n", op.0))
        .collect();
    let source = format!(
        "#version 450
        #extension GL_EXT_spirv_intrinsics : require
        #extension GL_EXT_shader_explicit_arithmetic_types : require
        layout(local_size_x = {n}) in;
        layout(std430, set = 0, binding = 0) buffer O {{ uint r[]; }} o;
        layout(std430, set = 0, binding = 1) buffer I {{ vec2 v[]; }} i_;
        // SignedZeroInfNanPreserve.
        spirv_execution_mode(extensions = [\"SPV_KHR_float_controls\"], capabilities = [4466], 4461, {bits});
        const {ty} ZERO = {ty}(0.0), ONE = {ty}(1.0), TWO = {ty}(2.0), HALF = {ty}(0.5);
        void main() {{ uint i = gl_LocalInvocationID.x; {ty} x = {ty}(i_.v[i].x), y = {ty}(i_.v[i].y); {body} }}"
    );
    let input: Vec<u32> = pairs.iter().flatten().map(|v| v.to_bits()).collect();
    let d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &vec![0; n * each]).with_u32(0, 1, &input);
    everywhere(&format!("kept{bits}"), &source, &d, refused, |words| {
        let mut wrong = Vec::new();
        for (i, [x, y]) in pairs.iter().enumerate() {
            for (k, (text, value)) in ops.iter().enumerate() {
                let (got, want) = (f32::from_bits(words[each * i + k]), value(*x, *y));
                // Any of them is one.
                if got.to_bits() != want.to_bits() && !(got.is_nan() && want.is_nan()) {
                    wrong.push(format!("{text} of {x:?} and {y:?} is {got:?}, not {want:?}"));
                }
            }
        }
        (!wrong.is_empty()).then(|| format!("{} wrong: {}", wrong.len(), wrong[..wrong.len().min(6)].join("; ")))
    });
}
