//! The format from outside: round trip, optional sections, damaged files.

use gpucc_container::{
    Access, Container, DepthLayout, Dimension, Entry, Facts, InterfaceRow, LaunchOp, LaunchStep, LineEntry, Member,
    Meta, Preload, Program, ProgramRole, RaceMark, ReadError, Resource, ResourceKind, Shape, Source, Stage, StateWord,
    TexelClass, TextureFact, Variable, Variant, sections, without,
};
use gpucc_pipeline::*;

fn sample() -> Container {
    let at = |file, index, source| Preload { file, lane: 0, index, source };
    let sources = [
        Source::Const(7),
        Source::BufferAddressLo { group: 1, binding: 2 },
        Source::BufferAddressHi { group: 1, binding: 2 },
        Source::BufferSize { group: 1, binding: 2 },
        Source::DescriptorWord { group: 1, binding: 2, word: 3 },
        Source::WorkgroupId(0),
        Source::NumWorkgroups(1),
        Source::LocalId(2),
        Source::LocalIndex,
        Source::GlobalId(0),
        Source::LaneId,
        Source::SubgroupId,
        Source::SharedBase,
        Source::ScratchBase,
        Source::ScratchBaseHi,
        Source::DataAddressLo,
        Source::DataAddressHi,
        Source::TableAddressLo(1),
        Source::TableAddressHi(1),
        Source::Family(77),
        Source::Immediate(0x0102_0304),
        Source::VertexIndex,
        Source::InstanceIndex,
        Source::FirstVertex,
        Source::FirstInstance,
    ];
    let mut preloads: Vec<Preload> = sources.iter().enumerate().map(|(i, &s)| at(1, i as u16, s)).collect();
    preloads.extend(sources.iter().enumerate().map(|(i, &s)| at(0x80, i as u16, s)));
    let entry = |name: &str| Entry {
        name: name.into(),
        stage: Stage::Compute,
        code: (0..40).collect(),
        meta: Meta {
            workgroup_size: [8, 4, 1],
            subgroup_size: 16,
            registers: vec![(0, 12), (1, 3)],
            shared_bytes: 256,
            scratch_bytes: 16,
            flags: 3,
            family_words: vec![0xdead_beef, 1],
        },
        resources: vec![Resource {
            min_size: 64,
            ..Resource::new(ResourceKind::Storage, Access::ReadWrite, (1, 2), 9)
        }],
        preloads: preloads.clone(),
        steps: Vec::new(),
        interface: Vec::new(),
        state: Vec::new(),
        pipeline: None,
        programs: Vec::new(),
        data: vec![1, 2, 3],
        lines: vec![LineEntry { pc: 8, line: 3, column: 5 }],
        stats: vec![("instructions".into(), 5), ("x".into(), u64::MAX)],
        names: vec![(0, "größe".into())],
        variables: vec![Variable { offset: 16, size: 64, name: "tile".into() }],
        facts: Some(Box::new(Facts {
            depth: DepthLayout::Less,
            slots: vec![(3, "uv".into())],
            members: vec![Member {
                resource: 0,
                name: "lights[].color".into(),
                ty: "vec3<f32>".into(),
                offset: 16,
                size: 12,
                count: 0,
                stride: 32,
            }],
            ranges: vec![(0, 4, u32::MAX)],
            reads: vec!["frag_coord".into(), "pixel".into()],
        })),
        races: Some(vec![RaceMark { pc: 16, kind: RaceMark::INDEX, place: 0, values: [4, 16, 3] }]),
    };
    Container {
        family: "valhall".into(),
        generation: "v10".into(),
        compiler: [0, 1, 0],
        options_hash: 0x0123_4567_89ab_cdef,
        entries: vec![entry("main"), Entry { data: vec![], ..entry("second_entry") }],
    }
}

#[test]
fn round_trip() {
    let c = sample();
    let bytes = c.write();
    assert_eq!(Container::read(&bytes).unwrap(), c);
    assert_eq!(Container::read(&bytes).unwrap().write(), bytes);
    let empty = Container::default();
    assert_eq!(Container::read(&empty.write()).unwrap(), empty);
}

/// A pipeline in which no field has its default.
fn pipeline() -> Pipeline {
    let face = |compare, fail| StencilFace {
        compare,
        fail,
        depth_fail: StencilOperation::Invert,
        pass: StencilOperation::Zero,
    };
    let part = |operation, src| BlendComponent { operation, src, dst: BlendFactor::OneMinusSrc1Alpha };
    Pipeline {
        vertex: vec![
            None,
            Some(VertexBuffer {
                stride: 24,
                step: StepMode::Instance,
                attributes: vec![VertexAttribute { location: 3, format: VertexFormat::Float32x2, offset: 8 }],
            }),
        ],
        topology: Topology::TriangleStrip,
        strip_index: Some(IndexFormat::Uint32),
        front_face: FrontFace::Cw,
        cull: CullMode::Back,
        unclipped_depth: true,
        targets: vec![
            Some(Target {
                format: Format::Rgba16Float,
                write: 7,
                blend: Some(Blend {
                    color: part(BlendOperation::Max, BlendFactor::One),
                    alpha: part(BlendOperation::ReverseSubtract, BlendFactor::Constant),
                }),
            }),
            None,
        ],
        depth: Some(DepthStencil {
            format: Format::Depth24PlusStencil8,
            depth_compare: Compare::GreaterEqual,
            depth_write: true,
            front: face(Compare::Less, StencilOperation::Replace),
            back: face(Compare::NotEqual, StencilOperation::IncrementWrap),
            read_mask: 0xf0,
            write_mask: 0x0f,
        }),
        bias: DepthBias { constant: -5, slope: 1.5, clamp: 0.25 },
        samples: 4,
        sample_mask: 0b1011,
        alpha_to_coverage: true,
        samplers: vec![SamplerFacts { group: 2, binding: 9, compare: Some(Compare::Always), filter: Filter::Linear }],
    }
}

/// Two entries of two stages, the vertex one with two programs, both with the state of their pipeline.
fn drawn() -> Container {
    let mut c = sample();
    let source = Source::DescriptorWord { group: 1, binding: 2, word: 3 };
    let program = |role, offset, words: &[u32]| Program {
        role,
        offset,
        size: 20,
        data: (1, offset / 20),
        registers: vec![(0, 4), (1, offset as u16)],
        scratch_bytes: 8 + offset,
        family_words: words.to_vec(),
        // A source of which every byte says something.
        preloads: (0..words.len() as u16).map(|index| Preload { file: 1, lane: 2, index, source }).collect(),
    };
    let programs = vec![program(ProgramRole::Position, 0, &[]), program(ProgramRole::Varying, 20, &[7, u32::MAX])];
    let vertex = &mut c.entries[0];
    vertex.stage = Stage::Vertex;
    vertex.pipeline = Some(Box::new(pipeline()));
    vertex.programs = programs;
    vertex.preloads.clear();
    let position = InterfaceRow { output: true, components: 15, file: 2, ..InterfaceRow::default() };
    vertex.interface = vec![position];
    vertex.state = vec![StateWord { space: 1, register: 0x286cc, value: 2, mask: 0xff }];
    let fragment = &mut c.entries[1];
    fragment.stage = Stage::Fragment;
    fragment.pipeline = Some(Box::new(Pipeline { samples: 1, ..pipeline() }));
    c
}

/// A texture, its halves and a sampler for it at one binding, and the words of their descriptors, are told apart.
#[test]
fn variants_read_back() {
    let mut c = sample();
    assert_eq!(c.write()[10], 7, "the minor version that has values that are read");
    c.entries.iter_mut().flat_map(|e| &mut e.facts).for_each(|f| f.reads.clear());
    assert_eq!(c.write()[10], 6, "the minor version that has facts of the source");
    assert_eq!(Container::read(&c.write()).unwrap(), c);
    c.entries.iter_mut().for_each(|e| e.facts = None);
    let base = c.entries[0].resources[0].clone();
    let (mut resources, mut preloads) = (Vec::new(), Vec::new());
    for &variant in Variant::ALL {
        for kind in [ResourceKind::Texture, ResourceKind::Sampler] {
            let r = Resource { kind, shape: Shape { variant, ..Shape::default() }, ..base.clone() };
            for element in [0, 7] {
                let source = Source::TextureWord { of: r.descriptor(element), word: 5 };
                preloads.push(Preload { file: 0x80, lane: 0, index: preloads.len() as u16, source });
            }
            resources.push(r);
        }
    }
    let state = (0..6).map(Source::Viewport).chain((0..4).map(Source::BlendConstant));
    preloads.extend(state.map(|source| Preload { file: 0x80, lane: 1, index: 0, source }));
    c.entries[0].resources = resources;
    c.entries[0].preloads = preloads;
    let bytes = c.write();
    assert_eq!(bytes[10], 8, "the minor version that has images of any format");
    let mut older = c.clone();
    older.entries[0].resources.retain(|r| r.shape.variant != Variant::AnyFormat);
    older.entries[0].preloads.clear();
    assert_eq!(older.write()[10], 4, "the minor version that has variants");
    let read = Container::read(&bytes).unwrap();
    assert_eq!(read, c);
    let mut newer = c.clone();
    for of in [read.entries[0].resources[0].descriptor(3), read.entries[0].resources[1].descriptor(0)] {
        let sources = TextureFact::ALL.iter().map(|&fact| Source::TextureFact { of, fact });
        let one = |source| Preload { file: 0x80, lane: 2, index: 0, source };
        newer.entries[0].preloads.extend(sources.map(one));
    }
    assert_eq!(newer.write()[10], 9, "the minor version that has facts of textures");
    assert_eq!(Container::read(&newer.write()).unwrap(), newer);
    newer.entries[0].preloads.clear();
    let operands = |op: LaunchOp| [Source::Step(3), Source::Const(7), Source::Immediate(2)][..op.operands()].to_vec();
    newer.entries[0].steps = LaunchOp::ALL.iter().filter_map(|&op| LaunchStep::new(op, operands(op))).collect();
    assert_eq!(newer.entries[0].steps.len(), LaunchOp::ALL.len());
    let written = newer.write();
    assert_eq!(written[10], 9, "the minor version that has computations of the launch");
    assert_eq!(Container::read(&written).unwrap(), newer);
    let at = written.windows(4).position(|w| w == b"fadd").unwrap();
    for (name, why) in [(b"fsin", "2 operands of fsin"), (b"what", "operation what")] {
        let mut damaged = written.clone();
        damaged[at..at + 4].copy_from_slice(name);
        let e = Container::read(&damaged).unwrap_err().to_string();
        assert!(e.contains("LNCH") && e.contains(why), "{e}");
    }
    for (k, r) in read.entries[0].resources.iter().enumerate() {
        assert_eq!(read.entries[0].resources.iter().position(|o| o.is_same(r)), Some(k));
    }
    for (tag, at) in [(*b"RSRC", 25), (*b"UNIF", 7)] {
        let mut other = bytes.clone();
        let of = |s: &gpucc_container::Section<'_>| s.tag == tag && s.entry == 0;
        other[sections(&bytes).unwrap().into_iter().find(of).unwrap().offset as usize + at] = 11;
        assert!(
            matches!(Container::read(&other), Err(ReadError::Invalid(why)) if why.contains("variant 11")),
            "{tag:?}"
        );
    }
}

#[test]
fn two_stages_and_two_programs_read_back() {
    let mut c = drawn();
    c.entries.iter_mut().for_each(|e| e.facts = None);
    let bytes = c.write();
    assert_eq!(bytes[10], 4, "the minor version that has programs");
    let mut plain = c.clone();
    plain.entries[0].programs.clear();
    assert_eq!(plain.write()[10], 3, "the minor version that has variables");
    plain.entries.iter_mut().for_each(|e| e.variables.clear());
    assert_eq!(plain.write()[10], 2, "the minor version that has pipelines");
    assert_eq!(Container::read(&bytes).unwrap(), c);
    // Every byte of the new sections counts, or is refused.
    for tag in [*b"PIPE", *b"PROG"] {
        for s in sections(&bytes).unwrap().into_iter().filter(|s| s.tag == tag) {
            for at in s.offset as usize..s.offset as usize + s.bytes.len() {
                let mut other = bytes.clone();
                other[at] ^= 0x41;
                assert!(Container::read(&other).map_or(true, |r| r != c), "byte {at} of {tag:?} says nothing");
            }
            let cut = without(&bytes, |x| x.tag == tag).unwrap();
            assert_ne!(Container::read(&cut).unwrap(), c);
        }
    }
    let mut beyond = c;
    beyond.entries[0].programs[1].size = 21;
    assert!(
        matches!(Container::read(&beyond.write()), Err(ReadError::Invalid(why)) if why.contains("beyond the code"))
    );
}

/// The entry of a program alone: addresses count from its start, and registers, preloads and constant bytes are its own.
#[test]
fn a_part_of_an_entry_is_an_entry() {
    let mut c = drawn();
    let e = &mut c.entries[0];
    let line = |pc, line| LineEntry { pc, line, column: 1 };
    e.lines = vec![line(0, 1), line(16, 2), line(20, 3), line(36, 4)];
    e.races = Some([4, 24].map(RaceMark::atomic).into());
    let parts = e.parts();
    assert_eq!(parts.iter().map(|p| p.0).collect::<Vec<_>>(), [ProgramRole::Position, ProgramRole::Varying]);
    let of = |k: usize| &*parts[k].1;
    assert_eq!((&of(0).code[..], &of(1).code[..]), (&e.code[..20], &e.code[20..]));
    assert_eq!((&of(0).data[..], &of(1).data[..]), (&[][..], &e.data[1..2]));
    assert_eq!(of(1).lines, [line(0, 3), line(16, 4)]);
    assert_eq!(of(0).lines, e.lines[..2]);
    assert_eq!(of(1).races, Some(vec![RaceMark::atomic(4)]));
    assert_eq!((of(1).meta.registers_of(1), of(1).meta.scratch_bytes), (20, 28));
    assert_eq!((of(0).preloads.len(), of(1).preloads.len()), (0, 2));
    assert_eq!(of(1).resources, e.resources);
    // One that is a single program is itself.
    assert_eq!(*c.entries[1].parts()[0].1, c.entries[1]);
}

/// The layout as docs/container.md states it, read by hand.
#[test]
fn documented_offsets() {
    let mut c = sample();
    let shape = Shape {
        dimension: Dimension::D3,
        arrayed: true,
        class: TexelClass::Uint,
        format: Some(Format::Rgba8Uint),
        comparison: true,
        multisampled: false,
        variant: Variant::Whole,
    };
    let image = Resource { kind: ResourceKind::StorageTexture, count: 5, shape, ..c.entries[0].resources[0].clone() };
    c.entries[0].resources[0] = image;
    let bytes = c.write();
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    assert_eq!(&bytes[..8], b"gpucc\0\x1a\n");
    assert_eq!(word(8), 7 << 16 | 2);
    assert_eq!(word(16), 2);
    assert_eq!(word(20) as usize, bytes.len());
    assert_eq!(&bytes[32..36], b"TARG");
    assert_eq!(word(36), u32::MAX);
    let targ = word(40) as usize;
    assert_eq!(&bytes[targ..targ + 8], b"valhall\0");
    assert_eq!(&bytes[targ + 16..targ + 20], b"v10\0");
    assert_eq!(word(targ + 40), 0x89ab_cdef);
    let meta = word(32 + 24 + 8) as usize;
    assert_eq!(&bytes[56..60], b"META");
    assert_eq!([word(meta), word(meta + 4), word(meta + 8), word(meta + 12), word(meta + 16)], [0, 8, 4, 1, 16]);
    assert_eq!(word(meta + 40), 12 << 16);
    assert_eq!(&bytes[80..84], b"RSRC");
    let (resources, size) = (word(88) as usize, word(92));
    assert_eq!(size, 44);
    let row = [0, 4, 12, 16, 20, 24].map(|k| word(resources + k));
    assert_eq!(row, [1, 2, 9, 64, 5, 1 | 4]);
    assert_eq!(bytes[resources + 8..resources + 12], [3, 3, 2, 2]);
    assert_eq!(&bytes[resources + 28..resources + 44], b"rgba8uint\0\0\0\0\0\0\0");
}

#[test]
fn optional_sections_change_nothing_mandatory() {
    let c = sample();
    let bytes = c.write();
    let tags: Vec<_> = sections(&bytes).unwrap().iter().filter(|s| s.is_optional()).map(|s| s.tag).collect();
    assert_eq!(tags, [*b"LINE", *b"STAT", *b"NAME", *b"VARS", *b"FACT", *b"RACE"].repeat(2));
    for t in tags {
        let got = Container::read(&without(&bytes, |s| s.tag == t).unwrap()).unwrap();
        for (g, w) in got.entries.iter().zip(&c.entries) {
            assert_eq!((&g.name, &g.code, &g.meta, &g.data), (&w.name, &w.code, &w.meta, &w.data));
            assert_eq!((&g.resources, &g.preloads), (&w.resources, &w.preloads));
        }
        assert_ne!(got, c);
    }
    for t in [*b"CODE", *b"META", *b"RSRC", *b"PREL", *b"UNIF", *b"TARG"] {
        let cut = without(&bytes, |s| s.tag == t).unwrap();
        assert!(matches!(Container::read(&cut), Err(ReadError::Missing(_))), "{t:?}");
    }
}

#[test]
fn unknown_sections_are_skipped() {
    let c = sample();
    let mut bytes = c.write();
    let at = (32..).step_by(24).find(|&i| &bytes[i..i + 4] == b"STAT").unwrap();
    bytes[at..at + 4].copy_from_slice(b"XYZW");
    let got = Container::read(&bytes).unwrap();
    assert!(got.entries[0].stats.is_empty());
    assert_eq!(got.entries[0].code, c.entries[0].code);
}

#[test]
fn every_cut_is_an_error_and_no_damage_panics() {
    let bytes = sample().write();
    for n in 0..bytes.len() {
        assert!(Container::read(&bytes[..n]).is_err(), "cut at {n}");
    }
    for at in 0..bytes.len() {
        for value in [0, 1, 0x7f, 0x80, 0xff] {
            let mut damaged = bytes.clone();
            damaged[at] = value;
            if let Ok(c) = Container::read(&damaged) {
                let again = Container::read(&c.write()).expect("what was read can be written and read");
                assert_eq!(again, c);
            }
        }
    }
    let mut state = 1_u64;
    for _ in 0..20_000 {
        let mut damaged = bytes.clone();
        for _ in 0..4 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let at = (state >> 33) as usize % damaged.len();
            damaged[at] = (state >> 24) as u8;
        }
        let _ = Container::read(&damaged);
        let _ = without(&damaged, |s| s.is_optional());
    }
    assert_eq!(Container::read(b"\x7fELF and so on"), Err(ReadError::NotAContainer));
}

#[test]
fn counts_do_not_allocate() {
    // A file of 32 bytes that claims four billion sections and entries.
    let mut bytes = Container::default().write();
    bytes[12..20].fill(0xff);
    assert!(Container::read(&bytes).is_err());
}

/// Every kind of resource with all that is said of it.
#[test]
fn shapes_read_back() {
    let mut c = sample();
    let base = c.entries[0].resources[0].clone();
    let kinds = [ResourceKind::Texture, ResourceKind::StorageTexture, ResourceKind::Sampler, ResourceKind::Immediates];
    let dimensions = [Dimension::D1, Dimension::D2, Dimension::D3, Dimension::Cube];
    let classes = [TexelClass::Float, TexelClass::Sint, TexelClass::Uint, TexelClass::Depth, TexelClass::External];
    for (n, kind) in kinds.into_iter().enumerate() {
        for (k, dimension) in dimensions.into_iter().enumerate() {
            for (l, class) in classes.into_iter().enumerate() {
                let bit = |b: usize| (n + k + l) >> b & 1 == 1;
                let format = (kind == ResourceKind::StorageTexture).then_some(Format::Rgba16Float);
                let (arrayed, multisampled, comparison) = (bit(0), bit(1), bit(2));
                let shape =
                    Shape { dimension, arrayed, multisampled, class, format, comparison, variant: Variant::Whole };
                c.entries[1].resources.push(Resource { kind, shape, count: 1 + k as u32, ..base.clone() });
            }
        }
    }
    assert_eq!(Container::read(&c.write()), Ok(c));
}

/// Rows of older versions are shorter.
#[test]
fn other_major_versions_are_refused() {
    let mut bytes = sample().write();
    assert_eq!(bytes[8..12], [2, 0, 7, 0]);
    bytes[8] = 1;
    assert_eq!(Container::read(&bytes), Err(ReadError::Version(1)));
}
