//! Functions: values, blocks with parameters, instructions, constants, kept structure.

use crate::edges::EdgeRef;
use crate::entity::{Arena, SecondaryMap};
use crate::inst::{Attr, Block, Inst, InstData, Local, Value};
use crate::lists::CsrLists;
use crate::ops::{Op, Sig};
use crate::results::Results;
use crate::types::{Scalar, Type};
use crate::values::Values;
use crate::variable::VarData;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};

/// A constant of any type: one bit pattern per lane, masked to the lane's width. Booleans are 0 or 1.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Const {
    /// The type of the constant: scalar and lanes.
    pub ty: Type,
    /// Lane bits, `ty.lanes()` of them.
    pub bits: SmallVec<[u64; 4]>,
}

impl Const {
    /// A constant; masks each lane. One entry is repeated for all lanes.
    pub fn new(ty: Type, bits: &[u64]) -> Const {
        let m = ty.scalar().mask();
        let n = ty.lanes() as usize;
        assert!(bits.len() == n || bits.len() == 1, "{} lane bits for {ty}", bits.len());
        Const { ty, bits: (0..n).map(|i| bits[if bits.len() == 1 { 0 } else { i }] & m).collect() }
    }
    /// The bits if all lanes are equal.
    #[inline]
    pub fn uniform_bits(&self) -> Option<u64> {
        self.bits.iter().all(|&b| b == self.bits[0]).then(|| self.bits[0])
    }
}

/// Where a value comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ValueDef {
    /// Result number n of an instruction.
    Inst(Inst, u8),
    /// Parameter number n of a block.
    Param(Block, u32),
    /// A constant; interned, usable everywhere.
    Const(u32),
    /// Some value of the type, the same at every use of this execution; usable everywhere.
    Undef,
}

/// A value's type, and whether an instruction, parameter or constant defines it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ValueData {
    /// The value's type: scalar and lanes.
    pub ty: Type,
    /// Where it comes from.
    pub def: ValueDef,
}

/// The rule that makes a block a loop header.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LoopHeader {
    /// The block where `break` goes, after the loop.
    pub merge: Block,
    /// Where `continue` goes; the only way back to the header leads through it. May be the header's latch itself.
    pub cont: Block,
}

/// A basic block: parameters and instructions, the last one a terminator.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct BlockData {
    /// Parameters; each incoming edge gives a value for each.
    pub params: Values,
    /// Instructions in order; the last is the terminator.
    pub insts: SmallVec<[Inst; 4]>,
    /// Present if this is a loop header.
    pub header: Option<LoopHeader>,
}

/// A function. Its parameters are those of the entry block.
#[derive(Clone, Debug, Default)]
pub struct Function {
    /// The function's name, for texts and messages.
    pub name: String,
    /// Types of the results; empty for none.
    pub ret: SmallVec<[Type; 1]>,
    /// Variables of the function, by index.
    pub locals: Arena<Local, VarData>,
    /// Blocks by index. A block outside `layout` is dead.
    pub blocks: Arena<Block, BlockData>,
    /// Blocks in order; the first is the entry. Printing and emission follow it.
    pub layout: Vec<Block>,
    /// Instructions by index. An instruction in no block is dead.
    pub insts: Arena<Inst, InstData>,
    /// Values by index; one that nothing uses may remain.
    pub values: Arena<Value, ValueData>,
    consts: IndexMap<Const, Value, FxBuildHasher>,
}

impl Hash for Function {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.name, &self.ret, &self.locals, &self.blocks).hash(state);
        (&self.layout, &self.insts, &self.values).hash(state);
        self.consts.len().hash(state);
        self.consts.keys().for_each(|c| c.hash(state));
    }
}

impl SecondaryMap<Value, Option<Value>> {
    /// The replacement of a value: follows the map as far as it leads.
    #[inline]
    pub fn resolve(&self, mut v: Value) -> Value {
        while let Some(n) = self[v] {
            v = n;
        }
        v
    }
}

impl Function {
    /// A function with an empty entry block.
    pub fn new(name: impl Into<String>) -> Function {
        let mut f = Function { name: name.into(), ..Function::default() };
        f.add_block();
        f
    }

    /// The entry block, first in the layout.
    pub fn entry(&self) -> Block {
        self.layout[0]
    }

    /// The values of the parameters.
    pub fn params(&self) -> &[Value] {
        &self.blocks[self.entry()].params
    }

    /// Makes a block and appends it to the layout.
    pub fn add_block(&mut self) -> Block {
        let b = self.make_block();
        self.layout.push(b);
        b
    }

    /// Makes a block that is not in the layout yet.
    pub fn make_block(&mut self) -> Block {
        self.blocks.push(BlockData::default())
    }

    /// Adds a parameter to a block. Existing edges must then be given a value for it.
    pub fn add_param(&mut self, block: Block, ty: Type) -> Value {
        let n = self.blocks[block].params.len() as u32;
        let v = self.values.push(ValueData { ty, def: ValueDef::Param(block, n) });
        self.blocks[block].params.push(v);
        v
    }

    /// Keeps the parameters for which `keep` is true and renumbers them. Edges are the caller's business.
    pub fn retain_params(&mut self, block: Block, mut keep: impl FnMut(usize, Value) -> bool) {
        let mut n = 0;
        self.blocks[block].params.retain(|v| {
            n += 1;
            keep(n - 1, v)
        });
        for (i, &v) in self.blocks[block].params.iter().enumerate() {
            self.values[v].def = ValueDef::Param(block, i as u32);
        }
    }

    /// Makes an instruction with results of the given types, in no block yet.
    pub fn make_inst(&mut self, mut data: InstData, results: &[Type]) -> Inst {
        let i = self.insts.next_key();
        data.results = Results::new(self.values.next_key(), results.len());
        for (n, &ty) in results.iter().enumerate() {
            self.values.push(ValueData { ty, def: ValueDef::Inst(i, n as u8) });
        }
        self.insts.push(data)
    }

    /// Moves the instructions of a block into `to`, in place of what is there. The block's list is empty then and keeps its place
    /// in memory: a pass that fills it anew leaves the lists of the function where they were, in the order of the code.
    pub fn take_insts(&mut self, block: Block, to: &mut Vec<Inst>) {
        let list = &mut self.blocks[block].insts;
        to.clear();
        to.extend_from_slice(list);
        list.clear();
    }

    /// Makes an instruction and appends it to a block.
    pub fn push_inst(&mut self, block: Block, data: InstData, results: &[Type]) -> Inst {
        let i = self.make_inst(data, results);
        self.blocks[block].insts.push(i);
        i
    }

    /// The type of a value.
    #[inline]
    pub fn ty(&self, v: Value) -> Type {
        self.values[v].ty
    }

    /// The instruction that defines a value, if one does.
    #[inline]
    pub fn def_inst(&self, v: Value) -> Option<Inst> {
        match self.values[v].def {
            ValueDef::Inst(i, _) => Some(i),
            _ => None,
        }
    }

    /// The defining instruction's data if it has this op.
    #[inline]
    pub fn def_op(&self, v: Value, op: Op) -> Option<&InstData> {
        self.def_inst(v).map(|i| &self.insts[i]).filter(|d| d.op == op)
    }

    /// The value of a constant; equal constants are one value.
    pub fn constant(&mut self, c: Const) -> Value {
        if let Some(&v) = self.consts.get(&c) {
            return v;
        }
        let n = self.consts.len() as u32;
        let v = self.values.push(ValueData { ty: c.ty, def: ValueDef::Const(n) });
        self.consts.insert(c, v);
        v
    }

    /// An integer (or `b1`) constant, in every lane.
    pub fn iconst(&mut self, ty: Type, v: i64) -> Value {
        assert!(!ty.is_float(), "iconst of {ty}");
        self.constant(Const::new(ty, &[v as u64]))
    }

    /// An `f32` constant, in every lane of a float type; `f16` is rounded to nearest even.
    pub fn fconst(&mut self, ty: Type, v: f32) -> Value {
        let bits = match ty.scalar() {
            Scalar::F16 => u64::from(gpucc_num::convert::f32_to_f16(gpucc_num::Round::Nearest, v)),
            Scalar::F32 => u64::from(v.to_bits()),
            Scalar::F64 => f64::from(v).to_bits(),
            s => panic!("fconst of {}", s.name()),
        };
        self.constant(Const::new(ty, &[bits]))
    }

    /// The constant `v` of type `b1`.
    pub fn bconst(&mut self, v: bool) -> Value {
        self.iconst(Type::B1, i64::from(v))
    }

    /// Zero of any type.
    pub fn zero(&mut self, ty: Type) -> Value {
        self.constant(Const::new(ty, &[0]))
    }

    /// An undefined value of a type.
    pub fn undef(&mut self, ty: Type) -> Value {
        self.values.push(ValueData { ty, def: ValueDef::Undef })
    }

    /// Whether a value is a constant.
    #[inline]
    pub fn is_const(&self, v: Value) -> bool {
        matches!(self.values[v].def, ValueDef::Const(_))
    }

    /// The constant that a value is.
    #[inline]
    pub fn as_const(&self, v: Value) -> Option<&Const> {
        match self.values[v].def {
            ValueDef::Const(n) => self.consts.get_index(n as usize).map(|c| c.0),
            _ => None,
        }
    }

    /// The bits of a constant scalar, or of a constant vector with equal lanes.
    #[inline]
    pub fn const_bits(&self, v: Value) -> Option<u64> {
        self.as_const(v).and_then(Const::uniform_bits)
    }

    /// Like [`const_bits`](Self::const_bits), sign-extended from the lane's width.
    pub fn const_int(&self, v: Value) -> Option<i64> {
        let s = 64 - self.ty(v).bits();
        self.const_bits(v).map(|b| ((b << s) as i64) >> s)
    }

    /// Whether a value is `undef`.
    #[inline]
    pub fn is_undef(&self, v: Value) -> bool {
        matches!(self.values[v].def, ValueDef::Undef)
    }

    /// The terminator of a block; panics if it has none.
    #[track_caller]
    #[inline]
    pub fn terminator(&self, b: Block) -> Inst {
        let i = *self.blocks[b].insts.last().unwrap_or_else(|| panic!("{b} is empty"));
        assert!(self.insts[i].op.is_terminator(), "{b} has no terminator");
        i
    }

    /// The edges leaving a block, in order; none if it has no terminator yet.
    #[inline]
    pub fn edges(&self, b: Block) -> SmallVec<[EdgeRef<'_>; 2]> {
        match self.blocks[b].insts.last() {
            Some(&i) => self.insts[i].edges(),
            None => SmallVec::new(),
        }
    }

    /// The successors of a block, in edge order, with repetitions.
    pub fn succs(&self, b: Block) -> SmallVec<[Block; 2]> {
        let mut list = SmallVec::new();
        if let Some(&i) = self.blocks[b].insts.last() {
            self.insts[i].for_each_edge(|e| list.push(e.block));
        }
        list
    }

    /// The predecessors of every block: one entry per edge, in layout order of the sources.
    pub fn preds(&self) -> CsrLists<Block, Block> {
        let mut pairs = Vec::with_capacity(2 * self.layout.len());
        for &b in &self.layout {
            if let Some(&i) = self.blocks[b].insts.last() {
                self.insts[i].for_each_edge(|e| pairs.push((e.block, b)));
            }
        }
        CsrLists::within(self.blocks.len(), &pairs)
    }

    /// The edges that lead to a block, each once, with the blocks they leave. `preds` is the block's list of [`preds`](Self::preds):
    /// one that leads there over several edges stands in it as often.
    pub fn edges_to<'a>(&'a self, b: Block, preds: &'a [Block]) -> impl Iterator<Item = (Block, EdgeRef<'a>)> {
        let first = |k: &usize| *k == 0 || preds[*k - 1] != preds[*k];
        let from = (0..preds.len()).filter(first).map(|k| preds[k]);
        from.flat_map(move |p| self.edges(p).into_iter().filter(move |e| e.block == b).map(move |e| (p, e)))
    }

    /// The successors of every block that exists, also of those outside the layout, in edge order, with repetitions.
    pub fn all_succs(&self) -> CsrLists<Block, Block> {
        let mut l = CsrLists::with_room(self.blocks.len(), 2 * self.blocks.len());
        for b in self.blocks.values() {
            if let Some(&i) = b.insts.last() {
                self.insts[i].for_each_edge(|e| l.add(e.block));
            }
            l.end();
        }
        l
    }

    /// The blocks whose structure names a block: as the merge of a construct or as the continue part of a loop.
    pub fn namers(&self) -> CsrLists<Block, Block> {
        let mut pairs = Vec::new();
        for &b in &self.layout {
            if let Some(m) = self.insts[self.terminator(b)].merge() {
                pairs.push((m, b));
            }
            if let Some(h) = self.blocks[b].header {
                pairs.extend([(h.merge, b), (h.cont, b)]);
            }
        }
        CsrLists::new(&pairs)
    }

    /// The block of every instruction in the layout.
    pub fn inst_blocks(&self) -> SecondaryMap<Inst, Option<Block>> {
        let mut m = SecondaryMap::with_default(None);
        m.reserve(self.insts.len());
        for &b in &self.layout {
            for &i in &self.blocks[b].insts {
                m[i] = Some(b);
            }
        }
        m
    }

    /// All (block, instruction) pairs in layout order.
    pub fn insts_in_order(&self) -> impl Iterator<Item = (Block, Inst)> + '_ {
        self.layout.iter().flat_map(|&b| self.blocks[b].insts.iter().map(move |&i| (b, i)))
    }

    /// The first result's type, if the instruction has one.
    pub fn result_ty(&self, i: Inst) -> Option<Type> {
        self.insts[i].results.first().map(|v| self.ty(v))
    }

    /// The bytes a memory op touches at its address (0 for others).
    pub fn access_bytes(&self, i: Inst) -> u32 {
        let d = &self.insts[i];
        match d.op {
            Op::Load => self.ty(d.result()).mem_bytes(),
            Op::Store | Op::Atomic | Op::CmpXchg => self.ty(d.args[0]).mem_bytes(),
            _ => 0,
        }
    }

    /// Whether an instruction must stay although nobody uses its result.
    #[inline]
    pub fn has_effect(&self, i: Inst) -> bool {
        use crate::ops::OpAttrs;
        let d = &self.insts[i];
        d.op.has(OpAttrs::writes)
            || d.op.is_terminator()
            || matches!(&d.attr, Attr::Mem(m) if m.flags.has(crate::inst::MemFlags::VOLATILE))
    }

    /// Replaces the uses of one instruction as [`replace_uses`](Self::replace_uses) does everywhere; true if one changed.
    #[inline]
    pub fn replace_uses_of(&mut self, i: Inst, map: &SecondaryMap<Value, Option<Value>>) -> bool {
        !map.is_unset() && self.insts[i].map_uses(|v| map.resolve(v))
    }

    /// Replaces uses everywhere: each value `v` becomes `map[v]` if that is set, transitively.
    pub fn replace_uses(&mut self, map: &SecondaryMap<Value, Option<Value>>) {
        if map.is_unset() {
            return;
        }
        for &b in &self.layout {
            for &i in &self.blocks[b].insts {
                self.insts[i].map_uses(|v| map.resolve(v));
            }
        }
    }

    /// The type that the op's rule gives its result, from the operands; `None` where the rule does not decide it.
    pub fn infer(&self, op: Op, args: &[Value]) -> Option<Type> {
        let t = |n: usize| self.ty(args[n]);
        match op.info().sig {
            Sig::Same { .. }
            | Sig::LaneRead
            | Sig::Reduce
            | Sig::Ldexp
            | Sig::Insert
            | Sig::InsertDyn
            | Sig::Atomic
            | Sig::CmpXchg => Some(t(0)),
            Sig::Compare(_) => Some(t(0).to_bool()),
            Sig::Select => Some(t(1)),
            Sig::Dot | Sig::Extract | Sig::ExtractDyn => Some(t(0).lane()),
            Sig::Fixed(_, r) => Some(r),
            Sig::Compose => Some(t(0).with_lanes(args.len() as u32)),
            Sig::BufferLength => Some(Type::I32),
            _ => None,
        }
    }
}
