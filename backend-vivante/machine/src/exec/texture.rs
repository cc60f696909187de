//! Texture instructions (reference 11): from registers of lanes to requests of the shared model.

use gpucc_isa::fail_if;
use gpucc_sim::lanes::lanes;
use gpucc_sim::texture::{
    Base, Codec, Coords, Dim, Layer, Lod, MemoryTexels, NoTexels, Request, Texel, TexelAt, View, What, texel_at,
};
use gpucc_sim::{
    SplitMix64, Trap,
    trap::{bad_register, reserved, unsupported},
};

use super::decode::{Place, Pre};
use super::launch::{LANES, LaunchState, Run};
use super::sampler::Unit;
use super::subgroup::{Group, Lanes, Mask};
use crate::GC7000;
use crate::rows::Op;

/// Source 2 of a texel fetch (11).
const TXF_WORD: u32 = 0x1100;

impl Unit {
    /// Address of a texel: tiles of four by four texels, rows of tiles one behind the other.
    fn address(&self, TexelAt { level, layer, x, y, .. }: TexelAt) -> u64 {
        let l = &self.levels[level as usize];
        let bytes = self.format.bytes();
        let tile = (y / 4) * 4 * l.row + (x / 4) * 16 * bytes;
        let inside = ((y % 4) * 4 + x % 4) * bytes;
        u64::from(l.address.wrapping_add(layer * l.layer).wrapping_add(tile + inside))
    }

    fn is_integer(&self) -> bool {
        matches!(self.format.base(), Base::Uint | Base::Sint)
    }

    /// The value that the shader gets of a texel's bytes.
    fn decode(&self, raw: u128) -> Texel {
        let mut texel = self.format.decode(&raw.to_le_bytes());
        if self.luminance {
            (texel[1], texel[2]) = (texel[0], texel[0]);
        }
        self.selected(texel)
    }

    fn selected(&self, texel: Texel) -> Texel {
        let one = if self.is_integer() { 1 } else { 1f32.to_bits() };
        self.select.map(|s| match s {
            4 => 0,
            5 => one,
            k => texel[usize::from(k & 3)],
        })
    }

    fn view<'a>(&self, texels: &'a dyn gpucc_sim::texture::Texels) -> View<'a> {
        View {
            dim: self.dim,
            size: self.size,
            levels: self.levels.len() as u32,
            layers: self.layers,
            samples: 1,
            integer: self.is_integer(),
            fixed_depth: matches!(self.format.base(), Base::Depth),
            texels,
        }
    }

    /// Coordinates that count, layer included.
    fn axes(&self) -> usize {
        match self.dim {
            Dim::D1 => 1,
            Dim::D2 => 2 + usize::from(self.array),
            Dim::D3 | Dim::Cube => 3,
        }
    }
}

/// The value that a lane brings.
struct Operands {
    coords: [Lanes; 4],
    /// Bias or level.
    level: Lanes,
    reference: Option<Lanes>,
    gradients: Option<[[Lanes; 3]; 2]>,
    /// The change of the coordinates in the quad.
    quad: Option<[[Lanes; 3]; 2]>,
}

impl Group {
    /// A sample, a fetch or a gather.
    pub(super) fn texture(&mut self, pre: &Pre, launch: &LaunchState, run: &mut Run, mask: Mask) -> Result<(), Trap> {
        let mut out = [[0; LANES]; 4];
        let mut units: Vec<(usize, Mask)> = Vec::new();
        for i in lanes(mask) {
            let id = self.unit_of(pre, i)?;
            match units.iter_mut().find(|u| u.0 == id) {
                Some(u) => u.1 |= 1 << i,
                None => units.push((id, 1 << i)),
            }
        }
        for (id, lanes) in units {
            let unit = launch.units.get(id).and_then(Option::as_ref);
            let Some(unit) = unit else {
                let at = self.lane_number(lanes.trailing_zeros() as usize);
                return Err(bad_register(format!("texture unit {id} is not set up")).in_lane(at));
            };
            let texels = self.texels(pre, unit, launch, run, lanes)?;
            for (i, texel) in texels {
                for (o, word) in out.iter_mut().zip(texel) {
                    o[i] = word;
                }
            }
        }
        for c in 0..4 {
            if pre.mask >> c & 1 == 1 {
                let values = out[usize::from(pre.texel[c])];
                self.write(pre, c, &values, mask, !0)?;
            }
        }
        Ok(())
    }

    /// The results of the lanes of one unit.
    fn texels(
        &mut self,
        pre: &Pre,
        unit: &Unit,
        launch: &LaunchState,
        run: &mut Run,
        mask: Mask,
    ) -> Result<Vec<(usize, Texel)>, Trap> {
        let mut o = self.operands(pre, unit, launch, mask)?;
        if matches!(pre.op, Op::Texld | Op::Texldb) {
            self.quad_changes(pre, unit, launch, mask, &mut o)?;
        }
        let mut found = Vec::with_capacity(mask.count_ones() as usize);
        for i in lanes(mask) {
            let (by, at) = (self.by(i), self.lane_number(i));
            let texels = MemoryTexels::new(
                |at| unit.address(at),
                unit.format.bytes(),
                |address, size| {
                    let mut bytes = [0; 8];
                    run.world.load(address as u32, false, &mut bytes[..size as usize], by)?;
                    Ok(u64::from_le_bytes(bytes))
                },
                |raw| unit.decode(raw),
            );
            let texel = match pre.op {
                Op::Txf => {
                    let axis = |k: usize| if k < unit.dim.axes() { i64::from(o.coords[k][i] as i32) } else { 0 };
                    let layer = if unit.array { i64::from(o.coords[2][i] as i32) } else { 0 };
                    let level = f32::from_bits(o.level[i]);
                    let level = if level.trunc() == level { level as i64 } else { -1 };
                    match texel_at(&unit.view(&NoTexels), [0, 1, 2].map(axis), layer, level, 0) {
                        Some(at) => unit.decode(texels.raw(at)?),
                        // Memory outside is unknown: anything.
                        None => garbage(launch, i),
                    }
                }
                _ => {
                    let view = unit.view(&texels);
                    let request = self.request(pre, unit, &o, i)?;
                    let compared = request.reference.is_some();
                    let texel = request.run(&view, &unit.sampler).map_err(|t| t.in_lane(at))?;
                    // The result of a comparison is in every component.
                    if compared && request.what == What::Sample { [texel[0]; 4] } else { texel }
                }
            };
            found.push((i, texel));
        }
        Ok(found)
    }

    /// Reads what the instruction and the unit make count; other components may hold anything.
    fn operands(&self, pre: &Pre, unit: &Unit, launch: &LaunchState, mask: Mask) -> Result<Operands, Trap> {
        let s = |slot: usize, c: usize| self.source(&pre.src[slot], c, launch, mask);
        let given = |slot: usize| pre.src[slot].place != Place::None;
        let mut coords = [[0; LANES]; 4];
        for (k, c) in coords.iter_mut().enumerate().take(unit.axes()) {
            *c = s(0, k)?;
        }
        let halti5 = launch.generation == GC7000;
        let mut o = Operands { coords, level: [0; LANES], reference: None, gradients: None, quad: None };
        let mut reference = None;
        match pre.op {
            Op::Texld => reference = given(2).then_some((2, 0)),
            Op::Texldb | Op::Texldl => {
                if halti5 != given(1) {
                    return Err(unsupported("bias and level are in source 1 from HALTI5 on, in src0.w before (11)"));
                }
                o.level = if halti5 { s(1, 0)? } else { s(0, 3)? };
                reference = given(2).then_some((2, 0));
            }
            Op::Texldlpcf => {
                o.level = s(1, 0)?;
                reference = Some((2, 0));
            }
            Op::Texldd | Op::Texldgpcf => {
                let axes = if unit.dim == Dim::Cube { 3 } else { unit.dim.axes() };
                let one = |slot: usize| -> Result<[Lanes; 3], Trap> {
                    let mut g = [[0; LANES]; 3];
                    for (k, g) in g.iter_mut().enumerate().take(axes) {
                        *g = s(slot, k)?;
                    }
                    Ok(g)
                };
                o.gradients = Some([one(1)?, one(2)?]);
                reference = (pre.op == Op::Texldgpcf).then_some((0, 3));
            }
            Op::Txf => {
                o.level = s(1, 0)?;
                let word = s(2, 0)?;
                if lanes(mask).any(|i| word[i] != TXF_WORD) {
                    return Err(unsupported("source 2 of a texel fetch is 4352 (11)"));
                }
            }
            _ => {}
        }
        if reference.is_some() != unit.sampler.compare.is_some() && !matches!(pre.op, Op::Txf | Op::Tg4) {
            return Err(reserved("a reference without a sampler that compares, or the reverse"));
        }
        if let Some((slot, c)) = reference {
            fail_if!(launch.generation == crate::GC2000, unsupported("no sampler compares before HALTI2"));
            o.reference = Some(s(slot, c)?);
        }
        Ok(o)
    }

    /// The change of the coordinates from the first lane of the quad.
    fn quad_changes(
        &mut self,
        pre: &Pre,
        unit: &Unit,
        launch: &LaunchState,
        mask: Mask,
        o: &mut Operands,
    ) -> Result<(), Trap> {
        fail_if!(!launch.fragment, unsupported("a level from the quad outside of fragment programs"));
        let mut changes = [[[0; LANES]; 3]; 2];
        let axes = if unit.dim == Dim::Cube { 3 } else { unit.dim.axes() };
        let [dx, dy] = &mut changes;
        for (k, (dx, dy)) in dx.iter_mut().zip(dy).enumerate().take(axes) {
            let v = self.in_quads(&pre.src[0], k, launch, mask)?;
            for (i, (dx, dy)) in dx.iter_mut().zip(dy).enumerate() {
                let at = |n: usize| f32::from_bits(v[(i & !3) + n]);
                *dx = (at(1) - at(0)).to_bits();
                *dy = (at(2) - at(0)).to_bits();
            }
        }
        o.quad = Some(changes);
        Ok(())
    }

    fn request(&self, pre: &Pre, unit: &Unit, o: &Operands, i: usize) -> Result<Request, Trap> {
        let float = |v: &Lanes| f32::from_bits(v[i]);
        let c: [f32; 3] = [0, 1, 2].map(|k| float(&o.coords[k]));
        let coords = if unit.dim == Dim::Cube { Coords::Direction(c) } else { Coords::Normalised(c) };
        let mut r = Request::new(coords);
        if unit.array {
            r.layer = Layer::Rounded(c[2]);
        }
        r.reference = o.reference.as_ref().map(float);
        match pre.op {
            Op::Texldl | Op::Texldlpcf => r.lod = Lod::Level(float(&o.level)),
            Op::Texldd | Op::Texldgpcf => {
                // Neighbours' coordinates, not differences (11).
                let g = o.gradients.as_ref().map(|g| g.map(|d| [0, 1, 2].map(|k| float(&d[k]) - c[k])));
                let axes = if unit.dim == Dim::Cube { 3 } else { unit.dim.axes() };
                let cut = |d: [f32; 3]| std::array::from_fn(|k| if k < axes { d[k] } else { 0.0 });
                r.lod = Lod::Gradient(g.unwrap_or_default().map(cut));
            }
            Op::Tg4 => {
                let component = pre.src[1].value;
                fail_if!(component > 3, unsupported(format!("gather of component {component}")));
                r.what = What::Gather(component as u8);
            }
            _ => {
                let change = |d: &[Lanes; 3]| [0, 1, 2].map(|k| float(&d[k]));
                r.lod = Lod::Gradient(o.quad.as_ref().map_or([[0.0; 3]; 2], |q| [change(&q[0]), change(&q[1])]));
            }
        }
        if pre.op == Op::Texldb {
            r.bias = float(&o.level);
        }
        Ok(r)
    }
}

/// Words that nobody may rely on.
fn garbage(launch: &LaunchState, lane: usize) -> Texel {
    match launch.seed {
        Some(seed) => {
            let mut r = SplitMix64::new(seed ^ lane as u64);
            [(); 4].map(|()| r.next_u32())
        }
        None => [0xdead_beef; 4],
    }
}
