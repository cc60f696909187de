//! Draws: a vertex and a fragment program as the stages of [`gpucc_sim::draw`] (`docs/abi-gcn.md`, section 11).
//!
//! Register words say what is launched and what exports mean; what preloads of a container say must agree with them. Waves of
//! a batch run one after the other. Parameters of a batch lie in LDS as P0, P10 and P20 of each primitive.

use gpucc_container::{Entry, IoPlace, Preload, Source};
use gpucc_isa::fail_if;
use gpucc_num::pack;
use gpucc_sim::draw::{
    DepthTest, Draw, DrawLaunch, DrawMachine, Handed, Primitive, QuadIn, QuadOut, SLOT_WORDS, Targets, Varyings,
    VertexIn, VertexOut, VertexTraits, Where, push_slot,
};
use gpucc_sim::quads::Masks;
use gpucc_sim::texture::Texel;
use gpucc_sim::{
    AddressSpace, AllocId, At, Core, Dispatch, DrawDevice, DrawState, Registers, Trap,
    trap::{bad_container, reserved, undefined},
};

use super::cache::L1;
use super::export::Export;
use super::launch::{LaunchState, Values, check_scratch};
use super::memory::DeviceMemory;
use super::state;
use super::step::Program;
use super::subgroup::{LANES, Wave};
use crate::abi::{self, reg};

/// Quads of a wave.
const QUADS: usize = LANES / 4;
/// FLAT_SHADE and bit 5 of OFFSET: the values of the three vertices as they are.
const AS_THEY_ARE: u32 = 1 << 10 | 1 << 5;
/// Words of a parameter of a primitive.
const PARAMETER_WORDS: u32 = 12;

/// Register words by address.
pub(super) struct Words<'a>(&'a Registers);

impl Words<'_> {
    pub(super) fn get(&self, register: u32) -> u32 {
        self.0.get(abi::REGISTER_SPACE, register)
    }
}

/// The vertex or the fragment program of a draw.
struct StageProgram<'a> {
    launch: LaunchState<'a>,
    entry: &'a Entry,
    program: Program<'a>,
    values: Values,
    scratch: AllocId,
    mode: u32,
    user: u32,
}

/// The common state of both programs of a draw.
struct Machine<'a> {
    vertex: StageProgram<'a>,
    fragment: Option<StageProgram<'a>>,
    words: Words<'a>,
    /// The draw's values that preloads may ask for.
    state: DrawState,
    /// Whether the second colour goes beside the first one.
    dual: bool,
    /// Where POS_X and POS_Y are.
    position: Where,
    generation: u8,
    conventions: bool,
    /// Samples of a pixel.
    samples: u32,
    /// Whether a parameter is read as the three vertices gave it.
    tells_vertices: bool,
    perturb: Option<u64>,
}

/// A compute unit.
type Unit = Core<DeviceMemory>;

gpucc_sim::draw_entry!(super::launch::LIMITS, LANES, Machine::new);

impl<'a> StageProgram<'a> {
    fn new(
        common: &'a gpucc_sim::Launch<'a>,
        entry: &'a Entry,
        words: &Words<'_>,
        [rsrc1, rsrc2]: [u32; 2],
    ) -> Result<StageProgram<'a>, Trap> {
        let (rsrc1, rsrc2) = (words.get(rsrc1), words.get(rsrc2));
        if entry.meta.family_words != (abi::FamilyWords { rsrc1, rsrc2 }).to_words() {
            return Err(bad_container("register words and family words disagree"));
        }
        let (sgprs, vgprs) = (entry.meta.registers_of(abi::FILE_SGPR), entry.meta.registers_of(abi::FILE_VGPR));
        let want = abi::rsrc1(vgprs.into(), sgprs.into(), rsrc1 >> 12 & 0xff, common.generation);
        // Room for VCC behind the others is a convention.
        let ours = common.options.rules == gpucc_sim::Rules::Conventions;
        if ours && rsrc1 & 0x3ff != want & 0x3ff {
            return Err(bad_container(format!("RSRC1 {rsrc1:#x} does not fit {sgprs} SGPRs and {vgprs} VGPRs")));
        }
        check_scratch(entry.meta.scratch_bytes, rsrc2 & 1 == 1)?;
        let mode = rsrc1 >> 12 & 0xff | (rsrc1 >> 21 & 1) << 8 | (rsrc1 >> 23 & 1) << 9;
        let launch = LaunchState::staged(common, entry, mode);
        let of = (common.generation, entry.stage.bit());
        let program = Program::new(&entry.code, entry.code.len(), of, launch.limits);
        let (values, scratch) = (Values::default(), AllocId(0));
        Ok(StageProgram { launch, entry, program, values, scratch, mode, user: rsrc2 >> 1 & 31 })
    }

    /// That the preloads are what register words make the hardware load.
    fn check(&self, words: &Words<'_>, is_fragment: bool) -> Result<(), Trap> {
        let mut system = Vec::new();
        if is_fragment {
            system.push(Source::Family(abi::FAMILY_PRIM_MASK));
        }
        if self.entry.meta.scratch_bytes > 0 {
            system.push(Source::ScratchBase);
        }
        let mut vgprs = Vec::new();
        if is_fragment {
            let (on, addressed) = (words.get(reg::SPI_PS_INPUT_ENA), words.get(reg::SPI_PS_INPUT_ADDR));
            if on & !addressed != 0 || on & 0x7f == 0 {
                return Err(bad_container(format!("SPI_PS_INPUT_ENA {on:#x} with SPI_PS_INPUT_ADDR {addressed:#x}")));
            }
            for bit in (0..16).filter(|b| addressed >> b & 1 == 1) {
                let n = [2, 2, 2, 3, 2, 2, 2].get(bit as usize).copied().unwrap_or(1);
                vgprs.extend((0..n).map(|k| Source::Family(abi::FAMILY_PS_INPUT + 4 * bit + k)));
            }
        } else {
            vgprs.push(Source::VertexIndex);
            let more = [Source::InstanceIndex, Source::Family(abi::FAMILY_PRIMITIVE)];
            let count = words.get(reg::SPI_SHADER_PGM_RSRC1_VS) >> 24 & 3;
            vgprs.extend(more.into_iter().take(count as usize));
            if count > 1 && words.get(reg::VGT_PRIMITIVEID_EN) & 1 == 0 {
                return Err(bad_container(
                    "VGPR_COMP_CNT asks for the number of a primitive, and VGT_PRIMITIVEID_EN is 0",
                ));
            }
        }
        for p in &self.entry.preloads {
            let at = usize::from(p.index);
            let fits = match p.file {
                abi::FILE_SGPR if at < self.user as usize => true,
                abi::FILE_SGPR => system.get(at - self.user as usize) == Some(&p.source),
                abi::FILE_VGPR => vgprs.get(at) == Some(&p.source),
                abi::FILE_ROOT => true,
                _ => false,
            };
            if !fits {
                return Err(bad_container(format!(
                    "the register words load no {:?} into place {at} of file {}",
                    p.source, p.file
                )));
            }
        }
        Ok(())
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
        let (words, common) = (Words(registers), &launch.common);
        let rsrc = [reg::SPI_SHADER_PGM_RSRC1_VS, reg::SPI_SHADER_PGM_RSRC2_VS];
        let mut vertex = StageProgram::new(common, launch.vertex, &words, rsrc)?;
        vertex.check(&words, false)?;
        let conventions = vertex.launch.limits.conventions;
        state::vertex(&words)?;
        let rsrc = [reg::SPI_SHADER_PGM_RSRC1_PS, reg::SPI_SHADER_PGM_RSRC2_PS];
        let mut fragment = launch.fragment.map(|f| StageProgram::new(common, f, &words, rsrc)).transpose()?;
        if let Some(f) = &fragment {
            f.check(&words, true)?;
            state::fragment(&words)?;
        }
        let options = common.options;
        let mut space = AddressSpace::new64(options.perturb);
        let (mut memory, buffers) = launch.memory(dispatch, device, &mut space)?;
        let l1 = L1::new(&memory, memory.count());
        let position = position_place(words.get(reg::SPI_BARYC_CNTL))?;
        let read = (words.get(reg::SPI_PS_IN_CONTROL) & 63) as usize;
        let lds = memory.alloc_undefined("parameters", read * QUADS * 4 * PARAMETER_WORDS as usize, None);
        for (k, side) in [Some(&mut vertex), fragment.as_mut()].into_iter().enumerate() {
            let Some(side) = side else { continue };
            let place = (&mut memory, &mut space);
            side.values = side.launch.values(place, buffers.clone(), &device.device, &device.tables[k])?;
            side.scratch = side.launch.scratch_of(&mut memory, &mut space, &mut side.values)?;
            let root = |p: &Preload, values: &Values| side.launch.value(p, values, At::Draw(&launch.state));
            side.launch.fill_root(&mut memory, &mut space, &mut side.values, root)?;
        }
        let target = draw.merger.targets.first().and_then(Option::as_ref);
        let env = DeviceMemory::new((memory, space, l1), (lds, 0), vertex.scratch);
        let machine = Machine {
            conventions,
            samples: draw.raster.samples,
            tells_vertices: (0..read as u32)
                .any(|a| words.get(reg::SPI_PS_INPUT_CNTL_0 + 4 * a) & AS_THEY_ARE == AS_THEY_ARE),
            vertex,
            fragment,
            words,
            state: launch.state,
            dual: target.is_some_and(|t| t.blend.is_some_and(|b| b.reads_second())),
            position,
            generation: common.generation,
            perturb: options.perturb,
        };
        Ok((machine, env))
    }

    /// Runs a wave of a program; gives its exports.
    fn run(
        &self,
        side: &StageProgram<'_>,
        unit: &mut Unit,
        (exec, known): (u64, u64),
        prim_mask: u32,
        lane: &mut dyn FnMut(Source, usize) -> u32,
    ) -> Result<Vec<Export>, Trap> {
        let vgprs = side.launch.limits.vgprs as usize;
        let mut rng = unit.begin();
        unit.world.scratch = side.scratch;
        if unit.world.memory.len(side.scratch) > 0 {
            unit.world.memory.reset_undefined(side.scratch, rng.as_mut());
        }
        let mut w = Wave::new(vgprs, self.generation, side.mode, rng);
        w.set_exec(exec);
        w.conventions = self.conventions;
        w.seed = self.perturb;
        w.code = side.values.code();
        // Stores of an earlier wave may be in memory: the caches begin anew with each draw only.
        w.scalar_epoch = 0;
        for p in &side.entry.preloads {
            let at = usize::from(p.index);
            match p.file {
                abi::FILE_SGPR => {
                    w.s[at] = match p.source {
                        Source::Family(abi::FAMILY_PRIM_MASK) => prim_mask,
                        Source::ScratchBase => 0,
                        _ => side.launch.value(p, &side.values, At::Draw(&self.state))?,
                    };
                    w.s_known |= 1 << at;
                }
                abi::FILE_VGPR if at < w.v.len() => {
                    for l in (0..LANES).filter(|l| known >> l & 1 == 1) {
                        w.v[at][l] = lane(p.source, l);
                    }
                    w.v_known[at] = known;
                }
                _ => {}
            }
        }
        side.program.exports(w, unit)
    }

    /// Positions, clip distances and parameters of a wave.
    fn collect(
        &self,
        exports: &[Export],
        count: usize,
        words: &mut Vec<u32>,
        out: &mut Vec<VertexOut>,
    ) -> Result<(), Trap> {
        let exec = if count == LANES { u64::MAX } else { (1 << count) - 1 };
        let find = |target: u8| exports.iter().find(|e| e.target == target);
        let whole = |e: &Export| match exec & !e.lanes {
            0 => Ok(()),
            owed => Err(undefined("a vertex was not exported").in_lane(owed.trailing_zeros())),
        };
        let positions = self.words.get(reg::SPI_SHADER_POS_FORMAT);
        let used = (0..4).filter(|k| positions >> (4 * k) & 15 != 0).count() as u8;
        let done = exports.iter().rfind(|e| (12..16).contains(&e.target)).is_some_and(|e| e.done);
        fail_if!(!done, reserved("the last position export does not say that it is done"));
        for k in 0..used {
            whole(find(12 + k).ok_or_else(|| missing(12 + k))?)?;
        }
        let parameters = (self.words.get(reg::SPI_VS_OUT_CONFIG) >> 1 & 31) as u8 + 1;
        for k in 0..parameters {
            find(32 + k).map_or(Ok(()), whole)?;
        }
        let control = self.words.get(reg::PA_CL_VS_OUT_CNTL);
        let distances = self.distances_at(control, used)?;
        let asked = (0..16).map(|k| (k, distances + k % 8 / 4, k % 4)).chain([(16, 13, 0), (18, 13, 2), (19, 13, 3)]);
        for (_, target, k) in asked.filter(|(bit, ..)| control >> bit & 1 == 1) {
            if find(target).is_none_or(|e| e.enabled >> k & 1 == 0) {
                return Err(undefined(format!(
                    "PA_CL_VS_OUT_CNTL asks for component {k} of export {target}, which is not there"
                )));
            }
        }
        for lane in 0..count {
            let at = |target: u8, k: usize| find(target).map_or(0, |e| e.words[k][lane]);
            let mut v = VertexOut { position: [0, 1, 2, 3].map(|k| f32::from_bits(at(12, k))), ..VertexOut::default() };
            for k in (0..8).filter(|k| control >> k & 1 == 1) {
                v.clip[k] = f32::from_bits(at(distances + k as u8 / 4, k % 4));
            }
            for k in (0..8).filter(|k| control >> (8 + k) & 1 == 1) {
                v.cull[k] = f32::from_bits(at(distances + k as u8 / 4, k % 4));
            }
            for (bit, k, to) in [(18, 2, &mut v.layer), (19, 3, &mut v.viewport)] {
                if control >> bit & 1 == 1 {
                    *to = at(13, k);
                }
            }
            v.point_size = self.point_size((control >> 16 & 1 == 1).then(|| f32::from_bits(at(13, 0))));
            let from = words.len() as u32;
            for k in 0..parameters {
                let e = find(32 + k);
                push_slot(words, [0, 1, 2, 3].map(|c| e.filter(|e| e.enabled >> c & 1 == 1).map(|e| e.words[c][lane])));
            }
            v.words = from..words.len() as u32;
            out.push(v);
        }
        Ok(())
    }

    /// The width of a point: that of its vertex within PA_SU_POINT_MINMAX, or the one of PA_SU_POINT_SIZE. Both hold halves in sixteenths.
    fn point_size(&self, given: Option<f32>) -> Option<f32> {
        let of = |half: u32| half as f32 / 8.0;
        let word = self.words.get(reg::PA_SU_POINT_MINMAX);
        let set = match self.words.get(reg::PA_SU_POINT_SIZE) >> 16 {
            0 => None,
            half => Some(of(half)),
        };
        given.map(|s| if s.is_nan() { of(word & 0xffff) } else { s.min(of(word >> 16)).max(of(word & 0xffff)) }).or(set)
    }

    /// The export of the first clip distances. Position exports are dense: the one behind the position has point size, edge flag, layer
    /// and viewport if bit 21 of PA_CL_VS_OUT_CNTL says so, and those of clip distances follow.
    fn distances_at(&self, control: u32, used: u8) -> Result<u8, Trap> {
        let wrong = |what: &str| Err(bad_container(format!("PA_CL_VS_OUT_CNTL {control:#x} {what}")));
        let on = |bit: u32| control >> bit & 1 == 1;
        let (beside, misc) = (control & 0x000d_0000, on(21));
        // Bits of no clip distance, size, layer or viewport.
        if control & !0x01ed_ffff != 0 {
            return wrong("asks for what is not modelled");
        }
        if misc != on(24) || beside != 0 && !misc {
            return wrong("does not turn the vector of sizes, layers and viewports on as a whole");
        }
        let vectors = [misc, on(22), on(23)].into_iter().filter(|&v| v).count() as u8;
        if used != 1 + vectors {
            return wrong(&format!("does not fit {used} position exports"));
        }
        let either = control | control >> 8;
        for (clip, vector) in [(either & 0xf, on(22)), (either >> 4 & 0xf, on(23))] {
            if clip != 0 && !vector {
                return wrong("clips by distances of a vector that is off");
            }
        }
        Ok(13 + u8::from(misc))
    }

    /// Puts the parameters of a batch into LDS; gives PRIM_MASK.
    fn place_parameters(&self, env: &mut DeviceMemory, batch: &[QuadIn<'_>], given: &[u32]) -> Result<u32, Trap> {
        let mut new_primitive_mask = 0;
        let mut primitives = vec![batch[0].primitive];
        for (k, pair) in batch.windows(2).enumerate() {
            if !std::ptr::eq(pair[0].primitive, pair[1].primitive) {
                new_primitive_mask |= 1 << k;
                primitives.push(pair[1].primitive);
            }
        }
        let read = self.words.get(reg::SPI_PS_IN_CONTROL) & 63;
        env.memory.reset_undefined(env.lds, None);
        env.lds_size = read * primitives.len() as u32 * 4 * PARAMETER_WORDS;
        for a in 0..read {
            let control = self.words.get(reg::SPI_PS_INPUT_CNTL_0 + 4 * a);
            let (from, flat) = (control & 31, control >> 10 & 1 == 1);
            // OFFSET 32 and more is no parameter, or the values of the three vertices as they are where it is flat.
            let (given_by_none, as_they_are) = (control >> 5 & 1 == 1 && !flat, control >> 5 & 1 == 1 && flat);
            let sprite = control >> 17 & 1 == 1 && self.words.get(reg::SPI_INTERP_CONTROL_0) >> 1 & 1 == 1;
            if !given_by_none && from > self.words.get(reg::SPI_VS_OUT_CONFIG) >> 1 & 31 {
                return Err(bad_container(format!(
                    "SPI_PS_INPUT_CNTL_{a} names parameter {from}, which is not exported"
                )));
            }
            for (p, primitive) in primitives.iter().enumerate() {
                let start = PARAMETER_WORDS * (a * primitives.len() as u32 + p as u32);
                let mut put = |k: u32, v: u32| env.memory.store(env.lds, u64::from(4 * (start + k)), 4, v.into());
                let planes = match () {
                    () if sprite && primitive.count == 1 => Some(self.sprite()?),
                    () if given_by_none => Some(default_value(control >> 8 & 3)),
                    () => None,
                };
                if let Some(planes) = planes {
                    for (c, [p0, p10, p20]) in (0..4).zip(planes) {
                        put(2 * c, p0.to_bits())?;
                        put(2 * c + 1, p10.to_bits())?;
                        put(8 + c, p20.to_bits())?;
                    }
                    continue;
                }
                // A flat value is the provoking vertex's, whichever of them is the first.
                let first = if flat && !as_they_are { 0 } else { self.first_vertex(primitive) };
                let order = [0, 1, 2].map(|k| primitive.from_provoking(first + k));
                let of = |vertex: usize| {
                    let at = primitive.words[vertex].clone();
                    &given[at.start as usize..at.end as usize][(SLOT_WORDS * from) as usize..]
                };
                let enabled = of(order[0])[0];
                for c in (0..4u32).filter(|c| enabled >> c & 1 == 1) {
                    let value = |k: usize| {
                        let vertex = if order[k] < primitive.count as usize { order[k] } else { order[0] };
                        of(vertex)[1 + c as usize]
                    };
                    let [p0, p1, p2] = [0, 1, 2].map(value);
                    let minus = |a: u32| (f32::from_bits(a) - f32::from_bits(p0)).to_bits();
                    put(2 * c, p0)?;
                    if as_they_are {
                        put(2 * c + 1, p1)?;
                        put(8 + c, p2)?;
                    } else if !flat {
                        put(2 * c + 1, minus(p1))?;
                        put(8 + c, minus(p2))?;
                    }
                }
            }
        }
        Ok(new_primitive_mask << 16)
    }

    /// Which vertex of a triangle, counted from the provoking one, is the hardware's first. Any may be, where the program can tell: what is
    /// interpolated is rounded otherwise then.
    fn first_vertex(&self, primitive: &Primitive) -> usize {
        match self.perturb {
            Some(seed) if primitive.count == 3 && self.tells_vertices => (seed as usize ^ primitive.index as usize) % 3,
            _ => 0,
        }
    }

    /// The planes of the components of an input that points replace: by I it goes to the right, by J down.
    fn sprite(&self) -> Result<[[f32; 3]; 4], Trap> {
        let word = self.words.get(reg::SPI_INTERP_CONTROL_0);
        let mut planes = [[0.0; 3]; 4];
        for (c, plane) in planes.iter_mut().enumerate() {
            *plane = match (word >> (2 + 3 * c) & 7, word >> 14 & 1) {
                (0, _) => [0.0; 3],
                (1, _) => [1.0, 0.0, 0.0],
                (2, _) => [0.0, 1.0, 0.0],
                (3, 0) => [0.0, 0.0, 1.0],
                (3, _) => [1.0, 0.0, -1.0],
                _ => return Err(bad_container(format!("SPI_INTERP_CONTROL_0 {word:#x} keeps component {c}"))),
            };
        }
        Ok(planes)
    }

    /// The exports of a wave for its quads.
    fn merge(&self, batch: &[QuadIn<'_>], exports: &[Export], out: &mut Vec<QuadOut>) -> Result<(), Trap> {
        let covered = Masks::of(batch).covered;
        let done = exports.iter().rfind(|e| e.target < 12).filter(|e| e.done && e.valid);
        let Some(done) = done else {
            return Err(reserved("the wave ends without a last export"));
        };
        let control = self.words.get(reg::DB_SHADER_CONTROL);
        let live = if control >> 6 & 1 == 1 { covered & done.lanes } else { covered };
        let formats = self.words.get(reg::SPI_SHADER_COL_FORMAT);
        let mask = self.words.get(reg::CB_SHADER_MASK);
        let attachments: Vec<usize> = (0..8).filter(|k| mask >> (4 * k) & 15 != 0).collect();
        let quads = QuadOut::batch(out, batch.len(), live);
        if live == 0 {
            // All were discarded: the program may end without colours.
            return Ok(());
        }
        for (number, &attachment) in attachments.iter().enumerate() {
            let e = exports.iter().find(|e| usize::from(e.target) == number).ok_or_else(|| missing(number as u8))?;
            owes(live & !e.lanes)?;
            let format = formats >> (4 * number) & 15;
            if e.compressed != (4..9).contains(&format) {
                return Err(reserved(format!("export {number} does not fit format {format}")));
            }
            for (q, lanes) in QuadOut::lanes(quads) {
                let to = if self.dual && attachment == 1 { &mut q.second } else { &mut q.colour[attachment] };
                *to = lanes.map(|lane| colour(format, [0, 1, 2, 3].map(|k| e.words[k][lane])));
            }
        }
        if control & 0x103 != 0 {
            let e = exports.iter().find(|e| e.target == 8).ok_or_else(|| missing(8))?;
            owes(live & !e.lanes)?;
            self.check_depth_export(e)?;
            let (stencil, shift, mask) = if e.compressed { (0, 16, 1) } else { (1, 0, 2) };
            for (q, lanes) in QuadOut::lanes(quads) {
                let word = |k: usize| lanes.map(|lane| e.words[k][lane]);
                q.depth = (control & 1 == 1).then(|| word(0).map(f32::from_bits));
                q.stencil = (control >> 1 & 1 == 1).then(|| word(stencil).map(|s| s >> shift & 0xff));
                q.mask = (control >> 8 & 1 == 1).then(|| word(mask).map(|m| m & 0xffff));
            }
        }
        Ok(())
    }
}

impl Machine<'_> {
    /// That the export of depth, stencil value and mask fits SPI_SHADER_Z_FORMAT.
    fn check_depth_export(&self, e: &Export) -> Result<(), Trap> {
        let (control, format) = (self.words.get(reg::DB_SHADER_CONTROL), self.words.get(reg::SPI_SHADER_Z_FORMAT) & 15);
        // 32_R, 32_GR and 32_ABGR have as many words, UINT16_ABGR halves and no room for a depth.
        let (words, halves) = match format {
            1 => (1, false),
            2 => (3, false),
            9 => (15, false),
            7 => (14, true),
            f => return Err(bad_container(format!("SPI_SHADER_Z_FORMAT {f} with a depth, a stencil value or a mask"))),
        };
        let asked = control & 3 | control >> 6 & 4;
        if e.compressed != halves || asked & !words != 0 {
            let said =
                format!("the export of the depth does not fit SPI_SHADER_Z_FORMAT {format}, or what is asked of it");
            return Err(reserved(said));
        }
        Ok(())
    }
}

/// The planes of an input that no parameter gives, by DEFAULT_VAL.
fn default_value(number: u32) -> [[f32; 3]; 4] {
    let (xyz, w) = ([0.0, 0.0, 1.0, 1.0][number as usize], [0.0, 1.0, 0.0, 1.0][number as usize]);
    [xyz, xyz, xyz, w].map(|v| [v, 0.0, 0.0])
}

fn missing(target: u8) -> Trap {
    undefined(format!("register words ask for export {target}, which is not there"))
}

fn owes(lanes: u64) -> Result<(), Trap> {
    match lanes {
        0 => Ok(()),
        l => Err(undefined("a pixel that lives was not exported").in_lane(l.trailing_zeros())),
    }
}

/// A colour as the format of its export says.
fn colour(format: u32, w: [u32; 4]) -> Texel {
    let one = 1f32.to_bits();
    let pairs = |of: &dyn Fn(u32) -> [f32; 2]| {
        let ([x, y], [z, a]) = (of(w[0]), of(w[1]));
        [x, y, z, a].map(f32::to_bits)
    };
    let halves = |of: &dyn Fn(u32) -> u32| [of(w[0] & 0xffff), of(w[0] >> 16), of(w[1] & 0xffff), of(w[1] >> 16)];
    match format {
        1 => [w[0], 0, 0, one],
        2 => [w[0], w[1], 0, one],
        3 => [w[0], 0, 0, w[3]],
        4 => pairs(&pack::unpack2x16float),
        5 => pairs(&pack::unpack2x16unorm),
        6 => pairs(&pack::unpack2x16snorm),
        7 => halves(&|h| h),
        8 => halves(&|h| h as u16 as i16 as u32),
        _ => w,
    }
}

impl DrawMachine for Machine<'_> {
    const LANES: usize = LANES;
    type World = DeviceMemory;

    fn depth(&self) -> DepthTest {
        match self.words.get(reg::DB_SHADER_CONTROL) {
            c if c >> 12 & 1 == 1 => DepthTest::Early,
            c if c & 0x603 != 0 => DepthTest::Late,
            _ => DepthTest::Reject,
        }
    }

    fn vertex_traits(&self) -> VertexTraits {
        let numbers_primitives = self.words.get(reg::VGT_PRIMITIVEID_EN) & 1 == 1;
        VertexTraits { numbers_primitives, ..VertexTraits::default() }
    }

    fn varyings(&self) -> Varyings {
        let parameters = (self.words.get(reg::SPI_VS_OUT_CONFIG) >> 1 & 31) + 1;
        let mut all = Varyings::of_slots(parameters);
        for row in self.vertex.entry.interface.iter().filter(|r| r.output) {
            let slot = row.index.into();
            match row.at {
                IoPlace::Location { number, .. } => all.put(number, slot),
                IoPlace::PrimitiveIndex => all.numbers.push((Handed::PrimitiveIndex, SLOT_WORDS * slot + 1)),
                IoPlace::VertexNumber => all.numbers.push((Handed::VertexNumber, SLOT_WORDS * slot + 1)),
                _ => {}
            }
        }
        all
    }

    fn vertices(
        &self,
        unit: &mut Unit,
        batch: &[VertexIn],
        words: &mut Vec<u32>,
        out: &mut Vec<VertexOut>,
    ) -> Result<(), Trap> {
        let exec = if batch.len() == LANES { u64::MAX } else { (1 << batch.len()) - 1 };
        let mut lane = |s: Source, l: usize| match s {
            Source::InstanceIndex => batch[l].instance.wrapping_sub(self.state.first[1]),
            Source::Family(abi::FAMILY_PRIMITIVE) => batch[l].primitive,
            _ => batch[l].vertex.wrapping_sub(self.state.first[0]),
        };
        let exports = self.run(&self.vertex, unit, (exec, exec), 0, &mut lane)?;
        self.collect(&exports, batch.len(), words, out)?;
        if self.conventions { state::vertex_agrees(&self.words, self.vertex.entry) } else { Ok(()) }
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
        let prim_mask = self.place_parameters(&mut unit.world, batch, words)?;
        let Masks { covered, whole, .. } = Masks::of(batch);
        let mut lane = |s: Source, l: usize| match s {
            Source::Family(n) if n >= abi::FAMILY_PS_INPUT => {
                let n = n - abi::FAMILY_PS_INPUT;
                let quad = &batch[l / 4];
                let order = |k: usize| quad.primitive.from_provoking(self.first_vertex(quad.primitive) + k);
                input(quad, l % 4, (n / 4, n as usize % 4), (self.position, order))
            }
            _ => 0,
        };
        let exports = self.run(fragment, unit, (covered, whole), prim_mask, &mut lane)?;
        self.merge(batch, &exports, out)?;
        if self.conventions { state::fragment_agrees(&self.words, fragment.entry, self.samples) } else { Ok(()) }
    }
}

/// Where SPI_BARYC_CNTL puts POS_X and POS_Y: its POS_FLOAT_LOCATION, beside which nothing may be set.
fn position_place(word: u32) -> Result<Where, Trap> {
    match word {
        0 => Ok(Where::Center),
        0x1_0000 => Ok(Where::Centroid),
        0x2_0000 => Ok(Where::Sample),
        w => Err(bad_container(format!(
            "SPI_BARYC_CNTL {w:#x}: of its fields only POS_FLOAT_LOCATION is modelled, 0 to 2"
        ))),
    }
}

/// A word of an item of SPI_PS_INPUT_ADDR in a lane of a quad.
fn input(
    quad: &QuadIn<'_>,
    lane: usize,
    (item, word): (u32, usize),
    (position, order): (Where, impl Fn(usize) -> usize),
) -> u32 {
    let p = quad.primitive;
    match item {
        // The pull model: what is divided by w is plane over the screen, so that programs may take it to any point.
        3 => {
            let w = quad.weights(lane, Where::Center);
            let k = order(1 + word);
            let share = if word == 2 { 1.0 } else { w.perspective[k] };
            ((share * w.inv_w) as f32).to_bits()
        }
        0..=6 => {
            let at = match item % 4 {
                0 => Where::Sample,
                2 => Where::Centroid,
                _ => Where::Center,
            };
            if p.count == 1 {
                let (x, y) = quad.point(lane, at);
                return quad.setup.point_coord(x, y)[word].to_bits();
            }
            let w = quad.weights(lane, at);
            let shares = if item < 4 { w.perspective } else { w.linear };
            let k = order(1 + word);
            if k < p.count as usize { (shares[k] as f32).to_bits() } else { 0 }
        }
        8 | 9 => {
            let (x, y) = quad.point(lane, position);
            ((if item == 8 { x } else { y }) as f32 / 256.0).to_bits()
        }
        10 => quad.position(lane)[2].to_bits(),
        11 => (1.0 / quad.position(lane)[3]).to_bits(),
        12 => if p.front { 1f32 } else { -1f32 }.to_bits(),
        13 => u32::from(quad.sample.unwrap_or(0)) << 8 | p.layer << 16,
        14 if quad.sample.is_some() => quad.rasterised[lane],
        14 => quad.mask(lane),
        _ => 0,
    }
}
