//! What the fragments of each pixel executed.

use gpucc_sim::draw::{FragmentTraits, QuadIn, QuadOut, Stages, Targets, VertexIn, VertexOut, VertexTraits};
use gpucc_sim::{RunReport, Trap};

/// Costs by pixel of all passes whose attachments have a size, row by row.
#[derive(Clone, Debug, Default)]
pub struct Costs {
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// Instructions that the pixel's quads executed, each counted once for its four lanes.
    pub instructions: Vec<u64>,
    /// Busy time of the busiest unit of each quad, in 64ths of a cycle; zeros on the oracle, which has no costs.
    pub busy: Vec<u64>,
    /// Invocations of fragment programs that covered the pixel.
    pub invocations: Vec<u64>,
}

impl Costs {
    /// Of nothing that ran yet.
    pub(crate) fn new(size: [u32; 2]) -> Costs {
        let zeros = || vec![0; size[0] as usize * size[1] as usize];
        Costs { size, instructions: zeros(), busy: zeros(), invocations: zeros() }
    }

    /// Counts a quad.
    fn add(&mut self, quad: &QuadIn<'_>, instructions: u64, busy: u64) {
        for lane in (0..4).filter(|l| quad.covered() >> l & 1 == 1) {
            let [x, y] = quad.pixel(lane);
            if x < self.size[0] && y < self.size[1] {
                let at = y as usize * self.size[0] as usize + x as usize;
                self.instructions[at] += instructions;
                self.busy[at] += busy;
                self.invocations[at] += 1;
            }
        }
    }
}

/// Stages that shade one quad after the other and note what each executed.
pub(crate) struct Watched<'a> {
    pub stages: &'a mut dyn Stages,
    pub costs: &'a mut Costs,
}

/// Instructions, and the busy time of each unit.
fn counts(stages: &dyn Stages) -> (u64, [u64; RunReport::UNITS]) {
    stages.executed().map_or((0, [0; RunReport::UNITS]), |r| (r.instructions, r.busy))
}

impl Stages for Watched<'_> {
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
        let before = counts(self.stages);
        self.stages.quads(batch, targets, out)?;
        let after = counts(self.stages);
        let busy = before.1.iter().zip(&after.1).map(|(b, a)| a - b).max().unwrap_or(0);
        for quad in batch {
            self.costs.add(quad, after.0 - before.0, busy);
        }
        Ok(())
    }

    fn executed(&self) -> Option<&RunReport> {
        self.stages.executed()
    }

    fn charge(&mut self, steps: u64) -> Result<(), Trap> {
        self.stages.charge(steps)
    }
}
