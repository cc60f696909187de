//! From one declaration per instruction to the rows of its forms.
//!
//! A declaration gives the opcode on each generation (`-` where it is absent) and a signature: operands in text order,
//! each a letter and a width in dwords, then flag letters.
//!
//! | letter | operand | letter | operand |
//! |---|---|---|---|
//! | `s` | scalar: first destination, then sources | `v` / `u` | VGPR destination / also read |
//! | `m` | scalar destination that is also read; compare mask | `x` | vector source without modifiers |
//! | `r` / `q` | scalar register source / no literal | `f` / `n` / `e` | with neg and abs / neg only / sext |
//! | `l` | SGPR written by a vector instruction | `g` | vector source that must be a VGPR |
//! | `c` | carry-out mask | `k` | carry-in or select mask |
//! | `w` | vector source, no literal | | |
//! | `y` / `z` | scalar second / first source of lane access | `K` | literal constant |
//!
//! Flags: `C`/`O` clamp and output modifier on all generations, `c`/`o` on gfx8 only; `S`/`D` has SDWA/DPP; `!` no VOP3;
//! `H`/`I` sources are halves, floats or integers; `E` eight issue cycles instead of four.

use gpucc_isa::{Enc, Field, Implicit, OperandSpec, Role, Row, Word};

pub(crate) use super::effects::effects;
pub(crate) use super::implicit::{self as imp, *};
use crate::Attrs;
use crate::isa::{Flag, Kind, Mods};
pub(crate) use crate::isa::{Format, Gcn, Suffix};
pub(crate) use crate::{
    Access, Atomic, AtomicOp, Compare, Condition, Counter, Elements, ImageKind, ImageOp, Number, Op, Operation, Test,
    Unit,
};

/// An opcode that does not exist.
pub(crate) const NO: u16 = 0xffff;

/// Codes of the three generations, `-` for none.
macro_rules! codes {
    (@ -) => { $crate::rows::build::NO };
    (@ $x:literal) => { $x };
    ($a:tt $b:tt $c:tt) => { [codes!(@ $a), codes!(@ $b), codes!(@ $c)] };
}

/// The rows of a class: `$make` gives the form of a declaration for each of `$variants`, `$words` reads what stands between its signature and
/// its meaning.
macro_rules! forms {
    (@ $make:ident [$($variant:expr),*] $decl:expr, $words:expr) => {
        [$($make($decl, $variant, $words)),*]
    };
    ($list:ident $source:literal $make:ident $variants:tt $words:ident:
     $($op:ident $name:literal [$($c:tt)*] $sig:literal $($word:ident)* $doc:literal;)*) => {
        #[doc = concat!("Rows of section ", $source, ".")]
        pub(crate) static $list: &[Form] = [$(forms!(@ $make $variants
            Decl { op: Op::$op, name: $name, codes: codes!($($c)*), sig: sig($sig), doc: $doc, source: $source },
            $words!($($word)*)
        ),)*].as_flattened();
    };
}

/// State that an instruction reads or writes without an operand.
#[rustfmt::skip]
macro_rules! state {
    () => { NONE };
    ($state:ident) => { $state };
}

#[macro_use]
mod memory;
#[macro_use]
mod vector;

pub(crate) use memory::*;
pub(crate) use vector::*;

const fn f(lo: u8, width: u8) -> Field {
    Field::new(lo, width)
}

/// Slots of a row while it is built.
#[derive(Clone, Copy)]
pub(crate) struct Slots {
    s: [OperandSpec<Gcn>; 15],
    n: usize,
}

impl Slots {
    pub(crate) const fn new() -> Slots {
        Slots { s: [OperandSpec::new("", Field::none(), Kind::Vcc, Role::Mod); 15], n: 0 }
    }
    pub(crate) const fn put(mut self, name: &'static str, field: Field, kind: Kind, role: Role) -> Slots {
        self.s[self.n] = OperandSpec::new(name, field, kind, role);
        self.n += 1;
        self
    }
    const fn flag(self, name: &'static str, bit: u8, flag: Flag) -> Slots {
        self.put(name, f(bit, 1), Kind::Flag(flag), Role::Mod)
    }
    pub(crate) const fn get(&self) -> &[OperandSpec<Gcn>] {
        self.s.split_at(self.n).0
    }
}

/// A form of an instruction: a row that holds its own encodings and operands.
///
/// Lists of forms are statics, and a declaration is one call: a constant for each row and its parts cost 15 s of build time and 24 MB of metadata.
#[derive(Clone, Copy)]
pub(crate) struct Form {
    pub(crate) op: Op,
    pub(crate) name: &'static str,
    pub(crate) enc: [Enc; 3],
    pub(crate) slots: Slots,
    pub(crate) facts: Attrs,
    pub(crate) bytes: u8,
    pub(crate) implicit: &'static [Implicit],
    pub(crate) doc: &'static str,
    pub(crate) source: &'static str,
}

impl Form {
    /// Whether a generation has it. The macros also write forms that an instruction lacks.
    pub(crate) const fn exists(&self) -> bool {
        self.enc[0].generations | self.enc[1].generations | self.enc[2].generations != 0
    }

    /// The operands of its row.
    pub(crate) const fn operands(&self) -> &[OperandSpec<Gcn>] {
        self.slots.get()
    }

    /// The row, whose encodings and operands stand in statics.
    pub(crate) const fn row(&self, enc: &'static [Enc], operands: &'static [OperandSpec<Gcn>]) -> Row<Gcn> {
        let does = effects(self.op, operands, &self.facts, self.implicit);
        Row::new(self.op, self.name, self.bytes, enc, does, self.facts)
            .operands(operands)
            .implicit(self.implicit)
            .doc(self.doc, self.source)
    }
}

/// A declaration, as far as all classes have the same.
#[derive(Clone, Copy)]
pub(crate) struct Decl {
    pub op: Op,
    pub name: &'static str,
    pub codes: [u16; 3],
    pub sig: Sig,
    pub doc: &'static str,
    pub source: &'static str,
}

pub(crate) type State = &'static [Implicit];

impl Decl {
    const fn form(&self, enc: [Enc; 3], slots: Slots, facts: Attrs, bytes: u8, implicit: State) -> Form {
        Form { op: self.op, name: self.name, enc, slots, facts, bytes, implicit, doc: self.doc, source: self.source }
    }

    /// A form of the scalar ALU. The one with a literal exists where the last source takes any scalar operand.
    const fn scalar(self, format: Format, long: bool, slots: Slots, state: State) -> Form {
        let g = self.sig;
        let literal = g.t[1].a == b's' || g.t[0].a == b's' && g.t[1].a == b'i';
        let enc = if long && !literal { nothing() } else { sop_enc(self.codes, format, long) };
        self.form(enc, slots, salu(format, g), if long { 8 } else { 4 }, state)
    }
}

/// A row that is none, to fill tables with.
pub(crate) const NO_ROW: Row<Gcn> =
    Row::new(Op::SNop, "", 4, &[], gpucc_isa::Effects::kept(), facts(Format::Sopp, Suffix::None, Unit::Branch, 0));

pub(crate) const fn facts(format: Format, suffix: Suffix, unit: Unit, cycles: u8) -> Attrs {
    Attrs {
        format,
        suffix,
        unit,
        cycles,
        access: Access::None,
        counter: Counter::None,
        operation: Operation::Own,
        number: Number::U32,
        lanes: false,
    }
}

/// The effect of a memory instruction, and the counter that says that it is done.
pub(crate) const fn accesses(facts: Attrs, access: Access, counter: Counter) -> Attrs {
    Attrs { access, counter, ..facts }
}

const fn vmem(format: Format, access: Access, operation: Operation) -> Attrs {
    let unit = if matches!(format, Format::Flat) { Unit::Flat } else { Unit::Vmem };
    Attrs { operation, ..accesses(facts(format, Suffix::None, unit, 16), access, Counter::Vm) }
}

/// Generations as a mask of indices.
const ALL: u16 = 7;
const OLD: u16 = 3;
const NEW: u16 = 4;

/// Fixed bits: prefix of the first word, opcode at `lo` (`width` bits), and more.
pub(crate) const fn enc(
    code: [u16; 3],
    generations: u16,
    prefix: (u32, u32),
    op: (u8, u8),
    extra: (Word, Word),
) -> [Enc; 3] {
    let none = Enc { generations: 0, mask: 0, value: 0 };
    let mut out = [none; 3];
    let mut g = 0;
    while g < 3 {
        if code[g] != NO && generations >> g & 1 == 1 {
            assert!((code[g] as u32) < 1 << op.1, "opcode does not fit its field");
            let mask = prefix.0 | ((1 << op.1) - 1) << op.0;
            let value = prefix.1 | (code[g] as u32) << op.0;
            assert!(prefix.0 & (((1 << op.1) - 1) << op.0) == 0);
            out[g] = Enc { generations: 1 << g, mask: mask as Word | extra.0, value: value as Word | extra.1 };
        }
        g += 1;
    }
    out
}

/// The top `bits` bits of the first word are `value`.
pub(crate) const fn top(bits: u8, value: u32) -> (u32, u32) {
    let shift = 32 - bits as u32;
    ((((1u64 << bits) - 1) as u32) << shift, value << shift)
}

/// One bit of a word with its value.
pub(crate) const fn bit(at: u8, value: u8) -> (Word, Word) {
    (1 << at, (value as Word) << at)
}

pub(crate) const NOTHING: (Word, Word) = (0, 0);

/// A parsed signature.
#[derive(Clone, Copy)]
pub(crate) struct Sig {
    t: [Tok; 8],
    n: usize,
    flags: u128,
}

/// An operand of a signature: its letter, the second letter where it is a word, its width.
#[derive(Clone, Copy)]
struct Tok {
    a: u8,
    b: u8,
    w: u8,
}

impl Sig {
    pub(crate) const fn has(&self, flag: u8) -> bool {
        self.flags >> flag & 1 == 1
    }
    pub(crate) const fn find(&self, letter: u8) -> bool {
        self.width(letter) > 0
    }
    /// Width of the first operand with this letter, 0 if there is none.
    const fn width(&self, letter: u8) -> u8 {
        let mut i = 0;
        while i < self.n {
            if self.t[i].a == letter {
                return self.t[i].w;
            }
            i += 1;
        }
        0
    }
}

/// Reads a signature.
pub(crate) const fn sig(text: &str) -> Sig {
    let b = text.as_bytes();
    let mut out = Sig { t: [Tok { a: 0, b: 0, w: 0 }; 8], n: 0, flags: 0 };
    let mut i = 0;
    while i < b.len() {
        let start = i;
        while i < b.len() && b[i] != b' ' {
            i += 1;
        }
        let len = i - start;
        if len == 1 && b[start] != b'-' {
            out.flags |= 1 << b[start];
        } else if len > 0 {
            let second = if len > 1 { b[start + 1] } else { 0 };
            let digit = second.is_ascii_digit();
            out.t[out.n] = Tok {
                a: b[start],
                b: if digit { 0 } else { second },
                w: if !digit {
                    0
                } else if len == 3 {
                    (second - b'0') * 10 + (b[start + 2] - b'0')
                } else {
                    second - b'0'
                },
            };
            out.n += 1;
        }
        i += 1;
    }
    out
}

// ---- scalar

const fn scalar_dst(s: Slots, t: Tok) -> Slots {
    match t.a {
        b's' => s.put("sdst", f(16, 7), Kind::SReg(t.w), Role::Def),
        b'm' => s.put("sdst", f(16, 7), Kind::SReg(t.w), Role::UseDef),
        _ => s,
    }
}

pub(crate) const fn sop2_slots(g: Sig, long: bool) -> Slots {
    let s = scalar_dst(Slots::new(), g.t[0]).put("src0", f(0, 8), Kind::SSrc(g.t[1].w), Role::Use).put(
        "src1",
        f(8, 8),
        Kind::SSrc(g.t[2].w),
        Role::Use,
    );
    if long { s.put("lit", f(32, 32), Kind::LiteralWord, Role::Imm) } else { s }
}

pub(crate) const fn sopc_slots(g: Sig, long: bool) -> Slots {
    let s = Slots::new().put("src0", f(0, 8), Kind::SSrc(g.t[0].w), Role::Use);
    let s = if g.t[1].a == b'i' {
        s.put("imm", f(8, 4), Kind::GprIdx, Role::Imm)
    } else {
        s.put("src1", f(8, 8), Kind::SSrc(g.t[1].w), Role::Use)
    };
    if long { s.put("lit", f(32, 32), Kind::LiteralWord, Role::Imm) } else { s }
}

pub(crate) const fn sop1_slots(g: Sig, long: bool) -> Slots {
    let s = scalar_dst(Slots::new(), g.t[0]);
    let t = g.t[1];
    match t.a {
        b's' if long => s.put("src0", f(32, 32), Kind::Literal, Role::Imm),
        b's' => s.put("src0", f(0, 8), Kind::SSrc(t.w), Role::Use),
        b'r' => s.put("src0", f(0, 8), Kind::SRegSrc(t.w), Role::Use),
        _ => s,
    }
}

pub(crate) const fn sopk_slots(g: Sig) -> Slots {
    let mut s = Slots::new();
    let mut i = 0;
    while i < g.n {
        let t = g.t[i];
        s = match (t.a, t.b) {
            (b'd', 0) => s.put("sdst", f(16, 7), Kind::SReg(t.w), Role::Def),
            (b'm', 0) => s.put("sdst", f(16, 7), Kind::SReg(t.w), Role::UseDef),
            (b'u', 0) => s.put("sdst", f(16, 7), Kind::SReg(t.w), Role::Use),
            (b'h', b'e') => s.put("imm", f(0, 16), Kind::Hex16, Role::Imm),
            (b'r', b'e') => s.put("target", f(0, 16), Kind::Branch, Role::Label),
            (b'h', b'w') => s.put("hwreg", f(0, 16), Kind::Hwreg, Role::Imm),
            (b'l', b'i') => s.put("src0", f(32, 32), Kind::Literal, Role::Imm),
            _ => panic!("unknown SOPK operand"),
        };
        i += 1;
    }
    s
}

pub(crate) const fn sopp_slots(g: Sig) -> Slots {
    let s = Slots::new();
    match (g.t[0].a, g.t[0].b) {
        (b'n', b'o') => s,
        (b'i', b'm') => s.put("imm", f(0, 16), Kind::Imm16, Role::Imm),
        (b'e', b'n') => s.put("imm", f(0, 16), Kind::EndImm, Role::Imm),
        (b'r', b'e') => s.put("target", f(0, 16), Kind::Branch, Role::Label),
        (b'm', b's') => s.put("imm", f(0, 16), Kind::SendMsg, Role::Imm),
        (b'w', b'a') => s.put("imm", Field::new(0, 16), Kind::Waitcnt, Role::Imm),
        (b'i', b'd') => s.put("imm", f(0, 4), Kind::GprIdx, Role::Imm),
        _ => panic!("unknown SOPP operand"),
    }
}

pub(crate) const fn sop_enc(codes: [u16; 3], format: Format, long: bool) -> [Enc; 3] {
    match format {
        Format::Sop2 => enc(codes, ALL, top(2, 2), (23, 7), NOTHING),
        Format::Sopc => enc(codes, ALL, top(9, 0x17e), (16, 7), NOTHING),
        Format::Sop1 => enc(codes, ALL, top(9, 0x17d), (8, 8), if long { (0xff, 0xff) } else { NOTHING }),
        Format::Sopk => enc(codes, ALL, top(4, 0xb), (23, 5), NOTHING),
        _ => enc(codes, ALL, top(9, 0x17f), (16, 7), NOTHING),
    }
}

const fn nothing() -> [Enc; 3] {
    [Enc { generations: 0, mask: 0, value: 0 }; 3]
}

pub(crate) const fn sop2_form(d: Decl, long: bool, state: State) -> Form {
    d.scalar(Format::Sop2, long, sop2_slots(d.sig, long), state)
}

pub(crate) const fn sop1_form(d: Decl, long: bool, state: State) -> Form {
    d.scalar(Format::Sop1, long, sop1_slots(d.sig, long), state)
}

pub(crate) const fn sopc_form(d: Decl, long: bool, state: State) -> Form {
    d.scalar(Format::Sopc, long, sopc_slots(d.sig, long), state)
}

pub(crate) const fn sopk_form(d: Decl, _: (), state: State) -> Form {
    let (g, enc) = (d.sig, sop_enc(d.codes, Format::Sopk, false));
    let bytes = if g.t[g.n - 1].a == b'l' { 8 } else { 4 };
    d.form(enc, sopk_slots(g), salu(Format::Sopk, g), bytes, state)
}

pub(crate) const fn sopp_form(d: Decl, _: (), state: State) -> Form {
    d.form(sop_enc(d.codes, Format::Sopp, false), sopp_slots(d.sig), sopp_facts(d.op), 4, state)
}

macro_rules! sop2 { ($($t:tt)*) => { forms!(SOP2 "4.1" sop2_form [false, true] state: $($t)*); }; }
macro_rules! sopk { ($($t:tt)*) => { forms!(SOPK "4.2" sopk_form [()] state: $($t)*); }; }
macro_rules! sop1 { ($($t:tt)*) => { forms!(SOP1 "4.3" sop1_form [false, true] state: $($t)*); }; }
macro_rules! sopc { ($($t:tt)*) => { forms!(SOPC "4.4" sopc_form [false, true] state: $($t)*); }; }
macro_rules! sopp { ($($t:tt)*) => { forms!(SOPP "4.5" sopp_form [()] state: $($t)*); }; }

/// Facts of what the branch unit does: a barrier is one for memory too.
pub(crate) const fn sopp_facts(op: Op) -> Attrs {
    let access = if matches!(op, Op::SBarrier) { Access::Order } else { Access::None };
    accesses(facts(Format::Sopp, Suffix::None, Unit::Branch, 4), access, Counter::None)
}

/// Scalar ALU facts (issue cycles: section 19).
pub(crate) const fn salu(format: Format, g: Sig) -> Attrs {
    let own = facts(format, Suffix::None, Unit::Salu, if g.has(b'E') { 8 } else { 4 });
    Attrs { number: number(g), ..own }
}

/// The contents of sources: halves where flags say so, doubles where floats have two dwords.
const fn number(g: Sig) -> Number {
    let double = g.width(b'f') == 2 || g.width(b'n') == 2;
    match (g.has(b'H'), g.has(b'I')) {
        (true, _) => Number::F16,
        (_, true) => Number::I16,
        _ if double => Number::F64,
        _ => Number::U32,
    }
}

// ---- scalar memory

/// How a scalar memory row gives its offset.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Off {
    Imm,
    Sgpr,
    Literal,
}

pub(crate) const fn smrd_slots(g: Sig, off: Off) -> Slots {
    let s = Slots::new();
    match (g.t[0].a, g.t[0].b) {
        (b'l', _) => {
            let s = s.put("sdst", f(15, 7), Kind::SData(g.t[1].w), Role::Def).put(
                "sbase",
                f(9, 6),
                Kind::SBase(g.t[2].w),
                Role::Use,
            );
            match off {
                Off::Imm => s.put("offset", f(0, 8), Kind::SOffset, Role::Imm),
                Off::Sgpr => s.put("offset", f(0, 8), Kind::SReg(1), Role::Use),
                Off::Literal => s.put("offset", f(32, 32), Kind::SOffset, Role::Imm),
            }
        }
        (b't', _) => s.put("sdst", f(15, 7), Kind::SData(2), Role::Def),
        _ => s,
    }
}

pub(crate) const fn smrd_enc(g: Sig, codes: [u16; 3], off: Off) -> [Enc; 3] {
    let prefix = top(5, 0x18);
    match (g.t[0].a, off) {
        (b'l', Off::Imm) => enc(codes, OLD, prefix, (22, 5), (0x100, 0x100)),
        (_, Off::Sgpr) => enc(codes, OLD, prefix, (22, 5), (0x100, 0)),
        (b'l', Off::Literal) => enc(codes, 2, prefix, (22, 5), (0x1ff, 0xff)),
        _ => nothing(),
    }
}

pub(crate) const fn smem_slots(g: Sig, off: Off) -> Slots {
    let s = Slots::new();
    let s = match (g.t[0].a, g.t[0].b) {
        (b'l', _) => s.put("sdst", f(6, 7), Kind::SData(g.t[1].w), Role::Def),
        (b's', _) => s.put("sdata", f(6, 7), Kind::SData(g.t[1].w), Role::Use),
        (b'p', _) => s.put("imm", f(6, 7), Kind::Small, Role::Imm),
        (b't', _) => return s.put("sdst", f(6, 7), Kind::SData(2), Role::Def),
        _ => return s,
    };
    let s = s.put("sbase", f(0, 6), Kind::SBase(g.t[g.n - 1].w), Role::Use);
    let s = match off {
        Off::Imm => s.put("offset", f(32, 20), Kind::SOffset, Role::Imm),
        _ => s.put("offset", f(32, 7), Kind::SReg(1), Role::Use),
    };
    if g.t[0].a == b'p' { s } else { s.flag("glc", 16, Flag::Glc) }
}

pub(crate) const fn smem_enc(g: Sig, codes: [u16; 3], off: Off) -> [Enc; 3] {
    let prefix = top(6, 0x30);
    let access = matches!(g.t[0].a, b'l' | b's' | b'p');
    match off {
        Off::Imm if access => enc(codes, NEW, prefix, (18, 8), bit(17, 1)),
        Off::Sgpr => enc(codes, NEW, prefix, (18, 8), bit(17, 0)),
        _ => nothing(),
    }
}

/// Scalar memory facts: issue cycles by width (section 19).
pub(crate) const fn smem_facts(format: Format, g: Sig) -> Attrs {
    let w = if g.n > 1 { g.t[1].w } else { 1 };
    let own = facts(format, Suffix::None, Unit::Smem, if w <= 4 { 4 } else { w });
    match g.t[0].a {
        b'l' => accesses(own, Access::Load, Counter::Scalar),
        b's' => accesses(own, Access::Store, Counter::Scalar),
        b't' => accesses(own, Access::None, Counter::Scalar),
        b'p' => own,
        _ => accesses(own, Access::Order, Counter::None),
    }
}

pub(crate) const fn smrd_form(d: Decl, off: Off, state: State) -> Form {
    let bytes = if matches!(off, Off::Literal) { 8 } else { 4 };
    d.form(smrd_enc(d.sig, d.codes, off), smrd_slots(d.sig, off), smem_facts(Format::Smrd, d.sig), bytes, state)
}

pub(crate) const fn smem_form(d: Decl, off: Off, state: State) -> Form {
    d.form(smem_enc(d.sig, d.codes, off), smem_slots(d.sig, off), smem_facts(Format::Smem, d.sig), 8, state)
}

macro_rules! smrd { ($($t:tt)*) => { forms!(SMRD "5" smrd_form [Off::Imm, Off::Sgpr, Off::Literal] state: $($t)*); }; }
macro_rules! smem { ($($t:tt)*) => { forms!(SMEM "5" smem_form [Off::Imm, Off::Sgpr] state: $($t)*); }; }

// ---- interpolation, LDS

const ATTR: Field = Field::split(&[(10, 6), (8, 2)]);

const fn vintrp_slots(register: bool, accumulates: bool) -> Slots {
    let role = if accumulates { Role::UseDef } else { Role::Def };
    let s = Slots::new().put("vdst", f(18, 8), Kind::Vgpr(1), role);
    let s = if register {
        s.put("vsrc", f(0, 8), Kind::Vgpr(1), Role::Use)
    } else {
        s.put("param", f(0, 8), Kind::InterpParam, Role::Imm)
    };
    s.put("attr", ATTR, Kind::Attr, Role::Imm)
}

pub(crate) const fn vintrp_enc(codes: [u16; 3], gfx8: bool) -> [Enc; 3] {
    if gfx8 { enc(codes, NEW, top(6, 0x35), (16, 2), NOTHING) } else { enc(codes, OLD, top(6, 0x32), (16, 2), NOTHING) }
}

pub(crate) const fn vintrp_form(d: Decl, gfx8: bool, state: State) -> Form {
    let suffix = if gfx8 { Suffix::E32 } else { Suffix::None };
    let slots = vintrp_slots(d.sig.has(b'v'), matches!(d.op, Op::VInterpP2F32));
    d.form(vintrp_enc(d.codes, gfx8), slots, facts(Format::Vintrp, suffix, Unit::Interp, 4), 4, state)
}

macro_rules! vintrp { ($($t:tt)*) => { forms!(VINTRP "9" vintrp_form [false, true] state: $($t)*); }; }

pub(crate) const fn ds_slots(g: Sig, gfx8: bool) -> Slots {
    let mut s = Slots::new();
    let mut i = 0;
    if g.n > 0 && g.t[0].a == b'd' {
        s = s.put("vdst", f(56, 8), Kind::Vgpr(g.t[0].w), Role::Def);
        i = 1;
    }
    if g.has(b'a') {
        s = s.put("addr", f(32, 8), Kind::Vgpr(1), Role::Use);
    }
    while i < g.n {
        let t = g.t[i];
        s = match t.a {
            b'x' => s.put("data0", f(40, 8), Kind::Vgpr(t.w), Role::Use),
            b'y' => s.put("data1", f(48, 8), Kind::Vgpr(t.w), Role::Use),
            _ => panic!("unknown DS operand"),
        };
        i += 1;
    }
    if g.has(b'O') {
        s = s.put("offset", f(0, 16), Kind::Offset, Role::Imm);
    }
    if g.has(b'T') {
        s = s.put("offset0", f(0, 8), Kind::Offset0, Role::Imm).put("offset1", f(8, 8), Kind::Offset1, Role::Imm);
    }
    if g.has(b'W') {
        s = s.put("offset", f(0, 16), Kind::Swizzle, Role::Imm);
    }
    if g.has(b'G') {
        s = s.flag("gds", if gfx8 { 16 } else { 17 }, Flag::Gds);
    }
    if g.has(b'g') {
        s = s.put("gds", Field::none(), Kind::Word(Flag::Gds), Role::Mod);
    }
    s
}

pub(crate) const fn ds_enc(codes: [u16; 3], gfx8: bool, g: Sig) -> [Enc; 3] {
    let gds = g.has(b'g');
    if gfx8 {
        enc(codes, NEW, top(6, 0x36), (17, 8), if gds { bit(16, 1) } else { NOTHING })
    } else {
        enc(codes, OLD, top(6, 0x36), (18, 8), if gds { bit(17, 1) } else { NOTHING })
    }
}

/// LDS issue cycles by the dwords moved (section 19).
pub(crate) const fn ds_cycles(g: Sig) -> u8 {
    let mut w = 1;
    let mut i = 0;
    while i < g.n {
        if g.t[i].w > w {
            w = g.t[i].w;
        }
        i += 1;
    }
    let reads = g.n > 0 && g.t[0].a == b'd';
    match (reads, w) {
        (true, 1) if g.n == 1 => 4,
        (_, 1) => 8,
        (_, 2) => 12,
        _ => 16,
    }
}

/// Facts of LDS instructions. The signature gives the width of an atomic.
pub(crate) const fn ds_facts(g: Sig, (access, operation): (Access, Operation)) -> Attrs {
    let own = facts(Format::Ds, Suffix::None, Unit::Lds, ds_cycles(g));
    let data = g.width(b'x');
    let operation = match operation {
        Operation::Elements(e) => {
            assert!(e.registers() == if matches!(access, Access::Load) { g.width(b'd') } else { data });
            operation
        }
        Operation::Pair(e, _) => {
            assert!(2 * e.registers() == if matches!(access, Access::Store) { 2 * data } else { g.width(b'd') });
            operation
        }
        Operation::Atomic(a) => Operation::Atomic(Atomic { wide: data == 2, ..a }),
        _ => operation,
    };
    Attrs { lanes: matches!(access, Access::None), operation, ..accesses(own, access, Counter::Lds) }
}

/// The effect of an LDS instruction: access and operation by its words in the table.
#[rustfmt::skip]
macro_rules! ds_operation {
    (read $t:ident) => { (Access::Load, Operation::Elements(Elements::$t)) };
    (write $t:ident) => { (Access::Store, Operation::Elements(Elements::$t)) };
    (read2 $t:ident) => { (Access::Load, Operation::Pair(Elements::$t, 1)) };
    (write2 $t:ident) => { (Access::Store, Operation::Pair(Elements::$t, 1)) };
    (exchange2 $t:ident) => { (Access::Atomic, Operation::Pair(Elements::$t, 1)) };
    (read2st64 $t:ident) => { (Access::Load, Operation::Pair(Elements::$t, 64)) };
    (write2st64 $t:ident) => { (Access::Store, Operation::Pair(Elements::$t, 64)) };
    (exchange2st64 $t:ident) => { (Access::Atomic, Operation::Pair(Elements::$t, 64)) };
    (atomic $op:ident) => { (Access::Atomic, Operation::Atomic(Atomic { op: AtomicOp::$op, wide: false })) };
    (counter) => { (Access::Atomic, Operation::Own) };
    (undefined) => { (Access::Atomic, Operation::Undefined) };
    (nothing) => { (Access::None, Operation::Own) };
}

pub(crate) const fn ds_form(d: Decl, gfx8: bool, (state, does): (State, (Access, Operation))) -> Form {
    d.form(ds_enc(d.codes, gfx8, d.sig), ds_slots(d.sig, gfx8), ds_facts(d.sig, does), 8, state)
}

macro_rules! ds_words { ($state:ident $($what:ident)+) => { ($state, ds_operation!($($what)+)) }; }
macro_rules! ds { ($($t:tt)*) => { forms!(DS "10" ds_form [false, true] ds_words: $($t)*); }; }

// ---- exports and gfx8 interpolation in VOP3

const fn exp_slots() -> Slots {
    Slots::new()
        .put("tgt", f(4, 6), Kind::ExpTarget, Role::Imm)
        .put("en", f(0, 4), Kind::ExpEn, Role::Imm)
        .put("src0", f(32, 8), Kind::ExpSrc(0), Role::Use)
        .put("src1", f(40, 8), Kind::ExpSrc(1), Role::Use)
        .put("src2", f(48, 8), Kind::ExpSrc(2), Role::Use)
        .put("src3", f(56, 8), Kind::ExpSrc(3), Role::Use)
        .flag("done", 11, Flag::Done)
        .flag("compr", 10, Flag::Compr)
        .flag("vm", 12, Flag::Vm)
}

/// Interpolation in VOP3 on gfx8: opcode 0x270 + n; which slots it has.
const fn interp_slots(param: bool, src2: bool, f16: bool, omod: bool, accumulates: bool) -> Slots {
    let role = if accumulates { Role::UseDef } else { Role::Def };
    let mods = Kind::VSrc(1, Mods::NegAbs);
    let s = Slots::new().put("vdst", f(0, 8), Kind::Vgpr(1), role);
    let s = if param {
        s.put("param", f(41, 9), Kind::InterpParam, Role::Imm)
    } else {
        s.put("vsrc", Field::split(&[(41, 9), (62, 1), (9, 1)]), mods, Role::Use)
    };
    let s = s.put("attr", f(32, 8), Kind::Attr, Role::Imm);
    let s = if src2 { s.put("src2", Field::split(&[(50, 9), (63, 1), (10, 1)]), mods, Role::Use) } else { s };
    let s = if f16 { s.flag("high", 40, Flag::High) } else { s };
    let s = s.flag("clamp", 15, Flag::Clamp);
    if omod { s.put("omod", f(59, 2), Kind::Omod, Role::Mod) } else { s }
}

/// An export on the generations that have this code, with these top bits.
const fn export(codes: [u16; 3], prefix: u32) -> Form {
    let doc = "export to a render target, position or parameter";
    let facts = accesses(facts(Format::Exp, Suffix::None, Unit::Export, 16), Access::None, Counter::Export);
    Decl { op: Op::Exp, name: "exp", codes, sig: sig(""), doc, source: "13" }.form(
        enc(codes, ALL, top(6, prefix), (31, 0), NOTHING),
        exp_slots(),
        facts,
        8,
        imp::EXEC_R,
    )
}

macro_rules! special {
    ($($op:ident $name:literal $code:literal $suffix:ident $slots:expr, $doc:literal;)*) => {
        /// Exports, and interpolation in VOP3.
        pub(crate) static SPECIAL: &[Form] = &[
            export([0, 0, NO], 0x3e),
            export([NO, NO, 0], 0x31),
            $(Decl { op: Op::$op, name: $name, codes: [NO, NO, $code], sig: sig(""), doc: $doc, source: "9" }.form(
                enc([NO, NO, $code], NEW, top(6, 0x34), (16, 10), NOTHING), $slots,
                facts(Format::Vop3a, Suffix::$suffix, Unit::Interp, 4), 8, imp::EXEC_M0,
            ),)*
        ];
    };
}
special! {
    VInterpP1F32   "v_interp_p1_f32"   0x270 E64  interp_slots(false, false, false, true, false), "D := P0 + I * P10";
    VInterpP2F32   "v_interp_p2_f32"   0x271 E64  interp_slots(false, false, false, true, true), "D := D + J * P20";
    VInterpMovF32  "v_interp_mov_f32"  0x272 E64  interp_slots(true, false, false, true, false), "D := P10, P20 or P0";
    VInterpP1llF16 "v_interp_p1ll_f16" 0x274 None interp_slots(false, false, true, true, false), "D := P0 + I * P10 (f16)";
    VInterpP1lvF16 "v_interp_p1lv_f16" 0x275 None interp_slots(false, true, true, true, false), "D := P0 + I * P10 (f16)";
    VInterpP2F16   "v_interp_p2_f16"   0x276 None interp_slots(false, true, true, false, false), "D := src2 + J * P20 (f16)";
}
