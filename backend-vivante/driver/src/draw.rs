//! A draw: vertex elements and streams, and the words that only both programs together say (`isa/graphics-vivante.md` 1, 2.1).

use gpucc_container::{Interpolation, IoPlace};
use gpucc_pipeline::{Base, Code, StepMode, Topology, VertexFormat};
use gpucc_sim::{Registers, Trap, TrapKind};

use super::words::Chip;
use gpucc_drivers::DrawJob;
use gpucc_drivers::link::PlacedAttribute;

/// Space of all registers: they are named by address.
const SPACE: u16 = 0;

gpucc_sim::words! {
    /// A vertex element.
    struct ElementWords[1] = "vertex element" {
        TYPE kind: 0[0..4];
        SIGNED signed: 0[6..7];
        LAST last: 0[7..8];
        STREAM stream: 0[8..12];
        COMPONENTS components: 0[12..14];
        NORMALISE normalise: 0[14..16];
        OFFSET offset: 0[16..24];
        END end: 0[24..32];
    }
}

/// Type, whether it is normalised, whether it is an integer with a sign.
fn kind(format: VertexFormat) -> (u32, bool, bool) {
    let (code, bits, _) = format.row();
    match (code, bits) {
        (_, 32) => (8, false, false),
        (Code::Float, _) => (9, false, false),
        (Code::Unorm | Code::Srgb, 8) => (1, true, false),
        (Code::Snorm, 8) => (0, true, false),
        (Code::Unorm | Code::Srgb, 16) => (3, true, false),
        (Code::Snorm, 16) => (2, true, false),
        (Code::Unorm | Code::Srgb, _) => (7, true, false),
        (Code::Snorm, _) => (6, true, false),
        (code, 8) => (14, false, code == Code::Sint),
        (code, _) => (15, false, code == Code::Sint),
    }
}

/// A stream of elements: where it begins, its stride, and instances that share an element.
type Stream = (u32, u32, u32);

/// Registers of the one element of a program that reads no attributes: unorm8x4 at an address, the same for all vertices.
pub(super) fn no_elements(chip: Chip, address: u32) -> Vec<(u32, u32)> {
    type E = ElementWords;
    let e = E::default().with(E::TYPE, 1).with(E::NORMALISE, 1);
    let one = 1f32.to_bits();
    match chip {
        Chip::Halti5 => {
            vec![
                (0x17800, e.0[0]),
                (0x17a80, 4 | 1 << 11),
                (0x17a00, one),
                (0x14600, address),
                (0x14640, 0),
                (0x14680, 0),
            ]
        }
        Chip::Halti0 => {
            let e = e.with(E::LAST, 1).with(E::END, 4);
            vec![(0x0600, e.0[0]), (0x0780, one), (0x0680, address), (0x06a0, 0), (0x06c0, 0)]
        }
        _ => {
            let e = e.with(E::LAST, 1).with(E::END, 4);
            vec![(0x0600, e.0[0]), (0x0780, one), (0x14600, address), (0x14640, 0), (0x14680, 0)]
        }
    }
}

/// Registers of elements and streams, by address.
pub(super) fn elements(chip: Chip, list: &[PlacedAttribute<'_>]) -> Result<Vec<(u32, u32)>, Trap> {
    let mut out = Vec::new();
    let mut streams: Vec<Stream> = Vec::new();
    for a in list {
        let format = a.attribute.format;
        let (offset, bytes) = (a.attribute.offset as u32, format.bytes());
        // An offset has eight bits, and so has the end behind it.
        let base = if offset + bytes > 255 { offset } else { 0 };
        let stride = a.layout.stride as u32;
        let divisor = u32::from(a.layout.step == StepMode::Instance);
        let stream = (a.address as u32 + base, stride, divisor);
        let at = streams.iter().position(|s| *s == stream).unwrap_or_else(|| {
            streams.push(stream);
            streams.len() - 1
        });
        let (kind, normalise, signed) = kind(format);
        let (offset, k) = (offset - base, u32::from(a.row.index));
        let end = offset + bytes;
        type E = ElementWords;
        let e = E::default()
            .with(E::TYPE, kind)
            .with(E::SIGNED, signed.into())
            .with(E::STREAM, at as u32)
            .with(E::COMPONENTS, format.components() & 3)
            .with(E::NORMALISE, normalise.into())
            .with(E::OFFSET, offset);
        let one = if format.base() == Base::Float { 1f32.to_bits() } else { 1 };
        if chip == Chip::Halti5 {
            out.push((0x17800 + 4 * k, e.0[0]));
            out.push((0x17a80 + 4 * k, end | 1 << 11));
            out.push((0x17a00 + 4 * k, one));
        } else {
            out.push((0x0600 + 4 * k, e.with(E::LAST, 1).with(E::END, end).0[0]));
            out.push((0x0780 + 4 * k, one));
        }
    }
    let most = if chip == Chip::Halti0 { 8 } else { 16 };
    if streams.len() > most {
        return Err(Trap::new(TrapKind::Unsupported, format!("{} streams, the chip has {most}", streams.len())));
    }
    for (k, &(address, stride, divisor)) in streams.iter().enumerate() {
        let k = 4 * k as u32;
        if chip == Chip::Halti0 {
            // No stream advances with instances: each is drawn by itself, with the bases moved.
            let (own, each) = if divisor == 0 { (stride, 0) } else { (0, stride) };
            out.extend([(0x0680 + k, address), (0x06a0 + k, own), (0x06c0 + k, each)]);
        } else {
            out.extend([(0x14600 + k, address), (0x14640 + k, stride), (0x14680 + k, divisor)]);
        }
    }
    Ok(out)
}

/// The words between the stages that follow from the number of outputs and the components of the varyings alone (reference 1.2, 1.3).
pub fn link_words(chip: Chip, outputs: u32, components: &[u32]) -> Vec<(u32, u32)> {
    let halti5 = chip == Chip::Halti5;
    let mut counts = [0, 0];
    for (k, c) in components.iter().enumerate() {
        counts[k / 8 % 2] |= c << (4 * (k % 8));
    }
    let total = components.iter().sum::<u32>().next_multiple_of(2);
    let narrow = components.last().is_some_and(|&c| c <= 2);
    let mut list = vec![
        (0x0804, outputs),
        (0x0a30, (components.len() as u32) << 8),
        (0x381c, total),
        (0x0e00, 1 | u32::from(narrow) << 1),
    ];
    // From HALTI5 on both stages have the counts. There is neither a size nor a place of points yet.
    let places: &[u32] = if halti5 { &[0x0a90, 0x0a94, 0x1080, 0x1084] } else { &[0x3820, 0x3834] };
    list.extend(places.iter().copied().zip(counts.iter().copied().cycle()));
    if halti5 {
        list.extend([(0x0870, outputs | (outputs * 16) << 8), (0x0aa8, outputs), (0x3888, 0x7f7f_7f00)]);
    }
    list
}

/// The state that the programs want, with the rest that only the pair of them says.
pub(super) fn registers(chip: Chip, job: &DrawJob<'_>, attributes: &[(u32, u32)]) -> Result<Registers, Trap> {
    let entries = job.entries()?;
    let (vertex, fragment) = (entries[0], entries.get(1).copied());
    let mut all = Registers::new();
    job.write_state(&mut all)?;
    for &(register, value) in attributes {
        all.set(SPACE, register, value, u32::MAX);
    }
    let halti5 = chip == Chip::Halti5;
    // The position, and the varyings in the order of the fragment program's inputs.
    let position = vertex.interface.iter().find(|r| r.output && r.at == IoPlace::Position).map_or(0, |r| r.index);
    let mut outputs = vec![position];
    let mut varyings = Vec::new();
    match fragment {
        Some(f) => {
            let mut linked: Vec<_> = job.linked()?.into_iter().map(|(from, to)| (from.index, to)).collect();
            // No output is the place in a point; the map names the first temporary.
            linked.extend(f.interface.iter().filter(|r| !r.output && r.at == IoPlace::PointCoord).map(|to| (0, to)));
            linked.sort_by_key(|l| l.1.index);
            for (from, to) in linked {
                // Clip distances that travel as a vector have a row each.
                if varyings.last().is_some_and(|l: &&gpucc_container::InterfaceRow| l.index == to.index) {
                    varyings.pop();
                    outputs.pop();
                }
                outputs.push(from);
                varyings.push(to);
            }
        }
        None => outputs.extend(
            vertex.interface.iter().filter(|r| r.output && matches!(r.at, IoPlace::Location { .. })).map(|r| r.index),
        ),
    }
    // The size of a point is the last of them.
    let size = vertex.interface.iter().find(|r| r.output && r.at == IoPlace::PointSize).map(|r| r.index);
    let before_size = outputs.len() as u32;
    outputs.extend(size);
    let map = if halti5 { 0x08e0 } else { 0x0810 };
    for (k, t) in (0..).zip(&outputs) {
        all.set(SPACE, map + k / 4 * 4, u32::from(*t) << (8 * (k % 4)), 0xff << (8 * (k % 4)));
    }
    let width = |row: &gpucc_container::InterfaceRow| u32::from(row.lane) + row.components.count_ones();
    let widths: Vec<u32> = varyings.iter().map(|&row| width(row)).collect();
    for (register, value) in link_words(chip, outputs.len() as u32, &widths) {
        all.set(SPACE, register, value, u32::MAX);
    }
    let mut component = 0;
    let mut coordinate = None;
    let mut flats = false;
    for (k, row) in (0..).zip(&varyings) {
        let n = width(row);
        let flat = row.interpolation == Interpolation::Flat;
        if halti5 {
            let code = match row.interpolation {
                Interpolation::Flat => 2,
                Interpolation::Linear => 1,
                _ => 0,
            };
            for c in component..component + n {
                all.set(SPACE, 0x38c0 + c / 8 * 4, code << (4 * (c % 8)), 15 << (4 * (c % 8)));
            }
        } else {
            all.set(SPACE, 0x0a40 + 4 * k, if flat { 0x2f0 } else { 0x2f1 }, u32::MAX);
        }
        if row.at == IoPlace::PointCoord {
            coordinate = Some(component);
            let place = |c: u32| (0x3828 + c / 16 * 4, 2 * (c % 16));
            for (k, (register, at)) in (2..4).zip((component..).map(place)).filter(|_| !halti5) {
                all.set(SPACE, register, k << at, 3 << at);
            }
        }
        flats |= flat;
        component += n;
    }
    if halti5 {
        let specials = coordinate.unwrap_or(0x7f) << 8 | size.map_or(0, |_| 4 * before_size);
        all.set(SPACE, 0x3888, 0x7f7f_0000 | specials, u32::MAX);
    }
    if job.pipeline.topology == Topology::PointList {
        // Half a pixel, where vertices say nothing; sprites are on.
        all.set(SPACE, 0x0a1c, 0.5f32.to_bits(), u32::MAX);
        all.set(SPACE, 0x0a34, 1 << 4, 1 << 4);
    }
    all.set(SPACE, 0x0a34, u32::from(size.is_some()) << 2, 1 << 2);
    if !halti5 {
        // The shade model: flat where a varying is, which all others bypass.
        all.set(SPACE, 0x0a34, u32::from(!flats) << 16, 3 << 16);
    }
    Ok(all)
}
