//! Addresses, loads, stores and atomics.

use super::Lowered;
use super::func::FuncCx;
use super::texture::Binding;
use super::types::{self, Ty};
use super::value::{Ptr, Val};
use crate::{limits, report};
use gpucc_ir as ir;
use ir::{AtomicOp, IntCc, Mem, MemFlags, Place, Type, Value};
use naga::{AtomicFunction, Expression, Handle, ScalarKind};

/// Arrays of up to this many elements are indexed at run time by selects instead of through memory.
const SELECT_ELEMENTS: usize = 4;

/// Zeros of more leaves than this are no stores of their own.
const MANY_LEAVES: u64 = 16;

impl FuncCx<'_, '_> {
    /// The pointer that an expression is.
    pub fn pointer(&mut self, handle: Handle<Expression>) -> Lowered<Ptr> {
        match self.value(handle)? {
            Val::Ptr(ptr) => Ok((*ptr).clone()),
            _ => self.broken("a value where a pointer is wanted"),
        }
    }

    /// A pointer to one part of what `ptr` points to.
    pub fn part_ptr(&self, ptr: &Ptr, index: u32) -> Lowered<Ptr> {
        let layout = self.m.types.layout(ptr.ty, ptr.host);
        let ty = self.part_ty(ptr.ty, index)?;
        let bytes = match ptr.ty {
            Ty::Struct(_) => layout.offsets.get(index as usize).copied().unwrap_or(0),
            _ => index.wrapping_mul(self.stride(ptr, ty)),
        };
        Ok(Ptr { offset: ptr.offset.wrapping_add(bytes), ty, ..ptr.clone() })
    }

    /// Bytes from one part of an array, matrix or vector to the next.
    pub fn stride(&self, ptr: &Ptr, part: Ty) -> u32 {
        let layout = self.m.types.layout(ptr.ty, ptr.host);
        match ptr.ty {
            Ty::Array(_) | Ty::Matrix(..) => layout.stride,
            _ => self.m.types.layout(part, ptr.host).size,
        }
    }

    /// A pointer to the part with a run-time index.
    pub fn element_ptr(&mut self, ptr: &Ptr, index: Value) -> Lowered<Ptr> {
        let ty = self.part_ty(ptr.ty, 0)?;
        let stride = self.stride(ptr, ty);
        if let Some(bits) = self.f.const_bits(index) {
            let bytes = (bits as u32).wrapping_mul(stride);
            return Ok(Ptr { offset: ptr.offset.wrapping_add(bytes), ty, ..ptr.clone() });
        }
        let mut index = self.as_i32(index);
        let count = self.m.types.parts(ptr.ty);
        let mut reach = None;
        if count > 0 && self.m.out.options.robust {
            // Every index is kept in its own array: an access never strays into a neighbouring member.
            let last = self.f.iconst(Type::I32, i64::from(count) - 1);
            index = self.b().umin(index, last);
            reach = ptr.reach.map(|before| before + u64::from(count - 1) * u64::from(stride));
        }
        let bytes = if stride == 1 {
            index
        } else {
            let stride = self.f.iconst(Type::I32, stride.into());
            self.b().imul(index, stride)
        };
        let dynamic = match ptr.dynamic {
            None => bytes,
            Some(before) => self.b().iadd(before, bytes),
        };
        let align = ptr.align.min(1 << stride.trailing_zeros().min(16));
        Ok(Ptr { dynamic: Some(dynamic), reach, align, ty, ..ptr.clone() })
    }

    /// The attribute of an access of `bytes` bytes.
    fn mem(&self, ptr: &Ptr, bytes: u32) -> Mem {
        let mut flags = ptr.flags;
        let size = match ptr.place {
            Place::Buffer(r) => self.m.out.resources[r].min_size,
            Place::Global(g) => self.m.out.globals[g].size,
            Place::Local(l) => self.f.locals[l].size,
            Place::Address => 0,
        };
        let end = ptr.reach.map(|reach| u64::from(ptr.offset) + reach + u64::from(bytes));
        if end.is_some_and(|end| end <= u64::from(size)) {
            flags = flags.with(MemFlags::IN_BOUNDS);
        }
        Mem { place: ptr.place, offset: ptr.offset, align: ptr.address_align(), flags }
    }

    /// Reads what a pointer points to.
    pub fn load(&mut self, ptr: &Ptr) -> Lowered<Val> {
        self.load_with(ptr, MemFlags::NONE)
    }

    /// Reads with more flags on each access.
    pub fn load_with(&mut self, ptr: &Ptr, flags: MemFlags) -> Lowered<Val> {
        if let Some(leaf) = types::leaf(ptr.ty) {
            let mut mem = self.mem(ptr, leaf.mem_bytes()).flags(flags);
            if matches!(ptr.ty, Ty::Atomic(_)) {
                mem = mem.flags(MemFlags::ATOMIC);
            }
            return Ok(Val::One(self.b().load(leaf, mem, ptr.dynamic)));
        }
        if (ptr.flags.has(MemFlags::READONLY) && ptr.flags.is_plain()) || (ptr.still && self.is_long(ptr.ty)) {
            return Ok(Val::InMemory(ptr.clone().into()));
        }
        self.load_parts(ptr, flags)
    }

    fn load_parts(&mut self, ptr: &Ptr, flags: MemFlags) -> Lowered<Val> {
        self.check_size(ptr.ty)?;
        let mut parts = Vec::new();
        for i in 0..self.m.types.parts(ptr.ty) {
            let part = self.part_ptr(ptr, i)?;
            let value = self.load_with(&part, flags)?;
            parts.push(self.materialise(&value)?);
        }
        Ok(Val::parts(parts))
    }

    /// Brings an aggregate that was left in memory into values.
    pub fn materialise(&mut self, value: &Val) -> Lowered<Val> {
        match value {
            Val::InMemory(ptr) => {
                let ptr = ptr.clone();
                self.load_parts(&ptr, MemFlags::NONE)
            }
            other => Ok(other.clone()),
        }
    }

    /// Writes a value to where a pointer points: leaf by leaf, or by a copy of what is in memory; never padding.
    pub fn store(&mut self, ptr: &Ptr, value: &Val) -> Lowered<()> {
        if let Some(leaf) = types::leaf(ptr.ty) {
            let value = self.single(value)?;
            let mut mem = self.mem(ptr, leaf.mem_bytes());
            if matches!(ptr.ty, Ty::Atomic(_)) {
                mem = mem.flags(MemFlags::ATOMIC);
            }
            self.b().store(value, mem, ptr.dynamic);
            return Ok(());
        }
        if let Val::InMemory(from) = value
            && self.is_long(ptr.ty)
        {
            return self.copy(ptr, &from.clone());
        }
        match self.materialise(value)? {
            value if self.clears(ptr, &value) => {
                self.b().var_init(ptr.place);
                Ok(())
            }
            Val::Parts(parts) => {
                for (i, part) in parts.iter().enumerate() {
                    let into = self.part_ptr(ptr, i as u32)?;
                    self.store(&into, part)?;
                }
                Ok(())
            }
            _ => self.broken("a scalar stored to an aggregate"),
        }
    }

    /// Whether a store sets a whole variable of many leaves to zero, which is what it begins with: one instruction then,
    /// in place of one for each leaf. naga's SPIR-V zeroes workgroup memory in this way.
    fn clears(&self, ptr: &Ptr, value: &Val) -> bool {
        let var = match ptr.place {
            Place::Global(g) if self.m.out.globals[g].space == ir::Space::Workgroup => &self.m.out.globals[g],
            Place::Local(l) => &self.f.locals[l],
            _ => return false,
        };
        let whole = ptr.offset == 0 && ptr.dynamic.is_none() && self.m.types.layout(ptr.ty, ptr.host).size == var.size;
        whole && matches!(var.init, ir::Init::Zero) && self.m.types.leaves(ptr.ty) > MANY_LEAVES && self.is_zero(value)
    }

    /// Whether all leaves of a value are constants with no bit set.
    fn is_zero(&self, value: &Val) -> bool {
        match value {
            Val::One(v) => self.f.as_const(*v).is_some_and(|c| c.bits.iter().all(|&b| b == 0)),
            Val::Parts(parts) => parts.iter().all(|p| self.is_zero(p)),
            Val::Ptr(_) | Val::InMemory(_) | Val::Handle(_) => false,
        }
    }

    /// A constant-indexed part of a pointer or value.
    pub fn part(&mut self, base: &Val, index: u32) -> Lowered<Val> {
        match base {
            Val::Handle(binding) => {
                let index = self.f.iconst(Type::I32, index.into());
                Ok(Val::Handle(Binding { index: Some(index), ..*binding }))
            }
            Val::Ptr(ptr) => Ok(Val::Ptr(self.part_ptr(ptr, index)?.into())),
            Val::InMemory(ptr) => {
                let part = self.part_ptr(ptr, index)?;
                self.load(&part)
            }
            Val::One(v) => {
                let v = *v;
                if index >= self.f.ty(v).lanes() {
                    return self.broken("a lane that the vector does not have");
                }
                Ok(Val::One(self.extract(v, index)))
            }
            Val::Parts(parts) => match parts.get(index as usize) {
                Some(part) => Ok(part.clone()),
                None => self.broken("a part that the value does not have"),
            },
        }
    }

    /// A part with a run-time index. Out of range it is some part or zero.
    pub fn element(&mut self, base: &Val, base_ty: Option<Ty>, index: Value) -> Lowered<Val> {
        if let Some(bits) = self.f.const_bits(index)
            && !matches!(base, Val::Ptr(_) | Val::Handle(_))
        {
            let count = match base {
                Val::One(v) => self.f.ty(*v).lanes(),
                Val::Parts(parts) => parts.len() as u32,
                Val::InMemory(ptr) => self.m.types.parts(ptr.ty),
                Val::Ptr(_) | Val::Handle(_) => 0,
            };
            return self.part(base, (bits as u32).min(count.saturating_sub(1)));
        }
        match base {
            Val::Handle(binding) => {
                let binding = *binding;
                let index = self.as_i32(index);
                Ok(Val::Handle(Binding { index: Some(index), ..binding }))
            }
            Val::Ptr(ptr) => Ok(Val::Ptr(self.element_ptr(ptr, index)?.into())),
            Val::InMemory(ptr) => {
                let part = self.element_ptr(ptr, index)?;
                self.load(&part)
            }
            Val::One(v) => {
                let index = self.as_i32(index);
                Ok(Val::One(self.b().extract_dyn(*v, index)))
            }
            Val::Parts(parts) => {
                let index = self.as_i32(index);
                let Some(ty) = base_ty else { return self.broken("an indexed value without a type") };
                if parts.len() <= SELECT_ELEMENTS && self.m.types.leaves(self.part_ty(ty, 0)?) <= 4 {
                    return self.choose(parts, index);
                }
                let ptr = self.addressable(base, ty)?;
                let part = self.element_ptr(&ptr, index)?;
                self.load(&part)
            }
        }
    }

    /// The part with this index by a chain of selects; the last one if the index is too large.
    fn choose(&mut self, parts: &[Val], index: Value) -> Lowered<Val> {
        let Some(mut chosen) = parts.last().cloned() else { return self.broken("an empty array") };
        for (i, part) in parts.iter().enumerate().rev().skip(1) {
            let i = self.f.iconst(Type::I32, i as i64);
            let here = self.b().icmp(IntCc::Eq, index, i);
            chosen = self.select_val(here, part, &chosen)?;
        }
        Ok(chosen)
    }

    /// One of two values of the same shape.
    pub fn select_val(&mut self, condition: Value, yes: &Val, no: &Val) -> Lowered<Val> {
        match (self.materialise(yes)?, self.materialise(no)?) {
            (Val::One(a), Val::One(b)) => Ok(Val::One(if a == b { a } else { self.b().select(condition, a, b) })),
            (Val::Parts(a), Val::Parts(b)) => {
                let pairs = a.iter().zip(b.iter()).map(|(a, b)| self.select_val(condition, a, b));
                Ok(Val::parts(pairs.collect::<Lowered<_>>()?))
            }
            _ => self.broken("a choice between different shapes"),
        }
    }

    /// Puts a value where it can be indexed: a constant into a table, anything else into a variable.
    fn addressable(&mut self, value: &Val, ty: Ty) -> Lowered<Ptr> {
        self.check_size(ty)?;
        let layout = self.m.types.layout(ty, false);
        if u64::from(layout.size) > limits::VARIABLE_BYTES.max {
            return Err(report::limit(&limits::VARIABLE_BYTES).at(self.span(), "this value"));
        }
        if let Some(bytes) = self.image(value, ty)? {
            let table = self.m.table(bytes, layout.align);
            let align = self.m.out.globals[table].align;
            let flags = MemFlags::READONLY;
            return Ok(Ptr {
                place: Place::Global(table),
                host: false,
                flags,
                offset: 0,
                dynamic: None,
                reach: Some(0),
                align,
                ty,
                still: false,
            });
        }
        let local = self.temporary(ty)?;
        let ptr = self.local_ptr(local, ty);
        self.store(&ptr, value)?;
        Ok(ptr)
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
        let mut bytes = self.b().buffer_length(resource);
        if ptr.offset > 0 {
            let offset = self.f.iconst(Type::I32, ptr.offset.into());
            bytes = self.b().isub(bytes, offset);
        }
        if stride.is_power_of_two() {
            let shift = self.f.iconst(Type::I32, stride.trailing_zeros().into());
            return Ok(self.b().ushr(bytes, shift));
        }
        let stride = self.f.iconst(Type::I32, stride.into());
        Ok(self.b().udiv(bytes, stride))
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
        let op = match *function {
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
            AtomicFunction::Exchange { compare: Some(compare) } => {
                let compare = self.one(compare)?;
                let mem = self.mem(&ptr, 4);
                let old = self.b().cmpxchg(compare, value, mem, ptr.dynamic);
                let exchanged = self.b().icmp(IntCc::Eq, old, compare);
                self.define_result(result, Val::parts(vec![Val::One(old), Val::One(exchanged)]));
                return Ok(());
            }
        };
        let mem = self.mem(&ptr, 4);
        let old = self.b().atomic(op, value, mem, ptr.dynamic);
        self.define_result(result, Val::One(old));
        Ok(())
    }
}
