//! Copies of large aggregates from memory to memory: arrays in them by loops, so that neither code nor live values grow with
//! their size.
//!
//! ```text
//! var<workgroup> w: array<u32, 3500>;  ..  w = a;      ==>      for (at = 0; at < 3500; at += 4) { w[at] = a[at]; .. }
//! ```
//!
//! The two places are the same or apart: in WGSL a type is no part of itself, and what is bound twice is not written.

use super::Lowered;
use super::func::FuncCx;
use super::types::Ty;
use super::value::{Ptr, Val};
use gpucc_ir as ir;
use ir::{Edge, IntCc, Type};
use naga::{Expression, Handle, Statement};

/// Aggregates of up to so many scalars are copied as values, which later passes know more about. The files of registers have 64
/// to 256.
const LONG: u64 = 128;

/// Scalars that one iteration copies, if an element has fewer: what one access of the widest kind takes.
const TURN: u64 = 4;

impl<'m> FuncCx<'_, 'm> {
    /// Whether a value of this shape stays in memory until it is stored.
    pub fn is_long(&self, ty: Ty) -> bool {
        self.m.types.scalars(ty) > LONG
    }

    /// Evaluates what a statement emits. A large aggregate that is loaded for the next statement alone, which stores it, is not
    /// loaded: the store copies it.
    pub fn emit(&mut self, handle: Handle<Expression>, next: Option<&'m Statement>) -> Lowered<Val> {
        let now = self.current();
        if matches!(next, Some(Statement::Store { value, .. }) if *value == handle)
            && let Expression::Load { pointer } = now.function.expressions[handle]
            && now.known.info[handle].ref_count == 1
        {
            let from = self.pointer(pointer)?;
            if self.is_long(from.ty) {
                return Ok(Val::InMemory(from.into()));
            }
        }
        self.evaluate(handle)
    }

    /// Copies what `from` points to.
    pub fn copy(&mut self, to: &Ptr, from: &Ptr) -> Lowered<()> {
        match to.ty {
            Ty::Array(_) if self.is_long(to.ty) => self.copy_elements(to, from),
            Ty::Struct(_) if self.is_long(to.ty) => {
                (0..self.m.types.parts(to.ty)).try_for_each(|i| self.copy_part(to, from, i))
            }
            _ => {
                let value = self.load(from)?;
                let value = self.materialise(&value)?;
                self.store(to, &value)
            }
        }
    }

    fn copy_part(&mut self, to: &Ptr, from: &Ptr, index: u32) -> Lowered<()> {
        let (to, from) = (self.part_ptr(to, index)?, self.part_ptr(from, index)?);
        self.copy(&to, &from)
    }

    fn copy_elements(&mut self, to: &Ptr, from: &Ptr) -> Lowered<()> {
        let element = self.part_ty(to.ty, 0)?;
        let count = self.m.types.parts(to.ty);
        let turn = (TURN / self.m.types.scalars(element).max(1)).max(1) as u32;
        let whole = count - count % turn;
        let (head, body, cont, done) =
            (self.f.make_block(), self.f.make_block(), self.f.make_block(), self.f.make_block());
        let zero = self.f.iconst(Type::I32, 0);
        self.b().jump(head, &[zero]);
        self.start(head);
        let at = self.f.add_param(head, Type::I32);
        self.b().set_loop(head, done, cont);
        let end = self.f.iconst(Type::I32, whole.into());
        let more = self.b().icmp(IntCc::Ult, at, end);
        self.b().br(more, Edge::to(body), Edge::to(done), None);
        self.start(body);
        let last = whole - turn;
        let (to_now, from_now) = (self.moving(to, at, last, turn)?, self.moving(from, at, last, turn)?);
        for i in 0..turn {
            self.copy_part(&to_now, &from_now, i)?;
        }
        self.b().jump(cont, &[]);
        self.start(cont);
        let step = self.f.iconst(Type::I32, turn.into());
        let next = self.b().iadd(at, step);
        self.b().jump(head, &[next]);
        self.start(done);
        (whole..count).try_for_each(|i| self.copy_part(to, from, i))
    }

    /// A pointer to an array that begins at element `at`, a multiple of `turn` that is `last` at most.
    fn moving(&mut self, array: &Ptr, at: ir::Value, last: u32, turn: u32) -> Lowered<Ptr> {
        let element = self.part_ty(array.ty, 0)?;
        let stride = self.stride(array, element);
        let bytes = self.f.iconst(Type::I32, stride.into());
        let bytes = self.b().imul(at, bytes);
        let dynamic = match array.dynamic {
            None => bytes,
            Some(before) => self.b().iadd(before, bytes),
        };
        let reach = array.reach.map(|before| before + u64::from(last) * u64::from(stride));
        let align = array.align.min(1 << (stride * turn).trailing_zeros().min(16));
        Ok(Ptr { dynamic: Some(dynamic), reach, align, ..array.clone() })
    }
}
