//! Values of modifiers that have names: what a flag register must say, comparisons, rounding modes, sums. The rows take their names
//! from here.

gpucc_isa::named_values! {
    /// The flags with which a lane executes an instruction.
    Pred 32 {
        /// Nothing helps.
        Never = 0x00 "never",
        /// Less.
        Less = 0x01 "l",
        /// Equal: zero and no sign.
        Equal = 0x02 "e",
        /// Less or equal.
        LessEqual = 0x03 "le",
        /// Greater.
        Greater = 0x04 "g",
        /// Not zero. A comparison that held left such flags.
        NotZero = 0x05 "lg",
        /// Greater or equal.
        GreaterEqual = 0x06 "ge",
        /// Ordered.
        Ordered = 0x07 "lge",
        /// Unordered.
        Unordered = 0x08 "u",
        /// Less or unordered.
        LessUnordered = 0x09 "lu",
        /// Zero. A comparison that did not hold left such flags.
        Zero = 0x0a "eu",
        /// Less, equal or unordered.
        LessEqualUnordered = 0x0b "leu",
        /// Greater or unordered.
        GreaterUnordered = 0x0c "gu",
        /// Not equal or unordered.
        NotEqualUnordered = 0x0d "lgu",
        /// Greater, equal or unordered.
        GreaterEqualUnordered = 0x0e "geu",
        /// The flags are not looked at.
        Always = 0x0f "always",
        /// Overflow.
        Overflow = 0x10 "o",
        /// Carry.
        Carry = 0x11 "c",
        /// Carry and not zero.
        Above = 0x12 "a",
        /// Sign.
        Sign = 0x13 "s",
        /// No sign.
        NoSign = 0x1c "ns",
        /// No carry, or zero.
        NotAbove = 0x1d "na",
        /// No carry.
        NoCarry = 0x1e "nc",
        /// No overflow.
        NoOverflow = 0x1f "no",
    }
}

gpucc_isa::named_values! {
    /// A comparison: bit 0 less, bit 1 equal, bit 2 greater, bit 3 unordered. Integers know the first seven.
    Cond 16 {
        /// Never.
        Never = 0 "never",
        /// Less.
        Less = 1 "l",
        /// Equal.
        Equal = 2 "e",
        /// Less or equal.
        LessEqual = 3 "le",
        /// Greater.
        Greater = 4 "g",
        /// Less or greater.
        NotEqual = 5 "lg",
        /// Greater or equal.
        GreaterEqual = 6 "ge",
        /// Ordered.
        Ordered = 7 "lge",
        /// Unordered.
        Unordered = 8 "u",
        /// Less or unordered.
        LessUnordered = 9 "lu",
        /// Equal or unordered.
        EqualUnordered = 10 "eu",
        /// Less, equal or unordered.
        LessEqualUnordered = 11 "leu",
        /// Greater or unordered.
        GreaterUnordered = 12 "gu",
        /// Not equal or unordered.
        NotEqualUnordered = 13 "lgu",
        /// Greater, equal or unordered.
        GreaterEqualUnordered = 14 "geu",
        /// Always.
        Always = 15 "always",
    }
}

gpucc_isa::named_values! {
    /// Rounding mode.
    Round 4 {
        /// Rounds to nearest, to even between two.
        Nearest = 0 "rn",
        /// Rounds down.
        Down = 1 "rm",
        /// Rounds up.
        Up = 2 "rp",
        /// Rounds toward zero.
        Zero = 3 "rz",
    }
}

gpucc_isa::named_values! {
    /// The use of a multiply-add's product.
    AddOp 4 {
        /// Product plus third source.
        Add = 0 "add",
        /// Product minus third source.
        Sub = 1 "sub",
        /// Third source minus product.
        Subr = 2 "subr",
        /// Product plus third source plus the carry of a flag register.
        Addc = 3 "addc",
    }
}

impl Pred {
    /// The test that holds exactly where this one does not, if it is one of a zero.
    pub const fn opposite(self) -> Option<Pred> {
        match self {
            Pred::NotZero => Some(Pred::Zero),
            Pred::Zero => Some(Pred::NotZero),
            _ => None,
        }
    }
}

impl Cond {
    /// The comparison of the operands the other way round.
    #[must_use]
    pub const fn swapped(self) -> Cond {
        match self {
            Cond::Less => Cond::Greater,
            Cond::Greater => Cond::Less,
            Cond::LessEqual => Cond::GreaterEqual,
            Cond::GreaterEqual => Cond::LessEqual,
            Cond::LessUnordered => Cond::GreaterUnordered,
            Cond::GreaterUnordered => Cond::LessUnordered,
            Cond::LessEqualUnordered => Cond::GreaterEqualUnordered,
            Cond::GreaterEqualUnordered => Cond::LessEqualUnordered,
            c => c,
        }
    }

    /// Whether it means something on integers.
    pub const fn on_integers(self) -> bool {
        (self as u8) < Cond::Ordered as u8
    }
}
