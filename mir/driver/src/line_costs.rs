//! What the code of each source line costs, for reports: live registers by file, and cycles by unit.

use std::collections::BTreeMap;

use gpucc_ir::analysis::{DomTree, Structure, trips};
use gpucc_ir::{Function, Loc, Module};
use gpucc_mir::{MFunc, Target, live_units};

/// The cost of one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstCost {
    /// Where it comes from.
    pub loc: Loc,
    /// The unit that it keeps busy.
    pub unit: &'static str,
    /// How often its block runs.
    pub runs: u64,
    /// Time that it does so, in the family's cycles, as often as its block runs.
    pub cycles: u64,
}

/// The cost of the code of a source line. Line 0 is code of no line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineCost {
    /// How often its code runs if every condition lets it: of the instruction that runs most often. Loops whose rounds no constant says
    /// have 8.
    pub runs: u64,
    /// The most units that are live at once at an instruction of the line, by register file.
    pub live: BTreeMap<&'static str, u64>,
    /// Cycles by unit, as often as the line's code runs.
    pub cycles: BTreeMap<&'static str, u64>,
    /// The same by the innermost loop that code is in: its number among `gpucc_ir::analysis::trips::loops`, from 1; 0 is none. Where code
    /// of a place is in several loops that run equally often, the first of them has all of it.
    pub parts: BTreeMap<u32, LinePart>,
}

/// The cost of a line's code in one loop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinePart {
    /// How often it runs.
    pub runs: u64,
    /// Cycles of each unit, by its name.
    pub cycles: BTreeMap<&'static str, u64>,
}

/// A smaller number of something that lets more programs run at once, everything else as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occupancy {
    /// The statistic that is smaller.
    pub of: &'static str,
    /// Least amount by which it must be smaller.
    pub fewer: u64,
    /// The statistic that counts the programs.
    pub programs: &'static str,
    /// How many there are then.
    pub gives: u64,
}

/// Costs by source line.
pub type LineCosts = BTreeMap<u32, LineCost>;

/// The line of each location in turn. What has no location belongs to what comes before it.
struct Lines<'m>(&'m Module, u32);

impl Lines<'_> {
    fn of(&mut self, loc: Loc) -> u32 {
        self.1 = self.0.line_column(loc).map_or(self.1, |(line, _)| line);
        self.1
    }
}

/// Adds the live registers of allocated code.
pub(crate) fn add_live<T: Target>(costs: &mut LineCosts, m: &Module, mf: &MFunc<T>, t: &T) {
    // Blocks are walked from their ends, where what has no location has the one behind it.
    let mut rows: Vec<(Loc, Vec<u32>)> = Vec::new();
    live_units(mf, t, |loc, units| rows.push((loc, units.to_vec())));
    // What has no location counts where it is of no line at all.
    let mut lines = Lines(m, 0);
    for (block, code) in mf.blocks.iter().zip(&mf.code) {
        for i in code {
            let line = lines.of(i.loc);
            if line == 0 || m.line_column(i.loc).is_some() {
                let own = costs.entry(line).or_default();
                own.runs = own.runs.max(block.runs);
            }
        }
    }
    for (loc, units) in rows {
        let Some((line, _)) = m.line_column(loc) else { continue };
        let live = &mut costs.entry(line).or_default().live;
        for (file, n) in t.files().iter().zip(units).filter(|(_, n)| *n > 0) {
            let most = live.entry(file.name).or_insert(0);
            *most = u64::from(n).max(*most);
        }
    }
}

/// The innermost loops of the instructions of a function, by place and by how often they run.
pub(crate) struct InLoops {
    /// Loops by place.
    by_place: BTreeMap<Loc, Vec<u32>>,
    /// How often the body of each loop runs.
    runs: Vec<u64>,
}

impl InLoops {
    pub(crate) fn new(f: &Function) -> InLoops {
        let runs: Vec<u64> = trips::loops(f).iter().map(|l| l.runs).collect();
        let mut by_place: BTreeMap<Loc, Vec<u32>> = BTreeMap::new();
        if runs.is_empty() {
            return InLoops { by_place, runs };
        }
        let s = Structure::new(f, &DomTree::new(f));
        let numbers: BTreeMap<_, u32> = s.loops().zip(1..).collect();
        for &b in &f.layout {
            let Some(n) = s.loop_of(b).and_then(|l| numbers.get(&l)) else { continue };
            for &i in &f.blocks[b].insts {
                let own = by_place.entry(f.insts[i].loc.plain()).or_default();
                if !own.contains(n) {
                    own.push(*n);
                }
            }
        }
        InLoops { by_place, runs }
    }

    /// The loop of an instruction, which is that of the one before (`last`) where its place does not say.
    fn of(&self, c: &InstCost, last: u32) -> u32 {
        let fits = |n: &u32| self.runs.get((*n as usize).wrapping_sub(1)).map_or(c.runs == 1, |r| *r == c.runs);
        let here = self.by_place.get(&c.loc.plain()).into_iter().flatten().copied().find(fits);
        let any = || (1..=self.runs.len() as u32).find(fits);
        here.or_else(|| Some(last).filter(fits)).or_else(any).unwrap_or(0)
    }
}

/// Adds the cycles of instructions in the order of the code.
pub(crate) fn add_cycles(costs: &mut LineCosts, m: &Module, list: Vec<InstCost>, inside: &InLoops) {
    let mut lines = Lines(m, 0);
    let mut last = 0;
    for c in list {
        let own = costs.entry(lines.of(c.loc)).or_default();
        last = inside.of(&c, last);
        let part = own.parts.entry(last).or_default();
        part.runs = part.runs.max(c.runs);
        for of in [&mut own.cycles, &mut part.cycles] {
            let n = of.entry(c.unit).or_insert(0);
            *n = n.saturating_add(c.cycles);
        }
    }
}
