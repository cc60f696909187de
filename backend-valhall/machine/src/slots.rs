//! Slots: where each operand and modifier sits (sections 1 to 3 of the ISA reference).

use gpucc_isa::{Field, OperandSpec, Role};

use crate::Valhall;
use crate::kind::*;

type S = OperandSpec<Valhall>;

const fn flag(name: &'static str, bit: u8) -> S {
    OperandSpec::new(name, Field::new(bit, 1), Kind::Flag(name), Role::Mod)
}

const fn named(name: &'static str, lo: u8, width: u8, def: &'static EnumDef) -> S {
    OperandSpec::new(name, Field::new(lo, width), Kind::Enum(def), Role::Mod)
}

const fn imm(name: &'static str, lo: u8, width: u8, signed: bool) -> S {
    OperandSpec::new(name, Field::new(lo, width), Kind::Imm { name, signed }, Role::Imm)
}

const fn dst(kind: DstKind) -> S {
    OperandSpec::new("dst", Field::new(40, 8), Kind::Dst(kind), Role::Def)
}

const fn run(name: &'static str, lo: u8, count: &'static str, minus1: bool, role: Role) -> S {
    OperandSpec::new(name, Field::new(lo, 6), Kind::Run { count, minus1 }, role)
}

/// Names of the sources, by their bytes.
pub const SOURCES: [&str; 4] = ["s0", "s1", "s2", "s3"];

/// Source `i` at byte `i`, its modifiers where section 3.1 puts them.
const fn src(i: u8, wide: bool, mods: SrcMods) -> S {
    use SrcMods::*;
    let byte = (8 * i, 8);
    let neg = (38u8.wrapping_sub(2 * i), 1);
    let abs = (39u8.wrapping_sub(2 * i), 1);
    let two = (28u8.wrapping_sub(2 * i), 2);
    let four = (if i == 0 { 36 } else { 26 }, 4);
    let field = match mods {
        Plain | Float => Field::split(&[byte]),
        NegAbs => Field::split(&[byte, neg, abs]),
        NegAbsWiden | NegAbsSwizzle16 => Field::split(&[byte, neg, abs, two]),
        NegAbsHalf => Field::split(&[byte, neg, abs, (28, 1)]),
        Widen | Swizzle16 => Field::split(&[byte, two]),
        Int8 | Int16 | Int32 | Int64 | HalfSwizzle8 => Field::split(&[byte, four]),
        Lanes8 => Field::split(&[byte, (26, 4)]),
        Combine => Field::split(&[byte, (37, 3)]),
        Not => Field::split(&[byte, (35, 1)]),
        Byte => Field::split(&[byte, (28, 2)]),
    };
    OperandSpec::new(SOURCES[i as usize], field, Kind::Src(SrcKind { wide, mods }), Role::Use)
}

/// A byte-selected source of MKVEC.v2i8, whose lane fields sit at the places of neg and abs.
const fn src_byte_high(i: u8) -> S {
    OperandSpec::new(
        SOURCES[i as usize],
        Field::split(&[(8 * i, 8), (38 - 2 * i, 2)]),
        Kind::Src(SrcKind { wide: false, mods: SrcMods::Byte }),
        Role::Use,
    )
}

macro_rules! slots {
    ($($id:ident = $e:expr;)*) => { $(pub(crate) const $id: S = $e;)* };
}

slots! {
    FLOW = OperandSpec::new("flow", Field::new(59, 4), Kind::Flow, Role::Mod);
    PAGE = OperandSpec::new("page", Field::new(57, 2), Kind::Page, Role::Mod);

    DST = dst(DstKind::Word);
    DST_HALF = dst(DstKind::Half);
    DST64 = dst(DstKind::Pair);

    SR_R = run("sr", 40, "sr_count", false, Role::Use);
    SR_W = run("sr", 40, "sr_count", false, Role::Def);
    SR_VT = run("sr", 40, "sr_write_count", true, Role::Def);
    SRW = run("srw", 16, "sr_write_count", true, Role::Def);
    SR_COUNT = OperandSpec::new("sr_count", Field::new(33, 3), Kind::Count, Role::Imm);
    SR_WRITE_COUNT = OperandSpec::new("sr_write_count", Field::new(36, 3), Kind::Count, Role::Imm);

    S0 = src(0, false, SrcMods::Plain);
    S0D = src(0, true, SrcMods::Plain);
    S0D_I64 = src(0, true, SrcMods::Int64);
    S0_AN = src(0, false, SrcMods::NegAbs);
    S0_ANH = src(0, false, SrcMods::NegAbsHalf);
    S0_ANS = src(0, false, SrcMods::NegAbsSwizzle16);
    S0_ANW = src(0, false, SrcMods::NegAbsWiden);
    S0_B = src(0, false, SrcMods::Byte);
    S0_BHI = src_byte_high(0);
    S0_C = src(0, false, SrcMods::Combine);
    S0_F = src(0, false, SrcMods::Float);
    S0_H8 = src(0, false, SrcMods::HalfSwizzle8);
    S0_I8 = src(0, false, SrcMods::Int8);
    S0_I16 = src(0, false, SrcMods::Int16);
    S0_I32 = src(0, false, SrcMods::Int32);
    S0_S = src(0, false, SrcMods::Swizzle16);
    S0_W = src(0, false, SrcMods::Widen);
    S1 = src(1, false, SrcMods::Plain);
    S1D_I64 = src(1, true, SrcMods::Int64);
    S1_AN = src(1, false, SrcMods::NegAbs);
    S1_ANS = src(1, false, SrcMods::NegAbsSwizzle16);
    S1_ANW = src(1, false, SrcMods::NegAbsWiden);
    S1_BHI = src_byte_high(1);
    S1_F = src(1, false, SrcMods::Float);
    S1_I8 = src(1, false, SrcMods::Int8);
    S1_I16 = src(1, false, SrcMods::Int16);
    S1_I32 = src(1, false, SrcMods::Int32);
    S1_L8 = src(1, false, SrcMods::Lanes8);
    S1_S = src(1, false, SrcMods::Swizzle16);
    S1_W = src(1, false, SrcMods::Widen);
    S2 = src(2, false, SrcMods::Plain);
    S2_AN = src(2, false, SrcMods::NegAbs);
    S2_ANS = src(2, false, SrcMods::NegAbsSwizzle16);
    S2_ANW = src(2, false, SrcMods::NegAbsWiden);
    S2_F = src(2, false, SrcMods::Float);
    S2_N = src(2, false, SrcMods::Not);
    S2D_N = src(2, true, SrcMods::Not);
    S2_S = src(2, false, SrcMods::Swizzle16);
    S3 = src(3, false, SrcMods::Plain);
    S3_F = src(3, false, SrcMods::Float);

    BRANCH_OFFSET = OperandSpec::new("offset", Field::new(8, 27), Kind::Imm { name: "offset", signed: true }, Role::Label);
    OFFSET16 = imm("offset", 8, 16, true);
    OFFSET8 = imm("offset", 8, 8, false);
    TARGET = imm("target", 8, 8, false);
    SHIFT = imm("shift", 20, 3, false);
    TABLE_8 = imm("table", 8, 4, false);
    TABLE_16 = imm("table", 16, 4, false);
    INDEX_12 = imm("index", 12, 8, false);
    INDEX_12_4 = imm("index", 12, 4, false);
    INDEX_16 = imm("index", 16, 8, false);
    INDEX_20 = imm("index", 20, 4, false);
    CONSTANT = OperandSpec::new("constant", Field::new(8, 32), Kind::Constant, Role::Imm);

    CLAMP = named("clamp", 32, 2, &crate::kind::CLAMP);
    CMP = named("cmp", 32, 3, &CONDITION);
    LANE_OP = named("lane_op", 32, 2, &crate::kind::LANE_OP);
    MUX = named("mux", 32, 2, &crate::kind::MUX);
    SIGNED = flag("signed", 34);
    SAMPLE_AND_UPDATE = named("sample_and_update", 33, 3, &crate::kind::SAMPLE_AND_UPDATE);
    SUBGROUP = named("subgroup", 36, 4, &crate::kind::SUBGROUP);
    UPDATE = named("update", 36, 2, &crate::kind::UPDATE);
    SAMPLE = named("sample", 38, 2, &crate::kind::SAMPLE);
    LANE_8 = named("load_lane", 36, 3, &LOAD_LANE_8);
    LANE_16 = named("load_lane", 36, 3, &LOAD_LANE_16);
    LANE_24 = named("load_lane", 36, 3, &LOAD_LANE_24);
    LANE_32 = named("load_lane", 36, 3, &LOAD_LANE_32);
    LANE_48 = named("load_lane", 36, 3, &LOAD_LANE_48);
    LANE_64 = named("load_lane", 36, 3, &LOAD_LANE_64);
    LANE_96 = named("load_lane", 36, 3, &LOAD_LANE_96);
    LANE_128 = named("load_lane", 36, 3, &LOAD_LANE_128);
    UNSIGNED = flag("unsigned", 39);
    SKIP = flag("skip", 39);
    CONSERVATIVE = flag("conservative", 35);
    EQ = flag("eq", 36);
    ABSOLUTE = flag("absolute", 40);
    ROUND = named("round", 30, 2, &crate::kind::ROUND);
    RESULT_TYPE = named("result_type", 30, 2, &crate::kind::RESULT_TYPE);
    SATURATE = flag("saturate", 30);
    NOT_RESULT = flag("not_result", 30);
    RHADD = flag("rhadd", 30);
    MSG_SLOT = named("slot", 30, 3, &SLOT);
    VECSIZE = named("vecsize", 28, 2, &crate::kind::VECSIZE);
    DIMENSION = named("dimension", 28, 2, &crate::kind::DIMENSION);
    REGFMT = named("regfmt", 24, 3, &crate::kind::REGFMT);
    SOURCE_FORMAT = named("source_format", 24, 4, &crate::kind::SOURCE_FORMAT);
    MEMORY_ACCESS = named("memory_access", 24, 2, &crate::kind::MEMORY_ACCESS);
    MEMORY_ACCESS_CVT = named("memory_access", 37, 3, &crate::kind::MEMORY_ACCESS);
    VARTEX_WIDTH = named("vartex_width", 24, 2, &crate::kind::VARTEX_WIDTH);
    Z = flag("z", 25);
    STENCIL = flag("stencil", 24);
    SQRT = flag("sqrt", 24);
    LOG = flag("log", 25);
    SECOND = flag("second", 24);
    REGISTER_TYPE = named("register_type", 26, 2, &crate::kind::REGISTER_TYPE);
    COMPARE = flag("compare", 26);
    WRITE_MASK = named("write_mask", 22, 4, &crate::kind::WRITE_MASK);
    ATOM_OPC = named("atom_opc", 22, 4, &crate::kind::ATOM_OPC);
    ATOM_OPC_1 = named("atom_one", 22, 4, &crate::kind::ATOM_OPC_1);
    INACTIVE = named("inactive_result", 22, 4, &crate::kind::INACTIVE);
    REGISTER_WIDTH = named("register_width", 46, 1, &crate::kind::REGISTER_WIDTH);
    SECONDARY_WIDTH = named("secondary_width", 47, 1, &crate::kind::REGISTER_WIDTH);
    WIDE_INDICES = flag("wide_indices", 8);
    ARRAY_ENABLE = flag("array_enable", 10);
    TEXEL_OFFSET = flag("texel_offset", 11);
    SHADOW = flag("shadow", 12);
    FORCE_DELTA = flag("force_delta_enable", 12);
    INTEGER_COORDINATES = flag("integer_coordinates", 13);
    FETCH_COMPONENT = named("fetch_component", 14, 2, &crate::kind::FETCH_COMPONENT);
    LOD_MODE = named("lod_mode", 13, 3, &crate::kind::LOD_MODE);
    LOD_BIAS_DISABLE = flag("lod_bias_disable", 13);
    LOD_CLAMP_DISABLE = flag("lod_clamp_disable", 14);
    DERIVATIVE_ENABLE = flag("derivative_enable", 15);
    NAN_MODE = named("nan_mode", 8, 2, &crate::kind::NAN_MODE);
    FTZ = flag("ftz", 10);
    FLUSH_INF = flag("flush_inf", 11);
    SEG_NEG = flag("neg", 38);
    PRESERVE_NULL = flag("preserve_null", 39);
}
