//! What a pass gets besides the function.

use crate::Caps;
use gpucc_ir::analysis::{sort_layout, structured_order};
use gpucc_ir::{Function, Module};

/// The surroundings of a pass: module, target, change count, fuel.
pub struct Cx<'a> {
    /// Resources, variables and options. Its functions are not those being rewritten.
    pub module: &'a Module,
    /// What the target can do.
    pub caps: &'a Caps,
    /// The workgroup size of the entry point; as large as can be if unknown.
    pub workgroup_size: [u32; 3],
    /// Whether the layout is known to be the structured order: passes that change the graph leave it false or sort again.
    pub(crate) sorted: bool,
    changes: u64,
    fuel: u64,
}

impl<'a> Cx<'a> {
    /// Without a limit on changes.
    pub fn new(module: &'a Module, caps: &'a Caps) -> Cx<'a> {
        Cx::with_fuel(module, caps, u64::MAX)
    }
    /// Stops rewriting after `fuel` changes; for finding the change that breaks something.
    pub fn with_fuel(module: &'a Module, caps: &'a Caps, fuel: u64) -> Cx<'a> {
        Cx { module, caps, workgroup_size: [1 << 14; 3], sorted: false, changes: 0, fuel }
    }
    /// To be asked right before an optional change: whether it may be made. Counts it if so.
    pub fn change(&mut self) -> bool {
        let may = self.changes < self.fuel;
        self.changes += u64::from(may);
        may
    }
    /// Puts the layout into structured order, unless it is known to be in it.
    pub(crate) fn sort(&mut self, f: &mut Function) {
        if self.sorted {
            debug_assert!(structured_order(f) == f.layout, "a pass said that it keeps the graph");
        } else {
            self.changes += u64::from(sort_layout(f));
            self.sorted = true;
        }
    }
    /// Counts changes that correctness needs, fuel or not.
    pub fn must_change(&mut self, n: u64) {
        self.changes += n;
    }
    /// How many changes were made so far.
    pub fn changes(&self) -> u64 {
        self.changes
    }
}
