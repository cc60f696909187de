//! What a pass gets besides the function.

use crate::Caps;
use gpucc_ir::Module;

/// The surroundings of a pass: module, target, change count, fuel.
pub struct Cx<'a> {
    /// Resources, variables and options. Its functions are not those being rewritten.
    pub module: &'a Module,
    /// What the target can do.
    pub caps: &'a Caps,
    /// The workgroup size of the entry point; as large as can be if unknown.
    pub workgroup_size: [u32; 3],
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
        Cx { module, caps, workgroup_size: [1 << 14; 3], changes: 0, fuel }
    }
    /// To be asked right before an optional change: whether it may be made. Counts it if so.
    pub fn change(&mut self) -> bool {
        let may = self.changes < self.fuel;
        self.changes += u64::from(may);
        may
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
