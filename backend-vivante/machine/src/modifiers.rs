//! Values of modifiers that have names: operand types, conditions, rounding modes.

use gpucc_isa::Inst;

use crate::Vivante;

gpucc_isa::numbered_values! {
    /// Type of the operands.
    Type {
        F32 = 0 "32-bit float.",
        S32 = 1 "32-bit signed.",
        S8 = 2  "8-bit signed.",
        U16 = 3 "16-bit unsigned.",
        F16 = 4 "16-bit float.",
        S16 = 5 "16-bit signed.",
        U32 = 6 "32-bit unsigned.",
        U8 = 7  "8-bit unsigned.",
    }
}

gpucc_isa::numbered_values! {
    /// Condition.
    Cond {
        Always = 0  "Always.",
        Gt = 1      "src0 > src1.",
        Lt = 2      "src0 < src1.",
        Ge = 3      "src0 >= src1.",
        Le = 4      "src0 <= src1.",
        Eq = 5      "src0 == src1.",
        Ne = 6      "src0 != src1.",
        And = 7     "The meaning is not known.",
        Or = 8      "The meaning is not known.",
        Xor = 9     "The meaning is not known.",
        Not = 10    "src0 == 0.",
        Nz = 11     "src0 != 0.",
        Gez = 12    "src0 >= 0.",
        Gz = 13     "src0 > 0.",
        Lez = 14    "src0 <= 0.",
        Lz = 15     "src0 < 0.",
        SelMsb = 22 "Highest bit of src0.",
    }
}

gpucc_isa::numbered_values! {
    /// Rounding mode.
    Round {
        Default = 0  "That of the launch; plain LOG, SIN, COS, DIV.",
        Zero = 1     "Rounds toward zero; the pair form of LOG, SIN, COS, DIV (7.4).",
        Nearest = 2  "Rounds to nearest even.",
        Reserved = 3 "Reserved.",
    }
}

impl Type {
    /// Whether it is an integer.
    pub const fn is_integer(self) -> bool {
        !matches!(self, Type::F32 | Type::F16)
    }
    /// Whether it has 32 bits.
    pub const fn is_word(self) -> bool {
        matches!(self, Type::F32 | Type::S32 | Type::U32)
    }
    /// Whether it is a signed integer.
    pub const fn is_signed(self) -> bool {
        matches!(self, Type::S8 | Type::S16 | Type::S32)
    }
    /// Bytes of an element.
    pub const fn bytes(self) -> u32 {
        match self {
            Type::U8 | Type::S8 => 1,
            Type::U16 | Type::S16 | Type::F16 => 2,
            Type::F32 | Type::S32 | Type::U32 => 4,
        }
    }
}

impl Cond {
    /// Whether it compares two operands.
    pub const fn is_binary(self) -> bool {
        matches!(self, Cond::Gt | Cond::Lt | Cond::Ge | Cond::Le | Cond::Eq | Cond::Ne)
    }

    /// The opposite condition of integers; of floats for equality only, since what is no number is unordered.
    #[must_use]
    pub const fn opposite(self) -> Cond {
        match self {
            Cond::Gt => Cond::Le,
            Cond::Lt => Cond::Ge,
            Cond::Ge => Cond::Lt,
            Cond::Le => Cond::Gt,
            Cond::Eq => Cond::Ne,
            Cond::Ne => Cond::Eq,
            Cond::Not => Cond::Nz,
            Cond::Nz => Cond::Not,
            Cond::Gez => Cond::Lz,
            Cond::Lz => Cond::Gez,
            Cond::Gz => Cond::Lez,
            Cond::Lez => Cond::Gz,
            c => c,
        }
    }

    /// The one-operand condition for a comparison with zero.
    #[must_use]
    pub const fn with_zero(self) -> Cond {
        match self {
            Cond::Gt => Cond::Gz,
            Cond::Lt => Cond::Lz,
            Cond::Ge => Cond::Gez,
            Cond::Le => Cond::Lez,
            Cond::Eq => Cond::Not,
            _ => Cond::Nz,
        }
    }

    /// Whether the opposite condition holds exactly where this one does not.
    pub const fn has_opposite(self, ty: Type) -> bool {
        ty.is_integer() || matches!(self, Cond::Eq | Cond::Ne)
    }
}

fn value<M: gpucc_isa::ModValue>(inst: &Inst<Vivante>, slot: &str) -> Option<M> {
    inst.get(slot).and_then(M::from_bits)
}

/// Type of an instruction, if it has one.
pub fn ty(inst: &Inst<Vivante>) -> Option<Type> {
    value(inst, "type")
}

/// Condition of an instruction; always, if it has none.
pub fn cond(inst: &Inst<Vivante>) -> Cond {
    value(inst, "cond").unwrap_or(Cond::Always)
}

/// Rounding mode of an instruction.
pub fn round(inst: &Inst<Vivante>) -> Round {
    value(inst, "round").unwrap_or(Round::Default)
}
