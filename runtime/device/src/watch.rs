//! Draws whose quads are looked at: what each pixel costs, and the steps of one.

use gpucc_sim::draw::{self, FragmentTraits, QuadIn, QuadOut, Stages, Targets, VertexIn, VertexOut, VertexTraits};
use gpucc_sim::{RunReport, Trace, Trap};

/// How the quads of a draw run.
#[derive(Debug)]
pub enum Watch<'a> {
    /// All of them, many at once.
    All,
    /// One by one, and what each costs is noted.
    Costs(&'a mut Costs),
    /// Those over a pixel, of which a trace gets the steps; the others are left out.
    Only([u32; 2], Trace),
    /// All of them, for a trace that counts: the vertex program has the number 0 there, the fragment program 1.
    Counts(Trace),
}

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
    /// The costs of nothing that ran yet.
    pub fn new(size: [u32; 2]) -> Costs {
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

/// What stages around others leave to them.
#[rustfmt::skip]
macro_rules! inner {
    (@ traits) => { fn traits(&self) -> FragmentTraits { self.stages.traits() } };
    (@ vertex_traits) => { fn vertex_traits(&self) -> VertexTraits { self.stages.vertex_traits() } };
    (@ vertices) => { fn vertices(&mut self, batch: &[VertexIn], out: &mut Vec<VertexOut>) -> Result<(), Trap> { self.stages.vertices(batch, out) } };
    (@ executed) => { fn executed(&self) -> Option<&RunReport> { self.stages.executed() } };
    (@ charge) => { fn charge(&mut self, steps: u64) -> Result<(), Trap> { self.stages.charge(steps) } };
    ($($method:ident)*) => { $(inner! { @ $method })* };
}

/// Stages that shade one quad after the other and note what each executed.
struct Watched<'a> {
    stages: &'a mut dyn Stages,
    costs: &'a mut Costs,
}

/// Instructions, and the busy time of each unit.
fn counts(stages: &dyn Stages) -> (u64, [u64; RunReport::UNITS]) {
    stages.executed().map_or((0, [0; RunReport::UNITS]), |r| (r.instructions, r.busy))
}

impl Stages for Watched<'_> {
    inner! { traits vertex_traits vertices executed charge }

    fn batch_quads(&self) -> usize {
        1
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
}

/// Stages that shade only the quads over a pixel, and trace its lane.
struct Only<'a> {
    stages: &'a mut dyn Stages,
    pixel: [u32; 2],
    trace: Trace,
}

impl Stages for Only<'_> {
    inner! { traits vertex_traits vertices }

    fn batch_quads(&self) -> usize {
        1
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

/// Stages that tell a trace which of them runs.
struct Counted<'a> {
    stages: &'a mut dyn Stages,
    trace: Trace,
}

impl Stages for Counted<'_> {
    inner! { traits vertex_traits executed charge }

    fn batch_quads(&self) -> usize {
        self.stages.batch_quads()
    }

    fn vertices(&mut self, batch: &[VertexIn], out: &mut Vec<VertexOut>) -> Result<(), Trap> {
        self.trace.program(0);
        self.stages.vertices(batch, out)
    }

    fn quads(&mut self, batch: &[QuadIn<'_>], targets: &Targets, out: &mut Vec<QuadOut>) -> Result<(), Trap> {
        self.trace.program(1);
        self.stages.quads(batch, targets, out)
    }
}

/// Draws with quads that are looked at.
pub(crate) fn watched(
    watch: &mut Watch<'_>,
    draw: &draw::Draw<'_>,
    stages: &mut dyn Stages,
    targets: &mut Targets,
) -> Result<(), Trap> {
    match watch {
        Watch::All => draw::draw(draw, stages, targets),
        Watch::Costs(costs) => draw::draw(draw, &mut Watched { stages, costs }, targets),
        Watch::Only(pixel, trace) => {
            draw::draw(draw, &mut Only { stages, pixel: *pixel, trace: trace.clone() }, targets)
        }
        Watch::Counts(trace) => draw::draw(draw, &mut Counted { stages, trace: trace.clone() }, targets),
    }
}
