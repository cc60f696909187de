//! The rows: one line per instruction of section 5 of the ISA reference.
//!
//! Columns: opcode name, mnemonic, primary opcode (bits 48..56), further fixed fields `lowest bit:width=value`, class,
//! unit, what it does, lane, slots (modifiers in the order in which they are printed, then operands), meaning, section of the reference.
//! The row of an [`Op`] is the one at index `op as usize`.

use gpucc_isa::{Effects, Enc, Field, Row, fixed};

use crate::slots::*;
use crate::{Attrs, Class, Lane, Unit, Valhall};

/// v9 and v10 encode alike (section 6).
const ALL: u16 = 3;

const fn enc(opcode: u32, fields: &[(u8, u8, u32)]) -> Enc {
    let mut e = fixed(ALL, &[(Field::new(48, 9), opcode)]);
    let mut i = 0;
    while i < fields.len() {
        let f = Field::new(fields[i].0, fields[i].1);
        assert!(e.mask & f.mask() == 0, "fixed fields overlap");
        e.mask |= f.mask();
        e.value |= f.put(fields[i].2);
        i += 1;
    }
    e
}

/// The effects of an instruction besides its results.
#[derive(Clone, Copy)]
enum Does {
    /// Nothing.
    Value,
    /// Nothing, but which lanes run matters.
    Lanes,
    /// Something that is no result: it stays, in order.
    Keep,
    /// Control continues elsewhere.
    Go,
    /// All invocations of the workgroup arrive, and memory is in order.
    Meet,
    /// Reads memory, the tile or texels.
    Load,
    /// Writes memory or the tile.
    Store,
    /// Reads and writes memory.
    Atomic,
    /// Reads texels at a level that neighbouring lanes decide.
    Sample,
    /// Keeps or takes back the position of interpolation, which no operand names.
    Position,
    /// Both.
    PositionSample,
}

/// Cycles of the special function pipe, and of a message.
const SFU: u16 = 4;
const MESSAGE: u16 = 20;

const fn effects(does: Does, class: Class, unit: Unit) -> Effects {
    let e = match does {
        Does::Value => Effects::pure(1),
        Does::Lanes => Effects::pure(1).convergent(),
        Does::Keep | Does::Position => Effects::kept(),
        Does::Go => Effects::branch(),
        Does::Meet => Effects::barrier(),
        Does::Load => Effects::load(1),
        Does::Store => Effects::store(),
        Does::Atomic => Effects::atomic(1),
        Does::Sample => Effects::load(1).convergent(),
        Does::PositionSample => Effects { reads: true, ..Effects::kept().convergent() },
    };
    let latency = match unit {
        Unit::Sfu => SFU,
        _ if class.is_message() => MESSAGE,
        _ => 1,
    };
    Effects { latency, ..e }.on(unit as u8)
}

/// Bytes of an access, from the field that tells the rows of one mnemonic apart.
const fn bytes(class: Class, fields: &[(u8, u8, u32)]) -> u8 {
    let mut k = 0;
    while k < fields.len() {
        if let ((27, 3, size), Class::Memory | Class::Buffer) = (fields[k], class) {
            return [1, 2, 3, 4, 6, 8, 12, 16][size as usize];
        }
        k += 1;
    }
    0
}

macro_rules! rows {
    ($($op:ident $name:literal $opc:literal [$($lo:literal:$width:literal=$value:literal),*] $class:ident $unit:ident $does:ident $lane:ident
       [$($slot:ident)*] $doc:literal $source:literal;)*) => {
        /// Semantic opcodes, one per mnemonic.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        #[repr(u16)]
        pub enum Op {
            $(#[doc = concat!("`", $name, "`: ", $doc, " (section ", $source, ").")] $op,)*
        }

        /// Every opcode, in row order.
        pub const OPS: &[Op] = &[$(Op::$op),*];

        /// The table's rows.
        pub const ROWS: &[Row<Valhall>] = &[$(
            Row::new(
                Op::$op,
                $name,
                8,
                const { &[enc($opc, &[$(($lo, $width, $value)),*])] },
                effects(Does::$does, Class::$class, Unit::$unit),
                Attrs {
                    class: Class::$class,
                    unit: Unit::$unit,
                    lane: Lane::$lane,
                    bytes: bytes(Class::$class, &[$(($lo, $width, $value)),*]),
                },
            )
            .operands(const { &[$($slot,)* FLOW] })
            .doc($doc, $source),
        )*];
    };
}

rows! {
    Nop "NOP" 0x000 [40:8=0xC0] Nop Cvt Keep I32 [] "Does nothing; carries a flow" "9.3";
    Branchz "BRANCHZ" 0x01F [40:8=0xC0] Branch Cvt Go I32 [CONSERVATIVE EQ S0_C BRANCH_OFFSET PAGE] "Jumps by offset when the operand is nonzero (`.eq`: zero)" "9.4";
    DiscardF32 "DISCARD.f32" 0x020 [40:8=0xC0] Discard Cvt Keep I32 [CMP S0_ANW S1_ANW PAGE] "Discards the fragment when the comparison holds" "10";
    Branchzi "BRANCHZI" 0x02F [41:7=0x60] Branch Cvt Go I32 [CONSERVATIVE EQ ABSOLUTE S0_C S1 PAGE] "Jumps to the address in source 1 when the operand is nonzero (`.eq`: zero)" "9.4";
    Barrier "BARRIER" 0x045 [40:8=0xC0] Barrier None Meet I32 [MSG_SLOT] "Waits until all invocations of the workgroup arrive" "9.1";
    CselF32 "CSEL.f32" 0x154 [] Alu Cvt Value I32 [CMP DST S0_F S1_F S2_F S3_F PAGE] "s0 cond s1 ? s2 : s3" "12.1";
    CselV2f16 "CSEL.v2f16" 0x155 [] Alu Cvt Value I16 [CMP DST_HALF S0_F S1_F S2_F S3_F PAGE] "s0 cond s1 ? s2 : s3" "12.1";
    CselU32 "CSEL.u32" 0x150 [] Alu Cvt Value I32 [CMP DST S0 S1 S2 S3 PAGE] "s0 cond s1 ? s2 : s3" "12.1";
    CselV2u16 "CSEL.v2u16" 0x151 [] Alu Cvt Value I16 [CMP DST_HALF S0 S1 S2 S3 PAGE] "s0 cond s1 ? s2 : s3" "12.1";
    CselS32 "CSEL.s32" 0x158 [] Alu Cvt Value S32 [CMP DST S0 S1 S2 S3 PAGE] "s0 cond s1 ? s2 : s3" "12.1";
    CselV2s16 "CSEL.v2s16" 0x159 [] Alu Cvt Value S16 [CMP DST_HALF S0 S1 S2 S3 PAGE] "s0 cond s1 ? s2 : s3" "12.1";
    LdVarSpecial "LD_VAR_SPECIAL" 0x056 [46:2=2] Varying V Position I32 [VECSIZE REGFMT SAMPLE UPDATE MSG_SLOT SR_W SR_COUNT S0 INDEX_12_4 PAGE] "Loads a special varying (0 point coordinate, 2 fragment w, 3 fragment z)" "16";
    LdVarBufImmF32 "LD_VAR_BUF_IMM.f32" 0x05C [46:2=2] Varying V Position I32 [MSG_SLOT VECSIZE SOURCE_FORMAT SAMPLE UPDATE SR_W SR_COUNT S0 INDEX_16 PAGE] "Interpolates a varying at an immediate byte offset of the record" "16";
    LdVarBufImmF16 "LD_VAR_BUF_IMM.f16" 0x05D [46:2=2] Varying V Position I16 [MSG_SLOT VECSIZE SOURCE_FORMAT SAMPLE UPDATE SR_W SR_COUNT S0 INDEX_16 PAGE] "Interpolates a varying at an immediate byte offset of the record" "16";
    LdVarBufF32 "LD_VAR_BUF.f32" 0x06C [46:2=2] Varying V Position I32 [MSG_SLOT VECSIZE SOURCE_FORMAT SAMPLE UPDATE SR_W SR_COUNT S0 S1 PAGE] "Interpolates a varying at a byte offset of the record" "16";
    LdVarBufF16 "LD_VAR_BUF.f16" 0x06D [46:2=2] Varying V Position I16 [MSG_SLOT VECSIZE SOURCE_FORMAT SAMPLE UPDATE SR_W SR_COUNT S0 S1 PAGE] "Interpolates a varying at a byte offset of the record" "16";
    LdVar "LD_VAR" 0x064 [46:2=2] Varying V Position I32 [MSG_SLOT VECSIZE REGFMT SAMPLE UPDATE SR_W SR_COUNT S0 S1 PAGE] "Interpolates a varying described by an attribute descriptor" "16";
    LdVarImm "LD_VAR_IMM" 0x054 [46:2=2] Varying V Position I32 [MSG_SLOT VECSIZE REGFMT SAMPLE UPDATE SR_W SR_COUNT S0 TABLE_8 INDEX_12 PAGE] "Interpolates a varying described by an attribute descriptor" "16";
    LdVarFlat "LD_VAR_FLAT" 0x055 [46:2=2] Varying V Value I32 [MSG_SLOT VECSIZE REGFMT SR_W SR_COUNT S0 PAGE] "Loads a flat varying" "16";
    LdVarFlatImm "LD_VAR_FLAT_IMM" 0x041 [46:2=2] Varying V Value I32 [MSG_SLOT VECSIZE REGFMT SR_W SR_COUNT TABLE_8 INDEX_12] "Loads a flat varying" "16";
    LdAttrImm "LD_ATTR_IMM" 0x066 [37:2=0, 46:2=2] Image Ls Load I32 [VECSIZE REGFMT MSG_SLOT SR_W SR_COUNT S0 S1 INDEX_20 TABLE_16 PAGE] "Loads a vertex attribute of vertex s0, instance s1" "16";
    LdAttr "LD_ATTR" 0x076 [37:2=0, 46:2=2] Image Ls Load I32 [VECSIZE REGFMT MSG_SLOT SR_W SR_COUNT S0 S1 S2 PAGE] "Loads a vertex attribute of vertex s0, instance s1; s2 is table and index" "16";
    LdTexImm "LD_TEX_IMM" 0x066 [37:2=1, 46:2=2] Image Ls Load I32 [VECSIZE REGFMT MSG_SLOT SR_W SR_COUNT S0 S1 INDEX_20 TABLE_16 PAGE] "Loads an image texel at 16-bit coordinates s0, s1" "15";
    LdTex "LD_TEX" 0x076 [37:2=1, 46:2=2] Image Ls Load I32 [VECSIZE REGFMT MSG_SLOT SR_W SR_COUNT S0 S1 S2 PAGE] "Loads an image texel at 16-bit coordinates s0, s1; s2 is table and index" "15";
    LeaAttrImm "LEA_ATTR_IMM" 0x067 [37:2=0, 46:2=2] Image Ls Value I32 [MSG_SLOT SR_W SR_COUNT S0 S1 TABLE_16 INDEX_20 PAGE] "Address of a vertex attribute" "16";
    LeaAttr "LEA_ATTR" 0x077 [37:2=0, 46:2=2] Image Ls Value I32 [VECSIZE MSG_SLOT SR_W SR_COUNT S0 S1 S2 PAGE] "Address of a vertex attribute; s2 is table and index" "16";
    LeaTexImm "LEA_TEX_IMM" 0x067 [37:2=1, 46:2=2] Image Ls Value I32 [MSG_SLOT SR_W SR_COUNT S0 S1 TABLE_16 INDEX_20 PAGE] "Address and conversion descriptor of an image texel" "15";
    LeaTex "LEA_TEX" 0x077 [37:2=1, 46:2=2] Image Ls Value I32 [VECSIZE MSG_SLOT SR_W SR_COUNT S0 S1 S2 PAGE] "Address and conversion descriptor of an image texel; s2 is table and index" "15";
    LdBufferI8 "LD_BUFFER.i8" 0x06A [27:3=0x0, 46:2=2] Buffer Ls Load I32 [LANE_8 UNSIGNED MSG_SLOT SR_W SR_COUNT S0 S1 PAGE] "Bounds-checked load at byte offset s0 of the buffer with handle s1" "8.3";
    LdBufferI16 "LD_BUFFER.i16" 0x06A [27:3=0x1, 46:2=2] Buffer Ls Load I32 [LANE_16 UNSIGNED MSG_SLOT SR_W SR_COUNT S0 S1 PAGE] "Bounds-checked load at byte offset s0 of the buffer with handle s1" "8.3";
    LdBufferI24 "LD_BUFFER.i24" 0x06A [27:3=0x2, 46:2=2] Buffer Ls Load I32 [LANE_24 UNSIGNED MSG_SLOT SR_W SR_COUNT S0 S1 PAGE] "Bounds-checked load at byte offset s0 of the buffer with handle s1" "8.3";
    LdBufferI32 "LD_BUFFER.i32" 0x06A [27:3=0x3, 46:2=2] Buffer Ls Load I32 [LANE_32 UNSIGNED MSG_SLOT SR_W SR_COUNT S0 S1 PAGE] "Bounds-checked load at byte offset s0 of the buffer with handle s1" "8.3";
    LdBufferI48 "LD_BUFFER.i48" 0x06A [27:3=0x4, 46:2=2] Buffer Ls Load I32 [LANE_48 UNSIGNED MSG_SLOT SR_W SR_COUNT S0 S1 PAGE] "Bounds-checked load at byte offset s0 of the buffer with handle s1" "8.3";
    LdBufferI64 "LD_BUFFER.i64" 0x06A [27:3=0x5, 46:2=2] Buffer Ls Load I64 [LANE_64 UNSIGNED MSG_SLOT SR_W SR_COUNT S0 S1 PAGE] "Bounds-checked load at byte offset s0 of the buffer with handle s1" "8.3";
    LdBufferI96 "LD_BUFFER.i96" 0x06A [27:3=0x6, 46:2=2] Buffer Ls Load I32 [LANE_96 UNSIGNED MSG_SLOT SR_W SR_COUNT S0 S1 PAGE] "Bounds-checked load at byte offset s0 of the buffer with handle s1" "8.3";
    LdBufferI128 "LD_BUFFER.i128" 0x06A [27:3=0x7, 46:2=2] Buffer Ls Load I32 [LANE_128 UNSIGNED MSG_SLOT SR_W SR_COUNT S0 S1 PAGE] "Bounds-checked load at byte offset s0 of the buffer with handle s1" "8.3";
    LeaBufImm "LEA_BUF_IMM" 0x05E [46:2=2] Buffer Ls Value I32 [MSG_SLOT SR_W SR_COUNT S0 TABLE_8 INDEX_12 PAGE] "Address of record s0 of the buffer named by the immediates" "16";
    LoadI8 "LOAD.i8" 0x060 [27:3=0x0, 46:2=2] Memory Ls Load I32 [MEMORY_ACCESS LANE_8 UNSIGNED MSG_SLOT SR_W SR_COUNT S0D OFFSET16 PAGE] "Loads from memory at s0 + offset" "15";
    LoadI16 "LOAD.i16" 0x060 [27:3=0x1, 46:2=2] Memory Ls Load I32 [MEMORY_ACCESS LANE_16 UNSIGNED MSG_SLOT SR_W SR_COUNT S0D OFFSET16 PAGE] "Loads from memory at s0 + offset" "15";
    LoadI24 "LOAD.i24" 0x060 [27:3=0x2, 46:2=2] Memory Ls Load I32 [MEMORY_ACCESS LANE_24 UNSIGNED MSG_SLOT SR_W SR_COUNT S0D OFFSET16 PAGE] "Loads from memory at s0 + offset" "15";
    LoadI32 "LOAD.i32" 0x060 [27:3=0x3, 46:2=2] Memory Ls Load I32 [MEMORY_ACCESS LANE_32 UNSIGNED MSG_SLOT SR_W SR_COUNT S0D OFFSET16 PAGE] "Loads from memory at s0 + offset" "15";
    LoadI48 "LOAD.i48" 0x060 [27:3=0x4, 46:2=2] Memory Ls Load I32 [MEMORY_ACCESS LANE_48 UNSIGNED MSG_SLOT SR_W SR_COUNT S0D OFFSET16 PAGE] "Loads from memory at s0 + offset" "15";
    LoadI64 "LOAD.i64" 0x060 [27:3=0x5, 46:2=2] Memory Ls Load I64 [MEMORY_ACCESS LANE_64 UNSIGNED MSG_SLOT SR_W SR_COUNT S0D OFFSET16 PAGE] "Loads from memory at s0 + offset" "15";
    LoadI96 "LOAD.i96" 0x060 [27:3=0x6, 46:2=2] Memory Ls Load I32 [MEMORY_ACCESS LANE_96 UNSIGNED MSG_SLOT SR_W SR_COUNT S0D OFFSET16 PAGE] "Loads from memory at s0 + offset" "15";
    LoadI128 "LOAD.i128" 0x060 [27:3=0x7, 46:2=2] Memory Ls Load I32 [MEMORY_ACCESS LANE_128 UNSIGNED MSG_SLOT SR_W SR_COUNT S0D OFFSET16 PAGE] "Loads from memory at s0 + offset" "15";
    StoreI8 "STORE.i8" 0x061 [27:3=0x0, 46:2=1] Memory Ls Store I32 [MEMORY_ACCESS MSG_SLOT SR_R SR_COUNT S0D OFFSET16 PAGE] "Stores to memory at s0 + offset" "15";
    StoreI16 "STORE.i16" 0x061 [27:3=0x1, 46:2=1] Memory Ls Store I32 [MEMORY_ACCESS MSG_SLOT SR_R SR_COUNT S0D OFFSET16 PAGE] "Stores to memory at s0 + offset" "15";
    StoreI24 "STORE.i24" 0x061 [27:3=0x2, 46:2=1] Memory Ls Store I32 [MEMORY_ACCESS MSG_SLOT SR_R SR_COUNT S0D OFFSET16 PAGE] "Stores to memory at s0 + offset" "15";
    StoreI32 "STORE.i32" 0x061 [27:3=0x3, 46:2=1] Memory Ls Store I32 [MEMORY_ACCESS MSG_SLOT SR_R SR_COUNT S0D OFFSET16 PAGE] "Stores to memory at s0 + offset" "15";
    StoreI48 "STORE.i48" 0x061 [27:3=0x4, 46:2=1] Memory Ls Store I32 [MEMORY_ACCESS MSG_SLOT SR_R SR_COUNT S0D OFFSET16 PAGE] "Stores to memory at s0 + offset" "15";
    StoreI64 "STORE.i64" 0x061 [27:3=0x5, 46:2=1] Memory Ls Store I64 [MEMORY_ACCESS MSG_SLOT SR_R SR_COUNT S0D OFFSET16 PAGE] "Stores to memory at s0 + offset" "15";
    StoreI96 "STORE.i96" 0x061 [27:3=0x6, 46:2=1] Memory Ls Store I32 [MEMORY_ACCESS MSG_SLOT SR_R SR_COUNT S0D OFFSET16 PAGE] "Stores to memory at s0 + offset" "15";
    StoreI128 "STORE.i128" 0x061 [27:3=0x7, 46:2=1] Memory Ls Store I32 [MEMORY_ACCESS MSG_SLOT SR_R SR_COUNT S0D OFFSET16 PAGE] "Stores to memory at s0 + offset" "15";
    LeaBuffer "LEA_BUFFER" 0x06B [46:2=2] Buffer Ls Value I32 [MSG_SLOT SR_W SR_COUNT S0 S1 PAGE] "Address of byte offset s0 of the buffer with handle s1" "8.3";
    StCvt "ST_CVT" 0x071 [46:2=1] Image Ls Store I32 [MSG_SLOT MEMORY_ACCESS_CVT VECSIZE REGFMT SR_R SR_COUNT S0D S2 OFFSET8 PAGE] "Stores with the format conversion of descriptor s2" "15";
    LdTile "LD_TILE" 0x078 [46:2=2] Tile None Load I32 [VECSIZE REGFMT MSG_SLOT SR_W SR_COUNT S0 S1 S2 PAGE] "Reads the tile buffer" "17";
    StTile "ST_TILE" 0x079 [46:2=1] Tile None Store I32 [VECSIZE REGFMT MSG_SLOT SR_R SR_COUNT S0 S1 S2 PAGE] "Writes the tile buffer" "17";
    Blend "BLEND" 0x07F [46:2=1] Tile None Store I32 [MSG_SLOT VECSIZE REGFMT SR_R SR_COUNT S0D S2 TARGET PAGE] "Blends the colour run into a render target" "17";
    Atest "ATEST" 0x07D [46:2=2] Tile None Keep I32 [SR_W SR_COUNT S0 S1_W S2 PAGE] "Alpha test and late coverage update" "17";
    ZsEmit "ZS_EMIT" 0x07E [46:2=2] Tile None Keep I32 [Z STENCIL MSG_SLOT SR_W SR_COUNT S0 S1 S2 PAGE] "Emits depth and stencil" "17";
    V2s16ToV2f16 "V2S16_TO_V2F16" 0x090 [16:5=0x7] Alu Cvt Value S16 [ROUND DST_HALF S0_I16 PAGE] "Converts v2s16 to v2f16" "12.1";
    S32ToF32 "S32_TO_F32" 0x090 [16:5=0x9] Alu Cvt Value S32 [ROUND DST S0_I32 PAGE] "Converts s32 to f32" "12.1";
    V2u16ToV2f16 "V2U16_TO_V2F16" 0x090 [16:5=0x17] Alu Cvt Value I16 [ROUND DST_HALF S0_I16 PAGE] "Converts v2u16 to v2f16" "12.1";
    U32ToF32 "U32_TO_F32" 0x090 [16:5=0x19] Alu Cvt Value I32 [ROUND DST S0_I32 PAGE] "Converts u32 to f32" "12.1";
    S16ToS32 "S16_TO_S32" 0x090 [16:5=0x4] Alu Cvt Value S16 [DST S0_S PAGE] "Converts s16 to s32" "12.1";
    S16ToF32 "S16_TO_F32" 0x090 [16:5=0x5] Alu Cvt Value S16 [DST S0_S PAGE] "Converts s16 to f32" "12.1";
    U16ToU32 "U16_TO_U32" 0x090 [16:5=0x14] Alu Cvt Value I16 [DST S0_S PAGE] "Converts u16 to u32" "12.1";
    U16ToF32 "U16_TO_F32" 0x090 [16:5=0x15] Alu Cvt Value I16 [DST S0_S PAGE] "Converts u16 to f32" "12.1";
    F32ToS32 "F32_TO_S32" 0x090 [16:5=0xC] Alu Cvt Value I32 [ROUND DST S0_AN PAGE] "Converts f32 to s32" "12.1";
    F32ToU32 "F32_TO_U32" 0x090 [16:5=0x1C] Alu Cvt Value I32 [ROUND DST S0_AN PAGE] "Converts f32 to u32" "12.1";
    V2f16ToV2s16 "V2F16_TO_V2S16" 0x090 [16:5=0xE] Alu Cvt Value I16 [ROUND DST_HALF S0_ANS PAGE] "Converts v2f16 to v2s16" "12.1";
    V2f16ToV2u16 "V2F16_TO_V2U16" 0x090 [16:5=0x1E] Alu Cvt Value I16 [ROUND DST_HALF S0_ANS PAGE] "Converts v2f16 to v2u16" "12.1";
    F16ToS32 "F16_TO_S32" 0x090 [16:5=0xA] Alu Cvt Value I16 [ROUND DST S0_ANS PAGE] "Converts f16 to s32" "12.1";
    F16ToU32 "F16_TO_U32" 0x090 [16:5=0x1A] Alu Cvt Value I16 [ROUND DST S0_ANS PAGE] "Converts f16 to u32" "12.1";
    F16ToF32 "F16_TO_F32" 0x090 [16:5=0xB] Alu Cvt Value I16 [ROUND DST S0_ANH PAGE] "Converts f16 to f32" "12.1";
    S8ToS32 "S8_TO_S32" 0x090 [16:5=0x0] Alu Cvt Value S8 [DST S0_B PAGE] "Converts s8 to s32" "12.1";
    S8ToF32 "S8_TO_F32" 0x090 [16:5=0x1] Alu Cvt Value S8 [DST S0_B PAGE] "Converts s8 to f32" "12.1";
    U8ToU32 "U8_TO_U32" 0x090 [16:5=0x10] Alu Cvt Value I8 [DST S0_B PAGE] "Converts u8 to u32" "12.1";
    U8ToF32 "U8_TO_F32" 0x090 [16:5=0x11] Alu Cvt Value I8 [DST S0_B PAGE] "Converts u8 to f32" "12.1";
    V2s8ToV2s16 "V2S8_TO_V2S16" 0x090 [16:5=0x2] Alu Cvt Value S8 [DST_HALF S0_H8 PAGE] "Converts v2s8 to v2s16" "12.1";
    V2s8ToV2f16 "V2S8_TO_V2F16" 0x090 [16:5=0x3] Alu Cvt Value S8 [DST_HALF S0_H8 PAGE] "Converts v2s8 to v2f16" "12.1";
    V2u8ToV2u16 "V2U8_TO_V2U16" 0x090 [16:5=0x12] Alu Cvt Value I8 [DST_HALF S0_H8 PAGE] "Converts v2u8 to v2u16" "12.1";
    V2u8ToV2f16 "V2U8_TO_V2F16" 0x090 [16:5=0x13] Alu Cvt Value I8 [DST_HALF S0_H8 PAGE] "Converts v2u8 to v2f16" "12.1";
    FroundF32 "FROUND.f32" 0x090 [16:5=0xD] Alu Cvt Value I32 [ROUND DST S0_ANW PAGE] "Rounds to an integral float" "12.1";
    FroundV2f16 "FROUND.v2f16" 0x090 [16:5=0xF] Alu Cvt Value I16 [ROUND DST_HALF S0_ANS PAGE] "Rounds to an integral float" "12.1";
    MovI32 "MOV.i32" 0x091 [16:4=0x0] Alu Cvt Value I32 [DST S0 PAGE] "Copies a register" "7.1";
    ClzU32 "CLZ.u32" 0x091 [16:4=0x4] Alu Cvt Value I32 [DST S0 PAGE] "Counts leading zeros; the lane width for 0" "12.2";
    ClzV2u16 "CLZ.v2u16" 0x091 [16:4=0x5] Alu Cvt Value I16 [DST_HALF S0_S PAGE] "Counts leading zeros; the lane width for 0" "12.2";
    ClzV4u8 "CLZ.v4u8" 0x091 [16:4=0x6] Alu Cvt Value I8 [DST S0 PAGE] "Counts leading zeros; the lane width for 0" "12.2";
    IabsS32 "IABS.s32" 0x091 [16:4=0x8] Alu Cvt Value S32 [DST S0_I32 PAGE] "Absolute value, wrapping at the minimum" "12.2";
    IabsV2s16 "IABS.v2s16" 0x091 [16:4=0x9] Alu Cvt Value S16 [DST_HALF S0_I16 PAGE] "Absolute value, wrapping at the minimum" "12.2";
    IabsV4s8 "IABS.v4s8" 0x091 [16:4=0xA] Alu Cvt Value S8 [DST S0 PAGE] "Absolute value, wrapping at the minimum" "12.2";
    PopcountI32 "POPCOUNT.i32" 0x091 [16:4=0xC] Alu Sfu Value I32 [DST S0 PAGE] "Counts set bits" "12.2";
    BitrevI32 "BITREV.i32" 0x091 [16:4=0xD] Alu Sfu Value I32 [DST S0 PAGE] "Reverses the bits" "12.2";
    NotOldI32 "NOT_OLD.i32" 0x091 [16:4=0xE] Alu Sfu Value I32 [DST S0 PAGE] "Bitwise complement" "5";
    NotOldI64 "NOT_OLD.i64" 0x191 [16:4=0xE] Alu Sfu Value I64 [DST64 S0D PAGE] "Bitwise complement" "5";
    Wmask "WMASK" 0x095 [] Alu Cvt Lanes I32 [SUBGROUP DST S0 PAGE] "Mask of the active lanes of the subgroup whose source is nonzero" "12.3";
    FlushF32 "FLUSH.f32" 0x098 [16:4=0x0] Alu Cvt Value I32 [NAN_MODE FTZ FLUSH_INF DST S0_ANW PAGE] "Flushes NaN, subnormals or infinity as told" "12.1";
    FlushV2f16 "FLUSH.v2f16" 0x098 [16:4=0x1] Alu Cvt Value I16 [NAN_MODE FTZ FLUSH_INF DST_HALF S0_ANS PAGE] "Flushes NaN, subnormals or infinity as told" "12.1";
    FrexpmF32 "FREXPM.f32" 0x099 [16:4=0x0] Alu Cvt Value I32 [SQRT LOG DST S0_W PAGE] "Mantissa of the source" "12.1";
    FrexpmV2f16 "FREXPM.v2f16" 0x099 [16:4=0x1] Alu Cvt Value I16 [SQRT LOG DST_HALF S0_S PAGE] "Mantissa of the source" "12.1";
    FrexpeF32 "FREXPE.f32" 0x099 [16:4=0x2] Alu Cvt Value I32 [SQRT LOG DST S0_W PAGE] "Exponent of the source, as an integer" "12.1";
    FrexpeV2f16 "FREXPE.v2f16" 0x099 [16:4=0x3] Alu Cvt Value I16 [SQRT LOG DST_HALF S0_S PAGE] "Exponent of the source, as an integer" "12.1";
    FrcpF32 "FRCP.f32" 0x09C [16:4=0x0] Alu Sfu Value I32 [DST S0_ANW PAGE] "Reciprocal" "12.1";
    FrcpF16 "FRCP.f16" 0x09C [16:4=0x1] Alu Sfu Value I16 [DST_HALF S0_ANS PAGE] "Reciprocal" "12.1";
    FrsqF32 "FRSQ.f32" 0x09C [16:4=0x2] Alu Sfu Value I32 [DST S0_ANW PAGE] "Reciprocal square root" "12.1";
    FrsqF16 "FRSQ.f16" 0x09C [16:4=0x3] Alu Sfu Value I16 [DST_HALF S0_ANS PAGE] "Reciprocal square root" "12.1";
    FlogdF32 "FLOGD.f32" 0x09C [16:4=0x8] Alu Sfu Value I32 [DST S0_ANW PAGE] "log2(m)/(m-1) of the logarithm mantissa m" "12.1";
    FpclassF32 "FPCLASS.f32" 0x09C [16:4=0xA] Alu Sfu Value I32 [DST S0_ANW PAGE] "Classifies a float (unknown in detail)" "22";
    FpclassF16 "FPCLASS.f16" 0x09C [16:4=0xB] Alu Sfu Value I16 [DST_HALF S0_ANS PAGE] "Classifies a float (unknown in detail)" "22";
    FlogTableF32 "FLOG_TABLE.f32" 0x09C [16:4=0xC] Alu Sfu Value I32 [DST S0_ANW PAGE] "Logarithm table (unknown in detail)" "22";
    FrcpApproxF32 "FRCP_APPROX.f32" 0x09C [16:4=0xE] Alu Sfu Value I32 [DST S0_ANW PAGE] "Reciprocal of the mantissa, approximate" "12.1";
    FrsqApproxF32 "FRSQ_APPROX.f32" 0x09C [16:4=0xF] Alu Sfu Value I32 [DST S0_ANW PAGE] "Reciprocal square root of the mantissa, approximate" "12.1";
    FsinTableU6 "FSIN_TABLE.u6" 0x09C [16:4=0x4] Alu Sfu Value I32 [DST S0 PAGE] "sin(n*pi/32) of the low 6 bits" "12.1";
    FcosTableU6 "FCOS_TABLE.u6" 0x09C [16:4=0x5] Alu Sfu Value I32 [DST S0 PAGE] "cos(n*pi/32) of the low 6 bits" "12.1";
    FsincosOffsetU6 "FSINCOS_OFFSET.u6" 0x09C [16:4=0x6] Alu Sfu Value I32 [DST S0 PAGE] "Sine and cosine argument offset (unknown in detail)" "22";
    FexpTableU4 "FEXP_TABLE.u4" 0x09C [16:4=0xD] Alu Sfu Value I32 [DST S0 PAGE] "2^(n/16) of the low 4 bits" "12.1";
    FaddF32 "FADD.f32" 0x0A4 [16:4=0x0] Alu Fma Value I32 [CLAMP DST S0_ANW S1_ANW PAGE] "s0 + s1" "12.1";
    FaddV2f16 "FADD.v2f16" 0x0A5 [16:4=0x0] Alu Fma Value I16 [CLAMP DST_HALF S0_ANS S1_ANS PAGE] "s0 + s1" "12.1";
    FminF32 "FMIN.f32" 0x0A4 [16:4=0x2] Alu Cvt Value I32 [CLAMP DST S0_ANW S1_ANW PAGE] "Smaller operand; the other one if one is NaN" "12.1";
    FminV2f16 "FMIN.v2f16" 0x0A5 [16:4=0x2] Alu Cvt Value I16 [CLAMP DST_HALF S0_ANS S1_ANS PAGE] "Smaller operand; the other one if one is NaN" "12.1";
    FmaxF32 "FMAX.f32" 0x0A4 [16:4=0x3] Alu Cvt Value I32 [CLAMP DST S0_ANW S1_ANW PAGE] "Larger operand; the other one if one is NaN" "12.1";
    FmaxV2f16 "FMAX.v2f16" 0x0A5 [16:4=0x3] Alu Cvt Value I16 [CLAMP DST_HALF S0_ANS S1_ANS PAGE] "Larger operand; the other one if one is NaN" "12.1";
    V2f32ToV2f16 "V2F32_TO_V2F16" 0x0A5 [16:4=0x4] Alu Cvt Value I32 [CLAMP ROUND DST_HALF S0_AN S1_AN PAGE] "Packs two floats to halves" "12.1";
    LdexpF32 "LDEXP.f32" 0x0A4 [16:4=0x6] Alu Fma Value I32 [ROUND DST S0_AN S1 PAGE] "s0 * 2^s1" "12.1";
    LdexpV2f16 "LDEXP.v2f16" 0x0A5 [16:4=0x6] Alu Fma Value I16 [ROUND DST_HALF S0_AN S1 PAGE] "s0 * 2^s1" "12.1";
    FexpF32 "FEXP.f32" 0x0A4 [16:4=0x8] Alu Sfu Value I32 [CLAMP DST S0 S1_AN PAGE] "2^s0 of an 8:24 fixed-point number; s1 is the same as float and decides specials" "12.1";
    FaddLscaleF32 "FADD_LSCALE.f32" 0x0A4 [16:4=0x9] Alu Fma Value I32 [CLAMP DST S0_AN S1_AN PAGE] "s0 + logarithm mantissa of s1" "12.1";
    FatanAssistF32 "FATAN_ASSIST.f32" 0x0A4 [16:4=0xE] Alu Sfu Value I32 [SECOND DST S0 S1 PAGE] "Arc tangent helper (unknown in detail)" "22";
    IaddU32 "IADD.u32" 0x0A0 [16:4=0x0] Alu Cvt Value I32 [SATURATE DST S0_I32 S1_I32 PAGE] "s0 + s1" "12.2";
    IaddV2u16 "IADD.v2u16" 0x0A1 [16:4=0x0] Alu Cvt Value I16 [SATURATE DST_HALF S0_I16 S1_I16 PAGE] "s0 + s1" "12.2";
    IaddV4u8 "IADD.v4u8" 0x0A2 [16:4=0x0] Alu Cvt Value I8 [SATURATE DST S0_I8 S1_I8 PAGE] "s0 + s1" "12.2";
    IaddS32 "IADD.s32" 0x0A8 [16:4=0x0] Alu Cvt Value S32 [SATURATE DST S0_I32 S1_I32 PAGE] "s0 + s1" "12.2";
    IaddV2s16 "IADD.v2s16" 0x0A9 [16:4=0x0] Alu Cvt Value S16 [SATURATE DST_HALF S0_I16 S1_I16 PAGE] "s0 + s1" "12.2";
    IaddV4s8 "IADD.v4s8" 0x0AA [16:4=0x0] Alu Cvt Value S8 [SATURATE DST S0_I8 S1_I8 PAGE] "s0 + s1" "12.2";
    IaddU64 "IADD.u64" 0x1A3 [16:4=0x0] Alu Cvt Value I64 [SATURATE DST64 S0D_I64 S1D_I64 PAGE] "s0 + s1" "12.2";
    IaddS64 "IADD.s64" 0x1AB [16:4=0x0] Alu Cvt Value S64 [SATURATE DST64 S0D_I64 S1D_I64 PAGE] "s0 + s1" "12.2";
    MkvecV2i16 "MKVEC.v2i16" 0x0A1 [16:4=0x5] Alu Cvt Value I16 [DST_HALF S0_S S1_S PAGE] "Packs selected parts of the sources" "12.2";
    IsubU32 "ISUB.u32" 0x0A0 [16:4=0x1] Alu Cvt Value I32 [SATURATE DST S0_I32 S1_I32 PAGE] "s0 - s1" "12.2";
    IsubV2u16 "ISUB.v2u16" 0x0A1 [16:4=0x1] Alu Cvt Value I16 [SATURATE DST_HALF S0_I16 S1_I16 PAGE] "s0 - s1" "12.2";
    IsubV4u8 "ISUB.v4u8" 0x0A2 [16:4=0x1] Alu Cvt Value I8 [SATURATE DST S0_I8 S1_I8 PAGE] "s0 - s1" "12.2";
    IsubS32 "ISUB.s32" 0x0A8 [16:4=0x1] Alu Cvt Value S32 [SATURATE DST S0_I32 S1_I32 PAGE] "s0 - s1" "12.2";
    IsubV2s16 "ISUB.v2s16" 0x0A9 [16:4=0x1] Alu Cvt Value S16 [SATURATE DST_HALF S0_I16 S1_I16 PAGE] "s0 - s1" "12.2";
    IsubV4s8 "ISUB.v4s8" 0x0AA [16:4=0x1] Alu Cvt Value S8 [SATURATE DST S0_I8 S1_I8 PAGE] "s0 - s1" "12.2";
    IsubU64 "ISUB.u64" 0x1A3 [16:4=0x1] Alu Cvt Value I64 [SATURATE DST64 S0D_I64 S1D_I64 PAGE] "s0 - s1" "12.2";
    IsubS64 "ISUB.s64" 0x1AB [16:4=0x1] Alu Cvt Value S64 [SATURATE DST64 S0D_I64 S1D_I64 PAGE] "s0 - s1" "12.2";
    SegAddU64 "SEG_ADD.u64" 0x1A3 [16:4=0x6] Alu Cvt Value I64 [SEG_NEG PRESERVE_NULL DST64 S0D S1D_I64 PAGE] "s0 plus or minus zero-extended s1" "12.2";
    ShaddxU64 "SHADDX.u64" 0x1A3 [16:4=0x7] Alu Cvt Value I64 [DST64 S0D S1D_I64 SHIFT PAGE] "s0 + (extended s1 << shift)" "12.2";
    ShaddxS64 "SHADDX.s64" 0x1AB [16:4=0x7] Alu Cvt Value S64 [DST64 S0D S1D_I64 SHIFT PAGE] "s0 + (extended s1 << shift)" "12.2";
    ImulI32 "IMUL.i32" 0x0A0 [16:4=0xA] Alu Sfu Value I32 [SATURATE DST S0_I32 S1_I32 PAGE] "s0 * s1, low part" "12.2";
    ImulV2i16 "IMUL.v2i16" 0x0A1 [16:4=0xA] Alu Sfu Value I16 [SATURATE DST_HALF S0_I16 S1_I16 PAGE] "s0 * s1, low part" "12.2";
    ImulV4i8 "IMUL.v4i8" 0x0A2 [16:4=0xA] Alu Sfu Value I8 [SATURATE DST S0_I8 S1_I8 PAGE] "s0 * s1, low part" "12.2";
    ImulS32 "IMUL.s32" 0x0A8 [16:4=0xA] Alu Sfu Value S32 [SATURATE DST S0_I32 S1_I32 PAGE] "s0 * s1, low part" "12.2";
    ImulV2s16 "IMUL.v2s16" 0x0A9 [16:4=0xA] Alu Sfu Value S16 [SATURATE DST_HALF S0_I16 S1_I16 PAGE] "s0 * s1, low part" "12.2";
    ImulV4s8 "IMUL.v4s8" 0x0AA [16:4=0xA] Alu Sfu Value S8 [SATURATE DST S0_I8 S1_I8 PAGE] "s0 * s1, low part" "12.2";
    ImuldU64 "IMULD.u64" 0x1A3 [16:4=0xA] Alu Sfu Value I64 [SATURATE DST64 S0D_I64 S1D_I64 PAGE] "Full product of the low words" "12.2";
    HaddU32 "HADD.u32" 0x0A0 [16:4=0xB] Alu Cvt Value I32 [RHADD DST S0_I32 S1_I32 PAGE] "(s0 + s1) >> 1 without overflow; `.rhadd` rounds up" "12.2";
    HaddV2u16 "HADD.v2u16" 0x0A1 [16:4=0xB] Alu Cvt Value I16 [RHADD DST_HALF S0_I16 S1_I16 PAGE] "(s0 + s1) >> 1 without overflow; `.rhadd` rounds up" "12.2";
    HaddV4u8 "HADD.v4u8" 0x0A2 [16:4=0xB] Alu Cvt Value I8 [RHADD DST S0_I8 S1_I8 PAGE] "(s0 + s1) >> 1 without overflow; `.rhadd` rounds up" "12.2";
    HaddS32 "HADD.s32" 0x0A8 [16:4=0xB] Alu Cvt Value S32 [RHADD DST S0_I32 S1_I32 PAGE] "(s0 + s1) >> 1 without overflow; `.rhadd` rounds up" "12.2";
    HaddV2s16 "HADD.v2s16" 0x0A9 [16:4=0xB] Alu Cvt Value S16 [RHADD DST_HALF S0_I16 S1_I16 PAGE] "(s0 + s1) >> 1 without overflow; `.rhadd` rounds up" "12.2";
    HaddV4s8 "HADD.v4s8" 0x0AA [16:4=0xB] Alu Cvt Value S8 [RHADD DST S0_I8 S1_I8 PAGE] "(s0 + s1) >> 1 without overflow; `.rhadd` rounds up" "12.2";
    ClperI32 "CLPER.i32" 0x0A0 [16:4=0xF] Alu Sfu Lanes I32 [SUBGROUP LANE_OP INACTIVE DST S0 S1_L8 PAGE] "Reads s0 of another lane of the subgroup" "12.3";
    ClperV2u16 "CLPER.v2u16" 0x0A1 [16:4=0xF] Alu Sfu Lanes I16 [SUBGROUP LANE_OP INACTIVE DST_HALF S0 S1_L8 PAGE] "Reads s0 of another lane of the subgroup" "12.3";
    ClperV4u8 "CLPER.v4u8" 0x0A2 [16:4=0xF] Alu Sfu Lanes I8 [SUBGROUP LANE_OP INACTIVE DST S0 S1_L8 PAGE] "Reads s0 of another lane of the subgroup" "12.3";
    ClperS32 "CLPER.s32" 0x0A8 [16:4=0xF] Alu Sfu Lanes S32 [SUBGROUP LANE_OP INACTIVE DST S0 S1_L8 PAGE] "Reads s0 of another lane of the subgroup" "12.3";
    ClperV2s16 "CLPER.v2s16" 0x0A9 [16:4=0xF] Alu Sfu Lanes S16 [SUBGROUP LANE_OP INACTIVE DST_HALF S0 S1_L8 PAGE] "Reads s0 of another lane of the subgroup" "12.3";
    ClperV4s8 "CLPER.v4s8" 0x0AA [16:4=0xF] Alu Sfu Lanes S8 [SUBGROUP LANE_OP INACTIVE DST S0 S1_L8 PAGE] "Reads s0 of another lane of the subgroup" "12.3";
    ClperU64 "CLPER.u64" 0x1A3 [16:4=0xF] Alu Sfu Lanes I64 [SUBGROUP LANE_OP INACTIVE DST64 S0D S1_L8 PAGE] "Reads s0 of another lane of the subgroup" "12.3";
    ClperS64 "CLPER.s64" 0x1AB [16:4=0xF] Alu Sfu Lanes S64 [SUBGROUP LANE_OP INACTIVE DST64 S0D S1_L8 PAGE] "Reads s0 of another lane of the subgroup" "12.3";
    FmaF32 "FMA.f32" 0x0B2 [] Alu Fma Value I32 [CLAMP DST S0_ANW S1_ANW S2_ANW PAGE] "s0 * s1 + s2, rounded once" "12.1";
    FmaV2f16 "FMA.v2f16" 0x0B3 [] Alu Fma Value I16 [CLAMP DST_HALF S0_ANS S1_ANS S2_ANS PAGE] "s0 * s1 + s2, rounded once" "12.1";
    LshiftAndI32 "LSHIFT_AND.i32" 0x0B4 [24:2=0, 32:1=1] Alu Sfu Value I32 [NOT_RESULT DST S0_I32 S1_L8 S2_N PAGE] "(s0 shifted left by s1) and s2" "12.2";
    LshiftAndV2i16 "LSHIFT_AND.v2i16" 0x0B5 [24:2=0, 32:1=1] Alu Sfu Value I16 [NOT_RESULT DST_HALF S0_I16 S1_L8 S2_N PAGE] "(s0 shifted left by s1) and s2" "12.2";
    LshiftAndV4i8 "LSHIFT_AND.v4i8" 0x0B6 [24:2=0, 32:1=1] Alu Sfu Value I8 [NOT_RESULT DST S0_I8 S1_L8 S2_N PAGE] "(s0 shifted left by s1) and s2" "12.2";
    LshiftAndI64 "LSHIFT_AND.i64" 0x1B7 [24:2=0, 32:1=1] Alu Sfu Value I64 [NOT_RESULT DST64 S0D_I64 S1_L8 S2D_N PAGE] "(s0 shifted left by s1) and s2" "12.2";
    RshiftAndI32 "RSHIFT_AND.i32" 0x0B4 [24:2=0, 32:1=0] Alu Sfu Value I32 [SIGNED NOT_RESULT DST S0_I32 S1_L8 S2_N PAGE] "(s0 shifted right by s1) and s2" "12.2";
    RshiftAndV2i16 "RSHIFT_AND.v2i16" 0x0B5 [24:2=0, 32:1=0] Alu Sfu Value I16 [SIGNED NOT_RESULT DST_HALF S0_I16 S1_L8 S2_N PAGE] "(s0 shifted right by s1) and s2" "12.2";
    RshiftAndV4i8 "RSHIFT_AND.v4i8" 0x0B6 [24:2=0, 32:1=0] Alu Sfu Value I8 [SIGNED NOT_RESULT DST S0_I8 S1_L8 S2_N PAGE] "(s0 shifted right by s1) and s2" "12.2";
    RshiftAndI64 "RSHIFT_AND.i64" 0x1B7 [24:2=0, 32:1=0] Alu Sfu Value I64 [SIGNED NOT_RESULT DST64 S0D_I64 S1_L8 S2D_N PAGE] "(s0 shifted right by s1) and s2" "12.2";
    LshiftOrI32 "LSHIFT_OR.i32" 0x0B4 [24:2=1, 32:1=1] Alu Sfu Value I32 [NOT_RESULT DST S0_I32 S1_L8 S2_N PAGE] "(s0 shifted left by s1) or s2" "12.2";
    LshiftOrV2i16 "LSHIFT_OR.v2i16" 0x0B5 [24:2=1, 32:1=1] Alu Sfu Value I16 [NOT_RESULT DST_HALF S0_I16 S1_L8 S2_N PAGE] "(s0 shifted left by s1) or s2" "12.2";
    LshiftOrV4i8 "LSHIFT_OR.v4i8" 0x0B6 [24:2=1, 32:1=1] Alu Sfu Value I8 [NOT_RESULT DST S0_I8 S1_L8 S2_N PAGE] "(s0 shifted left by s1) or s2" "12.2";
    LshiftOrI64 "LSHIFT_OR.i64" 0x1B7 [24:2=1, 32:1=1] Alu Sfu Value I64 [NOT_RESULT DST64 S0D_I64 S1_L8 S2D_N PAGE] "(s0 shifted left by s1) or s2" "12.2";
    RshiftOrI32 "RSHIFT_OR.i32" 0x0B4 [24:2=1, 32:1=0] Alu Sfu Value I32 [SIGNED NOT_RESULT DST S0_I32 S1_L8 S2_N PAGE] "(s0 shifted right by s1) or s2" "12.2";
    RshiftOrV2i16 "RSHIFT_OR.v2i16" 0x0B5 [24:2=1, 32:1=0] Alu Sfu Value I16 [SIGNED NOT_RESULT DST_HALF S0_I16 S1_L8 S2_N PAGE] "(s0 shifted right by s1) or s2" "12.2";
    RshiftOrV4i8 "RSHIFT_OR.v4i8" 0x0B6 [24:2=1, 32:1=0] Alu Sfu Value I8 [SIGNED NOT_RESULT DST S0_I8 S1_L8 S2_N PAGE] "(s0 shifted right by s1) or s2" "12.2";
    RshiftOrI64 "RSHIFT_OR.i64" 0x1B7 [24:2=1, 32:1=0] Alu Sfu Value I64 [SIGNED NOT_RESULT DST64 S0D_I64 S1_L8 S2D_N PAGE] "(s0 shifted right by s1) or s2" "12.2";
    LshiftXorI32 "LSHIFT_XOR.i32" 0x0B4 [24:2=2, 32:1=1] Alu Sfu Value I32 [NOT_RESULT DST S0_I32 S1_L8 S2_N PAGE] "(s0 shifted left by s1) xor s2" "12.2";
    LshiftXorV2i16 "LSHIFT_XOR.v2i16" 0x0B5 [24:2=2, 32:1=1] Alu Sfu Value I16 [NOT_RESULT DST_HALF S0_I16 S1_L8 S2_N PAGE] "(s0 shifted left by s1) xor s2" "12.2";
    LshiftXorV4i8 "LSHIFT_XOR.v4i8" 0x0B6 [24:2=2, 32:1=1] Alu Sfu Value I8 [NOT_RESULT DST S0_I8 S1_L8 S2_N PAGE] "(s0 shifted left by s1) xor s2" "12.2";
    LshiftXorI64 "LSHIFT_XOR.i64" 0x1B7 [24:2=2, 32:1=1] Alu Sfu Value I64 [NOT_RESULT DST64 S0D_I64 S1_L8 S2D_N PAGE] "(s0 shifted left by s1) xor s2" "12.2";
    RshiftXorI32 "RSHIFT_XOR.i32" 0x0B4 [24:2=2, 32:1=0] Alu Sfu Value I32 [SIGNED NOT_RESULT DST S0_I32 S1_L8 S2_N PAGE] "(s0 shifted right by s1) xor s2" "12.2";
    RshiftXorV2i16 "RSHIFT_XOR.v2i16" 0x0B5 [24:2=2, 32:1=0] Alu Sfu Value I16 [SIGNED NOT_RESULT DST_HALF S0_I16 S1_L8 S2_N PAGE] "(s0 shifted right by s1) xor s2" "12.2";
    RshiftXorV4i8 "RSHIFT_XOR.v4i8" 0x0B6 [24:2=2, 32:1=0] Alu Sfu Value I8 [SIGNED NOT_RESULT DST S0_I8 S1_L8 S2_N PAGE] "(s0 shifted right by s1) xor s2" "12.2";
    RshiftXorI64 "RSHIFT_XOR.i64" 0x1B7 [24:2=2, 32:1=0] Alu Sfu Value I64 [SIGNED NOT_RESULT DST64 S0D_I64 S1_L8 S2D_N PAGE] "(s0 shifted right by s1) xor s2" "12.2";
    MuxI32 "MUX.i32" 0x0B8 [] Alu Sfu Value I32 [MUX DST S0 S1 S2 PAGE] "Selects s0 or s1 by the mask s2" "12.2";
    MuxV2i16 "MUX.v2i16" 0x0B9 [] Alu Sfu Value I16 [MUX DST_HALF S0_S S1_S S2_S PAGE] "Selects s0 or s1 by the mask s2" "12.2";
    MuxV4i8 "MUX.v4i8" 0x0BA [] Alu Sfu Value I8 [MUX DST S0 S1 S2 PAGE] "Selects s0 or s1 by the mask s2" "12.2";
    CubeSsel "CUBE_SSEL" 0x0BC [24:4=0x0] Alu Sfu Value I32 [DST S0_AN S1_AN S2 PAGE] "Cube map S coordinate of (z, x, face)" "12.1";
    CubeTsel "CUBE_TSEL" 0x0BC [24:4=0x1] Alu Sfu Value I32 [DST S0_AN S1_AN S2 PAGE] "Cube map T coordinate of (y, z, face)" "12.1";
    MkvecV2i8 "MKVEC.v2i8" 0x0BD [] Alu Cvt Value I8 [DST S0_BHI S1_BHI S2 PAGE] "Packs selected parts of the sources" "12.2";
    Cubeface1 "CUBEFACE1" 0x0C0 [] Alu Sfu Value I32 [DST S0_AN S1_AN S2_AN PAGE] "Largest magnitude of the three" "12.1";
    Cubeface2V9 "CUBEFACE2_V9" 0x0C1 [] Alu Sfu Value I32 [DST S0_AN S1_AN S2_AN PAGE] "Cube face index, shifted left by 29" "12.1";
    IdpV4s8 "IDP.v4s8" 0x0C2 [24:4=0x0] Alu Fma Value S8 [SATURATE DST S0 S1 S2 PAGE] "Dot product of four bytes plus s2" "12.2";
    IdpV4u8 "IDP.v4u8" 0x0C2 [24:4=0x1] Alu Fma Value I8 [SATURATE DST S0 S1 S2 PAGE] "Dot product of four bytes plus s2" "12.2";
    IcmpOrU32 "ICMP_OR.u32" 0x0F0 [24:2=0x0] Alu Cvt Value I32 [CMP RESULT_TYPE DST S0_I32 S1_I32 S2 PAGE] "(s0 cond s1) or s2" "12.2";
    IcmpOrV2u16 "ICMP_OR.v2u16" 0x0F1 [24:2=0x0] Alu Cvt Value I16 [CMP RESULT_TYPE DST_HALF S0_I16 S1_I16 S2 PAGE] "(s0 cond s1) or s2" "12.2";
    IcmpOrV4u8 "ICMP_OR.v4u8" 0x0F2 [24:2=0x0] Alu Cvt Value I8 [CMP RESULT_TYPE DST S0_I8 S1_I8 S2 PAGE] "(s0 cond s1) or s2" "12.2";
    IcmpAndU32 "ICMP_AND.u32" 0x0F0 [24:2=0x1] Alu Cvt Value I32 [CMP RESULT_TYPE DST S0_I32 S1_I32 S2 PAGE] "(s0 cond s1) and s2" "12.2";
    IcmpAndV2u16 "ICMP_AND.v2u16" 0x0F1 [24:2=0x1] Alu Cvt Value I16 [CMP RESULT_TYPE DST_HALF S0_I16 S1_I16 S2 PAGE] "(s0 cond s1) and s2" "12.2";
    IcmpAndV4u8 "ICMP_AND.v4u8" 0x0F2 [24:2=0x1] Alu Cvt Value I8 [CMP RESULT_TYPE DST S0_I8 S1_I8 S2 PAGE] "(s0 cond s1) and s2" "12.2";
    FcmpOrF32 "FCMP_OR.f32" 0x0F4 [24:2=0x0] Alu Cvt Value I32 [CMP RESULT_TYPE DST S0_ANW S1_ANW S2 PAGE] "(s0 cond s1) or s2" "12.1";
    FcmpOrV2f16 "FCMP_OR.v2f16" 0x0F5 [24:2=0x0] Alu Cvt Value I16 [CMP RESULT_TYPE DST_HALF S0_ANS S1_ANS S2 PAGE] "(s0 cond s1) or s2" "12.1";
    FcmpAndF32 "FCMP_AND.f32" 0x0F4 [24:2=0x1] Alu Cvt Value I32 [CMP RESULT_TYPE DST S0_ANW S1_ANW S2 PAGE] "(s0 cond s1) and s2" "12.1";
    FcmpAndV2f16 "FCMP_AND.v2f16" 0x0F5 [24:2=0x1] Alu Cvt Value I16 [CMP RESULT_TYPE DST_HALF S0_ANS S1_ANS S2 PAGE] "(s0 cond s1) and s2" "12.1";
    IcmpOrS32 "ICMP_OR.s32" 0x0F8 [24:2=0x0] Alu Cvt Value S32 [CMP RESULT_TYPE DST S0_I32 S1_I32 S2 PAGE] "(s0 cond s1) or s2" "12.2";
    IcmpOrV2s16 "ICMP_OR.v2s16" 0x0F9 [24:2=0x0] Alu Cvt Value S16 [CMP RESULT_TYPE DST_HALF S0_I16 S1_I16 S2 PAGE] "(s0 cond s1) or s2" "12.2";
    IcmpOrV4s8 "ICMP_OR.v4s8" 0x0FA [24:2=0x0] Alu Cvt Value S8 [CMP RESULT_TYPE DST S0_I8 S1_I8 S2 PAGE] "(s0 cond s1) or s2" "12.2";
    IcmpAndS32 "ICMP_AND.s32" 0x0F8 [24:2=0x1] Alu Cvt Value S32 [CMP RESULT_TYPE DST S0_I32 S1_I32 S2 PAGE] "(s0 cond s1) and s2" "12.2";
    IcmpAndV2s16 "ICMP_AND.v2s16" 0x0F9 [24:2=0x1] Alu Cvt Value S16 [CMP RESULT_TYPE DST_HALF S0_I16 S1_I16 S2 PAGE] "(s0 cond s1) and s2" "12.2";
    IcmpAndV4s8 "ICMP_AND.v4s8" 0x0FA [24:2=0x1] Alu Cvt Value S8 [CMP RESULT_TYPE DST S0_I8 S1_I8 S2 PAGE] "(s0 cond s1) and s2" "12.2";
    IcmpMultiU32 "ICMP_MULTI.u32" 0x0F0 [24:2=0x2] Alu Cvt Value I32 [CMP RESULT_TYPE DST S0_I32 S1_I32 S2 PAGE] "One word of a multi-word comparison; s2 is the result of the lower word" "12.2";
    IcmpMultiS32 "ICMP_MULTI.s32" 0x0F8 [24:2=0x2] Alu Cvt Value S32 [CMP RESULT_TYPE DST S0_I32 S1_I32 S2 PAGE] "One word of a multi-word comparison; s2 is the result of the lower word" "12.2";
    IaddImmI32 "IADD_IMM.i32" 0x110 [] Alu Cvt Value I32 [DST S0 CONSTANT PAGE] "s0 + constant" "12.2";
    IaddImmV2i16 "IADD_IMM.v2i16" 0x111 [] Alu Cvt Value I16 [DST_HALF S0 CONSTANT PAGE] "s0 + constant" "12.2";
    IaddImmV4i8 "IADD_IMM.v4i8" 0x112 [] Alu Cvt Value I8 [DST S0 CONSTANT PAGE] "s0 + constant" "12.2";
    FaddImmF32 "FADD_IMM.f32" 0x114 [] Alu Fma Value I32 [DST S0 CONSTANT PAGE] "s0 + constant" "12.1";
    FaddImmV2f16 "FADD_IMM.v2f16" 0x115 [] Alu Fma Value I16 [DST_HALF S0_F CONSTANT PAGE] "s0 + constant" "12.1";
    Atom1ReturnI32 "ATOM1_RETURN.i32" 0x069 [27:3=0x3, 46:2=2] Memory Ls Atomic I32 [MSG_SLOT ATOM_OPC_1 SR_W SR_COUNT S0D OFFSET8 PAGE] "Atomic with the operand 1, returns the old value" "15";
    Atom1ReturnI64 "ATOM1_RETURN.i64" 0x069 [27:3=0x5, 46:2=2] Memory Ls Atomic I64 [MSG_SLOT ATOM_OPC_1 SR_W SR_COUNT S0D OFFSET8 PAGE] "Atomic with the operand 1, returns the old value" "15";
    AtomI32 "ATOM.i32" 0x068 [27:3=0x3, 46:2=1] Memory Ls Atomic I32 [MSG_SLOT ATOM_OPC SR_R SR_COUNT S0D OFFSET8 PAGE] "Atomic without result" "15";
    AtomI64 "ATOM.i64" 0x068 [27:3=0x5, 46:2=1] Memory Ls Atomic I64 [MSG_SLOT ATOM_OPC SR_R SR_COUNT S0D OFFSET8 PAGE] "Atomic without result" "15";
    AtomReturnI32 "ATOM_RETURN.i32" 0x120 [27:3=0x3, 46:2=3] Memory Ls Atomic I32 [MSG_SLOT COMPARE ATOM_OPC SRW SR_R SR_COUNT SR_WRITE_COUNT S0D OFFSET8 PAGE] "Atomic, returns the old value" "15";
    AtomReturnI64 "ATOM_RETURN.i64" 0x120 [27:3=0x5, 46:2=3] Memory Ls Atomic I64 [MSG_SLOT COMPARE ATOM_OPC SRW SR_R SR_COUNT SR_WRITE_COUNT S0D OFFSET8 PAGE] "Atomic, returns the old value" "15";
    TexFetch "TEX_FETCH" 0x125 [] Texture T Load I32 [MSG_SLOT SKIP REGISTER_TYPE REGISTER_WIDTH WRITE_MASK DIMENSION WIDE_INDICES ARRAY_ENABLE TEXEL_OFFSET SRW SR_R SR_COUNT SR_WRITE_COUNT S0D PAGE] "Texel fetch at integer coordinates" "14";
    TexSingle "TEX_SINGLE" 0x128 [] Texture T Sample I32 [MSG_SLOT SKIP REGISTER_TYPE REGISTER_WIDTH WRITE_MASK DIMENSION WIDE_INDICES ARRAY_ENABLE TEXEL_OFFSET SHADOW LOD_MODE SRW SR_R SR_COUNT SR_WRITE_COUNT S0D PAGE] "Texture sample" "14";
    TexGather "TEX_GATHER" 0x129 [] Texture T Load I32 [MSG_SLOT SKIP REGISTER_TYPE REGISTER_WIDTH WRITE_MASK DIMENSION WIDE_INDICES ARRAY_ENABLE TEXEL_OFFSET INTEGER_COORDINATES FETCH_COMPONENT SHADOW SRW SR_R SR_COUNT SR_WRITE_COUNT S0D PAGE] "Texture gather" "14";
    TexGradient "TEX_GRADIENT" 0x12A [] Texture T Lanes I32 [MSG_SLOT SKIP REGISTER_TYPE REGISTER_WIDTH WRITE_MASK DIMENSION WIDE_INDICES FORCE_DELTA LOD_BIAS_DISABLE LOD_CLAMP_DISABLE DERIVATIVE_ENABLE SRW SR_R SR_COUNT SR_WRITE_COUNT S0D PAGE] "Gradient descriptor or level of detail" "14.4";
    TexDual "TEX_DUAL" 0x12F [] Texture T Sample I32 [MSG_SLOT SKIP REGISTER_TYPE REGISTER_WIDTH SECONDARY_WIDTH WRITE_MASK DIMENSION WIDE_INDICES ARRAY_ENABLE TEXEL_OFFSET SHADOW LOD_MODE SRW SR_R SR_COUNT SR_WRITE_COUNT S0D PAGE] "Two samples at once (operand layout unknown)" "22";
    VarTexBufSingle "VAR_TEX_BUF_SINGLE" 0x130 [46:2=2] VaryingTexture Vt PositionSample I32 [MSG_SLOT SKIP SAMPLE_AND_UPDATE REGISTER_TYPE VARTEX_WIDTH DIMENSION ARRAY_ENABLE SHADOW LOD_MODE SR_VT SR_WRITE_COUNT S0D S2 PAGE] "Interpolates two floats of a vertex and samples a texture there" "14.5";
    VarTexBufGather "VAR_TEX_BUF_GATHER" 0x131 [46:2=2] VaryingTexture Vt PositionSample I32 [MSG_SLOT SKIP SAMPLE_AND_UPDATE REGISTER_TYPE VARTEX_WIDTH DIMENSION ARRAY_ENABLE INTEGER_COORDINATES FETCH_COMPONENT SHADOW SR_VT SR_WRITE_COUNT S0D S2 PAGE] "Interpolates two floats of a vertex and gathers from a texture there" "14.5";
    VarTexBufGradient "VAR_TEX_BUF_GRADIENT" 0x132 [46:2=2] VaryingTexture Vt PositionSample I32 [MSG_SLOT SKIP SAMPLE_AND_UPDATE REGISTER_TYPE VARTEX_WIDTH DIMENSION ARRAY_ENABLE SHADOW LOD_BIAS_DISABLE LOD_CLAMP_DISABLE SR_VT SR_WRITE_COUNT S0D S2 PAGE] "Varying load fused with a texture operation (unknown in detail)" "22";
    VarTexBufDual "VAR_TEX_BUF_DUAL" 0x137 [46:2=2] VaryingTexture Vt PositionSample I32 [MSG_SLOT SKIP SAMPLE_AND_UPDATE REGISTER_TYPE VARTEX_WIDTH DIMENSION ARRAY_ENABLE SHADOW LOD_MODE SR_VT SR_WRITE_COUNT S0D S2 PAGE] "Varying load fused with a texture operation (unknown in detail)" "22";
    VarTexSingle "VAR_TEX_SINGLE" 0x138 [46:2=2] VaryingTexture Vt PositionSample I32 [MSG_SLOT SKIP SAMPLE_AND_UPDATE REGISTER_TYPE VARTEX_WIDTH DIMENSION ARRAY_ENABLE SHADOW LOD_MODE SR_VT SR_WRITE_COUNT S0D S2 PAGE] "Interpolates two floats of a vertex and samples a texture there" "14.5";
    VarTexGather "VAR_TEX_GATHER" 0x139 [46:2=2] VaryingTexture Vt PositionSample I32 [MSG_SLOT SKIP SAMPLE_AND_UPDATE REGISTER_TYPE VARTEX_WIDTH DIMENSION ARRAY_ENABLE INTEGER_COORDINATES FETCH_COMPONENT SHADOW SR_VT SR_WRITE_COUNT S0D S2 PAGE] "Interpolates two floats of a vertex and gathers from a texture there" "14.5";
    VarTexGradient "VAR_TEX_GRADIENT" 0x13A [46:2=2] VaryingTexture Vt PositionSample I32 [MSG_SLOT SKIP SAMPLE_AND_UPDATE REGISTER_TYPE VARTEX_WIDTH DIMENSION ARRAY_ENABLE SHADOW LOD_BIAS_DISABLE LOD_CLAMP_DISABLE SR_VT SR_WRITE_COUNT S0D S2 PAGE] "Varying load fused with a texture operation (unknown in detail)" "22";
    VarTexDual "VAR_TEX_DUAL" 0x13F [46:2=2] VaryingTexture Vt PositionSample I32 [MSG_SLOT SKIP SAMPLE_AND_UPDATE REGISTER_TYPE VARTEX_WIDTH DIMENSION ARRAY_ENABLE SHADOW LOD_MODE SR_VT SR_WRITE_COUNT S0D S2 PAGE] "Varying load fused with a texture operation (unknown in detail)" "22";
    FmaRscaleF32 "FMA_RSCALE.f32" 0x160 [] Alu Fma Value I32 [CLAMP DST S0_AN S1_AN S2_AN S3 PAGE] "(s0 * s1 + s2) * 2^s3" "12.1";
    FmaRscaleNF32 "FMA_RSCALE_N.f32" 0x161 [] Alu Fma Value I32 [CLAMP DST S0_AN S1_AN S2_AN S3 PAGE] "(s0 * s1 + s2) * 2^s3 with 0 * anything = 0" "12.1";
    FmaRscaleLeftF32 "FMA_RSCALE_LEFT.f32" 0x162 [] Alu Fma Value I32 [CLAMP DST S0_AN S1_AN S2_AN S3 PAGE] "(s0 * s1 + s2) * 2^s3 with the product s0 when a factor is 0" "12.1";
    FmaRscaleScale16F32 "FMA_RSCALE_SCALE16.f32" 0x163 [] Alu Fma Value I32 [CLAMP DST S0_AN S1_AN S2_AN S3 PAGE] "(s0 * s1 + s2) * 2^(low half of s3)" "12.1";
}
