//! Code predecoded once per launch: operands resolved, so that running is a match over the opcode.

use crate::operand::{Addr, Operand, SharedTy, View, destination};
use crate::types::{Kind, Op, Space, Ty, Unit, Width};
use crate::{Tesla, listing};
use gpucc_isa::{Inst, fail_if};
use gpucc_sim::trap::{Trap, TrapKind, bad_register, unsupported};
use std::sync::OnceLock;

fn word(code: &[u8], at: usize) -> u32 {
    let b = &code[at * 4..at * 4 + 4];
    u32::from_le_bytes([b[0], b[1], b[2], b[3]])
}

/// A source operand, decoded for execution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Src {
    /// The form has no such source.
    None,
    /// 32-bit register.
    R32(u8),
    /// Half register.
    R16(u8, bool),
    /// Register pair.
    R64(u8),
    /// Register beyond the allocated ones, or a constant of the instruction.
    Value(u32),
    /// s[].
    Shared(SharedTy, Addr),
    /// c[], bytes to load.
    Const(u8, Addr, u8),
    /// A word of a[].
    Attr(u16),
    /// A word of p[].
    Prim(Addr),
}

/// A destination operand, decoded for execution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Dst {
    /// The form has none, or it is `#`.
    None,
    /// Half register.
    R16(u8, bool),
    /// 32-bit register and how many follow.
    R32(u8, u8),
    /// A register beyond the allocated ones: the instruction is ignored.
    Ignored,
    /// A word of o[].
    Out(u16),
}

/// A dedicated memory operand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// None.
    None,
    /// c[] of that number.
    Const(u8, Addr),
    /// s[].
    Shared(Addr),
    /// l[].
    Local(Addr),
    /// g[] of that number at the address in that register.
    Global(u8, u8),
    /// a[].
    Attr(Addr),
    /// o[].
    Out(Addr),
    /// v[].
    Varying(Addr),
}

/// One instruction, decoded for execution.
#[derive(Clone, Debug)]
pub struct Code {
    pub op: Op,
    pub ty: Ty,
    pub src_ty: Ty,
    pub class: usize,
    /// Issue clocks of a warp.
    pub issue: u8,
    /// Address of the next instruction.
    pub next: u32,
    /// 0 plain, 1 exit, 2 join.
    pub ei: u8,
    /// Condition; 15 is always.
    pub pred: u8,
    pub pcc: u8,
    /// Quad lanes in which a mov writes, spread over the warp.
    pub lanes: u32,
    pub dst: Dst,
    pub cdst: Option<u8>,
    pub adst: u8,
    pub src: [Src; 3],
    pub neg: [bool; 3],
    pub abs: [bool; 2],
    pub not: [bool; 2],
    pub sat: bool,
    pub signed: [bool; 2],
    pub high: bool,
    pub round: u8,
    pub cond: u8,
    pub addop: u8,
    pub quad: [u8; 4],
    pub qlane: u8,
    pub place: Place,
    /// Address register operand of moves and additions between address registers.
    pub areg: u8,
    pub imm: u32,
    pub target: u32,
    pub barrier: Option<Barrier>,
    /// Post-increment: register and amount.
    pub inc: Option<(u8, u16)>,
    pub inst: Inst<Tesla>,
}

/// A barrier instruction: what it counts and waits for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Barrier {
    /// Whether it counts this warp.
    pub inc: bool,
    /// Waits until the count is back at 0.
    pub wait: bool,
    /// Number of the barrier.
    pub id: u8,
    /// Warps at which the count goes back to 0; `None` for all of the workgroup.
    pub count: Option<u32>,
}

/// The contents of an address of the code.
enum Slot {
    /// An instruction.
    Code(Box<Code>),
    /// Not decodable.
    Bad(TrapKind, String),
}

/// All of it. An instruction is decoded when it is first reached, so that large code costs little.
pub struct DecodedProgram {
    code: Vec<u8>,
    slots: Vec<OnceLock<Slot>>,
    /// Words that are the second of an 8-byte instruction.
    middle: Vec<bool>,
    registers: u32,
    pub generation: u8,
    /// A bit of [`gpucc_isa::stage`].
    pub stage: u8,
}

/// Classes of instructions in reports: the units.
pub const CLASSES: [&str; 6] = {
    let mut names = [""; 6];
    let mut k = 0;
    while k < names.len() {
        names[k] = Unit::ALL[k].name();
        k += 1;
    }
    names
};

impl DecodedProgram {
    /// Code of a stage (a bit of [`gpucc_isa::stage`]) with `registers` allocated.
    pub fn new(code: &[u8], generation: u8, stage: u8, registers: u32) -> DecodedProgram {
        let words = code.len() / 4;
        let mut middle = vec![false; words];
        let mut at = 0;
        while at < words {
            let size = crate::length(word(code, at)) / 4;
            if size == 2 && at + 1 < words {
                middle[at + 1] = true;
            }
            at += size;
        }
        let mut slots = Vec::new();
        slots.resize_with(words, OnceLock::new);
        DecodedProgram { code: code.to_vec(), slots, middle, registers, generation, stage }
    }

    /// The instruction at an address.
    ///
    /// # Errors
    /// Past the end, in the middle of an instruction, or no instruction.
    #[inline]
    pub fn at(&self, pc: u32) -> Result<&Code, Trap> {
        match self.slots.get(pc as usize / 4) {
            Some(cell) => match cell.get_or_init(|| self.decode(pc)) {
                Slot::Code(code) => Ok(code),
                Slot::Bad(kind, message) => Err(self.fault(pc, *kind, message)),
            },
            None => Err(self.fault(pc, TrapKind::FellOffEnd, "execution went past the last instruction")),
        }
    }

    #[cold]
    fn fault(&self, pc: u32, kind: TrapKind, message: &str) -> Trap {
        let at = pc as usize / 4;
        Trap::new(kind, message).at(u64::from(pc), || match at < self.slots.len() {
            true => format!(".word 0x{:08x}", word(&self.code, at)),
            false => "end of code".into(),
        })
    }

    #[cold]
    fn decode(&self, pc: u32) -> Slot {
        let at = pc as usize / 4;
        if self.middle[at] {
            return Slot::Bad(TrapKind::Undecodable, "address in the middle of an 8-byte instruction".into());
        }
        let mut words = vec![word(&self.code, at)];
        let size = crate::length(words[0]);
        if size == 8 && at % 2 == 1 {
            return Slot::Bad(TrapKind::Misaligned, "8-byte instruction at an odd word".into());
        }
        if size == 8 && at + 1 < self.slots.len() {
            words.push(word(&self.code, at + 1));
        }
        let inst = match crate::decode_word(&words, self.generation, self.stage) {
            Ok(inst) => inst,
            Err(e) => {
                let kind = match e {
                    gpucc_isa::DecodeError::Reserved(_) => TrapKind::Reserved,
                    _ => TrapKind::Undecodable,
                };
                let hex: Vec<String> = words.iter().map(|w| format!("{w:08x}")).collect();
                return Slot::Bad(kind, format!("{e}: {}", hex.join(" ")));
            }
        };
        match Code::new(inst, pc + size as u32, self.registers, self.stage) {
            Ok(code) => Slot::Code(Box::new(code)),
            Err(trap) => Slot::Bad(trap.kind, format!("{} in `{}`", trap.message, self.text(&inst))),
        }
    }

    /// Text of an instruction.
    pub fn text(&self, inst: &Inst<Tesla>) -> String {
        listing::text_of(inst, self.generation, self.stage)
    }
}

impl Code {
    fn new(inst: Inst<Tesla>, next: u32, registers: u32, stage: u8) -> Result<Code, Trap> {
        let row = inst.row();
        let get = |name: &str| inst.get(name);
        let on = |name: &str| inst.get(name) == Some(1);
        let Some(view) = View::any(&inst, stage) else { return Err(unsupported("operands do not go together")) };
        let mut code = Code {
            op: row.op,
            ty: row.attrs.ty,
            src_ty: row.attrs.src,
            class: usize::from(row.effects.unit),
            issue: row.attrs.issue,
            next,
            ei: get("ei").unwrap_or(0) as u8,
            pred: get("pred").unwrap_or(15) as u8,
            pcc: get("pcc").unwrap_or(0) as u8,
            lanes: get("lanes").map_or(!0, |m| m * 0x1111_1111),
            dst: Dst::None,
            cdst: None,
            adst: get("adst").unwrap_or(0) as u8,
            src: [Src::None; 3],
            neg: [on("neg1") || on("neg"), on("neg2"), on("neg3")],
            abs: [on("abs1") || on("abs"), on("abs2")],
            not: [on("not1"), on("not2")],
            sat: on("sat") || row.op == Op::FmulSat,
            signed: [on("s") || on("s1"), on("s") || on("s2")],
            high: on("high"),
            round: get("rnd").unwrap_or(0) as u8,
            cond: get("cond").unwrap_or(0) as u8,
            addop: get("addop").unwrap_or(0) as u8,
            quad: [0; 4],
            qlane: get("qlane").unwrap_or(0) as u8,
            place: Place::None,
            areg: 0,
            imm: get("imm").or(get("cnt")).unwrap_or(0),
            target: get("target").unwrap_or(0) << 2,
            barrier: None,
            inc: None,
            inst,
        };
        for (i, q) in code.quad.iter_mut().enumerate() {
            *q = get(["op0", "op1", "op2", "op3"][i]).unwrap_or(0) as u8;
        }
        if let Some(count) = get("count") {
            code.barrier = Some(Barrier {
                inc: on("inc"),
                wait: on("wait"),
                id: get("id").unwrap_or(0) as u8,
                count: (count >> 12 == 0).then_some(count),
            });
        }
        if let Some(c) = get("cdst") {
            let always = row.operands.iter().any(|s| matches!(s.kind, Kind::CDstAlways));
            code.cdst = (always || c & 4 != 0).then_some((c & 3) as u8);
        }
        code.operands(view, registers, stage)?;
        if let Some(inc) = code.inc
            && !(1..=4).contains(&inc.0)
        {
            return Err(bad_register(format!("post-increment of $a{}, which cannot be written", inc.0)));
        }
        if on("inc") && code.inc.is_none() && code.barrier.is_none() {
            return Err(unsupported("post-increment without an operand that shows it"));
        }
        if matches!(code.op, Op::Fadd | Op::Fmul | Op::FmulSat) && matches!(code.round, 1 | 2) {
            return Err(unsupported("f32 rounding modes 1 and 2 are unknown"));
        }
        Ok(code)
    }

    fn operands(&mut self, view: View, registers: u32, stage: u8) -> Result<(), Trap> {
        let inst = self.inst;
        let address = |inc: &mut Option<(u8, u16)>, addr: Addr| {
            if addr.inc {
                *inc = Some((addr.a, addr.off as u16));
            }
            Addr { off: if addr.inc { 0 } else { addr.off }, ..addr }
        };
        let reg = |n: u8, width: Width| -> Result<Src, Trap> {
            let (first, count) = match width {
                Width::H => (u32::from(n) / 2, 1),
                Width::S => (u32::from(n), 1),
                Width::D => (u32::from(n), 2),
                Width::Q => (u32::from(n), 4),
            };
            fail_if!(first % count != 0, bad_register(format!("$r{first} is not a multiple of {count}")));
            if first >= registers {
                return match width {
                    Width::H | Width::S => Ok(Src::Value(0)),
                    _ => Err(bad_register(format!("$r{first} and up are not allocated"))),
                };
            }
            fail_if!(first + count > registers, bad_register(format!("$r{} is not allocated", first + count - 1)));
            Ok(match width {
                Width::H => Src::R16(first as u8, n & 1 == 1),
                Width::S => Src::R32(n),
                _ => Src::R64(n),
            })
        };
        for (slot, &raw) in inst.row().operands.iter().zip(&inst.vals) {
            let place = match slot.name {
                "src1" => 0,
                "src2" => 1,
                "src3" | "data" => 2,
                _ => 3,
            };
            match slot.kind {
                Kind::Src1(w)
                | Kind::Src2(w)
                | Kind::Src3(w)
                | Kind::SSrc1(w)
                | Kind::SSrc2(w)
                | Kind::ISrc1(w)
                | Kind::Reg(w) => {
                    let Some(op) = view.source(slot.kind, raw) else { continue };
                    self.src[place] = match op {
                        Operand::Reg(n) => reg(n, w)?,
                        Operand::Shared(ty, addr) => Src::Shared(ty, address(&mut self.inc, addr)),
                        Operand::Const(c, addr) => {
                            Src::Const(c, address(&mut self.inc, addr), if w == Width::H { 2 } else { 4 })
                        }
                        Operand::Attr(addr) => Src::Attr((addr.off / 4) as u16),
                        Operand::Prim(addr) => Src::Prim(addr),
                        _ => return Err(unsupported("operand space of another program type")),
                    };
                }
                Kind::HalfOrFull => {
                    let w = if raw >> 7 == 1 { Width::S } else { Width::H };
                    self.src[2] = reg((raw & 0x7f) as u8, w)?;
                }
                Kind::SameAsDst => {
                    let at = inst.row().operand("dst").map_or(0, |i| inst.vals[i]);
                    self.src[2] = reg(at as u8, Width::S)?;
                }
                Kind::Dst(_) | Kind::DstO(_) | Kind::DstOF => {
                    let Some((op, w)) = destination(slot.kind, raw) else { continue };
                    self.dst = match op {
                        Operand::Discard => Dst::None,
                        Operand::Reg(n) => match (reg(n, w)?, w) {
                            (Src::R16(r, h), _) => Dst::R16(r, h),
                            (Src::R32(r), _) => Dst::R32(r, 1),
                            (Src::R64(r), Width::Q) => Dst::R32(r, 4),
                            (Src::R64(r), _) => Dst::R32(r, 2),
                            _ => Dst::Ignored,
                        },
                        _ if stage == gpucc_isa::stage::CS => return Err(unsupported("compute programs have no o[]")),
                        Operand::Out(n) if w == Width::S => Dst::Out(n / 4),
                        _ => return Err(unsupported("halves of o[]")),
                    };
                }
                Kind::Glob => {
                    let r = (raw & 0x7f) as u8;
                    fail_if!(u32::from(r) >= registers, bad_register(format!("$r{r} as an address is not allocated")));
                    self.place = Place::Global((raw >> 7) as u8, r);
                }
                Kind::Mem(space, scale) => {
                    let addr = Addr {
                        a: inst.get("a").unwrap_or(0) as u8,
                        inc: inst.get("inc") == Some(1),
                        off: (raw * u32::from(scale)) as i32,
                    };
                    let addr = address(&mut self.inc, addr);
                    self.place = match space {
                        Space::Const => Place::Const(inst.get("cidx").unwrap_or(0) as u8, addr),
                        Space::Shared => Place::Shared(addr),
                        Space::Local => Place::Local(addr),
                        Space::Attr => Place::Attr(addr),
                        Space::Out => Place::Out(addr),
                        Space::Varying => Place::Varying(addr),
                    };
                }
                Kind::Num if slot.name == "imm" && !matches!(self.op, Op::AddA | Op::PmEvent) => {
                    // The immediate stands in the place of the second source.
                    let half = inst.row().operands.iter().any(|s| matches!(s.kind, Kind::ISrc1(Width::H)));
                    self.src[1] = Src::Value(if half { raw & 0xffff } else { raw });
                }
                Kind::A => self.areg = raw as u8,
                _ => {}
            }
        }
        // The integer and float add families take their second operand from the third field.
        if matches!(self.op, Op::Add | Op::Sub | Op::Subr | Op::Addc | Op::Fadd | Op::Dadd) && self.src[1] == Src::None
        {
            self.src.swap(1, 2);
            self.neg.swap(1, 2);
        }
        if matches!(self.op, Op::Mov) && self.src[0] == Src::None {
            self.src.swap(0, 1);
        }
        Ok(())
    }
}
