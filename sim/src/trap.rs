//! Why a run stopped before its end.

use std::fmt;

use gpucc_container::Stage;

gpucc_pipeline::named! {
    /// The rule that was broken.
    #[derive(PartialOrd, Ord)]
    TrapKind {
        StepLimit "step limit"         "The step limit was reached.",
        Hazard "hazard"                "A distance or wait that the hardware needs between two instructions is missing.",
        Poison "poison"                "The result of an asynchronous operation was read before the wait that covers it.",
        OutOfBounds "out of bounds"    "An access outside of every allocation, or outside of the one it names.",
        ReadOnly "read-only"           "A store to memory that is bound read-only.",
        Misaligned "misaligned"        "An address that is not aligned as the instruction needs it.",
        Reserved "reserved bits"       "A reserved bit or field value is set in the instruction word.",
        Undecodable "undecodable"      "The instruction word is no instruction of this generation.",
        Unbalanced "unbalanced stack"  "A reconvergence or call stack is popped empty, overflows, or is not empty at the end.",
        FellOffEnd "fell off the end"  "Execution ran past the last instruction.",
        UndefinedRead "undefined read" "A register or byte that was never written is read.",
        BadRegister "bad register"     "A register number above what the metadata claims, or a misaligned register tuple.",
        Divergence "divergence"        "Lanes disagree where the instruction set wants one value or one direction.",
        Barrier "barrier"              "Subgroups wait at different barriers, or some ended while others wait.",
        Race "race"                    "Two accesses that neither barriers nor atomics order, of which one changes bytes.",
        Unsupported "not modelled"     "Correct but not modelled by this simulator.",
        Container "container"          "The container does not describe a program that can be launched.",
        Dispatch "dispatch"            "The dispatch lacks something the program needs (a buffer, a size).",
    }
}

/// The access that a race is with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Other {
    /// Byte address of its instruction.
    pub pc: u64,
    /// The instruction as its family prints it.
    pub instruction: Option<String>,
}

/// A run that was stopped, with the place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trap {
    /// The rule that was broken.
    pub kind: TrapKind,
    /// The sentence for people.
    pub message: String,
    /// Byte address of the instruction in its code.
    pub pc: Option<u64>,
    /// The instruction as its family prints it.
    pub instruction: Option<String>,
    /// Workgroup in which it happened.
    pub workgroup: Option<[u32; 3]>,
    /// Lane (local invocation index where known) in which it happened.
    pub lane: Option<u32>,
    /// Which program of a draw it happened in.
    pub stage: Option<Stage>,
    /// The access that came before, in a race.
    pub other: Option<Box<Other>>,
}

/// Makers of traps without a place, of one kind each.
macro_rules! makers {
    ($($name:ident $kind:ident),* $(,)?) => {$(
        #[doc = concat!("A trap of the kind `", stringify!($kind), "`.")]
        #[cold]
        pub fn $name(message: impl Into<String>) -> Trap {
            Trap::new(TrapKind::$kind, message)
        }
    )*};
}

makers! {
    unsupported Unsupported, reserved Reserved, undefined UndefinedRead, out_of_bounds OutOfBounds, misaligned Misaligned,
    bad_register BadRegister, bad_container Container, bad_dispatch Dispatch, hazard Hazard,
}

impl Trap {
    /// A trap without a place.
    pub fn new(kind: TrapKind, message: impl Into<String>) -> Self {
        Trap {
            kind,
            message: message.into(),
            pc: None,
            instruction: None,
            workgroup: None,
            lane: None,
            stage: None,
            other: None,
        }
    }

    /// Adds the instruction and its address unless a place was already set.
    #[must_use]
    pub fn at(mut self, pc: u64, instruction: impl FnOnce() -> String) -> Self {
        self.pc.get_or_insert(pc);
        self.instruction.get_or_insert_with(instruction);
        self
    }

    /// Names the instruction of the access that a race is with; `text` prints the one at an address.
    #[must_use]
    pub fn name_other(mut self, text: impl FnOnce(u64) -> String) -> Self {
        if let Some(o) = &mut self.other
            && o.instruction.is_none()
        {
            o.instruction = Some(text(o.pc));
        }
        self
    }

    /// Adds the workgroup unless already set.
    #[must_use]
    pub fn in_workgroup(mut self, id: [u32; 3]) -> Self {
        self.workgroup.get_or_insert(id);
        self
    }

    /// Adds the program of a draw.
    #[must_use]
    pub fn in_stage(self, stage: Stage) -> Self {
        Trap { stage: Some(stage), ..self }
    }

    /// Adds the lane unless already set.
    #[must_use]
    pub fn in_lane(mut self, lane: u32) -> Self {
        self.lane.get_or_insert(lane);
        self
    }
}

impl fmt::Display for Trap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.name(), self.message)?;
        if let Some(pc) = self.pc {
            write!(f, " at 0x{pc:x}")?;
        }
        if let Some(inst) = &self.instruction {
            write!(f, " in `{inst}`")?;
        }
        if let Some(o) = &self.other {
            write!(f, " and at 0x{:x}", o.pc)?;
            if let Some(inst) = &o.instruction {
                write!(f, " in `{inst}`")?;
            }
        }
        if let Some([x, y, z]) = self.workgroup {
            write!(f, ", workgroup {x},{y},{z}")?;
        }
        if let Some(lane) = self.lane {
            write!(f, ", lane {lane}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Trap {}
