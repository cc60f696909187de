//! Texture instructions under a change: waits that are left out, bits that are turned over. Elements of binding arrays.

use gpucc::{CodegenOptions, Options, Target};
use gpucc_container::Container;
use gpucc_sim::texture::{Dim, Format, Image, Sampler};
use gpucc_sim::{BoundSampler, Dispatch, RunOptions, Trap, TrapKind};
use gpucc_tests::exec;

use crate::draws::drawing;

/// Three layers of noise.
fn noise(layers: u32, seed: u32) -> Image {
    let mut image = Image::new(Format::Rgba8Unorm, false, [8, 8, layers], 1, 1);
    let mut state = seed;
    for b in &mut image.bytes {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        *b = (state >> 24) as u8;
    }
    image
}

fn compile(source: &str, target: Target) -> Container {
    let module = exec::lower(source, "main", &[]).expect("it lowers");
    let codegen = CodegenOptions { opt_level: 2, ..CodegenOptions::default() };
    gpucc::compile(&module, &Options { target, codegen }).expect("it compiles").container().clone()
}

fn run(c: &Container, mut d: Dispatch) -> Result<Vec<u32>, Trap> {
    gpucc_machines::run(c, None, &mut d, &RunOptions::default())?;
    Ok(d.words(0, 0).unwrap_or_default())
}

const SAMPLES: &str = "@group(0) @binding(0) var<storage, read_write> o: array<vec4<f32>>;
    @group(0) @binding(1) var t: texture_2d_array<f32>;
    @group(0) @binding(2) var s: sampler;
    @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) n: u32) {
        let at = (vec2(f32(n & 7u), f32(n >> 3u)) + 0.5) / 8.0;
        o[n] = textureSampleLevel(t, s, at, 1, 0.0) + textureLoad(t, vec2(n & 7u, n >> 3u), 2, 0);
    }";

fn dispatch() -> Dispatch {
    let mut d = Dispatch::new([1; 3]).with_u32(0, 0, &[0; 256]).with_texture(0, 1, noise(3, 1), Dim::D2);
    d.samplers.push(BoundSampler { group: 0, binding: 2, element: 0, sampler: Sampler::default() });
    d
}

/// Changes each instruction in turn; gives what came of it, and whether the result is what comes of none. `change` returns whether it
/// changed anything.
fn changed(target: Target, mut change: impl FnMut(&str, &mut [u8]) -> bool) -> Vec<Result<bool, Trap>> {
    let c = compile(SAMPLES, target);
    let want = run(&c, dispatch()).unwrap_or_else(|t| panic!("{target}: {t}"));
    let mut all = Vec::new();
    for i in drawing::instructions(&c, target) {
        let mut other = c.clone();
        if change(&i.text, &mut other.entries[0].code[i.at..i.at + i.size]) {
            all.push(run(&other, dispatch()).map(|got| got == want));
        }
    }
    all
}

#[test]
fn waits_that_are_left_out_trap() {
    for (row, target) in drawing::with_row() {
        for got in changed(target, |_, bytes| (row.leave_wait_out)(bytes)) {
            let kind = got.map_err(|t| t.kind);
            assert_eq!(kind, Err(TrapKind::Poison), "{target}");
        }
    }
}

#[test]
fn a_bit_of_an_image_instruction_is_noticed() {
    for (row, target) in drawing::with_row() {
        for (name, bits) in row.texture_bits {
            for &bit in *bits {
                let flip = |text: &str, bytes: &mut [u8]| {
                    let is = text.starts_with(name) && (row.texture_bit_matters)(bytes, bit);
                    bytes[bit / 8] ^= u8::from(is) << (bit % 8);
                    is
                };
                let all = changed(target, flip);
                assert!(!all.is_empty(), "{target}: there is no {name}");
                for same in all {
                    assert_ne!(same.ok(), Some(true), "{target}, bit {bit} of {name} went unnoticed");
                }
            }
        }
    }
}

/// An index that all lanes share chooses the texture; one that is too large chooses the last.
#[test]
fn elements_of_binding_arrays() {
    let source = "enable wgpu_binding_array;
        @group(0) @binding(0) var<storage, read_write> o: array<u32>;
        @group(0) @binding(1) var<uniform> k: vec4<u32>;
        @group(1) @binding(0) var s: sampler;
        @group(1) @binding(2) var t: binding_array<texture_2d<f32>, 3>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) n: u32) {
            let at = vec2(n & 7u, n >> 3u);
            let a = textureLoad(t[k.x], at, 0);
            let b = textureSampleLevel(t[1], s, (vec2<f32>(at) + 0.5) / 8.0, 0.0);
            o[n] = pack4x8unorm(a) ^ pack4x8unorm(b);
        }";
    for (_, target) in drawing::with_row() {
        let c = compile(source, target);
        for k in [0, 1, 2, 7] {
            let images: Vec<Image> = (0..3).map(|k| noise(1, 10 + k)).collect();
            let word = |e: usize, n: usize| {
                let b = &images[e].bytes[4 * n..4 * n + 4];
                u32::from_le_bytes([b[0], b[1], b[2], b[3]])
            };
            let want: Vec<u32> = (0..64).map(|n| word(k.min(2), n) ^ word(1, n)).collect();
            let mut d = Dispatch::new([1; 3]).with_u32(0, 0, &[0; 64]).with_u32(0, 1, &[k as u32, 0, 0, 0]);
            for (e, image) in images.iter().enumerate() {
                d = d.with_texture(1, 2, image.clone(), Dim::D2);
                d.textures[e].element = e as u32;
            }
            d.samplers.push(BoundSampler { group: 1, binding: 0, element: 0, sampler: Sampler::default() });
            assert_eq!(run(&c, d).expect("it runs"), want, "{target}, element {k}");
        }
    }
}
