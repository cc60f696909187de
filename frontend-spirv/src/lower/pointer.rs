//! Pointers: access chains, and pointers that differ from way to way.

use super::cx::Lowered;
use super::func::FuncCx;
use crate::module::Inst;
use crate::types::{Kind, Ty};
use crate::value::{Buffers, Choice, Handle, Index, InputPtr, Ptr, Val};
use gpucc_frontend_common::Memory;
use gpucc_ir as ir;
use ir::{Edge, MemFlags, Place, Refusal, Type, Value};
use std::rc::Rc;

impl FuncCx<'_, '_> {
    /// `OpAccessChain` and its like.
    pub fn access_chain(&mut self, inst: &Inst) -> Lowered<Val> {
        let m = self.m.m;
        let o = m.operands(inst);
        let mut val = self.pointed(o[0])?;
        for &id in &o[1..] {
            let index = self.one(id)?;
            let ty = self.code.f.ty(index);
            if !ty.is_int() || ty.is_vector() {
                return self.wrong(format!("the index %{id} is no integer"));
            }
            val = self.step(&val, index)?;
        }
        self.checked_pointer(inst, val)
    }

    /// A pointer, if it points to what the type of the instruction says.
    pub fn checked_pointer(&mut self, inst: &Inst, val: Val) -> Lowered<Val> {
        let ty = self.m.types.of(inst.ty, inst)?;
        let (_, to) = self.m.pointee(ty, inst)?;
        let have = match &val {
            Val::Ptr(p) => p.ty,
            Val::Input(p) => p.ty,
            Val::Handle(h) => h.ty,
            Val::Buffers(b) => b.ty,
            _ => return self.wrong("its base is no pointer"),
        };
        if have != to {
            return self.wrong("its type points to something else");
        }
        Ok(val)
    }

    /// A pointer to one part of what a pointer points to.
    fn step(&mut self, val: &Val, index: Value) -> Lowered<Val> {
        match val {
            Val::Ptr(ptr) => match self.code.f.const_int(index) {
                Some(at) => Ok(Val::Ptr(self.constant_part(ptr, at)?.into())),
                None => Ok(Val::Ptr(self.element_ptr(ptr, index)?.into())),
            },
            Val::Input(ptr) => {
                let at = match self.code.f.const_int(index) {
                    Some(at) => Index::At(self.clamped(ptr.ty, at)?),
                    None => Index::Dynamic(self.code.as_i32(index)),
                };
                let ty = match (at, self.m.types.kind(ptr.ty)) {
                    (Index::Dynamic(_), Kind::Struct(_)) => None,
                    (Index::At(n), _) => self.m.types.part(ptr.ty, n),
                    _ => self.m.types.part(ptr.ty, 0),
                };
                let Some(ty) = ty else { return self.wrong("it asks for a part that is not there") };
                let mut path = ptr.path.clone();
                path.push((ptr.ty, at));
                Ok(Val::Input(Rc::new(InputPtr { variable: ptr.variable, path, ty })))
            }
            Val::Handle(h) => match *self.m.types.kind(h.ty) {
                Kind::Array(of, ..) | Kind::Runtime(of, _) => {
                    let index = self.number_in(h.index, h.ty, index)?;
                    self.known_element(h.ty, index, self.m.handles[h.variable].count as usize)?;
                    Ok(Val::Handle(Handle { index: Some(index), ty: of, ..*h }))
                }
                _ => self.wrong("it asks for a part of an image or a sampler"),
            },
            Val::Buffers(all) => self.buffer_element(all, index),
            _ => self.wrong("its base is no pointer"),
        }
    }

    /// The number of an element among those of all arrays around it.
    fn number_in(&mut self, outer: Option<Value>, array: Ty, index: Value) -> Lowered<Value> {
        let mut index = self.code.as_i32(index);
        let Some(outer) = outer else { return Ok(index) };
        let count = self.m.types.parts(array);
        if count == 0 {
            return self.wrong("an array without a size in another one");
        }
        let last = self.code.f.iconst(Type::I32, i64::from(count) - 1);
        index = self.b().umin(index, last);
        let before = self.times(outer, count);
        Ok(self.b().iadd(before, index))
    }

    /// A pointer to an element of an array of buffers.
    fn buffer_element(&mut self, all: &Buffers, index: Value) -> Lowered<Val> {
        let (Kind::Array(of, ..) | Kind::Runtime(of, _)) = *self.m.types.kind(all.ty) else {
            return self.broken("an array of buffers that is none");
        };
        let index = self.number_in(all.index, all.ty, index)?;
        if !self.m.types.is_block(of) {
            return Ok(Val::Buffers(Rc::new(Buffers { index: Some(index), ty: of, ..all.clone() })));
        }
        self.known_element(all.ty, index, all.places.len())?;
        let (place, choice) = self.chosen(&all.places, Some(index));
        Ok(Val::Ptr(Rc::new(Ptr { place, choice, ty: of, ..all.first.clone() })))
    }

    /// Refuses an element that an array without a size does not have here.
    fn known_element(&self, array: Ty, index: Value, count: usize) -> Lowered<()> {
        let at = self.code.f.const_bits(index).filter(|&at| at >= count as u64);
        match at.filter(|_| matches!(self.m.types.kind(array), Kind::Runtime(..))) {
            Some(at) => {
                let text = format!("of element {at} of an array without a size, which has {count} elements");
                self.missing(Refusal::BindingArrays, text)
            }
            None => Ok(()),
        }
    }

    /// The memory of an element, or the choice of several. One that is not there stands in code that does not run.
    pub fn chosen(&self, places: &[Place], index: Option<Value>) -> (Place, Option<Rc<Choice>>) {
        let last = places.len() - 1;
        match index {
            Some(index) if last > 0 => match self.code.f.const_bits(index) {
                Some(at) => (places[(at.min(last as u64)) as usize], None),
                None => (places[0], Some(Rc::new(Choice { index, places: places.to_vec() }))),
            },
            _ => (places[0], None),
        }
    }

    /// Applies `f` to a pointer into one place. A pointer into one of several becomes a switch, whose result is one value of type `ty`.
    pub fn at_place(
        &mut self,
        ptr: &Ptr,
        ty: Option<Type>,
        f: &mut dyn FnMut(&mut Self, &Ptr) -> Lowered<Option<Value>>,
    ) -> Lowered<Option<Value>> {
        let Some(choice) = &ptr.choice else { return f(self, ptr) };
        self.m.count(choice.places.len() as u64)?;
        let merge = self.code.f.make_block();
        let result = ty.map(|ty| self.code.f.add_param(merge, ty));
        let blocks: Vec<ir::Block> = choice.places.iter().map(|_| self.code.f.make_block()).collect();
        let Some((&last, others)) = blocks.split_last() else { return self.broken("a choice of nothing") };
        let cases = others.iter().enumerate().map(|(k, &b)| (k as u64, Edge::to(b))).collect();
        self.b().switch(choice.index, cases, Edge::to(last), Some(merge));
        for (&block, &place) in blocks.iter().zip(&choice.places) {
            self.code.start(block);
            let value = f(self, &Ptr { place, choice: None, ..ptr.clone() })?;
            let args: Vec<Value> = value.into_iter().collect();
            self.b().jump(merge, &args);
        }
        self.code.start(merge);
        Ok(result)
    }

    /// An index that a type has. One that it lacks stands in code that does not run, or in a wrong program: it is kept inside.
    fn clamped(&self, ty: Ty, at: i64) -> Lowered<u32> {
        let n = match self.m.types.kind(ty) {
            Kind::Runtime(..) => u32::MAX,
            _ => self.m.types.parts(ty),
        };
        if n == 0 || matches!(self.m.types.kind(ty), Kind::Struct(_)) && !(0..i64::from(n)).contains(&at) {
            return self.wrong(format!("there is no part {at}"));
        }
        // As unsigned numbers negative ones are beyond the end.
        let at = if at < 0 { u64::MAX } else { at as u64 };
        Ok(at.min(u64::from(n) - 1) as u32)
    }

    fn constant_part(&mut self, ptr: &Ptr, at: i64) -> Lowered<Ptr> {
        if let Kind::Runtime(..) = self.m.types.kind(ptr.ty) {
            // Bounds are looked at when it runs.
            let index = self.code.f.iconst(Type::I32, at);
            if !(0..1 << 24).contains(&at) {
                return self.element_of(ptr, index);
            }
        }
        let n = self.clamped(ptr.ty, at)?;
        self.part_ptr(ptr, n)
    }

    /// The offset of a pointer from the beginning of its place.
    pub fn whole_offset(&mut self, ptr: &Ptr) -> Lowered<Value> {
        let constant = self.code.f.iconst(Type::I32, i64::from(ptr.offset as i32));
        Ok(match ptr.dynamic {
            None => constant,
            Some(dynamic) if ptr.offset == 0 => dynamic,
            Some(dynamic) => self.b().iadd(dynamic, constant),
        })
    }

    /// A pointer to the same type in the same place at an offset.
    pub fn moved(&self, ptr: &Ptr, offset: Value) -> Val {
        let align = self.m.types.get(ptr.ty).scalar_bytes.clamp(1, 4);
        let align = align.min(ptr.address_align());
        Val::Ptr(Rc::new(Ptr { offset: 0, dynamic: Some(offset), reach: None, align, ..ptr.clone() }))
    }

    /// One of two pointers into the same place.
    pub fn select_pointer(&mut self, condition: Value, yes: &Ptr, no: &Ptr) -> Lowered<Val> {
        if yes.ty != no.ty || yes.lanes != no.lanes || yes.matrix != no.matrix || yes.host != no.host {
            return self.missing(Refusal::Spirv, "of pointers into several variables");
        }
        let (a, b) = (self.whole_offset(yes)?, self.whole_offset(no)?);
        let offset = self.b().select(condition, a, b);
        if yes.is_beside(no) {
            return Ok(self.moved(yes, offset));
        }
        // The memories of the one, then those of the other.
        let places: Vec<Place> = yes.places().iter().chain(no.places()).copied().collect();
        let number = |cx: &mut Self, ptr: &Ptr| match &ptr.choice {
            Some(choice) => {
                let last = cx.code.f.iconst(Type::I32, choice.places.len() as i64 - 1);
                cx.b().umin(choice.index, last)
            }
            None => cx.code.f.iconst(Type::I32, 0),
        };
        let (a, b) = (number(self, yes), number(self, no));
        let behind = self.code.f.iconst(Type::I32, yes.places().len() as i64);
        let b = self.b().iadd(b, behind);
        let index = self.b().select(condition, a, b);
        let flags = yes.flags.with(no.flags);
        let flags =
            if yes.flags.has(no.flags) && no.flags.has(yes.flags) { flags } else { flags.without(MemFlags::READONLY) };
        let align = yes.address_align().min(no.address_align());
        let both = Ptr {
            place: places[0],
            choice: Some(Rc::new(Choice { index, places })),
            flags,
            offset: 0,
            align,
            ..yes.clone()
        };
        Ok(self.moved(&both, offset))
    }

    /// The value of an id that is a pointer: one that is an address points to memory.
    pub fn pointed(&mut self, id: u32) -> Lowered<Val> {
        let val = self.val(id)?;
        let Val::One(base) = val else { return Ok(val) };
        let ty = self.ty_of(id)?;
        let Some(to) = self.m.types.address_of(ty).and_then(|to| self.m.types.find(to)) else { return Ok(val) };
        // Accesses say how it is aligned.
        let ptr = Ptr::new(Place::Address, to, 1 << 16);
        Ok(Val::Ptr(Rc::new(Ptr { base: Some(base), host: true, reach: None, ..ptr })))
    }

    /// A pointer for an access with these operands, which say how an address is aligned.
    pub fn aligned(&self, ptr: Ptr, operands: &[u32]) -> Ptr {
        use rspirv::spirv::MemoryAccess;
        if ptr.place != Place::Address {
            return ptr;
        }
        let set = MemoryAccess::from_bits_truncate(operands.first().copied().unwrap_or(0));
        let said = operands.get(1).copied().filter(|&n| set.contains(MemoryAccess::ALIGNED) && n.is_power_of_two());
        let align = said.unwrap_or_else(|| self.m.types.get(ptr.ty).scalar_bytes.max(1)).min(1 << 16);
        // What is known of the whole address is known of the part without the constant.
        let align = if ptr.offset == 0 { align } else { align.min(1 << ptr.offset.trailing_zeros().min(16)) };
        Ptr { align, ..ptr }
    }

    /// `OpPtrAccessChain`: the first index counts elements of the array that the pointer points into.
    pub fn pointer_chain(&mut self, inst: &Inst) -> Lowered<Val> {
        let m = self.m.m;
        let o = m.operands(inst);
        let ty = self.ty_of(o[0])?;
        let stride = m.deco_number(self.m.types.get(ty).id, rspirv::spirv::Decoration::ArrayStride);
        let mut ptr = self.pointer(o[0])?;
        let index = self.one(o[1])?;
        let zero = self.code.f.const_bits(index) == Some(0);
        let own = self.m.types.get(ptr.ty).own.clone();
        let stride = match (stride, ptr.host) {
            (Some(stride), true) => stride,
            (_, false) => own.size.next_multiple_of(own.align.max(1)),
            (None, true) if zero => 0,
            (None, true) => return self.missing(Refusal::Spirv, "with a pointer without an `ArrayStride`"),
        };
        if let (false, Some(base)) = (zero, ptr.base) {
            let index = self.code.resize(index, ir::Scalar::I64, true);
            let stride = self.code.f.iconst(Type::I64, stride.into());
            let bytes = self.b().imul(index, stride);
            ptr.base = Some(self.b().iadd(base, bytes));
        } else if !zero {
            let index = self.code.as_i32(index);
            let bytes = self.times(index, stride);
            let dynamic = self.behind(&ptr, bytes);
            let align = ptr.align.min(1 << stride.trailing_zeros().min(16));
            ptr = Ptr { dynamic, reach: None, align, ..ptr };
        }
        let mut val = Val::Ptr(ptr.into());
        for &id in &o[2..] {
            let index = self.one(id)?;
            val = self.step(&val, index)?;
        }
        self.checked_pointer(inst, val)
    }
}
