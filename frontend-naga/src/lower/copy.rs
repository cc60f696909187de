//! Large aggregates as values: they stay in memory. Copies from memory to memory: arrays in them by loops, so that neither code
//! nor live values grow with their size.
//!
//! ```text
//! var<workgroup> w: array<u32, 3500>;  ..  w = a;      ==>      for (at = 0; at < 3500; at += 4) { w[at] = a[at]; .. }
//! ```
//!
//! The two places are the same or apart: in WGSL a type is no part of itself, and what is bound twice is not written.

use super::Lowered;
use super::func::{FuncCx, Outcome};
use super::types::Ty;
use super::value::{Ptr, Val};
use gpucc_ir as ir;
use ir::{Edge, Entity, IntCc, Type};
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

    /// Evaluates what a statement emits, in front of the statements `rest`. A large aggregate is not loaded: it is read where it
    /// lies if nothing writes there while it is used, else in a copy.
    pub fn emit(&mut self, handle: Handle<Expression>, rest: &'m [Statement]) -> Lowered<Val> {
        let now = self.current();
        let Expression::Load { pointer } = now.function.expressions[handle] else { return self.evaluate(handle) };
        let is_used_once = now.known.info[handle].ref_count == 1;
        let from = self.pointer(pointer)?;
        let is_read_only = from.flags.has(ir::MemFlags::READONLY);
        if !self.is_long(from.ty) || is_read_only || !from.flags.is_plain() {
            return self.evaluate(handle);
        }
        let is_stored = matches!(rest.first(), Some(Statement::Store { value, .. }) if *value == handle);
        if is_stored && is_used_once || self.is_still(handle, pointer, rest) {
            return Ok(Val::InMemory(Ptr { still: true, ..from }.into()));
        }
        let Val::InMemory(to) = self.still(from.ty)? else { return self.broken("a copy without a place") };
        self.copy(&Ptr { still: false, ..(*to).clone() }, &from)?;
        Ok(Val::InMemory(to))
    }

    /// A new variable that keeps one large aggregate, as the value of that.
    pub fn still(&mut self, ty: Ty) -> Lowered<Val> {
        let local = self.temporary(ty)?;
        Ok(Val::InMemory(Ptr { still: true, ..self.local_ptr(local, ty) }.into()))
    }

    /// A large aggregate of parts that lie in memory.
    pub fn gathered(&mut self, ty: Ty, parts: &[Val]) -> Lowered<Val> {
        let whole = self.still(ty)?;
        let Val::InMemory(to) = &whole else { return self.broken("a value without a place") };
        let to = Ptr { still: false, ..(**to).clone() };
        for (i, part) in parts.iter().enumerate() {
            let into = self.part_ptr(&to, i as u32)?;
            self.store(&into, part)?;
        }
        Ok(whole)
    }

    /// Keeps a large aggregate as the result of the function that is lowered in place of a call.
    pub fn keep_result(&mut self, value: &Val) -> Lowered<()> {
        let first = self.current().first_local;
        let Some(Outcome::Whole { ty, once, value: kept }) = self.current().exit.as_ref().map(|e| &e.result) else {
            return self.broken("no large result");
        };
        let (ty, once, kept) = (*ty, *once, kept.clone());
        // A variable of the function keeps what it has until it is called again.
        let stays = |ptr: &Ptr| match ptr.place {
            ir::Place::Local(local) => local.index() >= first,
            _ => ptr.flags.has(ir::MemFlags::READONLY),
        };
        let result = match (value, kept) {
            (Val::InMemory(ptr), None) if once && stays(ptr) => value.clone(),
            (_, kept) => {
                let to = match kept {
                    Some(kept) => kept,
                    None => self.still(ty)?,
                };
                let Val::InMemory(ptr) = &to else { return self.broken("a result without a place") };
                self.store(&Ptr { still: false, ..(**ptr).clone() }, value)?;
                to
            }
        };
        if let Some(Outcome::Whole { value, .. }) = self.current().exit.as_mut().map(|e| &mut e.result) {
            *value = Some(result);
        }
        Ok(())
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
