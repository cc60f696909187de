//! Values of modifiers that selection gives: comparisons, results of comparisons, ranges, rounding, atomic operations. The slots take
//! their names from here.

gpucc_isa::named_values! {
    /// A comparison.
    Condition 8 {
        /// Equal.
        Eq = 0 "eq",
        /// Greater.
        Gt = 1 "gt",
        /// Greater or equal.
        Ge = 2 "ge",
        /// Not equal, or unordered.
        Ne = 3 "ne",
        /// Less.
        Lt = 4 "lt",
        /// Less or equal.
        Le = 5 "le",
        /// Greater or less: not equal and ordered.
        Gtlt = 6 "gtlt",
        /// Ordered.
        Total = 7 "total",
    }

    /// How a comparison says true.
    ResultType 4 {
        /// 1.
        I1 = 0 "i1",
        /// 1.0.
        F1 = 1 "f1",
        /// All ones.
        M1 = 2 "m1",
        /// Unsigned 1.
        U1 = 3 "u1",
    }

    /// Range of a float result.
    Clamp 4 {
        /// All numbers.
        None = 0 "none",
        /// From 0 up.
        ZeroInf = 1 "clamp_0_inf",
        /// From -1 to 1.
        MinusOneOne = 2 "clamp_m1_1",
        /// From 0 to 1.
        ZeroOne = 3 "clamp_0_1",
    }

    /// Rounding.
    Round 4 {
        /// To nearest, to even between two.
        NearestEven = 0 "rte",
        /// Up.
        Up = 1 "rtp",
        /// Down.
        Down = 2 "rtn",
        /// Toward zero.
        Zero = 3 "rtz",
    }

    /// What MUX tests.
    Mux 4 {
        /// The sign.
        Neg = 0 "neg",
        /// Whether the integer is zero.
        IntZero = 1 "int_zero",
        /// Whether the float is zero.
        FpZero = 2 "fp_zero",
        /// Each bit.
        Bit = 3 "bit",
    }

    /// Memory access hint.
    MemoryAccess 4 {
        /// None.
        None = 0 "none",
        /// Streaming through the inner cache.
        Istream = 1 "istream",
        /// Streaming through the outer cache.
        Estream = 2 "estream",
        /// Helper lanes store too.
        Force = 3 "force",
    }

    /// Message slot.
    MessageSlot 8 {
        /// The first.
        Slot0 = 0 "slot0",
        /// The second.
        Slot1 = 1 "slot1",
        /// The third.
        Slot2 = 2 "slot2",
        /// That of barriers.
        Slot7 = 7 "slot7",
    }

    /// Atomic operation.
    AtomOp 16 {
        /// Sum.
        Add = 2 "aadd",
        /// Least signed.
        Smin = 8 "asmin",
        /// Greatest signed.
        Smax = 9 "asmax",
        /// Least unsigned.
        Umin = 10 "aumin",
        /// Greatest unsigned.
        Umax = 11 "aumax",
        /// Bits of both.
        And = 12 "aand",
        /// Bits of either.
        Or = 13 "aor",
        /// Bits of one.
        Xor = 14 "axor",
        /// The operand.
        Exchange = 15 "axchg",
    }

    /// Atomic operation with 1.
    AtomOne 5 {
        /// One more.
        Inc = 0 "ainc",
        /// One less.
        Dec = 1 "adec",
        /// At least 1, unsigned.
        Umax1 = 2 "aumax1",
        /// At least 1, signed.
        Smax1 = 3 "asmax1",
        /// With bit 0.
        Or1 = 4 "aor1",
    }

    /// Place and extension of a loaded byte.
    ByteLane 8 {
        /// Byte 0.
        B0 = 0 "b0",
        /// Byte 1.
        B1 = 1 "b1",
        /// Byte 2.
        B2 = 2 "b2",
        /// Byte 3.
        B3 = 3 "b3",
        /// The low half, extended.
        H0 = 4 "h0",
        /// The high half, extended.
        H1 = 5 "h1",
        /// A word, extended.
        W0 = 6 "w0",
        /// Two words, extended.
        D0 = 7 "d0",
    }

    /// Place and extension of a loaded half.
    HalfLane 4 {
        /// The low half.
        H0 = 0 "h0",
        /// The high half.
        H1 = 1 "h1",
        /// A word, extended.
        W0 = 2 "w0",
        /// Two words, extended.
        D0 = 3 "d0",
    }
}
