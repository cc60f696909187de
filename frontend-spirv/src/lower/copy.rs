//! Large aggregates as values: when they are read where they lie, and when in a copy.

use super::cx::Lowered;
use super::func::FuncCx;
use crate::module::Inst;
use crate::value::{Ptr, Val};
use gpucc_frontend_common::Memory;

impl FuncCx<'_, '_> {
    /// Lowers an `OpCopyMemory` to loads and stores.
    pub fn copy_memory(&mut self, inst: &Inst) -> Lowered<()> {
        let o = self.m.m.operands(inst);
        let to = self.pointer(o[0])?;
        if let Val::Input(from) = self.val(o[1])? {
            if from.ty != to.ty {
                return self.wrong("it copies between different types");
            }
            let val = self.load_input(&from)?;
            let to = self.aligned(to, o.get(2..).unwrap_or_default());
            return self.store(&to, &val);
        }
        let from = self.pointer(o[1])?;
        if to.ty != from.ty {
            return self.wrong("it copies between different types");
        }
        let rest = o.get(2..).unwrap_or_default();
        let flags = self.access_flags(rest);
        let behind = rest.first().map_or(0, |&set| 1 + crate::grammar::memory_access_words(set));
        let second = rest.get(behind..).filter(|r| !r.is_empty());
        let (mut to, mut from) = (self.aligned(to, rest), self.aligned(from, second.unwrap_or(rest)));
        to.flags = to.flags.with(flags);
        from.flags = from.flags.with(second.map_or(flags, |s| self.access_flags(s)));
        if self.is_long(to.ty) && from.flags.is_alone() && to.flags.is_alone() {
            return self.store(&to, &Val::InMemory(from.into()));
        }
        let value = self.load(&from)?;
        self.store(&to, &value)
    }

    /// Loads a large aggregate: it is read where it lies if nothing writes there while it is used, else in a copy.
    pub fn load_still(&mut self, at: usize, inst: &Inst, from: &Ptr) -> Lowered<Val> {
        if self.is_still(at, inst) {
            return Ok(Val::InMemory(Ptr { still: true, ..from.clone() }.into()));
        }
        let to = self.still(from.ty)?;
        self.copy(&to, from)?;
        Ok(Val::InMemory(Ptr { still: true, ..to }.into()))
    }
}
