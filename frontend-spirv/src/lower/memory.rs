//! Loads, stores, atomics and barriers.

use super::cx::Lowered;
use super::func::FuncCx;
use crate::module::Inst;
use crate::types::Kind;
use crate::value::{Cell, Index, Ptr, Val};
use gpucc_frontend_common::limits;
use gpucc_ir as ir;
use ir::{AtomicOp, Edge, IntCc, Mem, MemFlags, Place, Refusal, Type, Value};
use rspirv::spirv::Op;
use std::rc::Rc;

/// Arrays of up to this many elements are indexed at run time by selects instead of through memory.
const SELECT_ELEMENTS: usize = 4;

/// Zeros of more leaves than this are no stores of their own.
const MANY_LEAVES: u64 = 16;

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

    /// Refuses stores to what is only read.
    fn writable(&self, ptr: &Ptr) -> Lowered<()> {
        let read = |p: &Place| matches!(*p, Place::Buffer(r) if !self.m.out.resources[r].kind.is_writable());
        match ptr.places().iter().any(read) {
            true => self.wrong("it writes a buffer that is only read"),
            false => Ok(()),
        }
    }

    /// The attribute of an access of `bytes` bytes.
    fn mem(&self, ptr: &Ptr, bytes: u32) -> Lowered<Mem> {
        let mut flags = ptr.flags;
        let (size, fixed) = match ptr.place {
            Place::Buffer(r) => (self.m.out.resources[r].min_size, self.m.out.resources[r].stride == 0),
            Place::Global(g) => (self.m.out.globals[g].size, true),
            Place::Local(l) => (self.code.f.locals[l].size, true),
            Place::Address => (0, false),
        };
        let end = ptr.reach.map(|reach| u64::from(ptr.offset) + reach + u64::from(bytes));
        if end.is_some_and(|end| end <= u64::from(size)) {
            flags = flags.with(MemFlags::IN_BOUNDS);
        }
        let least = if ptr.dynamic.is_some() { 0 } else { ptr.offset };
        if fixed && u64::from(least) + u64::from(bytes) > u64::from(size) {
            return self.wrong(format!("{bytes} bytes at {least} lie outside of the {size} bytes of the variable"));
        }
        Ok(Mem { place: ptr.place, offset: ptr.offset, align: ptr.address_align(), flags })
    }

    /// Refuses an address that is said to be aligned to less than a component.
    fn natural(&self, mem: &Mem, leaf: Type) -> Lowered<()> {
        match mem.place == Place::Address && mem.align < leaf.scalar().mem_bytes().min(4) {
            true => self.missing(Refusal::Spirv, "at an address that is aligned to less than a component"),
            false => Ok(()),
        }
    }

    /// Reads what a pointer points to.
    pub fn load(&mut self, ptr: &Ptr) -> Lowered<Val> {
        self.load_with(ptr, MemFlags::NONE)
    }

    /// Reads with more flags on each access.
    pub fn load_with(&mut self, ptr: &Ptr, flags: MemFlags) -> Lowered<Val> {
        if let Some(leaf) = self.m.types.leaf(ptr.ty) {
            if ptr.lanes.is_some() && leaf.is_vector() {
                return self.load_column(ptr, leaf, flags);
            }
            return self.load_leaf(ptr, leaf, flags).map(Val::One);
        }
        let all = ptr.flags.with(flags);
        if (all.has(MemFlags::READONLY) || ptr.still && self.is_long(ptr.ty)) && all.is_alone() {
            return Ok(Val::InMemory(ptr.clone().into()));
        }
        self.load_parts(ptr, flags)
    }

    /// One scalar or vector.
    pub fn load_leaf(&mut self, ptr: &Ptr, leaf: Type, flags: MemFlags) -> Lowered<Value> {
        let loaded = self.at_place(ptr, Some(leaf), &mut |cx, ptr| {
            let mem = cx.mem(ptr, leaf.mem_bytes())?.flags(flags);
            cx.natural(&mem, leaf)?;
            let dynamic = cx.dynamic(ptr);
            Ok(Some(cx.b().load(leaf, mem, dynamic)))
        })?;
        loaded.map_or_else(|| self.broken("a load of nothing"), Ok)
    }

    /// Writes one scalar or vector.
    pub fn store_leaf(&mut self, ptr: &Ptr, value: Value) -> Lowered<()> {
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

    /// A column of a matrix whose rows lie together.
    fn load_column(&mut self, ptr: &Ptr, leaf: Type, flags: MemFlags) -> Lowered<Val> {
        let mut lanes = Vec::new();
        for k in 0..leaf.lanes() {
            let part = self.part_ptr(ptr, k)?;
            let val = self.load_with(&part, flags)?;
            lanes.push(self.single(&val)?);
        }
        Ok(Val::One(self.code.compose(&lanes)))
    }

    fn load_parts(&mut self, ptr: &Ptr, flags: MemFlags) -> Lowered<Val> {
        self.check_size(ptr.ty)?;
        if let (Kind::Matrix(column, n), Some(layout)) = (self.m.types.kind(ptr.ty).clone(), ptr.matrix)
            && layout.row_major
            && ptr.host
        {
            return self.load_rows(ptr, column, n, layout.stride, flags);
        }
        let mut parts = Vec::new();
        for i in 0..self.m.types.parts(ptr.ty) {
            let part = self.part_ptr(ptr, i)?;
            let value = self.load_with(&part, flags)?;
            parts.push(self.materialise(&value)?);
        }
        Ok(Val::parts(parts))
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

    /// Brings an aggregate that was left in memory into values.
    pub fn materialise(&mut self, value: &Val) -> Lowered<Val> {
        match value {
            Val::InMemory(ptr) => {
                let ptr = ptr.clone();
                self.load_parts(&ptr, MemFlags::NONE)
            }
            Val::Ptr(ptr) if ptr.base.is_some() => Ok(Val::One(self.address(ptr))),
            other => Ok(other.clone()),
        }
    }

    /// Writes a value to where a pointer points: leaf by leaf, or by a copy of what is in memory; never padding.
    pub fn store(&mut self, ptr: &Ptr, value: &Val) -> Lowered<()> {
        self.writable(ptr)?;
        if let Some(leaf) = self.m.types.leaf(ptr.ty) {
            let value = self.materialise(value)?;
            let value = self.single(&value)?;
            if ptr.lanes.is_some() && leaf.is_vector() {
                for k in 0..leaf.lanes() {
                    let part = self.part_ptr(ptr, k)?;
                    let lane = self.code.extract(value, k);
                    self.store(&part, &Val::One(lane))?;
                }
                return Ok(());
            }
            return self.store_leaf(ptr, value);
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
                if let (Kind::Matrix(..), Some(layout), true) =
                    (self.m.types.kind(ptr.ty), ptr.matrix.filter(|l| l.row_major), ptr.host)
                {
                    return self.store_rows(ptr, &parts, layout.stride);
                }
                for (i, part) in parts.iter().enumerate() {
                    let into = self.part_ptr(ptr, i as u32)?;
                    self.store(&into, part)?;
                }
                Ok(())
            }
            _ => self.wrong("it stores what is no value"),
        }
    }

    fn store_rows(&mut self, ptr: &Ptr, columns: &[Val], stride: u32) -> Lowered<()> {
        let columns = columns.iter().map(|c| self.single(c)).collect::<Lowered<Vec<_>>>()?;
        for (k, row) in self.code.transpose(&columns).into_iter().enumerate() {
            let part = Ptr { offset: ptr.offset.wrapping_add(k as u32 * stride), ..ptr.clone() };
            self.store_leaf(&part, row)?;
        }
        Ok(())
    }

    /// Whether a store sets a whole variable of many leaves to zero, which is what it begins with: one instruction then,
    /// in place of one for each leaf.
    fn clears(&self, ptr: &Ptr, value: &Val) -> bool {
        if ptr.choice.is_some() {
            return false;
        }
        let var = match ptr.place {
            Place::Global(g) if self.m.out.globals[g].space == ir::Space::Workgroup => &self.m.out.globals[g],
            Place::Local(l) => &self.code.f.locals[l],
            _ => return false,
        };
        let whole =
            !ptr.host && ptr.offset == 0 && ptr.dynamic.is_none() && self.m.types.get(ptr.ty).own.size == var.size;
        let zero = match &var.init {
            ir::Init::Zero => true,
            ir::Init::Bytes(bytes) => bytes.iter().all(|b| *b == 0),
        };
        whole && zero && self.m.types.get(ptr.ty).leaves > MANY_LEAVES && self.is_zero(value)
    }

    /// Whether all leaves of a value are constants with no bit set.
    fn is_zero(&self, value: &Val) -> bool {
        match value {
            Val::One(v) => self.code.f.as_const(*v).is_some_and(|c| c.bits.iter().all(|&b| b == 0)),
            Val::Parts(parts) => parts.iter().all(|p| self.is_zero(p)),
            _ => false,
        }
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

    /// A constant-indexed part of a value.
    pub fn part(&mut self, base: &Val, index: u32) -> Lowered<Val> {
        match base {
            Val::InMemory(ptr) => {
                let part = self.part_ptr(ptr, index)?;
                self.load(&part)
            }
            Val::One(v) => {
                if index >= self.code.f.ty(*v).lanes() || !self.code.f.ty(*v).is_vector() {
                    return self.wrong(format!("there is no component {index}"));
                }
                Ok(Val::One(self.code.extract(*v, index)))
            }
            Val::Parts(parts) => match parts.get(index as usize) {
                Some(part) => Ok(part.clone()),
                None => self.wrong(format!("there is no part {index}")),
            },
            _ => self.wrong("it takes a part of what has none"),
        }
    }

    /// A part of a value of type `ty` with a run-time index. Out of range it is some part.
    pub fn element(&mut self, base: &Val, ty: crate::types::Ty, index: Value) -> Lowered<Val> {
        if let Some(bits) = self.code.f.const_bits(index) {
            let count = self.m.types.parts(ty);
            return self.part(base, (bits.min(u64::from(u32::MAX)) as u32).min(count.saturating_sub(1)));
        }
        match base {
            Val::InMemory(ptr) => {
                let part = self.element_ptr(ptr, index)?;
                self.load(&part)
            }
            Val::One(v) => {
                let index = self.code.as_i32(index);
                Ok(Val::One(self.b().extract_dyn(*v, index)))
            }
            Val::Parts(parts) => {
                let index = self.code.as_i32(index);
                let part = self.m.types.part(ty, 0);
                let few = part.is_some_and(|p| self.m.types.get(p).leaves <= 4);
                if parts.len() <= SELECT_ELEMENTS && few {
                    return self.choose(parts, index);
                }
                let ptr = self.addressable(base, ty)?;
                let part = self.element_ptr(&ptr, index)?;
                self.load(&part)
            }
            _ => self.wrong("it takes a part of what has none"),
        }
    }

    /// The part with this index by a chain of selects; the last one if the index is too large.
    fn choose(&mut self, parts: &[Val], index: Value) -> Lowered<Val> {
        let Some(mut chosen) = parts.last().cloned() else { return self.wrong("a part of an empty value") };
        for (i, part) in parts.iter().enumerate().rev().skip(1) {
            let i = self.code.f.iconst(Type::I32, i as i64);
            let here = self.b().icmp(IntCc::Eq, index, i);
            chosen = self.select_val(here, part, &chosen)?;
        }
        Ok(chosen)
    }

    /// One of two values of the same shape.
    pub fn select_val(&mut self, condition: Value, yes: &Val, no: &Val) -> Lowered<Val> {
        if let (Val::Ptr(a), Val::Ptr(b)) = (yes, no)
            && a.base.is_none()
            && b.base.is_none()
        {
            return self.select_pointer(condition, &a.clone(), &b.clone());
        }
        match (self.materialise(yes)?, self.materialise(no)?) {
            (Val::One(a), Val::One(b)) => Ok(Val::One(if a == b { a } else { self.b().select(condition, a, b) })),
            (Val::Parts(a), Val::Parts(b)) => {
                let pairs = a.iter().zip(b.iter()).map(|(a, b)| self.select_val(condition, a, b));
                Ok(Val::parts(pairs.collect::<Lowered<_>>()?))
            }
            _ => self.missing(Refusal::Spirv, "of images or samplers, or of pointers into several variables"),
        }
    }

    /// Puts a value where it can be indexed: a constant into a table, anything else into a variable.
    fn addressable(&mut self, value: &Val, ty: crate::types::Ty) -> Lowered<Ptr> {
        self.check_size(ty)?;
        let own = self.m.types.get(ty).own.clone();
        if u64::from(own.size) > limits::VARIABLE_BYTES.max {
            return Err(super::variable::too_large(Refusal::PrivateMemory, self.span()));
        }
        let local = if let Some(bytes) = self.memory_image(value, ty)? {
            let table = self.m.table(bytes, own.align);
            let align = self.m.out.globals[table].align;
            let flags = MemFlags::READONLY;
            return Ok(Ptr {
                place: Place::Global(table),
                choice: None,
                base: None,
                host: false,
                flags,
                offset: 0,
                dynamic: None,
                reach: Some(0),
                align,
                ty,
                matrix: None,
                lanes: None,
                still: false,
            });
        } else {
            self.temporary(ty)?
        };
        let ptr = self.local_ptr(local, ty);
        self.store(&ptr, value)?;
        Ok(ptr)
    }

    /// The bytes of a value in our own layout if all of it is constant.
    pub fn memory_image(&mut self, value: &Val, ty: crate::types::Ty) -> Lowered<Option<Vec<u8>>> {
        let Some(tree) = self.constant_value(value) else { return Ok(None) };
        let mut bytes = vec![0; self.m.types.get(ty).own.size as usize];
        self.m.write(&tree, ty, 0, &mut bytes);
        Ok(Some(bytes))
    }

    fn constant_value(&self, value: &Val) -> Option<super::data::Tree> {
        use super::data::Tree;
        match value {
            Val::One(v) => self.code.f.as_const(*v).cloned().map(Tree::Leaf),
            Val::Parts(parts) => {
                let parts = parts.iter().map(|p| self.constant_value(p).map(Rc::new));
                parts.collect::<Option<Vec<_>>>().map(Tree::Parts)
            }
            _ => None,
        }
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
        let mut bytes = self.length_of(&ptr)?;
        if ptr.offset > 0 {
            let offset = self.code.f.iconst(Type::I32, ptr.offset.into());
            bytes = self.b().isub(bytes, offset);
        }
        if stride.is_power_of_two() {
            let shift = self.code.f.iconst(Type::I32, stride.trailing_zeros().into());
            return Ok(Val::One(self.b().ushr(bytes, shift)));
        }
        let stride = self.code.f.iconst(Type::I32, stride.into());
        Ok(Val::One(self.b().udiv(bytes, stride)))
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

impl super::cx::ModuleCx<'_> {
    /// A read-only variable with these bytes; equal tables are one.
    fn table(&mut self, bytes: Vec<u8>, align: u32) -> ir::Global {
        if let Some(&table) = self.tables.get(&bytes) {
            return table;
        }
        let data = ir::VarData {
            name: format!("table{}", self.tables.len()),
            space: ir::Space::Private,
            size: bytes.len() as u32,
            align: align.max(16),
            init: ir::Init::Bytes(bytes.clone()),
            span: ir::Span::UNKNOWN,
        };
        let table = self.out.globals.push(data);
        self.tables.insert(bytes, table);
        table
    }
}
