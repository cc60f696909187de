//! Vector compares (section 6.4).

use gpucc_num::{f16, f32 as n32, f64 as n64};
use gpucc_sim::Trap;
use gpucc_sim::lanes::lanes;

use super::lanes::LaneCx;
use super::subgroup::{LANES, Wave};
use crate::attrs::{Compare, Number, Test};

/// Outcomes of a comparison, as [`Condition`](crate::Condition) has them.
const LT: u8 = 1;
const EQ: u8 = 2;
const GT: u8 = 4;
const UN: u8 = 8;

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
    pub(crate) fn compare(&mut self, c: &LaneCx<'_>, cmp: Compare) -> Result<(), Trap> {
        let (m, m64) = (self.float.f32, self.float.f64);
        let (mut x, mut y) = ([0; LANES], [0; LANES]);
        let mut bits = 0u64;
        let holds = match cmp.test {
            Test::Order(c) => Some(c as u8),
            Test::Class => None,
        };
        let wide = matches!(cmp.ty, Number::F64 | Number::I64 | Number::U64);
        if let (true, Some(holds)) = (wide, holds) {
            let float = cmp.ty == Number::F64;
            let (a, b) = (self.wide(c, 0, float)?, self.wide(c, 1, float)?);
            for l in lanes(c.mask) {
                let o = match cmp.ty {
                    Number::F64 => order(n64::input(m64, f64::from_bits(a[l])), n64::input(m64, f64::from_bits(b[l]))),
                    Number::I64 => order(a[l] as i64, b[l] as i64),
                    _ => order(a[l], b[l]),
                };
                bits |= u64::from(holds & o != 0) << l;
            }
        } else if let Some(holds) = holds {
            let (a, b) = (self.compare_src(c, 0, cmp.ty, &mut x)?, self.compare_src(c, 1, cmp.ty, &mut y)?);
            for l in lanes(c.mask) {
                let (a, b) = (a[l], b[l]);
                let o = match cmp.ty {
                    Number::F32 => order(n32::input(m, f32::from_bits(a)), n32::input(m, f32::from_bits(b))),
                    Number::F16 => {
                        let x = |v: u32| gpucc_num::convert::f16_to_f32(f16::input(m64, v as u16));
                        order(x(a), x(b))
                    }
                    Number::I16 => order(a as i16, b as i16),
                    Number::U16 => order(a as u16, b as u16),
                    Number::I32 => order(a as i32, b as i32),
                    _ => order(a, b),
                };
                bits |= u64::from(holds & o != 0) << l;
            }
        } else {
            let b = self.compare_src(c, 1, Number::U32, &mut y)?;
            if cmp.ty == Number::F64 {
                let a = self.wide(c, 0, true)?;
                for l in lanes(c.mask) {
                    bits |= u64::from(b[l] >> n64::class(f64::from_bits(a[l])) as u32 & 1) << l;
                }
            } else {
                let a = self.compare_src(c, 0, cmp.ty, &mut x)?;
                for l in lanes(c.mask) {
                    let class =
                        if cmp.ty == Number::F16 { f16::class(a[l] as u16) } else { n32::class(f32::from_bits(a[l])) };
                    bits |= u64::from(b[l] >> class as u32 & 1) << l;
                }
            }
        }
        self.put_mask(c.d, bits);
        if c.d.writes_exec {
            self.set_exec(bits);
            self.note_valu_exec();
        }
        Ok(())
    }
}
