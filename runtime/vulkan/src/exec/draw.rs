//! Draws.

use std::ops::Range;

use ash::vk;
use gpucc_device::{DrawCall, Watch};
use gpucc_interp::Profile;
use gpucc_pipeline as fixed;
use gpucc_sim::draw::{self, Merger, Raster, Targets, VertexData, Vertices};
use gpucc_sim::raster::{Indices, Rect, Viewport};

use super::scene::Drawn;
use super::{Exec, dump, judge, options};
use crate::built_in::Values;
use crate::command::{Draw, Indirect};
use crate::fail::Done;
use crate::memory::Buffer;
use crate::pipeline::{Pipeline, Program, Render};
use crate::settings::Settings;

/// A viewport as the rasteriser has it: there y = 1 is at the edge that is named, in Vulkan y = -1 is.
fn viewport(v: &vk::Viewport) -> Viewport {
    let (y, height) = (v.y + v.height, -v.height);
    Viewport { x: v.x, y, width: v.width, height, min_depth: v.min_depth, max_depth: v.max_depth }
}

fn scissor(r: &vk::Rect2D) -> [u32; 4] {
    [r.offset.x.max(0) as u32, r.offset.y.max(0) as u32, r.extent.width, r.extent.height]
}

/// A fan as a list of triangles, and how many vertices it had. Each begins with the vertex that flat values come from, as Vulkan has it; an index that is not there is 0.
fn fan(d: Draw, indices: Option<&(Vec<u8>, bool)>, restart: bool) -> (Draw, Option<(Vec<u8>, bool)>, u64) {
    let all: Vec<Option<u32>> = match indices {
        None => (0..d.count).map(|k| Some(k.wrapping_add(d.first))).collect(),
        Some((bytes, wide)) => {
            let end = if *wide { u32::MAX } else { 0xffff };
            let indices = Indices { bytes, wide: *wide };
            let at = |k: u32| indices.get(u64::from(d.first) + u64::from(k));
            (0..d.count).map(|k| Some(at(k)).filter(|i| !(restart && *i == end))).collect()
        }
    };
    let mut words: Vec<u32> = Vec::new();
    for part in all.split(Option::is_none) {
        let part: Vec<u32> = part.iter().flatten().copied().collect();
        for k in 1..part.len().saturating_sub(1) {
            words.extend([part[k], part[k + 1], part[0]]);
        }
    }
    let bytes = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let vertices = all.iter().flatten().count() as u64;
    (Draw { count: words.len() as u32, first: 0, indexed: true, ..d }, Some((bytes, true)), vertices)
}

/// The bytes of a buffer from a place on, up to the end of a range; those before it are zeros, which take no room.
fn part(buffer: &Buffer, at: u64, range: Range<u64>) -> Vec<u8> {
    let all = buffer.with(at, vk::WHOLE_SIZE, <[u8]>::len) as u64;
    let end = range.end.min(all);
    let start = range.start.min(end);
    let mut out = vec![0; end as usize];
    buffer.with(at + start, end - start, |b| out[start as usize..].copy_from_slice(b));
    out
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
            self.draw(k, d)?;
        }
        Ok(())
    }

    /// The state of a pipeline with what is dynamic.
    fn state(&self, r: &Render) -> (fixed::Pipeline, u32, Option<(fixed::DepthStencil, u32)>) {
        let mut state = r.state.clone();
        let values = &self.values;
        if r.biased
            && let Some([constant, slope, clamp]) = values.bias
        {
            state.bias = fixed::DepthBias { constant: constant as i32, slope, clamp };
        }
        let mut front = 0;
        let mut other = None;
        if let Some(depth) = state.depth.as_mut().filter(|d| d.format.has_stencil()) {
            let reference = values.reference.unwrap_or_default();
            let read = values.read_mask.unwrap_or([u32::MAX; 2]);
            let write = values.write_mask.unwrap_or([u32::MAX; 2]);
            let back = fixed::DepthStencil { read_mask: read[1], write_mask: write[1], ..*depth };
            (depth.read_mask, depth.write_mask, front) = (read[0], write[0], reference[0]);
            if (*depth, front) != (back, reference[1]) {
                other = Some((back, reference[1]));
            }
        }
        (state, front, other)
    }

    /// The indices of a draw, at their places; whether they have 32 bits. What the draw does not read is not copied.
    fn indices_of(&self, d: Draw) -> Option<(Vec<u8>, bool)> {
        let (buffer, at, wide) = self.indices.as_ref().filter(|_| d.indexed)?;
        let size = if *wide { 4 } else { 2 };
        let [first, end] = [u64::from(d.first), u64::from(d.first) + u64::from(d.count)].map(|n| n * size);
        Some((part(buffer, *at, first..end), *wide))
    }

    /// The bytes of vertex buffers that a draw reads, at their places. They are copies: a program may write the buffer that its vertices lie in.
    fn vertices_of(
        &self,
        d: Draw,
        layouts: &[Option<fixed::VertexBuffer>],
        indices: Option<&(Vec<u8>, bool)>,
        restart: bool,
    ) -> Vec<Option<Vec<u8>>> {
        let run = |first: u32, count: u32| u64::from(first)..u64::from(first) + u64::from(count);
        let vertices = match indices {
            None => run(d.first, d.count),
            Some((bytes, wide)) => {
                let indices = Indices { bytes, wide: *wide };
                let end = indices.restart();
                let all = run(d.first, d.count).map(|k| indices.get(k)).filter(|k| !(restart && *k == end));
                // A place that the base moves below 0 is one of the last: nothing is there.
                let moved = all.map(|k| k.wrapping_add(d.base as u32)).fold(None, |range, k| match range {
                    None => Some((k, k)),
                    Some((least, most)) => Some((k.min(least), k.max(most))),
                });
                moved.map_or(0..0, |(least, most)| u64::from(least)..u64::from(most) + 1)
            }
        };
        let instances = run(d.first_instance, d.instances);
        let one = |(layout, k): (&Option<fixed::VertexBuffer>, u32)| {
            let layout = layout.as_ref()?;
            let (buffer, at, size) = self.vertices.get(&k)?;
            let elements = if layout.step == fixed::StepMode::Vertex { &vertices } else { &instances };
            let reach = layout.attributes.iter().map(|a| a.offset + u64::from(a.format.bytes())).max().unwrap_or(0);
            // Machines count whole elements: one more is there.
            let end = elements.end.saturating_mul(layout.stride).saturating_add(reach.max(layout.stride));
            Some(part(buffer, *at, elements.start.saturating_mul(layout.stride)..end.min(*size)))
        };
        layouts.iter().zip(0..).map(one).collect()
    }

    /// Draws, for each view of the pass. A draw of an indirect one has a number.
    pub(super) fn draw(&mut self, number: u32, d: Draw) -> Done {
        let Some(pipeline) = self.bound_pipeline(0)? else { return Err(self.lost("a draw without a pipeline")) };
        let Pipeline::Render(.., own) = &*pipeline else { return Err(self.lost("a draw without a pipeline")) };
        let late = self.late.with(own).map_err(|f| self.lost(&f.text))?;
        let pipeline = match &late {
            Some(render) => pipeline.late(self.shared.chip, render).map_err(|f| self.lost(&f.text))?,
            None => pipeline,
        };
        let Pipeline::Render(vertex, fragment, own) = &*pipeline else {
            return Err(self.lost("a draw without a pipeline"));
        };
        let render = late.as_ref().unwrap_or(own);
        if d.count == 0 || d.instances == 0 {
            return Ok(());
        }
        let Some(mut pass) = self.pass.take() else { return Err(self.lost("a draw outside of a pass")) };
        if pass.reads() {
            pass.show();
        }
        let programs = (&**vertex, fragment.as_deref());
        self.built_in = Values { draw: number, ..Values::default() };
        let (views, size) = (pass.views(), pass.size());
        self.several_views = views != 0;
        let mut result = Ok(());
        if views == 0 {
            result = self.draw_in(d, programs, render, (&mut pass.targets, size));
        }
        for view in (0..u32::BITS).filter(|k| views >> k & 1 == 1) {
            let Some(targets) = pass.targets.layer_mut(view).filter(|_| result.is_ok()) else { continue };
            self.built_in.view = view;
            result = self.draw_in(d, programs, render, (targets, size));
        }
        self.pass = Some(pass);
        result
    }

    fn draw_in(
        &mut self,
        d: Draw,
        programs: (&Program, Option<&Program>),
        render: &Render,
        (targets, [width, height]): (&mut Targets, [u32; 2]),
    ) -> Done {
        let (state, reference, back) = self.state(render);
        let list: Vec<&Program> = std::iter::once(programs.0).chain(programs.1).collect();
        let own = self.indices_of(d);
        let mut bound = self.bind(0, &list);
        let bytes = self.vertices_of(d, &state.vertex, own.as_ref(), render.restart);
        let buffers: Vec<Option<VertexData<'_>>> = state
            .vertex
            .iter()
            .zip(&bytes)
            .map(|(layout, bytes)| Some(VertexData { layout: layout.as_ref()?, bytes: bytes.as_ref()? }))
            .collect();
        if d.indexed && own.is_none() {
            bound.unbind(&mut self.shared.copies());
            return Err(self.lost("an indexed draw without an index buffer"));
        }
        let (d, own, fanned) = match render.fan {
            true => {
                let (d, own, vertices) = fan(d, own.as_ref(), render.restart);
                (d, own, Some(vertices * u64::from(d.instances)))
            }
            false => (d, own, None),
        };
        let indices = own.as_ref().map(|(bytes, wide)| Indices { bytes, wide: *wide });
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
            restart: d.indexed && render.restart && !render.fan,
            ..Vertices::new(state.topology, d.count)
        };
        let others = self.viewports.keys().copied().filter(|&k| k > 0);
        let draw = draw::Draw {
            vertices,
            raster: Raster::of(&state, view(0), scissor(0)),
            viewports: others.map(|k| (view(k), Rect::of(scissor(k)))).collect(),
            merger: Merger { back, ..Merger::of(&state, self.values.constant.unwrap_or_default(), reference) },
            seed: None,
        };
        if Settings::get().dump.is_some() {
            let (bound, targets) = (&bound.dispatch, &*targets);
            let drawn = Drawn { programs, render, state: &state, draw: &draw, buffers: &buffers, bound, targets };
            dump::draw(self.shared, &drawn);
        }
        let before = Settings::get().oracle.then(|| (bound.dispatch.clone(), targets.clone()));
        let run = options();
        let call = DrawCall {
            programs: (&programs.0.code, programs.1.map(|p| &p.code)),
            halves: None,
            pipeline: &state,
            draw: &draw,
            vertex_buffers: &buffers,
        };
        let passed = targets.passed();
        targets.take_counts();
        let result = call.run(&mut bound.dispatch, targets, (&run, &Profile::default()), Watch::All);
        bound.agree();
        let passed = targets.passed() - passed;
        let mut counts = targets.take_counts();
        counts.vertices = fanned.unwrap_or(counts.vertices);
        if programs.1.is_none() {
            counts.fragment_invocations = 0;
        }
        self.queries.iter_mut().for_each(|q| q.2.draw(passed, &counts));
        let names: Vec<&str> = list.iter().map(|p| p.source.entry.as_str()).collect();
        let what = format!("draw of {} vertices by `{}`", d.count, names.join("` and `"));
        if let (Some(before), Ok(_)) = (before, &result) {
            let after = (&bound.dispatch, &*targets);
            let drawn = judge::Drawn { programs, draw: &draw, buffers: &buffers, before, after };
            judge::draw(self.shared, &what, drawn, &run);
        }
        drop(buffers);
        bound.unbind(&mut self.shared.copies());
        self.count(&what, result, &list)
    }
}
