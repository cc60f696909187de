//! Features of the stage that a vertex or fragment program uses, and its effects there.

use super::{Helpers, LanesRead};
use crate::function::Function;
use crate::inst::{Attr, Place, Touched};
use crate::module::{Module, Space, StageInfo};
use crate::ops::{Op, OpAttrs};
use crate::stage::{Stage, Where};
use crate::sysval::Sysval;

/// The uses and effects of a function of a stage. Of a compute entry `sysvals` and `writes_memory` say something.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StageUse {
    /// Whether each input of the interface is read.
    pub inputs: Vec<bool>,
    /// System values that are read, in the order of the code.
    pub sysvals: Vec<Sysval>,
    /// Components of the position of a fragment that are read, a bit each.
    pub frag_coord: u8,
    /// Whether fragments are discarded.
    pub demotes: bool,
    /// Whether lanes ask which of them take part.
    pub ballots: bool,
    /// Whether memory that others see is written.
    pub writes_memory: bool,
    /// Whether what a pixel of a target holds is read.
    pub reads_targets: bool,
    /// Whether a fragment program runs once for each sample: it asks for the sample, for an input at it, or for what it holds.
    pub per_sample: bool,
    /// Whether lanes of a quad look at each other, so that whole quads run.
    pub needs_quads: bool,
}

impl StageUse {
    /// Looks at a function that is the whole program of an entry of this stage.
    pub fn new(m: &Module, f: &Function, stage: &StageInfo) -> StageUse {
        let mut x = StageUse::default();
        let io = stage.interface();
        x.inputs = vec![false; io.map_or(0, |io| io.inputs.len())];
        let mut position = None;
        for (_, i) in f.insts_in_order() {
            let d = &f.insts[i];
            match &d.attr {
                Attr::Input(n) => x.inputs[usize::from(*n)] = true,
                Attr::Sysval(s) => {
                    if !x.sysvals.contains(s) {
                        x.sysvals.push(*s);
                    }
                    if *s == Sysval::FragCoord {
                        let lanes = position.get_or_insert_with(|| LanesRead::new(f));
                        x.frag_coord |= lanes.of(d.result());
                    }
                }
                _ => {}
            }
            x.demotes |= d.op == Op::Demote;
            x.ballots |= matches!(d.op, Op::Any | Op::Ballot | Op::Reduce);
            x.reads_targets |= d.op == Op::TargetLoad;
            x.writes_memory |= d.op.has(OpAttrs::writes)
                && match d.touches() {
                    Some(Touched::Place(place @ (Place::Buffer(_) | Place::Address))) => {
                        m.space(place) == Space::Storage
                    }
                    Some(Touched::Image(_)) => true,
                    _ => false,
                };
        }
        if stage.kind() == Stage::Fragment {
            x.needs_quads = Helpers::new(f).any(f);
            let at_samples = io.is_some_and(|io| io.inputs.iter().any(|s| s.interp.at == Where::Sample));
            // A target holds its value for each sample.
            x.per_sample =
                at_samples || x.reads_targets || x.reads(Sysval::SampleIndex) || x.reads(Sysval::SamplePosition);
        }
        x
    }

    /// Whether a system value is read.
    pub fn reads(&self, s: Sysval) -> bool {
        self.sysvals.contains(&s)
    }
}
