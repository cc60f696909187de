//! Rows of the container's interface, from the interface of the source and the places that a family gives to what lowering made of it.

use gpucc_container::{InterfaceRow, Packing, flags};
use gpucc_ir::analysis::StageUse;
use gpucc_ir::{Form, Interface, IoAt, IoSlot, Mode, Stage, StageInfo, Where};
use gpucc_opt::{PipelineContext, free_locations};

/// Where the hardware has the first component of an input or output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HwPlace {
    /// A file of the family.
    pub file: u8,
    /// Place in the file.
    pub index: u16,
    /// Component inside the place.
    pub lane: u8,
}

/// The inputs, or the outputs, of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// An input.
    Input,
    /// An output.
    Output,
}

/// Flags of the container for a program of a stage.
pub fn flags_of(used: &StageUse, stage: &StageInfo) -> u32 {
    let StageInfo::Fragment { io, early_depth } = stage else { return 0 };
    let depth = io.outputs.iter().any(|o| o.at == IoAt::FragDepth);
    [
        (used.demotes, flags::DISCARD),
        (*early_depth, flags::EARLY_DEPTH),
        (used.needs_quads, flags::DERIVATIVES),
        (used.per_sample, flags::SAMPLE_SHADING),
        (depth, flags::WRITES_DEPTH),
        (used.reads_targets, flags::READS_TARGETS),
    ]
    .into_iter()
    .fold(0, |all, (on, flag)| all | if on { flag } else { 0 })
}

/// The rows of an entry: of `lowered`, each input that is read and each output, described as `source` has it. `place` says where
/// the hardware has the slot of a number among the inputs or outputs; those that it does not have get no row.
pub fn rows(
    source: &StageInfo,
    lowered: &StageInfo,
    used: &StageUse,
    context: Option<&PipelineContext>,
    mut place: impl FnMut(Direction, usize, &IoSlot) -> Option<HwPlace>,
) -> Vec<InterfaceRow> {
    let (Some(from), Some(io)) = (source.interface(), lowered.interface()) else { return Vec::new() };
    // Where clip distances travel.
    let clips = context.map_or_else(Vec::new, |a| free_locations(source, a));
    let mut list = Vec::new();
    for (direction, slots, declared) in
        [(Direction::Input, &io.inputs, &from.inputs), (Direction::Output, &io.outputs, &from.outputs)]
    {
        let travels = (lowered.kind() == Stage::Fragment) == (direction == Direction::Input);
        for (n, slot) in slots.iter().enumerate() {
            if direction == Direction::Input && !used.inputs.get(n).is_some_and(|u| *u) {
                continue;
            }
            let Some(p) = place(direction, n, slot) else { continue };
            let at = if travels { slot.at } else { location_of(slot.at, io, context) };
            let of_source = declared.iter().find(|d| d.at == at);
            let clip = match at {
                // The number of a viewport travels as a location of its own.
                IoAt::Location { number, .. } if travels && of_source.is_none() && slot.ty.is_float() => {
                    clips.iter().position(|&c| c == number)
                }
                _ => None,
            };
            let row = row(direction, travels, of_source.unwrap_or(slot), slot.form, p);
            match clip {
                None => list.push(row),
                // A vector of four distances.
                Some(k) => list.extend((0..slot.ty.lanes() as u8).map(|lane| InterfaceRow {
                    at: IoAt::ClipDistance(4 * k as u8 + lane),
                    components: 1,
                    lane: p.lane + lane,
                    ..row
                })),
            }
        }
    }
    list
}

/// The place in the source: colours may be numbered over bound targets, without holes.
fn location_of(at: IoAt, io: &Interface, context: Option<&PipelineContext>) -> IoAt {
    let IoAt::Location { number, blend_src } = at else { return at };
    let Some(p) = context.map(|a| &a.pipeline).filter(|_| io.compact_targets) else { return at };
    let present = (0..p.targets.len()).filter(|&k| p.targets[k].is_some()).nth(usize::from(number));
    IoAt::Location { number: present.map_or(number, |k| k as u8), blend_src }
}

fn row(direction: Direction, travels: bool, slot: &IoSlot, form: Form, p: HwPlace) -> InterfaceRow {
    let interpolation = match slot.interp.mode {
        _ if !travels => Mode::default(),
        mode if slot.is_flat() && mode.vertex().is_none() => Mode::Flat,
        mode => mode,
    };
    let sampling = if travels { slot.interp.at } else { Where::default() };
    InterfaceRow {
        output: direction == Direction::Output,
        at: slot.at,
        components: (1 << slot.ty.lanes()) - 1,
        integer: !slot.ty.is_float(),
        interpolation,
        sampling,
        packing: match form {
            Form::Plain => Packing::None,
            Form::Half16 => Packing::Half16,
            Form::Unorm16 => Packing::Unorm16,
            Form::Snorm16 => Packing::Snorm16,
            Form::Uint16 => Packing::Uint16,
            Form::Sint16 => Packing::Sint16,
        },
        file: p.file,
        index: p.index,
        lane: p.lane,
    }
}
