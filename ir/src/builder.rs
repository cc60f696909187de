//! Building code at the end of a block (or before a given position).

use crate::edges::*;
use crate::function::{Function, LoopHeader};
use crate::inst::*;
use crate::ops::Op;
use crate::stage::Deriv;
use crate::subgroup::Reduce;
use crate::sysval::Sysval;
use crate::tex::Tex;
use crate::types::Type;
use crate::values::Values;
use crate::variable::VarData;

/// Appends instructions to a block. `loc` and `fp` go on each instruction built (`fp` only on float results).
pub struct Builder<'a> {
    /// The function that gets the instructions.
    pub func: &'a mut Function,
    /// The block that is being filled.
    pub block: Block,
    /// Where in the block to insert; `None` appends.
    pub pos: Option<usize>,
    /// The location of what is built.
    pub loc: Loc,
    /// The float licences of what is built.
    pub fp: FpFlags,
}

macro_rules! ops1 {
    ($($name:ident $op:ident),* $(,)?) => { $(
        #[doc = concat!("`", stringify!($name), "`: see the op table.")]
        pub fn $name(&mut self, a: Value) -> Value {
            self.op(Op::$op, &[a])
        }
    )* };
}
macro_rules! ops2 {
    ($($name:ident $op:ident),* $(,)?) => { $(
        #[doc = concat!("`", stringify!($name), "`: see the op table.")]
        pub fn $name(&mut self, a: Value, b: Value) -> Value {
            self.op(Op::$op, &[a, b])
        }
    )* };
}
macro_rules! ops3 {
    ($($name:ident $op:ident),* $(,)?) => { $(
        #[doc = concat!("`", stringify!($name), "`: see the op table.")]
        pub fn $name(&mut self, a: Value, b: Value, c: Value) -> Value {
            self.op(Op::$op, &[a, b, c])
        }
    )* };
}
macro_rules! converts {
    ($($name:ident $op:ident),* $(,)?) => { $(
        #[doc = concat!("`", stringify!($name), "`: see the op table. `to` is the result's type.")]
        pub fn $name(&mut self, a: Value, to: Type) -> Value {
            self.op_as(Op::$op, &[a], to)
        }
    )* };
}

impl<'a> Builder<'a> {
    /// A builder that appends to `block`.
    pub fn new(func: &'a mut Function, block: Block) -> Builder<'a> {
        Builder { func, block, pos: None, loc: Loc::UNKNOWN, fp: FpFlags::NONE }
    }

    /// Inserts before position `pos` of `block`.
    pub fn before(func: &'a mut Function, block: Block, pos: usize) -> Builder<'a> {
        Builder { func, block, pos: Some(pos), loc: Loc::UNKNOWN, fp: FpFlags::NONE }
    }

    /// Appends to `block`, taking location and licences from `like`.
    #[inline]
    pub fn like(func: &'a mut Function, block: Block, like: Inst) -> Builder<'a> {
        let (loc, fp) = (func.insts[like].loc, func.insts[like].fp);
        Builder { func, block, pos: None, loc, fp }
    }

    /// Continues in another block, appending.
    pub fn switch_to(&mut self, block: Block) {
        self.block = block;
        self.pos = None;
    }

    /// Makes a block at the end of the layout. Continues in the present one.
    pub fn add_block(&mut self) -> Block {
        self.func.add_block()
    }

    /// Places an instruction as given.
    pub fn raw(&mut self, mut data: InstData, results: &[Type]) -> Inst {
        data.loc = self.loc;
        if results.first().is_some_and(|t| t.is_float()) || data.op == Op::FCmp {
            data.fp = self.fp;
        }
        let i = self.func.make_inst(data, results);
        let list = &mut self.func.blocks[self.block].insts;
        match &mut self.pos {
            Some(p) => {
                list.insert(*p, i);
                *p += 1;
            }
            None => list.push(i),
        }
        i
    }

    /// An op whose result type follows from its operands.
    #[track_caller]
    pub fn op(&mut self, op: Op, args: &[Value]) -> Value {
        let ty = self.func.infer(op, args).unwrap_or_else(|| panic!("{op} needs its type stated"));
        self.op_as(op, args, ty)
    }

    /// An op with its result type stated.
    pub fn op_as(&mut self, op: Op, args: &[Value], ty: Type) -> Value {
        let i = self.raw(InstData::new(op, args, Attr::None), &[ty]);
        self.func.insts[i].result()
    }

    /// An op with an attribute and one result.
    pub fn op_attr(&mut self, op: Op, args: &[Value], attr: Attr, ty: Type) -> Value {
        let i = self.raw(InstData::new(op, args, attr), &[ty]);
        self.func.insts[i].result()
    }

    fn effect(&mut self, op: Op, args: &[Value], attr: Attr) -> Inst {
        self.raw(InstData::new(op, args, attr), &[])
    }

    ops1! {
        fneg FNeg, fabs FAbs, fsign FSign, fsat FSat, ffloor FFloor, fceil FCeil, ftrunc FTrunc,
        fround_even FRoundEven, ffract FFract, fsqrt FSqrt, frsqrt FRsqrt, frcp FRcp, fexp2 FExp2, flog2 FLog2,
        fsin FSin, fcos FCos, fquant16 FQuant16,
        ineg INeg, iabs IAbs, not Not, popcount Popcount, clz Clz, ctz Ctz, bitreverse BitReverse,
        pack_unorm4x8 PackUnorm4x8, pack_snorm4x8 PackSnorm4x8, pack_unorm2x16 PackUnorm2x16,
        pack_snorm2x16 PackSnorm2x16, pack_half2x16 PackHalf2x16, pack_half2x16_rtz PackHalf2x16Rtz, unpack_unorm4x8 UnpackUnorm4x8,
        unpack_snorm4x8 UnpackSnorm4x8, unpack_unorm2x16 UnpackUnorm2x16, unpack_snorm2x16 UnpackSnorm2x16,
        unpack_half2x16 UnpackHalf2x16,
    }
    ops2! {
        fadd FAdd, fsub FSub, fmul FMul, fdiv FDiv, frem FRem, fmin FMin, fmax FMax, fldexp FLdexp, fdot FDot,
        iadd IAdd, isub ISub, imul IMul, umulhi UMulHi, smulhi SMulHi, umul24 UMul24, smul24 SMul24,
        sdiv SDiv, udiv UDiv, srem SRem, urem URem, smin SMin, smax SMax, umin UMin, umax UMax,
        and And, or Or, xor Xor, shl Shl, ushr UShr, sshr SShr, udot4x8 UDot4x8, sdot4x8 SDot4x8,
        extract_dyn ExtractDyn,
    }
    ops3! { fma Fma, fshr FShr, bitsel BitSel, ubfe UBitExtract, sbfe SBitExtract, select Select, insert_dyn InsertDyn }
    converts! {
        f2f F2F, f2s F2S, f2u F2U, f2s_full F2SFull, f2u_full F2UFull, s2f S2F, u2f U2F,
        sext SExt, zext ZExt, trunc Trunc, bitcast Bitcast,
    }

    /// `bfi`: `base` with bits `offset..offset+count` replaced by the low bits of `new`.
    pub fn bfi(&mut self, base: Value, new: Value, offset: Value, count: Value) -> Value {
        self.op(Op::BitInsert, &[base, new, offset, count])
    }
    /// Integer comparison; `b1` in each lane.
    pub fn icmp(&mut self, cc: IntCc, a: Value, b: Value) -> Value {
        let ty = self.func.ty(a).to_bool();
        self.op_attr(Op::ICmp, &[a, b], Attr::IntCc(cc), ty)
    }
    /// Float comparison; `b1` in each lane.
    pub fn fcmp(&mut self, cc: FloatCc, a: Value, b: Value) -> Value {
        let ty = self.func.ty(a).to_bool();
        self.op_attr(Op::FCmp, &[a, b], Attr::FloatCc(cc), ty)
    }
    /// `a` in each of `lanes` lanes; `a` itself for one lane.
    pub fn splat(&mut self, a: Value, lanes: u32) -> Value {
        if lanes == 1 {
            return a;
        }
        let ty = self.func.ty(a).with_lanes(lanes);
        if let Some(bits) = self.func.const_bits(a) {
            return self.func.constant(crate::function::Const::new(ty, &[bits]));
        }
        self.op_as(Op::Splat, &[a], ty)
    }
    /// A vector of scalars; the scalar itself if there is one.
    pub fn compose(&mut self, lanes: &[Value]) -> Value {
        if let [a] = lanes {
            return *a;
        }
        self.op(Op::Compose, lanes)
    }
    /// One lane of a vector; a scalar is its own lane 0.
    pub fn extract(&mut self, a: Value, lane: u32) -> Value {
        let ty = self.func.ty(a);
        if !ty.is_vector() {
            return a;
        }
        if let Some(c) = self.func.as_const(a) {
            let bits = c.bits[lane as usize];
            return self.func.constant(crate::function::Const::new(ty.lane(), &[bits]));
        }
        self.op_attr(Op::Extract, &[a], Attr::Lane(lane as u8), ty.lane())
    }
    /// `a` with one lane replaced by `b`.
    pub fn insert(&mut self, a: Value, b: Value, lane: u32) -> Value {
        let ty = self.func.ty(a);
        if !ty.is_vector() {
            return b;
        }
        self.op_attr(Op::Insert, &[a, b], Attr::Lane(lane as u8), ty)
    }
    /// Lanes of `a` (0..4) and `b` (4..8) by constant index.
    pub fn shuffle(&mut self, a: Value, b: Value, lanes: &[u8]) -> Value {
        let ty = self.func.ty(a).with_lanes(lanes.len() as u32);
        self.op_attr(Op::Shuffle, &[a, b], Attr::Lanes(lanes.into()), ty)
    }
    /// Lanes of `a` by constant index.
    pub fn swizzle(&mut self, a: Value, lanes: &[u8]) -> Value {
        if let [l] = lanes {
            return self.extract(a, u32::from(*l));
        }
        self.shuffle(a, a, lanes)
    }

    /// A system value of the invocation, such as its local index.
    pub fn sysval(&mut self, s: Sysval) -> Value {
        self.op_attr(Op::Sysval, &[], Attr::Sysval(s), s.ty())
    }
    /// An input of the stage; `ty` is the slot's.
    pub fn input(&mut self, slot: u16, ty: Type) -> Value {
        self.op_attr(Op::Input, &[], Attr::Input(slot), ty)
    }
    /// Where `c` is true, the lane stops being live.
    pub fn demote(&mut self, c: Value) -> Inst {
        self.effect(Op::Demote, &[c], Attr::None)
    }
    /// The texel of a colour target where the lane draws; `ty` has four lanes of its texels.
    pub fn target_load(&mut self, target: u8, ty: Type) -> Value {
        self.op_attr(Op::TargetLoad, &[], Attr::Target(target), ty)
    }
    /// The derivative of `a` along an axis of the screen.
    pub fn derivative(&mut self, a: Value, kind: Deriv) -> Value {
        let ty = self.func.ty(a);
        self.op_attr(Op::Derivative, &[a], Attr::Deriv(kind), ty)
    }
    /// Whether `c` is true in a lane of the subgroup.
    pub fn any(&mut self, c: Value) -> Value {
        self.op(Op::Any, &[c])
    }
    /// The lanes of the subgroup in which `c` is true.
    pub fn ballot(&mut self, c: Value) -> Value {
        self.op(Op::Ballot, &[c])
    }
    /// `a` of another lane.
    pub fn lane_read(&mut self, a: Value, lane: Value) -> Value {
        self.op(Op::LaneRead, &[a, lane])
    }
    /// A reduction or a scan.
    pub fn reduce(&mut self, a: Value, kind: Reduce) -> Value {
        let ty = self.func.ty(a);
        self.op_attr(Op::Reduce, &[a], Attr::Reduce(kind), ty)
    }
    /// A texture instruction with a result.
    pub fn tex(&mut self, op: Op, args: &[Value], tex: Tex, ty: Type) -> Value {
        self.op_attr(op, args, Attr::Tex(tex), ty)
    }
    /// A store to an image.
    pub fn image_store(&mut self, args: &[Value], tex: Tex) -> Inst {
        self.effect(Op::ImageStore, args, Attr::Tex(tex))
    }
    /// An atomic on an image; gives the old value, of type `ty`.
    pub fn image_atomic(&mut self, op: AtomicOp, args: &[Value], tex: Tex, ty: Type) -> Value {
        self.op_attr(Op::ImageAtomic, args, Attr::TexAtomic(op, tex), ty)
    }
    /// The size in bytes of a bound buffer.
    pub fn buffer_length(&mut self, r: Res) -> Value {
        self.op_attr(Op::BufferLength, &[], Attr::Res(r), Type::I32)
    }
    /// A load of `ty` at `mem.offset` plus `offset` bytes.
    pub fn load(&mut self, ty: Type, mem: Mem, offset: Option<Value>) -> Value {
        self.op_attr(Op::Load, offset.as_slice(), Attr::Mem(mem), ty)
    }
    /// A store of `value` at the constant and dynamic offset of a place.
    pub fn store(&mut self, value: Value, mem: Mem, offset: Option<Value>) -> Inst {
        let mut a = Values::from_slice(&[value]);
        a.extend(offset);
        self.effect(Op::Store, &a, Attr::Mem(mem))
    }
    /// An atomic read-modify-write; gives the old value.
    pub fn atomic(&mut self, op: AtomicOp, value: Value, mem: Mem, offset: Option<Value>) -> Value {
        let mut a = Values::from_slice(&[value]);
        a.extend(offset);
        let ty = self.func.ty(value);
        self.op_attr(Op::Atomic, &a, Attr::Atomic(op, mem), ty)
    }
    /// An atomic compare-exchange; gives the old value.
    pub fn cmpxchg(&mut self, expected: Value, new: Value, mem: Mem, offset: Option<Value>) -> Value {
        let mut a = Values::from_slice(&[expected, new]);
        a.extend(offset);
        let ty = self.func.ty(new);
        self.op_attr(Op::CmpXchg, &a, Attr::Mem(mem), ty)
    }
    /// Sets a variable to its initialiser.
    pub fn var_init(&mut self, place: Place) -> Inst {
        self.effect(Op::VarInit, &[], Attr::Place(place))
    }
    /// A barrier of the stated scope and order.
    pub fn barrier(&mut self, b: Barrier) -> Inst {
        self.effect(Op::Barrier, &[], Attr::Barrier(b))
    }
    /// A call; `results` are the callee's result types.
    pub fn call(&mut self, func: Func, args: &[Value], results: &[Type]) -> Inst {
        self.raw(InstData::new(Op::Call, args, Attr::Call(func)), results)
    }
    /// Adds a variable to the function; its index.
    pub fn add_local(&mut self, var: VarData) -> Local {
        self.func.locals.push(var)
    }

    /// Goes to a block.
    pub fn jump(&mut self, to: Block, args: &[Value]) -> Inst {
        self.effect(Op::Jump, &[], Attr::Branch(Branch::jump(Edge::with(to, args), None)))
    }
    /// Goes to a block and opens a construct that ends at `merge`: code inside may jump there.
    pub fn jump_merge(&mut self, to: Block, args: &[Value], merge: Block) -> Inst {
        self.effect(Op::Jump, &[], Attr::Branch(Branch::jump(Edge::with(to, args), Some(merge))))
    }
    /// A two-way branch on a `b1`, with the merge of a selection.
    pub fn br(&mut self, cond: Value, then: Edge, other: Edge, merge: Option<Block>) -> Inst {
        self.effect(Op::Br, &[cond], Attr::Branch(Branch::br(then, other, merge)))
    }
    /// A multi-way branch by the selector's value, with its merge.
    pub fn switch(&mut self, selector: Value, cases: Vec<(u64, Edge)>, default: Edge, merge: Option<Block>) -> Inst {
        self.effect(Op::Switch, &[selector], Attr::Switch(Box::new(SwitchEdges { cases, default, merge })))
    }
    /// Leaves the function with these results.
    pub fn ret(&mut self, values: &[Value]) -> Inst {
        self.effect(Op::Ret, values, Attr::None)
    }
    /// Marks code that is never reached.
    pub fn unreachable(&mut self) -> Inst {
        self.effect(Op::Unreachable, &[], Attr::None)
    }
    /// Makes `block` a loop header.
    pub fn set_loop(&mut self, block: Block, merge: Block, cont: Block) {
        self.func.blocks[block].header = Some(LoopHeader { merge, cont });
    }
}
