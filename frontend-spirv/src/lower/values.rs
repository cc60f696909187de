//! Instructions: which function lowers which, and what takes values apart and puts them together.

use super::cx::Lowered;
use super::func::FuncCx;
use crate::module::Inst;
use crate::types::{Kind, Ty};
use crate::value::{Cell, Ptr, Val};
use gpucc_frontend_common::Memory;
use gpucc_ir as ir;
use ir::{IntCc, Refusal, Type, Value};
use rspirv::spirv::{Decoration, FPFastMathMode, Op};
use std::cell::RefCell;
use std::rc::Rc;

impl FuncCx<'_, '_> {
    /// Lowers one instruction of a block's body.
    pub fn instruction(&mut self, at: usize, inst: &Inst) -> Lowered<()> {
        let b = self.current().at;
        // A value rounded as it is written is rounded at each step.
        self.code.fp = self.licences_of(inst);
        let val = match inst.op {
            Op::Variable => self.local(inst)?,
            Op::Load => self.load_inst(at, inst)?,
            Op::Store => return self.store_inst(inst),
            Op::CopyMemory => return self.copy_memory(inst),
            Op::AccessChain | Op::InBoundsAccessChain => self.access_chain(inst)?,
            Op::PtrAccessChain | Op::InBoundsPtrAccessChain => self.pointer_chain(inst)?,
            Op::PtrEqual | Op::PtrNotEqual | Op::PtrDiff => self.compare_pointers(inst)?,
            Op::ArrayLength => self.array_length(inst)?,
            Op::FunctionCall => self.call(inst)?,
            Op::ControlBarrier | Op::MemoryBarrier => return self.barrier(inst),
            Op::DemoteToHelperInvocation => return self.demote_all(),
            Op::IsHelperInvocationEXT => Val::One(self.is_helper(true)?),
            Op::Nop | Op::NoLine | Op::Line | Op::AssumeTrueKHR => return Ok(()),
            Op::ExtInst => match self.extended(inst)? {
                Some(val) => val,
                None => return self.missing(Refusal::Spirv, self.extended_name(inst)),
            },
            _ => match self.other(inst)? {
                Some(val) => val,
                None => return self.missing(crate::tables::refusal_of(inst.op), ""),
            },
        };
        if inst.id == 0 {
            return Ok(());
        }
        let val = self.checked(inst, val)?;
        self.save_carried(inst.id, &val);
        self.define_at(at, val, b);
        Ok(())
    }

    fn licences_of(&self, inst: &Inst) -> ir::FpFlags {
        let m = self.m.m;
        let fp = self.licences.of(if self.licences.are_alike() { 0 } else { self.widths_of(inst) });
        if inst.id == 0 || m.all_decos().is_empty() {
            return fp;
        }
        let mut fp = if m.has(inst.id, Decoration::NoContraction) { without_contraction(fp) } else { fp };
        if let Some(mode) = m.deco_number(inst.id, Decoration::FPFastMathMode).map(FPFastMathMode::from_bits_truncate) {
            if !mode.contains(FPFastMathMode::NSZ) {
                fp.0 &= !ir::FpFlags::NSZ.0;
            }
            if !mode.contains(FPFastMathMode::ALLOW_CONTRACT) {
                fp = without_contraction(fp);
            }
        }
        fp
    }

    /// The widths of the floats that an instruction takes and gives, as a set of bits.
    fn widths_of(&self, inst: &Inst) -> u32 {
        let types = &self.m.types;
        let floats = |id: u32| types.find(id).map_or(0, |ty| types.floats(ty));
        let taken = self.m.m.ids(inst).into_iter().filter_map(|id| self.m.m.def(id)).map(|d| self.m.m.insts[d].ty);
        taken.fold(floats(inst.ty), |set, ty| set | floats(ty))
    }

    fn other(&mut self, inst: &Inst) -> Lowered<Option<Val>> {
        if let Some(val) = self.atomic(inst)? {
            return Ok(Some(val));
        }
        if let Some(val) = self.images(inst)? {
            return Ok(Some(val));
        }
        if let Some(val) = self.derivative(inst)? {
            return Ok(Some(val));
        }
        if let Some(val) = self.group(inst)? {
            return Ok(Some(val));
        }
        self.pure(inst)
    }

    /// An instruction whose result follows from its operands; none of what is something else.
    pub fn pure(&mut self, inst: &Inst) -> Lowered<Option<Val>> {
        let before = self.inst.replace(*inst);
        let val = match self.composite(inst)? {
            Some(val) => Some(val),
            None => match self.arithmetic(inst)? {
                Some(val) => Some(val),
                None => self.integers(inst)?,
            },
        };
        self.inst = before;
        Ok(val)
    }

    /// A result, if it has the shape that the type of the instruction says.
    pub fn checked(&mut self, inst: &Inst, val: Val) -> Lowered<Val> {
        let ty = self.m.types.of(inst.ty, inst)?;
        let fits = match (&val, self.m.types.kind(ty)) {
            (Val::One(v), _) => self.m.types.leaf(ty) == Some(self.code.f.ty(*v)),
            (Val::Parts(parts), Kind::Matrix(..) | Kind::Array(..) | Kind::Struct(_)) => {
                parts.len() == self.m.types.parts(ty) as usize
            }
            (Val::InMemory(ptr), _) => ptr.ty == ty,
            (Val::Ptr(_) | Val::Input(_), Kind::Pointer(..)) => true,
            (Val::Handle(_), Kind::Pointer(..) | Kind::Image(_) | Kind::Sampler) => true,
            (Val::Sampled(..), Kind::Sampled(_)) => true,
            (Val::Texel(_) | Val::Cell(_), Kind::Pointer(..)) => true,
            (Val::Void, Kind::Void) => true,
            _ => false,
        };
        if fits { Ok(val) } else { self.wrong("its type does not fit what it gives") }
    }

    /// A function variable: its initialiser, or zero, where the function begins.
    fn local(&mut self, inst: &Inst) -> Lowered<Val> {
        let m = self.m.m;
        let ty = self.m.types.of(inst.ty, inst)?;
        let (class, to) = self.m.pointee(ty, inst)?;
        let o = m.operands(inst);
        if class != rspirv::spirv::StorageClass::Function || o[0] != class as u32 {
            return self.wrong("a variable of another storage class in a function");
        }
        let opaque = matches!(
            self.m.types.kind(to),
            Kind::Pointer(..) | Kind::Image(_) | Kind::Sampler | Kind::Sampled(_) | Kind::Void
        ) && self.m.types.leaf(to).is_none();
        if opaque && o.len() == 1 {
            return Ok(Val::Cell(Rc::new(Cell { depth: self.active.len(), val: RefCell::new(None) })));
        }
        self.m.function_sized(to, inst)?;
        let name = m.name(inst.id).unwrap_or_default();
        let span = m.span(inst);
        let (mut image, mut init) = (ir::Init::Zero, None);
        if let Some(&id) = o.get(1) {
            if self.ty_of(id)? != to {
                return self.wrong("its initialiser has another type");
            }
            let val = self.val(id)?;
            // A large constant initialiser is an image; a small one is cheaper to see through as stores.
            match self.memory_image(&val, to).filter(|_| self.m.types.get(to).leaves > 16) {
                Some(bytes) => image = ir::Init::Bytes(bytes),
                None => init = Some(val),
            }
        }
        let data = self.m.own_variable(name, ir::Space::Function, to, image, span)?;
        let local = self.code.f.locals.push(data);
        let ptr = self.local_ptr(local, to);
        match init {
            Some(val) => self.store(&ptr, &val)?,
            None => {
                self.b().var_init(ir::Place::Local(local));
            }
        }
        Ok(Val::Ptr(ptr.into()))
    }

    fn compare_pointers(&mut self, inst: &Inst) -> Lowered<Val> {
        let o = self.m.m.operands(inst);
        let of = self.ty_of(o[0])?;
        if self.m.types.address_of(of).is_some() {
            return self.compare_addresses(inst, of);
        }
        let (a, b) = (self.pointer(o[0])?, self.pointer(o[1])?);
        if a.ty != b.ty {
            return self.wrong("it compares pointers of different types");
        }
        if inst.op == Op::PtrDiff {
            let size =
                match self.m.m.deco_number(self.m.m.insts[self.m.m.def(o[0]).unwrap_or(0)].ty, Decoration::ArrayStride)
                {
                    Some(stride) if a.host => stride,
                    _ => self.m.types.get(a.ty).own.size,
                };
            if !a.is_beside(&b) || size == 0 {
                return self.missing(Refusal::Spirv, "of pointers into several variables");
            }
            let (x, y) = (self.whole_offset(&a)?, self.whole_offset(&b)?);
            let bytes = self.b().isub(x, y);
            let size = self.code.f.iconst(Type::I32, size.into());
            let count = self.b().sdiv(bytes, size);
            let want = self.result_leaf(inst)?;
            if !want.is_int() || want.is_vector() {
                return self.wrong("its type is no integer");
            }
            return Ok(Val::One(self.code.resize(count, want.scalar(), true)));
        }
        let equal = inst.op == Op::PtrEqual;
        if !a.is_beside(&b) {
            return Ok(Val::One(self.code.f.bconst(!equal)));
        }
        let (x, y) = (self.whole_offset(&a)?, self.whole_offset(&b)?);
        let cc = if equal { IntCc::Eq } else { IntCc::Ne };
        Ok(Val::One(self.b().icmp(cc, x, y)))
    }

    /// The same of pointers that are addresses.
    fn compare_addresses(&mut self, inst: &Inst, of: Ty) -> Lowered<Val> {
        let o = self.m.m.operands(inst);
        if self.ty_of(o[1])? != of {
            return self.wrong("it compares pointers of different types");
        }
        let (x, y) = (self.one(o[0])?, self.one(o[1])?);
        let cc = match inst.op {
            Op::PtrEqual => IntCc::Eq,
            Op::PtrNotEqual => IntCc::Ne,
            _ => {
                let stride = self.m.m.deco_number(self.m.types.get(of).id, Decoration::ArrayStride);
                let Some(stride) = stride.filter(|&n| n > 0) else {
                    return self.missing(Refusal::Spirv, "with a pointer without an `ArrayStride`");
                };
                let want = self.result_leaf(inst)?;
                if !want.is_int() || want.is_vector() {
                    return self.wrong("its type is no integer");
                }
                let bytes = self.b().isub(x, y);
                let stride = self.code.f.iconst(Type::I64, stride.into());
                let count = self.b().sdiv(bytes, stride);
                return Ok(Val::One(self.code.resize(count, want.scalar(), true)));
            }
        };
        Ok(Val::One(self.b().icmp(cc, x, y)))
    }

    /// The IR type of a result that is a scalar or vector.
    pub fn result_leaf(&self, inst: &Inst) -> Lowered<Type> {
        let ty = self.m.types.of(inst.ty, inst)?;
        match self.m.types.leaf(ty) {
            Some(leaf) => Ok(leaf),
            None => self.wrong("its type is no scalar or vector"),
        }
    }

    /// The instructions that take values apart and put them together.
    fn composite(&mut self, inst: &Inst) -> Lowered<Option<Val>> {
        let m = self.m.m;
        let o = m.operands(inst);
        let ty = self.m.types.of(inst.ty, inst)?;
        Ok(Some(match inst.op {
            Op::Undef => match self.m.types.kind(ty) {
                Kind::Void | Kind::Function => return self.wrong("a value of no type"),
                _ if self.m.types.leaf(ty).is_some() => self.zero(ty)?,
                Kind::Pointer(..) | Kind::Image(_) | Kind::Sampler | Kind::Sampled(_) => {
                    return self.missing(Refusal::Spirv, "of a pointer, an image or a sampler");
                }
                _ => self.zero(ty)?,
            },
            // Which value is expected decides nothing.
            Op::CopyObject | Op::ExpectKHR => {
                if self.ty_of(o[0])? != ty {
                    return self.wrong("its operand has another type");
                }
                self.val(o[0])?
            }
            Op::CopyLogical => {
                let val = self.val(o[0])?;
                let from = self.ty_of(o[0])?;
                if !self.is_like(from, ty)? {
                    return self.wrong("its operand has another shape");
                }
                match val {
                    // The layout is another one.
                    Val::InMemory(from) if self.is_long(ty) => {
                        let to = self.still(ty)?;
                        self.copy(&to, &from)?;
                        Val::InMemory(Ptr { still: true, ..to }.into())
                    }
                    val => self.materialise(&val)?,
                }
            }
            Op::CompositeConstruct => self.construct(inst, ty)?,
            Op::CompositeExtract => {
                let (mut val, mut of) = (self.val(o[0])?, self.ty_of(o[0])?);
                for &k in &o[1..] {
                    let Some(part) = self.m.types.part(of, k) else {
                        return self.wrong(format!("there is no part {k}"));
                    };
                    (val, of) = (self.part(&val, k)?, part);
                }
                if of != ty {
                    return self.wrong("the part has another type");
                }
                val
            }
            Op::CompositeInsert => {
                let (object, whole) = (self.val(o[0])?, self.val(o[1])?);
                if self.ty_of(o[1])? != ty {
                    return self.wrong("its composite has another type");
                }
                let object_ty = self.ty_of(o[0])?;
                self.insert(&whole, ty, &object, object_ty, &o[2..])?
            }
            Op::VectorShuffle => self.shuffle(inst)?,
            Op::VectorExtractDynamic => {
                let v = self.one(o[0])?;
                let index = self.index(o[1])?;
                if !self.code.f.ty(v).is_vector() {
                    return self.wrong("its operand is no vector");
                }
                self.element(&Val::One(v), self.ty_of(o[0])?, index)?
            }
            Op::VectorInsertDynamic => {
                let v = self.one(o[0])?;
                let t = self.code.f.ty(v);
                if !t.is_vector() {
                    return self.wrong("its operand is no vector");
                }
                let part = self.typed(o[1], t.lane())?;
                let index = self.index(o[2])?;
                let index = self.code.as_i32(index);
                Val::One(match self.code.f.const_bits(index) {
                    Some(k) => {
                        let k = (k as u32).min(t.lanes() - 1);
                        self.b().insert(v, part, k)
                    }
                    None => self.b().insert_dyn(v, part, index),
                })
            }
            Op::Select => self.select(inst, ty)?,
            Op::Transpose => {
                let columns = self.columns(o[0])?;
                Val::parts(self.code.transpose(&columns).into_iter().map(Val::One).collect())
            }
            _ => return Ok(None),
        }))
    }

    fn index(&mut self, id: u32) -> Lowered<Value> {
        let v = self.one(id)?;
        let ty = self.code.f.ty(v);
        if !ty.is_int() || ty.is_vector() {
            return self.wrong(format!("the index %{id} is no integer"));
        }
        Ok(v)
    }

    /// Whether two types have the same parts under other ids.
    fn is_like(&mut self, a: Ty, b: Ty) -> Lowered<bool> {
        if a == b {
            return Ok(true);
        }
        self.m.count(1)?;
        let same = match (self.m.types.kind(a), self.m.types.kind(b)) {
            (Kind::Array(_, n, _), Kind::Array(_, k, _)) => n == k,
            (Kind::Struct(x), Kind::Struct(y)) => x.len() == y.len(),
            _ => return Ok(false),
        };
        if let (true, Kind::Array(x, ..), Kind::Array(y, ..)) = (same, self.m.types.kind(a), self.m.types.kind(b)) {
            let (x, y) = (*x, *y);
            return self.is_like(x, y);
        }
        let n = self.m.types.parts(a);
        for k in 0..n {
            let (Some(x), Some(y)) = (self.m.types.part(a, k), self.m.types.part(b, k)) else { return Ok(false) };
            if !same || !self.is_like(x, y)? {
                return Ok(false);
            }
        }
        Ok(same)
    }

    fn construct(&mut self, inst: &Inst, ty: Ty) -> Lowered<Val> {
        let o = self.m.m.operands(inst);
        let Some(leaf) = self.m.types.leaf(ty) else {
            self.check_size(ty)?;
            if o.len() != self.m.types.parts(ty) as usize {
                return self.wrong(format!("it has {} parts, its type {}", o.len(), self.m.types.parts(ty)));
            }
            let mut parts = Vec::with_capacity(o.len());
            for (k, &id) in o.iter().enumerate() {
                if self.m.types.part(ty, k as u32) != Some(self.ty_of(id)?) {
                    return self.wrong(format!("%{id} has another type than part {k}"));
                }
                parts.push(self.val(id)?);
            }
            if parts.iter().any(|part| matches!(part, Val::InMemory(p) if self.is_long(p.ty))) {
                return self.gathered(ty, &parts);
            }
            let parts = parts.iter().map(|part| self.materialise(part)).collect::<Lowered<_>>()?;
            return Ok(Val::parts(parts));
        };
        // A vector: scalars and shorter vectors, lane after lane.
        let mut lanes = Vec::with_capacity(4);
        for &id in o {
            let v = self.one(id)?;
            if self.code.f.ty(v).lane() != leaf.lane() {
                return self.wrong(format!("%{id} has other components than the vector"));
            }
            for lane in 0..self.code.f.ty(v).lanes() {
                lanes.push(self.code.extract(v, lane));
            }
        }
        if lanes.len() != leaf.lanes() as usize || !leaf.is_vector() {
            return self.wrong("it has other than the components of its type");
        }
        Ok(Val::One(self.code.compose(&lanes)))
    }

    fn insert(&mut self, whole: &Val, ty: Ty, object: &Val, object_ty: Ty, path: &[u32]) -> Lowered<Val> {
        let Some((&k, rest)) = path.split_first() else {
            return if ty == object_ty { Ok(object.clone()) } else { self.wrong("the part has another type") };
        };
        let Some(part) = self.m.types.part(ty, k) else { return self.wrong(format!("there is no part {k}")) };
        match self.materialise(whole)? {
            Val::One(v) => {
                // A part of another type may be no value at all.
                if !rest.is_empty() || part != object_ty {
                    return self.wrong("the part has another type");
                }
                let object = self.single(object)?;
                Ok(Val::One(self.b().insert(v, object, k)))
            }
            Val::Parts(parts) => {
                self.m.count(parts.len() as u64)?;
                let mut parts = parts.to_vec();
                let old = parts[k as usize].clone();
                let object = self.materialise(object)?;
                parts[k as usize] = self.insert(&old, part, &object, object_ty, rest)?;
                Ok(Val::parts(parts))
            }
            _ => self.wrong("it puts a part into what has none"),
        }
    }

    fn shuffle(&mut self, inst: &Inst) -> Lowered<Val> {
        let o = self.m.m.operands(inst);
        let (a, b) = (self.one(o[0])?, self.one(o[1])?);
        let (ta, tb) = (self.code.f.ty(a), self.code.f.ty(b));
        if ta.lane() != tb.lane() || !ta.is_vector() || !tb.is_vector() {
            return self.wrong("its operands are no vectors of the same components");
        }
        let lanes = &o[2..];
        if !(2..=4).contains(&lanes.len()) {
            return self.wrong(format!("it makes {} components", lanes.len()));
        }
        let mut list = Vec::new();
        for &n in lanes {
            // A component that is not defined is any.
            let n = if n == u32::MAX { 0 } else { n };
            if n >= ta.lanes() + tb.lanes() {
                return self.wrong(format!("there is no component {n}"));
            }
            list.push(if n < ta.lanes() { n as u8 } else { (n - ta.lanes()) as u8 + 4 });
        }
        if list.iter().all(|&n| n < 4) {
            return Ok(Val::One(self.code.swizzle(a, &list)));
        }
        if list.iter().all(|&n| n >= 4) {
            let list: Vec<u8> = list.into_iter().map(|n| n - 4).collect();
            return Ok(Val::One(self.code.swizzle(b, &list)));
        }
        // As the constructor that it is in other languages.
        let lanes: Vec<Value> = list
            .into_iter()
            .map(|n| if n < 4 { self.code.extract(a, n.into()) } else { self.code.extract(b, u32::from(n) - 4) })
            .collect();
        Ok(Val::One(self.code.compose(&lanes)))
    }

    fn select(&mut self, inst: &Inst, ty: Ty) -> Lowered<Val> {
        let o = self.m.m.operands(inst);
        let which = self.one(o[0])?;
        if self.ty_of(o[1])? != ty || self.ty_of(o[2])? != ty {
            return self.wrong("its operands have another type");
        }
        let t = self.code.f.ty(which);
        let (yes, no) = (self.val(o[1])?, self.val(o[2])?);
        let lanes = self.m.types.leaf(ty).map(Type::lanes);
        if !t.is_bool() || t.is_vector() && lanes != Some(t.lanes()) {
            return self.wrong("its condition does not fit");
        }
        self.select_val(which, &yes, &no)
    }

    /// The columns of a matrix.
    pub fn columns(&mut self, id: u32) -> Lowered<Vec<Value>> {
        let ty = self.ty_of(id)?;
        if !matches!(self.m.types.kind(ty), Kind::Matrix(..)) {
            return self.wrong(format!("%{id} is no matrix"));
        }
        let val = self.val(id)?;
        match self.materialise(&val)? {
            Val::Parts(parts) => parts.iter().map(|p| self.single(p)).collect(),
            _ => self.broken("a matrix without columns"),
        }
    }
}

/// The licences of an operation that rounds by itself.
pub fn without_contraction(fp: ir::FpFlags) -> ir::FpFlags {
    ir::FpFlags(fp.0 & !(ir::FpFlags::CONTRACT.0 | ir::FpFlags::REASSOC.0))
}
