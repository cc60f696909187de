//! Operands of texture instructions.

use gpucc_ir::{InstData, Tex, TexArg, Value};
use gpucc_mir::{MInst, Src};

use super::U;
use crate::builders as build;
use crate::inst::Tesla;

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

/// An operand in a register.
pub(super) fn copy_in(u: U) -> MInst<Tesla> {
    match u.src {
        Src::Uniform(_) => build::LdC.on([u]),
        _ => build::Mov.on([u]),
    }
}
