//! Render passes: draws on attachments.

use gpucc_device::{Costs, DrawCall, Halves, Watch};
use gpucc_pipeline::IndexFormat;
use gpucc_scene::model::{BindingResource, BufferRange, Call, Draw, Pipeline, Render};
use gpucc_sim::draw::{self, Merger, Raster, Targets, VertexData, Vertices};
use gpucc_sim::raster::{Indices, Rect, Viewport};
use gpucc_sim::{RunOptions, RunReport, Trace, Trap, TrapKind};

use super::target::Given;
use super::{Frame, lost};
use crate::error::Failure;
use crate::place::Programs;
use crate::shaders::Stages;

impl Frame<'_> {
    /// Runs a render pass.
    pub fn render(
        &mut self,
        field: &str,
        given: Given<'_>,
        draws: &[Draw],
        tick: &mut dyn FnMut(),
    ) -> Result<(), Failure> {
        let (attachments, layers) = self.attachments(given);
        let textures = self.resources.textures.as_slice();
        let mut all = (0..layers).map(|n| attachments.begin(textures, n, &|_| true));
        let mut targets = all.next().unwrap_or_default().with_layers(all.collect());
        for (k, d) in draws.iter().enumerate() {
            if self.reads_attachments(given, d) {
                attachments.show(self.resources.textures.as_mut_slice(), &targets);
            }
            self.draw(&format!("{field}.draws[{k}]"), d, &mut targets)?;
            tick();
        }
        self.keep_open(&attachments, &targets);
        attachments.end(self.resources.textures.as_mut_slice(), &targets, &|_| true);
        Ok(())
    }

    /// Whether an attachment of the pass is bound, as input attachments may be.
    fn reads_attachments(&self, (colours, depth): Given<'_>, d: &Draw) -> bool {
        let names = colours.iter().flatten().map(|c| &c.texture).chain(depth.map(|d| &d.texture));
        let bound = |name: &String| {
            d.bindings.iter().any(|b| matches!(&b.resource, BindingResource::Texture(v) if v.texture == *name))
        };
        names.into_iter().any(bound)
    }

    fn draw(&mut self, field: &str, d: &Draw, targets: &mut Targets) -> Result<(), Failure> {
        let pipeline = match self.scene.pipelines.get(&d.pipeline) {
            Some(Pipeline::Render(p)) => p,
            _ => return Err(lost(field, &d.pipeline)),
        };
        let Some(&Stages::Render { vertex, fragment }) = self.stages(&d.pipeline) else {
            return Err(lost(field, &d.pipeline));
        };
        self.report.draws += 1;
        let entries: Vec<usize> = std::iter::once(vertex).chain(fragment).collect();
        let sources = d.vertex_buffers.iter().flatten().map(|r| r.buffer.as_str());
        let sources = sources.chain(d.index_buffer.iter().map(|b| b.buffer.as_str()));
        let kept: Vec<usize> = sources.filter_map(|name| self.scene.buffers.position(name)).collect();
        let mut bound = self.bind(&entries, (&d.bindings, d.immediates.as_ref()), &kept);
        let place = (&bound.dispatch, &*targets, size(targets));
        self.report.stepped.extend(self.stepped(field, (vertex, fragment), (pipeline, d), place));
        let trace = self.options.counts.then(Trace::counting);
        let run = RunOptions { trace: trace.clone(), ..self.run_options() };
        let size = size(targets);
        let mut costs = self.options.costs.then(|| self.report.costs.remove(&size).unwrap_or_else(|| Costs::new(size)));
        let watch = match (&trace, costs.as_mut()) {
            (Some(trace), _) => Watch::Counts(trace.clone()),
            (None, costs) => costs.map_or(Watch::All, Watch::Costs),
        };
        let result = self.run_draw((vertex, fragment), (pipeline, d), &mut bound.dispatch, targets, (&run, watch));
        self.report.costs.extend(costs.map(|c| (size, c)));
        self.executed(trace.as_ref(), &entries);
        self.unbind(bound);
        match result {
            Ok(report) => {
                self.count(field, &entries, report);
                Ok(())
            }
            Err(trap) => Err(self.trapped(field, &entries, trap)),
        }
    }

    pub(super) fn run_draw(
        &self,
        (vertex, fragment): (usize, Option<usize>),
        (pipeline, d): (&Render, &Draw),
        bindings: &mut gpucc_sim::Dispatch,
        targets: &mut Targets,
        (run, watch): (&RunOptions, Watch<'_>),
    ) -> Result<RunReport, Trap> {
        let state = pipeline.state();
        let bytes = |r: &BufferRange| {
            let (k, range) = self.range(r)?;
            self.resources.buffers[k].get(range)
        };
        let buffer = |k: usize| {
            let layout = state.vertex.get(k)?.as_ref()?;
            let bytes = bytes(d.vertex_buffers.get(k)?.as_ref()?)?;
            Some(VertexData { layout, bytes })
        };
        let buffers: Vec<Option<VertexData<'_>>> = (0..state.vertex.len()).map(buffer).collect();
        let indices = d.index_buffer.as_ref().and_then(|b| {
            let range = BufferRange { buffer: b.buffer.clone(), offset: b.offset, size: b.size };
            Some(Indices { bytes: bytes(&range)?, wide: b.format == IndexFormat::Uint32 })
        });
        let plain = Vertices::new(state.topology, 0);
        let vertices = match d.call {
            Call::Draw { vertex_count, instance_count, first_vertex, first_instance } => Vertices {
                count: vertex_count,
                first: first_vertex,
                instances: instance_count,
                first_instance,
                ..plain
            },
            Call::Indexed { index_count, instance_count, first_index, base_vertex, first_instance } => Vertices {
                count: index_count,
                first: first_index,
                instances: instance_count,
                first_instance,
                indices,
                base: base_vertex,
                restart: state.topology.is_strip(),
                ..plain
            },
        };
        let [width, height] = size(targets);
        let view = |v: [f64; 6]| {
            let [x, y, width, height, min_depth, max_depth] = v.map(|v| v as f32);
            let (y, height) = if d.y_down { (y + height, -height) } else { (y, height) };
            Viewport { x, y, width, height, min_depth, max_depth }
        };
        let whole = [0.0, 0.0, f64::from(width), f64::from(height), 0.0, 1.0];
        let scissor = |k: usize| d.scissors.get(k).copied().or(d.scissor).unwrap_or([0, 0, width, height]);
        let viewport = view(d.viewports.first().copied().or(d.viewport).unwrap_or(whole));
        let others = d.viewports.iter().enumerate().skip(1);
        let draw = draw::Draw {
            vertices,
            raster: Raster::of(&state, viewport, scissor(0)),
            viewports: others.map(|(k, &v)| (view(v), Rect::of(scissor(k)))).collect(),
            merger: Merger::of(&state, d.blend_constant.map(|v| v as f32), d.stencil_reference),
            seed: self.options.run.perturb,
        };
        let Programs { list, clippers, mixed } = self.programs;
        let code = |e: usize| list.get(e)?.as_ref();
        let second = fragment.map_or_else(|| clippers.get(&vertex), code);
        let halves = mixed.as_ref().map(|halves| {
            let oracle = |e: usize| halves.oracles.get(e)?.as_ref();
            let second = fragment.map_or(second, oracle);
            oracle(vertex).map(|vertex| Halves { on: halves.on, oracles: (vertex, second) }).ok_or_else(none)
        });
        let call = DrawCall {
            programs: (code(vertex).ok_or_else(none)?, second),
            halves: halves.transpose()?,
            pipeline: &state,
            draw: &draw,
            vertex_buffers: &buffers,
        };
        call.run(bindings, targets, (run, &self.options.profile), watch)
    }
}

/// An entry point without a program.
fn none() -> Trap {
    Trap::new(TrapKind::Unsupported, "a draw whose programs were not made")
}

/// Width and height of the attachments.
fn size(targets: &Targets) -> [u32; 2] {
    let mut all = targets.colour.iter().flatten().chain(&targets.depth);
    all.next().map_or([0, 0], |s| [s.width, s.rows])
}
