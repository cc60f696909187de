//! Vector compares (section 6.4).

use std::sync::LazyLock;

use gpucc_num::{f16, f32 as n32, f64 as n64};
use gpucc_sim::Trap;

use super::valu::{Cx, lanes};
use super::wave::Wave;
use crate::Op;

/// Type of the compared values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Type {
    F16,
    F32,
    F64,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
}

/// One compare: its type, for which of less, equal, greater, unordered it holds, and whether EXEC is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compare {
    ty: Type,
    holds: u8,
    class: bool,
    exec: bool,
}

const LT: u8 = 1;
const EQ: u8 = 2;
const GT: u8 = 4;
const UN: u8 = 8;

static COMPARES: LazyLock<Vec<Option<Compare>>> = LazyLock::new(|| Op::ALL.iter().map(|op| parse(op.name())).collect());

/// The compare that `op` is, if it is one.
#[inline]
pub(crate) fn of(op: Op) -> Option<Compare> {
    if op < Op::VCmpFF16 {
        return None;
    }
    COMPARES[op as usize]
}

/// From the mnemonic: `v_cmp[s][x]_CONDITION_TYPE`.
fn parse(name: &str) -> Option<Compare> {
    let rest = name.strip_prefix("v_cmp")?;
    let (kind, rest) = rest.split_once('_')?;
    let (condition, ty) = rest.rsplit_once('_')?;
    let ty = match ty {
        "f16" => Type::F16,
        "f32" => Type::F32,
        "f64" => Type::F64,
        "i16" => Type::I16,
        "u16" => Type::U16,
        "i32" => Type::I32,
        "u32" => Type::U32,
        "i64" => Type::I64,
        _ => Type::U64,
    };
    let holds = match condition {
        "lt" => LT,
        "eq" => EQ,
        "le" => LT | EQ,
        "gt" => GT,
        "lg" | "ne" => LT | GT,
        "ge" => GT | EQ,
        "o" => LT | EQ | GT,
        "u" => UN,
        "nge" => LT | UN,
        "nlg" => EQ | UN,
        "ngt" => LT | EQ | UN,
        "nle" => GT | UN,
        "neq" => LT | GT | UN,
        "nlt" => GT | EQ | UN,
        "tru" | "t" => LT | EQ | GT | UN,
        _ => 0,
    };
    Some(Compare { ty, holds, class: condition == "class", exec: kind.ends_with('x') })
}

fn order<T: PartialOrd>(a: T, b: T) -> u8 {
    match a.partial_cmp(&b) {
        Some(std::cmp::Ordering::Less) => LT,
        Some(std::cmp::Ordering::Equal) => EQ,
        Some(std::cmp::Ordering::Greater) => GT,
        None => UN,
    }
}

impl Wave {
    /// Executes a compare: bits of inactive lanes become 0.
    pub(crate) fn compare(&mut self, c: &Cx<'_>, cmp: Compare) -> Result<(), Trap> {
        let (m, m64) = (self.float.f32, self.float.f64);
        let mut bits = 0u64;
        let wide = matches!(cmp.ty, Type::F64 | Type::I64 | Type::U64);
        if wide && !cmp.class {
            let float = cmp.ty == Type::F64;
            let (a, b) = (self.wide(c, 0, float)?, self.wide(c, 1, float)?);
            for l in lanes(c.mask) {
                let o = match cmp.ty {
                    Type::F64 => order(n64::input(m64, f64::from_bits(a[l])), n64::input(m64, f64::from_bits(b[l]))),
                    Type::I64 => order(a[l] as i64, b[l] as i64),
                    _ => order(a[l], b[l]),
                };
                bits |= u64::from(cmp.holds & o != 0) << l;
            }
        } else if cmp.class {
            let b = self.compare_src(c, 1, Type::U32)?;
            if cmp.ty == Type::F64 {
                let a = self.wide(c, 0, true)?;
                for l in lanes(c.mask) {
                    bits |= u64::from(b[l] >> n64::class(f64::from_bits(a[l])) as u32 & 1) << l;
                }
            } else {
                let a = self.compare_src(c, 0, cmp.ty)?;
                for l in lanes(c.mask) {
                    let class =
                        if cmp.ty == Type::F16 { f16::class(a[l] as u16) } else { n32::class(f32::from_bits(a[l])) };
                    bits |= u64::from(b[l] >> class as u32 & 1) << l;
                }
            }
        } else {
            let (a, b) = (self.compare_src(c, 0, cmp.ty)?, self.compare_src(c, 1, cmp.ty)?);
            for l in lanes(c.mask) {
                let (a, b) = (a[l], b[l]);
                let o = match cmp.ty {
                    Type::F32 => order(n32::input(m, f32::from_bits(a)), n32::input(m, f32::from_bits(b))),
                    Type::F16 => {
                        let x = |v: u32| gpucc_num::convert::f16_to_f32(f16::input(m64, v as u16));
                        order(x(a), x(b))
                    }
                    Type::I16 => order(a as i16, b as i16),
                    Type::U16 => order(a as u16, b as u16),
                    Type::I32 => order(a as i32, b as i32),
                    _ => order(a, b),
                };
                bits |= u64::from(cmp.holds & o != 0) << l;
            }
        }
        self.put_mask(c.d, bits);
        if cmp.exec {
            self.set_exec(bits);
            self.note_valu_exec();
        }
        Ok(())
    }
}
