//! Values of modifiers that have names: what a flag register must say, comparisons, rounding modes, sums. The rows take their names
//! from here.

gpucc_isa::named_values! {
    /// The flags with which a lane executes an instruction.
    Pred 32 {
        Never = 0x00                 "never"  "Nothing helps.",
        Less = 0x01                  "l"      "Less.",
        Equal = 0x02                 "e"      "Equal: zero and no sign.",
        LessEqual = 0x03             "le"     "Less or equal.",
        Greater = 0x04               "g"      "Greater.",
        NotZero = 0x05               "lg"     "Not zero. A comparison that held left such flags.",
        GreaterEqual = 0x06          "ge"     "Greater or equal.",
        Ordered = 0x07               "lge"    "Ordered.",
        Unordered = 0x08             "u"      "Unordered.",
        LessUnordered = 0x09         "lu"     "Less or unordered.",
        Zero = 0x0a                  "eu"     "Zero. A comparison that did not hold left such flags.",
        LessEqualUnordered = 0x0b    "leu"    "Less, equal or unordered.",
        GreaterUnordered = 0x0c      "gu"     "Greater or unordered.",
        NotEqualUnordered = 0x0d     "lgu"    "Not equal or unordered.",
        GreaterEqualUnordered = 0x0e "geu"    "Greater, equal or unordered.",
        Always = 0x0f                "always" "The flags are not looked at.",
        Overflow = 0x10              "o"      "Overflow.",
        Carry = 0x11                 "c"      "Carry.",
        Above = 0x12                 "a"      "Carry and not zero.",
        Sign = 0x13                  "s"      "Sign.",
        NoSign = 0x1c                "ns"     "No sign.",
        NotAbove = 0x1d              "na"     "No carry, or zero.",
        NoCarry = 0x1e               "nc"     "No carry.",
        NoOverflow = 0x1f            "no"     "No overflow.",
    }
}

gpucc_isa::named_values! {
    /// A comparison: bit 0 less, bit 1 equal, bit 2 greater, bit 3 unordered. Integers know the first seven.
    Cond 16 {
        Never = 0                  "never"  "Never.",
        Less = 1                   "l"      "Less.",
        Equal = 2                  "e"      "Equal.",
        LessEqual = 3              "le"     "Less or equal.",
        Greater = 4                "g"      "Greater.",
        NotEqual = 5               "lg"     "Less or greater.",
        GreaterEqual = 6           "ge"     "Greater or equal.",
        Ordered = 7                "lge"    "Ordered.",
        Unordered = 8              "u"      "Unordered.",
        LessUnordered = 9          "lu"     "Less or unordered.",
        EqualUnordered = 10        "eu"     "Equal or unordered.",
        LessEqualUnordered = 11    "leu"    "Less, equal or unordered.",
        GreaterUnordered = 12      "gu"     "Greater or unordered.",
        NotEqualUnordered = 13     "lgu"    "Not equal or unordered.",
        GreaterEqualUnordered = 14 "geu"    "Greater, equal or unordered.",
        Always = 15                "always" "Always.",
    }
}

gpucc_isa::named_values! {
    /// Rounding mode.
    Round 4 {
        Nearest = 0 "rn" "Rounds to nearest, to even between two.",
        Down = 1    "rm" "Rounds down.",
        Up = 2      "rp" "Rounds up.",
        Zero = 3    "rz" "Rounds toward zero.",
    }
}

gpucc_isa::named_values! {
    /// The use of a multiply-add's product.
    AddOp 4 {
        Add = 0  "add"  "Product plus third source.",
        Sub = 1  "sub"  "Product minus third source.",
        Subr = 2 "subr" "Third source minus product.",
        Addc = 3 "addc" "Product plus third source plus the carry of a flag register.",
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
}
