//! Image instructions (section 12).

mod address_layout;
mod descriptor;
mod format;
mod sample;
mod texels;

use gpucc_isa::fail_if;
use gpucc_sim::quads::Masks;
use gpucc_sim::texture::{Dim, MemoryTexels, NoTexels, TexelAt, texel_at, texel_words};
use gpucc_sim::trap::{Trap, bad_register, reserved, unsupported};

use super::decode::Decoded;
use super::format::{from_half, to_half};
use super::memory::DeviceMemory;
use super::subgroup::{Order, Wave, undefined};
use crate::attrs::{Access, Atomic, ImageKind, ImageOp, Operation};
use crate::isa::GFX6;
use address_layout::AddressLayout;
use descriptor::{Rules, Sampling, Texture};
use sample::{Address, Sample};

/// The needs of an instruction in the wave, decoded once.
struct Image {
    op: ImageOp,
    texture: Option<Texture>,
    sampling: Option<Sampling>,
    layout: AddressLayout,
    exec: u64,
}

impl Wave {
    /// Image instructions.
    pub(crate) fn image(&mut self, d: &Decoded, env: &mut DeviceMemory) -> Result<(), Trap> {
        let image = self.image_of(d)?;
        self.check_address(d, &image)?;
        let order = self.lane_order(image.exec);
        let effect = d.access != Access::Load;
        if effect {
            for &lane in &order {
                self.image_effect(d, env, &image, lane).map_err(|t| t.in_lane(lane as u32))?;
            }
        } else {
            self.all_arrive(env)?;
            // Results may lie where addresses did, and quads read those of other lanes.
            let mut found = Vec::with_capacity(order.len());
            for &lane in &order {
                found.push(self.image_result(d, env, &image, lane).map_err(|t| t.in_lane(lane as u32))?);
            }
            for (&lane, texel) in order.iter().zip(found) {
                self.image_return(d, &image, lane, texel);
            }
        }
        let locks = (effect && self.generation == GFX6).then_some((d.mem.data.into(), d.mem.data_width));
        if d.access == Access::Store && d.mem.data_width > 2 && self.generation != GFX6 && d.mem.image.r128 {
            self.note_wide_store(u16::from(d.mem.data) + 256, d.mem.data_width);
        }
        self.send(Order::Vmem, d, effect, locks);
        Ok(())
    }

    fn image_of(&self, d: &Decoded) -> Result<Image, Trap> {
        let Operation::Image(op) = d.operation else { return Err(unsupported(format!("`{}`", d.op.name()))) };
        let rules = Rules { generation: self.generation, strict: self.conventions };
        let at = usize::from(d.mem.rsrc);
        let words = if d.mem.image.r128 { 4 } else { 8 };
        let mut texture = Texture::read(&self.s[at..at + words], rules)?;
        let mut sampling = None;
        if op.samples() {
            let at = usize::from(d.mem.image.sampler);
            let s = Sampling::read([self.s[at], self.s[at + 1], self.s[at + 2], self.s[at + 3]], rules)?;
            if let Some(t) = &mut texture {
                if s.degamma {
                    t.format = t.format.degamma()?;
                }
                fail_if!(t.multisampled, unsupported("sampling of several samples"));
            }
            sampling = Some(s);
        }
        let array = d.mem.image.da;
        if let Some(t) = &texture {
            if t.dim == Dim::Cube && !array && op.kind != ImageKind::ResInfo {
                return Err(reserved("T# is a cube, the instruction has no da"));
            }
            fail_if!(d.mem.image.lwe && t.min_lod_warn != 0, unsupported("warnings of levels"));
        }
        fail_if!(d.mem.tfe && d.access == Access::Store, unsupported("tfe on a store, which returns nothing"));
        let layout = op.layout_of(texture.as_ref(), array);
        let exec = if self.mode >> 28 & 1 == 1 { 0 } else { self.exec() };
        Ok(Image { op, texture, sampling, layout, exec })
    }

    /// Address registers hold something in all lanes that get a result, and have arrived in all that are looked at: of coordinates
    /// whose differences count, those of whole quads, whatever EXEC is. A lane of such a quad that left before may hold anything: the
    /// level is then anything, which the oracle says of that quad.
    fn check_address(&self, d: &Decoded, image: &Image) -> Result<(), Trap> {
        if image.texture.is_none() {
            return Ok(());
        }
        let p = &image.layout;
        let first = usize::from(d.mem.addr);
        let last = first + p.count - 1;
        if last >= self.v.len() {
            let have = self.v.len();
            return Err(bad_register(format!("v{last} is an address, the metadata claims {have}")));
        }
        let quads = p.coordinates..p.coordinates + p.axes;
        for k in 0..p.count {
            let whole = image.op.implicit() && quads.contains(&k);
            let lanes = if whole { Masks::whole_quads(image.exec) } else { image.exec };
            let n = first + k;
            self.arrived(n, lanes)?;
            let missing = image.exec & !self.v_known[n];
            fail_if!(missing != 0, undefined(n as u16 + 256).in_lane(missing.trailing_zeros()));
        }
        Ok(())
    }

    fn address(&self, d: &Decoded, image: &Image, lane: usize) -> Address<'_> {
        Address { v: &self.v[usize::from(d.mem.addr)..], lane, layout: image.layout }
    }

    /// Level, layer, column, row and sample of integer coordinates; `None` outside of the view.
    fn place_in_view(&self, d: &Decoded, image: &Image, texture: &Texture, lane: usize) -> Option<TexelAt> {
        let a = self.address(d, image, lane);
        let p = image.layout;
        let axis = |k: usize| if k < p.axes { i64::from(a.word(p.coordinates + k)) } else { 0 };
        let slice = p.slice.map_or(0, |at| i64::from(a.word(at)));
        let sample = p.sample.map_or(0, |at| i64::from(a.word(at)));
        let level = if image.op.mip { i64::from(a.word(p.level)) } else { 0 };
        texel_at(&texture.view(&NoTexels), [0, 1, 2].map(axis), slice, level, sample)
    }

    /// The result of one lane of a load, sample or query.
    fn image_result(&self, d: &Decoded, env: &mut DeviceMemory, image: &Image, lane: usize) -> Result<[u32; 4], Trap> {
        let Some(texture) = &image.texture else { return Ok([0; 4]) };
        if image.op.kind == ImageKind::ResInfo {
            return Ok(resinfo(texture, self.address(d, image, lane).word(0)));
        }
        let (cache, by) = (Some(self.unit).filter(|_| !d.mem.glc), self.by(d, lane));
        let texels = MemoryTexels::new(
            |at| texture.address_in_view(at),
            texture.format.bytes(),
            |address, size| env.load(cache, address, size, by),
            |raw| texture.selected(texture.format.decode(raw)),
        );
        let Some(sampling) = &image.sampling else {
            let Some(at) = self.place_in_view(d, image, texture, lane) else { return Ok([0; 4]) };
            let raw = texels.raw(at)?;
            if image.op.raw {
                return Ok(words(raw, texture.format.bytes(), image.op.signed));
            }
            return Ok(texture.selected(texture.format.decode(raw)));
        };
        let sample = Sample {
            op: image.op,
            texture,
            sampling,
            texels: d.mem.image.unorm || sampling.unnormalised,
            component: d.mem.image.dmask.trailing_zeros() as u8 & 3,
        };
        sample.one(&texels, &self.address(d, image, lane))
    }

    /// Puts what a lane got into its data registers.
    fn image_return(&mut self, d: &Decoded, image: &Image, lane: usize, texel: [u32; 4]) {
        let nfmt = image.texture.as_ref().map_or(0, |t| t.format.number());
        let gathers = image.op.kind == ImageKind::Gather;
        let mut to = usize::from(d.mem.data);
        for (k, word) in texel.into_iter().enumerate() {
            if gathers || d.mem.image.dmask >> k & 1 == 1 {
                self.v[to][lane] = if d.mem.image.d16 { to_half(nfmt, word) } else { word };
                self.v_known[to] |= 1 << lane;
                to += 1;
            }
        }
        self.image_status(d, to, lane);
    }

    /// The status that TFE asks for: everything is resident.
    fn image_status(&mut self, d: &Decoded, to: usize, lane: usize) {
        if d.mem.tfe {
            self.v[to][lane] = 0;
            self.v_known[to] |= 1 << lane;
        }
    }

    /// A store or an atomic in one lane.
    fn image_effect(&mut self, d: &Decoded, env: &mut DeviceMemory, image: &Image, lane: usize) -> Result<(), Trap> {
        let by = self.by(d, lane);
        let place = |t: &Texture| self.place_in_view(d, image, t, lane).map(|at| t.address_in_view(at));
        let at = image.texture.as_ref().and_then(place);
        if let ImageKind::Atomic(op) = image.op.kind {
            // The component mask gives the width.
            let wide = d.mem.data_width == if op.compares() { 4 } else { 2 };
            return self.image_atomic(d, env, image, Atomic { op, wide }, at, lane);
        }
        let (Some(texture), Some(address)) = (&image.texture, at) else { return Ok(()) };
        let raw = self.image_data(d, image.op, texture, lane)?;
        for (byte, size) in texel_words(texture.format.bytes()) {
            let word = (raw >> (8 * byte)) as u64 & (u64::MAX >> (64 - 8 * size));
            self.store(env, address + u64::from(byte), size, word, by)?;
        }
        Ok(())
    }

    /// The bytes that a store leaves: components by DMASK, each where the selection takes it from.
    fn image_data(&self, d: &Decoded, op: ImageOp, texture: &Texture, lane: usize) -> Result<u128, Trap> {
        let mut given = [0; 4];
        let mut from = usize::from(d.mem.data);
        for (k, g) in given.iter_mut().enumerate() {
            if d.mem.image.dmask >> k & 1 == 1 {
                *g = self.v[from][lane];
                from += 1;
            }
        }
        if op.raw {
            return Ok(given.iter().rev().fold(0, |w, &g| w << 32 | u128::from(g)));
        }
        if d.mem.image.d16 {
            given = given.map(|g| from_half(texture.format.number(), g));
        }
        let mut texel = [0; 4];
        let mut covered = 0u8;
        for (k, s) in texture.select.into_iter().enumerate().rev() {
            if let Some(c) = usize::from(s).checked_sub(4) {
                texel[c] = given[k];
                covered |= (d.mem.image.dmask >> k & 1) << c;
            }
        }
        if self.conventions && texture.format.components() & !covered != 0 {
            return Err(reserved("dmask leaves out components that the format has"));
        }
        texture.format.encode(texel)
    }

    fn image_atomic(
        &mut self,
        d: &Decoded,
        env: &mut DeviceMemory,
        image: &Image,
        a: Atomic,
        at: Option<u64>,
        lane: usize,
    ) -> Result<(), Trap> {
        let size = if a.wide { 8 } else { 4 };
        if let Some(t) = &image.texture
            && t.format.bytes() != size
        {
            let bytes = t.format.bytes();
            return Err(reserved(format!("atomic of {size} bytes on texels of {bytes}")));
        }
        self.atomic_at(d, env, a, at, lane)?;
        if d.mem.glc {
            self.image_status(d, usize::from(d.mem.data + d.mem.data_width), lane);
        }
        Ok(())
    }
}

/// The bytes of a texel as words.
fn words(raw: u128, bytes: u32, signed: bool) -> [u32; 4] {
    let mut out = [0, 32, 64, 96].map(|at| (raw >> at) as u32);
    if signed && bytes < 4 {
        let shift = 32 - 8 * bytes;
        out[0] = ((out[0] << shift) as i32 >> shift) as u32;
    }
    out
}

/// Width, height, depth or layers, and levels; the layers of 1D arrays in the place of the height.
fn resinfo(t: &Texture, level: u32) -> [u32; 4] {
    let levels = t.levels_of_view();
    if level >= levels {
        return [0, 0, 0, levels];
    }
    let [w, h, d] = t.level_size(t.first_level + level);
    match t.dim {
        Dim::D1 => [w, t.layers(), 1, levels],
        Dim::D3 => [w, h, d, levels],
        _ => [w, h, t.layers(), levels],
    }
}
