//! A draw of which one pixel is of interest.

use gpucc_sim::Trap;
use gpucc_sim::draw::{FragmentTraits, LinkedStages, QuadIn, QuadOut, Stages, Targets, VertexIn, VertexOut};

/// Stages that shade only the quads over a pixel, or none.
pub(crate) struct Only<'a> {
    pub stages: &'a mut dyn LinkedStages,
    pub pixel: Option<[u32; 2]>,
}

impl Stages for Only<'_> {
    fn batch_quads(&self) -> usize {
        1
    }

    fn traits(&self) -> FragmentTraits {
        self.stages.traits()
    }

    fn vertices(&mut self, batch: &[VertexIn], out: &mut Vec<VertexOut>) -> Result<(), Trap> {
        self.stages.vertices(batch, out)
    }

    fn quads(&mut self, batch: &[QuadIn<'_>], targets: &Targets, out: &mut Vec<QuadOut>) -> Result<(), Trap> {
        for quad in batch {
            let over = |lane: usize| quad.covered() >> lane & 1 == 1 && Some(quad.pixel(lane)) == self.pixel;
            if (0..4).any(over) {
                self.stages.quads(std::slice::from_ref(quad), targets, out)?;
            } else {
                out.push(QuadOut::default());
            }
        }
        Ok(())
    }

    /// Work of the fixed function is free here, so that only instructions end a run.
    fn charge(&mut self, _: u64) -> Result<(), Trap> {
        Ok(())
    }
}
