//! Addresses, loads, stores and atomics.

use super::Lowered;
use super::func::FuncCx;
use super::types::{Ty, Types};
use super::value::{Ptr, Val};
use gpucc_frontend_common::Memory;
use gpucc_ir as ir;
use ir::{AtomicOp, IntCc, MemFlags, Place, Type, Value};
use naga::{AtomicFunction, Expression, Handle, ScalarKind};

/// The flags of an access to a place.
fn flags(ptr: &Ptr, flags: MemFlags) -> MemFlags {
    if matches!(ptr.ty, Ty::Atomic(_)) { flags.with(MemFlags::ATOMIC) } else { flags }
}

impl<'m> Memory for FuncCx<'_, 'm> {
    type Ty = Ty;
    type Types = Types<'m>;
    type Val = Val;

    fn types(&self) -> &Types<'m> {
        &self.m.types
    }

    fn out(&self) -> &ir::Module {
        &self.m.out
    }

    fn table(&mut self, bytes: Vec<u8>, align: u32) -> ir::Global {
        self.m.tables.table(&mut self.m.out, bytes, align)
    }

    fn nameless(&self, ty: Ty) -> Lowered<ir::VarData> {
        self.m.variable(String::new(), ir::Space::Function, ty, ir::Init::Zero, self.span())
    }

    fn misfit<R>(&self, what: &str) -> Lowered<R> {
        self.broken(what)
    }

    fn part_ty(&self, ty: Ty, index: u32) -> Lowered<Ty> {
        self.m.types.part(ty, index).map_err(|gap| gap.at(self.span()))
    }

    fn part_ptr(&self, ptr: &Ptr, index: u32) -> Lowered<Ptr> {
        let ty = self.part_ty(ptr.ty, index)?;
        let bytes = match ptr.ty {
            Ty::Struct(_) => self.m.types.layout(ptr.ty, ptr.host).offsets.get(index as usize).copied().unwrap_or(0),
            _ => index.wrapping_mul(self.stride(ptr)?),
        };
        Ok(Ptr { offset: ptr.offset.wrapping_add(bytes), ty, ..ptr.clone() })
    }

    fn element_ptr(&mut self, ptr: &Ptr, index: Value) -> Lowered<Ptr> {
        let Some(bits) = self.f.const_bits(index) else { return self.element_of(ptr, index) };
        let bytes = (bits as u32).wrapping_mul(self.stride(ptr)?);
        Ok(Ptr { offset: ptr.offset.wrapping_add(bytes), ty: self.part_ty(ptr.ty, 0)?, ..ptr.clone() })
    }

    fn stride(&self, ptr: &Ptr) -> Lowered<u32> {
        Ok(match ptr.ty {
            Ty::Array(_) | Ty::Matrix(..) => self.m.types.layout(ptr.ty, ptr.host).stride,
            _ => self.m.types.layout(self.part_ty(ptr.ty, 0)?, ptr.host).size,
        })
    }

    fn load_leaf(&mut self, ptr: &Ptr, leaf: Type, more: MemFlags) -> Lowered<Value> {
        let mem = self.access(ptr, leaf.mem_bytes()).flags(flags(ptr, more));
        Ok(self.b().load(leaf, mem, ptr.dynamic))
    }

    fn store_leaf(&mut self, ptr: &Ptr, value: Value) -> Lowered<()> {
        let bytes = self.f.ty(value).mem_bytes();
        let mem = self.access(ptr, bytes).flags(flags(ptr, MemFlags::NONE));
        self.b().store(value, mem, ptr.dynamic);
        Ok(())
    }
}

impl FuncCx<'_, '_> {
    /// The pointer that an expression is.
    pub fn pointer(&mut self, handle: Handle<Expression>) -> Lowered<Ptr> {
        match self.value(handle)? {
            Val::Ptr(ptr) => Ok((*ptr).clone()),
            _ => self.broken("a value where a pointer is wanted"),
        }
    }

    /// The number of elements of a runtime-sized array.
    pub fn array_length(&mut self, ptr: &Ptr) -> Lowered<Value> {
        let stride = self.m.types.layout(ptr.ty, ptr.host).stride;
        let Place::Buffer(resource) = ptr.place else {
            return self.broken("the length of an array outside of a buffer");
        };
        if let Some(count) = match ptr.ty {
            Ty::Array(h) => self.m.types.facts(h).count,
            _ => None,
        } {
            return Ok(self.f.iconst(Type::I32, count.into()));
        }
        if stride == 0 {
            return self.broken("an array without a stride");
        }
        let bytes = self.b().buffer_length(resource);
        Ok(self.elements(bytes, ptr.offset, stride))
    }

    /// Lowers an `Atomic` statement, with its result.
    pub fn atomic(
        &mut self,
        pointer: Handle<Expression>,
        function: &AtomicFunction,
        value: Handle<Expression>,
        result: Option<Handle<Expression>>,
    ) -> Lowered<()> {
        let value = self.one(value)?;
        let ptr = self.pointer(pointer)?;
        let Ty::Atomic(scalar) = ptr.ty else { return self.broken("an atomic on plain memory") };
        if scalar.width != 4 || scalar.kind == ScalarKind::Float {
            return self.unsupported(ir::Refusal::AtomicTypes, "64-bit and float atomics");
        }
        let signed = scalar.kind == ScalarKind::Sint;
        let mem = self.access(&ptr, 4);
        let result_value = match (atomic_op(function, signed), function) {
            (Some(op), _) => Val::One(self.b().atomic(op, value, mem, ptr.dynamic)),
            (None, AtomicFunction::Exchange { compare: Some(compare) }) => {
                let compare = self.one(*compare)?;
                let old = self.b().cmpxchg(compare, value, mem, ptr.dynamic);
                let exchanged = self.b().icmp(IntCc::Eq, old, compare);
                Val::parts(vec![Val::One(old), Val::One(exchanged)])
            }
            _ => return self.broken("an atomic of no operation"),
        };
        self.define_result(result, result_value);
        Ok(())
    }
}

/// The operation of an atomic; none of one that compares.
pub fn atomic_op(function: &AtomicFunction, signed: bool) -> Option<AtomicOp> {
    Some(match *function {
        AtomicFunction::Add => AtomicOp::Add,
        AtomicFunction::Subtract => AtomicOp::Sub,
        AtomicFunction::And => AtomicOp::And,
        AtomicFunction::ExclusiveOr => AtomicOp::Xor,
        AtomicFunction::InclusiveOr => AtomicOp::Or,
        AtomicFunction::Min if signed => AtomicOp::SMin,
        AtomicFunction::Min => AtomicOp::UMin,
        AtomicFunction::Max if signed => AtomicOp::SMax,
        AtomicFunction::Max => AtomicOp::UMax,
        AtomicFunction::Exchange { compare: None } => AtomicOp::Exchange,
        AtomicFunction::Exchange { compare: Some(_) } => return None,
    })
}
