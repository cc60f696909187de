//! Large aggregates as values: they stay in memory. Copies from memory to memory: arrays in them by loops, so that neither code
//! nor live values grow with their size.

use super::cx::Lowered;
use super::func::FuncCx;
use crate::module::Inst;
use crate::types::{Kind, Ty};
use crate::value::{Ptr, Val};
use gpucc_ir as ir;
use ir::{Edge, IntCc, Type};

/// Aggregates of up to so many scalars are copied as values, which later passes know more about. The files of registers have 64
/// to 256.
const LONG: u64 = 128;

/// Scalars that one iteration copies, if an element has fewer: what one access of the widest kind takes.
const TURN: u64 = 4;

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

    /// Whether a value of this shape stays in memory until it is stored.
    pub fn is_long(&self, ty: Ty) -> bool {
        self.m.types.get(ty).scalars > LONG
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

    /// A new variable that keeps one large aggregate. Who has filled it marks it as still.
    pub fn still(&mut self, ty: Ty) -> Lowered<Ptr> {
        let local = self.temporary(ty)?;
        Ok(self.local_ptr(local, ty))
    }

    /// A large aggregate of parts, some of which lie in memory.
    pub fn gathered(&mut self, ty: Ty, parts: &[Val]) -> Lowered<Val> {
        let to = self.still(ty)?;
        for (k, part) in parts.iter().enumerate() {
            let into = self.part_ptr(&to, k as u32)?;
            self.store(&into, part)?;
        }
        Ok(Val::InMemory(Ptr { still: true, ..to }.into()))
    }

    /// Copies what `from` points to.
    pub fn copy(&mut self, to: &Ptr, from: &Ptr) -> Lowered<()> {
        match self.m.types.kind(to.ty) {
            Kind::Array(..) if self.is_long(to.ty) => self.copy_elements(to, from),
            Kind::Struct(_) if self.is_long(to.ty) => {
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
        let Some(element) = self.m.types.part(to.ty, 0) else { return self.broken("an array without elements") };
        let count = self.m.types.parts(to.ty);
        let turn = (TURN / self.m.types.get(element).scalars.max(1)).max(1) as u32;
        let whole = count - count % turn;
        let (head, body, cont, done) =
            (self.code.f.make_block(), self.code.f.make_block(), self.code.f.make_block(), self.code.f.make_block());
        let zero = self.code.f.iconst(Type::I32, 0);
        self.b().jump(head, &[zero]);
        self.code.start(head);
        let at = self.code.f.add_param(head, Type::I32);
        self.b().set_loop(head, done, cont);
        let end = self.code.f.iconst(Type::I32, whole.into());
        let more = self.b().icmp(IntCc::Ult, at, end);
        self.b().br(more, Edge::to(body), Edge::to(done), None);
        self.code.start(body);
        let last = whole - turn;
        let (to_now, from_now) = (self.moving(to, at, last, turn)?, self.moving(from, at, last, turn)?);
        for i in 0..turn {
            self.copy_part(&to_now, &from_now, i)?;
        }
        self.b().jump(cont, &[]);
        self.code.start(cont);
        let step = self.code.f.iconst(Type::I32, turn.into());
        let next = self.b().iadd(at, step);
        self.b().jump(head, &[next]);
        self.code.start(done);
        (whole..count).try_for_each(|i| self.copy_part(to, from, i))
    }

    /// A pointer to an array that begins at element `at`, a multiple of `turn` that is `last` at most.
    fn moving(&mut self, array: &Ptr, at: ir::Value, last: u32, turn: u32) -> Lowered<Ptr> {
        let stride = self.stride(array)?;
        let bytes = self.code.f.iconst(Type::I32, stride.into());
        let bytes = self.b().imul(at, bytes);
        let dynamic = match array.dynamic {
            None => bytes,
            Some(before) => self.b().iadd(before, bytes),
        };
        let reach = array.reach.map(|before| before + u64::from(last) * u64::from(stride));
        let align = array.align.min(1 << stride.wrapping_mul(turn).trailing_zeros().min(16));
        Ok(Ptr { dynamic: Some(dynamic), reach, align, ..array.clone() })
    }
}
