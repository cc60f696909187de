//! A function of the IR that is being built: where the next instruction goes, and small steps that see through constants.

use gpucc_ir as ir;
use ir::{Block, Builder, Const, FpFlags, Function, Loc, Local, Op, Scalar, Type, Value};

/// A function and the place in it where code is built.
#[derive(Debug)]
pub struct Code {
    /// The function that gets the instructions.
    pub f: Function,
    /// The block that is being filled.
    pub block: Block,
    /// Whether control reaches the end of `block`.
    pub live: bool,
    /// Where the source has what is built.
    pub loc: Loc,
    /// The freedom of the float arithmetic that is built.
    pub fp: FpFlags,
    /// Whether expansions of functions are not fused either.
    pub exact: bool,
}

impl Code {
    /// A function with an empty entry block.
    pub fn new(name: impl Into<String>, fp: FpFlags) -> Code {
        let f = Function::new(name);
        Code { block: f.entry(), f, live: true, loc: Loc::UNKNOWN, fp, exact: false }
    }

    /// A builder at the end of the present block.
    pub fn b(&mut self) -> Builder<'_> {
        let mut b = Builder::new(&mut self.f, self.block);
        b.loc = self.loc;
        b.fp = self.fp;
        b
    }

    /// Continues in `block`, which now gets its place in the layout.
    pub fn start(&mut self, block: Block) {
        self.f.layout.push(block);
        self.block = block;
        self.live = true;
    }

    /// Builds with no float licence but contraction.
    pub fn exactly<T>(&mut self, build: impl FnOnce(&mut Self) -> T) -> T {
        let fp = self.fp;
        self.fp = fp.and(FpFlags::CONTRACT);
        let result = build(self);
        self.fp = fp;
        result
    }

    /// A float constant of the type of `like`, in every lane.
    pub fn fconst(&mut self, like: Value, v: f32) -> Value {
        let ty = self.f.ty(like);
        self.f.fconst(ty, v)
    }

    /// An integer constant of the type of `like`, in every lane.
    pub fn iconst(&mut self, like: Value, v: i64) -> Value {
        let ty = self.f.ty(like);
        self.f.iconst(ty, v)
    }

    /// `a` with as many lanes as `like`.
    pub fn like(&mut self, a: Value, like: Type) -> Value {
        let lanes = like.lanes();
        if self.f.ty(a).lanes() == lanes { a } else { self.b().splat(a, lanes) }
    }

    /// A vector of scalars; a constant if all of them are.
    ///
    /// # Panics
    /// Without a lane.
    pub fn compose(&mut self, lanes: &[Value]) -> Value {
        let bits: Option<Vec<u64>> = lanes.iter().map(|&v| self.f.const_bits(v)).collect();
        match bits {
            Some(bits) => {
                let ty = self.f.ty(lanes[0]).with_lanes(lanes.len() as u32);
                self.f.constant(Const::new(ty, &bits))
            }
            None if lanes.len() > 1 && lanes.iter().all(|&v| v == lanes[0]) => {
                self.b().splat(lanes[0], lanes.len() as u32)
            }
            None => self.b().compose(lanes),
        }
    }

    /// Lanes by constant index.
    pub fn swizzle(&mut self, vector: Value, lanes: &[u8]) -> Value {
        let count = self.f.ty(vector).lanes() as usize;
        if lanes.len() == count && lanes.iter().enumerate().all(|(i, &l)| i == l as usize) {
            return vector;
        }
        if let Some(c) = self.f.as_const(vector) {
            let bits: Vec<u64> = lanes.iter().map(|&l| c.bits[l as usize]).collect();
            let ty = c.ty.with_lanes(lanes.len() as u32);
            return self.f.constant(Const::new(ty, &bits));
        }
        self.b().swizzle(vector, lanes)
    }

    /// One lane, seen through the constructor that made the vector.
    pub fn extract(&mut self, vector: Value, lane: u32) -> Value {
        if let Some(made) = self.f.def_op(vector, Op::Compose) {
            return made.args[lane as usize];
        }
        if let Some(made) = self.f.def_op(vector, Op::Splat) {
            return made.args[0];
        }
        self.b().extract(vector, lane)
    }

    /// The same bits as another type; constants at once.
    pub fn bitcast(&mut self, v: Value, to: Type) -> Value {
        match self.f.as_const(v) {
            Some(c) if c.ty.lanes() == to.lanes() => {
                let c = Const::new(to, &c.bits.clone());
                self.f.constant(c)
            }
            _ => self.b().bitcast(v, to),
        }
    }

    /// An integer with another width of lanes.
    pub fn resize(&mut self, v: Value, to: Scalar, signed: bool) -> Value {
        let from = self.f.ty(v);
        let ty = from.with_scalar(to);
        match from.bits().cmp(&to.bits()) {
            std::cmp::Ordering::Equal => v,
            std::cmp::Ordering::Greater => self.b().trunc(v, ty),
            std::cmp::Ordering::Less if signed => self.b().sext(v, ty),
            std::cmp::Ordering::Less => self.b().zext(v, ty),
        }
    }

    /// Bytes in front of an element.
    pub fn times(&mut self, index: Value, stride: u32) -> Value {
        if stride == 1 {
            return index;
        }
        let stride = self.f.iconst(Type::I32, stride.into());
        self.b().imul(index, stride)
    }

    /// A function variable for one IR value.
    pub fn leaf_variable(&mut self, leaf: Type) -> Local {
        self.f.locals.push(ir::VarData {
            name: String::new(),
            space: ir::Space::Function,
            size: leaf.mem_bytes(),
            align: leaf.lane().mem_bytes() * leaf.lanes().next_power_of_two(),
            init: ir::Init::Zero,
            span: ir::Span::UNKNOWN,
        })
    }

    /// The attribute of an access to such a variable.
    fn whole(&self, local: Local) -> ir::Mem {
        let align = self.f.locals[local].align;
        ir::Mem::new(ir::Place::Local(local), 0, align).flags(ir::MemFlags::IN_BOUNDS)
    }

    /// Stores to such a variable.
    pub fn keep(&mut self, local: Local, value: Value) {
        let mem = self.whole(local);
        self.b().store(value, mem, None);
    }

    /// Loads from such a variable.
    pub fn kept(&mut self, local: Local, leaf: Type) -> Value {
        let mem = self.whole(local);
        self.b().load(leaf, mem, None)
    }

    /// A value that stands for an index, as an `i32`.
    pub fn as_i32(&mut self, value: Value) -> Value {
        let ty = self.f.ty(value);
        match ty.scalar() {
            Scalar::I64 => self.b().trunc(value, Type::I32.with_lanes(ty.lanes())),
            Scalar::I16 | Scalar::I8 => self.b().zext(value, Type::I32.with_lanes(ty.lanes())),
            _ => value,
        }
    }
}
