//! The hash of options in a container: everything that can change bytes changes it, and nothing else does.

use gpucc::frontend::{FrontOptions, Lang, load};
use gpucc::{CodegenOptions, Options};
use gpucc_pipeline::*;

const SOURCE: &str = "
    @vertex fn vs(@location(0) at: vec4f) -> @builtin(position) vec4f { return at; }
    @fragment fn fs() -> @location(0) vec4f { return vec4f(1); }";

fn hash(codegen: CodegenOptions) -> u64 {
    let shader = load(SOURCE.as_bytes(), Lang::Wgsl, &FrontOptions::default()).expect("right WGSL");
    let target = gpucc::Target::parse("gcn:gfx8").expect("a target");
    let done = gpucc::compile(&shader.module, &Options { target, codegen });
    done.unwrap_or_else(|d| panic!("{d}")).container().options_hash
}

fn base() -> Pipeline {
    let face = StencilFace {
        compare: Compare::Always,
        fail: StencilOperation::Keep,
        depth_fail: StencilOperation::Keep,
        pass: StencilOperation::Keep,
    };
    let part = BlendComponent { operation: BlendOperation::Add, src: BlendFactor::One, dst: BlendFactor::Zero };
    Pipeline {
        vertex: vec![Some(VertexBuffer {
            stride: 16,
            step: StepMode::Vertex,
            attributes: vec![VertexAttribute { location: 0, format: VertexFormat::Float32x4, offset: 0 }],
        })],
        targets: vec![Some(Target {
            blend: Some(Blend { color: part, alpha: part }),
            ..Target::new(Format::Rgba8Unorm)
        })],
        depth: Some(DepthStencil {
            format: Format::Depth24PlusStencil8,
            depth_compare: Compare::Less,
            depth_write: false,
            front: face,
            back: face,
            read_mask: 255,
            write_mask: 255,
        }),
        samplers: vec![SamplerFacts { group: 0, binding: 1, compare: None, filter: Filter::Nearest }],
        ..Pipeline::default()
    }
}

/// A change of one field.
type Change = fn(&mut Pipeline);

/// One change for each field, and for the fields of what is in it. A field that is new has to be named here.
fn changes() -> Vec<Change> {
    let Pipeline {
        vertex: _,
        topology: _,
        strip_index: _,
        front_face: _,
        cull: _,
        unclipped_depth: _,
        targets: _,
        depth: _,
        bias: _,
        samples: _,
        sample_mask: _,
        alpha_to_coverage: _,
        samplers: _,
    } = base();
    fn buffer(p: &mut Pipeline) -> &mut VertexBuffer {
        p.vertex[0].as_mut().expect("a buffer")
    }
    fn target(p: &mut Pipeline) -> &mut Target {
        p.targets[0].as_mut().expect("a target")
    }
    fn blend(p: &mut Pipeline) -> &mut Blend {
        target(p).blend.as_mut().expect("blending")
    }
    fn depth(p: &mut Pipeline) -> &mut DepthStencil {
        p.depth.as_mut().expect("depth and stencil")
    }
    vec![
        |p| p.vertex.push(None),
        |p| buffer(p).stride = 32,
        |p| buffer(p).step = StepMode::Instance,
        |p| buffer(p).attributes[0].format = VertexFormat::Unorm8x4,
        |p| buffer(p).attributes[0].offset = 4,
        |p| buffer(p).attributes.push(VertexAttribute { location: 5, format: VertexFormat::Float32, offset: 0 }),
        |p| p.topology = Topology::PointList,
        |p| p.strip_index = Some(IndexFormat::Uint16),
        |p| p.strip_index = Some(IndexFormat::Uint32),
        |p| p.front_face = FrontFace::Cw,
        |p| p.cull = CullMode::Front,
        |p| p.unclipped_depth = true,
        |p| p.targets.push(None),
        |p| target(p).format = Format::Rgba16Float,
        |p| target(p).write = 3,
        |p| target(p).blend = None,
        |p| blend(p).color.operation = BlendOperation::Max,
        |p| blend(p).color.src = BlendFactor::Zero,
        |p| blend(p).color.dst = BlendFactor::One,
        |p| blend(p).alpha.operation = BlendOperation::Max,
        |p| blend(p).alpha.src = BlendFactor::Zero,
        |p| blend(p).alpha.dst = BlendFactor::One,
        |p| p.depth = None,
        |p| depth(p).format = Format::Depth32FloatStencil8,
        |p| depth(p).depth_compare = Compare::Greater,
        |p| depth(p).depth_write = true,
        |p| depth(p).front.compare = Compare::Never,
        |p| depth(p).front.fail = StencilOperation::Zero,
        |p| depth(p).front.depth_fail = StencilOperation::Zero,
        |p| depth(p).front.pass = StencilOperation::Zero,
        |p| depth(p).back.compare = Compare::Never,
        |p| depth(p).back.fail = StencilOperation::Zero,
        |p| depth(p).back.depth_fail = StencilOperation::Zero,
        |p| depth(p).back.pass = StencilOperation::Zero,
        |p| depth(p).read_mask = 1,
        |p| depth(p).write_mask = 1,
        |p| p.bias.constant = 1,
        |p| p.bias.slope = 1.0,
        |p| p.bias.clamp = 1.0,
        |p| p.samples = 4,
        |p| p.sample_mask = 1,
        |p| p.alpha_to_coverage = true,
        |p| p.samplers.clear(),
        |p| p.samplers[0].group = 1,
        |p| p.samplers[0].binding = 2,
        |p| p.samplers[0].compare = Some(Compare::Less),
        |p| p.samplers[0].filter = Filter::Linear,
    ]
}

#[test]
fn every_field_of_a_pipeline_is_hashed() {
    let with = |p: Pipeline| hash(CodegenOptions { pipeline: Some(Box::new(p)), ..CodegenOptions::default() });
    let mut seen = vec![with(base())];
    assert_eq!(with(base()), seen[0]);
    for (k, change) in changes().into_iter().enumerate() {
        let mut p = base();
        change(&mut p);
        assert_ne!(p, base(), "change {k} changes nothing");
        let h = with(p);
        assert!(!seen.contains(&h), "change {k} has the hash of another");
        seen.push(h);
    }
}

#[test]
fn choices_are_hashed_and_watching_is_not() {
    let plain = hash(CodegenOptions::default());
    let chosen = [
        CodegenOptions { opt_level: 1, ..CodegenOptions::default() },
        CodegenOptions { spill_all: true, ..CodegenOptions::default() },
        CodegenOptions { tight: true, ..CodegenOptions::default() },
        CodegenOptions { fragment: true, ..CodegenOptions::default() },
        CodegenOptions { skip_passes: vec!["gvn".into()], ..CodegenOptions::default() },
        CodegenOptions { fuel: 100_000, ..CodegenOptions::default() },
        CodegenOptions { fuel_of: Some("gvn".into()), ..CodegenOptions::default() },
    ];
    for c in chosen {
        let text = format!("{c:?}");
        assert_ne!(hash(c), plain, "{text}");
    }
    let watching = CodegenOptions {
        verify: true,
        dump_after: vec!["all".into()],
        time_passes: true,
        texts: true,
        reparse: true,
        ..CodegenOptions::default()
    };
    assert_eq!(hash(watching), plain);
}
