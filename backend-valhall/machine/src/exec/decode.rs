//! Predecoding: each word becomes a dense record once a launch, with its operands resolved against the launch.

use gpucc_isa::{DecodeError, TextCx};
use gpucc_num::Round;
use gpucc_sim::TrapKind;

use crate::build::flow;
use crate::kind::{DstKind, Kind, Lanes, SrcMods};
use crate::operand::{LUT, Operand, Special, Src, operand};
use crate::slots::SOURCES;
use crate::text::run_length;
use crate::{Class, Op, Unit as Port, ValhallInst, decode_word, table, text};

/// The meaning of the operands of a launch.
pub(super) struct Environment {
    /// Uniform words that the container fills.
    pub uniforms: [Option<u32>; 128],
    /// Base of workgroup memory.
    pub shared_base: u64,
    /// Address of the first instruction.
    pub code_base: u64,
    /// 32-register mode: r16..r47 do not exist.
    pub small_file: bool,
    /// Address and number of the resource tables.
    pub tables: u64,
    /// Words of each colour target that programs see, for a fragment program; `None` of other stages.
    pub blend: Option<[u64; 8]>,
}

/// Where an operand's bits come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// Not there.
    None,
    /// A register, or the pair that begins with it.
    Reg(u8),
    /// The same for every lane.
    Const(u64),
    /// Number of the lane.
    LaneId,
    /// Base of private memory: low word or pair.
    ThreadPointer,
    /// High word of it.
    ThreadPointerHigh,
    /// Warp number.
    WarpId,
    /// A uniform word that the container does not fill.
    Unset(u8),
    /// A special that means nothing in compute programs.
    Foreign(&'static str),
}

/// How the bits are rearranged before the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// The bits as they are.
    Whole,
    /// An fp16 half as fp32.
    Widen(u8),
    /// Bits from `lo`, `width` of them, extended to the operation's width.
    Part { lo: u8, width: u8, signed: bool },
    /// Two 16-bit lanes, each from bits `lo` on with `width` 16 or 8.
    Lanes16 { lo: [u8; 2], width: u8, signed: bool },
    /// Four bytes.
    Lanes8([u8; 4]),
}

/// A source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    pub value: Value,
    pub last: bool,
    /// Bytes that must be defined: four bits for the register, four for the second one of a pair.
    pub need: u8,
    pub form: Form,
    pub neg: bool,
    pub abs: bool,
    pub not: bool,
    pub wide: bool,
}

const NO_SOURCE: Source = Source {
    value: Value::None,
    last: false,
    need: 0,
    form: Form::Whole,
    neg: false,
    abs: false,
    not: false,
    wide: false,
};

/// Where a texture instruction takes the level of detail from.
pub(super) mod lod_mode {
    pub const ZERO: u8 = 0;
    pub const COMPUTED: u8 = 1;
    pub const EXPLICIT: u8 = 4;
    pub const COMPUTED_BIAS: u8 = 5;
    pub const GRDESC: u8 = 6;
}

/// The contents of registers of a message.
pub(super) mod regfmt {
    pub const AUTO: u8 = 0;
    pub const F32: u8 = 2;
    pub const F16: u8 = 3;
    pub const S32: u8 = 4;
    pub const U32: u8 = 6;
}

/// Modifiers of messages about textures, attributes, varyings and the tile.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Message {
    pub dimension: u8,
    pub array: bool,
    pub texel_offset: bool,
    pub shadow: bool,
    pub lod_mode: u8,
    pub wide_indices: bool,
    pub component: u8,
    pub integer_coordinates: bool,
    pub register_type: u8,
    /// Results of 16 bits.
    pub narrow: bool,
    pub mask: u8,
    pub force_delta: bool,
    pub derivatives: bool,
    pub clamp_disable: bool,
    pub skip: bool,
    /// Number of components less one.
    pub vecsize: u8,
    pub regfmt: u8,
    pub table: u8,
    pub index: u8,
    /// A store that helpers make, too.
    pub force: bool,
    pub source_format: u8,
    pub sample: u8,
    pub update: u8,
    /// Both of them in fused texture instructions.
    pub sample_and_update: u8,
    /// Widths of the results of those.
    pub fused_width: u8,
    pub z: bool,
    pub stencil: bool,
    /// The colour target of a blend descriptor that is an operand.
    pub descriptor: Option<u8>,
    /// Words that a blend skips.
    pub target: u8,
}

/// The operand of ATEST, whose bits are nobody's business.
pub(super) const ATEST_DATUM: u64 = 0xA7E5_7DA7;

impl Message {
    fn of(inst: &ValhallInst) -> Message {
        let get = |name: &str| inst.get(name).unwrap_or(0) as u8;
        let flag = |name: &str| get(name) != 0;
        Message {
            dimension: get("dimension"),
            array: flag("array_enable"),
            texel_offset: flag("texel_offset"),
            shadow: flag("shadow"),
            lod_mode: get("lod_mode"),
            wide_indices: flag("wide_indices"),
            component: get("fetch_component"),
            integer_coordinates: flag("integer_coordinates"),
            register_type: get("register_type"),
            narrow: inst.get("register_width") == Some(0),
            mask: get("write_mask"),
            force_delta: flag("force_delta_enable"),
            derivatives: flag("derivative_enable"),
            clamp_disable: flag("lod_clamp_disable"),
            skip: flag("skip"),
            vecsize: get("vecsize"),
            regfmt: get("regfmt"),
            table: get("table"),
            index: get("index"),
            force: get("memory_access") == 3,
            source_format: get("source_format"),
            sample: get("sample"),
            update: get("update"),
            sample_and_update: get("sample_and_update"),
            fused_width: get("vartex_width"),
            z: flag("z"),
            stencil: flag("stencil"),
            descriptor: None,
            target: get("target"),
        }
    }
}

/// One predecoded instruction.
#[derive(Clone, Debug)]
pub(super) struct DInst {
    pub op: Op,
    pub class: Class,
    pub flow: u8,
    pub dst: u8,
    /// Halves written; 0 without a destination.
    pub dst_mask: u8,
    pub dst_pair: bool,
    pub src: [Source; 4],
    pub sr: u8,
    pub sr_count: u8,
    pub srw: u8,
    pub srw_count: u8,
    /// Offset, constant, shift or index.
    pub imm: i64,
    pub slot: u8,
    pub clamp: u8,
    pub round: Round,
    pub cmp: u8,
    pub result: u8,
    /// `saturate`, `rhadd`, `not_result`, `compare`.
    pub flag: bool,
    pub signed: bool,
    pub unsigned: bool,
    pub eq: bool,
    pub combine: u8,
    pub absolute: bool,
    pub subgroup: u8,
    pub lane_op: u8,
    pub inactive: u8,
    pub mux: u8,
    pub sqrt: bool,
    pub log: bool,
    pub nan_mode: u8,
    pub ftz: bool,
    pub flush_inf: bool,
    pub seg_neg: bool,
    pub preserve_null: bool,
    pub atom: u8,
    pub load_lane: u8,
    /// Floats of this instruction's sources have 16 bits.
    pub half_float: bool,
    pub message: Message,
    /// The class that it counts in, of [`CLASSES`](super::step::CLASSES).
    pub counted: u8,
    /// Units that it takes, and how long in 64ths of a cycle.
    pub busy: [(u8, u16); 2],
    /// Registers that it uses for the last time.
    pub last_uses: u64,
    /// Operations on two lanes of 16 bits: bytes of each source that the low and the high half of the result depend on.
    pub halves: Option<[[u8; 2]; 4]>,
}

/// A word of the program.
#[derive(Clone, Debug)]
pub(super) enum Slot {
    Good(Box<DInst>),
    Bad(TrapKind, String),
}

fn form_of(mods: SrcMods, swizzle: Option<u8>, signed: bool) -> Form {
    let Some((def, v)) = mods.swizzle().zip(swizzle) else { return Form::Whole };
    let part = |lo, width, signed| Form::Part { lo, width, signed };
    match def.lanes(u32::from(v)) {
        Lanes::Whole | Lanes::Halves([0, 1]) | Lanes::Bytes([0, 1, 2, 3]) => Form::Whole,
        Lanes::Half(h) if matches!(mods, SrcMods::NegAbsWiden | SrcMods::Widen) => Form::Widen(h),
        // The amount of a shift.
        Lanes::Byte(b) if mods == SrcMods::Lanes8 => part(8 * b, 8, false),
        Lanes::Byte(b) => part(8 * b, 8, signed),
        Lanes::Half(h) => part(16 * h, 16, signed),
        Lanes::Word(w) => part(32 * w, 32, signed),
        Lanes::Halves(h) => Form::Lanes16 { lo: h.map(|h| 16 * h), width: 16, signed },
        Lanes::TwoBytes(b) => Form::Lanes16 { lo: b.map(|b| 8 * b), width: 8, signed },
        Lanes::Bytes(b) => Form::Lanes8(b),
    }
}

/// Bytes that a form reads, of four or eight; `components` are the 16-bit lanes whose result is wanted.
fn need_of(form: Form, wide: bool, halves: Option<u8>) -> u8 {
    match form {
        Form::Whole if wide => 0xFF,
        Form::Whole => match halves {
            Some(h) => half_bytes(h),
            None => 0xF,
        },
        Form::Widen(h) => 0x3 << (2 * h),
        Form::Part { lo, width, .. } => (((1u16 << (width / 8)) - 1) << (lo / 8)) as u8,
        Form::Lanes16 { lo, width, .. } => {
            let wanted = halves.unwrap_or(3);
            let one = |i: usize| (((1u16 << (width / 8)) - 1) << (lo[i] / 8)) as u8;
            (if wanted & 1 != 0 { one(0) } else { 0 }) | (if wanted & 2 != 0 { one(1) } else { 0 })
        }
        Form::Lanes8(b) => b.iter().fold(0, |m, &x| m | 1 << x),
    }
}

/// Bytes of the halves in a mask.
pub(super) fn half_bytes(halves: u8) -> u8 {
    [0, 0x3, 0xC, 0xF][usize::from(halves & 3)]
}

fn round_of(v: u32) -> Round {
    match v {
        1 => Round::Up,
        2 => Round::Down,
        3 => Round::Zero,
        _ => Round::Nearest,
    }
}

/// Predecodes a program of a stage (a bit of [`gpucc_isa::stage`]).
pub(super) fn predecode(code: &[u8], generation: u8, stage: u8, env: &Environment) -> Vec<Slot> {
    code.chunks(8)
        .enumerate()
        .map(|(i, bytes)| {
            let Ok(bytes) = <[u8; 8]>::try_from(bytes) else {
                return Slot::Bad(TrapKind::Undecodable, "truncated instruction".into());
            };
            let word = u64::from_le_bytes(bytes);
            match decode_word(word, generation, stage) {
                Ok(inst) => one(&inst, i, generation, env),
                Err(e) => {
                    let kind = match e {
                        DecodeError::Reserved(_) => TrapKind::Reserved,
                        _ => TrapKind::Undecodable,
                    };
                    Slot::Bad(kind, format!("{word:#018x}: {e}"))
                }
            }
        })
        .collect()
}

/// Instructions that control reaches from more than one place: where lanes that went apart have to come together (section 9.2).
pub(super) fn merges(code: &[Slot]) -> Vec<bool> {
    let mut ways = vec![0u8; code.len()];
    let mut seen = vec![false; code.len()];
    let mut work = vec![0];
    // The launch is a way to the first.
    ways.iter_mut().take(1).for_each(|w| *w = 1);
    while let Some(i) = work.pop() {
        let Some(Slot::Good(d)) = code.get(i) else { continue };
        if std::mem::replace(&mut seen[i], true) {
            continue;
        }
        let ends = u32::from(d.flow) == flow::END;
        let [next, target] = match d.class {
            Class::Branch => {
                let zero = match d.src[0].value {
                    Value::Const(0) => Some(true),
                    Value::Const(_) if d.src[0].form == Form::Whole => Some(false),
                    _ => None,
                };
                let taken = zero.map(|z| z == d.eq);
                let target = i as i64 + 1 + d.imm;
                // Where an indirect branch goes is not known.
                let target = (taken != Some(false) && d.op != Op::Branchzi).then_some(target);
                [(taken != Some(true) && !ends).then_some(i as i64 + 1), target]
            }
            _ => [(!ends).then_some(i as i64 + 1), None],
        };
        for to in [next, target.filter(|t| next != Some(*t))].into_iter().flatten() {
            if let Some(w) = usize::try_from(to).ok().and_then(|to| ways.get_mut(to)) {
                *w = w.saturating_add(1);
                work.push(to as usize);
            }
        }
    }
    ways.into_iter().map(|w| w > 1).collect()
}

fn counted(class: Class, unit: Port) -> u8 {
    match (class, unit) {
        (Class::Branch, _) => 4,
        (Class::Barrier, _) => 5,
        (Class::Nop, _) => 6,
        (_, Port::Fma) => 0,
        (_, Port::Cvt) => 1,
        (_, Port::Sfu) => 2,
        (_, Port::Ls) => 3,
        (_, Port::V) => 8,
        (_, Port::T | Port::Vt) => 9,
        _ => 7,
    }
}

/// The time of an instruction at its units (reference, section 11.1): FMA and CVT do 64 lanes a cycle, SFU 16, the varying unit 16 halves,
/// the texture unit four lanes, the load/store unit one access.
fn busy(d: &DInst, unit: Port) -> [(u8, u16); 2] {
    let words = if d.dst_pair { 2 } else { 1 };
    let halves = 2 * u16::from(d.sr_count.max(1));
    let one = |unit, time| [(unit, time), (0, 0)];
    match unit {
        Port::Fma => one(0, words),
        Port::Cvt => one(1, words),
        Port::Sfu => one(2, 4 * words),
        Port::V => one(3, 4 * halves),
        Port::T => one(4, 16),
        Port::Vt => [(3, 16), (4, 16)],
        Port::Ls => one(5, 64),
        Port::None => one(0, 0),
    }
}

fn one(inst: &ValhallInst, index: usize, generation: u8, env: &Environment) -> Slot {
    let mut printed = String::new();
    text::print(inst, &mut printed);
    if let Err(rule) = table().validate(inst, &TextCx::new(generation)) {
        return Slot::Bad(TrapKind::Reserved, format!("{rule} in `{printed}`"));
    }
    let row = inst.row();
    let get = |name: &str| inst.get(name).unwrap_or(0);
    let flag = |name: &str| get(name) != 0;
    let page = get("page") as u8;
    let (signed, bits) = (row.attrs.lane.is_signed(), row.attrs.lane.bits());
    let mut d = DInst {
        op: inst.op(),
        class: row.attrs.class,
        flow: get("flow") as u8,
        dst: 0,
        dst_mask: 0,
        dst_pair: false,
        src: [NO_SOURCE; 4],
        sr: 0,
        sr_count: 0,
        srw: 0,
        srw_count: 0,
        imm: 0,
        slot: get("slot") as u8,
        clamp: get("clamp") as u8,
        round: round_of(get("round")),
        cmp: get("cmp") as u8,
        result: get("result_type") as u8,
        flag: flag("saturate") || flag("rhadd") || flag("not_result") || flag("compare"),
        signed: signed || flag("signed"),
        unsigned: flag("unsigned"),
        eq: flag("eq"),
        combine: 0,
        absolute: flag("absolute"),
        subgroup: get("subgroup") as u8,
        lane_op: get("lane_op") as u8,
        inactive: get("inactive_result") as u8,
        mux: get("mux") as u8,
        sqrt: flag("sqrt"),
        log: flag("log"),
        nan_mode: get("nan_mode") as u8,
        ftz: flag("ftz"),
        flush_inf: flag("flush_inf"),
        seg_neg: flag("neg"),
        preserve_null: flag("preserve_null"),
        atom: (get("atom_opc") | get("atom_one")) as u8,
        load_lane: get("load_lane") as u8,
        half_float: bits == 16,
        message: Message::of(inst),
        counted: counted(row.attrs.class, row.attrs.unit),
        busy: [(0, 0); 2],
        last_uses: 0,
        halves: two_lanes(inst).then_some([[0; 2]; 4]),
    };
    for (i, s) in row.operands.iter().enumerate() {
        let v = inst.vals[i];
        match s.kind {
            Kind::Dst(kind) => {
                d.dst = (v & 63) as u8;
                d.dst_mask = (v >> 6) as u8;
                d.dst_pair = kind == DstKind::Pair;
            }
            Kind::Run { .. } if s.name == "srw" => {
                d.srw = v as u8;
                d.srw_count = run_length(inst, i) as u8;
            }
            Kind::Run { .. } => {
                d.sr = v as u8;
                d.sr_count = run_length(inst, i) as u8;
            }
            Kind::Imm { signed: true, .. } => {
                let shift = 64 - s.field.width();
                d.imm = ((u64::from(v)) << shift) as i64 >> shift;
            }
            Kind::Imm { .. } | Kind::Constant => d.imm = i64::from(v),
            Kind::Flow | Kind::Page | Kind::Flag(_) | Kind::Enum(_) | Kind::Count | Kind::Src(_) => {}
        }
    }
    for (i, s) in row.operands.iter().enumerate() {
        let Kind::Src(kind) = s.kind else { continue };
        let Some(at) = SOURCES.iter().position(|n| *n == s.name) else { continue };
        let src = Src::unpack(kind, inst.vals[i], page);
        let form = form_of(kind.mods, src.swizzle, signed);
        if kind.mods == SrcMods::Combine {
            d.combine = src.swizzle.unwrap_or(0);
        }
        let next_pc = env.code_base + 8 * (index as u64 + 1);
        let mut last = false;
        let value = match operand(src.byte, page) {
            Operand::Reg(n, l) => {
                last = l;
                Value::Reg(n)
            }
            Operand::Lut(n) => Value::Const(u64::from(LUT[usize::from(n)])),
            Operand::Uniform(n) => {
                let word = |n: u8| env.uniforms.get(usize::from(n)).copied().flatten();
                let high = !kind.wide || matches!(form, Form::Part { .. });
                match (word(n), if high { Some(word(n | 1).unwrap_or(0)) } else { word(n | 1) }) {
                    (Some(lo), Some(hi)) if kind.wide => Value::Const(u64::from(hi) << 32 | u64::from(lo)),
                    (Some(lo), _) if !kind.wide => Value::Const(u64::from(lo)),
                    (Some(_), _) => Value::Unset(n | 1),
                    (None, _) => Value::Unset(n),
                }
            }
            Operand::Special(sp, half) => special(sp, half, kind.wide, next_pc, env, &mut d.message),
            // Refused by the decoder.
            Operand::Reserved => Value::Foreign("a reserved special"),
        };
        if let Some(halves) = &mut d.halves {
            for (h, need) in halves[at].iter_mut().enumerate().filter(|(h, _)| d.dst_mask >> h & 1 == 1) {
                *need = match d.op {
                    // Source `at` becomes half `at`.
                    Op::MkvecV2i16 | Op::V2f32ToV2f16 if h != at => 0,
                    Op::MkvecV2i16 => need_of(form, false, Some(1)),
                    Op::V2f32ToV2f16 => need_of(form, false, None),
                    _ => need_of(form, false, Some(1 << h)),
                };
            }
        }
        d.src[at] = Source {
            value,
            last,
            need: need_of(form, kind.wide, wanted_halves(d.op, at, bits, d.dst_mask)),
            form,
            neg: src.neg,
            abs: src.abs,
            not: src.not,
            wide: kind.wide,
        };
    }
    d.busy = busy(&d, row.attrs.unit);
    for s in &d.src {
        if let (Value::Reg(r), true) = (s.value, s.last) {
            d.last_uses |= 1 << r | if s.wide { 2 << r } else { 0 };
        }
    }
    if let Some(r) = outside(&d, env) {
        return Slot::Bad(
            TrapKind::BadRegister,
            format!("r{r} does not exist with 32 registers a thread, in `{printed}`"),
        );
    }
    Slot::Good(Box::new(d))
}

/// The meaning of a special.
fn special(sp: Special, half: u8, wide: bool, next_pc: u64, env: &Environment, message: &mut Message) -> Value {
    let word = |v: u64| Value::Const(if wide { v } else { v >> (32 * half) & 0xFFFF_FFFF });
    match (sp.name, half) {
        ("lane_id", 0) => Value::LaneId,
        ("lane_id" | "core_id", _) => Value::Const(0),
        ("thread_local_pointer", 0) => Value::ThreadPointer,
        ("thread_local_pointer", _) => Value::ThreadPointerHigh,
        ("workgroup_local_pointer", _) => word(env.shared_base),
        ("program_counter", _) => word(next_pc),
        ("resource_table_pointer", _) => word(env.tables),
        ("atest_datum", 0) if env.blend.is_some() => Value::Const(ATEST_DATUM),
        (name, _) if env.blend.is_some() && name.starts_with("blend_descriptor_") => {
            let target = (sp.byte - 0xF0) / 2;
            message.descriptor = Some(target);
            word(env.blend.map_or(0, |b| b[usize::from(target)]))
        }
        ("warp_id", 0) => Value::WarpId,
        (name, _) => Value::Foreign(name),
    }
}

/// Whether the halves of the result depend on the same halves of the sources, so that an undefined one stays by itself.
fn two_lanes(inst: &ValhallInst) -> bool {
    use Op::*;
    // An instruction with one half as its result, or one that takes it from other lanes, is another matter.
    let other = matches!(inst.op(), FrcpF16 | FrsqF16 | FpclassF16 | ClperV2u16 | ClperV2s16);
    inst.row().operands.iter().any(|s| matches!(s.kind, Kind::Dst(DstKind::Half))) && !other
}

/// 16-bit lanes of source `at` that the result depends on; `None` for operations that use all bits.
fn wanted_halves(op: Op, at: usize, bits: u32, dst_mask: u8) -> Option<u8> {
    use Op::*;
    match op {
        // Scalars of a 16-bit source use its first lane.
        FrcpF16 | FrsqF16 | FpclassF16 | S16ToS32 | S16ToF32 | U16ToU32 | U16ToF32 | F16ToS32 | F16ToU32 => Some(1),
        // Result half `at` is lane 0 of source `at`; a half that is not written is not needed.
        MkvecV2i16 => Some(dst_mask >> at & 1),
        MkvecV2i8 if at == 2 => Some(1),
        // The amount byte of shifts, and of CLPER, is selected by its own form.
        V2s8ToV2s16 | V2s8ToV2f16 | V2u8ToV2u16 | V2u8ToV2f16 => Some(dst_mask),
        _ if bits == 16 && dst_mask != 0 => Some(dst_mask),
        _ => None,
    }
}

/// A register that the instruction touches and the 32-register mode lacks.
fn outside(d: &DInst, env: &Environment) -> Option<u8> {
    if !env.small_file {
        return None;
    }
    let missing = |r: u8| (16..48).contains(&r);
    let run = |base: u8, n: u8| (base..base.saturating_add(n)).find(|&r| missing(r));
    let dst = if d.dst_mask != 0 { run(d.dst, 1 + d.dst_pair as u8) } else { None };
    let src = d.src.iter().find_map(|s| match s.value {
        Value::Reg(r) => run(r, 1 + s.wide as u8),
        _ => None,
    });
    dst.or(src).or_else(|| run(d.sr, d.sr_count)).or_else(|| run(d.srw, d.srw_count))
}
