//! Pointers: access chains, and pointers that differ from way to way.

use super::cx::Lowered;
use super::func::FuncCx;
use crate::module::Inst;
use crate::types::{Kind, Ty};
use crate::value::{Handle, Index, InputPtr, Ptr, Val};
use gpucc_ir as ir;
use ir::{Refusal, Type, Value};
use std::rc::Rc;

impl FuncCx<'_, '_> {
    /// `OpAccessChain` and its like.
    pub fn access_chain(&mut self, inst: &Inst) -> Lowered<Val> {
        let m = self.m.m;
        let o = m.operands(inst);
        let mut val = self.val(o[0])?;
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
                Kind::Array(of, ..) | Kind::Runtime(of, _) if h.index.is_none() => {
                    let index = self.code.as_i32(index);
                    Ok(Val::Handle(Handle { index: Some(index), ty: of, ..*h }))
                }
                _ => self.wrong("it asks for a part of an image or a sampler"),
            },
            _ => self.wrong("its base is no pointer"),
        }
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

    /// A pointer to one part of what `ptr` points to.
    pub fn part_ptr(&self, ptr: &Ptr, index: u32) -> Lowered<Ptr> {
        let types = &self.m.types;
        let Some(ty) = types.part(ptr.ty, index) else { return self.wrong("it asks for a part that is not there") };
        let mut part = Ptr { ty, ..ptr.clone() };
        let bytes = match types.kind(ptr.ty) {
            Kind::Struct(members) if ptr.host => {
                part.matrix = members[index as usize].matrix;
                part.flags = part.flags.with(members[index as usize].flags);
                match members[index as usize].offset {
                    Some(offset) => offset,
                    None => return self.wrong("a member of a buffer without an `Offset`"),
                }
            }
            Kind::Struct(_) => types.get(ptr.ty).own.offsets[index as usize],
            _ => {
                let stride = self.stride(ptr)?;
                self.inside(ptr, &mut part);
                index.wrapping_mul(stride)
            }
        };
        part.offset = ptr.offset.wrapping_add(bytes);
        Ok(part)
    }

    /// The layout that a pointer to a column of a matrix needs.
    fn inside(&self, ptr: &Ptr, part: &mut Ptr) {
        match (self.m.types.kind(ptr.ty), ptr.matrix) {
            (Kind::Matrix(..), Some(layout)) if ptr.host => {
                part.lanes = if layout.row_major { Some(layout.stride) } else { None };
                part.matrix = None;
            }
            (Kind::Vector(..), _) => part.lanes = None,
            _ => {}
        }
    }

    /// Bytes from one part of an array, matrix or vector to the next.
    pub fn stride(&self, ptr: &Ptr) -> Lowered<u32> {
        let types = &self.m.types;
        let own = &types.get(ptr.ty).own;
        let found = match (types.kind(ptr.ty), ptr.host) {
            (Kind::Array(_, _, stride) | Kind::Runtime(_, stride), true) => *stride,
            (Kind::Matrix(..), true) => match ptr.matrix {
                Some(layout) if layout.row_major => Some(types.get(ptr.ty).scalar_bytes),
                Some(layout) => Some(layout.stride),
                None => None,
            },
            (Kind::Array(..) | Kind::Runtime(..) | Kind::Matrix(..), false) => Some(own.stride),
            (Kind::Vector(..), _) => Some(ptr.lanes.unwrap_or(types.get(ptr.ty).scalar_bytes)),
            _ => None,
        };
        match found {
            Some(stride) => Ok(stride),
            None => self.wrong("it asks for a part of what has none, or of an array or a matrix without a stride"),
        }
    }

    /// A pointer to the part with a run-time index.
    pub fn element_ptr(&mut self, ptr: &Ptr, index: Value) -> Lowered<Ptr> {
        if matches!(self.m.types.kind(ptr.ty), Kind::Struct(_)) {
            return self.wrong("the index of a member is no constant");
        }
        self.element_of(ptr, index)
    }

    fn element_of(&mut self, ptr: &Ptr, index: Value) -> Lowered<Ptr> {
        let stride = self.stride(ptr)?;
        let Some(ty) = self.m.types.part(ptr.ty, 0) else { return self.wrong("it asks for a part of what has none") };
        let mut index = self.code.as_i32(index);
        let count = self.m.types.parts(ptr.ty);
        let mut reach = None;
        if count > 0 && self.m.out.options.robust {
            // Every index is kept in its own array: an access never strays into a neighbouring member.
            let last = self.code.f.iconst(Type::I32, i64::from(count) - 1);
            index = self.b().umin(index, last);
            reach = ptr.reach.map(|before| before + u64::from(count - 1) * u64::from(stride));
        }
        let bytes = self.times(index, stride);
        let dynamic = match ptr.dynamic {
            None => bytes,
            Some(before) => self.b().iadd(before, bytes),
        };
        let align = ptr.align.min(1 << stride.trailing_zeros().min(16));
        let mut part = Ptr { dynamic: Some(dynamic), reach, align, ty, ..ptr.clone() };
        self.inside(ptr, &mut part);
        Ok(part)
    }

    fn times(&mut self, index: Value, stride: u32) -> Value {
        if stride == 1 {
            return index;
        }
        let stride = self.code.f.iconst(Type::I32, stride.into());
        self.b().imul(index, stride)
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
        if yes.place != no.place || yes.ty != no.ty || yes.lanes != no.lanes || yes.matrix != no.matrix {
            return self.missing(Refusal::Spirv, "of pointers into several variables");
        }
        let (a, b) = (self.whole_offset(yes)?, self.whole_offset(no)?);
        let offset = self.b().select(condition, a, b);
        Ok(self.moved(yes, offset))
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
        if !zero {
            let index = self.code.as_i32(index);
            let bytes = self.times(index, stride);
            let dynamic = match ptr.dynamic {
                None => bytes,
                Some(before) => self.b().iadd(before, bytes),
            };
            let align = ptr.align.min(1 << stride.trailing_zeros().min(16));
            ptr = Ptr { dynamic: Some(dynamic), reach: None, align, ..ptr };
        }
        let mut val = Val::Ptr(ptr.into());
        for &id in &o[2..] {
            let index = self.one(id)?;
            val = self.step(&val, index)?;
        }
        self.checked_pointer(inst, val)
    }
}
