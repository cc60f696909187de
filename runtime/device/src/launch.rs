//! One dispatch or draw on what is bound: the same for command lists, scenes and graphics interfaces.

use gpucc_interp::{OracleProgram, Pair, Profile};
use gpucc_ir::Stage;
use gpucc_machines::drivers::DrawJob;
use gpucc_pipeline::Pipeline;
use gpucc_sim::draw::{self, LinkedStages, Mixed, Targets, VertexData};
use gpucc_sim::{Dispatch, RunOptions, RunReport, Trap, TrapKind};

use crate::program::Code;
use crate::watch::{Watch, watched};

/// Steps, seed and cores of a launch, and whose numbers the oracle computes with.
pub type How<'a> = (&'a RunOptions, &'a Profile);

impl Code {
    /// Runs the workgroups of a dispatch. A container with several entry points wants the name of one.
    ///
    /// # Errors
    /// The first rule that the program broke.
    pub fn dispatch(
        &self,
        entry: Option<&str>,
        bindings: &mut Dispatch,
        (run, profile): How<'_>,
    ) -> Result<RunReport, Trap> {
        match self {
            Code::Oracle(p) => p.run(bindings, run, profile).map(|o| o.report),
            Code::Machine { container, .. } => gpucc_machines::run(container, entry, bindings, run),
        }
    }

    /// Line and column in the source of the instruction at an address that a trap names.
    pub fn line(&self, pc: u64) -> Option<(u32, u32)> {
        match self {
            Code::Oracle(p) => p.line_column(pc),
            Code::Machine { container, .. } => {
                let lines = &container.entries.first()?.lines;
                lines.iter().rev().find(|l| u64::from(l.pc) <= pc).map(|l| (l.line, l.column))
            }
        }
    }
}

/// The programs of a vertex and perhaps a fragment entry.
pub type Codes<'a> = (&'a Code, Option<&'a Code>);

/// The oracle's part of a draw in two places.
#[derive(Clone, Copy, Debug)]
pub struct Halves<'a> {
    /// The stage that runs on the machine.
    pub on: Stage,
    /// Both programs as the oracle runs them.
    pub oracles: Codes<'a>,
}

/// A draw, with its state and its vertices.
#[derive(Clone, Copy, Debug)]
pub struct DrawCall<'a> {
    /// The programs, of one place unless it is mixed.
    pub programs: Codes<'a>,
    /// Where the program of one stage runs on the oracle.
    pub halves: Option<Halves<'a>>,
    /// The state of the pipeline.
    pub pipeline: &'a Pipeline,
    /// Vertices, viewports and what merges fragments.
    pub draw: &'a draw::Draw<'a>,
    /// The vertex buffers of the pipeline.
    pub vertex_buffers: &'a [Option<VertexData<'a>>],
}

impl DrawCall<'_> {
    /// Draws on attachments. Buffers and textures that are bound are changed in place, also when the draw ends in a trap.
    ///
    /// # Errors
    /// The first rule that a program broke; programs of different places.
    pub fn run(
        &self,
        bindings: &mut Dispatch,
        targets: &mut Targets,
        (run, profile): How<'_>,
        mut watch: Watch<'_>,
    ) -> Result<RunReport, Trap> {
        let DrawCall { programs, halves, draw, vertex_buffers, .. } = *self;
        if let Some(halves) = halves {
            return self.mixed(halves, (bindings, targets), (run, profile), watch);
        }
        match programs {
            (Code::Machine { container: v, .. }, f) => {
                let f = f.map(|f| f.machine().ok_or_else(apart)).transpose()?;
                let job = self.job((v, f));
                if matches!(watch, Watch::All) {
                    return gpucc_machines::draw(&job, bindings, targets, run);
                }
                let merged = gpucc_machines::merged(&v.family, draw);
                gpucc_machines::stages(&job, bindings, run, &mut |stages| watched(&mut watch, &merged, stages, targets))
            }
            (Code::Oracle(v), f) => {
                let fragment = f.map(|f| f.oracle().ok_or_else(apart)).transpose()?;
                let pair = Pair { vertex: v, fragment };
                if matches!(watch, Watch::All) {
                    return gpucc_interp::draw(pair, draw, vertex_buffers, bindings, targets, run, profile);
                }
                let opaque = gpucc_interp::opaque(draw, fragment);
                gpucc_interp::stages(pair, draw, vertex_buffers, bindings, (run, profile), &mut |stages| {
                    watched(&mut watch, &opaque, stages, targets)
                })
            }
        }
    }

    fn job<'j>(
        &'j self,
        programs: (&'j gpucc_container::Container, Option<&'j gpucc_container::Container>),
    ) -> DrawJob<'j> {
        DrawJob { programs, pipeline: self.pipeline, draw: self.draw, vertex_buffers: self.vertex_buffers }
    }

    /// Runs the program of one stage on a machine and the other one on the oracle. Each half has a copy of what is bound.
    fn mixed(
        &self,
        halves: Halves<'_>,
        (bindings, targets): (&mut Dispatch, &mut Targets),
        (run, profile): How<'_>,
        mut watch: Watch<'_>,
    ) -> Result<RunReport, Trap> {
        let (vertex, fragment) = halves.oracles;
        let pair = Pair { vertex: vertex.oracle().ok_or_else(apart)?, fragment: fragment.and_then(Code::oracle) };
        if pair.vertex.writes_memory() || pair.fragment.is_some_and(OracleProgram::writes_memory) {
            return Err(Trap::new(TrapKind::Unsupported, "a draw in two places whose programs write memory"));
        }
        let is_fragment = halves.on == Stage::Fragment;
        let machine = self.programs.1.and_then(Code::machine).filter(|_| is_fragment);
        let job = self.job((self.programs.0.machine().ok_or_else(apart)?, machine));
        let draw = match is_fragment {
            true => gpucc_machines::merged(&job.programs.0.family, self.draw),
            false => gpucc_interp::opaque(self.draw, pair.fragment),
        };
        let mut other = bindings.clone();
        gpucc_machines::stages(&job, bindings, run, &mut |machine| {
            let both = &mut |oracle: &mut dyn LinkedStages| {
                let mut mixed = if is_fragment { Mixed::new(oracle, machine) } else { Mixed::new(machine, oracle) };
                watched(&mut watch, &draw, &mut mixed, targets)
            };
            gpucc_interp::stages(pair, self.draw, self.vertex_buffers, &mut other, (run, profile), both).map(|_| ())
        })
    }
}

/// Programs that were made for different places.
fn apart() -> Trap {
    Trap::new(TrapKind::Unsupported, "one program of a draw runs on a machine, the other does not")
}
