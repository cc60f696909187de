//! Set-up of the tests of draws and textures: units, surfaces and state words as `isa/graphics-vivante.md` and
//! `docs/abi-vivante.md` give them, written here apart from the driver part.

use std::collections::BTreeSet;

use gpucc_container::{Access, Container, Entry, Meta, Preload, Resource, ResourceKind, Source, Stage, flags};
use gpucc_pipeline::{Pipeline, Target};
use gpucc_sim::draw::{Draw, Merger, Raster, Surface, Targets, Vertices};
use gpucc_sim::raster::{Topology, Viewport};
use gpucc_sim::texture::Format;
use gpucc_sim::{Device, Dispatch, DrawDevice, Registers, Resident, RunOptions, Trap};
use gpucc_vivante_machine::{Op, assemble, decode_word};

pub const NAMES: [&str; 3] = ["gc2000", "gc3000", "gc7000"];
pub const GC2000: u8 = 0;
pub const GC3000: u8 = 1;
pub const GC7000: u8 = 2;
/// Width and height of the target of a [`Shot`].
pub const SIZE: u32 = 4;

const TEXELS: u64 = 0x4000_0000;
const TABLE: u64 = 0x4100_0000;
const DESCRIPTOR: u64 = 0x4200_0000;
const VERTICES: u64 = 0x4300_0000;
const TEMPS: u16 = 16;

pub fn code(text: &str, generation: u8, stages: u8) -> Vec<u8> {
    assemble(text, generation, stages, false)
        .unwrap_or_else(|e| panic!("{text}\n{}", e.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")))
}

/// The rows of a listing.
pub fn ops(text: &str, generation: u8) -> BTreeSet<Op> {
    let word = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
    let row = |b: &[u8]| [0, 4, 8, 12].map(|at| word(&b[at..]));
    let all = code(text, generation, gpucc_isa::stage::ALL);
    let op = |b: &[u8]| decode_word(row(b), generation, gpucc_isa::stage::ALL).unwrap().op();
    all.chunks_exact(16).map(op).collect()
}

/// A texture that a unit reads.
#[derive(Clone)]
pub struct Texture {
    /// 2 flat, 3 with three axes or an array, 5 a cube.
    pub kind: u32,
    pub array: bool,
    /// Code of CONFIG0, and that of CONFIG1.
    pub format: [u32; 2],
    /// Components by source: 0 to 3, 4 zero, 5 one.
    pub select: [u32; 4],
    pub size: u32,
    /// Depth, layers or faces.
    pub depth: u32,
    pub levels: u32,
    /// Code of the sampler's comparison.
    pub compare: Option<u32>,
    /// The texel of level, layer, x and y.
    pub texel: fn(u32, u32, u32, u32) -> Vec<u8>,
}

/// 1000 layer + 100 level + 10 y + x in the first component, the same below zero in the second; 0 and 1.
pub fn numbered(level: u32, layer: u32, x: u32, y: u32) -> Vec<u8> {
    let v = (1000 * layer + 100 * level + 10 * y + x) as f32;
    [v, -v].iter().flat_map(|v| v.to_le_bytes()).collect()
}

impl Texture {
    /// Eight by eight texels of two floats, four levels.
    pub fn numbers(kind: u32, array: bool, depth: u32) -> Texture {
        let (format, select) = ([0, 11], [0, 1, 4, 5]);
        Texture { kind, array, format, select, size: 8, depth, levels: 4, compare: None, texel: numbered }
    }

    /// A depth of 16 bits, 1000 (10 y + x) of 65535, whose comparison is less or equal: code 0.
    pub fn shadow() -> Texture {
        let texel = |_, _, x, y| ((1000 * (10 * y + x)) as u16).to_le_bytes().to_vec();
        Texture { format: [16, 0], select: [0, 4, 4, 5], compare: Some(0), texel, ..Texture::numbers(2, false, 1) }
    }

    fn bytes_of_texel(&self) -> u32 {
        (self.texel)(0, 0, 0, 0).len() as u32
    }

    fn layers(&self, level: u32) -> u32 {
        if self.kind == 3 && !self.array { (self.depth >> level).max(1) } else { self.depth }
    }

    /// Bytes of the surface and where levels begin: tiles of four by four texels, sizes rounded up to four.
    fn surface(&self) -> (Vec<u8>, Vec<u32>) {
        let (bytes, mut all, mut levels) = (self.bytes_of_texel(), Vec::new(), Vec::new());
        for level in 0..self.levels {
            all.resize(all.len().next_multiple_of(64), 0);
            levels.push(TEXELS as u32 + all.len() as u32);
            let side = (self.size >> level).max(1);
            let padded = side.next_multiple_of(4);
            for layer in 0..self.layers(level) {
                let first = all.len();
                all.resize(first + (padded * padded * bytes) as usize, 0xee);
                for (x, y) in (0..side * side).map(|k| (k % side, k / side)) {
                    let tile = (y / 4) * (padded / 4) + x / 4;
                    let at = first + ((16 * tile + 4 * (y % 4) + x % 4) * bytes) as usize;
                    all[at..at + bytes as usize].copy_from_slice(&(self.texel)(level, layer, x, y));
                }
            }
        }
        (all, levels)
    }

    fn config1(&self) -> u32 {
        let [r, g, b, a] = self.select;
        self.format[1] | r << 8 | g << 12 | b << 16 | a << 20 | u32::from(self.array) << 24
    }

    /// The unit's words, and the descriptor's: nearest texel, nearest level, clamped.
    fn words(&self, generation: u8, levels: &[u32]) -> ([u32; 32], [u32; 64]) {
        let (mut unit, mut d) = ([0; 32], [0; 64]);
        let depth = if self.kind == 5 { 1 } else { self.depth };
        let (log, log_depth) = (f64::from(self.size).log2(), f64::from(depth).log2());
        let last = self.levels - 1;
        if generation == GC7000 {
            unit[0] = DESCRIPTOR as u32;
            unit[1] = 2 | 2 << 3 | 2 << 6 | 1 << 9 | 1 << 11 | 1 << 13 | 1 << 21;
            unit[1] |= self.compare.map_or(0, |c| 1 << 17 | c << 18);
            (unit[2], unit[3]) = (2, last << 8);
            d[..levels.len()].copy_from_slice(levels);
            let row = self.size.next_multiple_of(4) * self.bytes_of_texel();
            d[16] = self.kind | self.format[0] << 13;
            (d[17], d[18], d[19]) = (self.size << 16 | self.size, row, self.config1());
            (d[22], d[26], d[27]) = (0x0c0c_0c00, last << 8, 0x3_0000);
            let fixed = |x: f64| (x * 256.0) as u32;
            (d[29], d[30]) = (fixed(log) << 16 | fixed(log), fixed(log_depth));
            (d[31], d[33]) = (row * self.size.next_multiple_of(4), depth);
        } else {
            let fixed = |x: f64| (x * 32.0) as u32;
            unit[0] = self.kind | 2 << 3 | 2 << 5 | 1 << 7 | 1 << 9 | 1 << 11 | self.format[0] << 13;
            unit[1] = self.size << 16 | self.size;
            (unit[2], unit[3]) = (fixed(log) | fixed(log) << 10, (32 * last) << 1);
            (unit[4], unit[5]) = (depth | fixed(log_depth) << 16 | 2 << 28, self.config1());
            unit[6] = self.compare.map_or(0, |c| 1 << 16 | c << 20);
            unit[8..8 + levels.len()].copy_from_slice(levels);
        }
        (unit, d)
    }

    /// Surface, table of units with this one at `number`, and descriptor in memory.
    fn residents(&self, generation: u8, number: usize) -> Vec<Resident> {
        let (texels, levels) = self.surface();
        let (unit, d) = self.words(generation, &levels);
        let mut table = vec![0; 32 * 32];
        table[32 * number..32 * (number + 1)].copy_from_slice(&unit);
        let bytes = |w: &[u32]| w.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<_>>();
        [("texels", TEXELS, texels), ("units", TABLE, bytes(&table)), ("descriptor", DESCRIPTOR, bytes(&d))]
            .into_iter()
            .map(|(name, address, bytes)| resident(name, address, bytes))
            .collect()
    }
}

fn resident(name: &str, address: u64, bytes: Vec<u8>) -> Resident {
    Resident { name: name.into(), address, bytes: bytes.into(), writable: false, resource: None }
}

/// Preloads of words of u0, u1, .. and of a unit.
fn preloads(u: &[[u32; 4]], unit: Option<usize>) -> Vec<Preload> {
    let words = u.iter().flatten().zip(0..);
    let mut list: Vec<Preload> = words
        .map(|(&w, k)| Preload { file: 0x80, lane: k as u8 & 3, index: k / 4, source: Source::Const(w) })
        .collect();
    list.extend(unit.map(|n| Preload { file: 2, lane: 0, index: n as u16, source: Source::Const(0) }));
    list
}

fn container(generation: u8, entry: Entry) -> Container {
    Container::of("vivante", NAMES[generation as usize], vec![entry])
}

fn meta(uniforms: usize, flags: u32) -> Meta {
    Meta {
        workgroup_size: [1; 3],
        subgroup_size: 1,
        registers: vec![(0, TEMPS), (0x80, uniforms as u16)],
        flags,
        family_words: vec![0],
        ..Meta::default()
    }
}

/// A compute program that samples: u0.x is the address of the buffer, t1.. are u1..; t10 is the result.
pub fn sample(generation: u8, body: &str, inputs: &[[u32; 4]], texture: &Texture) -> Result<[u32; 4], Trap> {
    let mut text: String = (1..=inputs.len()).map(|k| format!("mov t{k}, void, void, u{k}.xyzw\n")).collect();
    text += &format!("{body}\nstore.denorm.u32 mem, u0.xxxx, u0.yyyy, t10.xyzw\n");
    let mut u = vec![[0; 4]];
    u.extend(inputs);
    let mut preloads = preloads(&u, Some(0));
    preloads[0].source = Source::BufferAddressLo { group: 0, binding: 0 };
    let resource = Resource::new(ResourceKind::Storage, Access::ReadWrite, (0, 0), 0);
    let entry = Entry {
        name: "main".into(),
        code: code(&text, generation, gpucc_isa::stage::ALL),
        meta: meta(u.len(), 0),
        resources: vec![resource],
        preloads,
        ..Entry::default()
    };
    let mut device =
        Device { residents: texture.residents(generation, 0), tables: vec![(0, TABLE)], ..Device::default() };
    let mut d = Dispatch::new([1; 3]).with_u32(0, 0, &[0xdead_beef; 4]);
    gpucc_vivante_machine::run_on(&container(generation, entry), None, &mut d, &mut device, &RunOptions::default())?;
    let out = d.words(0, 0).unwrap();
    Ok([out[0], out[1], out[2], out[3]])
}

/// A triangle over the whole of a target of four by four pixels. Attributes are the position (t0) and four floats (t1); a vertex
/// program that does nothing hands both on. Of a pixel (i, j) t0.xy is (i + 0.5, j + 0.5) and t1 ((i + 0.5) / 4, (j + 0.5) / 4, 0, 1).
#[derive(Clone)]
pub struct Shot<'a> {
    pub generation: u8,
    pub vertex: &'a str,
    /// Body of the fragment program; t10 is the colour, t0 to t15 may be used.
    pub fragment: &'a str,
    pub u: Vec<[u32; 4]>,
    pub texture: Option<&'a Texture>,
    /// Whether the texture is the vertex program's.
    pub in_vertex: bool,
    /// The second attribute of all vertices, in place of what changes over the target.
    pub fixed: Option<[f32; 4]>,
    /// A bit that is turned over.
    pub flip: Option<Flip>,
    /// Bytes of scratch of the vertex and of the fragment program.
    pub scratch: [u32; 2],
}

/// A bit of a word that hardware reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flip {
    /// Of a register, by address.
    Register(u32, u32),
    /// Of a word of the unit in the table of units.
    Unit(usize, u32),
    /// Of a word of the descriptor.
    Descriptor(usize, u32),
    /// Of an instruction of the fragment program, by number.
    Code(usize, u32),
}

impl Shot<'_> {
    pub fn new(generation: u8, fragment: &str) -> Shot<'_> {
        let vertex = "nop t0.____, void, void, void";
        Shot {
            generation,
            vertex,
            fragment,
            u: Vec::new(),
            texture: None,
            in_vertex: false,
            fixed: None,
            flip: None,
            scratch: [0; 2],
        }
    }

    /// The first unit of the vertex program.
    pub fn vertex_unit(&self) -> usize {
        if self.generation == GC2000 { 8 } else { 16 }
    }

    /// Registers by address, as a driver writes them.
    pub fn registers(&self) -> Vec<(u32, u32)> {
        let halti5 = self.generation == GC7000;
        let kills = self.fragment.contains("texkill");
        let mut all = Vec::new();
        let mut set = |address: u32, value: u32| all.push((address, value));
        // Two inputs, their temporaries, two outputs, theirs.
        set(0x0808, 0x102);
        set(if halti5 { 0x08c0 } else { 0x0820 }, 0x0100);
        set(0x0804, 2);
        set(if halti5 { 0x08e0 } else { 0x0810 }, 0x0100);
        set(0x080c, TEMPS.into());
        // A varying of four components, smooth.
        set(0x0a30, 1 << 8);
        set(if halti5 { 0x0a90 } else { 0x3820 }, 4);
        set(0x381c, 4);
        set(0x0e00, 1);
        if halti5 {
            set(0x1080, 4);
            set(0x0870, 0x2002);
            set(0x0aa8, 2);
            set(0x3888, 0x7f7f_7f00);
        }
        if !halti5 {
            set(0x0a40, 0x2f1);
            set(0x0a34, 1 << 16);
        }
        set(0x1008, 0x1f02);
        set(0x100c, TEMPS.into());
        // The 128 bits of a pixel are two targets, of t10 and t11, whose words pass through.
        set(0x1010, 1 << 8);
        set(0x1004, 0x0a0a_0b0a);
        set(0x102c, 0x0a0a_0a0a);
        set(0x1030, 0x22);
        let late = halti5 && kills;
        set(0x0e08, 0x30 | u32::from(self.generation != GC2000) | if late { 0x1100_0000 } else { 0 });
        // Four floats each, behind one another in a stream.
        if halti5 {
            for (k, word, end) in [(0, 0x08, 16), (1, 0x0010_0008, 32)] {
                set(0x17800 + 4 * k, word);
                set(0x17a80 + 4 * k, end | 1 << 11);
                set(0x17a00 + 4 * k, 1f32.to_bits());
            }
        } else {
            for (k, word) in [(0, 0x1000_0088), (1, 0x2010_0088)] {
                set(0x0600 + 4 * k, word);
                set(0x0780 + 4 * k, 1f32.to_bits());
            }
        }
        let [base, stride] = if self.generation == GC2000 { [0x0680, 0x06a0] } else { [0x14600, 0x14640] };
        set(base, VERTICES as u32);
        set(stride, 32);
        all
    }

    fn written(&self) -> Registers {
        let mut r = Registers::new();
        for (address, value) in self.registers() {
            r.set(0, address, value, u32::MAX);
        }
        if let Some(Flip::Register(address, bit)) = self.flip {
            r.set(0, address, !r.get(0, address), 1 << bit);
        }
        r
    }

    /// The words of each pixel, row by row; zeros where nothing was drawn.
    pub fn draw(&self) -> Result<Vec<[u32; 4]>, Trap> {
        let kills = self.fragment.contains("texkill");
        let unit = |vertex: bool| {
            let number = if vertex { self.vertex_unit() } else { 0 };
            self.texture.filter(|_| vertex == self.in_vertex).map(|_| number)
        };
        let entry = |text: &str, stage: Stage, flags: u32| {
            let vertex = stage == Stage::Vertex;
            Entry {
                name: "main".into(),
                stage,
                code: code(text, self.generation, stage.bit()),
                meta: Meta { scratch_bytes: self.scratch[usize::from(!vertex)], ..meta(self.u.len(), flags) },
                preloads: preloads(&self.u, unit(vertex)),
                ..Entry::default()
            }
        };
        let fragment = format!("{}\nmov t11.xy__, void, void, t10.zwww\n", self.fragment);
        let vertex = container(self.generation, entry(self.vertex, Stage::Vertex, 0));
        let flag = if kills { flags::DISCARD } else { 0 };
        let mut fragment = entry(&fragment, Stage::Fragment, flag);
        if let Some(Flip::Code(at, bit)) = self.flip {
            fragment.code[16 * at + bit as usize / 8] ^= 1 << (bit % 8);
        }
        let fragment = container(self.generation, fragment);
        // Lower left, far right, far up: the target is the corner that all have.
        let mut data = Vec::new();
        for (x, y, u, v) in [(-1.0, -1.0, 0.0, 1.0), (3.0, -1.0, 2.0, 1.0), (-1.0, 3.0, 0.0, -1.0)] {
            data.extend([x, y, 0.0, 1.0f32]);
            data.extend(self.fixed.unwrap_or([u, v, 0.0, 1.0]));
        }
        let mut residents = vec![resident("vertices", VERTICES, data.iter().flat_map(|v| v.to_le_bytes()).collect())];
        if let Some(t) = self.texture {
            let number = unit(self.in_vertex).unwrap_or_default();
            residents.extend(t.residents(self.generation, number));
            let mut turn = |address: u64, word: usize, bit: u32| {
                let r = residents.iter_mut().find(|r| r.address == address).expect("it was placed");
                r.bytes[4 * word + bit as usize / 8] ^= 1 << (bit % 8);
            };
            match self.flip {
                Some(Flip::Unit(word, bit)) => turn(TABLE, 32 * number + word, bit),
                Some(Flip::Descriptor(word, bit)) => turn(DESCRIPTOR, word, bit),
                _ => {}
            }
        }
        let tables = [vec![(0, TABLE)], vec![(0, TABLE)]];
        let device = Device { residents, ..Device::default() };
        let mut device = DrawDevice { device, tables, registers: self.written() };
        let format = Format::Rgba32Uint;
        let pipeline = Pipeline { targets: vec![Some(Target::new(format))], ..Pipeline::default() };
        let side = SIZE as f32;
        let viewport = Viewport { x: 0.0, y: 0.0, width: side, height: side, min_depth: 0.0, max_depth: 1.0 };
        let draw = Draw {
            vertices: Vertices::new(Topology::TriangleList, 3),
            raster: Raster::of(&pipeline, viewport, [0, 0, SIZE, SIZE]),
            viewports: Vec::new(),
            merger: Merger::of(&pipeline, [0.0; 4], 0),
            seed: None,
        };
        let mut targets = Targets::new(vec![Some(Surface::new(format, SIZE, SIZE, 1))], None);
        let mut dispatch = Dispatch::new([1; 3]);
        gpucc_vivante_machine::draw(
            (&vertex, Some(&fragment)),
            &draw,
            &mut dispatch,
            &mut device,
            &RunOptions::default(),
            &mut |stages| gpucc_sim::draw::draw(&draw, stages, &mut targets),
        )?;
        let surface = targets.colour.remove(0).expect("a target");
        let word = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        let pixel = |k: u32| {
            let bytes = surface.sample(k % SIZE, k / SIZE, 0);
            [0, 4, 8, 12].map(|at| word(&bytes[at..]))
        };
        Ok((0..SIZE * SIZE).map(pixel).collect())
    }
}
