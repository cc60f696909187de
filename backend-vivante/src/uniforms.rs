//! Words of the uniform file: which there are, which go into one register, and where.
//!
//! On chips with the single-uniform rule all uniform operands of an instruction must come from one register; the
//! words that it needs form a set of at most four. Words may be duplicated freely, so sets are placed greedily: into the
//! register that has most of their words already and room for the others.

use gpucc_container::{DescriptorKey, IMMEDIATES, Source, TextureFact};
use gpucc_ir::Variant;
use gpucc_mir::{MFunc, MInst, Src, Use};
use gpucc_vivante_machine as machine;
use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

use crate::inst::Vivante;

/// Whose descriptor: group, binding, variant, element.
pub type Key = (u32, u32, Variant, u32);

/// The name in the container.
pub fn descriptor((group, binding, variant, element): Key, sampler: bool) -> DescriptorKey {
    DescriptorKey { group, binding, sampler, variant, element }
}

/// A word of the uniform file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Word {
    /// A literal.
    Const(u32),
    /// Address of a buffer (group, binding).
    Address(u32, u32),
    /// Its size in bytes.
    Size(u32, u32),
    /// A word of a buffer that nobody writes (group, binding, word).
    Content(u32, u32, u16),
    /// A fact of a texture.
    Texture(Key, TextureFact),
    /// A fact of a sampler.
    Sampler(Key, TextureFact),
    /// The first vertex, or the first instance.
    First(u16),
    /// Workgroups in a dimension.
    Groups(u16),
    /// Size of a buffer (group, binding) less some bytes, at least 0, shifted right.
    Limit(u32, u32, u32, u32),
    /// A result of the launch, by the number of the step in the function.
    Computed(u32),
    /// Where the constant bytes are.
    Data,
    /// Base of workgroup memory.
    Shared,
    /// Base of scratch.
    Scratch,
    /// Bytes of scratch of an invocation, where spilling decides how many.
    Stride,
}

impl Word {
    /// Where the driver has it from; of what the launch computes, the number in the function.
    pub fn given(self, scratch_bytes: u32) -> Source {
        match self {
            Word::Limit(group, binding, ..) => Source::BufferSize { group, binding },
            Word::Computed(step) => Source::Step(step),
            Word::Const(v) => Source::Const(v),
            Word::Address(group, binding) => Source::BufferAddressLo { group, binding },
            Word::Size(group, binding) => Source::BufferSize { group, binding },
            Word::Content(group, binding, word) if (group, binding) == IMMEDIATES => Source::Immediate(word.into()),
            Word::Content(group, binding, word) => Source::DescriptorWord { group, binding, word },
            Word::Texture(of, fact) => Source::TextureFact { of: descriptor(of, false), fact },
            Word::Sampler(of, fact) => Source::TextureFact { of: descriptor(of, true), fact },
            Word::First(0) => Source::FirstVertex,
            Word::First(_) => Source::FirstInstance,
            Word::Groups(d) => Source::NumWorkgroups(d),
            Word::Data => Source::DataAddressLo,
            Word::Shared => Source::SharedBase,
            Word::Scratch => Source::ScratchBase,
            Word::Stride => Source::Const(scratch_bytes),
        }
    }
}

/// Words of an operand, one for each component: up to four.
pub type Words = SmallVec<[Word; 4]>;

/// Number of an operand's words in the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot(pub u32);

/// All operands that are uniforms.
#[derive(Default)]
pub struct Table {
    slots: IndexSet<Words, FxBuildHasher>,
}

impl Table {
    /// The slot of these words; equal words share one.
    pub fn slot(&mut self, words: Words) -> Slot {
        Slot(self.slots.insert_full(words).0 as u32)
    }

    /// Words of a slot.
    pub fn words(&self, slot: u32) -> &[Word] {
        &self.slots[slot as usize]
    }

    /// The words of a slot that an operand with these components reads, each once.
    pub fn read(&self, slot: u32, components: &[u8]) -> Words {
        let words = self.words(slot);
        let mut out = Words::new();
        for &c in components {
            let w = words[usize::from(c)];
            if !out.contains(&w) {
                out.push(w);
            }
        }
        out
    }
}

/// The finished uniform file: the word in each component.
#[derive(Default)]
pub struct Layout {
    /// Registers with their components.
    pub registers: Vec<[Option<Word>; 4]>,
    /// The registers that hold a word.
    places: IndexMap<Word, SmallVec<[u32; 4]>, FxBuildHasher>,
}

impl Layout {
    /// Places sets of words, the largest first; each set ends up in one register.
    pub fn new(mut sets: Vec<Words>) -> Layout {
        for s in &mut sets {
            s.sort_unstable();
        }
        sets.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        sets.dedup();
        let mut layout = Layout::default();
        // Registers with room.
        let mut open: Vec<usize> = Vec::new();
        for set in &sets {
            if layout.find(set).is_some() {
                continue;
            }
            let missing = |r: &[Option<Word>; 4]| set.iter().filter(|w| !r.contains(&Some(**w))).count();
            let free = |r: &[Option<Word>; 4]| r.iter().filter(|w| w.is_none()).count();
            let best = open
                .iter()
                .map(|&i| (i, &layout.registers[i]))
                .filter(|(_, r)| missing(r) <= free(r))
                .min_by_key(|(i, r)| (missing(r), free(r), *i))
                .map(|(i, _)| i);
            let at = best.unwrap_or_else(|| {
                layout.registers.push([None; 4]);
                open.push(layout.registers.len() - 1);
                layout.registers.len() - 1
            });
            let r = &mut layout.registers[at];
            for w in set {
                if !r.contains(&Some(*w))
                    && let Some(hole) = r.iter_mut().find(|x| x.is_none())
                {
                    *hole = Some(*w);
                    layout.places.entry(*w).or_default().push(at as u32);
                }
            }
            if r.iter().all(Option::is_some) {
                open.retain(|&i| i != at);
            }
        }
        layout
    }

    /// The register that holds all of these words.
    pub fn find(&self, set: &[Word]) -> Option<usize> {
        let Some(first) = set.first() else { return (!self.registers.is_empty()).then_some(0) };
        let holds = |r: &&u32| set.iter().all(|w| self.registers[**r as usize].contains(&Some(*w)));
        self.places.get(first)?.iter().filter(holds).min().map(|&r| r as usize)
    }

    /// Component of a word in a register.
    pub fn component(&self, register: usize, word: Word) -> Option<u32> {
        self.registers[register].iter().position(|w| *w == Some(word)).map(|c| c as u32)
    }
}

/// The distinct words that the uniform operands of an instruction read.
pub fn words_of(table: &Table, inst: &MInst<Vivante>) -> Words {
    let mut all = Words::new();
    for u in &inst.uses {
        if let Src::Uniform(slot) = u.src {
            for w in table.read(slot, &u.mods.swz.map(|c| c.min(table.words(slot).len() as u8 - 1))) {
                if !all.contains(&w) {
                    all.push(w);
                }
            }
        }
    }
    all
}

/// Words that a function reads and that only the uniform file can hold, each once.
pub fn words(mf: &MFunc<Vivante>, t: &Vivante, table: &Table) -> usize {
    let all = mf.code.iter().flatten().flat_map(|i| words_of(table, i));
    let immediate = |w: &Word| matches!(w, Word::Const(bits) if t.immediate(*bits));
    all.filter(|w| !immediate(w)).collect::<IndexSet<Word, FxBuildHasher>>().len()
}

/// Lays the uniform file out for the final instructions.
pub fn layout(mf: &MFunc<Vivante>, t: &Vivante, table: &Table) -> Layout {
    let mut sets = Vec::new();
    for inst in mf.code.iter().flatten() {
        if machine::validate::single_uniform(t.generation) {
            let w = words_of(table, inst);
            if !w.is_empty() {
                sets.push(w);
            }
        } else {
            for u in &inst.uses {
                if let Src::Uniform(slot) = u.src {
                    sets.push(table.read(slot, &u.mods.swz.map(|c| c.min(table.words(slot).len() as u8 - 1))));
                }
            }
        }
    }
    Layout::new(sets)
}

/// A source that is an entry of the table.
pub fn uniform(slot: Slot) -> Use<Vivante> {
    Use::new(Src::Uniform(slot.0))
}
