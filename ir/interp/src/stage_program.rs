//! The vertex or the fragment program of a draw, and the bound resources while neither runs.

use crate::exec::{Run, STATE_LIMIT, Subgroup, overlap};
use crate::memory::{Buffer, Bytes, Common, Held, Textures};
use crate::profile::Profile;
use crate::program::OracleProgram;
use crate::quads::{Batch, LANES, sysval_row};
use gpucc_ir::{Form, Stage, Sysval};
use gpucc_sim::texture::Image;
use gpucc_sim::{
    Dispatch, Overlap, RunOptions, StepBudget, Trap,
    trap::{bad_dispatch, unsupported},
};

/// The bound resources, while no program runs.
#[derive(Default)]
pub(crate) struct Store {
    /// Buffers by place in the dispatch.
    buffers: Vec<Buffer>,
    overlaps: Vec<Overlap>,
    images: Vec<Image>,
}

impl Store {
    pub fn take(&mut self, bindings: &mut Dispatch) {
        self.images = std::mem::take(&mut bindings.images);
        for b in &mut bindings.buffers {
            let data = std::mem::take(&mut b.bytes);
            self.buffers.push(Buffer::new(data, Vec::new()));
        }
        self.overlaps.clone_from(&bindings.overlaps);
    }

    /// Brings what a program stored to other buffers with the same bytes, after it ran.
    fn mirror(&mut self, ran: &[usize]) {
        for o in std::mem::take(&mut self.overlaps) {
            let has = o.buffers.map(|place| ran.contains(&place));
            let ([from, to], distance) = match has {
                [true, false] => (o.buffers, o.distance),
                [false, true] => ([o.buffers[1], o.buffers[0]], -o.distance),
                _ => {
                    self.overlaps.push(o);
                    continue;
                }
            };
            let source = std::mem::take(&mut self.buffers[from].data);
            for (k, byte) in (-distance..).zip(&source) {
                let own = usize::try_from(k).ok().and_then(|k| self.buffers[to].data.get_mut(k));
                own.into_iter().for_each(|own| *own = *byte);
            }
            self.buffers[from].data = source;
            self.overlaps.push(o);
        }
    }

    pub fn give_back(&mut self, bindings: &mut Dispatch) {
        bindings.images = std::mem::take(&mut self.images);
        for (b, own) in bindings.buffers.iter_mut().zip(self.buffers.drain(..)) {
            b.bytes = own.data;
        }
    }
}

/// The vertex or the fragment program of a draw.
pub(crate) struct StageProgram<'a> {
    pub program: &'a OracleProgram,
    pub run: Run<'a>,
    pub group: Subgroup,
    /// Places of its buffers in the store.
    homes: Vec<usize>,
}

impl<'a> StageProgram<'a> {
    pub fn new(
        program: &'a OracleProgram,
        stage: Stage,
        bindings: &Dispatch,
        options: &RunOptions,
        profile: &'a Profile,
    ) -> Result<StageProgram<'a>, Trap> {
        if program.stage() != stage {
            let (name, is) = (program.name(), program.stage().name());
            return Err(bad_dispatch(format!(
                "`{name}` is a {is} entry where one of stage {} is needed",
                stage.name()
            )));
        }
        let lanes = lanes(program, profile);
        if program.state_bytes(u64::from(lanes)) > STATE_LIMIT {
            let said = format!("the state of {lanes} invocations of `{}` does not fit the interpreter", program.name());
            return Err(unsupported(said));
        }
        let (inputs, outputs) = program.slots();
        let packed = outputs.iter().filter(|_| stage != Stage::Fragment).chain(inputs).find(|s| s.form != Form::Plain);
        if let Some(s) = packed {
            let said = format!("{} `{}` is packed as {}", s.at, s.name, s.form.name());
            return Err(unsupported(said));
        }
        let homes = program.homes(bindings)?;
        let textures = Textures::of(program, bindings)?;
        // No stage of a draw has workgroup memory; a module that uses it all the same gets some that nobody wrote.
        let shared = Bytes::undefined(program.shared.len(), None);
        let space = program.space(bindings, &homes)?;
        let common = Common { textures, shared, space, ..program.common(profile) };
        let mut run = Run::new(program, profile, common, options, (lanes as usize, lanes));
        run.batch = Batch { rows: vec![0; (program.rows * LANES) as usize], ..Batch::default() };
        Ok(StageProgram { program, run, group: Subgroup::default(), homes })
    }

    /// The same program beside this one, on the same memory, which is shared then.
    pub fn beside(&mut self) -> StageProgram<'a> {
        StageProgram { run: self.run.twin(), group: Subgroup::default(), homes: Vec::new(), ..*self }
    }

    /// Runs `work` with what is bound.
    pub fn with<T>(
        &mut self,
        store: &mut Store,
        steps: &mut StepBudget,
        work: impl FnOnce(&mut Self) -> Result<T, Trap>,
    ) -> Result<T, Trap> {
        for (n, &home) in self.homes.iter().enumerate() {
            let mut buffer = std::mem::take(&mut store.buffers[home]);
            buffer.limit = self.program.limit(n, buffer.data.len());
            buffer.mirrors.clear();
            self.run.common.buffers.own().push(buffer);
        }
        overlap(self.run.common.buffers.own(), &self.homes, &store.overlaps);
        self.run.common.textures.images = Held::Own(std::mem::take(&mut store.images));
        self.run.steps = steps.clone();
        let result = work(self);
        *steps = self.run.steps.clone();
        store.images = self.run.common.textures.images.take();
        for (buffer, &home) in self.run.common.buffers.take().into_iter().zip(&self.homes) {
            store.buffers[home] = buffer;
        }
        store.mirror(&self.homes);
        result
    }

    /// Sets what all lanes of all batches read of a system value.
    pub fn set_all(&mut self, value: Sysval, words: &[f32]) {
        let Some(row) = sysval_row(value) else { return };
        for (row, word) in (row..).zip(words) {
            (0..LANES as usize).for_each(|lane| self.run.batch.set(row, lane, word.to_bits()));
        }
    }

    /// Lanes of a batch.
    pub fn lanes(&self) -> usize {
        self.run.stride()
    }

    /// A word of an output.
    pub fn word(&self, slot: u32, lane: usize) -> u32 {
        self.group.file[slot as usize * self.lanes() + lane] as u32
    }

    /// The first four words of an output, filled up with 0, 0, 0, `one`.
    pub fn words(&self, (slot, n): (u32, u32), lane: usize, one: u32) -> [u32; 4] {
        let missing = |k| if k == 3 { one } else { 0 };
        std::array::from_fn(|k| if k < n as usize { self.word(slot + k as u32, lane) } else { missing(k) })
    }
}

/// Lanes of the batches of a program: where its lanes ask each other, for the size of a subgroup or their place in one, or writes memory, so that lanes of a batch
/// may see what an earlier one wrote, those of the profile, in whole quads.
fn lanes(program: &OracleProgram, profile: &Profile) -> u32 {
    match profile.subgroup_size {
        n if n > 0 && (program.sees_subgroups() || program.writes_memory()) => n.clamp(4, LANES) & !3,
        _ => LANES,
    }
}
