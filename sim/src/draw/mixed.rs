//! A draw whose two programs run in different places: vertices on a machine and fragments on the oracle, or the other way round.
//!
//! A family lands stage by stage this way, and a fault is looked for in one half. What travels between the programs has a
//! place of its own in each; [`Mixed`] carries it over by location and component, and numbers without a location by what they are.

use super::{FragmentTraits, QuadIn, QuadOut, Stages, Targets, VertexIn, VertexOut, VertexTraits};
use crate::dispatch::RunReport;
use crate::trap::Trap;

/// A number that lowering hands from vertices to fragments without a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handed {
    /// That of the primitive that the vertex is shaded for.
    PrimitiveIndex,
    /// That of the vertex, which tells the vertices of a primitive apart.
    VertexNumber,
}

/// Where the words of a vertex lie for fragments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Varyings {
    /// Words of a vertex before anything is put into them.
    pub blank: Vec<u32>,
    /// Location, component and word.
    pub places: Vec<(u8, u8, u32)>,
    /// Numbers that lowering hands on without a location, such as that of the primitive, and their word.
    pub numbers: Vec<(Handed, u32)>,
}

/// Programs whose words between the stages can be read and replaced.
pub trait LinkedStages: Stages {
    /// Where they lie.
    fn varyings(&self) -> Varyings;

    /// The words of the vertices of the last call.
    fn words(&mut self) -> &mut Vec<u32>;
}

/// Takes the programs of a draw as stages.
pub type RunStages<'a> = dyn FnMut(&mut dyn LinkedStages) -> Result<(), Trap> + 'a;

/// The vertex program of one and the fragment program of the other.
pub struct Mixed<'a> {
    vertex: &'a mut dyn LinkedStages,
    fragment: &'a mut dyn LinkedStages,
    blank: Vec<u32>,
    /// A word of what vertices give and the one that fragments read.
    pairs: Vec<(u32, u32)>,
}

impl<'a> Mixed<'a> {
    /// Joins the two halves. What only one of them has is dropped or left blank.
    pub fn new(vertex: &'a mut dyn LinkedStages, fragment: &'a mut dyn LinkedStages) -> Mixed<'a> {
        let (given, wanted) = (vertex.varyings(), fragment.varyings());
        let from = |at: (u8, u8)| given.places.iter().find(|p| (p.0, p.1) == at).map(|p| p.2);
        let mut pairs: Vec<_> = wanted.places.iter().filter_map(|&(l, c, to)| Some((from((l, c))?, to))).collect();
        let number = |at: Handed| given.numbers.iter().find(|n| n.0 == at).map(|n| n.1);
        pairs.extend(wanted.numbers.iter().filter_map(|&(at, to)| Some((number(at)?, to))));
        Mixed { vertex, fragment, blank: wanted.blank, pairs }
    }
}

impl Stages for Mixed<'_> {
    fn batch_quads(&self) -> usize {
        self.fragment.batch_quads()
    }

    fn batches_at_once(&self) -> usize {
        self.fragment.batches_at_once()
    }

    fn traits(&self) -> FragmentTraits {
        self.fragment.traits()
    }

    fn vertex_traits(&self) -> VertexTraits {
        self.vertex.vertex_traits()
    }

    fn vertices(&mut self, batch: &[VertexIn], out: &mut Vec<VertexOut>) -> Result<(), Trap> {
        let before = out.len();
        self.vertex.vertices(batch, out)?;
        let given = std::mem::take(self.vertex.words());
        let words = self.fragment.words();
        words.clear();
        for v in &mut out[before..] {
            let (from, to) = (v.words.start as usize, words.len());
            words.extend(&self.blank);
            for &(a, b) in &self.pairs {
                words[to + b as usize] = given[from + a as usize];
            }
            v.words = to as u32..words.len() as u32;
        }
        Ok(())
    }

    fn quads(&mut self, batch: &[QuadIn<'_>], targets: &Targets, out: &mut Vec<QuadOut>) -> Result<(), Trap> {
        self.fragment.quads(batch, targets, out)
    }

    fn batches(&mut self, list: &[&[QuadIn<'_>]], targets: &Targets, out: &mut Vec<QuadOut>) -> Result<(), Trap> {
        self.fragment.batches(list, targets, out)
    }

    fn executed(&self) -> Option<&RunReport> {
        self.fragment.executed()
    }

    fn charge(&mut self, steps: u64) -> Result<(), Trap> {
        self.fragment.charge(steps)
    }
}
