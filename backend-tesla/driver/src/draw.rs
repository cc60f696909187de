//! A draw: state of both programs, vertex arrays, and the map from results of vertices to inputs of fragments
//! (`isa/graphics-tesla.md` 1.2, 1.3).

use gpucc_container::{InterfaceRow, Interpolation, IoPlace};
use gpucc_pipeline::{Code, StepMode, Topology, VertexFormat};
use gpucc_sim::{Registers, Trap, TrapKind};

use gpucc_drivers::DrawJob;
use gpucc_drivers::link::PlacedAttribute;

/// Space of the methods of the 3D class, by number.
const METHODS: u16 = 0;
/// Space of vertex arrays, of which the reference has no numbers: eight registers each.
const ARRAYS: u16 = 1;

const POINT_COORD_REPLACE_MAP: u32 = 0x13c0;
const CLIP_DISTANCE_ENABLE: u32 = 0x1510;
const POINT_SIZE: u32 = 0x1518;
const POINT_SPRITE_ENABLE: u32 = 0x1520;
const NOPERSPECTIVE_BITMAP: u32 = 0x1540;
const POINT_SPRITE_CTRL: u32 = 0x1660;
const VP_RESULT_MAP_SIZE: u32 = 0x16ac;
const VP_RESULT_MAP: u32 = 0x16bc;
const VP_REG_ALLOC_RESULT: u32 = 0x16b8;
const CLIP_DISTANCE_MODE: u32 = 0x1940;
const SEMANTIC_CLIP: u32 = 0x1908;
const SEMANTIC_PTSZ: u32 = 0x1910;
const SEMANTIC_PRIM_ID: u32 = 0x1914;
const VP_GP_BUILTIN_ATTR_EN: u32 = 0x164c;
const FP_INTERPOLANT_CTRL: u32 = 0x1988;
const VERTEX_ARRAY_ATTRIB: u32 = 0x1ac0;

/// The origin of the places in a point is its upper left corner.
const UPPER_LEFT: u32 = 1 << 4;

/// Primitives are numbered.
const PRIMITIVES: u32 = 1 << 8;

/// Slots of results.
const SLOTS: usize = 64;

/// Component layout and type of an attribute.
fn numbers(format: VertexFormat) -> (u32, u32) {
    let (code, bits, count) = format.row();
    let layout = match (bits, count) {
        (32, 4) => 0x01,
        (32, 3) => 0x02,
        (16, 4) => 0x03,
        (32, 2) => 0x04,
        (16, 3) => 0x05,
        (8, 4) => 0x0a,
        (16, 2) => 0x0f,
        (32, _) => 0x12,
        (8, 3) => 0x13,
        (8, 2) => 0x18,
        (16, _) => 0x1b,
        (10, _) => 0x30,
        _ => 0x1d,
    };
    let kind = match code {
        Code::Snorm => 0x09,
        Code::Unorm | Code::Srgb => 0x12,
        Code::Sint => 0x1b,
        Code::Uint => 0x24,
        Code::Float => 0x3f,
    };
    (layout, kind)
}

fn array(all: &mut Registers, a: &PlacedAttribute<'_>, first_instance: u32) {
    let n = u32::from(a.row.index);
    let (layout, kind) = numbers(a.attribute.format);
    let bgra = u32::from(a.attribute.format == VertexFormat::Unorm8x4Bgra);
    all.set(METHODS, VERTEX_ARRAY_ATTRIB + 4 * n, n | layout << 19 | kind << 25 | bgra << 31, u32::MAX);
    let instance = a.layout.step == StepMode::Instance;
    // Instances count from 0.
    let moved = if instance { u64::from(first_instance) * a.layout.stride } else { 0 };
    let (start, limit) = (a.address + a.attribute.offset + moved, (a.address + u64::from(a.bytes)).wrapping_sub(1));
    let words = [
        0x2000_0000 | a.layout.stride as u32,
        (start >> 32) as u32,
        start as u32,
        (limit >> 32) as u32,
        limit as u32,
        instance.into(),
        1,
    ];
    for (k, w) in (0..).zip(words) {
        all.set(ARRAYS, 8 * n + k, w, u32::MAX);
    }
}

/// Words that a row has in hardware, of rows one behind the other: rows say what the source has.
fn words(row: &InterfaceRow, among: &[&InterfaceRow], end: u32) -> u32 {
    let next = among.iter().map(|r| u32::from(r.index)).filter(|&i| i > row.index.into()).min();
    next.unwrap_or(end).saturating_sub(row.index.into()).min(4)
}

/// The state that the programs want, with the rest that only the pair of them says.
pub(super) fn registers(job: &DrawJob<'_>, list: &[PlacedAttribute<'_>]) -> Result<Registers, Trap> {
    let entries = job.entries()?;
    let (vertex, fragment) = (entries[0], entries.get(1).copied());
    let mut all = Registers::new();
    job.write_state(&mut all)?;
    for a in list {
        array(&mut all, a, job.draw.vertices.first_instance);
    }
    let outputs: Vec<&InterfaceRow> = vertex.interface.iter().filter(|r| r.output).collect();
    let last = all.get(METHODS, VP_REG_ALLOC_RESULT);
    let given = |at: IoPlace| vertex.interface.iter().find(|r| r.output && r.at == at);
    let mut map: Vec<u8> = vec![0, 1, 2, 3];
    let mut planes = 0;
    let mut modes = 0;
    let mut count = 0;
    let clip = |at: IoPlace| if let IoPlace::ClipDistance(n) = at { Some(n) } else { None };
    let cull = |at: IoPlace| if let IoPlace::CullDistance(n) = at { Some(n) } else { None };
    // Distances that cull are behind those that clip.
    for (culls, number) in [(0, &clip as &dyn Fn(IoPlace) -> Option<u8>), (1, &cull)] {
        let of = |n: u8| outputs.iter().find(|r| number(r.at) == Some(n));
        let end = outputs.iter().filter_map(|r| number(r.at)).max().map_or(0, |n| n + 1);
        for n in 0..end {
            // One that is not given is inside.
            map.push(of(n).map_or(0x40, |r| r.index as u8));
            planes |= 1 << count;
            modes |= culls << (4 * count);
            count += 1;
        }
    }
    if count > 8 {
        return Err(Trap::new(TrapKind::Unsupported, format!("{count} distances, there are 8 planes")));
    }
    let first = map.len() as u32;
    let mut linear = [0u32; 4];
    let mut inputs: Vec<&InterfaceRow> = fragment.iter().flat_map(|f| &f.interface).filter(|r| !r.output).collect();
    inputs.sort_by_key(|r| r.index);
    let control = all.get(METHODS, FP_INTERPOLANT_CTRL);
    // The number of the primitive stands behind the inputs.
    let numbered =
        fragment.is_some_and(|f| f.state.iter().any(|w| (w.space, w.register) == (METHODS, SEMANTIC_PRIM_ID)));
    let end = (control >> 24).count_ones() + (control & 0xff) - u32::from(numbered);
    for row in &inputs {
        let from = given(row.at);
        if row.at == IoPlace::PointCoord {
            // S is 1, T is 2.
            for (slot, code) in (map.len() as u32..).zip([1, 2]) {
                let at = 4 * (slot % 8);
                all.set(METHODS, POINT_COORD_REPLACE_MAP + 4 * (slot / 8), code << at, 15 << at);
            }
            all.set(METHODS, POINT_SPRITE_CTRL, UPPER_LEFT, u32::MAX);
        }
        let known = from.map_or(0, |f| words(f, &outputs, last));
        for c in 0..words(row, &inputs, end) {
            if row.interpolation == Interpolation::Linear {
                linear[map.len() / 32 % 4] |= 1 << (map.len() % 32);
            }
            let there = from.filter(|_| c < known);
            map.push(match there {
                Some(f) => (u32::from(f.index) + c) as u8,
                None if c == 3 => 0x41,
                None => 0x40,
            });
        }
    }
    if numbered {
        all.set(METHODS, SEMANTIC_PRIM_ID, map.len() as u32, u32::MAX);
        all.set(METHODS, VP_GP_BUILTIN_ATTR_EN, PRIMITIVES, PRIMITIVES);
        map.push(0x40);
    }
    // The size of a point is behind all that fragments read.
    let size = given(IoPlace::PointSize).map_or(0, |r| {
        map.push(r.index as u8);
        (map.len() as u32 - 1) << 4 | 1
    });
    if job.pipeline.topology == Topology::PointList {
        all.set(METHODS, POINT_SIZE, 1f32.to_bits(), u32::MAX);
        all.set(METHODS, POINT_SPRITE_ENABLE, 1, u32::MAX);
    }
    if map.len() > SLOTS {
        return Err(Trap::new(TrapKind::Unsupported, format!("{} slots of results, there are {SLOTS}", map.len())));
    }
    all.set(METHODS, VP_RESULT_MAP_SIZE, map.len() as u32, u32::MAX);
    for (k, part) in (0..).zip(map.chunks(4)) {
        let word = part.iter().rev().fold(0, |w, &b| w << 8 | u32::from(b));
        all.set(METHODS, VP_RESULT_MAP + 4 * k, word, u32::MAX);
    }
    for (k, word) in (0..).zip(linear) {
        all.set(METHODS, NOPERSPECTIVE_BITMAP + 4 * k, word, u32::MAX);
    }
    all.set(METHODS, SEMANTIC_CLIP, 4 | count << 8, u32::MAX);
    all.set(METHODS, CLIP_DISTANCE_MODE, modes, u32::MAX);
    all.set(METHODS, CLIP_DISTANCE_ENABLE, planes, u32::MAX);
    all.set(METHODS, SEMANTIC_PTSZ, size, u32::MAX);
    all.set(METHODS, FP_INTERPOLANT_CTRL, first << 8, 0xff00);
    Ok(all)
}
