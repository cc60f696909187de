//! Draws.

use ash::vk;
use gpucc_interp::{OracleProgram, Pair, Profile};
use gpucc_machines::drivers::DrawJob;
use gpucc_pipeline as fixed;
use gpucc_sim::draw::{self, Merger, Raster, VertexData, Vertices};
use gpucc_sim::raster::{Indices, Rect, Viewport};
use gpucc_sim::{RunReport, Trap, TrapKind};

use super::{Exec, judge, options};
use crate::command::{Draw, Indirect};
use crate::fail::Done;
use crate::pipeline::{Code, Pipeline, Program, Render};
use crate::settings::Settings;

/// A viewport as the rasteriser has it: there y = 1 is at the edge that is named, in Vulkan y = -1 is.
fn viewport(v: &vk::Viewport) -> Viewport {
    let (y, height) = (v.y + v.height, -v.height);
    Viewport { x: v.x, y, width: v.width, height, min_depth: v.min_depth, max_depth: v.max_depth }
}

fn scissor(r: &vk::Rect2D) -> [u32; 4] {
    [r.offset.x.max(0) as u32, r.offset.y.max(0) as u32, r.extent.width, r.extent.height]
}

impl Exec<'_> {
    /// Draws what a buffer says.
    pub(super) fn draw_indirect(&mut self, i: &Indirect) -> Done {
        let counted = i.counted.as_ref().map(|(b, at)| b.words(*at, 1).first().copied().unwrap_or(0));
        let count = counted.map_or(i.count, |n| n.min(i.count));
        for k in 0..count {
            let words = i.buffer.words(i.offset + u64::from(k) * u64::from(i.stride), 4 + u64::from(i.indexed));
            let d = match words[..] {
                [count, instances, first, first_instance] if !i.indexed => {
                    Draw { count, instances, first, base: 0, first_instance, indexed: false }
                }
                [count, instances, first, base, first_instance] => {
                    Draw { count, instances, first, base: base as i32, first_instance, indexed: true }
                }
                _ => return Err(self.lost("an indirect draw without its words")),
            };
            self.draw(d)?;
        }
        Ok(())
    }

    /// The state of a pipeline with what is dynamic.
    fn state(&self, r: &Render) -> Result<(fixed::Pipeline, u32), String> {
        let mut state = r.state.clone();
        let values = &self.values;
        if r.biased
            && let Some([constant, slope, clamp]) = values.bias
        {
            state.bias = fixed::DepthBias { constant: constant as i32, slope, clamp };
        }
        let one = |v: Option<[u32; 2]>, default: u32, what: &str| match v {
            None => Ok(default),
            Some([front, back]) if front == back => Ok(front),
            Some([front, back]) => match state.cull {
                fixed::CullMode::Back => Ok(front),
                fixed::CullMode::Front => Ok(back),
                fixed::CullMode::None => Err(format!("{what} of front and back faces differ ({front}, {back})")),
            },
        };
        let mut reference = 0;
        if let Some(depth) = &mut state.depth {
            let stencil = depth.format.has_stencil();
            if stencil {
                reference = one(values.reference, 0, "stencil references")?;
                depth.read_mask = one(values.read_mask, u32::MAX, "stencil masks")?;
                depth.write_mask = one(values.write_mask, u32::MAX, "stencil masks")?;
            }
        }
        Ok((state, reference))
    }

    /// Draws.
    pub(super) fn draw(&mut self, d: Draw) -> Done {
        let Some(pipeline) = self.pipeline[0].clone() else { return Err(self.lost("a draw without a pipeline")) };
        let Pipeline::Render(vertex, fragment, render) = &*pipeline else {
            return Err(self.lost("a draw without a pipeline"));
        };
        if d.count == 0 || d.instances == 0 {
            return Ok(());
        }
        let Some(mut pass) = self.pass.take() else { return Err(self.lost("a draw outside of a pass")) };
        if pass.reads() {
            pass.show();
        }
        let result = self.draw_in(d, (vertex, fragment.as_deref()), render, &mut pass);
        self.pass = Some(pass);
        result
    }

    fn draw_in(
        &mut self,
        d: Draw,
        programs: (&Program, Option<&Program>),
        render: &Render,
        pass: &mut super::pass::Pass,
    ) -> Done {
        let (state, reference) = self.state(render).map_err(|text| self.lost(&text))?;
        let list: Vec<&Program> = std::iter::once(programs.0).chain(programs.1).collect();
        let mut bound = self.bind(0, &list);
        // The bytes are copied: a program may write the buffer that its vertices lie in.
        let bytes: Vec<Option<Vec<u8>>> = (0..state.vertex.len())
            .map(|k| {
                state.vertex[k].as_ref()?;
                let (buffer, at) = self.vertices.get(&(k as u32))?;
                Some(buffer.get(*at, vk::WHOLE_SIZE))
            })
            .collect();
        let buffers: Vec<Option<VertexData<'_>>> = state
            .vertex
            .iter()
            .zip(&bytes)
            .map(|(layout, bytes)| Some(VertexData { layout: layout.as_ref()?, bytes: bytes.as_ref()? }))
            .collect();
        let own = self.indices.as_ref().filter(|_| d.indexed);
        let own = own.map(|(buffer, at, wide)| (buffer.get(*at, vk::WHOLE_SIZE), *wide));
        let indices = own.as_ref().map(|(bytes, wide)| Indices { bytes, wide: *wide });
        if d.indexed && indices.is_none() {
            bound.unbind();
            return Err(self.lost("an indexed draw without an index buffer"));
        }
        let [width, height] = pass.size();
        let whole = vk::Viewport { width: width as f32, height: height as f32, max_depth: 1.0, ..Default::default() };
        let view = |k: u32| viewport(self.viewports.get(&k).unwrap_or(&whole));
        let scissor = |k: u32| match self.scissors.get(&k) {
            _ if render.discards => [0; 4],
            Some(r) => scissor(r),
            None => [0, 0, width, height],
        };
        let vertices = Vertices {
            first: d.first,
            instances: d.instances,
            first_instance: d.first_instance,
            indices,
            base: d.base,
            restart: d.indexed && render.restart,
            ..Vertices::new(state.topology, d.count)
        };
        let others = self.viewports.keys().copied().filter(|&k| k > 0);
        let draw = draw::Draw {
            vertices,
            raster: Raster::of(&state, view(0), scissor(0)),
            viewports: others.map(|k| (view(k), Rect::of(scissor(k)))).collect(),
            merger: Merger::of(&state, self.values.constant.unwrap_or_default(), reference),
            seed: None,
        };
        let before = Settings::get().oracle.then(|| (bound.dispatch.clone(), pass.targets.clone()));
        let run = options();
        let job = |v, f| DrawJob { programs: (v, f), pipeline: &state, draw: &draw, vertex_buffers: &buffers };
        let passed = pass.targets.passed();
        let result = match (&programs.0.code, programs.1.map(|p| &p.code)) {
            (Code::Machine { container: v, .. }, None) => {
                gpucc_machines::draw(&job(v, None), &mut bound.dispatch, &mut pass.targets, &run)
            }
            (Code::Machine { container: v, .. }, Some(Code::Machine { container: f, .. })) => {
                gpucc_machines::draw(&job(v, Some(f)), &mut bound.dispatch, &mut pass.targets, &run)
            }
            (Code::Oracle(v), None) => oracle(v, None, &draw, &buffers, &mut bound.dispatch, &mut pass.targets),
            (Code::Oracle(v), Some(Code::Oracle(f))) => {
                oracle(v, Some(f), &draw, &buffers, &mut bound.dispatch, &mut pass.targets)
            }
            _ => Err(Trap::new(TrapKind::Unsupported, "one program of a draw runs on a machine, the other does not")),
        };
        let passed = pass.targets.passed() - passed;
        self.queries.iter_mut().for_each(|q| q.2 += passed);
        let names: Vec<&str> = list.iter().map(|p| p.source.entry.as_str()).collect();
        let what = format!("draw of {} vertices by `{}`", d.count, names.join("` and `"));
        if let (Some(before), Ok(_)) = (before, &result) {
            let after = (&bound.dispatch, &pass.targets);
            let drawn = judge::Drawn { programs, draw: &draw, buffers: &buffers, before, after };
            judge::draw(self.shared, &what, drawn, &run);
        }
        drop(buffers);
        bound.unbind();
        self.count(&what, result, &list)
    }
}

fn oracle(
    vertex: &OracleProgram,
    fragment: Option<&OracleProgram>,
    draw: &draw::Draw<'_>,
    buffers: &[Option<VertexData<'_>>],
    bindings: &mut gpucc_sim::Dispatch,
    targets: &mut draw::Targets,
) -> Result<RunReport, Trap> {
    let pair = Pair { vertex, fragment };
    gpucc_interp::draw(pair, draw, buffers, bindings, targets, &options(), &Profile::default())
}
