//! Forms of buffer, flat and image instructions.

use gpucc_isa::{Enc, Field, Role};

use super::*;

const fn data_role(letter: u8) -> Role {
    match letter {
        b'l' => Role::Def,
        b's' => Role::Use,
        _ => Role::UseDef,
    }
}

const fn address_flags(s: Slots, gfx8: bool) -> Slots {
    let s = s.flag("idxen", 13, Flag::Idxen).flag("offen", 12, Flag::Offen);
    let s = if gfx8 { s } else { s.flag("addr64", 15, Flag::Addr64) };
    s.put("offset", f(0, 12), Kind::Offset, Role::Imm).flag("glc", 14, Flag::Glc)
}

pub(crate) const fn mubuf_slots(g: Sig, gfx8: bool) -> Slots {
    let t = g.t[0];
    let s = Slots::new();
    let slc = if gfx8 { 17 } else { 54 };
    if t.a == b'n' {
        return s;
    }
    if t.a == b's' && t.b == b't' {
        return s
            .put("srsrc", f(48, 5), Kind::SRsrc(4), Role::Use)
            .put("soffset", f(56, 8), Kind::SSrc(1), Role::Use)
            .put("offset", f(0, 12), Kind::Offset, Role::Imm)
            .put("lds", Field::none(), Kind::Word(Flag::Lds), Role::Mod)
            .flag("glc", 14, Flag::Glc)
            .flag("slc", slc, Flag::Slc);
    }
    let s = s
        .put("vdata", f(40, 8), Kind::Vgpr(t.w), data_role(t.a))
        .put("vaddr", f(32, 8), Kind::BufAddr, Role::Use)
        .put("srsrc", f(48, 5), Kind::SRsrc(4), Role::Use)
        .put("soffset", f(56, 8), Kind::SSrc(1), Role::Use);
    let s = address_flags(s, gfx8).flag("slc", slc, Flag::Slc);
    let s = if g.has(b'T') || g.has(b'L') { s.flag("tfe", 55, Flag::Tfe) } else { s };
    if g.has(b'L') { s.flag("lds", 16, Flag::Lds) } else { s }
}

pub(crate) const fn mubuf_enc(codes: [u16; 3], gfx8: bool, g: Sig) -> [Enc; 3] {
    let lds = g.t[0].a == b's' && g.t[0].b == b't';
    let extra = if lds { bit(16, 1) } else { NOTHING };
    enc(codes, if gfx8 { NEW } else { OLD }, top(6, 0x38), (18, 7), extra)
}

pub(crate) const fn mtbuf_slots(g: Sig, gfx8: bool) -> Slots {
    let t = g.t[0];
    let s = Slots::new()
        .put("vdata", f(40, 8), Kind::Vgpr(t.w), data_role(t.a))
        .put("vaddr", f(32, 8), Kind::BufAddr, Role::Use)
        .put("srsrc", f(48, 5), Kind::SRsrc(4), Role::Use)
        .put("soffset", f(56, 8), Kind::SSrc(1), Role::Use)
        .put("format", f(19, 7), Kind::BufFormat, Role::Mod);
    address_flags(s, gfx8).flag("slc", 54, Flag::Slc).flag("tfe", 55, Flag::Tfe)
}

pub(crate) const fn mtbuf_enc(codes: [u16; 3], gfx8: bool) -> [Enc; 3] {
    if gfx8 { enc(codes, NEW, top(6, 0x3a), (15, 4), NOTHING) } else { enc(codes, OLD, top(6, 0x3a), (16, 3), NOTHING) }
}

/// Slots of a flat access; `returns`: the form of an atomic that gives the old value.
pub(crate) const fn flat_slots(g: Sig, returns: bool) -> Slots {
    let s = Slots::new();
    let (t, addr) = (g.t[0], f(32, 8));
    let s = match t.a {
        b'l' => s.put("vdst", f(56, 8), Kind::Vgpr(t.w), Role::Def).put("addr", addr, Kind::Vgpr(2), Role::Use),
        b's' => s.put("addr", addr, Kind::Vgpr(2), Role::Use).put("data", f(40, 8), Kind::Vgpr(t.w), Role::Use),
        _ => {
            let s = if returns { s.put("vdst", f(56, 8), Kind::Vgpr(g.t[1].w), Role::Def) } else { s };
            s.put("addr", addr, Kind::Vgpr(2), Role::Use).put("data", f(40, 8), Kind::Vgpr(t.w), Role::Use)
        }
    };
    let s = match (t.a, returns) {
        (b'a', false) => s,
        (b'a', true) => s.put("glc", Field::none(), Kind::Word(Flag::Glc), Role::Mod),
        _ => s.flag("glc", 16, Flag::Glc),
    };
    s.flag("slc", 17, Flag::Slc)
}

pub(crate) const fn flat_enc(codes: [u16; 3], g: Sig, returns: bool) -> [Enc; 3] {
    let atomic = g.t[0].a == b'a';
    if returns && !atomic {
        return nothing();
    }
    enc(codes, ALL, top(6, 0x37), (18, 7), if atomic { bit(16, returns as u8) } else { NOTHING })
}

/// Facts of an access to a buffer or to flat memory. The signature gives the width of an atomic.
pub(crate) const fn buffer_facts(format: Format, g: Sig, operation: Operation) -> Attrs {
    let t = g.t[0];
    let access = match t.a {
        b'l' => Access::Load,
        b's' => Access::Store,
        b'a' => Access::Atomic,
        _ => Access::Order,
    };
    let operation = match operation {
        Operation::Elements(e) => {
            assert!(e.registers() == t.w);
            operation
        }
        Operation::Atomic(a) => {
            let wide = t.w == if a.op.compares() { 4 } else { 2 };
            Operation::Atomic(Atomic { wide, ..a })
        }
        _ => operation,
    };
    vmem(format, access, operation)
}

/// The effect of an access to a buffer or to flat memory, by its words in the table.
#[rustfmt::skip]
macro_rules! buffer_operation {
    (move $t:ident) => { Operation::Elements(Elements::$t) };
    (format) => { Operation::Formatted { half: false } };
    (half) => { Operation::Formatted { half: true } };
    (atomic $op:ident) => { Operation::Atomic(Atomic { op: AtomicOp::$op, wide: false }) };
    (cache) => { Operation::Own };
    (undefined) => { Operation::Undefined };
}

/// Facts of an image instruction.
pub(crate) const fn mimg_facts(op: ImageOp) -> Attrs {
    let access = match op.kind {
        ImageKind::Store => Access::Store,
        ImageKind::Atomic(_) => Access::Atomic,
        _ => Access::Load,
    };
    Attrs { lanes: op.implicit(), ..vmem(Format::Mimg, access, Operation::Image(op)) }
}

pub(crate) const fn mubuf_form(d: Decl, gfx8: bool, does: Operation) -> Form {
    let facts = buffer_facts(Format::Mubuf, d.sig, does);
    d.form(mubuf_enc(d.codes, gfx8, d.sig), mubuf_slots(d.sig, gfx8), facts, 8, EXEC_R)
}

pub(crate) const fn mtbuf_form(d: Decl, gfx8: bool, does: Operation) -> Form {
    let facts = buffer_facts(Format::Mtbuf, d.sig, does);
    d.form(mtbuf_enc(d.codes, gfx8), mtbuf_slots(d.sig, gfx8), facts, 8, EXEC_R)
}

pub(crate) const fn flat_form(d: Decl, returns: bool, does: Operation) -> Form {
    let facts = buffer_facts(Format::Flat, d.sig, does);
    d.form(flat_enc(d.codes, d.sig, returns), flat_slots(d.sig, returns), facts, 8, EXEC_M0)
}

macro_rules! mubuf { ($($t:tt)*) => { forms!(MUBUF "11.1" mubuf_form [false, true] buffer_operation: $($t)*); }; }
macro_rules! mtbuf { ($($t:tt)*) => { forms!(MTBUF "11.2" mtbuf_form [false, true] buffer_operation: $($t)*); }; }
macro_rules! flat { ($($t:tt)*) => { forms!(FLAT "11.6" flat_form [false, true] buffer_operation: $($t)*); }; }

// ---- images

pub(crate) const fn mimg_slots(g: Sig, op: ImageOp, gfx8: bool) -> Slots {
    let (kind, role) = match op.kind {
        ImageKind::Gather => (Kind::ImgGather, Role::Def),
        ImageKind::Store => (Kind::ImgData, Role::Use),
        ImageKind::Atomic(_) => (Kind::ImgData, Role::UseDef),
        _ => (Kind::ImgData, Role::Def),
    };
    let s = Slots::new()
        .put("vdata", f(40, 8), kind, role)
        .put("vaddr", f(32, 8), Kind::Vgpr(g.t[0].w), Role::Use)
        .put("srsrc", f(48, 5), Kind::SRsrc(8), Role::Use);
    let s = if op.samples() { s.put("ssamp", f(53, 5), Kind::SRsrc(4), Role::Use) } else { s };
    let s = s
        .put("dmask", f(8, 4), Kind::DMask, Role::Mod)
        .flag("unorm", 12, Flag::Unorm)
        .flag("glc", 13, Flag::Glc)
        .flag("slc", 25, Flag::Slc)
        .flag("r128", 15, Flag::R128)
        .flag("tfe", 16, Flag::Tfe)
        .flag("lwe", 17, Flag::Lwe)
        .flag("da", 14, Flag::Da);
    if gfx8 && g.has(b'H') { s.flag("d16", 63, Flag::D16) } else { s }
}

pub(crate) const fn mimg_enc(codes: [u16; 3], g: Sig, gfx8: bool) -> [Enc; 3] {
    let generations = match (g.has(b'H'), gfx8) {
        (true, true) => NEW,
        (true, false) => OLD,
        (false, false) => ALL,
        (false, true) => 0,
    };
    enc(codes, generations, top(6, 0x3c), (18, 7), NOTHING)
}

/// An image instruction by its words in the table.
macro_rules! image_op {
    (Atomic $op:ident) => { ImageOp::new(ImageKind::Atomic(AtomicOp::$op)) };
    ($kind:ident $($asks:ident)*) => { ImageOp::new(ImageKind::$kind)$(.$asks())* };
}

pub(crate) const fn mimg_form(d: Decl, gfx8: bool, op: ImageOp) -> Form {
    d.form(mimg_enc(d.codes, d.sig, gfx8), mimg_slots(d.sig, op, gfx8), mimg_facts(op), 8, EXEC_R)
}

macro_rules! mimg { ($($t:tt)*) => { forms!(MIMG "12.1" mimg_form [false, true] image_op: $($t)*); }; }
