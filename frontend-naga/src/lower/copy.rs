//! Large aggregates as values: when they are read where they lie, and when in a copy.

use super::Lowered;
use super::func::{FuncCx, Outcome};
use super::types::Ty;
use super::value::{Ptr, Val};
use gpucc_frontend_common::Memory;
use gpucc_ir as ir;
use ir::Entity;
use naga::{Expression, Handle, Statement};

impl<'m> FuncCx<'_, 'm> {
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
        self.kept_copy(&from)
    }

    /// A large aggregate as a value that is a copy of what lies somewhere now.
    pub fn kept_copy(&mut self, from: &Ptr) -> Lowered<Val> {
        let to = self.still(from.ty)?;
        self.copy(&to, from)?;
        Ok(Val::InMemory(Ptr { still: true, ..to }.into()))
    }

    /// A new variable that keeps one large aggregate, as the value of that.
    pub fn kept_whole(&mut self, ty: Ty) -> Lowered<Val> {
        Ok(Val::InMemory(Ptr { still: true, ..self.still(ty)? }.into()))
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
                    None => self.kept_whole(ty)?,
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
}
