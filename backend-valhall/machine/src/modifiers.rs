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
        /// Limits the result to 0 and up.
        ZeroInf = 1 "clamp_0_inf",
        /// Limits the result to -1 to 1.
        MinusOneOne = 2 "clamp_m1_1",
        /// Limits the result to 0 to 1.
        ZeroOne = 3 "clamp_0_1",
    }

    /// Rounding.
    Round 4 {
        /// Rounds to nearest, to even between two.
        NearestEven = 0 "rte",
        /// Rounds up.
        Up = 1 "rtp",
        /// Down.
        Down = 2 "rtn",
        /// Rounds toward zero.
        Zero = 3 "rtz",
    }

    /// The condition of MUX.
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

    /// Dimension of a texture instruction.
    Dimension 4 {
        /// One axis.
        D1 = 0 "1d",
        /// Two axes.
        D2 = 1 "2d",
        /// Three axes.
        D3 = 2 "3d",
        /// Faces.
        Cube = 3 "cube",
    }

    /// Where the level of detail comes from.
    LodMode 7 {
        /// The first level.
        Zero = 0 "zero",
        /// The quad.
        Computed = 1 "computed",
        /// An operand.
        Explicit = 4 "explicit",
        /// The quad, and an operand.
        ComputedBias = 5 "computed_bias",
        /// A gradient descriptor.
        Grdesc = 6 "grdesc",
    }

    /// Format of data in registers.
    RegFormat 8 {
        /// That of the descriptor.
        Auto = 0 "auto",
        /// Floats.
        F32 = 2 "f32",
        /// Floats of 16 bits.
        F16 = 3 "f16",
        /// Integers with a sign.
        S32 = 4 "s32",
        /// Integers with a sign, of 16 bits.
        S16 = 5 "s16",
        /// Integers.
        U32 = 6 "u32",
        /// Integers of 16 bits.
        U16 = 7 "u16",
    }

    /// Type of texture results.
    RegisterType 4 {
        /// That of the descriptor.
        Auto = 0 "auto",
        /// Floats.
        Float = 1 "f",
        /// Integers.
        Unsigned = 2 "u",
        /// Integers with a sign.
        Signed = 3 "s",
    }

    /// Width of texture results.
    RegisterWidth 2 {
        /// Two in a register.
        Half = 0 "16",
        /// One in a register.
        Word = 1 "32",
    }

    /// Component that a gather reads.
    Component 4 {
        /// Red.
        R = 0 "gather4_r",
        /// Green.
        G = 1 "gather4_g",
        /// Blue.
        B = 2 "gather4_b",
        /// Alpha.
        A = 3 "gather4_a",
    }

    /// Components of a vector.
    VecSize 4 {
        /// One.
        One = 0 "none",
        /// Two.
        Two = 1 "v2",
        /// Three.
        Three = 2 "v3",
        /// Four.
        Four = 3 "v4",
    }

    /// Where a varying is interpolated.
    SamplePlace 4 {
        /// The middle of the pixel.
        Center = 0 "center",
        /// A covered point.
        Centroid = 1 "centroid",
        /// The sample.
        Sample = 2 "sample",
        /// The offset that is given.
        Explicit = 3 "explicit",
    }

    /// The change of the position of interpolation that hardware keeps.
    Update 4 {
        /// It is found, and kept.
        Store = 0 "store",
        /// The kept one is used.
        Retrieve = 1 "retrieve",
        /// It is lost.
        Clobber = 3 "clobber",
    }

    /// Format of a varying in memory.
    SourceFormat 4 {
        /// Not interpolated, 32 bits.
        Flat32 = 0 "src_flat32",
        /// Not interpolated, 16 bits.
        Flat16 = 1 "src_flat16",
        /// Floats.
        F32 = 2 "src_f32",
        /// Floats of 16 bits.
        F16 = 3 "src_f16",
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
        /// The greater of it and 1, unsigned.
        Umax1 = 2 "aumax1",
        /// The greater of it and 1, signed.
        Smax1 = 3 "asmax1",
        /// The value with bit 0 set.
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
