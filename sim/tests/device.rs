//! Tests of the device that a driver part hands to a machine: descriptors by what they are of, registers by space and bits, the state of a draw.

use gpucc_container::{Container, Entry, Resource, ResourceKind, Shape, Source, Variant};
use gpucc_pipeline::Topology;
use gpucc_sim::draw::{Draw, Merger, Raster, Vertices};
use gpucc_sim::raster::{Indices, Viewport};
use gpucc_sim::{At, Descriptor, Device, Dispatch, DrawState, Launch, Limits, Registers, RunOptions, Trap, TrapKind};

/// A texture with its halves and a nearest sampler at its binding: four descriptors that nothing but the kind and the variant tells apart.
fn resources() -> Vec<Resource> {
    let one = |kind, variant| Resource {
        shape: Shape { variant, ..Shape::default() },
        ..Resource::new(kind, gpucc_container::Access::Read, (1, 3), 0)
    };
    let texture = |variant| one(ResourceKind::Texture, variant);
    let mut list: Vec<Resource> = [Variant::Whole, Variant::Low, Variant::High].map(texture).into();
    list.push(one(ResourceKind::Sampler, Variant::Nearest));
    list
}

const LIMITS: Limits = Limits { family: "f", generations: &["g"], invocations: 64, workgroups: 1 };

#[test]
fn each_variant_has_its_descriptor() {
    let resources = resources();
    let mut device = Device::default();
    for (k, r) in resources.iter().enumerate() {
        device.descriptors.push(Descriptor {
            of: r.descriptor(0),
            words: vec![10 + k as u32],
            ..Descriptor::default()
        });
    }
    let mut entry = Entry { name: "main".into(), resources: resources.clone(), ..Entry::default() };
    entry.meta.workgroup_size = [1; 3];
    let c = Container { family: "f".into(), generation: "g".into(), entries: vec![entry], ..Container::default() };
    let (dispatch, options) = (Dispatch::new([1; 3]), RunOptions::default());
    let launch = Launch::on(&LIMITS, &c, None, &dispatch, &device, &options).unwrap();
    let value = |source| launch.value(source, At::Dispatch, |_| unreachable!());
    for (k, r) in resources.iter().enumerate() {
        assert_eq!(device.descriptor(r.descriptor(0)).map(|d| d.words[0]), Some(10 + k as u32));
        assert_eq!(value(Source::TextureWord { of: r.descriptor(0), word: 0 }), Ok(10 + k as u32));
        assert_eq!(
            value(Source::TextureWord { of: r.descriptor(0), word: 1 }).map_err(|t| t.kind),
            Err(TrapKind::Container)
        );
    }
    // Without one of them nothing is launched.
    for k in 0..resources.len() {
        let mut less = device.clone();
        less.descriptors.remove(k);
        assert!(Launch::on(&LIMITS, &c, None, &dispatch, &less, &options).is_err(), "{k}");
    }
}

#[test]
fn registers_have_spaces_and_bits() {
    let mut r = Registers::new();
    r.set(0, 0x100, 0xffff_ffff, 0xff00);
    r.set(1, 0x100, 7, u32::MAX);
    assert_eq!((r.get(0, 0x100), r.written(0, 0x100), r.get(1, 0x100), r.get(2, 0x100)), (0xff00, 0xff00, 7, 0));
    r.set(0, 0x100, 0x0012_0034, 0xffff_00ff);
    assert_eq!((r.get(0, 0x100), r.written(0, 0x100)), (0x0012_ff34, u32::MAX));
    r.set(0, 0x100, 0, 0xf000);
    assert_eq!((r.field(0, 0x100, 8, 8), r.field(0, 0x100, 0, 32), r.field(0, 0x104, 0, 4)), (0x0f, 0x0012_0f34, 0));
    let all: Vec<_> = r.iter().collect();
    assert_eq!(all, [(0, 0x100, 0x0012_0f34, u32::MAX), (1, 0x100, 7, u32::MAX)]);
}

#[test]
fn a_draw_gives_viewport_and_blend_constant() {
    let viewport = Viewport { x: 10.0, y: 20.0, width: 64.0, height: 32.0, min_depth: 0.25, max_depth: 1.0 };
    let pipeline = gpucc_pipeline::Pipeline::default();
    let draw = Draw {
        vertices: Vertices { first: 5, first_instance: 9, ..Vertices::new(Topology::TriangleList, 3) },
        raster: Raster::of(&pipeline, viewport, [0, 0, 64, 64]),
        viewports: Vec::new(),
        merger: Merger::of(&pipeline, [0.5, 1.0, 2.0, -1.0], 0),
        seed: None,
    };
    let c = Container { family: "f".into(), generation: "g".into(), entries: vec![entry()], ..Container::default() };
    let (dispatch, options) = (Dispatch::new([1; 3]), RunOptions::default());
    let launch = Launch::new(&LIMITS, &c, None, &dispatch, &options).unwrap();
    let state = DrawState::of(&draw);
    let value = |source, at: At<'_>| launch.value(source, at, |_| Err(Trap::new(TrapKind::Unsupported, "own")));
    let float = |source| value(source, At::Draw(&state)).map(f32::from_bits).unwrap();
    assert_eq!([0, 1, 2, 3, 4, 5].map(|k| float(Source::Viewport(k))), [32.0, -16.0, 0.75, 42.0, 36.0, 0.25]);
    assert_eq!([0, 1, 2, 3].map(|k| float(Source::BlendConstant(k))), [0.5, 1.0, 2.0, -1.0]);
    let first = [Source::FirstVertex, Source::FirstInstance].map(|s| value(s, At::Draw(&state)));
    assert_eq!(first, [Ok(5), Ok(9)]);
    let indices = Indices { bytes: &[0; 32], wide: false };
    let vertices = Vertices { indices: Some(indices), base: -2, ..draw.vertices };
    let indexed = DrawState::of(&Draw { vertices, ..draw });
    assert_eq!(indexed.first, [-2i32 as u32, 9]);
    // A dispatch has none of it.
    for source in [Source::Viewport(0), Source::BlendConstant(0), Source::FirstVertex] {
        assert_eq!(value(source, At::Dispatch).map_err(|t| t.kind), Err(TrapKind::Container));
    }
}

fn entry() -> Entry {
    let mut entry = Entry { name: "main".into(), ..Entry::default() };
    entry.meta.workgroup_size = [1; 3];
    entry
}
