//! Loads, stores, atomics and barriers.

use super::cx::Lowered;
use super::func::FuncCx;
use crate::module::Inst;
use crate::types::{Kind, Ty, Types};
use crate::value::{Cell, Index, Ptr, Val};
use gpucc_frontend_common::Memory;
use gpucc_ir as ir;
use ir::{AtomicOp, Edge, IntCc, Mem, MemFlags, Place, Refusal, Type, Value};
use rspirv::spirv::Op;
use std::rc::Rc;

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
        self.m.own_variable(String::new(), ir::Space::Function, ty, ir::Init::Zero, self.span())
    }

    fn misfit<R>(&self, what: &str) -> Lowered<R> {
        self.wrong(what)
    }

    fn count(&mut self, parts: u64) -> Lowered<()> {
        self.m.count(parts)
    }

    fn part_ty(&self, ty: Ty, index: u32) -> Lowered<Ty> {
        match self.m.types.part(ty, index) {
            Some(part) => Ok(part),
            None => self.wrong("it asks for a part that is not there"),
        }
    }

    fn part_ptr(&self, ptr: &Ptr, index: u32) -> Lowered<Ptr> {
        let types = &self.m.types;
        let mut part = Ptr { ty: self.part_ty(ptr.ty, index)?, ..ptr.clone() };
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

    fn stride(&self, ptr: &Ptr) -> Lowered<u32> {
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

    fn element_ptr(&mut self, ptr: &Ptr, index: Value) -> Lowered<Ptr> {
        if matches!(self.m.types.kind(ptr.ty), Kind::Struct(_)) {
            return self.wrong("the index of a member is no constant");
        }
        self.element_of(ptr, index)
    }

    fn writable(&self, ptr: &Ptr) -> Lowered<()> {
        let read = |p: &Place| matches!(*p, Place::Buffer(r) if !self.m.out.resources[r].kind.is_writable());
        match ptr.places().iter().any(read) {
            true => self.wrong("it writes a buffer that is only read"),
            false => Ok(()),
        }
    }

    fn load_leaf(&mut self, ptr: &Ptr, leaf: Type, flags: MemFlags) -> Lowered<Value> {
        if ptr.lanes.is_some() && leaf.is_vector() {
            return self.load_column(ptr, leaf, flags);
        }
        let loaded = self.at_place(ptr, Some(leaf), &mut |cx, ptr| {
            let mem = cx.mem(ptr, leaf.mem_bytes())?.flags(flags);
            cx.natural(&mem, leaf)?;
            let dynamic = cx.dynamic(ptr);
            Ok(Some(cx.b().load(leaf, mem, dynamic)))
        })?;
        loaded.map_or_else(|| self.broken("a load of nothing"), Ok)
    }

    fn store_leaf(&mut self, ptr: &Ptr, value: Value) -> Lowered<()> {
        let lanes = self.code.f.ty(value).lanes();
        if ptr.lanes.is_some() && lanes > 1 {
            return (0..lanes).try_for_each(|k| {
                let part = self.part_ptr(ptr, k)?;
                let lane = self.code.extract(value, k);
                self.store_leaf(&part, lane)
            });
        }
        let bytes = self.code.f.ty(value).mem_bytes();
        self.at_place(ptr, None, &mut |cx, ptr| {
            let mem = cx.mem(ptr, bytes)?;
            cx.natural(&mem, cx.code.f.ty(value))?;
            let dynamic = cx.dynamic(ptr);
            cx.b().store(value, mem, dynamic);
            Ok(None)
        })?;
        Ok(())
    }

    fn load_parts(&mut self, ptr: &Ptr, flags: MemFlags) -> Lowered<Val> {
        self.check_size(ptr.ty)?;
        match (self.m.types.kind(ptr.ty).clone(), ptr.matrix) {
            (Kind::Matrix(column, n), Some(layout)) if layout.row_major && ptr.host => {
                self.load_rows(ptr, column, n, layout.stride, flags)
            }
            _ => self.load_each(ptr, flags),
        }
    }

    fn store_parts(&mut self, ptr: &Ptr, parts: &[Val]) -> Lowered<()> {
        match (self.m.types.kind(ptr.ty), ptr.matrix) {
            (Kind::Matrix(..), Some(layout)) if layout.row_major && ptr.host => {
                self.store_rows(ptr, parts, layout.stride)
            }
            _ => self.store_each(ptr, parts),
        }
    }

    fn select_other(&mut self, condition: Value, yes: &Val, no: &Val) -> Lowered<Val> {
        match (yes, no) {
            (Val::Ptr(a), Val::Ptr(b)) => self.select_pointer(condition, a, b),
            _ => self.missing(Refusal::Spirv, "of images or samplers, or of pointers into several variables"),
        }
    }
}

impl FuncCx<'_, '_> {
    /// Lowers an `OpLoad` to a value.
    pub fn load_inst(&mut self, at: usize, inst: &Inst) -> Lowered<Val> {
        let m = self.m.m;
        let o = m.operands(inst);
        let ty = self.m.types.of(inst.ty, inst)?;
        let flags = self.access_flags(o.get(1..).unwrap_or_default());
        let val = self.pointed(o[0])?;
        let to = match &val {
            Val::Ptr(p) => p.ty,
            Val::Input(p) => p.ty,
            Val::Handle(h) => h.ty,
            Val::Buffers(_) => return self.missing(Refusal::BindingArrays, "of a whole array of buffers"),
            Val::Cell(cell) => return self.load_cell(cell),
            _ => return self.wrong(format!("%{} is no pointer", o[0])),
        };
        if to != ty {
            return self.wrong("its type is not that of what it loads");
        }
        match val {
            Val::Ptr(ptr) => {
                let ptr: Rc<Ptr> = self.aligned((*ptr).clone(), o.get(1..).unwrap_or_default()).into();
                // A large aggregate that is loaded for the next instruction alone, which stores it, is copied by that.
                let next = m.insts.get(at + 1).filter(|n| n.op == Op::Store);
                if next.is_some_and(|n| m.operands(n)[1] == inst.id)
                    && m.uses(inst.id) == 1
                    && self.is_long(ty)
                    && ptr.flags.with(flags).is_alone()
                {
                    return Ok(Val::InMemory(ptr));
                }
                let all = ptr.flags.with(flags);
                if self.is_long(ty) && all.is_alone() && !all.has(MemFlags::READONLY) {
                    return self.load_still(at, inst, &ptr);
                }
                self.load_with(&ptr, flags)
            }
            Val::Input(ptr) => self.load_input(&ptr),
            Val::Handle(h) => match *self.m.types.kind(h.ty) {
                Kind::Sampled(_) => Ok(Val::Sampled(h, h)),
                Kind::Image(_) | Kind::Sampler => Ok(Val::Handle(h)),
                _ => self.missing(Refusal::Spirv, "of an array of images or samplers"),
            },
            _ => self.broken("a pointer of no kind"),
        }
    }

    /// Lowers an `OpStore` of a value.
    pub fn store_inst(&mut self, inst: &Inst) -> Lowered<()> {
        let o = self.m.m.operands(inst);
        if let Val::Cell(cell) = self.val(o[0])? {
            let val = self.val(o[1])?;
            return self.store_cell(&cell, val);
        }
        let ptr = self.pointer(o[0])?;
        let mut ptr = self.aligned(ptr, o.get(2..).unwrap_or_default());
        if self.ty_of(o[1])? != ptr.ty {
            return self.wrong(format!("%{} has another type than what it is stored to", o[1]));
        }
        let val = self.val(o[1])?;
        ptr.flags = ptr.flags.with(self.access_flags(o.get(2..).unwrap_or_default()));
        self.store(&ptr, &val)
    }

    /// The contents of a variable of an image, a sampler or a pointer: what the one store to it put there.
    fn load_cell(&mut self, cell: &Rc<Cell>) -> Lowered<Val> {
        const WHAT: &str = "of a variable of images, samplers or pointers whose value hangs on the way to it";
        let known = cell.val.borrow().clone();
        let Some((val, b)) = known else { return self.missing(Refusal::Spirv, WHAT) };
        let Some(active) = self.active.get(cell.depth - 1) else { return self.broken("a variable of no function") };
        if !active.plan.dominates(b, active.at) && self.is_computed(&val) {
            return self.missing(Refusal::Spirv, WHAT);
        }
        Ok(val)
    }

    /// Whether a value that is computed is in it.
    fn is_computed(&mut self, val: &Val) -> bool {
        let mut computed = false;
        self.map_values(val, &mut |cx, v| {
            computed |= cx.code.f.as_const(v).is_none();
            v
        });
        computed
    }

    fn store_cell(&mut self, cell: &Rc<Cell>, val: Val) -> Lowered<()> {
        const WHAT: &str = "of several values to a variable of images, samplers or pointers";
        let known = cell.val.borrow().clone();
        match (known, &val) {
            // Another value would depend on the way that is taken.
            (Some((Val::Handle(a), _)), Val::Handle(b)) if a.variable == b.variable && a.index == b.index => Ok(()),
            (Some(_), _) => self.missing(Refusal::Spirv, WHAT),
            (None, _) if self.active.len() != cell.depth && self.is_computed(&val) => {
                self.missing(Refusal::Spirv, WHAT)
            }
            (None, _) => {
                let at = self.active[cell.depth - 1].at;
                *cell.val.borrow_mut() = Some((val, at));
                Ok(())
            }
        }
    }

    /// The attribute of an access of `bytes` bytes.
    fn mem(&self, ptr: &Ptr, bytes: u32) -> Lowered<Mem> {
        let fixed = match ptr.place {
            Place::Buffer(r) => self.m.out.resources[r].stride == 0,
            Place::Global(_) | Place::Local(_) => true,
            Place::Address => false,
        };
        let size = self.place_bytes(ptr.place);
        let least = if ptr.dynamic.is_some() { 0 } else { ptr.offset };
        if fixed && u64::from(least) + u64::from(bytes) > u64::from(size) {
            return self.wrong(format!("{bytes} bytes at {least} lie outside of the {size} bytes of the variable"));
        }
        Ok(self.access(ptr, bytes))
    }

    /// Refuses an address that is said to be aligned to less than a component.
    fn natural(&self, mem: &Mem, leaf: Type) -> Lowered<()> {
        match mem.place == Place::Address && mem.align < leaf.scalar().mem_bytes().min(4) {
            true => self.missing(Refusal::Spirv, "at an address that is aligned to less than a component"),
            false => Ok(()),
        }
    }

    /// A column of a matrix whose rows lie together.
    fn load_column(&mut self, ptr: &Ptr, leaf: Type, flags: MemFlags) -> Lowered<Value> {
        let mut lanes = Vec::new();
        for k in 0..leaf.lanes() {
            let part = self.part_ptr(ptr, k)?;
            lanes.push(self.load_leaf(&part, leaf.lane(), flags)?);
        }
        Ok(self.code.compose(&lanes))
    }

    /// A whole matrix whose rows lie together: row by row.
    fn load_rows(&mut self, ptr: &Ptr, column: crate::types::Ty, n: u32, stride: u32, flags: MemFlags) -> Lowered<Val> {
        let Some(leaf) = self.m.types.leaf(column) else { return self.broken("a matrix of no vectors") };
        let row = leaf.with_lanes(n);
        let mut rows = Vec::new();
        for k in 0..leaf.lanes() {
            let part = Ptr { offset: ptr.offset.wrapping_add(k * stride), ..ptr.clone() };
            rows.push(self.load_leaf(&part, row, flags)?);
        }
        let columns = self.code.transpose(&rows);
        Ok(Val::parts(columns.into_iter().map(Val::One).collect()))
    }

    fn store_rows(&mut self, ptr: &Ptr, columns: &[Val], stride: u32) -> Lowered<()> {
        let columns = columns.iter().map(|c| self.single(c)).collect::<Lowered<Vec<_>>>()?;
        for (k, row) in self.code.transpose(&columns).into_iter().enumerate() {
            let part = Ptr { offset: ptr.offset.wrapping_add(k as u32 * stride), ..ptr.clone() };
            self.store_leaf(&part, row)?;
        }
        Ok(())
    }

    /// The part of an input that a pointer names.
    pub fn load_input(&mut self, ptr: &Rc<crate::value::InputPtr>) -> Lowered<Val> {
        let constant = ptr.path.iter().take_while(|p| matches!(p.1, Index::At(_)));
        let path: Vec<u32> = constant.map(|p| if let Index::At(n) = p.1 { n } else { 0 }).collect();
        let mut val = self.input(ptr.variable, &path)?;
        for &(ty, index) in &ptr.path[path.len()..] {
            let index = match index {
                Index::Dynamic(v) => v,
                Index::At(n) => self.code.f.iconst(Type::I32, n.into()),
            };
            val = self.element(&val, ty, index)?;
        }
        Ok(val)
    }

    /// Lowers an `OpArrayLength` of a buffer.
    pub fn array_length(&mut self, inst: &Inst) -> Lowered<Val> {
        let o = self.m.m.operands(inst);
        let block = self.pointer(o[0])?;
        if !matches!(self.m.types.kind(block.ty), Kind::Struct(_)) {
            return self.wrong(format!("%{} is no pointer to a struct", o[0]));
        }
        let ptr = self.part_ptr(&block, o[1])?;
        let Kind::Runtime(_, Some(stride)) = self.m.types.kind(ptr.ty).clone() else {
            return self.wrong("it asks for the length of what is no runtime-sized array in a buffer");
        };
        let bytes = self.length_of(&ptr)?;
        Ok(Val::One(self.elements(bytes, ptr.offset, stride)))
    }

    /// The bytes of the buffer that a pointer points into.
    pub fn length_of(&mut self, ptr: &Ptr) -> Lowered<Value> {
        let bytes = self.at_place(ptr, Some(Type::I32), &mut |cx, ptr| match ptr.place {
            Place::Buffer(res) => Ok(Some(cx.b().buffer_length(res))),
            _ => cx.wrong("it asks for the length of what is no runtime-sized array in a buffer"),
        })?;
        bytes.map_or_else(|| self.broken("a length of nothing"), Ok)
    }

    /// Atomics: none of what is no atomic.
    pub fn atomic(&mut self, inst: &Inst) -> Lowered<Option<Val>> {
        let o = self.m.m.operands(inst);
        let op = match inst.op {
            Op::AtomicLoad | Op::AtomicStore | Op::AtomicCompareExchange => None,
            Op::AtomicFAddEXT | Op::AtomicFMinEXT | Op::AtomicFMaxEXT => None,
            Op::AtomicIIncrement | Op::AtomicIAdd => Some(AtomicOp::Add),
            Op::AtomicIDecrement | Op::AtomicISub => Some(AtomicOp::Sub),
            Op::AtomicAnd => Some(AtomicOp::And),
            Op::AtomicOr => Some(AtomicOp::Or),
            Op::AtomicXor => Some(AtomicOp::Xor),
            Op::AtomicSMin => Some(AtomicOp::SMin),
            Op::AtomicSMax => Some(AtomicOp::SMax),
            Op::AtomicUMin => Some(AtomicOp::UMin),
            Op::AtomicUMax => Some(AtomicOp::UMax),
            Op::AtomicExchange => Some(AtomicOp::Exchange),
            _ => return Ok(None),
        };
        let order = self.ordered(inst)?;
        self.release(order);
        let val = match self.val(o[0])? {
            Val::Texel(texel) => self.texel_atomic(inst, &texel, op)?,
            _ => self.buffer_atomic(inst, op, order.is_volatile())?,
        };
        self.acquire(order);
        Ok(Some(val))
    }

    fn buffer_atomic(&mut self, inst: &Inst, op: Option<AtomicOp>, volatile: bool) -> Lowered<Val> {
        let o = self.m.m.operands(inst);
        let (ptr, ty) = self.atomic_place(o[0])?;
        let sums = matches!(inst.op, Op::AtomicFAddEXT | Op::AtomicFMinEXT | Op::AtomicFMaxEXT);
        let floats = sums || matches!(inst.op, Op::AtomicLoad | Op::AtomicStore | Op::AtomicExchange);
        if sums && !ty.is_float() {
            return self.wrong("it is for floats");
        }
        if !matches!(ty.bits(), 32 | 64) || ty.is_float() && (!floats || ty.bits() != 32) {
            let of = if ty.is_float() { " of a float" } else { "" };
            return self.missing(Refusal::AtomicTypes, format!("on {} bits{of}", ty.bits()));
        }
        if inst.op != Op::AtomicLoad {
            self.writable(&ptr)?;
        }
        let volatile = if volatile { MemFlags::VOLATILE } else { MemFlags::NONE };
        let (value, compare) = match inst.op {
            Op::AtomicLoad => (None, None),
            Op::AtomicCompareExchange => (Some(self.typed(o[4], ty)?), Some(self.typed(o[5], ty)?)),
            _ => match o.get(3) {
                Some(&id) => (Some(self.typed(id, ty)?), None),
                None => (Some(self.code.f.iconst(ty, 1)), None),
            },
        };
        let result = if inst.op == Op::AtomicStore { None } else { Some(ty) };
        let old = self.at_place(&ptr, result, &mut |cx, ptr| {
            let mem = cx.mem(ptr, ty.mem_bytes())?.flags(volatile);
            let dynamic = cx.dynamic(ptr);
            match (value, compare, op) {
                (Some(value), Some(compare), _) => Ok(Some(cx.b().cmpxchg(compare, value, mem, dynamic))),
                (Some(value), _, Some(op)) => {
                    // An exchange of a float is one of its bits.
                    let bits = if ty.is_float() { cx.code.bitcast(value, Type::I32) } else { value };
                    let old = cx.b().atomic(op, bits, mem, dynamic);
                    Ok(Some(if ty.is_float() { cx.code.bitcast(old, ty) } else { old }))
                }
                (Some(value), None, None) if result.is_none() => {
                    cx.b().store(value, mem.flags(MemFlags::ATOMIC), dynamic);
                    Ok(None)
                }
                (Some(value), None, None) => cx.float_atomic(inst.op, value, mem, dynamic).map(Some),
                (None, ..) => Ok(Some(cx.b().load(ty, mem.flags(MemFlags::ATOMIC), dynamic))),
            }
        })?;
        Ok(old.map_or(Val::Void, Val::One))
    }

    /// A sum, minimum or maximum of floats: tried until nobody has changed the place since it was read.
    fn float_atomic(&mut self, op: Op, value: Value, mem: Mem, dynamic: Option<Value>) -> Lowered<Value> {
        let (head, cont, done) = (self.code.f.make_block(), self.code.f.make_block(), self.code.f.make_block());
        let first = self.b().load(Type::I32, mem.flags(MemFlags::ATOMIC), dynamic);
        self.b().jump(head, &[first]);
        self.code.start(head);
        let old = self.code.f.add_param(head, Type::I32);
        self.b().set_loop(head, done, cont);
        let before = self.code.bitcast(old, Type::F32);
        let after = match op {
            Op::AtomicFAddEXT => self.b().fadd(before, value),
            Op::AtomicFMinEXT => self.b().fmin(before, value),
            _ => self.b().fmax(before, value),
        };
        let after = self.code.bitcast(after, Type::I32);
        let found = self.b().cmpxchg(old, after, mem, dynamic);
        let same = self.b().icmp(IntCc::Eq, found, old);
        self.b().br(same, Edge::to(done), Edge::to(cont), None);
        self.code.start(cont);
        self.b().jump(head, &[found]);
        self.code.start(done);
        Ok(before)
    }

    /// A pointer to a scalar that atomics work on.
    fn atomic_place(&mut self, id: u32) -> Lowered<(Ptr, Type)> {
        let ptr = self.pointer(id)?;
        let ptr = self.aligned(ptr, &[]);
        match self.m.types.leaf(ptr.ty) {
            Some(ty) if !ty.is_vector() && !ty.is_bool() => Ok((ptr, ty)),
            _ => self.wrong(format!("%{id} points to no scalar")),
        }
    }
}
