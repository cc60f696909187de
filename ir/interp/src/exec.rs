//! Runs a program: workgroups, subgroups in lockstep, control flow, calls.

use crate::alu::Lanes;
use crate::compare::{Kind, Outcome};
use crate::fixed;
use crate::memory::{self, Buffer, Bytes, Common, Held, LaneMemory, Textures};
use crate::profile::Profile;
use crate::program::{DInst, DMem, DPlace, DTerm, Extra, NO_SLOT, OracleProgram};
use crate::quads::{self, Batch};
use crate::subgroup;
use crate::texture;
use gpucc_ir::{Op, Scope, Stage, Sysval, Type};
use gpucc_sim::{
    AddressSpace, AllocId, BarrierRule, By, Dispatch, Machine, Overlap, RaceCheck, RunOptions, RunReport, RunState,
    SplitMix64, StepBudget, Trap, TrapKind, WORKGROUP, binding_name, local_id, run_grid, trap::unsupported,
};
use std::borrow::Cow;
use std::cell::Cell;

/// Most bytes that the state of the workgroups that run at once may take.
pub(crate) const STATE_LIMIT: u64 = 1 << 30;

/// Tells buffers of a program, which have these places in the dispatch, that they lie in one memory.
pub(crate) fn overlap(buffers: &mut [Buffer], homes: &[usize], list: &[Overlap]) {
    for o in list {
        let of = |place: usize| homes.iter().position(|&h| h == place);
        if let [Some(a), Some(b)] = o.buffers.map(of) {
            buffers[a].mirrors.push((b as u32, o.distance));
            buffers[b].mirrors.push((a as u32, -o.distance));
        }
    }
}

impl OracleProgram {
    /// Places in the dispatch of the buffers of the program.
    pub(crate) fn homes(&self, dispatch: &Dispatch) -> Result<Vec<usize>, Trap> {
        let mut homes = Vec::with_capacity(self.buffers.len());
        for b in &self.buffers {
            let index = dispatch.require(b.group, b.binding, u64::from(b.min_size)).map_err(|mut t| {
                if !b.name.is_empty() {
                    t.message = format!("{} (`{}`)", t.message, b.name);
                }
                t
            })?;
            homes.push(index);
        }
        if self.addresses {
            let all = dispatch.addresses.iter().map(|a| a.0);
            let more: Vec<usize> = all.filter(|a| !homes.contains(a) && *a < dispatch.buffers.len()).collect();
            homes.extend(more);
        }
        Ok(homes)
    }

    /// Where the buffers of these places in the dispatch lie that have addresses, by number.
    pub(crate) fn space(&self, dispatch: &Dispatch, homes: &[usize]) -> Result<AddressSpace, Trap> {
        let mut space = AddressSpace::new64(None);
        if !self.addresses {
            return Ok(space);
        }
        let number = |place: usize| homes.iter().position(|&h| h == place);
        let known = dispatch.addresses.iter().filter_map(|&(place, address)| Some((address, number(place)?, place)));
        let mut all: Vec<(u64, usize, usize)> = known.collect();
        all.sort_unstable();
        for (address, number, place) in all {
            space.fix(AllocId(number as u32), address, dispatch.buffers[place].bytes.len() as u64)?;
        }
        Ok(space)
    }

    /// The bytes that the program can name of a buffer by its number.
    pub(crate) fn limit(&self, number: usize, bytes: usize) -> usize {
        self.buffers.get(number).map_or(bytes, |b| b.limit(bytes))
    }

    /// Bytes of state of so many invocations.
    pub(crate) fn state_bytes(&self, invocations: u64) -> u64 {
        let lane_bytes = 2 * (self.private.len() as u64 + u64::from(self.local_size));
        (lane_bytes + 8 * u64::from(self.slots)).saturating_mul(invocations)
    }

    /// Runs the whole grid. Buffers and textures of the dispatch are changed in place, also when the run ends in a trap.
    ///
    /// # Errors
    /// The first rule that the program broke, with instruction, workgroup and lane.
    pub fn run(&self, dispatch: &mut Dispatch, options: &RunOptions, profile: &Profile) -> Result<Outcome, Trap> {
        if self.stage() != Stage::Compute {
            return Err(unsupported(format!("`{}` is a {} entry", self.name, self.stage().name())));
        }
        let homes = self.homes(dispatch)?;
        let mut textures = Textures::of(self, dispatch)?;
        let [x, y, z] = self.workgroup_size.map(u64::from);
        let invocations = x.saturating_mul(y).saturating_mul(z);
        let lanes = self.lanes(profile)?;
        let stride = u64::from(lanes).min(invocations).max(1);
        // Where nobody waits for anybody one subgroup can run after the other.
        let least = self.state_bytes(if self.barriers { invocations } else { stride });
        if invocations == 0 || invocations > 65536 || least > STATE_LIMIT {
            return Err(unsupported(format!(
                "the state of a workgroup of {x}x{y}x{z} invocations does not fit the interpreter"
            )));
        }
        let whole = self.state_bytes(invocations).saturating_add(2 * self.shared.len() as u64).max(1);
        let races = self.race_check(options, dispatch, &homes, &textures);
        textures.images = Held::Own(std::mem::take(&mut dispatch.images));
        let space = self.space(dispatch, &homes)?;
        let mut common = Common { races, textures, space, ..self.common(profile) };
        for (n, &home) in homes.iter().enumerate() {
            let data = std::mem::take(&mut dispatch.buffers[home].bytes);
            let limit = self.limit(n, data.len());
            let kinds = vec![Kind::Exact; data.len()];
            common.buffers.own().push(Buffer { limit, ..Buffer::new(data, kinds) });
        }
        overlap(common.buffers.own(), &homes, &dispatch.overlaps);
        let mut run = Run {
            grid: dispatch.grid,
            lanes,
            room: (STATE_LIMIT / whole) as usize,
            ..Run::new(self, profile, common, options, (stride as usize, invocations as u32))
        };
        let result = run_grid(&mut run, dispatch.grid, options, BarrierRule::STRICT);
        run.common.races.report(&mut run.report, |pc| self.text(pc));
        let mut kinds: Vec<Vec<Kind>> = dispatch.buffers.iter().map(|_| Vec::new()).collect();
        let (strayed, absent) = (run.common.strayed, run.common.absent);
        for (buffer, &home) in run.common.buffers.take().into_iter().zip(&homes) {
            dispatch.buffers[home].bytes = buffer.data;
            kinds[home] = buffer.kinds;
        }
        dispatch.repeat(&homes);
        dispatch.images = run.common.textures.images.take();
        run.report.steps = run.steps.used();
        run.report.barriers = result?;
        Ok(Outcome { report: run.report, kinds, strayed, absent })
    }

    /// Memory without anything in it.
    pub(crate) fn common(&self, profile: &Profile) -> Common {
        Common {
            buffers: Held::default(),
            textures: Textures::default(),
            shared: Bytes::default(),
            races: RaceCheck::default(),
            robust: self.robust,
            strict: self.strict,
            undefined: None,
            strayed: false,
            absent: false,
            oob: self.oob,
            whole: profile.whole_access,
            words_behind: profile.words_behind,
            machine: crate::memory::Stores(profile.machine.clone()),
            free: profile.free,
            level_bits: profile.level_bits,
            divided_cubes: profile.divided_cubes,
            wide: self.wide_indices.then(|| std::sync::Arc::new(self.indices.clone())),
            space: AddressSpace::new64(None),
            slot: 0,
        }
    }

    /// The check for races, with the buffers and textures that are stored to and workgroup memory.
    fn race_check(&self, options: &RunOptions, dispatch: &Dispatch, homes: &[usize], textures: &Textures) -> RaceCheck {
        let mut races = RaceCheck::new(options.races, self.lines.len(), Some(self.marks.iter().copied()));
        let mut stored = vec![false; homes.len()];
        races.variables(self.variables.iter().map(|v| (v.0, v.1, v.2.as_str())));
        for i in self.funcs.iter().flat_map(|f| &f.insts).filter(|i| i.op != Op::Load) {
            if let Extra::Mem(m) | Extra::Atomic(_, m) = &i.extra {
                match m.place {
                    DPlace::Buffer(b) => stored[b as usize] = true,
                    DPlace::Address { .. } => {
                        let reached = homes.iter().zip(&mut stored).filter(|(h, _)| dispatch.address(**h).is_some());
                        reached.for_each(|(_, stored)| *stored = true);
                    }
                    _ => {}
                }
            }
            if let (Op::ImageStore | Op::ImageAtomic, Extra::Tex(t)) = (i.op, &i.extra) {
                let own = &self.textures[t.texture as usize];
                for view in &textures.views[t.texture as usize] {
                    let id = AllocId((homes.len() + view.image) as u32);
                    let bytes = dispatch.images[view.image].bytes.len() as u64;
                    races.watch(id, bytes, binding_name(own.group, own.binding, &own.name), NO_BUFFER);
                }
            }
        }
        for (n, &home) in homes.iter().enumerate().filter(|(n, _)| stored[*n]) {
            let (bound, of) = (&dispatch.buffers[home], self.buffers.get(n));
            let name = binding_name(bound.group, bound.binding, of.map_or("", |b| &b.name));
            let place = of.map_or(NO_BUFFER, |_| n as u16);
            races.watch(AllocId(n as u32), bound.bytes.len() as u64, name, place);
        }
        races
    }
}

/// The place of a texture in the rows of the check for races, which have none of textures.
const NO_BUFFER: u16 = 0xfffe;

/// The run as a whole.
pub(crate) struct Run<'a> {
    program: &'a OracleProgram,
    pub(crate) profile: Cow<'a, Profile>,
    grid: [u32; 3],
    /// Lanes of a subgroup as the program sees them.
    lanes: u32,
    /// Lanes that are kept: fewer when the workgroup is smaller.
    stride: usize,
    invocations: u32,
    pub common: Common,
    /// The state that the lanes of a batch of vertices or quads start with.
    pub batch: Batch,
    pub steps: StepBudget,
    /// Workgroups that there is room for at once; with none, one subgroup runs after the other.
    room: usize,
    /// The workgroup that runs, and the memory of the others.
    slot: usize,
    away: Vec<Bytes>,
    /// The memory that ended subgroups left for others to use.
    spare: Vec<(Vec<u64>, LaneMemory)>,
    pub report: RunReport,
    rng: Option<SplitMix64>,
    values: Vec<Option<u64>>,
    edge_scratch: Vec<u64>,
}

/// A function that lanes of a subgroup are in.
#[derive(Clone, Debug, Default)]
struct Frame {
    func: usize,
    /// Block that each lane wants to run next; [`GONE`] when it is not in this frame.
    next: Vec<u32>,
    /// The lanes that run now, ascending.
    active: Vec<u32>,
    /// They are all lanes of this frame; then `next` is not kept.
    all: bool,
    block: u32,
    /// Next instruction; [`PICK`] when a block must be chosen.
    at: u32,
    /// Call of the caller's function that made this frame.
    call: u32,
}

const GONE: u32 = u32::MAX;
const PICK: u32 = u32::MAX;

#[derive(Clone, Debug, Default)]
pub(crate) struct Subgroup {
    index: u32,
    workgroup: [u32; 3],
    /// It has begun: what follows is there.
    launched: bool,
    /// Lanes that were launched.
    lanes: u32,
    local: Vec<[u32; 3]>,
    pub file: Vec<u64>,
    memory: LaneMemory,
    frames: Vec<Frame>,
    depth: usize,
}

impl Machine for Run<'_> {
    type Subgroup = Subgroup;

    fn start(&mut self, slot: usize, _: u64, workgroup: [u32; 3], subgroups: &mut Vec<Subgroup>) -> Result<(), Trap> {
        let p = self.program;
        let fresh = slot >= self.away.len();
        if fresh {
            self.away.resize(slot + 1, Bytes::default());
        }
        self.enter(slot);
        if fresh && !p.shared.is_empty() {
            self.common.races.watch(self.common.shared_id(), p.shared.len() as u64, "workgroup memory", WORKGROUP);
        }
        self.common.races.begin(slot, workgroup);
        self.common.shared = Bytes::undefined(p.shared.len(), self.rng.as_mut());
        if p.zeroes {
            self.common.shared.set(0, &p.shared);
        }
        for part in &p.shared_set {
            self.common.shared.set(part.start, &p.shared[part.clone()]);
        }
        let per_group = self.invocations.div_ceil(self.stride as u32);
        self.report.subgroups += u64::from(per_group);
        subgroups.resize_with(per_group as usize, Subgroup::default);
        for (index, g) in (0..).zip(subgroups) {
            (g.index, g.workgroup, g.launched) = (index, workgroup, false);
        }
        Ok(())
    }

    fn enter(&mut self, slot: usize) {
        if slot != self.slot {
            std::mem::swap(&mut self.common.shared, &mut self.away[self.slot]);
            std::mem::swap(&mut self.common.shared, &mut self.away[slot]);
            self.slot = slot;
        }
        self.common.slot = slot;
        self.common.races.enter(slot);
    }

    fn run(&mut self, g: &mut Subgroup, time_slice: u32) -> Result<RunState, Trap> {
        if !g.launched {
            self.launch(g);
        }
        let stop = self.resume(g, if self.room == 0 { u32::MAX } else { time_slice })?;
        if stop == RunState::Done {
            self.spare.push((std::mem::take(&mut g.file), std::mem::take(&mut g.memory)));
        }
        Ok(stop)
    }

    fn passed_barrier(&mut self) {
        self.common.races.barrier();
    }

    fn room(&self) -> usize {
        self.room
    }
}

impl<'a> Run<'a> {
    /// A run of a program with `stride` lanes kept of each subgroup and so many invocations of a workgroup.
    pub fn new(
        program: &'a OracleProgram,
        profile: &'a Profile,
        common: Common,
        options: &RunOptions,
        (stride, invocations): (usize, u32),
    ) -> Run<'a> {
        Run {
            program,
            profile: program.under(profile),
            grid: [1; 3],
            lanes: stride as u32,
            stride,
            invocations,
            common,
            batch: Batch::default(),
            steps: StepBudget::new(options),
            room: 0,
            slot: 0,
            away: Vec::new(),
            spare: Vec::new(),
            report: RunReport::default(),
            rng: options.perturb.map(SplitMix64::new),
            values: Vec::new(),
            edge_scratch: Vec::new(),
        }
    }

    /// Lanes that are kept of each subgroup.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// A run of the same program on the same memory, which is shared then.
    pub fn twin(&mut self) -> Run<'a> {
        let buffers = self.common.buffers.share();
        let images = self.common.textures.images.share();
        let textures = Textures { images, ..self.common.textures.clone() };
        Run {
            profile: self.profile.clone(),
            common: Common { buffers, textures, ..self.common.clone() },
            batch: self.batch.clone(),
            steps: self.steps.clone(),
            away: Vec::new(),
            spare: Vec::new(),
            report: RunReport::default(),
            rng: None,
            values: Vec::new(),
            edge_scratch: Vec::new(),
            ..*self
        }
    }

    /// Shares the memory of another run.
    pub fn see(&mut self, other: &mut Run<'_>) {
        self.common.buffers = other.common.buffers.share();
        self.common.textures.images = other.common.textures.images.share();
    }

    /// Lets go of memory that it shares.
    pub fn forget(&mut self) {
        self.common.buffers = Held::default();
        self.common.textures.images = Held::default();
    }

    /// Runs a batch of `lanes` vertices or lanes of quads to its end. The outputs are in the file then.
    pub fn run_batch(&mut self, g: &mut Subgroup, lanes: u32) -> Result<(), Trap> {
        if let Some(spare) = (!g.file.is_empty()).then(|| (std::mem::take(&mut g.file), std::mem::take(&mut g.memory)))
        {
            self.spare.push(spare);
        }
        self.invocations = lanes;
        self.report.subgroups += 1;
        self.launch(g);
        while self.resume(g, u32::MAX)? != RunState::Done {}
        Ok(())
    }

    /// Values of a subgroup: constants, and garbage for what is undefined.
    fn file(&mut self) -> Vec<u64> {
        let p = self.program;
        let mut file = vec![0; p.slots as usize * self.stride];
        let row = |slot: u32| slot as usize * self.stride..(slot as usize + 1) * self.stride;
        for &(slot, bits) in &p.consts {
            file[row(slot)].fill(bits);
        }
        for &(slot, mask) in &p.undefs {
            let bits = self.rng.as_mut().map_or(0xcccc_cccc_cccc_cccc, SplitMix64::next_u64);
            file[row(slot)].fill(bits & mask);
        }
        file
    }

    fn launch(&mut self, g: &mut Subgroup) {
        let p = self.program;
        let first = g.index * self.stride as u32;
        g.launched = true;
        (g.file, g.memory) = match self.spare.pop() {
            Some(spare) => spare,
            None => (self.file(), LaneMemory::default()),
        };
        g.lanes = (self.invocations - first).min(self.stride as u32);
        g.local.clear();
        g.local.extend((first..first + g.lanes).map(|i| local_id(i, p.workgroup_size)));
        g.memory.private_size = p.private.len();
        g.memory.local_size = p.local_size as usize;
        if !p.private.is_empty() {
            g.memory.private = Bytes::undefined(p.private.len() * self.stride, None);
            for lane in 0..self.stride {
                g.memory.private.set(lane * p.private.len(), &p.private);
            }
        }
        if p.local_size != 0 {
            g.memory.local = Bytes::undefined(p.local_size as usize * self.stride, self.rng.as_mut());
        }
        let lanes = g.lanes;
        g.depth = 0;
        let frame = enter(g, p.entry, 0, 0);
        frame.active.clear();
        frame.active.extend(0..lanes);
        // The entry block takes no parameters, so all start there together.
        frame.all = true;
    }

    /// Runs a subgroup until it waits, its time slice of so many instructions is over, or it ends.
    fn resume(&mut self, g: &mut Subgroup, mut time_slice: u32) -> Result<RunState, Trap> {
        let program = self.program;
        loop {
            let frame = &mut g.frames[g.depth];
            let func = &program.funcs[frame.func];
            // The quads of all lanes that were about to continue have ended.
            if frame.active.is_empty() {
                frame.at = PICK;
            }
            if frame.at == PICK {
                if time_slice == 0 {
                    return Ok(RunState::Yield);
                }
                time_slice -= 1;
                if !frame.all {
                    let next = frame.next.iter().copied().min().unwrap_or(GONE);
                    if next == GONE {
                        frame.active.clear();
                    } else {
                        let inside = frame.next.iter().filter(|&&b| b != GONE).count();
                        frame.block = next;
                        frame.active.clear();
                        frame.active.extend((0_u32..).zip(&frame.next).filter(|(_, b)| **b == next).map(|(l, _)| l));
                        frame.all = frame.active.len() == inside;
                    }
                }
                if frame.active.is_empty() {
                    match g.depth.checked_sub(1) {
                        None => return Ok(RunState::Done),
                        Some(caller) => g.depth = caller,
                    }
                    continue;
                }
                let block = &func.blocks[frame.block as usize];
                frame.at = block.first;
                let (count, lanes) = (block.last - block.first + 1, frame.active.len() as u32);
                self.steps.charge_for(count, lanes).map_err(|t| {
                    t.at(u64::from(func.first + block.text), || func.texts[block.text as usize].clone())
                })?;
                self.report.instructions += u64::from(count);
                self.report.lane_instructions += u64::from(count) * u64::from(lanes);
            }
            let block = &func.blocks[frame.block as usize];
            let mut at = frame.at;
            let mut again = false;
            while at < block.last {
                if time_slice == 0 {
                    frame.at = at;
                    return Ok(RunState::Yield);
                }
                time_slice -= 1;
                let inst = &func.insts[at as usize];
                at += 1;
                match (inst.op, &inst.extra) {
                    (Op::Call, &Extra::Call(call)) => {
                        frame.at = at;
                        self.call(g, call);
                        again = true;
                        break;
                    }
                    (Op::Demote, _) => {
                        frame.at = at;
                        self.demote(g, inst.args[0]);
                        again = true;
                        break;
                    }
                    (Op::Barrier, Extra::Barrier(b)) => {
                        if b.exec == Scope::Workgroup {
                            frame.at = at;
                            if frame.active.len() as u32 != g.lanes {
                                let text = func.texts[inst.text as usize].clone();
                                return Err(Trap::new(
                                    TrapKind::Barrier,
                                    format!(
                                        "{} of {} lanes of subgroup {} reach a barrier",
                                        frame.active.len(),
                                        g.lanes,
                                        g.index
                                    ),
                                )
                                .at(u64::from(func.first + inst.text), || text));
                            }
                            return Ok(RunState::Barrier((frame.func as u64) << 32 | u64::from(inst.text)));
                        }
                    }
                    _ => {
                        let pc = func.first + inst.text;
                        let place = Place { grid: self.grid, lanes: self.lanes, stride: self.stride, pc };
                        step(
                            program,
                            &self.profile,
                            &mut self.common,
                            &mut self.batch,
                            &mut self.values,
                            &place,
                            (&mut g.file, &mut g.memory),
                            (g.index, g.workgroup, &g.local),
                            &frame.active,
                            inst,
                        )
                        .map_err(|t| {
                            let text = func.texts[inst.text as usize].clone();
                            t.at(pc.into(), || text).name_other(|pc| program.text(pc))
                        })?;
                        if let Some(trace) = self.steps.trace() {
                            trace.gave(
                                (pc.into(), &frame.active),
                                || program.text(pc.into()),
                                |lane| program.gave(inst, pc, |slot| g.file[slot as usize * self.stride + lane]),
                            );
                        }
                        if let Some(byte) = self.common.undefined.take() {
                            let text = &func.texts[inst.text as usize];
                            let note = format!("byte {byte} of the loaded value was never written in `{text}`");
                            self.report.note(note);
                        }
                    }
                }
            }
            if again {
                continue;
            }
            self.terminator(g)?;
        }
    }

    fn terminator(&mut self, g: &mut Subgroup) -> Result<(), Trap> {
        let program = self.program;
        let stride = self.stride;
        let frame = &mut g.frames[g.depth];
        let func = &program.funcs[frame.func];
        let block = &func.blocks[frame.block as usize];
        let slot = |s: u32| s as usize * stride;
        frame.at = PICK;
        if let Some(trace) = self.steps.trace() {
            let pc = u64::from(func.first + block.text);
            trace.gave((pc, &frame.active), || program.text(pc), |_| Vec::new());
        }
        match &block.term {
            DTerm::Jump(e) => {
                let edge = &func.edges[*e as usize];
                copy(&mut g.file, stride, &frame.active, edge, &mut self.edge_scratch);
                go(frame, edge.block);
            }
            DTerm::Br { cond, then, other } => {
                let cond = slot(*cond);
                let yes = frame.active.iter().filter(|&&l| g.file[cond + l as usize] != 0).count();
                if yes == frame.active.len() || yes == 0 {
                    let edge = &func.edges[if yes == 0 { *other } else { *then } as usize];
                    copy(&mut g.file, stride, &frame.active, edge, &mut self.edge_scratch);
                    go(frame, edge.block);
                } else {
                    let (yes, no): (Vec<u32>, Vec<u32>) =
                        frame.active.iter().partition(|&&l| g.file[cond + l as usize] != 0);
                    part(frame);
                    for (lanes, e) in [(yes, *then), (no, *other)] {
                        let edge = &func.edges[e as usize];
                        copy(&mut g.file, stride, &lanes, edge, &mut self.edge_scratch);
                        lanes.iter().for_each(|&l| frame.next[l as usize] = edge.block);
                    }
                }
            }
            DTerm::Switch(s) => {
                let s = &func.switches[*s as usize];
                let sel = slot(s.sel);
                let pick = |l: u32| {
                    let v = g.file[sel + l as usize];
                    s.cases.binary_search_by_key(&v, |c| c.0).map_or(s.default, |i| s.cases[i].1)
                };
                let mut ways: Vec<(u32, u32)> = frame.active.iter().map(|&l| (pick(l), l)).collect();
                if ways.iter().all(|w| w.0 == ways[0].0) {
                    let edge = &func.edges[ways[0].0 as usize];
                    copy(&mut g.file, stride, &frame.active, edge, &mut self.edge_scratch);
                    go(frame, edge.block);
                } else {
                    part(frame);
                    ways.sort_unstable();
                    for same in ways.chunk_by(|a, b| a.0 == b.0) {
                        let edge = &func.edges[same[0].0 as usize];
                        let lanes: Vec<u32> = same.iter().map(|w| w.1).collect();
                        copy(&mut g.file, stride, &lanes, edge, &mut self.edge_scratch);
                        lanes.iter().for_each(|&l| frame.next[l as usize] = edge.block);
                    }
                }
            }
            DTerm::Ret(values) => {
                if g.depth == 0 {
                    for (&(from, n), &(to, _)) in values.iter().zip(&program.outputs) {
                        for k in 0..n {
                            for &l in &frame.active {
                                g.file[slot(to + k) + l as usize] = g.file[slot(from + k) + l as usize];
                            }
                        }
                    }
                } else {
                    let call = &program.funcs[g.frames[g.depth - 1].func].calls[g.frames[g.depth].call as usize];
                    let frame = &g.frames[g.depth];
                    for (&(from, n), &(to, _)) in values.iter().zip(&call.results) {
                        for k in 0..n {
                            for &l in &frame.active {
                                g.file[slot(to + k) + l as usize] = g.file[slot(from + k) + l as usize];
                            }
                        }
                    }
                }
                let frame = &mut g.frames[g.depth];
                part(frame);
                frame.active.iter().for_each(|&l| frame.next[l as usize] = GONE);
            }
            DTerm::Unreachable => {
                let text = func.texts.get(block.text as usize).cloned().unwrap_or_default();
                return Err(Trap::new(TrapKind::FellOffEnd, format!("unreachable code in {} is reached", block.block))
                    .at(u64::from(func.first + block.text), || text));
            }
        }
        Ok(())
    }

    /// Lanes in which a condition holds stop being live. A quad without a live lane ends: nothing it does shows any more.
    fn demote(&mut self, g: &mut Subgroup, condition: u32) {
        let Some(masks) = &mut self.batch.masks else { return };
        let at = condition as usize * self.stride;
        let gone: Vec<u32> =
            g.frames[g.depth].active.iter().copied().filter(|&l| g.file[at + l as usize] != 0).collect();
        masks.demote(quads::bits_of(&gone));
        let ended = masks.ended();
        if ended == 0 {
            return;
        }
        let stays = |l: u32| ended >> l & 1 == 0;
        for frame in &mut g.frames[..=g.depth] {
            part(frame);
            frame.active.retain(|&l| stays(l));
            (0..).zip(&mut frame.next).filter(|(l, _)| !stays(*l)).for_each(|(_, next)| *next = GONE);
        }
    }

    fn call(&mut self, g: &mut Subgroup, call: u32) {
        let program = self.program;
        let stride = self.stride;
        let caller = &g.frames[g.depth];
        let active = caller.active.clone();
        let call_data = &program.funcs[caller.func].calls[call as usize];
        let callee = &program.funcs[call_data.func];
        for (&(from, n), &(to, _)) in call_data.args.iter().zip(&callee.params) {
            for k in 0..n as usize {
                let (from, to) = ((from as usize + k) * stride, (to as usize + k) * stride);
                active.iter().for_each(|&l| g.file[to + l as usize] = g.file[from + l as usize]);
            }
        }
        // Variables of a function are undefined at each call.
        let (start, end) = callee.locals;
        for &l in &active {
            let base = l as usize * g.memory.local_size;
            g.memory.local.written[base + start as usize..base + end as usize].fill(false);
        }
        let depth = g.depth + 1;
        let frame = enter(g, call_data.func, depth, call);
        frame.all = true;
        frame.active = active;
        g.depth = depth;
    }
}

/// A fresh frame at `depth`, keeping the allocations of the one that was there.
fn enter(g: &mut Subgroup, func: usize, depth: usize, call: u32) -> &mut Frame {
    if g.frames.len() <= depth {
        g.frames.resize(depth + 1, Frame::default());
    }
    let lanes = g.lanes as usize;
    let frame = &mut g.frames[depth];
    frame.func = func;
    frame.next.clear();
    frame.next.resize(lanes, GONE);
    frame.block = 0;
    frame.at = PICK;
    frame.call = call;
    frame
}

/// All active lanes go to one block.
fn go(frame: &mut Frame, block: u32) {
    if frame.all {
        frame.block = block;
    } else {
        frame.active.iter().for_each(|&l| frame.next[l as usize] = block);
    }
}

/// Keeps `next` of the frame from here on.
fn part(frame: &mut Frame) {
    if frame.all {
        frame.next.fill(GONE);
        frame.all = false;
    }
}

/// Gives the parameters of the edge's target their values.
fn copy(file: &mut [u64], stride: usize, lanes: &[u32], edge: &crate::program::DEdge, scratch: &mut Vec<u64>) {
    if edge.overlap {
        scratch.clear();
        for &(from, _) in &edge.copies {
            let from = from as usize * stride;
            scratch.extend(lanes.iter().map(|&l| file[from + l as usize]));
        }
        for (&(_, to), values) in edge.copies.iter().zip(scratch.chunks(lanes.len())) {
            let to = to as usize * stride;
            lanes.iter().zip(values).for_each(|(&l, &v)| file[to + l as usize] = v);
        }
    } else if lanes.len() == stride {
        for &(from, to) in &edge.copies {
            let from = from as usize * stride;
            file.copy_within(from..from + stride, to as usize * stride);
        }
    } else {
        for &(from, to) in &edge.copies {
            let (from, to) = (from as usize * stride, to as usize * stride);
            lanes.iter().for_each(|&l| file[to + l as usize] = file[from + l as usize]);
        }
    }
}

/// The needs of system values.
struct Place {
    grid: [u32; 3],
    lanes: u32,
    stride: usize,
    /// Number of the instruction.
    pc: u32,
}

/// One instruction other than control flow, for the active lanes.
#[expect(clippy::too_many_arguments, reason = "the parts of a run that one instruction touches, borrowed apart")]
fn step(
    program: &OracleProgram,
    profile: &Profile,
    common: &mut Common,
    batch: &mut Batch,
    values: &mut Vec<Option<u64>>,
    place: &Place,
    (file, own): (&mut [u64], &mut LaneMemory),
    (index, workgroup, local): (u32, [u32; 3], &[[u32; 3]]),
    active: &[u32],
    inst: &DInst,
) -> Result<(), Trap> {
    let stride = place.stride;
    let by = |l: u32| (l as usize, By { lane: index * stride as u32 + l, pc: place.pc });
    let slot = |s: u32| s as usize * stride;
    match (inst.op, &inst.extra) {
        (Op::Input | Op::Sysval | Op::TargetLoad, &Extra::Row(row)) => {
            for k in 0..inst.n {
                active.iter().for_each(|&l| file[slot(inst.dst + k) + l as usize] = batch.get(row + k, l).into());
            }
        }
        (Op::Derivative, &Extra::Deriv(d)) => quads::derivative(batch, profile, (file, stride), active, inst, d),
        (Op::Any | Op::Ballot | Op::LaneRead | Op::Reduce, _) => {
            let absent = subgroup::exec(profile, (file, stride), (active, |l| batch.is_live(l)), inst, values)?;
            common.absent |= !absent.is_empty();
            absent.into_iter().for_each(|l| batch.mark_open(l));
        }
        (Op::ImageStore | Op::ImageAtomic, Extra::Tex(t)) => {
            texture::write(common, batch, (file, stride), active, (inst, t), |l| by(l).1)?;
        }
        (_, Extra::Tex(t)) => texture::read(common, batch, (file, stride), active, (inst, t), |l| by(l).1)?,
        (Op::Load, Extra::Mem(m)) if fixed::load(common, own, m, (file, stride), active, inst.dst) => {}
        (Op::Store, Extra::Mem(m)) if fixed::store(common, own, m, (file, stride), active, inst.args[0]) => {}
        (Op::Load, Extra::Mem(m)) => {
            for &l in active {
                let lane = l as usize;
                let dynamic = common.dynamic(m, |s| file[slot(s) + lane]);
                memory::load(common, own, m, by(l), dynamic, |i, v| file[slot(inst.dst + i as u32) + lane] = v)
                    .map_err(|t| t.in_lane(index * stride as u32 + l))?;
            }
        }
        (Op::Store | Op::Atomic | Op::CmpXchg, Extra::Mem(m) | Extra::Atomic(_, m)) => {
            for &l in active {
                change(common, (file, stride), own, by(l), batch.is_live(l), (inst, m))
                    .map_err(|t| t.in_lane(index * stride as u32 + l))?;
            }
        }
        (Op::VarInit, Extra::Init(to, bytes)) => match *to {
            DPlace::Shared { base, .. } => common.shared.set(base as usize, bytes),
            DPlace::Private { base, .. } => {
                active.iter().for_each(|&l| own.private.set(l as usize * own.private_size + base as usize, bytes));
            }
            DPlace::Local { base, .. } => {
                active.iter().for_each(|&l| own.local.set(l as usize * own.local_size + base as usize, bytes));
            }
            DPlace::Buffer(_) | DPlace::Address { .. } => {
                return Err(unsupported("initialiser of a buffer"));
            }
        },
        (Op::BufferLength, Extra::Buffer(b)) => {
            let len = common.buffers[*b as usize].data.len() as u64;
            active.iter().for_each(|&l| file[slot(inst.dst) + l as usize] = len);
        }
        (Op::Barrier, _) => {}
        (Op::Sysval, Extra::Sysval(v)) => {
            let size = program.workgroup_size;
            for &l in active {
                let id = local[l as usize];
                let three = match v {
                    Sysval::GlobalInvocationId => {
                        std::array::from_fn(|c| workgroup[c].wrapping_mul(size[c]).wrapping_add(id[c]))
                    }
                    Sysval::LocalInvocationId => id,
                    Sysval::WorkgroupId => workgroup,
                    Sysval::NumWorkgroups => place.grid,
                    Sysval::LocalInvocationIndex => [index * stride as u32 + l, 0, 0],
                    Sysval::SubgroupSize => [place.lanes, 0, 0],
                    Sysval::SubgroupInvocationId => [l, 0, 0],
                    Sysval::SubgroupId => [index, 0, 0],
                    Sysval::NumSubgroups => {
                        let invocations = gpucc_ir::invocations(size);
                        [invocations.div_ceil(stride as u32), 0, 0]
                    }
                    Sysval::VertexIndex
                    | Sysval::InstanceIndex
                    | Sysval::FragCoord
                    | Sysval::FrontFacing
                    | Sysval::SampleIndex
                    | Sysval::SamplePosition
                    | Sysval::SampleCount
                    | Sysval::SampleMask
                    | Sysval::PointCoord
                    | Sysval::Layer
                    | Sysval::ViewportIndex
                    | Sysval::PrimitiveIndex
                    | Sysval::RawVertexIndex
                    | Sysval::RawInstanceIndex
                    | Sysval::RawPrimitiveIndex
                    | Sysval::FirstVertex
                    | Sysval::FirstInstance
                    | Sysval::Pixel
                    | Sysval::FragZ
                    | Sysval::FragInvW
                    | Sysval::BlendConstant
                    | Sysval::ViewportScale
                    | Sysval::ViewportOffset => [0; 3],
                };
                for k in 0..inst.n {
                    file[slot(inst.dst + k) + l as usize] = u64::from(three[k as usize]);
                }
            }
        }
        _ => {
            let full = active.len() == stride;
            let cells = Cell::from_mut(file).as_slice_of_cells();
            Lanes { file: cells, active, full, stride }.exec(inst, profile, values)?;
        }
    }
    Ok(())
}

/// A store or an atomic of one lane. In a lane that is not live memory that others see stays as it is, and an atomic gives 0.
#[inline]
fn change(
    common: &mut Common,
    (file, stride): (&mut [u64], usize),
    own: &mut LaneMemory,
    (lane, by): (usize, By),
    live: bool,
    (inst, m): (&DInst, &DMem),
) -> Result<(), Trap> {
    let slot = |s: u32| s as usize * stride + lane;
    if !live && matches!(m.place, DPlace::Buffer(_) | DPlace::Shared { .. } | DPlace::Address { .. }) {
        if inst.dst != NO_SLOT {
            (0..inst.n).for_each(|k| file[slot(inst.dst + k)] = 0);
        }
        return Ok(());
    }
    let dynamic = common.dynamic(m, |s| file[slot(s)]);
    let by = (lane, by);
    if m.ty.is_vector() && inst.op != Op::Store {
        return change_pair(common, (file, slot), own, by, dynamic, (inst, m));
    }
    let old = match (inst.op, &inst.extra) {
        (Op::Store, _) => {
            return memory::store(common, own, m, by, dynamic, |i| file[slot(inst.args[0] + i as u32)]);
        }
        (_, Extra::Atomic(op, _)) => {
            let v = file[slot(inst.args[0])];
            memory::modify(common, own, m, by, dynamic, |old| memory::atomic(*op, m.ty.bits(), old, v))?
        }
        _ => {
            let (expected, new) = (file[slot(inst.args[0])], file[slot(inst.args[1])]);
            memory::modify(common, own, m, by, dynamic, |old| if old == expected { new } else { old })?
        }
    };
    file[slot(inst.dst)] = old;
    Ok(())
}

/// An atomic of 64 bits whose numbers are two words each.
fn change_pair(
    common: &mut Common,
    (file, slot): (&mut [u64], impl Fn(u32) -> usize),
    own: &mut LaneMemory,
    by: (usize, By),
    dynamic: u64,
    (inst, m): (&DInst, &DMem),
) -> Result<(), Trap> {
    let m = DMem { ty: Type::I64, ..*m };
    let pair = |s: u32| file[slot(s)] & 0xffff_ffff | file[slot(s + 1)] << 32;
    let old = match &inst.extra {
        Extra::Atomic(op, _) => {
            let v = pair(inst.args[0]);
            memory::modify(common, own, &m, by, dynamic, |old| memory::atomic(*op, 64, old, v))?
        }
        _ => {
            let (expected, new) = (pair(inst.args[0]), pair(inst.args[1]));
            memory::modify(common, own, &m, by, dynamic, |old| if old == expected { new } else { old })?
        }
    };
    file[slot(inst.dst)] = old & 0xffff_ffff;
    file[slot(inst.dst + 1)] = old >> 32;
    Ok(())
}
