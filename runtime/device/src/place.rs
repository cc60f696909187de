//! Where programs run: on the oracle, with the modules as they were written or after passes, or on the machine of a target.

use gpucc::Target;
use gpucc_ir::Stage;
use gpucc_opt::Caps;

/// The modules that the oracle runs.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::large_enum_variant, reason = "the facts of a target are copied a few times for a program")]
pub enum Lowering {
    /// Modules as the frontend made them.
    Source,
    /// Modules after the target-independent passes.
    Passes {
        /// Optimisation level, 0 to 3.
        level: u8,
        /// The abilities of the target of the passes.
        caps: Caps,
    },
}

/// Where a frame runs.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::large_enum_variant, reason = "as above")]
pub enum Place {
    /// The interpreter of the IR.
    Oracle(Lowering),
    /// The machine of a target, compiled at a level.
    Target(Target, u8),
    /// Dispatches on the machine of a target; of draws the programs of one stage, and those of the other on the oracle, behind the
    /// passes for the target. A family lands stage by stage this way, and a fault is looked for in one half.
    Mixed {
        /// The target.
        target: Target,
        /// Optimisation level.
        level: u8,
        /// The stage of draws that runs on the machine.
        on: Stage,
    },
}

impl Place {
    /// The oracle behind the passes of a level, for a target that has everything.
    pub const fn interp(level: u8) -> Place {
        Place::Oracle(Lowering::Passes { level, caps: Caps::FULL })
    }

    /// The target whose machine runs programs here.
    pub const fn target(self) -> Option<Target> {
        match self {
            Place::Oracle(_) => None,
            Place::Target(target, _) | Place::Mixed { target, .. } => Some(target),
        }
    }

    /// The facts of the passes about programs of a stage; nothing if there are none.
    pub fn caps(self, stage: Stage) -> Option<Caps> {
        match self {
            Place::Oracle(Lowering::Source) => None,
            Place::Oracle(Lowering::Passes { caps, .. }) => Some(caps),
            Place::Target(target, _) | Place::Mixed { target, .. } => Some(target.caps(stage)),
        }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Oracle(Lowering::Source) => f.write_str("source"),
            Place::Oracle(_) => f.write_str("interp"),
            Place::Target(t, _) => t.fmt(f),
            Place::Mixed { target, on, .. } => write!(f, "{target} ({} programs alone)", on.name()),
        }
    }
}
