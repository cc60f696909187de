//! Draws: a vertex and a fragment program as the stages of [`gpucc_sim::draw`] (`graphics-tesla.md` 1.2 and 1.3).
//!
//! State words say what a program gets and what its results mean. A warp has 32 vertices, or eight quads of which all lanes run:
//! those that cover nothing, and those that were discarded, are there for derivatives alone.

use gpucc_container::{Entry, IoPlace, ResourceKind, UNIFORM_FILE};
use gpucc_isa::fail_if;
use gpucc_num::convert::f16_to_f32;
use gpucc_pipeline::Target;
use gpucc_sim::draw::{
    DepthTest, Draw, DrawLaunch, DrawMachine, Mode, QuadIn, QuadOut, Targets, Varyings, VertexIn, VertexOut, Where,
};
use gpucc_sim::quads::Masks;
use gpucc_sim::texture::format::{from_snorm, from_unorm};
use gpucc_sim::{
    AddressSpace, AllocId, At, Core, Dispatch, DrawDevice, DrawState, Registers, Trap,
    trap::{bad_container, reserved, undefined, unsupported},
};

use super::decode::DecodedProgram;
use super::launch::{LIMITS, SAMPLERS, TEXTURES, check_scratch};
use super::memory::DeviceMemory;
use super::state;
use super::step::Machine as Executor;
use super::subgroup::{Io, Lanes, Warp};
use crate::abi::FamilyWords;

/// Lanes of a warp.
const LANES: usize = 32;
/// Quads of a warp.
const QUADS: usize = LANES / 4;

/// Space of the methods of the 3D class, by number.
const METHODS: u16 = 0;
/// Space of vertex arrays, of which the reference has no numbers: eight registers each.
const ARRAYS: u16 = 1;
/// The bit of VP_GP_BUILTIN_ATTR_EN for numbers of primitives.
const PRIMITIVES: u32 = 1 << 8;
/// Slots of results.
const SLOTS: u32 = 64;

pub(super) mod method {
    pub const FP_RESULT_COUNT: u32 = 0x1298;
    pub const POINT_COORD_REPLACE_MAP: u32 = 0x13c0;
    pub const CLIP_DISTANCE_ENABLE: u32 = 0x1510;
    pub const POINT_SIZE: u32 = 0x1518;
    pub const POINT_SPRITE_ENABLE: u32 = 0x1520;
    pub const NOPERSPECTIVE_BITMAP: u32 = 0x1540;
    pub const VP_GP_BUILTIN_ATTR_EN: u32 = 0x164c;
    pub const VP_ATTR_EN: u32 = 0x1650;
    pub const POINT_SPRITE_CTRL: u32 = 0x1660;
    pub const VP_RESULT_MAP_SIZE: u32 = 0x16ac;
    pub const VP_REG_ALLOC_RESULT: u32 = 0x16b8;
    pub const VP_RESULT_MAP: u32 = 0x16bc;
    pub const SEMANTIC_CLIP: u32 = 0x1908;
    pub const SEMANTIC_PTSZ: u32 = 0x1910;
    pub const CLIP_DISTANCE_MODE: u32 = 0x1940;
    pub const SEMANTIC_PRIM_ID: u32 = 0x1914;
    pub const FP_MULTISAMPLE: u32 = 0x1928;
    pub const FP_CTRL_UNK196C: u32 = 0x196c;
    pub const FP_INTERPOLANT_CTRL: u32 = 0x1988;
    pub const FP_CONTROL: u32 = 0x19a8;
    pub const VERTEX_ARRAY_ATTRIB: u32 = 0x1ac0;
}

/// Registers of a vertex array.
mod array {
    pub const FETCH: u32 = 0;
    pub const START_HIGH: u32 = 1;
    pub const START: u32 = 2;
    pub const LIMIT_HIGH: u32 = 3;
    pub const LIMIT: u32 = 4;
    pub const PER_INSTANCE: u32 = 5;
}

/// The vertex or the fragment program of a draw.
struct StageProgram<'a> {
    entry: &'a Entry,
    program: DecodedProgram,
    registers: usize,
    stack: usize,
    constant: [Option<AllocId>; 16],
    tables: [Option<u64>; 2],
}

/// An element of vertices.
#[derive(Clone, Copy, Debug)]
struct Element {
    /// Components that are on.
    on: u32,
    start: u64,
    limit: u64,
    stride: u64,
    per_instance: bool,
    offset: u64,
    format: u32,
    kind: u32,
    bgra: bool,
}

/// The primitives that fragments are made of.
#[derive(Clone, Copy, Debug, Default)]
struct Interpolants {
    /// Words behind the position, and how many are not flat.
    words: u32,
    smooth: u32,
    /// First slot.
    first: u32,
    /// Components of the position.
    position: u32,
}

/// The common state of both programs of a draw.
struct Machine<'a> {
    vertex: StageProgram<'a>,
    fragment: Option<StageProgram<'a>>,
    registers: &'a Registers,
    state: DrawState,
    elements: Vec<Element>,
    /// Words of o[].
    results: u32,
    /// The contents of each slot of results.
    map: Vec<u8>,
    interpolants: Interpolants,
    targets: Vec<Option<Target>>,
    generation: u8,
    rules: gpucc_sim::Rules,
}

/// A multiprocessor.
type Unit = Core<DeviceMemory>;

gpucc_sim::draw_entry!(LIMITS, LANES, Machine::new);

impl<'a> StageProgram<'a> {
    fn new(
        launch: &'a DrawLaunch<'a>,
        entry: &'a Entry,
        env: &mut DeviceMemory,
        tables: &[(u32, u64)],
    ) -> Result<StageProgram<'a>, Trap> {
        let common = &launch.common;
        let registers = usize::from(entry.meta.registers_of(0));
        fail_if!(!(1..=128).contains(&registers), bad_container(format!("{registers} registers, there are 1 to 128")));
        check_scratch(&entry.meta)?;
        let stack = match FamilyWords::of(&entry.meta).stack {
            n @ 1..=4096 => (n as usize).next_power_of_two().max(4),
            n => return Err(bad_container(format!("{n} stack entries, 1 to 4096"))),
        };
        let mut constant = [None; 16];
        for r in &entry.resources {
            match r.kind {
                ResourceKind::Uniform | ResourceKind::Immediates if (1..=13).contains(&r.slot) => {
                    constant[r.slot as usize] = Some(common.buffer(r.group, r.binding)?.id);
                }
                ResourceKind::Texture | ResourceKind::StorageTexture | ResourceKind::Sampler
                    if r.slot.saturating_add(r.count.max(1)) <= 16 => {}
                _ => return Err(bad_container(format!("group {} binding {}: slot {:#x}", r.group, r.binding, r.slot))),
            }
        }
        let mut words: Vec<(u16, u32)> = Vec::new();
        for p in &entry.preloads {
            if p.file != UNIFORM_FILE || p.index > 16_383 {
                return Err(bad_container(format!("preload of file {:#x} index {}", p.file, p.index)));
            }
            let none = |other| Err(bad_container(format!("no uniform word can hold {other:?}")));
            words.push((p.index, common.value(p.source, At::Draw(&launch.state), none)?));
        }
        if let Some(last) = words.iter().map(|w| w.0).max() {
            let id = env.memory.alloc_undefined("c0", (usize::from(last) + 1) * 4, None);
            for (i, v) in words {
                env.memory.store_u32(id, u64::from(i) * 4, v)?;
            }
            constant[0] = Some(id);
        }
        let find = |n: u32| tables.iter().find(|t| t.0 == n).map(|t| t.1);
        let program = DecodedProgram::new(&entry.code, common.generation, entry.stage.bit(), registers as u32);
        Ok(StageProgram { entry, program, registers, stack, constant, tables: [find(TEXTURES), find(SAMPLERS)] })
    }
}

impl<'a> Machine<'a> {
    fn new(
        launch: &'a DrawLaunch<'a>,
        registers: &'a Registers,
        draw: &Draw<'_>,
        dispatch: &Dispatch,
        device: &DrawDevice,
    ) -> Result<(Machine<'a>, DeviceMemory), Trap> {
        let options = launch.common.options;
        let mut space = AddressSpace::new64(options.perturb);
        let (memory, _) = launch.memory(dispatch, device, &mut space)?;
        let mut env = DeviceMemory::new(memory, gpucc_sim::RaceCheck::default());
        env.space = space;
        env.bind_fence();
        let vertex = StageProgram::new(launch, launch.vertex, &mut env, &device.tables[0])?;
        let fragment =
            launch.fragment.map(|f| StageProgram::new(launch, f, &mut env, &device.tables[1])).transpose()?;
        let get = |m: u32| registers.get(METHODS, m);
        let size = get(method::VP_RESULT_MAP_SIZE);
        let results = get(method::VP_REG_ALLOC_RESULT);
        if !(4..=SLOTS).contains(&size) || !(1..=128).contains(&results) {
            return Err(reserved(format!("{size} slots of results, {results} words of o[]")));
        }
        let byte = |k: u32| (get(method::VP_RESULT_MAP + 4 * (k / 4)) >> (8 * (k % 4))) as u8;
        let map: Vec<u8> = (0..size).map(byte).collect();
        if let Some(b) = map.iter().find(|&&b| u32::from(b) >= results.min(0x40) && !matches!(b, 0x40 | 0x41)) {
            return Err(reserved(format!("VP_RESULT_MAP names {b:#x}, there are {results} words")));
        }
        let word = get(method::FP_INTERPOLANT_CTRL);
        let interpolants = Interpolants {
            words: word & 0xff,
            first: word >> 8 & 0xff,
            smooth: word >> 16 & 0xff,
            position: word >> 24,
        };
        let i = interpolants;
        if fragment.is_some() && (i.position >> 3 != 1 || i.smooth > i.words || i.first + i.words > size || i.first < 4)
        {
            return Err(reserved(format!("FP_INTERPOLANT_CTRL {word:#x} with {size} slots")));
        }
        let conventions = options.rules == gpucc_sim::Rules::Conventions;
        state::vertex(&get, launch.vertex, conventions)?;
        if let Some(f) = &fragment {
            let bound = draw.merger.targets.iter().flatten().count();
            state::fragment(&get, f.entry, (launch.common.generation, bound), conventions)?;
        }
        let machine = Machine {
            vertex,
            fragment,
            registers,
            state: launch.state,
            elements: elements(registers)?,
            results,
            map,
            interpolants,
            targets: draw.merger.targets.clone(),
            generation: launch.common.generation,
            rules: options.rules,
        };
        Ok((machine, env))
    }

    fn get(&self, m: u32) -> u32 {
        self.registers.get(METHODS, m)
    }

    /// Runs a warp of a program to its end.
    fn run(&self, side: &StageProgram<'_>, unit: &mut Unit, exists: u32, io: Io) -> Result<Warp, Trap> {
        let mut rng = unit.begin();
        unit.world.constant = side.constant;
        unit.world.tables = side.tables;
        let scratch = side.entry.meta.scratch_bytes;
        let mut warp = Warp::new(0, exists, side.registers, scratch, side.stack, rng.clone());
        warp.io = io;
        Executor::new(&side.program, unit, &mut rng, self.rules).run_to_end(&mut warp)?;
        Ok(warp)
    }

    /// A word of a vertex that the map names, of what it gave; nothing where it gave nothing.
    fn slot(&self, slot: u32, given: &[u32]) -> Option<u32> {
        match self.map.get(slot as usize).copied()? {
            0x40 => Some(0),
            0x41 => Some(1f32.to_bits()),
            n => {
                let n = usize::from(n);
                let known = given[self.results as usize + n / 32] >> (n % 32) & 1 == 1;
                known.then(|| given[n])
            }
        }
    }

    /// The code of the place in a point that takes the place of a slot in points.
    fn replaced(&self, slot: u32) -> Option<u32> {
        let code = self.get(method::POINT_COORD_REPLACE_MAP + 4 * (slot / 8)) >> (4 * (slot % 8)) & 15;
        (code != 0 && self.get(method::POINT_SPRITE_ENABLE) & 1 == 1).then_some(code)
    }

    /// A component of the place in a point: to the right, down or up by POINT_SPRITE_CTRL, 0, 1.
    fn in_point(&self, quad: &QuadIn<'_>, (lane, at): (usize, Where), code: u32) -> f32 {
        let (x, y) = quad.point(lane, at);
        let [s, t] = quad.setup.point_coord(x, y);
        match code {
            1 => s,
            2 if self.get(method::POINT_SPRITE_CTRL) >> 4 & 1 == 1 => t,
            2 => 1.0 - t,
            3 => 0.0,
            _ => 1.0,
        }
    }

    /// v[] of a batch of quads.
    fn varyings_of(&self, batch: &[QuadIn<'_>], words: &[u32]) -> Vec<Option<[Lanes; 2]>> {
        let i = &self.interpolants;
        let sampled = batch.first().is_some_and(|q| q.sample.is_some());
        let aside = if sampled { Where::Sample } else { Where::Centroid };
        let places = [Where::Center, aside];
        let mut v = Vec::new();
        for component in (0..4usize).filter(|c| i.position >> c & 1 == 1) {
            let of = |lane: usize, at: Where| {
                let (q, l) = (&batch[lane / 4], lane % 4);
                match component {
                    0 | 1 => q.position(l)[component],
                    2 => (q.weights(l, at).z + q.bias) as f32,
                    _ => q.weights(l, at).inv_w as f32,
                }
            };
            let lanes = |at: Where| std::array::from_fn(|l| if l < 4 * batch.len() { of(l, at).to_bits() } else { 0 });
            v.push(Some(places.map(lanes)));
        }
        let single = batch.iter().all(|q| q.samples == 1);
        // Shares by mode, place and lane.
        let shares: Vec<[[[f64; 3]; 2]; 2]> = (0..4 * batch.len())
            .map(|lane| {
                places.map(|at| {
                    let q = &batch[lane / 4];
                    [Mode::OverW, Mode::Linear].map(|m| q.shares(lane % 4, m, at, gpucc_sim::draw::Divisor::Place))
                })
            })
            .collect();
        let numbers = self.get(method::VP_GP_BUILTIN_ATTR_EN) & PRIMITIVES != 0;
        let numbered = numbers.then(|| self.get(method::SEMANTIC_PRIM_ID));
        for k in 0..i.words {
            let slot = i.first + k;
            if numbered == Some(slot) {
                let of = |l: usize| batch.get(l / 4).map_or(0, |q| q.primitive.index);
                v.push((k >= i.smooth).then(|| [std::array::from_fn(of); 2]));
                continue;
            }
            let linear = self.get(method::NOPERSPECTIVE_BITMAP + 4 * (slot / 32)) >> (slot % 32) & 1 == 1;
            let replaced = self.replaced(slot);
            let mut found = [[0; 32]; 2];
            let mut whole = true;
            for (q, quad) in batch.iter().enumerate() {
                let p = quad.primitive;
                let of = |vertex: usize| {
                    let at = p.words[vertex].clone();
                    self.slot(slot, &words[at.start as usize..at.end as usize])
                };
                let [Some(a), Some(b), Some(c)] = [0, 1, 2].map(of) else {
                    whole = false;
                    break;
                };
                if p.count == 1
                    && let Some(code) = replaced
                {
                    for (l, (place, at)) in (4 * q..4 * q + 4).flat_map(|l| [(l, (0, Where::Center)), (l, (1, aside))])
                    {
                        found[place][l] = self.in_point(quad, (l % 4, at), code).to_bits();
                    }
                    continue;
                }
                for l in 4 * q..4 * q + 4 {
                    if k >= i.smooth {
                        found[0][l] = [a, b, c][usize::from(p.provoking)];
                        continue;
                    }
                    let values = [a, b, c].map(f32::from_bits);
                    for (place, f) in found.iter_mut().enumerate().take(if single { 1 } else { 2 }) {
                        f[l] = quad.interpolate(shares[l][place][usize::from(linear)], values).to_bits();
                    }
                }
            }
            if single || k >= i.smooth {
                found[1] = found[0];
            }
            v.push(whole.then_some(found));
        }
        v
    }

    /// The registers of a warp for its quads.
    fn merge(&self, batch: &[QuadIn<'_>], warp: &Warp, out: &mut Vec<QuadOut>) -> Result<(), Trap> {
        let (count, control) = (self.get(method::FP_RESULT_COUNT), self.get(method::FP_CONTROL));
        let depth = control >> 8 & 1 == 1;
        let multisample = if self.generation >= 3 { self.get(method::FP_MULTISAMPLE) } else { 0 };
        let mask = multisample & 1 == 1;
        let special = u32::from(depth) + u32::from(mask);
        let Some(colours) = count.checked_sub(special) else {
            return Err(reserved(format!("FP_RESULT_COUNT {count} with depth or mask")));
        };
        let covered = Masks::of(batch).covered as u32;
        let live = covered & !warp.io.invisible;
        let read = |r: usize, lanes: u32| -> Result<Lanes, Trap> {
            let known = warp.known.get(r).map_or(0, |k| k[0] & k[1]);
            let owed = lanes & !known;
            if owed != 0 {
                let message = format!("$r{r} is a result that was never written");
                return Err(undefined(message).in_lane(owed.trailing_zeros()));
            }
            Ok(warp.regs.get(r).copied().unwrap_or([0; 32]))
        };
        let quads = QuadOut::batch(out, batch.len(), live.into());
        let several = control & 1 == 1;
        let second =
            self.targets.first().and_then(Option::as_ref).is_some_and(|t| t.blend.is_some_and(|b| b.reads_second()));
        for attachment in 0..8 {
            let from = if several || second && attachment == 1 { attachment } else { 0 };
            let target = self.targets.get(attachment).and_then(Option::as_ref);
            let beside = second && attachment == 1;
            if target.is_none() && !beside || 4 * from as u32 >= colours {
                continue;
            }
            for c in 0..4 {
                // Blending reads what a component of the target is made of, and the alpha where a factor is it.
                let needs = target.is_none_or(|t| {
                    let there = c < t.format.components() as usize && (t.blend.is_some() || t.write >> c & 1 == 1);
                    there || c == 3 && t.reads_source_alpha()
                });
                let values = read(4 * from + c, if needs { live } else { 0 })?;
                for (q, lanes) in QuadOut::lanes(quads) {
                    let to = if beside { &mut q.second } else { &mut q.colour[attachment] };
                    to.iter_mut().zip(lanes).for_each(|(texel, lane)| texel[c] = values[lane]);
                }
            }
        }
        if mask {
            let values = read(colours as usize, live)?;
            QuadOut::lanes(quads).for_each(|(q, lanes)| q.mask = Some(lanes.map(|l| values[l] & 0xffff)));
        }
        if depth {
            let values = read(count as usize - 1, live)?;
            QuadOut::lanes(quads).for_each(|(q, lanes)| q.depth = Some(lanes.map(|l| f32::from_bits(values[l]))));
        }
        Ok(())
    }

    /// A component of an element of a vertex.
    fn fetch(&self, env: &DeviceMemory, e: &Element, index: u32) -> Result<[u32; 4], Trap> {
        let (bits, count): (&[u32], usize) = match e.format {
            0x01 => (&[32; 4], 4),
            0x02 => (&[32; 3], 3),
            0x03 => (&[16; 4], 4),
            0x04 => (&[32; 2], 2),
            0x05 => (&[16; 3], 3),
            0x0a => (&[8; 4], 4),
            0x0f => (&[16; 2], 2),
            0x12 => (&[32], 1),
            0x13 => (&[8; 3], 3),
            0x18 => (&[8; 2], 2),
            0x1b => (&[16], 1),
            0x1d => (&[8], 1),
            0x30 => (&[10, 10, 10, 2], 4),
            f => return Err(reserved(format!("VERTEX_ARRAY_ATTRIB format {f:#x}"))),
        };
        let size = u64::from(bits.iter().sum::<u32>() / 8);
        let at = (e.start + e.offset).wrapping_add(u64::from(index).wrapping_mul(e.stride));
        let mut raw = 0u128;
        // Beyond the limit lie zeros.
        if at >= e.start && at + size <= e.limit + 1 {
            let (id, offset) = env.space.resolve(at, size as u32)?;
            for k in 0..size {
                raw |= u128::from(env.memory.load(id, offset + k, 1)?) << (8 * k);
            }
        }
        let integer = matches!(e.kind, 0x1b | 0x24);
        let mut out = [0, 0, 0, if integer { 1 } else { 1f32.to_bits() }];
        let mut low = 0;
        for (o, &n) in out.iter_mut().zip(bits).take(count) {
            let code = (raw >> low) as u32 & (u32::MAX >> (32 - n));
            let signed = ((code << (32 - n)) as i32) >> (32 - n);
            low += n;
            *o = match e.kind {
                0x09 => from_snorm(code, n).to_bits(),
                0x12 => from_unorm(code, n).to_bits(),
                0x1b => signed as u32,
                0x24 => code,
                0x2d => (code as f32).to_bits(),
                0x36 => (signed as f32).to_bits(),
                0x3f if n == 16 => f16_to_f32(code as u16).to_bits(),
                0x3f if n == 32 => code,
                k => return Err(reserved(format!("VERTEX_ARRAY_ATTRIB type {k:#x}"))),
            };
        }
        if e.bgra {
            out.swap(0, 2);
        }
        Ok(out)
    }
}

/// The elements that are on.
fn elements(registers: &Registers) -> Result<Vec<Element>, Trap> {
    let mut list = Vec::new();
    for n in 0..16u32 {
        let on = registers.get(METHODS, method::VP_ATTR_EN + 4 * (n / 8)) >> (4 * (n % 8)) & 15;
        if on == 0 {
            continue;
        }
        let attribute = registers.get(METHODS, method::VERTEX_ARRAY_ATTRIB + 4 * n);
        if attribute & 15 != n || attribute >> 4 & 1 != 0 {
            return Err(unsupported(format!("VERTEX_ARRAY_ATTRIB {attribute:#x}: another array")));
        }
        let get = |k: u32| registers.get(ARRAYS, 8 * n + k);
        let fetch = get(array::FETCH);
        fail_if!(fetch >> 29 != 1, reserved(format!("VERTEX_ARRAY_FETCH {fetch:#x} is off")));
        let wide = |high: u32, low: u32| u64::from(get(high)) << 32 | u64::from(get(low));
        list.push(Element {
            on,
            start: wide(array::START_HIGH, array::START),
            limit: wide(array::LIMIT_HIGH, array::LIMIT),
            stride: u64::from(fetch & 0xfff),
            per_instance: get(array::PER_INSTANCE) & 1 == 1,
            offset: u64::from(attribute >> 5 & 0x3fff),
            format: attribute >> 19 & 63,
            kind: attribute >> 25 & 63,
            bgra: attribute >> 31 == 1,
        });
    }
    Ok(list)
}

impl DrawMachine for Machine<'_> {
    const LANES: usize = LANES;
    type World = DeviceMemory;

    fn depth(&self) -> DepthTest {
        if self.get(method::FP_CONTROL) & 0x10_0100 != 0 { DepthTest::Late } else { DepthTest::Reject }
    }

    fn varyings(&self) -> Varyings {
        let mut blank = vec![0; self.results as usize];
        blank.extend(vec![u32::MAX; (self.results as usize).div_ceil(32)]);
        let mut places = Vec::new();
        let rows = || self.vertex.entry.interface.iter().filter(|r| r.output);
        for row in rows() {
            if let IoPlace::Location { number, .. } = row.at {
                // Rows say what the source has: another one may begin before its last component.
                let next = rows().map(|r| u32::from(r.index)).filter(|&i| i > row.index.into()).min();
                let count = next.unwrap_or(self.results).saturating_sub(row.index.into()).min(4) as u8;
                places.extend((0..count).map(|c| (number, c, u32::from(row.index) + u32::from(c))));
            }
        }
        Varyings { blank, places, ..Varyings::default() }
    }

    fn vertices(
        &self,
        unit: &mut Unit,
        batch: &[VertexIn],
        words: &mut Vec<u32>,
        out: &mut Vec<VertexOut>,
    ) -> Result<(), Trap> {
        let exists = if batch.len() == LANES { u32::MAX } else { (1 << batch.len()) - 1 };
        let mut io = Io { o: vec![([0; 32], 0); self.results as usize], ..Io::default() };
        for e in &self.elements {
            let mut found = [[0; 32]; 4];
            for (l, v) in batch.iter().enumerate() {
                let index = if e.per_instance { v.instance.wrapping_sub(self.state.first[1]) } else { v.vertex };
                for (f, w) in found.iter_mut().zip(self.fetch(&unit.world, e, index)?) {
                    f[l] = w;
                }
            }
            io.a.extend((0..4).filter(|c| e.on >> c & 1 == 1).map(|c| found[c]));
        }
        let numbers = self.get(method::VP_GP_BUILTIN_ATTR_EN);
        let lanes = |of: &dyn Fn(&VertexIn) -> u32| std::array::from_fn(|l| batch.get(l).map_or(0, of));
        if numbers & 1 == 1 {
            let less = if numbers >> 12 & 1 == 1 { 0 } else { self.state.first[0] };
            io.a.push(lanes(&|v| v.vertex.wrapping_sub(less)));
        }
        if numbers >> 4 & 1 == 1 {
            io.a.push(lanes(&|v| v.instance.wrapping_sub(self.state.first[1])));
        }
        fail_if!(io.a.is_empty(), reserved("a vertex program without inputs: one has to be on"));
        let warp = self.run(&self.vertex, unit, exists, io)?;
        let clip = self.get(method::SEMANTIC_CLIP);
        let (first, count) = (clip & 0xff, clip >> 8 & 0xff);
        let planes = self.get(method::CLIP_DISTANCE_ENABLE);
        for lane in 0..batch.len() {
            let from = words.len();
            words.extend(warp.io.o.iter().map(|o| o.0[lane]));
            let known = |k: usize| warp.io.o.get(k).is_some_and(|o| o.1 >> lane & 1 == 1);
            words.extend(
                (0..(self.results as usize).div_ceil(32))
                    .map(|w| (0..32).fold(0, |m, b| m | u32::from(known(32 * w + b)) << b)),
            );
            let given = &words[from..];
            let one = |slot: u32| {
                self.slot(slot, given).map(f32::from_bits).ok_or_else(|| {
                    let message = format!("result slot {slot} was never written");
                    undefined(message).in_lane(lane as u32)
                })
            };
            let mut v = VertexOut { position: [one(0)?, one(1)?, one(2)?, one(3)?], ..VertexOut::default() };
            for k in (0..count.min(8)).filter(|k| planes >> k & 1 == 1) {
                let culls = self.get(method::CLIP_DISTANCE_MODE) >> (4 * k) & 15 == 1;
                let to = if culls { &mut v.cull } else { &mut v.clip };
                to[k as usize] = one(first + k)?;
            }
            v.point_size = match (self.get(method::SEMANTIC_PTSZ), self.get(method::POINT_SIZE)) {
                (size, _) if size & 1 == 1 => Some(one(size >> 4 & 0xff)?),
                (_, 0) => None,
                (_, size) => Some(f32::from_bits(size)),
            };
            v.words = from as u32..words.len() as u32;
            out.push(v);
        }
        Ok(())
    }

    fn quads(
        &self,
        unit: &mut Unit,
        batch: &[QuadIn<'_>],
        words: &[u32],
        _: &Targets,
        out: &mut Vec<QuadOut>,
    ) -> Result<(), Trap> {
        let Some(fragment) = &self.fragment else { return Err(bad_container("there is no fragment program")) };
        debug_assert!(batch.len() <= QUADS);
        let exists = if batch.len() == QUADS { u32::MAX } else { (1 << (4 * batch.len())) - 1 };
        let covered = Masks::of(batch).covered as u32;
        let multisample = if self.generation >= 3 { self.get(method::FP_MULTISAMPLE) } else { 0 };
        if batch[0].sample.is_some() && multisample >> 1 & 1 == 0 {
            return Err(reserved("FP_MULTISAMPLE does not say that the program runs for each sample"));
        }
        let of = |l: usize| batch.get(l / 4);
        let io = Io {
            v: self.varyings_of(batch, words),
            flat: (self.interpolants.position.count_ones() + self.interpolants.smooth) as usize,
            front: (0..LANES).fold(0, |m, l| m | u32::from(of(l).is_some_and(|q| q.primitive.front)) << l),
            invisible: !covered,
            discards: self.get(method::FP_CONTROL) >> 20 & 1 == 1,
            sample: std::array::from_fn(|l| of(l).map_or(0, |q| u32::from(q.sample.unwrap_or(0)))),
            ..Io::default()
        };
        let warp = self.run(fragment, unit, exists, io)?;
        self.merge(batch, &warp, out)
    }
}
