//! What the fragments of one pixel execute, step by step.
//!
//! A draw is run again and again on copies, each time with the steps for one more instruction of the pixel's quad: where it stops is the
//! next one. All other quads are left out.

use gpucc_scene::model::{Draw, Render};
use gpucc_sim::draw::Targets;
use gpucc_sim::{Dispatch, RunOptions, StepBudget, TrapKind};

use super::Frame;
use super::draw::Watch;

/// A pixel of attachments of a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pixel {
    /// Column and row, from the upper left.
    pub at: [u32; 2],
    /// Width and height of the attachments; others are not looked at.
    pub size: [u32; 2],
}

/// Instructions that a quad executed one behind the other without a stop between: one on a machine, on the oracle a block, of which the
/// last one is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Byte address of the instruction, or its number on the oracle.
    pub pc: u64,
    /// The instruction as its family or the IR prints it.
    pub text: String,
    /// Its source file, line and column, where they are known.
    pub place: Option<(String, u32, u32)>,
    /// How many they are.
    pub count: u64,
}

/// The steps of a draw at a pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stepped {
    /// The draw: `passes[0].draws[1]`.
    pub field: String,
    /// What was executed, in order; of several primitives one behind the other.
    pub steps: Vec<Step>,
    /// Whether there is more than [`MOST`] steps show.
    pub has_more: bool,
}

/// Runs of a draw for one pixel.
pub const MOST: usize = 4096;

impl Frame<'_> {
    /// The steps of a draw at the pixel that is asked for; nothing where its attachments have another size, or nothing covers it.
    pub(super) fn stepped(
        &self,
        field: &str,
        entries: (usize, Option<usize>),
        given: (&Render, &Draw),
        (bindings, targets, size): (&Dispatch, &Targets, [u32; 2]),
    ) -> Option<Stepped> {
        let Pixel { at, .. } = self.options.pixel.filter(|p| p.size == size)?;
        let fragment = entries.1?;
        let run = |steps: u64, pixel: Option<[u32; 2]>| {
            let (mut bindings, mut targets) = (bindings.clone(), targets.clone());
            let options = RunOptions { step_limit: steps, cores: 1, perturb: None, ..self.options.run.clone() };
            self.run_draw(entries, given, &mut bindings, &mut targets, (&options, Watch::Only(pixel)))
        };
        // What the vertices take.
        let before = run(self.left, None).ok()?.steps;
        let mut out = Stepped { field: field.into(), steps: Vec::new(), has_more: false };
        let mut left = before;
        for _ in 0..MOST {
            match run(left, Some(at)) {
                Ok(_) => return (!out.steps.is_empty()).then_some(out),
                Err(t) if t.kind == TrapKind::StepLimit => {
                    let pc = t.pc?;
                    match out.steps.last_mut() {
                        // The steps do not pay for the block yet.
                        Some(s) if self.is_block(fragment) && s.pc == pc => s.count += 1,
                        _ => out.steps.push(Step {
                            pc,
                            text: t.instruction.unwrap_or_default(),
                            place: self.line(fragment, pc),
                            count: 1,
                        }),
                    }
                }
                // It is told where the draw itself runs.
                Err(_) => return Some(out),
            }
            left += StepBudget::LEAST;
        }
        out.has_more = true;
        Some(out)
    }

    /// Whether instructions of an entry point are paid for block by block: those of the oracle.
    fn is_block(&self, entry: usize) -> bool {
        self.programs.list.get(entry).and_then(Option::as_ref).is_some_and(|c| c.oracle().is_some())
    }
}
