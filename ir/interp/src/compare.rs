//! Judges a machine's buffers by the oracle's.

use gpucc_num::convert::f16_to_f32;
use gpucc_num::f32::ulp_distance;
use gpucc_sim::{Dispatch, RunReport};
use std::fmt;

/// The type that a byte of a buffer was last stored as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// An integer, or never stored by the program: must be the same bits.
    #[default]
    Exact,
    /// Part of a f16.
    F16,
    /// Part of a f32.
    F32,
    /// Part of a f64.
    F64,
}

/// The outcome of a run besides the buffers.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Counts of instructions, races and notes.
    pub report: RunReport,
    /// How each byte of each buffer of the dispatch was last stored: what [`compare`](crate::compare()) goes by.
    pub kinds: Vec<Vec<Kind>>,
    /// An access of a robust module was out of bounds: WGSL leaves open which place it reaches.
    pub strayed: bool,
    /// A lane read another one that does not take part: it gets any value.
    pub absent: bool,
}

/// How far apart two floats may be. Either bound is enough; zeros of both signs are one value, and so are all NaN.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tolerance {
    /// Distance in representable values.
    pub ulp: u32,
    /// Distance by value, in the float's type.
    pub abs: f32,
}

impl Tolerance {
    /// Bits must agree, but for the sign of zero and the payload of NaN.
    pub const EXACT: Tolerance = Tolerance { ulp: 0, abs: 0.0 };

    /// Whether two values of a kind are near enough.
    pub fn accepts(self, kind: Kind, oracle: u64, machine: u64) -> bool {
        if oracle == machine {
            return true;
        }
        match kind {
            Kind::Exact => false,
            Kind::F16 => {
                let (a, b) = (f16_to_f32(oracle as u16), f16_to_f32(machine as u16));
                let order = |h: u64| if h & 0x8000 != 0 { -((h & 0x7fff) as i64) } else { h as i64 };
                let near = !a.is_nan() && !b.is_nan() && order(oracle).abs_diff(order(machine)) <= u64::from(self.ulp);
                (a.is_nan() && b.is_nan()) || near || (a - b).abs() <= self.abs
            }
            Kind::F32 => {
                let (a, b) = (f32::from_bits(oracle as u32), f32::from_bits(machine as u32));
                ulp_distance(a, b).is_some_and(|d| d <= self.ulp) || (a - b).abs() <= self.abs
            }
            Kind::F64 => {
                let (a, b) = (f64::from_bits(oracle), f64::from_bits(machine));
                let order = |h: u64| if h >> 63 != 0 { -i128::from(h << 1 >> 1) } else { i128::from(h) };
                let near = !a.is_nan() && !b.is_nan() && order(oracle).abs_diff(order(machine)) <= u128::from(self.ulp);
                (a.is_nan() && b.is_nan()) || near || (a - b).abs() <= f64::from(self.abs)
            }
        }
    }
}

/// The first place where two runs disagree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Place of the buffer in the dispatch.
    pub buffer: usize,
    /// Bind group of the buffer.
    pub group: u32,
    /// Binding in its group.
    pub binding: u32,
    /// Byte offset in the buffer.
    pub offset: usize,
    /// Bytes.
    pub size: usize,
    /// How the oracle stored it.
    pub kind: Kind,
    /// Bits that the oracle has there.
    pub oracle: u64,
    /// Bits that the machine has there.
    pub machine: u64,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { group, binding, offset, oracle, machine, .. } = *self;
        write!(f, "group {group} binding {binding} at byte {offset}: ")?;
        match self.kind {
            Kind::Exact => write!(f, "oracle {oracle} (0x{oracle:x}), machine {machine} (0x{machine:x})"),
            Kind::F16 => {
                let (a, b) = (f16_to_f32(oracle as u16), f16_to_f32(machine as u16));
                write!(f, "oracle {a:?} (0x{oracle:04x}), machine {b:?} (0x{machine:04x})")
            }
            Kind::F32 => {
                let (a, b) = (f32::from_bits(oracle as u32), f32::from_bits(machine as u32));
                write!(f, "oracle {a:?} (0x{oracle:08x}), machine {b:?} (0x{machine:08x})")
            }
            Kind::F64 => {
                let (a, b) = (f64::from_bits(oracle), f64::from_bits(machine));
                write!(f, "oracle {a:?} (0x{oracle:016x}), machine {b:?} (0x{machine:016x})")
            }
        }
    }
}

/// Every word of two dispatches' buffers, floats as the oracle stored them, whether they agree or not.
pub fn words<'a>(
    outcome: &'a Outcome,
    oracle: &'a Dispatch,
    machine: &'a Dispatch,
) -> impl Iterator<Item = Difference> + 'a {
    oracle.buffers.iter().zip(&machine.buffers).enumerate().flat_map(move |(index, (a, b))| {
        let kinds = outcome.kinds.get(index).map_or(&[][..], Vec::as_slice);
        let mut at = 0;
        std::iter::from_fn(move || {
            if at >= a.bytes.len() {
                return None;
            }
            let kind = kinds.get(at).copied().unwrap_or_default();
            let whole = |size: usize| kinds.get(at..at + size).is_some_and(|all| all.iter().all(|k| *k == kind));
            let (kind, size) = match kind {
                Kind::F16 if whole(2) => (kind, 2),
                Kind::F32 if whole(4) => (kind, 4),
                Kind::F64 if whole(8) => (kind, 8),
                // Words read better than bytes in a message.
                Kind::Exact if at % 4 == 0 && at + 4 <= a.bytes.len() && whole(4) => (kind, 4),
                _ => (Kind::Exact, 1),
            };
            let read = |bytes: &[u8]| {
                let mut word = [0; 8];
                let part = bytes.get(at..at + size).unwrap_or(&[]);
                word[..part.len()].copy_from_slice(part);
                u64::from_le_bytes(word)
            };
            let (oracle, machine) = (read(&a.bytes), read(&b.bytes));
            let (group, binding) = (a.group, a.binding);
            let offset = at;
            at += size;
            Some(Difference { buffer: index, group, binding, offset, size, kind, oracle, machine })
        })
    })
}

/// The first difference between the buffers of the oracle's dispatch and a machine's, or none. Both must have come
/// from the same dispatch; `outcome` is the oracle's.
pub fn compare(outcome: &Outcome, oracle: &Dispatch, machine: &Dispatch, tolerance: Tolerance) -> Option<Difference> {
    words(outcome, oracle, machine).find(|d| !tolerance.accepts(d.kind, d.oracle, d.machine))
}
