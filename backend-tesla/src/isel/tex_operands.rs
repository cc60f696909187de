//! Operands of texture instructions, and the words that the driver puts behind descriptors for programs.

use gpucc_ir::{InstData, Tex, TexArg, Value};
use gpucc_mir::{MInst, Src};

use super::U;
use crate::builders as build;
use crate::inst::Tesla;

/// Words behind the descriptor of a texture.
pub(super) mod word {
    pub const WIDTH: u8 = 8;
    pub const DEPTH: u8 = 10;
    pub const LEVELS: u8 = 11;
    pub const SAMPLES: u8 = 12;
    pub const LAST_LEVEL: u8 = 13;
}

/// A texture instruction under selection, with the elements of its binding arrays.
pub(super) struct TexElements<'f> {
    pub tex: Tex,
    pub data: &'f InstData,
    pub elements: [u32; 2],
}

impl TexElements<'_> {
    pub fn get(&self, arg: TexArg) -> Option<Value> {
        let at = self.tex.desc.args().iter().position(|a| *a == arg)?;
        self.data.args.get(at).copied()
    }
}

/// Words behind the descriptor of a window.
pub(super) mod window_word {
    pub const WIDTH: u8 = 5;
    pub const HEIGHT: u8 = 6;
    pub const DEPTH: u8 = 7;
    /// Tiles of a row.
    pub const ROW: u8 = 8;
    /// Rows, slices and bytes of a tile as powers of two.
    pub const ROWS: u8 = 9;
    pub const SLICES: u8 = 10;
    pub const TILE: u8 = 11;
    /// Bytes from one slice of tiles, or layer, to the next.
    pub const STRIDE: u8 = 12;
}

/// An operand in a register.
pub(super) fn copy_in(u: U) -> MInst<Tesla> {
    match u.src {
        Src::Uniform(_) => build::LdC.on([u]),
        _ => build::Mov.on([u]),
    }
}
