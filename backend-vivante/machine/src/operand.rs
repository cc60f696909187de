//! Raw slot values: what a backend writes and the interpreter reads.

use gpucc_isa::Inst;

use crate::fields::PACK;
use crate::{Op, Vivante, table};

/// Register group of temporaries.
pub const GROUP_TEMP: u32 = 0;
/// Register group of internal registers.
pub const GROUP_INTERNAL: u32 = 1;
/// Register group of uniforms.
pub const GROUP_UNIFORM: u32 = 2;
/// Register group of uniforms from 128 (old spelling).
pub const GROUP_UNIFORM_HIGH: u32 = 3;
/// Register group of the 32-bit view of temporaries in dual-16 mode.
pub const GROUP_TEMP_FULL: u32 = 4;
/// Register group that marks an immediate.
pub const GROUP_IMMEDIATE: u32 = 7;

/// The swizzle `xyzw`, which moves no component.
pub const IDENTITY: u32 = 0xe4;

/// The swizzle that delivers the given components in lanes x, y, z, w.
pub const fn swizzle(x: u32, y: u32, z: u32, w: u32) -> u32 {
    (x & 3) | (y & 3) << 2 | (z & 3) << 4 | (w & 3) << 6
}

/// The swizzle that delivers one component in all lanes.
pub const fn broadcast(component: u32) -> u32 {
    swizzle(component, component, component, component)
}

const fn register(group: u32, reg: u32, swiz: u32) -> u32 {
    assert!(reg < 512 && swiz < 256);
    reg | swiz << 9 | group << 22
}

/// Temporary `t<reg>` read through a swizzle.
pub const fn temp(reg: u32, swiz: u32) -> u32 {
    register(GROUP_TEMP, reg, swiz)
}

/// Uniform `u<reg>` read through a swizzle.
pub const fn uniform(reg: u32, swiz: u32) -> u32 {
    register(GROUP_UNIFORM, reg, swiz)
}

/// Internal register `i<reg>` read through a swizzle.
pub const fn internal(reg: u32, swiz: u32) -> u32 {
    register(GROUP_INTERNAL, reg, swiz)
}

const fn immediate(kind: u32, v: u32) -> u32 {
    // Register, swizzle, negate and absolute hold 19 bits in a row, the lowest bit of the addressing mode the last.
    (v & 0x7ffff) | (v >> 19 & 1) << 19 | kind << 20 | GROUP_IMMEDIATE << 22
}

/// A float immediate; `None` unless the low 12 bits of `x` are 0.
pub const fn imm_f32(x: f32) -> Option<u32> {
    let bits = x.to_bits();
    if bits & 0xfff == 0 { Some(immediate(0, bits >> 12)) } else { None }
}

/// A sign-extended integer immediate; `None` outside of -524,288..=524,287.
pub const fn imm_s20(v: i32) -> Option<u32> {
    if v >= -(1 << 19) && v < 1 << 19 { Some(immediate(1, v as u32 & 0xfffff)) } else { None }
}

/// A zero-extended integer immediate; `None` above 1,048,575.
pub const fn imm_u20(v: u32) -> Option<u32> {
    if v < 1 << 20 { Some(immediate(2, v)) } else { None }
}

/// A half-float immediate (dual-16 code).
pub const fn imm_f16(bits: u16) -> u32 {
    immediate(3, bits as u32)
}

/// The immediate, of whichever kind, that puts these 32 bits into every lane; `None` when no kind can.
pub const fn imm_bits(bits: u32) -> Option<u32> {
    if let Some(v) = imm_s20(bits as i32) {
        return Some(v);
    }
    if let Some(v) = imm_u20(bits) {
        return Some(v);
    }
    imm_f32(f32::from_bits(bits))
}

/// Negates an operand once more.
pub const fn neg(v: u32) -> u32 {
    v ^ 1 << 17
}

/// Takes the absolute value (before a negation).
pub const fn abs(v: u32) -> u32 {
    v | 1 << 18
}

/// Adds component `lane` of a0 to the register number.
pub const fn index(v: u32, lane: u32) -> u32 {
    (v & !(7 << 19)) | (lane + 1) << 19
}

/// Marks an operand of an optional slot as present.
pub const fn used(v: u32) -> u32 {
    v | 1 << 25
}

/// A source operand, taken apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Source {
    /// Register number in its group.
    pub reg: u32,
    /// Swizzle: two bits for each component, x lowest.
    pub swiz: u32,
    /// Negation, after the absolute value.
    pub neg: bool,
    /// Absolute value of the source.
    pub abs: bool,
    /// Addressing mode: 0 direct, 1..=4 adds a0.x..a0.w.
    pub amode: u32,
    /// Register group: temporaries, uniforms, immediates and others.
    pub group: u32,
}

impl Source {
    /// Takes a raw value apart.
    pub const fn new(v: u32) -> Source {
        Source {
            reg: v & 0x1ff,
            swiz: v >> 9 & 0xff,
            neg: v >> 17 & 1 == 1,
            abs: v >> 18 & 1 == 1,
            amode: v >> 19 & 7,
            group: v >> 22 & 7,
        }
    }

    /// The component that lane `lane` reads.
    pub const fn component(&self, lane: u32) -> u32 {
        self.swiz >> (2 * lane) & 3
    }

    /// Whether all lanes read one component (immediates always do).
    pub const fn is_broadcast(&self) -> bool {
        self.group == GROUP_IMMEDIATE || self.swiz == broadcast(self.swiz & 3)
    }

    /// Whether this is a uniform of either bank.
    pub const fn is_uniform(&self) -> bool {
        self.group == GROUP_UNIFORM || self.group == GROUP_UNIFORM_HIGH
    }
}

/// An immediate, taken apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Immediate {
    /// Float whose upper 20 bits are stored.
    F20(u32),
    /// Sign-extended integer.
    S20(i32),
    /// Zero-extended integer.
    U20(u32),
    /// Half float.
    F16(u16),
}

impl Immediate {
    /// Takes the raw value of a source slot in group 7 apart (reference 4.4).
    pub const fn new(v: u32) -> Immediate {
        let payload = v & 0xfffff;
        match v >> 20 & 3 {
            0 => Immediate::F20(payload << 12),
            1 => Immediate::S20((payload << 12) as i32 >> 12),
            2 => Immediate::U20(payload),
            _ => Immediate::F16(payload as u16),
        }
    }

    /// The 32 bits that every lane reads.
    pub const fn bits(self) -> u32 {
        match self {
            Immediate::F20(b) => b,
            Immediate::S20(v) => v as u32,
            Immediate::U20(v) => v,
            Immediate::F16(h) => h as u32,
        }
    }
}

/// Raw values of destination operands.
pub mod dst {
    /// Temporary `t<reg>` written through a mask (bit 0 is x).
    pub const fn temp(reg: u32, mask: u32) -> u32 {
        assert!(reg < 128 && mask < 16);
        reg << 3 | mask << 10
    }

    /// Adds component `lane` of a0 to the register number.
    pub const fn index(v: u32, lane: u32) -> u32 {
        (v & !7) | (lane + 1)
    }

    /// Marks a destination of an optional slot as present.
    pub const fn used(v: u32) -> u32 {
        v | 1 << 14
    }

    /// Register, mask, addressing mode.
    pub const fn parts(v: u32) -> (u32, u32, u32) {
        (v >> 3 & 0x7f, v >> 10 & 15, v & 7)
    }
}

/// A fresh instruction of opcode `op` on `generation` with normal pack mode; `None` when the chip lacks it.
pub fn instruction(op: Op, generation: u8) -> Option<Inst<Vivante>> {
    let row = table().find(op, generation, gpucc_isa::stage::ALL, |_| true)?;
    let mut inst = Inst::new(row);
    if let Some(i) = inst.row().operands.iter().position(|s| s.field == PACK) {
        inst.vals[i] = 1;
    }
    Some(inst)
}
