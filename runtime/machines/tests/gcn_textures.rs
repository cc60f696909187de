//! Hand-written programs for GCN with textures: what the driver part writes, the machine reads. Expected texels come from the shared
//! model on the textures as they were bound.

use gpucc_container::{Access, Container, Entry, Meta, Preload, Resource, ResourceKind, Source, Stage};
use gpucc_drivers::DriverPart;
use gpucc_gcn_driver as gcn;
use gpucc_gcn_machine::abi;
use gpucc_sim::texture::{
    Coord, Dim, Face, Filter, Format, Image, NearestRounding, Precision, Sampler, Wrap, load, sample,
};
use gpucc_sim::{BoundTexture, Device, Dispatch, RunOptions, SplitMix64, Trap};

const GENERATIONS: [&str; 3] = ["gfx6", "gfx7", "gfx8"];

/// A resource of group 0, by its binding.
fn resource(binding: u32, kind: ResourceKind, access: Access) -> Resource {
    Resource::new(kind, access, (0, binding), 0)
}

/// A program whose s[0:1] is the address of the table of group 0, v0 the invocation; 64 of them. `@N` in the text is byte N of
/// the table as an offset of a scalar load.
fn program(generation: usize, text: &str, resources: Vec<Resource>) -> Container {
    let g = generation as u8;
    let mut listing = text.to_owned();
    for at in (0..256u32).rev().filter(|n| n % 16 == 0) {
        // Scalar loads count dwords before gfx8.
        listing = listing.replace(&format!("@{at}"), &format!("{:#x}", if g == 2 { at } else { at / 4 }));
    }
    if g != 2 {
        listing = listing.replace("v_add_u32_e32", "v_add_i32_e32");
    }
    let machine = gpucc_machines::find("gcn").unwrap();
    let code = (machine.assemble)(&listing, generation, gpucc_isa::stage::CS, false);
    let code = code.unwrap_or_else(|e| panic!("{}\n{listing}", e[0]));
    let (sgprs, vgprs) = (48, 32);
    let rsrc2 = abi::Rsrc2 { user_sgprs: 2, ..abi::Rsrc2::default() };
    let user = |index, source| Preload { file: abi::FILE_SGPR, lane: 0, index, source };
    let entry = Entry {
        name: "main".into(),
        stage: Stage::Compute,
        code,
        meta: Meta {
            workgroup_size: [64, 1, 1],
            subgroup_size: 64,
            registers: vec![(abi::FILE_SGPR, sgprs), (abi::FILE_VGPR, vgprs)],
            family_words: vec![abi::rsrc1(vgprs.into(), sgprs.into(), abi::FLOAT_FLUSH32, g), rsrc2.word(g)],
            ..Meta::default()
        },
        resources,
        preloads: vec![
            user(0, Source::TableAddressLo(1)),
            user(1, Source::TableAddressHi(1)),
            Preload { file: abi::FILE_VGPR, lane: 0, index: 0, source: Source::LocalId(0) },
        ],
        ..Entry::default()
    };
    let generation = GENERATIONS[generation].to_owned();
    Container { family: "gcn".into(), generation, entries: vec![entry], ..Container::default() }
}

/// A texture of random bytes.
fn noise(format: Format, is_3d: bool, size: [u32; 3], levels: u32, samples: u32) -> Image {
    let mut image = Image::new(format, is_3d, size, levels, samples);
    SplitMix64::new(u64::from(format.bytes()) + u64::from(size[0])).fill(&mut image.bytes);
    image
}

/// As GCN's texture unit computes.
fn precise(s: Sampler) -> Sampler {
    let nearest = s.mag == Filter::Nearest && s.min == Filter::Nearest;
    let nearest = if nearest { NearestRounding::Truncate } else { NearestRounding::Round };
    Sampler { precision: Precision { weight_bits: Some(8), lod_bits: Some(8), nearest, ..Precision::default() }, ..s }
}

/// Stores v[20:23] of each lane to the buffer in s[4:7].
const STORE: &str = "s_waitcnt vmcnt(0)
    v_lshlrev_b32_e32 v1, 4, v0
    buffer_store_dwordx4 v[20:23], v1, s[4:7], 0 offen
    s_endpgm";

fn runs(mut with: impl FnMut(usize, &RunOptions)) {
    for g in 0..3 {
        for perturb in [None, Some(1), Some(77)] {
            with(g, &RunOptions { perturb, ..RunOptions::default() });
        }
    }
}

#[test]
fn loads_give_what_the_texture_holds() {
    // Binding 0 sampled image at byte 0 (64 bytes), binding 1 buffer behind it: the images come first, the last one is a buffer.
    let text = format!(
        "s_load_dwordx8 s[16:23], s[0:1], @0
        s_load_dwordx4 s[4:7], s[0:1], @64
        v_and_b32_e32 v8, 7, v0
        v_lshrrev_b32_e32 v9, 3, v0
        v_and_b32_e32 v9, 3, v9
        v_lshrrev_b32_e32 v10, 5, v0
        s_waitcnt lgkmcnt(0)
        image_load_mip v[20:23], v8, s[16:23] dmask:0xf unorm
        {STORE}"
    );
    let resources =
        vec![resource(0, ResourceKind::Texture, Access::Read), resource(1, ResourceKind::Storage, Access::ReadWrite)];
    for &format in Format::ALL {
        let texture = noise(format, false, [7, 5, 1], 3, 1);
        runs(|g, options| {
            let mut d = Dispatch::new([1; 3]).with_texture(0, 0, texture.clone(), Dim::D2).with(0, 1, vec![0; 1024]);
            gpucc_machines::run(&program(g, &text, resources.clone()), None, &mut d, options).unwrap();
            let (view, words) = (texture.view(Dim::D2), d.words(0, 1).unwrap());
            for lane in 0..64i64 {
                let want = load(&view.view(), [lane & 7, lane >> 3 & 3, 0], 0, lane >> 5, 0).unwrap().unwrap_or([0; 4]);
                let have = &words[4 * lane as usize..4 * lane as usize + 4];
                // The payload of a NaN is free.
                let same = want.iter().zip(have).all(|(w, h)| {
                    w == h || !view.view().integer && f32::from_bits(*w).is_nan() && f32::from_bits(*h).is_nan()
                });
                assert!(same, "{} lane {lane}: {have:x?}, expected {want:x?}", format.name());
            }
        });
    }
}

/// Coordinates of a lane: from below 0 to above 1, and levels up to 3.5.
fn place(lane: u32) -> ([f32; 3], f32) {
    let x = lane as f32 * 0.0625 - 1.0;
    let y = lane as f32 * -0.046875 + 2.0;
    ([x, y, 0.0], (lane & 7) as f32 * 0.5)
}

/// x, y and level of [`place`] in v8 to v10, sampled into v[20:23].
fn sampling(extra: &str) -> String {
    format!(
        "s_load_dwordx8 s[16:23], s[0:1], @0
        s_load_dwordx4 s[4:7], s[0:1], @80
        s_load_dwordx4 s[24:27], s[0:1], @64
        v_cvt_f32_u32_e32 v8, v0
        v_mul_f32_e32 v9, 0xbd400000, v8
        v_add_f32_e32 v9, 2.0, v9
        v_mul_f32_e32 v8, 0x3d800000, v8
        v_add_f32_e32 v8, -1.0, v8
        v_and_b32_e32 v10, 7, v0
        v_cvt_f32_u32_e32 v10, v10
        v_mul_f32_e32 v10, 0.5, v10
        s_waitcnt lgkmcnt(0)
        image_sample_l v[20:23], v8, s[16:23], s[24:27] dmask:0xf{extra}
        {STORE}"
    )
}

/// A sampled image at byte 0, a sampler at 64, a buffer at 80.
fn sampled() -> Vec<Resource> {
    vec![
        resource(0, ResourceKind::Texture, Access::Read),
        resource(1, ResourceKind::Sampler, Access::Read),
        resource(2, ResourceKind::Storage, Access::ReadWrite),
    ]
}

fn samplers() -> Vec<Sampler> {
    let plain = Sampler::default();
    let (n, l) = (Filter::Nearest, Filter::Linear);
    let wraps = [Wrap::ClampToEdge, Wrap::Repeat, Wrap::MirrorRepeat, Wrap::MirrorClampToEdge, Wrap::ClampToBorder];
    let mut all = Vec::new();
    for w in wraps {
        for (mag, min, mip) in [(n, n, n), (l, l, l), (l, n, l), (n, l, n)] {
            all.push(Sampler { wrap: [w, Wrap::Repeat, w], mag, min, mip, lod_min: 0.25, lod_max: 2.5, ..plain });
        }
    }
    all
}

#[test]
fn samples_are_those_of_the_model() {
    let texture = noise(Format::Rgba8Unorm, false, [20, 12, 1], 4, 1);
    let text = sampling("");
    for s in samplers() {
        runs(|g, options| {
            let d = Dispatch::new([1; 3]).with_texture(0, 0, texture.clone(), Dim::D2).with_sampler(0, 1, s);
            let mut d = d.with(0, 2, vec![0; 1024]);
            gpucc_machines::run(&program(g, &text, sampled()), None, &mut d, options).unwrap();
            let (view, words) = (texture.view(Dim::D2), d.words(0, 2).unwrap());
            for lane in 0..64 {
                let (c, level) = place(lane);
                let want = sample(&view.view(), &precise(s), &Coord::Flat(c, 0), [0; 3], level.into()).unwrap();
                assert_eq!(words[4 * lane as usize..4 * lane as usize + 4], want, "{s:?} lane {lane}");
            }
        });
    }
}

#[test]
fn views_of_levels_and_layers_are_found() {
    // Levels 1 to 2 and layers 1 to 3 of an array; the layer is 1.
    let texture = noise(Format::Rgba16Float, false, [20, 12, 5], 4, 1);
    let text =
        sampling(" da").replace("image_sample_l v", "v_mov_b32_e32 v11, v10\nv_mov_b32_e32 v10, 1.0\nimage_sample_l v");
    let s = Sampler { mag: Filter::Linear, min: Filter::Linear, mip: Filter::Linear, ..Sampler::default() };
    let bound = BoundTexture {
        base_level: 1,
        levels: 2,
        base_layer: 1,
        layers: 3,
        ..BoundTexture::whole(0, 0, 0, &texture, Dim::D2)
    };
    runs(|g, options| {
        let d = Dispatch::new([1; 3]).with_image(texture.clone()).with_view(bound).with_sampler(0, 1, s);
        let mut d = d.with(0, 2, vec![0; 1024]);
        gpucc_machines::run(&program(g, &text, sampled()), None, &mut d, options).unwrap();
        let (images, words) = ([texture.clone()], d.words(0, 2).unwrap());
        let view = bound.view(&images);
        for lane in 0..64 {
            let (c, level) = place(lane);
            let want = sample(&view.view(), &precise(s), &Coord::Flat(c, 1), [0; 3], level.into()).unwrap();
            let have = &words[4 * lane as usize..4 * lane as usize + 4];
            let same = want
                .iter()
                .zip(have)
                .all(|(w, h)| w == h || f32::from_bits(*w).is_nan() && f32::from_bits(*h).is_nan());
            assert!(same, "lane {lane}: {have:x?}, expected {want:x?}");
        }
    });
}

#[test]
fn stores_and_atomics_come_back() {
    // Binding 0: storage image of level 1, layers 1 to 2, at byte 0; a buffer at 32.
    let text = format!(
        "s_load_dwordx8 s[16:23], s[0:1], @0
        s_load_dwordx4 s[4:7], s[0:1], @32
        v_and_b32_e32 v8, 7, v0
        v_lshrrev_b32_e32 v9, 3, v0
        v_mov_b32_e32 v10, 1
        v_mul_u32_u24_e32 v20, 10, v0
        v_mov_b32_e32 v21, 0
        v_mov_b32_e32 v22, 0
        v_mov_b32_e32 v23, 0
        s_waitcnt lgkmcnt(0)
        image_store v20, v8, s[16:23] dmask:0x1 unorm glc da
        v_mov_b32_e32 v24, 5
        image_atomic_add v24, v8, s[16:23] dmask:0x1 unorm glc da
        s_waitcnt vmcnt(0) expcnt(0)
        image_load v21, v8, s[16:23] dmask:0x1 unorm glc da
        v_mov_b32_e32 v20, v24
        {STORE}"
    );
    let resources = vec![
        resource(0, ResourceKind::StorageTexture, Access::ReadWrite),
        resource(1, ResourceKind::Storage, Access::ReadWrite),
    ];
    let texture = noise(Format::R32Uint, false, [14, 13, 4], 3, 1);
    let bound = BoundTexture {
        base_level: 1,
        levels: 1,
        base_layer: 1,
        layers: 2,
        ..BoundTexture::whole(0, 0, 0, &texture, Dim::D2)
    };
    let mut want = texture.clone();
    for lane in (0..64).filter(|l| l & 7 < 7 && l >> 3 < 6) {
        want.texel_bytes_mut(1, 2, lane & 7, lane >> 3, 0).copy_from_slice(&(10 * lane + 5).to_le_bytes());
    }
    runs(|g, options| {
        let d = Dispatch::new([1; 3]).with_image(texture.clone()).with_view(bound);
        let mut d = d.with(0, 1, vec![0; 1024]);
        gpucc_machines::run(&program(g, &text, resources.clone()), None, &mut d, options).unwrap();
        assert!(d.images[0] == want);
        let words = d.words(0, 1).unwrap();
        for lane in 0..64 {
            let inside = lane & 7 < 7 && lane >> 3 < 6;
            let (old, new) = if inside { (10 * lane, 10 * lane + 5) } else { (0, 0) };
            assert_eq!(words[4 * lane as usize..4 * lane as usize + 2], [old, new]);
        }
    });
    // A buffer bound for reading alone cannot be stored to.
    let mut read = resources;
    read[0].access = Access::Read;
    let mut d = Dispatch::new([1; 3]).with_image(texture.clone()).with_view(bound).with(0, 1, vec![0; 1024]);
    let trap = gpucc_machines::run(&program(2, &text, read), None, &mut d, &RunOptions::default()).unwrap_err();
    assert_eq!(trap.kind, gpucc_sim::TrapKind::ReadOnly);
    assert!(d.images[0] == texture);
}

/// Runs with descriptors that `change` got its hands on.
fn changed(g: usize, d: &Dispatch, container: &Container, change: impl FnOnce(&mut [u8])) -> Result<Vec<u32>, Trap> {
    let mut d = d.clone();
    let mut part = gcn::part(GENERATIONS[g], None).expect("a driver part");
    let mut device: Device = part.upload(&container.entries[0], &d)?;
    change(&mut device.residents.last_mut().unwrap().bytes);
    gpucc_gcn_machine::run_on(container, None, &mut d, &mut device, &RunOptions::default())?;
    Ok(d.words(0, 2).unwrap())
}

#[test]
fn a_flipped_bit_of_a_descriptor_shows() {
    let texture = noise(Format::Rgba8Unorm, false, [20, 12, 1], 4, 1);
    let s = Sampler {
        wrap: [Wrap::Repeat, Wrap::MirrorRepeat, Wrap::ClampToEdge],
        mag: Filter::Linear,
        min: Filter::Linear,
        mip: Filter::Linear,
        lod_max: 1.5,
        ..Sampler::default()
    };
    let d = Dispatch::new([1; 3]).with_texture(0, 0, texture, Dim::D2).with_sampler(0, 1, s).with(0, 2, vec![0; 1024]);
    for (g, name) in GENERATIONS.iter().enumerate() {
        let container = program(g, &sampling(""), sampled());
        let good = changed(g, &d, &container, |_| ()).unwrap();
        // The T# and the S#; between them lies the T# of an FMASK, which this program does not read.
        let bits: Vec<usize> = (0..256).chain(512..640).collect();
        let shown = bits.iter().filter(|&&bit| {
            let words = changed(g, &d, &container, |table| table[bit / 8] ^= 1 << (bit % 8));
            words.map_or(true, |w| w != good)
        });
        let shown = shown.count();
        println!("{name}: {shown} of {} flipped bits show", bits.len());
        assert!(shown * 100 >= bits.len() * 80, "{name}: {shown} of {}", bits.len());
    }
}

/// x, y, z of a lane as integers 0..3 in v8 to v10, loaded into v[20:23].
fn loading(flags: &str, resource_bytes: u32) -> String {
    format!(
        "s_load_dwordx8 s[16:23], s[0:1], @0
        s_load_dwordx4 s[4:7], s[0:1], @{resource_bytes}
        v_and_b32_e32 v8, 3, v0
        v_lshrrev_b32_e32 v9, 2, v0
        v_and_b32_e32 v9, 3, v9
        v_lshrrev_b32_e32 v10, 4, v0
        s_waitcnt lgkmcnt(0)
        image_load v[20:23], v8, s[16:23] dmask:0xf unorm{flags}
        {STORE}"
    )
}

/// Runs [`loading`] on a view and compares each texel with what `at` names: layer or slice, and sample, of a lane.
fn loads_as(texture: &Image, bound: BoundTexture, flags: &str, storage: bool, at: impl Fn(i64) -> (i64, i64)) {
    let kind = if storage { ResourceKind::StorageTexture } else { ResourceKind::Texture };
    let resources = vec![resource(0, kind, Access::Read), resource(1, ResourceKind::Storage, Access::ReadWrite)];
    let text = loading(flags, if storage { 32 } else { 64 });
    runs(|g, options| {
        let d = Dispatch::new([1; 3]).with_image(texture.clone()).with_view(bound);
        let mut d = d.with(0, 1, vec![0; 1024]);
        gpucc_machines::run(&program(g, &text, resources.clone()), None, &mut d, options).unwrap();
        let (images, words) = ([texture.clone()], d.words(0, 1).unwrap());
        let view = bound.view(&images);
        for lane in 0..64i64 {
            let (layer, sample) = at(lane);
            let want = load(&view.view(), [lane & 3, lane >> 2 & 3, layer], layer, 0, sample).unwrap();
            let have = &words[4 * lane as usize..4 * lane as usize + 4];
            assert_eq!(have, want.unwrap_or([0; 4]), "lane {lane}");
        }
    });
}

#[test]
fn other_shapes_of_textures_are_found() {
    let whole = |t: &Image, dim| BoundTexture::whole(0, 0, 0, t, dim);
    // Four samples; an array of them has the layer before the sample, and v11 is never written.
    let t = noise(Format::Rgba8Uint, false, [3, 4, 1], 1, 4);
    loads_as(&t, whole(&t, Dim::D2), "", false, |lane| (0, lane >> 4));
    // Three dimensions, sampled and as an image with da.
    let t = noise(Format::Rgba32Uint, true, [4, 3, 5], 2, 1);
    loads_as(&t, whole(&t, Dim::D3), "", false, |lane| (lane >> 4, 0));
    let level = BoundTexture { base_level: 1, levels: 1, ..whole(&t, Dim::D3) };
    loads_as(&t, level, " da", true, |lane| (lane >> 4, 0));
    // The stencil of textures that have depth too, and their depth.
    for format in [Format::Depth24PlusStencil8, Format::Depth32FloatStencil8, Format::Stencil8] {
        let mut t = noise(format, false, [4, 4, 1], 1, 1);
        // Depths that are no NaN.
        t.bytes.chunks_exact_mut(4).for_each(|c| c[3] &= 0x3f);
        let stencil = BoundTexture { stencil: true, ..whole(&t, Dim::D2) };
        loads_as(&t, stencil, "", false, |_| (0, 0));
        loads_as(&t, whole(&t, Dim::D2), "", false, |_| (0, 0));
    }
    // A view in the other encoding, and one layer of an array, which has the array's type and no da.
    let t = noise(Format::Rgba8Unorm, false, [4, 4, 3], 1, 1);
    let view = BoundTexture { format: Format::Rgba8UnormSrgb, base_layer: 2, layers: 1, ..whole(&t, Dim::D2) };
    loads_as(&t, view, "", false, |_| (0, 0));
    // One dimension in layers.
    let t = noise(Format::R16Uint, false, [4, 1, 5], 1, 1);
    loads_as(&t, whole(&t, Dim::D1), " da", false, |lane| (lane >> 2 & 3, 0));
}

#[test]
fn cubes_are_filtered_across_their_edges() {
    let texture = noise(Format::Rgba8Unorm, false, [4, 4, 12], 1, 1);
    let s = Sampler { mag: Filter::Linear, min: Filter::Linear, ..Sampler::default() };
    // s and t from 1 to 2 in steps of 1/8, and faces 0 to 5 of the second cube: 8 + face.
    let text = sampling(" da").replace(
        "image_sample_l v",
        "v_and_b32_e32 v8, 7, v0
        v_cvt_f32_u32_e32 v8, v8
        v_mul_f32_e32 v8, 0x3e000000, v8
        v_add_f32_e32 v8, 1.0, v8
        v_lshrrev_b32_e32 v9, 3, v0
        v_cvt_f32_u32_e32 v10, v9
        v_mul_f32_e32 v9, 0x3e000000, v10
        v_add_f32_e32 v9, 1.0, v9
        v_min_f32_e32 v10, 0x40a00000, v10
        v_add_f32_e32 v10, 0x41000000, v10
        v_mov_b32_e32 v11, 0
        image_sample_l v",
    );
    let bound = BoundTexture::whole(0, 0, 0, &texture, Dim::Cube);
    runs(|g, options| {
        let d = Dispatch::new([1; 3]).with_image(texture.clone()).with_view(bound).with_sampler(0, 1, s);
        let mut d = d.with(0, 2, vec![0; 1024]);
        gpucc_machines::run(&program(g, &text, sampled()), None, &mut d, options).unwrap();
        let (view, words) = (texture.view(Dim::Cube), d.words(0, 2).unwrap());
        for lane in 0..64u32 {
            let (x, y) = (f64::from(lane & 7) / 8.0, f64::from(lane >> 3) / 8.0);
            let at = Coord::Cube(Face { face: (lane >> 3).min(5), s: x, t: y }, 1);
            let want = sample(&view.view(), &precise(s), &at, [0; 3], 0.0).unwrap();
            assert_eq!(words[4 * lane as usize..4 * lane as usize + 4], want, "lane {lane}");
        }
    });
}

#[test]
fn descriptors_can_be_preloaded_word_by_word() {
    // As user data they have no room; the root block holds elements of an array of textures, and a sampler, one behind the other.
    let textures = [noise(Format::R32Uint, false, [4, 4, 1], 1, 1), noise(Format::R32Uint, false, [5, 4, 1], 1, 1)];
    let text = loading("", 96).replace("s[16:23], s[0:1], @0", "s[16:23], s[0:1], @32");
    let mut array = resource(0, ResourceKind::Texture, Access::Read);
    array.count = 2;
    for g in 0..3 {
        let mut c = program(g, &text, vec![array.clone(), resource(1, ResourceKind::Storage, Access::ReadWrite)]);
        let p = &mut c.entries[0].preloads;
        (p[0].source, p[1].source) = (Source::TableAddressLo(0), Source::TableAddressHi(0));
        let words = (0..16).map(|k| (0, 32 * (k / 8) + k % 8)).chain((0..12).map(|k| (1, k % 4)));
        for (index, (binding, word)) in words.enumerate() {
            let source = Source::DescriptorWord { group: 0, binding, word };
            p.push(Preload { file: abi::FILE_ROOT, lane: 0, index: index as u16, source });
        }
        let mut d = Dispatch::new([1; 3]).with(0, 1, vec![0; 1024]);
        for (k, t) in textures.iter().enumerate() {
            let view = BoundTexture { element: k as u32, image: k, ..BoundTexture::whole(0, 0, 0, t, Dim::D2) };
            d = d.with_image(t.clone()).with_view(view);
        }
        gpucc_machines::run(&c, None, &mut d, &RunOptions::default()).unwrap();
        let words = d.words(0, 1).unwrap();
        for lane in 0..16u32 {
            let want = textures[1].texel_bytes(0, 0, lane & 3, lane >> 2, 0);
            assert_eq!(words[4 * lane as usize].to_le_bytes(), want, "lane {lane}");
        }
    }
}
