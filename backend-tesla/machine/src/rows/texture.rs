//! Texture forms (reference sections 4.7 and 6), cubes by themselves. Columns: see [`long!`](super).

use super::*;
use crate::types::{ANY, NVA3};

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
const CUBE: &[S] = &[flag("cube", 27, "cube")];

/// Cycles until a texture answers.
const LATENCY: u16 = 100;
/// Reads texels.
pub(super) const TEXELS: Effects = Effects::load(LATENCY).at(Memory::Texture as u16);
/// The level comes from the neighbours in the quad.
pub(super) const DERIVED: Effects = TEXELS.convergent();
/// Reads what does not change.
const FACT: Effects = Effects::pure(LATENCY);
const LEVEL: Effects = FACT.convergent();

pub(super) const fn tex(effects: Effects) -> Does {
    does(effects, Unit::Texture, 16, Ty::F32, Ty::F32)
}

/// Rows of texture operations.
pub const ROWS: &[R] = long! {
    TexAuto     ANY  (0x0900_0000, 0xf000_0000, 0xe000_0000, 0)           "texauto {live} {deriv}{dvec} {tex} {samp} {svec} {ox} {oy} {oz}" [COMMON SVEC OFFSETS] tex(DERIVED) "texture sample, level from derivatives" "4.7, 6";
    TexAuto     ANY  (0x0900_0000, 0xf800_0000, 0xe000_0000, 0)           "texauto cube {live} {deriv}{dvec} {tex} {samp} {svec}" [COMMON SVEC] tex(DERIVED) "cube sample, level from derivatives" "4.7, 6";
    TexFetch    ANY  (0x0900_0000, 0xf100_0000, 0xe000_0000, 0)           "texfetch {live} {deriv}{dvec} {tex} {samp} {svec} {ox} {oy} {oz}" [COMMON SVEC OFFSETS] tex(TEXELS) "texel fetch" "4.7, 6";
    TexBias     ANY  (0x0900_0000, 0xf000_0000, 0xe000_0000, 0x2000_0000) "texbias {live} {deriv}{dvec} {tex} {samp} {svec} {ox} {oy} {oz}" [COMMON SVEC OFFSETS] tex(DERIVED) "texture sample with level bias" "4.7, 6";
    TexBias     ANY  (0x0900_0000, 0xf800_0000, 0xe000_0000, 0x2000_0000) "texbias cube {live} {deriv}{dvec} {tex} {samp} {svec}" [COMMON SVEC] tex(DERIVED) "cube sample with level bias" "4.7, 6";
    TexLod      ANY  (0x0900_0000, 0xf000_0000, 0xe000_0000, 0x4000_0000) "texlod {live} {deriv}{dvec} {tex} {samp} {svec} {ox} {oy} {oz}" [COMMON SVEC OFFSETS] tex(TEXELS) "texture sample of a given level" "4.7, 6";
    TexLod      ANY  (0x0900_0000, 0xf800_0000, 0xe000_0000, 0x4000_0000) "texlod cube {live} {deriv}{dvec} {tex} {samp} {svec}" [COMMON SVEC] tex(TEXELS) "cube sample of a given level" "4.7, 6";
    TexSize     ANY  (0x0900_0000, 0xf000_0000, 0xe003_0000, 0x6000_0000) "texsize {live} {deriv}{dvec} {tex} {samp} {svec}" [COMMON SVEC1] tex(FACT) "width, height, depth or layers, levels" "4.7, 6";
    TexPrep     NVA3 (0x0900_0000, 0xf800_0000, 0xe003_0000, 0x6001_0000) "texprep cube {live} {deriv}{dvec} {tex} {samp} {svec}" [COMMON SVEC] tex(FACT) "cube array coordinates to 2D array coordinates" "4.7, 6";
    TexQueryLod NVA3 (0x0100_0000, 0xf000_0000, 0xe003_0000, 0x6002_0000) "texquerylod {cube}{live} {deriv}{dvec} {tex} {samp} {svec}" [COMMON SVEC CUBE] tex(LEVEL) "level that a sample would use" "4.7, 6";
    TexCsaa     ANY  (0x0900_0000, 0xf000_0000, 0xe000_0000, 0x8000_0000) "texcsaa {live} {deriv}{dvec} {tex} {samp} {svec} {ox} {oy} {oz}" [COMMON SVEC OFFSETS] tex(TEXELS) "multisample coverage lookup" "4.7, 6";
    TexGather   NVA3 (0x0900_0000, 0xf100_0000, 0xe000_0000, 0x8000_0000) "texgather {live} {deriv}{dvec} {tex} {samp} {svec} {ox} {oy} {oz}" [COMMON SVEC OFFSETS] tex(TEXELS) "one component of four texels" "4.7, 6";
    TexGather   NVA3 (0x0900_0000, 0xf900_0000, 0xe000_0000, 0x8000_0000) "texgather cube {live} {deriv}{dvec} {tex} {samp} {svec}" [COMMON SVEC] tex(TEXELS) "one component of four cube texels" "4.7, 6";
};
