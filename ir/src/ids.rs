//! Numbers of what a module and its functions have: small, copied freely, typed.

use crate::entity;

entity!(
    /// An SSA value: instruction result, block parameter, constant or undef.
    Value, "v"
);
entity!(
    /// An instruction.
    Inst, "inst"
);
entity!(
    /// A basic block.
    Block, "block"
);
entity!(
    /// A function of the module.
    Func, "func"
);
entity!(
    /// A bound resource of the module.
    Res, "res"
);
entity!(
    /// A module variable: private or workgroup memory.
    Global, "global"
);
entity!(
    /// A function variable.
    Local, "local"
);
entity!(
    /// A source location; 0 is unknown.
    Loc, "@"
);

impl Loc {
    /// A location without a known place.
    pub const UNKNOWN: Loc = Loc(0);
    const ATOMIC: u32 = 1 << 31;
    const ACCESS: u32 = 1 << 30;

    /// The same location for machine instructions of an access of memory.
    pub const fn access(self) -> Loc {
        Loc(self.0 | Loc::ACCESS)
    }
    /// The same for those of an atomic access: a plain load or store does not show it.
    pub const fn atomic(self) -> Loc {
        Loc(self.0 | Loc::ACCESS | Loc::ATOMIC)
    }
    /// Whether it is one of [`Loc::access`] or [`Loc::atomic`].
    pub const fn is_access(self) -> bool {
        self.0 & Loc::ACCESS != 0
    }
    /// Whether it is one of [`Loc::atomic`].
    pub const fn is_atomic(self) -> bool {
        self.0 & Loc::ATOMIC != 0
    }
    /// The location without the bits that mark accesses and atomics.
    pub const fn plain(self) -> Loc {
        Loc(self.0 & !(Loc::ATOMIC | Loc::ACCESS))
    }
}
