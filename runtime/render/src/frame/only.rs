//! A draw of which one pixel is of interest.

use gpucc_sim::draw::{FragmentTraits, QuadIn, QuadOut, Stages, Targets, VertexIn, VertexOut, VertexTraits};
use gpucc_sim::{Trace, Trap};

/// Stages that shade only the quads over a pixel, and trace its lane.
pub(crate) struct Only<'a> {
    pub stages: &'a mut dyn Stages,
    pub pixel: [u32; 2],
    pub trace: Trace,
}

impl Stages for Only<'_> {
    fn batch_quads(&self) -> usize {
        1
    }

    fn traits(&self) -> FragmentTraits {
        self.stages.traits()
    }

    fn vertex_traits(&self) -> VertexTraits {
        self.stages.vertex_traits()
    }

    fn vertices(&mut self, batch: &[VertexIn], out: &mut Vec<VertexOut>) -> Result<(), Trap> {
        self.stages.vertices(batch, out)
    }

    fn quads(&mut self, batch: &[QuadIn<'_>], targets: &Targets, out: &mut Vec<QuadOut>) -> Result<(), Trap> {
        for quad in batch {
            let over = |lane: &usize| quad.covered() >> lane & 1 == 1 && quad.pixel(*lane) == self.pixel;
            let Some(lane) = (0..4).find(over) else {
                out.push(QuadOut::default());
                continue;
            };
            self.trace.start(lane);
            let done = self.stages.quads(std::slice::from_ref(quad), targets, out);
            self.trace.stop();
            done?;
        }
        Ok(())
    }

    /// Work of the fixed function is free here, so that only instructions end a run.
    fn charge(&mut self, _: u64) -> Result<(), Trap> {
        Ok(())
    }
}
