//! Value types: a scalar kind times one to four lanes, packed in a byte.
//!
//! Matrices, structs and arrays exist only as byte layouts of memory. Integers are signless: signedness is a matter of
//! the operation. Narrow types are semantic: `iadd` on `i16` wraps at 16 bits whatever the hardware has.

use std::fmt;

/// The kind of one lane.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Scalar {
    /// A boolean. Its register form is the backend's choice; in memory it is an `i32` of 0 or 1.
    B1 = 0,
    /// 8-bit integer.
    I8,
    /// 16-bit integer.
    I16,
    /// 32-bit integer.
    I32,
    /// 64-bit integer.
    I64,
    /// IEEE binary16.
    F16,
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
}

impl Scalar {
    /// All kinds of lanes: truth values, integers, floats.
    pub const ALL: [Scalar; 8] =
        [Scalar::B1, Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64, Scalar::F16, Scalar::F32, Scalar::F64];

    /// Bits of a lane (1 for `b1`).
    pub const fn bits(self) -> u32 {
        match self {
            Scalar::B1 => 1,
            Scalar::I8 => 8,
            Scalar::I16 | Scalar::F16 => 16,
            Scalar::I32 | Scalar::F32 => 32,
            Scalar::I64 | Scalar::F64 => 64,
        }
    }
    /// Bytes of a lane in memory (4 for `b1`).
    pub const fn mem_bytes(self) -> u32 {
        match self {
            Scalar::B1 => 4,
            s => s.bits() / 8,
        }
    }
    /// Whether this is one of `f16 f32 f64`.
    pub const fn is_float(self) -> bool {
        matches!(self, Scalar::F16 | Scalar::F32 | Scalar::F64)
    }
    /// Whether this is one of `i8 i16 i32 i64`.
    pub const fn is_int(self) -> bool {
        matches!(self, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64)
    }
    /// The integer kind of the same width (`b1` stays).
    pub const fn to_int(self) -> Scalar {
        match self {
            Scalar::F16 => Scalar::I16,
            Scalar::F32 => Scalar::I32,
            Scalar::F64 => Scalar::I64,
            s => s,
        }
    }
    /// A mask of the bits a lane has.
    pub const fn mask(self) -> u64 {
        match self.bits() {
            64 => u64::MAX,
            n => (1 << n) - 1,
        }
    }
    /// The name as printed.
    pub const fn name(self) -> &'static str {
        match self {
            Scalar::B1 => "b1",
            Scalar::I8 => "i8",
            Scalar::I16 => "i16",
            Scalar::I32 => "i32",
            Scalar::I64 => "i64",
            Scalar::F16 => "f16",
            Scalar::F32 => "f32",
            Scalar::F64 => "f64",
        }
    }
}

/// A scalar kind times 1..=4 lanes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Type(u8);

impl Type {
    /// One lane of `b1`, a truth value.
    pub const B1: Type = Type::new(Scalar::B1, 1);
    /// One lane of `i8`, an 8-bit integer.
    pub const I8: Type = Type::new(Scalar::I8, 1);
    /// One lane of `i16`, a 16-bit integer.
    pub const I16: Type = Type::new(Scalar::I16, 1);
    /// One lane of `i32`, a 32-bit integer.
    pub const I32: Type = Type::new(Scalar::I32, 1);
    /// One lane of `i64`, a 64-bit integer.
    pub const I64: Type = Type::new(Scalar::I64, 1);
    /// One lane of `f16`, IEEE binary16.
    pub const F16: Type = Type::new(Scalar::F16, 1);
    /// One lane of `f32`, IEEE binary32.
    pub const F32: Type = Type::new(Scalar::F32, 1);
    /// One lane of `f64`, IEEE binary64.
    pub const F64: Type = Type::new(Scalar::F64, 1);

    /// The type of `lanes` lanes of `scalar`; panics unless 1..=4.
    pub const fn new(scalar: Scalar, lanes: u32) -> Type {
        assert!(lanes >= 1 && lanes <= 4);
        Type((scalar as u8) << 2 | (lanes as u8 - 1))
    }
    /// The kind of a lane.
    pub const fn scalar(self) -> Scalar {
        Scalar::ALL[(self.0 >> 2) as usize]
    }
    /// The number of lanes, 1..=4.
    pub const fn lanes(self) -> u32 {
        (self.0 & 3) as u32 + 1
    }
    /// The type of one lane.
    pub const fn lane(self) -> Type {
        Type(self.0 & !3)
    }
    /// The same kind with `lanes` lanes.
    pub const fn with_lanes(self, lanes: u32) -> Type {
        Type::new(self.scalar(), lanes)
    }
    /// The same number of lanes of another kind.
    pub const fn with_scalar(self, scalar: Scalar) -> Type {
        Type::new(scalar, self.lanes())
    }
    /// Booleans with the same number of lanes.
    pub const fn to_bool(self) -> Type {
        self.with_scalar(Scalar::B1)
    }
    /// The integer type of the same shape.
    pub const fn to_int(self) -> Type {
        self.with_scalar(self.scalar().to_int())
    }
    /// Bits of one lane.
    pub const fn bits(self) -> u32 {
        self.scalar().bits()
    }
    /// Bits of all lanes together.
    pub const fn total_bits(self) -> u32 {
        self.bits() * self.lanes()
    }
    /// Bytes that a load or store of this type touches: lanes times lane bytes, so 12 for three 32-bit lanes.
    pub const fn mem_bytes(self) -> u32 {
        self.scalar().mem_bytes() * self.lanes()
    }
    /// Whether there is more than one lane.
    pub const fn is_vector(self) -> bool {
        self.lanes() > 1
    }
    /// Whether lanes are floats.
    pub const fn is_float(self) -> bool {
        self.scalar().is_float()
    }
    /// Whether lanes are integers.
    pub const fn is_int(self) -> bool {
        self.scalar().is_int()
    }
    /// Whether lanes are booleans.
    pub const fn is_bool(self) -> bool {
        matches!(self.scalar(), Scalar::B1)
    }
    /// Reads a printed type (`f32`, `i32x3`).
    pub fn parse(s: &str) -> Option<Type> {
        let (kind, lanes) = match s.split_once('x') {
            Some((k, n)) => (k, n.parse::<u32>().ok().filter(|n| (2..=4).contains(n))?),
            None => (s, 1),
        };
        let scalar = Scalar::ALL.into_iter().find(|k| k.name() == kind)?;
        Some(Type::new(scalar, lanes))
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lanes() {
            1 => f.write_str(self.scalar().name()),
            n => write!(f, "{}x{n}", self.scalar().name()),
        }
    }
}

impl fmt::Debug for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
