//! Targets of hardware, and the outputs that go there.

use gpucc_ir::{IoAt, IoSlot};
use gpucc_pipeline::{Format, Pipeline};

/// Where a colour goes: its place among the outputs, its first component, how many, and whether red and blue change places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour {
    pub output: usize,
    pub first: u8,
    pub count: u8,
    pub turned: bool,
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
                let count = lanes.saturating_sub(first).min(2);
                list.push(output.filter(|_| count > 0).map(|output| Colour { output, first, count, turned: false }));
            }
        } else {
            let turned = matches!(t.format, Format::Rgba8Unorm | Format::Rgba8UnormSrgb);
            list.push(output.map(|output| Colour { output, first: 0, count: lanes, turned }));
        }
    }
    list
}

/// The temporary of hardware's n-th target.
pub const fn colour_register(n: usize) -> u16 {
    n as u16 + 1
}
