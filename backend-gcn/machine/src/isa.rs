//! The instruction set as the kit sees it: operand kinds, facts of rows, lengths, and the text hooks.

use gpucc_isa::{Cursor, Field, Inst, Isa, Table, TextCx, TextError, Word};

use crate::{Attrs, Op, operand, text};

/// AMD GCN 1.0 to 1.2.
#[derive(Clone, Copy, Debug)]
pub struct Gcn;

/// Index of gfx6 (GCN 1.0) among the generations.
pub const GFX6: u8 = 0;
/// Index of gfx7 (GCN 1.1) among the generations.
pub const GFX7: u8 = 1;
/// Index of gfx8 (GCN 1.2) among the generations.
pub const GFX8: u8 = 2;

/// Source modifiers, packed above the register code of a source slot, in this order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mods {
    /// None.
    None,
    /// One bit: negate.
    Neg,
    /// Two bits: negate, absolute value.
    NegAbs,
    /// One bit: sign-extend.
    Sext,
}

impl Mods {
    /// Number of bits above the register code.
    pub const fn bits(self) -> u8 {
        match self {
            Mods::None => 0,
            Mods::Neg | Mods::Sext => 1,
            Mods::NegAbs => 2,
        }
    }
}

/// Declares the flags with their words.
macro_rules! flags {
    ($($flag:ident $word:literal)*) => {
        /// One-bit modifiers, by their word in the text.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[expect(missing_docs, reason = "the names are those of the reference")]
        pub enum Flag { $($flag,)* }

        impl Flag {
            /// The word of the text.
            pub const fn word(self) -> &'static str {
                match self { $(Flag::$flag => $word,)* }
            }
        }
    };
}

flags! {
    Glc "glc"  Slc "slc"  Tfe "tfe"  Lwe "lwe"  Da "da"  R128 "r128"  D16 "d16"  Unorm "unorm"
    Lds "lds"  Gds "gds"  Offen "offen"  Idxen "idxen"  Addr64 "addr64"  Clamp "clamp"  High "high"
    Done "done"  Compr "compr"  Vm "vm"  BoundCtrl "bound_ctrl:1"
}

/// How the value of a slot reads. Widths are in dwords.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Scalar register tuple by its 7-bit code (also where the field is wider: the rest must be 0).
    SReg(u8),
    /// Scalar register tuple as a source; the flag registers decode too (`s_movrels_b32 s0, src_scc`).
    SRegSrc(u8),
    /// Scalar register tuple that a scalar load may write or a store read: neither EXEC nor M0.
    SData(u8),
    /// Scalar source: register, inline constant, flag; 255 means the literal of a row that has one.
    SSrc(u8),
    /// Vector ALU source, 9-bit code: scalar source or VGPR tuple (code 256 + n).
    Src(u8, Mods),
    /// Vector ALU source that must be a VGPR, 9-bit code.
    VSrc(u8, Mods),
    /// VGPR tuple by 8-bit number.
    Vgpr(u8),
    /// VGPR by 8-bit number with modifiers (SDWA and DPP).
    VMod(Mods),
    /// Scalar base: register number / 2; tuple of 2 or 4.
    SBase(u8),
    /// Descriptor: register number / 4; tuple of 4 or 8.
    SRsrc(u8),
    /// A 32-bit literal in its place.
    Literal,
    /// The literal that code 255 of other slots refers to; not printed by itself.
    LiteralWord,
    /// VCC, printed but not encoded.
    Vcc,
    /// 16 bits in hexadecimal.
    Hex16,
    /// 16 bits, decimal up to 64.
    Imm16,
    /// 16 bits, decimal, left out when 0.
    EndImm,
    /// Branch offset in dwords.
    Branch,
    /// Counters of s_waitcnt, 16 bits with those that the hardware ignores.
    Waitcnt,
    /// Message of s_sendmsg.
    SendMsg,
    /// Part of a hardware register.
    Hwreg,
    /// Operands that vector register indexing touches.
    GprIdx,
    /// Offset of a scalar load in hexadecimal.
    SOffset,
    /// Small number (address translation probe).
    Small,
    /// `offset:N`.
    Offset,
    /// `offset0:N`.
    Offset0,
    /// `offset1:N`.
    Offset1,
    /// Offset of ds_swizzle_b32.
    Swizzle,
    /// A one-bit modifier.
    Flag(Flag),
    /// A modifier word that is always there.
    Word(Flag),
    /// Output modifier.
    Omod,
    /// Component mask of images.
    DMask,
    /// Data and number format of typed buffer accesses.
    BufFormat,
    /// DPP lane permutation.
    DppCtrl,
    /// DPP row mask.
    RowMask,
    /// DPP bank mask.
    BankMask,
    /// SDWA destination part.
    DstSel,
    /// SDWA source part, by source number.
    SrcSel(u8),
    /// SDWA treatment of the other destination bits.
    DstUnused,
    /// Attribute and channel.
    Attr,
    /// Interpolation parameter p10, p20, p0.
    InterpParam,
    /// Export target.
    ExpTarget,
    /// Export component mask; not printed by itself.
    ExpEn,
    /// Export source of a component.
    ExpSrc(u8),
    /// Buffer address registers: none, one or two by the addressing bits.
    BufAddr,
    /// Image data registers: by the component mask.
    ImgData,
    /// Image data registers of a gather: four.
    ImgGather,
}

impl Kind {
    /// Printed among the operands (else among the modifiers).
    pub const fn is_operand(self) -> bool {
        !matches!(
            self,
            Kind::Offset
                | Kind::Offset0
                | Kind::Offset1
                | Kind::Swizzle
                | Kind::Flag(_)
                | Kind::Word(_)
                | Kind::Omod
                | Kind::DMask
                | Kind::BufFormat
                | Kind::DppCtrl
                | Kind::RowMask
                | Kind::BankMask
                | Kind::DstSel
                | Kind::SrcSel(_)
                | Kind::DstUnused
        )
    }
    /// Not printed at all: another slot shows it.
    pub const fn is_hidden(self) -> bool {
        matches!(self, Kind::LiteralWord | Kind::ExpEn)
    }
}

/// Encodings of instructions, by the reference's names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are those of the reference")]
#[rustfmt::skip]
pub enum Format {
    Sop1, Sop2, Sopk, Sopc, Sopp, Smrd, Smem, Vop1, Vop2, Vopc, Vop3a, Vop3b, Sdwa, Dpp, Vintrp, Ds, Mubuf, Mtbuf,
    Mimg, Flat, Exp,
}

/// Mnemonic suffix of a form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Suffix {
    /// None.
    None,
    /// `_e32`: the 32-bit form.
    E32,
    /// `_e64`: the VOP3 form.
    E64,
    /// `_sdwa`.
    Sdwa,
    /// `_dpp`.
    Dpp,
    /// Prints none, is also read with `_sdwa` (compares).
    SilentSdwa,
    /// Prints none, is also read with `_dpp` (v_nop).
    SilentDpp,
}

impl Suffix {
    /// Text of the suffix, as printed.
    pub const fn text(self) -> &'static str {
        match self {
            Suffix::None | Suffix::SilentSdwa | Suffix::SilentDpp => "",
            Suffix::E32 => "_e32",
            Suffix::E64 => "_e64",
            Suffix::Sdwa => "_sdwa",
            Suffix::Dpp => "_dpp",
        }
    }
}

impl Isa for Gcn {
    type Op = Op;
    type Kind = Kind;
    type Attrs = Attrs;

    const NAME: &'static str = "gcn";
    const GENERATIONS: &'static [&'static str] = &["gfx6", "gfx7", "gfx8"];
    const KEY: Field = Field::split(&[(9, 2), (17, 5), (25, 5)]);

    fn table() -> &'static Table<Gcn> {
        crate::rows::table()
    }

    fn length(low: Word, generation: u8) -> usize {
        let w = low as u32;
        let src0 = w & 0xff;
        let src1 = w >> 8 & 0xff;
        let gfx8 = generation == GFX8;
        let long = match w >> 23 {
            0x17f => false,
            0x17e => src0 == 255 || src1 == 255,
            0x17d => src0 == 255,
            _ if w >> 28 == 0xb => w >> 23 & 31 == if gfx8 { 0x14 } else { 0x15 },
            _ if w >> 30 == 2 => src0 == 255 || src1 == 255,
            _ if w >> 31 == 0 => {
                let src0 = w & 0x1ff;
                let op = w >> 25;
                let constant = if gfx8 { matches!(op, 0x17 | 0x18 | 0x24 | 0x25) } else { matches!(op, 0x20 | 0x21) };
                constant || src0 == 255 || gfx8 && (src0 == 249 || src0 == 250)
            }
            _ if !gfx8 && w >> 27 == 0x18 => generation == GFX7 && w & 0x1ff == 0xff,
            _ => match w >> 26 {
                0x32 => gfx8,
                0x35 => !gfx8,
                _ => true,
            },
        };
        if long { 8 } else { 4 }
    }

    fn print_operand(inst: &Inst<Gcn>, index: usize, cx: &TextCx, out: &mut String) {
        text::print_operand(inst, index, cx, out);
    }

    fn parse_operand(inst: &mut Inst<Gcn>, index: usize, cur: &mut Cursor<'_>, cx: &TextCx) -> Result<(), TextError> {
        text::parse_operand(inst, index, cur, cx)
    }

    fn print(inst: &Inst<Gcn>, cx: &TextCx, out: &mut String) {
        text::print(inst, cx, out);
    }

    fn parse(line: &str, cx: &TextCx) -> Result<Inst<Gcn>, TextError> {
        text::parse(line, cx)
    }

    fn validate(inst: &Inst<Gcn>, cx: &TextCx) -> Result<(), String> {
        operand::legal(inst, cx.generation)?;
        crate::validate::validate(inst, cx.generation)
    }
}
