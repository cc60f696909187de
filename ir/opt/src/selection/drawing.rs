//! Cases of vertex and fragment entries: inputs and outputs in every form that `lower_io` may leave.

use gpucc_ir::{Axis, Form, Mode, Refusal, Scalar, Stage, Type, Where};
use gpucc_pipeline::{
    Blend, BlendComponent, BlendFactor, Format, Pipeline, StepMode, Target, VertexAttribute, VertexBuffer, VertexFormat,
};

use super::draft::{Case, Draft, Kind};
use crate::caps::{Blending, Caps, IoCaps};
use crate::support::Chip;

/// Adds them for a stage.
pub(super) fn cases(out: &mut Vec<Case>, stage: Stage, caps: &Caps, chip: &Chip<'_>) {
    match stage {
        Stage::Compute => {}
        Stage::Vertex => vertex(out, caps),
        Stage::Fragment => {
            let per_sample = !chip.refuses(stage, Refusal::SampleShading);
            varyings(out, caps, per_sample);
            if !chip.refuses(stage, Refusal::PerVertexInputs) {
                of_vertices(out, caps, per_sample);
            }
            colours(out, caps, chip);
            helpers(out, caps);
        }
    }
}

/// Lanes of inputs and outputs: one to four floats or integers.
fn types() -> impl Iterator<Item = Type> {
    [Scalar::F32, Scalar::I32].into_iter().flat_map(|s| (1..=4).map(move |n| Type::new(s, n)))
}

fn vertex(out: &mut Vec<Case>, caps: &Caps) {
    let new = || Draft::of(Stage::Vertex, &caps.io);
    for ty in types() {
        let integer = !ty.is_float();
        for format in VertexFormat::ALL.iter().filter(|f| (f.base() != gpucc_pipeline::Base::Float) == integer) {
            for step in [StepMode::Vertex, StepMode::Instance] {
                let mut c = new();
                c.inputs.push(format!("location 2 {ty}"));
                let v = c.value(ty, "input in0");
                c.sink(&v, ty, caps.scalar);
                let attribute = VertexAttribute { location: 2, format: *format, offset: 4 };
                let buffer = VertexBuffer { stride: 24, step, attributes: vec![attribute] };
                let pipeline = Pipeline { vertex: vec![None, Some(buffer)], ..Pipeline::default() };
                let name = format!("input vertex {ty} {} {}", format.name(), step.name());
                out.push(Case { pipeline: Some(pipeline), ..c.case(name) });
            }
        }
        for kind in [Kind::Lanes, Kind::Group, Kind::Const] {
            for mode in modes(&caps.io, Stage::Vertex) {
                let mut c = new();
                let v = c.operand(ty, kind, 0, caps.scalar);
                let mode = if integer { Mode::Flat } else { mode };
                c.output(&format!("location 1 {mode} center"), ty, &v);
                out.push(c.case(format!("ret vertex {ty} {mode} {}", ['d', 'u', 'c'][kind as usize])));
            }
        }
    }
    for count in 1..=if caps.io.clip_distances { 8 } else { 0 } {
        let mut c = new();
        for k in 0..count {
            let v = c.operand(Type::F32, Kind::Lanes, k, caps.scalar);
            c.output(&format!("clip_distance {k}"), Type::F32, &v);
        }
        out.push(c.case(format!("ret vertex with {count} clip distances")));
    }
    let choices = [("layer", caps.io.layers), ("viewport_index", caps.io.viewports)];
    for kind in [Kind::Lanes, Kind::Group, Kind::Const] {
        for list in [&choices[..1], &choices[1..], &choices[..]] {
            if list.iter().any(|(_, there)| !there) {
                continue;
            }
            let mut c = new();
            for (k, (at, _)) in (0..).zip(list) {
                let v = c.operand(Type::I32, kind, k, caps.scalar);
                c.output(at, Type::I32, &v);
            }
            let names: Vec<&str> = list.iter().map(|l| l.0).collect();
            out.push(c.case(format!("ret vertex {} {}", names.join(" "), ['d', 'u', 'c'][kind as usize])));
        }
    }
    out.push(new().case("ret vertex with its position alone"));
}

/// How floats may be interpolated.
fn modes(io: &IoCaps, stage: Stage) -> Vec<Mode> {
    let perspective = if io.perspective || stage == Stage::Vertex { Mode::Perspective } else { Mode::OverW };
    let linear = io.linear.then_some(Mode::Linear);
    [perspective, Mode::Flat].into_iter().chain(linear).collect()
}

/// Inputs of fragments: each mode at each place.
fn varyings(out: &mut Vec<Case>, caps: &Caps, per_sample: bool) {
    for ty in types() {
        for mode in modes(&caps.io, Stage::Fragment) {
            for &at in Where::ALL.iter().filter(|&&w| w != Where::Sample || per_sample) {
                if mode == Mode::Flat && at != Where::Center || !ty.is_float() && mode != Mode::Flat {
                    continue;
                }
                let mut c = Draft::of(Stage::Fragment, &caps.io);
                c.inputs.push(format!("location 3 {mode} {at} {ty}"));
                let v = c.value(ty, "input in1");
                c.sink(&v, ty, caps.scalar);
                out.push(c.case(format!("input fragment {ty} {mode} {at}")));
            }
        }
    }
}

/// Inputs of fragments as one vertex gave them, and the shares of vertices.
fn of_vertices(out: &mut Vec<Case>, caps: &Caps, per_sample: bool) {
    for (ty, mode) in types().flat_map(|ty| Mode::VERTICES.map(|mode| (ty, mode))) {
        let mut c = Draft::of(Stage::Fragment, &caps.io);
        c.inputs.push(format!("location 3 {mode} center {ty}"));
        let v = c.value(ty, "input in1");
        c.sink(&v, ty, caps.scalar);
        out.push(c.case(format!("input fragment {ty} {mode}")));
    }
    let ty = Type::F32.with_lanes(2);
    for mode in [Mode::Perspective, Mode::Linear] {
        for at in Where::ALL.iter().filter(|&&w| w != Where::Sample || per_sample) {
            let mut c = Draft::of(Stage::Fragment, &caps.io);
            c.inputs.push(format!("barycentric {mode} {at} {ty}"));
            let v = c.value(ty, "input in1");
            c.sink(&v, ty, caps.scalar);
            out.push(c.case(format!("barycentric {mode} {at}")));
        }
    }
}

/// A target of a format, blended or not.
fn target(format: Format, blend: Option<Blend>) -> Pipeline {
    Pipeline { targets: vec![Some(Target { blend, ..Target::new(format) })], ..Pipeline::default() }
}

/// Colours in each form for each format that takes it, the second source, depth and mask.
fn colours(out: &mut Vec<Case>, caps: &Caps, chip: &Chip<'_>) {
    let stage = Stage::Fragment;
    let formats = Format::ALL.iter().copied().filter(|f| f.renderable() && !f.has_depth() && !f.has_stencil());
    for format in formats.filter(|f| caps.io.targets.has(*f)) {
        let integer = format.base() != gpucc_pipeline::Base::Float;
        let form = crate::lower_io::packed_form(format).filter(|_| caps.io.packed_colours).unwrap_or(Form::Plain);
        for ty in types().filter(|t| t.is_float() != integer) {
            let (ty, text) = if form == Form::Plain {
                (ty, String::new())
            } else {
                (Type::I32.with_lanes(ty.lanes().div_ceil(2)), format!(" {form}"))
            };
            for kind in [Kind::Lanes, Kind::Group, Kind::Const] {
                let mut c = Draft::of(stage, &caps.io);
                let v = c.operand(ty, kind, 0, caps.scalar);
                c.output(&format!("location 0 perspective center{text}"), ty, &v);
                let name = format!("ret fragment {ty} {form} {} {}", format.name(), ['d', 'u', 'c'][kind as usize]);
                out.push(Case { pipeline: Some(target(format, None)), ..c.case(name) });
            }
        }
    }
    let ty = Type::F32.with_lanes(4);
    if !chip.refuses(stage, Refusal::DualSource) && caps.io.blending == Blending::Fixed {
        let factors = |src, dst| BlendComponent { src, dst, ..BlendComponent::default() };
        let both = factors(BlendFactor::Src1, BlendFactor::OneMinusSrc1);
        let mut c = Draft::of(stage, &caps.io);
        for source in [0, 1] {
            let v = c.operand(ty, Kind::Lanes, source, caps.scalar);
            c.output(&format!("location 0 blend_src {source}"), ty, &v);
        }
        let blend = Some(Blend { color: both, alpha: both });
        out.push(Case {
            pipeline: Some(target(Format::Rgba32Float, blend)),
            ..c.case("ret fragment with two sources")
        });
    }
    let masks = !chip.refuses(stage, Refusal::SampleMasks);
    let stencils = !chip.refuses(stage, Refusal::StencilExport);
    let some = [(true, false, false), (true, false, true), (false, true, true), (true, true, true)];
    let with = some.into_iter().chain([(false, false, true)]).map(|(depth, mask, colour)| (depth, true, mask, colour));
    let all = some.into_iter().map(|(depth, mask, colour)| (depth, false, mask, colour)).chain(with);
    for (depth, stencil, mask, colour) in all {
        if mask && !masks || stencil && !stencils {
            continue;
        }
        let mut c = Draft::of(stage, &caps.io);
        if colour {
            let v = c.operand(ty, Kind::Lanes, 0, caps.scalar);
            c.output("location 0", ty, &v);
        }
        if depth {
            let v = c.operand(Type::F32, Kind::Lanes, 1, caps.scalar);
            c.output("frag_depth", Type::F32, &v);
        }
        if mask {
            let v = c.operand(Type::I32, Kind::Lanes, 2, caps.scalar);
            c.output("sample_mask", Type::I32, &v);
        }
        let also = if stencil { " stencil" } else { "" };
        if stencil {
            let v = c.operand(Type::I32, Kind::Lanes, 3, caps.scalar);
            c.output("frag_stencil", Type::I32, &v);
        }
        out.push(c.case(format!("ret fragment depth {depth} mask {mask} colour {colour}{also}")));
    }
}

/// Discards, derivatives, what targets hold.
fn helpers(out: &mut Vec<Case>, caps: &Caps) {
    for kind in [Kind::Lanes, Kind::Group, Kind::Const] {
        let mut c = Draft::of(Stage::Fragment, &caps.io);
        let gone = c.operand(Type::B1, kind, 0, caps.scalar);
        c.effect(&format!("demote {gone}"));
        c.sink("v0", Type::I32, caps.scalar);
        out.push(c.case(format!("demote {}", ['d', 'u', 'c'][kind as usize])));
    }
    for lanes in 1..=if caps.scalar { 1 } else { 4 } {
        for (axis, how) in Axis::ALL.iter().flat_map(|a| ["fine", "coarse"].map(|how| (a, how))) {
            let ty = Type::F32.with_lanes(lanes);
            let mut c = Draft::of(Stage::Fragment, &caps.io);
            c.inputs.push(format!("location 3 {} center {ty}", modes(&caps.io, Stage::Fragment)[0]));
            let of = c.value(ty, "input in1");
            let v = c.value(ty, &format!("derivative {of}, {axis} {how}"));
            c.sink(&v, ty, caps.scalar);
            out.push(c.case(format!("derivative {ty} {axis} {how}")));
        }
    }
    if caps.io.blending != Blending::Fixed {
        let ty = Type::F32.with_lanes(4);
        let mut c = Draft::of(Stage::Fragment, &caps.io);
        let v = c.value(ty, "target_load target0");
        c.output("location 0 blended", ty, &v);
        out.push(c.case("target_load"));
    }
}
