//! Makes waves with their first registers of a container and a dispatch (`docs/abi-gcn.md`).

use gpucc_container::{Container, DescriptorKey, Entry, Preload, Source};
use gpucc_isa::{Isa, fail_if};
use gpucc_sim::{
    AddressSpace, Agent, AllocId, At, BarrierRule, Core, Device, Dispatch, Machine, Memory, OwnMemory, Past, RaceCheck,
    Rules, RunOptions, RunReport, RunState, Simulator, SplitMix64, Trap, trap::bad_container,
};

use super::cache::{L1, UNITS};
use super::decode::Limits;
use super::memory::DeviceMemory;
use super::step::Program;
use super::subgroup::{LANES, Wave};
use crate::abi::{self, Rsrc2};
use crate::isa::{GFX8, Gcn};

pub(super) const LIMITS: gpucc_sim::Limits =
    gpucc_sim::Limits { family: Gcn::NAME, generations: Gcn::GENERATIONS, invocations: 1024, workgroups: u32::MAX };

gpucc_sim::run_alone!(run_on);

/// As [`run`], with what a driver part placed in memory: textures, and the words of their descriptors.
///
/// # Errors
/// As [`run`].
pub fn run_on(
    container: &Container,
    entry: Option<&str>,
    dispatch: &mut Dispatch,
    device: &mut Device,
    options: &RunOptions,
) -> Result<RunReport, Trap> {
    let common = gpucc_sim::Launch::on(&LIMITS, container, entry, dispatch, device, options)?;
    let launch = LaunchState::new(&common)?;
    let (code, of) = (&common.entry.code, (common.generation, common.entry.stage.bit()));
    let program = &Program::new(code, common.instructions().len(), of, launch.limits);
    let core = Core::new(launch.environment(dispatch, device)?, options);
    common.run_on(Run { launch: &launch, program, core }, dispatch, device)
}

/// A run under way.
struct Run<'a> {
    launch: &'a LaunchState<'a>,
    program: &'a Program<'a>,
    core: Core<DeviceMemory>,
}

impl Machine for Run<'_> {
    type Subgroup = Wave;

    fn start(&mut self, slot: usize, number: u64, id: [u32; 3], waves: &mut Vec<Wave>) -> Result<(), Trap> {
        self.enter(slot);
        self.core.world.races.begin(slot, id);
        let rng = self.core.seed.as_ref().map(|s| s.fork(number));
        *waves = self.launch.waves(&mut self.core.world, id, rng, number)?;
        self.core.counts.report.subgroups += waves.len() as u64;
        Ok(())
    }

    fn enter(&mut self, slot: usize) {
        let DeviceMemory { own, memory, races, .. } = &mut self.core.world;
        own.enter(slot, memory, races);
    }

    fn run(&mut self, w: &mut Wave, time_slice: u32) -> Result<RunState, Trap> {
        self.program.run(w, time_slice, &mut self.core)
    }

    fn passed_barrier(&mut self) {
        self.core.world.races.barrier();
    }
}

impl Simulator for Run<'_> {
    type World = DeviceMemory;
    const BARRIERS: BarrierRule = BarrierRule { ended_arrives: true, same_place: true };

    fn core(&mut self) -> &mut Core<DeviceMemory> {
        &mut self.core
    }

    fn races(&mut self) -> &mut RaceCheck {
        &mut self.core.world.races
    }

    fn twin(&self) -> Self {
        Run { core: self.core.beside(), ..*self }
    }

    fn text(&self, pc: u64) -> String {
        self.program.text(pc as u32)
    }
}

/// A checked entry point.
pub(crate) struct LaunchState<'a> {
    common: &'a gpucc_sim::Launch<'a>,
    entry: &'a Entry,
    generation: u8,
    pub limits: Limits,
    rsrc2: Rsrc2,
    mode: u32,
}

/// Addresses and sizes that preloads ask for.
#[derive(Clone, Default)]
pub(crate) struct Values {
    /// Addresses of the buffers of the launch.
    buffers: Vec<u64>,
    data: (u64, u32),
    root: u64,
    scratch: u64,
    code: u64,
    /// The words that a driver part wrote.
    device: Device,
}

impl Values {
    /// Where the code lies.
    pub(crate) fn code(&self) -> u64 {
        self.code
    }

    /// Whether a texture or sampler is bound there.
    fn describes(&self, group: u32, binding: u32) -> bool {
        self.device.descriptors.iter().any(|d| (d.of.group, d.of.binding) == (group, binding))
    }

    /// A word of an element's descriptors: of each [`abi::ELEMENT_WORDS`], the sampler's behind the texture's.
    fn word(&self, group: u32, binding: u32, word: u32) -> Result<u32, Trap> {
        let (element, at) = (word / abi::ELEMENT_WORDS, word % abi::ELEMENT_WORDS);
        let sampler = at >= abi::SAMPLER_WORD;
        let at = if sampler { at - abi::SAMPLER_WORD } else { at };
        let of = DescriptorKey { group, binding, sampler, element, ..DescriptorKey::default() };
        let found = self.device.descriptor(of);
        found
            .and_then(|d| d.words.get(at as usize))
            .copied()
            .ok_or_else(|| bad_container(format!("group {group} binding {binding} has no descriptor word {word}")))
    }

    /// The table of the bind group that a table number means.
    fn table(&self, number: u16) -> Result<u64, Trap> {
        let group = u32::from(number) - 1;
        self.device.table(group).ok_or_else(|| bad_container(format!("there is no table of bind group {group}")))
    }
}

/// Most bytes of scratch that a lane can have: WAVESIZE counts 13 bits of KiB a wave (section 11.5).
const SCRATCH_MAX: u32 = ((1 << 13) - 1) * 1024 / LANES as u32;

/// That a lane can have so many bytes of scratch, and that SCRATCH_EN says whether it has some.
pub(super) fn check_scratch(bytes: u32, enabled: bool) -> Result<(), Trap> {
    if !bytes.is_multiple_of(4) || (bytes > 0) != enabled {
        return Err(bad_container("SCRATCH_EN and the scratch size disagree"));
    }
    fail_if!(bytes > SCRATCH_MAX, bad_container(format!("{bytes} bytes of scratch a lane, at most {SCRATCH_MAX}")));
    Ok(())
}

impl<'a> LaunchState<'a> {
    /// Checks what the container says against itself.
    pub(crate) fn new(common: &'a gpucc_sim::Launch<'a>) -> Result<LaunchState<'a>, Trap> {
        let (entry, generation) = (common.entry, common.generation);
        let meta = &entry.meta;
        if meta.family_words.len() != 2 {
            return Err(bad_container("two family words are expected: COMPUTE_PGM_RSRC1 and COMPUTE_PGM_RSRC2"));
        }
        let abi::FamilyWords { rsrc1, rsrc2: rsrc2_word } = abi::FamilyWords::of(meta);
        let sgprs = u32::from(meta.registers_of(abi::FILE_SGPR));
        let vgprs = u32::from(meta.registers_of(abi::FILE_VGPR));
        let mode = rsrc1 >> 12 & 0xff | (rsrc1 >> 21 & 1) << 8 | (rsrc1 >> 23 & 1) << 9;
        let want = abi::rsrc1(vgprs, sgprs, rsrc1 >> 12 & 0xff, generation);
        if rsrc1 & 0x3ff != want & 0x3ff {
            return Err(bad_container(format!("RSRC1 {rsrc1:#x} does not fit {sgprs} SGPRs and {vgprs} VGPRs")));
        }
        if sgprs > crate::operand::sgpr_count(generation) || vgprs > 256 {
            return Err(bad_container(format!("{sgprs} SGPRs and {vgprs} VGPRs are more than there are")));
        }
        let rsrc2 = Rsrc2::read(rsrc2_word, generation);
        let lds = meta.shared_bytes.checked_next_multiple_of(abi::lds_unit(generation));
        if meta.shared_bytes > abi::lds_limit(generation) || lds != Some(rsrc2.lds_bytes) {
            return Err(bad_container(format!(
                "RSRC2 {rsrc2_word:#x} does not fit {} bytes of LDS",
                meta.shared_bytes
            )));
        }
        if rsrc2.user_sgprs > 16 || rsrc2.local_id_components > 2 {
            return Err(bad_container(format!("RSRC2 {rsrc2_word:#x} has reserved values")));
        }
        check_scratch(meta.scratch_bytes, rsrc2.scratch)?;
        let limits = Limits { sgprs, vgprs, conventions: common.options.rules == Rules::Conventions };
        let launch = LaunchState { common, entry, generation, limits, rsrc2, mode };
        launch.check_preloads()?;
        Ok(launch)
    }

    /// A program of a draw, for the words that it is given.
    pub(crate) fn staged(common: &'a gpucc_sim::Launch<'a>, entry: &'a Entry, mode: u32) -> LaunchState<'a> {
        let (sgprs, vgprs) = (entry.meta.registers_of(abi::FILE_SGPR), entry.meta.registers_of(abi::FILE_VGPR));
        let conventions = common.options.rules == Rules::Conventions;
        let limits = Limits { sgprs: sgprs.into(), vgprs: vgprs.into(), conventions };
        LaunchState { common, entry, generation: common.generation, limits, rsrc2: Rsrc2::default(), mode }
    }

    /// Constants and code of a program of a draw, with the addresses of what it uses.
    pub(crate) fn values(
        &self,
        (memory, space): (&mut Memory, &mut AddressSpace),
        buffers: Vec<u64>,
        device: &Device,
        tables: &[(u32, u64)],
    ) -> Result<Values, Trap> {
        let data = memory.alloc("constants", self.entry.data.clone(), false);
        let data = space.place(data, self.entry.data.len() as u64, 256)?;
        let mut bytes = self.entry.code.clone();
        bytes.resize(bytes.len() + 256, 0);
        let size = bytes.len() as u64;
        let code = memory.alloc("code", bytes, false);
        let code = space.place(code, size, 256)?;
        Ok(Values {
            buffers,
            data: (data, self.entry.data.len() as u32),
            root: 0,
            scratch: 0,
            code,
            device: Device { descriptors: device.descriptors.clone(), tables: tables.to_vec(), ..Device::default() },
        })
    }

    /// Scratch of one wave of a draw.
    pub(crate) fn scratch_of(
        &self,
        memory: &mut Memory,
        space: &mut AddressSpace,
        values: &mut Values,
    ) -> Result<AllocId, Trap> {
        let size = self.entry.meta.scratch_bytes as usize * LANES;
        let id = memory.alloc_undefined("scratch", size, None);
        values.scratch = space.place(id, size as u64, 256)?;
        Ok(id)
    }

    /// The root block of a program of a draw.
    pub(crate) fn fill_root(
        &self,
        memory: &mut Memory,
        space: &mut AddressSpace,
        values: &mut Values,
        value: impl Fn(&Preload, &Values) -> Result<u32, Trap>,
    ) -> Result<(), Trap> {
        let mut words = vec![0; self.root_words() * 4];
        for p in self.entry.preloads.iter().filter(|p| p.file == abi::FILE_ROOT) {
            let at = usize::from(p.index) * 4;
            words[at..at + 4].copy_from_slice(&value(p, values)?.to_le_bytes());
        }
        let size = words.len() as u64;
        let id = memory.alloc("root block", words, false);
        values.root = space.place(id, size, 256)?;
        Ok(())
    }

    /// System SGPRs in hardware order behind the user data.
    fn system(&self) -> Vec<Source> {
        let mut out = Vec::new();
        for (i, on) in self.rsrc2.workgroup_id.into_iter().enumerate() {
            if on {
                out.push(Source::WorkgroupId(i as u16));
            }
        }
        if self.rsrc2.tg_size {
            out.push(Source::Family(abi::FAMILY_TG_SIZE));
        }
        if self.rsrc2.scratch {
            out.push(Source::ScratchBase);
        }
        out
    }

    fn check_preloads(&self) -> Result<(), Trap> {
        let system = self.system();
        let user = self.rsrc2.user_sgprs;
        let mut seen = 0u128;
        for p in &self.entry.preloads {
            let at = u32::from(p.index);
            match p.file {
                abi::FILE_SGPR => {
                    if at >= user + system.len() as u32 || at >= self.limits.sgprs || p.lane != 0 {
                        return Err(bad_container(format!("preload of s{at} is outside of user and system SGPRs")));
                    }
                    fail_if!(seen >> at & 1 == 1, bad_container(format!("s{at} is preloaded twice")));
                    seen |= 1 << at;
                    if at >= user && system[(at - user) as usize] != p.source {
                        return Err(bad_container(format!(
                            "s{at} is a system SGPR of RSRC2, the preload says otherwise"
                        )));
                    }
                }
                abi::FILE_VGPR => {
                    let ok = matches!(p.source, Source::LocalId(i) if u32::from(i) == at);
                    if !ok || at > self.rsrc2.local_id_components {
                        return Err(bad_container(format!("v{at} cannot be preloaded with that")));
                    }
                }
                abi::FILE_ROOT => {}
                f => return Err(bad_container(format!("unknown register file {f}"))),
            }
        }
        Ok(())
    }

    /// Memory of the run: buffers, root block, constants, LDS, scratch.
    pub(crate) fn environment(&self, dispatch: &Dispatch, device: &Device) -> Result<DeviceMemory, Trap> {
        let perturb = self.common.options.perturb;
        let mut space = AddressSpace::new64(perturb);
        let (mut memory, mut races, buffers) = self.common.memory_in(dispatch, device, &mut space)?;
        let mut rng = perturb.map(|p| SplitMix64::new(p ^ 0x6c64_7300));
        let l1 = L1::new(&memory, memory.count());
        let lds_size = self.rsrc2.lds_bytes;
        let lds = memory.alloc_undefined("workgroup memory", lds_size as usize, rng.as_mut());
        let data = memory.alloc("constants", self.entry.data.clone(), false);
        space.place(data, self.entry.data.len() as u64, 256)?;
        let scratch = memory.alloc_undefined("scratch", self.scratch_size(), rng.as_mut());
        space.place(scratch, self.scratch_size() as u64, 256)?;
        // Code is memory like any other: constants may lie behind it. The driver pads behind it (section 15).
        let mut bytes = self.entry.code.clone();
        bytes.resize(bytes.len() + 256, 0);
        let size = bytes.len() as u64;
        let code = memory.alloc("code", bytes, false);
        space.place(code, size, 256)?;
        let root_words = self.root_words();
        let root = AllocId(memory.count() as u32);
        space.place(root, root_words as u64 * 4, 256)?;
        let base = |id: AllocId| space.base_of(id).unwrap_or(0);
        let values = Values {
            buffers,
            data: (base(data), self.entry.data.len() as u32),
            root: base(root),
            scratch: base(scratch),
            code: base(code),
            // Their bytes are in memory.
            device: Device {
                descriptors: device.descriptors.clone(),
                tables: device.tables.clone(),
                ..Device::default()
            },
        };
        let mut words = vec![0; root_words * 4];
        for p in self.entry.preloads.iter().filter(|p| p.file == abi::FILE_ROOT) {
            let word = self.value(p, &values, At::Dispatch)?;
            let at = usize::from(p.index) * 4;
            words[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
        memory.alloc("root block", words, false);
        races.watch(lds, lds_size.into(), "workgroup memory", gpucc_sim::WORKGROUP);
        let own = OwnMemory::new(vec![lds, scratch]);
        let past = perturb.filter(|_| self.common.options.weak).map(|_| Past::default());
        let empty = DeviceMemory::new((memory, space, l1), (lds, lds_size), scratch);
        Ok(DeviceMemory { races, own, values, past, ..empty })
    }

    fn root_words(&self) -> usize {
        let words = self.entry.preloads.iter().filter(|p| p.file == abi::FILE_ROOT).map(|p| usize::from(p.index) + 1);
        let words: usize = words.max().unwrap_or(0);
        // Memory is mapped in more than words: what lies behind the last one can be loaded along with it.
        if self.limits.conventions { words } else { words.next_multiple_of(16) }
    }

    fn wave_count(&self) -> u32 {
        self.entry.meta.invocations().div_ceil(LANES as u64) as u32
    }

    fn scratch_size(&self) -> usize {
        self.entry.meta.scratch_bytes as usize * LANES * self.wave_count() as usize
    }

    /// The source of a preload.
    pub(crate) fn value(&self, p: &Preload, v: &Values, at: At) -> Result<u32, Trap> {
        self.common.value(p.source, at, |source| self.own(source, v))
    }

    /// A word that this family gives a meaning.
    fn own(&self, source: Source, v: &Values) -> Result<u32, Trap> {
        let buffer = |group: u32, binding: u32| {
            let b = self.common.buffer(group, binding)?;
            Ok::<_, Trap>((v.buffers[b.id.0 as usize], b.size as u32))
        };
        let raw = |(base, size): (u64, u32), word: u32| {
            Ok(match word {
                0 => base as u32,
                1 => (base >> 32) as u32,
                2 => size,
                3 => abi::RAW_BUFFER_WORD3,
                w => return Err(bad_container(format!("a buffer descriptor has no word {w}"))),
            })
        };
        match source {
            Source::BufferAddressLo { group, binding } => Ok(buffer(group, binding)?.0 as u32),
            Source::BufferAddressHi { group, binding } => Ok((buffer(group, binding)?.0 >> 32) as u32),
            // Of a buffer and a texture at one binding it is the buffer's: a texture's is read from its table.
            Source::DescriptorWord { group, binding, word } => match buffer(group, binding) {
                Err(_) if v.describes(group, binding) => v.word(group, binding, word.into()),
                found => raw(found?, word.into()),
            },
            Source::DataAddressLo => Ok(v.data.0 as u32),
            Source::DataAddressHi => Ok((v.data.0 >> 32) as u32),
            Source::TableAddressLo(0) => Ok(v.root as u32),
            Source::TableAddressHi(0) => Ok((v.root >> 32) as u32),
            Source::TableAddressLo(n @ 1..) => Ok(v.table(n)? as u32),
            Source::TableAddressHi(n @ 1..) => Ok((v.table(n)? >> 32) as u32),
            Source::Family(n) if (abi::FAMILY_DATA..abi::FAMILY_DATA + 4).contains(&n) => {
                raw(v.data, n - abi::FAMILY_DATA)
            }
            Source::Family(n) if (abi::FAMILY_SCRATCH..abi::FAMILY_SCRATCH + 4).contains(&n) => {
                Ok(match n - abi::FAMILY_SCRATCH {
                    0 => v.scratch as u32,
                    // SWIZZLE_ENABLE; STRIDE 0.
                    1 => (v.scratch >> 32) as u32 | 1 << 31,
                    2 => u32::MAX,
                    // ADD_TID, INDEX_STRIDE 64, ELEMENT_SIZE 4; on gfx8 the data format bits would be stride.
                    _ => {
                        let format = if self.generation == GFX8 { 0xfac } else { abi::RAW_BUFFER_WORD3 };
                        format | 1 << 23 | 3 << 21 | 1 << 19
                    }
                })
            }
            s => Err(bad_container(format!("{s:?} is not a word this launcher supplies"))),
        }
    }

    /// The waves of a workgroup.
    pub(crate) fn waves(
        &self,
        env: &mut DeviceMemory,
        id: [u32; 3],
        mut rng: Option<SplitMix64>,
        number: u64,
    ) -> Result<Vec<Wave>, Trap> {
        // The compute unit that the workgroup runs on.
        let unit = rng.as_mut().map_or(number % u64::from(UNITS), |r| r.below(UNITS.into())) as u8;
        env.memory.reset_undefined(env.lds, rng.as_mut());
        if env.memory.len(env.scratch) > 0 {
            env.memory.reset_undefined(env.scratch, rng.as_mut());
        }
        let count = self.wave_count();
        let total = self.entry.meta.invocations();
        let mut out = Vec::new();
        for number in 0..count {
            let part = rng.as_ref().map(|r| r.fork(u64::from(number) + 1));
            let mut w = Wave::new(self.limits.vgprs as usize, self.generation, self.mode, part);
            let left = total - u64::from(number) * LANES as u64;
            let exec = if left >= LANES as u64 { u64::MAX } else { (1 << left) - 1 };
            w.set_exec(exec);
            w.first = number * LANES as u32;
            w.unit = unit;
            if let (Some(rng), Some(past)) = (&rng, &env.past) {
                w.agent = Some(Agent::new(env.waves, rng, past));
                env.waves += 1;
            }
            w.conventions = self.limits.conventions;
            w.seed = self.common.options.perturb;
            w.code = env.values.code;
            for p in &self.entry.preloads {
                let at = usize::from(p.index);
                match p.file {
                    abi::FILE_SGPR => {
                        w.s[at] = match p.source {
                            Source::Family(abi::FAMILY_TG_SIZE) => count | number << 6,
                            Source::ScratchBase => number * self.entry.meta.scratch_bytes * LANES as u32,
                            _ => self.value(p, &env.values, At::Workgroup(id))?,
                        };
                        w.s_known |= 1 << at;
                    }
                    abi::FILE_VGPR if at < w.v.len() => {
                        for lane in 0..LANES {
                            let index = number * LANES as u32 + lane as u32;
                            w.v[at][lane] = self.value(p, &env.values, At::Invocation(id, index))?;
                        }
                        w.v_known[at] = exec;
                    }
                    _ => {}
                }
            }
            out.push(w);
        }
        Ok(out)
    }
}
