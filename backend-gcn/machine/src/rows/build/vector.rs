//! Forms of the vector ALU.

use gpucc_isa::{Enc, Field, Role};

use super::*;

/// Forms with a 32-bit first dword.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Short {
    E32,
    Literal,
    Sdwa,
    Dpp,
}

const SRC: [&str; 3] = ["src0", "src1", "src2"];

const fn src_short(s: Slots, t: Tok, k: usize, form: Short) -> Slots {
    let plain = t.b == b'!';
    match (form, k) {
        (Short::Literal, 0) => s.put("src0", f(32, 32), Kind::Literal, Role::Imm),
        (Short::E32, 0) => {
            let kind = match t.a {
                b'g' => Kind::VSrc(t.w, Mods::None),
                b'z' => Kind::SSrc(1),
                _ => Kind::Src(t.w, Mods::None),
            };
            s.put("src0", f(0, 9), kind, Role::Use)
        }
        (Short::E32 | Short::Literal, _) => {
            let kind = if t.a == b'y' { Kind::SSrc(1) } else { Kind::Vgpr(t.w) };
            s.put("src1", f(9, 8), kind, Role::Use)
        }
        (Short::Sdwa, _) => {
            let (at, x) = if k == 0 { (32, 51) } else { (9, 59) };
            let (field, mods) = match t.a {
                b'f' if !plain => (Field::split(&[(at, 8), (x + 1, 1), (x + 2, 1)]), Mods::NegAbs),
                _ => (Field::split(&[(at, 8), (x, 1)]), Mods::Sext),
            };
            s.put(SRC[k], field, Kind::VMod(mods), Role::Use)
        }
        (Short::Dpp, _) => {
            let (at, x) = if k == 0 { (32, 52) } else { (9, 54) };
            if t.a == b'f' && !plain {
                s.put(SRC[k], Field::split(&[(at, 8), (x, 1), (x + 1, 1)]), Kind::VMod(Mods::NegAbs), Role::Use)
            } else {
                s.put(SRC[k], f(at, 8), Kind::VMod(Mods::None), Role::Use)
            }
        }
    }
}

/// Slots of a form with a 32-bit first dword. `select`: v_cndmask_b32, whose sources count as integers there.
pub(crate) const fn short_slots(g: Sig, form: Short, select: bool) -> Slots {
    let mut s = Slots::new();
    let mut i = 0;
    let mut k = 0;
    while i < g.n {
        let mut t = g.t[i];
        if select {
            t.b = b'!';
        }
        s = match t.a {
            b'v' if i == 0 => s.put("vdst", f(17, 8), Kind::Vgpr(t.w), Role::Def),
            b'u' => s.put("vdst", f(17, 8), Kind::Vgpr(t.w), Role::UseDef),
            b'l' => s.put("vdst", f(17, 8), Kind::SReg(1), Role::Def),
            b'm' | b'c' => s.put("sdst", Field::none(), Kind::Vcc, Role::Def),
            b'k' => s.put("mask", Field::none(), Kind::Vcc, Role::Use),
            b'K' => s.put("k", f(32, 32), Kind::Literal, Role::Imm),
            _ => {
                let s = src_short(s, t, k, form);
                k += 1;
                s
            }
        };
        i += 1;
    }
    match form {
        Short::E32 | Short::Literal => s,
        Short::Sdwa => {
            s = s.flag("clamp", 45, Flag::Clamp);
            if g.t[0].a != b'm' {
                s = s.put("dst_sel", f(40, 3), Kind::DstSel, Role::Mod).put(
                    "dst_unused",
                    f(43, 2),
                    Kind::DstUnused,
                    Role::Mod,
                );
            }
            s = s.put("src0_sel", f(48, 3), Kind::SrcSel(0), Role::Mod);
            if k == 2 { s.put("src1_sel", f(56, 3), Kind::SrcSel(1), Role::Mod) } else { s }
        }
        Short::Dpp => s
            .put("dpp_ctrl", f(40, 9), Kind::DppCtrl, Role::Mod)
            .put("row_mask", f(60, 4), Kind::RowMask, Role::Mod)
            .put("bank_mask", f(56, 4), Kind::BankMask, Role::Mod)
            .flag("bound_ctrl", 51, Flag::BoundCtrl),
    }
}

/// Slots of the VOP3 form on gfx6 and gfx7 or on gfx8.
pub(crate) const fn long_slots(g: Sig, gfx8: bool) -> Slots {
    let mut s = Slots::new();
    let mut i = 0;
    let mut k = 0u8;
    let vop3b = g.find(b'c');
    while i < g.n {
        let t = g.t[i];
        let at = 32 + 9 * k;
        let name = SRC[if k < 3 { k as usize } else { 0 }];
        let mut source = true;
        s = match t.a {
            b'v' if i == 0 => {
                source = false;
                s.put("vdst", f(0, 8), Kind::Vgpr(t.w), Role::Def)
            }
            b'u' => {
                source = false;
                s.put("vdst", f(0, 8), Kind::Vgpr(t.w), Role::UseDef)
            }
            b'm' => {
                source = false;
                s.put("sdst", f(0, 8), Kind::SReg(2), Role::Def)
            }
            b'l' => {
                source = false;
                s.put("vdst", f(0, 8), Kind::SReg(1), Role::Def)
            }
            b'c' => {
                source = false;
                s.put("sdst", f(8, 7), Kind::SReg(2), Role::Def)
            }
            b'k' => s.put("mask", f(at, 9), Kind::SReg(2), Role::Use),
            b'y' | b'z' => s.put(name, f(at, 9), Kind::SSrc(1), Role::Use),
            b'g' => s.put(name, f(at, 9), Kind::VSrc(t.w, Mods::None), Role::Use),
            b'f' => {
                assert!(!vop3b, "VOP3b has no absolute value");
                s.put(name, Field::split(&[(at, 9), (61 + k, 1), (8 + k, 1)]), Kind::Src(t.w, Mods::NegAbs), Role::Use)
            }
            b'n' => s.put(name, Field::split(&[(at, 9), (61 + k, 1)]), Kind::Src(t.w, Mods::Neg), Role::Use),
            b'e' => s.put(name, Field::split(&[(at, 9), (61 + k, 1)]), Kind::Src(t.w, Mods::Sext), Role::Use),
            _ => s.put(name, f(at, 9), Kind::Src(t.w, Mods::None), Role::Use),
        };
        k += source as u8;
        i += 1;
    }
    let clamp = if gfx8 { g.has(b'C') || g.has(b'c') } else { g.has(b'C') && !vop3b };
    if clamp {
        s = s.flag("clamp", if gfx8 { 15 } else { 11 }, Flag::Clamp);
    }
    if g.has(b'O') || gfx8 && g.has(b'o') {
        s = s.put("omod", f(59, 2), Kind::Omod, Role::Mod);
    }
    s
}

pub(crate) const fn short_enc(codes: [u16; 3], format: Format, form: Short, g: Sig) -> [Enc; 3] {
    let src0 = if g.n > 1 { g.t[if g.t[1].a == b'c' { 2 } else { 1 }].a } else { 0 };
    let (generations, extra): (u16, (Word, Word)) = match form {
        Short::E32 => (ALL, NOTHING),
        Short::Literal => {
            // A literal beside an implied VCC read would be the second scalar operand (section 2).
            let takes = matches!(src0, b'x' | b'f' | b'e' | b'n') && !g.find(b'K') && !g.find(b'k');
            (if takes { ALL } else { 0 }, (0x1ff, 0xff))
        }
        Short::Sdwa => (if g.has(b'S') { NEW } else { 0 }, (0x1ff, 0xf9)),
        Short::Dpp => (if g.has(b'D') { NEW } else { 0 }, (0x1ff, 0xfa)),
    };
    match format {
        Format::Vop1 => enc(codes, generations, top(7, 0x3f), (9, 8), extra),
        Format::Vopc => enc(codes, generations, top(7, 0x3e), (17, 8), extra),
        _ => enc(codes, generations, top(1, 0), (25, 6), extra),
    }
}

/// VOP3 encoding: `base` is added to the opcode on gfx6 and gfx7, and on gfx8 (section 3).
pub(crate) const fn long_enc(codes: [u16; 3], base: (u16, u16), gfx8: bool, g: Sig) -> [Enc; 3] {
    if g.has(b'!') {
        return nothing();
    }
    let mut c = codes;
    let mut i = 0;
    while i < 3 {
        if c[i] != NO {
            c[i] += if i == 2 { base.1 } else { base.0 };
        }
        i += 1;
    }
    if gfx8 { enc(c, NEW, top(6, 0x34), (16, 10), NOTHING) } else { enc(c, OLD, top(6, 0x34), (17, 9), NOTHING) }
}

pub(crate) const fn vop3_facts(g: Sig, suffix: Suffix, unit: Unit, cycles: u8) -> Attrs {
    facts(if g.find(b'c') { Format::Vop3b } else { Format::Vop3a }, suffix, unit, cycles)
}

/// The 32-bit form has no suffix where no other form exists.
pub(crate) const fn e32_suffix(g: Sig) -> Suffix {
    if g.has(b'!') || g.n == 0 { Suffix::None } else { Suffix::E32 }
}

/// Facts of a vector instruction with its operation.
pub(crate) const fn vector(own: Attrs, g: Sig, operation: Operation) -> Attrs {
    let number = match operation {
        Operation::Compare(c) => c.ty,
        _ => number(g),
    };
    Attrs { operation, number, ..own }
}

/// The operation of a vector instruction beyond its opcode: a compare by condition and type.
#[rustfmt::skip]
macro_rules! vector_operation {
    () => { Operation::Own };
    (Class $ty:ident) => { Operation::Compare(Compare { ty: Number::$ty, test: Test::Class }) };
    ($c:ident $ty:ident) => { Operation::Compare(Compare { ty: Number::$ty, test: Test::Order(Condition::$c) }) };
}

/// A declaration of the vector ALU.
#[derive(Clone, Copy)]
pub(crate) struct VectorDecl {
    pub decl: Decl,
    pub implicit: imp::Vector,
    pub unit: Unit,
    pub cycles: u8,
    pub operation: Operation,
}

impl VectorDecl {
    const fn form(&self, enc: [Enc; 3], slots: Slots, facts: Attrs, bytes: u8, implicit: State) -> Form {
        self.decl.form(enc, slots, vector(facts, self.decl.sig, self.operation), bytes, implicit)
    }

    const fn short(&self, format: Format, form: Short, own: Format, suffix: Suffix) -> Form {
        let g = self.decl.sig;
        let select = matches!(self.decl.op, Op::VCndmaskB32) && matches!(form, Short::Sdwa | Short::Dpp);
        let bytes = if matches!(form, Short::E32) && !g.find(b'K') { 4 } else { 8 };
        let facts = facts(own, suffix, self.unit, self.cycles);
        let enc = short_enc(self.decl.codes, format, form, g);
        self.form(enc, short_slots(g, form, select), facts, bytes, self.implicit.short)
    }

    const fn long(&self, base: (u16, u16), gfx8: bool, suffix: Suffix) -> Form {
        let facts = vop3_facts(self.decl.sig, suffix, self.unit, self.cycles);
        let enc = long_enc(self.decl.codes, base, gfx8, self.decl.sig);
        self.form(enc, long_slots(self.decl.sig, gfx8), facts, 8, self.implicit.long)
    }

    /// All forms of an instruction that has one in 32 bits.
    pub(crate) const fn all(&self, format: Format, base: (u16, u16), sdwa: Suffix) -> [Form; 6] {
        let suffix = e32_suffix(self.decl.sig);
        [
            self.short(format, Short::E32, format, suffix),
            self.short(format, Short::Literal, format, suffix),
            self.long(base, false, Suffix::E64),
            self.long(base, true, Suffix::E64),
            self.short(format, Short::Sdwa, Format::Sdwa, sdwa),
            self.short(format, Short::Dpp, Format::Dpp, dpp_suffix(self.decl.sig)),
        ]
    }

    /// The forms of an instruction that has none in 32 bits.
    pub(crate) const fn only_long(&self) -> [Form; 2] {
        [self.long((0, 0), false, Suffix::None), self.long((0, 0), true, Suffix::None)]
    }
}

macro_rules! vop_short {
    ($list:ident $format:ident $base:expr, $sdwa:ident, $src:literal:
     $($op:ident $name:literal [$($c:tt)*] $sig:literal $imp:ident $unit:ident $cycles:literal $($what:ident)* $doc:literal;)*) => {
        #[doc = concat!("Rows of section ", $src, " in all their forms.")]
        pub(crate) static $list: &[Form] = [$(
            VectorDecl {
                decl: Decl { op: Op::$op, name: $name, codes: codes!($($c)*), sig: sig($sig), doc: $doc, source: $src },
                implicit: imp::v::$imp, unit: Unit::$unit, cycles: $cycles, operation: vector_operation!($($what)*),
            }.all(Format::$format, $base, Suffix::$sdwa),
        )*].as_flattened();
    };
}
macro_rules! vop1 { ($($t:tt)*) => { vop_short!(VOP1 Vop1 (0x180, 0x140), Sdwa, "6.1": $($t)*); }; }
macro_rules! vop2 { ($($t:tt)*) => { vop_short!(VOP2 Vop2 (0x100, 0x100), Sdwa, "6.2": $($t)*); }; }
macro_rules! vopc { ($($t:tt)*) => { vop_short!(VOPC Vopc (0, 0), SilentSdwa, "6.4": $($t)*); }; }

macro_rules! vop3 {
    ($($op:ident $name:literal [$($c:tt)*] $sig:literal $imp:ident $unit:ident $cycles:literal $doc:literal;)*) => {
        /// Rows of section 6.3.
        pub(crate) static VOP3: &[Form] = [$(
            VectorDecl {
                decl: Decl { op: Op::$op, name: $name, codes: codes!($($c)*), sig: sig($sig), doc: $doc, source: "6.3" },
                implicit: imp::v::$imp, unit: Unit::$unit, cycles: $cycles, operation: Operation::Own,
            }.only_long(),
        )*].as_flattened();
    };
}

pub(crate) const fn dpp_suffix(g: Sig) -> Suffix {
    if g.n == 0 { Suffix::SilentDpp } else { Suffix::Dpp }
}
