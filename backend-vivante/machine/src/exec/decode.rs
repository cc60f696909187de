//! Code predecoded: one record an instruction, with what is wrong about it if anything is.

use gpucc_isa::{DecodeError, Inst, fail_if};
use gpucc_num::{Mode, Round};
use gpucc_sim::trap::{Trap, TrapKind, bad_container};

use crate::modifiers::{self, Cond, Round as Rounding, Type};
use crate::operand::{
    GROUP_IMMEDIATE, GROUP_INTERNAL, GROUP_TEMP, GROUP_UNIFORM, GROUP_UNIFORM_HIGH, Immediate, Source, dst,
};
use crate::rows::Op;
use crate::validate;
use crate::{BYTES, Vivante, decode_word, listing};

/// Where an operand comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    None,
    Temp,
    Uniform,
    Immediate,
    /// i0 of fragment programs.
    Internal,
}

/// The meaning of negation for an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Neg {
    No,
    Sign,
    Integer,
}

/// A source operand, ready to be read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operand {
    pub place: Place,
    pub reg: u16,
    pub comp: [u8; 4],
    pub neg: Neg,
    pub abs: bool,
    /// Component of a0 to add, plus one.
    pub amode: u8,
    pub value: u32,
}

const ABSENT: Operand =
    Operand { place: Place::None, reg: 0, comp: [0; 4], neg: Neg::No, abs: false, amode: 0, value: 0 };

/// An instruction, ready to be executed.
#[derive(Clone, Debug)]
pub(crate) struct Pre {
    pub op: Op,
    pub class: u8,
    pub ty: Type,
    pub cond: Cond,
    pub mode: Mode,
    pub pair: bool,
    pub sat: bool,
    pub local: bool,
    /// Helpers are left out.
    pub skphp: bool,
    pub denorm: bool,
    pub shift: u32,
    /// One result for all enabled lanes.
    pub scalar: bool,
    pub mask: u32,
    pub dst: u16,
    pub damode: u8,
    pub src: [Operand; 3],
    pub target: u32,
    /// Texture unit, and component of a0 to add to it, plus one.
    pub unit: u8,
    pub unit_amode: u8,
    /// Component of the texel that each lane gets.
    pub texel: [u8; 4],
    /// Index into the faults, plus one.
    pub fault: u32,
}

/// A program.
pub(crate) struct DecodedProgram {
    pub insts: Vec<Pre>,
    faults: Vec<(TrapKind, String)>,
    words: Vec<[u32; 4]>,
    generation: u8,
    stage: u8,
}

impl DecodedProgram {
    /// Code of a stage, a bit of [`gpucc_isa::stage`].
    pub fn new(
        code: &[u8],
        (generation, stage): (u8, u8),
        temps: usize,
        uniforms: usize,
    ) -> Result<DecodedProgram, Trap> {
        fail_if!(code.is_empty(), bad_container("an empty program is not legal: one NOP is the least (2)"));
        if !code.len().is_multiple_of(BYTES) {
            return Err(bad_container(format!("{} bytes of code, not a multiple of {BYTES}", code.len())));
        }
        let mut p = DecodedProgram { insts: Vec::new(), faults: Vec::new(), words: Vec::new(), generation, stage };
        for bytes in code.chunks_exact(BYTES) {
            let mut words = [0; 4];
            for (w, b) in words.iter_mut().zip(bytes.chunks_exact(4)) {
                *w = u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
            }
            p.words.push(words);
        }
        for i in 0..p.words.len() {
            let pre = p.predecode(i, temps, uniforms);
            p.insts.push(pre);
        }
        Ok(p)
    }

    fn predecode(&mut self, index: usize, temps: usize, uniforms: usize) -> Pre {
        let words = self.words[index];
        let mut pre = Pre {
            op: Op::Nop,
            class: 0,
            ty: Type::F32,
            cond: Cond::Always,
            mode: Mode::FLUSH,
            pair: false,
            sat: false,
            local: false,
            skphp: false,
            denorm: false,
            shift: 0,
            scalar: false,
            mask: 0,
            dst: 0,
            damode: 0,
            src: [ABSENT; 3],
            target: 0,
            unit: 0,
            unit_amode: 0,
            texel: [0, 1, 2, 3],
            fault: 0,
        };
        // A word of zeros is a NOP by the opcode table, but code that was never written looks the same: the vendor's
        // and the open compiler's NOP has no bit set either, so one is executed and a program of nothing else traps.
        let fault = if words == [0; 4] && self.words.len() > 1 {
            Some((TrapKind::Undecodable, "a word of zeros inside a program: code that was never written".to_owned()))
        } else {
            match decode_word(words, self.generation, self.stage) {
                Ok(inst) => {
                    fill(&mut pre, &inst, (self.generation, self.stage), temps, uniforms, self.words.len()).err()
                }
                Err(DecodeError::Reserved(b)) => Some((TrapKind::Reserved, DecodeError::Reserved(b).to_string())),
                Err(e) => Some((TrapKind::Undecodable, e.to_string())),
            }
        };
        if let Some(f) = fault {
            self.faults.push(f);
            pre.fault = self.faults.len() as u32;
        }
        pre
    }

    /// The trap of an instruction that may not be executed.
    #[cold]
    pub fn fault(&self, pre: &Pre) -> Trap {
        let (kind, message) = &self.faults[pre.fault as usize - 1];
        Trap::new(*kind, message.clone())
    }

    /// Text of an instruction.
    pub fn text(&self, index: u32) -> String {
        let Some(&words) = self.words.get(index as usize) else { return "end of the program".into() };
        match decode_word(words, self.generation, self.stage) {
            Ok(i) => listing::text_of(&i, self.generation).split_whitespace().collect::<Vec<_>>().join(" "),
            Err(_) => format!(".word 0x{:08x} 0x{:08x} 0x{:08x} 0x{:08x}", words[0], words[1], words[2], words[3]),
        }
    }
}

type Fault = (TrapKind, String);

fn fill(
    pre: &mut Pre,
    inst: &Inst<Vivante>,
    (generation, stage): (u8, u8),
    temps: usize,
    uniforms: usize,
    count: usize,
) -> Result<(), Fault> {
    let row = inst.row();
    let get = |name| inst.get(name).unwrap_or(0);
    pre.op = row.op;
    pre.class = super::alu::class_of(row.attrs.class);
    validate::registers(inst, generation).map_err(|m| (TrapKind::BadRegister, m))?;
    validate::check(inst, generation).map_err(|m| (TrapKind::Unsupported, m))?;
    if let Some(v) = inst.get("tex") {
        pre.unit = (v & 31) as u8;
        pre.unit_amode = (v >> 5 & 7) as u8;
        pre.texel = [0, 2, 4, 6].map(|at| (v >> (8 + at) & 3) as u8);
    }
    let fragment = stage & gpucc_isa::stage::FS != 0 && stage != gpucc_isa::stage::ALL;
    if matches!(row.op, Op::Texkill | Op::TexkillUnary | Op::TexkillBinary | Op::Dsx | Op::Dsy) && !fragment {
        return Err((TrapKind::Unsupported, "fragment instructions in a program of another stage".into()));
    }
    pre.ty = modifiers::ty(inst).unwrap_or(Type::F32);
    pre.cond = modifiers::cond(inst);
    pre.sat = get("sat") == 1;
    pre.local = get("local") == 1;
    pre.skphp = get("skphp") == 1;
    pre.denorm = get("denorm") == 1;
    pre.shift = get("shift");
    pre.pair = validate::fast_transcendentals(generation) && row.op.has_pair();
    // Compute launches round to nearest even by default (section 12, our reading for gc2000).
    let round = if modifiers::round(inst) == Rounding::Zero && !pre.pair { Round::Zero } else { Round::Nearest };
    pre.mode = Mode::FLUSH.rounding(round);
    pre.scalar = validate::is_scalar(inst, generation)
        || matches!(row.op, Op::Dp2 | Op::Dp3 | Op::Dp4 | Op::NormDp2 | Op::NormDp3 | Op::NormDp4);
    pre.target = get("target");
    if pre.target as usize > count {
        return Err((TrapKind::FellOffEnd, format!("target {} is beyond the program", pre.target)));
    }
    if let Some(v) = inst.get("dst") {
        let (reg, mask, amode) = dst::parts(v);
        pre.dst = reg as u16;
        pre.mask = mask;
        pre.damode = amode as u8;
        let is_temp = !matches!(row.op, Op::Movar | Op::Movai | Op::Nop | Op::Ret | Op::Barrier);
        if is_temp && reg as usize >= temps {
            return Err((TrapKind::BadRegister, format!("writes t{reg}, the container claims {temps} temporaries")));
        }
    }
    if let Some(mask) = inst.get("mask") {
        pre.mask = mask;
    }
    let integer = pre.ty.is_integer();
    for (name, s, raw) in validate::sources(inst) {
        let slot = match name {
            "src0" => 0,
            "src1" => 1,
            _ => 2,
        };
        pre.src[slot] = operand(name, s, raw, (integer, fragment), temps, uniforms)?;
    }
    Ok(())
}

fn operand(
    name: &str,
    s: Source,
    raw: u32,
    (integer, fragment): (bool, bool),
    temps: usize,
    uniforms: usize,
) -> Result<Operand, Fault> {
    let claimed = |what: &str, n: usize| {
        (TrapKind::BadRegister, format!("{name}: {what}{} is beyond the {n} that the container claims", s.reg))
    };
    let (place, value) = match s.group {
        GROUP_IMMEDIATE => (Place::Immediate, Immediate::new(raw).bits()),
        GROUP_TEMP if s.reg as usize >= temps => return Err(claimed("t", temps)),
        GROUP_TEMP => (Place::Temp, 0),
        GROUP_UNIFORM | GROUP_UNIFORM_HIGH if s.reg as usize >= uniforms => return Err(claimed("u", uniforms)),
        GROUP_UNIFORM => (Place::Uniform, 0),
        GROUP_INTERNAL if fragment && s.amode == 0 => (Place::Internal, 0),
        GROUP_INTERNAL => {
            return Err((TrapKind::UndefinedRead, format!("{name}: internal registers belong to fragment programs")));
        }
        g => return Err((TrapKind::Unsupported, format!("{name}: register group {g} is not to be used"))),
    };
    let immediate = place == Place::Immediate;
    Ok(Operand {
        place,
        reg: s.reg as u16,
        comp: [0, 1, 2, 3].map(|l| s.component(l) as u8),
        neg: match (s.neg && !immediate, integer) {
            (false, _) => Neg::No,
            (true, false) => Neg::Sign,
            (true, true) => Neg::Integer,
        },
        abs: s.abs && !immediate,
        amode: if immediate { 0 } else { s.amode as u8 },
        value,
    })
}
