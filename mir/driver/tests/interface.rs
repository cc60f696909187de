//! The container's interface is that of the source, whatever lowering made of it.

use gpucc_container::{InterfaceRow, Interpolation, IoPlace, Packing, Sampling, flags};
use gpucc_driver::interface::{flags_of, rows};
use gpucc_driver::{Direction, HwPlace, context_in, default_pipeline};
use gpucc_frontend_naga as frontend;
use gpucc_ir::analysis::StageUse;
use gpucc_ir::{IoAt, Module};
use gpucc_opt::{Caps, IoCaps, Options, PipelineContext, prepare};
use gpucc_pipeline::{Format, Pipeline, Target};

fn lowered(source: &str) -> Module {
    let parsed = frontend::parse(frontend::Input::text(source), frontend::Lang::Wgsl).expect("valid WGSL");
    frontend::lower(&parsed, &frontend::Options::default()).expect("it lowers")
}

/// The rows of an entry behind the passes for a target, and its flags. File 0 holds inputs, 1 outputs, each at its number.
fn of(module: &Module, entry: &str, io: IoCaps, context: PipelineContext) -> (Vec<InterfaceRow>, u32) {
    let caps = Caps { io, ..Caps::FULL };
    let source = &module.entry(entry).expect("the entry").stage;
    let options = Options { context: Some(Box::new(context.clone())), ..Options::default() };
    let (m, _) = prepare(module, entry, &caps, &options).unwrap_or_else(|d| panic!("{d}"));
    let (stage, f) = (&m.entries[0].stage, &m.funcs[m.entries[0].func]);
    let used = StageUse::new(&m, f, stage);
    let place = |d: Direction, n: usize, _: &gpucc_ir::IoSlot| {
        Some(HwPlace { file: (d == Direction::Output).into(), index: n as u16, lane: 0 })
    };
    (rows(source, stage, &used, Some(&context), place), flags_of(&used, stage))
}

fn targets(list: &[Option<Format>]) -> PipelineContext {
    let targets = list.iter().map(|f| f.map(Target::new)).collect();
    PipelineContext::new(Pipeline { targets, ..Pipeline::default() })
}

const PACKS: IoCaps = IoCaps { packed_colours: true, compact_targets: true, ..IoCaps::FULL };

/// Finding F5 and section 2.4 of the reviews: colours that lowering packs and numbers anew are those of the source.
#[test]
fn packed_colours_are_floats_of_four_components_at_their_location() {
    let m = lowered("@fragment fn fs(@location(0) a: f32) -> @location(2) vec4<f32> { return vec4<f32>(a); }");
    let context = targets(&[None, None, Some(Format::Rgba8Unorm)]);
    let (rows, _) = of(&m, "fs", PACKS, context);
    let input = InterfaceRow { at: IoPlace::Location { number: 0, blend_src: 0 }, components: 1, ..Default::default() };
    let colour = InterfaceRow {
        output: true,
        at: IoPlace::Location { number: 2, blend_src: 0 },
        components: 15,
        packing: Packing::Half16,
        file: 1,
        ..Default::default()
    };
    assert_eq!(rows, [input, colour]);
    let m = lowered("@fragment fn fs() -> @location(0) vec2<u32> { return vec2<u32>(1u, 2u); }");
    let (rows, _) = of(&m, "fs", PACKS, targets(&[Some(Format::Rg16Uint)]));
    assert_eq!((rows[0].integer, rows[0].components, rows[0].packing), (true, 3, Packing::Uint16));
    assert_eq!(rows[0].interpolation, Interpolation::Perspective, "a colour is not interpolated");
}

/// Inputs are interpolated as the source says, whatever a target gets.
#[test]
fn inputs_over_w_keep_their_interpolation() {
    let m = lowered(
        "@fragment fn fs(@location(3) a: vec3<f32>, @location(1) @interpolate(linear, centroid) b: vec2<f32>,
            @location(5) @interpolate(flat) c: vec2<u32>, @location(6) unread: f32) -> @location(0) vec4<f32> {
            return vec4<f32>(a + vec3<f32>(b, f32(c.x)), 1.0);
        }",
    );
    let (rows, _) = of(&m, "fs", IoCaps::MINIMAL, targets(&[Some(Format::Rgba8Unorm)]));
    let mut inputs: Vec<_> = rows
        .iter()
        .filter(|r| !r.output)
        .map(|r| (r.at, r.components, r.integer, r.interpolation, r.sampling))
        .collect();
    inputs.sort_by_key(|r| r.1);
    let at = |number| IoPlace::Location { number, blend_src: 0 };
    assert_eq!(
        inputs,
        [
            (at(1), 3, false, Interpolation::Linear, Sampling::Centroid),
            (at(5), 3, true, Interpolation::Flat, Sampling::Center),
            (at(3), 7, false, Interpolation::Perspective, Sampling::Center),
        ]
    );
}

const CLIPPED: &str = r#"module robust on
entry "vs" vertex func0 {
  out0 "" position f32x4
  out1 "a" location 0 f32x2
  out2 "" clip_distance 0 f32
  out3 "" clip_distance 1 f32
  out4 "" clip_distance 4 f32
}
entry "fs" fragment func1 {
  in0 "a" location 0 f32x2
  out0 "" location 0 f32x2
}
func0 "vs" -> f32x4, f32x2, f32, f32, f32 {
block0:
  v0: f32x4 = compose 0.25:f32, 0.5:f32, 0.75:f32, 1.0:f32
  v1: f32x2 = compose 0.25:f32, 0.5:f32
  ret v0, v1, 0.5:f32, 1.5:f32, 2.5:f32
}
func1 "fs" -> f32x2 {
block0:
  v0: f32x2 = input in0
  ret v0
}
"#;

/// Clip distances that travel as varyings are clip distances on both sides, with the place of each.
#[test]
fn clip_distances_that_travel_are_clip_distances() {
    let module = gpucc_ir::text::parse_module(CLIPPED).unwrap_or_else(|e| panic!("{e}"));
    let caps = IoCaps { clip_distances: false, ..IoCaps::FULL };
    let context = |entry: &str| {
        let pipeline = default_pipeline(&module.entry("fs").expect("fs").stage).pipeline;
        context_in(&module, &module.entry(entry).expect("the entry").stage, &pipeline)
    };
    let clips = |entry: &str, output: bool| -> Vec<(u8, u8, u16, u8)> {
        let (rows, _) = of(&module, entry, caps, context(entry));
        let clip = |r: &InterfaceRow| match r.at {
            IoPlace::ClipDistance(n) if r.output == output => Some((n, r.components, r.index, r.lane)),
            _ => None,
        };
        rows.iter().filter_map(clip).collect()
    };
    let wanted = |first: u16| -> Vec<(u8, u8, u16, u8)> {
        (0..5).map(|n: u8| (n, 1, first + u16::from(n / 4), n % 4)).collect()
    };
    assert_eq!((clips("vs", true), clips("fs", false)), (wanted(2), wanted(1)));
}

/// A fragment program that reads its targets says so, and only then.
#[test]
fn programs_that_read_targets_say_so() {
    let m = lowered("@fragment fn fs() -> @location(0) vec4<f32> { return vec4<f32>(0.5); }");
    let mut blended = targets(&[Some(Format::Rgba8Unorm)]);
    blended.pipeline.targets[0].as_mut().expect("a target").blend = Some(gpucc_pipeline::Blend {
        color: gpucc_pipeline::BlendComponent {
            operation: gpucc_pipeline::BlendOperation::Max,
            src: gpucc_pipeline::BlendFactor::One,
            dst: gpucc_pipeline::BlendFactor::One,
        },
        ..Default::default()
    });
    let code = IoCaps { blending: gpucc_opt::Blending::Code, ..IoCaps::FULL };
    let reads = |io, context: &PipelineContext| of(&m, "fs", io, context.clone()).1 & flags::READS_TARGETS != 0;
    assert!(reads(code, &blended));
    assert!(!reads(IoCaps::FULL, &blended) && !reads(code, &targets(&[Some(Format::Rgba8Unorm)])));
    assert!(m.entries[0].interface().expect("a stage").outputs.iter().all(|o| o.at == IoAt::location(0)));
}
