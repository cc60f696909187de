//! What the code of each source line costs, for reports: live registers by file, and cycles by unit.

use std::collections::BTreeMap;

use gpucc_ir::{Loc, Module};
use gpucc_mir::{MFunc, Target, live_units};

/// The cost of one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstCost {
    /// Where it comes from.
    pub loc: Loc,
    /// The unit that it keeps busy.
    pub unit: &'static str,
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

/// Adds the cycles of instructions in the order of the code.
pub(crate) fn add_cycles(costs: &mut LineCosts, m: &Module, list: Vec<InstCost>) {
    let mut lines = Lines(m, 0);
    for c in list {
        let n = costs.entry(lines.of(c.loc)).or_default().cycles.entry(c.unit).or_insert(0);
        *n = n.saturating_add(c.cycles);
    }
}
