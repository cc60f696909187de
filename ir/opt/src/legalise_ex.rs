//! What expansions of ops share: a builder with shorthands.

use gpucc_ir::{Builder, Op, Scalar, Type, Value};

use crate::caps::Caps;

/// Shorthands on a builder: constants of the shape of an operand.
pub(crate) struct Ex<'a, 'f> {
    pub b: &'a mut Builder<'f>,
    pub caps: &'a Caps,
    pub lanes: u32,
}

impl Ex<'_, '_> {
    /// An i32 constant in every lane.
    pub fn int(&mut self, v: i64) -> Value {
        let ty = Type::new(Scalar::I32, self.lanes);
        self.b.func.iconst(ty, v)
    }
    /// An f32 constant in every lane.
    pub fn float(&mut self, v: f32) -> Value {
        let ty = Type::new(Scalar::F32, self.lanes);
        self.b.func.fconst(ty, v)
    }
    /// Whether the target has the op itself.
    pub fn has(&self, op: Op) -> bool {
        !self.caps.expand.has(op)
    }
    pub(crate) fn ushr(&mut self, a: Value, n: i64) -> Value {
        let n = self.int(n);
        self.b.ushr(a, n)
    }
    pub(crate) fn shl(&mut self, a: Value, n: i64) -> Value {
        let n = self.int(n);
        self.b.shl(a, n)
    }
    pub(crate) fn and(&mut self, a: Value, n: i64) -> Value {
        let n = self.int(n);
        self.b.and(a, n)
    }
    /// Bits of a float as integers.
    pub fn bits(&mut self, a: Value) -> Value {
        let ty = self.b.func.ty(a).to_int();
        self.b.bitcast(a, ty)
    }
    /// Integers as bits of a float.
    pub fn of_bits(&mut self, a: Value) -> Value {
        let ty = self.b.func.ty(a).with_scalar(Scalar::F32);
        self.b.bitcast(a, ty)
    }
}
