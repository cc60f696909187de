//! Texture instructions (reference section 6, `graphics-tesla.md` 2 and 3).

mod descriptor;
mod format;

use gpucc_isa::fail_if;
use gpucc_sim::lanes::lanes;
use gpucc_sim::texture::{
    Coords, Dim, Face, Layer, Lod, MemoryTexels, NoTexels, Request, TexelAt, What, project, texel_at,
};
use gpucc_sim::{
    By, Trap,
    trap::{bad_register, hazard, reserved, unsupported},
};

use super::decode::{Code, Dst, Src};
use super::memory::DeviceMemory;
use super::step::Machine;
use super::subgroup::{Lanes, Warp, first};
use crate::types::Op;
use descriptor::{Sampling, Texture};

/// How far from 1 the largest coordinate of a cube may be: a reciprocal and a product.
const DIVIDED: f32 = 4e-7;

/// An instruction with its descriptors.
struct TexInst<'a> {
    op: Op,
    texture: Texture,
    sampling: Sampling,
    cube: bool,
    /// Whether the level comes from the differences in the quad; without them they are 0.
    derived: bool,
    offset: [i32; 3],
    /// Registers of the arguments, one behind the other.
    args: &'a [Lanes],
    layout: ArgumentLayout,
}

/// Where arguments are, in their order.
#[derive(Clone, Copy, Default)]
struct ArgumentLayout {
    axes: usize,
    layer: Option<usize>,
    reference: Option<usize>,
    level: Option<usize>,
    count: usize,
}

impl ArgumentLayout {
    /// The arguments of an instruction; a cube array that is addressed as one of two dimensions has its faces as layers.
    fn of(op: Op, t: &Texture, s: &Sampling, cube: bool) -> ArgumentLayout {
        let mut p = ArgumentLayout::default();
        if op == Op::TexSize {
            return ArgumentLayout { level: Some(0), count: 1, ..p };
        }
        p.axes = match t.dim {
            Dim::Cube if cube => 3,
            d => d.axes(),
        };
        let mut next = p.axes;
        let mut take = |yes: bool| {
            next += usize::from(yes);
            yes.then_some(next - 1)
        };
        p.layer = take(t.arrayed);
        p.reference =
            take(s.sampler.compare.is_some() && matches!(op, Op::TexAuto | Op::TexBias | Op::TexLod | Op::TexGather));
        p.level = take(matches!(op, Op::TexBias | Op::TexLod | Op::TexFetch));
        p.count = next;
        p
    }
}

impl TexInst<'_> {
    fn word(&self, at: usize, lane: usize) -> u32 {
        self.args[at][lane]
    }

    fn float(&self, at: usize, lane: usize) -> f32 {
        f32::from_bits(self.word(at, lane))
    }

    fn coordinates(&self, lane: usize) -> [f32; 3] {
        std::array::from_fn(|k| if k < self.layout.axes { self.float(k, lane) } else { 0.0 })
    }

    fn layer(&self, lane: usize) -> Result<u32, Trap> {
        match self.layout.layer {
            Some(at) if self.word(at, lane) > 511 => {
                Err(reserved(format!("layer {}, at most 511", self.word(at, lane))))
            }
            Some(at) => Ok(self.word(at, lane)),
            None => Ok(0),
        }
    }

    /// Differences of the coordinates from the first lane of the quad to its neighbours.
    fn gradient(&self, lane: usize) -> [[f32; 3]; 2] {
        let [a, b, c] = [0, 1, 2].map(|k| self.coordinates(lane & !3 | k));
        [b, c].map(|p| std::array::from_fn(|k| p[k] - a[k]))
    }

    /// Level of a lane as the filters see it, where it must be equal in the quad.
    fn fixed_level(&self, at: usize, lane: usize) -> i64 {
        (f64::from(self.float(at, lane)) * 256.0).clamp(-65536.0, 65536.0).round() as i64
    }

    fn request(&self, lane: usize) -> Result<Request, Trap> {
        let (c, layer) = (self.coordinates(lane), self.layer(lane)?);
        let coords = match self.texture.dim {
            Dim::Cube if self.cube => {
                let most = c.iter().fold(0f32, |m, v| m.max(v.abs()));
                if c.iter().all(|v| v.is_finite()) && most != 0.0 && (most - 1.0).abs() > DIVIDED {
                    return Err(reserved(format!("{c:?} are no coordinates of a cube: the largest is not 1")));
                }
                Coords::Direction(c)
            }
            Dim::Cube => {
                let face = layer % 6;
                Coords::Face(Face { face, s: c[0].into(), t: c[1].into() })
            }
            _ if self.texture.normalised => Coords::Normalised(c),
            _ => Coords::Texels(c),
        };
        let layer = if self.texture.dim == Dim::Cube && !self.cube { layer / 6 } else { layer };
        let level = |at: Option<usize>| at.map_or(0.0, |at| self.float(at, lane));
        let gradient = if self.derived { self.gradient(lane) } else { [[0.0; 3]; 2] };
        Ok(Request {
            layer: Layer::Index(layer.into()),
            offset: self.offset,
            lod: match self.op {
                Op::TexLod => Lod::Level(level(self.layout.level)),
                Op::TexGather => Lod::Zero,
                _ => Lod::Gradient(gradient),
            },
            bias: if self.op == Op::TexBias { level(self.layout.level) } else { 0.0 },
            reference: self.layout.reference.map(|at| self.float(at, lane)),
            what: match self.op {
                Op::TexGather => What::Gather(0),
                Op::TexQueryLod => What::Level,
                _ => What::Sample,
            },
            ..Request::new(coords)
        })
    }

    /// The result of one lane.
    fn one(&self, memory: &DeviceMemory, lane: usize, by: By) -> Result<[u32; 4], Trap> {
        let t = &self.texture;
        match self.op {
            Op::TexSize => return Ok(self.size(self.word(0, lane))),
            Op::TexPrep => {
                let f = project(self.coordinates(lane));
                let face = f.face + 6 * self.layer(lane)?.min(t.layers / 6 - 1);
                return Ok([(f.s as f32).to_bits(), (f.t as f32).to_bits(), face, 0]);
            }
            _ => {}
        }
        let texels = MemoryTexels::new(
            |at| t.address(at),
            t.format.bytes,
            |address, size| memory.texel(address, size, by),
            |raw| t.selected(t.format.decode(raw)),
        );
        if self.op == Op::TexFetch {
            return match self.place(lane)? {
                Some(at) => Ok(t.selected(t.format.decode(texels.raw(at)?))),
                None => Ok([0; 4]),
            };
        }
        let mut view = t.view(&texels);
        if self.sampling.one_level {
            view.levels = 1;
        }
        let found = self.request(lane)?.run(&view, &self.sampling.sampler)?;
        if self.op == Op::TexQueryLod {
            let fixed = |v: u32| (f32::from_bits(v) * 256.0).round() as i32 as u32;
            return Ok([fixed(found[0]), fixed(found[1]), 0, 0]);
        }
        // A comparison is in all of them.
        let compared = self.layout.reference.is_some() && self.op != Op::TexGather;
        Ok(if compared { [found[0], found[0], found[0], 1f32.to_bits()] } else { found })
    }

    /// The texel of integer coordinates; `None` outside of the view.
    fn place(&self, lane: usize) -> Result<Option<TexelAt>, Trap> {
        let p = &self.layout;
        let axis =
            |k: usize| if k < p.axes { i64::from(self.word(k, lane) as i32) + i64::from(self.offset[k]) } else { 0 };
        let level = p.level.map_or(0, |at| i64::from(self.word(at, lane) as i32));
        if self.texture.multisampled && level != 0 {
            return Err(reserved(format!("level {level} of a texture without levels")));
        }
        let slice = i64::from(self.layer(lane)?);
        Ok(texel_at(&self.texture.view(&NoTexels), [0, 1, 2].map(axis), slice, level, 0))
    }

    /// Width, height, depth or layers or cubes, and levels.
    fn size(&self, level: u32) -> [u32; 4] {
        let t = &self.texture;
        let levels = t.level_count();
        if level >= levels {
            return [0, 0, 0, levels];
        }
        let [w, h, d] = t.level_size(level);
        let third = match t.dim {
            Dim::D3 => d,
            Dim::Cube => t.layers / 6,
            _ => t.layers,
        };
        [w, h, third, levels]
    }
}

impl Machine<'_> {
    /// A texture instruction in the lanes of `mask`.
    pub(super) fn texture(&mut self, warp: &mut Warp, code: &Code, mask: u32) -> Result<(), Trap> {
        let get = |name: &str| code.inst.get(name).unwrap_or(0);
        let short = code.inst.row().bytes == 4;
        let (base, write) = (get("base") as usize, if short { 15 } else { get("dvec") });
        let results = write.count_ones() as usize;
        fail_if!(results == 0, unsupported("a texture instruction that writes nothing"));
        fail_if!(code.op == Op::TexCsaa, unsupported("texcsaa: what it gives is unknown"));
        let given = if code.op == Op::TexSize { 1 } else { get("svec") as usize + 1 };
        let end = base + given.max(results);
        if end > warp.regs.len() {
            let message = format!("$r{} of a texture instruction is not allocated", end - 1);
            return Err(bad_register(message));
        }
        let cube = code.inst.row().operand("ox").is_none()
            && (get("cube") == 1 || !matches!(code.op, Op::TexSize | Op::TexQueryLod) && !short);
        let texture = Texture::read(self.memories.entry(0, get("tex"), "$t")?, self.program.generation)?;
        let mut sampling = Sampling::read(self.memories.entry(1, get("samp"), "$s")?, self.program.generation)?;
        if matches!(code.op, Op::TexFetch | Op::TexSize) {
            if !sampling.srgb {
                return Err(reserved(format!("the TSC of $s{} without bit 13, which fetches look at", get("samp"))));
            }
            sampling.sampler.compare = None;
        } else if texture.multisampled {
            return Err(unsupported("sampling of several samples"));
        }
        let wants_cube = texture.dim == Dim::Cube;
        let as_layers = wants_cube && texture.arrayed && !cube && code.op != Op::TexPrep;
        if code.op != Op::TexSize && cube != wants_cube && !as_layers {
            return Err(reserved("the instruction and its texture do not agree on being a cube"));
        }
        let layout = ArgumentLayout::of(code.op, &texture, &sampling, cube);
        if given != layout.count {
            return Err(reserved(format!("{given} arguments, this texture and sampler take {}", layout.count)));
        }
        for k in 0..given {
            self.defined(warp, Src::R32((base + k) as u8), mask)?;
        }
        let offset = ["ox", "oy", "oz"].map(|n| (get(n) << 28) as i32 >> 28);
        let args: Vec<Lanes> = warp.regs[base..base + given].to_vec();
        let fragments = self.program.stage == gpucc_isa::stage::FS;
        let derived =
            matches!(code.op, Op::TexAuto | Op::TexBias | Op::TexQueryLod) && (fragments || get("deriv") == 1);
        let inst = TexInst {
            op: code.op,
            sampling,
            cube,
            derived,
            offset: std::array::from_fn(|k| if k < layout.axes { offset[k] } else { 0 }),
            args: &args,
            layout,
            texture,
        };
        if let (Op::TexLod | Op::TexBias, Some(at)) = (code.op, layout.level) {
            Self::level_of_quads(&inst, at, mask)?;
        }
        let mut found = [[0; 32]; 4];
        // Fragments that do not count are left out on demand.
        let hidden = if fragments && get("live") == 1 { mask & warp.io.invisible } else { 0 };
        let mask = mask & !hidden;
        let mut rest = mask;
        while rest != 0 {
            let lane = first(rest);
            rest &= rest - 1;
            let texel = inst.one(self.memories, lane as usize, Self::by(warp, lane)).map_err(|t| t.in_lane(lane))?;
            for (f, t) in found.iter_mut().zip(texel) {
                f[lane as usize] = t;
            }
        }
        for (n, k) in (0..4).filter(|k| write >> k & 1 == 1).enumerate() {
            warp.write((base + n) as u8, &found[k], mask);
            warp.forget(Dst::R32((base + n) as u8, 1), hidden);
        }
        Ok(())
    }

    /// Bias and level must be the same in all active lanes of a quad.
    fn level_of_quads(inst: &TexInst<'_>, at: usize, mask: u32) -> Result<(), Trap> {
        for lane in lanes(mask) {
            let leader = lane & !3 | (mask >> (lane & !3) & 15).trailing_zeros() as usize;
            if inst.fixed_level(at, lane) != inst.fixed_level(at, leader) {
                let (a, b) = (inst.float(at, leader), inst.float(at, lane));
                let message = format!("levels {a} and {b} in one quad: hardware takes one for all");
                return Err(hazard(message).in_lane(lane as u32));
            }
        }
        Ok(())
    }
}
