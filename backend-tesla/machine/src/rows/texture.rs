//! Texture forms (reference sections 4.7 and 6).

use super::*;
use crate::types::{ANY, NVA3};

const SEC: u32 = 0xe000_0000;
const MASK: Field = Field::split(&[(25, 1), (26, 1), (46, 1), (47, 1)]);
const COMMON: &[S] = &[
    def("base", f(2, 7), Kind::Base),
    def("dvec", MASK, Kind::DVec),
    imm("tex", f(9, 8), Kind::Tex),
    imm("samp", f(17, 5), Kind::Samp),
    mod_("live", f(34, 1), Kind::Enum(&["all", "live"])),
    flag("deriv", 35, "deriv"),
];
const SVEC: &[S] = &[use_("svec", f(22, 2), Kind::SVec)];
const SVEC1: &[S] = &[use_("svec", Field::none(), Kind::SVec1)];
const OFFSETS: &[S] =
    &[imm("ox", f(56, 4), Kind::TexOff), imm("oy", f(52, 4), Kind::TexOff), imm("oz", f(48, 4), Kind::TexOff)];
const CUBE: u32 = 0x0800_0000;
const FETCH: u32 = 0x0100_0000;

/// Cycles until a texture answers.
pub(super) const LATENCY: u16 = 100;

const fn tex(effects: Effects) -> Does {
    does(effects, Unit::Texture, 16, Ty::F32, Ty::F32)
}

/// Reads texels.
pub(super) const TEXELS: Effects = Effects::load(LATENCY).at(Memory::Texture as u16);

/// The level comes from the neighbours in the quad.
pub(super) const DERIVED: Effects = TEXELS.convergent();

macro_rules! flat {
    ($op:expr, $name:literal, $g:expr, $v0:expr, $v1:expr, $effects:expr, $doc:literal) => {
        long!(
            $op,
            concat!($name, " {live} {deriv}{dvec} {tex} {samp} {svec} {ox} {oy} {oz}"),
            $g,
            (CUBE | FETCH, 0xf000_0000 | $v0, SEC, $v1),
            [PRE, COMMON, SVEC, OFFSETS],
            tex($effects),
            $doc,
            "4.7, 6"
        )
    };
}

macro_rules! cube {
    ($op:expr, $name:literal, $g:expr, $v0:expr, $v1:expr, $effects:expr, $doc:literal) => {
        long!(
            $op,
            concat!($name, " cube {live} {deriv}{dvec} {tex} {samp} {svec}"),
            $g,
            (CUBE | FETCH, 0xf000_0000 | CUBE | $v0, SEC, $v1),
            [PRE, COMMON, SVEC],
            tex($effects),
            $doc,
            "4.7, 6"
        )
    };
}

/// Rows of texture operations, cubes by themselves.
pub const ROWS: &[R] = &[
    flat!(Op::TexAuto, "texauto", ANY, 0, 0, DERIVED, "texture sample, level from derivatives"),
    cube!(Op::TexAuto, "texauto", ANY, 0, 0, DERIVED, "cube sample, level from derivatives"),
    flat!(Op::TexFetch, "texfetch", ANY, FETCH, 0, TEXELS, "texel fetch"),
    flat!(Op::TexBias, "texbias", ANY, 0, 0x2000_0000, DERIVED, "texture sample with level bias"),
    cube!(Op::TexBias, "texbias", ANY, 0, 0x2000_0000, DERIVED, "cube sample with level bias"),
    flat!(Op::TexLod, "texlod", ANY, 0, 0x4000_0000, TEXELS, "texture sample of a given level"),
    cube!(Op::TexLod, "texlod", ANY, 0, 0x4000_0000, TEXELS, "cube sample of a given level"),
    long!(
        Op::TexSize,
        "texsize {live} {deriv}{dvec} {tex} {samp} {svec}",
        ANY,
        (CUBE | FETCH, 0xf000_0000, SEC | 0x0003_0000, 0x6000_0000),
        [PRE, COMMON, SVEC1],
        tex(Effects::pure(LATENCY)),
        "width, height, depth or layers, levels",
        "4.7, 6"
    ),
    long!(
        Op::TexPrep,
        "texprep cube {live} {deriv}{dvec} {tex} {samp} {svec}",
        NVA3,
        (CUBE | FETCH, 0xf000_0000 | CUBE, SEC | 0x0003_0000, 0x6001_0000),
        [PRE, COMMON, SVEC],
        tex(Effects::pure(LATENCY)),
        "cube array coordinates to 2D array coordinates",
        "4.7, 6"
    ),
    long!(
        Op::TexQueryLod,
        "texquerylod {cube}{live} {deriv}{dvec} {tex} {samp} {svec}",
        NVA3,
        (FETCH, 0xf000_0000, SEC | 0x0003_0000, 0x6002_0000),
        [PRE, COMMON, SVEC, &[flag("cube", 27, "cube")]],
        tex(Effects::pure(LATENCY).convergent()),
        "level that a sample would use",
        "4.7, 6"
    ),
    flat!(Op::TexCsaa, "texcsaa", ANY, 0, 0x8000_0000, TEXELS, "multisample coverage lookup"),
    flat!(Op::TexGather, "texgather", NVA3, FETCH, 0x8000_0000, TEXELS, "one component of four texels"),
    cube!(Op::TexGather, "texgather", NVA3, FETCH, 0x8000_0000, TEXELS, "one component of four cube texels"),
];
