//! What the fragments of one pixel execute, step by step, with their values.
//!
//! A draw is run once more on copies, with a trace and without the quads that do not cover the pixel.

use std::collections::BTreeMap;

use gpucc_device::{Code, Watch};
use gpucc_scene::model::{Draw, Render};
use gpucc_sim::draw::Targets;
use gpucc_sim::trace::{Executed, Written};
use gpucc_sim::{Dispatch, RunOptions, Trace};

use super::Frame;

/// A pixel of attachments of a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pixel {
    /// Column and row, from the upper left.
    pub at: [u32; 2],
    /// Width and height of the attachments; others are not looked at.
    pub size: [u32; 2],
}

/// An instruction that the quad of a pixel executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Byte address of the instruction, or its number on the oracle.
    pub pc: u64,
    /// The instruction as its family or the IR prints it.
    pub text: String,
    /// Its source file, line and column, where they are known.
    pub place: Option<(String, u32, u32)>,
    /// Whether the pixel took part: others of its quad may run code that it skips.
    pub active: bool,
    /// What the instruction gave in the pixel.
    pub written: Vec<Written>,
}

/// The steps of a draw at a pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stepped {
    /// The draw by its field in the scene: `passes[0].draws[1]`.
    pub field: String,
    /// What was executed, in order; of several primitives one behind the other.
    pub steps: Vec<Step>,
    /// Whether there is more than [`MOST`] steps show.
    pub has_more: bool,
}

/// Steps of a draw that are kept.
pub const MOST: usize = 16_384;

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
        let trace = Trace::new(MOST);
        let (mut bindings, mut targets) = (bindings.clone(), targets.clone());
        let run = RunOptions {
            step_limit: self.left,
            cores: 1,
            perturb: None,
            trace: Some(trace.clone()),
            ..self.options.run.clone()
        };
        // A trap is told where the draw itself runs.
        let _ = self.run_draw(entries, given, &mut bindings, &mut targets, (&run, Watch::Only(at, trace.clone())));
        let (list, has_more) = trace.take();
        let texts = self.texts(fragment);
        let step = |e: Executed| {
            let place = self.line(fragment, e.pc);
            let own = |pc: u64| u32::try_from(pc).ok().and_then(|pc| texts.get(&pc).cloned());
            let text = if e.text.is_empty() { own(e.pc).unwrap_or_default() } else { e.text };
            Step { pc: e.pc, text, place, active: e.active, written: e.written }
        };
        let steps: Vec<Step> = list.into_iter().map(step).collect();
        (!steps.is_empty()).then(|| Stepped { field: field.into(), steps, has_more })
    }

    /// The instructions of an entry point by address; of the oracle none.
    fn texts(&self, entry: usize) -> BTreeMap<u32, String> {
        match self.programs.list.get(entry).and_then(Option::as_ref) {
            Some(Code::Machine { container, .. }) => gpucc::texts(container),
            _ => BTreeMap::new(),
        }
    }
}
