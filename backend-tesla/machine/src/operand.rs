//! Operands: from the fields of an instruction to what they mean, and back.
//!
//! The address fields (`$a`, post-increment, c[] number) of an instruction belong to at most one of its operands;
//! which one depends on the program type (reference section 2.4). [`View`] works that out once.

use crate::Tesla;
use crate::types::{Kind, Space, Width};
use gpucc_isa::stage::{CS, FS, GS, VS};
use gpucc_isa::{Inst, TextCx, fail_if};

/// Address of a memory operand: `$a`, post-increment, byte offset (signed with post-increment in ALU operands).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Addr {
    /// Address register, 0 for none.
    pub a: u8,
    /// Post-increment: the address is `$a` alone, then the offset is added to it.
    pub inc: bool,
    /// Offset in bytes, added to the address register.
    pub off: i32,
}

impl Addr {
    /// A constant offset without an address register.
    pub const fn at(off: i32) -> Addr {
        Addr { a: 0, inc: false, off }
    }
    /// `$a` plus an offset.
    pub const fn indexed(a: u8, off: i32) -> Addr {
        Addr { a, inc: false, off }
    }
}

/// How an s[] operand is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are those of the reference")]
#[rustfmt::skip]
pub enum SharedTy { U8, U16, S16, B32 }

impl SharedTy {
    /// The type of the two-bit field.
    pub const fn from_bits(bits: u32) -> SharedTy {
        [SharedTy::U8, SharedTy::U16, SharedTy::S16, SharedTy::B32][bits as usize & 3]
    }
    /// Number of bytes that a read touches.
    pub const fn bytes(self) -> i32 {
        [1, 2, 2, 4][self as usize]
    }
    /// Name in the text.
    pub const fn name(self) -> &'static str {
        ["u8", "u16", "s16", "b32"][self as usize]
    }
}

/// An operand as a person writes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    /// Register number in units of its width: half index for half operands, register number otherwise.
    Reg(u8),
    /// Output register, byte offset.
    Out(u16),
    /// Destination that is discarded (`#`).
    Discard,
    /// s[] with its type.
    Shared(SharedTy, Addr),
    /// a[].
    Attr(Addr),
    /// p[].
    Prim(Addr),
    /// c[] of that number.
    Const(u8, Addr),
}

/// Who owns the address fields.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Owner {
    Nobody,
    Shared,
    Prim,
    Const,
}

/// The addressing state of an ALU instruction under one program type.
#[derive(Clone, Copy, Debug)]
pub struct View {
    stage: u8,
    fields: Fields,
    /// SRC1 is p[].
    prim: bool,
    owner: Owner,
}

/// The fields of an instruction that say where its sources are.
#[derive(Clone, Copy, Debug, Default)]
struct Fields {
    class: Class,
    /// SRC1 is memory (bit w1.21, or w0.24 in short forms).
    mem: bool,
    b23: bool,
    b24: bool,
    has2: bool,
    has3: bool,
    a: u8,
    inc: bool,
    cidx: u8,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Class {
    #[default]
    Other,
    Long,
    Short,
    Imm,
}

fn fields(inst: &Inst<Tesla>) -> Fields {
    let mut f = Fields::default();
    for (s, &v) in inst.row().operands.iter().zip(&inst.vals) {
        let (b6, b7) = (v >> 6 & 1 == 1, v >> 7 & 1 == 1);
        match s.kind {
            Kind::Src1(_) => (f.class, f.mem) = (Class::Long, b7),
            Kind::SSrc1(_) => (f.class, f.mem) = (Class::Short, b6),
            Kind::ISrc1(_) => (f.class, f.mem) = (Class::Imm, b6),
            Kind::Src2(_) => (f.has2, f.b23) = (true, b7),
            Kind::Src3(_) => (f.has3, f.b24) = (true, b7),
            Kind::SSrc2(_) => (f.has2, f.b23) = (true, b6),
            Kind::M23 => f.b23 = v == 1,
            Kind::M24 => f.b24 = v == 1,
            Kind::A => f.a = v as u8,
            Kind::Inc => f.inc = v == 1,
            Kind::Cidx => f.cidx = v as u8,
            _ => {}
        }
    }
    f
}

impl View {
    /// The view of an instruction under one program type; `None` when the fields do not go together there.
    pub fn new(inst: &Inst<Tesla>, stage: u8) -> Option<View> {
        let f = fields(inst);
        let (prim, konst) = match f.class {
            Class::Other => return Some(View { stage, fields: f, prim: false, owner: Owner::Nobody }),
            Class::Long if f.b23 && f.b24 => (true, !f.mem && (f.has2 || f.has3)),
            Class::Long => (false, f.b23 && f.has2 || f.b24 && f.has3),
            Class::Short if !f.mem && f.b23 && !f.has2 => return None,
            Class::Short => (f.mem && f.b23, !f.mem && f.b23),
            Class::Imm if f.mem && stage != CS && stage != GS => return None,
            Class::Imm => (f.mem && stage == GS, false),
        };
        if prim && stage != GS || !prim && f.mem && stage == FS {
            return None;
        }
        let owner = match () {
            () if prim => Owner::Prim,
            () if stage == CS && f.mem => Owner::Shared,
            () if konst => Owner::Const,
            () => Owner::Nobody,
        };
        let stray = match owner {
            Owner::Nobody => f.a != 0 || f.inc,
            Owner::Prim => f.inc,
            _ => false,
        };
        (!stray && (konst || f.cidx == 0)).then_some(View { stage, fields: f, prim, owner })
    }

    /// The view under the first of `stages` (compute, fragment, vertex, geometry) that allows it.
    pub fn any(inst: &Inst<Tesla>, stages: u8) -> Option<View> {
        let stages = stages & inst.row().stages;
        [CS, FS, VS, GS].into_iter().filter(|s| stages & s != 0).find_map(|s| View::new(inst, s))
    }

    fn owned(&self, owner: Owner, off: i32, signed_bits: u32, scale: i32) -> Addr {
        if self.owner != owner {
            return Addr::at(off * scale);
        }
        let off = if self.fields.inc && off >> (signed_bits - 1) & 1 == 1 { off - (1 << signed_bits) } else { off };
        Addr { a: self.fields.a, inc: self.fields.inc, off: off * scale }
    }

    fn konst(&self, width: Width, bits: u32, field: i32, src: u8) -> Operand {
        let scale = scale_of(width);
        // The text of other tools for SRC3 beside p[] and a second c[] has half the scale (reference section 13).
        let scale = if src == 3 && self.prim && scale == 4 { 2 } else { scale };
        // In compute programs the increment of a 32-bit SRC2 does not show (reference section 13).
        if src == 2 && bits == 7 && scale == 4 && self.stage == CS && self.owner == Owner::Const && self.fields.inc {
            return Operand::Const(self.fields.cidx, Addr { a: self.fields.a, inc: false, off: field * scale });
        }
        Operand::Const(self.fields.cidx, self.owned(Owner::Const, field, bits, scale))
    }

    /// Reads an ALU source; `None` for slots of other kinds.
    pub fn source(&self, kind: Kind, raw: u32) -> Option<Operand> {
        let low = |bits: u32| (raw & ((1 << bits) - 1)) as i32;
        let shared = |field: i32, offbits: u32| {
            let ty = SharedTy::from_bits((field >> offbits) as u32);
            let off = field & ((1 << offbits) - 1);
            Operand::Shared(ty, self.owned(Owner::Shared, off, offbits, ty.bytes()))
        };
        Some(match kind {
            Kind::Src1(_) if self.prim => Operand::Prim(self.owned(Owner::Prim, low(7), 7, 4)),
            Kind::Src1(_) if self.fields.mem && self.stage == CS => shared(low(7), 5),
            Kind::Src1(_) if self.fields.mem => Operand::Attr(Addr::at(low(7) * 4)),
            Kind::SSrc1(_) | Kind::ISrc1(_) if self.prim => Operand::Prim(self.owned(Owner::Prim, low(6), 6, 4)),
            Kind::SSrc1(_) | Kind::ISrc1(_) if self.fields.mem && self.stage == CS => shared(low(6), 4),
            Kind::SSrc1(_) if self.fields.mem => Operand::Attr(Addr::at(low(6) * 4)),
            Kind::Src2(w) if (self.fields.b23 && !self.prim) || (self.prim && !self.fields.mem) => {
                self.konst(w, 7, low(7), 2)
            }
            Kind::Src3(w) if (self.fields.b24 && !self.prim) || (self.prim && !self.fields.mem) => {
                self.konst(w, 7, low(7), 3)
            }
            // Bit 5 of the short field selects c0 or c1.
            Kind::SSrc2(w) if self.fields.b23 && !self.fields.mem => {
                Operand::Const((raw >> 5 & 1) as u8, self.owned(Owner::Const, low(5), 5, scale_of(w)))
            }
            Kind::Src1(_) | Kind::Src2(_) | Kind::Src3(_) | Kind::Reg(_) => Operand::Reg(low(7) as u8),
            Kind::SSrc1(_) | Kind::ISrc1(_) | Kind::SSrc2(_) => Operand::Reg(low(6) as u8),
            _ => return None,
        })
    }
}

/// Raw value and operand of a destination slot.
pub fn destination(kind: Kind, raw: u32) -> Option<(Operand, Width)> {
    let (out, width) = match kind {
        Kind::Dst(w) => (false, w),
        Kind::DstO(w) => (raw >> 7 & 1 == 1, w),
        Kind::DstOF => (raw >> 7 & 1 == 1, if raw >> 8 & 1 == 1 { Width::S } else { Width::H }),
        _ => return None,
    };
    let n = raw & 0x7f;
    let op = match (out, n) {
        (false, _) => Operand::Reg(n as u8),
        (true, 127) => Operand::Discard,
        (true, _) => Operand::Out((n * if width == Width::H { 2 } else { 4 }) as u16),
    };
    Some((op, width))
}

/// A destination that goes nowhere, raw.
pub const DISCARD: u32 = 0xff;

/// Raw value of a half register.
pub const fn half(register: u8, high: bool) -> u32 {
    register as u32 * 2 + high as u32
}

fn slot_of(inst: &Inst<Tesla>, pick: impl Fn(Kind) -> bool) -> Option<usize> {
    inst.row().operands.iter().position(|s| pick(s.kind))
}

fn set_kind(inst: &mut Inst<Tesla>, pick: impl Fn(Kind) -> bool, value: u32) -> bool {
    slot_of(inst, pick).map(|i| inst.vals[i] = value).is_some()
}

fn scaled(off: i32, scale: i32, bits: u32, inc: bool) -> Result<u32, String> {
    fail_if!(off % scale != 0, format!("offset {off:#x} is not a multiple of {scale}"));
    let v = off / scale;
    let (lo, hi) = if inc { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) };
    fail_if!(v < lo || v > hi, format!("offset {off:#x} is out of range"));
    Ok(v as u32 & ((1 << bits) - 1))
}

fn set_addr(inst: &mut Inst<Tesla>, addr: Addr) -> Result<(), String> {
    if addr.a == 0 && !addr.inc {
        return Ok(());
    }
    let Some(i) = slot_of(inst, |k| matches!(k, Kind::A)) else {
        return Err("this form has no address register".into());
    };
    fail_if!(inst.vals[i] != 0 && inst.vals[i] != u32::from(addr.a), "only one operand can be indexed".into());
    if u32::from(addr.a) > inst.row().operands[i].field.max() {
        return Err(format!("$a{} is not in reach of this form", addr.a));
    }
    inst.vals[i] = u32::from(addr.a);
    fail_if!(addr.inc && !set_kind(inst, |k| matches!(k, Kind::Inc), 1), "this form has no post-increment".into());
    Ok(())
}

const fn scale_of(w: Width) -> i32 {
    if matches!(w, Width::H) { 2 } else { 4 }
}

/// Registers in reach of a field of `bits` and a width.
fn reg(n: u8, bits: u32) -> Result<u32, String> {
    if u32::from(n) >> bits != 0 { Err("register is not in reach of this form".into()) } else { Ok(u32::from(n)) }
}

/// Stores an operand into slot `index` and into the address fields that belong to it. Sources go in order SRC1, SRC2, SRC3.
///
/// # Errors
/// One sentence when the form or the program type cannot hold the operand.
pub fn put(inst: &mut Inst<Tesla>, index: usize, op: Operand, cx: &TextCx) -> Result<(), String> {
    let kind = inst.row().operands[index].kind;
    let not_here = || Err(format!("this operand cannot be {}", describe(op)));
    // Without p[] the other operands have no say in a register.
    if let (Kind::Src2(_) | Kind::Src3(_), Operand::Reg(n)) = (kind, op)
        && cx.stages & GS == 0
    {
        inst.vals[index] = inst.vals[index] & 0x80 | reg(n, 7)?;
        return Ok(());
    }
    match kind {
        Kind::Dst(_) | Kind::Reg(_) => match op {
            Operand::Reg(n) => inst.vals[index] = reg(n, inst.row().operands[index].field.width())?,
            _ => return not_here(),
        },
        Kind::DstO(_) | Kind::DstOF => {
            let full = match kind {
                Kind::DstO(w) => w != Width::H,
                _ => inst.vals[index] >> 8 & 1 == 1,
            };
            let keep = inst.vals[index] & 0x100;
            inst.vals[index] = keep
                | match op {
                    Operand::Reg(n) => reg(n, 7)?,
                    Operand::Discard => DISCARD,
                    Operand::Out(off) => {
                        let v = scaled(i32::from(off), if full { 4 } else { 2 }, 7, false)?;
                        fail_if!(v == 127, "this output cannot be a destination".into());
                        v | 0x80
                    }
                    _ => return not_here(),
                };
        }
        Kind::Src1(_) => match op {
            Operand::Reg(n) => inst.vals[index] = reg(n, 7)?,
            Operand::Shared(ty, addr) if cx.stages & CS != 0 => {
                let off = scaled(addr.off, ty.bytes(), 5, addr.inc)?;
                inst.vals[index] = 0x80 | (ty as u32) << 5 | off;
                set_addr(inst, addr)?;
            }
            Operand::Attr(addr) if cx.stages & (VS | GS) != 0 && addr.a == 0 && !addr.inc => {
                inst.vals[index] = 0x80 | scaled(addr.off, 4, 7, false)?;
            }
            Operand::Prim(addr) if cx.stages & GS != 0 && !addr.inc => {
                inst.vals[index] = scaled(addr.off, 4, 7, false)?;
                set_addr(inst, addr)?;
                set_bit(inst, true);
                set_bit(inst, false);
            }
            _ => return not_here(),
        },
        Kind::SSrc1(_) | Kind::ISrc1(_) => match op {
            Operand::Reg(n) => inst.vals[index] = reg(n, 6)?,
            Operand::Shared(ty, addr) if cx.stages & CS != 0 => {
                inst.vals[index] = 0x40 | (ty as u32) << 4 | scaled(addr.off, ty.bytes(), 4, addr.inc)?;
                set_addr(inst, addr)?;
            }
            Operand::Attr(addr)
                if cx.stages & (VS | GS) != 0 && addr.a == 0 && !addr.inc && matches!(kind, Kind::SSrc1(_)) =>
            {
                inst.vals[index] = 0x40 | scaled(addr.off, 4, 6, false)?;
            }
            Operand::Prim(addr) if cx.stages & GS != 0 && !addr.inc => {
                inst.vals[index] = 0x40 | scaled(addr.off, 4, 6, false)?;
                set_addr(inst, addr)?;
                if matches!(kind, Kind::SSrc1(_)) {
                    set_bit(inst, true);
                }
            }
            _ => return not_here(),
        },
        Kind::Src2(w) | Kind::Src3(w) => {
            let second = matches!(kind, Kind::Src2(_));
            let f = fields(inst);
            let prim = f.b23 && f.b24;
            let keep = inst.vals[index] & 0x80;
            match op {
                Operand::Reg(n) => {
                    inst.vals[index] = keep | reg(n, 7)?;
                    if prim {
                        // Beside p[], registers need the memory bit; c[] needs it clear.
                        if !second && f.has2 && !f.mem {
                            return Err("beside p[] both sources are registers or both c[]".into());
                        }
                        set_mem(inst, true);
                    }
                }
                Operand::Const(index_c, addr) => {
                    fail_if!(prim && f.mem, "beside p[] both sources are registers or both c[]".into());
                    fail_if!(!prim && !second && f.b23 && f.has2, "only one operand can be c[]".into());
                    fail_if!(index_c > 15, "there is no such constant space".into());
                    let scale = if !second && prim && scale_of(w) == 4 { 2 } else { scale_of(w) };
                    let off = scaled(addr.off, scale, 7, addr.inc)?;
                    let direct = prim || (f.mem && cx.stages == CS);
                    fail_if!(direct && (addr.a != 0 || addr.inc), "only one operand can be indexed".into());
                    if prim && !second && f.has2 && f.cidx != index_c {
                        return Err("both c[] operands have the same number".into());
                    }
                    inst.vals[index] = off | if prim { keep } else { 0x80 };
                    set_kind(inst, |k| matches!(k, Kind::Cidx), u32::from(index_c));
                    set_addr(inst, addr)?;
                }
                _ => return not_here(),
            }
        }
        Kind::SSrc2(w) => match op {
            Operand::Reg(n) => inst.vals[index] = (inst.vals[index] & 0x40) | reg(n, 6)?,
            Operand::Const(c @ 0..=1, addr) => {
                fail_if!(fields(inst).mem, "a short form has only one memory operand".into());
                inst.vals[index] = 0x40 | u32::from(c) << 5 | scaled(addr.off, scale_of(w), 5, addr.inc)?;
                set_addr(inst, addr)?;
            }
            _ => return not_here(),
        },
        _ => return Err("not an operand".into()),
    }
    Ok(())
}

/// Sets w0.23 (`second`) or w0.24, wherever the row keeps it.
fn set_bit(inst: &mut Inst<Tesla>, second: bool) {
    for i in 0..inst.row().operands.len() {
        match (inst.row().operands[i].kind, second) {
            (Kind::M23, true) | (Kind::M24, false) => inst.vals[i] = 1,
            (Kind::Src2(_), true) | (Kind::Src3(_), false) => inst.vals[i] |= 0x80,
            (Kind::SSrc2(_), true) => inst.vals[i] |= 0x40,
            _ => {}
        }
    }
}

fn set_mem(inst: &mut Inst<Tesla>, on: bool) {
    if let Some(i) = slot_of(inst, |k| matches!(k, Kind::Src1(_))) {
        inst.vals[i] = inst.vals[i] & 0x7f | u32::from(on) << 7;
    }
}

fn describe(op: Operand) -> &'static str {
    match op {
        Operand::Reg(_) => "a register",
        Operand::Out(_) => "o[]",
        Operand::Discard => "#",
        Operand::Shared(..) => "s[]",
        Operand::Attr(_) => "a[]",
        Operand::Prim(_) => "p[]",
        Operand::Const(..) => "c[]",
    }
}

/// Name of a space in the text.
pub const fn space_name(space: Space) -> &'static str {
    match space {
        Space::Attr => "a",
        Space::Out => "o",
        Space::Const => "c",
        Space::Shared => "s",
        Space::Local => "l",
        Space::Varying => "v",
    }
}
