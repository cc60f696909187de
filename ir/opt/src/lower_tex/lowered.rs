//! A texture instruction while it is lowered.

use gpucc_ir::{Builder, TexOperands, TexWhat, Type, Value};

/// A texture instruction and what stands before it.
pub(super) struct Lowered<'a, 'b> {
    pub(super) b: &'a mut Builder<'b>,
    pub(super) of: TexOperands,
}

impl Lowered<'_, '_> {
    pub(super) fn float(&mut self, v: f32, lanes: u32) -> Value {
        self.b.func.fconst(Type::F32.with_lanes(lanes), v)
    }
    /// The extent of level 0 as floats, with as many lanes.
    pub(super) fn size(&mut self) -> Value {
        let size = self.of.query(self.b, TexWhat::Size, None);
        let lanes = self.b.func.ty(size).lanes();
        self.b.u2f(size, Type::F32.with_lanes(lanes))
    }
}
