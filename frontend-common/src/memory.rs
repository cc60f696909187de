//! Values and memory: loads, stores, parts of both, and what is the same for all types of a source.
//!
//! Aggregates are trees of IR values, taken apart and put together leaf by leaf. Large ones stay in memory, and are copied from there by
//! loops, so that neither code nor live values grow with their size.
//!
//! ```text
//! var<workgroup> w: array<u32, 3500>;  ..  w = a;      ==>      for (at = 0; at < 3500; at += 4) { w[at] = a[at]; .. }
//! ```
//!
//! The two places of a copy are the same or apart: a type is no part of itself, and what is bound twice is not written.

use crate::layout::{Shapes, Tree};
use crate::value::{Form, Lowered, Ptr, View};
use crate::{Code, limits, report};
use gpucc_ir as ir;
use ir::{Edge, IntCc, Mem, MemFlags, Place, Refusal, Span, Type, Value};
use std::ops::DerefMut;
use std::rc::Rc;

/// Arrays of up to this many elements are indexed at run time by selects instead of through memory.
const SELECT_ELEMENTS: usize = 4;

/// Zeros of more leaves than this are no stores of their own.
const MANY_LEAVES: u64 = 16;

/// Aggregates of up to so many scalars are copied as values, which later passes know more about. The files of registers have 64
/// to 256.
const LONG: u64 = 128;

/// Scalars that one iteration copies, if an element has fewer: what one access of the widest kind takes.
const TURN: u64 = 4;

/// Where a copy of arrays begins, where it is read, and its elements.
type Flat<T> = (Ptr<T>, Option<Ptr<T>>, u32);

/// A function that is being lowered, as far as values and memory go.
///
/// # Errors
/// Values that are too large, and shapes that do not fit.
pub trait Memory: DerefMut<Target = Code> {
    /// A type of the source.
    type Ty: Copy + PartialEq;
    /// The types of the source.
    type Types: Shapes<Ty = Self::Ty>;
    /// A lowered value.
    type Val: Form<Ty = Self::Ty>;

    /// The types of the source.
    fn types(&self) -> &Self::Types;
    /// The module that is made.
    fn out(&self) -> &ir::Module;
    /// A read-only variable with these bytes; equal tables are one.
    fn table(&mut self, bytes: Vec<u8>, align: u32) -> ir::Global;
    /// A function variable without a name, within the limit for one.
    fn nameless(&self, ty: Self::Ty) -> Lowered<ir::VarData>;
    /// The source asks for what is not there.
    fn misfit<R>(&self, what: &str) -> Lowered<R>;
    /// The type of one part.
    fn part_ty(&self, ty: Self::Ty, index: u32) -> Lowered<Self::Ty>;
    /// A pointer to one part of what `ptr` points to.
    fn part_ptr(&self, ptr: &Ptr<Self::Ty>, index: u32) -> Lowered<Ptr<Self::Ty>>;
    /// A pointer to the part with a run-time index.
    fn element_ptr(&mut self, ptr: &Ptr<Self::Ty>, index: Value) -> Lowered<Ptr<Self::Ty>>;
    /// Bytes from one part of an array, matrix or vector to the next.
    fn stride(&self, ptr: &Ptr<Self::Ty>) -> Lowered<u32>;
    /// Reads one scalar or vector.
    fn load_leaf(&mut self, ptr: &Ptr<Self::Ty>, leaf: Type, flags: MemFlags) -> Lowered<Value>;
    /// Writes one scalar or vector.
    fn store_leaf(&mut self, ptr: &Ptr<Self::Ty>, value: Value) -> Lowered<()>;

    /// The layout that a pointer to a part with a run-time index needs.
    fn inside(&self, _whole: &Ptr<Self::Ty>, _part: &mut Ptr<Self::Ty>) {}
    /// Refuses stores to what is only read.
    fn writable(&self, _ptr: &Ptr<Self::Ty>) -> Lowered<()> {
        Ok(())
    }
    /// Counts work that a small module may ask for over and over.
    fn count(&mut self, _parts: u64) -> Lowered<()> {
        Ok(())
    }
    /// Reads an aggregate as a tree.
    fn load_parts(&mut self, ptr: &Ptr<Self::Ty>, flags: MemFlags) -> Lowered<Self::Val> {
        self.load_each(ptr, flags)
    }
    /// Writes the parts of an aggregate.
    fn store_parts(&mut self, ptr: &Ptr<Self::Ty>, parts: &[Self::Val]) -> Lowered<()> {
        self.store_each(ptr, parts)
    }
    /// One of two that are neither values nor trees.
    fn select_other(&mut self, _condition: Value, _yes: &Self::Val, _no: &Self::Val) -> Lowered<Self::Val> {
        self.broken("a choice between different shapes")
    }

    /// Where the present statement or instruction stands.
    fn span(&self) -> Span {
        self.out().span(self.loc)
    }

    /// A contradiction in what a front end made itself.
    fn broken<R>(&self, what: &str) -> Lowered<R> {
        Err(report::contradiction(what, self.span()))
    }

    /// Refuses values that would be taken apart into too many pieces.
    fn check_size(&self, ty: Self::Ty) -> Lowered<()> {
        if self.types().scalars(ty) > limits::VALUE_SCALARS.max {
            return Err(report::limit(&limits::VALUE_SCALARS).at(self.span(), "this value"));
        }
        Ok(())
    }

    /// A value that is one scalar or vector.
    fn single(&self, value: &Self::Val) -> Lowered<Value> {
        match value.view() {
            View::One(v) => Ok(v),
            _ => self.broken("an aggregate where a scalar or vector is wanted"),
        }
    }

    /// The IR types of the leaves of a type.
    fn leaf_types(&self, ty: Self::Ty) -> Lowered<Vec<Type>> {
        fn walk<M: Memory + ?Sized>(cx: &M, ty: M::Ty, out: &mut Vec<Type>) -> Lowered<()> {
            match cx.types().leaf(ty) {
                Some(leaf) => out.push(leaf),
                None => {
                    (0..cx.types().parts(ty)).try_for_each(|i| walk(cx, cx.part_ty(ty, i)?, out))?;
                }
            }
            Ok(())
        }
        self.check_size(ty)?;
        let mut out = Vec::new();
        walk(self, ty, &mut out)?;
        Ok(out)
    }

    /// The leaves of a value, in order.
    fn flatten(&mut self, value: &Self::Val, out: &mut Vec<Value>) -> Lowered<()> {
        let value = self.materialise(value)?;
        match value.view() {
            View::One(v) => out.push(v),
            View::Parts(parts) => parts.iter().try_for_each(|part| self.flatten(part, out))?,
            _ => return self.misfit("a pointer or an image stands where a value is wanted"),
        }
        Ok(())
    }

    /// A value of type `ty` from its leaves.
    fn unflatten(&self, ty: Self::Ty, leaves: &mut impl Iterator<Item = Value>) -> Lowered<Self::Val> {
        if self.types().leaf(ty).is_some() {
            return match leaves.next() {
                Some(v) => Ok(Form::one(v)),
                None => self.broken("too few leaves for a value"),
            };
        }
        let mut parts = Vec::new();
        for i in 0..self.types().parts(ty) {
            parts.push(self.unflatten(self.part_ty(ty, i)?, leaves)?);
        }
        Ok(Form::tree(parts))
    }

    /// A constant as a value.
    fn tree_value(&mut self, tree: &Tree<Self::Ty>) -> Lowered<Self::Val> {
        match tree {
            Tree::Leaf(c) => Ok(Form::one(self.f.constant(c.clone()))),
            Tree::Parts(parts) => {
                self.count(parts.len() as u64)?;
                Ok(Form::tree(parts.iter().map(|p| self.tree_value(p)).collect::<Lowered<_>>()?))
            }
            Tree::Zero(ty) => self.zero(*ty),
            Tree::Sampler => Err(report::unsupported(Refusal::Spirv, "`OpConstantSampler`", self.span())),
        }
    }

    /// Zero of any shape.
    fn zero(&mut self, ty: Self::Ty) -> Lowered<Self::Val> {
        if let Some(leaf) = self.types().leaf(ty) {
            return Ok(Form::one(self.f.zero(leaf)));
        }
        self.check_size(ty)?;
        let n = self.types().parts(ty);
        self.count(n.into())?;
        let mut parts: Vec<Self::Val> = Vec::with_capacity(n as usize);
        let mut before = None;
        for k in 0..n {
            let of = self.part_ty(ty, k)?;
            // All elements of an array are the same.
            let same = if before.replace(of) == Some(of) { parts.last().cloned() } else { None };
            parts.push(match same {
                Some(same) => same,
                None => self.zero(of)?,
            });
        }
        Ok(Form::tree(parts))
    }

    /// The value as a constant, if all of it is one.
    fn constant_value(&self, value: &Self::Val) -> Option<Tree<Self::Ty>> {
        match value.view() {
            View::One(v) => self.f.as_const(v).cloned().map(Tree::Leaf),
            View::Parts(parts) => {
                let parts = parts.iter().map(|p| self.constant_value(p).map(Rc::new));
                parts.collect::<Option<Vec<_>>>().map(Tree::Parts)
            }
            _ => None,
        }
    }

    /// The bytes of a value in our own layout if all of it is constant.
    fn memory_image(&self, value: &Self::Val, ty: Self::Ty) -> Option<Vec<u8>> {
        let tree = self.constant_value(value)?;
        let mut bytes = vec![0; self.types().own(ty).size as usize];
        tree.write(self.types(), ty, 0, &mut bytes);
        Some(bytes)
    }

    /// A pointer to the beginning of a function variable.
    fn local_ptr(&self, local: ir::Local, ty: Self::Ty) -> Ptr<Self::Ty> {
        Ptr::new(Place::Local(local), ty, self.f.locals[local].align)
    }

    /// A new variable that keeps one aggregate. Who has filled it marks it as still.
    fn still(&mut self, ty: Self::Ty) -> Lowered<Ptr<Self::Ty>> {
        let data = self.nameless(ty)?;
        let local = self.f.locals.push(data);
        Ok(self.local_ptr(local, ty))
    }

    /// The bytes of a memory: the least that a buffer has.
    fn place_bytes(&self, place: Place) -> u32 {
        match place {
            Place::Buffer(r) => self.out().resources[r].min_size,
            Place::Global(g) => self.out().globals[g].size,
            Place::Local(l) => self.f.locals[l].size,
            Place::Address => 0,
        }
    }

    /// The attribute of an access of `bytes` bytes.
    fn access(&self, ptr: &Ptr<Self::Ty>, bytes: u32) -> Mem {
        let end = ptr.reach.map(|reach| u64::from(ptr.offset) + reach + u64::from(bytes));
        let is_inside = end.is_some_and(|end| end <= self.place_bytes(ptr.place).into());
        let flags = if is_inside { ptr.flags.with(MemFlags::IN_BOUNDS) } else { ptr.flags };
        Mem { place: ptr.place, offset: ptr.offset, align: ptr.address_align(), flags }
    }

    /// The operand of an access to where a pointer points, less its constant bytes: an offset or an address.
    fn dynamic(&mut self, ptr: &Ptr<Self::Ty>) -> Option<Value> {
        match (ptr.base, ptr.dynamic) {
            (Some(base), Some(bytes)) => {
                let bytes = self.b().zext(bytes, Type::I64);
                Some(self.b().iadd(base, bytes))
            }
            (base, bytes) => base.or(bytes),
        }
    }

    /// The address that a pointer is.
    fn address(&mut self, ptr: &Ptr<Self::Ty>) -> Value {
        let at = match self.dynamic(ptr) {
            Some(at) => at,
            None => self.f.iconst(Type::I64, 0),
        };
        if ptr.offset == 0 {
            return at;
        }
        let offset = self.f.iconst(Type::I64, ptr.offset.into());
        self.b().iadd(at, offset)
    }

    /// Reads what a pointer points to.
    fn load(&mut self, ptr: &Ptr<Self::Ty>) -> Lowered<Self::Val> {
        self.load_with(ptr, MemFlags::NONE)
    }

    /// Reads with more flags on each access.
    fn load_with(&mut self, ptr: &Ptr<Self::Ty>, flags: MemFlags) -> Lowered<Self::Val> {
        if let Some(leaf) = self.types().leaf(ptr.ty) {
            return self.load_leaf(ptr, leaf, flags).map(Form::one);
        }
        let all = ptr.flags.with(flags);
        if (all.has(MemFlags::READONLY) || ptr.still && self.is_long(ptr.ty)) && all.is_alone() {
            return Ok(Form::in_memory(ptr.clone()));
        }
        self.load_parts(ptr, flags)
    }

    /// Reads an aggregate part by part.
    fn load_each(&mut self, ptr: &Ptr<Self::Ty>, flags: MemFlags) -> Lowered<Self::Val> {
        self.check_size(ptr.ty)?;
        let mut parts = Vec::new();
        for i in 0..self.types().parts(ptr.ty) {
            let part = self.part_ptr(ptr, i)?;
            let value = self.load_with(&part, flags)?;
            parts.push(self.materialise(&value)?);
        }
        Ok(Form::tree(parts))
    }

    /// Brings an aggregate that was left in memory into values.
    fn materialise(&mut self, value: &Self::Val) -> Lowered<Self::Val> {
        match value.view() {
            View::InMemory(ptr) => self.load_parts(ptr, MemFlags::NONE),
            View::Ptr(ptr) if ptr.base.is_some() => Ok(Form::one(self.address(ptr))),
            _ => Ok(value.clone()),
        }
    }

    /// Writes a value to where a pointer points: leaf by leaf, or by a copy of what is in memory; never padding.
    fn store(&mut self, ptr: &Ptr<Self::Ty>, value: &Self::Val) -> Lowered<()> {
        self.writable(ptr)?;
        if self.types().leaf(ptr.ty).is_some() {
            let value = self.materialise(value)?;
            let value = self.single(&value)?;
            return self.store_leaf(ptr, value);
        }
        if let View::InMemory(from) = value.view()
            && self.is_long(ptr.ty)
        {
            return self.copy(ptr, from);
        }
        let value = self.materialise(value)?;
        if self.clears(ptr, &value) {
            self.b().var_init(ptr.place);
            return Ok(());
        }
        if self.is_long(ptr.ty) && self.store_constant(ptr, &value)? {
            return Ok(());
        }
        match value.view() {
            View::Parts(parts) => self.store_parts(ptr, parts),
            _ => self.misfit("it stores what is no value"),
        }
    }

    /// Writes an aggregate part by part.
    fn store_each(&mut self, ptr: &Ptr<Self::Ty>, parts: &[Self::Val]) -> Lowered<()> {
        for (i, part) in parts.iter().enumerate() {
            let into = self.part_ptr(ptr, i as u32)?;
            self.store(&into, part)?;
        }
        Ok(())
    }

    /// Whether a store sets a whole variable of many leaves to zero, which is what it begins with: one instruction then,
    /// in place of one for each leaf. naga's SPIR-V zeroes workgroup memory in this way.
    fn clears(&self, ptr: &Ptr<Self::Ty>, value: &Self::Val) -> bool {
        let var = match ptr.place {
            Place::Global(g) if self.out().globals[g].space == ir::Space::Workgroup => &self.out().globals[g],
            Place::Local(l) => &self.f.locals[l],
            _ => return false,
        };
        let zero = match &var.init {
            ir::Init::Zero => true,
            ir::Init::Bytes(bytes) => bytes.iter().all(|b| *b == 0),
        };
        let begins = ptr.choice.is_none() && !ptr.host && ptr.offset == 0 && ptr.dynamic.is_none();
        begins
            && zero
            && self.types().own(ptr.ty).size == var.size
            && self.types().leaves(ptr.ty) > MANY_LEAVES
            && self.is_zero(value)
    }

    /// Whether all leaves of a value are constants with no bit set.
    fn is_zero(&self, value: &Self::Val) -> bool {
        match value.view() {
            View::One(v) => self.f.as_const(v).is_some_and(|c| c.bits.iter().all(|&b| b == 0)),
            View::Parts(parts) => parts.iter().all(|p| self.is_zero(p)),
            _ => false,
        }
    }

    /// A pointer to an element, each index kept in its own array.
    fn element_of(&mut self, ptr: &Ptr<Self::Ty>, index: Value) -> Lowered<Ptr<Self::Ty>> {
        let stride = self.stride(ptr)?;
        let ty = self.part_ty(ptr.ty, 0)?;
        let mut index = self.as_i32(index);
        let count = self.types().parts(ptr.ty);
        let mut reach = None;
        if count > 0 && self.out().options.robust {
            // An access never strays into a neighbouring member.
            let last = self.f.iconst(Type::I32, i64::from(count) - 1);
            index = self.b().umin(index, last);
            reach = ptr.reach.map(|before| before + u64::from(count - 1) * u64::from(stride));
        }
        let bytes = self.times(index, stride);
        let dynamic = self.behind(ptr, bytes);
        let align = ptr.align.min(1 << stride.trailing_zeros().min(16));
        let mut part = Ptr { dynamic, reach, align, ty, ..ptr.clone() };
        self.inside(ptr, &mut part);
        Ok(part)
    }

    /// The dynamic bytes of a pointer, and more.
    fn behind(&mut self, ptr: &Ptr<Self::Ty>, bytes: Value) -> Option<Value> {
        Some(match ptr.dynamic {
            None => bytes,
            Some(before) => self.b().iadd(before, bytes),
        })
    }

    /// A constant-indexed part of a value.
    fn part(&mut self, base: &Self::Val, index: u32) -> Lowered<Self::Val> {
        match base.view() {
            View::InMemory(ptr) => {
                let part = self.part_ptr(ptr, index)?;
                self.load(&part)
            }
            View::One(v) => {
                if index >= self.f.ty(v).lanes() || !self.f.ty(v).is_vector() {
                    return self.misfit(&format!("there is no component {index}"));
                }
                Ok(Form::one(self.extract(v, index)))
            }
            View::Parts(parts) => match parts.get(index as usize) {
                Some(part) => Ok(part.clone()),
                None => self.misfit(&format!("there is no part {index}")),
            },
            _ => self.misfit("it takes a part of what has none"),
        }
    }

    /// A part of a value of type `ty` with a run-time index. Out of range it is some part.
    fn element(&mut self, base: &Self::Val, ty: Self::Ty, index: Value) -> Lowered<Self::Val> {
        if let Some(bits) = self.f.const_bits(index) {
            let count = self.types().parts(ty);
            return self.part(base, (bits.min(u64::from(u32::MAX)) as u32).min(count.saturating_sub(1)));
        }
        match base.view() {
            View::InMemory(ptr) => {
                let part = self.element_ptr(ptr, index)?;
                self.load(&part)
            }
            View::One(v) => {
                let index = self.as_i32(index);
                Ok(Form::one(self.b().extract_dyn(v, index)))
            }
            View::Parts(parts) => {
                let index = self.as_i32(index);
                if parts.len() <= SELECT_ELEMENTS && self.types().leaves(self.part_ty(ty, 0)?) <= 4 {
                    return self.choose(parts, index);
                }
                let ptr = self.addressable(base, ty)?;
                let part = self.element_ptr(&ptr, index)?;
                self.load(&part)
            }
            _ => self.misfit("it takes a part of what has none"),
        }
    }

    /// The part with this index by a chain of selects; the last one if the index is too large.
    fn choose(&mut self, parts: &[Self::Val], index: Value) -> Lowered<Self::Val> {
        let Some(mut chosen) = parts.last().cloned() else { return self.misfit("a part of an empty value") };
        for (i, part) in parts.iter().enumerate().rev().skip(1) {
            let i = self.f.iconst(Type::I32, i as i64);
            let here = self.b().icmp(IntCc::Eq, index, i);
            chosen = self.select_val(here, part, &chosen)?;
        }
        Ok(chosen)
    }

    /// One of two values of the same shape.
    fn select_val(&mut self, condition: Value, yes: &Self::Val, no: &Self::Val) -> Lowered<Self::Val> {
        let (yes, no) = (self.materialise(yes)?, self.materialise(no)?);
        match (yes.view(), no.view()) {
            (View::One(a), View::One(b)) => Ok(Form::one(if a == b { a } else { self.b().select(condition, a, b) })),
            (View::Parts(a), View::Parts(b)) => {
                let pairs = a.iter().zip(b.iter()).map(|(a, b)| self.select_val(condition, a, b));
                Ok(Form::tree(pairs.collect::<Lowered<_>>()?))
            }
            _ => self.select_other(condition, &yes, &no),
        }
    }

    /// Puts a value where it can be indexed: a constant into a table, anything else into a variable.
    fn addressable(&mut self, value: &Self::Val, ty: Self::Ty) -> Lowered<Ptr<Self::Ty>> {
        self.check_size(ty)?;
        let data = self.nameless(ty)?;
        if let Some(table) = self.constant_table(value, ty) {
            return Ok(table);
        }
        let local = self.f.locals.push(data);
        let ptr = self.local_ptr(local, ty);
        self.store(&ptr, value)?;
        Ok(ptr)
    }

    /// The table that has a value, if all of it is constant.
    fn constant_table(&mut self, value: &Self::Val, ty: Self::Ty) -> Option<Ptr<Self::Ty>> {
        let bytes = self.memory_image(value, ty)?;
        let align = self.types().own(ty).align;
        let table = self.table(bytes, align);
        let align = self.out().globals[table].align;
        Some(Ptr { flags: MemFlags::READONLY, ..Ptr::new(Place::Global(table), ty, align) })
    }

    /// Stores a large constant: zeros by a loop, another one as a copy of its table. False if the value is no constant.
    fn store_constant(&mut self, to: &Ptr<Self::Ty>, value: &Self::Val) -> Lowered<bool> {
        if self.is_zero(value) {
            self.transfer(to, None)?;
            return Ok(true);
        }
        if u64::from(self.types().own(to.ty).size) > limits::VARIABLE_BYTES.max {
            return Ok(false);
        }
        let Some(table) = self.constant_table(value, to.ty) else { return Ok(false) };
        self.copy(to, &table)?;
        Ok(true)
    }

    /// Elements of `stride` bytes in a buffer of `bytes` bytes, the first of them at `offset`.
    fn elements(&mut self, mut bytes: Value, offset: u32, stride: u32) -> Value {
        if offset > 0 {
            let offset = self.f.iconst(Type::I32, offset.into());
            bytes = self.b().isub(bytes, offset);
        }
        if stride.is_power_of_two() {
            let shift = self.f.iconst(Type::I32, stride.trailing_zeros().into());
            return self.b().ushr(bytes, shift);
        }
        let stride = self.f.iconst(Type::I32, stride.into());
        self.b().udiv(bytes, stride)
    }

    /// Whether a value of this shape stays in memory until it is stored.
    fn is_long(&self, ty: Self::Ty) -> bool {
        self.types().scalars(ty) > LONG
    }

    /// A large aggregate of parts, some of which lie in memory.
    fn gathered(&mut self, ty: Self::Ty, parts: &[Self::Val]) -> Lowered<Self::Val> {
        let to = self.still(ty)?;
        self.store_each(&to, parts)?;
        Ok(Form::in_memory(Ptr { still: true, ..to }))
    }

    /// Copies what `from` points to.
    fn copy(&mut self, to: &Ptr<Self::Ty>, from: &Ptr<Self::Ty>) -> Lowered<()> {
        self.transfer(to, Some(from))
    }

    /// Copies what `from` points to, or zeros. The types may be two whose parts are alike.
    fn transfer(&mut self, to: &Ptr<Self::Ty>, from: Option<&Ptr<Self::Ty>>) -> Lowered<()> {
        if !self.is_long(to.ty) {
            let value = match from {
                Some(from) => self.load(from)?,
                None => self.zero(to.ty)?,
            };
            let value = self.materialise(&value)?;
            return self.store(to, &value);
        }
        if self.types().is_array(to.ty) {
            return self.copy_elements(to, from);
        }
        (0..self.types().parts(to.ty)).try_for_each(|i| {
            let to = self.part_ptr(to, i)?;
            let from = from.map(|from| self.part_ptr(from, i)).transpose()?;
            self.transfer(&to, from.as_ref())
        })
    }

    /// Copies an array by a loop.
    fn copy_elements(&mut self, to: &Ptr<Self::Ty>, from: Option<&Ptr<Self::Ty>>) -> Lowered<()> {
        let (to, from, count) = self.flat(to, from)?;
        let element = self.part_ty(to.ty, 0)?;
        let turn = (TURN / self.types().scalars(element).max(1)).max(1) as u32;
        let whole = count - count % turn;
        let last = whole - turn;
        self.turns((whole, turn), &[], |cx, at, _| {
            let to = cx.moving(&to, at, last, turn)?;
            let from = from.as_ref().map(|from| cx.moving(from, at, last, turn)).transpose()?;
            (0..turn).try_for_each(|i| cx.copy_element(&to, from.as_ref(), i))?;
            Ok(Vec::new())
        })?;
        (whole..count).try_for_each(|i| self.copy_element(&to, from.as_ref(), i))
    }

    /// A loop that counts to `whole` by `turn`, and what follows it: `body` takes the count and values, and gives those of the next
    /// turn. The last ones are what this gives.
    fn turns(
        &mut self,
        (whole, turn): (u32, u32),
        first: &[Value],
        body: impl FnOnce(&mut Self, Value, &[Value]) -> Lowered<Vec<Value>>,
    ) -> Lowered<Vec<Value>> {
        let [head, inner, cont, done] = [(); 4].map(|()| self.f.make_block());
        let zero = self.f.iconst(Type::I32, 0);
        self.b().jump(head, &[&[zero], first].concat());
        self.start(head);
        let at = self.f.add_param(head, Type::I32);
        let mut now = Vec::with_capacity(first.len());
        for &v in first {
            let ty = self.f.ty(v);
            now.push(self.f.add_param(head, ty));
        }
        self.b().set_loop(head, done, cont);
        let end = self.f.iconst(Type::I32, whole.into());
        let more = self.b().icmp(IntCc::Ult, at, end);
        self.b().br(more, Edge::to(inner), Edge::to(done), None);
        self.start(inner);
        let given = body(self, at, &now)?;
        self.b().jump(cont, &[]);
        self.start(cont);
        let step = self.f.iconst(Type::I32, turn.into());
        let next = self.b().iadd(at, step);
        self.b().jump(head, &[&[next], &given[..]].concat());
        self.start(done);
        Ok(now)
    }

    /// Copies an element of an array, which may be longer than its type says.
    fn copy_element(&mut self, to: &Ptr<Self::Ty>, from: Option<&Ptr<Self::Ty>>, index: u32) -> Lowered<()> {
        let to = self.nth(to, index)?;
        let from = from.map(|from| self.nth(from, index)).transpose()?;
        self.transfer(&to, from.as_ref())
    }

    /// A pointer to an element of an array, which may be longer than its type says.
    fn nth(&self, array: &Ptr<Self::Ty>, index: u32) -> Lowered<Ptr<Self::Ty>> {
        let first = self.part_ptr(array, 0)?;
        let by = index.wrapping_mul(self.stride(array)?);
        Ok(Ptr { offset: first.offset.wrapping_add(by), ..first })
    }

    /// An array of arrays as one array of so many elements, where each inner one begins at the end of the last.
    fn flat(&self, to: &Ptr<Self::Ty>, from: Option<&Ptr<Self::Ty>>) -> Lowered<Flat<Self::Ty>> {
        let (mut to, mut from, mut count) = (to.clone(), from.cloned(), self.types().parts(to.ty));
        while let Some((inner, n)) = self.tight(&to)? {
            let source = match &from {
                Some(from) => self.tight(from)?.map(|x| Some(x.0)),
                None => Some(None),
            };
            let (Some(source), Some(all)) = (source, count.checked_mul(n)) else { break };
            (to, from, count) = (inner, source, all);
        }
        Ok((to, from, count))
    }

    /// The first inner array of an array of arrays and its length, if it ends where the next one begins.
    fn tight(&self, array: &Ptr<Self::Ty>) -> Lowered<Option<(Ptr<Self::Ty>, u32)>> {
        let ty = self.part_ty(array.ty, 0)?;
        let n = self.types().parts(ty);
        if !self.types().is_array(ty) || n == 0 {
            return Ok(None);
        }
        let inner = Ptr { ty, ..array.clone() };
        let fits = self.stride(&inner)?.checked_mul(n) == Some(self.stride(array)?);
        Ok(fits.then_some((inner, n)))
    }

    /// A pointer to an array that begins at element `at`, a multiple of `turn` that is `last` at most.
    fn moving(&mut self, array: &Ptr<Self::Ty>, at: Value, last: u32, turn: u32) -> Lowered<Ptr<Self::Ty>> {
        let stride = self.stride(array)?;
        let bytes = self.f.iconst(Type::I32, stride.into());
        let bytes = self.b().imul(at, bytes);
        let dynamic = self.behind(array, bytes);
        let reach = array.reach.map(|before| before + u64::from(last) * u64::from(stride));
        let align = array.align.min(1 << stride.wrapping_mul(turn).trailing_zeros().min(16));
        Ok(Ptr { dynamic, reach, align, ..array.clone() })
    }
}
