//! Targets of hardware, and the outputs that go there.

use gpucc_ir::{IoAt, IoSlot};
use gpucc_pipeline::{Format, Pipeline};

/// Where a colour goes: its place among the outputs, its first component, how many the hardware takes, how many of them the output
/// has, and whether blue is first in memory. Components that the output lacks are 0, or 1 for alpha.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour {
    pub output: usize,
    pub first: u8,
    pub count: u8,
    pub given: u8,
    pub is_bgra: bool,
}

impl Colour {
    /// The component of the output for a lane of the temporary; beyond those of the output it is a constant.
    pub fn component(&self, lane: u8) -> u8 {
        let lane = if self.is_bgra && lane < 3 { 2 - lane } else { lane };
        self.first + lane
    }

    /// Whether the output has every component that is taken.
    pub fn is_whole(&self) -> bool {
        self.given >= self.count
    }
}

/// Colours by the numbers of hardware's targets; `None` is one that no output goes to.
pub fn colours(outputs: &[IoSlot], p: Option<&Pipeline>) -> Vec<Option<Colour>> {
    let mut list = Vec::new();
    let Some(p) = p else { return list };
    for (n, t) in p.targets.iter().flatten().enumerate() {
        let output = outputs
            .iter()
            .position(|o| matches!(o.at, IoAt::Location { number, blend_src: 0 } if usize::from(number) == n));
        let lanes = output.map_or(0, |k| outputs[k].ty.lanes() as u8);
        if t.format.bytes() == 16 {
            for first in [0, 2] {
                let given = lanes.saturating_sub(first).min(2);
                list.push(output.map(|output| Colour { output, first, count: 2, given, is_bgra: false }));
            }
        } else {
            let is_bgra = matches!(t.format, Format::Rgba8Unorm | Format::Rgba8UnormSrgb);
            let alpha = t.reads_source_alpha() || n == 0 && p.alpha_to_coverage;
            let count = if alpha { 4 } else { lanes.max(t.format.components() as u8) };
            list.push(output.map(|output| Colour { output, first: 0, count, given: lanes, is_bgra }));
        }
    }
    list
}

/// The temporary of hardware's n-th target.
pub const fn colour_register(n: usize) -> u16 {
    n as u16 + 1
}
