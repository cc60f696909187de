//! Rewrites inputs and outputs to the forms that the target has ([`IoCaps`]).
//!
//! | input | output | capability |
//! |---|---|---|
//! | index of a vertex or an instance | the number without its base, plus the base | `vertex_index_includes_base`, `instance_index_includes_base` |
//! | position with z in 0..w | z = 2 z - w, and the interface says so | `negative_depth` |
//! | position | on the screen with 1/w, by scale and offset of the viewport | `window_positions` |
//! | clip distance of a vertex | varyings of four at locations that neither stage has | `clip_distances` |
//! | size of a point | nothing, where no points are drawn or it is 1 | |
//! | place of a fragment in its point | an input of two components | `point_coord` |
//! | layer and viewport that a vertex chooses | nothing, where they are 0; else they stay and are refused by their code | `layers`, `viewports` |
//! | layer and viewport of a fragment | 0: no vertex of the target chooses | `layers`, `viewports` |
//! | viewport of a fragment | a flat varying of the vertex that chooses it, at a location that neither stage has; 0 behind one that does not | `viewport_index` |
//! | number of the primitive | a flat input that the vertex hands on | `primitive_index` |
//! | shares of the vertices, and inputs as one vertex gave them | the same of the vertices in the hardware's order, and a choice by which of them is the provoking one: they hand a number on | `vertex_order` |
//! | the same of points | 0, and the value of the one vertex | `vertex_order` |
//! | fragment behind such a vertex | demoted where a distance is negative; with several samples its mask loses those | `clip_distances` |
//! | output that is linear on the screen | times w, with perspective | `linear` |
//! | input that is linear on the screen | with perspective, times 1 / w | `linear` |
//! | input with perspective | input over w, divided by 1 / w | `perspective` |
//! | position of a fragment | middle of its pixel, depth, 1 / w | `frag_coord` |
//! | place of a sample in its pixel | looked up by the number of the sample, or the middle where a pixel has one | `sample_position` |
//! | number of samples of a pixel | a constant | `sample_position` |
//! | number of the sample, where a pixel has one | 0 | `sample_shading` |
//! | input at the sample, where a pixel has one | in the middle of the pixel | `sample_shading` |
//! | mask of samples that a fragment reads, where a pixel has one and no neighbour sees what is made of it | 1 | `covered_samples` |
//! | mask of samples that a fragment gives, where a pixel has one | demoted where the lowest bit is 0 | `sample_mask` |
//! | depth and stencil reference that a fragment gives | nothing, where depth is tested before the entry point runs: those of the primitive and the draw count | |
//! | colour with fewer components than its target, or without the alpha that blending reads | 0 for what is missing, 1 for alpha | |
//! | colour | pairs of halves or of 16-bit fractions or integers, as the target's format asks | `packed_colours` |
//! | location of a colour | its number over bound targets, without holes; outputs without a target are removed | `compact_targets` |
//!
//! The rows of clip distances, samples, colours and a viewport that travels need the pipeline in `PassCx::around`, those of clip distances and viewports also the
//! other stage; one that tests depth early keeps clip distances. Both stages of a pipeline are lowered with the same capabilities: what is linear in one of them is
//! so in the other. Where they say different things, as SPIR-V allows, the fragment's word counts.
//!
//! Needs: one return. Keeps: the CFG. Changes the interface of the entry point in `PassCx::entry`.

use gpucc_ir::analysis::Helpers;
use gpucc_ir::{
    Attr, Axis, Block, Builder, Deriv, FloatCc, Form, Function, Inst, IntCc, Interface, Interp, IoAt, IoSlot, Mode, Op,
    Place, Position, SecondaryMap, Stage, StageInfo, Sysval, Type, Value, Where,
};
use gpucc_pipeline::{Base, Code, Format, Layout, Pipeline, Target, Topology};

use crate::caps::IoCaps;
use crate::context::{PipelineContext, Returned, free_locations};
use crate::cx::PassCx;

/// Largest 1/w of a position on the screen, 2^64: so near to w = 0 that clipping cannot tell, and so far from the largest number that
/// positions times it remain numbers.
const LARGEST_INVERSE: f32 = 18_446_744_073_709_551_616.0;

/// Where the samples of a pixel of four are, in sixteenths of a pixel, four bits each: columns, then rows.
const SAMPLES_OF_FOUR: [i64; 2] = [0xa2e6, 0xea62];

/// Rewrites the entry's inputs and outputs to the target's forms.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    let caps = cx.caps.io;
    let Some(mut entry) = cx.entry.take() else { return };
    let stage = entry.stage.kind();
    // Where clip distances and behind them a viewport travel; clip distances nowhere if they stay.
    let mut free = match cx.context {
        Some(context) if !(caps.clip_distances && caps.viewport_index) => {
            free_locations(cx.source.unwrap_or(&entry.stage), context)
        }
        _ => Vec::new(),
    };
    let viewport = cx.context.and_then(|context| viewport_place(&entry.stage, context, &caps, &free));
    let early = tests_early(&entry.stage);
    if caps.clip_distances || early {
        free.clear();
    }
    if caps != IoCaps::FULL
        && let Some(io) = entry.interface_mut()
    {
        let (before, made) = (io.clone(), f.insts.len());
        if let (Stage::Vertex, Some(StageInfo::Fragment { io: read, .. })) =
            (stage, cx.context.and_then(|a| a.other.as_ref()))
        {
            read_as(io, read);
        }
        let samples = cx.context.map(|a| a.pipeline.samples);
        let one = stage == Stage::Fragment && samples == Some(1);
        if one && !caps.sample_shading {
            io.inputs.iter_mut().filter(|s| s.interp.at == Where::Sample).for_each(|s| s.interp.at = Where::Center);
        }
        let asks = |(_, i): (Block, Inst)| f.insts[i].attr == Attr::Sysval(Sysval::SampleMask);
        let unseen = (one && !caps.covered_samples && f.insts_in_order().any(asks)).then(|| Unseen::new(f));
        let points = cx.context.is_some_and(|a| a.pipeline.topology == Topology::PointList);
        // What is there already was put in order before.
        let ordered = caps.vertex_order || io.inputs.iter().any(|s| s.at == IoAt::VertexNumber);
        let mut n = walk(f, |b, i| match b.func.insts[i].attr {
            Attr::Sysval(Sysval::SamplePosition) if !caps.sample_position => samples.map(|n| sample_position(b, n)),
            Attr::Sysval(Sysval::SampleIndex) if one && !caps.sample_shading => Some(b.func.iconst(Type::I32, 0)),
            Attr::Sysval(Sysval::SampleMask) if unseen.as_ref().is_some_and(|u| u.is(b.func.insts[i].result())) => {
                Some(b.func.iconst(Type::I32, 1))
            }
            Attr::Sysval(Sysval::ViewportIndex) if caps.viewports => viewport.as_ref().map(|at| travelled(b, io, at)),
            Attr::Sysval(Sysval::PointCoord) if !caps.point_coord => Some(point_coord(b, io)),
            Attr::Sysval(Sysval::PrimitiveIndex) if !caps.primitive_index => {
                Some(handed_on(b, io, IoAt::PrimitiveIndex, Mode::Flat))
            }
            Attr::Input(n) if stage == Stage::Fragment && !ordered && io.inputs[usize::from(n)].tells_vertices() => {
                Some(in_order(b, io, n, points))
            }
            // A pipeline that is not known is one without several.
            Attr::Sysval(Sysval::SampleCount) if !caps.sample_position => {
                Some(b.func.iconst(Type::I32, samples.unwrap_or(1).into()))
            }
            _ => value(b, i, io, &caps, stage),
        });
        if one && !caps.sample_mask {
            n += mask_of_one(f, io);
        }
        if stage == Stage::Vertex {
            n += point_size(f, io, cx.context.map(|a| &a.pipeline));
        }
        for (at, there) in [(IoAt::Layer, caps.layers), (IoAt::ViewportIndex, caps.viewports)] {
            if stage == Stage::Vertex && !there {
                n += goes(f, io, at, |bits| bits == Some(0));
            }
        }
        if let (Stage::Vertex, Some(ViewportPlace::Varying(slot))) = (stage, viewport) {
            n += hand_on_viewport(f, io, slot);
        }
        if let (Stage::Vertex, Some(StageInfo::Fragment { io: read, .. })) =
            (stage, cx.context.and_then(|a| a.other.as_ref()))
        {
            let asked = read.inputs.iter().any(|s| s.at == IoAt::PrimitiveIndex) && !caps.primitive_index;
            n += if asked { hand_on(f, io, IoAt::PrimitiveIndex, Sysval::RawPrimitiveIndex) } else { 0 };
            // Of one that is described by its container the number itself is read.
            let asked = !points && !caps.vertex_order && read.inputs.iter().any(IoSlot::tells_vertices);
            let number = if caps.vertex_index_includes_base { Sysval::VertexIndex } else { Sysval::RawVertexIndex };
            n += if asked { hand_on(f, io, IoAt::VertexNumber, number) } else { 0 };
        }
        if early {
            n += goes(f, io, IoAt::FragDepth, |_| true) + goes(f, io, IoAt::FragStencil, |_| true);
        }
        if stage == Stage::Vertex {
            n += outputs(f, io, &caps);
        }
        if let Some(context) = cx.context {
            n += match stage {
                Stage::Vertex if clips_behind(context) => distances(f, io, &free),
                Stage::Fragment => clip(f, io, &caps, (context, &free)),
                _ => 0,
            };
            if stage == Stage::Fragment {
                n += colours(f, io, &caps, &context.pipeline);
            }
        }
        modes(io, &caps, stage);
        // The interface can change without an instruction.
        let unseen = n == 0 && (*io != before || f.insts.len() != made);
        cx.must_change(n + u64::from(unseen));
    }
    cx.entry = Some(entry);
}

/// Outputs change between vertices as the fragment stage reads them.
fn read_as(vertex: &mut Interface, fragment: &Interface) {
    for slot in vertex.outputs.iter_mut().filter(|s| matches!(s.at, IoAt::Location { .. })) {
        if let Some(input) = fragment.inputs.iter().find(|i| i.at == slot.at) {
            slot.interp.mode = input.interp.mode;
        }
    }
}

/// Visits every instruction once; what `replace` gives takes the place of its result.
fn walk(f: &mut Function, mut replace: impl FnMut(&mut Builder<'_>, Inst) -> Option<Value>) -> u64 {
    let mut map: SecondaryMap<Value, Option<Value>> = SecondaryMap::with_default(None);
    let (mut old, mut n) = (Vec::new(), 0);
    for block in f.layout.clone() {
        f.take_insts(block, &mut old);
        for &i in &old {
            match replace(&mut Builder::like(f, block, i), i) {
                Some(v) => {
                    map[f.insts[i].result()] = Some(v);
                    n += 1;
                }
                None => f.blocks[block].insts.push(i),
            }
        }
    }
    f.replace_uses(&map);
    n
}

/// The replacement of an instruction that reads an index, a position or an input.
fn value(b: &mut Builder<'_>, i: Inst, io: &Interface, caps: &IoCaps, stage: Stage) -> Option<Value> {
    match b.func.insts[i].attr {
        Attr::Sysval(Sysval::VertexIndex) if !caps.vertex_index_includes_base => {
            let (raw, first) = (b.sysval(Sysval::RawVertexIndex), b.sysval(Sysval::FirstVertex));
            Some(b.iadd(raw, first))
        }
        Attr::Sysval(Sysval::InstanceIndex) if !caps.instance_index_includes_base => {
            let (raw, first) = (b.sysval(Sysval::RawInstanceIndex), b.sysval(Sysval::FirstInstance));
            Some(b.iadd(raw, first))
        }
        Attr::Sysval(Sysval::Layer) if !caps.layers => Some(b.func.iconst(Type::I32, 0)),
        Attr::Sysval(Sysval::ViewportIndex) if !caps.viewports => Some(b.func.iconst(Type::I32, 0)),
        Attr::Sysval(Sysval::FragCoord) if !caps.frag_coord => {
            let pixel = b.sysval(Sysval::Pixel);
            let pixel = b.u2f(pixel, Type::F32.with_lanes(2));
            let half = b.func.fconst(Type::F32, 0.5);
            let [x, y] = [0, 1].map(|k| b.extract(pixel, k));
            let (x, y) = (b.fadd(x, half), b.fadd(y, half));
            let (z, w) = (b.sysval(Sysval::FragZ), b.sysval(Sysval::FragInvW));
            Some(b.compose(&[x, y, z, w]))
        }
        Attr::Input(n) if stage == Stage::Fragment => {
            let slot = io.inputs.get(usize::from(n)).filter(|s| matches!(s.at, IoAt::Location { .. }))?;
            let linear = slot.interp.mode == Mode::Linear && !caps.linear;
            let over_w = !caps.perspective && (linear || slot.interp.mode == Mode::Perspective);
            (over_w || linear).then(|| input(b, (n, slot.ty), over_w, linear))
        }
        _ => None,
    }
}

/// Where in its pixel the sample of an invocation is.
fn sample_position(b: &mut Builder<'_>, samples: u8) -> Value {
    if samples == 1 {
        return b.func.fconst(Type::F32.with_lanes(2), 0.5);
    }
    let sample = b.sysval(Sysval::SampleIndex);
    let two = b.func.iconst(Type::I32, 2);
    let shift = b.shl(sample, two);
    let parts = SAMPLES_OF_FOUR.map(|all| {
        let (all, low) = (b.func.iconst(Type::I32, all), b.func.iconst(Type::I32, 15));
        let at = b.ushr(all, shift);
        let at = b.and(at, low);
        let (at, part) = (b.u2f(at, Type::F32), b.func.fconst(Type::F32, 1.0 / 16.0));
        b.fmul(at, part)
    });
    b.compose(&parts)
}

/// What helpers compute and no other lane sees.
struct Unseen {
    helpers: Helpers,
    /// Whether a value may also go to a neighbour by way of a variable or a ballot.
    hidden: bool,
}

impl Unseen {
    fn new(f: &Function) -> Unseen {
        let helpers = Helpers::new(f);
        let hides = |i: Inst| match f.insts[i].op {
            Op::Any | Op::Ballot | Op::Reduce => true,
            Op::Store => helpers.any(f) && matches!(f.insts[i].place(), Some(Place::Local(_) | Place::Global(_))),
            _ => false,
        };
        Unseen { hidden: f.insts_in_order().any(|(_, i)| hides(i)), helpers }
    }

    fn is(&self, v: Value) -> bool {
        !self.hidden && !self.helpers.computes(v)
    }
}

/// Demotes where the mask of the one sample is empty, in place of giving it. Gives the number of changes.
fn mask_of_one(f: &mut Function, io: &mut Interface) -> u64 {
    let Some(at) = io.outputs.iter().position(|s| s.at == IoAt::SampleMask) else { return 0 };
    let Some((mut b, mut returned)) = Returned::take(f, io) else { return 0 };
    let mask = returned.args.remove(at);
    io.outputs.remove(at);
    let [lowest, none] = [1, 0].map(|k| b.func.iconst(Type::I32, k));
    let lowest = b.and(mask, lowest);
    let gone = b.icmp(IntCc::Eq, lowest, none);
    b.demote(gone);
    returned.put(b, io);
    1
}

/// The place in a point as an input; adds it where there is none yet. Points have no perspective.
fn point_coord(b: &mut Builder<'_>, io: &mut Interface) -> Value {
    let ty = Type::F32.with_lanes(2);
    let at = io.inputs.iter().position(|s| s.at == IoAt::PointCoord).unwrap_or_else(|| {
        let interp = Interp { mode: Mode::Linear, ..Interp::default() };
        io.inputs.push(IoSlot { interp, ..IoSlot::new(IoAt::PointCoord, ty) });
        io.inputs.len() - 1
    });
    b.input(at as u16, ty)
}

/// An input that the vertex hands on for lowering's sake; adds it where there is none yet.
fn handed_on(b: &mut Builder<'_>, io: &mut Interface, at: IoAt, mode: Mode) -> Value {
    let n = input_at(io, IoSlot { interp: Interp { mode, ..Interp::FLAT }, ..IoSlot::new(at, Type::I32) });
    b.input(n, Type::I32)
}

/// The number of an input; adds it where there is none like it yet.
fn input_at(io: &mut Interface, slot: IoSlot) -> u16 {
    let same = |s: &IoSlot| (s.at, s.interp) == (slot.at, slot.interp);
    let n = io.inputs.iter().position(same).unwrap_or_else(|| {
        io.inputs.push(slot);
        io.inputs.len() - 1
    });
    n as u16
}

/// A number of a vertex or its primitive as an output. Gives the number of changes.
fn hand_on(f: &mut Function, io: &mut Interface, at: IoAt, number: Sysval) -> u64 {
    if io.outputs.iter().any(|s| s.at == at) {
        return 0;
    }
    let Some((mut b, mut returned)) = Returned::take(f, io) else { return 0 };
    returned.args.push(b.sysval(number));
    io.outputs.push(IoSlot { interp: Interp::FLAT, ..IoSlot::new(at, Type::I32) });
    returned.put(b, io);
    1
}

/// What an input says of one of the vertices, or the shares of two of them, where the hardware's first vertex may be any.
fn in_order(b: &mut Builder<'_>, io: &mut Interface, n: u16, points: bool) -> Value {
    let slot = io.inputs[usize::from(n)].clone();
    let of = |mode: Mode| IoSlot { interp: Interp { mode, ..Interp::FLAT }, ..slot.clone() };
    if points {
        if slot.at == IoAt::Barycentric {
            return b.func.zero(slot.ty);
        }
        let n = input_at(io, of(Mode::Flat));
        return b.input(n, slot.ty);
    }
    let own = handed_on(b, io, IoAt::VertexNumber, Mode::Flat);
    let [first, third] = [Mode::Vertex0, Mode::Vertex2].map(|mode| {
        let other = handed_on(b, io, IoAt::VertexNumber, mode);
        b.icmp(IntCc::Eq, own, other)
    });
    // The provoking one is the first, else the third, else the second.
    let pick = |b: &mut Builder<'_>, k: usize, list: [Value; 3]| {
        let turned = b.select(third, list[(k + 2) % 3], list[(k + 1) % 3]);
        b.select(first, list[k], turned)
    };
    match slot.interp.mode.vertex() {
        Some(k) => {
            let list = Mode::VERTICES.map(|mode| {
                let n = input_at(io, of(mode));
                b.input(n, slot.ty)
            });
            let lanes: Vec<Value> = (0..slot.ty.lanes())
                .map(|lane| {
                    let list = list.map(|v| b.extract(v, lane));
                    pick(b, k, list)
                })
                .collect();
            if let [one] = lanes[..] { one } else { b.compose(&lanes) }
        }
        None => {
            let shares = b.input(n, slot.ty);
            let [second, third] = [0, 1].map(|lane| b.extract(shares, lane));
            let one = b.func.fconst(Type::F32, 1.0);
            let rest = b.fsub(one, second);
            let list = [b.fsub(rest, third), second, third];
            let parts = [1, 2].map(|k| pick(b, k, list));
            b.compose(&parts)
        }
    }
}

/// Takes away the size of points that is none, or 1. Gives the number of changes.
fn point_size(f: &mut Function, io: &mut Interface, pipeline: Option<&Pipeline>) -> u64 {
    let no_points = pipeline.is_some_and(|p| p.topology != Topology::PointList);
    goes(f, io, IoAt::PointSize, |bits| no_points || bits == Some(1f32.to_bits().into()))
}

/// Takes away an output whose value says nothing, by its bits if they are known. Gives the number of changes.
fn goes(f: &mut Function, io: &mut Interface, at: IoAt, says_nothing: impl Fn(Option<u64>) -> bool) -> u64 {
    let Some(k) = io.outputs.iter().position(|s| s.at == at) else { return 0 };
    let Some((b, mut returned)) = Returned::take(f, io) else { return 0 };
    let goes = says_nothing(b.func.const_bits(returned.args[k]));
    if goes {
        io.outputs.remove(k);
        returned.args.remove(k);
    }
    returned.put(b, io);
    u64::from(goes)
}

/// Where a fragment has the number of its viewport from.
enum ViewportPlace {
    /// A varying of its vertex.
    Varying(IoSlot),
    /// Its vertex chooses none: it is 0.
    First,
}

/// Where the number of the viewport is between the stages of a pipeline. `None` where it need not travel, or there is no location.
fn viewport_place(own: &StageInfo, context: &PipelineContext, caps: &IoCaps, free: &[u8]) -> Option<ViewportPlace> {
    if !caps.viewports || caps.viewport_index {
        return None;
    }
    let (StageInfo::Vertex(vertex), StageInfo::Fragment { .. }) = (match own {
        StageInfo::Vertex(_) => (own, context.other.as_ref()?),
        _ => (context.other.as_ref()?, own),
    }) else {
        return None;
    };
    if !vertex.outputs.iter().any(|s| s.at == IoAt::ViewportIndex) {
        return Some(ViewportPlace::First);
    }
    let distances = if caps.clip_distances { 0 } else { distance_slots(vertex, free).len() };
    let at = IoAt::location(*free.get(distances)?);
    Some(ViewportPlace::Varying(IoSlot { interp: Interp::FLAT, ..IoSlot::new(at, Type::I32) }))
}

/// The number of a fragment's viewport; adds its input where there is none yet.
fn travelled(b: &mut Builder<'_>, io: &mut Interface, place: &ViewportPlace) -> Value {
    match place {
        ViewportPlace::First => b.func.iconst(Type::I32, 0),
        ViewportPlace::Varying(slot) => {
            let at = io.inputs.iter().position(|s| s.at == slot.at).unwrap_or_else(|| {
                io.inputs.push(slot.clone());
                io.inputs.len() - 1
            });
            b.input(at as u16, Type::I32)
        }
    }
}

/// The number of the viewport that a vertex chooses as a varying, too. Gives the number of changes.
fn hand_on_viewport(f: &mut Function, io: &mut Interface, slot: IoSlot) -> u64 {
    let Some(k) = io.outputs.iter().position(|s| s.at == IoAt::ViewportIndex) else { return 0 };
    let Some((b, mut returned)) = Returned::take(f, io) else { return 0 };
    returned.args.push(returned.args[k]);
    io.outputs.push(slot);
    returned.put(b, io);
    1
}

/// An input as a target gives it, and what makes it what the program asks for.
fn input(b: &mut Builder<'_>, (n, ty): (u16, Type), over_w: bool, linear: bool) -> Value {
    let v = b.input(n, ty);
    // Over w and linear at once: the value came times w, so dividing by w gave what is asked for.
    if over_w && linear {
        return v;
    }
    let inverse = b.sysval(Sysval::FragInvW);
    let factor = if over_w { b.frcp(inverse) } else { inverse };
    let factor = b.splat(factor, ty.lanes());
    b.fmul(v, factor)
}

/// The outputs of a vertex: the position's depth, and those that are linear on the screen times w.
fn outputs(f: &mut Function, io: &Interface, caps: &IoCaps) -> u64 {
    let Some(at) = io.outputs.iter().position(|s| s.at == IoAt::Position) else { return 0 };
    let rets: Vec<_> = f.insts_in_order().filter(|(_, i)| f.insts[*i].op == Op::Ret).collect();
    let mut n = 0;
    for (block, i) in rets {
        let mut args = f.insts[i].args.clone();
        if args.len() != io.outputs.len() {
            continue;
        }
        f.blocks[block].insts.pop();
        let mut b = Builder::like(f, block, i);
        let position = args[at];
        let w = b.extract(position, 3);
        if !caps.linear {
            for (k, s) in io.outputs.iter().enumerate().filter(|(_, s)| is_linear(s)) {
                let factor = b.splat(w, s.ty.lanes());
                args[k] = b.fmul(args[k], factor);
                n += 1;
            }
        }
        if caps.window_positions && io.position == Position::Clip {
            args[at] = window(&mut b, position);
            n += 1;
        } else if caps.negative_depth && io.position == Position::Clip {
            let z = b.extract(position, 2);
            let twice = b.fadd(z, z);
            let z = b.fsub(twice, w);
            args[at] = b.insert(position, z, 2);
            n += 1;
        }
        f.insts[i].args = args;
        f.blocks[block].insts.push(i);
    }
    n
}

fn is_linear(slot: &IoSlot) -> bool {
    matches!(slot.at, IoAt::Location { .. }) && slot.interp.mode == Mode::Linear
}

/// The interface from now on.
fn modes(io: &mut Interface, caps: &IoCaps, stage: Stage) {
    if stage == Stage::Vertex && (caps.window_positions || caps.negative_depth) {
        io.position = if caps.window_positions { Position::Window } else { Position::ClipNegative };
    }
    let slots = if stage == Stage::Vertex { &mut io.outputs } else { &mut io.inputs };
    for slot in slots.iter_mut().filter(|s| matches!(s.at, IoAt::Location { .. })) {
        let mode = &mut slot.interp.mode;
        if *mode == Mode::Linear && !caps.linear {
            *mode = Mode::Perspective;
        }
        if *mode == Mode::Perspective && !caps.perspective && stage == Stage::Fragment {
            *mode = Mode::OverW;
        }
    }
}

/// A position on the screen, with 1/w.
fn window(b: &mut Builder<'_>, position: Value) -> Value {
    let w = b.extract(position, 3);
    let inverse = b.frcp(w);
    let [low, high] = [-LARGEST_INVERSE, LARGEST_INVERSE].map(|v| b.func.fconst(Type::F32, v));
    // NaN becomes the lower end.
    let inverse = b.fmax(inverse, low);
    let inverse = b.fmin(inverse, high);
    let (scale, offset) = (b.sysval(Sysval::ViewportScale), b.sysval(Sysval::ViewportOffset));
    // The depth of what is drawn flat.
    let lanes = b.func.def_op(position, Op::Compose).map(|d| d.args.clone());
    let is_zero = |b: &Builder<'_>, k: u32| lanes.as_ref().is_some_and(|l| b.func.const_bits(l[k as usize]) == Some(0));
    let [x, y, z] = [0, 1, 2].map(|k| {
        let [p, scale, offset] = [position, scale, offset].map(|v| b.extract(v, k));
        if is_zero(b, k) {
            return offset;
        }
        let p = b.fmul(p, inverse);
        b.fma(p, scale, offset)
    });
    b.compose(&[x, y, z, inverse])
}

/// Whether it is a fragment stage that tests depth before it runs.
fn tests_early(stage: &StageInfo) -> bool {
    matches!(stage, StageInfo::Fragment { early_depth: true, .. })
}

/// Whether the stage behind a vertex entry throws fragments away.
fn clips_behind(context: &PipelineContext) -> bool {
    context.other.as_ref().is_some_and(|s| s.kind() == Stage::Fragment && !tests_early(s))
}

/// How many clip distances an interface gives.
fn distance_count(io: &Interface) -> u8 {
    let all = io.outputs.iter().filter_map(|s| match s.at {
        IoAt::ClipDistance(k) => Some(k + 1),
        _ => None,
    });
    all.max().unwrap_or(0)
}

/// The varyings of the clip distances of a vertex, at the first of the free locations. None where there are not enough: the distances stay.
fn distance_slots(vertex: &Interface, free: &[u8]) -> Vec<IoSlot> {
    let count = distance_count(vertex);
    let Some(free) = free.get(..usize::from(count.div_ceil(4))) else { return Vec::new() };
    let slot = |(k, &location): (u8, &u8)| {
        let lanes = u32::from(count - 4 * k).min(4);
        IoSlot::new(IoAt::location(location), Type::F32.with_lanes(lanes))
    };
    (0..).zip(free).map(slot).collect()
}

/// Clip distances of a vertex as varyings.
fn distances(f: &mut Function, io: &mut Interface, free: &[u8]) -> u64 {
    let (count, slots) = (distance_count(io), distance_slots(io, free));
    if slots.is_empty() {
        return 0;
    }
    let Some((mut b, mut returned)) = Returned::take(f, io) else { return 0 };
    // One that is not given is inside.
    let mut list = vec![b.func.fconst(Type::F32, 0.0); usize::from(count)];
    for k in (0..io.outputs.len()).rev() {
        if let IoAt::ClipDistance(n) = io.outputs[k].at {
            io.outputs.remove(k);
            list[usize::from(n)] = returned.args.remove(k);
        }
    }
    for (slot, values) in slots.into_iter().zip(list.chunks(4)) {
        io.outputs.push(slot);
        let value = if let [one] = values { *one } else { b.compose(values) };
        returned.args.push(value);
    }
    returned.put(b, io);
    count.into()
}

/// Where the four samples of a pixel are, from its middle, in pixels.
const SAMPLES: [(f32, f32); 4] = [(-0.125, -0.375), (0.375, -0.125), (-0.375, 0.125), (0.125, 0.375)];

/// Demotes where a clip distance is negative. Over w, distances are linear on the screen, and as negative as before.
fn clip(f: &mut Function, io: &mut Interface, caps: &IoCaps, (context, free): (&PipelineContext, &[u8])) -> u64 {
    let Some(StageInfo::Vertex(vertex)) = &context.other else { return 0 };
    let (count, slots) = (distance_count(vertex), distance_slots(vertex, free));
    if slots.is_empty() {
        return 0;
    }
    let entry = f.entry();
    let mut b = Builder::before(f, entry, 0);
    let mut list = Vec::new();
    for slot in slots {
        let v = b.input(io.inputs.len() as u16, slot.ty);
        list.extend((0..slot.ty.lanes()).map(|k| b.extract(v, k)));
        io.inputs.push(slot);
    }
    if context.pipeline.samples == 1 {
        let zero = b.func.fconst(Type::F32, 0.0);
        let outside: Vec<Value> = list.iter().map(|&d| b.fcmp(FloatCc::Ult, d, zero)).collect();
        let any = outside.iter().copied().reduce(|x, y| b.or(x, y));
        any.into_iter().for_each(|any| {
            b.demote(any);
        });
        return count.into();
    }
    if caps.perspective {
        let inverse = b.sysval(Sysval::FragInvW);
        list.iter_mut().for_each(|d| *d = b.fmul(*d, inverse));
    }
    let mask = inside(&mut b, &list);
    let none = b.func.iconst(Type::I32, 0);
    let outside = b.icmp(IntCc::Eq, mask, none);
    b.demote(outside);
    let after = b.pos.unwrap_or(0);
    read_mask(f, mask, (entry, after));
    if let Some((mut b, mut returned)) = Returned::take(f, io) {
        returned.alpha_to_coverage(&mut b, io, &context.pipeline);
        returned.mask(&mut b, io, mask);
        returned.put(b, io);
    }
    count.into()
}

/// The samples in which no distance is negative; distances are linear on the screen.
fn inside(b: &mut Builder<'_>, list: &[Value]) -> Value {
    let slopes: Vec<[Value; 2]> =
        list.iter().map(|&d| [Axis::X, Axis::Y].map(|axis| b.derivative(d, Deriv { axis, fine: true }))).collect();
    let [zero, none] = [b.func.fconst(Type::F32, 0.0), b.func.iconst(Type::I32, 0)];
    let mut mask = none;
    for (s, (x, y)) in SAMPLES.into_iter().enumerate() {
        let [x, y] = [x, y].map(|v| b.func.fconst(Type::F32, v));
        let mut all = None;
        for (&d, &[dx, dy]) in list.iter().zip(&slopes) {
            let d = b.fma(dx, x, d);
            let d = b.fma(dy, y, d);
            let inside = b.fcmp(FloatCc::Oge, d, zero);
            all = Some(all.map_or(inside, |all| b.and(all, inside)));
        }
        let bit = b.func.iconst(Type::I32, 1 << s);
        let bit = all.map_or(bit, |all| b.select(all, bit, none));
        mask = b.or(mask, bit);
    }
    mask
}

/// The mask of samples that a program reads has none that are outside.
fn read_mask(f: &mut Function, mask: Value, (entry, first): (Block, usize)) {
    let mut map: SecondaryMap<Value, Option<Value>> = SecondaryMap::with_default(None);
    let mut made: Vec<(Inst, Value)> = Vec::new();
    for block in f.layout.clone() {
        let mut at = if block == entry { first } else { 0 };
        while let Some(&i) = f.blocks[block].insts.get(at) {
            at += 1;
            if f.insts[i].attr == Attr::Sysval(Sysval::SampleMask) {
                let whole = f.insts[i].result();
                map[whole] = Some(Builder::before(f, block, at).and(whole, mask));
                made.push((f.blocks[block].insts[at], whole));
                at += 1;
            }
        }
    }
    f.replace_uses(&map);
    for (i, whole) in made {
        f.insts[i].args[0] = whole;
    }
}

/// Colours of a fragment as the target takes them.
fn colours(f: &mut Function, io: &mut Interface, caps: &IoCaps, p: &Pipeline) -> u64 {
    let target = |number: u8| p.targets.get(usize::from(number)).copied().flatten();
    let lanes = |slot: &IoSlot| match slot.at {
        IoAt::Location { number, .. } if slot.form == Form::Plain && !slot.blended && !io.compact_targets => {
            target(number).map(|t| components_of(&t)).filter(|&n| slot.ty.lanes() < n)
        }
        _ => None,
    };
    let missing: Vec<Option<u32>> = io.outputs.iter().map(lanes).collect();
    let converts = (caps.packed_colours || caps.compact_targets) && !io.compact_targets;
    if !converts && missing.iter().all(Option::is_none) {
        return 0;
    }
    let Some((mut b, mut returned)) = Returned::take(f, io) else { return 0 };
    let mut n = 0;
    for ((slot, value), lanes) in io.outputs.iter_mut().zip(&mut returned.args).zip(missing) {
        if let Some(lanes) = lanes {
            *value = filled(&mut b, *value, lanes);
            slot.ty = b.func.ty(*value);
            n += 1;
        }
    }
    if !converts {
        returned.put(b, io);
        return n;
    }
    if caps.compact_targets {
        if target(0).is_none() {
            returned.alpha_to_coverage(&mut b, io, p);
        }
        for k in (0..io.outputs.len()).rev() {
            let IoAt::Location { number, .. } = io.outputs[k].at else { continue };
            if target(number).is_none() {
                io.outputs.remove(k);
                returned.args.remove(k);
                n += 1;
            }
        }
    }
    if caps.packed_colours {
        for (slot, value) in io.outputs.iter_mut().zip(&mut returned.args) {
            let IoAt::Location { number, .. } = slot.at else { continue };
            if let Some(target) = target(number)
                && slot.form == Form::Plain
                && let Some(form) = packed_form(target.format)
            {
                *value = pack(&mut b, *value, form, target.format);
                slot.form = form;
                slot.ty = b.func.ty(*value);
                n += 1;
            }
        }
    }
    returned.put(b, io);
    if caps.compact_targets {
        io.compact_targets = true;
        let place = |number: u8| (0..number).filter(|&k| target(k).is_some()).count() as u8;
        for slot in &mut io.outputs {
            if let IoAt::Location { number, .. } = &mut slot.at {
                *number = place(*number);
            }
        }
        for k in f.insts.keys() {
            if let Attr::Target(number) = &mut f.insts[k].attr {
                *number = place(*number);
            }
        }
        n += 1;
    }
    n
}

/// Components that a target takes of a colour.
fn components_of(target: &Target) -> u32 {
    if target.reads_source_alpha() { 4 } else { target.format.components() }
}

/// A colour of so many components. Those that are missing are 0, and 1 for alpha: Vulkan leaves them open, and all places give the same.
fn filled(b: &mut Builder<'_>, value: Value, lanes: u32) -> Value {
    let ty = b.func.ty(value);
    let mut list: Vec<Value> = (0..ty.lanes()).map(|k| b.extract(value, k)).collect();
    for k in ty.lanes()..lanes {
        list.push(match ty.is_float() {
            true => b.func.fconst(ty.lane(), if k == 3 { 1.0 } else { 0.0 }),
            false => b.func.iconst(ty.lane(), i64::from(k == 3)),
        });
    }
    b.compose(&list)
}

/// How colours leave for a target of a format; `None` as words. One component of few bits leaves as a word, too.
pub(crate) fn packed_form(format: Format) -> Option<Form> {
    Some(match format.layout() {
        Layout::Array(Code::Unorm | Code::Snorm | Code::Srgb | Code::Uint | Code::Sint, 8)
            if format.components() == 1 =>
        {
            return None;
        }
        Layout::Array(Code::Unorm | Code::Snorm | Code::Srgb, 8) | Layout::Bgra(_) | Layout::Rg11b10 => Form::Half16,
        Layout::Rgb10a2(Code::Unorm) | Layout::Array(Code::Float, 16) => Form::Half16,
        Layout::Array(Code::Unorm, 16) => Form::Unorm16,
        Layout::Array(Code::Snorm, 16) => Form::Snorm16,
        Layout::Array(Code::Uint, 8 | 16) | Layout::Rgb10a2(Code::Uint) => Form::Uint16,
        Layout::Array(Code::Sint, 8 | 16) => Form::Sint16,
        _ => return None,
    })
}

/// Pairs of lanes, the first in the low half. Integers are clamped to what the format holds; of an odd number of lanes the last
/// pair has what is missing: 0, or 1 for alpha.
fn pack(b: &mut Builder<'_>, value: Value, form: Form, format: Format) -> Value {
    let ty = b.func.ty(value);
    let mut lanes: Vec<Value> = (0..ty.lanes()).map(|k| b.extract(value, k)).collect();
    let one = lanes.len() == 3;
    if lanes.len() % 2 == 1 {
        lanes.push(match format.base() {
            Base::Float => b.func.fconst(Type::F32, if one { 1.0 } else { 0.0 }),
            _ => b.func.iconst(Type::I32, one.into()),
        });
    }
    let words: Vec<Value> = (0..)
        .zip(lanes.chunks(2))
        .map(|(pair, list)| {
            let [x, y] = [list[0], list[1]];
            if format.base() == Base::Float {
                let both = b.compose(&[x, y]);
                return match form {
                    Form::Unorm16 => b.pack_unorm2x16(both),
                    Form::Snorm16 => b.pack_snorm2x16(both),
                    _ => b.pack_half2x16_rtz(both),
                };
            }
            let [x, y] = [(x, 2 * pair), (y, 2 * pair + 1)].map(|(v, k)| clamped(b, v, integer_bits(format, k), form));
            let (low, sixteen) = (b.func.iconst(Type::I32, 0xffff), b.func.iconst(Type::I32, 16));
            let (x, y) = (b.and(x, low), b.shl(y, sixteen));
            b.or(x, y)
        })
        .collect();
    if let [word] = words[..] { word } else { b.compose(&words) }
}

/// Bits of a component of an integer format.
fn integer_bits(format: Format, component: u32) -> u32 {
    match format.layout() {
        Layout::Array(_, bits) => bits,
        _ if component == 3 => 2,
        _ => 10,
    }
}

fn clamped(b: &mut Builder<'_>, v: Value, bits: u32, form: Form) -> Value {
    if form == Form::Uint16 {
        let most = b.func.iconst(Type::I32, (1 << bits) - 1);
        return b.umin(v, most);
    }
    let [low, high] = [-(1 << (bits - 1)), (1 << (bits - 1)) - 1].map(|v| b.func.iconst(Type::I32, v));
    let v = b.smax(v, low);
    b.smin(v, high)
}
