//! Values of modifiers that selection gives: comparisons, results of comparisons, ranges, rounding, atomic operations. The slots take
//! their names from here.

gpucc_isa::named_values! {
    /// A comparison.
    Condition 8 {
        Eq = 0    "eq"    "Equal.",
        Gt = 1    "gt"    "Greater.",
        Ge = 2    "ge"    "Greater or equal.",
        Ne = 3    "ne"    "Not equal, or unordered.",
        Lt = 4    "lt"    "Less.",
        Le = 5    "le"    "Less or equal.",
        Gtlt = 6  "gtlt"  "Greater or less: not equal and ordered.",
        Total = 7 "total" "Ordered.",
    }

    /// How a comparison says true.
    ResultType 4 {
        I1 = 0 "i1" "1.",
        F1 = 1 "f1" "1.0.",
        M1 = 2 "m1" "All ones.",
        U1 = 3 "u1" "Unsigned 1.",
    }

    /// Range of a float result.
    Clamp 4 {
        None = 0        "none"        "All numbers.",
        ZeroInf = 1     "clamp_0_inf" "Limits the result to 0 and up.",
        MinusOneOne = 2 "clamp_m1_1"  "Limits the result to -1 to 1.",
        ZeroOne = 3     "clamp_0_1"   "Limits the result to 0 to 1.",
    }

    /// Rounding.
    Round 4 {
        NearestEven = 0 "rte" "Rounds to nearest, to even between two.",
        Up = 1          "rtp" "Rounds up.",
        Down = 2        "rtn" "Down.",
        Zero = 3        "rtz" "Rounds toward zero.",
    }

    /// The condition of MUX.
    Mux 4 {
        Neg = 0     "neg"      "The sign.",
        IntZero = 1 "int_zero" "Whether the integer is zero.",
        FpZero = 2  "fp_zero"  "Whether the float is zero.",
        Bit = 3     "bit"      "Each bit.",
    }

    /// Memory access hint.
    MemoryAccess 4 {
        None = 0    "none"    "None.",
        Istream = 1 "istream" "Streaming through the inner cache.",
        Estream = 2 "estream" "Streaming through the outer cache.",
        Force = 3   "force"   "Helper lanes store too.",
    }

    /// Dimension of a texture instruction.
    Dimension 4 {
        D1 = 0   "1d"   "One axis.",
        D2 = 1   "2d"   "Two axes.",
        D3 = 2   "3d"   "Three axes.",
        Cube = 3 "cube" "Faces.",
    }

    /// Where the level of detail comes from.
    LodMode 7 {
        Zero = 0         "zero"          "The first level.",
        Computed = 1     "computed"      "The quad.",
        Explicit = 4     "explicit"      "An operand.",
        ComputedBias = 5 "computed_bias" "The quad, and an operand.",
        Grdesc = 6       "grdesc"        "A gradient descriptor.",
    }

    /// Format of data in registers.
    RegFormat 8 {
        Auto = 0 "auto" "That of the descriptor.",
        F32 = 2  "f32"  "Floats.",
        F16 = 3  "f16"  "Floats of 16 bits.",
        S32 = 4  "s32"  "Integers with a sign.",
        S16 = 5  "s16"  "Integers with a sign, of 16 bits.",
        U32 = 6  "u32"  "Integers.",
        U16 = 7  "u16"  "Integers of 16 bits.",
    }

    /// Type of texture results.
    RegisterType 4 {
        Auto = 0     "auto" "That of the descriptor.",
        Float = 1    "f"    "Floats.",
        Unsigned = 2 "u"    "Integers.",
        Signed = 3   "s"    "Integers with a sign.",
    }

    /// Width of texture results.
    RegisterWidth 2 {
        Half = 0 "16" "Two in a register.",
        Word = 1 "32" "One in a register.",
    }

    /// Component that a gather reads.
    Component 4 {
        R = 0 "gather4_r" "Red.",
        G = 1 "gather4_g" "Green.",
        B = 2 "gather4_b" "Blue.",
        A = 3 "gather4_a" "Alpha.",
    }

    /// Components of a vector.
    VecSize 4 {
        One = 0   "none" "One.",
        Two = 1   "v2"   "Two.",
        Three = 2 "v3"   "Three.",
        Four = 3  "v4"   "Four.",
    }

    /// Where a varying is interpolated.
    SamplePlace 4 {
        Center = 0   "center"   "The middle of the pixel.",
        Centroid = 1 "centroid" "A covered point.",
        Sample = 2   "sample"   "The sample.",
        Explicit = 3 "explicit" "The offset that is given.",
    }

    /// The change of the position of interpolation that hardware keeps.
    Update 4 {
        Store = 0    "store"    "It is found, and kept.",
        Retrieve = 1 "retrieve" "The kept one is used.",
        Clobber = 3  "clobber"  "It is lost.",
    }

    /// Format of a varying in memory.
    SourceFormat 4 {
        Flat32 = 0 "src_flat32" "Not interpolated, 32 bits.",
        Flat16 = 1 "src_flat16" "Not interpolated, 16 bits.",
        F32 = 2    "src_f32"    "Floats.",
        F16 = 3    "src_f16"    "Floats of 16 bits.",
    }

    /// Message slot.
    MessageSlot 8 {
        Slot0 = 0 "slot0" "The first.",
        Slot1 = 1 "slot1" "The second.",
        Slot2 = 2 "slot2" "The third.",
        Slot7 = 7 "slot7" "That of barriers.",
    }

    /// Atomic operation.
    AtomOp 16 {
        Add = 2       "aadd"  "Sum.",
        Smin = 8      "asmin" "Least signed.",
        Smax = 9      "asmax" "Greatest signed.",
        Umin = 10     "aumin" "Least unsigned.",
        Umax = 11     "aumax" "Greatest unsigned.",
        And = 12      "aand"  "Bits of both.",
        Or = 13       "aor"   "Bits of either.",
        Xor = 14      "axor"  "Bits of one.",
        Exchange = 15 "axchg" "The operand.",
    }

    /// Atomic operation with 1.
    AtomOne 5 {
        Inc = 0   "ainc"   "One more.",
        Dec = 1   "adec"   "One less.",
        Umax1 = 2 "aumax1" "The greater of it and 1, unsigned.",
        Smax1 = 3 "asmax1" "The greater of it and 1, signed.",
        Or1 = 4   "aor1"   "The value with bit 0 set.",
    }

    /// Place and extension of a loaded byte.
    ByteLane 8 {
        B0 = 0 "b0" "Byte 0.",
        B1 = 1 "b1" "Byte 1.",
        B2 = 2 "b2" "Byte 2.",
        B3 = 3 "b3" "Byte 3.",
        H0 = 4 "h0" "The low half, extended.",
        H1 = 5 "h1" "The high half, extended.",
        W0 = 6 "w0" "A word, extended.",
        D0 = 7 "d0" "Two words, extended.",
    }

    /// Place and extension of a loaded half.
    HalfLane 4 {
        H0 = 0 "h0" "The low half.",
        H1 = 1 "h1" "The high half.",
        W0 = 2 "w0" "A word, extended.",
        D0 = 3 "d0" "Two words, extended.",
    }
}
