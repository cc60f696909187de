//! Instructions: op, operands, typed attribute, flags, location.

use crate::edges::{Branch, Edge, EdgeRef, SwitchEdges};
pub use crate::ids::{Block, Func, Global, Inst, Loc, Local, Res, Value};
use crate::named::named_enum;
use crate::ops::Op;
use crate::results::Results;
use crate::stage::Deriv;
use crate::subgroup::Reduce;
use crate::sysval::Sysval;
use crate::tex::{Tex, TexArg};
use crate::values::Values;
use smallvec::SmallVec;

/// The place that a memory access touches. Different places never overlap, but for storage buffers that addresses lead to too
/// ([`Module::overlap`](crate::Module::overlap)).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Place {
    /// A bound buffer.
    Buffer(Res),
    /// A module variable (private or workgroup).
    Global(Global),
    /// A function variable.
    Local(Local),
    /// Whatever lies at an address of 64 bits, which the access has in place of its dynamic offset: one `i64`, or two `i32` with the low
    /// half first. The constant offset is added to it.
    Address,
}

/// The reads or writes of an instruction beyond its operands; which of both says the op.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Touched {
    /// Bytes of a variable or a buffer.
    Place(Place),
    /// Texels of an image.
    Image(Res),
    /// Which lanes are live.
    Helpers,
    /// The contents of colour targets; nothing that the program does changes them.
    Target,
    /// Anything: what a call or a barrier touches.
    Everything,
}

/// Flags of a memory access.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct MemFlags(pub u8);

impl MemFlags {
    /// The set without any flag.
    pub const NONE: MemFlags = MemFlags(0);
    /// Happens exactly as written: not removed, merged or repeated.
    pub const VOLATILE: MemFlags = MemFlags(1);
    /// Seen by other workgroups, as theirs are by it: past incoherent caches. Order is what barriers say.
    pub const COHERENT: MemFlags = MemFlags(2);
    /// Nobody writes this memory while the shader runs.
    pub const READONLY: MemFlags = MemFlags(4);
    /// The resource index (later) may differ between lanes.
    pub const NONUNIFORM: MemFlags = MemFlags(8);
    /// An atomic load or store (relaxed). Not forwarded, merged or reordered with atomics on its place.
    pub const ATOMIC: MemFlags = MemFlags(16);
    /// The source language promises that all lanes of the workgroup load one value (workgroupUniformLoad).
    pub const UNIFORM: MemFlags = MemFlags(32);
    /// Every execution is known to lie inside the place: needs no bounds handling.
    pub const IN_BOUNDS: MemFlags = MemFlags(64);

    /// All names, by bit.
    pub const NAMES: [&'static str; 7] =
        ["volatile", "coherent", "readonly", "nonuniform", "atomic", "uniform", "in_bounds"];

    /// Whether all flags of `o` are set.
    pub const fn has(self, o: MemFlags) -> bool {
        self.0 & o.0 == o.0
    }
    /// The flags of both sets.
    pub const fn with(self, o: MemFlags) -> MemFlags {
        MemFlags(self.0 | o.0)
    }
    /// This set less `o`.
    pub const fn without(self, o: MemFlags) -> MemFlags {
        MemFlags(self.0 & !o.0)
    }
    /// Whether neither volatile nor atomic: may be merged, forwarded, removed.
    pub const fn is_plain(self) -> bool {
        self.0 & (MemFlags::VOLATILE.0 | MemFlags::ATOMIC.0) == 0
    }
    /// Whether plain and not coherent either: what such a load reads stays the same if the shader does not write the place.
    pub const fn is_alone(self) -> bool {
        self.is_plain() && !self.has(MemFlags::COHERENT)
    }
    /// Whether others see the access, or it sees theirs: past all caches that they do not share.
    pub const fn is_shared(self) -> bool {
        !self.is_alone()
    }
}

/// The attribute of a memory access: address = `offset` + dynamic byte offset (an operand, may be absent), without
/// wrapping. The access covers `Type::mem_bytes` of the loaded or stored type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Mem {
    /// The bytes that are touched.
    pub place: Place,
    /// Constant byte offset, added to the dynamic one.
    pub offset: u32,
    /// Alignment of the whole address in bytes, a power of two.
    pub align: u32,
    /// Promises and demands of the access: volatile, coherent and others.
    pub flags: MemFlags,
}

impl Mem {
    /// An access without flags.
    pub const fn new(place: Place, offset: u32, align: u32) -> Mem {
        Mem { place, offset, align, flags: MemFlags::NONE }
    }
    /// The same with more flags.
    pub const fn flags(mut self, f: MemFlags) -> Mem {
        self.flags = self.flags.with(f);
        self
    }
}

named_enum! {
    /// Integer comparisons.
    IntCc {
        Eq = "eq"   "equal",
        Ne = "ne"   "not equal",
        Slt = "slt" "signed less",
        Sle = "sle" "signed less or equal",
        Sgt = "sgt" "signed greater",
        Sge = "sge" "signed greater or equal",
        Ult = "ult" "unsigned less",
        Ule = "ule" "unsigned less or equal",
        Ugt = "ugt" "unsigned greater",
        Uge = "uge" "unsigned greater or equal",
    }
}

// Lists by a condition are in the order of its declaration.
impl IntCc {
    /// The condition with operands swapped.
    pub const fn swapped(self) -> IntCc {
        use IntCc::*;
        [Eq, Ne, Sgt, Sge, Slt, Sle, Ugt, Uge, Ult, Ule][self as usize]
    }
    /// The condition that holds where this one does not.
    pub const fn negated(self) -> IntCc {
        use IntCc::*;
        [Ne, Eq, Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult][self as usize]
    }
}

named_enum! {
    /// Float comparisons: `o..` is false and `u..` true if an operand is NaN. WGSL has oeq, une, olt, ole, ogt, oge.
    FloatCc {
        Oeq = "oeq" "ordered and equal",
        One = "one" "ordered and not equal",
        Olt = "olt" "ordered and less",
        Ole = "ole" "ordered and less or equal",
        Ogt = "ogt" "ordered and greater",
        Oge = "oge" "ordered and greater or equal",
        Ord = "ord" "neither is NaN",
        Ueq = "ueq" "unordered or equal",
        Une = "une" "unordered or not equal",
        Ult = "ult" "unordered or less",
        Ule = "ule" "unordered or less or equal",
        Ugt = "ugt" "unordered or greater",
        Uge = "uge" "unordered or greater or equal",
        Uno = "uno" "one is NaN",
    }
}

impl FloatCc {
    /// The condition with operands swapped.
    pub const fn swapped(self) -> FloatCc {
        use FloatCc::*;
        [Oeq, One, Ogt, Oge, Olt, Ole, Ord, Ueq, Une, Ugt, Uge, Ult, Ule, Uno][self as usize]
    }
    /// The opposite condition, which is unordered where this one is ordered.
    pub const fn negated(self) -> FloatCc {
        use FloatCc::*;
        [Une, Ueq, Uge, Ugt, Ule, Ult, Uno, One, Oeq, Oge, Ogt, Ole, Olt, Ord][self as usize]
    }
    /// The result for NaN operands.
    pub const fn if_unordered(self) -> bool {
        use FloatCc::*;
        matches!(self, Ueq | Une | Ult | Ule | Ugt | Uge | Uno)
    }
}

named_enum! {
    /// The value that an atomic read-modify-write stores.
    AtomicOp {
        Add = "add"       "old + value",
        Sub = "sub"       "old - value",
        And = "and"       "old & value",
        Or = "or"         "old | value",
        Xor = "xor"       "old ^ value",
        SMin = "smin"     "signed minimum",
        SMax = "smax"     "signed maximum",
        UMin = "umin"     "unsigned minimum",
        UMax = "umax"     "unsigned maximum",
        Exchange = "xchg" "value",
    }
}

named_enum! {
    /// A set of lanes that wait or see memory together.
    Scope {
        None = "none"           "no one",
        Subgroup = "subgroup"   "the subgroup",
        Workgroup = "workgroup" "the workgroup",
    }
}

named_enum! {
    /// Which accesses a barrier keeps on their side of it, where each is of a space that the barrier names.
    Order {
        AcqRel = "acq_rel"  "none before it moves behind it, and none behind it moves before it",
        Acquire = "acquire" "none behind it moves before loads and atomics that stand before it",
        Release = "release" "none before it moves behind stores and atomics that stand behind it",
    }
}

/// The waiting and the ordering of a barrier. An ordered atomic is a relaxed one with a barrier that waits for no one: a release stands
/// before it, an acquire behind it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Barrier {
    /// The invocations that wait for each other.
    pub exec: Scope,
    /// The order. A barrier that waits has both.
    pub order: Order,
    /// Whether other workgroups see the order too; otherwise the workgroup alone does.
    pub device: bool,
    /// Whether workgroup memory is ordered.
    pub workgroup: bool,
    /// Whether storage buffers are ordered.
    pub storage: bool,
    /// Whether images are ordered.
    pub texture: bool,
}

impl Barrier {
    /// One that waits for `exec` and orders nothing yet.
    pub const fn wait(exec: Scope) -> Barrier {
        Barrier { exec, order: Order::AcqRel, device: false, workgroup: false, storage: false, texture: false }
    }
    /// One that waits for no one and orders nothing yet.
    pub const fn fence(order: Order) -> Barrier {
        Barrier { order, ..Barrier::wait(Scope::None) }
    }
    /// Whether memory is ordered at all.
    pub const fn orders(self) -> bool {
        self.workgroup || self.storage || self.texture
    }
    /// Whether what other workgroups wrote must be seen behind it.
    pub const fn acquires_device(self) -> bool {
        self.device && !matches!(self.order, Order::Release)
    }
}

/// The typed attribute of an instruction; the op's [`Sig`](crate::ops::Sig) says which one it has.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Attr {
    /// None.
    None,
    /// The integer condition of `icmp`.
    IntCc(IntCc),
    /// The float condition of `fcmp`.
    FloatCc(FloatCc),
    /// The lane of `extract` and `insert`.
    Lane(u8),
    /// The lanes of `shuffle`, one entry per lane of the result; 0..4 name lanes of the first operand, 4..8 of the second.
    Lanes(SmallVec<[u8; 4]>),
    /// The memory of `load`, `store`, `cmpxchg`.
    Mem(Mem),
    /// The operation and memory of `atomic`.
    Atomic(AtomicOp, Mem),
    /// The place of `var_init`.
    Place(Place),
    /// The buffer of `buffer_length`.
    Res(Res),
    /// The barrier of `barrier`: who waits, and which memory is ordered.
    Barrier(Barrier),
    /// The system value of `sysval`.
    Sysval(Sysval),
    /// The number of the slot of `input`.
    Input(u16),
    /// The axis and precision of `derivative`.
    Deriv(Deriv),
    /// The operation and form of `reduce`.
    Reduce(Reduce),
    /// The location of the target of `target_load`.
    Target(u8),
    /// The texture and question of `sample`, `tex`, `tex_query`, `image_load`, `image_store`.
    Tex(Tex),
    /// The operation and image of `image_atomic`.
    TexAtomic(AtomicOp, Tex),
    /// The function of `call`.
    Call(Func),
    /// The edges of `jump` and `br`.
    Branch(Branch),
    /// The edges of `switch`; elsewhere, since most instructions are none and all are as large as the largest.
    Switch(Box<SwitchEdges>),
}

/// The assumptions and changes allowed to a float instruction. None set means exact.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct FpFlags(pub u8);

impl FpFlags {
    /// The exact operation: no change is allowed.
    pub const NONE: FpFlags = FpFlags(0);
    /// May be fused with others without rounding in between.
    pub const CONTRACT: FpFlags = FpFlags(1);
    /// May be reassociated: sums and products in another order.
    pub const REASSOC: FpFlags = FpFlags(2);
    /// No operand or result is NaN.
    pub const NNAN: FpFlags = FpFlags(4);
    /// No operand or result is infinite.
    pub const NINF: FpFlags = FpFlags(8);
    /// The sign of a zero does not matter.
    pub const NSZ: FpFlags = FpFlags(16);
    /// Nothing is promised of NaN and infinities: modules that keep them never give both. Of `fmin` and `fmax` either operand may be the
    /// result where one is NaN.
    pub const LOOSE: FpFlags = FpFlags(1 | 16);
    /// The distance that WGSL allows.
    pub const WGSL: FpFlags = FpFlags(31);
    /// All names, by bit.
    pub const NAMES: [&'static str; 5] = ["contract", "reassoc", "nnan", "ninf", "nsz"];

    /// Whether all flags of `o` are set.
    pub const fn has(self, o: FpFlags) -> bool {
        self.0 & o.0 == o.0
    }
    /// The flags of both sets.
    pub const fn with(self, o: FpFlags) -> FpFlags {
        FpFlags(self.0 | o.0)
    }
    /// The flags in both sets.
    pub const fn and(self, o: FpFlags) -> FpFlags {
        FpFlags(self.0 & o.0)
    }
}

/// One instruction: operation, operands, results and attribute.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct InstData {
    /// The operation; its row in the table says operands and effects.
    pub op: Op,
    /// Changes allowed to a float operation; none for others.
    pub fp: FpFlags,
    /// Operands, as the op's `Sig` says. Arguments of edges are in the attribute.
    pub args: Values,
    /// Results: none or one; a call has as many as its callee returns.
    pub results: Results,
    /// The attribute that the operation asks for, `None` for most.
    pub attr: Attr,
    /// Source location; unknown for made code.
    pub loc: Loc,
}

impl InstData {
    /// Of an op that only moves lanes into a vector of `lanes`, a shuffle or an insertion: the value and its lane that each lane of the
    /// result is.
    pub fn moved_lanes(&self, lanes: u32) -> Option<SmallVec<[(Value, usize); 4]>> {
        Some(match &self.attr {
            Attr::Lanes(l) if self.op == Op::Shuffle => l
                .iter()
                .map(|&k| if k < 4 { (self.args[0], k.into()) } else { (self.args[1], usize::from(k) - 4) })
                .collect(),
            Attr::Lane(at) if self.op == Op::Insert => (0..lanes as usize)
                .map(|k| if k == usize::from(*at) { (self.args[1], 0) } else { (self.args[0], k) })
                .collect(),
            _ => return None,
        })
    }
    /// An instruction without results yet; [`Function::make_inst`](crate::Function::make_inst) adds them.
    #[inline]
    pub fn new(op: Op, args: &[Value], attr: Attr) -> InstData {
        InstData {
            op,
            fp: FpFlags::NONE,
            args: Values::from_slice(args),
            results: Results::NONE,
            attr,
            loc: Loc::UNKNOWN,
        }
    }
    /// The same with a location.
    pub fn at(mut self, loc: Loc) -> InstData {
        self.loc = loc;
        self
    }
    /// The same with float licences.
    pub fn fp(mut self, fp: FpFlags) -> InstData {
        self.fp = fp;
        self
    }
    /// The single result; panics if there is none.
    #[track_caller]
    #[inline]
    pub fn result(&self) -> Value {
        self.results.first().expect("an instruction with a result")
    }
    /// The memory attribute of `load`, `store`, `cmpxchg` and `atomic`.
    #[inline]
    pub fn mem(&self) -> Option<&Mem> {
        match &self.attr {
            Attr::Mem(m) | Attr::Atomic(_, m) => Some(m),
            _ => None,
        }
    }
    /// The variable or buffer that it accesses or initialises.
    pub fn place(&self) -> Option<Place> {
        match &self.attr {
            Attr::Mem(m) | Attr::Atomic(_, m) => Some(m.place),
            Attr::Place(p) => Some(*p),
            _ => None,
        }
    }
    /// The resources it names: a buffer, or a texture and perhaps its sampler.
    pub fn resources(&self) -> impl Iterator<Item = Res> + use<> {
        let (first, sampler) = match &self.attr {
            Attr::Mem(Mem { place: Place::Buffer(r), .. })
            | Attr::Atomic(_, Mem { place: Place::Buffer(r), .. })
            | Attr::Place(Place::Buffer(r))
            | Attr::Res(r) => (Some(*r), None),
            Attr::Tex(t) | Attr::TexAtomic(_, t) => (Some(t.texture), t.sampler),
            _ => (None, None),
        };
        first.into_iter().chain(sampler)
    }
    /// The reads or writes beyond its operands.
    pub fn touches(&self) -> Option<Touched> {
        match (self.op, &self.attr) {
            (Op::Call | Op::Barrier, _) => Some(Touched::Everything),
            (Op::Demote, _) => Some(Touched::Helpers),
            (Op::TargetLoad, _) => Some(Touched::Target),
            (Op::ImageLoad | Op::ImageStore, Attr::Tex(t)) | (_, Attr::TexAtomic(_, t)) => {
                Some(Touched::Image(t.texture))
            }
            _ => self.place().map(Touched::Place),
        }
    }
    /// The attribute of a texture instruction.
    pub fn tex(&self) -> Option<&Tex> {
        match &self.attr {
            Attr::Tex(t) | Attr::TexAtomic(_, t) => Some(t),
            _ => None,
        }
    }
    /// An operand of a texture instruction, if it has it.
    pub fn tex_arg(&self, which: TexArg) -> Option<Value> {
        let at = self.tex()?.desc.args().iter().position(|&a| a == which)?;
        self.args.get(at).copied()
    }
    /// The memory attribute, mutable.
    pub fn mem_mut(&mut self) -> Option<&mut Mem> {
        match &mut self.attr {
            Attr::Mem(m) | Attr::Atomic(_, m) => Some(m),
            _ => None,
        }
    }
    /// Where in `args` the dynamic byte offset of a memory op stands, if it were there.
    pub fn dyn_index(&self) -> Option<usize> {
        match self.op {
            Op::Load => Some(0),
            Op::Store | Op::Atomic => Some(1),
            Op::CmpXchg => Some(2),
            _ => None,
        }
    }
    /// The dynamic byte offset of a memory op (an `i32`, unsigned), if it has one.
    pub fn dyn_offset(&self) -> Option<Value> {
        self.dyn_index().and_then(|i| self.args.get(i)).copied()
    }
    /// The edges of a terminator, in order: then, else; cases, default.
    #[inline]
    pub fn edges(&self) -> SmallVec<[EdgeRef<'_>; 2]> {
        let mut list = SmallVec::new();
        self.for_each_edge(|e| list.push(e));
        list
    }
    /// Calls `f` for every edge, in the same order.
    #[inline]
    pub fn for_each_edge<'a>(&'a self, mut f: impl FnMut(EdgeRef<'a>)) {
        match &self.attr {
            Attr::Branch(b) => {
                f(b.then());
                b.other().map(f);
            }
            Attr::Switch(s) => {
                s.cases.iter().for_each(|c| f(c.1.view()));
                f(s.default.view());
            }
            _ => {}
        }
    }
    /// The edge and the merge of a `jump`.
    #[inline]
    pub fn as_jump(&self) -> Option<(EdgeRef<'_>, Option<Block>)> {
        match &self.attr {
            Attr::Branch(b) if b.is_jump() => Some((b.then(), b.merge())),
            _ => None,
        }
    }
    /// The edges of a `br`: taken if true, taken if false.
    #[inline]
    pub fn as_br(&self) -> Option<[EdgeRef<'_>; 2]> {
        match &self.attr {
            Attr::Branch(b) => b.other().map(|o| [b.then(), o]),
            _ => None,
        }
    }
    /// Makes a terminator a `jump` without operands.
    pub fn become_jump(&mut self, edge: Edge, merge: Option<Block>) {
        self.op = Op::Jump;
        self.args.clear();
        self.attr = Attr::Branch(Branch::jump(edge, merge));
    }
    /// Calls `f` for every edge, in the same order; it may change them.
    pub fn map_edges(&mut self, mut f: impl FnMut(&mut Edge)) {
        match &mut self.attr {
            Attr::Branch(b) => b.map_edges(f),
            Attr::Switch(s) => {
                s.cases.iter_mut().for_each(|c| f(&mut c.1));
                f(&mut s.default);
            }
            _ => {}
        }
    }
    /// Edge number `n`, in the same order.
    pub fn edge(&self, n: usize) -> Option<EdgeRef<'_>> {
        match &self.attr {
            Attr::Branch(b) if n == 0 => Some(b.then()),
            Attr::Branch(b) if n == 1 => b.other(),
            Attr::Switch(s) if n == s.cases.len() => Some(s.default.view()),
            Attr::Switch(s) => s.cases.get(n).map(|c| c.1.view()),
            _ => None,
        }
    }
    /// Replaces edge number `n`, if there is one.
    pub fn set_edge(&mut self, n: usize, to: &Edge) {
        if let Attr::Switch(s) = &mut self.attr {
            let edge = if n == s.cases.len() { Some(&mut s.default) } else { s.cases.get_mut(n).map(|c| &mut c.1) };
            edge.into_iter().for_each(|e| e.clone_from(to));
            return;
        }
        let mut k = 0;
        self.map_edges(|e| {
            if k == n {
                e.clone_from(to);
            }
            k += 1;
        });
    }
    /// Appends an argument to edge number `n`; panics if there is none.
    pub fn push_edge_arg(&mut self, n: usize, v: Value) {
        match &mut self.attr {
            Attr::Branch(b) => b.push(n, v),
            Attr::Switch(s) if n == s.cases.len() => s.default.args.push(v),
            Attr::Switch(s) => s.cases[n].1.args.push(v),
            a => panic!("no edges in {a:?}"),
        }
    }
    /// Replaces the target of each edge by `f` of it.
    #[inline]
    pub fn map_targets(&mut self, mut f: impl FnMut(Block) -> Block) {
        match &mut self.attr {
            Attr::Branch(b) => b.map_targets(f),
            Attr::Switch(s) => {
                s.cases.iter_mut().for_each(|c| c.1.block = f(c.1.block));
                s.default.block = f(s.default.block);
            }
            _ => {}
        }
    }
    /// The merge block of a terminator that opens a construct.
    #[inline]
    pub fn merge(&self) -> Option<Block> {
        match &self.attr {
            Attr::Branch(b) => b.merge(),
            Attr::Switch(s) => s.merge,
            _ => None,
        }
    }
    /// Sets the merge block; panics if this is not `jump`, `br` or `switch`.
    pub fn set_merge(&mut self, to: Option<Block>) {
        match &mut self.attr {
            Attr::Branch(b) => b.set_merge(to),
            Attr::Switch(s) => s.merge = to,
            a => panic!("no merge on {a:?}"),
        }
    }
    /// Calls `f` for every value used: operands, then edge arguments.
    #[inline]
    pub fn for_each_use(&self, mut f: impl FnMut(Value)) {
        self.args.iter().for_each(|&v| f(v));
        self.for_each_edge(|e| e.args.iter().for_each(|&v| f(v)));
    }
    /// Replaces every used value by `f` of it; true if one changed.
    #[inline]
    pub fn map_uses(&mut self, mut f: impl FnMut(Value) -> Value) -> bool {
        let mut changed = false;
        let mut go = |list: &mut [Value]| {
            for v in list {
                let n = f(*v);
                if n != *v {
                    changed = true;
                    *v = n;
                }
            }
        };
        go(&mut self.args);
        match &mut self.attr {
            Attr::Branch(b) => go(b.args_mut()),
            Attr::Switch(s) => {
                s.cases.iter_mut().for_each(|c| go(&mut c.1.args));
                go(&mut s.default.args);
            }
            _ => {}
        }
        changed
    }
}
